//! What a pass over the rows computes. A question is data and not code, so it can be asked of rows on another machine.
//! spec: `own:objective`, `own:shards`

use super::kernels::{add_weighted_rows, inner_product, project, project_pair, projection_depth};
use super::partition::BLOCK_ROWS;
use crate::ball::norm;
use crate::loss::Loss;

/// A sum of one number, or of one for each column.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Query<'q> {
    /// Σφ at a point.
    Value(&'q [f64]),
    /// Σφ and its gradient at a point.
    ValueAndGradient(&'q [f64]),
    /// Σ(φ(x₀ + v) − φ(x₀) − φ′(x₀)v) for a point x₀ and a difference v.
    Divergence(&'q [f64], &'q [f64]),
}

impl Query<'_> {
    /// Adds the terms of some rows to `sums[0]` and their gradients to the other sums.
    #[inline(always)]
    pub(super) fn add<L: Loss>(self, loss: &L, x: &[f64], y: &[f64], sums: &mut [f64]) {
        let [value, gradient @ ..] = sums else { return };
        let mut buffer = [0.0; BLOCK_ROWS];
        let z = &mut buffer[..y.len()];
        match self {
            Query::Value(theta) | Query::ValueAndGradient(theta) => {
                project(x, theta, z);
                *value += loss.values_and_slopes(z, y);
                if matches!(self, Query::ValueAndGradient(_)) {
                    add_weighted_rows(x, theta.len(), z, gradient);
                }
            }
            Query::Divergence(anchor, moved) => *value += divergence(loss, [anchor, moved], x, y, z),
        }
    }
}

/// Σ(φ(x₀ + v) − φ(x₀) − φ′(x₀)v) of some rows, for a point x₀ and a difference v.
#[inline(always)]
fn divergence<L: Loss>(loss: &L, points: [&[f64]; 2], x: &[f64], y: &[f64], z: &mut [f64]) -> f64 {
    let mut buffer = [0.0; BLOCK_ROWS];
    let t = &mut buffer[..y.len()];
    project_pair(x, points, z, t);
    loss.divergences(z, t, y)
}

/// The weights of a sum of outer products.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Weights<'q> {
    /// 1: the Gram matrix.
    One,
    /// φ″ at a point.
    Curvature(&'q [f64]),
    /// The smallest φ″ on a ball.
    Floor {
        /// The centre of the ball.
        centre: &'q [f64],
        /// Its radius.
        radius: f64,
    },
    /// The smallest average curvature of φ from a point on, over steps up to `reach·‖mapᵀx_i‖`.
    Chord {
        /// Where the steps begin.
        anchor: &'q [f64],
        /// M: the map whose columns measure a row, column by column.
        map: &'q [f64],
        /// The Frobenius norm of M.
        stretch: f64,
        /// How far the steps go, in units of the map.
        reach: f64,
    },
}

impl Weights<'_> {
    /// The weights of a block of rows with d columns. They are 1 before.
    pub(super) fn weigh<L: Loss>(self, loss: &L, d: usize, x: &[f64], y: &[f64], weights: &mut [f64]) {
        // A prediction is off by at most this part of ‖x‖‖θ‖ (own:objective, step 1), the norms by
        // far less than the slack.
        let off = |row: f64, point: f64| projection_depth(d) as f64 * f64::EPSILON * row * point;
        match self {
            Weights::One => {}
            Weights::Curvature(theta) => {
                project(x, theta, weights);
                for (weight, &y) in weights.iter_mut().zip(y) {
                    *weight = loss.curvature(*weight, y);
                }
            }
            Weights::Floor { centre, radius } => {
                project(x, centre, weights);
                let far = norm(centre);
                for ((weight, &y), row) in weights.iter_mut().zip(y).zip(x.chunks_exact(d)) {
                    let length = norm(row);
                    let reach = (radius * length + off(length, far)) * (1.0 + 1e-9);
                    *weight = loss.curvature_floor(*weight, reach, y);
                }
            }
            Weights::Chord { anchor, map, stretch, reach } => {
                project(x, anchor, weights);
                let far = norm(anchor);
                for ((weight, &y), row) in weights.iter_mut().zip(y).zip(x.chunks_exact(d)) {
                    // The true chord begins up to `slip` beside the computed one.
                    let length = norm(row);
                    let slip = off(length, far);
                    let step = reach * (mapped(map, row) + off(length, stretch)) * (1.0 + 1e-9);
                    *weight = loss.chord_floor(*weight, slip, step, y);
                }
            }
        }
    }
}

/// ‖mapᵀx‖. A matrix is stored column by column.
fn mapped(map: &[f64], x: &[f64]) -> f64 {
    let columns = map.chunks_exact(x.len());
    columns.map(|column| inner_product(column, x)).map(|component| component * component).sum::<f64>().sqrt()
}
