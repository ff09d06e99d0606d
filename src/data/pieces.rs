//! The rows of a CSV file in pieces of whole lines, read side by side. spec: `own:csv`
//!
//! Where no quote is in sight a line end ends a record, so that a text can be cut behind every `\n`. Each piece is read
//! by itself, and the pieces are put together in their order. Whatever is out of the ordinary (a quote, a CR alone, a
//! file without `\n`, an error, too many rows) is left to the reader that takes one row after the other, from that
//! piece on: records and errors are those of that reader. Files with persons are left to it as a whole: whether a row
//! is taken depends on earlier ones.

use super::csv::{Columns, Rows};
use super::fields::{Fields, contains};
use super::{DataError, Gate, Intake, Place};
use crate::loss::Loss;
use rayon::prelude::*;
use std::io::{Cursor, Read};

/// Bytes that are read side by side, about: each thread has a piece of them. Threads sleep while more is read, and
/// waking one takes as long as reading hundreds of rows; but all of this needs memory.
#[cfg(not(test))]
const AT_ONCE: usize = 1 << 20;
/// So that short texts have several.
#[cfg(test)]
const AT_ONCE: usize = 32;
/// Fewer bytes where this many numbers might come of them, but never less than [`LEAST_AT_ONCE`]: some tables
/// have thousands of levels.
const MOST_NUMBERS: usize = 1 << 21;
const LEAST_AT_ONCE: usize = 1 << 16;
/// Bytes of a piece that are looked at several times, while they are in the cache.
#[cfg(not(test))]
const BLOCK: usize = 1 << 15;
#[cfg(test)]
const BLOCK: usize = 8;
/// Not more pieces at once, however many threads there are.
const MOST_PIECES: usize = 16;

/// Reads all rows into the records.
pub(super) fn read_into<R: Read, L: Loss>(rows: Rows<R>, intake: &mut Intake<L>) -> Result<(), DataError> {
    if rows.has_persons() {
        return in_a_row(rows, intake);
    }
    let (columns, fields) = (rows.columns, rows.fields);
    let separator = fields.separator();
    let (mut text, mut input, mut line) = fields.rest();
    let threads = rayon::current_num_threads().clamp(1, MOST_PIECES);
    let mut pieces: Vec<Piece> = Vec::new();
    // A cell has one byte or more, the separator.
    let few = MOST_NUMBERS.saturating_mul(columns.count()) / intake.gate().parameters();
    let at_once = AT_ONCE.min(few.max(LEAST_AT_ONCE));
    loop {
        let wanted = at_once.saturating_sub(text.len()).max(1) as u64;
        let ended = (input.by_ref().take(wanted).read_to_end(&mut text).map_err(DataError::unreadable)?
            as u64)
            < wanted;
        line.begin_with(&mut text);
        let behind_last_line = text.iter().rposition(|byte| *byte == b'\n').map_or(0, |k| k + 1);
        let whole = if ended { text.len() } else { behind_last_line };
        let mut done = 0;
        let parts = cut(&text[..whole], whole.div_ceil(threads).max(1));
        pieces.resize_with(parts.len(), Piece::default);
        let (known, gate) = (&columns, intake.gate());
        pieces.par_iter_mut().zip(&parts).for_each(|(piece, part)| piece.read(part, separator, known, gate));
        for (part, piece) in parts.iter().zip(&pieces) {
            let Some(lines) = piece.lines.filter(|_| intake.has_room_for(piece.targets.len())) else {
                break;
            };
            line.number += lines;
            done += part.len();
            intake.append(&piece.features, &piece.targets);
        }
        if done < whole || whole == 0 {
            let rest = Cursor::new(text.split_off(done)).chain(input);
            return in_a_row(Rows::new(columns, Fields::after(line, rest, separator)?), intake);
        }
        if ended {
            return Ok(());
        }
        text.drain(..whole);
    }
}

/// Reads one row after the other.
fn in_a_row<R: Read, L: Loss>(mut rows: Rows<R>, intake: &mut Intake<L>) -> Result<(), DataError> {
    while let Some(line) = rows.advance()? {
        intake.push(&mut rows.row, rows.target, Place::Line(line))?;
    }
    Ok(())
}

/// A text in parts of about this size, each of which but the last ends with a line.
fn cut(text: &[u8], size: usize) -> Vec<&[u8]> {
    let (mut parts, mut left) = (Vec::new(), text);
    while let Some(end) = left.iter().skip(size - 1).position(|byte| *byte == b'\n') {
        let (part, rest) = left.split_at(size + end);
        parts.push(part);
        left = rest;
    }
    if !left.is_empty() {
        parts.push(left);
    }
    parts
}

/// What a piece holds, in order. Its memory is used again for the next one.
#[derive(Default)]
struct Piece {
    features: Vec<f64>,
    targets: Vec<f64>,
    /// Where its cells end.
    ends: Vec<usize>,
    /// `None` where something is wrong with it, which is found again.
    lines: Option<u64>,
}

impl Piece {
    fn read<L: Loss>(&mut self, text: &[u8], separator: u8, columns: &Columns, gate: &Gate<L>) {
        self.features.clear();
        self.targets.clear();
        self.lines = self.lines_of(text, separator, columns, gate);
    }

