//! From flags to the library's types.

use crate::arguments::{CalibrationName, LossName, NeighboursName, Problem, SamplerName};
use crate::failure::Failure;
use asap_dp::calibrate::Paper;
use asap_dp::data::Bounds;
use asap_dp::learner::Learner;
use asap_dp::loss::{Huber, Logistic, Loss, Squared};
use asap_dp::plan::{Calibration, SamplerKind, Settings};
use asap_dp::privacy::{Guarantee, Neighbours};

/// Something that is done for one loss, whichever it is.
pub(crate) trait ForLoss {
    type Output;
    fn run<L: Loss + Copy>(self, loss: L) -> Result<Self::Output, Failure>;
}

impl Problem {
    /// Does something for the loss that was asked for.
    pub(crate) fn for_loss<T: ForLoss>(&self, task: T) -> Result<T::Output, Failure> {
        match self.loss {
            LossName::Logistic => task.run(Logistic),
            LossName::Squared => task.run(Squared),
            LossName::Huber => task.run(Huber::new(self.huber_delta.unwrap_or(1.0))?),
        }
    }

    /// The public bounds. A flag that the loss does not use is refused rather than ignored.
    pub(crate) fn bounds(&self) -> Result<Bounds, Failure> {
        let usage = |text: &str| Err(Failure::Usage(text.to_owned()));
        let bounds = Bounds::new(self.feature_bound)?;
        let bounds = match (self.loss, self.target_bound) {
            (LossName::Logistic, Some(_)) => {
                return usage("--target-bound: the logistic loss has none, its targets are classes");
            }
            (LossName::Logistic, None) => bounds,
            (_, Some(bound)) => bounds.with_target(bound)?,
            (_, None) => {
                return usage(
                    "--target-bound: needed by the losses squared and huber; a finite number greater than 0",
                );
            }
        };
        if self.huber_delta.is_some() && !matches!(self.loss, LossName::Huber) {
            return usage("--huber-delta: only for --loss huber");
        }
        Ok(bounds.with_max_rows(self.max_rows)?.with_intercept(self.intercept)?)
    }

    /// The learner, with this guess of the number of rows unless a flag says another.
    pub(crate) fn learner(&self, rows: Option<u64>) -> Result<Learner, Failure> {
        let learner = Learner::new(self.regulariser)
            .neighbours(match self.neighbours {
                NeighboursName::AddRemove => Neighbours::AddRemove,
                NeighboursName::ReplaceOne => Neighbours::ReplaceOne,
            })
            .calibration(match self.calibration {
                CalibrationName::Tight => Calibration::Tight,
                CalibrationName::Paper => Calibration::Paper(Paper::default()),
            })
            .sampler(match self.sampler {
                SamplerName::Proximal => SamplerKind::Proximal,
                SamplerName::Mala => SamplerKind::Mala,
            })
            .expected_rows(self.expected_rows.or(rows).unwrap_or(Settings::DEFAULT_EXPECTED_ROWS));
        let learner = match self.parameter_bound {
            Some(radius) => learner.parameter_bound(radius),
            None => learner,
        };
        match (self.epsilon, self.mu) {
            (Some(epsilon), None) => Ok(learner.epsilon(epsilon)?),
            (None, Some(mu)) => Ok(learner.mu(mu)?),
            _ => Err(Failure::Usage("--epsilon or --mu: one of them is needed".to_owned())),
        }
    }
}

/// `1-DP` or `1-GDP`.
pub(crate) fn shown(guarantee: Guarantee) -> String {
    match guarantee {
        Guarantee::Pure(epsilon) => format!("{}-DP", epsilon.get()),
        Guarantee::Gaussian(mu) => format!("{}-GDP", mu.get()),
    }
}

/// ε or μ.
pub(crate) fn value(guarantee: Guarantee) -> f64 {
    match guarantee {
        Guarantee::Pure(epsilon) => epsilon.get(),
        Guarantee::Gaussian(mu) => mu.get(),
    }
}

/// The neighbour relation in words.
pub(crate) fn relation(neighbours: Neighbours) -> &'static str {
    match neighbours {
        Neighbours::AddRemove => "one record more or less",
        Neighbours::ReplaceOne => "one record replaced by another",
    }
}
