//! The step size and the number of steps of the proximal sampler. spec: `own:proximal`
//!
//! One step brings any two laws on the ball closer by the factor 1 + mη in Wasserstein-∞ distance, and the centre
//! is within B of every law on the ball. So K steps from the centre reach an error Δ as soon as
//! K·ln(1 + mη) ≥ ln(B/Δ). Only this inequality matters for privacy: the left side is rounded down, the right
//! side up, and it is decided exactly. Any η would be valid; it only decides the running time. It is as large as three
//! things allow with λ = m + 1/η, none of which asks where the minimiser is: energies of about 1, λ ≥ (L − m)d; a ball
//! that is flat on the scale of a proposal, λB² ≥ d²; and a pull out of the ball that does not bend the law around its
//! edge, 2Bλ ≥ d·(g − mB), where g is the slope ‖∇f(θ_0)‖ at the centre.
//!
//! m, L and g may be computed from the records, or be public (m = γΛ, L = γ(Λ + nβ), g = γ(nG + Λ‖θ_0‖)) for planning: one
//! function with a contract serves both, because its errors show public arguments only.

mod charge;

pub use charge::planned_proximal_charge;

use super::positive;
use crate::contract::{contract, prusti};
use crate::exact::{at_most, div_up, floor_log2, mul_down, step_until};
use crate::special::ln;
use core::f64::consts::LN_2;

contract! {
    spec "own:proximal";
    /// The step size η for a potential that is m-strongly convex and L-smooth on a ball of this radius and has this slope
    /// at its centre: the largest with λ = m + 1/η ≥ (L − m)d, λB² ≥ d², 2Bλ ≥ d(g − mB), and at most 2²⁰/m.
    pub fn proximal_step(strong_convexity: f64, smoothness: f64, slope: f64, radius: f64, dimension: u64) -> f64
    where
        requires positive(strong_convexity);
        requires smoothness.is_finite() && smoothness >= strong_convexity;
        requires slope.is_finite() && slope >= 0.0;
        requires radius.is_finite() && radius >= 0.0;
        requires (1..=1 << 40).contains(&dimension);
        ensures(value) positive(value) && at_most(&[&[strong_convexity, value]], &[&[LARGEST_PRODUCT]]);
        ensures(value) is_affordable(strong_convexity, smoothness, slope, radius, dimension as f64, value);
    {
        largest_step(strong_convexity, smoothness, slope, radius, dimension as f64)
    }
}

contract! {
    spec "own:proximal";
    /// Not above ln(1 + mη): the logarithm of the factor by which one step contracts, from the product mη.
    pub fn contraction_rate(product: f64) -> f64
    where
        requires positive(product);
        ensures(value) positive(value) && is_below_ln_1p(value, product);
    {
        rate_below(product)
    }
}

contract! {
    spec "own:proximal";
    /// The smallest K ≥ 1 with K·rate ≥ `ln_ratio`, below 2⁵³.
    ///
    /// Being the smallest it is monotone: more for a larger ratio, fewer for a larger rate.
    pub fn proximal_steps(ln_ratio: f64, rate: f64) -> u64
    where
        requires ln_ratio.is_finite() && ln_ratio >= 0.0;
        requires positive(rate);
        ensures(value) value >= 1 && at_most(&[&[ln_ratio]], &[&[value as f64, rate]]);
        ensures(value) value == 1 || !at_most(&[&[ln_ratio]], &[&[(value - 1) as f64, rate]]);
    {
        smallest_whole(estimated_steps(ln_ratio, rate), |steps| at_most(&[&[ln_ratio]], &[&[steps, rate]]))
    }
}

contract! {
    spec "own:proximal";
    /// The number of steps from the centre of a ball that bring the law within `error` (2-norm) of the target.
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
    ) -> u64
    where
        requires positive(strong_convexity);
        requires smoothness.is_finite() && smoothness >= strong_convexity;
        requires slope.is_finite() && slope >= 0.0;
        requires radius.is_finite() && radius >= 0.0;
        requires (1..=1 << 40).contains(&dimension);
        requires positive(error);
        ensures(value) value >= 1;
        // mη ≤ 2²⁰: one step or two cannot contract by more than this.
        ensures(value) value > 2 || at_most(&[&[radius]], &[&[LARGEST_TWO_STEPS, error]]);
    {
        let step = proximal_step(strong_convexity, smoothness, slope, radius, dimension).ok()?;
        steps_to_reach(strong_convexity, step, radius, error).filter(|steps| *steps <= PLANNED_STEPS)
    }
}

