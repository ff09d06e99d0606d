//! `asap split`: which rows are learnt from and which are scored with.

use crate::{Folder, fails, json, succeeds};
use std::collections::BTreeSet;
use std::fs;

fn lines(folder: &Folder, name: &str) -> BTreeSet<String> {
    let text = fs::read_to_string(folder.path(name)).unwrap();
    assert!(text.starts_with("person;age\n"), "{text}");
    text.lines().skip(1).map(str::to_owned).collect()
}

fn data(folder: &Folder, rows: u32) {
    let row = |k: u32| format!("\"p;{}\"; {}\n", k % 30, k);
    fs::write(folder.path("all.csv"), "person;age\n".to_owned() + &(0..rows).map(row).collect::<String>())
        .unwrap();
}

#[test]
fn a_person_is_on_one_side_and_a_row_more_moves_no_other() {
    let folder = Folder::new();
    data(&folder, 300);
    let flags = "--test 0.3 --person person --key public --separator ;";
    let said = succeeds(&folder, &format!("split all.csv {flags} --out train.csv test.csv"));
    assert!(said.contains("person") && !said.contains("300"), "{said}");
    let (train, test) = (lines(&folder, "train.csv"), lines(&folder, "test.csv"));
    assert_eq!(train.len() + test.len(), 300);
    let person = |line: &String| line.rsplit_once(';').unwrap().0.to_owned();
    let persons = |rows: &BTreeSet<String>| rows.iter().map(person).collect::<BTreeSet<_>>();
    assert!(persons(&train).is_disjoint(&persons(&test)) && !test.is_empty());
    // The same key again, with a row more; a fresh key is another split, and is written only if asked for.
    data(&folder, 301);
    succeeds(&folder, &format!("split all.csv {flags} --out train2.csv test2.csv"));
    assert!(
        lines(&folder, "train2.csv").is_superset(&train) && lines(&folder, "test2.csv").is_superset(&test)
    );
    succeeds(&folder, "split all.csv --test 0.3 --out a.csv b.csv --key-out key");
    let key = fs::read_to_string(folder.path("key")).unwrap();
    let again = format!("split all.csv --test 0.3 --out c.csv d.csv --json --key {}", key.trim());
    assert_eq!(json(&succeeds(&folder, &again))["test"], "d.csv");
    assert_eq!(
        (lines(&folder, "c.csv"), lines(&folder, "d.csv")),
        (lines(&folder, "a.csv"), lines(&folder, "b.csv"))
    );
    assert_ne!(lines(&folder, "b.csv"), lines(&folder, "test2.csv"));
}

#[test]
fn nothing_is_lost_and_nothing_half_written() {
    let folder = Folder::new();
    data(&folder, 30);
    fs::write(folder.path("there.csv"), "kept").unwrap();
    let before = folder.names();
    for (code, flags, names) in [
        (4, "--test 0.5 --out a.csv there.csv", "there.csv"),
        (4, "--test 0.5 --out there.csv a.csv", "there.csv"),
        (4, "--test 0.5 --out a.csv all.csv --force", "all.csv"),
        (2, "--test 0.5 --out a.csv a.csv", "--out"),
        (2, "--test 1 --out a.csv b.csv", "--test"),
        (2, "--test 0.5 --out a.csv", "--out"),
        (3, "--test 0.5 --out a.csv b.csv --person who", "--person"),
    ] {
        let said = fails(&folder, code, &format!("split all.csv {flags}"));
        assert!(said.contains(names), "{said}");
    }
    fs::write(folder.path("ragged.csv"), "person,age\n4711,4712\n4713\n").unwrap();
    let said = fails(&folder, 3, "split ragged.csv --test 0.5 --out a.csv b.csv");
    assert!(said.contains("line 3") && !said.contains("471"), "{said}");
    fs::remove_file(folder.path("ragged.csv")).unwrap();
    assert_eq!(folder.names(), before);
    succeeds(&folder, "split all.csv --test 0.5 --out a.csv there.csv --force");
    assert!(!lines(&folder, "there.csv").contains("kept"));
}
