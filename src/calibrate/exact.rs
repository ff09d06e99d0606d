//! What the rounding of one exact draw costs, from public numbers. spec: `own:exact`
//!
//! The program is compared with the draw in real arithmetic that uses the same exact random numbers. Energies that are
//! off by at most e change the density by a factor within e^(±2e). The edge of the ball changes by a thin shell. Each
//! point moves by its own rounding. The first two become a distance by isoperimetry; the last already is one.

use super::{density_charge, positive, proposed};
use crate::contract::BrokenContract;
use crate::exact::{add_up, div_up, mul_up, sqrt_up};
use crate::exact_draw::{Edge, REACH_RADII, edge, largest_reach};
use crate::special::ln;

/// The smallest radius: below, underflow would not be covered by the margins.
const LEAST_RADIUS: f64 = 1e-100;

/// Up to here the second-order terms of the rounding are within the margins.
const LARGEST_DIMENSION: u64 = 1 << 10;

/// What the rounding of an exact draw depends on, all for f = γJ and within two radii of the centre. *Caller-verified.*
/// spec: `own:exact`
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ExactRounding {
    /// d: the number of parameters.
    pub dimension: u64,
    /// B: the radius of the ball.
    pub radius: f64,
    /// Not below ‖θ_0‖.
    pub centre_norm: f64,
    /// γΛ: f is so strongly convex.
    pub strong_convexity: f64,
    /// No Hessian of f is larger.
    pub smoothness: f64,
    /// No gradient of f is longer.
    pub lipschitz: f64,
    /// A computed divergence is so close to the true one.
    pub energy_error: f64,
    /// And so is the gradient at the anchor.
    pub gradient_error: f64,
}

/// How far (Wasserstein-∞, 2-norm) the law of one exact draw on a computer can be from p*, for every data set. A
/// proposal: `Charge` of `asap_contracts::contract` decides. spec: `own:exact`
pub fn planned_exact_charge(numbers: &ExactRounding) -> Result<f64, BrokenContract> {
    proposed("own:exact", "planned_exact_charge", || {
        let ExactRounding { dimension, radius, centre_norm, strong_convexity, smoothness, lipschitz, .. } =
            *numbers;
        let in_range = (1..=LARGEST_DIMENSION).contains(&dimension)
            && radius.is_finite()
            && radius >= LEAST_RADIUS
            && positive(strong_convexity)
            && smoothness >= strong_convexity;
        in_range.then_some(())?;
        let d = dimension as f64;
        let edge = edge(d, radius, centre_norm)?;
        let energy = energy_rounding(numbers, &edge)?;
        let shell = total_up(&[&[2.0, edge.margin, lipschitz], &[2.04, d, div_up(edge.margin, radius)?]])?;
        let density = density_charge(total_up(&[&[2.0, energy], &[shell]])?, strong_convexity).ok()?;
        total_up(&[&[density], &[2.0, edge.margin], &[edge.point]])
    })
}

/// e: how far a computed energy can be from that of the ideal proposal. Half of the logarithm of the density.
fn energy_rounding(numbers: &ExactRounding, edge: &Edge) -> Option<f64> {
    let ExactRounding { radius, smoothness, lipschitz, energy_error, gradient_error, .. } = *numbers;
    let dimension = numbers.dimension as f64;
    let reach = mul_up(REACH_RADII, radius)?;
    // ‖w‖ ≤ ‖M⁻¹‖·‖v‖.
    let norm = total_up(&[&[1.01, sqrt_up(smoothness)?, reach]])?;
    let slope = add_up(largest_reach(dimension), 3.0)?;
    // ln(W₂/W₁) is a sum of d/2 logarithms and of d times two. 17 units, where the page has 16: the contract
    // takes a larger logarithm.
    let logarithms = ln(dimension + 1.0) + 4.0;
    total_up(&[
        &[energy_error],
        &[gradient_error, reach],
        // f at the rounded v instead of v; then the sum of divergence, tilt and minorant.
        &[lipschitz, edge.moved],
        &[2.0 * f64::EPSILON, lipschitz, reach],
        // The minorant at the rounded ‖w‖, and its own rounding.
        &[16.0 * f64::EPSILON, norm, slope],
        &[32.0 * f64::EPSILON],
        &[8.5 * f64::EPSILON, dimension + 8.0, dimension + 1.0, logarithms],
    ])
}

