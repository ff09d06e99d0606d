//! Private learners: each is planned from public numbers, keeps a ledger, and runs on a source of sums.

mod noisy_gradient;
mod objective;
mod output;
mod posterior;
pub(crate) mod record;

pub use noisy_gradient::{Descent, NoisyGradient, NoisyGradientSettings};
pub use objective::{ObjectivePerturbation, ObjectiveSettings, TiltedSample};
pub use output::{Output, OutputSettings};
pub(crate) use posterior::PASSES_PER_STEP;
pub use posterior::{
    Calibration, PlannedChain, Posterior, PosteriorSample, PosteriorSettings, Reference, Risk, SamplerKind,
};

use crate::error::Error;
use crate::ledger::Ledger;
use crate::loss::Loss;
use crate::noise::RandomBits;
use crate::objective::Sums;
use crate::passage::in_order;
use crate::prediction::{Guess, Prediction};
use crate::privacy::Guarantee;
use crate::private::Private;
use crate::problem::Problem;
use crate::release::Release;
use crate::sampler::Effort;
use asap_contracts::{Certificate, Choice};

/// A private learner.
/// spec: `alg:twostage_dp_learner`, `alg:outpert`, `own:objective-perturbation`, `own:noisy-gradient`
pub trait Mechanism<L: Loss>: Sized {
    /// The public choices other than problem and budget.
    type Settings;

    /// Splits the budget and calibrates everything that does not depend on records; refuses what could fail or never
    /// end later. What it comes to is a proposal: the contracts decide before anything is drawn.
    fn plan(problem: &Problem<L>, total: Guarantee, settings: Self::Settings) -> Result<Self, Error>;

    /// The problem that was planned for.
    fn problem(&self) -> &Problem<L>;

    /// How the budget is spent.
    fn ledger(&self) -> &Ledger;

    /// What it will be worth, by public numbers and guesses.
    fn predict(&self, guess: &Guess) -> Result<Prediction, Error>;

    /// What a certificate says of the mechanism before anything is drawn: of the posterior, for the
    /// farthest θ_0 that can come out.
    fn record(&self) -> Result<asap_contracts::Mechanism, Error>;

    /// Runs on records of the planned problem.
    fn run<S: Sums<Loss = L>, R: RandomBits>(&self, sums: &S, rng: &mut R) -> Result<Released, Error>;

    /// Asks the contracts whether the plan holds, runs with bits of its own, and issues the certificate. A release that
    /// does not pass its own check does not leave: the budget is spent then, and [`Error::NotReleased`] says so.
    fn release<S: Sums<Loss = L>, R: RandomBits>(
        &self,
        sums: &S,
        rng: &mut R,
    ) -> Result<(Release, Private<Cost>), Error> {
        let (released, ()) = issue(self, None, false, sums, rng, || Ok(()), core::convert::identity)?;
        Ok(released)
    }
}

/// Asks the contracts whether the plan holds, unless they accepted it already; enters the fit; runs the mechanism, and
/// issues the certificate, which says why the mechanism was chosen if there was a choice. What leaves was checked.
pub(crate) fn issue<L: Loss, M: Mechanism<L>, S: Sums<Loss = L>, R: RandomBits, N, E>(
    mechanism: &M,
    choice: Option<&Choice>,
    accepted: bool,
    sums: &S,
    rng: &mut R,
    enter: impl FnOnce() -> Result<N, E>,
    failed: impl Fn(Error) -> E,
) -> Result<((Release, Private<Cost>), N), E> {
    let ((certificate, cost), entered) = in_order(
        rng,
        |_| if accepted { Ok(()) } else { record::decide(mechanism).map_err(&failed) },
        |rng| {
            // Whatever can fail without a draw fails before the fit is entered.
            rng.begin().map_err(|error| failed(error.into()))?;
            enter()
        },
        |rng, _| drawn(mechanism, choice, sums, rng).map_err(&failed),
        |_, (certificate, _)| {
            certificate.decide().map(drop).map_err(|clause| failed(Error::NotReleased(clause)))
        },
    )?;
    // No columns have names yet: the numbers are all that there is to check, and the code that adds names checks these.
    Ok(((Release::new(certificate), cost), entered))
}

/// Runs the mechanism: the certificate of what came out, which has not been checked yet.
pub(crate) fn drawn<L: Loss, M: Mechanism<L>, S: Sums<Loss = L>, R: RandomBits>(
    mechanism: &M,
    choice: Option<&Choice>,
    sums: &S,
    rng: &mut R,
) -> Result<(Certificate, Private<Cost>), Error> {
    let Released { theta, record, cost } = mechanism.run(sums, rng)?;
    let certificate = record::certificate(mechanism, theta, record, R::PROVENANCE);
    Ok((Certificate { choice: choice.cloned(), ..certificate }, cost))
}

/// What a mechanism releases, and what the run cost.
pub struct Released {
    /// The released parameters.
    pub theta: Vec<f64>,
    /// Every public number between the budget and the released bits.
    pub record: asap_contracts::Mechanism,
    /// What it cost. Depends on the records.
    pub cost: Private<Cost>,
}

/// What a run cost. Depends on the records: for tests and developers on public data only.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Cost {
    /// Passes over the records for values, gradients or divergences.
    pub passes: u64,
    /// Passes over the records for matrices: each counts about d/2 of the others.
    pub matrices: f64,
    /// What the sampler did.
    pub sampler: Effort,
    /// Whether the proximal sampler drew in place of another one.
    pub fell_back: bool,
}

#[cfg(test)]
mod tests;
