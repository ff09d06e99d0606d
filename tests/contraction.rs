//! The contraction of the proximal step in Wasserstein-∞ distance, computed on a grid: nothing here is random but
//! the last test, which compares the sampler out of equilibrium with the same grid.
//!
//! In one dimension W∞ is the largest distance of two quantile functions. Laws are piecewise uniform on
//! cells of width h = 2B/1000; distances are compared up to 2h, for quantiles from 10⁻¹² to 1 − 10⁻¹².
#![allow(clippy::unwrap_used, missing_docs)]

use crate::reference::{LogisticPosterior, Quadratic, kolmogorov_smirnov, on_ball};
use asap_dp::ball::Ball;
use asap_dp::noise::ReplayRng;
use asap_dp::sampler::{Potential, Proximal, Sampler};

const CELLS: usize = 1000;
const STEPS: i32 = 25;

/// What the kernel does, rightly or not.
#[derive(Clone, Copy, PartialEq)]
enum Kernel {
    Right,
    /// The conditional law has twice the precision around y that the step has.
    OtherStep,
    /// The conditional law is not restricted to the ball: what leaves it is projected.
    Unrestricted,
}

/// The ball `[c − B, c + B]` in cells, e^(−f) on it, and the kernel between its cells and the points y.
struct Grid {
    radius: f64,
    centres: Vec<f64>,
    /// e^(−f), relative to its largest value on the ball, at the centres.
    density: Vec<f64>,
    /// The same beyond the ball, up to its threefold: (nearest cell of the ball, centre, density).
    beyond: Vec<(usize, f64, f64)>,
    /// The points y, up to ten deviations outside and sixteen to a deviation, with e^(−(x − y)²/(2η)) for all x.
    intermediate: Vec<(f64, Vec<f64>)>,
    step: f64,
}

fn bell(distance: f64, step: f64) -> f64 {
    (-0.5 * distance * distance / step).exp()
}

impl Grid {
    fn new<P: Potential>(f: &mut P, ball: &Ball, step: f64) -> Self {
        let (centre, radius) = (ball.centre()[0], ball.radius());
        let centres: Vec<f64> =
            (0..CELLS).map(|k| centre + radius * ((2 * k + 1) as f64 / CELLS as f64 - 1.0)).collect();
        let values: Vec<f64> = centres.iter().map(|x| f.value_and_gradient(&[*x], &mut [0.0])).collect();
        let least = values.iter().copied().fold(f64::INFINITY, f64::min);
        let mut density_at = |x: f64| (least - f.value_and_gradient(&[x], &mut [0.0])).exp();
        let beyond = [(0, -2.0 * radius), (CELLS - 1, 2.0 * radius)]
            .into_iter()
            .flat_map(|(edge, shift)| centres.iter().map(move |x| (edge, x + shift)).collect::<Vec<_>>());
        let beyond = beyond.map(|(edge, x)| (edge, x, density_at(x))).collect();
        let density = values.iter().map(|value| (least - value).exp()).collect();
        let (deviation, outermost) = (step.sqrt(), radius + 10.0 * step.sqrt());
        let intermediate = core::iter::successors(Some(-outermost), |y| Some(y + deviation / 16.0))
            .take_while(|y| *y <= outermost)
            .map(|y| (centre + y, centres.iter().map(|x| bell(x - centre - y, step)).collect()))
            .collect();
        Self { radius, centres, density, beyond, intermediate, step }
    }

    fn width(&self) -> f64 {
        2.0 * self.radius / CELLS as f64
    }

    fn target(&self) -> Vec<f64> {
        normalised(self.density.clone())
    }

    /// The law after one step.
    fn advance(&self, law: &[f64], kernel: Kernel) -> Vec<f64> {
        let mut after = vec![0.0; CELLS];
        for (y, bells) in &self.intermediate {
            let mass: f64 = bells.iter().zip(law).map(|(bell, p)| p * bell).sum();
            // Half the step size squares the bell.
            let power = |bell: f64| if kernel == Kernel::OtherStep { bell * bell } else { bell };
            let inside = bells.iter().zip(&self.density).map(|(bell, p)| p * power(*bell)).enumerate();
            let beyond = self.beyond.iter().filter(|_| kernel == Kernel::Unrestricted);
            let beyond = beyond.map(|(edge, x, p)| (*edge, p * bell(x - y, self.step)));
            let arriving: Vec<(usize, f64)> = inside.chain(beyond).collect();
            let total: f64 = arriving.iter().map(|(_, weight)| weight).sum();
            // Where even the nearest cell underflows nothing arrives.
            if total > 0.0 {
                for (cell, weight) in arriving {
                    after[cell] += mass / total * weight;
                }
            }
        }
        normalised(after)
    }

