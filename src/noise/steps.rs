//! Whole numbers of lattice steps: the scales of rounded noise.

use super::lattice::Lattice;
use super::shift::divide_up;
use crate::exact::decompose;
use crate::input::InvalidInput;
use core::marker::PhantomData;

/// The most steps: as wide as the lattice.
pub(super) const MOST_STEPS: u64 = Lattice::RANGE.unsigned_abs();

/// A scale of noise that is rounded: an integer number of lattice steps, 1 to 2^53. The law is part of the type, so
/// scales of different laws are not mixed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Steps<L> {
    steps: u64,
    law: PhantomData<L>,
}

/// A law whose scale is a whole number of steps.
pub trait Scaled {
    /// The scale, as the caller knows it.
    const FIELD: &'static str;
}

impl<L: Scaled> Steps<L> {
    pub(super) const REFUSED: InvalidInput =
        InvalidInput { field: L::FIELD, allowed: "more than 0 and at most 2^53 lattice steps" };

    /// An integer number of lattice steps.
    pub fn new(steps: u64) -> Result<Self, InvalidInput> {
        whole(steps).map(|steps| Self { steps, law: PhantomData }).ok_or(Self::REFUSED)
    }

    /// The smallest integer number of lattice steps that is not below `steps`. More noise is more privacy.
    pub fn at_least(steps: f64) -> Result<Self, InvalidInput> {
        whole_at_least(steps).ok_or(Self::REFUSED).and_then(Self::new)
    }

    /// The number of steps.
    pub fn steps(self) -> u64 {
        self.steps
    }
}

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
