//! Calibration: pure functions of public numbers, each with its contract.

pub(crate) mod proximal;
mod reference;
mod scale;
pub(crate) mod tight;

pub use proximal::{contraction_rate, planned_proximal_steps, proximal_step, proximal_steps};
pub use reference::{asap_l1, asap_l2, gaussian_temperature, pure_temperature};
pub use scale::{laplace_scale, minimiser_sensitivity, normal_scale, rounded_l1, rounded_l2};
