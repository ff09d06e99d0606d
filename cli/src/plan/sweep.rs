//! `asap plan --sweep`: all mechanisms over a range of one public number, as a table and a picture.

use super::compared::Compared;
use super::report::{percent, rounded};
use super::{Arguments, picture};
use crate::arguments::{ProblemFlags, Sweep, Swept};
use crate::failure::Failure;
use crate::output::{Destination, Existing};
use crate::problem::ForLoss;
use crate::terminal::{bold, print, print_json, table};
use asap_dp::verdict::Worth;
use asap_dp::{Loss, MechanismKind};
use serde_json::{Map, Value, json};
use std::path::Path;

/// One value of the swept number, and what the mechanisms are worth there.
pub(super) struct SweepPoint {
    pub(super) value: f64,
    pub(super) compared: Compared,
}

pub(super) fn run(arguments: &Arguments, sweep: &Sweep) -> Result<(), Failure> {
    let inputs: Vec<&Path> = arguments.problem.schema.as_deref().into_iter().collect();
    let picture = arguments
        .svg
        .as_deref()
        .map(|path| Destination::probe(path, Existing::of(arguments.overwrite.force), &inputs))
        .transpose()?;
    let chosen = arguments.problem.for_loss(SweepChoice { arguments, of: sweep.of, range: &sweep.values })?;
    let mut values: Vec<f64> = sweep.values.iter().copied().chain(chosen).collect();
    values.sort_by(f64::total_cmp);
    values.dedup();
    let points = values.iter().map(|&value| point(arguments, sweep.of, value));
    let points: Vec<SweepPoint> = points.collect::<Result<_, _>>()?;
    if let Some(target) = picture {
        target.write(&picture::draw(&points, sweep.of.axis(), chosen)?)?;
    }
    if arguments.json {
        print_json(&to_json(&points, sweep.of, chosen))
    } else {
        print(&report(&points, sweep.of, chosen))
    }
}

impl Swept {
    /// The word for it in flags.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Epsilon => "epsilon",
            Self::Mu => "mu",
            Self::Regulariser => "regulariser",
        }
    }

    /// What an axis says.
    fn axis(self) -> &'static str {
        match self {
            Self::Epsilon => "privacy budget ε (epsilon; smaller: more private)",
            Self::Mu => "privacy budget μ (mu; smaller: more private)",
            Self::Regulariser => "regulariser",
        }
    }
}

/// The comparison with another value of one public number.
fn point(arguments: &Arguments, of: Swept, value: f64) -> Result<SweepPoint, Failure> {
    let problem = arguments.problem.clone();
    let problem = match of {
        Swept::Epsilon => ProblemFlags { epsilon: Some(value), mu: None, ..problem },
        Swept::Mu => ProblemFlags { epsilon: None, mu: Some(value), ..problem },
        Swept::Regulariser => ProblemFlags { regulariser: Some(value), ..problem },
    };
    let arguments = Arguments { problem, ..arguments.clone() };
    let compared = arguments.problem.for_loss(Compare { arguments: &arguments })?;
    Ok(SweepPoint { value, compared })
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

/// The regulariser that would be chosen without --regulariser, if it is swept and inside the range.
struct SweepChoice<'a> {
    arguments: &'a Arguments,
    of: Swept,
    range: &'a [f64],
}

impl ForLoss for SweepChoice<'_> {
    type Output = Option<f64>;

    fn run<L: Loss + Copy>(self, loss: L) -> Result<Option<f64>, Failure> {
        if self.of != Swept::Regulariser {
            return Ok(None);
        }
        let problem = ProblemFlags { regulariser: None, ..self.arguments.problem.clone() };
        let (_, public) = Arguments { problem, ..self.arguments.clone() }.public(loss)?;
        let inside = |ends: (&f64, &f64)| (*ends.0..=*ends.1).contains(&public.regulariser());
        let ends = self.range.first().zip(self.range.last());
        Ok(ends.is_some_and(inside).then(|| public.regulariser()))
    }
}

fn to_json(points: &[SweepPoint], of: Swept, chosen: Option<f64>) -> Value {
    let point = |SweepPoint { value, compared }: &SweepPoint| {
        let mut shown = Map::new();
        shown.insert("value".to_owned(), (*value).into());
        compared.add_to(&mut shown, None);
        Value::from(shown)
    };
    json!({
        "swept": of.name(),
        "chosen_regulariser": chosen,
        "points": points.iter().map(point).collect::<Vec<_>>(),
    })
}

fn report(points: &[SweepPoint], of: Swept, regulariser: Option<f64>) -> String {
    let names = MechanismKind::ALL.map(|kind| kind.name().to_owned());
    let header = [of.name().to_owned()].into_iter().chain(names).chain(["chosen".to_owned()]);
    let line = |SweepPoint { value, compared }: &SweepPoint| {
        let worth = compared.rows.iter().map(|row| match &row.outcome {
            Ok((prediction, _)) => percent(prediction.worth),
            Err(_) => "refused".to_owned(),
        });
        let chosen = compared.rows.iter().find(|row| row.chosen).map_or("none", |row| row.kind.name());
        let verdict = compared.worth().map_or("", Worth::name);
        let mark = if regulariser.is_some_and(|it| it.total_cmp(value).is_eq()) { " (auto)" } else { "" };
        let end = format!("{chosen}, {verdict}");
        [rounded(*value) + mark].into_iter().chain(worth).chain([end]).collect::<Vec<_>>()
    };
    let rows: Vec<Vec<String>> = std::iter::once(header.collect()).chain(points.iter().map(line)).collect();
    let expected = points.first().map_or(0, |it| it.compared.expected);
    let auto = match (of, regulariser) {
        (Swept::Regulariser, Some(_)) => {
            "\nThe regulariser that is chosen without --regulariser is marked (auto)."
        }
        (Swept::Regulariser, None) => {
            "\nThe regulariser that is chosen without --regulariser is outside the range."
        }
        _ => "",
    };
    format!(
        "{}\n{}The part of what can be learnt that a release of each mechanism is predicted to keep, for {expected} rows: 100 % for the \
         best model there is,\n0 % for one that predicts the same for every record.{auto}\n",
        bold("Predicted worth. No data was read"),
        table(&rows),
    )
}
