//! A private quantile of one column. spec: `own:quantile`

use crate::refusal::python_error;
use crate::settings::neighbours;
use asap_dp::privacy::{Epsilon, Guarantee};
use asap_dp::quantile::Quantile;
use asap_dp::{Error, SecureRng};
use numpy::PyReadonlyArray1;
use pyo3::prelude::*;

/// One of the candidates, ε-differentially private. There is no way to give it a seed.
#[pyfunction]
pub(crate) fn private_quantile(
    py: Python<'_>,
    values: PyReadonlyArray1<'_, f64>,
    candidates: Vec<f64>,
    q: f64,
    epsilon: f64,
    neighbours_name: &str,
    rows_per_person: u64,
) -> PyResult<f64> {
    // A copy: nobody changes it while the interpreter's lock is not held.
    let values: Vec<f64> = values.as_array().iter().copied().collect();
    let drawn = || -> Result<f64, Error> {
        let asked = Quantile::new(q, &candidates)?.with_rows_per_person(rows_per_person)?;
        let kind = neighbours(neighbours_name)?;
        let budget = Guarantee::Pure(Epsilon::new(epsilon)?);
        Ok(asked.release(&values, budget, kind, &mut SecureRng::new()?)?.value)
    };
    py.detach(drawn).map_err(python_error)
}
