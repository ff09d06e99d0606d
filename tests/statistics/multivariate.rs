//! Samplers in three and five dimensions against exact independent draws: two tests that hold for every sample size.
//!
//! **MMD.** With a Gaussian kernel k ≤ 1 and n draws of each, the biased estimate exceeds `√(2/n)(1 + √(2 ln 1/α))`
//! with probability at most α if the laws agree (Gretton et al. 2012, *A kernel two-sample test*, corollary 9). A
//! permutation test at α = 10⁻⁹ would take 10⁹ permutations.
//!
//! **Projections.** Kolmogorov–Smirnov with two samples along the axes, the diagonals, and of the distance from the
//! centre of the ball, with Bonferroni. For n = m ≥ 458: P(√(n/2)·D > t) ≤ 2e^(−2t²) (Wei and Dudley 2012).

use crate::chains::{FAULTS, Fault, Schedule, faulty};
use crate::independent::Independent;
use crate::reference::{LEVEL, Outcome, Quadratic, on_ball};
use asap_dp::ball::Ball;
use asap_dp::noise::ReplayRng;
use asap_dp::sampler::{Potential, Proximal, Sampler};

type Points = Vec<Vec<f64>>;
/// A number that is seen of a point.
type Look = Box<dyn Fn(&Vec<f64>) -> f64>;

fn squared_distance(x: &[f64], y: &[f64]) -> f64 {
    x.iter().zip(y).map(|(x, y)| (x - y) * (x - y)).sum()
}

/// The biased estimate of the MMD for the kernel e^(−‖x − y‖²/w).
fn mmd(x: &[Vec<f64>], y: &[Vec<f64>], width: f64) -> Outcome {
    let mean = |a: &[Vec<f64>], b: &[Vec<f64>]| -> f64 {
        let row = |a: &Vec<f64>| b.iter().map(|b| (-squared_distance(a, b) / width).exp()).sum::<f64>();
        a.iter().map(row).sum::<f64>() / (a.len() * b.len()) as f64
    };
    let n = x.len() as f64;
    let square = mean(x, x) + mean(y, y) - 2.0 * mean(x, y);
    let critical = (2.0 / n).sqrt() * (1.0 + (-2.0 * LEVEL.ln()).sqrt());
    Outcome { statistic: square.max(0.0).sqrt(), critical }
}

/// √(n/2) times the largest distance of two empirical distribution functions.
fn two_samples(mut x: Vec<f64>, mut y: Vec<f64>) -> f64 {
    x.sort_by(f64::total_cmp);
    y.sort_by(f64::total_cmp);
    let n = x.len() as f64;
    let below = |sorted: &[f64], t: f64| sorted.partition_point(|x| *x <= t) as f64 / n;
    let gap = |t: &f64| (below(&x, *t) - below(&y, *t)).abs();
    (0.5 * n).sqrt() * x.iter().chain(&y).map(gap).fold(0.0, f64::max)
}

/// The worst of all projections.
fn projections(x: &[Vec<f64>], y: &[Vec<f64>], centre: &[f64]) -> Outcome {
    assert!(x.len() == y.len() && x.len() >= 458);
    let d = centre.len();
    let mut looks: Vec<Look> = Vec::new();
    let at = centre.to_vec();
    looks.push(Box::new(move |x| squared_distance(x, &at)));
    for j in 0..d {
        looks.push(Box::new(move |x| x[j]));
        looks.extend(
            (0..j).flat_map(|k| [-1.0, 1.0].map(|sign| -> Look { Box::new(move |x| x[j] + sign * x[k]) })),
        );
    }
    let statistic = looks
        .iter()
        .map(|look| two_samples(x.iter().map(look).collect(), y.iter().map(look).collect()))
        .fold(0.0, f64::max);
    Outcome { statistic, critical: ((2.0 * looks.len() as f64 / LEVEL).ln() / 2.0).sqrt() }
}

fn outcomes(x: &[Vec<f64>], y: &[Vec<f64>], ball: &Ball) -> [Outcome; 2] {
    let width = 0.5 * ball.radius() * ball.radius();
    [mmd(x, y, width), projections(x, y, ball.centre())]
}

