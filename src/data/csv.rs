//! Records from CSV files.
//!
//! The first line names the columns; LF, CR LF and CR end a line; blank lines are skipped; quotes enclose whole
//! fields. A public [`Schema`] says what the columns are and what becomes of their cells; without one every cell of a
//! column that is used must be a finite number. Rows are clipped or refused as they arrive, so the memory needed is
//! that of the dense matrix. An error says where, never what.

use super::encode::Encoder;
use super::error::{shown, shown_list};
use super::fields::{Fields, may_separate, places, sniff_separator};
use super::pieces::read_into;
use super::{Bounds, DataError, FirstRows, Gate, Intake, OutOfBounds, PersonColumn, Place, Records, Schema};
use crate::loss::{Loss, Targets};
use asap_contracts::TargetKind;
use std::collections::{HashMap, HashSet};
use std::fs::File;
use std::io::{Chain, Cursor, Read};
use std::path::Path;
use std::sync::Arc;

/// How to read a CSV file.
#[derive(Clone, Debug, PartialEq)]
pub struct CsvOptions {
    /// The columns.
    pub columns: Wanted,
    /// What separates fields; `None` to take the most frequent of `,` `;` tab `|` in the header.
    pub separator: Option<u8>,
}

/// Which columns of a file are read, and how.
#[derive(Clone, Debug, PartialEq)]
pub enum Wanted {
    /// Finite numbers, taken as they are.
    Numbers {
        /// The column to be predicted.
        target: String,
        /// The columns to predict from, in this order; `None` for all other columns, in the file's order.
        features: Option<Vec<String>>,
        /// The column that says whom a row is about, and how many rows of a person are taken; `None` where every
        /// record counts by itself.
        person: Option<PersonColumn>,
    },
    /// Every column of the file, as a schema says.
    Schema(Schema),
}

impl CsvOptions {
    /// Predict `target` from all other columns, which are numbers; guess the separator.
    pub fn new(target: impl Into<String>) -> Self {
        Self {
            columns: Wanted::Numbers { target: target.into(), features: None, person: None },
            separator: None,
        }
    }

    /// Predict `target` from these columns, which are numbers.
    pub fn of_numbers(target: impl Into<String>, features: Vec<String>) -> Self {
        let columns = Wanted::Numbers { target: target.into(), features: Some(features), person: None };
        Self { columns, separator: None }
    }

    /// Every column as a schema says.
    pub fn of_schema(schema: Schema) -> Self {
        Self { columns: Wanted::Schema(schema), separator: None }
    }
}

/// Reads the records of a CSV file.
///
/// ```
/// use asap_dp::data::{Bounds, CsvOptions, DataError, OutOfBounds, Place, Refusal, read_csv};
/// use asap_dp::loss::Logistic;
/// let read = |text: &str| {
///     let (options, bounds) = (CsvOptions::new("ill"), Bounds::new(2.0).unwrap());
///     read_csv(text.as_bytes(), &options, Logistic, bounds, OutOfBounds::Clip)
/// };
/// let (records, columns) = read("age; dose; ill\n0.4; 1.5; 1\n0.7; 3e2; 0\n")?;
/// assert_eq!(records.dimension(), 2);
/// assert_eq!(columns.parameter_names(), ["age", "dose"]);
/// let error = read("age,dose,ill\n0.4,1.5,yes\n").unwrap_err();
/// let why = Refusal::NotANumber;
/// assert_eq!(error, DataError::Cell { at: Place::Line(2), column: "ill".into(), why });
/// # Ok::<(), DataError>(())
/// ```
pub fn read_csv<L: Loss>(
    reader: impl Read,
    options: &CsvOptions,
    loss: L,
    bounds: Bounds,
    policy: OutOfBounds,
) -> Result<(Records<L>, Schema), DataError> {
    Csv::open(reader, options, loss)?.records(bounds, policy)
}

