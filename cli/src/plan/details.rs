//! Every calibrated number of each mechanism.

use crate::failure::Failure;
use crate::fit::printable;
use crate::plan::failed;
use asap_contracts::{Numerics, Price, Schema};
use asap_dp::calibrate::Schedule;
use asap_dp::forecast::Forecast;
use asap_dp::ledger::Ledger;
use asap_dp::mechanism::{Mechanism, NoisyGradient, ObjectivePerturbation, Output, Posterior, Reference};
use asap_dp::noise::{BlockNoise, LatticeNoise, Tilt};
use asap_dp::{Error, Loss};
use serde_json::{Map, Value, json};

/// The posterior mechanism.
pub(super) struct PosteriorPlan {
    pub(super) ledger: Ledger,
    pub(super) localise: LatticeNoise,
    pub(super) certified: bool,
    pub(super) expected_rows: u64,
    pub(super) reference: Reference,
    pub(super) forecast: Forecast,
}

/// Output perturbation.
pub(super) struct OutputPlan {
    pub(super) noise: LatticeNoise,
}

/// Objective perturbation.
pub(super) struct ObjectivePlan {
    pub(super) ledger: Ledger,
    pub(super) radius: f64,
    pub(super) error: f64,
    pub(super) tilt: Tilt,
    /// Which columns each block of the tilt is for, in words.
    pub(super) columns: Vec<String>,
    pub(super) price: Price,
    pub(super) noise: LatticeNoise,
}

/// Noisy gradient descent.
pub(super) struct GradientPlan {
    pub(super) schedule: Schedule,
    pub(super) noise: LatticeNoise,
}

/// A plan, or the reason why there is none, in words for the user.
pub(super) fn or_refused<T>(plan: Result<T, Error>) -> Result<T, String> {
    plan.map_err(|error| Failure::of_plan(&error).to_string())
}

/// Total and shares by their names.
fn budget(ledger: &Ledger) -> Value {
    let mut budget = Map::new();
    budget.insert("total".to_owned(), ledger.promised().parameter().into());
    if ledger.total() != ledger.promised() {
        budget.insert("record".to_owned(), ledger.total().parameter().into());
    }
    if let Some(epsilon) = ledger.converted() {
        budget.insert("converted".to_owned(), epsilon.get().into());
    }
    for share in ledger.shares() {
        budget.insert(share.name.to_owned(), share.guarantee.parameter().into());
    }
    budget.into()
}

impl PosteriorPlan {
    /// Around a θ_0 of this norm, for so many rows.
    pub(super) fn new<L: Loss>(plan: &Posterior<L>, centre_norm: f64, rows: u64) -> Result<Self, Failure> {
        let mut theta_0 = vec![0.0; plan.problem().dimension()];
        theta_0[0] = centre_norm;
        let reference = plan.reference(&theta_0).map_err(failed)?;
        let forecast = Forecast::new(plan, &reference, rows).map_err(failed)?;
        Ok(Self {
            ledger: plan.ledger().clone(),
            localise: *plan.localisation().noise(),
            certified: plan.numerics() != Numerics::AsymptoticConstants,
            expected_rows: plan.expected_rows(),
            reference,
            forecast,
        })
    }

    pub(super) fn to_json(&self, pure: bool) -> Value {
        let Self { reference, forecast, localise, .. } = self;
        let Forecast { mala, proximal, risk, .. } = forecast;
        let asap = reference.asap().noise();
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
            "budget": budget(&self.ledger),
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
    pub(super) fn new<L: Loss>(plan: &Output<L>) -> Self {
        Self { noise: *plan.perturbation().noise() }
    }

    pub(super) fn to_json(&self) -> Value {
        json!({ "scale": self.noise.scale(), "lattice_step": self.noise.lattice().step() })
    }
}

/// The columns of a block in words: the numbers and the intercept, or the levels of a column of the schema.
fn columns(block: &BlockNoise, schema: Option<&Schema>, intercept: Option<usize>) -> String {
    let places = block.places();
    let category = schema.and_then(|schema| {
        let texts = schema.features.iter().skip(schema.numbers()).zip(schema.blocks());
        let mut begins = texts.scan(schema.numbers(), |next, (feature, levels)| {
            *next += levels;
            Some((feature, *next - levels))
        });
        begins.find(|(_, begin)| places.first() == Some(begin))
    });
    if let Some((feature, _)) = category {
        return format!("{} levels of {}", places.len(), printable(&feature.name));
    }
    let with_intercept = intercept.is_some_and(|place| places.last() == Some(&place));
    match (places.len() - usize::from(with_intercept), with_intercept) {
        (0, _) => "the intercept".to_owned(),
        (1, true) => "one number and the intercept".to_owned(),
        (count, true) => format!("{count} numbers and the intercept"),
        (1, false) => "one number".to_owned(),
        (count, false) => format!("{count} numbers"),
    }
}

impl ObjectivePlan {
    pub(super) fn new<L: Loss>(plan: &ObjectivePerturbation<L>, schema: Option<&Schema>) -> Self {
        let problem = plan.problem();
        let intercept = problem.bounds().intercept().then(|| problem.dimension() - 1);
        Self {
            columns: plan.tilt().blocks().iter().map(|block| columns(block, schema, intercept)).collect(),
            ledger: plan.ledger().clone(),
            radius: plan.radius(),
            error: plan.asap().claim().error,
            tilt: plan.tilt().clone(),
            price: plan.price(),
            noise: *plan.asap().noise(),
        }
    }

    pub(super) fn to_json(&self) -> Value {
        let block = |(block, what): (&BlockNoise, &String)| json!({ "columns": block.places().len(), "of": what, "law": block.law(), "scale": block.scale() });
        let blocks = || self.tilt.blocks().iter().zip(&self.columns).map(block).collect();
        let blocks: Option<Vec<Value>> = self.tilt.whole().is_none().then(blocks);
        json!({
            "budget": budget(&self.ledger),
            "radius": self.radius,
            "delta": self.error,
            "tilt_scale": self.tilt.whole().map(LatticeNoise::scale),
            "tilt_blocks": blocks,
            "jacobian": self.price,
            "scale": self.noise.scale(),
            "lattice_step": self.noise.lattice().step(),
        })
    }
}

impl GradientPlan {
    pub(super) fn new<L: Loss>(plan: &NoisyGradient<L>) -> Self {
        Self { schedule: *plan.schedule(), noise: *plan.noise() }
    }

    pub(super) fn to_json(&self) -> Value {
        json!({
            "steps": self.schedule.steps,
            "skipped": self.schedule.skipped,
            "step": self.schedule.step,
            "momentum": self.schedule.momentum,
            "scale": self.noise.scale(),
            "lattice_step": self.noise.lattice().step(),
        })
    }
}
