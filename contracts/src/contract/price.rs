//! What the Jacobian of a tilt costs if the slope and the curvature of one record are tied, as in the logistic loss:
//! |φ′| = p and φ″ = p(1 − p) at the same p. The page `own:joint-price` has the proof.
//!
//! Both prices ask whether a concave function of p is below e^(a linear one) everywhere. A tangent of the exponential
//! is below it, so one lower bound of one exponential decides. Wherever the tangent is taken, an accepted price is
//! right.

use super::{contract, non_negative, positive};
use crate::exact::Exact;
use crate::exact::transcendental::exp_below;
use crate::schema::{Guarantee, Problem, Tilt};

/// The Jacobian of a purely private tilt, for the logistic loss: `p·ε₁ + ln(1 + κ·p·(1 − p)) ≤ ε₁ + jacobian` for all p
/// in [0, 1], where ε₁ is what the tilt of one of the changed losses costs and κ = 4β/Λ.
#[derive(Clone, Copy)]
pub struct JointPrice {
    /// ε of the tilt, of all losses in which neighbours differ.
    pub tilt: f64,
    /// How many losses these are: 1 or 2.
    pub changed: u64,
    /// β: the smoothness of the loss of one record.
    pub smoothness: f64,
    /// Λ.
    pub regulariser: f64,
    /// What is paid beyond the tilt; 0 if nothing is.
    pub jacobian: f64,
}

contract! {
    JointPrice:
    given "own:joint-price", "numbers are such" => |it| {
        positive(&[it.tilt, it.smoothness, it.regulariser]) && non_negative(&[it.jacobian]) && (1..=2).contains(&it.changed)
    };
    ensures "own:joint-price", "Jacobian is free: 4β/Λ is at most what the tilt of one loss costs" when |it| it.jacobian == 0.0 => |it| it.covers();
    ensures "own:joint-price", "share of the Jacobian covers slope and curvature of a record at the same point" when |it| it.jacobian != 0.0 => |it| it.covers();
}

/// The Jacobian of a normal tilt, for the logistic loss: `ln(1 + κ·q) ≤ jacobian + m²·q/2` for all q in [0, ¼], where m
/// is what is left to the tilt of one of the changed losses, and κ = m·√(Σ r²σ²)/Λ over the blocks.
#[derive(Clone, Copy)]
pub struct GaussianPrice<'a> {
    /// The law of the tilt.
    pub tilt: &'a Tilt,
    /// The problem.
    pub problem: &'a Problem,
    /// μ of the tilt and the Jacobian, of all losses in which neighbours differ.
    pub share: f64,
    /// How many losses these are: 1 or 2.
    pub changed: u64,
    /// ε of the Jacobian of one of them, which costs √(π/2) of it; 0 if it costs nothing.
    pub jacobian: f64,
}

contract! {
    GaussianPrice<'a>:
    given "own:joint-price", "numbers are such" => |it| {
        positive(&[it.share, it.problem.regulariser]) && non_negative(&[it.jacobian]) && (1..=2).contains(&it.changed)
    };
    ensures "own:joint-price", "Jacobian is free: the tilt of one loss hides its curvature" when |it| it.jacobian == 0.0 => |it| it.covers();
    ensures "own:joint-price", "price of the Jacobian covers slope and curvature of a record at the same point" when |it| it.jacobian != 0.0 => |it| it.covers();
}

/// The scales of a tilt: `Σ r/s·G/ρ ≤ ε`, or `Σ r²/σ²·(G/ρ)² ≤ (μ − taken)²`, over its blocks; r is the
/// length of one row's part.
#[derive(Clone, Copy)]
pub struct TiltScales<'a> {
    /// The law of the tilt.
    pub tilt: &'a Tilt,
    /// The problem.
    pub problem: &'a Problem,
    /// G: Lipschitz constant of the losses in which neighbours differ.
    pub lipschitz: f64,
    /// What the tilt may spend.
    pub share: Guarantee,
    /// What is taken of it for the Jacobian.
    pub taken: Taken,
}

