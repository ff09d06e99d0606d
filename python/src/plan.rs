//! All mechanisms side by side, before any record is seen.

use crate::refusal::python_error;
use crate::settings::{Settings, each_planned};
use asap_dp::{Error, Learner, Loss, Problem};
use pyo3::prelude::*;
use serde_json::{Value, json};

/// What each mechanism is predicted to be worth for `columns` features, as the JSON text of a list.
#[pyfunction]
pub(crate) fn plan(py: Python<'_>, settings: Settings, columns: usize) -> PyResult<String> {
    let compared = || -> Result<Value, Error> {
        let (learner, bounds) = (settings.learner_of_one()?, settings.bounds()?);
        let asked = settings.mechanism()?.map(asap_dp::MechanismKind::name);
        each_planned!(settings, loss => {
            let parameters = columns + usize::from(bounds.intercept());
            table(&learner, &learner.problem(loss, bounds, parameters)?, asked)
        })
    };
    py.detach(compared).map(|table| table.to_string()).map_err(python_error)
}

/// What a fit of `columns` features is predicted to be worth, in a text for people.
#[pyfunction]
pub(crate) fn verdict(py: Python<'_>, settings: Settings, columns: usize) -> PyResult<String> {
    let said = || -> Result<String, Error> {
        let (learner, bounds) = (settings.learner_of_one()?, settings.bounds()?);
        each_planned!(settings, loss => {
            let parameters = columns + usize::from(bounds.intercept());
            Ok(learner.verdict(&learner.problem(loss, bounds, parameters)?)?.text())
        })
    };
    py.detach(said).map_err(python_error)
}

fn table<L: Loss>(learner: &Learner, problem: &Problem<L>, asked: Option<&str>) -> Result<Value, Error> {
    let comparison = learner.compare(problem)?;
    let chosen = asked.or(comparison.best().map(|best| best.kind.name()));
    let gain = comparison.guess().landscape(problem).gain();
    let row = |candidate: &asap_dp::comparison::Candidate<L>| {
        let prediction = candidate.prediction();
        json!({
            "mechanism": candidate.kind.name(),
            "chosen": chosen == Some(candidate.kind.name()),
            "worth": prediction.map(|it| it.worth),
            "regulariser": problem.regulariser(),
            "predicted_excess": prediction.map(|it| it.likely),
            "worst_case_excess": prediction.map(|it| it.worst),
            "trivial_model_loses": gain,
            "passes": prediction.map(|it| it.passes),
            "refused": candidate.outcome.as_ref().err().map(ToString::to_string),
        })
    };
    Ok(comparison.candidates().iter().map(row).collect())
}
