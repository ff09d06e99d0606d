//! Noisy gradient descent through its public doors: the law of each gradient's noise, of whole releases, and the audit.
//!
//! Every statistical test says its hypothesis, rejects a fault, and is listed in `statistics/suite.rs`. The deep audit
//! takes minutes: `cargo test --release --test suite noisy_gradient:: -- --ignored`.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::float_cmp,
    missing_docs,
    unreachable_pub,
    reason = "a test may stop"
)]

use crate::reference::{gauss, kolmogorov_smirnov, relative_entropy};
use asap_audit::{AuditSettings, Audited, Finding, Pair, Samples, WorstCase, run as audit, run_seed};
use asap_dp::ball::Ball;
use asap_dp::bounds::Bounds;
use asap_dp::calibrate::Schedule;
use asap_dp::data::{OutOfBounds, Records};
use asap_dp::loss::{Huber, Logistic, Loss, Squared};
use asap_dp::mechanism::{Descent, Mechanism, NoisyGradient};
use asap_dp::noise::{
    EuclideanScale, Lattice, LatticeNoise, Law, NormalScale, ReplayRng, SecureRng, euclidean_laplace,
    rounded_normal,
};
use asap_dp::objective::{Objective, Sums};
use asap_dp::optimise::Minimiser;
use asap_dp::privacy::{Epsilon, Guarantee, Mu, Neighbours};
use asap_dp::{Learner, MechanismKind};

const N: usize = 20_000;

fn pure(epsilon: f64) -> Guarantee {
    Guarantee::Pure(Epsilon::new(epsilon).unwrap())
}

fn gaussian(mu: f64) -> Guarantee {
    Guarantee::Gaussian(Mu::new(mu).unwrap())
}

fn bounds() -> Bounds {
    Bounds::new(1.0).unwrap().with_target(1.0).unwrap().with_max_rows(1000).unwrap()
}

fn learner(guarantee: Guarantee) -> Learner {
    Learner::new(4.0).guarantee(guarantee).mechanism(MechanismKind::NoisyGradient).expected_rows(50)
}

fn records<L: Loss>(loss: L, d: usize, features: Vec<f64>, targets: Vec<f64>) -> Records<L> {
    Records::with_dimension(loss, bounds(), OutOfBounds::Refuse, d, features, targets).unwrap()
}

fn normal_cdf(x: f64) -> f64 {
    0.5 * statrs::function::erf::erfc(-x / 2.0_f64.sqrt())
}

// ---------------------------------------------------------------- a second implementation, with faults

/// What may be wrong with a descent.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Fault {
    None,
    /// Each step has the noise of one that spends everything.
    OneStep,
    /// The variance that the paper prints: half of what T steps need.
    Printed,
    /// The last coordinate is released as it is.
    LastCoordinateBare,
    /// Noise in the first step, none later.
    FirstStepOnly,
}

