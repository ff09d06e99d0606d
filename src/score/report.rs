//! What noisy cells say: metrics with intervals. All of it is post-processing of an answer. spec: `own:score`

use super::interval::{Estimate, Noisy, Ratio};
use super::outlook::moments;
use asap_contracts::{Answering, Question, Statement};
use serde::Serialize;

/// What an answer of cells comes to. Every interval holds what it is about in 95 % of all cases, sampling and noise
/// included. spec: `own:score`
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Report {
    /// How many rows there are; nothing is sampled here.
    Rows(Estimate),
    /// How good classes are predicted.
    Classes(Box<ClassMeasures>),
    /// How good more than two classes are predicted.
    Labels(LabelMeasures),
    /// How good numbers are predicted.
    Errors(Errors),
}

/// How good classes are predicted. spec: `own:score`
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ClassMeasures {
    /// How many rows were scored: the noise only.
    pub rows: Estimate,
    /// The share of rows that are predicted right.
    pub accuracy: Estimate,
    /// The share of the more frequent class: the accuracy of a model that always predicts it.
    pub majority: Estimate,
    /// The mean of the shares that are right in each class.
    pub balanced_accuracy: Estimate,
    /// The share of the positive class among those predicted to be of it.
    pub precision: Estimate,
    /// The share of the positive class that is predicted to be of it.
    pub recall: Estimate,
    /// The harmonic mean of the two.
    pub f1: Estimate,
    /// The area under the curve of the binned probabilities; none with two bins.
    pub auc: Option<Estimate>,
    /// Noisy numbers of rows: for the other class and then the positive one, how many are predicted to be of the other
    /// one, and of the positive one.
    pub confusion: [[f64; 2]; 2],
    /// For each bin what is predicted and what is so; none with two bins.
    pub calibration: Vec<Bin>,
    /// For each edge between bins the rates of a model that says positive from there on.
    pub curve: Vec<CurvePoint>,
}

/// How good more than two classes are predicted. spec: `own:score`
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LabelMeasures {
    /// How many rows were scored: the noise only.
    pub rows: Estimate,
    /// The share of rows that are predicted right.
    pub accuracy: Estimate,
    /// The share of the most frequent class: the accuracy of a model that always predicts it.
    pub majority: Estimate,
    /// The mean of the shares that are right in each class.
    pub balanced_accuracy: Estimate,
    /// For each class its name and the share of it that is predicted to be of it.
    pub recalls: Vec<(String, Estimate)>,
}

/// A bin of predicted probabilities.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Bin {
    /// Its lower edge.
    pub from: f64,
    /// Its upper edge.
    pub to: f64,
    /// The share of the positive class in it.
    pub share: Estimate,
}

/// A point of the curve.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct CurvePoint {
    /// Positive is said from this probability on.
    pub threshold: f64,
    /// The share of the other class that it is said of.
    pub false_positive: Estimate,
    /// The share of the positive class that it is said of.
    pub true_positive: Estimate,
}

/// How good numbers are predicted, in the units of the target. spec: `own:score`
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Errors {
    /// How many rows were scored: the noise only.
    pub rows: Estimate,
    /// The mean distance of prediction and target, each at most the largest that counts.
    pub mean_absolute: Estimate,
    /// The mean of its square.
    pub mean_squared: Estimate,
    /// One minus the ratio of that to the mean square of the target's distance from the middle of its public range: 0
    /// for a model that always predicts the middle. Values below −3 are not looked for.
    pub r_squared: Estimate,
}

impl Report {
    /// What an answer of cells says; none for a quantile, which is its own answer.
    pub fn new(statement: &Statement) -> Option<Self> {
        let Answering::Cells { noise, counts } = &statement.mechanism else { return None };
        let (step, [variance, fourth]) = moments(noise);
        let cells = counts.iter().map(|count| *count as f64 * step).collect();
        let noisy = Noisy { cells, step, variance, fourth };
        Some(match &statement.question {
            Question::Rows => Self::Rows(noisy.total()),
            Question::Classes { bins, .. } => {
                Self::Classes(Box::new(noisy.classes(usize::try_from(*bins).ok()?)))
            }
            Question::Labels { classes, .. } => Self::Labels(noisy.labels(classes)),
            Question::Errors { low, high, clip, .. } => Self::Errors(noisy.errors(*low, *high, *clip)),
            Question::Quantile { .. } => return None,
        })
    }
}

