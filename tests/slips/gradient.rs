//! The error of the gradient at the anchor of an exact draw, in a case in which it decides: whether
//! the draw is made at all.
//!
//! No planned fit with a true bound gets there: what a plan charges for is larger than this error, and is small. So the
//! bound of this loss is none. It says that slopes are poor for small predictions and good for large ones, and a plan,
//! which asks for the largest, believes it; at the anchor, where predictions are small, the draw has to ask again.
//!
//! Seen red: `PosteriorSample::gradient_error` is 0.

use asap_dp::data::{Bounds, OutOfBounds, Records};
use asap_dp::loss::{Logistic, Loss, Rounding, Targets};
use asap_dp::noise::ReplayRng;
use asap_dp::{Learner, MechanismKind, SamplerKind};

/// The logistic loss, with another word on its slopes for predictions up to ½.
#[derive(Clone, Copy, PartialEq)]
struct PoorNearZero {
    error: f64,
}

impl Loss for PoorNearZero {
    fn name(&self) -> &'static str {
        "poor-near-zero"
    }

    fn value(&self, z: f64, y: f64) -> f64 {
        Logistic.value(z, y)
    }

    fn slope(&self, z: f64, y: f64) -> f64 {
        Logistic.slope(z, y)
    }

    fn curvature(&self, z: f64, y: f64) -> f64 {
        Logistic.curvature(z, y)
    }

    fn divergence(&self, z: f64, t: f64, y: f64) -> f64 {
        Logistic.divergence(z, t, y)
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

    fn value_at_zero(&self, bounds: &Bounds) -> f64 {
        Logistic.value_at_zero(bounds)
    }

    fn slope_rounding(&self, reach: f64, bounds: &Bounds) -> f64 {
        if reach <= 0.5 { self.error } else { Logistic.slope_rounding(reach, bounds) }
    }

    fn divergence_rounding(&self, reach: f64, bounds: &Bounds) -> Rounding {
        Logistic.divergence_rounding(reach, bounds)
    }

    fn targets(&self) -> Targets {
        Logistic.targets()
    }

    fn admit(&self, target: f64, bounds: &Bounds) -> Option<f64> {
        Logistic.admit(target, bounds)
    }

    fn clip(&self, target: f64, bounds: &Bounds) -> Option<f64> {
        Logistic.clip(target, bounds)
    }
}

/// Whether the exact draw was left to the other sampler, for a few seeds.
fn left(error: f64) -> Vec<bool> {
    let bounds = Bounds::new(1.0).unwrap().with_max_rows(100).unwrap();
    // As many of each class, and hardly apart: the minimiser is near 0.
    let features = (0..20).flat_map(|k| [0.02 * f64::from(k % 7 - 3), 0.1]).collect();
    let targets = (0..20).map(|k| f64::from(k % 2)).collect();
    let loss = PoorNearZero { error };
    let records = Records::new(loss, bounds, OutOfBounds::Clip, features, targets).unwrap();
    let learner = Learner::new(5.0).mechanism(MechanismKind::Posterior).sampler(SamplerKind::Exact);
    let learner = learner.mu(1.0).unwrap();
    let fell_back = |seed| {
        let (_, cost) = learner.fit_measured(&records, &mut ReplayRng::new(seed)).unwrap();
        cost.reveal_breaking_privacy().fell_back
    };
    (0..8).map(fell_back).collect()
}

#[test]
fn a_gradient_that_is_not_known_is_not_drawn_from() {
    assert_eq!(left(Logistic.slope_rounding(1.0, &Bounds::new(1.0).unwrap())), [false; 8]);
    assert_eq!(left(1.0), [true; 8]);
}
