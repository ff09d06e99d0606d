//! The reference mechanism: the charge for rounding.

use super::*;
use crate::proofs::{cover, harness, is_bug};

harness! {
    /// spec: `own:rounding`
    /// covers: calibrate::reference::rounding_fits — all inputs
    ///
    /// A charge is let through only if four times it is at most the error, and unchanged; what is no number is refused.
    ///
    /// assumes: the `requires` clauses (by Kani, from the contract). bound: none, all `f64`. solver: cadical.
    /// mutation: `half of the error may be spent on rounding`
    [kani::proof_for_contract(rounding_fits), kani::unwind(9), kani::solver(cadical)]
    fn verify_rounding_fits__contract(charge: f64, error: f64, rows: f64, near: bool) {
        // Random numbers seldom satisfy the `requires`; many of those of a test do.
        let (charge, rows) = if near { (0.375 * error, 1.0) } else { (charge, rows) };
        let outcome = rounding_fits(Public::new(charge), Public::new(error), Public::new(rows));
        cover!(outcome.is_ok() && charge > 0.0);
        assert!(!is_bug(&outcome));
        if let Ok(value) = outcome {
            assert!(value.to_bits() == charge.to_bits() && 4.0 * value <= error && value >= 0.0);
        }
    }
}
