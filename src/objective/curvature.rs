//! Sums of weighted outer products `Σ_i w_i x_i x_iᵀ`: the Hessian and the Gram matrix. spec: `own:objective`

use super::Objective;
use super::kernels::{add_weighted_rows, predict};
use super::partition::{BLOCK_ROWS, Partition};
use super::sums::Compensated;
use crate::loss::Loss;
use core::ops::Range;
use nalgebra::DMatrix;
use rayon::prelude::*;

/// Rows of the matrix that one task computes: with many columns there are few chunks of records, and the
/// stripes are what keeps the threads busy.
const STRIPE: usize = 64;

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
            None => self.outer_products(Some(theta), out),
        }
        for j in 0..self.dimension() {
            out[(j, j)] += self.regulariser;
        }
    }

    /// `XᵀX = Σ_i x_i x_iᵀ`.
    pub(crate) fn gram(&self, out: &mut DMatrix<f64>) {
        match &self.quadratic {
            Some(quadratic) => out.copy_from(quadratic.matrix()),
            None => self.outer_products(None, out),
        }
    }

    /// `Σ_i w_i x_i x_iᵀ` with `w_i = φ″` at θ, or 1 without a θ.
    fn outer_products(&self, theta: Option<&[f64]>, out: &mut DMatrix<f64>) {
        let d = self.dimension();
        let partition = Partition::for_matrices(self.records.len(), d);
        let stripes = (0..d).step_by(STRIPE).map(|first| first..d.min(first + STRIPE));
        // Stripe by stripe, and the chunks of each in their order: neighbours in the list are joined below.
        let mut tasks: Vec<Task> = stripes
            .flat_map(|columns| (0..partition.chunks()).map(move |chunk| Task::new(chunk, columns.clone())))
            .collect();
        let work = |task: &mut Task| self.stripe(partition, theta, task);
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

    fn stripe(&self, partition: Partition, theta: Option<&[f64]>, task: &mut Task) {
        let d = self.dimension();
        let (mut weights, mut products) = ([1.0; BLOCK_ROWS], [0.0; BLOCK_ROWS]);
        let mut block = vec![0.0; task.columns.end];
        for rows in partition.blocks(task.chunk) {
            let x = &self.records.features()[rows.start * d..rows.end * d];
            let (weights, products) = (&mut weights[..rows.len()], &mut products[..rows.len()]);
            if let Some(theta) = theta {
                predict(x, theta, weights);
                for (weight, &y) in weights.iter_mut().zip(&self.records.targets()[rows]) {
                    *weight = self.records.loss().curvature(*weight, y);
                }
            }
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
