//! The reference mechanism: the inverse temperature γ of the exact posterior, and the sensitivity that remains when a
//! sampler with Wasserstein-∞ error Δ replaces it. These are proposals: `PureTemperature`, `GaussianTemperature` and
//! `Delta` of `asap_contracts::contract` decide.

use super::proposed;
use crate::contract::{BrokenContract, Public, contract};
use crate::exact::{add_up, div_down, mul_down, mul_up};
use crate::privacy::{Epsilon, Mu};

/// γ of the posterior `∝ e^(−γJ)` on a ball of this radius that makes its exact sample ε-DP: `ε/(2GB)`.
/// spec: `lem:pure_DP_Post_Sam`
pub fn pure_temperature(epsilon: Epsilon, lipschitz: f64, radius: f64) -> Result<f64, BrokenContract> {
    proposed("lem:pure_DP_Post_Sam", "pure_temperature", || {
        div_down(epsilon.get(), mul_up(2.0, mul_up(lipschitz, radius)?)?)
    })
}

/// γ of the posterior `∝ e^(−γJ)` on a convex set that makes its exact sample μ-GDP: `μ²Λ/G²`. spec: `lem:GDP_Post_Sam`
pub fn gaussian_temperature(mu: Mu, lipschitz: f64, regulariser: f64) -> Result<f64, BrokenContract> {
    proposed("lem:GDP_Post_Sam", "gaussian_temperature", || {
        let ratio = div_down(mu.get(), lipschitz)?;
        mul_down(mul_down(ratio, ratio)?, regulariser)
    })
}

/// 1-norm sensitivity of "sample minus reference sample": twice the error Δ and the rounding of each of `d` coordinates
/// by half a step, `2Δ + d·g`. spec: `thm:asap_privacy`
pub fn asap_l1(error: f64, dimension: u64, step: f64) -> Result<f64, BrokenContract> {
    proposed("thm:asap_privacy", "asap_l1", || add_up(2.0 * error, mul_up(dimension as f64, step)?))
}

contract! {
    spec "own:rounding";
    /// What rounding can do to one draw of the worst admissible data set, if that is at most a quarter of the
    /// error that utility can bear. A smaller `max rows` makes it smaller, a larger number of expected rows
    /// makes the error smaller.
    pub fn rounding_fits(charge: Public, error: Public, max_rows: Public) -> f64
    where
        requires charge.get().is_finite() && charge.get() >= 0.0;
        requires error.get().is_finite() && max_rows.get() >= 1.0;
        requires 4.0 * charge.get() <= error.get();
        ensures(value) 4.0 * value <= error.get();
    {
        Some(charge.get())
    }
}

#[cfg(any(kani, test))]
#[path = "../../proofs/calibrate/reference.rs"]
mod proofs;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contract::Clause;
    use asap_contracts::contract::{GaussianTemperature, PureTemperature};
    use quickcheck::quickcheck;

    fn close(computed: Result<f64, BrokenContract>, exact: f64) {
        let computed = computed.unwrap();
        assert!((computed - exact).abs() <= 1e-15 * exact, "{computed} {exact}");
    }

    #[test]
    fn hand_picked_values() {
        // ε/(2GB) = 0.5/(2·4·8); μ²Λ/G² = 9·2/16; 2·0.25 + 4·0.125; 2·0.25 + 2·0.125.
        close(pure_temperature(Epsilon::new(0.5).unwrap(), 4.0, 8.0), 0.007_812_5);
        close(gaussian_temperature(Mu::new(3.0).unwrap(), 4.0, 2.0), 1.125);
        close(asap_l1(0.25, 4, 0.125), 1.0);
    }

    #[test]
    fn a_charge_beyond_a_quarter_is_refused_with_its_public_numbers() {
        let fits = |charge| rounding_fits(Public::new(charge), Public::new(1.0), Public::new(1e7));
        assert_eq!(fits(0.25), Ok(0.25));
        for bad in [0.25_f64.next_up(), -1.0, f64::NAN, f64::INFINITY] {
            assert_eq!(fits(bad).unwrap_err().kind, Clause::Requires);
        }
        assert!(fits(0.5).unwrap_err().to_string().contains("max_rows = 1e7"));
    }

    quickcheck! {
        /// Over the whole range of exponents: what is proposed is accepted.
        fn every_proposal_is_accepted(a: u64, b: u64, c: u64) -> bool {
            let [a, b, c] = [a, b, c].map(|bits| f64::from_bits(bits).abs());
            let pure = |epsilon: Epsilon| {
                let accepted = |gamma| {
                    PureTemperature { gamma, lipschitz: b, radius: c, epsilon: a }.holds().is_ok()
                };
                pure_temperature(epsilon, b, c).map_or(true, accepted)
            };
            let gaussian = |mu: Mu| {
                let accepted = |gamma| {
                    GaussianTemperature { gamma, lipschitz: b, regulariser: c, mu: a }.holds().is_ok()
                };
                gaussian_temperature(mu, b, c).map_or(true, accepted)
            };
            Epsilon::new(a).map_or(true, pure) && Mu::new(a).map_or(true, gaussian)
        }

        /// The largest safe γ is not far: 1 + 10⁻¹⁴ times as much would break the inequality.
        fn temperatures_are_tight(a: u32, b: u32, c: u32) -> bool {
            let [a, b, c] = [a, b, c].map(|x| (f64::from(x) + 1.0) * 1e-5);
            let gamma = pure_temperature(Epsilon::new(a).unwrap(), b, c).unwrap() * (1.0 + 1e-14);
            let other = gaussian_temperature(Mu::new(a).unwrap(), b, c).unwrap() * (1.0 + 1e-14);
            PureTemperature { gamma, lipschitz: b, radius: c, epsilon: a }.holds().is_err()
                && GaussianTemperature { gamma: other, lipschitz: b, regulariser: c, mu: a }.holds().is_err()
        }
    }
}
