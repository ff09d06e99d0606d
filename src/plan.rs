//! The plan of one mechanism, whichever it is.

use crate::error::Error;
use crate::loss::Loss;
use crate::mechanism::{
    Cost, Mechanism, NoisyGradient, ObjectivePerturbation, Output, Posterior, issue, record,
};
use crate::noise::RandomBits;
use crate::objective::Sums;
use crate::prediction::{Guess, Prediction};
use crate::private::Private;
use crate::release::Release;
use asap_contracts::{Choice, Numerics};

/// Which mechanism learns.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MechanismKind {
    /// Objective perturbation ([`ObjectivePerturbation`]).
    Objective,
    /// Noisy gradient descent ([`NoisyGradient`]).
    NoisyGradient,
    /// The posterior sample of the paper ([`Posterior`]).
    Posterior,
    /// Output perturbation alone ([`Output`]).
    Output,
}

impl MechanismKind {
    /// All of them, in the order in which equals are preferred.
    pub const ALL: [Self; 4] = [Self::Objective, Self::NoisyGradient, Self::Posterior, Self::Output];

    /// The name in flags, plans and certificates.
    pub fn name(self) -> &'static str {
        match self {
            Self::Objective => "objective",
            Self::NoisyGradient => "noisy-gradient",
            Self::Posterior => "posterior",
            Self::Output => "output",
        }
    }
}

/// A planned mechanism: public, and fixed before the records are seen.
#[derive(Clone, Debug, PartialEq)]
pub struct Plan<L> {
    planned: Planned<L>,
    choice: Option<Choice>,
    /// Whether the contracts accepted its public numbers.
    accepted: bool,
}

/// One of the mechanisms.
#[derive(Clone, Debug, PartialEq)]
pub enum Planned<L> {
    /// Objective perturbation.
    Objective(ObjectivePerturbation<L>),
    /// Noisy gradient descent.
    NoisyGradient(NoisyGradient<L>),
    /// The posterior sample.
    Posterior(Posterior<L>),
    /// Output perturbation.
    Output(Output<L>),
}

/// Does the same for every mechanism.
macro_rules! each {
    ($planned:expr, $plan:ident => $then:expr) => {
        match $planned {
            Planned::Objective($plan) => $then,
            Planned::NoisyGradient($plan) => $then,
            Planned::Posterior($plan) => $then,
            Planned::Output($plan) => $then,
        }
    };
}

impl<L: Loss> Plan<L> {
    /// A mechanism that was asked for by name.
    pub(crate) fn of(planned: Planned<L>) -> Self {
        Self { planned, choice: None, accepted: false }
    }

    /// The same plan, with why it was chosen.
    pub(crate) fn chosen(self, choice: Choice) -> Self {
        Self { choice: Some(choice), ..self }
    }

    /// The same plan, if the contracts accept its public numbers: what does not hold is no plan.
    pub(crate) fn accepted(self) -> Result<Self, Error> {
        if !self.accepted {
            each!(&self.planned, plan => record::decide(plan))?;
        }
        Ok(Self { accepted: true, ..self })
    }

    /// The mechanism.
    pub fn planned(&self) -> &Planned<L> {
        &self.planned
    }

    /// Which mechanism it is.
    pub fn kind(&self) -> MechanismKind {
        match self.planned {
            Planned::Objective(_) => MechanismKind::Objective,
            Planned::NoisyGradient(_) => MechanismKind::NoisyGradient,
            Planned::Posterior(_) => MechanismKind::Posterior,
            Planned::Output(_) => MechanismKind::Output,
        }
    }

    /// In which arithmetic the guarantee is proved.
    pub fn numerics(&self) -> Numerics {
        each!(&self.planned, plan => plan.numerics())
    }

    /// What it will be worth, by public numbers and guesses.
    pub fn predict(&self, guess: &Guess) -> Result<Prediction, Error> {
        each!(&self.planned, plan => plan.predict(guess))
    }

    /// Runs on records of the planned problem, and issues the certificate. From here on noise is drawn: a fit that does not
    /// come back has spent its budget.
    pub fn release<S: Sums<Loss = L>, R: RandomBits>(
        &self,
        records: &S,
        rng: &mut R,
    ) -> Result<(Release, Private<Cost>), Error> {
        let (released, ()) = self.release_entered(records, rng, || Ok(()), core::convert::identity)?;
        Ok(released)
    }

    /// The same for a fit that is entered into a ledger: after all that can be refused, and before the first draw. `failed` says what an
    /// error is to the caller.
    pub fn release_entered<S: Sums<Loss = L>, R: RandomBits, N, E>(
        &self,
        records: &S,
        rng: &mut R,
        enter: impl FnOnce() -> Result<N, E>,
        failed: impl Fn(Error) -> E,
    ) -> Result<((Release, Private<Cost>), N), E> {
        let (choice, accepted) = (self.choice.as_ref(), self.accepted);
        each!(&self.planned, plan => issue(plan, choice, accepted, records, rng, enter, failed))
    }
}
