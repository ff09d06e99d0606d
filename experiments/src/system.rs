//! Every system that is compared, and how it runs.

use crate::baselines::clipped::Clipped;
use crate::baselines::exponential::Grid;
use crate::baselines::mala::{self, Calibrated};
use crate::baselines::output::perturbed_minimiser;
use crate::baselines::posterior::Unlocalised;
use crate::baselines::sgd::{DELTA, Sgd};
use crate::error::ExperimentError;
use crate::rates::epsilon_of;
use crate::setting::{LossKind, Setting};
use crate::store::Measured;
use asap_dp::localise::PureNoise;
use asap_dp::privacy::Guarantee;
use asap_dp::{Learner, MechanismKind, ReplayRng, SamplerKind};

/// A system of the paper's tables, or of ours. spec: `own:experiments`
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum System {
    /// Localised ASAP with the exact draw.
    AsapExact,
    /// Localised ASAP with certified constrained MALA.
    AsapMala,
    /// Output perturbation with independent Laplace noise.
    OutputLaplace,
    /// Output perturbation with Euclidean Laplace noise.
    OutputEuclidean,
    /// Output perturbation with normal noise.
    OutputGaussian,
    /// Objective perturbation.
    Objective,
    /// Noisy gradient descent.
    NoisyGradient,
    /// What the library chooses.
    Auto,
    /// Localised ASAP with constrained MALA as the paper calibrates it.
    AsapMalaPaper,
    /// Output perturbation as the paper states it.
    OutputPaper,
    /// Descent on normalised gradients.
    AutomaticClipping,
    /// Noisy stochastic gradient descent.
    NoisySgd,
    /// One draw from the posterior, not localised.
    Posterior,
    /// The exponential mechanism, by quadrature.
    Exponential,
    /// θ = 0.
    Nothing,
    /// The optimal rate with unit constant.
    LowerBound,
}

/// How a system is run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RunSettings {
    /// The total budget.
    pub total: Guarantee,
    /// How often.
    pub repetitions: u32,
    /// Every run has bits of its own, which follow from this.
    pub seed: u64,
    /// The longest certified chain.
    pub largest_chain: u64,
}

/// What may be said of a system.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// Of the library: δ = 0 as it runs.
    Library,
    /// Not δ = 0, or not rigorous.
    Baseline,
    /// No mechanism at all.
    Reference,
}

impl Standing {
    /// In one word.
    pub fn name(self) -> &'static str {
        match self {
            Self::Library => "library",
            Self::Baseline => "baseline",
            Self::Reference => "reference",
        }
    }
}

impl System {
    /// All of them.
    pub const ALL: [Self; 16] = [
        Self::AsapExact,
        Self::AsapMala,
        Self::OutputLaplace,
        Self::OutputEuclidean,
        Self::OutputGaussian,
        Self::Objective,
        Self::NoisyGradient,
        Self::Auto,
        Self::AsapMalaPaper,
        Self::OutputPaper,
        Self::AutomaticClipping,
        Self::NoisySgd,
        Self::Posterior,
        Self::Exponential,
        Self::Nothing,
        Self::LowerBound,
    ];

    /// The mechanisms of the sweep over the curvature ratio.
    pub const OF_THE_SWEEP: [Self; 7] = [
        Self::AsapExact,
        Self::OutputEuclidean,
        Self::OutputGaussian,
        Self::Objective,
        Self::NoisyGradient,
        Self::Auto,
        Self::Nothing,
    ];

