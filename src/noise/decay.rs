//! Enclosures of e^(−y), and the comparison of a number that is drawn digit by digit with a multiple of e^(−y). spec: `own:fast-normal`
//!
//! Enclosure: let z = y/2^r be in \[0, 1\] and T_k = Σ_j (−z)^j·(k−1)!/(k−1+j)!. The terms alternate and do not
//! grow, and the first is 1: T_k is in \[0, 1\]. T_k = 1 − (z/k)·T_(k+1), and T_1 = e^(−z). So start from \[0, 1\] for some
//! T_k, step down to T_1 in integers that are rounded outwards, and square r times, again outwards: e^(−y) = (e^(−z))^(2^r). The
//! result encloses whatever the precision and the k were; more of both make it as narrow as one likes.
//!
//! Comparison: the drawn number begins with digits that enclose it, too. If the two enclosures do not overlap, they decide,
//! and no further digit could change that; if they do, more digits are drawn and the enclosures are computed again. The
//! number has a density, so it is equal to the other side with probability 0, and the loop ends with probability 1. What comes
//! out is what a comparison of the two real numbers would say: no rounding decides anything.

use super::bits::RandomBits;
use super::fraction::LazyNumber;
use num_bigint::BigUint;

/// Binary places of the machine words that are fixed-point numbers here.
const PLACES: u32 = 63;
const ONE: u64 = 1 << PLACES;

/// r of the enclosures in machine words.
pub(super) const HALVINGS: u32 = 6;

/// T_11 is where they start: z^10/10! is below 2^(−31), and mostly far below.
const TERMS: u64 = 10;

/// 2^63·e^(−y) is in this interval for y ≥ 32, since 32/ln 2 > 46.
pub(super) const BEYOND_32: [u64; 2] = [0, 1 << (PLACES - 46)];

/// ⌊a·b⌋.
#[allow(clippy::cast_possible_truncation)]
const fn product(a: u64, b: u64) -> u64 {
    // Factors are at most 2^63 + 2^7: the product fits.
    ((a as u128 * b as u128) >> PLACES) as u64
}

/// 2^63·e^(−64·z) is in this interval for all z from `low`/2^63 to `high`/2^63. Both are at most 2^62 + 1.
pub(super) const fn enclosure([low, high]: [u64; 2]) -> [u64; 2] {
    let [mut least, mut most] = [0, ONE];
    let mut k = TERMS;
    while k > 0 {
        // A quotient rounded down twice is rounded down once; plus one it is above.
        [least, most] = [ONE - (product(high, most) / k + 1), ONE - product(low, least) / k];
        k -= 1;
    }
    let mut squarings = 0;
    while squarings < HALVINGS {
        [least, most] = [product(least, least), product(most, most) + 1];
        squarings += 1;
    }
    [least, most]
}

/// 2^precision·e^(−y) is in this interval for all y from `low`/2^places to `high`/2^places.
fn wide_enclosure([low, high]: &[BigUint; 2], places: u64, precision: u64) -> [BigUint; 2] {
    // y < 2^(bits − places), so that z is at most ½.
    let halvings = (high.bits() + 1).saturating_sub(places);
    let scaled = |y: &BigUint| (y << precision) >> (places + halvings);
    let (one, low, high) = (BigUint::from(1_u8) << precision, scaled(low), scaled(high) + 1_u8);
    let mut enclosure = [BigUint::ZERO, one.clone()];
    // (16 + p/4)! is above 2^p: the start does not matter after so many steps.
    for k in (1..=16 + precision / 4).rev() {
        let [least, most] = &enclosure;
        let part = |z: &BigUint, t: &BigUint| ((z * t) >> precision) / k;
        enclosure = [&one - (part(&high, most) + 1_u8), &one - part(&low, least)];
    }
    for _ in 0..halvings {
        let [least, most] = enclosure.map(|t| (&t * &t) >> precision);
        enclosure = [least, most + 1_u8];
    }
    enclosure
}

/// A number F·2^s.
#[derive(Clone, Copy)]
pub(super) struct Multiple {
    /// F: at most 2^10.
    pub(super) factor: u64,
    /// s.
    pub(super) shift: u64,
}

/// Whether b + V < F·2^s·e^(−y), by the first word of V and an enclosure in machine words, if they suffice.
pub(super) fn decided(base: u64, first: u64, multiple: Multiple, [least, most]: [u64; 2]) -> Option<bool> {
    // 2·2^10·2^48·2^63 and a little more is below 2^123.
    if multiple.shift > 48 || multiple.factor > 1 << 10 {
        return None;
    }
    // Both sides in units of 2^−64. Because of the words of V to come the left one is between `left` and `left + 1`.
    let left = u128::from(base) << u64::BITS | u128::from(first);
    let right = |curve: u64| (u128::from(curve) * u128::from(multiple.factor)) << (multiple.shift + 1);
    if left < right(least) {
        Some(true)
    } else if left >= right(most) {
        Some(false)
    } else {
        None
    }
}

/// Whether `drawn` < F·2^s·e^(−y), where `exponent` encloses y by numerators over 2^places, ever closer for more words.
pub(super) fn is_below<R: RandomBits>(
    drawn: &mut LazyNumber,
    multiple: Multiple,
    mut exponent: impl FnMut(usize, &mut R) -> ([BigUint; 2], u64),
    rng: &mut R,
) -> bool {
    let mut words = 2;
    loop {
        let left = drawn.floor(words, rng);
        let (y, places) = exponent(words, rng);
        let curve = wide_enclosure(&y, places, u64::from(u64::BITS) * words as u64);
        let [least, most] = curve.map(|t| (t * multiple.factor) << multiple.shift);
        if left < least {
            return true;
        }
        if left >= most {
            return false;
        }
        words *= 2;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use quickcheck::{TestResult, quickcheck};

    quickcheck! {
        /// A decision holds for every number that begins with the first word, and for every curve in the enclosure: whatever comes
        /// after the word, the comparison says the same.
        fn what_is_decided_stays_decided(base: u16, words: (u64, u16), multiple: (u16, u8), curve: (u64, u8, u8), near: bool) -> TestResult {
            let ((first, later), (factor, shift)) = (words, multiple);
            let (factor, shift) = (u64::from(factor % 1024) + 1, u64::from(shift % 9));
            let base = u64::from(base) % (factor + 1);
            let left = u128::from(base) << 64 | u128::from(first);
            // Half of the curves are next to the level.
            let close = u64::try_from((left >> 1) / (u128::from(factor) << shift)).unwrap_or(u64::MAX);
            let least = if near { close.saturating_sub(1) } else { curve.0 };
            if least > 1 << 63 {
                return TestResult::discard();
            }
            let exact = least + u64::from(curve.1 % 3);
            let most = exact + u64::from(curve.2 % 3);
            let decision = decided(base, first, Multiple { factor, shift }, [least, most]);
            // In units of 2^−80.
            let left = left << 16 | u128::from(later);
            let right = (u128::from(exact) * u128::from(factor)) << (shift + 17);
            TestResult::from_bool(decision.is_none_or(|below| below == (left < right)))
        }
    }
}
