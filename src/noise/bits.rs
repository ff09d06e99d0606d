//! Random bits: [`SecureRng`] for releases, [`ReplayRng`] for tests, and no way to confuse them.

use super::health::{self, Symptom};
pub use asap_contracts::Randomness;
use rand::rngs::SysRng;
use rand_chacha::ChaCha20Rng;
use rand_chacha::rand_core::{Rng, SeedableRng, TryRng};
use zeroize::Zeroizing;

pub(crate) mod sealed {
    /// Only this crate decides what counts as a source of randomness.
    pub trait Sealed {}
}

/// A source of independent fair bits. Sealed: [`SecureRng`] and [`ReplayRng`] are the only ones. spec: `own:generator`
pub trait RandomBits: sealed::Sealed {
    /// Where the bits come from; everything made with them inherits it.
    const PROVENANCE: Randomness;
    /// Called once before the first bit of a release: whatever can fail, fails here. A replayed stream goes on.
    fn begin(&mut self) -> Result<(), NoRandomness> {
        Ok(())
    }
    /// 64 fresh bits.
    fn next_u64(&mut self) -> u64;
    /// A word whose `count` lowest bits are fresh, for at most 64; no caller may look at its other bits.
    fn low_bits(&mut self, _count: u32) -> u64 {
        self.next_u64()
    }
}

/// `ChaCha20` with a key from the operating system. It has no constructor from a seed and cannot be cloned,
/// printed or serialised. spec: `own:generator`
///
/// ```compile_fail
/// let rng = asap_dp::noise::SecureRng::from_seed([0; 32]);
/// ```
///
/// ```compile_fail
/// let rng = asap_dp::noise::SecureRng::new().unwrap();
/// let twin = rng.clone();
/// ```
///
/// Every release begins with a key of its own ([`RandomBits::begin`]), so that what was copied by `fork` is not used by
/// two processes. Besides, the process id is compared every 32 words: a child that goes on drawing takes another key.
/// A key must pass start-up tests before the first word is handed out. On drop, key and unused words are overwritten,
/// as far as safe code can: not what the compiler left in registers or on the stack.
pub struct SecureRng {
    /// In a box, so that a move does not leave a copy of the key behind.
    stream: Box<ChaCha20Rng>,
    surroundings: Outside,
    /// The process that the key was drawn for.
    owner: u32,
    /// Words until the process is compared again.
    unwatched: u32,
}

/// The generator gives no bits that may be used: nothing is released. spec: `own:generator`
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoRandomness {
    /// The operating system gave no key.
    #[error("the operating system's random generator is not available")]
    Unavailable,
    /// A start-up test failed.
    #[error("the random generator failed its start-up test ({0})")]
    Unhealthy(Symptom),
}

/// What a generator asks of the world outside.
#[derive(Clone, Copy)]
struct Outside {
    /// Fills in a fresh key.
    key: fn(&mut [u8; 32]) -> Result<(), NoRandomness>,
    /// The id of the process that asks.
    process: fn() -> u32,
}

const SYSTEM: Outside = Outside {
    key: |key| SysRng.try_fill_bytes(key).map_err(|_| NoRandomness::Unavailable),
    process: std::process::id,
};

impl SecureRng {
    /// Words of one refill of `ChaCha20`.
    const REFILL: u32 = 32;

    /// Asks the operating system for a key, and tests the generator.
    pub fn new() -> Result<Self, NoRandomness> {
        Self::within(SYSTEM)
    }

    fn within(surroundings: Outside) -> Result<Self, NoRandomness> {
        let stream = Box::new(fresh(surroundings)?);
        let mut rng = Self { stream, surroundings, owner: (surroundings.process)(), unwatched: Self::REFILL };
        rng.examine()?;
        Ok(rng)
    }

    /// Looks at the first words, as they would be handed out; no caller gets to see them.
    fn examine(&mut self) -> Result<(), NoRandomness> {
        let words = core::array::from_fn(|_| self.next_u64());
        health::of_words(&words).map_or(Ok(()), |symptom| Err(NoRandomness::Unhealthy(symptom)))
    }

