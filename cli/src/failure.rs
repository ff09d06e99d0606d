//! What can go wrong, in words for the user and as an exit code.

use crate::terminal::number;
use asap_contracts::CheckFailed;
use asap_dp::account::AccountError;
use asap_dp::contract::{BrokenContract, Clause};
use asap_dp::data::DataError;
use asap_dp::noise::NoRandomness;
use asap_dp::{Error, InvalidInput};
use std::io;
use std::path::{Path, PathBuf};

/// The exit codes, as `--help` shows them.
pub(crate) const EXIT_CODES: &str = "\
Exit codes:
  0    done; for check: every clause holds
  1    check: the release does not hold; audit: a claim is contradicted
  2    usage: a flag is missing, unknown or out of range
  3    an input file is missing, unreadable or of the wrong kind
  4    an output cannot be written, or the file exists (--force replaces it)
  5    internal check failed or no randomness; nothing is released
  6    fit, score: predicted to be useless, or to take too long; nothing is
       spent; --yes runs it anyway
  130  interrupted; nothing half-written is left";

/// Why a command stops.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Failure {
    /// A flag is out of range.
    #[error("{0}")]
    Usage(String),
    /// A data file is not usable.
    #[error("{}: {error}{}", path.display(), hint(error))]
    Data { path: PathBuf, error: DataError },
    /// A file to predict for is not usable. What a fit would have flags for is fixed by the release.
    #[error("{}: {error}{}", path.display(), separator_hint(error))]
    NewData { path: PathBuf, error: DataError },
    /// A file to divide is not usable.
    #[error("{}: {error}{}", path.display(), person_hint(error))]
    AskedData { path: PathBuf, error: DataError },
    /// A fit that had better not be made. Public numbers only.
    #[error("{0} Nothing was spent; --yes runs the fit anyway")]
    NotWorthIt(String),
    /// A question that had better not be asked. Public numbers only.
    #[error("{0} Nothing was spent; --yes runs the score anyway")]
    NotWorthAsking(String),
    /// An input file is not readable, or is not what it should be.
    #[error("{}: {reason}", path.display())]
    Input { path: PathBuf, reason: String },
    /// A release does not hold.
    #[error("{}: {error}", path.display())]
    Check { path: PathBuf, error: CheckFailed },
    /// `check --strict` and a release that is not private, not certified, or rests on a number that nothing decides.
    #[error("{}: --strict: {reason}", path.display())]
    Strict { path: PathBuf, reason: &'static str },
    /// An audit refutes the claim.
    #[error("audit: a claim is contradicted")]
    Contradicted,
    /// An output cannot be written.
    #[error("{}: cannot be written: {error}", path.display())]
    Output { path: PathBuf, error: io::Error },
    /// The ledger cannot be written.
    #[error("{0}")]
    Ledger(AccountError),
    /// What was paid for cannot be written.
    #[error(
        "{0}; noise was drawn: the budget is spent, and nothing is released. Count it before you try again"
    )]
    Lost(Box<Failure>),
    /// What was paid for is written, and the ledger does not say so.
    #[error("{} is written; {error}", written.display())]
    NotNoted { written: PathBuf, error: AccountError },
    /// Something is there already.
    #[error("{}: already exists; choose another name, or replace it with --force", path.display())]
    Exists { path: PathBuf },
    /// A command would replace what it reads.
    #[error("{}: this is the input {}; an output never replaces an input, even with --force", path.display(), input.display())]
    OutputIsInput { path: PathBuf, input: PathBuf },
    /// Standard output was closed by its reader. Not an error.
    #[error("standard output is closed")]
    Closed,
    /// No random bits that may be used.
    #[error("{0}; nothing is released")]
    NoRandomness(NoRandomness),
    /// A release did not pass its own check, after noise was drawn.
    #[error(
        "internal check failed: {0}; nothing is released, but the budget of this fit is spent: count it before \
         you try again"
    )]
    NotReleased(CheckFailed),
    /// A bug. The text is the same for all records.
    #[error("internal check failed; nothing is released, and the budget counts as spent: do not try again")]
    Internal,
}

impl Failure {
    pub(crate) fn exit_code(&self) -> u8 {
        match self {
            Self::Closed => 0,
            Self::Check { .. } | Self::Strict { .. } | Self::Contradicted => 1,
            Self::Usage(_) => 2,
            Self::Data { .. } | Self::NewData { .. } | Self::AskedData { .. } | Self::Input { .. } => 3,
            Self::Output { .. }
            | Self::Exists { .. }
            | Self::OutputIsInput { .. }
            | Self::Ledger(_)
            | Self::Lost(_)
            | Self::NotNoted { .. } => 4,
            Self::NotWorthIt(_) | Self::NotWorthAsking(_) => 6,
            Self::NoRandomness(_) | Self::NotReleased(_) | Self::Internal => 5,
        }
    }

