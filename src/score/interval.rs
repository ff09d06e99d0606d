//! Intervals that cover the errors of sampling and of the noise. spec: `own:score`
//!
//! A ratio f = Σ α_c p_c / Σ β_c p_c of the cells' probabilities is the f for which Σ w_c p_c = 0, w = α − fβ. An f is
//! in the interval unless T(f) = Σ w_c·cell_c is farther from 0 than sampling and noise together explain. Nothing is
//! divided by a noisy number.

use serde::Serialize;

/// The two-sided 95 % quantile of the normal law.
const Z: f64 = 1.959_963_984_540_054;

/// A released number with its 95 % interval.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Estimate {
    /// The best guess; none where the noise leaves nothing to divide by.
    pub value: Option<f64>,
    /// The lower end.
    pub low: f64,
    /// The upper end.
    pub high: f64,
}

impl Estimate {
    /// Half of the width of the interval.
    pub fn half_width(&self) -> f64 {
        0.5 * (self.high - self.low)
    }

    /// What a function that never falls makes of it.
    pub(super) fn mapped(self, f: impl Fn(f64) -> f64) -> Self {
        Self { value: self.value.map(&f), low: f(self.low), high: f(self.high) }
    }

    /// What a function that never rises makes of it.
    pub(super) fn turned(self, f: impl Fn(f64) -> f64) -> Self {
        let Self { value, low, high } = self.mapped(f);
        Self { value, low: high, high: low }
    }

    /// The mean of two independent estimates.
    pub(super) fn mean(self, other: Self) -> Self {
        Self::mean_of(&[self, other])
    }

    /// The mean of independent estimates: the distances to the ends add up in squares (Zou and Donner 2008).
    pub(super) fn mean_of(all: &[Self]) -> Self {
        let count = all.len() as f64;
        let mean = |f: fn(&Self) -> f64| all.iter().map(f).sum::<f64>() / count;
        let Some(values) = all.iter().map(|it| it.value).collect::<Option<Vec<f64>>>() else {
            return Self { value: None, low: mean(|it| it.low), high: mean(|it| it.high) };
        };
        let value = values.iter().sum::<f64>() / count;
        let far = |end: fn(&Self) -> f64| {
            let squares = all.iter().zip(&values).map(|(it, value)| (end(it) - value).powi(2));
            squares.sum::<f64>().sqrt() / count
        };
        Self { value: Some(value), low: value - far(|it| it.low), high: value + far(|it| it.high) }
    }

    /// The larger of two numbers, where both are known within their intervals.
    pub(super) fn larger(self, other: Self) -> Self {
        let value = self.value.zip(other.value).map(|(a, b)| a.max(b)).or(self.value).or(other.value);
        Self { value, low: self.low.max(other.low), high: self.high.max(other.high) }
    }
}

/// Noisy cells, in rows, the step of their lattice, and the second and fourth cumulant of the noise of each.
#[derive(Clone, Debug)]
pub(super) struct Noisy {
    pub(super) cells: Vec<f64>,
    pub(super) step: f64,
    pub(super) variance: f64,
    pub(super) fourth: f64,
}

/// A ratio of weighted sums of the cells.
pub(super) struct Ratio<'a> {
    pub(super) above: &'a [f64],
    pub(super) below: &'a [f64],
    /// The largest value that it can have; the smallest is 0.
    pub(super) most: f64,
}

impl Noisy {
    /// How far a sum of independent parts with this variance and fourth cumulant is from its mean in 5 % of all cases
    /// at most (Cornish and Fisher): noise has longer tails than the normal law.
    pub(super) fn reach(variance: f64, fourth: f64) -> f64 {
        if variance > 0.0 {
            let excess = fourth / (variance * variance);
            (Z + (Z.powi(3) - 3.0 * Z) * excess / 24.0) * variance.sqrt()
        } else {
            0.0
        }
    }

    /// A weighted sum of the cells.
    pub(super) fn sum(&self, weights: &[f64]) -> f64 {
        self.cells.iter().zip(weights).map(|(cell, weight)| cell * weight).sum()
    }

    /// How far a weighted sum of the cells is moved by noise and by a sampling of this variance,
    /// in all but 5 % of cases.
    fn reach_of(&self, weights: &[f64], sampling: f64) -> f64 {
        let squares: f64 = weights.iter().map(|w| w * w).sum();
        let fourths: f64 = weights.iter().map(|w| w.powi(4)).sum();
        Self::reach(sampling.max(0.0) + self.variance * squares, self.fourth * fourths)
    }

