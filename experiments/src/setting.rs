//! A data set with everything that the systems and the judge need to know of it. Public records only.

use crate::data::ScaledData;
use crate::error::ExperimentError;
use asap_dp::objective::Sums;
use asap_dp::optimise::Minimiser;
use asap_dp::{Bounds, Learner, Logistic, Loss, MechanismKind, OutOfBounds, Problem, Records, Squared};
use nalgebra::{DMatrix, DVector};

/// A problem with its records. spec: `own:experiments`
pub struct Setting {
    /// Which data set.
    pub name: String,
    /// How it is scaled.
    pub variant: String,
    model: Model,
    features: Vec<f64>,
    targets: Vec<f64>,
    regulariser: f64,
    constants: SettingConstants,
    optimum: DVector<f64>,
    hessian: DMatrix<f64>,
}

enum Model {
    Squared(Records<Squared>),
    Logistic(Records<Logistic>),
}

/// Public numbers, as the library computes them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SettingConstants {
    /// R: the bound of a row's norm.
    pub row_norm: f64,
    /// Y: the bound of a target.
    pub target: f64,
    /// No minimiser is farther from 0.
    pub reach: f64,
    /// G: the Lipschitz constant of one loss (without the regulariser) where minimisers are.
    pub lipschitz: f64,
    /// β: the smoothness of one loss.
    pub smoothness: f64,
}

/// The loss of one record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LossKind {
    /// ½(⟨x, θ⟩ − y)².
    Squared,
    /// ln(1 + e^(−y⟨x, θ⟩)).
    Logistic,
}

impl LossKind {
    /// A short name.
    pub fn id(self) -> &'static str {
        match self {
            Self::Squared => "squared",
            Self::Logistic => "logistic",
        }
    }
}

impl Setting {
    /// Binds records to a problem with total regulariser Λ.
    pub fn new(
        (name, variant): (&str, &str),
        loss: LossKind,
        data: ScaledData,
        regulariser: f64,
        max_rows: u64,
    ) -> Result<Self, ExperimentError> {
        let bounds =
            Bounds::new(data.feature_bound)?.with_target(data.target_bound)?.with_max_rows(max_rows)?;
        let (features, targets) = (data.features.clone(), data.targets.clone());
        let of = |error: asap_dp::data::DataError| ExperimentError::Library(error.into());
        let (model, constants, optimum) = match loss {
            LossKind::Squared => {
                let records =
                    Records::new(Squared, bounds, OutOfBounds::Clip, features, targets).map_err(of)?;
                let (constants, optimum) = known(&records, regulariser)?;
                (Model::Squared(records), constants, optimum)
            }
            LossKind::Logistic => {
                let records =
                    Records::new(Logistic, bounds, OutOfBounds::Clip, features, targets).map_err(of)?;
                let (constants, optimum) = known(&records, regulariser)?;
                (Model::Logistic(records), constants, optimum)
            }
        };
        let dimension = optimum.len();
        let mut setting = Self {
            name: name.to_owned(),
            variant: variant.to_owned(),
            model,
            features: data.features,
            targets: data.targets,
            regulariser,
            constants,
            optimum,
            hessian: DMatrix::zeros(dimension, dimension),
        };
        setting.hessian = setting.hessian_at_optimum();
        if loss == LossKind::Squared {
            setting.optimum = setting.least_squares()?;
        }
        Ok(setting)
    }

    fn hessian_at_optimum(&self) -> DMatrix<f64> {
        let d = self.dimension();
        let mut sum = DMatrix::from_diagonal_element(d, d, self.regulariser);
        for (row, target) in self.rows() {
            let x = DVector::from_column_slice(row);
            sum.ger(self.curvature(x.dot(&self.optimum), target), &x, &x, 1.0);
        }
        sum
    }

    /// (XᵀX + ΛI)⁻¹Xᵀy: closer than any search.
    fn least_squares(&self) -> Result<DVector<f64>, ExperimentError> {
        let mut moment = DVector::zeros(self.dimension());
        for (row, target) in self.rows() {
            moment.axpy(target, &DVector::from_column_slice(row), 1.0);
        }
        let factor = self.hessian.clone().cholesky();
        Ok(factor.ok_or(ExperimentError::Infeasible("the curvature is not positive"))?.solve(&moment))
    }

    /// The loss.
    pub fn loss(&self) -> LossKind {
        match self.model {
            Model::Squared(_) => LossKind::Squared,
            Model::Logistic(_) => LossKind::Logistic,
        }
    }

