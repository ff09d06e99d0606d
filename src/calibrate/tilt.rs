//! Proposals for a tilt: the cost of the Jacobian if slope and curvature are tied, and how the blocks of a table share
//! the noise. Nothing here decides: the functions of `asap-contracts` accept a proposal, exactly, or the plan does
//! without it. spec: `own:joint-price`, `own:shaped-tilt`

use super::JACOBIAN_PRICE;
use crate::noise::Group;
use crate::privacy::Neighbours;
use crate::shape::{Block, Shape};
use asap_contracts::contract::JointPrice;

/// Parts in 10¹² that a proposal leaves to the rounding of what follows.
const MARGIN: f64 = 1e-12;

/// What is left of a budget for the tilt, and what the Jacobian takes; none where it is free. spec: `own:joint-price`
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Priced {
    /// ε of the tilt of all changed losses, or the m of a normal tilt of one of them.
    pub tilt: f64,
    /// ε of the Jacobian.
    pub jacobian: Option<f64>,
}

/// The largest ε of a tilt that leaves its Jacobian enough of `total`, for a loss whose slope and curvature are tied:
/// `max_p p·ε₁ + ln(1 + κ·p(1 − p)) + (k − 1)·ε₁ ≤ total`, ε₁ = ε/k the part of one of k changed losses and `κ = 4β/Λ`.
/// spec: `own:joint-price`
pub fn joint_price(total: f64, neighbours: Neighbours, smoothness: f64, regulariser: f64) -> Option<Priced> {
    let (changed, kappa) = (neighbours.changed_losses() as f64, 4.0 * smoothness / regulariser);
    let accepts = |Priced { tilt, jacobian }: &Priced| {
        let (jacobian, changed) = (jacobian.unwrap_or(0.0), neighbours.changed_losses());
        JointPrice { tilt: *tilt, changed, smoothness, regulariser, jacobian }.holds().is_ok()
    };
    let free = Priced { tilt: total, jacobian: None };
    if accepts(&free) {
        return Some(free);
    }
    let beyond = |tilt: f64| beyond(tilt / changed, kappa);
    let tilt = largest(total, |tilt| tilt + beyond(tilt) <= total * (1.0 - MARGIN));
    let jacobian = beyond(tilt) * (1.0 + MARGIN) + MARGIN * total;
    Some(Priced { tilt: (total - jacobian) * (1.0 - MARGIN), jacobian: Some(jacobian) })
        .filter(|priced| priced.tilt > 0.0 && accepts(priced))
}

/// The largest m of a normal tilt of one loss with `m + √(π/2)·J ≤ total`, J ≥ ln(1 + κq) − m²q/2 for all q up to ¼.
/// spec: `own:joint-price`
pub fn gaussian_joint_price(total: f64, kappa: f64) -> Option<Priced> {
    // κ is what a rounded scale makes of it, a little more.
    let kappa = kappa * (1.0 + 1e-9);
    if kappa <= total * total / 2.0 {
        return Some(Priced { tilt: total, jacobian: None });
    }
    let jacobian = |m: f64| {
        let q = (2.0 / (m * m) - 1.0 / kappa).clamp(0.0, 0.25);
        (libm::log1p(kappa * q) - m * m * q / 2.0).max(0.0)
    };
    let m = largest(total, |m| m + JACOBIAN_PRICE * jacobian(m) <= total * (1.0 - MARGIN));
    let jacobian = jacobian(m) * (1.0 + MARGIN) + MARGIN * total;
    let tilt = (total - JACOBIAN_PRICE * jacobian) * (1.0 - MARGIN);
    (tilt > 0.0).then_some(Priced { tilt, jacobian: Some(jacobian) })
}

/// `max_q ln(1 + κq(1 − q)) − qε`, at the point where the derivative vanishes.
fn beyond(epsilon: f64, kappa: f64) -> f64 {
    // [(ε + 2) − √((ε + 2)² − 4ε(1 − ε/κ))]/(2ε), without the cancellation.
    let rest = 1.0 - epsilon / kappa;
    if rest <= 0.0 {
        return 0.0;
    }
    let half = epsilon + 2.0;
    let q = 2.0 * rest / (half + (half * half - 4.0 * epsilon * rest).sqrt());
    (libm::log1p(kappa * q * (1.0 - q)) - q * epsilon).max(0.0)
}

/// The largest of the numbers below `top` that fits, if those that fit are below those that do not.
fn largest(top: f64, fits: impl Fn(f64) -> bool) -> f64 {
    let (mut low, mut high) = (0.0, top);
    for _ in 0..100 {
        let middle = 0.5 * (low + high);
        if fits(middle) { low = middle } else { high = middle }
    }
    low
}

/// The length of one row's part of a group, in the norm of its law under ε.
fn length(shape: &Shape, group: &Group) -> f64 {
    match group.block.and_then(|index| shape.blocks().get(index)) {
        Some(Block::OneNorm { bound, .. } | Block::Ball { bound, .. }) => bound * crate::Bounds::SLACK,
        Some(Block::Cube { .. }) | None => 1.0,
    }
}

/// Scales of the blocks' laws for a slope of 1 and ε = 1, so that the sum of all variances is least: the part of ε of a
/// block is ∝ (V·r²)^(1/3), V its variance for scale 1 and r the length of its part of a row. spec: `own:shaped-tilt`
pub(crate) fn pure_scales(shape: &Shape, groups: &[Group]) -> Vec<f64> {
    let part = |group: &Group| {
        let r = length(shape, group);
        (r, libm::cbrt(group.variance(r, false)))
    };
    let parts: Vec<(f64, f64)> = groups.iter().map(part).collect();
    let all: f64 = parts.iter().map(|(_, part)| part).sum();
    parts.iter().map(|(r, part)| r * all / part * (1.0 + MARGIN)).collect()
}

