//! Constrained MALA: an unconstrained Langevin chain with a Metropolis test, restarted until it ends in Θ.
//! spec: `alg:MALA`
//!
//! Two corrections of the paper, both explained in `spec/alg-MALA.md`: its accept test exchanges the two factors
//! π, and its initial law is warm only if the minimiser is 0. Everything here is private: the start, the length
//! of the chain, the number of restarts, and whether this sampler was used at all.

use super::{Draw, Effort, Everywhere, Potential, Sampler, same_dimension};
use crate::ball::{Ball, distance, norm};
use crate::calibrate::{
    Chain, ChainPlan, ChainProblem, Norm, ln_inverse_tv, proposed_plan, smooth_oscillation,
};
use crate::input::InvalidInput;
use crate::noise::{RandomBits, bernoulli_exp_f64, fill_normal};
use crate::private::Private;
use asap_contracts::contract::{
    Broken, DomainChance, InnerVariation, MixingTime, Oscillation, Restarts, TotalVariation, WarmStart,
};

/// Constrained MALA for one data set. spec: `alg:MALA`
///
/// It has no `Debug` and shows no field, because all of it depends on the records:
///
/// ```compile_fail,E0616
/// use asap_dp::sampler::{Everywhere, Mala};
/// let mala = Mala::scheduled(0.1, 10, 1, vec![0.0], &Everywhere::new(1.0, 2.0).unwrap());
/// let leak = mala.start;
/// ```
///
/// ```compile_fail,E0277
/// use asap_dp::sampler::{Everywhere, Mala};
/// println!("{:?}", Mala::scheduled(0.1, 10, 1, vec![0.0], &Everywhere::new(1.0, 2.0).unwrap()));
/// ```
pub struct Mala {
    /// h: the step size.
    step: f64,
    /// K: steps of the chain, counting lazy ones.
    steps: u64,
    /// `τ_max`: how many chains are run before the centre of Θ is returned.
    restarts: u64,
    /// `θ_opt`: the centre of the initial law `N(θ_opt, I/(2L))`.
    start: Vec<f64>,
    /// L: how strongly the potential is curved at most.
    smoothness: f64,
    /// Whether each step does nothing with probability ½.
    lazy: bool,
}

impl Mala {
    /// The sampler with a step size h, a number of steps K and a number of restarts `τ_max` that were chosen elsewhere
    /// (the paper's asymptotic schedule), started near `θ_opt`. Nothing is certified about its law.
    #[must_use]
    pub fn scheduled(step: f64, steps: u64, restarts: u64, start: Vec<f64>, curvature: &Everywhere) -> Self {
        Self { step, steps, restarts, start, smoothness: curvature.bounds().1, lazy: false }
    }

    /// The same chain, but that each step does nothing with probability ½. A certified length
    /// is that of the lazy chain.
    #[must_use]
    pub fn lazy(self) -> Self {
        Self { lazy: true, ..self }
    }

    /// K. Depends on the records.
    pub(crate) fn steps(&self) -> u64 {
        self.steps
    }

    /// The sampler whose law is within Δ of p* in W∞ (2-norm): every number is proposed here and decided by the
    /// contracts, for this data set and privately. spec: `cor:mixing_W_infty`
    ///
    /// `start` is any point near the minimiser (its gradient says how near). `None` where the domain assumption fails
    /// or the chain would be too long to count: another sampler must draw then.
    pub fn certified<P: Potential>(
        potential: &mut P,
        curvature: &Everywhere,
        start: Vec<f64>,
        domain: &Ball,
        delta: f64,
    ) -> Option<Self> {
        (start.len() == domain.dimension()).then_some(())?;
        let (strong_convexity, smoothness) = curvature.bounds();
        let dimension = domain.dimension() as u64;
        let optimum = Point::at(start, potential);
        let (gradient_norm, distance) = (norm(&optimum.gradient), distance(&optimum.theta, domain.centre()));
        let radius = domain.radius();
        let oscillation = smooth_oscillation(gradient_norm, smoothness, radius, distance)?;
        let ln_inverse_tv = ln_inverse_tv(Norm::Two, oscillation, dimension, radius, delta).ok()?;
        Oscillation { oscillation, gradient_norm, smoothness, radius, distance }.holds().ok()?;
        let norm = Norm::Two.number();
        TotalVariation { ln_inverse: ln_inverse_tv, oscillation, dimension, radius, delta, norm }
            .holds()
            .ok()?;
        let problem = ChainProblem {
            dimension,
            strong_convexity,
            smoothness,
            gradient_norm,
            distance,
            radius,
            ln_inverse_tv,
        };
        let plan = proposed_plan(&problem)?;
        decide(&problem, &plan).ok()?;
        Some(Self::scheduled(plan.step, plan.chain.steps, plan.restarts, optimum.theta, curvature).lazy())
    }
}