/// The largest number of steps that a plan may have. The data-dependent calibration goes further, so that it
/// never fails where a plan exists.
const PLANNED_STEPS: u64 = 1 << 40;

/// Up to here whole numbers are exact as `f64`.
const LARGEST_STEPS: f64 = (1_u64 << 53) as f64;

/// Beyond mη = 2²⁰ a step forgets all but one part in a million of where it started.
const LARGEST_PRODUCT: f64 = (1_u64 << 20) as f64;

/// (1 + 2²⁰)².
const LARGEST_TWO_STEPS: f64 = ((1_u64 << 40) + (1 << 21) + 1) as f64;

/// A computed value is within a few roundings of its bound; a step is one unit in the last place.
const ROUNDINGS: u32 = 16;

/// η with λ = m + 1/η as large as the running time asks for, and 1/η ≥ m/2²⁰; `None` where no positive `f64` will do.
/// See [`proximal_step`].
fn largest_step(
    strong_convexity: f64,
    smoothness: f64,
    slope: f64,
    radius: f64,
    dimension: f64,
) -> Option<f64> {
    let holds = |step: f64| {
        at_most(&[&[strong_convexity, step]], &[&[LARGEST_PRODUCT]])
            && is_affordable(strong_convexity, smoothness, slope, radius, dimension, step)
    };
    let largest = estimated_step(strong_convexity, smoothness, slope, radius, dimension);
    // Cancellation in 1/η can cost more than the last places: then a thousandth finds the way, up to 2²⁰ dimensions.
    step_until(largest, f64::next_down, holds, ROUNDINGS)
        .or_else(|| step_until(largest, |step| 0.999 * step, holds, ROUNDINGS))
        .or_else(|| step_until(largest, |step| 0.5 * step, holds, ROUNDINGS))
        .filter(|step| positive(*step))
}

/// About the largest step: where the search for it starts.
fn estimated_step(strong_convexity: f64, smoothness: f64, slope: f64, radius: f64, dimension: f64) -> f64 {
    let mut precision = (smoothness - strong_convexity) * dimension;
    if radius > 0.0 {
        let pull = slope - strong_convexity * radius;
        precision = precision.max(dimension * pull / (2.0 * radius)).max((dimension / radius).powi(2));
    }
    let inverse = (precision - strong_convexity).max(strong_convexity / LARGEST_PRODUCT);
    inverse.recip().min(f64::MAX)
}

/// Decides λ = m + 1/η ≥ (L − m)d and, in a ball that is not a point, 2Bλ ≥ d(g − mB) and λB² ≥ d².
#[prusti::pure]
#[prusti::trusted]
fn is_affordable(
    strong_convexity: f64,
    smoothness: f64,
    slope: f64,
    radius: f64,
    dimension: f64,
    step: f64,
) -> bool {
    let (m, d) = (strong_convexity, dimension);
    at_most(&[&[smoothness, d, step]], &[&[1.0], &[m, step], &[m, d, step]])
        && at_most(
            &[&[radius, d, slope, step]],
            &[&[2.0, radius, radius], &[2.0, radius, radius, m, step], &[d, m, radius, radius, step]],
        )
        && (radius == 0.0 || at_most(&[&[d, d, step]], &[&[radius, radius], &[radius, radius, m, step]]))
}

/// K for a potential that is m-strongly convex, a step η, a ball of this radius, and this error.
pub(crate) fn steps_to_reach(strong_convexity: f64, step: f64, radius: f64, error: f64) -> Option<u64> {
    let rate = contraction_rate(mul_down(strong_convexity, step)?).ok()?;
    proximal_steps(ln_ratio_up(radius, error)?, rate).ok()
}

