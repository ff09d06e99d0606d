//! After the first random bit a fit does not fail: what a plan promises for every θ_0, over wide random public numbers.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::float_cmp,
    reason = "a test may stop"
)]

use asap_dp::data::{Bounds, OutOfBounds, Records};
use asap_dp::learner::{Learner, MechanismKind};
use asap_dp::loss::{Huber, Logistic, Loss, Squared};
use asap_dp::noise::{RandomBits, ReplayRng};
use asap_dp::privacy::Neighbours;

fn uniform(rng: &mut ReplayRng) -> f64 {
    (rng.next_u64() >> 11) as f64 / (1_u64 << 53) as f64
}

/// Between two positive numbers, evenly on a logarithmic scale.
fn between(rng: &mut ReplayRng, low: f64, high: f64) -> f64 {
    low * (high / low).powf(uniform(rng))
}

#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a whole number in range")]
fn whole(rng: &mut ReplayRng, low: f64, high: f64) -> u64 {
    between(rng, low, high + 0.99) as u64
}

/// Public numbers that somebody might ask for.
fn asked(rng: &mut ReplayRng) -> (Learner, Bounds, usize) {
    let learner = Learner::new(between(rng, 1e-3, 1e6));
    let learner = match rng.next_u64() % 2 {
        0 => learner.epsilon(between(rng, 1e-9, 50.0)).unwrap(),
        _ => learner.mu(between(rng, 1e-6, 20.0)).unwrap(),
    };
    let learner = match rng.next_u64() % 3 {
        0 => learner.parameter_bound(between(rng, 1e-3, 1e3)),
        _ => learner,
    };
    let learner = match rng.next_u64() % 4 {
        0 => learner.neighbours(Neighbours::ReplaceOne),
        _ => learner,
    };
    let bounds = Bounds::new(between(rng, 1e-3, 1e3)).unwrap().with_target(between(rng, 1e-2, 1e3)).unwrap();
    let bounds = bounds.with_max_rows(whole(rng, 3.0, 1e11)).unwrap();
    let dimension = usize::try_from(whole(rng, 1.0, 40.0)).unwrap();
    (learner, bounds, dimension)
}

/// θ_0 of every length that the localisation can release, in directions that use the whole
/// length of a corner and others.
fn first_releases(rng: &mut ReplayRng, farthest: f64, dimension: usize, count: usize) -> Vec<Vec<f64>> {
    let mut all = vec![vec![0.0; dimension]];
    let corner = farthest / (1.0 + 1e-9) / (dimension as f64).sqrt();
    all.push(vec![corner; dimension]);
    for _ in 0..count {
        let length = between(rng, 1e-9 * farthest, farthest);
        let direction: Vec<f64> = (0..dimension).map(|_| uniform(rng) - 0.5).collect();
        let norm = direction.iter().map(|x| x * x).sum::<f64>().sqrt();
        all.push(direction.iter().map(|x| x / norm * length / (1.0 + 2e-9)).collect());
    }
    all
}

/// How many plans were made, after each of which no θ_0 failed.
fn plans<L: Loss>(loss: L, rounds: usize, seed: u64) -> usize {
    let mut rng = ReplayRng::new(seed);
    let mut made = 0;
    for _ in 0..rounds {
        let (learner, bounds, dimension) = asked(&mut rng);
        let Ok(problem) = learner.problem(loss, bounds.clone(), dimension) else { continue };
        let Ok(plan) = learner.posterior(&problem) else { continue };
        made += 1;
        for theta_0 in first_releases(&mut rng, plan.localisation().farthest(), dimension, 60) {
            let reference = plan.reference(&theta_0);
            assert!(reference.is_ok(), "{learner:?} {bounds:?} {dimension}: {:?}", reference.unwrap_err());
        }
    }
    made
}

/// Thousands of θ_0 for dozens of plans of each loss.
#[test]
fn every_first_release_has_a_reference() {
    for (made, least) in [
        (plans(Logistic, 200, 1), 50),
        (plans(Squared, 400, 2), 50),
        (plans(Huber::new(0.5).unwrap(), 200, 3), 50),
    ] {
        assert!(made >= least, "only {made} of the plans were possible: the test would say nothing");
    }
}

/// Whole fits: a plan that exists releases, whatever the mechanism and the seed, and the release holds.
#[test]
fn a_fit_that_starts_releases() {
    for kind in MechanismKind::ALL {
        let mut rng = ReplayRng::new(4);
        let mut released = 0;
        for seed in 0..150 {
            let (learner, bounds, dimension) = asked(&mut rng);
            let learner = learner.mechanism(kind);
            let features: Vec<f64> = (0..3 * dimension).map(|_| uniform(&mut rng) - 0.5).collect();
            let records =
                Records::new(Logistic, bounds.clone(), OutOfBounds::Clip, features, vec![1.0, 0.0, 1.0]);
            let records = records.unwrap();
            let Ok(plan) = learner.plan_for(&records) else { continue };
            match plan.release(&records, &mut ReplayRng::new(seed)) {
                Ok((release, _)) => drop(release.check().unwrap()),
                Err(error) => panic!("{learner:?} {bounds:?} {dimension}: {error:?}"),
            }
            released += 1;
        }
        assert!(released >= 30, "only {released} of {kind:?}");
    }
}
