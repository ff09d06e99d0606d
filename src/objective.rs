//! The objective `J(θ) = Σ_i φ(⟨x_i, θ⟩; y_i) + (Λ/2)‖θ‖²`: its value, gradient and Hessian.
//! spec: `own:objective`
//!
//! The library touches the records only here, and an evaluation is its whole cost:
//!
//! * **one pass**: predictions, losses and gradient of a block of rows follow each other while the block is in cache,
//!   so a record comes from memory once;
//! * **the same bits always**: which rows are summed together depends only on the shape of the data, and the parts are
//!   joined in order, so the number of threads does not change a single bit;
//! * **a bound on the rounding error**, [`gradient_rounding_bound`]: sums over blocks are compensated, hence the error
//!   per record does not grow with the number of records;
//! * **no allocation**: the buffers are in a [`Workspace`];
//! * for least squares and moderate dimension the **sufficient statistics** replace the records, and an evaluation does
//!   not depend on the number of records at all.

mod curvature;
mod kernels;
mod partition;
mod passed_on;
mod quadratic;
mod question;
mod rounding;
mod shards;
mod source;
mod sums;
mod wire;
mod workspace;

pub use passed_on::PassedOn;
pub use rounding::{SumOf, divergence_rounding_bound, gradient_rounding_bound, value_rounding_bound};
pub use shards::{Request, Shard, Shards, ShardsError, Transport, Unanswerable, shard_starts};
pub use source::{Here, SumClaim, Sums};
pub use workspace::Workspace;

use crate::data::Unavailable;
use crate::error::Error;
use crate::input::InvalidInput;
use crate::loss::Loss;
use crate::private::Private;
use crate::problem::Problem;
use core::sync::atomic::{AtomicU64, Ordering::Relaxed};
use kernels::inner_product;
use nalgebra::DMatrix;
use partition::Partition;
use quadratic::Quadratic;
use question::Query;

/// J for given records: a [`Problem`] joined to a source of sums by [`Problem::bind`], and by nothing else.
///
/// Λ, the bounds and the domain are those of the problem, so the objectives of neighbouring data sets differ by
/// the loss of one record exactly. There is no constructor that takes a Λ of its own:
///
/// ```compile_fail,E0599
/// use asap_dp::{bounds::Bounds, data::*, loss::Logistic, objective::Objective};
/// let records = Records::new(Logistic, Bounds::new(1.0)?, OutOfBounds::Clip, vec![0.5], vec![1.0])?;
/// let objective = Objective::new(&records, 0.01)?;
/// # Ok::<(), asap_dp::Error>(())
/// ```
pub struct Objective<'a, S: Sums> {
    problem: Problem<S::Loss>,
    sums: &'a S,
    partition: Partition,
    quadratic: Option<Quadratic>,
    tally: Passes,
}

/// How often the records were asked for something. Depends on them: private.
#[derive(Default)]
struct Passes {
    vector_rows: AtomicU64,
    matrix_rows: AtomicU64,
}

impl<L: Loss> Problem<L> {
    /// Joins the problem to records that were made for it: the only way to an [`Objective`].
    ///
    /// ```
    /// use asap_dp::{bounds::Bounds, data::*, loss::Logistic, problem::Problem};
    /// let problem = Problem::new(Logistic, Bounds::new(1.0)?, 1, 5.0)?;
    /// let records = |bounds| Records::new(Logistic, bounds, OutOfBounds::Clip, vec![0.5], vec![1.0]);
    /// assert!(problem.bind(&records(Bounds::new(1.0)?)?).is_ok());
    /// assert!(problem.bind(&records(Bounds::new(2.0)?)?).is_err());
    /// # Ok::<(), asap_dp::Error>(())
    /// ```
    pub fn bind<'a, S: Sums<Loss = L>>(&self, sums: &'a S) -> Result<Objective<'a, S>, InvalidInput> {
        let mut objective = self.bind_to_rows(sums)?;
        objective.quadratic = Quadratic::new(&objective);
        Ok(objective)
    }

    /// The objective without sufficient statistics.
    fn bind_to_rows<'a, S: Sums<Loss = L>>(&self, sums: &'a S) -> Result<Objective<'a, S>, InvalidInput> {
        let same = sums.loss() == self.loss()
            && sums.bounds() == self.bounds()
            && sums.dimension() == self.dimension()
            && sums.claim().keeps(SumClaim::HOUSE);
        if !same {
            let allowed = "records made with the loss, the bounds and the number of columns of the problem";
            return Err(InvalidInput { field: "records", allowed });
        }
        let partition = Partition::for_vectors(sums.rows(), self.dimension());
        Ok(Objective { problem: self.clone(), sums, partition, quadratic: None, tally: Passes::default() })
    }
}

