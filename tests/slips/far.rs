//! A ball far from the origin: the proximal sampler has its law there, or says that it cannot.
//!
//! Seen red: no room for the rounding of the mean in `Proximal::largest_slope`; a slope bounded from the edge of the
//! full ball; `refuse_thin` left out.

use crate::reference::kolmogorov_smirnov;
use asap_dp::ball::Ball;
use asap_dp::noise::ReplayRng;
use asap_dp::sampler::{OnBall, Potential, Proximal, Sampler};
use rayon::prelude::*;

/// f(θ) = (m/2)(θ − c − 3)²: the minimiser is three radii away from the centre c of a ball of radius 1.
struct Away {
    centre: f64,
}

const M: f64 = 2.0;

impl Potential for Away {
    fn dimension(&self) -> usize {
        1
    }

    fn value_and_gradient(&mut self, theta: &[f64], gradient: &mut [f64]) -> f64 {
        let residual = theta[0] - self.centre - 3.0;
        gradient[0] = M * residual;
        0.5 * M * residual * residual
    }

    fn divergence(&mut self, _: &[f64], moved: &[f64]) -> f64 {
        0.5 * M * moved[0] * moved[0]
    }
}

fn draws(centre: f64, n: u64) -> Option<Vec<f64>> {
    let ball = Ball::new(vec![centre], 1.0).unwrap();
    let curvature = OnBall::new(M, M).unwrap();
    let sampler = Proximal::calibrated(&mut Away { centre }, &curvature, &ball, 1e-4).ok()?;
    let one = |run: u64| {
        let draw = sampler.sample(&mut Away { centre }, &ball, &mut ReplayRng::new(run)).unwrap();
        draw.theta.reveal_breaking_privacy()[0] - centre
    };
    Some((0..n).into_par_iter().map(one).collect())
}

/// H0: the law is normal around 3 with variance ½, cut to [−1, 1]. n = 4000, false alarm ≤ 10⁻⁹ for each of 5.
/// The lattice of f64 around the centre, 2⁻¹⁷ at the farthest, moves the distribution function by less than
/// 10⁻⁴; the tests see 0.05.
#[test]
fn a_far_ball_is_drawn_from() {
    let phi = |x: f64| super::law::normal((x - 3.0) * M.sqrt());
    for centre in [0.0, 1e7, 3e8, 1e10, 1e11] {
        let points = draws(centre, 4000).unwrap();
        let outcome =
            kolmogorov_smirnov(&points, |x| ((phi(x) - phi(-1.0)) / (phi(1.0) - phi(-1.0))).clamp(0.0, 1.0));
        assert!(outcome.accepted(), "{centre}: {outcome:?}");
    }
}

/// Where rounding leaves less than half of the ball, nothing is drawn.
#[test]
fn a_ball_without_an_inside_is_refused() {
    for centre in [1e14, 1e15, 1e16, 1e300] {
        assert!(draws(centre, 1).is_none(), "{centre}");
    }
    // Nor from a smaller one than was calibrated for.
    let curvature = OnBall::new(M, M).unwrap();
    let (large, small) = (Ball::new(vec![1e6], 1.0).unwrap(), Ball::new(vec![1e6], 1e-9).unwrap());
    let sampler = Proximal::calibrated(&mut Away { centre: 1e6 }, &curvature, &large, 1e-4).unwrap();
    assert!(sampler.sample(&mut Away { centre: 1e6 }, &small, &mut ReplayRng::new(1)).is_err());
    let point = Ball::new(vec![1e6], 0.0).unwrap();
    let draw = sampler.sample(&mut Away { centre: 1e6 }, &point, &mut ReplayRng::new(1)).unwrap();
    assert_eq!(draw.theta.reveal_breaking_privacy(), vec![1e6]);
}
