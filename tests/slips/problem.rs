//! Records whose minimiser, posterior and sensitivity are known without the library: the squared loss on multiples of
//! the axes.
//!
//! J(θ) = ½·Σ_j n_j(θ_j − y_j)² + ½Λ‖θ‖², so θ*_j = n_j·y_j/(Λ + n_j), and e^(−γJ) is normal with independent
//! coordinates of precision γ(Λ + n_j). Rows and targets are at most 1, and θ is searched in the ball of radius 1, so
//! that a record moves the minimiser by G/Λ at most, G = 1·(1·1 + 1) = 2.

use asap_dp::data::{Bounds, OutOfBounds, Records};
use asap_dp::learner::Learner;
use asap_dp::loss::Squared;

pub const REGULARISER: f64 = 2.0;

/// G where the minimisers are.
pub const LIPSCHITZ: f64 = 2.0;

/// θ is searched in this ball.
const DOMAIN: f64 = 1.0;

/// One target for each axis, again and again.
const TARGETS: [f64; 5] = [0.3, -0.2, 0.1, 0.4, -0.25];

pub struct Known {
    /// Λ.
    pub regulariser: f64,
    pub records: Records<Squared>,
    /// θ*.
    pub minimiser: Vec<f64>,
    /// Λ + n_j: the curvature of J along each axis.
    pub curvature: Vec<f64>,
}

/// `rows[j]` copies of the axis j.
pub fn known(rows: &[u32]) -> Known {
    with(REGULARISER, 20_000, rows)
}

/// The same with other public numbers.
pub fn with(regulariser: f64, max_rows: u64, rows: &[u32]) -> Known {
    let (mut features, mut targets) = (Vec::new(), Vec::new());
    for (j, &count) in rows.iter().enumerate() {
        for _ in 0..count {
            features.extend((0..rows.len()).map(|k| f64::from(u8::from(j == k))));
            targets.push(TARGETS[j % TARGETS.len()]);
        }
    }
    let bounds = Bounds::new(1.0).unwrap().with_target(1.0).unwrap().with_max_rows(max_rows).unwrap();
    let curvature: Vec<f64> = rows.iter().map(|&count| regulariser + f64::from(count)).collect();
    Known {
        regulariser,
        records: Records::with_dimension(Squared, bounds, OutOfBounds::Refuse, rows.len(), features, targets)
            .unwrap(),
        minimiser: rows
            .iter()
            .zip(&curvature)
            .zip(TARGETS.iter().cycle())
            .map(|((&n, c), y)| f64::from(n) * y / c)
            .collect(),
        curvature,
    }
}

/// A learner of these records. One row is expected: the noise that covers Δ is then large beside the posterior of many.
pub fn learner() -> Learner {
    with_regulariser(REGULARISER)
}

pub fn with_regulariser(regulariser: f64) -> Learner {
    Learner::new(regulariser).parameter_bound(DOMAIN).expected_rows(1)
}
