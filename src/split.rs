//! Rows to learn from and rows to score with: a keyed hash of each row, or of the person it is about, decides.
//!
//! A row is a test row if the first 64 bits of HMAC-SHA-256(key, row), read as a fraction of 1, are below the wanted
//! part. Only the row and the key decide, so adding or removing a row moves no other. spec: `own:split`

use crate::data::{DataError, FirstRows, Place, Refusal, WholeRows, csv_line};
use crate::input::InvalidInput;
use sha2::{Digest, Sha256};
use std::collections::HashSet;
use std::io::Read;

/// On which side a row is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// To learn from.
    Train,
    /// To score with.
    Test,
}

/// How rows are divided. spec: `own:split`
///
/// ```
/// use asap_dp::split::{Side, Split};
/// let split = Split::new(0.2, b"a public key")?;
/// let tested = (0..10_000).filter(|k| split.side([format!("row {k}")]) == Side::Test).count();
/// assert!((1_900..2_100).contains(&tested));
/// # Ok::<(), asap_dp::InvalidInput>(())
/// ```
#[derive(Clone, Debug)]
pub struct Split {
    /// A hash below is one of a row to score with.
    below: u64,
    inner: Sha256,
    outer: Sha256,
}

/// A file in two parts, each with the header.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Divided {
    /// The rows to learn from.
    pub train: String,
    /// The rows to score with.
    pub test: String,
}

impl Split {
    /// For a part of the rows, more than 0 and less than 1, and a key. A reader who knows the key can tell the side of
    /// a row that is known to be there; nothing more.
    pub fn new(test: f64, key: &[u8]) -> Result<Self, InvalidInput> {
        if !(test > 0.0 && test < 1.0) {
            return Err(InvalidInput { field: "test", allowed: "a number greater than 0 and less than 1" });
        }
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "between 0 and 2^64")]
        let below = (test * 18_446_744_073_709_551_616.0) as u64;
        // RFC 2104: a key longer than a block is hashed first.
        let mut block = [0_u8; 64];
        let hashed = Sha256::digest(key);
        let short: &[u8] = if key.len() > block.len() { &hashed } else { key };
        block.iter_mut().zip(short).for_each(|(place, byte)| *place = *byte);
        Ok(Self {
            below,
            inner: Sha256::new_with_prefix(block.map(|byte| byte ^ 0x36)),
            outer: Sha256::new_with_prefix(block.map(|byte| byte ^ 0x5c)),
        })
    }

    fn hmac<'a>(&self, pieces: impl IntoIterator<Item = &'a [u8]>) -> [u8; 32] {
        let mut inner = self.inner.clone();
        pieces.into_iter().for_each(|piece| inner.update(piece));
        self.outer.clone().chain_update(inner.finalize()).finalize().into()
    }

    /// The side of a row with these cells, or of a person. Each cell comes with its length: no two rows look alike.
    pub fn side<T: AsRef<[u8]>>(&self, cells: impl IntoIterator<Item = T>) -> Side {
        let mut text = Vec::new();
        for cell in cells {
            let cell = cell.as_ref();
            text.extend_from_slice(&(cell.len() as u64).to_be_bytes());
            text.extend_from_slice(cell);
        }
        let [a, b, c, d, e, f, g, h, ..] = self.hmac([&text[..]]);
        let hash = u64::from_be_bytes([a, b, c, d, e, f, g, h]);
        if hash < self.below { Side::Test } else { Side::Train }
    }

    /// Divides a CSV file by its rows, or by the persons in one of its columns.
    pub fn divide(
        &self,
        reader: impl Read,
        separator: Option<u8>,
        person: Option<&str>,
    ) -> Result<Divided, DataError> {
        let mut rows = WholeRows::open(reader, separator)?;
        let place = person.map(|name| place_of(&rows, name)).transpose()?;
        let separator = rows.separator();
        let header = csv_line(rows.names(), separator);
        let mut divided = Divided { train: header.clone(), test: header };
        while let Some(row) = rows.advance()? {
            let side = match place {
                Some(place) => self.side(row.get(place)),
                None => self.side(&row),
            };
            let part = match side {
                Side::Train => &mut divided.train,
                Side::Test => &mut divided.test,
            };
            part.push_str(&csv_line(&row, separator));
        }
        Ok(divided)
    }
}

