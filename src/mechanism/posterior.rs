//! `alg:twostage_dp_learner`: localise, sample the posterior on a ball around θ_0, cover the
//! sampler's error with noise.

mod charge;
mod reference;
mod risk;
mod sample;

pub use reference::{PlannedChain, Reference};
pub(crate) use risk::PASSES_PER_STEP;
pub use risk::Risk;
pub use sample::PosteriorSample;

use super::{Cost, Mechanism, Released, record};
use crate::asap::Asap;
use crate::ball::{Ball, norm};
use crate::calibrate::tight::{Choices, NoiseNorms};
use crate::calibrate::{Paper, PaperChain, PublicProblem};
use crate::error::Error;
use crate::input::InvalidInput;
use crate::ledger::Ledger;
use crate::localise::{Localisation, PureNoise};
use crate::loss::Loss;
use crate::noise::RandomBits;
use crate::objective::{Objective, Sums};
use crate::optimise::{Found, Minimiser};
use crate::prediction::{Guess, Prediction};
use crate::privacy::Guarantee;
use crate::private::Private;
use crate::problem::Problem;
use asap_contracts::Numerics;

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
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SamplerKind {
    /// The exact draw; where it gives up, the in-ball proximal sampler with fresh bits.
    #[default]
    Exact,
    /// The in-ball proximal sampler.
    Proximal,
    /// Constrained MALA; where its domain assumption fails, the proximal sampler.
    Mala,
}

/// The public choices of the posterior mechanism.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PosteriorSettings {
    /// How the constants are chosen.
    pub calibration: Calibration,
    /// Which sampler is used.
    pub sampler: SamplerKind,
    /// The noise of the localisation under pure DP.
    pub noise: PureNoise,
    /// A public guess of the number of records; a wrong guess costs utility or time, never privacy. `None` for 10000,
    /// or the largest admissible number if that is less.
    pub expected_rows: Option<u64>,
    /// τ of the minimiser; `None` for the default.
    pub tolerance: Option<f64>,
    /// The longest chain of constrained MALA that is run at all. A plan beyond it is refused.
    pub largest_chain: u64,
}

impl PosteriorSettings {
    /// The longest chain of constrained MALA unless another is given: minutes on a thousand records.
    pub const DEFAULT_LARGEST_CHAIN: u64 = 20_000_000;
}

impl Default for PosteriorSettings {
    fn default() -> Self {
        Self {
            calibration: Calibration::default(),
            sampler: SamplerKind::default(),
            noise: PureNoise::default(),
            expected_rows: None,
            tolerance: None,
            largest_chain: Self::DEFAULT_LARGEST_CHAIN,
        }
    }
}

/// The public plan of `alg:twostage_dp_learner`. spec: `alg:twostage_dp_learner`, `thm:end2end_pure`
#[derive(Clone, Debug, PartialEq)]
pub struct Posterior<L> {
    settings: PosteriorSettings,
    expected_rows: u64,
    ledger: Ledger,
    sample_share: Guarantee,
    noise_share: Guarantee,
    localisation: Localisation<L>,
    /// Of the noise of the localisation.
    norms: NoiseNorms,
}

impl<L: Loss> Posterior<L> {
    /// Most of ε goes to localisation and posterior in equal halves: the error Δ that `asap` covers costs only a
    /// logarithm of computing time.
    const TIGHT_PURE: [u32; 3] = [49, 49, 2];

    /// Under GDP localisation matters for the running time only.
    const TIGHT_GAUSSIAN: [u32; 3] = [5, 94, 1];

    /// The choices.
    pub fn settings(&self) -> &PosteriorSettings {
        &self.settings
    }

    /// The guess of the number of records.
    pub fn expected_rows(&self) -> u64 {
        self.expected_rows
    }

    /// The localisation.
    pub fn localisation(&self) -> &Localisation<L> {
        &self.localisation
    }

    /// Norms of the localisation's noise, at evenly spread probabilities.
    pub(crate) fn norms(&self) -> &NoiseNorms {
        &self.norms
    }

    /// In which arithmetic the guarantee is proved.
    pub fn numerics(&self) -> Numerics {
        match (self.settings.sampler, self.settings.calibration) {
            (SamplerKind::Exact | SamplerKind::Proximal, _) => Numerics::Rigorous,
            (SamplerKind::Mala, Calibration::Tight) => Numerics::RealArithmeticOnly,
            (SamplerKind::Mala, Calibration::Paper(_)) => Numerics::AsymptoticConstants,
        }
    }

    /// Step size, chain length and restarts of constrained MALA by `tab:K_stepsizes`, where that is asked for.
    pub fn paper_chain(&self) -> Result<Option<PaperChain>, Error> {
        let Calibration::Paper(paper) = self.settings.calibration else { return Ok(None) };
        let problem = self.public_problem();
        let chain = match self.sample_share {
            Guarantee::Pure(epsilon) => paper.pure_schedule(&problem, epsilon),
            Guarantee::Gaussian(mu) => paper.gaussian_schedule(&problem, mu),
        };
        Ok(Some(chain?))
    }

