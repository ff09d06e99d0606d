//! A plan for people.

use super::compared::{Compared, ComparedRow};
use super::details::{GradientPlan, ObjectivePlan, OutputPlan, PosteriorPlan};
use super::{PlanPage, name};
use crate::cost::{Kept, Pass};
use crate::problem::shown;
use crate::terminal::{bold, number, table, wrapped};
use asap_contracts::Numerics;
use asap_contracts::{BlockLaw, Price};
use asap_dp::SamplerKind;
use asap_dp::calibrate::Paper;
use asap_dp::forecast::Forecast;
use asap_dp::mechanism::PlannedChain;
use asap_dp::noise::{BlockNoise, LatticeNoise, Law};
use asap_dp::privacy::Guarantee;

impl PlanPage<'_> {
    pub(super) fn report(&self) -> String {
        let mut parts = vec![bold(&format!("Plan for {}, δ = 0; no data was read", shown(self.total)))];
        parts.push(self.compared.report(self.pass));
        parts.push(bold("Verdict") + "\n" + &wrapped(&self.verdict.text()) + &self.regulariser());
        let objective = self.objective.as_ref().map(objective);
        let descent = self.noisy_gradient.as_ref().map(descent);
        let posterior = self.posterior.as_ref().map(|plan| self.posterior(plan));
        let output = self.output.as_ref().map(output);
        for (heading, plan) in [
            ("Objective perturbation (--mechanism objective)", objective),
            ("Noisy gradient descent (--mechanism noisy-gradient)", descent),
            ("Posterior sample (--mechanism posterior)", posterior),
            ("Output perturbation (--mechanism output)", output),
        ] {
            parts.push(bold(heading));
            parts.push(plan.unwrap_or_else(|reason| format!("refused: {reason}\n")));
        }
        if !self.noises.is_empty() {
            parts.push(bold("Noise of θ_0 (--noise), posterior sample"));
            parts.push(self.noises());
        }
        parts.join("\n") + "\n"
    }

    /// Which regulariser it is, and why.
    fn regulariser(&self) -> String {
        let why = match self.arguments.problem.regulariser {
            Some(_) => "as given",
            None => "chosen: with half or twice as much the release is predicted to be worth less",
        };
        format!("Regulariser Λ = {}, {why}.\n", number(self.regulariser))
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

fn objective(plan: &ObjectivePlan) -> String {
    let joined = |parts: Vec<String>| parts.join(" / ");
    let shares = plan.ledger.shares();
    let names = joined(shares.iter().map(|share| share.name.to_owned()).collect());
    let budget = joined(shares.iter().map(|share| number(share.guarantee.parameter())).collect());
    let converted = plan.ledger.converted().map(|epsilon| {
        ["ε".to_owned(), number(epsilon.get()), "the pure budget that the total allows".to_owned()]
    });
    let symbol = match shares.first().map(|share| share.guarantee) {
        Some(Guarantee::Gaussian(_)) => "μ",
        _ => "ε",
    };
    let jacobian = match plan.price {
        Price::Apart => "the Jacobian is paid for beside the tilt",
        Price::Tied => "the Jacobian is paid for together with the slope",
        Price::Free => "the Jacobian is free: the regulariser is large enough",
    };
    let rows = [
        [symbol.to_owned(), budget, format!("budget: {names}; {jacobian}")],
        ["R".to_owned(), number(plan.radius), "radius of the search".to_owned()],
    ];
    let rest = [
        ["Δ".to_owned(), number(plan.error), "distance to the exact minimiser, 2-norm".to_owned()],
        ["noise".to_owned(), number(plan.noise.scale()), format!("{} of the release", law(&plan.noise))],
    ];
    table(&converted.into_iter().chain(rows).chain(tilt(plan)).chain(rest).collect::<Vec<_>>())
}

/// The noise of the tilt, for each block of columns in words.
fn tilt(plan: &ObjectivePlan) -> Vec<[String; 3]> {
    let of =
        |noise: &LatticeNoise| ["b".to_owned(), number(noise.scale()), format!("{} of the tilt", law(noise))];
    let block = |(block, what): (&BlockNoise, &String)| {
        let each = if block.places().len() > 1 { "each of " } else { "" };
        let what = match block.law() {
            BlockLaw::CubeLaplace => format!("scale of the tilt of {what}, in the largest-coordinate norm"),
            BlockLaw::Laplace => format!("Laplace scale of the tilt of {each}{what}"),
            BlockLaw::EuclideanLaplace => format!("Euclidean Laplace scale of the tilt of {what}"),
            BlockLaw::Normal => format!("standard deviation of the tilt of {each}{what}"),
        };
        ["b".to_owned(), number(block.scale()), what]
    };
    let blocks = plan.tilt.blocks().iter().zip(&plan.columns).map(block);
    plan.tilt.whole().map(of).into_iter().chain(blocks).collect()
}

fn descent(GradientPlan { schedule, noise }: &GradientPlan) -> String {
    let mean = format!("the mean of the last {}", schedule.steps - schedule.skipped);
    table(
        &[
            (
                "T",
                schedule.steps.to_string(),
                format!("steps, each a pass over the data; {mean} is released"),
            ),
            ("η", number(schedule.step), format!("step size, with momentum {}", schedule.momentum)),
            ("noise", number(noise.scale()), format!("{} of each gradient", law(noise))),
        ]
        .map(|(name, value, meaning)| [name.to_owned(), value, meaning]),
    )
}

/// What the number of a law is.
fn law(noise: &LatticeNoise) -> &'static str {
    match noise.law() {
        Law::Laplace(_) => "Laplace scale",
        Law::Euclidean(_) => "Euclidean Laplace scale",
        Law::Normal(_) => "standard deviation",
    }
}

