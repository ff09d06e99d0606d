//! Choices that affect only utility and time: the radius of the ball and the sampler's error. spec: `own:tight`
//!
//! Privacy holds for every radius and every error, so nothing here needs a certificate. The quantiles of the
//! localisation noise are approximate, and curvature is guessed from a public number of rows.

use crate::loss::Loss;
use crate::noise::{LatticeNoise, Law, RandomBits, ReplayRng};
use crate::privacy::Guarantee;
use crate::problem::Problem;

/// The norm of a noise vector at evenly spread probabilities, from the smallest to the largest.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct NoiseNorms(Vec<f64>);

impl NoiseNorms {
    /// Planning is a good part of a small fit, and no choice here is finer.
    const POINTS: u32 = 512;
    /// Vectors of independent Laplace noise that are drawn: their norms have no distribution
    /// that could be written down.
    const SAMPLE: usize = 2048;
    /// Beyond this dimension their squared norm is taken as normal (its relative deviation is below 10 %).
    const LARGEST_SAMPLED: usize = 512;

    /// Norms of the continuous law that the lattice noise stands for.
    pub(crate) fn new(noise: &LatticeNoise, dimension: usize) -> Self {
        let d = dimension as f64;
        let standard = match noise.law() {
            Law::Normal(_) => Self::spread(|z| chi_square(d, z).sqrt()),
            // The norm is a sum of d exponential numbers, each of them half a χ² of two degrees.
            Law::Euclidean(_) => Self::spread(|z| 0.5 * chi_square(2.0 * d, z)),
            Law::Laplace(_) if dimension <= Self::LARGEST_SAMPLED => Self::sampled(dimension),
            // E Z² = 2, Var Z² = 20.
            Law::Laplace(_) => Self::spread(|z| (2.0 * d + (20.0 * d).sqrt() * z).max(0.0).sqrt()),
        };
        Self(standard.into_iter().map(|norm| noise.scale() * norm).collect())
    }

    /// A nondecreasing function of a standard normal number, at evenly spread probabilities.
    fn spread(function: impl Fn(f64) -> f64) -> Vec<f64> {
        let probability = |k: u32| (f64::from(k) + 0.5) / f64::from(Self::POINTS);
        (0..Self::POINTS).map(|k| function(normal_quantile(probability(k)))).collect()
    }

    /// Norms of a public sample of independent Laplace noise.
    fn sampled(dimension: usize) -> Vec<f64> {
        let mut rng = ReplayRng::new(0x51_7A);
        let mut norm = || (0..dimension).map(|_| exponential(&mut rng).powi(2)).sum::<f64>().sqrt();
        let mut norms: Vec<f64> = (0..Self::SAMPLE).map(|_| norm()).collect();
        norms.sort_by(f64::total_cmp);
        norms
    }

    /// The smallest of the norms that at least a fraction `p` of them does not exceed.
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
    pub(crate) fn quantile(&self, p: f64) -> f64 {
        let rank = (p.clamp(0.0, 1.0) * self.0.len() as f64).ceil() as usize;
        self.0[rank.clamp(1, self.0.len()) - 1]
    }

    /// `E‖Z‖²`.
    pub(crate) fn square(&self) -> f64 {
        self.excess(0.0)
    }

    /// `E[(‖Z‖ − radius)₊²]`.
    pub(crate) fn excess(&self, radius: f64) -> f64 {
        self.0.iter().map(|norm| (norm - radius).max(0.0).powi(2)).sum::<f64>() / self.0.len() as f64
    }
}

/// What the choices are made from. All of it is public.
pub(crate) struct Choices<'a, L> {
    pub(crate) problem: &'a Problem<L>,
    /// The budget share of the posterior sample.
    pub(crate) posterior: Guarantee,
    /// ‖θ_0‖: the norm of the centre of the ball.
    pub(crate) centre_norm: f64,
    /// A public guess of the number of records.
    pub(crate) expected_rows: u64,
    /// Whether the sampler wants room around the minimiser (constrained MALA does, the proximal sampler not).
    pub(crate) wants_room: bool,
}

