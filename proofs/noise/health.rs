//! The start-up tests of the generator: exactly what they say.

use super::*;
use crate::proofs::{cover, harness};

/// 32 bytes from four words. Kani takes them all; random inputs are of two different bytes where `few` is set, so that
/// they meet the rare branches, too.
fn key(words: (u64, u64, u64, u64), few: bool) -> [u8; 32] {
    let mut key = [0; 32];
    for (k, word) in [words.0, words.1, words.2, words.3].into_iter().enumerate() {
        for (j, byte) in word.to_le_bytes().into_iter().enumerate() {
            key[8 * k + j] = if few && !cfg!(kani) { byte & 1 } else { byte };
        }
    }
    key
}

harness! {
    /// spec: `own:generator`
    ///
    /// `of_key` says `Repeated` exactly if some six neighbours are equal, and otherwise `Frequent` exactly if at least
    /// eight bytes equal the first.
    ///
    /// assumes: nothing. bound: none, all keys of 32 bytes. solver: cadical.
    /// covers: noise::health::of_key — all inputs
    /// mutation: `a run goes on over a different byte`
    [kani::proof, kani::unwind(34), kani::solver(cadical)]
    fn verify_of_key__exactly(first: u64, second: u64, third: u64, fourth: u64, few: bool) {
        let key = key((first, second, third, fourth), few);
        let (mut repeated, mut occurrences) = (false, 0_u8);
        for start in 0..27 {
            let mut equal = true;
            for offset in 1..6 {
                equal &= key[start] == key[start + offset];
            }
            repeated |= equal;
        }
        for byte in key {
            occurrences += u8::from(byte == key[0]);
        }
        let symptom = of_key(&key);
        cover!(symptom.is_none());
        cover!(symptom == Some(Symptom::Repeated) && occurrences < 8);
        cover!(symptom == Some(Symptom::Frequent));
        assert!((symptom == Some(Symptom::Repeated)) == repeated);
        assert!((symptom == Some(Symptom::Frequent)) == (!repeated && occurrences >= 8));
        assert!(symptom != Some(Symptom::Stuck));
    }
}
