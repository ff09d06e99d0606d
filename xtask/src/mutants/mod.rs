//! A mutation score without a build for each mutant: one instrumented copy of the checkout holds all of them behind a
//! switch (`sites`), every test says once which of them it meets, and each mutant then runs the tests that meet it, the
//! quick ones first, until one of them fails.
//!
//! The changes are those of `cargo mutants` (operators, bodies of functions, arms and guards of a match), and also the
//! clauses of a contract, which are inside a macro, where that program does not look.

mod build;
mod judge;
mod sites;
mod values;
mod visit;

use build::{PACKAGES, Package};
use sites::{Dropped, Mutant, instrument};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{fs, io};

/// Why there is no score.
#[derive(Debug, thiserror::Error)]
pub enum MutantsError {
    /// A file or a program.
    #[error("{what}: {error}")]
    Io {
        /// Which one.
        what: String,
        /// What happened.
        error: io::Error,
    },
    /// A file that is no Rust.
    #[error("{path}: {error}")]
    Syntax {
        /// Which one.
        path: String,
        /// What happened.
        error: syn::Error,
    },
    /// The instrumented copy does not compile.
    #[error("the instrumented copy does not compile:\n{0}")]
    Build(String),
}

/// What [`score`] is asked for.
pub struct Wanted {
    /// Where the copy, its build and the results go; what is there is used again.
    pub work: PathBuf,
    /// Only files whose path begins with one of these are judged; all files if none is given.
    pub only: Vec<String>,
    /// Beginnings of the names of the tests that are asked; all unless given.
    pub tests: Vec<String>,
    /// Seconds of tests that one mutant may have.
    pub seconds: f64,
    /// Which part of the sites is judged, of how many; those whose number leaves that remainder.
    pub shard: u32,
    /// How many parts there are.
    pub shards: u32,
}

/// An area of the score, and how the paths of its files begin.
const AREAS: [(&str, &[&str]); 6] = [
    ("contracts", &["contracts/src/"]),
    ("noise", &["src/noise/"]),
    ("ledger and account", &["src/ledger.rs", "src/account", "src/privacy.rs", "src/passage.rs"]),
    ("mechanism", &["src/mechanism/"]),
    ("localisation and ASAP", &["src/localise.rs", "src/asap.rs"]),
    ("sampler", &["src/sampler/"]),
];

/// Tests, their tape, and what is compiled for the verifier only.
const LEFT_OUT: [&str; 8] = [
    "contracts/src/exact/ghost.rs",
    "contracts/src/exact/long.rs",
    "src/account/tests.rs",
    "src/mechanism/posterior/sample/tests.rs",
    "src/mechanism/posterior/tests.rs",
    "src/mechanism/tests.rs",
    "src/noise/tape.rs",
    "src/sampler/proximal/tests.rs",
];

/// The crates that are instrumented: folder of the package, and the file that gets the switch.
const CRATES: [&str; 2] = ["contracts/src/", "src/"];

fn area(path: &str) -> Option<&'static str> {
    let is_rust = Path::new(path).extension().is_some_and(|it| it == "rs");
    if LEFT_OUT.iter().any(|left_out| path.starts_with(left_out)) || !is_rust {
        return None;
    }
    AREAS.iter().find(|(_, begins)| begins.iter().any(|begin| path.starts_with(begin))).map(|(name, _)| *name)
}

fn at<T>(what: impl std::fmt::Display, result: io::Result<T>) -> Result<T, MutantsError> {
    result.map_err(|error| MutantsError::Io { what: what.to_string(), error })
}

/// Copies, instruments, builds, records, judges; the table of the score comes back, with everyone who survived.
pub fn score(root: &Path, wanted: &Wanted) -> Result<String, MutantsError> {
    at(wanted.work.display(), fs::create_dir_all(&wanted.work))?;
    let work = &at(wanted.work.display(), wanted.work.canonicalize())?;
    let tree = work.join("tree");
    let asked = |package: &&Package| {
        wanted.only.is_empty() || wanted.only.iter().any(|begin| begin.starts_with(package.begins))
    };
    let packages: Vec<&Package> = PACKAGES.iter().filter(asked).collect();
    let mut dropped = build::remembered(work)?;
    let files = files(root)?;
    let mutants = loop {
        let mutants = copy(root, &tree, &files, &dropped)?;
        let before = (dropped.mutants.len(), dropped.sites.len());
        build::check(work, &packages, &mut dropped)?;
        if before == (dropped.mutants.len(), dropped.sites.len()) {
            break mutants;
        }
    };
    let tests = judge::record(work, &wanted.tests, &build::tests(work, &packages)?)?;
    let verdicts = judge::all(wanted, &mutants, &dropped, &tests)?;
    Ok(table(&mutants, &dropped, &verdicts))
}

