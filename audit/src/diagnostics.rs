//! Diagnostics of a sampler for developers, on draws that have left the guarantee. **Non-private.**

use super::svg;
use asap_dp::sampler::Effort;

/// What draws and their cost say about a sampler. Depends on the records: for public or synthetic data only.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize)]
pub struct Diagnostics {
    /// Steps per proposal: the share of proposals that the proximal sampler accepts. (Constrained MALA counts a proposal
    /// in every step, so that its value is 1.)
    pub steps_per_proposal: f64,
    /// Passes over the records per draw.
    pub passes_per_draw: f64,
    /// Restarts per draw.
    pub restarts_per_draw: f64,
    /// Effective number of independent draws.
    pub effective_draws: f64,
}

/// Diagnostics of revealed draws of one coordinate, in the order in which they were made, and their efforts.
pub fn diagnostics(draws: &[f64], efforts: &[Effort]) -> Diagnostics {
    let sum = |part: fn(&Effort) -> u64| efforts.iter().map(part).sum::<u64>() as f64;
    let n = efforts.len().max(1) as f64;
    Diagnostics {
        steps_per_proposal: sum(|effort| effort.steps) / sum(|effort| effort.proposals).max(1.0),
        passes_per_draw: sum(|effort| effort.passes) / n,
        restarts_per_draw: sum(|effort| effort.restarts) / n,
        effective_draws: effective_draws(draws),
    }
}

/// The draws in order, as SVG text.
pub fn trace_svg(draws: &[f64]) -> String {
    svg::trace(draws)
}

/// `n/(1 + 2Σ_k ρ_k)`, summed while the sums of adjacent autocorrelations are positive (Geyer 1992).
pub fn effective_draws(draws: &[f64]) -> f64 {
    let n = draws.len();
    if n < 4 {
        return n as f64;
    }
    let mean = draws.iter().sum::<f64>() / n as f64;
    let covariance = |lag: usize| -> f64 {
        draws.iter().zip(&draws[lag..]).map(|(x, y)| (x - mean) * (y - mean)).sum::<f64>() / n as f64
    };
    let variance = covariance(0);
    if variance <= 0.0 {
        return 1.0;
    }
    let mut time = -1.0;
    for lag in (0..n - 1).step_by(2) {
        let pair = (covariance(lag) + covariance(lag + 1)) / variance;
        if pair <= 0.0 {
            break;
        }
        time += 2.0 * pair;
    }
    (n as f64 / time.max(1.0 / n as f64)).min(n as f64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use asap_dp::noise::{RandomBits, ReplayRng};

    /// An autoregression with coefficient ½ has (1 − ½)/(1 + ½) of its draws; n = 40000, so within a tenth of it.
    #[test]
    fn effective_draws_of_an_autoregression() {
        let mut rng = ReplayRng::new(1);
        let mut uniform = || (rng.next_u64() >> 11) as f64 / (1_u64 << 53) as f64 - 0.5;
        let mut state = 0.0;
        let mut chain = |coefficient: f64| -> Vec<f64> {
            (0..40_000)
                .map(|_| {
                    state = coefficient * state + uniform();
                    state
                })
                .collect()
        };
        assert!((effective_draws(&chain(0.5)) / 40_000.0 - 1.0 / 3.0).abs() < 0.033);
        assert!(effective_draws(&chain(0.0)) > 36_000.0);
        assert_eq!(effective_draws(&[1.0; 10]), 1.0);
    }

    #[test]
    fn averages_and_trace() {
        let effort = Effort { passes: 6, divergences: 0, steps: 2, proposals: 4, restarts: 1 };
        let found = diagnostics(&[0.0, 1.0], &[effort, effort]);
        assert_eq!(
            (found.steps_per_proposal, found.passes_per_draw, found.restarts_per_draw),
            (0.5, 6.0, 1.0)
        );
        assert!(trace_svg(&[0.0, 1.0, 0.5]).contains("<polyline"));
    }
}