/// A CSV file whose header is read, and nothing else: what is public about it is known, so
/// that bounds can be chosen.
///
/// ```
/// use asap_dp::{Bounds, Logistic, OutOfBounds};
/// use asap_dp::data::{Csv, CsvOptions, read_schema};
/// let schema = read_schema("target = { name = 'good', classes = ['no', 'yes'] }\ncolumns.alcohol = [8, 15]")?;
/// let csv = Csv::open("alcohol,good\n11.5,yes\n90,no\n".as_bytes(), &CsvOptions::of_schema(schema), Logistic)?;
/// let bounds = Bounds::of_schema(csv.columns())?;
/// let (records, columns) = csv.records(bounds, OutOfBounds::Clip)?;
/// assert_eq!((records.dimension(), columns.parameter_names()), (1, vec!["alcohol".to_owned()]));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Csv<R, L> {
    table: Table<Chain<Cursor<Vec<u8>>, R>>,
    columns: Schema,
    loss: L,
}

impl<R: Read, L: Loss> Csv<R, L> {
    /// Reads the header.
    pub fn open(reader: R, options: &CsvOptions, loss: L) -> Result<Self, DataError> {
        let table = Table::open(reader, options.separator)?;
        let columns = table.header.columns(options, loss.targets())?;
        Ok(Self { table, columns, loss })
    }

    /// What the columns are.
    pub fn columns(&self) -> &Schema {
        &self.columns
    }

    /// Reads the records.
    pub fn records(self, bounds: Bounds, policy: OutOfBounds) -> Result<(Records<L>, Schema), DataError> {
        let Self { table, columns, loss } = self;
        let mut intake = Intake::new(Gate::of_table(loss, bounds, policy, &columns)?);
        read_into(table.records(&columns, policy)?, &mut intake)?;
        Ok((intake.finish(), columns))
    }