/// Every file of the checkout that git knows or would know.
fn files(root: &Path) -> Result<Vec<String>, MutantsError> {
    let output =
        Command::new("git").args(["ls-files", "-co", "--exclude-standard"]).current_dir(root).output();
    let text = String::from_utf8_lossy(&at("git ls-files", output)?.stdout).into_owned();
    let mut files: Vec<String> =
        text.lines().filter(|path| root.join(path).is_file()).map(str::to_owned).collect();
    files.sort();
    Ok(files)
}

/// Writes the copy, with the switch in it. A file that is there already as it should be keeps its time.
fn copy(root: &Path, tree: &Path, files: &[String], dropped: &Dropped) -> Result<Vec<Mutant>, MutantsError> {
    let (mut mutants, mut next) = (Vec::<Mutant>::new(), 1);
    let write = |path: &str, content: &[u8]| {
        let path = tree.join(path);
        if fs::read(&path).is_ok_and(|old| old == content) {
            return Ok(());
        }
        if let Some(folder) = path.parent() {
            at(folder.display(), fs::create_dir_all(folder))?;
        }
        at(path.display(), fs::write(&path, content))
    };
    for path in files {
        let mut content = at(path, fs::read(root.join(path)))?;
        if area(path).is_some() {
            let text = String::from_utf8_lossy(&content).into_owned();
            let made = instrument(path, &text, next, dropped)
                .map_err(|error| MutantsError::Syntax { path: path.clone(), error })?;
            next = made.mutants.last().map_or(next, |mutant| mutant.site + 1);
            mutants.extend(made.mutants);
            content = made.text.into_bytes();
        }
        if CRATES.iter().any(|folder| *path == format!("{folder}lib.rs")) {
            content.extend(b"\nmod mutant;\n");
        }
        write(path, &content)?;
    }
    for folder in CRATES {
        write(&format!("{folder}mutant.rs"), include_bytes!("switch.rs"))?;
    }
    Ok(mutants)
}

/// What came of one mutant.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
enum Verdict {
    /// By this test.
    Caught(String),
    /// By this test, which did not come to its end.
    Time(String),
    /// So many tests met it and found nothing wrong.
    Survived(usize),
}

fn table(mutants: &[Mutant], dropped: &Dropped, verdicts: &BTreeMap<String, Verdict>) -> String {
    let mut text = String::from(
        "| area | mutants | not viable | not in the schema | judged | caught | of these by time | survived | score |\n|---|---|---|---|---|---|---|---|---|\n",
    );
    let mut survivors = String::new();
    let mut row = |name: &str, chosen: &dyn Fn(&Mutant) -> bool| {
        let mut count = [0_usize; 6];
        for mutant in mutants.iter().filter(|mutant| chosen(mutant)) {
            count[0] += 1;
            if dropped.sites.contains(&mutant.site) {
                count[2] += 1;
            } else if dropped.mutants.contains(&mutant.name()) {
                count[1] += 1;
            } else if let Some(verdict) = verdicts.get(&judge::key(mutant)) {
                match verdict {
                    Verdict::Caught(_) => count[3] += 1,
                    Verdict::Time(_) => count[4] += 1,
                    Verdict::Survived(_) => count[5] += 1,
                }
            }
        }
        let [all, not_viable, outside, caught, time, survived] = count;
        let judged = caught + time + survived;
        let score = 100.0 * (caught + time) as f64 / judged.max(1) as f64;
        text += &format!(
            "| {name} | {all} | {not_viable} | {outside} | {judged} | {} | {time} | {survived} | {score:.1} % |\n",
            caught + time
        );
    };
    for (name, _) in AREAS {
        row(name, &|mutant| area(&mutant.file) == Some(name));
    }
    row("all", &|_| true);
    for mutant in mutants {
        if let Some(Verdict::Survived(tests)) = verdicts.get(&judge::key(mutant)) {
            let Mutant { file, line, function, change, .. } = mutant;
            survivors += &format!("{file}:{line} {function}: {change} ({tests} tests)\n");
        }
    }
    format!("{text}\n{survivors}")
}
