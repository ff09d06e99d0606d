//! The in-ball proximal sampler: a bound in Wasserstein-∞ distance, directly. spec: `own:proximal`
//!
//! One step from x ∈ Θ with step size η: y = x + √η·N(0, I), then x' from `ν_y` ∝ e^(−f − ‖· − y‖²/(2η)) on Θ,
//! exactly. The target p* ∝ e^(−f) on Θ is invariant, and any two laws come closer by the factor 1 + mη in W∞.
//! No assumption on where the minimiser is: it may lie outside of Θ.
//!
//! The draw from `ν_y` is by rejection. For any anchor x₀ ∈ Θ that depends on x and y only, with λ = m + 1/η,
//! propose X from the normal law with precision λ and mean x₀ − (∇f(x₀) + (x₀ − y)/η)/λ, restricted to Θ; accept
//! with probability e^(−E), where for v = X − x₀
//! E = f(x₀ + v) − f(x₀) − ⟨∇f(x₀), v⟩ − (m/2)‖v‖² ∈ [0, ((L − m)/2)‖v‖²].
//! All but the last term is the divergence of f, which the potential knows without a difference of values.
//!
//! Each divergence and each gradient is a pass over the records, so the anchor is the current state, whose gradient is
//! known. Only if that would make acceptance rare (far from equilibrium) does the sampler search for a better one.

use super::truncated::{NormalInBall, inner_radius, survives};
use super::{Draw, Effort, OnBall, Potential, Sampler, same_dimension};
use crate::ball::{Ball, distance, norm};
use crate::calibrate::proximal::{largest_step, steps_to_reach};
use crate::input::InvalidInput;
use crate::noise::{RandomBits, fill_normal};
use crate::private::Private;
use asap_contracts::contract::{PotentialClass, ProximalStep, ProximalSteps};

#[cfg(any(kani, test))]
#[path = "../../proofs/sampler/proximal.rs"]
mod proofs;

/// The proximal sampler with its step size and number of steps. spec: `own:proximal`
///
/// The parameters are computed from the records, so they are private: they cannot be printed.
///
/// ```
/// use asap_dp::{ball::Ball, noise::ReplayRng, sampler::{OnBall, Potential, Proximal, Sampler}};
/// /// f(θ) = θ².
/// struct Parabola;
/// impl Potential for Parabola {
///     fn dimension(&self) -> usize {
///         1
///     }
///     fn value_and_gradient(&mut self, theta: &[f64], gradient: &mut [f64]) -> f64 {
///         gradient[0] = 2.0 * theta[0];
///         theta[0] * theta[0]
///     }
///     fn divergence(&mut self, _: &[f64], moved: &[f64]) -> f64 {
///         moved[0] * moved[0]
///     }
/// }
/// let (curvature, ball) = (OnBall::new(2.0, 10.0).unwrap(), Ball::new(vec![0.5], 5.0)?);
/// let sampler = Proximal::calibrated(&mut Parabola, &curvature, &ball, 1e-6)?;
/// assert_eq!(sampler.steps().reveal_breaking_privacy(), 54);
/// let draw = sampler.sample(&mut Parabola, &ball, &mut ReplayRng::new(1))?;
/// assert!(ball.contains(&draw.theta.reveal_breaking_privacy()));
/// # Ok::<(), asap_dp::Error>(())
/// ```
///
/// ```compile_fail,E0277
/// fn leak(sampler: asap_dp::sampler::Proximal) {
///     println!("{sampler:?}");
/// }
/// ```
///
/// Curvature that holds everywhere is another type:
///
/// ```compile_fail,E0308
/// use asap_dp::{ball::Ball, sampler::{Everywhere, OnBall, Potential, Proximal}};
/// fn swapped<P: Potential>(potential: &mut P, curvature: &Everywhere, ball: &Ball) {
///     let _ = Proximal::calibrated(potential, curvature, ball, 1e-6);
/// }
/// ```
pub struct Proximal {
    /// m: how strongly the potential is curved at least.
    strong_convexity: f64,
    /// L: how strongly the potential is curved at most.
    smoothness: f64,
    /// (g − mB)₊: how strongly the potential may pull out of the ball at most.
    pull: f64,
    /// B: the radius of the ball.
    radius: f64,
    /// η: the step size.
    step: f64,
    /// K: the number of steps.
    steps: u64,
}

