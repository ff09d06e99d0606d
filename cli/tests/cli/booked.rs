//! What a ledger says to somebody who approves it, and what it survives.
//!
//! Seen red: a score that is entered as a count; `Destination::write_or_beside` that does not say `Lost`;
//! `Temporary::create` with one name only. (`one_name` that looks at nothing: seen red in
//! `account::tests`, not tried here.)

use super::{Folder, LOGISTIC, asap, fails, json, succeeds};
use std::fs;
use std::time::{SystemTime, UNIX_EPOCH};

fn fit(more: &str) -> String {
    format!(
        "fit data.csv --target ill --features age,dose --ledger budget.json --out r.json {LOGISTIC} {more}"
    )
}

fn listed(folder: &Folder) -> serde_json::Value {
    json(&succeeds(folder, "ledger budget.json --json"))
}

fn digest(folder: &Folder, name: &str) -> serde_json::Value {
    json(&fs::read_to_string(folder.path(name)).unwrap())["digest"].clone()
}

fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs()
}

/// One ledger for a quantile, a fit, a score and a count: 0.25 + 1 + 0.5 + 0.125 of 3, and what is left.
#[test]
fn every_use_is_listed_with_what_one_needs_to_approve_it() {
    let folder = Folder::new();
    folder.data();
    let before = now();
    succeeds(&folder, "ledger budget.json --total-epsilon 3 --dataset patients");
    let booked = "--ledger budget.json --dataset patients";
    let column = "--column age --level 0.9 --candidates 0.1,0.3,0.5";
    succeeds(&folder, &format!("quantile data.csv {column} --epsilon 0.25 --out q.json {booked}"));
    succeeds(&folder, &fit("--dataset patients --mechanism output --yes"));
    succeeds(&folder, &format!("score r.json data.csv --seen --epsilon 0.5 --out s.json {booked}"));
    succeeds(&folder, &format!("count data.csv --epsilon 0.125 --out c.json {booked}"));
    // Refused before it begins: not entered.
    fails(&folder, 2, &format!("quantile data.csv {column} --epsilon 1e-12 --out q2.json {booked}"));
    let list = listed(&folder);
    assert_eq!(
        (&list["spent"], &list["left"], &list["dataset"]),
        (&1.875.into(), &1.125.into(), &"patients".into())
    );
    assert_eq!(list["exactly"], serde_json::json!({"of": "epsilon", "spent": "1.875", "total": "3"}));
    let expected = [
        ("quantile", 0.25, "exponential", "q.json"),
        ("fit", 1.0, "output", "r.json"),
        ("score", 0.5, "discrete-laplace", "s.json"),
        ("count", 0.125, "discrete-laplace", "c.json"),
    ];
    let entries = list["entries"].as_array().unwrap();
    assert_eq!(entries.len(), expected.len());
    let content = json(&fs::read_to_string(folder.path("budget.json")).unwrap());
    for (k, ((purpose, epsilon, mechanism, file), entry)) in expected.into_iter().zip(entries).enumerate() {
        assert_eq!((&entry["purpose"], &entry["mechanism"]), (&purpose.into(), &mechanism.into()));
        assert_eq!(entry["guarantee"], serde_json::json!({ "pure": epsilon }));
        assert_eq!((&entry["digest"], &entry["status"]), (&digest(&folder, file), &"released".into()));
        assert_eq!((&entry["dataset"], &entry["rows_per_person"]), (&"patients".into(), &().into()));
        let at = content["events"][2 * k]["started"]["at"].as_u64().unwrap();
        assert!((before..=now()).contains(&at));
    }
    let text = succeeds(&folder, "ledger budget.json");
    for line in [
        "data set  patients",
        "protects  one record more or less",
        "total     ε = 3",
        "spent     ε = 1.875",
        "left      ε = 1.125",
        "entries   4 begun, 4 released; all of them count",
        "quantile  ε = 0.25   record  exponential       sha256:",
        "fit       ε = 1      record  output            sha256:",
    ] {
        assert!(text.contains(line), "{line}\n{text}");
    }
}

