//! `proofs/contracts.toml` as data: what discharges the hypotheses of the Coq theorems.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// Where it is.
pub(super) const FILE: &str = "proofs/contracts.toml";

/// What a hypothesis rests on: at least one name, and a sentence.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Discharge {
    /// How it is discharged.
    pub says: String,
    /// Items that check it at run time, or that make it true by construction.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub check: Vec<String>,
    /// Harnesses below `proofs/`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub harness: Vec<String>,
    /// Theorems, `File.name`; each has an entry of its own.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub coq: Vec<String>,
    /// Tests, as in `spec/trace.toml`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub test: Vec<String>,
    /// Ids of `spec/trace.toml` whose pages have a written proof.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub page: Vec<String>,
    /// Titles in `spec/assumptions.md`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub assumption: Vec<String>,
    /// Records whose fields are mapped one by one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub record: Vec<String>,
}

impl Discharge {
    /// Each kind with its names, in the order in which they are shown.
    pub(super) fn kinds(&self) -> [(&'static str, &[String]); 7] {
        [
            ("check", &self.check),
            ("harness", &self.harness),
            ("coq", &self.coq),
            ("test", &self.test),
            ("page", &self.page),
            ("assumption", &self.assumption),
            ("record", &self.record),
        ]
    }
}

/// Discharges by hypothesis: its name, or a premise as it is written in the file.
pub type Discharges = BTreeMap<String, Discharge>;

/// What the statements of one file have in common.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct File {
    /// Without `.v`.
    pub name: String,
    /// What statements are quantified over: they hold for all of it, and nothing need be shown.
    #[serde(default)]
    pub data: Vec<String>,
    /// Hypotheses that mean the same wherever they stand in the file.
    #[serde(default)]
    pub hypotheses: Discharges,
}

/// One theorem, with the hypotheses that its file does not have.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Theorem {
    /// `File.name`.
    pub name: String,
    /// The mechanisms whose guarantee it states, as in `spec/reach.toml`: whatever it rests on must run on them.
    #[serde(default)]
    pub mechanisms: Vec<String>,
    /// Functions whose law or formula it speaks of.
    #[serde(default)]
    pub models: Vec<String>,
    /// As in [`File::data`].
    #[serde(default)]
    pub data: Vec<String>,
    /// What discharges its hypotheses.
    #[serde(default)]
    pub hypotheses: Discharges,
}

/// One record of contracts.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Record {
    /// `File.name`.
    pub name: String,
    /// Fields and parameters that are data.
    #[serde(default)]
    pub data: Vec<String>,
    /// What discharges its parameters.
    #[serde(default)]
    pub hypotheses: Discharges,
    /// What discharges its fields.
    #[serde(default)]
    pub fields: Discharges,
}

/// The whole file.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Contracts {
    /// What the statements of one file have in common.
    #[serde(default)]
    pub file: Vec<File>,
    /// The theorems that something rests on.
    #[serde(default)]
    pub theorem: Vec<Theorem>,
    /// Records whose fields are contracts.
    #[serde(default)]
    pub record: Vec<Record>,
    /// Public functions that privacy rests on and no machine has proved anything of, each with its reason.
    #[serde(default)]
    pub unproved: BTreeMap<String, String>,
}

impl Contracts {
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        toml::from_str(text).map_err(|error| error.to_string())
    }

    /// The entry of the file of `File.name`.
    pub(super) fn file_of(&self, name: &str) -> Option<&File> {
        let file = name.split('.').next().unwrap_or(name);
        self.file.iter().find(|entry| entry.name == file)
    }

    pub(super) fn theorem(&self, name: &str) -> Option<&Theorem> {
        self.theorem.iter().find(|entry| entry.name == name)
    }

    /// All discharges, with the name of what they belong to.
    pub(super) fn discharges(&self) -> impl Iterator<Item = (&str, &str, &Discharge)> {
        fn each<'a>(
            owner: &'a str,
            map: &'a Discharges,
        ) -> impl Iterator<Item = (&'a str, &'a str, &'a Discharge)> {
            map.iter().map(move |(key, discharge)| (owner, key.as_str(), discharge))
        }
        let files = self.file.iter().flat_map(|entry| each(&entry.name, &entry.hypotheses));
        let theorems = self.theorem.iter().flat_map(|entry| each(&entry.name, &entry.hypotheses));
        let records = self
            .record
            .iter()
            .flat_map(|entry| each(&entry.name, &entry.hypotheses).chain(each(&entry.name, &entry.fields)));
        files.chain(theorems).chain(records)
    }
}
