//! The certified minimiser: a point within τ of the exact one, for every admissible data set.
//! spec: `own:certified-minimiser`
//!
//! The paper treats the optimiser as a black box. Here its accuracy τ is part of the noise scale, fixed before
//! the records are seen, so it must hold *always*. Two accelerators (Newton, accelerated gradient) do the
//! work; a plain gradient method, which they cannot disturb, carries the proof:
//!
//! * the map `T(θ) = P(θ − η∇J(θ))` with `η ≤ 1/(Λ + nβ)` contracts distances by `q = 1 − ηΛ`, hence
//!   `‖θ − θ*‖ ≤ ‖θ − T(θ)‖/(ηΛ)`. This residual is the **stopping rule** (without a domain it is `‖∇J‖/Λ`);
//! * should the rule never fire, then after `k ≥ ln(4‖θ_0 − θ*‖/τ)/(ηΛ)` steps the contraction itself proves
//!   `‖θ_k − θ*‖ ≤ τ/4` plus the rounding errors;
//! * rounding errors of the gradient (at most δ) and of the update (at most ρ) move the limit by at most
//!   `δ/Λ + ρ/(ηΛ)`. The contract [`admissible_tolerance`] keeps that below τ/2.

mod accelerate;
mod search;
mod tilted;

pub(crate) use tilted::Tilted;

use crate::ball::Ball;
use crate::contract::{Public, contract};
use crate::error::Error;
use crate::exact::{add_up, div_down, div_up, mul_up};
use crate::input::InvalidInput;
use crate::loss::Loss;
use crate::objective::{Objective, SumOf, Sums, gradient_rounding_bound};
use crate::private::Private;
use crate::problem::Problem;
use search::{Aim, Region, Search};

contract! {
    spec "own:certified-minimiser";
    /// A tolerance τ that the minimiser can be held to: twice the largest effect of rounding fits below it.
    pub fn admissible_tolerance(tau: Public, rounding: Public) -> f64
    where
        requires tau.get().is_finite() && tau.get() > 0.0;
        requires rounding.get().is_finite() && rounding.get() >= 0.0;
        requires 2.0 * rounding.get() <= tau.get();
        ensures(value) 2.0 * rounding.get() <= value && value <= tau.get();
    {
        Some(tau.get())
    }
}

/// The largest (Λ + n_max·β)/Λ that a search is planned for. The method that carries the proof takes at most so many
/// steps times ln(8r/τ) + 1, which is below 2⁵³ for all numbers of an `f64`: a count in `f64` ends.
const LARGEST_CONDITION: f64 = (1_u64 << 43) as f64;

/// Refuses a problem whose search might not end.
fn refuse_endless<L: Loss>(problem: &Problem<L>) -> Result<(), InvalidInput> {
    let ends = problem.largest_smoothness() <= LARGEST_CONDITION * problem.regulariser();
    let allowed = "at least 2^-43 of the curvature that the largest number of rows can have, so that a search ends: raise \
                   it, or lower max rows or the feature bound";
    if ends { Ok(()) } else { Err(InvalidInput { field: "regulariser", allowed }) }
}

/// How the minimiser of a problem is found: public, and fixed before the records are seen.
///
/// It carries its problem. So no caller can ask for the noise of one problem and the accuracy of another:
///
/// ```compile_fail,E0061
/// # use asap_dp::{bounds::Bounds, localise::*, loss::Logistic, optimise::Minimiser, privacy::*, problem::Problem};
/// # let narrow = Problem::new(Logistic, Bounds::new(1.0)?, 1, 100.0)?;
/// # let wide = Problem::new(Logistic, Bounds::new(1.0)?, 1, 0.01)?;
/// let share = Guarantee::Pure(Epsilon::new(1.0)?);
/// let localisation = Localisation::new(&narrow, Minimiser::new(&wide)?, PureNoise::Laplace, share)?;
/// # Ok::<(), asap_dp::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Minimiser<L> {
    problem: Problem<L>,
    tau: f64,
    rounding: f64,
}

impl<L: Loss> Minimiser<L> {
    /// The default τ is this part of the sensitivity G/Λ: it adds 2 · 2⁻¹⁴ to it, one part in eight thousand.
    const DEFAULT_PART: f64 = 1.0 / 16384.0;

    /// How often the default τ is raised to what rounding needs, before the problem is refused.
    const RAISES: u32 = 8;

    /// The minimiser with the default tolerance, as small as is useful and as rounding allows.
    pub fn new(problem: &Problem<L>) -> Result<Self, Error> {
        let mut tau = problem.minimiser_lipschitz() / problem.regulariser() * Self::DEFAULT_PART;
        // The rounding depends on τ a little: on the size of the iterates.
        for _ in 0..Self::RAISES {
            let rounding = Self::largest_rounding(problem, tau).unwrap_or(f64::INFINITY);
            tau = tau.max(2.000_001 * rounding);
        }
        Self::with_tolerance(problem, tau)
    }

