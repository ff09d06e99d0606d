//! The energy of a proximal proposal.

use super::*;
use crate::proofs::{assume, cover, harness};

fn evaluated(value: f64) -> Evaluated {
    Evaluated { point: vec![0.0], value, gradient: vec![0.0] }
}

harness! {
    /// spec: `own:proximal`
    ///
    /// The energy is not clamped silently. At the anchor itself it is f(X) − f(x₀): NaN is handed on as NaN and breaks
    /// the promise, and so does a fall of f that no rounding explains, from a positive to a negative value.
    ///
    /// assumes: a value that is NaN, or two finite values of opposite sign. bound: one dimension, proposal and
    /// anchor at the same point (the general energy is a chain of products, out of reach); all values.
    /// solver: cadical.
    /// mutation: `the energy is clamped`
    [kani::proof, kani::unwind(3), kani::solver(cadical)]
    fn verify_energy__bad_values_break_the_promise(at_anchor: f64, at_proposal: f64) {
        let curvature = Curvature { strong_convexity: 1.0, smoothness: 2.0 };
        let sampler = Proximal { curvature, step: 1.0, steps: 1 };
        let falls = at_proposal <= 0.0 && at_anchor > 0.0 && (at_anchor - at_proposal).is_finite();
        assume!((at_anchor.is_nan() || at_proposal.is_nan() || falls));
        let energy = sampler.energy(&evaluated(at_anchor), &evaluated(at_proposal));
        cover!(falls);
        cover!(at_anchor.is_nan());
        assert!(!energy.is_promised);
        assert!(energy.value.is_nan() || energy.value < 0.0);
    }
}
