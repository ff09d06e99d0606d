//! Records from CSV files.
//!
//! The first line names the columns; LF, CR LF and CR end a line; blank lines are skipped; quotes enclose whole
//! fields. Every cell of a column that is used has to be a finite number, unless a public value stands for those that are
//! none ([`Missing`](super::Missing)). A column with a public range ([`Ranges`](super::Ranges)) is scaled to [−1, 1], and a
//! rule ([`PositiveClass`](super::PositiveClass)) turns targets into classes. Rows are clipped or refused as they
//! arrive, so the memory needed is that of the dense matrix. An error says where, never what.

use super::error::{shown, shown_list};
use super::fields::{Fields, may_separate, parse_number, sniff_separator};
use super::{
    Bounds, Columns, DataError, Gate, Intake, Missing, OutOfBounds, Place, PositiveClass, Range, Ranges,
    Records,
};
use crate::loss::{Loss, Targets};
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
    /// What stands for a cell that is no finite number, in the units of the file.
    pub missing: Missing,
    /// Public ranges: such a column is moved into its range and scaled to [−1, 1], then the whole row is held to the feature
    /// bound. One for the target counts where targets are numbers. Columns that are not used may have one as well.
    pub ranges: Ranges,
    /// Which targets are the positive class; `None`: 1 is, and 0 or −1 is the other.
    pub positive: Option<PositiveClass>,
}

impl CsvOptions {
    /// Predict `target` from all other columns; guess the separator.
    pub fn new(target: impl Into<String>) -> Self {
        Self {
            target: target.into(),
            features: None,
            separator: None,
            missing: Missing::refuse(),
            ranges: Ranges::none(),
            positive: None,
        }
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
    Csv::open(reader, options, loss)?.records(bounds, policy)
}

/// A CSV file of which the header is read, and nothing else: what is public about it is known, so that bounds can be chosen.
///
/// ```
/// use asap_dp::{Bounds, Logistic, OutOfBounds};
/// use asap_dp::data::{Csv, CsvOptions, Range};
/// let mut options = CsvOptions::new("good");
/// options.ranges = options.ranges.for_column("alcohol", Range::new(8.0, 15.0)?);
/// let csv = Csv::open("alcohol,good\n11.5,1\n90,0\n".as_bytes(), &options, Logistic)?;
/// let bounds = Bounds::of_unit_features(csv.columns().features.len())?;
/// let (records, columns) = csv.records(bounds, OutOfBounds::Clip)?;
/// assert_eq!((records.dimension(), columns.ranges["alcohol"]), (1, [8.0, 15.0]));
/// # Ok::<(), asap_dp::Error>(())
/// ```
pub struct Csv<R, L> {
    table: Table<Chain<Cursor<Vec<u8>>, R>>,
    columns: Columns,
    loss: L,
}

impl<R: Read, L: Loss> Csv<R, L> {
    /// Reads the header.
    pub fn open(reader: R, options: &CsvOptions, loss: L) -> Result<Self, DataError> {
        let table = Table::open(reader, options.separator)?;
        let columns = table.header.columns(options, loss.targets())?;
        Ok(Self { table, columns, loss })
    }

    /// The columns that are used.
    pub fn columns(&self) -> &Columns {
        &self.columns
    }

    /// Reads the records.
    pub fn records(self, bounds: Bounds, policy: OutOfBounds) -> Result<(Records<L>, Columns), DataError> {
        let Self { table, columns, loss } = self;
        let mut intake = Intake::new(Gate::new(loss, bounds, policy, columns.features.len())?);
        let mut rows = table.records(&columns, policy)?;
        while let Some(line) = rows.advance()? {
            if let Some((target, features)) = rows.row.split_last_mut() {
                intake.push(features, *target, Place::Line(line))?;
            }
        }
        Ok((intake.finish(), columns))
    }
}

/// The longest header that is read by itself.
pub(super) const LONGEST_HEADER: usize = 1 << 24;

/// The names of a CSV file's columns, and nothing else: not a byte after the end of the header line is read.
///
/// ```
/// use asap_dp::data::{DataError, read_header};
/// assert_eq!(read_header("age;\"dose; mg\"\n\u{0}\"".as_bytes(), None)?, ["age", "dose; mg"]);
/// # Ok::<(), DataError>(())
/// ```
pub fn read_header(mut reader: impl Read, separator: Option<u8>) -> Result<Vec<String>, DataError> {
    let (mut line, mut byte) = (Vec::new(), [0]);
    let (mut quoted, mut begun) = (false, false);
    // One byte at a time: a larger piece could hold some of a record.
    while reader.read(&mut byte)? == 1 {
        let [found] = byte;
        // A quote inside of a bare field opens nothing: it is refused below, and the line ends where it ends.
        let opens = line.last().is_none_or(|before| !begun || *before == b'"' || may_separate(*before));
        quoted ^= found == b'"' && (quoted || opens);
        let ends = matches!(found, b'\n' | b'\r') && !quoted;
        if ends && begun {
            break;
        }
        let marks = BYTE_ORDER_MARK.get(line.len()) == Some(&found) && BYTE_ORDER_MARK.starts_with(&line);
        begun |= !ends && !marks;
        line.push(found);
        if line.len() > LONGEST_HEADER {
            return Err(DataError::HeaderTooLong);
        }
    }
    Ok(Table::open(&line[..], separator)?.header.names)
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
/// They come in the units of the file: [`Release::predict`](crate::Release::predict) scales and clips them. No intercept is
/// appended and no target is read. The numbers are the caller's own, not records of a fit: they come back in the open.
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
    let as_it_is = |name: &String| Cell { missing: missing.get(name).copied(), ..Cell::default() };
    let mut rows =
        Table::open(reader, separator)?.rows(features.iter().map(|name| (name, as_it_is(name))))?;
    let mut matrix = Vec::new();
    while rows.advance()?.is_some() {
        matrix.extend_from_slice(&rows.row);
    }
    Ok(matrix)
}

/// What some programs write before everything else.
const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

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
    /// The rows of a fit: features, and last the target, scaled and turned into classes as the columns say.
    pub(super) fn records(self, columns: &Columns, policy: OutOfBounds) -> Result<Rows<R>, DataError> {
        let Columns { features, target, missing, positive, .. } = columns;
        // Neither can fail: both were made of valid ones.
        let ranges = Ranges::recorded(columns).map_err(|_| DataError::Columns)?;
        let positive =
            positive.clone().map(PositiveClass::new).transpose().map_err(|_| DataError::Columns)?;
        let cell = |name: &String| Cell {
            missing: missing.get(name).copied(),
            range: ranges.of(name),
            refuse: policy == OutOfBounds::Refuse,
            positive: None,
        };
        let last = (target, Cell { positive, ..cell(target) });
        self.rows(features.iter().map(|name| (name, cell(name))).chain([last]))
    }

