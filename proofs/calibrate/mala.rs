//! K and τ_max: large enough, never 0.

use super::*;
use crate::proofs::{assume, cover, harness, is_bug};
use core::cell::Cell;

harness! {
    /// spec: `own:conductance`
    /// covers: calibrate::mala::smallest_count — within a bound
    ///
    /// The count that K and τ_max come from is at least 1, below 2^53 + 16, and its condition was asked for exactly
    /// this number and answered yes. The logarithms are inside of the estimate and of the condition, and both are
    /// arbitrary here.
    ///
    /// assumes: nothing. bound: estimates below 1000 or out of range (2^53 and more, negative, NaN), any answers; the
    /// loop makes 16 steps, as in the source, and whole numbers below 2^53 + 16 are added exactly. solver: cadical.
    /// mutation: `the estimate is returned unchecked`
    [kani::proof, kani::unwind(18), kani::solver(cadical)]
    fn verify_smallest_count__suffices(estimate: f64, small: u8, near: bool, answers: u32) {
        let estimate = if near { f64::from(small) - 1.5 } else { estimate };
        assume!(estimate < 1000.0 || estimate.is_nan() || estimate >= LARGEST_COUNT);
        let (asked, last) = (Cell::new(0_u32), Cell::new((0.0, false)));
        let count = smallest_count(estimate, |count| {
            let answer = answers >> asked.get() & 1 == 1;
            asked.set(asked.get() + 1);
            last.set((count, answer));
            answer
        });
        cover!(count.is_none() && asked.get() == 17);
        cover!(count == Some(1) && estimate < 0.0);
        cover!(asked.get() == 17 && count.is_some());
        if let Some(count) = count {
            assert!((1..=(1 << 53) + 16).contains(&count));
            assert!(last.get().1 && last.get().0.to_bits() == (count as f64).to_bits());
        }
    }
}

harness! {
    /// spec: `own:conductance`
    /// covers: calibrate::mala::certified_restarts — within a bound
    ///
    /// The contract: at least one chain is run. Whatever the logarithms, exponentials and the comparison say, τ_max is not
    /// 0; what is no plausible number is refused.
    ///
    /// assumes: the `requires` clauses, with an acceptance of 1; any values of the transcendental functions in
    /// their ranges. bound: three of the 17 candidates of the source, all `f64`. solver: cadical.
    /// mutation: `no restart at all`
    [kani::proof, kani::unwind(9), kani::solver(cadical),
     kani::stub(crate::exact::step_until, crate::proofs::whole::two_steps),
     kani::stub(crate::exact::at_most, crate::proofs::whole::undecided),
     kani::stub(crate::exact::add_up, crate::proofs::whole::any_sum),
     kani::stub(crate::special::softplus, any_softplus),
     kani::stub(estimated_restarts, any_estimate),
     kani::stub(ln_inverse_inner_tv, crate::proofs::whole::any_sum),
     kani::stub(acceptance, certain)]
    fn verify_certified_restarts__contract(ln_inverse_tv: f64, ln_miss: f64, near: bool) {
        // Half of the numbers of a test are plausible.
        let (ln_inverse_tv, ln_miss) =
            if near { (ln_inverse_tv.abs() % 100.0, -(ln_miss.abs() % 100.0)) } else { (ln_inverse_tv, ln_miss) };
        assume!(positive(ln_inverse_tv) && ln_miss.is_finite() && acceptance(ln_miss) >= LEAST_ACCEPTANCE);
        let outcome = certified_restarts(ln_inverse_tv, ln_miss);
        cover!(outcome.is_ok_and(|restarts| restarts > 1));
        cover!(outcome.is_err());
        assert!(!is_bug(&outcome));
    }
}

#[cfg(kani)]
fn any_estimate(_: f64, _: f64) -> f64 {
    kani::any()
}

/// Up to 0 the function is between 0 and ln 2.
#[cfg(kani)]
fn any_softplus(_: f64) -> f64 {
    Some(kani::any()).filter(|x| (0.0..=1.0).contains(x)).unwrap_or(1.0)
}

#[cfg(kani)]
fn certain(_: f64) -> f64 {
    1.0
}

harness! {
    /// spec: `alg:MALA`
    /// covers: calibrate::mala::feasible_chain — all inputs
    ///
    /// The contract: a chain is let through only if it is not longer than allowed, and unchanged.
    ///
    /// assumes: the `requires` clauses. bound: none, all f64. solver: cadical.
    /// mutation: `one step more than allowed`
    [kani::proof, kani::unwind(9), kani::solver(cadical)]
    fn verify_feasible_chain__contract(planned: f64, largest: f64, near: bool) {
        // Half of the numbers of a test are those of a limit.
        let planned = if near { largest } else { planned };
        assume!(planned >= 0.0 && planned <= largest);
        let outcome = feasible_chain(Public::new(planned), Public::new(largest));
        cover!(planned < largest);
        assert!(outcome.is_ok_and(|value| value.to_bits() == planned.to_bits()));
    }
}
