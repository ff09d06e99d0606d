//! The normal law in a ball against quadrature, from the centre to many standard deviations outside, for balls that are
//! flat on its scale (λB² ≥ d²).
//!
//! H0 of every statistical test: the draws are independent with the law of the reference. n = 20000 draws per
//! case; false alarm ≤ 10⁻⁶ per statistic (see `reference`), fixed seeds. About 5 s in all.
//!
//! A draw is seen through the coordinate s along the axis, the distance ρ from the axis, the distance r from the
//! centre, and the direction around the axis. The first two have densities that are one-dimensional integrals:
//! * s: e^(−λ(s−a)²/2)·P(χ²(d−1) ≤ λ(B² − s²));
//! * ρ: ρ^(d−2)·e^(−λρ²/2)·∫ over |s| ≤ √(B² − ρ²) of e^(−λ(s−a)²/2);
//! * r: r^(d−1)·e^(−λr²/2)·∫ over φ ∈ [0, π] of e^(λar·cos φ)·sin^(d−2) φ.
#![allow(clippy::unwrap_used, clippy::panic, clippy::float_cmp, missing_docs)]

use crate::reference::{LineLaw, Outcome, relative_entropy};
use asap_dp::ball::Ball;
use asap_dp::noise::{RandomBits, ReplayRng};
use asap_dp::sampler::normal_in_ball;
use quickcheck::quickcheck;
use statrs::function::gamma::{gamma_lr, ln_gamma};

const N: usize = 20_000;

/// A normal law with precision λ whose mean is at distance a from the centre of a ball of radius B.
#[derive(Clone, Copy, Debug)]
struct Case {
    dimension: usize,
    radius: f64,
    offset: f64,
    precision: f64,
}

impl Case {
    /// The radius is 2; everything else in standard deviations: B√λ, and by how much the mean is outside.
    fn new(dimension: usize, radius_in_deviations: f64, outside_by: f64) -> Self {
        let deviation = 2.0 / radius_in_deviations;
        Self { dimension, radius: 2.0, offset: 2.0 + outside_by * deviation, precision: deviation.powi(-2) }
    }

    /// A centre that is not the origin.
    fn ball(&self) -> Ball {
        Ball::new((0..self.dimension).map(|j| 0.3 - 0.2 * j as f64).collect(), self.radius).unwrap()
    }

    /// A direction that is no coordinate axis, except in one dimension.
    fn axis(&self) -> Vec<f64> {
        let axis: Vec<f64> = (0..self.dimension).map(|j| 1.0 - 0.7 * j as f64).collect();
        let length = axis.iter().map(|x| x * x).sum::<f64>().sqrt();
        axis.iter().map(|x| x / length).collect()
    }

    fn mean(&self) -> Vec<f64> {
        self.ball().centre().iter().zip(self.axis()).map(|(c, e)| c + self.offset * e).collect()
    }

    /// The point with coordinate s along the axis and coordinates w across.
    fn point(&self, s: f64, w: &[f64]) -> Vec<f64> {
        let axis = self.axis();
        let mut x: Vec<f64> = self.ball().centre().iter().zip(&axis).map(|(c, e)| c + s * e).collect();
        for (w, frame) in w.iter().zip(frame(&axis)) {
            x.iter_mut().zip(frame).for_each(|(x, q)| *x += w * q);
        }
        x
    }

    fn draw<R: RandomBits>(&self, rng: &mut R) -> Vec<f64> {
        normal_in_ball(&self.mean(), self.precision, &self.ball(), rng).unwrap()
    }

    fn sample(&self, seed: u64) -> Vec<Vec<f64>> {
        let mut rng = ReplayRng::new(seed);
        (0..N).map(|_| self.draw(&mut rng)).collect()
    }

    /// −λ(s − a)²/2 up to a constant, written so that a far mean costs no digits.
    fn ln_along(&self, s: f64) -> f64 {
        self.precision * self.offset * s - 0.5 * self.precision * s * s
    }

    fn axial_law(&self) -> LineLaw {
        let freedom = (self.dimension - 1) as f64;
        LineLaw::new(-self.radius, self.radius, |s| {
            let rest = self.precision * (self.radius * self.radius - s * s).max(0.0);
            let inside = if freedom == 0.0 { 0.0 } else { ln_gamma_lr(freedom / 2.0, rest / 2.0) };
            inside + self.ln_along(s)
        })
    }

