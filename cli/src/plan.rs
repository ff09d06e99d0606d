//! `asap plan`: all mechanisms side by side, with every calibrated number, without any data.

mod classes;
mod compared;
mod details;
mod picture;
mod report;
mod sweep;

use crate::arguments::Plan as Arguments;
use crate::cost::{Kept, Pass};
use crate::failure::Failure;
use crate::problem::ForLoss;
use crate::remedy;
use crate::terminal::{print, print_json};
use asap_dp::localise::PureNoise;
use asap_dp::privacy::Guarantee;
use asap_dp::verdict::Verdict;
use asap_dp::{Error, InvalidInput, Learner, Loss, Problem};
use compared::Compared;
use details::{GradientPlan, ObjectivePlan, OutputPlan, PosteriorPlan, or_refused};
use serde_json::{Map, Value, json};
use std::path::Path;

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    if let Some(schema) = arguments.problem.several_classes()? {
        return classes::run(arguments, &schema);
    }
    if let Some(range) = &arguments.sweep {
        return sweep::run(arguments, range);
    }
    let planned = arguments.problem.for_loss(PlanFit { arguments })?;
    if arguments.json { print_json(&planned.to_json()) } else { print(&planned.report()) }
}

struct PlanFit<'a> {
    arguments: &'a Arguments,
}

/// Everything that is printed; a mechanism, or why it is refused.
struct PlanPage<'a> {
    arguments: &'a Arguments,
    total: Guarantee,
    compared: Compared,
    pass: Pass,
    verdict: Verdict,
    regulariser: f64,
    objective: Result<ObjectivePlan, String>,
    noisy_gradient: Result<GradientPlan, String>,
    posterior: Result<PosteriorPlan, String>,
    output: Result<OutputPlan, String>,
    /// Under pure DP: the posterior mechanism with either noise.
    noises: Vec<(PureNoise, Result<PosteriorPlan, String>)>,
}

impl Arguments {
    /// The public problem, and the learner with --rows as its guess unless another is given.
    fn public<L: Loss>(&self, loss: L) -> Result<(Learner, Problem<L>), Failure> {
        let Self { problem, rows, dim, .. } = self;
        let schema = problem.table()?;
        if *rows > problem.max_rows {
            let allowed = "a whole number from 1 to --max-rows";
            return Err(InvalidInput { field: "rows", allowed }.into());
        }
        let columns = match &schema {
            Some(schema) => schema.parameters(),
            None => usize::try_from(dim.unwrap_or_default()).map_err(|_| Failure::Internal)?,
        };
        let dimension = columns + usize::from(problem.intercept);
        let learner = problem.learner(Some(*rows))?;
        Ok((learner, learner.problem(loss, problem.bounds(schema.as_ref())?, dimension)?))
    }

    /// All mechanisms side by side.
    fn compare<L: Loss>(&self, learner: &Learner, public: &Problem<L>) -> Result<Compared, Failure> {
        let comparison = learner.compare(public).map_err(failed)?;
        Ok(Compared::new(&comparison, public, self.problem.mechanism()))
    }
}

impl<'a> ForLoss for PlanFit<'a> {
    type Output = PlanPage<'a>;

    fn run<L: Loss + Copy>(self, loss: L) -> Result<PlanPage<'a>, Failure> {
        let Arguments { problem, centre_norm, rows, .. } = self.arguments;
        let (learner, public) = self.arguments.public(loss)?;
        // What was asked for must be possible; what is there for comparison may be refused.
        learner.plan(&public).map_err(|error| remedy::refused(error, problem, Some(*rows), &public))?;
        let posterior = |learner: &Learner| {
            let plan = or_refused(learner.posterior(&public))?;
            PosteriorPlan::new(&plan, *centre_norm, *rows).map_err(|failure| failure.to_string())
        };
        let total = problem.guarantee()?;
        let noises = match total {
            Guarantee::Pure(_) => [PureNoise::Euclidean, PureNoise::Laplace]
                .map(|noise| (noise, posterior(&learner.noise(noise))))
                .into(),
            Guarantee::Gaussian(_) => Vec::new(),
        };
        Ok(PlanPage {
            arguments: self.arguments,
            total,
            compared: self.arguments.compare(&learner, &public)?,
            pass: Pass::measure(&public, *rows, Pass::MANY)?,
            verdict: learner.verdict(&public).map_err(failed)?,
            regulariser: public.regulariser(),
            objective: or_refused(learner.objective(&public))
                .map(|plan| ObjectivePlan::new(&plan, problem.table().ok().flatten().as_ref())),
            noisy_gradient: or_refused(learner.noisy_gradient(&public)).map(|plan| GradientPlan::new(&plan)),
            posterior: posterior(&learner),
            output: or_refused(learner.output(&public)).map(|plan| OutputPlan::new(&plan)),
            noises,
        })
    }
}

fn failed(error: Error) -> Failure {
    Failure::of(error, Path::new("plan"))
}

impl PlanPage<'_> {
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
        let mut shown = Map::new();
        self.compared.add_to(&mut shown, Some(self.pass));
        let details = json!({
            "guarantee": self.total,
            "rows": self.arguments.rows,
            "centre_norm": self.arguments.centre_norm,
            "regulariser": self.regulariser,
            "regulariser_chosen": self.arguments.problem.regulariser.is_none(),
            "verdict": self.verdict.text(),
            "worth": self.verdict.prediction.worth,
            "predicted_auc": self.verdict.auc(),
            "predicted_accuracy_gain": self.verdict.accuracy_gain(),
            "useful_from_rows": self.verdict.useful_rows,
            "useful_from_budget": self.verdict.useful_budget,
            "useful_with_columns": self.verdict.useful_columns,
            "seconds_of_one_pass": self.pass.seconds(1.0, self.compared.expected, Kept::InMemory),
            "seconds_of_one_streamed_pass": self.pass.seconds(1.0, self.compared.expected, Kept::InTheFile),
            "objective": self.objective.as_ref().map_or_else(refused, ObjectivePlan::to_json),
            "noisy_gradient": self.noisy_gradient.as_ref().map_or_else(refused, GradientPlan::to_json),
            "posterior": self.posterior.as_ref().map_or_else(refused, |plan| plan.to_json(pure)),
            "output": self.output.as_ref().map_or_else(refused, OutputPlan::to_json),
            "noises": noises,
        });
        if let Value::Object(details) = details {
            shown.extend(details);
        }
        shown.into()
    }
}

/// The flag's word for a noise.
fn name(noise: PureNoise) -> &'static str {
    match noise {
        PureNoise::Euclidean => "euclidean",
        PureNoise::Laplace => "laplace",
    }
}
