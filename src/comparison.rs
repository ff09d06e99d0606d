//! Which mechanism is the best for a problem: the least predicted excess risk, by public numbers. spec: `own:auto`

use crate::error::Error;
use crate::loss::Loss;
use crate::plan::{MechanismKind, Plan};
use crate::prediction::{Guess, Prediction};
use asap_contracts::{Choice, Compared};

/// All mechanisms side by side, for one problem, one budget and one guess of the records. Public throughout. spec: `own:auto`
#[derive(Debug)]
pub struct Comparison<L> {
    guess: Guess,
    candidates: Vec<Candidate<L>>,
}

/// One of the mechanisms that were compared.
#[derive(Debug)]
pub struct Candidate<L> {
    /// Which one.
    pub kind: MechanismKind,
    /// Its plan and what it will be worth, or why it is refused.
    pub outcome: Result<(Plan<L>, Prediction), Error>,
}

impl<L> Candidate<L> {
    /// What is predicted; `None` where the mechanism is refused.
    pub fn prediction(&self) -> Option<&Prediction> {
        self.outcome.as_ref().ok().map(|(_, prediction)| prediction)
    }

    /// What the mechanisms are ordered by.
    fn likely(&self) -> f64 {
        self.prediction().map_or(f64::INFINITY, |prediction| prediction.likely)
    }
}

impl<L: Loss> Comparison<L> {
    /// Plans every mechanism, and predicts it where it is not refused.
    pub(crate) fn new(guess: Guess, plan: impl Fn(MechanismKind) -> Result<Plan<L>, Error>) -> Self {
        let candidate = |kind| {
            let outcome = plan(kind).and_then(|plan| {
                let prediction = plan.predict(&guess)?;
                Ok((plan, prediction))
            });
            Candidate { kind, outcome }
        };
        Self { guess, candidates: MechanismKind::ALL.into_iter().map(candidate).collect() }
    }

    /// The guess that the predictions are made with.
    pub fn guess(&self) -> &Guess {
        &self.guess
    }

    /// The mechanisms, the planned ones and the refused ones.
    pub fn candidates(&self) -> &[Candidate<L>] {
        &self.candidates
    }

    /// The mechanism with the least predicted excess risk; `None` if all are refused.
    pub fn best(&self) -> Option<&Candidate<L>> {
        let planned = self.candidates.iter().filter(|candidate| candidate.outcome.is_ok());
        planned.min_by(|a, b| a.likely().total_cmp(&b.likely()))
    }

    /// The plan of the best mechanism; why the first one is refused, if all are.
    pub(crate) fn into_best(mut self) -> Result<Plan<L>, Error> {
        let choice = self.recorded();
        let best = self.best().map(|best| best.kind);
        let place = self.candidates.iter().position(|candidate| Some(candidate.kind) == best).unwrap_or(0);
        let (plan, _) = self.candidates.swap_remove(place).outcome?;
        Ok(plan.chosen(choice))
    }

    /// The comparison as a certificate has it.
    fn recorded(&self) -> Choice {
        let compared = |candidate: &Candidate<L>| Compared {
            mechanism: candidate.kind.name().to_owned(),
            predicted: candidate.prediction().map(|prediction| prediction.likely),
        };
        Choice {
            rows: self.guess.rows(),
            curvature: self.guess.curvature(),
            compared: self.candidates.iter().map(compared).collect(),
        }
    }
}
