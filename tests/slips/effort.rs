//! The number of steps that a fit takes is enough for the Δ of its certificate.
//!
//! From the centre of the ball a chain of the proximal sampler is within B/(1 + mη)^K of its target in the 2-norm
//! (`own:proximal`). What it may keep of Δ is Δ minus the charge for rounding and, where Δ is in the 1-norm, a √d-th of
//! that. Here m is known in closed form, B, Δ and the charge are those of the certificate, and K is what ran.

use super::problem::{Known, known, learner, with, with_regulariser};
use crate::reference::{Quadratic, on_ball};
use asap_contracts::{Mechanism, Posterior};
use asap_dp::ball::Ball;
use asap_dp::calibrate::{ChainProblem, Norm, ln_inverse_tv, proposed_plan, smooth_oscillation};
use asap_dp::learner::{Learner, MechanismKind};
use asap_dp::mechanism::{Cost, SamplerKind};
use asap_dp::noise::ReplayRng;
use asap_dp::sampler::Proximal;

/// What ran, and what the certificate says.
fn fitted(learner: Learner, known: &Known, seed: u64) -> (Posterior, Cost) {
    let learner = learner.mechanism(MechanismKind::Posterior);
    let (release, cost) = learner.fit_measured(&known.records, &mut ReplayRng::new(seed)).unwrap();
    let Mechanism::Posterior(posterior) = release.certificate().mechanism.clone() else {
        panic!("a posterior sample");
    };
    (posterior, cost.reveal_breaking_privacy())
}

/// What the chain may keep of Δ, in the 2-norm.
fn allowed(posterior: &Posterior) -> f64 {
    let d = posterior.localisation.theta_0.len() as f64;
    let left = posterior.asap.error - posterior.asap.charge;
    match posterior.asap.norm {
        1 => left / d.sqrt(),
        2 => left,
        other => panic!("norm {other}"),
    }
}

/// f = γJ up to a constant: the first axis has more rows than the others.
fn potential(posterior: &Posterior, known: &Known) -> Quadratic {
    let gamma = posterior.reference.gamma;
    let mut axis = vec![0.0; known.minimiser.len()];
    axis[0] = 1.0;
    let [first, other] = [0, 1].map(|j| gamma * known.curvature[j]);
    Quadratic::new(&known.minimiser, other, first - other, &axis)
}

fn ball(posterior: &Posterior) -> Ball {
    Ball::new(posterior.localisation.theta_0.clone(), posterior.reference.radius).unwrap()
}

/// How many steps bring the proximal sampler to this error, in real numbers: its step size is read from a sampler of
/// the same potential, the rest is worked out here.
fn enough(posterior: &Posterior, known: &Known, error: f64) -> f64 {
    let mut f = potential(posterior, known);
    let (m, l) = f.curvature();
    let sampler = Proximal::calibrated(&mut f, &on_ball((m, l)), &ball(posterior), error).unwrap();
    let rate = (m * sampler.step().reveal_breaking_privacy()).ln_1p();
    (posterior.reference.radius / error).ln() / rate
}

/// Within two steps of what is needed; the curvature that a fit works with is rounded outwards.
fn matches(steps: u64, needed: f64) -> bool {
    (needed - 1e-3..needed + 2.0).contains(&(steps as f64))
}

fn rows(dimension: usize) -> Vec<u32> {
    let mut rows = vec![20; dimension];
    rows[0] = 100;
    rows
}

