//! What the rounding of one exact draw costs, from public numbers. spec: `own:exact`
//!
//! The program is compared with the draw in real arithmetic that uses the same exact random numbers. Energies that are
//! off by at most e change the density by a factor within e^(±2e); what "inside of the ball" means changes by a thin
//! shell; and each point moves by its own rounding. The first two become a distance by isoperimetry, the last is one.

use super::{density_charge, positive};
use crate::contract::contract;
use crate::exact::{add_up, at_most, div_up, mul_up, sqrt_up};
use crate::special::ln;

/// The anchor is at most this many radii from the centre of the ball.
pub(crate) const ANCHOR_RADII: f64 = 1.25;

/// The largest ‖v‖ with x₀ + v in the ball, in radii: one more, and room for rounding.
pub(crate) const REACH_RADII: f64 = 2.375;

/// The largest k of a minorant.
pub(crate) const LARGEST_OFFSET: f64 = 2.0;

/// The smallest radius: below, underflow would not be covered by the margins.
const LEAST_RADIUS: f64 = 1e-100;

/// Up to here the second-order terms of the rounding are within the margins.
const LARGEST_DIMENSION: u64 = 1 << 10;

/// The largest ρ.
pub(crate) fn largest_reach(dimension: f64) -> f64 {
    dimension.sqrt() + 4.0
}

/// The rounding of a point near the edge of a ball.
pub(crate) struct Edge {
    /// Of v = Mw: at most 11u‖v‖ by derivation, 16u‖v‖ here.
    moved: f64,
    /// Of θ = x₀ + v.
    point: f64,
    /// Of θ and of the test whether it is inside: what the ball is made smaller by.
    pub(crate) margin: f64,
}

/// The rounding of points in a ball of this radius whose centre has at most this norm.
pub(crate) fn edge(dimension: f64, radius: f64, centre_norm: f64) -> Option<Edge> {
    let reach = mul_up(REACH_RADII, radius)?;
    let moved = mul_up(8.0 * f64::EPSILON, reach)?;
    let farthest = add_up(centre_norm, 2.0 * radius)?;
    let point = add_up(moved, mul_up(0.5 * f64::EPSILON, farthest)?)?;
    let margin = add_up(point, mul_up((dimension + 8.0) * f64::EPSILON, radius)?)?;
    Some(Edge { moved, point, margin }).filter(|_| margin < radius / 128.0)
}

contract! {
    spec "own:exact";
    /// How far (Wasserstein-∞, 2-norm) the law of one exact draw on a computer can be from p*, for every data set.
    ///
    /// *Caller-verified*, all for f = γJ and within two radii of the centre: f is γΛ-strongly convex
    /// (`strong_convexity`), its Hessian is at most `smoothness`, its gradient at most `lipschitz`; a computed divergence
    /// is within `energy_error` of the true one, and the gradient at the anchor within `gradient_error`.
    #[allow(clippy::too_many_arguments, reason = "public numbers, each named in an error")]
    pub fn planned_exact_charge(
        dimension: u64,
        radius: f64,
        centre_norm: f64,
        strong_convexity: f64,
        smoothness: f64,
        lipschitz: f64,
        energy_error: f64,
        gradient_error: f64,
    ) -> f64
    where
        requires (1..=LARGEST_DIMENSION).contains(&dimension);
        requires radius.is_finite() && radius >= LEAST_RADIUS;
        requires centre_norm.is_finite() && centre_norm >= 0.0;
        requires positive(strong_convexity);
        requires smoothness.is_finite() && smoothness >= strong_convexity;
        requires positive(lipschitz);
        requires energy_error.is_finite() && energy_error >= 0.0;
        requires gradient_error.is_finite() && gradient_error >= 0.0;
        // At least what the point moves by, and a first-order bound of what energies and edge do to the density.
        ensures(value) positive(value) && at_most(&[&[8.0, f64::EPSILON, radius]], &[&[value]]);
        ensures(value) at_most(
            &[&[2.0, energy_error, 2.0, energy_error], &[4.0, gradient_error, radius, gradient_error, radius]],
            &[&[value, value, strong_convexity]]
        );
    {
        let d = dimension as f64;
        let edge = edge(d, radius, centre_norm)?;
        let energy = energy_rounding(d, &edge, radius, smoothness, lipschitz, energy_error, gradient_error)?;
        let shell = total_up(&[&[2.0, edge.margin, lipschitz], &[2.04, d, div_up(edge.margin, radius)?]])?;
        let density = density_charge(total_up(&[&[2.0, energy], &[shell]])?, strong_convexity).ok()?;
        total_up(&[&[density], &[2.0, edge.margin], &[edge.point]])
    }
}

