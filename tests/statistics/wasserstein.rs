//! W∞ in practice: how far the sampler's law is from the exact posterior, on a line, with a confidence band.
//!
//! On a line `W∞(F, G) ≤ Δ` means `G(x − Δ) ≤ F(x) ≤ G(x + Δ)` for all x. Replacing F by the empirical distribution
//! function and giving way by its Dvoretzky–Kiefer–Wolfowitz–Massart band gives a lower confidence bound of W∞: the
//! smallest Δ for which no x objects.

use crate::reference::{LEVEL, LineLaw, LogisticPosterior, Quadratic, on_ball};
use asap_dp::ball::Ball;
use asap_dp::noise::ReplayRng;
use asap_dp::sampler::{Potential, Proximal, Sampler};

/// W∞ is above this with probability at most [`LEVEL`] wrong.
fn lower_bound(sample: &[f64], law: &LineLaw) -> f64 {
    let mut sorted = sample.to_vec();
    sorted.sort_by(f64::total_cmp);
    let n = sorted.len() as f64;
    let band = ((2.0 / LEVEL).ln() / (2.0 * n)).sqrt();
    let objects = |delta: f64| {
        sorted.iter().enumerate().any(|(k, x)| {
            let (before, at) = (k as f64 / n, (k + 1) as f64 / n);
            before + band < law.cdf(x - delta) || at - band > law.cdf(x + delta)
        })
    };
    let (mut low, mut high) = (0.0, 100.0);
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        if objects(middle) { low = middle } else { high = middle }
    }
    low
}

/// The largest distance of quantiles between 1 % and 99 %: what the coupling looks like, without a band.
fn observed(sample: &[f64], law: &LineLaw) -> f64 {
    let mut sorted = sample.to_vec();
    sorted.sort_by(f64::total_cmp);
    let n = sorted.len();
    let at = |k: usize| (sorted[k] - law.quantile((k as f64 + 0.5) / n as f64)).abs();
    (n / 100..n - n / 100).map(at).fold(0.0, f64::max)
}

fn draws<P: Potential>(f: &mut P, curvature: (f64, f64), ball: &Ball, delta: f64, seed: u64) -> Vec<f64> {
    let sampler = Proximal::calibrated(f, &on_ball(curvature), ball, delta).unwrap();
    let mut rng = ReplayRng::new(seed);
    (0..20_000)
        .map(|_| sampler.sample(f, ball, &mut rng).unwrap().theta.reveal_breaking_privacy()[0])
        .collect()
}

/// H0: W∞(sampler, p*) ≤ Δ. n = 20000, false alarm ≤ 10⁻⁹ each. Power: a chain that was calibrated for a tenth of the
/// distance that it starts from is far from Δ = 10⁻³.
fn check<P: Potential>(f: &mut P, curvature: (f64, f64), ball: &Ball, seed: u64, visible: bool) {
    let law = LineLaw::of(f, ball);
    for (k, delta) in (0_u64..).zip([0.3, 0.03, 1e-3]) {
        let sample = draws(f, curvature, ball, delta * ball.radius(), seed + k);
        let (bound, seen) = (lower_bound(&sample, &law), observed(&sample, &law));
        println!("Δ = {:.4}: W∞ ≥ {bound:.4} with confidence, {seen:.4} observed", delta * ball.radius());
        assert!(bound <= delta * ball.radius(), "{delta}: {bound}");
    }
    let short = lower_bound(&draws(f, curvature, ball, 0.6 * ball.radius(), seed + 9), &law);
    assert!(!visible || short > 1e-3 * ball.radius(), "{short}");
}

#[test]
fn the_coupling_distance_is_within_the_declared_error() {
    // Far outside, so that the chain has a way to go; declared as much less convex than it is.
    let mut outside = Quadratic::new(&[3.0], 1.0, 0.0, &[1.0]);
    check(&mut outside, (1.0, 9.0), &Ball::new(vec![0.0], 2.0).unwrap(), 800, true);
    let mut inside = Quadratic::new(&[0.3], 4.0, 0.0, &[1.0]);
    let curvature = inside.curvature();
    check(&mut inside, curvature, &Ball::new(vec![0.0], 1.0).unwrap(), 820, false);
    let mut logistic = LogisticPosterior::new(&[&[1.0], &[-0.5], &[2.0], &[0.7]], 3.0, 0.5);
    let curvature = logistic.curvature();
    check(&mut logistic, curvature, &Ball::new(vec![2.5], 1.5).unwrap(), 840, true);
}
