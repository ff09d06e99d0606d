//! What all answers share: budget, ledger, signature, file; and how one is checked.

use crate::arguments::AskingFlags;
use crate::check::{Checkable, Inspection, NOT_PRIVATE, listed, relation, shown};
use crate::failure::Failure;
use crate::fit::{open, printable};
use crate::key;
use crate::output::{Destination, Existing};
use crate::terminal::{bold, number, print, print_json, table, warn};
use asap_contracts::{Answer, Answering, CheckFailed, Findings, Question, Randomness, Unseen};
use asap_dp::account::{Account, Purpose, Spending};
use asap_dp::data::WholeRows;
use asap_dp::noise::RandomBits;
use asap_dp::one_against_rest::AnyRelease;
use asap_dp::privacy::{Epsilon, Guarantee, Mu};
use asap_dp::score::{Estimate, Promise, Report};
use asap_dp::split::first_rows;
use asap_dp::{Error, ReplayRng, SecureRng};
use serde_json::{Value, json};
use std::io::{Cursor, Read};
use std::num::NonZeroU64;
use std::path::{Path, PathBuf};

/// A question that is about to be answered: everything that can be refused without the records has been.
pub(crate) struct ReadyQuestion<'a> {
    asking: &'a AskingFlags,
    target: Destination,
    secret: Option<String>,
    pub(crate) account: Option<Account>,
    pub(crate) promise: Promise,
}

/// What draws the answer.
pub(crate) trait DrawsAnswer {
    fn purpose(&self) -> Purpose;
    fn draw<R: RandomBits>(&self, rng: &mut R) -> Result<Answer, Error>;
}

impl AskingFlags {
    pub(crate) fn promise(&self) -> Result<Promise, Failure> {
        let guarantee = match (self.epsilon, self.mu) {
            (Some(epsilon), _) => Guarantee::Pure(Epsilon::new(epsilon)?),
            (None, Some(mu)) => Guarantee::Gaussian(Mu::new(mu)?),
            (None, None) => {
                return Err(Failure::Usage("--epsilon or --mu is needed".to_owned()));
            }
        };
        let (neighbours, rows_per_person) = (self.neighbours.relation(), self.rows_per_person.unwrap_or(1));
        Ok(Promise { guarantee, neighbours, rows_per_person })
    }

    /// The same about the persons of a release, if it has some and no flag says otherwise.
    pub(crate) fn about(&self, release: &AnyRelease) -> Self {
        let person = release.columns().and_then(|columns| columns.person.clone());
        match (person, self.rows_per_person) {
            (Some(person), None) => {
                Self { person: Some(person.name), rows_per_person: Some(person.rows), ..self.clone() }
            }
            _ => self.clone(),
        }
    }

    /// The rows of a file, of each person as many as are promised.
    pub(crate) fn rows(&self, data: &Path) -> Result<WholeRows<Box<dyn Read>>, Failure> {
        let unusable = |error| Failure::AskedData { path: data.to_owned(), error };
        let file = open(data)?;
        let (reader, separator): (Box<dyn Read>, _) = match &self.person {
            None => (file, self.separator),
            Some(person) => {
                let most = self.rows_per_person.unwrap_or(1);
                let (text, separator) =
                    first_rows(file, self.separator, person, most, &[]).map_err(unusable)?;
                (Box::new(Cursor::new(text.into_bytes())), Some(separator))
            }
        };
        WholeRows::open(reader, separator).map_err(unusable)
    }

    /// Refuses what can be refused before the records are read.
    pub(crate) fn ready(&self, out: &Path, inputs: &[&Path]) -> Result<ReadyQuestion<'_>, Failure> {
        let mut inputs = inputs.to_vec();
        inputs.extend(self.ledger.iter().chain(&self.sign).map(PathBuf::as_path));
        let ready = ReadyQuestion {
            asking: self,
            target: Destination::probe(out, Existing::of(self.overwrite.force), &inputs)?,
            secret: self.sign.as_deref().map(key::in_file).transpose()?,
            account: self.ledger.as_deref().map(Account::open).transpose()?,
            promise: self.promise()?,
        };
        if self.replay_seed.is_some() {
            warn(NOT_PRIVATE);
        }
        Ok(ready)
    }
}