    /// A ratio where each row is in one cell.
    pub(super) fn ratio(&self, ratio: &Ratio<'_>) -> Estimate {
        self.ratio_with(ratio, |weights, _| {
            let squares: Vec<f64> = weights.iter().map(|w| w * w).collect();
            self.sum(&squares)
        })
    }

    /// A ratio; `sampling` is the variance of the sum, given its weights and the ratio.
    pub(super) fn ratio_with(&self, ratio: &Ratio<'_>, sampling: impl Fn(&[f64], f64) -> f64) -> Estimate {
        let accepted = |f: f64| {
            let weights: Vec<f64> = ratio.above.iter().zip(ratio.below).map(|(a, b)| a - f * b).collect();
            self.sum(&weights).abs() <= self.reach_of(&weights, sampling(&weights, f))
        };
        let (above, below) = (self.sum(ratio.above), self.sum(ratio.below));
        let value = (below > 0.0).then(|| (above / below).clamp(0.0, ratio.most));
        let at = |k: u32| ratio.most * f64::from(k) / f64::from(STEPS);
        let found: Vec<u32> = (0..=STEPS).filter(|k| accepted(at(*k))).collect();
        let (low, high) = match (found.first(), found.last(), value) {
            (Some(&first), Some(&last), _) => (
                if first == 0 { 0.0 } else { border(at(first), at(first - 1), &accepted) },
                if last == STEPS { ratio.most } else { border(at(last), at(last + 1), &accepted) },
            ),
            // Narrower than a step of the search.
            (_, _, Some(value)) => {
                let step = ratio.most / f64::from(STEPS);
                ((value - step).max(0.0), (value + step).min(ratio.most))
            }
            _ => (0.0, ratio.most),
        };
        // The guess is always among the values.
        let (low, high) = value.map_or((low, high), |value| (low.min(value), high.max(value)));
        Estimate { value, low, high }
    }
}

/// Steps of the search for the ends of an interval.
const STEPS: u32 = 200;

/// Where acceptance ends between an accepted and another place.
fn border(accepted: f64, other: f64, is_accepted: &impl Fn(f64) -> bool) -> f64 {
    let (mut inside, mut outside) = (accepted, other);
    for _ in 0..30 {
        let middle = f64::midpoint(inside, outside);
        if is_accepted(middle) {
            inside = middle;
        } else {
            outside = middle;
        }
    }
    outside
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Without noise the interval of a share is Wilson's: 85 of 100 give 0.7672 to 0.9069.
    #[test]
    fn without_noise_the_interval_is_wilsons() {
        let noisy = Noisy { cells: vec![85.0, 15.0], step: 1.0, variance: 0.0, fourth: 0.0 };
        let share = noisy.ratio_with(&Ratio { above: &[1.0, 0.0], below: &[1.0, 1.0], most: 1.0 }, |_, f| {
            100.0 * f * (1.0 - f)
        });
        assert_eq!(share.value, Some(0.85));
        assert!((share.low - 0.767_164).abs() < 2e-6 && (share.high - 0.906_940).abs() < 2e-6, "{share:?}");
    }

    /// Where nothing is left to divide by, everything is possible.
    #[test]
    fn noise_alone_says_nothing() {
        let noisy = Noisy { cells: vec![-3.0, -5.0], step: 1.0, variance: 200.0, fourth: 0.0 };
        let share = noisy.ratio(&Ratio { above: &[1.0, 0.0], below: &[1.0, 1.0], most: 1.0 });
        assert_eq!(share, Estimate { value: None, low: 0.0, high: 1.0 });
        assert!(share.half_width() > 0.4);
    }

    /// One Laplace variable: 95 % are within ln 20 = 2.996 scales, and 1.96 deviations would be 2.772 of them.
    #[test]
    fn long_tails_are_reached() {
        let reach = Noisy::reach(2.0, 12.0);
        assert!((2.996..3.1).contains(&reach), "{reach}");
        assert_eq!(Noisy::reach(0.0, 0.0), 0.0);
    }

    #[test]
    fn means_and_turned_estimates() {
        let a = Estimate { value: Some(0.5), low: 0.2, high: 0.6 };
        let b = Estimate { value: Some(0.7), low: 0.3, high: 0.7 };
        let mean = a.mean(b);
        assert!((mean.value.unwrap() - 0.6).abs() < 1e-12 && (mean.low - 0.35).abs() < 1e-12);
        assert!((mean.high - 0.65).abs() < 1e-12);
        let turned = a.turned(|x| 1.0 - x);
        assert_eq!((turned.low, turned.high), (0.4, 0.8));
    }
}
