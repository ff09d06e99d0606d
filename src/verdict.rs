//! What a fit will be worth, in words that a person can act on, from public numbers alone. spec: `own:auto`

use crate::bounds::Bounds;
use crate::error::Error;
use crate::input::InvalidInput;
use crate::learner::Learner;
use crate::loss::{Loss, Targets};
use crate::plan::{MechanismKind, Plan};
use crate::prediction::Prediction;
use crate::privacy::{Epsilon, Guarantee, Mu};
use crate::problem::Problem;
use crate::shape::{Block, Shape};
use crate::special::normal_cdf;

/// What a release is predicted to be worth. spec: `own:auto`
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Worth {
    /// Hardly better than the trivial model, which predicts the same for every record, or worse.
    Useless,
    /// Better than nothing in most cases, but not in all.
    Doubtful,
    /// Most of what can be learnt.
    Useful,
}

impl Worth {
    /// Below the first a release is useless, from the second on it is useful.
    pub fn limits(targets: Targets) -> [f64; 2] {
        match targets {
            Targets::Classes => [1.0 / 3.0, 0.75],
            Targets::Numbers => [0.0, 0.5],
        }
    }

    /// Of a prediction for targets of this kind.
    pub fn of(prediction: &Prediction, targets: Targets) -> Self {
        let [some, most] = Self::limits(targets);
        match prediction.worth {
            worth if worth >= most => Self::Useful,
            worth if worth >= some => Self::Doubtful,
            _ => Self::Useless,
        }
    }

    /// In one word.
    pub fn name(self) -> &'static str {
        match self {
            Self::Useless => "useless",
            Self::Doubtful => "doubtful",
            Self::Useful => "useful",
        }
    }
}

/// What is predicted for a plan, and what would make it useful. spec: `own:auto`
#[derive(Clone, Debug, PartialEq)]
pub struct Verdict {
    /// What the release is worth.
    pub worth: Worth,
    /// The number of rows that it is predicted for.
    pub rows: u64,
    /// Whether that is the default number, because none was given.
    pub rows_assumed: bool,
    /// The prediction.
    pub prediction: Prediction,
    /// From so many rows on it is useful, two digits; `None` if no number up to the largest admissible one is enough.
    pub useful_rows: Option<u64>,
    /// With this ε or μ it is useful, two digits; `None` if none up to 1000 times as much is.
    pub useful_budget: Option<f64>,
    /// With so many columns or fewer it is useful; `None` if not even with one.
    pub useful_columns: Option<usize>,
    total: Guarantee,
    targets: Targets,
}

/// The tables on which predictions for classes were calibrated: quartiles of the AUC of their best models, as
/// quantiles of the normal law; of the accuracy that these gain over the majority class; and the median majority
/// class.
const BEST_AUC: [f64; 3] = [0.845, 1.272, 1.829];
const GAINS: [f64; 3] = [0.08, 0.20, 0.34];
const MAJORITY: f64 = 0.61;
/// So many there were.
const TABLES: u32 = 42;

impl Learner {
    /// What a fit of this plan will be worth. No record takes part.
    pub fn worth<L: Loss>(&self, plan: &Plan<L>, problem: &Problem<L>) -> Result<Worth, Error> {
        let prediction = plan.predict(&self.guess(problem)?)?;
        Ok(Worth::of(&prediction, problem.loss().targets()))
    }

