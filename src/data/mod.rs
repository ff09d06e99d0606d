//! Records with public bounds: clipping, refusal, CSV.

#[cfg(test)]
mod by_hand;
mod csv;
mod encode;
mod error;
mod fields;
mod persons;
mod pieces;
mod ranges;
mod schema;
mod stream;
#[cfg(test)]
mod tests;
mod whole;

pub use self::csv::{Csv, CsvOptions, Wanted, read_csv, read_csv_path, read_features, read_header};
pub use crate::bounds::Bounds;
pub use asap_contracts::{PersonColumn, Schema};
pub(crate) use encode::range_of_target;
pub use encode::{Encoder, Refusal};
pub use error::{DataError, Place};
pub use fields::{parse_number, sniff_separator};
pub use persons::FirstRows;
pub use ranges::Range;
pub use schema::{SchemaError, read_schema, schema_to_fill_in};
pub(crate) use stream::continued;
pub use stream::{Stream, Unavailable};
pub use whole::{WholeRows, csv_line};

use crate::ball::Ball;
use crate::loss::{Loss, Targets};
use crate::shape::Shape;
use core::fmt;
use rayon::prelude::*;

/// What to do with a record outside the public bounds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OutOfBounds {
    /// Move it to the nearest admissible record. The guarantee then holds for every input that is made of finite
    /// numbers, or of what a [`Schema`] has something for.
    Clip,
    /// Refuse the whole data set. That a data set is refused is itself not protected; see the threat model.
    Refuse,
}

/// Admissible records for one loss, dense and row-major.
///
/// The loss is part of the type because it decides which targets are admissible. The number of rows and all
/// values are private; `Debug` shows the public part only.
pub struct Records<L> {
    loss: L,
    bounds: Bounds,
    dimension: usize,
    features: Vec<f64>,
    targets: Vec<f64>,
}

impl<L: fmt::Debug> fmt::Debug for Records<L> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Records")
            .field("loss", &self.loss)
            .field("bounds", &self.bounds)
            .field("dimension", &self.dimension)
            .finish_non_exhaustive()
    }
}

impl<L: Loss> Records<L> {
    /// Records from a row-major matrix and one target for each row. There must be a row: without one the
    /// number of columns is not known, see [`Records::with_dimension`].
    ///
    /// ```
    /// use asap_dp::data::{Bounds, DataError, OutOfBounds, Place, Records};
    /// use asap_dp::loss::Squared;
    /// let bounds = Bounds::new(5.0)?.with_target(1.0)?;
    /// let two_rows = |policy| Records::new(Squared, bounds.clone(), policy, vec![3.0, 4.0, 6.0, 8.0], vec![0.5, -0.5]);
    /// assert_eq!(two_rows(OutOfBounds::Clip)?.dimension(), 2);
    /// let too_long = DataError::FeaturesOutOfBounds { at: Place::Record(2) };
    /// assert_eq!(two_rows(OutOfBounds::Refuse).unwrap_err(), too_long);
    /// # Ok::<(), asap_dp::Error>(())
    /// ```
    pub fn new(
        loss: L,
        bounds: Bounds,
        policy: OutOfBounds,
        features: Vec<f64>,
        targets: Vec<f64>,
    ) -> Result<Self, DataError> {
        let dimension = features.len().checked_div(targets.len()).ok_or(DataError::Shape)?;
        Self::with_dimension(loss, bounds, policy, dimension, features, targets)
    }

    /// Records with `dimension` columns (without the intercept) and any number of rows, also none.
    pub fn with_dimension(
        loss: L,
        bounds: Bounds,
        policy: OutOfBounds,
        dimension: usize,
        features: Vec<f64>,
        targets: Vec<f64>,
    ) -> Result<Self, DataError> {
        Self::after(0, loss, bounds, policy, dimension, features, targets)
    }

    /// The records that come after so many others of the same data set.
    pub(crate) fn after(
        before: usize,
        loss: L,
        bounds: Bounds,
        policy: OutOfBounds,
        dimension: usize,
        mut features: Vec<f64>,
        mut targets: Vec<f64>,
    ) -> Result<Self, DataError> {
        if dimension.checked_mul(targets.len()) != Some(features.len()) {
            return Err(DataError::Shape);
        }
        let gate = Gate::new(loss, bounds, policy, dimension)?;
        gate.admit_all(before, &mut features, &mut targets)?;
        if gate.bounds.intercept() {
            let mut longer = Vec::with_capacity(features.len() + targets.len());
            for row in features.chunks_exact(dimension) {
                longer.extend_from_slice(row);
                longer.push(1.0);
            }
            features = longer;
        }
        Ok(gate.records(features, targets))
    }

