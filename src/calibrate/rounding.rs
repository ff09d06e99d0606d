//! What floating point costs, in Wasserstein-∞ distance (2-norm). spec: `own:rounding`
//!
//! A law that is drawn with a slightly wrong density is a slightly moved draw from the right one, because the right one
//! is strongly log-concave. These functions say by how much. Each is a polynomial bound of a normal quantile that is
//! rounded up and then decided exactly; no transcendental function of a library is called.
//!
//! They do not decrease in the errors and do not increase in the strong convexity, so the charge of a worst case
//! covers every data set.

use super::{non_negative, positive};
use crate::contract::{contract, prusti};
use crate::exact::{Dyadic, add_up, at_most, div_up, mul_up, sqrt_down, sqrt_up};

contract! {
    spec "own:rounding";
    /// W∞ distance of two laws whose densities differ by a factor within e^±a, if one of them is λ-strongly log-concave
    /// on a convex set: not below `Φ⁻¹(e^a/2)/√λ`, that is about `1.2534·a/√λ`.
    ///
    /// The exponent e is enough for a rejection step whose energies are computed within ±e; where the edge of a ball is blurred,
    /// 2e and [`edge_exponent`].
    pub fn density_charge(exponent: f64, strong_convexity: f64) -> f64
    where
        requires (0.0..=LARGEST_EXPONENT).contains(&exponent);
        requires positive(strong_convexity);
        ensures(value) is_moved_quantile(value, 0.0, exponent, strong_convexity);
    {
        density(exponent, strong_convexity)
    }
}

contract! {
    spec "own:rounding";
    /// The exponent α of a density that is wrong by at most a + bρ + cρ² in its logarithm, ρ the distance from an anchor:
    /// [`density_charge`] of α is the distance, where c = 0.
    ///
    /// `mean_distance` bounds the mean and the median of ρ under the λ-strongly log-concave law.
    pub fn growing_exponent(
        constant: f64,
        slope: f64,
        curvature: f64,
        mean_distance: f64,
        strong_convexity: f64,
    ) -> f64
    where
        requires [constant, slope, curvature, mean_distance].into_iter().all(non_negative);
        requires positive(strong_convexity) && at_most(&[&[128.0, curvature]], &[&[strong_convexity]]);
        ensures(value) is_growing_exponent(value, constant, slope, curvature, mean_distance, strong_convexity);
    {
        growing(constant, slope, curvature, mean_distance, strong_convexity)
    }
}

contract! {
    spec "own:rounding";
    /// W∞ distance of a λ-strongly log-concave law from one whose density is wrong by at most a + bρ + cρ² in its
    /// logarithm, ρ ≤ `reach` the distance from an anchor; about `b/λ + 1.26·α/√λ` with `α = 2(a + bD + cD²)`, D the
    /// mean distance.
    pub fn growing_density_charge(
        constant: f64,
        slope: f64,
        curvature: f64,
        mean_distance: f64,
        reach: f64,
        strong_convexity: f64,
    ) -> f64
    where
        requires [constant, slope, curvature, mean_distance, reach].into_iter().all(non_negative);
        requires positive(strong_convexity) && at_most(&[&[128.0, curvature]], &[&[strong_convexity]]);
        ensures(value) growing(constant, slope, curvature, mean_distance, strong_convexity)
            .is_some_and(|exponent| is_moved_quantile(value, 0.0, exponent, strong_convexity));
        // The largest slope of the error, which alone decides far out.
        ensures(value) at_most(&[&[slope], &[2.0, curvature, reach]], &[&[value, strong_convexity]]);
    {
        let exponent = growing(constant, slope, curvature, mean_distance, strong_convexity)?;
        let largest_slope = add_up(slope, mul_up(2.0, mul_up(curvature, reach)?)?)?;
        Some(density(exponent, strong_convexity)?.max(div_up(largest_slope, strong_convexity)?))
    }
}

