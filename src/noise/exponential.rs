//! The exponential distribution, exactly.
//!
//! Algorithm (von Neumann 1951): draw x uniform in (0, 1) and keep it with probability e^(−x), otherwise start
//! again. The number is (how often it started again) + (the x that was kept).
//!
//! Exactness: a kept x has density ∝ e^(−x) on (0, 1), whatever went before. An attempt fails with probability
//! 1 − ∫₀¹ e^(−x) dx = e^(−1), so v attempts fail before the first success with probability ∝ e^(−v),
//! independently of the x that is kept. The density of v + x is ∝ e^(−v)·e^(−x) = e^(−(v+x)).
//!
//! The counter saturates. A run on which that makes a difference has 2^64 failures in a row, of probability
//! e^(−2^64).

use super::bernoulli::bernoulli_exp_of;
use super::bits::RandomBits;
use super::fraction::{LazyFraction, LazyNumber};

/// Draws an exponential number of mean 1.
pub(super) fn exponential<R: RandomBits>(rng: &mut R) -> LazyNumber {
    let mut whole: u64 = 0;
    loop {
        let mut fraction = LazyFraction::default();
        if bernoulli_exp_of(|rng| fraction.exceeds_fresh(rng), rng) {
            return LazyNumber { whole, fraction };
        }
        whole = whole.saturating_add(1);
    }
}
