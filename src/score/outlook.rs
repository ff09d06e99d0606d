//! What an answer will be worth, from public numbers, before anything is spent. spec: `own:score`

use super::interval::Noisy;
use asap_contracts::{Noise, Question};
use serde::Serialize;

/// An interval wider than this in both directions is of no use.
const USELESS: f64 = 0.1;

/// With so many rows a score is known within so much. Public numbers only.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct ScoreOutlook {
    /// The guess of the number of rows.
    pub rows: u64,
    /// Half of the 95 % interval of the accuracy, or of the mean error as a part of the largest
    /// that counts, at its widest.
    pub within: f64,
    /// The same without noise: what so many rows can tell at most.
    pub by_sampling: f64,
    /// Half of the 95 % interval of the area under the curve, for classes of the same size; none without a curve.
    pub auc_within: Option<f64>,
}

/// The step of a lattice, and variance and fourth cumulant of noise on it, in rows.
///
/// A discrete Laplace variable is the difference of two geometric ones of mean m = 1/(e^(1/s) − 1), whose cumulants are
/// m + m² and (m + m²)(1 + 6(m + m²)). A rounded normal one has a twelfth of a step's square more than the normal one.
pub(super) fn moments(noise: &Noise) -> (f64, [f64; 2]) {
    match *noise {
        Noise::DiscreteLaplace { exponent, numerator, denominator } => {
            let step = 2.0_f64.powi(exponent);
            let mean = 1.0 / libm::expm1(denominator as f64 / numerator as f64);
            let one = mean + mean * mean;
            (step, [2.0 * one * step * step, 2.0 * one * (1.0 + 6.0 * one) * step.powi(4)])
        }
        Noise::RoundedNormal { exponent, steps } | Noise::EuclideanLaplace { exponent, steps } => {
            let step = 2.0_f64.powi(exponent);
            (step, [((steps as f64).powi(2) + 1.0 / 12.0) * step * step, 0.0])
        }
    }
}

/// For this question and noise.
pub(super) struct Prospect {
    cells: f64,
    bins: Option<f64>,
    variance: f64,
    fourth: f64,
}

impl Prospect {
    pub(super) fn new(question: &Question, noise: &Noise) -> Self {
        let (_, [variance, fourth]) = moments(noise);
        let bins = match question {
            Question::Classes { bins, .. } if *bins > 2 => Some(*bins as f64),
            _ => None,
        };
        Self { cells: question.cells().unwrap_or(1) as f64, bins, variance, fourth }
    }

    /// At an accuracy of ½ every weight is ½, and the variance of a row is ¼.
    pub(super) fn at(&self, rows: u64) -> ScoreOutlook {
        let n = rows.max(1) as f64;
        let reach = |sampling: f64| {
            Noisy::reach(sampling + 0.25 * self.cells * self.variance, self.cells * self.fourth / 16.0)
        };
        ScoreOutlook {
            rows,
            within: (reach(0.25 * n) / n).min(1.0),
            by_sampling: (Noisy::reach(0.25 * n, 0.0) / n).min(1.0),
            auc_within: self.bins.map(|bins| self.auc(n, bins)),
        }
    }

    /// For two classes of n/2 rows whose probabilities are spread evenly: an area of ½, where the interval is widest.
    fn auc(&self, n: f64, bins: f64) -> f64 {
        // The mean square of a bin's place around ½, times the number of bins, for each class.
        let squares = 2.0 * (bins * bins - 1.0) / (12.0 * bins) * 4.0 / (n * n);
        let pairs = bins * bins * 0.25 * 16.0 / n.powi(4);
        let variance = (n + 1.0) / (3.0 * n * n) + self.variance * squares + self.variance.powi(2) * pairs;
        Noisy::reach(variance, 0.0).min(1.0)
    }

    /// Below about so many rows a score is of no use: the least number with an interval that is narrow enough.
    pub(super) fn least_rows(&self) -> u64 {
        let useful = |rows: u64| self.at(rows).within <= USELESS;
        let (mut low, mut high) = (0, 1_u64);
        while !useful(high) && high < 1 << 60 {
            (low, high) = (high, 2 * high);
        }
        while high - low > 1 {
            let middle = low.midpoint(high);
            if useful(middle) { high = middle } else { low = middle }
        }
        high
    }
}

impl ScoreOutlook {
    /// Whether the interval will be of some use.
    pub fn is_useful(&self) -> bool {
        self.within <= USELESS
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use asap_contracts::{Scored, Unseen};

    fn classes(bins: u64) -> Question {
        let release = format!("sha256:{}", "0".repeat(64));
        Question::Classes { model: Scored { release, rows: Unseen::Unseen }, bins }
    }

    fn laplace(numerator: u64, denominator: u64) -> Noise {
        Noise::DiscreteLaplace { exponent: 0, numerator, denominator }
    }

    /// Sums over the definition of the law.
    #[test]
    fn moments_are_those_of_the_law() {
        for (numerator, denominator) in [(10, 1), (10, 3), (1, 1), (1, 2)] {
            let s = numerator as f64 / denominator as f64;
            let weight = |k: i32| (-f64::from(k.abs()) / s).exp();
            let mean = |f: &dyn Fn(f64) -> f64| {
                let sum =
                    |f: &dyn Fn(f64) -> f64| (-600..=600).map(|k| f(f64::from(k)) * weight(k)).sum::<f64>();
                sum(f) / sum(&|_| 1.0)
            };
            let (second, fourth) = (mean(&|k| k * k), mean(&|k| k.powi(4)));
            let (_, [variance, cumulant]) = moments(&laplace(numerator, denominator));
            assert!((variance / second - 1.0).abs() < 1e-9, "{s}");
            assert!((cumulant / (fourth - 3.0 * second * second) - 1.0).abs() < 1e-9, "{s}");
        }
        let (step, [variance, cumulant]) = moments(&Noise::RoundedNormal { exponent: -20, steps: 1 << 20 });
        assert!((variance - 1.0).abs() < 1e-12 && cumulant == 0.0 && step == 2.0_f64.powi(-20));
    }

    /// ε = 0.1 and the confusion matrix of 6,513 rows: sampling 0.5/√n, noise √(2/ε²)/n of each
    /// of four cells, half of it.
    #[test]
    fn half_widths_by_hand() {
        let outlook = Prospect::new(&classes(2), &laplace(10, 1)).at(6513);
        let (sampling, noise) = (0.25 / 6513.0, 200.0 / 6513.0_f64.powi(2));
        let by_hand = 1.96 * (sampling + noise).sqrt();
        assert!((outlook.within / by_hand - 1.0).abs() < 0.01, "{outlook:?} {by_hand}");
        assert!((outlook.by_sampling / (1.96 * sampling.sqrt()) - 1.0).abs() < 1e-4);
        assert_eq!(outlook.auc_within, None);
        assert!(outlook.is_useful());
    }

    #[test]
    fn too_few_rows_are_told() {
        let prospect = Prospect::new(&classes(2), &laplace(10, 1));
        let least = prospect.least_rows();
        // By hand: 1.96²(n/4 + 200) = 0.01 n² for n = 330.
        assert!((310..360).contains(&least), "{least}");
        assert!(prospect.at(least).is_useful() && !prospect.at(least - 1).is_useful());
        let curve = Prospect::new(&classes(10), &laplace(10, 3));
        assert!(curve.at(500).auc_within.unwrap() > 0.05 && curve.at(50_000).auc_within.unwrap() < 0.01);
        assert!(Prospect::new(&classes(2), &laplace(1 << 53, 1)).least_rows() > 1 << 50);
    }
}
