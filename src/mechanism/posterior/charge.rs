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

    /// Not below the Wasserstein-∞ distance (2-norm) between what the program draws and what the analysis in real
    /// numbers speaks of, for every admissible data set: the larger of the samplers that may draw. spec: `own:rounding`
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

    /// How far a computed divergence of f can be from the true one, for steps up to `reach` from
    /// points up to `farthest`.
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

    /// A Lipschitz constant of f up to `farthest` from 0, and how far a computed gradient can be
    /// from the true one there.
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
    use crate::calibrate::{
        Norm, ln_inverse_inner_tv, ln_inverse_tv, ln_warmness, log_ratio, planned_oscillation,
        planned_proximal_steps, proposed_restarts, shortest_chain,
    };
    use crate::learner::Learner;
    use crate::loss::Logistic;
    use crate::mechanism::PlannedChain;
    use crate::prediction::Guess;

    /// Ten million logistic records, d = 11, Λ = 5: what goes into the charges, once more from own:objective
    /// by hand. R = C·4 = S = 1, p = 11/4 + 6 = 8 roundings of a prediction, 32u|t| for a divergence, 2⁻⁴⁸
    /// for a slope, blocks of 64.
    #[test]
    fn every_error_of_a_draw_goes_into_the_charge() {
        let (n, regulariser, u) = (1e7, 5.0, 0.5 * f64::EPSILON);
        let learner = Learner::new(regulariser).mu(1.0).unwrap();
        let problem = learner.problem(Logistic, Bounds::new(1.0).unwrap(), 11).unwrap();
        // A step of up to 4/¼ = 16 is charged by its square, a longer one by its length.
        for (radius, short) in [(4.5, true), (9.0, false)] {
            let (gamma, centre_norm) = (4.7, 3.0);
            let sums = (8.0 + 0.5 * 22.0) * u;
            let long = if short { 0.0 } else { 2.0 * (8.0 + 22.0) * u };
            let linear = |far: f64| gamma * 1.01 * n * (32.0 * u + 8.0 * u * 0.25 * far + long);
            let quadratic = gamma
                * (if short { 1.01 * n * 0.25 * sums } else { 0.0 }
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

    fn near(computed: f64, expected: f64) {
        assert!((computed / expected - 1.0).abs() < 1e-7, "{computed} instead of {expected}");
    }

    /// Three parameters, Λ = 5, rows of norm 1 at most: β = ¼ and a slope of 1.
    fn three(learner: &Learner) -> Posterior<Logistic> {
        let problem = learner.problem(Logistic, Bounds::new(1.0).unwrap(), 3).unwrap();
        learner.posterior(&problem).unwrap()
    }

    #[test]
    fn the_worst_potential_by_hand() {
        let plan = three(&Learner::new(5.0).epsilon(1.0).unwrap());
        let rows = plan.problem().bounds().max_rows() as f64;
        let worst = plan.worst(0.5, 4.0, 3.0).unwrap();
        near(worst.strong_convexity, 2.5);
        near(worst.smoothness, 0.5 * (5.0 + 0.25 * rows));
        near(worst.slope, 0.5 * (rows + 5.0 * 7.0));
        assert!(worst.strong_convexity < 2.5 && worst.radius == 4.0 && worst.dimension == 3);
    }

    /// ‖(3, 4, 0)‖ = 5. The charge is one for the 2-norm: √3 times as much in the 1-norm. What it
    /// leaves of Δ is the chain's.
    #[test]
    fn what_follows_from_a_centre_by_hand() {
        let root = 3.0_f64.sqrt();
        let learner = Learner::new(5.0);
        for (learner, norm, factor) in
            [(learner.epsilon(1.0).unwrap(), Norm::One, root), (learner.mu(1.0).unwrap(), Norm::Two, 1.0)]
        {
            let plan = three(&learner);
            let reference = plan.reference(&[3.0, 4.0, 0.0]).unwrap();
            assert!((reference.centre_norm() - 5.0 - 5e-9).abs() < 1e-14);
            let (radius, claim) = (reference.ball().radius(), reference.asap().claim());
            let charge = plan.charge(reference.gamma(), radius, reference.centre_norm()).unwrap();
            near(reference.charge(), factor * charge);
            near(reference.chain_error(), (claim.error - reference.charge()) / factor);
            assert!(reference.chain_error() < (claim.error - reference.charge()) / factor);
            assert!(claim.norm == norm && claim.dimension == 3 && claim.error >= 4.0 * reference.charge());
            // One record has the slope 1 wherever it is.
            near(reference.lipschitz(), 1.0);
            let oscillation = reference.oscillation(plan.problem(), 1000).unwrap();
            let slope = 1000.0 + 5.0 * (reference.centre_norm() + radius);
            near(oscillation, planned_oscillation(reference.gamma(), slope, 255.0, radius).unwrap());
            assert!(plan.reference(&[3.0, 4.0]).is_err() && plan.reference(&[]).is_err());
            // Beyond every θ_0 that can come out nothing is promised; up to there there is a reference.
            let farthest = plan.localisation().farthest();
            assert!(plan.reference(&[0.999 * farthest, 0.0, 0.0]).is_ok());
        }
    }

    /// The least of 3/(2γ) and ½h(⅗B² + E‖Z‖²), ½h·E(‖Z‖ − B)₊², and half of the noise's variance times the trace.
    #[test]
    fn the_risk_by_hand() {
        let plan = three(&Learner::new(5.0).mu(1.0).unwrap());
        let reference = plan.reference(&[0.5, 0.0, 0.0]).unwrap();
        let radius = reference.ball().radius();
        let (square, excess) = (plan.norms().square(), plan.norms().excess(radius));
        let noise = reference.asap().noise().scale().powi(2);
        for (bend, posterior) in
            [(1e6, 1.5 / reference.gamma()), (1e-6, 0.5e-6 * (0.6 * radius * radius + square))]
        {
            let risk = plan.risk(&reference, bend, 7.0);
            near(risk.posterior, posterior);
            assert!((risk.missed - 0.5 * bend * excess).abs() <= 1e-7 * bend * excess);
            near(risk.noise, 3.5 * noise);
            near(risk.release(), posterior + 0.5 * bend * excess + 3.5 * noise);
        }
    }

    /// Curvature 20 in each of three directions and 1000 rows: J bends by 25, by 255 at most, and its trace is 265
    /// at most. The gain 200·ln 2 is in two directions, and a tenth as much in the first; the minimiser keeps
    /// 20/25 of the best model.
    #[test]
    fn predictions_by_hand() {
        let guess = Guess::new(1000).unwrap().with_curvature(20.0).unwrap();
        let best = (2.1 * 2.0 * 200.0 * core::f64::consts::LN_2 / 40.0_f64).sqrt();
        for sampler in [SamplerKind::Exact, SamplerKind::Proximal, SamplerKind::Mala] {
            let plan = three(&Learner::new(5.0).mu(1.0).unwrap().sampler(sampler).largest_chain(u64::MAX));
            let centre = plan.norms().quantile(0.5).hypot(0.8 * best);
            let reference = plan.reference(&[centre, 0.0, 0.0]).unwrap();
            let (gamma, radius) = (reference.gamma(), reference.ball().radius());
            let (square, excess) = (plan.norms().square(), plan.norms().excess(radius));
            let noise = reference.asap().noise().scale().powi(2);
            let predicted = plan.prediction(&guess).unwrap();
            let spread = (0.04 / gamma).min(radius * radius / 5.0 + square / 3.0);
            near(predicted.likely, 37.5 * (spread + excess / 3.0 + noise));
            let worst = (1.5 / gamma).min(127.5 * (0.6 * radius * radius + square));
            near(predicted.worst, worst + 127.5 * excess + 132.5 * noise);
            let (m, l, error) = (5.0 * gamma, 255.0 * gamma, reference.chain_error());
            let passes = match sampler {
                SamplerKind::Exact => 13.0,
                SamplerKind::Proximal => {
                    2.9 * planned_proximal_steps(m, l, l * radius, radius, 3, error).unwrap() as f64
                }
                SamplerKind::Mala => {
                    // Half of the steps of a lazy chain do something; two chains, and their first points.
                    plan.mala_forecast(&reference, 1000).unwrap().unwrap().steps as f64 + 2.0
                }
            };
            near(predicted.passes, 13.0 + passes);
        }
        let chain = PlannedChain { step: 0.1, steps: 10, restarts: 1, separation: None, log_ratio: None };
        assert_eq!((chain.passes(), PlannedChain { separation: Some(0.1), ..chain }.passes()), (22.0, 12.0));
    }

    /// κ = 51 for 1000 rows, a chance of ½, and a start within τ of the minimiser.
    #[test]
    fn the_length_of_a_chain_by_hand() {
        let plan =
            three(&Learner::new(5.0).mu(1.0).unwrap().sampler(SamplerKind::Mala).largest_chain(u64::MAX));
        let reference = plan.reference(&[0.5, 0.0, 0.0]).unwrap();
        let (gamma, radius, claim) = (reference.gamma(), reference.ball().radius(), reference.asap().claim());
        let slope = 1000.0 + 5.0 * (reference.centre_norm() + radius);
        let oscillation = planned_oscillation(gamma, slope, 255.0, radius).unwrap();
        let tv = ln_inverse_tv(Norm::Two, oscillation, 3, radius, claim.error).unwrap();
        let (tau, half) = (plan.localisation().minimiser().tolerance(), 0.5_f64.ln());
        let inner = ln_inverse_inner_tv(tv, half).unwrap();
        let ratio = log_ratio(ln_warmness(3, 51.0, 255.0 * gamma * tau * tau).unwrap(), inner).unwrap();
        let expected = shortest_chain(3, 51.0, ratio).unwrap();
        let chain = plan.mala_forecast(&reference, 1000).unwrap().unwrap();
        near(chain.log_ratio.unwrap(), ratio);
        near(chain.step, expected.relative_step / (255.0 * gamma));
        near(chain.steps as f64, expected.steps as f64);
        near(chain.separation.unwrap(), expected.separation);
        assert_eq!(chain.restarts, proposed_restarts(tv, half).unwrap());
        // A plan whose chain is longer than is allowed is none.
        let short = Learner::new(5.0).mu(1.0).unwrap().sampler(SamplerKind::Mala).largest_chain(10);
        assert!(short.posterior(plan.problem()).is_err());
    }
}
