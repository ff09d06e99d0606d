//! The rounded normal law: rounding and sign.

use super::super::steps::MOST_STEPS;
use super::*;
use crate::proofs::{Words, assume, cover, harness};

harness! {
    /// spec: `own:rounded-normal`
    /// covers: noise::normal::LazyFraction::times_rounded — within a bound
    ///
    /// ⌊s·x + ½⌋ from the first words of x is the rounding of *every* number that begins with them, and no step
    /// overflows.
    ///
    /// assumes: one or two words decide (a third is needed with probability below 2^−60). bound: all 64-bit words,
    /// s ≤ 7; the 53-bit s is the same source with a wider product, and is compared with big integers in a test.
    /// solver: cadical.
    /// mutation: `rounding forgets the carry of the second word`
    [kani::proof, kani::unwind(4), kani::solver(cadical)]
    fn verify_times_rounded__nearest(scale: u8, words: [u64; 2], near: bool) {
        let scale = u64::from(scale % 8);
        // Half of the random words of a test are next to a half, where the second word matters.
        let first = if near { (u64::MAX / 14).wrapping_mul(2 * (words[0] % 8) + 1) } else { words[0] };
        let words = [first, words[1]];
        assume!(scale > 0);
        let Ok(steps) = NormalScale::new(scale) else { return };
        let (mut x, mut bits) = (LazyFraction::default(), Words::new(words));
        let rounded = x.times_rounded(steps, &mut bits);
        assume!(bits.read <= 2);
        cover!(bits.read == 2);
        cover!(rounded == 7);
        // s·x + ½ in units of 2^−64: the words from the second on add s·y, 0 ≤ y < 1, rounded down and up.
        let [high, low] = words.map(|word| u128::from(word) * u128::from(scale));
        let half = high + (1 << 63);
        if bits.read == 1 {
            let largest = half + u128::from(scale) - 1;
            assert!(u128::from(rounded) == half >> 64 && rounded == (largest >> 64) as u64);
        } else {
            let next = low >> 64;
            assert!(u128::from(rounded) == (half + next) >> 64);
        }
    }
}

harness! {
    /// spec: `own:rounded-normal`
    /// covers: noise::normal::put_together — within a bound
    ///
    /// Turning the sign bit turns the sign and nothing else; the magnitude is s·k + ⌊s·x⌉ without overflow.
    ///
    /// assumes: a rounded fraction of at most s. bound: all 64-bit k, for s ≤ 7 and for the largest s = 2^53.
    /// solver: cadical.
    /// mutation: `the sign moves the magnitude`
    [kani::proof, kani::unwind(9), kani::solver(cadical)]
    fn verify_put_together__odd_in_sign(scale: u8, k: u64, fraction: u64) {
        let scale = scale % 8;
        // One of the eight is the largest.
        let scale = if scale == 0 { MOST_STEPS } else { scale.into() };
        let fraction = if fraction <= scale { fraction } else { 0 };
        let Ok(steps) = NormalScale::new(scale) else { return };
        let [plus, minus] = [false, true].map(|negative| put_together(steps, k, fraction, negative));
        cover!(plus == 0);
        cover!(k == u64::MAX && scale == MOST_STEPS && fraction == scale);
        // s·k by addition, or by a shift for the largest s.
        let product = if scale == MOST_STEPS {
            i128::from(k) << 53
        } else {
            (0..7).filter(|j| *j < scale).fold(0, |sum, _| sum + i128::from(k))
        };
        assert!(plus == product + i128::from(fraction) && minus == -plus);
    }
}

harness! {
    /// spec: `own:rounded-normal`
    /// covers: noise::normal::rounded_normal — within a bound
    ///
    /// What is drawn is within half a step of s·|N|, |N| the number that was drawn before, and gets a sign of its own.
    ///
    /// assumes: for Kani |N| is any number below 8 (that it has its law is a written proof). bound: s ≤ 7,
    /// three words. solver: cadical.
    /// mutation: `the whole part is not scaled`
    [kani::proof, kani::unwind(6), kani::solver(cadical),
     kani::stub(crate::noise::normal::absolute_normal, any_number)]
    fn verify_rounded_normal__nearest_to_its_number(scale: u8, words: [u64; 4]) {
        let Ok(steps) = NormalScale::new(u64::from(scale % 7 + 1)) else { return };
        let drawn = rounded_normal(steps, &mut Words::new(words));
        let mut bits = Words::new(words);
        let LazyNumber { whole, mut fraction } = absolute_normal(&mut bits);
        assume!(whole < 8);
        // s·|N| in units of 2^−64, from below and from above.
        let digits = u128::from(whole) << 64 | u128::from(fraction.word(0, &mut bits));
        let (least, most) = (digits * u128::from(steps.steps()), (digits + 1) * u128::from(steps.steps()));
        let (point, half) = (drawn.unsigned_abs() << 64, 1_u128 << 63);
        cover!(drawn < 0 && whole == 3);
        cover!(drawn == 0);
        assert!(point <= most + half && least <= point + half);
    }
}

#[cfg(kani)]
fn any_number<R: RandomBits>(rng: &mut R) -> LazyNumber {
    LazyNumber { whole: rng.next_u64() % 8, fraction: LazyFraction::default() }
}
