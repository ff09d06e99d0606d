//! What objective perturbation spends on the Jacobian, and the regulariser that it needs.

use super::positive;
use crate::contract::{Public, contract};
use crate::exact::{at_most, div_up, mul_up, sub_down};
use crate::privacy::{Epsilon, Mu, Neighbours};

/// The largest part of ε that the Jacobian may take: the rest is for the tilt and for `alg:asap`.
const LARGEST_PART: f64 = 0.98;

contract! {
    spec "own:objective-perturbation";
    /// ε of the change of variables: `ln(1 + β/Λ)`, rounded up by some parts in 10¹².
    pub fn jacobian_share(smoothness: f64, regulariser: f64) -> f64
    where
        requires positive(smoothness);
        requires positive(regulariser);
        // ln(1 + x) is between x/(1 + x) and x.
        ensures(value) value > 0.0 && value <= (smoothness / regulariser) * (1.0 + 4e-12) + f64::MIN_POSITIVE;
        ensures(value) value * (1.0 + smoothness / regulariser) * (1.0 + 1e-15) >= smoothness / regulariser;
    {
        let x = div_up(smoothness, regulariser)?;
        mul_up(libm::log1p(x), 1.0 + 3e-12).filter(|share| *share > 0.0)
    }
}

/// The smallest Λ with which the Jacobian leaves something of ε to the tilt: `β/(e^(0.98·ε) − 1)`, rounded up.
/// spec: `own:objective-perturbation`
pub fn smallest_regulariser(epsilon: Epsilon, smoothness: f64) -> f64 {
    let growth = libm::expm1(LARGEST_PART * epsilon.get());
    // Beyond the range of the exponential every regulariser is large enough.
    let exact = if growth.is_finite() { div_up(smoothness, growth) } else { Some(f64::MIN_POSITIVE) };
    exact.and_then(|exact| mul_up(exact, 1.0 + 1e-9)).unwrap_or(f64::MAX).max(f64::MIN_POSITIVE)
}

/// What ε of a Jacobian costs in μ under a Gaussian tilt: `√(π/2) = 1.2533…`, rounded up to an exact `f64`.
/// spec: `own:gaussian-tilt`
pub const JACOBIAN_PRICE: f64 = 321.0 / 256.0;

contract! {
    spec "own:gaussian-tilt";
    /// μ that is left for a Gaussian tilt where the Jacobian takes an ε for each loss in which neighbours differ:
    /// `μ − k·√(π/2)·ε`, rounded down.
    pub fn gaussian_tilt_share(mu: Mu, jacobian: Epsilon, neighbours: Neighbours) -> f64
    where
        requires jacobian.get() < mu.get();
        ensures(value) value > 0.0;
        ensures(value) at_most(
            &[&[value], &[neighbours.changed_losses() as f64, JACOBIAN_PRICE, jacobian.get()]],
            &[&[mu.get()]],
        );
    {
        let price = mul_up(neighbours.changed_losses() as f64 * JACOBIAN_PRICE, jacobian.get())?;
        sub_down(mu.get(), price)
    }
}

contract! {
    spec "own:objective-perturbation";
    /// A regulariser that is large enough for ε (which is there for the error to show): with a smaller one the Jacobian
    /// takes all of it.
    pub fn tilted_regulariser(epsilon: Epsilon, regulariser: Public, smallest_that_works: Public) -> f64
    where
        requires regulariser.get() >= smallest_that_works.get();
        ensures(value) value >= smallest_that_works.get();
    {
        Some(regulariser.get())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contract::Clause;
    use quickcheck::quickcheck;

    #[test]
    fn hand_picked_values() {
        // ln(1 + 0.25/5), ln 2, ln(1 + 10⁻⁹): mpmath.
        for (smoothness, regulariser, exact) in [
            (0.25, 5.0, 0.048790164169432003),
            (3.0, 3.0, core::f64::consts::LN_2),
            (1e-9, 1.0, 9.9999999950000000033e-10),
            (1e6, 1e-3, 20.72326583794641125),
        ] {
            let share = jacobian_share(smoothness, regulariser).unwrap();
            assert!(share >= exact && share <= exact * (1.0 + 5e-12), "{share} {exact}");
        }
        // β = 1, ε = 1: 1/(e^0.98 − 1).
        let smallest = smallest_regulariser(Epsilon::new(1.0).unwrap(), 1.0);
        assert!((smallest - 0.600_796_8).abs() < 1e-6, "{smallest}");
        assert!(smallest_regulariser(Epsilon::new(1e4).unwrap(), 1.0) <= 1e-300);
    }

    #[test]
    fn a_gaussian_tilt_is_left_what_the_jacobian_does_not_take() {
        let (mu, jacobian) = (Mu::new(1.0).unwrap(), Epsilon::new(0.0625).unwrap());
        // 1 − 1.25390625/16 and 1 − 1.25390625/8.
        assert_eq!(gaussian_tilt_share(mu, jacobian, Neighbours::AddRemove), Ok(0.921_630_859_375));
        assert_eq!(gaussian_tilt_share(mu, jacobian, Neighbours::ReplaceOne), Ok(0.843_261_718_75));
        // √(π/2), to all digits of an f64.
        const { assert!(JACOBIAN_PRICE > 1.253_314_137_315_500_3 && JACOBIAN_PRICE < 1.254) };
        let all = gaussian_tilt_share(mu, Epsilon::new(0.8).unwrap(), Neighbours::AddRemove).unwrap_err();
        assert_eq!(all.kind, Clause::Range);
    }

    #[test]
    fn a_small_regulariser_is_refused_with_the_smallest_that_works() {
        let (epsilon, smallest) = (Epsilon::new(0.5).unwrap(), Public::new(1.5));
        assert_eq!(tilted_regulariser(epsilon, Public::new(1.5), smallest), Ok(1.5));
        let refused = tilted_regulariser(epsilon, Public::new(1.25), smallest).unwrap_err();
        assert_eq!(refused.kind, Clause::Requires);
        let text = refused.to_string();
        assert!(
            text.contains("regulariser = 1.25e0") && text.contains("smallest_that_works = 1.5e0"),
            "{text}"
        );
    }

    quickcheck! {
        fn a_tilt_never_gets_more_than_is_left(m: u64, e: u64) -> bool {
            let [mu, jacobian] = [m, e].map(|bits| f64::from_bits(bits).abs());
            let Some((mu, jacobian)) = Mu::new(mu).ok().zip(Epsilon::new(jacobian).ok()) else { return true };
            [Neighbours::AddRemove, Neighbours::ReplaceOne].into_iter().all(|neighbours| {
                !gaussian_tilt_share(mu, jacobian, neighbours).is_err_and(|broken| broken.kind == Clause::Ensures)
            })
        }

        fn no_input_breaks_an_ensures(a: u64, b: u64, e: u16) -> bool {
            let [a, b] = [a, b].map(|bits| f64::from_bits(bits).abs());
            let share = jacobian_share(a, b);
            let epsilon = Epsilon::new((f64::from(e) + 1.0) / 1000.0).unwrap();
            let fits = !(1e-100..1e100).contains(&a) || {
                let smallest = smallest_regulariser(epsilon, a);
                jacobian_share(a, smallest).is_ok_and(|share| share <= 0.981 * epsilon.get())
            };
            fits && !share.is_err_and(|broken| broken.kind == Clause::Ensures)
        }
    }
}