/// A descent written a second time, from what its plan says of itself.
fn by_hand<S: Sums>(
    objective: &Objective<'_, S>,
    noise: &LatticeNoise,
    schedule: &Schedule,
    radius: f64,
    fault: Fault,
    rng: &mut ReplayRng,
) -> Descent {
    let d = objective.dimension();
    let ball = Ball::new(vec![0.0; d], radius).unwrap();
    let steps = f64::from(schedule.steps);
    let smaller = |scale: u64, root: bool| match fault {
        Fault::OneStep => scale as f64 / if root { steps.sqrt() } else { steps },
        Fault::Printed => scale as f64 / 2.0_f64.sqrt(),
        _ => scale as f64,
    };
    let mut workspace = objective.workspace();
    let (mut iterates, mut gradients, mut mean) = (vec![vec![0.0; d]], Vec::new(), vec![0.0; d]);
    for done in 0..schedule.steps as usize {
        let now = iterates[done].clone();
        let before = &iterates[done.saturating_sub(1)];
        let _ = objective.evaluate(&now, &mut workspace).unwrap();
        let slope = workspace.private_gradient().reveal_breaking_privacy();
        let drawn: Vec<i128> = match noise.law() {
            Law::Normal(scale) => {
                let scale = NormalScale::at_least(smaller(scale.steps(), true)).unwrap();
                (0..d).map(|_| rounded_normal(scale, rng)).collect()
            }
            Law::Euclidean(scale) => {
                let scale = EuclideanScale::at_least(smaller(scale.steps(), false)).unwrap();
                euclidean_laplace(scale, d, rng)
            }
            Law::Laplace(_) => panic!("another law"),
        };
        let lattice = noise.lattice();
        let noisy: Vec<f64> = (0..d)
            .map(|j| {
                let bare = (fault == Fault::LastCoordinateBare && j + 1 == d)
                    || (fault == Fault::FirstStepOnly && done > 0);
                let drawn = if bare { 0 } else { drawn[j] };
                lattice.point(Lattice::add(lattice.round(slope[j]).unwrap(), drawn))
            })
            .collect();
        let moved: Vec<f64> = (0..d)
            .map(|j| now[j] - schedule.step * noisy[j] + schedule.momentum * (now[j] - before[j]))
            .collect();
        gradients.push(noisy);
        iterates.push(ball.project(&moved));
        let averaged = done as f64 + 1.0 - f64::from(schedule.skipped);
        for (mean, now) in mean.iter_mut().zip(&iterates[done + 1]) {
            *mean += if averaged >= 1.0 { (now - *mean) / averaged } else { 0.0 };
        }
    }
    Descent { gradients, iterates, mean: ball.project(&mean) }
}

/// The ball of a problem, a little smaller than its radius says.
fn radius<L: Loss>(plan: &NoisyGradient<L>) -> f64 {
    (plan.problem().largest_minimiser() / Bounds::SLACK).next_down()
}

fn same(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-12 * (1.0 + a.abs())
}

/// Gradients, iterates and mean of both implementations agree on the same bits; what is fitted is the mean.
#[test]
fn a_second_implementation_agrees() {
    let features = vec![0.6, -0.8, 0.1, 0.2, -0.3, 0.9, 0.0, -1.0];
    let records = records(Logistic, 2, features, vec![1.0, -1.0, -1.0, 1.0]);
    for guarantee in [pure(2.0), gaussian(0.7)] {
        for learner in [learner(guarantee), learner(guarantee).gradient_steps(9).parameter_bound(0.2)] {
            let problem = learner.problem(Logistic, bounds(), 2).unwrap();
            let plan = learner.noisy_gradient(&problem).unwrap();
            let objective = problem.bind(&records).unwrap();
            for seed in 0..5 {
                let ours = plan.descend(&objective, &mut ReplayRng::new(seed)).unwrap();
                let hand = by_hand(
                    &objective,
                    plan.noise(),
                    plan.schedule(),
                    radius(&plan),
                    Fault::None,
                    &mut ReplayRng::new(seed),
                );
                assert_eq!(ours.gradients.len(), plan.schedule().steps as usize);
                assert_eq!(ours.iterates.len(), ours.gradients.len() + 1);
                let all = |d: &Descent| [d.gradients.concat(), d.iterates.concat(), d.mean.clone()].concat();
                assert!(all(&ours).iter().zip(all(&hand)).all(|(a, b)| same(*a, b)), "{seed}");
                let release = learner.fit(&records, &mut ReplayRng::new(seed)).unwrap();
                assert_eq!(release.theta(), ours.mean);
                release.check().unwrap();
            }
        }
    }
}

// ---------------------------------------------------------------- scales

