//! The normal distribution, rounded to integers, exactly.
//!
//! ⌊s·N⌉ for a standard normal N and an integer s ≥ 1. Unlike a discrete Gaussian it is *post-processing* of a
//! continuous normal variable, so Gaussian differential privacy holds exactly.
//!
//! Algorithm (Karney 2016, *Sampling exactly from the normal distribution*, algorithm N; its step N4 is
//! factored here so that one Bernoulli loop serves all): |N| = k + x with an integer k ≥ 0 and x in (0, 1).
//!
//! 1. k is the number of successes of e^(−1/2) before the first failure: P(k) ∝ e^(−k/2).
//! 2. Go on with probability e^(−k(k−1)/2), otherwise start again. Now P(k) ∝ e^(−k²/2).
//! 3. x is uniform. Go on with probability (e^(−x))^k · e^(−x²/2), otherwise start again.
//! 4. A random sign.
//!
//! Exactness: a pair (k, x) gets through with density proportional to
//! e^(−k/2) · e^(−k(k−1)/2) · e^(−kx) · e^(−x²/2) = e^(−(k² + 2kx + x²)/2) = e^(−(k+x)²/2), which is the density
//! of |N| at k + x; the sign is fair and independent, and the normal density is even.
//!
//! The bits of x are drawn when they are first needed and then kept. The coin of e^(−x) is "a fresh uniform
//! number is below x": the first differing word decides, so finitely many bits give an exact answer. The coin
//! of e^(−x²/2) is two such coins and a fair one. The rounding of s·(k + x) = s·k + s·x draws further bits until
//! all numbers that begin with them round alike. A tie would need infinitely many prescribed bits: probability 0.
//!
//! Counters saturate at 2^63 − 1 or later: a run on which that makes a difference has as many successes of
//! probability at most e^(−1/2) in a row, and takes centuries.

use super::bernoulli::{bernoulli_exp_of, bernoulli_exp_whole, fair_coin};
use super::bits::RandomBits;
use super::fraction::{LazyFraction, LazyNumber};
use super::steps::{Scaled, Steps};

/// The standard deviation of the rounded normal distribution: an integer number of lattice steps, 1 to 2^53.
///
/// spec: `own:rounded-normal`
pub type NormalScale = Steps<RoundedNormal>;

/// The law of [`NormalScale`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RoundedNormal;

impl Scaled for RoundedNormal {
    const FIELD: &'static str = "standard deviation of the normal noise";
}

/// Draws ⌊scale·N⌉, N standard normal: the noise of Gaussian differential privacy, in steps.
///
/// spec: `own:rounded-normal`, `own:tapes`, used by `alg:asap` and `alg:outpert`
///
/// ```
/// use asap_dp::noise::{Lattice, NormalScale, ReplayRng, rounded_normal};
/// let scale = NormalScale::at_least(2.5)?;
/// assert_eq!(scale.steps(), 3);
/// let released = Lattice::add(7, rounded_normal(scale, &mut ReplayRng::new(1)));
/// # assert!((-50..50).contains(&released));
/// # Ok::<(), asap_dp::input::InvalidInput>(())
/// ```
pub fn rounded_normal<R: RandomBits>(scale: NormalScale, rng: &mut R) -> i128 {
    let LazyNumber { whole, mut fraction } = absolute_normal(rng);
    let fraction = fraction.times_rounded(scale, rng);
    put_together(scale, whole, fraction, fair_coin(rng))
}

/// ±(s·k + ⌊s·x⌉).
fn put_together(scale: NormalScale, k: u64, fraction: u64, negative: bool) -> i128 {
    // At most 2^53 · 2^64 + 2^53: no overflow.
    let magnitude = i128::from(scale.steps()) * i128::from(k) + i128::from(fraction);
    if negative { -magnitude } else { magnitude }
}

/// |N| for a standard normal N.
pub(super) fn absolute_normal<R: RandomBits>(rng: &mut R) -> LazyNumber {
    loop {
        let whole = whole_part(rng);
        let mut fraction = LazyFraction::default();
        if is_kept(whole, &mut fraction, rng) {
            return LazyNumber { whole, fraction };
        }
    }
}

/// True with probability e^(−kx)·e^(−x²/2).
fn is_kept<R: RandomBits>(k: u64, x: &mut LazyFraction, rng: &mut R) -> bool {
    (0..k).all(|_| bernoulli_exp_of(|rng| x.exceeds_fresh(rng), rng))
        && bernoulli_exp_of(|rng| fair_coin(rng) && x.exceeds_fresh(rng) && x.exceeds_fresh(rng), rng)
}

