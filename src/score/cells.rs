//! Every row is divided among cells, and its parts add up to one row. spec: `own:score`

use crate::data::DataError;
use crate::private::Private;
use asap_contracts::Question;

/// A row whose error is scored has so many parts: a step of the finest lattice is one of them.
const PARTS: u32 = 1 << FINEST;
/// The binary logarithm of the number of parts.
pub(super) const FINEST: u32 = 20;
/// More rows are refused: no cell overflows, and each is an `f64`.
const MOST_ROWS: usize = 1 << 32;

/// What was counted, cell by cell, in parts of a row. Private. spec: `own:score`
pub struct Tally {
    question: Question,
    cells: Private<Vec<i64>>,
}

impl Tally {
    /// The number of rows.
    pub fn rows(rows: usize) -> Result<Self, DataError> {
        let mut cells = Cells::of(&Question::Rows, rows)?;
        (0..rows).for_each(|_| cells.add(0, PARTS));
        Ok(cells.counted(&Question::Rows))
    }

    /// For each row what is predicted, the probability of the positive class where there are two, and the target, which
    /// is above 0 in that class; where there are more classes, the number of the predicted one and of the true one.
    pub fn of_predictions(question: &Question, rows: &[(f64, f64)]) -> Result<Self, DataError> {
        match *question {
            Question::Classes { bins, .. } => Self::classes(question, bins, rows),
            Question::Labels { ref classes, .. } => Self::labels(question, classes.len(), rows),
            Question::Errors { low, high, clip, .. } => Self::errors(question, [low, high, clip], rows),
            Question::Rows | Question::Quantile { .. } => Self::rows(rows.len()),
        }
    }

    fn classes(question: &Question, bins: u64, rows: &[(f64, f64)]) -> Result<Self, DataError> {
        let mut cells = Cells::of(question, rows.len())?;
        let edges: Vec<f64> = (1..bins).map(|k| k as f64 / bins as f64).collect();
        for &(probability, target) in rows {
            cells.add(cell_of(bin(&edges, probability), target > 0.0, bins), PARTS);
        }
        Ok(cells.counted(question))
    }

    #[allow(clippy::float_cmp, reason = "labels are whole numbers")]
    fn labels(question: &Question, classes: usize, rows: &[(f64, f64)]) -> Result<Self, DataError> {
        let mut cells = Cells::of(question, rows.len())?;
        for &(predicted, label) in rows {
            #[allow(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "a class; NaN becomes 0"
            )]
            let class = (label as usize).min(classes.saturating_sub(1));
            cells.add(if predicted == label { class } else { classes + class }, PARTS);
        }
        Ok(cells.counted(question))
    }

    fn errors(
        question: &Question,
        [low, high, clip]: [f64; 3],
        rows: &[(f64, f64)],
    ) -> Result<Self, DataError> {
        let mut cells = Cells::of(question, rows.len())?;
        for &(predicted, target) in rows {
            // Twice the distance from the middle, as a part of the width.
            let far = ((target - low) + (target - high)) / (high - low);
            let parts = divided(whole_parts((predicted - target).abs() / clip), whole_parts(far * far));
            parts.into_iter().enumerate().for_each(|(cell, parts)| cells.add(cell, parts));
        }
        Ok(cells.counted(question))
    }

    pub(super) fn question(&self) -> &Question {
        &self.question
    }

    pub(super) fn cells(&self) -> &Private<Vec<i64>> {
        &self.cells
    }
}

/// Cells that are being filled.
struct Cells(Vec<i64>);

impl Cells {
    fn of(question: &Question, rows: usize) -> Result<Self, DataError> {
        if rows > MOST_ROWS {
            return Err(DataError::TooManyRows);
        }
        let count = question.cells().and_then(|count| usize::try_from(count).ok()).unwrap_or(0);
        Ok(Self(vec![0; count]))
    }

    fn add(&mut self, cell: usize, parts: u32) {
        if let Some(count) = self.0.get_mut(cell) {
            *count += i64::from(parts);
        }
    }

    fn counted(self, question: &Question) -> Tally {
        Tally { question: question.clone(), cells: Private::new(self.0) }
    }
}

/// How many edges are not above a probability; what is no number is below all of them.
fn bin(edges: &[f64], probability: f64) -> usize {
    edges.partition_point(|edge| *edge <= probability)
}

/// The cell of a row: the bins of the other class come first, then those of the positive one.
fn cell_of(bin: usize, positive: bool, bins: u64) -> usize {
    let bins = usize::try_from(bins).unwrap_or(usize::MAX);
    bin.saturating_add(if positive { bins } else { 0 })
}

/// A part of 1 in whole parts of a row, rounded down; what is above 1 is 1, what is no number 0.
fn whole_parts(part: f64) -> u32 {
    #[allow(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "from 0 to PARTS; NaN becomes 0"
    )]
    let parts = (part.clamp(0.0, 1.0) * f64::from(PARTS)) as u32;
    parts
}

/// The product of two parts of 1, rounded down.
fn product(a: u32, b: u32) -> u32 {
    // Not above the smaller of the two, so that it fits.
    u32::try_from((u64::from(a) * u64::from(b)) >> FINEST).unwrap_or(a)
}

/// A row divided by its error u and the square t of its target: 1 − u, u − u², u² − u⁴, u⁴, each times 1 − t, then
/// times t. Together exactly one row, since each part is what is left of the one before. spec: `own:score`
fn divided(u: u32, t: u32) -> [u32; 8] {
    let (u, t) = (u.min(PARTS), t.min(PARTS));
    let square = product(u, u);
    let fourth = product(square, square);
    let levels = [PARTS - u, u - square, square - fourth, fourth];
    let [a, b, c, d] = levels;
    let [e, f, g, h] = levels.map(|level| product(level, t));
    [a - e, b - f, c - g, d - h, e, f, g, h]
}

