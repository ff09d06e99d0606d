//! Sums of weighted outer products `Σ_i w_i x_i x_iᵀ`: the Hessian and the Gram matrix. spec: `own:objective`

use super::Objective;
use super::kernels::{add_weighted_rows, predict};
use super::partition::{BLOCK_ROWS, Partition};
use super::sums::Compensated;
use crate::ball::{Ball, norm};
use crate::loss::Loss;
use core::ops::Range;
use nalgebra::DMatrix;
use rayon::prelude::*;

/// Rows of the matrix that one task computes: with many columns there are few chunks of records, and the
/// stripes are what keeps the threads busy.
const STRIPE: usize = 64;

/// Beyond this dimension curvature is bounded by the public constants, because eigenvalues cost d³.
const LARGEST_EIGENPROBLEM: usize = 512;

/// The weights of the outer products.
#[derive(Clone, Copy)]
enum Weights<'a> {
    /// 1: the Gram matrix.
    One,
    /// φ″ at a point.
    Curvature(&'a [f64]),
    /// The smallest φ″ on a ball.
    Floor(&'a Ball),
}

/// One stripe of the lower triangle, packed row by row, summed over one chunk of the records.
struct Task {
    chunk: usize,
    columns: Range<usize>,
    sums: Compensated,
}

impl Task {
    fn new(chunk: usize, columns: Range<usize>) -> Self {
        let sums = Compensated::new(packed(columns.end) - packed(columns.start));
        Self { chunk, columns, sums }
    }

    /// Where row j of the stripe begins.
    fn start(&self, j: usize) -> usize {
        packed(j) - packed(self.columns.start)
    }
}

/// The number of entries in the first j rows of a lower triangle.
const fn packed(j: usize) -> usize {
    j * (j + 1) / 2
}

impl<L: Loss> Objective<'_, L> {
    /// `∇²J(θ) = ΛI + Σ_i φ″(⟨x_i, θ⟩; y_i) x_i x_iᵀ`.
    pub(crate) fn hessian(&self, theta: &[f64], out: &mut DMatrix<f64>) {
        debug_assert_eq!(theta.len(), self.dimension());
        match &self.quadratic {
            Some(quadratic) => out.copy_from(quadratic.matrix()),
            None => self.outer_products(Weights::Curvature(theta), out),
        }
        for j in 0..self.dimension() {
            out[(j, j)] += self.regulariser;
        }
    }

    /// `XᵀX = Σ_i x_i x_iᵀ`.
    pub(crate) fn gram(&self, out: &mut DMatrix<f64>) {
        match &self.quadratic {
            Some(quadratic) => out.copy_from(quadratic.matrix()),
            None => self.outer_products(Weights::One, out),
        }
    }

    /// `(a, b)` with `aI ≼ ∇²J ≼ bI` on the ball, for these records: their real curvature, not the worst case.
    ///
    /// Above: `Λ + C·λ_max(XᵀX)`, C the bound of φ″. Below: `Λ + λ_min(Σ w_i x_i x_iᵀ)`, `w_i` the smallest φ″ over the
    /// predictions `⟨x_i, θ⟩` that the ball allows. Computed eigenvalues are moved outwards by more than their rounding.
    pub(crate) fn curvature_on(&self, ball: &Ball) -> (f64, f64) {
        let (d, largest) = (self.dimension(), self.records.loss().curvature_bound());
        if d > LARGEST_EIGENPROBLEM {
            let worst = self.records.loss().smoothness(self.records.bounds()).unwrap_or(f64::INFINITY);
            return (self.regulariser, self.regulariser + worst * self.records.len() as f64);
        }
        let mut matrix = DMatrix::zeros(d, d);
        self.gram(&mut matrix);
        let slack = 16.0 * d as f64 * f64::EPSILON * matrix.trace();
        let ceiling = largest * (matrix.symmetric_eigenvalues().max().max(0.0) + slack);
        if self.quadratic.is_none() {
            self.outer_products(Weights::Floor(ball), &mut matrix);
        }
        let floor = (matrix.symmetric_eigenvalues().min() - slack).max(0.0);
        (self.regulariser + floor.min(ceiling), self.regulariser + ceiling)
    }

    /// `Σ_i w_i x_i x_iᵀ`.
    fn outer_products(&self, weights: Weights<'_>, out: &mut DMatrix<f64>) {
        let d = self.dimension();
        let partition = Partition::for_matrices(self.records.len(), d);
        let stripes = (0..d).step_by(STRIPE).map(|first| first..d.min(first + STRIPE));
        // Stripe by stripe, and the chunks of each in their order: neighbours in the list are joined below.
        let mut tasks: Vec<Task> = stripes
            .flat_map(|columns| (0..partition.chunks()).map(move |chunk| Task::new(chunk, columns.clone())))
            .collect();
        let work = |task: &mut Task| self.stripe(partition, weights, task);
        if partition.is_parallel() {
            tasks.par_iter_mut().for_each(work);
        } else {
            tasks.iter_mut().for_each(work);
        }
        out.fill(0.0);
        for stripe in tasks.chunk_by_mut(|a, b| a.columns == b.columns) {
            join(stripe, out);
        }
    }

    /// The weights of a block of rows.
    fn weigh(&self, kind: Weights<'_>, rows: Range<usize>, x: &[f64], weights: &mut [f64]) {
        let (loss, targets) = (self.records.loss(), &self.records.targets()[rows]);
        match kind {
            Weights::One => {}
            Weights::Curvature(theta) => {
                predict(x, theta, weights);
                for (weight, &y) in weights.iter_mut().zip(targets) {
                    *weight = loss.curvature(*weight, y);
                }
            }
            Weights::Floor(ball) => {
                predict(x, ball.centre(), weights);
                for ((weight, &y), row) in
                    weights.iter_mut().zip(targets).zip(x.chunks_exact(self.dimension()))
                {
                    // The rounding of prediction and reach is far below one part in 10⁹ of either.
                    let reach = (ball.radius() * norm(row) + 1e-9 * weight.abs()) * (1.0 + 1e-9);
                    *weight = loss.curvature_floor(*weight, reach, y);
                }
            }
        }
    }

    fn stripe(&self, partition: Partition, kind: Weights<'_>, task: &mut Task) {
        let d = self.dimension();
        let (mut weights, mut products) = ([1.0; BLOCK_ROWS], [0.0; BLOCK_ROWS]);
        let mut block = vec![0.0; task.columns.end];
        for rows in partition.blocks(task.chunk) {
            let x = &self.records.features()[rows.start * d..rows.end * d];
            let (weights, products) = (&mut weights[..rows.len()], &mut products[..rows.len()]);
            self.weigh(kind, rows, x, weights);
            for j in task.columns.clone() {
                for ((product, weight), row) in products.iter_mut().zip(&*weights).zip(x.chunks_exact(d)) {
                    *product = weight * row[j];
                }
                let block = &mut block[..=j];
                block.fill(0.0);
                add_weighted_rows(x, d, products, block);
                task.sums.add(task.start(j), block);
            }
        }
    }
}

