//! Uniform integers: in range, and without preference.

use super::*;
use crate::proofs::{assume, cover, harness};

harness! {
    /// spec: `own:uniform-below`
    /// covers: noise::uniform::Word::attempt — all inputs
    ///
    /// What an attempt returns is at most `last`, and no value is preferred: a word gives 0 exactly if the word
    /// exclusive-or `value` gives `value`. That is a bijection of words, so every value up to `last` has as many
    /// pre-images as 0 has.
    ///
    /// assumes: `value` ≤ `last`. bound: none, all 64-bit and all 8-bit numbers; there is no loop. solver: cadical.
    /// mutation: `remainder instead of rejection`
    [kani::proof, kani::unwind(5), kani::solver(cadical)]
    fn verify_attempt__equal_pre_images(last: u64, value: u64, random: u64) {
        let drawn = u64::attempt(last, random);
        cover!(drawn.is_none());
        cover!(drawn == Some(last) && last == u64::MAX);
        assert!(drawn.is_none_or(|drawn| drawn <= last));
        let [small_last, small_value, byte] = [last, value, random].map(|x| x.to_le_bytes()[0]);
        let small = u8::attempt(small_last, random);
        assert!(small.is_none_or(|drawn| drawn <= small_last));
        if small_value <= small_last {
            let other = u8::attempt(small_last, u64::from(byte ^ small_value));
            cover!(small == Some(0) && small_value > 0);
            assert!((small == Some(0)) == (other == Some(small_value)));
        }
        assume!(value <= last);
        let other = u64::attempt(last, random ^ value);
        assert!((drawn == Some(0)) == (other == Some(value)));
    }
}

harness! {
    /// spec: `own:uniform-below`
    /// covers: noise::uniform::Word::width — all inputs
    ///
    /// The width is that of what an attempt looks at: bits beyond it change nothing, and `last` needs no fewer.
    ///
    /// assumes: nothing. bound: none, all 64-bit numbers. solver: cadical.
    /// mutation: `a width of a bit too few`
    [kani::proof, kani::unwind(2), kani::solver(cadical)]
    fn verify_width__all_that_is_looked_at(last: u64, random: u64, shift: u8) {
        // Small numbers are frequent in a test.
        let last = last >> (shift % 64);
        let width = <u64 as Word>::width(last);
        cover!(width == 0);
        cover!(width == 64);
        let kept = random & u64::MAX.checked_shr(64 - width).unwrap_or(0);
        assert!(width <= 64 && u64::attempt(last, random) == u64::attempt(last, kept));
        assert!(last == 0 || last >> (width - 1) == 1);
    }
}
