//! Steps of the proximal sampler, seen from the inside.

use super::*;
use crate::noise::ReplayRng;

/// A potential of one variable, given by its derivative at a point and its divergence between two.
struct OnLine<G, D>(G, D);

impl<G: FnMut(f64) -> f64, D: FnMut(f64, f64) -> f64> Potential for OnLine<G, D> {
    fn dimension(&self) -> usize {
        1
    }

    /// The proximal sampler does not look at values.
    fn value_and_gradient(&mut self, theta: &[f64], gradient: &mut [f64]) -> f64 {
        gradient[0] = (self.0)(theta[0]);
        f64::NAN
    }

    fn divergence(&mut self, anchor: &[f64], moved: &[f64]) -> f64 {
        (self.1)(anchor[0], moved[0])
    }
}

/// f = c·x²/2, moved to a minimiser.
fn parabola(curvature: f64, minimiser: f64) -> impl Potential {
    OnLine(move |x| curvature * (x - minimiser), move |_, v| 0.5 * curvature * v * v)
}

/// With any pull that a potential may have.
fn sampler(strong_convexity: f64, smoothness: f64, step: f64, steps: u64) -> Proximal {
    Proximal { strong_convexity, smoothness, pull: 1e9, radius: 1e9, step, steps }
}

fn ball(radius: f64) -> Ball {
    Ball::new(vec![0.0], radius).unwrap()
}

/// H0: one step from a point b of the boundary has the law N(b/(1 + mη), η/(1 + mη)² + 1/(m + 1/η)), for
/// f = mx²/2 and a ball so large that its edge is out of sight from there. n = 4000; false alarm below 10⁻⁶
/// for the mean (five standard errors) and the variance (Laurent and Massart, t = 15).
#[test]
fn one_step_from_the_boundary_has_the_law_of_theory() {
    let (m, b, n) = (2.0, 30.0, 4000.0_f64);
    for (seed, step) in [(1, 0.3), (2, 5.0), (3, 1e6)] {
        // Declared as less convex than it is: with rejections.
        let (sampler, domain) = (sampler(1.5, m, step, 1), ball(b));
        let (mut f, mut rng) = (parabola(m, 0.0), ReplayRng::new(seed));
        let mut chain = ProximalChain {
            sampler: &sampler,
            potential: &mut f,
            domain: &domain,
            rng: &mut rng,
            tally: Counts::default(),
        };
        let shrunk = 1.0 + m * step;
        let variance = step / (shrunk * shrunk) + 1.0 / (m + 1.0 / step);
        let (mut sum, mut squares) = (0.0_f64, 0.0_f64);
        for _ in 0..4000 {
            let start = chain.evaluate(vec![b]);
            let z = (chain.advance(start).point[0] - b / shrunk) / variance.sqrt();
            sum += z;
            squares += z * z;
        }
        assert!(sum.abs() <= 5.0 * n.sqrt(), "step {step}: mean {}", sum / n);
        assert!((squares - n).abs() <= 2.0 * (15.0 * n).sqrt() + 30.0, "step {step}: {}", squares / n);
        assert_eq!(chain.tally.violations, 0);
    }
}

#[test]
fn an_honest_potential_never_breaks_its_promise() {
    // ln cosh x + x²/2, with a divergence that is rounded as badly as a sum over many records.
    for rounding in [0.0, 1e-6, -1e-6] {
        let above = |x: f64, v: f64| (x + v).cosh().ln() - x.cosh().ln() - x.tanh() * v + 0.5 * v * v;
        let mut f = OnLine(|x: f64| x.tanh() + x, |x, v| above(x, v) + rounding);
        let (_, tally) = sampler(1.0, 2.0, 0.5, 5000).run(&mut f, &ball(3.0), &mut ReplayRng::new(5));
        assert_eq!((tally.violations, tally.effort.steps), (0, 5000));
        // One gradient for each state, and some for better anchors; one divergence for each proposal.
        assert!(tally.effort.passes >= 5001 && tally.effort.divergences == tally.effort.proposals);
    }
}

