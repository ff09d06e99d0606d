//! Contracts by themselves, with numbers that no certificate of the suite has: what a lemma requires is refused where
//! nothing else would refuse it, and what is exactly enough is taken. Each was found by a mutant that survived: a
//! requirement that was always true, a sum that was a product.

use crate::build::{Kind, certificate};
use asap_contracts::contract::{
    ChainError, Delta, GaussianPrice, GaussianTemperature, GradientSensitivity, JointPrice,
    MinimiserSensitivity, NoiseScale, ProximalSteps, PureTemperature, TotalVariation,
};
use asap_contracts::*;

fn problem(regulariser: f64) -> Problem {
    let kind = Kind {
        loss: Loss::Logistic,
        neighbours: Neighbours::AddRemove,
        pure: false,
        sampler: None,
        euclidean: false,
    };
    Problem { regulariser, ..certificate(&kind).problem }
}

#[test]
fn norms_are_1_or_2() {
    let noise = Noise::EuclideanLaplace { exponent: 0, steps: 1 << 40 };
    let guarantee = Guarantee::Pure(1.0);
    let it = NoiseScale { noise, guarantee, moved: 1.0, norm: 2, dimension: 4, share: 1.0 };
    assert!(it.holds().is_ok() && NoiseScale { norm: 1, ..it }.holds().is_ok());
    assert!(NoiseScale { norm: 0, ..it }.holds().is_err() && NoiseScale { norm: 3, ..it }.holds().is_err());
    assert!(NoiseScale { guarantee: Guarantee::Gaussian(1.0), ..it }.holds().is_err());
    let it = Delta { error: 1.0, norm: 2, noise, guarantee, dimension: 4, share: 1.0 };
    assert!(it.holds().is_ok());
    assert!(Delta { error: 0.0, ..it }.holds().is_err() && Delta { norm: 1, ..it }.holds().is_err());
}

/// d = 4: ¼ + √4·⅛ = ½ in the 1-norm, ¼ + ¼ = ½ in the 2-norm.
#[test]
fn the_part_of_the_sampler_and_the_charge_are_the_error() {
    let one = ChainError { chain: 0.125, charge: 0.25, error: 0.5, norm: 1, dimension: 4 };
    let two = ChainError { chain: 0.25, norm: 2, ..one };
    for it in [one, two] {
        assert!(it.holds().is_ok());
        assert!(ChainError { chain: it.chain.next_up(), ..it }.holds().is_err());
        assert!(ChainError { charge: 0.25_f64.next_up(), ..it }.holds().is_err());
        assert!(ChainError { error: 0.5_f64.next_down(), ..it }.holds().is_err());
        assert!(ChainError { charge: 0.0, ..it }.holds().is_ok());
        for bad in [-0.125, f64::NAN, f64::INFINITY] {
            assert!(ChainError { charge: bad, ..it }.holds().is_err());
            assert!(ChainError { chain: bad, ..it }.holds().is_err());
        }
        assert!(ChainError { chain: 0.0, ..it }.holds().is_err());
        assert!(ChainError { norm: 3, chain: 0.01, ..it }.holds().is_err());
        assert!(ChainError { norm: 0, chain: 0.01, ..it }.holds().is_err());
    }
    assert!(ChainError { dimension: 5, ..one }.holds().is_err());
    assert!(ChainError { dimension: 5, ..two }.holds().is_ok());
}

#[test]
fn prices_are_of_one_or_two_losses() {
    let it = JointPrice { tilt: 2.0, changed: 1, smoothness: 0.25, regulariser: 1.0, jacobian: 0.0 };
    // κ = 1 for each of two losses that cost 1.
    assert!(it.holds().is_ok() && JointPrice { changed: 2, ..it }.holds().is_ok());
    assert!(JointPrice { changed: 2, tilt: 2.0_f64.next_down(), ..it }.holds().is_err());
    let refused = [
        JointPrice { changed: 0, ..it },
        JointPrice { changed: 3, tilt: 100.0, ..it },
        JointPrice { smoothness: 0.0, ..it },
        JointPrice { tilt: 0.0, jacobian: 100.0, ..it },
        JointPrice { regulariser: 0.0, ..it },
        JointPrice { jacobian: -1.0, ..it },
    ];
    for bad in refused {
        assert!(bad.holds().is_err());
    }
}

