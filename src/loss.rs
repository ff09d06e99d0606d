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
//! | rounding | [`Loss::slope_rounding`] | the computed slope is this close to φ′ for `|z| ≤ r` |

use crate::bounds::Bounds;
use crate::exact::{add_up, mul_up};

mod vector;

/// A convex, smooth loss of a linear prediction. spec: `own:losses`
///
/// See the [module](self) for the claims an implementation makes.
pub trait Loss: Sync {
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
    /// Override it only with something faster that keeps the rounding claim.
    fn values_and_slopes(&self, predictions: &mut [f64], targets: &[f64]) -> f64 {
        let mut sum = 0.0;
        for (z, &y) in predictions.iter_mut().zip(targets) {
            sum += self.value(*z, y);
            *z = self.slope(*z, y);
        }
        sum
    }

    /// Claim: `|φ′(z; y)|` is at most this for `|z| ≤ reach` and admissible `y`. May be infinite.
    fn slope_bound(&self, reach: f64, bounds: &Bounds) -> f64;

    /// Claim: φ′ is Lipschitz with this constant.
    fn curvature_bound(&self) -> f64;

    /// Claim: φ″ is at least this on `[z − reach, z + reach]`. 0 is always valid.
    fn curvature_floor(&self, z: f64, reach: f64, y: f64) -> f64;

    /// Claim: `φ(0; y)` is at most this for admissible `y`, and φ is never negative.
    fn value_at_zero(&self, bounds: &Bounds) -> f64;

    /// Claim: the computed slope differs from φ′(z; y) by at most this for `|z| ≤ reach`.
    fn slope_rounding(&self, reach: f64, bounds: &Bounds) -> f64;

    /// The admissible target that a raw one stands for, or `None` if it stands for none.
    /// It must look at this one target only.
    fn admit(&self, target: f64, bounds: &Bounds) -> Option<f64>;

    /// The admissible target nearest to a finite raw one. It must look at this one target only.
    fn clip(&self, target: f64, bounds: &Bounds) -> f64;

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

/// Logistic regression: `φ(z; y) = ln(1 + e^(−yz))`, `y ∈ {−1, +1}`.
///
/// A raw target above 0 stands for the class +1, any other for −1; refusal admits −1, 0 and 1 only.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Logistic;

impl Loss for Logistic {
    fn name(&self) -> &'static str {
        "logistic"
    }

    fn value(&self, z: f64, y: f64) -> f64 {
        let t = -y * z;
        t.max(0.0) + (-t.abs()).exp().ln_1p()
    }

    fn slope(&self, z: f64, y: f64) -> f64 {
        -y * sigmoid(-y * z)
    }

    fn curvature(&self, z: f64, _: f64) -> f64 {
        // σ(z)σ(−z) without cancellation for large |z|.
        let e = (-z.abs()).exp();
        e / ((1.0 + e) * (1.0 + e))
    }

    fn values_and_slopes(&self, predictions: &mut [f64], targets: &[f64]) -> f64 {
        vector::logistic(predictions, targets)
    }

    fn slope_bound(&self, _: f64, _: &Bounds) -> f64 {
        1.0
    }

    fn curvature_bound(&self) -> f64 {
        0.25
    }

    fn curvature_floor(&self, z: f64, reach: f64, y: f64) -> f64 {
        // σ′ falls in |z|. The factor covers the rounding of exp.
        self.curvature(z.abs() + reach, y) * (1.0 - 1e-14)
    }

    fn value_at_zero(&self, _: &Bounds) -> f64 {
        core::f64::consts::LN_2.next_up()
    }

    fn slope_rounding(&self, _: f64, _: &Bounds) -> f64 {
        1.0 / (1_u64 << 48) as f64
    }

    fn admit(&self, target: f64, bounds: &Bounds) -> Option<f64> {
        matches!(target, -1.0 | 0.0 | 1.0).then(|| self.clip(target, bounds))
    }

    fn clip(&self, target: f64, _: &Bounds) -> f64 {
        if target > 0.0 { 1.0 } else { -1.0 }
    }
}

/// `1/(1 + e^(−z))`, without overflow.
fn sigmoid(z: f64) -> f64 {
    let e = (-z.abs()).exp();
    (if z >= 0.0 { 1.0 } else { e }) / (1.0 + e)
}

/// Least squares: `φ(z; y) = ½(z − y)²`, `|y| ≤ Y`. Lipschitz on bounded sets only.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Squared;

