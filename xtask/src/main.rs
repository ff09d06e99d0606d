//! `cargo xtask`: the commands for a checkout of asap-dp.
#![forbid(unsafe_code)]

use asap_xtask::mutants::{MutantsError, Wanted};
use asap_xtask::pages::Page;
use asap_xtask::trace::{Trace, TraceError};
use clap::{Args, Parser, Subcommand};
use std::fs::OpenOptions;
use std::io::{self, ErrorKind, Write};
use std::path::{Component, Path, PathBuf};
use std::process::ExitCode;

const EXIT_CODES: &str = "\
Exit codes:
  0    done
  1    trace: a reference does not hold; pages --check: one is stale
  2    usage: a flag is missing, unknown or out of range
  3    a file of the checkout is missing, or cannot be read as what it should be
  4    an output cannot be written, or exists already (--force)";

/// Commands for a checkout of asap-dp that the binary `asap` does not need.
#[derive(Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask", after_help = EXIT_CODES)]
struct Cli {
    /// The checkout to look at
    #[arg(long, value_name = "DIR", default_value = ".", global = true)]
    root: PathBuf,
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Show which code, proof and test belongs to each item of the specification
    #[command(after_help = EXIT_CODES)]
    Trace(Tracing),
    /// List the files and lines that you must read to believe one release
    #[command(after_help = EXIT_CODES)]
    Trusted {
        /// objective, noisy-gradient, posterior or output
        mechanism: String,
        /// Print JSON
        #[arg(long)]
        json: bool,
        /// List what is reached instead: place, lines, path, and what led there first, with tabs between them
        #[arg(long, conflicts_with = "json")]
        items: bool,
        /// Print the lines themselves instead, with their numbers
        #[arg(long, conflicts_with_all = ["json", "items"])]
        source: bool,
    },
    /// List names of types that are defined more than once
    #[command(after_help = EXIT_CODES)]
    Names,
    /// Write the generated pages: the matrix, the status of the functions, what you must read, the measured tables
    #[command(after_help = EXIT_CODES)]
    Pages {
        /// Write nothing; say which pages are stale
        #[arg(long)]
        check: bool,
    },
    /// Change one expression at a time and count how many changes a test notices; tests/mutants.md has the score
    #[command(after_help = EXIT_CODES)]
    Mutants {
        /// Folder for a copy of the checkout with all changes in it, its build and the verdicts;
        /// what is there is used again
        work: PathBuf,
        /// Judge only files whose path begins so; may be given several times
        #[arg(long, value_name = "PATH")]
        only: Vec<String>,
        /// Ask only tests whose name begins so, such as noise::; may be given several times. Who survives
        /// may be judged again by all
        #[arg(long, value_name = "NAME")]
        tests: Vec<String>,
        /// Seconds of tests for one change that no test notices
        #[arg(long, value_name = "SECONDS", default_value_t = 60.0)]
        seconds: f64,
        /// Judge one part of so many, counted from 0: a second run with another part may go on at the same time
        #[arg(long, num_args = 2, value_names = ["PART", "PARTS"], default_values_t = [0, 1])]
        shard: Vec<u32>,
    },
}

#[derive(Args)]
#[allow(clippy::struct_excessive_bools, reason = "flags of a command line")]
struct Tracing {
    /// One id, such as lem:OutPert_DP, or a part of it: the only match is shown, several are listed;
    /// all of them unless given
    id: Option<String>,
    /// Print what each id lacks, and what is wrong
    #[arg(long, conflicts_with_all = ["id", "json"])]
    missing: bool,
    /// Print what stands behind each function: harnesses, theorems, tests, or nothing
    #[arg(long, conflicts_with_all = ["id", "json", "missing"])]
    functions: bool,
    /// Print JSON
    #[arg(long, conflicts_with = "id")]
    json: bool,
    /// Write a self-contained page there instead; put it into the checkout so that its links work
    #[arg(long, value_name = "FILE", conflicts_with_all = ["id", "json", "missing", "functions"])]
    html: Option<PathBuf>,
    /// Replace the page if it exists
    #[arg(long, requires = "html")]
    force: bool,
}

