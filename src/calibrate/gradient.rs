//! Noisy gradients: their sensitivity, and what each of T of them may spend.

use super::{non_negative, positive};
use crate::contract::contract;
use crate::exact::{add_up, at_most, div_down, mul_down, sqrt_down};
use crate::privacy::{Epsilon, Mu};

/// The most steps of a descent: T is an exact `f64`, and a mean of as many points keeps thirty bits.
/// spec: `own:noisy-gradient`
pub const MOST_STEPS: u32 = 1 << 20;

contract! {
    spec "own:noisy-gradient";
    /// How far the computed gradients of neighbours can be apart at one point (2-norm): G for what they differ in, and
    /// once for each of the two what rounding may do to a sum.
    pub fn gradient_sensitivity(lipschitz: f64, rounding: f64) -> f64
    where
        requires positive(lipschitz);
        requires non_negative(rounding);
        ensures(value) at_most(&[&[lipschitz], &[2.0, rounding]], &[&[value]]);
    {
        add_up(lipschitz, 2.0 * rounding)
    }
}

contract! {
    spec "own:noisy-gradient";
    /// ε of each of T steps: `ε/T`, rounded down, so that T of them spend at most ε.
    pub fn step_epsilon(epsilon: Epsilon, steps: u32) -> f64
    where
        requires (1..=MOST_STEPS).contains(&steps);
        ensures(value) at_most(&[&[steps.into(), value]], &[&[epsilon.get()]]);
    {
        div_down(epsilon.get(), steps.into())
    }
}

contract! {
    spec "own:noisy-gradient";
    /// μ of each of T steps: `μ/√T`, rounded down, so that T of them spend at most μ: the variance of each is `T·G²/μ²`.
    /// spec: `thm:ngd_lipschitz`
    pub fn step_mu(mu: Mu, steps: u32) -> f64
    where
        requires (1..=MOST_STEPS).contains(&steps);
        ensures(value) at_most(&[&[steps.into(), value, value]], &[&[mu.get(), mu.get()]]);
    {
        mul_down(mu.get(), sqrt_down(div_down(1.0, steps.into())?)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contract::Clause;
    use quickcheck::quickcheck;

    #[test]
    fn hand_picked_values() {
        let close = |computed: f64, exact: f64| assert!((computed / exact - 1.0).abs() < 1e-15, "{computed}");
        close(gradient_sensitivity(3.0, 0.25).unwrap(), 3.5);
        close(gradient_sensitivity(3.0, 0.0).unwrap(), 3.0);
        close(step_epsilon(Epsilon::new(1.5).unwrap(), 6).unwrap(), 0.25);
        // 16 steps: a quarter of μ each, not a sixteenth, and not a fifth, as the paper's variance would have it.
        close(step_mu(Mu::new(2.0).unwrap(), 16).unwrap(), 0.5);
        for bad in [f64::NAN, f64::INFINITY, -1.0] {
            assert_eq!(gradient_sensitivity(1.0, bad).unwrap_err().kind, Clause::Requires);
        }
        for steps in [0, MOST_STEPS + 1] {
            assert!(step_mu(Mu::new(1.0).unwrap(), steps).is_err());
            assert!(step_epsilon(Epsilon::new(1.0).unwrap(), steps).is_err());
        }
    }

    quickcheck! {
        /// A broken `ensures` would come back as an error: none does, over the whole range of exponents; and the shares are
        /// not smaller than they have to be.
        fn steps_spend_the_total_and_not_more(bits: u64, steps: u32) -> bool {
            let (total, steps) = (f64::from_bits(bits).abs(), steps % MOST_STEPS + 1);
            let fits = |share: Result<f64, crate::contract::Broken>, count: f64| match share {
                Ok(share) => share < f64::MIN_POSITIVE * 1e16 || share * count > total * (1.0 - 1e-15),
                Err(broken) => broken.kind == Clause::Range && total < f64::MIN_POSITIVE * 1e7,
            };
            Epsilon::new(total).map_or(true, |epsilon| fits(step_epsilon(epsilon, steps), steps.into()))
                && Mu::new(total).map_or(true, |mu| fits(step_mu(mu, steps), f64::from(steps).sqrt()))
        }
    }
}
