//! Attacks on the written lemmas of `own:rounding`, `lem:GDP_Post_Sam` and `lem:concentration_supp_MALA`, on the line.
//!
//! The strongly log-concave laws have a kink, a slope and two ends, and masses in closed form; a wrong density is
//! constant on cells. So quantiles are exact up to the error function, and a distance that is found is a lower bound of
//! W∞: nothing is estimated and nothing needs a tolerance for a grid (but `lem:GDP_Post_Sam`, which says how much).
//! Each test also shows that a smaller constant would be refuted.
#![allow(clippy::unwrap_used, missing_docs)]

use asap_dp::calibrate::{GrowingError, density_charge, growing_density_charge};
use asap_dp::noise::{RandomBits, ReplayRng};

/// Standard normal mass of an interval, with relative accuracy in both tails.
fn normal_mass(low: f64, high: f64) -> f64 {
    let below = |x: f64| 0.5 * libm::erfc(-x * core::f64::consts::FRAC_1_SQRT_2);
    if high <= low {
        0.0
    } else if low > 0.0 {
        below(-low) - below(-high)
    } else {
        below(high) - below(low)
    }
}

fn uniform(rng: &mut ReplayRng, low: f64, high: f64) -> f64 {
    low + (high - low) * ((rng.next_u64() >> 11) as f64 * 2f64.powi(-53))
}

/// The law ∝ exp(−x²/2 − slope·x − kink·|x − at|) on an interval: 1-strongly log-concave for every kink ≥ 0.
#[derive(Clone, Copy)]
struct Law {
    low: f64,
    high: f64,
    slope: f64,
    kink: f64,
    at: f64,
}

const NORMAL: Law = Law { low: -9.0, high: 9.0, slope: 0.0, kink: 0.0, at: 0.0 };

impl Law {
    /// The normal law every third time, else anything.
    fn any(rng: &mut ReplayRng) -> Self {
        let (low, high) = (uniform(rng, -6.0, 0.5), uniform(rng, 0.6, 6.0));
        let (kink, at) = (uniform(rng, 0.0, 2.0), uniform(rng, -1.5, 1.5));
        if rng.next_u64().is_multiple_of(3) { NORMAL } else { Self { low, high, slope: 0.0, kink, at } }
    }

    /// Mass of an interval, not normalised: on either side of the kink the square is completed.
    fn mass(&self, low: f64, high: f64) -> f64 {
        let (low, high) = (low.max(self.low), high.min(self.high));
        let [left, right] = [self.slope - self.kink, self.slope + self.kink];
        let weight = |shift: f64, kink: f64| (0.5 * shift * shift + kink * self.at).exp();
        weight(left, -self.kink) * normal_mass(low + left, high.min(self.at) + left)
            + weight(right, self.kink) * normal_mass(low.max(self.at) + right, high + right)
    }

    fn total(&self) -> f64 {
        self.mass(self.low, self.high)
    }

    /// The point with this share of the mass below (and above) it; the smaller one is used.
    fn quantile(&self, below: f64, above: f64) -> f64 {
        let total = self.total();
        let (mut low, mut high) = (self.low, self.high);
        for _ in 0..54 {
            let x = f64::midpoint(low, high);
            let is_left = if below <= above {
                self.mass(self.low, x) < below * total
            } else {
                self.mass(x, self.high) > above * total
            };
            if is_left { low = x } else { high = x }
        }
        f64::midpoint(low, high)
    }

    /// An upper bound of the mean and of the median of |x − anchor|: a Riemann sum of a decreasing tail.
    fn mean_distance(&self, anchor: f64) -> f64 {
        let tail = |s: f64| 1.0 - self.mass(anchor - s, anchor + s) / self.total();
        let (step, reach) = (0.01, self.reach(anchor));
        let count = (0..10_000).take_while(|k| f64::from(*k) * step < reach).count();
        let mean: f64 = (0..count).map(|k| tail(k as f64 * step) * step).sum();
        let median = (0..count).find(|k| tail(*k as f64 * step) <= 0.5).unwrap_or(count) as f64 * step;
        mean.max(median)
    }

