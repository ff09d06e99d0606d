//! One fit: records in, a release as JSON text out.

use crate::interrupt::beside;
use crate::matrix::Matrix;
use crate::refusal::{account_error, python_error};
use crate::schema::plain;
use crate::settings::{Settings, each_loss};
use asap_dp::account::{Account, Entered};
use asap_dp::data::Schema;
use asap_dp::objective::{Interruptible, Sums};
use asap_dp::plan::Plan;
use asap_dp::{Error, Release, ReplayRng, SecureRng};
use numpy::PyReadonlyArray1;
use pyo3::prelude::*;
use std::path::PathBuf;
use std::sync::atomic::AtomicBool;

/// What is known of the columns besides the schema: names of the features and of the target, and what stands for missing numbers.
pub(crate) type Names = (Vec<String>, String, Option<f64>);

/// Where a fit is entered, and where its noise comes from. A fit from a known seed is not private and is entered nowhere.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Surroundings {
    ledger: Option<PathBuf>,
    replay_seed: Option<u64>,
}

/// Learns a model that may be released; the release as JSON text.
///
/// `names` are those of the columns where there is no schema. `stage` is called with the name of what begins; the names and their
/// number are the same for all records. A `replay_seed` makes the release **not private**, and it says so.
#[pyfunction]
#[pyo3(signature = (features, targets, settings, surroundings, names=None, stage=None))]
pub(crate) fn fit(
    py: Python<'_>,
    features: Matrix<'_>,
    targets: PyReadonlyArray1<'_, f64>,
    settings: Settings,
    surroundings: Surroundings,
    names: Option<Names>,
    stage: Option<Bound<'_, PyAny>>,
) -> PyResult<String> {
    let begin = |name: &str| stage.as_ref().map_or(Ok(()), |stage| stage.call1((name,)).map(drop));
    let (learner, bounds) =
        (settings.learner().map_err(python_error)?, settings.bounds().map_err(python_error)?);
    let account = surroundings.account()?;
    let schema = columns(&settings, names)?;
    let (release, entered) = each_loss!(settings.loss().map_err(python_error)?, loss => {
        begin("plan")?;
        let parameters = features.columns() + usize::from(bounds.intercept());
        let problem = learner.problem(loss, bounds.clone(), parameters).map_err(python_error)?;
        let plan = py.detach(|| learner.plan(&problem)).map_err(python_error)?;
        begin("read")?;
        let records = features.records(loss, bounds, &targets).map_err(python_error)?;
        begin("fit")?;
        let entered = enter(account.as_ref(), &settings)?;
        let seed = surroundings.replay_seed();
        (beside(py, |stop| released(&plan, &records, stop, seed))?.map_err(python_error)?, entered)
    });
    begin("check")?;
    py.detach(|| named(release, schema, entered.as_ref()))
}

impl Surroundings {
    /// The ledger, which has to be one before anything is read.
    pub(crate) fn account(&self) -> PyResult<Option<Account>> {
        let secure = self.ledger.as_deref().filter(|_| self.replay_seed.is_none());
        secure.map(Account::open).transpose().map_err(account_error)
    }

    /// The known seed, if there is one.
    pub(crate) fn replay_seed(&self) -> Option<u64> {
        self.replay_seed
    }
}

/// Enters a fit that is about to draw noise.
pub(crate) fn enter<'a>(account: Option<&'a Account>, settings: &Settings) -> PyResult<Option<Entered<'a>>> {
    let Some(account) = account else { return Ok(None) };
    let (spent, neighbours) =
        (settings.guarantee().map_err(python_error)?, settings.neighbours().map_err(python_error)?);
    account.enter(spent, neighbours).map(Some).map_err(account_error)
}

/// The schema, or what is known in its place.
pub(crate) fn columns(settings: &Settings, names: Option<Names>) -> PyResult<Option<Schema>> {
    Ok(settings.schema()?.or(names.map(|(features, target, missing)| plain(features, target, missing))))
}

/// Runs the plan until it is done or asked to stop.
pub(crate) fn released<S: Sums>(
    plan: &Plan<S::Loss>,
    records: &S,
    stop: &AtomicBool,
    replay_seed: Option<u64>,
) -> Result<Release, Error> {
    let records = Interruptible::new(records, stop);
    let (release, _private_cost) = match replay_seed {
        None => plan.release(&records, &mut SecureRng::new()?)?,
        Some(seed) => plan.release(&records, &mut ReplayRng::new(seed))?,
    };
    Ok(release)
}

/// The text of a release, with the schema of its table where it is known. What is not well-formed does not leave.
pub(crate) fn named(release: Release, schema: Option<Schema>, entered: Option<&Entered<'_>>) -> PyResult<String> {
    let release = match schema {
        None => release,
        Some(schema) => release.with_columns(schema).map_err(python_error)?,
    };
    release.check().map_err(Error::NotReleased).map_err(python_error)?;
    if let Some(entered) = entered {
        entered.released(&release.as_checked().digest).map_err(account_error)?;
    }
    Ok(release.to_json())
}