impl Noisy {
    /// All cells together: nothing but noise is uncertain. It is a whole number of steps, and so is how far it reaches.
    fn total(&self) -> Estimate {
        let (all, count) = (self.cells.iter().sum::<f64>(), self.cells.len() as f64);
        let reach = Self::reach(self.variance * count, self.fourth * count);
        let reach = (reach / self.step).ceil() * self.step;
        Estimate { value: Some(all.max(0.0)), low: (all - reach).max(0.0), high: (all + reach).max(0.0) }
    }

    /// The share of some cells among some more.
    fn share(&self, of: impl Fn(usize) -> bool, among: impl Fn(usize) -> bool) -> Estimate {
        let weights = |chosen: &dyn Fn(usize) -> bool| -> Vec<f64> {
            (0..self.cells.len()).map(|cell| f64::from(u8::from(chosen(cell)))).collect()
        };
        self.ratio(&Ratio {
            above: &weights(&|cell| of(cell) && among(cell)),
            below: &weights(&among),
            most: 1.0,
        })
    }

    fn labels(&self, classes: &[String]) -> LabelMeasures {
        let count = classes.len();
        let of = |class: usize| move |cell: usize| cell % count == class;
        let right = |cell: usize| cell < count;
        let recalls: Vec<Estimate> = (0..count).map(|class| self.share(right, of(class))).collect();
        let shares = (0..count).map(|class| self.share(of(class), |_| true));
        LabelMeasures {
            rows: self.total(),
            accuracy: self.share(right, |_| true),
            majority: shares.reduce(Estimate::larger).unwrap_or(Estimate {
                value: None,
                low: 0.0,
                high: 1.0,
            }),
            balanced_accuracy: Estimate::mean_of(&recalls),
            recalls: classes.iter().cloned().zip(recalls).collect(),
        }
    }

    fn classes(&self, bins: usize) -> ClassMeasures {
        let positive = |cell: usize| cell >= bins;
        let said = |cell: usize| cell % bins >= bins / 2;
        let right = |cell: usize| positive(cell) == said(cell);
        let recall = self.share(said, positive);
        let specificity = self.share(right, |cell| !positive(cell));
        let weights = |f: &dyn Fn(usize) -> f64| -> Vec<f64> { (0..2 * bins).map(f).collect() };
        let true_positive = |cell: usize| positive(cell) && said(cell);
        let f1 = Ratio {
            above: &weights(&|cell| f64::from(u8::from(true_positive(cell)))),
            below: &weights(&|cell| {
                f64::from(u8::from(true_positive(cell))) + 0.5 * f64::from(u8::from(!right(cell)))
            }),
            most: 1.0,
        };
        let counted = |a: bool, b: bool| -> f64 {
            (0..2 * bins)
                .filter(|cell| positive(*cell) == a && said(*cell) == b)
                .map(|cell| self.cells[cell])
                .sum()
        };
        let edge = |k: usize| k as f64 / bins as f64;
        let many = bins > 2;
        ClassMeasures {
            rows: self.total(),
            accuracy: self.share(right, |_| true),
            majority: majority(self.share(positive, |_| true)),
            balanced_accuracy: recall.mean(specificity),
            precision: self.share(positive, said),
            recall,
            f1: self.ratio(&f1),
            auc: many.then(|| self.auc(bins)),
            confusion: [false, true].map(|class| [counted(class, false), counted(class, true)]),
            calibration: (0..if many { bins } else { 0 })
                .map(|k| Bin {
                    from: edge(k),
                    to: edge(k + 1),
                    share: self.share(positive, |cell| cell % bins == k),
                })
                .collect(),
            curve: (1..bins)
                .map(|k| CurvePoint {
                    threshold: edge(k),
                    false_positive: self.share(|cell| cell % bins >= k, |cell| !positive(cell)),
                    true_positive: self.share(|cell| cell % bins >= k, positive),
                })
                .collect(),
        }
    }

