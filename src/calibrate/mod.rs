//! Calibration: pure functions of public numbers, each with its contract.

mod density;
mod scale;

pub use density::{
    Norm, lipschitz_oscillation, ln_inverse_tv, ln_min_density, planned_ln_inverse_tv_l1,
    planned_ln_inverse_tv_l2, planned_oscillation, smooth_oscillation,
};
pub use scale::{laplace_scale, minimiser_sensitivity, normal_scale, rounded_l1, rounded_l2};
