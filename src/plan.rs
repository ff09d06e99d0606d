//! The plan of one mechanism, whichever it is.

use crate::error::Error;
use crate::loss::Loss;
use crate::mechanism::{
    Cost, Mechanism, NoisyGradient, ObjectivePerturbation, Output, Posterior, drawn, issue, record,
};
use crate::noise::RandomBits;
use crate::objective::Sums;
use crate::prediction::{Guess, Prediction};
use crate::privacy::Guarantee;
use crate::private::Private;
use crate::problem::Problem;
use crate::release::Release;
use asap_contracts::{Certificate, CheckFailed, Choice, Numerics};

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

/// What a certificate cannot say: it has the problem and the budget of the plan only.
const AS_ASKED: &str = "plan is one of the problem and the budget that were asked for";

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

    /// The same plan, if the contracts accept its public numbers and it is one of what was asked for: what does not hold is no plan.
    pub(crate) fn accepted(self, problem: &Problem<L>, total: Guarantee) -> Result<Self, Error> {
        let certificate = self.at_zero()?;
        certificate.decide().map_err(Error::Refused)?;
        if self.problem() != problem || certificate.guarantee() != record::guarantee(total) {
            return Err(Error::Refused(CheckFailed::Clause { spec: "own:contracts", clause: AS_ASKED }));
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

    /// The problem that was planned for.
    pub fn problem(&self) -> &Problem<L> {
        each!(&self.planned, plan => plan.problem())
    }

    /// The certificate of a release at 0.
    pub(crate) fn at_zero(&self) -> Result<Certificate, Error> {
        let certificate = each!(&self.planned, plan => record::at_zero(plan))?;
        Ok(Certificate { choice: self.choice.clone(), ..certificate })
    }

    /// Runs on records of the planned problem. What comes out was not checked, and nothing was entered: both are the caller's part.
    pub(crate) fn drawn<S: Sums<Loss = L>, R: RandomBits>(
        &self,
        records: &S,
        rng: &mut R,
    ) -> Result<Certificate, Error> {
        let (certificate, _) = each!(&self.planned, plan => drawn(plan, self.choice.as_ref(), records, rng))?;
        Ok(certificate)
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bounds::Bounds;
    use crate::loss::Logistic;
    use crate::mechanism::OutputSettings;
    use crate::privacy::{Epsilon, Neighbours};

    fn pure(epsilon: f64) -> Guarantee {
        Guarantee::Pure(Epsilon::new(epsilon).unwrap())
    }

    fn planned(problem: &Problem<Logistic>, total: Guarantee) -> Plan<Logistic> {
        Plan::of(Planned::Output(Output::plan(problem, total, OutputSettings::default()).unwrap()))
    }

    fn refused(plan: Plan<Logistic>, problem: &Problem<Logistic>) -> &'static str {
        match plan.accepted(problem, pure(1.0)) {
            Err(Error::Refused(why)) => why.clause(),
            _ => "",
        }
    }

    /// Twice the budget, other neighbours, another regulariser: the certificate of each holds, and each is refused all the same. Red where
    /// the contracts alone accept, as they did: a fit that was asked for 1 was released with 2, and the ledger had 1.
    #[test]
    fn a_plan_is_one_of_what_was_asked_for() {
        let problem = Problem::new(Logistic, Bounds::new(1.0).unwrap(), 2, 5.0).unwrap();
        assert!(planned(&problem, pure(1.0)).accepted(&problem, pure(1.0)).is_ok());
        let replacing = problem.clone().with_neighbours(Neighbours::ReplaceOne).unwrap();
        let others = [
            planned(&problem, pure(2.0)),
            planned(&problem.clone().with_regulariser(6.0).unwrap(), pure(1.0)),
        ];
        for other in others {
            assert!(other.at_zero().unwrap().decide().is_ok());
            assert_eq!(refused(other, &problem), AS_ASKED);
        }
        assert_eq!(refused(planned(&problem, pure(1.0)), &replacing), AS_ASKED);
    }

    /// A choice that does not name its mechanism is refused before anything is spent. Red where it was decided with the release only.
    #[test]
    fn a_choice_is_decided_before_the_draw() {
        let problem = Problem::new(Logistic, Bounds::new(1.0).unwrap(), 2, 5.0).unwrap();
        let choice =
            Choice { rows: 100, curvature: None, pass_price: 0.0, compared: Vec::new(), regulariser: None };
        let plan = planned(&problem, pure(1.0)).chosen(choice);
        assert_eq!(refused(plan, &problem), "mechanism is the one with the least predicted price");
    }
}
