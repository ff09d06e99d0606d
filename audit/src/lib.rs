//! Privacy audit: lower confidence bounds of ε and μ from runs on worst-case neighbours. spec: `own:audit`
//!
//! An audit can refute a guarantee; it never establishes one. The bounds hold for every number of runs.
//!
//! **Pure DP.** If a mechanism is ε-DP, then `P_D(T ∈ S) ≤ e^ε·P_D'(T ∈ S)` for every set S of outcomes of every
//! statistic T. A tenth of the runs suggests sets (thresholds, atoms, values seen on one side only), another tenth
//! chooses one of them and a direction, and the other eight tenths, which had no part in the choice, give
//! Clopper–Pearson bounds `p ≤ P_D(S)` and `P_D'(S) ≤ q`, each wrong with probability at most α/2. So
//! `ε ≥ ln(p/q)` with confidence 1 − α.
//!
//! **GDP.** S as a test of D against D' has errors `P_D(S)` and `1 − P_D'(S)`, with upper bounds a and b. If the
//! mechanism is μ-GDP, then `b ≥ Φ(Φ⁻¹(1 − a) − μ)`, so `μ ≥ −Φ⁻¹(a) − Φ⁻¹(b)` with confidence 1 − α.
//!
//! **Disjoint supports.** If S holds in all of the n bounding runs on one data set and in none on the other, the report
//! says ∞ (no overlap observed). The certified bound is then about `ln(n/ln(2/α))` and grows with n; it contradicts the
//! claim by being above it. (A mechanism whose ε is finite but much larger than `ln n` looks the same.)
//!
//! **Directions.** From three dimensions on the audit looks not only at the likelihood ratio, but also at each
//! coordinate and two fixed random directions of every released vector, at a level that they share. A report names the
//! one with the largest bound.
//!
//! **How many runs.** With p ≈ q ≈ ½ (randomised response at small ε) the bound falls short of ε by
//! `2·z·√(1/n)`, z = 5 for α = 10⁻⁶, with n = eight tenths of the runs: to see ε = 0.11 where 0.1 is claimed takes
//! some 10⁶ runs to break even and 10⁷ to be sure.
#![cfg_attr(test, allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::float_cmp))]
#![forbid(unsafe_code)]

mod answer;
mod binomial;
mod direction;
mod event;
mod release;
mod report;
mod samples;
mod svg;
mod tilted;
mod worst_case;

pub use answer::run_answer;
pub use binomial::{lower_bound, upper_bound};
pub use direction::{Observed, ReleasedDirection};
pub use event::Event;
pub use release::{LARGEST_DIMENSION, ReleaseCase, ReleasePair, ReleasePlan, ReleaseSettings, run_release};
pub use report::{AuditReport, Finding};
pub use samples::{Bound, Samples};
pub use tilted::TiltedCase;
pub use worst_case::{Audited, Pair, WorstCase, along};

use asap_dp::bounds::Bounds;
use asap_dp::data::{DataError, OutOfBounds};
use asap_dp::error::Error;
use asap_dp::input::InvalidInput;
use asap_dp::localise::PureNoise;
use asap_dp::loss::{Huber, Logistic, Loss};
use asap_dp::mechanism::{Calibration, SamplerKind};
use asap_dp::privacy::Guarantee;
use asap_dp::{MechanismKind, Records};

/// The loss of the neighbours on which objective perturbation is audited; the other mechanisms are audited on
/// those of the Huber loss.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TiltedLoss {
    /// Its slope has both signs: the tilt is purely private, and converted under μ. Slope and
    /// curvature are largest at once.
    Huber,
    /// Its slope keeps its sign: the tilt under μ is normal (`own:gaussian-tilt`), as in a fit with this loss.
    Logistic,
}