/// Both guarantees, three and five dimensions, the proximal sampler and the exact one where it falls back on it. An
/// error that is 64 times as large, or that of the other norm, would be met by visibly fewer steps.
#[test]
fn the_steps_of_a_fit_reach_its_error() {
    for dimension in [3, 5] {
        let known = known(&rows(dimension));
        for learner in [learner().epsilon(1.0).unwrap(), learner().mu(1.0).unwrap()] {
            let mut seen = [0; 2];
            for seed in 0..40 {
                for (k, sampler) in [SamplerKind::Proximal, SamplerKind::Exact].into_iter().enumerate() {
                    let (posterior, cost) = fitted(learner.sampler(sampler), &known, seed);
                    if k == 0 || cost.fell_back {
                        let (error, steps) = (allowed(&posterior), cost.sampler.steps);
                        let needed = enough(&posterior, &known, error);
                        assert!(
                            matches(steps, needed),
                            "{sampler:?}, {seed}: {steps} steps, {needed} needed"
                        );
                        let root = (dimension as f64).sqrt();
                        for wrong in [64.0 * error, root * error, error / root] {
                            let needed = enough(&posterior, &known, wrong);
                            assert!(!matches(steps, needed), "{sampler:?}, {seed}: {steps} also at {wrong}");
                        }
                        seen[k] += 1;
                    }
                }
            }
            assert!(seen[0] == 40 && (seen[1] > 0 || posterior_is_wide(learner)), "{seen:?}");
        }
    }
}

/// Under GDP the ball holds nearly all of the posterior, and the exact draw hardly ever falls back.
fn posterior_is_wide(learner: Learner) -> bool {
    let guarantee = learner.fit(&known(&[1]).records, &mut ReplayRng::new(1)).unwrap().guarantee();
    matches!(guarantee, asap_contracts::Guarantee::Gaussian(_))
}

/// K of constrained MALA for this error, from its minimiser, where the gradient is 0. From below only the
/// regulariser curves f everywhere.
fn length(posterior: &Posterior, known: &Known, error: f64) -> f64 {
    let gamma = posterior.reference.gamma;
    let smoothness = gamma * known.curvature.iter().copied().fold(0.0, f64::max);
    let away = posterior.localisation.theta_0.iter().zip(&known.minimiser).map(|(a, b)| (a - b).powi(2));
    let (dimension, radius, distance) =
        (known.minimiser.len() as u64, posterior.reference.radius, away.sum::<f64>().sqrt());
    let oscillation = smooth_oscillation(0.0, smoothness, radius, distance).unwrap();
    let plan = proposed_plan(&ChainProblem {
        dimension,
        strong_convexity: gamma * known.regulariser,
        smoothness,
        gradient_norm: 0.0,
        distance,
        radius,
        ln_inverse_tv: ln_inverse_tv(Norm::Two, oscillation, dimension, radius, error).unwrap(),
    });
    plan.unwrap().chain.steps as f64
}

/// Constrained MALA: each run of its lazy chain takes Binomial(K, ½) steps, K that of a chain of the same potential
/// for the error that is allowed. H0: so it is. n = 1 for each of 4 fits; by Hoeffding's inequality the steps of r
/// runs are further than 2.9·√(rK) from rK/2 with probability below 2e^(−2·2.9²) < 10⁻⁷. A Δ that is 64 or √2 times as
/// large changes K by more.
#[test]
fn the_chain_of_constrained_mala_reaches_its_error() {
    let (known, learner) = (with(50.0, 100, &[1, 1]), with_regulariser(50.0));
    for learner in [learner.epsilon(4.0).unwrap(), learner.mu(1.0).unwrap()] {
        let mut seen = 0;
        for seed in 0..20 {
            let (posterior, cost) = fitted(learner.sampler(SamplerKind::Mala), &known, seed);
            if cost.fell_back {
                continue;
            }
            let length = |error: f64| length(&posterior, &known, error);
            let runs = cost.sampler.restarts as f64;
            let fits = |error: f64| {
                let steps = runs * length(error);
                (cost.sampler.steps as f64 - 0.5 * steps).abs() < 2.9 * steps.sqrt() + 1e-4 * steps
            };
            let error = allowed(&posterior);
            assert!(fits(error), "{seed}: {:?}, {} expected", cost.sampler, 0.5 * runs * length(error));
            for wrong in [64.0 * error, 2.0_f64.sqrt() * error, error / 2.0_f64.sqrt()] {
                assert!(!fits(wrong), "{seed}: also at {wrong}");
            }
            seen += 1;
            if seen == 2 {
                break;
            }
        }
        assert_eq!(seen, 2);
    }
}