impl Proximal {
    /// The sampler of this potential whose law on this ball is within `error` of the target (Wasserstein-∞, 2-norm). It
    /// takes one pass, for the gradient at the centre.
    ///
    /// *Caller-verified*: on that ball the potential has this curvature. The error text does not depend on it; and
    /// if [`planned_proximal_steps`](crate::calibrate::planned_proximal_steps) finds a plan for the worst case,
    /// no data set fails.
    pub fn calibrated<P: Potential>(
        potential: &mut P,
        curvature: &OnBall,
        domain: &Ball,
        error: f64,
    ) -> Result<Self, InvalidInput> {
        same_dimension(&[potential.dimension(), domain.dimension()])?;
        refuse_thin(domain)?;
        let error = InvalidInput::positive("error", error)?;
        let mut gradient = vec![0.0; domain.dimension()];
        potential.value_and_gradient(domain.centre(), &mut gradient);
        Self::of(curvature, norm(&gradient), domain, error).ok_or(InvalidInput {
            field: "curvature",
            allowed: "a potential for which fewer than 2^53 steps are enough",
        })
    }

    fn of(curvature: &OnBall, slope: f64, domain: &Ball, error: f64) -> Option<Self> {
        let ((m, l), radius) = (curvature.bounds(), domain.radius());
        let dimension = domain.dimension() as u64;
        let step =
            largest_step(&PotentialClass { strong_convexity: m, smoothness: l, slope, radius, dimension })?;
        let pull = (slope - m * radius).max(0.0);
        let steps = steps_to_reach(m, step, radius, error)?;
        Self { strong_convexity: m, smoothness: l, pull, radius, step, steps }.decided(error)
    }

    /// The same sampler, if so many steps are enough for this error: they were proposed.
    fn decided(self, error: f64) -> Option<Self> {
        let Self { steps, step, strong_convexity, radius, .. } = self;
        ProximalSteps { steps, step, strong_convexity, radius, error }.holds().ok()?;
        Some(self)
    }

    /// Whether rounding adds up over no more steps than a charge for this worst case counts with. Depends on the
    /// records; that it holds does not, for a plan that exists.
    pub(crate) fn is_charged_by(&self, worst: PotentialClass) -> bool {
        let (step, strong_convexity) = (self.step, self.strong_convexity);
        ProximalStep { step, strong_convexity, worst }.holds().is_ok()
    }

    /// η. Depends on the records.
    pub fn step(&self) -> Private<f64> {
        Private::new(self.step)
    }

    /// K. Depends on the records.
    pub fn steps(&self) -> Private<u64> {
        Private::new(self.steps)
    }

    /// λ = m + 1/η.
    fn precision(&self) -> f64 {
        self.strong_convexity + self.step.recip()
    }

    /// L − m.
    fn excess(&self) -> f64 {
        self.smoothness - self.strong_convexity
    }

    /// The whole chain, from the centre, which is within one radius of every law on the ball.
    fn run<P: Potential, R: RandomBits>(
        &self,
        potential: &mut P,
        domain: &Ball,
        rng: &mut R,
    ) -> (Vec<f64>, Counts) {
        let mut chain = ProximalChain { sampler: self, potential, domain, rng, tally: Counts::default() };
        let mut state = chain.evaluate(domain.centre().to_vec());
        // A ball of one point has been drawn from.
        let steps = if domain.radius() > 0.0 { self.steps } else { 0 };
        for _ in 0..steps {
            state = chain.advance(state);
        }
        (state.point, chain.tally)
    }
}

impl Sampler for Proximal {
    /// Draws a point of `domain`, which must be the ball that was calibrated for (or one of a smaller radius around
    /// the same centre: also right, and slower).
    fn sample<P: Potential, R: RandomBits>(
        &self,
        potential: &mut P,
        domain: &Ball,
        rng: &mut R,
    ) -> Result<Draw, InvalidInput> {
        same_dimension(&[potential.dimension(), domain.dimension()])?;
        if domain.radius() > self.radius {
            return Err(InvalidInput { field: "radius", allowed: "at most that of the calibrated ball" });
        }
        refuse_thin(domain)?;
        let (theta, tally) = self.run(potential, domain, rng);
        Ok(Draw { theta: Private::new(theta), effort: Private::new(tally.effort) })
    }
}

