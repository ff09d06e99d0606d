//! Every number that leaves carries its noise: the law of each coordinate of each release, and of
//! each pair, through `fit`.
//!
//! H0: a release is its centre plus noise of the stated family, whose scale is worked out here from G, Λ, the ledger's
//! shares and Δ; the centre of θ_0 (and of output perturbation) is the minimiser, that of θ̂ is a draw from the
//! posterior. Both are known in closed form (`problem`). τ and the lattice add less than one part in 64 to a scale, a
//! tenth of what the tests can see.

use super::law::{Family, Uniforms, rejected, uniforms};
use super::problem::{Known, LIPSCHITZ, known, learner};
use asap_contracts::{Certificate, Mechanism};
use asap_dp::calibrate::Paper;
use asap_dp::learner::{Learner, MechanismKind};
use asap_dp::localise::PureNoise;
use asap_dp::mechanism::{Calibration, SamplerKind};
use asap_dp::noise::{RandomBits, ReplayRng, SecureRng};
use asap_dp::release::Release;
use rayon::prelude::*;

/// Runs of a fit.
const N: u64 = 1000;

/// The mechanisms, with all that changes the law of what they release. A new one is added here and in [`points`],
/// which says what its releases should look like.
pub fn learners(learner: Learner, rows: u64) -> Vec<(&'static str, MechanismKind, Learner)> {
    use MechanismKind::{NoisyGradient, Objective, Output, Posterior};
    let pure = |learner: Learner, noise| learner.noise(noise).epsilon(8.0).unwrap();
    let gaussian = |learner: Learner| learner.mu(1.0).unwrap();
    let one_step = |learner: Learner| learner.expected_rows(rows).gradient_steps(1);
    // The paper's radii are so large that the minimiser is inside of the ball, and its Δ so
    // large that the noise is seen.
    let wide = learner.calibration(Calibration::Paper(Paper { c1: 2.0, c2: 2.0, ..Paper::default() }));
    vec![
        ("output, Euclidean", Output, pure(learner, PureNoise::Euclidean)),
        ("output, Laplace", Output, pure(learner, PureNoise::Laplace)),
        ("output, normal", Output, gaussian(learner)),
        ("posterior, Euclidean", Posterior, pure(wide, PureNoise::Euclidean)),
        ("posterior, Laplace", Posterior, pure(wide, PureNoise::Laplace)),
        ("posterior, normal", Posterior, gaussian(wide)),
        // As many rows as there are: small steps stay inside of the ball, and the last noise of a tilted
        // minimiser is negligible.
        ("objective", Objective, pure(learner.expected_rows(rows), PureNoise::Euclidean)),
        ("objective, converted", Objective, gaussian(learner.expected_rows(rows))),
        ("gradient, Euclidean", NoisyGradient, one_step(pure(learner, PureNoise::Euclidean))),
        ("gradient, normal", NoisyGradient, one_step(gaussian(learner))),
        ("posterior, proximal", Posterior, pure(wide.sampler(SamplerKind::Proximal), PureNoise::Euclidean)),
    ]
}

/// Fits again and again with one plan, which `fit` would make each time.
pub fn planned<'a, R: RandomBits>(
    kind: MechanismKind,
    learner: Learner,
    known: &'a Known,
) -> Box<dyn Fn(&mut R) -> Release + Sync + 'a> {
    let records = &known.records;
    let problem = learner.problem(*records.loss(), records.bounds().clone(), known.minimiser.len()).unwrap();
    let plan = learner.mechanism(kind).plan(&problem).unwrap();
    Box::new(move |rng| plan.release(records, rng).unwrap().0)
}

/// One vector that left, and what its law should be.
#[derive(Clone)]
pub struct Point {
    pub name: &'static str,
    pub released: Vec<f64>,
    pub centre: Vec<f64>,
    pub family: Family,
    pub scale: f64,
    /// Of a normal vector that is in the centre besides.
    pub deviations: Vec<f64>,
}

