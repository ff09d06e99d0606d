//! The public numbers of a fit, as Python has them.

use crate::schema::parsed;
use asap_dp::data::Schema;
use asap_dp::loss::AgainstRest;
use asap_dp::one_against_rest::ClassPlans;
use asap_dp::privacy::{Epsilon, Guarantee, Mu, Neighbours};
use asap_dp::{
    Bounds, Error, Huber, InvalidInput, Learner, Logistic, MechanismKind, Squared, WeightedLogistic,
};
use pyo3::prelude::*;

/// Everything public about a fit: the values of a dictionary under these names.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Settings {
    loss: String,
    delta: Option<f64>,
    /// The classes, where there are more than two.
    classes: Option<Vec<String>>,
    class_weights: Option<Vec<f64>>,
    epsilon: Option<f64>,
    mu: Option<f64>,
    regulariser: Option<f64>,
    feature_bound: Option<f64>,
    schema: Option<String>,
    target_bound: Option<f64>,
    parameter_bound: Option<f64>,
    fit_intercept: bool,
    neighbours: String,
    mechanism: String,
    expected_rows: Option<u64>,
    max_rows: Option<u64>,
    rows_per_person: Option<u64>,
    curvature: Option<f64>,
}

/// One of the built-in losses.
pub(crate) enum AnyLoss {
    Logistic(Logistic),
    Weighted(WeightedLogistic),
    Squared(Squared),
    Huber(Huber),
}

/// Does the same for every loss.
macro_rules! each_loss {
    ($any:expr, $loss:ident => $then:expr) => {
        match $any {
            $crate::settings::AnyLoss::Logistic($loss) => $then,
            $crate::settings::AnyLoss::Weighted($loss) => $then,
            $crate::settings::AnyLoss::Squared($loss) => $then,
            $crate::settings::AnyLoss::Huber($loss) => $then,
        }
    };
}
pub(crate) use each_loss;

/// Does the same for every loss that is planned for, of one class where there are more than two.
macro_rules! each_planned {
    ($settings:expr, $loss:ident => $then:expr) => {
        match $settings.against_rest()? {
            Some($loss) => $then,
            None => $crate::settings::each_loss!($settings.loss()?, $loss => $then),
        }
    };
}
pub(crate) use each_planned;

impl Settings {
    /// The loss of one record.
    pub(crate) fn loss(&self) -> Result<AnyLoss, InvalidInput> {
        let weights = self.weights().map(|weights| <[f64; 2]>::try_from(weights).unwrap_or([f64::NAN; 2]));
        match (self.loss.as_str(), self.delta) {
            ("logistic", None) => match weights {
                Some(weights) => WeightedLogistic::new(weights).map(AnyLoss::Weighted),
                None => Ok(AnyLoss::Logistic(Logistic)),
            },
            ("squared", None) => Ok(AnyLoss::Squared(Squared)),
            ("huber", Some(delta)) => Huber::new(delta).map(AnyLoss::Huber),
            _ => Err(InvalidInput { field: "loss", allowed: "logistic, squared, or huber with its delta" }),
        }
    }

    /// How much the classes count, where that is said.
    fn weights(&self) -> Option<Vec<f64>> {
        let of_schema = || parsed(self.schema.as_deref()?).ok()?.target.weights;
        self.class_weights.clone().or_else(of_schema)
    }

    /// More than two classes, if there are. spec: `own:one-against-rest`
    pub(crate) fn classes(&self) -> Option<&[String]> {
        self.classes.as_deref()
    }

    /// The loss of labels of more than two classes, if there are: that of the first one.
    pub(crate) fn against_rest(&self) -> Result<Option<AgainstRest>, InvalidInput> {
        self.classes.as_ref().map(|classes| AgainstRest::new(0, classes.len())).transpose()
    }

    /// The plans of more than two classes, for so many features.
    pub(crate) fn class_plans(&self, classes: &[String], features: usize) -> Result<ClassPlans, Error> {
        let (bounds, weights) = (self.bounds()?, self.weights());
        let parameters = features + usize::from(bounds.intercept());
        ClassPlans::new(&self.learner()?, classes, weights.as_deref(), &bounds, parameters)
    }

    /// The learner of one class: where there are more than two, with its share of the budget.
    pub(crate) fn learner_of_one(&self) -> Result<Learner, Error> {
        let learner = self.learner()?;
        Ok(match &self.classes {
            None => learner,
            Some(classes) => {
                let count = u32::try_from(classes.len()).unwrap_or(u32::MAX).max(1);
                learner.guarantee(self.guarantee()?.shared_by(count)?)
            }
        })
    }