contract! {
    spec "own:rounding";
    /// What errors of this size in every step of the proximal chain add up to: `e(1 + 1/(mη))`.
    pub fn accumulated(error: f64, product: f64) -> f64
    where
        requires non_negative(error);
        requires positive(product);
        ensures(value) at_most(&[&[error, product], &[error]], &[&[value, product]]);
    {
        add_up(error, div_up(error, product)?)
    }
}

contract! {
    spec "own:rounding";
    /// The exponent of a ball whose edge is blurred by twice the slack δ: not below `2δ·Lip(f) − d·ln(1 − 2δ/B)`.
    ///
    /// It adds to the exponents of other errors of the same draw: charge `2δ` and [`density_charge`] of the sum.
    pub fn edge_exponent(lipschitz: f64, radius: f64, slack: f64, dimension: u64) -> f64
    where
        requires non_negative(lipschitz);
        requires positive(radius);
        requires non_negative(slack) && at_most(&[&[4.0, slack]], &[&[radius]]);
        requires (1..=1 << 40).contains(&dimension);
        // −ln(1 − x) ≤ x/(1 − x): (value − 2δ·Lip)(B − 2δ) ≥ 2δd, written without a difference.
        ensures(value) at_most(
            &[&[2.0, slack, lipschitz, radius], &[2.0, slack, dimension as f64], &[2.0, slack, value]],
            &[&[value, radius], &[4.0, slack, slack, lipschitz]]
        );
    {
        edge(lipschitz, radius, slack, dimension as f64)
    }
}

contract! {
    spec "own:rounding";
    /// W∞ distance between a λ-strongly log-concave law on a ball and what is drawn if a point is accepted when its
    /// computed distance from the centre, wrong by at most the slack δ, is at most B − δ: `2δ` and
    /// [`density_charge`] of [`edge_exponent`].
    pub fn edge_charge(lipschitz: f64, radius: f64, slack: f64, dimension: u64, strong_convexity: f64) -> f64
    where
        requires non_negative(lipschitz);
        requires positive(radius);
        requires non_negative(slack) && at_most(&[&[4.0, slack]], &[&[radius]]);
        requires (1..=1 << 40).contains(&dimension);
        requires positive(strong_convexity);
        ensures(value) edge(lipschitz, radius, slack, dimension as f64)
            .is_some_and(|exponent| is_moved_quantile(value, 2.0 * slack, exponent, strong_convexity));
    {
        let exponent = edge(lipschitz, radius, slack, dimension as f64)?;
        add_up(2.0 * slack, density(exponent, strong_convexity)?)
    }
}

/// Up to here the bounds of e^a and of the quantile are proved; beyond it nothing would be worth releasing.
const LARGEST_EXPONENT: f64 = 0.25;

/// Not below √(π/2), the inverse of twice the normal density at 0.
const ROOT_OF_HALF_PI: f64 = 1.253_314_137_315_500_3;

/// Not below √(2/π), the mean of |N|.
const ROOT_OF_TWO_OVER_PI: f64 = 0.797_884_560_802_865_4;

/// See [`density_charge`]; `None` where it is not finite, or for an exponent out of range.
fn density(exponent: f64, strong_convexity: f64) -> Option<f64> {
    let exponent = Some(exponent).filter(|a| *a <= LARGEST_EXPONENT)?;
    // e^a − 1 ≤ a + a²/2 + a³/5
    let powers = mul_up(exponent, add_up(1.0, mul_up(exponent, add_up(0.5, mul_up(0.2, exponent)?)?)?)?)?;
    // Φ⁻¹(½ + y/√(2π)) ≤ y + y³/5
    let y = mul_up(ROOT_OF_HALF_PI, powers)?;
    let quantile = mul_up(y, add_up(1.0, mul_up(0.2, mul_up(y, y)?)?)?)?;
    div_up(quantile, sqrt_down(strong_convexity)?)
}

