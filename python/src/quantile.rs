//! A private quantile of one column. spec: `own:quantile`

use crate::refusal::{account_error, python_error};
use crate::settings::neighbours;
use asap_contracts::Answering;
use asap_dp::account::{Account, Purpose, Spending};
use asap_dp::privacy::{Epsilon, Guarantee};
use asap_dp::quantile::Quantile;
use asap_dp::{Error, SecureRng};
use numpy::PyReadonlyArray1;
use pyo3::prelude::*;
use std::path::PathBuf;

/// One of the candidates, ε-differentially private. There is no way to give it a seed.
#[pyfunction]
#[pyo3(signature = (values, candidates, q, epsilon, neighbours_name, ledger=None, dataset=None))]
#[allow(clippy::too_many_arguments, reason = "those of the Python function")]
pub(crate) fn private_quantile(
    py: Python<'_>,
    values: PyReadonlyArray1<'_, f64>,
    candidates: Vec<f64>,
    q: f64,
    epsilon: f64,
    neighbours_name: &str,
    ledger: Option<PathBuf>,
    dataset: Option<String>,
) -> PyResult<f64> {
    // A copy: nobody changes it while the interpreter's lock is not held.
    let values: Vec<f64> = values.as_array().iter().copied().collect();
    let account = ledger.as_deref().map(Account::open).transpose().map_err(account_error)?;
    let asked = Quantile::new(q, &candidates).map_err(python_error)?;
    let neighbours = neighbours(neighbours_name).map_err(python_error)?;
    let guarantee = Epsilon::new(epsilon).map(Guarantee::Pure).map_err(python_error)?;
    let spending = Spending {
        purpose: Purpose::Quantile,
        guarantee,
        neighbours,
        rows_per_person: None,
        mechanism: "exponential",
        dataset: dataset.as_deref(),
    };
    py.detach(|| {
        asked.refuse(&values, guarantee, neighbours).map_err(python_error)?;
        let mut rng = SecureRng::new().map_err(python_error)?;
        let entered =
            account.as_ref().map(|account| account.enter(&spending)).transpose().map_err(account_error)?;
        let answer = asked.answer(&values, guarantee, neighbours, &mut rng).map_err(python_error)?;
        if let Some(entered) = entered {
            entered.released(&answer.digest).map_err(account_error)?;
        }
        match answer.statement.mechanism {
            Answering::Exponential { value, .. } => Ok(value),
            Answering::Cells { .. } => Err(python_error(Error::Aborted)),
        }
    })
}