    /// What a fit for this problem will be worth, and what would change it. No record takes part.
    pub fn verdict<L: Loss>(&self, problem: &Problem<L>) -> Result<Verdict, Error> {
        let prediction = self.plan(problem)?.predict(&self.guess(problem)?)?;
        let (total, targets) = (self.total()?, problem.loss().targets());
        let worth = Worth::of(&prediction, targets);
        // One mechanism stands for all: it is planned a hundred times.
        let kind = self.planned_mechanism().unwrap_or(MechanismKind::Objective);
        let alone = self.mechanism(kind);
        let useful = |learner: &Learner, bounds: Bounds, dimension: usize| {
            let predicted = learner
                .problem(*problem.loss(), bounds, dimension)
                .ok()
                .and_then(|problem| learner.predicted(kind, &problem));
            predicted.is_some_and(|it| Worth::of(&it, targets) == Worth::Useful)
        };
        let (bounds, dimension) = (problem.bounds(), problem.dimension());
        let rows = self.guess(problem)?.rows();
        let with_rows = |many: u64| {
            let learner = alone.expected_rows(many);
            // Their curvature is in proportion.
            let guessed = self.guessed_curvature().map(|it| it * many as f64 / rows as f64);
            useful(&guessed.map_or(learner, |it| learner.curvature(it)), bounds.clone(), dimension)
        };
        let with_budget = |tenths: u64| {
            let value = total.parameter() * 10.0_f64.powf(tenths as f64 / 10.0);
            let total = match total {
                Guarantee::Pure(_) => Epsilon::new(value).map(Guarantee::Pure),
                Guarantee::Gaussian(_) => Mu::new(value).map(Guarantee::Gaussian),
            };
            total.is_ok_and(|total| useful(&alone.guarantee(total), bounds.clone(), dimension))
        };
        let constant = usize::from(bounds.intercept());
        let columns = dimension - constant;
        let with_columns = |many: usize| {
            narrowed(bounds, columns, many).is_ok_and(|bounds| useful(&alone, bounds, many + constant))
        };
        let enough = worth == Worth::Useful;
        let budget = if enough { Some(0) } else { least(0, 30, with_budget) };
        Ok(Verdict {
            worth,
            rows,
            rows_assumed: self.rows_are_assumed(),
            prediction,
            // Another mechanism may be useful with fewer.
            useful_rows: least(1, bounds.max_rows(), with_rows)
                .map(|it| two_digits_up(it, bounds.max_rows()))
                .or(enough.then_some(rows))
                .map(|it| if enough { it.min(rows) } else { it }),
            useful_budget: budget
                .map(|tenths| two_digits(total.parameter() * 10.0_f64.powf(tenths as f64 / 10.0))),
            useful_columns: if enough { Some(columns) } else { most(columns, with_columns) },
            total,
            targets,
        })
    }
}

/// The same bounds for fewer columns, whose rows are shorter. Where the columns have a shape these are numbers.
fn narrowed(bounds: &Bounds, columns: usize, many: usize) -> Result<Bounds, InvalidInput> {
    let narrow = match bounds.shape() {
        Some(_) => Bounds::of_shape(Shape::new([Block::Cube { columns: many as u64 }])?)?,
        None => Bounds::new(bounds.feature_norm() * (many as f64 / columns as f64).sqrt())?,
    };
    let narrow = narrow.with_max_rows(bounds.max_rows())?.with_intercept(bounds.intercept())?;
    let narrow = match bounds.rows_per_person() {
        Some(rows) => narrow.with_rows_per_person(rows)?,
        None => narrow,
    };
    match bounds.target() {
        Some(target) => narrow.with_target(target),
        None => Ok(narrow),
    }
}

/// The least number between these from which on this holds, about to a 64th; `None` if it does not hold for the
/// largest. Looked for among powers of two times the least, from above: a smaller number for which it holds by
/// itself is not taken.
fn least(from: u64, to: u64, holds: impl Fn(u64) -> bool) -> Option<u64> {
    if !holds(to) {
        return None;
    }
    let (mut enough, mut too_few) = (to, from.saturating_sub(1));
    let powers: Vec<u64> =
        (0..64).map(|k| from.max(1) << k).take_while(|it| *it < to && *it >= from).collect();
    for it in powers.into_iter().rev() {
        if !holds(it) {
            too_few = it;
            break;
        }
        enough = it;
    }
    while enough - too_few > 1 + enough / 64 {
        let middle = too_few + (enough - too_few) / 2;
        *(if holds(middle) { &mut enough } else { &mut too_few }) = middle;
    }
    Some(enough)
}

/// The largest number below this one, by halves and then by single steps, for which this holds.
fn most(below: usize, holds: impl Fn(usize) -> bool) -> Option<usize> {
    let (mut good, mut bad) = (0, below);
    while bad - good > 1 {
        let middle = good + (bad - good) / 2;
        *(if holds(middle) { &mut good } else { &mut bad }) = middle;
    }
    (good > 0).then_some(good)
}