    /// A short name.
    pub fn id(self) -> &'static str {
        match self {
            Self::AsapExact => "asap-exact",
            Self::AsapMala => "asap-mala-certified",
            Self::OutputLaplace => "output-laplace",
            Self::OutputEuclidean => "output-euclidean",
            Self::OutputGaussian => "output-gaussian",
            Self::Objective => "objective",
            Self::NoisyGradient => "noisy-gradient",
            Self::Auto => "auto",
            Self::AsapMalaPaper => "asap-mala-paper",
            Self::OutputPaper => "output-paper",
            Self::AutomaticClipping => "automatic-clipping",
            Self::NoisySgd => "noisy-sgd",
            Self::Posterior => "posterior-unlocalised",
            Self::Exponential => "exponential-mechanism",
            Self::Nothing => "nothing",
            Self::LowerBound => "lower-bound",
        }
    }

    /// A name for readers. What is a baseline says so.
    pub fn name(self) -> &'static str {
        match self {
            Self::AsapExact => "ASAP, exact draw",
            Self::AsapMala => "ASAP, certified MALA",
            Self::OutputLaplace => "output, i.i.d. Laplace",
            Self::OutputEuclidean => "output, Euclidean Laplace",
            Self::OutputGaussian => "output, Gaussian",
            Self::Objective => "objective perturbation",
            Self::NoisyGradient => "noisy gradient descent",
            Self::Auto => "auto",
            Self::AsapMalaPaper => "ASAP, paper's MALA (baseline)",
            Self::OutputPaper => "output as in the paper (baseline)",
            Self::AutomaticClipping => "DP-GD, automatic clipping (baseline)",
            Self::NoisySgd => "NoisySGD, δ = 1e-6 (baseline)",
            Self::Posterior => "posterior, not localised (baseline)",
            Self::Exponential => "exponential mechanism (baseline)",
            Self::Nothing => "θ = 0",
            Self::LowerBound => "optimal rate, unit constant",
        }
    }

    /// What may be said of it.
    pub fn standing(self) -> Standing {
        match self {
            Self::AsapExact
            | Self::AsapMala
            | Self::OutputLaplace
            | Self::OutputEuclidean
            | Self::OutputGaussian
            | Self::Objective
            | Self::NoisyGradient
            | Self::Auto => Standing::Library,
            Self::AsapMalaPaper
            | Self::OutputPaper
            | Self::AutomaticClipping
            | Self::NoisySgd
            | Self::Posterior
            | Self::Exponential => Standing::Baseline,
            Self::Nothing | Self::LowerBound => Standing::Reference,
        }
    }

    /// What it promises, and why it is a baseline if it is one.
    pub fn remark(self) -> &'static str {
        match self {
            Self::AsapExact
            | Self::OutputLaplace
            | Self::OutputEuclidean
            | Self::OutputGaussian
            | Self::Objective
            | Self::NoisyGradient
            | Self::Auto => "δ = 0, rounding charged",
            Self::AsapMala => {
                "δ = 0 in real arithmetic; runs where its public chain has at most 5 million steps (--quick: half a million)"
            }
            Self::AsapMalaPaper => {
                "the paper's tables with every hidden constant 1 and ρ = 0.01, a third of ε for each stage (μ/√3): not certified"
            }
            Self::OutputPaper => {
                "the paper's noise, with twice the sensitivity that is needed; plain floating point"
            }
            Self::AutomaticClipping => {
                "δ = 0 in real arithmetic; plain floating point; minimises something else than J"
            }
            Self::NoisySgd => "(ε, δ) with δ = 1e-6, not δ = 0; under μ the (ε, δ) that μ-GDP implies",
            Self::Posterior => "δ = 0 if the draw were exact; plain floating point",
            Self::Exponential => "δ = 0 if the draw were exact; on a grid, at most two dimensions",
            Self::Nothing => "uses no records",
            Self::LowerBound => "d²G²/(Λε²) or dG²/(Λμ²): a rate, true up to a constant factor",
        }
    }

    /// Whether it makes sense for this kind of guarantee and this setting at all.
    pub fn applies(self, setting: &Setting, pure: bool) -> bool {
        match self {
            Self::OutputLaplace | Self::OutputEuclidean => pure,
            Self::Exponential => pure && setting.dimension() <= 2 && setting.loss() == LossKind::Squared,
            Self::OutputGaussian => !pure,
            Self::AsapMalaPaper | Self::Posterior => setting.loss() == LossKind::Squared,
            _ => true,
        }
    }

    /// The learner of the library, if it is one.
    fn learner(self, setting: &Setting, run: &RunSettings) -> Option<Learner> {
        let learner = setting.learner().guarantee(run.total);
        Some(match self {
            Self::AsapExact => learner.mechanism(MechanismKind::Posterior),
            Self::AsapMala => learner
                .mechanism(MechanismKind::Posterior)
                .sampler(SamplerKind::Mala)
                .largest_chain(run.largest_chain),
            Self::OutputLaplace => learner.mechanism(MechanismKind::Output).noise(PureNoise::Laplace),
            Self::OutputEuclidean | Self::OutputGaussian => learner.mechanism(MechanismKind::Output),
            Self::Objective => learner.mechanism(MechanismKind::Objective),
            Self::NoisyGradient => learner.mechanism(MechanismKind::NoisyGradient),
            Self::Auto => learner,
            _ => return None,
        })
    }

    /// Excess risks of as many runs.
    pub fn measure(self, setting: &Setting, run: &RunSettings) -> Result<Measured, ExperimentError> {
        let RunSettings { total, repetitions, seed, .. } = *run;
        let repeat = |draw: &mut dyn FnMut(&mut ReplayRng) -> Result<Vec<f64>, ExperimentError>| {
            let one = |k: u32| {
                let theta = draw(&mut ReplayRng::new(seed.wrapping_add(u64::from(k))))?;
                Ok(setting.excess(&theta))
            };
            (0..repetitions).map(one).collect::<Result<Vec<f64>, ExperimentError>>()
        };
        if let Some(learner) = self.learner(setting, run) {
            let excess = repeat(&mut |rng| Ok(setting.fit(&learner, rng)?.theta().to_vec()))?;
            let chosen = (self == Self::Auto).then(|| setting.chosen(&learner)).flatten();
            let notes = chosen.map(|kind| format!("chose {}", kind.name())).unwrap_or_default();
            return Ok(Measured { excess, notes });
        }
        let (excess, notes) = match self {
            Self::AsapMalaPaper => {
                let calibrated = Calibrated::new(setting, total)?;
                let mut gave_up = 0;
                let excess = repeat(&mut |rng| {
                    let (theta, centre) = mala::localised(setting, &calibrated, rng)?;
                    gave_up += u32::from(centre);
                    Ok(theta)
                })?;
                let (steps, kappa) = (calibrated.chain.steps, setting.condition());
                (excess, format!("K = {steps} steps, κ = {kappa:.3}, gave up in {gave_up} of {repetitions}"))
            }
            Self::OutputPaper => {
                (repeat(&mut |rng| Ok(perturbed_minimiser(setting, total, rng)))?, String::new())
            }
            Self::AutomaticClipping => {
                let clipped = Clipped::new(setting, total);
                (repeat(&mut |rng| Ok(clipped.run(setting, rng)))?, format!("T = {}", clipped.steps()))
            }
            Self::NoisySgd => {
                let epsilon = match total {
                    Guarantee::Pure(epsilon) => epsilon.get(),
                    Guarantee::Gaussian(mu) => epsilon_of(mu.get(), DELTA),
                };
                let sgd = Sgd::new(setting, epsilon, DELTA)?;
                let excess = repeat(&mut |rng| Ok(sgd.run(setting, rng)))?;
                (excess, format!("ε = {epsilon:.3}, δ = {DELTA:e}, σ = {:.2}", sgd.sigma()))
            }
            Self::Posterior => {
                let posterior = Unlocalised::new(setting, total)?;
                (repeat(&mut |rng| posterior.draw(rng))?, format!("γ = {:.3e}", posterior.gamma()))
            }
            Self::Exponential => {
                let grid = Grid::new(setting, total.parameter())?;
                let mean = grid.mean(|theta| setting.excess(theta));
                (repeat(&mut |rng| Ok(grid.draw(rng)))?, format!("mean {mean:.3e} by quadrature"))
            }
            Self::Nothing => (vec![setting.excess(&vec![0.0; setting.dimension()])], String::new()),
            _ => (vec![optimal_rate(setting, total)], String::new()),
        };
        Ok(Measured { excess, notes })
    }
}

