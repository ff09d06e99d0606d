//! The setting of a release, audited: the same loss, bounds, regulariser, budget and mechanism on
//! neighbours made for them.
//! spec: `own:audit`
//!
//! All records have one row, of the largest admissible norm and the same in every feature; their targets are the
//! largest and the smallest admissible ones. D holds m records that pull one way, D' one more (or one of them replaced)
//! that pulls the other way. So everything happens along one line, and what the mechanism does to it can be written
//! down: the scores below are log-likelihood ratios from formulas of their own.

use super::direction::{Observed, ReleasedDirection};
use super::report::{AuditReport, Finding};
use super::samples::Samples;
use super::tilted::log_density;
use super::{records_of, run_seed};
use asap_contracts::{Certificate, Mechanism, Noise, Sampler};
use asap_dp::bounds::Bounds;
use asap_dp::calibrate::Paper;
use asap_dp::data::Records;
use asap_dp::error::Error;
use asap_dp::input::InvalidInput;
use asap_dp::learner::{Learner, Plan};
use asap_dp::localise::PureNoise;
use asap_dp::loss::{Huber, Logistic, Loss, Squared, WeightedLogistic};
use asap_dp::mechanism::{Calibration, Descent, SamplerKind};
use asap_dp::noise::{LatticeNoise, Law, RandomBits, ReplayRng, SecureRng, Tilt};
use asap_dp::plan::{MechanismKind, Planned};
use asap_dp::privacy::{Epsilon, Guarantee, Mu, Neighbours};
use asap_dp::problem::Problem;
use asap_dp::release::Release;
use asap_dp::shape::Block;

/// How hard a release's setting is audited.
#[derive(Clone, Copy, Debug)]
pub struct ReleaseSettings {
    /// Runs on each data set.
    pub runs: u64,
    /// The probability that any bound of the report is above its truth.
    pub alpha: f64,
    /// A seed to replay from, or none for secure randomness.
    pub seed: Option<u64>,
}

/// The largest number of parameters of an audited release: beyond it the runs that are needed are too many.
pub const LARGEST_DIMENSION: usize = 5;

/// Audits the setting of a release that has been checked: its loss, bounds, regulariser, budget, mechanism, sampler and
/// noise. The records are the audit's own. spec: `own:audit`
pub fn run_release(release: &Release, settings: &ReleaseSettings) -> Result<AuditReport, Error> {
    let certificate = release.certificate();
    match certificate.problem.loss {
        asap_contracts::Loss::Logistic => match certificate.problem.class_weights {
            Some(weights) => audit(WeightedLogistic::new(weights)?, certificate, settings),
            None => audit(Logistic, certificate, settings),
        },
        asap_contracts::Loss::Squared => audit(Squared, certificate, settings),
        asap_contracts::Loss::Huber { delta } => audit(Huber::new(delta)?, certificate, settings),
        asap_contracts::Loss::User { .. } => {
            let allowed = "a release of a built-in loss: what a user's own is like is not in it";
            Err(InvalidInput { field: "release", allowed }.into())
        }
    }
}

fn audit<L: Loss>(
    loss: L,
    certificate: &Certificate,
    settings: &ReleaseSettings,
) -> Result<AuditReport, Error> {
    let ReleaseSettings { runs, alpha, seed } = *settings;
    let own = ReleasePlan::new(loss, certificate)?;
    let pairs = own.pairs();
    let level = alpha / pairs.len() as f64;
    let mut rows = Vec::new();
    for (block, pair) in pairs.into_iter().enumerate() {
        let case = ReleaseCase::new(&own, pair)?;
        let outcome = |side: u64| {
            let case = &case;
            move |run| {
                let seed = seed.map(|seed| run_seed(seed, 2 * block as u64 + side, run));
                case.numbers(usize::from(side == 1), seed)
            }
        };
        let directions = case.directions();
        let samples = Samples::draw_each(runs, directions.len(), outcome(0), outcome(1))?;
        let seen: Vec<(&str, Samples)> =
            directions.iter().map(ReleasedDirection::name).zip(samples).collect();
        rows.extend(Finding::largest(own.plan.kind().name(), &pair.to_string(), own.guarantee, &seen, level));
    }
    let problem = &certificate.problem;
    let setting = format!(
        "the setting of the release: {} loss, R = {}{}",
        loss.name(),
        problem.feature_norm,
        if problem.intercept { " and an intercept" } else { "" }
    );
    let (dimension, regulariser) = (own.problem.dimension(), Some(problem.regulariser));
    Ok(AuditReport { runs, alpha, seed, setting, dimension, regulariser, rows })
}

