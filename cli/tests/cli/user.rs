//! A loss that is not built in, and a release of it: only the library can make one.

use asap_dp::{Bounds, Learner, Logistic, Loss, MechanismKind, OutOfBounds, Records, Release, SecureRng};

/// The logistic loss under another name: nobody has to believe what it says of itself.
#[derive(Clone, Copy, PartialEq)]
struct Mine;

impl Loss for Mine {
    fn name(&self) -> &'static str {
        "mine"
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
        Logistic.slope_rounding(reach, bounds)
    }
    fn admit(&self, target: f64, bounds: &Bounds) -> Option<f64> {
        Logistic.admit(target, bounds)
    }
    fn targets(&self) -> asap_dp::loss::Targets {
        Logistic.targets()
    }
    fn clip(&self, target: f64, bounds: &Bounds) -> Option<f64> {
        Logistic.clip(target, bounds)
    }
}

pub(crate) fn release() -> Release {
    let bounds = Bounds::new(1.0).unwrap().with_max_rows(1000).unwrap();
    let records = Records::new(Mine, bounds, OutOfBounds::Clip, vec![0.9, 0.1], vec![1.0, -1.0]).unwrap();
    let learner = Learner::new(20.0).mechanism(MechanismKind::Posterior).mu(1.0).unwrap().expected_rows(10);
    learner.fit(&records, &mut SecureRng::new().unwrap()).unwrap()
}
