//! The logistic loss. spec: `own:losses`

use super::{Loss, Rounding, Targets, UNIT, divergence, vector};
use crate::bounds::Bounds;

/// Logistic regression: `φ(z; y) = ln(1 + e^(−yz))`, `y ∈ {−1, +1}`.
///
/// Raw targets are classes: 1 stands for +1, and 0 as well as −1 for the other one, so files with 0 and 1 and files
/// with −1 and 1 are both understood. Any other number is no class and is refused, also where numbers are clipped; a
/// [`Schema`](crate::data::Schema) states which of them are the positive class.
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

    #[inline(always)]
    fn values_and_slopes(&self, predictions: &mut [f64], targets: &[f64]) -> f64 {
        vector::logistic(predictions, targets)
    }

    fn divergence(&self, z: f64, t: f64, _: f64) -> f64 {
        divergence::logistic(z, t)
    }

    #[inline(always)]
    fn divergences(&self, z: &[f64], t: &[f64], _: &[f64]) -> f64 {
        divergence::logistic_sum(z, t)
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

    fn chord_floor(&self, z: f64, slip: f64, t: f64, y: f64) -> f64 {
        let z = (z.abs() + slip) * (1.0 + 1e-15);
        // σ′ is even and falls in |z|, so that the average is smallest at the end that points away from 0. The
        // quotient is moved down by the error of b in that direction; where t is so small that this counts,
        // or z so large that the exponential has ended, the curvature at that end is no worse.
        let error = divergence::LOGISTIC_ROUNDING * t * sigmoid(-z) + divergence::UNDERFLOW;
        let average = 2.0 * (divergence::logistic(z, t) - error) / (t * t) * (1.0 - 1e-13);
        let floor = self.curvature_floor(z, t, y);
        if average > floor && z <= 600.0 && average.is_finite() { average } else { floor }
    }

    fn slope_keeps_sign(&self) -> bool {
        true
    }

    fn value_at_zero(&self, _: &Bounds) -> f64 {
        core::f64::consts::LN_2.next_up()
    }

    fn slope_rounding(&self, _: f64, _: &Bounds) -> f64 {
        1.0 / (1_u64 << 48) as f64
    }

    fn value_rounding(&self, reach: f64, _: &Bounds) -> f64 {
        // 2⁻⁴⁹ of the logarithm, which is at most ln 2, and the rounding of its sum with max(−yz, 0).
        (12.0 + reach) * UNIT
    }

    fn divergence_rounding(&self, _: f64, _: &Bounds) -> Rounding {
        let (absolute, linear) = (divergence::UNDERFLOW, divergence::LOGISTIC_ROUNDING);
        Rounding { absolute, linear, quadratic: 0.0 }
    }

    fn targets(&self) -> Targets {
        Targets::Classes
    }

    fn admit(&self, target: f64, _: &Bounds) -> Option<f64> {
        match target {
            1.0 => Some(1.0),
            0.0 | -1.0 => Some(-1.0),
            _ => None,
        }
    }

    fn clip(&self, target: f64, bounds: &Bounds) -> Option<f64> {
        self.admit(target, bounds)
    }
}

/// `1/(1 + e^(−z))`, without overflow.
fn sigmoid(z: f64) -> f64 {
    let e = (-z.abs()).exp();
    (if z >= 0.0 { 1.0 } else { e }) / (1.0 + e)
}
