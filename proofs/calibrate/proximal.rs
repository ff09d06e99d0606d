//! K of the proximal sampler: the smallest that is enough.

use super::*;
use crate::proofs::whole::number;
use crate::proofs::{assume, cover, harness, is_bug};

harness! {
    /// spec: `own:proximal`
    /// covers: calibrate::proximal::smallest_whole — within a bound
    ///
    /// K is at least 1 and enough, and K − 1 would not be: therefore it is monotone in what is needed, whatever the
    /// guess was. The logarithm is inside of the guess and of the condition, and both are arbitrary here.
    ///
    /// assumes: a condition that larger numbers satisfy more easily, as an unknown threshold. bound: guesses from 1
    /// to 8 and thresholds of 4 bits in halves; both directions of the search, up to its 16 steps. solver: cadical.
    /// mutation: `too many steps are kept`
    [kani::proof, kani::unwind(18), kani::solver(cadical)]
    fn verify_smallest_whole__enough_and_smallest(need: u8, guess: u8) {
        let (need, guess) = (f64::from(need % 16) * 0.5, f64::from(guess % 8 + 1));
        let found = smallest_whole(guess, |steps| steps >= need);
        assume!(found.is_some());
        let Some(steps) = found else { return };
        cover!(guess < need);
        cover!(guess > need + 2.0);
        assert!(steps >= 1 && steps as f64 >= need);
        assert!(steps == 1 || ((steps - 1) as f64) < need);
    }
}

harness! {
    /// spec: `own:proximal`
    /// covers: calibrate::proximal::proximal_steps — within a bound
    ///
    /// The contract: K·rate covers ln(B/Δ), and (K − 1)·rate does not, whatever the estimate was.
    ///
    /// assumes: the `requires` clauses. bound: 3-bit whole numbers, estimates below 8; both directions of the search, two of
    /// their 16 steps. solver: cadical.
    /// mutation: `too few steps are kept`
    [kani::proof, kani::unwind(9), kani::solver(cadical),
     kani::stub(crate::exact::step_until, crate::proofs::whole::two_steps),
     kani::stub(crate::exact::at_most, crate::proofs::whole::at_most),
     kani::stub(estimated_steps, any_steps)]
    fn verify_proximal_steps__contract(ln_ratio: u8, rate: u8) {
        let outcome = proximal_steps(number(ln_ratio % 8), number(rate % 7 + 1));
        cover!(outcome.is_ok_and(|steps| steps > 2));
        assert!(!is_bug(&outcome));
    }
}

#[cfg(kani)]
fn any_steps(_: f64, _: f64) -> f64 {
    f64::from(kani::any::<u8>() % 8)
}

harness! {
    /// spec: `own:proximal`
    /// covers: calibrate::proximal::proximal_step — within a bound
    ///
    /// The contract: a step size is handed out only if it is positive, contracts by at most 2²⁰ and is affordable,
    /// whatever the estimate was and whatever is affordable.
    ///
    /// assumes: the `requires` clauses. bound: any answers of both comparisons, which depend on the candidate; three of the 17
    /// candidates of each of the three searches. solver: cadical.
    /// mutation: `a step that nobody can afford`
    [kani::proof, kani::unwind(9), kani::solver(cadical),
     kani::stub(crate::exact::step_until, crate::proofs::whole::two_steps),
     kani::stub(crate::exact::at_most, any_comparison),
     kani::stub(estimated_step, any_step),
     kani::stub(is_affordable, any_decision)]
    fn verify_proximal_step__contract(convexity: u64, excess: u8, slope: u64, radius: u8, dimension: u8) {
        // For Kani the bits are the answers; a test takes small numbers.
        let [convexity, slope] =
            [convexity, slope].map(|x| if cfg!(kani) { f64::from_bits(x >> 2) } else { x as f64 / 1e18 });
        assume!(convexity > 0.0);
        let smoothness = if cfg!(kani) { f64::MAX } else { convexity + number(excess) };
        let outcome = proximal_step(convexity, smoothness, slope, number(radius % 16), u64::from(dimension % 15 + 1));
        cover!(outcome.is_ok());
        cover!(outcome.is_err());
        assert!(!is_bug(&outcome));
    }
}

/// Bit `step` of the strong convexity, which is any number.
#[cfg(kani)]
fn any_comparison(left: &[&[f64]], _: &[&[f64]]) -> bool {
    left[0][0].to_bits() >> (left[0][1].to_bits() % 60) & 1 == 1
}

#[cfg(kani)]
fn any_step(_: f64, _: f64, _: f64, _: f64, _: f64) -> f64 {
    number(kani::any::<u8>() % 16)
}

/// Bit `step` of the slope, which is any number.
#[cfg(kani)]
fn any_decision(_: f64, _: f64, slope: f64, _: f64, _: f64, step: f64) -> bool {
    slope.to_bits() >> (step.to_bits() % 60) & 1 == 1
}

harness! {
    /// spec: `own:proximal`
    /// covers: calibrate::proximal::contraction_rate — within a bound
    ///
    /// The contract: a rate is handed out only if it is positive and the exact comparison with ln(1 + mη) said yes for
    /// this rate and this very product, whatever the estimate was.
    ///
    /// assumes: the `requires` clause; the power of two below 1 + x by its bits, exact for x below 2^53. bound: products
    /// below 2^53, any answers of the comparison, three of the 17 candidates of the source. solver: cadical.
    /// mutation: `a rate that nobody compared`
    [kani::proof, kani::unwind(9), kani::solver(cadical),
     kani::stub(crate::exact::step_until, crate::proofs::whole::two_steps),
     kani::stub(power_below_1p, power_by_its_bits),
     kani::stub(estimated_rate, any_rate),
     kani::stub(is_below_ln_1p, any_answer)]
    fn verify_contraction_rate__contract(bits: u64, near: bool) {
        // Half of the numbers of a test are from 2^−16 to 2^16.
        let bits = if near { (1007 + (bits >> 59)) << 52 | bits & ((1 << 52) - 1) } else { bits };
        let product = f64::from_bits(bits);
        assume!(product > 0.0 && product < LARGEST_STEPS);
        let outcome = contraction_rate(product);
        cover!(outcome.is_ok());
        assert!(!is_bug(&outcome));
    }
}

#[cfg(kani)]
fn power_by_its_bits(x: f64) -> f64 {
    f64::from_bits((1.0 + x).to_bits() >> 52 << 52)
}

#[cfg(kani)]
fn any_rate(_: f64, _: f64, _: i32) -> f64 {
    kani::any()
}

/// Any answer for each rate and product, the same one every time.
#[cfg(kani)]
fn any_answer(rate: f64, x: f64) -> bool {
    x.to_bits() >> (rate.to_bits() % 52) & 1 == 1
}
