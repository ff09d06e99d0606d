use crate::{Folder, fails, json, succeeds};
use std::fs;

/// The checkout under test.
const ROOT: &str = env!("CARGO_MANIFEST_DIR");

#[test]
fn trace_shows_the_matrix_one_id_json_and_a_page() {
    let folder = Folder::new();
    let matrix = succeeds(&folder, &format!("trace --root {ROOT}"));
    assert!(matrix.contains("lem:OutPert_DP") && matrix.contains("own:proximal"), "{matrix}");
    let one = succeeds(&folder, &format!("trace lem:OutPert_DP --root {ROOT}"));
    assert!(one.contains("localize::Localisation") && one.contains("spec/lem-OutPert_DP.md"), "{one}");
    assert!(json(&succeeds(&folder, &format!("trace --json --root {ROOT}"))).is_object());
    succeeds(&folder, &format!("trace --missing --root {ROOT}"));
    succeeds(&folder, &format!("trace --html trace.html --root {ROOT}"));
    assert!(fs::read_to_string(folder.path("trace.html")).unwrap().contains("lem:OutPert_DP"));
}

#[test]
fn trace_names_what_is_wrong() {
    let folder = Folder::new();
    assert!(fails(&folder, 2, &format!("trace lem:nothing --root {ROOT}")).contains("ID"));
    assert!(fails(&folder, 3, "trace").contains("trace.toml"));
    fails(&folder, 2, &format!("trace --json --missing --root {ROOT}"));
}

#[test]
fn audit_reports_a_table_json_and_a_drawing() {
    let folder = Folder::new();
    let table = succeeds(&folder, "audit --mu 1 --runs 300 --replay-seed 1 --svg audit.svg");
    assert!(table.contains("whole release") && table.contains("not refuted"), "{table}");
    assert!(fs::read_to_string(folder.path("audit.svg")).unwrap().starts_with("<svg"));
    let report = json(&succeeds(&folder, "audit --epsilon 1 --runs 300 --replay-seed 1 --json"));
    assert_eq!(report["rows"].as_array().unwrap().len(), 9);
    assert!(report["rows"].as_array().unwrap().iter().all(|row| row["contradicted"] == false));
    assert!(fails(&folder, 2, "audit").contains("--epsilon or --mu"));
    assert!(fails(&folder, 2, "audit --epsilon 0").contains("epsilon"));
    fails(&folder, 2, "audit --epsilon 1 --mu 1");
    fails(&folder, 2, "audit --mu 1 --runs 3");
}
