//! Records that are read again: every row is handed over once, in order.

use super::*;
use crate::proofs::{cover, harness};

harness! {
    /// spec: `own:objective`
    /// covers: data::stream::in_blocks — within a bound
    ///
    /// Every row is handed over exactly once, in order; all blocks but the last are full and none is empty; after an
    /// error nothing more is handed over and the count is not returned.
    ///
    /// assumes: nothing. bound: at most 6 rows in blocks of 1 to 4, an error at any row or none. solver: cadical.
    /// mutation: `the last rows are not handed over`
    [kani::proof, kani::unwind(9), kani::solver(cadical)]
    fn verify_in_blocks__every_row_once(rows: u8, block_rows: u8, broken: u8) {
        let (rows, block_rows) = (usize::from(rows % 7), usize::from(block_rows % 4 + 1));
        let broken = usize::from(broken % 8);
        // The rows that wait are those from the first number to the second.
        let (mut waiting, mut next, mut short) = ((0, 0), 0, false);
        let admit = |count: usize, waiting: &mut (usize, usize)| {
            assert!(count == waiting.1);
            if count == broken {
                return Err(());
            }
            waiting.1 += usize::from(count < rows);
            Ok(count < rows)
        };
        let outcome = in_blocks(block_rows, &mut waiting, admit, |waiting| {
            assert!(waiting.0 == next && waiting.1 > waiting.0 && waiting.1 - waiting.0 <= block_rows && !short);
            short = waiting.1 - waiting.0 < block_rows;
            next = waiting.1;
            waiting.0 = next;
        });
        cover!(outcome == Ok(6) && short);
        cover!(outcome.is_err() && next > 0);
        match outcome {
            Ok(count) => assert!(count == rows && next == rows && broken > rows),
            Err(()) => assert!(broken <= rows && next <= broken && next.is_multiple_of(block_rows)),
        }
    }
}

harness! {
    /// spec: `own:objective`
    /// covers: data::stream::folded — within a bound
    ///
    /// What records make of a fingerprint does not depend on where they are cut into blocks.
    ///
    /// assumes: nothing. bound: three records of two numbers, cut after the first, the second or both; all f64; one way
    /// to mix them in, for the order of the numbers is all that is at stake. solver: cadical.
    /// mutation: `targets count after all features`
    [kani::proof, kani::unwind(5), kani::solver(cadical)]
    fn verify_folded__any_cut(features: [u64; 3], targets: [u64; 3]) {
        let (x, y) = (features.map(f64::from_bits), targets.map(f64::from_bits));
        let continued = |state, x: &[f64], y: &[f64]| {
            folded(state, x, y, |hash, x| hash.rotate_left(23) ^ x.to_bits())
        };
        let whole = continued(0, &x, &y);
        cover!(whole != 0);
        let first = continued(0, &x[..1], &y[..1]);
        let both = continued(first, &x[1..2], &y[1..2]);
        assert!(whole == continued(first, &x[1..], &y[1..]));
        assert!(both == continued(0, &x[..2], &y[..2]));
        assert!(whole == continued(both, &x[2..], &y[2..]));
    }
}
