//! One part of the records, where they are: it answers questions with sums. spec: `own:shards`

use super::super::curvature::Stripe;
use super::super::partition::{BLOCK_ROWS, Partition};
use super::super::source::rows::Task;
use super::super::sums::Compensated;
use super::super::wire::{AskedSum, MessageKind, MessageReader, SumQuestion, Writer, digest};
use super::super::workspace::Partial;
use super::{Card, Terms};
use crate::bounds::Bounds;
use crate::data::{DataError, OutOfBounds, Records, continued};
use crate::loss::Loss;
use core::fmt;

/// A request that this shard does not answer. The text is the same for every input.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unanswerable {
    /// The bytes are no request, or of another version.
    #[error("request must be the bytes that the client made, as they are")]
    Malformed,
    /// It is for other rows, another number of columns, or chunks that this shard has no row of.
    #[error("request must be one for this shard")]
    OtherShard,
}

/// Consecutive records of a larger data set, held by the worker that computes sums over them. spec: `own:shards`
///
/// The records come in through the same gate as those of [`Records`]: clipped or refused, one by one. What goes out are
/// sums. They are **as private as the records**: a shard and everyone who sees its answers belong to the curator.
/// `Debug` shows the public part only.
pub struct Shard<L> {
    records: Records<L>,
    card: Card,
}

impl<L: fmt::Debug> fmt::Debug for Shard<L> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Shard").field("records", &self.records).finish_non_exhaustive()
    }
}

impl<L: Loss> Shard<L> {
    /// The records from row number `first` on (the first row of all is number 0), which must be one of
    /// [`shard_starts`](super::shard_starts), or any other multiple of 64. `columns` is without the intercept.
    pub fn new(
        loss: L,
        bounds: Bounds,
        policy: OutOfBounds,
        columns: usize,
        first: usize,
        features: Vec<f64>,
        targets: Vec<f64>,
    ) -> Result<Self, DataError> {
        if !first.is_multiple_of(BLOCK_ROWS) {
            return Err(DataError::Shape);
        }
        let records = Records::after(first, loss, bounds, policy, columns, features, targets)?;
        let terms = Terms::new(&loss, records.bounds(), records.dimension());
        // The same records on other terms or at another place are others.
        let fingerprint = continued(terms.digest(first), records.features(), records.targets());
        let card = Card { terms, first, rows: records.len(), fingerprint };
        Ok(Self { records, card })
    }

    /// What the client must know of the shard: bytes for [`Shards::new`](super::Shards::new). Private.
    pub fn card(&self) -> Vec<u8> {
        let mut writer = Writer::new(MessageKind::CARD);
        self.card.write(&mut writer);
        writer.bytes()
    }

