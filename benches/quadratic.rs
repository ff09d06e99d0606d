//! A potential whose evaluation costs next to nothing: what a chain does besides shows.

use asap_dp::sampler::Potential;

/// Coordinates.
pub(crate) const DIMENSION: usize = 11;

/// ½·Σ c_j·θ_j², with c from 1 to 2.
pub(crate) struct Quadratic([f64; DIMENSION]);

impl Quadratic {
    /// The one that is measured.
    pub(crate) fn new() -> Self {
        Self(core::array::from_fn(|k| 1.0 + k as f64 / 10.0))
    }
}

impl Potential for Quadratic {
    fn dimension(&self) -> usize {
        DIMENSION
    }

    fn value_and_gradient(&mut self, theta: &[f64], gradient: &mut [f64]) -> f64 {
        let mut value = 0.0;
        for ((g, x), c) in gradient.iter_mut().zip(theta).zip(&self.0) {
            *g = c * x;
            value += *g * x;
        }
        0.5 * value
    }

    fn divergence(&mut self, _: &[f64], moved: &[f64]) -> f64 {
        0.5 * moved.iter().zip(&self.0).map(|(v, c)| c * v * v).sum::<f64>()
    }
}