/// Draws k ≥ 0 with probability proportional to e^(−k²/2).
fn whole_part<R: RandomBits>(rng: &mut R) -> u64 {
    loop {
        let mut k: u64 = 0;
        while bernoulli_exp_of(fair_coin, rng) {
            k = k.saturating_add(1);
        }
        // k(k − 1)/2 is an integer.
        if bernoulli_exp_whole(k.saturating_mul(k.saturating_sub(1)) / 2, rng) {
            return k;
        }
    }
}

impl LazyFraction {
    /// ⌊s·x⌉ = ⌊s·x + ½⌋ for the scale s.
    fn times_rounded<R: RandomBits>(&mut self, scale: NormalScale, rng: &mut R) -> u64 {
        let (floor, remainder) = wide_product(scale.steps(), self.word(0, rng));
        let (remainder, carry_of_half) = remainder.overflowing_add(1 << 63);
        floor + u64::from(carry_of_half) + u64::from(self.carries(scale, remainder, rng))
    }

    /// Whether `remainder + s·y ≥ 2^64`, y the fraction that begins with the second word of x.
    fn carries<R: RandomBits>(&mut self, scale: NormalScale, mut remainder: u64, rng: &mut R) -> bool {
        let mut index = 1;
        // As y < 1, there is no carry unless remainder + s > 2^64.
        while remainder > (u64::MAX - scale.steps()) + 1 {
            let (carry, next) = wide_product(scale.steps(), self.word(index, rng));
            // s·y is at least `carry` and less than `carry + 2`, ...
            match remainder.checked_add(carry) {
                None => return true,
                // ... so only here the words after this one decide, by a carry of their own.
                Some(u64::MAX) => remainder = next,
                Some(_) => return false,
            }
            index += 1;
        }
        false
    }
}

/// `scale · word` as `(quotient, remainder)` of the division by 2^64.
#[allow(clippy::cast_possible_truncation)]
fn wide_product(scale: u64, word: u64) -> (u64, u64) {
    let product = u128::from(scale) * u128::from(word);
    ((product >> 64) as u64, product as u64)
}

