//! What a mechanism will be worth on records that nobody has looked at. spec: `own:auto`
//!
//! Everything here is made of public numbers and guesses. No guarantee rests on it: a wrong guess costs utility.

use crate::bounds::Bounds;
use crate::input::InvalidInput;
use crate::loss::Loss;
use crate::noise::{LatticeNoise, Law};
use crate::problem::{Domain, Problem};

/// A public guess of what the records are like. spec: `own:auto`
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Guess {
    rows: u64,
    curvature: Option<f64>,
}

impl Guess {
    /// Of the curvature that as many records spread evenly over all directions could have at most, records that nobody has
    /// looked at are taken to have this part.
    const USUAL_PART: f64 = 0.5;

    /// The part of `N·φ(0)`, the most that θ = 0 can lose, that it is taken to lose.
    pub const TYPICAL_LOSS: f64 = 0.125;

    /// The number of records unless another is guessed.
    pub const DEFAULT_ROWS: u64 = 10_000;

    /// A guess of the number of records within the bounds, or the default one.
    pub fn expected(rows: Option<u64>, bounds: &Bounds) -> Result<Self, InvalidInput> {
        let rows = rows.unwrap_or(Self::DEFAULT_ROWS.min(bounds.max_rows()));
        if (1..=bounds.max_rows()).contains(&rows) {
            Self::new(rows)
        } else {
            Err(InvalidInput { field: "expected rows", allowed: "a whole number from 1 to max rows" })
        }
    }

    /// A guess of the number of records; their curvature is taken as half of what it can be if they spread evenly.
    pub fn new(rows: u64) -> Result<Self, InvalidInput> {
        if rows == 0 {
            return Err(InvalidInput { field: "rows", allowed: "a whole number from 1 to max rows" });
        }
        Ok(Self { rows, curvature: None })
    }

    /// Guesses the curvature as well: λ ≥ 0, a usual eigenvalue of the Hessian of the records' losses together, without Λ.
    pub fn with_curvature(self, curvature: f64) -> Result<Self, InvalidInput> {
        if !(curvature.is_finite() && curvature >= 0.0) {
            return Err(InvalidInput { field: "curvature", allowed: "a finite number not less than 0" });
        }
        Ok(Self { curvature: Some(curvature), ..self })
    }

    /// The number of records.
    pub fn rows(&self) -> u64 {
        self.rows
    }

    /// λ, where it was guessed.
    pub fn curvature(&self) -> Option<f64> {
        self.curvature
    }

    /// h = Λ + λ: a usual eigenvalue of ∇²J.
    pub fn bend<L: Loss>(&self, problem: &Problem<L>) -> f64 {
        let losses = problem.smoothness(self.rows) - problem.regulariser();
        let usual = Self::USUAL_PART * losses / problem.dimension() as f64;
        problem.regulariser() + self.curvature.unwrap_or(usual)
    }

    /// How far from 0 the minimiser is taken to be: `½h‖θ*‖²` is what θ = 0 is taken to lose.
    pub fn usual_norm<L: Loss>(&self, problem: &Problem<L>) -> f64 {
        let lost = Self::TYPICAL_LOSS * self.rows as f64 * problem.loss().value_at_zero(problem.bounds());
        (2.0 * lost / self.bend(problem)).sqrt().min(problem.largest_minimiser())
    }

    /// The largest trace that ∇²J can have: `dΛ + Nβ`.
    pub fn largest_trace<L: Loss>(&self, problem: &Problem<L>) -> f64 {
        problem.smoothness(self.rows) + (problem.dimension() as f64 - 1.0) * problem.regulariser()
    }

    /// Not below what θ = 0 loses: `J(0) − min J ≤ min(N·φ(0), (NG)²/(2Λ))`.
    pub fn loss_of_nothing<L: Loss>(&self, problem: &Problem<L>) -> f64 {
        let rows = self.rows as f64;
        let slope = problem.loss().lipschitz(problem.bounds(), 0.0, 0.0).unwrap_or(f64::INFINITY);
        let values = rows * problem.loss().value_at_zero(problem.bounds());
        values.min((rows * slope).powi(2) / (2.0 * problem.regulariser()))
    }
}