    /// The rows, one at a time.
    #[cfg(test)]
    pub(super) fn rows(self, policy: OutOfBounds) -> Result<Rows<impl Read>, DataError> {
        self.table.records(&self.columns, policy)
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
    while reader.read(&mut byte).map_err(DataError::unreadable)? == 1 {
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
) -> Result<(Records<L>, Schema), DataError> {
    read_csv(File::open(path).map_err(DataError::unreadable)?, options, loss, bounds, policy)
}

/// Reads what a prediction needs: the features of a schema, as a row-major matrix of the numbers that they become.
///
/// Cells that are missing and texts that are no level become what they become in a fit. No intercept is appended and no
/// target is read. Columns that the schema does not know are not looked at, unless it knows names only: then nothing
/// says whether the file is of the same kind, and another column is refused. The numbers are the caller's own, not
/// records of a fit: they come back in the open.
pub fn read_features(
    reader: impl Read,
    schema: &Schema,
    separator: Option<u8>,
) -> Result<Vec<f64>, DataError> {
    if !(1..=Bounds::MAX_DIMENSION).contains(&schema.parameters()) {
        return Err(DataError::Columns);
    }
    let table = Table::open(reader, separator)?;
    if schema.has_plain() {
        table.header.has_no_other_column(schema)?;
    }
    let mut rows = table.rows(schema, false, false)?;
    let mut matrix = Vec::new();
    while rows.advance()?.is_some() {
        matrix.extend_from_slice(&rows.row);
    }
    Ok(matrix)
}

/// What some programs write before everything else.
const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// A file whose header is read, and nothing else.
pub(super) struct Table<R> {
    pub(super) fields: Fields<R>,
    pub(super) header: Header,
}

impl<R: Read> Table<Chain<Cursor<Vec<u8>>, R>> {
    /// Skips the byte order mark, finds the separator, reads the header.
    pub(super) fn open(mut reader: R, separator: Option<u8>) -> Result<Self, DataError> {
        // Enough of the header to see what separates its fields.
        const START: u64 = 1 << 16;
        let mut start = Vec::new();
        reader.by_ref().take(START).read_to_end(&mut start).map_err(DataError::unreadable)?;
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
    /// The rows of a fit.
    pub(super) fn records(self, schema: &Schema, policy: OutOfBounds) -> Result<Rows<R>, DataError> {
        self.rows(schema, true, policy == OutOfBounds::Refuse)
    }

    /// The rows as a schema says, with their targets if these are wanted.
    fn rows(self, schema: &Schema, with_target: bool, refuse: bool) -> Result<Rows<R>, DataError> {
        let Header { names, positions } = self.header;
        let mut uses = vec![Use::Nothing; names.len()];
        let features =
            schema.features.iter().enumerate().map(|(k, feature)| (&feature.name, Use::Feature(k)));
        let person = schema.person.as_ref().filter(|_| with_target);
        let whom = person.map(|person| (&person.name, Use::Person));
        for (name, how) in
            features.chain(with_target.then_some((&schema.target.name, Use::Target))).chain(whom)
        {
            let &position =
                positions.get(name).ok_or_else(|| DataError::UnknownFeature { feature: shown(name) })?;
            if core::mem::replace(&mut uses[position], how) != Use::Nothing {
                return Err(DataError::DuplicateColumn { column: shown(name) });
            }
        }
        // Cannot fail: schemas are checked where they are made.
        let encoder = Encoder::new(schema).map_err(|_| DataError::Columns)?.refusing(refuse);
        let persons = person.map(|person| (FirstRows::new(person.rows), Vec::new()));
        Ok(Rows { persons, ..Rows::new(Arc::new(Columns { names, uses, encoder }), self.fields) })
    }
}

/// The names of the columns.
pub(super) struct Header {
    names: Vec<String>,
    /// The place of each name; columns without a name cannot be asked for.
    positions: HashMap<String, usize>,
}

impl Header {
    pub(super) fn names(&self) -> &[String] {
        &self.names
    }

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
            if let Some(before) = positions.insert(name.clone(), position) {
                let twice = DataError::SameName { first: before + 1, second: position + 1 };
                return Err(unless_data(&names, twice));
            }
        }
        Ok(Self { names, positions })
    }

    /// The columns that the options ask for.
    pub(super) fn columns(&self, options: &CsvOptions, targets: Targets) -> Result<Schema, DataError> {
        match &options.columns {
            Wanted::Schema(schema) => self.of_schema(schema, targets).map(|()| schema.clone()),
            Wanted::Numbers { target, features, person } => {
                if !self.positions.contains_key(target) {
                    return Err(self.no_target(target));
                }
                let whom = person.as_ref().map(|person| &person.name);
                let features = match features {
                    Some(features) if features.contains(target) => {
                        return Err(DataError::TargetIsFeature { target: shown(target) });
                    }
                    Some(features) => features.clone(),
                    None => self.all_but(target, whom)?,
                };
                if let Some(name) = whom {
                    let person = shown(name);
                    if name == target || features.contains(name) {
                        return Err(DataError::PersonIsUsed { person });
                    }
                    if !self.positions.contains_key(name) {
                        return Err(unless_data(&self.names, DataError::UnknownPerson { person }));
                    }
                }
                let plain = Schema { person: person.clone(), ..Schema::plain(features, target) };
                let used: HashSet<&String> = plain.columns().collect();
                let ignored = self.names.iter().filter(|name| !used.contains(name)).cloned().collect();
                Ok(Schema { ignored, ..plain })
            }
        }
    }

    fn no_target(&self, target: &str) -> DataError {
        let available = shown_list(&self.names);
        unless_data(&self.names, DataError::TargetNotFound { target: shown(target), available })
    }

    /// Every column of the file has an entry, and every entry has its column, except for columns that are not read.
    fn of_schema(&self, schema: &Schema, targets: Targets) -> Result<(), DataError> {
        if schema.fault().is_some() {
            return Err(DataError::Columns);
        }
        match (&schema.target.kind, targets) {
            (TargetKind::Range(_), Targets::Classes)
            | (TargetKind::Threshold(_) | TargetKind::Classes(_), Targets::Numbers) => {
                return Err(DataError::TargetOfAnotherKind);
            }
            _ => {}
        }
        let known: HashSet<&String> = schema.columns().collect();
        if !self.names.iter().any(|name| known.contains(name)) {
            // Perhaps these are no names, but the cells of a record.
            return Err(DataError::HeaderMissing);
        }
        if !self.positions.contains_key(&schema.target.name) {
            return Err(self.no_target(&schema.target.name));
        }
        if let Some(person) = schema.person.as_ref().filter(|it| !self.positions.contains_key(&it.name)) {
            return Err(DataError::UnknownPerson { person: shown(&person.name) });
        }
        self.has_no_other_column(schema)
    }

    /// Refuses a column that a schema has no entry for.
    fn has_no_other_column(&self, schema: &Schema) -> Result<(), DataError> {
        let known: HashSet<&String> = schema.columns().collect();
        let other = |name: &&String| !known.contains(name);
        match self.names.iter().find(other) {
            None => Ok(()),
            Some(name) if name.is_empty() => {
                let position = self.names.iter().position(String::is_empty).unwrap_or_default() + 1;
                Err(DataError::UnnamedColumn { position })
            }
            Some(name) => Err(unless_data(&self.names, DataError::NoEntry { column: shown(name) })),
        }
    }

    /// Every column but the target and that of persons, each of which needs a name.
    fn all_but(&self, target: &String, person: Option<&String>) -> Result<Vec<String>, DataError> {
        if let Some(k) = self.names.iter().position(String::is_empty) {
            return Err(DataError::UnnamedColumn { position: k + 1 });
        }
        let others = self.names.iter().filter(|name| *name != target && Some(*name) != person);
        Ok(others.cloned().collect())
    }
}

/// An error about the names of a header, unless they could be the cells of a record: then the
/// header is what is missing.
fn unless_data(names: &[String], error: DataError) -> DataError {
    if names.iter().any(|name| looks_like_data(name)) { DataError::HeaderMissing } else { error }
}

/// Whether a name could be a cell: a number (`nan` and `inf` are among them), or digits without a letter as in a
/// date or with a decimal comma.
fn looks_like_data(name: &str) -> bool {
    let digits = name.contains(|c: char| c.is_ascii_digit()) && !name.contains(char::is_alphabetic);
    digits || name.parse::<f64>().is_ok()
}

/// What a column of the file is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Use {
    Nothing,
    Feature(usize),
    Target,
    Person,
}