fn two_digits_up(value: u64, most: u64) -> u64 {
    let unit = 10_u64.pow(value.max(1).ilog10().saturating_sub(1));
    value.div_ceil(unit).saturating_mul(unit).min(most)
}

fn two_digits(value: f64) -> f64 {
    format!("{value:.1e}").parse().unwrap_or(value)
}

impl Verdict {
    /// The AUC that is predicted for tables whose best models have the lower quartile, the median and the upper
    /// quartile; `None` where targets are numbers.
    pub fn auc(&self) -> Option<[f64; 3]> {
        let auc = BEST_AUC.map(|best| normal_cdf(self.prediction.agreement * best));
        (self.targets == Targets::Classes).then_some(auc)
    }

    /// The accuracy over that of the majority class, in the same way.
    pub fn accuracy_gain(&self) -> Option<[f64; 3]> {
        let gain = GAINS.map(|gain| gain * self.prediction.worth);
        (self.targets == Targets::Classes).then_some(gain)
    }

    /// In sentences, for people.
    pub fn text(&self) -> String {
        let mut text = format!("{}. {}", self.heading(), self.expectation());
        if let Some(change) = self.what_would_help() {
            text = format!("{text} {change}");
        }
        if self.rows_assumed {
            let rows = self.rows;
            text = format!(
                "{text} The number of rows was not given: {rows} is assumed, and with fewer it is less."
            );
        }
        text
    }

    fn heading(&self) -> &'static str {
        match (self.worth, self.targets) {
            (Worth::Useful, _) => "Useful",
            (Worth::Doubtful, Targets::Classes) => {
                "Doubtful: about one in seven of such fits was no better than the majority class"
            }
            (Worth::Doubtful, Targets::Numbers) => "Doubtful: better than the mean alone, but not by much",
            (Worth::Useless, Targets::Classes) => {
                "Worse than nothing: about half of such fits were no better than the majority class"
            }
            (Worth::Useless, Targets::Numbers) => {
                "Worse than nothing: the mean alone is predicted to be the better model"
            }
        }
    }

    /// What the model is worth.
    fn expectation(&self) -> String {
        let rows = self.rows;
        let percent = (100.0 * self.prediction.worth).round().clamp(-999.0, 100.0);
        match (self.auc(), self.accuracy_gain()) {
            (Some([low, median, high]), Some([less, usual, more])) => format!(
                "With {rows} rows it is predicted to keep about {percent} % of what a model without noise gains over the majority \
                 class: an accuracy {less:.2} to {more:.2} above the majority's and an AUC of {low:.2} to {high:.2} on half of the \
                 {TABLES} public tables that this was calibrated on; on the median one (majority {MAJORITY:.2}) accuracy \
                 {:.2}, AUC {median:.2}.",
                MAJORITY + usual,
            ),
            _ if self.prediction.worth < 0.0 => {
                format!("With {rows} rows its noise is predicted to be larger than what there is to explain.")
            }
            _ => format!(
                "With {rows} rows it is predicted to keep about {percent} % of the variance that a model without noise explains."
            ),
        }
    }

    /// What would make it useful.
    fn what_would_help(&self) -> Option<String> {
        if self.worth == Worth::Useful {
            return self.useful_rows.map(|rows| format!("Useful from about {rows} rows on."));
        }
        let symbol = match self.total {
            Guarantee::Pure(_) => "ε",
            Guarantee::Gaussian(_) => "μ",
        };
        let ways: Vec<String> = [
            self.useful_rows.map(|rows| format!("about {rows} rows")),
            self.useful_budget.map(|budget| format!("{symbol} = {budget}")),
            self.useful_columns.map(|many| match many {
                1 => "a single column".to_owned(),
                many => format!("at most {many} columns (each level of a category is one)"),
            }),
        ]
        .into_iter()
        .flatten()
        .collect();
        Some(if ways.is_empty() {
            "No number of rows, no budget and no smaller number of columns alone would make it useful."
                .to_owned()
        } else {
            format!("What would make it useful: {}.", ways.join(", or "))
        })
    }
}
