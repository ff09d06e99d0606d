//! What is public about a learning problem, and the constants that follow from it.
//!
//! A [`Problem`] never sees a record. Everything calibrated, planned or certified is computed from it, and
//! [`Problem::bind`] is the only way from it to an [`Objective`](crate::objective::Objective).

use crate::bounds::Bounds;
use crate::exact::{add_up, div_up, integer_up, mul_up, sqrt_up};
use crate::input::InvalidInput;
use crate::loss::Loss;
use crate::privacy::{Guarantee, Neighbours};

/// What is allowed where targets are numbers and nothing is promised of them.
const TARGET_BOUND_NEEDED: &str =
    "a finite number greater than 0, and this loss needs one: its targets are numbers";

/// What is allowed where the columns have a shape.
const SHAPED: &str = "the number of columns in the blocks, and one more for an intercept";

/// The public description of a problem `J(θ) = Σ_i ℓ(θ; z_i) + (Λ/2)‖θ‖²`, with the constants that follow from it.
///
/// ```
/// use asap_dp::{bounds::Bounds, loss::Logistic, problem::Problem};
/// let problem = Problem::new(Logistic, Bounds::new(1.0)?, 11, 5.0)?;
/// // One record more moves the minimiser by at most G/Λ, G = R.
/// assert!(problem.minimiser_lipschitz() / problem.regulariser() < 0.2000001);
/// # Ok::<(), asap_dp::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Problem<L> {
    loss: L,
    bounds: Bounds,
    dimension: usize,
    regulariser: f64,
    parameter_bound: Option<f64>,
    neighbours: Neighbours,
    constants: Constants,
}

/// What follows from the public numbers, computed once.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Constants {
    smoothness: f64,
    largest_smoothness: f64,
    largest_minimiser: f64,
    minimiser_lipschitz: f64,
}

impl<L: Loss> Problem<L> {
    /// A problem with `dimension` parameters (the intercept included) and total regulariser Λ, fixed in advance.
    pub fn new(loss: L, bounds: Bounds, dimension: usize, regulariser: f64) -> Result<Self, InvalidInput> {
        // One more for the intercept.
        if !(1..=Bounds::MAX_DIMENSION + 1).contains(&dimension) {
            return Err(InvalidInput { field: "dimension", allowed: "a whole number from 1 to 1000001" });
        }
        let columns = dimension - usize::from(bounds.intercept());
        if bounds.shape().is_some_and(|shape| shape.columns() != columns) {
            return Err(InvalidInput { field: "dimension", allowed: SHAPED });
        }
        if loss.targets().bound(&bounds).is_none() {
            return Err(InvalidInput { field: "target bound", allowed: TARGET_BOUND_NEEDED });
        }
        let regulariser = InvalidInput::positive("regulariser", regulariser)?;
        let (neighbours, constants) = (Neighbours::default(), Constants::default());
        Self { loss, bounds, dimension, regulariser, parameter_bound: None, neighbours, constants }.checked()
    }

    /// Searches the minimiser in the ball of this radius around 0 only: the smaller, the less noise a loss needs
    /// whose slope grows with the parameters.
    pub fn with_parameter_bound(self, radius: f64) -> Result<Self, InvalidInput> {
        let parameter_bound = Some(InvalidInput::positive("parameter bound", radius)?);
        Self { parameter_bound, ..self }.checked()
    }

    /// The same with another regulariser.
    pub(crate) fn with_regulariser(self, regulariser: f64) -> Result<Self, InvalidInput> {
        Self { regulariser: InvalidInput::positive("regulariser", regulariser)?, ..self }.checked()
    }

    /// The same where each record counts by itself.
    #[must_use]
    pub fn for_records(self) -> Self {
        Self { bounds: self.bounds.for_records(), ..self }
    }

    /// Sets the neighbour relation.
    pub fn with_neighbours(self, neighbours: Neighbours) -> Result<Self, InvalidInput> {
        Self { neighbours, ..self }.checked()
    }

    /// Computes the constants. All of them must be finite, or the problem is refused here and nowhere later.
    fn checked(self) -> Result<Self, InvalidInput> {
        let constants = self.computed().ok_or(InvalidInput {
            field: "bounds and regulariser",
            allowed: "values whose Lipschitz and smoothness constants are finite",
        })?;
        Ok(Self { constants, ..self })
    }

