//! The step size and the number of steps of the proximal sampler: proposals. spec: `own:proximal`
//!
//! One step brings any two laws on the ball closer by the factor 1 + mη in Wasserstein-∞ distance, and the centre is
//! within B of every law on the ball. So K steps from the centre reach an error Δ as soon as K·ln(1 + mη) ≥ ln(B/Δ).
//! Only this inequality matters for privacy, and `ProximalSteps` of `asap_contracts::contract` decides it. Any η would
//! be valid; it decides only the running time. It is as large as three conditions allow with λ = m + 1/η. None of them
//! depends on where the minimiser is: energies of about 1, λ ≥ (L − m)d; a ball that is flat on the scale of a
//! proposal, λB² ≥ d²; and a pull out of the ball that does not bend the law around its edge, 2Bλ ≥ d·(g − mB), where g
//! is the slope ‖∇f(θ_0)‖ at the centre.
//!
//! m, L and g may be computed from the records, or be public (m = γΛ, L = γ(Λ + nβ), g = γ(nG + Λ‖θ_0‖)) for planning.
//! One function serves both, because its errors show no number.

mod charge;

pub use charge::{ProximalRounding, planned_proximal_charge};

use super::{non_negative, positive, proposed};
use crate::contract::BrokenContract;
use crate::exact::{at_most, step_until};
use asap_contracts::contract::{PotentialClass, ProximalSteps};

/// The step size η for a potential that is m-strongly convex and L-smooth on a ball of this radius and has this slope
/// at its centre: the largest with λ = m + 1/η ≥ (L − m)d, λB² ≥ d², 2Bλ ≥ d(g − mB), and at most 2²⁰/m.
/// spec: `own:proximal`
pub fn proximal_step(
    strong_convexity: f64,
    smoothness: f64,
    slope: f64,
    radius: f64,
    dimension: u64,
) -> Result<f64, BrokenContract> {
    proposed("own:proximal", "proximal_step", || {
        largest_step(&PotentialClass { strong_convexity, smoothness, slope, radius, dimension })
    })
}

/// The number of steps from the centre of a ball that bring the law within `error` (2-norm) of the target.
/// spec: `own:proximal`
///
/// If it exists for m, L and g, then [`Proximal::calibrated`](crate::sampler::Proximal::calibrated) succeeds for every
/// larger m and smaller L and g as well: for every data set, if they are the worst case.
pub fn planned_proximal_steps(
    strong_convexity: f64,
    smoothness: f64,
    slope: f64,
    radius: f64,
    dimension: u64,
    error: f64,
) -> Result<u64, BrokenContract> {
    proposed("own:proximal", "planned_proximal_steps", || {
        let step = largest_step(&PotentialClass { strong_convexity, smoothness, slope, radius, dimension })?;
        estimated_steps(strong_convexity, step, radius, error).filter(|steps| *steps <= PLANNED_STEPS)
    })
}

/// The largest number of steps that a plan may have. The data-dependent calibration goes further, so that it
/// never fails where a plan exists.
const PLANNED_STEPS: u64 = 1 << 40;

/// Up to here whole numbers are exact as `f64`.
const LARGEST_STEPS: f64 = (1_u64 << 53) as f64;

/// Beyond mη = 2²⁰ a step forgets all but one part in a million of where it started.
const LARGEST_PRODUCT: f64 = (1_u64 << 20) as f64;

/// A computed value is within a few roundings of its bound; a step is one unit in the last place.
const ROUNDINGS: u32 = 16;

/// η with λ = m + 1/η as large as the running time asks for, and 1/η ≥ m/2²⁰; `None` where no positive `f64` will do.
/// See [`proximal_step`].
pub(crate) fn largest_step(f: &PotentialClass) -> Option<f64> {
    let in_range = positive(f.strong_convexity)
        && f.smoothness.is_finite()
        && f.smoothness >= f.strong_convexity
        && non_negative(f.slope)
        && non_negative(f.radius)
        && (1..=1 << 40).contains(&f.dimension);
    in_range.then_some(())?;
    let holds =
        |step: f64| at_most(&[&[f.strong_convexity, step]], &[&[LARGEST_PRODUCT]]) && is_affordable(f, step);
    let largest = estimated_step(f);
    // Cancellation in 1/η can cost more than the last places: then a thousandth finds the way, up to 2²⁰ dimensions.
    step_until(largest, f64::next_down, holds, ROUNDINGS)
        .or_else(|| step_until(largest, |step| 0.999 * step, holds, ROUNDINGS))
        .or_else(|| step_until(largest, |step| 0.5 * step, holds, ROUNDINGS))
        .filter(|step| positive(*step))
}

