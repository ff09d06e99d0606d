//! How far a computed value, gradient or divergence may be from the true one. spec: `own:objective`

use super::kernels::{losses_depth, projection_depth, weighted_rows_depth};
use super::partition::{BLOCK_ROWS, MOST_CHUNKS};
use crate::bounds::Bounds;
use crate::loss::{Loss, Rounding};
use crate::problem::Problem;

/// u: the largest relative error of one rounding.
const UNIT: f64 = f64::EPSILON / 2.0;

/// Covers terms of second order, the rounding of the bound itself, and `γ_k = ku/(1 − ku)` in place of ku.
const MARGIN: f64 = 1.01;

/// What a bound is about: sums over any `rows` admissible records.
#[derive(Clone, Copy)]
pub struct SumOf<'a, L> {
    /// n: the number of records.
    pub rows: u64,
    /// d: the number of parameters.
    pub dimension: usize,
    /// The loss of one record.
    pub loss: &'a L,
    /// The public bounds of the records.
    pub bounds: &'a Bounds,
    /// Λ: the total regulariser.
    pub regulariser: f64,
}

impl<'a, L: Loss> SumOf<'a, L> {
    /// Sums over so many records of a problem.
    pub fn new(problem: &'a Problem<L>, rows: u64) -> Self {
        let (dimension, loss, bounds) = (problem.dimension(), problem.loss(), problem.bounds());
        Self { rows, dimension, loss, bounds, regulariser: problem.regulariser() }
    }
}

