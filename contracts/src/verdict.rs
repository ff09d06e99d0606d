//! What a check returns.

use crate::contract::Broken;
use serde::Serialize;

/// Everything that was checked, and everything that was not.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Findings {
    /// The clauses that hold.
    pub checked: Vec<Checked>,
    /// What else must be believed.
    pub assumed: Vec<Assumed>,
}

/// A clause that holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Checked {
    /// Id of the page in `spec/`.
    pub spec: &'static str,
    /// What was checked.
    pub clause: &'static str,
}

/// Something that the release rests on and that the check cannot see.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Assumed {
    /// Id of the page in `spec/`.
    pub spec: &'static str,
    /// What is believed, and why it was not checked.
    pub why: &'static str,
}

impl Assumed {
    /// Whether it is a number that nothing in the file decides.
    pub fn is_given(&self) -> bool {
        self.why.starts_with("cannot be checked from the file, assumed: ")
    }
}

/// Why a release does not stand.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CheckFailed {
    /// The text is no release of this schema. Only the place is told: the text may be something private.
    #[error("not a release: not well-formed at line {line}, column {column}")]
    Malformed {
        /// The line, from 1.
        line: usize,
        /// The column, from 1.
        column: usize,
    },
    /// The release is of another schema.
    #[error("the certificate has schema {found}; this checker knows schema {known} only")]
    Schema {
        /// The version that the text states.
        found: String,
        /// The version that this crate reads.
        known: u32,
    },
    /// The first clause that does not hold.
    #[error("the certificate does not hold: {clause} (page {spec})")]
    Clause {
        /// Id of the page in `spec/`.
        spec: &'static str,
        /// What was checked.
        clause: &'static str,
    },
}

impl CheckFailed {
    /// What is no release, no answer and no set of releases.
    pub(crate) fn malformed(error: serde_json::Error) -> Self {
        Self::Malformed { line: error.line(), column: error.column() }
    }

    /// Id of the page in `spec/` that says what was wrong.
    pub fn spec(&self) -> &'static str {
        match self {
            Self::Malformed { .. } | Self::Schema { .. } => "own:certificate",
            Self::Clause { spec, .. } => spec,
        }
    }

    /// What does not hold, without the particulars.
    pub fn clause(&self) -> &'static str {
        match self {
            Self::Malformed { .. } => "well-formed",
            Self::Schema { .. } => "schema version is known",
            Self::Clause { clause, .. } => clause,
        }
    }
}

impl From<Broken> for CheckFailed {
    fn from(Broken { spec, clause }: Broken) -> Self {
        Self::Clause { spec, clause }
    }
}

/// Collects clauses and stops at the first that fails.
#[derive(Default)]
pub(crate) struct Clauses(pub(crate) Vec<Checked>);

impl Clauses {
    /// Notes a clause, or stops at it.
    pub(crate) fn need(
        &mut self,
        spec: &'static str,
        clause: &'static str,
        holds: bool,
    ) -> Result<(), Broken> {
        if holds {
            self.0.push(Checked { spec, clause });
            Ok(())
        } else {
            Err(Broken { spec, clause })
        }
    }
}
