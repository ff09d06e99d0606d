//! Random bits: [`SecureRng`] for releases, [`ReplayRng`] for tests, and no way to confuse them.

use rand::rngs::SysRng;
use rand_chacha::ChaCha20Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

/// Where random bits come from. A release records it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Provenance {
    /// `ChaCha20`, seeded by the operating system: the privacy guarantee holds.
    Secure,
    /// `ChaCha20` from a known seed: whoever knows the seed can subtract the noise. **Non-private.**
    Replay,
}

pub(crate) mod sealed {
    /// Only this crate decides what counts as a source of randomness.
    pub trait Sealed {}
}

/// A source of independent fair bits. Sealed: [`SecureRng`] and [`ReplayRng`] are the only ones.
pub trait RandomBits: sealed::Sealed {
    /// Where the bits come from; everything made with them inherits it.
    const PROVENANCE: Provenance;
    /// 64 fresh bits.
    fn next_u64(&mut self) -> u64;
    /// A word whose `count` lowest bits are fresh, for at most 64; nobody may look at its other bits.
    fn low_bits(&mut self, count: u32) -> u64 {
        let _ = count;
        self.next_u64()
    }
}

/// `ChaCha20` with a key from the operating system. It has no constructor from a seed and cannot be cloned,
/// printed or serialised:
///
/// ```compile_fail
/// let rng = asap_dp::noise::SecureRng::from_seed([0; 32]);
/// ```
///
/// ```compile_fail
/// let rng = asap_dp::noise::SecureRng::new().unwrap();
/// let twin = rng.clone();
/// ```
pub struct SecureRng(ChaCha20Rng);

/// The operating system gave no randomness.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the operating system's random generator is not available")]
pub struct NoRandomness;

impl SecureRng {
    /// Asks the operating system for a key.
    pub fn new() -> Result<Self, NoRandomness> {
        ChaCha20Rng::try_from_rng(&mut SysRng).map(Self).map_err(|_| NoRandomness)
    }
}

impl sealed::Sealed for SecureRng {}

impl RandomBits for SecureRng {
    const PROVENANCE: Provenance = Provenance::Secure;
    fn next_u64(&mut self) -> u64 {
        self.0.next_u64()
    }
}

/// `ChaCha20` from a seed, for tests and demonstrations. Everything made with it is marked as non-private.
pub struct ReplayRng(ChaCha20Rng);

impl ReplayRng {
    /// The stream that belongs to a seed.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        Self(ChaCha20Rng::seed_from_u64(seed))
    }
}

impl sealed::Sealed for ReplayRng {}

impl RandomBits for ReplayRng {
    const PROVENANCE: Provenance = Provenance::Replay;
    fn next_u64(&mut self) -> u64 {
        self.0.next_u64()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn replay_replays_and_secure_does_not() {
        let draw = |seed| {
            let mut rng = ReplayRng::new(seed);
            [rng.next_u64(), rng.next_u64()]
        };
        assert_eq!(draw(7), draw(7));
        assert_ne!(draw(7), draw(8));
        let (mut a, mut b) = (SecureRng::new().unwrap(), SecureRng::new().unwrap());
        assert_ne!([a.next_u64(), a.next_u64()], [b.next_u64(), b.next_u64()]);
        assert_eq!((SecureRng::PROVENANCE, ReplayRng::PROVENANCE), (Provenance::Secure, Provenance::Replay));
    }
}
