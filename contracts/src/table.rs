//! The schema of a table: what its columns are, in public, and how a cell becomes numbers. spec: `own:schema`
//!
//! These types hold data; [`Schema::fault`] decides whether they are a schema. Nothing in it may come from the records.

mod spelling;

use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// What the columns of a table are. spec: `own:schema`
///
/// The parameters of a model belong to the features in their order: one for each number, then one for each level of
/// each column of levels. What is a number stands before what has levels.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Schema {
    /// The texts of a cell that is missing, without blanks around them.
    pub marks: Vec<String>,
    /// The columns that a prediction is made from.
    pub features: Vec<Feature>,
    /// The column that is predicted.
    pub target: Target,
    /// The ignored columns.
    pub ignored: Vec<String>,
    /// The column that says whom a row is about, where several rows may be about one person.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub person: Option<PersonColumn>,
}

/// The column that says whom a row is about. spec: `own:persons`
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PersonColumn {
    /// Its name.
    pub name: String,
    /// Of each person so many rows are taken at most, the first ones.
    pub rows: u64,
}

/// A column that a prediction is made from.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Feature {
    /// Its name.
    pub name: String,
    /// What its cells are.
    pub kind: Kind,
}

/// What the cells of a feature are.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// Finite numbers that are taken as they are: nothing is promised of them but the bound of the whole row.
    Plain(Plain),
    /// Numbers of a public range.
    Number(Number),
    /// Texts of a public list: one number for each. At most one is 1, and the others are 0.
    Levels(Levels),
}

/// Finite numbers that are taken as they are.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Plain {
    /// What stands for a missing cell; without it there may be none.
    pub missing: Option<f64>,
}

/// Numbers of a public range: one outside it is moved to the nearer end, then all are scaled.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Number {
    /// The ends.
    pub range: [f64; 2],
    /// Where the ends are moved to.
    pub scale: Scale,
    /// Whether `ln(1 + x − low)` is scaled instead of x.
    pub log: bool,
    /// What stands for a missing cell, in the units of the table; without it there may be none.
    pub missing: Option<f64>,
}

/// Where the ends of a range are moved to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Scale {
    /// −1 and 1.
    #[default]
    #[serde(rename = "[-1,1]")]
    Symmetric,
    /// 0 and 1.
    #[serde(rename = "[0,1]")]
    Unit,
}

/// Texts of a public list.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Levels {
    /// The texts, without blanks around them.
    pub levels: Vec<String>,
    /// Which of them stands for every other text; without it all numbers are 0.
    pub other: Option<String>,
    /// Which of them stands for a missing cell; without it a missing cell counts as another text.
    pub missing: Option<String>,
}

/// The column that is predicted.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Target {
    /// Its name.
    pub name: String,
    /// What its cells are.
    pub kind: TargetKind,
    /// Of classes: how much a record of each class counts, in their order; of two the positive one is last.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub weights: Option<Vec<f64>>,
}

/// What the cells of the target are.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TargetKind {
    /// Finite numbers that are taken as they are; where the loss has classes, 1, and 0 or −1.
    Plain(Plain),
    /// Numbers of a public range, scaled to [−1, 1].
    Range(TargetRange),
    /// Numbers: those that are not below a limit are the positive class.
    Threshold(Threshold),
    /// Texts of two classes or more.
    Classes(Classes),
}

/// Targets that are numbers of a public range.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TargetRange {
    /// The ends.
    pub range: [f64; 2],
    /// What stands for a missing cell; without it there may be none.
    pub missing: Option<f64>,
}

/// Numbers that are of the positive class from a limit on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Threshold {
    /// The least number of the positive class.
    pub at_least: f64,
    /// What stands for a missing cell; without it there may be none.
    pub missing: Option<f64>,
}

