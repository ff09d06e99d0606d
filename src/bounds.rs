//! What is publicly promised about every record.

use crate::exact::{add_up, mul_up, sqrt_up};
use crate::input::InvalidInput;
use crate::shape::{Block, Shape};
use asap_contracts::{Schema, TargetKind};

/// Public bounds on the records, fixed before the records are seen.
///
/// Every constant of the calibration is computed from these numbers, never from the records themselves.
#[derive(Clone, Debug, PartialEq)]
pub struct Bounds {
    feature_norm: f64,
    target: Option<f64>,
    max_rows: u64,
    intercept: bool,
    shape: Option<Shape>,
    rows_per_person: Option<u64>,
}

impl Bounds {
    /// The largest number of columns. It keeps the rounding error of a computed norm below [`Bounds::SLACK`].
    pub const MAX_DIMENSION: usize = crate::shape::MAX_COLUMNS;

    /// A row is admitted when its norm *as computed* is at most R. With d ≤ 10⁶ columns the computed norm is
    /// within a factor 1 ± (d + 3)·2⁻⁵³ of the true one, so the true norm is at most R·(1 + 2⁻³⁰). That factor
    /// is part of every constant.
    pub const SLACK: f64 = 1.0 + 1.0 / (1_u64 << 30) as f64;

    /// The largest number of rows unless [`Bounds::with_max_rows`] says otherwise.
    pub const DEFAULT_MAX_ROWS: u64 = 10_000_000;

    /// Every feature vector has Euclidean norm at most `feature_norm`. Nothing is promised of targets: a loss whose
    /// targets are numbers is refused until [`Bounds::with_target`] promises something.
    pub fn new(feature_norm: f64) -> Result<Self, InvalidInput> {
        let feature_norm = InvalidInput::positive("feature bound", feature_norm)?;
        let max_rows = Self::DEFAULT_MAX_ROWS;
        let (target, shape, rows_per_person) = (None, None, None);
        Self { feature_norm, target, max_rows, intercept: false, shape, rows_per_person }.checked()
    }

    /// Every one of `columns` features lies in [−1, 1], as public ranges make it: no vector is longer than √columns,
    /// rounded up. spec: `own:schema`
    ///
    /// ```
    /// use asap_dp::Bounds;
    /// assert_eq!(Bounds::of_unit_features(9)?.feature_norm(), 3.0);
    /// // √11 = 3.31662479035539984911…, which is no f64: the next one above it.
    /// assert_eq!(Bounds::of_unit_features(11)?.feature_norm(), 3.3166247903554003);
    /// # Ok::<(), asap_dp::InvalidInput>(())
    /// ```
    pub fn of_unit_features(columns: usize) -> Result<Self, InvalidInput> {
        let refused = InvalidInput { field: "dimension", allowed: "a whole number from 1 to 1000000" };
        let columns =
            Some(columns).filter(|columns| (1..=Self::MAX_DIMENSION).contains(columns)).ok_or(refused)?;
        // Exact: a small whole number.
        Self::new(sqrt_up(columns as f64).ok_or(refused)?)
    }

    /// Every row is what a schema makes of a record: numbers in [−1, 1], then for each column of levels a block of
    /// numbers, of which one is 1 at most. A target with a range is in [−1, 1]. spec: `own:schema`
    pub fn of_schema(schema: &Schema) -> Result<Self, InvalidInput> {
        if schema.has_plain() {
            let allowed = "a number, which is needed where columns have no range";
            return Err(InvalidInput { field: "feature bound", allowed });
        }
        let levels =
            schema.blocks().into_iter().map(|levels| Block::OneNorm { columns: levels as u64, bound: 1.0 });
        let numbers = Some(schema.numbers() as u64).filter(|numbers| *numbers > 0);
        let blocks: Vec<Block> =
            numbers.map(|columns| Block::Cube { columns }).into_iter().chain(levels).collect();
        let bounds = Self::of_shape(Shape::new(blocks)?)?.with_persons_of(schema)?;
        match schema.target.kind {
            TargetKind::Range(_) => bounds.with_target(1.0),
            TargetKind::Plain(_) | TargetKind::Threshold(_) | TargetKind::Classes(_) => Ok(bounds),
        }
    }

    /// Every feature vector has this shape, block by block: the noise of objective perturbation then has it, too.
    /// spec: `own:shaped-tilt`
    ///
    /// ```
    /// use asap_dp::{Block, Bounds, Shape};
    /// let shape = Shape::new([Block::Cube { columns: 3 }, Block::OneNorm { columns: 9, bound: 1.0 }])?;
    /// assert_eq!(Bounds::of_shape(shape)?.feature_norm(), 2.0);
    /// # Ok::<(), asap_dp::InvalidInput>(())
    /// ```
    pub fn of_shape(shape: Shape) -> Result<Self, InvalidInput> {
        let bounds = Self::new(shape.norm())?;
        Ok(Self { shape: Some(shape), ..bounds })
    }