impl<S: Sums> Objective<'_, S> {
    /// The problem that this is an instance of.
    pub fn problem(&self) -> &Problem<S::Loss> {
        &self.problem
    }

    /// d: the number of parameters.
    pub fn dimension(&self) -> usize {
        self.problem.dimension()
    }

    /// n, private under add/remove neighbours.
    pub(crate) fn rows(&self) -> u64 {
        self.sums.rows() as u64
    }

    /// How many rows an evaluation looks at. Private.
    pub(crate) fn rows_of_an_evaluation(&self) -> usize {
        if self.quadratic.is_some() { 0 } else { self.sums.rows() }
    }

    /// Passes for values, gradients or divergences (rounded up), and passes for matrices, so far. Private.
    pub(crate) fn tally(&self) -> (u64, f64) {
        let rows = self.rows().max(1);
        let matrices = self.tally.matrix_rows.load(Relaxed) as f64 / rows as f64;
        (self.tally.vector_rows.load(Relaxed).div_ceil(rows), matrices)
    }

    /// Buffers for evaluations of this objective.
    pub fn workspace(&self) -> Workspace {
        Workspace::new(self.partition.chunks(), self.dimension())
    }

    /// J(θ), with ∇J(θ) left in the workspace.
    pub fn evaluate(&self, theta: &[f64], workspace: &mut Workspace) -> Result<Private<f64>, Error> {
        self.check(theta)?;
        Ok(Private::new(self.value_and_gradient(theta, workspace)?))
    }

    /// J(θ) alone; the gradient in the workspace is then that of no point.
    pub fn evaluate_value(&self, theta: &[f64], workspace: &mut Workspace) -> Result<Private<f64>, Error> {
        self.check(theta)?;
        Ok(Private::new(self.value(theta, workspace)?))
    }

    /// `J(x₀ + v) − J(x₀) − ⟨∇J(x₀), v⟩`, as a sum of divergences of the records: no difference of large sums.
    pub fn evaluate_divergence(
        &self,
        anchor: &[f64],
        moved: &[f64],
        workspace: &mut Workspace,
    ) -> Result<Private<f64>, Error> {
        self.check(anchor)?;
        self.check(moved)?;
        Ok(Private::new(self.divergence(anchor, moved, workspace)?))
    }

    /// ∇²J(θ).
    pub fn evaluate_hessian(&self, theta: &[f64]) -> Result<Private<DMatrix<f64>>, Error> {
        self.check(theta)?;
        Ok(Private::new(self.hessian(theta)?))
    }

    fn check(&self, theta: &[f64]) -> Result<(), InvalidInput> {
        if theta.len() == self.dimension() {
            Ok(())
        } else {
            Err(InvalidInput { field: "theta", allowed: "one number for each parameter" })
        }
    }

    /// J(θ), with ∇J(θ) left in the workspace.
    pub(crate) fn value_and_gradient(
        &self,
        theta: &[f64],
        workspace: &mut Workspace,
    ) -> Result<f64, Unavailable> {
        self.losses(Query::ValueAndGradient(theta), workspace)?;
        Ok(self.regularise(theta, workspace))
    }

    /// About J(θ), with about ∇J(θ) left in the workspace: every so many blocks one is taken, and counts for all. For
    /// proposals of a search and nothing else.
    pub(crate) fn rough_value_and_gradient(
        &self,
        theta: &[f64],
        stride: usize,
        workspace: &mut Workspace,
    ) -> Result<f64, Unavailable> {
        if self.quadratic.is_some() {
            return self.value_and_gradient(theta, workspace);
        }
        workspace.fit(self.partition.chunks(), self.dimension());
        let partition = self.partition.with_stride(stride);
        self.pass(&partition, Query::ValueAndGradient(theta), workspace)?;
        workspace.result.iter_mut().for_each(|sum| *sum *= partition.stride() as f64);
        Ok(self.regularise(theta, workspace))
    }

    /// J(θ) alone.
    pub(crate) fn value(&self, theta: &[f64], workspace: &mut Workspace) -> Result<f64, Unavailable> {
        self.losses(Query::Value(theta), workspace)?;
        Ok(self.regularised(theta, workspace.result[0]))
    }

    /// `J(x₀ + v) − J(x₀) − ⟨∇J(x₀), v⟩`: the regulariser's part is `(Λ/2)‖v‖²`.
    pub(crate) fn divergence(
        &self,
        anchor: &[f64],
        moved: &[f64],
        workspace: &mut Workspace,
    ) -> Result<f64, Unavailable> {
        self.losses(Query::Divergence(anchor, moved), workspace)?;
        Ok(self.regularised(moved, workspace.result[0]))
    }

    /// Adds the regulariser to a value and a gradient; returns the value.
    fn regularise(&self, theta: &[f64], workspace: &mut Workspace) -> f64 {
        for (gradient, theta) in workspace.result[1..].iter_mut().zip(theta) {
            *gradient += self.problem.regulariser() * theta;
        }
        self.regularised(theta, workspace.result[0])
    }

    fn regularised(&self, theta: &[f64], losses: f64) -> f64 {
        losses + 0.5 * self.problem.regulariser() * inner_product(theta, theta)
    }

    /// The sum over the records, without the regulariser, into `workspace.result`.
    fn losses(&self, query: Query<'_>, workspace: &mut Workspace) -> Result<(), Unavailable> {
        workspace.fit(self.partition.chunks(), self.dimension());
        match &self.quadratic {
            Some(quadratic) => {
                quadratic.answer(query, &mut workspace.result);
                Ok(())
            }
            None => self.pass(&self.partition, query, workspace),
        }
    }

    /// One pass over the records that a partition takes.
    fn pass(
        &self,
        partition: &Partition,
        query: Query<'_>,
        workspace: &mut Workspace,
    ) -> Result<(), Unavailable> {
        self.tally.vector_rows.fetch_add(self.rows() / partition.stride() as u64, Relaxed);
        for (chunk, partial) in workspace.partials.iter_mut().enumerate() {
            partial.start(chunk);
        }
        self.sums.sum(partition, query, &mut workspace.partials)?;
        workspace.join();
        Ok(())
    }
}

