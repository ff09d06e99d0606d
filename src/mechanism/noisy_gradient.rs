//! Noisy gradient descent: every gradient is released through noise, and the parameters are a function of those.

use super::{Cost, Mechanism, Released, record};
use crate::ball::Ball;
use crate::bounds::Bounds;
use crate::calibrate::{
    DescentOutlook, MOST_STEPS, Response, Schedule, gradient_sensitivity, laplace_scale, normal_scale,
    rounded_l2, step_epsilon, step_mu,
};
use crate::error::Error;
use crate::exact::div_down;
use crate::input::InvalidInput;
use crate::landscape::{Direction, Landscape};
use crate::ledger::Ledger;
use crate::loss::Loss;
use crate::noise::{Lattice, LatticeNoise, RandomBits};
use crate::objective::{Objective, SumOf, Sums, gradient_rounding_bound};
use crate::prediction::{Effect, Guess, Prediction};
use crate::privacy::{Epsilon, Guarantee, Mu};
use crate::private::Private;
use crate::problem::Problem;

/// T steps along noisy gradients inside a public ball, and the mean of the later ones.
/// spec: `own:noisy-gradient`, `thm:ngd_lipschitz`, `thm:ngd_smooth`
///
/// ```
/// use asap_dp::{bounds::Bounds, data::*, loss::Logistic, noise::SecureRng, privacy::*, problem::Problem};
/// use asap_dp::mechanism::{Mechanism, NoisyGradient, NoisyGradientSettings};
/// let problem = Problem::new(Logistic, Bounds::new(1.0)?, 1, 5.0)?;
/// let total = Guarantee::Gaussian(Mu::new(1.0)?);
/// let settings = NoisyGradientSettings { expected_rows: Some(100), ..NoisyGradientSettings::default() };
/// let plan = NoisyGradient::plan(&problem, total, settings)?;
/// let records = Records::new(Logistic, Bounds::new(1.0)?, OutOfBounds::Clip, vec![0.5, 0.7], vec![1.0, 0.0])?;
/// let (release, _) = plan.release(&records, &mut SecureRng::new()?)?;
/// release.check()?;
/// # Ok::<(), asap_dp::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct NoisyGradient<L> {
    problem: Problem<L>,
    expected_rows: u64,
    ledger: Ledger,
    schedule: Schedule,
    /// What one step may spend.
    share: Guarantee,
    rounding: f64,
    sensitivity: f64,
    noise: LatticeNoise,
}

/// The public choices of noisy gradient descent. spec: `own:noisy-gradient`
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct NoisyGradientSettings {
    /// A public guess of the number of records; a wrong guess costs utility or time, never privacy. `None` for 10000,
    /// or the largest admissible number if that is less.
    pub expected_rows: Option<u64>,
    /// T; `None` for what is predicted to be best.
    pub steps: Option<u32>,
    /// A public guess of the curvature of J in a typical direction, between Λ and Λ + Nβ; `None` for none.
    pub curvature: Option<f64>,
}

/// A descent, as released: all of it is public. spec: `own:noisy-gradient`
#[derive(Clone, Debug, PartialEq)]
pub struct Descent {
    /// ĝ_1, …, ĝ_T: the noisy gradients of J.
    pub gradients: Vec<Vec<f64>>,
    /// θ_0 = 0, θ_1, …, θ_T. The gradient ĝ_t is that at θ_(t−1).
    pub iterates: Vec<Vec<f64>>,
    /// θ̂: the mean of the iterates that are not skipped.
    pub mean: Vec<f64>,
}

impl<L: Loss> NoisyGradient<L> {
    /// The lattice is finer than the sensitivity by this factor (and √d): rounding adds one part in 4096.
    const FINENESS: f64 = 4096.0;

    /// How it is run.
    pub fn schedule(&self) -> &Schedule {
        &self.schedule
    }

    /// The noise of each gradient.
    pub fn noise(&self) -> &LatticeNoise {
        &self.noise
    }

    /// What one step spends.
    pub fn step_share(&self) -> Guarantee {
        self.share
    }

    /// How far the computed gradients of neighbours can be apart (2-norm), before they are rounded to the lattice.
    pub fn sensitivity(&self) -> f64 {
        self.sensitivity
    }

    /// The guess of the number of records.
    pub fn expected_rows(&self) -> u64 {
        self.expected_rows
    }

    /// What is public about so many records, where θ = 0 loses the most that it can.
    pub fn outlook(&self, rows: u64) -> DescentOutlook {
        let most = rows as f64 * self.problem.loss().value_at_zero(self.problem.bounds());
        outlook(&self.problem, self.ledger.total(), self.sensitivity, rows, most)
    }

