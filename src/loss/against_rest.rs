//! The logistic loss of one class against all others. spec: `own:one-against-rest`

use super::vector::BATCH;
use super::{Logistic, Loss, Rounding, Targets, WeightedLogistic};
use crate::bounds::Bounds;
use crate::input::InvalidInput;
use asap_contracts::Schema;

/// Logistic regression of one of several classes against all others. A target is the number of a class, from 0; what is
/// computed is, bit for bit, [`Logistic`] or [`WeightedLogistic`] with +1 for that class and −1 for any other.
/// spec: `own:one-against-rest`
///
/// ```
/// use asap_dp::loss::{AgainstRest, Logistic, Loss};
/// let loss = AgainstRest::new(2, 4)?;
/// assert_eq!(loss.slope(0.5, 2.0), Logistic.slope(0.5, 1.0));
/// assert_eq!(loss.slope(0.5, 3.0), Logistic.slope(0.5, -1.0));
/// assert!(AgainstRest::new(4, 4).is_err());
/// # Ok::<(), asap_dp::InvalidInput>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AgainstRest {
    class: u32,
    of: u32,
    weighted: Option<WeightedLogistic>,
}

/// Does the same for the loss of two classes that this one is made of.
macro_rules! of_two {
    ($it:ident, $loss:ident => $then:expr) => {
        match $it.weighted {
            None => {
                let $loss = Logistic;
                $then
            }
            Some($loss) => $then,
        }
    };
}

impl AgainstRest {
    /// Class number `class`, from 0, of so many: three at least.
    pub fn new(class: usize, of: usize) -> Result<Self, InvalidInput> {
        let refused = InvalidInput { field: "classes", allowed: "3 to 100, and the number of one of them" };
        if class >= of || !(3..=Schema::MOST_CLASSES).contains(&of) {
            return Err(refused);
        }
        let number = |x: usize| u32::try_from(x).map_err(|_| refused);
        Ok(Self { class: number(class)?, of: number(of)?, weighted: None })
    }

    /// How much all other classes count, and how much this one. spec: `own:class-weights`
    pub fn with_weights(self, weights: [f64; 2]) -> Result<Self, InvalidInput> {
        Ok(Self { weighted: Some(WeightedLogistic::new(weights)?), ..self })
    }

    /// The weights as parts of the larger one, where there are some.
    pub(crate) fn weights(&self) -> Option<[f64; 2]> {
        self.weighted.as_ref().map(WeightedLogistic::weights)
    }

    /// +1 for the class, −1 for any other.
    #[allow(clippy::float_cmp, reason = "labels are whole numbers")]
    fn sign(&self, label: f64) -> f64 {
        if label == f64::from(self.class) { 1.0 } else { -1.0 }
    }
}

impl Loss for AgainstRest {
    fn name(&self) -> &'static str {
        "one against rest"
    }

    fn shape(&self) -> Option<f64> {
        of_two!(self, loss => loss.shape())
    }

    fn value(&self, z: f64, y: f64) -> f64 {
        of_two!(self, loss => loss.value(z, self.sign(y)))
    }

    fn slope(&self, z: f64, y: f64) -> f64 {
        of_two!(self, loss => loss.slope(z, self.sign(y)))
    }

    fn curvature(&self, z: f64, y: f64) -> f64 {
        of_two!(self, loss => loss.curvature(z, self.sign(y)))
    }

    #[inline(always)]
    fn values_and_slopes(&self, predictions: &mut [f64], targets: &[f64]) -> f64 {
        let (mut signs, mut sum) = ([0.0; BATCH], 0.0);
        for (z, labels) in predictions.chunks_mut(BATCH).zip(targets.chunks(BATCH)) {
            let signs = &mut signs[..labels.len()];
            signs.iter_mut().zip(labels).for_each(|(sign, label)| *sign = self.sign(*label));
            sum += of_two!(self, loss => loss.values_and_slopes(z, signs));
        }
        sum
    }

    fn divergence(&self, z: f64, t: f64, y: f64) -> f64 {
        of_two!(self, loss => loss.divergence(z, t, self.sign(y)))
    }

    #[inline(always)]
    fn divergences(&self, z: &[f64], t: &[f64], targets: &[f64]) -> f64 {
        let (mut signs, mut sum) = ([0.0; BATCH], 0.0);
        for ((z, t), labels) in z.chunks(BATCH).zip(t.chunks(BATCH)).zip(targets.chunks(BATCH)) {
            let signs = &mut signs[..labels.len()];
            signs.iter_mut().zip(labels).for_each(|(sign, label)| *sign = self.sign(*label));
            sum += of_two!(self, loss => loss.divergences(z, t, signs));
        }
        sum
    }

    fn slope_bound(&self, reach: f64, bounds: &Bounds) -> f64 {
        of_two!(self, loss => loss.slope_bound(reach, bounds))
    }

    fn curvature_bound(&self) -> f64 {
        of_two!(self, loss => loss.curvature_bound())
    }

    fn curvature_floor(&self, z: f64, reach: f64, y: f64) -> f64 {
        of_two!(self, loss => loss.curvature_floor(z, reach, self.sign(y)))
    }

    fn chord_floor(&self, z: f64, slip: f64, t: f64, y: f64) -> f64 {
        of_two!(self, loss => loss.chord_floor(z, slip, t, self.sign(y)))
    }

    fn slope_keeps_sign(&self) -> bool {
        of_two!(self, loss => loss.slope_keeps_sign())
    }

    fn value_at_zero(&self, bounds: &Bounds) -> f64 {
        of_two!(self, loss => loss.value_at_zero(bounds))
    }

    fn slope_rounding(&self, reach: f64, bounds: &Bounds) -> f64 {
        of_two!(self, loss => loss.slope_rounding(reach, bounds))
    }

    fn value_rounding(&self, reach: f64, bounds: &Bounds) -> f64 {
        of_two!(self, loss => loss.value_rounding(reach, bounds))
    }

    fn divergence_rounding(&self, reach: f64, bounds: &Bounds) -> Rounding {
        of_two!(self, loss => loss.divergence_rounding(reach, bounds))
    }

    fn targets(&self) -> Targets {
        Targets::Classes
    }

    fn class_count(&self) -> usize {
        self.of as usize
    }

    #[allow(clippy::float_cmp, reason = "labels are whole numbers")]
    fn admit(&self, target: f64, _: &Bounds) -> Option<f64> {
        (0..self.of).map(f64::from).find(|label| *label == target)
    }

    fn clip(&self, target: f64, bounds: &Bounds) -> Option<f64> {
        self.admit(target, bounds)
    }
}
