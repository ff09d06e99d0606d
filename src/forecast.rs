//! What a fit will cost and how good its release will be, predicted from public numbers alone. spec: `own:tight`
//!
//! Nothing here touches a record and no guarantee rests on it. The curvature of `f = γJ` is the worst case for a
//! number of rows: `m = γΛ`, `L = γ(Λ + Nβ)`. A fit measures the curvature of its records (and says nothing about
//! it), so it usually takes fewer passes.

use crate::calibrate::{ln_inverse_tv, planned_proximal_steps, proximal_step};
use crate::error::Error;
use crate::input::InvalidInput;
use crate::localise::Localisation;
use crate::loss::Loss;
use crate::mechanism::{Mechanism, NoisyGradient, Output, PlannedChain, Posterior, Reference};
use crate::noise::{LatticeNoise, Law};
use crate::problem::Problem;

/// The prediction for one plan, one released θ_0 (or a guess of its norm) and one number of rows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Forecast {
    /// m = γΛ.
    pub strong_convexity: f64,
    /// L = γ(Λ + Nβ).
    pub smoothness: f64,
    /// The largest oscillation of f on Θ.
    pub oscillation: f64,
    /// ln(1/ξ): the total variation that constrained MALA has to reach.
    pub ln_inverse_tv: f64,
    /// Constrained MALA; `None` if its length is not representable.
    pub mala: Option<PlannedChain>,
    /// The proximal sampler.
    pub proximal: ProximalForecast,
    /// Excess risk.
    pub risk: RiskForecast,
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

/// Predicted excess of J over its minimum, for J as a sum over the records, by second order.
///
/// Isotropic noise of variance v adds `v·tr(∇²J)/2`. The trace is between `dΛ` and `dΛ + Nβ`; the upper end is used.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RiskForecast {
    /// The spread of the posterior, d/(2γ).
    pub posterior: f64,
    /// What the ball costs when the minimiser lies outside of it.
    pub missed: f64,
    /// What the noise costs that covers the sampler's error.
    pub noise: f64,
    /// Plain output perturbation (`alg:outpert`) with the whole budget.
    pub output_perturbation: f64,
    /// The part of the upper end of the trace below which output perturbation would win.
    pub break_even: f64,
}

impl RiskForecast {
    /// The release: posterior, ball and noise together.
    pub fn release(&self) -> f64 {
        self.posterior + self.missed + self.noise
    }

    /// Whether plain output perturbation is predicted to be better.
    pub fn output_perturbation_wins(&self) -> bool {
        self.output_perturbation < self.release()
    }
}

/// Passes over the records for each step of the proximal sampler: a divergence for each proposal and a gradient for each state.
/// Measured for the logistic loss with 11 parameters: 2.8 to 2.9 (`benches/passes.rs`).
const PASSES_PER_STEP: f64 = 2.9;

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
            risk: RiskForecast::new(plan, reference, rows)?,
        })
    }
}

impl RiskForecast {
    fn new<L: Loss>(plan: &Posterior<L>, reference: &Reference, rows: u64) -> Result<Self, Error> {
        let problem = plan.problem();
        let (d, localisation) = (problem.dimension(), plan.localisation());
        let bend = problem.smoothness(rows);
        let whole =
            Localisation::new(*localisation.minimiser(), plan.settings().noise, plan.ledger().total())?;
        let (small, large) = (variance(reference.asap().noise(), d), variance(whole.noise(), d));
        let posterior = 0.5 * d as f64 / reference.gamma();
        let missed = 0.5 * bend * plan.norms().excess(reference.ball().radius());
        let trace = trace(problem, rows);
        Ok(Self {
            posterior,
            missed,
            noise: 0.5 * small * trace,
            output_perturbation: 0.5 * large * trace,
            break_even: (posterior + missed) / (0.5 * (large - small).max(0.0) * trace),
        })
    }
}

/// The predicted excess of J over its minimum for output perturbation alone.
pub fn output_risk<L: Loss>(plan: &Output<L>, rows: u64) -> f64 {
    let problem = plan.problem();
    0.5 * variance(plan.perturbation().noise(), problem.dimension()) * trace(problem, rows)
}

/// The predicted excess of J over its minimum for noisy gradient descent on so many records. With a guess of the curvature
/// it is what is typical; without, the worst over all curvatures from Λ to Λ + Nβ. A descent of T steps takes T passes. spec: `own:noisy-gradient`
pub fn noisy_gradient_risk<L: Loss>(plan: &NoisyGradient<L>, rows: u64, curvature: Option<f64>) -> f64 {
    plan.outlook(rows, curvature.is_none()).predicted(plan.schedule(), curvature)
}

/// The upper end of tr(∇²J): `dΛ + Nβ`.
fn trace<L: Loss>(problem: &Problem<L>, rows: u64) -> f64 {
    problem.smoothness(rows) + (problem.dimension() as f64 - 1.0) * problem.regulariser()
}

/// Of one coordinate: 2s² for Laplace noise of scale s, σ² for normal noise; for Euclidean Laplace noise, whose squared norm
/// has mean d(d + 1)s², a d-th of that.
fn variance(noise: &LatticeNoise, dimension: usize) -> f64 {
    let square = noise.scale().powi(2);
    match noise.law() {
        Law::Laplace(_) => 2.0 * square,
        Law::Normal(_) => square,
        Law::Euclidean(_) => (dimension as f64 + 1.0) * square,
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
        let problem = learner.problem(loss, Bounds::new(1.0).unwrap(), d)?;
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
        // σ = G/Λ = 0.2; tr = 55 + 1250.
        close(risk.output_perturbation, 0.5 * 0.04 * 1305.0);
        // The error is chosen so that its noise costs about a hundredth; the trace is less than d times the bend.
        assert!(risk.noise < 0.011 * risk.posterior && risk.missed < risk.posterior);
        assert!(!risk.output_perturbation_wins());
        // There the two are equal.
        let part = risk.break_even;
        close(part * risk.output_perturbation, risk.posterior + risk.missed + part * risk.noise);
        let mala = mala.unwrap();
        assert!(mala.steps > 1_000_000_000 && mala.separation.is_some() && mala.log_ratio.is_some());
        assert!((1_000..10_000_000).contains(&proximal.steps));
    }

    /// Few rows: the records bend the objective no more than the regulariser does, and localising costs budget.
    #[test]
    fn output_perturbation_wins_where_the_records_hardly_bend() {
        let pure = Learner::new(50.0).epsilon(1.0).unwrap();
        let few = forecast(Logistic, pure, 5, 20).unwrap().risk;
        assert!(few.output_perturbation_wins() && few.break_even > 1.0);
        let many = forecast(Logistic, pure, 5, 1_000_000).unwrap().risk;
        assert!(!many.output_perturbation_wins() && many.break_even < 1.0);
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