/// Not above ln(1 + x); `None` where it is not a positive `f64`. See [`contraction_rate`].
fn rate_below(x: f64) -> Option<f64> {
    let power = power_below_1p(x);
    // 2^j(1 + x') = 1 + x: ln(1 + x) = j·ln 2 + ln(1 + x'), and ln(1 + x') ≥ 2x'/(2 + x') for x' ≥ 0.
    let x = x.min(2.0 * power);
    let guess = estimated_rate(x, power, floor_log2(power)?);
    step_until(guess, f64::next_down, |rate| is_below_ln_1p(rate, x), ROUNDINGS).filter(|x| positive(*x))
}

/// About j·ln 2 + 2x'/(2 + x'): where the search for a rate starts.
fn estimated_rate(x: f64, power: f64, j: i32) -> f64 {
    f64::from(j) * LN_2 + 2.0 * (x - (power - 1.0)) / (1.0 + x + power)
}

/// Decides rate ≤ j·ln 2 + 2x'/(2 + x') with ln 2 rounded down, without a difference or a quotient:
/// x' = (1 + x − p)/p for p = 2^j ≤ 1 + x, so 2x'/(2 + x') = 2(1 + x − p)/(1 + x + p).
#[prusti::pure]
#[prusti::trusted]
fn is_below_ln_1p(rate: f64, x: f64) -> bool {
    let power = power_below_1p(x);
    let Some(j) = floor_log2(power).map(f64::from) else { return false };
    // `LN_2` is below ln 2: 0.693147180559945286… < 0.693147180559945309….
    at_most(
        &[&[rate], &[rate, x], &[rate, power], &[2.0, power]],
        &[&[j, LN_2], &[j, LN_2, x], &[j, LN_2, power], &[2.0], &[2.0, x]],
    )
}

/// The largest power of two not above 1 + x, or 2⁵⁰⁰ if that is less.
fn power_below_1p(x: f64) -> f64 {
    let fits = |j: &i32| at_most(&[&[2.0_f64.powi(*j)]], &[&[1.0], &[x]]);
    // Rounding may have lifted 1 + x to the next power of two.
    let j = floor_log2(1.0 + x).unwrap_or(0).clamp(0, 500);
    2.0_f64.powi(Some(j).filter(fits).unwrap_or(j - 1))
}

/// Not below ln(radius/error), and not negative. The margin is eight units in the last place, several times the
/// error of the logarithm.
fn ln_ratio_up(radius: f64, error: f64) -> Option<f64> {
    let ratio = if at_most(&[&[radius]], &[&[error]]) { 1.0 } else { div_up(radius, error)? };
    Some(ln(ratio) * (1.0 + 8.0 * f64::EPSILON))
}

/// About how many steps are needed: where the search for them starts.
fn estimated_steps(ln_ratio: f64, rate: f64) -> f64 {
    (ln_ratio / rate).ceil()
}

/// The smallest whole number from 1, below 2⁵³ and near a guess, that is enough.
fn smallest_whole(guess: f64, enough: impl Fn(f64) -> bool) -> Option<u64> {
    let guess = guess.clamp(1.0, LARGEST_STEPS);
    let enough_steps = step_until(guess, |steps| steps + 1.0, &enough, ROUNDINGS)?;
    let smallest = |steps: f64| steps <= 1.0 || !enough(steps - 1.0);
    let steps = step_until(enough_steps, |steps| steps - 1.0, smallest, ROUNDINGS)?;
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a whole number up to 2^53")]
    Some(steps).filter(|steps| *steps < LARGEST_STEPS).map(|steps| steps as u64)
}

