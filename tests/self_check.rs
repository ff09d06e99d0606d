//! A release is checked before it leaves, and honest releases pass, whatever the public numbers are.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test may stop")]
#![allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "small positive numbers")]

use asap_contracts::Noise;
use asap_dp::data::{Bounds, OutOfBounds, Records};
use asap_dp::ledger::Ledger;
use asap_dp::localise::PureNoise;
use asap_dp::loss::{Huber, Logistic, Squared};
use asap_dp::mechanism::{Mechanism, Output, OutputSettings, Posterior, PosteriorSettings, Released};
use asap_dp::noise::{RandomBits, ReplayRng};
use asap_dp::objective::Sums;
use asap_dp::prediction::{Guess, Prediction};
use asap_dp::privacy::{Epsilon, Guarantee, Neighbours};
use asap_dp::problem::Problem;
use asap_dp::{Error, Learner, Loss, MechanismKind, Release, SamplerKind};

type Edit = fn(&mut Released);

/// A mechanism that does as another one and says something else.
struct Lies<M> {
    honest: M,
    edit: Edit,
    plan: fn(&mut asap_contracts::Mechanism),
}

impl<L: Loss, M: Mechanism<L>> Mechanism<L> for Lies<M> {
    type Settings = Edit;

    fn plan(_: &Problem<L>, _: Guarantee, _: Edit) -> Result<Self, Error> {
        Err(Error::Aborted)
    }

    fn problem(&self) -> &Problem<L> {
        self.honest.problem()
    }

    fn ledger(&self) -> &Ledger {
        self.honest.ledger()
    }

    fn predict(&self, guess: &Guess) -> Result<Prediction, Error> {
        self.honest.predict(guess)
    }

    fn record(&self) -> Result<asap_contracts::Mechanism, Error> {
        let mut record = self.honest.record()?;
        (self.plan)(&mut record);
        Ok(record)
    }

    fn run<S: Sums<Loss = L>, R: RandomBits>(&self, sums: &S, rng: &mut R) -> Result<Released, Error> {
        let mut released = self.honest.run(sums, rng)?;
        (self.edit)(&mut released);
        Ok(released)
    }
}

fn records() -> Records<Logistic> {
    let bounds = Bounds::new(1.0).unwrap().with_target(1.0).unwrap().with_max_rows(1000).unwrap();
    Records::new(Logistic, bounds, OutOfBounds::Clip, vec![0.5, 0.1, -0.7, 0.3], vec![1.0, 0.0]).unwrap()
}

fn refused<M: Mechanism<Logistic>>(honest: M, edit: Edit, clause: &str) {
    let outcome = Lies { honest, edit, plan: |_| {} }.release(&records(), &mut ReplayRng::new(1));
    match outcome.map(|_| ()) {
        Err(Error::NotReleased(failed)) if failed.clause() == clause => {
            let text = Error::NotReleased(failed).to_string();
            assert!(
                text.contains("nothing is released") && text.contains("budget of this fit is spent"),
                "{text}"
            );
        }
        other => panic!("{clause}: {other:?}"),
    }
}

/// Sabotaged plans: the contracts refuse them, with a text that says that nothing was drawn, and nothing was.
#[test]
fn a_plan_that_does_not_hold_draws_nothing() {
    fn refused<M: Mechanism<Logistic>>(honest: M, plan: fn(&mut asap_contracts::Mechanism), clause: &str) {
        let mut rng = ReplayRng::new(1);
        match (Lies { honest, edit: |_| {}, plan }).release(&records(), &mut rng).map(|_| ()) {
            Err(Error::Refused(failed)) if failed.clause() == clause => {}
            other => panic!("{clause}: {other:?}"),
        }
        assert_eq!(rng.next_u64(), ReplayRng::new(1).next_u64(), "{clause}: something was drawn");
    }
    let records = records();
    let learner = Learner::new(5.0).epsilon(1.0).unwrap();
    let problem = learner.problem(Logistic, records.bounds().clone(), records.dimension()).unwrap();
    let posterior = || learner.posterior(&problem).unwrap();
    refused(
        posterior(),
        |it| match it {
            asap_contracts::Mechanism::Posterior(posterior) => posterior.reference.gamma *= 1.000_001,
            _ => panic!("another mechanism"),
        },
        "2γGB is at most ε",
    );
    refused(
        posterior(),
        |it| match it {
            asap_contracts::Mechanism::Posterior(posterior) => posterior.reference.radius *= -1.0,
            _ => panic!("another mechanism"),
        },
        "radius is positive",
    );
    refused(
        posterior(),
        |it| match it {
            asap_contracts::Mechanism::Posterior(posterior) => posterior.asap.error *= 1.01,
            _ => panic!("another mechanism"),
        },
        "noise of the sample covers twice the error and the rounding",
    );
    refused(
        learner.objective(&problem).unwrap(),
        |it| match it {
            asap_contracts::Mechanism::Objective(objective) => objective.asap.charge *= 0.5,
            _ => panic!("another mechanism"),
        },
        "charge covers the gradients of the largest data set, the tilt's lattice and the updates",
    );
    refused(
        learner.noisy_gradient(&problem).unwrap(),
        |it| match it {
            asap_contracts::Mechanism::NoisyGradient(descent) => descent.share *= 1.01,
            _ => panic!("another mechanism"),
        },
        "all steps together spend at most their share",
    );
}

