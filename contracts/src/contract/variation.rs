//! ξ: how small a total variation must be for a Wasserstein-∞ distance Δ.

use super::{contract, non_negative, positive};
use crate::exact::Exact;
use crate::exact::transcendental::{ln_2_above, ln_above};

/// The oscillation `sup f − inf f` on a ball of radius B, from a point of the ball at distance a from its centre: f is
/// convex and L-smooth, so it is at most 2B‖∇f(x)‖ + (L/2)(B + a)².
///
/// spec: `lem:min_density_gibbs`
#[derive(Clone, Copy)]
pub struct Oscillation {
    /// Not below the oscillation.
    pub oscillation: f64,
    /// ‖∇f(x)‖.
    pub gradient_norm: f64,
    /// L.
    pub smoothness: f64,
    /// B.
    pub radius: f64,
    /// a: the distance of x from the centre.
    pub distance: f64,
}

contract! {
    Oscillation:
    requires "lem:min_density_gibbs", "slope, L, B and distance are not negative" => |it| {
        non_negative(&[it.gradient_norm, it.smoothness, it.radius, it.distance])
    };
    requires "lem:min_density_gibbs", "the point is in the ball" => |it| Exact::of(it.distance) <= Exact::of(it.radius);
    ensures "lem:min_density_gibbs", "oscillation covers 2B‖∇f(x)‖ + (L/2)(B + a)²" => |it| {
        let radius = Exact::of(it.radius);
        let slope = Exact::whole(2) * &radius * Exact::of(it.gradient_norm);
        let bend = Exact::power(-1) * Exact::of(it.smoothness) * (radius + Exact::of(it.distance)).squared();
        slope + bend <= Exact::of(it.oscillation)
    };
}

/// ξ: if the density ∝ e^(−f) on a ball of radius B oscillates by at most osc, then a law within ξ of it in total
/// variation is within Δ of it in Wasserstein-∞ distance. Everything is in logarithms, because ξ underflows.
///
/// s is √d for the 1-norm and 1 for the 2-norm: 2B·s is the diameter of the ball. The logarithm is
/// that of (2B·s/Δ)², halved.
///
/// spec: `lem:W_infty_TV`
#[derive(Clone, Copy)]
pub struct TotalVariation {
    /// ln(1/ξ).
    pub ln_inverse: f64,
    /// osc.
    pub oscillation: f64,
    /// d: the number of parameters.
    pub dimension: u64,
    /// B: the radius of the ball.
    pub radius: f64,
    /// Δ.
    pub delta: f64,
    /// The norm of Δ: 1 or 2.
    pub norm: u8,
}

contract! {
    TotalVariation:
    requires "lem:W_infty_TV", "oscillation is not negative" => |it| non_negative(&[it.oscillation]);
    requires "lem:W_infty_TV", "d, B and Δ are positive" => |it| it.dimension >= 1 && positive(&[it.radius, it.delta]);
    requires "lem:W_infty_TV", "norm is 1 or 2" => |it| (1..=2).contains(&it.norm);
    requires "lem:W_infty_TV", "Δ is at most the diameter of the ball" => |it| {
        Exact::of(it.delta).squared() <= it.diameter_squared()
    };
    ensures "lem:W_infty_TV", "ln(1/ξ) is at least osc + ln 2 + d·ln(2B·s/Δ)" => |it| {
        let ratio = it.diameter_squared().over(Exact::of(it.delta).squared());
        let diameters = Exact::whole(it.dimension) * ln_above(&ratio) * Exact::power(-1);
        Exact::of(it.oscillation) + ln_2_above() + diameters <= Exact::of(it.ln_inverse)
    };
}

impl TotalVariation {
    /// (2B·s)².
    fn diameter_squared(&self) -> Exact {
        let stretch = Exact::whole(if self.norm == 1 { self.dimension } else { 1 });
        Exact::whole(4) * Exact::of(self.radius).squared() * stretch
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn xi(ln_inverse: f64, norm: u8, oscillation: f64, dimension: u64, radius: f64, delta: f64) -> bool {
        TotalVariation { ln_inverse, oscillation, dimension, radius, delta, norm }.holds().is_ok()
    }

    /// mpmath, 40 digits, by another way: `p_min` and the paper's ξ with its Γ functions, then the logarithm. Decided
    /// to one part in 10¹⁴; and without the d·ln term, or with one dimension less, it is refused.
    #[test]
    fn the_whole_lemma_is_decided() {
        for (norm, osc, d, radius, delta, exact) in [
            (1, 3.5, 1, 2.0, 0.125, 7.658_883_083_359_672),
            (2, 3.5, 1, 2.0, 0.125, 7.658_883_083_359_672),
            (1, 10.0, 11, 0.75, 1e-4, 129.655_431_461_878_8),
            (2, 10.0, 11, 0.75, 1e-4, 116.467_007_461_487_76),
            (1, 1e6, 1000, 40.0, 1e-9, 1_028_559.863_258_291_9),
        ] {
            assert!(xi(exact * (1.0 + 1e-14), norm, osc, d, radius, delta), "{exact}");
            assert!(!xi(exact * (1.0 - 1e-14), norm, osc, d, radius, delta), "{exact}");
            let without = osc + core::f64::consts::LN_2 + 1e-9;
            assert!(!xi(without, norm, osc, d, radius, delta));
            let diameter = 2.0 * radius * if norm == 1 { (d as f64).sqrt() } else { 1.0 };
            assert!(!xi(exact - (diameter / delta).ln() + 1e-9, norm, osc, d, radius, delta));
        }
        // √d belongs to the 1-norm: what is enough for the 2-norm is not.
        assert!(xi(116.5, 2, 10.0, 11, 0.75, 1e-4) && !xi(116.5, 1, 10.0, 11, 0.75, 1e-4));
        for bad in [f64::NAN, f64::INFINITY, -1.0] {
            assert!(!xi(bad, 2, 0.0, 1, 1.0, 0.1) && !xi(100.0, 2, bad, 1, 1.0, 0.1));
            assert!(!xi(100.0, 2, 0.0, 1, bad, 0.1) && !xi(100.0, 2, 0.0, 1, 1.0, bad));
        }
        assert!(!xi(100.0, 3, 0.0, 1, 1.0, 0.1) && !xi(100.0, 2, 0.0, 0, 1.0, 0.1));
        assert!(!xi(100.0, 2, 0.0, 1, 1.0, 2.5), "a Δ as large as the ball");
    }

    /// f(x) = 4·x²/2 on a ball of radius 3 around 1: sup 4·16/2 = 32, attained, from x = 0 at distance 1.
    #[test]
    fn oscillations_by_hand() {
        let covers = |oscillation, gradient_norm, distance| {
            Oscillation { oscillation, gradient_norm, smoothness: 4.0, radius: 3.0, distance }.holds().is_ok()
        };
        assert!(covers(32.0, 0.0, 1.0) && !covers(32.0_f64.next_down(), 0.0, 1.0));
        // 2·3·0.5 + 2·4·9.
        assert!(covers(75.0, 0.5, 3.0) && !covers(75.0_f64.next_down(), 0.5, 3.0));
        assert!(!covers(1e9, 0.0, 3.5), "the point is not in the ball");
    }
}
