//! The faults of `proofs/faults.toml`: three for each harness, chosen by somebody who did not write it.

use super::{Path, copy, documented, env, fs, root, sources_digest};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::process::Command;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Faults {
    awaiting: Vec<String>,
    beneath: Vec<String>,
    fault: Vec<Fault>,
}

#[derive(Clone, Debug, Deserialize, PartialEq)]
#[serde(deny_unknown_fields)]
struct Fault {
    harness: String,
    file: String,
    before: String,
    after: String,
}

fn faults() -> Faults {
    toml::from_str(&fs::read_to_string(root().join("proofs/faults.toml")).unwrap()).unwrap()
}

#[test]
fn every_harness_has_three_faults_or_waits_for_them() {
    let Faults { awaiting, beneath, fault } = faults();
    let mut counts: BTreeMap<&str, usize> = awaiting.iter().map(|harness| (harness.as_str(), 3)).collect();
    for Fault { harness, file, before, after } in &fault {
        assert!(!awaiting.contains(harness), "{harness} waits and has faults");
        *counts.entry(harness).or_default() += 1;
        let text = fs::read_to_string(root().join(file)).unwrap();
        assert_eq!(text.matches(before.as_str()).count(), 1, "{file}: `{before}` of a fault for {harness}");
        assert_ne!(before, after, "{harness}");
    }
    let documented: Vec<_> = documented().into_iter().map(|(harness, _)| harness).collect();
    assert_eq!(counts.keys().map(|harness| (*harness).to_owned()).collect::<Vec<_>>(), documented);
    assert!(counts.values().all(|count| *count >= 3), "{counts:?}");
    assert!(beneath.iter().all(|file| root().join(file).is_file()));
}

/// Faults that are made together: of different files, and none of them in a file that other harnesses rest on.
fn batches(faults: &[Fault], beneath: &[String]) -> Vec<Vec<Fault>> {
    let mut batches: Vec<Vec<Fault>> = Vec::new();
    for fault in faults {
        let fits = |batch: &&mut Vec<Fault>| {
            !beneath.contains(&fault.file)
                && batch.iter().all(|other| other.file != fault.file && !beneath.contains(&other.file))
        };
        match batches.iter_mut().find(fits) {
            Some(batch) => batch.push(fault.clone()),
            None => batches.push(vec![fault.clone()]),
        }
    }
    batches.sort_by_key(|batch| core::cmp::Reverse(batch.len()));
    batches
}

/// What Kani says of each harness, in the copy.
fn verified(directory: &Path, harnesses: &[&str]) -> BTreeMap<String, &'static str> {
    let named = harnesses.iter().flat_map(|harness| ["--harness", harness]);
    let output = Command::new("cargo")
        .args(["kani", "-Z", "function-contracts", "-Z", "stubbing", "-Z", "unstable-options"])
        .args(["--harness-timeout", "600s", "--output-format", "terse"])
        .args(named)
        .current_dir(directory)
        .env("CARGO_TARGET_DIR", root().join("target"))
        .env("CARGO_PROFILE_DEV_OPT_LEVEL", "0")
        .output()
        .unwrap();
    let output = String::from_utf8_lossy(&output.stdout).into_owned();
    let report = |block: &str| {
        let name = block.split("...").next().unwrap_or_default().rsplit("::").next().unwrap_or_default();
        let covers = block.lines().find(|line| line.contains("cover properties satisfied"));
        let met = covers.is_some_and(|line| {
            let mut numbers = line.split_whitespace().filter_map(|word| word.parse::<u32>().ok());
            numbers.next().zip(numbers.next()).is_some_and(|(met, all)| met == all)
        });
        let verdict = if block.contains("timed out") {
            "late"
        } else if block.contains("VERIFICATION:- FAILED") {
            "red"
        } else if block.contains("VERIFICATION:- SUCCESSFUL") && !met {
            "red (vacuous)"
        } else {
            "SURVIVED"
        };
        (name.to_owned(), verdict)
    };
    output.split("Checking harness ").skip(1).map(report).collect()
}

