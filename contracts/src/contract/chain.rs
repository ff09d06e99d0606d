//! Constrained MALA for one data set: how often it ends in the ball, how long it runs, how often it is run. These
//! contracts are the table of the page `own:conductance`, with its names.

use super::{contract, non_negative, positive};
use crate::exact::Exact;
use crate::exact::transcendental::{
    centre_mass_above, centre_mass_below, exp_minus_above, ln_2_above, ln_above, pi_below,
};

/// p_acc: the law ∝ e^(−f) on the whole space, f m-strongly convex, gives the ball Θ at least this mass.
///
/// With τ = ‖∇f(θ_opt)‖/m the ball of radius R_1 around the minimiser lies in Θ; outside of it is at most
/// e^(−½(√m·R_1 − √d)²). The root is squared away: with u = −ln(1 − p_acc) it reads √d + √(2u) ≤ √m·R_1.
///
/// spec: `own:conductance`
#[derive(Clone, Copy)]
pub struct DomainChance {
    /// u = −ln(1 − p_acc).
    pub log_miss: f64,
    /// R_1.
    pub reserve: f64,
    /// d: the number of parameters.
    pub dimension: u64,
    /// m, on the whole space.
    pub strong_convexity: f64,
    /// ‖∇f(θ_opt)‖.
    pub gradient_norm: f64,
    /// ‖θ_opt − θ_0‖, θ_0 the centre of Θ.
    pub distance: f64,
    /// B: the radius of Θ.
    pub radius: f64,
}

contract! {
    DomainChance:
    requires "own:conductance", "d, m and R_1 are positive" => |it| it.dimension >= 1 && positive(&[it.strong_convexity, it.reserve]);
    requires "own:conductance", "the ball of radius R_1 around the minimiser is in Θ" => |it| {
        let room = Exact::of(it.radius) - (Exact::of(it.distance) + Exact::of(it.reserve));
        Exact::of(it.gradient_norm) <= room * Exact::of(it.strong_convexity)
    };
    ensures "own:conductance", "1 − p_acc is at least e^(−½(√m·R_1 − √d)²)" => |it| {
        let (u, d) = (Exact::of(it.log_miss), Exact::whole(it.dimension));
        let square = Exact::of(it.strong_convexity) * Exact::of(it.reserve).squared();
        square.covers(&(&d + Exact::whole(2) * &u), &(Exact::whole(8) * u * d))
    };
    ensures "assumpt:domain", "p_acc is at least 0.05" => |it| {
        Exact::whole(20) * exp_minus_above(&Exact::of(it.log_miss)) <= Exact::whole(19)
    };
}

/// ξ_in: the target of the unconstrained chain, so that conditioning on Θ leaves half of ξ.
///
/// spec: `own:conditional-tv`
#[derive(Clone, Copy)]
pub struct InnerVariation {
    /// ln(1/ξ_in).
    pub ln_inverse_inner: f64,
    /// ln(1/ξ).
    pub ln_inverse_tv: f64,
    /// −ln(1 − p_acc).
    pub log_miss: f64,
}

contract! {
    InnerVariation:
    requires "own:conditional-tv", "ln(1/ξ) is positive" => |it| positive(&[it.ln_inverse_tv]);
    ensures "own:conditional-tv", "ξ_in is at most p_acc·ξ/2" => |it| {
        let chance = &Exact::whole(1) - exp_minus_above(&Exact::of(it.log_miss));
        let loss = ln_above(&Exact::whole(1).over(chance));
        Exact::of(it.ln_inverse_tv) + ln_2_above() + loss <= Exact::of(it.ln_inverse_inner)
    };
}

/// τ_max: so many chains, each within ξ_in of its law, all end outside of Θ with probability at most ξ/2.
///
/// One does with probability at most q = e^(−u) + e^(−w), u = −ln(1 − p_acc), w = ln(1/ξ_in); and −ln q is min(u,
/// w) − ln(1 + e^(−|u − w|)).
///
/// spec: `own:conductance`
#[derive(Clone, Copy)]
pub struct Restarts {
    /// τ_max.
    pub restarts: u64,
    /// ln(1/ξ).
    pub ln_inverse_tv: f64,
    /// ln(1/ξ_in).
    pub ln_inverse_inner: f64,
    /// −ln(1 − p_acc).
    pub log_miss: f64,
}

contract! {
    Restarts:
    requires "own:conductance", "ln(1/ξ) is positive" => |it| positive(&[it.ln_inverse_tv]);
    ensures "own:conductance", "(1 − p_acc + ξ_in)^τ_max is at most ξ/2" => |it| {
        let (u, w) = (Exact::of(it.log_miss), Exact::of(it.ln_inverse_inner));
        let apart = u.beyond(&w) + w.beyond(&u);
        let both = ln_above(&(Exact::whole(1) + exp_minus_above(&apart)));
        let each = u.min(w) - both;
        Exact::of(it.ln_inverse_tv) + ln_2_above() <= Exact::whole(it.restarts) * each
    };
}