    /// Why a plan is refused: public numbers only.
    pub(crate) fn of_plan(error: &Error) -> Self {
        match error {
            Error::Input(error) => (*error).into(),
            Error::Contract(broken) if broken.kind != Clause::Ensures => Self::of_contract(broken),
            Error::Refused(failed) => Self::of_refused(failed),
            _ => Self::Internal,
        }
    }

    /// The contracts do not accept what was planned: nothing was drawn.
    fn of_refused(failed: &CheckFailed) -> Self {
        Self::Usage(format!(
            "there is no plan for these public numbers ({} does not hold): bring --regulariser, --feature-bound, --target-bound, \
             --parameter-bound and --epsilon or --mu closer to 1, or lower --max-rows",
            failed.clause()
        ))
    }

    fn of_contract(broken: &BrokenContract) -> Self {
        Self::Usage(calibration(broken))
    }

    /// A library error of a fit or a plan; `path` is where records came from.
    pub(crate) fn of(error: Error, path: &Path) -> Self {
        match error {
            Error::Input(error) => error.into(),
            Error::Data(error) => Self::Data { path: path.to_owned(), error },
            Error::Contract(broken) if broken.kind == Clause::Ensures => Self::Internal,
            Error::Contract(broken) => Self::of_contract(&broken),
            Error::Refused(failed) => Self::of_refused(&failed),
            Error::Certificate(error) => Self::Check { path: path.to_owned(), error },
            Error::Unavailable(error) => Self::Input { path: path.to_owned(), reason: error.to_string() },
            Error::NoRandomness(error) => Self::NoRandomness(error),
            Error::NotReleased(error) => Self::NotReleased(error),
            _ => Self::Internal,
        }
    }

    /// The failure of reading a file that is not a table.
    pub(crate) fn reading(path: &Path, error: &io::Error) -> Self {
        let reason = match error.kind() {
            io::ErrorKind::NotFound => "no such file".to_owned(),
            // That is what reading a text says.
            io::ErrorKind::InvalidData => "cannot be read: not UTF-8 text".to_owned(),
            kind => format!("cannot be read: {kind}"),
        };
        Self::Input { path: path.to_owned(), reason }
    }
}

impl From<InvalidInput> for Failure {
    fn from(error: InvalidInput) -> Self {
        let InvalidInput { field, allowed } = error;
        Self::Usage(match field {
            // These are no flags: they follow from them.
            "noise scale" => "the noise would be finer than its lattice: lower --epsilon or --mu, lower --regulariser, or raise \
                              --feature-bound"
                .to_owned(),
            "lattice"
            | "lattice step"
            | "scale of the Laplace noise"
            | "scale of the Euclidean Laplace noise"
            | "standard deviation of the normal noise" => {
                "floating-point numbers have no lattice for this noise: bring --regulariser and --feature-bound closer to 1, and raise \
                 --epsilon or --mu if it is small, lower it if it is large"
                    .to_owned()
            }
            "tolerance" | "wasserstein error" | "precision" | "error" | "smoothness" | "Lipschitz constant" | "condition number"
            | "ln(1/ξ)" => "these public numbers are too far apart for floating-point arithmetic: raise --regulariser if it is small, \
                         lower it if it is large, and bring --feature-bound and --epsilon or --mu closer to 1"
                .to_owned(),
            "bounds" | "bounds and regulariser" => format!(
                "--feature-bound, --target-bound, --parameter-bound and --regulariser: must be {allowed}; bring them closer to 1, \
                 or lower --max-rows"
            ),
            "B of the paper" | "step size of the paper" | "γ of the paper" | "Δ of the paper" | "steps of the paper" => {
                "--calibration paper has no numbers for this problem: choose --calibration tight, or bring --regulariser, \
                 --feature-bound and --epsilon or --mu closer to 1"
                    .to_owned()
            }
            _ => format!("{} must be {allowed}", flag(field)),
        })
    }
}

