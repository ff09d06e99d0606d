//! The exact draw: one sample of p* in a handful of passes. spec: `own:exact`
//!
//! With an anchor x₀, θ = x₀ + Mw and s = ‖w‖, the potential is bounded from below by the smaller of a parabola and a
//! line in s, for every w:
//! f(θ) − f(x₀) ≥ min(c₁s²/2 − k, c₂s). So e^(−f) is at most the **sum** of e^(k − c₁s²/2) and e^(−c₂s), whatever zone w
//! is in: a mixture of a normal law and of one with a gamma norm. Draw w from it; where θ is outside of the ball, again,
//! without a pass; inside accept with probability e^(−E), E = f(θ) − f(x₀) + ln(e^(k − c₁s²/2) + e^(−c₂s)) ≥ 0.
//! An accepted θ has the law p*, whatever its number; after a number of proposals that is fixed in advance another
//! sampler draws, with fresh bits.
//!
//! Everything here may depend on the records: nothing can be printed, and which way was taken comes back as private.

use super::gaussian::{exponential, fill_normal};
use super::{Draw, Effort};
use crate::ball::{Ball, distance};
use crate::calibrate::exact::{ANCHOR_RADII, LARGEST_OFFSET, edge, largest_reach};
use crate::exact::{at_most, step_until};
use crate::noise::{RandomBits, bernoulli_exp_f64};
use crate::private::Private;
use crate::spectrum::verified_floor;
use nalgebra::DMatrix;

#[cfg(any(kani, test))]
#[path = "../../proofs/sampler/exact.rs"]
mod proofs;

/// The potential as it is seen from the anchor.
pub trait Divergence {
    /// D(v) = f(x₀ + v) − f(x₀) − ⟨∇f(x₀), v⟩ ≥ 0: one pass over the records.
    fn divergence(&mut self, moved: &[f64]) -> f64;
}

/// κ: the part of the curvature that is given away, so that verification succeeds in `f64`.
const SHORTFALL: f64 = f64::from_bits((1023 - 10) << 52);

/// How much wider than the last shape the next one may be; the reach of the weights allows for it.
const WIDENING: f64 = 1.1;

/// Weighted passes over the records in search of a shape that covers the next.
const SHAPES: u32 = 8;

/// Eigenvectors cost d³.
const LARGEST_EIGENPROBLEM: usize = 512;

/// A matrix M, rows first, and a reach ρ for which D(Mw) ≥ (1 − κ)‖w‖²/2 was **proved** for ‖w‖ ≤ ρ. spec: `own:exact`
pub struct Envelope {
    rows: Vec<f64>,
    dimension: usize,
    reach: f64,
    /// Not below the largest ‖Mw‖/‖w‖.
    stretch: f64,
}

impl Envelope {
    /// Searches a shape below the potential, from a first guess of its Hessian at the anchor.
    ///
    /// `weighted(map, reach)` is A = γ(ΛI + Σ wᵢxᵢxᵢᵀ), where wᵢ ≤ 2bᵢ(t)/t² for 0 < |t| ≤ reach·‖mapᵀxᵢ‖ and bᵢ is the
    /// divergence of record i at its prediction for the anchor. *Caller-verified*: that, and that the matrix returned is
    /// within `rounding` of the true one (2-norm). `None`: not found, or the arithmetic could not prove it.
    pub fn new(
        hessian: &DMatrix<f64>,
        reach: f64,
        rounding: f64,
        mut weighted: impl FnMut(&DMatrix<f64>, f64) -> DMatrix<f64>,
    ) -> Option<Self> {
        let d = hessian.nrows();
        let mut shape = inverse_root(hessian)?;
        for _ in 0..SHAPES {
            let wide = &shape * WIDENING.sqrt();
            let floor = weighted(&wide, reach);
            let map = inverse_root(&floor).filter(|map| map.shape() == shape.shape())?;
            if covers(&wide, &map) && is_below(&map, &floor, rounding) {
                let rows = map.row_iter().flat_map(|row| row.iter().copied().collect::<Vec<_>>()).collect();
                // The Frobenius norm, with room for its own rounding.
                let stretch = map.norm() * (1.0 + SHORTFALL);
                let is_planned = reach >= 1.0 && reach <= largest_reach(d as f64);
                return is_planned.then_some(Self { rows, dimension: d, reach, stretch });
            }
            shape = map;
        }
        None
    }

    /// Mw.
    fn image(&self, w: &[f64]) -> Vec<f64> {
        self.rows.chunks_exact(self.dimension).map(|row| dot(row, w)).collect()
    }

