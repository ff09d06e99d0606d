//! Numbers whose digits are drawn when they are needed.

use super::*;
use crate::proofs::{Words, assume, cover, harness};

harness! {
    /// spec: `own:rounded-normal`
    /// covers: noise::fraction::LazyFraction::exceeds_fresh, noise::fraction::LazyFraction::word — within a bound
    ///
    /// A fresh number is below this one exactly if its first word that differs is; words are drawn in turns, and
    /// none after the one that decides. Asked again, this number is the same: its words stay, and only those that it
    /// does not have yet are drawn.
    ///
    /// assumes: one of the first two words differs, both times (two equal ones have probability 2^−128). bound: all
    /// 64-bit words. solver: cadical.
    /// mutation: `equal words decide`
    [kani::proof, kani::unwind(4), kani::solver(cadical)]
    fn verify_exceeds_fresh__first_difference(words: [u64; 6], equal: bool, again: bool) {
        // Ties are frequent in a test, the first time and the second.
        let [a, b, c, d, e, f] = words;
        let [b, c, e] = [if equal { a } else { b }, if again && !equal { b } else { c }, if again && equal { a } else { e }];
        let words = [a, b, c, d, e, f];
        let [fresh, own, next_fresh, next_own, ..] = words;
        assume!(fresh != own || next_fresh != next_own);
        let (mut x, mut bits) = (LazyFraction::default(), Words::new(words));
        let below = x.exceeds_fresh(&mut bits);
        cover!(below && bits.read == 4);
        cover!(!below && bits.read == 2);
        assert!(below == ((fresh, next_fresh) < (own, next_own)));
        assert!(bits.read == if fresh == own { 4 } else { 2 });
        // The second number's first word, and its second one beside ours, which we may have or not.
        let [other, next_other, ours] = if fresh == own { [words[4], words[5], words[3]] } else { [words[2], words[3], words[4]] };
        assume!(other != own || next_other != ours);
        let below = x.exceeds_fresh(&mut bits);
        cover!(below && bits.read == 6);
        cover!(!below && bits.read == 5 && fresh != own);
        assert!(below == ((other, next_other) < (own, ours)));
        let tie = if fresh == own { 6 } else { 5 };
        assert!(bits.read == if other == own { tie } else if fresh == own { 5 } else { 3 });
    }
}