/// An upper bound of `‖ĝ − ∇J(θ)‖₂` for the gradient ĝ that [`Objective`](super::Objective) computes, for every
/// data set of `n` admissible records and every θ of norm at most `theta_norm`. It is made of public numbers
/// and of n only. Infinite where an intermediate result might overflow.
///
/// With R the norm of a row, T that of θ, S and ρ the loss's bounds on the slope and on its rounding, C its
/// curvature bound, b the rows in a block, M the number of blocks and u = 2⁻⁵³:
///
/// ```text
/// ‖ĝ − ∇J(θ)‖ ≤ 1.01·( nR·[ k·u·(S + ρ) + ρ + p·u·C·R·T + ((M + 128)·u)²·(S + ρ) ] + 2u·Λ·T ) + underflow
/// k = b/8 + 7,   p = d/4 + 6
/// ```
///
/// # Proof
///
/// A number that goes through k roundings is multiplied by a factor within `1 ± γ_k`, `γ_k = ku/(1 − ku)`.
///
/// 1. *Predictions.* Each product `x_ij θ_j` goes through at most p roundings, so that
///    `|ẑ_i − z_i| ≤ γ_p Σ_j |x_ij θ_j| ≤ γ_p·R·T` (Cauchy–Schwarz).
/// 2. *Slopes.* The computed slope is within ρ of `φ′(ẑ_i)`, and φ′ is C-Lipschitz:
///    `|ŝ_i − φ′(z_i)| ≤ ρ + γ_p·C·R·T`. This moves the gradient by at most `Σ_i |ŝ_i − φ′(z_i)|·‖x_i‖`, which
///    gives the second and third term. Moreover `|ŝ_i| ≤ S + ρ`.
/// 3. *Blocks.* Each product `ŝ_i x_ij` goes through at most `b/8 + 4` roundings within its block.
/// 4. *Sums of blocks.* Two-sum is exact: the running sum plus everything it lost is the sum of the blocks. Only
///    the carry is rounded. It adds up at most M + 64 lost parts, each at most u times a running sum, in at most
///    M + 128 additions on any path (64 chunks bring a carry and a lost part each). With `Q_j` the sum of the
///    absolute values of coordinate j of the blocks, it is wrong by at most `γ_(M+128)·(M + 64)·u·Q_j`.
/// 5. *Rounding the sum* plus its carry, and adding `Λθ_j`: two more roundings of the sum, two of `Λθ_j`.
/// 6. *Norm.* By 3 to 5 coordinate j is off by a factor times `Σ_i |ŝ_i||x_ij|`; the vector of these sums has norm
///    at most `Σ_i |ŝ_i|·‖x_i‖ ≤ nR(S + ρ)` (triangle inequality). ∎
///
/// *Sufficient statistics* obey the same bound. By 3 to 5 the entries of `XᵀX` are off by at most
/// `γ_(b/8+5) Σ_i |x_ij||x_ik|`, which moves `XᵀXθ` by at most `γ_(b/8+5)·nR·RT`; the product with θ adds
/// `γ_p·nR·RT`; `Xᵀy` is off by at most `γ_(b/8+5)·nRY`; the sum of the two and the regulariser takes two more
/// roundings, b/8 + 7 = k in all. For half the square `S ≥ RT + Y` and `C = 1`.
///
/// *Underflow.* A product that underflows is off by at most 2⁻¹⁰⁷⁵. There are at most `d(n + 1)` such products in
/// the gradient, d in each prediction, and for the statistics `n` in each of the d² entries and d² with θ; 2⁻¹⁰²²
/// for each of them covers all factors. Additions do not underflow.
pub fn gradient_rounding_bound<L: Loss>(of: &SumOf<'_, L>, theta_norm: f64) -> f64 {
    let &SumOf { rows, dimension, loss, bounds, regulariser } = of;
    let (rows, row_norm) = (rows as f64, bounds.row_norm());
    // The computed prediction may be longer than the true one, by far less than this factor.
    let reach = row_norm * theta_norm * Bounds::SLACK + f64::MIN_POSITIVE;
    let rounding = loss.slope_rounding(reach, bounds);
    let slope = loss.slope_bound(reach, bounds) + rounding;
    let bend = loss.curvature_bound() * reach;

    let largest = rows * row_norm * (slope + bend + row_norm) + regulariser * theta_norm + reach;
    if !(4.0 * largest).is_finite() {
        return f64::INFINITY;
    }
    let sums = (weighted_rows_depth(BLOCK_ROWS) + 3) as f64 * UNIT;
    let predictions = projection_depth(dimension) as f64 * UNIT;
    let per_row = (sums + carries(rows)) * slope + rounding + predictions * bend;
    let regular = 2.0 * UNIT * regulariser * theta_norm;
    let factors = 1.0 + loss.curvature_bound() * row_norm + theta_norm;
    let products = (rows + 1.0) * dimension as f64 * factors;
    MARGIN * (rows * row_norm * per_row + regular) + products * f64::MIN_POSITIVE
}

/// What the carries of compensated sums over so many rows lose, relative to the sum of the absolute values: step 4
/// of the proof for the gradient.
fn carries(rows: f64) -> f64 {
    let carries = UNIT * (rows / BLOCK_ROWS as f64 + 1.0 + 2.0 * MOST_CHUNKS as f64);
    carries * carries
}

