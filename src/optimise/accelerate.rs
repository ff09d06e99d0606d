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

    /// The inverse of the Hessian, corrected so that it maps every change to its step (the two loops of
    /// BFGS), times the gradient.
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

/// A start for all rows: the minimiser of a few, from there the one of more, and so on. It is as near to the minimiser
/// as some rows are like all, and costs about as much as one evaluation with all of them.
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

/// A point, with J and its gradient there, or about these from one of every so many blocks of rows.
struct Visited {
    theta: Vec<f64>,
    value: f64,
    gradient: DVector<f64>,
}

impl Visited {
    fn new<S: Sums>(search: &mut Search<'_, '_, S>, theta: Vec<f64>, stride: usize) -> Result<Self, Error> {
        let (value, gradient) = if stride > 1 {
            let (value, gradient) = search.rough_evaluation(&theta, stride)?;
            (value, DVector::from_vec(gradient))
        } else {
            (search.evaluate(&theta)?, DVector::from_column_slice(search.slope()))
        };
        Ok(Self { theta, value, gradient })
    }

    /// The first of the steps 1, ½, ¼, … against a direction that makes J or its gradient fall.
    fn step<S: Sums>(
        &self,
        search: &mut Search<'_, '_, S>,
        direction: &DVector<f64>,
        stride: usize,
    ) -> Result<Option<Self>, Error> {
        const HALVINGS: u32 = 40;
        let (slope, norm) = (self.gradient.dot(direction), self.gradient.norm());
        let mut length = 1.0;
        for _ in 0..HALVINGS {
            let theta = self.theta.iter().zip(direction).map(|(x, s)| x - length * s).collect();
            let next = Self::new(search, theta, stride)?;
            if next.value <= self.value - 1e-4 * length * slope || next.gradient.norm() <= 0.5 * norm {
                return Ok(Some(next));
            }
            length *= 0.5;
        }
        Ok(None)
    }
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
    let mut here = Visited::new(search, start, stride)?;
    let mut known: Option<Curvature> = None;
    for _ in 0..ITERATIONS {
        if done(search, &here.theta, here.gradient.norm()) {
            break;
        }
        if known.is_none() {
            known = search.rough_hessian(&here.theta, stride)?.cholesky().map(Curvature::new);
        }
        let Some(curvature) = &mut known else { break };
        let direction = curvature.direction(&here.gradient);
        let Some(next) = here.step(search, &direction, stride)? else { break };
        if next.gradient.norm() > 0.2 * here.gradient.norm() {
            known = None;
        } else {
            let step = next.theta.iter().zip(&here.theta).map(|(new, old)| new - old);
            curvature.learn(DVector::from_iterator(here.theta.len(), step), &next.gradient - &here.gradient);
        }
        here = next;
    }
    Ok(here.theta)
}

/// Nesterov's method with the momentum of a strongly convex problem, which is dropped wherever it leads uphill: where
/// the records bend J more than Λ alone, it would swing for long.
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
