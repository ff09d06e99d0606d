//! Differentially private learning with δ = 0, every constant between the theorem and the released bits explicit.
//!
//! Start at [`Learner`]:
//!
//! ```
//! use asap_dp::{Bounds, Learner, Logistic, OutOfBounds, Records, SecureRng};
//!
//! // Two features a row, and a class; every row is held to norm 1.
//! let (features, classes) = (vec![0.3, -0.2, 0.1, 0.7, -0.5, 0.2], vec![1.0, 0.0, 1.0]);
//! let records = Records::new(Logistic, Bounds::new(1.0)?, OutOfBounds::Clip, features, classes)?;
//! let release = Learner::new(5.0).epsilon(1.0)?.fit(&records, &mut SecureRng::new()?)?;
//! println!("{:?}", release.theta());
//!
//! // Anyone who gets the release can check every inequality of its certificate.
//! let verdict = release.check()?;
//! println!("{} checked, {} assumed", verdict.checked.len(), verdict.assumed.len());
//! # Ok::<(), asap_dp::Error>(())
//! ```
//!
//! The records flow one way; read the modules in this order:
//!
//! ```text
//! problem ─▶ bind ─▶ objective ─▶ localise ─▶ mechanism (reference, sampler) ─▶ asap ─▶ release
//! bounds, loss   records            θ_0 released     θ̃ private                    noise
//! ```
//!
//! | item of the paper | where |
//! |---|---|
//! | `lem:adaptive_composition` | [`ledger::Ledger`], [`privacy::Parameter::compose`] |
//! | `lem:convert_pure_G_DP` | [`privacy::Mu::from_epsilon`] |
//! | `lem:sensitivity_minimizer` | [`calibrate::minimiser_sensitivity`] |
//! | `alg:outpert`, `lem:OutPert_DP` | [`localise::Localisation`], [`mechanism::Output`] |
//! | `lem:pure_DP_Post_Sam` | [`calibrate::pure_temperature`] |
//! | `lem:GDP_Post_Sam` | [`calibrate::gaussian_temperature`] |
//! | `alg:asap`, `thm:asap_privacy` | [`asap::Asap`], [`asap::ApproximateSample`] |
//! | `alg:MALA`, `thm:MALA_bounded` | [`sampler::Mala`] |
//! | `cor:mixing_W_infty` | [`sampler::Mala::certified`] |
//! | `lem:W_infty_TV` | [`calibrate::ln_inverse_tv`] |
//! | `lem:min_density_gibbs`, `cor:densit_lowerbound` | [`calibrate::planned_oscillation`] |
//! | `tab:localization`, `tab:K_stepsizes` | [`calibrate::Paper`] |
//! | `alg:twostage_dp_learner`, `thm:end2end_pure` | [`mechanism::Posterior`], [`Learner`] |
//! | `thm:ngd_lipschitz`, `thm:ngd_smooth` | [`mechanism::NoisyGradient`] |
//! | (our own) objective perturbation for every tilt, pure or Gaussian | [`mechanism::ObjectivePerturbation`] |
//! | (our own) the mechanism with the least predicted risk | [`comparison::Comparison`], [`prediction::Guess`] |
//! | (our own) exact draw | [`sampler::ExactDraw`] |
//! | (our own) in-ball proximal sampler | [`sampler::Proximal`] |
//! | (our own) certified minimiser | [`optimise::Minimiser`] |
//! | (our own) certificate | [`release::Release`]; its checker is the crate `asap-contracts` |
//!
//! The proofs, the errata and what is assumed are in `spec/`; `spec/architecture.md` walks the whole way of a record.
#![cfg_attr(test, allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::float_cmp))]
// Kani expands one attribute inside of the other, and some harnesses have many.
#![cfg_attr(kani, recursion_limit = "256")]
#![forbid(unsafe_code)]

pub mod account;
pub mod asap;
pub mod ball;
pub mod bounds;
pub mod calibrate;
pub mod comparison;
pub mod contract;
pub mod data;
pub mod error;
pub mod exact;
mod exact_draw;
pub mod forecast;
pub mod input;
pub mod landscape;
pub mod learner;
pub mod ledger;
pub mod localise;
pub mod loss;
pub mod mechanism;
pub mod noise;
pub mod objective;
pub mod one_against_rest;
pub mod optimise;
mod passage;
pub mod plan;
pub mod prediction;
pub mod privacy;
pub mod private;
pub mod problem;
pub mod proved;
pub mod quantile;
mod regulariser;
pub mod release;
pub mod sampler;
pub mod score;
pub mod shape;
mod special;
pub mod spectrum;
pub mod split;
pub mod verdict;

pub use bounds::Bounds;
pub use data::{OutOfBounds, Records, Stream, read_csv};
pub use error::Error;
pub use input::InvalidInput;
pub use learner::Learner;
pub use loss::{Huber, Logistic, Loss, Squared, WeightedLogistic};
pub use mechanism::SamplerKind;
pub use noise::{ReplayRng, SecureRng};
pub use plan::MechanismKind;
pub use private::Private;
pub use problem::Problem;
pub use release::Release;
pub use shape::{Block, Shape};

#[cfg(any(kani, test))]
#[path = "../proofs/support.rs"]
mod proofs;

/// The README's example is compiled with the documentation tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