impl<L: Loss> Choices<'_, L> {
    /// The radius with the smallest predicted excess risk, for localisation noise with these norms.
    ///
    /// Prediction: `d/(2γ)` for the posterior's spread, and half the guessed curvature times the squared distance by
    /// which the minimiser misses the ball. Under pure DP γ falls as the ball grows, so missing sometimes pays; under
    /// GDP it does (for a loss whose slope is bounded) not, and the largest candidate wins.
    pub(crate) fn radius(&self, norms: &NoiseNorms, tolerance: f64) -> f64 {
        const CANDIDATES: [f64; 11] = [0.3, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.98, 0.99, 0.995, 0.999];
        let risk = |radius: f64| {
            0.5 * self.problem.dimension() as f64 / self.temperature(radius)
                + 0.5 * self.smoothness() * norms.excess(radius)
        };
        CANDIDATES
            .map(|p| self.with_room(norms.quantile(p) + tolerance))
            .map(|radius| (risk(radius), radius))
            .into_iter()
            .min_by(|a, b| a.0.total_cmp(&b.0))
            .map_or(tolerance, |(_, radius)| radius)
    }

    /// γ for a ball of this radius, in plain floating point.
    fn temperature(&self, radius: f64) -> f64 {
        let lipschitz = self.problem.lipschitz(self.centre_norm, radius).unwrap_or(f64::INFINITY);
        match self.posterior {
            Guarantee::Pure(epsilon) => epsilon.get() / (2.0 * lipschitz * radius),
            Guarantee::Gaussian(mu) => (mu.get() / lipschitz).powi(2) * self.problem.regulariser(),
        }
    }

    /// The radius enlarged so that a ball of radius `(√d + 1.2)/√m` fits around the minimiser: then half of the
    /// unconstrained posterior lies inside. Solved by iteration, because m = γΛ depends on the radius.
    fn with_room(&self, radius: f64) -> f64 {
        if !self.wants_room {
            return radius;
        }
        let wanted = (self.problem.dimension() as f64).sqrt() + 1.2;
        let mut enlarged = radius;
        for _ in 0..200 {
            let room = wanted / (self.temperature(enlarged) * self.problem.regulariser()).sqrt();
            if !room.is_finite() || radius + room <= enlarged * (1.0 + 1e-9) {
                break;
            }
            enlarged = radius + room;
        }
        enlarged
    }

    fn smoothness(&self) -> f64 {
        self.problem.smoothness(self.expected_rows).min(f64::MAX)
    }

    /// The error Δ at which the noise that covers it adds about one part in a hundred to the posterior's excess
    /// risk. A smaller error costs only a logarithm of computing time.
    ///
    /// Noise of variance v per coordinate adds at most `d·L·v/2`, L the guessed smoothness; a hundredth of `d/(2γ)`
    /// allows `v = 0.01/(γL)`, that is a Laplace scale `√(v/2)` or a deviation `√v`, of which Δ is ε/2 or μ/2.
    pub(crate) fn error(&self, gamma: f64, share: Guarantee) -> f64 {
        let variance = 0.01 / (gamma * self.smoothness());
        match share {
            Guarantee::Pure(epsilon) => 0.5 * epsilon.get() * (0.5 * variance).sqrt(),
            Guarantee::Gaussian(mu) => 0.5 * mu.get() * variance.sqrt(),
        }
    }
}

/// Standard exponential.
fn exponential(rng: &mut ReplayRng) -> f64 {
    -((rng.next_u64() >> 11) as f64 + 0.5).ln() + 53.0 * core::f64::consts::LN_2
}

/// The quantile of the χ² law with ν degrees of freedom where a standard normal number has the quantile z: its cube
/// root is nearly normal (Wilson and Hilferty).
fn chi_square(nu: f64, z: f64) -> f64 {
    let part = 2.0 / (9.0 * nu);
    nu * (1.0 - part + z * part.sqrt()).max(0.0).powi(3)
}

