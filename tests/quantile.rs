//! Does a private quantile follow the law that its proof is about, and is that law private? spec: `own:quantile`
//!
//! Null hypothesis: the draws are independent with probability ∝ e^(−ε·cost/2Δ). The check is the χ² test of
//! `noise/chi_square.rs`; seeds are fixed. The same check has to reject samplers with a fault.
#![allow(clippy::unwrap_used, clippy::cast_possible_truncation, clippy::cast_sign_loss, clippy::float_cmp)]

use crate::chi_square::Law;
use asap_dp::ReplayRng;
use asap_dp::privacy::{Epsilon, Guarantee, Neighbours};
use asap_dp::quantile::Quantile;

const CANDIDATES: [f64; 5] = [0.0, 1.0, 2.0, 3.0, 4.0];
const DRAWS: u32 = 100_000;

/// The probabilities of the candidates, in plain numbers from the definition.
fn law(values: &[f64], q: f64, slope: f64) -> Vec<f64> {
    let n = values.len() as f64;
    let cost = |c: &f64| (values.iter().filter(|x| *x <= c).count() as f64 - q * n).abs();
    let weights: Vec<f64> = CANDIDATES.iter().map(|c| (-slope * cost(c)).exp()).collect();
    let all: f64 = weights.iter().sum();
    weights.iter().map(|weight| weight / all).collect()
}

/// ε/2Δ, where a cost is counted in records.
fn slope(q: f64, epsilon: f64, neighbours: Neighbours) -> f64 {
    let sensitivity = match neighbours {
        Neighbours::AddRemove => q.max(1.0 - q),
        Neighbours::ReplaceOne => 1.0,
    };
    epsilon / (2.0 * sensitivity)
}

fn cells(probabilities: &[f64]) -> Law {
    Law::new(1..5, |k| probabilities.iter().take(k as usize).sum())
}

#[test]
fn quantiles_follow_their_law() {
    let values = [0.5, 0.7, 1.5, 1.6, 2.5, 2.6, 2.7, 3.5, 4.5, 4.6];
    let mut rng = ReplayRng::new(501);
    for (q, epsilon) in [(0.5, 1.0), (0.9, 0.3), (0.25, 2.5)] {
        for neighbours in [Neighbours::AddRemove, Neighbours::ReplaceOne] {
            let asked = Quantile::new(q, &CANDIDATES).unwrap();
            let budget = Guarantee::Pure(Epsilon::new(epsilon).unwrap());
            let draw = |_| asked.release(&values, budget, neighbours, &mut rng).unwrap().value as i128;
            let drawn: Vec<i128> = (0..DRAWS).map(draw).collect();
            let fits = |probabilities: &[f64]| {
                let mut left = drawn.iter();
                cells(probabilities).fits(DRAWS, || *left.next().unwrap())
            };
            let slope = slope(q, epsilon, neighbours);
            assert!(fits(&law(&values, q, slope)), "{q} {epsilon} {neighbours:?}");
            // Faults: no rejection at all, the factor 2 forgotten, one value miscounted.
            assert!(!fits(&[0.2; 5]), "uniform");
            assert!(!fits(&law(&values, q, 2.0 * slope)), "twice the slope");
            assert!(!fits(&law(&values[1..], q, slope)), "a value less");
        }
    }
}

/// The largest |ln| of a ratio of probabilities between neighbours, over all data sets of up to six
/// values out of six places.
fn loss(q: f64, slope: f64, kind: Neighbours) -> f64 {
    let mut worst = 0.0_f64;
    let mut compare = |one: &[f64], other: &[f64]| {
        let (one, other) = (law(one, q, slope), law(other, q, slope));
        for (p, r) in one.iter().zip(other) {
            worst = worst.max((p / r).ln().abs());
        }
    };
    let places = [0.0, 1.0, 2.0, 3.0, 4.0, 5.0];
    // Multisets, as non-decreasing lists.
    let mut sets: Vec<Vec<f64>> = vec![vec![]];
    for _ in 0..6 {
        let longer: Vec<Vec<f64>> = sets
            .iter()
            .flat_map(|set| {
                let last = set.last().copied().unwrap_or(0.0);
                places.iter().filter(move |it| **it >= last).map(move |it| [set.as_slice(), &[*it]].concat())
            })
            .collect();
        for set in &longer {
            let (shorter, first) = (&set[1..], set[0]);
            match kind {
                Neighbours::AddRemove => compare(set, shorter),
                Neighbours::ReplaceOne => places.iter().filter(|it| **it != first).for_each(|it| {
                    compare(set, &[shorter, &[*it]].concat());
                }),
            }
        }
        sets = longer;
    }
    worst
}

/// No pair of neighbours can be told apart by more than ε, and some pair nearly by that: nothing is given away either.
#[test]
fn the_law_is_private_and_not_more_than_it_has_to_be() {
    for q in [0.5, 0.9, 0.25] {
        // Six values are too few to come close for the outermost quantile.
        let is_inner = q < 0.9;
        for kind in [Neighbours::AddRemove, Neighbours::ReplaceOne] {
            for epsilon in [0.5, 8.0] {
                let told = loss(q, slope(q, epsilon, kind), kind);
                assert!(told <= epsilon * (1.0 + 1e-12), "{q} {epsilon} {kind:?}: {told}");
            }
            assert!(!is_inner || loss(q, slope(q, 8.0, kind), kind) > 0.99 * 8.0, "{q} {kind:?}");
            // Fault: the factor 2 forgotten.
            assert!(loss(q, 2.0 * slope(q, 8.0, kind), kind) > 8.0, "{q} {kind:?}");
        }
        // Fault: the sensitivity of the other kind of neighbours.
        let mistaken = slope(q, 8.0, Neighbours::AddRemove);
        assert!(!is_inner || loss(q, mistaken, Neighbours::ReplaceOne) > 8.0, "{q}");
    }
}
