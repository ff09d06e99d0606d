//! The tolerance that a search is held to.

use super::*;
use crate::proofs::{cover, harness};

harness! {
    /// spec: `own:certified-minimiser`
    /// covers: optimise::admissible_tolerance — all inputs
    ///
    /// A tolerance is let through exactly if it is a finite number greater than 0 and twice the rounding, which
    /// is a finite number and not negative, is at most the tolerance; it comes back unchanged. Twice a number
    /// is computed from its bits.
    ///
    /// assumes: for Kani the `requires` clauses, so that it shows what they let through; that nothing else is
    /// refused is seen by the test.
    /// bound: none, all `f64`. solver: cadical.
    /// mutation: `rounding counts once`
    [kani::proof_for_contract(admissible_tolerance), kani::unwind(9), kani::solver(cadical)]
    fn verify_admissible_tolerance__contract(tau: f64, rounding: f64, near: bool) {
        // Random numbers are seldom admissible; half of those of a test are near the edge.
        let rounding = if near { 0.75 * tau } else { rounding };
        let outcome = admissible_tolerance(Public::new(tau), Public::new(rounding));
        cover!(outcome.is_ok() && rounding > 0.0);
        // Twice a number that is not negative: one more in the exponent, or a subnormal number shifted. Bits of
        // such numbers are in order.
        let bits = (rounding + 0.0).to_bits();
        let doubled = if bits >> 52 == 0 { bits << 1 } else { bits.wrapping_add(1 << 52) };
        let positive = tau > 0.0 && tau < f64::INFINITY && (0.0..f64::INFINITY).contains(&rounding);
        assert!(outcome.is_ok() == (positive && doubled <= tau.to_bits()));
        assert!(outcome.is_err() || outcome.is_ok_and(|value| value.to_bits() == tau.to_bits()));
    }
}
