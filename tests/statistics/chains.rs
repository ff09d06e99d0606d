//! Constrained MALA written once more, plainly, with one fault; and the line on which each fault shows.

use crate::independent::Independent;
use crate::reference::{LineLaw, Quadratic, everywhere};
use asap_dp::ball::Ball;
use asap_dp::noise::ReplayRng;
use asap_dp::sampler::{Mala, Potential, Sampler};

/// What may be wrong with a chain.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Fault {
    None,
    /// The factors π of the accept ratio are exchanged, as printed in the paper.
    ExchangedRatio,
    /// Every proposal is accepted.
    NoMetropolis,
    /// The drift climbs: x + h∇f, with the accept test of MALA.
    WrongDriftSign,
    /// The reverse proposal density is computed as if h were 1.
    ReverseStepIgnored,
    /// The end of the first chain is returned, wherever it is.
    NoBall,
    /// The ball is the one of the same radius around 0.
    BallAtZero,
}

pub(crate) const FAULTS: [Fault; 6] = [
    Fault::ExchangedRatio,
    Fault::NoMetropolis,
    Fault::WrongDriftSign,
    Fault::ReverseStepIgnored,
    Fault::NoBall,
    Fault::BallAtZero,
];

/// What a lazy chain is made of.
pub(crate) struct Schedule {
    pub(crate) step: f64,
    pub(crate) steps: u64,
    pub(crate) restarts: u64,
    pub(crate) start: Vec<f64>,
    pub(crate) smoothness: f64,
}

impl Schedule {
    /// The library's sampler of the same schedule.
    pub(crate) fn mala(&self) -> Mala {
        let curvature = everywhere((self.smoothness, self.smoothness));
        Mala::scheduled(self.step, self.steps, self.restarts, self.start.clone(), &curvature).lazy()
    }
}

/// A point with its value and gradient.
struct Seen {
    theta: Vec<f64>,
    gradient: Vec<f64>,
    value: f64,
}

impl Seen {
    fn at<P: Potential>(theta: Vec<f64>, potential: &mut P) -> Self {
        let mut gradient = vec![0.0; theta.len()];
        let value = potential.value_and_gradient(&theta, &mut gradient);
        Self { theta, gradient, value }
    }
}

/// ln of the density of a proposal z from x with step size h, without what does not depend on the points.
fn ln_proposal(h: f64, x: &Seen, z: &Seen) -> f64 {
    let square: f64 = (0..x.theta.len()).map(|k| (z.theta[k] - x.theta[k] + h * x.gradient[k]).powi(2)).sum();
    -square / (4.0 * h)
}

fn ln_ratio(fault: Fault, h: f64, x: &Seen, z: &Seen) -> f64 {
    let reverse = if fault == Fault::ReverseStepIgnored { 1.0 } else { h };
    let energy = if fault == Fault::ExchangedRatio { z.value - x.value } else { x.value - z.value };
    energy + ln_proposal(reverse, z, x) - ln_proposal(h, x, z)
}

/// One draw.
pub(crate) fn faulty<P: Potential>(
    fault: Fault,
    schedule: &Schedule,
    potential: &mut P,
    ball: &Ball,
    rng: &mut Independent,
) -> Vec<f64> {
    let h = schedule.step;
    let drift = if fault == Fault::WrongDriftSign { -h } else { h };
    let zero = Ball::new(vec![0.0; ball.dimension()], ball.radius()).unwrap();
    let ball = if fault == Fault::BallAtZero { &zero } else { ball };
    for _ in 0..schedule.restarts {
        let deviation = (0.5 / schedule.smoothness).sqrt();
        let mut x =
            Seen::at(schedule.start.iter().map(|c| c + deviation * rng.normal()).collect(), potential);
        for _ in 0..schedule.steps {
            if rng.uniform() < 0.5 {
                continue;
            }
            let steps = x.theta.iter().zip(&x.gradient);
            let z = steps.map(|(x, g)| x - drift * g + (2.0 * h).sqrt() * rng.normal()).collect();
            let z = Seen::at(z, potential);
            if fault == Fault::NoMetropolis || rng.uniform().ln() < ln_ratio(fault, h, &x, &z) {
                x = z;
            }
        }
        if fault == Fault::NoBall || ball.contains(&x.theta) {
            return x.theta;
        }
    }
    ball.centre().to_vec()
}

/// H0: the draws of constrained MALA are independent with the normal law conditioned on the ball (Kolmogorov–Smirnov
/// against quadrature). n = 20000, false alarm ≤ 10⁻⁹ each. f = 2(x − 0.3)², h = ¼, so that hL = 1 and lazy steps
/// forget the start by a factor below 0.8 each: 60 of them leave 10⁻⁶.
#[test]
fn every_fault_of_a_chain_shows_on_a_line() {
    let mut f = Quadratic::new(&[0.3], 4.0, 0.0, &[1.0]);
    let schedule = Schedule { step: 0.25, steps: 60, restarts: 24, start: vec![0.3], smoothness: 4.0 };
    let mala = schedule.mala();
    let ball = Ball::new(vec![0.25], 0.8).unwrap();
    let law = LineLaw::of(&mut f, &ball);
    let mut rng = ReplayRng::new(601);
    let draws: Vec<f64> = (0..20_000)
        .map(|_| mala.sample(&mut f, &ball, &mut rng).unwrap().theta.reveal_breaking_privacy()[0])
        .collect();
    assert!(law.test(&draws).accepted(), "{:?}", law.test(&draws));
    for (seed, fault) in (602..).zip([&[Fault::None][..], &FAULTS].concat()) {
        let mut rng = Independent::new(seed);
        let draws: Vec<f64> =
            (0..20_000).map(|_| faulty(fault, &schedule, &mut f, &ball, &mut rng)[0]).collect();
        let outcome = law.test(&draws);
        assert_eq!(outcome.accepted(), fault == Fault::None, "{fault:?}: {outcome:?}");
    }
}
