//! Comparisons with e^(−y): what is decided stays decided.

use super::*;
use crate::proofs::{assume, cover, harness};

harness! {
    /// spec: `own:fast-normal`
    /// covers: noise::decay::decided — all inputs
    ///
    /// A decision holds for every number that begins with the first word, and for every curve in the enclosure: whatever comes after the
    /// word, the comparison says the same. For all words, levels and enclosures, without overflow.
    ///
    /// assumes: b ≤ F ≤ 2^10, an enclosure that is one. bound: 16 bits after the word, s ≤ 8: more would not fit into 128 bits; the bits are
    /// what the two sides are compared in, s is a shift of one side. solver: cadical.
    /// mutation: `a comparison forgets the words to come`
    [kani::proof, kani::unwind(2), kani::solver(cadical)]
    fn verify_decided__whatever_comes(base: u16, first: u64, later: u16, factor: u16, shift: u8, curve: (u64, u8, u8), near: bool) {
        let (factor, shift) = (u64::from(factor % 1024) + 1, u64::from(shift % 9));
        let base = u64::from(base) % (factor + 1);
        let left = u128::from(base) << 64 | u128::from(first);
        // Half of the curves of a test are next to the level.
        let close = u64::try_from((left >> 1) / (u128::from(factor) << shift)).unwrap_or(u64::MAX);
        let least = if near { close.saturating_sub(1) } else { curve.0 };
        assume!(least <= 1 << 63);
        let exact = least + u64::from(curve.1 % 3);
        let most = exact + u64::from(curve.2 % 3);
        let decision = decided(base, first, Multiple { factor, shift }, [least, most]);
        cover!(decision == Some(true));
        cover!(decision == Some(false));
        cover!(decision.is_none());
        // In units of 2^−80.
        let left = left << 16 | u128::from(later);
        let right = (u128::from(exact) * u128::from(factor)) << (shift + 17);
        if let Some(below) = decision {
            assert!(below == (left < right));
        }
    }
}
