use crate::{Folder, asap, json, stderr, stdout, succeeds};
use std::fs;

#[test]
fn demo_needs_nothing_and_leaves_two_files() {
    let folder = Folder::new();
    let said = succeeds(&folder, "demo");
    for word in ["method", "guarantee", "excess risk", "output perturbation", "1-DP", "1-GDP", "public"] {
        assert!(said.contains(word), "{word} in\n{said}");
    }
    assert_eq!(folder.names(), ["asap-demo"]);
    let picture = fs::read_to_string(folder.path("asap-demo/excess-risk.svg")).unwrap();
    assert!(picture.starts_with("<svg") && picture.trim_end().ends_with("</svg>"));
    let verdict = json(&succeeds(&folder, "check asap-demo/release.json --strict --json"));
    assert_eq!((&verdict["ok"], &verdict["private"]), (&true.into(), &true.into()));
}

#[test]
fn demo_speaks_json_and_knows_folders_and_seeds() {
    let folder = Folder::new();
    fs::create_dir(folder.path("there")).unwrap();
    let output = asap(&folder, "demo --json --out-dir there --replay-seed 7");
    assert!(stderr(&output).contains("NOT PRIVATE"));
    let report = json(&stdout(&output));
    let series = report["series"].as_array().unwrap();
    assert_eq!(series.len(), 20);
    assert!(series.iter().all(|series| series["median"].as_f64().unwrap() > 0.0));
    assert!(folder.path("there/release.json").exists() && folder.path("there/excess-risk.svg").exists());
    let again = asap(&folder, "demo --json --out-dir there --replay-seed 7 --force");
    assert_eq!(stdout(&again), stdout(&output), "a seed replays");
    assert_eq!(folder.names(), ["there"]);
}

/// Deterministic noise, so the comparison of medians never fails: at ε = μ = 1 the release is clearly better.
#[test]
fn demo_shows_the_release_ahead_of_output_perturbation() {
    let folder = Folder::new();
    let report = json(&succeeds(&folder, "demo --json --replay-seed 1"));
    for kind in ["pure", "gaussian"] {
        let median = |method: &str| {
            let series = report["series"].as_array().unwrap().iter();
            let mut found = series.filter(|s| s["method"] == method && s["guarantee"][kind] == 1.0);
            found.next().unwrap()["median"].as_f64().unwrap()
        };
        assert!(3.0 * median("asap") < median("output perturbation"), "{kind}");
    }
}