impl ReadyQuestion<'_> {
    /// Enters the question into the ledger, and only then draws noise; writes the answer. Returns where, unless it
    /// went to standard output.
    pub(crate) fn answer(
        &self,
        out: &Path,
        data: &Path,
        draw: &impl DrawsAnswer,
    ) -> Result<Option<(Answer, PathBuf)>, Failure> {
        let failed = |error| Failure::of(error, data);
        let Promise { guarantee, neighbours, .. } = self.promise;
        let (answer, entered) = if let Some(seed) = self.asking.replay_seed {
            (draw.draw(&mut ReplayRng::new(seed)).map_err(failed)?, None)
        } else {
            let mut rng = SecureRng::new().map_err(Failure::NoRandomness)?;
            let account = self.account.as_ref();
            let spending = Spending {
                purpose: draw.purpose(),
                guarantee,
                neighbours,
                rows_per_person: self.asking.rows_per_person.and_then(NonZeroU64::new),
                mechanism: draw.purpose().answering(guarantee),
                dataset: self.asking.dataset.as_deref(),
            };
            let entered = account.map(|account| account.enter(&spending)).transpose()?;
            (draw.draw(&mut rng).map_err(failed)?, entered)
        };
        let answer = match &self.secret {
            Some(secret) => answer.sign(secret).map_err(|_| Failure::Internal)?,
            None => answer,
        };
        let beside = self.target.write_or_beside(&(answer.to_json() + "\n"))?;
        if let Some(beside) = &beside {
            let (out, beside) = (out.display(), beside.display());
            warn(&format!("{out} was created meanwhile and is kept; this answer is in {beside}"));
        }
        let written = beside.unwrap_or_else(|| out.to_owned());
        if let Some(entered) = entered {
            let noted = entered.released(&answer.digest);
            noted.map_err(|error| Failure::NotNoted { written: written.clone(), error })?;
        }
        Ok((!matches!(self.target, Destination::Stdout)).then_some((answer, written)))
    }
}

/// What is printed about an answer that was written.
pub(crate) fn tell(
    asking: &AskingFlags,
    written: &Path,
    answer: &Answer,
    more: &Value,
) -> Result<(), Failure> {
    let clauses = answer.check().map_err(|_| Failure::Internal)?.checked.len();
    if asking.json {
        let mut said = summary(answer);
        said["out"] = json!(written);
        said["public_key"] = json!(answer.signature.as_ref().map(|by| &by.public_key));
        if let (Value::Object(said), Value::Object(more)) = (&mut said, more) {
            said.extend(more.clone());
        }
        return print_json(&said);
    }
    let mut facts = vec![["written".to_owned(), written.display().to_string()]];
    facts.extend(about(answer));
    facts.push(["checked".to_owned(), format!("{clauses} clauses hold")]);
    if let Some(by) = &answer.signature {
        facts.push(["public key".to_owned(), by.public_key.clone()]);
    }
    print(&format!("{}\n{}", table(&facts), findings(answer)))
}

fn summary(answer: &Answer) -> Value {
    let statement = &answer.statement;
    json!({
        "private": statement.randomness == Randomness::Secure,
        "guarantee": statement.guarantee,
        "converted_epsilon": statement.converted,
        "neighbours": statement.neighbours,
        "rows_per_person": statement.rows_per_person,
        "question": statement.question,
        "digest": answer.digest,
        "found": found(answer),
    })
}

/// The metrics, or the number itself.
fn found(answer: &Answer) -> Value {
    match &answer.statement.mechanism {
        Answering::Exponential { value, .. } => json!({ "quantile": value }),
        Answering::Cells { .. } => json!(Report::new(&answer.statement)),
    }
}

/// Question and guarantee.
fn about(answer: &Answer) -> Vec<[String; 2]> {
    let statement = &answer.statement;
    let asked = match &statement.question {
        Question::Rows => "how many rows".to_owned(),
        Question::Classes { bins, .. } => format!("classes, {bins} bins of the predicted probability"),
        Question::Labels { classes, .. } => format!("{} classes, each right or wrong", classes.len()),
        Question::Errors { low, high, clip, .. } => {
            format!("errors up to {} of targets from {} to {}", number(*clip), number(*low), number(*high))
        }
        Question::Quantile { millionths, candidates } => {
            format!("the quantile {}, one of {} numbers", *millionths as f64 / 1e6, candidates.len())
        }
    };
    let mut facts = vec![["asked".to_owned(), asked]];
    if let Some(model) = statement.question.model() {
        facts.push(["release".to_owned(), model.release.clone()]);
        let rows = match model.rows {
            Unseen::Unseen => "declared: none that the release was fitted to",
            Unseen::Seen => {
                "the release may have been fitted to them: budgets add up, and the score flatters"
            }
        };
        facts.push(["rows".to_owned(), rows.to_owned()]);
    }
    let private = statement.randomness == Randomness::Secure;
    let persons = Some(statement.rows_per_person).filter(|rows| *rows > 1);
    facts.extend([
        ["guarantee".to_owned(), format!("{}, δ = 0", shown(statement.guarantee))],
        ["neighbours".to_owned(), relation(statement.neighbours, persons)],
        ["rows of a person".to_owned(), format!("{} at most", statement.rows_per_person)],
        ["private".to_owned(), if private { "yes" } else { "NO: noise from a known seed" }.to_owned()],
    ]);
    facts
}

