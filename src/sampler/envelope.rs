//! The shape of the exact draw's proposals: a matrix for which the potential is proved to be above a parabola.
//! spec: `own:exact`

use crate::exact_draw::largest_reach;
use crate::spectrum::verified_floor;
use nalgebra::DMatrix;

/// κ: the part of the curvature that is given away, so that verification succeeds in `f64`.
pub(super) const SHORTFALL: f64 = f64::from_bits((1023 - 10) << 52);

/// How much wider (squared) than the last shape the next one may be, in one weighted pass over the records after the
/// other; the reach of the weights allows for it. A narrower one would be worth some acceptance, but not another pass.
const WIDENINGS: [f64; 8] = [1.2, 1.25, 1.5, 2.0, 2.0, 4.0, 4.0, 8.0];

/// Eigenvectors cost d³.
const LARGEST_EIGENPROBLEM: usize = 512;

/// A matrix M, rows first, and a reach ρ for which D(Mw) ≥ (1 − κ)‖w‖²/2 was **proved** for ‖w‖ ≤ ρ. spec: `own:exact`
pub struct Envelope {
    rows: Vec<f64>,
    pub(super) dimension: usize,
    /// ρ: how far the quadratic bound reaches.
    pub(super) reach: f64,
    /// Not below the largest ‖Mw‖/‖w‖.
    stretch: f64,
}

impl Envelope {
    /// Searches a shape below the potential, from a first guess of its Hessian at the anchor.
    ///
    /// `weighted(map, reach)` is A = γ(ΛI + Σ wᵢxᵢxᵢᵀ), where wᵢ ≤ 2bᵢ(t)/t² for 0 < |t| ≤ reach·‖mapᵀxᵢ‖ and bᵢ is the
    /// divergence of record i at its prediction for the anchor. *Caller-verified*: that, and that the matrix returned
    /// is within `rounding` of the true one (2-norm). `None`: not found, or the arithmetic could not prove it.
    pub fn new(
        hessian: &DMatrix<f64>,
        reach: f64,
        rounding: f64,
        mut weighted: impl FnMut(&DMatrix<f64>, f64) -> DMatrix<f64>,
    ) -> Option<Self> {
        let d = hessian.nrows();
        // NaN is not in a range.
        if !(1.0..=largest_reach(d as f64)).contains(&reach) {
            return None;
        }
        let mut shape = inverse_root(hessian)?;
        for widening in WIDENINGS {
            let wide = &shape * widening.sqrt();
            let floor = weighted(&wide, reach);
            let map = inverse_root(&floor).filter(|map| map.shape() == shape.shape())?;
            if covers(&wide, &map) && is_below(&map, &floor, rounding) {
                // The Frobenius norm, with room for its own rounding.
                let stretch = map.norm() * (1.0 + SHORTFALL);
                // Column by column is how a matrix is stored: the transpose has the rows.
                let rows = map.transpose().as_slice().to_vec();
                return Some(Self { rows, dimension: d, reach, stretch });
            }
            shape = map;
        }
        None
    }

    /// Mw: where a proposal lies, seen from the anchor.
    pub(super) fn image(&self, w: &[f64]) -> Vec<f64> {
        self.rows.chunks_exact(self.dimension).map(|row| dot(row, w)).collect()
    }

    /// A number not below ‖Mᵀ∇f(x₀)‖, from a gradient within `error` of ∇f(x₀).
    pub(super) fn slope(&self, gradient: &[f64], error: f64) -> f64 {
        let column = |k: usize| self.rows.iter().skip(k).step_by(self.dimension).copied();
        let image = (0..self.dimension).map(|k| dot(&column(k).collect::<Vec<_>>(), gradient));
        let error = error + f64::EPSILON * norm(gradient);
        (norm(&image.collect::<Vec<_>>()) + self.stretch * error) * (1.0 + SHORTFALL * SHORTFALL)
    }
}

