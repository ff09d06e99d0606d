//! How far floating point can move one draw, from public numbers. It is charged to the error that the noise covers.
//! spec: `own:rounding`

use super::sample::LARGEST_EXACT;
use super::{Error, InvalidInput, Loss, Mechanism, Posterior, SamplerKind};
use crate::calibrate::{ExactRounding, ProximalRounding, planned_exact_charge, planned_proximal_charge};
use crate::exact::{add_up, mul_up};
use crate::exact_draw::{ANCHOR_RADII, REACH_RADII};
use crate::loss::Rounding;
use crate::objective::{SumOf, divergence_rounding_bound, gradient_rounding_bound};
use asap_contracts::contract::PotentialClass;

/// u: the largest relative error of one rounding.
const UNIT: f64 = 0.5 * f64::EPSILON;

/// Covers the few roundings between a bound and its use.
const UP: f64 = 1.0 + 8.0 * f64::EPSILON;

/// Public numbers with which rounding cannot be bounded well enough.
fn does_not_fit() -> Error {
    let allowed = "fewer rows, or another regulariser, feature bound or parameter bound: the rounding errors of the \
                   worst admissible data set cannot be covered";
    InvalidInput { field: "max rows", allowed }.into()
}

impl<L: Loss> Posterior<L> {
    /// f = γJ on a ball for the worst data set that the bounds allow.
    pub(super) fn worst(&self, gamma: f64, radius: f64, centre_norm: f64) -> Result<PotentialClass, Error> {
        let problem = self.problem();
        let (slope, _) = self.slopes(gamma, radius + centre_norm).ok_or_else(does_not_fit)?;
        Ok(PotentialClass {
            // γ and Λ are below what they stand for by one rounding of their product at most.
            strong_convexity: gamma * problem.regulariser() * (1.0 - f64::EPSILON),
            smoothness: mul_up(gamma, problem.largest_smoothness()).ok_or_else(does_not_fit)?,
            slope,
            radius,
            dimension: problem.dimension() as u64,
        })
    }

    /// Not below the Wasserstein-∞ distance (2-norm) between what the program draws and what the analysis in real numbers
    /// speaks of, for every admissible data set: the larger of the samplers that may draw. spec: `own:rounding`
    pub(super) fn charge(&self, gamma: f64, radius: f64, centre_norm: f64) -> Result<f64, Error> {
        let worst = self.worst(gamma, radius, centre_norm)?;
        let proximal = self.proximal_charge(gamma, worst, centre_norm)?;
        if self.settings.sampler == SamplerKind::Exact && self.problem().dimension() <= LARGEST_EXACT {
            Ok(proximal.max(self.exact_charge(gamma, worst, centre_norm)?))
        } else {
            Ok(proximal)
        }
    }

    fn exact_charge(&self, gamma: f64, worst: PotentialClass, centre_norm: f64) -> Result<f64, Error> {
        let PotentialClass { strong_convexity, smoothness, radius, dimension, .. } = worst;
        // Anchors and points of the ball, with room for rounding.
        let farthest = (ANCHOR_RADII + 0.125) * radius + centre_norm;
        let energy = self.energy(gamma, farthest, REACH_RADII * radius).ok_or_else(does_not_fit)?;
        let (lipschitz, gradient_error) = self.slopes(gamma, farthest).ok_or_else(does_not_fit)?;
        let energy_error = energy.at(REACH_RADII * radius);
        planned_exact_charge(&ExactRounding {
            dimension,
            radius,
            centre_norm,
            strong_convexity,
            smoothness,
            lipschitz,
            energy_error,
            gradient_error,
        })
        .map_err(|_| does_not_fit())
    }

    fn proximal_charge(&self, gamma: f64, worst: PotentialClass, centre_norm: f64) -> Result<f64, Error> {
        let farthest = worst.radius + centre_norm;
        let energy = self.energy(gamma, farthest, 2.0 * worst.radius).ok_or_else(does_not_fit)?;
        let (_, gradient) = self.slopes(gamma, farthest).ok_or_else(does_not_fit)?;
        planned_proximal_charge(&ProximalRounding { worst, centre_norm, energy, gradient })
            .map_err(|_| does_not_fit())
    }

