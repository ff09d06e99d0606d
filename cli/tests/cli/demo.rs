use crate::{Folder, asap, json, stderr, stdout, succeeds};
use std::fs;

const FILES: [&str; 7] =
    ["accuracy.svg", "mechanisms.svg", "release.json", "schema.toml", "score.json", "test.csv", "train.csv"];

#[test]
fn demo_needs_nothing_and_shows_the_whole_way() {
    let folder = Folder::new();
    let said = succeeds(&folder, "demo");
    for word in
        ["private model, ε = 1", "without privacy", "majority class", "private score", "certificate holds"]
    {
        assert!(said.contains(word), "{word} in\n{said}");
    }
    assert_eq!(folder.names(), ["asap-demo"]);
    let there = |name: &str| fs::read_to_string(folder.path(&format!("asap-demo/{name}"))).unwrap();
    for name in FILES {
        assert!(!there(name).is_empty(), "{name}");
        if name.contains(".svg") {
            assert!(there(name).starts_with("<svg") && there(name).trim_end().ends_with("</svg>"), "{name}");
        }
    }
    let verdict = json(&succeeds(&folder, "check asap-demo/release.json --strict --json"));
    assert_eq!((&verdict["ok"], &verdict["private"]), (&true.into(), &true.into()));
    assert_eq!(json(&succeeds(&folder, "check asap-demo/score.json --json"))["ok"], true);
    // What it wrote is a table that every other command takes, and the release says of the test
    // file what the demo said.
    let predicted = succeeds(&folder, "predict asap-demo/release.json asap-demo/test.csv");
    assert_eq!(predicted.lines().count(), 5_001);
    succeeds(
        &folder,
        "fit asap-demo/train.csv --schema asap-demo/schema.toml --loss logistic --intercept --epsilon 1 --out again.json",
    );
}

/// From a seed, so that nothing here is left to chance: the model is worth its budget, and the
/// score holds its accuracy.
#[test]
fn demo_shows_a_model_that_is_worth_something() {
    let folder = Folder::new();
    fs::create_dir(folder.path("there")).unwrap();
    let output = asap(&folder, "demo --json --out-dir there --replay-seed 7");
    assert!(stderr(&output).contains("NOT PRIVATE"));
    let report = json(&stdout(&output));
    let number = |pointer: &str| report.pointer(pointer).unwrap().as_f64().unwrap();
    assert!(number("/accuracy") > number("/majority") + 0.05, "{report}");
    assert!(number("/accuracy") > number("/not_private") - 0.01, "{report}");
    let accuracy = number("/accuracy");
    assert!((number("/score/accuracy/low")..number("/score/accuracy/high")).contains(&accuracy), "{report}");
    // The accuracy is that of the released model, as `predict` applies it.
    let predicted = asap(&folder, "predict there/release.json there/test.csv");
    let test = fs::read_to_string(folder.path("there/test.csv")).unwrap();
    let said = stdout(&predicted);
    let right = said.lines().zip(test.lines()).skip(1);
    let right = right.filter(|(said, row)| said.split(',').next() == row.rsplit(',').next()).count();
    assert!((right as f64 / 5000.0 - accuracy).abs() < 1e-9, "{right}");
    // More privacy or fewer rows do not make it better; with all rows and much budget it is the model without privacy.
    let lines = report["picture"].as_array().unwrap();
    let mean = |line: usize, k: usize| lines[line]["epsilon_and_accuracy"][k][1].as_f64().unwrap();
    assert!(
        mean(0, 0) < mean(2, 0) && mean(0, 2) < mean(2, 2) && mean(2, 4) > number("/not_private") - 0.005
    );
    // Four mechanisms, five budgets of two kinds; the best of them by far is not the posterior sample.
    let mechanisms = report["mechanisms"].as_array().unwrap();
    assert_eq!(mechanisms.len(), 40);
    let median = |name: &str| {
        let mut found =
            mechanisms.iter().filter(|it| it["mechanism"] == name && it["guarantee"]["pure"] == 1.0);
        found.next().unwrap()["median"].as_f64().unwrap()
    };
    assert!(10.0 * median("objective perturbation") < median("posterior sample (ASAP)"));
    assert!(median("posterior sample (ASAP)") < median("output perturbation"));
    let again = asap(&folder, "demo --json --out-dir there --replay-seed 7 --force");
    assert_eq!(stdout(&again), stdout(&output), "a seed replays");
    assert_eq!(folder.names(), ["there"]);
}

#[test]
fn the_version_names_the_commit_of_a_checkout() {
    let folder = Folder::new();
    let said = succeeds(&folder, "--version");
    let version = concat!("asap ", env!("CARGO_PKG_VERSION"));
    assert!(
        said.trim() == version
            || said.trim().strip_prefix(version).is_some_and(|it| it.starts_with(" (") && it.ends_with(')'))
    );
}
