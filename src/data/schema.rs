//! A schema as a TOML file: reading one, with the line of every mistake, and writing one to fill in. spec: `own:schema`

use super::error::shown;
use super::{PersonColumn, Schema};
use asap_contracts::{
    Classes, Feature, Kind, Levels, Number, Place, Scale, Target, TargetKind, TargetRange, Threshold,
};
use std::fmt::Write;
use std::ops::Range;
use toml::de::{DeTable, DeValue};

/// Why a text is no schema. A schema is public: names and numbers of it may be shown.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("schema, line {line}: {reason}")]
pub struct SchemaError {
    /// The line, from 1.
    pub line: usize,
    /// What is wrong, and what is allowed.
    pub reason: String,
}

/// The content of a file to fill in.
const TO_DO: &str = "?";

const FILL_IN: &str = "not filled in yet: a range [LOW, HIGH], levels [\"LEVEL\", …] or { ignore = true }, chosen without looking at \
                       the records";

/// Reads a schema. spec: `own:schema`
///
/// ```
/// use asap_dp::data::read_schema;
/// let schema = read_schema(r#"
/// [target]
/// name = "income"
/// classes = ["<=50K", ">50K"]
///
/// [columns]
/// "age" = [17, 90]
/// "capital-gain" = { range = [0, 99999], log = true, scale = "[0,1]", missing = 0 }
/// "sex" = ["Male", "Female"]
/// "workclass" = { levels = ["Private", "State-gov", "Other"], other = "Other" }
/// "fnlwgt" = { ignore = true }
/// "#)?;
/// assert_eq!(schema.parameter_names()[..3], ["age", "capital-gain", "sex=Male"]);
/// assert_eq!(read_schema("[target]\nname = 'y'\nrange = [0, 1]\n[columns]\nage = [90, 17]").unwrap_err().line, 5);
/// # Ok::<(), asap_dp::data::SchemaError>(())
/// ```
pub fn read_schema(text: &str) -> Result<Schema, SchemaError> {
    let reader = Reader { text };
    let table = DeTable::parse(text).map_err(|error| {
        reader.error(&error.span().unwrap_or_default(), format!("not TOML: {}", error.message()))
    })?;
    reader.schema(table.get_ref())
}

/// A file to fill in for columns of these names, of which one may be the target.
pub fn schema_to_fill_in(names: &[String], target: Option<&str>) -> String {
    let mut text = "\
# A public schema for asap fit --schema: replace every \"?\". Choose it without looking at the records:
# from a code book, from what a form allows or an instrument can measure, from what is known of such data elsewhere.
#
#   \"age\" = [0, 110]                             a number; what lies outside is moved to the nearer end
#   \"pay\" = { range = [0, 1e6], log = true }     its logarithm; also scale = \"[0,1]\" instead of \"[-1,1]\"
#   \"sex\" = [\"Male\", \"Female\"]                   texts; any other text counts as none of them
#   \"job\" = { levels = [\"a\", \"b\", \"rest\"], other = \"rest\" }    any other text counts as \"rest\"
#   \"id\" = { ignore = true }                     an ignored column
#
# If several rows may be about one person, add two lines above [target] and leave that column out below:
#   person = \"patient\"
#   rows_per_person = 3
# The guarantee then covers a person with all rows; of each person the first 3 rows are used.
#
# A missing cell is refused in a column of numbers and counts as none of the levels in a column of texts.
# To give it a value, add missing = 40 beside a range, or missing = \"rest\" beside levels.

missing_marks = [\"\", \"?\", \"NA\"]

[target]
"
    .to_owned();
    // A String can always be written to.
    let _ = writeln!(text, "name = {}", quoted(target.unwrap_or(TO_DO)));
    text += "\
classes = \"?\"     # two texts, the positive class last: [\"no\", \"yes\"], or more of them, each with a part of the budget; or in the
                  # place of this line: at_least = 6 (numbers from 6 on are the positive class), or range = [LOW, HIGH] where a
                  # number is predicted (squared, huber)

[columns]
";
    for name in names.iter().filter(|name| !name.is_empty() && Some(name.as_str()) != target) {
        let _ = writeln!(text, "{} = \"{TO_DO}\"", quoted(name));
    }
    text
}

/// A text as TOML has it.
fn quoted(name: &str) -> String {
    let escaped = |c: char| match c {
        '"' => "\\\"".to_owned(),
        '\\' => "\\\\".to_owned(),
        c if c.is_control() => format!("\\u{:04X}", u32::from(c)),
        c => c.to_string(),
    };
    format!("\"{}\"", name.chars().map(escaped).collect::<String>())
}

type Spanned<'a, 'i> = &'a toml::Spanned<DeValue<'i>>;

/// Where the parts of a schema are in the text.
#[derive(Default)]
struct Places {
    marks: Vec<Range<usize>>,
    target: Range<usize>,
    classes: Vec<Range<usize>>,
    features: Vec<(Range<usize>, Vec<Range<usize>>)>,
    ignored: Vec<Range<usize>>,
    person: Range<usize>,
}

impl Places {
    fn of(&self, place: Place) -> Range<usize> {
        let found = match place {
            Place::Whole => None,
            Place::Mark(k) => self.marks.get(k),
            Place::Feature(k) => self.features.get(k).map(|(span, _)| span),
            Place::Level(k, j) => self.features.get(k).and_then(|(_, levels)| levels.get(j)),
            Place::Target => Some(&self.target),
            Place::Class(j) => self.classes.get(j),
            Place::Ignored(k) => self.ignored.get(k),
            Place::Person => Some(&self.person),
        };
        found.cloned().unwrap_or_default()
    }
}

/// The text that spans are in.
struct Reader<'t> {
    text: &'t str,
}

