//! Do the samplers follow their laws? Statistics on the public interface, against closed forms.
//!
//! Null hypothesis of every test: the draws are independent with exactly the stated law. Every check is the χ²
//! test of `chi_square.rs` with false-alarm probability 10^−9 (one check, for an event of probability e^(−20),
//! is an exact binomial test). The sample size n is a constant of each test; the seeds are fixed. Every test
//! ends with samplers that have a fault, or with a wrong law, which the *same* check has to reject; a gross fault from a
//! tenth of the draws ([`few`]).
// A cell of a histogram is the floor of a number that is far from the ends of its type.
#![allow(clippy::unwrap_used, clippy::cast_possible_truncation)]

#[path = "noise/sabotage.rs"]
mod sabotage;

use crate::chi_square::Law;
use asap_dp::noise::{
    EuclideanScale, LaplaceScale, NormalScale, RandomBits, ReplayRng, bernoulli, bernoulli_exp,
    bernoulli_exp_f64, bernoulli_exp_of, discrete_laplace, euclidean_laplace, exact_exponential_f64,
    exact_normal_f64, fill_normal, rounded_normal, uniform_below, uniform_up_to,
};
use sabotage::{EuclideanFault, LaplaceFault, NormalFault};
use statrs::function::{beta::beta_reg, erf::erfc, gamma::gamma_lr};
use std::num::NonZeroU64;

/// So many draws show a gross fault.
fn few(n: u32) -> u32 {
    n / 10
}

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
        let steps = t as f64 / s as f64;
        let scale = LaplaceScale::at_least(steps).unwrap();
        assert!(law.fits(n, || discrete_laplace(scale, &mut rng)), "{t}/{s}");
        assert!(law.fits(n, || sabotage::laplace(t, s, LaplaceFault::None, &mut rng)), "{t}/{s}, twin");
        // Fault: half of the scale.
        let half = LaplaceScale::at_least(0.5 * steps).unwrap();
        assert!(!law.fits(few(n), || discrete_laplace(half, &mut rng)), "{t}/{s}, half");
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

/// Φ.
fn normal_below(z: f64) -> f64 {
    erfc(-z / std::f64::consts::SQRT_2) / 2.0
}

/// The law of ⌊s·N⌉: P(X < k) = Φ((k − ½)/s). Cells: single integers, or a fiftieth of s.
fn normal_law(s: u64) -> Law {
    let width = i128::from((s / 50).max(1));
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
            assert!(!law.fits(few(n), || sabotage::normal(s, fault, &mut rng)), "{s}, {fault:?}");
        }
        // Half a step is too little to be seen on a thousand.
        let round_down = || sabotage::normal(s, NormalFault::RoundedDown, &mut rng);
        assert!(s == 1000 || !law.fits(few(n), round_down), "{s}, rounded down");
    }
    // Fault: two per cent less noise.
    let less = NormalScale::new(980).unwrap();
    assert!(!normal_law(1000).fits(n, || rounded_normal(less, &mut rng)));
}

/// Null: `exact_normal_f64` and `fill_normal` are standard normal, and neighbours of a filled slice independent: the
/// sum of two, divided by √2, is standard normal. Cells of 1/50.
#[test]
fn normal_variates_follow_their_law() {
    let n = 1_000_000;
    let mut rng = ReplayRng::new(110);
    let cell = |x: f64| (50.0 * x).floor() as i128;
    let law = Law::new(-300..=300, |k| normal_below(k as f64 / 50.0));
    assert!(law.fits(n, || cell(exact_normal_f64(&mut rng))));
    let mut filled = vec![0.0; n as usize];
    fill_normal(&mut filled, &mut rng);
    let mut numbers = filled.iter();
    assert!(law.fits(n, || cell(*numbers.next().unwrap())));
    let mut pairs = filled.windows(2).step_by(2);
    let mut sums = || pairs.next().map(|pair| (pair[0] + pair[1]) / std::f64::consts::SQRT_2).unwrap();
    assert!(law.fits(n / 2, || cell(sums())));
    // Faults: two per cent too small; a tail that is cut at 3; a missing factor; the same number twice.
    assert!(!law.fits(n, || cell(0.98 * exact_normal_f64(&mut rng))));
    assert!(!law.fits(n, || cell(exact_normal_f64(&mut rng).clamp(-3.0, 3.0))));
    let s = 1 << 40;
    let no_square = |rng: &mut ReplayRng| sabotage::normal(s, NormalFault::NoSquare, rng) as f64 / s as f64;
    assert!(!law.fits(n, || cell(no_square(&mut rng))));
    assert!(!law.fits(n / 2, || cell(exact_normal_f64(&mut rng) * std::f64::consts::SQRT_2)));
}