    /// Records from rows of `dimension` numbers (without the intercept) that are copied one at a time: beside what is
    /// stored there is room for one row only. `fill(k, row)` writes the features of record k, from 0, and returns its
    /// target. spec: `own:python`
    ///
    /// ```
    /// use asap_dp::data::{Bounds, OutOfBounds, Records};
    /// use asap_dp::loss::Squared;
    /// let (columns, targets) = ([[3.0, 6.0], [4.0, 8.0]], [0.5, -0.5]);
    /// let bounds = Bounds::new(5.0)?.with_target(1.0)?;
    /// let records = Records::from_rows(Squared, bounds, OutOfBounds::Clip, 2, 2, |k, row| {
    ///     row.copy_from_slice(&[columns[0][k], columns[1][k]]);
    ///     targets[k]
    /// })?;
    /// assert_eq!(records.dimension(), 2);
    /// # Ok::<(), asap_dp::Error>(())
    /// ```
    pub fn from_rows(
        loss: L,
        bounds: Bounds,
        policy: OutOfBounds,
        dimension: usize,
        rows: usize,
        fill: impl FnMut(usize, &mut [f64]) -> f64,
    ) -> Result<Self, DataError> {
        Self::filled(Gate::new(loss, bounds, policy, dimension)?, rows, |_| true, fill)
    }

    /// [`Records::from_rows`] where record k is about a person: of each person the first rows are taken, as many as the
    /// bounds promise. spec: `own:persons`
    ///
    /// ```
    /// use asap_dp::data::{Bounds, OutOfBounds, Records};
    /// use asap_dp::loss::Logistic;
    /// let (persons, doses) = (["anna", "anna", "bert", "anna"], [0.1, 0.2, 0.3, 0.4]);
    /// let bounds = Bounds::new(1.0)?.with_rows_per_person(2)?;
    /// let fill = |k: usize, row: &mut [f64]| { row[0] = doses[k]; 1.0 };
    /// // Three records: Anna's third row is dropped.
    /// let records = Records::from_rows_of_persons(Logistic, bounds, OutOfBounds::Clip, 1, 4, |k| persons[k], fill)?;
    /// # assert_eq!(records.bounds().rows_per_person(), Some(2));
    /// # Ok::<(), asap_dp::Error>(())
    /// ```
    pub fn from_rows_of_persons<P: AsRef<[u8]>>(
        loss: L,
        bounds: Bounds,
        policy: OutOfBounds,
        dimension: usize,
        rows: usize,
        person: impl Fn(usize) -> P,
        fill: impl FnMut(usize, &mut [f64]) -> f64,
    ) -> Result<Self, DataError> {
        let mut first = FirstRows::new(bounds.rows_per_person().ok_or(DataError::Persons)?);
        let gate = Gate::of_persons(loss, bounds, policy, dimension)?;
        Self::filled(gate, rows, |k| first.takes(person(k).as_ref()), fill)
    }

    fn filled(
        gate: Gate<L>,
        rows: usize,
        mut takes: impl FnMut(usize) -> bool,
        mut fill: impl FnMut(usize, &mut [f64]) -> f64,
    ) -> Result<Self, DataError> {
        let (most, dimension) = (gate.bounds.max_rows(), gate.admissible.dimension());
        let mut intake = Intake::new(gate);
        // What is too much is refused row by row.
        let expected = usize::try_from(most).map_or(rows, |most| rows.min(most));
        intake.features.reserve_exact(expected.saturating_mul(intake.gate.parameters()));
        intake.targets.reserve_exact(expected);
        let mut row = vec![0.0; dimension];
        for k in 0..rows {
            if !takes(k) {
                continue;
            }
            let target = fill(k, &mut row);
            intake.push(&mut row, target, Place::Record(k + 1))?;
        }
        Ok(intake.finish())
    }

    /// The loss that the records are admissible for.
    pub fn loss(&self) -> &L {
        &self.loss
    }

    /// The public bounds.
    pub fn bounds(&self) -> &Bounds {
        &self.bounds
    }

