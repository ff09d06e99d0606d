//! The in-ball proximal sampler: a bound in Wasserstein-∞ distance, directly. spec: `own:proximal`
//!
//! One step from x ∈ Θ with step size η: y = x + √η·N(0, I), then x' from `ν_y` ∝ e^(−f − ‖· − y‖²/(2η)) on Θ,
//! exactly. The target p* ∝ e^(−f) on Θ is invariant, and any two laws come closer by the factor 1 + mη in W∞.
//! No assumption on where the minimiser is: it may lie outside of Θ.
//!
//! The draw from `ν_y` is by rejection. For any anchor x₀ ∈ Θ that depends on x and y only, with λ = m + 1/η,
//! propose X from the normal law with precision λ and mean x₀ − (∇f(x₀) + (x₀ − y)/η)/λ, restricted to Θ; accept
//! with probability e^(−E), where
//! E = f(X) − f(x₀) − ⟨∇f(x₀), X − x₀⟩ − (m/2)‖X − x₀‖² ∈ [0, ((L − m)/2)‖X − x₀‖²].
//!
//! Each evaluation of f is a pass over the records, so the anchor is the current state, whose value and gradient
//! are known; only where that would make acceptance rare (far from equilibrium) is a better one searched.

use super::gaussian::fill_normal;
use super::truncated::draw_in_ball;
use super::{Curvature, Draw, Effort, Potential, Sampler, same_dimension};
use crate::ball::{Ball, distance};
use crate::calibrate::proximal::{step, steps_to_reach};
use crate::input::InvalidInput;
use crate::noise::{RandomBits, bernoulli_exp_f64};
use crate::private::Private;

#[cfg(any(kani, test))]
#[path = "../../proofs/sampler/proximal.rs"]
mod proofs;

/// The proximal sampler with its step size and number of steps. spec: `own:proximal`
///
/// Curvature may be computed from the records, so the parameters are private: they cannot be printed.
///
/// ```
/// use asap_dp::sampler::{Curvature, Proximal};
/// let curvature = Curvature { strong_convexity: 2.0, smoothness: 10.0 };
/// let sampler = Proximal::calibrated(curvature, 5.0, 3, 1e-6)?;
/// assert_eq!(sampler.steps().reveal_breaking_privacy(), 178);
/// # Ok::<(), asap_dp::Error>(())
/// ```
///
/// ```compile_fail,E0277
/// use asap_dp::sampler::{Curvature, Proximal};
/// let curvature = Curvature { strong_convexity: 2.0, smoothness: 10.0 };
/// println!("{:?}", Proximal::calibrated(curvature, 5.0, 3, 1e-6)?);
/// # Ok::<(), asap_dp::Error>(())
/// ```
pub struct Proximal {
    curvature: Curvature,
    step: f64,
    steps: u64,
}

impl Proximal {
    /// The sampler whose law on a ball of this radius, in this dimension, is within `error` of the target
    /// (Wasserstein-∞, 2-norm).
    ///
    /// *Caller-verified*: on that ball the potential has this curvature. The error text does not depend on it; and
    /// if [`planned_proximal_steps`](crate::calibrate::planned_proximal_steps) finds a plan for the worst case,
    /// no data set fails.
    pub fn calibrated(
        curvature: Curvature,
        radius: f64,
        dimension: usize,
        error: f64,
    ) -> Result<Self, InvalidInput> {
        let radius = InvalidInput::non_negative("radius", radius)?;
        let error = InvalidInput::positive("error", error)?;
        if dimension == 0 {
            return Err(InvalidInput { field: "dimension", allowed: "a whole number from 1" });
        }
        Self::of(curvature, radius, dimension as f64, error).ok_or(InvalidInput {
            field: "curvature",
            allowed: "0 < m ≤ L, finite, with fewer than 2^53 steps",
        })
    }