fn place_of<R: Read>(rows: &WholeRows<R>, name: &str) -> Result<usize, DataError> {
    let found = rows.names().iter().position(|column| column == name);
    found.ok_or_else(|| DataError::UnknownFeature { feature: name.to_owned() })
}

/// A CSV file with the first rows of each person only, so many of them at most, and what separates its cells.
/// spec: `own:split`
///
/// Which rows stay depends on the rows of the same person only. Every row keeps the number of its
/// line: others are left blank.
pub fn first_rows(
    reader: impl Read,
    separator: Option<u8>,
    person: &str,
    most: u64,
    marks: &[String],
) -> Result<(String, u8), DataError> {
    let mut rows = WholeRows::open(reader, separator)?;
    let (place, separator) = (place_of(&rows, person)?, rows.separator());
    let mut first = FirstRows::new(most);
    let mut text = csv_line(rows.names(), separator);
    let mut line = text.lines().count() as u64;
    while let Some(row) = rows.advance()? {
        let somebody = |cell: &&String| !cell.is_empty() && !marks.contains(cell);
        let whom = row.get(place).filter(somebody).ok_or_else(|| DataError::Cell {
            at: Place::Line(rows.line()),
            column: person.to_owned(),
            why: Refusal::Nobody,
        })?;
        if first.takes(whom.as_bytes()) {
            while line + 1 < rows.line() {
                text.push('\n');
                line += 1;
            }
            let one = csv_line(&row, separator);
            line += one.lines().count() as u64;
            text.push_str(&one);
        }
    }
    Ok((text, separator))
}