#[cfg(test)]
#[allow(clippy::float_cmp, reason = "exact results are the point")]
mod tests {
    use super::*;
    use crate::data::{Bounds, OutOfBounds, Records};
    use crate::loss::{Huber, Logistic, Squared};

    #[test]
    fn no_records_leave_the_regulariser() {
        let bounds = Bounds::new(1.0).unwrap().with_target(1.0).unwrap();
        let theta = [1.0, -2.0, 3.0];
        let clip = OutOfBounds::Clip;
        let logistic = Records::with_dimension(Logistic, bounds.clone(), clip, 3, vec![], vec![]).unwrap();
        let squared = Records::with_dimension(Squared, bounds.clone(), clip, 3, vec![], vec![]).unwrap();
        let (on, of) = (
            Problem::new(Logistic, bounds.clone(), 3, 0.5).unwrap(),
            Problem::new(Squared, bounds, 3, 0.5).unwrap(),
        );
        let (logistic, squared) = (on.bind(&logistic).unwrap(), of.bind(&squared).unwrap());
        let mut workspace = logistic.workspace();
        for value in
            [logistic.value_and_gradient(&theta, &mut workspace), logistic.value(&theta, &mut workspace)]
        {
            assert_eq!(value.unwrap(), 0.25 * 14.0);
        }
        assert_eq!(logistic.divergence(&theta, &theta, &mut workspace).unwrap(), 0.25 * 14.0);
        assert_eq!(squared.value_and_gradient(&theta, &mut workspace).unwrap(), 0.25 * 14.0);
        assert_eq!(workspace.gradient(), [0.5, -1.0, 1.5]);
        assert_eq!(logistic.hessian(&theta).unwrap(), DMatrix::from_diagonal_element(3, 3, 0.5));
    }