    fn perpendicular_law(&self) -> LineLaw {
        LineLaw::new(0.0, self.radius, |rho| {
            let power = if self.dimension == 2 { 0.0 } else { (self.dimension - 2) as f64 * rho.ln() };
            power - 0.5 * self.precision * rho * rho + self.ln_chord(rho)
        })
    }

    /// The logarithm of the mass of the chord at distance ρ from the axis, by quadrature around its largest value.
    fn ln_chord(&self, rho: f64) -> f64 {
        let end = (self.radius * self.radius - rho * rho).max(1e-300).sqrt();
        let top = self.offset.min(end);
        let slope = self.precision * (self.offset - top);
        // Beyond this the integrand is below e^(−45) of its largest value.
        let reach = (45.0 / slope).min((90.0 / self.precision).sqrt());
        let (from, to) = ((top - reach).max(-end), (top + reach).min(end));
        let sum = panels(from, to, |s| (self.ln_along(s) - self.ln_along(top)).exp());
        self.ln_along(top) + sum.ln()
    }

    fn radial_law(&self) -> LineLaw {
        LineLaw::new(0.0, self.radius, |r| {
            let tilt = self.precision * self.offset * r;
            let widest = (1.0 - 45.0 / tilt).max(-1.0).acos();
            let power = (self.dimension - 2) as f64;
            let around = panels(0.0, widest, |phi| (tilt * (phi.cos() - 1.0)).exp() * phi.sin().powf(power));
            (power + 1.0) * r.ln() - 0.5 * self.precision * r * r + tilt + around.ln()
        })
    }

    /// All tests of a sample.
    fn tests(&self, sample: &[Vec<f64>]) -> Vec<(&'static str, Outcome)> {
        let (ball, axis) = (self.ball(), self.axis());
        let from_centre =
            |x: &[f64]| -> Vec<f64> { x.iter().zip(ball.centre()).map(|(x, c)| x - c).collect() };
        let along = |x: &[f64]| -> f64 { from_centre(x).iter().zip(&axis).map(|(x, e)| x * e).sum() };
        let across = |x: &[f64]| -> Vec<f64> {
            let s = along(x);
            from_centre(x).iter().zip(&axis).map(|(x, e)| x - s * e).collect()
        };
        let length = |x: &[f64]| x.iter().map(|x| x * x).sum::<f64>().sqrt();
        let seen = |look: &dyn Fn(&[f64]) -> f64| -> Vec<f64> { sample.iter().map(|x| look(x)).collect() };
        let mut outcomes = vec![("s", self.axial_law().test(&seen(&along)))];
        if self.dimension > 1 {
            outcomes.push(("ρ", self.perpendicular_law().test(&seen(&|x| length(&across(x))))));
        }
        if (2..10).contains(&self.dimension) {
            outcomes.push(("r", self.radial_law().test(&seen(&|x| length(&from_centre(x))))));
        }
        if self.dimension == 2 {
            let left = sample.iter().filter(|x| across(x)[0] > 0.0).count() as u64;
            outcomes.push(("side", relative_entropy(&[left, N as u64 - left], &[0.5, 0.5])));
        }
        if self.dimension == 5 {
            // One coordinate of a uniform direction in four dimensions: density ∝ √(1 − t²). The coordinate is
            // along a unit vector perpendicular to the axis.
            let probe = across(
                &ball.centre().iter().enumerate().map(|(j, c)| c + (j * j) as f64).collect::<Vec<_>>(),
            );
            let cosine = |x: &[f64]| {
                let w = across(x);
                w.iter().zip(&probe).map(|(w, q)| w * q).sum::<f64>() / (length(&w) * length(&probe))
            };
            let law = LineLaw::new(-1.0, 1.0, |t| 0.5 * (1.0 - t * t).ln());
            outcomes.push(("direction", law.test(&seen(&cosine))));
        }
        outcomes
    }
}

/// ln P(a, x), the regularised lower incomplete gamma function, also where it underflows:
/// P(a, x) = x^a·e^(−x)/Γ(a + 1)·(1 + x/(a+1) + x²/((a+1)(a+2)) + …).
fn ln_gamma_lr(a: f64, x: f64) -> f64 {
    if x > a + 1.0 {
        return gamma_lr(a, x).ln();
    }
    let (mut sum, mut term, mut k) = (1.0, 1.0, a);
    while term > 1e-17 * sum {
        k += 1.0;
        term *= x / k;
        sum += term;
    }
    a * x.ln() - x - ln_gamma(a + 1.0) + sum.ln()
}

