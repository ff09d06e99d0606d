//! The discrete Laplace law: sign, sum and scale.

use super::*;
use crate::proofs::{assume, cover, harness};

harness! {
    /// spec: `own:discrete-laplace`
    /// covers: noise::laplace::signed — all inputs
    ///
    /// Minus zero, and nothing else, starts again; every other magnitude keeps its size up to the cut at
    /// 2^127 − 1, and gets its sign.
    ///
    /// assumes: nothing. bound: none, all 128-bit magnitudes. solver: cadical.
    /// mutation: `minus zero counts as zero`
    [kani::proof, kani::unwind(2), kani::solver(cadical)]
    fn verify_signed__minus_zero_starts_again(magnitude: u128, shift: u8, negative: bool) {
        let magnitude = magnitude.checked_shr(shift.into()).unwrap_or(0);
        let drawn = signed(magnitude, negative);
        cover!(drawn.is_none());
        cover!(drawn == Some(-i128::MAX));
        cover!(drawn == Some(0));
        assert!(drawn.is_none() == (negative && magnitude == 0));
        if let Some(drawn) = drawn {
            assert!(drawn.unsigned_abs() == magnitude.min(i128::MAX.unsigned_abs()));
            assert!((drawn < 0) == negative);
        }
    }
}

harness! {
    /// spec: `own:discrete-laplace`
    /// covers: noise::laplace::with_periods — within a bound
    ///
    /// The geometric sum is first + t·v for v successes, or the cut at 2^128 − 1; it never wraps.
    ///
    /// assumes: at most 3 successes. bound: all 64-bit t and all 128-bit beginnings, so that the cut is reached
    /// although v is small. solver: cadical.
    /// mutation: `the geometric sum wraps`
    [kani::proof, kani::unwind(6), kani::solver(cadical)]
    fn verify_with_periods__sum_or_cut(first: u128, t: u64, successes: u8) {
        let (Some(t), successes) = (NonZeroU64::new(t), successes % 4) else { return };
        let mut left = successes;
        let x = with_periods(first, t, || {
            let succeeds = left > 0;
            left = left.saturating_sub(1);
            succeeds
        });
        let added = u128::from(t.get()) * u128::from(successes);
        cover!(x == u128::MAX && first < u128::MAX - 1);
        cover!(successes == 3 && x < u128::MAX);
        assert!(x == first.saturating_add(added));
    }
}

harness! {
    /// spec: `own:discrete-laplace`
    /// covers: noise::laplace::LaplaceScale::rounded_up — all inputs
    ///
    /// The scale t/s is never below the number of steps asked for, and less than 2^−63 above it: rounding goes to
    /// more noise.
    ///
    /// assumes: parts of a positive `f64` up to 2^53. bound: none, all of them. solver: cadical.
    /// mutation: `division rounds to nearest`
    [kani::proof, kani::unwind(2), kani::solver(cadical)]
    fn verify_rounded_up__not_below(bits: u64, near: bool) {
        // Half of the random bits of a test are small numbers, where rounding happens.
        let bits = if near { (1023 - 64 + (bits >> 59)) << 52 | bits >> 12 } else { bits };
        let steps = f64::from_bits(bits);
        assume!(steps > 0.0 && steps <= Lattice::RANGE as f64);
        let Some((mantissa, exponent)) = decompose(steps) else { return };
        let Some(scale) = LaplaceScale::rounded_up(mantissa, exponent) else { panic!("positive") };
        let (t, s) = (scale.numerator.get(), scale.denominator.get());
        assert!(s.is_power_of_two());
        // steps · 2^63 = mantissa · 2^(exponent + 63), and t/s · 2^63 = t · 2^(63 − log2 s).
        let wide = u128::from(t) << s.leading_zeros();
        let places = exponent + 63;
        if places >= 0 {
            // Exact: mantissa < 2^53 and places ≤ 64.
            assert!(wide == u128::from(mantissa) << places);
        } else {
            cover!(places < -64);
            cover!(places > -10 && wide > 1);
            let places = places.unsigned_abs();
            let floor = u128::from(mantissa).checked_shr(places).unwrap_or(0);
            let is_exact = floor.checked_shl(places).unwrap_or(0) == u128::from(mantissa);
            assert!(wide == floor + u128::from(!is_exact));
        }
    }
}

harness! {
    /// spec: `own:discrete-laplace`
    /// covers: noise::laplace::LaplaceScale::at_least, noise::laplace::LaplaceScale::numerator,
    /// noise::laplace::LaplaceScale::denominator — all inputs
    ///
    /// A scale is made of a number exactly if it is more than 0 and at most 2^53, and is then the one that is rounded
    /// up; it says the two numbers that it was made of.
    ///
    /// assumes: nothing. bound: none, all `f64`, all pairs. solver: cadical.
    /// mutation: `a scale wider than the lattice`
    [kani::proof, kani::unwind(2), kani::solver(cadical)]
    fn verify_laplace_scale__as_made(bits: u64, near: bool, numerator: u64, denominator: u64) {
        let bits = if near { (1023 + 50 + (bits >> 61)) << 52 | bits >> 12 } else { bits };
        let steps = f64::from_bits(bits);
        let scale = LaplaceScale::at_least(steps);
        cover!(scale.is_ok());
        cover!(scale.is_err() && steps > 0.0);
        assert!(scale.is_ok() == (steps > 0.0 && steps <= 9_007_199_254_740_992.0));
        if let (Ok(scale), Some((mantissa, exponent))) = (scale, decompose(steps)) {
            assert!(LaplaceScale::rounded_up(mantissa, exponent) == Some(scale));
        }
        let (Some(t), Some(s)) = (NonZeroU64::new(numerator), NonZeroU64::new(denominator)) else { return };
        let scale = LaplaceScale::new(t, s);
        assert!(scale.numerator() == t && scale.denominator() == s);
    }
}
