//! Scores, counts and quantiles: numbers in, an answer with its certificate as JSON text out.
//! spec: `own:score`, `own:quantile`

use crate::refusal::{account_error, python_error};
use crate::schema::{Column, whom};
use crate::settings::neighbours;
use asap_contracts::{Answer, Answering, Unseen};
use asap_dp::account::{Account, Purpose, Spending};
use asap_dp::data::FirstRows;
use asap_dp::noise::RandomBits;
use asap_dp::one_against_rest::AnyRelease;
use asap_dp::privacy::{Epsilon, Guarantee, Mu};
use asap_dp::quantile::Quantile;
use asap_dp::score::{AnswerPlan, Asked, Promise, Report, Tally};
use asap_dp::split::{Side, Split};
use asap_dp::{Error, InvalidInput, ReplayRng, SecureRng};
use numpy::{PyArray1, PyReadonlyArray1, PyReadonlyArray2};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use std::num::NonZeroU64;
use std::path::PathBuf;

/// What is promised, where it is entered, and where the noise comes from. A known seed is not
/// private and is entered nowhere.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Asking {
    epsilon: Option<f64>,
    mu: Option<f64>,
    neighbours: String,
    rows_per_person: Option<u64>,
    ledger: Option<PathBuf>,
    dataset: Option<String>,
    replay_seed: Option<u64>,
}

impl Asking {
    fn promise(&self) -> Result<Promise, InvalidInput> {
        let guarantee = match (self.epsilon, self.mu) {
            (Some(epsilon), None) => Guarantee::Pure(Epsilon::new(epsilon)?),
            (None, Some(mu)) => Guarantee::Gaussian(Mu::new(mu)?),
            _ => return Err(InvalidInput { field: "budget", allowed: "either epsilon or mu" }),
        };
        let (neighbours, rows_per_person) =
            (neighbours(&self.neighbours)?, self.rows_per_person.unwrap_or(1));
        Ok(Promise { guarantee, neighbours, rows_per_person })
    }

    /// The ledger must be valid before anything is counted.
    fn account(&self) -> PyResult<Option<Account>> {
        let ledger = self.ledger.as_deref().filter(|_| self.replay_seed.is_none());
        ledger.map(Account::open).transpose().map_err(account_error)
    }

    /// Enters the question into the ledger, and only then draws noise.
    fn answered(&self, py: Python<'_>, account: Option<&Account>, question: &Ready<'_>) -> PyResult<String> {
        let (answer, entered) = if let Some(seed) = self.replay_seed {
            (py.detach(|| question.draw(&mut ReplayRng::new(seed))).map_err(python_error)?, None)
        } else {
            let mut rng = SecureRng::new().map_err(|error| python_error(Error::from(error)))?;
            let Promise { guarantee, neighbours, .. } = self.promise().map_err(python_error)?;
            let spending = Spending {
                purpose: question.purpose(),
                guarantee,
                neighbours,
                rows_per_person: self.rows_per_person.and_then(NonZeroU64::new),
                mechanism: question.purpose().answering(guarantee),
                dataset: self.dataset.as_deref(),
            };
            let entered = account.map(|account| account.enter(&spending)).transpose();
            let entered = entered.map_err(account_error)?;
            (py.detach(|| question.draw(&mut rng)).map_err(python_error)?, entered)
        };
        if let Some(entered) = entered {
            entered.released(&answer.digest).map_err(account_error)?;
        }
        Ok(answer.to_json())
    }
}

/// A question about numbers that are counted.
enum Ready<'a> {
    Cells(Purpose, &'a AnswerPlan, &'a Tally),
    Quantile(&'a Quantile, &'a [f64], Promise),
}

impl Ready<'_> {
    fn purpose(&self) -> Purpose {
        match self {
            Self::Cells(purpose, ..) => *purpose,
            Self::Quantile(..) => Purpose::Quantile,
        }
    }

    fn draw<R: RandomBits>(&self, rng: &mut R) -> Result<Answer, Error> {
        match self {
            Self::Cells(_, plan, tally) => plan.release(tally, rng),
            Self::Quantile(quantile, values, promise) => quantile.answer(values, promise, rng),
        }
    }
}

/// What is asked of a release.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct AskedScore {
    bins: Option<u64>,
    largest_error: Option<f64>,
    expected_rows: Option<u64>,
    seen: bool,
}

fn planned(text: &str, score: &AskedScore, asking: &Asking) -> Result<(AnyRelease, AnswerPlan), Error> {
    let release = AnyRelease::from_json(text)?;
    let asked = Asked {
        rows: if score.seen { Unseen::Seen } else { Unseen::Unseen },
        bins: score.bins,
        largest_error: score.largest_error,
        expected_rows: score.expected_rows,
    };
    let promise = asking.promise()?;
    let plan = match &release {
        AnyRelease::Single(release) => AnswerPlan::of_score(release, &asked, &promise)?,
        AnyRelease::Classes(model) => AnswerPlan::of_labels(model, &asked, &promise)?,
    };
    Ok((release, plan))
}