    /// d: the number of parameters, the intercept included.
    pub fn dimension(&self) -> usize {
        self.dimension
    }

    /// n, private under add/remove neighbours.
    pub(crate) fn len(&self) -> usize {
        self.targets.len()
    }

    pub(crate) fn features(&self) -> &[f64] {
        &self.features
    }

    pub(crate) fn targets(&self) -> &[f64] {
        &self.targets
    }
}

/// The feature vectors that are promised, without the intercept.
pub(crate) enum Admissible {
    /// Those of a norm not above R.
    Ball(Ball),
    /// Those whose blocks are within their bounds, which are not longer either.
    Shape(Shape),
}

impl Admissible {
    pub(crate) fn new(bounds: &Bounds, columns: usize) -> Result<Self, DataError> {
        match bounds.shape() {
            Some(shape) if shape.columns() == columns => Ok(Self::Shape(shape.clone())),
            Some(_) => Err(DataError::Blocks),
            // Cannot fail: there is a column, and a feature bound is finite and positive.
            None => Ball::new(vec![0.0; columns], bounds.feature_norm())
                .map(Self::Ball)
                .map_err(|_| DataError::Columns),
        }
    }

    fn dimension(&self) -> usize {
        match self {
            Self::Ball(ball) => ball.dimension(),
            Self::Shape(shape) => shape.columns(),
        }
    }

    fn contains(&self, row: &[f64]) -> bool {
        match self {
            Self::Ball(ball) => ball.contains(row),
            Self::Shape(shape) => shape.contains(row),
        }
    }

    /// Moves the row to where it is contained.
    pub(crate) fn clip(&self, row: &mut [f64]) {
        match self {
            Self::Ball(ball) => ball.project_in_place(row),
            Self::Shape(shape) => shape.clip(row),
        }
    }
}

/// Decides which records come in, one at a time: clips or refuses, and tests what is left. It sees one record only.
pub(crate) struct Gate<L> {
    loss: L,
    bounds: Bounds,
    policy: OutOfBounds,
    /// All admissible feature vectors, without the intercept.
    admissible: Admissible,
}

impl<L: Loss> Gate<L> {
    /// For records of `dimension` columns without the intercept. Each record counts by itself.
    pub(crate) fn new(
        loss: L,
        bounds: Bounds,
        policy: OutOfBounds,
        dimension: usize,
    ) -> Result<Self, DataError> {
        if bounds.rows_per_person().is_some() {
            // Nothing says whom these records are about.
            return Err(DataError::Persons);
        }
        Self::of_persons(loss, bounds, policy, dimension)
    }

    /// For the records of a table: it has persons exactly where the bounds promise how many rows they have.
    pub(crate) fn of_table(
        loss: L,
        bounds: Bounds,
        policy: OutOfBounds,
        columns: &Schema,
    ) -> Result<Self, DataError> {
        if columns.person.as_ref().map(|person| person.rows) != bounds.rows_per_person() {
            return Err(DataError::Persons);
        }
        if columns.target.class_count().is_some_and(|count| count != loss.class_count()) {
            return Err(DataError::ClassCount);
        }
        Self::of_persons(loss, bounds, policy, columns.parameters())
    }

    /// For records of which the caller takes no more of a person than the bounds promise.
    fn of_persons(loss: L, bounds: Bounds, policy: OutOfBounds, dimension: usize) -> Result<Self, DataError> {
        if !(1..=Bounds::MAX_DIMENSION).contains(&dimension) {
            return Err(DataError::Columns);
        }
        if loss.targets().bound(&bounds).is_none() {
            return Err(DataError::TargetBoundMissing);
        }
        let admissible = Admissible::new(&bounds, dimension)?;
        Ok(Self { loss, bounds, policy, admissible })
    }

    /// d: the number of parameters, the intercept included.
    pub(crate) fn parameters(&self) -> usize {
        self.admissible.dimension() + usize::from(self.bounds.intercept())
    }

    /// Admits one record after `before` others and appends it to a block of rows and targets, with the intercept.
    /// `row` is scratch space afterwards.
    pub(crate) fn admit(
        &self,
        before: usize,
        row: &mut [f64],
        target: f64,
        at: Place,
        (features, targets): (&mut Vec<f64>, &mut Vec<f64>),
    ) -> Result<(), DataError> {
        let target = self.admitted(before, row, target, at)?;
        features.extend_from_slice(row);
        features.extend(self.bounds.intercept().then_some(1.0));
        targets.push(target);
        Ok(())
    }

