//! Do the samplers follow their laws? Statistics on the public interface, against closed forms.
//!
//! Null hypothesis of every test: the draws are independent with exactly the stated law. Every check is the χ²
//! test of `chi_square.rs` with false-alarm probability 10^−6 (one check, for an event of probability e^(−20),
//! is an exact binomial test). The sample size n is a constant of each test; the seeds are fixed. Every test
//! ends with samplers that have a fault, or with a wrong law, which the *same* check has to reject.
#![allow(clippy::unwrap_used)]

#[path = "noise/chi_square.rs"]
mod chi_square;
#[path = "noise/sabotage.rs"]
mod sabotage;

use asap_dp::noise::{
    LaplaceScale, NormalScale, RandomBits, ReplayRng, bernoulli, bernoulli_exp, bernoulli_exp_f64,
    bernoulli_exp_of, discrete_laplace, rounded_normal, uniform_below, uniform_up_to,
};
use chi_square::Law;
use sabotage::{LaplaceFault, NormalFault};
use statrs::function::erf::erfc;
use std::num::NonZeroU64;

fn integer(value: u64) -> NonZeroU64 {
    NonZeroU64::new(value).unwrap()
}

/// Null: `uniform_below(bound)` is uniform on `0..bound`, for bounds next to and far from powers of two.
#[test]
fn uniform_integers_are_uniform() {
    let n = 4_000_000;
    let mut rng = ReplayRng::new(101);
    for bound in [3, 6, 1000] {
        let law = Law::uniform(1..i128::from(bound), bound);
        assert!(law.fits(n, || uniform_below(integer(bound), &mut rng).into()), "bound {bound}");
        assert!(
            !law.fits(n, || uniform_below(integer(bound + 1), &mut rng).into()),
            "wrong bound {bound} + 1"
        );
        // Fault: too large candidates are cut instead of drawn again.
        let mask = bound.next_power_of_two() - 1;
        assert!(!law.fits(n, || (rng.next_u64() & mask).min(bound - 1).into()), "cut at {bound}");
    }
    // Fault: the remainder of a byte, which prefers 0 by one part in 256.
    let three = Law::uniform(1..3, 3);
    assert!(three.fits(n, || uniform_up_to(2_u8, &mut rng).into()));
    assert!(!three.fits(n, || i128::from(rng.next_u64() % 256 % 3)));
}

/// Null: as above, where the bound fills the word: 1000 buckets of (nearly) equal width.
#[test]
fn uniform_integers_of_full_width_are_uniform() {
    let n = 4_000_000;
    let mut rng = ReplayRng::new(102);
    for bound in [(1 << 63) + 1, 3 << 62, u64::MAX] {
        let law = Law::uniform((1..1000).map(|k| i128::from(bound / 1000) * k), bound);
        assert!(law.fits(n, || uniform_below(integer(bound), &mut rng).into()), "bound {bound}");
        // Fault: too large candidates are cut. For the last bound that concerns one word of 2^64.
        assert!(bound == u64::MAX || !law.fits(n, || rng.next_u64().min(bound - 1).into()), "cut at {bound}");
    }
    // Fault: the remainder of a word, which takes the first third of the range twice as often as the others.
    let law = Law::uniform((1..1000).map(|k| (3 << 62) / 1000 * k), 3 << 62);
    assert!(!law.fits(n, || (rng.next_u64() % (3 << 62)).into()));
}

/// Null: `bernoulli(p, q)` is true with probability p/q.
#[test]
fn coins_have_their_probability() {
    let n = 4_000_000;
    let mut rng = ReplayRng::new(103);
    for (p, q) in [(1, 3), (999, 1000), (1 << 62, (1 << 63) + 1)] {
        let law = Law::coin(p as f64 / q as f64);
        assert!(law.fits(n, || bernoulli(p, integer(q), &mut rng).into()), "{p}/{q}");
    }
    // Fault: "not above p" instead of "below p".
    assert!(!Law::coin(0.999).fits(n, || (uniform_below(integer(1000), &mut rng) <= 999).into()));
    assert!(!Law::coin(1.0 / 3.0).fits(n, || (uniform_below(integer(3), &mut rng) <= 1).into()));
}

