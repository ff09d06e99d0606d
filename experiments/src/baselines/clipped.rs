//! Gradient descent on normalised gradients (automatic clipping, Bu et al. 2022), full batches. spec: `own:experiments`
//!
//! The gradient g of each record's loss, regulariser included as in the paper, counts as g/(‖g‖ + 0.01): one
//! record changes the sum by less than 1 and no threshold has to be chosen. T, the steps and the noise are public:
//! steps D/√(T(n² + E‖z‖²)), the textbook choice for sums of norm up to n on a ball of radius D, the second half
//! of the points averaged. Noise in plain floating point: **not rigorous**. The fixed point of normalised
//! gradients is not the minimum of J.

use super::random::{euclidean_laplace, normals};
use super::{dot, project};
use crate::setting::Setting;
use asap_dp::noise::RandomBits;
use asap_dp::privacy::Guarantee;

/// The longest run: more steps cost time, and under GDP the bound stops falling.
const MOST_STEPS: f64 = 300.0;
/// What is added to a norm before it divides.
const STABILITY: f64 = 0.01;

/// A calibrated run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Clipped {
    total: Guarantee,
    steps: u32,
    /// Scale (pure) or deviation (GDP) of the noise of one step.
    scale: f64,
    eta: f64,
}

impl Clipped {
    /// The noise and the steps for a total budget.
    pub fn new(setting: &Setting, total: Guarantee) -> Self {
        let (d, n) = (setting.dimension() as f64, setting.count() as f64);
        let steps = match total {
            // Least D·√(n²/T + d(d + 1)T/ε²).
            Guarantee::Pure(epsilon) => {
                (n * epsilon.get() / (d * (d + 1.0)).sqrt()).round().clamp(1.0, MOST_STEPS)
            }
            Guarantee::Gaussian(_) => MOST_STEPS,
        };
        let (scale, square) = match total {
            Guarantee::Pure(epsilon) => {
                let scale = steps / epsilon.get();
                (scale, d * (d + 1.0) * scale * scale)
            }
            Guarantee::Gaussian(mu) => {
                let deviation = steps.sqrt() / mu.get();
                (deviation, d * deviation * deviation)
            }
        };
        let eta = setting.constants().reach / (steps * (n * n + square)).sqrt();
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "from 1 to 300")]
        Self { total, steps: steps as u32, scale, eta }
    }

    /// T.
    pub fn steps(&self) -> u32 {
        self.steps
    }

    /// One run.
    pub fn run<R: RandomBits>(&self, setting: &Setting, rng: &mut R) -> Vec<f64> {
        let d = setting.dimension();
        let (mut theta, mut average) = (vec![0.0; d], vec![0.0; d]);
        let mut averaged = 0.0;
        for t in 0..self.steps {
            let mut step = match self.total {
                Guarantee::Pure(_) => euclidean_laplace(d, self.scale, rng),
                Guarantee::Gaussian(_) => normals(d, self.scale, rng),
            };
            for (sum, own) in step.iter_mut().zip(normalised_sum(setting, &theta)) {
                *sum += own;
            }
            theta.iter_mut().zip(&step).for_each(|(x, g)| *x -= self.eta * g);
            project(&mut theta, setting.constants().reach);
            if 2 * t + 1 >= self.steps {
                averaged += 1.0;
                average.iter_mut().zip(&theta).for_each(|(a, x)| *a += (x - *a) / averaged);
            }
        }
        average
    }
}

/// Σ g_i/(‖g_i‖ + 0.01), g_i = φ'(⟨x_i, θ⟩; y_i)·x_i + (Λ/n)θ.
fn normalised_sum(setting: &Setting, theta: &[f64]) -> Vec<f64> {
    let alpha = setting.regulariser() / setting.count() as f64;
    let mut sum = vec![0.0; theta.len()];
    let mut gradient = vec![0.0; theta.len()];
    for (row, target) in setting.rows() {
        let slope = setting.slope(dot(row, theta), target);
        for ((g, x), t) in gradient.iter_mut().zip(row).zip(theta) {
            *g = slope * x + alpha * t;
        }
        let scale = (dot(&gradient, &gradient).sqrt() + STABILITY).recip();
        sum.iter_mut().zip(&gradient).for_each(|(s, g)| *s += scale * g);
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::ScaledData;
    use crate::setting::LossKind;
    use crate::setting::tests::small;
    use asap_dp::ReplayRng;
    use asap_dp::privacy::{Epsilon, Mu};

    /// By hand: at 0 every gradient is −y·x of norm 1, so the sum is −Xᵀy/1.01 = (−2.2, 1)/1.01.
    #[test]
    fn gradients_are_normalised() {
        let sum = normalised_sum(&small(LossKind::Squared), &[0.0, 0.0]);
        assert!((sum[0] + 2.2 / 1.01).abs() < 1e-14 && (sum[1] - 1.0 / 1.01).abs() < 1e-14, "{sum:?}");
    }

    /// One record more, however long, changes the sum by less than 1: what the noise is scaled to.
    #[test]
    fn one_record_changes_the_sum_by_less_than_one() {
        let setting = |rows: usize| {
            let features = [0.1, 0.0, 0.2, 0.1, 50.0, -70.0];
            let data = ScaledData {
                features: features[..2 * rows].to_vec(),
                targets: [1.0, -1.0, 30.0][..rows].to_vec(),
                feature_bound: 100.0,
                target_bound: 30.0,
            };
            // α = Λ/n the same in both.
            Setting::new(("pair", "test"), LossKind::Squared, data, 2.0 * rows as f64, 3).unwrap()
        };
        for theta in [[0.0, 0.0], [0.3, -2.0], [10.0, 10.0]] {
            let (with, without) = (normalised_sum(&setting(3), &theta), normalised_sum(&setting(2), &theta));
            let moved = (with[0] - without[0]).hypot(with[1] - without[1]);
            assert!(moved < 1.0 && moved > 0.9, "{moved}");
        }
    }

    /// T steps of noise T/ε (or √T/μ) each add up to ε (or μ), and that is the noise a run has: one step, known drift.
    #[test]
    fn the_noise_is_that_of_the_budget() {
        let setting = small(LossKind::Squared);
        let gaussian = Clipped::new(&setting, Guarantee::Gaussian(Mu::new(2.0).unwrap()));
        assert_eq!((gaussian.steps, gaussian.scale), (300, 300.0_f64.sqrt() / 2.0));
        // 4·9/√6 = 14.7.
        let pure = Clipped::new(&setting, Guarantee::Pure(Epsilon::new(9.0).unwrap()));
        assert_eq!((pure.steps, pure.scale), (15, 15.0 / 9.0));
        let one = Clipped { steps: 1, scale: 2.0, eta: 1e-3, ..pure };
        let mut rng = ReplayRng::new(3);
        let square =
            |theta: Vec<f64>| (theta[0] * 1e3 - 2.2 / 1.01).powi(2) + (theta[1] * 1e3 + 1.0 / 1.01).powi(2);
        let mean = (0..20_000).map(|_| square(one.run(&setting, &mut rng))).sum::<f64>() / 20_000.0;
        // d(d + 1)s² = 24.
        assert!((mean / 24.0 - 1.0).abs() < 0.07, "{mean}");
    }
}
