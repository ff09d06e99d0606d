//! From flags to the library's types.

use crate::arguments::{
    CalibrationName, Choice, LossName, MechanismName, NeighboursName, NoiseName, ProblemFlags, SamplerName,
};
use crate::failure::Failure;
use asap_contracts::TargetKind;
use asap_dp::calibrate::Paper;
use asap_dp::data::Schema;
use asap_dp::localise::PureNoise;
use asap_dp::mechanism::Calibration;
use asap_dp::privacy::{Epsilon, Guarantee, Mu, Neighbours};
use asap_dp::{
    Bounds, Huber, Learner, Logistic, Loss, MechanismKind, SamplerKind, Squared, WeightedLogistic,
};

/// Something that is done for one loss, whichever it is.
pub(crate) trait ForLoss {
    type Output;
    fn run<L: Loss + Copy>(self, loss: L) -> Result<Self::Output, Failure>;
}

impl ProblemFlags {
    /// Does something for the loss that was asked for.
    pub(crate) fn for_loss<T: ForLoss>(&self, task: T) -> Result<T::Output, Failure> {
        match self.loss {
            LossName::Logistic => match self.weights()? {
                Some(weights) => task.run(WeightedLogistic::new(weights)?),
                None => task.run(Logistic),
            },
            LossName::Squared | LossName::Huber if self.class_weights.is_some() => {
                usage("--class-weights: only for --loss logistic, which has classes")
            }
            LossName::Squared => task.run(Squared),
            LossName::Huber => task.run(Huber::new(self.huber_delta.unwrap_or(1.0))?),
        }
    }

    /// How much the classes count, where that is said.
    fn weights(&self) -> Result<Option<[f64; 2]>, Failure> {
        let of_schema = self.table()?.and_then(|schema| schema.target.weights);
        Ok(self.class_weights.or(of_schema.and_then(|weights| weights.try_into().ok())))
    }

    /// The schema, if it has more than two classes: one against the rest. spec: `own:one-against-rest`
    pub(crate) fn several_classes(&self) -> Result<Option<Schema>, Failure> {
        let several = |schema: &Schema| schema.target.class_count().is_some_and(|count| count > 2);
        let schema =
            self.table()?.filter(|schema| matches!(self.loss, LossName::Logistic) && several(schema));
        if schema.is_some() && self.class_weights.is_some() {
            return usage("--class-weights: for two classes only; for more, write `weights` in the schema");
        }
        Ok(schema)
    }

    /// The public bounds. A flag that the loss does not use is refused rather than ignored.
    pub(crate) fn bounds(&self, schema: Option<&Schema>) -> Result<Bounds, Failure> {
        let bounds = match (self.feature_bound, schema) {
            (Some(bound), Some(schema)) => Bounds::new(bound)?.with_persons_of(schema)?,
            (Some(bound), _) => Bounds::new(bound)?,
            (None, Some(schema)) => Bounds::of_schema(schema)?,
            (None, None) => {
                return usage(
                    "--feature-bound is needed, or --schema with a range or levels for every column (asap schema)",
                );
            }
        };
        let ranged = schema.is_some_and(|schema| matches!(schema.target.kind, TargetKind::Range(_)));
        let bounds = match (self.loss, self.target_bound.or(ranged.then_some(1.0))) {
            (LossName::Logistic, _) if self.target_bound.is_some() => {
                return usage("--target-bound: not for --loss logistic, whose targets are classes");
            }
            (LossName::Logistic, _) if ranged => {
                return usage(
                    "--schema: the logistic loss needs classes or at_least for its target, not a range",
                );
            }
            (LossName::Squared | LossName::Huber, _) if schema.is_some() && !ranged => {
                return usage(
                    "--schema: the losses squared and huber need a range for their target, not classes",
                );
            }
            (LossName::Logistic, _) => bounds,
            (_, Some(bound)) => bounds.with_target(bound)?,
            (_, None) => {
                return usage(
                    "--target-bound is needed by the losses squared and huber, or --schema with a range for the target; it must be a \
                     finite number greater than 0",
                );
            }
        };
        if self.huber_delta.is_some() && !matches!(self.loss, LossName::Huber) {
            return usage("--huber-delta: only for --loss huber");
        }
        let bounds = match self.rows_per_person {
            Some(rows) => bounds.with_rows_per_person(rows)?,
            None => bounds,
        };
        Ok(bounds.with_max_rows(self.max_rows)?.with_intercept(self.intercept)?)
    }

