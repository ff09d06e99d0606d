//! Persons with several rows and classes that count differently, through the binary.
//! spec: `own:persons`, `own:class-weights`
//!
//! Aimed at: `--person` not handed to the reader; the rows of a person not entered into the ledger; `--threshold`
//! not looked at.

use crate::{Folder, fails, json, succeeds};
use std::fs;

/// Two rows of each of 400 patients, and many more of one of them.
fn files(folder: &Folder) {
    let row = |patient: u32, k: u32| {
        let dose = f64::from((patient * 37 + k * 11) % 100) / 100.0;
        format!("P{patient},{dose},{}\n", u8::from(dose + f64::from(patient % 7) / 20.0 > 0.6))
    };
    let mut rows: String = (0..400).flat_map(|patient| [row(patient, 0), row(patient, 1)]).collect();
    fs::write(folder.path("two.csv"), format!("patient,dose,ill\n{rows}")).unwrap();
    rows.extend((0..500).map(|k| row(0, k + 2)));
    fs::write(folder.path("more.csv"), format!("patient,dose,ill\n{rows}")).unwrap();
}

const FLAGS: &str =
    "--target ill --loss logistic --epsilon 2 --feature-bound 1 --regulariser 4 --intercept --yes --force";
const PERSONS: &str = "--person patient --rows-per-person 2";

#[test]
fn rows_beyond_those_of_a_person_change_nothing() {
    let folder = Folder::new();
    files(&folder);
    let theta = |file: &str, more: &str| {
        succeeds(&folder, &format!("fit {file} {FLAGS} {PERSONS} --replay-seed 5 {more}"));
        let release = json(&fs::read_to_string(folder.path("release.json")).unwrap());
        assert_eq!(release["certificate"]["person"]["rows"], 2);
        assert_eq!(release["certificate"]["person"]["total"]["pure"], 2.0);
        assert_eq!(release["certificate"]["ledger"]["total"]["pure"], 1.0);
        assert_eq!(release["columns"]["person"]["name"], "patient");
        release["certificate"]["theta"].clone()
    };
    let two = theta("two.csv", "");
    assert_eq!(two, theta("more.csv", ""));
    assert_eq!(two, theta("more.csv", "--stream"));
    // The noise is that of half of ε for each row.
    succeeds(
        &folder,
        &format!("fit two.csv {} --features dose --replay-seed 5", FLAGS.replace("epsilon 2", "epsilon 1")),
    );
    let plain = json(&fs::read_to_string(folder.path("release.json")).unwrap());
    assert_eq!(plain["certificate"]["theta"], two);
    assert!(plain["certificate"]["person"].is_null());
}

#[test]
fn a_release_for_persons_says_so_everywhere() {
    let folder = Folder::new();
    files(&folder);
    succeeds(&folder, "ledger book.json --total-epsilon 10 --unit person");
    succeeds(&folder, "ledger rows.json --total-epsilon 10");
    let said = succeeds(&folder, &format!("fit more.csv {FLAGS} {PERSONS} --ledger book.json"));
    assert!(said.contains("one person more or less, with all rows (the first 2 count)"), "{said}");
    assert!(said.contains("2-DP (1-DP for a row)"), "{said}");
    let checked = succeeds(&folder, "check release.json --strict");
    for said in [
        "the rows of a person spend at most what a person is promised",
        "own:persons",
        "no person has two entries",
    ] {
        assert!(checked.contains(said), "{said}\n{checked}");
    }
    // A ledger of records is not for persons, nor the other way round.
    fails(&folder, 2, &format!("fit more.csv {FLAGS} {PERSONS} --ledger rows.json"));
    fails(&folder, 2, &format!("fit more.csv {FLAGS} --features dose --ledger book.json"));
    // A score takes the persons of the release.
    let score =
        json(&succeeds(&folder, "score release.json two.csv --seen --epsilon 1 --ledger book.json --json"));
    assert_eq!(score["rows_per_person"], 2);
    let book = succeeds(&folder, "ledger book.json");
    assert!(book.contains("fit") && book.contains("score"), "{book}");
    // An edited number of rows is refused.
    let text = fs::read_to_string(folder.path("release.json")).unwrap();
    let edited = text.replace("\"rows\": 2", "\"rows\": 3");
    assert_ne!(edited, text);
    fs::write(folder.path("edited.json"), edited).unwrap();
    fails(&folder, 1, "check edited.json");
    let audited = succeeds(&folder, "audit --from release.json --runs 200 --replay-seed 3");
    assert!(audited.contains("2+}") && audited.contains("persons of 2 rows"), "{audited}");
    succeeds(&folder, "predict release.json more.csv --force --out predicted.csv");
}

