//! The rejection loop of the normal law in a ball.

use super::*;
use crate::proofs::{assume, cover, harness};

harness! {
    /// spec: `own:truncated`
    ///
    /// For any proposals the loop returns the first that was accepted, so a point that passed the test of the
    /// ball, and asks for no more.
    ///
    /// assumes: one of 4 proposals is accepted. bound: any proposals; each is one round of the same loop.
    /// solver: cadical.
    /// mutation: `a proposal is thrown away`
    [kani::proof, kani::unwind(6), kani::solver(cadical)]
    fn verify_first__accepted(proposals: [u8; 4], accepted: [bool; 4]) {
        assume!(accepted[0] || accepted[1] || accepted[2] || accepted[3]);
        let mut asked = 0;
        let result = first(|| {
            asked += 1;
            // A fifth is accepted, so that a wrong loop ends, too.
            (asked > 4 || accepted[asked - 1]).then(|| proposals[(asked - 1) % 4])
        });
        cover!(asked == 4);
        assert!(asked <= 4 && accepted[asked - 1] && result == proposals[asked - 1]);
        assert!(!accepted.iter().take(asked - 1).any(|x| *x));
    }
}
