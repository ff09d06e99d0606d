//! The noise of an answer, audited: the same question, promise and noise on rows made for it. spec: `own:audit`
//!
//! A person's rows are all alike, and as many as the promise allows. D holds none of them, or as many others where
//! persons are replaced. Where the cells of either data set lie is not copied from the counting code: it is the median
//! of draws. So a row that is counted twice shows twice the claim, and a cell without noise shows itself.

use super::ReleaseSettings;
use super::report::{AuditReport, Finding};
use super::run_seed;
use super::samples::Samples;
use asap_contracts::{Answer, Answering, Noise, Question};
use asap_dp::error::Error;
use asap_dp::input::InvalidInput;
use asap_dp::noise::{ReplayRng, SecureRng};
use asap_dp::privacy::Neighbours;
use asap_dp::score::{AnswerPlan, Promise, Tally};

/// Draws that locate the cells.
const LOCATING: u64 = 999;
/// Larger persons are audited no more: their rows are counted one by one.
const LARGEST_PERSON: usize = 100_000;

/// Audits the setting of a score or a count that has been checked. spec: `own:audit`
pub fn run_answer(answer: &Answer, settings: &ReleaseSettings) -> Result<AuditReport, Error> {
    let ReleaseSettings { runs, alpha, seed } = *settings;
    let plan = AnswerPlan::of_answer(answer)?;
    let Promise { guarantee: claim, neighbours, rows_per_person } = *plan.promise();
    let person = usize::try_from(rows_per_person).ok().filter(|rows| *rows <= LARGEST_PERSON);
    let allowed = "one of persons with at most 100000 rows";
    let person = person.ok_or(InvalidInput { field: "answer", allowed })?;
    let replaced = neighbours == Neighbours::ReplaceOne;
    let kinds = rows_of(plan.question());
    let level = alpha / kinds.len() as f64;
    let mut findings = Vec::new();
    for (block, (name, row)) in kinds.iter().enumerate() {
        let (other, another) = &kinds[(block + 1) % kinds.len()];
        let first = if replaced { vec![*another; person] } else { Vec::new() };
        let case = AnswerCase::new(&plan, [first, vec![*row; person]])?;
        let outcome = |side: u64| {
            let case = &case;
            move |run| {
                let seed = seed.map(|seed| run_seed(seed, 2 * block as u64 + side, run));
                Ok(vec![case.ratio(&case.drawn(usize::from(side == 1), seed)?)])
            }
        };
        let samples = Samples::draw_each(runs, 1, outcome(0), outcome(1))?;
        let pair = if replaced { format!("{{{other}}} / {{{name}}}") } else { format!("{{}} / {{{name}}}") };
        findings.extend(samples.iter().map(|it| Finding::new("noisy cells", &pair, claim, it, level)));
    }
    let dimension = usize::try_from(plan.question().cells().unwrap_or(0)).unwrap_or(0);
    let setting = format!("the setting of the answer: cells of rows, {person} of a person");
    Ok(AuditReport { runs, alpha, seed, setting, dimension, regulariser: None, rows: findings })
}

/// Rows that lie as far apart as rows can, with names: what is predicted, and the target.
fn rows_of(question: &Question) -> Vec<(String, (f64, f64))> {
    match *question {
        Question::Classes { bins, .. } => {
            // Every cell where they are few.
            let chosen: Vec<u64> = if bins <= 4 { (0..bins).collect() } else { vec![0, bins / 2, bins - 1] };
            let row = |bin: u64, target: f64| {
                let class = if target > 0.0 { '+' } else { '-' };
                (format!("{class}{bin}"), ((bin as f64 + 0.5) / bins as f64, target))
            };
            [-1.0, 1.0]
                .into_iter()
                .flat_map(|target| chosen.iter().map(move |bin| row(*bin, target)))
                .collect()
        }
        Question::Labels { ref classes, .. } => {
            let row = |class: usize, right: bool| {
                let predicted = if right { class } else { (class + 1) % classes.len() };
                (format!("{}{class}", if right { '=' } else { '!' }), (predicted as f64, class as f64))
            };
            (0..classes.len()).flat_map(|class| [row(class, true), row(class, false)]).collect()
        }
        Question::Errors { low, high, clip, .. } => {
            let targets = [("middle", f64::midpoint(low, high)), ("end", high)];
            let errors = [("exact", 0.0), ("half", 0.5), ("off", 1.0)];
            let row = |(place, target): (&str, f64), (error, part): (&str, f64)| {
                (format!("{error}, {place}"), (target - part * clip, target))
            };
            targets.into_iter().flat_map(|target| errors.map(|error| row(target, error))).collect()
        }
        Question::Rows | Question::Quantile { .. } => vec![("row".to_owned(), (0.0, 1.0))],
    }
}

/// Two data sets, and where their cells lie.
struct AnswerCase<'a> {
    plan: &'a AnswerPlan,
    tallies: [Tally; 2],
    centres: [Vec<f64>; 2],
}

impl<'a> AnswerCase<'a> {
    fn new(plan: &'a AnswerPlan, rows: [Vec<(f64, f64)>; 2]) -> Result<Self, Error> {
        let [first, second] = rows;
        let tally = |rows: &[(f64, f64)]| Tally::of_predictions(plan.question(), rows);
        let tallies = [tally(&first)?, tally(&second)?];
        let mut case = Self { plan, tallies, centres: [Vec::new(), Vec::new()] };
        case.centres = [case.located(0)?, case.located(1)?];
        Ok(case)
    }

    fn drawn(&self, side: usize, seed: Option<u64>) -> Result<Vec<f64>, Error> {
        let tally = &self.tallies[side & 1];
        let answer = match seed {
            Some(seed) => self.plan.release(tally, &mut ReplayRng::new(seed)),
            None => self.plan.release(tally, &mut SecureRng::new()?),
        }?;
        match answer.statement.mechanism {
            Answering::Cells { counts, .. } => Ok(counts.iter().map(|count| *count as f64).collect()),
            Answering::Exponential { .. } => Err(Error::Aborted),
        }
    }

    /// The median of some draws, in whole steps. Public: the same for every audit.
    fn located(&self, side: usize) -> Result<Vec<f64>, Error> {
        let draws = (0..LOCATING)
            .map(|run| self.drawn(side, Some(run_seed(1 << 63, 0, run))))
            .collect::<Result<Vec<_>, Error>>()?;
        let cells = draws.first().map_or(0, Vec::len);
        let median = |cell: usize| {
            let mut column: Vec<f64> = draws.iter().map(|draw| draw[cell]).collect();
            column.sort_by(f64::total_cmp);
            column[column.len() / 2]
        };
        Ok((0..cells).map(median).collect())
    }

    /// The log-likelihood ratio of noisy cells between the second data set and the first one.
    fn ratio(&self, cells: &[f64]) -> f64 {
        let far = |centre: &[f64]| -> f64 {
            let away = cells.iter().zip(centre).map(|(cell, centre)| cell - centre);
            match self.plan.noise() {
                Noise::DiscreteLaplace { numerator, denominator, .. } => {
                    away.map(f64::abs).sum::<f64>() * denominator as f64 / numerator as f64
                }
                Noise::RoundedNormal { steps, .. } | Noise::EuclideanLaplace { steps, .. } => {
                    0.5 * away.map(|z| (z / steps as f64).powi(2)).sum::<f64>()
                }
            }
        };
        far(&self.centres[0]) - far(&self.centres[1])
    }
}