/// The texts of two classes or more.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Classes {
    /// The texts, without blanks around them; of two the last is the positive class.
    pub classes: Vec<String>,
    /// Which of them stands for a missing cell; without it there may be none.
    pub missing: Option<String>,
}

/// Why something is no schema.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// Where.
    pub place: Place,
    /// What is allowed there.
    pub allowed: &'static str,
}

/// A place in a schema.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// The schema as a whole.
    Whole,
    /// A mark of missing cells, from 0.
    Mark(usize),
    /// A feature, from 0.
    Feature(usize),
    /// A level of a feature, both from 0.
    Level(usize, usize),
    /// The target.
    Target,
    /// A class of the target, from 0.
    Class(usize),
    /// An ignored column, from 0.
    Ignored(usize),
    /// The column of persons.
    Person,
}

/// Whether two numbers are the ends of a range: finite, in order, with a finite difference.
pub fn is_range([low, high]: [f64; 2]) -> bool {
    // A difference of two numbers that is not finite rounds to infinity.
    low < high && (high - low).is_finite()
}

const WEIGHTS: &str =
    "`weights` of classes: a finite number greater than 0 for each, none of them a million times another";

/// Weights of two classes as parts of the larger one. spec: `own:class-weights`
pub fn relative_weights([other, positive]: [f64; 2]) -> Option<[f64; 2]> {
    let largest = other.max(positive);
    // What is no number fails every comparison.
    let usable = |weight: f64| weight > 0.0 && weight.is_finite() && weight >= 1e-6 * largest;
    (usable(other) && usable(positive)).then(|| [other / largest, positive / largest])
}

/// How much the rest counts and how much one class, where each class has a weight: the rest as much as the class that
/// counts least. Both as parts of the larger one. spec: `own:one-against-rest`
pub fn weights_against_rest(weights: &[f64], class: usize) -> Option<[f64; 2]> {
    let least = weights.iter().copied().fold(f64::INFINITY, f64::min);
    relative_weights([least, *weights.get(class)?])
}

impl Target {
    /// How many classes there are; none where a number is predicted.
    pub fn class_count(&self) -> Option<usize> {
        match &self.kind {
            TargetKind::Classes(it) => Some(it.classes.len()),
            TargetKind::Threshold(_) => Some(2),
            TargetKind::Plain(_) | TargetKind::Range(_) => None,
        }
    }

    /// Whether there is a weight for each class, none of them a million times another.
    fn has_usable_weights(&self, weights: &[f64]) -> bool {
        self.class_count() == Some(weights.len())
            && (0..weights.len()).all(|class| weights_against_rest(weights, class).is_some())
    }
}

impl Schema {
    /// There are never more classes.
    pub const MOST_CLASSES: usize = 100;

    /// There are never more levels in one column.
    pub const MOST_LEVELS: usize = 10_000;

    /// There are never more parameters of features.
    pub const MOST_PARAMETERS: usize = 1_000_000;

    /// There are never more rows of one person.
    pub const MOST_ROWS_PER_PERSON: u64 = 1_000_000;