#[test]
fn a_wrong_curvature_is_noticed_and_the_chain_ends_in_the_ball() {
    let mut rng = ReplayRng::new(6);
    // Less convex, and less smooth, than declared.
    for (m, l) in [(3.0, 3.0), (0.1, 0.2)] {
        let (theta, tally) = sampler(m, l, 2.0, 20).run(&mut parabola(1.0, 0.0), &ball(3.0), &mut rng);
        assert!(ball(3.0).contains(&theta) && tally.violations > 0);
    }
    // A pull out of the ball that was not promised: the step is not made, in any number of dimensions.
    let calm = Proximal { pull: 0.0, radius: 1.0, ..sampler(1.0, 1.0, 1.0, 7) };
    let (theta, tally) = calm.run(&mut parabola(1.0, 1e6), &ball(1.0), &mut rng);
    assert!(theta == [0.0] && tally.violations == 7 && tally.effort.proposals == 0);
}

#[test]
fn numbers_that_are_none_end_the_step_and_not_the_program() {
    type Hostile = (fn(f64) -> f64, fn(f64, f64) -> f64);
    let hostile: [Hostile; 7] = [
        (|_| 0.0, |_, _| f64::NAN),
        (|_| f64::NAN, |_, _| 0.0),
        (|_| f64::INFINITY, |_, _| f64::INFINITY),
        (|_| 1.0, |_, _| f64::NEG_INFINITY),
        (|_| 1e300, |_, v| 0.5 * v * v),
        (|_| 0.0, |_, v| if v == 0.0 { 0.0 } else { f64::NAN }),
        (|x| x, |x, v| if x + v > 0.0 { f64::INFINITY } else { 0.5 * v * v }),
    ];
    for (gradient, divergence) in hostile {
        // A wall is met by chance, half of the time: four chains of three steps.
        let mut violated = false;
        for seed in 7..11 {
            let mut f = OnLine(gradient, divergence);
            let chain = sampler(1.0, 2.0, 1.0, 3);
            let (theta, tally) = chain.run(&mut f, &ball(1.0), &mut ReplayRng::new(seed));
            assert!(ball(1.0).contains(&theta));
            // At most a thousand violations a step, and few passes besides.
            let passes = tally.effort.passes + tally.effort.divergences;
            assert!(passes < 5000, "{:?}", tally.effort);
            violated |= tally.violations > 0;
        }
        assert!(violated);
    }
}

/// A proposal whose energy is NaN is never taken: the chain does not move at all.
#[test]
fn an_energy_that_is_no_number_is_never_accepted() {
    let mut f = OnLine(|x| x, |_, _| f64::NAN);
    let (theta, tally) = sampler(1.0, 2.0, 1.0, 2).run(&mut f, &ball(1.0), &mut ReplayRng::new(9));
    assert!(theta == [0.0] && tally.violations == 2 * LARGEST_VIOLATIONS);
}

#[test]
fn far_from_equilibrium_the_anchor_is_improved_first() {
    // The minimiser is 10⁶ deviations outside; without a better anchor no proposal would be accepted.
    let mut f = parabola(2.0, 1e6);
    let (theta, tally) = sampler(1.0, 2.0, 1.0, 40).run(&mut f, &ball(1000.0), &mut ReplayRng::new(8));
    let passes = tally.effort.passes + tally.effort.divergences;
    assert!(theta[0] > 999.0 && passes < 250 && tally.violations == 0, "{:?}", tally.effort);
}

#[test]
fn a_ball_that_is_larger_than_the_calibrated_one_is_refused() {
    let mut f = parabola(1.0, 0.0);
    let curvature = OnBall::new(1.0, 1.0).unwrap();
    let sampler = Proximal::calibrated(&mut f, &curvature, &ball(1.0), 0.1).unwrap();
    let mut sample = |radius| sampler.sample(&mut f, &ball(radius), &mut ReplayRng::new(1)).err();
    assert_eq!(sample(1.0_f64.next_up()).map(|error| error.field), Some("radius"));
    assert!(sample(1.0).is_none() && sample(0.0).is_none());
}

/// A step fewer than the contract asks for is no sampler, whoever proposed it. Red where `decided` accepts everything: as many steps as
/// `calibrate` said were taken, also one.
#[test]
fn a_number_of_steps_is_decided_here() {
    let curvature = OnBall::new(2.0, 10.0).unwrap();
    let it = || Proximal::calibrated(&mut parabola(2.0, 0.5), &curvature, &ball(5.0), 1e-6).unwrap();
    let steps = it().steps;
    let with = |steps| Proximal { steps, ..it() }.decided(1e-6).is_some();
    assert!(with(steps) && with(steps + 1) && !with(steps - 1) && !with(1), "{steps}");
}