/// e: how far a computed energy can be from that of the ideal proposal. Half of the logarithm of the density.
fn energy_rounding(
    dimension: f64,
    edge: &Edge,
    radius: f64,
    smoothness: f64,
    lipschitz: f64,
    energy_error: f64,
    gradient_error: f64,
) -> Option<f64> {
    let reach = mul_up(REACH_RADII, radius)?;
    // ‖w‖ ≤ ‖M⁻¹‖·‖v‖.
    let norm = total_up(&[&[1.01, sqrt_up(smoothness)?, reach]])?;
    let slope = add_up(largest_reach(dimension), 3.0)?;
    // ln(W₂/W₁) is a sum of d/2 logarithms and of d times two.
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
        &[8.0 * f64::EPSILON, dimension + 8.0, dimension + 1.0, logarithms],
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
    use crate::contract::{Broken, Clause};
    use quickcheck::quickcheck;

    /// n = 10⁷ logistic records of norm 1, d = 11, Λ = 5, γ = 4.7, B = 4.5, ‖θ_0‖ ≤ 20: f within 4B has slope at most
    /// γ(n + Λ(20 + 4B)) and curvature at most γ(Λ + n/4).
    fn ten_million(energy_error: f64, gradient_error: f64) -> Result<f64, Broken> {
        let lipschitz = 4.7 * (1e7 + 5.0 * 38.0);
        planned_exact_charge(
            11,
            4.5,
            20.0,
            23.5,
            4.7 * (5.0 + 2.5e6),
            lipschitz,
            energy_error,
            gradient_error,
        )
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
        assert_eq!(ten_million(1.0, 0.0).unwrap_err().kind, Clause::Range);
        assert_eq!(ten_million(f64::NAN, 0.0).unwrap_err().kind, Clause::Requires);
        assert_eq!(ten_million(0.0, -1.0).unwrap_err().kind, Clause::Requires);
        let with = |d, radius, m, l| planned_exact_charge(d, radius, 0.0, m, l, 1.0, 0.0, 0.0);
        assert_eq!(with(0, 1.0, 1.0, 1.0).unwrap_err().kind, Clause::Requires);
        assert_eq!(with(1 << 20, 1.0, 1.0, 1.0).unwrap_err().kind, Clause::Requires);
        assert_eq!(with(2, 0.0, 1.0, 1.0).unwrap_err().kind, Clause::Requires);
        assert_eq!(with(2, 1.0, 2.0, 1.0).unwrap_err().kind, Clause::Requires);
        assert_eq!(with(2, 1.0, 1.0, 1e40).unwrap_err().kind, Clause::Range);
        assert!(with(2, 1.0, 1.0, 1.0).is_ok());
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
        /// Over all exponents no `ensures` is broken, and more error never costs less.
        fn charges_are_monotone_and_keep_their_promise(a: u64, b: u64, c: u64, e: u64, d: u8) -> bool {
            let [a, b, c, e] = [a, b, c, e].map(|bits| f64::from_bits(bits).abs());
            let charge = |energy: f64, lipschitz: f64| {
                planned_exact_charge(u64::from(d) + 1, a, c, b.min(e), b.max(e), lipschitz, energy, energy)
            };
            let is_no_bug = |outcome: &Result<f64, Broken>| {
                !matches!(outcome, Err(broken) if broken.kind == Clause::Ensures)
            };
            let [small, large, steep] = [charge(c, e), charge(2.0 * c, e), charge(c, 2.0 * e)];
            let grows = |to: &Result<f64, Broken>| match (&small, to) {
                (Ok(small), Ok(large)) => small <= large,
                (Err(_), Ok(_)) => false,
                _ => true,
            };
            // Doubling may leave the range of arguments, never enter it.
            [&small, &large, &steep].into_iter().all(is_no_bug) && grows(&large) && grows(&steep)
        }
    }
}