    /// W∞ between two laws, over the quantiles that can be resolved.
    fn distance(&self, one: &[f64], other: &[f64]) -> f64 {
        let backwards = |law: &[f64]| law.iter().rev().copied().collect::<Vec<f64>>();
        let lower = self.lower_distance(one, other);
        lower.max(self.lower_distance(&backwards(one), &backwards(other)))
    }

    /// The largest distance of the quantiles from 10⁻¹² to ½. Both quantile functions are linear between the
    /// values of the two distribution functions, so only those are looked at.
    fn lower_distance(&self, one: &[f64], other: &[f64]) -> f64 {
        let [one, other] = [one, other].map(cumulative);
        let levels = one.iter().chain(&other).copied().filter(|level| (1e-12..=0.5).contains(level));
        levels.map(|u| (self.quantile(&one, u) - self.quantile(&other, u)).abs()).fold(0.0, f64::max)
    }

    /// The quantile, as a distance from the end of the interval. At a level where the distribution function is
    /// flat it is the middle of the flat part's ends, off by less than a cell.
    fn quantile(&self, cumulative: &[f64], level: f64) -> f64 {
        let right = cumulative.partition_point(|p| *p < level).clamp(1, CELLS);
        let rise = cumulative[right] - cumulative[right - 1];
        let share = if rise > 0.0 { ((level - cumulative[right - 1]) / rise).clamp(0.0, 1.0) } else { 1.0 };
        self.width() * ((right - 1) as f64 + share)
    }

    fn cdf(&self, law: &[f64]) -> impl Fn(f64) -> f64 + use<> {
        let (cumulative, from, width) = (cumulative(law), self.centres[0] - 0.5 * self.width(), self.width());
        move |x| {
            let place = ((x - from) / width).clamp(0.0, CELLS as f64);
            #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a cell")]
            let cell = (place as usize).min(CELLS - 1);
            cumulative[cell] + (place - cell as f64) * (cumulative[cell + 1] - cumulative[cell])
        }
    }
}

/// All mass in one cell.
fn start(cell: usize) -> Vec<f64> {
    (0..CELLS).map(|k| f64::from(u8::from(k == cell))).collect()
}

fn normalised(mut law: Vec<f64>) -> Vec<f64> {
    let total: f64 = law.iter().sum();
    for mass in &mut law {
        *mass /= total;
    }
    law
}

fn cumulative(law: &[f64]) -> Vec<f64> {
    let mut sum = vec![0.0];
    for mass in law {
        sum.push(sum[sum.len() - 1] + mass);
    }
    sum
}

/// The largest of W∞(law after k steps, p*) − (first distance)/(1 + mη)^k, in cells, over all steps; below 2 if
/// the contraction holds.
fn excess(grid: &Grid, kernel: Kernel, m: f64, cell: usize, first: f64) -> f64 {
    let target = grid.target();
    let mut law = start(cell);
    let mut worst = f64::NEG_INFINITY;
    for k in 0..=STEPS {
        let bound = first / (1.0 + m * grid.step).powi(k);
        worst = worst.max((grid.distance(&law, &target) - bound) / grid.width());
        law = grid.advance(&law, kernel);
    }
    worst
}

/// A potential with its curvature and its ball.
struct Problem {
    potential: AnyPotential,
    /// m and L.
    curvature: (f64, f64),
    ball: Ball,
}

/// The minimiser in the middle, near the edge, and outside.
fn problems() -> Vec<Problem> {
    let quadratic = |minimiser: f64, radius: f64| {
        let potential = Quadratic::new(&[minimiser], 1.0, 0.0, &[1.0]);
        let (curvature, ball) = (potential.curvature(), Ball::new(vec![0.0], radius).unwrap());
        Problem { potential: AnyPotential::Quadratic(potential), curvature, ball }
    };
    let logistic = |centre: f64| {
        let potential = LogisticPosterior::new(&[&[1.0], &[-0.5], &[2.0]], 3.0, 0.5);
        let (curvature, ball) = (potential.curvature(), Ball::new(vec![centre], 2.0).unwrap());
        Problem { potential: AnyPotential::Logistic(potential), curvature, ball }
    };
    vec![quadratic(0.3, 3.0), quadratic(1.9, 2.0), quadratic(5.0, 2.0), logistic(0.5), logistic(4.0)]
}

enum AnyPotential {
    Quadratic(Quadratic),
    Logistic(LogisticPosterior),
}

impl Potential for AnyPotential {
    fn dimension(&self) -> usize {
        1
    }

    fn value_and_gradient(&mut self, theta: &[f64], gradient: &mut [f64]) -> f64 {
        match self {
            Self::Quadratic(f) => f.value_and_gradient(theta, gradient),
            Self::Logistic(f) => f.value_and_gradient(theta, gradient),
        }
    }

