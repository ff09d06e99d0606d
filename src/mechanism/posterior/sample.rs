//! One sample of the reference posterior, within the declared error. What it costs and which sampler makes it is private.

use super::{Ball, Calibration, Error, Loss, Mechanism, Posterior, RandomBits, Reference, SamplerKind, norm};
use crate::asap::{ApproximateSample, Claim};
use crate::calibrate::PaperChain;
use crate::mechanism::Cost;
use crate::objective::{Objective, Sums, Workspace, gradient_rounding_bound};
use crate::optimise::Found;
use crate::private::Private;
use crate::sampler::{Caps, Envelope, Everywhere, ExactDraw, Mala, OnBall, Potential, Proximal, Sampler};
use core::cell::Cell;
use nalgebra::DMatrix;

/// A sample of p* ∝ e^(−γJ) on a ball, for the records of one objective: the approximate sample of the paper.
/// spec: `thm:asap_privacy`, `own:fallback`
pub struct PosteriorSample<'a, S: Sums> {
    plan: &'a Posterior<S::Loss>,
    reference: &'a Reference,
    objective: &'a Objective<'a, S>,
    found: Found,
    fell_back: Cell<bool>,
}

impl<'a, S: Sums> PosteriorSample<'a, S> {
    /// The sample around a released θ_0 for an objective, from where its search ended.
    pub(crate) fn new(
        plan: &'a Posterior<S::Loss>,
        reference: &'a Reference,
        objective: &'a Objective<'a, S>,
        found: Found,
    ) -> Self {
        Self { plan, reference, objective, found, fell_back: Cell::new(false) }
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
        match drawn {
            Some(theta) => Ok(Private::new(theta)),
            None => self.proximal(rng).map(Private::new),
        }
    }
}

impl<S: Sums> PosteriorSample<'_, S> {
    /// The exact draw; `None` where it gives up. spec: `own:exact`
    fn exact<R: RandomBits>(&self, rng: &mut R) -> Result<Option<Vec<f64>>, Error> {
        self.fell_back.set(true);
        let mut potential = self.potential();
        let Some((anchor, hessian)) = self.anchor()? else { return Ok(None) };
        let mut gradient = vec![0.0; anchor.len()];
        potential.gradient(&anchor, &mut gradient);
        let (gamma, ball) = (self.reference.gamma(), self.reference.ball());
        let reach = (anchor.len() as f64).sqrt() + REACH;
        let envelope = Envelope::new(&(hessian * gamma), reach, |map, reach| {
            let (matrix, rounding) = self.objective.chord_curvature(&anchor, map, reach).ok()?;
            Some((matrix * gamma, rounding * gamma * (1.0 + 1e-12)))
        });
        let Some(envelope) = envelope else { return potential.outcome(None) };
        let error = self.gradient_error(norm(&anchor), norm(&gradient));
        let Some(exact) = ExactDraw::new(&anchor, &gradient, error, &envelope, ball) else {
            return potential.outcome(None);
        };
        let theta = exact.draw(&mut potential, Caps::default(), rng);
        self.fell_back.set(theta.is_none());
        potential.outcome(theta)
    }

    /// A point with a small gradient and a matrix near the Hessian there; `None` where matrices are out of the question.
    fn anchor(&self) -> Result<Option<(Vec<f64>, DMatrix<f64>)>, Error> {
        if self.objective.dimension() > LARGEST_EXACT {
            return Ok(None);
        }
        // On the boundary of a bounded domain the gradient is large: the minimiser on the whole space serves better.
        let polished;
        let found = match self.found.hessian {
            Some(_) => &self.found,
            None => {
                polished = self.plan.localisation().minimiser().polish(self.objective, self.found.theta.clone())?;
                &polished
            }
        };
        let hessian = match &found.hessian {
            Some(hessian) => hessian.clone(),
            None => self.objective.hessian(&found.theta)?,
        };
        Ok(Some((found.theta.clone(), hessian)))
    }

    /// How far a computed ∇f of this norm can be from the true one at a point of that norm.
    fn gradient_error(&self, point: f64, gradient: f64) -> f64 {
        let problem = self.objective.problem();
        let (rows, d) = (self.objective.rows(), problem.dimension());
        let plain =
            gradient_rounding_bound(rows, d, point, problem.loss(), problem.bounds(), problem.regulariser());
        (self.reference.gamma() * plain + f64::EPSILON * gradient) * (1.0 + 1e-12)
    }
}
