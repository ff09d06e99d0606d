//! K and τ_max: large enough, never 0.

use super::*;
use crate::proofs::{assume, cover, harness};
use core::cell::Cell;

harness! {
    /// spec: `own:conductance`
    /// covers: calibrate::mala::smallest_count — within a bound
    ///
    /// The count that K and τ_max come from is at least 1, below 2^53 + 16, and its condition was asked for exactly
    /// this number and answered yes. The logarithms are inside of the estimate and of the condition, and both are
    /// arbitrary here.
    ///
    /// assumes: nothing. bound: estimates below 1000 or out of range (2^53 and more, negative, NaN), any answers; the
    /// loop makes 16 steps, as in the source, and whole numbers below 2^53 + 16 are added exactly. solver: cadical.
    /// mutation: `the estimate is returned unchecked`
    [kani::proof, kani::unwind(18), kani::solver(cadical)]
    fn verify_smallest_count__suffices(estimate: f64, small: u8, near: bool, answers: u32) {
        let estimate = if near { f64::from(small) - 1.5 } else { estimate };
        assume!(estimate < 1000.0 || estimate.is_nan() || estimate >= LARGEST_COUNT);
        let (asked, last) = (Cell::new(0_u32), Cell::new((0.0, false)));
        let count = smallest_count(estimate, |count| {
            let answer = answers >> asked.get() & 1 == 1;
            asked.set(asked.get() + 1);
            last.set((count, answer));
            answer
        });
        cover!(count.is_none() && asked.get() == 17);
        cover!(count == Some(1) && estimate < 0.0);
        cover!(asked.get() == 17 && count.is_some());
        if let Some(count) = count {
            assert!((1..=(1 << 53) + 16).contains(&count));
            assert!(last.get().1 && last.get().0.to_bits() == (count as f64).to_bits());
        }
    }
}

harness! {
    /// spec: `alg:MALA`
    /// covers: calibrate::mala::feasible_chain — all inputs
    ///
    /// The contract: a chain is let through only if it is not longer than allowed, and unchanged.
    ///
    /// assumes: the `requires` clauses. bound: none, all f64. solver: cadical.
    /// mutation: `one step more than allowed`
    [kani::proof, kani::unwind(9), kani::solver(cadical)]
    fn verify_feasible_chain__contract(planned: f64, largest: f64, near: bool) {
        // Half of the numbers of a test are those of a limit.
        let planned = if near { largest } else { planned };
        assume!(planned >= 0.0 && planned <= largest);
        let outcome = feasible_chain(Public::new(planned), Public::new(largest));
        cover!(planned < largest);
        assert!(outcome.is_ok_and(|value| value.to_bits() == planned.to_bits()));
    }
}
