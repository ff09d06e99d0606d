//! Exact references for the statistical tests of samplers: potentials, laws by quadrature, and two tests.
//!
//! Nothing here draws a random number: a law is a table computed from its density, so a sampler is never
//! compared with another run of a sampler. Both tests keep their level for **every** sample size; no limit
//! theorem is used, so a false-alarm probability of 10⁻⁹ means just that (for a law whose table is exact; the
//! quadrature error is orders of magnitude below what the tests can see).
#![allow(dead_code, unreachable_pub, reason = "a module of several test binaries, each of which uses a part")]

use asap_dp::ball::Ball;
use asap_dp::sampler::{Everywhere, OnBall, Potential};

/// The false-alarm probability of one test: small enough for the hundreds of them in the suite (see `statistics`).
pub const LEVEL: f64 = 1e-9;

/// A test statistic beside the value that it exceeds with probability at most [`LEVEL`] if the law is right.
#[derive(Clone, Copy, Debug)]
pub struct Outcome {
    pub statistic: f64,
    pub critical: f64,
}

impl Outcome {
    pub fn accepted(self) -> bool {
        // A NaN statistic is not an acceptance.
        self.statistic <= self.critical
    }
}

/// Kolmogorov–Smirnov. H0: the sample is independent with distribution function `cdf`.
///
/// Dvoretzky, Kiefer, Wolfowitz with Massart's constant, for every n: P(√n·D > t) ≤ 2e^(−2t²).
pub fn kolmogorov_smirnov(sample: &[f64], cdf: impl Fn(f64) -> f64) -> Outcome {
    let mut sorted = sample.to_vec();
    sorted.sort_by(f64::total_cmp);
    let n = sorted.len() as f64;
    let gap = |(k, &x): (usize, &f64)| {
        let (below, at, p) = (k as f64 / n, (k + 1) as f64 / n, cdf(x));
        // `max` would hide a NaN.
        if p.is_nan() || x.is_nan() { f64::INFINITY } else { (at - p).max(p - below) }
    };
    let distance = sorted.iter().enumerate().map(gap).fold(0.0, f64::max);
    Outcome { statistic: n.sqrt() * distance, critical: ((2.0 / LEVEL).ln() / 2.0).sqrt() }
}

/// Relative entropy of cell counts. H0: they are multinomial with these probabilities (k cells).
///
/// With D = KL(counts/n ‖ probabilities), for every n: E e^(s·n·D) ≤ (1 − s)^(1−k) (Agrawal 2020, *Finite-sample
/// concentration of the multinomial in relative entropy*), so P(n·D ≥ t) ≤ e^(−t)·(e·t/(k−1))^(k−1), t ≥ k − 1.
/// The χ² statistic has no such bound: its limit law is not yet valid that far out for moderate n.
pub fn relative_entropy(counts: &[u64], probabilities: &[f64]) -> Outcome {
    assert_eq!(counts.len(), probabilities.len());
    assert!((probabilities.iter().sum::<f64>() - 1.0).abs() < 1e-9);
    let n: u64 = counts.iter().sum();
    let term = |(&count, &p): (&u64, &f64)| {
        if count == 0 { 0.0 } else { count as f64 * (count as f64 / (n as f64 * p)).ln() }
    };
    let statistic = counts.iter().zip(probabilities).map(term).sum();
    let freedom = (counts.len() - 1) as f64;
    // The bound as a function of t, in logarithms; it decreases from t = k − 1 on.
    let ln_bound = |t: f64| -t + freedom * (1.0 + (t / freedom).ln());
    let critical = bisect(freedom, freedom + 1e6, |t| ln_bound(t) < LEVEL.ln());
    Outcome { statistic, critical }
}

/// The end of the last interval of 200 bisections for the place where `beyond` turns true.
fn bisect(mut low: f64, mut high: f64, beyond: impl Fn(f64) -> bool) -> f64 {
    for _ in 0..200 {
        let middle = 0.5 * (low + high);
        if beyond(middle) { high = middle } else { low = middle }
    }
    high
}

/// A law on an interval with a log-concave density, as a table of its distribution function.
pub struct LineLaw {
    nodes: Vec<f64>,
    cdf: Vec<f64>,
}

impl LineLaw {
    const CELLS: usize = 4_000;