/// The metrics with their intervals.
fn findings(answer: &Answer) -> String {
    let row = |name: &str, it: &Estimate| {
        let value = it.value.map_or("–".to_owned(), number);
        [name.to_owned(), value, format!("{} to {}", number(it.low), number(it.high))]
    };
    let mut rows =
        vec![[String::new(), "released".to_owned(), "95 % interval, sampling and noise".to_owned()]];
    let mut more = String::new();
    match Report::new(&answer.statement) {
        Some(Report::Rows(count)) => {
            "95 % interval".clone_into(&mut rows[0][2]);
            rows.push(row("rows", &count));
        }
        Some(Report::Errors(it)) => {
            rows.push(row("rows (noise only)", &it.rows));
            rows.push(row("mean absolute error", &it.mean_absolute));
            rows.push(row("mean squared error", &it.mean_squared));
            rows.push(row("R² (0: the middle of the range)", &it.r_squared));
        }
        Some(Report::Labels(it)) => {
            rows.push(row("rows (noise only)", &it.rows));
            rows.push(row("accuracy", &it.accuracy));
            rows.push(row("most frequent class", &it.majority));
            rows.push(row("balanced accuracy", &it.balanced_accuracy));
            rows.extend(
                it.recalls
                    .iter()
                    .map(|(class, recall)| row(&format!("right of {}", printable(class)), recall)),
            );
        }
        Some(Report::Classes(it)) => {
            rows.push(row("rows (noise only)", &it.rows));
            rows.push(row("accuracy", &it.accuracy));
            rows.push(row("majority class", &it.majority));
            rows.push(row("balanced accuracy", &it.balanced_accuracy));
            rows.push(row("precision", &it.precision));
            rows.push(row("recall", &it.recall));
            rows.push(row("F1", &it.f1));
            rows.extend(it.auc.iter().map(|auc| row("AUC of the bins", auc)));
            if !it.calibration.is_empty() {
                let mut bins =
                    vec![["predicted".to_owned(), "positive".to_owned(), "95 % interval".to_owned()]];
                bins.extend(
                    it.calibration
                        .iter()
                        .map(|bin| row(&format!("{} to {}", number(bin.from), number(bin.to)), &bin.share)),
                );
                more = format!("\n{}", table(&bins));
            }
        }
        None => {
            if let Answering::Exponential { value, .. } = &answer.statement.mechanism {
                return table(&[["quantile".to_owned(), value.to_string()]]);
            }
        }
    }
    table(&rows) + &more
}

impl Checkable for Answer {
    fn read(path: &Path, text: &str) -> Result<Self, (Failure, CheckFailed)> {
        let failure = |error: &CheckFailed| Failure::Check { path: path.to_owned(), error: error.clone() };
        Self::from_json(text).map_err(|error| (failure(&error), error))
    }

    fn judge(&self, key: Option<&str>) -> Result<Findings, CheckFailed> {
        let bare = |file: &Self| Self { signature: None, ..file.clone() };
        Inspection { check: Self::check, verify: Self::verify, bare }.of(self, key)
    }

    fn is_private(&self) -> bool {
        self.statement.randomness == Randomness::Secure
    }

    fn weakness(&self) -> Option<&'static str> {
        (!self.is_private()).then_some("the answer is not private")
    }

    fn summary(&self) -> Value {
        summary(self)
    }

    fn report(&self, verdict: &Findings) -> String {
        let [holds, assumed] = listed(verdict);
        format!(
            "{}\n{holds}\n{}\n{assumed}\n{}\n{}\n{}",
            bold("Derived again from the answer's own numbers, in exact arithmetic"),
            bold("Assumed: what no check of this file can show"),
            table(&about(self)),
            findings(self),
            bold(&format!("All {} clauses hold.\n", verdict.checked.len())),
        )
    }
}
