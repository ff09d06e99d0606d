//! Localised ASAP with constrained MALA as the paper calibrates it, all hidden constants 1. spec: `own:experiments`
//!
//! Three stages with a third of ε each (μ/√3 each): `tab:localization` for B, γ and Δ with the experiments' ρ,
//! `tab:K_stepsizes` for the chain, with the condition number of the records' own Hessian (which is not public: with
//! the public one the formula asks for up to a million steps). The chain is the library's, with the accept test
//! corrected; its length rests on asymptotic constants, so **nothing here is certified**. The library's own
//! `Calibration::Paper` differs in ρ = 1/(dκ) and in the sensitivity, which it does not double.

use super::output::perturbed_minimiser;
use super::random::{laplaces, normals};
use crate::error::ExperimentError;
use crate::setting::{LossKind, Setting};
use asap_dp::ball::Ball;
use asap_dp::calibrate::{Paper, PaperChain, PublicProblem};
use asap_dp::noise::RandomBits;
use asap_dp::privacy::{Epsilon, Guarantee, Mu};
use asap_dp::sampler::{Everywhere, Mala, Potential, Sampler};
use nalgebra::{DMatrix, DVector};

/// ρ of the paper's experiments: how often θ* may lie outside of the ball.
pub const RHO: f64 = 0.01;

/// B, γ, Δ and the chain for one of the three stages' budget.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Calibrated {
    /// What each stage may spend.
    pub share: Guarantee,
    /// B: the radius of the ball.
    pub radius: f64,
    /// γ: the inverse temperature.
    pub gamma: f64,
    /// Δ: the error that the last noise covers.
    pub delta: f64,
    /// h, K and `τ_max`.
    pub chain: PaperChain,
}

impl Calibrated {
    /// The tables at a total budget.
    pub fn new(setting: &Setting, total: Guarantee) -> Result<Self, ExperimentError> {
        let (g, lambda) = (setting.constants().lipschitz, setting.regulariser());
        let (d, n) = (setting.dimension() as f64, setting.count() as f64);
        let public = PublicProblem {
            dimension: setting.dimension() as u64,
            rows: setting.count() as u64,
            condition: setting.condition(),
            regulariser: lambda,
            lipschitz: g,
        };
        let paper = Paper::default();
        Ok(match total {
            Guarantee::Pure(epsilon) => {
                let share = Epsilon::new(epsilon.get() / 3.0)?;
                let radius = g * d * (d / RHO).ln() / (lambda * share.get());
                Self {
                    share: Guarantee::Pure(share),
                    radius,
                    gamma: share.get() / (2.0 * g * radius),
                    delta: radius / (2.0 * n),
                    chain: paper.pure_schedule(&public, share)?,
                }
            }
            Guarantee::Gaussian(mu) => {
                let share = Mu::new(mu.get() / 3.0_f64.sqrt())?;
                let unit = g / (lambda * share.get());
                Self {
                    share: Guarantee::Gaussian(share),
                    radius: unit * (d.sqrt() + RHO.recip().ln().sqrt()),
                    gamma: share.get() * share.get() * lambda / (g * g),
                    delta: unit * (d / 2.0).sqrt() / n,
                    chain: paper.gaussian_schedule(&public, share)?,
                }
            }
        })
    }
}

/// A draw from the whole pipeline, and whether the chain gave up and returned the centre of its ball. Squared loss
/// only: the energy is then a quadratic form, and a step costs d² operations.
pub fn localised<R: RandomBits>(
    setting: &Setting,
    calibrated: &Calibrated,
    rng: &mut R,
) -> Result<(Vec<f64>, bool), ExperimentError> {
    if setting.loss() != LossKind::Squared {
        return Err(ExperimentError::Infeasible("the paper's chain is run for the squared loss only"));
    }
    let Calibrated { share, radius, gamma, delta, chain } = *calibrated;
    let theta_0 = perturbed_minimiser(setting, share, rng);
    let domain = Ball::new(theta_0, radius)?;
    let sampled = constrained(setting.optimum(), setting.hessian(), gamma, chain, &domain, rng)?;
    let d = sampled.len();
    let noise = match share {
        Guarantee::Pure(epsilon) => laplaces(d, 2.0 * delta / epsilon.get(), rng),
        Guarantee::Gaussian(mu) => normals(d, 2.0 * delta / mu.get(), rng),
    };
    let gave_up = sampled == domain.centre();
    Ok((sampled.iter().zip(noise).map(|(x, z)| x + z).collect(), gave_up))
}

/// Constrained MALA for e^(−γJ), J quadratic.
fn constrained<R: RandomBits>(
    optimum: &DVector<f64>,
    hessian: &DMatrix<f64>,
    gamma: f64,
    chain: PaperChain,
    domain: &Ball,
    rng: &mut R,
) -> Result<Vec<f64>, ExperimentError> {
    let mut potential = QuadraticModel::new(optimum, hessian, gamma);
    let eigenvalues = hessian.symmetric_eigenvalues();
    let curvature = Everywhere::new(gamma * eigenvalues.min(), gamma * eigenvalues.max())
        .ok_or(ExperimentError::Infeasible("the curvature is not positive"))?;
    let PaperChain { step, steps, restarts } = chain;
    let mala = Mala::scheduled(step, steps, restarts, optimum.iter().copied().collect(), &curvature);
    Ok(mala.sample(&mut potential, domain, rng)?.theta.reveal_breaking_privacy())
}

