//! The losses on many records at once: the same formulas as the scalar ones, written so that the compiler turns them
//! into vector instructions. spec: `own:objective`
//!
//! Every x86-64 has vectors of two `f64`; libm's `exp` and `ln_1p` use none of them, and their last bits
//! differ from platform to platform. The polynomials here have no branch, no table and no fused
//! multiply-add: they are faster in a loop and give the same bits everywhere.

use core::f64::consts::{LN_2, LOG2_E};

/// Independent running sums: two vector registers.
const LANES: usize = 4;

/// Predictions that one stage leaves for the next.
pub(super) const BATCH: usize = 64;

/// Replaces every z by the slope and returns the sum of the values; `kernel(z, inputs)` gives both.
///
/// The values are added in four interleaved running sums, so that each of them goes through at most `len/4 + 3`
/// additions.
#[inline(always)]
pub(super) fn by_lanes<const K: usize>(
    z: &mut [f64],
    inputs: [&[f64]; K],
    kernel: impl Fn(f64, [f64; K]) -> (f64, f64),
) -> f64 {
    let mut sums = [0.0; LANES];
    let (body, tail) = z.as_chunks_mut::<LANES>();
    let split = inputs.map(|input| input.as_chunks::<LANES>());
    let bodies = split.map(|(input, _)| &input[..body.len()]);
    let tails = split.map(|(_, input)| &input[..tail.len()]);
    for (i, z) in body.iter_mut().enumerate() {
        let mut values = [0.0; LANES];
        for lane in 0..LANES {
            (values[lane], z[lane]) = kernel(z[lane], bodies.map(|input| input[i][lane]));
        }
        for lane in 0..LANES {
            sums[lane] += values[lane];
        }
    }
    for (i, (z, sum)) in tail.iter_mut().zip(&mut sums).enumerate() {
        let (value, slope) = kernel(*z, tails.map(|input| input[i]));
        *sum += value;
        *z = slope;
    }
    (sums[0] + sums[2]) + (sums[1] + sums[3])
}

/// Values and slopes of the logistic loss, for `y = ±1`.
///
/// With `t = −yz` and `e = e^(−|t|) ≤ 1` nothing overflows: the value is `max(t, 0) + ln(1 + e)`, the slope is
/// `−y/(1 + e)` for positive t and `−ye/(1 + e)` otherwise. The relative errors of exp and ln are below 2⁻⁵⁰, so
/// the slope is within 2⁻⁴⁹ of φ′ and the value within a factor 1 ± 2⁻⁴⁹ of φ, down to where φ is subnormal.
///
/// First all the exponentials, then the rest, then the sum: the processor looks ahead a few hundred instructions, and
/// shorter loops let it work on more records at a time. Each loop has no dependence between records, so that
/// vectors of any width do.
#[inline(always)]
pub(super) fn logistic(z: &mut [f64], y: &[f64]) -> f64 {
    let (mut exponentials, mut values) = ([0.0; BATCH], [0.0; BATCH]);
    let mut sum = 0.0;
    for (z, y) in z.chunks_mut(BATCH).zip(y.chunks(BATCH)) {
        let (e, values) = (&mut exponentials[..z.len()], &mut values[..z.len()]);
        for (e, z) in e.iter_mut().zip(&*z) {
            *e = exp_of_negative(-z.abs());
        }
        for (((z, y), e), value) in z.iter_mut().zip(y).zip(&*e).zip(&mut *values) {
            let t = -y * *z;
            // Comparisons and not `max`: a NaN must stay a NaN.
            *value = (if t > 0.0 { t } else { 0.0 }) + ln_1p_of_unit(*e);
            *z = -y * ((if t > 0.0 { 1.0 } else { *e }) / (1.0 + e));
        }
        sum += sum_by_lanes(values);
    }
    sum
}

/// The sum of some values, in four interleaved running sums as [`by_lanes`].
#[inline(always)]
fn sum_by_lanes(values: &[f64]) -> f64 {
    let mut sums = [0.0; LANES];
    let (body, tail) = values.as_chunks::<LANES>();
    for values in body {
        for lane in 0..LANES {
            sums[lane] += values[lane];
        }
    }
    for (sum, value) in sums.iter_mut().zip(tail) {
        *sum += value;
    }
    (sums[0] + sums[2]) + (sums[1] + sums[3])
}

/// Values and slopes of half the square of `z − y`.
#[inline(always)]
pub(super) fn squared(z: &mut [f64], y: &[f64]) -> f64 {
    by_lanes(z, [y], |z, [y]| {
        let residual = z - y;
        (0.5 * residual * residual, residual)
    })
}

/// Values and slopes of the Huber loss.
#[inline(always)]
pub(super) fn huber(delta: f64, z: &mut [f64], y: &[f64]) -> f64 {
    by_lanes(z, [y], |z, [y]| {
        let residual = z - y;
        let below = if residual < -delta { -delta } else { residual };
        let slope = if below > delta { delta } else { below };
        // Inside, slope = residual and this is ½r²; outside it is ±δ·(r ∓ ½δ).
        (slope * (residual - 0.5 * slope), slope)
    })
}