/// Joins the chunks of one stripe in order and writes both triangles.
fn join(stripe: &mut [Task], out: &mut DMatrix<f64>) {
    let [first, others @ ..] = stripe else { return };
    for other in others {
        first.sums.join(&other.sums);
    }
    let entries = first.columns.clone().flat_map(|j| (0..=j).map(move |k| (j, k)));
    for ((j, k), sum) in entries.zip(first.sums.rounded()) {
        out[(j, k)] = sum;
        out[(k, j)] = sum;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Bounds, OutOfBounds, Records};
    use crate::loss::{Huber, Logistic, Squared};
    use crate::noise::{RandomBits, ReplayRng};

    /// The Hessian's eigenvalues at random points of the ball lie between the bounds, and the bounds are attained to
    /// within a factor, so that the trivial bounds would not pass.
    fn check<L: Loss>(loss: L, centre: [f64; 3], radius: f64, floor_above: f64) {
        let mut rng = ReplayRng::new(3);
        let mut symmetric = || (rng.next_u64() >> 11) as f64 / (1_u64 << 52) as f64 - 1.0;
        let features: Vec<f64> = (0..900).map(|_| 0.57 * symmetric()).collect();
        let targets: Vec<f64> = (0..300).map(|_| symmetric()).collect();
        let bounds = Bounds::new(1.0).unwrap();
        let records = Records::new(loss, bounds, OutOfBounds::Clip, features, targets).unwrap();
        let objective = Objective::new(&records, 2.0).unwrap();
        let ball = Ball::new(centre.to_vec(), radius).unwrap();
        let (floor, ceiling) = objective.curvature_on(&ball);
        let mut hessian = DMatrix::zeros(3, 3);
        for _ in 0..300 {
            let theta =
                ball.project(&[symmetric(), symmetric(), symmetric()].map(|x| centre[0] + 2.0 * radius * x));
            objective.hessian(&theta, &mut hessian);
            let eigenvalues = hessian.symmetric_eigenvalues();
            assert!(floor <= eigenvalues.min() && eigenvalues.max() <= ceiling);
        }
        assert!(floor >= floor_above, "{floor}");
        assert!(ceiling <= 2.0 + 300.0 * records.loss().curvature_bound(), "{ceiling}");
    }

    #[test]
    fn curvature_on_a_ball_bounds_every_hessian_there() {
        // φ″ of the logistic loss falls to a tenth on the larger ball: the centre's own curvature is no bound.
        check(Logistic, [1.0; 3], 0.5, 7.0);
        check(Logistic, [1.0; 3], 3.0, 2.5);
        check(Squared, [1.0; 3], 3.0, 25.0);
        check(Huber::new(2.0).unwrap(), [0.1; 3], 0.5, 20.0);
        check(Huber::new(0.5).unwrap(), [0.1; 3], 0.5, 2.0);
    }
}