/// f = γ·½⟨θ − θ*, H(θ − θ*)⟩.
struct QuadraticModel {
    optimum: Vec<f64>,
    /// γH, row by row.
    matrix: Vec<f64>,
}

impl QuadraticModel {
    fn new(optimum: &DVector<f64>, hessian: &DMatrix<f64>, gamma: f64) -> Self {
        Self {
            optimum: optimum.iter().copied().collect(),
            matrix: hessian.iter().map(|entry| gamma * entry).collect(),
        }
    }
}

impl Potential for QuadraticModel {
    fn dimension(&self) -> usize {
        self.optimum.len()
    }

    fn value_and_gradient(&mut self, theta: &[f64], gradient: &mut [f64]) -> f64 {
        gradient.fill(0.0);
        for ((row, x), centre) in self.matrix.chunks_exact(theta.len()).zip(theta).zip(&self.optimum) {
            let moved = x - centre;
            gradient.iter_mut().zip(row).for_each(|(g, entry)| *g += entry * moved);
        }
        let moved = theta.iter().zip(&self.optimum).map(|(x, centre)| x - centre);
        0.5 * moved.zip(gradient.iter()).map(|(v, g)| v * g).sum::<f64>()
    }

    fn divergence(&mut self, _: &[f64], moved: &[f64]) -> f64 {
        let rows = self.matrix.chunks_exact(moved.len());
        0.5 * rows.zip(moved).map(|(row, v)| v * super::dot(row, moved)).sum::<f64>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::setting::tests::small;
    use asap_dp::ReplayRng;

    /// By hand, ε = 3, d = 2, Λ = 10, n = 4, G = 1 + √0.4: B = G·2·ln 200/10, γ = 1/(2GB), Δ = B/8;
    /// μ = √3: B = (G/10)(√2 + √ln 100), γ = 10/G², Δ = G/40.
    #[test]
    fn the_tables_at_a_hand_picked_problem() {
        let (setting, g) = (small(LossKind::Squared), 1.0 + 0.4_f64.sqrt());
        let close =
            |computed: f64, exact: f64| assert!((computed / exact - 1.0).abs() < 1e-7, "{computed} {exact}");
        let pure = Calibrated::new(&setting, Guarantee::Pure(Epsilon::new(3.0).unwrap())).unwrap();
        close(pure.radius, g * 0.2 * 200.0_f64.ln());
        close(pure.gamma, 1.0 / (2.0 * g * pure.radius));
        close(pure.delta, pure.radius / 8.0);
        let gaussian =
            Calibrated::new(&setting, Guarantee::Gaussian(Mu::new(3.0_f64.sqrt()).unwrap())).unwrap();
        close(gaussian.radius, 0.1 * g * (2.0_f64.sqrt() + 100.0_f64.ln().sqrt()));
        close(gaussian.gamma, 10.0 / (g * g));
        close(gaussian.delta, g / 40.0);
        // K = d·E·max(κ^1.5·√(dE), dκ) with E = κ·ln(dκ) + ln n, κ = 12.28/11.72.
        let kappa = 12.28_f64 / 11.72;
        let e = kappa * (2.0 * kappa).ln() + 4.0_f64.ln();
        close(
            pure.chain.steps as f64,
            (2.0 * e * (kappa.powf(1.5) * (2.0 * e).sqrt()).max(2.0 * kappa)).ceil(),
        );
    }

    /// The law of the chain, far inside of the ball, against the closed form N(θ*, (γH)⁻¹). Deviation of a variance
    /// from 4000 draws: 2.2 %; the bound is six of them.
    #[test]
    fn the_chain_has_the_gaussian_law() {
        let (optimum, hessian) =
            (DVector::from_vec(vec![1.0, -2.0]), DMatrix::from_row_slice(2, 2, &[3.0, 1.0, 1.0, 2.0]));
        let gamma = 2.0;
        let chain = PaperChain { step: 0.08, steps: 120, restarts: 50 };
        let domain = Ball::new(vec![1.0, -2.0], 50.0).unwrap();
        let mut rng = ReplayRng::new(3);
        let draws: Vec<DVector<f64>> = (0..4000)
            .map(|_| {
                DVector::from_vec(constrained(&optimum, &hessian, gamma, chain, &domain, &mut rng).unwrap())
                    - &optimum
            })
            .collect();
        let covariance = draws.iter().map(|v| v * v.transpose()).sum::<DMatrix<f64>>() / 4000.0;
        let exact = (gamma * hessian).try_inverse().unwrap();
        for k in 0..2 {
            assert!((covariance[(k, k)] / exact[(k, k)] - 1.0).abs() < 0.13, "{covariance} {exact}");
        }
        assert!((covariance[(0, 1)] - exact[(0, 1)]).abs() < 0.03, "{covariance} {exact}");
        let mean = draws.iter().sum::<DVector<f64>>() / 4000.0;
        assert!(mean.norm() < 0.06, "{mean}");
    }

    #[test]
    fn another_loss_is_refused() {
        let setting = small(LossKind::Logistic);
        let calibrated = Calibrated::new(&setting, Guarantee::Pure(Epsilon::new(1.0).unwrap())).unwrap();
        assert!(localised(&setting, &calibrated, &mut ReplayRng::new(1)).is_err());
    }
}
