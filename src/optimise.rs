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
use crate::contract::{Public, contract};
use crate::error::Error;
use crate::exact::{add_up, div_down, div_up, mul_up};
use crate::input::InvalidInput;
use crate::loss::Loss;
use crate::objective::{Objective, SumOf, Sums, Workspace, gradient_rounding_bound};
use crate::private::Private;
use crate::problem::{Domain, Problem};
use crate::special;
use nalgebra::{Cholesky, DVector, Dyn};

contract! {
    spec "own:certified-minimiser";
    /// A tolerance τ that the minimiser can be held to: twice the largest effect of rounding fits below it.
    pub fn admissible_tolerance(tau: Public, rounding: Public) -> f64
    where
        requires tau.get().is_finite() && tau.get() > 0.0;
        requires rounding.get().is_finite() && rounding.get() >= 0.0;
        requires 2.0 * rounding.get() <= tau.get();
        ensures(value) 2.0 * rounding.get() <= value && value <= tau.get();
    {
        Some(tau.get())
    }
}

/// How the minimiser of a problem is found: public, and fixed before the records are seen.
///
/// It carries its problem. So nobody can ask for the noise of one problem and the accuracy of another:
///
/// ```compile_fail,E0061
/// # use asap_dp::{bounds::Bounds, loss::Logistic, mechanism::Output, optimise::Minimiser, privacy::*, problem::Problem};
/// # let narrow = Problem::new(Logistic, Bounds::new(1.0)?, 1, 100.0)?;
/// # let wide = Problem::new(Logistic, Bounds::new(1.0)?, 1, 0.01)?;
/// let share = Guarantee::Pure(Epsilon::new(1.0)?);
/// let output = Output::new(&narrow, Minimiser::new(&wide)?, share)?;
/// # Ok::<(), asap_dp::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Minimiser<L> {
    problem: Problem<L>,
    tau: f64,
    rounding: f64,
}

impl<L: Loss> Minimiser<L> {
    /// Newton's method factors a d × d matrix; beyond this d the accelerated gradient method is used.
    const LARGEST_NEWTON: usize = 1024;

    /// The default τ is this part of the sensitivity G/Λ: it adds 2 · 2⁻¹⁴ to it, one part in eight thousand.
    const DEFAULT_PART: f64 = 1.0 / 16384.0;

    /// How often the default τ is raised to what rounding needs, before the problem is refused.
    const RAISES: u32 = 8;

    /// The minimiser with the default tolerance, as small as is useful and as rounding allows.
    pub fn new(problem: &Problem<L>) -> Result<Self, Error> {
        let mut tau = problem.minimiser_lipschitz() / problem.regulariser() * Self::DEFAULT_PART;
        // The rounding depends on τ a little: on the size of the iterates.
        for _ in 0..Self::RAISES {
            let rounding = Self::largest_rounding(problem, tau).unwrap_or(f64::INFINITY);
            tau = tau.max(2.000_001 * rounding);
        }
        Self::with_tolerance(problem, tau)
    }

    /// The minimiser with tolerance τ.
    pub fn with_tolerance(problem: &Problem<L>, tau: f64) -> Result<Self, Error> {
        InvalidInput::positive("tolerance", tau)?;
        let rounding = Self::largest_rounding(problem, tau).unwrap_or(f64::MAX);
        let tau = admissible_tolerance(Public::new(tau), Public::new(rounding))?;
        Ok(Self { problem: *problem, tau, rounding })
    }

    /// The minimiser with tolerance τ, or with the default one.
    pub fn within(problem: &Problem<L>, tau: Option<f64>) -> Result<Self, Error> {
        tau.map_or_else(|| Self::new(problem), |tau| Self::with_tolerance(problem, tau))
    }

    /// The problem.
    pub fn problem(&self) -> &Problem<L> {
        &self.problem
    }

    /// τ: how far the point that is found is from the minimiser at most.
    pub fn tolerance(&self) -> f64 {
        self.tau
    }

    /// How far rounding can move the limit, for the largest admissible data set.
    pub fn rounding(&self) -> f64 {
        self.rounding
    }

    /// `δ/Λ + ρ/(ηΛ)` for the largest admissible data set.
    fn largest_rounding(problem: &Problem<L>, tau: f64) -> Option<f64> {
        let (bounds, d) = (problem.bounds(), problem.dimension());
        let reach = add_up(mul_up(3.0, problem.largest_minimiser())?, tau)?;
        let gradient = gradient_rounding_bound(&SumOf::new(problem, bounds.max_rows()), reach);
        // θ − ηg: two roundings of vectors no longer than twice the reach. The projection scales by a quotient
        // of norms that is off by at most (d + 8) roundings and may be shrunk by as much again.
        let roundings = match problem.domain() {
            Domain::Everywhere => 8.0,
            Domain::Ball(_) => 8.0 * (d as f64 + 16.0),
        };
        let update = mul_up(reach, roundings * f64::EPSILON)?;
        let condition = div_up(problem.largest_smoothness(), problem.regulariser())?;
        // The quotient ηΛ is itself rounded; two parts in 10⁶ cover it.
        mul_up(1.000_002, add_up(div_up(gradient, problem.regulariser())?, mul_up(update, condition)?)?)
    }

