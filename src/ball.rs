//! Closed Euclidean balls: membership and projection. spec: `own:ball`
//!
//! Membership is *as computed*: a point is in the ball if its computed distance from the centre is at most the radius.
//! Projection is certified against the same test, so its result is in the ball whatever the rounding did on the way.

use crate::input::InvalidInput;

/// A closed Euclidean ball with a public centre and a public radius. spec: `own:ball`
///
/// ```
/// use asap_dp::ball::Ball;
/// let ball = Ball::new(vec![1.0, 0.0], 2.0)?;
/// assert!(ball.contains(&[3.0, 0.0]) && !ball.contains(&[3.0, 0.1]));
/// assert_eq!(ball.project(&[1.0, -8.0]), [1.0, -2.0]);
/// assert!(Ball::new(vec![0.0], f64::NAN).is_err());
/// # Ok::<(), asap_dp::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Ball {
    centre: Vec<f64>,
    radius: f64,
}

impl Ball {
    /// The ball of all points within `radius` of `centre`. The radius may be 0.
    pub fn new(centre: Vec<f64>, radius: f64) -> Result<Self, InvalidInput> {
        if centre.is_empty() || !centre.iter().all(|c| c.is_finite()) {
            return Err(InvalidInput { field: "ball centre", allowed: "one finite number or more" });
        }
        Ok(Self { centre, radius: InvalidInput::non_negative("ball radius", radius)? })
    }

    /// The centre.
    pub fn centre(&self) -> &[f64] {
        &self.centre
    }

    /// The radius.
    pub fn radius(&self) -> f64 {
        self.radius
    }

    /// d: the number of parameters.
    pub fn dimension(&self) -> usize {
        self.centre.len()
    }

    /// Whether the computed distance of `x` from the centre is at most the radius.
    /// `false` if a component is not a number, and for a slice of another length.
    pub fn contains(&self, x: &[f64]) -> bool {
        x.len() == self.dimension() && distance(x, &self.centre) <= self.radius
    }

    /// The point of the ball nearest to `x`, up to rounding.
    ///
    /// The result **always** passes [`Ball::contains`], and an `x` that passes it comes back unchanged.
    /// A point at infinity is projected along its infinite components; where there is no direction at all (a
    /// component is NaN, or the length differs) the result is the centre.
    #[must_use]
    pub fn project(&self, x: &[f64]) -> Vec<f64> {
        if self.contains(x) {
            return x.to_vec();
        }
        if x.len() != self.dimension() {
            return self.centre.clone();
        }
        let direction = self.direction_to(x);
        let length = norm(&direction);
        let candidate = |attempt| -> Vec<f64> {
            let reach = self.radius * shrinkage(attempt);
            // Dividing first keeps the step in range for every radius and every length.
            self.centre.iter().zip(&direction).map(|(c, a)| c + a / length * reach).collect()
        };
        first_accepted(ATTEMPTS, candidate, |point| self.contains(point), self.centre.clone())
    }

    /// Moves `x` to where [`Ball::project`] would put it. A slice of another length is not a point of this space
    /// and is left as it is.
    pub fn project_in_place(&self, x: &mut [f64]) {
        if x.len() == self.dimension() && !self.contains(x) {
            x.copy_from_slice(&self.project(x));
        }
    }

    /// A vector that points from the centre to `x` and has a finite norm; NaN where `x` has NaN.
    fn direction_to(&self, x: &[f64]) -> Vec<f64> {
        if x.iter().any(|a| a.is_infinite()) {
            // Seen from infinity only the infinite components count.
            return x.iter().map(|a| if a.is_finite() { 0.0 } else { a.signum() }).collect();
        }
        let scale = if distance(x, &self.centre).is_finite() { 1.0 } else { POWER_MINUS_600 };
        x.iter().zip(&self.centre).map(|(a, c)| a * scale - c * scale).collect()
    }
}

/// The number of projections tried before the centre: shrunk by 0, 2⁻⁵², 2⁻⁵¹, …, ½.
pub(crate) const ATTEMPTS: u32 = 53;

