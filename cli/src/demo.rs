//! `asap demo`: the whole way on made-up patients, without arguments; then the mechanisms side by side.

mod comparison;
mod patients;
mod picture;
mod sphere;

use crate::arguments::Demo;
use crate::check::{self, NOT_PRIVATE};
use crate::failure::Failure;
use crate::output::{self, Destination, Existing};
use crate::terminal::{Spinner, bold, print, print_json, table, warn};
use asap_contracts::{Answer, Unseen};
use asap_dp::noise::RandomBits;
use asap_dp::privacy::{Epsilon, Guarantee, Neighbours};
use asap_dp::score::{AnswerPlan, Asked, Estimate, Promise, Report};
use asap_dp::{Learner, Release, ReplayRng, SecureRng};
use comparison::Series;
use patients::{TEST, TRAIN};
use picture::Accuracies;
use serde_json::json;
use std::path::Path;

/// ε of the model that is kept, and those of the picture.
const EPSILON: f64 = 1.0;
const BUDGETS: [f64; 5] = [0.1, 0.3, 1.0, 3.0, 10.0];
/// Numbers of rows that the picture shows.
const SIZES: [usize; 3] = [500, 2_000, TRAIN];
/// Fits for each point of it.
const RUNS: usize = 9;
/// ε of the score, on rows that no fit has seen.
const SCORE: f64 = 0.1;

/// What the demo finds.
struct DemoNumbers {
    release: Release,
    score: Answer,
    accuracy: f64,
    not_private: f64,
    majority: f64,
    lines: Vec<Accuracies>,
    mechanisms: Vec<Series>,
}

pub(crate) fn run(arguments: &Demo) -> Result<(), Failure> {
    let existing = Existing::of(arguments.overwrite.force);
    output::folder(&arguments.out_dir, existing)?;
    let target = |name: &str| Destination::probe(&arguments.out_dir.join(name), existing, &[]);
    let files = [
        "train.csv",
        "test.csv",
        "schema.toml",
        "release.json",
        "score.json",
        "accuracy.svg",
        "mechanisms.svg",
    ];
    let targets = files.into_iter().map(target).collect::<Result<Vec<Destination>, Failure>>()?;
    let found = {
        let _spinner = Spinner::start("fitting made-up records");
        match arguments.replay_seed {
            Some(seed) => {
                warn(NOT_PRIVATE);
                find(&mut ReplayRng::new(seed))?
            }
            None => find(&mut SecureRng::new().map_err(Failure::NoRandomness)?)?,
        }
    };
    // What is checked is what is written, not what is in memory.
    let release = found.release.to_json() + "\n";
    let release_path = arguments.out_dir.join("release.json");
    let verdict = Release::from_json(&release)
        .and_then(|release| release.check())
        .map_err(|error| Failure::Check { path: release_path.clone(), error })?;
    found
        .score
        .check()
        .map_err(|error| Failure::Check { path: arguments.out_dir.join("score.json"), error })?;
    let (train, test) = patients::made_up();
    let texts = [
        train.csv(TRAIN),
        test.csv(TEST),
        patients::SCHEMA.to_owned(),
        release,
        found.score.to_json() + "\n",
        picture::accuracy(&found.lines, [found.not_private, found.majority])?,
        picture::mechanisms(&found.mechanisms)?,
    ];
    for (target, text) in targets.iter().zip(&texts) {
        target.write(text)?;
    }
    if arguments.json {
        return print_json(&found.as_json(&arguments.out_dir, verdict.checked.len())?);
    }
    print(&found.told(&arguments.out_dir, verdict.checked.len())?)
}

