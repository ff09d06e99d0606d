//! What goes into each sampler, put together once more from the pages: the same bits then give the same point.

use super::*;
use crate::ball::Ball;
use crate::bounds::Bounds;
use crate::calibrate::Paper;
use crate::data::{OutOfBounds, Records};
use crate::learner::Learner;
use crate::loss::{Logistic, Loss};
use crate::mechanism::{Calibration, Mechanism, record};
use crate::noise::ReplayRng;
use crate::objective::PassedOn;
use crate::sampler::Draw;
use core::sync::atomic::{AtomicBool, Ordering::Relaxed};

/// Rows (x, y) that no bound clips.
const ROWS: [([f64; 2], f64); 8] = [
    ([0.9, 0.1], 1.0),
    ([0.2, -0.8], 0.0),
    ([-0.5, 0.6], 1.0),
    ([0.7, 0.7], 1.0),
    ([-0.3, -0.9], 0.0),
    ([0.8, -0.4], 1.0),
    ([-0.6, -0.2], 0.0),
    ([0.1, 0.9], 0.0),
];

/// Λ.
const REGULARISER: f64 = 2.0;

/// f = γJ for these rows, by the formulas of a logistic regression: φ = ln(1 + e^z) − yz.
struct Plain {
    gamma: f64,
    anchor: Vec<f64>,
}

fn dot(x: &[f64], y: &[f64]) -> f64 {
    x.iter().zip(y).map(|(x, y)| x * y).sum()
}

impl Potential for Plain {
    fn dimension(&self) -> usize {
        2
    }

    fn value_and_gradient(&mut self, theta: &[f64], gradient: &mut [f64]) -> f64 {
        let mut value = 0.5 * REGULARISER * dot(theta, theta);
        gradient.iter_mut().zip(theta).for_each(|(g, theta)| *g = REGULARISER * theta);
        for (x, y) in ROWS {
            let z = dot(&x, theta);
            value += z.exp().ln_1p() - y * z;
            let slope = 1.0 / (1.0 + (-z).exp()) - y;
            gradient.iter_mut().zip(x).for_each(|(g, x)| *g += slope * x);
        }
        for g in gradient {
            *g *= self.gamma;
        }
        self.gamma * value
    }

    fn divergence(&mut self, anchor: &[f64], moved: &[f64]) -> f64 {
        let mut gradient = [0.0; 2];
        let to: Vec<f64> = anchor.iter().zip(moved).map(|(x, v)| x + v).collect();
        let there = self.value_and_gradient(&to, &mut gradient);
        let here = self.value_and_gradient(anchor, &mut gradient);
        there - here - dot(&gradient, moved)
    }
}

impl Divergence for Plain {
    fn divergence(&mut self, moved: &[f64]) -> f64 {
        let anchor = self.anchor.clone();
        Potential::divergence(self, &anchor, moved)
    }
}

/// γ∇²J, by hand.
fn hessian(gamma: f64, theta: &[f64]) -> DMatrix<f64> {
    let mut matrix = DMatrix::from_diagonal_element(2, 2, gamma * REGULARISER);
    for (x, _) in ROWS {
        let p = 1.0 / (1.0 + (-dot(&x, theta)).exp());
        matrix += DMatrix::from_fn(2, 2, |i, j| gamma * p * (1.0 - p) * x[i] * x[j]);
    }
    matrix
}

fn bounds() -> Bounds {
    Bounds::new(1.0).unwrap().with_max_rows(1000).unwrap()
}

fn records() -> Records<Logistic> {
    let (features, targets) = (ROWS.iter().flat_map(|(x, _)| *x).collect(), ROWS.map(|(_, y)| y).to_vec());
    Records::new(Logistic, bounds(), OutOfBounds::Refuse, features, targets).unwrap()
}

fn learner(sampler: SamplerKind) -> Learner {
    Learner::new(REGULARISER).mu(3.0).unwrap().sampler(sampler).expected_rows(8).largest_chain(u64::MAX)
}

fn planned(learner: &Learner) -> Posterior<Logistic> {
    learner.posterior(&learner.problem(Logistic, bounds(), 2).unwrap()).unwrap()
}

