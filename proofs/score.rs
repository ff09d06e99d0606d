//! Cells: every row is in one cell of its class, or in eight that add up to one row.

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

harness! {
    /// spec: `own:score`
    /// covers: score::cells::bin — within a bound
    ///
    /// Every probability is in one bin: that of as many edges as are not above it; what is no number is in the first.
    ///
    /// assumes: edges in order. bound: three edges, all `f64`. solver: cadical.
    /// mutation: `an edge belongs to the bin below`
    [kani::proof, kani::unwind(5), kani::solver(cadical)]
    fn verify_bin__edges_not_above(edges: (f64, f64, f64), probability: f64, equal: bool) {
        let edges = [edges.0, edges.1, edges.2];
        // A probability on an edge is frequent in a test.
        let probability = if equal { edges[1] } else { probability };
        crate::proofs::assume!(edges[0] < edges[1] && edges[1] < edges[2]);
        let found = bin(&edges, probability);
        cover!(found == 3);
        cover!(found == 0 && probability.is_nan());
        let [a, b, c] = edges.map(|edge| usize::from(edge <= probability));
        assert!(found == a + b + c);
    }
}

harness! {
    /// spec: `own:score`
    /// covers: score::cells::whole_parts — all inputs
    ///
    /// A part of 1 is counted in whole parts of a row, rounded down: never more than the number has; what is above 1 is
    /// 1, and what is negative or no number is 0.
    ///
    /// assumes: nothing. bound: none, all `f64`. solver: cadical.
    /// mutation: `a part that is rounded to nearest`
    [kani::proof, kani::unwind(2), kani::solver(cadical)]
    fn verify_whole_parts__rounded_down(part: f64, near: u32) {
        // Half of the parts of a test are from 0 to 2.
        let part = if near.is_multiple_of(2) { f64::from(near) / f64::from(1_u32 << 31) } else { part };
        let parts = whole_parts(part);
        cover!(parts == PARTS - 1);
        cover!(part.is_nan());
        assert!(parts <= PARTS);
        if part >= 1.0 {
            assert!(parts == PARTS);
        } else if part > 0.0 {
            // parts ≤ 2^20·part < parts + 1, and products with a power of two are exact.
            let scaled = part * f64::from(PARTS);
            assert!(f64::from(parts) <= scaled && scaled < f64::from(parts + 1));
        } else {
            assert!(parts == 0);
        }
    }
}

harness! {
    /// spec: `own:score`
    /// covers: score::cells::product — within a bound
    ///
    /// The product of two parts of 1 is not above either of them.
    ///
    /// assumes: the second is at most 1. bound: parts in steps of 2^−8, for which the source computes as for all; and
    /// one of 1 or 0, which give the other one and nothing. solver: cadical.
    /// mutation: `a product of one place too few`
    [kani::proof, kani::unwind(4), kani::solver(cadical)]
    fn verify_product__below_both(a: u16, b: u16) {
        let [a, b] = [a, b].map(|x| u32::from(x % 257) << 12);
        let c = product(a, b);
        cover!(c > 0 && c < a && c < b);
        assert!(c <= a && c <= b);
        assert!(a < PARTS || c == b);
        assert!(a > 0 || c == 0);
    }
}

harness! {
    /// spec: `own:score`
    /// covers: score::cells::divided — within a bound
    ///
    /// The eight parts of a row add up to exactly one row, whatever its error and its target: a row more or less moves
    /// the cells by one in the 1-norm.
    ///
    /// assumes: of a product that it is not above either factor (`verify_product__below_both`); for
    /// Kani it is any such number.
    /// bound: parts in steps of 2^−8, since the sums do the same with the digits that follow. solver: cadical.
    /// mutation: `a part that is counted twice`
    [kani::proof, kani::unwind(10), kani::solver(cadical),
     kani::stub(crate::score::cells::product, any_product)]
    fn verify_divided__one_row(u: u32, t: u32, near: bool) {
        let (u, t) = if near { (u % (PARTS + 2), t % (PARTS + 2)) } else { (u, t) };
        // A test takes all digits.
        let cut = if cfg!(kani) { 12 } else { 0 };
        let (u, t) = (u >> cut << cut, t >> cut << cut);
        let parts = divided(u, t);
        let mut sum = 0_u64;
        let mut k = 0;
        while k < 8 {
            sum += u64::from(parts[k]);
            k += 1;
        }
        cover!(parts[3] > 0 && parts[6] > 0);
        assert!(sum == u64::from(PARTS));
    }
}

#[cfg(kani)]
fn any_product(a: u32, b: u32) -> u32 {
    let product = u32::from(kani::any::<u16>()) << 12;
    kani::assume(product <= a && product <= b);
    product
}
