//! The certified minimiser: a point within τ of the exact one, for every admissible data set.
//! spec: `own:certified-minimiser`
//!
//! The paper treats the optimiser as a black box. Here its accuracy τ is part of the noise scale, fixed before
//! the records are seen, so it has to hold *always*. Two accelerators (Newton, accelerated gradient) do the
//! work; a plain gradient method, which they cannot disturb, carries the proof:
//!
//! * the map `T(θ) = P(θ − η∇J(θ))` with `η ≤ 1/(Λ + nβ)` contracts distances by `q = 1 − ηΛ`, hence
//!   `‖θ − θ*‖ ≤ ‖θ − T(θ)‖/(ηΛ)`. This residual is the **stopping rule** (without a domain it is `‖∇J‖/Λ`);
//! * should the rule never fire, then after `k ≥ ln(4‖θ_0 − θ*‖/τ)/(ηΛ)` steps the contraction itself proves
//!   `‖θ_k − θ*‖ ≤ τ/4` plus the rounding errors;
//! * rounding errors of the gradient (at most δ) and of the update (at most ρ) move the limit by at most
//!   `δ/Λ + ρ/(ηΛ)`. The contract [`admissible_tolerance`] keeps that below τ/2.

use crate::ball::{self, Ball};
use crate::contract::contract;
use crate::error::{Error, InvalidInput};
use crate::exact::{add_up, div_down, div_up, mul_up};
use crate::loss::Loss;
use crate::model::{Domain, Model};
use crate::objective::{Objective, Workspace, gradient_rounding_bound};
use crate::private::Private;
use crate::special;
use nalgebra::{DMatrix, DVector};

contract! {
    spec "own:certified-minimiser";
    /// A tolerance τ that the minimiser can be held to: twice the largest effect of rounding fits below it.
    pub fn admissible_tolerance(tau: f64, rounding: f64) -> f64
    where
        requires tau.is_finite() && tau > 0.0;
        requires rounding.is_finite() && rounding >= 0.0;
        requires 2.0 * rounding <= tau;
        ensures(value) 2.0 * rounding <= value && value <= tau;
    {
        Some(tau)
    }
}

/// How the minimiser of a model is found: public, and fixed before the records are seen.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Minimiser {
    tau: f64,
    rounding: f64,
    farthest: f64,
    regulariser: f64,
    domain: Domain,
}

impl Minimiser {
    /// Newton's method factors a d × d matrix; beyond this d the accelerated gradient method is used.
    const LARGEST_NEWTON: usize = 1024;

    /// The default τ is this part of the sensitivity G/Λ: it adds 2 · 2⁻¹⁴ to it, one part in eight thousand.
    const DEFAULT_PART: f64 = 1.0 / 16384.0;

    /// How often the default τ is raised to what rounding needs, before the model is refused.
    const RAISES: u32 = 8;

    /// The minimiser with the default tolerance, as small as is useful and as rounding allows.
    pub fn new<L: Loss>(model: &Model<L>) -> Result<Self, Error> {
        let useful = model.minimiser_lipschitz().map(|lipschitz| lipschitz / model.regulariser());
        let mut tau = useful.unwrap_or(0.0) * Self::DEFAULT_PART;
        // The rounding depends on τ a little: on the size of the iterates.
        for _ in 0..Self::RAISES {
            let rounding = Self::largest_rounding(model, tau).unwrap_or(f64::INFINITY);
            tau = tau.max(2.000_001 * rounding);
        }
        Self::with_tolerance(model, tau)
    }

    /// The minimiser with tolerance τ.
    pub fn with_tolerance<L: Loss>(model: &Model<L>, tau: f64) -> Result<Self, Error> {
        InvalidInput::positive("tolerance", tau)?;
        let rounding = Self::largest_rounding(model, tau).unwrap_or(f64::MAX);
        let tau = admissible_tolerance(tau, rounding)?;
        let farthest = model.largest_minimiser().ok_or(Error::Aborted)?;
        Ok(Self { tau, rounding, farthest, regulariser: model.regulariser(), domain: model.domain() })
    }

    /// τ.
    pub fn tolerance(&self) -> f64 {
        self.tau
    }

    /// How far rounding can move the limit, for the largest admissible data set.
    pub fn rounding(&self) -> f64 {
        self.rounding
    }