/// Neighbours along one line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReleasePair {
    /// m: records of D that pull one way.
    base: usize,
    /// Whether so many of them are replaced in D' rather than added.
    replaced: bool,
    /// The number of rows of the person that D' differs by; 1 for a record.
    changed: usize,
}

impl std::fmt::Display for ReleasePair {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let many = |count: usize, sign: &str| match count {
            0 => None,
            1 => Some(sign.to_owned()),
            _ => Some(format!("{count}{sign}")),
        };
        let set = |other: usize, own: usize| {
            let parts: Vec<String> = [many(other, "-"), many(own, "+")].into_iter().flatten().collect();
            format!("{{{}}}", parts.join(","))
        };
        write!(f, "{} / {}", set(self.base, 0), set(self.kept(), self.changed))
    }
}

impl ReleasePair {
    /// The records of D that are in D', too.
    fn kept(self) -> usize {
        if self.replaced { self.base.saturating_sub(self.changed) } else { self.base }
    }
}

/// A release's setting, planned again.
pub struct ReleasePlan<L> {
    problem: Problem<L>,
    plan: Plan<L>,
    guarantee: Guarantee,
    /// The largest admissible target; 1 for classes.
    target: f64,
}

impl<L: Loss> ReleasePlan<L> {
    /// So many records pull together against one, where so many are admissible.
    const MANY: usize = 64;

    /// Plans what the certificate says, and refuses if that is not what the release was made with.
    pub fn new(loss: L, certificate: &Certificate) -> Result<Self, Error> {
        let own = Self::with_guarantee(loss, certificate, total(certificate)?)?;
        own.reproduces(certificate)?;
        Ok(own)
    }

    /// The same setting with another budget, which is **not** what the release satisfies: for tests of the audit.
    pub fn with_guarantee(loss: L, certificate: &Certificate, guarantee: Guarantee) -> Result<Self, Error> {
        let recorded = &certificate.problem;
        let bounds = Bounds::recorded(recorded)?.with_max_rows(recorded.max_rows)?;
        let person = certificate.person.map(|person| person.rows);
        let bounds = person.map_or(Ok(bounds.clone()), |rows| bounds.with_rows_per_person(rows))?;
        let (bounds, target) = match recorded.loss {
            asap_contracts::Loss::Logistic => (bounds, 1.0),
            _ => (bounds.with_target(recorded.target)?, recorded.target),
        };
        let dimension = usize::try_from(recorded.dimension).unwrap_or(usize::MAX);
        if dimension > LARGEST_DIMENSION {
            let allowed = "a release of at most 5 parameters";
            return Err(InvalidInput { field: "release", allowed }.into());
        }
        let learner = learner(certificate)?.guarantee(guarantee);
        let problem = learner.problem(loss, bounds, dimension)?;
        Ok(Self { plan: learner.plan(&problem)?, problem, guarantee, target })
    }

    /// The pairs of this neighbour relation, as far as there may be so many records.
    pub fn pairs(&self) -> Vec<ReleasePair> {
        let replaced = self.problem.neighbours() == Neighbours::ReplaceOne;
        let bounds = self.problem.bounds();
        let [changed, most] = [bounds.rows_per_person().unwrap_or(1), bounds.max_rows()]
            .map(|rows| usize::try_from(rows).unwrap_or(usize::MAX));
        let many = Self::MANY.max(changed);
        let bases = if replaced { vec![changed, many] } else { vec![0, 1, many] };
        let pair = |base| ReleasePair { base, replaced, changed };
        bases.into_iter().map(pair).filter(|pair| pair.kept().saturating_add(changed) <= most).collect()
    }

