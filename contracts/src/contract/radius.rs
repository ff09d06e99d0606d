//! B: the ball of the posterior.

use super::contract;
use crate::check::loss::lipschitz_covers;
use crate::exact::Exact;
use crate::schema::{Neighbours, Noise, Problem};

/// B: any ball will do that is one, on which G is a Lipschitz constant, and whose points the lattice of θ̂ holds.
///
/// That the minimiser is in the ball is a matter of utility, and no guarantee rests on it: the samplers' laws are
/// within Δ of the posterior on *this* ball for every data set. What else B costs is in the contracts of γ
/// (`PureTemperature` has B in it) and of the charge (`Charge` counts rounding up to ‖θ_0‖ + B).
///
/// spec: `own:ball`
#[derive(Clone, Copy)]
pub struct Radius<'a> {
    /// The public problem.
    pub problem: &'a Problem,
    /// Which data sets are neighbours.
    pub neighbours: Neighbours,
    /// θ_0: the centre of the ball.
    pub centre: &'a [f64],
    /// Not below ‖θ_0‖.
    pub centre_norm: f64,
    /// B.
    pub radius: f64,
    /// G: Lipschitz constant, on the ball, of the difference of two neighbours' objectives.
    pub lipschitz: f64,
    /// The noise of θ̂.
    pub noise: Noise,
}

contract! {
    Radius<'a>:
    requires "own:ball", "centre norm covers θ_0" => |it| {
        let squares = it.centre.iter().map(|x| Exact::of(x.abs()).squared());
        squares.fold(Exact::whole(0), |sum, square| sum + square) <= Exact::of(it.centre_norm).squared()
    };
    ensures "own:ball", "radius is positive" => |it| Exact::of(it.radius).is_positive();
    ensures "own:losses", "Lipschitz constant on the ball" => |it| {
        lipschitz_covers(it.problem, it.neighbours, &Exact::of(it.lipschitz), &it.reach())
    };
    ensures "own:lattice", "lattice of θ̂ holds the ball and 64 scales of noise" => |it| it.noise.holds(&it.reach());
}

impl Radius<'_> {
    /// ‖θ_0‖ + B: no point of the ball is longer.
    fn reach(&self) -> Exact {
        Exact::of(self.centre_norm) + Exact::of(self.radius)
    }
}