/// σ² = T·G²/μ² and s = T·G/ε, up to the lattice and rounding (10⁻³); replace-one has twice the sensitivity. The
/// hand-computed numbers owe nothing to the calibration: G = 1 for logistic records of norm 1.
#[test]
fn the_noise_grows_with_the_number_of_steps_and_with_the_neighbours() {
    let scale = |guarantee, steps, neighbours| {
        let learner = learner(guarantee).gradient_steps(steps).neighbours(neighbours);
        let plan = learner.noisy_gradient(&learner.problem(Logistic, bounds(), 3).unwrap()).unwrap();
        assert_eq!(plan.schedule().steps, steps);
        (plan.noise().scale(), plan.step_share().parameter())
    };
    let close = |found: f64, exact: f64| assert!(found >= exact && found < exact * 1.001, "{found} {exact}");
    for steps in [1, 2, 16, 1000] {
        let t = f64::from(steps);
        for (neighbours, changed) in [(Neighbours::AddRemove, 1.0), (Neighbours::ReplaceOne, 2.0)] {
            let (sigma, share) = scale(gaussian(0.5), steps, neighbours);
            close(sigma, t.sqrt() * changed / 0.5);
            assert!(t * share * share <= 0.25 && t * share * share > 0.249_999);
            let (s, share) = scale(pure(0.5), steps, neighbours);
            close(s, t * changed / 0.5);
            assert!(t * share <= 0.5 && t * share > 0.499_999);
        }
    }
}

/// Neighbours whose gradients differ by G (and by 2G) at every point: the sensitivity covers them and is not larger
/// than it has to be. Huber records in their linear part have a slope of δ exactly.
#[test]
fn gradients_of_neighbours_reach_the_sensitivity_and_do_not_exceed_it() {
    let loss = Huber::new(0.5).unwrap();
    let bounds = bounds().with_target(100.0).unwrap();
    let row = [0.6, 0.8];
    let data = |signs: &[f64]| {
        let features = signs.iter().flat_map(|sign| row.map(|x| sign * x)).collect();
        let targets = vec![100.0; signs.len()];
        Records::with_dimension(loss, bounds.clone(), OutOfBounds::Refuse, 2, features, targets).unwrap()
    };
    for (neighbours, pair) in [
        (Neighbours::AddRemove, [data(&[]), data(&[1.0])]),
        (Neighbours::AddRemove, [data(&[-1.0]), data(&[-1.0, 1.0])]),
        (Neighbours::ReplaceOne, [data(&[-1.0]), data(&[1.0])]),
    ] {
        let learner = learner(gaussian(1.0)).neighbours(neighbours);
        let problem = learner.problem(loss, bounds.clone(), 2).unwrap();
        let plan = learner.noisy_gradient(&problem).unwrap();
        for theta in [[0.0, 0.0], [0.3, -0.2], [-5.0, 1.0]] {
            let [a, b] = [0, 1].map(|side| {
                let objective = problem.bind(&pair[side]).unwrap();
                let mut workspace = objective.workspace();
                let _ = objective.evaluate(&theta, &mut workspace).unwrap();
                workspace.private_gradient().reveal_breaking_privacy()
            });
            let moved = a.iter().zip(&b).map(|(a, b)| (a - b) * (a - b)).sum::<f64>().sqrt();
            assert!(moved <= plan.sensitivity() && moved > 0.999 * plan.sensitivity(), "{moved}");
        }
    }
}

// ---------------------------------------------------------------- laws

/// The noise of the only gradient, from what `fit` released: with one step θ̂ = −η·ĝ, and the gradient at 0 is known.
fn noise_of_one_step(guarantee: Guarantee, d: usize, seed: u64) -> Vec<Vec<f64>> {
    // Each record's gradient at 0 is −y·x/2.
    let features: Vec<f64> =
        (0..2 * d).map(|k| if k < d { 0.25 } else { -0.3 / (k - d + 1) as f64 }).collect();
    let slopes: Vec<f64> = (0..d).map(|j| -0.5 * features[j] - 0.5 * features[d + j]).collect();
    let data = records(Logistic, d, features, vec![1.0, 1.0]);
    let learner = learner(guarantee).gradient_steps(1);
    let fit = |run: usize| {
        let release = learner.fit(&data, &mut ReplayRng::new(run_seed(seed, 0, run as u64))).unwrap();
        let asap_contracts::Mechanism::NoisyGradient(public) = &release.certificate().mechanism else {
            panic!("another mechanism")
        };
        release.theta().iter().zip(&slopes).map(|(x, slope)| -x / public.step - slope).collect()
    };
    (0..N).map(fit).collect()
}

