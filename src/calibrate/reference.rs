//! The reference mechanism: the inverse temperature γ of the exact posterior, and the sensitivity that is left
//! when a sampler with Wasserstein-∞ error Δ stands in for it.

use super::positive;
use crate::contract::{Public, contract};
use crate::exact::{add_up, at_most, div_down, mul_down, mul_up};
use crate::privacy::{Epsilon, Mu};

contract! {
    spec "lem:pure_DP_Post_Sam";
    /// γ of the posterior `∝ e^(−γJ)` on a ball of this radius that makes its exact sample ε-DP: `ε/(2GB)`.
    pub fn pure_temperature(epsilon: Epsilon, lipschitz: f64, radius: f64) -> f64
    where
        requires positive(lipschitz);
        requires positive(radius);
        ensures(value) value > 0.0 && at_most(&[&[2.0, value, lipschitz, radius]], &[&[epsilon.get()]]);
    {
        div_down(epsilon.get(), mul_up(2.0, mul_up(lipschitz, radius)?)?)
    }
}

contract! {
    spec "lem:GDP_Post_Sam";
    /// γ of the posterior `∝ e^(−γJ)` on a convex set that makes its exact sample μ-GDP: `μ²Λ/G²`.
    pub fn gaussian_temperature(mu: Mu, lipschitz: f64, regulariser: f64) -> f64
    where
        requires positive(lipschitz);
        requires positive(regulariser);
        ensures(value) value > 0.0
            && at_most(&[&[value, lipschitz, lipschitz]], &[&[mu.get(), mu.get(), regulariser]]);
    {
        let ratio = div_down(mu.get(), lipschitz)?;
        mul_down(mul_down(ratio, ratio)?, regulariser)
    }
}

contract! {
    spec "thm:asap_privacy";
    /// 1-norm sensitivity of "sample minus reference sample": twice the error Δ and the rounding of each of `d`
    /// coordinates by half a step, `2Δ + d·g`.
    pub fn asap_l1(error: f64, dimension: u64, step: f64) -> f64
    where
        requires positive(error);
        requires (1..=1 << 40).contains(&dimension);
        requires positive(step);
        ensures(value) at_most(&[&[2.0, error], &[dimension as f64, step]], &[&[value]]);
    {
        add_up(2.0 * error, mul_up(dimension as f64, step)?)
    }
}

contract! {
    spec "own:rounding";
    /// What rounding can do to one draw of the worst admissible data set, if that is at most a quarter of the error that
    /// utility can bear. A smaller `max rows` makes it smaller, a larger number of expected rows makes the error smaller.
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
    use crate::contract::{Broken, Clause};
    use quickcheck::quickcheck;

    fn close(computed: Result<f64, Broken>, exact: f64) {
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
        /// A broken `ensures` would come back as an error: none does, over the whole range of exponents.
        fn no_input_breaks_an_ensures(a: u64, b: u64, c: u64, d: u32) -> bool {
            let [a, b, c] = [a, b, c].map(|bits| f64::from_bits(bits).abs());
            let d = u64::from(d) + 1;
            let bug = |outcome: Result<f64, Broken>| {
                outcome.is_err_and(|broken| broken.kind == Clause::Ensures)
            };
            !bug(asap_l1(a, d, b))
                && Epsilon::new(a).map_or(true, |epsilon| !bug(pure_temperature(epsilon, b, c)))
                && Mu::new(a).map_or(true, |mu| !bug(gaussian_temperature(mu, b, c)))
        }

        /// The largest safe γ is not far: 1 + 10⁻¹⁴ times as much would break the inequality.
        fn temperatures_are_tight(a: u32, b: u32, c: u32) -> bool {
            let [a, b, c] = [a, b, c].map(|x| (f64::from(x) + 1.0) * 1e-5);
            let epsilon = Epsilon::new(a).unwrap();
            let gamma = pure_temperature(epsilon, b, c).unwrap() * (1.0 + 1e-14);
            let mu = Mu::new(a).unwrap();
            let other = gaussian_temperature(mu, b, c).unwrap() * (1.0 + 1e-14);
            !at_most(&[&[2.0, gamma, b, c]], &[&[a]]) && !at_most(&[&[other, b, b]], &[&[a, a, c]])
        }
    }
}