/// What the columns of a file become.
pub(super) struct Columns {
    names: Vec<String>,
    /// For each column of the file what it is for.
    uses: Vec<Use>,
    encoder: Encoder,
}

impl Columns {
    /// How many columns the file has.
    pub(super) fn count(&self) -> usize {
        self.uses.len()
    }

    /// How many numbers the features of a row become.
    pub(super) fn parameters(&self) -> usize {
        self.encoder.parameters()
    }

    /// Appends the records of a text that is UTF-8, has no quote and no CR but in CR LF: `width` numbers for each,
    /// zeros behind its features, which `admit` sees with the target. The number of line ends; `None` where something
    /// is wrong with a record, or it was not admitted.
    ///
    /// What [`Rows`] reads of such a text, in fewer steps: a cell ends at the next separator or LF, and the CR of a CR
    /// LF is one of the blanks around it. `ends` is scratch space.
    pub(super) fn read_plain(
        &self,
        (text, separator): (&[u8], u8),
        ends: &mut Vec<usize>,
        (features, width): (&mut Vec<f64>, usize),
        mut admit: impl FnMut(&mut [f64], f64) -> Option<()>,
    ) -> Option<u64> {
        places([separator, b'\n'], text, ends);
        // The last line may have no end.
        ends.extend(text.last().filter(|byte| **byte != b'\n').map(|_| text.len()));
        let (mut ends, mut start, mut lines) = (&ends[..], 0, 0);
        while let Some((first, others)) = ends.split_first() {
            if matches!(text.get(start..*first)?, [] | [b'\r']) && text.get(*first) == Some(&b'\n') {
                // A blank line.
                (ends, start, lines) = (others, first + 1, lines + 1);
                continue;
            }
            let (cell_ends, after) = ends.split_at_checked(self.uses.len())?;
            let (last, others) = cell_ends.split_last()?;
            // Every cell but the last has a separator behind it.
            if others.iter().any(|end| text[*end] != separator) || text.get(*last) == Some(&separator) {
                return None;
            }
            let row = features.len();
            features.resize(row + width, 0.0);
            let row = &mut features[row..];
            let mut target = 0.0;
            for (what, end) in self.uses.iter().zip(cell_ends) {
                let cell = text.get(start..*end)?;
                match *what {
                    Use::Feature(k) => self.encoder.text_over_zeros(k, cell, row).ok()?,
                    Use::Target => target = self.encoder.target_text(cell).ok()?,
                    Use::Nothing => {}
                    Use::Person => return None,
                }
                start = end + 1;
            }
            admit(row, target)?;
            lines += u64::from(*last < text.len());
            ends = after;
        }
        Some(lines)
    }
}

