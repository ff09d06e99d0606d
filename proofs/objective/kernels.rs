//! Compensated sums: what an addition loses is carried.

use super::*;
use crate::proofs::{cover, harness};

harness! {
    /// spec: `own:objective`
    /// covers: objective::kernels::add_compensated — within a bound
    ///
    /// Sum and carry together are exact where the sum alone is rounded, and each sum gets its own term and its own carry.
    ///
    /// assumes: nothing. bound: two sums: 2^53 plus an even 6-bit number, where a plain sum loses every odd unit, and a small
    /// one, with terms of 6 bits; in whole numbers. solver: cadical.
    /// mutation: `what is lost is carried with the wrong sign`
    [kani::proof, kani::unwind(4), kani::solver(cadical)]
    fn verify_add_compensated__nothing_is_lost(large: u8, small: u8, terms: (u8, u8)) {
        const LARGE: i64 = 1 << 53;
        let (large, small) = (LARGE + 2 * i64::from(large % 64), i64::from(small % 64));
        let terms = [i64::from(terms.0 % 64), i64::from(terms.1 % 64)];
        let (mut sums, mut carries) = ([large as f64, small as f64], [0.0; 2]);
        add_compensated(&terms.map(|term| term as f64), &mut sums, &mut carries);
        cover!(carries[0] > 0.0);
        cover!(carries[0] < 0.0);
        // Both are whole and below 2^54.
        #[allow(clippy::cast_possible_truncation)]
        let total = |k: usize| sums[k] as i64 + carries[k] as i64;
        assert!(total(0) == large + terms[0] && total(1) == small + terms[1]);
        assert!(carries[1].to_bits() == 0);
    }
}
