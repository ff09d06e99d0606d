//! The neighbours on which the learner leaks most, and its stages run on them.
//!
//! Records `(x, y)` with `x = ±(1, …, 1)/√d` of the largest admissible norm and a target so far away that the
//! Huber loss is linear: its slope is the Lipschitz constant everywhere, so minimisers of neighbours are exactly
//! G/Λ apart and log-densities differ by a linear function of slope γG. No admissible record does more.

use super::Settings;
use crate::data::{Bounds, OutOfBounds, Records};
use crate::error::Error;
use crate::learner::Learner;
use crate::loss::Huber;
use crate::noise::{Law, RandomBits, ReplayRng, SecureRng};
use crate::objective::{Objective, Workspace};
use crate::plan::{Plan, Reference};
use crate::privacy::{Epsilon, Guarantee, Mu, Neighbours, Parameter};
use crate::private::Private;
use crate::sampler::{OnBall, Potential, Proximal, Sampler};

/// Neighbouring data sets.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Pair {
    /// Nothing, and one extreme record.
    AddedToNothing,
    /// One extreme record, and its opposite besides.
    AddedToOne,
    /// One extreme record, and its opposite instead.
    Replaced,
}

impl Pair {
    /// The signs of the records of D and of D'.
    fn signs(self) -> [&'static [f64]; 2] {
        match self {
            Self::AddedToNothing => [&[], &[1.0]],
            Self::AddedToOne => [&[-1.0], &[-1.0, 1.0]],
            Self::Replaced => [&[-1.0], &[1.0]],
        }
    }

    fn neighbours(self) -> Neighbours {
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
pub enum Stage {
    /// θ_0 alone, `alg:outpert`.
    Localisation,
    /// The posterior sample with the noise that covers the sampler's error, around θ_0 = 0, `alg:asap`.
    Posterior,
    /// Everything that [`Learner::fit`] releases: θ_0 and θ̂, `alg:twostage_dp_learner`.
    Release,
}

impl Stage {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Localisation, Self::Posterior, Self::Release];
}

impl std::fmt::Display for Stage {
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
    learner: Learner,
    plan: Plan<Huber>,
    /// The reference posterior around θ_0 = 0.
    reference: Reference,
    records: [Records<Huber>; 2],
    /// Minimisers, in units of the all-ones direction of norm 1.
    minimisers: [f64; 2],
    /// Difference of the slopes of the two objectives along that direction.
    slope: f64,
}

impl WorstCase {
    /// δ of the Huber loss: G for records of norm 1.
    const SLOPE: f64 = 1.0;
    /// So far away that no parameter of interest reaches the curved part.
    const TARGET: f64 = 1e6;

    /// The problem of the audit for one pair.
    pub fn new(settings: &Settings, pair: Pair) -> Result<Self, Error> {
        let loss = Huber::new(Self::SLOPE)?;
        let bounds = Bounds::new(1.0)?.with_target(Self::TARGET)?.with_max_rows(1000)?;
        let d = settings.dimension;
        let learner = Learner::new(settings.regulariser)
            .neighbours(pair.neighbours())
            .calibration(settings.calibration)
            .sampler(settings.sampler)
            .expected_rows(settings.expected_rows);
        let learner = match settings.guarantee {
            Guarantee::Pure(epsilon) => learner.epsilon(epsilon.get())?,
            Guarantee::Gaussian(mu) => learner.mu(mu.get())?,
        };
        let plan = learner.plan(loss, bounds, d)?;
        let signs = pair.signs();
        let records = |signs: &[f64]| {
            let features = signs.iter().flat_map(|sign| vec![sign / (d as f64).sqrt(); d]).collect();
            let targets = vec![Self::TARGET; signs.len()];
            Records::with_dimension(loss, bounds, OutOfBounds::Clip, d, features, targets)
        };
        let pull = signs.map(|signs| Self::SLOPE * signs.iter().sum::<f64>());
        Ok(Self {
            learner,
            reference: plan.reference(&vec![0.0; d])?,
            plan,
            records: [records(signs[0])?, records(signs[1])?],
            minimisers: pull.map(|pull| pull / settings.regulariser),
            slope: pull[1] - pull[0],
        })
    }

    /// The public plan.
    pub fn plan(&self) -> &Plan<Huber> {
        &self.plan
    }

    /// The records of D (0) or D' (1).
    pub fn records(&self, side: usize) -> &Records<Huber> {
        &self.records[side & 1]
    }

    /// The objective of D (0) or D' (1).
    pub fn objective(&self, side: usize) -> Result<Objective<'_, Huber>, Error> {
        Ok(Objective::new(self.records(side), self.plan.model().regulariser())?)
    }

    /// What a stage claims: its share of the budget; for the posterior sample, composed with that of its noise.
    pub fn claim(&self, stage: Stage) -> Result<Guarantee, Error> {
        let shares = self.plan.shares();
        Ok(match (stage, shares.posterior, shares.asap) {
            (Stage::Localisation, ..) => shares.localise,
            (Stage::Release, ..) => shares.total,
            (Stage::Posterior, Guarantee::Pure(a), Guarantee::Pure(b)) => {
                Guarantee::Pure(Epsilon::compose(&[a, b])?)
            }
            (Stage::Posterior, Guarantee::Gaussian(a), Guarantee::Gaussian(b)) => {
                Guarantee::Gaussian(Mu::compose(&[a, b])?)
            }
            (Stage::Posterior, ..) => return Err(Error::Aborted),
        })
    }

