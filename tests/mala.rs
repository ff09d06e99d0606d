//! Constrained MALA against exact laws, and its calibration against exact kernels on grids.
//!
//! The certified lengths are far too long to repeat thousands of times. The statistical tests run the same
//! sampler with a larger step and a shorter chain; that this chain is long enough is computed, not assumed:
//! the kernel is written down on a grid and its exact distance from equilibrium is below what the tests can see.
//! Every statistical test is repeated with faulty chains, which it must reject.
#![allow(clippy::unwrap_used, clippy::result_large_err)]

use crate::reference::{DiskLaw, LineLaw, LogisticPosterior, Outcome, Quadratic, everywhere};
use asap_dp::ball::Ball;
use asap_dp::calibrate::{
    ChainProblem, Norm, Paper, PublicProblem, ln_inverse_inner_tv, ln_inverse_tv, ln_warmness, log_ratio,
    planned_oscillation, proposed_plan, proposed_restarts, shortest_chain, smooth_oscillation,
};
use asap_dp::noise::{RandomBits, ReplayRng};
use asap_dp::privacy::Epsilon;
use asap_dp::sampler::{Mala, Point, Potential, Sampler, log_acceptance};
use core::f64::consts::PI;
use quickcheck::{Arbitrary, Gen, QuickCheck};

// ---------------------------------------------------------------- exact kernels on grids

/// A point that the tests can look at, beside the library's, which shows nothing.
struct Seen {
    theta: Vec<f64>,
    gradient: Vec<f64>,
    value: f64,
    point: Point,
}

impl Seen {
    fn at<P: Potential>(theta: Vec<f64>, potential: &mut P) -> Self {
        let mut gradient = vec![0.0; theta.len()];
        let value = potential.value_and_gradient(&theta, &mut gradient);
        Self { point: Point::at(theta.clone(), potential), theta, gradient, value }
    }
}

/// What a lazy chain is made of.
struct Schedule {
    step: f64,
    steps: u64,
    restarts: u64,
    start: Vec<f64>,
    smoothness: f64,
}

impl Schedule {
    /// The library's sampler of the same schedule.
    fn mala(&self) -> Mala {
        let curvature = everywhere((self.smoothness, self.smoothness));
        Mala::scheduled(self.step, self.steps, self.restarts, self.start.clone(), &curvature).lazy()
    }
}

/// The library's accept test.
fn library(h: f64, x: &Seen, z: &Seen) -> f64 {
    log_acceptance(h, &x.point, &z.point)
}

/// ln q(x→z) for the proposal N(x − h∇f(x), 2hI).
fn ln_proposal(h: f64, x: &Seen, z: &Seen) -> f64 {
    let square: f64 = (0..x.theta.len()).map(|k| (z.theta[k] - x.theta[k] + h * x.gradient[k]).powi(2)).sum();
    -square / (4.0 * h) - 0.5 * x.theta.len() as f64 * (4.0 * PI * h).ln()
}

/// The accept test as it is printed in the paper: the two factors π exchanged.
fn exchanged(h: f64, x: &Seen, z: &Seen) -> f64 {
    library(h, x, z) - 2.0 * (x.value - z.value)
}

/// All points of `axis`^d, for d = 1 or 2.
fn grid<P: Potential>(potential: &mut P, axis: &[f64]) -> Vec<Seen> {
    let other: &[f64] = if potential.dimension() == 1 { &[f64::NAN] } else { axis };
    let rows =
        axis.iter().flat_map(|x| other.iter().map(move |y| if y.is_nan() { vec![*x] } else { vec![*x, *y] }));
    rows.map(|theta| Seen::at(theta, potential)).collect()
}

fn normalised(ln_weights: impl Iterator<Item = f64> + Clone) -> Vec<f64> {
    let top = ln_weights.clone().fold(f64::NEG_INFINITY, f64::max);
    let total: f64 = ln_weights.clone().map(|w| (w - top).exp()).sum();
    ln_weights.map(|w| (w - top).exp() / total).collect()
}

