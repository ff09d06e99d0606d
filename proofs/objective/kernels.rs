//! Compensated sums: what an addition loses is carried.

use super::*;
use crate::proofs::{cover, harness};

harness! {
    /// spec: `own:objective`
    /// covers: objective::kernels::add_compensated — within a bound
    ///
    /// Sum and carry together are exact where the sum alone is rounded.
    ///
    /// assumes: nothing. bound: sums from 2^53 on, where a plain sum loses every odd unit, in even 4-bit distances, and
    /// terms of 4 bits; in whole numbers. solver: cadical.
    /// mutation: `what is lost is carried with the wrong sign`
    [kani::proof, kani::unwind(2), kani::solver(cadical)]
    fn verify_add_compensated__nothing_is_lost(pairs: u8, term: u8) {
        // From 2^53 to 2^54 the next f64 is 2 more.
        const LARGE: u64 = (1023 + 53) << 52;
        let (pairs, term) = (u64::from(pairs % 16), term % 16);
        let (mut sum, mut carry) = ([f64::from_bits(LARGE + pairs)], [0.0]);
        add_compensated(&[f64::from(term)], &mut sum, &mut carry);
        let carried = if carry[0] == 0.0 { 0 } else if carry[0] == 1.0 { 1 } else { -1 };
        cover!(carried == 1);
        cover!(carried == -1);
        assert!(carried >= 0 || carry[0] == -1.0);
        let total = 2 * (sum[0].to_bits() - LARGE).cast_signed() + carried;
        assert!(total == 2 * pairs.cast_signed() + i64::from(term));
    }
}
