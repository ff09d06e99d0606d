//! K of the proximal sampler: the smallest that is enough.

use super::*;
use crate::proofs::{assume, cover, harness};

harness! {
    /// spec: `own:proximal`
    ///
    /// K is at least 1 and enough, and K − 1 would not be: therefore it is monotone in what is needed, whatever the
    /// guess was. The logarithm is inside of the guess and of the condition, and both are arbitrary here.
    ///
    /// assumes: a condition that larger numbers satisfy more easily, as an unknown threshold. bound: guesses from 1
    /// to 8 and thresholds of 4 bits in halves; both directions of the search, up to its 16 steps. solver: cadical.
    /// mutation: `too many steps are kept`
    [kani::proof, kani::unwind(18), kani::solver(cadical)]
    fn verify_smallest_whole__enough_and_smallest(need: u8, guess: u8) {
        let (need, guess) = (f64::from(need % 16) * 0.5, f64::from(guess % 8 + 1));
        let found = smallest_whole(guess, |steps| steps >= need);
        assume!(found.is_some());
        let Some(steps) = found else { return };
        cover!(guess < need);
        cover!(guess > need + 2.0);
        assert!(steps >= 1 && steps as f64 >= need);
        assert!(steps == 1 || ((steps - 1) as f64) < need);
    }
}