/// The table of own:conductance, decided.
fn decide(problem: &ChainProblem, plan: &ChainPlan) -> Result<(), Broken> {
    let ChainProblem {
        dimension,
        strong_convexity,
        smoothness,
        gradient_norm,
        distance,
        radius,
        ln_inverse_tv,
    } = *problem;
    let ChainPlan { step, restarts, reserve, log_miss, ln_inverse_inner, log_ratio, .. } = *plan;
    let Chain { separation, steps, .. } = plan.chain;
    DomainChance { log_miss, reserve, dimension, strong_convexity, gradient_norm, distance, radius }
        .holds()?;
    InnerVariation { ln_inverse_inner, ln_inverse_tv, log_miss }.holds()?;
    WarmStart { log_ratio, dimension, strong_convexity, smoothness, gradient_norm, ln_inverse_inner }
        .holds()?;
    MixingTime { step, steps, separation, log_ratio, dimension, strong_convexity, smoothness }.holds()?;
    Restarts { restarts, ln_inverse_tv, ln_inverse_inner, log_miss }.holds()
}

impl Sampler for Mala {
    fn sample<P: Potential, R: RandomBits>(
        &self,
        potential: &mut P,
        domain: &Ball,
        rng: &mut R,
    ) -> Result<Draw, InvalidInput> {
        same_dimension(&[potential.dimension(), domain.dimension(), self.start.len()])?;
        let mut effort = Effort::default();
        let run = || {
            let steps = if self.lazy { fair_coins(self.steps, rng) } else { self.steps };
            effort.restarts += 1;
            effort.steps += steps;
            effort.proposals += steps;
            effort.passes += steps.saturating_add(1);
            self.run(steps, potential, rng)
        };
        let centre = domain.centre().to_vec();
        let theta = restart_until_inside(self.restarts, run, |theta| domain.contains(theta), centre);
        Ok(Draw { theta: Private::new(theta), effort: Private::new(effort) })
    }
}

impl Mala {
    /// The end point of one unconstrained chain with this many steps.
    fn run<P: Potential, R: RandomBits>(&self, steps: u64, potential: &mut P, rng: &mut R) -> Vec<f64> {
        let deviation = (0.5 / self.smoothness).sqrt();
        let mut start = vec![0.0; self.start.len()];
        fill_normal(&mut start, rng);
        start.iter_mut().zip(&self.start).for_each(|(z, x)| *z = x + deviation * *z);
        let end = walk(steps, Point::at(start, potential), |state, proposal| {
            propose(self.step, state, proposal, rng);
            proposal.evaluate(potential);
            let log_ratio = log_acceptance(self.step, state, proposal);
            takes(proposal.value, log_ratio, |x| bernoulli_exp_f64(x, rng))
        });
        end.theta
    }
}

/// A point with the value and the gradient of the potential there: what one step keeps for the next.
///
/// ```compile_fail,E0616
/// fn leak(point: asap_dp::sampler::Point) -> Vec<f64> {
///     point.theta
/// }
/// ```
#[derive(Clone)]
pub struct Point {
    /// θ: the point.
    theta: Vec<f64>,
    /// ∇f(θ): the gradient there.
    gradient: Vec<f64>,
    /// f(θ): the value there.
    value: f64,
}

impl Point {
    /// Evaluates the potential at a point.
    pub fn at<P: Potential>(theta: Vec<f64>, potential: &mut P) -> Self {
        let mut point = Self { gradient: vec![0.0; theta.len()], theta, value: f64::NAN };
        point.evaluate(potential);
        point
    }

    fn evaluate<P: Potential>(&mut self, potential: &mut P) {
        self.value = potential.value_and_gradient(&self.theta, &mut self.gradient);
    }
}

/// Moves `proposal` to z = x − h∇f(x) + √(2h)·N(0, I). spec: `alg:MALA`
fn propose<R: RandomBits>(step: f64, state: &Point, proposal: &mut Point, rng: &mut R) {
    let deviation = (2.0 * step).sqrt();
    fill_normal(&mut proposal.theta, rng);
    for ((z, x), g) in proposal.theta.iter_mut().zip(&state.theta).zip(&state.gradient) {
        *z = x - step * g + deviation * *z;
    }
}

