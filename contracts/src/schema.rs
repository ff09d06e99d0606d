//! What a certificate says, field by field. These types hold data and judge nothing.
//!
//! In JSON an enum is its name in kebab case, or an object whose only key is that name: `"logistic"`,
//! `{"huber": {"delta": 0.5}}`, `{"pure": 1.0}`, `{"output": {…}}`. Unknown fields are refused.

mod mechanism;

pub use mechanism::{
    Asap, BlockLaw, BlockNoise, Calibration, Localisation, Mechanism, Minimiser, Noise, NoisyGradient,
    ObjectivePerturbation, Output, Posterior, Price, Reference, Sampler, Tilt,
};

use serde::{Deserialize, Serialize};

/// The version of the form that this crate reads.
pub const SCHEMA: u32 = 3;

/// A release's account of itself: θ̂ and every public number between the budget and its bits.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Certificate {
    /// The version of the form: [`SCHEMA`].
    pub schema: u32,
    /// The version of the program that issued it.
    pub crate_version: String,
    /// Which data sets the guarantee compares.
    pub neighbours: Neighbours,
    /// What one record may spend, and what each part of the mechanism may spend of it.
    pub ledger: Ledger,
    /// Where neighbours differ by a person with all rows: how many rows that is at most, and what a person is promised.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub person: Option<Person>,
    /// The public problem.
    pub problem: Problem,
    /// How the parameters were made.
    pub mechanism: Mechanism,
    /// What the mechanism was compared with, if it was chosen by predicted risk.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub choice: Option<Choice>,
    /// θ̂: the released parameters, the intercept last if there is one.
    pub theta: Vec<f64>,
    /// Where the random bits came from.
    pub randomness: Randomness,
    /// In which arithmetic the guarantee is proved.
    pub numerics: Numerics,
    /// Whether no constant is a user's claim or asymptotic.
    pub certified: bool,
    /// The results that the guarantee rests on.
    pub claims: Vec<Claim>,
}

/// A choice of the mechanism, and of the regulariser, by what is predicted from public numbers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Choice {
    /// The guess of the number of rows that the predictions were made with.
    pub rows: u64,
    /// The guess of the curvature, where there was one.
    pub curvature: Option<f64>,
    /// How the regulariser was chosen, if it was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub regulariser: Option<ChosenRegulariser>,
    /// What one pass over the records counts, as a part of what can be learnt.
    pub pass_price: f64,
    /// The mechanisms; the one alone that was asked for by name, if the regulariser was chosen for it.
    pub compared: Vec<Compared>,
}

/// A regulariser that was chosen from public numbers: what is predicted to be missed with it, and with its neighbours.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ChosenRegulariser {
    /// The part of what can be learnt that is predicted to be missed.
    pub missed: f64,
    /// The same with half of the regulariser; none if that is refused.
    pub with_half: Option<f64>,
    /// The same with twice the regulariser.
    pub with_twice: Option<f64>,
}

/// One of the mechanisms that were compared.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Compared {
    /// Its name.
    pub mechanism: String,
    /// The part of what can be learnt that it is predicted to miss; none if it was refused.
    pub predicted: Option<f64>,
    /// Its passes over the records, about; none if it was refused.
    pub passes: Option<f64>,
}

/// Which data sets count as neighbours. spec: `defn:dp`
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Neighbours {
    /// One record more or less. The number of records is private.
    #[default]
    AddRemove,
    /// One record replaced by another. The number of records is public.
    ReplaceOne,
}

impl Neighbours {
    /// How many records' losses differ between neighbours: the factor of every Lipschitz constant.
    pub fn changed_losses(self) -> u64 {
        match self {
            Self::AddRemove => 1,
            Self::ReplaceOne => 2,
        }
    }
}

/// A privacy guarantee.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Guarantee {
    /// ε-differential privacy with δ = 0.
    Pure(f64),
    /// μ-Gaussian differential privacy.
    Gaussian(f64),
}

/// What a person is promised who has several rows. spec: `own:persons`
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Person {
    /// No person has more rows: others were dropped.
    pub rows: u64,
    /// What the release satisfies for neighbours that differ by a person.
    pub total: Guarantee,
}