/// U·diag(λ)^(−1/2) for a positive definite matrix UᵀΛU: columns of any length, but perpendicular to each other to
/// within 2⁻¹⁰, which is proved. `None` if it is not such a matrix, or far out of range.
fn inverse_root(matrix: &DMatrix<f64>) -> Option<DMatrix<f64>> {
    let d = matrix.nrows();
    let is_usual = matrix.is_square() && (1..=LARGEST_EIGENPROBLEM).contains(&d);
    if !is_usual || !matrix.iter().all(|entry| entry.is_finite()) {
        return None;
    }
    let eigen = matrix.clone().symmetric_eigen();
    let mut root = eigen.eigenvectors;
    // The computed product is within d²·2⁻⁵² of the true one: together less than κ. NaN is not.
    let is_orthogonal = (root.tr_mul(&root) - DMatrix::identity(d, d)).norm() <= 0.5 * SHORTFALL;
    let in_range = |value: &f64| (1e-200..1e200).contains(value);
    if !is_orthogonal || !eigen.eigenvalues.iter().all(in_range) {
        return None;
    }
    for (mut column, value) in root.column_iter_mut().zip(eigen.eigenvalues.iter()) {
        column *= value.sqrt().recip();
    }
    Some(root)
}

/// Whether MMᵀ ≼ WWᵀ is proved: then ‖Mᵀx‖ ≤ ‖Wᵀx‖ for every x.
fn covers(wide: &DMatrix<f64>, map: &DMatrix<f64>) -> bool {
    let difference = wide * wide.transpose() - map * map.transpose();
    verified_floor(&difference, product_rounding(map.nrows()) * (wide.norm_squared() + map.norm_squared()))
}

/// Whether MᵀAM ≽ (1 − κ)I is proved, for every A within `rounding` of the given one.
fn is_below(map: &DMatrix<f64>, floor: &DMatrix<f64>, rounding: f64) -> bool {
    let gram = map.tr_mul(&(floor * map));
    let error = product_rounding(map.nrows()) * floor.norm() + 1.01 * rounding;
    verified_floor(&gram, 1.0 - SHORTFALL + error * map.norm_squared())
}

/// More than the relative rounding of a product of three d×d matrices, in the Frobenius norm:
/// 2√2·d·u and higher orders.
fn product_rounding(d: usize) -> f64 {
    4.0 * d as f64 * f64::EPSILON
}

/// ⟨x, y⟩ with the error of one rounding: products and sums carry their own rounding errors along
/// (Ogita, Rump, Oishi 2005).
pub(super) fn dot(x: &[f64], y: &[f64]) -> f64 {
    let (mut sum, mut rest) = (0.0, 0.0);
    for (&a, &b) in x.iter().zip(y) {
        let product = a * b;
        let total = sum + product;
        let part = total - sum;
        rest += ((sum - (total - part)) + (product - part)) + a.mul_add(b, -product);
        sum = total;
    }
    sum + rest
}

/// ‖x‖, within two roundings; also where the squares underflow.
pub(super) fn norm(x: &[f64]) -> f64 {
    let square = dot(x, x);
    if square >= SMALL * SMALL {
        return square.sqrt();
    }
    let scaled: Vec<f64> = x.iter().map(|x| x / SMALL).collect();
    dot(&scaled, &scaled).sqrt() * SMALL
}

/// 2⁻⁴⁵⁰.
const SMALL: f64 = f64::from_bits((1023 - 450) << 52);

#[cfg(test)]
mod tests {
    use super::*;
    use quickcheck::quickcheck;

    /// Eigenvalues 1 and `condition`, in a basis that is no multiple of the axes.
    fn stretched(condition: f64) -> DMatrix<f64> {
        let (sin, cos) = 0.7_f64.sin_cos();
        let basis = DMatrix::from_row_slice(2, 2, &[cos, -sin, sin, cos]);
        let stretch = DMatrix::from_row_slice(2, 2, &[1.0, 0.0, 0.0, condition]);
        &basis * stretch * basis.transpose()
    }