/// Whether pairs of numbers are independent and standard normal: sixteen cells between quartiles.
fn independent(pairs: impl Iterator<Item = [f64; 2]>) -> bool {
    let quartile = |x: f64| {
        usize::from(x > -0.674_489_750_196_082)
            + usize::from(x > 0.0)
            + usize::from(x > 0.674_489_750_196_082)
    };
    let mut counts = [0; 16];
    pairs.for_each(|[x, y]| counts[4 * quartile(x) + quartile(y)] += 1);
    relative_entropy(&counts, &[1.0 / 16.0; 16]).accepted()
}

/// H0: with one step at μ = ½ the noise of the gradient is normal of deviation G/μ = 2 in each of 3 (and 5)
/// coordinates, and each two of them are independent (the lattice adds 10⁻³). n = 20000 fits, false alarm ≤ 10⁻⁹ for
/// each. A coordinate without noise, with half of it, or equal to another one is rejected.
#[test]
fn gradient_noise_is_normal_and_independent_in_every_coordinate() {
    for (d, seed) in [(3, 301), (5, 302)] {
        let draws = noise_of_one_step(gaussian(0.5), d, seed);
        let of = |j: usize| -> Vec<f64> { draws.iter().map(|draw| draw[j] / 2.0).collect() };
        for j in 0..d {
            let fits = |sample: &[f64]| kolmogorov_smirnov(sample, normal_cdf).accepted();
            let (sample, half): (Vec<f64>, Vec<f64>) = (of(j), of(j).iter().map(|z| 0.5 * z).collect());
            assert!(fits(&sample), "{d}, coordinate {j}");
            assert!(!fits(&half) && !fits(&vec![0.0; N]), "noise halved or missing");
            for k in 0..j {
                let other = of(k);
                assert!(independent(sample.iter().zip(&other).map(|(x, y)| [*x, *y])), "{j} and {k}");
                assert!(!independent(sample.iter().map(|x| [*x, *x])), "the same noise twice");
            }
        }
    }
}

/// H0: with one step at ε = ½ the noise of the gradient has a norm that is Gamma of shape d and scale G/ε = 2, and all
/// 2^d patterns of signs are equally likely; for d = 3 a coordinate has the upper tail ¼(2 + x/s)e^(−x/s). n = 20000
/// fits, false alarm ≤ 10⁻⁹ for each. No noise in the last coordinate, and half of it everywhere, are rejected.
#[test]
fn gradient_noise_under_pure_privacy_has_a_gamma_norm_and_no_direction() {
    for (d, seed) in [(3, 311), (5, 312)] {
        let draws = noise_of_one_step(pure(0.5), d, seed);
        let gamma = |x: f64| statrs::function::gamma::gamma_lr(d as f64, x / 2.0);
        let norm = |draw: &[f64]| draw.iter().map(|z| z * z).sum::<f64>().sqrt();
        let norms: Vec<f64> = draws.iter().map(|draw| norm(draw)).collect();
        let fits = |sample: &[f64]| kolmogorov_smirnov(sample, gamma).accepted();
        assert!(fits(&norms), "{d}");
        let cut: Vec<f64> = draws.iter().map(|draw| norm(&draw[..d - 1])).collect();
        let half: Vec<f64> = norms.iter().map(|x| 0.5 * x).collect();
        assert!(!fits(&cut) && !fits(&half));
        let mut counts = vec![0; 1 << d];
        for draw in &draws {
            counts[draw.iter().fold(0, |pattern, z| 2 * pattern + usize::from(*z > 0.0))] += 1;
        }
        let equal = vec![1.0 / counts.len() as f64; counts.len()];
        assert!(relative_entropy(&counts, &equal).accepted(), "{d}");
        if d == 3 {
            let cdf = |x: f64| {
                let tail = 0.25 * (2.0 + x.abs() / 2.0) * (-x.abs() / 2.0).exp();
                if x < 0.0 { tail } else { 1.0 - tail }
            };
            for j in 0..d {
                let sample: Vec<f64> = draws.iter().map(|draw| draw[j]).collect();
                assert!(kolmogorov_smirnov(&sample, cdf).accepted(), "coordinate {j}");
            }
        }
    }
}

