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
//! | `alg:MALA`, `thm:MALA_bounded` | [`sampler::Mala`] |
//! | `cor:mixing_W_infty` | [`sampler::Mala::certified`] |
//! | `lem:W_infty_TV` | [`calibrate::ln_inverse_tv`] |
//! | `lem:min_density_gibbs`, `cor:densit_lowerbound` | [`calibrate::ln_min_density`] |
//! | `tab:localization`, `tab:K_stepsizes` | [`calibrate::Paper`] |
//! | `alg:twostage_dp_learner`, `thm:end2end_pure` | [`learner::Learner`] |
//! | (our own) in-ball proximal sampler | [`sampler::Proximal`] |
//! | (our own) certified minimiser | [`optimize::Minimiser`] |
//! | (our own) certificate and its checker | [`certificate::Certificate`] |
//!
//! The proofs, the errata and what is assumed are in `spec/`.
#![cfg_attr(test, allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::float_cmp))]
#![forbid(unsafe_code)]

pub mod asap;
pub mod audit;
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
pub mod predict;
pub mod privacy;
pub mod private;
mod release;
pub mod sampler;
mod special;
pub mod spectrum;
#[cfg(feature = "trace")]
pub mod trace;

pub use error::Error;

#[cfg(any(kani, test))]
#[path = "../proofs/support.rs"]
mod proofs;

/// The README's example is compiled with the documentation tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
