//! The rejection loops of the normal law in a ball.

use super::*;
use crate::proofs::{Words, assume, cover, harness};

harness! {
    /// spec: `own:truncated`
    /// covers: sampler::truncated::first — within a bound
    ///
    /// For any proposals the loop returns the first that was accepted, and asks for no more.
    ///
    /// assumes: one of 4 proposals is accepted. bound: any proposals; each is one round of the same loop.
    /// solver: cadical.
    /// mutation: `a proposal is thrown away`
    [kani::proof, kani::unwind(6), kani::solver(cadical)]
    fn verify_first__accepted(proposals: [u8; 4], accepted: [bool; 4]) {
        assume!(accepted[0] || accepted[1] || accepted[2] || accepted[3]);
        let mut asked = 0;
        let result = first(|| {
            asked += 1;
            // A fifth is accepted, so that a wrong loop ends, too.
            (asked > 4 || accepted[asked - 1]).then(|| proposals[(asked - 1) % 4])
        });
        cover!(asked == 4);
        assert!(asked <= 4 && accepted[asked - 1] && result == proposals[asked - 1]);
        assert!(!accepted.iter().take(asked - 1).any(|x| *x));
    }
}

harness! {
    /// spec: `own:truncated`
    /// covers: sampler::truncated::first_inside — within a bound
    ///
    /// A proposal outside is never returned, whatever inside means: the result is the first proposal inside.
    ///
    /// assumes: one of 4 proposals is inside. bound: any proposals and any membership (of the numbers modulo 8); each
    /// proposal is one round of the same loop. solver: cadical.
    /// mutation: `a proposal outside is returned`
    [kani::proof, kani::unwind(6), kani::solver(cadical)]
    fn verify_first_inside__never_outside(proposals: [u8; 4], members: u8) {
        let inside = |x: &u8| members >> (x % 8) & 1 == 1;
        assume!(proposals.iter().any(inside));
        let mut asked = 0;
        let propose = || {
            asked += 1;
            proposals[(asked - 1) % 4]
        };
        let result = first_inside(propose, inside);
        cover!(asked == 4);
        assert!(inside(&result));
        assert!(asked <= 4 && result == proposals[asked - 1]);
        assert!(!proposals.iter().take(asked - 1).any(inside));
    }
}

harness! {
    /// spec: `own:truncated`
    /// covers: sampler::truncated::is_inside — within a bound
    ///
    /// The edge of the ball: nothing above the tangent plane and nothing that is no number is inside; on a line, what
    /// is inside are exactly the depths from 0 to 2B.
    ///
    /// assumes: no number beyond 10^150, whose square would be infinite, no depth but 0 below 10^−100, whose
    /// product with another could vanish, and no negative radius; NaN is welcome. bound: one dimension and two, all
    /// other f64. solver: cadical.
    /// mutation: `points above the tangent plane are inside`
    [kani::proof, kani::unwind(5), kani::solver(cadical)]
    fn verify_is_inside__edge(radius: f64, depth: f64, across: f64, flat: bool, near: bool) {
        // Half of the balls of a test have the size of a ball.
        let radius = if near { 1.5 } else { radius };
        assume!([radius, depth, across].into_iter().all(|x| x.is_nan() || x.abs() <= 1e150));
        assume!(depth.is_nan() || depth == 0.0 || depth.abs() >= 1e-100);
        assume!(radius.is_nan() || radius >= 0.0);
        let place = Cylindrical { depth, across: if flat { vec![] } else { vec![across] } };
        let inside = is_inside(radius, &place);
        cover!(inside && depth > 0.0 && !flat);
        cover!(!inside && depth > 0.0 && depth < radius);
        assert!(!inside || (depth >= 0.0 && !radius.is_nan() && (flat || !across.is_nan())));
        assert!(!inside || depth <= 2.0 * radius);
        assert!(!flat || inside == (depth >= 0.0 && depth <= 2.0 * radius));
    }
}