    /// Runs on an objective of the planned problem. What comes out may be published as a whole.
    pub fn descend<S: Sums<Loss = L>, R: RandomBits>(
        &self,
        objective: &Objective<'_, S>,
        rng: &mut R,
    ) -> Result<Descent, Error> {
        let (mut gradients, mut iterates) = (Vec::new(), vec![vec![0.0; self.problem.dimension()]]);
        let mean = self.observed(objective, rng, |noisy, next| {
            gradients.push(noisy);
            iterates.push(next.to_vec());
        })?;
        Ok(Descent { gradients, iterates, mean })
    }

    /// The mean of a descent. Each noisy gradient, and where it led, is shown and then forgotten.
    fn observed<S: Sums<Loss = L>, R: RandomBits>(
        &self,
        objective: &Objective<'_, S>,
        rng: &mut R,
        mut observe: impl FnMut(Vec<f64>, &[f64]),
    ) -> Result<Vec<f64>, Error> {
        if *objective.problem() != self.problem {
            let allowed = "one that was bound by the problem of the plan";
            return Err(InvalidInput { field: "objective", allowed }.into());
        }
        let Schedule { steps, skipped, step, momentum } = self.schedule;
        let (mut workspace, ball) = (objective.workspace(), ball(&self.problem)?);
        let zero = vec![0.0; self.problem.dimension()];
        let (mut mean, mut averaged) = (zero.clone(), 0.0);
        let advance = |[now, before]: [Vec<f64>; 2]| -> Result<_, Error> {
            objective.value_and_gradient(&now, &mut workspace)?;
            // What is private leaves through noise.
            let noisy = self.noise.perturb(&workspace.private_gradient(), rng);
            let moved = now.iter().zip(&before).zip(&noisy);
            let moved = moved.map(|((now, before), slope)| now - step * slope + momentum * (now - before));
            let next = ball.project(&moved.collect::<Vec<f64>>());
            observe(noisy, &next);
            Ok([next, now])
        };
        let average = |[now, _]: &[Vec<f64>; 2]| {
            averaged += 1.0;
            for (mean, now) in mean.iter_mut().zip(now) {
                *mean += (now - *mean) / averaged;
            }
        };
        walk(steps, skipped, [zero.clone(), zero], advance, average)?;
        Ok(ball.project(&mean))
    }
}

/// Where the points of a descent are: every minimiser is there, and the Lipschitz constant of the losses is one there.
/// A computed norm may be below the true one, by less than this factor.
fn ball<L: Loss>(problem: &Problem<L>) -> Result<Ball, InvalidInput> {
    let radius = div_down(problem.largest_minimiser(), Bounds::SLACK).unwrap_or(0.0);
    Ball::new(vec![0.0; problem.dimension()], radius)
}

/// Takes `steps` steps, not more, and shows each state after the first `skipped` of them.
fn walk<P, E>(
    steps: u32,
    skipped: u32,
    start: P,
    mut advance: impl FnMut(P) -> Result<P, E>,
    mut show: impl FnMut(&P),
) -> Result<(), E> {
    let mut state = start;
    for taken in 0..steps {
        state = advance(state)?;
        if taken >= skipped {
            show(&state);
        }
    }
    Ok(())
}

/// What is public about so many records and about the noise for a sensitivity, where θ = 0 loses this much.
fn outlook<L: Loss>(
    problem: &Problem<L>,
    total: Guarantee,
    sensitivity: f64,
    rows: u64,
    lost: f64,
) -> DescentOutlook {
    let (d, parameter) = (problem.dimension(), total.parameter());
    let unit = sensitivity / parameter;
    let pure = matches!(total, Guarantee::Pure(_));
    DescentOutlook {
        dimension: d,
        least: problem.regulariser(),
        most: problem.smoothness(rows),
        // Euclidean Laplace noise of scale s has variance (d + 1)s² in each coordinate.
        unit: unit * unit * if pure { d as f64 + 1.0 } else { 1.0 },
        pure,
        lost,
    }
}

/// What a schedule is predicted to be worth.
fn predicted(landscape: &Landscape, outlook: &DescentOutlook, schedule: &Schedule) -> Prediction {
    let noise = outlook.variance(schedule.steps);
    let effect = |it: &Direction| {
        let Response { bias, variance } = schedule.response(landscape.bend(it));
        Effect { reached: 1.0 - bias, variance: noise * variance }
    };
    Prediction::new(landscape, effect, outlook.worst(schedule), schedule.steps.into())
}

/// This schedule, or one of half, a fourth, … of its steps if that has the least price: passes that gain less than they
/// take are left out. spec: `own:auto`
fn shortened(landscape: &Landscape, outlook: &DescentOutlook, longest: Schedule) -> Schedule {
    let priced = |schedule: Schedule| (predicted(landscape, outlook, &schedule).price(), schedule);
    let half = |(price, schedule): &(f64, Schedule)| {
        let steps = (schedule.steps / 2).max(1);
        Some(priced(outlook.schedule(Some(steps), None))).filter(|shorter| shorter.0 < *price)
    };
    core::iter::successors(Some(priced(longest)), half).last().map_or(longest, |(_, schedule)| schedule)
}