    /// The minimiser with tolerance τ.
    pub fn with_tolerance(problem: &Problem<L>, tau: f64) -> Result<Self, Error> {
        refuse_endless(problem)?;
        InvalidInput::positive("tolerance", tau)?;
        let rounding = Self::largest_rounding(problem, tau).unwrap_or(f64::MAX);
        let tau = admissible_tolerance(Public::new(tau), Public::new(rounding))?;
        Ok(Self { problem: problem.clone(), tau, rounding })
    }

    /// The minimiser with tolerance τ, or with the default one.
    pub fn within(problem: &Problem<L>, tau: Option<f64>) -> Result<Self, Error> {
        tau.map_or_else(|| Self::new(problem), |tau| Self::with_tolerance(problem, tau))
    }

    /// The problem.
    pub fn problem(&self) -> &Problem<L> {
        &self.problem
    }

    /// τ: how far the point that is found is from the minimiser at most.
    pub fn tolerance(&self) -> f64 {
        self.tau
    }

    /// How far rounding can move the limit, for the largest admissible data set.
    pub fn rounding(&self) -> f64 {
        self.rounding
    }

    /// `δ/Λ + ρ/(ηΛ)` for the largest admissible data set.
    fn largest_rounding(problem: &Problem<L>, tau: f64) -> Option<f64> {
        let (bounds, d) = (problem.bounds(), problem.dimension());
        let reach = add_up(mul_up(3.0, problem.largest_minimiser())?, tau)?;
        let gradient = gradient_rounding_bound(&SumOf::new(problem, bounds.max_rows()), reach);
        // θ − ηg: two roundings of vectors no longer than twice the reach. The projection scales by a quotient
        // of norms that is off by at most (d + 8) roundings and may be shrunk by as much again.
        let roundings = if problem.parameter_bound().is_some() { 8.0 * (d as f64 + 16.0) } else { 8.0 };
        let update = mul_up(reach, roundings * f64::EPSILON)?;
        let condition = div_up(problem.largest_smoothness(), problem.regulariser())?;
        // The quotient ηΛ is itself rounded; two parts in 10⁶ cover it.
        mul_up(1.000_002, add_up(div_up(gradient, problem.regulariser())?, mul_up(update, condition)?)?)
    }

    /// A point within τ of the minimiser of J on the domain.
    ///
    /// The objective must belong to this problem. Otherwise the only errors are a file that cannot be read again and
    /// a broken internal check, with constant texts; the latter is not expected for any input.
    pub fn run<S: Sums<Loss = L>>(&self, objective: &Objective<'_, S>) -> Result<Private<Vec<f64>>, Error> {
        self.find(objective).map(|found| Private::new(found.theta))
    }

    /// [`Minimiser::run`], with what the search knows at its end.
    pub(crate) fn find<S: Sums<Loss = L>>(&self, objective: &Objective<'_, S>) -> Result<Found, Error> {
        if *objective.problem() != self.problem {
            let allowed = "one that was bound by the problem of the minimiser";
            return Err(InvalidInput { field: "objective", allowed }.into());
        }
        let zero = vec![0.0; objective.dimension()];
        let region = match self.problem.parameter_bound() {
            None => Region::Everywhere,
            Some(radius) => Region::Ball(Ball::new(zero.clone(), radius)?),
        };
        let is_flat = matches!(region, Region::Everywhere);
        let mut search = self.search(objective, region)?;
        let accelerator = if is_flat && objective.dimension() <= search::LARGEST_NEWTON {
            accelerate::newton
        } else {
            accelerate::accelerated_gradient
        };
        Ok(Found { theta: search.solve(zero, &[accelerator])?, is_flat })
    }

    fn search<'a, 'o, S: Sums<Loss = L>>(
        &self,
        objective: &'a Objective<'o, S>,
        region: Region,
    ) -> Result<Search<'a, 'o, S>, Error> {
        let step = div_down(1.0, self.problem.smoothness(objective.rows())).ok_or(Error::Aborted)?;
        let farthest = self.problem.largest_minimiser();
        let aim = Aim { tau: self.tau, farthest, reach: 3.0 * farthest, region, step };
        Ok(Search::new(objective, aim, Vec::new()))
    }

    /// A point with a small gradient of J, outside of the domain if need be, by Newton's method from a given point. It
    /// is certified for nothing.
    pub(crate) fn polish<S: Sums<Loss = L>>(
        &self,
        objective: &Objective<'_, S>,
        start: Vec<f64>,
    ) -> Result<Found, Error> {
        let theta = accelerate::polish(&mut self.search(objective, Region::Everywhere)?, start)?;
        Ok(Found { theta, is_flat: true })
    }
}

/// Where a search ended. Private.
pub(crate) struct Found {
    pub(crate) theta: Vec<f64>,
    /// Whether the gradient is small there, and not only its part along the boundary of the domain.
    pub(crate) is_flat: bool,
}

