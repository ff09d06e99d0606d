//! The proximal sampler against quadrature, with the minimiser inside, near the edge, and outside of the ball.
//!
//! H0 of every statistical test: the final states of independent chains have the law p*. n chains per case, false
//! alarm ≤ 10⁻⁶ per statistic (see `reference`), fixed seeds. The chains are calibrated to W∞ ≤ 10⁻⁵, far below
//! what n chains can see.
#![allow(clippy::unwrap_used, missing_docs)]

use crate::reference::{DiskLaw, LineLaw, LogisticPosterior, Quadratic, kolmogorov_smirnov, on_ball};
use asap_dp::ball::Ball;
use asap_dp::noise::{RandomBits, ReplayRng, bernoulli_exp_f64};
use asap_dp::sampler::{Effort, OnBall, Potential, Proximal, Sampler, normal_in_ball};

const ERROR: f64 = 1e-5;

fn ball(centre: &[f64], radius: f64) -> Ball {
    Ball::new(centre.to_vec(), radius).unwrap()
}

/// The final states of n chains, and their total effort.
fn chains<P: Potential>(
    potential: &mut P,
    curvature: (f64, f64),
    domain: &Ball,
    n: usize,
    seed: u64,
) -> (Vec<Vec<f64>>, Effort) {
    let sampler = Proximal::calibrated(potential, &on_ball(curvature), domain, ERROR).unwrap();
    let mut rng = ReplayRng::new(seed);
    let mut total = Effort::default();
    let draws = (0..n).map(|_| {
        let draw = sampler.sample(potential, domain, &mut rng).unwrap();
        let effort = draw.effort.reveal_breaking_privacy();
        total.passes += effort.passes;
        total.divergences += effort.divergences;
        total.steps += effort.steps;
        total.proposals += effort.proposals;
        let theta = draw.theta.reveal_breaking_privacy();
        assert!(domain.contains(&theta));
        theta
    });
    (draws.collect(), total)
}

fn first_coordinates(points: &[Vec<f64>]) -> Vec<f64> {
    points.iter().map(|point| point[0]).collect()
}

/// The declared m is less than the true curvature, so that proposals are really rejected.
fn loose_line(minimiser: f64) -> Quadratic {
    Quadratic::new(&[minimiser], 2.0, 6.0, &[1.0])
}

fn logistic_line() -> LogisticPosterior {
    LogisticPosterior::new(&[&[1.0], &[-0.5], &[2.0], &[0.7], &[-1.1]], 3.0, 0.5)
}

fn skew_plane(minimiser: [f64; 2]) -> Quadratic {
    Quadratic::new(&minimiser, 3.0, 5.0, &[1.0, 0.5])
}

fn logistic_plane() -> LogisticPosterior {
    LogisticPosterior::new(&[&[1.0, 0.3], &[-0.4, 1.0], &[0.9, -0.2], &[0.1, -0.8], &[0.6, 0.6]], 4.0, 0.7)
}

/// n = 10000 chains each.
#[test]
fn one_dimension_quadratic() {
    // Inside, near the edge, on the edge, outside, far outside.
    for (seed, minimiser) in (100..).zip([0.2, 1.4, -1.5, 2.0, 30.0]) {
        let (mut f, domain) = (loose_line(minimiser), ball(&[0.0], 1.5));
        let curvature = f.curvature();
        let (draws, _) = chains(&mut f, curvature, &domain, 10_000, seed);
        let outcome = LineLaw::of(&mut f, &domain).test(&first_coordinates(&draws));
        assert!(outcome.accepted(), "minimiser {minimiser}: {outcome:?}");
    }
}

/// n = 10000 chains each; m = L, so mη = 2²⁰ and one or two steps are enough.
#[test]
fn one_dimension_with_a_huge_step() {
    for (seed, minimiser) in (120..).zip([0.2, 1.4, 2.0, 4.0]) {
        let (mut f, domain) = (Quadratic::new(&[minimiser], 8.0, 0.0, &[1.0]), ball(&[0.0], 1.5));
        let curvature = f.curvature();
        let (draws, effort) = chains(&mut f, curvature, &domain, 10_000, seed);
        assert!(effort.proposals == effort.steps && effort.steps <= 20_000, "{effort:?}");
        let outcome = LineLaw::of(&mut f, &domain).test(&first_coordinates(&draws));
        assert!(outcome.accepted(), "minimiser {minimiser}: {outcome:?}");
    }
}

