//! Records that stay with workers: what a worker runs, and a fit that asks them. spec: `own:shards`

use crate::fit::{Fitting, Names, Surroundings};
use crate::matrix::Matrix;
use crate::refusal::python_error;
use crate::settings::{Settings, each_loss};
use asap_dp::data::Unavailable;
use asap_dp::objective::{Request, Shards, Transport};
use asap_dp::{Huber, Logistic, OutOfBounds, Squared, WeightedLogistic};
use numpy::PyReadonlyArray1;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use pyo3::types::{PyBytes, PyList};

/// Consecutive records of a larger data set, clipped to the bounds; it answers requests with sums. Private, all of it.
#[pyclass(frozen, name = "Shard", module = "asap_dp._native")]
pub(crate) struct AnyShard(Held);

enum Held {
    Logistic(asap_dp::objective::Shard<Logistic>),
    Weighted(asap_dp::objective::Shard<WeightedLogistic>),
    Squared(asap_dp::objective::Shard<Squared>),
    Huber(asap_dp::objective::Shard<Huber>),
}

impl From<asap_dp::objective::Shard<Logistic>> for Held {
    fn from(shard: asap_dp::objective::Shard<Logistic>) -> Self {
        Self::Logistic(shard)
    }
}

impl From<asap_dp::objective::Shard<WeightedLogistic>> for Held {
    fn from(shard: asap_dp::objective::Shard<WeightedLogistic>) -> Self {
        Self::Weighted(shard)
    }
}

impl From<asap_dp::objective::Shard<Squared>> for Held {
    fn from(shard: asap_dp::objective::Shard<Squared>) -> Self {
        Self::Squared(shard)
    }
}

impl From<asap_dp::objective::Shard<Huber>> for Held {
    fn from(shard: asap_dp::objective::Shard<Huber>) -> Self {
        Self::Huber(shard)
    }
}

/// Does the same for the shard of every loss.
macro_rules! each_shard {
    ($held:expr, $shard:ident => $then:expr) => {
        match $held {
            Held::Logistic($shard) => $then,
            Held::Weighted($shard) => $then,
            Held::Squared($shard) => $then,
            Held::Huber($shard) => $then,
        }
    };
}

#[pymethods]
impl AnyShard {
    /// The records whose first one is number `first` of all.
    #[new]
    fn new(
        features: Matrix<'_>,
        targets: PyReadonlyArray1<'_, f64>,
        settings: Settings,
        first: usize,
    ) -> PyResult<Self> {
        let bounds = settings.bounds().map_err(python_error)?;
        let (columns, features) = (features.columns(), features.row_major());
        let targets: Vec<f64> = targets.as_array().iter().copied().collect();
        each_loss!(settings.loss().map_err(python_error)?, loss => {
            let shard = asap_dp::objective::Shard::new(
                loss, bounds, OutOfBounds::Clip, columns, first, features, targets,
            );
            Ok(Self(shard.map_err(python_error)?.into()))
        })
    }

    /// What `fit_shards` must know of the shard.
    fn card<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &each_shard!(&self.0, shard => shard.card()))
    }

    /// The sums that a request asks for. The same request has the same answer, bit for bit.
    fn answer<'py>(&self, py: Python<'py>, request: PyBackedBytes) -> PyResult<Bound<'py, PyBytes>> {
        let answer = py.detach(|| each_shard!(&self.0, shard => shard.answer(&request)));
        answer
            .map(|bytes| PyBytes::new(py, &bytes))
            .map_err(|refused| PyValueError::new_err(refused.to_string()))
    }

    /// The shard as bytes, for a scheduler that moves or stores it. These are the records.
    fn to_bytes<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &py.detach(|| each_shard!(&self.0, shard => shard.to_bytes())))
    }

    /// The shard of `to_bytes`, made with the same settings.
    #[staticmethod]
    fn from_bytes(py: Python<'_>, settings: Settings, bytes: PyBackedBytes) -> PyResult<Self> {
        let bounds = settings.bounds().map_err(python_error)?;
        each_loss!(settings.loss().map_err(python_error)?, loss => {
            let shard = py.detach(|| asap_dp::objective::Shard::from_bytes(loss, bounds, &bytes));
            Ok(Self(shard.map_err(python_error)?.into()))
        })
    }
}

/// Where shards begin, for so many records of so many parameters (with the intercept).
#[pyfunction]
pub(crate) fn shard_starts(rows: usize, parameters: usize) -> Vec<usize> {
    asap_dp::objective::shard_starts(rows, parameters)
}

/// A Python function that takes a list of `(shard, request)` and returns one answer for each, in any order.
struct Callback(Py<PyAny>);

impl Transport for Callback {
    fn exchange(&self, requests: &[Request]) -> Result<Vec<Vec<u8>>, Unavailable> {
        let call = |py: Python<'_>| -> PyResult<Vec<Vec<u8>>> {
            let requests = requests.iter().map(|request| (request.shard, PyBytes::new(py, &request.bytes)));
            let answers: Vec<PyBackedBytes> = self.0.call1(py, (PyList::new(py, requests)?,))?.extract(py)?;
            Ok(answers.iter().map(|answer| answer.to_vec()).collect())
        };
        // The reader of the release does not learn why it failed; the operator of the cluster has its logs.
        Python::attach(|py| call(py).map_err(|_| Unavailable))
    }
}

/// Learns a model from shards; the release as JSON text. Like `fit`, with two functions in place of the records:
///
/// `read()` returns the cards of all shards, and `exchange(requests)` brings each `(shard, request)` to the shard of
/// that card and returns the answers. Every call of `exchange` is one map over the shards.
#[pyfunction]
#[pyo3(signature = (n_features, settings, surroundings, read, exchange, names=None, stage=None))]
#[allow(clippy::too_many_arguments, reason = "the arguments of `fit`, with two functions for the records")]
pub(crate) fn fit_shards(
    py: Python<'_>,
    n_features: usize,
    settings: Settings,
    surroundings: Surroundings,
    read: Bound<'_, PyAny>,
    exchange: Py<PyAny>,
    names: Option<Names>,
    stage: Option<Bound<'_, PyAny>>,
) -> PyResult<String> {
    let run = Fitting::new(settings, surroundings, names, stage)?;
    let release = each_loss!(run.settings.loss().map_err(python_error)?, loss => {
        let plan = run.plan(py, loss, n_features)?;
        let cards: Vec<PyBackedBytes> = read.call0()?.extract()?;
        let bounds = run.settings.bounds().map_err(python_error)?;
        let shards = Shards::new(loss, bounds, &cards, Callback(exchange))
            .map_err(|refused| PyValueError::new_err(refused.to_string()))?;
        run.release(py, &plan, &shards)?
    });
    run.finish(py, release)
}
