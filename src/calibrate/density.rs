//! From total variation to Wasserstein-∞: how small ξ must be so that TV ≤ ξ gives W∞ ≤ Δ on a ball.
//!
//! Everything is in logarithms: `p_min` and ξ themselves underflow (ξ = e^(−10⁶) is nothing special).
//!
//! One function serves planning and the values that depend on the records: an error shows no number.

use super::{non_negative, proposed};
use crate::contract::BrokenContract;
use crate::exact::{add_up, div_up, integer_up, mul_up, sqrt_up};
use crate::special::ln;
use core::f64::consts::LN_2;

/// Factors that cover the rounding of `ln` and of a few operations around it, up and down.
pub(super) const UP: f64 = 1.0 + 1e-12;
pub(super) const DOWN: f64 = 1.0 - 1e-12;

/// Not below ln 2 (the `f64` nearest to it is).
pub(super) const LN_2_UP: f64 = LN_2.next_up();

/// Not below `sup f − inf f` on a ball of radius B: `2·G_f·B`, for f Lipschitz there with constant `G_f = γ·G_J`.
/// spec: `lem:min_density_gibbs`
pub fn lipschitz_oscillation(lipschitz: f64, radius: f64) -> Option<f64> {
    let valid = non_negative(lipschitz) && non_negative(radius);
    valid.then_some(())?;
    mul_up(2.0, mul_up(lipschitz, radius)?)
}

/// Not below `sup f − inf f` on a ball of radius B: `2B‖∇f(x)‖ + (L/2)(B + a)²` for a point x of the ball at
/// distance a from its centre, f convex and L-smooth. spec: `lem:min_density_gibbs`
///
/// The paper has a = B, which is the largest.
pub fn smooth_oscillation(gradient_norm: f64, smoothness: f64, radius: f64, distance: f64) -> Option<f64> {
    let valid = non_negative(gradient_norm) && non_negative(smoothness) && non_negative(radius);
    (valid && distance >= 0.0 && distance <= radius).then_some(())?;
    let reach = add_up(radius, distance)?;
    let slope = mul_up(mul_up(2.0, radius)?, gradient_norm)?;
    let bend = mul_up(mul_up(0.5, smoothness)?, mul_up(reach, reach)?)?;
    add_up(slope, bend)
}

/// The norm in which a Wasserstein-∞ distance is measured. spec: `lem:W_infty_TV`
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Norm {
    /// The 1-norm: for Laplace noise.
    One,
    /// The 2-norm: for normal noise.
    Two,
}

impl Norm {
    /// 1 or 2.
    pub(crate) fn number(self) -> u8 {
        match self {
            Self::One => 1,
            Self::Two => 2,
        }
    }
}

/// Not below ln(1/ξ), where TV ≤ ξ on a ball of radius B implies W∞ ≤ Δ: `osc + ln 2 + d·ln(2B·s/Δ)` with
/// s = √d for the 1-norm and s = 1 for the 2-norm. A proposal: `TotalVariation` of `asap_contracts::contract` decides.
/// spec: `lem:W_infty_TV`
///
/// A Δ as large as the ball is refused: every law on the ball is within it, and there is nothing to sample.
pub fn ln_inverse_tv(
    norm: Norm,
    oscillation: f64,
    dimension: u64,
    radius: f64,
    delta: f64,
) -> Result<f64, BrokenContract> {
    proposed("lem:W_infty_TV", "ln_inverse_tv", || {
        non_negative(oscillation).then_some(())?;
        // s², where 2B·s is the diameter of the ball.
        let stretch = if norm == Norm::One { dimension as f64 } else { 1.0 };
        let diameter = mul_up(mul_up(2.0, radius)?, sqrt_up(stretch)?)?;
        let diameters = div_up(diameter, delta).filter(|ratio| *ratio > 1.0)?;
        add_up(add_up(oscillation, LN_2_UP)?, mul_up(integer_up(dimension)?, ln(diameters) * UP)?)
    })
}

