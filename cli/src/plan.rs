//! `asap plan`: every calibrated number of the mechanisms, without any data.

mod report;

use crate::arguments::{MechanismName, Plan as Arguments};
use crate::failure::Failure;
use crate::problem::ForLoss;
use crate::terminal::{print, print_json};
use asap_dp::calibrate::Schedule;
use asap_dp::forecast::{Forecast, noisy_gradient_risk, output_risk};
use asap_dp::ledger::Ledger;
use asap_dp::localise::PureNoise;
use asap_dp::mechanism::{Mechanism, NoisyGradient, Output, Posterior, Reference};
use asap_dp::noise::LatticeNoise;
use asap_dp::privacy::Guarantee;
use asap_dp::{Error, InvalidInput, Learner, Loss, Problem};
use serde_json::{Map, Value, json};
use std::path::Path;

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let planned = arguments.problem.for_loss(PlanFit { arguments })?;
    if arguments.json { print_json(&planned.to_json()) } else { print(&planned.report()) }
}

struct PlanFit<'a> {
    arguments: &'a Arguments,
}

/// Everything that is printed.
struct Planned<'a> {
    arguments: &'a Arguments,
    total: Guarantee,
    /// One of the three is there: the one that was asked for.
    posterior: Result<PosteriorPlan, String>,
    output: Result<OutputPlan, String>,
    noisy_gradient: Result<GradientPlan, String>,
    /// Under pure DP: the posterior mechanism with either noise.
    noises: Vec<(PureNoise, Result<PosteriorPlan, String>)>,
}

/// The posterior mechanism.
struct PosteriorPlan {
    ledger: Ledger,
    localise: LatticeNoise,
    certified: bool,
    expected_rows: u64,
    reference: Reference,
    forecast: Forecast,
}

/// Output perturbation.
struct OutputPlan {
    noise: LatticeNoise,
    risk: f64,
}

/// Noisy gradient descent.
struct GradientPlan {
    schedule: Schedule,
    noise: LatticeNoise,
    worst: f64,
}

impl<'a> ForLoss for PlanFit<'a> {
    type Output = Planned<'a>;

    fn run<L: Loss + Copy>(self, loss: L) -> Result<Planned<'a>, Failure> {
        let Arguments { problem, rows, dim, .. } = self.arguments;
        if *rows > problem.max_rows {
            let allowed = "a whole number from 1 to --max-rows";
            return Err(InvalidInput { field: "rows", allowed }.into());
        }
        let dimension =
            usize::try_from(*dim).map_err(|_| Failure::Internal)? + usize::from(problem.intercept);
        let learner = problem.learner(Some(*rows))?;
        let public = learner.problem(loss, problem.bounds()?, dimension)?;
        let total = problem.choice.guarantee(problem.epsilon, problem.mu)?;
        // What was asked for has to be possible; what is there for comparison may be refused.
        let asked = problem.choice.mechanism;
        let posterior = wanted(self.posterior(&learner, &public), matches!(asked, MechanismName::Posterior))?;
        let output = wanted(self.output(&learner, &public), matches!(asked, MechanismName::Output))?;
        let descent = self.noisy_gradient(&learner, &public);
        let noisy_gradient = wanted(descent, matches!(asked, MechanismName::NoisyGradient))?;
        let noises = match total {
            Guarantee::Pure(_) => [PureNoise::Euclidean, PureNoise::Laplace]
                .map(|noise| {
                    (
                        noise,
                        self.posterior(&learner.noise(noise), &public).map_err(|failure| failure.to_string()),
                    )
                })
                .into(),
            Guarantee::Gaussian(_) => Vec::new(),
        };
        Ok(Planned { arguments: self.arguments, total, posterior, output, noisy_gradient, noises })
    }
}

/// A plan, or why there is none; a failure if it is the one that was asked for.
fn wanted<T>(plan: Result<T, Failure>, asked: bool) -> Result<Result<T, String>, Failure> {
    match plan {
        Err(failure) if asked => Err(failure),
        plan => Ok(plan.map_err(|failure| failure.to_string())),
    }
}

fn failed(error: Error) -> Failure {
    Failure::of(error, Path::new("plan"))
}

impl PlanFit<'_> {
    fn posterior<L: Loss>(&self, learner: &Learner, problem: &Problem<L>) -> Result<PosteriorPlan, Failure> {
        let plan: Posterior<L> = learner.posterior(problem).map_err(failed)?;
        let mut theta_0 = vec![0.0; problem.dimension()];
        theta_0[0] = self.arguments.centre_norm;
        let reference = plan.reference(&theta_0).map_err(failed)?;
        let forecast = Forecast::new(&plan, &reference, self.arguments.rows).map_err(failed)?;
        Ok(PosteriorPlan {
            ledger: plan.ledger().clone(),
            localise: *plan.localisation().noise(),
            certified: plan.numerics() != asap_checker::Numerics::AsymptoticConstants,
            expected_rows: plan.expected_rows(),
            reference,
            forecast,
        })
    }

    fn output<L: Loss>(&self, learner: &Learner, problem: &Problem<L>) -> Result<OutputPlan, Failure> {
        let plan: Output<L> = learner.output(problem).map_err(failed)?;
        Ok(OutputPlan { noise: *plan.perturbation().noise(), risk: output_risk(&plan, self.arguments.rows) })
    }
}