/// What a release is measured against when the regulariser is left out: every model θ of at most this norm. spec: `own:auto`
///
/// For the losses alone, `S(θ) = Σ ℓ(θ; z_i)`, a release with the excess `J(θ̂) − min J` loses at most that excess and
/// [`Comparator::bias`] more than the best of these models.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Comparator {
    norm: f64,
}

impl Comparator {
    /// The models of at most this norm, ρ > 0. The search has to be able to reach them: ρ is not above the parameter bound.
    pub fn new<L: Loss>(norm: f64, problem: &Problem<L>) -> Result<Self, InvalidInput> {
        let norm = InvalidInput::positive("comparator norm", norm)?;
        match problem.domain() {
            Domain::Ball(radius) if norm > radius => {
                Err(InvalidInput { field: "comparator norm", allowed: "not more than the parameter bound" })
            }
            _ => Ok(Self { norm }),
        }
    }

    /// `ρ = √(2φ(0)d/β)`, or the parameter bound if that is less: no model of a smaller norm loses nothing at all where θ = 0
    /// loses φ(0) a record and the curvature is spread evenly over all directions.
    pub fn usual<L: Loss>(problem: &Problem<L>) -> Result<Self, InvalidInput> {
        let bend = problem.loss().smoothness(problem.bounds()).unwrap_or(f64::INFINITY);
        let square = 2.0 * problem.loss().value_at_zero(problem.bounds()) * problem.dimension() as f64 / bend;
        // Where it is no ordinary number the bias is everything that can be lost, or nothing.
        let norm = square.sqrt().clamp(f64::MIN_POSITIVE, f64::MAX);
        match problem.domain() {
            Domain::Everywhere => Self::new(norm, problem),
            Domain::Ball(radius) => Self::new(norm.min(radius), problem),
        }
    }

    /// ρ.
    pub fn norm(&self) -> f64 {
        self.norm
    }

    /// `b = min(Λρ²/2, N·φ(0))`: what the regulariser may cost, `S(θ̂) − S(u) ≤ (J(θ̂) − min J) + b` for every `‖u‖ ≤ ρ` and
    /// N records.
    pub fn bias<L: Loss>(&self, problem: &Problem<L>, rows: u64) -> f64 {
        let everything = rows as f64 * problem.loss().value_at_zero(problem.bounds());
        everything.min(problem.regulariser() * self.norm * self.norm / 2.0)
    }
}

/// The predicted excess of J over its minimum, J summed over the records, and what a fit takes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Prediction {
    /// For records of the usual curvature.
    pub likely: f64,
    /// For the curvature that suits the mechanism least.
    pub worst: f64,
    /// Passes over the records, about.
    pub passes: f64,
}

impl Prediction {
    /// Passes of a search for a minimiser in d dimensions, about: gradients, and Hessians of some of the rows.
    pub(crate) fn search(dimension: usize) -> f64 {
        10.0 + dimension as f64
    }
}