/// The MALA kernel on a grid with cells of volume `cell`: reversible for e^(−f), as the continuous one is.
fn kernel(points: &[Seen], h: f64, cell: f64) -> Vec<Vec<f64>> {
    let mut rows = Vec::new();
    for (i, x) in points.iter().enumerate() {
        let enter = |z: &Seen| cell * (ln_proposal(h, x, z) + library(h, x, z).min(0.0)).exp();
        let mut row: Vec<f64> = points.iter().map(enter).collect();
        row[i] = 0.0;
        row[i] = 1.0 - row.iter().sum::<f64>();
        assert!(row[i] > -1e-6, "the grid is too coarse for this step");
        rows.push(row);
    }
    rows
}

fn apply(law: &[f64], kernel: &[Vec<f64>]) -> Vec<f64> {
    let mut next = vec![0.0; law.len()];
    for (mass, row) in law.iter().zip(kernel) {
        next.iter_mut().zip(row).for_each(|(sum, p)| *sum += mass * p);
    }
    next
}

fn total_variation(p: &[f64], q: &[f64]) -> f64 {
    0.5 * p.iter().zip(q).map(|(p, q)| (p - q).abs()).sum::<f64>()
}

/// TV(law after K lazy steps, π) on a grid that reaches six standard deviations from the mode.
fn distance_from_equilibrium<P: Potential>(potential: &mut P, mala: &Schedule, m: f64, nodes: u32) -> f64 {
    let width = 12.0 / m.sqrt() / f64::from(nodes);
    let middle = mala.start.iter().sum::<f64>() / mala.start.len() as f64;
    let axis: Vec<f64> =
        (0..nodes).map(|k| middle + width * (f64::from(k) - 0.5 * f64::from(nodes))).collect();
    let points = grid(potential, &axis);
    let cell = width.powi(i32::try_from(mala.start.len()).unwrap());
    let kernel = kernel(&points, mala.step, cell);
    let from_start = |x: &Seen| x.theta.iter().zip(&mala.start).map(|(x, c)| (x - c).powi(2)).sum::<f64>();
    let mut law = normalised(points.iter().map(|x| -mala.smoothness * from_start(x)));
    for _ in 0..mala.steps {
        let moved = apply(&law, &kernel);
        law.iter_mut().zip(moved).for_each(|(p, q)| *p = 0.5 * (*p + q));
    }
    total_variation(&law, &normalised(points.iter().map(|x| -x.value)))
}

/// H0: π(x)q(x→z)α(x,z) is symmetric. No sampling: all pairs of a grid, two potentials, three steps, to 10⁻¹².
#[test]
fn the_kernel_is_reversible_and_the_papers_is_not() {
    let axis: Vec<f64> = (-20..=20).map(|k| 0.15 * f64::from(k)).collect();
    let mut logistic = LogisticPosterior::new(&[&[2.0], &[1.0], &[-0.5]], 1.5, 0.3);
    let mut quadratic = Quadratic::new(&[0.4], 1.0, 2.0, &[1.0]);
    for h in [0.01, 0.1, 0.5] {
        for points in [grid(&mut logistic, &axis), grid(&mut quadratic, &axis)] {
            let worst = |ln_ratio: fn(f64, &Seen, &Seen) -> f64| {
                let flow = |x: &Seen, z: &Seen| -x.value + ln_proposal(h, x, z) + ln_ratio(h, x, z).min(0.0);
                let pairs = points.iter().flat_map(|x| points.iter().map(move |z| (x, z)));
                pairs
                    .map(|(x, z)| (flow(x, z) - flow(z, x)).abs() / (1.0 + flow(x, z).abs()))
                    .fold(0.0, f64::max)
            };
            assert!(worst(library) < 1e-12, "{}", worst(library));
            assert!(worst(exchanged) > 0.1, "{}", worst(exchanged));
        }
    }
}

/// `sup ln(μ_0/π)` over a grid, where `μ_0 = N(start, I/(2L))` and π is normalised by the same grid.
fn ln_largest_ratio<P: Potential>(potential: &mut P, l: f64, start: &[f64], axis: &[f64]) -> f64 {
    let points = grid(potential, axis);
    let cell = (axis[1] - axis[0]).powi(i32::try_from(start.len()).unwrap());
    let ln_z = points.iter().map(|x| (-x.value).exp() * cell).sum::<f64>().ln();
    let ln_ratio = |x: &Seen| {
        let square: f64 = x.theta.iter().zip(start).map(|(x, c)| (x - c).powi(2)).sum();
        0.5 * start.len() as f64 * (l / PI).ln() - l * square + x.value + ln_z
    };
    points.iter().map(ln_ratio).fold(f64::NEG_INFINITY, f64::max)
}