/// n = 10000 chains each.
#[test]
fn one_dimension_logistic() {
    // The minimiser is at 0.46: in the middle, near the edge, outside; and a ball of a hundred deviations.
    for (seed, (centre, radius)) in
        (140..).zip([(0.3, 1.0), (1.4, 1.0), (3.0, 1.0), (-5.0, 2.0), (20.0, 60.0)])
    {
        let (mut f, domain) = (logistic_line(), ball(&[centre], radius));
        let curvature = f.curvature();
        let (draws, _) = chains(&mut f, curvature, &domain, 10_000, seed);
        let outcome = LineLaw::of(&mut f, &domain).test(&first_coordinates(&draws));
        assert!(outcome.accepted(), "centre {centre}: {outcome:?}");
    }
}

/// n = 10000 chains each, 6 × 6 cells.
#[test]
fn two_dimensions_quadratic() {
    for (seed, minimiser) in (160..).zip([[0.2, -0.1], [0.9, 0.4], [1.5, -1.0], [-6.0, 8.0]]) {
        let (mut f, domain) = (skew_plane(minimiser), ball(&[0.1, 0.1], 1.0));
        let curvature = f.curvature();
        let (draws, _) = chains(&mut f, curvature, &domain, 10_000, seed);
        let outcome = DiskLaw::of(&mut f, &domain, 6, 6).test(&draws);
        assert!(outcome.accepted(), "minimiser {minimiser:?}: {outcome:?}");
    }
}

/// n = 10000 chains each, 6 × 6 cells.
#[test]
fn two_dimensions_logistic() {
    for (seed, centre) in (180..).zip([[0.4, 0.2], [1.2, 0.3], [2.5, -2.0]]) {
        let (mut f, domain) = (logistic_plane(), ball(&centre, 1.0));
        let curvature = f.curvature();
        let (draws, _) = chains(&mut f, curvature, &domain, 10_000, seed);
        let outcome = DiskLaw::of(&mut f, &domain, 6, 6).test(&draws);
        assert!(outcome.accepted(), "centre {centre:?}: {outcome:?}");
    }
}

/// What may be wrong with a chain.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Sabotage {
    None,
    /// The conditional law is not restricted to the ball; only the last state is projected.
    NoBall,
    /// Every proposal is accepted.
    NoRejection,
    /// The mean of the proposals forgets ∇f.
    NoDrift,
    /// The conditional law has another η than y.
    OtherStep,
}

/// A second implementation, for sabotage: the anchor is always the current state, and energies are differences of
/// values.
fn sabotaged<P: Potential>(
    sabotage: Sabotage,
    f: &mut P,
    curvature: (f64, f64),
    domain: &Ball,
    rng: &mut ReplayRng,
) -> Vec<f64> {
    let d = domain.dimension();
    let sampler = Proximal::calibrated(f, &on_ball(curvature), domain, ERROR).unwrap();
    let (eta, steps) = (sampler.step().reveal_breaking_privacy(), sampler.steps().reveal_breaking_privacy());
    let assumed = if sabotage == Sabotage::OtherStep { 0.25 * eta } else { eta };
    let m = curvature.0;
    let precision = m + 1.0 / assumed;
    let mut x = domain.centre().to_vec();
    for _ in 0..steps {
        let mut gradient = vec![0.0; d];
        let value = f.value_and_gradient(&x, &mut gradient);
        let y: Vec<f64> = x.iter().map(|x| x + eta.sqrt() * normal(rng)).collect();
        let drift = if sabotage == Sabotage::NoDrift { 0.0 } else { 1.0 };
        let mean: Vec<f64> =
            (0..d).map(|j| x[j] - (drift * gradient[j] + (x[j] - y[j]) / assumed) / precision).collect();
        x = loop {
            let proposal = if sabotage == Sabotage::NoBall {
                mean.iter().map(|c| c + normal(rng) / precision.sqrt()).collect()
            } else {
                normal_in_ball(&mean, precision, domain, rng).unwrap()
            };
            let moved: Vec<f64> = proposal.iter().zip(&x).map(|(new, old)| new - old).collect();
            let linear: f64 = moved.iter().zip(&gradient).map(|(moved, g)| moved * g).sum();
            let square: f64 = moved.iter().map(|moved| moved * moved).sum();
            let energy =
                f.value_and_gradient(&proposal, &mut vec![0.0; d]) - value - linear - 0.5 * m * square;
            let accepted = bernoulli_exp_f64(energy.max(0.0), rng) == Some(true);
            if accepted || sabotage == Sabotage::NoRejection {
                break proposal;
            }
        };
    }
    domain.project(&x)
}

