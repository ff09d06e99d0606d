//! Public ranges: what lies in one is scaled to [−1, 1], what lies outside is moved to its end first. spec: `own:ranges`

use super::error::shown;
use super::{Columns, DataError};
use crate::input::InvalidInput;
use std::collections::BTreeMap;

/// A public range of one column, fixed without looking at the records. spec: `own:ranges`
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
        if low < high && (high - low).is_finite() {
            Ok(Self { low, high })
        } else {
            Err(InvalidInput { field: "range", allowed })
        }
    }

    /// The smallest number.
    pub fn low(&self) -> f64 {
        self.low
    }

    /// The largest number.
    pub fn high(&self) -> f64 {
        self.high
    }

    /// Whether a number lies in it.
    pub fn contains(&self, x: f64) -> bool {
        self.low <= x && x <= self.high
    }

    /// Where a number lies between the ends, from −1 to 1, after it was moved into the range. What is not a number stays none.
    ///
    /// In [−1, 1] also as computed: rounding keeps order, so that `x − low ≤ high − low` and their quotient is at most 1.
    pub fn scaled(&self, x: f64) -> f64 {
        let part = (x.clamp(self.low, self.high) - self.low) / (self.high - self.low);
        2.0 * part - 1.0
    }

    /// The number of the range that is scaled to `z`, up to rounding; the nearest end for a z that none is scaled to.
    pub fn unscaled(&self, z: f64) -> f64 {
        let part = f64::midpoint(z.clamp(-1.0, 1.0), 1.0);
        (self.low + part * (self.high - self.low)).clamp(self.low, self.high)
    }
}

/// Public ranges of columns, by their names. spec: `own:ranges`
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Ranges(BTreeMap<String, Range>);

impl Ranges {
    /// No column has a range: every number is taken as it is.
    pub fn none() -> Self {
        Self::default()
    }

    /// With a range for one more column; it takes the place of one that was given before.
    pub fn for_column(mut self, column: impl Into<String>, range: Range) -> Self {
        self.0.insert(column.into(), range);
        self
    }

    /// The range of a column.
    pub fn of(&self, column: &str) -> Option<Range> {
        self.0.get(column).copied()
    }

    /// Whether no column has one.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The number of columns that have one.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// The ranges that a release records.
    pub fn recorded(columns: &Columns) -> Result<Self, InvalidInput> {
        let range = |(name, &[low, high]): (&String, &[f64; 2])| Ok((name.clone(), Range::new(low, high)?));
        columns.ranges.iter().map(range).collect::<Result<_, _>>().map(Self)
    }

    /// The ranges of the columns that are used, as a release records them. A range of a column that is not in the file is a
    /// mistake.
    pub(super) fn resolved<'a>(
        &self,
        is_column: impl Fn(&str) -> bool,
        used: impl Iterator<Item = &'a String>,
    ) -> Result<BTreeMap<String, [f64; 2]>, DataError> {
        match self.0.keys().find(|name| !is_column(name)) {
            Some(name) => Err(DataError::UnknownRange { column: shown(name) }),
            None => Ok(used
                .filter_map(|name| self.of(name).map(|range| (name.clone(), [range.low, range.high])))
                .collect()),
        }
    }
}