/// Logistic records on a line, and the slope of their objective.
const LINE: [(f64, f64); 3] = [(0.9, 1.0), (-0.4, 1.0), (0.7, -1.0)];

fn slope_on_the_line(theta: f64) -> f64 {
    4.0 * theta + LINE.iter().map(|(x, y)| -y * x / (1.0 + (y * x * theta).exp())).sum::<f64>()
}

/// The distribution function of θ̂ of two steps on the line with noise of deviation σ, by
/// quadrature over the first step.
fn two_steps(schedule: &Schedule, sigma: f64, x: f64) -> f64 {
    let Schedule { step, momentum, skipped, .. } = *schedule;
    let cells = 400;
    let (low, high) = (-8.0, 8.0);
    let width = (high - low) / f64::from(cells);
    let inner = |z: f64| {
        let first = -step * (slope_on_the_line(0.0) + sigma * z);
        // θ̂ = θ_2, or half of the sum of both.
        let second = if skipped == 1 { x } else { 2.0 * x - first };
        let needed = (first + momentum * first - second) / step - slope_on_the_line(first);
        (-0.5 * z * z).exp() / core::f64::consts::TAU.sqrt() * normal_cdf(-needed / sigma)
    };
    (0..cells).map(|cell| low + width * f64::from(cell)).map(|at| gauss(at, at + width, inner)).sum()
}

/// H0: θ̂ of two steps at μ = ½ on three records has the law that quadrature gives for noise of deviation √2·G/μ in
/// both steps. n = 20000 fits, false alarm ≤ 10⁻⁹. Noise without √T, the paper's (half of the variance), and noise in
/// the first step only are rejected.
#[test]
fn two_steps_on_a_line_have_the_law_of_quadrature() {
    let (features, targets) = LINE.into_iter().unzip();
    let data = records(Logistic, 1, features, targets);
    let learner = learner(gaussian(0.5)).gradient_steps(2);
    let problem = learner.problem(Logistic, bounds(), 1).unwrap();
    let plan = learner.noisy_gradient(&problem).unwrap();
    let seeded = |run: usize| ReplayRng::new(run_seed(321, 0, run as u64));
    let fitted: Vec<f64> =
        (0..N).map(|run| learner.fit(&data, &mut seeded(run)).unwrap().theta()[0]).collect();
    let table: Vec<f64> =
        (0..=2000).map(|k| two_steps(plan.schedule(), 8.0_f64.sqrt(), f64::from(k) / 500.0 - 2.0)).collect();
    let cdf = |x: f64| {
        let place = ((x + 2.0) * 500.0).clamp(0.0, 1999.999);
        let (k, part) = (place.floor(), place.fract());
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clamped")]
        let k = k as usize;
        table[k] + part * (table[k + 1] - table[k])
    };
    assert!(table[0] < 1e-12 && table[2000] > 1.0 - 1e-12);
    let outcome = kolmogorov_smirnov(&fitted, cdf);
    assert!(outcome.accepted(), "{outcome:?}");
    let objective = problem.bind(&data).unwrap();
    for fault in [Fault::None, Fault::OneStep, Fault::Printed, Fault::FirstStepOnly] {
        let descend = |run| {
            let (noise, schedule, radius) = (plan.noise(), plan.schedule(), radius(&plan));
            by_hand(&objective, noise, schedule, radius, fault, &mut seeded(run)).mean[0]
        };
        let sample: Vec<f64> = (0..N).map(descend).collect();
        assert_eq!(kolmogorov_smirnov(&sample, cdf).accepted(), fault == Fault::None, "{fault:?}");
    }
}