    /// Every public number of the mechanism that does not follow from θ_0 must be that of the release.
    fn reproduces(&self, certificate: &Certificate) -> Result<(), Error> {
        let pair =
            self.pairs().first().copied().unwrap_or(ReleasePair { base: 0, replaced: false, changed: 1 });
        let case = ReleaseCase::new(self, pair)?;
        let (again, _) = self.plan.release(&case.records[1], &mut ReplayRng::new(0))?;
        let (mine, given) = (&again.certificate().mechanism, &certificate.mechanism);
        let same = match (mine, given) {
            (Mechanism::Posterior(mine), Mechanism::Posterior(given)) => {
                (&mine.minimiser, mine.localisation.noise, mine.expected_rows)
                    == (&given.minimiser, given.localisation.noise, given.expected_rows)
            }
            _ => mine == given,
        };
        let again = again.certificate();
        if same && (&again.ledger, &again.person) == (&certificate.ledger, &certificate.person) {
            Ok(())
        } else {
            let allowed = "one whose settings are all in its certificate: another tolerance, curvature or version made this one";
            Err(InvalidInput { field: "release", allowed }.into())
        }
    }
}

fn total(certificate: &Certificate) -> Result<Guarantee, InvalidInput> {
    Ok(match certificate.guarantee() {
        asap_contracts::Guarantee::Pure(epsilon) => Guarantee::Pure(Epsilon::new(epsilon)?),
        asap_contracts::Guarantee::Gaussian(mu) => Guarantee::Gaussian(Mu::new(mu)?),
    })
}

/// The learner that a certificate describes, but for its budget.
fn learner(certificate: &Certificate) -> Result<Learner, InvalidInput> {
    let recorded = &certificate.problem;
    let learner = Learner::new(recorded.regulariser).neighbours(certificate.neighbours);
    let learner = recorded.parameter_bound.map_or(learner, |radius| learner.parameter_bound(radius));
    let curvature = certificate.choice.as_ref().and_then(|choice| choice.curvature);
    let learner = curvature.map_or(learner, |curvature| learner.curvature(curvature));
    Ok(match &certificate.mechanism {
        Mechanism::Output(output) => learner
            .mechanism(MechanismKind::Output)
            .noise(pure_noise(output.noise))
            .tolerance(output.minimiser.tolerance),
        Mechanism::Objective(objective) => {
            learner.mechanism(MechanismKind::Objective).expected_rows(objective.expected_rows)
        }
        Mechanism::NoisyGradient(descent) => {
            let allowed = "at most 2^32 steps";
            let steps =
                descent.steps.try_into().map_err(|_| InvalidInput { field: "gradient steps", allowed })?;
            learner
                .mechanism(MechanismKind::NoisyGradient)
                .expected_rows(descent.expected_rows)
                .gradient_steps(steps)
        }
        Mechanism::Posterior(posterior) => learner
            .mechanism(MechanismKind::Posterior)
            .expected_rows(posterior.expected_rows)
            .noise(pure_noise(posterior.localisation.noise))
            .tolerance(posterior.minimiser.tolerance)
            .calibration(match posterior.calibration {
                asap_contracts::Calibration::Tight => Calibration::Tight,
                asap_contracts::Calibration::Paper => Calibration::Paper(Paper::default()),
            })
            .sampler(match posterior.sampler {
                Sampler::Exact => SamplerKind::Exact,
                Sampler::Proximal => SamplerKind::Proximal,
                Sampler::Mala => SamplerKind::Mala,
            }),
    })
}

fn pure_noise(noise: Noise) -> PureNoise {
    match noise {
        Noise::DiscreteLaplace { .. } => PureNoise::Laplace,
        Noise::RoundedNormal { .. } | Noise::EuclideanLaplace { .. } => PureNoise::Euclidean,
    }
}

/// One pair of data sets in a release's setting.
pub struct ReleaseCase<'a, L> {
    own: &'a ReleasePlan<L>,
    records: [Records<L>; 2],
    targets: [Vec<f64>; 2],
    /// The row of every record, the intercept's one included.
    row: Vec<f64>,
    /// The minimisers, in units of the row's direction.
    minimisers: [f64; 2],
}

