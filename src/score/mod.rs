//! An honest score: how good a released model is on rows that it was not fitted to, through noise of its own.
//! spec: `own:score`
//!
//! Every row is divided among cells, its parts add up to one row, and every cell gets noise: a row more or less moves
//! the cells by 1 in the 1-norm, a row that is replaced by 2 (in the Euclidean norm by 1 and √2). Everything else that
//! a score says follows from the noisy cells.
//!
//! ```
//! use asap_dp::privacy::{Epsilon, Guarantee, Neighbours};
//! use asap_dp::score::{AnswerPlan, Promise, Report, Tally};
//! use asap_dp::SecureRng;
//! let promise = Promise::of_rows(Guarantee::Pure(Epsilon::new(0.1)?), Neighbours::AddRemove);
//! let plan = AnswerPlan::of_rows(&promise)?;
//! let answer = plan.release(&Tally::rows(10_000)?, &mut SecureRng::new()?)?;
//! answer.check()?;
//! let Some(Report::Rows(rows)) = Report::new(&answer.statement) else { unreachable!() };
//! assert!(rows.low < rows.high && rows.half_width() < 40.0);
//! # Ok::<(), asap_dp::Error>(())
//! ```

mod cells;
mod interval;
mod labels;
mod outlook;
mod promise;
mod report;

pub use cells::Tally;
pub use interval::Estimate;
pub use outlook::ScoreOutlook;
pub use promise::Promise;
pub(crate) use promise::claims;
pub use report::{Bin, ClassMeasures, CurvePoint, Errors, LabelMeasures, Report};

use crate::bounds::Bounds;
use crate::data::{CsvOptions, OutOfBounds, Records, range_of_target, read_csv};
use crate::error::Error;
use crate::exact::{div_up, integer_up, mul_up, sqrt_up};
use crate::input::InvalidInput;
use crate::loss::{Logistic, Squared};
use crate::noise::{LaplaceScale, Lattice, NormalScale, RandomBits, discrete_laplace, rounded_normal};
use crate::privacy::Guarantee;
use crate::release::Release;
use crate::split::first_rows;
use asap_contracts::{
    ANSWER_SCHEMA, Answer, Answering, Loss, Noise, Question, Randomness, Schema, Scored, Statement, Unseen,
};
use cells::FINEST;
use outlook::Prospect;
use std::io::Read;

/// Cells and their noise, accepted by the contracts: what is left to do is to count and to draw. spec: `own:score`
#[derive(Clone, Debug, PartialEq)]
pub struct AnswerPlan {
    promise: Promise,
    /// With cells of 0.
    statement: Statement,
    law: CountNoise,
    /// The binary logarithm of the parts of a row that a step of the lattice has.
    coarser: u32,
}

/// The noise of a cell.
#[derive(Clone, Copy, Debug, PartialEq)]
enum CountNoise {
    Laplace(LaplaceScale),
    Normal(NormalScale),
}

impl CountNoise {
    /// What an answer says of it, on a lattice that is so much coarser than the finest.
    fn recorded(self, coarser: u32) -> Noise {
        let exponent = exponent(coarser);
        match self {
            Self::Laplace(law) => {
                let (numerator, denominator) = (law.numerator().get(), law.denominator().get());
                Noise::DiscreteLaplace { exponent, numerator, denominator }
            }
            Self::Normal(law) => Noise::RoundedNormal { exponent, steps: law.steps() },
        }
    }
}

/// How many bins a curve has.
const CURVE: u64 = 10;

/// What is asked about a released model.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Asked {
    /// What is declared of the rows.
    pub rows: Unseen,
    /// Classes: how many bins the predicted probabilities are counted in, an even number; 2 for
    /// the confusion matrix alone.
    pub bins: Option<u64>,
    /// Numbers: a larger error counts as this one, in the target's units; by default the width of the target's range.
    pub largest_error: Option<f64>,
    /// A public guess of the number of rows, which decides the number of bins if `bins` is not given.
    pub expected_rows: Option<u64>,
}

