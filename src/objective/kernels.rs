//! The inner loops: plain code over slices that the compiler turns into vector instructions.
//! spec: `own:objective`
//!
//! There is no fused multiply-add and no reordering that depends on the machine, so every target gives the same bits.
//! The machine decides how many numbers an instruction works on ([`with_widest_vectors`]), but this code fixes the
//! order in which lanes are added.

/// Does the work with the widest vector instructions that this machine has and pulp knows, found out at run time. What
/// is inlined into the work is compiled for them; the bits are the same, because the compiler never reorders or fuses
/// operations on `f64` (tested: `vectors_of_any_width_give_the_same_bits`).
#[inline]
pub(super) fn with_widest_vectors<T>(work: impl FnOnce() -> T) -> T {
    #[cfg(kani)]
    {
        work()
    }
    #[cfg(not(kani))]
    {
        pulp::Arch::new().dispatch(work)
    }
}

use super::partition::BLOCK_ROWS;

/// Running sums in one inner product.
const LANES: usize = 4;

/// Rows that are added to the gradient at once, so that each of its entries is loaded and stored once for all.
pub(super) const GROUP: usize = 8;

/// The number of roundings that one product in [`project`] goes through: its own, `⌊d/4⌋` in its lane, two to
/// join the lanes, and up to three for the tail.
pub(super) const fn projection_depth(dimension: usize) -> usize {
    dimension / LANES + 6
}

/// The number of roundings that one product in [`add_weighted_rows`] goes through for a block of that many
/// rows: its own, three in its group, and one for each group.
pub(super) const fn weighted_rows_depth(rows: usize) -> usize {
    rows.div_ceil(GROUP) + 4
}

/// The number of roundings that the loss of one row goes through in the sum of a block of that many rows: those that a
/// [`Loss`](crate::loss::Loss) promises for one strip, and one for the strip. A block of several strips has shorter
/// ones: with at least eight rows in each, `s/4 + 3 + ⌈64/s⌉` is largest for a single one.
pub(super) const fn losses_depth(rows: usize) -> usize {
    rows / LANES + 4
}

/// `z_i = ⟨x_i, θ⟩` for the rows of a row-major block.
///
/// One row after the other: several rows at once would save loads of θ, but reading the records strictly in
/// order is what the hardware prefetches, and this is the loop that waits for memory.
#[inline(always)]
pub(super) fn project(rows: &[f64], theta: &[f64], z: &mut [f64]) {
    let d = theta.len();
    for (rows, z) in rows.chunks(BLOCK_ROWS * d).zip(z.chunks_mut(BLOCK_ROWS)) {
        // The lanes of all rows first: their sums go to memory as one vector each, where joining them at once would
        // make the compiler take vectors of half the width.
        let mut lanes = [[0.0; LANES]; BLOCK_ROWS];
        for (row, lanes) in rows.chunks_exact(d).zip(&mut lanes) {
            *lanes = lane_sums(row, theta);
        }
        for ((row, lanes), z) in rows.chunks_exact(d).zip(&lanes).zip(z) {
            *z = joined(lanes, row, theta);
        }
    }
}

/// The predictions at two points, the same bits as one after the other. At the second time the block is in cache.
#[inline(always)]
pub(super) fn project_pair(rows: &[f64], points: [&[f64]; 2], z: &mut [f64], t: &mut [f64]) {
    project(rows, points[0], z);
    project(rows, points[1], t);
}

#[inline(always)]
pub(super) fn inner_product(a: &[f64], b: &[f64]) -> f64 {
    joined(&lane_sums(a, b), a, b)
}

/// The products of all but the last `len % 4` numbers, every fourth into the same sum.
#[inline(always)]
fn lane_sums(a: &[f64], b: &[f64]) -> [f64; LANES] {
    let mut sums = [0.0; LANES];
    for (a, b) in a.as_chunks::<LANES>().0.iter().zip(b.as_chunks::<LANES>().0) {
        for lane in 0..LANES {
            sums[lane] += a[lane] * b[lane];
        }
    }
    sums
}