impl PlanFit<'_> {
    fn noisy_gradient<L: Loss>(
        &self,
        learner: &Learner,
        problem: &Problem<L>,
    ) -> Result<GradientPlan, Failure> {
        let plan: NoisyGradient<L> = learner.noisy_gradient(problem).map_err(failed)?;
        let worst = noisy_gradient_risk(&plan, self.arguments.rows, None);
        Ok(GradientPlan { schedule: *plan.schedule(), noise: *plan.noise(), worst })
    }
}

impl Planned<'_> {
    fn is_pure(&self) -> bool {
        matches!(self.total, Guarantee::Pure(_))
    }

    /// Whether output perturbation is predicted to be better, where both can be predicted.
    fn output_wins(&self) -> Option<bool> {
        let (posterior, output) = (self.posterior.as_ref().ok()?, self.output.as_ref().ok()?);
        Some(output.risk < posterior.forecast.risk.release())
    }

    fn to_json(&self) -> Value {
        let refused = |reason: &String| json!({ "refused": reason });
        let pure = self.is_pure();
        let noises: Map<String, Value> = self
            .noises
            .iter()
            .map(|(noise, plan)| {
                let numbers = |plan: &PosteriorPlan| {
                    json!({
                        "radius": plan.reference.ball().radius(),
                        "gamma": plan.reference.gamma(),
                        "excess_risk": plan.forecast.risk.release(),
                    })
                };
                (name(*noise).to_owned(), plan.as_ref().map_or_else(refused, numbers))
            })
            .collect();
        json!({
            "guarantee": self.total,
            "rows": self.arguments.rows,
            "centre_norm": self.arguments.centre_norm,
            "posterior": self.posterior.as_ref().map_or_else(refused, |plan| plan.to_json(pure)),
            "output": self.output.as_ref().map_or_else(refused, OutputPlan::to_json),
            "noisy_gradient": self.noisy_gradient.as_ref().map_or_else(refused, GradientPlan::to_json),
            "noises": noises,
            "better": self.output_wins().map(|wins| if wins { "output" } else { "posterior" }),
        })
    }
}

/// The flag's word for a noise.
fn name(noise: PureNoise) -> &'static str {
    match noise {
        PureNoise::Euclidean => "euclidean",
        PureNoise::Laplace => "laplace",
    }
}

impl PosteriorPlan {
    fn to_json(&self, pure: bool) -> Value {
        let Self { reference, forecast, localise, .. } = self;
        let Forecast { mala, proximal, risk, .. } = forecast;
        let asap = reference.asap().noise();
        let mut budget = Map::new();
        budget.insert("total".to_owned(), self.ledger.total().parameter().into());
        for share in self.ledger.shares() {
            budget.insert(share.name.to_owned(), share.guarantee.parameter().into());
        }
        json!({
            "gamma": reference.gamma(),
            "radius": reference.ball().radius(),
            "delta": reference.asap().claim().error,
            "rounding_charge": reference.charge(),
            "ln_inv_xi": forecast.ln_inverse_tv,
            "osc": forecast.oscillation,
            "mala": {
                "h": mala.map(|chain| chain.step),
                "t": mala.and_then(|chain| chain.separation),
                "k": mala.map(|chain| chain.steps),
                "tau_max": mala.map(|chain| chain.restarts),
                "q": mala.and_then(|chain| chain.log_ratio),
                "expected_passes": mala.map(|chain| chain.passes()),
            },
            "proximal": {
                "eta": proximal.step,
                "k": proximal.steps,
                "expected_passes": proximal.passes,
            },
            "scales": { "localise": localise.scale(), "asap": asap.scale() },
            "lattice": { "step": asap.lattice().step(), "localise_step": localise.lattice().step() },
            "budget": budget,
            "strong_convexity": forecast.strong_convexity,
            "smoothness": forecast.smoothness,
            "norm": if pure { 1 } else { 2 },
            "certified": self.certified,
            "lipschitz": reference.lipschitz(),
            "dimension": reference.ball().dimension(),
            "expected_rows": self.expected_rows,
            "excess_risk": {
                "posterior": risk.posterior,
                "missed_ball": risk.missed,
                "asap_noise": risk.noise,
                "release": risk.release(),
                "break_even_curvature": risk.break_even,
            },
        })
    }
}

impl OutputPlan {
    fn to_json(&self) -> Value {
        json!({
            "scale": self.noise.scale(),
            "lattice_step": self.noise.lattice().step(),
            "excess_risk": self.risk,
        })
    }
}

impl GradientPlan {
    fn to_json(&self) -> Value {
        json!({
            "steps": self.schedule.steps,
            "skipped": self.schedule.skipped,
            "step": self.schedule.step,
            "momentum": self.schedule.momentum,
            "scale": self.noise.scale(),
            "lattice_step": self.noise.lattice().step(),
            "worst_excess_risk": self.worst,
            "passes": self.schedule.steps,
        })
    }
}
