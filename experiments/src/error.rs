//! What can go wrong in an experiment.

use std::io;
use std::path::PathBuf;

/// Why an experiment stops.
#[derive(Debug, thiserror::Error)]
pub enum ExperimentError {
    /// A file of records cannot be read or used.
    #[error("{}: {reason}", path.display())]
    Data {
        /// The file.
        path: PathBuf,
        /// What is wrong with it, and what is allowed.
        reason: String,
    },
    /// The folder for the results holds something else.
    #[error("{}: is not empty and was not made by reproduce; choose a new or an empty folder", path.display())]
    NotOurs {
        /// The folder.
        path: PathBuf,
    },
    /// A result cannot be written.
    #[error("{}: cannot be written: {error}", path.display())]
    Output {
        /// The file.
        path: PathBuf,
        /// Why.
        error: io::Error,
    },
    /// The library refuses public numbers.
    #[error("{0}")]
    Library(#[from] asap_dp::Error),
    /// A number that is out of range.
    #[error("{field} must be {allowed}")]
    Range {
        /// What it is.
        field: &'static str,
        /// What is allowed.
        allowed: &'static str,
    },
    /// The baseline cannot run in this setting.
    #[error("{0}")]
    Infeasible(&'static str),
}

impl From<asap_dp::InvalidInput> for ExperimentError {
    fn from(error: asap_dp::InvalidInput) -> Self {
        Self::Library(error.into())
    }
}
