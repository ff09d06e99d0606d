//! Random bits without waste: no bit twice.

use super::*;
use crate::proofs::{Words, cover, harness};

harness! {
    /// spec: `own:uniform-below`
    /// covers: noise::thrifty::Thrifty::low_bits, noise::bits::RandomBits::low_bits — all inputs
    ///
    /// One request, from any state: what is handed out and what is kept are together the bits that were there (those
    /// kept so far, or a fresh word if they are too few), each once; and how many are left does not depend on the bits.
    ///
    /// assumes: at most 64 bits are kept, and none beyond, which every request leaves behind. bound: none, all states,
    /// words and counts; so for any number of requests. solver: cadical.
    /// mutation: `bits that are handed out again`
    [kani::proof, kani::unwind(2), kani::solver(cadical)]
    fn verify_low_bits__each_once(word: u64, store: u64, left: u8, count: u8) {
        let (left, count) = (u32::from(left % 65), u32::from(count % 65));
        let kept = |store: u64, left: u32| store & u64::MAX.checked_shr(64 - left).unwrap_or(0);
        let store = kept(store, left);
        let mut source = Words::new([word]);
        let mut bits = Thrifty { source: &mut source, store, left };
        let taken = bits.low_bits(count);
        let (after, still) = (bits.store, bits.left);
        let is_fresh = count > left;
        cover!(is_fresh && count < 64 && left > 0);
        cover!(!is_fresh && count > 0 && still > 0);
        let (before, had) = if is_fresh { (word, 64) } else { (store, left) };
        assert!(source.read == usize::from(is_fresh) && still == had - count);
        assert!(kept(taken, count) == taken && kept(after, still) == after);
        assert!(u128::from(after) << count | u128::from(taken) == before.into());
    }
}
