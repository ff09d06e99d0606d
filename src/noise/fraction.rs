//! Real numbers whose binary digits are drawn when they are first needed.
//!
//! A decision about such a number looks at its digits in order and stops as soon as they settle it. Digits that
//! were looked at stay; those that were not are still independent fair bits, whatever was decided so far,
//! because no decision depends on them. So a later decision may go on drawing where an earlier one stopped, and
//! the number behaves as if all of its digits had been there from the beginning.

use super::bits::RandomBits;
use num_bigint::BigUint;

/// A uniform number in (0, 1). Only the first words of its binary expansion are known so far.
#[derive(Default)]
pub(super) struct LazyFraction {
    first: Option<u64>,
    /// The words after the first; they are seldom needed, and an empty vector costs nothing.
    later: Vec<u64>,
}

impl LazyFraction {
    /// Word `index` of the expansion. Words are asked for in order from 0, so at most the next one is unknown.
    pub(super) fn word<R: RandomBits>(&mut self, index: usize, rng: &mut R) -> u64 {
        let Some(index) = index.checked_sub(1) else {
            return *self.first.get_or_insert_with(|| rng.next_u64());
        };
        self.later.get(index).copied().unwrap_or_else(|| {
            let fresh = rng.next_u64();
            self.later.push(fresh);
            fresh
        })
    }

    /// `⌊x·2^(64·words)⌋`.
    pub(super) fn floor<R: RandomBits>(&mut self, words: usize, rng: &mut R) -> BigUint {
        (0..words).fold(BigUint::ZERO, |digits, index| (digits << u64::BITS) + self.word(index, rng))
    }

    /// Whether a fresh uniform number is below this one: true with probability x. The first differing word
    /// decides, so finitely many bits give an exact answer.
    pub(super) fn exceeds_fresh<R: RandomBits>(&mut self, rng: &mut R) -> bool {
        let mut index = 0;
        loop {
            let (fresh, own) = (rng.next_u64(), self.word(index, rng));
            if fresh != own {
                return fresh < own;
            }
            index += 1;
        }
    }
}

/// The number `whole + fraction`.
pub(super) struct LazyNumber {
    pub(super) whole: u64,
    pub(super) fraction: LazyFraction,
}

impl LazyNumber {
    /// `⌊y·2^(64·words)⌋`: the number y is at least this many units of 2^(−64·words), and at most one unit more.
    pub(super) fn floor<R: RandomBits>(&mut self, words: usize, rng: &mut R) -> BigUint {
        (BigUint::from(self.whole) << (64 * words)) + self.fraction.floor(words, rng)
    }
}

#[cfg(any(kani, test))]
#[path = "../../proofs/noise/fraction.rs"]
mod proofs;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::noise::tape::Tape;

    #[test]
    fn equal_words_leave_the_comparison_to_the_next() {
        let mut x = LazyFraction { first: Some(7), later: Vec::new() };
        // Fresh 7 ties with the known word; then fresh 3 against the new word 4.
        let mut tape = Tape::new([7, 3, 4]);
        assert!(x.exceeds_fresh(&mut tape));
        assert_eq!((x.first, &x.later[..]), (Some(7), &[4][..]), "what was revealed stays");
        let mut tape = Tape::new([7, 5, 8]);
        assert!(!x.exceeds_fresh(&mut tape));
        assert_eq!((tape.unread(), x.first, &x.later[..]), (1, Some(7), &[4][..]));
    }

    #[test]
    fn digits_are_drawn_once_and_in_order() {
        let mut number = LazyNumber { whole: 5, fraction: LazyFraction::default() };
        let mut tape = Tape::new([1, 2, 3]);
        let two = (BigUint::from(5_u8) << 128_u8) + (BigUint::from(1_u8) << 64_u8) + 2_u8;
        assert_eq!(number.floor(0, &mut tape), BigUint::from(5_u8));
        assert_eq!((number.floor(2, &mut tape), tape.unread()), (two.clone(), 1));
        assert_eq!((number.floor(2, &mut tape), tape.unread()), (two.clone(), 1));
        assert_eq!(number.floor(3, &mut tape), (two << 64_u8) + 3_u8);
        assert!(!tape.overrun);
    }
}