    /// A number not below ‖Mᵀ∇f(x₀)‖, from a gradient within `error` of ∇f(x₀).
    fn slope(&self, gradient: &[f64], error: f64) -> f64 {
        let column = |k: usize| self.rows.iter().skip(k).step_by(self.dimension).copied();
        let image = (0..self.dimension).map(|k| dot(&column(k).collect::<Vec<_>>(), gradient));
        let error = error + f64::EPSILON * norm(gradient);
        (norm(&image.collect::<Vec<_>>()) + self.stretch * error) * (1.0 + LEAST_SHARE)
    }
}

/// U·diag(λ)^(−1/2) for a positive definite matrix UᵀΛU: columns of any length, but perpendicular to each other to within
/// 2⁻¹⁰, which is proved. `None` where the matrix is none, or far out of range.
fn inverse_root(matrix: &DMatrix<f64>) -> Option<DMatrix<f64>> {
    let d = matrix.nrows();
    let is_usual = matrix.is_square() && (1..=LARGEST_EIGENPROBLEM).contains(&d);
    if !is_usual || !matrix.iter().all(|entry| entry.is_finite()) {
        return None;
    }
    let eigen = matrix.clone().symmetric_eigen();
    let mut root = eigen.eigenvectors;
    // The computed product is within d²·2⁻⁵² of the true one: together less than κ. NaN is not.
    let is_orthogonal = (root.tr_mul(&root) - DMatrix::identity(d, d)).norm() <= 0.5 * SHORTFALL;
    let in_range = |value: &f64| (1e-200..1e200).contains(value);
    if !is_orthogonal || !eigen.eigenvalues.iter().all(in_range) {
        return None;
    }
    for (mut column, value) in root.column_iter_mut().zip(eigen.eigenvalues.iter()) {
        column *= value.sqrt().recip();
    }
    Some(root)
}

/// Whether MMᵀ ≼ WWᵀ is proved: then ‖Mᵀx‖ ≤ ‖Wᵀx‖ for every x.
fn covers(wide: &DMatrix<f64>, map: &DMatrix<f64>) -> bool {
    let difference = wide * wide.transpose() - map * map.transpose();
    verified_floor(&difference, product_rounding(map.nrows()) * (wide.norm_squared() + map.norm_squared()))
}

/// Whether MᵀAM ≽ (1 − κ)I is proved, for every A within `rounding` of the given one.
fn is_below(map: &DMatrix<f64>, floor: &DMatrix<f64>, rounding: f64) -> bool {
    let gram = map.tr_mul(&(floor * map));
    let error = product_rounding(map.nrows()) * floor.norm() + 1.01 * rounding;
    verified_floor(&gram, 1.0 - SHORTFALL + error * map.norm_squared())
}

/// More than the relative rounding of a product of three d×d matrices, in the Frobenius norm: 2√2·d·u and higher orders.
fn product_rounding(d: usize) -> f64 {
    4.0 * d as f64 * f64::EPSILON
}

/// min(c₁s²/2 − k, c₂s) and its smooth neighbour. spec: `own:exact`
struct Minorant {
    /// c₁.
    curvature: f64,
    /// k.
    offset: f64,
    /// c₂.
    slope: f64,
}

impl Minorant {
    /// The minorant of a divergence that is at least c·s²/2 up to the reach ρ, where ‖Mᵀ∇f(x₀)‖ ≤ g.
    ///
    /// Two inequalities make it one, and both are decided exactly: g² ≤ 2k(c − c₁) and c₂ + g ≤ cρ/2.
    /// `None` where the gradient is too large for a draw to have a chance.
    fn new(floor: f64, reach: f64, gradient: f64, dimension: usize) -> Option<Self> {
        // k + (d/2)·share is smallest about here.
        let share = (gradient / (dimension as f64).sqrt()).clamp(LEAST_SHARE, 0.5);
        let curvature = floor * (1.0 - share);
        let is_parabola = |offset: f64| {
            let product = [2.0, offset, curvature];
            at_most(&[&[gradient, gradient], &product], &[&[2.0, offset, floor]])
        };
        let is_line = |slope: f64| at_most(&[&[2.0, slope], &[2.0, gradient]], &[&[floor, reach]]);
        // The differences lose some places: a few steps of 2⁻²⁰ are enough, and cost nothing.
        let offset = gradient * gradient / (2.0 * (floor - curvature));
        let offset = step_until(offset, |offset| offset * (1.0 + LEAST_SHARE), is_parabola, ROUNDINGS)?;
        let slope = 0.5 * floor * reach - gradient;
        let slope = step_until(slope, |slope| slope * (1.0 - LEAST_SHARE), is_line, ROUNDINGS)?;
        let has_a_chance = offset <= LARGEST_OFFSET && slope >= 0.25 * floor * reach;
        has_a_chance.then_some(Self { curvature, offset, slope })
    }

