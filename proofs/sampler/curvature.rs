//! What may be a pair of curvatures.

use super::*;
use crate::proofs::{cover, harness};

harness! {
    /// spec: `own:proximal`
    /// covers: sampler::curvature::OnBall::new, sampler::curvature::Everywhere::new — all inputs
    ///
    /// A pair of curvatures is one exactly if 0 < m ≤ L and L is finite, and keeps its values; NaN is refused.
    ///
    /// assumes: nothing. bound: none, all f64. solver: cadical.
    /// mutation: `a curvature of 0`
    [kani::proof, kani::unwind(2), kani::solver(cadical)]
    fn verify_bounds__positive_and_ordered(m: f64, l: f64, zero: bool) {
        let m = if zero { 0.0 } else { m };
        let expected = m > 0.0 && m <= l && l < f64::INFINITY;
        cover!(expected && m < l);
        cover!(!expected && m > 0.0 && l > m);
        let same = |found: Option<(f64, f64)>| found.is_none_or(|(a, b)| (a, b) == (m, l));
        let (ball, space) = (OnBall::new(m, l).map(|c| c.bounds()), Everywhere::new(m, l).map(|c| c.bounds()));
        assert!(ball.is_some() == expected && space.is_some() == expected);
        assert!(same(ball) && same(space));
    }
}
