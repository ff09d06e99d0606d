//! The lattice gℤ, g a power of two, on which values are rounded, disturbed and released.
//!
//! A point is the integer k of k·g, |k| ≤ 2^53: each is an exact, normal `f64`, so a release has no bits that
//! depend on how it was computed (Mironov 2012, *On significance of the least significant bits for
//! differential privacy*). Rounding shifts the integer mantissa; no floating-point operation rounds anything.
//!
//! Rounding moves a number by at most g/2, so two numbers at distance t go to points at distance at most
//! t + g: each rounded coordinate adds one step to the sensitivity. Clamping to ±2^53 steps is 1-Lipschitz and
//! adds nothing.

use super::shift::divide_nearest;
use crate::exact::{decompose, floor_log2};
use crate::input::InvalidInput;

/// The lattice gℤ with g = 2^exponent, cut at ±[`Lattice::RANGE`] steps.
///
/// spec: `own:lattice`, used by `alg:asap` and `alg:outpert`
///
/// ```
/// use asap_dp::noise::Lattice;
/// let lattice = Lattice::with_step_at_most(0.3)?;
/// assert_eq!(lattice.step(), 0.25);
/// let k = lattice.round(1.9)?;
/// assert_eq!(lattice.point(Lattice::add(k, -3)), 1.25);
/// # Ok::<(), asap_dp::input::InvalidInput>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lattice {
    exponent: i32,
}

impl Lattice {
    /// The largest number of steps from 0: every integer up to 2^53 is an `f64`.
    ///
    /// spec: `own:lattice`
    pub const RANGE: i64 = 1 << 53;

    /// The smallest normal `f64` is 2^−1022; 2^53 steps of 2^970 are 2^1023, the largest power of two.
    const EXPONENTS: core::ops::RangeInclusive<i32> = -1022..=970;

    /// The lattice of step 2^exponent.
    ///
    /// spec: `own:lattice`
    pub fn new(exponent: i32) -> Result<Self, InvalidInput> {
        let refused = InvalidInput { field: "lattice step", allowed: "a power of two from 2^-1022 to 2^970" };
        if Self::EXPONENTS.contains(&exponent) { Ok(Self { exponent }) } else { Err(refused) }
    }

    /// The lattice whose step is the largest power of two not above `x`.
    ///
    /// spec: `own:lattice`
    pub fn with_step_at_most(x: f64) -> Result<Self, InvalidInput> {
        let refused = InvalidInput { field: "lattice step", allowed: "a finite number greater than 0" };
        Self::new(floor_log2(x).ok_or(refused)?)
    }

    /// The exponent of the step.
    ///
    /// spec: `own:lattice`
    pub fn exponent(self) -> i32 {
        self.exponent
    }

    /// The step g, exactly.
    ///
    /// spec: `own:lattice`
    pub fn step(self) -> f64 {
        // An f64 with empty fraction: the exponent is that of a normal number, so its biased form is 1..=2046.
        f64::from_bits(u64::from((self.exponent + 1023).cast_unsigned()) << 52)
    }

    /// The nearest lattice point, halves away from zero: |k·g − x| ≤ g/2. Monotone and odd; a lattice point
    /// stays where it is. Refuses NaN, infinities and what is more than [`Lattice::RANGE`] steps from 0.
    ///
    /// spec: `own:lattice`
    pub fn round(self, x: f64) -> Result<i64, InvalidInput> {
        let allowed = "a finite number of at most 2^53 lattice steps";
        self.nearest(x).ok_or(InvalidInput { field: "value to be rounded", allowed })
    }

    /// The nearest lattice point in range, for every `x`: like [`Lattice::round`], but ±[`Lattice::RANGE`] for
    /// what lies beyond it, infinities included.
    ///
    /// spec: `own:lattice`
    ///
    /// Clamping is 1-Lipschitz, so here too numbers at distance t go to points at distance at most t + g. NaN
    /// has no distance to anything and goes to 0: no private value can make this fail.
    pub fn round_clamped(self, x: f64) -> i64 {
        match self.round(x) {
            Ok(k) => k,
            Err(_) if x.is_nan() => 0,
            Err(_) if x.is_sign_negative() => -Self::RANGE,
            Err(_) => Self::RANGE,
        }
    }