/// Null: `exact_exponential_f64` is exponential of mean 1.
#[test]
fn exponential_variates_follow_their_law() {
    let n = 1_000_000;
    let mut rng = ReplayRng::new(111);
    let cell = |x: f64| (50.0 * x).floor() as i128;
    let law = Law::new(0..=700, |k| -(-(k as f64) / 50.0).exp_m1());
    assert!(law.fits(n, || cell(exact_exponential_f64(&mut rng))));
    // Faults: two per cent too small; attempts that fail are not counted; a tail that is cut at 9.
    assert!(!law.fits(n, || cell(0.98 * exact_exponential_f64(&mut rng))));
    assert!(!law.fits(n, || cell(exact_exponential_f64(&mut rng).fract())));
    assert!(!law.fits(n, || cell(exact_exponential_f64(&mut rng).min(9.0))));
}

/// The Euclidean Laplace vectors of the library (no fault given) or of the twin, n of them.
fn vectors(n: u32, d: usize, s: u64, fault: Option<EuclideanFault>, rng: &mut ReplayRng) -> Vec<Vec<i128>> {
    let scale = EuclideanScale::new(s).unwrap();
    let draw = |_| match fault {
        None => euclidean_laplace(scale, d, rng),
        Some(fault) => sabotage::euclidean(s, d, fault, rng),
    };
    (0..n).map(draw).collect()
}

/// Does a statistic of the vectors follow the law?
fn fits(law: &Law, sample: &[Vec<i128>], statistic: impl Fn(&[i128]) -> i128) -> bool {
    let mut left = sample.iter();
    law.fits(u32::try_from(sample.len()).unwrap(), || statistic(left.next().unwrap()))
}

fn norm(z: &[i128]) -> f64 {
    z.iter().map(|x| (*x as f64).powi(2)).sum::<f64>().sqrt()
}

/// Null: ‖z‖/s has the gamma law of shape d. The lattice is so fine (s = 2^30) that rounding cannot be seen.
#[test]
fn euclidean_laplace_has_a_gamma_norm() {
    let (n, s) = (100_000, 1_u64 << 30);
    let mut rng = ReplayRng::new(112);
    let cell = |z: &[i128]| (20.0 * norm(z) / s as f64).floor() as i128;
    for d in [1, 2, 11] {
        let law = Law::new(1..=800, |k| gamma_lr(d as f64, k as f64 / 20.0));
        assert!(fits(&law, &vectors(n, d, s, None, &mut rng), cell), "{d}");
        assert!(fits(&law, &vectors(n, d, s, Some(EuclideanFault::None), &mut rng), cell), "{d}, twin");
        for fault in [EuclideanFault::OneTermLess, EuclideanFault::NotNormalised, EuclideanFault::Independent]
        {
            // In one dimension independent coordinates are no fault.
            let rejects = d > 1 || fault != EuclideanFault::Independent;
            let sample = vectors(few(n), d, s, Some(fault), &mut rng);
            assert!(fits(&law, &sample, cell) != rejects, "{d}, {fault:?}");
        }
    }
    // Fault: two per cent less noise.
    let law = Law::new(1..=800, |k| gamma_lr(11.0, k as f64 / 20.0));
    assert!(!fits(&law, &vectors(n, 11, s / 50 * 49, None, &mut rng), cell));
}

/// Null: the direction is uniform. The square of its projection on any axis has the law Beta(½, (d − 1)/2).
#[test]
fn euclidean_laplace_has_a_uniform_direction() {
    let (n, s) = (100_000, 1_u64 << 30);
    let mut rng = ReplayRng::new(113);
    let cell = |projection: f64| (50.0 * projection).floor() as i128;
    for d in [2, 3, 11] {
        let law = Law::new(-49..50, |k| {
            let t = k as f64 / 50.0;
            0.5 + beta_reg(0.5, (d - 1) as f64 / 2.0, t * t).copysign(t) / 2.0
        });
        let first = |z: &[i128]| cell(z[0] as f64 / norm(z));
        let last = |z: &[i128]| cell(z[d - 1] as f64 / norm(z));
        let diagonal = |z: &[i128]| cell(z.iter().sum::<i128>() as f64 / norm(z) / (d as f64).sqrt());
        let sample = vectors(n, d, s, None, &mut rng);
        assert!(
            fits(&law, &sample, first) && fits(&law, &sample, last) && fits(&law, &sample, diagonal),
            "{d}"
        );
        let independent = vectors(n, d, s, Some(EuclideanFault::Independent), &mut rng);
        assert!(!fits(&law, &independent, first) && !fits(&law, &independent, diagonal), "{d}, independent");
        // Fault: no sign.
        assert!(!fits(&law, &sample, |z| first(z).abs()), "{d}, no sign");
    }
}

