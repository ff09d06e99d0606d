//! The Euclidean Laplace law: a rounding is certain only if both ends agree.

use super::*;
use crate::proofs::{cover, harness};

harness! {
    /// spec: `own:euclidean-laplace`
    /// covers: noise::euclidean::nearest_if_certain — all inputs
    ///
    /// An interval of half steps gets an integer only if every number in it is within half a step of that integer
    /// (which is cut at 2^127 − 1); it is refused only if no integer has this property. So digits that were not drawn
    /// cannot change a coordinate, and no digit is drawn without need.
    ///
    /// assumes: low ≤ high. bound: none, all 128-bit ends. solver: cadical.
    /// mutation: `a rounding looks at one end only`
    [kani::proof, kani::unwind(2), kani::solver(cadical)]
    fn verify_nearest_if_certain__both_ends(low: u128, width: u128, shift: u8, narrow: u8) {
        // Small numbers and narrow intervals are frequent in a test.
        let low = low.checked_shr(shift.into()).unwrap_or(0);
        let width = if narrow.is_multiple_of(4) { width } else { width % 4 };
        let high = low.saturating_add(width);
        let certain = nearest_if_certain([low, high]);
        cover!(certain.is_none());
        cover!(certain == Some(i128::MAX) && low == u128::MAX);
        cover!(low < high && certain == Some(7));
        if let Some(nearest) = certain {
            // 2m is at most 2^128 − 2.
            let doubled = nearest.unsigned_abs() * 2;
            assert!(nearest >= 0 && low.saturating_add(1) >= doubled);
            assert!(high <= doubled + 1);
        } else {
            // Some odd number of half steps, a place where the rounding changes, is strictly inside.
            let odd = low | 1;
            let inside = if odd > low { odd } else { odd + 2 };
            assert!(inside < high);
        }
    }
}
