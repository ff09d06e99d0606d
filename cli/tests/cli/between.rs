//! What happens between the beginning of a fit and its noise, and what of it may be seen.
//!
//! A fit waits for the lock of its ledger after its last stage was named and before anything is drawn: whoever holds
//! the lock can change the surroundings at this very moment, without any clock.

use crate::{Folder, LOGISTIC, command, json, succeeds};
use std::fs::{self, File};
use std::io::{BufRead, BufReader, Read};
use std::process::Stdio;

/// A fit that is held back at its ledger while `meanwhile` is done; its exit code and what it said.
fn held_back(folder: &Folder, arguments: &str, meanwhile: impl FnOnce()) -> (Option<i32>, String) {
    let lock = File::create(folder.path("budget.json.lock")).unwrap();
    lock.lock().unwrap();
    let mut child = command(&folder.0)
        .args(arguments.split_whitespace())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut said = BufReader::new(child.stderr.take().unwrap());
    let mut text = String::new();
    while !text.contains("fitting:") {
        assert!(said.read_line(&mut text).unwrap() > 0, "{text}");
    }
    meanwhile();
    drop(lock);
    said.read_to_string(&mut text).unwrap();
    (child.wait().unwrap().code(), text)
}

/// Something has come to be where the release should go: it stays, the release goes beside it, and
/// is the one in the ledger.
#[test]
fn a_release_that_was_paid_for_goes_beside_and_into_the_ledger() {
    let folder = Folder::new();
    folder.data();
    succeeds(&folder, "ledger budget.json --total-epsilon 1");
    let fit =
        format!("fit data.csv --target ill --features age,dose --ledger budget.json --out r.json {LOGISTIC}");
    let (code, said) = held_back(&folder, &fit, || fs::write(folder.path("r.json"), "mine").unwrap());
    assert!(code == Some(0) && said.contains("r-2.json"), "{code:?} {said}");
    assert_eq!(fs::read_to_string(folder.path("r.json")).unwrap(), "mine");
    succeeds(&folder, "check r-2.json");
    let release = json(&fs::read_to_string(folder.path("r-2.json")).unwrap());
    let events = &json(&fs::read_to_string(folder.path("budget.json")).unwrap())["events"];
    assert_eq!(events[0]["started"]["spent"]["pure"], 1.0);
    assert_eq!(events[1]["released"]["digest"], release["digest"]);
    assert_eq!(events.as_array().unwrap().len(), 2);
}

/// The fit is entered before the first pass over the records: one that fails in a pass has spent its budget.
#[test]
fn a_fit_whose_file_changes_is_entered_and_releases_nothing() {
    let folder = Folder::new();
    let data = folder.data();
    succeeds(&folder, "ledger budget.json --total-epsilon 1");
    let fit = format!(
        "fit data.csv --stream --target ill --features age,dose --ledger budget.json --out r.json {LOGISTIC}"
    );
    let text = fs::read_to_string(&data).unwrap();
    let (code, said) =
        held_back(&folder, &fit, || fs::write(&data, text.replacen("0.1;", "0.15;", 1)).unwrap());
    assert_eq!(code, Some(3), "{said}");
    assert!(!folder.names().iter().any(|name| name.starts_with("r.json")), "{:?}", folder.names());
    let spent = json(&succeeds(&folder, "ledger budget.json --json"));
    assert_eq!((&spent["fits"], &spent["released"]), (&1.into(), &0.into()), "{spent}");
}

/// Under add/remove the number of records is private: two files that differ in it and in nothing else that is public
/// have the same stages, the same forecast and the same certificate but for the parameters.
#[test]
fn nothing_but_the_parameters_depends_on_the_number_of_records() {
    let seen = |rows: usize| {
        let folder = Folder::new();
        let text: String = (0..rows).map(|k| format!("0.{},{}\n", k % 9 + 1, k % 2)).collect();
        fs::write(folder.path("data.csv"), format!("age,ill\n{text}")).unwrap();
        let fit = format!("fit data.csv --target ill --replay-seed 3 --json {LOGISTIC}");
        let output = command(&folder.0).args(fit.split_whitespace()).output().unwrap();
        let said = crate::stderr(&output);
        assert_eq!(output.status.code(), Some(0), "{said}");
        // How long a pass takes is measured, on records that are nobody's.
        let timed = |line: &&str| !line.contains("fitting:");
        let stages: Vec<String> = said.lines().filter(timed).map(str::to_owned).collect();
        let fitting = said.lines().find(|line| line.contains("fitting:")).unwrap().to_owned();
        let (before, after) = fitting.split_once("passes over the records, ").unwrap();
        let rows = after.split_once(" if there are ").unwrap().1.to_owned();
        let mut release = json(&fs::read_to_string(folder.path("release.json")).unwrap());
        release["digest"] = serde_json::Value::Null;
        release["certificate"]["theta"] = serde_json::Value::Null;
        (stages, before.to_owned(), rows, release)
    };
    let (few, many) = (seen(40), seen(4_000));
    assert_eq!(few, many);
    assert!(few.2.starts_with("10000"), "the default guess: {}", few.2);
}