/// Sabotaged issuers: half of the noise, another γ, a charge that is too small, a point off its lattice.
#[test]
fn a_release_that_does_not_hold_does_not_leave() {
    let records = records();
    let learner = Learner::new(5.0).epsilon(1.0).unwrap();
    let problem = learner.problem(Logistic, records.bounds().clone(), records.dimension()).unwrap();
    let total = Guarantee::Pure(Epsilon::new(1.0).unwrap());
    let output = || Output::plan(&problem, total, OutputSettings::default()).unwrap();
    let posterior = || Posterior::plan(&problem, total, PosteriorSettings::default()).unwrap();
    refused(output(), |it| it.theta[0] += 1e-13, "noisy minimiser is on its lattice");
    refused(output(), |it| it.theta.push(0.0), "points have the dimension of the problem");
    let half: Edit = |it| match &mut it.record {
        asap_contracts::Mechanism::Output(asap_contracts::Output { noise, .. }) => match noise {
            Noise::EuclideanLaplace { steps, .. } => *steps /= 2,
            _ => panic!("another law"),
        },
        _ => panic!("another mechanism"),
    };
    refused(output(), half, "noise of the minimiser covers its sensitivity and the rounding");
    let colder: Edit = |it| match &mut it.record {
        asap_contracts::Mechanism::Posterior(posterior) => posterior.reference.gamma *= 1.000_001,
        _ => panic!("another mechanism"),
    };
    refused(posterior(), colder, "2γGB is at most ε");
    let free: Edit = |it| match &mut it.record {
        asap_contracts::Mechanism::Posterior(posterior) => posterior.asap.charge *= 0.98,
        _ => panic!("another mechanism"),
    };
    refused(posterior(), free, "charge covers the rounding of every sampler that may draw");
    let exact: Edit = |it| match &mut it.record {
        asap_contracts::Mechanism::Posterior(posterior) => posterior.minimiser.rounding *= 0.98,
        _ => panic!("another mechanism"),
    };
    refused(posterior(), exact, "rounding covers the sums of the largest data set and the updates");
    // Without an edit it leaves.
    let rng = || ReplayRng::new(1);
    assert!(Lies { honest: output(), edit: |_| (), plan: |_| () }.release(&records, &mut rng()).is_ok());
    assert!(Lies { honest: posterior(), edit: |_| (), plan: |_| () }.release(&records, &mut rng()).is_ok());
}

/// A small generator, so that the numbers are the same on every machine.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % bound
    }

    /// 10^x, x between the two.
    fn power(&mut self, low: i32, high: i32) -> f64 {
        let part = self.below(1 << 30) as f64 / f64::from(1 << 30);
        10_f64.powf(f64::from(low) + part * f64::from(high - low))
    }
}

/// Every lattice of a release holds what is released and 64 scales of noise.
fn nothing_is_saturated(release: &Release) {
    let saturated = |noise: &Noise, point: &[f64]| {
        let (Noise::DiscreteLaplace { exponent, .. }
        | Noise::RoundedNormal { exponent, .. }
        | Noise::EuclideanLaplace { exponent, .. }) = noise;
        point.iter().any(|x| x.abs() >= 2_f64.powi(53) * 2_f64.powi(*exponent))
    };
    let certificate = release.certificate();
    match &certificate.mechanism {
        asap_contracts::Mechanism::Output(output) => assert!(!saturated(&output.noise, release.theta())),
        asap_contracts::Mechanism::Posterior(posterior) => {
            assert!(!saturated(&posterior.localisation.noise, &posterior.localisation.theta_0));
            assert!(!saturated(&posterior.asap.noise, release.theta()));
        }
        #[allow(unreachable_patterns, reason = "other mechanisms have other lattices")]
        _ => {}
    }
}

