//! Numbers whose digits are drawn when they are needed.

use super::*;
use crate::proofs::{Words, assume, cover, harness};

harness! {
    /// spec: `own:rounded-normal`
    /// covers: noise::fraction::LazyFraction::exceeds_fresh, noise::fraction::LazyFraction::word — within a bound
    ///
    /// A fresh number is below this one exactly if its first word that differs is; words are drawn in turns, and none after
    /// the one that decides.
    ///
    /// assumes: one of the first two words differs (two equal ones have probability 2^−128). bound: all 64-bit words.
    /// solver: cadical.
    /// mutation: `equal words decide`
    [kani::proof, kani::unwind(4), kani::solver(cadical)]
    fn verify_exceeds_fresh__first_difference(words: [u64; 4], equal: bool) {
        let words = if equal { [words[0], words[0], words[2], words[3]] } else { words };
        let [fresh, own, next_fresh, next_own] = words;
        assume!(fresh != own || next_fresh != next_own);
        let (mut x, mut bits) = (LazyFraction::default(), Words::new(words));
        let below = x.exceeds_fresh(&mut bits);
        cover!(below && bits.read == 4);
        cover!(!below && bits.read == 2);
        assert!(below == ((fresh, next_fresh) < (own, next_own)));
        assert!(bits.read == if fresh == own { 4 } else { 2 });
    }
}
