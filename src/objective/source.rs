//! Where the sums come from: records in memory, a file that is read again for each pass, or rows on other machines.
//! spec: `own:objective`

use super::partition::{BLOCK_ROWS, Partition};
use crate::bounds::Bounds;
use crate::data::{Records, Stream, Unavailable};
use crate::loss::Loss;
use crate::private::Private;
use rayon::prelude::*;
use rows::{Summed, Task};

/// What a source claims about the rounding of its sums: how many plain additions a term of one block goes through at
/// most, and how many parts are joined with compensation. [`gradient_rounding_bound`](super::gradient_rounding_bound)
/// and [`divergence_rounding_bound`](super::divergence_rounding_bound) are made of these numbers.
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
/// [`Records`] (in memory), [`Stream`] (read again for each pass) and [`Shards`](super::Shards) (held by others, who
/// answer with sums) are the three sources. All give the same bits.
pub trait Sums: rows::SummedRows {
    /// d: the number of parameters, the intercept included.
    fn dimension(&self) -> usize;

    /// The public bounds that every row was held to.
    fn bounds(&self) -> &Bounds;

    /// The loss that the rows are admissible for.
    fn loss(&self) -> &<Self as rows::SummedRows>::Loss;

    /// n, private under add/remove neighbours.
    fn count(&self) -> Private<u64>;

    /// How accurate the sums are.
    fn claim(&self) -> SumClaim {
        SumClaim::HOUSE
    }
}

/// Sums over rows that are here, in memory or in a file, so that they can be asked with another loss than their own.
/// Rows that others hold cannot. spec: `own:one-against-rest`
pub trait Here: Sums {}

impl<L: Loss> Here for Records<L> {}
impl<L: Loss> Here for Stream<L> {}

pub(crate) mod rows {
    use super::{Loss, Partition, Unavailable};
    use crate::objective::sums::Compensated;
    use crate::objective::wire::SumQuestion;

    /// Rows that can be asked for sums.
    pub trait SummedRows: Sync {
        /// The loss of a row.
        type Loss: Loss;

        /// n: the number of records.
        fn rows(&self) -> usize;

        /// Answers each task: the question, summed over the blocks of its chunk, blocks in order.
        fn sum<T: Task>(&self, partition: &Partition, question: T::Question<'_>, tasks: &mut [T]) -> Summed;
    }

    /// What a walk ends with.
    pub(crate) type Summed = Result<(), Unavailable>;

    /// A sum over one chunk of the rows.
    pub trait Task: Send {
        /// What is asked.
        type Question<'q>: SumQuestion;

        /// The number of the chunk.
        fn chunk(&self) -> usize;

        /// Adds a block of rows: features and targets.
        fn add<L: Loss>(
            &mut self,
            question: Self::Question<'_>,
            loss: &L,
            partition: &Partition,
            features: &[f64],
            targets: &[f64],
        );

        /// Takes its part of the sums of its chunk, which another party has computed.
        fn take(&mut self, chunk: &Compensated);
    }
}

impl<L: Loss> rows::SummedRows for Records<L> {
    type Loss = L;

    fn rows(&self) -> usize {
        self.len()
    }

    fn sum<T: Task>(&self, partition: &Partition, question: T::Question<'_>, tasks: &mut [T]) -> Summed {
        let d = Records::dimension(self);
        let one = |task: &mut T| {
            for rows in partition.blocks(task.chunk()) {
                let features = &self.features()[rows.start * d..rows.end * d];
                task.add(question, self.loss(), partition, features, &self.targets()[rows]);
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

impl<L: Loss> rows::SummedRows for Stream<L> {
    type Loss = L;

    fn rows(&self) -> usize {
        self.len()
    }

    fn sum<T: Task>(&self, partition: &Partition, question: T::Question<'_>, tasks: &mut [T]) -> Summed {
        let mut first = 0;
        self.pass(BLOCK_ROWS, |features, targets| {
            let current = partition.chunk_of(first);
            if partition.takes(first) {
                for task in tasks.iter_mut().filter(|task| task.chunk() == current) {
                    task.add(question, self.loss(), partition, features, targets);
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
