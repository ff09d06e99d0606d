//! The neighbours on which the learner leaks most, and its stages run on them.
//!
//! Records `(x, y)` with `x = ±(1, …, 1)/√d` of the largest admissible norm and a target so far away that the
//! Huber loss is linear: its slope is the Lipschitz constant everywhere, so minimisers of neighbours are exactly
//! G/Λ apart and log-densities differ by a linear function of slope γG. No admissible record does more.

use super::direction::{Observed, ReleasedDirection};
use super::{AuditSettings, records_of};
use asap_dp::bounds::Bounds;
use asap_dp::data::Records;
use asap_dp::error::Error;
use asap_dp::learner::Learner;
use asap_dp::localise::Localisation;
use asap_dp::loss::Huber;
use asap_dp::mechanism::{Descent, Mechanism, NoisyGradient, Output, Posterior, Reference};
use asap_dp::noise::{Law, RandomBits, ReplayRng, SecureRng};
use asap_dp::objective::Objective;
use asap_dp::plan::MechanismKind;
use asap_dp::privacy::{Epsilon, Guarantee, Mu, Neighbours};
use asap_dp::problem::Problem;

/// Neighbouring data sets.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Pair {
    /// Nothing, and one extreme record.
    AddedToNothing,
    /// One extreme record, and also its opposite.
    AddedToOne,
    /// One extreme record, and its opposite instead.
    Replaced,
}

impl Pair {
    /// The signs of the records of D and of D', which differ by so many rows of one person; and how many are
    /// there before that person's.
    pub(super) fn signs(self, rows: usize) -> ([Vec<f64>; 2], usize) {
        let (one, person, other) = (vec![-1.0], vec![1.0; rows], vec![-1.0; rows]);
        match self {
            Self::AddedToNothing => ([vec![], person], 0),
            Self::AddedToOne => ([one.clone(), [one, person].concat()], 1),
            Self::Replaced => ([other, person], 0),
        }
    }

    pub(super) fn neighbours(self) -> Neighbours {
        match self {
            Self::AddedToNothing | Self::AddedToOne => Neighbours::AddRemove,
            Self::Replaced => Neighbours::ReplaceOne,
        }
    }
}

impl std::fmt::Display for Pair {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::AddedToNothing => "{} / {+}",
            Self::AddedToOne => "{-} / {-,+}",
            Self::Replaced => "{-} / {+}",
        })
    }
}

/// What is audited.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Audited {
    /// θ_0 alone, `alg:outpert`.
    Localisation,
    /// The posterior sample with the noise that covers the sampler's error, around θ_0 = 0, `alg:asap`.
    Posterior,
    /// Everything that [`Learner::fit`] releases: θ_0 and θ̂, `alg:twostage_dp_learner`.
    Release,
}

impl Audited {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Localisation, Self::Posterior, Self::Release];
}

impl std::fmt::Display for Audited {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Localisation => "localisation",
            Self::Posterior => "posterior sample",
            Self::Release => "whole release",
        })
    }
}

/// A pair of data sets with everything that is public about a fit of them.
pub struct WorstCase {
    kind: MechanismKind,
    plan: Posterior<Huber>,
    output: Output<Huber>,
    noisy_gradient: NoisyGradient<Huber>,
    /// The reference posterior around θ_0 = 0.
    reference: Reference,
    records: [Records<Huber>; 2],
    /// Minimisers, in units of the all-ones direction of norm 1.
    minimisers: [f64; 2],
    /// Difference of the slopes of the two objectives along that direction.
    slope: f64,
    /// The records of the person that the data sets differ by.
    changed: usize,
}

impl WorstCase {
    /// δ of the Huber loss: G for records of norm 1.
    const SLOPE: f64 = 1.0;
    /// So far away that no parameter of interest reaches the curved part.
    const TARGET: f64 = 1e6;

