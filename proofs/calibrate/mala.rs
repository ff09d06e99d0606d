//! K and τ_max: large enough, never 0.

use super::*;
use crate::proofs::{cover, harness};
use core::cell::Cell;

harness! {
    /// spec: `own:conductance`
    ///
    /// The count that K and τ_max come from is at least 1, below 2^53 + 16, and its condition was asked for exactly
    /// this number and answered yes. The logarithms are inside of the estimate and of the condition, and both are
    /// arbitrary here.
    ///
    /// assumes: nothing. bound: none on the estimate (all `f64`) and the answers; the loop makes 16 steps, as in the
    /// source. solver: cadical.
    /// mutation: `the estimate is returned unchecked`
    [kani::proof, kani::unwind(18), kani::solver(cadical)]
    fn verify_smallest_count__suffices(estimate: f64, small: u16, near: bool, answers: u32) {
        let estimate = if near { f64::from(small) - 1.5 } else { estimate };
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
            assert!(1 <= count && count <= (1 << 53) + 16);
            assert!(last.get().1 && last.get().0.to_bits() == (count as f64).to_bits());
        }
    }
}
