//! What you need in a checkout of asap-dp and not in its binary: the way from each result of the paper to code,
//! proofs and tests, and back ([`trace`]); the measured tables of the README ([`measured`]); the pages that are
//! made from all of it ([`pages`]); and how many changes of the source a test notices ([`mutants`]).
//! `cargo xtask --help` lists the commands.
#![cfg_attr(test, allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::float_cmp))]
#![forbid(unsafe_code)]

pub mod measured;
pub mod mutants;
pub mod pages;
pub mod trace;
