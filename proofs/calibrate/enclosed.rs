//! The contracts with a logarithm or an exponential put these into the inequality of their lemma, and nothing else.
//!
//! For Kani other functions stand for the logarithm from above, the one from below and e^(−x)
//! (`contracts/src/exact/ghost.rs`), and a quotient is rounded to quarters, up or down as the source asks for. What is
//! proved is that a contract says yes exactly if the lemma's inequality, written down once more in whole numbers, holds
//! with these in place: every term, factor and argument, and the side of each enclosure. That the source's own
//! enclosures enclose is tested. A test of a harness takes the true functions, and leaves out 10^−9 around equality.

use crate::proofs::whole::number;
use crate::proofs::{assume, cover, harness};
use asap_contracts::contract::{
    DomainChance, InnerVariation, PotentialClass, ProximalStep, ProximalSteps, Restarts, TotalVariation,
    WarmStart,
};

#[cfg(kani)]
use abstracted::*;
#[cfg(not(kani))]
use computed::*;

/// What stands for them, for Kani.
#[cfg(kani)]
mod abstracted {
    use asap_contracts::exact::ghost;

    pub(super) type Real = u64;

    /// 8·ln 2, from above.
    pub(super) const LN_2_8: Real = 6;

    /// The logarithm of so many quarters, from below; more than any number of a harness where it has no value.
    pub(super) fn ln_below(quarters: Real) -> Real {
        if quarters < ghost::QUARTERS { ghost::low(quarters) } else { 1 << 20 }
    }

    /// The same from above.
    pub(super) fn ln(quarters: Real) -> Real {
        if quarters < ghost::QUARTERS { ghost::high(quarters) } else { 1 << 20 }
    }

    /// 4·e^(−x), from above.
    pub(super) fn exp_4(x: Real) -> Real {
        ghost::power(x)
    }

    /// A quotient in quarters, from above.
    pub(super) fn over_4(a: Real, b: Real) -> Real {
        let (Ok(a), Ok(b)) = (u16::try_from(a), u16::try_from(b.max(1))) else { return 1 << 20 };
        (4 * a).div_ceil(b).into()
    }

    /// Yes exactly if `needed ≤ given`.
    pub(super) fn decides(accepted: bool, needed: Real, given: Real) -> bool {
        accepted == (needed <= given)
    }
}

/// The true functions, for a test.
#[cfg(not(kani))]
mod computed {
    pub(super) type Real = f64;

    pub(super) const LN_2_8: Real = 8.0 * core::f64::consts::LN_2;

    pub(super) fn ln_below(quarters: Real) -> Real {
        (quarters / 4.0).ln()
    }

    pub(super) fn ln(quarters: Real) -> Real {
        (quarters / 4.0).ln()
    }

    pub(super) fn exp_4(x: Real) -> Real {
        4.0 * (-x).exp()
    }

    pub(super) fn over_4(a: Real, b: Real) -> Real {
        4.0 * a / b
    }

    pub(super) fn decides(accepted: bool, needed: Real, given: Real) -> bool {
        accepted == (needed <= given) || (needed - given).abs() <= 1e-9 * (1.0 + given.abs())
    }
}

