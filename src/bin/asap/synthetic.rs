//! The public synthetic records of `asap demo`.

use crate::failure::Failure;
use asap_dp::data::{Bounds, Columns, OutOfBounds, Records};
use asap_dp::error::Error;
use asap_dp::loss::Logistic;
use asap_dp::model::Model;
use asap_dp::noise::{RandomBits, ReplayRng};
use asap_dp::objective::{Objective, Workspace};
use asap_dp::optimize::Minimiser;
use asap_dp::private::Private;
use core::f64::consts::TAU;
use std::path::Path;

pub(crate) const ROWS: usize = 10_000;
pub(crate) const DIMENSION: usize = 5;
pub(crate) const REGULARISER: f64 = 10.0;
const STEEPNESS: f64 = 6.0;
const SEED: u64 = 1;

/// The recipe in words.
pub(crate) fn recipe() -> String {
    format!(
        "{ROWS} rows uniform on the unit sphere in {DIMENSION} dimensions; class +1 with probability \
         1/(1 + exp(-{STEEPNESS} x1)), else -1; all from the ChaCha20 stream of seed {SEED}. \
         Logistic loss, regulariser {REGULARISER}, feature bound 1"
    )
}

/// The public bounds.
pub(crate) fn bounds() -> Result<Bounds, Failure> {
    Ok(Bounds::new(1.0)?.with_max_rows(100_000)?)
}

/// Names for the columns.
pub(crate) fn columns() -> Columns {
    Columns { features: (1..=DIMENSION).map(|k| format!("x{k}")).collect(), target: "class".to_owned() }
}

/// The records of the recipe.
pub(crate) fn records() -> Result<Records<Logistic>, Failure> {
    let mut rng = ReplayRng::new(SEED);
    let (mut features, mut targets) = (Vec::with_capacity(ROWS * DIMENSION), Vec::with_capacity(ROWS));
    for _ in 0..ROWS {
        let row: Vec<f64> = (0..DIMENSION).map(|_| normal(&mut rng)).collect();
        let norm = row.iter().map(|x| x * x).sum::<f64>().sqrt();
        let margin = STEEPNESS * row[0] / norm;
        let positive = uniform(&mut rng) < 1.0 / (1.0 + (-margin).exp());
        targets.push(if positive { 1.0 } else { -1.0 });
        features.extend(row.iter().map(|x| x / norm));
    }
    Records::new(Logistic, bounds()?, OutOfBounds::Clip, features, targets)
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
    objective: Objective<'a, Logistic>,
    workspace: Workspace,
    least: f64,
}

impl<'a> Judge<'a> {
    pub(crate) fn new(records: &'a Records<Logistic>) -> Result<Self, Failure> {
        let objective = Objective::new(records, REGULARISER).map_err(|error| failed(error.into()))?;
        let model = Model::new(Logistic, bounds()?, DIMENSION, REGULARISER)?;
        let minimiser = Minimiser::new(&model).map_err(failed)?;
        let best = minimiser.run(&objective, &model).map_err(failed)?.reveal_breaking_privacy();
        let workspace = objective.workspace();
        let mut judge = Self { objective, workspace, least: 0.0 };
        judge.least = judge.excess(&best)?;
        Ok(judge)
    }

    /// The objective, for the comparison with output perturbation.
    pub(crate) fn objective(&self) -> &Objective<'a, Logistic> {
        &self.objective
    }

    /// J at its minimum.
    pub(crate) fn least(&self) -> f64 {
        self.least
    }

    /// J above its minimum.
    pub(crate) fn excess(&mut self, theta: &[f64]) -> Result<f64, Failure> {
        let value = self.objective.evaluate(theta, &mut self.workspace).map(Private::reveal_breaking_privacy);
        Ok(value.map_err(|error| failed(error.into()))? - self.least)
    }
}