/// Box and Muller.
fn normal(rng: &mut ReplayRng) -> f64 {
    let mut uniform = || ((rng.next_u64() >> 12) as f64 + 0.5) * f64::EPSILON;
    (-2.0 * uniform().ln()).sqrt() * (2.0 * core::f64::consts::PI * uniform()).cos()
}

const SABOTAGES: [Sabotage; 5] =
    [Sabotage::None, Sabotage::NoBall, Sabotage::NoRejection, Sabotage::NoDrift, Sabotage::OtherStep];

/// n = 4000 chains in one dimension; n = 12000 and 4 × 4 cells in two.
#[test]
fn the_tests_accept_the_second_implementation_and_reject_its_sabotages() {
    for (seed, sabotage) in (200..).zip(SABOTAGES) {
        let mut rng = ReplayRng::new(seed);
        let (mut f, domain) = (loose_line(1.2), ball(&[0.0], 1.5));
        let curvature = f.curvature();
        let line: Vec<f64> =
            (0..4000).map(|_| sabotaged(sabotage, &mut f, curvature, &domain, &mut rng)[0]).collect();
        let outcome = LineLaw::of(&mut f, &domain).test(&line);
        assert_eq!(outcome.accepted(), sabotage == Sabotage::None, "{sabotage:?}, line: {outcome:?}");

        let (mut f, domain) = (Quadratic::new(&[0.5, -0.3], 1.0, 8.0, &[1.0, 0.5]), ball(&[0.0, 0.0], 1.0));
        let curvature = f.curvature();
        let plane: Vec<Vec<f64>> =
            (0..12_000).map(|_| sabotaged(sabotage, &mut f, curvature, &domain, &mut rng)).collect();
        let outcome = DiskLaw::of(&mut f, &domain, 4, 4).test(&plane);
        assert_eq!(outcome.accepted(), sabotage == Sabotage::None, "{sabotage:?}, plane: {outcome:?}");
    }
}

/// A normal law in eleven dimensions, in a ball so large that its edge is out of sight.
fn eleven() -> Quadratic {
    let centre: Vec<f64> = (0..11).map(|j| 0.3 * f64::from(j) - 1.0).collect();
    let direction: Vec<f64> = (0..11).map(|j| (f64::from(j) * 0.9).cos()).collect();
    Quadratic::new(&centre, 1.0, 0.4, &direction)
}

/// The directions whose variances determine the covariance: `e_j`, and `e_j ± e_k`.
fn directions(d: usize) -> Vec<Vec<f64>> {
    let unit = |j: usize| (0..d).map(|k| f64::from(u8::from(j == k))).collect::<Vec<f64>>();
    let mut directions: Vec<Vec<f64>> = (0..d).map(unit).collect();
    for (j, k) in (0..d).flat_map(|j| (0..j).map(move |k| (j, k))) {
        for sign in [-1.0, 1.0] {
            directions.push(unit(j).iter().zip(unit(k)).map(|(a, b)| a + sign * b).collect());
        }
    }
    directions
}

