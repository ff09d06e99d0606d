//! Records that are read again: every row is handed over once, in order.

use super::*;
use crate::proofs::{cover, harness};

harness! {
    /// spec: `own:objective`
    /// covers: data::stream::in_blocks — within a bound
    ///
    /// Every row is handed over exactly once, in order; all blocks but the last are full and none is empty; after an error
    /// nothing more is handed over and the count is not returned.
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
    /// covers: data::stream::continued — within a bound
    ///
    /// The fingerprint of records does not depend on where they are cut into blocks, and one record more changes it unless
    /// a multiplication by an odd number maps two numbers to one.
    ///
    /// assumes: nothing. bound: three records of two numbers, cut after the first or the second; all f64. solver: cadical.
    /// mutation: `targets count after all features`
    [kani::proof, kani::unwind(5), kani::solver(cadical)]
    fn verify_continued__any_cut(features: [u64; 3], targets: [u64; 3], late: bool) {
        let (x, y) = (features.map(f64::from_bits), targets.map(f64::from_bits));
        let whole = continued(0, &x, &y);
        let cut = if late { 2 } else { 1 };
        let parts = continued(continued(0, &x[..cut], &y[..cut]), &x[cut..], &y[cut..]);
        cover!(late);
        cover!(whole != 0);
        assert!(whole == parts);
    }
}
