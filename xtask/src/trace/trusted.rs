//! What one has to read to believe one release: `cargo xtask trusted MECHANISM`.
//!
//! Counted are the lines, comments included, of every file that a release reaches, without tests and harnesses, without
//! the functions, types and constants in it that the release does not reach, and without proposals: code whose results
//! other code accepts or refuses.

use core::fmt::Write as _;
use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use super::graph::{Node, Reached, Sort};
use super::reach::{Excuse, MechanismRoots};
use super::{Trace, TraceError};

/// One file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Read {
    /// Its path below the root of the repository.
    pub file: String,
    /// Lines to read.
    pub lines: usize,
    /// Those that are neither blank nor a comment.
    pub code: usize,
    /// Functions among them.
    pub functions: usize,
}

/// What a release of one mechanism rests on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Trusted {
    /// As on the command line.
    pub mechanism: String,
    /// So many lines are allowed.
    pub most: usize,
    /// The files, by path.
    pub files: Vec<Read>,
    /// Lines of proposals that the release runs through: not counted.
    pub proposed: usize,
}

impl Trusted {
    /// All lines.
    pub fn lines(&self) -> usize {
        self.files.iter().map(|file| file.lines).sum()
    }

    /// Those that are neither blank nor a comment.
    pub fn code(&self) -> usize {
        self.files.iter().map(|file| file.code).sum()
    }

    /// For other programs.
    pub fn to_json(&self) -> Result<String, TraceError> {
        super::report::json(self)
    }

    /// A table for people.
    pub fn to_text(&self) -> String {
        let mut text = String::new();
        for Read { file, lines, functions, .. } in &self.files {
            let _ = writeln!(text, "{lines:6}  {file} ({functions} functions)");
        }
        let (lines, code, count, proposed) = (self.lines(), self.code(), self.files.len(), self.proposed);
        let _ = writeln!(
            text,
            "{lines:6}  lines in {count} files for one release by {}, {code} without comments; \
             {proposed} more propose what others decide",
            self.mechanism
        );
        text
    }
}

impl Trace {
    /// The mechanisms that can be asked for.
    pub fn mechanisms(&self) -> impl Iterator<Item = &str> {
        self.questions.mechanism.iter().map(|one| one.name.as_str())
    }

    /// What a release of a mechanism rests on; `None` for one that `spec/reach.toml` does not have.
    pub fn trusted(&self, mechanism: &str) -> Result<Option<Trusted>, TraceError> {
        let Some(roots) = self.questions.mechanism.iter().find(|one| one.name == mechanism) else {
            return Ok(None);
        };
        let with = self.lines(&self.reached_by(roots))?;
        let concerns = |excuse: &&Excuse| {
            excuse.mechanisms.is_empty() || excuse.mechanisms.iter().any(|one| one == mechanism)
        };
        let proposals = self.questions.proposal.iter().filter(concerns).map(|excuse| excuse.path.clone());
        let without = roots.without.iter().cloned().chain(proposals).collect();
        let alone = self.reached_by(&MechanismRoots { without, ..roots.clone() });
        let files = self.lines(&alone)?;
        let sum = |files: &[Read]| files.iter().map(|file| file.lines).sum::<usize>();
        let proposed = sum(&with) - sum(&files);
        Ok(Some(Trusted { mechanism: mechanism.to_owned(), most: roots.most, files, proposed }))
    }

    /// The lines to read of every file with something that is reached.
    fn lines(&self, reached: &Reached) -> Result<Vec<Read>, TraceError> {
        let graph = &self.graph;
        let mut functions = BTreeMap::<&str, usize>::new();
        let mut skipped = BTreeMap::<&str, BTreeSet<usize>>::new();
        let mut skip =
            |file, (first, last): (usize, usize)| skipped.entry(file).or_default().extend(first..=last);
        for (k, node) in graph.nodes.iter().enumerate() {
            let Node { file, sort, lines, .. } = node;
            if reached.has(k) {
                *functions.entry(file).or_default() += usize::from(*sort == Sort::Function);
            } else {
                skip(file, *lines);
            }
        }
        for (file, lines) in
            graph.gated.iter().flat_map(|(file, all)| all.iter().map(move |lines| (file, lines)))
        {
            skip(file, *lines);
        }
        for (file, lines, members) in &graph.blocks {
            if !members.is_empty() && !members.iter().any(|k| reached.has(*k)) {
                skip(file, *lines);
            }
        }
        let mut found = Vec::new();
        for (file, functions) in functions {
            let text = self.root.read(file)?;
            let none = BTreeSet::new();
            let skipped = skipped.get(file).unwrap_or(&none);
            let (mut lines, mut code, mut before) = (0, 0, true);
            for (k, line) in text.lines().enumerate() {
                // A blank line goes with what stands before it.
                before = if line.trim().is_empty() { before } else { !skipped.contains(&(k + 1)) };
                let read = before && !skipped.contains(&(k + 1));
                lines += usize::from(read);
                code += usize::from(read && !line.trim().is_empty() && !line.trim_start().starts_with("//"));
            }
            found.push(Read { file: file.to_owned(), lines, code, functions });
        }
        Ok(found)
    }

    /// `spec/trusted.md`.
    pub fn trusted_markdown(&self) -> Result<String, TraceError> {
        let mut text = String::from(HEADER);
        let mut all = Vec::new();
        for name in self.mechanisms() {
            all.extend(self.trusted(name)?);
        }
        for trusted in &all {
            let Trusted { mechanism, files, proposed, .. } = trusted;
            let contracts = files.iter().filter(|read| read.file.starts_with("contracts/"));
            let contracts: usize = contracts.map(|read| read.lines).sum();
            let (lines, code, count) = (trusted.lines(), trusted.code(), files.len());
            let _ = writeln!(text, "| {mechanism} | {count} | {lines} | {code} | {contracts} | {proposed} |");
        }
        text.push_str("\nProposals, and why a wrong one costs no privacy:\n\n");
        for excuse in &self.questions.proposal {
            let only = match excuse.mechanisms.as_slice() {
                [] => String::new(),
                names => format!(" ({})", names.join(", ")),
            };
            let _ = writeln!(text, "* `{}`{only}: {}", excuse.path, excuse.reason);
        }
        let files: BTreeSet<&str> =
            all.iter().flat_map(|one| &one.files).map(|read| read.file.as_str()).collect();
        let names: Vec<&str> = self.mechanisms().collect();
        let _ = write!(
            text,
            "\n## File by file\n\n| file | {} |\n|---|{}\n",
            names.join(" | "),
            "---|".repeat(names.len())
        );
        for file in files {
            let lines = |one: &Trusted| {
                let read = one.files.iter().find(|read| read.file == file);
                read.map_or_else(|| "–".to_owned(), |read| read.lines.to_string())
            };
            let cells: Vec<String> = all.iter().map(lines).collect();
            let _ = writeln!(text, "| `{file}` | {} |", cells.join(" | "));
        }
        Ok(text)
    }
}

const HEADER: &str = "\
# What one has to read to believe one release

Generated by `cargo xtask pages` from the call graph (`spec/reach.toml` has its roots); `cargo xtask trusted objective`
prints one column. Counted are the lines, comments included, of every file that a release of the mechanism reaches:
without tests and harnesses, without the functions, types and constants that it does not reach, and without proposals,
which code that is counted accepts or refuses. Both guarantees count, ε and μ. The graph goes by names where types
cannot be told, so that it holds too much rather than too little. The standard library and the crates that `Cargo.toml`
names are not counted.

| mechanism | files | lines | without comments | of the lines in contracts/ | lines of proposals, not counted |
|---|---|---|---|---|---|
";