/// The factor of the radius in one attempt. Rounding can push a point out of the ball by about one unit in the
/// last place of the *centre*, which is any fraction of a small radius; so the shrinkage doubles each time.
pub(crate) fn shrinkage(attempt: u32) -> f64 {
    1.0 - f64::EPSILON * ((1_u64 << attempt) >> 1) as f64
}

/// The first of `tries` candidates that is accepted, or else the fallback.
///
/// The result is therefore accepted whenever the fallback is, whatever the candidates are: this is the whole
/// proof of [`Ball::project`], and it needs no floating point.
pub(crate) fn first_accepted<P>(
    tries: u32,
    candidate: impl FnMut(u32) -> P,
    accepts: impl Fn(&P) -> bool,
    fallback: P,
) -> P {
    (0..tries).map(candidate).find(accepts).unwrap_or(fallback)
}

/// The Euclidean norm of `x`, without overflow or underflow on the way.
///
/// Within a factor 1 ± (d + 3)·2⁻⁵³ of the true norm where that is a normal `f64`.
pub(crate) fn norm(x: &[f64]) -> f64 {
    root_of_squares(&x.iter().copied())
}

/// The Euclidean distance of two points; the components that only one of them has do not count.
pub(crate) fn distance(x: &[f64], y: &[f64]) -> f64 {
    root_of_squares(&x.iter().zip(y).map(|(a, b)| a - b))
}

/// Brings `x` back to the ball of this radius around 0, to within `(⌈log₂ d⌉/2 + 3.5)·2⁻⁵³` of the radius;
/// what is not a number stays.
///
/// Squares are added in pairs of pairs, so that the computed norm is off by at most `(⌈log₂ d⌉ + 1)/2 + 1`
/// roundings (a sum one after the other is off by d/2); the quotient of the radius and the norm, and the product
/// with it, are one more each.
pub(crate) fn shorten(x: &mut [f64], radius: f64) {
    let largest = x.iter().fold(0.0, |largest: f64, a| largest.max(a.abs()));
    // Scaled by a power of two, which is exact, so that no square overflows. What is too small for that is in every
    // ball of normal radius, and what is too large is not a usable point: it stays, and no rule accepts it.
    let Some(exponent) = crate::exact::floor_log2(largest).filter(|log| (-1000..=1000).contains(log)) else {
        return;
    };
    let scale = power_of_two(-exponent);
    let length = sum_of_squares_in_pairs(x, scale).sqrt() / scale;
    if length > radius {
        let factor = radius / length;
        for a in x {
            *a *= factor;
        }
    }
}

/// 2^exponent, for the exponents of normal numbers.
fn power_of_two(exponent: i32) -> f64 {
    f64::from_bits(u64::from((1023 + exponent).cast_unsigned()) << 52)
}

fn sum_of_squares_in_pairs(x: &[f64], scale: f64) -> f64 {
    match x {
        [] => 0.0,
        [a] => (a * scale) * (a * scale),
        _ => {
            let (left, right) = x.split_at(x.len() / 2);
            sum_of_squares_in_pairs(left, scale) + sum_of_squares_in_pairs(right, scale)
        }
    }
}

const POWER_MINUS_600: f64 = f64::from_bits((1023 - 600) << 52);
const POWER_600: f64 = f64::from_bits((1023 + 600) << 52);
/// A sum of squares above this has lost less than 10⁶·2⁻¹⁰⁷⁵ to underflow, less than 2⁻¹⁵⁰ of itself.
const POWER_MINUS_900: f64 = f64::from_bits((1023 - 900) << 52);

fn root_of_squares(x: &(impl Iterator<Item = f64> + Clone)) -> f64 {
    let squares = |scale: f64| x.clone().fold(0.0, |sum, a| sum + (a * scale) * (a * scale));
    let plain = squares(1.0);
    // Scaling by a power of two is exact where it matters. NaN takes the last way and stays NaN.
    if plain > f64::MAX {
        squares(POWER_MINUS_600).sqrt() * POWER_600
    } else if plain < POWER_MINUS_900 {
        squares(POWER_600).sqrt() * POWER_MINUS_600
    } else {
        plain.sqrt()
    }
}