impl Loss for Squared {
    fn name(&self) -> &'static str {
        "squared"
    }

    fn value(&self, z: f64, y: f64) -> f64 {
        let residual = z - y;
        0.5 * residual * residual
    }

    fn slope(&self, z: f64, y: f64) -> f64 {
        z - y
    }

    fn curvature(&self, _: f64, _: f64) -> f64 {
        1.0
    }

    fn values_and_slopes(&self, predictions: &mut [f64], targets: &[f64]) -> f64 {
        vector::squared(predictions, targets)
    }

    fn slope_bound(&self, reach: f64, bounds: &Bounds) -> f64 {
        add_up(reach, bounds.target()).unwrap_or(f64::INFINITY)
    }

    fn curvature_bound(&self) -> f64 {
        1.0
    }

    fn curvature_floor(&self, _: f64, _: f64, _: f64) -> f64 {
        1.0
    }

    fn value_at_zero(&self, bounds: &Bounds) -> f64 {
        half_square(bounds)
    }

    fn slope_rounding(&self, reach: f64, bounds: &Bounds) -> f64 {
        (reach + bounds.target()) * f64::EPSILON
    }

    fn admit(&self, target: f64, bounds: &Bounds) -> Option<f64> {
        within(target, bounds)
    }

    fn clip(&self, target: f64, bounds: &Bounds) -> f64 {
        target.clamp(-bounds.target(), bounds.target())
    }

    fn is_half_square(&self) -> bool {
        true
    }
}

/// Huber regression: `½(z − y)²` for residuals up to δ, linear beyond, `|y| ≤ Y`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Huber {
    delta: f64,
}

impl Huber {
    /// A Huber loss that is linear beyond residuals of size `delta`.
    pub fn new(delta: f64) -> Result<Self, crate::input::InvalidInput> {
        Ok(Self { delta: crate::input::InvalidInput::positive("huber delta", delta)? })
    }

    /// δ.
    pub fn delta(&self) -> f64 {
        self.delta
    }
}

impl Loss for Huber {
    fn name(&self) -> &'static str {
        "huber"
    }

    fn shape(&self) -> Option<f64> {
        Some(self.delta)
    }

    fn value(&self, z: f64, y: f64) -> f64 {
        // With c = min(|r|, δ): c·(|r| − c/2) is ½r² inside and δ|r| − ½δ² outside.
        let residual = (z - y).abs();
        let core = residual.min(self.delta);
        core * (residual - 0.5 * core)
    }

    fn slope(&self, z: f64, y: f64) -> f64 {
        (z - y).clamp(-self.delta, self.delta)
    }

    fn curvature(&self, z: f64, y: f64) -> f64 {
        if (z - y).abs() <= self.delta { 1.0 } else { 0.0 }
    }

    fn values_and_slopes(&self, predictions: &mut [f64], targets: &[f64]) -> f64 {
        vector::huber(self.delta, predictions, targets)
    }

    fn slope_bound(&self, reach: f64, bounds: &Bounds) -> f64 {
        Squared.slope_bound(reach, bounds).min(self.delta)
    }

    fn curvature_bound(&self) -> f64 {
        1.0
    }

    fn curvature_floor(&self, z: f64, reach: f64, y: f64) -> f64 {
        // The slack covers the rounding of the three operations.
        if ((z - y).abs() + reach) * (1.0 + 1e-14) <= self.delta { 1.0 } else { 0.0 }
    }

    fn value_at_zero(&self, bounds: &Bounds) -> f64 {
        // Also at most δ|r|, which a large Y makes the smaller one.
        half_square(bounds).min(mul_up(self.delta, bounds.target()).unwrap_or(f64::INFINITY))
    }

    fn slope_rounding(&self, reach: f64, bounds: &Bounds) -> f64 {
        Squared.slope_rounding(reach, bounds)
    }

    fn admit(&self, target: f64, bounds: &Bounds) -> Option<f64> {
        within(target, bounds)
    }

    fn clip(&self, target: f64, bounds: &Bounds) -> f64 {
        target.clamp(-bounds.target(), bounds.target())
    }
}

fn half_square(bounds: &Bounds) -> f64 {
    mul_up(bounds.target(), bounds.target()).unwrap_or(f64::INFINITY) * 0.5
}

fn within(target: f64, bounds: &Bounds) -> Option<f64> {
    (target.abs() <= bounds.target()).then_some(target)
}