    /// In another process than the key was drawn for: another key. A child that gets none takes a stream of its own of
    /// the key that it inherited, because a word cannot be refused.
    #[cold]
    fn watch(&mut self) {
        self.unwatched = Self::REFILL;
        let process = (self.surroundings.process)();
        if process != self.owner {
            self.owner = process;
            match fresh(self.surroundings) {
                Ok(stream) => *self.stream = stream,
                Err(_) => self.stream.set_stream(process.into()),
            }
        }
    }

    /// Overwrites key and unused words.
    fn wipe(&mut self) {
        *self.stream = ChaCha20Rng::from_seed([0; 32]);
        // Memory might be looked at: the compiler must write what is never read.
        core::hint::black_box(&mut self.stream);
    }
}

impl Drop for SecureRng {
    fn drop(&mut self) {
        self.wipe();
    }
}

/// A stream with a fresh key that passed its tests.
fn fresh(surroundings: Outside) -> Result<ChaCha20Rng, NoRandomness> {
    let mut key = Zeroizing::new([0; 32]);
    (surroundings.key)(&mut key)?;
    match health::of_key(&key) {
        Some(symptom) => Err(NoRandomness::Unhealthy(symptom)),
        None => Ok(ChaCha20Rng::from_seed(*key)),
    }
}

impl sealed::Sealed for SecureRng {}

impl RandomBits for SecureRng {
    const PROVENANCE: Randomness = Randomness::Secure;

    fn begin(&mut self) -> Result<(), NoRandomness> {
        *self = Self::within(self.surroundings)?;
        Ok(())
    }

    #[inline]
    fn next_u64(&mut self) -> u64 {
        if self.unwatched == 0 {
            self.watch();
        }
        self.unwatched -= 1;
        self.stream.next_u64()
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
    const PROVENANCE: Randomness = Randomness::Replay;
    #[inline]
    fn next_u64(&mut self) -> u64 {
        self.0.next_u64()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Bounds, OutOfBounds, Records};
    use crate::error::Error;
    use crate::learner::{Learner, MechanismKind};
    use crate::loss::Logistic;
    use core::cell::Cell;

    thread_local! {
        static PROCESS: Cell<u32> = const { Cell::new(1) };
        static KEYS: Cell<u8> = const { Cell::new(0) };
    }

    /// A world with a process id that can be changed, and keys that never repeat.
    const MODEL: Outside = Outside {
        key: |key| {
            KEYS.set(KEYS.get() + 1);
            *key = core::array::from_fn(|k| KEYS.get().wrapping_mul(37) ^ u8::try_from(7 * k).unwrap());
            Ok(())
        },
        process: || PROCESS.get(),
    };

    /// What `fork` does to a generator.
    fn forked(rng: &SecureRng) -> SecureRng {
        moved(rng, rng.surroundings)
    }

    /// A copy of a generator in another world.
    fn moved(rng: &SecureRng, surroundings: Outside) -> SecureRng {
        let SecureRng { ref stream, owner, unwatched, .. } = *rng;
        SecureRng { stream: stream.clone(), surroundings, owner, unwatched }
    }

    fn words(rng: &mut SecureRng, count: usize) -> Vec<u64> {
        (0..count).map(|_| rng.next_u64()).collect()
    }

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
        assert_eq!((SecureRng::PROVENANCE, ReplayRng::PROVENANCE), (Randomness::Secure, Randomness::Replay));
    }

    /// The stream is that of RFC 8439, appendix A.1, test vector 1: key, counter and nonce 0.
    #[test]
    fn the_stream_is_chacha20() {
        PROCESS.set(1);
        let stream = Box::new(ChaCha20Rng::from_seed([0; 32]));
        let mut rng = SecureRng { stream, surroundings: MODEL, owner: 1, unwatched: SecureRng::REFILL };
        assert_eq!(rng.next_u64().to_le_bytes(), [0x76, 0xb8, 0xe0, 0xad, 0xa0, 0xf1, 0x3d, 0x90]);
        assert_eq!(rng.next_u64().to_le_bytes(), [0x40, 0x5d, 0x6a, 0xe5, 0x53, 0x86, 0xbd, 0x28]);
    }

