//! Every harness in `proofs/` can fail: for each a mutation of the source that turns it red.
//!
//! The quick test keeps the table, the harnesses and their doc comments in agreement. The slow one applies
//! each mutation to a copy of the crate and runs the property-test version of its harness there:
//! `cargo test --test mutations every_mutation -- --ignored`, or only some of them with `HARNESS=verify_at_most` before
//! it. Faults that others chose are in `proofs/faults.toml`. A third quick test says whether the results of Kani that
//! are committed are about these sources.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

#[path = "mutations/faults.rs"]
mod faults;
#[path = "mutations/table.rs"]
mod table;

use sha2::{Digest, Sha256};

use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};
use table::{MUTATIONS, Mutation};

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// All files below a directory that end in `.rs`.
fn sources(directory: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path());
    let nested = entries.map(|path| if path.is_dir() { sources(&path) } else { vec![path] });
    nested.flatten().filter(|path| path.extension().is_some_and(|extension| extension == "rs")).collect()
}

/// Name, and the mutation that the doc comment states, of each harness in `proofs/`.
fn documented() -> Vec<(String, String)> {
    let mut found = Vec::new();
    for file in sources(&root().join("proofs")) {
        let text = fs::read_to_string(&file).unwrap();
        for block in text.split("harness! {\n").skip(1) {
            let between = |start: &str, end: &str| {
                let rest = block.split_once(start).map(|(_, rest)| rest);
                let inner = rest.and_then(|rest| rest.split_once(end)).map(|(inner, _)| inner.to_owned());
                inner.unwrap_or_else(|| panic!("a harness in {} has no `{start}`", file.display()))
            };
            let comment = between("    /// spec: `", "\n    [kani::proof");
            for part in ["assumes: ", "bound: ", "solver: "] {
                assert!(comment.contains(part), "{}: a harness does not say `{part}`", file.display());
            }
            // Straight-line code has no loop to bound.
            let bounded = block.contains("kani::unwind(") || comment.contains("bound: none, all f64");
            assert!(bounded && block.contains("kani::solver("), "{}", file.display());
            assert!(block.contains("cover!("), "{}: a harness may be vacuous", file.display());
            found.push((format!("verify_{}", between("fn verify_", "(")), between("mutation: `", "`")));
        }
    }
    found.sort();
    found
}

#[test]
fn every_harness_has_its_mutation_and_the_source_has_the_place() {
    let mut listed: Vec<_> = MUTATIONS.iter().map(|m| (m.harness.to_owned(), m.name.to_owned())).collect();
    listed.sort();
    assert_eq!(documented(), listed);
    for Mutation { name, file, before, after, .. } in MUTATIONS {
        let text = fs::read_to_string(root().join(file)).unwrap();
        assert_eq!(text.matches(before).count(), 1, "{file}: `{before}` of the mutation `{name}`");
        assert_ne!(before, after);
    }
}

/// The text without its unit tests, which Kani does not read.
fn without_unit_tests(text: &str) -> String {
    let mut inside = false;
    let kept = text.lines().filter(|line| {
        inside |= *line == "mod tests {";
        let keep = !inside;
        inside &= *line != "}";
        keep
    });
    kept.map(|line| format!("{line}\n")).collect()
}

/// The digest of the sources that the harnesses are about: what `proofs/run` calls so, from the same
/// list of digests and paths.
fn sources_digest() -> String {
    let hex = |text: &[u8]| Sha256::digest(text).iter().map(|byte| format!("{byte:02x}")).collect::<String>();
    let mut paths: Vec<String> = ["src", "contracts/src", "proofs"]
        .iter()
        .flat_map(|directory| sources(&root().join(directory)))
        .map(|path| path.strip_prefix(root()).unwrap().to_str().unwrap().replace('\\', "/"))
        .filter(|path| !path.starts_with("proofs/tapes/") && !path.ends_with("/tests.rs"))
        .collect();
    paths.sort();
    let line = |path: &String| {
        let text = fs::read_to_string(root().join(path)).unwrap();
        format!("{}  {path}\n", hex(without_unit_tests(&text).as_bytes()))
    };
    hex(paths.iter().map(line).collect::<String>().as_bytes())
}

/// Red: any change of a source, until Kani has looked at it; a harness that is not in the
/// table, or there as not proved.
#[test]
fn the_results_of_kani_are_about_these_sources() {
    let results = fs::read_to_string(root().join("proofs/results.md")).unwrap();
    let digest = sources_digest();
    assert!(
        results.contains(&format!("of the sources `sha256:{digest}`")),
        "proofs/results.md is about other sources than these (sha256:{digest}): run `proofs/run kani`"
    );
    for (harness, _) in documented() {
        let row = results.lines().find(|line| line.starts_with(&format!("| `{harness}` |")));
        assert!(
            row.is_some_and(|row| row.contains("| proved |")),
            "proofs/results.md does not say that {harness} is proved"
        );
    }
}

/// Copies what cargo needs, and leaves out what it made.
fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap();
        if path.is_dir() {
            if name != "target" && name != ".git" {
                copy(&path, &to.join(name));
            }
        } else {
            fs::copy(&path, to.join(name)).unwrap();
        }
    }
}

/// The output of the harnesses whose name contains `filter`, in the copy.
fn run_harnesses(directory: &Path, filter: &str) -> String {
    let output = Command::new(env!("CARGO"))
        .args(["test", "--package", "asap-dp", "--lib", filter])
        .current_dir(directory)
        .env("CARGO_TARGET_DIR", directory.join("target"))
        // The crate is built once for each mutation: what counts is the time to build it.
        .env("CARGO_PROFILE_TEST_OPT_LEVEL", "0")
        .env("CARGO_PROFILE_TEST_DEBUG", "0")
        .output()
        .unwrap();
    String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr)
}

#[test]
#[ignore = "builds the crate once for each mutation: some minutes"]
fn every_mutation_turns_its_harness_red() {
    let directory = env::temp_dir().join(format!("asap-dp-mutations-{}", std::process::id()));
    copy(root(), &directory);
    let unchanged = run_harnesses(&directory, "proofs::verify_");
    let passed = format!("{} passed; 0 failed", MUTATIONS.len());
    assert!(unchanged.contains(&passed), "without any mutation:\n{unchanged}");
    let mut survived = Vec::new();
    let wanted = env::var("HARNESS").unwrap_or_default();
    for Mutation { harness, name, file, before, after } in
        MUTATIONS.iter().filter(|m| wanted.split(',').any(|part| m.harness.contains(part)))
    {
        let path = directory.join(file);
        let original = fs::read_to_string(&path).unwrap();
        fs::write(&path, original.replacen(before, after, 1)).unwrap();
        let output = run_harnesses(&directory, &format!("proofs::{harness}"));
        fs::write(&path, original).unwrap();
        // A mutation that does not compile shows nothing either.
        if output.contains(&format!("{harness} ... FAILED")) {
            println!("{harness}: red after `{name}`");
        } else {
            println!("{harness}: SURVIVED `{name}`\n{output}");
            survived.push(name);
        }
    }
    fs::remove_dir_all(&directory).unwrap();
    assert!(survived.is_empty(), "{survived:?}");
}
