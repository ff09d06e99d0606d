//! Rows of a CSV file as they stand, to be handed on. spec: `own:split`

use super::DataError;
use super::csv::Table;
use std::io::{Chain, Cursor, Read};

/// The rows of a CSV file, each as the texts of its cells without quotes and without the blanks around them.
/// spec: `own:split`
pub struct WholeRows<R> {
    table: Table<Chain<Cursor<Vec<u8>>, R>>,
    line: u64,
}

impl<R: Read> WholeRows<R> {
    /// Reads the header.
    pub fn open(reader: R, separator: Option<u8>) -> Result<Self, DataError> {
        Table::open(reader, separator).map(|table| Self { table, line: 0 })
    }

    /// The names of the columns.
    pub fn names(&self) -> &[String] {
        self.table.header.names()
    }

    /// What separates the cells.
    pub fn separator(&self) -> u8 {
        self.table.fields.separator()
    }

    /// The line on which the row read last begins.
    pub fn line(&self) -> u64 {
        self.line
    }

    /// The next row; `None` at the end of the file.
    pub fn advance(&mut self) -> Result<Option<Vec<String>>, DataError> {
        let fields = &mut self.table.fields;
        let mut row = Vec::new();
        while let Some(field) = fields.advance()? {
            if row.is_empty() {
                self.line = field.line;
            }
            // Nothing is lost: a field that is not UTF-8 has been refused.
            row.push(String::from_utf8_lossy(fields.text().trim_ascii()).into_owned());
            if field.last {
                break;
            }
        }
        let (expected, found) = (self.table.header.names().len(), row.len());
        match found {
            0 => Ok(None),
            _ if found == expected => Ok(Some(row)),
            _ => Err(DataError::Ragged { line: self.line, expected, found }),
        }
    }
}

/// A row as a line of CSV, from which the same texts are read again.
pub fn csv_line<'a>(cells: impl IntoIterator<Item = &'a String>, separator: u8) -> String {
    let special = |c: char| c == char::from(separator) || matches!(c, '"' | '\n' | '\r');
    let cell = |text: &String| {
        // A byte order mark is one at the beginning of a file only, but where this line will stand is not known.
        if text.contains(special) || text.starts_with('\u{feff}') {
            format!("\"{}\"", text.replace('"', "\"\""))
        } else {
            text.clone()
        }
    };
    let cells: Vec<String> = cells.into_iter().map(cell).collect();
    match &cells[..] {
        // A line without anything in it is no row.
        [only] if only.is_empty() => "\"\"\n".to_owned(),
        _ => cells.join(&char::from(separator).to_string()) + "\n",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use quickcheck::quickcheck;

    fn rows(text: &str, separator: u8) -> Result<Vec<Vec<String>>, DataError> {
        let mut rows = WholeRows::open(text.as_bytes(), Some(separator))?;
        let mut found = vec![rows.names().to_vec()];
        while let Some(row) = rows.advance()? {
            found.push(row);
        }
        Ok(found)
    }

    #[test]
    fn rows_are_read_as_they_stand_or_refused() {
        assert_eq!(
            rows("a; b\n1;\"x;\"\"y\"\n\n ;2\n", b';').unwrap(),
            [["a", "b"], ["1", "x;\"y"], ["", "2"]]
        );
        let ragged = DataError::Ragged { line: 3, expected: 2, found: 1 };
        assert_eq!(rows("a,b\n1,2\n3\n", b',').unwrap_err(), ragged);
    }

    quickcheck! {
        fn what_is_written_is_read_again(table: Vec<(String, String)>, tabs: bool) -> bool {
            let separator = if tabs { b'\t' } else { b',' };
            let trimmed = |text: String| text.trim_ascii().to_owned();
            let table: Vec<Vec<String>> = [("a".to_owned(), "b".to_owned())]
                .into_iter()
                .chain(table)
                .map(|(a, b)| vec![trimmed(a), trimmed(b)])
                .collect();
            let text: String = table.iter().map(|row| csv_line(row, separator)).collect();
            rows(&text, separator) == Ok(table)
        }
    }

    #[test]
    fn a_row_of_one_empty_cell_is_a_row() {
        let text = csv_line(&["a".to_owned()], b',') + &csv_line(&[String::new()], b',');
        assert_eq!(rows(&text, b',').unwrap(), [["a"], [""]]);
    }
}