/// Where a search might have ended: beside the minimiser, so that the gradient counts.
fn beside() -> Found {
    Found { theta: vec![0.4, 0.3], is_flat: true }
}

fn near(computed: &[f64], expected: &[f64]) {
    let far = computed.iter().zip(expected).any(|(x, y)| (x - y).abs() > 1e-9);
    assert!(computed.len() == expected.len() && !far, "{computed:?} instead of {expected:?}");
}

/// One draw, and what it cost.
fn drawn(sample: &PosteriorSample<'_, Records<Logistic>>, seed: u64) -> (Vec<f64>, Cost) {
    let theta = sample.draw(&mut ReplayRng::new(seed)).unwrap().reveal_breaking_privacy();
    (theta, sample.cost())
}

/// own:exact from its ingredients: ∇f and ∇²f at the anchor, a reach of √d + 1, and the curvature along chords times γ.
fn exactly(
    objective: &Objective<'_, Records<Logistic>>,
    anchor: &[f64],
    (gamma, ball): (f64, &Ball),
    seed: u64,
) -> (Vec<f64>, Effort) {
    let mut plain = Plain { gamma, anchor: anchor.to_vec() };
    let mut gradient = [0.0; 2];
    plain.value_and_gradient(anchor, &mut gradient);
    let envelope = Envelope::new(&hessian(gamma, anchor), 2.0_f64.sqrt() + 1.0, 0.0, |map, reach| {
        objective.chord_curvature(anchor, map, reach).unwrap() * gamma
    });
    let envelope = envelope.unwrap();
    let exact = ExactDraw::new(anchor, &gradient, 0.0, &envelope, ball).unwrap();
    let draw = exact.draw(&mut plain, Caps::default(), &mut ReplayRng::new(seed)).unwrap();
    (draw.theta.reveal_breaking_privacy(), draw.effort.reveal_breaking_privacy())
}

#[test]
fn an_exact_draw_is_made_of_what_its_page_says() {
    let (plan, records) = (planned(&learner(SamplerKind::Exact)), records());
    let objective = plan.problem().bind(&records).unwrap();
    let reference = plan.reference(&[0.1, 0.2]).unwrap();
    let around = (reference.gamma(), reference.ball());
    let mut rejected = 0;
    for seed in 0..40 {
        let sample = PosteriorSample::new(&plan, &reference, &objective, beside());
        let before = sample.cost();
        let ((theta, cost), (expected, effort)) =
            (drawn(&sample, seed), exactly(&objective, &beside().theta, around, seed));
        near(&theta, &expected);
        assert!(cost.sampler == effort && !cost.fell_back);
        // A gradient, and one pass for each divergence.
        assert_eq!(cost.passes - before.passes, 1 + effort.divergences);
        rejected += effort.divergences - 1;
    }
    assert!(rejected > 0, "both ways were to be taken");
}

/// On the boundary of a domain the gradient is large. The anchor is then the minimiser on the whole space, where it is
/// 0.
#[test]
fn the_anchor_is_flat() {
    let (plan, records) = (planned(&learner(SamplerKind::Exact)), records());
    let objective = plan.problem().bind(&records).unwrap();
    let reference = plan.reference(&[0.1, 0.2]).unwrap();
    let (mut minimiser, mut gradient) = (vec![0.0; 2], [0.0; 2]);
    let mut plain = Plain { gamma: 1.0, anchor: Vec::new() };
    // Curvature is between Λ and Λ + 8/4: a gradient method halves the distance at least.
    for _ in 0..80 {
        plain.value_and_gradient(&minimiser, &mut gradient);
        minimiser.iter_mut().zip(gradient).for_each(|(theta, g)| *theta -= g / (REGULARISER + 2.0));
    }
    for (is_flat, expected) in [(true, &beside().theta), (false, &minimiser)] {
        let found = Found { is_flat, ..beside() };
        let sample = PosteriorSample::new(&plan, &reference, &objective, found);
        let Anchor { point, hessian: rough } = sample.anchor().unwrap().unwrap();
        let far = point.iter().zip(expected).any(|(x, y)| (x - y).abs() > 1e-4);
        assert!(!far, "{point:?} instead of {expected:?}");
        near((rough - hessian(1.0, &point)).as_slice(), &[0.0; 4]);
    }
}

