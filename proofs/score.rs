//! Cells: every row is one row, whatever its error and its class.

use super::*;
use crate::proofs::{cover, harness};

harness! {
    /// spec: `own:score`
    /// covers: score::cells::divided — all inputs
    ///
    /// The eight parts of a row add up to one row, so that a row more or less moves the cells by one in the 1-norm.
    ///
    /// assumes: nothing. bound: none, all errors and all targets. solver: cadical.
    /// mutation: `a part of a row counts twice`
    [kani::proof, kani::unwind(9), kani::solver(cadical)]
    fn verify_divided__one_row(u: u32, t: u32, near: bool) {
        let (u, t) = if near { (u % (PARTS + 2), t % (PARTS + 2)) } else { (u, t) };
        let parts = divided(u, t);
        cover!(parts[7] > 0 && parts[0] > 0);
        cover!(u > PARTS);
        let mut all = 0_u64;
        for part in parts {
            all += u64::from(part);
        }
        assert!(all == u64::from(PARTS));
    }
}

harness! {
    /// spec: `own:score`
    /// covers: score::cells::cell_of — all inputs
    ///
    /// A row of either class is in a cell of its own class, and in one that exists.
    ///
    /// assumes: a bin below the number of bins. bound: none, all of them. solver: cadical.
    /// mutation: `the cells of the classes overlap`
    [kani::proof, kani::unwind(2), kani::solver(cadical)]
    fn verify_cell_of__one_of_its_class(bin: u16, positive: bool, bins: u16) {
        crate::proofs::assume!(bin < bins);
        let cell = cell_of(bin.into(), positive, bins.into());
        cover!(positive && bin == 0);
        let bins = usize::from(bins);
        assert!(cell < 2 * bins && (cell >= bins) == positive && cell % bins == usize::from(bin));
    }
}