/// Decides `(value − moved)·√λ ≥ y + y³/5` for `y = √(π/2)(a + a²/2 + a³/5)`, which is not below Φ⁻¹(e^a/2).
#[prusti::pure]
#[prusti::trusted]
fn is_moved_quantile(value: f64, moved: f64, exponent: f64, strong_convexity: f64) -> bool {
    let decide = || {
        let whole = |x: u64| Dyadic::from_parts(x, 0);
        let [value, moved, a, lambda] = [
            Dyadic::new(value)?,
            Dyadic::new(moved)?,
            Dyadic::new(exponent)?,
            Dyadic::new(strong_convexity)?,
        ];
        // Ten times y, from 10 + 5a + 2a².
        let powers = whole(10).plus(&a.times(&whole(5).plus(&a.times(&whole(2)))));
        let y: Dyadic = a.times(&powers).times(&Dyadic::new(ROOT_OF_HALF_PI)?);
        // 5000 times y + y³/5.
        let quantile = y.times(&whole(500).plus(&y.times(&y)));
        // (value − moved)²λ ≥ quantile², written without a difference.
        let squares = value.times(&value).plus(&moved.times(&moved)).times(&lambda);
        let twice_the_product = whole(2).times(&value).times(&moved).times(&lambda);
        let scale = whole(5000 * 5000);
        Some(
            moved <= value
                && quantile.times(&quantile).plus(&twice_the_product.times(&scale)) <= squares.times(&scale),
        )
    };
    exponent <= LARGEST_EXPONENT && decide() == Some(true)
}

