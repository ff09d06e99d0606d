//! Laplace noise with a Euclidean norm, rounded to integers, exactly.
//!
//! The real vector z has density ∝ e^(−‖z‖₂/s) on ℝ^d, for an integer s ≥ 1; what is drawn is z with every
//! coordinate rounded to the nearest integer. That is *post-processing* of the continuous law, so its pure
//! differential privacy for a 2-norm sensitivity holds exactly.
//!
//! Algorithm: z = s·r·N/‖N‖₂ with r the sum of d exponential numbers and N a vector of d normal numbers, all
//! independent.
//!
//! Exactness: in polar coordinates the density of z is ∝ ρ^(d−1)·e^(−ρ/s) in the norm ρ and constant in the
//! direction, so the two are independent, ρ/s has the gamma law of shape d, which is that of r, and the direction
//! is uniform on the sphere, like N/‖N‖₂, since the density of N depends on ‖N‖₂ only.
//!
//! Each of the 2d numbers is known by the first words of its expansion. With P = 64·words places, integers
//! enclose them: r·2^P is in \[b, b + d\], |N_j|·2^P in \[a_j, a_j + 1\] and hence ‖N‖₂·2^P in
//! \[√Σa_j², √Σ(a_j+1)²\]. As |z_j| grows with r and with |N_j| where it stands, and falls with ‖N‖₂, it is in
//!
//! \[ s·b·a_j / (√Σ(a_i+1)²·2^P), s·(b+d)·(a_j+1) / (√Σa_i²·2^P) \],
//!
//! computed in integers and rounded outwards to multiples of ½. If that interval is within ½ of an integer, for
//! every coordinate, these integers are the rounded vector. If not, twice as many words are looked at: the
//! numbers stay, only more of their digits are known. The intervals shrink to points, and a point half-way
//! between two integers has probability 0, so the loop ends with probability 1.
//!
//! Coordinates saturate at 2^127 − 1. That is a monotone cut of the exact coordinate, so far outside of the 2^54
//! steps that the lattice can tell apart that [`Lattice::add`](super::Lattice::add) releases exactly what it
//! would release with the exact noise.

use super::bernoulli::fair_coin;
use super::bits::RandomBits;
use super::exponential::exponential;
use super::fraction::LazyNumber;
use super::normal::absolute_normal;
use super::steps::{Scaled, Steps};
use num_bigint::BigUint;

/// The scale s of the Euclidean Laplace law: an integer number of lattice steps, 1 to 2^53.
///
/// spec: `own:euclidean-laplace`
pub type EuclideanScale = Steps<EuclideanLaplace>;

/// The law of [`EuclideanScale`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EuclideanLaplace;

impl Scaled for EuclideanLaplace {
    const FIELD: &'static str = "scale of the Euclidean Laplace noise";
}

/// Draws a vector of density ∝ e^(−‖z‖₂/scale), each coordinate rounded to the nearest integer: the noise of pure
/// differential privacy for a sensitivity in the 2-norm, in steps.
///
/// spec: `own:euclidean-laplace`
///
/// ```
/// use asap_dp::noise::{EuclideanScale, Lattice, ReplayRng, euclidean_laplace};
/// let scale = EuclideanScale::at_least(2.5)?;
/// assert_eq!(scale.steps(), 3);
/// let noise = euclidean_laplace(scale, 2, &mut ReplayRng::new(1));
/// let released = [Lattice::add(7, noise[0]), Lattice::add(-7, noise[1])];
/// # assert!(released.iter().all(|k| (-200..200).contains(k)));
/// # Ok::<(), asap_dp::input::InvalidInput>(())
/// ```
pub fn euclidean_laplace<R: RandomBits>(scale: EuclideanScale, dimension: usize, rng: &mut R) -> Vec<i128> {
    let mut vector = Polar {
        norm: (0..dimension).map(|_| exponential(rng)).collect(),
        direction: (0..dimension).map(|_| (absolute_normal(rng), fair_coin(rng))).collect(),
    };
    let mut words = 1;
    loop {
        if let Some(rounded) = vector.rounded(scale, words, rng) {
            return rounded;
        }
        words *= 2;
    }
}