harness! {
    /// spec: `own:truncated`
    /// covers: sampler::truncated::is_inside — within a bound
    ///
    /// A point of depth t and offset w from the axis is inside exactly if t(2B − t) ≥ ‖w‖²: of a ball of
    /// radius B, and of no other.
    ///
    /// assumes: nothing. bound: whole numbers, 4 bits of B and t and 3 of each coordinate of w, where no `f64` is
    /// rounded; the edge for all `f64` is the harness before. solver: cadical.
    /// mutation: `the ball of twice the radius`
    [kani::proof, kani::unwind(5), kani::solver(cadical)]
    fn verify_is_inside__ball(radius: u8, depth: u8, across: [u8; 2]) {
        let (radius, depth, across) = (radius % 16, depth % 16, across.map(|w| w % 8));
        let place = Cylindrical { depth: depth.into(), across: across.map(f64::from).to_vec() };
        let inside = is_inside(radius.into(), &place);
        cover!(inside && across[0] > 0);
        cover!(!inside && depth <= radius);
        let [b, t, v, w] = [radius, depth, across[0], across[1]].map(i32::from);
        assert!(inside == (t * (2 * b - t) >= v * v + w * w));
    }
}

harness! {
    /// spec: `own:truncated`
    /// covers: sampler::truncated::inner_radius_of — within a bound
    ///
    /// The inner radius leaves the room that its proof counts with, in `f64` as it is computed: B − B' is at least
    /// 4(d + 8)·2⁻⁵³·(B + ‖θ_0‖), half of what is subtracted, or B' is 0; and B' is never negative or no number.
    ///
    /// assumes: B and ‖θ_0‖ from 2⁻¹⁰⁰ to 2¹⁰⁰. bound: d = 8 and 56, where the factor is a power of two (a product of
    /// two unknown `f64` is out of reach); all `f64` else. solver: cadical.
    /// mutation: `no room for rounding`
    [kani::proof, kani::unwind(2), kani::solver(cadical)]
    fn verify_inner_radius_of__leaves_room(radius: f64, norm: f64, large: bool, near: bool) {
        // Half of the balls of a test are around 1.
        let norm = if near { radius } else { norm };
        let usual = |x: f64| x >= f64::from_bits((1023 - 100) << 52) && x <= f64::from_bits((1023 + 100) << 52);
        assume!(usual(radius) && usual(norm));
        let leaves_room = |inner: f64, half_of_slack: f64| {
            cover!(inner == 0.0);
            cover!(inner > 0.0 && norm > radius);
            assert!(inner >= 0.0 && inner < radius);
            // Below half of the radius there is room enough; above, the difference is exact.
            assert!(2.0 * inner <= radius || radius - inner >= half_of_slack * (radius + norm));
        };
        // 4(d + 8)·2⁻⁵³; two calls, because a constant factor is cheaper than one of two.
        if large {
            leaves_room(inner_radius_of(radius, norm, 56.0), 1.0 / (1_u64 << 45) as f64);
        } else {
            leaves_room(inner_radius_of(radius, norm, 8.0), 1.0 / (1_u64 << 47) as f64);
        }
    }
}

harness! {
    /// spec: `own:truncated`, `own:proximal`
    /// covers: sampler::truncated::survives — within a bound
    ///
    /// An energy that rounding put below 0 counts as 0 and always survives; one that is NaN or infinite never does.
    ///
    /// assumes: an energy that is not positive and finite; that the coin for e^(−x) is certain at 0 and refuses what is
    /// negative or not finite (`verify_bernoulli__certain_and_impossible`, `verify_split__exact`). bound: none, all
    /// such f64, all random bits. solver: cadical.
    /// mutation: `an energy that is no number survives`
    [kani::proof, kani::unwind(2), kani::solver(cadical),
     kani::stub(crate::noise::bernoulli::bernoulli_exp_f64, certain_coin)]
    fn verify_survives__certain_cases(energy: f64, odd: u8) {
        let energy = match odd % 4 {
            0 => f64::NAN,
            1 => f64::INFINITY,
            _ => energy,
        };
        assume!(!(energy > 0.0 && energy < f64::INFINITY));
        let alive = survives(energy, &mut Words::new([0; 0]));
        cover!(alive && energy < 0.0);
        cover!(!alive && energy.is_nan());
        assert!(alive == (energy <= 0.0));
    }
}

#[cfg(kani)]
fn certain_coin<R: RandomBits>(x: f64, _: &mut R) -> Option<bool> {
    (x.is_finite() && x >= 0.0).then(|| x == 0.0 || kani::any())
}
