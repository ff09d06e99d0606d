//! Audits of a release's own setting: honest ones are not contradicted, half of the noise is.
//!
//! H0 of every audit: the mechanism satisfies its claim. A report contradicts a true claim with probability at
//! most 10⁻⁸. Seeds are fixed.
#![allow(clippy::unwrap_used, missing_docs, reason = "a test may stop")]

use asap_audit::{
    Finding, ReleaseCase, ReleasePlan, ReleaseSettings, ReleasedDirection, Samples, run_release, run_seed,
};
use asap_dp::localise::PureNoise;
use asap_dp::noise::ReplayRng;
use asap_dp::privacy::{Epsilon, Guarantee, Mu, Neighbours};
use asap_dp::{
    Block, Bounds, Huber, Learner, Logistic, Loss, MechanismKind, OutOfBounds, Records, Release, Shape,
    Squared,
};

const ALPHA: f64 = 1e-8;

fn pure(epsilon: f64) -> Guarantee {
    Guarantee::Pure(Epsilon::new(epsilon).unwrap())
}

fn gaussian(mu: f64) -> Guarantee {
    Guarantee::Gaussian(Mu::new(mu).unwrap())
}

/// The records of no release are in it: any within the bounds do.
fn release<L: Loss>(loss: L, learner: Learner, columns: usize, intercept: bool) -> Release {
    let bounds = Bounds::new(0.8).unwrap().with_target(2.0).unwrap();
    let bounds = bounds.with_intercept(intercept).unwrap().with_max_rows(1000).unwrap();
    let (features, targets) = ([0.3, -0.2, 0.1, 0.7, -0.5, 0.2][..2 * columns].to_vec(), vec![1.0, -1.0]);
    let records = Records::new(loss, bounds, OutOfBounds::Clip, features, targets).unwrap();
    learner.fit(&records, &mut ReplayRng::new(5)).unwrap()
}

fn own(runs: u64) -> ReleaseSettings {
    ReleaseSettings { runs, alpha: ALPHA, seed: Some(11) }
}

/// Every mechanism, both budgets, both neighbour relations and all losses: what was planned is planned
/// again, and not contradicted.
#[test]
fn the_settings_of_releases_are_not_contradicted() {
    for (k, mechanism) in MechanismKind::ALL.into_iter().enumerate() {
        for guarantee in [pure(1.0), gaussian(1.0)] {
            let learner = Learner::new(4.0).guarantee(guarantee).mechanism(mechanism).parameter_bound(3.0);
            let replaced = learner.neighbours(Neighbours::ReplaceOne).expected_rows(300);
            for release in [
                release(Logistic, learner, 2, k % 2 == 0),
                release(Huber::new(0.25).unwrap(), replaced, 1, k % 2 == 1),
                release(Squared, learner.noise(PureNoise::Laplace), 3, false),
            ] {
                release.check().unwrap();
                let report = run_release(&release, &own(150)).unwrap();
                assert!(!report.contradicted(), "{}", report.to_text());
                let replaced = release.certificate().neighbours == asap_contracts::Neighbours::ReplaceOne;
                assert_eq!(report.rows.len(), if replaced { 2 } else { 3 });
                assert!(report.rows.iter().all(|row| row.mechanism == mechanism.name()));
            }
        }
    }
}

/// A release of the given setting made with half of its noise: the plan of twice the budget against the claim of one.
/// Tight where the slope is the Lipschitz constant: the linear part of the Huber loss.
fn with_half_the_noise(mechanism: MechanismKind, guarantee: Guarantee, runs: u64) -> [Finding; 2] {
    let learner = Learner::new(4.0).guarantee(guarantee).mechanism(mechanism);
    // Under pure DP the budgets of many steps add up in the worst case only, which no run shows.
    let learner = if mechanism == MechanismKind::NoisyGradient { learner.gradient_steps(1) } else { learner };
    let release = release(Huber::new(0.25).unwrap(), learner, 1, false);
    let twice = match guarantee {
        Guarantee::Pure(epsilon) => pure(2.0 * epsilon.get()),
        Guarantee::Gaussian(mu) => gaussian(2.0 * mu.get()),
    };
    [guarantee, twice].map(|planned| {
        let loss = Huber::new(0.25).unwrap();
        let own = ReleasePlan::with_guarantee(loss, release.certificate(), planned).unwrap();
        let case = ReleaseCase::new(&own, own.pairs()[0]).unwrap();
        let directions = case.directions();
        let run = |side: usize| {
            let case = &case;
            move |run| case.numbers(side, Some(run_seed(3, side as u64, run)))
        };
        let samples = Samples::draw_each(runs, directions.len(), run(0), run(1)).unwrap();
        let seen: Vec<(&str, Samples)> =
            directions.iter().map(ReleasedDirection::name).zip(samples).collect();
        Finding::largest("own", "pair", guarantee, &seen, ALPHA).unwrap()
    })
}

