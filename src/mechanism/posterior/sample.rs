//! One sample of the reference posterior, within the declared error. Its cost and the sampler that made it are private.

use super::{Error, Posterior, RandomBits, Reference, SamplerKind, norm};
use crate::asap::{ApproximateSample, Claim};
use crate::calibrate::PaperChain;
use crate::data::Unavailable;
use crate::mechanism::Cost;
use crate::objective::{Objective, SumOf, Sums, Workspace, gradient_rounding_bound};
use crate::optimise::Found;
use crate::private::Private;
use crate::sampler::{
    Caps, Divergence, Effort, Envelope, Everywhere, ExactDraw, Mala, OnBall, Potential, Proximal, Sampler,
};
use core::cell::Cell;
use nalgebra::DMatrix;

/// A sample of p* ∝ e^(−γJ) on a ball, for the records of one objective: the approximate sample of the paper.
/// spec: `thm:asap_privacy`, `own:fallback`
pub struct PosteriorSample<'a, S: Sums> {
    plan: &'a Posterior<S::Loss>,
    reference: &'a Reference,
    objective: &'a Objective<'a, S>,
    found: Found,
    effort: Cell<Effort>,
    fell_back: Cell<bool>,
}

/// The exact draw factors d × d matrices; beyond this d the proximal sampler draws.
pub(super) const LARGEST_EXACT: usize = 512;

/// ρ = √d + this: how far the quadratic part of the envelope reaches, in its own deviations.
const REACH: f64 = 1.0;

impl<'a, S: Sums> PosteriorSample<'a, S> {
    /// The sample around a released θ_0 for an objective, from where its search ended.
    pub(crate) fn new(
        plan: &'a Posterior<S::Loss>,
        reference: &'a Reference,
        objective: &'a Objective<'a, S>,
        found: Found,
    ) -> Self {
        let (effort, fell_back) = (Cell::default(), Cell::new(false));
        Self { plan, reference, objective, found, effort, fell_back }
    }

    /// What it cost so far.
    pub(crate) fn cost(&self) -> Cost {
        let (passes, matrices) = self.objective.tally();
        Cost { passes, matrices, sampler: self.effort.get(), fell_back: self.fell_back.get() }
    }

    fn potential(&self) -> Tempered<'_, S> {
        let workspace = self.objective.workspace();
        Tempered { objective: self.objective, gamma: self.reference.gamma(), workspace, failed: false }
    }
}

impl<S: Sums> ApproximateSample for PosteriorSample<'_, S> {
    fn claim(&self) -> Claim {
        self.reference.asap().claim()
    }

    fn draw<R: RandomBits>(&self, rng: &mut R) -> Result<Private<Vec<f64>>, Error> {
        let drawn = match self.plan.settings().sampler {
            SamplerKind::Exact => self.exact(rng)?,
            SamplerKind::Proximal => None,
            SamplerKind::Mala => self.mala(rng)?,
        };
        self.fell_back.set(drawn.is_none() && self.plan.settings().sampler != SamplerKind::Proximal);
        drawn.map_or_else(|| self.proximal(rng), Ok)
    }
}

/// Where the envelope of an exact draw touches, and about the Hessian of J there.
struct Anchor {
    point: Vec<f64>,
    hessian: DMatrix<f64>,
}

impl<S: Sums> PosteriorSample<'_, S> {
    /// The exact draw; `None` where it gives up. spec: `own:exact`
    fn exact<R: RandomBits>(&self, rng: &mut R) -> Result<Option<Private<Vec<f64>>>, Error> {
        let mut potential = self.potential();
        let Some(Anchor { point: anchor, hessian }) = self.anchor()? else { return Ok(None) };
        let mut gradient = vec![0.0; anchor.len()];
        potential.value_and_gradient(&anchor, &mut gradient);
        let (gamma, ball) = (self.reference.gamma(), self.reference.ball());
        let reach = (anchor.len() as f64).sqrt() + REACH;
        // The worst of what rounding can do to the sums of outer products of so many rows.
        let rounding = gamma * self.objective.matrix_rounding();
        let mut readable = true;
        let envelope = Envelope::new(&(hessian * gamma), reach, rounding, |map, reach| {
            let floor = self.objective.chord_curvature(&anchor, map, reach);
            readable &= floor.is_ok();
            floor.map_or_else(|_| DMatrix::zeros(anchor.len(), anchor.len()), |floor| floor * gamma)
        });
        potential.failed |= !readable;
        let Some(envelope) = envelope else { return potential.outcome(None) };
        let error = self.gradient_error(norm(&anchor), norm(&gradient));
        let Some(exact) = ExactDraw::new(&anchor, &gradient, error, &envelope, ball) else {
            return potential.outcome(None);
        };
        let mut seen = Seen { potential: &mut potential, anchor: &anchor };
        let draw = exact.draw(&mut seen, Caps::default(), rng);
        potential.outcome(draw.map(|draw| {
            self.effort.set(*draw.effort.reveal_to_mechanism());
            draw.theta
        }))
    }

    /// A point with a small gradient and a matrix near the Hessian there; `None` where matrices
    /// are out of the question.
    fn anchor(&self) -> Result<Option<Anchor>, Error> {
        if self.objective.dimension() > LARGEST_EXACT {
            return Ok(None);
        }
        // On the boundary of a bounded domain the gradient is large: the minimiser on the whole space serves better.
        let anchor = if self.found.is_flat {
            self.found.theta.clone()
        } else {
            let minimiser = self.plan.localisation().minimiser();
            minimiser.polish(self.objective, self.found.theta.clone())?.theta
        };
        // A first guess: the envelope makes its own shape of it, and proves it.
        let hessian = self.objective.rough_hessian(&anchor)?;
        Ok(Some(Anchor { point: anchor, hessian }))
    }

    /// How far a computed ∇f of this norm can be from the true one at a point of that norm.
    fn gradient_error(&self, point: f64, gradient: f64) -> f64 {
        let of = SumOf::new(self.objective.problem(), self.objective.rows());
        let plain = gradient_rounding_bound(&of, point);
        (self.reference.gamma() * plain + f64::EPSILON * gradient) * (1.0 + 1e-12)
    }
}

