//! More than two classes: for each one a model that tells it from all others, with an equal share of the budget.
//! spec: `own:one-against-rest`
//!
//! ```
//! use asap_dp::one_against_rest::{ClassPlans, most_probable, scores};
//! use asap_dp::{Bounds, Learner, OutOfBounds, Records, SecureRng, loss::AgainstRest};
//! let classes = ["red", "green", "blue"].map(str::to_owned);
//! // Two features a row, and the number of a class.
//! let (features, labels) = (vec![0.3, -0.2, 0.1, 0.7, -0.5, 0.2], vec![0.0, 2.0, 1.0]);
//! let loss = AgainstRest::new(0, classes.len())?;
//! let records = Records::new(loss, Bounds::new(1.0)?, OutOfBounds::Clip, features, labels)?;
//! let plans = ClassPlans::new(&Learner::auto().epsilon(3.0)?, &classes, None, &Bounds::new(1.0)?, 2)?;
//! let (model, ()) = plans.release_entered(&records, &mut SecureRng::new()?, || Ok(()), |error| error)?;
//! model.check()?;
//! let scores = scores(&model, &[0.3, -0.2])?;
//! println!("{}", classes[most_probable(&scores)]);
//! # Ok::<(), asap_dp::Error>(())
//! ```

use crate::bounds::Bounds;
use crate::error::Error;
use crate::input::InvalidInput;
use crate::learner::Learner;
use crate::loss::AgainstRest;
use crate::mechanism::record::guarantee;
use crate::noise::RandomBits;
use crate::objective::{Here, PassedOn, Sums};
use crate::passage::in_order;
use crate::plan::Plan;
use crate::privacy::Guarantee;
use crate::release::{Release, linear};
use asap_contracts::{
    Certificate, CheckFailed, ClassPart, ClassParts, Findings, ONE_AGAINST_REST_SCHEMA, OneAgainstRest,
    Schema, weights_against_rest,
};

/// A plan for each class, each with an equal share of the budget: public, and fixed before the records are seen.
/// spec: `own:one-against-rest`
#[derive(Clone, Debug)]
pub struct ClassPlans {
    total: Guarantee,
    share: Guarantee,
    learner: Learner,
    classes: Vec<String>,
    plans: Vec<Plan<AgainstRest>>,
}

impl ClassPlans {
    /// Plans for three classes or more, in this order. Each class may have a weight. Whatever can be refused is
    /// refused here; the sum of the shares was decided exactly. `dimension` is the number of parameters of one
    /// class, the intercept included.
    pub fn new(
        learner: &Learner,
        classes: &[String],
        weights: Option<&[f64]>,
        bounds: &Bounds,
        dimension: usize,
    ) -> Result<Self, Error> {
        let total = learner.total()?;
        let count = u32::try_from(classes.len()).unwrap_or(u32::MAX);
        let share = total.shared_by(count.max(1))?;
        let learner = learner.guarantee(share);
        let plan = |class: usize| {
            let loss = AgainstRest::new(class, classes.len())?;
            let loss = match weights {
                None => loss,
                Some(weights) => {
                    let allowed =
                        "a finite number greater than 0 for each class, none of them a million times another";
                    let refused = InvalidInput { field: "class weights", allowed };
                    let pair =
                        weights_against_rest(weights, class).filter(|_| weights.len() == classes.len());
                    loss.with_weights(pair.ok_or(refused)?)?
                }
            };
            learner.plan(&learner.problem(loss, bounds.clone(), dimension)?)
        };
        let plans = (0..classes.len()).map(plan).collect::<Result<Vec<_>, Error>>()?;
        let planned = Self { total, share, learner, classes: classes.to_vec(), plans };
        let at_zero = planned.plans.iter().map(Plan::at_zero).collect::<Result<Vec<_>, Error>>()?;
        planned.parts(at_zero).decide().map_err(Error::Refused)?;
        Ok(planned)
    }

    /// What all of them spend together.
    pub fn total(&self) -> Guarantee {
        self.total
    }

    /// What each of them spends.
    pub fn share(&self) -> Guarantee {
        self.share
    }

    /// The learner of each class: with its share of the budget.
    pub fn learner(&self) -> &Learner {
        &self.learner
    }

    /// The plan of each class, in order.
    pub fn plans(&self) -> impl Iterator<Item = (&String, &Plan<AgainstRest>)> {
        self.classes.iter().zip(&self.plans)
    }

    /// The parts of a file.
    fn parts(&self, certificates: Vec<Certificate>) -> ClassParts {
        let named = self.classes.iter().cloned().zip(certificates);
        ClassParts {
            schema: ONE_AGAINST_REST_SCHEMA,
            total: guarantee(self.total),
            parts: named.map(|(class, certificate)| ClassPart { class, certificate }).collect(),
        }
    }

