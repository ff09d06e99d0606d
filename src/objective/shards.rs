//! Rows on other machines: questions go to them, sums come back. spec: `own:shards`
//!
//! A [`Shard`] holds consecutive rows and answers a question with the sums of chunks, the same chunks that these rows
//! would have in memory. [`Shards`] asks, joins the answers in the order of the chunks, and is a source of sums like
//! any other: the same bits, wherever, whenever and however often they were computed.

mod shard;

pub use shard::{Shard, Unanswerable};

use super::partition::{BLOCK_ROWS, Partition};
use super::source::Sums;
use super::source::rows::{Summed, SummedRows, Task};
use super::sums::Compensated;
use super::wire::{MessageKind, MessageReader, SumQuestion, Writer, digest};
use crate::bounds::Bounds;
use crate::data::Unavailable;
use crate::loss::Loss;
use crate::private::Private;
use core::sync::atomic::{AtomicBool, Ordering::SeqCst};

/// Brings requests to the shards and answers back, inside the curator's trust boundary: both are bytes, and an
/// answer is as private as the records. spec: `own:shards`
///
/// It may ask a shard again, or ask a copy of it: the answer is the same. It may return the answers in any order.
pub trait Transport: Sync {
    /// One answer for each request, made by [`Shard::answer`] of the shard that it is for.
    fn exchange(&self, requests: &[Request]) -> Result<Vec<Vec<u8>>, Unavailable>;
}

impl<F: Fn(&[Request]) -> Result<Vec<Vec<u8>>, Unavailable> + Sync> Transport for F {
    fn exchange(&self, requests: &[Request]) -> Result<Vec<Vec<u8>>, Unavailable> {
        self(requests)
    }
}

/// A message to one shard.
pub struct Request {
    /// The shard's place in the list of cards that [`Shards::new`] was given.
    pub shard: usize,
    /// The argument for [`Shard::answer`].
    pub bytes: Vec<u8>,
}

/// The cards are not those of one data set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ShardsError {
    /// Bytes that no shard made, or no card at all.
    #[error("cards must be one card for each shard, with at least one shard")]
    Malformed,
    /// A shard was made with another loss, other bounds or another number of columns.
    #[error(
        "cards must be those of shards with the loss, the bounds and the number of columns of the others"
    )]
    OtherTerms,
    /// Rows are missing, or are there twice, or a shard begins within a block.
    #[error("cards must be those of shards that hold all rows once, each beginning at a multiple of 64")]
    Gap,
}

/// What the records were admitted with, as words that are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Terms([u64; 9]);

impl Terms {
    fn new<L: Loss>(loss: &L, bounds: &Bounds, dimension: usize) -> Self {
        let shape = loss.shape();
        Self([
            dimension as u64,
            digest(loss.name().as_bytes()),
            u64::from(shape.is_some()),
            shape.unwrap_or(0.0).to_bits(),
            bounds.feature_norm().to_bits(),
            // No bound has the bits of no number.
            bounds.target().map_or(u64::MAX, f64::to_bits),
            bounds.max_rows(),
            u64::from(bounds.intercept()),
            bounds.shape().map_or(0, |shape| digest(format!("{:?}", shape.blocks()).as_bytes())),
        ])
    }

    /// For rows from this one on.
    fn digest(&self, first: usize) -> u64 {
        let mut writer = Writer::new(MessageKind::CARD);
        writer.words(self.0);
        writer.word(first as u64);
        digest(&writer.bytes())
    }

    fn dimension(&self) -> Option<usize> {
        usize::try_from(self.0[0]).ok().filter(|d| *d > 0)
    }
}

/// Which rows a shard has: terms, place, number and fingerprint. It has no `Debug`.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Card {
    terms: Terms,
    first: usize,
    rows: usize,
    fingerprint: u64,
}

impl Card {
    fn write(&self, writer: &mut Writer) {
        writer.words(self.terms.0);
        writer.words([self.first as u64, self.rows as u64, self.fingerprint]);
    }