/// One law: ρ = 1.5 and σ = 4, so that κ = 6m/Λ. It is free where m² ≥ 2κ: for m = ½ from Λ = 24 on. For Λ = 1 it is
/// κ = 3, and the price is that of q = ¼: ln 1.75 − 1/32.
#[test]
fn the_price_of_a_normal_tilt() {
    let tilt: Tilt = Noise::RoundedNormal { exponent: -10, steps: 4 << 10 }.into();
    let holds = |regulariser, share, changed, jacobian| {
        let problem = problem(regulariser);
        GaussianPrice { tilt: &tilt, problem: &problem, share, changed, jacobian }.holds().is_ok()
    };
    for (changed, share) in [(1, 0.5), (2, 1.0)] {
        assert!(holds(24.0, share, changed, 0.0) && !holds(23.999_999, share, changed, 0.0));
        let price = 1.75_f64.ln() - 1.0 / 32.0;
        for (factor, enough) in [(1.0 + 1e-6, true), (1.0 - 1e-6, false)] {
            let jacobian = price * factor;
            let share = share + 321.0 / 256.0 * changed as f64 * jacobian;
            assert_eq!(holds(1.0, share, changed, jacobian), enough, "{changed}");
        }
    }
    assert!(!holds(1e6, 1.5, 3, 0.0) && !holds(1e6, 1.5, 0, 0.0) && holds(1e6, 1.5, 2, 0.0));
    assert!(!holds(0.0, 0.5, 1, 0.0) && !holds(24.0, 0.0, 1, 0.0));
    assert!(!holds(24.0, 0.5, 1, -0.1) && !holds(24.0, 0.5, 1, f64::NAN));
    // A jacobian for which nothing is left.
    assert!(!holds(24.0, 0.5, 1, 0.5));
}

/// Blocks: r·σ = 2, 1 and 2, so that √(Σ r²σ²) = 3 and κ = 3m/Λ: free for m = ½ from Λ = 12 on.
#[test]
fn the_price_of_a_normal_tilt_with_blocks() {
    let part = |columns, steps| BlockNoise { columns, law: BlockLaw::Normal, exponent: -10, steps };
    let tilt = Tilt::Blocks(vec![part(1, 2 << 10), part(2, 2 << 10), part(1, 4 << 10)]);
    let shape = vec![Block::OneNorm { columns: 2, bound: 0.5 }, Block::Ball { columns: 1, bound: 0.5 }];
    let holds = |regulariser| {
        let problem = Problem { shape: Some(shape.clone()), ..problem(regulariser) };
        let it = GaussianPrice { tilt: &tilt, problem: &problem, share: 0.5, changed: 1, jacobian: 0.0 };
        it.holds().is_ok()
    };
    assert!(holds(12.0 * (1.0 + 1e-6)) && !holds(12.0 * (1.0 - 1e-6)));
}

#[test]
fn nothing_is_covered_by_nothing() {
    let it = MinimiserSensitivity { sensitivity: 1.0, lipschitz: 1.0, regulariser: 2.0, tolerance: 0.25 };
    assert!(it.holds().is_ok());
    assert!(MinimiserSensitivity { sensitivity: 1.0_f64.next_down(), ..it }.holds().is_err());
    assert!(MinimiserSensitivity { lipschitz: 0.0, ..it }.holds().is_err());
    assert!(MinimiserSensitivity { tolerance: 0.0, ..it }.holds().is_err());
    let it = GradientSensitivity { sensitivity: 1.5, lipschitz: 1.0, rounding: 0.25 };
    assert!(it.holds().is_ok() && GradientSensitivity { rounding: 0.0, ..it }.holds().is_ok());
    assert!(GradientSensitivity { lipschitz: 0.0, ..it }.holds().is_err());
    // A ball that is smaller than the error needs no step, but a step has a size.
    let it = ProximalSteps { steps: 1, step: 1.0, strong_convexity: 1.0, radius: 1.0, error: 1.0 };
    assert!(it.holds().is_ok());
    assert!(ProximalSteps { step: 0.0, ..it }.holds().is_err());
    assert!(ProximalSteps { strong_convexity: 0.0, ..it }.holds().is_err());
    assert!(ProximalSteps { error: 0.0, radius: 0.0, ..it }.holds().is_err());
}

#[test]
fn temperatures_are_of_losses_that_differ() {
    let pure = PureTemperature { gamma: 0.25, lipschitz: 1.0, radius: 2.0, epsilon: 1.0 };
    assert!(pure.holds().is_ok());
    assert!(PureTemperature { epsilon: 1.0_f64.next_down(), ..pure }.holds().is_err());
    assert!(PureTemperature { lipschitz: 0.0, ..pure }.holds().is_err());
    assert!(PureTemperature { radius: 0.0, ..pure }.holds().is_err());
    assert!(PureTemperature { gamma: 0.0, ..pure }.holds().is_err());
    let normal = GaussianTemperature { gamma: 0.5, lipschitz: 2.0, regulariser: 2.0, mu: 1.0 };
    assert!(normal.holds().is_ok());
    assert!(GaussianTemperature { mu: 1.0_f64.next_down(), ..normal }.holds().is_err());
    assert!(GaussianTemperature { lipschitz: 0.0, ..normal }.holds().is_err());
    assert!(GaussianTemperature { gamma: 0.0, ..normal }.holds().is_err());
}

/// Δ may be the diameter of the ball, 2 or 2·√4, and not more.
#[test]
fn an_error_may_be_as_large_as_the_ball() {
    for (norm, diameter) in [(2, 2.0_f64), (1, 4.0)] {
        let it = TotalVariation {
            ln_inverse: 9.0,
            oscillation: 1.0,
            dimension: 4,
            radius: 1.0,
            delta: diameter,
            norm,
        };
        assert!(it.holds().is_ok());
        assert!(TotalVariation { delta: diameter.next_up(), ..it }.holds().is_err());
    }
}
