//! Proved bounds on the eigenvalues of symmetric matrices. spec: `own:spectrum`
//!
//! A computed eigenvalue is a guess. A Cholesky factorisation of `M − tI` that runs to its end proves `λ_min(M) ≥ t`:
//! its factor is the exact factor of a matrix that differs by less than a known multiple of the trace.
//!
//! Only the **lower triangle** of a symmetric matrix is read.

use nalgebra::DMatrix;

/// The largest dimension: up to here the bound on the rounding holds with the margin that it has.
const LARGEST: usize = 1 << 20;

/// How often the margin below the guess is doubled.
const STEPS: u32 = 64;

/// Far above what underflow can do to a sum of 2⁶⁰ products, far below every number of practice.
const INVISIBLE: f64 = f64::from_bits((1023 - 900) << 52);

/// Whether every eigenvalue of the symmetric matrix with this lower triangle is **proved** to be at least `t`.
///
/// `false` says nothing: the eigenvalue may be too close to `t`, or an entry may be no number.
///
/// ```
/// use asap_dp::spectrum::verified_floor;
/// // Eigenvalues 1 and 3.
/// let matrix = nalgebra::DMatrix::from_row_slice(2, 2, &[2.0, 1.0, 1.0, 2.0]);
/// assert!(verified_floor(&matrix, 0.999_999_999) && !verified_floor(&matrix, 1.000_000_001));
/// ```
#[must_use]
pub fn verified_floor(matrix: &DMatrix<f64>, t: f64) -> bool {
    if !is_square(matrix) {
        return false;
    }
    // The factor of M − t'I is exact for a matrix within (d + 3)u·Σ(m_jj − t') of it: twice that is added to t.
    let shift = (t + slack(matrix, t)).next_up();
    shift.is_finite() && completes(matrix, shift)
}

/// A proved lower bound of the eigenvalues, close to the smallest of them; −∞ where none was found.
#[must_use]
pub fn lower_eigenvalue(matrix: &DMatrix<f64>) -> f64 {
    if !is_square(matrix) || !matrix.iter().all(|entry| entry.is_finite()) {
        return f64::NEG_INFINITY;
    }
    let guess = matrix.symmetric_eigenvalues().min();
    let mut margin = 2.0 * slack(matrix, guess);
    for _ in 0..STEPS {
        if verified_floor(matrix, guess - margin) {
            return guess - margin;
        }
        margin *= 2.0;
    }
    f64::NEG_INFINITY
}

/// A proved upper bound of the eigenvalues, close to the largest of them; +∞ where none was found.
#[must_use]
pub fn upper_eigenvalue(matrix: &DMatrix<f64>) -> f64 {
    -lower_eigenvalue(&-matrix)
}

fn is_square(matrix: &DMatrix<f64>) -> bool {
    matrix.is_square() && (1..=LARGEST).contains(&matrix.nrows())
}

/// At least twice the rounding of a Cholesky factorisation of M − tI.
fn slack(matrix: &DMatrix<f64>, t: f64) -> f64 {
    let d = matrix.nrows() as f64;
    let trace: f64 = matrix.diagonal().iter().map(|entry| entry.abs()).sum();
    ((d + 4.0) * f64::EPSILON * (trace + d * t.abs())).max(INVISIBLE)
}