impl AnswerPlan {
    /// How many rows there are.
    pub fn of_rows(promise: &Promise) -> Result<Self, Error> {
        Self::new(Question::Rows, promise)
    }

    /// The plan of an answer, from its public numbers: for those who try it again. An edited answer has none.
    pub fn of_answer(answer: &Answer) -> Result<Self, Error> {
        answer.check()?;
        let allowed = "a score or a count, with the noise of this version";
        let other = InvalidInput { field: "answer", allowed };
        let statement = &answer.statement;
        let Answering::Cells { noise, .. } = &statement.mechanism else { return Err(other.into()) };
        let plan = Self::new(statement.question.clone(), &Promise::stated_by(statement)?)?;
        if *noise == plan.noise() { Ok(plan) } else { Err(other.into()) }
    }

    /// How good a released model is. An edited release is not scored.
    ///
    /// Without a wish there are ten bins if, by the guess of the number of rows, their noise is at most half of the
    /// error of sampling, and two otherwise.
    pub fn of_score(release: &Release, asked: &Asked, promise: &Promise) -> Result<Self, Error> {
        release.check()?;
        let model = Scored { release: release.as_checked().digest.clone(), rows: asked.rows };
        let with = |question| Self::new(question, promise);
        match release.certificate().problem.loss {
            Loss::Logistic if asked.largest_error.is_some() => {
                Err(InvalidInput { field: "largest error", allowed: "left out: this model predicts classes" }
                    .into())
            }
            Loss::Squared | Loss::Huber { .. } if asked.bins.is_some() => Err(InvalidInput {
                field: "bins",
                allowed: "left out: this model predicts numbers, not classes",
            }
            .into()),
            Loss::Logistic => {
                let classes = |bins| with(Question::Classes { model: model.clone(), bins });
                match (asked.bins, asked.expected_rows) {
                    (Some(bins), _) if !(2..=1000).contains(&bins) || bins % 2 != 0 => {
                        Err(InvalidInput { field: "bins", allowed: "an even number from 2 to 1000" }.into())
                    }
                    (Some(bins), _) => classes(bins),
                    (None, None) => classes(2),
                    (None, Some(rows)) => {
                        let curve = classes(CURVE)?;
                        let (_, [variance, _]) = outlook::moments(&curve.noise());
                        // A quarter of the variance n/4 of sampling, against that of 2·CURVE cells with weights of ½.
                        if rows as f64 >= 8.0 * CURVE as f64 * variance { Ok(curve) } else { classes(2) }
                    }
                }
            }
            Loss::Squared | Loss::Huber { .. } => {
                let [low, high] = range(release)?;
                let clip =
                    InvalidInput::positive("largest error", asked.largest_error.unwrap_or(high - low))?;
                with(Question::Errors { model, low, high, clip })
            }
            Loss::User { .. } => {
                let allowed = "one of the losses logistic, squared and huber";
                Err(InvalidInput { field: "release", allowed }.into())
            }
        }
    }

    /// Proposes a scale; the contracts decide.
    fn new(question: Question, promise: &Promise) -> Result<Self, Error> {
        let Promise { guarantee, neighbours, rows_per_person } = *promise;
        if rows_per_person == 0 {
            return Err(InvalidInput { field: "rows per person", allowed: "a whole number from 1" }.into());
        }
        let scale = |changed: f64, coarser: u32| {
            let parts = f64::from(1_u32 << (FINEST - coarser));
            let moved = integer_up(rows_per_person).and_then(|rows| mul_up(mul_up(rows, changed)?, parts));
            moved.and_then(|moved| div_up(moved, guarantee.parameter())).unwrap_or(f64::INFINITY)
        };
        let changed = neighbours.changed_losses() as f64;
        let (law, coarser) = match guarantee {
            Guarantee::Pure(_) => {
                // Whole rows need no finer steps.
                let coarser = if matches!(question, Question::Errors { .. }) { 0 } else { FINEST };
                (CountNoise::Laplace(LaplaceScale::at_least(scale(changed, coarser))?), coarser)
            }
            Guarantee::Gaussian(_) => {
                // √1 and √2.
                let root = sqrt_up(changed).unwrap_or(f64::INFINITY);
                (CountNoise::Normal(NormalScale::at_least(scale(root, 0))?), 0)
            }
        };
        let cells = question.cells().and_then(|cells| usize::try_from(cells).ok()).unwrap_or(0);
        let page =
            if matches!(law, CountNoise::Laplace(_)) { "own:discrete-laplace" } else { "own:rounded-normal" };
        let statement = Statement {
            schema: ANSWER_SCHEMA,
            crate_version: env!("CARGO_PKG_VERSION").to_owned(),
            neighbours: promise.neighbours,
            rows_per_person,
            guarantee: promise.stated_guarantee(),
            converted: None,
            question,
            mechanism: Answering::Cells { noise: law.recorded(coarser), counts: vec![0; cells] },
            randomness: Randomness::Secure,
            claims: claims(&["own:score", page]),
        };
        Answer::new(statement.clone()).check()?;
        Ok(Self { promise: *promise, statement, law, coarser })
    }

