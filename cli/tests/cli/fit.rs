use crate::{Folder, LOGISTIC, asap, fails, fitted, json, root, stderr, stdout, succeeds};
use asap_dp::Release;
use std::fs;

#[test]
fn fit_check_and_predict_go_together() {
    let folder = Folder::new();
    let said = fitted(&folder);
    for word in ["1-DP", "age", "dose", "(intercept)", "clauses hold"] {
        assert!(said.contains(word), "{word} in\n{said}");
    }
    succeeds(&folder, "check release.json");
    let csv = succeeds(&folder, "predict release.json data.csv");
    let mut lines = csv.lines();
    assert_eq!(lines.next(), Some("class,probability"));
    let release = Release::from_json(&fs::read_to_string(folder.path("release.json")).unwrap()).unwrap();
    let expected = release.predict(&[0.0, 0.0, 0.1, 0.125]).unwrap();
    for (line, expected) in lines.by_ref().zip(expected) {
        let (class, probability) = line.split_once(',').unwrap();
        assert_eq!(probability.parse::<f64>().unwrap().to_bits(), expected.to_bits(), "exact round trip");
        assert_eq!(class, if expected >= 0.5 { "1" } else { "0" });
    }
    assert_eq!(csv.lines().count(), 61);
    succeeds(&folder, "predict release.json data.csv --out p.csv");
    assert_eq!(fs::read_to_string(folder.path("p.csv")).unwrap(), csv);
    let predicted = json(&succeeds(&folder, "predict release.json data.csv --json"));
    assert_eq!((&predicted["target"], &predicted["kind"]), (&"ill".into(), &"probability".into()));
    assert_eq!(predicted["values"].as_array().unwrap().len(), 60);
    assert_eq!(folder.names(), ["data.csv", "p.csv", "release.json"]);
}

#[test]
fn every_loss_guarantee_relation_and_sampler_fits() {
    let folder = Folder::new();
    folder.data();
    let squared = "--loss squared --target-bound 1 --parameter-bound 1 --regulariser 20 --feature-bound 1";
    let huber = "--loss huber --huber-delta 0.5 --target-bound 1 --regulariser 20 --feature-bound 1";
    for (target, flags) in [
        ("ill", format!("{LOGISTIC} --neighbours replace-one --refuse")),
        ("score", format!("{squared} --mu 1 --clip --max-rows 1000 --expected-rows 50")),
        ("score", format!("{huber} --epsilon 2 --separator ;")),
        ("ill", format!("{LOGISTIC} --calibration paper")),
    ] {
        let fit = format!("fit data.csv --force --yes --target {target} --features age,dose --json {flags}");
        let summary = json(&succeeds(&folder, &fit));
        assert_eq!((&summary["private"], &summary["certified"]), (&true.into(), &true.into()));
        assert_eq!(summary["coefficients"].as_array().unwrap().len(), 2);
        succeeds(&folder, "check release.json --strict");
    }
    // Asymptotic constants are marked, and --strict does not take them.
    let paper =
        "--loss logistic --mu 1 --regulariser 500 --feature-bound 0.1 --calibration paper --sampler mala";
    let fit = format!(
        "fit data.csv --force --yes --target ill --features age,dose --expected-rows 60 --json {paper}"
    );
    assert_eq!(json(&succeeds(&folder, &fit))["certified"], false);
    succeeds(&folder, "check release.json");
    assert!(fails(&folder, 1, "check release.json --strict").contains("not certified"));
}

#[test]
fn a_replayed_fit_is_marked_and_repeats() {
    let folder = Folder::new();
    folder.data();
    let fit = |out: &str| {
        let arguments =
            format!("fit data.csv --force --yes --target ill {LOGISTIC} --replay-seed 5 --out {out}");
        let output = asap(&folder, &arguments);
        assert!(stderr(&output).contains("NOT PRIVATE"), "{}", stderr(&output));
        stdout(&output)
    };
    assert!(fit("a.json").contains("NO: noise from a known seed"));
    fit("b.json");
    let text = |name| fs::read_to_string(folder.path(name)).unwrap();
    assert_eq!(text("a.json"), text("b.json"));
    assert!(text("a.json").contains("\"randomness\": \"replay\""));
    let checked = asap(&folder, "check a.json --json");
    assert!(checked.status.success() && stderr(&checked).contains("NOT PRIVATE"));
    assert_eq!(json(&stdout(&checked))["private"], false);
    assert!(fails(&folder, 1, "check a.json --strict").contains("not private"));
}

#[test]
fn without_a_seed_no_two_releases_are_alike() {
    let folder = Folder::new();
    fitted(&folder);
    let first = fs::read_to_string(folder.path("release.json")).unwrap();
    fitted(&folder);
    assert_ne!(fs::read_to_string(folder.path("release.json")).unwrap(), first);
}

/// Under add/remove the number of rows is private: it stands nowhere in what a fit says or writes.
#[test]
fn nothing_shows_the_number_of_rows() {
    let folder = Folder::new();
    let row = |k: u32| format!("{},{}\n", f64::from(k % 13) / 13.0, k % 2);
    let text: String = std::iter::once("a,y\n".to_owned()).chain((0..7919).map(row)).collect();
    fs::write(folder.path("data.csv"), text).unwrap();
    let fit = format!("fit data.csv --force --yes --target y {LOGISTIC} --replay-seed 2");
    for output in [asap(&folder, &fit), asap(&folder, &format!("{fit} --json"))] {
        assert!(!stdout(&output).contains("7919") && !stderr(&output).contains("7919"));
    }
    assert!(!fs::read_to_string(folder.path("release.json")).unwrap().contains("7919"));
}