/// The optimal rate with unit constant, αn = Λ.
fn optimal_rate(setting: &Setting, total: Guarantee) -> f64 {
    let problem = crate::rates::RateProblem {
        dimension: setting.dimension() as f64,
        lipschitz: setting.constants().lipschitz,
        alpha: setting.regulariser() / setting.count() as f64,
        rows: setting.count() as f64,
    };
    match total {
        Guarantee::Pure(epsilon) => problem.pure(epsilon.get()),
        Guarantee::Gaussian(mu) => problem.gaussian(mu.get()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::setting::tests::small;
    use asap_dp::privacy::{Epsilon, Mu};

    fn both() -> [Guarantee; 2] {
        [Guarantee::Pure(Epsilon::new(2.0).unwrap()), Guarantee::Gaussian(Mu::new(2.0).unwrap())]
    }

    #[test]
    fn every_system_runs_and_replays() {
        for loss in [LossKind::Squared, LossKind::Logistic] {
            let setting = small(loss);
            for total in both() {
                let pure = matches!(total, Guarantee::Pure(_));
                for system in System::ALL.into_iter().filter(|system| system.applies(&setting, pure)) {
                    let run = || {
                        system
                            .measure(
                                &setting,
                                &RunSettings { total, repetitions: 3, seed: 9, largest_chain: 100_000 },
                            )
                            .map_err(|error| error.to_string())
                    };
                    let (one, again) = (run(), run());
                    // A certified chain may be too long; nothing else is refused here.
                    if system == System::AsapMala && one.is_err() {
                        continue;
                    }
                    let one = one.unwrap_or_else(|error| panic!("{}: {error}", system.id()));
                    assert!(one.excess.iter().all(|x| x.is_finite() && *x >= 0.0), "{}", system.id());
                    assert_eq!(one, again.unwrap(), "{}", system.id());
                }
            }
        }
    }

    /// By hand: d = 2, Λ = 10, G = 1 + √0.4.
    #[test]
    fn the_rate_of_a_setting() {
        let (setting, g) = (small(LossKind::Squared), 1.0 + 0.4_f64.sqrt());
        let [pure, gaussian] = both().map(|total| optimal_rate(&setting, total));
        assert!((pure / (4.0 * g * g / 40.0) - 1.0).abs() < 1e-7);
        assert!((gaussian / (2.0 * g * g / 40.0) - 1.0).abs() < 1e-7);
    }

    #[test]
    fn what_is_not_rigorous_says_so_in_its_name() {
        for system in System::ALL {
            assert_eq!(
                system.name().contains("(baseline)"),
                system.standing() == Standing::Baseline,
                "{}",
                system.id()
            );
        }
    }
}