/// H0: `μ_0 ≤ β_0·π`. No sampling; equality for an isotropic quadratic from its mode, so no smaller `β_0` is true.
#[test]
fn the_initial_law_is_as_warm_as_promised() {
    let fine: Vec<f64> = (-4000..=4000).map(|k| 0.004 * f64::from(k)).collect();
    let coarse: Vec<f64> = (-200..=200).map(|k| 0.05 * f64::from(k)).collect();
    let promised = |d: u64, (m, l): (f64, f64), tau: f64| ln_warmness(d, l / m, l * tau * tau).unwrap();
    let mut isotropic = Quadratic::new(&[0.5], 2.0, 0.0, &[1.0]);
    let (exact, bound) =
        (ln_largest_ratio(&mut isotropic, 2.0, &[0.5], &fine), promised(1, isotropic.curvature(), 0.0));
    assert!(exact <= bound + 1e-9 && exact > bound - 1e-9, "{exact} {bound}");
    for tau in [0.0, 0.3, 1.0] {
        let mut narrow = Quadratic::new(&[0.5], 2.0, 3.0, &[1.0]);
        let exact = ln_largest_ratio(&mut narrow, 5.0, &[0.5 + tau], &fine);
        assert!(exact <= promised(1, narrow.curvature(), tau), "{exact}");
        let mut oblique = Quadratic::new(&[0.5, -0.5], 1.0, 3.0, &[0.6, 0.8]);
        let exact = ln_largest_ratio(&mut oblique, 4.0, &[0.5, tau - 0.5], &coarse);
        assert!(exact <= promised(2, oblique.curvature(), tau), "{exact}");
    }
}

/// The paper's N(0, I/L) is not warm if the minimiser is not 0: on wider grids the ratio grows without bound.
#[test]
fn the_papers_initial_law_is_not_warm() {
    let ratio = |reach: f64| {
        let mut target = Quadratic::new(&[0.5], 2.0, 0.0, &[1.0]);
        let axis: Vec<f64> = (-4000..=4000).map(|k| reach * f64::from(k) / 4000.0).collect();
        // N(0, I/L) is N(0, I/(2·L/2)).
        ln_largest_ratio(&mut target, 1.0, &[0.0], &axis)
    };
    assert!(ratio(8.0) > 8.0 && ratio(16.0) > 15.0 && ratio(32.0) > 31.0, "{}", ratio(32.0));
}

