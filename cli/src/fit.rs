//! `asap fit`: from a CSV file to a release.

mod classes;

use crate::arguments::Fit;
use crate::check::{NOT_PRIVATE, certified, facts, mechanism, numerics, promised, relation};
use crate::cost::{Kept, Outlook};
use crate::failure::Failure;
use crate::key;
use crate::output::{Destination, Existing};
use crate::problem::ForLoss;
use crate::remedy;
use crate::terminal::{Stage, number, print, print_json, table, warn};
use asap_contracts::{Choice, TargetKind};
use asap_dp::account::{Account, Entered, Purpose, Spending};
use asap_dp::data::{CsvOptions, DataError, OutOfBounds, PersonColumn, Schema, Stream, Wanted, read_csv};
use asap_dp::objective::{Here, Sums};
use asap_dp::one_against_rest::AnyRelease;
use asap_dp::{Bounds, Learner, Loss, MechanismKind, Release, ReplayRng, SecureRng};
use serde_json::json;
use std::fs::{self, File};
use std::io::{self, Read};
use std::num::NonZeroU64;
use std::path::Path;

pub(crate) fn run(arguments: &Fit) -> Result<(), Failure> {
    // All that can be refused without the records is refused before they are read.
    let target =
        Destination::probe(&arguments.out, Existing::of(arguments.overwrite.force), &arguments.inputs())?;
    arguments.problem.only_what_is_used()?;
    if arguments.problem.rows_per_person.is_some() && arguments.person.is_none() {
        return Err(Failure::Usage(
            "--rows-per-person: needs --person, the column that says whom a row is about".to_owned(),
        ));
    }
    let secret = arguments.sign.as_deref().map(key::in_file).transpose()?;
    if arguments.replay_seed.is_some() {
        warn(NOT_PRIVATE);
    }
    let account = arguments.ledger.as_deref().map(Account::open).transpose()?;
    let file = FitFile { arguments, account: account.as_ref() };
    let (release, entered) = if let Some(schema) = arguments.problem.several_classes()? {
        classes::fit(file, &schema)?
    } else {
        let (release, entered) = arguments.problem.for_loss(file)?;
        (AnyRelease::Single(release), entered)
    };
    let release = match secret {
        Some(secret) => signed(release, &secret)?,
        None => release,
    };
    let beside = target.write_or_beside(&(release.to_json() + "\n"))?;
    if let Some(beside) = &beside {
        let (out, beside) = (arguments.out.display(), beside.display());
        warn(&format!("{out} was created during the fit and is kept; this release is in {beside}"));
    }
    let written = beside.as_deref().unwrap_or(&arguments.out);
    if let Some(entered) = entered {
        let noted = entered.released(release.digest());
        noted.map_err(|error| Failure::NotNoted { written: written.to_owned(), error })?;
    }
    if matches!(target, Destination::Stdout) {
        // The release itself is what was asked for.
        return Ok(());
    }
    match (&release, arguments.json) {
        (AnyRelease::Single(release), true) => print_json(&summary(written, release)),
        (AnyRelease::Single(release), false) => print(&report(written, release)?),
        (AnyRelease::Classes(model), true) => print_json(&classes::summary(written, model)),
        (AnyRelease::Classes(model), false) => print(&classes::report(written, model)?),
    }
}

fn signed(release: AnyRelease, secret: &str) -> Result<AnyRelease, Failure> {
    let signed = match release {
        AnyRelease::Single(release) => {
            release.as_checked().clone().sign(secret).map(|it| AnyRelease::Single(it.into()))
        }
        AnyRelease::Classes(model) => model.sign(secret).map(AnyRelease::Classes),
    };
    signed.map_err(|_| Failure::Internal)
}

impl Fit {
    /// Why the file cannot be used, with the flag that helps.
    fn unusable(&self, error: DataError) -> Failure {
        Failure::Data { path: self.data.clone(), error }
    }

