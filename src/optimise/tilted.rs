//! The minimiser of J + ⟨b, θ⟩ on a ball, within τ of the exact one for every admissible data set and **every** b.
//! spec: `own:objective-perturbation`

use super::accelerate::{accelerated_gradient, newton};
use super::search::{Accelerator, Aim, LARGEST_NEWTON, Region, Search};
use super::{admissible_tolerance, refuse_endless};
use crate::contract::Public;
use crate::error::Error;
use crate::exact::{add_up, div_down, div_up, mul_up};
use crate::input::InvalidInput;
use crate::loss::Loss;
use crate::objective::{Objective, SumOf, Sums, gradient_rounding_bound};
use crate::problem::Problem;

/// How the minimiser of a tilted problem is found: public, and fixed before the records are seen.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Tilted<L> {
    problem: Problem<L>,
    /// R: the search is in the ball of this radius around 0.
    radius: f64,
    tau: f64,
    rounding: f64,
}

impl<L: Loss> Tilted<L> {
    /// A certificate is given to points up to this much longer than the radius: rounding and
    /// momentum step out a little.
    const BEYOND: f64 = 1.000_1;

    /// The minimiser on the ball of this radius, for tilts that are known up to half a unit in the last place of each
    /// coordinate and `floor` besides; within τ.
    pub(crate) fn new(problem: &Problem<L>, radius: f64, floor: f64, tau: f64) -> Result<Self, Error> {
        refuse_endless(problem)?;
        InvalidInput::positive("tolerance", tau)?;
        let rounding = Self::largest_rounding(problem, radius, floor).unwrap_or(f64::MAX);
        let tau = admissible_tolerance(Public::new(tau), Public::new(rounding))?;
        Ok(Self { problem: problem.clone(), radius, tau, rounding })
    }

    /// The minimiser within τ, or within what rounding allows if that is more.
    pub(crate) fn about(problem: &Problem<L>, radius: f64, floor: f64, tau: f64) -> Result<Self, Error> {
        let rounding = Self::largest_rounding(problem, radius, floor).unwrap_or(f64::MAX);
        Self::new(problem, radius, floor, tau.max(2.000_001 * rounding))
    }

    /// R: the radius of the ball.
    pub(crate) fn radius(&self) -> f64 {
        self.radius
    }

    /// The problem.
    pub(crate) fn problem(&self) -> &Problem<L> {
        &self.problem
    }

    /// τ: how far the point that is found is from the minimiser at most.
    pub(crate) fn tolerance(&self) -> f64 {
        self.tau
    }

    /// How far rounding can move the limit, for the largest admissible data set and every tilt.
    pub(crate) fn rounding(&self) -> f64 {
        self.rounding
    }

    /// `(δ + e)/Λ + ρ/(ηΛ)` for the largest admissible data set, e the floor and `ρ = u·((12 + log₂ d)·R + 2A)`, where
    /// A is not below any `η‖∇J‖` on the ball.
    fn largest_rounding(problem: &Problem<L>, radius: f64, floor: f64) -> Option<f64> {
        let (bounds, regulariser) = (problem.bounds(), problem.regulariser());
        let reach = mul_up(radius, Self::BEYOND)?;
        let gradient = gradient_rounding_bound(&SumOf::new(problem, bounds.max_rows()), reach);
        // ‖∇J‖ ≤ nG + Λ·reach and 1/η ≥ nβ + Λ: the quotient is at most the larger of G/β and the reach.
        let loss = problem.loss();
        let pull = div_up(loss.lipschitz(bounds, 0.0, reach)?, loss.smoothness(bounds)?)?.max(reach);
        let depth = f64::from(problem.dimension().max(1).ilog2()) + 1.0;
        let units = add_up(mul_up(12.0 + depth, reach)?, mul_up(2.0, pull)?)?;
        let condition = div_up(problem.largest_smoothness(), regulariser)?;
        let update = mul_up(mul_up(units, 0.5 * f64::EPSILON)?, condition)?;
        let direct = div_up(add_up(gradient, floor)?, regulariser)?;
        // Products of two rounding errors, and the rounding of ηΛ.
        mul_up(1.000_002, add_up(direct, update)?)
    }