    #[test]
    fn a_root_is_below_and_covered_and_a_wider_one_is_not() {
        for condition in [1.0, 30.0, 1e6] {
            let matrix = stretched(condition);
            let root = inverse_root(&matrix).unwrap();
            assert!(is_below(&root, &matrix, 1e-9) && covers(&(&root * 1.001), &root), "{condition}");
            // MᵀAM is 0.99; the cover is one per cent too narrow, or the matrix may be off by one per cent.
            assert!(!is_below(&(&root * 0.99_f64.sqrt()), &matrix, 1e-9), "{condition}");
            assert!(!covers(&(&root * 0.99), &root) && !is_below(&root, &matrix, 0.01), "{condition}");
            // One direction only.
            let mut narrow = &root * 1.5;
            narrow.column_mut(1).scale_mut(0.66);
            assert!(!covers(&narrow, &root), "{condition}");
        }
        // Where double precision cannot tell, nothing is claimed.
        assert!(!is_below(
            &inverse_root(&stretched(1e15)).unwrap_or(DMatrix::zeros(2, 2)),
            &stretched(1e15),
            0.0
        ));
    }

    #[test]
    fn the_search_widens_until_the_shape_covers_itself() {
        // The floor falls with the reach: A⁻¹ = H⁻¹ + 0.1ρ²·WWᵀ, which settles at H⁻¹/(1 − 0.44).
        let (mut passes, mut last) = (0, DMatrix::zeros(2, 2));
        let envelope = Envelope::new(&stretched(30.0), 2.0, 0.0, |map, reach| {
            passes += 1;
            last.copy_from(map);
            let lengths = map * map.transpose() * (0.1 * reach * reach);
            (stretched(30.0).try_inverse().unwrap() + lengths).try_inverse().unwrap()
        });
        // The weights were made for a reach that covers the shape that was found.
        let found = DMatrix::from_row_slice(2, 2, &envelope.unwrap().rows);
        assert!((2..=8).contains(&passes) && covers(&last, &found), "{passes}");
        // A floor that falls by half each time is never covered.
        let halving = Envelope::new(&stretched(30.0), 2.0, 0.0, |map, _| {
            (map * map.transpose()).try_inverse().unwrap() * 0.5
        });
        assert!(halving.is_none());
    }

    #[test]
    fn the_slope_is_not_below_the_gradient_in_the_metric() {
        let envelope = Envelope::new(&stretched(4.0), 2.0, 0.0, |_, _| stretched(4.0)).unwrap();
        // gᵀH⁻¹g for g = H·(1, 2).
        let (x, h) = (nalgebra::DVector::from_column_slice(&[1.0, 2.0]), stretched(4.0));
        let exact = x.dot(&(&h * &x)).sqrt();
        let slope = envelope.slope((&h * &x).as_slice(), 0.0);
        assert!(slope >= exact && slope < exact * 1.000_01, "{slope} {exact}");
        // The error counts along the longest direction: 1.
        let off = envelope.slope((&h * &x).as_slice(), 0.5);
        assert!(off >= exact + 0.5 && off < exact + 0.7, "{off}");
    }

    /// Relative errors of w move Mw by as much, relatively, whatever the condition of M is; not
    /// so for a triangular root.
    #[test]
    fn the_condition_of_the_shape_does_not_enter_the_rounding_of_a_point() {
        // Eigenvalues 1 and 10⁸ again, with the long axis nearly along the first coordinate.
        let matrix = DMatrix::from_row_slice(2, 2, &[2.0, 1e4, 1e4, 1e8]);
        let triangular = matrix.clone().cholesky().unwrap().l().try_inverse().unwrap().transpose();
        let largest_move = |root: &DMatrix<f64>| {
            // Directions of v all around; the components of w = M⁻¹v are off by ±10⁻⁶.
            (0..64).map(|k| f64::from(k) / 10.0).fold(0.0, |largest: f64, angle| {
                let v = nalgebra::DVector::from_column_slice(&[angle.cos(), angle.sin()]);
                let mut w = root.clone().try_inverse().unwrap() * v;
                w[0] *= 1e-6;
                w[1] *= -1e-6;
                largest.max((root * w).norm())
            })
        };
        assert!(largest_move(&inverse_root(&matrix).unwrap()) <= 1.003e-6);
        assert!(largest_move(&triangular) > 1e-4);
    }