    fn reach(&self, anchor: f64) -> f64 {
        (anchor - self.low).abs().max((self.high - anchor).abs())
    }

    /// Cells between sorted random points.
    fn cells(&self, rng: &mut ReplayRng, count: usize) -> Vec<[f64; 2]> {
        let mut cuts = vec![self.low, self.high];
        cuts.extend((1..count).map(|_| uniform(rng, self.low, self.high)));
        cuts.sort_by(f64::total_cmp);
        cuts.windows(2).map(|pair| [pair[0], pair[1]]).collect()
    }
}

/// Lower bound of W∞ between a law and its density times a factor on each cell: distances of
/// equal quantiles at the cuts.
fn distance(law: &Law, cells: &[[f64; 2]], factors: &[f64]) -> f64 {
    let masses: Vec<f64> =
        cells.iter().zip(factors).map(|([low, high], factor)| factor * law.mass(*low, *high)).collect();
    let total: f64 = masses.iter().sum();
    let mut above: Vec<f64> = masses
        .iter()
        .rev()
        .scan(0.0, |sum, mass| {
            *sum += mass;
            Some(*sum)
        })
        .collect();
    above.reverse();
    above.push(0.0);
    let (mut below, mut worst) = (0.0, 0.0_f64);
    for (k, [low, high]) in cells.iter().enumerate() {
        // At an end of the support there is no quantile to compare with.
        if below > 0.0 && above[k] > 0.0 {
            worst = worst.max((low - law.quantile(below / total, above[k] / total)).abs());
        }
        below += masses[k];
        if below > 0.0 && above[k + 1] > 0.0 {
            worst = worst.max((high - law.quantile(below / total, above[k + 1] / total)).abs());
        }
    }
    worst
}

/// Signs or shares in [−1, 1] for every cell: a step, a window, signs, anything.
fn pattern(rng: &mut ReplayRng, law: &Law, cells: &[[f64; 2]]) -> Vec<f64> {
    let kind = rng.next_u64() % 4;
    let [one, two] = [0, 1].map(|_| uniform(rng, 0.02, 0.98)).map(|share| law.quantile(share, 1.0 - share));
    cells
        .iter()
        .map(|[low, high]| {
            let x = f64::midpoint(*low, *high);
            let sign = |inside: bool| if inside { 1.0 } else { -1.0 };
            match kind {
                0 => sign(x < one),
                1 => sign((x - one) * (x - two) < 0.0),
                2 => sign(rng.next_u64().is_multiple_of(2)),
                _ => uniform(rng, -1.0, 1.0),
            }
        })
        .collect()
}

const ATTACKS: usize = 3000;

/// Lemmas A and A′. Asks: is a density within e^±a, of mean 1, or a density times e^±a and normalised, ever
/// farther away than `density_charge`? It is not; a half-line of half the mass reaches the bound, so 0.999 of
/// the constant is refuted.
#[test]
fn a_density_within_a_factor_is_as_close_as_lemma_a_says() {
    let mut rng = ReplayRng::new(1100);
    let (mut largest, mut prime) = (0.0_f64, 0.0_f64);
    for _ in 0..ATTACKS {
        let law = Law::any(&mut rng);
        let a = 0.25 * 10f64.powf(uniform(&mut rng, -4.0, 0.0));
        let cells = law.cells(&mut rng, 24);
        let shares = pattern(&mut rng, &law, &cells);
        let mean =
            cells.iter().zip(&shares).map(|([low, high], share)| share * law.mass(*low, *high)).sum::<f64>()
                / law.total();
        // The largest multiple of the pattern that stays within the two factors.
        let scale = shares.iter().map(|share| share - mean).fold(f64::INFINITY, |scale, x| {
            scale.min(if x > 0.0 { a.exp_m1() / x } else { (-a).exp_m1() / x.min(-1e-300) })
        });
        let factors: Vec<f64> = shares.iter().map(|share| 1.0 + scale * (share - mean)).collect();
        largest = largest.max(distance(&law, &cells, &factors) / density_charge(a, 1.0).unwrap());
        // Lemma A′: the same exponent, before the density is normalised.
        let factors: Vec<f64> = shares.iter().map(|share| (a * share).exp()).collect();
        prime = prime.max(distance(&law, &cells, &factors) / density_charge(a, 1.0).unwrap());
    }
    // And the extreme one.
    let factors = [0.01_f64.exp(), 2.0 - 0.01_f64.exp()];
    let half = distance(&NORMAL, &[[-9.0, 0.0], [0.0, 9.0]], &factors) / density_charge(0.01, 1.0).unwrap();
    println!("Lemma A: attacks reach {largest}, the half-line {half}; Lemma A′: {prime}");
    assert!(largest <= 1.0 && prime <= 1.0 && half <= 1.0 + 1e-9);
    assert!(largest > 0.95 && prime > 0.95 && half > 0.999, "a smaller constant is not refuted");
}