/// The variance of one coordinate: 2s² for Laplace noise of scale s, σ² for normal noise; for Euclidean Laplace noise, whose
/// squared norm has mean d(d + 1)s², a d-th of that.
pub(crate) fn variance(noise: &LatticeNoise, dimension: usize) -> f64 {
    let square = noise.scale().powi(2);
    match noise.law() {
        Law::Laplace(_) => 2.0 * square,
        Law::Normal(_) => square,
        Law::Euclidean(_) => (dimension as f64 + 1.0) * square,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::loss::{Huber, Logistic, Squared};

    /// Against a grid of all models in one dimension: what a point loses without the regulariser is never more than its excess
    /// and the bias, and the bound is reached (at 0, where the comparator is the minimiser).
    #[test]
    fn the_bias_holds_for_every_point_and_is_reached() {
        let huber = Huber::new(0.5).unwrap();
        let bounds = Bounds::new(1.0).unwrap().with_target(1.0).unwrap();
        let records = [(0.9, 1.0), (-0.4, 0.3), (1.0, -0.8), (0.7, 0.6), (-1.0, -1.0)];
        let grid = || (-3000..=3000).map(|k| f64::from(k) / 1000.0);
        let losses = |theta: f64| records.iter().map(|(x, y)| huber.value(theta * x, *y)).sum::<f64>();
        for regulariser in [0.01, 0.3, 2.0, 40.0] {
            let problem = Problem::new(huber, bounds.clone(), 1, regulariser).unwrap();
            let objective = |theta: f64| losses(theta) + 0.5 * regulariser * theta * theta;
            let minimiser = grid().min_by(|a, b| objective(*a).total_cmp(&objective(*b))).unwrap();
            let least = objective(minimiser);
            for norm in [0.05, 0.4, 1.0, 2.5] {
                let bias = Comparator::new(norm, &problem).unwrap().bias(&problem, 5);
                let best = grid().filter(|u| u.abs() <= norm).map(losses).fold(f64::INFINITY, f64::min);
                for theta in grid() {
                    assert!(losses(theta) - best <= objective(theta) - least + bias + 1e-9, "{theta}");
                }
            }
            let reached = Comparator::new(minimiser.abs(), &problem).unwrap().bias(&problem, 5);
            let lost = losses(0.0) - losses(minimiser) - (objective(0.0) - least);
            assert!((lost - reached).abs() <= 1e-9 * (1.0 + reached), "{lost} {reached}");
        }
    }

    #[test]
    fn the_usual_comparator_is_the_least_that_could_lose_nothing() {
        let close = |computed: f64, exact: f64| assert!((computed / exact - 1.0).abs() < 1e-6, "{computed}");
        let bounds = Bounds::new(2.0).unwrap().with_target(3.0).unwrap();
        let problem = Problem::new(Squared, bounds, 16, 5.0).unwrap();
        // Y√d/R.
        close(Comparator::usual(&problem).unwrap().norm(), 6.0);
        close(Comparator::usual(&problem).unwrap().bias(&problem, 1000), 90.0);
        close(Comparator::usual(&problem).unwrap().bias(&problem, 4), 18.0);
        let near = problem.clone().with_parameter_bound(0.5).unwrap();
        close(Comparator::usual(&near).unwrap().norm(), 0.5);
        assert_eq!(Comparator::new(0.6, &near).unwrap_err().field, "comparator norm");
        for bad in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            assert!(Comparator::new(bad, &problem).is_err());
        }
        let logistic = Problem::new(Logistic, Bounds::new(1.0).unwrap(), 1, 5.0).unwrap();
        close(Comparator::usual(&logistic).unwrap().norm(), (8.0 * core::f64::consts::LN_2).sqrt());
    }

    #[test]
    fn hand_computed_guesses() {
        let problem = Problem::new(Logistic, Bounds::new(1.0).unwrap(), 10, 5.0).unwrap();
        let guess = Guess::new(4000).unwrap();
        let close = |computed: f64, exact: f64| assert!((computed / exact - 1.0).abs() < 1e-6, "{computed}");
        // β = ¼: 1000 in all, 100 in each of ten directions at most, half of it usually.
        close(guess.bend(&problem), 55.0);
        close(guess.with_curvature(7.0).unwrap().bend(&problem), 12.0);
        close(guess.largest_trace(&problem), 1050.0);
        // √(2·(4000·ln 2/8)/55), and never beyond a search.
        close(guess.usual_norm(&problem), 3.550_024_8);
        close(guess.usual_norm(&problem.clone().with_parameter_bound(0.5).unwrap()), 0.5);
        close(guess.loss_of_nothing(&problem), 4000.0 * core::f64::consts::LN_2);
        // (NG)²/(2Λ) with N = 4, G = ½ at 0 or below R: the other bound is smaller.
        assert!(Guess::new(4).unwrap().loss_of_nothing(&problem) <= 16.0 / 10.0 + 1e-6);
        for bad in [-1.0, f64::NAN, f64::INFINITY] {
            assert_eq!(guess.with_curvature(bad).unwrap_err().field, "curvature");
        }
        assert_eq!(Guess::new(0).unwrap_err().field, "rows");
    }
}