/// Q: how warm the initial law N(θ_opt, I/(2L)) is, and how far the chain must go: ln(2β_0/ξ_in), ln
/// β_0 = (d/2)·ln(2κ) + Lτ².
///
/// spec: `own:warm-start`
#[derive(Clone, Copy)]
pub struct WarmStart {
    /// Q.
    pub log_ratio: f64,
    /// d: the number of parameters.
    pub dimension: u64,
    /// m, on the whole space.
    pub strong_convexity: f64,
    /// L, on the whole space.
    pub smoothness: f64,
    /// ‖∇f(θ_opt)‖, which is at most mτ.
    pub gradient_norm: f64,
    /// ln(1/ξ_in).
    pub ln_inverse_inner: f64,
}

contract! {
    WarmStart:
    requires "own:warm-start", "m is positive and at most L" => |it| {
        positive(&[it.strong_convexity]) && Exact::of(it.strong_convexity) <= Exact::of(it.smoothness)
    };
    requires "own:warm-start", "slope is not negative" => |it| non_negative(&[it.gradient_norm]);
    ensures "own:warm-start", "Q is at least ln 2 + (d/2)·ln(2κ) + Lτ² + ln(1/ξ_in)" => |it| {
        let (m, l) = (Exact::of(it.strong_convexity), Exact::of(it.smoothness));
        let spread = Exact::whole(it.dimension) * ln_above(&(Exact::whole(2) * l.over(&m))) * Exact::power(-1);
        let off = (l * Exact::of(it.gradient_norm).squared()).over(m.squared());
        ln_2_above() + spread + off + Exact::of(it.ln_inverse_inner) <= Exact::of(it.log_ratio)
    };
}

/// h and K: so many lazy steps of size h bring the law of the unconstrained chain within e^(−Q)·2β_0 of its
/// target in total variation.
///
/// Worked out from the table of the page in its unscaled quantities; the search for h and t has others.
///
/// spec: `own:conductance`
#[derive(Clone, Copy)]
pub struct MixingTime {
    /// h: the step size.
    pub step: f64,
    /// K: the lazy steps.
    pub steps: u64,
    /// t: points within t√(2h) of each other have overlapping proposals.
    pub separation: f64,
    /// Q.
    pub log_ratio: f64,
    /// d: the number of parameters.
    pub dimension: u64,
    /// m, on the whole space.
    pub strong_convexity: f64,
    /// L, on the whole space.
    pub smoothness: f64,
}

contract! {
    MixingTime:
    requires "own:conductance", "m is positive and at most L" => |it| {
        positive(&[it.strong_convexity]) && Exact::of(it.strong_convexity) <= Exact::of(it.smoothness)
    };
    requires "own:conductance", "d, h and t are positive" => |it| it.dimension >= 1 && positive(&[it.step, it.separation]);
    requires "own:conductance", "hL is at most 2" => |it| Exact::of(it.step) * Exact::of(it.smoothness) <= Exact::whole(2);
    requires "own:conductance", "Q is at least ln 2" => |it| ln_2_above() <= Exact::of(it.log_ratio);
    ensures "own:conductance", "K·Φ_s² is at least 2Q" => |it| {
        let conductance = it.conductance_below();
        Exact::whole(2) * Exact::of(it.log_ratio) <= Exact::whole(it.steps) * conductance.squared()
    };
}

impl MixingTime {
    /// Not below a: the chance that a proposal from within r of the minimiser is rejected.
    fn rejection_above(&self) -> Exact {
        let (m, l) = (Exact::of(self.strong_convexity), Exact::of(self.smoothness));
        let (h, d) = (Exact::of(self.step), Exact::whole(self.dimension));
        let half = Exact::power(-1);
        let r = (d.root() + (Exact::whole(2) * Exact::of(self.log_ratio)).root()).over(m.root_below());
        let gamma = (&l * r).shortened();
        let v = ((&h * &gamma).squared() + Exact::whole(2) * &h * d).shortened();
        let apart = &l - &m;
        let trapezoid = (&apart * Exact::power(-3) + Exact::power(-2) * &h * l.squared()) * &v;
        let along = &half * (&l + &m) * h.over(pi_below()).root() + &half * apart * v.root();
        (trapezoid + half * h * gamma * along).shortened()
    }

