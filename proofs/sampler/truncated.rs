//! The rejection loop of the normal law in a ball.

use super::*;
use crate::proofs::{Words, assume, cover, harness};

harness! {
    /// spec: `own:truncated`
    ///
    /// For any proposals the loop returns the first that was accepted, so a point that passed the test of the
    /// ball. Energies up to 0 are accepted without exception: rounding just below 0 costs nothing.
    ///
    /// assumes: one of 4 proposals is accepted; 17 words. bound: any proposals; all energies up to 0. The coin of
    /// energy 0 reads up to 17 words. solver: cadical.
    /// mutation: `energies below zero are turned over`
    [kani::proof, kani::unwind(19), kani::solver(cadical)]
    fn verify_first__accepted(proposals: [u8; 4], accepted: [bool; 4], energy: f64, words: [u64; 17]) {
        assume!((accepted[0] || accepted[1] || accepted[2] || accepted[3]));
        let mut asked = 0;
        let result = first(|| {
            asked += 1;
            accepted[asked - 1].then_some(proposals[asked - 1])
        });
        cover!(asked == 4);
        assert!(accepted[asked - 1] && result == proposals[asked - 1]);
        assert!(!accepted.iter().take(asked - 1).any(|x| *x));
        let energy = -energy.abs();
        assume!(energy.is_finite());
        cover!(energy < 0.0);
        assert!(survives(energy, &mut Words::new(words)));
    }
}
