//! A fit that is not worth its budget, or too dear, stops before it spends anything; the stages of one that goes on.

use crate::{Folder, LOGISTIC, asap, fails, json, stderr, succeeds};
use std::fs;

fn fit(more: &str) -> String {
    format!("fit data.csv --target ill --features age,dose --ledger budget.json --out r.json {more}")
}

/// A folder with records and a ledger, and what its file says.
fn folder() -> (Folder, String) {
    let folder = Folder::new();
    folder.data();
    succeeds(&folder, "ledger budget.json --total-epsilon 9");
    let ledger = fs::read_to_string(folder.path("budget.json")).unwrap();
    (folder, ledger)
}

#[test]
fn a_fit_that_is_worse_than_nothing_stops_before_it_spends() {
    let (folder, before) = folder();
    let flags = |budget: &str| {
        let flags = LOGISTIC.replace("--epsilon 1", budget).replace("--regulariser 20 ", "");
        format!("{flags} --expected-rows 60")
    };
    let poor = fit(&flags("--epsilon 0.01"));
    for also in ["", " --json", " --stream"] {
        let said = fails(&folder, 6, &format!("{poor}{also}"));
        for word in ["Worse than nothing", "Nothing was spent", "--yes", "would make it useful", "ε = "] {
            assert!(said.contains(word), "{word} in {said}");
        }
    }
    // No entry in the ledger, no release.
    assert_eq!(fs::read_to_string(folder.path("budget.json")).unwrap(), before);
    assert!(!folder.path("r.json").exists());
    let went_on = asap(&folder, &format!("{poor} --yes"));
    assert!(went_on.status.success() && stderr(&went_on).contains("warning: Worse than nothing"));
    assert_eq!(json(&succeeds(&folder, "ledger budget.json --json"))["fits"], 1);
    let rich = asap(&folder, &fit(&flags("--epsilon 5")).replace("r.json", "s.json"));
    assert!(rich.status.success() && !stderr(&rich).contains("Worse than nothing"), "{}", stderr(&rich));
}

#[test]
fn a_fit_that_is_too_dear_stops_before_it_spends() {
    let (folder, before) = folder();
    let dear = fit(&format!("{LOGISTIC} --cost-limit 1e-9"));
    let said = fails(&folder, 6, &dear);
    for word in ["--cost-limit", "passes over the records", "10000", "Nothing was spent", "--yes"] {
        assert!(said.contains(word), "{word} in {said}");
    }
    assert_eq!(fs::read_to_string(folder.path("budget.json")).unwrap(), before);
    assert!(!folder.path("r.json").exists());
    assert!(!said.contains("reads the file again"), "{said}");
    let streamed = fails(&folder, 6, &format!("{dear} --stream"));
    assert!(streamed.contains("each of which reads the file again"), "{streamed}");
    succeeds(&folder, &format!("{dear} --yes"));
    for bad in ["0", "-1", "nan"] {
        let bad = fit(&format!("{LOGISTIC} --cost-limit={bad}"));
        assert!(fails(&folder, 2, &bad).contains("--cost-limit"));
    }
}

/// The decision is the same for all records: that of another file with the same header, and not
/// one of its number of rows.
#[test]
fn the_decision_is_made_of_public_numbers() {
    let (folder, _) = folder();
    let poor = format!("{} --expected-rows 60", LOGISTIC.replace("--epsilon 1", "--epsilon 0.001"));
    let said = fails(&folder, 6, &fit(&poor));
    for rows in [1, 3000] {
        fs::write(folder.path("data.csv"), format!("age,dose,ill\n{}", "0.5,0.5,1\n".repeat(rows))).unwrap();
        assert_eq!(fails(&folder, 6, &fit(&poor)), said, "{rows}");
    }
}

#[test]
fn the_stages_are_one_line_each_and_public() {
    let folder = Folder::new();
    folder.data();
    let fit = format!("fit data.csv --target ill --features age,dose {LOGISTIC} --out");
    let all = stderr(&asap(&folder, &format!("{fit} a.json")));
    let lines: Vec<&str> = all.lines().collect();
    assert_eq!(lines.len(), 3, "{all}");
    assert_eq!(lines[0], "asap: reading data.csv");
    assert_eq!(lines[1], "asap: planning, from public numbers");
    assert!(lines[2].starts_with("asap: fitting: ") && lines[2].contains("passes over the records"), "{all}");
    // Other records with the same header: the same lines.
    fs::write(folder.path("data.csv"), format!("age,dose,ill\n{}", "0.1,-0.7,0\n".repeat(777))).unwrap();
    assert_eq!(stderr(&asap(&folder, &format!("{fit} b.json"))), all);
}
