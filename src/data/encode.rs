//! From the cells of one record to its numbers, as a schema says. spec: `own:schema`
//!
//! Each cell is looked at by itself: no other cell, no other record.

use super::Schema;
use super::fields::{parse_number, short_number, trimmed};
use super::ranges::{Range, Scaling};
use crate::input::InvalidInput;
use asap_contracts::{Classes, Feature, Kind, Levels, TargetKind};

/// Why a cell does not become numbers. Says nothing of what it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// Text, or a number that is not finite, where a number is declared: a decimal comma, `nan`, `inf`, `1e400`.
    #[error("must be a finite number, written like -12.5 or 3e-4; texts are declared as levels")]
    NotANumber,
    /// It is missing, and nothing stands for it.
    #[error("the cell is missing, and the schema has no value for missing cells of this column")]
    Missing,
    /// It is outside of its public range, and that was not to be.
    #[error("outside its public range (clip, or widen the range)")]
    OutOfRange,
    /// It does not say whom the row is about.
    #[error("the cell is missing: every row needs the name or the number of its person")]
    Nobody,
    /// It is none of the classes.
    #[error("not one of the schema's classes")]
    NotOfTheClasses,
}

/// What turns the cells of a record into the numbers of its features, and its target. spec: `own:schema`
///
/// ```
/// use asap_dp::data::{Encoder, read_schema};
/// let schema = read_schema(r#"
///     target = { name = "ill", classes = ["no", "yes"] }
///     columns.age = { range = [0, 100], missing = 50 }
///     columns.ward = ["north", "south"]
/// "#)?;
/// let encoder = Encoder::new(&schema)?;
/// let mut row = vec![0.0; encoder.parameters()];
/// for (k, cell) in ["75", " south"].iter().enumerate() {
///     encoder.text(k, cell.as_bytes(), &mut row).unwrap();
/// }
/// assert_eq!(row, [0.5, 0.0, 1.0]);
/// assert_eq!(encoder.target_text(b"yes"), Ok(1.0));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Encoder {
    marks: Marks,
    features: Vec<Encoded>,
    target: EncodedTarget,
    parameters: usize,
    refuse: bool,
}

#[derive(Clone, Debug)]
enum Encoded {
    Number { at: usize, meaning: Meaning },
    Levels { first: usize, levels: Lookup },
}

/// What a number stands for.
#[derive(Clone, Copy, Debug)]
struct Meaning {
    missing: Option<f64>,
    scaling: Option<Scaling>,
}

#[derive(Clone, Debug)]
enum EncodedTarget {
    Number(Meaning),
    Threshold { at_least: f64, missing: Option<f64> },
    Classes { texts: Vec<Vec<u8>>, missing: Option<usize> },
}

/// The place of each level, and of those that are none of them.
#[derive(Clone, Debug)]
struct Lookup {
    texts: Vec<Vec<u8>>,
    /// The levels with their digests, each at the first free entry from its hash on. Their number is a power
    /// of two, and one is free.
    table: Vec<Option<(Digest, usize)>>,
    other: Option<usize>,
    missing: Option<usize>,
}

impl Lookup {
    fn new(levels: &Levels) -> Self {
        let texts: Vec<_> = levels.levels.iter().map(|level| level.clone().into_bytes()).collect();
        let mut table = vec![None; (2 * texts.len()).next_power_of_two().max(2)];
        let mask = table.len() - 1;
        for (j, text) in texts.iter().enumerate() {
            let (digest, mut at) = Digest::of(text);
            while table[at & mask].is_some() {
                at = at.wrapping_add(1);
            }
            table[at & mask] = Some((digest, j));
        }
        let place = |named: &String| levels.levels.iter().position(|level| level == named);
        let other = levels.other.as_ref().and_then(place);
        Self { texts, table, other, missing: levels.missing.as_ref().and_then(place).or(other) }
    }

