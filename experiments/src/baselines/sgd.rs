//! NoisySGD: projected steps on Poisson samples with normal noise. **(ε, δ), not δ = 0.** spec: `own:experiments`
//!
//! Public: rate q = 1/√n, T = n steps of 2/(Λ(t + 1)), the average with weights t. Points stay in the ball that
//! holds every minimiser, where one loss has slope at most G, so nothing is clipped; the regulariser is public
//! and added without noise.

use super::accountant::Sampled;
use super::random::{normals, uniform};
use super::{dot, project};
use crate::error::ExperimentError;
use crate::setting::Setting;
use asap_dp::noise::RandomBits;

/// δ of every NoisySGD here.
pub const DELTA: f64 = 1e-6;

/// A calibrated run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sgd {
    sampled: Sampled,
    steps: u32,
    /// σ: the noise of a step in sensitivities.
    sigma: f64,
}

impl Sgd {
    /// The noise for (ε, δ).
    pub fn new(setting: &Setting, epsilon: f64, delta: f64) -> Result<Self, ExperimentError> {
        let n = setting.count();
        let steps = u32::try_from(n).map_err(|_| ExperimentError::Infeasible("too many records"))?;
        let sampled = Sampled { rate: (n as f64).sqrt().recip(), steps: n as f64 };
        Ok(Self { sampled, steps, sigma: sampled.sigma(epsilon, delta)? })
    }

    /// σ.
    pub fn sigma(&self) -> f64 {
        self.sigma
    }

    /// One run.
    pub fn run<R: RandomBits>(&self, setting: &Setting, rng: &mut R) -> Vec<f64> {
        let (d, lambda, constants) = (setting.dimension(), setting.regulariser(), setting.constants());
        let rate = self.sampled.rate;
        let (mut theta, mut average) = (vec![0.0; d], vec![0.0; d]);
        let mut weights = 0.0;
        for t in 1..=self.steps {
            let mut gradient = normals(d, self.sigma * constants.lipschitz, rng);
            for k in poisson_sample(setting.count(), rate, rng) {
                let (row, target) = setting.row(k);
                let slope = setting.slope(dot(row, &theta), target);
                gradient.iter_mut().zip(row).for_each(|(g, x)| *g += slope * x);
            }
            let t = f64::from(t);
            let eta = 2.0 / (lambda * (t + 1.0));
            theta.iter_mut().zip(&gradient).for_each(|(x, g)| *x -= eta * (g / rate + lambda * *x));
            project(&mut theta, constants.reach);
            weights += t;
            average.iter_mut().zip(&theta).for_each(|(a, x)| *a += (x - *a) * t / weights);
        }
        average
    }
}

/// Each number below n with probability `rate`, independently: the gaps are geometric.
fn poisson_sample<R: RandomBits>(n: usize, rate: f64, rng: &mut R) -> Vec<usize> {
    if rate >= 1.0 {
        return (0..n).collect();
    }
    let (mut chosen, mut place) = (Vec::new(), 0.0);
    let last = n as f64;
    loop {
        place += (uniform(rng).ln() / (1.0 - rate).ln()).floor();
        if place >= last {
            return chosen;
        }
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a whole number below n")]
        chosen.push(place as usize);
        place += 1.0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::setting::LossKind;
    use crate::setting::tests::small;
    use asap_dp::ReplayRng;

    /// Every record is in a sample equally often, and two of them independently: six deviations.
    #[test]
    fn samples_are_poisson() {
        let mut rng = ReplayRng::new(6);
        let mut counts = [0.0; 5];
        let mut both = 0.0;
        for _ in 0..20_000 {
            let chosen = poisson_sample(5, 0.3, &mut rng);
            for &k in &chosen {
                counts[k] += 1.0;
            }
            both += f64::from(u8::from(chosen.contains(&0) && chosen.contains(&1)));
        }
        for count in counts {
            assert!((count / 20_000.0 - 0.3_f64).abs() < 6.0 * (0.21_f64 / 20_000.0).sqrt(), "{count}");
        }
        assert!((both / 20_000.0 - 0.09_f64).abs() < 6.0 * (0.0819_f64 / 20_000.0).sqrt(), "{both}");
        assert_eq!(poisson_sample(3, 1.0, &mut rng), [0, 1, 2]);
    }

    /// With next to no noise it finds the minimum; with a small budget it cannot.
    #[test]
    fn a_large_budget_learns_and_a_small_one_does_not() {
        let setting = small(LossKind::Squared);
        let sampled = Sampled { rate: 1.0, steps: 2000.0 };
        let quiet = Sgd { sampled, steps: 2000, sigma: 1e-6 };
        assert!(setting.excess(&quiet.run(&setting, &mut ReplayRng::new(1))) < 1e-5);
        let noisy = Sgd::new(&setting, 0.1, DELTA).unwrap();
        assert!(noisy.sigma() > 10.0);
        let theta = noisy.run(&setting, &mut ReplayRng::new(1));
        assert!(setting.excess(&theta) > 1e-3 && theta.iter().all(|x| x.is_finite()));
    }

    /// The released law's noise itself: one step from 0 on one full batch, far inside of the
    /// ball, moves by (2/(2Λ))·σG·z.
    #[test]
    fn a_step_has_the_calibrated_noise() {
        let setting = small(LossKind::Squared);
        let sigma = 1e-3;
        let sgd = Sgd { sampled: Sampled { rate: 1.0, steps: 1.0 }, steps: 1, sigma };
        let mut rng = ReplayRng::new(12);
        // −η·∇J(0) = Xᵀy/Λ = (0.22, −0.1).
        let draws: Vec<Vec<f64>> = (0..20_000).map(|_| sgd.run(&setting, &mut rng)).collect();
        let square =
            draws.iter().map(|x| (x[0] - 0.22).powi(2) + (x[1] + 0.1).powi(2)).sum::<f64>() / 20_000.0;
        let exact = 2.0 * (sigma * (1.0 + 0.4_f64.sqrt()) / 10.0).powi(2);
        assert!((square / exact - 1.0).abs() < 0.05, "{square} {exact}");
    }
}