    /// The learner, with this guess of the number of rows unless a flag says another.
    pub(crate) fn learner(&self, rows: Option<u64>) -> Result<Learner, Failure> {
        let expected = self.expected_rows.or(rows);
        if let Some(expected) = expected.filter(|expected| *expected > self.max_rows) {
            let most = self.max_rows;
            return Err(Failure::Usage(format!(
                "--expected-rows: {expected} is more than --max-rows, which is {most}"
            )));
        }
        let learner = self
            .regulariser
            .map_or_else(Learner::auto, Learner::new)
            .guarantee(self.guarantee()?)
            .neighbours(self.neighbours())
            .calibration(match self.calibration {
                None | Some(CalibrationName::Tight) => Calibration::Tight,
                Some(CalibrationName::Paper) => Calibration::Paper(Paper::default()),
            })
            .sampler(self.choice.sampler())
            .noise(self.choice.noise());
        let learner = match (self.largest_chain, self.choice.sampler) {
            (None, _) => learner,
            (Some(steps), Some(SamplerName::Mala)) => learner.largest_chain(steps),
            _ => return usage("--largest-chain: only for --sampler mala"),
        };
        let learner = self.mechanism().map_or(learner, |mechanism| learner.mechanism(mechanism));
        let learner = self.curvature.map_or(learner, |curvature| learner.curvature(curvature));
        let learner = match (self.gradient_steps, self.mechanism()) {
            (None, _) => learner,
            (Some(steps), Some(MechanismKind::NoisyGradient)) => learner.gradient_steps(steps),
            _ => return usage("--gradient-steps: only for --mechanism noisy-gradient"),
        };
        let learner = expected.map_or(learner, |rows| learner.expected_rows(rows));
        Ok(self.parameter_bound.map_or(learner, |radius| learner.parameter_bound(radius)))
    }

    /// What is asked for.
    pub(crate) fn guarantee(&self) -> Result<Guarantee, Failure> {
        self.choice.guarantee(self.epsilon, self.mu)
    }

    /// The neighbour relation.
    pub(crate) fn neighbours(&self) -> Neighbours {
        self.neighbours.relation()
    }

    /// Refuses what only the posterior mechanism uses where another learns.
    pub(crate) fn only_what_is_used(&self) -> Result<(), Failure> {
        self.choice.only_what_is_used()?;
        match (self.mechanism(), self.calibration) {
            (None | Some(MechanismKind::Posterior), _) | (_, None) => Ok(()),
            _ => usage("--calibration: only for --mechanism posterior"),
        }
    }

    /// The mechanism that was asked for, by its name or by what only it has; `None`: the best one.
    pub(crate) fn mechanism(&self) -> Option<MechanismKind> {
        let posterior = self.calibration.is_some() || self.largest_chain.is_some();
        let descent = self.gradient_steps.map(|_| MechanismKind::NoisyGradient);
        self.choice.mechanism().or(posterior.then_some(MechanismKind::Posterior)).or(descent)
    }
}

impl NeighboursName {
    pub(crate) fn relation(self) -> Neighbours {
        match self {
            Self::AddRemove => Neighbours::AddRemove,
            Self::ReplaceOne => Neighbours::ReplaceOne,
        }
    }
}

impl Choice {
    /// What is asked for; the noise must belong to it.
    pub(crate) fn guarantee(&self, epsilon: Option<f64>, mu: Option<f64>) -> Result<Guarantee, Failure> {
        match (epsilon, mu) {
            (Some(epsilon), None) => Ok(Guarantee::Pure(Epsilon::new(epsilon)?)),
            (None, Some(_)) if self.noise.is_some() => usage("--noise: only for --epsilon"),
            (None, Some(mu)) => Ok(Guarantee::Gaussian(Mu::new(mu)?)),
            _ => usage("--epsilon or --mu is needed"),
        }
    }

    /// The mechanism that was asked for, by its name or by its sampler; `None`: the best one.
    pub(crate) fn mechanism(&self) -> Option<MechanismKind> {
        match self.mechanism {
            MechanismName::Auto => self.sampler.map(|_| MechanismKind::Posterior),
            MechanismName::Posterior => Some(MechanismKind::Posterior),
            MechanismName::Output => Some(MechanismKind::Output),
            MechanismName::Objective => Some(MechanismKind::Objective),
            MechanismName::NoisyGradient => Some(MechanismKind::NoisyGradient),
        }
    }

    pub(crate) fn sampler(&self) -> SamplerKind {
        match self.sampler {
            None | Some(SamplerName::Exact) => SamplerKind::Exact,
            Some(SamplerName::Proximal) => SamplerKind::Proximal,
            Some(SamplerName::Mala) => SamplerKind::Mala,
        }
    }

    pub(crate) fn noise(&self) -> PureNoise {
        match self.noise {
            None | Some(NoiseName::Euclidean) => PureNoise::Euclidean,
            Some(NoiseName::Laplace) => PureNoise::Laplace,
        }
    }

    /// Refuses a sampler if nothing is sampled, and a choice of noise if there is no choice.
    pub(crate) fn only_what_is_used(&self) -> Result<(), Failure> {
        use MechanismKind::{NoisyGradient, Objective, Output};
        match (self.mechanism(), self.sampler, self.noise) {
            (Some(Output | Objective | NoisyGradient), Some(_), _) => {
                usage("--sampler: only for --mechanism posterior")
            }
            (Some(Objective | NoisyGradient), _, Some(_)) => {
                usage("--noise: only for the mechanisms posterior and output, which perturb a minimiser")
            }
            _ => Ok(()),
        }
    }
}

fn usage<T>(text: &str) -> Result<T, Failure> {
    Err(Failure::Usage(text.to_owned()))
}

/// `1-DP` or `1-GDP`.
pub(crate) fn shown(guarantee: Guarantee) -> String {
    match guarantee {
        Guarantee::Pure(epsilon) => format!("{}-DP", epsilon.get()),
        Guarantee::Gaussian(mu) => format!("{}-GDP", mu.get()),
    }
}
