//! What the rounding of one exact draw costs, from public numbers. spec: `own:exact`
//!
//! The program is compared with the draw in real arithmetic that uses the same exact random numbers. Energies that are
//! off by at most e change the density by a factor within e^(±2e); what "inside of the ball" means changes by a thin
//! shell; and each point moves by its own rounding. The first two become a distance by isoperimetry, the last is one.

use super::positive;
use crate::contract::contract;
use crate::exact::{add_up, at_most, div_up, mul_up, sqrt_up};
use crate::special::ln;

/// The anchor is at most this many radii from the centre of the ball.
pub(crate) const ANCHOR_RADII: f64 = 3.0;

/// The largest ‖v‖ with x₀ + v in the ball, in radii: one more, and room for rounding.
const REACH_RADII: f64 = 4.125;

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
    /// *Caller-verified*, all for f = γJ and within four radii of the centre: f is γΛ-strongly convex
    /// (`strong_convexity`), its Hessian is at most `smoothness`, its gradient at most `lipschitz`; a computed divergence
    /// is within `energy_error` of the true one, and the gradient at the anchor within `gradient_error`.
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
        let density = density_charge(total_up(&[&[2.0, energy], &[shell]])?, strong_convexity)?;
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

/// Not below Φ⁻¹(e^a/2)/√λ, for a ≤ 1/16: it is convex in a, 0 at 0, and 0.08092/√λ at 1/16.
/// (Until `own:rounding` has a sharper one for all callers.)
fn density_charge(a: f64, strong_convexity: f64) -> Option<f64> {
    let charge = div_up(mul_up(1.3, a)?, crate::exact::sqrt_down(strong_convexity)?)?;
    Some(charge).filter(|_| a <= 0.0625)
}