/// The inner product from its [`lane_sums`].
#[inline(always)]
fn joined(sums: &[f64; LANES], a: &[f64], b: &[f64]) -> f64 {
    let body = (sums[0] + sums[2]) + (sums[1] + sums[3]);
    let (a, b) = (a.as_chunks::<LANES>().1, b.as_chunks::<LANES>().1);
    a.iter().zip(b).fold(body, |sum, (a, b)| sum + a * b)
}

/// `sum_j += Σ_i w_i·x_ij` for the first `sum.len()` columns of a row-major block.
///
/// The block has just been read, so it is in cache and eight rows at once are eight streams from there. A group
/// that is not full is filled with its first row at weight 0.
#[inline(always)]
pub(super) fn add_weighted_rows(rows: &[f64], dimension: usize, weights: &[f64], sum: &mut [f64]) {
    let columns = sum.len();
    for (group, weights) in rows.chunks(GROUP * dimension).zip(weights.chunks(GROUP)) {
        let (mut x, mut w) = ([&group[..columns]; GROUP], [0.0; GROUP]);
        let given = group.chunks_exact(dimension).zip(weights);
        for ((x, w), (row, weight)) in x.iter_mut().zip(&mut w).zip(given) {
            (*x, *w) = (&row[..columns], *weight);
        }
        for (j, sum) in sum.iter_mut().enumerate() {
            let low = (w[0] * x[0][j] + w[1] * x[1][j]) + (w[2] * x[2][j] + w[3] * x[3][j]);
            let high = (w[4] * x[4][j] + w[5] * x[5][j]) + (w[6] * x[6][j] + w[7] * x[7][j]);
            *sum += low + high;
        }
    }
}

/// Adds `terms` to `sums` and what the additions lost to `carries` (Knuth's two-sum: exact, without a branch).
#[inline(always)]
pub(super) fn add_compensated(terms: &[f64], sums: &mut [f64], carries: &mut [f64]) {
    for ((&term, sum), carry) in terms.iter().zip(sums).zip(carries) {
        let total = *sum + term;
        let added = total - *sum;
        *carry += (*sum - (total - added)) + (term - added);
        *sum = total;
    }
}

#[cfg(any(kani, test))]
#[path = "../../proofs/objective/kernels.rs"]
mod proofs;

#[cfg(test)]
#[allow(clippy::float_cmp, reason = "exact results are the point")]
mod tests {
    use super::*;

    /// Small integers: every operation is exact, so any order of summation gives the same.
    fn integers(count: usize, seed: usize) -> Vec<f64> {
        (0..count).map(|k| ((k * 7919 + seed) % 17) as f64 - 8.0).collect()
    }

    #[test]
    fn every_row_and_column_is_counted_once() {
        for dimension in 1..14 {
            for rows in 0..20 {
                let x = integers(rows * dimension, 3);
                let theta = integers(dimension, 5);
                let weights = integers(rows, 11);
                let mut z = vec![f64::NAN; rows];
                project(&x, &theta, &mut z);
                let (mut again, mut other) = (vec![f64::NAN; rows], vec![f64::NAN; rows]);
                let double: Vec<f64> = theta.iter().map(|x| 2.0 * x).collect();
                project_pair(&x, [&theta, &double], &mut again, &mut other);
                assert!(z == again && other.iter().zip(&z).all(|(other, z)| *other == 2.0 * z));
                for i in 0..rows {
                    let naive: f64 = (0..dimension).map(|j| x[i * dimension + j] * theta[j]).sum();
                    assert_eq!(z[i], naive, "row {i} of {rows}, {dimension} columns");
                }
                for columns in 0..=dimension {
                    let mut sum = vec![1.0; columns];
                    add_weighted_rows(&x, dimension, &weights, &mut sum);
                    for j in 0..columns {
                        let naive: f64 = (0..rows).map(|i| weights[i] * x[i * dimension + j]).sum();
                        assert_eq!(sum[j], 1.0 + naive, "column {j} of {dimension}, {rows} rows");
                    }
                }
            }
        }
    }

    #[test]
    fn compensation_keeps_what_an_addition_loses() {
        let (mut sum, mut carry) = ([0.0], [0.0]);
        for term in [1.0, 1e100, 1.0, -1e100] {
            add_compensated(&[term], &mut sum, &mut carry);
        }
        assert_eq!(sum[0] + carry[0], 2.0);
    }
}