    fn computed(&self) -> Option<Constants> {
        let smoothness = self.loss.smoothness(&self.bounds)?;
        let rows = integer_up(self.bounds.max_rows())?;
        // (Λ/2)‖θ*‖² ≤ J(θ*) ≤ J(0) ≤ n·φ(0), because no loss is negative and 0 lies in the domain.
        let largest_loss = mul_up(rows, self.loss.value_at_zero(&self.bounds))?;
        let everywhere = sqrt_up(div_up(mul_up(2.0, largest_loss)?, self.regulariser)?)?;
        let largest_minimiser = self.parameter_bound.map_or(everywhere, |radius| everywhere.min(radius));
        Some(Constants {
            smoothness,
            largest_smoothness: add_up(self.regulariser, mul_up(rows, smoothness)?)?,
            largest_minimiser,
            minimiser_lipschitz: self.lipschitz(0.0, largest_minimiser)?,
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

    /// d: the number of parameters.
    pub fn dimension(&self) -> usize {
        self.dimension
    }

    /// Λ: the total regulariser. spec: `assumpt:strong_convex`
    pub fn regulariser(&self) -> f64 {
        self.regulariser
    }

    /// The radius of the ball around 0 in which the minimiser is searched; the whole space without one.
    pub fn parameter_bound(&self) -> Option<f64> {
        self.parameter_bound
    }

    /// The neighbour relation.
    pub fn neighbours(&self) -> Neighbours {
        self.neighbours
    }

    /// What one record may spend of what is promised: all of it, or its part where a person has several rows.
    /// spec: `own:persons`
    pub fn of_a_record(&self, total: Guarantee) -> Result<Guarantee, InvalidInput> {
        let rows = self.bounds.rows_per_person().unwrap_or(1);
        total.divided_by(rows)
    }

    /// Lipschitz constant of `J_D − J_D'` on a ball whose centre has the given norm, for all neighbours D, D':
    /// G, or 2G when one record is replaced. `None` where it is not finite.
    pub fn lipschitz(&self, centre_norm: f64, radius: f64) -> Option<f64> {
        mul_up(
            self.neighbours.changed_losses() as f64,
            self.loss.lipschitz(&self.bounds, centre_norm, radius)?,
        )
    }

    /// `Λ + nβ`: smoothness of J for n records. Infinite where no `f64` holds it. spec: `assumpt:smooth`
    pub fn smoothness(&self, rows: u64) -> f64 {
        let losses = integer_up(rows).and_then(|rows| mul_up(rows, self.constants.smoothness));
        losses.and_then(|losses| add_up(self.regulariser, losses)).unwrap_or(f64::INFINITY)
    }

    /// Smoothness of J for the largest admissible number of records.
    pub fn largest_smoothness(&self) -> f64 {
        self.constants.largest_smoothness
    }

    /// Not below the norm of the minimiser of any admissible data set. spec: `own:certified-minimiser`
    pub fn largest_minimiser(&self) -> f64 {
        self.constants.largest_minimiser
    }

    /// Lipschitz constant of `J_D − J_D'` on a ball that holds every minimiser: the G of `alg:outpert`.
    pub fn minimiser_lipschitz(&self) -> f64 {
        self.constants.minimiser_lipschitz
    }

    /// Not below the norm of ∇J on the ball of this radius around 0, for any admissible data set:
    /// `n_max·G + Λ·reach`. `None` where it is not finite.
    pub fn largest_gradient(&self, reach: f64) -> Option<f64> {
        let one = self.loss.lipschitz(&self.bounds, 0.0, reach)?;
        add_up(mul_up(integer_up(self.bounds.max_rows())?, one)?, mul_up(self.regulariser, reach)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::loss::{Huber, Logistic, Squared};

    #[test]
    fn refuses_what_is_not_a_problem() {
        let bounds = Bounds::new(1.0).unwrap().with_target(1.0).unwrap();
        assert_eq!(Problem::new(Logistic, bounds.clone(), 0, 1.0).unwrap_err().field, "dimension");
        assert_eq!(Problem::new(Logistic, bounds.clone(), 10_000_000, 1.0).unwrap_err().field, "dimension");
        for bad in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            assert_eq!(Problem::new(Logistic, bounds.clone(), 1, bad).unwrap_err().field, "regulariser");
            let problem = Problem::new(Logistic, bounds.clone(), 1, 1.0).unwrap();
            assert_eq!(problem.with_parameter_bound(bad).unwrap_err().field, "parameter bound");
        }
        assert_eq!(Problem::new(Squared, bounds, 1, 1e-320).unwrap_err().field, "bounds and regulariser");
    }

    #[test]
    fn constants_of_hand_picked_problems() {
        let close = |computed: f64, exact: f64| {
            assert!(
                computed >= exact * (1.0 - 1e-15) && computed <= exact * (1.0 + 1e-8),
                "{computed} {exact}"
            );
        };
        let bounds = Bounds::new(2.0).unwrap().with_target(3.0).unwrap().with_max_rows(100).unwrap();
        let problem = Problem::new(Squared, bounds.clone(), 4, 9.0).unwrap();
        // Λ + nβ = 9 + 10·4; ‖θ*‖ ≤ √(2·100·(9/2)/9) = 10; G = 2(2·10 + 3) = 46.
        close(problem.smoothness(10), 49.0);
        close(problem.largest_minimiser(), 10.0);
        close(problem.minimiser_lipschitz(), 46.0);
        let small = problem.with_parameter_bound(0.5).unwrap();
        // 100·2·(2·0.5 + 3) + 9·0.5 = 804.5.
        close(small.largest_gradient(0.5).unwrap(), 804.5);
        close(small.minimiser_lipschitz(), 8.0);
        close(small.with_neighbours(Neighbours::ReplaceOne).unwrap().minimiser_lipschitz(), 16.0);
        // Logistic: √(2·100·ln 2/9).
        close(
            Problem::new(Logistic, bounds.clone(), 4, 9.0).unwrap().largest_minimiser(),
            3.924_700_075_051_58,
        );
        close(Problem::new(Huber::new(0.25).unwrap(), bounds, 4, 9.0).unwrap().minimiser_lipschitz(), 0.5);
    }
}
