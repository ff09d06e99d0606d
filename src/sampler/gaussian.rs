//! Uniform, exponential and normal numbers as `f64`, for the chain. spec: `own:proximal` (numerics)
//!
//! They are exact for ideal uniform numbers; the ones used here are the midpoints of 2⁵² equal intervals. That is
//! good enough for the inside of a sampler, which is analysed in real arithmetic, and **not** for noise that is
//! released: noise is made in integers ([`crate::noise`]).

use crate::noise::RandomBits;

const POWER_MINUS_52: f64 = f64::EPSILON;

/// Uniform in (0, 1): neither 0 nor 1, and as often above ½ as below.
pub(super) fn uniform<R: RandomBits>(rng: &mut R) -> f64 {
    // 52 bits and a half: representable without rounding.
    ((rng.next_u64() >> 12) as f64 + 0.5) * POWER_MINUS_52
}

/// Exponential with mean 1.
pub(super) fn exponential<R: RandomBits>(rng: &mut R) -> f64 {
    -uniform(rng).ln()
}

/// Standard normal.
pub(super) fn normal<R: RandomBits>(rng: &mut R) -> f64 {
    normal_pair(rng)[0]
}

/// Independent standard normal numbers.
pub(super) fn fill_normal<R: RandomBits>(out: &mut [f64], rng: &mut R) {
    for pair in out.chunks_mut(2) {
        let drawn = normal_pair(rng);
        pair.copy_from_slice(&drawn[..pair.len()]);
    }
}

/// Two independent standard normal numbers: Marsaglia's polar method.
fn normal_pair<R: RandomBits>(rng: &mut R) -> [f64; 2] {
    loop {
        let [x, y] = [uniform(rng), uniform(rng)].map(|u| 2.0 * u - 1.0);
        let square = x * x + y * y;
        if square < 1.0 {
            // Never 0: no midpoint is ½.
            let factor = (-2.0 * square.ln() / square).sqrt();
            return [x * factor, y * factor];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::noise::ReplayRng;

    /// Moments of a sample of `n`, each within six of its own standard errors (false alarm ≤ 2·10⁻⁹ each in the
    /// normal limit). `powers` holds the exact moments, `spread` the standard deviations of the powers.
    fn check_moments(sample: &[f64], powers: [f64; 4], spread: [f64; 4]) {
        let n = sample.len() as f64;
        for ((power, exact), spread) in (1..).zip(powers).zip(spread) {
            let mean = sample.iter().map(|x| x.powi(power)).sum::<f64>() / n;
            assert!((mean - exact).abs() <= 6.0 * spread / n.sqrt(), "moment {power}: {mean}, exact {exact}");
        }
    }

    #[test]
    fn moments_agree() {
        let mut rng = ReplayRng::new(11);
        let mut sample = vec![0.0; 200_001];
        // E x^(2k) = (2k − 1)!!: the variance of x^k is (2k − 1)!! − (E x^k)².
        fill_normal(&mut sample, &mut rng);
        check_moments(&sample, [0.0, 1.0, 0.0, 3.0], [1.0, 2.0, 15.0, 96.0].map(f64::sqrt));
        sample.fill_with(|| normal(&mut rng));
        check_moments(&sample, [0.0, 1.0, 0.0, 3.0], [1.0, 2.0, 15.0, 96.0].map(f64::sqrt));
        // E x^k = k!.
        sample.fill_with(|| exponential(&mut rng));
        check_moments(&sample, [1.0, 2.0, 6.0, 24.0], [1.0, 20.0, 684.0, 39_744.0].map(f64::sqrt));
        // E x^k = 1/(k + 1).
        sample.fill_with(|| uniform(&mut rng));
        let variances = [1.0 / 3.0 - 0.25, 0.2 - 1.0 / 9.0, 1.0 / 7.0 - 1.0 / 16.0, 1.0 / 9.0 - 0.04];
        check_moments(&sample, [0.5, 1.0 / 3.0, 0.25, 0.2], variances.map(f64::sqrt));
    }

    #[test]
    fn neighbours_are_uncorrelated() {
        let mut rng = ReplayRng::new(12);
        let mut sample = vec![0.0; 100_000];
        fill_normal(&mut sample, &mut rng);
        for lag in 1..4 {
            let products = sample.iter().zip(&sample[lag..]).map(|(x, y)| x * y);
            assert!(products.sum::<f64>().abs() <= 6.0 * 100_000.0_f64.sqrt(), "lag {lag}");
        }
    }
}
