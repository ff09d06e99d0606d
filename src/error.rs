//! The errors of the crate. None of them carries a value that depends on the records.

use crate::contract::Broken;
use crate::data::DataError;

/// A caller's argument is outside of what is allowed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{field}: allowed is {allowed}")]
pub struct InvalidInput {
    /// The argument, as the caller knows it.
    pub field: &'static str,
    /// What it may be.
    pub allowed: &'static str,
}

impl InvalidInput {
    /// `Ok(value)` if it is finite and positive.
    pub(crate) fn positive(field: &'static str, value: f64) -> Result<f64, Self> {
        if value.is_finite() && value > 0.0 {
            Ok(value)
        } else {
            Err(Self { field, allowed: "a finite number greater than 0" })
        }
    }

    /// `Ok(value)` if it is finite and not negative.
    pub(crate) fn non_negative(field: &'static str, value: f64) -> Result<f64, Self> {
        if value.is_finite() && value >= 0.0 {
            Ok(value)
        } else {
            Err(Self { field, allowed: "a finite number not less than 0" })
        }
    }
}

/// Everything that can go wrong before a release is made.
///
/// After the input is validated a fit fails only for reasons that do not depend on the records
/// ([`Error::Aborted`] is the exception that is never expected; its text is constant).
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// An argument is outside of what is allowed.
    #[error(transparent)]
    Input(#[from] InvalidInput),
    /// The records or their file are not usable; names line and column, never a value.
    #[error(transparent)]
    Data(#[from] DataError),
    /// A calibration contract does not hold for these public values.
    #[error(transparent)]
    Contract(#[from] Broken),
    /// A certificate does not hold.
    #[error(transparent)]
    Certificate(#[from] crate::certificate::CheckFailed),
    /// The operating system gave no randomness.
    #[error("the operating system's random generator is not available")]
    NoRandomness,
    /// An internal check failed. The text is the same for every input, nothing is released.
    #[error("internal check failed; nothing is released")]
    Aborted,
}
