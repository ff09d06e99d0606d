//! Records that stay in their file and are read again for each pass: memory does not grow with the number of rows.

use super::csv::Table;
use super::{Bounds, CsvOptions, DataError, Gate, OutOfBounds, Place, Schema};
use crate::loss::Loss;
use std::fs::File;
use std::path::{Path, PathBuf};

/// The records could not be read again as they were. The text is the same for every input, nothing is released.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "the records could not be read again as they were; nothing is released, and the budget counts as spent"
)]
pub struct Unavailable;

/// The records of a CSV file that is read again for each pass.
///
/// Opening it reads the file once: every row is clipped or refused as [`read_csv`](super::read_csv) would do, counted
/// and added to a fingerprint. Each later pass does the same; a file that has changed, or cannot be read, makes the
/// pass [`Unavailable`]. (A file that is changed on purpose to match the fingerprint is outside of what is promised.)
/// The sums over these records are, bit for bit, those over the same records in memory.
pub struct Stream<L> {
    path: PathBuf,
    separator: Option<u8>,
    columns: Schema,
    gate: Gate<L>,
    rows: usize,
    fingerprint: u64,
}

impl<L: Loss> Stream<L> {
    /// Reads the file once, so that what is wrong with it is found before anything is computed.
    pub fn open(
        path: impl AsRef<Path>,
        options: &CsvOptions,
        loss: L,
        bounds: Bounds,
        policy: OutOfBounds,
    ) -> Result<Self, DataError> {
        let path = path.as_ref().to_owned();
        let columns = Table::open(File::open(&path).map_err(DataError::unreadable)?, options.separator)?
            .header
            .columns(options, loss.targets())?;
        let gate = Gate::of_table(loss, bounds, policy, &columns)?;
        let mut stream = Self { path, separator: options.separator, columns, gate, rows: 0, fingerprint: 0 };
        (stream.rows, stream.fingerprint) = stream.read(1, |_, _| {})?;
        Ok(stream)
    }

    /// The columns that are read.
    pub fn columns(&self) -> &Schema {
        &self.columns
    }

    /// The loss that the records are admissible for.
    pub fn loss(&self) -> &L {
        &self.gate.loss
    }

    /// The public bounds.
    pub fn bounds(&self) -> &Bounds {
        &self.gate.bounds
    }

    /// d: the number of parameters, the intercept included.
    pub fn dimension(&self) -> usize {
        self.gate.parameters()
    }

    /// n, private under add/remove neighbours.
    pub(crate) fn len(&self) -> usize {
        self.rows
    }

    /// Hands all rows over again, in blocks of `block_rows` (the last may be shorter): row-major features and targets.
    pub(crate) fn pass(
        &self,
        block_rows: usize,
        block: impl FnMut(&[f64], &[f64]),
    ) -> Result<(), Unavailable> {
        match self.read(block_rows, block) {
            Ok(found) if found == (self.rows, self.fingerprint) => Ok(()),
            _ => Err(Unavailable),
        }
    }

    /// Reads the file; the number of rows and their fingerprint.
    fn read(
        &self,
        block_rows: usize,
        mut block: impl FnMut(&[f64], &[f64]),
    ) -> Result<(usize, u64), DataError> {
        let table = Table::open(File::open(&self.path).map_err(DataError::unreadable)?, self.separator)?;
        let mut rows = table.records(&self.columns, self.gate.policy)?;
        let (mut buffer, mut fingerprint) = ((Vec::new(), Vec::new()), 0);
        let admit = |count, (features, targets): &mut (Vec<f64>, Vec<f64>)| -> Result<bool, DataError> {
            let Some(line) = rows.advance()? else { return Ok(false) };
            self.gate.admit(count, &mut rows.row, rows.target, Place::Line(line), (features, targets))?;
            Ok(true)
        };
        let hand_over = |(features, targets): &mut (Vec<f64>, Vec<f64>)| {
            fingerprint = continued(fingerprint, features, targets);
            block(features, targets);
            features.clear();
            targets.clear();
        };
        let count = in_blocks(block_rows, &mut buffer, admit, hand_over)?;
        Ok((count, fingerprint))
    }
}

/// Fills a buffer with rows, and hands it over after every `block_rows` of them and once more for those that are left.
///
/// `admit` adds a row to the buffer, given how many there were before, or says that there is
/// none. Returns their number.
fn in_blocks<B, E>(
    block_rows: usize,
    buffer: &mut B,
    mut admit: impl FnMut(usize, &mut B) -> Result<bool, E>,
    mut hand_over: impl FnMut(&mut B),
) -> Result<usize, E> {
    let (mut count, mut waiting) = (0, 0);
    while admit(count, buffer)? {
        count += 1;
        waiting += 1;
        if waiting == block_rows {
            hand_over(buffer);
            waiting = 0;
        }
    }
    if waiting > 0 {
        hand_over(buffer);
    }
    Ok(count)
}

/// A fingerprint with the bits of more records; it does not depend on how they are cut into blocks.
pub(crate) fn continued(fingerprint: u64, features: &[f64], targets: &[f64]) -> u64 {
    // Multiplication by an odd number and a rotation: every bit of a record reaches every later state.
    let mix = |hash: u64, x: f64| (hash.rotate_left(23) ^ x.to_bits()).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    folded(fingerprint, features, targets, mix)
}

/// What the numbers of records make of a state, one record after the other.
fn folded(state: u64, features: &[f64], targets: &[f64], mix: impl Fn(u64, f64) -> u64) -> u64 {
    let width = features.len() / targets.len().max(1);
    let records = features.chunks_exact(width.max(1)).zip(targets);
    records.flat_map(|(row, target)| row.iter().chain([target])).fold(state, |state, x| mix(state, *x))
}

#[cfg(any(kani, test))]
#[path = "../../proofs/data/stream.rs"]
mod proofs;
