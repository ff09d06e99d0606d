//! From sensitivities to noise scales.
//!
//! The chain of `alg:outpert`: Lipschitz constant → distance of two minimisers → the same after rounding to the lattice
//! → scale. Every step is rounded up. The result is a proposal that
//! [`MinimiserSensitivity`](asap_contracts::contract::MinimiserSensitivity) and
//! [`NoiseScale`](asap_contracts::contract::NoiseScale) decide.

use super::proposed;
use crate::contract::BrokenContract;
use crate::exact::{add_up, div_up, mul_up, sqrt_up};
use crate::privacy::{Epsilon, Mu};

/// How far two released-before-noise points of neighbouring data sets can be apart (2-norm): `G/Λ` for the minimisers
/// and `τ` for each of the two approximations. spec: `lem:sensitivity_minimizer`
pub fn minimiser_sensitivity(lipschitz: f64, regulariser: f64, tau: f64) -> Result<f64, BrokenContract> {
    proposed("lem:sensitivity_minimizer", "minimiser_sensitivity", || {
        add_up(div_up(lipschitz, regulariser)?, 2.0 * tau)
    })
}

/// 1-norm sensitivity after rounding each of `d` coordinates to a lattice of this step, from the 2-norm sensitivity
/// before: `√d·Δ + d·g`. spec: `own:lattice`
pub fn rounded_l1(sensitivity: f64, dimension: u64, step: f64) -> Result<f64, BrokenContract> {
    let d = dimension as f64;
    proposed("own:lattice", "rounded_l1", || add_up(mul_up(sqrt_up(d)?, sensitivity)?, mul_up(d, step)?))
}

/// 2-norm sensitivity after rounding each of `d` coordinates to a lattice of this step: `Δ + √d·g`. spec: `own:lattice`
pub fn rounded_l2(sensitivity: f64, dimension: u64, step: f64) -> Result<f64, BrokenContract> {
    proposed("own:lattice", "rounded_l2", || add_up(sensitivity, mul_up(sqrt_up(dimension as f64)?, step)?))
}

/// Scale of the Laplace noise per coordinate that makes a point of this 1-norm sensitivity ε-DP: `Δ₁/ε`.
/// spec: `lem:OutPert_DP`
pub fn laplace_scale(epsilon: Epsilon, sensitivity: f64) -> Result<f64, BrokenContract> {
    proposed("lem:OutPert_DP", "laplace_scale", || div_up(sensitivity, epsilon.get()))
}

/// Standard deviation of the normal noise per coordinate that makes a point of this 2-norm sensitivity μ-GDP: `Δ₂/μ`.
/// spec: `lem:OutPert_DP`
pub fn normal_scale(mu: Mu, sensitivity: f64) -> Result<f64, BrokenContract> {
    proposed("lem:OutPert_DP", "normal_scale", || div_up(sensitivity, mu.get()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contract::Clause;
    use asap_contracts::contract::MinimiserSensitivity;
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
    fn what_has_no_number_is_refused_by_name_and_shows_none() {
        // Raw numbers could be anybody's.
        let broken = minimiser_sensitivity(1.0, -2.0, 0.1).unwrap_err();
        assert_eq!((broken.kind, broken.spec), (Clause::Range, "lem:sensitivity_minimizer"));
        assert_eq!((broken.function, broken.values().count()), ("minimiser_sensitivity", 0));
        for bad in [f64::NAN, f64::INFINITY] {
            assert!(minimiser_sensitivity(bad, 1.0, 0.1).is_err());
        }
        // No f64 holds the scale.
        let tiny = Epsilon::new(1e-300).unwrap();
        assert_eq!(laplace_scale(tiny, 1e300).unwrap_err().kind, Clause::Range);
    }

    quickcheck! {
        /// Over the whole range of exponents: what is proposed is accepted.
        fn every_proposal_is_accepted(a: u64, b: u64, c: u64) -> bool {
            let [lipschitz, regulariser, tolerance] = [a, b, c].map(|bits| f64::from_bits(bits).abs());
            minimiser_sensitivity(lipschitz, regulariser, tolerance).map_or(true, |sensitivity| {
                MinimiserSensitivity { sensitivity, lipschitz, regulariser, tolerance }.holds().is_ok()
                    || ![lipschitz, tolerance].iter().all(|x| *x > 0.0)
            })
        }
    }
}
