//! Bregman divergences on many records at once: `b(z, t) = φ(z + t) − φ(z) − φ′(z)·t`. spec: `own:losses`
//!
//! The same style as the values and slopes: no branch, no table, nothing of libm, the same bits everywhere.
//! A difference of two values would be off by some units of the last place of the *values*; these formulas are
//! off by some units of the last place of t.

use super::vector::{ATANH, BATCH, INVERSE_FACTORIALS, ROUNDER, by_lanes, reduced};
use core::f64::consts::LN_2;

/// Claim: [`logistic`] is within this times |t| of the true divergence: 32 units of 2⁻⁵³. Where t points away from 0,
/// and |z| ≤ 600, even within this times `σ(−|z|)·|t|`.
pub(super) const LOGISTIC_ROUNDING: f64 = 1.0 / (1_u64 << 48) as f64;

/// Claim: where a product underflows, the divergences here are off by at most this, in addition to the other claims.
pub(super) const UNDERFLOW: f64 = f64::MIN_POSITIVE;

/// The sum of `kernel(z, t, y)` over a strip. Each term goes through at most `len/4 + 3` additions.
#[inline(always)]
pub(super) fn sum(z: &[f64], t: &[f64], y: &[f64], kernel: impl Fn(f64, f64, f64) -> f64) -> f64 {
    let mut terms = [0.0; BATCH];
    let mut sum = 0.0;
    for ((z, t), y) in z.chunks(BATCH).zip(t.chunks(BATCH)).zip(y.chunks(BATCH)) {
        let terms = &mut terms[..z.len()];
        terms.copy_from_slice(z);
        sum += by_lanes(terms, [t, y], |z, [t, y]| (kernel(z, t, y), z));
    }
    sum
}

/// The divergence of half the square, for any z.
#[inline(always)]
pub(super) fn squared(t: f64) -> f64 {
    0.5 * t * t
}

/// The divergence of the Huber loss: `(c₁ − c₀)·(r₁ − (c₁ + c₀)/2)` with the residuals before and after,
/// `r₀ = z − y` and `r₁ = r₀ + t`, and the same clamped to ±δ.
///
/// With `φ(r) = c·(r − c/2)` and `φ′(r) = c` it is `c₁r₁ − c₁²/2 − c₀r₀ + c₀²/2 − c₀t`, and `r₀ + t = r₁`. Where both
/// are beyond the same kink the first factor is 0 exactly.
#[inline(always)]
pub(super) fn huber(delta: f64, z: f64, t: f64, y: f64) -> f64 {
    // Comparisons and not `clamp`: a NaN must stay a NaN, and the loop must have no branch.
    let clamped = |r: f64| {
        let below = if r < -delta { -delta } else { r };
        if below > delta { delta } else { below }
    };
    let before = z - y;
    let after = before + t;
    let (c0, c1) = (clamped(before), clamped(after));
    not_negative((c1 - c0) * (after - 0.5 * (c1 + c0)))
}

/// A number whose true value is not negative. Not `max`: a NaN must stay a NaN.
#[inline(always)]
pub(super) fn not_negative(b: f64) -> f64 {
    if b < 0.0 { 0.0 } else { b }
}

/// Predictions beyond it are as good as infinitely far: `e^−64 < 2⁻⁹²`.
const FAR: f64 = 64.0;

/// The divergence of the logistic loss, for either target, within [`LOGISTIC_ROUNDING`]`·|t|` of the true one
/// (plus [`UNDERFLOW`]) for all finite z and t. NaN for NaN.
///
/// Softplus differs from its mirror image by a linear function, so that b does not change when both z and t
/// change their sign, and the target drops out. With the signs chosen such that `t ≤ 0`, and `p = σ(z)`,
///
/// ```text
/// b(z, t) = ln ρ + p·|t|,   ρ = 1 + p·(e^t − 1) = N/D ∈ (0, 1],   N = A + B·e^t,   D = A + B
/// ```
///
/// where `(A, B)` is `(e^−z, 1)` for positive z and `(1, e^z)` otherwise: nothing overflows. The logarithm is
/// `2·atanh((N − D)/(N + D))`. For ρ near 1 the difference is `B·expm1(t)` and keeps its digits however small t is;
/// otherwise N is multiplied by a power of two near `1/ρ` first, and t is not small.
///
/// A positive z beyond [`FAR`] moves to there, and t with it, as far as it goes (b is then a function of z + t
/// alone, up to `2|t|·e^−64`). The proof of the error bound is on the page own:losses.
#[inline(always)]
pub(super) fn logistic(z: f64, t: f64) -> f64 {
    let (z, t) = oriented(z, t);
    let [n, d, change, tangent] = quotient(z, t, exponential(-z.abs()));
    not_negative(ln_of_quotient(n, d, change) - tangent)
}

