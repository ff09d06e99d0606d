//! Output perturbation as the paper states it: twice the sensitivity that is needed. spec: `own:experiments`

use super::random::{laplaces, normals};
use crate::setting::Setting;
use asap_dp::noise::RandomBits;
use asap_dp::privacy::Guarantee;

/// `θ* + Z`, the coordinates of Z Laplace with scale √d·2G/(Λε), or normal with deviation 2G/(Λμ).
pub fn perturbed_minimiser<R: RandomBits>(setting: &Setting, total: Guarantee, rng: &mut R) -> Vec<f64> {
    let d = setting.dimension();
    let sensitivity = 2.0 * setting.constants().lipschitz / setting.regulariser();
    let noise = match total {
        Guarantee::Pure(epsilon) => laplaces(d, (d as f64).sqrt() * sensitivity / epsilon.get(), rng),
        Guarantee::Gaussian(mu) => normals(d, sensitivity / mu.get(), rng),
    };
    setting.optimum().iter().zip(noise).map(|(x, z)| x + z).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::setting::LossKind;
    use crate::setting::tests::small;
    use asap_dp::ReplayRng;
    use asap_dp::privacy::{Epsilon, Mu};

    /// By hand: Λ = 10, G = 1 + √0.4, d = 2. E‖Z‖² = 2·2·(√2·0.2G/ε)² = 0.32G²/ε², and 2·(0.2G/μ)² = 0.08G²/μ².
    #[test]
    fn the_noise_has_the_papers_scale() {
        let setting = small(LossKind::Squared);
        let g = 1.0 + 0.4_f64.sqrt();
        let mut rng = ReplayRng::new(1);
        let mut mean_square = |total: Guarantee| {
            let square = |theta: Vec<f64>| {
                theta.iter().zip(setting.optimum().iter()).map(|(a, b)| (a - b) * (a - b)).sum::<f64>()
            };
            (0..20_000).map(|_| square(perturbed_minimiser(&setting, total, &mut rng))).sum::<f64>()
                / 20_000.0
        };
        let pure = mean_square(Guarantee::Pure(Epsilon::new(2.0).unwrap()));
        assert!((pure / (0.32 * g * g / 4.0) - 1.0).abs() < 0.07, "{pure}");
        let gaussian = mean_square(Guarantee::Gaussian(Mu::new(2.0).unwrap()));
        assert!((gaussian / (0.08 * g * g / 4.0) - 1.0).abs() < 0.05, "{gaussian}");
    }
}
