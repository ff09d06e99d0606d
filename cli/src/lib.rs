//! The traceability checker of asap-dp: from each result of the paper to code, proofs and tests, and back.
//!
//! The package's binary `asap` is the command line; this library is what `asap trace` and the tests use.
#![cfg_attr(test, allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::float_cmp))]
#![forbid(unsafe_code)]

pub mod trace;
