//! Certificates built by hand, and every way in which the checker may fail to see that one is wrong.
#![allow(clippy::unwrap_used, clippy::panic, clippy::float_cmp)]

mod answer;
mod build;
mod charges;
mod choice;
mod claims;
mod clauses;
mod edges;
mod edits;
mod hostile;
mod lemmas;
mod losses;
mod noisy_gradient;
mod objective;
mod one_against_rest;
mod persons;
mod shapes;
#[cfg(feature = "signature")]
mod signature;
mod table;
mod tight;
mod tilts;
mod unknown;