    fn of(curvature: Curvature, radius: f64, dimension: f64, error: f64) -> Option<Self> {
        let Curvature { strong_convexity: m, smoothness: l } = curvature;
        // NaN is neither.
        if !(m > 0.0 && l >= m && l.is_finite()) {
            return None;
        }
        let step = step(m, l, dimension)?;
        Some(Self { curvature, step, steps: steps_to_reach(m, step, radius, error)? })
    }

    /// η. Depends on the records if the curvature does.
    pub fn step(&self) -> Private<f64> {
        Private::new(self.step)
    }

    /// K. Depends on the records if the curvature does.
    pub fn steps(&self) -> Private<u64> {
        Private::new(self.steps)
    }

    /// λ = m + 1/η.
    fn precision(&self) -> f64 {
        self.curvature.strong_convexity + self.step.recip()
    }

    /// L − m.
    fn excess(&self) -> f64 {
        self.curvature.smoothness - self.curvature.strong_convexity
    }

    /// The whole chain, from the centre, which is within one radius of every law on the ball.
    fn run<P: Potential, R: RandomBits>(
        &self,
        potential: &mut P,
        domain: &Ball,
        rng: &mut R,
    ) -> (Vec<f64>, Tally) {
        let mut chain = Chain { sampler: self, potential, domain, rng, tally: Tally::default() };
        let mut state = chain.evaluate(domain.centre().to_vec());
        for _ in 0..self.steps {
            state = chain.advance(state);
        }
        (state.point, chain.tally)
    }
}

impl Sampler for Proximal {
    /// Draws a point of `domain`, which may be any ball of at most the radius that was calibrated for.
    fn sample<P: Potential, R: RandomBits>(
        &self,
        potential: &mut P,
        domain: &Ball,
        rng: &mut R,
    ) -> Result<Draw, InvalidInput> {
        same_dimension(&[potential.dimension(), domain.dimension()])?;
        let (theta, tally) = self.run(potential, domain, rng);
        Ok(Draw { theta: Private::new(theta), effort: Private::new(tally.effort) })
    }
}

/// Counts. Nothing acts on `violations` beyond the step in which they happen, and nobody outside sees them.
#[derive(Default)]
struct Tally {
    effort: Effort,
    /// Proposals whose energy is not finite or outside of its bounds: the declared curvature is wrong.
    violations: u64,
}

/// A point with its value and gradient.
struct Evaluated {
    point: Vec<f64>,
    value: f64,
    gradient: Vec<f64>,
}

/// The energy of a proposal, and whether it is as the curvature promises.
struct Energy {
    value: f64,
    is_promised: bool,
}

/// Predicted energies up to this are left to the rejection step: an evaluation would cost more than it saves.
const AFFORDABLE_ENERGY: f64 = 1.0;

/// Each improvement of the anchor brings it closer to its goal by the factor 1/(d + 1) at least, so this many
/// reach the last bit; it is a limit for potentials that break their contract.
const LARGEST_IMPROVEMENTS: u32 = 64;

/// A step in which this many energies break the promise keeps its state. A potential that has the declared
/// curvature never gets here, so that the law is not touched; for others the loop ends.
const LARGEST_VIOLATIONS: u64 = 1000;

/// Rounding of the energy relative to the terms that it is made of: some 2¹² units in the last place, room for a
/// value that was itself summed over many records. It decides what counts as a violation, and no outcome.
const ROUNDING: f64 = 4096.0 * f64::EPSILON;

struct Chain<'a, P, R> {
    sampler: &'a Proximal,
    potential: &'a mut P,
    domain: &'a Ball,
    rng: &'a mut R,
    tally: Tally,
}

