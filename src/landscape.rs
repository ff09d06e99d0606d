//! What a table is assumed to be like before it is looked at: how much the losses bend in each direction, and
//! how far away the best model is. spec: `own:auto`
//!
//! The constants are medians over real tables that are not part of this project's tests. No guarantee rests on them.

use crate::loss::{Loss, Targets};
use crate::problem::Problem;

/// Some directions that are taken to be alike.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Direction {
    /// How many there are.
    pub count: f64,
    /// λ: the curvature of the records' losses together in each of them.
    pub curvature: f64,
    /// The square of the best model's part in each of them.
    pub square: f64,
    /// Whether a part here tells records from each other. In the first direction, the mean of all records, it moves
    /// all predictions alike.
    pub tells: bool,
}

/// The directions of a usual table, and what there is to learn from it. Public throughout. spec: `own:auto`
#[derive(Clone, Debug, PartialEq)]
pub struct Landscape {
    directions: Vec<Direction>,
    regulariser: f64,
    /// Λ, and what keeps the minimiser in the ball: the minimiser on a ball is that of a larger regulariser.
    pull: f64,
    gain: f64,
    radius: f64,
    classes: bool,
}

impl Landscape {
    /// Of Nβ, the curvature that N records have at most: the part that they have in the first direction.
    const FIRST: f64 = 1.0 / 3.0;
    /// The k-th direction has this part of Nβ, divided by k^(3/2).
    const LATER: f64 = 1.0 / 8.0;
    /// The part of it that is left at a minimiser of classes, where the logistic loss bends less than it can.
    const OF_CLASSES: f64 = 0.5;
    /// The part of N·φ(0) that the best model gains over the trivial one, which predicts the same for every record.
    const GAIN_OF_CLASSES: f64 = 0.2;
    /// The same where targets are numbers.
    const GAIN_OF_NUMBERS: f64 = 0.05;
    /// The square of the best model's part in the first direction, beside that in any other, for classes.
    const FIRST_OF_CLASSES: f64 = 0.1;
    /// The same where targets are numbers, whose mean is rarely in the middle of their range.
    const FIRST_OF_NUMBERS: f64 = 1.0;
    /// Halvings of an interval that holds Λ': more than a prediction needs.
    const HALVINGS: u32 = 40;
    /// Directions are taken together while their numbers differ by less than this factor.
    const TOGETHER: f64 = 1.125;

    /// Of so many rows of this problem; λ where it was guessed is the curvature in every direction.
    pub(crate) fn new<L: Loss>(problem: &Problem<L>, rows: u64, guessed: Option<f64>) -> Self {
        let (classes, gain, in_first) = match problem.loss().targets() {
            Targets::Classes => (true, Self::GAIN_OF_CLASSES, Self::FIRST_OF_CLASSES),
            Targets::Numbers => (false, Self::GAIN_OF_NUMBERS, Self::FIRST_OF_NUMBERS),
        };
        let gain = gain * rows as f64 * problem.loss().value_at_zero(problem.bounds());
        let most = problem.smoothness(rows) - problem.regulariser();
        let part = if classes { Self::OF_CLASSES } else { 1.0 };
        let bend = |k: f64| {
            let usual = if k > 1.0 { Self::LATER * k.powf(-1.5) } else { Self::FIRST };
            guessed.unwrap_or(part * usual * most)
        };
        let alone = problem.dimension() == 1;
        let mut directions: Vec<Direction> = groups(problem.dimension(), Self::TOGETHER)
            .map(|(number, count)| Direction {
                count,
                curvature: bend(number),
                square: 1.0,
                tells: alone || number > 1.0,
            })
            .collect();
        // ½Σλθ² is the gain.
        let telling = directions.iter().filter(|it| it.tells);
        let bends: f64 = telling.map(|it| it.count * it.curvature).sum();
        let square = if bends > 0.0 { 2.0 * gain / bends } else { 0.0 };
        for direction in &mut directions {
            direction.square = square * if direction.tells { 1.0 } else { in_first };
        }
        let radius = problem.parameter_bound().unwrap_or(f64::INFINITY);
        let regulariser = problem.regulariser();
        let free = Self { directions, regulariser, pull: regulariser, gain, radius, classes };
        Self { pull: free.held(), ..free }
    }

