//! The objective `J(θ) = Σ_i φ(⟨x_i, θ⟩; y_i) + (Λ/2)‖θ‖²`: its value, gradient and Hessian.
//! spec: `own:objective`
//!
//! Everything that the library does with the records is done here, and an evaluation is its whole cost:
//!
//! * **one pass**: predictions, losses and gradient of a block of rows follow each other while the block is in
//!   cache, so that a record comes from memory once;
//! * **the same bits always**: which rows are summed together depends on the shape of the data alone, and the
//!   parts are joined in order, so that the number of threads does not change a single bit;
//! * **a bound on the rounding error**, [`gradient_rounding_bound`]: sums over blocks are compensated, hence
//!   the error per record does not grow with the number of records;
//! * **no allocation**: the buffers are in a [`Workspace`];
//! * for least squares and moderate dimension the records are replaced by their **sufficient statistics**, and
//!   an evaluation does not depend on the number of records at all.

mod curvature;
mod divergence;
mod kernels;
mod partition;
mod quadratic;
mod rounding;
mod sums;
mod workspace;

pub use rounding::{divergence_rounding_bound, gradient_rounding_bound, value_rounding_bound};
pub use workspace::Workspace;

use crate::data::Records;
use crate::error::InvalidInput;
use crate::loss::Loss;
use crate::private::Private;
use core::ops::Range;
use kernels::{add_weighted_rows, inner_product, predict};
use nalgebra::DMatrix;
use partition::{BLOCK_ROWS, Partition};
use quadratic::Quadratic;
use rayon::prelude::*;
use workspace::Partial;

/// J for given records and regulariser Λ.
///
/// Λ is public and fixed in advance, so that the objectives of neighbouring data sets differ by the loss of one
/// record exactly.
pub struct Objective<'a, L: Loss> {
    records: &'a Records<L>,
    regulariser: f64,
    partition: Partition,
    quadratic: Option<Quadratic>,
}

/// What an evaluation is asked for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Want {
    Value,
    ValueAndGradient,
}

impl<'a, L: Loss> Objective<'a, L> {
    /// The objective. For least squares this is where the sufficient statistics are computed.
    pub fn new(records: &'a Records<L>, regulariser: f64) -> Result<Self, InvalidInput> {
        let mut objective = Self::over_records(records, regulariser)?;
        objective.quadratic = Quadratic::new(&objective);
        Ok(objective)
    }

    /// The objective without sufficient statistics.
    fn over_records(records: &'a Records<L>, regulariser: f64) -> Result<Self, InvalidInput> {
        let regulariser = InvalidInput::positive("regulariser", regulariser)?;
        let partition = Partition::for_vectors(records.len(), records.dimension());
        Ok(Self { records, regulariser, partition, quadratic: None })
    }

    /// d: the number of parameters.
    pub fn dimension(&self) -> usize {
        self.records.dimension()
    }

    /// n, private under add/remove neighbours.
    pub(crate) fn rows(&self) -> u64 {
        self.records.len() as u64
    }

    /// Λ.
    pub fn regulariser(&self) -> f64 {
        self.regulariser
    }

    /// Buffers for evaluations of this objective.
    pub fn workspace(&self) -> Workspace {
        Workspace::new(self.partition.chunks(), self.dimension())
    }

    /// J(θ), with ∇J(θ) left in the workspace.
    pub fn evaluate(&self, theta: &[f64], workspace: &mut Workspace) -> Result<Private<f64>, InvalidInput> {
        self.check(theta)?;
        Ok(Private::new(self.value_and_gradient(theta, workspace)))
    }

    /// J(θ) alone; the gradient in the workspace is then that of no point.
    pub fn evaluate_value(
        &self,
        theta: &[f64],
        workspace: &mut Workspace,
    ) -> Result<Private<f64>, InvalidInput> {
        self.check(theta)?;
        Ok(Private::new(self.value(theta, workspace)))
    }

    /// ∇²J(θ).
    pub fn evaluate_hessian(&self, theta: &[f64]) -> Result<Private<DMatrix<f64>>, InvalidInput> {
        self.check(theta)?;
        let mut hessian = DMatrix::zeros(self.dimension(), self.dimension());
        self.hessian(theta, &mut hessian);
        Ok(Private::new(hessian))
    }

    fn check(&self, theta: &[f64]) -> Result<(), InvalidInput> {
        if theta.len() == self.dimension() {
            Ok(())
        } else {
            Err(InvalidInput { field: "theta", allowed: "one number for each parameter" })
        }
    }

    /// J(θ), with ∇J(θ) left in the workspace.
    pub(crate) fn value_and_gradient(&self, theta: &[f64], workspace: &mut Workspace) -> f64 {
        self.losses(theta, workspace, Want::ValueAndGradient);
        for (gradient, theta) in workspace.result[1..].iter_mut().zip(theta) {
            *gradient += self.regulariser * theta;
        }
        self.regularised(theta, workspace.result[0])
    }

    /// J(θ) alone.
    pub(crate) fn value(&self, theta: &[f64], workspace: &mut Workspace) -> f64 {
        self.losses(theta, workspace, Want::Value);
        self.regularised(theta, workspace.result[0])
    }

    fn regularised(&self, theta: &[f64], losses: f64) -> f64 {
        losses + 0.5 * self.regulariser * inner_product(theta, theta)
    }