/// The largest oscillation of `f = γJ` on Θ for any data set whose minimiser lies in Θ: the smaller of
/// `2γG_J·B` and `2LB²`. For forecasts. spec: `cor:densit_lowerbound`
pub fn planned_oscillation(
    gamma: f64,
    lipschitz: f64,
    smoothness: f64,
    radius: f64,
) -> Result<f64, BrokenContract> {
    proposed("cor:densit_lowerbound", "planned_oscillation", || {
        let steep = mul_up(gamma, lipschitz).and_then(|slope| lipschitz_oscillation(slope, radius));
        let bent = mul_up(gamma, smoothness).and_then(|bend| smooth_oscillation(0.0, bend, radius, radius));
        steep.into_iter().chain(bent).reduce(f64::min)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contract::Clause;
    use asap_contracts::contract::{Oscillation, TotalVariation};

    /// Not below the exact value, and above it by no more than 10⁻¹¹ of it.
    fn just_above(computed: Option<f64>, exact: f64) {
        let computed = computed.unwrap();
        assert!(computed >= exact && computed <= exact + 1e-11 * exact.abs(), "{computed} for {exact}");
    }

    #[test]
    fn oscillations_of_hand_picked_functions() {
        // f(x) = 3|x| on [−2, 2], and 2·3·2.
        just_above(lipschitz_oscillation(3.0, 2.0), 12.0);
        // f(x) = 4·x²/2 on a ball of radius 3 around 1: sup 4·16/2 = 32, attained, at x = 0 and distance 1.
        just_above(smooth_oscillation(0.0, 4.0, 3.0, 1.0), 32.0);
        // The paper's form: 2·3·0.5 + 2·4·9.
        just_above(smooth_oscillation(0.5, 4.0, 3.0, 3.0), 75.0);
        just_above(planned_oscillation(0.5, 10.0, 1.0, 4.0).ok(), 16.0);
        just_above(planned_oscillation(0.5, 1.0, 1.0, 4.0).ok(), 4.0);
        for bad in [-1.0, f64::NAN, f64::INFINITY] {
            assert_eq!(smooth_oscillation(bad, 1.0, 1.0, 0.0), None);
            assert_eq!(smooth_oscillation(0.0, 1.0, 1.0, bad), None);
            assert_eq!(lipschitz_oscillation(bad, 1.0), None);
        }
        assert_eq!(smooth_oscillation(0.0, 1.0, 1.0, 1.5), None, "x is not in the ball");
    }

    /// mpmath, 40 digits, by another way: `p_min` and the paper's ξ with its Γ functions, then the logarithm.
    #[test]
    fn agrees_with_the_papers_formula() {
        let exact = [
            (Norm::One, 3.5, 1, 2.0, 0.125, 7.658_883_083_359_672),
            (Norm::Two, 3.5, 1, 2.0, 0.125, 7.658_883_083_359_672),
            (Norm::One, 10.0, 11, 0.75, 1e-4, 129.655_431_461_878_8),
            (Norm::Two, 10.0, 11, 0.75, 1e-4, 116.467_007_461_487_76),
            (Norm::One, 1e6, 1000, 40.0, 1e-9, 1_028_559.863_258_291_9),
        ];
        for (norm, osc, d, radius, delta, ln_inverse) in exact {
            just_above(ln_inverse_tv(norm, osc, d, radius, delta).ok(), ln_inverse);
        }
    }

    /// One dimension, where W∞ is the largest distance of quantiles: the mass ξ goes from the left end of a
    /// uniform law to its right end, which is as bad as a change of this size can be.
    #[test]
    fn the_bound_covers_the_worst_shift_of_a_uniform_law() {
        let (radius, delta) = (2.0, 0.01);
        let xi = (-ln_inverse_tv(Norm::Two, 0.0, 1, radius, delta).unwrap()).exp();
        let quantile = |u: f64| -radius + 2.0 * radius * u;
        // What is left after the cut starts at the ξ-quantile; all later quantiles move by the same amount.
        let distance = (0..1000)
            .map(|k| f64::from(k) / 1000.0 * (1.0 - xi))
            .fold(0.0, |worst: f64, u| worst.max((quantile(u + xi) - quantile(u)).abs()));
        assert!(distance <= delta && distance > 0.49 * delta, "{distance} for {delta}");
    }

    #[test]
    fn a_delta_as_large_as_the_ball_is_refused() {
        for delta in [2.0, 2.5, f64::NAN, 0.0] {
            assert_eq!(ln_inverse_tv(Norm::Two, 1.0, 3, 1.0, delta).unwrap_err().spec, "lem:W_infty_TV");
        }
        assert!(ln_inverse_tv(Norm::One, 1.0, 0, 1.0, 0.1).is_err());
        assert!(ln_inverse_tv(Norm::One, f64::NAN, 1, 1.0, 0.1).is_err());
        assert_eq!(ln_inverse_tv(Norm::One, 1.0, 4, 1e300, 1e-300).unwrap_err().kind, Clause::Range);
    }

    quickcheck::quickcheck! {
        /// Plausible numbers have a proposal, and the contract, which has the whole lemma, accepts it.
        fn every_proposal_is_accepted(osc: u32, d: u16, radius: u32, parts: u32, one: bool) -> bool {
            let (oscillation, dimension) = (f64::from(osc) / 1e3, u64::from(d) + 1);
            let radius = (f64::from(radius) + 1.0) / 1e5;
            let delta = radius / (f64::from(parts) + 1.0);
            let norm = if one { Norm::One } else { Norm::Two };
            let ln_inverse = ln_inverse_tv(norm, oscillation, dimension, radius, delta).unwrap();
            TotalVariation { ln_inverse, oscillation, dimension, radius, delta, norm: norm.number() }.holds().is_ok()
        }

        fn every_oscillation_is_accepted(a: u64, b: u64, c: u64, e: u64) -> bool {
            let [gradient_norm, smoothness, radius, distance] = [a, b, c, e].map(|bits| f64::from_bits(bits).abs());
            smooth_oscillation(gradient_norm, smoothness, radius, distance).is_none_or(|oscillation| {
                Oscillation { oscillation, gradient_norm, smoothness, radius, distance }.holds().is_ok()
            })
        }
    }
}
