//! Calibration: pure functions of public numbers, each with its contract.

mod scale;

pub use scale::{laplace_scale, minimiser_sensitivity, normal_scale, rounded_l1, rounded_l2};
