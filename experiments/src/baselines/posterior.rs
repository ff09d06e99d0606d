//! The unlocalised posterior (Gopi, Lee, Liu 2022): one draw from e^(−γJ) on the ball that holds every minimiser.
//! spec: `own:experiments`
//!
//! γ = μ²Λ/G² under GDP, ε/(2GD) under pure DP, D the radius of that ball. The whole budget goes to the one draw. It
//! is drawn by rejection from a normal law in plain floating point: **not rigorous**; with an approximate sampler,
//! as in their paper, δ > 0.

use super::random::normals;
use crate::error::ExperimentError;
use crate::setting::{LossKind, Setting};
use asap_dp::noise::RandomBits;
use asap_dp::privacy::Guarantee;
use nalgebra::{Cholesky, DVector, Dyn};

/// Proposals for one draw. Where the normal law misses the ball as often as that, the setting is refused.
const PROPOSALS: u32 = 100_000;

/// The posterior of a quadratic J, ready to draw from.
pub struct Unlocalised {
    optimum: DVector<f64>,
    /// H = L·Lᵀ.
    factor: Cholesky<f64, Dyn>,
    gamma: f64,
    reach: f64,
}

impl Unlocalised {
    /// The posterior with the temperature of a total budget.
    pub fn new(setting: &Setting, total: Guarantee) -> Result<Self, ExperimentError> {
        if setting.loss() != LossKind::Squared {
            return Err(ExperimentError::Infeasible(
                "the unlocalised posterior is drawn for the squared loss only",
            ));
        }
        let (g, reach) = (setting.constants().lipschitz, setting.constants().reach);
        let gamma = match total {
            Guarantee::Pure(epsilon) => epsilon.get() / (2.0 * g * reach),
            Guarantee::Gaussian(mu) => mu.get() * mu.get() * setting.regulariser() / (g * g),
        };
        let factor = setting.hessian().clone().cholesky();
        let factor = factor.ok_or(ExperimentError::Infeasible("the curvature is not positive"))?;
        Ok(Self { optimum: setting.optimum().clone(), factor, gamma, reach })
    }

    /// γ.
    pub fn gamma(&self) -> f64 {
        self.gamma
    }

    /// One draw.
    pub fn draw<R: RandomBits>(&self, rng: &mut R) -> Result<Vec<f64>, ExperimentError> {
        let deviation = self.gamma.sqrt().recip();
        for _ in 0..PROPOSALS {
            // Cov(L⁻ᵀz) = (LLᵀ)⁻¹.
            let mut moved = DVector::from_vec(normals(self.optimum.len(), deviation, rng));
            if !self.factor.l_dirty().tr_solve_lower_triangular_mut(&mut moved) {
                return Err(ExperimentError::Infeasible("the curvature is not positive"));
            }
            let theta = &self.optimum + moved;
            if theta.norm() <= self.reach {
                return Ok(theta.iter().copied().collect());
            }
        }
        Err(ExperimentError::Infeasible(
            "the posterior is so much wider than the ball that rejection does not end",
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::ScaledData;
    use asap_dp::ReplayRng;
    use asap_dp::privacy::{Epsilon, Mu};
    use nalgebra::DMatrix;

    fn setting() -> Setting {
        let data = ScaledData {
            features: vec![1.0, 0.0, 0.6, 0.8, 0.0, 1.0],
            targets: vec![0.5, -0.2, 0.9],
            feature_bound: 1.0,
            target_bound: 1.0,
        };
        Setting::new(("three", "test"), LossKind::Squared, data, 2.0, 3).unwrap()
    }

    /// Mean θ* and covariance (γH)⁻¹, H = XᵀX + 2I = ((3.36, 0.48), (0.48, 3.64)) by hand; μ so large that the ball
    /// does not matter. Deviation of a variance from 20000 draws: 1 %.
    #[test]
    fn mean_and_covariance_are_those_of_the_normal_law() {
        let setting = setting();
        let posterior = Unlocalised::new(&setting, Guarantee::Gaussian(Mu::new(40.0).unwrap())).unwrap();
        // D = √(3/2), G = D + 1: γ = 1600·2/G².
        let g = 1.0 + 1.5_f64.sqrt();
        assert!((posterior.gamma() / (3200.0 / (g * g)) - 1.0).abs() < 1e-7);
        let hessian = DMatrix::from_row_slice(2, 2, &[3.36, 0.48, 0.48, 3.64]);
        let exact = (posterior.gamma() * hessian).try_inverse().unwrap();
        let mut rng = ReplayRng::new(8);
        let draws: Vec<DVector<f64>> = (0..20_000)
            .map(|_| DVector::from_vec(posterior.draw(&mut rng).unwrap()) - setting.optimum())
            .collect();
        let covariance = draws.iter().map(|v| v * v.transpose()).sum::<DMatrix<f64>>() / 20_000.0;
        let mean = draws.iter().sum::<DVector<f64>>() / 20_000.0;
        assert!(mean.norm() < 6.0 * (exact.trace() / 20_000.0).sqrt(), "{mean}");
        for (measured, exact) in [(covariance[(0, 0)], exact[(0, 0)]), (covariance[(1, 1)], exact[(1, 1)])] {
            assert!((measured / exact - 1.0).abs() < 0.06, "{measured} {exact}");
        }
        assert!((covariance[(0, 1)] / exact[(0, 1)] - 1.0).abs() < 0.4, "{covariance} {exact}");
    }

    #[test]
    fn draws_stay_in_the_ball_and_the_pure_temperature_is_known() {
        let setting = setting();
        let posterior = Unlocalised::new(&setting, Guarantee::Pure(Epsilon::new(0.5).unwrap())).unwrap();
        let (g, reach) = (1.0 + 1.5_f64.sqrt(), 1.5_f64.sqrt());
        assert!((posterior.gamma() / (0.25 / (g * reach)) - 1.0).abs() < 1e-7);
        let mut rng = ReplayRng::new(2);
        for _ in 0..1000 {
            let theta = posterior.draw(&mut rng).unwrap();
            assert!(theta.iter().map(|x| x * x).sum::<f64>().sqrt() <= setting.constants().reach);
        }
    }
}