#[test]
fn what_is_wrong_with_persons_and_weights_is_said() {
    let folder = Folder::new();
    files(&folder);
    for (more, said) in [
        ("--person patient", "--rows-per-person"),
        ("--rows-per-person 2", "--person"),
        ("--person who --rows-per-person 2", "`who` is not a column"),
        ("--person ill --rows-per-person 2", "cannot be the target"),
        ("--person patient --rows-per-person 0", "from 1 to 1000000"),
        ("--features dose --class-weights balanced", "private"),
        ("--features dose --class-weights 1", "two finite numbers"),
        ("--features dose --class-weights 1,0", "two finite numbers"),
    ] {
        // What only the file shows is said with the code of files.
        let code = if said.contains("column") || said.contains("target") { 3 } else { 2 };
        let error = fails(&folder, code, &format!("fit two.csv {FLAGS} {more}"));
        assert!(error.contains(said), "{more}: {error}");
        assert!(!folder.path("release.json").exists());
    }
    let huber = FLAGS.replace("logistic", "huber") + " --target-bound 1 --features dose --class-weights 1,2";
    assert!(fails(&folder, 2, &format!("fit two.csv {huber}")).contains("--class-weights"));
}

const SCHEMA: &str = "person = 'patient'\nrows_per_person = 2\n[target]\nname = 'ill'\nclasses = ['0', '1']\nweights = [1, 8]\n\
                      [columns]\ndose = [0, 1]\n";

#[test]
fn a_schema_has_persons_and_weights_and_a_threshold_decides() {
    let folder = Folder::new();
    files(&folder);
    fs::write(folder.path("schema.toml"), SCHEMA).unwrap();
    let flags = "--schema schema.toml --loss logistic --epsilon 8 --regulariser 2 --intercept --yes --force";
    succeeds(&folder, &format!("plan --rows 800 {}", flags.replace(" --yes --force", "")));
    let said = succeeds(&folder, &format!("fit more.csv {flags} --json"));
    let said = json(&said);
    assert_eq!(
        (&said["rows_per_person"], &said["class_weights"]),
        (&2.into(), &[0.125, 1.0].as_slice().into())
    );
    succeeds(&folder, "check release.json --strict");
    // Other weights in the schema of the release are refused, sealed or not.
    let text = fs::read_to_string(folder.path("release.json")).unwrap();
    fs::write(folder.path("edited.json"), text.replace("8.0", "9.0")).unwrap();
    fails(&folder, 1, "check edited.json");
    let positives = |threshold: &str| {
        let said = succeeds(&folder, &format!("predict release.json two.csv --json {threshold}"));
        let said = json(&said);
        let probabilities = said["values"].as_array().unwrap().iter().map(|p| p.as_f64().unwrap());
        let limit = said["threshold"].as_f64().unwrap();
        let classes = said["classes"].as_array().unwrap();
        for (p, class) in probabilities.zip(classes) {
            assert_eq!(class, if p >= limit { "1" } else { "0" });
        }
        classes.iter().filter(|class| **class == "1").count()
    };
    let (usual, low, high) = (positives(""), positives("--threshold 0.2"), positives("--threshold 0.95"));
    assert!(low >= usual && usual >= high && low > high, "{low} {usual} {high}");
    for bad in ["0", "1", "nan", "-1"] {
        fails(&folder, 2, &format!("predict release.json two.csv --threshold={bad}"));
    }
}
