//! A loss of your own. Its constants are your claims: the certificate names them as such, and
//! `asap check --strict` refuses it.
//!
//! `cargo run --release --example own_loss`

use asap_dp::{Bounds, Learner, Loss, MechanismKind, OutOfBounds, Records, SecureRng};

/// √(1 + (z − y)²) − 1: like the squared loss near the target, like the distance far from it.
#[derive(Clone, Copy, PartialEq)]
struct Smooth;

impl Loss for Smooth {
    fn name(&self) -> &'static str {
        "smooth"
    }

    fn value(&self, z: f64, y: f64) -> f64 {
        // Not √(1 + r²) − 1, which loses all digits of a small residual.
        let square = (z - y) * (z - y);
        square / ((1.0 + square).sqrt() + 1.0)
    }

    fn slope(&self, z: f64, y: f64) -> f64 {
        (z - y) / (1.0 + (z - y) * (z - y)).sqrt()
    }

    fn curvature(&self, z: f64, y: f64) -> f64 {
        (1.0 + (z - y) * (z - y)).powf(-1.5)
    }

    fn slope_bound(&self, _reach: f64, _bounds: &Bounds) -> f64 {
        1.0
    }

    fn curvature_bound(&self) -> f64 {
        1.0
    }

    fn curvature_floor(&self, z: f64, reach: f64, y: f64) -> f64 {
        // The curvature falls with the residual; a little less covers the rounding of this line.
        0.999 * self.curvature((z - y).abs() + reach, 0.0)
    }

    fn value_at_zero(&self, bounds: &Bounds) -> f64 {
        // √(1 + y²) − 1 ≤ |y|.
        bounds.target().unwrap_or(f64::INFINITY)
    }

    fn slope_rounding(&self, reach: f64, bounds: &Bounds) -> f64 {
        // Four roundings of a number up to 1, and that of the residual: the slope is 1-Lipschitz.
        let residual = reach + bounds.target().unwrap_or(f64::INFINITY);
        f64::EPSILON * (4.0 + residual)
    }

    fn admit(&self, target: f64, bounds: &Bounds) -> Option<f64> {
        bounds.target().filter(|bound| target.abs() <= *bound).map(|_| target)
    }

    fn clip(&self, target: f64, bounds: &Bounds) -> Option<f64> {
        bounds.target().map(|bound| target.clamp(-bound, bound))
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let (mut features, mut targets) = (Vec::new(), Vec::new());
    for k in 0..5_000_u32 {
        let (a, b) = (f64::from(k % 83) / 83.0 - 0.5, f64::from(k % 59) / 59.0 - 0.5);
        features.extend([a, b]);
        targets.push(0.8 * a - 0.4 * b);
    }
    let bounds = Bounds::new(1.0)?.with_target(1.0)?;
    let records = Records::new(Smooth, bounds, OutOfBounds::Clip, features, targets)?;
    let learner = Learner::new(10.0).epsilon(1.0)?.mechanism(MechanismKind::Objective).expected_rows(5_000);
    let release = learner.fit(&records, &mut SecureRng::new()?)?;
    println!("parameters: {:?}", release.theta());
    println!("certified: {} (the loss is its author's word)", release.certificate().certified);
    for assumed in release.check()?.assumed {
        println!("assumed: {}", assumed.why);
    }
    Ok(())
}
