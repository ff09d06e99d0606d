//! How long constrained MALA must run, with every constant of the mixing time explicit.
//!
//! The law of the unconstrained chain after K lazy steps is within `ξ_in` of π ∝ e^(−f) in total variation. Restarting
//! until the end point lies in Θ turns that into ξ for the constrained law. `spec/own-conductance.md` has the proofs
//! and the names of the quantities. Everything is scaled: the step is η = hL, lengths are in units of 1/√m.
//!
//! m and L must hold **on the whole space**, not only on Θ, because the chain leaves Θ.
//!
//! Everything here is proposed. [`Mala::certified`](crate::sampler::Mala::certified) runs what the contracts of the
//! page accept, in exact rationals and in unscaled quantities, and nothing else.

use super::density::{DOWN, LN_2_UP, UP};
use super::{non_negative, positive, proposed};
use crate::contract::{BrokenContract, Public, contract};
use crate::exact::{add_up, at_most, div_down, div_up, integer_up, mul_up, step_until};
use crate::special::softplus;
use core::f64::consts::{FRAC_1_SQRT_2, LN_2, PI};

/// The smallest chance to end in Θ with which MALA is used at all. Below it the domain assumption
/// counts as broken. spec: `assumpt:domain`
pub const LEAST_ACCEPTANCE: f64 = 0.05;

/// The largest number of steps or restarts: larger ones are not exact as `f64`, and would take too long.
const LARGEST_COUNT: f64 = 9_007_199_254_740_992.0;

/// A lazy chain with a certified mixing time. spec: `own:conductance`
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Chain {
    /// η = hL, at most 2.
    pub relative_step: f64,
    /// t: points within t√(2h) of each other have overlapping proposals.
    pub separation: f64,
    /// Not above `Φ_s`, the s-conductance of the lazy chain.
    pub conductance: f64,
    /// K: lazy steps. Half of them are expected to cost a gradient.
    pub steps: u64,
}

/// What the plan for one data set depends on. spec: `own:conductance`
///
/// It has no `Debug`: all of it comes from the records.
#[derive(Clone, Copy)]
pub struct ChainProblem {
    /// d: the number of parameters.
    pub dimension: u64,
    /// m: f is m-strongly convex on the whole space.
    pub strong_convexity: f64,
    /// L: f is L-smooth on the whole space.
    pub smoothness: f64,
    /// `‖∇f(θ_opt)‖`. Divided by m it bounds the distance τ from `θ_opt` to the minimiser of f on the whole space.
    pub gradient_norm: f64,
    /// `‖θ_opt − θ_0‖`, where `θ_0` is the centre of Θ.
    pub distance: f64,
    /// B: the radius of Θ.
    pub radius: f64,
    /// ln(1/ξ), as [`ln_inverse_tv`](super::ln_inverse_tv) gives it.
    pub ln_inverse_tv: f64,
}

/// Step size, length and restarts for one data set, with the numbers between the problem and them. A proposal: the
/// caller that runs the chain has it decided. No `Debug`: it depends on the records. spec: `own:conductance`
#[derive(Clone, Copy)]
pub struct ChainPlan {
    /// h: the step size.
    pub step: f64,
    /// K and the numbers that certify it.
    pub chain: Chain,
    /// `τ_max`: how many chains are run at most.
    pub restarts: u64,
    /// `R_1`.
    pub reserve: f64,
    /// −ln(1 − `p_acc`).
    pub log_miss: f64,
    /// ln(1/`ξ_in`).
    pub ln_inverse_inner: f64,
    /// Q.
    pub log_ratio: f64,
}