    #[test]
    fn norms_of_tiny_vectors_do_not_vanish() {
        let exactly = 5.0 * 2.0_f64.powi(-900);
        assert_eq!(norm(&[3.0 * 2.0_f64.powi(-900), 4.0 * 2.0_f64.powi(-900)]), exactly);
        assert_eq!((norm(&[3.0, -4.0]), norm(&[0.0, 0.0])), (5.0, 0.0));
        assert!(norm(&[f64::NAN]).is_nan());
    }

    quickcheck! {
        /// Integers are the reference. The plain sum would lose everything: the large terms cancel.
        fn products_that_cancel_are_right_to_the_last_place(terms: Vec<(i64, i32)>, last: i32) -> bool {
            let terms: Vec<(i64, i64)> =
                terms.iter().map(|(a, b)| (a >> 12, i64::from(*b))).collect();
            let both = terms.iter().copied().chain(terms.iter().map(|(a, b)| (-a, *b))).chain([(i64::from(last), 1)]);
            let (x, y): (Vec<f64>, Vec<f64>) = both.map(|(a, b)| (a as f64, b as f64)).unzip();
            // The exact value is `last`; the bound is u·|last| + d²u²·Σ|xy|, below ½ here.
            (dot(&x, &y) - f64::from(last)).abs() <= 0.25
        }
    }

    #[test]
    fn matrices_that_have_no_root_are_refused() {
        let one = |x: f64| inverse_root(&DMatrix::from_element(1, 1, x)).is_some();
        assert!(one(1e-199) && one(1e199) && !one(1e-201) && !one(1e201) && !one(-1.0) && !one(f64::NAN));
        assert!(
            inverse_root(&DMatrix::zeros(0, 0)).is_none() && inverse_root(&DMatrix::zeros(1, 2)).is_none()
        );
    }

    /// Rounding errors of 2⁻⁵³ of a sum, and of 2⁻⁶⁰ of a product, are carried along; 4d·2⁻⁵² is what
    /// three products may lose.
    #[test]
    fn roundings_by_hand() {
        let large = 2.0_f64.powi(53);
        assert_eq!(dot(&[large, 1.0, -large], &[1.0; 3]), 1.0);
        let (a, small) = (1.0 + 2.0_f64.powi(-30), 2.0_f64.powi(-29));
        assert_eq!(dot(&[a, -1.0, -small], &[a, 1.0, 1.0]), 2.0_f64.powi(-60));
        assert_eq!((product_rounding(2), product_rounding(3)), (8.0 * f64::EPSILON, 12.0 * f64::EPSILON));
    }

    /// The Frobenius norm of a shape with the axes 1 and ½ is √(5/4), and the room beside it 2⁻¹⁰.
    #[test]
    fn the_stretch_is_not_below_the_longest_axis() {
        let envelope = Envelope::new(&stretched(4.0), 2.0, 0.0, |_, _| stretched(4.0)).unwrap();
        assert!((envelope.stretch / (1.25_f64.sqrt() * (1.0 + 1.0 / 1024.0)) - 1.0).abs() < 1e-12);
        // The axes themselves.
        let lengths: f64 = [[1.0, 0.0], [0.0, 1.0]].iter().map(|w| norm(&envelope.image(w))).sum();
        assert!((lengths - 1.5).abs() < 1e-12);
    }
}