    /// The law with density ∝ e^(`ln_density`) on `[low, high]`. The table covers the part where the density
    /// is above e^(−50) of its maximum: outside lies less than e^(−40).
    pub fn new(low: f64, high: f64, ln_density: impl Fn(f64) -> f64) -> Self {
        let mode = mode(low, high, &ln_density);
        let top = ln_density(mode);
        let visible = |x: f64| ln_density(x) > top - 50.0;
        let from = if visible(low) { low } else { bisect(low, mode, visible) };
        let to = if visible(high) { high } else { bisect(mode, high, |x| !visible(x)) };
        let step = (to - from) / Self::CELLS as f64;
        let nodes: Vec<f64> =
            (0..=Self::CELLS).map(|k| if k == Self::CELLS { to } else { from + step * k as f64 }).collect();
        let density = |x: f64| (ln_density(x) - top).exp();
        let mut cdf = vec![0.0];
        for pair in nodes.windows(2) {
            cdf.push(cdf[cdf.len() - 1] + gauss(pair[0], pair[1], density));
        }
        let total = cdf[Self::CELLS];
        assert!(total > 0.0 && total.is_finite(), "no density on [{low}, {high}]");
        for p in &mut cdf {
            *p /= total;
        }
        Self { nodes, cdf }
    }

    /// The posterior of a one-dimensional potential on a ball.
    pub fn of<P: Potential>(potential: &mut P, ball: &Ball) -> Self {
        let (centre, radius) = (ball.centre()[0], ball.radius());
        let potential = core::cell::RefCell::new(potential);
        Self::new(centre - radius, centre + radius, |x| {
            -potential.borrow_mut().value_and_gradient(&[x], &mut [0.0])
        })
    }

    pub fn cdf(&self, x: f64) -> f64 {
        let right = self.nodes.partition_point(|&node| node <= x);
        if right == 0 || x.is_nan() {
            return if x.is_nan() { f64::NAN } else { 0.0 };
        }
        if right == self.nodes.len() {
            return 1.0;
        }
        let share = (x - self.nodes[right - 1]) / (self.nodes[right] - self.nodes[right - 1]);
        self.cdf[right - 1] + share * (self.cdf[right] - self.cdf[right - 1])
    }

    pub fn quantile(&self, p: f64) -> f64 {
        let right = self.cdf.partition_point(|&value| value < p).clamp(1, self.nodes.len() - 1);
        let rise = self.cdf[right] - self.cdf[right - 1];
        let share = if rise > 0.0 { ((p - self.cdf[right - 1]) / rise).clamp(0.0, 1.0) } else { 0.0 };
        self.nodes[right - 1] + share * (self.nodes[right] - self.nodes[right - 1])
    }

    /// H0: the sample is independent with this law.
    pub fn test(&self, sample: &[f64]) -> Outcome {
        kolmogorov_smirnov(sample, |x| self.cdf(x))
    }
}

/// Where a log-concave function is largest, by golden sections.
fn mode(low: f64, high: f64, ln_density: impl Fn(f64) -> f64) -> f64 {
    let golden = 0.5 * (5.0_f64.sqrt() - 1.0);
    let (mut low, mut high) = (low, high);
    for _ in 0..200 {
        let width = golden * (high - low);
        let (left, right) = (high - width, low + width);
        if ln_density(left) < ln_density(right) { low = left } else { high = right }
    }
    0.5 * (low + high)
}

/// Gauss–Legendre with three points: exact for polynomials of degree five.
pub fn gauss(from: f64, to: f64, density: impl Fn(f64) -> f64) -> f64 {
    gauss_points(from, to).iter().map(|&(x, weight)| weight * density(x)).sum()
}

fn gauss_points(from: f64, to: f64) -> [(f64, f64); 3] {
    let (middle, half) = (0.5 * (from + to), 0.5 * (to - from));
    let offset = 0.6_f64.sqrt() * half;
    [(middle - offset, half * 5.0 / 9.0), (middle, half * 8.0 / 9.0), (middle + offset, half * 5.0 / 9.0)]
}

/// A law on a disk, as the probabilities of `rings × sectors` cells in polar coordinates about the centre.
/// The edges of the rings (and of the sectors) are about quantiles, so that no cell is out of sight.
pub struct DiskLaw {
    centre: [f64; 2],
    /// Upper edges of the rings, the last one infinite; upper edges of the sectors in `(−π, π]`.
    pub rings: Vec<f64>,
    pub sectors: Vec<f64>,
    pub probabilities: Vec<f64>,
}

impl DiskLaw {
    const RADII: usize = 600;
    const ANGLES: usize = 720;

