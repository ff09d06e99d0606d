//! `asap fit`: from a CSV file to a release.

use crate::account::{Account, Entered};
use crate::arguments::{Fit, LossName, MissingCell};
use crate::check::{NOT_PRIVATE, certified, mechanism, numerics, promised, relation};
use crate::cost::{Kept, Outlook};
use crate::failure::Failure;
use crate::key;
use crate::output::{Existing, Target};
use crate::problem::{ForLoss, Ranged};
use crate::remedy;
use crate::terminal::{Stage, number, print, print_json, table, warn};
use asap_contracts::Choice;
use asap_dp::data::{
    Columns, Csv, CsvOptions, DataError, Missing, OutOfBounds, PositiveClass, Ranges, Stream,
};
use asap_dp::objective::Sums;
use asap_dp::{Learner, Loss, MechanismKind, Release, ReplayRng, SecureRng};
use serde_json::json;
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::Path;

pub(crate) fn run(arguments: &Fit) -> Result<(), Failure> {
    // All that can be refused without the records is refused before they are read.
    let target = Target::probe(&arguments.out, Existing::of(arguments.overwrite.force), &arguments.inputs())?;
    arguments.problem.only_what_is_used()?;
    let secret = arguments.sign.as_deref().map(key::in_file).transpose()?;
    if arguments.replay_seed.is_some() {
        warn(NOT_PRIVATE);
    }
    let account = arguments.ledger.as_deref().map(Account::open).transpose()?;
    let (release, entered) = arguments.problem.for_loss(FitFile { arguments, account: account.as_ref() })?;
    let release = match secret {
        Some(secret) => release.as_checked().clone().sign(&secret).map_err(|_| Failure::Internal)?.into(),
        None => release,
    };
    let beside = target.write_or_beside(&(release.to_json() + "\n"))?;
    if let Some(beside) = &beside {
        let (out, beside) = (arguments.out.display(), beside.display());
        warn(&format!("{out} has come into being during the fit and is kept; this release is {beside}"));
    }
    let written = beside.as_deref().unwrap_or(&arguments.out);
    if let Some(entered) = entered {
        entered.released(&release.as_checked().digest)?;
    }
    if matches!(target, Target::Stdout) {
        // The release itself is what was asked for.
        return Ok(());
    }
    if arguments.json { print_json(&summary(written, &release)) } else { print(&report(written, &release)?) }
}

/// Which of the columns have a range.
fn ranged(columns: &Columns, ranges: &Ranges) -> Ranged {
    let without: Vec<String> = columns
        .features
        .iter()
        .filter(|name| ranges.of(name).is_none())
        .take(5)
        .map(|name| format!("`{}`", printable(name)))
        .collect();
    let features = match without[..] {
        [] => Ok(columns.features.len()),
        _ => Err(format!(
            "needed, because features have no range (--range, --ranges), such as {}",
            without.join(", ")
        )),
    };
    Ranged { features, target: columns.ranges.contains_key(&columns.target) }
}

impl Fit {
    /// What can be refused before the header is read.
    fn before_the_header(&self, options: &CsvOptions) -> Result<(), Failure> {
        let usage = |text: &str| Err(Failure::Usage(text.to_owned()));
        let logistic = matches!(self.problem.loss, LossName::Logistic);
        if options.positive.is_some() && !logistic {
            return usage("--positive: only for --loss logistic, which has classes");
        }
        if logistic && self.problem.range.iter().any(|it| it.column == self.target) {
            return usage(
                "--range: the logistic loss has none for its target, which is a class; --positive says which is positive",
            );
        }
        let target = options.ranges.of(&options.target).is_some() && !logistic;
        let (none, some) = ("needed, or a range for every feature (asap schema, --ranges)", Ok(1));
        let features = if options.ranges.is_empty() { Err(none.to_owned()) } else { some };
        self.problem.bounds(&Ranged { features, target }).map(|_| ())
    }

    /// Why the file cannot be used. Of a text where a class is expected a value for missing cells would make one class of all texts:
    /// what helps is a rule.
    fn unusable(&self, error: DataError) -> Failure {
        let path = self.data.clone();
        match error {
            DataError::NotANumber { ref column, .. }
                if *column == self.target && matches!(self.problem.loss, LossName::Logistic) =>
            {
                let reason =
                    format!("{error} (--positive for classes that are texts, --missing for empty cells)");
                Failure::Input { path, reason }
            }
            error => Failure::Data { path, error },
        }
    }

    /// Every file that is read, or that the fit is entered into.
    fn inputs(&self) -> Vec<&Path> {
        [Some(&self.data), self.ledger.as_ref(), self.sign.as_ref(), self.problem.ranges.as_ref()]
            .into_iter()
            .flatten()
            .map(|path| &**path)
            .collect()
    }
}

