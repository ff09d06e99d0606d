//! γ: how cold the posterior may be.

use super::{contract, positive};
use crate::exact::Exact;

/// γ, purely private: an exact draw from the density ∝ e^(−γJ) on a ball of radius B is ε-DP.
///
/// Up to a constant, neighbours' energies differ by at most γGB on the ball; so do, then, the logarithms of
/// the normalising integrals.
///
/// spec: `lem:pure_DP_Post_Sam`
#[derive(Clone, Copy)]
pub struct PureTemperature {
    /// γ: the inverse temperature.
    pub gamma: f64,
    /// G: Lipschitz constant, on the ball, of the difference of two neighbours' objectives.
    pub lipschitz: f64,
    /// B: the radius of the ball.
    pub radius: f64,
    /// ε of the draw.
    pub epsilon: f64,
}

contract! {
    PureTemperature:
    requires "own:certificate", "gamma is positive" => |it| positive(&[it.gamma]);
    given "lem:pure_DP_Post_Sam", "G, B and ε are positive" => |it| positive(&[it.lipschitz, it.radius, it.epsilon]);
    ensures "lem:pure_DP_Post_Sam", "2γGB is at most ε" => |it| {
        Exact::whole(2) * Exact::of(it.gamma) * Exact::of(it.lipschitz) * Exact::of(it.radius)
            <= Exact::of(it.epsilon)
    };
}

/// γ, Gaussian: an exact draw from the density ∝ e^(−γJ) on a convex set, J strongly convex with Λ, is μ-GDP.
///
/// spec: `lem:GDP_Post_Sam`
#[derive(Clone, Copy)]
pub struct GaussianTemperature {
    /// γ: the inverse temperature.
    pub gamma: f64,
    /// G: Lipschitz constant, on the set, of the difference of two neighbours' objectives.
    pub lipschitz: f64,
    /// Λ: the strong convexity of J.
    pub regulariser: f64,
    /// μ of the draw.
    pub mu: f64,
}

contract! {
    GaussianTemperature:
    requires "own:certificate", "gamma is positive" => |it| positive(&[it.gamma]);
    given "lem:GDP_Post_Sam", "G, Λ and μ are positive" => |it| positive(&[it.lipschitz, it.regulariser, it.mu]);
    ensures "lem:GDP_Post_Sam", "γG² is at most μ²Λ" => |it| {
        Exact::of(it.gamma) * Exact::of(it.lipschitz).squared()
            <= Exact::of(it.mu).squared() * Exact::of(it.regulariser)
    };
}