    /// What a certificate says of the features: their shape, or else their norm.
    pub fn recorded(problem: &asap_contracts::Problem) -> Result<Self, InvalidInput> {
        let bounds = match &problem.shape {
            Some(blocks) => Self::of_shape(Shape::new(blocks.as_slice())?)?,
            None => Self::new(problem.feature_norm)?,
        };
        bounds.with_intercept(problem.intercept)
    }

    /// Every target is at most `target` in absolute value.
    pub fn with_target(self, target: f64) -> Result<Self, InvalidInput> {
        Ok(Self { target: Some(InvalidInput::positive("target bound", target)?), ..self })
    }

    /// There are never more rows than this. It is part of the public promise: a larger data set is refused,
    /// and the precision that the minimiser can be asked for depends on it.
    pub fn with_max_rows(self, max_rows: u64) -> Result<Self, InvalidInput> {
        if (1..=1 << 40).contains(&max_rows) {
            Ok(Self { max_rows, ..self })
        } else {
            Err(InvalidInput { field: "max rows", allowed: "a whole number from 1 to 2^40" })
        }
    }

    /// No person has more rows than this, others are dropped; neighbours differ by a person with all rows.
    /// spec: `own:persons`
    pub fn with_rows_per_person(self, rows: u64) -> Result<Self, InvalidInput> {
        if (1..=Schema::MOST_ROWS_PER_PERSON).contains(&rows) {
            Ok(Self { rows_per_person: Some(rows), ..self })
        } else {
            Err(InvalidInput { field: "rows per person", allowed: "a whole number from 1 to 1000000" })
        }
    }

    /// The same where each record counts by itself.
    #[must_use]
    pub fn for_records(self) -> Self {
        Self { rows_per_person: None, ..self }
    }

    /// The same with the persons of a schema, if it has any.
    pub fn with_persons_of(self, schema: &Schema) -> Result<Self, InvalidInput> {
        match &schema.person {
            Some(person) => self.with_rows_per_person(person.rows),
            None => Ok(self),
        }
    }

    /// A column of ones is appended to the features.
    pub fn with_intercept(self, intercept: bool) -> Result<Self, InvalidInput> {
        Self { intercept, ..self }.checked()
    }

    fn checked(self) -> Result<Self, InvalidInput> {
        self.certified_row_norm().map(|_| self).ok_or(InvalidInput {
            field: "feature bound",
            allowed: "a number whose square is a normal floating-point number",
        })
    }

    fn certified_row_norm(&self) -> Option<f64> {
        let norm = mul_up(self.feature_norm, Self::SLACK)?;
        let square = mul_up(norm, norm).filter(|x| x.is_normal())?;
        if self.intercept { sqrt_up(add_up(square, 1.0)?) } else { Some(norm) }
    }

    /// R: the promised norm of a feature vector, without the intercept.
    pub fn feature_norm(&self) -> f64 {
        self.feature_norm
    }

    /// What is promised of the columns block by block, if anything is.
    pub fn shape(&self) -> Option<&Shape> {
        self.shape.as_ref()
    }

    /// Y: the promised absolute value of a target, if anything is promised.
    pub fn target(&self) -> Option<f64> {
        self.target
    }

    /// The promised largest number of rows.
    pub fn max_rows(&self) -> u64 {
        self.max_rows
    }

    /// The promised largest number of rows of one person; `None` where every record counts by itself.
    pub fn rows_per_person(&self) -> Option<u64> {
        self.rows_per_person
    }

    /// Whether a column of ones is appended.
    pub fn intercept(&self) -> bool {
        self.intercept
    }

    /// Not below the true norm of any admitted row, the intercept and rounding included.
    pub fn row_norm(&self) -> f64 {
        // Every constructor has computed this value before.
        self.certified_row_norm().unwrap_or(f64::INFINITY)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn constructors_refuse_what_is_not_a_bound() {
        for bad in [0.0, -1.0, f64::NAN, f64::INFINITY, 1e300, 1e-300] {
            assert_eq!(Bounds::new(bad).unwrap_err().field, "feature bound", "{bad}");
        }
        let bounds = Bounds::new(1.0).unwrap();
        for bad in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            assert_eq!(bounds.clone().with_target(bad).unwrap_err().field, "target bound");
        }
        assert_eq!(bounds.clone().with_max_rows(0).unwrap_err().field, "max rows");
        assert_eq!(bounds.with_max_rows(u64::MAX).unwrap_err().field, "max rows");
    }

    #[test]
    fn row_norm_covers_intercept_and_slack() {
        let bounds = Bounds::new(3.0).unwrap();
        assert!(bounds.row_norm() > 3.0 && bounds.row_norm() < 3.000_000_01);
        // √(3² + 1) = 3.16227766…
        let with = bounds.with_intercept(true).unwrap();
        assert!(with.row_norm() > 3.162_277_66 && with.row_norm() < 3.162_277_68);
    }
}