struct FitFile<'a> {
    arguments: &'a Fit,
    account: Option<&'a Account>,
}

impl<'a> ForLoss for FitFile<'a> {
    type Output = (Release, Option<Entered<'a>>);

    fn run<L: Loss + Copy>(self, loss: L) -> Result<Self::Output, Failure> {
        let Fit { data, target, problem, features, separator, stream, refuse, positive, .. } = self.arguments;
        let unusable = |error| self.arguments.unusable(error);
        let learner = problem.learner(None)?;
        let policy = if *refuse { OutOfBounds::Refuse } else { OutOfBounds::Clip };
        let options = CsvOptions {
            target: target.clone(),
            features: features.as_ref().map(|names| names.concat()),
            separator: *separator,
            missing: missing(&self.arguments.missing)?,
            ranges: problem.public_ranges()?,
            positive: positive.clone(),
        };
        self.arguments.before_the_header(&options)?;
        let ((release, entered), columns) = if *stream {
            again_and_again(data)?;
            let reading = Stage::begin(&format!("reading {}, now and again for each pass", data.display()));
            let bounds = {
                let csv = Csv::open(open(data)?, &options, loss).map_err(unusable)?;
                problem.bounds(&ranged(csv.columns(), &options.ranges))?
            };
            let records = Stream::open(data, &options, loss, bounds, policy).map_err(unusable)?;
            drop(reading);
            (self.fit(&learner, &records)?, records.columns().clone())
        } else {
            let file = open(data)?;
            let reading = Stage::begin(&format!("reading {}", data.display()));
            let csv = Csv::open(file, &options, loss).map_err(unusable)?;
            let bounds = problem.bounds(&ranged(csv.columns(), &options.ranges))?;
            let (records, columns) = csv.records(bounds, policy).map_err(unusable)?;
            drop(reading);
            (self.fit(&learner, &records)?, columns)
        };
        Ok((release.with_columns(columns)?, entered))
    }
}

impl<'a> FitFile<'a> {
    /// Plans, enters the fit into the ledger, and only then draws noise.
    fn fit<S: Sums>(
        &self,
        learner: &Learner,
        records: &S,
    ) -> Result<(Release, Option<Entered<'a>>), Failure> {
        let failed = |error| Failure::of(error, &self.arguments.data);
        let planning = Stage::begin("planning, from public numbers");
        let public = learner.problem(*records.loss(), *records.bounds(), records.dimension())?;
        let refused = |error| remedy::refused(error, &self.arguments.problem, None, &public);
        let plan = learner.plan(&public).map_err(refused)?;
        let kept = if self.arguments.stream { Kept::InTheFile } else { Kept::InMemory };
        let outlook = Outlook::new(&plan, &public, &learner.guess(&public)?, kept)?;
        drop(planning);
        match outlook.objection(self.arguments.cost_limit) {
            Some(reason) if self.arguments.yes => warn(&reason),
            Some(reason) => return Err(Failure::NotWorthIt(reason)),
            None => {}
        }
        let problem = &self.arguments.problem;
        let (total, neighbours) = (problem.guarantee()?, problem.neighbours());
        let _fitting = Stage::begin(&format!("fitting: {}; {}", stages(plan.kind()), outlook.estimate()));
        let (released, entered) = if let Some(seed) = self.arguments.replay_seed {
            (plan.release(records, &mut ReplayRng::new(seed)), None)
        } else {
            let mut rng = SecureRng::new().map_err(Failure::NoRandomness)?;
            let entered = self.account.map(|account| account.enter(total, neighbours)).transpose()?;
            (plan.release(records, &mut rng), entered)
        };
        let (release, _) = released.map_err(failed)?;
        Ok((release, entered))
    }
}

/// What a mechanism does, in this order for all records.
fn stages(mechanism: MechanismKind) -> &'static str {
    match mechanism {
        MechanismKind::Objective => "tilt the objective, minimise it, add noise",
        MechanismKind::NoisyGradient => "gradients with noise, step by step",
        MechanismKind::Posterior => "localise, sample the posterior, add noise",
        MechanismKind::Output => "minimise, add noise",
    }
}