/// What a certificate says was released.
fn points(certificate: &Certificate, known: &Known) -> Vec<Point> {
    let d = known.minimiser.len();
    let share = |name: &str| {
        certificate.ledger.shares.iter().find(|share| share.name == name).expect("a share of that name").spent
    };
    let around_the_minimiser = |name, released: &[f64], noise, share: f64| {
        let family = Family::of(noise);
        // Independent Laplace noise covers the 1-norm, which is √d times the 2-norm at most.
        let root = if family == Family::Laplace { (d as f64).sqrt() } else { 1.0 };
        Point {
            name,
            released: released.to_vec(),
            centre: known.minimiser.clone(),
            family,
            scale: root * LIPSCHITZ / (known.regulariser * share),
            deviations: vec![0.0; d],
        }
    };
    match &certificate.mechanism {
        Mechanism::Output(output) => {
            vec![around_the_minimiser("θ̂", &certificate.theta, &output.noise, share("output"))]
        }
        // J is quadratic: its minimiser with a tilt b is θ* − b/(Λ + n_j) along each axis.
        Mechanism::Objective(objective) => vec![Point {
            name: "θ̂",
            released: certificate.theta.iter().zip(&known.curvature).map(|(x, c)| x * c).collect(),
            centre: slopes(known),
            family: Family::of(whole(&objective.tilt)),
            scale: LIPSCHITZ / share("tilt"),
            deviations: vec![0.0; d],
        }],
        // One step from 0 is −η times the noisy gradient at 0.
        Mechanism::NoisyGradient(descent) => vec![Point {
            name: "θ̂",
            released: certificate.theta.iter().map(|x| x / descent.step).collect(),
            centre: slopes(known),
            family: Family::of(&descent.noise),
            scale: LIPSCHITZ / share("gradients"),
            deviations: vec![0.0; d],
        }],
        Mechanism::Posterior(posterior) => {
            let theta_0 = &posterior.localisation.theta_0;
            let first =
                around_the_minimiser("θ_0", theta_0, &posterior.localisation.noise, share("localise"));
            let gamma = posterior.reference.gamma;
            let second = Point {
                name: "θ̂",
                released: certificate.theta.clone(),
                centre: known.minimiser.clone(),
                family: Family::of(&posterior.asap.noise),
                scale: 2.0 * posterior.asap.error / share("asap"),
                deviations: known.curvature.iter().map(|c| (gamma * c).sqrt().recip()).collect(),
            };
            // The posterior is normal where the edge of its ball is out of reach. θ_0 alone decides that, so that the
            // law of θ̂ given θ_0 is what is stated; other runs say nothing about θ̂.
            let away: f64 = theta_0.iter().zip(&known.minimiser).map(|(a, b)| (a - b).powi(2)).sum();
            let room = posterior.reference.radius - away.sqrt();
            let reached = second.deviations.iter().any(|deviation| room < 6.0 * deviation);
            if reached { vec![first] } else { vec![first, second] }
        }
    }
}

/// n_j·y_j = (Λ + n_j)·θ*_j: the slope of J at 0 along each axis, with the other sign.
fn slopes(known: &Known) -> Vec<f64> {
    known.minimiser.iter().zip(&known.curvature).map(|(x, c)| x * c).collect()
}