    /// Admits one record after `before` others: `row` is what is stored, where it stands, with the
    /// target that is returned.
    fn admitted(&self, before: usize, row: &mut [f64], target: f64, at: Place) -> Result<f64, DataError> {
        if before as u64 >= self.bounds.max_rows() {
            return Err(DataError::TooManyRows);
        }
        let inside = self.admissible.contains(row);
        // What is inside is finite.
        if !target.is_finite() || !(inside || row.iter().all(|x| x.is_finite())) {
            return Err(DataError::NotFinite { at });
        }
        let target = match self.policy {
            OutOfBounds::Clip => self.loss.clip(target, &self.bounds),
            OutOfBounds::Refuse => self.loss.admit(target, &self.bounds),
        };
        if !inside {
            if self.policy == OutOfBounds::Clip {
                self.admissible.clip(row);
            }
            // Also what was clipped must pass: what is stored is tested, not assumed, to be admissible.
            if !self.admissible.contains(row) {
                return Err(DataError::FeaturesOutOfBounds { at });
            }
        }
        target.filter(|y| y.is_finite()).ok_or(match self.loss.targets() {
            Targets::Numbers => DataError::TargetOutOfBounds { at },
            Targets::Classes => DataError::NotAClass { at },
        })
    }

    /// Admits all records after `before` others where they are, without a copy: each becomes admissible in its place,
    /// or the first that cannot is the error. The column of an intercept is not among the features.
    fn admit_all(&self, before: usize, features: &mut [f64], targets: &mut [f64]) -> Result<(), DataError> {
        /// Rows that one thread takes at once.
        const PIECE: usize = 1 << 12;
        let d = self.admissible.dimension();
        let piece = |(k, (rows, targets)): (usize, (&mut [f64], &mut [f64]))| {
            let first = before.saturating_add(k * PIECE);
            rows.chunks_exact_mut(d).zip(targets).enumerate().find_map(|(k, (row, target))| {
                let at = first.saturating_add(k);
                let admitted = self.admitted(at, row, *target, Place::Record(at.saturating_add(1)));
                admitted.map(|y| *target = y).err()
            })
        };
        let refused = if targets.len() > PIECE {
            let pieces = features.par_chunks_mut(PIECE * d).zip(targets.par_chunks_mut(PIECE));
            pieces.enumerate().find_map_first(piece)
        } else {
            piece((0, (features, targets)))
        };
        refused.map_or(Ok(()), Err)
    }

    /// The only door to [`Records`]: rows and targets that it has admitted, with the intercept.
    fn records(self, mut features: Vec<f64>, mut targets: Vec<f64>) -> Records<L> {
        features.shrink_to_fit();
        targets.shrink_to_fit();
        let dimension = self.parameters();
        Records { loss: self.loss, bounds: self.bounds, dimension, features, targets }
    }
}

/// Records that come one at a time.
pub(crate) struct Intake<L> {
    gate: Gate<L>,
    features: Vec<f64>,
    targets: Vec<f64>,
}

impl<L: Loss> Intake<L> {
    /// No records yet.
    pub(crate) fn new(gate: Gate<L>) -> Self {
        Self { gate, features: Vec::new(), targets: Vec::new() }
    }

    /// Stores one record, clipped if that is the policy. `row` is scratch space afterwards.
    pub(crate) fn push(&mut self, row: &mut [f64], target: f64, at: Place) -> Result<(), DataError> {
        let Self { gate, features, targets } = self;
        gate.admit(targets.len(), row, target, at, (features, targets))
    }

    fn gate(&self) -> &Gate<L> {
        &self.gate
    }

    /// Whether so many records more are not too many.
    fn has_room_for(&self, more: usize) -> bool {
        self.targets.len().saturating_add(more) as u64 <= self.gate.bounds.max_rows()
    }

    /// Takes over what the gate has admitted. Most of the time goes into memory that is touched for the
    /// first time: side by side.
    fn append(&mut self, features: &[f64], targets: &[f64]) {
        self.features.par_extend(features);
        self.targets.extend_from_slice(targets);
    }

    /// The records taken so far.
    pub(crate) fn finish(self) -> Records<L> {
        self.gate.records(self.features, self.targets)
    }
}
