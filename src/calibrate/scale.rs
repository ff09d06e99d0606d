//! From sensitivities to noise scales.
//!
//! The chain of `alg:outpert`: Lipschitz constant → distance of two minimisers → the same after rounding to the
//! lattice → scale. Every step is rounded up and its inequality is decided exactly.

use super::positive;
use crate::contract::contract;
use crate::exact::{add_up, at_most, div_up, mul_up, sqrt_up};
use crate::privacy::{Epsilon, Mu};

contract! {
    spec "lem:sensitivity_minimizer";
    /// How far two released-before-noise points of neighbouring data sets can be apart (2-norm):
    /// `G/Λ` for the minimisers and `τ` for each of the two approximations.
    pub fn minimiser_sensitivity(lipschitz: f64, regulariser: f64, tau: f64) -> f64
    where
        requires positive(lipschitz);
        requires positive(regulariser);
        requires positive(tau);
        ensures(value) at_most(&[&[lipschitz], &[2.0, tau, regulariser]], &[&[value, regulariser]]);
    {
        add_up(div_up(lipschitz, regulariser)?, 2.0 * tau)
    }
}

contract! {
    spec "own:lattice";
    /// 1-norm sensitivity after rounding each of `d` coordinates to a lattice of this step, from the 2-norm
    /// sensitivity before: `√d·Δ + d·g`.
    pub fn rounded_l1(sensitivity: f64, dimension: u64, step: f64) -> f64
    where
        requires positive(sensitivity);
        requires (1..=1 << 40).contains(&dimension);
        requires positive(step);
        // (value − d·g)² ≥ d·Δ², written without a difference.
        ensures(value) at_most(&[&[dimension as f64, step]], &[&[value]]);
        ensures(value) at_most(
            &[&[dimension as f64, sensitivity, sensitivity], &[2.0, value, dimension as f64, step]],
            &[&[value, value], &[dimension as f64, step, dimension as f64, step]]
        );
    {
        let d = dimension as f64;
        add_up(mul_up(sqrt_up(d)?, sensitivity)?, mul_up(d, step)?)
    }
}

contract! {
    spec "own:lattice";
    /// 2-norm sensitivity after rounding each of `d` coordinates to a lattice of this step: `Δ + √d·g`.
    pub fn rounded_l2(sensitivity: f64, dimension: u64, step: f64) -> f64
    where
        requires positive(sensitivity);
        requires (1..=1 << 40).contains(&dimension);
        requires positive(step);
        // (value − Δ)² ≥ d·g², written without a difference.
        ensures(value) at_most(&[&[sensitivity]], &[&[value]]);
        ensures(value) at_most(
            &[&[dimension as f64, step, step], &[2.0, value, sensitivity]],
            &[&[value, value], &[sensitivity, sensitivity]]
        );
    {
        add_up(sensitivity, mul_up(sqrt_up(dimension as f64)?, step)?)
    }
}

contract! {
    spec "lem:OutPert_DP";
    /// Scale of the Laplace noise per coordinate that makes a point of this 1-norm sensitivity ε-DP: `Δ₁/ε`.
    pub fn laplace_scale(epsilon: Epsilon, sensitivity: f64) -> f64
    where
        requires positive(sensitivity);
        ensures(value) at_most(&[&[sensitivity]], &[&[epsilon.get(), value]]);
    {
        div_up(sensitivity, epsilon.get())
    }
}

contract! {
    spec "lem:OutPert_DP";
    /// Standard deviation of the normal noise per coordinate that makes a point of this 2-norm sensitivity
    /// μ-GDP: `Δ₂/μ`.
    pub fn normal_scale(mu: Mu, sensitivity: f64) -> f64
    where
        requires positive(sensitivity);
        ensures(value) at_most(&[&[sensitivity]], &[&[mu.get(), value]]);
    {
        div_up(sensitivity, mu.get())
    }
}

#[cfg(any(kani, test))]
#[path = "../../proofs/calibrate/scale.rs"]
mod proofs;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contract::Clause;
    use quickcheck::quickcheck;

    fn close(computed: f64, exact: f64) {
        assert!(computed >= exact * (1.0 - 1e-16) && computed <= exact * (1.0 + 1e-15), "{computed} {exact}");
    }

    #[test]
    fn hand_picked_values() {
        // G = 3, Λ = 2, τ = 0.25: 1.5 + 0.5.
        close(minimiser_sensitivity(3.0, 2.0, 0.25).unwrap(), 2.0);
        // √9·2 + 9·0.125 = 7.125 and 2 + √9·0.125 = 2.375.
        close(rounded_l1(2.0, 9, 0.125).unwrap(), 7.125);
        close(rounded_l2(2.0, 9, 0.125).unwrap(), 2.375);
        close(laplace_scale(Epsilon::new(0.5).unwrap(), 3.0).unwrap(), 6.0);
        close(normal_scale(Mu::new(4.0).unwrap(), 3.0).unwrap(), 0.75);
    }

    #[test]
    fn a_broken_clause_names_spec_clause_and_public_values() {
        let broken = minimiser_sensitivity(1.0, -2.0, 0.1).unwrap_err();
        assert_eq!(broken.kind, Clause::Requires);
        assert_eq!((broken.spec, broken.clause), ("lem:sensitivity_minimizer", "positive(regulariser)"));
        // Raw numbers could be anybody's.
        assert_eq!(broken.values().count(), 0);
        let broken = laplace_scale(Epsilon::new(0.25).unwrap(), -2.0).unwrap_err();
        assert_eq!(broken.values().collect::<Vec<_>>(), [("epsilon", 0.25)]);
        assert!(broken.to_string().ends_with("but epsilon = 2.5e-1"), "{broken}");
        for bad in [f64::NAN, f64::INFINITY, 0.0] {
            assert_eq!(minimiser_sensitivity(bad, 1.0, 0.1).unwrap_err().clause, "positive(lipschitz)");
        }
        // Not a bug but a range: no f64 holds the scale.
        let tiny = Epsilon::new(1e-300).unwrap();
        assert_eq!(laplace_scale(tiny, 1e300).unwrap_err().kind, Clause::Range);
    }

    quickcheck! {
        /// A broken `ensures` would come back as an error: none does, over the whole range of exponents.
        fn no_input_breaks_an_ensures(a: u64, b: u64, c: u64, d: u32) -> bool {
            let [a, b, c] = [a, b, c].map(|bits| f64::from_bits(bits).abs());
            let d = u64::from(d) + 1;
            let bug = |outcome: Result<f64, crate::contract::Broken>| {
                outcome.is_err_and(|broken| broken.kind == Clause::Ensures)
            };
            !bug(minimiser_sensitivity(a, b, c))
                && !bug(rounded_l1(a, d, b))
                && !bug(rounded_l2(a, d, b))
                && Epsilon::new(a).map_or(true, |epsilon| !bug(laplace_scale(epsilon, b)))
                && Mu::new(a).map_or(true, |mu| !bug(normal_scale(mu, b)))
        }
    }
}