/// All runs of a learner: for each name of a vector what was released.
pub fn runs<R: RandomBits>(
    fit: &(dyn Fn(&mut R) -> Release + Sync),
    known: &Known,
    n: u64,
    rng: impl Fn(u64) -> R + Sync,
) -> Vec<(&'static str, Vec<Point>)> {
    let one = |run: u64| points(fit(&mut rng(run)).certificate(), known);
    let mut all: Vec<(&'static str, Vec<Point>)> = Vec::new();
    for point in (0..n).into_par_iter().map(one).collect::<Vec<_>>().into_iter().flatten() {
        match all.iter_mut().find(|(name, _)| *name == point.name) {
            Some((_, points)) => points.push(point),
            None => all.push((point.name, vec![point])),
        }
    }
    all
}

/// As uniform numbers, with a fault.
fn transformed(points: &[Point], fault: impl Fn(&mut Point)) -> Vec<Uniforms> {
    let one = |point: &Point| {
        let mut point = point.clone();
        fault(&mut point);
        let Point { released, centre, family, scale, deviations, .. } = point;
        uniforms(family, scale, &released, &centre, &deviations)
    };
    points.iter().map(one).collect()
}

fn rows(dimension: usize) -> Vec<u32> {
    vec![400; dimension]
}

/// n = 1000 fits (for θ̂ those whose ball has room, at least half), each coordinate by Kolmogorov–Smirnov and each pair
/// in 16 cells, false alarm ≤ 10⁻⁹ each.
fn every_release_has_its_law(dimension: usize, seed: u64) {
    let known = known(&rows(dimension));
    for (k, (case, kind, learner)) in learners(learner(), 1200).into_iter().enumerate() {
        let fit = planned(kind, learner, &known);
        let seed = seed + ((k as u64) << 32);
        let found = runs(&*fit, &known, N, |run| ReplayRng::new(seed + run));
        let mut statistics = 0;
        for (name, points) in &found {
            assert!(points.len() as u64 >= N / 2, "{case}: {} runs of {name}", points.len());
            let runs = transformed(points, |_| ());
            statistics += super::law::statistics(&runs);
            assert_eq!(rejected(&runs), None, "{case}, {name}");
        }
        println!("{case}: {statistics} statistics");
        assert_eq!(found.len(), if kind == MechanismKind::Posterior { 2 } else { 1 }, "{case}");
        // What was looked at is what `fit` does.
        let at_once = learner.mechanism(kind).fit(&known.records, &mut ReplayRng::new(seed)).unwrap();
        assert_eq!(at_once, fit(&mut ReplayRng::new(seed)), "{case}");
    }
}

#[test]
fn every_release_has_its_law_in_three_dimensions() {
    every_release_has_its_law(3, 31_000_000);
}

#[test]
fn every_release_has_its_law_in_five_dimensions() {
    every_release_has_its_law(5, 51_000_000);
}

/// The same with the bits of a release that counts. n = 1000, fresh bits: false alarm ≤ 10⁻⁹ for each of 18 statistics.
#[test]
fn releases_with_secure_bits_have_the_same_law() {
    let known = known(&rows(3));
    for (case, kind, learner) in learners(learner(), 1200) {
        if ["output, Laplace", "posterior, normal"].contains(&case) {
            let fit = planned(kind, learner, &known);
            for (name, points) in runs(&*fit, &known, N, |_| SecureRng::new().unwrap()) {
                assert_eq!(rejected(&transformed(&points, |_| ())), None, "{case}, {name}");
            }
        }
    }
}

/// The same tests reject noise that is missing, missing in the last coordinate, the same in two,
/// halved, or never negative.
#[test]
fn faulty_releases_are_rejected() {
    type Fault = fn(&mut Point);
    let faults: [(&str, Fault); 5] = [
        ("no noise", |point| point.released = point.centre.clone()),
        ("no noise on the last coordinate", |point| point.released[2] = point.centre[2]),
        ("the same noise twice", |point| {
            point.released[2] = point.centre[2] + point.released[1] - point.centre[1];
        }),
        ("half of the noise", |point| {
            for (x, c) in point.released.iter_mut().zip(&point.centre) {
                *x = 0.5 * (*x + c);
            }
        }),
        ("noise of one sign", |point| {
            for (x, c) in point.released.iter_mut().zip(&point.centre) {
                *x = c + (*x - c).abs();
            }
        }),
    ];
    let known = known(&rows(3));
    for (case, kind, learner) in learners(learner(), 1200) {
        let fit = planned(kind, learner, &known);
        for (name, points) in runs(&*fit, &known, N, |run| ReplayRng::new(71_000_000 + run)) {
            for (fault, apply) in faults {
                assert!(rejected(&transformed(&points, apply)).is_some(), "{case}, {name}: {fault}");
            }
        }
    }
}

/// The law of a tilt that has one only.
fn whole(tilt: &asap_contracts::Tilt) -> &asap_contracts::Noise {
    match tilt {
        asap_contracts::Tilt::Whole(noise) => noise,
        asap_contracts::Tilt::Blocks(_) => panic!("no blocks here"),
    }
}
