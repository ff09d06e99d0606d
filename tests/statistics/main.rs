//! The statistical suite in one place: what each test asks, how often it may be wrong, and which faults it sees.
//!
//! Seeds are fixed, so a verdict never changes; the probabilities are those over the choice of the seeds.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    missing_docs,
    unreachable_pub,
    reason = "a test may stop"
)]

mod chains;
mod independent;
mod multivariate;
mod noise;
#[path = "../reference/mod.rs"]
mod reference;
mod suite;
mod wasserstein;

use std::collections::BTreeSet;
use std::fs::{read_to_string, write};
use suite::{NOT_STATISTICAL, SABOTAGES, SUITE};

/// What the whole suite may be wrong with.
const FAMILY: f64 = 1e-5;

fn path(file: &str) -> String {
    format!("{}/{file}", env!("CARGO_MANIFEST_DIR"))
}

fn source(file: &str) -> String {
    read_to_string(path(file)).expect(file)
}

/// The names of the tests of a file.
fn tests_of(text: &str) -> BTreeSet<String> {
    let lines: Vec<&str> = text.lines().map(str::trim).collect();
    let starts = lines.iter().enumerate().filter(|(_, line)| **line == "#[test]");
    starts
        .filter_map(|(k, _)| {
            let line = lines[k + 1..].iter().find(|line| line.starts_with("fn "))?;
            Some(line["fn ".len()..].split('(').next()?.to_owned())
        })
        .collect()
}

/// No limit is claimed that the sum of all levels does not keep.
#[test]
fn the_family_wise_false_alarm_rate_is_below_its_limit() {
    let total: f64 = SUITE.iter().map(|entry| f64::from(entry.statistics) * entry.level).sum();
    println!("false-alarm rate of the suite: at most {total:.1e}");
    assert!(total < FAMILY, "{total:e}");
    assert!(SUITE.iter().all(|entry| entry.level <= 1.3e-6 && entry.statistics > 0));
}

/// Every entry names a test that exists, once.
#[test]
fn every_listed_test_exists() {
    let mut seen = BTreeSet::new();
    for entry in SUITE {
        assert!(tests_of(&source(entry.file)).contains(entry.test), "{} in {}", entry.test, entry.file);
        assert!(seen.insert((entry.file, entry.test)), "{} is listed twice", entry.test);
    }
}

/// Every test of a statistical file is listed, or named as one that draws nothing or decides nothing by chance.
#[test]
fn every_test_of_a_statistical_file_is_listed() {
    let files: BTreeSet<&str> =
        SUITE.iter().map(|entry| entry.file).filter(|file| file.contains("tests/")).collect();
    for file in files {
        for test in tests_of(&source(file)) {
            let listed = SUITE.iter().any(|entry| entry.file == file && entry.test == test);
            let excused = NOT_STATISTICAL.contains(&(file, test.as_str()));
            assert!(listed != excused, "{test} in {file}: listed {listed}, excused {excused}");
        }
    }
}

/// Every sabotage is rejected by at least one named test.
#[test]
fn every_sabotage_is_rejected_by_a_named_test() {
    for sabotage in SABOTAGES {
        let by = SUITE.iter().find(|entry| entry.rejects.contains(sabotage));
        assert!(by.is_some(), "nothing rejects: {sabotage}");
    }
    let listed: BTreeSet<&&str> = SABOTAGES.iter().collect();
    assert_eq!(listed.len(), SABOTAGES.len());
}

/// A text with another table in place of the one that begins with the same line.
fn replaced(text: &str, table: &str) -> String {
    let head = table.lines().next().unwrap();
    let (before, rest) = text.split_once(head).expect(head);
    let end = rest.find("\n\n").map_or(rest.len(), |end| end + 1);
    format!("{before}{table}{}", &rest[end..])
}

/// The tables of `tests/README.md` are those of this suite. With `ASAP_REGENERATE=1` it writes them instead.
#[test]
fn the_readme_shows_the_suite() {
    let readme = source("tests/README.md");
    let fresh = replaced(&replaced(&readme, &suite::table()), &suite::power());
    if std::env::var_os("ASAP_REGENERATE").is_some() {
        write(path("tests/README.md"), &fresh).unwrap();
    } else {
        assert!(
            readme == fresh,
            "tests/README.md is stale: run ASAP_REGENERATE=1 cargo test --test statistics readme"
        );
    }
}
