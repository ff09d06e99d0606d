//! Where the sums come from: records in memory, or a file that is read again for each pass. spec: `own:objective`

use super::partition::{BLOCK_ROWS, Partition};
use crate::bounds::Bounds;
use crate::data::{Records, Stream, Unavailable};
use crate::loss::Loss;
use crate::private::Private;
use rayon::prelude::*;
use rows::{Outcome, Task, Work};

/// What a source claims about the rounding of its sums: how many plain additions a term of one block goes through at
/// most, and how many parts are joined with compensation. [`gradient_rounding_bound`](super::gradient_rounding_bound) and
/// [`divergence_rounding_bound`](super::divergence_rounding_bound) are made of these numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SumClaim {
    /// Rows that are summed without compensation.
    pub block_rows: usize,
    /// Partial sums that are joined at the end.
    pub chunks: usize,
}

impl SumClaim {
    /// The claim with which everything is planned.
    pub const HOUSE: Self = Self { block_rows: BLOCK_ROWS, chunks: super::partition::MOST_CHUNKS };

    /// Whether sums with this claim are at least as accurate as planned.
    pub fn keeps(self, planned: Self) -> bool {
        self.block_rows <= planned.block_rows && self.chunks <= planned.chunks
    }
}

/// Something that can compute sums over rows: losses and their gradient at a point, divergences between two points,
/// weighted outer products. Sealed: the rows themselves never leave the crate.
///
/// [`Records`] (in memory) and [`Stream`] (read again for each pass) are the two sources. Both give the same bits.
pub trait Sums: rows::Rows {
    /// d: the number of parameters, the intercept included.
    fn dimension(&self) -> usize;

    /// The public bounds that every row was held to.
    fn bounds(&self) -> &Bounds;

    /// The loss that the rows are admissible for.
    fn loss(&self) -> &<Self as rows::Rows>::Loss;

    /// n, private under add/remove neighbours.
    fn count(&self) -> Private<u64>;

    /// How accurate the sums are.
    fn claim(&self) -> SumClaim {
        SumClaim::HOUSE
    }
}

pub(crate) mod rows {
    use super::{Loss, Partition, Unavailable};

    /// Rows that can be walked through, block by block.
    pub trait Rows: Sync {
        /// The loss of a row.
        type Loss: Loss;

        /// n: the number of records.
        fn rows(&self) -> usize;

        /// Calls `work(features, targets, task)` for every block of the chunk of each task, blocks in order.
        fn scan<T: Task>(&self, partition: &Partition, tasks: &mut [T], work: impl Work<T>) -> Outcome;
    }

    /// What a walk ends with.
    pub(crate) type Outcome = Result<(), Unavailable>;

    /// A sum over one chunk of the rows.
    pub trait Task: Send {
        /// The number of the chunk.
        fn chunk(&self) -> usize;
    }

    /// What is done with one block of rows: features, targets and the task that they are added to.
    pub trait Work<T>: Fn(&[f64], &[f64], &mut T) + Sync {}

    impl<T, F: Fn(&[f64], &[f64], &mut T) + Sync> Work<T> for F {}
}

impl<L: Loss> rows::Rows for Records<L> {
    type Loss = L;

    fn rows(&self) -> usize {
        self.len()
    }

    fn scan<T: Task>(&self, partition: &Partition, tasks: &mut [T], work: impl Work<T>) -> Outcome {
        let d = Records::dimension(self);
        let one = |task: &mut T| {
            for rows in partition.blocks(task.chunk()) {
                let features = &self.features()[rows.start * d..rows.end * d];
                work(features, &self.targets()[rows], task);
            }
        };
        if partition.is_parallel() {
            tasks.par_iter_mut().for_each(one);
        } else {
            tasks.iter_mut().for_each(one);
        }
        Ok(())
    }
}

impl<L: Loss> rows::Rows for Stream<L> {
    type Loss = L;

    fn rows(&self) -> usize {
        self.len()
    }

    fn scan<T: Task>(&self, partition: &Partition, tasks: &mut [T], work: impl Work<T>) -> Outcome {
        let mut first = 0;
        self.pass(BLOCK_ROWS, |features, targets| {
            let current = partition.chunk_of(first);
            if partition.takes(first) {
                for task in tasks.iter_mut().filter(|task| task.chunk() == current) {
                    work(features, targets, task);
                }
            }
            first += targets.len();
        })
    }
}

macro_rules! sums {
    ($($source:ident),+) => {$(
        impl<L: Loss> Sums for $source<L> {
            fn dimension(&self) -> usize {
                $source::dimension(self)
            }

            fn bounds(&self) -> &Bounds {
                $source::bounds(self)
            }

            fn loss(&self) -> &L {
                $source::loss(self)
            }

            fn count(&self) -> Private<u64> {
                Private::new(self.len() as u64)
            }
        }
    )+};
}

sums!(Records, Stream);