/// Mean and variance in each direction against their exact laws: for n draws of N(0, 1) the mean is N(0, 1/n), and
/// Σx² is χ²(n), for which (Laurent and Massart 2000) P(Σx² − n > 2√(nt) + 2t) ≤ e^(−t) and
/// P(n − Σx² > 2√(nt)) ≤ e^(−t). With t = ln(4·121/10⁻⁶) = 20 all of them together have a false-alarm
/// probability of 10⁻⁶. At n = 4000 the variances are confirmed to 15 %, the means to 0.1 deviations.
fn moments_agree(f: &Quadratic, draws: &[Vec<f64>]) -> bool {
    let (n, t) = (draws.len() as f64, 20.0_f64);
    directions(f.centre.len()).iter().all(|direction| {
        let along = |x: &[f64]| -> f64 { x.iter().zip(direction).map(|(x, u)| x * u).sum() };
        let d = direction.len();
        let pairs = (0..d).flat_map(|j| (0..d).map(move |k| (j, k)));
        let variance: f64 = pairs.map(|(j, k)| direction[j] * direction[k] * f.covariance(j, k)).sum();
        let standard = draws.iter().map(|x| (along(x) - along(&f.centre)) / variance.sqrt());
        let (sum, squares) = standard.fold((0.0, 0.0), |(sum, squares), z| (sum + z, squares + z * z));
        let normal_quantile = (2.0 * t).sqrt();
        sum.abs() <= normal_quantile * n.sqrt()
            && squares - n <= 2.0 * (n * t).sqrt() + 2.0 * t
            && n - squares <= 2.0 * (n * t).sqrt()
    })
}

/// n = 4000 chains.
#[test]
fn eleven_dimensions_have_the_moments_of_the_normal_law() {
    let (mut f, domain) = (eleven(), ball(&[0.0; 11], 20.0));
    let curvature = f.curvature();
    let (draws, effort) = chains(&mut f, curvature, &domain, 4000, 300);
    assert!(moments_agree(&f, &draws), "{effort:?}");
    let standard: Vec<f64> = draws.iter().map(|x| (x[3] - f.centre[3]) / f.covariance(3, 3).sqrt()).collect();
    let phi = |x: f64| 0.5 * statrs::function::erf::erfc(-x / 2.0_f64.sqrt());
    let outcome = kolmogorov_smirnov(&standard, phi);
    assert!(outcome.accepted(), "{outcome:?}");
    // Sabotage: two different step sizes.
    let mut rng = ReplayRng::new(301);
    let mut wrong = || sabotaged(Sabotage::OtherStep, &mut f, curvature, &domain, &mut rng);
    let wrong: Vec<Vec<f64>> = (0..1000).map(|_| wrong()).collect();
    assert!(!moments_agree(&f, &wrong));
}

/// Passes over the records per step, in and out of equilibrium; the numbers are in the spec page.
#[test]
fn a_step_costs_a_few_passes() {
    let mut seed = 400;
    let mut passes_per_step = |f: &mut dyn FnMut(u64) -> Effort| {
        seed += 1;
        let effort = f(seed);
        let passes = effort.passes + effort.divergences;
        (passes as f64 / effort.steps as f64, effort.steps as f64 / effort.proposals as f64)
    };
    for (name, minimiser) in [("inside", 0.2), ("edge", 1.5), ("outside", 30.0)] {
        let cost = passes_per_step(&mut |seed| {
            let mut f = loose_line(minimiser);
            let curvature = f.curvature();
            chains(&mut f, curvature, &ball(&[0.0], 1.5), 300, seed).1
        });
        println!("d = 1, {name}: {:.2} passes per step, acceptance {:.2}", cost.0, cost.1);
        assert!(cost.0 < 5.0, "{name}: {cost:?}");
    }
    for (name, radius) in [("inside", 20.0), ("edge", 3.5), ("outside", 1.0)] {
        let cost = passes_per_step(&mut |seed| {
            let mut f = eleven();
            let curvature = f.curvature();
            chains(&mut f, curvature, &ball(&[0.0; 11], radius), 50, seed).1
        });
        println!("d = 11, {name}: {:.2} passes per step, acceptance {:.2}", cost.0, cost.1);
        assert!(cost.0 < 5.0, "{name}: {cost:?}");
    }
    // The worst case: L in every direction, while m says otherwise.
    let worst = passes_per_step(&mut |seed| {
        let mut f = Quadratic::new(&[0.0; 11], 4.0, 0.0, &[0.0; 11]);
        chains(&mut f, (1.0, 4.0), &ball(&[0.0; 11], 20.0), 50, seed).1
    });
    println!("d = 11, worst: {:.2} passes per step, acceptance {:.2}", worst.0, worst.1);
    assert!(worst.0 < 5.0, "{worst:?}");
}

