//! One search for a minimiser of J, or of J plus a linear function: the stopping rule, and the method that carries the
//! proof. The accelerators are in another module, which the fields here are closed to. spec: `own:certified-minimiser`

use crate::ball::{self, Ball};
use crate::error::Error;
use crate::objective::{Objective, Sums, Workspace};
use crate::special;
use nalgebra::DMatrix;

/// Newton's method factors a d × d matrix; beyond this d it is not used.
pub(super) const LARGEST_NEWTON: usize = 1024;

/// Where the minimiser is searched.
pub(super) enum Region {
    /// In the whole space.
    Everywhere,
    /// In a ball around 0, with the projection that membership is certified for.
    Ball(Ball),
    /// In the ball of this radius around 0, with the projection that rounds least.
    Within(f64),
}

/// What is fixed before the search begins.
pub(super) struct Aim {
    /// τ: how far from the minimiser the point may be.
    pub(super) tau: f64,
    /// Not below the norm of the minimiser, nor of the start.
    pub(super) farthest: f64,
    /// The largest norm of a point that the rounding bound behind τ covers.
    pub(super) reach: f64,
    /// C.
    pub(super) region: Region,
    /// η, at most 1/(Λ + nβ).
    pub(super) step: f64,
}

/// A point within τ of the minimiser. It comes from the stopping rule or from the number of contracting steps, and from
/// nowhere else: an accelerator cannot make one, nor change the gradient, the tilt or the aim that the rule looks at.
pub(super) struct Certified(Vec<f64>);

impl Certified {
    /// The point.
    pub(super) fn into_point(self) -> Vec<f64> {
        self.0
    }
}

/// What an accelerator hands on.
pub(super) enum Outcome<C = Certified, P = Vec<f64>> {
    /// The stopping rule holds.
    Certified(C),
    /// A starting point for the next method.
    Open(P),
}

/// A fast method. What it does cannot harm: it ends with a point that the rule accepts, or with a
/// start for the next method.
pub(super) type Accelerator<'a, 'o, S> = fn(&mut Search<'a, 'o, S>, Vec<f64>) -> Result<Outcome, Error>;

/// One search. All of its numbers are private; none leaves except the point.
pub(super) struct Search<'a, 'o, S: Sums> {
    objective: &'a Objective<'o, S>,
    aim: Aim,
    /// b of J + ⟨b, θ⟩; empty for 0.
    tilt: Vec<f64>,
    workspace: Workspace,
    /// The point of the last evaluation, and the gradient there.
    at: Vec<f64>,
    gradient: Vec<f64>,
}

impl<'a, 'o, S: Sums> Search<'a, 'o, S> {
    pub(super) fn new(objective: &'a Objective<'o, S>, aim: Aim, tilt: Vec<f64>) -> Self {
        let workspace = objective.workspace();
        Self { objective, aim, tilt, workspace, at: Vec::new(), gradient: Vec::new() }
    }

    /// A certified point: by one of the accelerators, or else by the method that cannot fail.
    pub(super) fn solve(
        &mut self,
        start: Vec<f64>,
        accelerators: &[Accelerator<'a, 'o, S>],
    ) -> Result<Vec<f64>, Error> {
        let found = first_certified(start, accelerators.len() + 1, |k, point| {
            // Whatever an accelerator has handed on.
            let near = self.near(point);
            match accelerators.get(k) {
                Some(accelerator) => accelerator(self, near),
                None => self.gradient(near, true).map(Outcome::Certified),
            }
        })?;
        finite(found.ok_or(Error::Aborted)?)
    }

    fn regulariser(&self) -> f64 {
        self.objective.problem().regulariser()
    }

    /// About the Hessian of J, from one of every so many blocks of rows.
    pub(super) fn rough_hessian(&self, theta: &[f64], stride: usize) -> Result<DMatrix<f64>, Error> {
        Ok(self.objective.hessian_of_some(theta, stride)?)
    }

    /// About J, tilted, and its gradient, from one of every so many blocks of rows. The rule does not look at them.
    pub(super) fn rough_evaluation(
        &mut self,
        theta: &[f64],
        stride: usize,
    ) -> Result<(f64, Vec<f64>), Error> {
        let mut value = self.objective.rough_value_and_gradient(theta, stride, &mut self.workspace)?;
        let mut gradient = self.workspace.gradient().to_vec();
        for ((slope, tilt), x) in gradient.iter_mut().zip(&self.tilt).zip(theta) {
            *slope += tilt;
            value += tilt * x;
        }
        Ok((value, gradient))
    }

    /// How many rows there are for each parameter; 0 where an evaluation does not look at rows.
    pub(super) fn rows_per_parameter(&self) -> usize {
        self.objective.rows_of_an_evaluation() / self.objective.dimension().max(1)
    }

    /// The gradient at the point that was evaluated last.
    pub(super) fn slope(&self) -> &[f64] {
        &self.gradient
    }

    /// `1/(ηΛ)`.
    pub(super) fn condition(&self) -> f64 {
        1.0 / (self.aim.step * self.regulariser())
    }