    /// `δ/Λ + ρ/(ηΛ)` for the largest admissible data set.
    fn largest_rounding<L: Loss>(model: &Model<L>, tau: f64) -> Option<f64> {
        let (rows, d) = (model.bounds().max_rows(), model.dimension());
        let reach = add_up(mul_up(3.0, model.largest_minimiser()?)?, tau)?;
        let gradient =
            gradient_rounding_bound(rows, d, reach, model.loss(), model.bounds(), model.regulariser());
        // θ − ηg: two roundings of vectors no longer than twice the reach. The projection scales by a quotient
        // of norms that is off by at most (d + 8) roundings and may be shrunk by as much again.
        let roundings = match model.domain() {
            Domain::Everywhere => 8.0,
            Domain::Ball(_) => 8.0 * (d as f64 + 16.0),
        };
        let update = mul_up(reach, roundings * f64::EPSILON)?;
        let condition = div_up(model.largest_smoothness()?, model.regulariser())?;
        // The quotient ηΛ is itself rounded; two parts in 10⁶ cover it.
        mul_up(1.000_002, add_up(div_up(gradient, model.regulariser())?, mul_up(update, condition)?)?)
    }

    /// A point within τ of the minimiser of J on the domain.
    ///
    /// The only error is a broken internal check, with a constant text; it is not expected for any input.
    pub fn run<L: Loss>(
        &self,
        objective: &Objective<L>,
        model: &Model<L>,
    ) -> Result<Private<Vec<f64>>, Error> {
        let rows = objective.rows();
        let smoothness = model.smoothness(rows).ok_or(Error::Aborted)?;
        let step = div_down(1.0, smoothness).ok_or(Error::Aborted)?;
        if objective.dimension() != model.dimension() || rows > model.bounds().max_rows() {
            return Err(Error::Aborted);
        }
        let zero = vec![0.0; objective.dimension()];
        let ball = match self.domain {
            Domain::Everywhere => None,
            Domain::Ball(radius) => Some(Ball::new(zero.clone(), radius)?),
        };
        let mut search = Search { minimiser: self, objective, ball, step, workspace: objective.workspace() };
        let accelerated = if search.ball.is_none() && objective.dimension() <= Self::LARGEST_NEWTON {
            search.newton(zero)
        } else {
            search.accelerated_gradient(zero)
        };
        let theta = match accelerated {
            Outcome::Certified(theta) => theta,
            Outcome::Open(theta) => search.gradient(theta, true)?,
        };
        if theta.iter().all(|component| component.is_finite()) {
            Ok(Private::new(theta))
        } else {
            Err(Error::Aborted)
        }
    }
}

/// What an accelerator hands on.
enum Outcome {
    /// The stopping rule holds.
    Certified(Vec<f64>),
    /// A starting point for the method that cannot fail.
    Open(Vec<f64>),
}

/// One search. All of its numbers are private; none leaves except the point.
struct Search<'a, L: Loss> {
    minimiser: &'a Minimiser,
    objective: &'a Objective<'a, L>,
    ball: Option<Ball>,
    step: f64,
    workspace: Workspace,
}

