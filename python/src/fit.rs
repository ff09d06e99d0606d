//! One fit: records in, a release as JSON text out.

use crate::interrupt::beside;
use crate::matrix::Matrix;
use crate::refusal::{account_error, python_error};
use crate::schema::{Column, plain, whom};
use crate::settings::{Settings, each_loss};
use asap_dp::account::{Account, Entered, Purpose, Spending};
use asap_dp::data::{PersonColumn, Schema};
use asap_dp::loss::AgainstRest;
use asap_dp::objective::{PassedOn, Sums};
use asap_dp::one_against_rest::with_columns;
use asap_dp::plan::Plan;
use asap_dp::verdict::Worth;
use asap_dp::{Error, Loss, Release, ReplayRng, SecureRng};
use numpy::PyReadonlyArray1;
use pyo3::prelude::*;
use std::num::NonZeroU64;
use std::path::PathBuf;
use std::sync::atomic::AtomicBool;

/// What is known of the columns where there is no schema: names of the features, of the target and of the persons, and
/// what stands for a missing number.
pub(crate) type Names = (Vec<String>, String, String, Option<f64>);

/// Where a fit is entered, where its noise comes from, and what is told if it is predicted to be useless, which may
/// raise. A fit from a known seed is not private and is entered nowhere.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Surroundings {
    ledger: Option<PathBuf>,
    dataset: Option<String>,
    replay_seed: Option<u64>,
    useless: Py<PyAny>,
}

/// Learns a model that may be released; the release as JSON text.
///
/// `names` are those of the columns where there is no schema. `stage` is called with the name of what begins; the names
/// and their number are the same for all records. `persons` says whom each record is about. A `replay_seed` makes the
/// release **not private**, and it says so.
#[pyfunction]
#[pyo3(signature = (features, targets, settings, surroundings, names=None, stage=None, persons=None))]
#[allow(clippy::too_many_arguments, reason = "Python names them")]
pub(crate) fn fit(
    py: Python<'_>,
    features: Matrix<'_>,
    targets: PyReadonlyArray1<'_, f64>,
    settings: Settings,
    surroundings: Surroundings,
    names: Option<Names>,
    stage: Option<Bound<'_, PyAny>>,
    persons: Option<Column<'_>>,
) -> PyResult<String> {
    let run = Fitting::new(settings, surroundings, names, stage)?;
    if let Some(loss) = run.settings.against_rest().map_err(python_error)? {
        return run.fit_classes(py, loss, &features, &targets, persons);
    }
    let release = each_loss!(run.settings.loss().map_err(python_error)?, loss => {
        let plan = run.plan(py, loss, features.columns())?;
        let bounds = run.settings.bounds().map_err(python_error)?;
        let persons = run.named_persons(persons)?;
        let records = features.records(loss, bounds, &targets, persons.as_deref()).map_err(python_error)?;
        run.release(py, &plan, &records)?
    });
    run.finish(py, release)
}

/// A fit from its plan to its text, wherever the records are.
pub(crate) struct Fitting<'py> {
    pub(crate) settings: Settings,
    /// The schema, or what is known in its place.
    columns: Option<Schema>,
    account: Option<Account>,
    dataset: Option<String>,
    replay_seed: Option<u64>,
    useless: Py<PyAny>,
    stage: Option<Bound<'py, PyAny>>,
}