    /// The public numbers that the paper's tables are functions of; n and κ are those of the guessed number of rows.
    fn public_problem(&self) -> PublicProblem {
        let (problem, rows) = (self.problem(), self.expected_rows);
        PublicProblem {
            dimension: problem.dimension() as u64,
            rows,
            condition: problem.smoothness(rows) / problem.regulariser(),
            regulariser: problem.regulariser(),
            lipschitz: problem.minimiser_lipschitz(),
        }
    }
}

impl<L: Loss> Mechanism<L> for Posterior<L> {
    type Settings = PosteriorSettings;

    fn plan(problem: &Problem<L>, total: Guarantee, settings: PosteriorSettings) -> Result<Self, Error> {
        let (promised, total) = (total, problem.of_a_record(total)?);
        let expected_rows = Guess::expected(settings.expected_rows, problem.bounds())?.rows();
        let parts = match (settings.calibration, total) {
            (Calibration::Tight, Guarantee::Pure(_)) => Self::TIGHT_PURE,
            (Calibration::Tight, Guarantee::Gaussian(_)) => Self::TIGHT_GAUSSIAN,
            (Calibration::Paper(_), _) => [1; 3],
        };
        let names = ["localise", "posterior", "asap"];
        let (ledger, [localise, sample_share, noise_share]) =
            Ledger::split(total, core::array::from_fn(|k| (names[k], parts[k])))?;
        let ledger = ledger.of_a_person(promised);
        let minimiser = Minimiser::within(problem, settings.tolerance)?;
        let localisation = Localisation::new(minimiser, settings.noise, localise)?;
        let norms = NoiseNorms::new(localisation.noise(), problem.dimension());
        let plan = Self { settings, expected_rows, ledger, sample_share, noise_share, localisation, norms };
        plan.refuse_what_could_fail()?;
        Ok(plan)
    }

    fn problem(&self) -> &Problem<L> {
        self.localisation.minimiser().problem()
    }

    fn ledger(&self) -> &Ledger {
        &self.ledger
    }

    fn predict(&self, guess: &Guess) -> Result<Prediction, Error> {
        self.prediction(guess)
    }

    fn record(&self) -> Result<asap_contracts::Mechanism, Error> {
        Ok(asap_contracts::Mechanism::Posterior(self.record_of(&self.farthest()?)))
    }

    fn run<S: Sums<Loss = L>, R: RandomBits>(&self, sums: &S, rng: &mut R) -> Result<Released, Error> {
        let objective = self.problem().bind(sums)?;
        let (theta_0, found) = self.localisation.run(&objective, rng)?.into_parts();
        let reference = self.reference(&theta_0)?;
        let (theta, cost) = self.second_stage(&reference, &objective, found, rng)?;
        let record = asap_contracts::Mechanism::Posterior(self.record_of(&reference));
        Ok(Released { theta, record, cost })
    }
}

impl<L: Loss> Posterior<L> {
    /// The second stage alone, as a fit runs it: the sample and its noise around a θ_0 that was released before. It
    /// satisfies [`Asap::guarantee`](crate::asap::Asap::guarantee) of the reference; an audit looks at it by itself.
    pub fn run_around<S: Sums<Loss = L>, R: RandomBits>(
        &self,
        reference: &Reference,
        sums: &S,
        rng: &mut R,
    ) -> Result<Vec<f64>, Error> {
        let objective = self.problem().bind(sums)?;
        let found = self.localisation.minimiser().find(&objective)?;
        self.second_stage(reference, &objective, found, rng).map(|(theta, _)| theta)
    }

    fn second_stage<S: Sums<Loss = L>, R: RandomBits>(
        &self,
        reference: &Reference,
        objective: &Objective<'_, S>,
        found: Found,
        rng: &mut R,
    ) -> Result<(Vec<f64>, Private<Cost>), Error> {
        let sample = PosteriorSample::new(self, reference, objective, found);
        let theta = reference.asap().release(&sample, rng)?;
        Ok((theta, Private::new(sample.cost())))
    }

    /// What a certificate says of this mechanism around a θ_0.
    fn record_of(&self, reference: &Reference) -> asap_contracts::Posterior {
        let claim = reference.asap().claim();
        asap_contracts::Posterior {
            calibration: match self.settings.calibration {
                Calibration::Tight => asap_contracts::Calibration::Tight,
                Calibration::Paper(_) => asap_contracts::Calibration::Paper,
            },
            sampler: match self.settings.sampler {
                SamplerKind::Exact => asap_contracts::Sampler::Exact,
                SamplerKind::Proximal => asap_contracts::Sampler::Proximal,
                SamplerKind::Mala => asap_contracts::Sampler::Mala,
            },
            expected_rows: self.expected_rows,
            minimiser: record::minimiser(&self.localisation),
            localisation: asap_contracts::Localisation {
                noise: record::noise(self.localisation.noise()),
                theta_0: reference.ball().centre().to_vec(),
            },
            reference: asap_contracts::Reference {
                centre_norm: reference.centre_norm(),
                radius: reference.ball().radius(),
                lipschitz: reference.lipschitz(),
                gamma: reference.gamma(),
            },
            asap: asap_contracts::Asap {
                norm: claim.norm.number(),
                error: claim.error,
                charge: reference.charge(),
                noise: record::noise(reference.asap().noise()),
            },
        }
    }
}

#[cfg(test)]
mod tests;
