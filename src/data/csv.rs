//! Records from CSV files.
//!
//! The first line names the columns; LF, CR LF and CR end a line; blank lines are skipped; quotes enclose whole
//! fields. Every cell of a column that is used has to be a finite number, unless a public value stands for those that are
//! none ([`Missing`](super::Missing)). Rows are clipped or refused as they
//! arrive, so the memory needed is that of the dense matrix. An error says where, never what.

use super::error::{shown, shown_list};
use super::fields::{Fields, parse_number, sniff_separator};
use super::{Bounds, Columns, DataError, Gate, Intake, Missing, OutOfBounds, Place, Records};
use crate::loss::Loss;
use std::collections::{BTreeMap, HashMap};
use std::fs::File;
use std::io::{Chain, Cursor, Read};
use std::path::Path;

/// How to read a CSV file.
#[derive(Clone, Debug, PartialEq)]
pub struct CsvOptions {
    /// The column to be predicted.
    pub target: String,
    /// The columns to predict from, in this order; `None` for all columns but the target, in the file's order.
    pub features: Option<Vec<String>>,
    /// What separates fields; `None` to take the most frequent of `,` `;` tab `|` in the header.
    pub separator: Option<u8>,
    /// What stands for a cell that is no finite number.
    pub missing: Missing,
}

impl CsvOptions {
    /// Predict `target` from all other columns; guess the separator.
    pub fn new(target: impl Into<String>) -> Self {
        Self { target: target.into(), features: None, separator: None, missing: Missing::refuse() }
    }
}

/// Reads the records of a CSV file.
///
/// ```
/// use asap_dp::data::{Bounds, CsvOptions, DataError, OutOfBounds, read_csv};
/// use asap_dp::loss::Logistic;
/// let read = |text: &str| {
///     let (options, bounds) = (CsvOptions::new("ill"), Bounds::new(2.0).unwrap());
///     read_csv(text.as_bytes(), &options, Logistic, bounds, OutOfBounds::Clip)
/// };
/// let (records, columns) = read("age; dose; ill\n0.4; 1.5; 1\n0.7; 3e2; 0\n")?;
/// assert_eq!(records.dimension(), 2);
/// assert_eq!(columns.features, ["age", "dose"]);
/// let error = read("age,dose,ill\n0.4,1.5,yes\n").unwrap_err();
/// assert_eq!(error, DataError::NotANumber { line: 2, column: "ill".into() });
/// # Ok::<(), DataError>(())
/// ```
pub fn read_csv<L: Loss>(
    reader: impl Read,
    options: &CsvOptions,
    loss: L,
    bounds: Bounds,
    policy: OutOfBounds,
) -> Result<(Records<L>, Columns), DataError> {
    let table = Table::open(reader, options.separator)?;
    let columns = table.header.columns(options)?;
    let mut intake = Intake::new(Gate::new(loss, bounds, policy, columns.features.len())?);
    let mut rows = table.rows(columns.features.iter().chain([&columns.target]), &columns.missing)?;
    while let Some(line) = rows.advance()? {
        if let Some((target, features)) = rows.row.split_last_mut() {
            intake.push(features, *target, Place::Line(line))?;
        }
    }
    Ok((intake.finish(), columns))
}

/// Reads the records of the CSV file at `path`, see [`read_csv`].
pub fn read_csv_path<L: Loss>(
    path: impl AsRef<Path>,
    options: &CsvOptions,
    loss: L,
    bounds: Bounds,
    policy: OutOfBounds,
) -> Result<(Records<L>, Columns), DataError> {
    read_csv(File::open(path)?, options, loss, bounds, policy)
}

/// Reads the columns `features` of a CSV file, in this order, as a row-major matrix: what a prediction needs.
///
/// Nothing is clipped, no intercept is appended and no target is read. The numbers are the caller's own, not
/// records of a fit: they come back in the open.
pub fn read_features(
    reader: impl Read,
    features: &[String],
    separator: Option<u8>,
) -> Result<Vec<f64>, DataError> {
    read_with_missing(reader, features, &BTreeMap::new(), separator)
}

/// Reads the features that a release names, see [`read_features`]; for a cell that is no finite number stands the value that
/// the release records.
pub fn read_features_of(
    reader: impl Read,
    columns: &Columns,
    separator: Option<u8>,
) -> Result<Vec<f64>, DataError> {
    read_with_missing(reader, &columns.features, &columns.missing, separator)
}

fn read_with_missing(
    reader: impl Read,
    features: &[String],
    missing: &BTreeMap<String, f64>,
    separator: Option<u8>,
) -> Result<Vec<f64>, DataError> {
    if !(1..=Bounds::MAX_DIMENSION).contains(&features.len()) {
        return Err(DataError::Columns);
    }
    let mut rows = Table::open(reader, separator)?.rows(features, missing)?;
    let mut matrix = Vec::new();
    while rows.advance()?.is_some() {
        matrix.extend_from_slice(&rows.row);
    }
    Ok(matrix)
}

/// A file of which the header is read, and nothing else.
pub(super) struct Table<R> {
    fields: Fields<R>,
    pub(super) header: Header,
}

impl<R: Read> Table<Chain<Cursor<Vec<u8>>, R>> {
    /// Skips the byte order mark, finds the separator, reads the header.
    pub(super) fn open(mut reader: R, separator: Option<u8>) -> Result<Self, DataError> {
        // Enough of the header to see what separates its fields.
        const START: u64 = 1 << 16;
        const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";
        let mut start = Vec::new();
        reader.by_ref().take(START).read_to_end(&mut start)?;
        if start.starts_with(BYTE_ORDER_MARK) {
            start.drain(..BYTE_ORDER_MARK.len());
        }
        // A file of one column has no separator, and any will do.
        let separator = separator.or_else(|| sniff_separator(&start)).unwrap_or(b',');
        let mut fields = Fields::new(Cursor::new(start).chain(reader), separator)?;
        let header = Header::read(&mut fields)?;
        Ok(Self { fields, header })
    }
}

