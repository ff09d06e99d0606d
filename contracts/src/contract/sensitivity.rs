//! How far a value moves between neighbours, before its noise.

use super::{contract, non_negative, positive};
use crate::exact::Exact;

/// Δ̃ of a minimiser: those of neighbours are at most G/Λ apart, and each computed point is within τ of its own.
///
/// spec: `lem:sensitivity_minimizer`
#[derive(Clone, Copy)]
pub struct MinimiserSensitivity {
    /// Δ̃: the computed points of neighbours are this close, in the 2-norm.
    pub sensitivity: f64,
    /// G: Lipschitz constant of the difference of two neighbours' objectives, where their minimisers are.
    pub lipschitz: f64,
    /// Λ: the strong convexity of both.
    pub regulariser: f64,
    /// τ: how close the computed point is to the minimiser.
    pub tolerance: f64,
}

contract! {
    MinimiserSensitivity:
    given "lem:sensitivity_minimizer", "G, Λ and τ are positive" => |it| {
        positive(&[it.lipschitz, it.regulariser, it.tolerance])
    };
    ensures "lem:sensitivity_minimizer", "sensitivity covers G/Λ + 2τ" => |it| {
        let regulariser = Exact::of(it.regulariser);
        Exact::of(it.lipschitz) + Exact::whole(2) * Exact::of(it.tolerance) * &regulariser
            <= Exact::of(it.sensitivity) * regulariser
    };
}

/// The sensitivity of a computed gradient: neighbours' gradients differ by at most G, and both sums are rounded.
///
/// spec: `own:noisy-gradient`
#[derive(Clone, Copy)]
pub struct GradientSensitivity {
    /// The computed gradients of neighbours are this close, in the 2-norm.
    pub sensitivity: f64,
    /// G: Lipschitz constant of the difference of two neighbours' objectives, where gradients are asked for.
    pub lipschitz: f64,
    /// What rounding does to one of them at most.
    pub rounding: f64,
}

contract! {
    GradientSensitivity:
    given "own:noisy-gradient", "G is positive" => |it| positive(&[it.lipschitz]);
    given "own:noisy-gradient", "rounding is not negative" => |it| non_negative(&[it.rounding]);
    ensures "own:noisy-gradient", "sensitivity covers G and twice the rounding" => |it| {
        Exact::of(it.lipschitz) + Exact::whole(2) * Exact::of(it.rounding) <= Exact::of(it.sensitivity)
    };
}
