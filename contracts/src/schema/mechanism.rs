//! The part of a certificate that says how the parameters were made.

use serde::{Deserialize, Serialize};

/// How the parameters were made.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Mechanism {
    /// Localise, sample a posterior on a ball, add noise for the sampler's error: `alg:twostage_dp_learner`.
    Posterior(Posterior),
    /// The minimiser plus noise: `alg:outpert` alone.
    Output(Output),
    /// The minimiser of a randomly tilted objective, plus noise for what arithmetic does: `own:objective-perturbation`.
    Objective(ObjectivePerturbation),
    /// T steps along noisy gradients, and the mean of the later ones.
    NoisyGradient(NoisyGradient),
}

/// Objective perturbation: θ̂ is a computed minimiser of `J + ⟨b, θ⟩` on a ball around 0, rounded
/// to a lattice, plus noise.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ObjectivePerturbation {
    /// The public number of rows that the plan was made for.
    pub expected_rows: u64,
    /// R: the radius of the ball.
    pub radius: f64,
    /// G: Lipschitz constant, on the ball, of the difference of two neighbours' objectives.
    pub lipschitz: f64,
    /// β: the smoothness of the loss of one record.
    pub smoothness: f64,
    /// The ε of the Jacobian under a Gaussian tilt, whose share pays for both.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub jacobian: Option<f64>,
    /// How the Jacobian is paid for.
    #[serde(default, skip_serializing_if = "Price::is_apart")]
    pub price: Price,
    /// The law of b.
    pub tilt: Tilt,
    /// The last step: noise for the distance between computed and exact minimiser.
    pub asap: Asap,
}

/// How the Jacobian of objective perturbation is paid for. spec: `own:joint-price`
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Price {
    /// Slope and curvature of a record are each taken at their largest: ln(1 + β/Λ) beside the tilt.
    #[default]
    Apart,
    /// They are taken at the same point of the loss, where one is small if the other is large.
    Tied,
    /// They are, and where the slope leaves room for a curvature it leaves enough: there is nothing to pay.
    Free,
}

impl Price {
    #[allow(clippy::trivially_copy_pass_by_ref, reason = "serde asks for a reference")]
    fn is_apart(&self) -> bool {
        *self == Self::Apart
    }
}

/// The law of b.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Tilt {
    /// One law for all coordinates.
    Whole(Noise),
    /// Independent laws for the blocks of the problem's shape: first the cubes and the intercept together,
    /// then each of the others.
    Blocks(Vec<BlockNoise>),
}

impl From<Noise> for Tilt {
    fn from(noise: Noise) -> Self {
        Self::Whole(noise)
    }
}

/// The noise of one block, rounded to the lattice of step `g = 2^exponent`. spec: `own:shaped-tilt`
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BlockNoise {
    /// How many coordinates.
    pub columns: u64,
    /// The law of the real vector.
    pub law: BlockLaw,
    /// The exponent of the lattice step.
    pub exponent: i32,
    /// The scale s in steps.
    pub steps: u64,
}

/// The law of the noise of one block, of scale s.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum BlockLaw {
    /// Density `∝ e^(−‖z‖_∞/s)`.
    CubeLaplace,
    /// Density `∝ e^(−‖z‖₁/s)`: each coordinate by itself.
    Laplace,
    /// Density `∝ e^(−‖z‖₂/s)`.
    EuclideanLaplace,
    /// Each coordinate by itself, normal with deviation s.
    Normal,
}

impl Mechanism {
    /// Its name, which is its key in JSON.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Objective(_) => "objective",
            Self::NoisyGradient(_) => "noisy-gradient",
            Self::Posterior(_) => "posterior",
            Self::Output(_) => "output",
        }
    }
}

