//! Normal numbers from boxes: the codes, and the rounding of the fast path.

use super::*;
use crate::noise::variate::nearest;
use crate::proofs::{cover, harness};

harness! {
    /// spec: `own:fast-normal`
    /// covers: noise::boxes::common — all inputs
    ///
    /// A number of the common case is what the rounding of all variates says of its digits, with the sign of its bit; and it is none exactly
    /// if there is no box inside, or less than 54 digits.
    ///
    /// assumes: nothing. bound: none, all words and digits. solver: cadical.
    /// mutation: `a number half-way goes to the even one`
    [kani::proof, kani::unwind(2), kani::solver(cadical)]
    fn verify_common__nearest(word: u64, more: u8, half: bool) {
        // Half of the digits of a test are half-way between two f64, as far as they are known.
        let (word, more) = if half { (word & !(1 << 17), 0) } else { (word, u64::from(more) % 32) };
        let bin = bin_of(word);
        let digits = digits_of(bin, word, more);
        let number = common(word, more);
        cover!(number.is_some_and(|x| x < 0.0) && half);
        cover!(number.is_none() && bin == 0);
        cover!(number.is_none() && bin == 255);
        assert!(number.is_some() == (bin < 255 && digits >= 1 << 53));
        if let Some(number) = number {
            let magnitude = nearest(digits.into(), PLACES);
            assert!(number.to_bits() == magnitude.to_bits() | (word >> 16 & 1) << 63);
        }
    }
}

harness! {
    /// spec: `own:fast-normal`
    /// covers: noise::boxes::Place::of — all inputs
    ///
    /// A code is that of a box of its bin which is neither inside nor above the column, and no two codes are the same box; then come the bins
    /// of the tail, each once.
    ///
    /// assumes: a code that can be drawn. bound: none, all pairs of codes; the search has at most 9 rounds. solver: cadical.
    /// mutation: `a box is taken for one inside`
    [kani::proof, kani::unwind(10), kani::solver(cadical)]
    fn verify_place__one_box_each(code: u16, other: u16) {
        let codes = [code, other].map(|code| u64::from(code) % OTHER);
        let places = codes.map(Place::of);
        cover!(matches!(places[0], Place::Crossed { bin: 254, .. }));
        cover!(matches!(places[0], Place::Tail { bin: 63 }));
        cover!(places[0] == Place::Nothing);
        match places[0] {
            Place::Crossed { bin, level } => {
                let bin = usize::try_from(bin).unwrap_or(BINS);
                assert!(bin < BINS && level >= CURVE[bin + 1].into() && level <= CURVE[bin].into());
            }
            Place::Tail { bin } => assert!(bin < TAIL),
            Place::Nothing => assert!(codes[0] >= CROSSED + TAIL),
        }
        assert!(codes[0] == codes[1] || places[0] != places[1] || places[0] == Place::Nothing);
    }
}