/// What an attack on Lemma B found, over the bound and over three bounds that forget something.
struct Growing {
    bound: f64,
    without_slope: f64,
    without_constant: f64,
    without_curvature: f64,
}

/// One random attack on Lemma B. The precision λ is a power of 4; the law above is in its units.
fn growing_attack(rng: &mut ReplayRng) -> Growing {
    let law = Law::any(rng);
    let anchor = uniform(rng, -3.0, 3.0);
    let [a, b, c] = [0, 1, 2].map(|part| {
        let size = 10f64.powf(uniform(rng, -5.0, if part == 2 { -2.8 } else { -1.7 }));
        if rng.next_u64().is_multiple_of(2) { size } else { 0.0 }
    });
    let cells = law.cells(rng, 60);
    let factors: Vec<f64> = pattern(rng, &law, &cells)
        .into_iter()
        .zip(&cells)
        .map(|(share, [low, high])| {
            // The bound holds on the whole cell.
            let nearest = (low - anchor).max(anchor - high).max(0.0);
            (share * (a + b * nearest + c * nearest * nearest)).exp()
        })
        .collect();
    let root = 2f64.powi(i32::try_from(rng.next_u64() % 9).unwrap() - 4);
    let found = distance(&law, &cells, &factors) / root;
    let (mean, reach) = (law.mean_distance(anchor) / root, law.reach(anchor) / root);
    let ratio = |a: f64, b: f64, c: f64| {
        let error = GrowingError {
            constant: a,
            slope: b * root,
            curvature: c * root * root,
            mean_distance: mean,
            reach,
            strong_convexity: root * root,
        };
        let bound = growing_density_charge(&error).unwrap();
        if bound > 0.0 { found / bound } else { 0.0 }
    };
    Growing {
        bound: ratio(a, b, c),
        without_slope: ratio(a, 0.0, c),
        without_constant: ratio(0.0, b, c),
        without_curvature: ratio(a, b, 0.0),
    }
}

/// Lemma B. Asks: is a density wrong by e^±(a + bρ + cρ²) ever farther away than `growing_density_charge`? It is not;
/// the attacks reach 0.61 of it (some is given away where the normalisation is bounded), so 0.6 of the constant is
/// refuted, and so is each bound that forgets one of a, b, c.
#[test]
fn an_error_that_grows_with_the_distance_costs_what_lemma_b_says() {
    let mut rng = ReplayRng::new(1101);
    let mut largest =
        Growing { bound: 0.0, without_slope: 0.0, without_constant: 0.0, without_curvature: 0.0 };
    for _ in 0..ATTACKS {
        let attack = growing_attack(&mut rng);
        largest.bound = largest.bound.max(attack.bound);
        largest.without_slope = largest.without_slope.max(attack.without_slope);
        largest.without_constant = largest.without_constant.max(attack.without_constant);
        largest.without_curvature = largest.without_curvature.max(attack.without_curvature);
    }
    let Growing { bound, without_slope, without_constant, without_curvature } = largest;
    println!(
        "Lemma B: {bound}; without b {without_slope}, without a {without_constant}, without c {without_curvature}"
    );
    assert!(bound <= 1.0, "{bound}");
    assert!(bound > 0.6, "the bound is idle: {bound}");
    assert!(without_slope > 1.0 && without_constant > 1.0 && without_curvature > 1.0);
}