    /// φ''(z; y).
    fn curvature(&self, z: f64, y: f64) -> f64 {
        match self.model {
            Model::Squared(_) => Squared.curvature(z, y),
            Model::Logistic(_) => Logistic.curvature(z, y),
        }
    }

    /// φ'(z; y).
    pub fn slope(&self, z: f64, y: f64) -> f64 {
        match self.model {
            Model::Squared(_) => Squared.slope(z, y),
            Model::Logistic(_) => Logistic.slope(z, y),
        }
    }

    /// φ(z; y).
    fn value(&self, z: f64, y: f64) -> f64 {
        match self.model {
            Model::Squared(_) => Squared.value(z, y),
            Model::Logistic(_) => Logistic.value(z, y),
        }
    }

    /// Features and target of each record.
    pub fn rows(&self) -> impl Iterator<Item = (&[f64], f64)> {
        self.features.chunks_exact(self.dimension()).zip(self.targets.iter().copied())
    }

    /// Features and target of one record.
    pub fn row(&self, k: usize) -> (&[f64], f64) {
        let d = self.dimension();
        (&self.features[k * d..(k + 1) * d], self.targets[k])
    }

    /// d.
    pub fn dimension(&self) -> usize {
        self.optimum.len()
    }

    /// n.
    pub fn count(&self) -> usize {
        self.targets.len()
    }

    /// Λ.
    pub fn regulariser(&self) -> f64 {
        self.regulariser
    }

    /// The public numbers.
    pub fn constants(&self) -> &SettingConstants {
        &self.constants
    }

    /// θ*.
    pub fn optimum(&self) -> &DVector<f64> {
        &self.optimum
    }

    /// ∇²J(θ*).
    pub fn hessian(&self) -> &DMatrix<f64> {
        &self.hessian
    }

    /// κ: the condition number of ∇²J(θ*). Depends on the records; the public one, 1 + nR²/Λ, is larger.
    pub fn condition(&self) -> f64 {
        let eigenvalues = self.hessian.symmetric_eigenvalues();
        eigenvalues.max() / eigenvalues.min()
    }

    /// The curvature ratio tr ∇²J(θ*)/(dΛ): how much more the records bend J than the regulariser alone.
    pub fn curvature_ratio(&self) -> f64 {
        self.hessian.trace() / (self.dimension() as f64 * self.regulariser)
    }

    /// J(θ) − min J.
    pub fn excess(&self, theta: &[f64]) -> f64 {
        let theta = DVector::from_column_slice(theta);
        let moved = &theta - &self.optimum;
        match self.model {
            // Without cancellation: J is its own second-order expansion.
            Model::Squared(_) => 0.5 * moved.dot(&(&self.hessian * &moved)),
            Model::Logistic(_) => {
                let differences = self.rows().map(|(row, y)| {
                    let x = DVector::from_column_slice(row);
                    self.value(x.dot(&theta), y) - self.value(x.dot(&self.optimum), y)
                });
                let regularised =
                    0.5 * self.regulariser * (theta.norm_squared() - self.optimum.norm_squared());
                (differences.sum::<f64>() + regularised).max(0.0)
            }
        }
    }

    /// A fit of the library, with everything that is released.
    pub fn fit<R: asap_dp::noise::RandomBits>(
        &self,
        learner: &Learner,
        rng: &mut R,
    ) -> Result<asap_dp::Release, asap_dp::Error> {
        match &self.model {
            Model::Squared(records) => learner.fit(records, rng),
            Model::Logistic(records) => learner.fit(records, rng),
        }
    }

    /// The mechanism that the library chooses for this problem, by public numbers.
    pub fn chosen(&self, learner: &Learner) -> Option<MechanismKind> {
        let d = self.dimension();
        match &self.model {
            Model::Squared(records) => chosen(learner, Squared, Sums::bounds(records).clone(), d),
            Model::Logistic(records) => chosen(learner, Logistic, Sums::bounds(records).clone(), d),
        }
    }

    /// A learner for this problem, which is told the number of rows as a public guess. A loss whose slope grows is held
    /// to the ball that has every minimiser anyway: a smaller one would be a guess about the records.
    pub fn learner(&self) -> Learner {
        let learner = Learner::new(self.regulariser).expected_rows(self.count() as u64);
        match self.model {
            Model::Squared(_) => learner.parameter_bound(self.constants.reach),
            Model::Logistic(_) => learner,
        }
    }

    /// A number that changes with every bit of the setting.
    pub fn fingerprint(&self) -> u64 {
        let numbers = self.features.iter().chain(&self.targets).copied();
        let SettingConstants { row_norm, target, reach, lipschitz, smoothness } = self.constants;
        let all = numbers.chain([self.regulariser, row_norm, target, reach, lipschitz, smoothness]);
        all.fold(crate::store::EMPTY, |hash, x| crate::store::fold(hash, &x.to_bits().to_le_bytes()))
    }
}

