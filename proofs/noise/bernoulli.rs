//! Bernoulli(e^(−x)): the rounds, the certain case, and the parts of an `f64`.

use super::*;
use crate::proofs::{Words, assume, cover, harness};

/// The round in which the loop stops and the words that were read by then, written down once more: round k goes
/// on if its coin says so and a number drawn from `0..k` is 0. `None` if the words do not suffice.
fn stopping_round(coins: [bool; 4], words: [u64; 5]) -> Option<(usize, usize)> {
    let mut read = 0;
    for round in 1..=4 {
        if !coins[round - 1] {
            return Some((round, read));
        }
        let drawn = loop {
            let word = *words.get(read)? & (round.next_power_of_two() as u64 - 1);
            read += 1;
            if word < round as u64 {
                break word;
            }
        };
        if drawn != 0 {
            return Some((round, read));
        }
    }
    // The coin has only four heads.
    Some((5, read))
}

harness! {
    /// spec: `own:bernoulli-exp`
    /// covers: noise::bernoulli::bernoulli_exp_of — within a bound
    ///
    /// Round k asks the coin once and then draws from k numbers; the answer is yes exactly if the loop stops in
    /// an odd round. For every coin and all random bits, without panic or overflow.
    ///
    /// assumes: at most 4 heads, at most 5 words. bound: 5 rounds; all rounds are the same source, and their
    /// number enters only as the argument of the uniform draw. solver: cadical.
    /// mutation: `a round draws from one number too many`
    [kani::proof, kani::unwind(7), kani::solver(cadical)]
    fn verify_bernoulli_exp_of__rounds(coins: [bool; 4], words: [u64; 5]) {
        let (mut asked, mut bits) = (0, Words::new(words));
        let coin = |_: &mut Words<5>| {
            asked += 1;
            asked <= 4 && coins[asked - 1]
        };
        let yes = bernoulli_exp_of(coin, &mut bits);
        let reference = stopping_round(coins, words);
        assume!(reference.is_some());
        cover!(yes && reference == Some((5, 5)));
        cover!(!yes && reference == Some((4, 5)));
        assert!(reference == Some((asked, bits.read)));
        assert!(yes == (asked % 2 == 1));
    }
}

harness! {
    /// spec: `own:bernoulli-exp`
    /// covers: noise::bernoulli::bernoulli, noise::bernoulli::bernoulli_exp — within a bound
    ///
    /// A coin says yes exactly if the first random number that is below q is below p, the numbers being as many low
    /// bits of each word as q − 1 has. So one of probability 0 never says yes, one of probability 1 or more always, and
    /// e^(−0/q) = 1 always. No p and q panic or overflow, whatever the bits.
    ///
    /// assumes: q > 0, at most 3 words for each. bound: none on p and q; each word is one attempt of the same
    /// loop. solver: cadical.
    /// mutation: `a coin that says yes at its bound`
    [kani::proof, kani::unwind(5), kani::solver(cadical)]
    fn verify_bernoulli__certain_and_impossible(p: u64, q: u64, small: bool, words: [u64; 3]) {
        // Half of the fractions of a test have one digit.
        let (p, q) = if small { (p % 8, q % 8) } else { (p, q) };
        let q = NonZeroU64::new(q);
        assume!(q.is_some());
        let Some(q) = q else { return };
        let yes = bernoulli(p, q, &mut Words::new(words));
        cover!(yes && p < q.get());
        cover!(!yes && p > 0);
        let mask = q.get().checked_next_power_of_two().map_or(u64::MAX, |power| power - 1);
        let first = words.into_iter().map(|word| word & mask).find(|number| *number < q.get());
        assert!(first.is_none_or(|first| yes == (first < p)));
        assert!(p > 0 || !yes);
        assert!(p < q.get() || yes);
        assert!(bernoulli_exp(0, q, &mut Words::new(words)));
    }
}

harness! {
    /// spec: `own:bernoulli-exp`
    /// covers: noise::bernoulli::split — all inputs
    ///
    /// A finite, non-negative `f64` is split exactly into an integer and a fraction below 1; from 2^63 on the
    /// integer saturates; everything else is refused.
    ///
    /// assumes: nothing. bound: none, all `f64`. solver: cadical.
    /// mutation: `the fraction keeps a bit of the integer`
    [kani::proof, kani::unwind(2), kani::solver(cadical)]
    fn verify_split__exact(x: u64) {
        // Half of the random bits of a test are placed where both parts are visible.
        let x = f64::from_bits(if x & 1 == 1 { 1023 << 52 | x >> 6 } else { x });
        let parts = decompose(x);
        let Some(WholeAndRest { whole, numerator, places }) = split(x) else {
            assert!(parts.is_none());
            return;
        };
        let Some((mantissa, exponent)) = parts else { panic!("refused by `decompose` only") };
        cover!(whole > 0 && numerator > 0);
        cover!(places > 1000 && numerator > 0);
        cover!(whole == u64::MAX);
        if exponent >= 0 {
            let shifted = if exponent <= 10 { mantissa << exponent } else { u64::MAX };
            assert!(whole == shifted && numerator == 0);
        } else {
            assert!(places == exponent.unsigned_abs());
            let back = if places < 64 { u128::from(whole) << places } else { 0 };
            assert!(places < 64 || whole == 0);
            assert!(back + u128::from(numerator) == u128::from(mantissa));
            assert!(places >= 64 || numerator >> places == 0);
        }
    }
}