impl<L: Loss> Search<'_, L> {
    /// `1/(ηΛ)`.
    fn condition(&self) -> f64 {
        1.0 / (self.step * self.minimiser.regulariser)
    }

    /// Evaluates J and its gradient.
    fn evaluate(&mut self, theta: &[f64]) -> f64 {
        self.objective.value_and_gradient(theta, &mut self.workspace)
    }

    /// `T(θ)` from the gradient at θ that was evaluated last.
    fn gradient_step(&self, theta: &[f64]) -> Vec<f64> {
        let moved = theta.iter().zip(self.workspace.gradient()).map(|(x, g)| x - self.step * g);
        let mut moved: Vec<f64> = moved.collect();
        if let Some(ball) = &self.ball {
            ball.project_in_place(&mut moved);
        }
        moved
    }

    /// Not below `Λ‖θ − θ*‖` up to the rounding that the tolerance allows for, with the gradient evaluated last.
    fn residual(&self, theta: &[f64]) -> f64 {
        match self.ball {
            None => ball::norm(self.workspace.gradient()),
            Some(_) => ball::distance(theta, &self.gradient_step(theta)) / self.step,
        }
    }

    /// The stopping rule. Half of τ is left to rounding, and the iterate must be as short as was assumed there.
    fn certified(&self, theta: &[f64]) -> bool {
        let Minimiser { tau, farthest, regulariser, .. } = *self.minimiser;
        ball::norm(theta) <= 3.0 * farthest && self.residual(theta) <= 0.49 * regulariser * tau
    }

    /// Newton's method with a step that is halved until J falls or the gradient does.
    fn newton(&mut self, start: Vec<f64>) -> Outcome {
        const ITERATIONS: u32 = 100;
        const HALVINGS: u32 = 40;
        let d = start.len();
        let mut hessian = DMatrix::zeros(d, d);
        let mut theta = start;
        let mut value = self.evaluate(&theta);
        for _ in 0..ITERATIONS {
            if self.certified(&theta) {
                return Outcome::Certified(theta);
            }
            let gradient = DVector::from_column_slice(self.workspace.gradient());
            self.objective.hessian(&theta, &mut hessian);
            let Some(factor) = hessian.clone().cholesky() else { break };
            let direction = factor.solve(&gradient);
            let slope = gradient.dot(&direction);
            let norm = gradient.norm();
            let mut length = 1.0;
            let accepted = (0..HALVINGS).find_map(|_| {
                let trial: Vec<f64> = theta.iter().zip(&direction).map(|(x, s)| x - length * s).collect();
                let trial_value = self.evaluate(&trial);
                let falls = trial_value <= value - 1e-4 * length * slope;
                length *= 0.5;
                (falls || ball::norm(self.workspace.gradient()) <= 0.5 * norm).then_some((trial, trial_value))
            });
            let Some((trial, trial_value)) = accepted else { break };
            (theta, value) = (trial, trial_value);
        }
        self.open(theta)
    }

    /// Nesterov's method with the momentum of a strongly convex problem.
    fn accelerated_gradient(&mut self, start: Vec<f64>) -> Outcome {
        let root = self.condition().sqrt();
        let momentum = (root - 1.0) / (root + 1.0);
        let mut budget = 20.0 * (root + 1.0) * self.digits();
        let mut current = start.clone();
        let mut ahead = start;
        while budget > 0.0 {
            self.evaluate(&ahead);
            if self.certified(&ahead) {
                return Outcome::Certified(ahead);
            }
            let next = self.gradient_step(&ahead);
            ahead = next.iter().zip(&current).map(|(new, old)| new + momentum * (new - old)).collect();
            current = next;
            budget -= 1.0;
        }
        self.open(current)
    }

    /// The method that carries the proof: stops when the contraction has done its work, or before, when the rule
    /// holds (unless the rule is not to be looked at).
    fn gradient(&mut self, start: Vec<f64>, with_rule: bool) -> Result<Vec<f64>, Error> {
        let mut theta = start;
        let mut steps = self.condition() * self.digits();
        while steps > -1.0 {
            self.evaluate(&theta);
            if with_rule && self.certified(&theta) {
                return Ok(theta);
            }
            theta = self.gradient_step(&theta);
            steps -= 1.0;
        }
        // q^k ≤ e^(−kηΛ) ≤ τ/(4‖start − θ*‖): certified by the number of steps.
        if steps.is_nan() { Err(Error::Aborted) } else { Ok(theta) }
    }

    /// `ln(4‖start − θ*‖/τ)`, rounded up, for a start not longer than the longest minimiser.
    fn digits(&self) -> f64 {
        let ratio = 8.0 * self.minimiser.farthest / self.minimiser.tau;
        1.000_1 * special::ln(ratio.max(1.0)) + 1.0
    }

    /// Hands a point on, or 0 if it is farther away than any minimiser.
    fn open(&self, theta: Vec<f64>) -> Outcome {
        if ball::norm(&theta) <= self.minimiser.farthest {
            Outcome::Open(theta)
        } else {
            Outcome::Open(vec![0.0; theta.len()])
        }
    }
}

#[cfg(any(kani, test))]
#[path = "../proofs/optimize.rs"]
mod proofs;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Bounds, OutOfBounds, Records};
    use crate::loss::Squared;

    /// The accelerators never leave anything to do in practice, so the method that carries the proof is run alone
    /// here, once until the rule fires and once on the number of steps only, and compared with a closed form.
    #[test]
    fn the_gradient_method_alone_reaches_the_tolerance() {
        let bounds = Bounds::new(1.0).unwrap().with_max_rows(100).unwrap();
        let features: Vec<f64> =
            (0..40).map(|i| if i % 2 == 0 { 0.9 } else { 0.1 * f64::from(i % 3) }).collect();
        let targets = vec![1.0; 20];
        for radius in [None, Some(0.3)] {
            let records =
                Records::new(Squared, bounds, OutOfBounds::Refuse, features.clone(), targets.clone());
            let records = records.unwrap();
            let objective = Objective::new(&records, 0.5).unwrap();
            let mut model = Model::new(Squared, bounds, 2, 0.5).unwrap();
            if let Some(radius) = radius {
                model = model.with_parameter_bound(radius).unwrap();
            }
            let minimiser = Minimiser::with_tolerance(&model, 1e-6).unwrap();
            let exact = minimiser.run(&objective, &model).unwrap().reveal_breaking_privacy();
            let step = 1.0 / model.smoothness(20).unwrap();
            let ball = radius.map(|radius| Ball::new(vec![0.0; 2], radius).unwrap());
            for rule in [true, false] {
                let workspace = objective.workspace();
                let ball = ball.clone();
                let mut search =
                    Search { minimiser: &minimiser, objective: &objective, ball, step, workspace };
                let theta = search.gradient(vec![0.0; 2], rule).unwrap();
                let distance = ball::distance(&theta, &exact);
                assert!(distance <= 2e-6, "{radius:?} {rule} {distance:e}");
                assert!(ball::norm(&theta) > 0.1, "it moved");
            }
        }
    }
}
