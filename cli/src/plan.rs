//! `asap plan`: every calibrated number, without any data.

use crate::arguments::Plan as Arguments;
use crate::failure::Failure;
use crate::problem::{ForLoss, shown, value};
use crate::terminal::{bold, number, print, print_json, table};
use asap_dp::error::InvalidInput;
use asap_dp::loss::Loss;
use asap_dp::noise::{LatticeNoise, Law};
use asap_dp::plan::Reference;
use asap_dp::predict::{Forecast, MalaForecast};
use asap_dp::privacy::{Guarantee, Shares};
use serde_json::{Value, json};
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
    shares: Shares,
    localise: LatticeNoise,
    certified: bool,
    reference: Reference,
    forecast: Forecast,
}

impl<'a> ForLoss for PlanFit<'a> {
    type Output = Planned<'a>;

    fn run<L: Loss + Copy>(self, loss: L) -> Result<Planned<'a>, Failure> {
        let Arguments { problem, rows, dim, centre_norm, .. } = self.arguments;
        if *rows > problem.max_rows {
            let allowed = "a whole number from 1 to --max-rows";
            return Err(InvalidInput { field: "rows", allowed }.into());
        }
        let failed = |error| Failure::of(error, Path::new("plan"));
        let dimension =
            usize::try_from(*dim).map_err(|_| Failure::Internal)? + usize::from(problem.intercept);
        let plan = problem.learner(Some(*rows))?.plan(loss, problem.bounds()?, dimension).map_err(failed)?;
        let mut theta_0 = vec![0.0; dimension];
        theta_0[0] = *centre_norm;
        let reference = plan.reference(&theta_0).map_err(failed)?;
        let forecast = Forecast::new(&plan, &reference, *rows).map_err(failed)?;
        Ok(Planned {
            arguments: self.arguments,
            shares: *plan.shares(),
            localise: *plan.localisation().noise(),
            certified: plan.certified(),
            reference,
            forecast,
        })
    }
}

/// The noise's scale: s of Laplace noise, σ of normal noise.
fn scale(noise: &LatticeNoise) -> f64 {
    let steps = match noise.law() {
        Law::Laplace(scale) => scale.numerator().get() as f64 / scale.denominator().get() as f64,
        Law::Normal(scale) => scale.steps() as f64,
    };
    steps * noise.lattice().step()
}