    fn divergence(&mut self, anchor: &[f64], moved: &[f64]) -> f64 {
        match self {
            Self::Quadratic(f) => f.divergence(anchor, moved),
            Self::Logistic(f) => f.divergence(anchor, moved),
        }
    }
}

/// mη: small, moderate, large.
const PRODUCTS: [f64; 3] = [0.1, 1.0, 30.0];

#[test]
fn the_target_is_invariant() {
    for Problem { mut potential, curvature, ball } in problems() {
        for product in PRODUCTS {
            let grid = Grid::new(&mut potential, &ball, product / curvature.0);
            let target = grid.target();
            let largest = |kernel| {
                let after = grid.advance(&target, kernel);
                after.iter().zip(&target).map(|(p, q)| (p - q).abs() / q).fold(0.0, f64::max)
            };
            assert!(largest(Kernel::Right) < 1e-6, "{}", largest(Kernel::Right));
            assert!(largest(Kernel::OtherStep) > 1e-3 && largest(Kernel::Unrestricted) > 1e-3);
        }
    }
}

#[test]
fn every_step_contracts_from_the_centre_and_from_both_edges() {
    for (k, Problem { mut potential, curvature, ball }) in problems().into_iter().enumerate() {
        let m = curvature.0;
        for product in PRODUCTS {
            let grid = Grid::new(&mut potential, &ball, product / m);
            let (radius, cells) = (ball.radius(), [CELLS / 2, 0, CELLS - 1]);
            for (cell, first) in cells.into_iter().zip([radius, 2.0 * radius, 2.0 * radius]) {
                let excess = excess(&grid, Kernel::Right, m, cell, first);
                assert!(
                    excess < 2.0,
                    "problem {k}, mη = {product}, from cell {cell}: {excess} cells too far"
                );
            }
        }
    }
}

#[test]
fn wrong_kernels_do_not_contract_to_the_target() {
    for Problem { mut potential, curvature, ball } in problems() {
        let m = curvature.0;
        let grid = Grid::new(&mut potential, &ball, 1.0 / m);
        for kernel in [Kernel::OtherStep, Kernel::Unrestricted] {
            assert!(excess(&grid, kernel, m, CELLS / 2, ball.radius()) > 5.0);
        }
    }
    let Problem { mut potential, curvature, ball } = problems().remove(0);
    let grid = Grid::new(&mut potential, &ball, 0.1 / curvature.0);
    assert!(excess(&grid, Kernel::Right, 2.0, 0, 2.0 * ball.radius()) > 5.0, "a rate that is too good");
}

/// H0: after K steps from the centre the sampler has the law of the grid. n = 40000, false alarm ≤ 10⁻⁹ each.
#[test]
fn the_sampler_has_the_law_of_the_grid_out_of_equilibrium() {
    for (seed, Problem { mut potential, curvature, ball }) in (500..).zip(problems()) {
        // With m = L one step is equilibrium; a smaller declared m makes rejections and more steps.
        let curvature = (0.4 * curvature.0, curvature.1);
        for steps in [1, 2] {
            let m = curvature.0;
            // The step size does not depend on the error; the error that takes this many steps does on it.
            let mut calibrated =
                |error| Proximal::calibrated(&mut potential, &on_ball(curvature), &ball, error).unwrap();
            let product = m * calibrated(1.0).step().reveal_breaking_privacy();
            let error = ball.radius() * (1.0 + product).powf(0.5 - f64::from(steps));
            let sampler = calibrated(error);
            assert_eq!(sampler.steps().reveal_breaking_privacy(), u64::try_from(steps).unwrap());
            let grid = Grid::new(&mut potential, &ball, product / m);
            let mut laws = vec![start(CELLS / 2)];
            for _ in 0..=steps {
                laws.push(grid.advance(&laws[laws.len() - 1], Kernel::Right));
            }
            let mut rng = ReplayRng::new(seed);
            let draw = |_| {
                sampler.sample(&mut potential, &ball, &mut rng).unwrap().theta.reveal_breaking_privacy()[0]
            };
            let sample: Vec<f64> = (0..40_000).map(draw).collect();
            let outcome = |law: &[f64]| kolmogorov_smirnov(&sample, grid.cdf(law));
            let [_, .., this, next] = laws.as_slice() else { unreachable!() };
            assert!(outcome(this).accepted(), "{steps} steps, seed {seed}: {:?}", outcome(this));
            // Sabotage: the law of one step more. After the second step the laws are too close to be told apart.
            assert!(steps > 1 || !outcome(next).accepted(), "seed {seed}: {:?}", outcome(next));
        }
    }
}