    /// The sum of the losses and its gradient, without the regulariser, into `workspace.result`.
    fn losses(&self, theta: &[f64], workspace: &mut Workspace, want: Want) {
        debug_assert_eq!(theta.len(), self.dimension());
        workspace.fit(self.partition.chunks(), self.dimension());
        match &self.quadratic {
            Some(quadratic) => quadratic.evaluate(theta, &mut workspace.result),
            None => self.pass(theta, workspace, want),
        }
    }

    /// One pass over the records.
    fn pass(&self, theta: &[f64], workspace: &mut Workspace, want: Want) {
        let work = |(index, partial): (usize, &mut Partial)| self.chunk(index, theta, partial, want);
        if self.partition.is_parallel() {
            workspace.partials.par_iter_mut().enumerate().for_each(work);
        } else {
            workspace.partials.iter_mut().enumerate().for_each(work);
        }
        workspace.join();
    }

    fn chunk(&self, index: usize, theta: &[f64], partial: &mut Partial, want: Want) {
        partial.total.clear();
        for block in self.partition.blocks(index) {
            partial.block.fill(0.0);
            for strip in self.partition.strips(block) {
                self.strip(strip, theta, &mut partial.block, want);
            }
            partial.total.add(0, &partial.block);
        }
    }

    /// Adds the losses of some rows to `sums[0]` and their gradients to the other sums.
    fn strip(&self, rows: Range<usize>, theta: &[f64], sums: &mut [f64], want: Want) {
        let [value, gradient @ ..] = sums else { return };
        let d = self.dimension();
        let x = &self.records.features()[rows.start * d..rows.end * d];
        let mut buffer = [0.0; BLOCK_ROWS];
        let z = &mut buffer[..rows.len()];
        predict(x, theta, z);
        *value += self.records.loss().values_and_slopes(z, &self.records.targets()[rows]);
        if want == Want::ValueAndGradient {
            add_weighted_rows(x, d, z, gradient);
        }
    }
}

#[cfg(test)]
#[allow(clippy::float_cmp, reason = "exact results are the point")]
mod tests {
    use super::*;
    use crate::data::{Bounds, OutOfBounds};
    use crate::loss::{Logistic, Squared};

    #[test]
    fn no_records_leave_the_regulariser() {
        let bounds = Bounds::new(1.0).unwrap();
        let theta = [1.0, -2.0, 3.0];
        let clip = OutOfBounds::Clip;
        let logistic = Records::with_dimension(Logistic, bounds, clip, 3, vec![], vec![]).unwrap();
        let squared = Records::with_dimension(Squared, bounds, clip, 3, vec![], vec![]).unwrap();
        let (logistic, squared) =
            (Objective::new(&logistic, 0.5).unwrap(), Objective::new(&squared, 0.5).unwrap());
        let mut workspace = logistic.workspace();
        for value in
            [logistic.value_and_gradient(&theta, &mut workspace), logistic.value(&theta, &mut workspace)]
        {
            assert_eq!(value, 0.25 * 14.0);
        }
        assert_eq!(squared.value_and_gradient(&theta, &mut workspace), 0.25 * 14.0);
        assert_eq!(workspace.gradient(), [0.5, -1.0, 1.5]);
        let mut hessian = DMatrix::from_element(3, 3, f64::NAN);
        logistic.hessian(&theta, &mut hessian);
        assert_eq!(hessian, DMatrix::from_diagonal_element(3, 3, 0.5));
    }

    #[test]
    fn statistics_agree_with_the_pass_over_the_records() {
        for (rows, d) in [(1, 1), (3, 3), (64, 5), (1_000, 7), (5_000, 70), (300, 200)] {
            let number = |k: usize| ((k * 7919 + 13) % 1009) as f64 / 1009.0 - 0.5;
            let features = (0..rows * d).map(number).collect();
            let targets = (0..rows).map(|k| number(3 * k + 1)).collect();
            let bounds = Bounds::new(1.0 + d as f64).unwrap();
            let records = Records::new(Squared, bounds, OutOfBounds::Refuse, features, targets).unwrap();
            let direct = Objective::over_records(&records, 0.1).unwrap();
            let statistics = Objective::new(&records, 0.1).unwrap();
            assert!(direct.quadratic.is_none() && statistics.quadratic.is_some());

            let theta: Vec<f64> = (0..d).map(|j| number(17 * j)).collect();
            let (mut a, mut b) = (direct.workspace(), statistics.workspace());
            let value = direct.value_and_gradient(&theta, &mut a);
            let scale = value + rows as f64;
            assert!((value - statistics.value_and_gradient(&theta, &mut b)).abs() <= 1e-13 * scale);
            for (a, b) in a.gradient().iter().zip(b.gradient()) {
                assert!((a - b).abs() <= 1e-13 * scale, "{rows} rows, {d} columns: {a} and {b}");
            }
            let (mut a, mut b) = (DMatrix::zeros(d, d), DMatrix::zeros(d, d));
            direct.hessian(&theta, &mut a);
            statistics.hessian(&theta, &mut b);
            assert_eq!(a, b);
        }
    }

    #[test]
    fn statistics_are_not_used_where_they_are_larger_than_the_records() {
        let records = |rows: usize, d: usize| {
            let bounds = Bounds::new(1.0).unwrap();
            let (features, targets) = (vec![0.01; rows * d], vec![0.5; rows]);
            Records::new(Squared, bounds, OutOfBounds::Refuse, features, targets).unwrap()
        };
        for (rows, d, expected) in [(9, 10, false), (10, 10, true), (1_100, 1_025, false)] {
            let records = records(rows, d);
            assert_eq!(Objective::new(&records, 1.0).unwrap().quadratic.is_some(), expected);
        }
    }
}
