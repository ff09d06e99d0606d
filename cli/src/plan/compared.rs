//! All mechanisms side by side.

use super::report::ratio;
use crate::cost::{Kept, Pass};
use crate::failure::Failure;
use asap_contracts::Numerics;
use asap_dp::comparison::Comparison;
use asap_dp::prediction::{Comparator, Prediction};
use asap_dp::{Loss, MechanismKind, Problem};
use serde_json::{Map, Value, json};

pub(super) struct Compared {
    pub(super) rows: Vec<Row>,
    /// Not below what θ = 0 loses.
    pub(super) nothing: f64,
    /// The number of rows that everything is predicted for.
    pub(super) expected: u64,
    /// ρ: the norm of the models that the bias is about.
    pub(super) comparator: f64,
    /// What the regulariser may cost against them.
    pub(super) bias: f64,
}

/// What a release is worth, by public numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Worth {
    /// Its excess is larger than what θ = 0 loses at most.
    Worse,
    /// Better than nothing, but not by much.
    Little,
    /// Excess and bias are a small part of what θ = 0 loses at most.
    Useful,
}

impl Worth {
    /// A release is called useful when excess and bias together are at most this part of what θ = 0 loses at most.
    pub(super) const USEFUL_PART: f64 = 0.1;
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
        comparator: Comparator,
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
        Self {
            rows: rows.collect(),
            nothing: comparison.guess().loss_of_nothing(problem),
            expected: comparison.guess().rows(),
            comparator: comparator.norm(),
            bias: comparator.bias(problem, comparison.guess().rows()),
        }
    }

    /// The prediction of the chosen mechanism.
    pub(super) fn chosen(&self) -> Option<&Prediction> {
        let chosen = self.rows.iter().find(|row| row.chosen)?;
        chosen.outcome.as_ref().ok().map(|(prediction, _)| prediction)
    }

    /// Whether the release is predicted to be worse than none at all.
    pub(super) fn is_worse_than_nothing(&self) -> bool {
        self.worth() == Some(Worth::Worse)
    }

    /// What the release is worth; `None` if there is none.
    pub(super) fn worth(&self) -> Option<Worth> {
        let excess = self.chosen()?.likely;
        Some(if excess > self.nothing {
            Worth::Worse
        } else if excess + self.bias > Worth::USEFUL_PART * self.nothing {
            Worth::Little
        } else {
            Worth::Useful
        })
    }

    /// Excess and bias of the chosen mechanism, for one row.
    pub(super) fn sum_per_row(&self) -> Option<f64> {
        Some(self.per_row(self.chosen()?.likely + self.bias))
    }

    /// The part of one row.
    pub(super) fn per_row(&self, total: f64) -> f64 {
        total / self.expected as f64
    }

    /// What a comparison says besides its mechanisms.
    pub(super) fn add_to(&self, shown: &mut Map<String, Value>, pass: Option<Pass>) {
        let more = json!({
            "mechanisms": self.to_json(pass),
            "expected_rows": self.expected,
            "nothing_loses_at_most": self.nothing,
            "nothing_loses_at_most_per_row": self.per_row(self.nothing),
            "worse_than_nothing": self.is_worse_than_nothing(),
            "comparator_norm": self.comparator,
            "regularisation_bias": self.bias,
            "regularisation_bias_per_row": self.per_row(self.bias),
            "excess_and_bias_per_row": self.sum_per_row(),
            "useful": self.worth() == Some(Worth::Useful),
        });
        if let Value::Object(more) = more {
            shown.extend(more);
        }
    }

    fn to_json(&self, pass: Option<Pass>) -> Value {
        let row = |row: &Row| {
            let prediction = row.outcome.as_ref().ok();
            json!({
                "name": row.kind.name(),
                "predicted_excess": prediction.map(|(it, _)| it.likely),
                "worst_case_excess": prediction.map(|(it, _)| it.worst),
                "predicted_excess_per_row": prediction.map(|(it, _)| self.per_row(it.likely)),
                "passes": prediction.map(|(it, _)| it.passes),
                "estimated_seconds": pass.zip(prediction).map(|(pass, (it, _))| pass.seconds(it.passes, self.expected, Kept::InMemory)),
                "numerics": prediction.map(|(_, numerics)| numerics),
                "chosen": row.chosen,
                "why": row.why,
            })
        };
        self.rows.iter().map(row).collect()
    }
}
