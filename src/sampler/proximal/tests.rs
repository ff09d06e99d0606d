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

/// A step fewer than the contract asks for is no sampler, whoever proposed it. Red where `decided` accepts everything:
/// as many steps as `calibrate` said were taken, also one.
#[test]
fn a_number_of_steps_is_decided_here() {
    let curvature = OnBall::new(2.0, 10.0).unwrap();
    let it = || Proximal::calibrated(&mut parabola(2.0, 0.5), &curvature, &ball(5.0), 1e-6).unwrap();
    let steps = it().steps;
    let with = |steps| Proximal { steps, ..it() }.decided(1e-6).is_some();
    assert!(with(steps) && with(steps + 1) && !with(steps - 1) && !with(1), "{steps}");
}

/// m = 2, L = 10, η = ½, so that λ = 4 and L − m = 8.
fn usual() -> Proximal {
    Proximal { pull: 3.0, radius: 4.0, ..sampler(2.0, 10.0, 0.5, 1) }
}

/// x₀ − (g + (x₀ − y)/η)/4 = (1 − (8 − 4)/4, 2 − (−2 + 6)/4).
#[test]
fn the_mean_of_a_proposal_by_hand() {
    assert_eq!((usual().precision(), usual().excess()), (4.0, 8.0));
    let anchor = Evaluated { point: vec![1.0, 2.0], gradient: vec![8.0, -2.0] };
    assert_eq!(usual().descend(&anchor, &[3.0, -1.0], 4.0), [0.0, 1.0]);
}

/// A centre so far away that its rounding takes 8·10·2⁻⁵³·2⁴⁵ = 0.3125 of the radius 4. The promised slope is
/// 3 + 2·8·4, 12 for a y that is 6 outside, and 2·4·0.3125; and one part in 2²⁰ of that and of λB = 16.
#[test]
fn the_largest_slope_by_hand() {
    let far = 2.0_f64.powi(45);
    let domain = Ball::new(vec![far, 0.0], 4.0).unwrap();
    for (y, promised) in [([far + 6.0, 8.0], 81.5), ([far + 1.0, 1.0], 69.5)] {
        let slope = usual().largest_slope(&y, &domain);
        assert!((slope - promised - (promised + 16.0) / 1_048_576.0).abs() < 1e-9, "{slope}");
    }
}

/// For ‖v‖² = 5 the energy is D − 5, between 0 and 20, with room for 1 and one part in 2²⁰ of D + 25.
#[test]
fn energies_and_their_bounds_by_hand() {
    let of = |divergence: f64| usual().energy(divergence, &[1.0, 2.0]);
    assert!(of(12.0).value == 7.0 && of(12.0).is_promised && of(5.0).is_promised && of(25.0).is_promised);
    assert!(of(3.99998).is_promised && !of(3.99997).is_promised);
    assert!(of(26.0000486).is_promised && !of(26.0000487).is_promised);
    for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        assert!(!of(bad).is_promised, "{bad}");
    }
    // Without a move the room is t = 1 + t/2²⁰, and t itself is within it.
    let room = (0..4).fold(1.0, |room: f64, _| 1.0 + room / 1_048_576.0);
    let still = |divergence: f64| usual().energy(divergence, &[0.0, 0.0]).is_promised;
    assert!(still(room) && still(-room) && !still(room.next_up()) && !still(-room.next_up()));
}

/// The mode is y/2. It may be off by s with 4s² ≤ 1; or, without an excess, with 4s² ≤ 8d.
#[test]
fn anchors_are_poor_where_they_are_too_far_from_the_mode() {
    let at_zero = Evaluated { point: vec![0.0; 2], gradient: vec![0.0; 2] };
    let wide = Ball::new(vec![0.0; 2], 100.0).unwrap();
    let bent = |y: f64| usual().is_poor(&at_zero, &[y, 0.0], &wide);
    assert!(!bent(0.0) && !bent(1.0) && bent(1.02) && bent(-1.02));
    let round = |y: f64, domain: &Ball| sampler(2.0, 2.0, 0.5, 1).is_poor(&at_zero, &[y, 0.0], domain);
    assert!(!round(4.0, &wide) && round(4.1, &wide));
    // The most likely proposal is in the ball.
    assert!(!round(40.0, &Ball::new(vec![0.0; 2], 1.0).unwrap()));
    let mut f = OnLine(|_| f64::NAN, |_, _| 0.0);
    let mut gradient = [0.0];
    f.value_and_gradient(&[0.0], &mut gradient);
    let unknown = Evaluated { point: vec![0.0], gradient: gradient.to_vec() };
    assert!(!usual().is_poor(&unknown, &[0.0], &ball(1.0)));
}