/// H0: in all of four steps the noise ĝ_t − ∇J(θ_(t−1)) is normal of deviation √T·G/μ = 2 (μ = 1) in both coordinates,
/// and any two of the eight are independent: no step uses the noise of another. n = 20000 descents, false alarm ≤ 10⁻⁹
/// for each. Noise without √T, in the first step only, or not in the last coordinate is rejected.
#[test]
fn the_noise_of_every_step_is_fresh() {
    let data = records(Logistic, 2, vec![0.6, -0.8, 0.1, 0.2], vec![1.0, -1.0]);
    let learner = learner(gaussian(1.0)).gradient_steps(4);
    let problem = learner.problem(Logistic, bounds(), 2).unwrap();
    let plan = learner.noisy_gradient(&problem).unwrap();
    let objective = problem.bind(&data).unwrap();
    let mut workspace = objective.workspace();
    let mut noise = |descent: Descent| -> Vec<f64> {
        let mut all = Vec::new();
        for (noisy, theta) in descent.gradients.iter().zip(&descent.iterates) {
            let _ = objective.evaluate(theta, &mut workspace).unwrap();
            let slope = workspace.private_gradient().reveal_breaking_privacy();
            all.extend(noisy.iter().zip(slope).map(|(noisy, slope)| (noisy - slope) / 2.0));
        }
        all
    };
    let mut rng = ReplayRng::new(331);
    let draws: Vec<Vec<f64>> = (0..N).map(|_| noise(plan.descend(&objective, &mut rng).unwrap())).collect();
    let of = |draws: &[Vec<f64>], j: usize| -> Vec<f64> { draws.iter().map(|draw| draw[j]).collect() };
    let fits = |draws: &[Vec<f64>]| (0..8).all(|j| kolmogorov_smirnov(&of(draws, j), normal_cdf).accepted());
    assert!(fits(&draws));
    for j in 0..8 {
        for k in 0..j {
            assert!(independent(draws.iter().map(|draw| [draw[j], draw[k]])), "{j} and {k}");
        }
    }
    for fault in [Fault::OneStep, Fault::Printed, Fault::FirstStepOnly, Fault::LastCoordinateBare] {
        let descend = |_| {
            let (noise, schedule, radius) = (plan.noise(), plan.schedule(), radius(&plan));
            by_hand(&objective, noise, schedule, radius, fault, &mut rng)
        };
        let wrong: Vec<Vec<f64>> =
            (0..N).map(descend).collect::<Vec<_>>().into_iter().map(&mut noise).collect();
        assert!(!fits(&wrong), "{fault:?}");
    }
}

// ---------------------------------------------------------------- it works, and it does not fail

/// With more and more budget the release comes to the minimiser, if it takes the steps. (What is chosen for such
/// budgets is shorter, and its noise finer than the lattice: refused by the plan.)
#[test]
fn a_large_budget_finds_the_minimiser() {
    let row = |k: u32| [f64::from(k % 7) / 7.0 - 0.4, f64::from(k % 5) / 5.0 - 0.4];
    let targets = (0..200).map(|k| if (k * 37) % 11 < 6 { 1.0 } else { -1.0 }).collect();
    let data = records(Logistic, 2, (0..200).flat_map(row).collect(), targets);
    let learner = learner(gaussian(1.0)).expected_rows(200).gradient_steps(512);
    let problem = learner.problem(Logistic, bounds(), 2).unwrap();
    let objective = problem.bind(&data).unwrap();
    let star = Minimiser::new(&problem).unwrap().run(&objective).unwrap().reveal_breaking_privacy();
    let mut last = f64::INFINITY;
    for mu in [1.0, 30.0, 1e3, 1e5] {
        let far = (0..9).map(|seed| {
            let theta = learner.mu(mu).unwrap().fit(&data, &mut ReplayRng::new(seed)).unwrap();
            theta.theta().iter().zip(&star).map(|(a, b)| (a - b) * (a - b)).sum::<f64>()
        });
        let far = (far.sum::<f64>() / 9.0).sqrt();
        assert!(far < 0.2 * last, "{mu}: {far} after {last}");
        last = far;
    }
    assert!(last < 1e-4, "{last}");
}

