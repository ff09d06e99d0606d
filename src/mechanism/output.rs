//! Output perturbation alone: the whole budget on `alg:outpert`.

use super::{Cost, Mechanism, Released, record};
use crate::error::Error;
use crate::ledger::Ledger;
use crate::localise::{Localisation, PureNoise};
use crate::loss::Loss;
use crate::noise::RandomBits;
use crate::objective::Sums;
use crate::optimise::Minimiser;
use crate::prediction::{Effect, Guess, Prediction};
use crate::privacy::Guarantee;
use crate::private::Private;
use crate::problem::Problem;

/// Output perturbation with the whole budget. spec: `alg:outpert`, `lem:OutPert_DP`
///
/// ```
/// use asap_dp::{bounds::Bounds, data::*, loss::Logistic, noise::SecureRng, privacy::*, problem::Problem};
/// use asap_dp::mechanism::{Mechanism, Output, OutputSettings};
/// let problem = Problem::new(Logistic, Bounds::new(1.0)?, 1, 5.0)?;
/// let total = Guarantee::Pure(Epsilon::new(1.0)?);
/// let output = Output::plan(&problem, total, OutputSettings::default())?;
/// let records = Records::new(Logistic, Bounds::new(1.0)?, OutOfBounds::Clip, vec![0.5, 0.7], vec![1.0, 0.0])?;
/// let (release, _) = output.release(&records, &mut SecureRng::new()?)?;
/// release.check()?;
/// # Ok::<(), asap_dp::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Output<L> {
    ledger: Ledger,
    perturbation: Localisation<L>,
}

/// The public choices of output perturbation.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct OutputSettings {
    /// The noise under pure DP.
    pub noise: PureNoise,
    /// τ of the minimiser; `None` for the default.
    pub tolerance: Option<f64>,
}

impl<L: Loss> Output<L> {
    /// The perturbation.
    pub fn perturbation(&self) -> &Localisation<L> {
        &self.perturbation
    }
}

impl<L: Loss> Mechanism<L> for Output<L> {
    type Settings = OutputSettings;

    fn plan(problem: &Problem<L>, total: Guarantee, settings: OutputSettings) -> Result<Self, Error> {
        let minimiser = Minimiser::within(problem, settings.tolerance)?;
        let (promised, total) = (total, problem.of_a_record(total)?);
        let perturbation = Localisation::new(minimiser, settings.noise, total)?;
        Ok(Self { ledger: Ledger::whole(total, "output").of_a_person(promised), perturbation })
    }

    fn problem(&self) -> &Problem<L> {
        self.perturbation.minimiser().problem()
    }

    fn ledger(&self) -> &Ledger {
        &self.ledger
    }

    fn predict(&self, guess: &Guess) -> Result<Prediction, Error> {
        let (problem, d) = (self.problem(), self.problem().dimension());
        let variance = self.perturbation.noise().variance(d);
        let worst = 0.5 * variance * guess.largest_trace(problem);
        let effect = |_: &_| Effect { reached: 1.0, variance };
        Ok(Prediction::new(&guess.landscape(problem), effect, worst, Prediction::search(d)))
    }

    fn record(&self) -> Result<asap_contracts::Mechanism, Error> {
        Ok(asap_contracts::Mechanism::Output(asap_contracts::Output {
            minimiser: record::minimiser(&self.perturbation),
            noise: record::noise(self.perturbation.noise()),
        }))
    }

    fn run<S: Sums<Loss = L>, R: RandomBits>(&self, sums: &S, rng: &mut R) -> Result<Released, Error> {
        let objective = self.problem().bind(sums)?;
        let (theta, _) = self.perturbation.run(&objective, rng)?.into_parts();
        let record = self.record()?;
        let (passes, matrices) = objective.tally();
        let cost = Private::new(Cost { passes, matrices, ..Cost::default() });
        Ok(Released { theta, record, cost })
    }
}
