//! Clopper–Pearson bounds of a probability: exact for every number of runs, no limit theorem.
//!
//! The tail of the binomial law is summed from its largest term; the logarithms of factorials are good to 10⁻⁷ for
//! up to 10⁸ runs, and the level is made smaller by [`MARGIN`] so that this rounding cannot make a bound too tight.

/// Relative safety of the level against rounding.
const MARGIN: f64 = 1e-6;

/// The p below which `successes` of `runs` or more have probability less than `alpha`: with probability
/// 1 − `alpha` the true one is not below it.
pub fn lower_bound(successes: u64, runs: u64, alpha: f64) -> f64 {
    if successes == 0 || runs == 0 {
        return 0.0;
    }
    let level = (alpha * (1.0 - MARGIN)).ln();
    let (mut low, mut high) = (0.0, successes as f64 / runs as f64);
    for _ in 0..100 {
        let middle = 0.5 * (low + high);
        if ln_upper_tail(successes, runs, middle) <= level {
            low = middle;
        } else {
            high = middle;
        }
    }
    low
}

/// The p that the true one exceeds with probability at most `alpha`.
pub fn upper_bound(successes: u64, runs: u64, alpha: f64) -> f64 {
    1.0 - lower_bound(runs.saturating_sub(successes), runs, alpha)
}

/// `ln P(Bin(runs, p) ≥ successes)` for `successes` above the mean; 0 (no information) elsewhere.
fn ln_upper_tail(successes: u64, runs: u64, p: f64) -> f64 {
    let (k, n) = (successes as f64, runs as f64);
    if p <= 0.0 {
        return f64::NEG_INFINITY;
    }
    if p >= 1.0 || k <= n * p {
        return 0.0;
    }
    let ln_choose = libm::lgamma(n + 1.0) - libm::lgamma(k + 1.0) - libm::lgamma(n - k + 1.0);
    let ln_largest = ln_choose + k * p.ln() + (n - k) * (-p).ln_1p();
    let (mut sum, mut term, mut at) = (1.0, 1.0, k);
    // The terms fall from here on, because k is above the mean.
    while at < n && term > 1e-17 * sum {
        term *= (n - at) / (at + 1.0) * (p / (1.0 - p));
        sum += term;
        at += 1.0;
    }
    (ln_largest + sum.ln()).min(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Closed forms: P(Bin(n, p) ≥ n) = pⁿ and P(Bin(n, p) ≥ 1) = 1 − (1 − p)ⁿ.
    #[test]
    fn the_ends_have_closed_forms() {
        for (n, alpha) in [(1_u64, 0.05_f64), (10, 1e-6), (100_000, 1e-7), (10_000_000, 1e-9)] {
            let all = (alpha.ln() / n as f64).exp();
            assert!((lower_bound(n, n, alpha) / all - 1.0).abs() < 1e-5);
            assert!((upper_bound(0, n, alpha) - (1.0 - all)).abs() < 1e-5 * (1.0 - all));
            let one = -((-alpha).ln_1p() / n as f64).exp_m1();
            assert!((lower_bound(1, n, alpha) / one - 1.0).abs() < 1e-5);
            assert_eq!((lower_bound(0, n, alpha), upper_bound(n, n, alpha)), (0.0, 1.0));
        }
    }

    /// The table of Clopper and Pearson (1934) at 95 %: 3 of 10 gives 0.0667 to 0.6525.
    #[test]
    fn three_of_ten_as_in_the_table() {
        assert!((lower_bound(3, 10, 0.025) - 0.0667).abs() < 1e-4);
        assert!((upper_bound(3, 10, 0.025) - 0.6525).abs() < 1e-4);
    }

    /// The exact probability that the bound exceeds the truth, summed over all outcomes, is at most α.
    #[test]
    fn coverage_is_exact() {
        let (n, alpha) = (60_u64, 0.01);
        for p in [0.01, 0.3, 0.5, 0.97_f64] {
            let mut missed = 0.0;
            let mut mass = (1.0 - p).powi(60);
            for k in 0..=n {
                missed += if lower_bound(k, n, alpha) > p { mass } else { 0.0 };
                mass *= (n - k) as f64 / (k + 1) as f64 * p / (1.0 - p);
            }
            assert!(missed <= alpha, "{p}: {missed}");
        }
    }
}
