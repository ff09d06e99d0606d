//! Δ: the error of a draw, its parts, and the noise that hides it; and every other scale of noise.

use super::{contract, non_negative, positive};
use crate::check::charge;
use crate::exact::Exact;
use crate::schema::{Guarantee, Noise, Problem, Reference, Sampler};

/// The scale of a noise: at the price of its share it hides that a point was somewhere else before it
/// was rounded to the lattice.
///
/// Laplace noise pays in ε, normal noise in μ. Rounding to the lattice of step g adds d·g in the 1-norm and √d·g in the
/// 2-norm.
///
/// spec: `lem:OutPert_DP`
#[derive(Clone, Copy)]
pub struct NoiseScale {
    /// The noise.
    pub noise: Noise,
    /// What is promised: its kind matters.
    pub guarantee: Guarantee,
    /// How far the point may have been moved.
    pub moved: f64,
    /// The norm of that: 1 or 2.
    pub norm: u8,
    /// d: the number of coordinates.
    pub dimension: u64,
    /// The price: ε or μ.
    pub share: f64,
}

contract! {
    NoiseScale:
    requires "own:lattice", "noise is of the kind of the guarantee" => |it| it.noise.buys(it.guarantee);
    requires "own:lattice", "norm is 1 or 2" => |it| (1..=2).contains(&it.norm);
    ensures "own:lattice", "share times scale is at least the distance and the rounding" => |it| {
        it.noise.hides(&Exact::of(it.moved), it.norm, it.dimension, &Exact::of(it.share))
    };
}

/// What rounding may take of Δ: one of so many parts.
///
/// spec: `own:rounding`
#[derive(Clone, Copy)]
pub struct ChargePart {
    /// Δ.
    pub error: f64,
    /// What is set aside for rounding.
    pub charge: f64,
    /// The parts; `None` where the guarantee is one of real arithmetic.
    pub parts: Option<u64>,
}

contract! {
    ChargePart:
    requires "thm:asap_privacy", "error is positive" => |it| positive(&[it.error]);
    requires "thm:asap_privacy", "charge is not negative" => |it| non_negative(&[it.charge]);
    ensures "own:rounding", "charge for rounding is at most half of the error"
        when |it| it.parts == Some(2) => |it| it.sets_aside(2);
    ensures "own:rounding", "charge for rounding is at most a quarter of the error"
        when |it| it.parts.is_some_and(|parts| parts != 2) => |it| it.sets_aside(4);
}

impl ChargePart {
    fn sets_aside(&self, parts: u64) -> bool {
        Exact::whole(parts) * Exact::of(self.charge) <= Exact::of(self.error)
    }
}

/// Δ: what is drawn is within Δ of the reference in Wasserstein-∞ distance, and the noise of θ̂ pays for Δ on both
/// sides of a pair of neighbours. What Δ is made of is in [`ChargePart`], [`Charge`] and [`ChainError`].
///
/// spec: `thm:asap_privacy`
#[derive(Clone, Copy)]
pub struct Delta {
    /// Δ.
    pub error: f64,
    /// Its norm: 1 or 2.
    pub norm: u8,
    /// The noise of θ̂.
    pub noise: Noise,
    /// What is promised: its kind matters.
    pub guarantee: Guarantee,
    /// d: the number of parameters.
    pub dimension: u64,
    /// ε or μ of the noise.
    pub share: f64,
}

contract! {
    Delta:
    requires "thm:asap_privacy", "noise of the sample is of the kind of the guarantee" => |it| it.noise.buys(it.guarantee);
    requires "thm:asap_privacy", "error is in the norm of its noise" => |it| it.norm == it.noise.norm();
    given "thm:asap_privacy", "error is positive" => |it| positive(&[it.error]);
    ensures "thm:asap_privacy", "noise of the sample covers twice the error and the rounding" => |it| {
        let Delta { noise, guarantee, norm, dimension, share, .. } = *it;
        NoiseScale { noise, guarantee, moved: 2.0 * it.error, norm, dimension, share }.holds().is_ok()
    };
}

/// The part of Δ that a sampler in real arithmetic may use, in the 2-norm: with the charge for rounding it is within Δ.
///
/// A 1-norm is at most √d times the 2-norm.
///
/// spec: `thm:asap_privacy`
#[derive(Clone, Copy)]
pub struct ChainError {
    /// What the sampler may be off by, in the 2-norm.
    pub chain: f64,
    /// What is set aside for rounding, in the norm of Δ.
    pub charge: f64,
    /// Δ.
    pub error: f64,
    /// The norm of Δ: 1 or 2.
    pub norm: u8,
    /// d: the number of parameters.
    pub dimension: u64,
}

contract! {
    ChainError:
    requires "thm:asap_privacy", "the part of the sampler is positive" => |it| positive(&[it.chain]);
    requires "thm:asap_privacy", "charge is not negative" => |it| non_negative(&[it.charge]);
    requires "own:lattice", "norm is 1 or 2" => |it| (1..=2).contains(&it.norm);
    ensures "thm:asap_privacy", "the part of the sampler and the charge are at most the error" => |it| {
        let factor = Exact::whole(if it.norm == 1 { it.dimension } else { 1 });
        Exact::of(it.error).covers(&Exact::of(it.charge), &(factor * Exact::of(it.chain).squared()))
    };
}

/// What is set aside for rounding covers what floating point does to one draw of any sampler that may draw, for the
/// largest admissible data set. For a user's loss, whose rounding is not known here, it is the user's word.
///
/// spec: `own:rounding`
#[derive(Clone, Copy)]
pub struct Charge<'a> {
    /// The public problem.
    pub problem: &'a Problem,
    /// The posterior.
    pub reference: &'a Reference,
    /// What draws.
    pub sampler: Sampler,
    /// The norm of the charge: 1 or 2.
    pub norm: u8,
    /// The charge.
    pub charge: f64,
}

contract! {
    Charge<'a>:
    ensures "own:rounding", "charge covers the rounding of every sampler that may draw"
        when |it| !crate::claims::is_user(&it.problem.loss) => |it| {
        charge::covers(it.problem, it.reference, it.sampler, it.norm, &Exact::of(it.charge)) == Some(true)
    };
}