/// A quadrature with 40 panels.
fn panels(from: f64, to: f64, density: impl Fn(f64) -> f64) -> f64 {
    let width = (to - from) / 40.0;
    (0..40)
        .map(|k| {
            crate::reference::gauss(from + width * f64::from(k), from + width * f64::from(k + 1), &density)
        })
        .sum()
}

/// By how many standard deviations the mean is outside: inside, near the edge, on the boundary, and out.
const OUTSIDE: [f64; 8] = [-0.9, -0.1, 0.0, 0.1, 1.0, 10.0, 40.0, 100.0];

fn accept_all(dimension: usize) {
    for (k, outside_by) in OUTSIDE.into_iter().enumerate() {
        // A ball as small as it may be, of four times that, and of fifty.
        for (j, radius) in [1.0, 4.0, 50.0].into_iter().enumerate() {
            let case = Case::new(dimension, dimension as f64 * radius, outside_by);
            let sample = case.sample(1000 * dimension as u64 + 10 * k as u64 + j as u64);
            assert!(sample.iter().all(|x| case.ball().contains(x)));
            for (name, outcome) in case.tests(&sample) {
                assert!(outcome.accepted(), "{name} of {case:?}: {outcome:?}");
            }
        }
    }
}

#[test]
fn one_dimension_agrees_with_quadrature() {
    accept_all(1);
}

#[test]
fn two_dimensions_agree_with_quadrature() {
    accept_all(2);
}

#[test]
fn five_dimensions_agree_with_quadrature() {
    accept_all(5);
}

#[test]
fn the_mean_at_the_centre_and_deep_inside() {
    for dimension in [1_u32, 2, 5] {
        // λB² = d², 4d², 400d²; the mean at the centre and half-way.
        for (k, (offset, flatness)) in
            [(0.0, 1.0), (0.0, 4.0), (0.0, 400.0), (1.0, 1.0), (1.0, 30.0)].into_iter().enumerate()
        {
            let precision = flatness * f64::from(dimension * dimension) / 4.0;
            let case = Case { dimension: dimension as usize, radius: 2.0, offset, precision };
            for (name, outcome) in case.tests(&case.sample(50 + 10 * u64::from(dimension) + k as u64)) {
                assert!(outcome.accepted(), "{name} of {case:?}: {outcome:?}");
            }
        }
    }
}

#[test]
fn a_hundred_dimensions_agree() {
    // λB² = d², where every bound is tight.
    for (radius, outside_by) in [(100.0, -20.0), (100.0, 0.0), (100.0, 1.0), (100.0, 8.0), (400.0, 8.0)] {
        let case = Case::new(100, radius, outside_by);
        let mut rng = ReplayRng::new(77);
        let sample: Vec<Vec<f64>> = (0..2000).map(|_| case.draw(&mut rng)).collect();
        for (name, outcome) in case.tests(&sample) {
            assert!(outcome.accepted(), "{name} of {case:?}: {outcome:?}");
        }
    }
}

/// Some statistic rejects the sample, in some of the cases.
fn is_rejected(cases: &[Case], draw: impl Fn(&Case, &mut ReplayRng) -> Vec<f64>) -> bool {
    cases.iter().any(|case| {
        let mut rng = ReplayRng::new(4);
        let sample: Vec<Vec<f64>> = (0..N).map(|_| draw(case, &mut rng)).collect();
        case.tests(&sample).iter().any(|(_, outcome)| !outcome.accepted())
    })
}

/// Box and Muller.
fn normal(rng: &mut ReplayRng) -> f64 {
    let mut uniform = || ((rng.next_u64() >> 12) as f64 + 0.5) * f64::EPSILON;
    (-2.0 * uniform().ln()).sqrt() * (2.0 * core::f64::consts::PI * uniform()).cos()
}

/// A draw from the normal law on the whole space.
fn anywhere(case: &Case, rng: &mut ReplayRng) -> Vec<f64> {
    case.mean().iter().map(|c| c + normal(rng) / case.precision.sqrt()).collect()
}

