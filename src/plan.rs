//! Everything about a fit that is fixed before the records are seen.

use crate::asap::Asap;
use crate::ball::{Ball, norm};
use crate::calibrate::tight::{Choices, NoiseNorms};
use crate::calibrate::{
    Paper, PaperChain, PublicProblem, energy_rounding, gaussian_temperature, planned_proximal_steps,
    pure_temperature,
};
use crate::error::{Error, InvalidInput};
use crate::exact::add_up;
use crate::localize::Localisation;
use crate::loss::Loss;
use crate::model::Model;
use crate::optimize::Minimiser;
use crate::privacy::{Guarantee, Shares, Split};

/// How radius, error and chain length are chosen.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Calibration {
    /// Explicit constants throughout; budget split for utility.
    #[default]
    Tight,
    /// The formulas of `tab:localization` and `tab:K_stepsizes` with these constants, three equal budget shares.
    /// Chain lengths of constrained MALA are then asymptotic: **not certified**.
    Paper(Paper),
}

/// Which sampler stands in for the exact posterior.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SamplerKind {
    /// The in-ball proximal sampler.
    #[default]
    Proximal,
    /// Constrained MALA; where its domain assumption fails, the proximal sampler.
    Mala,
}

/// The public choices of a fit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Settings {
    /// What the release has to satisfy.
    pub guarantee: Guarantee,
    /// How the constants are chosen.
    pub calibration: Calibration,
    /// Which sampler is used.
    pub sampler: SamplerKind,
    /// A public guess of the number of records; a wrong guess costs utility or time, never privacy.
    pub expected_rows: u64,
    /// τ of the minimiser; `None` for the default.
    pub tolerance: Option<f64>,
}

impl Settings {
    /// The guess of the number of records unless another is given.
    pub const DEFAULT_EXPECTED_ROWS: u64 = 10_000;

    /// The defaults for a guarantee: `Tight`, proximal.
    #[must_use]
    pub fn new(guarantee: Guarantee) -> Self {
        Self {
            guarantee,
            calibration: Calibration::default(),
            sampler: SamplerKind::default(),
            expected_rows: Self::DEFAULT_EXPECTED_ROWS,
            tolerance: None,
        }
    }
}

/// The public plan of a fit: budget shares and localisation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Plan<L> {
    model: Model<L>,
    settings: Settings,
    shares: Shares,
    localisation: Localisation<L>,
}

/// The public plan of what follows once θ_0 is released. spec: `alg:twostage_dp_learner`
#[derive(Clone, Debug, PartialEq)]
pub struct Reference {
    ball: Ball,
    centre_norm: f64,
    lipschitz: f64,
    gamma: f64,
    asap: Asap,
}

impl<L: Loss + Copy> Plan<L> {
    /// Splits the budget and calibrates the localisation.
    pub fn new(model: &Model<L>, settings: Settings) -> Result<Self, Error> {
        if settings.expected_rows == 0 {
            return Err(InvalidInput { field: "expected rows", allowed: "a whole number from 1" }.into());
        }
        let (pure, gaussian) = match settings.calibration {
            Calibration::Tight => (Split::TIGHT_PURE, Split::TIGHT_GAUSSIAN),
            Calibration::Paper(_) => ([1; 3], [1; 3]),
        };
        let shares = Shares::of(settings.guarantee, pure, gaussian)?;
        let minimiser = match settings.tolerance {
            Some(tau) => Minimiser::with_tolerance(model, tau)?,
            None => Minimiser::new(model)?,
        };
        let localisation = Localisation::new(model, minimiser, shares.localise)?;
        Ok(Self { model: *model, settings, shares, localisation })
    }

    /// The model.
    pub fn model(&self) -> &Model<L> {
        &self.model
    }

    /// The choices.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// The budget shares.
    pub fn shares(&self) -> &Shares {
        &self.shares
    }

    /// The localisation.
    pub fn localisation(&self) -> &Localisation<L> {
        &self.localisation
    }

    /// Whether every constant is certified: not so for the asymptotic chain lengths of constrained MALA.
    pub fn certified(&self) -> bool {
        !matches!(
            (self.settings.calibration, self.settings.sampler),
            (Calibration::Paper(_), SamplerKind::Mala)
        )
    }

