//! The fast normal law: numbers from one word, and the place of every code.

use super::*;
use crate::exact::decompose;
use crate::proofs::{Words, assume, cover, harness};

harness! {
    /// spec: `own:fast-normal`
    /// covers: noise::boxes::common, noise::boxes::digits_of, noise::boxes::with_sign — all inputs
    ///
    /// A word and five more digits give a number exactly if its box is inside and 54 digits of it are known. It is the `f64` nearest to
    /// *every* number whose digits begin so (the bin, then the word but for its 17 low bits, then the five), and bit 16 is its sign.
    ///
    /// assumes: five more digits. bound: none, all words. solver: cadical.
    /// mutation: `digits that are taken twice`
    [kani::proof, kani::unwind(2), kani::solver(cadical)]
    fn verify_common__nearest_to_its_digits(word: u64, more: u8) {
        let more = u64::from(more % 32);
        let number = common(word, more);
        let bin = bin_of(word);
        // In units of 2^−58, of which the first 6 are places of a bin.
        let digits = bin * (1 << 52) + (word >> 17) * 32 + more;
        cover!(number.is_none() && bin < BINS as u64);
        cover!(number.is_some_and(|x| x < -3.5));
        assert!(bin <= BINS as u64 && number.is_some() == (bin < BINS as u64 && digits >= 1 << 53));
        let Some(number) = number else { return };
        assert!(number.is_sign_negative() == (word & 1 << 16 != 0));
        let Some((mantissa, exponent)) = decompose(number.abs()) else { panic!("a number") };
        // Half a unit in its last place, in units of 2^−59; the digits to come add less than 2 of these.
        assume!(exponent >= -58);
        let places = (exponent + 59).cast_unsigned();
        let (value, half) = (u128::from(mantissa) << places, 1_u128 << (places - 1));
        let (least, most) = (2 * u128::from(digits), 2 * u128::from(digits) + 2);
        assert!(value <= least + half && most <= value + half);
    }
}

harness! {
    /// spec: `own:fast-normal`
    /// covers: noise::boxes::Place::of — all inputs
    ///
    /// Every code that is not a box inside has a place of its own: a box between the curve's two ends in its bin, of which no two
    /// codes are the same, one of 64 bins of the tail, or nothing.
    ///
    /// assumes: one of these codes. bound: none, all of them. solver: cadical.
    /// mutation: `the first box of a bin is in the bin before`
    [kani::proof, kani::unwind(10), kani::solver(cadical)]
    fn verify_place_of__one_for_each_code(code: u16) {
        let code = u64::from(code) % OTHER;
        let place = Place::of(code);
        cover!(matches!(place, Place::Crossed { bin: 254, .. }));
        cover!(place == Place::Nothing);
        match place {
            Place::Crossed { bin, level } => {
                let Ok(at) = usize::try_from(bin) else { panic!("a bin") };
                assert!(code < CROSSED && at < BINS);
                let (top, bottom) = (u64::from(CURVE[at]), u64::from(CURVE[at + 1]));
                assert!(bottom <= level && level <= top);
                // F_0 + i − F_i boxes before this bin, by the sum of the columns; from its lowest box on upwards.
                assert!(code + top + bottom == u64::from(CURVE[0]) + bin + level);
            }
            Place::Tail { bin } => assert!(bin < TAIL && code == CROSSED + bin),
            Place::Nothing => assert!(code >= CROSSED + TAIL),
        }
    }
}

harness! {
    /// spec: `own:fast-normal`
    /// covers: noise::variate::fill_normal, noise::variate::exact_normal_f64 — within a bound
    ///
    /// Each number has a word of its own and five more digits of a word that they share, none of which another one has; what these do not
    /// decide is left to the slow way, with the same word and digits.
    ///
    /// assumes: for Kani the slow way gives no number. bound: two numbers; twelve of them share a word. solver: cadical.
    /// mutation: `more digits that are shared`
    [kani::proof, kani::unwind(4), kani::solver(cadical),
     kani::stub(crate::noise::boxes::rare, no_number)]
    fn verify_fill_normal__a_word_for_each(words: [u64; 3]) {
        let [more, first, second] = words;
        let (mut numbers, mut bits) = ([0.0; 2], Words::new(words));
        crate::noise::fill_normal(&mut numbers, &mut bits);
        let expected = [common(first, more % 32), common(second, more / 32 % 32)];
        cover!(expected[0].is_some() && expected[1].is_some());
        cover!(expected[0].is_none());
        let same = |number: f64, expected: Option<f64>| match expected {
            Some(expected) => number.to_bits() == expected.to_bits(),
            None => !cfg!(kani) || number.is_nan(),
        };
        // A test that took the slow way has read other words since.
        assert!(same(numbers[0], expected[0]));
        assert!((!cfg!(kani) && expected[0].is_none()) || same(numbers[1], expected[1]));
        assert!(!cfg!(kani) || bits.read == 3);
        let one = crate::noise::exact_normal_f64(&mut Words::new(words));
        assert!(same(one, expected[0]));
    }
}

#[cfg(kani)]
fn no_number<R: RandomBits>(_: u64, _: u64, _: &mut R) -> f64 {
    f64::NAN
}
