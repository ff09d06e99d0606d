//! One fit: records in, a release as JSON text out.

use crate::interrupt::beside;
use crate::matrix::Matrix;
use crate::refusal::python_error;
use crate::settings::{Settings, each_loss};
use asap_dp::data::Columns;
use asap_dp::objective::{Interruptible, Sums};
use asap_dp::plan::Plan;
use asap_dp::{Error, Loss, Release, ReplayRng, SecureRng};
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
    let run = Fitting { settings, columns, replay_seed, stage };
    let release = each_loss!(run.settings.loss().map_err(python_error)?, loss => {
        let plan = run.plan(py, loss, features.columns())?;
        let bounds = run.settings.bounds().map_err(python_error)?;
        let records = features.records(loss, bounds, &targets).map_err(python_error)?;
        run.release(py, &plan, &records)?
    });
    run.finish(py, release)
}

/// A fit from its plan to its text, wherever the records are.
pub(crate) struct Fitting<'py> {
    pub(crate) settings: Settings,
    pub(crate) columns: Option<(Vec<String>, String)>,
    pub(crate) replay_seed: Option<u64>,
    pub(crate) stage: Option<Bound<'py, PyAny>>,
}

impl Fitting<'_> {
    fn begin(&self, name: &str) -> PyResult<()> {
        self.stage.as_ref().map_or(Ok(()), |stage| stage.call1((name,)).map(drop))
    }

    /// The plan for so many features. The records are read next.
    pub(crate) fn plan<L: Loss + Send>(&self, py: Python<'_>, loss: L, features: usize) -> PyResult<Plan<L>> {
        let (learner, bounds) = (self.settings.learner(), self.settings.bounds());
        let (learner, bounds) = (learner.map_err(python_error)?, bounds.map_err(python_error)?);
        self.begin("plan")?;
        let parameters = features + usize::from(bounds.intercept());
        let problem = learner.problem(loss, bounds, parameters).map_err(python_error)?;
        let plan = py.detach(|| learner.plan(&problem)).map_err(python_error)?;
        self.begin("read")?;
        Ok(plan)
    }

    /// Runs the plan on the records, and stops when Python is interrupted.
    pub(crate) fn release<S: Sums + Sync>(
        &self,
        py: Python<'_>,
        plan: &Plan<S::Loss>,
        records: &S,
    ) -> PyResult<Release> {
        self.begin("fit")?;
        let seed = self.replay_seed;
        beside(py, |stop| released(plan, records, stop, seed))?.map_err(python_error)
    }

    /// The text of the release. What is not well-formed does not leave.
    pub(crate) fn finish(self, py: Python<'_>, release: Release) -> PyResult<String> {
        self.begin("check")?;
        let columns = self.columns;
        py.detach(|| named(release, columns))
    }
}

/// Runs the plan until it is done or asked to stop.
fn released<S: Sums>(
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
fn named(release: Release, columns: Option<(Vec<String>, String)>) -> PyResult<String> {
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