/// Why public numbers cannot be calibrated, and which flags change that in which direction.
/// Nothing here knows a record.
fn calibration(broken: &BrokenContract) -> String {
    let value = |wanted: &str| broken.values().find(|(name, _)| *name == wanted).map(|(_, value)| value);
    match broken.function {
        "rounding_fits" | "planned_exact_charge" | "planned_proximal_charge" => format!(
            "--max-rows is too large for this precision (rounding errors must be small beside the error that the noise covers): lower --max-rows{} or --expected-rows, or raise --epsilon or --mu",
            rows_that_fit(broken).map(|rows| format!(" to about {rows}")).unwrap_or_default()
        ),
        "tilted_regulariser" => format!(
            "--regulariser is too small for objective perturbation: raise it{}, or raise --epsilon or --mu",
            value("smallest_that_works").map(|least| format!(" to {} at least", up(least))).unwrap_or_default()
        ),
        "feasible_chain" => format!(
            "the chain of --sampler mala would have {} steps, more than --largest-chain, {}, allows: choose --sampler exact or --sampler proximal, raise \
             --regulariser, or raise --largest-chain",
            value("planned_steps").map(number).unwrap_or_default(),
            value("largest_chain").map(number).unwrap_or_default(),
        ),
        "admissible_tolerance" => "the minimiser cannot be computed as exactly as the noise needs: raise --regulariser, or lower \
                                   --max-rows or --feature-bound"
            .to_owned(),
        "laplace_scale" | "normal_scale" => {
            "the noise would be too large for a floating-point number: raise --epsilon or --mu, raise --regulariser, or lower --feature-bound"
                .to_owned()
        }
        "gradient_sensitivity" => {
            "gradients would be too large for floating-point numbers: lower --feature-bound, --target-bound or --max-rows".to_owned()
        }
        _ => "these public numbers are too far apart for floating-point arithmetic: bring --regulariser, --feature-bound, \
              --target-bound, --parameter-bound and --epsilon or --mu closer to 1, or lower --max-rows"
            .to_owned(),
    }
}

/// Three digits, rounded up.
fn up(value: f64) -> String {
    let unit = 10.0_f64.powf(value.log10().floor() - 2.0);
    number((value / unit).ceil() * unit)
}

/// What rounding may do grows about as the number of rows does.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a positive number of two digits")]
fn rows_that_fit(broken: &BrokenContract) -> Option<u64> {
    let value = |wanted: &str| broken.values().find(|(name, _)| *name == wanted).map(|(_, value)| value);
    let rows = 0.9 * value("max_rows")? * value("error")? / (4.0 * value("charge")?);
    // Two digits, rounded down.
    let unit = 10.0_f64.powf((rows.log10() - 1.0).floor());
    (10.0..1e18).contains(&rows).then(|| ((rows / unit).floor() * unit) as u64)
}

/// The flag that sets a field of the library.
fn flag(field: &'static str) -> &'static str {
    match field {
        "epsilon" => "--epsilon",
        "mu" => "--mu",
        "guarantee" | "budget shares" => "--epsilon or --mu",
        "regulariser" => "--regulariser",
        "feature bound" => "--feature-bound",
        "target bound" => "--target-bound",
        "parameter bound" => "--parameter-bound",
        "max rows" => "--max-rows",
        "expected rows" => "--expected-rows",
        "gradient steps" => "--gradient-steps",
        "huber delta" => "--huber-delta",
        "dimension" => "--dim",
        "rows" => "--rows",
        "test" => "--test",
        "bins" => "--bins",
        "largest error" => "--largest-error",
        "rows per person" => "--rows-per-person",
        "q" => "--level",
        "candidates" => "--candidates",
        "runs" => "--runs",
        "release" | "answer" => "--from",
        "curvature" => "--curvature",
        other => other,
    }
}

/// The one flag of `predict` that is about its data.
fn separator_hint(error: &DataError) -> &'static str {
    match error {
        DataError::Separator | DataError::Ragged { .. } => hint(error),
        _ => "",
    }
}

/// The flags of those commands that know persons.
fn person_hint(error: &DataError) -> &'static str {
    match error {
        DataError::UnknownFeature { .. } => " (--person)",
        _ => separator_hint(error),
    }
}

/// Which flag helps against a data error.
fn hint(error: &DataError) -> &'static str {
    match error {
        DataError::TooManyRows => " (--max-rows)",
        DataError::NotAClass { .. }
        | DataError::Cell { .. }
        | DataError::NoEntry { .. }
        | DataError::TargetOfAnotherKind => " (--schema)",
        DataError::FeaturesOutOfBounds { .. } => " (--clip, --feature-bound)",
        DataError::TargetOutOfBounds { .. } => " (--clip, --target-bound)",
        DataError::TargetNotFound { .. } => " (--target, --schema)",
        DataError::UnknownFeature { .. }
        | DataError::TargetIsFeature { .. }
        | DataError::UnnamedColumn { .. }
        | DataError::SameName { .. }
        | DataError::DuplicateColumn { .. }
        | DataError::Columns => " (--features, --schema)",
        DataError::Separator | DataError::Ragged { .. } => " (--separator)",
        _ => "",
    }
}

/// A panic is a bug, and its text could show a number that depends on the records: it says nothing.
pub(crate) fn silence_panics() {
    std::panic::set_hook(Box::new(|_| {}));
}
