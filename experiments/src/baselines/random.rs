//! Random numbers in plain floating point, from a replayable stream: good enough for a baseline, never for a release.

use asap_dp::noise::{RandomBits, exact_exponential_f64, exact_normal_f64, fill_normal};

/// Uniform in (0, 1).
pub fn uniform<R: RandomBits>(rng: &mut R) -> f64 {
    ((rng.next_u64() >> 11) as f64 + 0.5) / (1_u64 << 53) as f64
}

/// Standard normal.
pub fn normal<R: RandomBits>(rng: &mut R) -> f64 {
    exact_normal_f64(rng)
}

/// Independent normal numbers of this deviation.
pub fn normals<R: RandomBits>(dimension: usize, deviation: f64, rng: &mut R) -> Vec<f64> {
    let mut vector = vec![0.0; dimension];
    fill_normal(&mut vector, rng);
    for z in &mut vector {
        *z *= deviation;
    }
    vector
}

/// Independent Laplace numbers of this scale.
pub fn laplaces<R: RandomBits>(dimension: usize, scale: f64, rng: &mut R) -> Vec<f64> {
    (0..dimension).map(|_| scale * (exact_exponential_f64(rng) - exact_exponential_f64(rng))).collect()
}

/// Density ∝ e^(−‖z‖₂/s): a direction, and a norm of Gamma law with shape d.
pub fn euclidean_laplace<R: RandomBits>(dimension: usize, scale: f64, rng: &mut R) -> Vec<f64> {
    let mut direction = normals(dimension, 1.0, rng);
    let norm = direction.iter().map(|z| z * z).sum::<f64>().sqrt();
    let length: f64 = (0..dimension).map(|_| exact_exponential_f64(rng)).sum();
    for z in &mut direction {
        *z *= scale * length / norm;
    }
    direction
}

#[cfg(test)]
mod tests {
    use super::*;
    use asap_dp::ReplayRng;

    /// Closed forms: E‖z‖² is dσ², 2ds² and d(d + 1)s². Deviations of the means below are under
    /// 1.5 %: six of them are 9 %.
    #[test]
    fn second_moments() {
        let mut rng = ReplayRng::new(5);
        let mut mean = |draw: &mut dyn FnMut(&mut ReplayRng) -> Vec<f64>| {
            let squares = (0..20_000).map(|_| draw(&mut rng).iter().map(|z| z * z).sum::<f64>());
            squares.sum::<f64>() / 20_000.0
        };
        let close =
            |measured: f64, exact: f64| assert!((measured / exact - 1.0).abs() < 0.06, "{measured} {exact}");
        close(mean(&mut |rng| normals(4, 3.0, rng)), 36.0);
        close(mean(&mut |rng| laplaces(4, 3.0, rng)), 72.0);
        close(mean(&mut |rng| euclidean_laplace(4, 3.0, rng)), 180.0);
        close(mean(&mut |rng| vec![uniform(rng)]), 1.0 / 3.0);
    }
}