harness! {
    /// spec: `lem:W_infty_TV`
    /// covers: asap_contracts::contract::TotalVariation::holds — within a bound
    ///
    /// Accepted if and only if d, B and Δ are positive, the norm is 1 or 2, Δ is at most the diameter 2B·s, and
    /// osc + ln 2 + (d/2)·ln((2B·s/Δ)²) is at most ln(1/ξ), s² = d in the 1-norm and 1 in the 2-norm.
    ///
    /// assumes: another function for the logarithm, ln 2 is ¾, quotients are rounded up to quarters. bound: 2-bit d, B,
    /// norm, osc, 3-bit Δ, 6-bit ln(1/ξ); where (2B·s/Δ)² is above 5 the logarithm has no value, and the contract
    /// refuses. solver: cadical.
    /// mutation: `ξ forgets the dimension`
    [kani::proof, kani::unwind(6), kani::solver(cadical),
     kani::stub(asap_contracts::exact::decompose, crate::proofs::whole::decompose),
     kani::stub(asap_contracts::exact::Exact::quotient, asap_contracts::exact::ghost::quotient),
     kani::stub(asap_contracts::exact::transcendental::ln_above, asap_contracts::exact::ghost::ln_above),
     kani::stub(asap_contracts::exact::transcendental::ln_2_above, asap_contracts::exact::ghost::ln_2_above)]
    fn verify_total_variation__decides(ln_inverse: u8, oscillation: u8, ball: (u8, u8, u8), norm: u8) {
        let (ln_inverse, oscillation, norm) = (ln_inverse % 64, oscillation % 4, norm % 4);
        let (dimension, radius, delta) = (ball.0 % 4, ball.1 % 4, ball.2 % 8);
        let it = TotalVariation {
            ln_inverse: number(ln_inverse),
            oscillation: number(oscillation),
            dimension: dimension.into(),
            radius: number(radius),
            delta: number(delta),
            norm,
        };
        let accepted = it.holds().is_ok();
        let (diameter, square) = (4 * radius * radius * if norm == 1 { dimension } else { 1 }, delta * delta);
        let valid = dimension > 0 && radius > 0 && delta > 0 && (norm == 1 || norm == 2) && square <= diameter;
        let [i, o, d] = [ln_inverse, oscillation, dimension].map(Real::from);
        let eight = Real::from(8_u8);
        let needed = eight * o + LN_2_8 + Real::from(4_u8) * d * ln(over_4(diameter.into(), square.into()));
        cover!(accepted && norm == 1 && dimension > 1);
        cover!(!accepted && valid && oscillation == 0);
        assert!(if valid { decides(accepted, needed, eight * i) } else { !accepted });
    }
}

harness! {
    /// spec: `own:conductance`
    /// covers: asap_contracts::contract::DomainChance::holds — within a bound
    ///
    /// Accepted if and only if d, m and R_1 are positive, ‖∇f‖ ≤ m·(B − a − R_1), √d + √(2u) ≤ √m·R_1 with both roots
    /// squared away, and 20·e^(−u) ≤ 19.
    ///
    /// assumes: another function for the exponential. bound: 2-bit numbers, 3-bit slope and B. solver: cadical.
    /// mutation: `a chance of nothing is enough`
    [kani::proof, kani::unwind(6), kani::solver(cadical),
     kani::stub(asap_contracts::exact::decompose, crate::proofs::whole::decompose),
     kani::stub(asap_contracts::exact::transcendental::exp_minus_above, asap_contracts::exact::ghost::exp_minus_above)]
    fn verify_domain_chance__decides(miss: u8, reserve: u8, dimension: u8, convexity: u8, ball: (u8, u8, u8)) {
        let [miss, reserve, dimension, convexity] = [miss, reserve, dimension, convexity].map(|x| x % 4);
        let (slope, distance, radius) = (ball.0 % 8, ball.1 % 4, ball.2 % 8);
        let it = DomainChance {
            log_miss: number(miss),
            reserve: number(reserve),
            dimension: dimension.into(),
            strong_convexity: number(convexity),
            gradient_norm: number(slope),
            distance: number(distance),
            radius: number(radius),
        };
        let accepted = it.holds().is_ok();
        let [u, r, d, m] = [miss, reserve, dimension, convexity].map(u32::from);
        let [g, a, b] = [slope, distance, radius].map(u32::from);
        let inside = a + r <= b && g <= m * (b - a - r);
        let (square, plain) = (m * r * r, d + 2 * u);
        let reached = plain <= square && 8 * u * d <= (square - plain) * (square - plain);
        let valid = d > 0 && m > 0 && r > 0 && inside && reached;
        cover!(accepted && u > 0 && g > 0);
        cover!(!accepted && inside && u > 0 && reached);
        let chance = Real::from(20_u8) * exp_4(miss.into());
        assert!(if valid { decides(accepted, chance, Real::from(76_u8)) } else { !accepted });
    }
}

