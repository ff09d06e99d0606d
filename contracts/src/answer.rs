//! Answers to questions about a model or a table: how good a model is, how many rows there are, where a quantile lies.
//!
//! An answer is a separate JSON file: the question, the guarantee, how the answer was made, and the answer. These types
//! hold data and judge nothing; `check/answer.rs` judges. spec: `own:score`

use crate::release::{Signature, hex_digest};
use crate::schema::{Claim, Guarantee, Neighbours, Noise, Randomness};
use crate::verdict::CheckFailed;
use serde::{Deserialize, Serialize};

/// The version of the form of an answer that this crate reads.
pub const ANSWER_SCHEMA: u32 = 1;

/// An answer with everything that it says of itself. spec: `own:score`
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Answer {
    /// What is said.
    pub statement: Statement,
    /// `sha256:` and the hexadecimal digest of the statement.
    pub digest: String,
    /// The signature of the digest, if there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub signature: Option<Signature>,
}

/// The question, the guarantee, and the answer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Statement {
    /// The version of the form: [`ANSWER_SCHEMA`].
    pub schema: u32,
    /// The version of the program that issued it.
    pub crate_version: String,
    /// Which data sets the guarantee compares.
    pub neighbours: Neighbours,
    /// No person has more rows: what is promised holds for a person, not for a row only.
    pub rows_per_person: u64,
    /// What the answer satisfies.
    pub guarantee: Guarantee,
    /// Where a purely private mechanism serves a Gaussian guarantee: the ε that it spends.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub converted: Option<f64>,
    /// What was asked.
    pub question: Question,
    /// How it was answered, and the answer.
    pub mechanism: Answering,
    /// Where the random bits came from.
    pub randomness: Randomness,
    /// The results that the guarantee rests on.
    pub claims: Vec<Claim>,
}

/// What was asked. All of it is public.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum Question {
    /// How many rows there are: one cell.
    Rows,
    /// How many rows of each class get a probability of the positive class in each bin: the bins of the other class
    /// first, then those of the positive one. Bins are equally wide, from 0 to 1, each with its lower edge.
    Classes {
        /// Whose predictions.
        model: Scored,
        /// How many bins; an even number, so that ½ is an edge. Two bins are the confusion matrix.
        bins: u64,
    },
    /// How many rows of each class are predicted to be of it, in the order of the classes, and then
    /// how many of each are not.
    Labels {
        /// Whose predictions.
        model: Scored,
        /// The classes, three or more.
        classes: Vec<String>,
    },
    /// How far predictions are from targets. With u the distance as a part of `clip`, 1 at most, and t the square of
    /// the target's distance from the middle of the range as a part of the largest one, each row is divided among eight
    /// cells: 1 − u, u − u², u² − u⁴ and u⁴, each times 1 − t and times t.
    Errors {
        /// Whose predictions.
        model: Scored,
        /// The lower end of the target's public range.
        low: f64,
        /// The upper end.
        high: f64,
        /// A larger distance counts as this one.
        clip: f64,
    },
    /// Which of these numbers is next to a quantile.
    Quantile {
        /// The level, in millionths.
        millionths: u64,
        /// The public numbers that the answer is one of, in ascending order.
        candidates: Vec<f64>,
    },
}

/// The model that is scored, and what is said of the rows.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Scored {
    /// The digest of its release.
    pub release: String,
    /// Whether the model was fitted to any of these rows: its owner's word.
    pub rows: Unseen,
}

/// What is declared of the rows that a model is scored with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Unseen {
    /// The model was fitted to none of them: score and release concern different rows.
    Unseen,
    /// The model may have been fitted to them: the budgets add up, and the score flatters the model.
    Seen,
}

/// How a question was answered.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum Answering {
    /// Every row is divided among cells, and every cell gets noise of its own.
    Cells {
        /// The noise of each cell.
        noise: Noise,
        /// The noisy cells, in steps of the lattice.
        counts: Vec<i64>,
    },
    /// One of the candidates, with probability ∝ e^(−βc) for its cost c, β = units/per.
    Exponential {
        /// The numerator of β.
        units: u64,
        /// Its denominator.
        per: u64,
        /// The candidate that was drawn.
        value: f64,
    },
}

impl Question {
    /// How many cells a row is divided among; none for a quantile.
    pub fn cells(&self) -> Option<u64> {
        match self {
            Self::Rows => Some(1),
            Self::Classes { bins, .. } => bins.checked_mul(2),
            Self::Labels { classes, .. } => u64::try_from(classes.len()).ok()?.checked_mul(2),
            Self::Errors { .. } => Some(8),
            Self::Quantile { .. } => None,
        }
    }

    /// The model that is scored, if one is.
    pub fn model(&self) -> Option<&Scored> {
        match self {
            Self::Classes { model, .. } | Self::Labels { model, .. } | Self::Errors { model, .. } => {
                Some(model)
            }
            Self::Rows | Self::Quantile { .. } => None,
        }
    }
}

impl Answer {
    /// A statement, sealed.
    pub fn new(statement: Statement) -> Self {
        Self { statement, digest: String::new(), signature: None }.seal()
    }

    /// With the digest of what it says now, and without a signature.
    pub fn seal(self) -> Self {
        Self { digest: self.computed_digest(), signature: None, ..self }
    }

    /// Whether a text looks like an answer rather than like a release: its object has a field `statement`.
    pub fn is_meant(text: &str) -> bool {
        #[derive(Deserialize)]
        struct Meant {
            statement: Option<serde::de::IgnoredAny>,
        }
        serde_json::from_str(text).is_ok_and(|Meant { statement }| statement.is_some())
    }

    /// From JSON text. The result is well-formed, not yet [checked](Answer::check).
    pub fn from_json(text: &str) -> Result<Self, CheckFailed> {
        #[derive(Deserialize)]
        struct VersionedAnswer {
            statement: Option<StatementVersion>,
        }
        #[derive(Deserialize)]
        struct StatementVersion {
            schema: Option<serde_json::Number>,
        }
        let VersionedAnswer { statement } = serde_json::from_str(text).map_err(CheckFailed::malformed)?;
        match statement.and_then(|statement| statement.schema) {
            Some(found) if found.as_u64() != Some(ANSWER_SCHEMA.into()) => {
                Err(CheckFailed::Schema { found: found.to_string(), known: ANSWER_SCHEMA })
            }
            _ => serde_json::from_str(text).map_err(CheckFailed::malformed),
        }
    }

    /// As JSON text; every number keeps every bit.
    pub fn to_json(&self) -> String {
        // Strings, numbers and sequences always serialise.
        serde_json::to_string_pretty(self).unwrap_or_default()
    }

    /// The digest of the canonical JSON of the statement: fields in the order of the schema, no white space, and each
    /// number as the shortest text that reads back as the same `f64`.
    pub(crate) fn computed_digest(&self) -> String {
        format!("sha256:{}", hex_digest(&serde_json::to_string(&self.statement).unwrap_or_default()))
    }
}