/// Whether the Cholesky factorisation of M − tI finds a positive pivot in every row.
fn completes(matrix: &DMatrix<f64>, t: f64) -> bool {
    let d = matrix.nrows();
    // Row by row: row i of the factor needs the rows before it.
    let mut factor = vec![0.0; d * d];
    for i in 0..d {
        let (above, row) = factor.split_at_mut(i * d);
        for j in 0..i {
            let other = &above[j * d..=j * d + j];
            let known: f64 = row[..j].iter().zip(other).fold(matrix[(i, j)], |rest, (a, b)| rest - a * b);
            row[j] = known / other[j];
        }
        let pivot = row[..i].iter().fold(matrix[(i, i)] - t, |rest, a| rest - a * a);
        // NaN is not positive; an entry that is infinite or NaN reaches the pivot of its row.
        if !(pivot > 0.0 && pivot.is_finite()) {
            return false;
        }
        row[i] = pivot.sqrt();
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;
    use core::f64::consts::PI;
    use quickcheck::quickcheck;

    /// Whether both bounds hold, and are within `relative·spread` of the exact eigenvalues.
    fn close(matrix: &DMatrix<f64>, least: f64, largest: f64, relative: f64) -> bool {
        let (lower, upper) = (lower_eigenvalue(matrix), upper_eigenvalue(matrix));
        let gap = relative * least.abs().max(largest.abs());
        (least - gap..=least).contains(&lower) && (largest..=largest + gap).contains(&upper)
    }

    /// I + aaᵀ: eigenvalues 1 and 1 + ‖a‖².
    fn spike(a: &[f64]) -> DMatrix<f64> {
        DMatrix::from_fn(a.len(), a.len(), |i, j| a[i] * a[j] + f64::from(u8::from(i == j)))
    }

    /// The path of d nodes: 2 − 2cos(jπ/(d+1)), j = 1 … d.
    fn path(d: usize) -> DMatrix<f64> {
        DMatrix::from_fn(d, d, |i, j| match i.abs_diff(j) {
            0 => 2.0,
            1 => -1.0,
            _ => 0.0,
        })
    }

    #[test]
    fn bounds_of_matrices_with_known_eigenvalues() {
        assert!(close(&DMatrix::from_row_slice(1, 1, &[-3.0]), -3.0, -3.0, 1e-13));
        assert!(close(&DMatrix::from_row_slice(2, 2, &[2.0, 1.0, 1.0, 2.0]), 1.0, 3.0, 1e-13));
        assert!(close(&spike(&[1.0, 2.0, 3.0, -4.0, 5.0]), 1.0, 56.0, 1e-13));
        assert!(
            close(&DMatrix::zeros(4, 4), 0.0, 0.0, 0.0) || lower_eigenvalue(&DMatrix::zeros(4, 4)) > -1e-200
        );
        for d in [3, 11, 60] {
            let angle = PI / (d as f64 + 1.0);
            // The cosines are rounded; the bounds are wider than that.
            assert!(close(&path(d), 2.0 - 2.0 * angle.cos(), 2.0 + 2.0 * angle.cos(), 1e-11), "{d}");
        }
    }

    /// The Hilbert matrix of order 6 times 27720: condition 1.5·10⁷, and bounds of its eigenvalues from integers.
    #[test]
    fn ill_conditioned_matrices_have_true_bounds() {
        // 27720 = lcm(1, …, 12): every entry is a whole number.
        let hilbert = DMatrix::from_fn(6, 6, |i, j| 27720.0 / (i + j + 1) as f64);
        let (lower, upper) = (lower_eigenvalue(&hilbert), upper_eigenvalue(&hilbert));
        // 1/λ_min is at most the trace of the inverse, which is an integer over 27720, and at least a sixth of it.
        let trace_of_inverse: f64 = (1..=6).map(|i| inverse_hilbert_diagonal(6, i) as f64 / 27720.0).sum();
        assert!(lower <= 6.0 / trace_of_inverse && lower >= 0.99 / trace_of_inverse, "{lower}");
        // λ_max lies between the mean and the largest row sum.
        let row_sums: Vec<f64> = hilbert.row_iter().map(|row| row.sum()).collect();
        assert!(
            upper >= row_sums.iter().sum::<f64>() / 6.0 && upper <= row_sums[0] * (1.0 + 1e-12),
            "{upper}"
        );
        assert!(!verified_floor(&hilbert, 1.01 * 6.0 / trace_of_inverse));
    }

    /// The diagonal of the inverse of the Hilbert matrix of order n: (2i−1)·[C(n+i−1,
    /// n−i)·C(n+i−1, n−i)·C(2i−2, i−1)²].
    fn inverse_hilbert_diagonal(n: u64, i: u64) -> u64 {
        let choose = |n: u64, k: u64| (0..k).fold(1, |value, j| value * (n - j) / (j + 1));
        (2 * i - 1) * choose(n + i - 1, n - i).pow(2) * choose(2 * i - 2, i - 1).pow(2)
    }

    #[test]
    fn a_claim_one_per_cent_too_high_is_refused() {
        for (matrix, least) in [
            (spike(&[1.0, 2.0, 3.0, -4.0, 5.0]), 1.0),
            (spike(&[1e6, -1e6, 3e5]), 1.0),
            (path(11), 2.0 - 2.0 * (PI / 12.0).cos()),
        ] {
            assert!(verified_floor(&matrix, 0.99 * least) && !verified_floor(&matrix, 1.01 * least));
        }
        // Exactly at the eigenvalue the remainder is singular, and nothing is claimed.
        assert!(!verified_floor(&spike(&[3.0, 4.0]), 1.0));
    }

    #[test]
    fn what_is_no_matrix_has_no_bound() {
        for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            for place in [(0, 0), (1, 0), (2, 1), (2, 2)] {
                let mut matrix = DMatrix::identity(3, 3);
                matrix[place] = bad;
                assert!(!verified_floor(&matrix, -10.0), "{bad} {place:?}");
                assert!(lower_eigenvalue(&matrix) == f64::NEG_INFINITY && upper_eigenvalue(&matrix) > 1e300);
            }
            assert!(!verified_floor(&DMatrix::identity(2, 2), bad) || bad == f64::NEG_INFINITY);
        }
        assert!(!verified_floor(&DMatrix::zeros(0, 0), -1.0) && !verified_floor(&DMatrix::zeros(2, 3), -1.0));
        assert!(!verified_floor(&(DMatrix::identity(2, 2) * 1e308), 1e308));
    }

    quickcheck! {
        /// Random integer matrices XᵀX + kI: the bound for k is claimed, and never a number above a Rayleigh quotient.
        fn bounds_are_below_every_rayleigh_quotient(rows: Vec<(i8, i8, i8)>, k: u8, x: (i8, i8, i8)) -> bool {
            let rows: Vec<[f64; 3]> =
                rows.iter().map(|row| [row.0, row.1, row.2].map(f64::from)).collect();
            let gram = DMatrix::from_fn(3, 3, |i, j| {
                rows.iter().map(|row| row[i] * row[j]).sum::<f64>() + if i == j { f64::from(k) } else { 0.0 }
            });
            let x = [f64::from(x.0) + 0.5, f64::from(x.1), f64::from(x.2)];
            let square: f64 = x.iter().map(|x| x * x).sum();
            let image = |i: usize| (0..3).map(|j| gram[(i, j)] * x[j]).sum::<f64>();
            let quotient = (0..3).map(|i| x[i] * image(i)).sum::<f64>() / square;
            let (lower, upper) = (lower_eigenvalue(&gram), upper_eigenvalue(&gram));
            lower <= quotient * (1.0 + 1e-14) && quotient * (1.0 - 1e-14) <= upper
                && lower >= f64::from(k) - 1e-12 * (upper + 1.0)
        }
    }
}