/// Fits, scores and compares.
fn find<R: RandomBits>(rng: &mut R) -> Result<DemoNumbers, Failure> {
    let failed = sphere::failed;
    let (train, test) = patients::made_up();
    let (records, features) = (train.records(TRAIN)?, test.features()?);
    let learner = |epsilon: f64, rows: usize| -> Result<Learner, Failure> {
        Ok(Learner::auto().epsilon(epsilon)?.expected_rows(rows as u64))
    };
    let release =
        learner(EPSILON, TRAIN)?.fit(&records, rng).map_err(failed)?.with_columns(patients::schema()?)?;
    let asked =
        Asked { rows: Unseen::Unseen, bins: None, largest_error: None, expected_rows: Some(TEST as u64) };
    let promise = Promise::of_rows(Guarantee::Pure(Epsilon::new(SCORE)?), Neighbours::default());
    let plan = AnswerPlan::of_score(&release, &asked, &promise).map_err(failed)?;
    let tally = plan.tally_csv(&release, test.csv(TEST).as_bytes(), None, None).map_err(failed)?;
    let score = plan.release(&tally, rng).map_err(failed)?;
    let mut lines = Vec::new();
    for rows in SIZES {
        let records = train.records(rows)?;
        let mut means = Vec::new();
        for epsilon in BUDGETS {
            let learner = learner(epsilon, rows)?;
            let mut sum = 0.0;
            for _ in 0..RUNS {
                sum += test.accuracy(&features, learner.fit(&records, rng).map_err(failed)?.theta());
            }
            means.push((epsilon, sum / RUNS as f64));
        }
        lines.push(Accuracies { rows, means });
    }
    let sphere = sphere::records()?;
    let mechanisms = comparison::measure(&sphere, &mut sphere::Judge::new(&sphere)?, rng)?;
    let (accuracy, majority) = (test.accuracy(&features, release.theta()), test.majority());
    let not_private = test.accuracy(&features, &patients::not_private(&records)?);
    Ok(DemoNumbers { release, score, accuracy, not_private, majority, lines, mechanisms })
}

impl DemoNumbers {
    /// What the noise lets through about the accuracy.
    fn scored(&self) -> Result<Estimate, Failure> {
        match Report::new(&self.score.statement) {
            Some(Report::Classes(classes)) => Ok(classes.accuracy),
            _ => Err(Failure::Internal),
        }
    }

    fn as_json(&self, folder: &Path, clauses: usize) -> Result<serde_json::Value, Failure> {
        let picture: Vec<_> = self
            .lines
            .iter()
            .map(|line| json!({ "rows": line.rows, "epsilon_and_accuracy": line.means }))
            .collect();
        let mechanisms: Vec<_> = self
            .mechanisms
            .iter()
            .map(|it| {
                json!({
                    "mechanism": picture::name(it.mechanism), "guarantee": it.guarantee,
                    "excess_risk": it.excess, "median": it.median(),
                })
            })
            .collect();
        Ok(json!({
            "folder": folder,
            "epsilon": EPSILON,
            "accuracy": self.accuracy,
            "not_private": self.not_private,
            "majority": self.majority,
            "score": { "epsilon": SCORE, "accuracy": self.scored()? },
            "clauses": clauses,
            "picture": picture,
            "recipe_of_mechanisms": sphere::recipe(),
            "mechanisms": mechanisms,
        }))
    }

    fn told(&self, folder: &Path, clauses: usize) -> Result<String, Failure> {
        let scored = self.scored()?;
        let rows = [
            [String::new(), "accuracy".to_owned()],
            [format!("private model, ε = {EPSILON}"), format!("{:.3}", self.accuracy)],
            ["the same without privacy".to_owned(), format!("{:.3}", self.not_private)],
            ["majority class".to_owned(), format!("{:.3}", self.majority)],
            [
                format!("private score, ε = {SCORE}"),
                format!(
                    "{} (95 % interval: {:.3} to {:.3})",
                    scored.value.map_or("–".to_owned(), |value| format!("{value:.3}")),
                    scored.low,
                    scored.high
                ),
            ],
        ];
        let certificate = self.release.certificate();
        let shown = |name: &str| folder.join(name).display().to_string();
        let files = table(&[
            [
                shown("release.json"),
                format!(
                    "the model: {}, {}",
                    check::shown(certificate.ledger.total),
                    check::mechanism(&certificate.mechanism)
                ),
            ],
            [shown("score.json"), "the private score".to_owned()],
            [shown("schema.toml"), "what is public about the table".to_owned()],
            [shown("train.csv, test.csv"), "the made-up records".to_owned()],
            [shown("accuracy.svg"), "accuracy against ε, for three numbers of rows".to_owned()],
            [shown("mechanisms.svg"), "the four mechanisms side by side".to_owned()],
        ]);
        Ok(format!(
            "{}\n{TRAIN} made-up patients to learn from, {TEST} to test with. Who returns within 30 days? The columns are age, days,\n\
             ward, admission and diabetes; some cells are empty.\n\n{}\n\
             The first three numbers are computed without noise. They may be shown because the patients are made up.\n\
             The score may always be shown: it has its own budget.\n\n{}\n\
             The certificate holds: {clauses} clauses checked, every constant explicit, rounding paid for.\n\n\
             Next:\n  asap check {}\n  asap predict {} {}\n",
            bold("A private model"),
            table(&rows),
            files,
            shown("release.json"),
            shown("release.json"),
            shown("test.csv"),
        ))
    }
}
