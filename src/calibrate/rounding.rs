//! Proposals for the cost of floating point, in Wasserstein-∞ distance (2-norm). spec: `own:rounding`
//!
//! A draw from a slightly wrong density is a slightly moved draw from the right one, because the right one is strongly
//! log-concave. These functions say by how much. Each is a polynomial bound of a normal quantile, rounded up; no
//! transcendental function of a library is called. `Charge` of `asap_contracts::contract` decides whether their sum is
//! enough.
//!
//! They do not decrease in the errors and do not increase in the strong convexity, so the charge of a worst case covers
//! every data set.

use super::{non_negative, positive, proposed};
use crate::contract::BrokenContract;
use crate::exact::{add_up, at_most, div_up, mul_up, sqrt_down, sqrt_up};

/// W∞ distance of two laws whose densities differ by a factor within e^±a, if one of them is λ-strongly log-concave
/// on a convex set: not below `Φ⁻¹(e^a/2)/√λ`, that is about `1.2534·a/√λ`. spec: `own:rounding`
///
/// The exponent e is enough for a rejection step whose energies are computed within ±e; where the edge of a ball is
/// blurred, 2e and what that adds.
pub fn density_charge(exponent: f64, strong_convexity: f64) -> Result<f64, BrokenContract> {
    proposed("own:rounding", "density_charge", || density(exponent, strong_convexity))
}

/// The logarithm of a density that is wrong by at most a + bρ + cρ², ρ the distance from an anchor.
/// spec: `own:rounding`
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GrowingError {
    /// a.
    pub constant: f64,
    /// b.
    pub slope: f64,
    /// c.
    pub curvature: f64,
    /// D: a bound of the mean and of the median of ρ under the law.
    pub mean_distance: f64,
    /// The largest ρ.
    pub reach: f64,
    /// λ: the law is so strongly log-concave.
    pub strong_convexity: f64,
}

/// W∞ distance of a λ-strongly log-concave law from one whose density has such an error; about `b/λ + 1.26·α/√λ` with
/// `α = 2(a + bD + cD²)`. spec: `own:rounding`
pub fn growing_density_charge(error: &GrowingError) -> Result<f64, BrokenContract> {
    proposed("own:rounding", "growing_density_charge", || {
        let GrowingError { slope, curvature, reach, strong_convexity, .. } = *error;
        // The largest slope of the error alone decides far out.
        let largest_slope = add_up(slope, mul_up(2.0, mul_up(curvature, reach)?)?)?;
        Some(density(growing(error)?, strong_convexity)?.max(div_up(largest_slope, strong_convexity)?))
    })
}

/// Up to here the bounds of e^a and of the quantile are proved; beyond it nothing would be worth releasing.
const LARGEST_EXPONENT: f64 = 0.25;

/// Not below √(π/2), the inverse of twice the normal density at 0.
const ROOT_OF_HALF_PI: f64 = 1.253_314_137_315_500_3;

/// Not below √(2/π), the mean of |N|.
const ROOT_OF_TWO_OVER_PI: f64 = 0.797_884_560_802_865_4;

/// See [`density_charge`]; `None` where it is not finite, or for an exponent out of range.
fn density(exponent: f64, strong_convexity: f64) -> Option<f64> {
    let exponent = Some(exponent).filter(|a| (0.0..=LARGEST_EXPONENT).contains(a))?;
    // e^a − 1 ≤ a + a²/2 + a³/5
    let powers = mul_up(exponent, add_up(1.0, mul_up(exponent, add_up(0.5, mul_up(0.2, exponent)?)?)?)?)?;
    // Φ⁻¹(½ + y/√(2π)) ≤ y + y³/5
    let y = mul_up(ROOT_OF_HALF_PI, powers)?;
    let quantile = mul_up(y, add_up(1.0, mul_up(0.2, mul_up(y, y)?)?)?)?;
    div_up(quantile, sqrt_down(strong_convexity)?)
}

