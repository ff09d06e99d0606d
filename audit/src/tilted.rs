//! The neighbours on which objective perturbation leaks most, and the mechanism run on them.
//!
//! **Huber loss.** Along (1, …, 1)/√d the added record pulls with the full slope G of the Huber loss and bends with
//! its full curvature β at once, just inside its kink, where the regulariser pulls as hard the other way: there the
//! density of D' is `e^(ε_b)·(1 + β/Λ)` times that of D. The record that is there already, or goes, has its kink out
//! of reach and bends nothing.
//!
//! **Logistic loss**, whose slope keeps its sign, so that the tilt under μ is normal (`own:gaussian-tilt`). A record
//! pulls with all of its slope only where it is badly predicted: the records that are there already are many, and push
//! θ to where the added one, of the other class, pulls with nearly all of it. If one of them is replaced instead, the
//! two pulls add up to one slope wherever θ is: what is shown for replaced records is about half of what is claimed.

use super::direction::{Observed, ReleasedDirection};
use super::{AuditSettings, Pair, records_of};
use asap_contracts::BlockLaw;
use asap_dp::bounds::Bounds;
use asap_dp::data::Records;
use asap_dp::error::Error;
use asap_dp::learner::Learner;
use asap_dp::loss::{Huber, Logistic, Loss};
use asap_dp::mechanism::{Mechanism, ObjectivePerturbation};
use asap_dp::noise::{BlockNoise, Law, RandomBits, ReplayRng, SecureRng, Tilt};
use asap_dp::privacy::Guarantee;

/// A pair of data sets with the public plan of objective perturbation on them.
/// spec: `own:objective-perturbation`, `own:gaussian-tilt`
pub struct TiltedCase<L = Huber> {
    plan: ObjectivePerturbation<L>,
    records: [Records<L>; 2],
    /// The records along the axis: sign of the row and target.
    lines: [Vec<[f64; 2]>; 2],
    /// How many records differ.
    changed: usize,
}

impl TiltedCase<Huber> {
    /// δ of the Huber loss: G for records of norm 1.
    const SLOPE: f64 = 1.0;
    /// So far away that no parameter of interest reaches the curved part.
    const FAR: f64 = 1000.0;

    /// The problem of the audit for one pair.
    pub fn new(settings: &AuditSettings, pair: Pair) -> Result<Self, Error> {
        Self::with_plan_for(settings, pair, pair)
    }

    /// The records of one pair under the plan for the neighbours of another: for tests of the audit.
    pub fn with_plan_for(settings: &AuditSettings, pair: Pair, planned: Pair) -> Result<Self, Error> {
        let loss = Huber::new(Self::SLOPE)?;
        // The kink of the added records is where the regulariser pulls with their slopes.
        let changed = settings.changed_rows()?;
        let near = Self::SLOPE * (1.0 + changed as f64 / settings.regulariser);
        let target = |sign: f64| if sign > 0.0 { near } else { Self::FAR };
        let (signs, base) = pair.signs(changed);
        let lines = signs.map(|signs| signs.iter().map(|sign| [*sign, target(*sign)]).collect());
        Self::on(loss, Bounds::new(1.0)?.with_target(Self::FAR)?, settings, planned, (lines, base))
    }
}

impl TiltedCase<Logistic> {
    /// So many records are there already, where the pair says that there is one.
    const MANY: usize = 256;

    /// A pair as it is here.
    pub(super) fn many(&self, pair: Pair) -> String {
        let (many, others) = (Self::MANY, Self::MANY - self.changed);
        match pair {
            Pair::AddedToNothing => pair.to_string(),
            Pair::AddedToOne => format!("{{{many}-}} / {{{many}-,+}}"),
            Pair::Replaced => format!("{{{many}-}} / {{{others}-,+}}"),
        }
    }

    /// The problem of the audit for one pair, with the loss whose tilt under μ is normal.
    pub fn logistic(settings: &AuditSettings, pair: Pair) -> Result<Self, Error> {
        let rows = settings.changed_rows()?;
        let (many, person) = (|count: usize| vec![-1.0; count], vec![1.0; rows]);
        let (classes, base) = match pair {
            Pair::AddedToNothing => ([vec![], person], 0),
            Pair::AddedToOne => ([many(Self::MANY), [many(Self::MANY), person].concat()], Self::MANY),
            Pair::Replaced => {
                let base = Self::MANY - rows;
                ([many(Self::MANY), [many(base), person].concat()], base)
            }
        };
        let lines = classes.map(|classes| classes.into_iter().map(|class| [1.0, class]).collect());
        Self::on(Logistic, Bounds::new(1.0)?, settings, pair, (lines, base))
    }
}