/// The page's charge for a blurred edge (own:rounding): 2δ, and Lemma A with the exponent 2δ·Lip + d·2δ/(B − 2δ), which
/// is not below 2δ·Lip − d·ln(1 − 2δ/B).
fn edge_charge(lipschitz: f64, radius: f64, slack: f64, dimension: f64) -> f64 {
    let exponent = 2.0 * slack * (lipschitz + dimension / (radius - 2.0 * slack));
    2.0 * slack + density_charge(exponent, 1.0).unwrap()
}

/// The edge. Asks: if points of the outer shell of thickness 2δ are accepted or not as an adversary likes, is the law
/// ever farther away than `edge_charge`? It is not; the term 2δ is reached, so 1.9δ is refuted.
#[test]
fn an_edge_that_is_blurred_costs_what_the_page_says() {
    let mut rng = ReplayRng::new(1102);
    let (mut largest, mut against_half) = (0.0_f64, 0.0_f64);
    for _ in 0..ATTACKS {
        let radius = uniform(&mut rng, 0.3, 5.0);
        let (kink, at) = (uniform(&mut rng, 0.0, 2.0), uniform(&mut rng, -1.5, 1.5));
        let law = Law { low: -radius, high: radius, slope: uniform(&mut rng, -4.0, 4.0), kink, at };
        let slack = radius * 10f64.powf(uniform(&mut rng, -6.0, -3.0));
        let inner = radius - 2.0 * slack;
        // Five cells in each shell, the ball between them in one.
        let mut cuts = vec![-radius, -inner, inner, radius];
        for _ in 0..4 {
            cuts.push(uniform(&mut rng, inner, radius));
            cuts.push(-uniform(&mut rng, inner, radius));
        }
        cuts.sort_by(f64::total_cmp);
        let cells: Vec<_> = cuts.windows(2).map(|pair| [pair[0], pair[1]]).collect();
        let kind = rng.next_u64() % 3;
        let factors: Vec<f64> = (0..cells.len())
            .map(|k| match (k == 5, kind) {
                (true, _) => 1.0,
                (_, 0) => uniform(&mut rng, 0.0, 1.0),
                (_, 1) => f64::from(u8::from(k > 5)),
                _ => f64::from(u8::from(rng.next_u64().is_multiple_of(2))),
            })
            .collect();
        let lipschitz = radius + law.slope.abs() + law.kink;
        let found = distance(&law, &cells, &factors);
        largest = largest.max(found / edge_charge(lipschitz, radius, slack, 1.0));
        against_half = against_half.max(found / slack);
    }
    println!("edge: {largest}; in units of the slack {against_half}");
    assert!(largest <= 1.0 && against_half > 1.9, "{largest} {against_half}");
}

/// The edge in eleven dimensions: N(0, I) in a ball, and the outer shell is turned away where x₁ < 0. That half loses
/// mass, and as the density of x₁ is largest at 0, the quantile of x₁ moves by at least (lost share)/(density at 0).
/// Asks: is this within `edge_charge`? It is, and it is more than 2δ: a charge without the exponent is refuted.
#[test]
fn a_shell_that_is_missing_on_one_side_moves_the_middle_by_more_than_its_thickness() {
    let (dimension, radius, slack) = (11, 1.5, 1e-5);
    // ∫ u^power·e^(−u²/2) over an interval, by the midpoint rule.
    let moment = |power: i32, low: f64, high: f64| -> f64 {
        let step = (high - low) / 20_000.0;
        (0..20_000)
            .map(|k| low + (f64::from(k) + 0.5) * step)
            .map(|u| u.powi(power) * (-0.5 * u * u).exp() * step)
            .sum()
    };
    let shell = moment(dimension - 1, radius - 2.0 * slack, radius) / moment(dimension - 1, 0.0, radius);
    let lost = 0.5 - (0.5 - 0.5 * shell) / (1.0 - 0.5 * shell);
    // The law of x₁ has the density e^(−t²/2)·∫_0^√(B²−t²) u^(d−2)e^(−u²/2)du, up to a factor.
    let across = |t: f64| (-0.5 * t * t).exp() * moment(dimension - 2, 0.0, (radius * radius - t * t).sqrt());
    let step = radius / 500.0;
    let total: f64 = (0..500).map(|k| 2.0 * step * across((f64::from(k) + 0.5) * step)).sum();
    let moved = lost * total / across(0.0);
    let charge = edge_charge(radius, radius, slack, 11.0);
    println!("eleven dimensions: {} of the charge, {} of 2δ", moved / charge, moved / (2.0 * slack));
    assert!(moved <= charge && moved > 3.0 * slack, "{moved} {charge}");
}

