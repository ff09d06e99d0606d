//! `spec/trace.toml` as data.

use core::fmt;

use serde::{Deserialize, Serialize};

/// How sure we are of an item, and by what.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Status {
    /// The whole statement is a theorem of `proofs/coq/`; what its hypotheses rest on is in `proofs/contracts.toml`.
    Mechanised,
    /// Proved, by what [`Entry::proof`] says.
    Proved,
    /// Not proved, but a named test would notice if it were false.
    Tested,
    /// Taken as given; the entry says why.
    Assumed,
    /// Nothing in the code rests on it; the entry says why.
    NotApplicable,
}

impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Mechanised => "mechanised",
            Self::Proved => "proved",
            Self::Tested => "tested",
            Self::Assumed => "assumed",
            Self::NotApplicable => "not applicable",
        })
    }
}

/// What stands behind [`Status::Mechanised`] and [`Status::Proved`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Proof {
    /// On the page, in full.
    Written,
    /// A harness of this repository, within its stated bound.
    Kani,
    /// A theorem of `proofs/coq/`, of a part that the page names unless the status is [`Status::Mechanised`].
    Coq,
    /// In the literature; the page says where.
    Cited,
}

impl fmt::Display for Proof {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Written => "written",
            Self::Kani => "Kani",
            Self::Coq => "Coq",
            Self::Cited => "cited",
        })
    }
}

/// One id of the table.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Entry {
    /// A label of the paper, or `own:…`.
    pub id: String,
    /// File name of the page in `spec/`; by default the id with `-` for `:`.
    #[serde(default)]
    page: Option<String>,
    /// How sure we are of it.
    pub status: Status,
    /// What kind of proof there is.
    #[serde(default)]
    pub proof: Vec<Proof>,
    /// Why it is assumed or does not apply.
    #[serde(default)]
    pub reason: Option<String>,
    /// Paths of items, `module::Type::method`; those of other crates than the root's start with the crate's name.
    #[serde(default)]
    pub code: Vec<String>,
    /// Names of functions below `proofs/`.
    #[serde(default)]
    pub harnesses: Vec<String>,
    /// Theorems, `File.name`.
    #[serde(default)]
    pub coq: Vec<String>,
    /// `module::tests::name` for unit tests (with the crate's name, as for code), `tests/file.rs::name` for others.
    #[serde(default)]
    pub tests: Vec<String>,
}

impl Entry {
    /// File name of the page in `spec/`.
    pub fn page(&self) -> String {
        self.page.clone().unwrap_or_else(|| format!("{}.md", self.id.replace(':', "-")))
    }

    /// Whether it is a result of our own.
    pub fn is_own(&self) -> bool {
        self.id.starts_with("own:")
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    item: Vec<Entry>,
}

pub(super) fn parse(text: &str) -> Result<Vec<Entry>, String> {
    toml::from_str::<Table>(text).map(|table| table.item).map_err(|error| error.to_string())
}
