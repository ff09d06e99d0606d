//! A plan for people.

use super::{Forecast, OutputPlan, Planned, PosteriorPlan, name};
use crate::problem::shown;
use crate::terminal::{bold, number, table};
use asap_dp::SamplerKind;
use asap_dp::calibrate::Paper;
use asap_dp::mechanism::PlannedChain;
use asap_dp::noise::{LatticeNoise, Law};

impl Planned<'_> {
    pub(super) fn report(&self) -> String {
        let mut parts = vec![bold(&format!("Plan for {}, δ = 0; no data was read", shown(self.total)))];
        parts.push(bold("Posterior sample (--mechanism posterior)"));
        parts.push(match &self.posterior {
            Ok(plan) => self.posterior(plan),
            Err(reason) => format!("refused: {reason}\n"),
        });
        parts.push(bold("Output perturbation (--mechanism output)"));
        parts.push(match &self.output {
            Ok(plan) => output(plan),
            Err(reason) => format!("refused: {reason}\n"),
        });
        if !self.noises.is_empty() {
            parts.push(bold("Noise of θ_0 (--noise), posterior sample"));
            parts.push(self.noises());
        }
        if let (Ok(posterior), Ok(output)) = (&self.posterior, &self.output) {
            parts.push(bold(
                "Predicted excess risk (J summed over the rows, second order, worst-case curvature)",
            ));
            parts.push(risks(posterior, output));
            parts.push(bold(&verdict(posterior, output)));
            parts.push(break_even(posterior.forecast.risk.break_even));
        }
        parts.join("\n") + "\n"
    }

    fn posterior(&self, plan: &PosteriorPlan) -> String {
        let certified = if plan.certified { "certified: no constant is asymptotic" } else { Paper::STATUS };
        format!(
            "{}Worst-case curvature for {} rows, {} parameters, ‖θ_0‖ = {}; {certified}.\n\
             These are the values of a fit with --expected-rows {}.\n\n{}",
            table(&self.values(plan)),
            self.arguments.rows,
            plan.reference.ball().dimension(),
            self.arguments.centre_norm,
            plan.expected_rows,
            self.samplers(&plan.forecast),
        )
    }

    fn values(&self, plan: &PosteriorPlan) -> Vec<[String; 3]> {
        let PosteriorPlan { ledger, localise, reference, forecast, .. } = plan;
        let (claim, asap) = (reference.asap().claim(), reference.asap().noise());
        let (unit, norm) = if self.is_pure() { ("ε", "1-norm") } else { ("μ", "2-norm") };
        let joined = |parts: Vec<String>| parts.join(" / ");
        let shares = ledger.shares();
        let names = joined(shares.iter().map(|share| share.name.to_owned()).collect());
        let budget = joined(shares.iter().map(|share| number(share.guarantee.parameter())).collect());
        let scales = joined([localise, asap].map(|noise| number(noise.scale())).into());
        let lattices = joined([localise, asap].map(|noise| number(noise.lattice().step())).into());
        [
            (unit, budget, format!("budget: {names}")),
            ("γ", number(reference.gamma()), "inverse temperature of the posterior".to_owned()),
            ("B", number(reference.ball().radius()), "radius of the ball Θ around θ_0".to_owned()),
            ("G", number(reference.lipschitz()), "Lipschitz constant on Θ".to_owned()),
            ("Δ", number(claim.error), format!("Wasserstein-∞ error of the sampler, {norm}")),
            ("rounding", number(reference.charge()), "what rounding may do to a draw, part of Δ".to_owned()),
            ("m", number(forecast.strong_convexity), "strong convexity of f = γJ".to_owned()),
            ("L", number(forecast.smoothness), "smoothness of f = γJ".to_owned()),
            ("osc", number(forecast.oscillation), "oscillation of f on Θ".to_owned()),
            ("ln 1/ξ", number(forecast.ln_inverse_tv), "total variation that MALA must reach".to_owned()),
            ("noise", scales, format!("{} of θ_0 / {} of the release", law(localise), law(asap))),
            ("lattice", lattices, "step of θ_0 / of the release".to_owned()),
        ]
        .map(|(name, value, meaning)| [name.to_owned(), value, meaning])
        .to_vec()
    }

    fn samplers(&self, Forecast { mala, proximal, .. }: &Forecast) -> String {
        let header = ["sampler", "step", "K", "restarts", "expected passes over the data"].map(str::to_owned);
        let about = |passes: f64| format!("about {}", number(passes.round()));
        let exact = ["exact", "-", "-", "-", "a few, no chain; fallback: proximal"].map(str::to_owned);
        let second = [
            "proximal".to_owned(),
            format!("η = {}", number(proximal.step)),
            proximal.steps.to_string(),
            "-".to_owned(),
            about(proximal.passes),
        ];
        let third = match mala {
            Some(chain @ PlannedChain { step, steps, restarts, .. }) => [
                "MALA".to_owned(),
                format!("h = {}", number(*step)),
                steps.to_string(),
                format!("τ_max = {restarts}"),
                about(chain.passes()),
            ],
            None => ["MALA", "-", "more than 2^53", "-", "-"].map(str::to_owned),
        };
        let chosen = match self.arguments.problem.choice.sampler() {
            SamplerKind::Exact => {
                format!(
                    "exact draw: a few passes; fallback: {} steps of the proximal sampler.\n",
                    proximal.steps
                )
            }
            SamplerKind::Proximal => format!("proximal sampler: {} steps.\n", proximal.steps),
            SamplerKind::Mala => {
                "constrained MALA; where its domain assumption fails, the proximal sampler.\n".into()
            }
        };
        let conductance = mala.and_then(|chain| chain.separation.zip(chain.log_ratio)).map(|(t, q)| {
            format!("MALA: separation t = {}, Q = {}; chance ½ to end in Θ assumed.\n", number(t), number(q))
        });
        table(&[header, exact, second, third]) + &chosen + &conductance.unwrap_or_default()
    }

    fn noises(&self) -> String {
        let mut rows = vec![["noise", "B", "γ", "excess risk"].map(str::to_owned)];
        rows.extend(self.noises.iter().map(|(noise, plan)| {
            let chosen = if *noise == self.arguments.problem.choice.noise() { " (chosen)" } else { "" };
            let name = format!("{}{chosen}", name(*noise));
            match plan {
                Ok(PosteriorPlan { reference, forecast, .. }) => [
                    name,
                    number(reference.ball().radius()),
                    number(reference.gamma()),
                    number(forecast.risk.release()),
                ],
                Err(_) => [name, "refused".to_owned(), "-".to_owned(), "-".to_owned()],
            }
        }));
        table(&rows) + &self.compared().unwrap_or_default()
    }

    /// What the shorter noise is worth.
    fn compared(&self) -> Option<String> {
        let [(_, Ok(euclidean)), (_, Ok(laplace))] = &self.noises[..] else { return None };
        let percent = |value: fn(&PosteriorPlan) -> f64| {
            let change = 100.0 * (value(euclidean) / value(laplace) - 1.0);
            format!("{:.0} % {}", change.abs(), if change < 0.0 { "smaller" } else { "larger" })
        };
        let radius = percent(|plan| plan.reference.ball().radius());
        let gamma = percent(|plan| plan.reference.gamma());
        Some(format!("With Euclidean noise B is {radius} and γ {gamma} than with Laplace noise.\n"))
    }
}