/// α: [`density_charge`] of it is the distance, where c = 0. Lemma B needs 128c ≤ λ.
fn growing(error: &GrowingError) -> Option<f64> {
    let GrowingError { constant, slope, curvature, mean_distance, strong_convexity, .. } = *error;
    let errors = [constant, slope, curvature, mean_distance, error.reach].into_iter().all(non_negative);
    (errors && positive(strong_convexity)).then_some(())?;
    at_most(&[&[128.0, curvature]], &[&[strong_convexity]]).then_some(())?;
    let at_mean =
        add_up(constant, mul_up(mean_distance, add_up(slope, mul_up(curvature, mean_distance)?)?)?)?;
    let steepness = add_up(slope, mul_up(2.0, mul_up(curvature, mean_distance)?)?)?;
    let ratio = div_up(curvature, strong_convexity)?;
    // β = B/√λ, and β² = B²/λ.
    let beta = div_up(mul_up(steepness, sqrt_up(strong_convexity)?)?, strong_convexity)?;
    let beta_squared = mul_up(steepness, div_up(steepness, strong_convexity)?)?;
    let terms = [
        mul_up(2.0, at_mean)?,
        mul_up(ratio, add_up(2.0, mul_up(4.0, ratio)?)?)?,
        mul_up(mul_up(ROOT_OF_TWO_OVER_PI, beta)?, add_up(1.0, mul_up(2.0, ratio)?)?)?,
        mul_up(mul_up(0.5, beta_squared)?, add_up(1.0, mul_up(4.0, ratio)?)?)?,
    ];
    terms.into_iter().try_fold(0.0, add_up)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contract::Clause;
    use crate::exact::Dyadic;
    use quickcheck::quickcheck;

    /// mpmath, 80 digits: (a, Φ⁻¹(e^a/2)).
    const QUANTILES: [(f64, f64); 8] = [
        (1e-300, 1.2533141373155002826e-300),
        (1e-20, 1.2533141373155001825e-20),
        (1e-12, 1.2533141373161268831e-12),
        (1e-6, 1.2533147639731058554e-6),
        (0.001, 0.0012539413319317198641),
        (0.0625, 0.08092004192399845711),
        (0.125, 0.16765900743742951897),
        (0.25, 0.36384389378804052558),
    ];

    #[test]
    fn quantiles_against_fifty_digits() {
        for (exponent, quantile) in QUANTILES {
            for root in [1.0, 0.25, 1024.0] {
                let charge = density_charge(exponent, root * root).unwrap() * root;
                // Above by less than 0.08 a², and by the roundings.
                let loose = 1.0 + 0.087 * exponent * exponent + 2e-15;
                assert!(charge >= quantile && charge <= quantile * loose, "{exponent}: {charge}");
            }
        }
        assert_eq!(density_charge(0.0, 3.0), Ok(0.0));
        // √2 is irrational: rounded outwards all the same.
        assert!(density_charge(0.125, 2.0).unwrap() >= 0.118_552_821_086_012_21);
    }

    #[test]
    fn the_two_constants_are_rounded_up() {
        // mpmath: √(π/2)·2⁶² = 5779891283755275865.37…, √(2/π)·2⁶³ = 7359186146747302452.24….
        let half_pi: Dyadic = Dyadic::from_parts(5_779_891_283_755_275_866, -62);
        let two_over_pi: Dyadic = Dyadic::from_parts(7_359_186_146_747_302_453, -63);
        assert!(Dyadic::new(ROOT_OF_HALF_PI).unwrap() >= half_pi);
        assert!(Dyadic::new(ROOT_OF_TWO_OVER_PI).unwrap() >= two_over_pi);
        assert!(Dyadic::new(ROOT_OF_HALF_PI.next_down()).unwrap() < half_pi);
        assert!(Dyadic::new(ROOT_OF_TWO_OVER_PI.next_down()).unwrap() < two_over_pi);
    }

    fn error(
        [constant, slope, curvature]: [f64; 3],
        mean_distance: f64,
        reach: f64,
        strong_convexity: f64,
    ) -> GrowingError {
        GrowingError { constant, slope, curvature, mean_distance, reach, strong_convexity }
    }

    /// By hand: with a = 2⁻⁶, b = 2⁻⁴, c = 2⁻⁶, D = 2, λ = 16: κ = 2⁻¹⁰, B = 2⁻³, β = 2⁻⁵, a + bD + cD² = 13/64.
    #[test]
    fn exponents_of_hand_picked_errors() {
        let exponent = growing(&error([0.015625, 0.0625, 0.015625], 2.0, 0.0, 16.0)).unwrap();
        let kappa = 2f64.powi(-10);
        let expected = 26.0 / 64.0
            + kappa * (2.0 + 4.0 * kappa)
            + (2.0 / core::f64::consts::PI).sqrt() / 32.0 * (1.0 + 2.0 * kappa)
            + 0.5 / 1024.0 * (1.0 + 4.0 * kappa);
        assert!((exponent / expected - 1.0).abs() < 1e-14, "{exponent}");
        // Without growth it is Lemma A with twice the error.
        let charge = |errors, mean_distance, reach, strong_convexity| {
            growing_density_charge(&error(errors, mean_distance, reach, strong_convexity))
        };
        assert_eq!(growing(&error([0.03, 0.0, 0.0], 5.0, 0.0, 2.0)), Some(0.06));
        assert_eq!(charge([0.03, 0.0, 0.0], 5.0, 9.0, 2.0), density_charge(0.06, 2.0));
        // Far out the slope decides: b = 0, c·2R/λ.
        assert_eq!(charge([0.0, 0.0, 1e-6], 1.0, 1e6, 1.0), Ok(2.0));
        assert_eq!(charge([0.2, 0.0, 0.0], 0.0, 0.0, 1.0).unwrap_err().kind, Clause::Range);
        assert!(charge([0.0, 0.0, 1.0], 0.0, 0.0, 127.0).is_err());
        for bad in [f64::NAN, f64::INFINITY, -1.0] {
            assert!(
                charge([bad, 0.0, 0.0], 0.0, 0.0, 1.0).is_err() && charge([0.0; 3], 0.0, 0.0, bad).is_err()
            );
            assert!(density_charge(bad, 1.0).is_err() && density_charge(0.1, bad).is_err());
        }
    }

    quickcheck! {
        /// Plausible numbers succeed, and a worst case covers what is better.
        fn charges_are_monotone(a: u16, b: u16, l: u16) -> bool {
            let [a, b] = [a, b].map(|x| f64::from(x) * 1e-7);
            let l = f64::from(l) + 1.0;
            let growing =
                |a: f64, b: f64, l: f64| growing_density_charge(&error([a, b, 1e-6], 3.0, 10.0, l)).unwrap();
            let density = |a: f64, l: f64| density_charge(a, l).unwrap();
            growing(a, b, l) <= growing(2.0 * a, b, l)
                && growing(a, b, l) <= growing(a, 2.0 * b, l)
                && growing(a, b, l + 1.0) <= growing(a, b, l)
                && density(a, l) <= density(1.5 * a, l)
                && density(a, l + 1.0) <= density(a, l)
        }
    }
}
