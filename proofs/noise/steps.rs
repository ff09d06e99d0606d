//! Whole numbers of steps: rounded up, never down.

use super::*;
use crate::proofs::{assume, cover, harness};

harness! {
    /// spec: `own:euclidean-laplace`, `own:rounded-normal`
    /// covers: noise::steps::whole_at_least — all inputs
    ///
    /// A scale in whole steps is not below the number of steps asked for, and less than one step above it; what
    /// is not positive or wider than the lattice is refused.
    ///
    /// assumes: nothing. bound: none, all `f64`. solver: cadical.
    /// mutation: `whole steps are rounded to nearest`
    [kani::proof, kani::unwind(2), kani::solver(cadical)]
    fn verify_whole_at_least__not_below(bits: u64, near: bool) {
        // Half of the random bits of a test are numbers from 2^−10 to 2^54, where rounding has something to do.
        let bits = if near { (1013 + (bits >> 58)) << 52 | bits & ((1 << 52) - 1) } else { bits };
        let steps = f64::from_bits(bits);
        let largest = 9_007_199_254_740_992.0;
        let drawn = whole_at_least(steps);
        cover!(drawn == Some(MOST_STEPS));
        cover!(steps > 2.5 && drawn == Some(3));
        cover!(drawn.is_none());
        assert!(drawn.is_some() == (steps > 0.0 && steps <= largest));
        assume!(drawn.is_some());
        let Some(drawn) = drawn else { return };
        // Integers up to 2^53 are f64.
        assert!(drawn <= MOST_STEPS && drawn as f64 >= steps && ((drawn - 1) as f64) < steps);
    }
}