/// `ln(π(z)·q(z→x) / (π(x)·q(x→z)))` for a proposal z from x. spec: `alg:MALA`
///
/// With w = z − x: `f(x) − f(z) + ½⟨w, ∇f(x) + ∇f(z)⟩ + (h/4)(‖∇f(x)‖² − ‖∇f(z)‖²)`. The paper exchanges the two
/// factors π; the chain would then leave another law invariant.
pub fn log_acceptance(step: f64, x: &Point, z: &Point) -> f64 {
    let gradients = x.gradient.iter().zip(&z.gradient);
    let sum: f64 = gradients
        .zip(x.theta.iter().zip(&z.theta))
        .map(|((a, b), (x, z))| (a + b) * (0.5 * (z - x) + 0.25 * step * (a - b)))
        .sum();
    x.value - z.value + sum
}

/// Whether a proposal of this energy is taken: never if it is not finite, whatever the ratio.
fn takes(energy: f64, log_ratio: f64, coin: impl FnOnce(f64) -> Option<bool>) -> bool {
    energy.is_finite() && accepts(log_ratio, coin)
}

/// The Metropolis test: whether a proposal with this logarithm of the ratio is taken, given a coin that is true
/// with probability e^(−x). Not a number: never, whatever the coin says.
fn accepts(log_ratio: f64, coin: impl FnOnce(f64) -> Option<bool>) -> bool {
    log_ratio >= 0.0 || (log_ratio < 0.0 && coin(-log_ratio) == Some(true))
}

/// The state after exactly this many steps. A step gets the state and the place of the proposal, moves the latter
/// and says whether it is taken.
fn walk<S: Clone>(steps: u64, start: S, mut step: impl FnMut(&S, &mut S) -> bool) -> S {
    let (mut state, mut proposal) = (start.clone(), start);
    for _ in 0..steps {
        let accepted = step(&state, &mut proposal);
        metropolis(&mut state, &mut proposal, accepted);
    }
    state
}

/// One of the two becomes the state; the other is left behind for the next proposal to overwrite.
fn metropolis<S>(state: &mut S, proposal: &mut S, accepted: bool) {
    if accepted {
        core::mem::swap(state, proposal);
    }
}

/// The first of at most `tau_max` runs that ends inside, or else the fallback. spec: `alg:MALA`
///
/// The result is therefore inside whenever the fallback is, whatever the runs do.
fn restart_until_inside<S>(
    tau_max: u64,
    mut run: impl FnMut() -> S,
    inside: impl Fn(&S) -> bool,
    fallback: S,
) -> S {
    for _ in 0..tau_max {
        let end = run();
        if inside(&end) {
            return end;
        }
    }
    fallback
}

/// Binomial(count, ½): the number of ones among `count` random bits. The steps of a lazy chain that do something.
fn fair_coins<R: RandomBits>(count: u64, rng: &mut R) -> u64 {
    let mut ones = 0;
    for _ in 0..count / 64 {
        ones += u64::from(rng.next_u64().count_ones());
    }
    // The rest is below 64, so that the mask has that many ones.
    let mask = (1_u64 << (count % 64)) - 1;
    ones + u64::from((rng.next_u64() & mask).count_ones())
}

#[cfg(any(kani, test))]
#[path = "../../proofs/sampler/mala.rs"]
mod proofs;

#[cfg(test)]
#[allow(clippy::float_cmp)]
mod tests {
    use super::*;
    use crate::noise::ReplayRng;

    #[test]
    fn the_loop_stops_at_the_first_end_inside_and_never_runs_more_than_tau_max() {
        for (tau_max, first_inside, expected, runs) in
            [(5, 3, 3, 3), (5, 5, 5, 5), (5, 6, 99, 5), (0, 1, 99, 0)]
        {
            let mut count = 0;
            let run = || {
                count += 1;
                count
            };
            assert_eq!(restart_until_inside(tau_max, run, |end| *end >= first_inside, 99), expected);
            assert_eq!(count, runs);
        }
    }

    #[test]
    fn the_coin_decides_only_between_minus_infinity_and_zero() {
        let with = |log_ratio: f64, coin: Option<bool>| accepts(log_ratio, |_| coin);
        for coin in [None, Some(true), Some(false)] {
            assert!(with(0.0, coin) && with(-0.0, coin) && with(1e-300, coin) && with(f64::INFINITY, coin));
            assert!(!with(f64::NAN, coin), "{coin:?}");
            assert_eq!(with(-1.0, coin), coin == Some(true));
        }
        accepts(-0.75, |x| {
            assert_eq!(x, 0.75);
            None
        });
        let mut rng = ReplayRng::new(1);
        assert!(!accepts(f64::NEG_INFINITY, |x| bernoulli_exp_f64(x, &mut rng)));
    }

