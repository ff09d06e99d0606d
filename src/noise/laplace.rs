//! The discrete Laplace distribution, exactly.
//!
//! P(k) = (1 − r)/(1 + r) · r^|k| on the integers, with r = e^(−s/t) and scale t/s, a rational number of steps.
//!
//! Algorithm (Canonne, Kamath and Steinke 2020, algorithm 2): U uniform on `0..t`, accepted with probability
//! e^(−U/t); V the number of successes of e^(−1) before the first failure; X = U + t·V; Y = ⌊X/s⌋; a random
//! sign, where "minus zero" starts again.
//!
//! Exactness: an accepted U has P(U = u) ∝ e^(−u/t), and P(V = v) ∝ e^(−v). Every x ≥ 0 is u + t·v for exactly
//! one pair, so P(X = x) ∝ e^(−u/t − v) = e^(−x/t). Summing s consecutive x, P(Y = y) ∝ e^(−y·s/t). The sign
//! splits each y > 0 into two halves, ±y; without the restart the same would happen to 0, whose halves are the
//! same integer and would count twice. With it, P(k) ∝ e^(−|k|·s/t) for every k, zero included.
//!
//! X saturates at 2^128 − 1 and Y at 2^127 − 1, where the exact sampler would go on. Both are monotone cuts of
//! the exact X, and as s < 2^64 the noise is then at least 2^64 − 1: so far outside of the 2^54 steps that the
//! lattice can tell apart that [`Lattice::add`](super::Lattice::add) releases exactly what it would release
//! with the exact noise.

use super::bernoulli::{bernoulli_exp, bernoulli_exp_one, fair_coin};
use super::bits::RandomBits;
use super::lattice::Lattice;
use super::shift::divide_up;
use super::uniform::uniform_below;
use crate::exact::decompose;
use crate::input::InvalidInput;
use core::num::NonZeroU64;

/// The scale t/s of the discrete Laplace distribution, in lattice steps: a positive rational number.
///
/// spec: `own:discrete-laplace`
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LaplaceScale {
    numerator: NonZeroU64,
    denominator: NonZeroU64,
}

impl LaplaceScale {
    /// The most places after the binary point: `1 << 63` is the largest power of two in a word.
    const MOST_PLACES: u32 = 63;

    /// `numerator / denominator` lattice steps, for tests and proofs.
    #[cfg(any(test, kani))]
    pub(crate) fn new(numerator: NonZeroU64, denominator: NonZeroU64) -> Self {
        Self { numerator, denominator }
    }

    /// The number of lattice steps itself if it is a multiple of 2^−63, otherwise the next greater multiple.
    /// More noise is more privacy, so this direction is safe. From 2^−11 on every `f64` is such a multiple.
    ///
    /// spec: `own:discrete-laplace`
    ///
    /// Refuses what is not positive, not finite, or wider than the lattice (2^53 steps).
    pub fn at_least(steps: f64) -> Result<Self, InvalidInput> {
        let allowed = "more than 0 and at most 2^53 lattice steps";
        let refused = InvalidInput { field: "scale of the Laplace noise", allowed };
        let parts = decompose(steps).filter(|_| steps <= Lattice::RANGE as f64);
        parts.and_then(|(mantissa, exponent)| Self::rounded_up(mantissa, exponent)).ok_or(refused)
    }

    /// `mantissa · 2^exponent`, the parts of an `f64` up to 2^53; `None` for 0.
    fn rounded_up(mantissa: u64, exponent: i32) -> Option<Self> {
        let places = exponent.min(0).unsigned_abs();
        // An f64 up to 2^53 has an exponent of at most 1, so this shift loses nothing.
        let mantissa = mantissa << exponent.max(0).unsigned_abs();
        // Trailing zeros of the mantissa are places that are not needed.
        let kept = (places - mantissa.trailing_zeros().min(places)).min(Self::MOST_PLACES);
        Some(Self {
            numerator: NonZeroU64::new(divide_up(mantissa, places - kept))?,
            denominator: NonZeroU64::new(1 << kept)?,
        })
    }

    /// t of the scale t/s.
    ///
    /// spec: `own:discrete-laplace`
    pub fn numerator(self) -> NonZeroU64 {
        self.numerator
    }

    /// s of the scale t/s.
    ///
    /// spec: `own:discrete-laplace`
    pub fn denominator(self) -> NonZeroU64 {
        self.denominator
    }
}

/// Draws k with probability proportional to e^(−|k|/scale): the noise of pure differential privacy, in steps.
///
/// spec: `own:discrete-laplace`, `own:tapes`, used by `alg:asap` and `alg:outpert`
///
/// ```
/// use asap_dp::noise::{LaplaceScale, Lattice, ReplayRng, discrete_laplace};
/// let scale = LaplaceScale::at_least(2.5)?;
/// let noise = discrete_laplace(scale, &mut ReplayRng::new(1));
/// let released = Lattice::add(7, noise);
/// # assert!((-200..200).contains(&released));
/// # Ok::<(), asap_dp::input::InvalidInput>(())
/// ```
pub fn discrete_laplace<R: RandomBits>(scale: LaplaceScale, rng: &mut R) -> i128 {
    loop {
        let magnitude = geometric(scale.numerator, rng) / u128::from(scale.denominator.get());
        if let Some(drawn) = signed(magnitude, fair_coin(rng)) {
            return drawn;
        }
    }
}

