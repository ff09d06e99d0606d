//! Uniform integers by rejection.
//!
//! Algorithm: let `mask` be the smallest number of the form 2^j − 1 that is not below `last`. Keep the bits of
//! `mask` of a fresh random word; if the result is above `last`, take a new word.
//!
//! Exactness: the kept bits are uniform on `0..=mask`, every number in that range stands for equally many
//! words, and `0..=last` is part of it. Conditioning a uniform law on a subset gives the uniform law on the
//! subset. There is no division, hence no remainder that prefers small numbers. As `mask < 2·last + 1`, an
//! attempt succeeds with probability greater than ½; the loop ends with probability 1.

use super::bits::RandomBits;
use core::num::NonZeroU64;

mod sealed {
    /// The proof above is about machine words, so only they are words.
    pub trait Sealed {}
}

/// Machine words: the sampler is one source for all of them, so a model checker can exhaust the smallest.
///
/// spec: `own:uniform-below`
pub trait Word: Copy + Ord + sealed::Sealed {
    /// One attempt: the random bits under the smallest all-ones mask that covers `last`, if not above `last`.
    fn attempt(last: Self, random: u64) -> Option<Self>;
    /// How many low bits of the random word an attempt looks at.
    fn width(last: Self) -> u32;
}

macro_rules! words {
    ($($word:ty),+) => {$(
        impl sealed::Sealed for $word {}

        impl Word for $word {
            // Truncation keeps the low bits of the random word; they are as random as the others.
            #[allow(clippy::cast_possible_truncation)]
            fn attempt(last: Self, random: u64) -> Option<Self> {
                // The shift is refused only for `last == 0`, where the mask has no bits.
                let mask = Self::MAX.checked_shr(last.leading_zeros()).unwrap_or(0);
                let candidate = random as Self & mask;
                (candidate <= last).then_some(candidate)
            }

            fn width(last: Self) -> u32 {
                Self::BITS - last.leading_zeros()
            }
        }
    )+};
}

words!(u8, u16, u32, u64);

/// Draws uniformly from `0..=last`. Total: `0` and the largest word are allowed.
///
/// spec: `own:uniform-below`, `own:tapes`
///
/// ```
/// use asap_dp::noise::{ReplayRng, uniform_up_to};
/// let mut rng = ReplayRng::new(1);
/// assert!(uniform_up_to(5_u8, &mut rng) <= 5);
/// assert_eq!(uniform_up_to(0_u64, &mut rng), 0);
/// ```
pub fn uniform_up_to<W: Word, R: RandomBits>(last: W, rng: &mut R) -> W {
    loop {
        if let Some(drawn) = W::attempt(last, rng.low_bits(W::width(last))) {
            return drawn;
        }
    }
}

/// Draws uniformly from `0..bound`.
///
/// spec: `own:uniform-below`
pub fn uniform_below<R: RandomBits>(bound: NonZeroU64, rng: &mut R) -> u64 {
    uniform_up_to(bound.get() - 1, rng)
}

#[cfg(any(kani, test))]
#[path = "../../proofs/noise/uniform.rs"]
mod proofs;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::noise::tape::Tape;
    use quickcheck::quickcheck;

    #[test]
    fn every_byte_has_equally_many_pre_images() {
        for last in 0..=u8::MAX {
            let mut pre_images = [0_u32; 256];
            for random in 0..256 {
                if let Some(drawn) = u8::attempt(last, random) {
                    pre_images[usize::from(drawn)] += 1;
                }
            }
            let (inside, outside) = pre_images.split_at(usize::from(last) + 1);
            assert!(inside.iter().all(|count| *count == inside[0]), "last = {last}");
            assert!(outside.iter().all(|count| *count == 0), "last = {last}");
            assert!(
                inside.iter().sum::<u32>() > 128,
                "last = {last}: an attempt must succeed more often than not"
            );
        }
    }

    #[test]
    fn the_ends_of_the_range_take_one_word() {
        let mut tape = Tape::new([u64::MAX, u64::MAX, 0]);
        assert_eq!(uniform_up_to(0_u64, &mut tape), 0);
        assert_eq!(uniform_up_to(u64::MAX, &mut tape), u64::MAX);
        assert_eq!(uniform_below(NonZeroU64::MIN, &mut tape), 0);
        assert_eq!((tape.unread(), tape.overrun), (0, false));
    }

    #[test]
    fn too_large_candidates_are_drawn_again() {
        let mut tape = Tape::new([7, 6, 5, 4]);
        assert_eq!(uniform_up_to(5_u16, &mut tape), 5);
        assert_eq!(tape.unread(), 1);
    }

    quickcheck! {
        // The wide instances agree with the exhausted one wherever both are defined.
        fn wider_words_agree_with_bytes(last: u8, random: u64) -> bool {
            let byte = u8::attempt(last, random);
            u16::attempt(last.into(), random) == byte.map(u16::from)
                && u32::attempt(last.into(), random) == byte.map(u32::from)
                && u64::attempt(last.into(), random) == byte.map(u64::from)
        }

        fn no_bit_beyond_the_width_matters(last: u64, random: u64, other: u64) -> bool {
            let beyond = u64::MAX.checked_shl(u64::width(last)).unwrap_or(0);
            u64::attempt(last, random) == u64::attempt(last, random ^ (other & beyond))
        }

        fn never_above_the_last(last: u64, random: u64) -> bool {
            u64::attempt(last, random).is_none_or(|drawn| drawn <= last)
        }

        fn whatever_is_below_can_be_drawn(last: u64, wanted: u64) -> bool {
            wanted > last || u64::attempt(last, wanted) == Some(wanted)
        }
    }
}
