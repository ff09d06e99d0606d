//! All mechanisms side by side.

use crate::cost::{Kept, Pass};
use crate::failure::Failure;
use asap_contracts::Numerics;
use asap_dp::comparison::Comparison;
use asap_dp::loss::Targets;
use asap_dp::prediction::Prediction;
use asap_dp::verdict::Worth;
use asap_dp::{Loss, MechanismKind, Problem};
use serde_json::{Map, Value, json};

pub(super) struct Compared {
    pub(super) rows: Vec<ComparedRow>,
    /// What the best model is taken to gain over the trivial one.
    pub(super) gain: f64,
    /// The number of rows that everything is predicted for.
    pub(super) expected: u64,
    targets: Targets,
}

/// One mechanism of the comparison.
pub(super) struct ComparedRow {
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
        let least = best.and_then(|best| best.prediction()).map_or(f64::NAN, |best| best.worth);
        let rows = comparison.candidates().iter().map(|candidate| {
            let is_best = best.is_some_and(|best| best.kind == candidate.kind);
            let outcome = match &candidate.outcome {
                Ok((plan, prediction)) => Ok((*prediction, plan.numerics())),
                Err(error) => Err(Failure::of_plan(error).to_string()),
            };
            let why = match (&outcome, is_best, asked == Some(candidate.kind)) {
                (Err(reason), ..) => format!("refused: {reason}"),
                (Ok(_), true, _) => "best, counting its passes".to_owned(),
                (Ok((prediction, _)), false, asked) => {
                    let less = 100.0 * (least - prediction.worth);
                    let but = if asked { ", but you chose it" } else { "" };
                    if less > 0.05 {
                        format!("{less:.1} % less of what can be learnt{but}")
                    } else {
                        format!("as good, with more passes{but}")
                    }
                }
            };
            ComparedRow { kind: candidate.kind, outcome, chosen: chosen == Some(candidate.kind), why }
        });
        Self {
            rows: rows.collect(),
            gain: comparison.guess().landscape(problem).gain(),
            expected: comparison.guess().rows(),
            targets: problem.loss().targets(),
        }
    }

    /// The prediction of the chosen mechanism.
    pub(super) fn chosen(&self) -> Option<&Prediction> {
        let chosen = self.rows.iter().find(|row| row.chosen)?;
        chosen.outcome.as_ref().ok().map(|(prediction, _)| prediction)
    }

    /// What the release is worth; `None` if there is none.
    pub(super) fn worth(&self) -> Option<Worth> {
        Some(Worth::of(self.chosen()?, self.targets))
    }

    /// The part of one row.
    pub(super) fn per_row(&self, total: f64) -> f64 {
        total / self.expected as f64
    }

    /// What a comparison says in addition to its mechanisms.
    pub(super) fn add_to(&self, shown: &mut Map<String, Value>, pass: Option<Pass>) {
        let more = json!({
            "mechanisms": self.to_json(pass),
            "expected_rows": self.expected,
            "trivial_model_loses": self.gain,
            "trivial_model_loses_per_row": self.per_row(self.gain),
            "worse_than_nothing": self.worth() == Some(Worth::Useless),
            "useful": self.worth() == Some(Worth::Useful),
        });
        if let Value::Object(more) = more {
            shown.extend(more);
        }
    }

    fn to_json(&self, pass: Option<Pass>) -> Value {
        let row = |row: &ComparedRow| {
            let prediction = row.outcome.as_ref().ok();
            json!({
                "name": row.kind.name(),
                "predicted_excess": prediction.map(|(it, _)| it.likely),
                "worth": prediction.map(|(it, _)| it.worth),
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