/// Adding it to a number below 2⁵¹ rounds that number to an integer, which then stands in the low bits.
pub(super) const ROUNDER: f64 = 1.5 * (1_u64 << 52) as f64;

/// ln 2 = `LN_2_HIGH` + `LN_2_LOW`. The upper part has 32 significant bits, so that its product with an integer
/// of up to 21 bits is exact.
pub(super) const LN_2_HIGH: f64 = f64::from_bits(0x3fe6_2e42_fee0_0000);
pub(super) const LN_2_LOW: f64 = f64::from_bits(0x3dea_39ef_3579_3c76);

/// Where the result is 0 in any case; it keeps the exponent inside of its field.
const SMALLEST_EXPONENT: f64 = -746.0;

/// 2⁻⁶⁴: the result is assembled 64 octaves too high and brought down by one product, so that subnormal
/// results are rounded correctly and need no branch.
const OCTAVES: f64 = 1.0 / (1_u128 << 64) as f64;

/// `1/k!`: the Taylor series of exp. On `|r| ≤ (ln 2)/2` the remainder after `r¹²/12!` is below `0.3466¹³/13! < 2⁻⁵²`.
pub(super) const INVERSE_FACTORIALS: [f64; 14] = {
    let mut coefficients = [1.0; 14];
    let (mut k, mut factorial) = (1, 1_u64);
    while k < 14 {
        factorial *= k as u64;
        coefficients[k] = 1.0 / factorial as f64;
        k += 1;
    }
    coefficients
};

/// `x = k·ln 2 + r` for `smallest ≤ x ≤ 0`, and the same for smaller numbers as for the smallest: k, in the low bits of
/// the first number, and r.
#[inline(always)]
pub(super) fn reduced(x: f64, smallest: f64) -> (f64, f64) {
    let x = if x < smallest { smallest } else { x };
    let shifted = x * LOG2_E + ROUNDER;
    let k = shifted - ROUNDER;
    (shifted, (x - k * LN_2_HIGH) - k * LN_2_LOW)
}

/// `e^x` for `x ≤ 0`; NaN for NaN. The relative error is below 2⁻⁵⁰ unless the result is subnormal.
///
/// `x = k·ln 2 + r`, `e^x = 2^k·e^r`, with e^r from its Taylor series, evaluated in pairs (Estrin) because a
/// chain of 12 dependent steps would wait for itself.
#[inline(always)]
fn exp_of_negative(x: f64) -> f64 {
    let (shifted, r) = reduced(x, SMALLEST_EXPONENT);
    let pair = |i: usize| INVERSE_FACTORIALS[i] + INVERSE_FACTORIALS[i + 1] * r;
    let r2 = r * r;
    let r4 = r2 * r2;
    let low = (pair(0) + pair(2) * r2) + (pair(4) + pair(6) * r2) * r4;
    let high = (pair(8) + pair(10) * r2) + INVERSE_FACTORIALS[12] * r4;
    // k ≥ −1077 is in the low bits of `shifted`; the shift drops everything above the exponent field.
    let power = f64::from_bits(shifted.to_bits().wrapping_add(1023 + 64) << 52);
    (low + high * (r4 * r4)) * power * OCTAVES
}

/// `1/(4^k (2k + 1))`: the series of `2·atanh(s/2)/s` in s². The remainder is below 2⁻⁵⁵ for `|s| ≤ 0.3432` after ten
/// terms, and for `|s| ≤ 0.4025` after eleven.
pub(super) const ATANH: [f64; 11] = {
    let mut coefficients = [0.0; 11];
    let mut k = 0;
    while k < 11 {
        coefficients[k] = 1.0 / ((1_u64 << (2 * k)) * (2 * k as u64 + 1)) as f64;
        k += 1;
    }
    coefficients
};

/// `ln(1 + e)` for `0 ≤ e ≤ 1`; NaN for NaN. The relative error is below 2⁻⁵⁰.
///
/// Above √2 it is `ln 2 + ln(1 + m)` with `1 + m = (1 + e)/2`, below m = e; then `ln(1 + m) = 2·atanh(s/2)` with
/// `s = 2m/(2 + m)`, and `|s| ≤ 2(√2 − 1)/(√2 + 1) < 0.3432`. A small e keeps all its digits: it is only doubled
/// and halved, and then s itself is the result.
#[inline(always)]
fn ln_1p_of_unit(e: f64) -> f64 {
    // As a number, because arithmetic is cheaper here than three selections.
    let upper = if e > core::f64::consts::SQRT_2 - 1.0 { 1.0 } else { 0.0 };
    // m, or 2m above √2; the denominator likewise.
    let m = e - upper;
    let s = (m + m) / (m + (2.0 + (upper + upper)));
    let q = s * s;
    let pair = |i: usize| ATANH[i] + ATANH[i + 1] * q;
    let q2 = q * q;
    let q4 = q2 * q2;
    let low = (pair(0) + pair(2) * q2) + (pair(4) + pair(6) * q2) * q4;
    upper * LN_2 + s * (low + pair(8) * (q4 * q4))
}