/// The sum of [`logistic`] over a strip: the same operations in three stages, because the compiler makes vector
/// instructions of short loops only.
#[inline(always)]
pub(super) fn logistic_sum(z: &[f64], t: &[f64]) -> f64 {
    let mut buffers = [[0.0; BATCH]; 4];
    let mut sum = 0.0;
    for (z, t) in z.chunks(BATCH).zip(t.chunks(BATCH)) {
        // First `e^−|z|`, z and t, then N, D, their difference and the tangent.
        let [first, second, third, tangent] = buffers.each_mut().map(|buffer| &mut buffer[..z.len()]);
        let inputs = z.iter().zip(t);
        for ((((z, t), e), point), step) in inputs.zip(&mut *first).zip(&mut *second).zip(&mut *third) {
            (*point, *step) = oriented(*z, *t);
            *e = exponential(-point.abs());
        }
        let places = first.iter_mut().zip(&mut *second).zip(&mut *third).zip(&mut *tangent);
        for (((first, second), third), tangent) in places {
            [*first, *second, *third, *tangent] = quotient(*second, *third, *first);
        }
        sum += by_lanes(first, [second, third, tangent], |n, [d, change, tangent]| {
            (not_negative(ln_of_quotient(n, d, change) - tangent), n)
        });
    }
    sum
}

/// z and t with the signs and within the range that the formula is for: `t ≤ 0` and `z ≤ 64`.
#[inline(always)]
fn oriented(z: f64, t: f64) -> (f64, f64) {
    let z = if t > 0.0 { -z } else { z };
    let beyond = if z > FAR { z - FAR } else { 0.0 };
    let near = if z > FAR { FAR } else { z };
    let moved = beyond - t.abs();
    (near, if moved > 0.0 { 0.0 } else { moved })
}

/// N, D, N − D and `p·t` for `e = e^−|z|`.
#[inline(always)]
fn quotient(z: f64, t: f64, e: f64) -> [f64; 4] {
    let (a, b) = if z > 0.0 { (e, 1.0) } else { (1.0, e) };
    let d = 1.0 + e;
    let (power, rest) = split_exponential(t);
    let change = b * ((power - 1.0) + power * rest);
    let n = a + b * (power + power * rest);
    [n, d, change, b / d * t]
}

/// `e^x` for `x ≤ 0`, with a relative error below 2u; from −700 on it stays what it is there.
#[inline(always)]
fn exponential(x: f64) -> f64 {
    let (power, rest) = split_exponential(x);
    power + power * rest
}

/// Where [`split_exponential`] ends: e^−700 is still a normal number, and far below 2⁻⁵³ of anything it meets.
const SMALLEST_EXPONENT: f64 = -700.0;

/// `(2^k, r)` with `e^x = 2^k(1 + r)`, `|r| ≤ √2 − 1`, for `x ≤ 0`; NaN for NaN.
///
/// r has a relative error below 3u, and where k = 0 it is `expm1(x)`. The remainder of the Taylor series after
/// `x¹³/13!` is below `0.3466¹⁴/14! < 2⁻⁵⁷`.
#[inline(always)]
fn split_exponential(x: f64) -> (f64, f64) {
    let (shifted, r) = reduced(x, SMALLEST_EXPONENT);
    let pair = |i: usize| INVERSE_FACTORIALS[i] + INVERSE_FACTORIALS[i + 1] * r;
    let r2 = r * r;
    let r4 = r2 * r2;
    let low = (pair(2) + pair(4) * r2) + (pair(6) + pair(8) * r2) * r4;
    let high = pair(10) + pair(12) * r2;
    // k is in the low bits of `shifted`; the shift drops everything above the exponent field.
    let power = f64::from_bits(shifted.to_bits().wrapping_add(1023) << 52);
    (power, r + r2 * (low + high * (r4 * r4)))
}

/// `ln(n/d)` for `2⁻⁹³ < n/d ≤ 1`, `1 ≤ d ≤ 2` and `change = n − d`, which is used where n/d is near 1.
#[inline(always)]
fn ln_of_quotient(n: f64, d: f64, change: f64) -> f64 {
    // The bits of a number are nearly its logarithm: within 0.0861 octaves each way. Hence 2^k·n/d is
    // between 2^−0.5861 and 2^0.5861, and k > 0 only where n/d < 2^−0.4139 < 0.7506.
    let bits = n.to_bits().wrapping_sub(d.to_bits()).wrapping_add((1024 << 52) | (1 << 51));
    let exponent = 1024_u64.wrapping_sub(bits >> 52);
    let power = f64::from_bits(exponent.wrapping_add(1023) << 52);
    let k = f64::from_bits(ROUNDER.to_bits().wrapping_add(exponent)) - ROUNDER;
    let difference = if k > 0.0 { power * n - d } else { change };
    let s = (difference + difference) / (power * n + d);
    let q = s * s;
    let pair = |i: usize| ATANH[i] + ATANH[i + 1] * q;
    let q2 = q * q;
    let q4 = q2 * q2;
    let low = (pair(0) + pair(2) * q2) + (pair(4) + pair(6) * q2) * q4;
    let high = pair(8) + ATANH[10] * q2;
    s * (low + high * (q4 * q4)) - k * LN_2
}