impl<L: Loss> Mechanism<L> for NoisyGradient<L> {
    type Settings = NoisyGradientSettings;

    fn plan(problem: &Problem<L>, total: Guarantee, settings: NoisyGradientSettings) -> Result<Self, Error> {
        let (promised, total) = (total, problem.of_a_record(total)?);
        let max_rows = problem.bounds().max_rows();
        let expected_rows = Guess::expected(settings.expected_rows, problem.bounds())?.rows();
        if settings.steps.is_some_and(|steps| !(1..=MOST_STEPS).contains(&steps)) {
            let allowed = "a whole number from 1 to 1048576";
            return Err(InvalidInput { field: "gradient steps", allowed }.into());
        }
        let curvature = settings.curvature.map(|guess| InvalidInput::positive("curvature", guess));
        let reach = problem.largest_minimiser();
        let rounding = gradient_rounding_bound(&SumOf::new(problem, max_rows), reach);
        let sensitivity = gradient_sensitivity(problem.minimiser_lipschitz(), rounding)?;
        let landscape = Guess::new(expected_rows)?.landscape(problem);
        let outlook = outlook(problem, total, sensitivity, expected_rows, landscape.gain());
        let curvature = curvature.transpose()?;
        let longest = outlook.schedule(settings.steps, curvature);
        // Steps are left out for a number of records that was stated. For an assumed one the longest schedule stays: it
        // suits curvatures of all sizes, and a shorter one would end too early on fewer records.
        let stated = settings.expected_rows.is_some() && settings.steps.is_none() && curvature.is_none();
        let schedule = if stated { shortened(&landscape, &outlook, longest) } else { longest };
        if !(schedule.step > 0.0 && schedule.step.is_finite()) {
            let allowed = "values with which a step size is a number";
            return Err(InvalidInput { field: "bounds and regulariser", allowed }.into());
        }
        ball(problem)?;
        let d = problem.dimension() as u64;
        let lattice = Lattice::with_step_at_most(sensitivity / (Self::FINENESS * (d as f64).sqrt()))?;
        let moved = rounded_l2(sensitivity, d, lattice.step())?;
        let (share, noise) = match total {
            Guarantee::Pure(epsilon) => {
                let share = Epsilon::new(step_epsilon(epsilon, schedule.steps)?)?;
                let noise = LatticeNoise::euclidean_laplace(lattice, laplace_scale(share, moved)?)?;
                (Guarantee::Pure(share), noise)
            }
            Guarantee::Gaussian(mu) => {
                let share = Mu::new(step_mu(mu, schedule.steps)?)?;
                (Guarantee::Gaussian(share), LatticeNoise::normal(lattice, normal_scale(share, moved)?)?)
            }
        };
        let (problem, ledger) = (problem.clone(), Ledger::whole(total, "gradients").of_a_person(promised));
        Ok(Self { problem, expected_rows, ledger, schedule, share, rounding, sensitivity, noise })
    }

    fn problem(&self) -> &Problem<L> {
        &self.problem
    }

    fn ledger(&self) -> &Ledger {
        &self.ledger
    }

    fn predict(&self, guess: &Guess) -> Result<Prediction, Error> {
        let (landscape, outlook) = (guess.landscape(&self.problem), self.outlook(guess.rows()));
        Ok(predicted(&landscape, &outlook, &self.schedule))
    }

    fn record(&self) -> Result<asap_contracts::Mechanism, Error> {
        let Schedule { steps, skipped, step, momentum } = self.schedule;
        Ok(asap_contracts::Mechanism::NoisyGradient(asap_contracts::NoisyGradient {
            expected_rows: self.expected_rows,
            steps: steps.into(),
            skipped: skipped.into(),
            step,
            momentum,
            radius: self.problem.largest_minimiser(),
            lipschitz: self.problem.minimiser_lipschitz(),
            rounding: self.rounding,
            sensitivity: self.sensitivity,
            share: self.share.parameter(),
            noise: record::noise(&self.noise),
        }))
    }

    fn run<S: Sums<Loss = L>, R: RandomBits>(&self, sums: &S, rng: &mut R) -> Result<Released, Error> {
        let objective = self.problem.bind(sums)?;
        // Without the trajectory, which for many steps and parameters is long.
        let theta = self.observed(&objective, rng, |_, _| {})?;
        let record = self.record()?;
        let (passes, matrices) = objective.tally();
        let cost = Private::new(Cost { passes, matrices, ..Cost::default() });
        Ok(Released { theta, record, cost })
    }
}

#[cfg(any(kani, test))]
#[path = "../../proofs/mechanism/noisy_gradient.rs"]
mod proofs;
