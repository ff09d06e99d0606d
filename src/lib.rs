//! Differentially private learning with δ = 0.
//!
//! The records flow one way; read the modules in this order:
//!
//! ```text
//! records + public bounds ─▶ objective ─▶ localize ─▶ reference (γ, Θ) ─▶ sampler ─▶ asap ─▶ release
//! ```
//!
//! | item of the paper | where |
//! |---|---|
//! | `lem:adaptive_composition` | [`privacy::Parameter::compose`] |
//! | `lem:convert_pure_G_DP` | [`privacy::Mu::from_epsilon`] |
//! | `lem:sensitivity_minimizer` | [`calibrate::minimiser_sensitivity`] |
//! | `alg:outpert`, `lem:OutPert_DP` | [`localize::Localisation`] |
//! | `lem:pure_DP_Post_Sam` | [`calibrate::pure_temperature`] |
//! | `lem:GDP_Post_Sam` | [`calibrate::gaussian_temperature`] |
//! | `alg:asap`, `thm:asap_privacy` | [`asap::Asap`] |
//!
//! The proofs, the errata and what is assumed are in `spec/`.
#![cfg_attr(test, allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::float_cmp))]
#![forbid(unsafe_code)]

pub mod asap;
pub mod ball;
pub mod calibrate;
pub mod certificate;
pub mod contract;
pub mod data;
pub mod error;
pub mod exact;
pub mod learner;
pub mod localize;
pub mod loss;
pub mod model;
pub mod noise;
pub mod objective;
pub mod optimize;
pub mod plan;
pub mod privacy;
pub mod private;
pub mod sampler;
mod special;
#[cfg(feature = "trace")]
pub mod trace;

pub use error::Error;

#[cfg(any(kani, test))]
#[path = "../proofs/support.rs"]
mod proofs;
