//! The ledger file: what all fits on one data set spend together.

use super::{Folder, LOGISTIC, asap, command, fails, json, stdout, succeeds};
use std::fs;
use std::process::Stdio;

fn fit(folder: &Folder, epsilon: &str) -> String {
    // Once: others may be reading it.
    if !folder.path("data.csv").exists() {
        folder.data();
    }
    let flags = LOGISTIC.replace("--epsilon 1", epsilon);
    format!("fit data.csv --force --target ill --features age,dose --ledger budget.json --out r.json {flags}")
}

fn spent(folder: &Folder) -> serde_json::Value {
    json(&succeeds(folder, "ledger budget.json --json"))
}

#[test]
fn fits_add_up_until_the_total_is_reached() {
    let folder = Folder::new();
    succeeds(&folder, "ledger budget.json --total-epsilon 0.75");
    succeeds(&folder, &fit(&folder, "--epsilon 0.5"));
    let refused = fails(&folder, 2, &fit(&folder, "--epsilon 0.5"));
    assert!(refused.contains("--ledger") && refused.contains("nothing was drawn"), "{refused}");
    // Exactly what is left, and then not the smallest number more.
    succeeds(&folder, &fit(&folder, "--epsilon 0.25"));
    fails(&folder, 2, &fit(&folder, "--epsilon 1e-300"));
    let now = spent(&folder);
    assert_eq!((now["fits"].as_u64(), now["released"].as_u64()), (Some(2), Some(2)));
    assert_eq!(now["spent"].as_f64(), Some(0.75));
    let content = json(&fs::read_to_string(folder.path("budget.json")).unwrap());
    let release = json(&fs::read_to_string(folder.path("r.json")).unwrap());
    assert_eq!(content["events"][3]["released"]["digest"], release["digest"]);
    assert!(succeeds(&folder, "ledger budget.json").contains("2 begun, 2 released"));
}

/// Under a total μ a pure fit counts with the μ that it satisfies: 1.2320… for ε = 1. Under a total
/// ε no GDP fit is possible.
#[test]
fn both_kinds_of_guarantee_are_counted() {
    let folder = Folder::new();
    succeeds(&folder, "ledger budget.json --total-mu 1.6");
    succeeds(&folder, &fit(&folder, "--mu 1"));
    succeeds(&folder, &fit(&folder, "--epsilon 1"));
    let both = spent(&folder)["spent"].as_f64().unwrap();
    assert!((both - (1.0 + 1.232_035_385_344_901_f64.powi(2)).sqrt()).abs() < 1e-9, "{both}");
    fails(&folder, 2, &fit(&folder, "--mu 0.5"));
    let pure = Folder::new();
    succeeds(&pure, "ledger budget.json --total-epsilon 100");
    assert!(fails(&pure, 2, &fit(&pure, "--mu 0.1")).contains("declare a total μ"));
    assert_eq!(spent(&pure)["fits"], 0);
}

/// A fit that draws noise and cannot write its release has spent its budget; one that is refused before has not.
#[test]
fn what_does_not_come_back_counts_and_what_never_began_does_not() {
    let folder = Folder::new();
    folder.data();
    succeeds(&folder, "ledger budget.json --total-epsilon 2");
    fails(&folder, 2, &fit(&folder, "--epsilon 1 --max-rows 10 --expected-rows 11"));
    fails(&folder, 3, &fit(&folder, "--epsilon 1").replace("--target ill", "--target nobody"));
    fails(&folder, 2, &fit(&folder, "--epsilon 1 --replay-seed 1"));
    fails(&folder, 2, &fit(&folder, "--epsilon 1 --neighbours replace-one"));
    assert_eq!(spent(&folder)["fits"], 0);
    if cfg!(unix) && fs::metadata("/dev/full").is_ok() {
        let said = fails(&folder, 4, &fit(&folder, "--epsilon 1").replace("r.json", "/dev/full"));
        assert!(said.contains("the budget is spent, and nothing is released"), "{said}");
        let now = spent(&folder);
        assert_eq!((&now["fits"], &now["not_released"]), (&1.into(), &1.into()));
        assert_eq!(now["spent"], 1.0);
    }
}

/// Ten fits at once under a total for four: four are released, whoever comes first.
#[test]
fn fits_at_the_same_time_do_not_spend_more() {
    let folder = Folder::new();
    folder.data();
    succeeds(&folder, "ledger budget.json --total-epsilon 2");
    let started: Vec<_> = (0..10)
        .map(|k| {
            let arguments = fit(&folder, "--epsilon 0.5").replace("r.json", &format!("r{k}.json"));
            command(&folder.0)
                .args(arguments.split_whitespace())
                .stdout(Stdio::null())
                .stderr(Stdio::null())
                .spawn()
                .unwrap()
        })
        .collect();
    let codes: Vec<_> = started.into_iter().map(|mut child| child.wait().unwrap().code()).collect();
    assert_eq!(codes.iter().filter(|code| **code == Some(0)).count(), 4, "{codes:?}");
    let now = spent(&folder);
    assert_eq!((&now["fits"], &now["released"], now["spent"].as_f64()), (&4.into(), &4.into(), Some(2.0)));
}

#[test]
fn a_file_that_is_no_ledger_is_named_and_left_alone() {
    let folder = Folder::new();
    folder.data();
    assert!(fails(&folder, 3, &fit(&folder, "--epsilon 1")).contains("budget.json"));
    succeeds(&folder, "ledger budget.json --total-epsilon 2");
    assert!(fails(&folder, 2, "ledger budget.json --total-epsilon 9").contains("exists"));
    succeeds(&folder, &fit(&folder, "--epsilon 1"));
    let good = fs::read_to_string(folder.path("budget.json")).unwrap();
    for (from, to) in [
        ("\"pure\": 1.0", "\"pure\": -1.0"),
        ("\"pure\": 2.0", "\"pure\": 1e999"),
        ("\"number\": 1", "\"number\": 2"),
        ("\"asap_ledger\": 2", "\"asap_ledger\": 3"),
        ("\"at\"", "\"other\": 1, \"at\""),
        ("\"total\"", "\"other\": 1, \"total\""),
    ] {
        let edited = good.replacen(from, to, 1);
        assert_ne!(edited, good, "{from}");
        fs::write(folder.path("budget.json"), &edited).unwrap();
        let said = fails(&folder, 3, &fit(&folder, "--epsilon 0.1"));
        assert!(said.contains("not a ledger"), "{said}");
        assert_eq!(fs::read_to_string(folder.path("budget.json")).unwrap(), edited);
    }
    // Nothing of a file is told that is none: it may be something private.
    for private in
        ["{\"pure\": \"4711\"}", "\"4711\",1\n", "[4711, 4711]", "{\"asap_ledger\": \"4711\"}", "4711;1"]
    {
        fs::write(folder.path("budget.json"), private).unwrap();
        let said = fails(&folder, 3, "ledger budget.json");
        assert!(said.contains("not a ledger of fits") && said.contains("line 1"), "{said}");
        assert!(!said.contains("4711") && !said.contains("pure"), "{said}");
    }
    assert!(stdout(&asap(&folder, "ledger --help")).contains("--total-epsilon"));
}