#[cfg(test)]
#[allow(clippy::float_cmp, reason = "exact results are the point")]
mod tests {
    use super::*;
    use crate::bounds::Bounds;
    use crate::loss::{Huber, Logistic, Loss, Squared};

    /// Predictions that have caused trouble somewhere: zeros, subnormals, the ends of every range.
    const EXTREMES: [f64; 22] = [
        0.0, 5e-324, 1e-310, 2.2e-308, 1e-300, 1e-17, 1.1e-16, 1e-8, 0.346, 0.347, 0.881, 1.0, 36.7, 37.0,
        707.9, 708.4, 709.8, 744.4, 745.2, 746.1, 1e300, 1.7e308,
    ];

    /// Both signs of the extremes, of a dense grid around 0 and of a coarse one to where exp underflows.
    fn predictions() -> impl Iterator<Item = f64> {
        let fine = (0..400_000).map(|k| f64::from(k) * 1e-4);
        let coarse = (0..80_000).map(|k| f64::from(k) * 0.01);
        EXTREMES.into_iter().chain(fine).chain(coarse).flat_map(|z| [z, -z])
    }

    /// The largest `|computed − reference| / scale(reference)` of `(value, slope)` over all predictions.
    fn worst(loss: &impl Loss, y: f64, scale: impl Fn(f64) -> f64) -> (f64, f64) {
        let mut worst = (0.0_f64, 0.0_f64);
        for z in predictions() {
            // Eight equal entries go through the vector body, the ninth through the tail.
            let mut slopes = [z; 9];
            let sum = loss.values_and_slopes(&mut slopes, &[y; 9]);
            let value = loss.values_and_slopes(&mut [z], &[y]);
            assert!(slopes.iter().all(|s| s.to_bits() == slopes[0].to_bits()), "lanes differ at {z}");
            assert!((sum - 9.0 * value).abs() <= 1e-15 * sum || sum.is_infinite(), "sum at {z}");
            let exact = loss.value(z, y);
            if exact.is_finite() {
                worst.0 = worst.0.max((value - exact).abs() / scale(exact));
            }
            worst.1 = worst.1.max((slopes[0] - loss.slope(z, y)).abs());
        }
        worst
    }

    #[test]
    fn logistic_agrees_with_the_scalar_formulas() {
        let bounds = Bounds::new(1.0).unwrap().with_target(1.0).unwrap();
        for y in [1.0, -1.0] {
            // Below the normal numbers only the absolute error can be small.
            let (value, slope) = worst(&Logistic, y, |v| v.max(f64::MIN_POSITIVE));
            assert!(value <= 2.0_f64.powi(-49), "relative error of the value: {value:e}");
            // The reference has its own error, a quarter of the claim is left for it.
            assert!(slope <= 0.75 * Logistic.slope_rounding(1e308, &bounds), "error of the slope: {slope:e}");
        }
    }

    #[test]
    fn squared_and_huber_are_the_scalar_formulas() {
        let huber = Huber::new(0.7).unwrap();
        for y in [1.0, -0.3, 0.0] {
            assert_eq!(worst(&Squared, y, |_| 1.0).1, 0.0);
            assert_eq!(worst(&huber, y, |_| 1.0).1, 0.0);
            assert!(worst(&Squared, y, |v| v.max(1e-300)).0 <= 2.0 * f64::EPSILON);
            assert!(worst(&huber, y, |v| v.max(1e-300)).0 <= 4.0 * f64::EPSILON);
        }
    }

    #[test]
    fn the_ends_are_exact() {
        let at = |z: f64| {
            let mut slope = [z];
            (Logistic.values_and_slopes(&mut slope, &[1.0]), slope[0])
        };
        assert_eq!(at(0.0).1, -0.5);
        assert_eq!(at(-0.0), at(0.0));
        assert!((at(0.0).0 - LN_2).abs() <= f64::EPSILON);
        assert_eq!(at(f64::INFINITY), (0.0, 0.0));
        assert_eq!(at(f64::NEG_INFINITY), (f64::INFINITY, -1.0));
        assert_eq!(at(-1.7e308), (1.7e308, -1.0));
        assert_eq!(at(1e308).0, 0.0);
        assert_eq!(at(745.0).0, (-745.0_f64).exp());
    }

    #[test]
    fn nan_stays_nan_and_stays_in_its_lane() {
        let nan_only_at = |position: usize, loss: &dyn Fn(&mut [f64], &[f64]) -> f64| {
            let mut z = [0.25; 9];
            z[position] = f64::NAN;
            assert!(loss(&mut z, &[1.0; 9]).is_nan());
            assert!((0..9).all(|k| z[k].is_nan() == (k == position)));
        };
        for position in 0..9 {
            nan_only_at(position, &logistic);
            nan_only_at(position, &squared);
            nan_only_at(position, &|z, y| huber(1.0, z, y));
        }
    }

    #[test]
    fn the_split_logarithm_is_one() {
        assert_eq!(LN_2_HIGH + LN_2_LOW, LN_2);
        assert_eq!(LN_2_HIGH.to_bits() & ((1 << 21) - 1), 0);
    }
}
