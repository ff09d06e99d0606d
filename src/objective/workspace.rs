//! The buffers of an evaluation.

use super::kernels::with_widest_vectors;
use super::partition::Partition;
use super::question::Query;
use super::source::rows::Task;
use super::sums::Compensated;
use crate::loss::Loss;
use crate::private::Private;

/// All memory that evaluating an objective needs, so an evaluation allocates nothing.
///
/// Made by [`Objective::workspace`](super::Objective::workspace). It holds sums over the records: the gradient
/// leaves as [`Private`] only, and neither a workspace nor an objective can be printed:
///
/// ```compile_fail,E0277
/// fn print(workspace: &asap_dp::objective::Workspace) {
///     println!("{workspace:?}");
/// }
/// ```
pub struct Workspace {
    pub(super) partials: Vec<Partial>,
    total: Compensated,
    /// The value, then the gradient.
    pub(super) result: Vec<f64>,
}

/// The sums of one chunk. Entry 0 belongs to the value, the others to the gradient.
pub(super) struct Partial {
    chunk: usize,
    pub(super) block: Vec<f64>,
    pub(super) total: Compensated,
}

impl Task for Partial {
    type Question<'q> = Query<'q>;

    fn chunk(&self) -> usize {
        self.chunk
    }

    #[inline]
    fn add<L: Loss>(
        &mut self,
        query: Query<'_>,
        loss: &L,
        partition: &Partition,
        features: &[f64],
        targets: &[f64],
    ) {
        with_widest_vectors(
            #[inline(always)]
            || self.add_block(query, loss, partition, features, targets),
        );
    }

    fn take(&mut self, chunk: &Compensated) {
        self.total.copy_from(chunk, 0);
    }
}

impl Partial {
    /// Adds a block with whatever vectors it is compiled for.
    #[inline(always)]
    pub(super) fn add_block<L: Loss>(
        &mut self,
        query: Query<'_>,
        loss: &L,
        partition: &Partition,
        features: &[f64],
        targets: &[f64],
    ) {
        let d = self.block.len() - 1;
        self.block.fill(0.0);
        for rows in partition.strips(0..targets.len()) {
            let x = &features[rows.start * d..rows.end * d];
            query.add(loss, x, &targets[rows], &mut self.block);
        }
        self.total.add(0, &self.block);
    }

    /// Nothing summed yet.
    pub(super) fn new(chunk: usize, dimension: usize) -> Self {
        let width = dimension + 1;
        Self { chunk, block: vec![0.0; width], total: Compensated::new(width) }
    }

    /// Begins the sums of a chunk.
    pub(super) fn start(&mut self, chunk: usize) {
        self.chunk = chunk;
        self.total.clear();
    }
}

impl Workspace {
    pub(super) fn new(chunks: usize, dimension: usize) -> Self {
        let (width, partials) = (dimension + 1, (0..chunks).map(|chunk| Partial::new(chunk, dimension)));
        Self { partials: partials.collect(), total: Compensated::new(width), result: vec![0.0; width] }
    }

    /// Makes the buffers fit; nothing happens when they are of this objective already.
    pub(super) fn fit(&mut self, chunks: usize, dimension: usize) {
        if self.partials.len() != chunks || self.result.len() != dimension + 1 {
            *self = Self::new(chunks, dimension);
        }
    }

    /// Joins the chunks in their order, wherever they were computed, and rounds the sums once.
    pub(super) fn join(&mut self) {
        self.total.clear();
        for partial in &self.partials {
            self.total.join(&partial.total);
        }
        for (result, sum) in self.result.iter_mut().zip(self.total.rounded()) {
            *result = sum;
        }
    }

    /// ∇J at the point of the last evaluation.
    pub(crate) fn gradient(&self) -> &[f64] {
        &self.result[1..]
    }

    /// A copy of ∇J at the point of the last evaluation.
    pub fn private_gradient(&self) -> Private<Vec<f64>> {
        Private::new(self.gradient().to_vec())
    }
}
