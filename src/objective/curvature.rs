//! Sums of weighted outer products `Σ_i w_i x_i x_iᵀ`: the Hessian, the Gram matrix and lower bounds of the curvature.
//! spec: `own:objective`

use super::kernels::{add_weighted_rows, with_widest_vectors};
use super::partition::{BLOCK_ROWS, MOST_CHUNKS, Partition};
use super::question::Weights;
use super::source::rows::Task;
use super::sums::Compensated;
use super::{Objective, Sums};
use crate::ball::Ball;
use crate::data::Unavailable;
use crate::loss::Loss;
use crate::spectrum::{lower_eigenvalue, upper_eigenvalue};
use core::ops::Range;
use core::sync::atomic::Ordering::Relaxed;
use nalgebra::DMatrix;

/// Rows of the matrix that one task computes: with many columns there are few chunks of records, and the
/// stripes are what keeps the threads busy.
const STRIPE: usize = 64;

/// So many rows for each column are enough to know the Hessian within some ten per cent.
const ROUGH_ROWS: usize = 128;

/// The Hessian of rows of so many columns costs about as much as a pass over them.
const CHEAP_COLUMNS: usize = 16;

/// So many rows for each column are there at least, if there are so many: what the steps show of the
/// curvature corrects the rest.
const LEAST_ROWS: usize = 32;

/// Beyond this dimension curvature is bounded by the public constants, because eigenvalues cost d³.
const LARGEST_EIGENPROBLEM: usize = 512;

/// One stripe of the lower triangle, packed row by row, summed over one chunk of the records.
pub(super) struct Stripe {
    chunk: usize,
    dimension: usize,
    columns: Range<usize>,
    pub(super) sums: Compensated,
    /// Scratch space for a row of the block.
    row: Vec<f64>,
}

impl Task for Stripe {
    type Question<'q> = Weights<'q>;

    fn chunk(&self) -> usize {
        self.chunk
    }

    fn add<L: Loss>(&mut self, weights: Weights<'_>, loss: &L, _: &Partition, x: &[f64], y: &[f64]) {
        let mut buffer = [1.0; BLOCK_ROWS];
        let w = &mut buffer[..y.len()];
        weights.weigh(loss, self.dimension, x, y, w);
        with_widest_vectors(
            #[inline(always)]
            || self.add_weighted(x, w),
        );
    }

    fn take(&mut self, chunk: &Compensated) {
        self.sums.copy_from(chunk, packed(self.columns.start));
    }
}

impl Stripe {
    /// Nothing summed yet.
    pub(super) fn new(chunk: usize, dimension: usize, columns: Range<usize>) -> Self {
        let sums = Compensated::new(packed(columns.end) - packed(columns.start));
        let row = vec![0.0; columns.end];
        Self { chunk, dimension, columns, sums, row }
    }

    /// Where row j of the stripe begins.
    fn start(&self, j: usize) -> usize {
        packed(j) - packed(self.columns.start)
    }

    /// Adds the outer products of a block of rows, with whatever vectors it is compiled for.
    #[inline(always)]
    fn add_weighted(&mut self, x: &[f64], weights: &[f64]) {
        let dimension = self.dimension;
        let mut products = [0.0; BLOCK_ROWS];
        let products = &mut products[..weights.len()];
        for j in self.columns.clone() {
            for ((product, weight), row) in products.iter_mut().zip(weights).zip(x.chunks_exact(dimension)) {
                *product = weight * row[j];
            }
            let start = self.start(j);
            let block = &mut self.row[..=j];
            block.fill(0.0);
            add_weighted_rows(x, dimension, products, block);
            self.sums.add(start, block);
        }
    }
}

/// The number of entries in the first j rows of a lower triangle.
pub(super) const fn packed(j: usize) -> usize {
    j * (j + 1) / 2
}

/// `aI ≼ ∇²J ≼ bI` on a ball, for the records at hand. It has no `Debug`: it is computed from them.
pub(crate) struct Bend {
    /// a, rounded down.
    pub(crate) floor: f64,
    /// b, rounded up.
    pub(crate) ceiling: f64,
}

