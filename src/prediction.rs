//! What a mechanism will be worth on records that have not been looked at. spec: `own:auto`
//!
//! Everything here is computed from public numbers and guesses. No guarantee rests on it: a wrong guess costs utility.

use crate::bounds::Bounds;
use crate::input::InvalidInput;
use crate::landscape::{Direction, Landscape};
use crate::loss::Loss;
use crate::problem::Problem;

/// A public guess of what the records are like. spec: `own:auto`
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Guess {
    rows: u64,
    curvature: Option<f64>,
}

impl Guess {
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

    /// A guess of the number of records; they are taken to be like a usual table ([`Landscape`]).
    pub fn new(rows: u64) -> Result<Self, InvalidInput> {
        if rows == 0 {
            return Err(InvalidInput { field: "rows", allowed: "a whole number from 1 to max rows" });
        }
        Ok(Self { rows, curvature: None })
    }

    /// Guesses the curvature as well: λ ≥ 0, the eigenvalue that the Hessian of the records' losses together,
    /// without Λ, is taken to have in every direction.
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

    /// λ, if it was guessed.
    pub fn curvature(&self) -> Option<f64> {
        self.curvature
    }

    /// What the records are taken to be like.
    pub fn landscape<L: Loss>(&self, problem: &Problem<L>) -> Landscape {
        Landscape::new(problem, self.rows, self.curvature)
    }

    /// The largest trace that ∇²J can have: `dΛ + Nβ`.
    pub fn largest_trace<L: Loss>(&self, problem: &Problem<L>) -> f64 {
        problem.smoothness(self.rows) + (problem.dimension() as f64 - 1.0) * problem.regulariser()
    }
}

/// What a mechanism does in one direction, by second order.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Effect {
    /// The part of the minimiser that is reached.
    pub(crate) reached: f64,
    /// The variance of the release around it.
    pub(crate) variance: f64,
}

/// What a release is predicted to be worth, and what a fit takes. spec: `own:auto`
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Prediction {
    /// The excess of J over its minimum, J summed over the records, for a usual table.
    pub likely: f64,
    /// The same for the curvature that suits the mechanism least.
    pub worst: f64,
    /// What the release loses to the best model there is, by the losses alone: noise and regulariser together.
    pub lost: f64,
    /// The cosine between the predictions of the release and those of the best model, without what all records have
    /// in common.
    pub agreement: f64,
    /// What part of that which can be learnt the release has: 1 for the best model. For classes it is about the
    /// accuracy that is gained over the majority class, as a part of what the best model gains; for numbers the
    /// explained variance as a part of what can be explained, below 0 if the mean alone is the better model.
    pub worth: f64,
    /// Passes over the records, about.
    pub passes: f64,
}

impl Prediction {
    /// A pass over the records counts as much as this part of what can be learnt: a hundred passes must gain
    /// 0.01 of it, which is two thousandths of accuracy on a usual table.
    pub const PASS_PRICE: f64 = 1e-4;

    /// For classes predictions that shrink cost accuracy, but little: this power of what is left of them.
    const SHRINKING: f64 = 0.25;

    /// Of what a mechanism does in each direction.
    pub(crate) fn new(
        landscape: &Landscape,
        effect: impl Fn(&Direction) -> Effect,
        worst: f64,
        passes: f64,
    ) -> Self {
        let (mut likely, mut lost) = (0.0, 0.0);
        let [mut best, mut shared, mut own, mut noise] = [0.0; 4];
        let effects: Vec<Effect> = landscape.directions().iter().map(effect).collect();
        let all = || landscape.directions().iter().zip(&effects);
        // A release is not longer than the ball that is searched.
        let square = |(it, effect): (&Direction, &Effect)| {
            it.count * (effect.variance + it.square * (effect.reached * landscape.kept(it)).powi(2))
        };
        let left = landscape.left_of(all().map(square).sum());
        for (it, effect) in all() {
            let (reached, variance) = (left * effect.reached, left * left * effect.variance);
            let kept = landscape.kept(it);
            let part = reached * kept;
            let missed = kept * (1.0 - reached);
            likely += 0.5 * it.count * landscape.bend(it) * (variance + missed * missed * it.square);
            likely += landscape.slope_outwards() * it.count * kept * missed * it.square;
            let short = 1.0 - part;
            lost += 0.5 * it.count * it.curvature * (variance + short * short * it.square);
            if it.tells {
                let seen = it.count * it.curvature * it.square;
                best += seen;
                shared += seen * part;
                own += seen * part * part;
                noise += it.count * it.curvature * variance;
            }
        }
        let ratio = |part: f64, whole: f64| if part > 0.0 { part / whole } else { 0.0 };
        let agreement = ratio(shared, (best * (own + noise)).sqrt());
        let worth = if landscape.classes() {
            agreement * ratio(own, best).sqrt().powf(Self::SHRINKING)
        } else {
            1.0 - lost / landscape.gain()
        };
        Self { likely, worst, lost, agreement, worth, passes }
    }