/// H0: TV after k lazy steps ≤ `β_0·s + β_0(1 − Φ_s²/2)^k` for the certified `(h, Φ_s)`, and ≤ `ξ_in` after K. Exact
/// powers of the kernel on a grid; a conductance 40 times larger would be refuted, so the bound is not idle.
#[test]
fn the_conductance_bound_holds_on_a_grid() {
    let (kappa, ln_inner) = (2.0, 1e6_f64.ln());
    let ln_beta = ln_warmness(1, kappa, 0.0).unwrap();
    let q = log_ratio(ln_beta, ln_inner).unwrap();
    let chain = shortest_chain(1, kappa, q).unwrap();
    // Curvature from 1 to 2: f = x²/2 + 4·ln cosh(x/2).
    let mut target = LogisticPosterior::new(&[&[1.0], &[-1.0], &[1.0], &[-1.0]], 1.0, 1.0);
    assert!((target.curvature().1 - kappa).abs() < 1e-15);
    let width = 0.06;
    let axis: Vec<f64> = (-100..=100).map(|k| width * f64::from(k)).collect();
    let points = grid(&mut target, &axis);
    let mut power = kernel(&points, chain.relative_step / kappa, width);
    for (i, row) in power.iter_mut().enumerate() {
        row[i] += 1.0;
        for p in row {
            *p *= 0.5;
        }
    }
    let stationary = normalised(points.iter().map(|x| -x.value));
    let start = normalised(points.iter().map(|x| -kappa * x.theta[0] * x.theta[0]));

    // Half-lines are the sets with the least flow.
    let (s, mut least, mut mass) = ((-q).exp(), f64::INFINITY, 0.0);
    for cut in 0..points.len() {
        mass += stationary[cut];
        if mass > s && mass <= 0.5 {
            let flow: f64 = (0..=cut).map(|i| stationary[i] * power[i][cut + 1..].iter().sum::<f64>()).sum();
            least = least.min(flow / (mass - s));
        }
    }
    assert!(chain.conductance <= least && least <= 30.0 * chain.conductance, "{least} {}", chain.conductance);

    let bound = |k: f64, phi: f64| ln_beta.exp() * (s + (k * (-0.5 * phi * phi).ln_1p()).exp());
    let (mut k, mut refuted) = (1.0, false);
    while k < chain.steps as f64 {
        let distance = total_variation(&apply(&start, &power), &stationary);
        assert!(distance <= bound(k, chain.conductance), "{k}: {distance}");
        refuted |= distance > bound(k, 40.0 * chain.conductance);
        power = power.iter().map(|row| apply(row, &power)).collect();
        k *= 2.0;
    }
    let distance = total_variation(&apply(&start, &power), &stationary);
    assert!(distance <= (-ln_inner).exp() && k < 2.0 * chain.steps as f64, "{distance}");
    assert!(refuted);
}

// ---------------------------------------------------------------- faulty chains

#[derive(Clone, Copy, Debug, PartialEq)]
enum Fault {
    None,
    /// The accept test of the paper.
    ExchangedRatio,
    /// z = x + √(2h)·N, with the accept test of MALA.
    MissingDrift,
    /// Every proposal is accepted.
    MissingMetropolis,
    /// The end of the first chain is returned, wherever it is.
    MissingBall,
}

fn normal(rng: &mut ReplayRng) -> f64 {
    let mut uniform = || ((rng.next_u64() >> 12) as f64 + 0.5) * f64::EPSILON;
    (-2.0 * uniform().ln()).sqrt() * (2.0 * PI * uniform()).cos()
}

/// The sampler written once more, plainly, with one fault.
fn faulty<P: Potential>(
    fault: Fault,
    mala: &Schedule,
    potential: &mut P,
    ball: &Ball,
    rng: &mut ReplayRng,
) -> Vec<f64> {
    for _ in 0..mala.restarts {
        let deviation = (0.5 / mala.smoothness).sqrt();
        let mut x = Seen::at(mala.start.iter().map(|c| c + deviation * normal(rng)).collect(), potential);
        for _ in 0..mala.steps {
            if rng.next_u64() & 1 == 0 {
                continue;
            }
            let drift = if fault == Fault::MissingDrift { 0.0 } else { mala.step };
            let steps = x.theta.iter().zip(&x.gradient);
            let moved = steps.map(|(x, g)| x - drift * g + (2.0 * mala.step).sqrt() * normal(rng)).collect();
            let z = Seen::at(moved, potential);
            let ln_ratio = match fault {
                Fault::MissingMetropolis => 0.0,
                Fault::ExchangedRatio => exchanged(mala.step, &x, &z),
                _ => library(mala.step, &x, &z),
            };
            if ((rng.next_u64() >> 12) as f64 * f64::EPSILON).ln() < ln_ratio {
                x = z;
            }
        }
        if fault == Fault::MissingBall || ball.contains(&x.theta) {
            return x.theta;
        }
    }
    ball.centre().to_vec()
}

// ---------------------------------------------------------------- statistics