/// Null: `bernoulli_exp(p, q)` and `bernoulli_exp_f64(p/q)` are true with probability e^(−p/q).
#[test]
fn exponential_coins_have_their_probability() {
    let n = 4_000_000;
    let mut rng = ReplayRng::new(104);
    for (p, q) in [(1, 1000), (1, 2), (1, 1), (37, 10), (u64::MAX / 2, u64::MAX), (6, 1)] {
        let x = p as f64 / q as f64;
        let law = Law::coin((-x).exp());
        assert!(law.fits(n, || bernoulli_exp(p, integer(q), &mut rng).into()), "{p}/{q}");
        assert!(law.fits(n, || bernoulli_exp_f64(x, &mut rng).unwrap().into()), "{x}");
        // Fault: the argument is a fifth too large for the law.
        assert!(!Law::coin((-0.8 * x).exp()).fits(n, || bernoulli_exp(p, integer(q), &mut rng).into()));
    }
    for (p, q) in [(1, 2), (1, 1)] {
        let law = Law::coin((-(p as f64) / q as f64).exp());
        let mut looped = |first| {
            law.fits(n, || sabotage::exp_loop(first, |rng| bernoulli(p, integer(q), rng), &mut rng).into())
        };
        assert!(looped(1));
        assert!(!looped(2), "fault: rounds are counted from 2, {p}/{q}");
    }
    let law = Law::coin((-3.7_f64).exp());
    assert!(!law.fits(n, || bernoulli_exp(7, integer(10), &mut rng).into()), "fault: no integer part");
    assert!(!law.fits(n, || bernoulli_exp_f64(3.0, &mut rng).unwrap().into()), "fault: no fractional part");
}

/// Null: as above for x = 10^−6, where *false* is expected 40 times in n draws.
#[test]
fn exponential_coins_of_tiny_arguments_have_their_probability() {
    let n = 40_000_000;
    let mut rng = ReplayRng::new(105);
    let law = Law::coin((-1e-6_f64).exp());
    assert!(law.fits(n, || bernoulli_exp(1, integer(1_000_000), &mut rng).into()));
    assert!(law.fits(n, || bernoulli_exp_f64(1e-6, &mut rng).unwrap().into()));
    // Fault: a coin of 16 bits is never true.
    let coarse = |rng: &mut ReplayRng| sabotage::coarse_coin(1, 1_000_000, rng);
    assert!(!law.fits(n, || bernoulli_exp_of(coarse, &mut rng).into()));
}

/// Null: as above for x = 20. Too rare for χ²: n·e^(−20) = 0.0103, so three or more *true* have probability
/// below 0.0103³/3! < 2·10^−7.
#[test]
fn exponential_coins_of_large_arguments_are_nearly_never_true() {
    let n = 5_000_000;
    let mut rng = ReplayRng::new(106);
    let rare = |count: usize| count < 3;
    assert!(rare((0..n).filter(|_| bernoulli_exp(20, NonZeroU64::MIN, &mut rng)).count()));
    assert!(rare((0..n).filter(|_| bernoulli_exp_f64(20.0, &mut rng).unwrap()).count()));
    // Fault: half of the integer part is lost.
    assert!(!rare((0..n).filter(|_| bernoulli_exp(10, NonZeroU64::MIN, &mut rng)).count()));
}

/// The discrete Laplace law of scale t/s: P(X ≥ a) = r^a/(1 + r) for a ≥ 1, r = e^(−s/t), and symmetry.
/// Cells: single integers for small scales, a tenth of the scale for large ones, and always {0}.
fn laplace_law(t: u64, s: u64) -> Law {
    let scale = t as f64 / s as f64;
    let width = i128::from((t / s / 10).max(1));
    let right = (0..300).map(|k| 1 + k * width);
    let edges: Vec<i128> = right.clone().rev().map(|edge| 1 - edge).chain(right).collect();
    let tail = |a: i128| (-(a as f64) / scale).exp() / (1.0 + (-1.0 / scale).exp());
    Law::new(edges, |k| if k <= 0 { tail(1 - k) } else { 1.0 - tail(k) })
}