#[test]
fn half_of_a_releases_noise_is_caught() {
    for (mechanism, guarantee, runs) in [
        (MechanismKind::Output, pure(1.0), 8000),
        (MechanismKind::Output, gaussian(1.0), 2000),
        (MechanismKind::Objective, pure(1.0), 8000),
        (MechanismKind::NoisyGradient, gaussian(1.0), 2000),
        (MechanismKind::NoisyGradient, pure(1.0), 8000),
        (MechanismKind::Posterior, gaussian(1.0), 4000),
    ] {
        let [honest, halved] = with_half_the_noise(mechanism, guarantee, runs);
        assert!(!honest.contradicted, "{mechanism:?} {guarantee:?}: {:?}", honest.bound);
        assert!(halved.contradicted, "{mechanism:?} {guarantee:?}: {:?}", halved.bound);
    }
}

/// The statistic of a tilted release is the log-likelihood ratio of the law that the tilt has: normal for the logistic
/// loss under μ. Written down once more, from the released coordinates.
#[test]
fn a_normal_tilt_is_scored_by_its_own_law() {
    for guarantee in [pure(1.0), gaussian(1.0)] {
        let learner = Learner::new(4.0).guarantee(guarantee).mechanism(MechanismKind::Objective);
        let release = release(Logistic, learner, 3, false);
        let asap_contracts::Mechanism::Objective(public) = &release.certificate().mechanism else { return };
        let own = ReleasePlan::new(Logistic, release.certificate()).unwrap();
        let case = ReleaseCase::new(&own, own.pairs()[0]).unwrap();
        // D is empty; the one record of D' has this in each of its three features.
        let x = 0.8 / 3.0_f64.sqrt();
        for run in 0..50 {
            let numbers = case.numbers(1, Some(run)).unwrap();
            let theta = &numbers[1..4];
            let z: f64 = theta.iter().map(|t| t * x).sum();
            let bend = 0.64 / ((1.0 + z.exp()) * (1.0 + (-z).exp()));
            let square = |slope: f64| theta.iter().map(|t| (4.0 * t + slope * x).powi(2)).sum::<f64>();
            let scale = |exponent: i32, steps: u64| steps as f64 * 2.0_f64.powi(exponent);
            let length = |square: f64| match public.tilt {
                asap_contracts::Tilt::Whole(asap_contracts::Noise::RoundedNormal { exponent, steps }) => {
                    0.5 * square / scale(exponent, steps).powi(2)
                }
                asap_contracts::Tilt::Whole(asap_contracts::Noise::EuclideanLaplace { exponent, steps }) => {
                    square.sqrt() / scale(exponent, steps)
                }
                asap_contracts::Tilt::Blocks(_)
                | asap_contracts::Tilt::Whole(asap_contracts::Noise::DiscreteLaplace { .. }) => f64::NAN,
            };
            let score =
                (1.0 + bend / 4.0).ln() - length(square(-1.0 / (1.0 + z.exp()))) + length(square(0.0));
            assert!((numbers[0] - score).abs() < 1e-9, "{guarantee:?}: {} {score}", numbers[0]);
        }
    }
}

