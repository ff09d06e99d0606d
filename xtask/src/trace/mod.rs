//! From each result of the paper to the code, and back: reads `spec/trace.toml` and checks it.
//!
//! The sources are parsed, not searched: a code path resolves through the module tree from `src/lib.rs`, and one that
//! starts with the name of another crate of the workspace (`asap_contracts::…`) through that crate's. A test is a
//! function with `#[test]` or one in a `quickcheck!` block, a harness is a function `verify_…` below `proofs/`. Both
//! directions are read: what the table names must exist and carry the id in its documentation, and every id in the
//! documentation must be in the table.
//!
//! The theorems of `proofs/coq/` are parsed as well. What the table names must be a theorem with a finished proof, and
//! each of its hypotheses must be mapped, in `proofs/contracts.toml`, to what discharges it: a check at run time, a
//! harness, another theorem, a test, a written proof or a named assumption.
//!
//! ```no_run
//! use asap_xtask::trace::Trace;
//!
//! let trace = Trace::load(".".as_ref())?;
//! for problem in trace.problems() {
//!     println!("{problem}");
//! }
//! println!("{}", trace.to_text());
//! # Ok::<(), asap_xtask::trace::TraceError>(())
//! ```

mod bridge;
mod calls;
mod check;
mod contracts;
mod coq;
mod crates;
mod functions;
mod graph;
mod html;
mod labels;
mod names;
mod pages;
mod problem;
mod reach;
mod report;
mod source;
mod spelling;
mod statement;
mod table;
mod trusted;
mod walk;

use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

pub use contracts::{Contracts, Discharge, Discharges, File, Record, Theorem};
pub use functions::{Evidence, Function};
pub use labels::labels_of_latex;
pub use problem::{Kind, Problem};
pub use reach::{Excuse, MechanismRoots, Questions};
pub use report::{Link, Row};
pub use table::{Entry, Proof, Status};
pub use trusted::{Read, Trusted};

use coq::Theories;
use graph::Graph;
use labels::Label;
use pages::Pages;
use source::Source;

/// Why the table could not be read at all.
#[derive(Debug, thiserror::Error)]
pub enum TraceError {
    /// A required file cannot be read.
    #[error("{path}: {error}")]
    Unreadable {
        /// The file, relative to the root of the repository.
        path: String,
        /// What the operating system says.
        error: std::io::Error,
    },
    /// A file does not parse.
    #[error("{path}: {reason}")]
    Malformed {
        /// The file, relative to the root of the repository.
        path: String,
        /// What the parser says.
        reason: String,
    },
}

/// The table, the pages and the parsed sources, with everything that does not fit together.
#[derive(Debug)]
pub struct Trace {
    root: Root,
    entries: Vec<Entry>,
    labels: Vec<Label>,
    pages: Pages,
    source: Source,
    graph: Graph,
    theories: Theories,
    contracts: Contracts,
    questions: Questions,
    /// The titles in `spec/assumptions.md`.
    assumptions: Vec<String>,
    problems: Vec<Problem>,
}

impl Trace {
    /// Reads the repository below `root` and checks it.
    pub fn load(root: &Path) -> Result<Self, TraceError> {
        let root = Root { path: root.to_path_buf(), read: Mutex::default() };
        let entries = table::parse(&root.read("spec/trace.toml")?)
            .map_err(|reason| TraceError::Malformed { path: "spec/trace.toml".into(), reason })?;
        let labels = labels::parse(&root.read("spec/labels.txt")?);
        let pages = Pages::read(&root)?;
        let (source, files) = walk::read(&root)?;
        let graph = Graph::new(&source, &files);
        let theories = Theories::read(&root)?;
        let contracts = Contracts::parse(&root.read(contracts::FILE)?)
            .map_err(|reason| TraceError::Malformed { path: contracts::FILE.into(), reason })?;
        let questions = Questions::parse(&root.read(reach::FILE)?)
            .map_err(|reason| TraceError::Malformed { path: reach::FILE.into(), reason })?;
        let assumptions = pages::assumptions(&root.read("spec/assumptions.md")?);
        let problems = Vec::new();
        let mut trace = Self {
            root,
            entries,
            labels,
            pages,
            source,
            graph,
            theories,
            contracts,
            questions,
            assumptions,
            problems,
        };
        trace.problems = check::problems(&trace);
        Ok(trace)
    }

    /// What does not fit together; empty for a sound table.
    pub fn problems(&self) -> &[Problem] {
        &self.problems
    }

    /// Every file that was read.
    pub fn inputs(&self) -> Vec<PathBuf> {
        self.root.read.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The entries in the order of the table.
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }
}

/// The root of a repository; all paths in messages are relative to it, with `/`.
#[derive(Debug)]
struct Root {
    path: PathBuf,
    /// What was read.
    read: Mutex<Vec<PathBuf>>,
}

impl Root {
    fn read(&self, path: &str) -> Result<String, TraceError> {
        let file = self.path.join(path);
        self.read.lock().unwrap_or_else(PoisonError::into_inner).push(file.clone());
        std::fs::read_to_string(file).map_err(|error| TraceError::Unreadable { path: path.to_owned(), error })
    }

    fn has(&self, path: &str) -> bool {
        self.path.join(path).exists()
    }

    /// Files below a directory with this extension, sorted; none if the directory is absent.
    fn files(&self, directory: &str, extension: &str) -> Result<Vec<String>, TraceError> {
        if !self.has(directory) {
            return Ok(Vec::new());
        }
        let unreadable = |error| TraceError::Unreadable { path: directory.to_owned(), error };
        let mut found = Vec::new();
        for entry in std::fs::read_dir(self.path.join(directory)).map_err(unreadable)? {
            let name = entry.map_err(unreadable)?.file_name().to_string_lossy().into_owned();
            let path = format!("{directory}/{name}");
            if self.path.join(&path).is_dir() {
                found.extend(self.files(&path, extension)?);
            } else if Path::new(&name).extension().is_some_and(|e| e == extension) {
                found.push(path);
            }
        }
        found.sort();
        Ok(found)
    }
}
