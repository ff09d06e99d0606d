//! Division by powers of two: all values, all numbers of places.

use super::*;
use crate::proofs::{assume, cover, harness};

harness! {
    /// spec: `own:discrete-laplace`
    /// covers: noise::shift::divide_up — all inputs
    ///
    /// The result is the smallest integer that is not below value/2^places: noise is never rounded down.
    ///
    /// assumes: nothing. bound: none, all values and all numbers of places. solver: cadical.
    /// mutation: `a quotient that is rounded down`
    [kani::proof, kani::unwind(2), kani::solver(cadical)]
    fn verify_divide_up__smallest_above(value: u64, places: u32, near: bool) {
        let places = if near { places % 66 } else { places };
        let quotient = u128::from(divide_up(value, places));
        cover!(places >= 64 && quotient == 1);
        cover!(places == 3 && quotient > 5);
        // From 64 places on every value is below the divisor.
        let places = places.min(64);
        assert!(quotient << places >= value.into());
        assert!(quotient == 0 || (quotient - 1) << places < value.into());
    }
}

harness! {
    /// spec: `own:lattice`
    /// covers: noise::shift::divide_nearest — all inputs
    ///
    /// The result is within half of value/2^places, and a half goes up.
    ///
    /// assumes: a value below 2^63, as documented. bound: none, all of them and all numbers of places. solver: cadical.
    /// mutation: `halves go down`
    [kani::proof, kani::unwind(2), kani::solver(cadical)]
    fn verify_divide_nearest__halves_up(value: u64, places: u32, shift: u8) {
        // Small values, for which a half is met, are frequent in a test.
        let (value, places) = (value >> (shift % 64), if shift < 200 { places % 66 } else { places });
        assume!(value < 1 << 63);
        let quotient = divide_nearest(value, places);
        cover!(places == 63 && quotient == 1);
        cover!(places >= 64);
        if places == 0 {
            assert!(quotient == value);
        } else {
            // value + ½·2^places is in [quotient, quotient + 1)·2^places.
            let places = places.min(64);
            let moved = u128::from(value) + (1_u128 << (places - 1));
            assert!(u128::from(quotient) == moved >> places);
        }
    }
}