/// A row at the edge of everything that is promised: every number of a cube 1, the first level of a
/// 1-norm, all of a ball alike.
fn longest_row(bounds: &Bounds, columns: usize) -> Vec<f64> {
    let even = |columns: usize, norm: f64| vec![norm / (columns as f64).sqrt(); columns];
    let Some(shape) = bounds.shape() else { return even(columns, bounds.feature_norm()) };
    let part = |block: &Block| {
        let columns = usize::try_from(block.columns()).unwrap_or(usize::MAX);
        match *block {
            Block::Cube { .. } => vec![1.0; columns],
            Block::OneNorm { bound, .. } => [vec![bound], vec![0.0; columns - 1]].concat(),
            Block::Ball { bound, .. } => even(columns, bound),
        }
    };
    shape.blocks().iter().flat_map(part).collect()
}

impl<'a, L: Loss> ReleaseCase<'a, L> {
    /// The records of a pair.
    pub fn new(own: &'a ReleasePlan<L>, pair: ReleasePair) -> Result<Self, Error> {
        let (problem, bounds) = (&own.problem, own.problem.bounds());
        let columns = problem.dimension() - usize::from(bounds.intercept());
        let features = longest_row(bounds, columns);
        let [all, kept] = [pair.base, pair.kept()].map(|count| vec![-own.target; count]);
        let targets = [all, [kept, vec![own.target; pair.changed]].concat()];
        let records = |targets: &Vec<f64>| {
            let rows: Vec<_> = targets.iter().map(|target| (features.clone(), *target)).collect();
            records_of(*problem.loss(), bounds, columns, pair.kept(), &rows)
        };
        let records = [records(&targets[0])?, records(&targets[1])?];
        let row = features.iter().copied().chain(bounds.intercept().then_some(1.0)).collect();
        let mut case = Self { own, records, targets, row, minimisers: [0.0; 2] };
        case.minimisers = [0, 1].map(|side| case.minimiser(side));
        Ok(case)
    }

    /// What an audit looks at.
    pub fn directions(&self) -> Vec<ReleasedDirection> {
        let vectors: &[&str] =
            if self.own.plan.kind() == MechanismKind::Posterior { &["θ_0", "θ̂"] } else { &["θ̂"] };
        ReleasedDirection::all(vectors, self.own.problem.dimension())
    }

    /// What is claimed.
    pub fn claim(&self) -> Guarantee {
        self.own.guarantee
    }

    /// One number for each direction, from one run on D (0) or D' (1).
    pub fn numbers(&self, side: usize, seed: Option<u64>) -> Result<Vec<f64>, Error> {
        let observed = match seed {
            Some(seed) => self.outcome(side, &mut ReplayRng::new(seed)),
            None => self.outcome(side, &mut SecureRng::new()?),
        }?;
        Ok(self.directions().iter().map(|direction| direction.of(&observed)).collect())
    }

    /// The mechanism as it ships.
    fn outcome<R: RandomBits>(&self, side: usize, rng: &mut R) -> Result<Observed, Error> {
        let records = &self.records[side & 1];
        // What a release is computed from is public as a whole, and says more.
        if let Planned::NoisyGradient(plan) = self.own.plan.planned() {
            let descent = plan.descend(&self.own.problem.bind(records)?, rng)?;
            return Ok(Observed {
                score: self.score_descent(plan.noise(), &descent),
                released: vec![descent.mean],
            });
        }
        let (release, _) = self.own.plan.release(records, rng)?;
        let theta = release.theta().to_vec();
        Ok(match (self.own.plan.planned(), &release.certificate().mechanism) {
            (Planned::Posterior(plan), Mechanism::Posterior(public)) => {
                let theta_0 = public.localisation.theta_0.clone();
                // The edge of the ball moves with θ_0, and the normalising constants with it.
                let centre = match self.own.guarantee {
                    Guarantee::Pure(_) => self.gain(&theta_0),
                    Guarantee::Gaussian(_) => 0.0,
                };
                let score = self.score_noise(plan.localisation().noise(), &theta_0)
                    + public.reference.gamma * (self.gain(&theta) - centre);
                Observed { score, released: vec![theta_0, theta] }
            }
            (Planned::Objective(plan), _) => {
                Observed { score: self.score_tilted(plan.tilt(), &theta), released: vec![theta] }
            }
            (Planned::Output(plan), _) => Observed {
                score: self.score_noise(plan.perturbation().noise(), &theta),
                released: vec![theta],
            },
            _ => return Err(Error::Aborted),
        })
    }

