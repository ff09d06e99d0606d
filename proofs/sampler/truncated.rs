//! The rejection loops of the normal law in a ball.

use super::*;
use crate::proofs::{assume, cover, harness};

harness! {
    /// spec: `own:truncated`
    ///
    /// For any proposals the loop returns the first that was accepted, and asks for no more.
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

harness! {
    /// spec: `own:truncated`
    ///
    /// A proposal outside is never returned, whatever inside means: the result is the first proposal inside.
    ///
    /// assumes: one of 4 proposals is inside. bound: any proposals and any membership (of the numbers modulo 8); each
    /// proposal is one round of the same loop. solver: cadical.
    /// mutation: `a proposal outside is returned`
    [kani::proof, kani::unwind(6), kani::solver(cadical)]
    fn verify_first_inside__never_outside(proposals: [u8; 4], members: u8) {
        let inside = |x: &u8| members >> (x % 8) & 1 == 1;
        assume!(proposals.iter().any(inside));
        let mut asked = 0;
        let propose = || {
            asked += 1;
            proposals[(asked - 1) % 4]
        };
        let result = first_inside(propose, inside);
        cover!(asked == 4);
        assert!(inside(&result));
        assert!(asked <= 4 && result == proposals[asked - 1]);
        assert!(!proposals.iter().take(asked - 1).any(inside));
    }
}