/// See [`growing_exponent`].
#[prusti::pure]
#[prusti::trusted]
fn growing(
    constant: f64,
    slope: f64,
    curvature: f64,
    mean_distance: f64,
    strong_convexity: f64,
) -> Option<f64> {
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

/// Decides `α ≥ 2(a + bD + cD²) + κ(2 + 4κ) + √(2/π)·β(1 + 2κ) + ½β²(1 + 4κ)`, multiplied by λ², where κ = c/λ and
/// β = B/√λ, B = b + 2cD.
#[prusti::pure]
#[prusti::trusted]
fn is_growing_exponent(
    value: f64,
    constant: f64,
    slope: f64,
    curvature: f64,
    mean_distance: f64,
    strong_convexity: f64,
) -> bool {
    let decide = || {
        let whole = |x: u64| Dyadic::from_parts(x, 0);
        let [value, a, b] = [Dyadic::new(value)?, Dyadic::new(constant)?, Dyadic::new(slope)?];
        let [c, distance, lambda] =
            [Dyadic::new(curvature)?, Dyadic::new(mean_distance)?, Dyadic::new(strong_convexity)?];
        let root = Dyadic::new(sqrt_up(strong_convexity)?)?;
        let steepness = b.plus(&whole(2).times(&c).times(&distance));
        let at_mean = a.plus(&distance.times(&b.plus(&c.times(&distance))));
        let needed: Dyadic = whole(2)
            .times(&at_mean)
            .times(&lambda)
            .times(&lambda)
            .plus(&c.times(&whole(2).times(&lambda).plus(&whole(4).times(&c))))
            .plus(
                &Dyadic::new(ROOT_OF_TWO_OVER_PI)?
                    .times(&steepness)
                    .times(&root)
                    .times(&lambda.plus(&whole(2).times(&c))),
            )
            .plus(
                &Dyadic::new(0.5)?
                    .times(&steepness)
                    .times(&steepness)
                    .times(&lambda.plus(&whole(4).times(&c))),
            );
        Some(needed <= value.times(&lambda).times(&lambda))
    };
    decide() == Some(true)
}

/// See [`edge_exponent`].
#[prusti::pure]
#[prusti::trusted]
fn edge(lipschitz: f64, radius: f64, slack: f64, dimension: f64) -> Option<f64> {
    // 4δ ≤ B: doubling and the difference are within one rounding, and the next number is below.
    let inner = (radius - 2.0 * slack).next_down();
    mul_up(2.0 * slack, add_up(lipschitz, div_up(dimension, inner)?)?)
}

#[cfg(any(kani, test))]
#[path = "../../proofs/calibrate/rounding.rs"]
mod proofs;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contract::{Broken, Clause};
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

    /// Sabotage: one unit in the last place less, or a constant that is rounded down, breaks the `ensures`.
    #[test]
    fn a_charge_that_is_too_small_is_noticed() {
        for (exponent, quantile) in QUANTILES.into_iter().filter(|(a, _)| *a > 1e-200) {
            let bound = density(exponent, 1.0).unwrap();
            assert!(is_moved_quantile(bound, 0.0, exponent, 1.0));
            // The computed value is within a few units of the exact bound.
            assert!(!is_moved_quantile(bound * (1.0 - 2e-15), 0.0, exponent, 1.0), "{exponent}");
            assert!(!is_moved_quantile(0.5 * quantile, 0.0, exponent, 1.0));
            assert!(!is_moved_quantile(bound, 1e-3 * bound, exponent, 1.0));
        }
        assert!(!is_moved_quantile(1e9, 0.0, 0.2501, 1.0) && !is_moved_quantile(f64::NAN, 0.0, 0.1, 1.0));
        assert!(!is_moved_quantile(1.0, 2.0, 0.0, 1.0), "below what was moved");
    }

    /// Enough inputs that a root rounded to the wrong side, which the other roundings mostly hide, breaks an `ensures`.
    #[test]
    fn every_rounding_is_outwards() {
        let mut state = 1_u64;
        let mut uniform = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 11) as f64 * 2f64.powi(-53)
        };
        for _ in 0..100_000 {
            let (exponent, curvature) = (0.25 * uniform(), 1.0 + 3.0 * uniform());
            assert!(density_charge(exponent, curvature).is_ok(), "{exponent} {curvature}");
            let (radius, slack) = (1.0 + uniform(), 0.25 * uniform());
            assert!(edge_exponent(0.0, radius, slack, 1).is_ok(), "{radius} {slack}");
        }
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

    /// By hand: with a = 2⁻⁶, b = 2⁻⁴, c = 2⁻⁶, D = 2, λ = 16: κ = 2⁻¹⁰, B = 2⁻³, β = 2⁻⁵, a + bD + cD² = 13/64.
    #[test]
    fn exponents_of_hand_picked_errors() {
        let exponent = growing_exponent(0.015625, 0.0625, 0.015625, 2.0, 16.0).unwrap();
        let kappa = 2f64.powi(-10);
        let expected = 26.0 / 64.0
            + kappa * (2.0 + 4.0 * kappa)
            + (2.0 / core::f64::consts::PI).sqrt() / 32.0 * (1.0 + 2.0 * kappa)
            + 0.5 / 1024.0 * (1.0 + 4.0 * kappa);
        assert!((exponent / expected - 1.0).abs() < 1e-14, "{exponent}");
        // Sabotage: each of the four terms is missed.
        for part in [26.0 / 64.0, 0.0019, 0.0249, 0.00048] {
            assert!(!is_growing_exponent(exponent - part, 0.015625, 0.0625, 0.015625, 2.0, 16.0), "{part}");
        }
        // Without growth it is Lemma A with twice the error.
        assert_eq!(growing_exponent(0.03, 0.0, 0.0, 5.0, 2.0), Ok(0.06));
        assert_eq!(growing_density_charge(0.03, 0.0, 0.0, 5.0, 9.0, 2.0), density_charge(0.06, 2.0));
        // Far out the slope decides: b = 0, c·2R/λ.
        assert_eq!(growing_density_charge(0.0, 0.0, 1e-6, 1.0, 1e6, 1.0), Ok(2.0));
        assert_eq!(growing_density_charge(0.2, 0.0, 0.0, 0.0, 0.0, 1.0).unwrap_err().kind, Clause::Range);
        assert_eq!(growing_exponent(0.0, 0.0, 1.0, 0.0, 127.0).unwrap_err().kind, Clause::Requires);
    }

    #[test]
    fn errors_of_steps_add_up() {
        assert_eq!(accumulated(1.0, 0.25), Ok(5.0));
        assert_eq!(accumulated(0.0, 1e-300), Ok(0.0));
        assert!(accumulated(0.1, 0.3).unwrap() >= 0.43333333333333335);
        assert_eq!(accumulated(1e300, 1e-300).unwrap_err().kind, Clause::Range);
        for bad in [f64::NAN, f64::INFINITY, -1.0, 0.0] {
            assert_eq!(accumulated(1.0, bad).unwrap_err().clause, "positive(product)");
        }
    }

    /// B = 1, δ = 2⁻²⁰, Lip = 3, d = 5. mpmath: 6δ − 5·ln(1 − 2δ) = 1.52587981574586…e-5, and with x/(1 − x) 1.52588072524287…e-5.
    #[test]
    fn the_edge_of_a_hand_picked_ball() {
        let slack = 2f64.powi(-20);
        let exponent = edge_exponent(3.0, 1.0, slack, 5).unwrap();
        assert!((1.525_880_725_24e-5..1.525_880_725_25e-5).contains(&exponent), "{exponent:e}");
        let charge = edge_charge(3.0, 1.0, slack, 5, 4.0).unwrap();
        let expected = 2.0 * slack + density_charge(exponent, 4.0).unwrap();
        assert!((charge / expected - 1.0).abs() < 1e-15);
        // Sabotage: the movement once instead of twice; the Jacobian forgotten.
        assert!(!is_moved_quantile(charge - slack, 2.0 * slack, exponent, 4.0));
        assert!(!is_moved_quantile(charge, 2.0 * slack, exponent * 1.001, 4.0));
        assert!(exponent > 2.0 * slack * 7.99);
        assert_eq!(edge_charge(3.0, 1.0, 0.0, 5, 4.0), Ok(0.0));
        assert_eq!(edge_exponent(3.0, 1.0, 0.26, 5).unwrap_err().kind, Clause::Requires);
    }

    fn is_no_bug(outcome: Result<f64, Broken>) -> bool {
        !matches!(outcome, Err(broken) if broken.kind == Clause::Ensures)
    }

    quickcheck! {
        /// A broken `ensures` would come back as an error: none does, over the whole range of exponents.
        fn no_input_breaks_an_ensures(bits: (u64, u64, u64, u64, u64), d: u32) -> bool {
            let [a, b, c, e, l] = [bits.0, bits.1, bits.2, bits.3, bits.4].map(|x| f64::from_bits(x).abs());
            let d = u64::from(d) + 1;
            is_no_bug(density_charge(a.min(0.25), l))
                && is_no_bug(growing_exponent(a, b, c, e, l))
                && is_no_bug(growing_density_charge(a, b, c, e, e, l))
                && is_no_bug(accumulated(a, l))
                && is_no_bug(edge_exponent(a, b, c, d))
                && is_no_bug(edge_charge(a, b, c, d, l))
        }

        /// Plausible numbers succeed, and a worst case covers what is better.
        fn charges_are_monotone(a: u16, b: u16, l: u16, slack: u16) -> bool {
            let [a, b] = [a, b].map(|x| f64::from(x) * 1e-7);
            let (l, slack) = (f64::from(l) + 1.0, f64::from(slack) * 1e-9);
            let growing = |a: f64, b: f64, l: f64| growing_density_charge(a, b, 1e-6, 3.0, 10.0, l).unwrap();
            let edge = |slack: f64, l: f64| edge_charge(100.0, 5.0, slack, 11, l).unwrap();
            let density = |a: f64, l: f64| density_charge(a, l).unwrap();
            growing(a, b, l) <= growing(2.0 * a, b, l)
                && growing(a, b, l) <= growing(a, 2.0 * b, l)
                && growing(a, b, l + 1.0) <= growing(a, b, l)
                && edge(slack, l) <= edge(1.5 * slack, l)
                && edge(slack, l + 1.0) <= edge(slack, l)
                && density(a, l) <= density(1.5 * a, l)
                && density(a, l + 1.0) <= density(a, l)
        }
    }
}