    /// What is promised.
    pub fn promise(&self) -> &Promise {
        &self.promise
    }

    /// What is asked.
    pub fn question(&self) -> &Question {
        &self.statement.question
    }

    /// The noise of each cell.
    pub fn noise(&self) -> Noise {
        self.law.recorded(self.coarser)
    }

    /// What the answer will be worth with so many rows. Public numbers only.
    pub fn outlook(&self, rows: u64) -> ScoreOutlook {
        Prospect::new(self.question(), &self.noise()).at(rows)
    }

    /// Below about so many rows the answer will be of no use: known to ±0.1 at best.
    pub fn least_rows(&self) -> u64 {
        Prospect::new(self.question(), &self.noise()).least_rows()
    }

    /// Adds noise to every cell. The answer may leave. spec: `own:score`
    pub fn release<R: RandomBits>(&self, tally: &Tally, rng: &mut R) -> Result<Answer, Error> {
        if tally.question() != self.question() {
            return Err(InvalidInput {
                field: "tally",
                allowed: "what was counted for the question of the plan",
            }
            .into());
        }
        rng.begin()?;
        let noisy = |parts: &i64| {
            let noise = match self.law {
                CountNoise::Laplace(scale) => discrete_laplace(scale, rng),
                CountNoise::Normal(scale) => rounded_normal(scale, rng),
            };
            // Nothing is lost: rows are whole numbers of steps.
            Lattice::add(parts >> self.coarser, noise)
        };
        let counts = tally.cells().reveal_to_mechanism().iter().map(noisy).collect();
        let answer = Answer::new(Statement {
            mechanism: Answering::Cells { noise: self.noise(), counts },
            randomness: R::PROVENANCE,
            ..self.statement.clone()
        });
        answer.check().map_err(Error::NotReleased)?;
        Ok(answer)
    }

    /// Counts the rows of a CSV file that has the columns of the release, its target among them. Rows are read as
    /// a fit reads them. If a column says whom a row is about, no person has more rows than the promise says:
    /// further ones are left out.
    pub fn tally_csv(
        &self,
        release: &Release,
        reader: impl Read,
        separator: Option<u8>,
        person: Option<&str>,
    ) -> Result<Tally, Error> {
        self.first_rows_of(reader, separator, person, release.columns(), |reader, separator| {
            let options = options(release.columns(), separator, person)?;
            let bounds = self.bounds(release)?;
            if let Question::Classes { .. } = self.question() {
                let (records, _) = read_csv(reader, &options, Logistic, bounds, OutOfBounds::Clip)?;
                return self.tally(release, records.features(), records.targets());
            }
            let (records, _) = read_csv(reader, &options, Squared, bounds, OutOfBounds::Clip)?;
            self.tally(release, records.features(), records.targets())
        })
    }