    /// The posterior of a two-dimensional potential on a ball.
    pub fn of<P: Potential>(potential: &mut P, ball: &Ball, rings: usize, sectors: usize) -> Self {
        let centre = [ball.centre()[0], ball.centre()[1]];
        let angle = |k: usize| (2.0 * (k as f64) / Self::ANGLES as f64 - 1.0) * core::f64::consts::PI;
        let radius = |j: usize| ball.radius() * j as f64 / Self::RADII as f64;
        // Logarithms of (density · area), then the same relative to the largest.
        let mut fine = vec![f64::NEG_INFINITY; Self::RADII * Self::ANGLES * 3];
        for (j, ring) in fine.chunks_mut(Self::ANGLES * 3).enumerate() {
            let radii = gauss_points(radius(j), radius(j + 1));
            for (k, cell) in ring.chunks_mut(3).enumerate() {
                let (sin, cos) = (0.5 * (angle(k) + angle(k + 1))).sin_cos();
                for (place, (r, weight)) in cell.iter_mut().zip(radii) {
                    let at = [centre[0] + r * cos, centre[1] + r * sin];
                    *place = (weight * r).ln() - potential.value_and_gradient(&at, &mut [0.0; 2]);
                }
            }
        }
        let top = fine.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let masses: Vec<f64> =
            fine.chunks(3).map(|cell| cell.iter().map(|x| (x - top).exp()).sum()).collect();
        let total: f64 = masses.iter().sum();
        let by_radius: Vec<f64> =
            masses.chunks(Self::ANGLES).map(|ring| ring.iter().sum::<f64>() / total).collect();
        let by_angle: Vec<f64> = (0..Self::ANGLES)
            .map(|k| masses.iter().skip(k).step_by(Self::ANGLES).sum::<f64>() / total)
            .collect();
        let (ring_of, ring_edges) = group(&by_radius, rings);
        let (sector_of, sector_edges) = group(&by_angle, sectors);
        let sectors = sector_edges.len();
        let mut probabilities = vec![0.0; ring_edges.len() * sectors];
        for (index, mass) in masses.iter().enumerate() {
            let (j, k) = (index / Self::ANGLES, index % Self::ANGLES);
            probabilities[ring_of[j] * sectors + sector_of[k]] += mass / total;
        }
        let mut rings: Vec<f64> = ring_edges.into_iter().map(radius).collect();
        // What lies outside of the disk still has to be counted somewhere.
        rings.pop();
        rings.push(f64::INFINITY);
        Self { centre, rings, sectors: sector_edges.into_iter().map(angle).collect(), probabilities }
    }

    fn cell(&self, point: &[f64]) -> usize {
        let (x, y) = (point[0] - self.centre[0], point[1] - self.centre[1]);
        let (radius, angle) = (x.hypot(y), y.atan2(x));
        let ring = self.rings.partition_point(|&edge| edge < radius).min(self.rings.len() - 1);
        let sector = self.sectors.partition_point(|&edge| edge < angle).min(self.sectors.len() - 1);
        ring * self.sectors.len() + sector
    }

    /// H0: the points are independent with this law.
    pub fn test<'a>(&self, points: impl IntoIterator<Item = &'a Vec<f64>>) -> Outcome {
        let mut counts = vec![0; self.probabilities.len()];
        points.into_iter().for_each(|point| counts[self.cell(point)] += 1);
        relative_entropy(&counts, &self.probabilities)
    }
}

/// Joins neighbours into about `groups` groups of equal probability: the group of each, and the upper edges.
fn group(masses: &[f64], groups: usize) -> (Vec<usize>, Vec<usize>) {
    let (mut of, mut edges, mut sum) = (Vec::new(), Vec::new(), 0.0);
    for (k, mass) in masses.iter().enumerate() {
        of.push(edges.len());
        sum += mass;
        let last = k + 1 == masses.len();
        if last || (edges.len() + 1 < groups && sum >= (edges.len() + 1) as f64 / groups as f64) {
            edges.push(k + 1);
        }
    }
    (of, edges)
}

/// f(θ) = ½(θ−c)ᵀ(a·I + b·vvᵀ)(θ−c): a normal law with one direction that differs from the others.
#[derive(Clone)]
pub struct Quadratic {
    pub centre: Vec<f64>,
    pub base: f64,
    pub spike: f64,
    pub direction: Vec<f64>,
}

impl Quadratic {
    pub fn new(centre: &[f64], base: f64, spike: f64, direction: &[f64]) -> Self {
        assert_eq!(centre.len(), direction.len());
        Self { centre: centre.to_vec(), base, spike, direction: direction.to_vec() }
    }

    /// m and L: a ≤ Hessian ≤ a + b‖v‖². (In one dimension the first is not attained, and still true.)
    pub fn curvature(&self) -> (f64, f64) {
        let squares: f64 = self.direction.iter().map(|v| v * v).sum();
        (self.base, self.base + self.spike * squares)
    }

