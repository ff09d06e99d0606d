//! From plans to the records of a certificate. The contracts of `asap-contracts` judge them: before a record is seen,
//! and when the release leaves.

use super::Mechanism;
use crate::error::Error;
use crate::localise::Localisation;
use crate::loss::{AgainstRest, Huber, Logistic, Loss, Squared, WeightedLogistic};
use crate::noise::{LatticeNoise, Law, Randomness};
use crate::privacy::{Epsilon, Guarantee};
use crate::problem::Problem;
use asap_contracts::{Certificate, Numerics};
use core::any::Any;

/// The certificate of a release.
pub(super) fn certificate<L: Loss, M: Mechanism<L>>(
    mechanism: &M,
    theta: Vec<f64>,
    record: asap_contracts::Mechanism,
    randomness: Randomness,
) -> Certificate {
    let (problem, ledger) = (mechanism.problem(), mechanism.ledger());
    Certificate {
        schema: asap_contracts::SCHEMA,
        crate_version: env!("CARGO_PKG_VERSION").to_owned(),
        neighbours: problem.neighbours(),
        ledger: asap_contracts::Ledger {
            total: guarantee(ledger.total()),
            converted: ledger.converted().map(Epsilon::get),
            shares: ledger
                .shares()
                .iter()
                .map(|share| asap_contracts::Share {
                    name: share.name.to_owned(),
                    spent: share.guarantee.parameter(),
                })
                .collect(),
        },
        person: problem
            .bounds()
            .rows_per_person()
            .map(|rows| asap_contracts::Person { rows, total: guarantee(ledger.promised()) }),
        problem: self::problem(problem),
        mechanism: record,
        choice: None,
        theta,
        randomness,
        // What follows from the rest is filled in below.
        numerics: Numerics::Rigorous,
        certified: false,
        claims: Vec::new(),
    }
    .stated()
}

/// Decides every clause about the public numbers of a plan, as those of a release at 0: a plan that
/// does not hold is not a plan.
pub(crate) fn decide<L: Loss, M: Mechanism<L>>(mechanism: &M) -> Result<(), Error> {
    at_zero(mechanism)?.decide().map(drop).map_err(Error::Refused)
}

/// The certificate of a release at 0.
pub(crate) fn at_zero<L: Loss, M: Mechanism<L>>(mechanism: &M) -> Result<Certificate, Error> {
    let theta = vec![0.0; mechanism.problem().dimension()];
    Ok(certificate(mechanism, theta, mechanism.record()?, Randomness::Secure))
}

/// The public problem.
pub(super) fn problem<L: Loss>(problem: &Problem<L>) -> asap_contracts::Problem {
    let bounds = problem.bounds();
    asap_contracts::Problem {
        loss: loss(problem.loss()),
        class_weights: class_weights(problem.loss()),
        feature_norm: bounds.feature_norm(),
        // There is one: a problem without it is refused.
        target: problem.loss().targets().bound(bounds).unwrap_or(f64::INFINITY),
        max_rows: bounds.max_rows(),
        intercept: bounds.intercept(),
        row_norm: bounds.row_norm(),
        dimension: problem.dimension() as u64,
        regulariser: problem.regulariser(),
        parameter_bound: problem.parameter_bound(),
        shape: bounds.shape().map(|shape| shape.blocks().to_vec()),
    }
}

pub(crate) fn guarantee(guarantee: Guarantee) -> asap_contracts::Guarantee {
    match guarantee {
        Guarantee::Pure(epsilon) => asap_contracts::Guarantee::Pure(epsilon.get()),
        Guarantee::Gaussian(mu) => asap_contracts::Guarantee::Gaussian(mu.get()),
    }
}

/// Whether it is the logistic loss, whose slope and curvature are tied. spec: `own:joint-price`
pub(super) fn is_logistic<L: Loss>(loss: &L) -> bool {
    matches!(self::loss(loss), asap_contracts::Loss::Logistic)
}

/// How much the classes count, where they differ.
fn class_weights<L: Loss>(loss: &L) -> Option<[f64; 2]> {
    let any: &dyn Any = loss;
    let of_one = any.downcast_ref::<AgainstRest>().and_then(AgainstRest::weights);
    let weights = any.downcast_ref::<WeightedLogistic>().map(WeightedLogistic::weights).or(of_one);
    weights.filter(|weights| weights.iter().any(|weight| *weight < 1.0))
}

/// Which loss it is. Its **type** decides: what a loss says of its own name does not make it a built-in one.
fn loss<L: Loss>(loss: &L) -> asap_contracts::Loss {
    let any: &dyn Any = loss;
    if any.is::<Logistic>() || any.is::<WeightedLogistic>() || any.is::<AgainstRest>() {
        asap_contracts::Loss::Logistic
    } else if any.is::<Squared>() {
        asap_contracts::Loss::Squared
    } else if let Some(huber) = any.downcast_ref::<Huber>() {
        asap_contracts::Loss::Huber { delta: huber.delta() }
    } else {
        asap_contracts::Loss::User { name: Loss::name(loss).to_owned(), shape: loss.shape() }
    }
}

pub(super) fn minimiser<L: Loss>(localisation: &Localisation<L>) -> asap_contracts::Minimiser {
    let minimiser = localisation.minimiser();
    asap_contracts::Minimiser {
        bound: minimiser.problem().largest_minimiser(),
        lipschitz: minimiser.problem().minimiser_lipschitz(),
        rounding: minimiser.rounding(),
        tolerance: minimiser.tolerance(),
        sensitivity: localisation.sensitivity(),
    }
}

pub(super) fn noise(noise: &LatticeNoise) -> asap_contracts::Noise {
    let exponent = noise.lattice().exponent();
    match noise.law() {
        Law::Laplace(scale) => asap_contracts::Noise::DiscreteLaplace {
            exponent,
            numerator: scale.numerator().get(),
            denominator: scale.denominator().get(),
        },
        Law::Normal(scale) => asap_contracts::Noise::RoundedNormal { exponent, steps: scale.steps() },
        Law::Euclidean(scale) => asap_contracts::Noise::EuclideanLaplace { exponent, steps: scale.steps() },
    }
}