#[cfg(any(kani, test))]
#[path = "../proofs/ball.rs"]
mod proofs;

#[cfg(test)]
#[allow(clippy::float_cmp)]
mod tests {
    use super::*;

    /// `|computed − expected|` relative to the expected value.
    fn error(computed: f64, expected: f64) -> f64 {
        ((computed - expected) / expected).abs()
    }

    #[test]
    fn norms_of_hand_picked_vectors() {
        assert_eq!(norm(&[3.0, -4.0]), 5.0);
        assert_eq!(norm(&[]).to_bits(), 0.0_f64.to_bits());
        assert_eq!(norm(&[0.0, -0.0]).to_bits(), 0.0_f64.to_bits());
        for power in [-1074, -1070, -600, -538, -537, -451, -450, -449, 449, 508, 509, 511, 512, 1000, 1021] {
            // In two steps: `powi` alone may lose a subnormal power to its reciprocal.
            let half = 2.0_f64.powi(power / 2);
            let unit = half * 2.0_f64.powi(power - power / 2);
            assert_eq!(norm(&[3.0 * unit, -4.0 * unit]), 5.0 * unit, "3, 4, 5 times 2^{power}");
        }
        assert_eq!(norm(&[f64::MAX]), f64::MAX);
        assert_eq!(norm(&[f64::from_bits(1)]), f64::from_bits(1));
        assert_eq!(norm(&[f64::MAX, f64::MAX]), f64::INFINITY);
        assert_eq!(norm(&[1.0, f64::NEG_INFINITY]), f64::INFINITY);
        assert!(norm(&[f64::INFINITY, f64::NAN]).is_nan());
        assert!(norm(&[f64::NAN, 0.0]).is_nan());
    }

    #[test]
    fn small_components_beside_large_ones_do_not_spoil_the_norm() {
        assert_eq!(norm(&[f64::MAX, f64::from_bits(1)]), f64::MAX);
        assert_eq!(norm(&[1e-200, 1.0]), 1.0);
        assert!(error(norm(&[1e-170, 1e-170]), 2.0_f64.sqrt() * 1e-170) < 1e-15);
    }

    #[test]
    fn distances_that_overflow_are_infinite() {
        assert_eq!(distance(&[f64::MAX], &[-f64::MAX]), f64::INFINITY);
        assert_eq!(distance(&[1.0, 1.0], &[4.0, 5.0]), 5.0);
    }

    #[test]
    fn the_first_accepted_candidate_wins_and_the_fallback_is_last() {
        let from = |least: u32| first_accepted(5, |k| k, |k| *k >= least, 99);
        assert_eq!((from(0), from(4), from(5)), (0, 4, 99));
        assert_eq!(first_accepted(0, |k| k, |_| true, 7), 7);
    }

    #[test]
    fn points_outside_are_shortened_and_points_inside_stay() {
        let shortened = |x: &[f64], radius: f64| {
            let mut x = x.to_vec();
            shorten(&mut x, radius);
            x
        };
        assert_eq!(shortened(&[3.0, -4.0], 10.0), [3.0, -4.0]);
        assert_eq!(shortened(&[3.0, -4.0], 2.5), [1.5, -2.0]);
        let tiny = shortened(&[6e200, -8e200], 1e-3);
        assert!(error(tiny[0], 6e-4) < 1e-15 && error(tiny[1], -8e-4) < 1e-15);
        assert_eq!(shortened(&[0.0, -0.0], 1.0), [0.0, -0.0]);
        let far = shortened(&vec![1e90; 1000], 1.0);
        assert!(error(norm(&far), 1.0) < 1e-14 && far.iter().all(|a| *a == far[0]));
    }

    #[test]
    fn shrinkage_doubles_from_nothing_to_a_half() {
        assert_eq!(shrinkage(0), 1.0);
        assert_eq!(shrinkage(1), 1.0 - f64::EPSILON);
        assert_eq!(shrinkage(2), 1.0 - 2.0 * f64::EPSILON);
        assert_eq!(shrinkage(ATTEMPTS - 1), 0.5);
    }
}
