//! A ledger file, for its readers.

use crate::refusal::account_error;
use asap_dp::account::Account;
use pyo3::prelude::*;
use std::path::PathBuf;

/// The listing as JSON text, as `asap ledger --json` prints it.
#[pyfunction]
pub(crate) fn read_ledger(path: PathBuf) -> PyResult<String> {
    let listing = Account::read(&path).map_err(account_error)?;
    // Numbers, texts and lists always serialise.
    Ok(serde_json::to_string(&listing).unwrap_or_default())
}