    /// The rows, restricted to the `wanted` columns in their order, with how their cells become numbers.
    fn rows<'a>(self, wanted: impl IntoIterator<Item = (&'a String, Cell)>) -> Result<Rows<R>, DataError> {
        let Header { names, positions } = self.header;
        let mut slots = vec![None; names.len()];
        let mut cells = Vec::new();
        for (slot, (name, cell)) in wanted.into_iter().enumerate() {
            let &position =
                positions.get(name).ok_or_else(|| DataError::UnknownFeature { feature: shown(name) })?;
            if slots[position].replace(slot).is_some() {
                return Err(DataError::DuplicateColumn { column: shown(name) });
            }
            cells.push(cell);
        }
        Ok(Rows { fields: self.fields, names, slots, row: vec![0.0; cells.len()], cells })
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
    pub(super) fn columns(&self, options: &CsvOptions, targets: Targets) -> Result<Columns, DataError> {
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
        let positive = match (&options.positive, targets) {
            (Some(_), Targets::Numbers) => return Err(DataError::NoClasses),
            (rule, _) => rule.as_ref().map(PositiveClass::recorded),
        };
        let is_column = |name: &str| self.positions.contains_key(name);
        // Classes are not scaled.
        let number = (targets == Targets::Numbers).then_some(target);
        let ranges = options.ranges.resolved(is_column, features.iter().chain(number))?;
        Ok(Columns { features, target: target.clone(), missing, ranges, positive })
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

/// How a cell of one column becomes a number. It looks at this one cell only.
#[derive(Clone, Debug, Default)]
struct Cell {
    /// What stands for one that is no finite number.
    missing: Option<f64>,
    /// The public range that it is scaled by.
    range: Option<Range>,
    /// Whether one outside of the range is refused, not moved into it.
    refuse: bool,
    /// The rule that turns it into a class.
    positive: Option<PositiveClass>,
}

/// Why a cell does not become a number.
enum NoNumber {
    NotANumber,
    OutOfRange,
    NothingToJudge,
}

impl Cell {
    fn number(&self, text: &[u8]) -> Result<f64, NoNumber> {
        if let Some(rule) = &self.positive {
            let judged = rule.of_cell(text).or_else(|| self.missing.map(|value| rule.of_number(value)));
            return judged.map(|yes| if yes { 1.0 } else { -1.0 }).ok_or(NoNumber::NothingToJudge);
        }
        let number = parse_number(text).or(self.missing).ok_or(NoNumber::NotANumber)?;
        match self.range {
            Some(range) if self.refuse && !range.contains(number) => Err(NoNumber::OutOfRange),
            Some(range) => Ok(range.scaled(number)),
            None => Ok(number),
        }
    }
}

/// The rows of a file, one at a time.
pub(super) struct Rows<R> {
    fields: Fields<R>,
    names: Vec<String>,
    /// For each column of the file its place in `row`, if it has one.
    slots: Vec<Option<usize>>,
    /// For each place in `row` how a cell becomes a number.
    cells: Vec<Cell>,
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
                match self.cells[slot].number(self.fields.text()) {
                    Ok(number) => self.row[slot] = number,
                    Err(why) => bad_cell = bad_cell.or(Some((field.line, found, why))),
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
            (_, Some((line, k, why))) => {
                let column = shown(&self.names[k]);
                Err(match why {
                    NoNumber::NotANumber => DataError::NotANumber { line, column },
                    NoNumber::OutOfRange => DataError::OutOfRange { line, column },
                    NoNumber::NothingToJudge => DataError::NothingToJudge { line, column },
                })
            }
            (start, None) => Ok(start),
        }
    }
}
