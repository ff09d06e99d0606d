//! Calibration: pure functions of public numbers, each with its contract.

mod density;
pub(crate) mod exact;
mod gradient;
mod mala;
mod objective;
mod paper;
pub(crate) mod proximal;
mod reference;
mod rounding;
mod scale;
mod schedule;
pub(crate) mod tight;
pub(crate) mod tilt;

pub use density::{Norm, lipschitz_oscillation, ln_inverse_tv, planned_oscillation, smooth_oscillation};
pub use exact::planned_exact_charge;
pub use gradient::{MOST_STEPS, gradient_sensitivity, step_epsilon, step_mu};
pub use mala::{
    Chain, ChainPlan, ChainProblem, LEAST_ACCEPTANCE, certified_chain, certified_plan, certified_restarts,
    chain_suffices, feasible_chain, ln_inverse_inner_tv, ln_miss, ln_warmness, log_ratio,
};
pub use objective::{
    JACOBIAN_PRICE, gaussian_tilt_share, jacobian_share, smallest_regulariser, tilted_regulariser,
};
pub use paper::{Paper, PaperChain, PaperDomain, PublicProblem};
pub use proximal::{
    contraction_rate, planned_proximal_charge, planned_proximal_steps, proximal_step, proximal_steps,
};
pub use reference::{asap_l1, gaussian_temperature, pure_temperature, rounding_fits};
pub use rounding::{
    accumulated, density_charge, edge_charge, edge_exponent, growing_density_charge, growing_exponent,
};
pub use scale::{laplace_scale, minimiser_sensitivity, normal_scale, rounded_l1, rounded_l2};
pub use schedule::{Outlook, Response, Schedule};
pub use tilt::{Priced, gaussian_joint_price, joint_price};

use crate::contract::prusti;

/// A finite number greater than 0.
#[prusti::pure]
fn positive(x: f64) -> bool {
    x.is_finite() && x > 0.0
}

/// A finite number, not below 0.
#[prusti::pure]
fn non_negative(x: f64) -> bool {
    x.is_finite() && x >= 0.0
}
