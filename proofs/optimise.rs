//! A contract function: `ensures` from `requires`.

use super::*;
use crate::contract::Clause;
use crate::proofs::{cover, harness};

harness! {
    /// spec: `own:certified-minimiser`
    /// covers: optimise::admissible_tolerance — all inputs
    ///
    /// The function contract that `contract!` emits: for arguments that satisfy the `requires`, no clause of the
    /// `ensures` fails.
    ///
    /// assumes: the `requires` clauses (by Kani, from the contract). bound: none, all `f64`. solver: cadical.
    /// mutation: `a tolerance that is doubled`
    [kani::proof_for_contract(admissible_tolerance), kani::unwind(9), kani::solver(cadical)]
    fn verify_admissible_tolerance__contract(tau: f64, rounding: f64, near: bool) {
        // Random numbers seldom satisfy the `requires`; many of those of a test do.
        let rounding = if near { 0.0 } else { rounding };
        let outcome = admissible_tolerance(Public::new(tau), Public::new(rounding));
        cover!(outcome.is_ok() && rounding > 0.0);
        assert!(!matches!(outcome, Err(broken) if broken.kind == Clause::Ensures));
        assert!(outcome.is_err() || outcome.is_ok_and(|value| value.to_bits() == tau.to_bits()));
    }
}
