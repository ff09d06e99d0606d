//! Normal and exponential numbers as `f64`: exact real variates, rounded once.
//!
//! A chain that moves by numbers of a law *near* the normal one is a chain of another law, and a generator whose
//! tail is cut is infinitely far from the normal law in W∞. Here the real number has exactly its law, over the
//! whole line, and the `f64` is the nearest to it: |computed − exact| ≤ 2^−53·|exact|, or at most 2^−1075 where
//! the exact number is below the normal range.
//!
//! Algorithm: take words of the number until 54 of its significant digits are known, or the digits down to
//! 2^−1088. If the digit after the last one that an `f64` has room for is 0, round down, if it is 1, up.
//!
//! Exactness: let t be half a unit in the last place of the result. The unknown digits add between 0 and t. If
//! the digit worth t is 0, the exact number is at most t above the `f64` below it; if it is 1, it is at least t
//! above, and so at most t below the next one. Both are nearest. Digits are drawn for the decision and for
//! nothing else, so the law of the exact number does not change.

use super::bernoulli::fair_coin;
use super::bits::RandomBits;
use super::exponential::exponential;
use super::fraction::LazyNumber;
use super::normal::absolute_normal;
use super::thrifty::Thrifty;

/// A standard normal number, rounded once to the nearest `f64`.
///
/// spec: `own:variates`
pub fn exact_normal_f64<R: RandomBits>(rng: &mut R) -> f64 {
    let mut bits = Thrifty::new(rng);
    let magnitude = rounded(absolute_normal(&mut bits), &mut bits);
    if fair_coin(&mut bits) { -magnitude } else { magnitude }
}

/// Independent standard normal numbers, each rounded once to the nearest `f64`.
///
/// spec: `own:variates`
///
/// ```
/// use asap_dp::noise::{ReplayRng, fill_normal};
/// let mut numbers = [0.0; 1000];
/// fill_normal(&mut numbers, &mut ReplayRng::new(1));
/// let mean_square = numbers.iter().map(|x| x * x).sum::<f64>() / 1000.0;
/// assert!((0.8..1.2).contains(&mean_square));
/// ```
pub fn fill_normal<R: RandomBits>(out: &mut [f64], rng: &mut R) {
    out.fill_with(|| exact_normal_f64(rng));
}

/// An exponential number of mean 1, rounded once to the nearest `f64`.
///
/// spec: `own:variates`
pub fn exact_exponential_f64<R: RandomBits>(rng: &mut R) -> f64 {
    let mut bits = Thrifty::new(rng);
    rounded(exponential(&mut bits), &mut bits)
}

/// 17 words: a number without digits among them is below 2^−1088 and rounds to 0.
const MOST_PLACES: u32 = 17 * u64::BITS;

/// The `f64` nearest to the number.
fn rounded<R: RandomBits>(mut number: LazyNumber, rng: &mut R) -> f64 {
    let (mut digits, mut words) = (u128::from(number.whole), 0);
    while !is_enough(digits, u64::BITS * words) {
        // At most 53 digits so far: together with a word they are at most 117.
        digits = digits << u64::BITS | u128::from(number.fraction.word(words as usize, rng));
        words += 1;
    }
    nearest(digits, u64::BITS * words)
}

/// Whether `digits / 2^places` and the next multiple of 2^−places, and all numbers between, have an `f64` that is
/// nearest to all of them.
fn is_enough(digits: u128, places: u32) -> bool {
    digits >> f64::MANTISSA_DIGITS != 0 || places >= MOST_PLACES
}