impl<P: Potential, R: RandomBits> Chain<'_, P, R> {
    /// One pass over the records.
    fn evaluate(&mut self, point: Vec<f64>) -> Evaluated {
        self.tally.effort.passes += 1;
        let mut gradient = vec![0.0; point.len()];
        let value = self.potential.value_and_gradient(&point, &mut gradient);
        Evaluated { point, value, gradient }
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
        self.draw_conditional(better.as_ref().unwrap_or(&state), &y).unwrap_or(state)
    }

    /// An exact draw from `ν_y`; `None` if the potential is not what it promised.
    fn draw_conditional(&mut self, anchor: &Evaluated, y: &[f64]) -> Option<Evaluated> {
        let precision = self.sampler.precision();
        let mean = self.sampler.descend(anchor, y, precision);
        let mut violations = 0;
        while violations < LARGEST_VIOLATIONS {
            let point = draw_in_ball(&mean, precision, self.domain, self.rng);
            let proposal = self.evaluate(point);
            self.tally.effort.proposals += 1;
            let energy = self.sampler.energy(anchor, &proposal);
            if !energy.is_promised {
                violations += 1;
                self.tally.violations += 1;
            }
            // Below 0 by rounding is 0. An energy that is not finite is not accepted.
            if energy.value.is_finite() && bernoulli_exp_f64(energy.value.max(0.0), self.rng) == Some(true) {
                return Some(proposal);
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
            // NaN is not above it: for a potential that gives none there is nothing to improve.
            let is_poor = self.sampler.predicted_energy(anchor, y, self.domain) > AFFORDABLE_ENERGY;
            if !is_poor {
                break;
            }
            let largest = self.sampler.curvature.smoothness + self.sampler.step.recip();
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

    /// The largest energy at the most likely proposal.
    fn predicted_energy(&self, anchor: &Evaluated, y: &[f64], domain: &Ball) -> f64 {
        let mut mode = self.descend(anchor, y, self.precision());
        domain.project_in_place(&mut mode);
        let shift = distance(&mode, &anchor.point);
        0.5 * self.excess() * shift * shift
    }

    /// E, with its bounds.
    fn energy(&self, anchor: &Evaluated, proposal: &Evaluated) -> Energy {
        let moved = || proposal.point.iter().zip(&anchor.point).map(|(x, x0)| x - x0);
        let slope: f64 = moved().zip(&anchor.gradient).map(|(moved, g)| moved * g).sum();
        let square: f64 = moved().map(|moved| moved * moved).sum();
        let quadratic = 0.5 * self.curvature.strong_convexity * square;
        let value = proposal.value - anchor.value - slope - quadratic;
        let terms = proposal.value.abs() + anchor.value.abs() + slope.abs() + quadratic;
        let largest = 0.5 * self.excess() * square;
        let tolerance = ROUNDING * (terms + largest);
        // An infinite term makes the tolerance infinite, too.
        let is_promised = value.is_finite() && value >= -tolerance && value <= largest + tolerance;
        Energy { value, is_promised }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::noise::ReplayRng;

    /// A potential of one variable, given by its value and its derivative.
    struct OnLine<F>(F);

    impl<F: FnMut(f64) -> (f64, f64)> Potential for OnLine<F> {
        fn dimension(&self) -> usize {
            1
        }

        fn value_and_gradient(&mut self, theta: &[f64], gradient: &mut [f64]) -> f64 {
            let (value, slope) = (self.0)(theta[0]);
            gradient[0] = slope;
            value
        }
    }

    fn sampler(strong_convexity: f64, smoothness: f64, step: f64, steps: u64) -> Proximal {
        Proximal { curvature: Curvature { strong_convexity, smoothness }, step, steps }
    }

    fn ball(radius: f64) -> Ball {
        Ball::new(vec![0.0], radius).unwrap()
    }

    /// H0: one step from a point b of the boundary has the law N(b/(1 + mη), η/(1 + mη)² + 1/(m + 1/η)), for
    /// f = mx²/2 and a ball so large that its edge is out of sight from there. n = 4000; false alarm below 10⁻⁶
    /// for the mean (five standard errors) and the variance (Laurent and Massart, t = 15).
    #[test]
    fn one_step_from_the_boundary_has_the_law_of_theory() {
        let (m, b, n) = (2.0, 30.0, 4000.0_f64);
        for (seed, step) in [(1, 0.3), (2, 5.0), (3, 1e6)] {
            // Declared as less convex than it is: with rejections.
            let (sampler, domain) = (sampler(1.5, m, step, 1), ball(b));
            let (mut f, mut rng) = (OnLine(|x| (0.5 * m * x * x, m * x)), ReplayRng::new(seed));
            let mut chain = Chain {
                sampler: &sampler,
                potential: &mut f,
                domain: &domain,
                rng: &mut rng,
                tally: Tally::default(),
            };
            let shrunk = 1.0 + m * step;
            let variance = step / (shrunk * shrunk) + 1.0 / (m + 1.0 / step);
            let (mut sum, mut squares) = (0.0_f64, 0.0_f64);
            for _ in 0..4000 {
                let start = chain.evaluate(vec![b]);
                let z = (chain.advance(start).point[0] - b / shrunk) / variance.sqrt();
                sum += z;
                squares += z * z;
            }
            assert!(sum.abs() <= 5.0 * n.sqrt(), "step {step}: mean {}", sum / n);
            assert!((squares - n).abs() <= 2.0 * (15.0 * n).sqrt() + 30.0, "step {step}: {}", squares / n);
            assert_eq!(chain.tally.violations, 0);
        }
    }

    #[test]
    fn an_honest_potential_never_breaks_its_promise() {
        // A large constant makes the rounding of f visible.
        for constant in [0.0, 1e6, -1e9] {
            let mut f = OnLine(move |x: f64| (x.cosh().ln() + 0.5 * x * x + constant, x.tanh() + x));
            let (_, tally) = sampler(1.0, 2.0, 0.5, 5000).run(&mut f, &ball(3.0), &mut ReplayRng::new(5));
            assert_eq!((tally.violations, tally.effort.steps), (0, 5000));
        }
    }

    #[test]
    fn a_wrong_curvature_is_noticed_and_the_chain_ends_in_the_ball() {
        let mut rng = ReplayRng::new(6);
        // Less convex, and less smooth, than declared.
        for (m, l) in [(3.0, 3.0), (0.1, 0.2)] {
            let mut f = OnLine(|x: f64| (0.5 * x * x, x));
            let (theta, tally) = sampler(m, l, 2.0, 20).run(&mut f, &ball(3.0), &mut rng);
            assert!(ball(3.0).contains(&theta) && tally.violations > 0);
        }
    }

    #[test]
    fn numbers_that_are_none_end_the_step_and_not_the_program() {
        let hostile: [fn(f64) -> (f64, f64); 6] = [
            |_| (f64::NAN, 0.0),
            |_| (0.0, f64::NAN),
            |_| (f64::INFINITY, f64::INFINITY),
            |_| (f64::NEG_INFINITY, 1.0),
            |x| (if x == 0.0 { 0.0 } else { f64::NAN }, 0.0),
            |x| (if x > 0.0 { f64::INFINITY } else { 0.5 * x * x }, x),
        ];
        for f in hostile {
            let (theta, tally) =
                sampler(1.0, 2.0, 1.0, 3).run(&mut OnLine(f), &ball(1.0), &mut ReplayRng::new(7));
            assert!(ball(1.0).contains(&theta));
            // At most a thousand violations a step, and few passes besides.
            assert!(tally.violations > 0 && tally.effort.passes < 5000, "{:?}", tally.effort);
        }
    }

    #[test]
    fn far_from_equilibrium_the_anchor_is_improved_first() {
        // The minimiser is 10⁶ deviations outside; without a better anchor no proposal would be accepted.
        let mut f = OnLine(|x: f64| ((x - 1e6).powi(2), 2.0 * (x - 1e6)));
        let (theta, tally) = sampler(1.0, 2.0, 1.0, 40).run(&mut f, &ball(1000.0), &mut ReplayRng::new(8));
        assert!(theta[0] > 999.0 && tally.effort.passes < 200 && tally.violations == 0, "{:?}", tally.effort);
    }
}