    /// How far a computed divergence of f can be from the true one, for steps up to `reach` from points up to `farthest`.
    fn energy(&self, gamma: f64, farthest: f64, reach: f64) -> Option<Rounding> {
        let problem = self.problem();
        let plain =
            divergence_rounding_bound(&SumOf::new(problem, problem.bounds().max_rows()), farthest, reach);
        // A divergence is at most (Λ + nβ)‖v‖²/2, and its product with γ is rounded once.
        let quadratic = plain.quadratic + UNIT * problem.largest_smoothness();
        let scaled = |part: f64| mul_up(gamma * UP, part * UP);
        Some(Rounding {
            absolute: scaled(plain.absolute)?,
            linear: scaled(plain.linear)?,
            quadratic: scaled(quadratic)?,
        })
    }

    /// A Lipschitz constant of f up to `farthest` from 0, and how far a computed gradient can be from the true one there.
    fn slopes(&self, gamma: f64, farthest: f64) -> Option<(f64, f64)> {
        let problem = self.problem();
        let lipschitz = mul_up(gamma, problem.largest_gradient(farthest)?)?;
        let plain = gradient_rounding_bound(&SumOf::new(problem, problem.bounds().max_rows()), farthest);
        Some((lipschitz, add_up(mul_up(gamma, plain)?, mul_up(2.0 * UNIT, lipschitz)?)?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bounds::Bounds;
    use crate::learner::Learner;
    use crate::loss::Logistic;

    /// Ten million logistic records, d = 11, Λ = 5: what goes into the charges, once more from own:objective by hand. R = C·4 =
    /// S = 1, p = 11/4 + 6 = 8 roundings of a prediction, 32u|t| for a divergence, 2⁻⁴⁸ for a slope, blocks of 64.
    #[test]
    fn every_error_of_a_draw_goes_into_the_charge() {
        let (n, regulariser, u) = (1e7, 5.0, 0.5 * f64::EPSILON);
        let learner = Learner::new(regulariser).mu(1.0).unwrap();
        let problem = learner.problem(Logistic, Bounds::new(1.0).unwrap(), 11).unwrap();
        let (gamma, radius, centre_norm) = (4.7, 4.5, 3.0);
        let linear = |far: f64| gamma * 1.01 * n * (32.0 * u + 8.0 * u * 0.25 * far);
        let quadratic = gamma
            * (1.01 * n * 0.25 * (8.0 + 0.5 * 22.0) * u
                + 1.01 * (4.0 + 2.0) * u * regulariser
                + u * (regulariser + 0.25 * n));
        let lipschitz = |far: f64| gamma * (n + regulariser * far);
        let gradient = |far: f64| {
            let slope = 2.0_f64.powi(-48);
            let sums = n * (15.0 * u * (1.0 + slope) + slope + 8.0 * u * 0.25 * far);
            gamma * 1.01 * (sums + 2.0 * u * regulariser * far) + 2.0 * u * lipschitz(far)
        };
        let (m, l) = (gamma * regulariser, gamma * (regulariser + 0.25 * n));
        let far = radius + centre_norm;
        let worst = PotentialClass {
            strong_convexity: m,
            smoothness: l,
            slope: lipschitz(far),
            radius,
            dimension: 11,
        };
        let proximal = planned_proximal_charge(&ProximalRounding {
            worst,
            centre_norm,
            energy: Rounding { absolute: 0.0, linear: linear(far), quadratic },
            gradient: gradient(far),
        });
        let (far, reach) = (1.375 * radius + centre_norm, 2.375 * radius);
        let exact = planned_exact_charge(&ExactRounding {
            dimension: 11,
            radius,
            centre_norm,
            strong_convexity: m,
            smoothness: l,
            lipschitz: lipschitz(far),
            energy_error: linear(far) * reach + quadratic * reach * reach,
            gradient_error: gradient(far),
        });
        let (proximal, exact) = (proximal.unwrap(), exact.unwrap());
        let close = |computed: f64, expected: f64| (computed / expected - 1.0).abs() < 1e-6;
        let charge = |sampler| {
            let plan = learner.sampler(sampler).posterior(&problem).unwrap();
            plan.charge(gamma, radius, centre_norm).unwrap()
        };
        assert!(
            close(charge(SamplerKind::Proximal), proximal),
            "{} {proximal}",
            charge(SamplerKind::Proximal)
        );
        assert!(close(charge(SamplerKind::Exact), proximal.max(exact)));
        let plan = learner.posterior(&problem).unwrap();
        let computed = plan.exact_charge(gamma, worst, centre_norm).unwrap();
        assert!(close(computed, exact), "{computed} {exact}");
    }
}
