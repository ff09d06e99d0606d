//! What a ledger must not miss. Sabotages that turn these red, one each: `Content::spent` leaves out fits that began
//! long ago and were not released; a streamed fit is not entered; `Account::lock` locks nothing.

use super::{Folder, LOGISTIC, command, fails, json, succeeds};
use std::fs::{self, File};
use std::process::{Child, Stdio};
use std::thread::sleep;
use std::time::Duration;

fn fit(epsilon: &str, more: &str) -> String {
    let flags = LOGISTIC.replace("--epsilon 1", epsilon);
    format!(
        "fit data.csv --force --yes --target ill --features age,dose --ledger budget.json --out r.json {flags} {more}"
    )
}

fn fits(folder: &Folder) -> u64 {
    json(&succeeds(folder, "ledger budget.json --json"))["fits"].as_u64().unwrap()
}

/// Whatever became of a fit, and whenever it began: 1970, then, or a thousand fits ago.
#[test]
fn old_fits_without_a_release_count() {
    let folder = Folder::new();
    folder.data();
    succeeds(&folder, "ledger budget.json --total-epsilon 1");
    let path = folder.path("budget.json");
    let empty = json(&fs::read_to_string(&path).unwrap());
    let with = |events: serde_json::Value| {
        let mut content = empty.clone();
        content["events"] = events;
        fs::write(&path, content.to_string()).unwrap();
    };
    let started = |fit: u64, spent: f64, at: u64| serde_json::json!({"started": {"fit": fit, "spent": {"pure": spent}, "at": at}});
    for at in [0, 1, 1_000_000_000] {
        with(serde_json::json!([started(1, 0.75, at)]));
        assert!(fails(&folder, 2, &fit("--epsilon 0.5", "")).contains("nothing was drawn"));
        assert_eq!(json(&succeeds(&folder, "ledger budget.json --json"))["spent"], 0.75);
        succeeds(&folder, &fit("--epsilon 0.25", ""));
        fails(&folder, 2, &fit("--epsilon 0.25", ""));
    }
    // The first of many, all the others released.
    let many = (1..=1000).flat_map(|k| {
        let released = serde_json::json!({"released": {"fit": k, "digest": "sha256:0"}});
        let released = (k > 1).then_some(released);
        std::iter::once(started(k, if k == 1 { 0.75 } else { 1e-6 }, 5)).chain(released)
    });
    with(many.collect());
    fails(&folder, 2, &fit("--epsilon 0.5", ""));
    assert_eq!(fits(&folder), 1000);
}

#[test]
fn a_streamed_fit_is_entered() {
    let folder = Folder::new();
    folder.data();
    succeeds(&folder, "ledger budget.json --total-epsilon 1");
    succeeds(&folder, &fit("--epsilon 0.75", "--stream"));
    let now = json(&succeeds(&folder, "ledger budget.json --json"));
    assert_eq!((&now["fits"], &now["released"], &now["spent"]), (&1.into(), &1.into(), &0.75.into()));
    assert!(fails(&folder, 2, &fit("--epsilon 0.5", "--stream")).contains("nothing was drawn"));
    fails(&folder, 2, &fit("--epsilon 0.5", ""));
    assert_eq!(fits(&folder), 1);
}

/// Whoever holds the lock of the ledger is waited for: nothing is entered, nothing is released.
#[test]
fn a_fit_waits_for_the_lock() {
    let folder = Folder::new();
    folder.data();
    succeeds(&folder, "ledger budget.json --total-epsilon 1");
    let content = || fs::read_to_string(folder.path("budget.json")).unwrap();
    let (before, lock) = (content(), File::create(folder.path("budget.json.lock")).unwrap());
    lock.lock().unwrap();
    let start = |line: String| -> Child {
        let mut started = command(&folder.0);
        started.args(line.split_whitespace()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
    };
    let mut waiting = [start(fit("--epsilon 0.5", "")), start(fit("--epsilon 0.5", "--stream"))];
    sleep(Duration::from_millis(1500));
    for child in &mut waiting {
        assert!(child.try_wait().unwrap().is_none(), "it does not wait");
    }
    assert_eq!(content(), before);
    lock.unlock().unwrap();
    for child in &mut waiting {
        assert!(child.wait().unwrap().success());
    }
    assert_eq!(fits(&folder), 2);
}
