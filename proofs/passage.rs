//! The state machine of a release, with abstract bodies.

use super::*;
use crate::proofs::{cover, harness};

/// What has happened so far, in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Step {
    Accepted,
    Entered,
    Drawn,
    Checked,
}

harness! {
    /// spec: `own:contracts`
    /// covers: passage::in_order — all inputs
    ///
    /// Whatever the steps do: nothing is drawn before it was entered, nothing is entered before it was accepted,
    /// nothing leaves that was not checked, and what leaves is what was checked. After a step that fails no other is
    /// taken, and its error comes back.
    ///
    /// assumes: nothing. bound: none, each of the steps may fail or not; there is no loop. solver: cadical.
    /// mutation: `what does not pass leaves`
    [kani::proof, kani::unwind(6), kani::solver(cadical)]
    fn verify_in_order__none_skipped(fails: [bool; 4], value: u8, entry: u8) {
        let (mut taken, mut count) = ([None; 8], 0_usize);
        let mut log = |step: Step| {
            taken[count] = Some(step);
            count += 1;
        };
        let outcome = in_order(
            &mut log,
            |log| {
                log(Step::Accepted);
                if fails[0] { Err(0) } else { Ok(()) }
            },
            |log| {
                log(Step::Entered);
                if fails[1] { Err(1) } else { Ok(entry) }
            },
            |log, entered| {
                log(Step::Drawn);
                assert!(*entered == entry);
                if fails[2] { Err(2) } else { Ok(value) }
            },
            |log, drawn| {
                log(Step::Checked);
                assert!(*drawn == value);
                if fails[3] { Err(3) } else { Ok(()) }
            },
        );
        cover!(outcome.is_ok());
        cover!(outcome == Err(3));
        let order = [Step::Accepted, Step::Entered, Step::Drawn, Step::Checked];
        let mut first = 4;
        let mut k = 4;
        while k > 0 {
            k -= 1;
            if fails[k] {
                first = k;
            }
        }
        assert!(outcome == if first == 4 { Ok((value, entry)) } else { Err(first) });
        assert!(count == (first + 1).min(4));
        let mut k = 0;
        while k < 4 {
            assert!(taken[k] == (k < count).then_some(order[k]));
            k += 1;
        }
    }
}