    /// The same bits whether a block is summed with the widest vectors of this machine or with those that every machine
    /// of its kind has. A product that is fused with a sum, or lanes in another order, would show.
    fn same_bits<L: Loss>(loss: L) {
        for (rows, d) in [(64, 11), (64, 50), (63, 7), (64, 4), (9, 3), (1, 1)] {
            let number = |k: usize| ((k * 7919 + 13) % 1009) as f64 / 1009.0 - 0.5;
            let features: Vec<f64> = (0..rows * d).map(number).collect();
            let targets: Vec<f64> =
                (0..rows).map(|k| if number(3 * k + 1) > 0.0 { 1.0 } else { -1.0 }).collect();
            let bounds = Bounds::new(1.0 + d as f64).unwrap().with_target(1.0).unwrap();
            let records =
                Records::new(loss, bounds.clone(), OutOfBounds::Refuse, features.clone(), targets.clone())
                    .unwrap();
            let problem = Problem::new(loss, bounds, d, 0.1).unwrap();
            let objective = problem.bind_to_rows(&records).unwrap();
            let theta: Vec<f64> = (0..d).map(|j| 3.0 * number(17 * j)).collect();
            let moved: Vec<f64> = (0..d).map(|j| number(5 * j + 2)).collect();
            for query in
                [Query::ValueAndGradient(&theta), Query::Value(&theta), Query::Divergence(&theta, &moved)]
            {
                let mut workspace = objective.workspace();
                let partial = &mut workspace.partials[0];
                partial.start(0);
                partial.add_block(query, &loss, &objective.partition, &features, &targets);
                let narrow: Vec<u64> = partial.block.iter().map(|sum| sum.to_bits()).collect();
                objective.pass(&objective.partition, query, &mut workspace).unwrap();
                let wide: Vec<u64> = workspace.partials[0].block.iter().map(|sum| sum.to_bits()).collect();
                assert!(narrow == wide && narrow.iter().any(|sum| *sum != 0), "{} {rows} {d}", loss.name());
            }
        }
    }

    #[test]
    fn vectors_of_any_width_give_the_same_bits() {
        same_bits(Logistic);
        same_bits(Squared);
        same_bits(Huber::new(0.5).unwrap());
    }