/// The `f64` nearest to every number from `digits / 2^places` to `(digits + 1) / 2^places`, if that is enough
/// digits.
fn nearest(digits: u128, places: u32) -> f64 {
    let significant = u128::BITS - digits.leading_zeros();
    // How many digits an f64 has no room for: beyond the 53rd, and beyond the place of 2^−1074. At least one.
    let dropped = significant.saturating_sub(f64::MANTISSA_DIGITS).max(places.saturating_sub(1074)).max(1);
    // Half up. There are at most 117 digits, or 1151 places: the shifts are below 128.
    let mantissa = ((digits >> (dropped - 1)) + 1) >> 1;
    // Never negative, as at least places − 1074 digits are dropped. The leading digit of a mantissa of 53 digits
    // is not stored but added to the exponent, and so is the carry if rounding made it 2^53.
    let exponent = u128::from(dropped + 1074 - places);
    #[allow(clippy::cast_possible_truncation)]
    let bits = ((exponent << (f64::MANTISSA_DIGITS - 1)) + mantissa) as u64;
    f64::from_bits(bits)
}

#[cfg(any(kani, test))]
#[path = "../../proofs/noise/variate.rs"]
mod proofs;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exact::decompose;
    use crate::noise::fraction::LazyFraction;
    use crate::noise::tape::Tape;
    use num_bigint::{BigInt, BigUint};
    use quickcheck::quickcheck;

    /// `value·2^1280` for a non-negative `f64`, exactly.
    fn units(value: f64) -> BigInt {
        let (mantissa, exponent) = decompose(value).unwrap();
        BigInt::from(mantissa) << (1280 + exponent)
    }

    /// Rounds the number whose digits are `whole` and 20 words, and compares its distance from the exact number
    /// with that of the two neighbouring `f64`.
    fn is_nearest(whole: u64, words: [u64; 20]) -> bool {
        let mut tape = Tape::new(words);
        let rounded = rounded(LazyNumber { whole, fraction: LazyFraction::default() }, &mut tape);
        let digits = words.iter().fold(BigUint::from(whole), |digits, word| (digits << 64_u8) + *word);
        let exact = BigInt::from(digits);
        let distance = |value: f64| BigInt::from((units(value) - &exact).magnitude().clone());
        let error = distance(rounded);
        let relative = (&error << 53_u8) <= exact || error <= BigInt::from(1_u8) << (1280 - 1075);
        relative
            && !tape.overrun
            && error <= distance(rounded.next_up())
            && (rounded == 0.0 || error <= distance(rounded.next_down()))
    }

    #[test]
    fn the_smallest_and_the_largest_numbers() {
        let beginning = |zeros: usize, word: u64| {
            let mut words = vec![0; zeros];
            words.extend([word, 0]);
            rounded(LazyNumber { whole: 0, fraction: LazyFraction::default() }, &mut Tape::new(words))
        };
        // Word 17 begins at 2^−1024: half of 2^−1074 is its bit of weight 2^−1075, bit 13.
        assert_eq!(beginning(16, 1 << 13).to_bits(), 1);
        assert_eq!(beginning(16, (1 << 13) - 1).to_bits(), 0);
        assert_eq!(beginning(17, u64::MAX).to_bits(), 0);
        assert_eq!(beginning(15, 4).to_bits(), f64::MIN_POSITIVE.to_bits(), "2^−1022");
        assert_eq!(beginning(15, 1).to_bits() >> 50, 1, "2^−1024 and a little, subnormal");
        assert!(beginning(0, u64::MAX) >= 1.0, "rounds up to 1");
        assert_eq!(nearest(u64::MAX.into(), 0).to_bits(), 2.0_f64.powi(64).to_bits(), "the carry goes on");
        assert_eq!(nearest((1 << 54) - 1, 0).to_bits(), 2.0_f64.powi(54).to_bits());
        assert_eq!(nearest((1 << 54) - 2, 0).to_bits(), (2.0_f64.powi(54) - 2.0).to_bits());
    }

    #[test]
    fn no_more_digits_than_needed() {
        let read = |whole: u64, words: [u64; 3]| {
            let mut tape = Tape::new(words);
            rounded(LazyNumber { whole, fraction: LazyFraction::default() }, &mut tape);
            3 - tape.unread()
        };
        assert_eq!(read(1 << 53, [1, 1, 1]), 0);
        assert_eq!(read(1, [0, 1, 1]), 1);
        assert_eq!(read(0, [1 << 53, 1, 1]), 1, "54 digits");
        assert_eq!(read(0, [(1 << 53) - 1, 1, 1]), 2, "53 digits");
        assert_eq!(read(0, [0, 1, 1]), 3);
        // Without a digit in 17 words it is 0.
        let mut tape = Tape::new([0; 18]);
        let number = LazyNumber { whole: 0, fraction: LazyFraction::default() };
        assert_eq!((rounded(number, &mut tape), tape.unread()), (0.0, 1));
    }

    /// The same real numbers, digit by digit, and the sign after them. Words of the source are used up bit by bit, so
    /// that both sides ask a thrifty source.
    #[test]
    fn a_variate_is_its_real_number_rounded() {
        let mut signs = [0, 0];
        for seed in 0..64 {
            let mut rng = crate::noise::ReplayRng::new(seed);
            let mut bits = Thrifty::new(&mut rng);
            let mut number = absolute_normal(&mut bits);
            let digits = number.floor(2, &mut bits);
            let size = units_of_two_words(&digits);
            let drawn = exact_normal_f64(&mut crate::noise::ReplayRng::new(seed));
            assert!((drawn.abs() / size - 1.0).abs() < 1e-15, "{drawn} {size}");
            signs[usize::from(drawn < 0.0)] += 1;
            let mut rng = crate::noise::ReplayRng::new(seed);
            let mut bits = Thrifty::new(&mut rng);
            let size = units_of_two_words(&exponential(&mut bits).floor(2, &mut bits));
            let drawn = exact_exponential_f64(&mut crate::noise::ReplayRng::new(seed));
            assert!((drawn / size - 1.0).abs() < 1e-15, "{drawn} {size}");
        }
        // Fair coins: fewer than 8 of 64 have probability 10⁻¹⁰.
        assert!(signs.iter().all(|count| *count >= 8), "{signs:?}");
    }

    /// `digits·2^−128`, nearly.
    fn units_of_two_words(digits: &BigUint) -> f64 {
        digits.to_string().parse::<f64>().unwrap() * 2.0_f64.powi(-128)
    }

    quickcheck! {
        fn rounding_agrees_with_big_integers(whole: u64, places: u8, zeros: u8, shift: u8, seed: u64) -> bool {
            // Whole parts of all lengths, often 0; then up to 17 words of zeros and a word that begins anywhere.
            let whole = whole.checked_shr(places.into()).unwrap_or(0);
            let mut rng = crate::noise::ReplayRng::new(seed);
            let words = core::array::from_fn(|index| match index.cmp(&usize::from(zeros % 18)) {
                core::cmp::Ordering::Less => 0,
                core::cmp::Ordering::Equal => rng.next_u64() >> (shift % 64),
                core::cmp::Ordering::Greater => rng.next_u64(),
            });
            is_nearest(whole, words)
        }

        // Numbers next to the middle of two f64: 53 digits, a half, and then nothing, or nearly.
        fn rounding_next_to_a_half_agrees(mantissa: u64, in_whole: bool, zeros: u8, offset: i8) -> bool {
            let (zeros, significant) = (usize::from(zeros % 16), (mantissa | 1 << 63) >> 11);
            let digits = (u128::from(significant) * 2 + 1) << (127 - 53);
            let digits = digits.wrapping_add_signed(i128::from(offset % 3));
            let mut words = [0; 20];
            // The 54 digits begin in the whole part or with a word.
            let (whole, digits) = if in_whole { (1, digits << 1) } else { (0, digits) };
            let zeros = if whole == 0 { zeros } else { 0 };
            [words[zeros], words[zeros + 1]] =
                [digits >> 64, digits & u128::from(u64::MAX)].map(|word| u64::try_from(word).unwrap());
            is_nearest(whole, words)
        }
    }
}