impl Certificate {
    /// What the release satisfies: for a person, or else for a record.
    pub fn guarantee(&self) -> Guarantee {
        self.person.map_or(self.ledger.total, |person| person.total)
    }
}

/// The budget of a record and how it is divided.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Ledger {
    /// What the release satisfies for a record.
    pub total: Guarantee,
    /// Where a purely private mechanism serves a Gaussian total: the ε that it spends, of which the shares are parts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub converted: Option<f64>,
    /// The parts, of the kind that is spent: they add up to ε, or their squares to μ².
    pub shares: Vec<Share>,
}

/// What one part of the mechanism may spend.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Share {
    /// The part: `output`; or `localise`, `posterior` and `asap`; or `tilt`, `jacobian` and `asap`; or `gradients`.
    pub name: String,
    /// Its ε or μ.
    pub spent: f64,
}

/// The public problem: promises about the records, and what is minimised.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Problem {
    /// The loss of one record.
    pub loss: Loss,
    /// Of the logistic loss: the weights of the other class and of the positive one, as parts of the
    /// larger; none where both are 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub class_weights: Option<[f64; 2]>,
    /// R: no row of features is longer.
    pub feature_norm: f64,
    /// Y: no target is larger in absolute value.
    pub target: f64,
    /// There are never more rows.
    pub max_rows: u64,
    /// Whether a column of ones is appended to the features.
    pub intercept: bool,
    /// ρ: no row is longer, the intercept and the rounding of computed norms included.
    pub row_norm: f64,
    /// d: the number of parameters, the intercept included.
    pub dimension: u64,
    /// Λ: the total weight of ‖θ‖²/2.
    pub regulariser: f64,
    /// The radius of the ball around 0 that is searched, if not the whole space.
    pub parameter_bound: Option<f64>,
    /// What is promised of the columns of a row, block by block; without it only R is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shape: Option<Vec<Block>>,
}

/// Consecutive columns of a row and what is promised of them, the intercept excepted. spec: `own:shaped-tilt`
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum Block {
    /// Numbers, each in [−1, 1].
    Cube {
        /// How many columns.
        columns: u64,
    },
    /// Numbers whose absolute values add up to at most the bound: the levels of a category, one-hot, with
    /// bound 1; counts, shares.
    OneNorm {
        /// How many columns.
        columns: u64,
        /// The largest 1-norm.
        bound: f64,
    },
    /// Numbers whose squares add up to at most the bound's.
    Ball {
        /// How many columns.
        columns: u64,
        /// The largest Euclidean norm.
        bound: f64,
    },
}

impl Block {
    /// How many columns.
    pub fn columns(&self) -> u64 {
        match *self {
            Self::Cube { columns } | Self::OneNorm { columns, .. } | Self::Ball { columns, .. } => columns,
        }
    }
}

/// The loss of one record, a function of the prediction and the target.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum Loss {
    /// `ln(1 + e^(−yz))`.
    Logistic,
    /// `½(z − y)²`.
    Squared,
    /// Squared up to residuals of size δ, linear beyond.
    Huber {
        /// δ: the residual beyond which the loss is linear.
        delta: f64,
    },
    /// A loss that this crate does not know: every constant of it is its author's claim.
    User {
        /// What its author calls it.
        name: String,
        /// A parameter of its shape.
        shape: Option<f64>,
    },
}

/// Where random bits come from. A release records it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Randomness {
    /// `ChaCha20`, seeded by the operating system: the privacy guarantee holds.
    Secure,
    /// `ChaCha20` from a known seed: anyone who knows the seed can subtract the noise. **Non-private.**
    Replay,
}

/// In which arithmetic the guarantee is proved.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Numerics {
    /// As computed: every rounding error is bounded and charged.
    Rigorous,
    /// As if the sampler computed with real numbers.
    RealArithmeticOnly,
    /// As if, moreover, hidden constants were those of the paper's formulas.
    AsymptoticConstants,
}

/// One result that the guarantee rests on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Claim {
    /// Id of the page in `spec/`.
    pub spec: String,
    /// How much is known about it.
    pub status: Status,
}

/// How much is known about a claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Status {
    /// A written proof.
    Proved,
    /// Searched for violations.
    Tested,
    /// Believed without a proof.
    Assumed,
}