/// What is audited, and how hard.
#[derive(Clone, Debug)]
pub struct AuditSettings {
    /// The claim of the learner.
    pub guarantee: Guarantee,
    /// Runs on each data set.
    pub runs: u64,
    /// The probability that any bound of the report is above its truth.
    pub alpha: f64,
    /// A seed to replay from, or none for secure randomness.
    pub seed: Option<u64>,
    /// Number of parameters.
    pub dimension: usize,
    /// Λ: the total regulariser.
    pub regulariser: f64,
    /// Which mechanism learns. Only the posterior one has more stages than the whole release.
    pub mechanism: MechanismKind,
    /// Under which loss, if that is objective perturbation.
    pub loss: TiltedLoss,
    /// How the constants are chosen.
    pub calibration: Calibration,
    /// Which sampler stands in for the posterior.
    pub sampler: SamplerKind,
    /// The noise that is added to a minimiser under pure DP.
    pub noise: PureNoise,
    /// The public guess of the number of records.
    pub expected_rows: u64,
    /// The number of steps of noisy gradient descent; `None` for what is predicted to be best.
    pub gradient_steps: Option<u32>,
    /// The number of rows of the person that neighbours differ by; `None` if they differ by a record.
    /// spec: `own:persons`
    pub rows_per_person: Option<u64>,
    /// The neighbours.
    pub pairs: Vec<Pair>,
    /// The mechanisms.
    pub stages: Vec<Audited>,
}

impl AuditSettings {
    /// 10⁵ runs of a one-dimensional problem at confidence 1 − 10⁻⁶, all stages, all pairs. Objective perturbation is
    /// audited with the loss that has the tilt of its own for this kind of guarantee: logistic under μ, Huber under ε.
    #[must_use]
    pub fn new(guarantee: Guarantee) -> Self {
        Self {
            guarantee,
            runs: 100_000,
            alpha: 1e-6,
            seed: None,
            dimension: 1,
            regulariser: 10.0,
            mechanism: MechanismKind::Posterior,
            loss: match guarantee {
                Guarantee::Pure(_) => TiltedLoss::Huber,
                Guarantee::Gaussian(_) => TiltedLoss::Logistic,
            },
            calibration: Calibration::default(),
            sampler: SamplerKind::default(),
            noise: PureNoise::default(),
            expected_rows: 10,
            gradient_steps: None,
            rows_per_person: None,
            pairs: vec![Pair::AddedToNothing, Pair::AddedToOne, Pair::Replaced],
            stages: Audited::ALL.to_vec(),
        }
    }
}

/// Audits the learner. The report is the same for any number of threads if a seed is given.
///
/// ```
/// use asap_audit::{AuditSettings, run};
/// use asap_dp::privacy::{Guarantee, Mu};
/// let guarantee = Guarantee::Gaussian(Mu::new(1.0)?);
/// let report = run(&AuditSettings { runs: 500, seed: Some(1), ..AuditSettings::new(guarantee) })?;
/// println!("{}", report.to_text());
/// assert!(!report.contradicted());
/// # Ok::<(), asap_dp::Error>(())
/// ```
pub fn run(settings: &AuditSettings) -> Result<AuditReport, Error> {
    if !(settings.alpha > 0.0 && settings.alpha < 1.0) {
        return Err(InvalidInput { field: "alpha", allowed: "a number between 0 and 1" }.into());
    }
    let exists =
        |stage: &&Audited| settings.mechanism == MechanismKind::Posterior || **stage == Audited::Release;
    let stages: Vec<Audited> = settings.stages.iter().filter(exists).copied().collect();
    let level = settings.alpha / (settings.pairs.len() * stages.len()).max(1) as f64;
    let mut rows = Vec::new();
    for &pair in &settings.pairs {
        let case = Case::new(settings, pair)?;
        for &stage in &stages {
            let block = rows.len() as u64;
            let directions = case.directions(stage);
            let outcome = |side: u64| {
                let (case, directions) = (&case, &directions);
                move |run| {
                    let seed = settings.seed.map(|seed| run_seed(seed, 2 * block + side, run));
                    let observed = case.outcome(stage, usize::from(side == 1), seed)?;
                    Ok(directions.iter().map(|direction| direction.of(&observed)).collect())
                }
            };
            let samples = Samples::draw_each(settings.runs, directions.len(), outcome(0), outcome(1))?;
            let claim = case.claim(stage)?;
            let seen: Vec<(&str, Samples)> =
                directions.iter().map(ReleasedDirection::name).zip(samples).collect();
            rows.extend(Finding::largest(&stage.to_string(), &case.name(pair), claim, &seen, level));
        }
    }
    let AuditSettings { runs, alpha, seed, dimension, regulariser, .. } = *settings;
    let loss = match (settings.mechanism, settings.loss) {
        (MechanismKind::Objective, TiltedLoss::Logistic) => "logistic",
        _ => "Huber",
    };
    let mechanism = settings.mechanism.name();
    let whose = settings.rows_per_person.map(|rows| format!(", persons of {rows} rows")).unwrap_or_default();
    let setting = format!("the audit's own worst case: {mechanism}, {loss} loss, R = 1{whose}");
    Ok(AuditReport { runs, alpha, seed, setting, dimension, regulariser: Some(regulariser), rows })
}

