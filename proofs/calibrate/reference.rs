//! The reference mechanism: the temperatures, the sensitivity of what stands in for it, and the charge for rounding.

use super::*;
use crate::proofs::whole::number;
use crate::proofs::{cover, harness, is_bug};

harness! {
    /// spec: `own:rounding`
    /// covers: calibrate::reference::rounding_fits — all inputs
    ///
    /// A charge is let through only if four times it is at most the error, and unchanged; what is no number is refused.
    ///
    /// assumes: the `requires` clauses (by Kani, from the contract). bound: none, all `f64`. solver: cadical.
    /// mutation: `half of the error may be spent on rounding`
    [kani::proof_for_contract(rounding_fits), kani::unwind(9), kani::solver(cadical)]
    fn verify_rounding_fits__contract(charge: f64, error: f64, rows: f64, near: bool) {
        // Random numbers seldom satisfy the `requires`; many of those of a test do.
        let (charge, rows) = if near { (0.375 * error, 1.0) } else { (charge, rows) };
        let outcome = rounding_fits(Public::new(charge), Public::new(error), Public::new(rows));
        cover!(outcome.is_ok() && charge > 0.0);
        assert!(!is_bug(&outcome));
        if let Ok(value) = outcome {
            assert!(value.to_bits() == charge.to_bits() && 4.0 * value <= error && value >= 0.0);
        }
    }
}

harness! {
    /// spec: `lem:pure_DP_Post_Sam`
    /// covers: calibrate::reference::pure_temperature — within a bound
    ///
    /// The contract: 2γGB ≤ ε, whatever numbers the directed operations return on their side of the exact result.
    ///
    /// assumes: the `requires` clauses and the promises of the directed operations. bound: 2-bit G and B, 6-bit ε, 6-bit
    /// intermediate whole numbers; the clause is an inequality of polynomials. solver: cadical.
    /// mutation: `a posterior that is twice as cold`
    [kani::proof, kani::unwind(9), kani::solver(cadical)] on whole numbers
    fn verify_pure_temperature__contract(epsilon: u8, lipschitz: u8, radius: u8) {
        let Ok(epsilon) = Epsilon::new(number(epsilon % 64)) else { return };
        let [lipschitz, radius] = [lipschitz, radius].map(|x| number(x % 3 + 1));
        let outcome = pure_temperature(epsilon, lipschitz, radius);
        cover!(outcome.is_ok_and(|gamma| gamma > number(1)));
        assert!(!is_bug(&outcome));
    }
}

harness! {
    /// spec: `lem:GDP_Post_Sam`
    /// covers: calibrate::reference::gaussian_temperature — within a bound
    ///
    /// The contract: γG² ≤ μ²Λ, whatever numbers the directed operations return on their side of the exact result.
    ///
    /// assumes: the `requires` clauses and the promises of the directed operations. bound: 2-bit G and Λ, 3-bit μ, 6-bit
    /// intermediate whole numbers; the clause is an inequality of polynomials. solver: cadical.
    /// mutation: `the ratio is not squared`
    [kani::proof, kani::unwind(9), kani::solver(cadical)] on whole numbers
    fn verify_gaussian_temperature__contract(mu: u8, lipschitz: u8, regulariser: u8) {
        let Ok(mu) = Mu::new(number(mu % 8)) else { return };
        let [lipschitz, regulariser] = [lipschitz, regulariser].map(|x| number(x % 3 + 1));
        let outcome = gaussian_temperature(mu, lipschitz, regulariser);
        cover!(outcome.is_ok_and(|gamma| gamma > number(1)) && lipschitz > number(1));
        assert!(!is_bug(&outcome));
    }
}

harness! {
    /// spec: `thm:asap_privacy`
    /// covers: calibrate::reference::asap_l1 — within a bound
    ///
    /// The contract: twice the error and one lattice step for each coordinate are covered.
    ///
    /// assumes: the `requires` clauses and the promises of the directed operations. bound: 3-bit whole numbers, 6-bit
    /// intermediate ones; the clause is an inequality of polynomials. solver: cadical.
    /// mutation: `the error counts once`
    [kani::proof, kani::unwind(9), kani::solver(cadical)] on whole numbers
    fn verify_asap_l1__contract(error: u8, dimension: u8, step: u8) {
        let [error, step] = [error, step].map(|x| number(x % 7 + 1));
        let dimension = u64::from(dimension % 7 + 1);
        let outcome = asap_l1(error, dimension, step);
        cover!(outcome.is_ok() && dimension > 1);
        assert!(!is_bug(&outcome));
    }
}