/// If the rounding of its centre leaves less than half of a ball, it cannot be drawn from. No plan has one: its
/// charge asks for as much.
fn refuse_thin(domain: &Ball) -> Result<(), InvalidInput> {
    let allowed =
        "0, or one that is large beside the rounding of the centre: above 16(d + 8)·2^-53 of its norm";
    if inner_radius(domain) >= 0.5 * domain.radius() {
        Ok(())
    } else {
        Err(InvalidInput { field: "ball radius", allowed })
    }
}

/// Counts. Nothing acts on `violations` beyond the step in which they happen, and nothing outside sees them.
#[derive(Default)]
struct Counts {
    effort: Effort,
    /// Proposals whose energy is not finite or outside of its bounds: the declared curvature is wrong.
    violations: u64,
}

/// A point with its gradient.
struct Evaluated {
    point: Vec<f64>,
    gradient: Vec<f64>,
}

/// The energy of a proposal, and whether it is as the curvature promises.
struct Energy {
    value: f64,
    is_promised: bool,
}

/// Predicted energies up to this are left to the rejection step: a gradient would cost more than it saves.
const AFFORDABLE_ENERGY: f64 = 1.0;

/// So is a mode within √(8d/λ) of the anchor. It matters for the errors of the energies only, which grow with the
/// distance from the anchor.
const AFFORDABLE_SHIFT: f64 = 8.0;

/// Each improvement of the anchor brings it closer to its goal by the factor 1/(d + 1) at least, so this many
/// reach the last bit; it is a limit for potentials that break their contract.
const LARGEST_IMPROVEMENTS: u32 = 64;

/// A step in which this many energies break the promise keeps its state. A potential that has the declared
/// curvature never gets here, so that the law is not touched; for others the loop ends.
const LARGEST_VIOLATIONS: u64 = 1000;

/// What rounding can never do to an energy, nor to the pull relative to the terms that it is made of: a plan whose
/// errors were of this size would have been refused. It decides what counts as a violation, and no outcome.
const LARGEST_ENERGY_ERROR: f64 = 1.0;
const LARGEST_RELATIVE_ERROR: f64 = 1.0 / (1_u32 << 20) as f64;

struct ProximalChain<'a, P, R> {
    sampler: &'a Proximal,
    potential: &'a mut P,
    domain: &'a Ball,
    rng: &'a mut R,
    tally: Counts,
}

