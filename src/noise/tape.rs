//! Random bits with a chosen beginning, so that a test can enumerate every beginning.

use super::bits::{RandomBits, Randomness, ReplayRng, sealed::Sealed};

/// The given words first, then a replayed stream (so that every loop still ends) and a mark that it was used.
pub(crate) struct Tape {
    words: std::vec::IntoIter<u64>,
    beyond: ReplayRng,
    pub(crate) overrun: bool,
}

impl Tape {
    pub(crate) fn new(words: impl Into<Vec<u64>>) -> Self {
        Self { words: words.into().into_iter(), beyond: ReplayRng::new(0), overrun: false }
    }

    /// How many of the given words are unread.
    pub(crate) fn unread(&self) -> usize {
        self.words.len()
    }
}

impl Sealed for Tape {}

impl RandomBits for Tape {
    const PROVENANCE: Randomness = Randomness::Replay;
    fn next_u64(&mut self) -> u64 {
        self.words.next().unwrap_or_else(|| {
            self.overrun = true;
            self.beyond.next_u64()
        })
    }
}

/// The exact law of an experiment on words of `width` random bits, cut off after `depth` words.
#[derive(Debug, Default)]
pub(crate) struct Enumerated {
    /// Tapes on which the experiment ended with `true`, and with `false`.
    pub(crate) yes: u128,
    pub(crate) no: u128,
    /// Tapes too short for the experiment.
    pub(crate) open: u128,
}

/// Runs the experiment on every tape of `depth` words below `2^width` (a decided beginning stands for all of
/// its continuations): the three counts add up to `2^(width·depth)`.
pub(crate) fn enumerate(
    width: u32,
    depth: u32,
    experiment: &mut impl FnMut(&mut Tape) -> bool,
) -> Enumerated {
    let mut counts = Enumerated::default();
    let mut beginnings = vec![Vec::new()];
    while let Some(beginning) = beginnings.pop() {
        let places = width * (depth - u32::try_from(beginning.len()).unwrap());
        let mut tape = Tape::new(beginning.clone());
        let outcome = experiment(&mut tape);
        match (tape.overrun, outcome) {
            (false, true) => counts.yes += 1 << places,
            (false, false) => counts.no += 1 << places,
            (true, _) if places == 0 => counts.open += 1,
            (true, _) => beginnings.extend((0..1 << width).map(|word| [&beginning[..], &[word]].concat())),
        }
    }
    counts
}
