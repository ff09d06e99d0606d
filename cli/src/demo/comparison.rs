//! The second picture of `asap demo`: the mechanisms side by side, on one problem.

use super::sphere::{Judge, PARAMETER_BOUND, REGULARISER, ROWS, failed};
use crate::failure::Failure;
use asap_dp::noise::RandomBits;
use asap_dp::privacy::{Epsilon, Guarantee, Mu};
use asap_dp::{Learner, MechanismKind, Records, Squared};

/// ε and μ that are tried.
pub(crate) const BUDGETS: [f64; 5] = [0.25, 0.5, 1.0, 2.0, 4.0];
/// Fits for each of them.
const RUNS: usize = 31;

/// Excess risks of one mechanism with one guarantee.
pub(crate) struct Series {
    pub(crate) mechanism: MechanismKind,
    pub(crate) guarantee: Guarantee,
    pub(crate) excess: Vec<f64>,
}

impl Series {
    pub(crate) fn median(&self) -> f64 {
        let mut sorted = self.excess.clone();
        sorted.sort_by(f64::total_cmp);
        sorted.get(sorted.len() / 2).copied().unwrap_or(f64::NAN)
    }
}

/// All mechanisms, budgets and runs.
pub(crate) fn measure<R: RandomBits>(
    records: &Records<Squared>,
    judge: &mut Judge<'_>,
    rng: &mut R,
) -> Result<Vec<Series>, Failure> {
    let mut all = Vec::new();
    for budget in BUDGETS {
        for guarantee in [Guarantee::Pure(Epsilon::new(budget)?), Guarantee::Gaussian(Mu::new(budget)?)] {
            for mechanism in MechanismKind::ALL {
                let learner = Learner::new(REGULARISER)
                    .guarantee(guarantee)
                    .mechanism(mechanism)
                    .parameter_bound(PARAMETER_BOUND)
                    .expected_rows(ROWS as u64);
                let mut excess = Vec::new();
                for _ in 0..RUNS {
                    let release = learner.fit(records, rng).map_err(failed)?;
                    excess.push(judge.excess(release.theta())?);
                }
                all.push(Series { mechanism, guarantee, excess });
            }
        }
    }
    Ok(all)
}
