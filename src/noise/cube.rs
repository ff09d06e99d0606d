//! Laplace noise in the norms of a table's blocks, rounded to integers, exactly. spec: `own:shaped-tilt`
//!
//! The real vector z has density ∝ e^(−‖z‖_∞/s) on ℝ^k, or ∝ e^(−‖z‖₁/s), for an integer s ≥ 1; what is drawn is z with
//! every coordinate rounded to the nearest integer: post-processing of the continuous law.
//!
//! Algorithm. Cube: z = s·r·U with r the sum of k + 1 exponential numbers and U uniform in [−1, 1]^k. 1-norm: each
//! coordinate is s times an exponential number with a fair sign.
//!
//! Exactness. ‖U‖_∞ ≤ t has the probability t^k, and given its norm U is uniform on the surface of that cube, which is
//! what the density asks of z. The norm of z has the density ∝ ρ^(k−1)·e^(−ρ/s), a gamma law of shape k. It is that of
//! s·r·‖U‖_∞, since a gamma number of shape k + 1 times an independent one with P(≤ t) = t^k is a gamma number of shape
//! k. Different k, or r with k terms instead of k + 1, are other laws. The 1-norm is the sum of the coordinates' sizes:
//! the density is a product.
//!
//! The numbers are known by the first words of their expansions. With P = 64·words places integers enclose them, r·2^P
//! in \[b, b + k + 1\] and |U_j|·2^P in \[a_j, a_j + 1\], and so |z_j| is in \[s·b·a_j/4^P,
//! s·(b + k + 1)·(a_j + 1)/4^P\], rounded outwards to multiples of ½. If that is within ½ of an integer for every
//! coordinate, these integers are the rounded vector; if not, more digits are looked at, as in
//! [`euclidean_laplace`](super::euclidean_laplace).

use super::bernoulli::fair_coin;
use super::bits::RandomBits;
use super::euclidean::nearest_if_certain;
use super::exponential::exponential;
use super::fraction::{LazyFraction, LazyNumber};
use super::steps::{Scaled, Steps};
use num_bigint::BigUint;

/// The scale s of the noise of a block: an integer number of lattice steps, 1 to 2^53. spec: `own:shaped-tilt`
pub type BlockScale = Steps<BlockNorm>;

/// The norm of a block, whichever it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BlockNorm;

impl Scaled for BlockNorm {
    const FIELD: &'static str = "scale of the noise of a block";
}

/// Draws a vector of density ∝ e^(−‖z‖_∞/scale), each coordinate rounded to the nearest integer: the noise of pure
/// differential privacy for numbers that are all moved by at most the same, in steps.
/// spec: `own:shaped-tilt`, `own:tapes`
///
/// ```
/// use asap_dp::noise::{BlockScale, ReplayRng, cube_laplace};
/// let noise = cube_laplace(BlockScale::new(3)?, 2, &mut ReplayRng::new(1));
/// assert!(noise.len() == 2 && noise.iter().all(|z| (-200..200).contains(z)));
/// # Ok::<(), asap_dp::input::InvalidInput>(())
/// ```
pub fn cube_laplace<R: RandomBits>(scale: BlockScale, columns: usize, rng: &mut R) -> Vec<i128> {
    if columns == 0 {
        return Vec::new();
    }
    let mut point = Cube {
        radius: (0..=columns).map(|_| exponential(rng)).collect(),
        direction: (0..columns).map(|_| (LazyFraction::default(), fair_coin(rng))).collect(),
    };
    let mut words = 1;
    loop {
        if let Some(rounded) = point.rounded(scale, words, rng) {
            return rounded;
        }
        words *= 2;
    }
}

/// Draws a number of density ∝ e^(−|z|/scale), rounded to the nearest integer, in steps.
/// spec: `own:shaped-tilt`, `own:tapes`
pub fn rounded_laplace<R: RandomBits>(scale: BlockScale, rng: &mut R) -> i128 {
    let (mut size, negative) = (exponential(rng), fair_coin(rng));
    let mut words = 1;
    loop {
        let floor = size.floor(words, rng) * scale.steps() * 2_u8;
        let halves = halves(&floor, &(&floor + scale.steps() * 2), 64 * words);
        if let Some(size) = nearest_if_certain(halves) {
            return if negative { -size } else { size };
        }
        words *= 2;
    }
}

/// The real vector r·U.
struct Cube {
    /// The terms of r.
    radius: Vec<LazyNumber>,
    /// The absolute values of U, and whether they are negative.
    direction: Vec<(LazyFraction, bool)>,
}

impl Cube {
    /// The vector times the scale, rounded, if these words of each number decide every coordinate.
    fn rounded<R: RandomBits>(&mut self, scale: BlockScale, words: usize, rng: &mut R) -> Option<Vec<i128>> {
        let radius: BigUint = self.radius.iter_mut().map(|term| term.floor(words, rng)).sum();
        let factors = [radius.clone(), radius + self.radius.len()].map(|r| r * scale.steps() * 2_u8);
        let coordinate = |(fraction, negative): &mut (LazyFraction, bool)| {
            let floor = fraction.floor(words, rng);
            let halves = halves(&(&factors[0] * &floor), &(&factors[1] * (&floor + 1_u8)), 128 * words);
            nearest_if_certain(halves).map(|size| if *negative { -size } else { size })
        };
        // All of them, so that the digits that are drawn do not depend on which coordinate is undecided.
        let rounded: Vec<Option<i128>> = self.direction.iter_mut().map(coordinate).collect();
        rounded.into_iter().collect()
    }
}

