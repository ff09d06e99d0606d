//! From sensitivities to noise scales: each contract, from the promises of the directed operations.

use super::*;
use crate::proofs::whole::number;
use crate::proofs::{cover, harness, is_bug};

harness! {
    /// spec: `lem:sensitivity_minimizer`
    /// covers: calibrate::scale::minimiser_sensitivity — within a bound
    ///
    /// The contract: the sensitivity covers G/Λ and both tolerances, whatever numbers the directed operations return, as
    /// long as they are on their side of the exact result.
    ///
    /// assumes: the `requires` clauses and the promises of the directed operations.
    /// bound: 3-bit whole numbers, 6-bit intermediate ones; the clause is an inequality of polynomials. solver: cadical.
    /// mutation: `the tolerance counts once`
    [kani::proof, kani::unwind(9), kani::solver(cadical)] on whole numbers
    fn verify_minimiser_sensitivity__contract(lipschitz: u8, regulariser: u8, tau: u8) {
        let [lipschitz, regulariser, tau] = [lipschitz, regulariser, tau].map(|x| number(x % 7 + 1));
        let outcome = minimiser_sensitivity(lipschitz, regulariser, tau);
        cover!(outcome.is_ok());
        assert!(!is_bug(&outcome));
    }
}

harness! {
    /// spec: `own:lattice`
    /// covers: calibrate::scale::rounded_l1 — within a bound
    ///
    /// The contract: the 1-norm sensitivity after rounding covers √d·Δ and one step for each coordinate.
    ///
    /// assumes: the `requires` clauses and the promises of the directed operations.
    /// bound: 2-bit whole numbers, 6-bit intermediate ones; the clauses are inequalities of polynomials. solver: cadical.
    /// mutation: `half a step for each coordinate`
    [kani::proof, kani::unwind(9), kani::solver(cadical)] on whole numbers
    fn verify_rounded_l1__contract(sensitivity: u8, dimension: u8, step: u8) {
        let [sensitivity, step] = [sensitivity, step].map(|x| number(x % 3 + 1));
        let dimension = u64::from(dimension % 3 + 1);
        let outcome = rounded_l1(sensitivity, dimension, step);
        cover!(outcome.is_ok() && dimension > 1);
        assert!(!is_bug(&outcome));
    }
}

harness! {
    /// spec: `own:lattice`
    /// covers: calibrate::scale::rounded_l2 — within a bound
    ///
    /// The contract: the 2-norm sensitivity after rounding covers Δ and √d steps.
    ///
    /// assumes: the `requires` clauses and the promises of the directed operations.
    /// bound: 2-bit whole numbers, 6-bit intermediate ones; the clauses are inequalities of polynomials. solver: cadical.
    /// mutation: `one step for all coordinates`
    [kani::proof, kani::unwind(9), kani::solver(cadical)] on whole numbers
    fn verify_rounded_l2__contract(sensitivity: u8, dimension: u8, step: u8) {
        let [sensitivity, step] = [sensitivity, step].map(|x| number(x % 3 + 1));
        let dimension = u64::from(dimension % 3 + 1);
        let outcome = rounded_l2(sensitivity, dimension, step);
        cover!(outcome.is_ok() && dimension > 1);
        assert!(!is_bug(&outcome));
    }
}

harness! {
    /// spec: `lem:OutPert_DP`
    /// covers: calibrate::scale::laplace_scale — within a bound
    ///
    /// The contract: ε times the scale covers the 1-norm sensitivity.
    ///
    /// assumes: the `requires` clauses and the promise of the directed division.
    /// bound: all 4-bit whole numbers; the clause is an inequality of polynomials. solver: cadical.
    /// mutation: `a Laplace scale that is rounded down`
    [kani::proof, kani::unwind(9), kani::solver(cadical)] on whole numbers
    fn verify_laplace_scale__contract(epsilon: u8, sensitivity: u8) {
        let Ok(epsilon) = Epsilon::new(number(epsilon % 16)) else { return };
        let outcome = laplace_scale(epsilon, number(sensitivity % 15 + 1));
        cover!(outcome.is_ok_and(|scale| scale > number(1)));
        assert!(!is_bug(&outcome));
    }
}

harness! {
    /// spec: `lem:OutPert_DP`
    /// covers: calibrate::scale::normal_scale — within a bound
    ///
    /// The contract: μ times the standard deviation covers the 2-norm sensitivity.
    ///
    /// assumes: the `requires` clauses and the promise of the directed division.
    /// bound: all 4-bit whole numbers; the clause is an inequality of polynomials. solver: cadical.
    /// mutation: `a standard deviation that is rounded down`
    [kani::proof, kani::unwind(9), kani::solver(cadical)] on whole numbers
    fn verify_normal_scale__contract(mu: u8, sensitivity: u8) {
        let Ok(mu) = Mu::new(number(mu % 16)) else { return };
        let outcome = normal_scale(mu, number(sensitivity % 15 + 1));
        cover!(outcome.is_ok_and(|scale| scale > number(1)));
        assert!(!is_bug(&outcome));
    }
}
