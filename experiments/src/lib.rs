//! The paper's experiments, with every system of its tables, and the baselines that are compared there.
//!
//! **For public records only.** Everything here is computed from records and shown: excess risks, minimisers,
//! curvatures. Nothing that it writes is private. What is not δ = 0, or not rigorous, is a *baseline*: it lives here
//! and not in the library. The page is `spec/own-experiments.md`.
//!
//! ```text
//! data ─▶ setting ─▶ system (library, or baselines) ─▶ store (finished cells) ─▶ summary ─▶ findings
//! ```
#![cfg_attr(test, allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::float_cmp))]
#![forbid(unsafe_code)]

pub mod baselines;
pub mod data;
pub mod error;
pub mod findings;
pub mod rates;
pub mod setting;
pub mod store;
pub mod study;
pub mod summary;
pub mod system;

pub use error::ExperimentError;