    /// The least regulariser, not below Λ, whose minimiser is in the ball.
    fn held(&self) -> f64 {
        let norm = |pull: f64| Self { pull, directions: self.directions.clone(), ..*self }.usual_norm();
        if norm(self.regulariser) <= self.radius {
            return self.regulariser;
        }
        // ‖θ‖ < √Σλ²θ²/Λ'.
        let furthest = self.sum(|it| (it.curvature * it.curvature) * it.square).sqrt();
        let (mut outside, mut inside) = (self.regulariser, furthest / self.radius);
        for _ in 0..Self::HALVINGS {
            let middle = outside.midpoint(inside);
            if norm(middle) > self.radius {
                outside = middle;
            } else {
                inside = middle;
            }
        }
        inside
    }

    /// Directions of the same kind together.
    pub fn directions(&self) -> &[Direction] {
        &self.directions
    }

    /// What the best model is taken to gain over the trivial one, which predicts the same for every record.
    pub fn gain(&self) -> f64 {
        self.gain
    }

    /// Whether targets are classes.
    pub fn classes(&self) -> bool {
        self.classes
    }

    /// Σ over all directions of a number for each.
    pub fn sum(&self, of: impl Fn(&Direction) -> f64) -> f64 {
        self.directions.iter().map(|it| it.count * of(it)).sum()
    }

    /// h = Λ + λ: the curvature of J.
    pub fn bend(&self, direction: &Direction) -> f64 {
        self.regulariser + direction.curvature
    }

    /// The part of the best model that the minimiser of J on the ball that is searched has: λ/(Λ' + λ), with Λ' = Λ if it
    /// is inside.
    pub fn kept(&self, direction: &Direction) -> f64 {
        direction.curvature / (self.pull + direction.curvature)
    }

    /// How fast J falls towards the outside of the ball, at its minimiser there, for each unit of that: Λ' − Λ.
    pub fn slope_outwards(&self) -> f64 {
        self.pull - self.regulariser
    }

    /// How far from 0 the minimiser of J on the ball is taken to be.
    pub fn usual_norm(&self) -> f64 {
        self.sum(|it| it.square * self.kept(it).powi(2)).sqrt()
    }

    /// What the ball that is searched leaves of a model of this squared norm.
    pub fn left_of(&self, square: f64) -> f64 {
        let norm = square.sqrt();
        if norm > self.radius { self.radius / norm } else { 1.0 }
    }
}

