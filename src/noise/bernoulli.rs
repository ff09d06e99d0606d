//! Bernoulli variables of probability e^(−x), from coins of probability x.
//!
//! Algorithm (Canonne, Kamath and Steinke 2020, *The discrete Gaussian for differential privacy*, algorithm 1;
//! von Neumann 1951): in round k = 1, 2, … go on with probability x/k, where 0 ≤ x ≤ 1. The answer is *yes* if
//! the loop stops in an odd round.
//!
//! Exactness: the first k rounds all go on with probability x^k/k!, so the loop stops in round k + 1 with
//! probability x^k/k! − x^(k+1)/(k+1)!. Summed over even k this is Σ (−x)^k/k! = e^(−x).
//!
//! A round needs only *a coin* of probability x: "x/k" is that coin and, independently of it, a zero among the
//! k numbers `0..k`. So x may be a fraction p/q of any 64-bit numbers (the product q·k is never formed), an
//! `f64`, or the probability that one lazily drawn real number is below another; the same loop serves all.
//!
//! For x > 1: e^(−x) = (e^(−1))^⌊x⌋ · e^(−(x − ⌊x⌋)), one experiment per factor, until the first *no*. The
//! expected number of experiments is at most 1/(1 − 1/e) < 1.6, however large x is.
//!
//! The round counter saturates. A run on which that makes a difference has 2^64 rounds that went on: it has
//! probability 1/(2^64)! and takes centuries.

use super::bits::RandomBits;
use super::uniform::{uniform_below, uniform_up_to};
use crate::exact::decompose;
use core::num::NonZeroU64;

/// A fair coin.
pub(super) fn fair_coin<R: RandomBits>(rng: &mut R) -> bool {
    rng.low_bits(1) & 1 == 1
}

/// True with probability `p/q`; always true if `p ≥ q`.
///
/// spec: `own:bernoulli-exp`
pub fn bernoulli<R: RandomBits>(p: u64, q: NonZeroU64, rng: &mut R) -> bool {
    uniform_below(q, rng) < p
}

/// True with probability e^(−x), given a coin that is true with probability x, independently at each call.
///
/// spec: `own:bernoulli-exp`
///
/// ```
/// use asap_dp::noise::{ReplayRng, bernoulli_exp_of};
/// let mut rng = ReplayRng::new(1);
/// assert!(bernoulli_exp_of(|_| false, &mut rng), "e^0 = 1");
/// let about_e_to_minus_1 = (0..1000).filter(|_| bernoulli_exp_of(|_| true, &mut rng)).count();
/// assert!((300..450).contains(&about_e_to_minus_1));
/// ```
pub fn bernoulli_exp_of<R: RandomBits>(mut coin: impl FnMut(&mut R) -> bool, rng: &mut R) -> bool {
    let mut rounds_gone_on: u64 = 0;
    while coin(rng) && uniform_up_to(rounds_gone_on, rng) == 0 {
        rounds_gone_on = rounds_gone_on.saturating_add(1);
    }
    rounds_gone_on.is_multiple_of(2)
}

/// True with probability e^(−1).
pub(super) fn bernoulli_exp_one<R: RandomBits>(rng: &mut R) -> bool {
    bernoulli_exp_of(|_| true, rng)
}

/// True with probability e^(−whole), for an integer; stops at the first factor that says no.
pub(super) fn bernoulli_exp_whole<R: RandomBits>(whole: u64, rng: &mut R) -> bool {
    (0..whole).all(|_| bernoulli_exp_one(rng))
}

/// True with probability e^(−p/q), for any `p`.
///
/// spec: `own:bernoulli-exp`, `own:tapes`
pub fn bernoulli_exp<R: RandomBits>(p: u64, q: NonZeroU64, rng: &mut R) -> bool {
    bernoulli_exp_whole(p / q, rng) && bernoulli_exp_of(|rng| bernoulli(p % q, q, rng), rng)
}

