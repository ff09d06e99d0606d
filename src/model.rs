//! What is public about a learning problem, and the constants that follow from it.
//!
//! A [`Model`] never sees a record. Everything that is calibrated, planned or certified is computed from it.

use crate::data::Bounds;
use crate::error::InvalidInput;
use crate::exact::{add_up, div_up, integer_up, mul_up, sqrt_up};
use crate::loss::Loss;
use crate::privacy::Neighbours;

/// Where the minimiser is searched.
#[derive(Clone, Copy, Debug, Default, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Domain {
    /// The whole space.
    #[default]
    Everywhere,
    /// The ball of this radius around 0.
    Ball(f64),
}

/// The public description of a problem `J(θ) = Σ_i ℓ(θ; z_i) + (Λ/2)‖θ‖²`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Model<L> {
    loss: L,
    bounds: Bounds,
    dimension: usize,
    regulariser: f64,
    domain: Domain,
    neighbours: Neighbours,
}

impl<L: Loss> Model<L> {
    /// A model with `dimension` parameters (the intercept included) and total regulariser Λ, fixed in advance.
    pub fn new(loss: L, bounds: Bounds, dimension: usize, regulariser: f64) -> Result<Self, InvalidInput> {
        // One more for the intercept.
        if !(1..=Bounds::MAX_DIMENSION + 1).contains(&dimension) {
            return Err(InvalidInput { field: "dimension", allowed: "a whole number from 1 to 1000001" });
        }
        let regulariser = InvalidInput::positive("regulariser", regulariser)?;
        let (domain, neighbours) = (Domain::default(), Neighbours::default());
        Self { loss, bounds, dimension, regulariser, domain, neighbours }.checked()
    }

    /// Searches the minimiser in the ball of this radius around 0 only: the smaller, the less noise a loss needs
    /// whose slope grows with the parameters.
    pub fn with_parameter_bound(self, radius: f64) -> Result<Self, InvalidInput> {
        Self { domain: Domain::Ball(InvalidInput::positive("parameter bound", radius)?), ..self }.checked()
    }

    /// Sets the neighbour relation.
    #[must_use]
    pub fn with_neighbours(self, neighbours: Neighbours) -> Self {
        Self { neighbours, ..self }
    }

    /// All constants must be finite, or the model is refused here and nowhere later.
    fn checked(self) -> Result<Self, InvalidInput> {
        let finite = self.largest_smoothness().and(self.largest_minimiser()).and(self.minimiser_lipschitz());
        finite.map(|_| self).ok_or(InvalidInput {
            field: "bounds and regulariser",
            allowed: "values whose Lipschitz and smoothness constants are finite",
        })
    }

    /// The loss.
    pub fn loss(&self) -> &L {
        &self.loss
    }

    /// The public bounds of the records.
    pub fn bounds(&self) -> &Bounds {
        &self.bounds
    }

    /// d.
    pub fn dimension(&self) -> usize {
        self.dimension
    }

    /// Λ. spec: `assumpt:strong_convex`
    pub fn regulariser(&self) -> f64 {
        self.regulariser
    }

    /// Where the minimiser is searched.
    pub fn domain(&self) -> Domain {
        self.domain
    }

    /// The neighbour relation.
    pub fn neighbours(&self) -> Neighbours {
        self.neighbours
    }

    /// Lipschitz constant of `J_D − J_D'` on a ball whose centre has the given norm, for all neighbours D, D':
    /// G, or 2G when one record is replaced. `None` where it is not finite.
    pub fn lipschitz(&self, centre_norm: f64, radius: f64) -> Option<f64> {
        mul_up(self.neighbours.changed_losses(), self.loss.lipschitz(&self.bounds, centre_norm, radius)?)
    }

    /// `Λ + nβ`: smoothness of J for n records. spec: `assumpt:smooth`
    pub fn smoothness(&self, rows: u64) -> Option<f64> {
        add_up(self.regulariser, mul_up(integer_up(rows)?, self.loss.smoothness(&self.bounds)?)?)
    }

    /// Smoothness of J for the largest admissible number of records.
    pub fn largest_smoothness(&self) -> Option<f64> {
        self.smoothness(self.bounds.max_rows())
    }

