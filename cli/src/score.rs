//! `asap score`: how good a release is on rows that it was not fitted to.

mod picture;

use crate::answer::{DrawsAnswer, tell};
use crate::arguments::{AskingFlags, Score};
use crate::check;
use crate::failure::Failure;
use crate::fit::open;
use crate::output::{Destination, Existing};
use crate::terminal::{Stage, number, print, print_json, table, warn};
use asap_contracts::{Answer, Question, Unseen};
use asap_dp::Error;
use asap_dp::account::Purpose;
use asap_dp::data::DataError;
use asap_dp::noise::RandomBits;
use asap_dp::one_against_rest::AnyRelease;
use asap_dp::score::{AnswerPlan, Asked, ScoreOutlook, Tally};
use asap_dp::split::has_rows_of;
use serde_json::json;
use std::path::{Path, PathBuf};

pub(crate) fn run(arguments: &Score) -> Result<(), Failure> {
    let Score { release: path, data, out, .. } = arguments;
    let mut inputs: Vec<&Path> = vec![path, data];
    inputs.extend(arguments.train.as_deref());
    let release = read(path)?;
    let asking = &arguments.asking.about(&release);
    if arguments.plan {
        let plan = planned(arguments, asking, &release)?;
        return told(arguments, &plan);
    }
    let ready = asking.ready(out, &inputs)?;
    let picture = arguments.svg.as_deref().map(|svg| {
        if svg == out {
            return Err(Failure::Usage("--out, --svg: must be different files".to_owned()));
        }
        Destination::probe(svg, Existing::of(asking.overwrite.force), &inputs)
    });
    let picture = picture.transpose()?;
    let plan = planned(arguments, asking, &release)?;
    if picture.is_some() && !matches!(plan.question(), Question::Classes { bins, .. } if *bins > 2) {
        return Err(Failure::Usage(
            "--svg: needs classes and a curve, for example with --bins 10".to_owned(),
        ));
    }
    let outlook = arguments.expected_rows.map(|rows| plan.outlook(rows));
    if let Some(reason) = outlook.filter(|it| !it.is_useful()).map(|it| useless(&plan, &it)) {
        if !arguments.yes {
            return Err(Failure::NotWorthAsking(reason));
        }
        warn(&reason);
    }
    let unusable = |error| match error {
        DataError::UnknownFeature { ref feature } if asking.person.as_ref() == Some(feature) => {
            Failure::AskedData { path: data.clone(), error }
        }
        error => Failure::NewData { path: data.clone(), error },
    };
    let common = |train: &PathBuf| -> Result<bool, Failure> {
        if [train, data].iter().any(|path| *path == Path::new("-")) {
            return Err(Failure::Usage(
                "--train: compares files, and standard input can be read only once".to_owned(),
            ));
        }
        Ok(train == data || has_rows_of(open(data)?, open(train)?, asking.separator).map_err(unusable)?)
    };
    if let Some(train) = &arguments.train
        && common(train)?
    {
        let reason = format!(
            "it shares a row with {}, to which the release was fitted; asap split divides a file. Nothing was spent. To score \
             these rows all the same, give --seen instead of --train: the answer then says so",
            train.display()
        );
        return Err(Failure::Input { path: data.clone(), reason });
    }
    let account = ready.account.as_ref();
    if !arguments.seen && account.map(|it| it.has_released(release.digest())).transpose()? == Some(true) {
        warn(
            "this ledger says that the release was fitted to its data set, and the score will say that it saw none of these rows. If \
             TEST.csv was not set aside before the fit, give --seen",
        );
    } else if !arguments.seen && arguments.train.is_none() {
        warn(
            "the score will state that the release saw none of these rows. Give --train TRAIN.csv to have the files compared, or \
             --seen if it may have",
        );
    }
    let reading = Stage::begin(&format!("reading {}", data.display()));
    let (file, person) = (open(data)?, asking.person.as_deref());
    let counted = match &release {
        AnyRelease::Single(release) => plan.tally_csv(release, file, asking.separator, person),
        AnyRelease::Classes(model) => plan.tally_labels_csv(model, file, asking.separator, person),
    };
    let tally = counted.map_err(|error| match error {
        Error::Data(error) => unusable(error),
        other => Failure::of(other, path),
    })?;
    drop(reading);
    let Some((answer, written)) = ready.answer(out, data, &Counted { plan: &plan, tally: &tally })? else {
        return Ok(());
    };
    if let Some(picture) = picture {
        picture.write(&picture::draw(&answer)?)?;
    }
    if !release.is_private() {
        warn(check::NOT_PRIVATE);
    }
    tell(asking, &written, &answer, &json!({ "outlook": outlook, "useless_below_rows": plan.least_rows() }))
}