/// Another name and none are refused, by every command, before anything is drawn.
#[test]
fn another_data_set_is_refused_by_name() {
    let folder = Folder::new();
    folder.data();
    succeeds(&folder, "ledger budget.json --total-epsilon 3");
    succeeds(&folder, &fit("--dataset patients"));
    let count = "count data.csv --epsilon 0.125 --ledger budget.json";
    for arguments in [fit("--force --dataset wards"), format!("{count} --dataset wards")] {
        let said = fails(&folder, 2, &arguments);
        assert!(
            said.contains("\"patients\"") && said.contains("\"wards\"") && said.contains("nothing was drawn")
        );
    }
    for arguments in [fit("--force"), count.to_owned()] {
        assert!(fails(&folder, 2, &arguments).contains("say with --dataset"));
    }
    assert_eq!(listed(&folder)["fits"], 1);
    succeeds(&folder, &format!("{count} --dataset patients"));
    // A name without a ledger, and one for a ledger that is there.
    fails(&folder, 2, &fit("--dataset patients").replace("--ledger budget.json", ""));
    fails(&folder, 2, "ledger budget.json --dataset wards");
    fails(&folder, 2, "ledger other.json --total-epsilon 1 --total-mu 1");
    assert!(!folder.path("other.json").exists());
}

#[cfg(unix)]
mod on_unix {
    use super::*;
    use crate::{command, stderr};
    use std::fs::File;
    use std::io::Read;
    use std::process::{Child, Command, Output, Stdio};
    use std::thread::sleep;
    use std::time::Duration;

    /// Runs the program from a shell that does something first; the process keeps its number.
    fn after(folder: &Folder, first: &str, arguments: &str) -> Output {
        let line = format!("{first}; exec {} {arguments}", env!("CARGO_BIN_EXE_asap"));
        Command::new("sh").arg("-c").arg(line).current_dir(&folder.0).output().unwrap()
    }

    /// No space at all: nothing is entered, nothing is drawn. Space for the ledger and not for the release: the budget
    /// is spent, and whoever reads the message knows.
    #[test]
    fn a_full_disk_costs_nothing_before_the_noise_and_is_told_after_it() {
        let folder = Folder::new();
        folder.data();
        succeeds(&folder, "ledger budget.json --total-epsilon 3");
        let nothing = after(&folder, "trap '' XFSZ; ulimit -f 0", &fit(""));
        let said = stderr(&nothing);
        assert_eq!(nothing.status.code(), Some(4), "{said}");
        assert!(said.contains("budget.json") && said.contains("nothing was drawn"), "{said}");
        assert_eq!(listed(&folder)["fits"], 0);
        // Blocks of 512 bytes: the ledger has one entry, a release has thousands of bytes.
        let little = after(&folder, "trap '' XFSZ; ulimit -f 2", &fit(""));
        let said = stderr(&little);
        assert_eq!(little.status.code(), Some(4), "{said}");
        assert!(
            said.contains("r.json") && said.contains("the budget is spent, and nothing is released"),
            "{said}"
        );
        let list = listed(&folder);
        assert_eq!(
            (&list["fits"], &list["not_released"], &list["spent"]),
            (&1.into(), &1.into(), &1.0.into())
        );
        assert_eq!(list["entries"][0]["status"], "spent, nothing released");
        assert!(list["entries"][0]["digest"].is_null());
        assert!(succeeds(&folder, "ledger budget.json").contains("spent, nothing released"));
        assert!(folder.names().iter().all(|name| !name.contains(".tmp") && name != "r.json"));
        // An answer as well: its file is small, a device is not.
        if fs::metadata("/dev/full").is_ok() {
            let said = fails(&folder, 4, "count data.csv --epsilon 1 --ledger budget.json --out /dev/full");
            assert!(said.contains("the budget is spent, and nothing is released"), "{said}");
            assert_eq!(listed(&folder)["not_released"], 2);
        }
    }

