//! Exact noise from random bits: integer arithmetic only, no floating point decides anything.

mod bits;

pub use bits::{Provenance, RandomBits, ReplayRng, SecureRng};