    /// A point within τ of the minimiser of J on the domain.
    ///
    /// The objective has to be one of this problem. Otherwise the only errors are a file that cannot be read again and a
    /// broken internal check, with constant texts; the latter is not expected for any input.
    pub fn run<S: Sums<Loss = L>>(&self, objective: &Objective<'_, S>) -> Result<Private<Vec<f64>>, Error> {
        self.find(objective).map(|found| Private::new(found.theta))
    }

    /// [`Minimiser::run`], with what the search knows at its end.
    pub(crate) fn find<S: Sums<Loss = L>>(&self, objective: &Objective<'_, S>) -> Result<Found, Error> {
        if *objective.problem() != self.problem {
            let allowed = "one that was bound by the problem of the minimiser";
            return Err(InvalidInput { field: "objective", allowed }.into());
        }
        let step = div_down(1.0, self.problem.smoothness(objective.rows())).ok_or(Error::Aborted)?;
        let zero = vec![0.0; objective.dimension()];
        let ball = match self.problem.domain() {
            Domain::Everywhere => None,
            Domain::Ball(radius) => Some(Ball::new(zero.clone(), radius)?),
        };
        let mut search = Search::new(self, objective, ball, step);
        let accelerated = if search.ball.is_none() && objective.dimension() <= Self::LARGEST_NEWTON {
            search.newton(zero, Search::certified)?
        } else {
            search.accelerated_gradient(zero)?
        };
        let theta = match accelerated {
            Outcome::Certified(theta) => theta,
            Outcome::Open(theta) => search.gradient(theta, true)?,
        };
        if theta.iter().all(|component| component.is_finite()) {
            Ok(Found { theta, is_flat: search.ball.is_none() })
        } else {
            Err(Error::Aborted)
        }
    }

    /// A point with a small gradient of J, outside of the domain if need be, by Newton's method from a given point. It is
    /// certified for nothing.
    pub(crate) fn polish<S: Sums<Loss = L>>(
        &self,
        objective: &Objective<'_, S>,
        start: Vec<f64>,
    ) -> Result<Found, Error> {
        let step = div_down(1.0, self.problem.smoothness(objective.rows())).ok_or(Error::Aborted)?;
        let mut search = Search::new(self, objective, None, step);
        let (Outcome::Certified(theta) | Outcome::Open(theta)) = search.newton(start, Search::is_flat)?;
        Ok(Found { theta, is_flat: true })
    }
}

/// Where a search ended. Private.
pub(crate) struct Found {
    pub(crate) theta: Vec<f64>,
    /// Whether the gradient is small there, and not only its part along the boundary of the domain.
    pub(crate) is_flat: bool,
}

/// What an accelerator hands on.
enum Outcome {
    /// The stopping rule holds.
    Certified(Vec<f64>),
    /// A starting point for the method that cannot fail.
    Open(Vec<f64>),
}

/// One search. All of its numbers are private; none leaves except the point.
struct Search<'a, 'o, S: Sums> {
    minimiser: &'a Minimiser<S::Loss>,
    objective: &'a Objective<'o, S>,
    ball: Option<Ball>,
    step: f64,
    workspace: Workspace,
}

impl<'a, 'o, S: Sums> Search<'a, 'o, S> {
    fn new(
        minimiser: &'a Minimiser<S::Loss>,
        objective: &'a Objective<'o, S>,
        ball: Option<Ball>,
        step: f64,
    ) -> Self {
        Self { minimiser, objective, ball, step, workspace: objective.workspace() }
    }

    fn regulariser(&self) -> f64 {
        self.minimiser.problem.regulariser()
    }

    fn farthest(&self) -> f64 {
        self.minimiser.problem.largest_minimiser()
    }

    /// `1/(ηΛ)`.
    fn condition(&self) -> f64 {
        1.0 / (self.step * self.regulariser())
    }

    /// Evaluates J and its gradient.
    fn evaluate(&mut self, theta: &[f64]) -> Result<f64, Error> {
        Ok(self.objective.value_and_gradient(theta, &mut self.workspace)?)
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
        ball::norm(theta) <= 3.0 * self.farthest() && self.is_flat(theta)
    }