/// The library's own way with one thing left out: the depth t by plain rejection, w normal, and then …
fn by_depth(case: &Case, fault: Fault, rng: &mut ReplayRng) -> Vec<f64> {
    let deviation = case.precision.sqrt().recip();
    let outside = case.offset - case.radius;
    loop {
        let t = normal(rng) * deviation - outside;
        let w: Vec<f64> = (1..case.dimension).map(|_| normal(rng) * deviation).collect();
        let square: f64 = w.iter().map(|w| w * w).sum();
        let inside = match fault {
            Fault::None => t >= 0.0 && t * (2.0 * case.radius - t) >= square,
            Fault::HalfSpace => t >= 0.0,
            // As if the sphere were a paraboloid of half its curvature.
            Fault::Flat => t >= 0.0 && 4.0 * case.radius * t >= square,
        };
        if inside {
            return case.point(case.radius - t, &w);
        }
    }
}

#[derive(Clone, Copy, PartialEq)]
enum Fault {
    None,
    /// The tangent half-space instead of the ball.
    HalfSpace,
    /// Another curvature of the edge.
    Flat,
}

/// Orthonormal vectors perpendicular to a unit vector (Gram–Schmidt).
fn frame(axis: &[f64]) -> Vec<Vec<f64>> {
    let mut frame = vec![axis.to_vec()];
    for j in 0..axis.len() - 1 {
        let mut q: Vec<f64> = (0..axis.len()).map(|k| f64::from(u8::from(j == k))).collect();
        for other in &frame {
            let along: f64 = q.iter().zip(other).map(|(x, y)| x * y).sum();
            q.iter_mut().zip(other).for_each(|(x, y)| *x -= along * y);
        }
        let length = q.iter().map(|x| x * x).sum::<f64>().sqrt();
        frame.push(q.iter().map(|x| x / length).collect());
    }
    frame.split_off(1)
}

/// Small balls, with the mean near the edge: most is cut off.
fn hard_cases(dimension: usize) -> Vec<Case> {
    [(1.0, 0.1), (2.0, 1.0)]
        .map(|(radius, outside)| Case::new(dimension, dimension as f64 * radius, outside))
        .to_vec()
}

#[test]
fn the_tests_accept_another_right_algorithm_and_reject_wrong_ones() {
    for dimension in [2, 5] {
        let cases = hard_cases(dimension);
        let plain = |case: &Case, rng: &mut ReplayRng| loop {
            let x = anywhere(case, rng);
            if case.ball().contains(&x) {
                return x;
            }
        };
        assert!(!is_rejected(&cases[..1], plain), "plain rejection is right, and slow");
        let projected = |case: &Case, rng: &mut ReplayRng| case.ball().project(&anywhere(case, rng));
        assert!(is_rejected(&cases, projected), "projected instead of conditioned");
        assert!(is_rejected(&cases, anywhere), "no ball");
        let depth = |fault| move |case: &Case, rng: &mut ReplayRng| by_depth(case, fault, rng);
        assert!(!is_rejected(&cases, depth(Fault::None)), "the depth by another way is right");
        assert!(is_rejected(&cases, depth(Fault::HalfSpace)), "the half-space instead of the ball");
        assert!(is_rejected(&cases, depth(Fault::Flat)), "an edge of another curvature");
    }
    let wrong_scale = |case: &Case, rng: &mut ReplayRng| {
        normal_in_ball(&case.mean(), 1.1 * case.precision, &case.ball(), rng).unwrap()
    };
    for outside in [1.0, 5.0] {
        assert!(
            is_rejected(&[Case::new(1, 4.0, outside)], wrong_scale),
            "a precision that is wrong by a tenth"
        );
    }
}