/// A plan for one data set; `None` where the domain assumption fails (then another sampler must draw), or
/// no plan is representable.
/// spec: `own:conductance`, `thm:MALA_bounded`
pub fn proposed_plan(problem: &ChainProblem) -> Option<ChainPlan> {
    let ChainProblem { dimension, strong_convexity, smoothness, gradient_norm, .. } = *problem;
    (positive(strong_convexity) && positive(smoothness) && non_negative(gradient_norm)).then_some(())?;
    (smoothness >= strong_convexity).then_some(())?;
    let condition = div_up(smoothness, strong_convexity)?;
    let tau = div_up(gradient_norm, strong_convexity)?;
    let reserve = (problem.radius - add_up(problem.distance, tau)? * UP) * DOWN;
    let ln_miss = ln_miss(dimension, strong_convexity, reserve)?;
    let ln_inverse_inner = ln_inverse_inner_tv(problem.ln_inverse_tv, ln_miss)?;
    let excess = mul_up(smoothness, mul_up(tau, tau)?)?;
    let log_ratio = log_ratio(ln_warmness(dimension, condition, excess)?, ln_inverse_inner)?;
    let chain = shortest_chain(dimension, condition, log_ratio).ok()?;
    let step = div_down(chain.relative_step, smoothness)?;
    let restarts = proposed_restarts(problem.ln_inverse_tv, ln_miss).ok()?;
    Some(ChainPlan { step, chain, restarts, reserve, log_miss: -ln_miss, ln_inverse_inner, log_ratio })
}

/// Not below `ln β_0 = (d/2)·ln(2κ) + Lτ²`: how warm the initial law `N(θ_opt, I/(2L))` is, given `excess` = Lτ².
/// spec: `own:conductance`, `own:warm-start`
pub fn ln_warmness(dimension: u64, condition: f64, excess: f64) -> Option<f64> {
    (condition >= 1.0 && non_negative(excess)).then_some(())?;
    let ln_2_kappa = add_up(LN_2_UP, condition.ln() * UP)?;
    add_up(mul_up(0.5, mul_up(integer_up(dimension)?, ln_2_kappa)?)?, excess)
}

/// Not below `ln(1 − p_acc) = −½(√m·R_1 − √d)₊²`: the chance that π misses the ball of radius `R_1` around its
/// mode. spec: `own:conductance`
///
/// `None` if `p_acc` is below [`LEAST_ACCEPTANCE`].
pub fn ln_miss(dimension: u64, strong_convexity: f64, reserve: f64) -> Option<f64> {
    // A negative reserve, and a NaN, end in the last line.
    let radii = strong_convexity.sqrt() * reserve * DOWN - (dimension as f64).sqrt() * UP;
    let ln_miss = -0.5 * radii.max(0.0) * radii.max(0.0) * DOWN;
    (acceptance(ln_miss) >= LEAST_ACCEPTANCE && ln_miss.is_finite()).then_some(ln_miss)
}

/// Not above `p_acc`.
fn acceptance(ln_miss: f64) -> f64 {
    -ln_miss.exp_m1() * DOWN
}

/// Not below `ln(1/ξ_in)` for `ξ_in = p_acc·ξ/2`: the target of the unconstrained chain.
/// spec: `own:conductance`, `own:conditional-tv`
pub fn ln_inverse_inner_tv(ln_inverse_tv: f64, ln_miss: f64) -> Option<f64> {
    positive(ln_inverse_tv).then_some(())?;
    let loss = -acceptance(ln_miss).ln();
    add_up(add_up(ln_inverse_tv, LN_2_UP)?, loss.max(0.0) * UP)
}

/// Not below `Q = ln(2β_0/ξ_in)`. spec: `own:conductance`
pub fn log_ratio(ln_warmness: f64, ln_inverse_inner_tv: f64) -> Option<f64> {
    add_up(add_up(ln_warmness, ln_inverse_inner_tv)?, LN_2_UP)
}

