//! Fast searches. Their result is a start for the next method, unless the stopping rule accepts it. They only propose,
//! and use a search through its methods. spec: `own:certified-minimiser`

use super::search::{Outcome, Search};
use crate::ball;
use crate::error::Error;
use crate::objective::Sums;
use nalgebra::{Cholesky, DVector, Dyn};

/// What is known of the curvature: a Hessian of some of the rows, and steps with the change of the gradient along them.
struct Curvature {
    hessian: Cholesky<f64, Dyn>,
    steps: Vec<[DVector<f64>; 2]>,
}

impl Curvature {
    fn new(hessian: Cholesky<f64, Dyn>) -> Self {
        Self { hessian, steps: Vec::new() }
    }

    /// A step and the change of the gradient along it, if it is that of a convex function.
    fn learn(&mut self, step: DVector<f64>, change: DVector<f64>) {
        if step.dot(&change) > 0.0 {
            self.steps.push([step, change]);
        }
    }

    /// The inverse of the Hessian, corrected so that it maps every change to its step (the two loops of BFGS), times the gradient.
    fn direction(&self, gradient: &DVector<f64>) -> DVector<f64> {
        let mut rest = gradient.clone();
        let mut parts = Vec::with_capacity(self.steps.len());
        for [step, change] in self.steps.iter().rev() {
            let part = step.dot(&rest) / step.dot(change);
            rest.axpy(-part, change, 1.0);
            parts.push(part);
        }
        let mut direction = self.hessian.solve(&rest);
        for ([step, change], part) in self.steps.iter().zip(parts.iter().rev()) {
            direction.axpy(part - change.dot(&direction) / step.dot(change), step, 1.0);
        }
        direction
    }
}

/// Newton's method, until the rule holds.
pub(super) fn newton<'a, 'o: 'a, S: Sums>(
    search: &mut Search<'a, 'o, S>,
    start: Vec<f64>,
) -> Result<Outcome, Error> {
    let theta = descend(search, start, Search::is_certified)?;
    Ok(search.certify(theta))
}

/// Newton's method, wherever it leads: certified for nothing.
pub(super) fn polish<S: Sums>(search: &mut Search<'_, '_, S>, start: Vec<f64>) -> Result<Vec<f64>, Error> {
    descend(search, start, Search::is_flat)
}

/// Newton's method with a step that is halved until J falls or the gradient does. A Hessian is used again as long as
/// it makes the gradient fall fast, and it is made of some of the rows only: the direction need not be exact. What the steps
/// since then have shown of the curvature corrects it.
fn descend<'a, 'o, S: Sums>(
    search: &mut Search<'a, 'o, S>,
    start: Vec<f64>,
    done: fn(&Search<'a, 'o, S>, &[f64]) -> bool,
) -> Result<Vec<f64>, Error> {
    const ITERATIONS: u32 = 100;
    let mut theta = start;
    let mut value = search.evaluate(&theta)?;
    let mut known: Option<Curvature> = None;
    for _ in 0..ITERATIONS {
        if done(search, &theta) {
            break;
        }
        let gradient = DVector::from_column_slice(search.slope());
        if known.is_none() {
            known = search.rough_hessian(&theta)?.cholesky().map(Curvature::new);
        }
        let Some(curvature) = &mut known else { break };
        let direction = curvature.direction(&gradient);
        let Some((trial, trial_value)) = line_search(search, &theta, value, &gradient, &direction)? else {
            break;
        };
        if ball::norm(search.slope()) > 0.4 * gradient.norm() {
            known = None;
        } else {
            let step = trial.iter().zip(&theta).map(|(new, old)| new - old);
            let change = search.slope().iter().zip(&gradient).map(|(new, old)| new - old);
            curvature.learn(
                DVector::from_iterator(theta.len(), step),
                DVector::from_iterator(theta.len(), change),
            );
        }
        (theta, value) = (trial, trial_value);
    }
    Ok(theta)
}

/// The first of the steps 1, ½, ¼, … along a direction that makes J or its gradient fall.
fn line_search<S: Sums>(
    search: &mut Search<'_, '_, S>,
    theta: &[f64],
    value: f64,
    gradient: &DVector<f64>,
    direction: &DVector<f64>,
) -> Result<Option<(Vec<f64>, f64)>, Error> {
    const HALVINGS: u32 = 40;
    let (slope, norm) = (gradient.dot(direction), gradient.norm());
    let mut length = 1.0;
    for _ in 0..HALVINGS {
        let trial: Vec<f64> = theta.iter().zip(direction).map(|(x, s)| x - length * s).collect();
        let trial_value = search.evaluate(&trial)?;
        let falls = trial_value <= value - 1e-4 * length * slope;
        if falls || ball::norm(search.slope()) <= 0.5 * norm {
            return Ok(Some((trial, trial_value)));
        }
        length *= 0.5;
    }
    Ok(None)
}

/// Nesterov's method with the momentum of a strongly convex problem, which is dropped wherever it leads uphill: where the
/// records bend J more than Λ alone, it would swing for long.
pub(super) fn accelerated_gradient<'a, 'o: 'a, S: Sums>(
    search: &mut Search<'a, 'o, S>,
    start: Vec<f64>,
) -> Result<Outcome, Error> {
    let root = search.condition().sqrt();
    let momentum = (root - 1.0) / (root + 1.0);
    let mut budget = 20.0 * (root + 1.0) * search.digits();
    let mut current = start.clone();
    let mut ahead = start;
    while budget > 0.0 {
        search.evaluate(&ahead)?;
        if search.is_certified(&ahead) {
            return Ok(search.certify(ahead));
        }
        let next = search.gradient_step(&ahead);
        let uphill = ahead.iter().zip(&next).zip(&current).map(|((a, n), c)| (a - n) * (n - c));
        let momentum = if uphill.sum::<f64>() > 0.0 { 0.0 } else { momentum };
        ahead = next.iter().zip(&current).map(|(new, old)| new + momentum * (new - old)).collect();
        current = next;
        budget -= 1.0;
    }
    Ok(Outcome::Open(current))
}
