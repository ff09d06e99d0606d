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
    /// covers: noise::lattice::Lattice::nearest, noise::lattice::Lattice::round — all inputs
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
    /// covers: noise::lattice::Lattice::round_clamped — all inputs
    ///
    /// x ≤ y gives `round_clamped(x)` ≤ `round_clamped(y)`, and what `round` gives a point, `round_clamped` gives
    /// the same: with the half step above, this is what bounds the sensitivity after rounding. Beyond the range it
    /// is the end on the side of x.
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
        let end = if x < 0.0 { -Lattice::RANGE } else { Lattice::RANGE };
        assert!(low == lattice.round(x).unwrap_or(end));
    }
}

harness! {
    /// spec: `own:lattice`
    /// covers: noise::lattice::Lattice::point, noise::lattice::Lattice::add — all inputs
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
        assert!((-Lattice::RANGE..=Lattice::RANGE).contains(&sum));
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

harness! {
    /// spec: `own:lattice`
    /// covers: noise::lattice::Lattice::with_step_at_most, noise::lattice::Lattice::new, noise::lattice::Lattice::step,
    /// exact::floor_log2 — all inputs
    ///
    /// The step is the largest power of two not above the number asked for: half of it, exclusively, to all of it. What
    /// has no such step in range is refused.
    ///
    /// assumes: nothing. bound: none, all f64. solver: cadical.
    /// mutation: `the exponent of the step is one too large`
    [kani::proof, kani::unwind(2), kani::solver(cadical)]
    fn verify_with_step_at_most__largest_power(x: f64) {
        let lattice = Lattice::with_step_at_most(x);
        cover!(lattice.is_ok_and(|lattice| lattice.exponent() == -1022));
        cover!(lattice.is_err() && x > 1.0);
        // 2^971 is the first number that is too large.
        assert!(lattice.is_ok() == (x >= f64::MIN_POSITIVE && x < f64::from_bits((1023 + 971) << 52)));
        if let Ok(lattice) = lattice {
            let step = lattice.step();
            assert!(step > 0.0 && step.to_bits() << 12 == 0);
            assert!(step <= x && x < 2.0 * step);
        }
    }
}

harness! {
    /// spec: `own:lattice`
    /// covers: noise::lattice::Lattice::add — all inputs
    ///
    /// Saturation: points that the same noise is added to do not move apart, and keep their order; noise that a sampler
    /// cuts beyond ±2^64 gives the same point as noise that is not cut.
    ///
    /// assumes: nothing. bound: none, all pairs of points in range, all 128-bit noise. solver: cadical.
    /// mutation: `points beyond the range wrap around`
    [kani::proof, kani::unwind(4), kani::solver(cadical)]
    fn verify_add__saturates(points: (i64, i64), noise: i128, shift: u8) {
        let noise = noise >> (shift % 128);
        let [a, b] = [points.0, points.1].map(|k| k.clamp(-Lattice::RANGE, Lattice::RANGE));
        let (low, high) = (a.min(b), a.max(b));
        let [moved_low, moved_high] = [low, high].map(|k| Lattice::add(k, noise));
        cover!(moved_low < moved_high && moved_high == Lattice::RANGE && high < Lattice::RANGE);
        cover!(moved_low == moved_high && low < high);
        assert!(moved_low <= moved_high && moved_high - moved_low <= high - low);
        let cut = noise.clamp(-(1 << 64), 1 << 64);
        assert!(Lattice::add(low, cut) == moved_low);
    }
}