/// Matrices for up to 512 parameters; beyond, another sampler draws.
#[test]
fn matrices_of_many_parameters_are_out_of_the_question() {
    for (d, is_some) in [(512, true), (513, false)] {
        let learner = learner(SamplerKind::Exact);
        let plan = learner.posterior(&learner.problem(Logistic, bounds(), d).unwrap()).unwrap();
        let row = (0..d).map(|j| if j == 0 { 0.5 } else { 0.0 }).collect();
        let records = Records::new(Logistic, bounds(), OutOfBounds::Refuse, row, vec![1.0]).unwrap();
        let objective = plan.problem().bind(&records).unwrap();
        let reference = plan.reference(&vec![0.0; d]).unwrap();
        let found = Found { theta: vec![0.0; d], is_flat: true };
        let sample = PosteriorSample::new(&plan, &reference, &objective, found);
        assert_eq!(sample.anchor().unwrap().is_some(), is_some, "{d}");
    }
}

/// γ times the bound for J, and one rounding of a product: u·‖∇f‖ twice.
#[test]
fn the_error_of_a_gradient_by_hand() {
    let (plan, records) = (planned(&learner(SamplerKind::Exact)), records());
    let objective = plan.problem().bind(&records).unwrap();
    let reference = plan.reference(&[0.1, 0.2]).unwrap();
    let sample = PosteriorSample::new(&plan, &reference, &objective, beside());
    let bound = gradient_rounding_bound(&SumOf::new(plan.problem(), 8), 3.0);
    for gradient in [0.0, 7.0, 1e6] {
        let expected = reference.gamma() * bound + f64::EPSILON * gradient;
        let error = sample.gradient_error(3.0, gradient);
        assert!(error > expected && error < expected * (1.0 + 1e-11), "{error} {expected}");
    }
}

/// own:proximal and alg:MALA from their ingredients: γ times the curvature of J, from below Λ where a chain leaves the
/// ball.
#[test]
fn chains_are_made_of_what_their_pages_say() {
    let records = records();
    let proximal = planned(&learner(SamplerKind::Proximal));
    let objective = proximal.problem().bind(&records).unwrap();
    let theta_0 = [0.1, 0.2];
    let compare = |plan: &Posterior<Logistic>, expected: Draw, seed: u64| {
        let reference = plan.reference(&theta_0).unwrap();
        let sample = PosteriorSample::new(plan, &reference, &objective, beside());
        let (theta, cost) = drawn(&sample, seed);
        near(&theta, &expected.theta.reveal_breaking_privacy());
        assert!(cost.sampler == expected.effort.reveal_breaking_privacy() && !cost.fell_back);
    };
    let curvature = |reference: &Reference| {
        let (gamma, bend) = (reference.gamma(), objective.curvature_on(reference.ball()).unwrap());
        (gamma * bend.floor * (1.0 - 4.0 * f64::EPSILON), gamma * bend.ceiling * (1.0 + 4.0 * f64::EPSILON))
    };
    for seed in 0..4 {
        let reference = proximal.reference(&theta_0).unwrap();
        let mut plain = Plain { gamma: reference.gamma(), anchor: Vec::new() };
        let (m, l) = curvature(&reference);
        let (on_ball, ball) = (OnBall::new(m, l).unwrap(), reference.ball());
        let sampler = Proximal::calibrated(&mut plain, &on_ball, ball, reference.chain_error()).unwrap();
        compare(&proximal, sampler.sample(&mut plain, ball, &mut ReplayRng::new(seed)).unwrap(), seed);
    }
    let paper = Calibration::Paper(Paper { c1: 20.0, c2: 20.0, ..Paper::default() });
    for calibration in [Calibration::Tight, paper] {
        let mut plan = planned(&learner(SamplerKind::Mala).calibration(calibration));
        let reference = plan.reference(&theta_0).unwrap();
        let (gamma, ball) = (reference.gamma(), reference.ball());
        let mut plain = Plain { gamma, anchor: Vec::new() };
        let everywhere = Everywhere::new(gamma * REGULARISER, curvature(&reference).1).unwrap();
        let start = beside().theta;
        let mala = match plan.paper_chain().unwrap() {
            Some(PaperChain { step, steps, restarts }) => {
                Mala::scheduled(step, steps, restarts, start, &everywhere)
            }
            None => Mala::certified(&mut plain, &everywhere, start, ball, reference.chain_error()).unwrap(),
        };
        if mala.steps() < 10_000 {
            // A chain of just this length is run; one with certified constants would take seconds.
            plan.settings.largest_chain = mala.steps();
            compare(&plan, mala.sample(&mut plain, ball, &mut ReplayRng::new(9)).unwrap(), 9);
        }
        // In place of a longer one than is allowed the proximal sampler draws.
        plan.settings.largest_chain = mala.steps() - 1;
        let sample = PosteriorSample::new(&plan, &reference, &objective, beside());
        assert!(drawn(&sample, 9).1.fell_back);
    }
}