impl<L: Loss> TiltedCase<L> {
    fn on(
        loss: L,
        bounds: Bounds,
        settings: &AuditSettings,
        planned: Pair,
        (lines, base): ([Vec<[f64; 2]>; 2], usize),
    ) -> Result<Self, Error> {
        let (d, bounds) = (settings.dimension, settings.promised(bounds.with_max_rows(1000)?)?);
        let learner = Learner::new(settings.regulariser)
            .guarantee(settings.guarantee)
            .neighbours(planned.neighbours())
            .expected_rows(settings.expected_rows);
        let plan = learner.objective(&learner.problem(loss, bounds.clone(), d)?)?;
        let records = |lines: &Vec<[f64; 2]>| {
            let row = |[sign, target]: &[f64; 2]| (vec![sign / (d as f64).sqrt(); d], *target);
            let rows: Vec<_> = lines.iter().map(row).collect();
            records_of(loss, &bounds, d, base, &rows)
        };
        let records = [records(&lines[0])?, records(&lines[1])?];
        Ok(Self { plan, records, lines, changed: settings.changed_rows()? })
    }

    /// The public plan.
    pub fn plan(&self) -> &ObjectivePerturbation<L> {
        &self.plan
    }

    /// What is claimed.
    pub fn claim(&self) -> Guarantee {
        self.plan.ledger().promised()
    }

    /// One run on D (0) or D' (1), with fresh secure randomness or replayed from a seed.
    pub fn outcome(&self, side: usize, seed: Option<u64>) -> Result<Observed, Error> {
        match seed {
            Some(seed) => self.outcome_from(side, &mut ReplayRng::new(seed)),
            None => self.outcome_from(side, &mut SecureRng::new()?),
        }
    }

    fn outcome_from<R: RandomBits>(&self, side: usize, rng: &mut R) -> Result<Observed, Error> {
        let (release, _) = self.plan.release(&self.records[side & 1], rng)?;
        let theta = release.theta().to_vec();
        Ok(Observed { score: self.score(&theta), released: vec![theta] })
    }

    /// What an audit looks at.
    pub fn directions(&self) -> Vec<ReleasedDirection> {
        ReleasedDirection::all(&["θ̂"], self.plan.problem().dimension())
    }

    /// The log-likelihood ratio of the exact minimiser between D' and D: an audit is valid for any statistic.
    pub fn score(&self, theta: &[f64]) -> f64 {
        let along = super::along(theta);
        let [without, with] = [0, 1].map(|side| {
            let (mut pull, mut bend) = (0.0, 0.0);
            for [sign, target] in &self.lines[side] {
                let loss = self.plan.problem().loss();
                pull += sign * loss.slope(sign * along, *target);
                bend += loss.curvature(sign * along, *target);
            }
            let regulariser = self.plan.problem().regulariser();
            let one = pull / (theta.len() as f64).sqrt();
            let gradient: Vec<f64> = theta.iter().map(|x| regulariser * x + one).collect();
            (bend / regulariser).ln_1p() + log_density(self.plan.tilt(), &gradient)
        });
        with - without
    }
}

/// The logarithm of the density of a tilt, up to a constant.
pub(super) fn log_density(tilt: &Tilt, vector: &[f64]) -> f64 {
    let length = |square: f64| square.sqrt();
    match tilt {
        Tilt::Whole(noise) => {
            let scales = length(vector.iter().map(|x| x * x).sum()) / noise.scale();
            match noise.law() {
                Law::Normal(_) => -0.5 * scales * scales,
                Law::Euclidean(_) | Law::Laplace(_) => -scales,
            }
        }
        Tilt::Blocks(blocks) => {
            let part = |block: &BlockNoise| {
                let part = || block.places().iter().map(|place| vector[*place].abs() / block.scale());
                let square = || part().map(|x| x * x).sum::<f64>();
                match block.law() {
                    BlockLaw::CubeLaplace => -part().fold(0.0, f64::max),
                    BlockLaw::Laplace => -part().sum::<f64>(),
                    BlockLaw::EuclideanLaplace => -length(square()),
                    BlockLaw::Normal => -0.5 * square(),
                }
            };
            blocks.iter().map(part).sum()
        }
    }
}
