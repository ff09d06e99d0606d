//! What a mechanism will be worth on records that nobody has looked at. spec: `own:auto`
//!
//! Everything here is made of public numbers and guesses. No guarantee rests on it: a wrong guess costs utility.

use crate::bounds::Bounds;
use crate::input::InvalidInput;
use crate::loss::Loss;
use crate::noise::{LatticeNoise, Law};
use crate::problem::Problem;

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
    use crate::loss::Logistic;

    #[test]
    fn hand_computed_guesses() {
        let problem = Problem::new(Logistic, Bounds::new(1.0).unwrap(), 10, 5.0).unwrap();
        let guess = Guess::new(4000).unwrap();
        let close = |computed: f64, exact: f64| assert!((computed / exact - 1.0).abs() < 1e-6, "{computed}");
        // β = ¼: 1000 in all, 100 in each of ten directions at most, half of it usually.
        close(guess.bend(&problem), 55.0);
        close(guess.with_curvature(7.0).unwrap().bend(&problem), 12.0);
        close(guess.largest_trace(&problem), 1050.0);
        close(guess.loss_of_nothing(&problem), 4000.0 * core::f64::consts::LN_2);
        // (NG)²/(2Λ) with N = 4, G = ½ at 0 or below R: the other bound is smaller.
        assert!(Guess::new(4).unwrap().loss_of_nothing(&problem) <= 16.0 / 10.0 + 1e-6);
        for bad in [-1.0, f64::NAN, f64::INFINITY] {
            assert_eq!(guess.with_curvature(bad).unwrap_err().field, "curvature");
        }
        assert_eq!(Guess::new(0).unwrap_err().field, "rows");
    }
}