    /// A container gives every process the same number: what one of them left behind does not stop the next.
    #[test]
    fn a_temporary_file_of_the_same_process_does_not_block() {
        let folder = Folder::new();
        folder.data();
        succeeds(&folder, "ledger budget.json --total-epsilon 3");
        let left = "for n in r.json budget.json; do for k in '' -1 -2; do echo x > .$n.$$$k.tmp; done; echo x > .$n.tmp; done";
        let output = after(&folder, left, &fit(""));
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
        succeeds(&folder, "check r.json");
        assert_eq!(listed(&folder)["entries"][0]["digest"], digest(&folder, "r.json"));
    }

    /// A fit whose release goes into a pipe that nobody reads: its noise is drawn, and it waits.
    /// No clock decides anything.
    #[allow(clippy::zombie_processes, reason = "a test that stops waits for nobody")]
    fn waiting_with_its_noise(folder: &Folder) -> Child {
        folder.data();
        succeeds(folder, "ledger budget.json --total-epsilon 3");
        assert!(Command::new("mkfifo").arg(folder.path("r.json")).status().unwrap().success());
        let mut fitting = command(&folder.0);
        fitting.args(fit("").split_whitespace()).stdout(Stdio::null()).stderr(Stdio::piped());
        let child = fitting.spawn().unwrap();
        // As long as it takes; ten minutes are too long on any machine.
        for _ in 0..30_000 {
            if listed(folder)["fits"] != 0 {
                return child;
            }
            sleep(Duration::from_millis(20));
        }
        panic!("a fit waits with its noise and is not entered")
    }

    /// Killed where it waits, it has spent what it drew: the entry stays.
    #[test]
    fn a_fit_that_is_killed_stays_in_the_ledger() {
        let folder = Folder::new();
        let mut child = waiting_with_its_noise(&folder);
        child.kill().unwrap();
        child.wait().unwrap();
        let list = listed(&folder);
        assert_eq!((&list["fits"], &list["released"], &list["spent"]), (&1.into(), &0.into(), &1.0.into()));
        assert_eq!(list["entries"][0]["status"], "spent, nothing released");
        fs::remove_file(folder.path("r.json")).unwrap();
        succeeds(&folder, &fit("--epsilon 2").replace("--epsilon 1", ""));
        assert!(fails(&folder, 2, &fit("--force")).contains("nothing was drawn"));
    }

    /// A second name that comes into being while a fit runs: the release leaves, the entry counts under both names, and
    /// the message says that its digest is missing.
    #[test]
    fn a_second_name_is_refused_before_the_noise_and_told_after_it() {
        let folder = Folder::new();
        let mut child = waiting_with_its_noise(&folder);
        let [one, other] = ["budget.json", "other.json"].map(|name| folder.path(name));
        fs::hard_link(&one, &other).unwrap();
        let mut release = String::new();
        File::open(folder.path("r.json")).unwrap().read_to_string(&mut release).unwrap();
        let mut said = String::new();
        child.stderr.take().unwrap().read_to_string(&mut said).unwrap();
        assert_eq!(child.wait().unwrap().code(), Some(4), "{said}");
        assert!(
            said.contains("r.json is written; the budget is spent") && said.contains("hard link"),
            "{said}"
        );
        assert!(json(&release)["digest"].is_string());
        assert_eq!(fs::read(&one).unwrap(), fs::read(&other).unwrap());
        fs::remove_file(folder.path("r.json")).unwrap();
        for name in ["budget.json", "other.json"] {
            let refused = fails(&folder, 2, &fit("").replace("budget.json", name));
            assert!(refused.contains("hard link") && refused.contains("nothing was drawn"), "{refused}");
        }
        assert_eq!(listed(&folder)["spent"], 1.0);
        fs::remove_file(&other).unwrap();
        assert!(asap(&folder, &fit("")).status.success());
    }
}