struct Counted<'a> {
    plan: &'a AnswerPlan,
    tally: &'a Tally,
}

impl DrawsAnswer for Counted<'_> {
    fn purpose(&self) -> Purpose {
        Purpose::Score
    }

    fn draw<R: RandomBits>(&self, rng: &mut R) -> Result<Answer, Error> {
        self.plan.release(self.tally, rng)
    }
}

/// A release that holds.
fn read(path: &Path) -> Result<AnyRelease, Failure> {
    let failed = |error| Failure::Check { path: path.to_owned(), error };
    let release = AnyRelease::from_json(&check::read(path)?).map_err(failed)?;
    release.check().map_err(failed)?;
    if release.columns().is_none() {
        let reason = "the release does not name its columns: it was not made from a CSV file".to_owned();
        return Err(Failure::Input { path: path.to_owned(), reason });
    }
    Ok(release)
}

fn planned(arguments: &Score, asking: &AskingFlags, release: &AnyRelease) -> Result<AnswerPlan, Failure> {
    let asked = Asked {
        rows: if arguments.seen { Unseen::Seen } else { Unseen::Unseen },
        bins: arguments.bins,
        largest_error: arguments.largest_error,
        expected_rows: arguments.expected_rows,
    };
    let promise = asking.promise()?;
    let planned = match release {
        AnyRelease::Single(release) => AnswerPlan::of_score(release, &asked, &promise),
        AnyRelease::Classes(model) => AnswerPlan::of_labels(model, &asked, &promise),
    };
    planned.map_err(|error| match error {
        Error::Input(error) if error.field.contains("noise") => Failure::Usage(
            "--epsilon or --mu is too small: the noise would be too large for a number".to_owned(),
        ),
        other => Failure::of(other, &arguments.release),
    })
}

fn useless(plan: &AnswerPlan, outlook: &ScoreOutlook) -> String {
    format!(
        "With {} rows this score would be known to ±{} at best, at this budget; below about {} rows it is of no use.",
        outlook.rows,
        number(outlook.within),
        plan.least_rows()
    )
}

/// What the score would be worth.
fn told(arguments: &Score, plan: &AnswerPlan) -> Result<(), Failure> {
    let numbers = arguments.expected_rows.map_or(vec![200, 1000, 5000, 25_000], |rows| vec![rows]);
    let outlooks: Vec<ScoreOutlook> = numbers.into_iter().map(|rows| plan.outlook(rows)).collect();
    if arguments.asking.json {
        return print_json(&json!({
            "question": plan.question(), "noise": plan.noise(), "outlook": outlooks,
            "useless_below_rows": plan.least_rows(),
        }));
    }
    let what = match plan.question() {
        Question::Errors { .. } => "mean error, of the largest, within ±",
        _ => "accuracy within ±",
    };
    let mut rows = vec![["rows", what, "without noise ±", "AUC within ±"].map(str::to_owned)];
    rows.extend(outlooks.iter().map(|it| {
        let auc = it.auc_within.map_or("–".to_owned(), number);
        [it.rows.to_string(), number(it.within), number(it.by_sampling), auc]
    }));
    print(&format!(
        "{}\nUseless below about {} rows (±0.1). Nothing was drawn, and no record was read.\n",
        table(&rows),
        plan.least_rows()
    ))
}