/// An upper bound of `|Ĵ − J(θ)|` for the value Ĵ that [`Objective`](super::Objective) computes, for every data set of
/// `n` admissible records and every θ of norm at most `theta_norm`. Infinite where an intermediate result might
/// overflow.
///
/// With the letters of [`gradient_rounding_bound`], v the loss's claim on its values and `F = φ(0) + S·R·T + v`:
///
/// ```text
/// |Ĵ − J(θ)| ≤ 1.01·( n·[ v + p·u·S·R·T + (k·u + ((M + 128)·u)²)·F ] + (p + 2)·u·Λ·T²/2 ) + underflow
/// k = b/4 + 6,   p = d/4 + 6
/// ```
///
/// # Proof
///
/// 1. The prediction is off by at most `γ_p·R·T` (step 1 there), φ is S-Lipschitz, and the computed value is within v
///    of `φ(ẑ_i)`. Moreover `0 ≤ φ(ẑ_i) ≤ φ(0) + S·R·T`, so that no computed value exceeds F.
/// 2. A value goes through at most `b/4 + 4` additions in its block, the rounding of the sum plus its carry, and the
///    addition of the regulariser. The carry is wrong by the second-order term (step 4 there).
/// 3. `‖θ‖²` takes p roundings, its product with Λ/2 and the sum one each. ∎
///
/// *Sufficient statistics* obey the same bound. With Y the bound on the targets, `½θᵀ(XᵀX)θ` is off by at most
/// `½(b/8 + 5 + 2p)·u·nR²T²`, `⟨Xᵀy, θ⟩` by `(b/8 + 5 + p)·u·nRYT`, `½‖y‖²` by `½(b/4 + 6)·u·nY²`, and the three
/// sums after them take three roundings. Here `S ≥ RT + Y` and `φ(0) ≥ Y²/2`, so that each of them is below its
/// share of `n(k·F + p·SRT)u`.
pub fn value_rounding_bound<L: Loss>(of: &SumOf<'_, L>, theta_norm: f64) -> f64 {
    let (loss, bounds) = (of.loss, of.bounds);
    let (rows, row_norm) = (of.rows as f64, bounds.row_norm());
    let reach = row_norm * theta_norm * Bounds::SLACK + f64::MIN_POSITIVE;
    let rounding = loss.value_rounding(reach, bounds);
    let climb = loss.slope_bound(reach, bounds) * reach;
    let value = loss.value_at_zero(bounds) + climb + rounding;
    let regular = 0.5 * of.regulariser * theta_norm * theta_norm;

    let factors = (1.0 + row_norm) * (1.0 + theta_norm) * (1.0 + loss.slope_bound(reach, bounds));
    let largest = (rows + 1.0) * (value + factors * factors) + regular + reach;
    if !(4.0 * largest).is_finite() {
        return f64::INFINITY;
    }
    let sums = (losses_depth(BLOCK_ROWS) + 2) as f64 * UNIT;
    let products = projection_depth(of.dimension) as f64 * UNIT;
    let per_row = rounding + products * climb + (sums + carries(rows)) * value;
    let underflow = (rows + 1.0) * of.dimension as f64 * factors * factors * f64::MIN_POSITIVE;
    MARGIN * (rows * per_row + (products + 2.0 * UNIT) * regular) + underflow
}