/// A wrong gradient in the mean of a proposal. Asks: does the tilt e^(−δx) move a law with λ = 1 by more than δ? It
/// does not, the normal law is moved by δ, so 0.95δ is refuted.
#[test]
fn a_tilt_moves_a_law_by_at_most_its_slope_over_the_curvature() {
    let mut rng = ReplayRng::new(1103);
    let mut largest = 0.0_f64;
    for _ in 0..ATTACKS / 3 {
        let law = Law::any(&mut rng);
        let tilt = uniform(&mut rng, -1.0, 1.0);
        let tilted = Law { slope: tilt, ..law };
        for k in 1..20 {
            let share = f64::from(k) / 20.0;
            let moved = law.quantile(share, 1.0 - share) - tilted.quantile(share, 1.0 - share);
            largest = largest.max((moved / tilt).abs());
        }
    }
    println!("tilt: {largest}");
    assert!(largest <= 1.0 + 1e-9 && largest > 0.95, "{largest}");
}

/// Accumulation. For a normal target the proximal step is x ↦ x/(1+mη) + noise, and an error e in every step in the
/// same direction moves the mean by what the recursion gives: asks whether e(1 + 1/(mη)) covers it. It does, and e/(mη)
/// alone does not. The same with an error of the gradient: e = δ/(m + 1/η) ends at δ/m.
#[test]
fn errors_of_every_step_reach_the_accumulated_bound_and_not_more() {
    for (m, step) in [(1.0, 0.001), (0.5, 0.1), (2.0, 1.0), (3.0, 1000.0)] {
        let moved = |error: f64| (0..60_000).fold(0.0, |shift, _| shift / (1.0 + m * step) + error);
        let bound = 1e-9 * (1.0 + 1.0 / (m * step));
        assert!(moved(1e-9) <= bound * (1.0 + 1e-12) && moved(1e-9) >= bound * (1.0 - 1e-9));
        assert!(moved(1e-9) > 1.000_5 * 1e-9 / (m * step), "the first error is forgotten");
        let gradient = 1e-6;
        assert!((moved(gradient / (m + 1.0 / step)) * m / gradient - 1.0).abs() < 1e-9);
    }
}

/// A Lipschitz function with random slopes in [−L, L] between random points, or a line.
fn lipschitz_values(rng: &mut ReplayRng, law: &Law, points: &[f64], constant: f64, linear: bool) -> Vec<f64> {
    let cuts = law.cells(rng, 8);
    let slopes: Vec<f64> = cuts
        .iter()
        .map(|_| if linear { constant } else { uniform(rng, -1.0, 1.0).signum() * constant })
        .collect();
    let value = |x: f64| -> f64 {
        cuts.iter().zip(&slopes).map(|([low, high], slope)| slope * (x.min(*high) - low).max(0.0)).sum()
    };
    points.iter().map(|x| value(*x)).collect()
}

/// The largest of Φ⁻¹(power) − Φ⁻¹(size) over the tests {h ≤ t} of sizes from 10⁻⁶: the μ that (P, P·e^(−h)) has.
fn separation(law: &Law, h: &[f64], cells: &[[f64; 2]]) -> f64 {
    let mut order: Vec<(f64, f64)> =
        h.iter().zip(cells).map(|(h, [low, high])| (*h, law.mass(*low, *high) / law.total())).collect();
    order.sort_by(|one, other| one.0.total_cmp(&other.0));
    let z: f64 = order.iter().map(|(h, p)| p * (-h).exp()).sum();
    let (mut size, mut power, mut worst) = (0.0, 0.0, 0.0_f64);
    for (k, (h, p)) in order.iter().enumerate() {
        size += p;
        power += p * (-h).exp() / z;
        if k % 40 == 0 && size > 1e-6 && power < 1.0 - 1e-6 {
            worst = worst.max(NORMAL.quantile(power, 1.0 - power) - NORMAL.quantile(size, 1.0 - size));
        }
    }
    worst
}

