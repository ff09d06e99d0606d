//! What the files of `proofs/coq/` declare. They are parsed, as far as statements go: a name in a comment, in a string
//! or in an abandoned proof is not a theorem.

mod lexer;
mod term;
mod theory;

use std::collections::{BTreeMap, BTreeSet};

use super::{Root, TraceError};
pub(super) use term::Bound;
pub(super) use theory::{Declaration, Sort};

/// Where the files are.
pub(super) const FOLDER: &str = "proofs/coq";

/// Predicates of the libraries that the theorems use as premises.
const LIBRARY: [&str; 12] = [
    "measurable",
    "measurable_fun",
    "is_true",
    "symmetric",
    "reflexive",
    "transitive",
    "injective",
    "bounded",
    "is_cvg",
    "convex",
    "integrable",
    "continuous",
];

/// Why a file could not be read.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Mistake {
    line: usize,
    reason: String,
}

impl Mistake {
    fn new(line: usize, reason: &str) -> Self {
        Self { line, reason: reason.to_owned() }
    }
}

/// A declaration with its file.
#[derive(Debug)]
pub(super) struct Located {
    pub(super) file: String,
    pub(super) declaration: Declaration,
}

/// All declarations, by `File.name`.
#[derive(Debug, Default)]
pub(super) struct Theories {
    /// The files, without folder and `.v`.
    files: Vec<String>,
    /// The last parts of the names that make propositions.
    predicates: BTreeSet<String>,
    pub(super) declarations: BTreeMap<String, Located>,
}

impl Theories {
    pub(super) fn read(root: &Root) -> Result<Self, TraceError> {
        let mut theories = Self::default();
        for file in root.files(FOLDER, "v")? {
            theories.files.push(stem(&file).to_owned());
            let malformed =
                |Mistake { line, reason }| TraceError::Malformed { path: format!("{file}:{line}"), reason };
            for declaration in theory::parse(&root.read(&file)?).map_err(malformed)? {
                let name = format!("{}.{}", stem(&file), declaration.name);
                if declaration.predicate {
                    theories.predicates.extend(name.rsplit('.').next().map(str::to_owned));
                }
                theories.declarations.insert(name, Located { file: file.clone(), declaration });
            }
        }
        Ok(theories)
    }

    /// A proved theorem.
    pub(super) fn theorem(&self, name: &str) -> Option<&Located> {
        self.declarations.get(name).filter(|found| found.declaration.sort == Sort::Theorem)
    }

    /// Whether a name, with or without its file, makes propositions.
    pub(super) fn is_predicate(&self, name: &str) -> bool {
        let last = name.rsplit('.').next().unwrap_or(name);
        LIBRARY.contains(&last) || self.predicates.contains(last)
    }

    /// Whether prose may say `File.name` or `File.v`: it exists, or File is no Coq file and it means something else.
    pub(super) fn may_be_named(&self, name: &str) -> bool {
        match name.split_once('.') {
            Some((file, "v")) => self.files.iter().any(|known| known == file),
            Some((file, _)) => {
                self.declarations.contains_key(name) || self.files.iter().all(|known| known != file)
            }
            None => true,
        }
    }

    /// The last parts of all names.
    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        self.declarations.keys().filter_map(|name| name.rsplit('.').next())
    }
}

/// `File` of `folder/File.v`.
fn stem(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path).trim_end_matches(".v")
}
