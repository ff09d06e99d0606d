//! K and τ_max: large enough, monotone, never 0.

use super::*;
use crate::proofs::{assume, cover, harness};

harness! {
    /// spec: `own:conductance`
    ///
    /// The count that K and τ_max come from is at least 1, exact as an `f64`, and satisfies its condition; a larger
    /// estimate with a larger need never gives a smaller count. The logarithms are inside of the estimate and of
    /// the condition, and both are arbitrary here.
    ///
    /// assumes: a condition that larger numbers satisfy more easily, as an unknown threshold. bound: estimates and
    /// thresholds of 16 bits in quarters; the loop makes 16 steps, as in the source. solver: cadical.
    /// mutation: `an estimate is not rounded up`
    [kani::proof, kani::unwind(18), kani::solver(cadical)]
    fn verify_smallest_count__suffices(estimates: [u16; 2], needs: [i8; 2]) {
        let [low, high] = [estimates[0].min(estimates[1]), estimates[0].max(estimates[1])].map(quarters);
        let [less, more] = [needs[0].min(needs[1]), needs[0].max(needs[1])].map(|need| f64::from(need) * 0.25);
        let (less, more) = (low + less, high + more);
        let [first, second] =
            [(low, less), (high, more)].map(|(estimate, need)| smallest_count(estimate, |count| count >= need));
        if let Some(count) = first {
            assert!(count >= 1 && count as f64 >= less);
        }
        assume!((first.is_some() && second.is_some()));
        cover!(first == Some(1));
        cover!(first < second);
        assert!(first <= second);
    }
}

fn quarters(count: u16) -> f64 {
    f64::from(count) * 0.25
}
