//! Random bits without waste: a word serves as many coins as it has bits.

use super::bits::{RandomBits, Randomness, sealed::Sealed};

/// A source that keeps the unused bits of the last word that was asked for a few bits only.
///
/// No bit is handed out twice, and whether a remainder is dropped depends on how many bits were asked for, never
/// on the bits themselves. So what is handed out is as independent and fair as the source.
pub(super) struct Thrifty<'source, R> {
    source: &'source mut R,
    store: u64,
    left: u32,
}

impl<'source, R: RandomBits> Thrifty<'source, R> {
    pub(super) fn new(source: &'source mut R) -> Self {
        Self { source, store: 0, left: 0 }
    }
}

impl<R> Sealed for Thrifty<'_, R> {}

impl<R: RandomBits> RandomBits for Thrifty<'_, R> {
    const PROVENANCE: Randomness = R::PROVENANCE;

    fn next_u64(&mut self) -> u64 {
        self.source.next_u64()
    }

    fn low_bits(&mut self, count: u32) -> u64 {
        let count = count.min(u64::BITS);
        if count > self.left {
            (self.store, self.left) = (self.source.next_u64(), u64::BITS);
        }
        // The first shift is refused for no bits at all, the second for all 64.
        let taken = self.store & u64::MAX.checked_shr(u64::BITS - count).unwrap_or(0);
        self.store = self.store.checked_shr(count).unwrap_or(0);
        self.left -= count;
        taken
    }
}

#[cfg(any(kani, test))]
#[path = "../../proofs/noise/thrifty.rs"]
mod proofs;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::noise::tape::Tape;
    use quickcheck::quickcheck;

    #[test]
    fn bits_are_taken_from_below_and_never_twice() {
        let mut tape = Tape::new([0b1011_0110, 9, u64::MAX, 5]);
        let mut bits = Thrifty::new(&mut tape);
        let taken = [3, 0, 1, 4].map(|count| bits.low_bits(count));
        assert_eq!(taken, [0b110, 0, 0, 0b1011]);
        assert_eq!(bits.next_u64(), 9, "whole words are fresh");
        assert_eq!(bits.low_bits(56), 0, "the rest of the first word");
        assert_eq!(bits.low_bits(0), 0, "no bits, no word");
        assert_eq!([bits.low_bits(64), bits.low_bits(2)], [u64::MAX, 1]);
        assert_eq!((tape.unread(), tape.overrun), (0, false));
    }

    quickcheck! {
        // The bits that were handed out, put together again, are the words, but for dropped remainders.
        fn nothing_is_handed_out_twice(words: Vec<u64>, counts: Vec<u8>) -> bool {
            let mut tape = Tape::new(words.clone());
            let mut bits = Thrifty::new(&mut tape);
            let (mut word, mut used) = (0, 64);
            for count in counts.iter().map(|count| u32::from(count % 65)) {
                if used + count > 64 {
                    (word, used) = (word + 1, 0);
                }
                let Some(source) = words.get(word.max(1) - 1) else { return true };
                let expected = if count == 0 { 0 } else { (source >> used) & (u64::MAX >> (64 - count)) };
                if bits.low_bits(count) != expected {
                    return false;
                }
                used += count;
            }
            true
        }
    }
}
