//! What would make a refused plan possible, found by planning again with one flag changed.

use crate::arguments::ProblemFlags;
use crate::failure::Failure;
use crate::terminal::number;
use asap_dp::{Error, Loss};
use std::path::Path;

/// So many remedies are enough.
const MOST: usize = 3;
/// A flag is changed by at most so many powers of ten.
const DECADES: i32 = 12;

/// Why a plan is refused, with the values of single flags that would make it possible.
pub(crate) fn refused<L: Loss>(
    error: Error,
    asked: &ProblemFlags,
    rows: Option<u64>,
    public: &asap_dp::Problem<L>,
) -> Failure {
    let Failure::Usage(reason) = Failure::of(error, Path::new("plan")) else { return Failure::Internal };
    let works = |problem: &ProblemFlags| {
        let planned = || {
            let learner = problem.learner(rows)?;
            let bounds = public.bounds().clone().with_max_rows(problem.max_rows)?;
            let public = learner.problem(*public.loss(), bounds, public.dimension())?;
            learner.plan(&public).map_err(|error| Failure::of_plan(&error))
        };
        planned().is_ok()
    };
    let found: Vec<String> =
        CHANGES.iter().filter_map(|change| change.least(asked, &works)).take(MOST).collect();
    Failure::Usage(match &found[..] {
        [] => format!("{reason}. No change of --regulariser, --max-rows, --epsilon or --mu alone is enough"),
        some => format!("{reason}. Any one of these would be enough: {}", some.join(", or ")),
    })
}

/// One flag, and a direction.
struct Change {
    flag: &'static str,
    larger: bool,
    /// The same problem with another value.
    with: fn(&ProblemFlags, f64) -> ProblemFlags,
    value: fn(&ProblemFlags) -> Option<f64>,
}

const CHANGES: [Change; 7] = [
    Change { flag: "--regulariser", larger: true, with: with_regulariser, value: |it| it.regulariser },
    Change { flag: "--max-rows", larger: false, with: with_max_rows, value: |it| Some(it.max_rows as f64) },
    Change { flag: "--epsilon", larger: true, with: with_epsilon, value: |it| it.epsilon },
    Change { flag: "--mu", larger: true, with: with_mu, value: |it| it.mu },
    Change { flag: "--epsilon", larger: false, with: with_epsilon, value: |it| it.epsilon },
    Change { flag: "--mu", larger: false, with: with_mu, value: |it| it.mu },
    Change { flag: "--regulariser", larger: false, with: with_regulariser, value: |it| it.regulariser },
];

fn with_regulariser(problem: &ProblemFlags, value: f64) -> ProblemFlags {
    ProblemFlags { regulariser: Some(value), ..problem.clone() }
}

#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "between 0 and 2^40")]
fn with_max_rows(problem: &ProblemFlags, value: f64) -> ProblemFlags {
    ProblemFlags { max_rows: value as u64, ..problem.clone() }
}

fn with_epsilon(problem: &ProblemFlags, value: f64) -> ProblemFlags {
    ProblemFlags { epsilon: Some(value), ..problem.clone() }
}

fn with_mu(problem: &ProblemFlags, value: f64) -> ProblemFlags {
    ProblemFlags { mu: Some(value), ..problem.clone() }
}

impl Change {
    /// The least change that is enough, to two digits.
    fn least(&self, asked: &ProblemFlags, works: &dyn Fn(&ProblemFlags) -> bool) -> Option<String> {
        let start = (self.value)(asked)?;
        let sign = if self.larger { 1.0 } else { -1.0 };
        let at = |decades: f64| self.rounded(start * 10.0_f64.powf(sign * decades));
        let enough = |decades: f64| works(&(self.with)(asked, at(decades)));
        let mut most = f64::from((1..=DECADES).find(|decades| enough(f64::from(*decades)))?);
        let mut least = most - 1.0;
        for _ in 0..6 {
            let middle = f64::midpoint(least, most);
            *(if enough(middle) { &mut most } else { &mut least }) = middle;
        }
        Some(format!(
            "{} {} ({})",
            self.flag,
            shown(at(most)),
            if self.larger { "larger" } else { "smaller" }
        ))
    }

    /// Two digits, away from what was asked.
    fn rounded(&self, value: f64) -> f64 {
        let unit = 10.0_f64.powf(value.log10().floor() - 1.0);
        let digits = value / unit;
        let rounded = (if self.larger { digits.ceil() } else { digits.floor() }) * unit;
        let rounded = if unit >= 1.0 { rounded.round() } else { rounded };
        if rounded.is_finite() && rounded > 0.0 { rounded } else { value }
    }
}

/// A number as a flag takes it.
fn shown(value: f64) -> String {
    if (1.0..1e15).contains(&value) && value.fract() == 0.0 { format!("{value}") } else { number(value) }
}
