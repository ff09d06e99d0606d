//! How many instructions a pass, a fit, noise, a chain and a CSV file take, against a committed baseline: a slowdown
//! shows whatever else the machine does.
//!
//! Counted by valgrind's callgrind in an optimised build of `benches/instructions.rs`, which the test builds:
//!
//! ```text
//! cargo test --test instructions -- --ignored                      # compares; says so where valgrind or the compiler is another one
//! ASAP_REGENERATE=1 cargo test --test instructions -- --ignored    # writes the baseline
//! ```
#![allow(clippy::unwrap_used, clippy::panic)]

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::io::Write;
use std::path::PathBuf;
use std::process::Command;

/// A count may differ from the baseline by this fraction.
const TOLERANCE: f64 = 0.05;

/// `benches/instructions.json`.
#[derive(Serialize, Deserialize, PartialEq)]
struct Baseline {
    /// What `rustc` says of its version and target, and the vectors that are found at run time: other
    /// ones are other instructions.
    compiler: String,
    /// Instructions of one repetition.
    instructions: BTreeMap<String, u64>,
}

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

fn baseline() -> Baseline {
    serde_json::from_str(&std::fs::read_to_string(root().join("benches/instructions.json")).unwrap()).unwrap()
}

/// Past the capture of the harness: a test that did not run has to say so.
fn say(text: &str) {
    let _ = writeln!(std::io::stderr(), "\n{text}");
}

/// The output of a program; `None` if there is no such program.
fn output(command: &mut Command) -> Option<String> {
    let output = command.output().ok()?;
    let all = [output.stdout, output.stderr].map(|text| String::from_utf8_lossy(&text).into_owned()).concat();
    assert!(output.status.success(), "{command:?}: {all}");
    Some(all)
}

/// Release and target of the compiler, and the vectors of this machine.
fn compiler() -> String {
    let said = output(Command::new("rustc").arg("-vV")).unwrap();
    let line = |name: &str| said.lines().find_map(|line| line.strip_prefix(name)).unwrap().trim().to_owned();
    format!("rustc {} {}{}", line("release:"), line("host:"), if wide() { " with avx2" } else { "" })
}

/// Whether a pass over the records finds wide vectors.
#[cfg(target_arch = "x86_64")]
fn wide() -> bool {
    std::arch::is_x86_feature_detected!("avx2") && std::arch::is_x86_feature_detected!("fma")
}

#[cfg(not(target_arch = "x86_64"))]
fn wide() -> bool {
    false
}

/// The example, as it ships: no debugging checks, no flags of this machine.
fn built() -> PathBuf {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let arguments = ["build", "--quiet", "--release", "-p", "asap-benches", "--example", "instructions"];
    output(Command::new(cargo).args(arguments).current_dir(root()).env_remove("RUSTFLAGS")).unwrap();
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), PathBuf::from);
    target.join("release/examples/instructions")
}

/// Instructions of a whole run.
fn counted(program: &PathBuf, name: &str, repetitions: u32) -> u64 {
    let mut command = Command::new("valgrind");
    command.args(["--tool=callgrind", "--callgrind-out-file=/dev/null"]).arg(program);
    command.arg(name).arg(repetitions.to_string()).env("RAYON_NUM_THREADS", "1");
    let said = output(&mut command).unwrap();
    let line = said.lines().find_map(|line| line.split_once("Collected :")).unwrap();
    line.1.trim().parse().unwrap()
}

/// Every count that is further from the baseline than allowed, or in one of the two only.
fn differences(expected: &BTreeMap<String, u64>, found: &BTreeMap<String, u64>) -> Vec<String> {
    let names = expected.keys().chain(found.keys().filter(|name| !expected.contains_key(*name)));
    names
        .filter_map(|name| {
            let [before, now] = [expected, found].map(|counts| counts.get(name).copied().unwrap_or(0));
            let change = now as f64 / before as f64 - 1.0;
            // Not a number and infinities are differences, too.
            let same = change.abs() <= TOLERANCE;
            (!same).then(|| {
                format!("{name}: {before} instructions before, {now} now ({:+.1} %)", 100.0 * change)
            })
        })
        .collect()
}

#[test]
#[ignore = "an optimised build and a minute of valgrind: cargo test --test instructions -- --ignored"]
fn no_work_takes_more_instructions_than_it_did() {
    let regenerate = std::env::var_os("ASAP_REGENERATE").is_some();
    if output(Command::new("valgrind").arg("--version")).is_none() {
        return say("SKIPPED: valgrind is not installed, no instructions were counted");
    }
    let compiler = compiler();
    if !regenerate && baseline().compiler != compiler {
        return say(&format!("SKIPPED: the baseline is of {}, this is {compiler}", baseline().compiler));
    }
    let program = built();
    let names = output(&mut Command::new(&program)).unwrap();
    let count = |name: &str| (name.to_owned(), counted(&program, name, 1) - counted(&program, name, 0));
    let instructions: BTreeMap<String, u64> = names.lines().map(count).collect();
    if regenerate {
        let text = serde_json::to_string_pretty(&Baseline { compiler, instructions }).unwrap() + "\n";
        std::fs::write(root().join("benches/instructions.json"), text).unwrap();
        return;
    }
    let differences = differences(&baseline().instructions, &instructions);
    assert!(
        differences.is_empty(),
        "more than 5 % away from benches/instructions.json (ASAP_REGENERATE=1 writes it again):\n{}",
        differences.join("\n")
    );
}

#[test]
fn five_per_cent_pass_and_six_do_not() {
    let counts = |count: u64| BTreeMap::from([("work".to_owned(), count)]);
    for (now, same) in [(1000, true), (1049, true), (951, true), (1060, false), (940, false), (0, false)] {
        assert_eq!(differences(&counts(1000), &counts(now)).is_empty(), same, "{now}");
    }
    assert_eq!(differences(&counts(1000), &BTreeMap::new()).len(), 1, "work that is gone");
    assert_eq!(differences(&BTreeMap::new(), &counts(1000)).len(), 1, "work that nobody knew");
}

#[test]
fn the_baseline_has_all_work_of_the_example() {
    let source = std::fs::read_to_string(root().join("benches/instructions.rs")).unwrap();
    let work = source.split_once("const WORK").unwrap().1.split_once("];").unwrap().0;
    let baseline = baseline();
    assert_eq!(work.matches("    (\"").count(), baseline.instructions.len());
    for name in baseline.instructions.keys() {
        assert!(work.contains(&format!("(\"{name}\"")), "{name}");
    }
}