harness! {
    /// spec: `own:conditional-tv`
    /// covers: asap_contracts::contract::InnerVariation::holds — within a bound
    ///
    /// Accepted if and only if ln(1/ξ) is positive, e^(−u) < 1, and ln(1/ξ) + ln
    /// 2 + ln(1/(1 − e^(−u))) is at most ln(1/ξ_in).
    ///
    /// assumes: other functions for the logarithm and the exponential, ln 2 is ¾, quotients are rounded up to quarters.
    /// bound: 2-bit u, 3-bit ln(1/ξ), 5-bit ln(1/ξ_in). solver: cadical.
    /// mutation: `conditioning costs nothing`
    [kani::proof, kani::unwind(6), kani::solver(cadical),
     kani::stub(asap_contracts::exact::decompose, crate::proofs::whole::decompose),
     kani::stub(asap_contracts::exact::Exact::quotient, asap_contracts::exact::ghost::quotient),
     kani::stub(asap_contracts::exact::transcendental::ln_above, asap_contracts::exact::ghost::ln_above),
     kani::stub(asap_contracts::exact::transcendental::exp_minus_above, asap_contracts::exact::ghost::exp_minus_above),
     kani::stub(asap_contracts::exact::transcendental::ln_2_above, asap_contracts::exact::ghost::ln_2_above)]
    fn verify_inner_variation__decides(miss: u8, outer: u8, inner: u8) {
        let (miss, outer, inner) = (miss % 4, outer % 8, inner % 32);
        let (ln_inverse_inner, ln_inverse_tv) = (number(inner), number(outer));
        let accepted = InnerVariation { ln_inverse_inner, ln_inverse_tv, log_miss: number(miss) }.holds().is_ok();
        let (lost, all) = (exp_4(miss.into()), Real::from(4_u8));
        let valid = outer > 0 && lost < all;
        cover!(accepted && inner > outer + 2);
        cover!(!accepted && valid && inner > outer + 2);
        assert!(valid || !accepted);
        if valid {
            let [o, i, eight] = [outer, inner, 8].map(Real::from);
            let needed = eight * o + LN_2_8 + eight * ln(over_4(all, all - lost));
            assert!(decides(accepted, needed, eight * i));
        }
    }
}

harness! {
    /// spec: `own:conductance`
    /// covers: asap_contracts::contract::Restarts::holds — within a bound
    ///
    /// Accepted if and only if ln(1/ξ) is positive and ln(1/ξ) + ln 2 ≤ τ_max·(min(u, w) − ln(1 + e^(−|u − w|))),
    /// the bracket not negative.
    ///
    /// assumes: other functions for the logarithm and the exponential, ln 2 is ¾. bound: 2-bit u, w, ln(1/ξ),
    /// 3-bit τ_max. solver: cadical.
    /// mutation: `a chain never fails for two reasons`
    [kani::proof, kani::unwind(6), kani::solver(cadical),
     kani::stub(asap_contracts::exact::decompose, crate::proofs::whole::decompose),
     kani::stub(asap_contracts::exact::transcendental::ln_above, asap_contracts::exact::ghost::ln_above),
     kani::stub(asap_contracts::exact::transcendental::exp_minus_above, asap_contracts::exact::ghost::exp_minus_above),
     kani::stub(asap_contracts::exact::transcendental::ln_2_above, asap_contracts::exact::ghost::ln_2_above)]
    fn verify_restarts__decides(restarts: u8, outer: u8, inner: u8, miss: u8) {
        let (restarts, outer, inner, miss) = (restarts % 8, outer % 4, inner % 4, miss % 4);
        let it = Restarts {
            restarts: restarts.into(),
            ln_inverse_tv: number(outer),
            ln_inverse_inner: number(inner),
            log_miss: number(miss),
        };
        let accepted = it.holds().is_ok();
        let [tau, o, least, eight] = [restarts, outer, inner.min(miss), 8].map(Real::from);
        let both = ln(Real::from(4_u8) + exp_4(inner.abs_diff(miss).into()));
        let valid = outer > 0 && both <= least;
        cover!(accepted && inner != miss);
        cover!(!accepted && valid && restarts > 0);
        assert!(valid || !accepted);
        assert!(!valid || decides(accepted, eight * o + LN_2_8, eight * tau * (least - both)));
    }
}