    /// The point k·g, exactly; a `k` out of range counts as the end of the range.
    ///
    /// spec: `own:lattice`
    pub fn point(self, k: i64) -> f64 {
        // Exact twice: an integer up to 2^53 is an f64, and its product with a power of two is a normal f64.
        k.clamp(-Self::RANGE, Self::RANGE) as f64 * self.step()
    }

    /// The point `noise` steps from the point `k`, clamped to the range.
    ///
    /// spec: `own:lattice`, used by `alg:asap` and `alg:outpert`
    ///
    /// Clamping does not look at the records: it is post-processing of `k + noise`. Since |k| ≤ 2^53, noise
    /// beyond ±2^54 goes to the end of the range whatever its exact size, so a sampler that saturates there or
    /// further out gives exactly the same release as one that never does.
    pub fn add(k: i64, noise: i128) -> i64 {
        let sum = i128::from(k).saturating_add(noise);
        // Both ends of the range are i64.
        #[allow(clippy::cast_possible_truncation)]
        let clamped = sum.clamp(-i128::from(Self::RANGE), Self::RANGE.into()) as i64;
        clamped
    }

    /// The nearest point, if it is in range.
    fn nearest(self, x: f64) -> Option<i64> {
        let (mantissa, exponent) = decompose(x.abs())?;
        let shift = exponent - self.exponent;
        let magnitude = if shift < 0 {
            divide_nearest(mantissa, shift.unsigned_abs())
        } else {
            // No bit may leave the word.
            (shift.unsigned_abs() <= mantissa.leading_zeros()).then(|| mantissa << shift)?
        };
        let magnitude = i64::try_from(magnitude).ok().filter(|k| *k <= Self::RANGE)?;
        Some(if x.is_sign_negative() { -magnitude } else { magnitude })
    }
}