    /// The level that a text is.
    #[inline]
    fn level(&self, text: &[u8]) -> Option<usize> {
        let mask = self.table.len() - 1;
        let (digest, mut at) = Digest::of(text);
        while let Some((found, level)) = self.table[at & mask] {
            if found == digest && (text.len() <= Digest::WHOLE || self.texts[level] == text) {
                return Some(level);
            }
            // Another text was there first; the place of this one is further on.
            at = at.wrapping_add(1);
        }
        None
    }
}

/// The length of a text, and its first and last bytes: all of a short one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Digest {
    length: usize,
    ends: [u64; 2],
}

impl Digest {
    /// Texts up to this length are equal if their digests are.
    const WHOLE: usize = 16;

    /// The digest, and a hash that depends on every byte.
    #[allow(clippy::cast_possible_truncation)]
    fn of(text: &[u8]) -> (Self, usize) {
        let word = |bytes: &[u8; 8]| u64::from_le_bytes(*bytes);
        let half = |bytes: &[u8; 4]| u64::from(u32::from_le_bytes(*bytes));
        let length = text.len();
        // What is at the beginning and what is at the end overlap where a text is shorter than both.
        let ends = if let (Some(first), Some(last)) = (text.first_chunk::<8>(), text.last_chunk::<8>()) {
            [word(first), word(last)]
        } else if let (Some(first), Some(last)) = (text.first_chunk::<4>(), text.last_chunk::<4>()) {
            [half(first), half(last)]
        } else {
            [text.iter().fold(0, |bytes, byte| bytes << 8 | u64::from(*byte)), 0]
        };
        let mix = |hash: u64, word: u64| {
            let product = u128::from(hash ^ word) * 0x9e37_79b9_7f4a_7c15;
            (product ^ product >> 64) as u64
        };
        let mut hash = mix(length as u64 ^ ends[0], ends[1].rotate_left(32));
        if length > Self::WHOLE {
            hash = text.as_chunks().0.iter().fold(hash, |hash, bytes| mix(hash, word(bytes)));
        }
        (Self { length, ends }, hash as usize)
    }
}

/// The texts of missing cells.
#[derive(Clone, Debug)]
struct Marks {
    texts: Vec<Vec<u8>>,
    empty: bool,
    /// Which bytes one of them begins with.
    first: [bool; 256],
}

impl Marks {
    fn new(marks: &[String]) -> Self {
        let texts: Vec<Vec<u8>> = marks.iter().map(|mark| mark.clone().into_bytes()).collect();
        let mut first = [false; 256];
        for byte in texts.iter().filter_map(|text| text.first()) {
            first[usize::from(*byte)] = true;
        }
        Self { empty: texts.iter().any(Vec::is_empty), texts, first }
    }

    /// Whether a cell, without the blanks around it, is one.
    #[inline]
    fn contain(&self, cell: &[u8]) -> bool {
        match cell.first() {
            None => self.empty,
            Some(byte) => self.first[usize::from(*byte)] && self.texts.iter().any(|text| text == cell),
        }
    }
}

impl Meaning {
    #[inline]
    fn of(&self, cell: Option<f64>, refuse: bool) -> Result<f64, Refusal> {
        let number = cell.or(self.missing).ok_or(Refusal::Missing)?;
        if !number.is_finite() {
            return Err(Refusal::NotANumber);
        }
        match &self.scaling {
            Some(scaling) if refuse && !scaling.range.contains(number) => Err(Refusal::OutOfRange),
            Some(scaling) => Ok(scaling.scaled(number)),
            None => Ok(number),
        }
    }
}

