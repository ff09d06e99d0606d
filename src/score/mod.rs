//! An honest score: how good a released model is on rows that it was not fitted to, through noise of its own. spec: `own:score`
//!
//! Every row is divided among cells, its parts add up to one row, and every cell gets noise: a row more or less moves the cells by 1 in the
//! 1-norm, a row that is replaced by 2 (in the Euclidean norm by 1 and √2). Everything else that a score says follows from the noisy cells.
//!
//! ```
//! use asap_dp::privacy::{Epsilon, Guarantee, Neighbours};
//! use asap_dp::score::{Plan, Report, Tally};
//! use asap_dp::SecureRng;
//! let plan = Plan::of_rows(Guarantee::Pure(Epsilon::new(0.1)?), Neighbours::AddRemove)?;
//! let answer = plan.release(&Tally::rows(10_000)?, &mut SecureRng::new()?)?;
//! answer.check()?;
//! let Some(Report::Rows(rows)) = Report::new(&answer.statement) else { unreachable!() };
//! assert!(rows.low < rows.high && rows.half_width() < 40.0);
//! # Ok::<(), asap_dp::Error>(())
//! ```

mod cells;
mod interval;
mod outlook;
mod report;

pub use cells::Tally;
pub use interval::Estimate;
pub use outlook::Outlook;
pub use report::{Bin, Classes, Errors, Point, Report};

use crate::bounds::Bounds;
use crate::data::{CsvOptions, OutOfBounds, Records, Wanted, range_of_target, read_csv};
use crate::error::Error;
use crate::exact::{div_up, integer_up, mul_up, sqrt_up};
use crate::input::InvalidInput;
use crate::loss::{Logistic, Squared};
use crate::noise::{
    LaplaceScale, Lattice, NormalScale, Provenance, RandomBits, discrete_laplace, rounded_normal,
};
use crate::privacy::{Guarantee, Neighbours};
use crate::release::Release;
use asap_contracts::{
    ANSWER_SCHEMA, Answer, Answering, Claim, Loss, Noise, Question, Randomness, Scored, Statement, Status,
    Unseen,
};
use cells::FINEST;
use outlook::Prospect;
use std::io::Read;

/// Cells and their noise, accepted by the contracts: what is left to do is to count and to draw. spec: `own:score`
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    /// With cells of 0.
    statement: Statement,
    law: Law,
    /// The binary logarithm of the parts of a row that a step of the lattice has.
    coarser: u32,
}

/// The noise of a cell.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Law {
    Laplace(LaplaceScale),
    Normal(NormalScale),
}

/// How many bins a curve has.
const CURVE: u64 = 10;

/// What is asked about a released model.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Asked {
    /// What is declared of the rows.
    pub rows: Unseen,
    /// Classes: how many bins the predicted probabilities are counted in, an even number; 2 for the confusion matrix alone.
    pub bins: Option<u64>,
    /// Numbers: a larger error counts as this one, in the target's units; by default the width of the target's range.
    pub largest_error: Option<f64>,
    /// A public guess of the number of rows, which decides about the bins where nobody does.
    pub expected_rows: Option<u64>,
}

impl Plan {
    /// How many rows there are.
    pub fn of_rows(guarantee: Guarantee, neighbours: Neighbours) -> Result<Self, Error> {
        Self::new(Question::Rows, guarantee, neighbours, 1)
    }

