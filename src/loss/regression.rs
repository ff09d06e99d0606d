//! The losses of a residual: half its square, and Huber's. spec: `own:losses`

use super::{Loss, Rounding, UNIT, divergence, vector};
use crate::bounds::Bounds;
use crate::exact::{add_up, mul_up};

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

    #[inline(always)]
    fn values_and_slopes(&self, predictions: &mut [f64], targets: &[f64]) -> f64 {
        vector::squared(predictions, targets)
    }

    fn divergence(&self, _: f64, t: f64, _: f64) -> f64 {
        divergence::squared(t)
    }

    fn slope_bound(&self, reach: f64, bounds: &Bounds) -> f64 {
        add_up(reach, largest(bounds)).unwrap_or(f64::INFINITY)
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
        (reach + largest(bounds)) * f64::EPSILON
    }

    fn value_rounding(&self, reach: f64, bounds: &Bounds) -> f64 {
        // The residual, its square twice, and the product: three roundings of ½r².
        let residual = reach + largest(bounds);
        2.0 * UNIT * residual * residual + divergence::UNDERFLOW
    }

    fn divergence_rounding(&self, _: f64, _: &Bounds) -> Rounding {
        Rounding { absolute: divergence::UNDERFLOW, linear: 0.0, quadratic: UNIT }
    }

    fn admit(&self, target: f64, bounds: &Bounds) -> Option<f64> {
        within(target, bounds)
    }

    fn clip(&self, target: f64, bounds: &Bounds) -> Option<f64> {
        let largest = bounds.target()?;
        Some(target.clamp(-largest, largest))
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

    /// δ: the residual beyond which the loss is linear.
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

    #[inline(always)]
    fn values_and_slopes(&self, predictions: &mut [f64], targets: &[f64]) -> f64 {
        vector::huber(self.delta, predictions, targets)
    }

    fn divergence(&self, z: f64, t: f64, y: f64) -> f64 {
        divergence::huber(self.delta, z, t, y)
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

    fn chord_floor(&self, z: f64, slip: f64, t: f64, y: f64) -> f64 {
        // h is the way to the nearer kink. Beyond it the quotient is 1 − (1 − h/t)², smallest at the end; it is 0
        // where the residual is beyond the kink already.
        if self.curvature_floor(z, slip + t, y) > 0.0 {
            return 1.0;
        }
        let way = self.delta - ((z - y).abs() + slip) * (1.0 + 1e-14);
        let part = if way > 0.0 { (way / t).min(1.0) * (1.0 - 1e-14) } else { 0.0 };
        part * (2.0 - part) * (1.0 - 1e-14)
    }

    fn value_at_zero(&self, bounds: &Bounds) -> f64 {
        // Also at most δ|r|, which a large Y makes the smaller one.
        half_square(bounds).min(mul_up(self.delta, largest(bounds)).unwrap_or(f64::INFINITY))
    }

    fn slope_rounding(&self, reach: f64, bounds: &Bounds) -> f64 {
        Squared.slope_rounding(reach, bounds)
    }

    fn value_rounding(&self, reach: f64, bounds: &Bounds) -> f64 {
        // The residual counts twice; the difference and the product: four roundings of at most min(½r², δr).
        let residual = reach + largest(bounds);
        4.0 * UNIT * residual * (0.5 * residual).min(self.delta) * Bounds::SLACK + divergence::UNDERFLOW
    }

    fn divergence_rounding(&self, reach: f64, bounds: &Bounds) -> Rounding {
        // The residuals and half the sum of the clamped ones are off by u times a residual, for a move of at most
        // 2t; then three roundings of b ≤ min(½t², 2δt).
        let linear = 5.0 * UNIT * (reach + largest(bounds));
        let absolute = divergence::UNDERFLOW;
        Rounding { absolute, linear, quadratic: 2.0 * UNIT }
    }

    fn admit(&self, target: f64, bounds: &Bounds) -> Option<f64> {
        within(target, bounds)
    }

    fn clip(&self, target: f64, bounds: &Bounds) -> Option<f64> {
        let largest = bounds.target()?;
        Some(target.clamp(-largest, largest))
    }
}

/// Y. Where nothing is promised a target may be anything, and no constant is finite.
fn largest(bounds: &Bounds) -> f64 {
    bounds.target().unwrap_or(f64::INFINITY)
}

fn half_square(bounds: &Bounds) -> f64 {
    mul_up(largest(bounds), largest(bounds)).unwrap_or(f64::INFINITY) * 0.5
}

fn within(target: f64, bounds: &Bounds) -> Option<f64> {
    (target.abs() <= bounds.target()?).then_some(target)
}