    /// Not below the norm of the minimiser of any admissible data set. spec: `own:certified-minimiser`
    ///
    /// `(Λ/2)‖θ*‖² ≤ J(θ*) ≤ J(0) ≤ n·φ(0)`, because no loss is negative and 0 lies in the domain.
    pub fn largest_minimiser(&self) -> Option<f64> {
        let largest_loss =
            mul_up(integer_up(self.bounds.max_rows())?, self.loss.value_at_zero(&self.bounds))?;
        let everywhere = sqrt_up(div_up(mul_up(2.0, largest_loss)?, self.regulariser)?)?;
        Some(match self.domain {
            Domain::Everywhere => everywhere,
            Domain::Ball(radius) => everywhere.min(radius),
        })
    }

    /// Not below J(θ) for any admissible data set and ‖θ‖ ≤ `reach`. spec: `own:numerics`
    ///
    /// It is `n_max·(φ(0) + S·R·reach) + (Λ/2)·reach²`.
    pub fn largest_objective(&self, reach: f64) -> Option<f64> {
        let prediction = mul_up(self.bounds.row_norm(), reach)?;
        let growth = mul_up(self.loss.slope_bound(prediction, &self.bounds), prediction)?;
        let largest_loss = add_up(self.loss.value_at_zero(&self.bounds), growth)?;
        let losses = mul_up(integer_up(self.bounds.max_rows())?, largest_loss)?;
        add_up(losses, mul_up(0.5 * self.regulariser, mul_up(reach, reach)?)?)
    }

    /// Lipschitz constant of `J_D − J_D'` on a ball that holds every minimiser: the G of `alg:outpert`.
    pub fn minimiser_lipschitz(&self) -> Option<f64> {
        self.lipschitz(0.0, self.largest_minimiser()?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::loss::{Huber, Logistic, Squared};

    #[test]
    fn refuses_what_is_not_a_problem() {
        let bounds = Bounds::new(1.0).unwrap();
        assert_eq!(Model::new(Logistic, bounds, 0, 1.0).unwrap_err().field, "dimension");
        assert_eq!(Model::new(Logistic, bounds, 10_000_000, 1.0).unwrap_err().field, "dimension");
        for bad in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            assert_eq!(Model::new(Logistic, bounds, 1, bad).unwrap_err().field, "regulariser");
            let model = Model::new(Logistic, bounds, 1, 1.0).unwrap();
            assert_eq!(model.with_parameter_bound(bad).unwrap_err().field, "parameter bound");
        }
        assert_eq!(Model::new(Squared, bounds, 1, 1e-320).unwrap_err().field, "bounds and regulariser");
    }

    #[test]
    fn constants_of_hand_picked_models() {
        let close = |computed: Option<f64>, exact: f64| {
            let computed = computed.unwrap();
            assert!(
                computed >= exact * (1.0 - 1e-15) && computed <= exact * (1.0 + 1e-8),
                "{computed} {exact}"
            );
        };
        let bounds = Bounds::new(2.0).unwrap().with_target(3.0).unwrap().with_max_rows(100).unwrap();
        let model = Model::new(Squared, bounds, 4, 9.0).unwrap();
        // Λ + nβ = 9 + 10·4; ‖θ*‖ ≤ √(2·100·(9/2)/9) = 10; G = 2(2·10 + 3) = 46.
        close(model.smoothness(10), 49.0);
        close(model.largest_minimiser(), 10.0);
        close(model.minimiser_lipschitz(), 46.0);
        let small = model.with_parameter_bound(0.5).unwrap();
        // 100·(4.5 + (2·0.5 + 3)·(2·0.5)) + 4.5·0.25 = 851.125.
        close(small.largest_objective(0.5), 851.125);
        close(small.minimiser_lipschitz(), 8.0);
        close(small.with_neighbours(Neighbours::ReplaceOne).minimiser_lipschitz(), 16.0);
        // Logistic: √(2·100·ln 2/9).
        close(Model::new(Logistic, bounds, 4, 9.0).unwrap().largest_minimiser(), 3.924_700_075_051_58);
        close(Model::new(Huber::new(0.25).unwrap(), bounds, 4, 9.0).unwrap().minimiser_lipschitz(), 0.5);
    }
}