/// lem:GDP_Post_Sam. Asks: is a 1-strongly log-concave law, against itself times e^(−h) with h μ-Lipschitz, ever easier
/// to tell apart than two normal laws at distance μ? The optimal tests are the level sets of h, for both directions.
/// With 4000 cells the quadrature errs by less than 0.2 %. It is not; a line on the normal law reaches μ, so 0.95μ is
/// refuted, and a slope 10 % larger than declared is caught.
#[test]
fn a_posterior_and_its_neighbour_are_no_easier_to_tell_apart_than_two_normal_laws() {
    let mut rng = ReplayRng::new(1104);
    let mut attack = |law: &Law, mu: f64, linear: bool| {
        let width = (law.high - law.low) / 4000.0;
        let ends = |k: u32| [law.low + f64::from(k) * width, law.low + f64::from(k + 1) * width];
        let cells: Vec<[f64; 2]> = (0..4000).map(ends).collect();
        let middles: Vec<f64> = cells.iter().map(|[low, high]| f64::midpoint(*low, *high)).collect();
        let h = lipschitz_values(&mut rng, law, &middles, mu, linear);
        separation(law, &h, &cells) / mu
    };
    let mut laws = ReplayRng::new(1105);
    let mut largest = 0.0_f64;
    for _ in 0..300 {
        let (law, mu) = (Law::any(&mut laws), uniform(&mut laws, 0.2, 2.0));
        largest = largest.max(attack(&law, mu, false));
    }
    let line = attack(&NORMAL, 1.0, true);
    println!("GDP: random h {largest}, a line {line}");
    assert!(largest <= 1.002 && line <= 1.002, "{largest} {line}");
    assert!(line > 0.998 && attack(&NORMAL, 1.1, true) * 1.1 > 1.09, "the constant is not reached");
}

/// lem:concentration_supp_MALA. Asks for the sub-Gaussian parameter of a 1-strongly log-concave law: ln E
/// e^(v(X−EX)) ≤ σ²v²/2 holds with σ² = 1 and, for the normal law, fails with the printed ½. Then the printed tail
/// 2e^(−s²/(8d)): it does not follow (with the right parameter it is 16d, and the count of restarts no longer closes),
/// but the sharper bound implies it.
#[test]
fn the_sub_gaussian_parameter_is_the_inverse_curvature_and_not_half_of_it() {
    let mut rng = ReplayRng::new(1106);
    let mut largest = 0.0_f64;
    for _ in 0..1000 {
        let (law, v) = (Law::any(&mut rng), uniform(&mut rng, 0.3, 2.0));
        let ln_total = |slope: f64| Law { slope, ..law }.total().ln();
        let mean = (ln_total(-1e-4) - ln_total(1e-4)) / 2e-4;
        for v in [v, -v] {
            largest = largest.max((ln_total(-v) - ln_total(0.0) - v * mean) / (0.5 * v * v));
        }
    }
    println!("sub-Gaussian parameter: {largest}");
    assert!(largest <= 1.0 + 1e-6 && largest > 0.999, "{largest}");
    let use_of_it = |eight: f64| 2.0 * f64::exp(-16.0 / eight);
    assert!(use_of_it(8.0) < (-1f64).exp() && use_of_it(16.0) > (-1f64).exp());
    for d in [1.0, 2.0, 4.0, 11.0, 1000.0] {
        for k in 0..4000 {
            let s = f64::from(k) * 0.01 * f64::sqrt(d);
            let sharp = (-0.5 * (s - d.sqrt()).max(0.0).powi(2)).exp();
            assert!(sharp <= 2.0 * (-s * s / (8.0 * d)).exp());
        }
    }
}