#[cfg(any(kani, test))]
#[path = "../../proofs/score.rs"]
mod proofs;

#[cfg(test)]
mod tests {
    use super::*;
    use asap_contracts::{Scored, Unseen};

    fn model() -> Scored {
        Scored { release: format!("sha256:{}", "0".repeat(64)), rows: Unseen::Unseen }
    }

    /// Whatever the error and the target: the eight parts of a row add up to one row, so that a row more or less moves
    /// the cells by one in the 1-norm. Red: `u` for `u - square`.
    #[test]
    fn the_parts_of_a_row_add_up_to_one() {
        let ends = [0, 1, 2, PARTS / 2, PARTS - 1, PARTS, PARTS + 1, u32::MAX];
        let numbers: Vec<u32> = ends.into_iter().chain((0..2000).map(|k| k * 524 % (PARTS + 2))).collect();
        for u in &numbers {
            for t in numbers.iter().step_by(7).chain(&ends) {
                let all: u64 = divided(*u, *t).into_iter().map(u64::from).sum();
                assert_eq!(all, u64::from(PARTS), "{u} {t}");
            }
        }
    }

    fn revealed(tally: Tally) -> Vec<i64> {
        tally.cells.reveal_breaking_privacy()
    }

    /// Edges belong to the bin above, ½ among them; what is no number is in the first bin.
    #[test]
    fn classes_by_hand() {
        let question = Question::Classes { model: model(), bins: 4 };
        let rows = [(0.0, -1.0), (0.25, 0.0), (0.5, 1.0), (0.49, 1.0), (1.0, 1.0), (f64::NAN, -1.0)];
        let cells = revealed(Tally::of_predictions(&question, &rows).unwrap());
        assert_eq!(cells, [2, 1, 0, 0, 0, 1, 1, 1].map(|rows| rows * i64::from(PARTS)));
    }

    /// Right in the first three cells, wrong in the last three, by the true class. Red: by the predicted one.
    #[test]
    fn labels_by_hand() {
        let classes = ["a", "b", "c"].map(str::to_owned).into();
        let question = Question::Labels { model: model(), classes };
        let rows = [(0.0, 0.0), (2.0, 1.0), (1.0, 1.0), (0.0, 2.0), (1.0, 2.0), (0.0, 0.0)];
        let cells = revealed(Tally::of_predictions(&question, &rows).unwrap());
        assert_eq!(cells, [2, 1, 0, 0, 1, 2].map(|rows| rows * i64::from(PARTS)));
        // A row is one row, also one that no reader admits.
        for odd in [f64::NAN, -1.0, 3.0, f64::INFINITY] {
            let cells = revealed(Tally::of_predictions(&question, &[(odd, odd)]).unwrap());
            assert_eq!(cells.iter().sum::<i64>(), i64::from(PARTS), "{odd}");
        }
    }

    /// u = ¼ and the target at an end: u² = 1/16, u⁴ = 1/256 of a row. The second row is exact and in the middle.
    #[test]
    fn errors_by_hand() {
        let question = Question::Errors { model: model(), low: 10.0, high: 30.0, clip: 8.0 };
        let one = i64::from(PARTS);
        let cells = revealed(Tally::of_predictions(&question, &[(28.0, 30.0), (20.0, 20.0)]).unwrap());
        let of_first = [one - one / 4, one / 4 - one / 16, one / 16 - one / 256, one / 256];
        assert_eq!(cells[..4], [one, 0, 0, 0]);
        assert_eq!(cells[4..], of_first);
        // An error beyond the largest one is the largest one.
        let far = revealed(Tally::of_predictions(&question, &[(10.0, 30.0)]).unwrap());
        assert_eq!(far, [0, 0, 0, 0, 0, 0, 0, one]);
    }

    /// A row is one row, whatever is in it. Sabotage: `cells.add` twice, or a level that is not
    /// taken from the one before.
    #[test]
    fn every_row_counts_once() {
        let odd = [
            0.0,
            -0.0,
            0.3,
            0.5,
            0.999,
            1.0,
            7.0,
            -7.0,
            f64::NAN,
            f64::INFINITY,
            f64::NEG_INFINITY,
            1e300,
            5e-324,
        ];
        for &a in &odd {
            for bins in [2, 10, 1000] {
                let question = Question::Classes { model: model(), bins };
                for target in [1.0, -1.0] {
                    let cells = revealed(Tally::of_predictions(&question, &[(a, target)]).unwrap());
                    assert_eq!(cells.iter().filter(|count| **count != 0).count(), 1, "{a} {bins}");
                    assert_eq!(cells.iter().sum::<i64>(), i64::from(PARTS), "{a} {bins}");
                }
            }
            for &b in &odd {
                let question = Question::Errors { model: model(), low: -1.0, high: 1.0, clip: 0.5 };
                let cells = revealed(Tally::of_predictions(&question, &[(a, b)]).unwrap());
                assert_eq!(cells.iter().sum::<i64>(), i64::from(PARTS), "{a} {b}");
                assert!(cells.iter().all(|count| *count >= 0), "{a} {b}");
            }
        }
        assert_eq!(revealed(Tally::rows(3).unwrap()), [3 * i64::from(PARTS)]);
    }
}