#[test]
fn what_is_not_in_a_release_is_not_audited() {
    let learner = Learner::new(4.0).epsilon(1.0).unwrap();
    let named = |learner: Learner| release(Logistic, learner, 2, false);
    let said = |release: &Release| run_release(release, &own(200)).unwrap_err().to_string();
    let bounds = Bounds::new(1.0).unwrap();
    let six = Records::new(Logistic, bounds, OutOfBounds::Clip, vec![0.1; 6], vec![1.0]).unwrap();
    assert!(said(&learner.fit(&six, &mut ReplayRng::new(1)).unwrap()).contains("at most 5"));
    // A tolerance that the certificate does not hold: the plan is another one.
    let objective = learner.mechanism(MechanismKind::Objective);
    assert!(run_release(&named(objective), &own(200)).is_ok());
    assert!(said(&named(objective.tolerance(1e-4))).contains("another tolerance"));
}

/// A logistic release for rows with a shape.
fn shaped(blocks: Vec<Block>, intercept: bool, guarantee: Guarantee) -> Release {
    let shape = Shape::new(blocks).unwrap();
    let (columns, bounds) = (shape.columns(), Bounds::of_shape(shape).unwrap());
    let bounds = bounds.with_intercept(intercept).unwrap().with_max_rows(1000).unwrap();
    let records =
        Records::with_dimension(Logistic, bounds, OutOfBounds::Clip, columns, vec![], vec![]).unwrap();
    let learner = Learner::new(6.0).guarantee(guarantee).mechanism(MechanismKind::Objective);
    learner.fit(&records, &mut ReplayRng::new(5)).unwrap()
}

/// One number, three numbers, and a table with two blocks and an intercept.
fn shapes() -> [(Vec<Block>, bool); 3] {
    let two = vec![Block::Cube { columns: 1 }, Block::OneNorm { columns: 2, bound: 1.0 }];
    [(vec![Block::Cube { columns: 1 }], false), (vec![Block::Cube { columns: 3 }], false), (two, true)]
}

/// Claimed and doubled: what runs with this guarantee show about the claim of the release.
fn shaped_finding(release: &Release, planned: Guarantee, claim: Guarantee, runs: u64) -> Finding {
    let own = ReleasePlan::with_guarantee(Logistic, release.certificate(), planned).unwrap();
    // The record is added to many that push: it pulls with nearly all of its slope.
    let case = ReleaseCase::new(&own, *own.pairs().last().unwrap()).unwrap();
    let directions = case.directions();
    let run = |side: usize| {
        let case = &case;
        move |run| case.numbers(side, Some(run_seed(7, side as u64, run)))
    };
    let samples = Samples::draw_each(runs, directions.len(), run(0), run(1)).unwrap();
    let seen: Vec<(&str, Samples)> = directions.iter().map(ReleasedDirection::name).zip(samples).collect();
    Finding::largest("own", "pair", claim, &seen, ALPHA).unwrap()
}

/// The laws of blocks are audited by their own likelihoods; half of the noise is caught.
#[test]
fn a_shaped_tilt_is_not_contradicted_and_half_of_it_is() {
    for (blocks, intercept) in shapes() {
        for (guarantee, twice) in [(pure(1.0), pure(2.0)), (gaussian(1.0), gaussian(2.0))] {
            let release = shaped(blocks.clone(), intercept, guarantee);
            release.check().unwrap();
            let honest = shaped_finding(&release, guarantee, guarantee, 4000);
            assert!(!honest.contradicted, "{blocks:?} {guarantee:?}: {:?}", honest.bound);
            let halved = shaped_finding(&release, twice, guarantee, 4000);
            assert!(halved.contradicted, "{blocks:?} {guarantee:?}: {:?}", halved.bound);
        }
    }
}

/// `cargo test --release -p asap-audit --test release_audit -- --ignored shaped`: 10⁵ runs a side, some minutes.
#[test]
#[ignore = "minutes"]
fn the_deep_audit_of_a_shaped_tilt_does_not_contradict() {
    for (blocks, intercept) in shapes() {
        for guarantee in [pure(1.0), gaussian(1.0)] {
            let release = shaped(blocks.clone(), intercept, guarantee);
            let found = shaped_finding(&release, guarantee, guarantee, 100_000);
            assert!(!found.contradicted, "{blocks:?} {guarantee:?}: {:?}", found.bound);
            assert!(found.bound.lower > 0.5 * guarantee.parameter(), "power: {:?}", found.bound);
        }
    }
}