    /// How good a released model is. An edited release is not scored.
    ///
    /// Without a wish there are ten bins if, by the guess of the number of rows, their noise is at most half of the error of sampling, and
    /// two otherwise.
    pub fn of_score(
        release: &Release,
        asked: &Asked,
        guarantee: Guarantee,
        neighbours: Neighbours,
    ) -> Result<Self, Error> {
        release.check()?;
        let model = Scored { release: release.as_checked().digest.clone(), rows: asked.rows };
        // A score is about persons where the release is: rows are read by the same rule.
        let rows_per_person = release.certificate().person.map_or(1, |person| person.rows);
        let with = |question| Self::new(question, guarantee, neighbours, rows_per_person);
        match release.certificate().problem.loss {
            Loss::Logistic if asked.largest_error.is_some() => Err(InvalidInput {
                field: "largest error",
                allowed: "no number: this model predicts classes",
            }
            .into()),
            Loss::Squared | Loss::Huber { .. } if asked.bins.is_some() => Err(InvalidInput {
                field: "bins",
                allowed: "no number: this model predicts numbers, not classes",
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

    /// The same for persons with at most so many rows each: everything that a person moves is so many times larger. That nobody has more
    /// is the caller's word.
    pub fn with_rows_per_person(self, rows: u64) -> Result<Self, Error> {
        let Statement { question, guarantee, neighbours, .. } = self.statement;
        Self::new(question, promised(guarantee)?, related(neighbours), rows)
    }

    /// Proposes a scale; the contracts decide.
    fn new(
        question: Question,
        guarantee: Guarantee,
        neighbours: Neighbours,
        rows_per_person: u64,
    ) -> Result<Self, Error> {
        let scale = |changed: f64, coarser: u32| {
            let parts = f64::from(1_u32 << (FINEST - coarser));
            let moved = integer_up(rows_per_person).and_then(|rows| mul_up(mul_up(rows, changed)?, parts));
            moved.and_then(|moved| div_up(moved, guarantee.parameter())).unwrap_or(f64::INFINITY)
        };
        let changed = neighbours.changed_losses();
        let (law, noise, coarser) = match guarantee {
            Guarantee::Pure(_) => {
                // Whole rows need no finer steps.
                let coarser = if matches!(question, Question::Errors { .. }) { 0 } else { FINEST };
                let law = LaplaceScale::at_least(scale(changed, coarser))?;
                let (numerator, denominator) = (law.numerator().get(), law.denominator().get());
                (
                    Law::Laplace(law),
                    Noise::DiscreteLaplace { exponent: exponent(coarser), numerator, denominator },
                    coarser,
                )
            }
            Guarantee::Gaussian(_) => {
                // √1 and √2.
                let law = NormalScale::at_least(scale(sqrt_up(changed).unwrap_or(f64::INFINITY), 0))?;
                (Law::Normal(law), Noise::RoundedNormal { exponent: exponent(0), steps: law.steps() }, 0)
            }
        };
        let cells = question.cells().and_then(|cells| usize::try_from(cells).ok()).unwrap_or(0);
        let page = if matches!(law, Law::Laplace(_)) { "own:discrete-laplace" } else { "own:rounded-normal" };
        let statement = Statement {
            schema: ANSWER_SCHEMA,
            crate_version: env!("CARGO_PKG_VERSION").to_owned(),
            neighbours: stated(neighbours),
            rows_per_person,
            guarantee: match guarantee {
                Guarantee::Pure(epsilon) => asap_contracts::Guarantee::Pure(epsilon.get()),
                Guarantee::Gaussian(mu) => asap_contracts::Guarantee::Gaussian(mu.get()),
            },
            converted: None,
            question,
            mechanism: Answering::Cells { noise, counts: vec![0; cells] },
            randomness: Randomness::Secure,
            claims: claims(&["own:score", page]),
        };
        Answer::new(statement.clone()).check()?;
        Ok(Self { statement, law, coarser })
    }

    /// What is asked.
    pub fn question(&self) -> &Question {
        &self.statement.question
    }

    /// The noise of each cell.
    pub fn noise(&self) -> Noise {
        match &self.statement.mechanism {
            Answering::Cells { noise, .. } => *noise,
            // A plan has cells.
            Answering::Exponential { .. } => Noise::RoundedNormal { exponent: 0, steps: 1 },
        }
    }

    /// What the answer will be worth with so many rows. Public numbers only.
    pub fn outlook(&self, rows: u64) -> Outlook {
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
                Law::Laplace(scale) => discrete_laplace(scale, rng),
                Law::Normal(scale) => rounded_normal(scale, rng),
            };
            // Nothing is lost: rows are whole numbers of steps.
            Lattice::add(parts >> self.coarser, noise)
        };
        let counts = tally.cells().reveal_to_mechanism().iter().map(noisy).collect();
        let answer = Answer::new(Statement {
            mechanism: Answering::Cells { noise: self.noise(), counts },
            randomness: randomness(R::PROVENANCE),
            ..self.statement.clone()
        });
        answer.check().map_err(Error::NotReleased)?;
        Ok(answer)
    }

    /// Counts the rows of a CSV file that has the columns of the release, its target among them. Rows are read as a fit reads them.
    pub fn tally_csv(
        &self,
        release: &Release,
        reader: impl Read,
        separator: Option<u8>,
    ) -> Result<Tally, Error> {
        let schema = release.columns().ok_or(InvalidInput {
            field: "release",
            allowed: "one that names its columns: made from a CSV file",
        })?;
        let columns = if schema.says_names_only() {
            Wanted::Numbers {
                target: schema.target.name.clone(),
                features: Some(schema.features.iter().map(|it| it.name.clone()).collect()),
                person: schema.person.clone(),
            }
        } else {
            Wanted::Schema(schema.clone())
        };
        let options = CsvOptions { columns, separator };
        let bounds = self.bounds(release)?;
        if let Question::Classes { .. } = self.question() {
            let (records, _) = read_csv(reader, &options, Logistic, bounds, OutOfBounds::Clip)?;
            return self.tally(release, records.features(), records.targets());
        }
        let (records, _) = read_csv(reader, &options, Squared, bounds, OutOfBounds::Clip)?;
        self.tally(release, records.features(), records.targets())
    }

    /// Counts rows of numbers as a fit takes them: what the schema makes of the features, or the features themselves; classes as
    /// 0 and 1 or −1 and 1, other targets in the units of the fit.
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
        let problem = &release.certificate().problem;
        let bounds = Bounds::recorded(problem)?.with_intercept(false)?.with_target(problem.target)?;
        let bounds = bounds.with_max_rows(problem.max_rows)?;
        Ok(match release.certificate().person {
            Some(person) => bounds.with_rows_per_person(person.rows)?,
            None => bounds,
        })
    }

    fn tally(&self, release: &Release, features: &[f64], targets: &[f64]) -> Result<Tally, Error> {
        let predictions = release.predict(features)?;
        let pairs = predictions.into_iter().zip(targets.iter().copied());
        Ok(match *self.question() {
            Question::Classes { bins, .. } => {
                let rows: Vec<(f64, bool)> = pairs.map(|(p, class)| (p, class > 0.0)).collect();
                Tally::classes(self.question(), bins, &rows)?
            }
            Question::Errors { low, high, clip, .. } => {
                let range = release.columns().map_or(Ok(None), range_of_target)?;
                let in_units = |y: f64| range.map_or(y, |range| range.unscaled(y));
                let rows: Vec<(f64, f64)> = pairs.map(|(p, target)| (p, in_units(target))).collect();
                Tally::errors(self.question(), [low, high, clip], &rows)?
            }
            Question::Rows | Question::Quantile { .. } => Tally::rows(targets.len())?,
        })
    }
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

/// The neighbour relation as an answer states it.
pub(crate) fn stated(neighbours: Neighbours) -> asap_contracts::Neighbours {
    match neighbours {
        Neighbours::AddRemove => asap_contracts::Neighbours::AddRemove,
        Neighbours::ReplaceOne => asap_contracts::Neighbours::ReplaceOne,
    }
}

fn related(neighbours: asap_contracts::Neighbours) -> Neighbours {
    match neighbours {
        asap_contracts::Neighbours::AddRemove => Neighbours::AddRemove,
        asap_contracts::Neighbours::ReplaceOne => Neighbours::ReplaceOne,
    }
}

fn promised(guarantee: asap_contracts::Guarantee) -> Result<Guarantee, InvalidInput> {
    Ok(match guarantee {
        asap_contracts::Guarantee::Pure(epsilon) => Guarantee::Pure(crate::privacy::Epsilon::new(epsilon)?),
        asap_contracts::Guarantee::Gaussian(mu) => Guarantee::Gaussian(crate::privacy::Mu::new(mu)?),
    })
}

/// Where the bits came from, as an answer states it.
pub(crate) fn randomness(provenance: Provenance) -> Randomness {
    match provenance {
        Provenance::Secure => Randomness::Secure,
        Provenance::Replay => Randomness::Replay,
    }
}

/// What an answer rests on: proofs, and fair bits.
pub(crate) fn claims(proved: &[&str]) -> Vec<Claim> {
    let claim = |spec: &str, status| Claim { spec: spec.to_owned(), status };
    let proved = proved.iter().map(|spec| claim(spec, Status::Proved));
    [claim("assumptions:randomness", Status::Assumed)].into_iter().chain(proved).collect()
}
