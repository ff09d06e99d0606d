//! Limits that every exact draw keeps, whatever the records are. The charge for its rounding rests on them, in
//! `calibrate` and, stated once more, in the contract `Charge`. No other contract sees them. spec: `own:exact`

use crate::exact::{add_up, mul_up};

/// The anchor is at most this many radii from the centre of the ball.
pub(crate) const ANCHOR_RADII: f64 = 1.25;

/// The largest ‖v‖ with x₀ + v in the ball, in radii: one more, and room for rounding.
pub(crate) const REACH_RADII: f64 = 2.375;

/// The largest k of a minorant.
pub(crate) const LARGEST_OFFSET: f64 = 2.0;

/// The largest ρ.
pub(crate) fn largest_reach(dimension: f64) -> f64 {
    dimension.sqrt() + 4.0
}

/// The rounding of a point near the edge of a ball.
pub(crate) struct Edge {
    /// Of v = Mw: at most 11u‖v‖ by derivation, 16u‖v‖ here.
    pub(crate) moved: f64,
    /// Of θ = x₀ + v.
    pub(crate) point: f64,
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
