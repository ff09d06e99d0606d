//! Exact noise from random bits: integer arithmetic only, no floating point decides anything.
//!
//! | what | where | source |
//! |---|---|---|
//! | random bits | [`SecureRng`], [`ReplayRng`] | `ChaCha20` |
//! | uniform integers | [`uniform_below`] | rejection |
//!
//! Each module states its algorithm and proves that its law is exact. Running times depend on the drawn
//! values; the threat model names that.

mod bits;
#[cfg(test)]
mod tape;
mod uniform;

pub use bits::{Provenance, RandomBits, ReplayRng, SecureRng};
pub use uniform::{Word, uniform_below, uniform_up_to};
