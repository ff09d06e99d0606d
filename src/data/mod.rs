//! Records with public bounds: clipping, refusal, CSV.

mod bounds;

pub use bounds::Bounds;

use crate::loss::Loss;
use core::fmt;

/// What to do with a record outside of the public bounds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OutOfBounds {
    /// Move it to the nearest admissible record. The guarantee then holds for every input.
    Clip,
    /// Refuse the whole data set. That a data set is refused is itself not protected; see the threat model.
    Refuse,
}

/// Why a data set is not usable. Names lines and columns, never values.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum DataError {
    /// Features and targets do not fit together.
    #[error("features: allowed are rows × columns numbers, one row for each target")]
    Shape,
    /// No column, or too many.
    #[error("columns: allowed are 1 to {} features", Bounds::MAX_DIMENSION)]
    Columns,
    /// More rows than promised.
    #[error("rows: there are more than the public maximum; raise `max rows` (a public number) or take fewer")]
    TooManyRows,
    /// A number is NaN or infinite.
    #[error("record {record}: allowed are finite numbers")]
    NotFinite {
        /// Counted from 1.
        record: usize,
    },
    /// A feature vector is longer than promised.
    #[error("record {record}: the features' norm is above the public bound (clip, or raise the bound)")]
    FeaturesOutOfBounds {
        /// Counted from 1.
        record: usize,
    },
    /// A target is not admissible.
    #[error("record {record}: the target is not admissible for this loss and its public bound")]
    TargetOutOfBounds {
        /// Counted from 1.
        record: usize,
    },
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

impl<L: Loss> Records<L> {
    /// Admissible records from row-major features, one row for each target.
    pub fn new(
        loss: L,
        bounds: Bounds,
        policy: OutOfBounds,
        mut features: Vec<f64>,
        mut targets: Vec<f64>,
    ) -> Result<Self, DataError> {
        let mut dimension = features.len().checked_div(targets.len()).ok_or(DataError::Shape)?;
        if dimension == 0 {
            return Err(DataError::Columns);
        }
        if dimension * targets.len() != features.len() {
            return Err(DataError::Shape);
        }
        for (k, (row, target)) in features.chunks_exact_mut(dimension).zip(&mut targets).enumerate() {
            let norm = row.iter().map(|x| x * x).sum::<f64>().sqrt();
            let record = k + 1;
            match policy {
                _ if !norm.is_finite() || !target.is_finite() => return Err(DataError::NotFinite { record }),
                OutOfBounds::Refuse if norm > bounds.feature_norm() => {
                    return Err(DataError::FeaturesOutOfBounds { record });
                }
                OutOfBounds::Refuse => {
                    *target = loss.admit(*target, &bounds).ok_or(DataError::TargetOutOfBounds { record })?;
                }
                OutOfBounds::Clip => {
                    let scale = (bounds.feature_norm() / norm).min(1.0) * (1.0 - 1e-15);
                    for x in row {
                        *x *= scale;
                    }
                    *target = loss.clip(*target, &bounds);
                }
            }
        }
        if bounds.intercept() {
            let widen = |row: &[f64]| row.iter().copied().chain([1.0]).collect::<Vec<f64>>();
            features = features.chunks_exact(dimension).flat_map(widen).collect();
            dimension += 1;
        }
        Ok(Self { loss, bounds, dimension, features, targets })
    }

    /// No records, for tests of the smallest data set.
    #[cfg(test)]
    pub(crate) fn none(loss: L, bounds: Bounds, dimension: usize) -> Self {
        Self { loss, bounds, dimension, features: Vec::new(), targets: Vec::new() }
    }
}
