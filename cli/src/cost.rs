//! What a fit will cost and be worth: from public numbers, and a pass over public records that is timed on this machine.

use crate::failure::Failure;
use crate::plan::WORSE_THAN_NOTHING;
use asap_dp::learner::Plan;
use asap_dp::prediction::Guess;
use asap_dp::{Loss, OutOfBounds, Problem, Records};
use std::path::Path;
use std::time::Instant;

/// A pass over records of one shape, as it was timed. Nobody's records take part, so that the time is public.
#[derive(Clone, Copy)]
pub(crate) struct Pass {
    seconds_per_row: f64,
}

impl Pass {
    /// So many numbers the synthetic records of a plan hold at most, whatever their shape; more rows are taken to cost in proportion.
    pub(crate) const MANY: usize = 1 << 19;
    /// The same for a fit, which should not be kept waiting.
    pub(crate) const FEW: usize = 1 << 16;
    /// The fastest of so many passes counts: others were disturbed.
    const PASSES: usize = 3;

    /// Times passes (value and gradient) over synthetic records of this problem's shape.
    pub(crate) fn measure<L: Loss>(problem: &Problem<L>, rows: u64, numbers: usize) -> Result<Self, Failure> {
        let bounds = problem.bounds();
        let columns = problem.dimension() - usize::from(bounds.intercept());
        let rows = usize::try_from(rows).unwrap_or(usize::MAX).min((numbers / problem.dimension()).max(1));
        // Spread evenly between ±R/√d, so that no row is longer than R.
        let reach = bounds.feature_norm() / (columns as f64).sqrt();
        let features =
            (0..rows * columns).map(|k| reach * (2.0 * (k as f64 * 0.618_033_988_749_895).fract() - 1.0));
        let targets = (0..rows).map(|k| if k % 2 == 0 { 1.0 } else { -1.0 });
        let records =
            Records::new(*problem.loss(), *bounds, OutOfBounds::Clip, features.collect(), targets.collect());
        let failed = |error| Failure::of(error, Path::new("plan"));
        let records = records.map_err(|error| failed(error.into()))?;
        let objective = problem.bind(&records)?;
        let (mut workspace, theta) = (objective.workspace(), vec![0.0; problem.dimension()]);
        let mut fastest = f64::INFINITY;
        for _ in 0..Self::PASSES {
            let start = Instant::now();
            let _ = objective.evaluate(&theta, &mut workspace).map_err(failed)?;
            fastest = fastest.min(start.elapsed().as_secs_f64());
        }
        Ok(Self { seconds_per_row: fastest / rows as f64 })
    }

    /// What so many passes over so many rows take, about.
    pub(crate) fn seconds(self, passes: f64, rows: u64) -> f64 {
        passes * rows as f64 * self.seconds_per_row
    }
}

/// What is known about a fit before it spends anything. Nothing of it depends on the records: the rows are the guessed ones.
pub(crate) struct Outlook {
    excess: f64,
    nothing: f64,
    passes: f64,
    rows: u64,
    seconds: f64,
}

impl Outlook {
    /// Of a planned mechanism.
    pub(crate) fn new<L: Loss>(plan: &Plan<L>, problem: &Problem<L>, guess: &Guess) -> Result<Self, Failure> {
        let predicted = plan.predict(guess).map_err(|error| Failure::of(error, Path::new("plan")))?;
        let rows = guess.rows();
        Ok(Self {
            excess: predicted.likely,
            nothing: guess.loss_of_nothing(problem),
            passes: predicted.passes,
            rows,
            seconds: Pass::measure(problem, rows, Pass::FEW)?.seconds(predicted.passes, rows),
        })
    }

    /// How long it takes, in words.
    pub(crate) fn estimate(&self) -> String {
        let Self { passes, rows, seconds, .. } = self;
        let time = if *seconds < 1.0 { "less than a second".to_owned() } else { format!("{seconds:.0} s") };
        format!("about {passes:.0} passes over the records, {time} if there are {rows}")
    }

    /// Why the budget had better not be spent; `None` if nothing speaks against it.
    pub(crate) fn objection(&self, limit: f64) -> Option<String> {
        if self.excess > self.nothing {
            Some(WORSE_THAN_NOTHING.to_owned())
        } else if self.seconds > limit {
            Some(format!(
                "The fit is planned to take {}, estimated on this machine: more than --cost-limit, {limit} s. Another --mechanism or \
                 --sampler, a smaller --expected-rows (if there are fewer rows) or a larger --cost-limit would help.",
                self.estimate()
            ))
        } else {
            None
        }
    }
}