/// What the property tests say of each harness, in the copy.
fn tested(directory: &Path, harnesses: &[&str]) -> BTreeMap<String, &'static str> {
    let output = Command::new(env!("CARGO"))
        // The crate is built once for each batch: what counts is the time to build it. What it depends on is there already.
        .arg("test")
        .args(["asap-dp", "asap-contracts", "asap-audit"].iter().flat_map(|package| {
            let setting = |name| format!("profile.test.package.{package}.{name}=0");
            ["--config".to_owned(), setting("opt-level"), "--config".to_owned(), setting("debug")]
        }))
        .args(["--package", "asap-dp", "--lib", "--"])
        .args(harnesses)
        .current_dir(directory)
        .env("CARGO_TARGET_DIR", root().join("target"))
        .output()
        .unwrap();
    let output = String::from_utf8_lossy(&output.stdout);
    let verdict = |harness: &&&str| {
        let red = output.contains(&format!("{harness} ... FAILED"));
        ((**harness).to_owned(), if red { "red" } else { "SURVIVED" })
    };
    // Nothing is known of what does not compile.
    harnesses.iter().filter(|_| output.contains("test result: ")).map(|harness| verdict(&harness)).collect()
}

/// `BY=kani` asks Kani, otherwise the property tests are asked; `WRITE=proofs/faults.md` writes the table.
#[test]
#[ignore = "builds the crate once for each of some eighty batches: `proofs/run faults`"]
fn every_fault_turns_its_harness_red() {
    let (Faults { beneath, fault, .. }, wanted) = (faults(), env::var("HARNESS").unwrap_or_default());
    let chosen = |fault: &&Fault| wanted.split(',').any(|part| fault.harness.contains(part));
    let fault: Vec<Fault> = fault.iter().filter(chosen).cloned().collect();
    let by_kani = env::var("BY").is_ok_and(|by| by == "kani");
    let directory = env::temp_dir().join(format!("asap-dp-faults-{}", std::process::id()));
    copy(root(), &directory);
    let mut rows: Vec<Row> = fault.iter().map(|fault| (fault.clone(), "not asked")).collect();
    for batch in batches(&fault, &beneath) {
        for Fault { file, before, after, .. } in &batch {
            let original = fs::read_to_string(root().join(file)).unwrap();
            fs::write(directory.join(file), original.replacen(before, after, 1)).unwrap();
        }
        let harnesses: Vec<&str> = batch.iter().map(|fault| fault.harness.as_str()).collect();
        let verdicts =
            if by_kani { verified(&directory, &harnesses) } else { tested(&directory, &harnesses) };
        for made in batch {
            fs::copy(root().join(&made.file), directory.join(&made.file)).unwrap();
            // What does not compile shows nothing.
            let verdict = verdicts.get(&made.harness).copied().unwrap_or("NOT RUN");
            println!("{}: {verdict}: `{}` -> `{}`", made.harness, made.before, made.after);
            for row in rows.iter_mut().filter(|row| row.0 == made) {
                row.1 = verdict;
            }
        }
        // After each batch: a run that is interrupted has said what it knows.
        if let Ok(path) = env::var("WRITE") {
            fs::write(root().join(path), table(&rows, by_kani)).unwrap();
        }
    }
    fs::remove_dir_all(&directory).unwrap();
    let survived: Vec<_> = rows.iter().filter(|row| !row.1.starts_with("red")).collect();
    assert!(survived.is_empty(), "{survived:#?}");
}

type Row = (Fault, &'static str);

fn table(rows: &[Row], by_kani: bool) -> String {
    let code = |text: &str| {
        let line = text.split_whitespace().collect::<Vec<_>>().join(" ").replace('|', "\\|");
        if line.contains('`') { format!("`` {line} ``") } else { format!("`{line}`") }
    };
    let red = rows.iter().filter(|row| row.1.starts_with("red")).count();
    let by = if by_kani { "Kani" } else { "the property tests" };
    let mut text = format!(
        "# Faults, and what the harnesses say\n\nWritten by `proofs/run faults` from [faults.toml](faults.toml): {red} of {} faults are red, asked of \
         {by}, of the sources\n`sha256:{}`.\n\n| harness | file | before | after | |\n|---|---|---|---|---|\n",
        rows.len(),
        sources_digest()
    );
    for (Fault { harness, file, before, after }, verdict) in rows {
        let (before, after) = (code(before), code(after));
        let _ = writeln!(text, "| `{harness}` | `{file}` | {before} | {after} | {verdict} |");
    }
    text
}