#[cfg(any(kani, test))]
#[path = "../../proofs/calibrate/proximal.rs"]
mod proofs;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contract::{Broken, Clause};
    use quickcheck::quickcheck;

    /// mpmath, 40 digits; the working is on the spec page. (mη, j·ln 2 + 2x'/(2 + x'), ln(1 + mη))
    const RATES: [(f64, f64, f64); 8] = [
        (1e-6, 9.999_995_000_002_5e-7, 9.999_995_000_003_333e-7),
        (0.01, 0.009_950_248_756_218_906, 0.009_950_330_853_168_083),
        (0.25, 0.222_222_222_222_222_2, 0.223_143_551_314_209_76),
        (1.0, LN_2, LN_2),
        (3.0, 1.386_294_361_119_890_6, 1.386_294_361_119_890_6),
        (10.0, 2.395_231_015_364_046_5, 2.397_895_272_798_370_5),
        (1000.0, 6.884_722_510_036_203, 6.908_754_779_315_221),
        (1_048_576.0, 13.862_944_564_872_768, 13.862_944_564_872_768),
    ];

    #[test]
    fn rates_of_hand_computed_products() {
        for (product, expected, logarithm) in RATES {
            let rate = contraction_rate(product).unwrap();
            assert!(
                rate <= logarithm * (1.0 + 1e-15) && (rate / expected - 1.0).abs() < 1e-14,
                "{product}: {rate}"
            );
        }
    }

    #[test]
    fn rates_do_not_jump_over_a_power_of_two() {
        for power in [2.0_f64, 4.0, 1_048_576.0, 2.0_f64.powi(53), 2.0_f64.powi(60)] {
            // ln(1 + x) for 1 + x just below, at, and just above a power of two.
            let [below, at, above] = [(power - 1.0).next_down(), power - 1.0, (power - 1.0).next_up()]
                .map(|x| rate_below(x).unwrap());
            // Just below, the bound for the interval that ends there is loose by ln 2 − 2/3.
            assert!(below <= at && at <= above && at - below < 0.03, "{power}: {below} {at} {above}");
        }
        // Beyond 2⁵⁰⁰ the bound stays true and stops growing.
        assert!(rate_below(f64::MAX).unwrap() > 340.0 && rate_below(f64::MAX).unwrap() < 709.0);
        assert!(rate_below(1e308).unwrap() <= rate_below(f64::MAX).unwrap());
    }

    #[test]
    fn the_logarithm_of_two_is_rounded_down() {
        // mpmath: ln 2 = 0.69314718055994530941723…; in units of 2⁻⁶² it is 3196577161300663914.94….
        let in_units: crate::exact::Dyadic = crate::exact::Dyadic::from_parts(3_196_577_161_300_663_914, -62);
        assert!(crate::exact::Dyadic::new(LN_2).unwrap() <= in_units);
    }

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
    fn numbers_of_steps_are_the_smallest() {
        assert_eq!(proximal_steps(0.0, 1e-300), Ok(1));
        assert_eq!(proximal_steps(1.0, 0.25), Ok(4));
        assert_eq!(proximal_steps(1.0_f64.next_up(), 0.25), Ok(5));
        assert_eq!(proximal_steps(1.0, 0.25_f64.next_down()), Ok(5));
        // 0.1 is above one tenth, so ten of them are enough; 0.3 is below three tenths.
        assert_eq!((proximal_steps(1.0, 0.1), proximal_steps(3.0, 0.3)), (Ok(10), Ok(11)));
    }

    #[test]
    fn impossible_numbers_are_errors_that_say_which() {
        let kind = |outcome: Result<u64, Broken>| outcome.unwrap_err().kind;
        assert_eq!(kind(proximal_steps(1.0, 1e-300)), Clause::Range);
        assert_eq!(kind(planned_proximal_steps(1.0, 1e300, 0.0, 1.0, 1 << 40, 0.1)), Clause::Range);
        assert_eq!(kind(planned_proximal_steps(1e-300, 1e300, 0.0, 1.0, 1, 0.1)), Clause::Range);
        assert_eq!(kind(planned_proximal_steps(1.0, 2.0, 0.0, 1e300, 1, 1e-300)), Clause::Range);
        assert_eq!(planned_proximal_steps(2.0, 1.0, 0.0, 1.0, 1, 0.1).unwrap_err().kind, Clause::Requires);
        for bad in [f64::NAN, f64::INFINITY, -1.0, 0.0] {
            assert_eq!(contraction_rate(bad).unwrap_err().clause, "positive(product)");
            assert_eq!(
                planned_proximal_steps(1.0, 2.0, 0.0, 1.0, 1, bad).unwrap_err().clause,
                "positive(error)"
            );
            assert_eq!(proximal_steps(1.0, bad).unwrap_err().clause, "positive(rate)");
            assert_eq!(
                proximal_step(bad, 1.0, 0.0, 1.0, 1).unwrap_err().clause,
                "positive(strong_convexity)"
            );
        }
    }

    fn anything(bits: u64) -> f64 {
        f64::from_bits(bits).abs()
    }

    fn is_no_bug<T>(outcome: &Result<T, Broken>) -> bool {
        !matches!(outcome, Err(broken) if broken.kind == Clause::Ensures)
    }

    quickcheck! {
        /// A broken `ensures` would come back as an error: none does, over the whole range of exponents.
        fn no_input_breaks_an_ensures(a: u64, b: u64, c: u64, e: u64, d: u32) -> bool {
            let [a, b, c, e] = [a, b, c, e].map(anything);
            let d = u64::from(d) + 1;
            is_no_bug(&proximal_step(a.min(b), a.max(b), c, e, d))
                && is_no_bug(&contraction_rate(a))
                && is_no_bug(&proximal_steps(a, b))
                && is_no_bug(&planned_proximal_steps(a.min(b), a.max(b), 1.0 / c, c, d, e))
        }

        /// Where m and L are of one magnitude, and the ball is not smaller than the law, every function succeeds.
        fn plausible_numbers_succeed(m: u32, ratio: u16, d: u16, inverse_error: u32) -> bool {
            let (m, d) = (f64::from(m) / 1e6 + 1e-6, u64::from(d) + 1);
            let l = m * (1.0 + f64::from(ratio) / 256.0);
            let error = 1.0 / (f64::from(inverse_error) + 1.0);
            [0.0, l].into_iter().all(|slope| planned_proximal_steps(m, l, slope, m.sqrt().recip(), d, error).is_ok())
        }

        /// The rate is below the logarithm, by at most 4 %, and never decreases.
        fn rates_are_close_and_monotone(a: u64, b: u64) -> bool {
            let [a, b] = [a, b].map(|bits| Some(anything(bits)).filter(|x| !x.is_nan()).unwrap_or(1.0));
            let [a, b] = [a, b].map(|x| x.clamp(1e-290, 1e100));
            let [low, high] = [a.min(b), a.max(b)].map(|x| (x, rate_below(x).unwrap()));
            let close = |(x, rate): (f64, f64)| rate <= x.ln_1p() * (1.0 + 1e-15) && rate >= 0.96 * x.ln_1p();
            // Two roundings can differ by a few last places where the exact values are closer than that.
            close(low) && close(high) && low.1 <= high.1 * (1.0 + 1e-14)
        }

        /// Larger ratios take more steps, larger rates fewer.
        fn steps_are_monotone(a: u64, b: u64, c: u32, d: u32) -> bool {
            let ratios = [a, b].map(|x| x as f64 / 1e18);
            let rates = [c, d].map(|x| (f64::from(x) + 1.0) / 1e9);
            let count = |ratio, rate| proximal_steps(ratio, rate).unwrap();
            let (low, high) = (ratios[0].min(ratios[1]), ratios[0].max(ratios[1]));
            let (slow, fast) = (rates[0].min(rates[1]), rates[0].max(rates[1]));
            count(low, slow) <= count(high, slow) && count(low, fast) <= count(low, slow)
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
        fn the_search_for_a_step_loses_little(m: u32, ratio: u32, slope: u32, radius: u16, d: u16) -> bool {
            let (m, d) = (f64::from(m) / 1e6 + 1e-6, f64::from(d) + 1.0);
            let (l, slope) = (m * (1.0 + f64::from(ratio) / 1e7 / d), f64::from(slope) / 1e3);
            let radius = (f64::from(radius) + 1.0) / 256.0;
            let found = largest_step(m, l, slope, radius, d).unwrap();
            !is_affordable(m, l, slope, radius, d, found / 0.98) || m * found / 0.98 > LARGEST_PRODUCT
        }
    }
}