/// Deviations of the blocks' laws for a slope of 1 and m = 1, so that the sum of all variances is least: σ² ∝ r/√k.
/// spec: `own:shaped-tilt`
pub(crate) fn normal_scales(shape: &Shape, groups: &[Group]) -> Vec<f64> {
    let part = |group: &Group| {
        let k = group.places.len() as f64;
        // In the 2-norm k numbers up to 1 are √k long.
        let r = if group.block.is_none() { k.sqrt() } else { length(shape, group) };
        (r, k.sqrt())
    };
    let parts: Vec<(f64, f64)> = groups.iter().map(part).collect();
    let all: f64 = parts.iter().map(|(r, root)| r * root).sum();
    parts.iter().map(|(r, root)| (r / root * all).sqrt() * (1.0 + MARGIN)).collect()
}

/// `√(Σ r²σ²)` for these deviations: what ties the curvature of a row to its length in deviations.
pub(crate) fn stretch(shape: &Shape, groups: &[Group], deviations: &[f64]) -> f64 {
    let part = |(group, deviation): (&Group, &f64)| {
        let r = if group.block.is_none() { (group.places.len() as f64).sqrt() } else { length(shape, group) };
        (r * deviation).powi(2)
    };
    groups.iter().zip(deviations).map(part).sum::<f64>().sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The least ε of all is found to some parts in 10¹²: a little more for the tilt and the exact decision refuses.
    #[test]
    fn nothing_is_left_on_the_table() {
        use Neighbours::{AddRemove, ReplaceOne};
        for (total, neighbours, kappa) in
            [(1.0, AddRemove, 3.0), (0.99, ReplaceOne, 1.0), (0.3, AddRemove, 0.31), (3.0, ReplaceOne, 8.0)]
        {
            let Priced { tilt, jacobian } = joint_price(total, neighbours, kappa / 4.0, 1.0).unwrap();
            let jacobian = jacobian.unwrap();
            assert!(tilt + jacobian <= total && tilt + jacobian >= total * (1.0 - 1e-11));
            let (tilt, changed) = (tilt * (1.0 + 1e-9), neighbours.changed_losses());
            let more = JointPrice {
                tilt,
                changed,
                smoothness: kappa / 4.0,
                regulariser: 1.0,
                jacobian: total - tilt,
            };
            assert!(more.holds().is_err(), "{total} {kappa}");
            // Apart: total − ln(1 + κ/4).
            assert!(tilt > total - (kappa / 4.0).ln_1p());
        }
        for (total, neighbours, kappa) in
            [(1.0, AddRemove, 1.0), (1.0, ReplaceOne, 0.5), (0.3, AddRemove, 0.1)]
        {
            let free = joint_price(total, neighbours, kappa / 4.0, 1.0);
            assert_eq!(free, Some(Priced { tilt: total, jacobian: None }));
        }
        assert_eq!(joint_price(0.1, AddRemove, 100.0, 1.0), None, "ln 101 is more than there is");
        for (total, kappa) in [(1.0, 0.6), (1.0, 2.0), (0.5, 1.0), (3.0, 20.0)] {
            let Priced { tilt, jacobian } = gaussian_joint_price(total, kappa).unwrap();
            assert!(tilt + JACOBIAN_PRICE * jacobian.unwrap() <= total);
            assert!(tilt > total - JACOBIAN_PRICE * (kappa / 4.0).ln_1p() && tilt < total);
        }
        assert_eq!(gaussian_joint_price(1.0, 0.49), Some(Priced { tilt: 1.0, jacobian: None }));
    }

    /// The rule against every other division on a grid, and against hand-computed parts.
    #[test]
    fn no_other_division_has_a_smaller_variance() {
        let blocks = [Block::Cube { columns: 6 }, Block::OneNorm { columns: 16, bound: 1.0 }];
        let shape = Shape::new(blocks).unwrap();
        let groups = Group::all(&shape, false);
        let scales = pure_scales(&shape, &groups);
        // V₀ = 6·7·8/3 = 112, V₁ = 32: c₀ : c₁ = 112^(1/3) : 32^(1/3), c₀ = 0.602897…
        assert!((1.0 / scales[0] - 0.602_897).abs() < 1e-5, "{}", 1.0 / scales[0]);
        let variance = |c: f64| 112.0 / (c * c) + 32.0 / ((1.0 - c) * (1.0 - c));
        let best = variance(1.0 / scales[0]);
        assert!((1..1000).all(|k| variance(f64::from(k) / 1000.0) >= best * (1.0 - 1e-9)));
        assert!(1.0 / scales[0] + 1.0 / scales[1] <= 1.0 + 1e-9);
        // Normal: σ² ∝ √6/√6 and 1/√16, 6/σ₀² + 1/σ₁² = 1.
        let deviations = normal_scales(&shape, &groups);
        assert!((deviations[0].powi(2) - 10.0).abs() < 1e-8 && (deviations[1].powi(2) - 2.5).abs() < 1e-8);
        let variance = |a: f64| 6.0 * 6.0 / a + 16.0 / (1.0 - a);
        assert!((1..1000).all(|k| variance(f64::from(k) / 1000.0) >= 100.0 - 1e-6));
    }
}