/// Once the records could not be read every number is NaN, also if they can be read again.
#[test]
fn what_could_not_be_read_is_no_number() {
    let (plan, records, stop) = (planned(&learner(SamplerKind::Exact)), records(), AtomicBool::new(false));
    let source = PassedOn::until(&records, &stop);
    let objective = plan.problem().bind(&source).unwrap();
    let reference = plan.reference(&[0.1, 0.2]).unwrap();
    let sample = PosteriorSample::new(&plan, &reference, &objective, beside());
    let (mut potential, mut gradient) = (sample.potential(), [0.0; 2]);
    let mut plain = Plain { gamma: reference.gamma(), anchor: vec![0.4, 0.3] };
    let mut expected = [0.0; 2];
    let value = plain.value_and_gradient(&[0.4, 0.3], &mut expected);
    near(&[potential.value_and_gradient(&[0.4, 0.3], &mut gradient)], &[value]);
    near(&gradient, &expected);
    let divergence = Divergence::divergence(&mut plain, &[0.5, -1.0]);
    near(&[Potential::divergence(&mut potential, &[0.4, 0.3], &[0.5, -1.0])], &[divergence]);
    near(&[Seen { potential: &mut potential, anchor: &[0.4, 0.3] }.divergence(&[0.5, -1.0])], &[divergence]);
    assert!(potential.dimension() == 2 && potential.outcome(1).is_ok());
    stop.store(true, Relaxed);
    assert!(Potential::divergence(&mut potential, &[0.0; 2], &[0.5, -1.0]).is_nan());
    stop.store(false, Relaxed);
    assert!(Potential::divergence(&mut potential, &[0.0; 2], &[0.5, -1.0]).is_nan());
    assert!(potential.value_and_gradient(&[0.0; 2], &mut gradient).is_nan());
    assert!(gradient.iter().all(|g| g.is_nan()));
    assert!(matches!(potential.outcome(1), Err(Error::Unavailable(_))));
}

/// Set by a pass that asks for slopes, or for chords.
static STOP: AtomicBool = AtomicBool::new(false);

/// The logistic loss, whose records cannot be read any more from a pass of some kind on.
#[derive(Clone, Copy, PartialEq)]
enum Stopping {
    AtSlopes,
    AtChords,
}

impl Loss for Stopping {
    fn name(&self) -> &'static str {
        "stopping"
    }

    fn value(&self, z: f64, y: f64) -> f64 {
        Logistic.value(z, y)
    }

    fn slope(&self, z: f64, y: f64) -> f64 {
        STOP.fetch_or(*self == Self::AtSlopes, Relaxed);
        Logistic.slope(z, y)
    }

    fn curvature(&self, z: f64, y: f64) -> f64 {
        Logistic.curvature(z, y)
    }

    fn slope_bound(&self, reach: f64, bounds: &Bounds) -> f64 {
        Logistic.slope_bound(reach, bounds)
    }

    fn curvature_bound(&self) -> f64 {
        Logistic.curvature_bound()
    }

    fn curvature_floor(&self, z: f64, reach: f64, y: f64) -> f64 {
        Logistic.curvature_floor(z, reach, y)
    }

    fn chord_floor(&self, z: f64, slip: f64, t: f64, y: f64) -> f64 {
        STOP.store(true, Relaxed);
        Logistic.chord_floor(z, slip, t, y)
    }

    fn value_at_zero(&self, bounds: &Bounds) -> f64 {
        Logistic.value_at_zero(bounds)
    }

    fn admit(&self, target: f64, bounds: &Bounds) -> Option<f64> {
        Logistic.admit(target, bounds)
    }

    fn clip(&self, target: f64, bounds: &Bounds) -> Option<f64> {
        Logistic.clip(target, bounds)
    }

    fn slope_rounding(&self, reach: f64, bounds: &Bounds) -> f64 {
        Logistic.slope_rounding(reach, bounds)
    }
}