impl<S: Sums> Objective<'_, S> {
    /// `∇²J(θ) = ΛI + Σ_i φ″(⟨x_i, θ⟩; y_i) x_i x_iᵀ`.
    pub(crate) fn hessian(&self, theta: &[f64]) -> Result<DMatrix<f64>, Unavailable> {
        let mut hessian = match &self.quadratic {
            Some(quadratic) => quadratic.matrix().clone(),
            None => self.outer_products(Weights::Curvature(theta))?,
        };
        for j in 0..self.dimension() {
            hessian[(j, j)] += self.problem.regulariser();
        }
        Ok(hessian)
    }

    /// About ∇²J(θ), from a few rows.
    pub(crate) fn rough_hessian(&self, theta: &[f64]) -> Result<DMatrix<f64>, Unavailable> {
        self.hessian_of_some(theta, self.sums.rows() / (ROUGH_ROWS * self.dimension()))
    }

    /// About ∇²J(θ), where every so many blocks one is taken: a direction for Newton's method and nothing else. Of
    /// those blocks again only some where the matrix would cost more than a few passes.
    pub(crate) fn hessian_of_some(&self, theta: &[f64], stride: usize) -> Result<DMatrix<f64>, Unavailable> {
        if self.quadratic.is_some() {
            return self.hessian(theta);
        }
        let (rows, d) = (self.sums.rows(), self.dimension());
        let spare = rows / stride.max(1) / (LEAST_ROWS * d);
        let thinner = (d / CHEAP_COLUMNS).min(spare).max(1);
        let partition = Partition::for_matrices(rows, d).with_stride(stride.saturating_mul(thinner));
        let sums = self.outer_products_of(&partition, Weights::Curvature(theta))?;
        let mut hessian = sums * partition.stride() as f64;
        for j in 0..d {
            hessian[(j, j)] += self.problem.regulariser();
        }
        Ok(hessian)
    }

    /// `XᵀX = Σ_i x_i x_iᵀ`.
    pub(super) fn gram(&self) -> Result<DMatrix<f64>, Unavailable> {
        match &self.quadratic {
            Some(quadratic) => Ok(quadratic.matrix().clone()),
            None => self.outer_products(Weights::One),
        }
    }

    /// The curvature of J on a ball, for these records: the real one, not the worst case.
    ///
    /// Above: `Λ + C·λ_max(XᵀX)`, C the bound of φ″. Below: `Λ + λ_min(Σ w_i x_i x_iᵀ)`, `w_i` the smallest φ″ over the
    /// predictions `⟨x_i, θ⟩` that the ball allows. Eigenvalues are verified, and moved outwards by
    /// the rounding of the sums.
    pub(crate) fn curvature_on(&self, ball: &Ball) -> Result<Bend, Unavailable> {
        let (regulariser, largest) = (self.problem.regulariser(), self.problem.loss().curvature_bound());
        if self.dimension() > LARGEST_EIGENPROBLEM {
            return Ok(Bend { floor: regulariser, ceiling: self.problem.smoothness(self.rows()) });
        }
        let gram = self.gram()?;
        let ceiling = largest * (upper_eigenvalue(&gram) + self.rounding_of(&gram)).max(0.0);
        let weighted = match &self.quadratic {
            Some(_) => gram,
            None => self.outer_products(Weights::Floor { centre: ball.centre(), radius: ball.radius() })?,
        };
        let floor = (lower_eigenvalue(&weighted) - self.rounding_of(&weighted)).max(0.0);
        // The sums are rounded once each, and so are product and difference before: three units cover them.
        Ok(Bend {
            floor: ((regulariser + floor.min(ceiling)) * (1.0 - 3.0 * f64::EPSILON)).max(regulariser),
            // Where no eigenvalue could be verified the public worst case holds: no data set makes a fit fail.
            ceiling: ((regulariser + ceiling) * (1.0 + 3.0 * f64::EPSILON))
                .min(self.problem.smoothness(self.rows())),
        })
    }

    /// `ΛI + Σ_i w_i x_i x_iᵀ` with `w_i` the smallest average curvature over steps `|t| ≤ reach·‖mapᵀx_i‖` from the
    /// prediction at the anchor, to within [`Objective::matrix_rounding`].
    pub(crate) fn chord_curvature(
        &self,
        anchor: &[f64],
        map: &DMatrix<f64>,
        reach: f64,
    ) -> Result<DMatrix<f64>, Unavailable> {
        let (map, stretch) = (map.as_slice(), map.norm());
        let mut matrix = match &self.quadratic {
            Some(quadratic) => quadratic.matrix().clone(),
            None => self.outer_products(Weights::Chord { anchor, map, stretch, reach })?,
        };
        for j in 0..self.dimension() {
            matrix[(j, j)] += self.problem.regulariser();
        }
        Ok(matrix)
    }

    /// How far `ΛI + Σ_i w_i x_i x_iᵀ` as computed can be from the true one (2-norm), for weights up to the bound of
    /// φ″. Half as much again covers products with γ.
    pub(crate) fn matrix_rounding(&self) -> f64 {
        let d = self.dimension() as f64;
        let trace = self.problem.smoothness(self.rows()) + d * self.problem.regulariser();
        1.5 * (self.relative_rounding() + f64::EPSILON) * trace
    }

    /// How far a computed sum of outer products can be from the true one, in the Frobenius norm.
    ///
    /// Entry (j, k) goes through at most 15 roundings of `Σ w_i|x_ij||x_ik|` in its block and after it, and the carries
    /// of M blocks add `((M + 128)u)²` of it (own:objective, steps 3 to 5). The matrix of these sums has a Frobenius
    /// norm of at most `Σ w_i‖x_i‖²`, the true trace, which the computed one is within a part in 10⁹ of.
    fn rounding_of(&self, matrix: &DMatrix<f64>) -> f64 {
        self.relative_rounding() * matrix.trace().abs()
    }

    /// The same as a part of the trace.
    fn relative_rounding(&self) -> f64 {
        const UNIT: f64 = 0.5 * f64::EPSILON;
        let carries = UNIT * (self.rows() as f64 / BLOCK_ROWS as f64 + 1.0 + 2.0 * MOST_CHUNKS as f64);
        1.01 * (15.0 * UNIT + carries * carries)
    }

    /// `Σ_i w_i x_i x_iᵀ`.
    fn outer_products(&self, weights: Weights<'_>) -> Result<DMatrix<f64>, Unavailable> {
        self.outer_products_of(&Partition::for_matrices(self.sums.rows(), self.dimension()), weights)
    }

    /// The same over the rows that a partition takes.
    fn outer_products_of(
        &self,
        partition: &Partition,
        weights: Weights<'_>,
    ) -> Result<DMatrix<f64>, Unavailable> {
        // A row's length in a map costs as much as its outer product.
        let cost = if matches!(weights, Weights::Chord { .. }) { 2 } else { 1 };
        self.tally.matrix_rows.fetch_add(cost * self.rows() / partition.stride() as u64, Relaxed);
        let d = self.dimension();
        let stripes = (0..d).step_by(STRIPE).map(|first| first..d.min(first + STRIPE));
        // Stripe by stripe, and the chunks of each in their order: neighbours in the list are joined below.
        let mut tasks: Vec<Stripe> = stripes
            .flat_map(|columns| {
                (0..partition.chunks()).map(move |chunk| Stripe::new(chunk, d, columns.clone()))
            })
            .collect();
        self.sums.sum(partition, weights, &mut tasks)?;
        let mut out = DMatrix::zeros(d, d);
        for stripe in tasks.chunk_by_mut(|a, b| a.columns == b.columns) {
            join(stripe, &mut out);
        }
        Ok(out)
    }
}