    /// −ln(e^(k − c₁s²/2) + e^(−c₂s)): below both, by at most ln 2.
    fn smooth(&self, s: f64) -> f64 {
        let (least, gap) = least_and_gap(0.5 * self.curvature * s * s - self.offset, self.slope * s);
        least - (-gap).exp().ln_1p()
    }

    /// ln(W₂/W₁), the masses of the line's and of the parabola's part: E|N(0,1)|^d·(√c₁/c₂)^d·e^(−k).
    fn ln_odds(&self, dimension: usize) -> f64 {
        let d = dimension as f64;
        ln_absolute_moment(dimension) + d * (0.5 * self.curvature.ln() - self.slope.ln()) - self.offset
    }
}

/// The least part of the curvature that is traded for the gradient: about what is lost to the other margins.
const LEAST_SHARE: f64 = f64::from_bits((1023 - 20) << 52);

/// A computed value is within a few roundings of its bound.
const ROUNDINGS: u32 = 16;

/// ln E|N(0,1)|^d = ln((d − 1)!!), and ½ln(2/π) for odd d.
fn ln_absolute_moment(dimension: usize) -> f64 {
    let factors = (1..dimension).rev().step_by(2).map(|j| (j as f64).ln());
    let odd = if dimension % 2 == 1 { 0.5 * core::f64::consts::FRAC_2_PI.ln() } else { 0.0 };
    factors.sum::<f64>() + odd
}

/// The smaller of two numbers, and how far the other is above. NaN in, NaN out.
fn least_and_gap(a: f64, b: f64) -> (f64, f64) {
    if a <= b { (a, b - a) } else { (b, a - b) }
}

/// The energy that counts: a negative one is rounding; one that is no finite number is never accepted.
fn counted(energy: f64) -> Option<f64> {
    if energy.is_finite() { Some(energy.max(0.0)) } else { None }
}

/// How many proposals a draw may make before it leaves the field to another sampler.
#[derive(Clone, Copy)]
pub struct Caps {
    /// N: proposals inside of the ball, each of which costs a pass.
    pub evaluated: u32,
    /// N′: proposals at all.
    pub drawn: u32,
}

impl Default for Caps {
    /// Far below the passes of the proximal sampler; far beyond what an acceptance of one in twenty needs.
    fn default() -> Self {
        Self { evaluated: 256, drawn: 1 << 16 }
    }
}

/// What became of a proposal.
enum Trial<T> {
    /// Not in the ball: no pass.
    Outside,
    /// Evaluated and refused.
    Rejected,
    /// Evaluated and taken.
    Accepted(T),
}

/// The first accepted trial within the caps, and how many were drawn and evaluated.
fn within_caps<T>(caps: Caps, mut attempt: impl FnMut() -> Trial<T>) -> (Option<T>, Caps) {
    let mut made = Caps { evaluated: 0, drawn: 0 };
    while made.evaluated < caps.evaluated && made.drawn < caps.drawn {
        made.drawn += 1;
        match attempt() {
            Trial::Outside => {}
            Trial::Rejected => made.evaluated += 1,
            Trial::Accepted(point) => {
                made.evaluated += 1;
                return (Some(point), made);
            }
        }
    }
    (None, made)
}

/// The exact draw, ready for one data set and one ball. spec: `own:exact`
pub struct ExactDraw<'a> {
    anchor: &'a [f64],
    gradient: &'a [f64],
    envelope: &'a Envelope,
    minorant: Minorant,
    /// ln(W₂/W₁).
    ln_odds: f64,
    /// The ball, smaller by more than the rounding of a point.
    inner: Ball,
}

impl<'a> ExactDraw<'a> {
    /// Prepares a draw around an anchor whose computed gradient is within `gradient_error` (2-norm) of ∇f there.
    ///
    /// `None`, and the other sampler should draw, where the anchor is too far from the ball, or the gradient too large.
    pub fn new(
        anchor: &'a [f64],
        gradient: &'a [f64],
        gradient_error: f64,
        envelope: &'a Envelope,
        domain: &Ball,
    ) -> Option<Self> {
        let d = envelope.dimension;
        if [anchor.len(), gradient.len(), domain.dimension()] != [d; 3] {
            return None;
        }
        let (radius, origin) = (domain.radius(), vec![0.0; d]);
        let edge = edge(d as f64, radius, distance(domain.centre(), &origin))?;
        // NaN is not near.
        let is_near = distance(anchor, domain.centre()) <= ANCHOR_RADII * radius;
        let minorant =
            Minorant::new(1.0 - SHORTFALL, envelope.reach, envelope.slope(gradient, gradient_error), d)
                .filter(|_| is_near)?;
        let ln_odds = Some(minorant.ln_odds(d)).filter(|odds| odds.is_finite())?;
        let inner = Ball::new(domain.centre().to_vec(), radius - edge.margin).ok()?;
        Some(Self { anchor, gradient, envelope, minorant, ln_odds, inner })
    }