/// A table whose keys must all be used.
struct SchemaLine<'a, 'i> {
    table: &'a DeTable<'i>,
    span: Range<usize>,
}

impl<'a, 'i> SchemaLine<'a, 'i> {
    fn get(&self, name: &str) -> Option<Spanned<'a, 'i>> {
        self.table.iter().find(|(key, _)| key.get_ref() == name).map(|(_, value)| value)
    }
}

type Read<T> = Result<T, SchemaError>;

impl Reader<'_> {
    fn error(&self, span: &Range<usize>, reason: impl Into<String>) -> SchemaError {
        let before = self.text.get(..span.start).unwrap_or(self.text);
        SchemaError { line: before.matches('\n').count() + 1, reason: reason.into() }
    }

    fn refused<T>(&self, span: &Range<usize>, reason: impl Into<String>) -> Read<T> {
        Err(self.error(span, reason))
    }

    fn schema(&self, table: &DeTable<'_>) -> Read<Schema> {
        let whole = SchemaLine { table, span: 0..0 };
        self.known(
            &whole,
            &["missing_marks", "person", "rows_per_person", "target", "columns"],
            "known here are missing_marks, person, rows_per_person, [target] and [columns]",
        )?;
        let mut places = Places::default();
        let marks = match whole.get("missing_marks") {
            None => Schema::USUAL_MARKS.map(str::to_owned).to_vec(),
            Some(list) => self.texts(list, &mut places.marks)?,
        };
        let person = self.person(&whole, &mut places)?;
        let Some(target) = whole.get("target") else {
            return self.refused(
                &(0..0),
                "[target] is needed: name = \"COLUMN\", and its classes, at_least or range",
            );
        };
        let target = self.target(target, &mut places)?;
        let Some(columns) = whole.get("columns") else {
            return self
                .refused(&(0..0), "[columns] is needed, with a line for every column besides the target");
        };
        let (mut numbers, mut levels, mut ignored) = (Vec::new(), Vec::new(), Vec::new());
        let columns = self.table(columns, "[columns] with \"NAME\" = [LOW, HIGH] and such")?;
        // As they stand in the file.
        let mut columns: Vec<_> = columns.table.iter().collect();
        columns.sort_by_key(|(key, _)| key.span().start);
        for (key, value) in columns {
            let (name, span) = (key.get_ref().trim().to_owned(), key.span());
            let mut of_levels = Vec::new();
            match self.column(&name, value, &mut of_levels)? {
                None => {
                    ignored.push(name);
                    places.ignored.push(span);
                }
                Some(kind) => {
                    let list = if matches!(kind, Kind::Levels(_)) { &mut levels } else { &mut numbers };
                    list.push((Feature { name, kind }, (span, of_levels)));
                }
            }
        }
        let (features, spans) = numbers.into_iter().chain(levels).unzip();
        places.features = spans;
        let schema = Schema { marks, features, target, ignored, person };
        match schema.fault() {
            None => Ok(schema),
            Some(fault) => {
                let name = match fault.place {
                    Place::Feature(k) | Place::Level(k, _) => schema.features.get(k).map(|it| &it.name),
                    Place::Target | Place::Class(_) => Some(&schema.target.name),
                    Place::Ignored(k) => schema.ignored.get(k),
                    Place::Person => schema.person.as_ref().map(|person| &person.name),
                    Place::Whole | Place::Mark(_) => None,
                };
                let name = name.map(|name| format!("\"{}\": ", shown(name))).unwrap_or_default();
                self.refused(&places.of(fault.place), format!("{name}must be {}", fault.allowed))
            }
        }
    }

    /// The column of persons, and how many rows of each are taken: both or neither.
    fn person(&self, whole: &SchemaLine<'_, '_>, places: &mut Places) -> Read<Option<PersonColumn>> {
        match (whole.get("person"), whole.get("rows_per_person")) {
            (None, None) => Ok(None),
            (Some(name), Some(rows)) => {
                places.person = name.span();
                let allowed = "rows_per_person must be a whole number from 1 to 1000000";
                let DeValue::Integer(number) = rows.get_ref() else {
                    return self.refused(&rows.span(), allowed);
                };
                let parsed = number.as_str().replace('_', "").parse().ok();
                match parsed.filter(|_| number.radix() == 10) {
                    Some(rows) => Ok(Some(PersonColumn { name: self.text(name)?, rows })),
                    None => self.refused(&rows.span(), allowed),
                }
            }
            (Some(name), None) => self.refused(&name.span(), "person: rows_per_person is needed beside it"),
            (None, Some(rows)) => {
                self.refused(&rows.span(), "rows_per_person: person = \"COLUMN\" is needed beside it")
            }
        }
    }

    /// Refuses a key that means nothing.
    fn known(&self, entry: &SchemaLine<'_, '_>, names: &[&str], allowed: &str) -> Read<()> {
        match entry.table.iter().find(|(key, _)| !names.contains(&key.get_ref().as_ref())) {
            None => Ok(()),
            Some((key, _)) => {
                self.refused(&key.span(), format!("`{}` means nothing here: {allowed}", shown(key.get_ref())))
            }
        }
    }

    fn target(&self, value: Spanned<'_, '_>, places: &mut Places) -> Read<Target> {
        let entry = self.table(value, "[target] with name = \"COLUMN\"")?;
        let allowed = "known are name, classes with positive, at_least or range, missing and weights";
        self.known(
            &entry,
            &["name", "classes", "positive", "at_least", "range", "missing", "weights"],
            allowed,
        )?;
        let name = match entry.get("name") {
            Some(name) => self.text(name)?,
            None => return self.refused(&entry.span, "[target]: name = \"COLUMN\" is needed"),
        };
        if name == TO_DO {
            return self.refused(&entry.span, "[target]: its name is not filled in yet");
        }
        let kinds = [entry.get("classes"), entry.get("at_least"), entry.get("range")];
        places.target = kinds.into_iter().flatten().next().map_or(entry.span.clone(), toml::Spanned::span);
        let missing = entry.get("missing");
        let missing_number = || missing.map(|it| self.number(it)).transpose();
        if let (Some(positive), None) = (entry.get("positive"), kinds[0]) {
            return self.refused(&positive.span(), "positive: only with classes, of which it is one");
        }
        let kind = match kinds {
            [Some(classes), None, None] => {
                if matches!(classes.get_ref(), DeValue::String(text) if text == TO_DO) {
                    return self.refused(
                        &classes.span(),
                        "[target]: not filled in yet: classes, or at_least, or range",
                    );
                }
                let classes = self.classes(classes, entry.get("positive"), places)?;
                let missing = missing.map(|it| self.text(it)).transpose()?;
                TargetKind::Classes(Classes { classes, missing })
            }
            [None, Some(least), None] => {
                TargetKind::Threshold(Threshold { at_least: self.number(least)?, missing: missing_number()? })
            }
            [None, None, Some(range)] => {
                TargetKind::Range(TargetRange { range: self.range(range)?, missing: missing_number()? })
            }
            _ => return self.refused(&entry.span, "[target]: one of classes, at_least and range is needed"),
        };
        let weights = entry.get("weights").map(|it| self.weights(it, entry.get("positive").is_some()));
        Ok(Target { name, kind, weights: weights.transpose()? })
    }

    /// How much the classes count, in the order in which they are written.
    fn weights(&self, value: Spanned<'_, '_>, named: bool) -> Read<Vec<f64>> {
        let allowed =
            "weights must be a finite number greater than 0 for each class, in their order, such as [1, 10]";
        if named {
            return self.refused(
                &value.span(),
                "weights: not with positive; write the classes with the positive one last",
            );
        }
        let DeValue::Array(list) = value.get_ref() else { return self.refused(&value.span(), allowed) };
        list.iter().map(|weight| self.number(weight)).collect()
    }

    /// The classes, the positive one last.
    fn classes(
        &self,
        value: Spanned<'_, '_>,
        positive: Option<Spanned<'_, '_>>,
        places: &mut Places,
    ) -> Read<Vec<String>> {
        let mut classes = self.texts(value, &mut places.classes)?;
        if let Some(positive) = positive {
            if classes.len() != 2 {
                return self.refused(&positive.span(), "positive: only of two classes");
            }
            let named = self.text(positive)?;
            match classes.iter().position(|class| *class == named) {
                Some(place) => {
                    classes[place..].rotate_left(1);
                    places.classes[place..].rotate_left(1);
                }
                None => return self.refused(&positive.span(), "positive must be one of the classes"),
            }
        }
        Ok(classes)
    }

    /// What a column is; `None` if it is not read.
    fn column(
        &self,
        name: &str,
        value: Spanned<'_, '_>,
        of_levels: &mut Vec<Range<usize>>,
    ) -> Read<Option<Kind>> {
        let name = shown(name);
        let prefixed =
            |error: SchemaError| SchemaError { reason: format!("\"{name}\": {}", error.reason), ..error };
        let kind = match value.get_ref() {
            DeValue::String(text) if text == TO_DO => self.refused(&value.span(), FILL_IN),
            DeValue::Array(list) if list.iter().any(|it| matches!(it.get_ref(), DeValue::String(_))) => self
                .texts(value, of_levels)
                .map(|levels| Some(Kind::Levels(Levels { levels, ..Levels::default() }))),
            DeValue::Array(_) => self.range(value).map(|range| Some(number(range))),
            DeValue::Table(_) => self.described(value, of_levels),
            _ => self.refused(
                &value.span(),
                "must be [LOW, HIGH], [\"LEVEL\", …], or { range = … }, { levels = … }, { ignore = true }",
            ),
        };
        kind.map_err(prefixed)
    }

    fn described(&self, value: Spanned<'_, '_>, of_levels: &mut Vec<Range<usize>>) -> Read<Option<Kind>> {
        let entry = self.table(value, "a table")?;
        let kinds = [entry.get("range"), entry.get("levels"), entry.get("ignore")];
        let quotes = "; a name with a point in it needs quotes";
        match kinds {
            [Some(range), None, None] => {
                let allowed = format!("known beside range are scale, log and missing{quotes}");
                self.known(&entry, &["range", "scale", "log", "missing"], &allowed)?;
                let range = self.range(range)?;
                let scale = entry.get("scale").map_or(Ok(Scale::default()), |it| self.scale(it))?;
                let log = entry.get("log").map_or(Ok(false), |it| self.truth(it))?;
                let missing = entry.get("missing").map(|it| self.number(it)).transpose()?;
                Ok(Some(Kind::Number(Number { range, scale, log, missing })))
            }
            [None, Some(levels), None] => {
                let allowed = format!("known beside levels are other and missing{quotes}");
                self.known(&entry, &["levels", "other", "missing"], &allowed)?;
                let levels = self.texts(levels, of_levels)?;
                let other = entry.get("other").map(|it| self.text(it)).transpose()?;
                let missing = entry.get("missing").map(|it| self.text(it)).transpose()?;
                Ok(Some(Kind::Levels(Levels { levels, other, missing })))
            }
            [None, None, Some(ignore)] => {
                self.known(&entry, &["ignore"], "nothing else is allowed beside ignore")?;
                if self.truth(ignore)? {
                    Ok(None)
                } else {
                    self.refused(&ignore.span(), "must be ignore = true")
                }
            }
            _ => self.refused(&entry.span, format!("one of range, levels and ignore is needed{quotes}")),
        }
    }

    fn table<'a, 'i>(&self, value: Spanned<'a, 'i>, allowed: &str) -> Read<SchemaLine<'a, 'i>> {
        match value.get_ref() {
            DeValue::Table(table) => Ok(SchemaLine { table, span: value.span() }),
            _ => self.refused(&value.span(), format!("must be {allowed}")),
        }
    }

    /// A text without the blanks around it.
    fn text(&self, value: Spanned<'_, '_>) -> Read<String> {
        match value.get_ref() {
            DeValue::String(text) => Ok(text.trim_ascii().to_owned()),
            _ => self.refused(&value.span(), "must be a text in quotes"),
        }
    }

    fn texts(&self, value: Spanned<'_, '_>, spans: &mut Vec<Range<usize>>) -> Read<Vec<String>> {
        let DeValue::Array(list) = value.get_ref() else {
            return self
                .refused(&value.span(), "must be a list of texts in quotes, such as [\"no\", \"yes\"]");
        };
        spans.extend(list.iter().map(toml::Spanned::span));
        list.iter().map(|it| self.text(it)).collect()
    }

    fn range(&self, value: Spanned<'_, '_>) -> Read<[f64; 2]> {
        match value.get_ref() {
            DeValue::Array(ends) => match ends.iter().collect::<Vec<_>>()[..] {
                [low, high] => Ok([self.number(low)?, self.number(high)?]),
                _ => self.refused(&value.span(), "must be two finite numbers LOW < HIGH, such as [8, 15]"),
            },
            _ => self.refused(&value.span(), "must be two finite numbers LOW < HIGH, such as [8, 15]"),
        }
    }

    /// A number that a person writes is read as the nearest f64.
    fn number(&self, value: Spanned<'_, '_>) -> Read<f64> {
        let number = match value.get_ref() {
            DeValue::Float(float) => float.as_str().replace('_', "").parse().ok(),
            DeValue::Integer(integer) if integer.radix() == 10 => {
                integer.as_str().replace('_', "").parse().ok()
            }
            _ => None,
        };
        match number.filter(|number: &f64| number.is_finite()) {
            Some(number) => Ok(number),
            None => self.refused(&value.span(), "must be a finite number"),
        }
    }

    fn truth(&self, value: Spanned<'_, '_>) -> Read<bool> {
        match value.get_ref() {
            DeValue::Boolean(truth) => Ok(*truth),
            _ => self.refused(&value.span(), "must be true or false"),
        }
    }

    fn scale(&self, value: Spanned<'_, '_>) -> Read<Scale> {
        match value.get_ref() {
            DeValue::String(text) if text == "[-1,1]" => Ok(Scale::Symmetric),
            DeValue::String(text) if text == "[0,1]" => Ok(Scale::Unit),
            _ => self.refused(&value.span(), "scale must be \"[-1,1]\" or \"[0,1]\""),
        }
    }
}

fn number(range: [f64; 2]) -> Kind {
    Kind::Number(Number { range, scale: Scale::default(), log: false, missing: None })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_survives_as_a_key() {
        for name in ["pH", "a \"b\"", "back\\slash", "größe = 1:2", "a.b", "#x", "'"] {
            let text = schema_to_fill_in(&[name.to_owned(), "y".to_owned()], Some("y"));
            assert!(read_schema(&text).unwrap_err().reason.contains("not filled in"), "{text}");
            let filled = text.replace("classes = \"?\"", "at_least = 1").replace("= \"?\"", "= [0, 1]");
            assert_eq!(read_schema(&filled).unwrap().parameter_names(), [name], "{filled}");
        }
    }
}