/// Noisy gradient descent: `θ_t = Π(θ_(t−1) − η·ĝ_t + m·(θ_(t−1) − θ_(t−2)))` from 0, where ĝ_t is the gradient at
/// θ_(t−1), rounded to a lattice, plus noise; θ̂ is the mean of the θ_t after the first b.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NoisyGradient {
    /// The public number of rows that the plan was made for.
    pub expected_rows: u64,
    /// T: the number of noisy gradients.
    pub steps: u64,
    /// b: the steps that are not averaged.
    pub skipped: u64,
    /// η: the step size.
    pub step: f64,
    /// m: the momentum.
    pub momentum: f64,
    /// r: no θ_t is farther from 0.
    pub radius: f64,
    /// G: Lipschitz constant, within r, of the difference of two neighbours' objectives.
    pub lipschitz: f64,
    /// A bound on what rounding does to a computed gradient.
    pub rounding: f64,
    /// The computed gradients of neighbours are this close.
    pub sensitivity: f64,
    /// What one step may spend: ε or μ.
    pub share: f64,
    /// The noise of each ĝ_t.
    pub noise: Noise,
}

/// Output perturbation: θ̂ is the minimiser, rounded to a lattice, plus noise.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Output {
    /// The minimiser and its sensitivity.
    pub minimiser: Minimiser,
    /// The noise of θ̂.
    pub noise: Noise,
}

/// The approximate minimiser and how far it moves between neighbours.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Minimiser {
    /// r: no minimiser of an admissible data set is farther from 0.
    pub bound: f64,
    /// G: Lipschitz constant, within r, of the difference of two neighbours' objectives.
    pub lipschitz: f64,
    /// A bound on what rounding does to the stopping rule.
    pub rounding: f64,
    /// τ: the computed point is this close to the minimiser.
    pub tolerance: f64,
    /// Δ̃: the computed points of neighbours are this close.
    pub sensitivity: f64,
}

/// Posterior sampling on a ball around a first, private point.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Posterior {
    /// Whose constants.
    pub calibration: Calibration,
    /// What drew the sample.
    pub sampler: Sampler,
    /// The public number of rows that the plan was made for.
    pub expected_rows: u64,
    /// The minimiser and its sensitivity.
    pub minimiser: Minimiser,
    /// The first release: the centre of the ball.
    pub localisation: Localisation,
    /// The reference posterior.
    pub reference: Reference,
    /// The last step: noise for the distance between sample and reference.
    pub asap: Asap,
}

/// Whose constants were used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Calibration {
    /// Explicit constants.
    Tight,
    /// The paper's formulas.
    Paper,
}

/// What drew the sample.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Sampler {
    /// The exact draw, with the proximal sampler to fall back on.
    Exact,
    /// The proximal sampler on the ball.
    Proximal,
    /// Constrained MALA, with the proximal sampler to fall back on.
    Mala,
}

/// The first release of the posterior mechanism.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Localisation {
    /// The noise of θ_0.
    pub noise: Noise,
    /// θ_0: the minimiser plus noise.
    pub theta_0: Vec<f64>,
}

/// The density `∝ e^(−γJ)` on the ball of radius B around θ_0.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Reference {
    /// Not below ‖θ_0‖.
    pub centre_norm: f64,
    /// B: the radius of the ball.
    pub radius: f64,
    /// G: Lipschitz constant, on the ball, of the difference of two neighbours' objectives.
    pub lipschitz: f64,
    /// γ: the inverse temperature of the posterior.
    pub gamma: f64,
}

/// Noise for the distance between what was sampled and the reference.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Asap {
    /// The norm of the error: 1 or 2.
    pub norm: u8,
    /// Δ: a coupling keeps the sample within this distance of the reference, surely.
    pub error: f64,
    /// The part of Δ that is set aside for rounding.
    pub charge: f64,
    /// The noise of θ̂.
    pub noise: Noise,
}

/// Noise on the lattice of step `g = 2^exponent`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum Noise {
    /// Each coordinate by itself, `P(k) ∝ e^(−|k|/s)`, s = numerator/denominator.
    DiscreteLaplace {
        /// The exponent of the lattice step.
        exponent: i32,
        /// The numerator of the scale in steps.
        numerator: u64,
        /// The denominator of the scale in steps.
        denominator: u64,
    },
    /// Each coordinate by itself, a normal variable rounded to the lattice.
    RoundedNormal {
        /// The exponent of the lattice step.
        exponent: i32,
        /// The standard deviation in steps.
        steps: u64,
    },
    /// A vector with density `∝ e^(−‖z‖₂/s)`, rounded to the lattice.
    EuclideanLaplace {
        /// The exponent of the lattice step.
        exponent: i32,
        /// The scale s in steps.
        steps: u64,
    },
}