#[test]
fn calibration_refuses_what_is_no_problem() {
    let calibrated = |m, l, radius, error| {
        let curvature = OnBall::new(m, l).unwrap();
        Proximal::calibrated(&mut loose_line(5.0), &curvature, &ball(&[0.5], radius), error)
    };
    let field = |m, l, radius, error| calibrated(m, l, radius, error).err().map(|error| error.field);
    assert_eq!(field(1.0, 2.0, 1.0, 0.1), None);
    assert_eq!(field(1.0, 2.0, 0.0, 0.1), None);
    for bad in [f64::NAN, f64::INFINITY, -1.0] {
        assert_eq!(field(1.0, 2.0, 1.0, bad), Some("error"));
    }
    assert_eq!(field(1e-300, 1e300, 1.0, 0.1), Some("curvature"));
    // A slope that is no number.
    let mut hostile = Quadratic::new(&[f64::NAN], 1.0, 0.0, &[1.0]);
    let outcome = Proximal::calibrated(&mut hostile, &on_ball((1.0, 2.0)), &ball(&[0.5], 1.0), 0.1);
    assert_eq!(outcome.err().map(|error| error.field), Some("curvature"));
    // A ball of another dimension.
    let plane = ball(&[0.5, 0.5], 1.0);
    let outcome = Proximal::calibrated(&mut loose_line(5.0), &on_ball((1.0, 2.0)), &plane, 0.1);
    assert_eq!(outcome.err().map(|error| error.field), Some("dimension"));
    let sampler = calibrated(1.0, 2.0, 1.0, 0.1).unwrap();
    let other = sampler.sample(&mut loose_line(5.0), &plane, &mut ReplayRng::new(1));
    assert_eq!(other.err().map(|error| error.field), Some("dimension"));
    // A ball of one point.
    let point = calibrated(1.0, 2.0, 0.0, 0.1).unwrap();
    let draw = point.sample(&mut loose_line(5.0), &ball(&[0.5], 0.0), &mut ReplayRng::new(1)).unwrap();
    assert!((draw.theta.reveal_breaking_privacy()[0] - 0.5).abs() < f64::MIN_POSITIVE);
}

/// The farther the minimiser is outside, the shorter the step; the chain ends all the same, in a few passes a step.
#[test]
fn a_pull_out_of_the_ball_shortens_the_step() {
    let step = |minimiser: f64| {
        let mut f = Quadratic::new(&[minimiser, 0.0, 0.0], 2.0, 0.0, &[1.0; 3]);
        let sampler =
            Proximal::calibrated(&mut f, &on_ball((2.0, 2.5)), &ball(&[0.0; 3], 2.0), ERROR).unwrap();
        let draw = sampler.sample(&mut f, &ball(&[0.0; 3], 2.0), &mut ReplayRng::new(2)).unwrap();
        let effort = draw.effort.reveal_breaking_privacy();
        assert!(effort.passes + effort.divergences < 5 * effort.steps, "{effort:?}");
        sampler.step().reveal_breaking_privacy()
    };
    // λ = max(1.5, 9/4, 3·2(x − 2)/4): flatness, then the pull.
    for (minimiser, precision) in [(0.0, 2.25), (3.0, 2.25), (7.0, 7.5), (102.0, 150.0)] {
        assert!((step(minimiser) * (precision - 2.0) - 1.0).abs() < 1e-12, "{minimiser}");
    }
}