/// About the largest step: where the search for it starts.
fn estimated_step(f: &PotentialClass) -> f64 {
    let (m, dimension) = (f.strong_convexity, f.dimension as f64);
    let mut precision = (f.smoothness - m) * dimension;
    if f.radius > 0.0 {
        let pull = f.slope - m * f.radius;
        precision = precision.max(dimension * pull / (2.0 * f.radius)).max((dimension / f.radius).powi(2));
    }
    let inverse = (precision - m).max(m / LARGEST_PRODUCT);
    inverse.recip().min(f64::MAX)
}

/// Decides λ = m + 1/η ≥ (L − m)d and, in a ball that is not a point, 2Bλ ≥ d(g − mB) and λB² ≥ d².
/// A matter of running time.
fn is_affordable(f: &PotentialClass, step: f64) -> bool {
    let PotentialClass { strong_convexity: m, smoothness, slope, radius, dimension } = *f;
    let d = dimension as f64;
    at_most(&[&[smoothness, d, step]], &[&[1.0], &[m, step], &[m, d, step]])
        && at_most(
            &[&[radius, d, slope, step]],
            &[&[2.0, radius, radius], &[2.0, radius, radius, m, step], &[d, m, radius, radius, step]],
        )
        && (radius == 0.0 || at_most(&[&[d, d, step]], &[&[radius, radius], &[radius, radius, m, step]]))
}

/// K for a potential that is m-strongly convex, a step η, a ball of this radius, and this error: the first from the
/// estimate on that the contract accepts. The numbers may be private.
pub(crate) fn steps_to_reach(strong_convexity: f64, step: f64, radius: f64, error: f64) -> Option<u64> {
    let enough = |steps: u64| ProximalSteps { steps, step, strong_convexity, radius, error }.holds().is_ok();
    step_until(estimated_steps(strong_convexity, step, radius, error)?, |steps| steps + 1, enough, ROUNDINGS)
}

