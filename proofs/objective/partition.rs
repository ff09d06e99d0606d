//! Every row is summed once.

use super::*;
use crate::proofs::{assume, cover, harness};

harness! {
    /// spec: `own:objective`
    /// covers: objective::partition::Partition::chunk_of, objective::partition::Partition::rows_of,
    /// objective::partition::Partition::chunks — within a bound
    ///
    /// Every row is in the chunk that it belongs to and in no other, and there is no chunk beyond the last: the sums
    /// over the chunks are the sum over the rows.
    ///
    /// assumes: a row of the data set. bound: at most 255 rows, chunks of 1 to 255 rows; the source divides whole
    /// numbers, whose size does not matter. solver: cadical.
    /// mutation: `the last row of a chunk is in the next one, too`
    [kani::proof, kani::unwind(2), kani::solver(cadical)]
    fn verify_rows_of__every_row_once(rows: u8, chunk_rows: u8, row: u8, other: u8) {
        assume!(row < rows && chunk_rows > 0);
        let (rows, chunk_rows, row, other) = (rows.into(), chunk_rows.into(), usize::from(row), usize::from(other));
        let partition = Partition { rows, chunk_rows, strip_rows: 1, row_work: 1, stride: 1 };
        let chunk = partition.chunk_of(row);
        cover!(chunk > 3 && row + 1 == rows);
        cover!(partition.rows_of(other).contains(&row));
        assert!(chunk < partition.chunks());
        assert!(partition.rows_of(other).contains(&row) == (other == chunk));
    }
}

harness! {
    /// spec: `own:objective`
    /// covers: objective::partition::Partition::new — within a bound
    ///
    /// The chunks hold all rows, each of them whole blocks, and there are not more of them than the
    /// claim about rounding says.
    ///
    /// assumes: nothing. bound: all 32-bit numbers of rows, the 64 chunks of the sums of gradients. solver: cadical.
    /// mutation: `chunks that are too short`
    [kani::proof, kani::unwind(2), kani::solver(cadical)]
    fn verify_partition__chunks_hold_all_rows(rows: u32) {
        let rows = rows as usize;
        let partition = Partition::new(rows, MOST_CHUNKS, BLOCK_ROWS, 1);
        cover!(partition.chunk_rows > LEAST_CHUNK_ROWS);
        assert!(partition.chunk_rows * MOST_CHUNKS >= rows);
        assert!(partition.chunk_rows >= LEAST_CHUNK_ROWS && partition.chunk_rows.is_multiple_of(BLOCK_ROWS));
    }
}

harness! {
    /// spec: `own:objective`
    /// covers: objective::partition::split — within a bound
    ///
    /// The pieces of a range follow each other without gap or overlap, from its first row to its last; none is empty
    /// and none is longer than asked for.
    ///
    /// assumes: a positive length. bound: ranges of at most 12 rows that begin below 256, any length. solver: cadical.
    /// mutation: `pieces that overlap`
    [kani::proof, kani::unwind(14), kani::solver(cadical)]
    fn verify_split__pieces_follow_each_other(start: u8, rows: u8, length: u8) {
        let (start, rows, length) = (usize::from(start), usize::from(rows % 13), usize::from(length % 16 + 1));
        let (mut next, mut pieces) = (start, 0);
        for piece in split(start..start + rows, length) {
            assert!(piece.start == next && piece.end > piece.start && piece.end - piece.start <= length);
            next = piece.end;
            pieces += 1;
        }
        cover!(pieces == 12);
        cover!(pieces == 2 && length == 7);
        assert!(next == start + rows);
    }
}

harness! {
    /// spec: `own:shards`
    /// covers: objective::partition::Partition::rows_within — within a bound
    ///
    /// A chunk that is shared by two consecutive shards: the rows of the first, then those of the second, are the rows
    /// of the chunk, without gap or overlap. By induction over the shards a chunk is summed as a whole, in order.
    ///
    /// assumes: nothing. bound: at most 255 rows in chunks of 1 to 255, three shards. solver: cadical.
    /// mutation: `a shard forgets where it ends`
    [kani::proof, kani::unwind(4), kani::solver(cadical)]
    fn verify_rows_within__shards_share_a_chunk(rows: u8, chunk_rows: u8, chunk: u8, cuts: [u8; 2]) {
        assume!(chunk_rows > 0);
        let (rows, chunk_rows) = (usize::from(rows), usize::from(chunk_rows));
        let partition = Partition { rows, chunk_rows, strip_rows: 1, row_work: 1, stride: 1 };
        assume!(partition.chunks() > 0);
        let chunk = usize::from(chunk) % partition.chunks();
        let [a, b] = cuts.map(|cut| usize::from(cut).min(rows));
        let (a, b) = (a.min(b), a.max(b));
        let whole = partition.rows_of(chunk);
        let mut next = whole.start;
        for shard in [0..a, a..b, b..rows] {
            let part = partition.rows_within(chunk, &shard);
            if !part.is_empty() {
                assert!(part.start == next && shard.contains(&part.start) && part.end <= shard.end);
                next = part.end;
            }
        }
        cover!(whole.contains(&a) && whole.contains(&b) && a < b && a > whole.start);
        assert!(next == whole.end);
    }
}