/// Every loss, relation and guarantee: releases, certifies, reproduces.
fn every_combination<L: Loss>(loss: L) {
    let data = records(loss, 2, vec![0.6, -0.8, 0.1, 0.2, -0.5, 0.5], vec![1.0, -1.0, 1.0]);
    for neighbours in [Neighbours::AddRemove, Neighbours::ReplaceOne] {
        for guarantee in [pure(1.0), gaussian(1.0)] {
            for learner in [learner(guarantee), learner(guarantee).parameter_bound(2.0)] {
                let learner = learner.neighbours(neighbours);
                let fit = |seed| learner.fit(&data, &mut ReplayRng::new(seed)).unwrap();
                assert!(fit(1).check().unwrap().checked.len() > 20);
                assert!(fit(1).certificate().certified && fit(1) == fit(1));
                assert_ne!(fit(1).theta(), fit(2).theta());
                assert!(learner.fit(&data, &mut SecureRng::new().unwrap()).unwrap().is_private());
            }
        }
    }
}

#[test]
fn every_loss_releases_and_certifies() {
    every_combination(Logistic);
    every_combination(Squared);
    every_combination(Huber::new(0.5).unwrap());
}

/// Many more rows than expected: steps of this length do not converge, and yet every release is in the ball and
/// certified. No rows, one row and extreme budgets release, too.
#[test]
fn a_wrong_guess_costs_utility_and_nothing_else() {
    let row = |k: u32| if k.is_multiple_of(2) { 1.0 } else { 0.9 };
    for rows in [0, 1, 1000] {
        let targets = (0..rows).map(|k| if k % 3 == 0 { 1.0 } else { -1.0 }).collect::<Vec<f64>>();
        let features: Vec<f64> = (0..rows).map(row).collect();
        for guarantee in [pure(1e-6), pure(1e3), gaussian(1e-6), gaussian(1e3)] {
            let learner = Learner::new(1e-3).guarantee(guarantee).mechanism(MechanismKind::NoisyGradient);
            for learner in [learner.expected_rows(1), learner.expected_rows(1000).parameter_bound(1e-3)] {
                let data = records(Squared, 1, features.clone(), targets.clone());
                let release = learner.fit(&data, &mut ReplayRng::new(5)).unwrap();
                release.check().unwrap();
            }
        }
    }
}

#[test]
fn bad_settings_are_named() {
    let data = records(Logistic, 1, vec![0.5], vec![1.0]);
    let fails = |learner: Learner| learner.fit(&data, &mut ReplayRng::new(1)).unwrap_err().to_string();
    let good = learner(gaussian(1.0));
    for rows in [0, 1001] {
        assert!(fails(good.expected_rows(rows)).contains("expected rows"));
    }
    for steps in [0, (1 << 20) + 1] {
        assert!(fails(good.gradient_steps(steps)).contains("gradient steps"));
    }
    for guess in [-1e9, f64::NAN, f64::INFINITY] {
        assert!(fails(good.curvature(guess)).contains("curvature"));
    }
    // A budget that no share of is a number.
    assert!(fails(good.epsilon(f64::from_bits(3)).unwrap().gradient_steps(7)).contains("own:noisy-gradient"));
    let other = Learner::new(5.0).mu(1.0).unwrap();
    let elsewhere = other.problem(Logistic, bounds(), 1).unwrap();
    let plan = good.noisy_gradient(&good.problem(Logistic, bounds(), 1).unwrap()).unwrap();
    let refused = plan.descend(&elsewhere.bind(&data).unwrap(), &mut ReplayRng::new(1)).unwrap_err();
    assert!(refused.to_string().contains("objective"));
}

// ---------------------------------------------------------------- the audit

