//! The library's errors as Python's. None of their texts holds a value of a record.

use asap_dp::Error;
use asap_dp::account::AccountError;
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;

/// What was refused before a random bit was drawn is a `ValueError`; whatever else ends a fit is a `RuntimeError`.
pub(crate) fn python_error(error: impl Into<Error>) -> PyErr {
    let error = error.into();
    match error {
        Error::Input(_) | Error::Data(_) | Error::Contract(_) | Error::Certificate(_) | Error::Refused(_) => {
            PyValueError::new_err(error.to_string())
        }
        _ => PyRuntimeError::new_err(error.to_string()),
    }
}

/// What is wrong with a ledger: a `ValueError` where nothing was drawn, and a `RuntimeError` where the budget is spent.
pub(crate) fn account_error(error: AccountError) -> PyErr {
    match error {
        AccountError::NotNoted(_) => PyRuntimeError::new_err(format!(
            "ledger: {error}; nothing is released: count it, do not just try again"
        )),
        // Its texts name flags, which are arguments here.
        other => {
            let said =
                other.to_string().replace("--dataset", "dataset").replace("--neighbours", "neighbours");
            PyValueError::new_err(format!("ledger: {said}"))
        }
    }
}