/// A normal law and a ball that cuts it; the mean is outside of the same ball around 0.
fn problem(d: usize) -> (Quadratic, Ball) {
    let centre: Vec<f64> = (0..d).map(|j| 0.9 - 0.2 * j as f64).collect();
    let direction: Vec<f64> = (0..d).map(|j| 1.0 / (1.0 + j as f64)).collect();
    let ball = Ball::new((0..d).map(|j| 1.3 - 0.3 * j as f64).collect(), 1.2).unwrap();
    (Quadratic::new(&centre, 2.0, 3.0, &direction), ball)
}

fn exact(f: &Quadratic, ball: &Ball, n: usize, seed: u64) -> Points {
    let mut rng = Independent::new(seed);
    (0..n).map(|_| rng.in_ball(f, ball)).collect()
}

fn proximal<P: Potential>(f: &mut P, model: &Quadratic, ball: &Ball, n: usize, seed: u64) -> Points {
    let sampler = Proximal::calibrated(f, &on_ball(model.curvature()), ball, 1e-4).unwrap();
    let mut rng = ReplayRng::new(seed);
    (0..n).map(|_| sampler.sample(f, ball, &mut rng).unwrap().theta.reveal_breaking_privacy()).collect()
}

/// H0: the final states of the proximal sampler have the law of exact draws. n = 5000, two statistics in two dimensions
/// each, false alarm ≤ 10⁻⁹ each. A ball around 0 is rejected by both statistics, a doubled γ by
/// the projections.
#[test]
fn the_proximal_sampler_agrees_with_exact_draws() {
    for d in [3, 5] {
        let (f, ball) = problem(d);
        let reference = exact(&f, &ball, 5000, 700 + d as u64);
        let right = outcomes(&proximal(&mut f.clone(), &f, &ball, 5000, 710), &reference, &ball);
        assert!(right.iter().all(|outcome| outcome.accepted()), "{d}: {right:?}");

        let zero = Ball::new(vec![0.0; d], ball.radius()).unwrap();
        let moved = outcomes(&proximal(&mut f.clone(), &f, &zero, 5000, 711), &reference, &ball);
        assert!(!moved[0].accepted() && !moved[1].accepted(), "{d}, ball at 0: {moved:?}");
        let colder = Quadratic { base: 2.0 * f.base, spike: 2.0 * f.spike, ..f.clone() };
        let colder = outcomes(&proximal(&mut colder.clone(), &colder, &ball, 5000, 712), &reference, &ball);
        assert!(!colder[1].accepted(), "{d}, colder: {colder:?}");
    }
}

/// H0: the draws of constrained MALA have the law of exact draws. n = 5000, two statistics in two dimensions each,
/// false alarm ≤ 10⁻⁹ each. Lazy steps with hm = 0.4 and acceptance above ½ forget the start by a factor of 0.9 each;
/// 200 of them leave 10⁻⁹. Every fault is rejected.
#[test]
fn constrained_mala_agrees_with_exact_draws() {
    for d in [3, 5] {
        let (f, ball) = problem(d);
        let reference = exact(&f, &ball, 5000, 720 + d as u64);
        let smoothness = f.curvature().1;
        let schedule = Schedule { step: 0.2, steps: 200, restarts: 60, start: f.centre.clone(), smoothness };
        let mala = schedule.mala();
        let mut rng = ReplayRng::new(730);
        let mut potential = f.clone();
        let draws: Points = (0..5000)
            .map(|_| mala.sample(&mut potential, &ball, &mut rng).unwrap().theta.reveal_breaking_privacy())
            .collect();
        let right = outcomes(&draws, &reference, &ball);
        assert!(right.iter().all(|outcome| outcome.accepted()), "{d}: {right:?}");
        // In one of the two dimensions is enough to see each fault; the costly ones are the honest ones.
        let faults = if d == 3 { [&[Fault::None][..], &FAULTS].concat() } else { vec![] };
        for (seed, fault) in (740..).zip(faults) {
            let mut rng = Independent::new(seed);
            let draws: Points =
                (0..5000).map(|_| faulty(fault, &schedule, &mut potential, &ball, &mut rng)).collect();
            let seen = outcomes(&draws, &reference, &ball);
            let accepted = seen.iter().all(|outcome| outcome.accepted());
            assert_eq!(accepted, fault == Fault::None, "{fault:?}: {seen:?}");
        }
    }
}
