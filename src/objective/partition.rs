//! Which rows are summed together. It depends only on the numbers of rows and columns, never on the number of threads,
//! so the sums are the same bits on every machine. spec: `own:objective`

use super::kernels::GROUP;
use core::ops::Range;

/// The most rows in one block: one compensated addition for so many plain ones.
pub(super) const BLOCK_ROWS: usize = 64;

/// Numbers in one strip. A strip is read twice, for the predictions and for the gradient; 8 KiB are still in the
/// first-level cache at the second time and leave room there for what is fetched ahead.
const STRIP_NUMBERS: usize = 1 << 10;

/// The most chunks of the sum over the records.
pub(super) const MOST_CHUNKS: usize = 64;

/// Fewer rows are not worth a chunk, whose sums must be cleared and joined.
const LEAST_CHUNK_ROWS: usize = 256;

/// Below so many multiplications waking other threads costs more than it saves.
const PARALLEL_WORK: usize = 1 << 18;

/// A loss costs about as much as so many columns.
const LOSS_WORK: usize = 16;

/// Blocks are summed plainly; the blocks of a chunk, and then the chunks, with compensation and in order.
#[derive(Clone, Copy)]
pub struct Partition {
    rows: usize,
    chunk_rows: usize,
    strip_rows: usize,
    row_work: usize,
    /// Every so many blocks one is taken.
    stride: usize,
}

impl Partition {
    /// For sums of one number for each column.
    pub(super) fn for_vectors(rows: usize, dimension: usize) -> Self {
        let strip_rows = (STRIP_NUMBERS / dimension.max(1)).clamp(GROUP, BLOCK_ROWS) / GROUP * GROUP;
        Self::new(rows, MOST_CHUNKS, strip_rows, dimension + LOSS_WORK)
    }

    /// For sums of one number for each pair of columns: fewer chunks where each of them is a large matrix
    /// (2²⁰ numbers in all, unless one matrix alone has more).
    pub(super) fn for_matrices(rows: usize, dimension: usize) -> Self {
        let square = dimension.saturating_mul(dimension);
        let chunks = ((1 << 20) / square.max(1)).clamp(1, MOST_CHUNKS);
        Self::new(rows, chunks, BLOCK_ROWS, square / 2 + LOSS_WORK)
    }

    fn new(rows: usize, most_chunks: usize, strip_rows: usize, row_work: usize) -> Self {
        let chunk_rows = rows.div_ceil(most_chunks).next_multiple_of(LEAST_CHUNK_ROWS).max(LEAST_CHUNK_ROWS);
        Self { rows, chunk_rows, strip_rows, row_work, stride: 1 }
    }

    /// Of every so many blocks only the first.
    pub(super) fn with_stride(self, stride: usize) -> Self {
        Self { stride: stride.max(1), ..self }
    }

    /// How many times the rows that are taken all rows are, about.
    pub(super) fn stride(&self) -> usize {
        self.stride
    }

    /// Whether the block that begins at a row is taken.
    pub(super) fn takes(&self, first: usize) -> bool {
        (first / BLOCK_ROWS).is_multiple_of(self.stride)
    }

    pub(super) fn chunks(&self) -> usize {
        self.rows.div_ceil(self.chunk_rows)
    }

    /// The chunk that a row belongs to.
    pub(super) fn chunk_of(&self, row: usize) -> usize {
        row / self.chunk_rows
    }

    /// The blocks of one chunk, as ranges of rows, in order.
    pub(super) fn blocks(&self, chunk: usize) -> impl Iterator<Item = Range<usize>> + use<> {
        self.blocks_of(self.rows_of(chunk))
    }

    /// The blocks of some rows of one chunk, in order; the rows begin where a block begins.
    pub(super) fn blocks_of(&self, rows: Range<usize>) -> impl Iterator<Item = Range<usize>> + use<> {
        let this = *self;
        split(rows, BLOCK_ROWS).filter(move |rows| this.takes(rows.start))
    }

    /// The rows of a chunk that are among these.
    pub(super) fn rows_within(&self, chunk: usize, rows: &Range<usize>) -> Range<usize> {
        let own = self.rows_of(chunk);
        own.start.max(rows.start)..own.end.min(rows.end)
    }

    /// The rows of one chunk.
    pub(super) fn rows_of(&self, chunk: usize) -> Range<usize> {
        let start = chunk * self.chunk_rows;
        start..self.rows.min(start + self.chunk_rows)
    }

    /// The strips of one block, in order.
    pub(super) fn strips(&self, block: Range<usize>) -> impl Iterator<Item = Range<usize>> + use<> {
        split(block, self.strip_rows)
    }

    /// Whether the sums are worth more than one thread. They do not depend on it.
    pub(super) fn is_parallel(&self) -> bool {
        (self.rows / self.stride).saturating_mul(self.row_work) >= PARALLEL_WORK
            && rayon::current_num_threads() > 1
    }
}

/// Cuts a range into pieces of the given length; the last may be shorter.
fn split(range: Range<usize>, length: usize) -> impl Iterator<Item = Range<usize>> {
    let end = range.end;
    range.step_by(length).map(move |first| first..end.min(first + length))
}

#[cfg(any(kani, test))]
#[path = "../../proofs/objective/partition.rs"]
mod proofs;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_is_in_exactly_one_strip() {
        for rows in [0, 1, 7, 8, 63, 64, 65, 255, 256, 257, 4_999, 16_384, 16_385, 50_000, 1_000_003] {
            for dimension in [1, 3, 11, 50, 300, 1_000, 5_000, 1_000_000] {
                for partition in
                    [Partition::for_vectors(rows, dimension), Partition::for_matrices(rows, dimension)]
                {
                    let mut next = 0;
                    assert!(partition.chunks() <= MOST_CHUNKS);
                    for block in (0..partition.chunks()).flat_map(|chunk| partition.blocks(chunk)) {
                        assert!(!block.is_empty() && block.len() <= BLOCK_ROWS);
                        for strip in partition.strips(block) {
                            assert_eq!(strip.start, next);
                            assert!(strip.len().is_multiple_of(GROUP) || strip.end == rows);
                            next = strip.end;
                        }
                    }
                    assert_eq!(next, rows);
                }
            }
        }
    }
}