/// How good a release is on these rows. `useless` is called with what is said of a score that is known to ±0.1 at best,
/// and `fitted` if the ledger has the release; both may raise, and nothing was drawn.
#[pyfunction]
#[allow(clippy::too_many_arguments, reason = "what Python hands over, one by one")]
pub(crate) fn score(
    py: Python<'_>,
    release: &str,
    features: PyReadonlyArray2<'_, f64>,
    targets: PyReadonlyArray1<'_, f64>,
    score: AskedScore,
    asking: Asking,
    useless: Bound<'_, PyAny>,
    fitted: Bound<'_, PyAny>,
) -> PyResult<String> {
    let (release, plan) = planned(release, &score, &asking).map_err(python_error)?;
    let account = asking.account()?;
    let outlook = score.expected_rows.map(|rows| plan.outlook(rows)).filter(|outlook| !outlook.is_useful());
    if let Some(outlook) = outlook {
        useless.call1((outlook.rows, outlook.within, plan.least_rows()))?;
    }
    let has_released = account.as_ref().map(|account| account.has_released(release.digest())).transpose();
    if !score.seen && has_released.map_err(account_error)? == Some(true) {
        fitted.call0()?;
    }
    let rows = features.as_array().iter().copied().collect();
    let targets = targets.as_array().iter().copied().collect();
    let columns = features.as_array().ncols();
    let tally = match &release {
        AnyRelease::Single(release) => plan.tally_rows(release, columns, rows, targets),
        AnyRelease::Classes(model) => plan.tally_labels_rows(model, columns, rows, targets),
    };
    let tally = tally.map_err(python_error)?;
    asking.answered(py, account.as_ref(), &Ready::Cells(Purpose::Score, &plan, &tally))
}

/// What a score will be worth with so many rows, as JSON text: nothing is drawn.
#[pyfunction]
pub(crate) fn score_outlook(release: &str, score: AskedScore, asking: Asking, rows: u64) -> PyResult<String> {
    let (_, plan) = planned(release, &score, &asking).map_err(python_error)?;
    let mut told = serde_json::json!(plan.outlook(rows));
    told["useless_below_rows"] = plan.least_rows().into();
    Ok(told.to_string())
}

/// How many rows there are.
#[pyfunction]
pub(crate) fn count(py: Python<'_>, rows: usize, asking: Asking) -> PyResult<String> {
    let account = asking.account()?;
    let plan = asking
        .promise()
        .map_err(python_error)
        .and_then(|it| AnswerPlan::of_rows(&it).map_err(python_error))?;
    let tally = Tally::rows(rows).map_err(python_error)?;
    asking.answered(py, account.as_ref(), &Ready::Cells(Purpose::Count, &plan, &tally))
}

/// Which of the candidates is next to a quantile of the values.
#[pyfunction]
pub(crate) fn quantile(
    py: Python<'_>,
    values: PyReadonlyArray1<'_, f64>,
    candidates: Vec<f64>,
    q: f64,
    asking: Asking,
) -> PyResult<String> {
    let account = asking.account()?;
    let promise = asking.promise().map_err(python_error)?;
    let quantile = Quantile::new(q, &candidates).map_err(python_error)?;
    quantile.accepts(&promise).map_err(python_error)?;
    // A copy: no other thread changes it while the interpreter's lock is not held.
    let values: Vec<f64> = values.as_array().iter().copied().collect();
    quantile.refuse(&values, &promise).map_err(python_error)?;
    asking.answered(py, account.as_ref(), &Ready::Quantile(&quantile, &values, promise))
}

fn parsed(text: &str) -> PyResult<Answer> {
    Answer::from_json(text).map_err(python_error)
}

/// The text in its canonical form; refuses what is no answer.
#[pyfunction]
pub(crate) fn read_answer(text: &str) -> PyResult<String> {
    Ok(parsed(text)?.to_json())
}

/// What holds and what is assumed, as JSON text; raises `ValueError` with the first clause that does not hold.
#[pyfunction]
pub(crate) fn check_answer(text: &str) -> PyResult<String> {
    let verdict = parsed(text)?.check().map_err(python_error)?;
    serde_json::to_string(&verdict).map_err(|_| PyValueError::new_err("the verdict is not well-formed"))
}

/// What an answer says, as JSON text: metrics with intervals, or the quantile.
#[pyfunction]
pub(crate) fn found(text: &str) -> PyResult<String> {
    let statement = parsed(text)?.statement;
    Ok(match &statement.mechanism {
        Answering::Exponential { value, .. } => serde_json::json!({ "quantile": value }),
        Answering::Cells { .. } => serde_json::json!(Report::new(&statement)),
    }
    .to_string())
}

/// Which rows are to be scored with, by the texts of their cells. spec: `own:split`
#[pyfunction]
pub(crate) fn split<'py>(
    py: Python<'py>,
    columns: Vec<Column<'py>>,
    test: f64,
    key: &str,
) -> PyResult<Bound<'py, PyArray1<bool>>> {
    let split = Split::new(test, key.as_bytes()).map_err(python_error)?;
    let rows = columns.first().map_or(0, Column::len);
    if columns.iter().any(|column| column.len() != rows) {
        return Err(PyValueError::new_err("the table must have one cell of each column for each row"));
    }
    let tested = |k| split.side(columns.iter().map(|column| column.text(k))) == Side::Test;
    Ok(PyArray1::from_iter(py, (0..rows).map(tested)))
}

/// Which rows are among the first ones of their person, so many at most.
#[pyfunction]
pub(crate) fn first_rows<'py>(
    py: Python<'py>,
    person: Column<'py>,
    most: u64,
    marks: Vec<String>,
) -> PyResult<Bound<'py, PyArray1<bool>>> {
    let mut first = FirstRows::new(most);
    let takes = |k: usize| Ok(first.takes(whom(&person, k, &marks)?.as_bytes()));
    Ok(PyArray1::from_vec(py, (0..person.len()).map(takes).collect::<PyResult<_>>()?))
}
