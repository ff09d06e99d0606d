//! The loop of the descent.

use super::*;
use crate::proofs::{cover, harness};

harness! {
    /// spec: `own:noisy-gradient`
    ///
    /// A descent asks for exactly as many noisy gradients as the budget was divided by, or for fewer if one of them is
    /// not to be had; it averages what comes after the skipped ones, in order.
    ///
    /// assumes: at most 7 steps. bound: any number of skipped steps, any place at which the records are gone; the loop
    /// of a longer descent is the same. solver: cadical.
    /// covers: mechanism::noisy_gradient::walk — within a bound
    /// mutation: `one gradient more than was paid for`
    [kani::proof, kani::unwind(9), kani::solver(cadical)]
    fn verify_walk__as_many_gradients_as_were_paid_for(steps: u8, skipped: u8, gone: Option<u8>) {
        let (steps, skipped) = (u32::from(steps % 8), u32::from(skipped));
        let (mut asked, mut shown) = (0_u32, 0_u32);
        let gone = gone.map(u32::from);
        let advance = |state: u32| {
            asked += 1;
            if gone == Some(state) { Err(()) } else { Ok(state + 1) }
        };
        let show = |state: &u32| {
            shown += 1;
            assert!(*state == skipped + shown);
        };
        let ended = walk(steps, skipped, 0, advance, show);
        cover!(ended.is_ok() && steps == 7 && shown == 3);
        cover!(ended.is_err());
        assert!(asked <= steps && (ended.is_err() || asked == steps));
        assert!(ended.is_ok() == gone.is_none_or(|gone| gone >= steps));
        assert!(ended.is_err() || shown == steps.saturating_sub(skipped));
    }
}
