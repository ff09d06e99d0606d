//! The energy of a proximal proposal.

use super::*;
use crate::proofs::{assume, cover, harness};

harness! {
    /// spec: `own:proximal`
    /// covers: sampler::proximal::Proximal::energy — within a bound
    ///
    /// The energy is not clamped silently. At the anchor itself it is the divergence: NaN is handed on as NaN and
    /// breaks the promise, and so does a divergence so far below 0 that no rounding explains it.
    ///
    /// assumes: a divergence that is NaN, or at most −2. bound: one dimension, proposal and anchor at the same point
    /// (the general energy is a chain of products, out of reach); all values. solver: cadical.
    /// mutation: `the energy is clamped`
    [kani::proof, kani::unwind(3), kani::solver(cadical)]
    fn verify_energy__bad_values_break_the_promise(divergence: f64) {
        let sampler =
            Proximal { strong_convexity: 1.0, smoothness: 2.0, pull: 0.0, radius: 1.0, step: 1.0, steps: 1 };
        assume!(divergence.is_nan() || divergence <= -2.0);
        let energy = sampler.energy(divergence, &[0.0]);
        cover!(divergence.is_nan());
        cover!(divergence <= -2.0);
        assert!(!energy.is_promised);
        assert!(energy.value.is_nan() || energy.value < 0.0);
    }
}
