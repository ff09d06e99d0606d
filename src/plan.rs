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

    /// The same plan, if the contracts accept its public numbers and it is one of what was asked for: what
    /// does not hold is no plan.
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
        match &self.planned {
            Planned::Posterior(plan) => plan.numerics(),
            Planned::Objective(_) | Planned::NoisyGradient(_) | Planned::Output(_) => Numerics::Rigorous,
        }
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

    /// Runs on records of the planned problem. What comes out was not checked, and nothing was entered:
    /// both are the caller's part.
    pub(crate) fn drawn<S: Sums<Loss = L>, R: RandomBits>(
        &self,
        records: &S,
        rng: &mut R,
    ) -> Result<Certificate, Error> {
        let (certificate, _) = each!(&self.planned, plan => drawn(plan, self.choice.as_ref(), records, rng))?;
        Ok(certificate)
    }

    /// Runs on records of the planned problem, and issues the certificate. From here on noise is drawn: a fit that does
    /// not come back has spent its budget.
    pub fn release<S: Sums<Loss = L>, R: RandomBits>(
        &self,
        records: &S,
        rng: &mut R,
    ) -> Result<(Release, Private<Cost>), Error> {
        self.release_entered(records, rng, || Ok(()), core::convert::identity).map(|(released, ())| released)
    }

    /// The same for a fit that is entered into a ledger: after all that can be refused, and before the first draw.
    /// `failed` says what an error is to the caller.
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
    use crate::learner::Learner;
    use crate::loss::{Logistic, Squared};
    use crate::mechanism::OutputSettings;
    use crate::privacy::{Epsilon, Neighbours};
    use asap_contracts::Price;

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

    /// Twice the budget, other neighbours, another regulariser: the certificate of each holds, and each is refused
    /// all the same. Red where the contracts alone accept, as they did: a fit that was asked for 1 was released with
    /// 2, and the ledger had 1.
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

    /// A choice that does not name its mechanism is refused before anything is spent. Red where it was
    /// decided with the release only.
    #[test]
    fn a_choice_is_decided_before_the_draw() {
        let problem = Problem::new(Logistic, Bounds::new(1.0).unwrap(), 2, 5.0).unwrap();
        let choice =
            Choice { rows: 100, curvature: None, pass_price: 0.0, compared: Vec::new(), regulariser: None };
        let plan = planned(&problem, pure(1.0)).chosen(choice);
        assert_eq!(refused(plan, &problem), "mechanism is the one with the least predicted price");
    }

    fn near(computed: f64, expected: f64, within: f64) {
        assert!((computed / expected - 1.0).abs() < within, "{computed} instead of {expected}");
    }

    /// The squared loss ties nothing: the Jacobian takes ln(1 + 1/5), the noise a hundredth, and the tilt the rest. On
    /// a ball of radius 2 with targets up to 1 the slope is 3 at most.
    #[test]
    fn a_jacobian_that_is_paid_apart_by_hand() {
        let bounds = Bounds::new(1.0).unwrap().with_target(1.0).unwrap().with_max_rows(1000).unwrap();
        let learner = Learner::new(5.0).parameter_bound(2.0).expected_rows(100).epsilon(1.0).unwrap();
        let problem = learner.problem(Squared, bounds, 2).unwrap();
        let plan = learner.objective(&problem).unwrap();
        let spent: Vec<f64> =
            plan.ledger().shares().iter().map(|share| share.guarantee.parameter()).collect();
        let jacobian = 1.2_f64.ln();
        near(spent[0], 0.99 - jacobian, 1e-7);
        near(spent[1], jacobian, 1e-7);
        near(spent[2], 0.01, 1e-12);
        assert!(plan.price() == Price::Apart && plan.radius() == 2.0 && spent.len() == 3);
        near(plan.lipschitz(), 3.0, 1e-7);
        near(plan.tilt().whole().unwrap().scale(), 3.0 / (0.99 - jacobian), 1e-6);
        // What the Jacobian alone would take nearly all of is refused.
        assert!(learner.epsilon(0.18).unwrap().objective(&problem).is_err());
    }

    /// T steps of ε/T, or of μ/√T, on a lattice with steps of at most Δ/(4096√d).
    #[test]
    fn a_descent_by_hand() {
        let learner = Learner::new(5.0).expected_rows(1000).gradient_steps(9);
        let bounds = Bounds::new(1.0).unwrap().with_max_rows(10_000).unwrap();
        for (learner, share) in
            [(learner.epsilon(1.0).unwrap(), 1.0 / 9.0), (learner.mu(1.0).unwrap(), 1.0 / 3.0)]
        {
            let problem = learner.problem(Logistic, bounds.clone(), 4).unwrap();
            let plan = learner.noisy_gradient(&problem).unwrap();
            assert_eq!((plan.schedule().steps, plan.expected_rows()), (9, 1000));
            near(plan.step_share().parameter(), share, 1e-7);
            near(plan.sensitivity(), 1.0, 1e-6);
            let step = plan.noise().lattice().step();
            let finest = plan.sensitivity() / 8192.0;
            assert!(step <= finest && 2.0 * step > finest);
            // Rounding adds √d steps; the scale is a whole number of them.
            near(plan.noise().scale(), (plan.sensitivity() + 2.0 * step) / share, 1e-4);
            for bad in [0, (1 << 20) + 1] {
                assert!(learner.gradient_steps(bad).noisy_gradient(&problem).is_err());
            }
        }
    }

    /// √d times the largest coordinate, which is R + 1024 scales of the noise, rounded to the lattice; and one part in
    /// 10⁹. The lattice is the coarsest with steps of at most Δ/(4096√d).
    #[test]
    fn the_farthest_release_by_hand() {
        for learner in [Learner::new(5.0).epsilon(1.0).unwrap(), Learner::new(5.0).mu(0.5).unwrap()] {
            let problem = learner.problem(Logistic, Bounds::new(1.0).unwrap(), 4).unwrap();
            let output = learner.output(&problem).unwrap();
            let (it, step) = (output.perturbation(), output.perturbation().noise().lattice().step());
            let finest = it.sensitivity() / 8192.0;
            assert!(step <= finest && 2.0 * step > finest, "{step} {finest}");
            let limit = ((problem.largest_minimiser() + 1024.0 * it.noise().scale()) / step).round() * step;
            assert!((it.farthest() / (2.0 * limit) - 1.0 - 1e-9).abs() < 1e-13);
        }
    }
}