    /// The problem of the audit for one pair.
    pub fn new(settings: &AuditSettings, pair: Pair) -> Result<Self, Error> {
        let loss = Huber::new(Self::SLOPE)?;
        let bounds = settings.promised(Bounds::new(1.0)?.with_target(Self::TARGET)?.with_max_rows(1000)?)?;
        let d = settings.dimension;
        let learner = Learner::new(settings.regulariser)
            .guarantee(settings.guarantee)
            .neighbours(pair.neighbours())
            .mechanism(settings.mechanism)
            .calibration(settings.calibration)
            .sampler(settings.sampler)
            .noise(settings.noise)
            .expected_rows(settings.expected_rows);
        let learner = settings.gradient_steps.map_or(learner, |steps| learner.gradient_steps(steps));
        let problem = learner.problem(loss, bounds.clone(), d)?;
        let plan = learner.posterior(&problem)?;
        let changed = settings.changed_rows()?;
        let (signs, base) = pair.signs(changed);
        let records = |signs: &[f64]| {
            let row = |sign: &f64| (vec![sign / (d as f64).sqrt(); d], Self::TARGET);
            let rows: Vec<_> = signs.iter().map(row).collect();
            records_of(loss, &bounds, d, base, &rows)
        };
        let pull = [0, 1].map(|side: usize| Self::SLOPE * signs[side].iter().sum::<f64>());
        Ok(Self {
            kind: settings.mechanism,
            reference: plan.reference(&vec![0.0; d])?,
            plan,
            output: learner.output(&problem)?,
            noisy_gradient: learner.noisy_gradient(&problem)?,
            records: [records(&signs[0])?, records(&signs[1])?],
            minimisers: pull.map(|pull| pull / settings.regulariser),
            slope: pull[1] - pull[0],
            changed,
        })
    }

    /// The public plan of the posterior mechanism.
    pub fn plan(&self) -> &Posterior<Huber> {
        &self.plan
    }

    /// The public plan of noisy gradient descent.
    pub fn noisy_gradient(&self) -> &NoisyGradient<Huber> {
        &self.noisy_gradient
    }

    /// The records of D (0) or D' (1).
    pub fn records(&self, side: usize) -> &Records<Huber> {
        &self.records[side & 1]
    }