    /// Not above Φ_s: the s-conductance of the lazy chain; no value where the bound says nothing.
    fn conductance_below(&self) -> Exact {
        let (t, one) = (Exact::of(self.separation), Exact::whole(1));
        let lost = centre_mass_above(&(&t * Exact::power(-1))) + Exact::whole(2) * self.rejection_above();
        let omega = &one - lost;
        let reach = Exact::whole(2) * Exact::of(self.step) * Exact::of(self.strong_convexity);
        let c = centre_mass_below(&(t * reach.root_below()));
        (omega * Exact::power(-3) * &c).over_below(one + c).shortened_below()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// mpmath: ln(2/ξ)/−ln(1 − p_acc + ξ_in) is 1.00029…, 3132.42… and 210.34….
    #[test]
    fn restarts_are_decided_to_one() {
        for (ln_inverse_tv, log_miss, needed) in
            [(45.0, 50.0_f64, 2), (160.0, 0.0513, 3133), (420.0, 2.0, 211)]
        {
            let chance = -(-log_miss).exp_m1();
            let ln_inverse_inner = (ln_inverse_tv + core::f64::consts::LN_2 - chance.ln()) * (1.0 + 1e-15);
            let inner = InnerVariation { ln_inverse_inner, ln_inverse_tv, log_miss };
            assert!(inner.holds().is_ok());
            let short = InnerVariation { ln_inverse_inner: ln_inverse_inner * (1.0 - 1e-13), ..inner };
            assert!(short.holds().is_err());
            let enough = |restarts| Restarts { restarts, ln_inverse_tv, ln_inverse_inner, log_miss }.holds();
            assert!(enough(needed).is_ok() && enough(needed - 1).is_err() && enough(0).is_err());
            assert!(enough(needed + 1).is_ok());
        }
        // Far apart and far out: u = 10⁶, w = 2·10⁵.
        let far =
            |restarts| Restarts { restarts, ln_inverse_tv: 1.9e5, ln_inverse_inner: 2e5, log_miss: 1e6 };
        assert!(far(1).holds().is_ok());
        let near = Restarts { ln_inverse_tv: 2.1e5, ..far(1) };
        assert!(near.holds().is_err() && Restarts { restarts: 2, ..near }.holds().is_ok());
        for bad in [f64::NAN, f64::INFINITY, -1.0] {
            assert!(Restarts { ln_inverse_tv: bad, ..far(9) }.holds().is_err());
            assert!(Restarts { ln_inverse_inner: bad, ..far(9) }.holds().is_err());
            assert!(Restarts { log_miss: bad, ..far(9) }.holds().is_err());
        }
    }

    /// d = 4, m = 4, R_1 = 3.5: √m·R_1 − √d = 5, so that u is at most 12.5.
    #[test]
    fn the_chance_of_the_domain_by_hand() {
        let it = DomainChance {
            log_miss: 12.5,
            reserve: 3.5,
            dimension: 4,
            strong_convexity: 4.0,
            gradient_norm: 0.0,
            distance: 0.5,
            radius: 4.0,
        };
        assert!(it.holds().is_ok());
        let broken = |it: DomainChance| it.holds().err().map(|broken| broken.clause);
        let chance = Some("1 − p_acc is at least e^(−½(√m·R_1 − √d)²)");
        assert_eq!(broken(DomainChance { log_miss: 12.5_f64.next_up(), ..it }), chance);
        assert_eq!(broken(DomainChance { dimension: 5, ..it }), chance);
        let inside = Some("the ball of radius R_1 around the minimiser is in Θ");
        assert_eq!(broken(DomainChance { gradient_norm: 1e-9, ..it }), inside);
        assert_eq!(broken(DomainChance { distance: 0.5_f64.next_up(), ..it }), inside);
        // ln 0.95 = −0.05129….
        assert_eq!(broken(DomainChance { log_miss: 0.0512, ..it }), Some("p_acc is at least 0.05"));
        assert!(DomainChance { log_miss: 0.0513, ..it }.holds().is_ok());
        assert!(broken(DomainChance { log_miss: f64::NAN, ..it }).is_some());
    }

    /// κ = 3, τ = 1/2: Q = ln 2 + 2·ln 6 + 12/4 + 100.
    #[test]
    fn the_warm_start_by_hand() {
        let q = core::f64::consts::LN_2 + 2.0 * 6.0_f64.ln() + 3.0 + 100.0;
        let it = WarmStart {
            log_ratio: q * (1.0 + 1e-15),
            dimension: 4,
            strong_convexity: 4.0,
            smoothness: 12.0,
            gradient_norm: 2.0,
            ln_inverse_inner: 100.0,
        };
        assert!(it.holds().is_ok());
        for worse in [
            WarmStart { log_ratio: q * (1.0 - 1e-14), ..it },
            WarmStart { dimension: 5, ..it },
            WarmStart { smoothness: 12.1, ..it },
            WarmStart { gradient_norm: 2.1, ..it },
            WarmStart { ln_inverse_inner: 100.1, ..it },
            WarmStart { smoothness: 3.0, ..it },
        ] {
            assert!(worse.holds().is_err());
        }
    }

    /// Unscaled quantities, mpmath with 30 digits, working on the page: d = 11, κ = 1.01, η = 1/32, t = 1
    /// needs 2837784.19992861 steps.
    #[test]
    fn the_length_of_a_chain_is_decided_to_one_step() {
        let (m, l) = (3.0, 3.03);
        let at = |steps| MixingTime {
            step: 0.03125 / l,
            steps,
            separation: 1.0,
            log_ratio: 165.253_330_673_892,
            dimension: 11,
            strong_convexity: m,
            smoothness: l,
        };
        assert!(at(2_837_785).holds().is_ok());
        assert_eq!(at(2_837_784).holds().err().map(|broken| broken.clause), Some("K·Φ_s² is at least 2Q"));
        let it = at(2_837_785);
        for worse in [
            MixingTime { dimension: 12, ..it },
            MixingTime { log_ratio: 165.26, ..it },
            MixingTime { smoothness: 3.04, ..it },
            MixingTime { strong_convexity: 2.99, ..it },
            MixingTime { step: 0.7, ..it },
            MixingTime { separation: 3.0, ..it },
            MixingTime { log_ratio: 0.69, steps: u64::MAX, ..it },
        ] {
            assert!(worse.holds().is_err());
        }
        for bad in [f64::NAN, f64::INFINITY, -1.0, 0.0] {
            assert!(MixingTime { step: bad, ..it }.holds().is_err());
            assert!(MixingTime { separation: bad, ..it }.holds().is_err());
            assert!(MixingTime { log_ratio: bad, ..it }.holds().is_err());
            assert!(MixingTime { strong_convexity: bad, ..it }.holds().is_err());
            assert!(MixingTime { smoothness: bad, ..it }.holds().is_err());
        }
    }

    /// Each requirement by its name: what breaks it alone, and what is just admissible. For mutants that survived.
    #[test]
    fn requirements_are_asked_for_by_themselves() {
        let chance = DomainChance {
            log_miss: 1.0,
            reserve: 3.5,
            dimension: 4,
            strong_convexity: 4.0,
            gradient_norm: 0.0,
            distance: 0.5,
            radius: 4.0,
        };
        assert!(chance.holds().is_ok());
        for bad in [
            DomainChance { dimension: 0, ..chance },
            DomainChance { dimension: 0, strong_convexity: 4.0_f64.next_down(), ..chance },
        ] {
            assert_eq!(bad.holds().err().map(|it| it.clause), Some("d, m and R_1 are positive"));
        }
        assert!(DomainChance { dimension: 1, ..chance }.holds().is_ok());
        let warm = WarmStart {
            log_ratio: 200.0,
            dimension: 4,
            strong_convexity: 4.0,
            smoothness: 4.0,
            gradient_norm: 0.0,
            ln_inverse_inner: 100.0,
        };
        assert!(warm.holds().is_ok());
        let inner = InnerVariation { ln_inverse_inner: 50.0, ln_inverse_tv: 1.0, log_miss: 2.0 };
        let restarts = Restarts { restarts: 9, ln_inverse_tv: 1.0, ln_inverse_inner: 50.0, log_miss: 2.0 };
        assert!(inner.holds().is_ok() && restarts.holds().is_ok());
        assert!(InnerVariation { ln_inverse_tv: 0.0, ..inner }.holds().is_err());
        assert!(Restarts { ln_inverse_tv: 0.0, ..restarts }.holds().is_err());

        // m = L is a potential as any other.
        let it = MixingTime {
            step: 0.01,
            steps: 1 << 50,
            separation: 1.0,
            log_ratio: 165.0,
            dimension: 11,
            strong_convexity: 3.0,
            smoothness: 3.0,
        };
        assert!(it.holds().is_ok() && MixingTime { dimension: 1, ..it }.holds().is_ok());
        let clause = |it: MixingTime| it.holds().err().map(|it| it.clause);
        let steep = MixingTime { smoothness: 3.0_f64.next_down(), ..it };
        assert_eq!(clause(steep), Some("m is positive and at most L"));
        assert_eq!(clause(MixingTime { dimension: 0, ..it }), Some("d, h and t are positive"));
        assert_eq!(clause(MixingTime { separation: 0.0, ..it }), Some("d, h and t are positive"));
        let long = MixingTime { step: 0.6667, ..it };
        assert_eq!(clause(long), Some("hL is at most 2"));
        assert_eq!(clause(MixingTime { log_ratio: 0.693, ..it }), Some("Q is at least ln 2"));
    }
}