impl<P: Potential, R: RandomBits> ProximalChain<'_, P, R> {
    /// One pass over the records.
    fn evaluate(&mut self, point: Vec<f64>) -> Evaluated {
        self.tally.effort.passes += 1;
        let mut gradient = vec![0.0; point.len()];
        self.potential.value_and_gradient(&point, &mut gradient);
        Evaluated { point, gradient }
    }

    /// One step: from x to y, and to x'.
    fn advance(&mut self, state: Evaluated) -> Evaluated {
        self.tally.effort.steps += 1;
        let mut y = vec![0.0; state.point.len()];
        fill_normal(&mut y, self.rng);
        let deviation = self.sampler.step.sqrt();
        for (y, x) in y.iter_mut().zip(&state.point) {
            *y = x + deviation * *y;
        }
        let better = self.better_anchor(&state, &y);
        match self.draw_conditional(better.as_ref().unwrap_or(&state), &y) {
            Some(point) => self.evaluate(point),
            None => state,
        }
    }

    /// An exact draw from `ν_y`; `None` if the potential is not what it promised.
    fn draw_conditional(&mut self, anchor: &Evaluated, y: &[f64]) -> Option<Vec<f64>> {
        let precision = self.sampler.precision();
        let mean = self.sampler.descend(anchor, y, precision);
        let law = NormalInBall::new(&mean, precision, self.domain)
            .filter(|law| law.slope() <= self.sampler.largest_slope(y, self.domain));
        let Some(law) = law else {
            self.tally.violations += 1;
            return None;
        };
        let mut violations = 0;
        while violations < LARGEST_VIOLATIONS {
            let point = law.draw(self.rng);
            self.tally.effort.proposals += 1;
            self.tally.effort.divergences += 1;
            let moved: Vec<f64> = point.iter().zip(&anchor.point).map(|(x, x0)| x - x0).collect();
            let energy = self.sampler.energy(self.potential.divergence(&anchor.point, &moved), &moved);
            if !energy.is_promised {
                violations += 1;
                self.tally.violations += 1;
            }
            if survives(energy.value, self.rng) {
                return Some(point);
            }
        }
        None
    }

    /// An anchor around which proposals have a fair chance; `None` if the state itself is one.
    ///
    /// Projected gradient descent on f + ‖· − y‖²/(2η), which is almost perfectly conditioned.
    fn better_anchor(&mut self, state: &Evaluated, y: &[f64]) -> Option<Evaluated> {
        let mut better: Option<Evaluated> = None;
        for _ in 0..LARGEST_IMPROVEMENTS {
            let anchor = better.as_ref().unwrap_or(state);
            if !self.sampler.is_poor(anchor, y, self.domain) {
                break;
            }
            let largest = self.sampler.smoothness + self.sampler.step.recip();
            let mut point = self.sampler.descend(anchor, y, largest);
            self.domain.project_in_place(&mut point);
            better = Some(self.evaluate(point));
        }
        better
    }
}

impl Proximal {
    /// x₀ − (∇f(x₀) + (x₀ − y)/η)/curvature.
    fn descend(&self, anchor: &Evaluated, y: &[f64], curvature: f64) -> Vec<f64> {
        let component = |((x, g), y): ((&f64, &f64), &f64)| x - (g + (x - y) / self.step) / curvature;
        anchor.point.iter().zip(&anchor.gradient).zip(y).map(component).collect()
    }

    /// Whether proposals around this anchor would rarely be accepted, by the largest energy at the most likely one.
    fn is_poor(&self, anchor: &Evaluated, y: &[f64], domain: &Ball) -> bool {
        let mut mode = self.descend(anchor, y, self.precision());
        domain.project_in_place(&mut mode);
        let shift = distance(&mode, &anchor.point);
        // NaN is not above it: for a potential that gives none there is nothing to improve.
        0.5 * self.excess() * shift * shift > AFFORDABLE_ENERGY
            || self.precision() * shift * shift > AFFORDABLE_SHIFT * mode.len() as f64
    }

    /// How steeply a proposal law may fall from the edge of the inner ball: pull + 2(L − m)B + dist(y, Θ)/η from that
    /// of Θ, and λ for each unit between the two; as much again is for the rounding of the mean, which is less. Beyond
    /// it the curvature is not what was promised, and proposals might miss the ball for ever.
    fn largest_slope(&self, y: &[f64], domain: &Ball) -> f64 {
        let outside = (distance(y, domain.centre()) - domain.radius()).max(0.0);
        let between = 2.0 * self.precision() * (domain.radius() - inner_radius(domain));
        let promised = self.pull + 2.0 * self.excess() * domain.radius() + outside / self.step + between;
        promised + LARGEST_RELATIVE_ERROR * (promised + self.precision() * domain.radius())
    }

    /// E, with its bounds, for a move v of this divergence.
    fn energy(&self, divergence: f64, moved: &[f64]) -> Energy {
        let square: f64 = moved.iter().map(|moved| moved * moved).sum();
        let quadratic = 0.5 * self.strong_convexity * square;
        let value = divergence - quadratic;
        let largest = 0.5 * self.excess() * square;
        let tolerance =
            LARGEST_ENERGY_ERROR + LARGEST_RELATIVE_ERROR * (divergence.abs() + quadratic + largest);
        // An infinite term makes the tolerance infinite, too.
        let is_promised = value.is_finite() && value >= -tolerance && value <= largest + tolerance;
        Energy { value, is_promised }
    }
}

#[cfg(test)]
mod tests;
