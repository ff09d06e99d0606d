//! Calibration proposes numbers in `f64`, from public numbers or from those of one data set. No guarantee rests on it:
//! the contracts of [`asap_contracts::contract`] decide every proposal. They decide a plan before a record is seen, and
//! the numbers of one data set privately while a fit runs.

mod density;
mod exact;
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
pub use exact::{ExactRounding, planned_exact_charge};
pub use gradient::{MOST_STEPS, gradient_sensitivity, step_epsilon, step_mu};
pub use mala::{
    Chain, ChainPlan, ChainProblem, LEAST_ACCEPTANCE, feasible_chain, ln_inverse_inner_tv, ln_miss,
    ln_warmness, log_ratio, proposed_plan, proposed_restarts, shortest_chain,
};
pub use objective::{
    JACOBIAN_PRICE, gaussian_tilt_share, jacobian_share, smallest_regulariser, tilted_regulariser,
};
pub use paper::{Paper, PaperChain, PaperDomain, PublicProblem};
pub use proximal::{ProximalRounding, planned_proximal_charge, planned_proximal_steps, proximal_step};
pub use reference::{asap_l1, gaussian_temperature, pure_temperature, rounding_fits};
pub use rounding::{GrowingError, density_charge, growing_density_charge};
pub use scale::{laplace_scale, minimiser_sensitivity, normal_scale, rounded_l1, rounded_l2};
pub use schedule::{DescentOutlook, Response, Schedule};
pub use tilt::{Priced, gaussian_joint_price, joint_price};

use crate::contract::{BrokenContract, Clause, named, prusti};

/// A proposal, or the refusal of numbers that have none: nothing representable lies on the safe
/// side. It shows no number.
fn proposed<T>(
    spec: &'static str,
    function: &'static str,
    compute: impl FnOnce() -> Option<T>,
) -> Result<T, BrokenContract> {
    compute().ok_or_else(|| BrokenContract::new(spec, function, Clause::Range, "result", named([])))
}

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

#[cfg(any(kani, test))]
#[path = "../../proofs/calibrate/enclosed.rs"]
mod proofs;