#[cfg(any(kani, test))]
#[path = "../../proofs/noise/normal.rs"]
mod proofs;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exact::Dyadic;
    use crate::noise::bits::ReplayRng;
    use crate::noise::tape::Tape;
    use num_bigint::BigUint;
    use quickcheck::quickcheck;

    #[test]
    fn scales_out_of_range_are_refused() {
        for bad in [0.0, -0.0, -1.0, f64::NAN, f64::INFINITY, 2.0_f64.powi(53).next_up(), f64::MAX] {
            assert_eq!(NormalScale::at_least(bad), Err(NormalScale::REFUSED), "{bad}");
        }
        assert_eq!(NormalScale::new(0), Err(NormalScale::REFUSED));
        assert_eq!(NormalScale::new((1 << 53) + 1), Err(NormalScale::REFUSED));
        assert_eq!(NormalScale::at_least(2.0_f64.powi(53)).unwrap().steps(), 1 << 53);
        assert_eq!(NormalScale::at_least(f64::from_bits(1)).unwrap().steps(), 1);
        assert_eq!(NormalScale::at_least(3.0).unwrap().steps(), 3);
        assert_eq!(NormalScale::at_least(3.0_f64.next_up()).unwrap().steps(), 4);
    }

    #[test]
    fn a_draw_by_hand() {
        // k: one success of e^(−1/2) (no head: stops in round 1), one failure (head, then tail); 0 = k(k−1)/2 more.
        let whole = [0, 1, 0, 0];
        // x = ¾ + …; e^(−x): a fresh number above x; e^(−x²/2): tail. Then sign "minus".
        let fraction = [u64::MAX, 3 << 62, 0, 1];
        let mut tape = Tape::new([&whole[..], &fraction[..]].concat());
        // −10·(1 + ¾) = −17.5, and the bits of x that follow are not all zero: it is beyond the half.
        let drawn = rounded_normal(NormalScale::new(10).unwrap(), &mut tape);
        assert_eq!((drawn, tape.unread(), tape.overrun), (-18, 0, false));
    }

    /// 4·x is 4 units below ½: whatever the second word is, 4·y is less than that, and it is not asked for.
    #[test]
    fn no_more_words_than_can_carry() {
        let mut tape = Tape::new([(1 << 61) - 1]);
        let rounded = LazyFraction::default().times_rounded(NormalScale::new(4).unwrap(), &mut tape);
        assert_eq!((rounded, tape.unread(), tape.overrun), (0, 0, false));
    }

    #[test]
    fn the_tail_is_there() {
        // k successes of e^(−1/2) and a failure; then each e^(−1) of the k(k − 1)/2 goes on twice and stops.
        for k in [7_usize, 20, 45] {
            let words = [vec![0; k], vec![1, 0, 0], [0, 0, 1].repeat(k * (k - 1) / 2)].concat();
            let mut tape = Tape::new(words);
            assert_eq!((whole_part(&mut tape), tape.unread(), tape.overrun), (k as u64, 0, false));
        }
    }

    /// The words of a draw of k + ¾ without its sign, as one list for each experiment: k successes of
    /// e^(−1/2) and a failure, k(k − 1)/2 of e^(−1), k of e^(−x), one of e^(−x²/2). What can fail is paired
    /// with the words by which it does.
    fn experiments(k: usize) -> Vec<(Vec<u64>, Option<Vec<u64>>)> {
        let x = 3 << 62;
        // A coin that is true once, then a zero among one number, then a coin that is false.
        let coins = [vec![0; k], vec![1, 0, 0]].concat();
        let mut all = vec![(coins, None)];
        all.extend(vec![(vec![0, 0, 1], Some(vec![0, 1])); k * k.saturating_sub(1) / 2]);
        for j in 0..k {
            // The first comparison reveals x.
            let (kept, lost) =
                if j == 0 { (vec![u64::MAX, x], vec![0, x]) } else { (vec![u64::MAX], vec![0]) };
            all.push((kept, Some([lost, vec![0, u64::MAX]].concat())));
        }
        let square = if k == 0 { vec![1, 0, x, 0, 0, 0] } else { vec![1, 0, 0, 0, 0] };
        all.push((vec![0], Some(square)));
        if k == 0 {
            all.push((vec![x], None));
        }
        all
    }

    /// Far out in the tail, whose probability is that of the experiments: a draw of k + ¾ makes exactly
    /// those of e^(−(k + ¾)²/2), and one that fails in any of them starts again. Beyond 5 deviations nothing
    /// is cut, bent or repeated.
    #[test]
    fn the_tail_is_made_of_its_experiments() {
        let scale = NormalScale::new(1000).unwrap();
        let drawn = |words: Vec<u64>| {
            let mut tape = Tape::new(words);
            let value = rounded_normal(scale, &mut tape);
            assert_eq!((tape.unread(), tape.overrun), (0, false));
            value
        };
        for k in [0, 1, 2, 5, 6, 7, 8, 12, 40] {
            let all = experiments(k);
            let words = |upto: usize| all[..upto].iter().flat_map(|(kept, _)| kept.clone());
            let far = 1000 * k as i128 + 750;
            assert_eq!(drawn(words(all.len()).chain([1]).collect()), -far);
            assert_eq!(drawn(words(all.len()).chain([0]).collect()), far);
            for (at, (_, fails)) in all.iter().enumerate() {
                let Some(fails) = fails else { continue };
                let again = experiments(0).into_iter().flat_map(|(kept, _)| kept);
                assert_eq!(drawn(words(at).chain(fails.clone()).chain(again).chain([0]).collect()), 750);
            }
        }
    }

    /// Whether n fractions that `keeps` keeps have the law of |N| − k given ⌊|N|⌋ = k. By the inequality of
    /// Dvoretzky, Kiefer, Wolfowitz and Massart the distribution function of n draws is further than t from that of
    /// their law with probability at most 2·e^(−2nt²); here that is 10^−9.
    fn tail_fits(k: u64, keeps: impl Fn(&mut LazyFraction, &mut ReplayRng) -> bool) -> bool {
        let (n, cells) = (200_000_usize, 4000);
        let mut rng = ReplayRng::new(k);
        let mut sample: Vec<f64> = core::iter::repeat_with(|| {
            let mut x = LazyFraction::default();
            keeps(&mut x, &mut rng).then(|| x.word(0, &mut rng) as f64 * 2.0_f64.powi(-64))
        })
        .flatten()
        .take(n)
        .collect();
        sample.sort_by(f64::total_cmp);
        // Simpson's rule for ∫ e^(−kx − x²/2) dx over each cell; its error is far below the deviation allowed.
        let density = |x: f64| (-(k as f64) * x - x * x / 2.0).exp();
        let cumulated: Vec<f64> = (0..cells)
            .scan(0.0, |sum, cell| {
                let [a, b, c] =
                    [0.0, 0.5, 1.0].map(|part| density((f64::from(cell) + part) / f64::from(cells)));
                *sum += a + 4.0 * b + c;
                Some(*sum)
            })
            .collect();
        let deviation = ((2e9_f64).ln() / (2.0 * n as f64)).sqrt();
        (1..=cells).zip(&cumulated).all(|(cell, below)| {
            let edge = f64::from(cell) / f64::from(cells);
            let share = sample.partition_point(|x| *x < edge) as f64 / n as f64;
            (share - below / cumulated[cumulated.len() - 1]).abs() <= deviation
        })
    }

    #[test]
    fn the_tail_has_its_shape() {
        for k in [0, 6, 10, 40] {
            assert!(tail_fits(k, |x, rng| is_kept(k, x, rng)), "{k}");
            // Faults: a whole part that is off by one, and no square.
            assert!(!tail_fits(k, |x, rng| is_kept(k + 1, x, rng)), "{k}, one too far");
        }
        for k in [0, 1, 6] {
            let no_square = |x: &mut LazyFraction, rng: &mut ReplayRng| {
                (0..k).all(|_| bernoulli_exp_of(|rng| x.exceeds_fresh(rng), rng))
            };
            assert!(!tail_fits(k, no_square), "{k}, no square");
        }
    }

    /// ⌊s·x + ½⌋ from big integers, for x = `numerator` / 2^192 and for all x just below it.
    fn reference(scale: u64, numerator: &BigUint) -> [BigUint; 2] {
        let doubled = numerator * scale * 2_u32 + (BigUint::from(1_u32) << 192_u32);
        [&doubled >> 193_u32, (doubled - 1_u32) >> 193_u32]
    }

    /// Rounds a number that begins with these words. If they are enough, all numbers that begin with them have
    /// to round alike; if they are not, some must not.
    fn agrees(scale: u64, words: [u64; 3]) -> bool {
        let mut tape = Tape::new(words);
        let value = LazyFraction::default().times_rounded(NormalScale::new(scale).unwrap(), &mut tape);
        let [first, second, third] = words.map(BigUint::from);
        let begin = (first << 128_u32) + (second << 64_u32) + third;
        let [lowest, _] = reference(scale, &begin);
        let [_, highest] = reference(scale, &(begin + 1_u32));
        let value = BigUint::from(value);
        (value == lowest || value == highest) && (lowest != highest) == tape.overrun
    }

    quickcheck! {
        fn rounding_agrees_with_big_integers(scale: u64, first: u64, second: u64, third: u64) -> bool {
            agrees(scale % (1 << 53) + 1, [first, second, third])
        }

        // Numbers next to a half, (j + ½)/s, seen through one, two or three words.
        fn rounding_next_to_a_half_agrees(scale: u64, j: u64, known: u8, offset: i8) -> bool {
            let scale = scale % (1 << 53) + 1;
            let known = 64 * (u32::from(known) % 3 + 1);
            let half = (BigUint::from(j % scale) * 2_u32 + 1_u32) << 192_u32;
            let near = ((half / (BigUint::from(scale) * 2_u32)) >> (192 - known)) << (192 - known);
            let step = BigUint::from(offset.unsigned_abs()) << (192 - known);
            let near = if offset < 0 { near.max(step.clone()) - step } else { near + step };
            let word = |places: u32| (&near >> places).iter_u64_digits().next().unwrap_or(0);
            agrees(scale, [word(128), word(64), word(0)])
        }

        fn the_scale_is_the_smallest_integer_above(steps: f64) -> bool {
            let steps = steps.abs();
            let Ok(scale) = NormalScale::at_least(steps) else { return !(0.0 < steps && steps <= 2.0_f64.powi(53)) };
            let exact: Dyadic = Dyadic::new(steps).unwrap();
            Dyadic::from_parts(scale.steps(), 0) >= exact && Dyadic::from_parts(scale.steps() - 1, 0) < exact
        }
    }
}
