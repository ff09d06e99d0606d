//! The instrumented copy through the compiler: what does not compile is dropped, the rest is built with its tests.

use super::sites::Dropped;
use super::{MutantsError, at};
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A program of tests, and the folder that its package is in.
pub(super) struct Binary {
    pub(super) name: String,
    pub(super) path: PathBuf,
    pub(super) folder: PathBuf,
}

/// A package whose tests are asked.
pub(super) struct Package {
    /// How the paths begin of which its tests say something.
    pub(super) begins: &'static str,
    name: &'static [&'static str],
    /// Its programs of tests besides the unit tests: quick ones that ask for much.
    programs: &'static [&'static str],
}

pub(super) const PACKAGES: [Package; 2] = [
    Package {
        begins: "contracts/",
        name: &["-p", "asap-contracts", "--features", "signature"],
        programs: &["suite"],
    },
    Package { begins: "src/", name: &["-p", "asap-dp"], programs: &["suite", "objective_allocation"] },
];

/// What an earlier run dropped.
pub(super) fn remembered(work: &Path) -> Result<Dropped, MutantsError> {
    let mut dropped = Dropped::default();
    let path = work.join("dropped.txt");
    if path.is_file() {
        for line in at(path.display(), fs::read_to_string(&path))?.lines() {
            drop(&mut dropped, line);
        }
    }
    Ok(dropped)
}

/// `12.1` is a mutant, `12` a site.
fn drop(dropped: &mut Dropped, name: &str) {
    match name.parse() {
        Ok(site) if !name.contains('.') => dropped.sites.insert(site),
        _ => dropped.mutants.insert(name.to_owned()),
    };
}

fn cargo(work: &Path, arguments: &[&str]) -> Result<Vec<Value>, MutantsError> {
    let output = Command::new("cargo")
        .args(arguments)
        .args(["--message-format=json", "--target-dir"])
        .arg(work.join("target"))
        .current_dir(work.join("tree"))
        .env("RUSTFLAGS", "--cap-lints=allow")
        .env("CARGO_PROFILE_TEST_OPT_LEVEL", "1")
        .env("CARGO_PROFILE_TEST_DEBUG", "0")
        .env("CARGO_PROFILE_DEV_DEBUG", "0")
        .output();
    let output = at("cargo", output)?;
    let messages: Vec<Value> = output
        .stdout
        .split(|byte| *byte == b'\n')
        .filter_map(|line| serde_json::from_slice(line).ok())
        .collect();
    if messages.is_empty() {
        return Err(MutantsError::Build(String::from_utf8_lossy(&output.stderr).into_owned()));
    }
    Ok(messages)
}

/// Asks the compiler, and drops what it names.
pub(super) fn check(work: &Path, packages: &[&Package], dropped: &mut Dropped) -> Result<(), MutantsError> {
    let mut unexplained = String::new();
    let mut names = Vec::new();
    for package in packages {
        for message in cargo(work, &[&["check", "--lib"], package.name].concat())? {
            let message = &message["message"];
            if message["level"] != "error" {
                continue;
            }
            let found = blamed(work, message);
            if found.is_empty() && message["spans"].as_array().is_some_and(|spans| !spans.is_empty()) {
                unexplained += message["rendered"].as_str().unwrap_or_default();
            }
            names.extend(found);
        }
        if !names.is_empty() {
            break;
        }
    }
    if names.is_empty() && !unexplained.is_empty() {
        return Err(MutantsError::Build(unexplained));
    }
    for name in &names {
        drop(dropped, name);
    }
    let list: Vec<String> =
        dropped.mutants.iter().cloned().chain(dropped.sites.iter().map(u32::to_string)).collect();
    let path = work.join("dropped.txt");
    at(path.display(), fs::write(&path, list.join("\n")))
}

/// The mutant on whose line an error is, or else the innermost site around it.
fn blamed(work: &Path, message: &Value) -> Vec<String> {
    let mut names = Vec::new();
    for span in message["spans"].as_array().into_iter().flatten() {
        if span["is_primary"] != true {
            continue;
        }
        let (Some(file), Some(start)) = (span["file_name"].as_str(), span["byte_start"].as_u64()) else {
            continue;
        };
        let Ok(text) = fs::read_to_string(work.join("tree").join(file)) else { continue };
        let Some(start) = usize::try_from(start).ok().filter(|start| *start <= text.len()) else { continue };
        let line_start = text[..start].rfind('\n').map_or(0, |at| at + 1);
        let name = |text: &str, after: &str, until: &str| {
            text.strip_prefix(after).and_then(|rest| rest.split_once(until)).map(|(name, _)| name.to_owned())
        };
        if let Some(mutant) = name(&text[line_start..], "/*M", "*/") {
            names.push(mutant);
            continue;
        }
        let mut open = Vec::new();
        for (at, _) in text[..start].match_indices("/*S") {
            let mark = &text[at + 3..];
            let digits = mark.find(|c: char| !c.is_ascii_digit()).unwrap_or(0);
            match mark.as_bytes().get(digits) {
                Some(b'<') => open.push(mark[..digits].to_owned()),
                Some(b'>') => drop_last(&mut open),
                _ => {}
            }
        }
        names.extend(open.pop());
    }
    names
}

fn drop_last(open: &mut Vec<String>) {
    open.pop();
}

/// Builds the programs of tests.
pub(super) fn tests(work: &Path, packages: &[&Package]) -> Result<Vec<Binary>, MutantsError> {
    let mut binaries = Vec::new();
    for package in packages {
        let programs = package.programs.iter().flat_map(|program| ["--test", program]);
        let arguments: Vec<&str> = ["test", "--no-run", "--lib"]
            .into_iter()
            .chain(package.name.iter().copied())
            .chain(programs)
            .collect();
        for message in cargo(work, &arguments)? {
            if message["message"]["level"] == "error" {
                let text = message["message"]["rendered"].as_str().unwrap_or_default();
                return Err(MutantsError::Build(text.to_owned()));
            }
            let (Some(path), Some(manifest)) =
                (message["executable"].as_str(), message["manifest_path"].as_str())
            else {
                continue;
            };
            let folder = Path::new(manifest).parent().unwrap_or(work).to_owned();
            let name = message["target"]["name"].as_str().unwrap_or_default().to_owned();
            binaries.push(Binary { name, path: path.into(), folder });
        }
    }
    Ok(binaries)
}