/// Null: `discrete_laplace` has probabilities (1 − r)/(1 + r)·r^|k|, r = e^(−1/scale).
#[test]
fn discrete_laplace_follows_its_law() {
    let n = 1_000_000;
    let mut rng = ReplayRng::new(107);
    for (t, s) in [(1, 3), (1, 1), (5, 2), (1000, 1), (1_000_000, 1), (7_000_000_003, 7)] {
        let law = laplace_law(t, s);
        let scale = LaplaceScale::new(integer(t), integer(s));
        assert!(law.fits(n, || discrete_laplace(scale, &mut rng)), "{t}/{s}");
        assert!(law.fits(n, || sabotage::laplace(t, s, LaplaceFault::None, &mut rng)), "{t}/{s}, twin");
        // Fault: half of the scale.
        let half = LaplaceScale::new(integer(t), integer(2 * s));
        assert!(!law.fits(n, || discrete_laplace(half, &mut rng)), "{t}/{s}, half");
    }
    for (t, s, fault) in [
        (1, 3, LaplaceFault::ZeroTwice),
        (1, 1, LaplaceFault::ZeroTwice),
        (5, 2, LaplaceFault::ZeroTwice),
        (1000, 1, LaplaceFault::ZeroTwice),
        (5, 2, LaplaceFault::FlatPeriods),
        (1_000_000, 1, LaplaceFault::FlatPeriods),
        (5, 2, LaplaceFault::RoundedUp),
    ] {
        assert!(!laplace_law(t, s).fits(n, || sabotage::laplace(t, s, fault, &mut rng)), "{t}/{s}");
    }
}

/// Null: the scale of an `f64` is the number itself: 2.5 and 1/3 (no dyadic fraction in decimal, but an `f64`).
#[test]
fn discrete_laplace_of_an_f64_scale_follows_its_law() {
    let n = 1_000_000;
    let mut rng = ReplayRng::new(108);
    for (steps, t, s) in [(2.5, 5, 2), (1.0 / 3.0, 1, 3), (1000.0, 1000, 1)] {
        let scale = LaplaceScale::at_least(steps).unwrap();
        assert!(laplace_law(t, s).fits(n, || discrete_laplace(scale, &mut rng)), "{steps}");
        // Fault: five per cent less noise.
        let less = LaplaceScale::at_least(0.95 * steps).unwrap();
        assert!(!laplace_law(t, s).fits(n, || discrete_laplace(less, &mut rng)), "{steps}, less");
    }
}

/// The law of ⌊s·N⌉: P(X < k) = Φ((k − ½)/s). Cells: single integers, or a fiftieth of s.
fn normal_law(s: u64) -> Law {
    let width = i128::from((s / 50).max(1));
    let normal_below = |z: f64| erfc(-z / std::f64::consts::SQRT_2) / 2.0;
    Law::new((-400..=400).map(|k| k * width), |k| normal_below((k as f64 - 0.5) / s as f64))
}

/// Null: `rounded_normal` takes k with probability Φ((k + ½)/s) − Φ((k − ½)/s).
#[test]
fn rounded_normal_follows_its_law() {
    let n = 1_000_000;
    let mut rng = ReplayRng::new(109);
    for s in [1, 2, 3, 1000, 1 << 53] {
        let law = normal_law(s);
        let scale = NormalScale::new(s).unwrap();
        assert!(law.fits(n, || rounded_normal(scale, &mut rng)), "{s}");
    }
    for s in [1, 3, 1000] {
        let law = normal_law(s);
        assert!(law.fits(n, || sabotage::normal(s, NormalFault::None, &mut rng)), "{s}, twin");
        for fault in [NormalFault::NoSquare, NormalFault::NoProduct, NormalFault::NoSign] {
            assert!(!law.fits(n, || sabotage::normal(s, fault, &mut rng)), "{s}, {fault:?}");
        }
        // Half a step is too little to be seen on a thousand.
        let round_down = || sabotage::normal(s, NormalFault::RoundedDown, &mut rng);
        assert!(s == 1000 || !law.fits(n, round_down), "{s}, rounded down");
    }
    // Fault: two per cent less noise.
    let less = NormalScale::new(980).unwrap();
    assert!(!normal_law(1000).fits(n, || rounded_normal(less, &mut rng)));
}