/// The neighbours on which the audited mechanism leaks most.
enum Case {
    Untilted(Box<WorstCase>),
    Tilted(Box<TiltedCase<Huber>>),
    Classes(Box<TiltedCase<Logistic>>),
}

impl Case {
    fn new(settings: &AuditSettings, pair: Pair) -> Result<Self, Error> {
        Ok(match (settings.mechanism, settings.loss) {
            (MechanismKind::Objective, TiltedLoss::Huber) => {
                Self::Tilted(TiltedCase::new(settings, pair)?.into())
            }
            (MechanismKind::Objective, TiltedLoss::Logistic) => {
                Self::Classes(TiltedCase::logistic(settings, pair)?.into())
            }
            (MechanismKind::Posterior | MechanismKind::Output | MechanismKind::NoisyGradient, _) => {
                Self::Untilted(WorstCase::new(settings, pair)?.into())
            }
        })
    }

    /// The neighbours as a report names them.
    fn name(&self, pair: Pair) -> String {
        match self {
            Self::Untilted(_) | Self::Tilted(_) => pair.to_string(),
            Self::Classes(case) => case.many(pair),
        }
    }

    fn claim(&self, stage: Audited) -> Result<Guarantee, Error> {
        match self {
            Self::Untilted(case) => case.claim(stage),
            Self::Tilted(case) => Ok(case.claim()),
            Self::Classes(case) => Ok(case.claim()),
        }
    }

    fn directions(&self, stage: Audited) -> Vec<ReleasedDirection> {
        match self {
            Self::Untilted(case) => case.directions(stage),
            Self::Tilted(case) => case.directions(),
            Self::Classes(case) => case.directions(),
        }
    }

    fn outcome(&self, stage: Audited, side: usize, seed: Option<u64>) -> Result<Observed, Error> {
        match self {
            Self::Untilted(case) => case.outcome(stage, side, seed),
            Self::Tilted(case) => case.outcome(side, seed),
            Self::Classes(case) => case.outcome(side, seed),
        }
    }
}

impl AuditSettings {
    /// How many rows come in, go, or are replaced.
    fn changed_rows(&self) -> Result<usize, InvalidInput> {
        let allowed = "a whole number from 1 to 100";
        let rows = self.rows_per_person.unwrap_or(1);
        let rows = usize::try_from(rows).ok().filter(|rows| (1..=100).contains(rows));
        rows.ok_or(InvalidInput { field: "rows per person", allowed })
    }

    /// The bounds with the promise about persons.
    fn promised(&self, bounds: Bounds) -> Result<Bounds, InvalidInput> {
        self.rows_per_person.map_or(Ok(bounds.clone()), |rows| bounds.with_rows_per_person(rows))
    }
}

/// Records. If the bounds promise how many rows a person has, each record is about a person: each record of the base
/// belongs to a person of its own, and those that come in belong to one person.
fn records_of<L: Loss>(
    loss: L,
    bounds: &Bounds,
    columns: usize,
    base: usize,
    rows: &[(Vec<f64>, f64)],
) -> Result<Records<L>, DataError> {
    let fill = |k: usize, to: &mut [f64]| {
        to.copy_from_slice(&rows[k].0);
        rows[k].1
    };
    let (bounds, policy) = (bounds.clone(), OutOfBounds::Clip);
    if bounds.rows_per_person().is_none() {
        return Records::from_rows(loss, bounds, policy, columns, rows.len(), fill);
    }
    let person = |k: usize| k.min(base).to_be_bytes();
    Records::from_rows_of_persons(loss, bounds, policy, columns, rows.len(), person, fill)
}

/// The seed of one run: different for all runs of an audit (the generator hashes it).
pub fn run_seed(seed: u64, block: u64, run: u64) -> u64 {
    seed.wrapping_add((block << 40) | (run & ((1 << 40) - 1)))
}