#[cfg(any(kani, test))]
#[path = "../../proofs/noise/lattice.rs"]
mod proofs;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exact::at_most;
    use quickcheck::quickcheck;

    fn lattice(exponent: i32) -> Lattice {
        Lattice::new(exponent).unwrap()
    }

    #[test]
    fn steps_are_normal_powers_of_two() {
        for (exponent, step) in [(-1022, f64::MIN_POSITIVE), (0, 1.0), (-3, 0.125), (970, 2.0_f64.powi(970))]
        {
            assert_eq!(lattice(exponent).step().to_bits(), step.to_bits());
            assert_eq!(lattice(exponent).exponent(), exponent);
        }
        for bad in [-1023, 971, i32::MIN, i32::MAX] {
            assert!(Lattice::new(bad).is_err());
        }
        for (x, exponent) in [(1.0, 0), (1.99, 0), (2.0, 1), (f64::MIN_POSITIVE, -1022), (0.1, -4)] {
            assert_eq!(Lattice::with_step_at_most(x), Ok(lattice(exponent)));
        }
        for bad in [0.0, -1.0, f64::NAN, f64::INFINITY, f64::MAX, f64::MIN_POSITIVE.next_down()] {
            assert!(Lattice::with_step_at_most(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn halves_go_away_from_zero() {
        let quarters = lattice(-2);
        for (x, k) in [(0.125, 1), (0.125_f64.next_down(), 0), (0.375, 2), (0.25, 1), (0.0, 0), (-0.0, 0)] {
            assert_eq!((quarters.round(x), quarters.round(-x)), (Ok(k), Ok(-k)), "{x}");
        }
    }

    #[test]
    fn subnormal_numbers_round_like_all_others() {
        let finest = lattice(-1022);
        assert_eq!(finest.round(f64::from_bits(1)), Ok(0));
        assert_eq!(finest.round(f64::MIN_POSITIVE / 2.0), Ok(1));
        assert_eq!(finest.round((f64::MIN_POSITIVE / 2.0).next_down()), Ok(0));
        assert_eq!(finest.round(-f64::MIN_POSITIVE.next_down()), Ok(-1));
        assert_eq!(lattice(970).round(f64::from_bits(1)), Ok(0));
    }

    #[test]
    fn out_of_range_is_refused_or_clamped_but_never_wrapped() {
        for exponent in [-1022, -100, 0, 100, 970] {
            let lattice = lattice(exponent);
            let end = lattice.point(Lattice::RANGE);
            assert_eq!((lattice.round(end), lattice.round(-end)), (Ok(Lattice::RANGE), Ok(-Lattice::RANGE)));
            for beyond in [end.next_up(), end * 1.9, f64::MAX, f64::INFINITY] {
                assert!(lattice.round(beyond).is_err() && lattice.round(-beyond).is_err());
                assert_eq!(lattice.round_clamped(beyond), Lattice::RANGE);
                assert_eq!(lattice.round_clamped(-beyond), -Lattice::RANGE);
            }
            for not_a_number in [f64::NAN, -f64::NAN] {
                assert!(lattice.round(not_a_number).is_err());
                assert_eq!(lattice.round_clamped(not_a_number), 0);
            }
        }
        assert_eq!(lattice(0).point(i64::MIN).to_bits(), (-(2.0_f64.powi(53))).to_bits());
        assert_eq!(lattice(0).point(i64::MAX).to_bits(), 2.0_f64.powi(53).to_bits());
    }

    #[test]
    fn noise_is_clamped_at_the_ends() {
        for (k, noise, sum) in [(3, -5, -2), (0, i128::MAX, Lattice::RANGE), (0, i128::MIN, -Lattice::RANGE)]
        {
            assert_eq!(Lattice::add(k, noise), sum);
        }
        assert_eq!(Lattice::add(i64::MIN, i128::MIN), -Lattice::RANGE);
        assert_eq!(Lattice::add(Lattice::RANGE, -2 * i128::from(Lattice::RANGE)), -Lattice::RANGE);
    }

    /// A step exponent and a number of about that size, so that rounding has something to decide.
    fn near(exponent: i16, mantissa: i64, places: u8) -> (Lattice, f64) {
        let lattice = lattice(i32::from(exponent).rem_euclid(1800) - 900);
        let scaled = mantissa as f64 * 2.0_f64.powi(-i32::from(places % 70));
        (lattice, scaled * lattice.step())
    }

    quickcheck! {
        fn rounding_errs_by_at_most_half_a_step(exponent: i16, mantissa: i64, places: u8) -> bool {
            let (lattice, x) = near(exponent, mantissa, places);
            let Ok(k) = lattice.round(x) else { return x.abs() > lattice.point(Lattice::RANGE) };
            let (step, point, x) = (lattice.step(), lattice.point(k).abs(), x.abs());
            at_most(&[&[2.0, point]], &[&[2.0, x], &[step]]) && at_most(&[&[2.0, x]], &[&[2.0, point], &[step]])
        }

        fn every_f64_is_rounded_or_refused(exponent: i16, x: f64) -> bool {
            let (lattice, _) = near(exponent, 0, 0);
            match lattice.round(x) {
                Ok(k) => k.abs() <= Lattice::RANGE && k == lattice.round_clamped(x),
                Err(_) => x.is_nan() || x.abs() > lattice.point(Lattice::RANGE),
            }
        }

        fn rounding_is_monotone(exponent: i16, a: i64, b: i64, places: u8) -> bool {
            let ((lattice, x), (_, y)) = (near(exponent, a, places), near(exponent, b, places));
            let (low, high) = (x.min(y), x.max(y));
            lattice.round_clamped(low) <= lattice.round_clamped(high)
                && lattice.round_clamped(x) <= lattice.round_clamped(x.next_up())
        }

        fn rounding_adds_at_most_one_step(exponent: i16, a: i64, b: i64, places: u8) -> bool {
            let ((lattice, x), (_, y)) = (near(exponent, a & i64::MAX, places), near(exponent, b & i64::MAX, places));
            let (low, high) = (x.min(y), x.max(y));
            let moved = lattice.point(lattice.round_clamped(high)) - lattice.point(lattice.round_clamped(low));
            // moved ≤ (high − low) + step; the difference of two points is again a point.
            at_most(&[&[moved], &[low]], &[&[high], &[lattice.step()]])
        }

        fn lattice_points_stay(exponent: i16, k: i64) -> bool {
            let ((lattice, _), k) = (near(exponent, 0, 0), k >> 10);
            lattice.round(lattice.point(k)) == Ok(k)
        }

        // A sampler that saturates at 2^64 − 1 or later releases what the exact sampler releases.
        fn cutting_noise_far_out_changes_nothing(k: i64, noise: i128, cut: u64) -> bool {
            let (k, cut) = (k >> 10, i128::from(cut) + (1 << 64) - 1);
            Lattice::add(k, noise) == Lattice::add(k, noise.clamp(-cut, cut))
        }
    }
}