contract! {
    TiltScales<'a>:
    ensures "own:objective-perturbation", "tilt has a law of the kind of the guarantee in the 2-norm, or for each block" => |it| {
        it.tilt.buys(it.problem, it.share)
    };
    ensures "own:objective-perturbation", "tilt covers the Lipschitz constant" => |it| {
        let (lipschitz, taken) = (Exact::of(it.lipschitz), it.taken.of());
        match it.share {
            Guarantee::Pure(share) => it.tilt.hides_pure(it.problem, &lipschitz, &Exact::of(share)),
            Guarantee::Gaussian(share) => it.tilt.hides_gaussian(it.problem, &lipschitz, &taken, &Exact::of(share)),
        }
    };
}

/// What the Jacobian takes of the μ of a tilt: 321/256 > √(π/2) of its ε, for each of the changed losses.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Taken {
    /// ε of the Jacobian of one loss.
    pub jacobian: f64,
    /// How many losses change.
    pub changed: u64,
}

impl Taken {
    fn of(&self) -> Exact {
        Exact::whole(321) * Exact::power(-8) * Exact::whole(self.changed) * Exact::of(self.jacobian)
    }
}

impl JointPrice {
    fn covers(&self) -> bool {
        let one = Exact::of(self.tilt).over_below(Exact::whole(self.changed));
        let kappa = (Exact::whole(4) * Exact::of(self.smoothness)).over(Exact::of(self.regulariser));
        pure(&one, &kappa, &Exact::of(self.jacobian))
    }
}

impl GaussianPrice<'_> {
    fn covers(&self) -> bool {
        let taken = Taken { jacobian: self.jacobian, changed: self.changed };
        let m = (&Exact::of(self.share) - taken.of()).over(Exact::whole(self.changed));
        let kappa = (self.tilt.stretch(self.problem) * &m).over(Exact::of(self.problem.regulariser));
        gaussian(&m, &kappa, &Exact::of(self.jacobian))
    }
}

/// Whether `p·ε + ln(1 + κ·p·(1 − p)) ≤ ε + beyond` for all p in [0, 1].
///
/// With q = 1 − p it reads `1 + κ·q·(1 − q) ≤ e^(qε + beyond)`. For κ ≤ ε it is true. Otherwise the tangent at
/// `qε = t`, with E not above e^(t + beyond), is `E·(1 − t + qε)`, and `κq² − (κ − Eε)·q + E·(1 − t) − 1` is nowhere
/// negative for q ≥ 0 if its constant is not and `(κ − Eε)² ≤ 4κ·(E·(1 − t) − 1)`, or `κ ≤ Eε`. The best t is where the
/// two curves are parallel.
fn pure(epsilon: &Exact, kappa: &Exact, beyond: &Exact) -> bool {
    let nothing = Exact::whole(0);
    if kappa <= epsilon {
        return *beyond >= nothing;
    }
    let [one, two, four] = [1, 2, 4].map(Exact::whole);
    let root = (epsilon.squared() + &four + (&four * epsilon.squared()).over(kappa)).root();
    let t = (&(epsilon + &two) - root) * Exact::power(-1);
    let grown = exp_below(&(&t + beyond));
    let rest = &(&grown * (&one - &t)) - &one;
    let slope = grown * epsilon;
    rest >= nothing && (*kappa <= slope || (kappa - &slope).squared() <= four * kappa * rest)
}