/// The number with this magnitude, cut at 2^127 − 1, and this sign; `None` for minus zero.
fn signed(magnitude: u128, negative: bool) -> Option<i128> {
    if negative && magnitude == 0 {
        return None;
    }
    let magnitude = i128::try_from(magnitude).unwrap_or(i128::MAX);
    Some(if negative { -magnitude } else { magnitude })
}

/// Draws x ≥ 0 with probability proportional to e^(−x/t), cut at 2^128 − 1.
fn geometric<R: RandomBits>(t: NonZeroU64, rng: &mut R) -> u128 {
    let first = below_period(t, rng);
    with_periods(first.into(), t, || bernoulli_exp_one(rng))
}

/// `first + t·v`, v the number of successes before the first failure, cut at 2^128 − 1.
fn with_periods(first: u128, t: NonZeroU64, mut succeeds: impl FnMut() -> bool) -> u128 {
    let mut x = first;
    while succeeds() {
        x = x.saturating_add(u128::from(t.get()));
    }
    x
}

/// Draws u from `0..t` with probability proportional to e^(−u/t).
fn below_period<R: RandomBits>(t: NonZeroU64, rng: &mut R) -> u64 {
    loop {
        let u = uniform_below(t, rng);
        if bernoulli_exp(u, t, rng) {
            return u;
        }
    }
}

#[cfg(any(kani, test))]
#[path = "../../proofs/noise/laplace.rs"]
mod proofs;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exact::Dyadic;
    use crate::noise::bits::ReplayRng;
    use crate::noise::tape::Tape;
    use quickcheck::quickcheck;

    fn parts(steps: f64) -> (u64, u64) {
        let scale = LaplaceScale::at_least(steps).unwrap();
        (scale.numerator().get(), scale.denominator().get())
    }

    #[test]
    fn scales_are_exact_in_lowest_terms_or_rounded_up() {
        assert_eq!(parts(2.5), (5, 2));
        assert_eq!(parts(1.0), (1, 1));
        assert_eq!(parts(2.0_f64.powi(53)), (1 << 53, 1));
        assert_eq!(parts(2.0_f64.powi(53).next_down()), ((1 << 53) - 1, 1));
        assert_eq!(parts(2.0_f64.powi(-63)), (1, 1 << 63));
        assert_eq!(parts(2.0_f64.powi(-63).next_up()), (2, 1 << 63));
        assert_eq!(parts(f64::from_bits(1)), (1, 1 << 63));
    }

    #[test]
    fn scales_out_of_range_are_refused() {
        for bad in [0.0, -0.0, -1.0, f64::NAN, f64::INFINITY, 2.0_f64.powi(53).next_up(), f64::MAX] {
            assert!(LaplaceScale::at_least(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn minus_zero_starts_again() {
        // U of one value, accepted at once; e^(−1) stops in round 2: no; then the sign.
        let zero_with_sign = |sign| [0, 0, 0, 1, sign];
        let mut tape = Tape::new([zero_with_sign(1), zero_with_sign(0)].concat());
        assert_eq!(discrete_laplace(LaplaceScale::at_least(1.0).unwrap(), &mut tape), 0);
        assert_eq!((tape.unread(), tape.overrun), (0, false));
    }

    #[test]
    fn a_draw_by_hand() {
        // Scale 5/2: U = 6 is refused, U = 4, a coin of 4/5 says no, so 4 is accepted; twice e^(−1) says yes
        // (rounds 1, 2 go on, 3 stops), then no. X = 4 + 5·2 = 14, Y = 7, with a minus.
        let mut tape = Tape::new([6, 4, 4, 0, 0, 1, 0, 0, 2, 0, 1, 1]);
        assert_eq!(discrete_laplace(LaplaceScale::at_least(2.5).unwrap(), &mut tape), -7);
        assert_eq!((tape.unread(), tape.overrun), (0, false));
    }

    #[test]
    fn extreme_scales_neither_overflow_nor_hang() {
        let mut rng = ReplayRng::new(5);
        let largest = LaplaceScale::new(NonZeroU64::MAX, NonZeroU64::MIN);
        let smallest = LaplaceScale::new(NonZeroU64::MIN, NonZeroU64::MAX);
        for _ in 0..1000 {
            let drawn = discrete_laplace(largest, &mut rng);
            assert!(drawn.unsigned_abs() < 64 << 64, "64 scales away: probability e^(-64)");
            assert_eq!(discrete_laplace(smallest, &mut rng), 0);
        }
    }

    quickcheck! {
        fn the_scale_is_the_smallest_multiple_above(steps: f64) -> bool {
            let steps = steps.abs();
            let Ok(scale) = LaplaceScale::at_least(steps) else {
                return !(0.0 < steps && steps <= 2.0_f64.powi(53));
            };
            let exponent = |s: NonZeroU64| -i32::try_from(s.trailing_zeros()).unwrap();
            let value: Dyadic = Dyadic::from_parts(scale.numerator.get(), exponent(scale.denominator));
            let exact = Dyadic::new(steps).unwrap();
            let unit = Dyadic::from_parts(1, -63);
            scale.denominator.is_power_of_two()
                && exact <= value
                && value <= exact.plus(&unit)
                && (value == exact || (scale.denominator.get() == 1 << 63 && steps < 2.0_f64.powi(-11)))
        }
    }
}
