//! All mechanisms side by side.

use super::report::ratio;
use crate::failure::Failure;
use asap_checker::Numerics;
use asap_dp::comparison::Comparison;
use asap_dp::prediction::Prediction;
use asap_dp::{Loss, MechanismKind, Problem};
use serde_json::{Value, json};

pub(super) struct Compared {
    pub(super) rows: Vec<Row>,
    /// Not below what θ = 0 loses.
    pub(super) nothing: f64,
}

/// One mechanism of the comparison.
pub(super) struct Row {
    pub(super) kind: MechanismKind,
    pub(super) outcome: Result<(Prediction, Numerics), String>,
    pub(super) chosen: bool,
    pub(super) why: String,
}

impl Compared {
    /// The comparison, with the mechanism that was asked for or else the best one chosen.
    pub(super) fn new<L: Loss>(
        comparison: &Comparison<L>,
        problem: &Problem<L>,
        asked: Option<MechanismKind>,
    ) -> Self {
        let best = comparison.best();
        let chosen = asked.or(best.map(|best| best.kind));
        let least = best.and_then(|best| best.prediction()).map_or(f64::NAN, |best| best.likely);
        let rows = comparison.candidates().iter().map(|candidate| {
            let is_best = best.is_some_and(|best| best.kind == candidate.kind);
            let outcome = match &candidate.outcome {
                Ok((plan, prediction)) => Ok((*prediction, plan.numerics())),
                Err(error) => Err(Failure::of_plan(error).to_string()),
            };
            let why = match (&outcome, is_best, asked == Some(candidate.kind)) {
                (Err(reason), ..) => format!("refused: {reason}"),
                (Ok(_), true, _) => "least predicted excess".to_owned(),
                (Ok((prediction, _)), false, asked) => {
                    let ratio = ratio(prediction.likely / least);
                    format!("{ratio} times the least{}", if asked { ", but asked for" } else { "" })
                }
            };
            Row { kind: candidate.kind, outcome, chosen: chosen == Some(candidate.kind), why }
        });
        Self { rows: rows.collect(), nothing: comparison.guess().loss_of_nothing(problem) }
    }

    /// The prediction of the chosen mechanism.
    fn chosen(&self) -> Option<&Prediction> {
        let chosen = self.rows.iter().find(|row| row.chosen)?;
        chosen.outcome.as_ref().ok().map(|(prediction, _)| prediction)
    }

    /// Whether the release is predicted to be worse than none at all.
    pub(super) fn is_worse_than_nothing(&self) -> bool {
        self.chosen().is_some_and(|prediction| prediction.likely > self.nothing)
    }

    pub(super) fn to_json(&self) -> Value {
        let row = |row: &Row| {
            let prediction = row.outcome.as_ref().ok();
            json!({
                "name": row.kind.name(),
                "predicted_excess": prediction.map(|(it, _)| it.likely),
                "worst_case_excess": prediction.map(|(it, _)| it.worst),
                "passes": prediction.map(|(it, _)| it.passes),
                "numerics": prediction.map(|(_, numerics)| numerics),
                "chosen": row.chosen,
                "why": row.why,
            })
        };
        self.rows.iter().map(row).collect()
    }
}