fn fit<L: Loss>(
    loss: L,
    bounds: Bounds,
    learner: &Learner,
    dimension: usize,
    seed: u64,
) -> Result<Release, Error> {
    // No records: what is planned for the largest data set is what is checked, and a sampler has little to do.
    let records =
        Records::with_dimension(loss, bounds, OutOfBounds::Clip, dimension, Vec::new(), Vec::new())?;
    learner.fit(&records, &mut ReplayRng::new(seed))
}

/// Public numbers over many orders of magnitude: a plan is refused, or its fit leaves with a certificate that holds and
/// on lattices that hold it.
#[test]
fn whatever_is_planned_leaves() {
    let mut numbers = Numbers(5);
    let (mut left, mut refused) = (0, 0);
    for seed in 0..60 {
        let bounds = Bounds::new(numbers.power(-2, 1)).unwrap().with_target(1.0).unwrap();
        let bounds = bounds.with_target(numbers.power(-3, 3)).unwrap();
        let bounds = bounds.with_max_rows(numbers.power(1, 9) as u64).unwrap();
        let bounds = bounds.with_intercept(numbers.below(2) == 0).unwrap();
        let learner = Learner::new(numbers.power(0, 6));
        // Under a tiny budget θ_0 is far from the minimiser, and the sampler takes minutes to get
        // to the edge of the ball.
        let output = numbers.below(3) == 0;
        let budget = numbers.power(if output { -9 } else { -2 }, 0);
        let learner =
            if numbers.below(2) == 0 { learner.epsilon(budget) } else { learner.mu(budget) }.unwrap();
        let learner = learner
            .neighbours([Neighbours::AddRemove, Neighbours::ReplaceOne][numbers.below(2) as usize])
            .mechanism(if output { MechanismKind::Output } else { MechanismKind::Posterior })
            // The charge of the exact draw is not below that of the proximal sampler, whose chains may be long.
            .sampler(SamplerKind::Exact)
            .noise([PureNoise::Euclidean, PureNoise::Laplace][numbers.below(2) as usize])
            .expected_rows(1 + numbers.below(10));
        let learner = if output { learner.parameter_bound(numbers.power(-2, 2)) } else { learner };
        let dimension = 1 + numbers.below(6) as usize;
        let outcome = match numbers.below(3) {
            0 => fit(Logistic, bounds, &learner, dimension, seed),
            1 => fit(Squared, bounds, &learner, dimension, seed),
            _ => fit(Huber::new(numbers.power(-2, 2)).unwrap(), bounds, &learner, dimension, seed),
        };
        match outcome {
            Ok(release) => {
                release.check().unwrap();
                nothing_is_saturated(&release);
                left += 1;
            }
            Err(Error::Input(_) | Error::Contract(_)) => refused += 1,
            Err(other) => panic!("{seed}: {other}"),
        }
    }
    println!("{left} left, {refused} refused");
    assert!(left > 25, "{left} left, {refused} refused");
}

/// ε = 10⁻⁹ in a hundred dimensions, where half of the coordinates were at the end of their lattice.
#[test]
fn a_tiny_budget_does_not_saturate() {
    let bounds = Bounds::new(1.0).unwrap().with_target(1.0).unwrap().with_max_rows(1000).unwrap();
    for noise in [PureNoise::Euclidean, PureNoise::Laplace] {
        let learner = Learner::new(5.0).epsilon(1e-9).unwrap().mechanism(MechanismKind::Output).noise(noise);
        nothing_is_saturated(&fit(Logistic, bounds.clone(), &learner, 100, 1).unwrap());
    }
    // No lattice holds the noise of this one: a refusal before any record is read, not a saturated release.
    let hopeless = Learner::new(5.0).epsilon(1e-15).unwrap().mechanism(MechanismKind::Posterior);
    match fit(Logistic, bounds, &hopeless, 100, 1) {
        Err(Error::Input(refused)) => {
            assert!(refused.field.contains("lattice") || refused.field.contains("scale"));
        }
        other => panic!("{other:?}"),
    }
}
