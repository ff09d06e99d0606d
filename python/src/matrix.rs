//! Records from numpy arrays: one copy, clipped on the way.

use asap_dp::data::DataError;
use asap_dp::{Bounds, Loss, OutOfBounds, Records};
use numpy::{Element, PyReadonlyArray1, PyReadonlyArray2};
use pyo3::prelude::*;

/// A matrix of features in either precision, rows or columns first. It is read where it lies.
#[derive(FromPyObject)]
pub(crate) enum Matrix<'py> {
    Double(PyReadonlyArray2<'py, f64>),
    Single(PyReadonlyArray2<'py, f32>),
}

impl Matrix<'_> {
    /// The number of columns.
    pub(crate) fn columns(&self) -> usize {
        match self {
            Self::Double(array) => array.as_array().ncols(),
            Self::Single(array) => array.as_array().ncols(),
        }
    }

    /// A copy, row by row.
    pub(crate) fn row_major(&self) -> Vec<f64> {
        match self {
            Self::Double(array) => array.as_array().iter().copied().collect(),
            Self::Single(array) => array.as_array().iter().copied().map(f64::from).collect(),
        }
    }

    /// Admissible records, clipped to the bounds; of each person the first ones, if it is said whom they are about. The
    /// interpreter's lock is held: no other thread changes the array meanwhile.
    pub(crate) fn records<L: Loss>(
        &self,
        loss: L,
        bounds: Bounds,
        targets: &PyReadonlyArray1<'_, f64>,
        persons: Option<&[String]>,
    ) -> Result<Records<L>, DataError> {
        match self {
            Self::Double(array) => records(loss, bounds, array, targets, persons),
            Self::Single(array) => records(loss, bounds, array, targets, persons),
        }
    }
}

fn records<L: Loss, T: Element + Copy + Into<f64>>(
    loss: L,
    bounds: Bounds,
    features: &PyReadonlyArray2<'_, T>,
    targets: &PyReadonlyArray1<'_, f64>,
    persons: Option<&[String]>,
) -> Result<Records<L>, DataError> {
    let (features, targets) = (features.as_array(), targets.as_array());
    let rows = targets.len();
    if features.nrows() != rows || persons.is_some_and(|persons| persons.len() != rows) {
        return Err(DataError::Shape);
    }
    let fill = |k: usize, row: &mut [f64]| {
        for (to, from) in row.iter_mut().zip(features.row(k)) {
            *to = (*from).into();
        }
        targets[k]
    };
    let (clip, columns) = (OutOfBounds::Clip, features.ncols());
    match persons {
        None => Records::from_rows(loss, bounds, clip, columns, rows, fill),
        Some(persons) => {
            let person = |k: usize| &persons[k];
            Records::from_rows_of_persons(loss, bounds, clip, columns, rows, person, fill)
        }
    }
}