    #[test]
    fn the_state_is_the_old_one_or_the_proposal() {
        for (accepted, expected) in [(true, (2, 1)), (false, (1, 2))] {
            let (mut state, mut proposal) = (1, 2);
            metropolis(&mut state, &mut proposal, accepted);
            assert_eq!((state, proposal), expected);
        }
    }

    /// H0: Binomial(count, ½). n = 20000 draws each; mean and variance within 6 standard errors.
    #[test]
    fn lazy_steps_are_binomial() {
        let mut rng = ReplayRng::new(2);
        assert_eq!(fair_coins(0, &mut rng), 0);
        for count in [1, 63, 64, 65, 200] {
            let draws: Vec<f64> = (0..20_000).map(|_| fair_coins(count, &mut rng) as f64).collect();
            let (n, variance) = (draws.len() as f64, 0.25 * count as f64);
            let centred =
                |power: i32| draws.iter().map(|x| (x - 0.5 * count as f64).powi(power)).sum::<f64>() / n;
            assert!(draws.iter().all(|x| *x <= count as f64));
            assert!(centred(1).abs() <= 6.0 * (variance / n).sqrt(), "{count}");
            // The fourth central moment is at most 3·variance².
            assert!((centred(2) - variance).abs() <= 6.0 * variance * (2.0 / n).sqrt(), "{count}");
        }
    }

    /// f = +∞ or NaN outside of the unit interval.
    struct Wall(f64);

    impl Potential for Wall {
        fn dimension(&self) -> usize {
            1
        }

        fn value_and_gradient(&mut self, theta: &[f64], gradient: &mut [f64]) -> f64 {
            gradient[0] = 0.0;
            if theta[0].abs() <= 1.0 { 0.0 } else { self.0 }
        }

        fn divergence(&mut self, anchor: &[f64], moved: &[f64]) -> f64 {
            if (anchor[0] + moved[0]).abs() <= 1.0 { 0.0 } else { self.0 }
        }
    }

    #[test]
    fn energies_that_are_not_finite_are_rejected() {
        let line = Ball::new(vec![0.0], 1e9).unwrap();
        let sampler = Mala::scheduled(2.0, 50, 1, vec![0.0], &Everywhere::new(1.0, 1e9).unwrap());
        for wall in [f64::INFINITY, f64::NAN, f64::NEG_INFINITY] {
            let mut rng = ReplayRng::new(3);
            for _ in 0..200 {
                let draw = sampler.sample(&mut Wall(wall), &line, &mut rng).unwrap();
                assert!(draw.theta.reveal_breaking_privacy()[0].abs() <= 1.0, "{wall}");
            }
        }
    }

    #[test]
    fn the_effort_counts_what_was_drawn() {
        let (mut rng, far) = (ReplayRng::new(4), Ball::new(vec![9.0], 0.5).unwrap());
        let sampler = Mala::scheduled(0.1, 7, 3, vec![0.0], &Everywhere::new(1.0, 1e9).unwrap());
        // The walls keep the chain away from the domain, so every run fails and the centre comes back.
        let draw = sampler.sample(&mut Wall(f64::INFINITY), &far, &mut rng).unwrap();
        assert_eq!(draw.theta.reveal_breaking_privacy(), [9.0]);
        let effort = draw.effort.reveal_breaking_privacy();
        assert_eq!(effort, Effort { passes: 24, divergences: 0, steps: 21, proposals: 21, restarts: 3 });
    }

    /// Sabotage: a step less, a restart less, a longer step, or any number between that is a little
    /// too good is not accepted.
    #[test]
    fn a_plan_that_is_a_little_too_good_is_not_accepted() {
        let problem = ChainProblem {
            dimension: 4,
            strong_convexity: 4.0,
            smoothness: 12.0,
            gradient_norm: 1e-6,
            distance: 0.5,
            radius: 4.0,
            ln_inverse_tv: 120.0,
        };
        let it = proposed_plan(&problem).unwrap();
        assert!(decide(&problem, &it).is_ok());
        let (length, restarts) = ("K·Φ_s² is at least 2Q", "(1 − p_acc + ξ_in)^τ_max is at most ξ/2");
        let shorter = Chain { steps: it.chain.steps - 1, ..it.chain };
        for (worse, clause) in [
            (ChainPlan { chain: shorter, ..it }, length),
            (ChainPlan { step: 2.0 * it.step, ..it }, length),
            (ChainPlan { step: 0.5 * it.step, ..it }, length),
            (ChainPlan { restarts: it.restarts - 1, ..it }, restarts),
            (
                ChainPlan { log_miss: it.log_miss * (1.0 + 1e-9), ..it },
                "1 − p_acc is at least e^(−½(√m·R_1 − √d)²)",
            ),
            (
                ChainPlan { ln_inverse_inner: it.ln_inverse_inner - core::f64::consts::LN_2, ..it },
                "ξ_in is at most p_acc·ξ/2",
            ),
            (
                ChainPlan { log_ratio: it.log_ratio * (1.0 - 1e-9), ..it },
                "Q is at least ln 2 + (d/2)·ln(2κ) + Lτ² + ln(1/ξ_in)",
            ),
            (
                ChainPlan { reserve: it.reserve * (1.0 + 1e-9), ..it },
                "the ball of radius R_1 around the minimiser is in Θ",
            ),
        ] {
            assert_eq!(decide(&problem, &worse).unwrap_err().clause, clause);
        }
    }