    /// The area: the probability that a row of the positive class is in a higher bin than one of the other, a tie
    /// being half of it. Its variance is that of its projections on single rows (Hájek), for rows and for noise, and
    /// the noise's second order.
    fn auc(&self, bins: usize) -> Estimate {
        let nothing = Estimate { value: None, low: 0.0, high: 1.0 };
        let (others, positives) = self.cells.split_at(bins);
        let (n, p): (f64, f64) = (others.iter().sum(), positives.iter().sum());
        if n <= 0.0 || p <= 0.0 {
            return nothing;
        }
        let before = |cells: &[f64], k: usize| cells[..k].iter().sum::<f64>() + 0.5 * cells[k];
        let area = (0..bins).map(|k| positives[k] * before(others, k)).sum::<f64>() / (n * p);
        if !(area > 0.0 && area < 1.0) {
            return nothing;
        }
        let (mut sampling, mut squares, mut fourths) = (0.0, 0.0, 0.0);
        for k in 0..bins {
            for (weight, cell) in [
                ((before(others, k) / n - area) / p, positives[k]),
                ((1.0 - before(positives, k) / p - area) / n, others[k]),
            ] {
                sampling += weight * weight * cell;
                squares += weight * weight;
                fourths += weight.powi(4);
            }
        }
        let tie = |a: usize, b: usize| if a == b { 0.5 } else { f64::from(u8::from(a > b)) };
        let pairs: f64 = (0..bins * bins).map(|k| (tie(k / bins, k % bins) - area).powi(2)).sum();
        let second = self.variance * self.variance * pairs / (n * p).powi(2);
        let variance = sampling.max(0.0) + self.variance * squares + second;
        // On the logarithm of the odds, where the law is more even.
        let reach = Self::reach(variance, self.fourth * fourths) / (area * (1.0 - area));
        let odds = (area / (1.0 - area)).ln();
        let back = |odds: f64| 1.0 / (1.0 + (-odds).exp());
        Estimate { value: Some(area), low: back(odds - reach), high: back(odds + reach) }
    }

    /// The cells are 1 − u, u − u², u² − u⁴ and u⁴, each times 1 − t and then each times t.
    fn errors(&self, low: f64, high: f64, clip: f64) -> Errors {
        let from = |level: usize| -> Vec<f64> {
            (0..8).map(|cell| f64::from(u8::from(cell % 4 >= level))).collect()
        };
        let (all, first, second, fourth) = (from(0), from(1), from(2), from(3));
        let spread: Vec<f64> = (0..8).map(|cell| f64::from(u8::from(cell >= 4))).collect();
        let joint: Vec<f64> = second.iter().zip(&spread).map(|(a, b)| a * b).collect();
        // Σ(x − f)² = Σx² − 2fΣx + f²n.
        let around = |squares: &[f64], plain: &[f64]| {
            let (squares, plain, all) = (self.sum(squares), self.sum(plain), self.sum(&all));
            move |_: &[f64], f: f64| squares - 2.0 * f * plain + f * f * all
        };
        let mean = |of: &[f64], squares: &[f64]| {
            self.ratio_with(&Ratio { above: of, below: &all, most: 1.0 }, around(squares, of))
        };
        let half = 0.5 * (high - low);
        let scale = (clip / half).powi(2);
        let scaled: Vec<f64> = second.iter().map(|weight| weight * scale).collect();
        let (fourths, joints, spreads) = (self.sum(&fourth), self.sum(&joint), self.sum(&spread));
        // t² is not known, and not above t.
        let unexplained = self
            .ratio_with(&Ratio { above: &scaled, below: &spread, most: MOST_UNEXPLAINED }, |_, f| {
                scale * scale * fourths - 2.0 * f * scale * joints + f * f * spreads
            });
        Errors {
            rows: self.total(),
            mean_absolute: mean(&first, &second).mapped(|u| u * clip),
            mean_squared: mean(&second, &fourth).mapped(|u| u * clip * clip),
            r_squared: unexplained.turned(|f| 1.0 - f),
        }
    }
}

/// R² is looked for from −3 on.
const MOST_UNEXPLAINED: f64 = 4.0;

