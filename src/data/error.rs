//! Why a data set is not usable.

use super::encode::Refusal;
use crate::bounds::Bounds;

/// Where in the input a record stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Place {
    /// The record's number, counted from 1.
    #[error("record {0}")]
    Record(usize),
    /// The line of the file on which the record starts, counted from 1 as an editor does.
    #[error("line {0}")]
    Line(u64),
}

/// Why a data set is not usable. Names lines and columns, never values.
///
/// The names of the columns come from the header of a file and are public. They are shortened, and control
/// characters in them are escaped.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum DataError {
    /// Features and targets do not fit together.
    #[error("features must be rows × columns numbers, one row for each target")]
    Shape,
    /// No column, or too many.
    #[error("columns must be 1 to {} features", Bounds::MAX_DIMENSION)]
    Columns,
    /// Another number of columns than the promised blocks have.
    #[error("the number of features must equal the number of columns in the public blocks")]
    Blocks,
    /// More rows than promised.
    #[error("rows: there are more than the public maximum; raise `max rows` (a public number) or take fewer")]
    TooManyRows,
    /// A number is NaN or infinite.
    #[error("{at}: must be finite numbers")]
    NotFinite {
        /// The record.
        at: Place,
    },
    /// A feature vector is longer than promised.
    #[error("{at}: the features' norm is above the public bound (clip, or raise the bound)")]
    FeaturesOutOfBounds {
        /// The record.
        at: Place,
    },
    /// A target is not admissible.
    #[error("{at}: the target is not admissible for this loss and its public bound")]
    TargetOutOfBounds {
        /// The record.
        at: Place,
    },
    /// A target is not one of two classes.
    #[error("{at}: the target is not a class: it must be 0 or 1, or -1 or 1; a schema declares others")]
    NotAClass {
        /// The record.
        at: Place,
    },
    /// Another number of classes than the loss has.
    #[error("the schema must have as many classes as the loss expects")]
    ClassCount,
    /// The targets are numbers, and nothing is promised of them.
    #[error(
        "target bound must be a finite number greater than 0, and this loss needs one: its targets are numbers"
    )]
    TargetBoundMissing,
    /// The bounds promise how many rows a person has, and nothing says whom the records are
    /// about; or the other way round.
    #[error("rows per person and the column of persons must be given together, with the same number of rows")]
    Persons,
    /// The header does not name the column of persons.
    #[error("person `{person}` is not a column")]
    UnknownPerson {
        /// The name asked for.
        person: String,
    },
    /// The column of persons is the target or a feature.
    #[error("person `{person}` cannot be the target or a feature, too")]
    PersonIsUsed {
        /// The name.
        person: String,
    },
    /// The operating system does not hand the file over.
    #[error("the file cannot be read: {kind}")]
    Unreadable {
        /// What the operating system says; its own text is left out.
        kind: std::io::ErrorKind,
    },
    /// The file has no line with anything in it.
    #[error("the file is empty: the first line must name the columns")]
    Empty,
    /// The first line looks like data. Its cells are not shown.
    #[error("the first line must name the columns, but it looks like a record")]
    HeaderMissing,
    /// A column that would be used has no name.
    #[error("header: column {position} has no name; name it, or list the features to use")]
    UnnamedColumn {
        /// Counted from 1.
        position: usize,
    },
    /// Two columns of the header have the same name. It is not shown: without a header it could
    /// be the cell of a record.
    #[error(
        "header: columns {first} and {second} have the same name, or the first line does not name the columns"
    )]
    SameName {
        /// Counted from 1.
        first: usize,
        /// Counted from 1.
        second: usize,
    },
    /// Two features asked for have the same name.
    #[error("column `{column}` appears twice")]
    DuplicateColumn {
        /// The name.
        column: String,
    },
    /// The header does not name the target.
    #[error("target `{target}` is not a column; there are: {available}")]
    TargetNotFound {
        /// The name asked for.
        target: String,
        /// The names in the header, as they are shown: the first few only.
        available: String,
    },
    /// The target is also in the list of features.
    #[error("target `{target}` cannot be a feature, too")]
    TargetIsFeature {
        /// The name.
        target: String,
    },
    /// The header does not name a feature that was asked for.
    #[error("feature `{feature}` is not a column")]
    UnknownFeature {
        /// The name asked for.
        feature: String,
    },
    /// A column of the file that the schema has no entry for.
    #[error("column `{column}` has no entry in the schema: add one, or `ignore = true`")]
    NoEntry {
        /// The name.
        column: String,
    },
    /// The loss has classes and the schema's target is a number, or the other way round.
    #[error(
        "target: the logistic loss needs classes or at_least, the losses squared and huber a range; the schema has the other"
    )]
    TargetOfAnotherKind,
    /// A cell does not become what its column is.
    #[error("{at}, column `{column}`: {why}")]
    Cell {
        /// The record, or the line on which the cell starts.
        at: Place,
        /// The column's name.
        column: String,
        /// Why.
        why: Refusal,
    },
    /// The header does not end.
    #[error("header: longer than {} bytes", super::csv::LONGEST_HEADER)]
    HeaderTooLong,
    /// A record has more or fewer fields than the header.
    #[error("line {line}: {expected} fields expected, {found} found")]
    Ragged {
        /// The line on which the record starts.
        line: u64,
        /// The number of fields in the header.
        expected: usize,
        /// The number of fields in the record.
        found: usize,
    },
    /// The file is not UTF-8.
    #[error("line {line}: not UTF-8 text; save the file as UTF-8")]
    NotUtf8 {
        /// The line on which the field starts.
        line: u64,
    },
    /// A quoted field does not end.
    #[error("line {line}: the quote opened here is never closed")]
    QuoteNotClosed {
        /// The line on which the field starts.
        line: u64,
    },
    /// A quote inside of an unquoted field, or text after the closing quote.
    #[error("line {line}: a quote must enclose the whole field; double it inside the field")]
    StrayQuote {
        /// The line on which the field starts.
        line: u64,
    },
    /// The separator is no separator.
    #[error(
        "separator must be an ASCII character other than a letter, digit, sign, point, quote or line end"
    )]
    Separator,
}

impl DataError {
    /// What the system says of a file.
    pub(crate) fn unreadable(error: std::io::Error) -> Self {
        Self::Unreadable { kind: error.kind() }
    }
}

/// A column's name as it is shown: control characters escaped, not longer than a line.
pub(super) fn shown(name: &str) -> String {
    const LONGEST: usize = 60;
    let short: String = name.chars().take(LONGEST).flat_map(char::escape_debug).collect();
    if name.chars().nth(LONGEST).is_some() { short + "…" } else { short }
}

/// The first few of many names as they are shown.
pub(super) fn shown_list(names: &[String]) -> String {
    const MOST: usize = 20;
    let list: Vec<String> = names.iter().take(MOST).map(|name| format!("`{}`", shown(name))).collect();
    let rest = names.len().saturating_sub(MOST);
    list.join(", ") + &if rest > 0 { format!(" and {rest} more") } else { String::new() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_shortened_and_escaped() {
        assert_eq!(shown("größe"), "größe");
        assert_eq!(shown("a\n\u{1b}[2J"), "a\\n\\u{1b}[2J");
        assert_eq!(shown(&"é".repeat(61)), "é".repeat(60) + "…");
        let names: Vec<String> = (0..22).map(|k| format!("c{k}")).collect();
        assert!(shown_list(&names).ends_with("`c18`, `c19` and 2 more"));
        assert_eq!(shown_list(&names[..2]), "`c0`, `c1`");
    }
}
