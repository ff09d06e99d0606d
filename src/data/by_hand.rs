//! Files with known cells are read as the table of `own:schema` says, cell by cell, whatever quotes, blanks, line ends
//! and alphabets they use. Nothing here uses the reader or the encoder.

use super::{Bounds, Csv, CsvOptions, DataError, OutOfBounds, Place, Refusal, read_schema};
use crate::loss::Squared;
use quickcheck::{Arbitrary, Gen, QuickCheck};

const SCHEMA: &str = r#"
missing_marks = ["", "?", "NA", "-999"]
target = { name = 'y', range = [0, 8], missing = 3 }
columns.a = [0, 100]
columns.b = { range = [-5, 5], missing = 1, scale = '[0,1]' }
columns.c = { range = [0, 1000], log = true, missing = 7 }
columns.colour = ['grün', 'rot', 'blau', 'gruen']
columns.size = { levels = ['x', 'xx', '12345678', '123456789', '12345678x'], other = 'x', missing = 'xx' }
columns.note = { levels = ['a, b', 'say "a"', 'two words'], other = 'two words' }
columns.nothing = { ignore = true }
"#;

const NAMES: [&str; 8] = ["a", "b", "c", "colour", "size", "note", "nothing", "y"];
const NUMBERS: [&str; 12] =
    ["0", "7", "-3.25", "99.5", "1e2", "+4", "123456789012345678901", ".5", "2.", "1e-3", "1000", "-0.0"];
const ODD: [&str; 10] = ["", "?", "NA", "-999", "nan", "inf", "1,5", "abc", "1e400", "1 2"];

/// What stands in a cell of each column, mostly.
fn cells_of(column: usize) -> &'static [&'static str] {
    match column {
        3 => &["grün", "rot", "blau", "gruen", "gelb", "Grün", "日本", "?", ""],
        4 => &["x", "xx", "xxx", "12345678", "123456789", "12345678x", "x2345678", "NA", ""],
        5 => &["a, b", "say \"a\"", "two words", "of two\nlines", "a", "\"", "-999"],
        6 => &["anything", "é;,", "", "1"],
        _ => &NUMBERS,
    }
}

/// The cells of a file, each with its line, and the text in which they are written.
#[derive(Clone, Debug)]
struct File {
    rows: Vec<Vec<(u64, String)>>,
    text: String,
}

impl Arbitrary for File {
    fn arbitrary(g: &mut Gen) -> Self {
        let separator = *g.choose(&[',', ';', '\t']).unwrap();
        let end = *g.choose(&["\n", "\r\n", "\r"]).unwrap();
        let (odd, quotes) = (bool::arbitrary(g), bool::arbitrary(g));
        let mut text = NAMES.join(&separator.to_string()) + end;
        let (mut line, mut rows) = (2, Vec::new());
        for _ in 0..usize::arbitrary(g) % 30 {
            let ragged = odd && u8::arbitrary(g).is_multiple_of(80);
            let width = if ragged { *g.choose(&[1, 7, 9]).unwrap() } else { 8 };
            let mut row = Vec::new();
            for column in 0..width {
                let strange = odd && u8::arbitrary(g).is_multiple_of(40);
                let kept = if strange { g.choose(&ODD) } else { g.choose(cells_of(column)) }.unwrap();
                let mut blanks = || *g.choose(&["", "", "", " ", "  ", "\u{c}"]).unwrap();
                let cell = format!("{}{kept}{}", blanks(), blanks());
                let special = cell.contains([separator, '"', '\n']);
                // A row of one empty cell would be a blank line.
                let quoted = special || width == 1 || quotes && u8::arbitrary(g).is_multiple_of(4);
                if column > 0 {
                    text.push(separator);
                }
                text += &if quoted { format!("\"{}\"", cell.replace('"', "\"\"")) } else { cell.clone() };
                row.push((line, cell.clone()));
                line += cell.matches('\n').count() as u64;
            }
            let ends = *g.choose(&[1, 1, 1, 1, 2]).unwrap();
            text += &end.repeat(ends);
            line += ends as u64;
            rows.push(row);
        }
        Self { rows, text }
    }
}