harness! {
    /// spec: `own:warm-start`
    /// covers: asap_contracts::contract::WarmStart::holds — within a bound
    ///
    /// Accepted if and only if 0 < m ≤ L and ln 2 + (d/2)·ln(2L/m) + L‖∇f‖²/m² + ln(1/ξ_in) ≤ Q.
    ///
    /// assumes: another function for the logarithm, ln 2 is ¾, quotients are rounded up to quarters. bound: 2-bit
    /// numbers, d from 1 to 3, 3-bit ln(1/ξ_in), 6-bit Q; where 2L/m is above 5 the logarithm has no value, and the
    /// contract refuses. solver: cadical.
    /// mutation: `a start is off by nothing`
    [kani::proof, kani::unwind(6), kani::solver(cadical),
     kani::stub(asap_contracts::exact::decompose, crate::proofs::whole::decompose),
     kani::stub(asap_contracts::exact::Exact::quotient, asap_contracts::exact::ghost::quotient),
     kani::stub(asap_contracts::exact::transcendental::ln_above, asap_contracts::exact::ghost::ln_above),
     kani::stub(asap_contracts::exact::transcendental::ln_2_above, asap_contracts::exact::ghost::ln_2_above)]
    fn verify_warm_start__decides(ratio: u8, dimension: u8, bounds: (u8, u8, u8), inner: u8) {
        let (ratio, dimension, inner) = (ratio % 64, dimension % 3 + 1, inner % 8);
        let [convexity, smoothness, slope] = [bounds.0 % 4, bounds.1 % 4, bounds.2 % 4];
        let it = WarmStart {
            log_ratio: number(ratio),
            dimension: dimension.into(),
            strong_convexity: number(convexity),
            smoothness: number(smoothness),
            gradient_norm: number(slope),
            ln_inverse_inner: number(inner),
        };
        let accepted = it.holds().is_ok();
        let valid = convexity > 0 && convexity <= smoothness;
        let [q, d, i] = [ratio, dimension, inner].map(Real::from);
        let [m, l, g] = [convexity, smoothness, slope].map(Real::from);
        let [two, four, eight] = [2_u8, 4, 8].map(Real::from);
        let (spread, off) = (ln(two * over_4(l, m)), over_4(l * g * g, m * m));
        let needed = LN_2_8 + four * d * spread + two * off + eight * i;
        cover!(accepted && dimension > 1 && slope > 0);
        cover!(!accepted && valid && inner == 0);
        assert!(if valid { decides(accepted, needed, eight * q) } else { !accepted });
    }
}