/// The rows of a file, one at a time.
pub(super) struct Rows<R> {
    pub(super) fields: Fields<R>,
    pub(super) columns: Arc<Columns>,
    pub(super) row: Vec<f64>,
    pub(super) target: f64,
    /// Which rows of a person are taken, and whom the last row is about.
    persons: Option<(FirstRows, Vec<u8>)>,
}

impl<R: Read> Rows<R> {
    /// The rows of a file without persons.
    pub(super) fn new(columns: Arc<Columns>, fields: Fields<R>) -> Self {
        Self { fields, row: vec![0.0; columns.encoder.parameters()], columns, target: 0.0, persons: None }
    }

    /// Whether rows are about persons, so that not all of them are taken.
    pub(super) fn has_persons(&self) -> bool {
        self.persons.is_some()
    }

    /// Reads the next row that is taken into `row` and `target` and returns its line; `None` at the end of the file.
    pub(super) fn advance(&mut self) -> Result<Option<u64>, DataError> {
        loop {
            let line = self.any()?;
            let taken = match &mut self.persons {
                Some((first, person)) if line.is_some() => first.takes(person),
                _ => true,
            };
            if taken {
                return Ok(line);
            }
        }
    }

    /// Reads the next row, whether it is taken or not.
    fn any(&mut self) -> Result<Option<u64>, DataError> {
        let Columns { names, uses, encoder } = &*self.columns;
        let mut start = None;
        let mut bad_cell = None;
        let mut found = 0;
        while let Some(field) = self.fields.advance()? {
            start = start.or(Some(field.line));
            let text = self.fields.text();
            let read = match uses.get(found) {
                Some(Use::Feature(k)) => encoder.text(*k, text, &mut self.row),
                Some(Use::Target) => encoder.target_text(text).map(|target| self.target = target),
                Some(Use::Person) => encoder.person(text).map(|text| {
                    if let Some((_, person)) = &mut self.persons {
                        text.clone_into(person);
                    }
                }),
                Some(Use::Nothing) | None => Ok(()),
            };
            if let Err(why) = read {
                bad_cell = bad_cell.or(Some((field.line, found, why)));
            }
            found += 1;
            if field.last {
                break;
            }
        }
        let expected = names.len();
        match (start, bad_cell) {
            // First of all the shape: in a ragged row the cells stand below wrong names.
            (Some(line), _) if found != expected => Err(DataError::Ragged { line, expected, found }),
            (_, Some((line, k, why))) => {
                Err(DataError::Cell { at: Place::Line(line), column: shown(&names[k]), why })
            }
            (start, None) => Ok(start),
        }
    }
}
