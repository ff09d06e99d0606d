//! Which mechanism suits a problem best: the one with the smallest predicted loss, judged by public numbers.
//! spec: `own:auto`

use crate::error::Error;
use crate::loss::Loss;
use crate::plan::{MechanismKind, Plan};
use crate::prediction::{Guess, Prediction};
use asap_contracts::{Choice, ChosenRegulariser, Compared};

/// All mechanisms side by side, for one problem, one budget and one guess of the records. Public throughout.
/// spec: `own:auto`
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
    fn price(&self) -> f64 {
        self.prediction().map_or(f64::INFINITY, Prediction::price)
    }
}

impl<L: Loss> Comparison<L> {
    /// Plans every one of these mechanisms, and predicts it where it is not refused.
    pub(crate) fn new(
        kinds: &[MechanismKind],
        guess: Guess,
        plan: impl Fn(MechanismKind) -> Result<Plan<L>, Error>,
    ) -> Self {
        let candidate = |kind| {
            let outcome = plan(kind).and_then(|plan| {
                let prediction = plan.predict(&guess)?;
                Ok((plan, prediction))
            });
            Candidate { kind, outcome }
        };
        Self { guess, candidates: kinds.iter().copied().map(candidate).collect() }
    }

    /// The guess that the predictions are made with.
    pub fn guess(&self) -> &Guess {
        &self.guess
    }

    /// The mechanisms, the planned ones and the refused ones.
    pub fn candidates(&self) -> &[Candidate<L>] {
        &self.candidates
    }

    /// The mechanism with the least price: what it is predicted to miss, and its passes. `None` if all are refused.
    pub fn best(&self) -> Option<&Candidate<L>> {
        let planned = self.candidates.iter().filter(|candidate| candidate.outcome.is_ok());
        planned.min_by(|a, b| a.price().total_cmp(&b.price()))
    }

    /// The plan of the best mechanism; why the first one is refused, if all are.
    pub(crate) fn into_best(mut self, regulariser: Option<ChosenRegulariser>) -> Result<Plan<L>, Error> {
        let choice = self.recorded(regulariser);
        let best = self.best().map(|best| best.kind);
        let place = self.candidates.iter().position(|candidate| Some(candidate.kind) == best).unwrap_or(0);
        let (plan, _) = self.candidates.swap_remove(place).outcome?;
        Ok(plan.chosen(choice))
    }

    /// The comparison as a certificate has it.
    fn recorded(&self, regulariser: Option<ChosenRegulariser>) -> Choice {
        let compared = |candidate: &Candidate<L>| Compared {
            mechanism: candidate.kind.name().to_owned(),
            predicted: candidate.prediction().map(Prediction::missed),
            passes: candidate.prediction().map(|prediction| prediction.passes),
        };
        Choice {
            rows: self.guess.rows(),
            curvature: self.guess.curvature(),
            regulariser,
            pass_price: Prediction::PASS_PRICE,
            compared: self.candidates.iter().map(compared).collect(),
        }
    }
}
