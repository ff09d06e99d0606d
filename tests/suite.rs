//! One program for the tests of the library's parts, a module each: `cargo test --test suite exact::` runs those of
//! `tests/exact.rs`, and `slips::` those of `tests/slips/`. Linking them one by one took most of the time of a build,
//! and each program compiled fits of its own.
#![allow(clippy::unwrap_used, reason = "a test may stop")]

mod auto;
mod ball;
#[path = "noise/chi_square.rs"]
#[allow(dead_code, reason = "each module uses a part of it")]
mod chi_square;
mod contraction;
mod data;
mod errata;
mod exact;
mod examples;
mod gaussian_tilt;
mod house;
mod learner;
mod lemmas;
mod localise;
mod losses;
mod mala;
mod never_fails;
mod noise;
mod noisy_gradient;
mod noisy_gradient_risk;
mod objective_perturbation;
mod objective_risk;
mod one_against_rest;
mod optimise;
mod persons;
mod proximal;
mod quantile;
mod reference;
mod score;
mod second_opinion;
mod self_check;
mod shaped_tilt;
mod shards;
#[path = "slips/main.rs"]
mod slips;
#[path = "structure/main.rs"]
mod structure;
mod truncated;
mod weights;
