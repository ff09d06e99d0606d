//! Samplers with a fault. Each is also written without its fault, and that twin has to pass: what the tests
//! reject is the fault and not the way in which the twin is written.

use asap_dp::noise::{RandomBits, ReplayRng, bernoulli_exp, bernoulli_exp_of, uniform_below};
use std::num::NonZeroU64;

/// The loop of e^(−x), starting to count its rounds at `first` (1 is right).
pub(crate) fn exp_loop(
    first: u64,
    mut coin: impl FnMut(&mut ReplayRng) -> bool,
    rng: &mut ReplayRng,
) -> bool {
    let mut round = 0;
    while coin(rng) && uniform_below(NonZeroU64::new(first + round).unwrap(), rng) == 0 {
        round += 1;
    }
    round % 2 == 0
}

/// A coin of probability p/q, rounded to 16 random bits.
pub(crate) fn coarse_coin(p: u64, q: u64, rng: &mut ReplayRng) -> bool {
    (rng.next_u64() >> 48) < p * (1 << 16) / q
}

/// What is wrong with a discrete Laplace sampler.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum LaplaceFault {
    None,
    /// "Minus zero" counts as zero instead of starting again.
    ZeroTwice,
    /// U is uniform, without the acceptance test e^(−U/t).
    FlatPeriods,
    /// The quotient by s is rounded up.
    RoundedUp,
}

/// The discrete Laplace law of scale t/s, with a fault.
pub(crate) fn laplace(t: u64, s: u64, fault: LaplaceFault, rng: &mut ReplayRng) -> i128 {
    let (t, one) = (NonZeroU64::new(t).unwrap(), NonZeroU64::MIN);
    loop {
        let mut x = loop {
            let u = uniform_below(t, rng);
            if fault == LaplaceFault::FlatPeriods || bernoulli_exp(u, t, rng) {
                break u;
            }
        };
        while bernoulli_exp(1, one, rng) {
            x += t.get();
        }
        let y = i128::from(if fault == LaplaceFault::RoundedUp { x.div_ceil(s) } else { x / s });
        let negative = bernoulli_fair(rng);
        if !(negative && y == 0) || fault == LaplaceFault::ZeroTwice {
            return if negative { -y } else { y };
        }
    }
}

/// What is wrong with a rounded normal sampler.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum NormalFault {
    None,
    /// The factor e^(−x²/2) is missing.
    NoSquare,
    /// The factor e^(−kx) is missing.
    NoProduct,
    /// The magnitude is rounded down instead of to the nearest integer.
    RoundedDown,
    /// Always positive.
    NoSign,
}

/// ⌊s·N⌉ with a fault, and with 64 bits of x.
pub(crate) fn normal(s: u64, fault: NormalFault, rng: &mut ReplayRng) -> i128 {
    let one = NonZeroU64::MIN;
    loop {
        let mut k = 0;
        while bernoulli_exp_of(bernoulli_fair, rng) {
            k += 1;
        }
        let x = rng.next_u64();
        let accepted = bernoulli_exp(k * u64::saturating_sub(k, 1) / 2, one, rng)
            && (fault == NormalFault::NoProduct
                || (0..k).all(|_| bernoulli_exp_of(|rng: &mut ReplayRng| rng.next_u64() < x, rng)))
            && (fault == NormalFault::NoSquare
                || bernoulli_exp_of(
                    |rng| bernoulli_fair(rng) && rng.next_u64() < x && rng.next_u64() < x,
                    rng,
                ));
        if accepted {
            let half = if fault == NormalFault::RoundedDown { 0 } else { 1 << 63 };
            let scaled = (u128::from(s) * ((u128::from(k) << 64) + u128::from(x)) + half) >> 64;
            let magnitude = i128::try_from(scaled).unwrap();
            return if bernoulli_fair(rng) && fault != NormalFault::NoSign { -magnitude } else { magnitude };
        }
    }
}

fn bernoulli_fair(rng: &mut ReplayRng) -> bool {
    rng.next_u64() >> 63 == 1
}

/// What is wrong with a Euclidean Laplace sampler.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum EuclideanFault {
    None,
    /// The norm has one exponential term too few.
    OneTermLess,
    /// The direction is a normal vector, not a unit vector.
    NotNormalised,
    /// Independent Laplace coordinates of the same scale.
    Independent,
    /// Every magnitude is rounded down instead of to the nearest integer.
    RoundedDown,
}

/// A rounded vector of density ∝ e^(−‖z‖/s), with a fault, from `f64` numbers.
pub(crate) fn euclidean(s: u64, d: usize, fault: EuclideanFault, rng: &mut ReplayRng) -> Vec<i128> {
    let terms = if fault == EuclideanFault::OneTermLess { d - 1 } else { d };
    let radius: f64 = (0..terms).map(|_| exponential_f64(rng)).sum();
    let direction: Vec<f64> = (0..d).map(|_| normal_f64(rng)).collect();
    let length = match fault {
        EuclideanFault::NotNormalised => 1.0,
        _ => direction.iter().map(|x| x * x).sum::<f64>().sqrt(),
    };
    let coordinate = |x: &f64| match fault {
        EuclideanFault::Independent => exponential_f64(rng).copysign(*x),
        _ => radius * x / length,
    };
    let real: Vec<f64> = direction.iter().map(coordinate).map(|x| s as f64 * x).collect();
    let round = if fault == EuclideanFault::RoundedDown { f64::trunc } else { f64::round };
    real.into_iter().map(|x| round(x) as i128).collect()
}

/// Uniform on the midpoints of 2^53 intervals of (0, 1).
fn uniform_f64(rng: &mut ReplayRng) -> f64 {
    ((rng.next_u64() >> 11) as f64 + 0.5) * 2.0_f64.powi(-53)
}

fn exponential_f64(rng: &mut ReplayRng) -> f64 {
    -uniform_f64(rng).ln()
}

/// Box and Muller's method.
fn normal_f64(rng: &mut ReplayRng) -> f64 {
    (2.0 * exponential_f64(rng)).sqrt() * (std::f64::consts::TAU * uniform_f64(rng)).cos()
}