/// ln(B/Δ)/ln(1 + mη) as it is computed, with a margin for the roundings of both logarithms and of their arguments.
fn estimated_steps(strong_convexity: f64, step: f64, radius: f64, error: f64) -> Option<u64> {
    (positive(error) && non_negative(radius)).then_some(())?;
    let rate = (strong_convexity * step).ln_1p();
    let distance = if radius <= error { 0.0 } else { (radius / error).ln() };
    let steps = (distance / rate * (1.0 + 16.0 * f64::EPSILON)).ceil().max(1.0);
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a whole number up to 2^53")]
    (rate > 0.0 && steps < LARGEST_STEPS).then_some(steps as u64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contract::{BrokenContract, Clause};
    use quickcheck::quickcheck;

    type Worked = (f64, f64, f64, f64, u64, f64, f64, u64);

    /// mpmath, 40 digits: (m, L, g, B, d, Δ, η, K).
    const PLANS: [Worked; 12] = [
        (1.0, 1.0, 0.0, 1.0, 1, 1e-9, 1_048_576.0, 2),
        (1.0, 2.0, 0.0, 1.0, 1, 1e-9, 1_048_576.0, 2),
        (2.0, 10.0, 0.0, 5.0, 3, 1e-6, 0.045_454_545_454_545_456, 178),
        (0.5, 13.5, 0.0, 3.0, 11, 1e-12, 0.007_017_543_859_649_123, 8203),
        (1.0, 251.0, 0.0, 10.0, 11, 1e-10, 0.000_363_768_643_142_961_1, 69_641),
        // The ball is not flat: λ = 121/100.
        (1.0, 1.05, 0.0, 10.0, 11, 1e-10, 4.761_904_761_904_762, 15),
        (1.0, 1.05, 0.0, 16.0, 11, 1e-10, 1_048_576.0, 2),
        (3.0, 4.0, 0.0, 1.0, 2, 2.0, 1.0, 1),
        // A pull of 20 and of 996: λ = 20 and 622.5.
        (1.0, 2.0, 21.0, 1.0, 2, 1e-3, 0.052_631_578_947_368_42, 135),
        (1.0, 1.0, 1000.0, 4.0, 5, 1e-6, 0.001_609_010_458_567_980_7, 9456),
        // One part in 2⁴⁰ takes two steps, one in 2⁴¹ a third.
        (1.0, 1.0, 0.0, 1.0, 1, 1.0 / (1_u64 << 40) as f64, 1_048_576.0, 2),
        (1.0, 1.0, 0.0, 1.0, 1, 0.5 / (1_u64 << 40) as f64, 1_048_576.0, 3),
    ];

    #[test]
    fn plans_of_hand_computed_problems() {
        for (m, l, slope, radius, d, error, step, steps) in PLANS {
            let computed = proximal_step(m, l, slope, radius, d).unwrap();
            assert!((computed / step - 1.0).abs() < 1e-14, "m = {m}, L = {l}: η = {computed}");
            assert_eq!(planned_proximal_steps(m, l, slope, radius, d, error), Ok(steps), "m = {m}, L = {l}");
        }
    }

    #[test]
    fn impossible_numbers_are_refused() {
        let kind = |outcome: Result<u64, BrokenContract>| outcome.unwrap_err().kind;
        assert_eq!(kind(planned_proximal_steps(1.0, 1e300, 0.0, 1.0, 1 << 40, 0.1)), Clause::Range);
        assert_eq!(kind(planned_proximal_steps(1e-300, 1e300, 0.0, 1.0, 1, 0.1)), Clause::Range);
        assert_eq!(kind(planned_proximal_steps(2.0, 1.0, 0.0, 1.0, 1, 0.1)), Clause::Range);
        for bad in [f64::NAN, f64::INFINITY, -1.0, 0.0] {
            assert!(planned_proximal_steps(1.0, 2.0, 0.0, 1.0, 1, bad).is_err());
            assert!(proximal_step(bad, 1.0, 0.0, 1.0, 1).is_err());
            assert_eq!(steps_to_reach(1.0, 1.0, 1.0, bad), None);
        }
    }

    /// Sabotage: the contract does not take one step less than it needs, so that a number of steps that
    /// is too small is put right.
    #[test]
    fn the_contract_decides_the_number_of_steps() {
        for (m, l, slope, radius, d, error, _, steps) in PLANS.into_iter().filter(|plan| plan.7 > 1) {
            let step = proximal_step(m, l, slope, radius, d).unwrap();
            assert_eq!(steps_to_reach(m, step, radius, error), Some(steps));
            let less = ProximalSteps { steps: steps - 1, step, strong_convexity: m, radius, error };
            assert!(less.holds().is_err(), "m = {m}, L = {l}");
        }
    }

    fn anything(bits: u64) -> f64 {
        f64::from_bits(bits).abs()
    }

    quickcheck! {
        /// Over the whole range of exponents: what is proposed is accepted, and nothing panics.
        fn every_number_of_steps_is_accepted(a: u64, b: u64, c: u64, e: u64, d: u32) -> bool {
            let [a, b, c, e] = [a, b, c, e].map(anything);
            let (m, l, d) = (a.min(b), a.max(b), u64::from(d) + 1);
            let Ok(step) = proximal_step(m, l, 1.0 / c, c, d) else { return true };
            let estimated = estimated_steps(m, step, c, e);
            estimated.is_none() || steps_to_reach(m, step, c, e).is_some()
        }

        /// Where m and L are of one magnitude, and the ball is not smaller than the law, every function succeeds.
        fn plausible_numbers_succeed(m: u32, ratio: u16, d: u16, inverse_error: u32) -> bool {
            let (m, d) = (f64::from(m) / 1e6 + 1e-6, u64::from(d) + 1);
            let l = m * (1.0 + f64::from(ratio) / 256.0);
            let error = 1.0 / (f64::from(inverse_error) + 1.0);
            [0.0, l].into_iter().all(|slope| planned_proximal_steps(m, l, slope, m.sqrt().recip(), d, error).is_ok())
        }

        /// A plan for the worst case means that no data set fails.
        fn a_plan_covers_every_better_case(m: u64, l: u64, slope: u64, better: u8, d: u16) -> bool {
            let (m, l, slope) = (anything(m), anything(l), anything(slope));
            let (m, l, d) = (m.min(l), m.max(l), u64::from(d) + 1);
            let plan = planned_proximal_steps(m, l, slope, 10.0, d, 1e-9);
            let share = f64::from(better) / 256.0;
            let [better_m, better_l] = [m + share * (l - m), l - share * (l - m)];
            let calibrate = |m: f64, l: f64, slope: f64| {
                steps_to_reach(m, proximal_step(m, l.max(m), slope, 10.0, d).ok()?, 10.0, 1e-9)
            };
            plan.is_err()
                || (calibrate(better_m, l, slope).is_some()
                    && calibrate(m, better_l, slope).is_some()
                    && calibrate(m, l, share * slope).is_some())
        }

        /// In practice the step is that of real numbers, but for one part in fifty: the charge of a plan counts on it.
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
        fn the_search_for_a_step_loses_little(m: u32, ratio: u32, slope: u32, radius: u16, d: u16) -> bool {
            let (m, d) = (f64::from(m) / 1e6 + 1e-6, f64::from(d) + 1.0);
            let (l, slope) = (m * (1.0 + f64::from(ratio) / 1e7 / d), f64::from(slope) / 1e3);
            let radius = (f64::from(radius) + 1.0) / 256.0;
            let f = PotentialClass { strong_convexity: m, smoothness: l, slope, radius, dimension: d as u64 };
            let found = largest_step(&f).unwrap();
            !is_affordable(&f, found / 0.98) || m * found / 0.98 > LARGEST_PRODUCT
        }
    }
}