    /// Counts what is read of a file; of each person the first rows only, where a column says whom a row is about.
    fn first_rows_of(
        &self,
        mut reader: impl Read,
        separator: Option<u8>,
        person: Option<&str>,
        columns: Option<&Schema>,
        count: impl FnOnce(&mut dyn Read, Option<u8>) -> Result<Tally, Error>,
    ) -> Result<Tally, Error> {
        let Some(person) = person else { return count(&mut reader, separator) };
        let marks = columns.map_or(&[][..], |schema| &schema.marks);
        let (text, separator) = first_rows(reader, separator, person, self.promise.rows_per_person, marks)?;
        count(&mut text.as_bytes(), Some(separator))
    }

    /// Counts rows of numbers as a fit takes them: what the schema makes of the features, or the features themselves;
    /// classes as 0 and 1 or −1 and 1, other targets in the units of the fit.
    pub fn tally_rows(
        &self,
        release: &Release,
        dimension: usize,
        features: Vec<f64>,
        targets: Vec<f64>,
    ) -> Result<Tally, Error> {
        let (bounds, clip) = (self.bounds(release)?, OutOfBounds::Clip);
        if let Question::Classes { .. } = self.question() {
            let records = Records::with_dimension(Logistic, bounds, clip, dimension, features, targets)?;
            return self.tally(release, records.features(), records.targets());
        }
        let records = Records::with_dimension(Squared, bounds, clip, dimension, features, targets)?;
        self.tally(release, records.features(), records.targets())
    }

    /// The bounds of the fit; an intercept is for the prediction to add.
    fn bounds(&self, release: &Release) -> Result<Bounds, Error> {
        if self.question().model().map(|model| &model.release) != Some(&release.as_checked().digest) {
            return Err(InvalidInput { field: "release", allowed: "the one that the plan is for" }.into());
        }
        bounds_of(&release.certificate().problem)
    }

    fn tally(&self, release: &Release, features: &[f64], targets: &[f64]) -> Result<Tally, Error> {
        let predictions = release.predict(features)?;
        let pairs = predictions.into_iter().zip(targets.iter().copied());
        let range = match self.question() {
            Question::Errors { .. } => release.columns().map_or(Ok(None), range_of_target)?,
            _ => None,
        };
        let in_units = |y: f64| range.map_or(y, |range| range.unscaled(y));
        let rows: Vec<(f64, f64)> =
            pairs.map(|(prediction, target)| (prediction, in_units(target))).collect();
        Ok(Tally::of_predictions(self.question(), &rows)?)
    }
}

/// The bounds of a fit, without an intercept.
fn bounds_of(problem: &asap_contracts::Problem) -> Result<Bounds, Error> {
    let bounds = Bounds::recorded(problem)?.with_intercept(false)?.with_target(problem.target)?;
    Ok(bounds.with_max_rows(problem.max_rows)?)
}

/// How the rows of a file are read that has the columns of a release; whom they are about was looked at before.
fn options(
    columns: Option<&Schema>,
    separator: Option<u8>,
    person: Option<&str>,
) -> Result<CsvOptions, InvalidInput> {
    let schema = columns.ok_or(InvalidInput {
        field: "release",
        allowed: "one that names its columns: made from a CSV file",
    })?;
    let options = if schema.says_names_only() {
        CsvOptions::of_numbers(
            &schema.target.name,
            schema.features.iter().map(|it| it.name.clone()).collect(),
        )
    } else {
        let mut schema = schema.clone();
        schema.ignored.extend(schema.person.take().map(|person| person.name));
        let unknown = person.filter(|person| !schema.columns().any(|name| name == person));
        schema.ignored.extend(unknown.map(str::to_owned));
        CsvOptions::of_schema(schema)
    };
    Ok(CsvOptions { separator, ..options })
}

/// The exponent of a lattice whose step is so many parts of a row.
fn exponent(coarser: u32) -> i32 {
    -i32::try_from(FINEST - coarser).unwrap_or(0)
}

/// The public range of the target, in its units.
fn range(release: &Release) -> Result<[f64; 2], InvalidInput> {
    let bound = release.certificate().problem.target;
    let range = release.columns().map_or(Ok(None), range_of_target)?;
    Ok(range.map_or([-bound, bound], |range| [range.unscaled(-1.0), range.unscaled(1.0)]))
}