fn output(plan: &OutputPlan) -> String {
    table(&[
        ["noise".to_owned(), number(plan.noise.scale()), format!("{} of the release", law(&plan.noise))],
        ["lattice".to_owned(), number(plan.noise.lattice().step()), "step of the release".to_owned()],
    ])
}

/// What the number of a law is.
fn law(noise: &LatticeNoise) -> &'static str {
    match noise.law() {
        Law::Laplace(_) => "Laplace scale",
        Law::Euclidean(_) => "Euclidean Laplace scale",
        Law::Normal(_) => "standard deviation",
    }
}

fn risks(posterior: &PosteriorPlan, output: &OutputPlan) -> String {
    let risk = &posterior.forecast.risk;
    let parts = format!(
        "posterior {}, missed ball {}, noise {}",
        number(risk.posterior),
        number(risk.missed),
        number(risk.noise)
    );
    table(&[
        ["posterior sample".to_owned(), number(risk.release()), parts],
        ["output perturbation".to_owned(), number(output.risk), "same budget".to_owned()],
    ])
}

fn verdict(posterior: &PosteriorPlan, output: &OutputPlan) -> String {
    let (release, plain) = (posterior.forecast.risk.release(), output.risk);
    let ratio = number((plain / release).max(release / plain));
    if plain < release {
        format!(
            "Output perturbation is predicted to be BETTER, by a factor {ratio}: with these public numbers run it, \
             --mechanism output."
        )
    } else {
        format!(
            "The posterior sample is predicted to be better than output perturbation, by a factor {ratio}: \
             --mechanism posterior, the default."
        )
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