#[test]
fn the_release_can_go_to_standard_output_and_records_come_from_standard_input() {
    let folder = Folder::new();
    let data = fs::File::open(folder.data()).unwrap();
    let arguments = format!("fit - --target ill {LOGISTIC} --out -");
    let output = crate::command(&folder.0).args(arguments.split_whitespace()).stdin(data).output().unwrap();
    Release::from_json(&stdout(&output)).unwrap().check().unwrap();
    assert_eq!(folder.names(), ["data.csv"]);
}

#[test]
fn wine_is_fitted_where_it_is_present() {
    let path = root().join("../shared/data/winequality-red.csv");
    if !path.exists() {
        eprintln!("SKIPPED: {} is not there", path.display());
        return;
    }
    let folder = Folder::new();
    let path = path.to_str().unwrap();
    let flags = "--target-bound 10 --regulariser 5000 --feature-bound 15 --parameter-bound 0.5 \
                 --features alcohol,pH,sulphates --max-rows 5000 --expected-rows 1600 --replay-seed 1";
    succeeds(&folder, &format!("fit {path} --target quality --loss squared --mu 4 {flags}"));
    succeeds(&folder, "check release.json");
    let predictions = succeeds(&folder, &format!("predict release.json {path}"));
    let values: Vec<f64> = predictions.lines().skip(1).map(|line| line.parse().unwrap()).collect();
    assert_eq!(values.len(), 1599);
    // The mean quality is 5.6.
    let mean = values.iter().sum::<f64>() / values.len() as f64;
    assert!((4.0..7.0).contains(&mean), "{mean}");
}

/// Missing cells: refused with their line, or a public value stands for them, in fit and in predict.
#[test]
fn missing_cells_are_refused_or_replaced() {
    let folder = Folder::new();
    let cells = "age,dose,ill\n0.4,0.1,1\n,NA,0\n0.2,?,1\n?,0.3,\n";
    fs::write(folder.path("holes.csv"), cells).unwrap();
    let schema = |age: &str| {
        let schema = format!(
            "columns.age = {{ range = [-1, 1]{age} }}\ncolumns.dose = {{ range = [-1, 1], missing = 0.25 }}\n\
             target = {{ name = 'ill', classes = ['0', '1'], missing = '0' }}"
        );
        fs::write(folder.path("schema.toml"), schema).unwrap();
    };
    let problem = "--schema schema.toml --loss logistic --epsilon 1 --regulariser 50 --max-rows 1000";
    let fit = format!("fit holes.csv --force {problem} --replay-seed 1 --mechanism posterior");
    schema("");
    let said = fails(&folder, 3, &fit);
    assert!(
        said.contains("line 3, column `age`: the cell is missing") && said.contains("--schema"),
        "{said}"
    );
    assert!(!folder.path("release.json").exists());
    schema(", missing = -0.5");
    succeeds(&folder, &fit);
    let text = fs::read_to_string(folder.path("release.json")).unwrap();
    // The same release as of a file in which the values are written.
    let filled = "age,dose,ill\n0.4,0.1,1\n-0.5,0.25,0\n0.2,0.25,1\n-0.5,0.3,0\n";
    fs::write(folder.path("holes.csv"), filled).unwrap();
    succeeds(&folder, &format!("{fit} --out filled.json"));
    assert_eq!(fs::read_to_string(folder.path("filled.json")).unwrap(), text);
    let all = succeeds(&folder, "predict release.json holes.csv");
    fs::write(folder.path("holes.csv"), cells).unwrap();
    assert_eq!(succeeds(&folder, "predict release.json holes.csv"), all);
    // Streamed, too.
    succeeds(&folder, &format!("{fit} --stream --out streamed.json"));
    assert_eq!(fs::read_to_string(folder.path("streamed.json")).unwrap(), text);
    // An edit of what stands for a hole is seen.
    fs::write(folder.path("edited.json"), text.replace("0.25", "0.125")).unwrap();
    assert!(fails(&folder, 1, "check edited.json").contains("digest"));
}

/// Names with commas stand in quotes, as in the file; the flag may be given several times.
#[test]
fn a_columns_name_may_have_a_comma() {
    let folder = Folder::new();
    let row = |k: u32| format!("{},{},{}", f64::from(k % 7) / 10.0, f64::from(k % 5) / 8.0, k % 2);
    let rows: Vec<String> = (0..40).map(row).collect();
    std::fs::write(folder.path("c.csv"), format!("\"height, cm\",dose,ill\n{}\n", rows.join("\n"))).unwrap();
    let run = |features: &[&str]| {
        let mut all: Vec<&str> =
            "fit c.csv --target ill --json".split(' ').chain(LOGISTIC.split(' ')).collect();
        all.extend_from_slice(features);
        let output =
            crate::command(&folder.0).args(all).arg("--out").arg(folder.path("r.json")).output().unwrap();
        let _ = std::fs::remove_file(folder.path("r.json"));
        (output.status.code(), stdout(&output), stderr(&output))
    };
    let named = |text: &str| -> Vec<String> {
        let shown = json(text);
        shown["coefficients"]
            .as_array()
            .unwrap()
            .iter()
            .map(|it| it["column"].as_str().unwrap().to_owned())
            .collect()
    };
    for features in
        [&["--features", "\"height, cm\",dose"][..], &["--features", "\"height, cm\"", "--features", "dose"]]
    {
        let (code, said, why) = run(features);
        assert_eq!(code, Some(0), "{why}");
        assert_eq!(named(&said), ["height, cm", "dose"]);
    }
    let (code, _, why) = run(&["--features", "\"height, cm"]);
    assert!(code == Some(2) && why.contains("--features") && why.contains("no closing one"), "{why}");
}