impl Encoder {
    /// For the columns of a schema; a number outside its range is moved to the nearer end.
    pub fn new(schema: &Schema) -> Result<Self, InvalidInput> {
        if schema.fault().is_some_and(|_| !schema.says_names_only()) {
            return Err(InvalidInput {
                field: "schema",
                allowed: "what Schema::fault finds nothing wrong with",
            });
        }
        let mut parameters = 0;
        let mut encoded = |feature: &Feature| {
            let at = parameters;
            Ok(match &feature.kind {
                Kind::Levels(levels) => {
                    parameters += levels.levels.len();
                    Encoded::Levels { first: at, levels: Lookup::new(levels) }
                }
                Kind::Plain(plain) => {
                    parameters += 1;
                    Encoded::Number { at, meaning: Meaning { missing: plain.missing, scaling: None } }
                }
                Kind::Number(number) => {
                    parameters += 1;
                    let scaling = Some(Scaling::new(number)?);
                    Encoded::Number { at, meaning: Meaning { missing: number.missing, scaling } }
                }
            })
        };
        let features = schema.features.iter().map(&mut encoded).collect::<Result<_, InvalidInput>>()?;
        let target = encoded_target(&schema.target.kind)?;
        Ok(Self { marks: Marks::new(&schema.marks), features, target, parameters, refuse: false })
    }

    /// The same, but a number outside its range is refused.
    pub fn refusing(self, refuse: bool) -> Self {
        Self { refuse, ..self }
    }

    /// Whom a row is about: the text of the cell without the blanks around it; refused if it is
    /// a mark of missing cells.
    pub fn person<'a>(&self, cell: &'a [u8]) -> Result<&'a [u8], Refusal> {
        let cell = cell.trim_ascii();
        if cell.is_empty() || self.marks.contain(cell) { Err(Refusal::Nobody) } else { Ok(cell) }
    }

    /// How many numbers a row has.
    pub fn parameters(&self) -> usize {
        self.parameters
    }

    /// Writes what the text of a cell of feature `k` becomes into its place in `row`. spec: `own:schema`
    pub fn text(&self, k: usize, cell: &[u8], row: &mut [f64]) -> Result<(), Refusal> {
        self.set_level(k, None, row);
        self.text_over_zeros(k, cell, row)
    }

    /// The same, where zeros are in its place.
    #[inline]
    pub(super) fn text_over_zeros(&self, k: usize, cell: &[u8], row: &mut [f64]) -> Result<(), Refusal> {
        let cell = trimmed(cell);
        match self.features.get(k) {
            Some(Encoded::Number { at, meaning }) => {
                let number = self.number_of(cell)?;
                set(row, *at, meaning.of(number, self.refuse)?);
            }
            Some(Encoded::Levels { first, levels }) => {
                if let Some(level) = self.place(levels, cell) {
                    set(row, first + level, 1.0);
                }
            }
            None => {}
        }
        Ok(())
    }

    /// Writes what a number, or a missing cell, of feature `k` becomes into its place in `row`.
    /// For a column of numbers.
    pub fn number(&self, k: usize, cell: Option<f64>, row: &mut [f64]) -> Result<(), Refusal> {
        if let Some(Encoded::Number { at, meaning }) = self.features.get(k) {
            set(row, *at, meaning.of(cell, self.refuse)?);
        }
        Ok(())
    }

    /// Whether feature `k` has levels.
    pub fn has_levels(&self, k: usize) -> bool {
        matches!(self.features.get(k), Some(Encoded::Levels { .. }))
    }

    /// Which of its levels a text, or a missing cell, of feature `k` is, if any. For a column of levels.
    pub fn level(&self, k: usize, cell: Option<&[u8]>) -> Option<usize> {
        match self.features.get(k) {
            Some(Encoded::Levels { levels, .. }) => match cell {
                Some(cell) => self.place(levels, cell.trim_ascii()),
                None => levels.missing,
            },
            _ => None,
        }
    }

    /// Writes a level of feature `k`, or that the cell is none of the levels, into its place in
    /// `row`. For a column of levels.
    pub fn set_level(&self, k: usize, level: Option<usize>, row: &mut [f64]) {
        if let Some(Encoded::Levels { first, levels }) = self.features.get(k) {
            mark(row, *first, levels.texts.len(), level);
        }
    }

    /// The target that the text of a cell becomes. spec: `own:schema`
    pub fn target_text(&self, cell: &[u8]) -> Result<f64, Refusal> {
        let cell = trimmed(cell);
        match &self.target {
            EncodedTarget::Classes { texts, missing } => {
                let class = match texts.iter().position(|text| text == cell) {
                    Some(class) => class,
                    None if self.marks.contain(cell) => missing.ok_or(Refusal::Missing)?,
                    None => return Err(Refusal::NotOfTheClasses),
                };
                Ok(class_target(class, texts.len()))
            }
            _ => self.target_number(self.number_of(cell)?),
        }
    }

    /// The target that a number, or a missing cell, becomes. If classes are given by their texts,
    /// a number is not a class.
    pub fn target_number(&self, cell: Option<f64>) -> Result<f64, Refusal> {
        match &self.target {
            EncodedTarget::Number(meaning) => meaning.of(cell, self.refuse),
            EncodedTarget::Threshold { at_least, missing } => {
                let number = cell.or(*missing).ok_or(Refusal::Missing)?;
                if !number.is_finite() {
                    return Err(Refusal::NotANumber);
                }
                Ok(if number >= *at_least { 1.0 } else { -1.0 })
            }
            EncodedTarget::Classes { texts, missing } => match cell {
                None => missing.map(|class| class_target(class, texts.len())).ok_or(Refusal::Missing),
                Some(_) => Err(Refusal::NotOfTheClasses),
            },
        }
    }

    /// The number that a cell spells, or nothing where it is missing.
    #[inline]
    fn number_of(&self, cell: &[u8]) -> Result<Option<f64>, Refusal> {
        if self.marks.contain(cell) {
            return Ok(None);
        }
        short_number(cell).or_else(|| parse_number(cell)).map(Some).ok_or(Refusal::NotANumber)
    }

    #[inline]
    fn place(&self, levels: &Lookup, cell: &[u8]) -> Option<usize> {
        match levels.level(cell) {
            Some(level) => Some(level),
            None if self.marks.contain(cell) => levels.missing,
            None => levels.other,
        }
    }
}