#[test]
fn extremes_stay_in_the_ball() {
    let mut rng = ReplayRng::new(9);
    let point = Ball::new(vec![1.0, -2.0], 0.0).unwrap();
    assert_eq!(normal_in_ball(&[5.0, 5.0], 1.0, &point, &mut rng).unwrap(), [1.0, -2.0]);
    let unit = Ball::new(vec![0.0; 3], 1.0).unwrap();
    // So precise that only the nearest point is left, inside and outside.
    for (mean, nearest) in [([1.5, 0.0, 0.0], 1.0), ([1.0, 0.0, 0.0], 1.0), ([0.25, 0.0, 0.0], 0.25)] {
        for precision in [1e40, 1e300] {
            let x = normal_in_ball(&mean, precision, &unit, &mut rng).unwrap();
            assert!(unit.contains(&x) && (x[0] - nearest).abs() < 1e-12 && x[1].abs() < 1e-12, "{x:?}");
        }
    }
    // On a line there is no proposal that misses: any mean will do.
    let line = Ball::new(vec![1e6], 0.5).unwrap();
    for mean in [1e300, -1e300, 1e6 + 0.5, 0.0] {
        assert!(line.contains(&normal_in_ball(&[mean], 5.0, &line, &mut rng).unwrap()));
    }
    for bad in [f64::NAN, f64::INFINITY, 0.0, -1.0] {
        assert_eq!(normal_in_ball(&[0.0; 3], bad, &unit, &mut rng).unwrap_err().field, "precision");
    }
    assert_eq!(normal_in_ball(&[0.0; 3], 8.9, &unit, &mut rng).unwrap_err().field, "precision");
    for bad in [vec![0.0; 2], vec![0.0, f64::NAN, 0.0], vec![f64::INFINITY, 0.0, 0.0]] {
        assert_eq!(normal_in_ball(&bad, 9.0, &unit, &mut rng).unwrap_err().field, "mean");
    }
    // So far outside that a proposal would hit a cap of e^(−28) of its width.
    assert_eq!(normal_in_ball(&[1e300, 0.0, 0.0], 9.0, &unit, &mut rng).unwrap_err().field, "mean");
}

quickcheck! {
    /// Means inside and outside, balls of every size around centres of every size: the draw ends, inside.
    fn the_draw_ends_inside(mean: Vec<i16>, centre: Vec<f64>, radius: u64, flatness: u8, seed: u64) -> bool {
        let d = mean.len().min(centre.len()).max(1);
        let finite = |x: &f64| if x.is_finite() { *x % 1e100 } else { 1.0 };
        let centre: Vec<f64> = (0..d).map(|j| centre.get(j).map_or(0.0, finite)).collect();
        let radius = finite(&f64::from_bits(radius).abs()).clamp(1e-100, 1e100);
        let ball = Ball::new(centre, radius).unwrap();
        // Within two radii of the centre for each coordinate.
        let offset = |j: usize| mean.get(j).map_or(0.0, |x| f64::from(*x) / 16384.0) / d as f64;
        let mean: Vec<f64> = (0..d).map(|j| ball.centre()[j] + radius * offset(j)).collect();
        let precision = 1.001 * (1.0 + f64::from(flatness)) * (d as f64 / radius).powi(2);
        match normal_in_ball(&mean, precision, &ball, &mut ReplayRng::new(seed)) {
            Ok(x) => ball.contains(&x),
            // The ball is smaller than the last place of its centre.
            Err(_) => asap_dp::sampler::inner_radius(&ball) < 0.999 * radius,
        }
    }
}

#[test]
fn the_references_agree_with_closed_forms() {
    // One dimension, a = B: half of a normal law, cut at 2B. Φ(x) by statrs.
    let phi = |x: f64| 0.5 * statrs::function::erf::erfc(-x / 2.0_f64.sqrt());
    let law = Case::new(1, 4.0, 0.0).axial_law();
    for s in [-1.0, 0.0, 1.0, 1.9] {
        let exact = (phi(2.0 * (s - 2.0)) - phi(-8.0)) / (0.5 - phi(-8.0));
        assert!((law.cdf(s) - exact).abs() < 1e-8, "{s}: {} {exact}", law.cdf(s));
    }
    // Two dimensions, mean at the centre: r has distribution function 1 − e^(−λr²/2), normalised.
    let law = Case { dimension: 2, radius: 2.0, offset: 0.0, precision: 1.0 }.radial_law();
    for r in [0.5, 1.0, 1.7] {
        let exact = (1.0 - f64::exp(-r * r / 2.0)) / (1.0 - f64::exp(-2.0));
        assert!((law.cdf(r) - exact).abs() < 1e-8);
    }
    // The uniform law in five dimensions: r^5; s by the volume of caps, P(s ≤ 0) = ½.
    let uniform = Case { dimension: 5, radius: 2.0, offset: 1.0, precision: 1e-200 };
    assert!((uniform.radial_law().cdf(1.0) - 1.0 / 32.0).abs() < 1e-8);
    assert!((uniform.axial_law().cdf(0.0) - 0.5).abs() < 1e-8);
}
