use crate::{Folder, fails, json, root, succeeds};
use std::fs;

#[test]
fn trace_shows_the_matrix_one_id_json_and_a_page() {
    let (folder, root) = (Folder::new(), root().display());
    let matrix = succeeds(&folder, &format!("trace --root {root}"));
    assert!(matrix.contains("lem:OutPert_DP") && matrix.contains("own:proximal"), "{matrix}");
    let one = succeeds(&folder, &format!("trace lem:OutPert_DP --root {root}"));
    assert!(one.contains("localise::Localisation") && one.contains("spec/lem-OutPert_DP.md"), "{one}");
    assert!(json(&succeeds(&folder, &format!("trace --json --root {root}"))).is_object());
    let missing = succeeds(&folder, &format!("trace --missing --root {root}"));
    assert!(missing.contains(" mechanised, "), "{missing}");
    let whole = succeeds(&folder, &format!("trace thm:end2end_pure --root {root}"));
    assert!(
        whole.contains("temperature_small — ")
            && whole.contains("[check calibrate::pure_temperature; harness ")
    );
    let functions = succeeds(&folder, &format!("trace --functions --root {root}"));
    assert!(
        functions.contains("noise::discrete_laplace ") && functions.contains("without any proof: "),
        "{functions}"
    );
    succeeds(&folder, &format!("trace --html trace.html --root {root}"));
    assert!(fs::read_to_string(folder.path("trace.html")).unwrap().contains("lem:OutPert_DP"));
}

#[test]
fn trace_names_what_is_wrong() {
    let (folder, root) = (Folder::new(), root().display());
    assert!(fails(&folder, 2, &format!("trace lem:nothing --root {root}")).contains("ID"));
    assert!(fails(&folder, 3, "trace").contains("trace.toml"));
    fails(&folder, 2, &format!("trace --json --missing --root {root}"));
    fails(&folder, 2, &format!("trace --functions --missing --root {root}"));
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
    fails(&folder, 2, "audit --mu 1 --dim 0");
    // The direction that attained the bound is named.
    let output = "audit --mu 1 --mechanism output --runs 300 --replay-seed 1 --json";
    for (dimension, others) in [(1, false), (3, true)] {
        let report = json(&succeeds(&folder, &format!("{output} --dim {dimension}")));
        let rows = report["rows"].as_array().unwrap();
        let directions: Vec<&str> = rows.iter().map(|row| row["direction"].as_str().unwrap()).collect();
        assert!(others || directions.iter().all(|name| *name == "likelihood ratio"), "{directions:?}");
        assert_eq!(report["dimension"], dimension);
    }
}

/// Every mechanism, sampler and noise can be audited; output perturbation has one stage, the whole release.
#[test]
fn audit_knows_the_mechanisms() {
    let folder = Folder::new();
    let rows = |flags: &str| {
        let report = json(&succeeds(&folder, &format!("audit --runs 200 --replay-seed 1 --json {flags}")));
        let rows = report["rows"].as_array().unwrap();
        assert!(rows.iter().all(|row| row["contradicted"] == false), "{flags}: {rows:?}");
        rows.len()
    };
    for flags in ["--mu 1 --mechanism output", "--epsilon 1 --mechanism output --noise laplace"] {
        assert_eq!(rows(flags), 3, "{flags}");
    }
    for flags in ["--mu 1 --sampler proximal", "--epsilon 1 --noise laplace", "--epsilon 1 --sampler exact"] {
        assert_eq!(rows(flags), 9, "{flags}");
    }
    assert!(fails(&folder, 2, "audit --mu 1 --noise laplace").contains("--noise"));
    assert!(fails(&folder, 2, "audit --mu 1 --mechanism output --sampler exact").contains("--sampler"));
}