impl<'py> Fitting<'py> {
    /// The ledger and the schema must be valid before anything is read.
    pub(crate) fn new(
        settings: Settings,
        surroundings: Surroundings,
        names: Option<Names>,
        stage: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Self> {
        let Surroundings { ledger, dataset, replay_seed, useless } = surroundings;
        let ledger = ledger.as_deref().filter(|_| replay_seed.is_none());
        let account = ledger.map(Account::open).transpose().map_err(account_error)?;
        let rows = settings.rows_per_person();
        let plain = names.map(|(features, target, name, missing)| {
            let person = rows.map(|rows| PersonColumn { name, rows });
            Schema { person, ..plain(features, target, missing) }
        });
        let columns = settings.schema()?.or(plain);
        Ok(Self { settings, columns, account, dataset, replay_seed, useless, stage })
    }

    fn begin(&self, name: &str) -> PyResult<()> {
        self.stage.as_ref().map_or(Ok(()), |stage| stage.call1((name,)).map(drop))
    }

    /// The plan for so many features, unless it is useless and that is refused. The records are read next.
    pub(crate) fn plan<L: Loss + Send>(&self, py: Python<'_>, loss: L, features: usize) -> PyResult<Plan<L>> {
        let (learner, bounds) = (self.settings.learner(), self.settings.bounds());
        let (learner, bounds) = (learner.map_err(python_error)?, bounds.map_err(python_error)?);
        self.begin("plan")?;
        let parameters = features + usize::from(bounds.intercept());
        let problem = learner.problem(loss, bounds, parameters).map_err(python_error)?;
        let plan = py.detach(|| learner.plan(&problem)).map_err(python_error)?;
        if learner.worth(&plan, &problem).map_err(python_error)? == Worth::Useless {
            let verdict = py.detach(|| learner.verdict(&problem)).map_err(python_error)?;
            self.useless.call1(py, (verdict.text(),))?;
        }
        self.begin("read")?;
        Ok(plan)
    }

    /// Enters the fit into the ledger, runs the plan on the records, and stops when Python is interrupted.
    pub(crate) fn release<S: Sums + Sync>(
        &self,
        py: Python<'_>,
        plan: &Plan<S::Loss>,
        records: &S,
    ) -> PyResult<(Release, Option<Entered<'_>>)> {
        self.begin("fit")?;
        let entered = self.enter(plan.kind().name())?;
        let seed = self.replay_seed;
        let release = beside(py, |stop| released(plan, records, stop, seed))?.map_err(python_error)?;
        Ok((release, entered))
    }

    /// More than two classes, one against the rest: one entry, one text.
    fn fit_classes(
        &self,
        py: Python<'_>,
        loss: AgainstRest,
        features: &Matrix<'_>,
        targets: &PyReadonlyArray1<'_, f64>,
        persons: Option<Column<'_>>,
    ) -> PyResult<String> {
        let classes = self.settings.classes().unwrap_or_default();
        self.begin("plan")?;
        let (settings, columns) = (&self.settings, features.columns());
        let plans = py.detach(|| settings.class_plans(classes, columns)).map_err(python_error)?;
        for (_, plan) in plans.plans() {
            let learner = plans.learner();
            if learner.worth(plan, plan.problem()).map_err(python_error)? == Worth::Useless {
                let verdict = py.detach(|| learner.verdict(plan.problem())).map_err(python_error)?;
                let (count, share) = (classes.len(), plans.share().parameter());
                let said = format!("{count} classes, each against the rest with {share} of the budget. ");
                self.useless.call1(py, (said + &verdict.text(),))?;
                break;
            }
        }
        self.begin("read")?;
        let bounds = self.settings.bounds().map_err(python_error)?;
        let persons = self.named_persons(persons)?;
        let records = features.records(loss, bounds, targets, persons.as_deref()).map_err(python_error)?;
        self.begin("fit")?;
        let kind = plans.plans().next().map_or("", |(_, plan)| plan.kind().name());
        let entered = self.enter(&format!("{kind}, {} classes", classes.len()))?;
        let seed = self.replay_seed;
        let model = beside(py, |stop| {
            let records = PassedOn::until(&records, stop);
            let (enter, failed) = (|| Ok(()), core::convert::identity);
            let (model, ()) = match seed {
                None => plans.release_entered(&records, &mut SecureRng::new()?, enter, failed)?,
                Some(seed) => plans.release_entered(&records, &mut ReplayRng::new(seed), enter, failed)?,
            };
            Ok::<_, Error>(model)
        })?
        .map_err(python_error)?;
        self.begin("check")?;
        let columns = self.columns.clone();
        let model = match columns {
            None => model,
            Some(columns) => {
                py.detach(|| with_columns(model, columns)).map_err(|_| python_error(Error::Aborted))?
            }
        };
        if let Some(entered) = entered {
            entered.released(&model.digest).map_err(account_error)?;
        }
        Ok(model.to_json())
    }

    /// Whom each record is about.
    fn named_persons(&self, persons: Option<Column<'_>>) -> PyResult<Option<Vec<String>>> {
        let marks = self.columns.as_ref().map_or(&[][..], |schema| &schema.marks);
        persons.map(|column| (0..column.len()).map(|k| whom(&column, k, marks)).collect()).transpose()
    }

    /// From here on the budget is spent, whatever becomes of the fit.
    fn enter(&self, mechanism: &str) -> PyResult<Option<Entered<'_>>> {
        let Some(account) = &self.account else { return Ok(None) };
        let (guarantee, neighbours) = (self.settings.guarantee(), self.settings.neighbours());
        let bounds = self.settings.bounds();
        let spending = Spending {
            purpose: Purpose::Fit,
            guarantee: guarantee.map_err(python_error)?,
            neighbours: neighbours.map_err(python_error)?,
            rows_per_person: bounds.map_err(python_error)?.rows_per_person().and_then(NonZeroU64::new),
            mechanism,
            dataset: self.dataset.as_deref(),
        };
        account.enter(&spending).map(Some).map_err(account_error)
    }

    /// The text of the release. What is not well-formed does not leave.
    pub(crate) fn finish(
        &self,
        py: Python<'_>,
        (release, entered): (Release, Option<Entered<'_>>),
    ) -> PyResult<String> {
        self.begin("check")?;
        let columns = self.columns.clone();
        py.detach(|| named(release, columns, entered.as_ref()))
    }
}

/// Runs the plan until it is done or asked to stop.
fn released<S: Sums>(
    plan: &Plan<S::Loss>,
    records: &S,
    stop: &AtomicBool,
    replay_seed: Option<u64>,
) -> Result<Release, Error> {
    let records = PassedOn::until(records, stop);
    let (release, _private_cost) = match replay_seed {
        None => plan.release(&records, &mut SecureRng::new()?)?,
        Some(seed) => plan.release(&records, &mut ReplayRng::new(seed))?,
    };
    Ok(release)
}

/// The text of a release, with the schema of its table where it is known. What is not well-formed does not leave; noise
/// was drawn by then, and the errors say that the budget is spent.
fn named(release: Release, columns: Option<Schema>, entered: Option<&Entered<'_>>) -> PyResult<String> {
    let release = match columns {
        None => release,
        Some(columns) => release.with_columns(columns).map_err(|_| python_error(Error::Aborted))?,
    };
    release.check().map_err(Error::NotReleased).map_err(python_error)?;
    if let Some(entered) = entered {
        entered.released(&release.as_checked().digest).map_err(account_error)?;
    }
    Ok(release.to_json())
}
