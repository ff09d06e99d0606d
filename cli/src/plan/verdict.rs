//! A plan's verdict in words, and the number of rows from which it would be a good one.

use super::compared::{Compared, Worth};
use super::report::rounded;
use super::{Arguments, Planned};
use crate::arguments::Problem;
use crate::failure::Failure;
use asap_dp::Loss;

/// What a plan and a fit say when the forecast is bad.
pub(crate) const WORSE_THAN_NOTHING: &str = "The release is predicted to be WORSE than θ = 0, which needs no records: more \
    rows (--expected-rows, if there are more), a larger --epsilon or --mu, or a larger --regulariser would help.";

impl Planned<'_> {
    /// The verdict in one sentence.
    pub(super) fn verdict(&self) -> String {
        let worth = match self.compared.worth() {
            None => "No mechanism is possible",
            Some(Worth::Worse) => "Worse than predicting nothing",
            Some(Worth::Little) => "Better than predicting nothing, but not by much",
            Some(Worth::Useful) => "Useful",
        };
        let most = self.arguments.problem.max_rows;
        match self.useful_from {
            Some(rows) => format!("{worth}; useful from about n = {rows}."),
            None => format!("{worth}; no number of rows up to --max-rows, {most}, is enough to be useful."),
        }
    }

    pub(super) fn verdict_with_reasons(&self) -> String {
        let Compared { nothing, comparator, bias, .. } = self.compared;
        let per_row = |total: f64| rounded(self.compared.per_row(total));
        let excess = self.compared.chosen().map_or_else(|| "-".to_owned(), |it| per_row(it.likely));
        let sum = self.compared.sum_per_row().map_or_else(|| "-".to_owned(), rounded);
        let warning = if self.compared.is_worse_than_nothing() {
            format!("{WORSE_THAN_NOTHING}\n")
        } else {
            String::new()
        };
        format!(
            "{}\n{warning}Per row: the predicted excess is {excess}; θ = 0, without any record, loses at most {}. Beware: a \
             larger --regulariser lowers the\nexcess, because it pulls the model towards 0, and that may cost accuracy. Against \
             the best model of norm {} (--comparator-norm)\nthe regulariser costs at most {} per row, {sum} with the excess. \
             Useful means that this sum is at most {} % of what\nθ = 0 loses. --sweep regulariser=FROM:TO looks for the least \
             sum.\n",
            self.verdict(),
            per_row(nothing),
            rounded(comparator),
            per_row(bias),
            100.0 * Worth::USEFUL_PART,
        )
    }
}

/// The number of rows, two digits, from which the release is useful; `None` if that is more than --max-rows.
///
/// Looked for among the powers of two, from above: a smaller number that is useful by itself, with larger ones that are not, is not
/// taken. Then between the last power that is not useful and the next one.
pub(super) fn useful_from<L: Loss>(arguments: &Arguments, loss: L) -> Option<u64> {
    let most = arguments.problem.max_rows;
    let useful =
        |rows: u64| with_rows(arguments, loss, rows).is_ok_and(|it| it.worth() == Some(Worth::Useful));
    let (mut enough, mut too_few) = (most, 0);
    if !useful(most) {
        return None;
    }
    let powers = (0..64).map(|k| 1_u64 << k).take_while(|rows| *rows < most).collect::<Vec<_>>();
    for rows in powers.into_iter().rev() {
        if !useful(rows) {
            too_few = rows;
            break;
        }
        enough = rows;
    }
    // Two digits are enough, and nobody predicts more.
    while enough - too_few > 1 + enough / 64 {
        let middle = too_few + (enough - too_few) / 2;
        *(if useful(middle) { &mut enough } else { &mut too_few }) = middle;
    }
    let unit = 10_u64.pow(enough.ilog10().saturating_sub(1));
    Some(enough.div_ceil(unit).saturating_mul(unit).min(most))
}

/// The comparison for another number of rows, with their curvature in proportion.
#[allow(clippy::cast_precision_loss, reason = "a guess")]
fn with_rows<L: Loss>(arguments: &Arguments, loss: L, rows: u64) -> Result<Compared, Failure> {
    let guessed = arguments.problem.expected_rows.unwrap_or(arguments.rows);
    let curvature = arguments.problem.curvature.map(|it| it * rows as f64 / guessed as f64);
    let problem = Problem { expected_rows: Some(rows), curvature, ..arguments.problem.clone() };
    let arguments = Arguments { problem, rows, ..arguments.clone() };
    let (learner, public) = arguments.public(loss)?;
    arguments.compare(&learner, &public)
}
