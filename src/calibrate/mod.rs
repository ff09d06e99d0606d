//! Calibration: pure functions of public numbers, each with its contract.

mod density;
mod mala;
mod paper;
pub(crate) mod proximal;
mod reference;
mod scale;
pub(crate) mod tight;

pub use density::{
    Norm, lipschitz_oscillation, ln_inverse_tv, ln_min_density, planned_ln_inverse_tv_l1,
    planned_ln_inverse_tv_l2, planned_oscillation, smooth_oscillation,
};
pub use mala::{
    Chain, ChainPlan, ChainProblem, LEAST_ACCEPTANCE, certified_chain, certified_plan, certified_restarts,
    chain_suffices, ln_inverse_inner_tv, ln_miss, ln_warmness, log_ratio, planned_chain, planned_restarts,
};
pub use paper::{Paper, PaperChain, PaperDomain, PublicProblem};
pub use proximal::{
    contraction_rate, planned_proximal_charge, planned_proximal_steps, proximal_step, proximal_steps,
};
pub use reference::{asap_l1, asap_l2, energy_rounding, gaussian_temperature, pure_temperature};
pub use scale::{laplace_scale, minimiser_sensitivity, normal_scale, rounded_l1, rounded_l2};

/// A finite number greater than 0.
fn positive(x: f64) -> bool {
    x.is_finite() && x > 0.0
}