    /// A point within τ of the minimiser of J + ⟨b, θ⟩ on the ball, b the vector that the tilt stands for.
    pub(crate) fn find<S: Sums<Loss = L>>(
        &self,
        objective: &Objective<'_, S>,
        tilt: Vec<f64>,
    ) -> Result<Vec<f64>, Error> {
        let fast: [Accelerator<'_, '_, S>; 2] = [newton, accelerated_gradient];
        let skipped = usize::from(objective.dimension() > LARGEST_NEWTON);
        self.find_by(objective, tilt, &fast[skipped..])
    }

    /// [`Tilted::find`] with other accelerators: none of them can make a point that the rule does not accept.
    fn find_by<'a, 'o, S: Sums<Loss = L>>(
        &self,
        objective: &'a Objective<'o, S>,
        tilt: Vec<f64>,
        accelerators: &[Accelerator<'a, 'o, S>],
    ) -> Result<Vec<f64>, Error> {
        if *objective.problem() != self.problem || tilt.len() != objective.dimension() {
            let allowed = "one that was bound by the problem of the minimiser";
            return Err(InvalidInput { field: "objective", allowed }.into());
        }
        let step = div_down(1.0, self.problem.smoothness(objective.rows())).ok_or(Error::Aborted)?;
        let aim = Aim {
            tau: self.tau,
            farthest: self.radius * Self::BEYOND,
            reach: self.radius * Self::BEYOND,
            region: Region::Within(self.radius),
            step,
        };
        let start = vec![0.0; tilt.len()];
        Search::new(objective, aim, tilt).solve(start, accelerators)
    }
}

#[cfg(test)]
mod tests {
    use super::super::accelerate::polish;
    use super::super::search::Outcome;
    use super::*;
    use crate::ball::{distance, norm};
    use crate::bounds::Bounds;
    use crate::data::{OutOfBounds, Records};
    use crate::loss::{Huber, Logistic, Squared};

    const FLOOR: f64 = 1e-12;

    fn records<L: Loss>(loss: L, d: usize) -> Records<L> {
        let bounds = Bounds::new(1.0).unwrap().with_target(1.0).unwrap().with_max_rows(1000).unwrap();
        let number = |k: usize| ((k * 7919 + 13) % 1009) as f64 / 1009.0 - 0.3;
        let features = (0..60 * d).map(|k| number(k) / (d as f64).sqrt()).collect();
        let targets = (0..60).map(|k| number(5 * k).signum()).collect();
        Records::new(loss, bounds, OutOfBounds::Clip, features, targets).unwrap()
    }

    fn problem<L: Loss>(records: &Records<L>, regulariser: f64) -> Problem<L> {
        Problem::new(*records.loss(), records.bounds().clone(), records.dimension(), regulariser).unwrap()
    }

    /// The exact minimiser by its own characterisation: inside the gradient vanishes; outside of the ball the map
    /// θ ↦ −R(b + ∇J(θ))/‖b + ∇J(θ)‖ has it as its fixed point, and it is found with damping.
    fn exact<L: Loss>(records: &Records<L>, problem: &Problem<L>, radius: f64, tilt: &[f64]) -> Vec<f64> {
        let objective = problem.bind(records).unwrap();
        let mut workspace = objective.workspace();
        let mut theta = vec![0.0; tilt.len()];
        let step = 1.0 / problem.smoothness(60);
        for _ in 0..200_000 {
            let _ = objective.evaluate(&theta, &mut workspace).unwrap();
            let slope = workspace.private_gradient().reveal_breaking_privacy();
            let moved: Vec<f64> =
                (0..tilt.len()).map(|j| theta[j] - step * slope[j] - step * tilt[j]).collect();
            let length = moved.iter().map(|x| x * x).sum::<f64>().sqrt().max(radius);
            let next: Vec<f64> = moved.iter().map(|x| x * radius / length).collect();
            if next == theta {
                break;
            }
            theta = next;
        }
        theta
    }

