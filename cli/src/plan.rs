//! `asap plan`: all mechanisms side by side, and every calibrated number of them, without any data.

mod picture;
mod report;
mod sweep;

pub(crate) use report::WORSE_THAN_NOTHING;

use crate::arguments::Plan as Arguments;
use crate::failure::Failure;
use crate::problem::ForLoss;
use crate::terminal::{print, print_json};
use asap_dp::comparison::Comparison;
use asap_dp::forecast::Forecast;
use asap_dp::ledger::Ledger;
use asap_dp::localise::PureNoise;
use asap_dp::mechanism::{Mechanism, Output, Posterior, Reference};
use asap_dp::noise::LatticeNoise;
use asap_dp::plan::Planned as Mechanisms;
use asap_dp::prediction::Prediction;
use asap_dp::privacy::Guarantee;
use asap_dp::{Error, InvalidInput, Learner, Loss, MechanismKind, Problem};
use serde_json::{Map, Value, json};
use std::path::Path;

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    if let Some(range) = &arguments.sweep {
        return sweep::run(arguments, range);
    }
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
    compared: Compared,
    posterior: Result<PosteriorPlan, String>,
    output: Result<OutputPlan, String>,
    /// Under pure DP: the posterior mechanism with either noise.
    noises: Vec<(PureNoise, Result<PosteriorPlan, String>)>,
}

/// All mechanisms side by side.
struct Compared {
    rows: Vec<Row>,
    /// Not below what θ = 0 loses.
    nothing: f64,
}

/// One mechanism of the comparison.
struct Row {
    kind: MechanismKind,
    outcome: Result<(Prediction, asap_checker::Numerics), String>,
    chosen: bool,
    why: String,
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

impl Arguments {
    /// The public problem, and the learner with --rows as its guess unless another is given.
    fn public<L: Loss>(&self, loss: L) -> Result<(Learner, Problem<L>), Failure> {
        let Self { problem, rows, dim, .. } = self;
        if *rows > problem.max_rows {
            let allowed = "a whole number from 1 to --max-rows";
            return Err(InvalidInput { field: "rows", allowed }.into());
        }
        let dimension =
            usize::try_from(*dim).map_err(|_| Failure::Internal)? + usize::from(problem.intercept);
        let learner = problem.learner(Some(*rows))?;
        Ok((learner, learner.problem(loss, problem.bounds()?, dimension)?))
    }
}

impl<'a> ForLoss for PlanFit<'a> {
    type Output = Planned<'a>;

    fn run<L: Loss + Copy>(self, loss: L) -> Result<Planned<'a>, Failure> {
        let problem = &self.arguments.problem;
        let (learner, public) = self.arguments.public(loss)?;
        // What was asked for has to be possible; what is there for comparison may be refused.
        learner.plan(&public).map_err(failed)?;
        let comparison = learner.compare(&public).map_err(failed)?;
        let (mut posterior, mut output) = (None, None);
        for candidate in comparison.candidates() {
            let detail = candidate.outcome.as_ref().map(|(plan, _)| plan.planned());
            match (candidate.kind, detail) {
                (_, Ok(Mechanisms::Posterior(plan))) => posterior = Some(self.posterior(plan)),
                (_, Ok(Mechanisms::Output(plan))) => output = Some(self.output(plan)),
                (_, Err(_)) => {}
            }
        }
        let reason = |kind| comparison.candidates().iter().find(|it| it.kind == kind).and_then(refusal);
        let total = problem.guarantee()?;
        let noises = match total {
            Guarantee::Pure(_) => [PureNoise::Euclidean, PureNoise::Laplace]
                .map(|noise| {
                    let plan = learner.noise(noise).posterior(&public).map_err(failed);
                    let plan = plan.and_then(|plan| self.posterior(&plan));
                    (noise, plan.map_err(|failure| failure.to_string()))
                })
                .into(),
            Guarantee::Gaussian(_) => Vec::new(),
        };
        Ok(Planned {
            arguments: self.arguments,
            total,
            compared: Compared::new(&comparison, &public, problem.mechanism()),
            posterior: posterior
                .transpose()?
                .ok_or_else(|| reason(MechanismKind::Posterior).unwrap_or_default()),
            output: output.transpose()?.ok_or_else(|| reason(MechanismKind::Output).unwrap_or_default()),
            noises,
        })
    }
}