harness! {
    /// spec: `own:proximal`
    /// covers: asap_contracts::contract::ProximalSteps::holds — within a bound
    ///
    /// Accepted if and only if m, η and the error are positive and B is at most the error, or
    /// ln(B/error) ≤ K·ln(1 + mη).
    ///
    /// assumes: other functions for the logarithm from above, on the left, and from below, on the right; quotients are
    /// rounded up to quarters. bound: m and η up to 2, 2-bit errors, B up to 5, 3-bit K. solver: cadical.
    /// mutation: `the length of a step does not count`
    [kani::proof, kani::unwind(6), kani::solver(cadical),
     kani::stub(asap_contracts::exact::decompose, crate::proofs::whole::decompose),
     kani::stub(asap_contracts::exact::Exact::quotient, asap_contracts::exact::ghost::quotient),
     kani::stub(asap_contracts::exact::transcendental::ln_above, asap_contracts::exact::ghost::ln_above),
     kani::stub(asap_contracts::exact::transcendental::ln_below, asap_contracts::exact::ghost::ln_below)]
    fn verify_proximal_steps__decides(steps: u8, step: u8, convexity: u8, radius: u8, error: u8) {
        let [steps, step, convexity, radius, error] = [steps % 8, step % 3, convexity % 3, radius % 6, error % 4];
        let it = ProximalSteps {
            steps: steps.into(),
            step: number(step),
            strong_convexity: number(convexity),
            radius: number(radius),
            error: number(error),
        };
        let accepted = it.holds().is_ok();
        let valid = step > 0 && convexity > 0 && error > 0;
        let [k, b, e, factor] = [steps, radius, error, 4 + 4 * step * convexity].map(Real::from);
        cover!(accepted && radius > error);
        cover!(!accepted && valid && steps > 0);
        if valid && radius > error {
            assert!(decides(accepted, ln(over_4(b, e)), k * ln_below(factor)));
        } else {
            assert!(accepted == valid);
        }
    }
}

harness! {
    /// spec: `own:proximal`
    /// covers: asap_contracts::contract::ProximalStep::holds — within a bound
    ///
    /// Accepted if and only if m and η are positive and mη + 1 ≤ mη·(1 + 21/(20·m_0·η_0)), where 1/η_0 = λ − m_0 and λ
    /// is the largest of d(L − m_0), d(g − m_0·B)/(2B) and d²/B²: numbers with a 0 are those of the public worst case.
    ///
    /// assumes: quotients are rounded up to quarters; λ > m_0 (below, 1/η_0 is m_0/2^20, which is tested).
    /// bound: 2-bit numbers, 3-bit L and g.
    /// solver: cadical.
    /// mutation: `the slope of the worst case does not count`
    [kani::proof, kani::unwind(6), kani::solver(cadical),
     kani::stub(asap_contracts::exact::decompose, crate::proofs::whole::decompose),
     kani::stub(asap_contracts::exact::Exact::quotient, asap_contracts::exact::ghost::quotient)]
    fn verify_proximal_step__decides(step: u8, convexity: u8, least: u8, worst: (u8, u8, u8), dimension: u8) {
        let [step, convexity, least, dimension] = [step % 4, convexity % 4, least % 3 + 1, dimension % 3 + 1];
        let (smoothness, slope, radius) = (worst.0 % 8, worst.1 % 8, worst.2 % 3 + 1);
        assume!(smoothness >= least);
        let it = ProximalStep {
            step: number(step),
            strong_convexity: number(convexity),
            worst: PotentialClass {
                strong_convexity: number(least),
                smoothness: number(smoothness),
                slope: number(slope),
                radius: number(radius),
                dimension: dimension.into(),
            },
        };
        let apart = Real::from(4 * dimension * (smoothness - least));
        let pull = over_4(Real::from(dimension * slope.saturating_sub(least * radius)), Real::from(2 * radius));
        let ball = over_4(Real::from(dimension * dimension), Real::from(radius * radius));
        let larger = |a: Real, b: Real| if a < b { b } else { a };
        // In quarters.
        let wanted = larger(apart, larger(pull, ball));
        assume!(wanted > Real::from(4 * least));
        let accepted = it.holds().is_ok();
        let inverse = wanted - Real::from(4 * least);
        let accumulated = Real::from(4_u8) + over_4(Real::from(21_u8) * inverse, Real::from(80 * least));
        let (product, valid) = (Real::from(step * convexity), step > 0 && convexity > 0);
        cover!(accepted && pull > apart);
        cover!(!accepted && valid);
        let needed = Real::from(4_u8) * product + Real::from(4_u8);
        assert!(if valid { decides(accepted, needed, product * accumulated) } else { !accepted });
    }
}
