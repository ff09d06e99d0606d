//! Fast searches. Their result is a start for the next method, unless the stopping rule accepts it. They only propose,
//! and use a search through its methods. spec: `own:certified-minimiser`

use super::search::{Outcome, Search};
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
    let near = approach(search, start)?;
    let theta = descend(search, near, 1, |search, theta, _| search.is_certified(theta))?;
    Ok(search.certify(theta))
}

/// Newton's method, wherever it leads: certified for nothing.
pub(super) fn polish<S: Sums>(search: &mut Search<'_, '_, S>, start: Vec<f64>) -> Result<Vec<f64>, Error> {
    descend(search, start, 1, |search, theta, _| search.is_flat(theta))
}

/// A start for all rows: the minimiser of a few, from there the one of more, and so on. It is as near to the minimiser as some rows are like
/// all, and costs about as much as one evaluation with all of them.
fn approach<S: Sums>(search: &mut Search<'_, '_, S>, start: Vec<f64>) -> Result<Vec<f64>, Error> {
    /// Rows for each parameter in the beginning.
    const FEW: usize = 64;
    /// How many times as many there are next.
    const MORE: usize = 32;
    /// Of every so many blocks one is not worth it.
    const LEAST: usize = 4;
    let mut theta = start;
    let mut stride = search.rows_per_parameter() / FEW;
    while stride >= LEAST {
        // The gradient in the beginning, and a small part of it: the rows themselves say no more.
        let mut enough = None;
        theta = descend(search, theta, stride, |_, _, gradient| {
            gradient <= *enough.get_or_insert(0.03 * gradient)
        })?;
        stride /= MORE;
    }
    Ok(theta)
}

/// J and its gradient, or about these from one of every so many blocks of rows.
fn evaluate<S: Sums>(
    search: &mut Search<'_, '_, S>,
    theta: &[f64],
    stride: usize,
) -> Result<(f64, DVector<f64>), Error> {
    if stride > 1 {
        let (value, gradient) = search.rough_evaluation(theta, stride)?;
        return Ok((value, DVector::from_vec(gradient)));
    }
    let value = search.evaluate(theta)?;
    Ok((value, DVector::from_column_slice(search.slope())))
}

/// Newton's method with a step that is halved until J falls or the gradient does. A Hessian is used again as long as
/// it makes the gradient fall fast. What the steps since then have shown of the curvature corrects it.
fn descend<'a, 'o, S: Sums>(
    search: &mut Search<'a, 'o, S>,
    start: Vec<f64>,
    stride: usize,
    mut done: impl FnMut(&Search<'a, 'o, S>, &[f64], f64) -> bool,
) -> Result<Vec<f64>, Error> {
    const ITERATIONS: u32 = 100;
    let mut theta = start;
    let (mut value, mut gradient) = evaluate(search, &theta, stride)?;
    let mut known: Option<Curvature> = None;
    for _ in 0..ITERATIONS {
        if done(search, &theta, gradient.norm()) {
            break;
        }
        if known.is_none() {
            known = search.rough_hessian(&theta, stride)?.cholesky().map(Curvature::new);
        }
        let Some(curvature) = &mut known else { break };
        let direction = curvature.direction(&gradient);
        let line = Line { theta: &theta, value, gradient: &gradient, direction: &direction };
        let Some((trial, trial_value, slope)) = line.search(search, stride)? else { break };
        if slope.norm() > 0.2 * gradient.norm() {
            known = None;
        } else {
            let step = trial.iter().zip(&theta).map(|(new, old)| new - old);
            curvature.learn(DVector::from_iterator(theta.len(), step), &slope - &gradient);
        }
        (theta, value, gradient) = (trial, trial_value, slope);
    }
    Ok(theta)
}

/// A point, what is known there, and where to go from it.
struct Line<'l> {
    theta: &'l [f64],
    value: f64,
    gradient: &'l DVector<f64>,
    direction: &'l DVector<f64>,
}

impl Line<'_> {
    /// The first of the steps 1, ½, ¼, … that makes J or its gradient fall: the point, and both there.
    fn search<S: Sums>(
        &self,
        search: &mut Search<'_, '_, S>,
        stride: usize,
    ) -> Result<Option<(Vec<f64>, f64, DVector<f64>)>, Error> {
        const HALVINGS: u32 = 40;
        let (slope, norm) = (self.gradient.dot(self.direction), self.gradient.norm());
        let mut length = 1.0;
        for _ in 0..HALVINGS {
            let trial: Vec<f64> =
                self.theta.iter().zip(self.direction).map(|(x, s)| x - length * s).collect();
            let (value, gradient) = evaluate(search, &trial, stride)?;
            if value <= self.value - 1e-4 * length * slope || gradient.norm() <= 0.5 * norm {
                return Ok(Some((trial, value, gradient)));
            }
            length *= 0.5;
        }
        Ok(None)
    }
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