#[cfg(any(kani, test))]
#[path = "../proofs/optimise.rs"]
mod proofs;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ball;
    use crate::data::{Bounds, OutOfBounds, Records};
    use crate::loss::Squared;

    /// The accelerators never leave anything to do in practice, so the method that carries the proof is run alone
    /// here, once until the rule fires and once on the number of steps only, and compared with a closed form.
    #[test]
    fn the_gradient_method_alone_reaches_the_tolerance() {
        let bounds = Bounds::new(1.0).unwrap().with_target(1.0).unwrap().with_max_rows(100).unwrap();
        let features: Vec<f64> =
            (0..40).map(|i| if i % 2 == 0 { 0.9 } else { 0.1 * f64::from(i % 3) }).collect();
        let targets = vec![1.0; 20];
        for radius in [None, Some(0.3)] {
            let records =
                Records::new(Squared, bounds.clone(), OutOfBounds::Refuse, features.clone(), targets.clone());
            let records = records.unwrap();
            let mut problem = Problem::new(Squared, bounds.clone(), 2, 0.5).unwrap();
            if let Some(radius) = radius {
                problem = problem.with_parameter_bound(radius).unwrap();
            }
            let objective = problem.bind(&records).unwrap();
            let minimiser = Minimiser::with_tolerance(&problem, 1e-6).unwrap();
            let exact = minimiser.run(&objective).unwrap().reveal_breaking_privacy();
            for rule in [true, false] {
                let region = radius.map_or(Region::Everywhere, |radius| {
                    Region::Ball(Ball::new(vec![0.0; 2], radius).unwrap())
                });
                let mut search = minimiser.search(&objective, region).unwrap();
                let theta = search.gradient(vec![0.0; 2], rule).unwrap().into_point();
                let distance = ball::distance(&theta, &exact);
                assert!(distance <= 2e-6, "{radius:?} {rule} {distance:e}");
                assert!(ball::norm(&theta) > 0.1, "it moved");
            }
        }
    }

    /// An accelerator that hands on garbage: what is found is as near as declared all the same. The second column is 0,
    /// so that no record helps: from 10¹² the counted steps do not lead within τ. Red where the start of the last
    /// method was the accelerator's word, as it was: far away for the first, "internal check failed" for the others.
    #[test]
    fn garbage_of_an_accelerator_is_no_start() {
        let bounds = Bounds::new(1.0).unwrap().with_target(1.0).unwrap().with_max_rows(100).unwrap();
        let features = (0..40).map(|i| if i % 2 == 0 { 0.9 } else { 0.0 }).collect();
        let records = Records::new(Squared, bounds.clone(), OutOfBounds::Refuse, features, vec![1.0; 20]);
        let (records, problem) = (records.unwrap(), Problem::new(Squared, bounds, 2, 0.5).unwrap());
        let objective = problem.bind(&records).unwrap();
        let minimiser = Minimiser::with_tolerance(&problem, 1e-6).unwrap();
        let exact = minimiser.run(&objective).unwrap().reveal_breaking_privacy();
        let garbage: [search::Accelerator<'_, '_, Records<Squared>>; 3] = [
            |_, _| Ok(search::Outcome::Open(vec![1e12; 2])),
            |_, _| Ok(search::Outcome::Open(vec![f64::NAN; 2])),
            |_, _| Ok(search::Outcome::Open(vec![0.1])),
        ];
        for (which, accelerator) in garbage.into_iter().enumerate() {
            let mut search = minimiser.search(&objective, Region::Everywhere).unwrap();
            let found = search.solve(vec![0.0; 2], &[accelerator]).unwrap();
            assert!(ball::distance(&found, &exact) <= 2e-6, "{which}: {found:?}");
        }
    }

    /// The blocks of a rough evaluation have their minimiser at 0, all rows together have not: the rule looks at all of
    /// them, also right after the rough one. For: a rough evaluation that leaves its gradient where the rule looks.
    #[test]
    fn a_rough_evaluation_certifies_nothing() {
        use crate::loss::Logistic;
        let bounds = Bounds::new(1.0).unwrap().with_max_rows(1000).unwrap();
        let targets = (0..256).map(|k| if k < 64 && k % 2 == 0 { -1.0 } else { 1.0 }).collect();
        let records =
            Records::new(Logistic, bounds.clone(), OutOfBounds::Refuse, vec![0.9; 256], targets).unwrap();
        let problem = Problem::new(Logistic, bounds, 1, 2.0).unwrap();
        let objective = problem.bind(&records).unwrap();
        let minimiser = Minimiser::with_tolerance(&problem, 1e-6).unwrap();
        let mut search = minimiser.search(&objective, Region::Everywhere).unwrap();
        search.evaluate(&[0.0]).unwrap();
        let (_, gradient) = search.rough_evaluation(&[0.0], 4).unwrap();
        assert!(gradient[0].abs() < 1e-12 && search.slope()[0] < -80.0);
        assert!(matches!(search.certify(vec![0.0]), search::Outcome::Open(_)));
    }
}