    /// The covariance of the law on the whole space: (I − b·vvᵀ/(a + b‖v‖²))/a.
    pub fn covariance(&self, j: usize, k: usize) -> f64 {
        let identity = f64::from(u8::from(j == k));
        let spike = self.spike * self.direction[j] * self.direction[k] / self.curvature().1;
        (identity - spike) / self.base
    }
}

impl Potential for Quadratic {
    fn dimension(&self) -> usize {
        self.centre.len()
    }

    fn value_and_gradient(&mut self, theta: &[f64], gradient: &mut [f64]) -> f64 {
        let offset = |j: usize| theta[j] - self.centre[j];
        let along: f64 = (0..theta.len()).map(|j| self.direction[j] * offset(j)).sum();
        for (j, g) in gradient.iter_mut().enumerate() {
            *g = self.base * offset(j) + self.spike * along * self.direction[j];
        }
        (0..theta.len()).map(|j| 0.5 * offset(j) * gradient[j]).sum()
    }

    fn divergence(&mut self, _: &[f64], moved: &[f64]) -> f64 {
        let along: f64 = self.direction.iter().zip(moved).map(|(v, x)| v * x).sum();
        0.5 * (self.base * moved.iter().map(|x| x * x).sum::<f64>() + self.spike * along * along)
    }
}

/// `f(θ) = γ(Σ_i ln(1 + e^(−⟨z_i, θ⟩)) + (Λ/2)‖θ‖²)`, where `z_i` is the label times the row.
#[derive(Clone)]
pub struct LogisticPosterior {
    pub records: Vec<Vec<f64>>,
    pub inverse_temperature: f64,
    pub regulariser: f64,
}

impl LogisticPosterior {
    pub fn new(records: &[&[f64]], inverse_temperature: f64, regulariser: f64) -> Self {
        let records = records.iter().map(|record| record.to_vec()).collect();
        Self { records, inverse_temperature, regulariser }
    }

    /// `m = γΛ` and `L = γ(Λ + ¼Σ‖z_i‖²)`.
    pub fn curvature(&self) -> (f64, f64) {
        let squares: f64 = self.records.iter().flatten().map(|z| z * z).sum();
        let scaled = |x: f64| self.inverse_temperature * x;
        (scaled(self.regulariser), scaled(self.regulariser + squares / 4.0))
    }
}

/// The curvature of a reference potential holds everywhere, so on every ball.
pub fn on_ball((m, l): (f64, f64)) -> OnBall {
    OnBall::new(m, l).unwrap()
}

pub fn everywhere((m, l): (f64, f64)) -> Everywhere {
    Everywhere::new(m, l).unwrap()
}

impl Potential for LogisticPosterior {
    fn dimension(&self) -> usize {
        self.records[0].len()
    }

    fn value_and_gradient(&mut self, theta: &[f64], gradient: &mut [f64]) -> f64 {
        let mut value = 0.0;
        for (g, x) in gradient.iter_mut().zip(theta) {
            *g = self.regulariser * x;
            value += 0.5 * self.regulariser * x * x;
        }
        for record in &self.records {
            let margin: f64 = record.iter().zip(theta).map(|(z, x)| z * x).sum();
            value += (-margin).max(0.0) + (-margin.abs()).exp().ln_1p();
            let slope = -1.0 / (1.0 + margin.exp());
            gradient.iter_mut().zip(record).for_each(|(g, z)| *g += slope * z);
        }
        for g in gradient.iter_mut() {
            *g *= self.inverse_temperature;
        }
        self.inverse_temperature * value
    }

    /// `ln(1 + e^(−z−t)) − ln(1 + e^(−z)) + σ(−z)t` is `ln(1 + σ(−z)(e^(−t) − 1)) + σ(−z)t`.
    fn divergence(&mut self, anchor: &[f64], moved: &[f64]) -> f64 {
        let square: f64 = moved.iter().map(|v| v * v).sum();
        let dot = |record: &[f64], x: &[f64]| record.iter().zip(x).map(|(z, x)| z * x).sum::<f64>();
        let of_record = |record: &Vec<f64>| {
            let (slope, t) = (1.0 / (1.0 + dot(record, anchor).exp()), dot(record, moved));
            (slope * (-t).exp_m1()).ln_1p() + slope * t
        };
        let losses: f64 = self.records.iter().map(of_record).sum();
        self.inverse_temperature * (losses + 0.5 * self.regulariser * square)
    }
}