    /// What to read: as the schema says, or numbers as they are.
    fn options(&self, schema: Option<Schema>) -> CsvOptions {
        let columns = match schema {
            Some(schema) => Wanted::Schema(schema),
            None => Wanted::Numbers {
                target: self.target.clone().unwrap_or_default(),
                features: self.features.as_ref().map(|names| names.concat()),
                person: self
                    .person
                    .clone()
                    .zip(self.problem.rows_per_person)
                    .map(|(name, rows)| PersonColumn { name, rows }),
            },
        };
        CsvOptions { columns, separator: self.separator }
    }

    /// Every file that is read, or that the fit is entered into.
    fn inputs(&self) -> Vec<&Path> {
        [Some(&self.data), self.ledger.as_ref(), self.sign.as_ref(), self.problem.schema.as_ref()]
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
        let ((release, entered), columns) = self.arguments.with_records(loss, &self)?;
        // Noise was drawn: what goes wrong from here on is no refusal.
        Ok((release.with_columns(columns).map_err(|_| Failure::Internal)?, entered))
    }
}

/// What is done with the records, wherever they are.
trait WithRecords<L: Loss> {
    type Output;
    fn with<S: Here + Sums<Loss = L>>(&self, learner: &Learner, records: &S)
    -> Result<Self::Output, Failure>;
}

impl Fit {
    /// Reads the records, does something with them, and says what their columns are.
    fn with_records<L: Loss, T: WithRecords<L>>(
        &self,
        loss: L,
        task: &T,
    ) -> Result<(T::Output, Schema), Failure> {
        let Self { data, problem, stream, refuse, .. } = self;
        let unusable = |error| self.unusable(error);
        let learner = problem.learner(None)?;
        let policy = if *refuse { OutOfBounds::Refuse } else { OutOfBounds::Clip };
        let schema = problem.table()?;
        let bounds = problem.bounds(schema.as_ref())?;
        let options = self.options(schema);
        if *stream {
            again_and_again(data)?;
            let reading = Stage::begin(&format!("reading {}, now and again for each pass", data.display()));
            let records = Stream::open(data, &options, loss, bounds, policy).map_err(unusable)?;
            drop(reading);
            Ok((task.with(&learner, &records)?, records.columns().clone()))
        } else {
            let file = open(data)?;
            let reading = Stage::begin(&format!("reading {}", data.display()));
            let (records, columns) = read_csv(file, &options, loss, bounds, policy).map_err(unusable)?;
            drop(reading);
            Ok((task.with(&learner, &records)?, columns))
        }
    }
}

impl<'a, L: Loss> WithRecords<L> for FitFile<'a> {
    type Output = (Release, Option<Entered<'a>>);

    /// Plans, enters the fit into the ledger, and only then draws noise.
    fn with<S: Here + Sums<Loss = L>>(
        &self,
        learner: &Learner,
        records: &S,
    ) -> Result<Self::Output, Failure> {
        let failed = |error| Failure::of(error, &self.arguments.data);
        let planning = Stage::begin("planning, from public numbers");
        let public = learner.problem(*records.loss(), records.bounds().clone(), records.dimension())?;
        let refused = |error| remedy::refused(error, &self.arguments.problem, None, &public);
        let plan = learner.plan(&public).map_err(refused)?;
        let kept = if self.arguments.stream { Kept::InTheFile } else { Kept::InMemory };
        let outlook = Outlook::new(&plan, &public, learner, kept)?;
        drop(planning);
        self.heed(outlook.objection(self.arguments.cost_limit))?;
        let _fitting = Stage::begin(&format!("fitting: {}; {}", stages(plan.kind()), outlook.estimate()));
        let ((release, _), entered) = if let Some(seed) = self.arguments.replay_seed {
            plan.release_entered(records, &mut ReplayRng::new(seed), || Ok(None), failed)
        } else {
            let mut rng = SecureRng::new().map_err(Failure::NoRandomness)?;
            let enter = || self.enter(plan.kind().name(), records.bounds());
            plan.release_entered(records, &mut rng, enter, failed)
        }?;
        Ok((release, entered))
    }
}

impl<'a> FitFile<'a> {
    /// Stops at what speaks against the fit, or says it.
    fn heed(&self, objection: Option<String>) -> Result<(), Failure> {
        match objection {
            Some(reason) if self.arguments.yes => warn(&reason),
            Some(reason) => return Err(Failure::NotWorthIt(reason)),
            None => {}
        }
        Ok(())
    }