fn encoded_target(kind: &TargetKind) -> Result<EncodedTarget, InvalidInput> {
    let number = |missing, scaling| EncodedTarget::Number(Meaning { missing, scaling });
    Ok(match kind {
        TargetKind::Plain(plain) => number(plain.missing, None),
        TargetKind::Range(it) => number(it.missing, Some(Scaling::symmetric(it.range)?)),
        TargetKind::Threshold(it) => EncodedTarget::Threshold { at_least: it.at_least, missing: it.missing },
        TargetKind::Classes(Classes { classes, missing }) => {
            let texts = classes.iter().map(|class| class.clone().into_bytes()).collect();
            let place = |named: &String| classes.iter().position(|class| class == named);
            EncodedTarget::Classes { texts, missing: missing.as_ref().and_then(place) }
        }
    })
}

/// The target of a class: −1 and +1 of two, and of more its number. spec: `own:one-against-rest`
fn class_target(class: usize, of: usize) -> f64 {
    match (class, of) {
        (0, 2) => -1.0,
        (1, 2) => 1.0,
        _ => class as f64,
    }
}

fn set(row: &mut [f64], at: usize, value: f64) {
    if let Some(place) = row.get_mut(at) {
        *place = value;
    }
}

/// One of so many numbers is 1, or none.
fn mark(row: &mut [f64], first: usize, count: usize, place: Option<usize>) {
    if let Some(block) = row.get_mut(first..first + count) {
        block.fill(0.0);
        if let Some(number) = place.and_then(|place| block.get_mut(place)) {
            *number = 1.0;
        }
    }
}

/// The range that predictions come back in, if there is one.
pub(crate) fn range_of_target(schema: &Schema) -> Result<Option<Range>, InvalidInput> {
    match &schema.target.kind {
        TargetKind::Range(it) => Range::new(it.range[0], it.range[1]).map(Some),
        TargetKind::Plain(_) | TargetKind::Threshold(_) | TargetKind::Classes(_) => Ok(None),
    }
}

#[cfg(any(kani, test))]
#[path = "../../proofs/data/encode.rs"]
mod proofs;