    fn read(reader: &mut MessageReader<'_>) -> Option<Self> {
        let terms = Terms(reader.words()?);
        Some(Self { terms, first: reader.size()?, rows: reader.size()?, fingerprint: reader.word()? })
    }
}

/// Where shards may begin so that each pass for values and gradients is one round: one shard for each chunk of
/// the partition. Depends on the number of rows and of parameters (with the intercept) only; fewer, larger
/// shards begin at some of these.
pub fn shard_starts(rows: usize, dimension: usize) -> Vec<usize> {
    let partition = Partition::for_vectors(rows, dimension);
    (0..partition.chunks()).map(|chunk| partition.rows_of(chunk).start).collect()
}

/// Records in shards that others hold; they answer with sums. spec: `own:shards`
///
/// The third source of sums, beside [`Records`](crate::data::Records) and [`Stream`](crate::data::Stream). An answer
/// that is not the answer to its request, or comes from other records than at the beginning, makes the fit
/// [`Unavailable`]: nothing is released, and the source stays unavailable.
///
/// ```
/// use asap_dp::{Bounds, Learner, Logistic, OutOfBounds, ReplayRng};
/// use asap_dp::objective::{Request, Shard, Shards};
/// let shard = Shard::new(Logistic, Bounds::new(1.0)?, OutOfBounds::Clip, 1, 0, vec![0.5, -0.25], vec![1.0, 0.0])?;
/// // Somewhere else, in earnest.
/// let workers = |requests: &[Request]| Ok(requests.iter().filter_map(|r| shard.answer(&r.bytes).ok()).collect());
/// let shards = Shards::new(Logistic, Bounds::new(1.0)?, &[shard.card()], workers)?;
/// let release = Learner::new(5.0).epsilon(1.0)?.fit(&shards, &mut ReplayRng::new(1))?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Shards<L, T> {
    loss: L,
    bounds: Bounds,
    dimension: usize,
    /// In the order of their rows, each with its place in the caller's list.
    cards: Vec<(Card, usize)>,
    rows: usize,
    transport: T,
    failed: AtomicBool,
}

impl<L: Loss, T: Transport> Shards<L, T> {
    /// The data set of these shards, by their [cards](Shard::card).
    pub fn new(
        loss: L,
        bounds: Bounds,
        cards: &[impl AsRef<[u8]>],
        transport: T,
    ) -> Result<Self, ShardsError> {
        let read = |bytes: &[u8]| {
            let mut reader = MessageReader::new(MessageKind::CARD, bytes)?;
            let card = Card::read(&mut reader)?;
            reader.end().map(|()| card)
        };
        let read: Option<Vec<Card>> = cards.iter().map(|bytes| read(bytes.as_ref())).collect();
        let mut cards: Vec<_> = read.ok_or(ShardsError::Malformed)?.into_iter().zip(0..).collect();
        cards.sort_by_key(|(card, _)| (card.first, card.rows));
        let dimension =
            cards.first().and_then(|(card, _)| card.terms.dimension()).ok_or(ShardsError::Malformed)?;
        let terms = Terms::new(&loss, &bounds, dimension);
        if cards.iter().any(|(card, _)| card.terms != terms) {
            return Err(ShardsError::OtherTerms);
        }
        let mut rows: usize = 0;
        for (card, _) in &cards {
            if card.first != rows || !rows.is_multiple_of(BLOCK_ROWS) {
                return Err(ShardsError::Gap);
            }
            rows = rows.checked_add(card.rows).ok_or(ShardsError::Gap)?;
        }
        if rows as u64 > bounds.max_rows() {
            return Err(ShardsError::Gap);
        }
        Ok(Self { loss, bounds, dimension, cards, rows, transport, failed: AtomicBool::new(false) })
    }