    /// f(x) = 3x.
    struct Slope;

    impl Potential for Slope {
        fn dimension(&self) -> usize {
            1
        }

        fn value_and_gradient(&mut self, theta: &[f64], gradient: &mut [f64]) -> f64 {
            gradient[0] = 3.0;
            3.0 * theta[0]
        }

        fn divergence(&mut self, _: &[f64], _: &[f64]) -> f64 {
            0.0
        }
    }

    /// h = ½: ‖x − z + ∇f(z)/2‖² = 9 and ‖z − x + ∇f(x)/2‖² = 8.5, so 3 − 4 + (8.5 − 9)/(4h).
    #[test]
    fn the_ratio_of_the_accept_test_by_hand() {
        let x = Point { theta: vec![1.0, 2.0], gradient: vec![1.0, -1.0], value: 3.0 };
        let z = Point { theta: vec![2.0, 0.0], gradient: vec![2.0, 2.0], value: 4.0 };
        assert_eq!((log_acceptance(0.5, &x, &z), log_acceptance(0.5, &z, &x)), (-1.25, 1.25));
    }

    /// With h = 8 a proposal is x − 8g + 4n, and with L = ⅛ a start is x + 2n, n the normal numbers of the same bits.
    #[test]
    fn proposals_and_starts_by_hand() {
        let mut n = [0.0; 2];
        fill_normal(&mut n, &mut ReplayRng::new(5));
        let state = Point { theta: vec![1.0, 2.0], gradient: vec![3.0, -1.0], value: 0.0 };
        let mut proposal = state.clone();
        propose(8.0, &state, &mut proposal, &mut ReplayRng::new(5));
        assert_eq!(proposal.theta, [-23.0 + 4.0 * n[0], 10.0 + 4.0 * n[1]]);
        let mut n = [0.0];
        fill_normal(&mut n, &mut ReplayRng::new(6));
        let sampler = Mala::scheduled(0.1, 7, 1, vec![3.0], &Everywhere::new(0.1, 0.125).unwrap());
        assert_eq!(sampler.run(0, &mut Slope, &mut ReplayRng::new(6)), [3.0 + 2.0 * n[0]]);
        let point = Point::at(vec![2.0], &mut Slope);
        assert_eq!((point.value, point.gradient[0], sampler.steps()), (6.0, 3.0, 7));
    }

    /// f = 2x², declared as 4 ≤ f″ ≤ 12, on a ball that holds nearly all of the law.
    #[test]
    fn a_chain_is_certified_where_its_domain_allows_it() {
        struct Bowl;
        impl Potential for Bowl {
            fn dimension(&self) -> usize {
                1
            }

            fn value_and_gradient(&mut self, theta: &[f64], gradient: &mut [f64]) -> f64 {
                gradient[0] = 4.0 * theta[0];
                2.0 * theta[0] * theta[0]
            }

            fn divergence(&mut self, _: &[f64], moved: &[f64]) -> f64 {
                2.0 * moved[0] * moved[0]
            }
        }
        let curvature = Everywhere::new(4.0, 12.0).unwrap();
        let certified = |start: Vec<f64>, radius: f64| {
            Mala::certified(&mut Bowl, &curvature, start, &Ball::new(vec![0.0], radius).unwrap(), 1e-3)
        };
        let mala = certified(vec![1e-9], 4.0).unwrap();
        assert!(mala.lazy && mala.steps > 100 && mala.step * 12.0 < 1.0 && mala.start == [1e-9]);
        assert!(certified(vec![1e-9, 0.0], 4.0).is_none() && certified(vec![1e-9], 0.1).is_none());
    }
}