/// Bounds the rounding error of [`Objective::evaluate_divergence`](super::Objective::evaluate_divergence) for every
/// data set of `n` admissible records, every anchor of norm at most `anchor_norm` and every v of norm at most `reach`:
/// it is at most `absolute + linear·‖v‖ + quadratic·‖v‖²`. Infinite where an intermediate result might overflow.
///
/// With the letters of [`gradient_rounding_bound`], X the norm of the anchor, V that of v, and `a + l|t| + q·t²` the
/// loss's claim on a computed divergence:
///
/// ```text
/// |D̂ − D(v)| ≤ 1.01·n·( a + [ l·R + p·u·C·R²·X ]·V + [ q·R² + p·u·C·R² + (k·u + ((M + 128)·u)²)·C·R²/2 ]·V² ) + underflow
/// k = b/4 + 6,   p = d/4 + 6
/// ```
///
/// where `C·R²·V²` may be replaced by `2S·R·V` in the second bracket, once, and by `4S·R·V` in its last term; that
/// is done where `C·R·reach > 4S`.
///
/// # Proof
///
/// Let `z_i = ⟨x_i, x_0⟩` and `t_i = ⟨x_i, v⟩`. As φ′ is monotone and C-Lipschitz with |φ′| ≤ S,
/// `b(z, t) = ∫₀ᵗ (φ′(z + s) − φ′(z)) ds` is between 0 and `min(C·t²/2, 2S·|t|)`.
///
/// 1. *Moves.* `|t̂_i − t_i| ≤ γ_p·R·V`. As a function of t, b has the slope `φ′(z + t) − φ′(z)`, at most
///    `min(C·|t|, 2S)`, and `|t| ≤ (1 + γ_p)·R·V` on the way: b changes by at most `γ_p·R·V·min(C·R·V, 2S)·(1 + γ_p)`.
/// 2. *Predictions.* `|ẑ_i − z_i| ≤ δ = γ_p·R·X`. The difference `b(ẑ, t) − b(z, t)` is
///    `∫₀ᵗ (φ′(ẑ + s) − φ′(z + s)) ds − (φ′(ẑ) − φ′(z))·t`: two numbers of the same sign, each at most `C·δ·|t|`,
///    hence it is at most that.
/// 3. *The loss* is off by at most `a + l·|t̂| + q·t̂²`.
/// 4. *Sums.* No computed divergence is negative. Each goes through at most `b/4 + 4` additions in its block and the
///    rounding of the sum plus its carry, and the carry is wrong by the second-order term (step 4 for the gradient);
///    together at most `(γ_k + …)·Σ_i b̂_i`, and `Σ_i b_i ≤ n·min(C·R²V²/2, 2S·R·V)`.
///
/// 5. *The regulariser* `(Λ/2)V²` goes through p roundings of its inner product and two more; the sum of both through
///    one, and the losses are at most `nCR²V²/2`. ∎
///
/// *Sufficient statistics*, where `D = ½vᵀ(XᵀX)v` is computed as half of `⟨(XᵀX)v, v⟩`, obey the same bound. The
/// entries of `XᵀX` go through at most `b/8 + 5` roundings (there), the product with v and the inner product
/// through p each, and `½·Σ_jk |v_j||v_k|·Σ_i |x_ij||x_ik| ≤ ½nR²V²`: `½(b/8 + 5 + 2p)·u·nR²V²` is below the
/// terms with k and p, as C = 1.
///
/// *Underflow.* As for the gradient; a product that underflows moves t or z by at most `d·2⁻¹⁰⁷⁵`.
pub fn divergence_rounding_bound<L: Loss>(of: &SumOf<'_, L>, anchor_norm: f64, reach: f64) -> Rounding {
    let &SumOf { rows, dimension, loss, bounds, regulariser } = of;
    let (rows, row_norm, curvature) = (rows as f64, bounds.row_norm(), loss.curvature_bound());
    let farthest = row_norm * (anchor_norm + reach) * Bounds::SLACK + f64::MIN_POSITIVE;
    let claim = loss.divergence_rounding(farthest, bounds);
    let slope = loss.slope_bound(farthest, bounds);

    let factors = (1.0 + row_norm) * (1.0 + anchor_norm + reach) * (1.0 + curvature);
    let terms =
        claim.absolute + (claim.linear + 2.0 * slope + (claim.quadratic + curvature) * farthest) * farthest;
    if !(4.0 * (rows + 1.0) * (terms + factors * factors)).is_finite() {
        let unknown = f64::INFINITY;
        return Rounding { absolute: unknown, linear: unknown, quadratic: unknown };
    }
    let products = projection_depth(dimension) as f64 * UNIT;
    let sums = (losses_depth(BLOCK_ROWS) + 2) as f64 * UNIT + carries(rows);
    let (mut linear, mut quadratic) =
        (claim.linear + products * curvature * row_norm * anchor_norm, claim.quadratic);
    if curvature * row_norm * reach <= 4.0 * slope {
        quadratic += (products + 0.5 * sums) * curvature;
    } else {
        linear += 2.0 * (products + sums) * slope;
    }
    let scale = MARGIN * rows;
    let underflow = (rows + 1.0) * dimension as f64 * factors * factors * f64::MIN_POSITIVE;
    let regular = MARGIN * (0.5 * products + 2.0 * UNIT) * regulariser;
    Rounding {
        absolute: scale * claim.absolute + underflow,
        linear: scale * row_norm * linear,
        quadratic: scale * row_norm * row_norm * quadratic + regular,
    }
}