    /// One run of a stage on D (0) or D' (1), with fresh secure randomness or replayed from a seed.
    pub fn outcome(&self, stage: Stage, side: usize, seed: Option<u64>) -> Result<f64, Error> {
        match seed {
            Some(seed) => self.outcome_from(stage, side, &mut ReplayRng::new(seed)),
            None => self.outcome_from(stage, side, &mut SecureRng::new()?),
        }
    }

    fn outcome_from<R: RandomBits>(&self, stage: Stage, side: usize, rng: &mut R) -> Result<f64, Error> {
        match stage {
            Stage::Localisation => {
                let localised = self.plan.localisation().run(&self.objective(side)?, rng)?;
                Ok(self.score_localised(localised.theta_0()))
            }
            Stage::Posterior => {
                let reference = self.fixed_reference();
                let draw =
                    posterior_breaking_privacy(&self.objective(side)?, reference.gamma(), reference, rng)?;
                Ok(along(&reference.asap().release(&Private::new(draw), rng)?))
            }
            Stage::Release => {
                let release = self.learner.fit(self.records(side), rng)?;
                let public = release.certificate();
                let theta_0 = &public.localisation.theta_0;
                Ok(self.score_release(theta_0, public.reference.gamma, release.theta()))
            }
        }
    }

    /// The reference posterior around θ_0 = 0.
    pub fn fixed_reference(&self) -> &Reference {
        &self.reference
    }

    /// The log-likelihood ratio of θ_0 between D' and D, up to a constant.
    pub fn score_localised(&self, theta_0: &[f64]) -> f64 {
        let noise = self.plan.localisation().noise();
        let step = noise.lattice().step();
        match noise.law() {
            Law::Laplace(scale) => {
                let scale = step * scale.numerator().get() as f64 / scale.denominator().get() as f64;
                let root = (theta_0.len() as f64).sqrt();
                let [a, b] = self.minimisers.map(|minimiser| {
                    theta_0.iter().map(|x| (x - minimiser / root).abs()).sum::<f64>() / scale
                });
                a - b
            }
            Law::Normal(scale) => {
                let deviation = step * scale.steps() as f64;
                (self.minimisers[1] - self.minimisers[0]) * along(theta_0) / (deviation * deviation)
            }
        }
    }

    /// The log-likelihood ratio of a whole release between D' and D, but for the final noise and for what the edge of the ball does
    /// to the normalising constants. An audit is valid for any statistic; a good one has more power.
    pub fn score_release(&self, theta_0: &[f64], gamma: f64, theta: &[f64]) -> f64 {
        let moved = match self.plan.shares().total {
            Guarantee::Pure(_) => along(theta) - along(theta_0),
            Guarantee::Gaussian(_) => along(theta),
        };
        self.score_localised(theta_0) + gamma * self.slope * moved
    }
}

/// The coordinate along (1, …, 1)/√d.
pub fn along(theta: &[f64]) -> f64 {
    theta.iter().sum::<f64>() / (theta.len() as f64).sqrt()
}

/// f = γJ.
struct Tempered<'a> {
    objective: &'a Objective<'a, Huber>,
    gamma: f64,
    workspace: Workspace,
}

impl Potential for Tempered<'_> {
    fn dimension(&self) -> usize {
        self.objective.dimension()
    }

    fn value_and_gradient(&mut self, theta: &[f64], gradient: &mut [f64]) -> f64 {
        let value = self.objective.value_and_gradient(theta, &mut self.workspace);
        for (scaled, plain) in gradient.iter_mut().zip(self.workspace.gradient()) {
            *scaled = self.gamma * plain;
        }
        self.gamma * value
    }

    fn divergence(&mut self, anchor: &[f64], moved: &[f64]) -> f64 {
        let anchor_value = self.objective.value_and_gradient(anchor, &mut self.workspace);
        let slope: f64 = moved.iter().zip(self.workspace.gradient()).map(|(v, g)| v * g).sum();
        let theta: Vec<f64> = anchor.iter().zip(moved).map(|(x, v)| x + v).collect();
        let value = self.objective.value_and_gradient(&theta, &mut self.workspace);
        self.gamma * (value - anchor_value - slope)
    }
}

/// A posterior sample as the proximal sampler draws it, without the noise that would make it private, and for **any** γ.
/// For audits of synthetic records only.
pub fn posterior_breaking_privacy<R: RandomBits>(
    objective: &Objective<'_, Huber>,
    gamma: f64,
    reference: &Reference,
    rng: &mut R,
) -> Result<Vec<f64>, Error> {
    let ball = reference.ball();
    let (floor, ceiling) = objective.curvature_on(ball);
    let curvature = OnBall::new(gamma * floor, gamma * ceiling).ok_or(Error::Aborted)?;
    let error = reference.euclidean_error();
    let mut potential = Tempered { objective, gamma, workspace: objective.workspace() };
    let sampler = Proximal::calibrated(&mut potential, &curvature, ball, error)?;
    Ok(sampler.sample(&mut potential, ball, rng)?.theta.reveal_breaking_privacy())
}
