//! The exponential mechanism in one or two dimensions, by quadrature. spec: `own:experiments`
//!
//! Score −J on the ball of radius D that holds every minimiser. Its sensitivity is the largest loss of one record
//! there, ½(RD + Y)² for the squared loss, so the law is e^(−γJ) with γ = ε/(2·½(RD + Y)²), as the paper states the
//! mechanism. Cells of a grid are drawn by their mass: exact up to the grid, so **not rigorous**.

use super::random::uniform;
use crate::error::ExperimentError;
use crate::setting::{LossKind, Setting};
use asap_dp::noise::RandomBits;

/// Cells along each axis.
const CELLS: usize = 801;
/// How many deviations of the law the grid reaches, where the ball is larger.
const DEVIATIONS: f64 = 9.0;

/// The law of the mechanism on a grid.
pub struct Grid {
    dimension: usize,
    /// The corner of the grid, and the width of a cell on each axis.
    corner: [f64; 2],
    width: [f64; 2],
    /// Cumulative mass of the cells.
    cumulative: Vec<f64>,
}

/// γ of the mechanism.
pub fn temperature(setting: &Setting, epsilon: f64) -> f64 {
    let constants = setting.constants();
    let residual = constants.row_norm * constants.reach + constants.target;
    epsilon / (residual * residual)
}

impl Grid {
    /// The law of the mechanism at ε.
    pub fn new(setting: &Setting, epsilon: f64) -> Result<Self, ExperimentError> {
        if setting.loss() != LossKind::Squared || !(1..=2).contains(&setting.dimension()) {
            return Err(ExperimentError::Infeasible(
                "quadrature is for the squared loss in one or two dimensions",
            ));
        }
        let gamma = temperature(setting, epsilon);
        let optimum: Vec<f64> = setting.optimum().iter().copied().collect();
        let inverse = setting.hessian().clone().try_inverse();
        let inverse = inverse.ok_or(ExperimentError::Infeasible("the curvature is not positive"))?;
        let deviations: Vec<f64> = (0..optimum.len()).map(|k| (inverse[(k, k)] / gamma).sqrt()).collect();
        Ok(Self::of(&optimum, &deviations, setting.constants().reach, |theta| gamma * setting.excess(theta)))
    }

    /// The law e^(−energy) on the ball of radius `reach`, on a grid around the optimum.
    fn of(optimum: &[f64], deviations: &[f64], reach: f64, energy: impl Fn(&[f64]) -> f64) -> Self {
        let (mut corner, mut width) = ([0.0; 2], [0.0; 2]);
        for (k, (centre, deviation)) in optimum.iter().zip(deviations).enumerate() {
            let low = (centre - DEVIATIONS * deviation).max(-reach);
            let high = (centre + DEVIATIONS * deviation).min(reach);
            corner[k] = low;
            width[k] = (high - low) / CELLS as f64;
        }
        let second = if optimum.len() == 2 { CELLS } else { 1 };
        let mut grid =
            Self { dimension: optimum.len(), corner, width, cumulative: Vec::with_capacity(CELLS * second) };
        let mut total = 0.0;
        for cell in 0..CELLS * second {
            let middle = grid.point(cell, [0.5, 0.5]);
            let inside = middle.iter().map(|x| x * x).sum::<f64>() <= reach * reach;
            total += if inside { (-energy(&middle)).exp() } else { 0.0 };
            grid.cumulative.push(total);
        }
        grid
    }

    /// A point of a cell, given where in it.
    fn point(&self, cell: usize, place: [f64; 2]) -> Vec<f64> {
        let cells = [cell % CELLS, cell / CELLS];
        (0..self.dimension).map(|k| self.corner[k] + self.width[k] * (cells[k] as f64 + place[k])).collect()
    }

    /// One draw.
    pub fn draw<R: RandomBits>(&self, rng: &mut R) -> Vec<f64> {
        let total = self.cumulative.last().copied().unwrap_or(0.0);
        let wanted = uniform(rng) * total;
        let cell = self
            .cumulative
            .partition_point(|mass| *mass <= wanted)
            .min(self.cumulative.len().saturating_sub(1));
        self.point(cell, [uniform(rng), uniform(rng)])
    }

    /// The mean of a function under the law, by quadrature.
    pub fn mean(&self, of: impl Fn(&[f64]) -> f64) -> f64 {
        let mut before = 0.0;
        let mut sum = 0.0;
        for (cell, mass) in self.cumulative.iter().enumerate() {
            if *mass > before {
                sum += (mass - before) * of(&self.point(cell, [0.5, 0.5]));
            }
            before = *mass;
        }
        sum / before
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::setting::tests::small;
    use asap_dp::ReplayRng;

    type Moment = fn(&[f64]) -> f64;

    /// A normal law with variances ¼ and 4 and correlation ½, whose moments are known: quadrature to 10⁻⁶, draws to six
    /// deviations of their mean.
    #[test]
    fn quadrature_and_draws_have_gaussian_moments() {
        // Precision = inverse of ((0.25, 0.5), (0.5, 4)) = ((16, −2), (−2, 1))/3.
        let energy = |x: &[f64]| {
            let (a, b) = (x[0] - 0.3, x[1] + 0.1);
            0.5 * (16.0 * a * a - 4.0 * a * b + b * b) / 3.0
        };
        let grid = Grid::of(&[0.3, -0.1], &[0.5, 2.0], 1e6, energy);
        let moments: [(Moment, f64); 5] = [
            (|x| x[0], 0.3),
            (|x| x[1], -0.1),
            (|x| (x[0] - 0.3).powi(2), 0.25),
            (|x| (x[1] + 0.1).powi(2), 4.0),
            (|x| (x[0] - 0.3) * (x[1] + 0.1), 0.5),
        ];
        for (of, exact) in moments {
            assert!((grid.mean(of) - exact).abs() < 1e-6, "{} {exact}", grid.mean(of));
        }
        let mut rng = ReplayRng::new(4);
        let draws: Vec<Vec<f64>> = (0..20_000).map(|_| grid.draw(&mut rng)).collect();
        for (of, exact) in moments {
            let mean = draws.iter().map(|x| of(x)).sum::<f64>() / 20_000.0;
            // The largest deviation of one term is 4·√2.
            assert!((mean - exact).abs() < 6.0 * 5.7 / 20_000.0_f64.sqrt(), "{mean} {exact}");
        }
    }

    /// On a ball much smaller than the law, the law is uniform: E‖θ‖² = D²/2 in two dimensions.
    #[test]
    fn a_small_ball_makes_the_law_uniform() {
        let grid = Grid::of(&[0.0, 0.0], &[100.0, 100.0], 1.0, |_| 0.0);
        assert!((grid.mean(|x| x[0] * x[0] + x[1] * x[1]) - 0.5).abs() < 1e-3);
    }

    /// γ by hand: R = Y = 1, D = √0.4: ε/(1 + √0.4)².
    #[test]
    fn the_temperature_is_half_epsilon_over_the_largest_loss() {
        let setting = small(LossKind::Squared);
        assert!((temperature(&setting, 3.0) * (1.0 + 0.4_f64.sqrt()).powi(2) / 3.0 - 1.0).abs() < 1e-7);
        assert!(Grid::new(&setting, 3.0).is_ok() && Grid::new(&small(LossKind::Logistic), 3.0).is_err());
    }
}