/// `τ_max`: restarts after which a chain has ended in Θ except with probability ξ/2,
/// `⌈ln(2/ξ) / −ln(1 − p_acc + ξ_in)⌉`. A proposal: `Restarts` of `asap_contracts::contract` decides.
/// spec: `own:conductance`
pub fn proposed_restarts(ln_inverse_tv: f64, ln_miss: f64) -> Result<u64, BrokenContract> {
    proposed("own:conductance", "proposed_restarts", || {
        (acceptance(ln_miss) >= LEAST_ACCEPTANCE && ln_miss.is_finite()).then_some(())?;
        let ln_inner = -ln_inverse_inner_tv(ln_inverse_tv, ln_miss)?;
        let (larger, smaller) = (ln_miss.max(ln_inner), ln_miss.min(ln_inner));
        let rate = -(larger + softplus(smaller - larger)) * DOWN;
        let needed = add_up(ln_inverse_tv, LN_2_UP)?;
        smallest_count(needed / rate, |count| at_most(&[&[needed]], &[&[count, rate]]))
    })
}

/// The lazy chain of least length among a grid of steps and separations, for d, κ and `Q = ln(2β_0/ξ_in)`. A proposal:
/// `MixingTime` of `asap_contracts::contract` decides. spec: `own:conductance`
///
/// Every grid point is a valid choice; the search only makes the chain short. β_0 ≥ 1 and ξ_in ≤ 1, so Q is never
/// below ln 2; below it s would not be under ½.
pub fn shortest_chain(dimension: u64, condition: f64, log_ratio: f64) -> Result<Chain, BrokenContract> {
    proposed("own:conductance", "shortest_chain", || {
        let in_range = (1..=1 << 40).contains(&dimension)
            && (condition >= 1.0 && condition.is_finite())
            && (log_ratio >= LN_2 && log_ratio.is_finite());
        in_range.then_some(())?;
        Kernel { dimension: dimension as f64, condition, log_ratio }.shortest_chain()
    })
}

contract! {
    spec "alg:MALA";
    /// Whether a planned chain is run at all: it is not longer than the longest that is allowed.
    ///
    /// Beyond it another sampler, a larger regulariser, a larger error or a larger limit is needed.
    pub fn feasible_chain(planned_steps: Public, largest_chain: Public) -> f64
    where
        requires planned_steps.get() >= 0.0;
        requires planned_steps.get() <= largest_chain.get();
        ensures(value) value <= largest_chain.get();
    {
        Some(planned_steps.get())
    }
}

/// `K·Φ_s² ≥ 2Q`.
fn enough_steps(steps: f64, conductance: f64, log_ratio: f64) -> bool {
    steps <= LARGEST_COUNT && at_most(&[&[2.0, log_ratio]], &[&[steps, conductance, conductance]])
}

/// The least whole number near an estimate for which a condition holds that larger numbers satisfy more easily.
fn smallest_count(estimate: f64, suffices: impl Fn(f64) -> bool) -> Option<u64> {
    let start = Some(estimate.ceil()).filter(|x| (0.0..LARGEST_COUNT).contains(x))?;
    let count = step_until(start.max(1.0), |x| x + 1.0, suffices, 16)?;
    // Whole, positive and below 2⁵³ + 16.
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
    Some(count as u64)
}

/// The bounds for one MALA kernel, in units of 1/L (steps) and 1/√m (lengths).
struct Kernel {
    dimension: f64,
    /// κ = L/m.
    condition: f64,
    /// Q: the ball of radius r has all but e^(−Q) of the mass.
    log_ratio: f64,
}

impl Kernel {
    fn shortest_chain(&self) -> Option<Chain> {
        // The largest power of two with a rejection probability of at most ¼. The optimum lies at 0.05 to 0.07.
        let largest = (0..1000).map(|k| 2.0_f64.powi(1 - k)).find(|eta| self.rejection(*eta) <= 0.25)?;
        let grid =
            (0..32).flat_map(|i| (0..=24).map(move |j| (f64::from(-i) / 8.0, 0.4 + 0.05 * f64::from(j))));
        let (conductance, relative_step, separation) = grid
            .map(|(octaves, t)| (largest * octaves.exp2(), t))
            .filter_map(|(eta, t)| self.conductance(eta, t).map(|value| (value, eta, t)))
            .max_by(|a, b| a.0.total_cmp(&b.0))?;
        let log_ratio = self.log_ratio;
        let steps = smallest_count(2.0 * log_ratio / (conductance * conductance), |count| {
            enough_steps(count, conductance, log_ratio)
        })?;
        Some(Chain { relative_step, separation, conductance, steps })
    }