/// f = 5(x − 6)² and x²/(2η) bend by 12 together: one step of the search ends at their minimum,
/// 60/12 = 5, with the slope −10.
#[test]
fn a_better_anchor_by_hand() {
    let (sampler, domain, mut f) = (usual(), ball(100.0), parabola(10.0, 6.0));
    let (potential, rng) = (&mut f, &mut ReplayRng::new(1));
    let tally = Counts::default();
    let mut chain = ProximalChain { sampler: &sampler, potential, domain: &domain, rng, tally };
    let state = chain.evaluate(vec![0.0]);
    let better = chain.better_anchor(&state, &[0.0]).unwrap();
    assert!((better.point[0] - 5.0).abs() < 1e-14 && (better.gradient[0] + 10.0).abs() < 1e-13);
    assert_eq!(chain.tally.effort.passes, 2);
    assert!(chain.better_anchor(&better, &[0.0]).is_none());
    // The edge of the ball is in the way.
    let domain = ball(3.0);
    let mut chain = ProximalChain { domain: &domain, ..chain };
    let better = chain.better_anchor(&state, &[0.0]).unwrap();
    assert!((better.point[0] - 3.0).abs() < 1e-14);
}

/// 30 − 2·5, and nothing where the slope is less than mB.
#[test]
fn the_pull_is_what_the_slope_has_beyond_the_convexity() {
    let curvature = OnBall::new(2.0, 10.0).unwrap();
    let pull = |slope: f64| Proximal::of(&curvature, slope, &ball(5.0), 1e-6).unwrap().pull;
    assert_eq!((pull(30.0), pull(10.0), pull(3.0)), (20.0, 0.0, 0.0));
}

/// λ = (L − m)d = 8 gives 1/η = 6. A worst case that is bent as much counts with so many steps; one
/// with 1/η = 2⁻¹⁹ does not.
#[test]
fn a_charge_counts_with_the_steps_of_its_own_worst_case() {
    let it = Proximal::of(&OnBall::new(2.0, 10.0).unwrap(), 0.0, &ball(5.0), 1e-6).unwrap();
    assert!((it.step * 6.0 - 1.0).abs() < 1e-12);
    let worst = |smoothness: f64| PotentialClass {
        strong_convexity: 2.0,
        smoothness,
        slope: 0.0,
        radius: 5.0,
        dimension: 1,
    };
    assert!(it.is_charged_by(worst(10.0)) && it.is_charged_by(worst(11.0)) && !it.is_charged_by(worst(2.0)));
}

/// In 8 dimensions the rounding of the centre takes 2⁻⁴⁶ of ‖θ_0‖ + B: half of the radius 1 at a norm of 2⁴⁵ − 1.
#[test]
fn a_ball_that_rounding_leaves_half_of_is_thick_enough() {
    let at = |norm: f64| {
        let mut centre = vec![0.0; 8];
        centre[0] = norm;
        refuse_thin(&Ball::new(centre, 1.0).unwrap()).map_err(|error| error.field)
    };
    let edge = 2.0_f64.powi(45) - 1.0;
    assert_eq!((at(edge), at(1.01 * edge)), (Ok(()), Err("ball radius")));
}

/// Every pass and every divergence is one call of the potential.
#[test]
fn the_effort_is_what_the_potential_was_asked_for() {
    let (gradients, divergences) = (core::cell::Cell::new(0), core::cell::Cell::new(0));
    let count = |calls: &core::cell::Cell<u64>| calls.set(calls.get() + 1);
    let slope = |x: f64| {
        count(&gradients);
        2.0 * (x - 9.0)
    };
    let above = |_: f64, v: f64| {
        count(&divergences);
        v * v
    };
    let mut f = OnLine(slope, above);
    let (_, tally) = sampler(1.0, 2.0, 1.0, 30).run(&mut f, &ball(3.0), &mut ReplayRng::new(10));
    let Effort { passes, divergences: asked, steps, proposals, restarts } = tally.effort;
    assert_eq!((passes, asked, proposals), (gradients.get(), divergences.get(), divergences.get()));
    assert!(steps == 30 && restarts == 0 && passes > 30 && asked >= 30, "{:?}", tally.effort);
}