    /// Ball, inverse temperature and final noise around a released θ_0.
    pub fn reference(&self, theta_0: &[f64]) -> Result<Reference, Error> {
        if theta_0.len() != self.model.dimension() {
            return Err(InvalidInput { field: "theta_0", allowed: "one number for each parameter" }.into());
        }
        // The factor covers the rounding of the norm.
        let centre_norm = norm(theta_0) * (1.0 + 1e-9);
        let choices = Choices {
            model: &self.model,
            posterior: self.shares.posterior,
            centre_norm,
            expected_rows: self.settings.expected_rows,
            wants_room: self.settings.sampler == SamplerKind::Mala,
        };
        let (radius, paper_error) = match self.settings.calibration {
            Calibration::Tight => (self.tight_radius(&choices), None),
            Calibration::Paper(paper) => {
                let table = match self.shares.posterior {
                    Guarantee::Pure(epsilon) => paper.pure_localisation(&self.public_problem()?, epsilon),
                    Guarantee::Gaussian(mu) => paper.gaussian_localisation(&self.public_problem()?, mu),
                }?;
                (table.radius, Some(table.delta))
            }
        };
        let ball = Ball::new(theta_0.to_vec(), radius)?;
        let lipschitz = self.model.lipschitz(centre_norm, radius).ok_or(InvalidInput {
            field: "bounds",
            allowed: "values for which the loss is Lipschitz on the ball",
        })?;
        let gamma = match self.shares.posterior {
            Guarantee::Pure(epsilon) => pure_temperature(epsilon, lipschitz, radius)?,
            Guarantee::Gaussian(mu) => gaussian_temperature(mu, lipschitz, self.model.regulariser())?,
        };
        let error = paper_error.unwrap_or_else(|| choices.error(gamma, self.shares.asap));
        let asap = Asap::new(error, self.model.dimension(), self.shares.asap)?;
        let reference = Reference { ball, centre_norm, lipschitz, gamma, asap };
        self.check_worst_case(&reference)?;
        Ok(reference)
    }

    /// Step size, chain length and restarts of constrained MALA by `tab:K_stepsizes`, where that is asked for.
    pub fn paper_chain(&self) -> Result<Option<PaperChain>, Error> {
        let Calibration::Paper(paper) = self.settings.calibration else { return Ok(None) };
        let problem = self.public_problem()?;
        let chain = match self.shares.posterior {
            Guarantee::Pure(epsilon) => paper.pure_schedule(&problem, epsilon),
            Guarantee::Gaussian(mu) => paper.gaussian_schedule(&problem, mu),
        };
        Ok(Some(chain?))
    }

    /// The public numbers that the paper's tables are functions of; n and κ are those of the guessed number of rows.
    pub(crate) fn public_problem(&self) -> Result<PublicProblem, Error> {
        let (rows, regulariser) = (self.settings.expected_rows, self.model.regulariser());
        Ok(PublicProblem {
            dimension: self.model.dimension() as u64,
            rows,
            condition: self.model.smoothness(rows).ok_or(Error::Aborted)? / regulariser,
            regulariser,
            lipschitz: self.model.minimiser_lipschitz().ok_or(Error::Aborted)?,
        })
    }

    /// For the worst data set that the bounds allow, the proximal sampler must have a number of steps and energies that
    /// f64 resolves. Then every data set has, and a fit cannot fail for a reason that depends on the records.
    fn check_worst_case(&self, reference: &Reference) -> Result<(), Error> {
        let largest = self.model.largest_smoothness().ok_or(Error::Aborted)?;
        let (gamma, d) = (reference.gamma, self.model.dimension() as u64);
        let (m, l) = (gamma * self.model.regulariser(), gamma * largest);
        let (norm, radius) = (reference.centre_norm, reference.ball.radius());
        let one = self.model.loss().lipschitz(self.model.bounds(), norm, radius).ok_or(Error::Aborted)?;
        let rows = self.model.bounds().max_rows() as f64;
        let slope = gamma * (rows * one + self.model.regulariser() * norm) * (1.0 + 1e-9);
        planned_proximal_steps(m, l, slope, radius, d, reference.euclidean_error())?;
        let reach = add_up(reference.centre_norm, reference.ball.radius());
        let objective = reach.and_then(|reach| self.model.largest_objective(reach)).ok_or(Error::Aborted)?;
        energy_rounding(gamma, objective)?;
        Ok(())
    }

    fn tight_radius(&self, choices: &Choices<'_, L>) -> f64 {
        let norms = NoiseNorms::new(self.localisation.noise(), self.model.dimension());
        choices.radius(&norms, self.localisation.minimiser().tolerance())
    }
}

impl Reference {
    /// Θ = B(θ_0, B).
    pub fn ball(&self) -> &Ball {
        &self.ball
    }

    /// Not below ‖θ_0‖.
    pub fn centre_norm(&self) -> f64 {
        self.centre_norm
    }

    /// G on Θ, for the neighbour relation.
    pub fn lipschitz(&self) -> f64 {
        self.lipschitz
    }

    /// γ.
    pub fn gamma(&self) -> f64 {
        self.gamma
    }

    /// The noise that covers the sampler's error.
    pub fn asap(&self) -> &Asap {
        &self.asap
    }

    /// The error that the sampler must keep, in the 2-norm: Δ for GDP; Δ/√d for pure DP, whose Δ is in the 1-norm.
    pub fn euclidean_error(&self) -> f64 {
        match self.asap.share() {
            Guarantee::Pure(_) => self.asap.error() / (self.ball.dimension() as f64).sqrt() * (1.0 - 1e-12),
            Guarantee::Gaussian(_) => self.asap.error(),
        }
    }
}