    /// From here on the budget is spent, all of it in one entry.
    fn enter(&self, mechanism: &str, bounds: &Bounds) -> Result<Option<Entered<'a>>, Failure> {
        let problem = &self.arguments.problem;
        let spending = Spending {
            purpose: Purpose::Fit,
            guarantee: problem.guarantee()?,
            neighbours: problem.neighbours(),
            rows_per_person: bounds.rows_per_person().and_then(NonZeroU64::new),
            mechanism,
            dataset: self.arguments.dataset.as_deref(),
        };
        Ok(self.account.map(|account| account.enter(&spending)).transpose()?)
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

/// Refuses what can be read once only: standard input, a pipe.
fn again_and_again(path: &Path) -> Result<(), Failure> {
    let refused = "--stream: DATA.csv must be a file, because each pass reads it again; standard input or a pipe \
                   can be read only once";
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
    let names = release.columns().map(Schema::parameter_names).unwrap_or_default();
    let names = names.into_iter().chain(["(intercept)".to_owned()]);
    names.zip(release.theta().iter().copied()).collect()
}

fn summary(written: &Path, release: &Release) -> serde_json::Value {
    let coefficients: Vec<_> = coefficients(release)
        .into_iter()
        .map(|(name, value)| json!({ "column": name, "value": value }))
        .collect();
    let mut said = facts(release.as_checked());
    said["out"] = json!(written);
    said["choice"] = json!(release.certificate().choice);
    said["target"] = json!(release.columns().map(|columns| &columns.target.name));
    said["positive"] = json!(positive_class(release));
    said["coefficients"] = coefficients.into();
    said["public_key"] = public_key(release).into();
    said
}

/// The positive class, if it has a name.
fn positive_class(release: &Release) -> Option<String> {
    let named = release.columns().is_some_and(|schema| !matches!(schema.target.kind, TargetKind::Plain(_)));
    release.classes().filter(|_| named).map(|[_, positive]| positive)
}

/// The key with which anyone can verify the signature, if there is one.
fn public_key(release: &Release) -> Option<&str> {
    release.as_checked().signature.as_ref().map(|signature| signature.public_key.as_str())
}

fn report(written: &Path, release: &Release) -> Result<String, Failure> {
    let certificate = release.certificate();
    let clauses = release.check().map_err(|_| Failure::Internal)?.checked.len();
    let mut facts = vec![
        ["written", &written.display().to_string()],
        ["guarantee", &format!("{}, δ = 0", promised(certificate))],
        ["neighbours", &relation(certificate.neighbours, certificate.person.map(|it| it.rows))],
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
    if let Some(schema) = release.columns().filter(|schema| !schema.says_names_only()) {
        let (numbers, texts) = (schema.numbers(), schema.blocks());
        let levels: usize = texts.iter().sum();
        let texts = texts.len();
        facts.push([
            "schema".to_owned(),
            format!("{numbers} columns of numbers, {texts} of {levels} levels, rows to the norm {bound}"),
        ]);
    }
    if let Some(rule) = positive_class(release) {
        facts.push(["positive class".to_owned(), printable(&rule)]);
    }
    if let Some([other, positive]) = certificate.problem.class_weights {
        facts.push([
            "class weights".to_owned(),
            format!("{other} of the other class, {positive} of the positive one"),
        ]);
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
        Some(missed) => format!("{} {:.1} %", compared.mechanism, 100.0 * (1.0 - missed)),
        None => format!("{} refused", compared.mechanism),
    };
    let all: Vec<String> = choice.compared.iter().map(predicted).collect();
    format!("by predicted worth and passes, for {} rows: {}", choice.rows, all.join(", "))
}

/// A column's name without control characters.
pub(crate) fn printable(name: &str) -> String {
    name.chars().flat_map(char::escape_debug).collect()
}