impl Planned<'_> {
    fn to_json(&self) -> Value {
        let Self { shares, reference, forecast, .. } = self;
        let Forecast { mala, proximal, risk, .. } = forecast;
        let asap = reference.asap().noise();
        json!({
            "gamma": reference.gamma(),
            "radius": reference.ball().radius(),
            "delta": reference.asap().error(),
            "ln_inv_xi": forecast.ln_inverse_tv,
            "osc": forecast.oscillation,
            "mala": {
                "h": mala.map(|chain| chain.step),
                "t": mala.and_then(|chain| chain.separation),
                "k": mala.map(|chain| chain.steps),
                "tau_max": mala.map(|chain| chain.restarts),
                "q": mala.and_then(|chain| chain.log_ratio),
                "expected_passes": mala.map(|chain| chain.passes),
            },
            "proximal": {
                "eta": proximal.step,
                "k": proximal.steps,
                "expected_passes": proximal.passes,
            },
            "scales": { "localise": scale(&self.localise), "asap": scale(asap) },
            "lattice": { "step": asap.lattice().step(), "localise_step": self.localise.lattice().step() },
            "budget": {
                "total": value(shares.total),
                "localise": value(shares.localise),
                "posterior": value(shares.posterior),
                "asap": value(shares.asap),
            },
            "strong_convexity": forecast.strong_convexity,
            "smoothness": forecast.smoothness,
            "norm": if self.is_pure() { 1 } else { 2 },
            "certified": self.certified,
            "lipschitz": reference.lipschitz(),
            "dimension": reference.ball().dimension(),
            "rows": self.arguments.rows,
            "expected_rows": self.expected_rows(),
            "centre_norm": self.arguments.centre_norm,
            "excess_risk": {
                "posterior": risk.posterior,
                "missed_ball": risk.missed,
                "asap_noise": risk.noise,
                "release": risk.release(),
                "output_perturbation": risk.output_perturbation,
                "break_even_curvature": risk.break_even,
            },
            "output_perturbation_better": risk.output_perturbation_wins(),
        })
    }

    fn is_pure(&self) -> bool {
        matches!(self.shares.total, Guarantee::Pure(_))
    }

    fn expected_rows(&self) -> u64 {
        self.arguments.problem.expected_rows.unwrap_or(self.arguments.rows)
    }

    fn report(&self) -> String {
        let Self { reference, forecast, arguments, .. } = self;
        let rows = arguments.rows;
        let assumptions = format!(
            "Worst-case curvature for {rows} rows, {} parameters, ‖θ_0‖ = {}; no data was read.\n\
             These are the values of a fit with --expected-rows {}.",
            reference.ball().dimension(),
            arguments.centre_norm,
            self.expected_rows(),
        );
        let certified =
            if self.certified { "every constant certified" } else { asap_dp::calibrate::Paper::STATUS };
        format!(
            "{}\n{}\n{}\n\n{}\n{}\n{}\n{}\n{}\n{}\n",
            bold(&format!("Plan for {}, δ = 0 ({certified})", shown(self.shares.total))),
            table(&self.values()),
            assumptions,
            bold("Samplers"),
            self.samplers(),
            bold("Predicted excess risk (J summed over the rows, second order, worst-case curvature)"),
            self.risks(),
            bold(&self.verdict()),
            break_even(forecast.risk.break_even),
        )
    }

    fn values(&self) -> Vec<[String; 3]> {
        let Self { shares, reference, forecast, .. } = self;
        let asap = reference.asap().noise();
        let (unit, noise) = if self.is_pure() { ("ε", "Laplace scale") } else { ("μ", "deviation") };
        let (one, two) = (value(shares.localise), value(shares.posterior));
        let budget = format!("{} / {} / {}", number(one), number(two), number(value(shares.asap)));
        let lattices =
            format!("{} / {}", number(self.localise.lattice().step()), number(asap.lattice().step()));
        let scales = format!("{} / {}", number(scale(&self.localise)), number(scale(asap)));
        let norm = if self.is_pure() { "1-norm" } else { "2-norm" };
        [
            (unit, budget, "budget: localise / posterior / asap".to_owned()),
            ("γ", number(reference.gamma()), "inverse temperature of the posterior".to_owned()),
            ("B", number(reference.ball().radius()), "radius of the ball Θ around θ_0".to_owned()),
            ("G", number(reference.lipschitz()), "Lipschitz constant on Θ".to_owned()),
            ("Δ", number(reference.asap().error()), format!("Wasserstein-∞ error of the sampler, {norm}")),
            ("m", number(forecast.strong_convexity), "strong convexity of f = γJ".to_owned()),
            ("L", number(forecast.smoothness), "smoothness of f = γJ".to_owned()),
            ("osc", number(forecast.oscillation), "oscillation of f on Θ".to_owned()),
            ("ln 1/ξ", number(forecast.ln_inverse_tv), "total variation that MALA must reach".to_owned()),
            ("noise", scales, format!("{noise} of localisation / of the release")),
            ("lattice", lattices, "step of localisation / of the release".to_owned()),
        ]
        .map(|(name, value, meaning)| [name.to_owned(), value, meaning])
        .to_vec()
    }

    fn samplers(&self) -> String {
        let Forecast { mala, proximal, .. } = &self.forecast;
        let header = ["", "step", "K", "restarts", "expected passes over the data"].map(str::to_owned);
        let about = |passes: f64| format!("about {}", number(passes.round()));
        let first = [
            "proximal".to_owned(),
            format!("η = {}", number(proximal.step)),
            proximal.steps.to_string(),
            "-".to_owned(),
            about(proximal.passes),
        ];
        let second = match mala {
            Some(MalaForecast { step, steps, restarts, passes, .. }) => [
                "MALA".to_owned(),
                format!("h = {}", number(*step)),
                steps.to_string(),
                format!("τ_max = {restarts}"),
                about(*passes),
            ],
            None => ["MALA", "-", "more than 2^53", "-", "-"].map(str::to_owned),
        };
        let conductance = mala.and_then(|chain| chain.separation.zip(chain.log_ratio)).map(|(t, q)| {
            format!("MALA: separation t = {}, Q = {}; chance ½ to end in Θ assumed.\n", number(t), number(q))
        });
        table(&[header, first, second]) + &conductance.unwrap_or_default()
    }

    fn risks(&self) -> String {
        let risk = &self.forecast.risk;
        let parts = format!(
            "posterior {}, missed ball {}, noise {}",
            number(risk.posterior),
            number(risk.missed),
            number(risk.noise)
        );
        table(&[
            ["release".to_owned(), number(risk.release()), parts],
            ["output perturbation".to_owned(), number(risk.output_perturbation), "same budget".to_owned()],
        ])
    }

    fn verdict(&self) -> String {
        let risk = &self.forecast.risk;
        let ratio = number(
            (risk.output_perturbation / risk.release()).max(risk.release() / risk.output_perturbation),
        );
        if risk.output_perturbation_wins() {
            format!(
                "Output perturbation is predicted to be BETTER, by a factor {ratio}: with these public numbers it is \
                 the better choice (library: localize::Localisation)."
            )
        } else {
            format!("The release is predicted to be better than output perturbation, by a factor {ratio}.")
        }
    }
}

/// How much the verdict depends on the worst case.
fn break_even(part: f64) -> String {
    if part >= 1.0 {
        return "Output perturbation wins whatever the records' curvature is.".to_owned();
    }
    format!(
        "Output perturbation wins if the records' curvature is below {} % of the worst case.",
        number((part * 1000.0).round() / 10.0)
    )
}