/// Draws of the library's sampler and of the plain one with each fault; the first two must pass, and the faults
/// that are `visible` here must not.
fn check<P: Potential>(
    (name, seed, n): (&str, u64, usize),
    schedule: &Schedule,
    potential: &mut P,
    ball: &Ball,
    visible: &[Fault],
    test: impl Fn(&[Vec<f64>]) -> Outcome,
) {
    let (mut rng, mala) = (ReplayRng::new(seed), schedule.mala());
    let draws: Vec<Vec<f64>> = (0..n)
        .map(|_| mala.sample(potential, ball, &mut rng).unwrap().theta.reveal_breaking_privacy())
        .collect();
    assert!(draws.iter().all(|theta| ball.contains(theta)));
    let outcome = test(&draws);
    assert!(outcome.accepted(), "{name}: {outcome:?}");
    for fault in [&[Fault::None], visible].concat() {
        let draws: Vec<Vec<f64>> =
            (0..n).map(|_| faulty(fault, schedule, potential, ball, &mut rng)).collect();
        let outcome = test(&draws);
        assert_eq!(outcome.accepted(), fault == Fault::None, "{name}, {fault:?}: {outcome:?}");
    }
}

const WITHOUT_BALL: [Fault; 3] = [Fault::ExchangedRatio, Fault::MissingDrift, Fault::MissingMetropolis];
const ALL: [Fault; 4] =
    [Fault::ExchangedRatio, Fault::MissingDrift, Fault::MissingMetropolis, Fault::MissingBall];

fn short(step: f64, steps: u64, start: &[f64], smoothness: f64) -> Schedule {
    Schedule { step, steps, restarts: 24, start: start.to_vec(), smoothness }
}

/// H0: the draws are independent with law p* (Kolmogorov–Smirnov). n = 20000, false alarm ≤ 10⁻⁶ each.
#[test]
fn draws_on_a_line_have_the_right_law() {
    let mut quadratic = Quadratic::new(&[0.3], 4.0, 0.0, &[1.0]);
    let mala = short(0.25, 30, &[0.3], 4.0);
    let distance = distance_from_equilibrium(&mut quadratic, &mala, 4.0, 160);
    assert!(distance < 1e-4, "{distance}");
    for (name, radius, visible) in [("all inside", 4.0, &WITHOUT_BALL[..]), ("edge", 0.5, &ALL)] {
        let ball = Ball::new(vec![0.0], radius).unwrap();
        let law = LineLaw::of(&mut quadratic, &ball);
        let test = |draws: &[Vec<f64>]| law.test(&draws.concat());
        check((name, 1, 20_000), &mala, &mut quadratic, &ball, visible, test);
    }

    let mut logistic = LogisticPosterior::new(&[&[3.0], &[2.0], &[1.0]], 2.0, 0.4);
    let (strong_convexity, smoothness) = logistic.curvature();
    let mala = short(1.2 / smoothness, 60, &[0.9], smoothness);
    let distance = distance_from_equilibrium(&mut logistic, &mala, strong_convexity, 240);
    assert!(distance < 1e-4, "{distance}");
    for (name, radius, visible) in
        [("logistic, all inside", 6.0, &WITHOUT_BALL[..]), ("logistic, edge", 1.2, &ALL)]
    {
        let ball = Ball::new(vec![0.2], radius).unwrap();
        let law = LineLaw::of(&mut logistic, &ball);
        let test = |draws: &[Vec<f64>]| law.test(&draws.concat());
        check((name, 2, 20_000), &mala, &mut logistic, &ball, visible, test);
    }
}

/// H0: the draws are independent with law p* (relative entropy of 6 × 8 cells). n = 15000, false alarm ≤ 10⁻⁶ each.
#[test]
fn draws_on_a_disk_have_the_right_law() {
    let mut quadratic = Quadratic::new(&[0.3, -0.2], 2.0, 3.0, &[0.6, 0.8]);
    let mala = short(0.2, 40, &[0.3, -0.2], 5.0);
    let distance = distance_from_equilibrium(&mut quadratic, &mala, 2.0, 40);
    assert!(distance < 1e-4, "{distance}");
    for (name, radius, visible) in [("all inside", 4.0, &WITHOUT_BALL[..]), ("edge", 0.7, &ALL)] {
        let ball = Ball::new(vec![0.0, 0.1], radius).unwrap();
        let law = DiskLaw::of(&mut quadratic, &ball, 6, 8);
        check((name, 3, 15_000), &mala, &mut quadratic, &ball, visible, |draws| law.test(draws));
    }

    let mut logistic = LogisticPosterior::new(&[&[2.0, 0.0], &[0.0, 2.0], &[1.0, 1.0]], 2.0, 0.5);
    let (strong_convexity, smoothness) = logistic.curvature();
    let mala = short(1.2 / smoothness, 60, &[0.7, 0.7], smoothness);
    let distance = distance_from_equilibrium(&mut logistic, &mala, strong_convexity, 48);
    assert!(distance < 1e-4, "{distance}");
    for (name, radius, visible) in
        [("logistic, all inside", 7.0, &WITHOUT_BALL[..]), ("logistic, edge", 1.3, &ALL)]
    {
        let ball = Ball::new(vec![0.2, 0.2], radius).unwrap();
        let law = DiskLaw::of(&mut logistic, &ball, 6, 8);
        check((name, 4, 15_000), &mala, &mut logistic, &ball, visible, |draws| law.test(draws));
    }
}

