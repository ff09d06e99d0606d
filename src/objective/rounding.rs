//! How far a computed gradient may be from the true one. spec: `own:objective`

use super::kernels::{predict_depth, weighted_rows_depth};
use super::partition::{BLOCK_ROWS, MOST_CHUNKS};
use crate::bounds::Bounds;
use crate::loss::Loss;

/// u: the largest relative error of one rounding.
const UNIT: f64 = f64::EPSILON / 2.0;

/// Covers terms of second order, the rounding of the bound itself, and `γ_k = ku/(1 − ku)` in place of ku.
const MARGIN: f64 = 1.01;

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
pub fn gradient_rounding_bound<L: Loss>(
    n: u64,
    dimension: usize,
    theta_norm: f64,
    loss: &L,
    bounds: &Bounds,
    regulariser: f64,
) -> f64 {
    let (rows, row_norm) = (n as f64, bounds.row_norm());
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
    let carries = UNIT * (rows / BLOCK_ROWS as f64 + 1.0 + 2.0 * MOST_CHUNKS as f64);
    let predictions = predict_depth(dimension) as f64 * UNIT;
    let per_row = (sums + carries * carries) * slope + rounding + predictions * bend;
    let regular = 2.0 * UNIT * regulariser * theta_norm;
    let factors = 1.0 + loss.curvature_bound() * row_norm + theta_norm;
    let products = (rows + 1.0) * dimension as f64 * factors;
    MARGIN * (rows * row_norm * per_row + regular) + products * f64::MIN_POSITIVE
}