    fn row_norm(&self) -> f64 {
        self.row.iter().map(|x| x * x).sum::<f64>().sqrt()
    }

    /// The prediction of a θ for the one row.
    fn prediction(&self, theta: &[f64]) -> f64 {
        self.row.iter().zip(theta).map(|(x, t)| x * t).sum()
    }

    /// A sum over the targets of D (0) or D' (1).
    fn sum(&self, side: usize, of: impl Fn(f64) -> f64) -> f64 {
        self.targets[side].iter().map(|y| of(*y)).sum()
    }

    /// The minimiser of J on the line: the slope along it grows, and is found by bisection.
    fn minimiser(&self, side: usize) -> f64 {
        let problem = &self.own.problem;
        let norm = self.row_norm();
        let reach = problem.parameter_bound().unwrap_or(problem.largest_minimiser());
        let slope =
            |t: f64| problem.regulariser() * t + norm * self.sum(side, |y| problem.loss().slope(norm * t, y));
        let (mut low, mut high) = (-reach, reach);
        for _ in 0..200 {
            let middle = f64::midpoint(low, high);
            *(if slope(middle) < 0.0 { &mut low } else { &mut high }) = middle;
        }
        f64::midpoint(low, high)
    }

    /// J_D − J_D' at a point.
    fn gain(&self, theta: &[f64]) -> f64 {
        let z = self.prediction(theta);
        let losses = |side| self.sum(side, |y| self.own.problem.loss().value(z, y));
        losses(0) - losses(1)
    }

    /// The log-likelihood ratio of a perturbed minimiser between D' and D.
    fn score_noise(&self, noise: &LatticeNoise, theta: &[f64]) -> f64 {
        let norm = self.row_norm();
        let [a, b] = self.minimisers.map(|minimiser| {
            let away = theta.iter().zip(&self.row).map(|(t, x)| t - minimiser * x / norm);
            match noise.law() {
                Law::Laplace(_) => away.map(f64::abs).sum::<f64>() / noise.scale(),
                Law::Euclidean(_) => away.map(|z| z * z).sum::<f64>().sqrt() / noise.scale(),
                Law::Normal(_) => 0.5 * away.map(|z| z * z).sum::<f64>() / noise.scale().powi(2),
            }
        });
        a - b
    }

    /// ∇J at a point.
    fn gradient(&self, side: usize, theta: &[f64]) -> Vec<f64> {
        let (z, problem) = (self.prediction(theta), &self.own.problem);
        let slope = self.sum(side, |y| problem.loss().slope(z, y));
        theta.iter().zip(&self.row).map(|(t, x)| problem.regulariser() * t + slope * x).collect()
    }

    /// The log-likelihood ratio of the exact minimiser of a tilted objective: the tilt is −∇J(θ), and θ has the density
    /// of the tilt times det ∇²J(θ) = Λ^(d−1)(Λ + ‖x‖²Σφ″).
    fn score_tilted(&self, tilt: &Tilt, theta: &[f64]) -> f64 {
        let (z, problem) = (self.prediction(theta), &self.own.problem);
        let square = self.row_norm().powi(2);
        let [without, with] = [0, 1].map(|side| {
            let bend = square * self.sum(side, |y| problem.loss().curvature(z, y));
            (bend / problem.regulariser()).ln_1p() + log_density(tilt, &self.gradient(side, theta))
        });
        with - without
    }

    /// The log-likelihood ratio of all noisy gradients of a descent.
    fn score_descent(&self, noise: &LatticeNoise, descent: &Descent) -> f64 {
        let one = |(noisy, theta): (&Vec<f64>, &Vec<f64>)| {
            let [a, b] = [0, 1].map(|side| {
                let away = noisy.iter().zip(self.gradient(side, theta)).map(|(g, exact)| (g - exact).powi(2));
                away.sum::<f64>() / noise.scale().powi(2)
            });
            match noise.law() {
                Law::Normal(_) => 0.5 * (a - b),
                Law::Laplace(_) | Law::Euclidean(_) => a.sqrt() - b.sqrt(),
            }
        };
        descent.gradients.iter().zip(&descent.iterates).map(one).sum()
    }
}