/// The share of the more frequent class, from that of one of them.
fn majority(share: Estimate) -> Estimate {
    let larger = |p: f64| p.max(1.0 - p);
    let (a, b) = (larger(share.low), larger(share.high));
    let low = if share.low <= 0.5 && share.high >= 0.5 { 0.5 } else { a.min(b) };
    Estimate { value: share.value.map(larger), low, high: a.max(b) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn exact(cells: &[f64]) -> Noisy {
        Noisy { cells: cells.to_vec(), step: 1.0, variance: 1e-12, fourth: 0.0 }
    }

    fn near(estimate: Estimate, value: f64) {
        let found = estimate.value.unwrap();
        assert!(
            (found - value).abs() < 1e-9 && estimate.low <= value && value <= estimate.high,
            "{estimate:?} {value}"
        );
    }

    /// 50 right and 10 wrong of the other class, 30 right and 20 wrong of the positive one.
    #[test]
    fn metrics_by_hand() {
        let report = exact(&[50.0, 10.0, 20.0, 30.0]).classes(2);
        assert_eq!(report.confusion, [[50.0, 10.0], [20.0, 30.0]]);
        near(report.accuracy, 80.0 / 110.0);
        near(report.majority, 60.0 / 110.0);
        near(report.recall, 0.6);
        near(report.precision, 0.75);
        near(report.f1, 60.0 / 90.0);
        near(report.balanced_accuracy, f64::midpoint(0.6, 50.0 / 60.0));
        assert_eq!((report.auc, report.calibration.len(), report.curve.len()), (None, 0, 1));
    }

    /// Bins of 1, 2, 3, 4 rows of the other class and 1, 1, 4, 4 of the positive one: the 100 pairs by hand.
    #[test]
    fn the_area_by_hand() {
        let report = exact(&[1.0, 2.0, 3.0, 4.0, 1.0, 1.0, 4.0, 4.0]).classes(4);
        let pairs = 0.5 + (1.0 + 1.0) + 4.0 * (3.0 + 1.5) + 4.0 * (6.0 + 2.0);
        near(report.auc.unwrap(), pairs / 100.0);
        near(report.calibration[2].share, 4.0 / 7.0);
        near(report.curve[0].true_positive, 0.9);
        near(report.curve[2].false_positive, 0.4);
        near(report.accuracy, (3.0 + 8.0) / 20.0);
    }

    /// Of 40, 30 and 30 rows 30, 10 and 20 are right. Red: `cell >= count` for the right ones; a mean of two recalls.
    #[test]
    fn labels_by_hand() {
        let names = ["a", "b", "c"].map(str::to_owned);
        let report = exact(&[30.0, 10.0, 20.0, 10.0, 20.0, 10.0]).labels(&names);
        near(report.rows, 100.0);
        near(report.accuracy, 0.6);
        near(report.majority, 0.4);
        near(report.balanced_accuracy, (0.75 + 1.0 / 3.0 + 2.0 / 3.0) / 3.0);
        near(report.recalls[1].1, 1.0 / 3.0);
        assert_eq!(report.recalls[2].0, "c");
        let noisy = Noisy { cells: vec![-4.0; 6], step: 1.0, variance: 200.0, fourth: 1e5 };
        assert_eq!(noisy.labels(&names).accuracy.value, None);
    }

    /// Two rows: u = ½ with t = 1, u = 1 with t = 0, the clip 4 and the range from 0 to 10.
    #[test]
    fn errors_by_hand() {
        let report = exact(&[0.0, 0.0, 0.0, 1.0, 0.5, 0.25, 0.1875, 0.0625]).errors(0.0, 10.0, 4.0);
        near(report.mean_absolute, 4.0 * 0.75);
        near(report.mean_squared, 16.0 * 0.625);
        near(report.r_squared, 1.0 - 16.0 * 1.25 / 25.0);
    }

    #[test]
    fn noise_alone_gives_no_value_and_no_failure() {
        let noisy = Noisy { cells: vec![-4.0; 20], step: 1.0, variance: 200.0, fourth: 1e5 };
        let report = noisy.classes(10);
        assert_eq!(
            (report.accuracy.value, report.auc.unwrap().low, report.rows.value),
            (None, 0.0, Some(0.0))
        );
        let errors = Noisy { cells: vec![-1.0; 8], ..noisy }.errors(0.0, 1.0, 1.0);
        assert_eq!((errors.mean_absolute.value, errors.r_squared.low), (None, -3.0));
    }
}
