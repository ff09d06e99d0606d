//! What you must read to believe one release: `cargo xtask trusted MECHANISM`.
//!
//! It counts the lines, comments included, of every file that a release reaches, without tests and harnesses, without
//! the functions, types and constants in it that the release does not reach, and without proposals: code whose results
//! other code accepts or refuses.

use core::fmt::Write as _;
use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use super::graph::{Node, Reached, Sort};
use super::reach::{Excuse, MechanismRoots, within};
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

/// The lines of one file that are to be read, with their numbers.
struct Kept {
    file: String,
    functions: usize,
    lines: Vec<(usize, String)>,
}

/// What a release of one mechanism rests on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Trusted {
    /// As on the command line.
    pub mechanism: String,
    /// What is counted, where it is one of several ways.
    pub way: Option<String>,
    /// So many lines are allowed.
    pub most: usize,
    /// So many lines of code are allowed.
    pub most_code: usize,
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
        let Some(roots) = self.questions.roots_of(mechanism) else { return Ok(None) };
        let with = self.lines(&self.reached_by(&roots))?;
        let files = self.lines(&self.reached_by(&self.without_proposals(&roots)))?;
        let sum = |files: &[Read]| files.iter().map(|file| file.lines).sum::<usize>();
        let proposed = sum(&with) - sum(&files);
        let MechanismRoots { most, code: most_code, way, .. } = roots;
        Ok(Some(Trusted { mechanism: mechanism.to_owned(), way, most, most_code, files, proposed }))
    }

    /// Everything that a release of a mechanism reaches, with its lines and with what led there first.
    pub fn trusted_items(&self, mechanism: &str) -> Option<String> {
        let roots = self.questions.roots_of(mechanism)?;
        let reached = self.reached_by(&self.without_proposals(&roots));
        let mut text = String::new();
        for (k, node) in self.graph.nodes.iter().enumerate().filter(|(k, _)| reached.has(*k)) {
            let Node { path, file, lines: (first, last), .. } = node;
            let from = reached.from[k].map_or("–", |from| self.graph.nodes[from].path.as_str());
            let _ = writeln!(text, "{file}:{first}\t{}\t{path}\t{from}", last + 1 - first);
        }
        Some(text)
    }

    /// The roots of a mechanism, with proposals among the branches that are not taken.
    fn without_proposals(&self, roots: &MechanismRoots) -> MechanismRoots {
        let concerns = |excuse: &&Excuse| {
            let concerns = |name: &String| *name == roots.name || Some(name) == roots.of.as_ref();
            excuse.mechanisms.is_empty() || excuse.mechanisms.iter().any(concerns)
        };
        let proposals = self.questions.proposal.iter().filter(concerns).map(|excuse| excuse.path.clone());
        let without = roots.without.iter().cloned().chain(proposals).collect();
        MechanismRoots { without, ..roots.clone() }
    }

    /// What is to be read for a release of a mechanism, file by file, every line with its number.
    pub fn trusted_source(&self, mechanism: &str) -> Result<Option<String>, TraceError> {
        let Some(roots) = self.questions.roots_of(mechanism) else { return Ok(None) };
        let mut text = String::new();
        for Kept { file, lines, .. } in self.kept(&self.reached_by(&self.without_proposals(&roots)))? {
            let _ = writeln!(text, "── {file}");
            for (k, line) in lines {
                let _ = writeln!(text, "{k:5}  {line}");
            }
        }
        Ok(Some(text))
    }

    /// The number of lines to read of every file with something that is reached.
    fn lines(&self, reached: &Reached) -> Result<Vec<Read>, TraceError> {
        let is_code =
            |(_, line): &&(usize, String)| !line.trim().is_empty() && !line.trim_start().starts_with("//");
        let read = |Kept { file, functions, lines }| {
            let (all, code) = (lines.len(), lines.iter().filter(is_code).count());
            Read { file, lines: all, code, functions }
        };
        Ok(self.kept(reached)?.into_iter().map(read).collect())
    }

    /// The lines to read of every file with something that is reached.
    fn kept(&self, reached: &Reached) -> Result<Vec<Kept>, TraceError> {
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
        let read = |path: &str| {
            graph.nodes.iter().enumerate().any(|(k, node)| reached.has(k) && within(&node.path, path))
        };
        for (file, lines, named) in &graph.named {
            if functions.contains_key(file.as_str()) && !named.iter().any(|path| read(path)) {
                skip(file, *lines);
            }
        }
        let mut found = Vec::new();
        for (file, functions) in functions {
            let text = self.root.read(file)?;
            let none = BTreeSet::new();
            let skipped = skipped.get(file).unwrap_or(&none);
            let (mut lines, mut before, mut example) = (Vec::new(), true, false);
            for (k, line) in text.lines().enumerate() {
                // What stands between ``` in documentation is a test.
                let fence = documentation(line).is_some_and(|text| text.starts_with("```"));
                example = example && documentation(line).is_some();
                let tested = example || fence;
                example ^= fence;
                if tested {
                    continue;
                }
                // A blank line goes with what stands before it.
                before = if line.trim().is_empty() { before } else { !skipped.contains(&(k + 1)) };
                if before && !skipped.contains(&(k + 1)) {
                    lines.push((k + 1, line.to_owned()));
                }
            }
            found.push(Kept { file: file.to_owned(), functions, lines });
        }
        Ok(found)
    }

    fn all_trusted(&self) -> Result<Vec<Trusted>, TraceError> {
        self.mechanisms().filter_map(|name| self.trusted(name).transpose()).collect()
    }

    /// The sentence of the README: each mechanism as a whole, so that it holds for a table with a schema too.
    pub fn trusted_line(&self) -> Result<String, TraceError> {
        let all = self.all_trusted()?;
        let wholes = all.iter().filter_map(|one| Some((one.mechanism.strip_suffix("-whole")?, one.code())));
        let each: Vec<String> = wholes.map(|(mechanism, code)| format!("{mechanism} {code}")).collect();
        Ok(format!("Lines of code to read for one release, comments aside: {}.\n", each.join(", ")))
    }

    /// `spec/trusted.md`.
    pub fn trusted_markdown(&self) -> Result<String, TraceError> {
        let mut text = String::from(HEADER);
        let all = self.all_trusted()?;
        for trusted in &all {
            let Trusted { mechanism, files, proposed, .. } = trusted;
            let contracts = files.iter().filter(|read| read.file.starts_with("contracts/"));
            let contracts: usize = contracts.map(|read| read.lines).sum();
            let (lines, code, count) = (trusted.lines(), trusted.code(), files.len());
            let _ = writeln!(text, "| {mechanism} | {count} | {lines} | {code} | {contracts} | {proposed} |");
        }
        text.push_str("\nWhat is counted where it is not the ordinary release:\n\n");
        for Trusted { mechanism, way, .. } in &all {
            if let Some(way) = way {
                let _ = writeln!(text, "* `{mechanism}`: {way}");
            }
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

/// The text of a line of documentation.
fn documentation(line: &str) -> Option<&str> {
    let line = line.trim_start();
    line.strip_prefix("///").or_else(|| line.strip_prefix("//!")).map(str::trim_start)
}

const HEADER: &str = "\
# What you must read to believe one release

Generated by `cargo xtask pages` from the call graph (`spec/reach.toml` has its roots); `cargo xtask trusted objective`
prints one column, with `--items` every function, type and variant in it and what led there first. Counted are the lines,
comments and blank lines included, of every file that a release of the mechanism reaches: from the public numbers and rows
in memory to the released bits, for a logistic loss and a secure generator; both guarantees, ε and μ; rows within one ball,
and of the posterior a release that the exact draw made. The default of the posterior falls back on the proximal sampler
where the exact draw gives up: `posterior-whole` counts both. `--source` prints the lines. Not counted:

* tests and harnesses, and examples in documentation, which are tests;
* functions, types, constants and variants that the release does not reach, and lines that only name such. The graph goes by names where types cannot be
  told (and by the number of arguments), so that it holds too much rather than too little;
* branches of other mechanisms, losses and samplers, which `spec/reach.toml` names one by one; and the schema of a table:
  names and ranges of columns are public, and a release gets them, with checks of their own, after it has left. Where the
  rows come from a file, that each is made of one record alone is to be read besides, in `src/data`;
* proposals, below: code whose results the code that is counted accepts or refuses;
* the standard library and the crates that `Cargo.toml` names.

| mechanism | files | lines | without comments | of the lines in contracts/ | lines of proposals, not counted |
|---|---|---|---|---|---|
";
