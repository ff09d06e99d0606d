//! Medians and quartiles of every cell, and the one CSV file.

use crate::setting::LossKind;
use crate::store::CellOutcome;
use crate::study::{Part, Study};
use crate::system::System;
use asap_dp::privacy::Guarantee;
use std::fmt::Write;

/// One cell, summed up.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// Its figure.
    pub part: Part,
    /// The data set.
    pub name: String,
    /// How it is scaled; the loss, for the sweep.
    pub variant: String,
    /// The loss.
    pub loss: LossKind,
    /// d.
    pub dimension: usize,
    /// The total budget.
    pub total: Guarantee,
    /// τ: the curvature ratio.
    pub tau: f64,
    /// Who ran.
    pub system: System,
    /// Runs.
    pub runs: usize,
    /// First quartile, median, third quartile; none if it was refused.
    pub quartiles: Option<[f64; 3]>,
    /// Numbers worth knowing, or why it was refused.
    pub notes: String,
}

impl Row {
    /// Whether the guarantee is ε.
    pub fn pure(&self) -> bool {
        matches!(self.total, Guarantee::Pure(_))
    }

    /// The median, if it ran.
    pub fn median(&self) -> Option<f64> {
        self.quartiles.map(|[_, median, _]| median)
    }
}

/// One row for each cell, in their order.
pub fn rows(study: &Study, outcomes: &[CellOutcome]) -> Vec<Row> {
    let row = |(cell, outcome): (&crate::study::StudyCell, &CellOutcome)| {
        let setting = &study.settings()[cell.setting];
        let (runs, quartiles, notes) = match outcome {
            CellOutcome::Measured(measured) => {
                (measured.excess.len(), quartiles(&measured.excess), measured.notes.clone())
            }
            CellOutcome::Refused(reason) => (0, None, format!("refused: {reason}")),
        };
        Row {
            part: cell.part,
            name: setting.name.clone(),
            variant: setting.variant.clone(),
            loss: setting.loss(),
            dimension: setting.dimension(),
            total: cell.total,
            tau: setting.curvature_ratio(),
            system: cell.system,
            runs,
            quartiles,
            notes,
        }
    };
    study.cells().iter().zip(outcomes).map(row).collect()
}

/// Quartiles with linear interpolation between the order statistics; none of nothing.
pub fn quartiles(values: &[f64]) -> Option<[f64; 3]> {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let last = sorted.len().checked_sub(1)?;
    let at = |p: f64| {
        let place = p * last as f64;
        #[allow(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "not above the last place"
        )]
        let below = place.floor() as usize;
        let (low, high) = (sorted[below], sorted[(below + 1).min(last)]);
        low + (high - low) * (place - below as f64)
    };
    Some([at(0.25), at(0.5), at(0.75)])
}

/// The tidy file: one line for each cell.
pub fn csv(rows: &[Row]) -> String {
    let mut text = String::from(
        "part,data,variant,loss,dimension,guarantee,budget,tau,system,standing,runs,first_quartile,median,third_quartile,notes\n",
    );
    for row in rows {
        let kind = if row.pure() { "epsilon" } else { "mu" };
        let numbers = row.quartiles.map_or(",,".to_owned(), |[first, median, third]| {
            format!("{first:.6e},{median:.6e},{third:.6e}")
        });
        let _ = writeln!(
            text,
            "{},{},{},{},{},{kind},{},{:.6},{},{},{},{numbers},{}",
            row.part.id(),
            row.name,
            row.variant,
            row.loss.id(),
            row.dimension,
            row.total.parameter(),
            row.tau,
            row.system.id(),
            row.system.standing().name(),
            row.runs,
            quoted(&row.notes)
        );
    }
    text
}

fn quoted(text: &str) -> String {
    if text.contains([',', '"', '\n', ';']) {
        format!("\"{}\"", text.replace('"', "\"\""))
    } else {
        text.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// By hand, and as numpy's default has it.
    #[test]
    fn quartiles_of_hand_picked_values() {
        assert_eq!(quartiles(&[3.0, 1.0, 2.0, 5.0, 4.0]), Some([2.0, 3.0, 4.0]));
        assert_eq!(quartiles(&[1.0, 2.0, 3.0, 4.0]), Some([1.75, 2.5, 3.25]));
        assert_eq!(quartiles(&[7.0]), Some([7.0; 3]));
        assert_eq!(quartiles(&[]), None);
    }

    #[test]
    fn cells_with_commas_are_quoted() {
        assert_eq!(quoted("a, \"b\""), "\"a, \"\"b\"\"\"");
        assert_eq!(quoted("κ"), "κ");
    }
}
