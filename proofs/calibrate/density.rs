//! From total variation to Wasserstein-∞: the two contracts.

use super::*;
use crate::proofs::whole::number;
use crate::proofs::{assume, cover, harness, is_bug};

harness! {
    /// spec: `lem:W_infty_TV`
    /// covers: calibrate::density::ln_inverse_tv — within a bound
    ///
    /// The contract: ln(1/ξ) covers the oscillation and ln 2, whatever the logarithm is.
    ///
    /// assumes: the `requires` clauses and the promises of the directed operations; any non-negative logarithm; ln 2 rounded
    /// down and up as 1 and 2. bound: 2-bit whole numbers, 6-bit intermediate ones. solver: cadical.
    /// mutation: `the oscillation is forgotten`
    [kani::proof, kani::unwind(9), kani::solver(cadical),
     kani::stub(crate::special::ln, crate::proofs::whole::any_whole)] on whole numbers
    fn verify_ln_inverse_tv__contract(one: bool, oscillation: u8, dimension: u8, radius: u8, delta: u8) {
        let norm = if one { Norm::One } else { Norm::Two };
        let (radius, delta) = (radius % 3 + 1, delta % 3 + 1);
        assume!(delta <= 2 * radius);
        let (oscillation, dimension) = (number(oscillation % 4), u64::from(dimension % 3 + 1));
        let outcome = ln_inverse_tv(norm, oscillation, dimension, number(radius), number(delta));
        cover!(outcome.is_ok() && dimension > 1);
        assert!(!is_bug(&outcome));
    }
}

harness! {
    /// spec: `cor:densit_lowerbound`, `lem:min_density_gibbs`
    /// covers: calibrate::density::planned_oscillation, calibrate::density::lipschitz_oscillation, calibrate::density::smooth_oscillation — within a bound
    ///
    /// The contract: the planned oscillation covers 2γGB or 2γβB², whichever was taken.
    ///
    /// assumes: the `requires` clauses and the promises of the directed operations. bound: 2-bit whole numbers, 6-bit
    /// intermediate ones; the clause is an inequality of polynomials. solver: cadical.
    /// mutation: `the oscillation of half of the ball`
    [kani::proof, kani::unwind(9), kani::solver(cadical)] on whole numbers
    fn verify_planned_oscillation__contract(gamma: u8, lipschitz: u8, smoothness: u8, radius: u8) {
        let [gamma, lipschitz, smoothness, radius] =
            [gamma, lipschitz, smoothness, radius].map(|x| number(x % 3 + 1));
        let outcome = planned_oscillation(gamma, lipschitz, smoothness, radius);
        cover!(outcome.is_ok() && radius > number(1));
        assert!(!is_bug(&outcome));
    }
}