    /// What is promised about every record.
    pub(crate) fn bounds(&self) -> Result<Bounds, InvalidInput> {
        let needed = InvalidInput { field: "feature bound", allowed: "a number above 0, or a schema" };
        let bounds = match (&self.schema, self.feature_bound) {
            (None, bound) => Bounds::new(bound.ok_or(needed)?)?,
            (Some(schema), bound) => {
                let schema =
                    parsed(schema).map_err(|_| InvalidInput { field: "schema", allowed: "a schema" })?;
                let implied = Bounds::of_schema(&schema)?;
                match (bound, implied.target()) {
                    (None, _) => implied,
                    (Some(bound), Some(target)) => Bounds::new(bound)?.with_target(target)?,
                    (Some(bound), None) => Bounds::new(bound)?,
                }
                .with_persons_of(&schema)?
            }
        };
        let bounds = match self.rows_per_person {
            Some(rows) => bounds.with_rows_per_person(rows)?,
            None => bounds,
        };
        let bounds = bounds.with_intercept(self.fit_intercept)?;
        let bounds = match self.target_bound {
            None => bounds,
            Some(target) => bounds.with_target(target)?,
        };
        match self.max_rows {
            None => Ok(bounds),
            Some(rows) => bounds.with_max_rows(rows),
        }
    }

    /// How many rows of a person are taken, where the schema does not say it.
    pub(crate) fn rows_per_person(&self) -> Option<u64> {
        self.rows_per_person
    }

    /// The schema of the table, if there is one.
    pub(crate) fn schema(&self) -> PyResult<Option<Schema>> {
        self.schema.as_deref().map(parsed).transpose()
    }

    /// What a fit spends.
    pub(crate) fn guarantee(&self) -> Result<Guarantee, InvalidInput> {
        match (self.epsilon, self.mu) {
            (Some(epsilon), None) => Epsilon::new(epsilon).map(Guarantee::Pure),
            (None, Some(mu)) => Mu::new(mu).map(Guarantee::Gaussian),
            _ => Err(InvalidInput { field: "budget", allowed: "either epsilon or mu" }),
        }
    }

    /// Which data sets the guarantee compares.
    pub(crate) fn neighbours(&self) -> Result<Neighbours, InvalidInput> {
        neighbours(&self.neighbours)
    }

    /// The learner; the budget is one of ε and μ.
    pub(crate) fn learner(&self) -> Result<Learner, Error> {
        let mut learner = self
            .regulariser
            .map_or_else(Learner::auto, Learner::new)
            .neighbours(neighbours(&self.neighbours)?);
        learner = match (self.epsilon, self.mu) {
            (Some(epsilon), None) => learner.epsilon(epsilon)?,
            (None, Some(mu)) => learner.mu(mu)?,
            _ => return Err(InvalidInput { field: "budget", allowed: "either epsilon or mu" }.into()),
        };
        if let Some(radius) = self.parameter_bound {
            learner = learner.parameter_bound(radius);
        }
        if let Some(mechanism) = self.mechanism()? {
            learner = learner.mechanism(mechanism);
        }
        if let Some(rows) = self.expected_rows {
            learner = learner.expected_rows(rows);
        }
        if let Some(curvature) = self.curvature {
            learner = learner.curvature(curvature);
        }
        Ok(learner)
    }

    /// The mechanism that is asked for by name; `auto` asks for none.
    pub(crate) fn mechanism(&self) -> Result<Option<MechanismKind>, InvalidInput> {
        if self.mechanism == "auto" {
            return Ok(None);
        }
        let allowed = "auto, objective, noisy-gradient, posterior or output";
        let named = MechanismKind::ALL.into_iter().find(|kind| kind.name() == self.mechanism);
        named.map(Some).ok_or(InvalidInput { field: "mechanism", allowed })
    }
}

/// The neighbours of a name.
pub(crate) fn neighbours(name: &str) -> Result<Neighbours, InvalidInput> {
    match name {
        "add-remove" => Ok(Neighbours::AddRemove),
        "replace-one" => Ok(Neighbours::ReplaceOne),
        _ => Err(InvalidInput { field: "neighbours", allowed: "add-remove or replace-one" }),
    }
}