fn settings(guarantee: Guarantee, runs: u64) -> AuditSettings {
    let mechanism = MechanismKind::NoisyGradient;
    AuditSettings { runs, alpha: 1e-8, seed: Some(7), mechanism, ..AuditSettings::new(guarantee) }
}

/// H0: the release satisfies its claim. One and two dimensions, 5000 runs.
#[test]
fn a_descent_is_not_contradicted_quickly() {
    for (guarantee, dimension, steps) in [(pure(1.0), 1, 2), (gaussian(1.0), 2, 16)] {
        let gradient_steps = Some(steps);
        let report =
            audit(&AuditSettings { dimension, gradient_steps, ..settings(guarantee, 5000) }).unwrap();
        println!("{}", report.to_text());
        assert!(!report.contradicted() && report.rows.len() == 3);
    }
}

/// The same with 10⁵ runs on each data set.
#[test]
#[ignore = "minutes"]
fn a_descent_is_not_contradicted() {
    for (guarantee, gradient_steps) in [(pure(1.0), None), (pure(1.0), Some(2)), (gaussian(1.0), None)] {
        let report = audit(&AuditSettings { gradient_steps, ..settings(guarantee, 100_000) }).unwrap();
        println!("{}", report.to_text());
        assert!(!report.contradicted());
    }
}

/// The audit of a descent with a fault: scored by the likelihood ratio of the plan.
fn faulty(guarantee: Guarantee, dimension: usize, pair: Pair, planned: Pair, fault: Fault) -> Finding {
    // Under pure DP the loss of many steps together is nearly never near its bound: two can show it.
    let gradient_steps = Some(if matches!(guarantee, Guarantee::Pure(_)) { 2 } else { 16 });
    let settings = AuditSettings { dimension, gradient_steps, ..settings(guarantee, 20_000) };
    let (case, planned) =
        (WorstCase::new(&settings, pair).unwrap(), WorstCase::new(&settings, planned).unwrap());
    let plan = planned.noisy_gradient();
    let outcome = |side: u64| {
        let case = &case;
        move |run| {
            let objective = case.objective(usize::from(side == 1))?;
            let rng = &mut ReplayRng::new(run_seed(99, side, run));
            let descent = by_hand(&objective, plan.noise(), plan.schedule(), radius(plan), fault, rng);
            Ok(case.score_descent(&descent))
        }
    };
    let samples = Samples::draw(settings.runs, outcome(0), outcome(1)).unwrap();
    let claim = case.claim(Audited::Release).unwrap();
    let row = Finding::new(&format!("{fault:?}"), &pair.to_string(), claim, &samples, settings.alpha);
    println!("{fault:?}, {pair}, {dimension}: {:?} {:?}", row.claim, row.bound);
    row
}

/// H0: as above, 2·10⁴ runs. Noise without √T (or T), half of the variance, noise in the first step only, a last
/// coordinate without noise, and one record replaced where the noise is for one added: each is contradicted; the
/// descent without a fault is not.
#[test]
fn faults_of_a_descent_are_caught() {
    for guarantee in [gaussian(1.0), pure(1.0)] {
        for (fault, dimension) in [
            (Fault::None, 1),
            (Fault::OneStep, 1),
            (Fault::FirstStepOnly, 1),
            (Fault::LastCoordinateBare, 2),
            (Fault::None, 2),
        ] {
            let row = faulty(guarantee, dimension, Pair::AddedToNothing, Pair::AddedToNothing, fault);
            assert_eq!(row.contradicted, fault != Fault::None, "{fault:?} {:?}", row.bound);
        }
        let row = faulty(guarantee, 1, Pair::Replaced, Pair::AddedToNothing, Fault::None);
        assert!(row.contradicted, "replace-one as add/remove: {:?}", row.bound);
        assert!(!faulty(guarantee, 1, Pair::Replaced, Pair::Replaced, Fault::None).contradicted);
    }
    // μ is √2 where 1 is claimed.
    assert!(faulty(gaussian(1.0), 1, Pair::AddedToOne, Pair::AddedToOne, Fault::Printed).contradicted);
}