/// The real vector r·N/‖N‖₂.
struct Polar {
    /// The terms of r.
    norm: Vec<LazyNumber>,
    /// The absolute values of N, and whether they are negative.
    direction: Vec<(LazyNumber, bool)>,
}

impl Polar {
    /// The vector times the scale, rounded, if these words of each number decide every coordinate.
    fn rounded<R: RandomBits>(
        &mut self,
        scale: EuclideanScale,
        words: usize,
        rng: &mut R,
    ) -> Option<Vec<i128>> {
        let floors: Vec<BigUint> = self.direction.iter_mut().map(|(n, _)| n.floor(words, rng)).collect();
        let norm: BigUint = self.norm.iter_mut().map(|term| term.floor(words, rng)).sum();
        let enclosure = Enclosure::new(scale, &norm, &floors, words)?;
        let magnitudes = floors.iter().map(|floor| nearest_if_certain(enclosure.halves(floor)));
        let signed = |(magnitude, (_, negative)): (Option<i128>, &(LazyNumber, bool))| {
            magnitude.map(|magnitude| if *negative { -magnitude } else { magnitude })
        };
        magnitudes.zip(&self.direction).map(signed).collect()
    }
}

/// The factors 2s·r/‖N‖₂ of an enclosure that all coordinates share, as fractions: numerators in units of 2^(−P),
/// denominators without unit.
struct Enclosure {
    numerators: [BigUint; 2],
    denominators: [BigUint; 2],
    places: usize,
}

impl Enclosure {
    /// From b and all a_j, which have 64·`words` places; `None` if ‖N‖₂ may still be 0.
    fn new(scale: EuclideanScale, norm: &BigUint, floors: &[BigUint], words: usize) -> Option<Self> {
        let squares: BigUint = floors.iter().map(|a| a * a).sum();
        // Σ(a_j + 1)² = Σa_j² + 2Σa_j + d.
        let more: BigUint = floors.iter().map(|a| a * 2_u8 + 1_u8).sum();
        let smallest = squares.sqrt();
        if smallest == BigUint::ZERO && !floors.is_empty() {
            return None;
        }
        let largest = (squares + more).sqrt() + 1_u8;
        let numerators = [norm.clone(), norm + floors.len()].map(|r| r * scale.steps() * 2_u8);
        Some(Self { numerators, denominators: [largest, smallest], places: 64 * words })
    }

    /// Integers that enclose 2|z_j|, from a_j; cut at 2^128 − 1.
    fn halves(&self, floor: &BigUint) -> [u128; 2] {
        let [least, most] = &self.numerators;
        let [largest, smallest] = &self.denominators;
        // Dividing first by 2^P and then by the root, both rounded down, is one division rounded down.
        let low = ((least * floor) >> self.places) / largest;
        let high = ((most * (floor + 1_u8)) >> self.places) / smallest + 1_u8;
        [low, high].map(|half| u128::try_from(half).unwrap_or(u128::MAX))
    }
}

/// The integer m, cut at 2^127 − 1, such that every number from `low / 2` to `high / 2` is within ½ of m: each of
/// them rounds to m.
pub(super) fn nearest_if_certain([low, high]: [u128; 2]) -> Option<i128> {
    let nearest = low / 2 + low % 2;
    // low ≥ 2m − 1 in any case, and the question is whether high ≤ 2m + 1.
    (high / 2 <= nearest).then(|| i128::try_from(nearest).unwrap_or(i128::MAX))
}

