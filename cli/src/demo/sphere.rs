//! The made-up records of the comparison of mechanisms: rows on a sphere, numbers to predict.

use crate::failure::Failure;
use asap_dp::noise::RandomBits;
use asap_dp::objective::{Objective, Workspace};
use asap_dp::optimise::Minimiser;
use asap_dp::{Bounds, Error, OutOfBounds, Private, Problem, Records, ReplayRng, Squared};
use core::f64::consts::TAU;
use std::path::Path;

pub(crate) const ROWS: usize = 50_000;
pub(crate) const DIMENSION: usize = 5;
pub(crate) const REGULARISER: f64 = 20.0;
pub(crate) const PARAMETER_BOUND: f64 = 1.0;
const WEIGHTS: [f64; DIMENSION] = [0.6, -0.4, 0.2, 0.0, 0.0];
const NOISE: f64 = 0.2;
const SEED: u64 = 1;

/// The recipe in words.
pub(crate) fn recipe() -> String {
    format!(
        "{ROWS} rows x uniform on the unit sphere in {DIMENSION} dimensions, y = 0.6 x1 - 0.4 x2 + 0.2 x3 + {NOISE} N(0, 1), \
         clipped to [-1, 1];\nall from the ChaCha20 stream of seed {SEED}. Squared loss, regulariser {REGULARISER}, bounds 1 \
         on features, target and parameters"
    )
}

/// The public bounds.
fn bounds() -> Result<Bounds, Failure> {
    Ok(Bounds::new(1.0)?.with_target(1.0)?.with_max_rows(100_000)?)
}

/// What is public about the problem.
fn problem() -> Result<Problem<Squared>, Failure> {
    let problem = Problem::new(Squared, bounds()?, DIMENSION, REGULARISER)?;
    Ok(problem.with_parameter_bound(PARAMETER_BOUND)?)
}

/// The records of the recipe.
pub(crate) fn records() -> Result<Records<Squared>, Failure> {
    let mut rng = ReplayRng::new(SEED);
    let (mut features, mut targets) = (Vec::with_capacity(ROWS * DIMENSION), Vec::with_capacity(ROWS));
    for _ in 0..ROWS {
        let row: Vec<f64> = (0..DIMENSION).map(|_| normal(&mut rng)).collect();
        let norm = row.iter().map(|x| x * x).sum::<f64>().sqrt();
        let linear: f64 = row.iter().zip(WEIGHTS).map(|(x, w)| x / norm * w).sum();
        targets.push(linear + NOISE * normal(&mut rng));
        features.extend(row.iter().map(|x| x / norm));
    }
    Records::new(Squared, bounds()?, OutOfBounds::Clip, features, targets)
        .map_err(|error| failed(error.into()))
}

/// Uniform in (0, 1).
fn uniform(rng: &mut ReplayRng) -> f64 {
    ((rng.next_u64() >> 11) as f64 + 0.5) / (1_u64 << 53) as f64
}

/// Standard normal (Box and Muller).
fn normal(rng: &mut ReplayRng) -> f64 {
    (-2.0 * uniform(rng).ln()).sqrt() * (TAU * uniform(rng)).cos()
}

pub(crate) fn failed(error: Error) -> Failure {
    Failure::of(error, Path::new("demo"))
}

/// Measures excess risk. That reveals what is computed from the records, which is allowed because these are public.
pub(crate) struct Judge<'a> {
    objective: Objective<'a, Records<Squared>>,
    workspace: Workspace,
    least: f64,
}

impl<'a> Judge<'a> {
    pub(crate) fn new(records: &'a Records<Squared>) -> Result<Self, Failure> {
        let problem = problem()?;
        let objective = problem.bind(records)?;
        let minimiser = Minimiser::new(&problem).map_err(failed)?;
        let best = minimiser.run(&objective).map_err(failed)?.reveal_breaking_privacy();
        let workspace = objective.workspace();
        let mut judge = Self { objective, workspace, least: 0.0 };
        judge.least = judge.excess(&best)?;
        Ok(judge)
    }

    /// J above its minimum.
    pub(crate) fn excess(&mut self, theta: &[f64]) -> Result<f64, Failure> {
        let value = self.objective.evaluate(theta, &mut self.workspace).map(Private::reveal_breaking_privacy);
        Ok(value.map_err(failed)? - self.least)
    }
}
