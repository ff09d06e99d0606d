//! The loop of the certified projection.

use super::*;
use crate::proofs::{cover, harness};

harness! {
    /// spec: `own:ball`
    /// covers: ball::first_accepted — within a bound
    ///
    /// Whatever the candidates are, the result is accepted if the fallback is; it is the first accepted candidate,
    /// so that an acceptable first candidate comes back as it is.
    ///
    /// assumes: at most 4 candidates. bound: any candidates and any acceptance; the 53 of `project` are the same
    /// loop. solver: cadical.
    /// mutation: `the last candidate instead of the fallback`
    [kani::proof, kani::unwind(6), kani::solver(cadical)]
    fn verify_first_accepted__accepted_or_fallback(candidates: [u8; 4], accepted: u8, fallback: u8, tries: u8) {
        let tries = u32::from(tries % 5);
        // Membership of 8 points, in any of 2^8 ways.
        let accepts = |x: &u8| accepted >> (x % 8) & 1 == 1;
        let result = first_accepted(tries, |k| candidates[k as usize], accepts, fallback);
        cover!(tries == 4 && !accepts(&result));
        cover!(tries == 4 && accepts(&result) && result != candidates[0]);
        assert!(!accepts(&fallback) || accepts(&result));
        let first = candidates.iter().copied().take(tries as usize).find(accepts);
        assert!(result == first.unwrap_or(fallback));
    }
}

harness! {
    /// spec: `own:ball`
    ///
    /// The scale by which a point is measured is exactly the power of two that it should be, a normal number, and the
    /// scale for the opposite exponent is its inverse: measuring and giving back rounds nothing.
    ///
    /// assumes: exponents up to 1000 in absolute value, as in `shorten`. bound: none else. solver: cadical.
    /// covers: ball::power_of_two — within a bound
    /// mutation: `a power of two is one too small`
    [kani::proof, kani::unwind(2), kani::solver(cadical)]
    fn verify_power_of_two__exact(exponent: i16) {
        let exponent = i32::from(exponent) % 1001;
        cover!(exponent == -1000);
        cover!(exponent == 1000);
        // A normal number's mantissa has 53 bits.
        assert!(crate::exact::decompose(power_of_two(exponent)) == Some((1 << 52, exponent - 52)));
        assert!(power_of_two(exponent).is_normal());
    }
}
