//! The bits of a release that counts, as they come out of `SecureRng`: every other statistic runs on replayed ones.
//!
//! H0: independent fair bits. The bits are fresh at each run of the tests, so the false-alarm probabilities have
//! to be kept each time: at most 10⁻⁹ for each of 4 statistics, by the bound of Agrawal for relative entropies,
//! which holds for every n.

use crate::reference::{Outcome, relative_entropy};
use asap_dp::noise::{RandomBits, ReplayRng, SecureRng};

/// 2²⁰ words.
const N: usize = 1 << 20;

fn uniform(counts: &[u64]) -> Outcome {
    relative_entropy(counts, &vec![1.0 / counts.len() as f64; counts.len()])
}

/// Ones at each of the 64 places, of which the largest deviation decides.
fn places(words: &[u64]) -> Outcome {
    let of = |place: u32| {
        let ones = words.iter().filter(|word| *word >> place & 1 == 1).count() as u64;
        uniform(&[words.len() as u64 - ones, ones])
    };
    worst((0..64).map(of))
}

/// How often each byte value occurs.
fn bytes(words: &[u64]) -> Outcome {
    let mut counts = vec![0; 256];
    for word in words {
        for byte in word.to_le_bytes() {
            counts[usize::from(byte)] += 1;
        }
    }
    uniform(&counts)
}

/// Neighbouring bytes, in pairs that do not overlap.
fn pairs(words: &[u64]) -> Outcome {
    let mut counts = vec![0; 1 << 16];
    for word in words {
        for pair in word.to_le_bytes().chunks(2) {
            counts[usize::from(pair[0]) << 8 | usize::from(pair[1])] += 1;
        }
    }
    uniform(&counts)
}

/// Four words in a row at each place: a bit that depends on those before it.
fn serial(words: &[u64]) -> Outcome {
    let of = |place: u32| {
        let mut counts = vec![0; 16];
        for four in words.chunks_exact(4) {
            counts[four.iter().fold(0, |cell, word| cell << 1 | (word >> place & 1) as usize)] += 1;
        }
        uniform(&counts)
    };
    worst((0..64).map(of))
}

/// The largest statistic of 64 that share a level. The bound is e^(−t)(et/k)^k for k degrees of freedom: at t + 2·ln 64
/// it is 64⁻²(1 + 2·ln 64/t)^k of what it is at t, for k ≤ 15 and t ≥ 40 less than a 64th (and for k = 1 and t ≥ 20).
fn worst(outcomes: impl Iterator<Item = Outcome>) -> Outcome {
    let mut worst = Outcome { statistic: 0.0, critical: 0.0 };
    for Outcome { statistic, critical } in outcomes {
        assert!(statistic.is_finite());
        worst =
            Outcome { statistic: worst.statistic.max(statistic), critical: critical + 2.0 * 64.0_f64.ln() };
    }
    worst
}

/// The first statistic that rejects.
fn rejected(draw: impl FnMut() -> u64) -> Option<&'static str> {
    let words: Vec<u64> = std::iter::repeat_with(draw).take(N).collect();
    [
        ("places", places(&words)),
        ("bytes", bytes(&words)),
        ("pairs", pairs(&words)),
        ("serial", serial(&words)),
    ]
    .into_iter()
    .find(|(_, outcome)| !outcome.accepted())
    .map(|(name, _)| name)
}

#[test]
fn secure_bits_are_fair_and_independent() {
    let mut rng = SecureRng::new().unwrap();
    assert_eq!(rejected(|| rng.next_u64()), None);
    rng.begin().unwrap();
    assert_eq!(rejected(|| rng.low_bits(64)), None);
}

/// The same statistics reject a stuck bit, a bit that prefers one value by a hundredth, a word that comes twice, bytes
/// that never are 255, and a bit that repeats that of the word before.
#[test]
fn faulty_bits_are_rejected() {
    let mut rng = ReplayRng::new(1);
    assert_eq!(rejected(|| rng.next_u64()), None);
    for place in [0, 1, 31, 63] {
        assert!(rejected(|| rng.next_u64() | 1 << place).is_some(), "{place} stuck at 1");
        assert!(rejected(|| rng.next_u64() & !(1 << place)).is_some(), "{place} stuck at 0");
        assert!(
            rejected(|| rng.next_u64() | u64::from(rng.next_u64().is_multiple_of(50)) << place).is_some()
        );
    }
    let mut last = 0;
    let mut odd = false;
    let twice = || {
        odd = !odd;
        if odd {
            last = rng.next_u64();
        }
        last
    };
    assert_eq!(rejected(twice), Some("serial"));
    let mut rng = ReplayRng::new(2);
    let capped = || u64::from_le_bytes(rng.next_u64().to_le_bytes().map(|byte| byte.min(254)));
    assert!(rejected(capped).is_some());
    let mut last = 0;
    let sticky = || {
        let word = rng.next_u64();
        last = word & !1 | if word & 0b110 == 0 { last & 1 } else { word & 1 };
        last
    };
    assert_eq!(rejected(sticky), Some("serial"));
}
