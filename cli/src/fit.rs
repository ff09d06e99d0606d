//! `asap fit`: from a CSV file to a release.

use crate::arguments::Fit;
use crate::check::{NOT_PRIVATE, is_private};
use crate::failure::Failure;
use crate::output::Target;
use crate::problem::{ForLoss, relation, shown};
use crate::terminal::{Spinner, number, print, print_json, table, warn};
use asap_dp::data::{CsvOptions, OutOfBounds, read_csv};
use asap_dp::learner::Release;
use asap_dp::loss::Loss;
use asap_dp::noise::{ReplayRng, SecureRng};
use serde_json::json;
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

pub(crate) fn run(arguments: &Fit) -> Result<(), Failure> {
    // All that can be refused without the records is refused before they are read.
    let target = Target::probe(&arguments.out)?;
    if arguments.replay_seed.is_some() {
        warn(NOT_PRIVATE);
    }
    let release = arguments.problem.for_loss(FitFile { arguments })?;
    target.write(&(release.to_json() + "\n"))?;
    if matches!(target, Target::Stdout) {
        // The release itself is what was asked for.
        return Ok(());
    }
    if arguments.json {
        print_json(&summary(arguments, &release))
    } else {
        print(&report(arguments, &release)?)
    }
}

struct FitFile<'a> {
    arguments: &'a Fit,
}

impl ForLoss for FitFile<'_> {
    type Output = Release;

    fn run<L: Loss + Copy>(self, loss: L) -> Result<Release, Failure> {
        let Fit { data, target, problem, features, separator, replay_seed, .. } = self.arguments;
        let failed = |error| Failure::of(error, data);
        let (bounds, learner) = (problem.bounds()?, problem.learner(None)?);
        let policy = if self.arguments.refuse { OutOfBounds::Refuse } else { OutOfBounds::Clip };
        let options =
            CsvOptions { target: target.clone(), features: features.clone(), separator: *separator };
        let file = open(data)?;
        let _spinner = Spinner::start("fitting");
        let (records, columns) = read_csv(file, &options, loss, bounds, policy)
            .map_err(|error| Failure::Data { path: data.clone(), error })?;
        let release = match replay_seed {
            Some(seed) => learner.fit(&records, &mut ReplayRng::new(*seed)),
            None => SecureRng::new().and_then(|mut rng| learner.fit(&records, &mut rng)),
        };
        let release = release.map_err(failed)?.with_columns(columns)?;
        release.check().map_err(|_| Failure::Internal)?;
        Ok(release)
    }
}

/// A file, or standard input.
pub(crate) fn open(path: &Path) -> Result<Box<dyn Read>, Failure> {
    if path == Path::new("-") {
        return Ok(Box::new(io::stdin().lock()));
    }
    File::open(path).map(|file| Box::new(file) as _).map_err(|error| Failure::reading(path, &error))
}

/// The parameters with their names; the last may be the intercept's.
fn coefficients(release: &Release) -> Vec<(String, f64)> {
    let names = release.columns().map(|columns| columns.features.clone()).unwrap_or_default();
    let names = names.into_iter().chain(["(intercept)".to_owned()]);
    names.zip(release.theta().iter().copied()).collect()
}

fn summary(arguments: &Fit, release: &Release) -> serde_json::Value {
    let certificate = release.certificate();
    let coefficients: Vec<_> = coefficients(release)
        .into_iter()
        .map(|(name, value)| json!({ "column": name, "value": value }))
        .collect();
    json!({
        "out": arguments.out,
        "private": is_private(release),
        "certified": certificate.certified(),
        "guarantee": certificate.guarantee(),
        "neighbours": certificate.neighbours(),
        "loss": certificate.loss(),
        "target": release.columns().map(|columns| &columns.target),
        "coefficients": coefficients,
    })
}

fn report(arguments: &Fit, release: &Release) -> Result<String, Failure> {
    let certificate = release.certificate();
    let clauses = release.check().map_err(|_| Failure::Internal)?.len();
    let facts = [
        ["written", &arguments.out.display().to_string()],
        ["guarantee", &format!("{}, δ = 0", shown(certificate.guarantee()))],
        ["neighbours", relation(certificate.neighbours())],
        ["private", if is_private(release) { "yes" } else { "NO: noise from a known seed" }],
        ["certified", if certificate.certified() { "yes" } else { "no: asymptotic constants" }],
        ["checked", &format!("{clauses} clauses hold")],
    ]
    .map(|row| row.map(str::to_owned));
    let mut rows = vec![["column".to_owned(), "coefficient (released)".to_owned()]];
    rows.extend(coefficients(release).into_iter().map(|(name, value)| [printable(&name), number(value)]));
    Ok(format!("{}\n{}", table(&facts), table(&rows)))
}

/// A column's name without control characters.
fn printable(name: &str) -> String {
    name.chars().flat_map(char::escape_debug).collect()
}