    /// What stands for a missing cell unless a schema says otherwise.
    pub const USUAL_MARKS: [&'static str; 3] = ["", "?", "NA"];

    /// Numbers that are taken as they are: names, and nothing else.
    pub fn plain(features: impl IntoIterator<Item = String>, target: impl Into<String>) -> Self {
        let plain = |name| Feature { name, kind: Kind::Plain(Plain::default()) };
        Self {
            marks: Vec::new(),
            features: features.into_iter().map(plain).collect(),
            target: Target { name: target.into(), kind: TargetKind::Plain(Plain::default()), weights: None },
            ignored: Vec::new(),
            person: None,
        }
    }

    /// Whether a column is taken as it is, so its units are not known here.
    pub fn has_plain(&self) -> bool {
        self.features.iter().any(|feature| matches!(feature.kind, Kind::Plain(_)))
    }

    /// Whether nothing but names is said: every column is taken as it is.
    pub fn says_names_only(&self) -> bool {
        matches!(self.target.kind, TargetKind::Plain(Plain { missing: None }))
            && self.features.iter().all(|it| matches!(it.kind, Kind::Plain(Plain { missing: None })))
    }

    /// The names of all columns.
    pub fn columns(&self) -> impl Iterator<Item = &String> {
        let person = self.person.as_ref().map(|person| &person.name);
        self.features.iter().map(|it| &it.name).chain([&self.target.name]).chain(&self.ignored).chain(person)
    }

    /// The number of features that are numbers; they are the first ones.
    pub fn numbers(&self) -> usize {
        self.features.iter().filter(|feature| !matches!(feature.kind, Kind::Levels(_))).count()
    }

    /// The numbers of levels of the columns that have levels, in their order.
    pub fn blocks(&self) -> Vec<usize> {
        let block = |feature: &Feature| match &feature.kind {
            Kind::Levels(levels) => Some(levels.levels.len()),
            Kind::Plain(_) | Kind::Number(_) => None,
        };
        self.features.iter().filter_map(block).collect()
    }

    /// How many numbers a row becomes: the parameters of the features, without the intercept.
    pub fn parameters(&self) -> usize {
        self.blocks().into_iter().fold(self.numbers(), usize::saturating_add)
    }

    /// A name for each parameter: that of its column, and of its level where it has some.
    pub fn parameter_names(&self) -> Vec<String> {
        let names = |feature: &Feature| match &feature.kind {
            Kind::Levels(levels) => {
                levels.levels.iter().map(|level| format!("{}={level}", feature.name)).collect()
            }
            Kind::Plain(_) | Kind::Number(_) => vec![feature.name.clone()],
        };
        self.features.iter().flat_map(names).collect()
    }

    /// The first reason why this is no schema; `None` if it is one.
    pub fn fault(&self) -> Option<Fault> {
        self.faults().err()
    }

    fn faults(&self) -> Result<(), Fault> {
        self.faults_of_marks()?;
        if self.features.is_empty() {
            return fault(Place::Whole, "at least one column that is not ignored, besides the target");
        }
        if self.parameters() > Self::MOST_PARAMETERS {
            return fault(Place::Whole, "at most 1000000 numbers and levels together");
        }
        self.faults_of_names()?;
        let rows = self.person.as_ref().map_or(1, |person| person.rows);
        if !(1..=Self::MOST_ROWS_PER_PERSON).contains(&rows) {
            return fault(Place::Person, "1 to 1000000 rows of a person");
        }
        let levels_begin = self.numbers();
        for (k, feature) in self.features.iter().enumerate() {
            if matches!(feature.kind, Kind::Levels(_)) != (k >= levels_begin) {
                return fault(Place::Feature(k), "columns of levels behind all others");
            }
            self.faults_of_feature(k, &feature.kind)?;
        }
        self.faults_of_target()
    }

    fn faults_of_marks(&self) -> Result<(), Fault> {
        let mut seen = BTreeSet::new();
        for (k, mark) in self.marks.iter().enumerate() {
            if !seen.insert(mark) || !spelling::is_trimmed(mark) || k >= 100 {
                return fault(Place::Mark(k), "at most 100 different texts without blanks around them");
            }
        }
        Ok(())
    }

    /// Every column once, by a name that no other one is taken for. Where all columns are taken as
    /// they are, a name is a label.
    fn faults_of_names(&self) -> Result<(), Fault> {
        if self.features.iter().all(|it| matches!(it.kind, Kind::Plain(_))) {
            return Ok(());
        }
        let features = self.features.iter().enumerate().map(|(k, it)| (Place::Feature(k), &it.name));
        let ignored = self.ignored.iter().enumerate().map(|(k, name)| (Place::Ignored(k), name));
        let person = self.person.as_ref().map(|person| (Place::Person, &person.name));
        let target = [(Place::Target, &self.target.name)].into_iter();
        let mut seen = BTreeMap::new();
        for (place, name) in target.chain(features).chain(ignored).chain(person) {
            if let Err(allowed) = spelling::is_told(name, &mut seen) {
                return fault(place, allowed);
            }
        }
        Ok(())
    }

    fn faults_of_feature(&self, k: usize, kind: &Kind) -> Result<(), Fault> {
        let place = Place::Feature(k);
        match kind {
            Kind::Plain(Plain { missing }) => fault_of_number(place, *missing),
            Kind::Number(Number { range, missing, .. }) => fault_of_range(place, *range, *missing),
            Kind::Levels(Levels { levels, other, missing }) => {
                if !(1..=Self::MOST_LEVELS).contains(&levels.len()) {
                    return fault(place, "1 to 10000 levels");
                }
                self.faults_of_texts(levels, |j| Place::Level(k, j))?;
                for named in [other, missing].into_iter().flatten() {
                    if !levels.contains(named) {
                        return fault(place, "`other` and `missing` that are one of the levels");
                    }
                }
                Ok(())
            }
        }
    }

    fn faults_of_target(&self) -> Result<(), Fault> {
        let place = Place::Target;
        if self.target.weights.as_ref().is_some_and(|weights| !self.target.has_usable_weights(weights)) {
            return fault(place, WEIGHTS);
        }
        match &self.target.kind {
            TargetKind::Plain(Plain { missing }) => fault_of_number(place, *missing),
            TargetKind::Range(TargetRange { range, missing }) => fault_of_range(place, *range, *missing),
            TargetKind::Threshold(Threshold { at_least, missing }) => {
                fault_of_number(place, Some(*at_least))?;
                fault_of_number(place, *missing)
            }
            TargetKind::Classes(Classes { classes, missing }) => {
                if !(2..=Self::MOST_CLASSES).contains(&classes.len()) {
                    return fault(place, "2 to 100 classes; of two the last is the positive one");
                }
                self.faults_of_texts(classes, Place::Class)?;
                match missing {
                    Some(named) if !classes.contains(named) => {
                        fault(place, "`missing` that is one of the classes")
                    }
                    _ => Ok(()),
                }
            }
        }
    }

    /// Texts that a cell is compared with: each once, none of them a mark, none taken for another.
    fn faults_of_texts(&self, texts: &[String], place: impl Fn(usize) -> Place) -> Result<(), Fault> {
        let mut seen = BTreeMap::new();
        for (j, text) in texts.iter().enumerate() {
            if self.marks.contains(text) {
                return fault(place(j), "a text that is no mark of missing cells");
            }
            if let Err(allowed) = spelling::is_told(text, &mut seen) {
                return fault(place(j), allowed);
            }
        }
        Ok(())
    }
}

/// Whether no text is empty, hidden or taken for another one. spec: `own:schema`
pub(crate) fn are_told_apart<'a>(texts: impl Iterator<Item = &'a String>) -> bool {
    let mut seen = BTreeMap::new();
    texts.into_iter().all(|text| spelling::is_told(text, &mut seen).is_ok())
}

fn fault<T>(place: Place, allowed: &'static str) -> Result<T, Fault> {
    Err(Fault { place, allowed })
}

fn fault_of_number(place: Place, number: Option<f64>) -> Result<(), Fault> {
    if number.is_none_or(f64::is_finite) { Ok(()) } else { fault(place, "a finite number") }
}

fn fault_of_range(place: Place, range: [f64; 2], missing: Option<f64>) -> Result<(), Fault> {
    if !is_range(range) {
        return fault(
            place,
            "a range of two finite numbers LOW < HIGH with a finite difference, such as [8, 15]",
        );
    }
    match missing {
        Some(value) if !(range[0] <= value && value <= range[1]) => {
            fault(place, "`missing` that is a number within the range")
        }
        _ => Ok(()),
    }
}
