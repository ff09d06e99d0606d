//! One fit: records in, a release as JSON text out.

use crate::interrupt::beside;
use crate::matrix::Matrix;
use crate::refusal::python_error;
use crate::settings::{Settings, each_loss};
use asap_dp::data::Columns;
use asap_dp::objective::{Interruptible, Sums};
use asap_dp::plan::Plan;
use asap_dp::{Error, Release, ReplayRng, SecureRng};
use numpy::PyReadonlyArray1;
use pyo3::prelude::*;
use std::sync::atomic::AtomicBool;

/// Learns a model that may be released; the release as JSON text.
///
/// `columns` are the names of the features and of the target. `stage` is called with the name of what begins; the names and
/// their number are the same for all records. A `replay_seed` makes the release **not private**, and it says so.
#[pyfunction]
#[pyo3(signature = (features, targets, settings, columns=None, replay_seed=None, stage=None))]
pub(crate) fn fit(
    py: Python<'_>,
    features: Matrix<'_>,
    targets: PyReadonlyArray1<'_, f64>,
    settings: Settings,
    columns: Option<(Vec<String>, String)>,
    replay_seed: Option<u64>,
    stage: Option<Bound<'_, PyAny>>,
) -> PyResult<String> {
    let begin = |name: &str| stage.as_ref().map_or(Ok(()), |stage| stage.call1((name,)).map(drop));
    let (learner, bounds) =
        (settings.learner().map_err(python_error)?, settings.bounds().map_err(python_error)?);
    let release = each_loss!(settings.loss().map_err(python_error)?, loss => {
        begin("plan")?;
        let parameters = features.columns() + usize::from(bounds.intercept());
        let problem = learner.problem(loss, bounds.clone(), parameters).map_err(python_error)?;
        let plan = py.detach(|| learner.plan(&problem)).map_err(python_error)?;
        begin("read")?;
        let records = features.records(loss, bounds, &targets).map_err(python_error)?;
        begin("fit")?;
        beside(py, |stop| released(&plan, &records, stop, replay_seed))?.map_err(python_error)?
    });
    begin("check")?;
    py.detach(|| named(release, columns))
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

/// The text of a release, with the names of its columns where they are known. What is not well-formed does not leave.
pub(crate) fn named(release: Release, columns: Option<(Vec<String>, String)>) -> PyResult<String> {
    let release = match columns {
        None => release,
        Some((features, target)) => {
            let columns = Columns { features, target, ..Columns::default() };
            release.with_columns(columns).map_err(python_error)?
        }
    };
    release.check().map_err(Error::NotReleased).map_err(python_error)?;
    Ok(release.to_json())
}