impl Compared {
    fn report(&self, pass: Pass) -> String {
        let header = [
            "mechanism",
            "worth",
            "excess per row",
            "summed",
            "at worst",
            "passes",
            "seconds",
            "numerics",
            "why",
        ];
        let line = |row: &ComparedRow| {
            let mark = if row.chosen { " (chosen)" } else { "" };
            let name = format!("{}{mark}", row.kind.name());
            let numbers = match &row.outcome {
                Ok((prediction, numerics)) => [
                    percent(prediction.worth),
                    rounded(self.per_row(prediction.likely)),
                    rounded(prediction.likely),
                    rounded(prediction.worst),
                    rounded(prediction.passes),
                    rounded(pass.seconds(prediction.passes, self.expected, Kept::InMemory)),
                    word(*numerics).to_owned(),
                ],
                Err(_) => std::array::from_fn(|_| "-".to_owned()),
            };
            [name].into_iter().chain(numbers).chain([row.why.clone()]).collect::<Vec<_>>()
        };
        let header = header.map(str::to_owned).to_vec();
        let table = table(&std::iter::once(header).chain(self.rows.iter().map(line)).collect::<Vec<_>>());
        table
            + &format!(
                "Worth: the part of what can be learnt that the release is predicted to keep, for {} rows. Excess: how far J is \
                 predicted to be above its\nminimum (to second order), for a usual table or the guessed curvature (--curvature), and at worst.\nSeconds are an estimate: passes over synthetic public records of this shape, in memory, timed on \
                 this machine just now. With fit --stream\neach pass reads the file again: about {} s a pass instead of \
                 {}.\n",
                self.expected,
                rounded(pass.seconds(1.0, self.expected, Kept::InTheFile)),
                rounded(pass.seconds(1.0, self.expected, Kept::InMemory)),
            )
    }
}

fn word(numerics: Numerics) -> &'static str {
    match numerics {
        Numerics::Rigorous => "rigorous",
        Numerics::RealArithmeticOnly => "real arithmetic only",
        Numerics::AsymptoticConstants => "asymptotic constants",
    }
}

/// Three digits: predictions are no more exact than that.
pub(super) fn rounded(value: f64) -> String {
    if value.is_normal() && !(1e-3..1e6).contains(&value.abs()) {
        return format!("{value:.2e}");
    }
    let unit = 10.0_f64.powf(value.abs().log10().floor() - 2.0);
    number(if value.is_normal() { (value / unit).round() * unit } else { value })
}

/// A part as it is said.
pub(super) fn percent(part: f64) -> String {
    if part < 0.0 { "less than 0".to_owned() } else { format!("{:.1} %", 100.0 * part) }
}