#[cfg(any(kani, test))]
#[path = "../../proofs/noise/euclidean.rs"]
mod proofs;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::noise::bits::ReplayRng;
    use crate::noise::fraction::LazyFraction;
    use crate::noise::tape::Tape;
    use quickcheck::quickcheck;

    fn scale(steps: u64) -> EuclideanScale {
        EuclideanScale::new(steps).unwrap()
    }

    #[test]
    fn scales_out_of_range_are_refused() {
        for bad in [0.0, -0.0, -1.0, f64::NAN, f64::INFINITY, 2.0_f64.powi(53).next_up(), f64::MAX] {
            assert_eq!(EuclideanScale::at_least(bad), Err(EuclideanScale::REFUSED), "{bad}");
        }
        assert_eq!(EuclideanScale::new(0), Err(EuclideanScale::REFUSED));
        assert_eq!(EuclideanScale::new((1 << 53) + 1), Err(EuclideanScale::REFUSED));
        assert_eq!(EuclideanScale::at_least(2.0_f64.powi(53)), EuclideanScale::new(1 << 53));
        assert_eq!(EuclideanScale::at_least(3.0_f64.next_up()), EuclideanScale::new(4));
    }

    #[test]
    fn no_coordinates_take_no_bits() {
        let mut tape = Tape::new([]);
        assert_eq!((euclidean_laplace(scale(5), 0, &mut tape), tape.overrun), (vec![], false));
    }

    #[test]
    fn a_draw_by_hand() {
        // r: x = ½ + … is below e^(−x)'s first fresh number, goes on, and stops in round 2: not kept. Then ¾: kept.
        let norm = [0, 1 << 63, 0, u64::MAX, u64::MAX, 3 << 62];
        // N: as in the test of the rounded normal law, −(1 + ¾); one coordinate is ±r whatever N is.
        let direction = [0, 1, 0, 0, u64::MAX, 3 << 62, 0, 1];
        let mut tape = Tape::new([&norm[..], &direction[..]].concat());
        assert_eq!(euclidean_laplace(scale(8), 1, &mut tape), [-14]);
        assert_eq!((tape.unread(), tape.overrun), (0, false));
    }

    /// 2·1·100·1/‖(2, 1, …, 1)‖ = 200/√28 = 37.8: what is not yet known of many small numbers adds up.
    #[test]
    fn many_small_numbers_may_be_long_together() {
        let floors: Vec<BigUint> = (0_u8..25).map(|j| BigUint::from(u8::from(j == 0))).collect();
        let enclosure = Enclosure::new(scale(1), &BigUint::from(100_u8), &floors, 0).unwrap();
        let [low, _] = enclosure.halves(&floors[0]);
        assert!((30..=37).contains(&low), "{low}");
    }

    /// As [`a_draw_by_hand`], with ½ − 2⁻⁶⁴ for ¾: the first word decides nothing, the second words do,
    /// and no third is asked for.
    #[test]
    fn more_words_are_drawn_where_the_first_do_not_decide() {
        // r is kept at once; N = 1¾ with a plus, whatever it is.
        let (norm, direction) = ([u64::MAX, (1 << 63) - 1], [0, 1, 0, 0, u64::MAX, 3 << 62, 0, 0]);
        let mut tape = Tape::new([&norm[..], &direction[..], &[0, 0]].concat());
        assert_eq!(euclidean_laplace(scale(1), 1, &mut tape), [0]);
        assert_eq!((tape.unread(), tape.overrun), (0, false));
    }

    fn number(whole: u64) -> LazyNumber {
        LazyNumber { whole, fraction: LazyFraction::default() }
    }

    fn vector(norm: &[u64], direction: &[(u64, bool)]) -> Polar {
        Polar {
            norm: norm.iter().map(|whole| number(*whole)).collect(),
            direction: direction.iter().map(|(whole, negative)| (number(*whole), *negative)).collect(),
        }
    }

    #[test]
    fn a_norm_that_may_be_zero_decides_nothing() {
        let mut vector = vector(&[1, 0], &[(0, false), (0, true)]);
        // Words of N first, then those of r.
        let mut tape = Tape::new([0, 0, 5, 5]);
        assert_eq!(vector.rounded(scale(1), 1, &mut tape), None);
        // The second words: N = (4, 3)·2^−128, which is known to one unit only: still undecided.
        let mut tape = Tape::new([4, 3, 5, 5]);
        assert_eq!(vector.rounded(scale(1000), 2, &mut tape), None);
        assert_eq!((tape.unread(), tape.overrun), (0, false));
        // Two more words each, so that N = (4.5, 3.25)·2^−128 and r = 1 but for tiny parts.
        let mut tape = Tape::new([1 << 63, 0, 1 << 62, 0, 0, 0, 0, 0]);
        assert_eq!(vector.rounded(scale(1000), 4, &mut tape), Some(vec![811, -585]));
    }

    #[test]
    fn far_coordinates_are_cut_and_not_wrapped() {
        let mut rng = ReplayRng::new(3);
        let mut far = vector(&vec![u64::MAX; 4096], &[(1, false)]);
        assert_eq!(far.rounded(scale(1 << 53), 1, &mut rng), Some(vec![i128::MAX]));
        let mut far = vector(&vec![u64::MAX; 4096], &[(1, true), (1, false)]);
        assert_eq!(far.rounded(scale(1 << 53), 2, &mut rng), Some(vec![-i128::MAX, i128::MAX]));
    }

    /// Whether every vector that begins with these words rounds to this one, from squares and without roots:
    /// |z_j| ≥ m − ½ is (2s·r·|N_j|)² ≥ (2m − 1)²·‖N‖²·2^(2P), and so on.
    fn is_certain(
        scale: u64,
        vector: &mut Polar,
        words: usize,
        rounded: &[i128],
        rng: &mut ReplayRng,
    ) -> bool {
        let norm: BigUint = vector.norm.iter_mut().map(|term| term.floor(words, rng)).sum();
        let floors: Vec<BigUint> = vector.direction.iter_mut().map(|(n, _)| n.floor(words, rng)).collect();
        let ceilings: Vec<BigUint> = floors.iter().map(|a| a + 1_u8).collect();
        let square = |values: &[BigUint]| values.iter().map(|a| a * a).sum::<BigUint>() << (128 * words);
        let [least, most] = [square(&floors), square(&ceilings)];
        rounded.iter().enumerate().all(|(j, m)| {
            let m = BigUint::from(m.unsigned_abs());
            let low = (&norm * scale * 2_u8 * &floors[j]).pow(2);
            let high = ((&norm + vector.norm.len()) * scale * 2_u8 * &ceilings[j]).pow(2);
            (m == BigUint::ZERO || low >= (&m * 2_u8 - 1_u8).pow(2) * &most)
                && high <= (&m * 2_u8 + 1_u8).pow(2) * &least
                && (m == BigUint::ZERO || vector.direction[j].1 == (rounded[j] < 0))
        })
    }

    quickcheck! {
        // Few digits, so that an enclosure that is too narrow by the last of them is seen: 2|z_j| from the smallest
        // to the largest factors, compared as squares, is inside.
        fn enclosures_enclose(steps: u8, norm: u8, floors: Vec<u8>, words: bool) -> bool {
            let (steps, words) = (u64::from(steps) + 1, usize::from(words));
            // With a word after the point: numbers of a few units of 2^−32, so that the products are small, too.
            let spread = |digits: u8| BigUint::from(digits) << (32 * words);
            let (norm, d) = (spread(norm), floors.len());
            let floors: Vec<BigUint> = floors.into_iter().map(spread).collect();
            let Some(enclosure) = Enclosure::new(scale(steps), &norm, &floors, words) else {
                return floors.iter().all(|a| *a == BigUint::ZERO);
            };
            let square = |add: u8| floors.iter().map(|a| (a + add).pow(2)).sum::<BigUint>() << (128 * words);
            let [least, most] = [square(0), square(1)];
            floors.iter().all(|a| {
                let [low, high] = enclosure.halves(a).map(BigUint::from);
                let smallest = (&norm * steps * 2_u8 * a).pow(2);
                let largest = ((&norm + d) * steps * 2_u8 * (a + 1_u8)).pow(2);
                low.pow(2) * &most <= smallest && largest <= high.pow(2) * &least
            })
        }

        fn what_is_decided_is_certain(seed: u64, steps: u64, places: u8, wholes: Vec<(u8, u8, bool)>) -> bool {
            let mut rng = ReplayRng::new(seed);
            let steps = ((steps % (1 << 53)) >> (places % 53)) + 1;
            let norm: Vec<u64> = wholes.iter().map(|(norm, ..)| u64::from(norm % 8)).collect();
            let direction: Vec<(u64, bool)> =
                wholes.iter().map(|(_, normal, negative)| (u64::from(normal % 4), *negative)).collect();
            let mut vector = vector(&norm, &direction);
            let found = [1, 2, 4].map(|words| {
                let rounded = vector.rounded(scale(steps), words, &mut rng);
                assert!(rounded.as_ref().is_none_or(|rounded| {
                    is_certain(steps, &mut vector, words, rounded, &mut rng)
                }));
                rounded
            });
            // More digits do not change what fewer decided, and 256 are enough.
            found[2].is_some() && found.iter().flatten().all(|rounded| Some(rounded) == found[2].as_ref())
        }
    }
}
