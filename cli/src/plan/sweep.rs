//! `asap plan --sweep`: all mechanisms over a range of one public number, as a table and a picture.

use super::compared::Compared;
use super::report::rounded;
use super::{Arguments, failed, picture};
use crate::arguments::{Problem, Sweep, Swept};
use crate::failure::Failure;
use crate::output::Target;
use crate::problem::ForLoss;
use crate::terminal::{bold, print, print_json, table};
use asap_dp::{Loss, MechanismKind};
use serde_json::{Value, json};

/// One value of the swept number, and what the mechanisms are worth there.
pub(super) struct Point {
    pub(super) value: f64,
    pub(super) compared: Compared,
}

pub(super) fn run(arguments: &Arguments, sweep: &Sweep) -> Result<(), Failure> {
    let picture = arguments.svg.as_deref().map(Target::probe).transpose()?;
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
        let comparison = learner.compare(&problem).map_err(failed)?;
        Ok(Compared::new(&comparison, &problem, self.arguments.problem.mechanism()))
    }
}

fn to_json(points: &[Point], of: Swept) -> Value {
    let point = |Point { value, compared }: &Point| {
        json!({
            "value": value,
            "mechanisms": compared.to_json(),
            "nothing_loses_at_most": compared.nothing,
            "worse_than_nothing": compared.is_worse_than_nothing(),
        })
    };
    json!({ "swept": of.name(), "points": points.iter().map(point).collect::<Vec<_>>() })
}

fn report(points: &[Point], of: Swept) -> String {
    let names = MechanismKind::ALL.map(|kind| kind.name().to_owned());
    let header = [of.name().to_owned()].into_iter().chain(names).chain(["θ = 0".into(), "chosen".into()]);
    let line = |Point { value, compared }: &Point| {
        let excess = compared.rows.iter().map(|row| match &row.outcome {
            Ok((prediction, _)) => rounded(prediction.likely),
            Err(_) => "refused".to_owned(),
        });
        let chosen = compared.rows.iter().find(|row| row.chosen).map_or("none", |row| row.kind.name());
        let worse = if compared.is_worse_than_nothing() { ", worse than θ = 0" } else { "" };
        let ends = [rounded(compared.nothing), format!("{chosen}{worse}")];
        [rounded(*value)].into_iter().chain(excess).chain(ends).collect::<Vec<_>>()
    };
    let rows: Vec<Vec<String>> = std::iter::once(header.collect()).chain(points.iter().map(line)).collect();
    format!(
        "{}\n{}",
        bold(
            "Predicted excess of J above its minimum; θ = 0 loses at most what stands there. No data was read"
        ),
        table(&rows)
    )
}