/// Whatever could not be read, and if it is all from the gradient on: that ends the draw, and no other sampler is
/// tried.
#[test]
fn a_draw_without_records_is_none_that_gave_up() {
    for loss in [Stopping::AtChords, Stopping::AtSlopes] {
        let bounds = bounds().with_target(1.0).unwrap();
        let (features, targets) = (ROWS.iter().flat_map(|(x, _)| *x).collect(), vec![1.0; 8]);
        let records = Records::new(loss, bounds.clone(), OutOfBounds::Refuse, features, targets).unwrap();
        STOP.store(false, Relaxed);
        let source = PassedOn::until(&records, &STOP);
        let learner = learner(SamplerKind::Exact);
        let plan = learner.posterior(&learner.problem(loss, bounds, 2).unwrap()).unwrap();
        let reference = plan.reference(&[0.1, 0.2]).unwrap();
        let objective = plan.problem().bind(&source).unwrap();
        let sample = PosteriorSample::new(&plan, &reference, &objective, beside());
        assert!(matches!(sample.draw(&mut ReplayRng::new(1)), Err(Error::Unavailable(_))));
        assert!(STOP.load(Relaxed) && !sample.cost().fell_back);
        // What a user's loss claims is nobody's proof.
        assert!(!record::at_zero(&plan).unwrap().certified);
    }
}

/// The second stage by itself is a sample from where the search ends, and its noise.
#[test]
fn the_second_stage_is_a_sample_and_its_noise() {
    let (plan, records) = (planned(&learner(SamplerKind::Exact)), records());
    let objective = plan.problem().bind(&records).unwrap();
    let reference = plan.reference(&[0.1, 0.2]).unwrap();
    let found = plan.localisation().minimiser().find(&objective).unwrap();
    let sample = PosteriorSample::new(&plan, &reference, &objective, found);
    let expected = reference.asap().release(&sample, &mut ReplayRng::new(3)).unwrap();
    assert_eq!(plan.run_around(&reference, &records, &mut ReplayRng::new(3)).unwrap(), expected);
    assert_eq!(sample.claim(), reference.asap().claim());
}

/// A chain of constrained MALA leaves the ball: from below the curvature is γΛ. With γ/Λ in place of it, which is four
/// times as much here, the chain would be shorter, and with γ + Λ there would be none.
#[test]
fn a_chain_that_leaves_the_ball_has_the_curvature_of_the_regulariser() {
    let learner = Learner::new(0.5).mu(0.3).unwrap().sampler(SamplerKind::Mala).expected_rows(8);
    let (mut plan, records) = (planned(&learner.largest_chain(u64::MAX)), records());
    let problem = plan.problem().clone();
    let objective = problem.bind(&records).unwrap();
    let reference = plan.reference(&[0.1, 0.2]).unwrap();
    let (gamma, ball) = (reference.gamma(), reference.ball());
    let ceiling = objective.curvature_on(ball).unwrap().ceiling;
    let everywhere = Everywhere::new(0.5 * gamma, ceiling * gamma).unwrap();
    let found = || plan.localisation().minimiser().find(&objective).unwrap();
    let sample = PosteriorSample::new(&plan, &reference, &objective, found());
    let (mut potential, error) = (sample.potential(), reference.chain_error());
    let mala = Mala::certified(&mut potential, &everywhere, found().theta, ball, error).unwrap();
    let found = found();
    plan.settings.largest_chain = mala.steps() / 100 * 99;
    let sample = PosteriorSample::new(&plan, &reference, &objective, found);
    assert!(drawn(&sample, 9).1.fell_back);
}