    /// A draw from p*, or what the fallback draws with the bits that come next.
    ///
    /// Every accepted proposal has the law p*, so the whole has a law as close to p* as the fallback's.
    pub fn draw_or<D: Divergence, R: RandomBits>(
        &self,
        potential: &mut D,
        caps: Caps,
        rng: &mut R,
        fallback: impl FnOnce(&mut D, &mut R) -> Draw,
    ) -> Draw {
        let (theta, made) = within_caps(caps, || self.attempt(potential, rng));
        let (passes, proposals) = (u64::from(made.evaluated), u64::from(made.drawn));
        if let Some(theta) = theta {
            let effort = Effort { passes, proposals, ..Effort::default() };
            return Draw { theta: Private::new(theta), effort: Private::new(effort) };
        }
        let Draw { theta, effort } = fallback(potential, rng);
        let add = |effort: Effort| Effort {
            passes: effort.passes + passes,
            proposals: effort.proposals + proposals,
            ..effort
        };
        Draw { theta, effort: effort.map(add) }
    }

    /// One proposal.
    fn attempt<D: Divergence, R: RandomBits>(&self, potential: &mut D, rng: &mut R) -> Trial<Vec<f64>> {
        let w = self.propose(rng);
        let moved = self.envelope.image(&w);
        let theta: Vec<f64> = self.anchor.iter().zip(&moved).map(|(x, v)| x + v).collect();
        if !self.inner.contains(&theta) {
            return Trial::Outside;
        }
        let rise = potential.divergence(&moved) + dot(self.gradient, &moved);
        let accepted = counted(rise - self.minorant.smooth(norm(&w)))
            .is_some_and(|energy| bernoulli_exp_f64(energy, rng) == Some(true));
        if accepted { Trial::Accepted(theta) } else { Trial::Rejected }
    }

    /// w with density ∝ e^(k − c₁s²/2) + e^(−c₂s).
    fn propose<R: RandomBits>(&self, rng: &mut R) -> Vec<f64> {
        let is_far = has_odds(self.ln_odds, rng);
        let mut w = vec![0.0; self.anchor.len()];
        fill_normal(&mut w, rng);
        let factor = if is_far {
            // The norm is a gamma variable: a sum of d exponential ones.
            let times: Vec<f64> = w.iter().map(|_| exponential(rng)).collect();
            dot(&times, &vec![1.0; times.len()]) / self.minorant.slope / norm(&w)
        } else {
            self.minorant.curvature.sqrt().recip()
        };
        w.iter_mut().for_each(|w| *w *= factor);
        w
    }
}

/// True with the odds e^x : 1, exactly, for a finite x.
fn has_odds<R: RandomBits>(x: f64, rng: &mut R) -> bool {
    loop {
        let answer = rng.next_u64() & 1 == 1;
        // A fair coin, and the less likely answer is believed with probability e^(−|x|).
        let energy = if answer { -x } else { x };
        if bernoulli_exp_f64(energy.max(0.0), rng) == Some(true) {
            return answer;
        }
    }
}

/// ⟨x, y⟩ with the error of one rounding: products and sums carry their own rounding errors along (Ogita, Rump, Oishi 2005).
fn dot(x: &[f64], y: &[f64]) -> f64 {
    let (mut sum, mut rest) = (0.0, 0.0);
    for (&a, &b) in x.iter().zip(y) {
        let product = a * b;
        let total = sum + product;
        let part = total - sum;
        rest += ((sum - (total - part)) + (product - part)) + a.mul_add(b, -product);
        sum = total;
    }
    sum + rest
}

/// ‖x‖, within two roundings; also where the squares underflow.
fn norm(x: &[f64]) -> f64 {
    let square = dot(x, x);
    if square >= SMALL * SMALL {
        return square.sqrt();
    }
    let scaled: Vec<f64> = x.iter().map(|x| x / SMALL).collect();
    dot(&scaled, &scaled).sqrt() * SMALL
}

/// 2⁻⁴⁵⁰.
const SMALL: f64 = f64::from_bits((1023 - 450) << 52);