/// Integers that enclose what is between `low` and `high` in units of 2^−places; cut at 2^128 − 1.
fn halves(low: &BigUint, high: &BigUint, places: usize) -> [u128; 2] {
    [low >> places, (high >> places) + 1_u8].map(|half| u128::try_from(half).unwrap_or(u128::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::noise::bits::ReplayRng;
    use crate::noise::tape::Tape;
    use quickcheck::quickcheck;

    fn scale(steps: u64) -> BlockScale {
        BlockScale::new(steps).unwrap()
    }

    #[test]
    fn no_coordinates_take_no_bits() {
        let mut tape = Tape::new([]);
        assert_eq!((cube_laplace(scale(5), 0, &mut tape), tape.overrun), (vec![], false));
    }

    /// An exponential number: x = ½ + … goes on, stops in round 2: not kept. Then ¾: kept. That is 1 + ¾.
    const EXPONENTIAL: [u64; 6] = [0, 1 << 63, 0, u64::MAX, u64::MAX, 3 << 62];

    #[test]
    fn draws_by_hand() {
        // The sign is the last bit of a word: minus.
        let mut tape = Tape::new([&EXPONENTIAL[..], &[1]].concat());
        assert_eq!(rounded_laplace(scale(8), &mut tape), -14);
        assert_eq!((tape.unread(), tape.overrun), (0, false));
        // Two terms for one coordinate: 3½, times U = −(½ + ¼).
        let mut tape = Tape::new([&EXPONENTIAL[..], &EXPONENTIAL[..], &[1, 3 << 62]].concat());
        assert_eq!(cube_laplace(scale(1000), 1, &mut tape), [-2625]);
        assert_eq!((tape.unread(), tape.overrun), (0, false));
    }

    /// Next to ½ the first word decides nothing, and the second does. A third one is not asked for.
    #[test]
    fn more_words_are_drawn_where_the_first_do_not_decide() {
        // An exponential number that is kept at once: just below ½, a plus, and its second word.
        let mut tape = Tape::new([u64::MAX, (1 << 63) - 1, 0, 0]);
        assert_eq!(rounded_laplace(scale(1), &mut tape), 0);
        assert_eq!((tape.unread(), tape.overrun), (0, false));
        // 2·1000·x is 1616 units below 1: with an error of 2·1000 units it may be above.
        let mut tape = Tape::new([u64::MAX, u64::MAX / 2000, 0, 0]);
        assert_eq!(rounded_laplace(scale(1000), &mut tape), 0);
        assert_eq!((tape.unread(), tape.overrun), (0, false));
        // 1¾ + ¼ = 2, a plus, and U just below ¼; then the second words of the three.
        let two = [&EXPONENTIAL[..], &[u64::MAX, 1 << 62]].concat();
        let mut tape = Tape::new([&two[..], &[0, (1 << 62) - 1], &[0, 0, 0]].concat());
        assert_eq!(cube_laplace(scale(1), 1, &mut tape), [0]);
        assert_eq!((tape.unread(), tape.overrun), (0, false));
    }

    fn number(whole: u64) -> LazyNumber {
        LazyNumber { whole, fraction: LazyFraction::default() }
    }

    #[test]
    fn far_coordinates_are_cut_and_not_wrapped() {
        let mut far = Cube {
            radius: (0..4096).map(|_| number(u64::MAX)).collect(),
            direction: vec![(LazyFraction::default(), true), (LazyFraction::default(), false)],
        };
        let mut words = vec![0; 4096];
        words.extend([u64::MAX, 1 << 63]);
        let mut tape = Tape::new(words);
        assert_eq!(far.rounded(scale(1 << 53), 1, &mut tape), Some(vec![-i128::MAX, i128::MAX]));
        assert_eq!((tape.unread(), tape.overrun), (0, false));
    }

    quickcheck! {
        /// What few digits decide, more digits do not change; and a coordinate is s·r·U_j to the last half.
        fn what_is_decided_is_certain(seed: u64, steps: u64, places: u8, wholes: Vec<(u8, bool)>) -> bool {
            let mut rng = ReplayRng::new(seed);
            let steps = ((steps % (1 << 53)) >> (places % 53)) + 1;
            let mut cube = Cube {
                radius: wholes.iter().map(|(whole, _)| number(u64::from(whole % 8))).collect(),
                direction: wholes.iter().map(|(_, sign)| (LazyFraction::default(), *sign)).collect(),
            };
            let found = [1, 2, 4].map(|words| cube.rounded(scale(steps), words, &mut rng));
            let Some(last) = &found[2] else { return false };
            let radius: BigUint = cube.radius.iter_mut().map(|term| term.floor(4, &mut rng)).sum();
            let near = last.iter().zip(&mut cube.direction).all(|(z, (fraction, negative))| {
                let twice = (&radius * steps * 2_u8 * fraction.floor(4, &mut rng)) >> 512_u32;
                let (twice, size) = (u128::try_from(twice).unwrap(), z.unsigned_abs());
                // 2|z| rounded down is one of 2m − 1, 2m (and at the end 2m + 1 with nothing behind it).
                (twice == 2 * size || twice + 1 == 2 * size) && (*z == 0 || *negative == (*z < 0))
            });
            near && found.iter().flatten().all(|rounded| rounded == last)
        }
    }
}
