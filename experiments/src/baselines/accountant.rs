//! How much noise a step of NoisySGD needs for (ε, δ): Rényi divergences of a Gaussian step on a Poisson sample.
//! spec: `own:experiments`

use crate::error::ExperimentError;

/// The orders that are tried. Any of them is valid; the least ε counts.
const ORDERS: std::ops::RangeInclusive<u32> = 2..=256;

/// Steps on Poisson samples.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sampled {
    /// q: how likely a record is in the sample of a step.
    pub rate: f64,
    /// T: how many steps.
    pub steps: f64,
}

/// The Rényi divergence of whole order α of one step, noise of σ sensitivities:
/// `ln Σ_k C(α,k)(1−q)^(α−k)q^k·e^(k(k−1)/(2σ²)) / (α−1)`.
fn renyi(order: u32, rate: f64, sigma: f64) -> f64 {
    let mut ln_choose = 0.0;
    let mut terms = Vec::with_capacity(order as usize + 1);
    for k in 0..=order {
        if k > 0 {
            ln_choose += f64::from(order - k + 1).ln() - f64::from(k).ln();
        }
        let k = f64::from(k);
        // 0·ln 0 = 0.
        let power = |count: f64, base: f64| if count == 0.0 { 0.0 } else { count * base.ln() };
        let chosen = power(f64::from(order) - k, 1.0 - rate) + power(k, rate);
        terms.push(ln_choose + chosen + k * (k - 1.0) / (2.0 * sigma * sigma));
    }
    let largest = terms.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let sum: f64 = terms.iter().map(|term| (term - largest).exp()).sum();
    (largest + sum.ln()) / (f64::from(order) - 1.0)
}

impl Sampled {
    /// The ε at δ with noise of σ sensitivities: the least over the orders.
    pub fn epsilon(&self, sigma: f64, delta: f64) -> f64 {
        let at = |order: u32| {
            let a = f64::from(order);
            let divergence = self.steps * renyi(order, self.rate, sigma);
            divergence + ((a - 1.0) / a).ln() - (delta.ln() + a.ln()) / (a - 1.0)
        };
        ORDERS.map(at).fold(f64::INFINITY, f64::min).max(0.0)
    }

    /// The least σ (to 10⁻⁶, rounded up) that keeps ε at δ.
    pub fn sigma(&self, epsilon: f64, delta: f64) -> Result<f64, ExperimentError> {
        let enough = |sigma: f64| self.epsilon(sigma, delta) <= epsilon;
        let (mut low, mut high) = (1e-3, 1e-3);
        while !enough(high) {
            low = high;
            high *= 2.0;
            if high > 1e9 {
                return Err(ExperimentError::Infeasible("no noise is enough for this budget at this δ"));
            }
        }
        while high / low > 1.0 + 1e-6 {
            let middle = 0.5 * (low + high);
            if enough(middle) { high = middle } else { low = middle }
        }
        Ok(high)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Without sampling the divergence of the Gaussian mechanism, α/(2σ²).
    #[test]
    fn full_batches_have_the_divergence_of_two_normal_laws() {
        for (order, sigma) in [(2, 1.0), (7, 0.8), (64, 5.0)] {
            let exact = f64::from(order) / (2.0 * sigma * sigma);
            assert!((renyi(order, 1.0, sigma) / exact - 1.0).abs() < 1e-12);
        }
    }

    /// By hand for α = 2: E(P/Q)² = 1 + q²(e^(1/σ²) − 1).
    #[test]
    fn the_second_order_by_hand() {
        let (q, sigma) = (0.1_f64, 1.3_f64);
        let exact = (q * q * (1.0 / (sigma * sigma)).exp_m1()).ln_1p();
        assert!((renyi(2, q, sigma) / exact - 1.0).abs() < 1e-12);
    }

    /// ∫ P³/Q² of the mixture P = (1 − q)N(0, σ²) + qN(1, σ²) against Q = N(0, σ²), by Simpson's
    /// rule: not the formula above.
    #[test]
    fn the_third_order_by_quadrature() {
        let (q, sigma) = (0.2_f64, 0.9_f64);
        let density = |x: f64, mean: f64| (-(x - mean) * (x - mean) / (2.0 * sigma * sigma)).exp();
        let integrand = |x: f64| {
            let (p, base) = ((1.0 - q) * density(x, 0.0) + q * density(x, 1.0), density(x, 0.0));
            p.powi(3) / (base * base)
        };
        let (low, high, cells) = (-20.0, 24.0, 20_000_u32);
        let step = (high - low) / f64::from(cells);
        let weight = |k: u32| {
            if k == 0 || k == cells {
                1.0
            } else if k % 2 == 1 {
                4.0
            } else {
                2.0
            }
        };
        let sum: f64 = (0..=cells).map(|k| weight(k) * integrand(low + step * f64::from(k))).sum();
        let exact = (sum * step / 3.0 / (sigma * std::f64::consts::TAU.sqrt())).ln() / 2.0;
        assert!((renyi(3, q, sigma) - exact).abs() < 1e-9, "{} {exact}", renyi(3, q, sigma));
    }

    /// TensorFlow Privacy's documentation: N = 60000, batches of 256, σ = 1.12, 60 epochs (14063 steps), δ = 10⁻⁵:
    /// ε = 2.92 at order 9, by the conversion ρ + ln(1/δ)/(α − 1). The conversion used here is a little better.
    #[test]
    fn a_published_account() {
        let (q, steps) = (256.0 / 60_000.0, 14_063.0);
        let at_nine = steps * renyi(9, q, 1.12) + 1e5_f64.ln() / 8.0;
        assert!((at_nine - 2.92).abs() < 0.005, "{at_nine}");
        let ours = Sampled { rate: q, steps }.epsilon(1.12, 1e-5);
        assert!(ours < 2.92 && ours > 2.3, "{ours}");
    }

    /// One full-batch step can be decided exactly: μ = 1/σ, and the curve of μ-GDP. What the accountant
    /// asks for is at least that.
    #[test]
    fn never_less_noise_than_the_exact_curve() {
        for (epsilon, delta) in [(0.1, 1e-6), (1.0, 1e-6), (8.0, 1e-5)] {
            let sigma = Sampled { rate: 1.0, steps: 1.0 }.sigma(epsilon, delta).unwrap();
            let exact = 1.0 / crate::rates::mu_of(epsilon, delta);
            assert!(sigma >= exact && sigma < 1.4 * exact, "{epsilon}: {sigma} {exact}");
        }
    }

    #[test]
    fn calibrated_noise_keeps_the_budget_and_little_less_does_not() {
        let sampled = Sampled { rate: 0.02, steps: 1000.0 };
        for epsilon in [0.1, 1.0, 10.0] {
            let sigma = sampled.sigma(epsilon, 1e-6).unwrap();
            assert!(
                sampled.epsilon(sigma, 1e-6) <= epsilon && sampled.epsilon(0.999 * sigma, 1e-6) > epsilon
            );
        }
        // ln(1/δ)/(α − 1) alone is more at every order.
        assert!(sampled.sigma(1e-4, 1e-12).is_err());
    }
}