/// H0: a chain of no steps ends in `N(θ_opt, I/(2L))` (Kolmogorov–Smirnov). n = 20000, false alarm ≤ 10⁻⁶; the
/// paper's variance 1/L is rejected.
#[test]
fn the_chain_starts_from_the_corrected_initial_law() {
    let line = Ball::new(vec![0.0], 1e3).unwrap();
    let mut potential = Quadratic::new(&[0.7], 4.0, 0.0, &[1.0]);
    let law = LineLaw::new(-9.0, 9.0, |x| -4.0 * (x - 0.7) * (x - 0.7));
    for (smoothness, right) in [(4.0, true), (2.0, false)] {
        let (mala, mut rng) = (short(0.1, 0, &[0.7], smoothness).mala(), ReplayRng::new(7));
        let draw =
            |_| mala.sample(&mut potential, &line, &mut rng).unwrap().theta.reveal_breaking_privacy()[0];
        let draws: Vec<f64> = (0..20_000).map(draw).collect();
        assert_eq!(law.test(&draws).accepted(), right, "{:?}", law.test(&draws));
    }
}

// ---------------------------------------------------------------- the certified sampler and its fallback

/// There is a certified chain with the minimiser inside; near the edge or outside another sampler has to draw.
#[test]
fn there_is_no_chain_where_the_domain_assumption_fails() {
    let ball = Ball::new(vec![0.0], 1.0).unwrap();
    // √m = 3: R_1 = 1 − |θ*| has to be at least (1 + 0.3203)/3.
    for (minimiser, expected) in
        [(0.0, true), (0.5, true), (0.555, true), (0.565, false), (1.0, false), (7.0, false)]
    {
        let mut potential = Quadratic::new(&[minimiser], 9.0, 0.0, &[1.0]);
        let curvature = everywhere(potential.curvature());
        let mala = Mala::certified(&mut potential, &curvature, vec![minimiser], &ball, 0.05);
        assert_eq!(mala.is_some(), expected, "{minimiser}");
    }
    // A point that is not the minimiser: its gradient gives it away.
    let mut potential = Quadratic::new(&[0.0], 9.0, 0.0, &[1.0]);
    let curvature = everywhere(potential.curvature());
    assert!(Mala::certified(&mut potential, &curvature, vec![0.4], &ball, 0.05).is_none());
    assert!(Mala::certified(&mut potential, &curvature, vec![0.0, 0.0], &ball, 0.05).is_none());
}

/// The certified chain itself, at full length: the number of steps is Binomial(K, ½), and the draws are in Θ.
#[test]
fn a_certified_chain_runs_its_full_length() {
    let ball = Ball::new(vec![0.0], 2.0).unwrap();
    let mut potential = Quadratic::new(&[0.1], 9.0, 0.0, &[1.0]);
    let curvature = everywhere(potential.curvature());
    let mala = Mala::certified(&mut potential, &curvature, vec![0.1], &ball, 0.1).unwrap();
    // The same plan from the calibration: the gradient at the minimiser is 0, and L = m = 9.
    let oscillation = smooth_oscillation(0.0, 9.0, 2.0, 0.1).unwrap();
    let plan = proposed_plan(&ChainProblem {
        dimension: 1,
        strong_convexity: 9.0,
        smoothness: 9.0,
        gradient_norm: 0.0,
        distance: 0.1,
        radius: 2.0,
        ln_inverse_tv: ln_inverse_tv(Norm::Two, oscillation, 1, 2.0, 0.1).unwrap(),
    });
    let steps = plan.unwrap().chain.steps as f64;
    assert!(steps > 1e5);
    let mut rng = ReplayRng::new(6);
    for _ in 0..20 {
        let draw = mala.sample(&mut potential, &ball, &mut rng).unwrap();
        let effort = draw.effort.reveal_breaking_privacy();
        let runs = effort.restarts as f64;
        let (mean, deviation) = (0.5 * runs * steps, 0.5 * (runs * steps).sqrt());
        assert!((effort.steps as f64 - mean).abs() <= 6.0 * deviation, "{effort:?}");
        assert_eq!(effort.passes, effort.steps + effort.restarts);
        assert!(ball.contains(&draw.theta.reveal_breaking_privacy()));
    }
}

