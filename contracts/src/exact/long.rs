//! The stand-in for long numbers when a model checker reads the contracts: there are none. A proof that reached one
//! would fail, so a proof also shows that 128 bits are enough for its numbers.

use core::ops::{Add, Div, Mul, Shl, Shr, Sub};

/// A number of more than 128 bits.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct BigUint(u128);

/// Reached by no proof.
fn never() -> BigUint {
    kani::assert(false, "a number of more than 128 bits");
    BigUint(0)
}

impl BigUint {
    pub(super) fn bits(&self) -> u64 {
        never().0 as u64
    }

    pub(super) fn sqrt(&self) -> Self {
        never()
    }
}

impl From<u128> for BigUint {
    fn from(_: u128) -> Self {
        never()
    }
}

impl TryFrom<&BigUint> for u128 {
    type Error = ();
    fn try_from(_: &BigUint) -> Result<Self, ()> {
        Err(())
    }
}

macro_rules! never {
    ($($operation:ident $method:ident $other:ty),+) => {$(
        impl $operation<$other> for BigUint {
            type Output = Self;
            fn $method(self, _: $other) -> Self {
                never()
            }
        }
        impl $operation<$other> for &BigUint {
            type Output = BigUint;
            fn $method(self, _: $other) -> BigUint {
                never()
            }
        }
    )+};
}

never!(Add add BigUint, Sub sub BigUint, Mul mul BigUint, Div div BigUint, Shl shl u32, Shl shl u64, Shr shr u64);