    /// What mechanisms are ordered by: the part of what can be learnt that is missed, and the price of the passes.
    pub fn price(&self) -> f64 {
        self.missed() + Self::PASS_PRICE * self.passes
    }

    /// The part of what can be learnt that is missed; more than 1 where the trivial model is better.
    pub fn missed(&self) -> f64 {
        (1.0 - self.worth).max(0.0)
    }

    /// Passes of a search for a minimiser in d dimensions, about: gradients, and Hessians of some of the rows.
    pub(crate) fn search(dimension: usize) -> f64 {
        10.0 + dimension as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::learner::Learner;
    use crate::loss::{Logistic, Squared};
    use crate::mechanism::Mechanism;

    fn close(computed: f64, exact: f64) {
        assert!((computed / exact - 1.0).abs() < 1e-6, "{computed} instead of {exact}");
    }

    #[test]
    fn guesses_are_checked() {
        let problem = Problem::new(Logistic, Bounds::new(1.0).unwrap(), 10, 5.0).unwrap();
        let guess = Guess::new(4000).unwrap();
        close(guess.largest_trace(&problem), 1050.0);
        for bad in [-1.0, f64::NAN, f64::INFINITY] {
            assert_eq!(guess.with_curvature(bad).unwrap_err().field, "curvature");
        }
        assert_eq!(Guess::new(0).unwrap_err().field, "rows");
    }

    /// Two directions of curvature 30 beside Λ = 10, by hand. The gain is 0.2·1000·ln 2, all of it in the second.
    #[test]
    fn a_hand_computed_prediction() {
        let problem = Problem::new(Logistic, Bounds::new(1.0).unwrap(), 2, 10.0).unwrap();
        let guess = Guess::new(1000).unwrap().with_curvature(30.0).unwrap();
        let landscape = guess.landscape(&problem);
        let gain = 200.0 * core::f64::consts::LN_2;
        let square = 2.0 * gain / 30.0;
        let predicted = |reached: f64, variance: f64| {
            Prediction::new(&landscape, |_| Effect { reached, variance }, 1.0, 20.0)
        };
        // Without noise the regulariser keeps three quarters of the model, and its direction.
        let calm = predicted(1.0, 0.0);
        close(calm.lost, 0.5 * 30.0 * 1.1 * square / 16.0);
        assert_eq!(calm.likely, 0.0);
        close(calm.agreement, 1.0);
        close(calm.worth, 0.75_f64.powf(0.25));
        close(calm.price(), 1.0 - 0.75_f64.powf(0.25) + 20.0 * 1e-4);
        // Noise of the size of what is kept: the cosine is 1/√2.
        let noisy = predicted(1.0, square * 9.0 / 16.0);
        close(noisy.agreement, 0.5_f64.sqrt());
        close(noisy.likely, 40.0 * square * 9.0 / 16.0);
        close(noisy.lost, calm.lost + 30.0 * square * 9.0 / 16.0);
        // Half of the way: half of what is kept is missing.
        let early = predicted(0.5, 0.0);
        close(early.likely, 0.5 * 40.0 * 1.1 * square * (0.375_f64).powi(2));
        close(early.worth, 0.375_f64.powf(0.25));
        // Nothing is learnt, and nothing is worth nothing.
        assert_eq!(predicted(0.0, 0.0).worth, 0.0);
        assert_eq!(predicted(0.0, 1.0).missed(), 1.0);
    }

    /// For numbers the worth is explained variance: 0 for the trivial model, less where there is more noise than
    /// gain. A ball ends the noise.
    #[test]
    fn numbers_may_be_worse_than_their_mean() {
        let bounds = Bounds::new(1.0).unwrap().with_target(1.0).unwrap();
        let problem = Problem::new(Squared, bounds, 2, 10.0).unwrap();
        let guess = Guess::new(1000).unwrap().with_curvature(30.0).unwrap();
        let of = |problem: &Problem<Squared>, reached: f64, variance: f64| {
            Prediction::new(&guess.landscape(problem), |_| Effect { reached, variance }, 1.0, 1.0)
        };
        let gain = 0.05 * 500.0;
        close(of(&problem, 0.0, 0.0).lost, 2.0 * gain);
        let loud = of(&problem, 1.0, 2.0);
        close(loud.worth, 1.0 - (2.0 * gain / 16.0 + 60.0) / gain);
        let near = problem.clone().with_parameter_bound(0.1).unwrap();
        let quiet = of(&near, 1.0, 2.0);
        // Of the noise, of norm 2, and of the minimiser, at the edge of the ball, one twentieth is left.
        let (left, square) = (0.1 / 4.01_f64.sqrt(), 2.0 * gain / 30.0);
        let part = left * 0.1 / (2.0 * square).sqrt();
        close(quiet.lost, 30.0 * (2.0 * left * left + (1.0 - part).powi(2) * square));
        assert!(loud.worth < -1.5 && quiet.worth > -1.0, "{loud:?} {quiet:?}");
    }

    /// On a ball that the best model is outside of, a descent that ends halfway: the excess and the loss of its mean by the sums
    /// that they are the second order of, which are quadratic here.
    #[test]
    fn a_minimiser_at_the_edge_of_its_ball() {
        let bounds = Bounds::new(1.0).unwrap().with_target(1.0).unwrap();
        let problem = Problem::new(Squared, bounds, 3, 20.0).unwrap().with_parameter_bound(0.5).unwrap();
        let landscape = Guess::new(50_000).unwrap().landscape(&problem);
        let of = |reached: f64| Prediction::new(&landscape, |_| Effect { reached, variance: 0.0 }, 1.0, 1.0);
        let losses = |part: f64| {
            landscape.sum(|it| 0.5 * it.curvature * (1.0 - part * landscape.kept(it)).powi(2) * it.square)
        };
        let sum = |part: f64| {
            losses(part) + 10.0 * landscape.sum(|it| (part * landscape.kept(it)).powi(2) * it.square)
        };
        for part in [0.0, 0.5, 0.9] {
            close(of(part).likely, sum(part) - sum(1.0));
            close(of(part).lost, losses(part));
        }
        assert!(of(1.0).likely.abs() < 1e-6 && of(0.9).worth < of(1.0).worth);
    }

    /// Curvature 20 in each of four directions and 1000 rows, Λ = 5: J bends by 25, and its trace is 270 at most.
    /// Euclidean Laplace noise of scale s has the variance 5s² in each coordinate, normal noise s².
    #[test]
    fn mechanisms_predicted_by_hand() {
        let guess = Guess::new(1000).unwrap().with_curvature(20.0).unwrap();
        let learner = Learner::new(5.0).expected_rows(1000);
        for (learner, factor) in [(learner.epsilon(1.0).unwrap(), 5.0), (learner.mu(1.0).unwrap(), 1.0)] {
            let problem = learner.problem(Logistic, Bounds::new(1.0).unwrap(), 4).unwrap();
            let output = learner.output(&problem).unwrap();
            let variance = factor * output.perturbation().noise().scale().powi(2);
            let predicted = output.predict(&guess).unwrap();
            close(predicted.likely, 50.0 * variance);
            close(predicted.worst, 135.0 * variance);
            assert_eq!(predicted.passes, 14.0);

            let objective = learner.objective(&problem).unwrap();
            let tilt = factor * objective.tilt().whole().unwrap().scale().powi(2);
            let noise = factor * objective.asap().noise().scale().powi(2);
            let predicted = objective.predict(&guess).unwrap();
            close(predicted.likely, 2.0 * tilt / 25.0 + 50.0 * noise);
            close(predicted.worst, 2.0 * tilt / 5.0 + 135.0 * noise);
            assert_eq!(predicted.passes, 14.0);

            let descent = learner.noisy_gradient(&problem).unwrap();
            let (schedule, unit) = (descent.schedule(), factor * descent.sensitivity().powi(2));
            let outlook = descent.outlook(1000);
            close(outlook.unit, unit);
            close(outlook.lost, 1000.0 * core::f64::consts::LN_2);
            close(outlook.most, 255.0);
            assert_eq!((outlook.dimension, outlook.least), (4, 5.0));
            assert_eq!(outlook.pure, factor > 1.0);
            let steps = f64::from(schedule.steps);
            let noise = unit * if outlook.pure { steps * steps } else { steps };
            let response = schedule.response(25.0);
            // The gain 200·ln 2 is in three directions, a tenth of one's in the first; 20/25 of the best model is kept.
            let best = 3.1 * 2.0 * 200.0 * core::f64::consts::LN_2 / 60.0;
            let missed = 0.64 * response.bias * response.bias * best;
            let predicted = descent.predict(&guess).unwrap();
            close(predicted.likely, 12.5 * (4.0 * noise * response.variance + missed));
            assert_eq!(predicted.passes, steps);
        }
    }
}
