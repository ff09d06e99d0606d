//! Compensated sums: they carry what rounding has lost. spec: `own:objective`

use super::kernels::add_compensated;

/// A vector of sums, each with the rounding errors of its additions beside it.
///
/// `sums + carries` is the exact sum of the terms up to the rounding of the carries alone.
pub struct Compensated {
    pub(super) sums: Vec<f64>,
    pub(super) carries: Vec<f64>,
}

impl Compensated {
    pub(super) fn new(width: usize) -> Self {
        Self { sums: vec![0.0; width], carries: vec![0.0; width] }
    }

    pub(super) fn clear(&mut self) {
        self.sums.fill(0.0);
        self.carries.fill(0.0);
    }

    /// Adds one term to each of the sums from `first` on.
    #[inline(always)]
    pub(super) fn add(&mut self, first: usize, terms: &[f64]) {
        add_compensated(terms, &mut self.sums[first..], &mut self.carries[first..]);
    }

    /// Adds other sums, with what they carry.
    pub(super) fn join(&mut self, other: &Self) {
        self.add(0, &other.sums);
        for (carry, other) in self.carries.iter_mut().zip(&other.carries) {
            *carry += other;
        }
    }

    /// Becomes a part of other sums, from `first` on.
    pub(super) fn copy_from(&mut self, other: &Self, first: usize) {
        let part = first..first + self.sums.len();
        self.sums.copy_from_slice(&other.sums[part.clone()]);
        self.carries.copy_from_slice(&other.carries[part]);
    }

    /// Whether every number is one.
    pub(super) fn all_finite(&self) -> bool {
        self.sums.iter().chain(&self.carries).all(|x| x.is_finite())
    }

    /// Each sum, rounded once.
    pub(super) fn rounded(&self) -> impl Iterator<Item = f64> + '_ {
        self.sums.iter().zip(&self.carries).map(|(sum, carry)| sum + carry)
    }
}

#[cfg(test)]
#[allow(clippy::float_cmp, reason = "exact results are the point")]
mod tests {
    use super::*;

    #[test]
    fn joining_keeps_what_either_side_carries() {
        let (mut a, mut b) = (Compensated::new(3), Compensated::new(3));
        a.add(1, &[1e100, 1.0]);
        a.add(1, &[1.0, 1.0]);
        b.add(1, &[-1e100]);
        b.add(1, &[1.0]);
        a.join(&b);
        assert_eq!(a.rounded().collect::<Vec<_>>(), [0.0, 2.0, 2.0]);
        a.clear();
        assert_eq!(a.rounded().collect::<Vec<_>>(), [0.0; 3]);
    }
}
