//! The error of a caller's argument. It is below everything else, so that every module can refuse in the same way.

/// A caller's argument is not allowed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{field} must be {allowed}")]
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
