//! Questions, sums and shards as bytes: little-endian words of 64 bits. The first word names the kind and the version
//! of the message. Reading is total: every sequence of bytes is either a message or none. spec: `own:shards`

use super::curvature::packed;
use super::question::{Query, Weights};
use super::sums::Compensated;

/// The kinds of messages, and the version of their layout.
#[derive(Clone, Copy)]
pub(super) struct MessageKind(u64);

impl MessageKind {
    /// A question to a shard.
    pub(super) const REQUEST: Self = Self(u64::from_le_bytes(*b"asapreq1"));
    /// The sums that a shard answers with.
    pub(super) const ANSWER: Self = Self(u64::from_le_bytes(*b"asapans1"));
    /// What a shard says of itself.
    pub(super) const CARD: Self = Self(u64::from_le_bytes(*b"asapcrd1"));
    /// The records of a shard.
    pub(super) const SHARD: Self = Self(u64::from_le_bytes(*b"asapshd1"));
}

/// A message that is being written.
pub(super) struct Writer(Vec<u8>);

impl Writer {
    pub(super) fn new(kind: MessageKind) -> Self {
        let mut writer = Self(Vec::new());
        writer.word(kind.0);
        writer
    }

    pub(super) fn word(&mut self, word: u64) {
        self.0.extend_from_slice(&word.to_le_bytes());
    }

    pub(super) fn words(&mut self, words: impl IntoIterator<Item = u64>) {
        words.into_iter().for_each(|word| self.word(word));
    }

    pub(super) fn numbers(&mut self, numbers: &[f64]) {
        self.words(numbers.iter().map(|x| x.to_bits()));
    }

    pub(super) fn sums(&mut self, sums: &Compensated) {
        self.numbers(&sums.sums);
        self.numbers(&sums.carries);
    }

    pub(super) fn bytes(self) -> Vec<u8> {
        self.0
    }
}

/// A message that is being read. Everything that is missing is `None`.
pub(super) struct MessageReader<'a>(&'a [[u8; 8]]);

impl<'a> MessageReader<'a> {
    /// The rest of a message of this kind.
    pub(super) fn new(kind: MessageKind, bytes: &'a [u8]) -> Option<Self> {
        let (words, rest) = bytes.as_chunks();
        let mut reader = Self(words);
        (rest.is_empty() && reader.word()? == kind.0).then_some(reader)
    }

    pub(super) fn word(&mut self) -> Option<u64> {
        let (word, rest) = self.0.split_first()?;
        self.0 = rest;
        Some(u64::from_le_bytes(*word))
    }

    pub(super) fn size(&mut self) -> Option<usize> {
        usize::try_from(self.word()?).ok()
    }

    pub(super) fn words<const N: usize>(&mut self) -> Option<[u64; N]> {
        let mut words = [0; N];
        for word in &mut words {
            *word = self.word()?;
        }
        Some(words)
    }

    pub(super) fn numbers(&mut self, count: usize) -> Option<Vec<f64>> {
        // Nothing is allocated for numbers that are not there.
        let (numbers, rest) = self.0.split_at_checked(count)?;
        self.0 = rest;
        Some(numbers.iter().map(|word| f64::from_le_bytes(*word)).collect())
    }

    pub(super) fn sums(&mut self, width: usize) -> Option<Compensated> {
        Some(Compensated { sums: self.numbers(width)?, carries: self.numbers(width)? })
    }

    /// `Some` at the end of the message.
    pub(super) fn end(self) -> Option<()> {
        self.0.is_empty().then_some(())
    }
}