/// Null: in one dimension, the rounded Laplace law: P(X ≥ k) = e^(−(k − ½)/s)/2 for k ≥ 1, and symmetry.
#[test]
fn euclidean_laplace_in_one_dimension_is_rounded_laplace() {
    let n = 600_000;
    let mut rng = ReplayRng::new(114);
    for s in [1_u64, 3, 1000] {
        let tail = |k: i128| (-(k as f64 - 0.5) / s as f64).exp() / 2.0;
        let width = i128::from((s / 5).max(1));
        let law =
            Law::new((-150..=150).map(|k| k * width), |k| if k > 0 { 1.0 - tail(k) } else { tail(1 - k) });
        assert!(fits(&law, &vectors(n, 1, s, None, &mut rng), |z| z[0]), "{s}");
        assert!(fits(&law, &vectors(n, 1, s, Some(EuclideanFault::None), &mut rng), |z| z[0]), "{s}, twin");
        // Half a step is too little to be seen on a thousand; two per cent are less than a step of three.
        let wrong = if s == 1000 {
            vectors(n, 1, 980, None, &mut rng)
        } else {
            vectors(few(n), 1, s, Some(EuclideanFault::RoundedDown), &mut rng)
        };
        assert!(!fits(&law, &wrong, |z| z[0]), "{s}, fault");
    }
}

/// Null: in two dimensions, on a coarse lattice, every cell has the integral of e^(−‖z‖/s)/(2πs²) over it.
#[test]
fn euclidean_laplace_in_two_dimensions_agrees_with_quadrature() {
    let (n, s, reach) = (400_000, 2_u64, 14_i128);
    let mut rng = ReplayRng::new(115);
    let scale = s as f64;
    let density = |x: f64, y: f64| (-x.hypot(y) / scale).exp() / (std::f64::consts::TAU * scale * scale);
    // The midpoint rule on 200 × 200 squares: an error below 10^−5 of each cell, also at the cusp.
    let fine = |k: i128| (0..200).map(move |i| k as f64 + (f64::from(i) + 0.5) / 200.0 - 0.5);
    let probability = |x: i128, y: i128| {
        fine(x).flat_map(|x| fine(y).map(move |y| (x, y))).map(|(x, y)| density(x, y)).sum::<f64>() / 4e4
    };
    let side = 2 * reach + 1;
    let quadrant: Vec<f64> =
        (0..=reach).flat_map(|x| (0..=reach).map(move |y| (x, y))).map(|(x, y)| probability(x, y)).collect();
    let of_cell = |index: i128| {
        let [x, y] = [index / side, index % side].map(|k| (k - reach).unsigned_abs());
        quadrant[(x * (reach.unsigned_abs() + 1) + y) as usize]
    };
    let below: Vec<f64> = std::iter::once(0.0)
        .chain((0..side * side).scan(0.0, |sum, index| {
            *sum += of_cell(index);
            Some(*sum)
        }))
        .collect();
    let law = Law::new(1..=side * side, |k| below[usize::try_from(k).unwrap()]);
    // All that is outside of the square is one cell, the last.
    let cell = |z: &[i128]| {
        if z.iter().all(|x| x.abs() <= reach) { (z[0] + reach) * side + z[1] + reach } else { side * side }
    };
    assert!(fits(&law, &vectors(n, 2, s, None, &mut rng), cell));
    assert!(fits(&law, &vectors(n, 2, s, Some(EuclideanFault::None), &mut rng), cell), "twin");
    for fault in [
        EuclideanFault::OneTermLess,
        EuclideanFault::NotNormalised,
        EuclideanFault::Independent,
        EuclideanFault::RoundedDown,
    ] {
        assert!(!fits(&law, &vectors(few(n), 2, s, Some(fault), &mut rng), cell), "{fault:?}");
    }
    assert!(!fits(&law, &vectors(few(n), 2, s + 1, None, &mut rng), cell), "fault: another scale");
}