/// The quantile of the standard normal law, within 5·10⁻⁴ (Hastings; Abramowitz and Stegun 26.2.23).
fn normal_quantile(p: f64) -> f64 {
    let t = (-2.0 * p.min(1.0 - p).ln()).sqrt();
    let above = 2.515_517 + t * (0.802_853 + t * 0.010_328);
    let below = 1.0 + t * (1.432_788 + t * (0.189_269 + t * 0.001_308));
    (t - above / below).copysign(p - 0.5)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Bounds;
    use crate::loss::Logistic;
    use crate::noise::Lattice;
    use crate::privacy::{Epsilon, Mu};

    fn noise(laplace: bool) -> LatticeNoise {
        let lattice = Lattice::with_step_at_most(0.001).unwrap();
        (if laplace { LatticeNoise::laplace(lattice, 2.0) } else { LatticeNoise::normal(lattice, 2.0) })
            .unwrap()
    }

    /// d = 1: exact quantiles are −s·ln(1 − p) and σΦ⁻¹((1 + p)/2); the sample of 2048 is good to a few percent.
    #[test]
    fn quantiles_are_near_the_exact_ones() {
        for (p, laplace, normal) in [(0.5, 1.386_3, 1.349_0), (0.9, 4.605_2, 3.289_7)] {
            assert!((NoiseNorms::new(&noise(true), 1).quantile(p) / laplace - 1.0).abs() < 0.1);
            assert!((NoiseNorms::new(&noise(false), 1).quantile(p) / normal - 1.0).abs() < 0.03);
        }
        // d = 1000, where the squared norm is taken as normal: √(2d)·s and √d·σ within 2 %.
        assert!((NoiseNorms::new(&noise(true), 1000).quantile(0.5) / 89.443 - 1.0).abs() < 0.02);
        assert!((NoiseNorms::new(&noise(false), 1000).quantile(0.5) / 63.246 - 1.0).abs() < 0.02);
    }

    /// Against the distribution functions of statrs: the part of the law below each quantile is the
    /// part that was asked for.
    #[test]
    fn quantiles_leave_below_them_what_was_asked_for() {
        use statrs::distribution::{ChiSquared, ContinuousCDF, Gamma};
        let lattice = Lattice::with_step_at_most(0.001).unwrap();
        for d in [1, 2, 5, 11, 50, 400, 3000] {
            let normal = NoiseNorms::new(&LatticeNoise::normal(lattice, 2.0).unwrap(), d);
            let euclidean = NoiseNorms::new(&LatticeNoise::euclidean_laplace(lattice, 2.0).unwrap(), d);
            let square = ChiSquared::new(d as f64).unwrap();
            let norm = Gamma::new(d as f64, 1.0).unwrap();
            for p in [0.3, 0.5, 0.7, 0.9, 0.95, 0.99] {
                let below = square.cdf((normal.quantile(p) / 2.0).powi(2));
                assert!((below - p).abs() < 0.012, "normal, d = {d}, p = {p}: {below}");
                let below = norm.cdf(euclidean.quantile(p) / 2.0);
                assert!((below - p).abs() < 0.012, "Euclidean, d = {d}, p = {p}: {below}");
            }
            // E‖Z‖² = dσ² and d(d + 1)s².
            assert!((normal.square() / (4.0 * d as f64) - 1.0).abs() < 0.02, "{}", normal.square());
            let square = 4.0 * (d * (d + 1)) as f64;
            assert!((euclidean.square() / square - 1.0).abs() < 0.02, "{}", euclidean.square());
        }
    }

    #[test]
    fn excess_falls_to_zero() {
        let norms = NoiseNorms::new(&noise(true), 3);
        assert!(norms.excess(0.0) > norms.excess(3.0) && norms.excess(3.0) > 0.0);
        assert!(norms.excess(1e3) == 0.0);
        // E‖Z‖² = 2ds² = 24.
        assert!((norms.excess(0.0) / 24.0 - 1.0).abs() < 0.1);
    }

    #[test]
    fn radius_is_cut_for_pure_privacy_and_large_for_gaussian() {
        let problem = Problem::new(Logistic, Bounds::new(1.0).unwrap(), 5, 5.0).unwrap();
        let choices = |posterior, wants_room| Choices {
            problem: &problem,
            posterior,
            centre_norm: 1.0,
            expected_rows: 1000,
            wants_room,
        };
        let pure = Guarantee::Pure(Epsilon::new(0.5).unwrap());
        let gaussian = Guarantee::Gaussian(Mu::new(1.0).unwrap());
        let norms = NoiseNorms::new(&noise(true), 5);
        let largest = norms.quantile(0.999);
        assert!(choices(gaussian, false).radius(&norms, 0.0) == largest);
        assert!(choices(pure, false).radius(&norms, 0.0) < largest);
        // With room: B ≥ quantile + (√d + 1.2)/√(γΛ), γ = 1·5/1, m = 25.
        let roomy = choices(gaussian, true).radius(&norms, 0.0);
        assert!((roomy - largest - (5.0_f64.sqrt() + 1.2) / 5.0).abs() < 1e-6 * roomy);
        // With γ = ε/(2GB) the fixed point satisfies B = q + c√B.
        let roomy = choices(pure, true);
        let enlarged = roomy.with_room(2.0);
        let c = (5.0_f64.sqrt() + 1.2) * (2.0 / (0.5 * 5.0_f64)).sqrt();
        assert!((enlarged - 2.0 - c * enlarged.sqrt()).abs() < 1e-6 * enlarged, "{enlarged}");
    }

    #[test]
    fn error_costs_one_percent() {
        let problem = Problem::new(Logistic, Bounds::new(2.0).unwrap(), 5, 5.0).unwrap();
        let posterior = Guarantee::Gaussian(Mu::new(1.0).unwrap());
        let choices =
            Choices { problem: &problem, posterior, centre_norm: 0.0, expected_rows: 45, wants_room: false };
        // L = 5 + 45·1 = 50, γ = 2: v = 10⁻⁴, σ = 0.01, Δ = μ·σ/2.
        let error = choices.error(2.0, Guarantee::Gaussian(Mu::new(0.1).unwrap()));
        assert!((error / 5e-4 - 1.0).abs() < 1e-6, "{error}");
        // Laplace scale √(v/2) = 0.0070711.
        let error = choices.error(2.0, Guarantee::Pure(Epsilon::new(0.02).unwrap()));
        assert!((error / 7.071_07e-5 - 1.0).abs() < 1e-5, "{error}");
    }
}
