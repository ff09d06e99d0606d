//! The real binary, as a user meets it: every command, every error, pipes, full disks and interrupts.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test may stop")]

#[path = "cli/between.rs"]
mod between;
#[path = "cli/booked.rs"]
mod booked;
#[path = "cli/check.rs"]
mod check;
#[path = "cli/classes.rs"]
mod classes;
#[path = "cli/demo.rs"]
mod demo;
#[path = "cli/errors.rs"]
mod errors;
#[path = "cli/fit.rs"]
mod fit;
#[path = "cli/hostile_schemas.rs"]
mod hostile_schemas;
#[path = "cli/inspect.rs"]
mod inspect;
#[path = "cli/ledger.rs"]
mod ledger;
#[path = "cli/mechanisms.rs"]
mod mechanisms;
#[path = "cli/outputs.rs"]
mod outputs;
#[path = "cli/persons.rs"]
mod persons;
#[path = "cli/plan.rs"]
mod plan;
#[path = "cli/prepared.rs"]
mod prepared;
#[path = "cli/reproduce.rs"]
mod reproduce;
#[path = "cli/schema.rs"]
mod schema;
#[path = "cli/score.rs"]
mod score;
#[path = "cli/sign.rs"]
mod sign;
#[path = "cli/spent.rs"]
mod spent;
#[path = "cli/split.rs"]
mod split;
#[path = "cli/stream.rs"]
mod stream;
#[path = "cli/strict.rs"]
mod strict;
#[cfg(unix)]
#[path = "cli/surroundings.rs"]
mod surroundings;
#[path = "cli/user.rs"]
mod user;
#[path = "cli/worth.rs"]
mod worth;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::LazyLock;
use std::sync::atomic::{AtomicU32, Ordering};

/// A folder of its own for each test, removed at the end.
struct Folder(PathBuf);

impl Folder {
    fn new() -> Self {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let name = format!("asap-cli-{}-{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
        let path = std::env::temp_dir().join(name);
        fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    /// The names in the folder, sorted.
    fn names(&self) -> Vec<String> {
        let mut names: Vec<String> = fs::read_dir(&self.0)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
            .collect();
        names.sort();
        names
    }

    /// A small data set: two features, a class and a number to be predicted.
    fn data(&self) -> PathBuf {
        let row = |k: u32| {
            let (age, dose) = (f64::from(k % 7) / 10.0, f64::from(k % 5) / 8.0);
            format!("{age};{dose};{};{}", k % 2, age - dose)
        };
        let rows: Vec<String> =
            std::iter::once("age;dose;ill;score".to_owned()).chain((0..60).map(row)).collect();
        let text = rows.join("\n") + "\n";
        let path = self.path("data.csv");
        fs::write(&path, text).unwrap();
        path
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// The root of the repository: this package lies right below it.
fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap()
}

fn command(folder: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_asap"));
    command.current_dir(folder);
    command
}

fn asap(folder: &Folder, arguments: &str) -> Output {
    command(&folder.0).args(arguments.split_whitespace()).output().unwrap()
}

/// Runs a command that has to succeed, and returns what it prints.
fn succeeds(folder: &Folder, arguments: &str) -> String {
    let output = asap(folder, arguments);
    assert_eq!(output.status.code(), Some(0), "{arguments}\n{}", stderr(&output));
    stdout(&output)
}

/// Runs a command that has to fail with this exit code, and returns what it says.
fn fails(folder: &Folder, code: i32, arguments: &str) -> String {
    refused(&asap(folder, arguments), code, arguments)
}

/// An output that is a failure with this exit code; what it says.
fn refused(output: &Output, code: i32, arguments: &str) -> String {
    let said = stderr(output);
    assert_eq!(output.status.code(), Some(code), "{arguments}\n{said}");
    assert!(!said.contains("panicked") && !said.contains("backtrace") && !said.is_empty(), "{said}");
    said
}

fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

fn stderr(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

fn json(text: &str) -> serde_json::Value {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

/// The flags of a small logistic problem.
const LOGISTIC: &str = "--loss logistic --epsilon 1 --regulariser 20 --feature-bound 1";

/// Makes a release of the posterior mechanism from the small data set.
fn fitted(folder: &Folder) -> String {
    folder.data();
    succeeds(
        folder,
        &format!(
            "fit data.csv --force --target ill --features age,dose --intercept {LOGISTIC} --mechanism posterior"
        ),
    )
}

/// The flags of a release of constrained MALA whose chain is as short as one can be: some ten million steps.
const MALA: &str = "--target ill --features age --loss logistic --mu 1 --regulariser 500 --feature-bound 0.1 --sampler mala \
                    --expected-rows 60";

/// What a fit with [`MALA`] says, and its release: made once for all tests.
struct Chained {
    said: String,
    release: String,
}

static CHAINED: LazyLock<Chained> = LazyLock::new(|| {
    let folder = Folder::new();
    folder.data();
    let said = succeeds(&folder, &format!("fit data.csv --yes {MALA}"));
    Chained { said, release: fs::read_to_string(folder.path("release.json")).unwrap() }
});
