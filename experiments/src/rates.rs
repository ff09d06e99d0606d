//! The rates of the paper's summary table, with unit constants. spec: `own:experiments`

use asap_dp::privacy::{Mu, gaussian_hockey_stick};

/// A row of the summary table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rate {
    /// Noisy gradient descent, μ-GDP.
    NoisyGd,
    /// Noisy stochastic gradient descent, (ε, δ).
    NoisySgd,
    /// The posterior sampled in total variation, δ-approximate μ-GDP.
    PosteriorSample,
    /// The exponential mechanism, ε-DP.
    ExponentialMechanism,
    /// Localised posterior sample, perturbed: μ-GDP.
    LocalizedPs,
    /// Localised exponential mechanism, perturbed: ε-DP.
    LocalizedEm,
}

/// What the rates are functions of.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RateProblem {
    /// d: parameters.
    pub dimension: f64,
    /// G: Lipschitz constant of one loss.
    pub lipschitz: f64,
    /// α: strong convexity of one loss.
    pub alpha: f64,
    /// n: records.
    pub rows: f64,
}

impl RateProblem {
    /// The paper's figure: d = 11, G = 300, α = 4.
    pub fn of_the_figure(rows: f64) -> Self {
        Self { dimension: 11.0, lipschitz: 300.0, alpha: 4.0, rows }
    }

    /// G²/(αn): what every rate has in common.
    fn common(&self) -> f64 {
        self.lipschitz * self.lipschitz / (self.alpha * self.rows)
    }

    /// dG²/(αnμ²): the optimal rate under μ-GDP.
    pub fn gaussian(&self, mu: f64) -> f64 {
        self.dimension * self.common() / (mu * mu)
    }

    /// d²G²/(αnε²): the optimal rate under ε-DP.
    pub fn pure(&self, epsilon: f64) -> f64 {
        self.dimension * self.dimension * self.common() / (epsilon * epsilon)
    }

    /// dG²·ln(1/δ)/(αnε²).
    pub fn approximate(&self, epsilon: f64, delta: f64) -> f64 {
        self.dimension * self.common() * delta.recip().ln() / (epsilon * epsilon)
    }
}

impl Rate {
    /// The rows in the order of the table.
    pub const ALL: [Self; 6] = [
        Self::NoisyGd,
        Self::NoisySgd,
        Self::PosteriorSample,
        Self::ExponentialMechanism,
        Self::LocalizedPs,
        Self::LocalizedEm,
    ];

    /// Its name in the table.
    pub fn name(self) -> &'static str {
        match self {
            Self::NoisyGd => "NoisyGD",
            Self::NoisySgd => "NoisySGD",
            Self::PosteriorSample => "PosteriorSample",
            Self::ExponentialMechanism => "ExponentialMechanism",
            Self::LocalizedPs => "Localized-PS-ASAP",
            Self::LocalizedEm => "Localized-EM-ASAP",
        }
    }

    /// What it promises.
    pub fn guarantee(self) -> &'static str {
        match self {
            Self::NoisyGd | Self::LocalizedPs => "μ-GDP",
            Self::NoisySgd => "(ε, δ)-DP",
            Self::PosteriorSample => "δ-approximate μ-GDP",
            Self::ExponentialMechanism | Self::LocalizedEm => "ε-DP",
        }
    }

    /// Its excess risk with unit constants, where the claim is (ε, δ): rows under GDP have the μ of [`mu_of`].
    pub fn rate(self, problem: &RateProblem, epsilon: f64, delta: f64) -> f64 {
        match self {
            Self::NoisyGd | Self::PosteriorSample | Self::LocalizedPs => {
                problem.gaussian(mu_of(epsilon, delta))
            }
            Self::NoisySgd => problem.approximate(epsilon, delta),
            Self::ExponentialMechanism | Self::LocalizedEm => problem.pure(epsilon),
        }
    }
}

/// The largest μ for which μ-GDP implies (ε, δ)-DP, by bisection of the hockey-stick divergence, which grows with μ.
pub fn mu_of(epsilon: f64, delta: f64) -> f64 {
    let implied = |mu: f64| Mu::new(mu).is_ok_and(|mu| gaussian_hockey_stick(mu, epsilon) <= delta);
    bisect(1e-6, 100.0, implied)
}

/// The ε of the (ε, δ)-DP that μ-GDP implies: the least one.
pub fn epsilon_of(mu: f64, delta: f64) -> f64 {
    let Ok(mu) = Mu::new(mu) else { return f64::NAN };
    let too_small = |epsilon: f64| gaussian_hockey_stick(mu, epsilon) > delta;
    bisect(0.0, 1e4, too_small)
}

/// The largest x for which a property holds that holds below some point and not above it.
fn bisect(mut low: f64, mut high: f64, holds: impl Fn(f64) -> bool) -> f64 {
    for _ in 0..200 {
        let middle = 0.5 * (low + high);
        if holds(middle) { low = middle } else { high = middle }
    }
    low
}

#[cfg(test)]
mod tests {
    use super::*;

    /// By hand: G²/(αn) = 90000/40000 = 2.25 for n = 10⁴; d·2.25 = 24.75; d²·2.25 = 272.25; ln 10⁵ = 11.512925….
    #[test]
    fn hand_computed_rates() {
        let problem = RateProblem::of_the_figure(1e4);
        let close =
            |computed: f64, exact: f64| assert!((computed / exact - 1.0).abs() < 1e-12, "{computed} {exact}");
        close(problem.gaussian(1.0), 24.75);
        close(problem.gaussian(0.5), 99.0);
        close(Rate::LocalizedEm.rate(&problem, 1.0, 1e-5), 272.25);
        close(Rate::ExponentialMechanism.rate(&problem, 2.0, 1e-5), 68.0625);
        close(Rate::NoisySgd.rate(&problem, 1.0, 1e-5), 24.75 * 11.512925464970229);
        close(Rate::NoisySgd.rate(&RateProblem::of_the_figure(1e6), 1.0, 1e-5), 0.2475 * 11.512925464970229);
        // Under GDP all three rows are the same, with the μ of the claim.
        for row in [Rate::NoisyGd, Rate::PosteriorSample, Rate::LocalizedPs] {
            close(row.rate(&problem, 1.0, 1e-5), 24.75 / mu_of(1.0, 1e-5).powi(2));
        }
    }

    /// The curve of μ = 1 at ε = 1: Φ(−1/2) − e·Φ(−3/2) = 0.30853754 − 2.71828183·0.06680720 = 0.12693674.
    #[test]
    fn conversions_are_inverse_and_known() {
        assert!((mu_of(1.0, 0.126_936_737_506_643_94) - 1.0).abs() < 1e-9);
        assert!((epsilon_of(1.0, 0.126_936_737_506_643_94) - 1.0).abs() < 1e-8);
        for delta in [1e-3, 1e-6, 1e-10] {
            let mu = mu_of(1.0, delta);
            assert!((epsilon_of(mu, delta) - 1.0).abs() < 1e-6, "{delta}");
        }
        assert!(mu_of(1.0, 1e-10) < mu_of(1.0, 1e-3));
    }
}