/// Why a command stops.
#[derive(Debug, thiserror::Error)]
enum Failure {
    #[error("{0}")]
    Usage(String),
    #[error("{}: no such file; run cargo xtask in a checkout of the repository, or name one with --root DIR", .0.display())]
    NoCheckout(PathBuf),
    #[error("{0}")]
    Unreadable(#[from] TraceError),
    #[error("trace: {0} of the references do not hold; cargo xtask trace --missing lists them")]
    Trace(usize),
    #[error("stale: {}; cargo xtask pages writes them", .0.join(", "))]
    Stale(Vec<String>),
    #[error("{}: this file already exists; choose another name, or replace it with --force", .0.display())]
    Exists(PathBuf),
    #[error("{}: the matrix is made from this file", .0.display())]
    OutputIsInput(PathBuf),
    #[error("{}: cannot be written: {error}", path.display())]
    Output { path: PathBuf, error: io::Error },
    #[error("{0}")]
    Mutants(#[from] MutantsError),
    #[error("standard output is closed")]
    Closed,
}

impl Failure {
    fn exit_code(&self) -> u8 {
        match self {
            Self::Trace(_) | Self::Stale(_) => 1,
            Self::Usage(_) => 2,
            Self::NoCheckout(_) | Self::Unreadable(_) | Self::Mutants(_) => 3,
            Self::Exists(_) | Self::OutputIsInput(_) | Self::Output { .. } | Self::Closed => 4,
        }
    }
}

fn main() -> ExitCode {
    match run(&Cli::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            // If no one reads it, there is no one to tell.
            let _ = writeln!(io::stderr(), "error: {failure}");
            ExitCode::from(failure.exit_code())
        }
    }
}

fn run(cli: &Cli) -> Result<(), Failure> {
    let table = cli.root.join("spec/trace.toml");
    if !table.is_file() {
        return Err(Failure::NoCheckout(table));
    }
    match &cli.command {
        Command::Trace(arguments) => trace(&cli.root, arguments),
        Command::Trusted { mechanism, json, items, source } => {
            trusted(&cli.root, mechanism, *json, *items, *source)
        }
        Command::Names => print(&Trace::load(&cli.root)?.shared_names_text()),
        Command::Pages { check } => pages(&cli.root, *check),
        Command::Mutants { work, only, tests, seconds, shard } => {
            let [shard, shards] = shard[..] else { unreachable!("two numbers") };
            if shard >= shards {
                return Err(Failure::Usage("--shard must be a part below the number of parts".to_owned()));
            }
            let (work, only, tests) = (work.clone(), only.clone(), tests.clone());
            let wanted = Wanted { work, only, tests, seconds: *seconds, shard, shards };
            print(&asap_xtask::mutants::score(&cli.root, &wanted)?)
        }
    }
}

fn trace(root: &Path, arguments: &Tracing) -> Result<(), Failure> {
    let trace = Trace::load(root)?;
    if let Some(path) = &arguments.html {
        let same = |input: &PathBuf| input.canonicalize().ok() == path.canonicalize().ok();
        if path.exists() && trace.inputs().iter().any(same) {
            return Err(Failure::OutputIsInput(path.clone()));
        }
        write(path, &trace.to_html(&way_back(path)), arguments.force)?;
    } else if arguments.json {
        print(&trace.to_json()?)?;
    } else if arguments.missing {
        print(&trace.missing())?;
    } else if arguments.functions {
        print(&trace.functions_text())?;
    } else if let Some(id) = &arguments.id {
        print(&named(&trace, id)?)?;
    } else {
        print(&trace.to_text())?;
    }
    match trace.problems().len() {
        0 => Ok(()),
        count => Err(Failure::Trace(count)),
    }
}

fn trusted(root: &Path, mechanism: &str, json: bool, items: bool, source: bool) -> Result<(), Failure> {
    let trace = Trace::load(root)?;
    let Some(trusted) = trace.trusted(mechanism)? else {
        let known: Vec<&str> = trace.mechanisms().collect();
        return Err(Failure::Usage(format!(
            "MECHANISM must be one of {}, not {mechanism}",
            known.join(", ")
        )));
    };
    if let Some(text) = trace.trusted_items(mechanism).filter(|_| items) {
        return print(&text);
    }
    if source && let Some(text) = trace.trusted_source(mechanism)? {
        return print(&text);
    }
    if json { print(&trusted.to_json()?) } else { print(&trusted.to_text()) }
}

/// What an id, or a part of one, stands for: the only one that matches in full, of several the list.
fn named(trace: &Trace, part: &str) -> Result<String, Failure> {
    let wanted = part.to_lowercase();
    let ids = trace.entries().iter().map(|entry| entry.id.as_str());
    let matching: Vec<&str> = ids.filter(|id| id.to_lowercase().contains(&wanted)).collect();
    let one = if let [id] = matching[..] { id } else { part };
    match trace.details(one) {
        Some(text) => Ok(text),
        None if matching.is_empty() => Err(Failure::Usage(format!(
            "ID must be one of the ids of spec/trace.toml and parts of them, not {part}; cargo xtask trace lists all"
        ))),
        None => Ok(format!("{} ids match {part}:\n  {}\n", matching.len(), matching.join("\n  "))),
    }
}

/// The relative way from a page inside the checkout to its root.
fn way_back(page: &Path) -> String {
    let folders = page.parent().map_or(0, |folder| {
        folder.components().filter(|component| matches!(component, Component::Normal(_))).count()
    });
    "../".repeat(folders)
}

fn pages(root: &Path, check: bool) -> Result<(), Failure> {
    let mut stale = Vec::new();
    for Page { path, text } in asap_xtask::pages::fresh(root)? {
        let there = root.join(&path);
        // One that is not there, or is no text, is stale.
        if std::fs::read_to_string(&there).is_ok_and(|old| old == text) {
            continue;
        }
        if check {
            stale.push(path);
        } else {
            write(&there, &text, true)?;
            print(&format!("{path}\n"))?;
        }
    }
    if stale.is_empty() { Ok(()) } else { Err(Failure::Stale(stale)) }
}

fn write(path: &Path, text: &str, force: bool) -> Result<(), Failure> {
    let mut options = OpenOptions::new();
    options.write(true);
    if force {
        options.create(true).truncate(true)
    } else {
        options.create_new(true)
    };
    let written = options.open(path).and_then(|mut file| file.write_all(text.as_bytes()));
    written.map_err(|error| match error.kind() {
        ErrorKind::AlreadyExists => Failure::Exists(path.to_owned()),
        _ => Failure::Output { path: path.to_owned(), error },
    })
}

fn print(text: &str) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    out.write_all(text.as_bytes()).and_then(|()| out.flush()).map_err(|error| match error.kind() {
        ErrorKind::BrokenPipe => Failure::Closed,
        _ => Failure::Output { path: "standard output".into(), error },
    })
}
