//! Public ranges: a number outside its range is moved to the nearest end, then scaled. spec: `own:schema`

use crate::input::InvalidInput;
use asap_contracts::{Scale, is_range};

/// A public range of one column, fixed without looking at the records. spec: `own:schema`
///
/// ```
/// use asap_dp::data::Range;
/// let alcohol = Range::new(8.0, 15.0)?;
/// assert_eq!([8.0, 11.5, 15.0].map(|x| alcohol.scaled(x)), [-1.0, 0.0, 1.0]);
/// // Whatever is outside is at an end.
/// assert_eq!([-1e300, 1e300].map(|x| alcohol.scaled(x)), [-1.0, 1.0]);
/// assert_eq!(alcohol.unscaled(0.0), 11.5);
/// assert!(Range::new(2.0, 2.0).is_err() && Range::new(0.0, f64::INFINITY).is_err());
/// # Ok::<(), asap_dp::InvalidInput>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Range {
    low: f64,
    high: f64,
}

impl Range {
    /// From `low` to `high`, both included.
    pub fn new(low: f64, high: f64) -> Result<Self, InvalidInput> {
        let allowed = "two finite numbers LOW < HIGH with a finite difference";
        // Two different numbers have a difference that is not 0, however small it is.
        if is_range([low, high]) {
            Ok(Self { low, high })
        } else {
            Err(InvalidInput { field: "range", allowed })
        }
    }

    /// Whether a number lies in it.
    pub fn contains(&self, x: f64) -> bool {
        self.low <= x && x <= self.high
    }

    /// Where a number lies between the ends, from −1 to 1, after it was moved into the range. What is
    /// not a number stays none.
    pub fn scaled(&self, x: f64) -> f64 {
        2.0 * self.part(x) - 1.0
    }

    /// The same from 0 to 1.
    ///
    /// Also as computed: rounding keeps order, so that `x − low ≤ high − low` and their quotient is at most 1.
    fn part(&self, x: f64) -> f64 {
        (x.clamp(self.low, self.high) - self.low) / (self.high - self.low)
    }

    /// `ln(1 + x − low)` of what was moved into the range.
    fn logarithm(&self, x: f64) -> f64 {
        let above = x.clamp(self.low, self.high) - self.low;
        // Amounts are 0 more often than not, and the logarithm of 1 is known.
        if above == 0.0 { above } else { libm::log1p(above) }
    }

    /// The number of the range that is scaled to `z`, up to rounding; the nearest end for a z that none is scaled to.
    pub fn unscaled(&self, z: f64) -> f64 {
        let part = f64::midpoint(z.clamp(-1.0, 1.0), 1.0);
        (self.low + part * (self.high - self.low)).clamp(self.low, self.high)
    }
}

/// How a number of a range becomes one of a feature.
#[derive(Clone, Copy, Debug)]
pub(super) struct Scaling {
    pub(super) range: Range,
    scale: Scale,
    /// The logarithm of the upper end, where logarithms are scaled.
    whole: Option<f64>,
}

impl Scaling {
    pub(super) fn new(number: &asap_contracts::Number) -> Result<Self, InvalidInput> {
        let [low, high] = number.range;
        let range = Range::new(low, high)?;
        Ok(Self { range, scale: number.scale, whole: number.log.then(|| range.logarithm(high)) })
    }

    /// To [−1, 1].
    pub(super) fn symmetric([low, high]: [f64; 2]) -> Result<Self, InvalidInput> {
        Ok(Self { range: Range::new(low, high)?, scale: Scale::Symmetric, whole: None })
    }

    /// In [−1, 1], or [0, 1].
    pub(super) fn scaled(&self, x: f64) -> f64 {
        let part = match self.whole {
            // Logarithms are rounded as they come: the quotient is held to [0, 1].
            Some(whole) => (self.range.logarithm(x) / whole).clamp(0.0, 1.0),
            None => self.range.part(x),
        };
        match self.scale {
            Scale::Symmetric => 2.0 * part - 1.0,
            Scale::Unit => part,
        }
    }
}