    /// Not below a(h): the chance that a proposal from anywhere in the ball of radius r is rejected.
    fn rejection(&self, eta: f64) -> f64 {
        let kappa = self.condition;
        // (L − m)/L and (L + m)/(2L).
        let (spread, mean) = ((kappa - 1.0) / kappa, 0.5 * (1.0 + 1.0 / kappa));
        // √m·r; then L·E‖z − x‖²; then √(κ)·√m·r = ‖∇f‖/√L.
        let reach = self.dimension.sqrt() + (2.0 * self.log_ratio).sqrt();
        let square = kappa * eta * eta * reach * reach + 2.0 * eta * self.dimension;
        let slope = kappa.sqrt() * reach;
        let cross = mean * (eta / PI).sqrt() + 0.5 * spread * square.sqrt();
        ((0.125 * spread + 0.25 * eta) * square + 0.5 * eta * slope * cross) * UP
    }

    /// Not above `Φ_s`, for a step η ≤ 2 and a separation t; `None` where the bound says nothing.
    fn conductance(&self, eta: f64, t: f64) -> Option<f64> {
        let overlap_loss = centre_mass(0.5 * t) * UP;
        let overlap = (1.0 - overlap_loss - 2.0 * self.rejection(eta)) * DOWN;
        let isoperimetry = centre_mass(t * (2.0 * eta / self.condition).sqrt()) * DOWN;
        // Below this the cancellation in `overlap` would eat up its margin.
        (overlap >= 0.001).then(|| 0.125 * overlap * isoperimetry / (1.0 + isoperimetry) * DOWN)
    }
}

/// `2Φ(x) − 1`, also for small x.
fn centre_mass(x: f64) -> f64 {
    libm::erf(x * FRAC_1_SQRT_2)
}