/// Not below Σ_i Π_j terms[i][j].
fn total_up(terms: &[&[f64]]) -> Option<f64> {
    let product = |term: &[f64]| term.iter().try_fold(1.0, |product, factor| mul_up(product, *factor));
    terms.iter().try_fold(0.0, |sum, term| add_up(sum, product(term)?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use quickcheck::quickcheck;

    /// n = 10⁷ logistic records of norm 1, d = 11, Λ = 5, γ = 4.7, B = 4.5, ‖θ_0‖ ≤ 20: f within 4B has slope at most
    /// γ(n + Λ(20 + 4B)) and curvature at most γ(Λ + n/4).
    fn ten_million(energy_error: f64, gradient_error: f64) -> Result<f64, BrokenContract> {
        planned_exact_charge(&ExactRounding {
            dimension: 11,
            radius: 4.5,
            centre_norm: 20.0,
            strong_convexity: 23.5,
            smoothness: 4.7 * (5.0 + 2.5e6),
            lipschitz: 4.7 * (1e7 + 5.0 * 38.0),
            energy_error,
            gradient_error,
        })
    }

    #[test]
    fn ten_million_records_fit() {
        let arithmetic = ten_million(0.0, 0.0).unwrap();
        // Worked by hand on the spec page.
        assert!((arithmetic / 1.578_474e-6 - 1.0).abs() < 1e-6, "{arithmetic:e}");
        let whole = ten_million(5e-6, 1e-7).unwrap();
        assert!(whole < 1e-5, "{whole:e}");
        // √(π/2)·2·(5·10⁻⁶ + 10.6875·10⁻⁷)/√23.5 more.
        assert!((whole - arithmetic - 3.138e-6).abs() < 1e-8, "{whole:e}");
    }

    #[test]
    fn margins_are_what_the_page_says() {
        // In units of u = 2⁻⁵³, B = 1, ‖θ_0‖ = 0: v 16·2.375 = 38, θ 2 more, the test 2(11 + 8) = 38.
        let (unit, edge) = (0.5 * f64::EPSILON, edge(11.0, 1.0, 0.0).unwrap());
        let close = |value: f64, units: f64| (value / (units * unit) - 1.0).abs() < 1e-14;
        assert!(close(edge.moved, 38.0) && close(edge.point, 40.0) && close(edge.margin, 78.0));
        // A ball that is small against its distance from the origin has no inside.
        assert!(super::edge(11.0, 1.0, 1e15).is_none() && super::edge(11.0, 1.0, 1e9).is_some());
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        for (energy, gradient) in [(1.0, 0.0), (f64::NAN, 0.0), (0.0, -1.0), (f64::INFINITY, 0.0)] {
            assert!(ten_million(energy, gradient).is_err());
        }
        let with = |dimension, radius, strong_convexity, smoothness| {
            planned_exact_charge(&ExactRounding {
                dimension,
                radius,
                centre_norm: 0.0,
                strong_convexity,
                smoothness,
                lipschitz: 1.0,
                energy_error: 0.0,
                gradient_error: 0.0,
            })
        };
        assert!(with(0, 1.0, 1.0, 1.0).is_err() && with(1 << 20, 1.0, 1.0, 1.0).is_err());
        assert!(with(2, 0.0, 1.0, 1.0).is_err() && with(2, 1.0, 2.0, 1.0).is_err());
        assert!(with(2, 1.0, 1.0, 1e40).is_err() && with(2, 1.0, 1.0, 1.0).is_ok());
    }

    #[test]
    fn the_density_charge_is_above_the_quantile() {
        // mpmath: Φ⁻¹(e^a/2).
        for (a, quantile) in [(1e-6, 1.253_314_763_925_501e-6), (0.0625, 0.080_920_041_923_998_32)] {
            let charge = density_charge(a, 1.0).unwrap();
            assert!(charge >= quantile && charge < 1.05 * quantile);
            assert!((density_charge(a, 4.0).unwrap() / charge - 0.5).abs() < 1e-15);
        }
    }

    quickcheck! {
        /// More error never costs less. Doubling may leave the range of arguments, never enter it.
        fn charges_are_monotone(a: u64, b: u64, c: u64, e: u64, d: u8) -> bool {
            let [a, b, c, e] = [a, b, c, e].map(|bits| f64::from_bits(bits).abs());
            let charge = |error: f64, lipschitz: f64| {
                planned_exact_charge(&ExactRounding {
                    dimension: u64::from(d) + 1,
                    radius: a,
                    centre_norm: c,
                    strong_convexity: b.min(e),
                    smoothness: b.max(e),
                    lipschitz,
                    energy_error: error,
                    gradient_error: error,
                })
            };
            let small = charge(c, e);
            [charge(2.0 * c, e), charge(c, 2.0 * e)].iter().all(|to| match (&small, to) {
                (Ok(small), Ok(large)) => small <= large,
                (Err(_), Ok(_)) => false,
                _ => true,
            })
        }
    }
}