/// Why a mechanism is refused, in words for the user.
fn refusal<L>(candidate: &asap_dp::comparison::Candidate<L>) -> Option<String> {
    candidate.outcome.as_ref().err().map(|error| Failure::of_plan(error).to_string())
}

impl Compared {
    fn new<L: Loss>(comparison: &Comparison<L>, problem: &Problem<L>, asked: Option<MechanismKind>) -> Self {
        let best = comparison.best();
        let chosen = asked.or(best.map(|best| best.kind));
        let least = best.and_then(|best| best.prediction()).map_or(f64::NAN, |best| best.likely);
        let rows = comparison.candidates().iter().map(|candidate| {
            let is_best = best.is_some_and(|best| best.kind == candidate.kind);
            let outcome = match &candidate.outcome {
                Ok((plan, prediction)) => Ok((*prediction, plan.numerics())),
                Err(_) => Err(refusal(candidate).unwrap_or_default()),
            };
            let why = match (&outcome, is_best, asked == Some(candidate.kind)) {
                (Err(reason), ..) => format!("refused: {reason}"),
                (Ok(_), true, _) => "least predicted excess".to_owned(),
                (Ok((prediction, _)), false, asked) => {
                    let ratio = report::ratio(prediction.likely / least);
                    format!("{ratio} times the least{}", if asked { ", but asked for" } else { "" })
                }
            };
            Row { kind: candidate.kind, outcome, chosen: chosen == Some(candidate.kind), why }
        });
        Self { rows: rows.collect(), nothing: comparison.guess().loss_of_nothing(problem) }
    }

    /// The prediction of the chosen mechanism.
    fn chosen(&self) -> Option<&Prediction> {
        let chosen = self.rows.iter().find(|row| row.chosen)?;
        chosen.outcome.as_ref().ok().map(|(prediction, _)| prediction)
    }

    /// Whether the release is predicted to be worse than none at all.
    fn is_worse_than_nothing(&self) -> bool {
        self.chosen().is_some_and(|prediction| prediction.likely > self.nothing)
    }

    fn to_json(&self) -> Value {
        let row = |row: &Row| {
            let prediction = row.outcome.as_ref().ok();
            json!({
                "name": row.kind.name(),
                "predicted_excess": prediction.map(|(it, _)| it.likely),
                "worst_case_excess": prediction.map(|(it, _)| it.worst),
                "passes": prediction.map(|(it, _)| it.passes),
                "numerics": prediction.map(|(_, numerics)| numerics),
                "chosen": row.chosen,
                "why": row.why,
            })
        };
        self.rows.iter().map(row).collect()
    }
}

fn failed(error: Error) -> Failure {
    Failure::of(error, Path::new("plan"))
}

impl PlanFit<'_> {
    fn posterior<L: Loss>(&self, plan: &Posterior<L>) -> Result<PosteriorPlan, Failure> {
        let mut theta_0 = vec![0.0; plan.problem().dimension()];
        theta_0[0] = self.arguments.centre_norm;
        let reference = plan.reference(&theta_0).map_err(failed)?;
        let forecast = Forecast::new(plan, &reference, self.arguments.rows).map_err(failed)?;
        Ok(PosteriorPlan {
            ledger: plan.ledger().clone(),
            localise: *plan.localisation().noise(),
            certified: plan.numerics() != asap_checker::Numerics::AsymptoticConstants,
            expected_rows: plan.expected_rows(),
            reference,
            forecast,
        })
    }

    fn output<L: Loss>(&self, plan: &Output<L>) -> Result<OutputPlan, Failure> {
        let guess = asap_dp::prediction::Guess::new(self.arguments.rows)?;
        let risk = plan.predict(&guess).map_err(failed)?.worst;
        Ok(OutputPlan { noise: *plan.perturbation().noise(), risk })
    }
}

impl Planned<'_> {
    fn is_pure(&self) -> bool {
        matches!(self.total, Guarantee::Pure(_))
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
            "noises": noises,
            "mechanisms": self.compared.to_json(),
            "nothing_loses_at_most": self.compared.nothing,
            "worse_than_nothing": self.compared.is_worse_than_nothing(),
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
