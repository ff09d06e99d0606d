//! Differentially private learning with δ = 0.
#![cfg_attr(test, allow(clippy::unwrap_used, clippy::expect_used, clippy::panic))]
#![forbid(unsafe_code)]

pub mod asap;
pub mod ball;
pub mod calibrate;
pub mod contract;
pub mod data;
pub mod error;
pub mod exact;
pub mod loss;
pub mod model;
pub mod noise;
pub mod privacy;
pub mod private;
pub mod sampler;
mod special;

pub use error::Error;