/// What stands for cells that are no finite numbers.
fn missing(cells: &[MissingCell]) -> Result<Missing, Failure> {
    let twice =
        || Failure::Usage("--missing: refuse, or one value for all columns, or one for each".to_owned());
    let everywhere: Vec<&MissingCell> =
        cells.iter().filter(|cell| !matches!(cell, MissingCell::In(..))).collect();
    let start = match everywhere[..] {
        [] => Missing::refuse(),
        [MissingCell::Refuse] if cells.len() == 1 => Missing::refuse(),
        [MissingCell::Everywhere(value)] => Missing::value(*value)?,
        _ => return Err(twice()),
    };
    cells.iter().try_fold(start, |missing, cell| match cell {
        MissingCell::In(column, value) => Ok(missing.for_column(column, *value)?),
        _ => Ok(missing),
    })
}

/// Refuses what can be read once only: standard input, a pipe.
fn again_and_again(path: &Path) -> Result<(), Failure> {
    let refused = "--stream: DATA.csv has to be a file, which is read again for each pass; standard input or a pipe \
                   can be read once only";
    if path == Path::new("-") {
        return Err(Failure::Usage(refused.to_owned()));
    }
    let found = fs::metadata(path).map_err(|error| Failure::reading(path, &error))?;
    if found.is_file() || found.is_dir() { Ok(()) } else { Err(Failure::Usage(refused.to_owned())) }
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

fn summary(written: &Path, release: &Release) -> serde_json::Value {
    let certificate = release.certificate();
    let coefficients: Vec<_> = coefficients(release)
        .into_iter()
        .map(|(name, value)| json!({ "column": name, "value": value }))
        .collect();
    json!({
        "out": written,
        "private": release.is_private(),
        "certified": certificate.certified,
        "numerics": certificate.numerics,
        "guarantee": release.guarantee(),
        "converted_epsilon": certificate.ledger.converted,
        "neighbours": certificate.neighbours,
        "mechanism": mechanism(&certificate.mechanism),
        "choice": certificate.choice,
        "loss": certificate.problem.loss,
        "target": release.columns().map(|columns| &columns.target),
        "positive": positive_class(release),
        "ranges": release.columns().map(|columns| &columns.ranges),
        "feature_bound": certificate.problem.feature_norm,
        "coefficients": coefficients,
        "public_key": public_key(release),
    })
}

/// The rule of the positive class.
fn positive_class(release: &Release) -> Option<String> {
    release.positive_class().ok().flatten().as_ref().map(PositiveClass::to_string)
}

/// The key with which everybody can verify the signature, if there is one.
fn public_key(release: &Release) -> Option<&str> {
    release.as_checked().signature.as_ref().map(|signature| signature.public_key.as_str())
}

fn report(written: &Path, release: &Release) -> Result<String, Failure> {
    let certificate = release.certificate();
    let clauses = release.check().map_err(|_| Failure::Internal)?.checked.len();
    let mut facts = vec![
        ["written", &written.display().to_string()],
        ["guarantee", &format!("{}, δ = 0", promised(&certificate.ledger))],
        ["neighbours", relation(certificate.neighbours)],
        ["mechanism", mechanism(&certificate.mechanism)],
        ["chosen", &certificate.choice.as_ref().map_or("by name".to_owned(), chosen)],
        ["private", if release.is_private() { "yes" } else { "NO: noise from a known seed" }],
        ["certified", certified(release.as_checked())],
        ["numerics", numerics(certificate.numerics)],
        ["checked", &format!("{clauses} clauses hold")],
    ]
    .into_iter()
    .map(|row| row.map(str::to_owned))
    .collect::<Vec<_>>();
    let bound = number(certificate.problem.feature_norm);
    let ranges = release.columns().map_or(0, |columns| columns.ranges.len());
    if ranges > 0 {
        facts.push([
            "ranges".to_owned(),
            format!("{ranges} columns scaled to [-1, 1], rows to the norm {bound}"),
        ]);
    }
    if let Some(rule) = positive_class(release) {
        facts.push(["positive class".to_owned(), printable(&rule)]);
    }
    if let Some(key) = public_key(release) {
        facts.push(["public key".to_owned(), key.to_owned()]);
    }
    let mut rows = vec![["column".to_owned(), "coefficient (released)".to_owned()]];
    rows.extend(coefficients(release).into_iter().map(|(name, value)| [printable(&name), number(value)]));
    Ok(format!("{}\n{}", table(&facts), table(&rows)))
}

/// Why this mechanism.
fn chosen(choice: &Choice) -> String {
    let predicted = |compared: &asap_contracts::Compared| match compared.predicted {
        Some(excess) => format!("{} {}", compared.mechanism, number(excess)),
        None => format!("{} refused", compared.mechanism),
    };
    let all: Vec<String> = choice.compared.iter().map(predicted).collect();
    format!("least predicted excess for {} rows: {}", choice.rows, all.join(", "))
}

/// A column's name without control characters.
pub(crate) fn printable(name: &str) -> String {
    name.chars().flat_map(char::escape_debug).collect()
}
