//! The errors of a fit. None of them carries a value that depends on the records.

use crate::contract::BrokenContract;
use crate::data::{DataError, Unavailable};
use crate::input::InvalidInput;
use crate::noise::NoRandomness;

/// Everything that can go wrong before a release is made.
///
/// After the input is validated a fit is refused for public reasons only, before a random bit is drawn
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
    Contract(#[from] BrokenContract),
    /// A certificate does not hold.
    #[error(transparent)]
    Certificate(#[from] asap_contracts::CheckFailed),
    /// The public numbers do not hold, so there is no plan, and nothing was drawn.
    #[error("{0}: there is no plan for these public numbers")]
    Refused(asap_contracts::CheckFailed),
    /// A release does not pass the checker: it is kept back, but noise was drawn for these records.
    #[error(
        "{0}: nothing is released, but the budget of this fit is spent (count it; do not just try again)"
    )]
    NotReleased(asap_contracts::CheckFailed),
    /// The operating system gave no randomness.
    #[error(transparent)]
    NoRandomness(#[from] NoRandomness),
    /// A file that is read again for each pass could not be read again, or is not what it was.
    #[error(transparent)]
    Unavailable(#[from] Unavailable),
    /// An internal check failed: a bug. The text is the same for every input, nothing is released. Noise may have been
    /// drawn, and a caller who tries until it works chooses among noises: the budget counts as spent.
    #[error("internal check failed; nothing is released, and the budget counts as spent: do not try again")]
    Aborted,
}