/// The numbers 1, …, d in groups: a usual number of each, and how many there are.
fn groups(dimension: usize, ratio: f64) -> impl Iterator<Item = (f64, f64)> {
    let mut next = 1;
    core::iter::from_fn(move || {
        if next > dimension {
            return None;
        }
        let first = next;
        while next <= dimension && next as f64 <= ratio * first as f64 {
            next += 1;
        }
        let last = (next - 1) as f64;
        Some(((first as f64 * last).sqrt(), last - first as f64 + 1.0))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bounds::Bounds;
    use crate::loss::{Logistic, Squared};

    fn close(computed: f64, exact: f64) {
        assert!((computed / exact - 1.0).abs() < 1e-6, "{computed} instead of {exact}");
    }

    #[test]
    fn groups_hold_every_number_once() {
        for dimension in [1, 2, 3, 10, 1000, 54_321] {
            let all: Vec<(f64, f64)> = groups(dimension, Landscape::TOGETHER).collect();
            assert_eq!(all.iter().map(|(_, count)| *count).sum::<f64>(), dimension as f64);
            assert!(all.windows(2).all(|pair| pair[0].0 < pair[1].0) && all.len() < 100);
            assert_eq!(all[0], (1.0, 1.0));
        }
    }

    /// d = 3, R = 2, N = 600, Λ = 5: Nβ = 600, half of it for classes, and 600·ln 2 at 0.
    #[test]
    fn hand_computed_directions() {
        let problem = Problem::new(Logistic, Bounds::new(2.0).unwrap(), 3, 5.0).unwrap();
        let it = Landscape::new(&problem, 600, None);
        let [first, second, third] = it.directions() else { panic!("{it:?}") };
        close(first.curvature, 100.0);
        close(second.curvature, 37.5 / 8.0_f64.sqrt());
        close(third.curvature, 37.5 / 27.0_f64.sqrt());
        close(it.gain(), 83.177_661_7);
        close(0.5 * it.sum(|it| if it.tells { it.curvature * it.square } else { 0.0 }), it.gain());
        assert!(!first.tells && (first.square / second.square - 0.1).abs() < 1e-12);
        close(it.bend(second), 5.0 + 13.258_252_1);
        close(it.kept(second), 13.258_252_1 / 18.258_252_1);
        // A guess is the curvature of every direction, and a search ends at its ball.
        let guessed = Landscape::new(&problem.clone().with_parameter_bound(0.1).unwrap(), 600, Some(7.0));
        assert!(guessed.directions().iter().all(|it| it.curvature == 7.0));
        close(guessed.usual_norm(), 0.1);
        assert_eq!((guessed.left_of(0.04), guessed.left_of(0.001)), (0.5, 1.0));
    }

    /// The minimiser on a ball, found once more by steps that are brought back to the ball. Red where the ball shrinks the
    /// minimiser as a whole.
    #[test]
    fn the_minimiser_on_a_ball_is_found_by_projected_steps() {
        let bounds = Bounds::new(1.0).unwrap().with_target(1.0).unwrap();
        let free = Problem::new(Squared, bounds, 5, 20.0).unwrap();
        let far = Landscape::new(&free, 50_000, None);
        assert!(far.usual_norm() > 1.5 && far.slope_outwards() == 0.0);
        for radius in [0.01, 1.0, 1.5, 2.0] {
            let it = Landscape::new(&free.clone().with_parameter_bound(radius).unwrap(), 50_000, None);
            let best: Vec<f64> = it.directions().iter().map(|it| it.square.sqrt()).collect();
            let bends: Vec<f64> = it.directions().iter().map(|it| it.curvature).collect();
            let mut theta = [0.0; 5];
            for _ in 0..20_000 {
                for k in 0..5 {
                    theta[k] -= (bends[k] * (theta[k] - best[k]) + 20.0 * theta[k]) / (20.0 + bends[0]);
                }
                let norm = theta.iter().map(|x| x * x).sum::<f64>().sqrt();
                theta = theta.map(|x| x * (radius / norm).min(1.0));
            }
            for (k, direction) in it.directions().iter().enumerate() {
                close(it.kept(direction) * best[k], theta[k]);
            }
            assert!(it.usual_norm() <= radius && (radius == 2.0) == (it.slope_outwards() == 0.0));
        }
    }

    /// Numbers bend all they can: twice as much, and there is less to gain. One direction alone tells records from
    /// each other.
    #[test]
    fn numbers_and_a_single_direction() {
        let bounds = Bounds::new(1.0).unwrap().with_target(2.0).unwrap();
        let it = Landscape::new(&Problem::new(Squared, bounds.clone(), 2, 5.0).unwrap(), 300, None);
        close(it.directions()[0].curvature, 100.0);
        close(it.directions()[1].curvature, 37.5 / 8.0_f64.sqrt());
        close(it.gain(), 0.05 * 300.0 * 2.0);
        assert_eq!(it.directions()[0].square, it.directions()[1].square);
        let one = Landscape::new(&Problem::new(Squared, bounds.clone(), 1, 5.0).unwrap(), 300, None);
        assert!(one.directions()[0].tells);
        let flat = Landscape::new(&Problem::new(Squared, bounds, 4, 5.0).unwrap(), 300, Some(0.0));
        assert_eq!((flat.usual_norm(), flat.directions()[0].square), (0.0, 0.0));
    }
}
