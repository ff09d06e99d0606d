//! What a fit will cost and be worth, from public numbers and a timed pass over public records on this machine.

use crate::failure::Failure;
use asap_dp::data::{CsvOptions, read_csv};
use asap_dp::learner::Plan;
use asap_dp::loss::AgainstRest;
use asap_dp::one_against_rest::ClassPlans;
use asap_dp::verdict::Worth;
use asap_dp::{Learner, Loss, MechanismKind, OutOfBounds, Problem, Records};
use std::fmt::Write;
use std::path::Path;
use std::time::Instant;

/// A pass over records of one shape, as it was timed. No private records take part, so the time is public.
#[derive(Clone, Copy)]
pub(crate) struct Pass {
    seconds_per_row: f64,
    /// What it takes to read a row of a CSV file, which each pass of `--stream` does. A file that is not in the memory
    /// of the operating system takes longer.
    reading_per_row: f64,
}

/// Where the records of a fit are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kept {
    /// In memory.
    InMemory,
    /// In their file, which is read again for each pass.
    InTheFile,
}

impl Pass {
    /// The synthetic records of a plan hold at most so many numbers, whatever their shape; more rows are
    /// taken to cost in proportion.
    pub(crate) const MANY: usize = 1 << 19;
    /// The same for a fit, which should not be kept waiting.
    pub(crate) const FEW: usize = 1 << 16;
    /// The fastest of so many passes counts: others were disturbed.
    const PASSES: usize = 3;

    /// Times passes (value and gradient) over synthetic records of this problem's shape.
    pub(crate) fn measure<L: Loss>(problem: &Problem<L>, rows: u64, numbers: usize) -> Result<Self, Failure> {
        // How long a pass takes has nothing to do with whom the rows are about.
        let problem = &problem.clone().for_records();
        let bounds = problem.bounds();
        let columns = problem.dimension() - usize::from(bounds.intercept());
        let rows = usize::try_from(rows).unwrap_or(usize::MAX).min((numbers / problem.dimension()).max(1));
        // Spread evenly between ±R/√d, so that no row is longer than R.
        let reach = bounds.feature_norm() / (columns as f64).sqrt();
        let features =
            (0..rows * columns).map(|k| reach * (2.0 * (k as f64 * 0.618_033_988_749_895).fract() - 1.0));
        // Two classes, of two or of more.
        let targets = (0..rows).map(|k| if k % 2 == 0 { 1.0 } else { 0.0 });
        let (features, targets): (Vec<f64>, Vec<f64>) = (features.collect(), targets.collect());
        let reading_per_row = reading(problem, columns, &features, &targets)?;
        let records = Records::new(*problem.loss(), bounds.clone(), OutOfBounds::Clip, features, targets);
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
        Ok(Self { seconds_per_row: fastest / rows as f64, reading_per_row })
    }

    /// What so many passes over so many rows take, about.
    pub(crate) fn seconds(self, passes: f64, rows: u64, kept: Kept) -> f64 {
        let reading = match kept {
            Kept::InMemory => 0.0,
            Kept::InTheFile => self.reading_per_row,
        };
        passes * rows as f64 * (self.seconds_per_row + reading)
    }
}

/// So many numbers are read from a text to find out how long that takes, about.
const NUMBERS_READ: usize = 1 << 14;

/// Times how long it takes to read one of these rows from the text of a CSV file.
fn reading<L: Loss>(
    problem: &Problem<L>,
    columns: usize,
    features: &[f64],
    targets: &[f64],
) -> Result<f64, Failure> {
    let mut text = "y".to_owned();
    // A String can always be written to. Six digits: what measured numbers have.
    for column in 0..columns {
        let _ = write!(text, ",{column}");
    }
    let rows = targets.len().min((NUMBERS_READ / columns).max(1));
    for (row, target) in features.chunks_exact(columns).zip(targets).take(rows) {
        let _ = write!(text, "\n{target}");
        for x in row {
            let _ = write!(text, ",{x:.6}");
        }
    }
    text.push('\n');
    let mut fastest = f64::INFINITY;
    for _ in 0..Pass::PASSES {
        let start = Instant::now();
        let (options, clip) = (CsvOptions::new("y"), OutOfBounds::Clip);
        read_csv(text.as_bytes(), &options, *problem.loss(), problem.bounds().clone(), clip)
            .map_err(|error| Failure::of(error.into(), Path::new("plan")))?;
        fastest = fastest.min(start.elapsed().as_secs_f64());
    }
    Ok(fastest / rows.max(1) as f64)
}

/// What is known about a fit before it spends anything. Nothing of it depends on the records: the
/// rows are the guessed ones.
pub(crate) struct Outlook {
    /// Why it is not worth anything, if so.
    useless: Option<String>,
    passes: f64,
    rows: u64,
    kept: Kept,
    seconds: f64,
}

impl Outlook {
    /// Of a planned mechanism.
    pub(crate) fn new<L: Loss>(
        plan: &Plan<L>,
        problem: &Problem<L>,
        learner: &Learner,
        kept: Kept,
    ) -> Result<Self, Failure> {
        let failed = |error| Failure::of(error, Path::new("plan"));
        let guess = learner.guess(problem)?;
        let predicted = plan.predict(&guess).map_err(failed)?;
        let rows = guess.rows();
        let useless = match Worth::of(&predicted, problem.loss().targets()) {
            Worth::Useless => Some(learner.verdict(problem).map_err(failed)?.text()),
            _ => None,
        };
        Ok(Self {
            useless,
            passes: predicted.passes,
            rows,
            kept,
            seconds: Pass::measure(problem, rows, Pass::FEW)?.seconds(predicted.passes, rows, kept),
        })
    }

    /// Of a model of more than two classes: all of them together; useless if a part is. And the mechanism of the first.
    pub(crate) fn of_classes(plans: &ClassPlans, kept: Kept) -> Result<(Self, MechanismKind), Failure> {
        let one = |plan: &Plan<AgainstRest>| Self::new(plan, plan.problem(), plans.learner(), kept);
        let mut all: Option<(Self, MechanismKind)> = None;
        for (_, plan) in plans.plans() {
            let next = one(plan)?;
            all = Some(match all {
                None => (next, plan.kind()),
                Some((sum, kind)) => {
                    let (passes, seconds) = (sum.passes + next.passes, sum.seconds + next.seconds);
                    (Self { useless: sum.useless.or(next.useless), passes, seconds, ..sum }, kind)
                }
            });
        }
        all.ok_or(Failure::Internal)
    }

    /// How long it takes, in words.
    pub(crate) fn estimate(&self) -> String {
        let Self { passes, rows, seconds, kept, .. } = self;
        let time = if *seconds < 1.0 { "less than a second".to_owned() } else { format!("{seconds:.0} s") };
        let several = if *passes < 1.5 { "pass" } else { "passes" };
        let read = match kept {
            Kept::InMemory => "",
            Kept::InTheFile => ", each of which reads the file again",
        };
        format!("about {passes:.0} {several} over the records{read}, {time} if there are {rows}")
    }

    /// Why the budget had better not be spent; `None` if nothing speaks against it.
    pub(crate) fn objection(&self, limit: f64) -> Option<String> {
        if self.useless.is_some() {
            self.useless.clone()
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