/// Joins the chunks of one stripe in order and writes both triangles.
fn join(stripe: &mut [Stripe], out: &mut DMatrix<f64>) {
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
mod chords;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Bounds, OutOfBounds, Records};
    use crate::loss::{Huber, Logistic, Squared, Targets};
    use crate::noise::{RandomBits, ReplayRng};
    use crate::problem::Problem;

    /// The Hessian's eigenvalues at random points of the ball lie between the bounds, and the bounds are attained to
    /// within a factor, so that the trivial bounds would not pass.
    fn check<L: Loss>(loss: L, centre: [f64; 3], radius: f64, floor_above: f64) {
        let mut rng = ReplayRng::new(3);
        let mut symmetric = || (rng.next_u64() >> 11) as f64 / (1_u64 << 52) as f64 - 1.0;
        let features: Vec<f64> = (0..900).map(|_| 0.57 * symmetric()).collect();
        let target = |y: f64| if loss.targets() == Targets::Classes { 1.0_f64.copysign(y) } else { y };
        let targets: Vec<f64> = (0..300).map(|_| target(symmetric())).collect();
        let bounds = Bounds::new(1.0).unwrap().with_target(1.0).unwrap();
        let records = Records::new(loss, bounds.clone(), OutOfBounds::Clip, features, targets).unwrap();
        let problem = Problem::new(loss, bounds, 3, 2.0).unwrap();
        let objective = problem.bind(&records).unwrap();
        let ball = Ball::new(centre.to_vec(), radius).unwrap();
        let Bend { floor, ceiling } = objective.curvature_on(&ball).unwrap();
        for _ in 0..300 {
            let theta =
                ball.project(&[symmetric(), symmetric(), symmetric()].map(|x| centre[0] + 2.0 * radius * x));
            let eigenvalues = objective.hessian(&theta).unwrap().symmetric_eigenvalues();
            assert!(floor <= eigenvalues.min() && eigenvalues.max() <= ceiling);
        }
        assert!(floor >= floor_above, "{floor}");
        assert!(ceiling <= 2.0 + 300.0 * records.loss().curvature_bound(), "{ceiling}");
    }

    /// The Gram matrix against products and sums that carry their rounding errors along: within the bound that the
    /// verified eigenvalues are moved by, and not exact, so that the comparison shows something.
    #[test]
    fn sums_of_outer_products_round_as_claimed() {
        let mut rng = ReplayRng::new(4);
        let mut symmetric = || (rng.next_u64() >> 11) as f64 / (1_u64 << 52) as f64 - 1.0;
        let features: Vec<f64> = (0..60_000).map(|_| 0.57 * symmetric()).collect();
        let bounds = Bounds::new(1.0).unwrap().with_target(1.0).unwrap();
        let records =
            Records::new(Logistic, bounds.clone(), OutOfBounds::Clip, features, vec![1.0; 20_000]).unwrap();
        let problem = Problem::new(Logistic, bounds, 3, 2.0).unwrap();
        let objective = problem.bind(&records).unwrap();
        let gram = objective.gram().unwrap();
        let mut square = 0.0;
        for (j, k) in (0..3).flat_map(|j| (0..3).map(move |k| (j, k))) {
            let (mut sum, mut rest) = (-gram[(j, k)], 0.0);
            for row in records.features().chunks_exact(3) {
                let product = row[j] * row[k];
                let total = sum + product;
                let part = total - sum;
                rest += ((sum - (total - part)) + (product - part)) + row[j].mul_add(row[k], -product);
                sum = total;
            }
            square += (sum + rest).powi(2);
        }
        let (error, bound) = (square.sqrt(), objective.rounding_of(&gram));
        assert!(error <= bound && error > 1e-3 * bound, "{error:e} {bound:e}");
    }

    /// As for vectors: the same bits whatever the width of the vectors.
    #[test]
    fn outer_products_have_the_same_bits_with_vectors_of_any_width() {
        for (rows, d) in [(64, 11), (64, 50), (63, 7), (9, 3), (1, 1)] {
            let number = |k: usize| ((k * 7919 + 13) % 1009) as f64 / 1009.0 - 0.5;
            let x: Vec<f64> = (0..rows * d).map(number).collect();
            let (y, theta) = (vec![1.0; rows], (0..d).map(|j| 3.0 * number(17 * j)).collect::<Vec<_>>());
            let [mut narrow, mut wide] = [(); 2].map(|()| Stripe::new(0, d, 0..d));
            let mut weights = vec![1.0; rows];
            Weights::Curvature(&theta).weigh(&Logistic, d, &x, &y, &mut weights);
            narrow.add_weighted(&x, &weights);
            let partition = Partition::for_matrices(rows, d);
            wide.add(Weights::Curvature(&theta), &Logistic, &partition, &x, &y);
            let bits = |stripe: &Stripe| stripe.sums.rounded().map(f64::to_bits).collect::<Vec<_>>();
            assert!(bits(&narrow) == bits(&wide) && narrow.sums.rounded().any(|sum| sum != 0.0));
        }
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
