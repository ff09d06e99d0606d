//! A release that came from somewhere as JSON text.

use crate::refusal::python_error;
use asap_dp::data::Schema;
use asap_dp::one_against_rest::{AnyRelease, probabilities, scores};
use numpy::{PyArray1, PyReadonlyArray2};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

fn parsed(text: &str) -> PyResult<AnyRelease> {
    AnyRelease::from_json(text).map_err(python_error)
}

/// The text in its canonical form, every number with every bit; refuses what is no release.
#[pyfunction]
pub(crate) fn read(text: &str) -> PyResult<String> {
    Ok(parsed(text)?.to_json())
}

/// What holds and what is assumed, as JSON text; raises `ValueError` with the first clause that does not hold.
#[pyfunction]
pub(crate) fn check(py: Python<'_>, text: &str) -> PyResult<String> {
    let release = parsed(text)?;
    let verdict = py.detach(|| release.check()).map_err(python_error)?;
    serde_json::to_string(&verdict).map_err(|_| PyValueError::new_err("the verdict is not well-formed"))
}

/// The library's own predictions for rows of features; of more than two classes the probability of each, row by row.
#[pyfunction]
pub(crate) fn predict<'py>(
    py: Python<'py>,
    text: &str,
    features: PyReadonlyArray2<'py, f64>,
) -> PyResult<Bound<'py, PyArray1<f64>>> {
    let rows: Vec<f64> = features.as_array().iter().copied().collect();
    let predictions = match parsed(text)? {
        AnyRelease::Single(release) => release.predict(&rows).map_err(python_error)?,
        AnyRelease::Classes(model) => {
            let (scores, classes) = (scores(&model, &rows), model.one_against_rest.parts.len().max(1));
            scores.map_err(python_error)?.chunks(classes).flat_map(probabilities).collect()
        }
    };
    Ok(PyArray1::from_vec(py, predictions))
}

/// Names for the parameters of the features, where the columns are known.
#[pyfunction]
pub(crate) fn release_parameter_names(text: &str) -> PyResult<Vec<String>> {
    Ok(parsed(text)?.columns().map(Schema::parameter_names).unwrap_or_default())
}