    /// The stopping rule for a point that need not be near anything.
    fn is_flat(&self, theta: &[f64]) -> bool {
        self.residual(theta) <= 0.49 * self.regulariser() * self.minimiser.tau
    }

    /// Newton's method with a step that is halved until J falls or the gradient does. A Hessian is used again as long as
    /// it makes the gradient fall fast, and it is made of some of the rows only: the direction need not be exact.
    fn newton(&mut self, start: Vec<f64>, done: fn(&Self, &[f64]) -> bool) -> Result<Outcome, Error> {
        const ITERATIONS: u32 = 100;
        let mut theta = start;
        let mut value = self.evaluate(&theta)?;
        let mut factor: Option<Cholesky<f64, Dyn>> = None;
        for _ in 0..ITERATIONS {
            if done(self, &theta) {
                return Ok(Outcome::Certified(theta));
            }
            let gradient = DVector::from_column_slice(self.workspace.gradient());
            if factor.is_none() {
                factor = self.objective.rough_hessian(&theta)?.cholesky();
            }
            let Some(known) = &factor else { break };
            let direction = known.solve(&gradient);
            let Some((trial, trial_value)) = self.line_search(&theta, value, &gradient, &direction)? else {
                break;
            };
            if ball::norm(self.workspace.gradient()) > 0.4 * gradient.norm() {
                factor = None;
            }
            (theta, value) = (trial, trial_value);
        }
        Ok(self.open(theta))
    }

    /// The first of the steps 1, ½, ¼, … along a direction that makes J or its gradient fall.
    fn line_search(
        &mut self,
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
            let trial_value = self.evaluate(&trial)?;
            let falls = trial_value <= value - 1e-4 * length * slope;
            if falls || ball::norm(self.workspace.gradient()) <= 0.5 * norm {
                return Ok(Some((trial, trial_value)));
            }
            length *= 0.5;
        }
        Ok(None)
    }

    /// Nesterov's method with the momentum of a strongly convex problem.
    fn accelerated_gradient(&mut self, start: Vec<f64>) -> Result<Outcome, Error> {
        let root = self.condition().sqrt();
        let momentum = (root - 1.0) / (root + 1.0);
        let mut budget = 20.0 * (root + 1.0) * self.digits();
        let mut current = start.clone();
        let mut ahead = start;
        while budget > 0.0 {
            self.evaluate(&ahead)?;
            if self.certified(&ahead) {
                return Ok(Outcome::Certified(ahead));
            }
            let next = self.gradient_step(&ahead);
            ahead = next.iter().zip(&current).map(|(new, old)| new + momentum * (new - old)).collect();
            current = next;
            budget -= 1.0;
        }
        Ok(self.open(current))
    }

    /// The method that carries the proof: stops when the contraction has done its work, or before, when the rule
    /// holds (unless the rule is not to be looked at).
    fn gradient(&mut self, start: Vec<f64>, with_rule: bool) -> Result<Vec<f64>, Error> {
        let mut theta = start;
        let mut steps = self.condition() * self.digits();
        while steps > -1.0 {
            self.evaluate(&theta)?;
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
        let ratio = 8.0 * self.farthest() / self.minimiser.tau;
        1.000_1 * special::ln(ratio.max(1.0)) + 1.0
    }

    /// Hands a point on, or 0 if it is farther away than any minimiser.
    fn open(&self, theta: Vec<f64>) -> Outcome {
        if ball::norm(&theta) <= self.farthest() {
            Outcome::Open(theta)
        } else {
            Outcome::Open(vec![0.0; theta.len()])
        }
    }
}

#[cfg(any(kani, test))]
#[path = "../proofs/optimise.rs"]
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
            let mut problem = Problem::new(Squared, bounds, 2, 0.5).unwrap();
            if let Some(radius) = radius {
                problem = problem.with_parameter_bound(radius).unwrap();
            }
            let objective = problem.bind(&records).unwrap();
            let minimiser = Minimiser::with_tolerance(&problem, 1e-6).unwrap();
            let exact = minimiser.run(&objective).unwrap().reveal_breaking_privacy();
            let step = 1.0 / problem.smoothness(20);
            let ball = radius.map(|radius| Ball::new(vec![0.0; 2], radius).unwrap());
            for rule in [true, false] {
                let mut search = Search::new(&minimiser, &objective, ball.clone(), step);
                let theta = search.gradient(vec![0.0; 2], rule).unwrap();
                let distance = ball::distance(&theta, &exact);
                assert!(distance <= 2e-6, "{radius:?} {rule} {distance:e}");
                assert!(ball::norm(&theta) > 0.1, "it moved");
            }
        }
    }
}
