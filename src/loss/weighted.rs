//! The logistic loss with a public weight for each class. spec: `own:class-weights`

use super::{Logistic, Loss, Rounding, Targets};
use crate::bounds::Bounds;
use crate::input::InvalidInput;
use asap_contracts::relative_weights;

/// Logistic regression in which the classes count differently: `φ(z; y) = w_y·ln(1 + e^(−yz))`.
/// spec: `own:class-weights`
///
/// Weights are relative: the larger one counts as 1. So every bound of [`Logistic`] is one of this loss, too.
///
/// ```
/// use asap_dp::loss::{Logistic, Loss, WeightedLogistic};
/// // The positive class, which is rare, counts ten times as much.
/// let loss = WeightedLogistic::new([1.0, 10.0])?;
/// assert_eq!(loss.weights(), [0.1, 1.0]);
/// assert_eq!(loss.slope(0.5, 1.0), Logistic.slope(0.5, 1.0));
/// assert_eq!(loss.slope(0.5, -1.0), 0.1 * Logistic.slope(0.5, -1.0));
/// # Ok::<(), asap_dp::InvalidInput>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WeightedLogistic {
    weights: [f64; 2],
}

impl WeightedLogistic {
    /// The weight of the other class, and of the positive one. Public: choose them without looking at the records.
    pub fn new(weights: [f64; 2]) -> Result<Self, InvalidInput> {
        let allowed = "two finite numbers greater than 0, none of them a million times the other";
        let weights = relative_weights(weights).ok_or(InvalidInput { field: "class weights", allowed })?;
        Ok(Self { weights })
    }

    /// The weights as parts of the larger one.
    pub fn weights(&self) -> [f64; 2] {
        self.weights
    }

    fn of(&self, y: f64) -> f64 {
        self.weights[usize::from(y > 0.0)]
    }
}

impl Loss for WeightedLogistic {
    fn name(&self) -> &'static str {
        "weighted logistic"
    }

    fn shape(&self) -> Option<f64> {
        let [other, positive] = self.weights;
        Some(positive / other)
    }

    fn value(&self, z: f64, y: f64) -> f64 {
        self.of(y) * Logistic.value(z, y)
    }

    fn slope(&self, z: f64, y: f64) -> f64 {
        self.of(y) * Logistic.slope(z, y)
    }

    fn curvature(&self, z: f64, y: f64) -> f64 {
        self.of(y) * Logistic.curvature(z, y)
    }

    fn divergence(&self, z: f64, t: f64, y: f64) -> f64 {
        self.of(y) * Logistic.divergence(z, t, y)
    }

    fn slope_bound(&self, reach: f64, bounds: &Bounds) -> f64 {
        Logistic.slope_bound(reach, bounds)
    }

    fn curvature_bound(&self) -> f64 {
        Logistic.curvature_bound()
    }

    fn curvature_floor(&self, z: f64, reach: f64, y: f64) -> f64 {
        // The factor covers the rounding of the product.
        self.of(y) * Logistic.curvature_floor(z, reach, y) * (1.0 - 1e-15)
    }

    fn chord_floor(&self, z: f64, slip: f64, t: f64, y: f64) -> f64 {
        self.of(y) * Logistic.chord_floor(z, slip, t, y) * (1.0 - 1e-15)
    }

    fn slope_keeps_sign(&self) -> bool {
        Logistic.slope_keeps_sign()
    }

    fn value_at_zero(&self, bounds: &Bounds) -> f64 {
        Logistic.value_at_zero(bounds)
    }

    // One more rounding than without weights, of a number not above the one that is rounded there: own:class-weights.
    fn slope_rounding(&self, reach: f64, bounds: &Bounds) -> f64 {
        Logistic.slope_rounding(reach, bounds)
    }

    fn value_rounding(&self, reach: f64, bounds: &Bounds) -> f64 {
        // ln 2 + |z| is rounded once more.
        Logistic.value_rounding(reach, bounds) + (1.0 + reach) * super::UNIT
    }

    fn divergence_rounding(&self, reach: f64, bounds: &Bounds) -> Rounding {
        Logistic.divergence_rounding(reach, bounds)
    }

    fn targets(&self) -> Targets {
        Targets::Classes
    }

    fn admit(&self, target: f64, bounds: &Bounds) -> Option<f64> {
        Logistic.admit(target, bounds)
    }

    fn clip(&self, target: f64, bounds: &Bounds) -> Option<f64> {
        Logistic.clip(target, bounds)
    }
}
