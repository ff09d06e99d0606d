//! What a fit will cost and how good its release will be, predicted from public numbers alone. spec: `own:tight`
//!
//! Nothing here touches a record, and no guarantee rests on it. The curvature of `f = γJ` is the worst case for a
//! number of rows: `m = γΛ`, `L = γ(Λ + Nβ)`. A fit measures the curvature of its records (and says nothing about it),
//! so it usually takes fewer passes.

use crate::calibrate::{ln_inverse_tv, planned_proximal_steps, proximal_step};
use crate::error::Error;
use crate::input::InvalidInput;
use crate::loss::Loss;
use crate::mechanism::{Mechanism, PASSES_PER_STEP, PlannedChain, Posterior, Reference, Risk};
use crate::prediction::Guess;

/// The prediction for one plan, one released θ_0 (or a guess of its norm) and one number of rows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Forecast {
    /// m = γΛ.
    pub strong_convexity: f64,
    /// L = γ(Λ + Nβ).
    pub smoothness: f64,
    /// The largest oscillation of f on Θ.
    pub oscillation: f64,
    /// ln(1/ξ): the total variation that constrained MALA must reach.
    pub ln_inverse_tv: f64,
    /// Constrained MALA; `None` if its length is not representable.
    pub mala: Option<PlannedChain>,
    /// The proximal sampler.
    pub proximal: ProximalForecast,
    /// Excess risk, for the largest curvature.
    pub risk: Risk,
}

/// The proximal sampler for the worst curvature.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ProximalForecast {
    /// η: the step size.
    pub step: f64,
    /// K: the number of steps.
    pub steps: u64,
    /// Expected passes over the records.
    pub passes: f64,
}

impl Forecast {
    /// Predicts a fit of this plan around a θ_0 on `rows` records.
    pub fn new<L: Loss>(plan: &Posterior<L>, reference: &Reference, rows: u64) -> Result<Self, Error> {
        let problem = plan.problem();
        if rows == 0 || rows > problem.bounds().max_rows() {
            return Err(InvalidInput { field: "rows", allowed: "a whole number from 1 to max rows" }.into());
        }
        let (gamma, radius, d) = (reference.gamma(), reference.ball().radius(), problem.dimension() as u64);
        let bend = problem.smoothness(rows);
        let (strong_convexity, smoothness) = (gamma * problem.regulariser(), gamma * bend);
        let oscillation = reference.oscillation(problem, rows)?;
        let claim = reference.asap().claim();
        let ln_inverse_tv = ln_inverse_tv(claim.norm, oscillation, d, radius, claim.error)?;
        // The minimiser is taken to lie in the ball: its slope at the centre is then at most LB.
        let slope = smoothness * radius;
        let steps =
            planned_proximal_steps(strong_convexity, smoothness, slope, radius, d, reference.chain_error())?;
        let step = proximal_step(strong_convexity, smoothness, slope, radius, d)?;
        Ok(Self {
            strong_convexity,
            smoothness,
            oscillation,
            ln_inverse_tv,
            mala: plan.mala_forecast(reference, rows)?,
            proximal: ProximalForecast { step, steps, passes: PASSES_PER_STEP * steps as f64 },
            risk: plan.risk(reference, bend, Guess::new(rows)?.largest_trace(problem)),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bounds::Bounds;
    use crate::calibrate::Paper;
    use crate::learner::Learner;
    use crate::loss::{Logistic, Squared};
    use crate::mechanism::{Calibration, SamplerKind};

    fn forecast<L: Loss>(loss: L, learner: Learner, d: usize, rows: u64) -> Result<Forecast, Error> {
        let problem = learner.problem(loss, Bounds::new(1.0).unwrap().with_target(1.0).unwrap(), d)?;
        let plan = learner.expected_rows(rows.clamp(1, 1_000_000)).posterior(&problem)?;
        Forecast::new(&plan, &plan.reference(&vec![0.0; d])?, rows)
    }

    /// μ = 1, Λ = 5, R = 1, d = 11, N = 5000: γ = 0.94·5, β = ¼.
    #[test]
    fn hand_computed_gaussian_problem() {
        let Forecast { strong_convexity, smoothness, risk, mala, proximal, .. } =
            forecast(Logistic, Learner::new(5.0).mu(1.0).unwrap(), 11, 5000).unwrap();
        let close = |computed: f64, exact: f64| assert!((computed / exact - 1.0).abs() < 1e-3, "{computed}");
        close(strong_convexity, 0.94 * 25.0);
        close(smoothness, 0.94 * 5.0 * 1255.0);
        close(risk.posterior, 11.0 / (2.0 * 0.94 * 5.0));
        // The error is chosen so that its noise costs about a hundredth; the trace is less than d times the bend.
        assert!(risk.noise < 0.011 * risk.posterior && risk.missed < risk.posterior);
        let mala = mala.unwrap();
        assert!(mala.steps > 1_000_000_000 && mala.separation.is_some() && mala.log_ratio.is_some());
        assert!((1_000..10_000_000).contains(&proximal.steps));
    }

    #[test]
    fn the_papers_lengths_and_pure_privacy_have_forecasts() {
        let learner =
            Learner::new(50.0).epsilon(1.0).unwrap().sampler(SamplerKind::Mala).parameter_bound(1.0);
        let paper = learner.calibration(Calibration::Paper(Paper::default()));
        let chain = forecast(Squared, paper, 3, 100).unwrap().mala.unwrap();
        assert!(chain.separation.is_none() && chain.log_ratio.is_none() && chain.steps > 1);
        assert!(forecast(Squared, learner, 3, 100).unwrap().mala.unwrap().separation.is_some());
        for rows in [0, u64::MAX] {
            let learner = learner.sampler(SamplerKind::Exact);
            assert!(forecast(Squared, learner, 3, rows).unwrap_err().to_string().contains("rows"));
        }
    }
}