/// True with probability e^(−x), where the finite, non-negative `f64` is taken as the exact number it is.
/// `None` for negative numbers, infinities and NaN.
///
/// spec: `own:bernoulli-exp`
///
/// From x = 2^63 on the integer part counts as 2^64 − 1: a probability below e^(−2^63) is replaced by another,
/// and a run on which that makes a difference takes more than 2^63 rounds. In practice the answer is `false`,
/// after one or two rounds.
///
/// ```
/// use asap_dp::noise::{ReplayRng, bernoulli_exp_f64};
/// let mut rng = ReplayRng::new(1);
/// assert_eq!(bernoulli_exp_f64(0.0, &mut rng), Some(true));
/// assert_eq!(bernoulli_exp_f64(1e300, &mut rng), Some(false));
/// assert_eq!(bernoulli_exp_f64(-1.0, &mut rng), None);
/// ```
pub fn bernoulli_exp_f64<R: RandomBits>(x: f64, rng: &mut R) -> Option<bool> {
    let WholeAndRest { whole, numerator, places } = split(x)?;
    Some(bernoulli_exp_whole(whole, rng) && bernoulli_exp_of(|rng| dyadic_coin(numerator, places, rng), rng))
}

/// The number `whole + numerator · 2^(−places)`, with a second term below 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct WholeAndRest {
    whole: u64,
    numerator: u64,
    places: u32,
}

/// Splits a finite, non-negative `f64` exactly into its integer and fractional part; from 2^63 on the integer
/// part saturates.
fn split(x: f64) -> Option<WholeAndRest> {
    let (mantissa, exponent) = decompose(x)?;
    let places = exponent.unsigned_abs();
    Some(if exponent < 0 {
        // A shift that is refused would leave nothing: the mantissa is below 2^53.
        let whole = mantissa.checked_shr(places).unwrap_or(0);
        let numerator = mantissa - whole.checked_shl(places).unwrap_or(0);
        WholeAndRest { whole, numerator, places }
    } else {
        // The mantissa has 53 bits: shifted by up to 10 places it stays below 2^63.
        let whole = if places <= 10 { mantissa << places } else { u64::MAX };
        WholeAndRest { whole, numerator: 0, places: 0 }
    })
}

/// True with probability `numerator · 2^(−places)`: whether a random number of `places` bits is below the
/// numerator. It can only be if all but its last 64 bits are zero, so those are looked at first.
fn dyadic_coin<R: RandomBits>(numerator: u64, places: u32, rng: &mut R) -> bool {
    let last = places.min(u64::BITS);
    are_zero(places - last, rng) && random_bits(last, rng) < numerator
}

/// Whether `count` fresh random bits are all zero.
fn are_zero<R: RandomBits>(count: u32, rng: &mut R) -> bool {
    let mut left = count;
    while left > 0 {
        let taken = left.min(u64::BITS);
        if random_bits(taken, rng) != 0 {
            return false;
        }
        left -= taken;
    }
    true
}

/// A uniform number of `count ≤ 64` bits.
fn random_bits<R: RandomBits>(count: u32, rng: &mut R) -> u64 {
    // The shift is refused only for no bits at all.
    rng.next_u64().checked_shr(u64::BITS.saturating_sub(count)).unwrap_or(0)
}