impl<R: Read> Table<R> {
    /// The rows, restricted to the `wanted` columns in their order, with what stands for their missing cells.
    pub(super) fn rows<'a>(
        self,
        wanted: impl IntoIterator<Item = &'a String>,
        missing: &BTreeMap<String, f64>,
    ) -> Result<Rows<R>, DataError> {
        let Header { names, positions } = self.header;
        let mut slots = vec![None; names.len()];
        let mut values = Vec::new();
        for (slot, name) in wanted.into_iter().enumerate() {
            let &position =
                positions.get(name).ok_or_else(|| DataError::UnknownFeature { feature: shown(name) })?;
            if slots[position].replace(slot).is_some() {
                return Err(DataError::DuplicateColumn { column: shown(name) });
            }
            values.push(missing.get(name).copied());
        }
        Ok(Rows { fields: self.fields, names, slots, row: vec![0.0; values.len()], missing: values })
    }
}

/// The names of the columns.
pub(super) struct Header {
    names: Vec<String>,
    /// The place of each name; columns without a name cannot be asked for.
    positions: HashMap<String, usize>,
}

impl Header {
    fn read<R: Read>(fields: &mut Fields<R>) -> Result<Self, DataError> {
        let mut names = Vec::new();
        while let Some(field) = fields.advance()? {
            // Nothing is lost: a field that is not UTF-8 has been refused.
            names.push(String::from_utf8_lossy(fields.text()).trim().to_owned());
            if field.last {
                break;
            }
        }
        if names.is_empty() {
            return Err(DataError::Empty);
        }
        if names.iter().all(|name| looks_like_data(name)) {
            return Err(DataError::HeaderMissing);
        }
        let mut positions = HashMap::with_capacity(names.len());
        for (position, name) in names.iter().enumerate().filter(|(_, name)| !name.is_empty()) {
            if positions.insert(name.clone(), position).is_some() {
                return Err(unless_data(&names, DataError::DuplicateColumn { column: shown(name) }));
            }
        }
        Ok(Self { names, positions })
    }

    /// The columns that the options ask for.
    pub(super) fn columns(&self, options: &CsvOptions) -> Result<Columns, DataError> {
        let target = &options.target;
        if !self.positions.contains_key(target) {
            let available = shown_list(&self.names);
            let error = DataError::TargetNotFound { target: shown(target), available };
            return Err(unless_data(&self.names, error));
        }
        let features = match &options.features {
            Some(features) if features.contains(target) => {
                return Err(DataError::TargetIsFeature { target: shown(target) });
            }
            Some(features) => features.clone(),
            None => self.all_but(target)?,
        };
        let missing = options.missing.resolved(features.iter().chain([target]))?;
        Ok(Columns { features, target: target.clone(), missing })
    }

    /// Every column but the target, each of which needs a name.
    fn all_but(&self, target: &str) -> Result<Vec<String>, DataError> {
        match self.names.iter().position(String::is_empty) {
            Some(k) => Err(DataError::UnnamedColumn { position: k + 1 }),
            None => Ok(self.names.iter().filter(|name| *name != target).cloned().collect()),
        }
    }
}

/// An error that shows names of the header, unless they could be the cells of a record: without a header the
/// first record would pass for one.
fn unless_data(names: &[String], error: DataError) -> DataError {
    if names.iter().any(|name| looks_like_data(name)) { DataError::HeaderMissing } else { error }
}

/// Whether a name could be a cell: a number (`nan` and `inf` are among them), or digits without a letter as in a
/// date or with a decimal comma.
fn looks_like_data(name: &str) -> bool {
    let digits = name.contains(|c: char| c.is_ascii_digit()) && !name.contains(char::is_alphabetic);
    digits || name.parse::<f64>().is_ok()
}

/// The rows of a file, one at a time.
pub(super) struct Rows<R> {
    fields: Fields<R>,
    names: Vec<String>,
    /// For each column of the file its place in `row`, if it has one.
    slots: Vec<Option<usize>>,
    /// For each place in `row` what stands for a cell that is no finite number.
    missing: Vec<Option<f64>>,
    pub(super) row: Vec<f64>,
}

impl<R: Read> Rows<R> {
    /// Reads the next row into `row` and returns its line; `None` at the end of the file.
    pub(super) fn advance(&mut self) -> Result<Option<u64>, DataError> {
        let mut start = None;
        let mut bad_cell = None;
        let mut found = 0;
        while let Some(field) = self.fields.advance()? {
            start = start.or(Some(field.line));
            if let Some(&Some(slot)) = self.slots.get(found) {
                match parse_number(self.fields.text()).or(self.missing[slot]) {
                    Some(number) => self.row[slot] = number,
                    None => bad_cell = bad_cell.or(Some((field.line, found))),
                }
            }
            found += 1;
            if field.last {
                break;
            }
        }
        let expected = self.names.len();
        match (start, bad_cell) {
            // First of all the shape: in a ragged row the cells stand below wrong names.
            (Some(line), _) if found != expected => Err(DataError::Ragged { line, expected, found }),
            (_, Some((line, k))) => Err(DataError::NotANumber { line, column: shown(&self.names[k]) }),
            (start, None) => Ok(start),
        }
    }
}