/// Whether a row of one CSV file is a row of another, cell for cell. The order of the columns does not matter, nor do
/// columns that only one of the files has; without a column in common nothing is said.
pub fn has_rows_of(reader: impl Read, other: impl Read, separator: Option<u8>) -> Result<bool, DataError> {
    let (mut rows, mut others) = (WholeRows::open(reader, separator)?, WholeRows::open(other, separator)?);
    let find = |names: &[String], name: &String| names.iter().position(|it| it == name);
    let common: Vec<(usize, usize)> = rows
        .names()
        .iter()
        .enumerate()
        .filter_map(|(k, name)| find(others.names(), name).map(|other| (k, other)))
        .collect();
    if common.is_empty() {
        return Ok(false);
    }
    let of = |row: &[String], places: &mut dyn Iterator<Item = usize>| -> Vec<String> {
        places.filter_map(|k| row.get(k).cloned()).collect()
    };
    let mut seen = HashSet::new();
    while let Some(row) = others.advance()? {
        seen.insert(of(&row, &mut common.iter().map(|(_, other)| *other)));
    }
    while let Some(row) = rows.advance()? {
        if seen.contains(&of(&row, &mut common.iter().map(|(k, _)| *k))) {
            return Ok(true);
        }
    }
    Ok(false)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::{BTreeMap, BTreeSet};

    fn hex(bytes: &[u8]) -> String {
        bytes.iter().map(|byte| format!("{byte:02x}")).collect()
    }

    /// The examples that are published with RFC 4231, short and long keys among them.
    #[test]
    fn the_hash_is_hmac() {
        for (key, text, digest) in [
            (
                &[0x0b; 20][..],
                &b"Hi There"[..],
                "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7",
            ),
            (
                b"Jefe",
                b"what do ya want for nothing?",
                "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843",
            ),
            (
                &[0xaa; 131],
                b"Test Using Larger Than Block-Size Key - Hash Key First",
                "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54",
            ),
        ] {
            assert_eq!(hex(&Split::new(0.5, key).unwrap().hmac([text])), digest);
        }
    }

    fn table(rows: impl Iterator<Item = u32>) -> String {
        let line = |k: u32| format!("p{},{},{}\n", k % 40, k % 7, k);
        "person,a,b\n".to_owned() + &rows.map(line).collect::<String>()
    }

    fn lines(text: &str) -> BTreeSet<&str> {
        text.lines().skip(1).collect()
    }

    /// Each row is on one side; a row more moves no other; another key divides otherwise.
    #[test]
    fn adding_a_row_moves_no_other() {
        let split = Split::new(0.3, b"key").unwrap();
        let whole = table(0..2000);
        let divided = split.divide(whole.as_bytes(), None, None).unwrap();
        let (train, test) = (lines(&divided.train), lines(&divided.test));
        assert!(train.is_disjoint(&test));
        assert_eq!(train.union(&test).copied().collect::<BTreeSet<_>>(), lines(&whole));
        // 600 are expected, with a standard deviation of 20.
        assert!((500..700).contains(&test.len()), "{}", test.len());
        let more = table((0..1000).chain(5000..5001).chain(1000..2000));
        let again = split.divide(more.as_bytes(), None, None).unwrap();
        assert!(lines(&again.train).is_superset(&train) && lines(&again.test).is_superset(&test));
        let other = Split::new(0.3, b"yek").unwrap().divide(whole.as_bytes(), None, None).unwrap();
        assert!(!lines(&other.test).is_subset(&test));
    }

    /// Sabotage: the hash of the row where the person was asked for. Then some person is on both sides.
    #[test]
    fn a_person_is_on_one_side() {
        let split = Split::new(0.5, b"key").unwrap();
        let sides = |person| {
            let divided = split.divide(table(0..800).as_bytes(), None, person).unwrap();
            let mut sides: BTreeMap<String, BTreeSet<bool>> = BTreeMap::new();
            for (text, test) in [(&divided.train, false), (&divided.test, true)] {
                for line in text.lines().skip(1) {
                    sides.entry(line.split(',').next().unwrap().to_owned()).or_default().insert(test);
                }
            }
            sides
        };
        let by_person = sides(Some("person"));
        assert!(by_person.len() == 40 && by_person.values().all(|both| both.len() == 1));
        assert!(by_person.values().collect::<BTreeSet<_>>().len() == 2, "both sides have somebody");
        assert!(sides(None).values().any(|both| both.len() == 2));
        let unknown = split.divide(table(0..2).as_bytes(), None, Some("who")).unwrap_err();
        assert_eq!(unknown, DataError::UnknownFeature { feature: "who".to_owned() });
    }

    /// Rows beyond the second of a person go, whoever else is there; what stays stands on its line. Aimed at: `<` for
    /// `<=`, and a count of all rows instead of the person's.
    #[test]
    fn the_first_rows_of_each_person_stay() {
        let text = "who;x\n\na;1\nb;2\na;3\n a ;4\n\"b\";\"5\n6\"\nb;7\nc;8\n";
        let (kept, separator) = first_rows(text.as_bytes(), None, "who", 2, &[]).unwrap();
        assert_eq!((kept.as_str(), separator), ("who;x\n\na;1\nb;2\na;3\n\nb;\"5\n6\"\n\nc;8\n", b';'));
        let without_b = text.replace("b;2\n", "").replace("b;7\n", "").replace("\"b\";\"5\n6\"\n", "");
        let (others, _) = first_rows(without_b.as_bytes(), None, "who", 2, &[]).unwrap();
        assert_eq!(lines(&others).difference(&lines(&kept)).count(), 0, "b moves nobody else");
        let unknown = first_rows(text.as_bytes(), None, "person", 2, &[]).unwrap_err();
        assert_eq!(unknown, DataError::UnknownFeature { feature: "person".to_owned() });
        // Several unknown persons would be one, and who is first among them would depend on the
        // others. Red without the marks.
        let nobody =
            first_rows("who,x\na,1\n?,2\n".as_bytes(), None, "who", 2, &["?".to_owned()]).unwrap_err();
        let why = Refusal::Nobody;
        assert_eq!(nobody, DataError::Cell { at: Place::Line(3), column: "who".to_owned(), why });
    }

    #[test]
    fn cells_do_not_run_into_each_other() {
        let split = Split::new(0.5, b"").unwrap();
        let hashes = |cells: &[&str]| split.side(cells);
        // Of 64 pairs that differ only in where a cell ends, some pair is divided.
        assert!((0..64).any(|k| {
            let text = format!("{k}abc");
            hashes(&[&text, ""]) != hashes(&["", &text])
        }));
        for bad in [0.0, 1.0, -0.5, f64::NAN, f64::INFINITY] {
            assert_eq!(Split::new(bad, b"").unwrap_err().field, "test");
        }
    }

    #[test]
    fn common_rows_are_found_by_their_cells() {
        let one = "a,b\n1,2\n3,4\n";
        for (other, common) in [
            ("a,b\n5,6\n3,4\n", true),
            ("b,c,a\n4,9, 3\n", true),
            ("a,b\n4,3\n", false),
            ("a,b\n", false),
            ("c\n1\n", false),
        ] {
            assert_eq!(has_rows_of(one.as_bytes(), other.as_bytes(), None), Ok(common), "{other}");
        }
    }
}