fn chosen<L: Loss>(learner: &Learner, loss: L, bounds: Bounds, dimension: usize) -> Option<MechanismKind> {
    let comparison = learner.compare(&learner.problem(loss, bounds, dimension).ok()?).ok()?;
    comparison.best().map(|best| best.kind)
}

/// The constants of the problem and its minimiser.
fn known<L: Loss>(
    records: &Records<L>,
    regulariser: f64,
) -> Result<(SettingConstants, DVector<f64>), ExperimentError> {
    let bounds = Sums::bounds(records).clone();
    let problem = Problem::new(*records.loss(), bounds.clone(), records.dimension(), regulariser)?;
    let objective = problem.bind(records)?;
    let found = Minimiser::new(&problem)?.run(&objective)?.reveal_breaking_privacy();
    let constants = SettingConstants {
        row_norm: bounds.row_norm(),
        target: bounds.target().unwrap_or(1.0),
        reach: problem.largest_minimiser(),
        lipschitz: problem.minimiser_lipschitz(),
        smoothness: problem.smoothness(1) - regulariser,
    };
    Ok((constants, DVector::from_vec(found)))
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// Two features, four records, Λ = 10.
    pub(crate) fn small(loss: LossKind) -> Setting {
        let data = ScaledData {
            features: vec![1.0, 0.0, 0.0, 1.0, 0.6, 0.8, -0.6, 0.8],
            targets: vec![1.0, -1.0, 1.0, -1.0],
            feature_bound: 1.0,
            target_bound: 1.0,
        };
        Setting::new(("small", "test"), loss, data, 10.0, 4).unwrap()
    }

    /// By hand: XᵀX = diag(1.72, 2.28) + 0, Xᵀy = (1 + 0.6 + 0.6, −1 + 0.8 − 0.8) = (2.2, −1).
    #[test]
    fn the_minimum_of_a_hand_picked_problem() {
        let setting = small(LossKind::Squared);
        let exact = [2.2 / 11.72, -1.0 / 12.28];
        assert!(
            (setting.optimum()[0] - exact[0]).abs() < 1e-14
                && (setting.optimum()[1] - exact[1]).abs() < 1e-14
        );
        assert!((setting.curvature_ratio() - 24.0 / 20.0).abs() < 1e-14);
        // J(0) − J(θ*) = ½⟨Xᵀy, θ*⟩.
        assert!((setting.excess(&[0.0, 0.0]) - 0.5 * (2.2 * exact[0] - exact[1])).abs() < 1e-14);
        // ‖θ*‖ ≤ √(4·1/10), G = 1·(‖θ*‖ + 1).
        let SettingConstants { reach, lipschitz, smoothness, .. } = *setting.constants();
        assert!((reach - 0.4_f64.sqrt()).abs() < 1e-8 && (lipschitz - reach - 1.0).abs() < 1e-8);
        assert!((smoothness - 1.0).abs() < 1e-6 && (setting.condition() - 12.28 / 11.72).abs() < 1e-12);
    }

    /// The judge of the logistic loss against a sum written out, and its minimum against its neighbours.
    #[test]
    fn logistic_excess_is_least_at_the_minimum() {
        let setting = small(LossKind::Logistic);
        let optimum: Vec<f64> = setting.optimum().iter().copied().collect();
        assert!(setting.excess(&optimum) < 1e-12);
        for moved in [[1e-3, 0.0], [0.0, -1e-3], [-1e-3, 1e-3]] {
            assert!(setting.excess(&[optimum[0] + moved[0], optimum[1] + moved[1]]) > 0.0);
        }
        let j = |theta: [f64; 2]| {
            let losses =
                setting.rows().map(|(x, y)| (1.0 + (-y * (x[0] * theta[0] + x[1] * theta[1])).exp()).ln());
            losses.sum::<f64>() + 5.0 * (theta[0] * theta[0] + theta[1] * theta[1])
        };
        let difference = j([0.3, 0.2]) - j([optimum[0], optimum[1]]);
        assert!((setting.excess(&[0.3, 0.2]) - difference).abs() < 1e-12);
    }

    #[test]
    fn every_number_changes_the_fingerprint() {
        let (one, other) = (small(LossKind::Squared), small(LossKind::Logistic));
        assert_ne!(one.fingerprint(), other.fingerprint());
        assert_eq!(one.fingerprint(), small(LossKind::Squared).fingerprint());
    }
}
