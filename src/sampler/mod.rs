//! Drawing from the reference posterior `p*(θ) ∝ e^(−f(θ))` on a ball Θ, with a bound on the Wasserstein-∞ error.
//!
//! Everything a sampler does depends on the records: the point that it returns, and how long it took. Both are returned
//! as [`Private`].

mod curvature;
mod envelope;
mod exact;
mod mala;
mod proximal;
mod truncated;

pub use curvature::{Everywhere, OnBall};
pub use envelope::Envelope;
pub use exact::{Caps, Divergence, ExactDraw};
pub use mala::{Mala, Point, log_acceptance};
pub use proximal::Proximal;
pub use truncated::{inner_radius, normal_in_ball};

use crate::ball::Ball;
use crate::input::InvalidInput;
use crate::noise::RandomBits;
use crate::private::Private;

/// A convex, differentiable potential f on ℝ^d; the law to draw from is proportional to e^(−f).
pub trait Potential {
    /// d: the number of parameters.
    fn dimension(&self) -> usize;

    /// Writes ∇f(θ) and returns f(θ).
    fn value_and_gradient(&mut self, theta: &[f64], gradient: &mut [f64]) -> f64;

    /// How far f(`anchor` + `moved`) lies above the tangent of f at `anchor`: f(x₀ + v) − f(x₀) − ⟨∇f(x₀), v⟩ ≥ 0.
    ///
    /// There is no default, because a difference of values would be wrong by their rounding, which may be larger than
    /// the result: a potential must know a sum whose terms are all non-negative.
    fn divergence(&mut self, anchor: &[f64], moved: &[f64]) -> f64;
}

/// What a sampler returns. All of it is private.
pub struct Draw {
    /// A point of Θ whose law is within the declared Wasserstein-∞ distance (2-norm) of p*.
    pub theta: Private<Vec<f64>>,
    /// What it cost.
    pub effort: Private<Effort>,
}

/// What a draw cost. Depends on the records: for tests and developers on public data only.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Effort {
    /// Evaluations of f with its gradient: passes over the records.
    pub passes: u64,
    /// Evaluations of the divergence of f: passes over the records, too.
    pub divergences: u64,
    /// Steps of the chain.
    pub steps: u64,
    /// Proposals made.
    pub proposals: u64,
    /// Restarts of the chain (constrained MALA).
    pub restarts: u64,
}

/// A sampler of p* on a ball, within a declared distance. spec: `def:W_infty`
pub trait Sampler {
    /// Draws a point of `domain`. The only error is a difference of dimensions, which are public.
    fn sample<P: Potential, R: RandomBits>(
        &self,
        potential: &mut P,
        domain: &Ball,
        rng: &mut R,
    ) -> Result<Draw, InvalidInput>;
}

/// The dimensions of potential, ball and whatever else a sampler holds must agree.
fn same_dimension(dimensions: &[usize]) -> Result<(), InvalidInput> {
    if dimensions.windows(2).all(|pair| pair[0] == pair[1]) {
        Ok(())
    } else {
        Err(InvalidInput { field: "dimension", allowed: "that of the potential, for the ball and the start" })
    }
}
