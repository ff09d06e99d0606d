//! Random bits without waste: no bit twice.

use super::*;
use crate::proofs::{Words, cover, harness};

harness! {
    /// spec: `own:uniform-below`
    /// covers: noise::thrifty::Thrifty::low_bits — within a bound
    ///
    /// What is handed out are consecutive bits of the words, each once: a word is begun exactly if the last one has too few
    /// bits left, and how many are left does not depend on the bits.
    ///
    /// assumes: nothing. bound: three requests of at most 64 bits, all words; what is left after a request is all the state
    /// there is. solver: cadical.
    /// mutation: `bits that are handed out again`
    [kani::proof, kani::unwind(5), kani::solver(cadical)]
    fn verify_low_bits__each_once(words: [u64; 3], counts: [u8; 3]) {
        let mut source = Words::new(words);
        let mut bits = Thrifty::new(&mut source);
        let (mut begun, mut used) = (0, 64);
        for count in counts.map(|count| u32::from(count % 65)) {
            if used + count > 64 {
                (begun, used) = (begun + 1, 0);
            }
            let taken = bits.low_bits(count);
            cover!(begun == 2 && used > 0 && count > 0);
            cover!(count == 64);
            if count > 0 {
                assert!(taken == (words[begun - 1] >> used) & (u64::MAX >> (64 - count)));
            } else {
                assert!(taken == 0);
            }
            used += count;
        }
        assert!(source.read == begun);
    }
}