impl<S: Sums> PosteriorSample<'_, S> {
    /// The in-ball proximal sampler, which needs no assumption. spec: `own:proximal`
    fn proximal<R: RandomBits>(&self, rng: &mut R) -> Result<Private<Vec<f64>>, Error> {
        let (gamma, ball) = (self.reference.gamma(), self.reference.ball());
        let bend = self.objective.curvature_on(ball)?;
        let curvature =
            OnBall::new(gamma * bend.floor * DOWN, gamma * bend.ceiling * UP).ok_or(Error::Aborted)?;
        let mut potential = self.potential();
        let sampler = Proximal::calibrated(&mut potential, &curvature, ball, self.reference.chain_error());
        potential.outcome(())?;
        let sampler = sampler.map_err(|_| Error::Aborted)?;
        // Public; what the charge for rounding counts with. A plan is such that no data set takes shorter steps.
        let worst = self.plan.worst(gamma, ball.radius(), self.reference.centre_norm())?;
        if !sampler.is_charged_by(worst) {
            return Err(Error::Aborted);
        }
        let draw = sampler.sample(&mut potential, ball, rng)?;
        self.effort.set(*draw.effort.reveal_to_mechanism());
        potential.outcome(draw.theta)
    }

    /// Constrained MALA; `None` where its domain assumption fails or its chain is longer than is allowed.
    /// spec: `alg:MALA`, `own:fallback`
    fn mala<R: RandomBits>(&self, rng: &mut R) -> Result<Option<Private<Vec<f64>>>, Error> {
        let (gamma, ball) = (self.reference.gamma(), self.reference.ball());
        let bend = self.objective.curvature_on(ball)?;
        // The chain leaves the ball, so only the curvature of the whole space counts: from below that is Λ.
        let floor = gamma * self.objective.problem().regulariser() * DOWN;
        let curvature = Everywhere::new(floor, gamma * bend.ceiling * UP).ok_or(Error::Aborted)?;
        let (mut potential, start) = (self.potential(), self.found.theta.clone());
        let mala = match self.plan.paper_chain()? {
            None => Mala::certified(&mut potential, &curvature, start, ball, self.reference.chain_error()),
            Some(PaperChain { step, steps, restarts }) => {
                Some(Mala::scheduled(step, steps, restarts, start, &curvature))
            }
        };
        let Some(mala) = mala.filter(|mala| mala.steps() <= self.plan.settings().largest_chain) else {
            return potential.outcome(None);
        };
        let draw = mala.sample(&mut potential, ball, rng)?;
        self.effort.set(*draw.effort.reveal_to_mechanism());
        potential.outcome(Some(draw.theta))
    }
}

/// Factors that cover the rounding of two products.
const UP: f64 = 1.0 + 4.0 * f64::EPSILON;
const DOWN: f64 = 1.0 - 4.0 * f64::EPSILON;

/// f = γJ.
struct Tempered<'a, S: Sums> {
    objective: &'a Objective<'a, S>,
    gamma: f64,
    workspace: Workspace,
    /// Whether the records could not be read again. Every number is NaN from then on, which no sampler accepts.
    failed: bool,
}

impl<S: Sums> Tempered<'_, S> {
    /// γ times what an evaluation gives; NaN, and no further evaluation, once the records could not be read.
    fn tempered(
        &mut self,
        evaluate: impl FnOnce(&Objective<'_, S>, &mut Workspace) -> Result<f64, Unavailable>,
    ) -> f64 {
        let value = (!self.failed).then(|| evaluate(self.objective, &mut self.workspace).ok()).flatten();
        self.failed = value.is_none();
        value.map_or(f64::NAN, |value| self.gamma * value)
    }

    /// A result, if all evaluations that it rests on succeeded.
    fn outcome<T>(&self, result: T) -> Result<T, Error> {
        if self.failed { Err(Unavailable.into()) } else { Ok(result) }
    }
}

/// f from the anchor of an exact draw.
struct Seen<'a, 'b, S: Sums> {
    potential: &'a mut Tempered<'b, S>,
    anchor: &'a [f64],
}

impl<S: Sums> Divergence for Seen<'_, '_, S> {
    fn divergence(&mut self, moved: &[f64]) -> f64 {
        self.potential.divergence(self.anchor, moved)
    }
}

impl<S: Sums> Potential for Tempered<'_, S> {
    fn dimension(&self) -> usize {
        self.objective.dimension()
    }

    fn value_and_gradient(&mut self, theta: &[f64], gradient: &mut [f64]) -> f64 {
        let value = self.tempered(|objective, workspace| objective.value_and_gradient(theta, workspace));
        let factor = if self.failed { f64::NAN } else { self.gamma };
        for (scaled, plain) in gradient.iter_mut().zip(self.workspace.gradient()) {
            *scaled = factor * plain;
        }
        value
    }

    fn divergence(&mut self, anchor: &[f64], moved: &[f64]) -> f64 {
        self.tempered(|objective, workspace| objective.divergence(anchor, moved, workspace))
    }
}

#[cfg(test)]
mod tests;