    /// A child shares what is left of a refill at most, and nothing once it begins a release.
    #[test]
    fn a_forked_generator_does_not_repeat() {
        PROCESS.set(1);
        for used in [0, 1, 31, 32, 33, 100] {
            let mut parent = SecureRng::within(MODEL).unwrap();
            words(&mut parent, used);
            let [mut child, mut other] = [0; 2].map(|_| forked(&parent));
            let ahead = words(&mut parent, 100);
            // The same process would go on with the same words: the copy is a copy.
            assert_eq!(words(&mut forked(&child), 10), ahead[..10]);
            PROCESS.set(2);
            let drawn = words(&mut child, 100);
            let shared = drawn.iter().zip(&ahead).take_while(|(a, b)| a == b).count();
            // The start-up test took two refills.
            assert_eq!(shared, (32 - used % 32) % 32, "{used} words after the start");
            assert!(drawn[shared..].iter().all(|word| !ahead.contains(word)), "{used}");
            PROCESS.set(3);
            other.begin().unwrap();
            assert!(words(&mut other, 100).iter().all(|word| !ahead.contains(word) && !drawn.contains(word)));
            PROCESS.set(1);
        }
    }

    /// A child without a key of its own has a stream of its own.
    #[test]
    fn a_forked_generator_without_a_key_takes_another_stream() {
        PROCESS.set(1);
        let mut parent = SecureRng::within(MODEL).unwrap();
        let none = Outside { key: |_| Err(NoRandomness::Unavailable), ..MODEL };
        let mut child = moved(&parent, none);
        let ahead = words(&mut parent, 100);
        PROCESS.set(9);
        let drawn = words(&mut child, 100);
        assert!(drawn[32..].iter().all(|word| !ahead.contains(word)));
        assert_eq!(child.begin(), Err(NoRandomness::Unavailable));
        PROCESS.set(1);
    }

    fn records() -> Records<Logistic> {
        Records::new(Logistic, Bounds::new(1.0).unwrap(), OutOfBounds::Clip, vec![0.5], vec![1.0]).unwrap()
    }

    /// Each fit has bits of its own, in one process and in two.
    #[test]
    fn a_fit_in_a_child_has_other_noise() {
        PROCESS.set(1);
        for kind in [MechanismKind::Output, MechanismKind::Posterior] {
            let learner = Learner::new(5.0).mu(1.0).unwrap().mechanism(kind);
            let mut parent = SecureRng::within(MODEL).unwrap();
            let mut child = forked(&parent);
            let fit = |rng: &mut SecureRng| learner.fit(&records(), rng).unwrap().theta().to_vec();
            let here = fit(&mut parent);
            // Not even the change of the process need be seen: every release has a new key.
            assert_ne!(here, fit(&mut forked(&child)));
            PROCESS.set(2);
            assert_ne!(here, fit(&mut child));
            PROCESS.set(1);
        }
    }

    /// A generator that is not available or not healthy releases nothing, neither at its start
    /// nor at the start of a fit.
    #[test]
    fn a_sick_generator_releases_nothing() {
        type Key = fn(&mut [u8; 32]) -> Result<(), NoRandomness>;
        let dead: Key = |_| Ok(());
        let frequent: Key = |key| {
            *key = core::array::from_fn(|k| if k % 4 == 0 { 9 } else { u8::try_from(k).unwrap() });
            Ok(())
        };
        let absent: Key = |_| Err(NoRandomness::Unavailable);
        for (key, expected) in [
            (dead, NoRandomness::Unhealthy(Symptom::Repeated)),
            (frequent, NoRandomness::Unhealthy(Symptom::Frequent)),
            (absent, NoRandomness::Unavailable),
        ] {
            let sick = Outside { key, ..MODEL };
            assert_eq!(SecureRng::within(sick).err(), Some(expected));
            let mut rng = moved(&SecureRng::within(MODEL).unwrap(), sick);
            let error = Learner::new(5.0).mu(1.0).unwrap().fit(&records(), &mut rng).unwrap_err();
            assert!(matches!(error, Error::NoRandomness(found) if found == expected), "{error}");
            assert!(!error.to_string().is_empty());
        }
    }

    #[test]
    fn a_wiped_generator_forgets() {
        let mut rng = SecureRng::within(MODEL).unwrap();
        rng.next_u64();
        rng.wipe();
        assert_eq!(rng.stream.get_seed(), [0; 32]);
        // What was left of the refill is gone: the next word is the first of the zero key.
        assert_eq!(rng.stream.next_u64(), ChaCha20Rng::from_seed([0; 32]).next_u64());
    }
}