    /// One of every three blocks, three times, and the regulariser once. For: the regulariser before the product.
    #[test]
    fn a_rough_evaluation_is_one_of_some_blocks() {
        let number = |k: usize| ((k * 7919 + 13) % 1009) as f64 / 1009.0 - 0.5;
        let (rows, d) = (1_000, 3);
        let features: Vec<f64> = (0..rows * d).map(number).collect();
        let targets: Vec<f64> = (0..rows).map(|k| number(3 * k + 1).signum()).collect();
        let bounds = Bounds::new(1.0).unwrap();
        let taken = |k: &usize| (k / 64).is_multiple_of(3);
        let some = (0..rows).filter(taken).flat_map(|k| features[d * k..d * (k + 1)].to_vec()).collect();
        let of_some = (0..rows).filter(taken).map(|k| targets[k]).collect();
        let records = |x, y| Records::new(Logistic, bounds.clone(), OutOfBounds::Refuse, x, y).unwrap();
        let (some, all) = (records(some, of_some), records(features, targets));
        let [problem, part] = [0.6, 0.2].map(|it| Problem::new(Logistic, bounds.clone(), d, it).unwrap());
        let (all, some) = (problem.bind(&all).unwrap(), part.bind(&some).unwrap());
        let (mut a, mut b, theta) = (all.workspace(), some.workspace(), [0.3, -2.0, 1.0]);
        let rough = all.rough_value_and_gradient(&theta, 3, &mut a).unwrap();
        let exact = 3.0 * some.value_and_gradient(&theta, &mut b).unwrap();
        assert!((rough - exact).abs() <= 1e-12 * exact, "{rough} {exact}");
        for (rough, exact) in a.gradient().iter().zip(b.gradient()) {
            assert!((rough - 3.0 * exact).abs() <= 1e-11, "{rough} {exact}");
        }
        assert_eq!(all.tally(), (1, 0.0), "a third, rounded up");
        let whole = all.value_and_gradient(&theta, &mut b).unwrap();
        assert_eq!(all.rough_value_and_gradient(&theta, 1, &mut a).unwrap(), whole);
        assert!(a.gradient() == b.gradient() && (whole - rough).abs() > 1e-3);
        assert_eq!(all.tally(), (3, 0.0));
    }

    #[test]
    fn statistics_agree_with_the_pass_over_the_records() {
        for (rows, d) in [(1, 1), (3, 3), (64, 5), (1_000, 7), (5_000, 70), (300, 200)] {
            let number = |k: usize| ((k * 7919 + 13) % 1009) as f64 / 1009.0 - 0.5;
            let features = (0..rows * d).map(number).collect();
            let targets = (0..rows).map(|k| number(3 * k + 1)).collect();
            let bounds = Bounds::new(1.0 + d as f64).unwrap().with_target(1.0).unwrap();
            let records =
                Records::new(Squared, bounds.clone(), OutOfBounds::Refuse, features, targets).unwrap();
            let problem = Problem::new(Squared, bounds, d, 0.1).unwrap();
            let direct = problem.bind_to_rows(&records).unwrap();
            let statistics = problem.bind(&records).unwrap();
            assert!(direct.quadratic.is_none() && statistics.quadratic.is_some());

            let theta: Vec<f64> = (0..d).map(|j| number(17 * j)).collect();
            let moved: Vec<f64> = (0..d).map(|j| number(5 * j + 2)).collect();
            let (mut a, mut b) = (direct.workspace(), statistics.workspace());
            let value = direct.value_and_gradient(&theta, &mut a).unwrap();
            let scale = value + rows as f64;
            assert!((value - statistics.value_and_gradient(&theta, &mut b).unwrap()).abs() <= 1e-13 * scale);
            for (a, b) in a.gradient().iter().zip(b.gradient()) {
                assert!((a - b).abs() <= 1e-13 * scale, "{rows} rows, {d} columns: {a} and {b}");
            }
            let [left, right] = [(&direct, &mut a), (&statistics, &mut b)]
                .map(|(objective, workspace)| objective.divergence(&theta, &moved, workspace).unwrap());
            assert!((left - right).abs() <= 1e-13 * left && left > 0.0, "{rows} rows, {d} columns");
            assert_eq!(direct.hessian(&theta).unwrap(), statistics.hessian(&theta).unwrap());
        }
    }

    #[test]
    fn statistics_are_not_used_where_they_are_larger_than_the_records() {
        let records = |rows: usize, d: usize| {
            let bounds = Bounds::new(1.0).unwrap().with_target(1.0).unwrap();
            let (features, targets) = (vec![0.01; rows * d], vec![0.5; rows]);
            Records::new(Squared, bounds, OutOfBounds::Refuse, features, targets).unwrap()
        };
        for (rows, d, expected) in [(9, 10, false), (10, 10, true), (1_100, 1_025, false)] {
            let records = records(rows, d);
            let problem = Problem::new(Squared, records.bounds().clone(), d, 1.0).unwrap();
            assert_eq!(problem.bind(&records).unwrap().quadratic.is_some(), expected);
        }
    }
}