#[cfg(any(kani, test))]
#[path = "../../proofs/noise/bernoulli.rs"]
mod proofs;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exact::Dyadic;
    use crate::noise::bits::ReplayRng;
    use crate::noise::tape::{Enumerated, Tape, enumerate};
    use num_bigint::BigUint;
    use quickcheck::quickcheck;

    const ONE: NonZeroU64 = NonZeroU64::MIN;

    /// Whether the enumerated probability of `yes` can be e^(−p/8): the counts enclose it, and so do the
    /// partial sums Σ_{k ≤ n} (−p/8)^k/k!, which are compared as integers over the denominator 8^n·n!.
    fn agrees_with_series(p: i128, total: u128, counts: &Enumerated) -> bool {
        let terms = 12_u32;
        let sum_up_to = |last: u32| -> i128 {
            // Horner: 1 − x(1 − x/2(1 − x/3(…))), each bracket times its own denominator.
            (1..=last)
                .rev()
                .fold((1, 1), |(value, denominator): (i128, i128), k| {
                    let over = 8 * i128::from(k) * denominator;
                    (over - p * value, over)
                })
                .0
        };
        let denominator = |last: u32| (1..=last).fold(1_i128, |product, k| product * 8 * i128::from(k));
        let big = |value: i128| BigUint::from(u128::try_from(value).unwrap());
        let at_most = |count: u128, last: u32| {
            BigUint::from(count) * big(denominator(last)) <= big(sum_up_to(last)) * BigUint::from(total)
        };
        // An even number of terms after the first is above e^(−x), an odd number below.
        at_most(counts.yes, terms) && !at_most(counts.yes + counts.open, terms + 1)
    }

    #[test]
    fn every_bit_string_together_gives_the_series() {
        // Words of 3 bits decide a coin of probability p/8 and every round up to the eighth.
        let total = 1_u128 << (3 * 10);
        for p in [1_u8, 2, 3, 4] {
            let mut experiment =
                |tape: &mut Tape| bernoulli_exp_of(|tape| uniform_up_to(7_u8, tape) < p, tape);
            let counts = enumerate(3, 10, &mut experiment);
            assert_eq!(counts.yes + counts.no + counts.open, total);
            assert!(counts.open < total / 500, "{counts:?}: an enclosure that is too wide shows nothing");
            assert!(agrees_with_series(p.into(), total, &counts), "p = {p}: {counts:?}");
        }
    }

    #[test]
    fn the_series_refuses_a_loop_that_counts_one_too_far() {
        let mut too_far = |tape: &mut Tape| {
            let mut round = 1_u64;
            while uniform_up_to(7_u8, tape) < 4 && uniform_up_to(round, tape) == 0 {
                round += 1;
            }
            round % 2 == 1
        };
        let counts = enumerate(3, 10, &mut too_far);
        assert!(!agrees_with_series(4, 1 << (3 * 10), &counts), "{counts:?}");
    }

    /// e^(−x) for a large x is so many experiments of e^(−1), none of them left out: *yes* takes a success of each, and
    /// a failure of any one is a *no* at once. (That one experiment has probability e^(−1) is enumerated above.)
    #[test]
    fn large_arguments_take_all_of_their_factors() {
        // Rounds 1 and 2 go on, round 3 stops; or round 2 stops.
        let (yes, no) = ([0, 0, 1], [0, 1]);
        for whole in [1_usize, 31, 32, 33, 63, 64, 65, 100, 1000] {
            let exact = |tape: &mut Tape| bernoulli_exp(whole as u64, ONE, tape);
            let float = |tape: &mut Tape| bernoulli_exp_f64(whole as f64, tape) == Some(true);
            let half = |tape: &mut Tape| bernoulli_exp_f64(whole as f64 + 0.5, tape) == Some(true);
            for draw in [&exact as &dyn Fn(&mut Tape) -> bool, &float, &half] {
                let on = |words: Vec<u64>| {
                    let mut tape = Tape::new(words);
                    (draw(&mut tape), tape.unread(), tape.overrun)
                };
                // Last the fraction's coin, which is not below.
                assert_eq!(on([yes.repeat(whole), vec![u64::MAX]].concat()), (true, 0, false), "{whole}");
                for failed in [0, whole / 2, whole - 1] {
                    assert_eq!(
                        on([yes.repeat(failed), no.to_vec()].concat()),
                        (false, 0, false),
                        "{whole}, {failed}"
                    );
                }
            }
        }
    }

    #[test]
    fn dyadic_coins_count_their_bit_strings() {
        for places in 0..=8_u32 {
            for numerator in 0..=1_u64 << places {
                let heads = (0..1_u64 << places)
                    .filter(|bits| {
                        let word = bits.checked_shl(u64::BITS - places).unwrap_or(0);
                        dyadic_coin(numerator, places, &mut Tape::new([word]))
                    })
                    .count();
                assert_eq!(heads as u64, numerator, "places = {places}");
            }
        }
    }

    #[test]
    fn long_dyadic_coins_need_all_leading_zeros() {
        // 70 places: 6 leading bits from the top of the first word, then 64 bits against the numerator.
        let coin = |words: [u64; 2]| dyadic_coin(5, 70, &mut Tape::new(words));
        assert!(coin([(1 << 58) - 1, 4]));
        assert!(!coin([(1 << 58) - 1, 5]));
        assert!(!coin([1 << 58, 0]));
        // The smallest positive f64: 1010 leading bits are 15 full words and 50 bits.
        let smallest = |words: [u64; 17]| dyadic_coin(1, 1074, &mut Tape::new(words));
        let mut words = [0; 17];
        words[15] = (1 << 14) - 1;
        assert!(smallest(words));
        assert!(!smallest({
            let mut last = words;
            last[16] = 1;
            last
        }));
        assert!(!smallest({
            let mut leading = words;
            leading[15] = 1 << 14;
            leading
        }));
        assert!(!smallest({
            let mut first = words;
            first[0] = 1;
            first
        }));
    }

    #[test]
    fn extremes_are_certain() {
        let mut rng = ReplayRng::new(3);
        for _ in 0..100 {
            assert!(bernoulli_exp(0, ONE, &mut rng));
            assert!(bernoulli_exp(0, NonZeroU64::MAX, &mut rng));
            assert!(!bernoulli_exp(u64::MAX, ONE, &mut rng));
            assert!(bernoulli(1, ONE, &mut rng) && !bernoulli(0, ONE, &mut rng));
            assert!(bernoulli(u64::MAX, NonZeroU64::MAX, &mut rng));
            assert!(bernoulli(7, ONE, &mut rng), "more than certain is certain");
            for zero in [0.0, -0.0, f64::from_bits(1), f64::MIN_POSITIVE] {
                assert_eq!(bernoulli_exp_f64(zero, &mut rng), Some(true));
            }
            for huge in [1e3, 9.3e18, 1.9e19, f64::MAX] {
                assert_eq!(bernoulli_exp_f64(huge, &mut rng), Some(false));
            }
            for bad in [-1.0, -f64::from_bits(1), f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
                assert_eq!(bernoulli_exp_f64(bad, &mut rng), None);
            }
        }
    }

    #[test]
    fn splitting_at_the_limits() {
        let whole = |whole| Some(WholeAndRest { whole, numerator: 0, places: 0 });
        assert_eq!(split(2.0_f64.powi(52)), whole(1 << 52));
        assert_eq!(split(2.0_f64.powi(63).next_down()), whole((1 << 63) - (1 << 10)));
        assert_eq!(split(2.0_f64.powi(63)), whole(u64::MAX));
        assert_eq!(split(3.75), Some(WholeAndRest { whole: 3, numerator: 3 << 49, places: 51 }));
    }

    quickcheck! {
        fn splitting_is_exact(x: f64) -> bool {
            let x = x.abs();
            let Some(WholeAndRest { whole, numerator, places }) = split(x) else { return !x.is_finite() };
            if x >= 2.0_f64.powi(63) {
                return whole == u64::MAX;
            }
            let fraction: Dyadic = Dyadic::from_parts(numerator, -i32::try_from(places).unwrap());
            fraction < Dyadic::from_parts(1, 0)
                && fraction.plus(&Dyadic::from_parts(whole, 0)) == Dyadic::new(x).unwrap()
        }

        fn no_fraction_panics(p: u64, q: NonZeroU64, seed: u64) -> bool {
            let mut rng = ReplayRng::new(seed);
            let _ = (bernoulli(p, q, &mut rng), bernoulli_exp(p, q, &mut rng));
            true
        }
    }
}
