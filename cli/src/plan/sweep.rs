//! `asap plan --sweep`: all mechanisms over a range of one public number, as a table and a picture.

use super::compared::{Compared, Worth};
use super::report::rounded;
use super::{Arguments, picture};
use crate::arguments::{Problem, Sweep, Swept};
use crate::failure::Failure;
use crate::output::{Existing, Target};
use crate::problem::ForLoss;
use crate::terminal::{bold, print, print_json, table};
use asap_dp::{Loss, MechanismKind};
use serde_json::{Map, Value, json};
use std::path::Path;

/// One value of the swept number, and what the mechanisms are worth there.
pub(super) struct Point {
    pub(super) value: f64,
    pub(super) compared: Compared,
}

pub(super) fn run(arguments: &Arguments, sweep: &Sweep) -> Result<(), Failure> {
    let inputs: Vec<&Path> = arguments.problem.schema.as_deref().into_iter().collect();
    let picture = arguments
        .svg
        .as_deref()
        .map(|path| Target::probe(path, Existing::of(arguments.overwrite.force), &inputs))
        .transpose()?;
    let points = sweep.values.iter().map(|&value| point(arguments, sweep.of, value));
    let points: Vec<Point> = points.collect::<Result<_, _>>()?;
    if let Some(target) = picture {
        target.write(&picture::draw(&points, sweep.of.name())?)?;
    }
    if arguments.json { print_json(&to_json(&points, sweep.of)) } else { print(&report(&points, sweep.of)) }
}

impl Swept {
    /// The word for it in flags and on axes.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Epsilon => "epsilon",
            Self::Mu => "mu",
            Self::Regulariser => "regulariser",
        }
    }
}

/// The comparison with another value of one public number.
fn point(arguments: &Arguments, of: Swept, value: f64) -> Result<Point, Failure> {
    let problem = arguments.problem.clone();
    let problem = match of {
        Swept::Epsilon => Problem { epsilon: Some(value), mu: None, ..problem },
        Swept::Mu => Problem { epsilon: None, mu: Some(value), ..problem },
        Swept::Regulariser => Problem { regulariser: value, ..problem },
    };
    let arguments = Arguments { problem, ..arguments.clone() };
    let compared = arguments.problem.for_loss(Compare { arguments: &arguments })?;
    Ok(Point { value, compared })
}

struct Compare<'a> {
    arguments: &'a Arguments,
}

impl ForLoss for Compare<'_> {
    type Output = Compared;

    fn run<L: Loss + Copy>(self, loss: L) -> Result<Compared, Failure> {
        let (learner, problem) = self.arguments.public(loss)?;
        self.arguments.compare(&learner, &problem)
    }
}

/// The point with the least sum of excess and bias.
pub(super) fn best(points: &[Point]) -> Option<&Point> {
    let sums = points.iter().filter_map(|point| Some((point, point.compared.sum_per_row()?)));
    sums.min_by(|a, b| a.1.total_cmp(&b.1)).map(|(point, _)| point)
}

fn to_json(points: &[Point], of: Swept) -> Value {
    let point = |Point { value, compared }: &Point| {
        let mut shown = Map::new();
        shown.insert("value".to_owned(), (*value).into());
        compared.add_to(&mut shown, None);
        Value::from(shown)
    };
    json!({
        "swept": of.name(),
        "least_excess_and_bias_at": best(points).map(|point| point.value),
        "points": points.iter().map(point).collect::<Vec<_>>(),
    })
}

fn report(points: &[Point], of: Swept) -> String {
    let names = MechanismKind::ALL.map(|kind| kind.name().to_owned());
    let ends = ["θ = 0", "bias", "excess + bias", "chosen"].map(str::to_owned);
    let header = [of.name().to_owned()].into_iter().chain(names).chain(ends);
    let least = best(points).map_or(f64::NAN, |point| point.value);
    let line = |Point { value, compared }: &Point| {
        let excess = compared.rows.iter().map(|row| match &row.outcome {
            Ok((prediction, _)) => rounded(compared.per_row(prediction.likely)),
            Err(_) => "refused".to_owned(),
        });
        let chosen = compared.rows.iter().find(|row| row.chosen).map_or("none", |row| row.kind.name());
        let worth = match compared.worth() {
            Some(Worth::Worse) => ", worse than θ = 0",
            Some(Worth::Useful) => ", useful",
            _ => "",
        };
        let mark = if value.total_cmp(&least).is_eq() { " (least)" } else { "" };
        let sum = compared.sum_per_row().map_or_else(|| "-".to_owned(), |sum| rounded(sum) + mark);
        let per_row = |total: f64| rounded(compared.per_row(total));
        let ends = [per_row(compared.nothing), per_row(compared.bias), sum, format!("{chosen}{worth}")];
        [rounded(*value)].into_iter().chain(excess).chain(ends).collect::<Vec<_>>()
    };
    let rows: Vec<Vec<String>> = std::iter::once(header.collect()).chain(points.iter().map(line)).collect();
    let (expected, norm) =
        points.first().map_or((0, 0.0), |it| (it.compared.expected, it.compared.comparator));
    format!(
        "{}\n{}All numbers are per row, for {expected} rows: the predicted excess of J above its minimum for each mechanism, what θ = 0 \
         loses at most,\nand what the regulariser costs at most against the best model of norm {} (--comparator-norm). A larger \
         regulariser lowers\nthe excess and raises the bias; the sum bounds what the chosen mechanism loses without the \
         regulariser.\n",
        bold("Predicted excess of J above its minimum, per row. No data was read"),
        table(&rows),
        rounded(norm),
    )
}