/// The cell without the blanks around it; `None` if it is missing.
fn kept(cell: &str) -> Option<&str> {
    let cell = cell.trim_matches([' ', '\t', '\n', '\r', '\u{c}']);
    (!["", "?", "NA", "-999"].contains(&cell)).then_some(cell)
}

fn number(cell: &str, missing: Option<f64>, [low, high]: [f64; 2]) -> Result<f64, Refusal> {
    let number = match kept(cell) {
        Some(cell) => cell.parse().ok().filter(|x: &f64| x.is_finite()).ok_or(Refusal::NotANumber)?,
        None => missing.ok_or(Refusal::Missing)?,
    };
    Ok(if number < low {
        low
    } else if number > high {
        high
    } else {
        number
    })
}

/// One 1 or none.
fn level(cell: &str, levels: &[&str], [other, missing]: [Option<usize>; 2]) -> Vec<f64> {
    let place = match kept(cell) {
        Some(cell) => levels.iter().position(|level| *level == cell).or(other),
        None => missing,
    };
    (0..levels.len()).map(|k| f64::from(u8::from(Some(k) == place))).collect()
}

/// The numbers of a row, the target last; or the column that is refused, and why.
fn by_hand(row: &[(u64, String)]) -> Result<Vec<f64>, (usize, Refusal)> {
    let at = |k: usize| row[k].1.as_str();
    let read = |k, missing, range| number(at(k), missing, range).map_err(|why| (k, why));
    let a = read(0, None, [0.0, 100.0])? / 100.0 * 2.0 - 1.0;
    let b = (read(1, Some(1.0), [-5.0, 5.0])? + 5.0) / 10.0;
    let c = libm::log1p(read(2, Some(7.0), [0.0, 1000.0])?) / libm::log1p(1000.0) * 2.0 - 1.0;
    let colour = level(at(3), &["grün", "rot", "blau", "gruen"], [None; 2]);
    let size = level(at(4), &["x", "xx", "12345678", "123456789", "12345678x"], [Some(0), Some(1)]);
    let note = level(at(5), &["a, b", "say \"a\"", "two words"], [Some(2); 2]);
    let y = read(7, Some(3.0), [0.0, 8.0])? / 8.0 * 2.0 - 1.0;
    Ok([vec![a, b, c], colour, size, note, vec![y]].concat())
}

fn expected(rows: &[Vec<(u64, String)>]) -> Result<(Vec<f64>, Vec<f64>), DataError> {
    let (mut features, mut targets) = (Vec::new(), Vec::new());
    for row in rows {
        if row.len() != NAMES.len() {
            return Err(DataError::Ragged { line: row[0].0, expected: NAMES.len(), found: row.len() });
        }
        let numbers = by_hand(row).map_err(|(k, why)| DataError::Cell {
            at: Place::Line(row[k].0),
            column: NAMES[k].to_owned(),
            why,
        })?;
        features.extend_from_slice(&numbers[..15]);
        targets.push(numbers[15]);
    }
    Ok((features, targets))
}

/// The same numbers, bit for bit, or the same refusal on the same line. Meant to see, not tried yet: a level that is
/// found by its hash alone, a blank that is no blank before a quote, a mark that is looked for after a number, the line
/// of a row for that of a cell, a quote that does not end the reading in pieces.
#[test]
fn cells_are_read_as_the_table_says() {
    fn property(File { rows, text }: File) -> bool {
        let schema = read_schema(SCHEMA).unwrap();
        let bounds = Bounds::of_schema(&schema).unwrap();
        let csv = Csv::open(text.as_bytes(), &CsvOptions::of_schema(schema), Squared).unwrap();
        let found = csv
            .records(bounds, OutOfBounds::Clip)
            .map(|(records, _)| (records.features().to_vec(), records.targets().to_vec()));
        let bits = |(features, targets): &(Vec<f64>, Vec<f64>)| -> Vec<u64> {
            features.iter().chain(targets).map(|x| x.to_bits()).collect()
        };
        found.as_ref().map(bits) == expected(&rows).as_ref().map(bits)
    }
    QuickCheck::new().tests(5000).quickcheck(property as fn(File) -> bool);
}
