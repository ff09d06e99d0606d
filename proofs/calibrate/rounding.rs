//! What floating point costs: the contracts that are chains of sums, products and quotients.

use super::*;
use crate::proofs::whole::{number, small};
use crate::proofs::{assume, cover, harness, is_bug};

harness! {
    /// spec: `own:rounding`
    /// covers: calibrate::rounding::accumulated — within a bound
    ///
    /// The contract: e(1 + 1/(mη)) is covered, whatever numbers the directed operations return on their side of the
    /// exact result.
    ///
    /// assumes: the `requires` clauses and the promises of the directed operations. bound: 3-bit whole numbers, 6-bit
    /// intermediate ones; the clause is an inequality of polynomials. solver: cadical.
    /// mutation: `the error of the last step is forgotten`
    [kani::proof, kani::unwind(9), kani::solver(cadical)] on whole numbers
    fn verify_accumulated__contract(error: u8, product: u8) {
        let (error, product) = (number(error % 8), number(product % 7 + 1));
        let outcome = accumulated(error, product);
        cover!(outcome.is_ok() && error > product);
        assert!(!is_bug(&outcome));
    }
}

harness! {
    /// spec: `own:rounding`
    /// covers: calibrate::rounding::edge_exponent — within a bound
    ///
    /// The contract: (value − 2δ·Lip)(B − 2δ) ≥ 2δd, whatever numbers the directed operations return on their side of
    /// the exact result.
    ///
    /// assumes: the `requires` clauses and the promises of the directed operations. bound: whole numbers, B below 16, the
    /// others of 2 bits, intermediate ones of 6; the clause is an inequality of polynomials. solver: cadical.
    /// mutation: `the edge is blurred by the slack once`
    [kani::proof, kani::unwind(9), kani::solver(cadical)] on whole numbers
    fn verify_edge_exponent__contract(lipschitz: u8, radius: u8, slack: u8, dimension: u8) {
        let (radius, slack) = (radius % 16, slack % 4);
        assume!(radius > 0 && 4 * slack <= radius);
        let outcome =
            edge_exponent(number(lipschitz % 4), number(radius), number(slack), u64::from(dimension % 4 + 1));
        cover!(outcome.is_ok() && slack > 0);
        assert!(!is_bug(&outcome));
    }
}

/// Stands for the comparison with a normal quantile: a larger value passes more easily, a larger movement, a larger exponent
/// and a smaller strong convexity less easily.
#[cfg(kani)]
fn some_quantile(value: f64, moved: f64, exponent: f64, strong_convexity: f64) -> bool {
    at_most(&[&[moved, strong_convexity], &[exponent]], &[&[value, strong_convexity]])
}

/// Any charge that passes the comparison: what the contract of `density_charge` promises.
#[cfg(kani)]
fn some_density(exponent: f64, strong_convexity: f64) -> Option<f64> {
    let value = number(kani::any::<u8>() % 64);
    some_quantile(value, 0.0, exponent, strong_convexity).then_some(value)
}

/// Stands for the exponent, which a clause computes again.
#[cfg(kani)]
fn some_growing(constant: f64, slope: f64, _: f64, _: f64, _: f64) -> Option<f64> {
    Some(f64::from_bits(constant.to_bits() + slope.to_bits()))
}

/// Stands for the exponent, which a clause computes again.
#[cfg(kani)]
fn some_edge(lipschitz: f64, _: f64, slack: f64, _: f64) -> Option<f64> {
    Some(f64::from_bits(lipschitz.to_bits() + slack.to_bits()))
}

harness! {
    /// spec: `own:rounding`
    /// covers: calibrate::rounding::growing_density_charge — within a bound
    ///
    /// The contract: the charge keeps both promises, that of the density and that of the largest slope.
    ///
    /// assumes: the `requires` clauses, the promises of the directed operations, and that of `density` for a stand-in of
    /// the quantile that is as monotone. bound: 2-bit whole numbers, 6-bit intermediate ones. solver: cadical.
    /// mutation: `the smaller of both charges`
    [kani::proof, kani::unwind(9), kani::solver(cadical),
     kani::stub(is_moved_quantile, some_quantile),
     kani::stub(density, some_density),
     kani::stub(growing, some_growing)] on whole numbers
    fn verify_growing_density_charge__contract(constant: u8, slope: u8, curvature: u8, reach: u8, convexity: u8) {
        // In units of 2^−12 for a test. The curvature has to be below a 128th of the strong convexity.
        let [constant, slope, curvature] = [constant, slope, curvature % 2].map(|x| small(x % 4));
        let (reach, convexity) = (number(reach % 4), number(if cfg!(kani) { 128 } else { convexity.max(1) }));
        let outcome = growing_density_charge(constant, slope, curvature, number(1), reach, convexity);
        cover!(outcome.is_ok() && curvature > 0.0 && reach > 0.0);
        assert!(!is_bug(&outcome));
    }
}

harness! {
    /// spec: `own:rounding`
    /// covers: calibrate::rounding::edge_charge — within a bound
    ///
    /// The contract: the movement by twice the slack and the charge for the density are both paid.
    ///
    /// assumes: the `requires` clauses, the promises of the directed operations, and that of `density` for a stand-in of
    /// the quantile that is as monotone. bound: 2-bit whole numbers, 6-bit intermediate ones. solver: cadical.
    /// mutation: `the movement is paid once`
    [kani::proof, kani::unwind(9), kani::solver(cadical),
     kani::stub(is_moved_quantile, some_quantile),
     kani::stub(density, some_density),
     kani::stub(edge, some_edge)] on whole numbers
    fn verify_edge_charge__contract(lipschitz: u8, radius: u8, slack: u8, convexity: u8) {
        let (radius, slack) = (radius % 16 + 1, slack % 4);
        assume!(4 * slack <= radius);
        let (lipschitz, slack, convexity) = (number(lipschitz % 4), small(slack), number(convexity % 3 + 1));
        let outcome = edge_charge(lipschitz, number(radius), slack, 1, convexity);
        cover!(outcome.is_ok() && slack > 0.0);
        assert!(!is_bug(&outcome));
    }
}