    /// Every size of tilt, from none to what no generator makes: within τ of the exact minimiser, which is inside, on
    /// the sphere, or next to the point where the tilt alone would put it.
    #[test]
    fn no_tilt_is_too_large() {
        fn run<L: Loss>(loss: L) {
            let records = records(loss, 3);
            let problem = problem(&records, 2.0);
            let objective = problem.bind(&records).unwrap();
            let minimiser = Tilted::about(&problem, 1.5, FLOOR, 1e-7).unwrap();
            for power in [0, 1, 2, 4, 8, 20, 40, 80] {
                let size = 10.0_f64.powi(power);
                let tilt: Vec<f64> = [0.6, -0.8, 0.1].iter().map(|x| x * size).collect();
                let found = minimiser.find(&objective, tilt.clone()).unwrap();
                let exact = exact(&records, &problem, 1.5, &tilt);
                assert!(
                    distance(&found, &exact) <= 1.01 * minimiser.tolerance(),
                    "{power}: {found:?} {exact:?}"
                );
                if power >= 20 {
                    let along: f64 = found.iter().zip(&tilt).map(|(x, b)| x * b).sum();
                    assert!((along / (-1.5 * norm(&tilt)) - 1.0).abs() < 1e-9);
                }
            }
        }
        run(Logistic);
        run(Squared);
        run(Huber::new(0.3).unwrap());
    }

    /// The accelerators never leave anything to do in practice: here there are none, and the method that carries the
    /// proof is alone with inner, boundary and absurd minimisers.
    #[test]
    fn the_gradient_method_alone_is_enough() {
        let records = records(Logistic, 2);
        let problem = problem(&records, 3.0);
        let objective = problem.bind(&records).unwrap();
        let minimiser = Tilted::about(&problem, 2.0, FLOOR, 1e-7).unwrap();
        for size in [0.1, 30.0, 1e30] {
            let tilt = vec![0.6 * size, -0.8 * size];
            let found = minimiser.find_by(&objective, tilt.clone(), &[]).unwrap();
            let gap = distance(&found, &exact(&records, &problem, 2.0, &tilt));
            assert!(gap <= 1.01 * minimiser.tolerance(), "{size}: {gap}");
        }
    }

    /// A solver that ends a thousand times farther from the minimiser than declared: what it hands on cannot be
    /// certified, whatever it says of it, and what is found in the end is as near as declared.
    #[test]
    fn a_sloppy_solver_releases_nothing() {
        let records = records(Logistic, 2);
        let problem = problem(&records, 3.0);
        let objective = problem.bind(&records).unwrap();
        let minimiser = Tilted::about(&problem, 2.0, FLOOR, 1e-7).unwrap();
        let tilt = vec![4.0, -1.0];
        let exact = exact(&records, &problem, 2.0, &tilt);
        let sloppy: Accelerator<'_, '_, Records<Logistic>> = |search, start| {
            let near = polish(search, start)?;
            // The curvature is between 3 and 18, so that the residual is 10³ to 6·10³ times the declared one.
            let off = near.iter().map(|x| x + 1e3 * 1e-7).collect();
            let outcome = search.evaluate_and_certify(off)?;
            assert!(matches!(outcome, Outcome::Open(_)), "the rule does not accept it");
            Ok(outcome)
        };
        let found = minimiser.find_by(&objective, tilt, &[sloppy]).unwrap();
        assert!(distance(&found, &exact) <= 1.01 * minimiser.tolerance(), "{found:?} {exact:?}");
    }

    /// The rounding bound is a few units for what a fit does with its numbers: it is compared with what happens.
    #[test]
    fn rounding_grows_with_the_ball_and_refuses_what_it_cannot_keep() {
        let records = records(Logistic, 2);
        let problem = problem(&records, 3.0);
        let [small, large] = [1.0, 1e6].map(|radius| Tilted::about(&problem, radius, FLOOR, 1e-20).unwrap());
        assert!(small.tolerance() < 1e-10 && large.tolerance() > 1e5 * small.rounding());
        assert!(Tilted::new(&problem, 1e6, FLOOR, 1e-10).is_err());
        assert!(Tilted::new(&problem, 1.0, 1.0, 1e-3).is_err(), "the floor of the tilt counts");
        let other = self::records(Logistic, 3);
        let objective = self::problem(&other, 3.0);
        let objective = objective.bind(&other).unwrap();
        assert!(small.find(&objective, vec![0.0; 3]).is_err());
    }
}
