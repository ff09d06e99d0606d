//! Public ranges: the file that they are in, and `asap schema`, which prints one to fill in.

use crate::arguments::{Problem, Schema};
use crate::failure::Failure;
use crate::fit::open;
use crate::output::{Existing, Target};
use asap_dp::data::{Range, Ranges, read_header};
use std::collections::BTreeSet;
use std::fmt::Write;
use std::fs;
use std::path::Path;

/// What stands for an end that nobody has chosen yet.
const LOW: &str = "low";
const HIGH: &str = "high";

impl Problem {
    /// The ranges of the file and of the flags.
    pub(crate) fn public_ranges(&self) -> Result<Ranges, Failure> {
        let mut named = BTreeSet::new();
        if let Some(twice) = self.range.iter().find(|it| !named.insert(&it.column)) {
            return Err(Failure::Usage(format!("--range: `{}` has two of them", twice.column)));
        }
        let start = self.ranges.as_deref().map(in_file).transpose()?.unwrap_or_default();
        Ok(self.range.iter().fold(start, |ranges, it| ranges.for_column(&it.column, it.range)))
    }
}

/// The ranges in a TOML file.
fn in_file(path: &Path) -> Result<Ranges, Failure> {
    let text = fs::read_to_string(path).map_err(|error| Failure::reading(path, &error))?;
    let refused = |reason: String| Failure::Input { path: path.to_owned(), reason };
    let table: toml::Table = text.parse().map_err(|error: toml::de::Error| {
        let before = error.span().and_then(|span| text.get(..span.start)).unwrap_or_default();
        let line = before.matches('\n').count() + 1;
        refused(format!("not a file of ranges, line {line}: {}", error.message()))
    })?;
    table.into_iter().try_fold(Ranges::none(), |ranges, (column, value)| {
        let range = range(&value).map_err(|why| refused(format!("\"{column}\" = [LOW, HIGH]: {why}")))?;
        Ok(ranges.for_column(column, range))
    })
}

fn range(value: &toml::Value) -> Result<Range, &'static str> {
    let allowed = "allowed are two finite numbers LOW < HIGH, such as [8, 15]";
    let ends =
        value.as_array().ok_or("allowed is a list of two numbers; a name with a point in it needs quotes")?;
    if ends.iter().any(|end| end.as_str().is_some_and(|text| [LOW, HIGH].contains(&text))) {
        return Err(
            "not filled in yet: two numbers that are public, chosen without looking at the records; or remove the line",
        );
    }
    #[allow(
        clippy::cast_precision_loss,
        reason = "what a person writes as a whole number is read as the nearest f64"
    )]
    let number = |end: &toml::Value| end.as_float().or(end.as_integer().map(|whole| whole as f64));
    match ends[..] {
        [ref low, ref high] => {
            let (low, high) = number(low).zip(number(high)).ok_or(allowed)?;
            Range::new(low, high).map_err(|_| allowed)
        }
        _ => Err(allowed),
    }
}

/// `asap schema`: the columns of a file as a file of ranges to fill in. Reads the header, and not a byte more.
pub(crate) fn run(arguments: &Schema) -> Result<(), Failure> {
    let Schema { data, separator, out, overwrite } = arguments;
    let target = Target::probe(out, Existing::of(overwrite.force), &[data])?;
    let names =
        read_header(open(data)?, *separator).map_err(|error| Failure::Data { path: data.clone(), error })?;
    let mut text = "\
# Public ranges for asap fit --ranges. Put two numbers in the place of \"low\" and \"high\" for every column that is used,
# and remove the other lines. Choose them without looking at the records: from what an instrument can measure, what a
# form allows, what is known of such data elsewhere. What lies outside of its range is moved to the nearer end.
# The target needs a range only if it is a number that is predicted (squared, huber), not if it is a class (logistic).

"
    .to_owned();
    for name in names.iter().filter(|name| !name.is_empty()) {
        // A String can always be written to.
        let _ = writeln!(text, "{} = [\"{LOW}\", \"{HIGH}\"]", quoted(name));
    }
    target.write(&text)
}

/// A name as a TOML key.
fn quoted(name: &str) -> String {
    let escaped = |c: char| match c {
        '"' => "\\\"".to_owned(),
        '\\' => "\\\\".to_owned(),
        c if c.is_control() => format!("\\u{:04X}", u32::from(c)),
        c => c.to_string(),
    };
    format!("\"{}\"", name.chars().map(escaped).collect::<String>())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_survives_as_a_key() {
        for name in
            ["pH", "a \"b\"", "back\\slash", "two\nlines", "größe = 1:2", "tab\tbell\u{7}", "a.b", "\u{85}"]
        {
            let text = format!("{} = [0, 1]", quoted(name));
            let names = text.parse().map(|table: toml::Table| table.keys().cloned().collect::<Vec<_>>());
            assert_eq!(names.ok(), Some(vec![name.to_owned()]), "{text}");
        }
    }
}