    /// The objective of D (0) or D' (1).
    pub fn objective(&self, side: usize) -> Result<Objective<'_, Records<Huber>>, Error> {
        Ok(self.problem().bind(self.records(side))?)
    }

    fn problem(&self) -> &Problem<Huber> {
        self.plan.problem()
    }

    /// What a stage claims: its share of the budget; for the posterior sample, composed with that of its noise.
    pub fn claim(&self, stage: Audited) -> Result<Guarantee, Error> {
        // A stage has a share of what a record may spend.
        let of_all = |share: Guarantee| {
            let all = share.parameter() * self.changed as f64;
            Ok::<_, Error>(match share {
                Guarantee::Pure(_) => Guarantee::Pure(Epsilon::new(all)?),
                Guarantee::Gaussian(_) => Guarantee::Gaussian(Mu::new(all)?),
            })
        };
        Ok(match stage {
            Audited::Localisation => of_all(self.plan.localisation().share())?,
            Audited::Posterior => of_all(self.reference.asap().guarantee()?)?,
            Audited::Release => self.plan.ledger().promised(),
        })
    }

    /// What an audit of a stage looks at.
    pub fn directions(&self, stage: Audited) -> Vec<ReleasedDirection> {
        let vectors: &[&str] = match (stage, self.kind) {
            (Audited::Localisation, _) => &["θ_0"],
            (Audited::Release, MechanismKind::Posterior) => &["θ_0", "θ̂"],
            _ => &["θ̂"],
        };
        ReleasedDirection::all(vectors, self.problem().dimension())
    }

    /// One run of a stage on D (0) or D' (1), with fresh secure randomness or replayed from a seed.
    pub fn outcome(&self, stage: Audited, side: usize, seed: Option<u64>) -> Result<Observed, Error> {
        match seed {
            Some(seed) => self.outcome_from(stage, side, &mut ReplayRng::new(seed)),
            None => self.outcome_from(stage, side, &mut SecureRng::new()?),
        }
    }

    fn outcome_from<R: RandomBits>(
        &self,
        stage: Audited,
        side: usize,
        rng: &mut R,
    ) -> Result<Observed, Error> {
        match stage {
            Audited::Localisation => {
                let localised = self.plan.localisation().run(&self.objective(side)?, rng)?;
                let score = self.score_localised(self.plan.localisation(), localised.theta_0());
                Ok(Observed { score, released: vec![localised.theta_0().to_vec()] })
            }
            Audited::Posterior => {
                let theta = self.released(&self.reference, side, rng)?;
                Ok(Observed { score: along(&theta), released: vec![theta] })
            }
            Audited::Release => {
                let records = self.records(side);
                let (release, _) = match self.kind {
                    MechanismKind::Output => self.output.release(records, rng)?,
                    // What a release is computed from is public as a whole, and says more.
                    MechanismKind::NoisyGradient => {
                        let descent = self.noisy_gradient.descend(&self.objective(side)?, rng)?;
                        let score = self.score_descent(&descent);
                        return Ok(Observed { score, released: vec![descent.mean] });
                    }
                    _ => self.plan.release(records, rng)?,
                };
                let theta = release.theta().to_vec();
                let asap_contracts::Mechanism::Posterior(public) = &release.certificate().mechanism else {
                    let score = self.score_localised(self.output.perturbation(), &theta);
                    return Ok(Observed { score, released: vec![theta] });
                };
                let theta_0 = public.localisation.theta_0.clone();
                let score = self.score_release(&theta_0, public.reference.gamma, &theta);
                Ok(Observed { score, released: vec![theta_0, theta] })
            }
        }
    }

    /// The posterior stage of the mechanism, as it ships, around the θ_0 of a reference: the sample and its noise.
    pub fn released<R: RandomBits>(
        &self,
        reference: &Reference,
        side: usize,
        rng: &mut R,
    ) -> Result<Vec<f64>, Error> {
        self.plan.run_around(reference, self.records(side), rng)
    }

    /// The reference posterior around θ_0 = 0.
    pub fn fixed_reference(&self) -> &Reference {
        &self.reference
    }

    /// The log-likelihood ratio of a perturbed minimiser between D' and D, up to a constant.
    pub fn score_localised(&self, perturbation: &Localisation<Huber>, theta_0: &[f64]) -> f64 {
        let (noise, root) = (perturbation.noise(), (theta_0.len() as f64).sqrt());
        let scale = noise.scale();
        let difference = |distance: fn(f64, f64) -> f64, finish: fn(f64) -> f64| {
            let [a, b] = self.minimisers.map(|minimiser| {
                let sum = theta_0.iter().fold(0.0, |sum, x| distance(sum, x - minimiser / root));
                finish(sum) / scale
            });
            a - b
        };
        match noise.law() {
            Law::Laplace(_) => difference(|sum, x| sum + x.abs(), |sum| sum),
            Law::Euclidean(_) => difference(|sum, x| sum + x * x, f64::sqrt),
            Law::Normal(_) => (self.minimisers[1] - self.minimisers[0]) * along(theta_0) / (scale * scale),
        }
    }

    /// The log-likelihood ratio of all noisy gradients of a descent between D' and D: no statistic says more.
    /// spec: `own:noisy-gradient`
    pub fn score_descent(&self, descent: &Descent) -> f64 {
        let noise = self.noisy_gradient.noise();
        let scale = noise.scale();
        let one = |(slopes, theta): (&Vec<f64>, &Vec<f64>)| {
            let root = (theta.len() as f64).sqrt();
            // ∇J(θ) = Λ(θ − minimiser).
            let [a, b] = self.minimisers.map(|minimiser| {
                let away =
                    |(slope, x): (&f64, &f64)| slope - self.problem().regulariser() * (x - minimiser / root);
                slopes.iter().zip(theta).map(away).map(|z| z * z).sum::<f64>() / (scale * scale)
            });
            match noise.law() {
                Law::Normal(_) => 0.5 * (a - b),
                Law::Laplace(_) | Law::Euclidean(_) => a.sqrt() - b.sqrt(),
            }
        };
        descent.gradients.iter().zip(&descent.iterates).map(one).sum()
    }

    /// The log-likelihood ratio of a whole release between D' and D, but for the final noise and for what the edge of
    /// the ball does to the normalising constants. An audit is valid for any statistic; a good one has more power.
    pub fn score_release(&self, theta_0: &[f64], gamma: f64, theta: &[f64]) -> f64 {
        let moved = match self.plan.ledger().total() {
            Guarantee::Pure(_) => along(theta) - along(theta_0),
            Guarantee::Gaussian(_) => along(theta),
        };
        self.score_localised(self.plan.localisation(), theta_0) + gamma * self.slope * moved
    }
}

/// The coordinate along (1, …, 1)/√d.
pub fn along(theta: &[f64]) -> f64 {
    theta.iter().sum::<f64>() / (theta.len() as f64).sqrt()
}
