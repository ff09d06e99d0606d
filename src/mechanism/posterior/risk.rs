//! What a release of the posterior mechanism is predicted to lose, by second order. spec: `own:auto`

use super::{Error, Loss, Mechanism, Posterior, Reference, SamplerKind};
use crate::calibrate::planned_proximal_steps;
use crate::landscape::Direction;
use crate::prediction::{Effect, Guess, Prediction};

/// Predicted excess of J over its minimum, for J as a sum over the records and a Hessian of J with the eigenvalue h.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Risk {
    /// The spread of the posterior: d/(2γ), or that of the whole ball if it is less.
    pub posterior: f64,
    /// What the ball costs when the minimiser lies outside it.
    pub missed: f64,
    /// What the noise costs that covers the sampler's error.
    pub noise: f64,
}

impl Risk {
    /// Posterior, ball and noise together.
    pub fn release(&self) -> f64 {
        self.posterior + self.missed + self.noise
    }
}

/// Passes over the records for each step of the proximal sampler: a divergence for each proposal and a gradient for
/// each state. Measured for the logistic loss with 11 parameters: 2.8 to 2.9 (`benches/passes.rs`).
pub(crate) const PASSES_PER_STEP: f64 = 2.9;

impl<L: Loss> Posterior<L> {
    /// The risk around a θ_0, for records that bend J by h in a usual direction and have this trace in all.
    pub(crate) fn risk(&self, reference: &Reference, bend: f64, trace: f64) -> Risk {
        let (d, radius) = (self.problem().dimension() as f64, reference.ball().radius());
        // Uniform on a ball around a point that is the noise of the localisation away from the minimiser.
        let ball = 0.5 * bend * (radius.powi(2) * d / (d + 2.0) + self.norms().square());
        Risk {
            posterior: (0.5 * d / reference.gamma()).min(ball),
            missed: 0.5 * bend * self.norms().excess(radius),
            noise: 0.5 * reference.asap().noise().variance(self.problem().dimension()) * trace,
        }
    }

    /// The prediction for a θ_0 that is the noise of the localisation away from where the minimiser is taken to be.
    /// (For the squared loss G, and so γ, depends on how far that is.)
    pub(super) fn prediction(&self, guess: &Guess) -> Result<Prediction, Error> {
        let problem = self.problem();
        let d = problem.dimension();
        let mut theta_0 = vec![0.0; d];
        let landscape = guess.landscape(problem);
        theta_0[0] = self.norms().quantile(0.5).hypot(landscape.usual_norm());
        let reference = self.reference(&theta_0)?;
        let trace = guess.largest_trace(problem);
        let passes = match self.settings.sampler {
            SamplerKind::Exact => Prediction::search(d),
            SamplerKind::Proximal => self.proximal_passes(&reference, guess.rows())?,
            SamplerKind::Mala => {
                let chain = self.mala_forecast(&reference, guess.rows())?;
                chain.map_or(f64::INFINITY, |chain| chain.passes())
            }
        };
        // The spread of the posterior, or of the whole ball if it is less; what the ball misses; and the last noise.
        let (each, radius) = (1.0 / d as f64, reference.ball().radius());
        let ball = radius.powi(2) / (d as f64 + 2.0) + each * self.norms().square();
        let rest = each * self.norms().excess(radius) + reference.asap().noise().variance(d);
        let effect = |it: &Direction| {
            let spread = 1.0 / (reference.gamma() * landscape.bend(it));
            Effect { reached: 1.0, variance: spread.min(ball) + rest }
        };
        let worst = self.risk(&reference, problem.smoothness(guess.rows()), trace).release();
        Ok(Prediction::new(&landscape, effect, worst, Prediction::search(d) + passes))
    }

    fn proximal_passes(&self, reference: &Reference, rows: u64) -> Result<f64, Error> {
        let (problem, gamma, radius) = (self.problem(), reference.gamma(), reference.ball().radius());
        let (m, l) = (gamma * problem.regulariser(), gamma * problem.smoothness(rows));
        let d = problem.dimension() as u64;
        // The minimiser is taken to lie in the ball: its slope at the centre is then at most LB.
        let steps = planned_proximal_steps(m, l, l * radius, radius, d, reference.chain_error())?;
        Ok(PASSES_PER_STEP * steps as f64)
    }
}
