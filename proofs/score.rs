//! Cells: every row is in one cell of its class.

use super::*;
use crate::proofs::{cover, harness};

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