    /// Runs on records of the planned problem, one class after the other, with bits that follow each other; what leaves
    /// was checked. The fit is entered once, with its total, after all that can be refused and before the first draw.
    /// `failed` says what an error is to the caller.
    pub fn release_entered<S: Here + Sums<Loss = AgainstRest>, R: RandomBits, N, E>(
        &self,
        records: &S,
        rng: &mut R,
        enter: impl FnOnce() -> Result<N, E>,
        failed: impl Fn(Error) -> E,
    ) -> Result<(OneAgainstRest, N), E> {
        let other =
            InvalidInput { field: "records", allowed: "records made for as many classes as were planned" };
        in_order(
            rng,
            |_| {
                // The plans were accepted when they were made. What the records are is found out
                // before anything is spent.
                for plan in &self.plans {
                    let rows = PassedOn::with_loss(records, *plan.problem().loss());
                    let rows = rows.ok_or_else(|| failed(other.into()))?;
                    plan.problem().bind(&rows).map_err(|error| failed(error.into()))?;
                }
                Ok(())
            },
            |rng| {
                // Whatever can fail without a draw fails before the fit is entered.
                rng.begin().map_err(|error| failed(error.into()))?;
                enter()
            },
            |rng, _| {
                let one = |plan: &Plan<AgainstRest>| {
                    let rows = PassedOn::with_loss(records, *plan.problem().loss()).ok_or(Error::Aborted)?;
                    plan.drawn(&rows, rng)
                };
                let certificates = self.plans.iter().map(one).collect::<Result<Vec<_>, Error>>();
                Ok(OneAgainstRest::new(None, self.parts(certificates.map_err(&failed)?)))
            },
            |_, model| model.check().map(drop).map_err(|clause| failed(Error::NotReleased(clause))),
        )
    }
}

/// The same model with the schema of its table, or with names for its columns. Refuses what does not fit.
pub fn with_columns(model: OneAgainstRest, columns: Schema) -> Result<OneAgainstRest, InvalidInput> {
    let allowed = "a schema with one parameter for each feature, and the classes of the model";
    let named = OneAgainstRest::new(Some(columns), model.one_against_rest);
    named.check().map_err(|_| InvalidInput { field: "columns", allowed })?;
    Ok(named)
}

/// For each row of a row-major matrix the score ⟨x, θ̂_k⟩ (plus intercept) of each class, row by row. Rows are
/// moved into the feature bound.
pub fn scores(model: &OneAgainstRest, features: &[f64]) -> Result<Vec<f64>, InvalidInput> {
    let parts = &model.one_against_rest.parts;
    let by_class: Vec<Vec<f64>> =
        parts.iter().map(|part| linear(&part.certificate, features)).collect::<Result<_, _>>()?;
    let rows = by_class.first().map_or(0, Vec::len);
    Ok((0..rows).flat_map(|row| by_class.iter().filter_map(move |class| class.get(row).copied())).collect())
}

/// The class of a row with these scores: the one with the largest, the first of them where several are equal.
pub fn most_probable(scores: &[f64]) -> usize {
    (1..scores.len()).fold(0, |best, class| if scores[class] > scores[best] { class } else { best })
}

/// The probabilities of a row with these scores: those of each class against the rest, as parts of their sum.
pub fn probabilities(scores: &[f64]) -> Vec<f64> {
    // ln σ(z), and then parts of the largest: no sum of them is 0.
    let logarithm = |z: &f64| -((-z).max(0.0) + (-z.abs()).exp().ln_1p());
    let logarithms: Vec<f64> = scores.iter().map(logarithm).collect();
    let largest = logarithms.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let parts: Vec<f64> = logarithms.iter().map(|it| (it - largest).exp()).collect();
    let sum: f64 = parts.iter().sum();
    parts.into_iter().map(|part| part / sum).collect()
}

/// A release of either kind, for those who take both.
#[derive(Clone, Debug, PartialEq)]
#[allow(clippy::large_enum_variant, reason = "there is one of them at a time")]
pub enum AnyRelease {
    /// Of numbers or two classes.
    Single(Release),
    /// Of more classes.
    Classes(OneAgainstRest),
}

impl AnyRelease {
    /// From JSON text. The result is well-formed, not yet [checked](AnyRelease::check).
    pub fn from_json(text: &str) -> Result<Self, CheckFailed> {
        if OneAgainstRest::is_meant(text) {
            return OneAgainstRest::from_json(text).map(Self::Classes);
        }
        Release::from_json(text).map(Self::Single)
    }

    /// As JSON text; every number keeps every bit.
    pub fn to_json(&self) -> String {
        match self {
            Self::Single(release) => release.to_json(),
            Self::Classes(model) => model.to_json(),
        }
    }

    /// Checks every inequality again; says what holds and what is assumed.
    pub fn check(&self) -> Result<Findings, CheckFailed> {
        match self {
            Self::Single(release) => release.check(),
            Self::Classes(model) => model.check(),
        }
    }

    /// By what a score names it.
    pub fn digest(&self) -> &str {
        match self {
            Self::Single(release) => &release.as_checked().digest,
            Self::Classes(model) => &model.digest,
        }
    }

    /// The schema of the table, or the names of its columns.
    pub fn columns(&self) -> Option<&Schema> {
        match self {
            Self::Single(release) => release.columns(),
            Self::Classes(model) => model.columns.as_ref(),
        }
    }

    /// Whether all noise came from a secure generator. If not, it is **not** private.
    pub fn is_private(&self) -> bool {
        match self {
            Self::Single(release) => release.is_private(),
            Self::Classes(model) => model.one_against_rest.is_private(),
        }
    }
}