#[cfg(any(kani, test))]
#[path = "../../proofs/calibrate/mala.rs"]
mod proofs;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contract::Clause;
    use quickcheck::quickcheck;

    /// Optima over all (h, t) in unscaled quantities, mpmath with 30 digits; the working is in
    /// `spec/own-conductance.md`. `p_acc = 1 − e^(−50)`, τ = 0.
    const LENGTHS: [(u64, f64, f64, f64, f64); 5] = [
        (1, 1.01, 45.0, 46.737_843_116_826_45, 510_214.744_296),
        (11, 1.01, 160.0, 165.253_330_673_892, 2_759_428.073_56),
        (11, 10.0, 420.0, 437.862_821_865_666_8, 520_998_106.666),
        (2, 100.0, 100.0, 106.684_611_727_667_9, 1_702_257_470.3),
        (1000, 1000.0, 1e5, 103_801.837_524_132_2, 1.683_801_975_75e15),
    ];

    #[test]
    fn lengths_agree_with_an_independent_optimum() {
        for (d, kappa, ln_inverse_tv, exact_ratio, shortest) in LENGTHS {
            let inner = ln_inverse_inner_tv(ln_inverse_tv, -50.0).unwrap();
            let ratio = log_ratio(ln_warmness(d, kappa, 0.0).unwrap(), inner).unwrap();
            assert!(ratio >= exact_ratio && ratio <= exact_ratio * (1.0 + 1e-10), "{ratio} {exact_ratio}");
            let chain = shortest_chain(d, kappa, ratio).unwrap();
            let steps = chain.steps as f64;
            assert!(
                steps >= shortest && steps <= 1.01 * shortest,
                "d = {d}, κ = {kappa}: {steps} {shortest}"
            );
        }
    }

    #[test]
    fn the_margins_of_one_length_are_small() {
        // η = 1/32, t = 1 for the second row above: K = 2837784.19992861 exactly.
        let (d, kappa, _, ratio, _) = LENGTHS[1];
        let phi =
            Kernel { dimension: d as f64, condition: kappa, log_ratio: ratio }.conductance(0.03125, 1.0);
        let steps = 2.0 * ratio / phi.unwrap().powi(2);
        assert!((2_837_784.199_928..2_837_784.200_1).contains(&steps), "{steps}");
    }

    /// mpmath: `ln(2/ξ)/−ln(1 − p_acc + ξ_in)` is 1.00029…, 3132.42… and 210.34….
    #[test]
    fn restarts_of_hand_picked_problems() {
        assert_eq!(proposed_restarts(45.0, -50.0), Ok(2));
        assert_eq!(proposed_restarts(160.0, -0.0513), Ok(3133));
        assert_eq!(proposed_restarts(420.0, -2.0), Ok(211));
        // p_acc = 0.01.
        assert!(proposed_restarts(420.0, -0.01005).is_err());
        assert_eq!(proposed_restarts(1e300, -0.7).unwrap_err().kind, Clause::Range);
    }

    /// f and f′ with f″ = L on an interval and m elsewhere, and the mode at 0.
    fn bent(x: f64, (m, l): (f64, f64), (from, to): (f64, f64)) -> (f64, f64) {
        let integral = |x: f64| (0.5 * x.clamp(from, to) + (x - x.clamp(from, to))) * x.clamp(from, to);
        let kink = 0.0_f64.clamp(from, to);
        let value = integral(x) - integral(0.0) - kink * x;
        (0.5 * m * x * x + (l - m) * value, m * x + (l - m) * (x.clamp(from, to) - kink))
    }

    /// 1 − E min(1, α) from x, by quadrature over the normal variable of the proposal.
    fn rejection(x: f64, h: f64, f: impl Fn(f64) -> (f64, f64)) -> f64 {
        let (value, slope) = f(x);
        let (cells, mut sum) = (600, 0.0);
        for k in 0..cells {
            let u = -8.0 + 16.0 * (f64::from(k) + 0.5) / f64::from(cells);
            let z = x - h * slope + (2.0 * h).sqrt() * u;
            let (next, next_slope) = f(z);
            let ln_alpha = value - next
                + 0.5 * (z - x) * (slope + next_slope)
                + 0.25 * h * (slope * slope - next_slope * next_slope);
            sum += (-0.5 * u * u).exp() * -ln_alpha.min(0.0).exp_m1();
        }
        sum * 16.0 / f64::from(cells) / (2.0 * PI).sqrt()
    }

    /// H0: a(h) bounds the rejection probability everywhere in the ball of radius r, whatever the curvature does
    /// between m and L. Without sampling; half of the bound would be violated.
    #[test]
    fn the_rejection_bound_holds_in_the_ball_and_is_not_idle() {
        let mut tightest: f64 = 0.0;
        for (m, l) in [(1.0, 1.0), (1.0, 4.0), (0.1, 10.0)] {
            for eta in [0.003, 0.03, 0.1] {
                let kernel = Kernel { dimension: 1.0, condition: l / m, log_ratio: 20.0 };
                let (bound, r) = (kernel.rejection(eta), (1.0 + 40.0_f64.sqrt()) / m.sqrt());
                for (k, width) in (-20..=20).flat_map(|k| [0.0, 0.1, 0.5, 40.0].map(|width| (k, width))) {
                    let edge = f64::from(k) / 20.0 * r;
                    for x in (-10..=10).map(|j| f64::from(j) / 10.0 * r) {
                        let exact = rejection(x, eta / l, |x| bent(x, (m, l), (edge, edge + width)));
                        assert!(exact <= bound, "m {m}, L {l}, η {eta}, x {x}: {exact} > {bound}");
                        tightest = tightest.max(exact / bound);
                    }
                }
            }
        }
        assert!(tightest > 0.5, "{tightest}");
    }

    fn problem() -> ChainProblem {
        ChainProblem {
            dimension: 4,
            strong_convexity: 4.0,
            smoothness: 12.0,
            gradient_norm: 1e-6,
            distance: 0.5,
            radius: 4.0,
            ln_inverse_tv: 120.0,
        }
    }

    #[test]
    fn a_plan_puts_the_pieces_together() {
        let plan = proposed_plan(&problem()).unwrap();
        // R_1 = 3.5 − 2.5e-7, √m·R_1 − √d = 5, p_acc = 1 − e^(−12.5).
        let miss = ln_miss(4, 4.0, 3.5).unwrap();
        assert!((miss + 12.5).abs() < 1e-9);
        assert_eq!(Ok(plan.restarts), proposed_restarts(120.0, miss));
        let ratio = 120.0 + 2.0 * LN_2 - (-(-12.5_f64).exp()).ln_1p() + 2.0 * 6.0_f64.ln();
        let chain = shortest_chain(4, 3.0, ratio * (1.0 + 1e-9)).unwrap();
        assert!((plan.chain.steps as f64 / chain.steps as f64 - 1.0).abs() < 1e-6);
        assert!((plan.step * 12.0 - chain.relative_step).abs() < 1e-12);
    }

    #[test]
    fn there_is_no_plan_where_the_domain_assumption_fails() {
        // √m·R_1 − √d < √(−2 ln 0.95) from R_1 = 1.16 on.
        for (distance, planned) in [(2.83, true), (2.85, false), (4.0, false), (9.0, false)] {
            assert_eq!(
                proposed_plan(&ChainProblem { distance, ..problem() }).is_some(),
                planned,
                "{distance}"
            );
        }
        // A large gradient at θ_opt (say, of a projected solve) says that the minimiser may be outside.
        assert!(proposed_plan(&ChainProblem { gradient_norm: 12.0, ..problem() }).is_none());
        for bad in [f64::NAN, f64::INFINITY, -1.0] {
            assert!(proposed_plan(&ChainProblem { strong_convexity: bad, ..problem() }).is_none());
            assert!(proposed_plan(&ChainProblem { smoothness: bad, ..problem() }).is_none());
            assert!(proposed_plan(&ChainProblem { gradient_norm: bad, ..problem() }).is_none());
            assert!(proposed_plan(&ChainProblem { distance: bad, ..problem() }).is_none());
            assert!(proposed_plan(&ChainProblem { radius: bad, ..problem() }).is_none());
            assert!(proposed_plan(&ChainProblem { ln_inverse_tv: bad, ..problem() }).is_none());
        }
        assert!(proposed_plan(&ChainProblem { smoothness: 3.0, ..problem() }).is_none(), "L < m");
        assert!(proposed_plan(&ChainProblem { dimension: 0, ..problem() }).is_none());
    }

    quickcheck! {
        /// Over any numbers at all: no panic.
        fn every_answer_is_a_chain(d: u64, kappa: u64, ratio: u64) -> bool {
            let [kappa, ratio] = [kappa, ratio].map(|bits| f64::from_bits(bits).abs());
            match shortest_chain(d, kappa, ratio) {
                Ok(chain) => chain.steps >= 1 && chain.conductance > 0.0,
                Err(_) => true,
            }
        }

        fn no_problem_makes_a_plan_panic(d: u64, m: u64, l: u64, g: u64, a: u64, b: u64, ln: u64) -> bool {
            let [m, l, g, a, b, ln] = [m, l, g, a, b, ln].map(f64::from_bits);
            let problem = ChainProblem {
                dimension: d,
                strong_convexity: m,
                smoothness: l,
                gradient_norm: g,
                distance: a,
                radius: b,
                ln_inverse_tv: ln,
            };
            proposed_plan(&problem).is_none_or(|plan| plan.step > 0.0 && plan.restarts >= 1)
        }
    }
}