    /// The shard as bytes, for a scheduler of the curator that moves or stores it. These are the records.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut writer = Writer::new(MessageKind::SHARD);
        self.card.write(&mut writer);
        // The intercept comes with the gate.
        let d = self.records.dimension();
        let columns = d - usize::from(self.records.bounds().intercept());
        self.records.features().chunks_exact(d).for_each(|row| writer.numbers(&row[..columns]));
        writer.numbers(self.records.targets());
        writer.bytes()
    }

    /// The shard of [`Shard::to_bytes`], if its records are still those, made for this loss and these bounds. Every
    /// record goes through the gate again.
    pub fn from_bytes(loss: L, bounds: Bounds, bytes: &[u8]) -> Result<Self, DataError> {
        Self::read(loss, bounds, bytes).ok_or(DataError::Shape)
    }

    fn read(loss: L, bounds: Bounds, bytes: &[u8]) -> Option<Self> {
        let mut reader = MessageReader::new(MessageKind::SHARD, bytes)?;
        let card = Card::read(&mut reader)?;
        let columns = card.terms.dimension()?.checked_sub(usize::from(bounds.intercept()))?;
        let features = reader.numbers(card.rows.checked_mul(columns)?)?;
        let targets = reader.numbers(card.rows)?;
        reader.end()?;
        // What was admitted once is admissible, and stays what it is; the card shows it.
        let shard =
            Self::new(loss, bounds, OutOfBounds::Refuse, columns, card.first, features, targets).ok()?;
        (shard.card == card).then_some(shard)
    }

    /// The sums that a request asks for: bytes for the client. The same request has the same answer, bit for bit.
    pub fn answer(&self, request: &[u8]) -> Result<Vec<u8>, Unanswerable> {
        let mut reader = MessageReader::new(MessageKind::REQUEST, request).ok_or(Unanswerable::Malformed)?;
        let [first, rows, d, stride, tag] = reader.words().ok_or(Unanswerable::Malformed)?;
        let card = &self.card;
        if (first, d) != (card.first as u64, self.records.dimension() as u64) {
            return Err(Unanswerable::OtherShard);
        }
        let numbers = reader.size().and_then(|count| reader.numbers(count));
        let (Ok(rows), Ok(stride), Some(numbers)) = (usize::try_from(rows), usize::try_from(stride), numbers)
        else {
            return Err(Unanswerable::Malformed);
        };
        let end = card.first + card.rows;
        if rows < end
            || rows as u64 > self.records.bounds().max_rows()
            || (rows > end && !end.is_multiple_of(BLOCK_ROWS))
        {
            return Err(Unanswerable::OtherShard);
        }
        let d = self.records.dimension();
        let mut writer = Writer::new(MessageKind::ANSWER);
        writer.word(digest(request));
        card.write(&mut writer);
        match AskedSum::new(tag, &numbers, d).ok_or(Unanswerable::Malformed)? {
            AskedSum::Vector(query) => {
                let partition = Partition::for_vectors(rows, d).with_stride(stride);
                let task = |chunk| Partial::new(chunk, d);
                self.pieces(&partition, query, reader, &mut writer, task, |task| &mut task.total)?;
            }
            AskedSum::Matrix(weights) => {
                let partition = Partition::for_matrices(rows, d).with_stride(stride);
                let task = |chunk| Stripe::new(chunk, d, 0..d);
                self.pieces(&partition, weights, reader, &mut writer, task, |task| &mut task.sums)?;
            }
        }
        Ok(writer.bytes())
    }

    /// Goes on with the sums of each chunk that is asked for, or begins them.
    fn pieces<T: Task>(
        &self,
        partition: &Partition,
        question: T::Question<'_>,
        mut reader: MessageReader<'_>,
        writer: &mut Writer,
        task: impl Fn(usize) -> T,
        total: impl Fn(&mut T) -> &mut Compensated,
    ) -> Result<(), Unanswerable> {
        let (d, Card { first, rows, .. }) = (self.records.dimension(), self.card);
        let width = <T::Question<'_> as SumQuestion>::width(d);
        let count =
            reader.size().filter(|count| *count <= partition.chunks()).ok_or(Unanswerable::Malformed)?;
        writer.word(count as u64);
        for _ in 0..count {
            let [chunk, begun] = reader.words().ok_or(Unanswerable::Malformed)?;
            let chunk = usize::try_from(chunk).ok().filter(|chunk| *chunk < partition.chunks());
            let chunk = chunk.ok_or(Unanswerable::OtherShard)?;
            let here = partition.rows_within(chunk, &(first..first + rows));
            if here.is_empty() {
                return Err(Unanswerable::OtherShard);
            }
            let mut task = task(chunk);
            match begun {
                0 => {}
                1 => *total(&mut task) = reader.sums(width).ok_or(Unanswerable::Malformed)?,
                _ => return Err(Unanswerable::Malformed),
            }
            // A block is in one shard as a whole: shards begin where blocks begin.
            for block in partition.blocks_of(here) {
                let (from, to) = (block.start - first, block.end - first);
                let features = &self.records.features()[from * d..to * d];
                task.add(
                    question,
                    self.records.loss(),
                    partition,
                    features,
                    &self.records.targets()[from..to],
                );
            }
            writer.word(chunk as u64);
            writer.sums(total(&mut task));
        }
        reader.end().ok_or(Unanswerable::Malformed)
    }
}