    /// Evaluates J, tilted, and its gradient.
    pub(super) fn evaluate(&mut self, theta: &[f64]) -> Result<f64, Error> {
        let mut value = self.objective.value_and_gradient(theta, &mut self.workspace)?;
        self.gradient.clear();
        self.gradient.extend_from_slice(self.workspace.gradient());
        for ((slope, tilt), x) in self.gradient.iter_mut().zip(&self.tilt).zip(theta) {
            *slope += tilt;
            value += tilt * x;
        }
        self.at.clear();
        self.at.extend_from_slice(theta);
        Ok(value)
    }

    /// `T(θ)` from the gradient at θ that was evaluated last.
    pub(super) fn gradient_step(&self, theta: &[f64]) -> Vec<f64> {
        let moved = theta.iter().zip(&self.gradient).map(|(x, g)| x - self.aim.step * g);
        let mut moved: Vec<f64> = moved.collect();
        match &self.aim.region {
            Region::Everywhere => {}
            Region::Ball(ball) => ball.project_in_place(&mut moved),
            Region::Within(radius) => ball::shorten(&mut moved, *radius),
        }
        moved
    }

    /// Not below `Λ‖θ − θ*‖` up to the rounding that the tolerance allows for, with the gradient evaluated last.
    fn residual(&self, theta: &[f64]) -> f64 {
        let slope = ball::norm(&self.gradient);
        let mapped = || ball::distance(theta, &self.gradient_step(theta)) / self.aim.step;
        match self.aim.region {
            Region::Everywhere => slope,
            // Inside, by more than what the computed norm is off, the projection brings nothing farther away.
            Region::Within(radius) if ball::norm(theta) <= radius * (1.0 - 1e-9) => slope.min(mapped()),
            Region::Ball(_) | Region::Within(_) => mapped(),
        }
    }

    /// The stopping rule. Half of τ is left to rounding, and the iterate must be as short as was assumed there.
    pub(super) fn is_certified(&self, theta: &[f64]) -> bool {
        ball::norm(theta) <= self.aim.reach && self.is_flat(theta)
    }

    /// The stopping rule for a point that need not be near anything.
    pub(super) fn is_flat(&self, theta: &[f64]) -> bool {
        self.residual(theta) <= 0.49 * self.regulariser() * self.aim.tau
    }

    /// A certificate for the point that was evaluated last, if the rule holds there.
    pub(super) fn certify(&self, theta: Vec<f64>) -> Outcome {
        if theta == self.at && self.is_certified(&theta) {
            Outcome::Certified(Certified(theta))
        } else {
            Outcome::Open(theta)
        }
    }

    /// A certificate for a point from anywhere, if the rule holds there.
    #[cfg(test)]
    pub(super) fn evaluate_and_certify(&mut self, theta: Vec<f64>) -> Result<Outcome, Error> {
        self.evaluate(&theta)?;
        Ok(self.certify(theta))
    }

    /// The method that carries the proof: stops when the contraction has done its work, or before, when the rule
    /// holds (unless the rule is not to be looked at).
    pub(super) fn gradient(&mut self, mut theta: Vec<f64>, with_rule: bool) -> Result<Certified, Error> {
        let mut steps = self.condition() * self.digits();
        while steps > -1.0 {
            self.evaluate(&theta)?;
            if with_rule && self.is_certified(&theta) {
                return Ok(Certified(theta));
            }
            theta = self.gradient_step(&theta);
            steps -= 1.0;
        }
        // q^k ≤ e^(−kηΛ) ≤ τ/(4‖start − θ*‖): certified by the number of steps.
        if steps.is_nan() { Err(Error::Aborted) } else { Ok(Certified(theta)) }
    }

    /// `ln(4‖start − θ*‖/τ)`, rounded up, for a start not longer than the longest minimiser.
    pub(super) fn digits(&self) -> f64 {
        let ratio = 8.0 * self.aim.farthest / self.aim.tau;
        1.000_1 * special::ln(ratio.max(1.0)) + 1.0
    }

    /// A point to start from, for which the count of steps is right: brought back to the ball, or 0 if it is farther
    /// away than any minimiser, or no point.
    fn near(&self, mut theta: Vec<f64>) -> Vec<f64> {
        if let Region::Within(radius) = self.aim.region {
            ball::shorten(&mut theta, radius);
        }
        let is_near = theta.len() == self.objective.dimension() && ball::norm(&theta) <= self.aim.farthest;
        if is_near { theta } else { vec![0.0; self.objective.dimension()] }
    }
}

/// The first certificate of several methods, each of which starts where the one before it ended;
/// `None` if none makes one.
fn first_certified<C, P, E>(
    mut point: P,
    methods: usize,
    mut method: impl FnMut(usize, P) -> Result<Outcome<C, P>, E>,
) -> Result<Option<C>, E> {
    for k in 0..methods {
        match method(k, point)? {
            Outcome::Certified(found) => return Ok(Some(found)),
            Outcome::Open(theta) => point = theta,
        }
    }
    Ok(None)
}

/// The point, if it is one.
fn finite(found: Certified) -> Result<Vec<f64>, Error> {
    let theta = found.into_point();
    if theta.iter().all(|component| component.is_finite()) { Ok(theta) } else { Err(Error::Aborted) }
}

#[cfg(any(kani, test))]
#[path = "../../proofs/optimise/search.rs"]
mod proofs;
