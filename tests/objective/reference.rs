//! The losses with 30 digits, and losses that break one of their claims.

use crate::double_double::Wide;
use asap_dp::data::Bounds;
use asap_dp::loss::{Huber, Logistic, Loss, Rounding, Squared, Targets};

/// The admissible target that a raw one is turned into: its sign where targets are classes.
pub(crate) fn admissible<L: Loss>(loss: &L, raw: f64, bounds: &Bounds) -> f64 {
    match loss.targets() {
        Targets::Numbers => loss.clip(raw, bounds).unwrap(),
        Targets::Classes => 1.0_f64.copysign(raw),
    }
}

/// φ and its divergence with 30 digits.
pub(crate) trait Reference: Loss {
    fn exact_value(&self, z: Wide, y: f64) -> Wide;
    fn exact_divergence(&self, z: Wide, t: Wide, y: f64) -> Wide;
    /// φ″ is symmetric about it and falls away from it.
    fn centre(&self, y: f64) -> f64 {
        y
    }
}

impl Reference for Logistic {
    fn exact_value(&self, z: Wide, y: f64) -> Wide {
        (Wide::from(-y) * z).softplus()
    }

    fn exact_divergence(&self, z: Wide, t: Wide, _: f64) -> Wide {
        // Either target gives the same, and so do both signs turned.
        let (z, t) = if t.is_positive() { (-z, -t) } else { (z, t) };
        let p = z.sigmoid();
        let rise = if (Wide::from(0.5) + t).is_positive() {
            (p * t.exp_m1()).ln_1p()
        } else {
            (z + t).softplus() + -z.softplus()
        };
        rise + -(p * t)
    }

    fn centre(&self, _: f64) -> f64 {
        0.0
    }
}

impl Reference for Squared {
    fn exact_value(&self, z: Wide, y: f64) -> Wide {
        let residual = z + Wide::from(-y);
        Wide::from(0.5) * residual * residual
    }

    fn exact_divergence(&self, _: Wide, t: Wide, _: f64) -> Wide {
        Wide::from(0.5) * t * t
    }
}

impl Reference for Huber {
    fn exact_value(&self, z: Wide, y: f64) -> Wide {
        let residual = z + Wide::from(-y);
        let residual = if residual.is_positive() { residual } else { -residual };
        let delta = Wide::from(self.delta());
        if (residual + -delta).is_positive() {
            delta * (residual + -(Wide::from(0.5) * delta))
        } else {
            Wide::from(0.5) * residual * residual
        }
    }

    /// Where the move crosses no kink it is a half square or nothing; otherwise the definition, which 30 digits
    /// leave enough of.
    fn exact_divergence(&self, z: Wide, t: Wide, y: f64) -> Wide {
        let delta = Wide::from(self.delta());
        let side = |residual: Wide| {
            i32::from((residual + -delta).is_positive()) - i32::from((-residual + -delta).is_positive())
        };
        let residual = z + Wide::from(-y);
        match (side(residual), side(residual + t)) {
            (0, 0) => Wide::from(0.5) * t * t,
            (before, after) if before == after => Wide::from(0.0),
            (before, _) => {
                let slope = if before == 0 { residual } else { Wide::from(f64::from(before)) * delta };
                self.exact_value(z + t, y) + -self.exact_value(z, y) + -(slope * t)
            }
        }
    }
}

/// What is wrong with a loss.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Fault {
    /// Nothing.
    None,
    /// The divergence is a difference of two values.
    Difference,
    /// The divergence uses the move in single precision.
    SinglePrecision,
    /// The divergence is missed by three in a hundred million of itself.
    Scaled,
    /// The values have lost their last twelve bits.
    RoughValues,
    /// The chord floor is one per cent too large.
    LargeFloor,
    /// The chord floor is taken at the end that points to 0.
    WrongEnd,
}

/// A loss with a fault, and with the claims of the faultless one.
#[derive(Clone, Copy, PartialEq)]
pub(crate) struct Faulty<L> {
    pub(crate) loss: L,
    pub(crate) fault: Fault,
}

impl<L: Reference> Loss for Faulty<L> {
    fn name(&self) -> &'static str {
        self.loss.name()
    }
    fn value(&self, z: f64, y: f64) -> f64 {
        let value = self.loss.value(z, y);
        let mask = if self.fault == Fault::RoughValues { !0xfff } else { !0 };
        f64::from_bits(value.to_bits() & mask)
    }
    fn slope(&self, z: f64, y: f64) -> f64 {
        self.loss.slope(z, y)
    }
    fn curvature(&self, z: f64, y: f64) -> f64 {
        self.loss.curvature(z, y)
    }
    #[allow(clippy::cast_possible_truncation, reason = "this is the fault")]
    fn divergence(&self, z: f64, t: f64, y: f64) -> f64 {
        match self.fault {
            Fault::Difference => {
                (self.loss.value(z + t, y) - self.loss.value(z, y) - self.loss.slope(z, y) * t).max(0.0)
            }
            Fault::SinglePrecision => self.loss.divergence(z, f64::from(t as f32), y),
            Fault::Scaled => self.loss.divergence(z, t, y) * (1.0 + 3e-8),
            _ => self.loss.divergence(z, t, y),
        }
    }
    fn slope_bound(&self, reach: f64, bounds: &Bounds) -> f64 {
        self.loss.slope_bound(reach, bounds)
    }
    fn curvature_bound(&self) -> f64 {
        self.loss.curvature_bound()
    }
    fn curvature_floor(&self, z: f64, reach: f64, y: f64) -> f64 {
        self.loss.curvature_floor(z, reach, y)
    }
    fn chord_floor(&self, z: f64, slip: f64, t: f64, y: f64) -> f64 {
        match self.fault {
            Fault::LargeFloor => 1.01 * self.loss.chord_floor(z, slip, t, y),
            Fault::WrongEnd => {
                let inwards = if z > self.loss.centre(y) { -t } else { t };
                2.0 * self.loss.divergence(z, inwards, y) / (t * t) * (1.0 - 1e-9)
            }
            _ => self.loss.chord_floor(z, slip, t, y),
        }
    }
    fn value_at_zero(&self, bounds: &Bounds) -> f64 {
        self.loss.value_at_zero(bounds)
    }
    fn slope_rounding(&self, reach: f64, bounds: &Bounds) -> f64 {
        self.loss.slope_rounding(reach, bounds)
    }
    fn value_rounding(&self, reach: f64, bounds: &Bounds) -> f64 {
        self.loss.value_rounding(reach, bounds)
    }
    fn divergence_rounding(&self, reach: f64, bounds: &Bounds) -> Rounding {
        self.loss.divergence_rounding(reach, bounds)
    }
    fn admit(&self, target: f64, bounds: &Bounds) -> Option<f64> {
        self.loss.admit(target, bounds)
    }
    fn targets(&self) -> Targets {
        self.loss.targets()
    }
    fn clip(&self, target: f64, bounds: &Bounds) -> Option<f64> {
        self.loss.clip(target, bounds)
    }
}

impl<L: Reference> Reference for Faulty<L> {
    fn exact_value(&self, z: Wide, y: f64) -> Wide {
        self.loss.exact_value(z, y)
    }
    fn exact_divergence(&self, z: Wide, t: Wide, y: f64) -> Wide {
        self.loss.exact_divergence(z, t, y)
    }
}
