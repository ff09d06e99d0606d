//! K of the proximal sampler: the smallest that is enough.

use super::*;
use crate::proofs::{assume, cover, harness};

harness! {
    /// spec: `own:proximal`
    ///
    /// K is at least 1 and enough, and K − 1 would not be: therefore it is monotone in what is needed, whatever the
    /// guess was. The logarithm is inside of the guess and of the condition, and both are arbitrary here.
    ///
    /// assumes: a condition that larger numbers satisfy more easily, as an unknown threshold. bound: thresholds of
    /// 8 bits in quarters, and guesses at a distance of up to 32; the loops make 16 steps, as in the source.
    /// solver: cadical.
    /// mutation: `too many steps are kept`
    [kani::proof, kani::unwind(18), kani::solver(cadical)]
    fn verify_smallest_whole__enough_and_smallest(need: u8, error: i8) {
        let need = f64::from(need) * 0.25;
        let guess = need.ceil() + f64::from(error) * 0.25;
        let found = smallest_whole(guess.ceil(), |steps| steps >= need);
        cover!(found.is_none());
        assume!(found.is_some());
        let Some(steps) = found else { return };
        cover!(steps > 1 && error < -4);
        cover!(steps > 1 && error > 4);
        assert!(steps >= 1 && steps as f64 >= need);
        assert!(steps == 1 || ((steps - 1) as f64) < need);
    }
}
