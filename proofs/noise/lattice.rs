//! The lattice: nearest point, monotone, exact on points, never a wrap.

use super::*;
use crate::proofs::{assume, cover, harness};

/// A lattice and a number within some binary digits of its range, or any number.
fn near(exponent: i16, bits: u64, any: bool) -> Option<(Lattice, f64)> {
    let lattice = Lattice::new(exponent.into()).ok()?;
    if any {
        return Some((lattice, f64::from_bits(bits)));
    }
    // The binary exponent is from −8 to 55 above that of the step.
    let biased = i64::from(exponent) + 1023 - 8 + i64::from(bits.to_le_bytes()[0] % 64);
    let biased = u64::try_from(biased.clamp(0, 2046)).ok()?;
    let fraction = (bits >> 10) & ((1 << 52) - 1);
    Some((lattice, f64::from_bits(biased << 52 | fraction | bits >> 63 << 63)))
}

harness! {
    /// spec: `own:lattice`
    ///
    /// `round` gives the k with |k·g − x| ≤ g/2 and the sign of x, or an error; an error exactly if x is not finite
    /// or the nearest k is beyond ±2^53. Never a wrap.
    ///
    /// assumes: a valid lattice. bound: none, all steps and all `f64`. solver: cadical.
    /// mutation: `rounding towards zero`
    [kani::proof, kani::unwind(2), kani::solver(cadical)]
    fn verify_round__within_half_a_step(exponent: i16, bits: u64, any: bool) {
        let Some((lattice, x)) = near(exponent, bits, any) else { return };
        cover!(true);
        let rounded = lattice.round(x);
        let Some((mantissa, binary)) = decompose(x.abs()) else {
            assert!(rounded.is_err());
            return;
        };
        let shift = binary - lattice.exponent;
        let k = rounded.unwrap_or(Lattice::RANGE + 1);
        assert!(k.unsigned_abs() <= Lattice::RANGE.unsigned_abs() || rounded.is_err());
        assert!(rounded.is_err() || k == 0 || (k < 0) == (x < 0.0));
        let k = u128::from(k.unsigned_abs());
        cover!(rounded.is_err() && shift < 3);
        cover!(rounded.is_ok() && shift > 0 && k > 0);
        cover!(rounded.is_ok() && shift < 0 && k > 0);
        if shift >= 0 {
            let exact = if shift <= 54 { u128::from(mantissa) << shift } else { u128::MAX };
            assert!(if rounded.is_ok() { k == exact } else { exact > Lattice::RANGE as u128 });
        } else {
            let places = shift.unsigned_abs();
            // Twice the mantissa and twice the divisor: halves are whole.
            let doubled = 2 * u128::from(mantissa);
            if places < 64 {
                let (point, half) = (k << (places + 1), 1_u128 << places);
                // A k beyond the range stands for an error: x is then at least half a step beyond the range, too.
                assert!(point.saturating_sub(doubled) <= half);
                assert!(rounded.is_err() || doubled.saturating_sub(point) <= half);
            } else {
                assert!(rounded == Ok(0));
            }
        }
    }
}

harness! {
    /// spec: `own:lattice`
    ///
    /// x ≤ y gives `round_clamped(x)` ≤ `round_clamped(y)`: with the half step above, this is what bounds the
    /// sensitivity after rounding.
    ///
    /// assumes: x ≤ y (no NaN). bound: none, all steps and all `f64`, infinities included. solver: cadical.
    /// mutation: `infinities go to the wrong end`
    [kani::proof, kani::unwind(2), kani::solver(cadical)]
    fn verify_round_clamped__monotone(exponent: i16, first: u64, second: u64, any: bool) {
        let Some((lattice, x)) = near(exponent, first, any) else { return };
        let Some((_, y)) = near(exponent, second, any) else { return };
        assume!(x <= y);
        let (low, high) = (lattice.round_clamped(x), lattice.round_clamped(y));
        cover!(low < high && high < Lattice::RANGE);
        cover!(low == -Lattice::RANGE && high == Lattice::RANGE);
        assert!(low <= high);
        assert!(-Lattice::RANGE <= low && high <= Lattice::RANGE);
    }
}

harness! {
    /// spec: `own:lattice`
    ///
    /// A lattice point stays where it is: `round(point(k)) = k`. Adding noise is exact up to the clamp at the end
    /// of the range, for noise of any size.
    ///
    /// assumes: a valid lattice. bound: none, all steps, all k, all 128-bit noise. solver: cadical.
    /// mutation: `the sum is cut before it is clamped`
    [kani::proof, kani::unwind(2), kani::solver(cadical)]
    fn verify_point__exact(exponent: i16, k: i64, noise: i128, shift: u8) {
        let Ok(lattice) = Lattice::new(exponent.into()) else { return };
        let k = k >> (shift % 64);
        let k = k.clamp(-Lattice::RANGE, Lattice::RANGE);
        cover!(k == -Lattice::RANGE && exponent == 970);
        assert!(lattice.round(lattice.point(k)) == Ok(k));
        let sum = Lattice::add(k, noise);
        assert!(-Lattice::RANGE <= sum && sum <= Lattice::RANGE);
        let inside = i128::from(k).checked_add(noise).is_some_and(|sum| sum.unsigned_abs() <= 1 << 53);
        cover!(inside && noise > 0);
        cover!(!inside && noise < 0);
        if inside {
            assert!(i128::from(sum) == i128::from(k) + noise);
        } else {
            assert!(sum == if noise < 0 { -Lattice::RANGE } else { Lattice::RANGE });
        }
    }
}
