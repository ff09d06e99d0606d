//! Losses of one record: `ℓ(θ; (x, y)) = φ(⟨x, θ⟩; y)` with φ convex and smooth in its first argument.
//!
//! A loss is described by φ and by a few **claims** about it. The calibration believes the claims; for the
//! built-in losses a test searches for violations, for your own loss they are *caller-verified*:
//!
//! | claim | method | meaning, for all admissible y |
//! |---|---|---|
//! | convexity | (the trait itself) | φ(·; y) is convex and φ′ is its derivative |
//! | slope | [`Loss::slope_bound`] | `|φ′(z; y)| ≤ slope_bound(r)` for `|z| ≤ r` |
//! | curvature | [`Loss::curvature_bound`] | φ′ is Lipschitz with this constant |
//! | curvature floor | [`Loss::curvature_floor`] | φ″ is not below it within `reach` of `z` |
//! | value at 0 | [`Loss::value_at_zero`] | `φ(0; y)` is not above it, and φ ≥ 0 everywhere |
//! | chord floor | [`Loss::chord_floor`] | `2b(z', s)/s²` is not below it for `0 < |s| ≤ t` and z' near z |
//! | rounding | [`Loss::slope_rounding`] | the computed slope is this close to φ′ for `|z| ≤ r` |
//! | rounding | [`Loss::value_rounding`] | the computed value is this close to φ for `|z| ≤ r` |
//! | rounding | [`Loss::divergence_rounding`] | the computed b is this close to b for `|z|, |z + t| ≤ r` |
//!
//! Here `b(z, t) = φ(z + t) − φ(z) − φ′(z)·t ≥ 0` is the divergence: how far φ is above its tangent at z.

use crate::bounds::Bounds;
use crate::exact::{add_up, mul_up};

mod against_rest;
mod divergence;
mod logistic;
mod regression;
mod vector;
mod weighted;

pub use against_rest::AgainstRest;
pub use logistic::Logistic;
pub use regression::{Huber, Squared};
pub use weighted::WeightedLogistic;

/// u: the largest relative error of one rounding.
const UNIT: f64 = f64::EPSILON / 2.0;

/// A bound on a rounding error that depends on how far a point moved: `absolute + linear·s + quadratic·s²` for a
/// move of size s.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rounding {
    /// However small the move is.
    pub absolute: f64,
    /// For each unit of the size.
    pub linear: f64,
    /// For each unit of the square of the size.
    pub quadratic: f64,
}

impl Rounding {
    /// The bound for a move of the given size, rounded up.
    pub fn at(&self, size: f64) -> f64 {
        // Four roundings of numbers that are not negative.
        (self.absolute + (self.linear + self.quadratic * size) * size) * (1.0 + 4.0 * f64::EPSILON)
    }
}

/// What the targets of a loss are. spec: `own:losses`
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Targets {
    /// Numbers. How large they may be is a public promise, which must be given: [`Bounds::with_target`].
    Numbers,
    /// One of two classes, −1 and +1; or the number of one of several.
    Classes,
}

impl Targets {
    /// Y: not below the absolute value of an admissible target. `None` if the bounds must promise it and do not.
    pub fn bound(self, bounds: &Bounds) -> Option<f64> {
        match self {
            Self::Numbers => bounds.target(),
            Self::Classes => Some(1.0),
        }
    }
}