    /// Adds the records of a text, and says how many lines end in it.
    fn lines_of<L: Loss>(
        &mut self,
        text: &[u8],
        separator: u8,
        columns: &Columns,
        gate: &Gate<L>,
    ) -> Option<u64> {
        // Pieces after this one may be cut within quotes; they do not count.
        let has_either = contains(*b"\"\r", text);
        if has_either && text.contains(&b'"') {
            return None;
        }
        // What separates fields is one byte of its own, so that every field is UTF-8 if the whole is.
        core::str::from_utf8(text).ok()?;
        let ends_line = |after_cr: &[u8]| after_cr.first() == Some(&b'\n');
        if has_either && !text.split(|byte| *byte == b'\r').skip(1).all(ends_line) {
            return None;
        }
        let Self { features, targets, ends, .. } = self;
        let mut admit = |row: &mut [f64], target| {
            let (row, intercept) = row.split_at_mut_checked(columns.parameters())?;
            // The place is not used: an error is found again.
            targets.push(gate.admitted(targets.len(), row, target, Place::Line(0)).ok()?);
            intercept.fill(1.0);
            Some(())
        };
        let width = gate.parameters();
        let read = |block| columns.read_plain((block, separator), ends, (&mut *features, width), &mut admit);
        cut(text, BLOCK).into_iter().map(read).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Bounds, Csv, CsvOptions, OutOfBounds, Records, Schema};
    use super::*;
    use crate::loss::Squared;
    use quickcheck::{Arbitrary, Gen, QuickCheck};

    const SCHEMA: &str =
        "target = { name = 'y', range = [0, 9] }\ncolumns.a = [0, 100]\ncolumns.b = ['u', 'v']";

    /// Rows like real ones, and now and then something that is none.
    #[derive(Clone, Debug)]
    struct File(String);

    impl Arbitrary for File {
        fn arbitrary(g: &mut Gen) -> Self {
            let mut text = "a,b,y".to_owned() + g.choose(&["\n", "\r\n", "\r", "\n\n"]).unwrap();
            let odd = bool::arbitrary(g);
            for k in 0..u32::arbitrary(g) % 60 {
                let cell = if odd && u8::arbitrary(g) % 40 == 0 {
                    *g.choose(&["x", "\"7\"", "7,8", "\"7\n\"", "", "\u{e9}", "\"", "nan"]).unwrap()
                } else {
                    *g.choose(&["7", " 42", "99.5", "-3"]).unwrap()
                };
                let level = g.choose(&["u", "v", "w", "\u{e9}"]).unwrap();
                let end = g.choose(&["\n", "\n", "\n", "\r\n", "\n\n", "\r"]).unwrap();
                text += &format!("{cell},{level},{}{end}", k % 10);
            }
            Self(text)
        }
    }

    type Outcome = Result<(Vec<f64>, Vec<f64>), DataError>;

    fn schema() -> Schema {
        crate::data::read_schema(SCHEMA).unwrap()
    }

    fn outcome(records: Records<Squared>) -> (Vec<f64>, Vec<f64>) {
        (records.features().to_vec(), records.targets().to_vec())
    }

    fn bounds(most: u64) -> Bounds {
        Bounds::of_schema(&schema()).unwrap().with_max_rows(most).unwrap()
    }

    fn in_pieces(text: &str, most: u64) -> Outcome {
        let csv = Csv::open(text.as_bytes(), &CsvOptions::of_schema(schema()), Squared)?;
        csv.records(bounds(most), OutOfBounds::Clip).map(|(records, _)| outcome(records))
    }

    /// Without any piece.
    fn as_a_whole(text: &str, most: u64) -> Outcome {
        let csv = Csv::open(text.as_bytes(), &CsvOptions::of_schema(schema()), Squared)?;
        let mut intake = Intake::new(Gate::new(Squared, bounds(most), OutOfBounds::Clip, 3)?);
        in_a_row(csv.rows(OutOfBounds::Clip)?, &mut intake)?;
        Ok(outcome(intake.finish()))
    }

    /// The same records in the same order, or the same error on the same line.
    #[test]
    fn pieces_are_read_as_the_whole_is() {
        fn property(File(text): File, most: u8) -> bool {
            let most = u64::from(most % 70) + 1;
            in_pieces(&text, most) == as_a_whole(&text, most)
        }
        QuickCheck::new().tests(3000).quickcheck(property as fn(File, u8) -> bool);
    }

    #[test]
    fn errors_have_their_lines_in_late_pieces() {
        let good = "7,u,1\r\n".repeat(50);
        let bad = |line: &str| in_pieces(&format!("a,b,y\r\n{good}{line}\r\n{good}"), 1000).unwrap_err();
        assert!(matches!(bad("x,u,1"), DataError::Cell { at: Place::Line(52), .. }));
        assert!(matches!(bad("7,u"), DataError::Ragged { line: 52, .. }));
        assert!(matches!(bad("7,\"u,1"), DataError::QuoteNotClosed { line: 52 }));
        assert_eq!(in_pieces(&format!("a,b,y\n{good}"), 49), Err(DataError::TooManyRows));
        assert_eq!(in_pieces(&format!("a,b,y\n{good}"), 50).unwrap().1.len(), 50);
        assert_eq!(in_pieces("a,b,y\r", 5), Ok((vec![], vec![])));
    }

    /// Of each person one row is taken, in whatever piece the others would be.
    #[test]
    fn persons_are_known_across_pieces() {
        let schema = format!("person = 'who'\nrows_per_person = 1\n{SCHEMA}");
        let schema = crate::data::read_schema(&schema).unwrap();
        let text = "a,b,y,who\n".to_owned() + &"7,u,1,p\n".repeat(50) + "8,u,2,q\n";
        let bounds = Bounds::of_schema(&schema).unwrap();
        let csv = Csv::open(text.as_bytes(), &CsvOptions::of_schema(schema), Squared).unwrap();
        let (records, _) = csv.records(bounds, OutOfBounds::Clip).unwrap();
        assert_eq!(records.targets().len(), 2);
    }
}