/// Whether `ln(1 + κ·q) ≤ jacobian + m²·q/2` for all q in [0, ¼].
///
/// The tangent of `e^(jacobian + m²q/2)` at `m²q/2 = t` is linear in q, and so is 1 + κq: the ends decide.
fn gaussian(m: &Exact, kappa: &Exact, jacobian: &Exact) -> bool {
    let (one, half, quarter) = (Exact::whole(1), Exact::power(-1), Exact::power(-2));
    let bend = m.squared() * half;
    // Where the curves are parallel: m²q/2 = 1 − m²/(2κ), at most at q = ¼.
    let t = &one - bend.over(kappa).min(one.clone());
    let t = t.min(&bend * &quarter);
    let grown = exp_below(&(&t + jacobian));
    let at_0 = one <= &grown * (&one - &t);
    at_0 && &one + kappa * &quarter <= grown * (&(&one + bend * &quarter) - &t)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn joint_price_covers(epsilon: f64, [smoothness, regulariser]: [f64; 2], jacobian: f64) -> bool {
        let smoothness = smoothness / 4.0;
        JointPrice { tilt: epsilon, changed: 1, smoothness, regulariser, jacobian }.holds().is_ok()
    }

    /// `max_p p·ε + ln(1 + κp(1 − p)) − ε` from the closed form of the stationary point, 30 digits by another program.
    const PURE: [(f64, f64, f64); 6] = [
        (1.0, 3.0, 0.196453848483361505),
        (1.0, 1.5, 0.027075054177287461),
        (0.3, 30.0, 1.996421013870871717),
        (3.0, 10.0, 0.372143845756057954),
        (0.01, 0.5, 0.112839284074470844),
        (1e-6, 1e-3, 0.000249469005269856940),
    ];

    #[test]
    fn the_joint_price_is_decided_to_one_part_in_a_million_million() {
        for (epsilon, kappa, beyond) in PURE {
            // A grid knows nothing of stationary points.
            let most = (0..=4_000_000).map(|k| {
                let q = f64::from(k) / 4e6;
                (kappa * q * (1.0 - q)).ln_1p() - q * epsilon
            });
            let most = most.fold(0.0, f64::max);
            assert!((most / beyond - 1.0).abs() < 1e-6, "{epsilon} {kappa}: {most} {beyond}");
            let covered = |beyond| joint_price_covers(epsilon, [kappa, 1.0], beyond);
            assert!(covered(beyond * (1.0 + 1e-12)), "{epsilon} {kappa}");
            assert!(!covered(beyond * (1.0 - 1e-12)) && !covered(0.0), "{epsilon} {kappa}");
        }
    }

    /// Free up to κ = ε and not beyond it; what is no number covers nothing.
    #[test]
    fn it_is_free_where_the_curvature_is_at_most_the_slope() {
        for epsilon in [1e-9, 0.3, 1.0, 50.0] {
            assert!(joint_price_covers(epsilon, [epsilon, 1.0], 0.0));
            assert!(!joint_price_covers(epsilon, [epsilon * 1.001, 1.0], 0.0), "{epsilon}");
        }
        for bad in [f64::NAN, f64::INFINITY, -1.0] {
            assert!(!joint_price_covers(bad, [1.0, 1.0], 1.0) && !joint_price_covers(1.0, [bad, 1.0], 1.0));
            assert!(!joint_price_covers(1.0, [0.5, 1.0], bad) && !joint_price_covers(1.0, [2.0, 1.0], bad));
            assert!(!joint_price_covers(1.0, [1.0, bad], 1.0));
        }
        assert!(!joint_price_covers(1.0, [1.0, 0.0], 1.0));
        // Never more than what is paid apart, ln(1 + κ/4), and all of it where ε is next to nothing.
        assert!(
            joint_price_covers(1e-9, [8.0, 1.0], 3.0_f64.ln())
                && joint_price_covers(0.5, [8.0, 1.0], 3.0_f64.ln())
        );
        assert!(!joint_price_covers(1e-9, [8.0, 1.0], 3.0_f64.ln() * (1.0 - 1e-7)));
    }

    #[test]
    fn the_price_of_a_normal_tilt_is_decided_by_the_same_means() {
        let covered = |m: f64, kappa: f64, jacobian: f64| {
            gaussian(&Exact::of(m), &Exact::of(kappa), &Exact::of(jacobian))
        };
        for (m, kappa) in [(1.0, 0.6), (1.0, 3.0), (0.3, 4.0), (2.0, 2.5), (0.01, 1.0)] {
            let curve = |q: f64| (kappa * q).ln_1p() - m * m * q / 2.0;
            let most = (0..=1_000_000).map(|k| curve(f64::from(k) / 4e6)).fold(0.0, f64::max);
            assert!(most > 0.0);
            assert!(
                covered(m, kappa, most * (1.0 + 1e-6)) && !covered(m, kappa, most * (1.0 - 1e-6)),
                "{m} {kappa}"
            );
        }
        // Free from m² = 2κ on.
        assert!(covered(1.0, 0.5, 0.0) && !covered(1.0, 0.5001, 0.0) && covered(3.0, 4.5, 0.0));
        assert!(covered(1.0, 0.1, 0.0) && !covered(f64::NAN, 0.1, 0.0) && !covered(1.0, 0.1, -1.0));
    }
}