/// A convex, smooth loss of a linear prediction. spec: `own:losses`
///
/// See the [module](self) for the claims an implementation makes.
pub trait Loss: Copy + PartialEq + Sync + 'static {
    /// Short name, as it appears in certificates.
    fn name(&self) -> &'static str;

    /// A parameter of φ's shape, as it appears in certificates.
    fn shape(&self) -> Option<f64> {
        None
    }

    /// φ(z; y).
    fn value(&self, z: f64, y: f64) -> f64;

    /// φ′(z; y).
    fn slope(&self, z: f64, y: f64) -> f64;

    /// φ″(z; y), or any element of the generalised second derivative where φ′ has a kink.
    fn curvature(&self, z: f64, y: f64) -> f64;

    /// Replaces every prediction by its slope and returns the sum of the values: the inner loop of the library.
    /// Override it only with something faster that keeps the rounding claims, each value in at most `len/4 + 3`
    /// additions for up to 64 records.
    #[inline(always)]
    fn values_and_slopes(&self, predictions: &mut [f64], targets: &[f64]) -> f64 {
        vector::by_lanes(predictions, [targets], |z, [y]| (self.value(z, y), self.slope(z, y)))
    }

    /// b(z, t): φ at `z + t` above its tangent at z. It is not negative, for φ is convex.
    ///
    /// The default is a difference of two values, with their rounding errors.
    fn divergence(&self, z: f64, t: f64, y: f64) -> f64 {
        // 0 is closer to the true one than anything below it.
        divergence::not_negative((self.value(z + t, y) - self.value(z, y)) - self.slope(z, y) * t)
    }

    /// The sum of the divergences of some records. Override it only with something faster that keeps the
    /// rounding claim, each divergence in at most `len/4 + 3` additions for up to 64 records.
    #[inline(always)]
    fn divergences(&self, z: &[f64], t: &[f64], targets: &[f64]) -> f64 {
        divergence::sum(z, t, targets, |z, t, y| self.divergence(z, t, y))
    }

    /// Claim: `|φ′(z; y)|` is at most this for `|z| ≤ reach` and admissible `y`. May be infinite.
    fn slope_bound(&self, reach: f64, bounds: &Bounds) -> f64;

    /// Claim: φ′ is Lipschitz with this constant.
    fn curvature_bound(&self) -> f64;

    /// Claim: φ″ is at least this on `[z − reach, z + reach]`. 0 is always valid.
    fn curvature_floor(&self, z: f64, reach: f64, y: f64) -> f64;

    /// Claim: `2b(z', s)/s²` is at least this for all `0 < |s| ≤ t` and all z' within `slip` of z: the curvature of the
    /// widest parabola that touches φ at z' and stays below it up to there. 0 is always valid.
    ///
    /// The quotient is an average of φ″ between z' and z' + s, so that the default is valid.
    fn chord_floor(&self, z: f64, slip: f64, t: f64, y: f64) -> f64 {
        self.curvature_floor(z, slip + t, y)
    }

    /// Claim: `φ(0; y)` is at most this for admissible `y`, and φ is never negative.
    fn value_at_zero(&self, bounds: &Bounds) -> f64;

    /// Claim: the computed slope differs from φ′(z; y) by at most this for `|z| ≤ reach`.
    fn slope_rounding(&self, reach: f64, bounds: &Bounds) -> f64;

    /// Claim: the computed value differs from φ(z; y) by at most this for `|z| ≤ reach`.
    ///
    /// The default believes that an implementation loses not more than five bits of the largest value, which is at
    /// most `φ(0) + S·reach`. For your own loss this is *your* claim: override it where it does not hold.
    fn value_rounding(&self, reach: f64, bounds: &Bounds) -> f64 {
        32.0 * UNIT * (self.value_at_zero(bounds) + self.slope_bound(reach, bounds) * reach)
    }

    /// Claim: the computed b(z, t) differs from the true one by at most this for a move of size |t|, where both
    /// `|z|` and `|z + t|` are at most `reach`.
    ///
    /// The default follows from the claims on values and slopes for the default of [`Loss::divergence`]: two
    /// values, the slope at the rounded `z + t`, the slope's own error, and four roundings of at most `2S|t|`.
    fn divergence_rounding(&self, reach: f64, bounds: &Bounds) -> Rounding {
        let reach = reach * Bounds::SLACK;
        let slope = self.slope_bound(reach, bounds);
        let absolute = 2.0 * self.value_rounding(reach, bounds) + UNIT * slope * reach;
        let linear = self.slope_rounding(reach, bounds) + 6.0 * UNIT * slope;
        // The factor covers terms of second order and the rounding of the bound itself.
        Rounding { absolute: 1.01 * absolute, linear: 1.01 * linear, quadratic: 0.0 }
    }

    /// What targets are. Unless an implementation says otherwise they are numbers, and [`Bounds`] without a
    /// promise about them are refused.
    fn targets(&self) -> Targets {
        Targets::Numbers
    }

    /// How many classes there are, where targets are classes. spec: `own:one-against-rest`
    fn class_count(&self) -> usize {
        2
    }

    /// The admissible target that a raw one stands for, or `None` if it stands for none.
    /// It must look at this one target only.
    fn admit(&self, target: f64, bounds: &Bounds) -> Option<f64>;

    /// The admissible target nearest to a finite raw one, or `None` where none is near: a number that is no class is
    /// not nearly one. It must look at this one target only.
    fn clip(&self, target: f64, bounds: &Bounds) -> Option<f64>;

    /// Claim: φ′(·; y) never changes its sign, for every admissible `y`. `false` is always valid.
    /// spec: `own:gaussian-tilt`
    fn slope_keeps_sign(&self) -> bool {
        false
    }

    /// Whether φ(z; y) = ½(z − y)² exactly, so that sufficient statistics replace the records.
    fn is_half_square(&self) -> bool {
        false
    }

    /// G: the Lipschitz constant of `ℓ(·; (x, y))` on the ball of the given radius whose centre has the given
    /// norm, for every admissible record. `None` where it is not finite. spec: `own:losses`
    fn lipschitz(&self, bounds: &Bounds, centre_norm: f64, radius: f64) -> Option<f64> {
        let farthest = add_up(centre_norm, radius).unwrap_or(f64::INFINITY);
        let reach = mul_up(bounds.row_norm(), farthest).unwrap_or(f64::INFINITY);
        mul_up(bounds.row_norm(), self.slope_bound(reach, bounds))
    }

    /// β: the smoothness of `ℓ(·; (x, y))` for every admissible record. spec: `assumpt:smooth`
    fn smoothness(&self, bounds: &Bounds) -> Option<f64> {
        let norm = bounds.row_norm();
        mul_up(mul_up(norm, norm)?, self.curvature_bound())
    }
}