/// Tells messages apart; against accidents, not against an adversary.
pub(super) fn digest(bytes: &[u8]) -> u64 {
    let mix = |hash: u64, word: u64| (hash.rotate_left(23) ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let (words, rest) = bytes.as_chunks();
    let whole = words.iter().fold(bytes.len() as u64, |hash, word| mix(hash, u64::from_le_bytes(*word)));
    rest.iter().fold(whole, |hash, byte| mix(hash, u64::from(*byte)))
}

/// What is asked of the rows, as a tag and a list of numbers.
pub trait SumQuestion: Copy + Sync {
    /// Which question it is.
    fn tag(self) -> u64;

    /// The points and lengths that it is about.
    fn numbers(self) -> Vec<f64>;

    /// How many sums the answer of a chunk has, for rows of d columns.
    fn width(d: usize) -> usize;
}

impl SumQuestion for Query<'_> {
    fn tag(self) -> u64 {
        match self {
            Query::Value(_) => 0,
            Query::ValueAndGradient(_) => 1,
            Query::Divergence(..) => 2,
        }
    }

    fn numbers(self) -> Vec<f64> {
        match self {
            Query::Value(theta) | Query::ValueAndGradient(theta) => theta.to_vec(),
            Query::Divergence(anchor, moved) => [anchor, moved].concat(),
        }
    }

    fn width(d: usize) -> usize {
        d + 1
    }
}

impl SumQuestion for Weights<'_> {
    fn tag(self) -> u64 {
        match self {
            Weights::One => 3,
            Weights::Curvature(_) => 4,
            Weights::Floor { .. } => 5,
            Weights::Chord { .. } => 6,
        }
    }

    fn numbers(self) -> Vec<f64> {
        match self {
            Weights::One => Vec::new(),
            Weights::Curvature(theta) => theta.to_vec(),
            Weights::Floor { centre, radius } => [centre, &[radius]].concat(),
            Weights::Chord { anchor, map, stretch, reach } => [anchor, &[stretch, reach], map].concat(),
        }
    }

    fn width(d: usize) -> usize {
        packed(d)
    }
}

/// A question as it arrives.
#[derive(Debug, PartialEq)]
pub(super) enum AskedSum<'q> {
    Vector(Query<'q>),
    Matrix(Weights<'q>),
}

impl<'q> AskedSum<'q> {
    /// The question of this tag and these numbers about rows of d columns.
    pub(super) fn new(tag: u64, numbers: &'q [f64], d: usize) -> Option<Self> {
        let (point, rest) = if tag == 3 { (numbers, numbers) } else { numbers.split_at_checked(d)? };
        Some(match (tag, rest) {
            (0, []) => Self::Vector(Query::Value(point)),
            (1, []) => Self::Vector(Query::ValueAndGradient(point)),
            (2, moved) if moved.len() == d => Self::Vector(Query::Divergence(point, moved)),
            (3, []) => Self::Matrix(Weights::One),
            (4, []) => Self::Matrix(Weights::Curvature(point)),
            (5, &[radius]) => Self::Matrix(Weights::Floor { centre: point, radius }),
            (6, &[stretch, reach, ref map @ ..]) if map.len().is_multiple_of(d) => {
                Self::Matrix(Weights::Chord { anchor: point, map, stretch, reach })
            }
            _ => return None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_question_arrives_as_it_was_asked() {
        let (a, b, map) = ([1.0, -2.0], [0.5, 1e-300], [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
        let queries = [Query::Value(&a), Query::ValueAndGradient(&b), Query::Divergence(&a, &b)];
        for query in queries {
            let numbers = query.numbers();
            assert_eq!(AskedSum::new(query.tag(), &numbers, 2), Some(AskedSum::Vector(query)));
        }
        let chord = Weights::Chord { anchor: &b, map: &map, stretch: 9.5, reach: 0.25 };
        let floor = Weights::Floor { centre: &a, radius: 3.0 };
        for weights in [Weights::One, Weights::Curvature(&a), floor, chord] {
            let numbers = weights.numbers();
            assert_eq!(AskedSum::new(weights.tag(), &numbers, 2), Some(AskedSum::Matrix(weights)));
        }
        for (tag, count) in
            [(0, 1), (0, 3), (1, 1), (2, 3), (2, 5), (3, 1), (4, 3), (5, 2), (6, 3), (6, 5), (7, 2)]
        {
            assert_eq!(AskedSum::new(tag, &map[..count], 2), None, "{tag}");
        }
    }
}
