//! Noisy gradients: their sensitivity, and the share of each of T steps. These are proposals: `GradientSensitivity` and
//! `StepShares` of `asap_contracts::contract` decide.

use super::proposed;
use crate::contract::BrokenContract;
use crate::exact::{add_up, div_down, mul_down, sqrt_down};
use crate::privacy::{Epsilon, Mu};

/// The most steps of a descent: T is an exact `f64`, and a mean of as many points keeps thirty bits.
/// spec: `own:noisy-gradient`
pub const MOST_STEPS: u32 = 1 << 20;

/// How far the computed gradients of neighbours can be apart at one point (2-norm): G for what they differ in, and
/// once for each of the two what rounding may do to a sum. spec: `own:noisy-gradient`
pub fn gradient_sensitivity(lipschitz: f64, rounding: f64) -> Result<f64, BrokenContract> {
    proposed("own:noisy-gradient", "gradient_sensitivity", || add_up(lipschitz, 2.0 * rounding))
}

/// ε of each of T steps: `ε/T`, rounded down, so T of them spend at most ε. spec: `own:noisy-gradient`
pub fn step_epsilon(epsilon: Epsilon, steps: u32) -> Result<f64, BrokenContract> {
    proposed("own:noisy-gradient", "step_epsilon", || div_down(epsilon.get(), steps.into()))
}

/// μ of each of T steps: `μ/√T`, rounded down, so T of them spend at most μ: the variance of each is `T·G²/μ²`.
/// spec: `own:noisy-gradient`, `thm:ngd_lipschitz`
pub fn step_mu(mu: Mu, steps: u32) -> Result<f64, BrokenContract> {
    proposed("own:noisy-gradient", "step_mu", || mul_down(mu.get(), sqrt_down(div_down(1.0, steps.into())?)?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use asap_contracts::Guarantee;
    use asap_contracts::contract::{GradientSensitivity, StepShares};
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
            assert!(gradient_sensitivity(1.0, bad).is_err());
        }
        assert!(
            step_mu(Mu::new(1.0).unwrap(), 0).is_err()
                && step_epsilon(Epsilon::new(1.0).unwrap(), 0).is_err()
        );
    }

    quickcheck! {
        /// What is proposed is accepted, over the whole range of exponents, and not smaller than it must be.
        fn steps_spend_the_total_and_not_more(bits: u64, steps: u32) -> bool {
            let (total, steps) = (f64::from_bits(bits).abs(), steps % MOST_STEPS + 1);
            let fits = |share: Result<f64, BrokenContract>, count: f64, guarantee: Guarantee| match share {
                Ok(share) => {
                    let accepted = StepShares { steps: steps.into(), share, total: guarantee }.holds().is_ok();
                    accepted && (share < f64::MIN_POSITIVE * 1e16 || share * count > total * (1.0 - 1e-15))
                }
                Err(_) => total < f64::MIN_POSITIVE * 1e7,
            };
            let count = f64::from(steps);
            Epsilon::new(total)
                .map_or(true, |epsilon| fits(step_epsilon(epsilon, steps), count, Guarantee::Pure(total)))
                && Mu::new(total)
                    .map_or(true, |mu| fits(step_mu(mu, steps), count.sqrt(), Guarantee::Gaussian(total)))
        }

        fn sensitivities_are_accepted(a: u64, b: u64) -> bool {
            let [lipschitz, rounding] = [a, b].map(|bits| f64::from_bits(bits).abs());
            gradient_sensitivity(lipschitz, rounding).map_or(true, |sensitivity| {
                lipschitz <= 0.0 || GradientSensitivity { sensitivity, lipschitz, rounding }.holds().is_ok()
            })
        }
    }
}
