//! Terms and limits behind "rigorous", each in a case in which it decides.
//!
//! | sabotage | red |
//! |---|---|
//! | energy of the proximal charge at B in place of 2B, any term of a charge left out | `no_charge_has_room` |
//! | `AFFORDABLE_SHIFT` 8 → 10⁹ | `a_far_mode_is_worth_a_gradient` |
//! | `LARGEST_OFFSET` 2 → 10⁹ | `a_steep_anchor_is_not_drawn_from` |
//!
//! (The rounding of matrices, of a row's length and of a prediction: `objective::curvature::chords`.)

use asap_contracts::Mechanism as Record;
use asap_dp::ball::Ball;
use asap_dp::data::{Bounds, OutOfBounds, Records};
use asap_dp::loss::{Huber, Logistic, Loss, Squared};
use asap_dp::noise::{RandomBits, ReplayRng};
use asap_dp::sampler::{Envelope, ExactDraw, OnBall, Potential, Proximal, Sampler};
use asap_dp::{Learner, MechanismKind, SamplerKind};
use nalgebra::DMatrix;

/// By which factor the charge of a release of the proximal sampler is above what the checker, from other code, asks
/// for. What is left out of it by more than that is kept back.
fn room<L: Loss>(loss: L, d: usize) -> f64 {
    let mut rng = ReplayRng::new(7);
    let mut number = || (rng.next_u64() >> 11) as f64 / (1_u64 << 52) as f64 - 1.0;
    let bounds = Bounds::new(1.0).unwrap().with_target(1.0).unwrap().with_max_rows(500).unwrap();
    let features = (0..40 * d).map(|_| number()).collect();
    let targets = (0..40).map(|_| 1.0_f64.copysign(number())).collect();
    let records = Records::new(loss, bounds, OutOfBounds::Clip, features, targets).unwrap();
    let learner = Learner::new(5.0).mechanism(MechanismKind::Posterior).sampler(SamplerKind::Proximal);
    let learner = learner.parameter_bound(3.0).mu(1.0).unwrap();
    let release = learner.fit(&records, &mut ReplayRng::new(1)).unwrap();
    let holds = |factor: f64| {
        let mut edited = release.as_checked().clone();
        let Record::Posterior(record) = &mut edited.certificate.mechanism else { panic!("a posterior") };
        record.asap.charge *= factor;
        edited.seal().check().is_ok()
    };
    let (mut low, mut high) = (0.5, 1.0);
    assert!(holds(high));
    for _ in 0..12 {
        let middle = 0.5 * (low + high);
        if holds(middle) { high = middle } else { low = middle }
    }
    high.recip()
}

/// The margins of issuer and checker are a hundredth and a thousandth.
#[test]
fn no_charge_has_room() {
    for d in [1, 2] {
        let rooms = [
            ("logistic", room(Logistic, d)),
            ("squared", room(Squared, d)),
            ("Huber", room(Huber::new(1e3).unwrap(), d)),
        ];
        for (loss, room) in rooms {
            println!("{loss}, d = {d}: {room}");
            assert!(room < 1.03, "{loss}, d = {d}: {room}");
        }
    }
}

/// f(θ) = ½‖θ − 40‖²: L = m, so that every energy is 0 and only the distance of the mode speaks for another anchor.
struct Parabola;

impl Potential for Parabola {
    fn dimension(&self) -> usize {
        2
    }

    fn value_and_gradient(&mut self, theta: &[f64], gradient: &mut [f64]) -> f64 {
        gradient.iter_mut().zip(theta).for_each(|(g, x)| *g = x - 40.0);
        0.5 * gradient.iter().map(|g| g * g).sum::<f64>()
    }

    fn divergence(&mut self, _: &[f64], moved: &[f64]) -> f64 {
        0.5 * moved.iter().map(|v| v * v).sum::<f64>()
    }
}

/// One gradient for each step, one for the start, and more where the mode of a step is more than √(8d/λ) from the
/// state: the first steps from the centre of a ball of which the minimiser is 57 deviations away.
#[test]
fn a_far_mode_is_worth_a_gradient() {
    let ball = Ball::new(vec![0.0; 2], 100.0).unwrap();
    let curvature = OnBall::new(1.0, 1.0).unwrap();
    let sampler = Proximal::calibrated(&mut Parabola, &curvature, &ball, 1e-3).unwrap();
    for seed in 0..20 {
        let draw = sampler.sample(&mut Parabola, &ball, &mut ReplayRng::new(seed)).unwrap();
        let effort = draw.effort.reveal_breaking_privacy();
        assert!(effort.passes > effort.steps + 1, "{} gradients for {} steps", effort.passes, effort.steps);
        // A quadratic is solved by one of them: no more than one a step.
        assert!(effort.passes <= 2 * effort.steps + 1);
    }
}

/// d = 16, ρ = 8, a gradient of length g in the metric: a share g/√d of the curvature pays for it, so that the parabola
/// gives away k = g²/(2g/√d) = 2g, at most 2 up to g = 1; the line would do up to g = 2.
#[test]
fn a_steep_anchor_is_not_drawn_from() {
    let identity = DMatrix::<f64>::identity(16, 16);
    let envelope = Envelope::new(&identity, 8.0, 0.0, |_, _| identity.clone()).unwrap();
    let ball = Ball::new(vec![0.0; 16], 50.0).unwrap();
    let is_drawn = |length: f64, error: f64| {
        let mut gradient = vec![0.0; 16];
        gradient[3] = length;
        ExactDraw::new(&[0.0; 16], &gradient, error, &envelope, &ball).is_some()
    };
    assert!(is_drawn(0.0, 0.0) && is_drawn(0.5, 0.0) && is_drawn(0.99, 0.0));
    assert!(!is_drawn(1.01, 0.0) && !is_drawn(1.5, 0.0) && !is_drawn(1.9, 0.0));
    // An error of the gradient counts with the Frobenius norm of the map, here 4.
    assert!(is_drawn(0.0, 0.24) && !is_drawn(0.0, 0.26) && !is_drawn(0.5, 0.13) && !is_drawn(0.0, f64::NAN));
}