// ---------------------------------------------------------------- planning over huge ranges

/// n from 1 to 10⁹, d from 1 to 10⁴, ε from 10⁻⁶ to 50, κ from 1 to 10⁶, all on a logarithmic scale.
#[derive(Clone, Copy, Debug)]
struct Wide {
    problem: PublicProblem,
    epsilon: f64,
}

impl Arbitrary for Wide {
    fn arbitrary(g: &mut Gen) -> Self {
        let mut between = |low: f64, high: f64| {
            let share = f64::from(u32::arbitrary(g)) / f64::from(u32::MAX);
            (low.ln() + share * (high / low).ln()).exp()
        };
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
        let problem = PublicProblem {
            rows: between(1.0, 1e9) as u64,
            dimension: between(1.0, 1e4) as u64,
            condition: between(1.0, 1e6),
            regulariser: between(1e-6, 1e6),
            lipschitz: between(1e-3, 1e3),
        };
        Self { problem, epsilon: between(1e-6, 50.0) }
    }
}

/// From public numbers to K and `τ_max`: every number is finite and positive, or the error says what is wrong.
/// Returns whether there is a plan.
fn plan(Wide { problem, epsilon }: Wide) -> Result<u64, asap_dp::Error> {
    let epsilon = Epsilon::new(epsilon)?;
    let local = Paper { c1: 8.0, ..Paper::default() }.pure_localisation(&problem, epsilon)?;
    let smoothness = problem.condition * problem.regulariser;
    let lipschitz = problem.rows as f64 * problem.lipschitz;
    let oscillation = planned_oscillation(local.gamma, lipschitz, smoothness, local.radius)?;
    let ln_inverse = ln_inverse_tv(Norm::One, oscillation, problem.dimension, local.radius, local.delta)?;
    let restarts = proposed_restarts(ln_inverse, 0.5_f64.ln())?;
    let inner = ln_inverse_inner_tv(ln_inverse, 0.5_f64.ln()).unwrap();
    let q = log_ratio(ln_warmness(problem.dimension, problem.condition, 0.0).unwrap(), inner).unwrap();
    assert!(oscillation > 0.0 && ln_inverse > oscillation && q > ln_inverse && restarts as f64 > ln_inverse);
    let chain = shortest_chain(problem.dimension, problem.condition, q)?;
    assert!(chain.relative_step > 0.0 && chain.conductance > 0.0 && chain.conductance < 1.0 / 16.0);
    Ok(chain.steps)
}

#[test]
fn plans_over_huge_ranges_are_finite_or_refused() {
    fn holds(wide: Wide) -> bool {
        match plan(wide) {
            Ok(steps) => steps >= 1,
            // The only reason left is a chain that nobody would run to its end, or no ball at all (d = κ = 1).
            Err(asap_dp::Error::Contract(broken)) => broken.kind == asap_dp::contract::Clause::Range,
            Err(asap_dp::Error::Input(_)) => wide.problem.dimension == 1,
            Err(_) => false,
        }
    }
    QuickCheck::new().tests(2000).max_tests(2000).quickcheck(holds as fn(Wide) -> bool);
    let mut g = Gen::new(10);
    let planned = (0..500).filter(|_| plan(Wide::arbitrary(&mut g)).is_ok()).count();
    assert!(planned > 100, "{planned} of 500");
}
