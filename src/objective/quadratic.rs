//! Sufficient statistics of least squares: `Σ_i ½(⟨x_i, θ⟩ − y_i)² = ½θᵀ(XᵀX)θ − ⟨Xᵀy, θ⟩ + ½‖y‖²`.
//! spec: `own:objective`

use super::kernels::{inner_product, project};
use super::{Objective, Query, Sums};
use crate::loss::Loss;
use nalgebra::DMatrix;

/// The matrix of a larger dimension is too large to be worth it.
const MOST_COLUMNS: usize = 1024;

/// `c + ⟨b, θ⟩ + ½θᵀAθ`.
pub(super) struct Quadratic {
    constant: f64,
    linear: Vec<f64>,
    matrix: DMatrix<f64>,
}

impl Quadratic {
    /// The statistics, if the loss has them and they are smaller than the records.
    ///
    /// c and b are the losses and their gradient at θ = 0, so the pass over the records gives them.
    ///
    /// A source that cannot be read gives none; the first evaluation then says so.
    pub(super) fn new<S: Sums>(objective: &Objective<'_, S>) -> Option<Self> {
        let d = objective.dimension();
        let few = objective.rows() < d as u64;
        if !objective.problem().loss().is_half_square() || d > MOST_COLUMNS || few {
            return None;
        }
        let mut workspace = objective.workspace();
        objective.pass(&objective.partition, Query::ValueAndGradient(&vec![0.0; d]), &mut workspace).ok()?;
        let matrix = objective.gram().ok()?;
        Some(Self { constant: workspace.result[0], linear: workspace.gradient().to_vec(), matrix })
    }

    /// `XᵀX`.
    pub(super) fn matrix(&self) -> &DMatrix<f64> {
        &self.matrix
    }

    /// The value, then the gradient, into `result`.
    pub(super) fn answer(&self, query: Query<'_>, result: &mut [f64]) {
        let [value, gradient @ ..] = result else { return };
        let sum = match query {
            Query::Value(theta) | Query::ValueAndGradient(theta) => {
                project(self.matrix.as_slice(), theta, gradient);
                let half = 0.5 * inner_product(gradient, theta) + inner_product(&self.linear, theta);
                for (gradient, linear) in gradient.iter_mut().zip(&self.linear) {
                    *gradient += linear;
                }
                half + self.constant
            }
            Query::Divergence(_, moved) => {
                project(self.matrix.as_slice(), moved, gradient);
                0.5 * inner_product(gradient, moved)
            }
        };
        // The true sum of squares is not negative. Not `max`: a NaN must stay a NaN.
        *value = if sum < 0.0 { 0.0 } else { sum };
    }
}
#[cfg(test)]
#[allow(clippy::float_cmp, reason = "exact results are the point")]
mod tests {
    use super::*;

    fn at(constant: f64, matrix: f64, theta: f64) -> [f64; 2] {
        let quadratic =
            Quadratic { constant, linear: vec![-2.0], matrix: DMatrix::from_element(1, 1, matrix) };
        let mut result = [f64::NAN; 2];
        quadratic.answer(Query::ValueAndGradient(&[theta]), &mut result);
        result
    }

    #[test]
    fn a_sum_of_squares_is_not_negative_but_may_be_unknown() {
        // 2 − 2θ + ½θ² = ½(θ − 2)²
        assert_eq!(at(2.0, 1.0, 3.0), [0.5, 1.0]);
        assert_eq!(at(2.0, 1.0, 2.0), [0.0, 0.0]);
        assert_eq!(at(2.0_f64.next_down(), 1.0, 2.0), [0.0, 0.0]);
        assert!(at(2.0, f64::NAN, 2.0)[0].is_nan());
    }
}
