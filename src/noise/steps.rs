//! Whole numbers of lattice steps: the scales of noise that is rounded.

use super::lattice::Lattice;
use super::shift::divide_up;
use crate::exact::decompose;

/// The most steps: as wide as the lattice.
pub(super) const MOST_STEPS: u64 = Lattice::RANGE.unsigned_abs();

/// The number itself, if it is 1 to 2^53.
pub(super) fn whole(steps: u64) -> Option<u64> {
    (1..=MOST_STEPS).contains(&steps).then_some(steps)
}

/// The smallest integer that is not below `steps`, if `steps` is more than 0 and at most 2^53.
pub(super) fn whole_at_least(steps: f64) -> Option<u64> {
    let (mantissa, exponent) = decompose(steps).filter(|_| steps <= MOST_STEPS as f64)?;
    // An f64 up to 2^53 has an exponent of at most 1, so the first shift loses nothing.
    whole(divide_up(mantissa << exponent.max(0).unsigned_abs(), exponent.min(0).unsigned_abs()))
}

#[cfg(any(kani, test))]
#[path = "../../proofs/noise/steps.rs"]
mod proofs;