    /// The sums of every chunk, in order.
    fn chunks<Q: SumQuestion>(&self, partition: &Partition, question: Q) -> Option<Vec<Compensated>> {
        let (width, numbers) = (Q::width(self.dimension), question.numbers());
        let mut sums: Vec<_> = (0..partition.chunks()).map(|_| Compensated::new(0)).collect();
        // The shards that hold rows of a chunk, first to last: each goes on where the one before it ended.
        let holders: Vec<Vec<usize>> =
            (0..partition.chunks()).map(|chunk| self.holders(partition, chunk)).collect();
        let rounds = holders.iter().map(Vec::len).max().unwrap_or(0);
        for round in 0..rounds {
            let mut asked: Vec<Vec<usize>> = vec![Vec::new(); self.cards.len()];
            for (chunk, holders) in holders.iter().enumerate() {
                if let Some(holder) = holders.get(round) {
                    asked[*holder].push(chunk);
                }
            }
            let mut open: Vec<Option<(u64, Vec<usize>)>> = vec![None; self.cards.len()];
            let mut requests = Vec::new();
            for (holder, chunks) in asked.into_iter().enumerate().filter(|(_, chunks)| !chunks.is_empty()) {
                let (card, shard) = self.cards[holder];
                let mut writer = Writer::new(MessageKind::REQUEST);
                writer.words([card.first, self.rows, self.dimension, partition.stride()].map(|x| x as u64));
                writer.words([question.tag(), numbers.len() as u64]);
                writer.numbers(&numbers);
                writer.word(chunks.len() as u64);
                for chunk in &chunks {
                    writer.words([*chunk as u64, u64::from(round > 0)]);
                    // Nothing in the first round.
                    writer.sums(&sums[*chunk]);
                }
                let bytes = writer.bytes();
                open[holder] = Some((digest(&bytes), chunks));
                requests.push(Request { shard, bytes });
            }
            let answers = self.transport.exchange(&requests).ok()?;
            if answers.len() != requests.len() {
                return None;
            }
            for answer in answers {
                self.accept(&answer, width, &mut open, &mut sums)?;
            }
        }
        Some(sums)
    }

    /// The shards that have rows of a chunk, in the order of the rows.
    fn holders(&self, partition: &Partition, chunk: usize) -> Vec<usize> {
        let has =
            |card: &Card| !partition.rows_within(chunk, &(card.first..card.first + card.rows)).is_empty();
        (0..self.cards.len()).filter(|k| has(&self.cards[*k].0)).collect()
    }

    /// Takes an answer in, if it is the one to a request that is still open.
    fn accept(
        &self,
        answer: &[u8],
        width: usize,
        open: &mut [Option<(u64, Vec<usize>)>],
        sums: &mut [Compensated],
    ) -> Option<()> {
        let mut reader = MessageReader::new(MessageKind::ANSWER, answer)?;
        let found = reader.word()?;
        let card = Card::read(&mut reader)?;
        // The same place, rows and fingerprint as at the beginning.
        let holder = self.cards.iter().position(|(known, _)| *known == card)?;
        let (expected, chunks) = open[holder].take()?;
        if found != expected || reader.size()? != chunks.len() {
            return None;
        }
        for chunk in chunks {
            if reader.size()? != chunk {
                return None;
            }
            let chunk_sums = reader.sums(width)?;
            if !chunk_sums.all_finite() {
                return None;
            }
            sums[chunk] = chunk_sums;
        }
        reader.end()
    }
}

impl<L: Loss, T: Transport> SummedRows for Shards<L, T> {
    type Loss = L;

    fn rows(&self) -> usize {
        self.rows
    }

    fn sum<K: Task>(&self, partition: &Partition, question: K::Question<'_>, tasks: &mut [K]) -> Summed {
        // Once unavailable, always: a fit does not go on with what a later pass happens to find.
        if self.failed.load(SeqCst) {
            return Err(Unavailable);
        }
        let Some(chunks) = self.chunks(partition, question) else {
            self.failed.store(true, SeqCst);
            return Err(Unavailable);
        };
        for task in tasks {
            task.take(&chunks[task.chunk()]);
        }
        Ok(())
    }
}

impl<L: Loss, T: Transport> Sums for Shards<L, T> {
    fn dimension(&self) -> usize {
        self.dimension
    }

    fn bounds(&self) -> &Bounds {
        &self.bounds
    }

    fn loss(&self) -> &L {
        &self.loss
    }

    fn count(&self) -> Private<u64> {
        Private::new(self.rows as u64)
    }
}
