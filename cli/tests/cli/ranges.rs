//! Public ranges and the rule of the positive class: from the flags through the release to the predictions.

use crate::{Folder, asap, command, fails, json, refused, stderr, stdout, succeeds};
use std::fs;
use std::io::Write;
use std::process::Stdio;

/// Rows in awkward units: alcohol from 8 to 14, sulphur up to 300, a quality from 3 to 9, and what somebody thought of it.
fn wines(folder: &Folder) {
    let row = |k: u32| {
        let (alcohol, sulphur, quality) = (8.0 + f64::from(k % 13) / 2.0, k * 7 % 300, 3 + k % 7);
        format!("{alcohol};{sulphur};{quality};{}", if quality >= 6 { "yes" } else { "no" })
    };
    let rows: Vec<String> =
        std::iter::once("alcohol;sulphur;quality;good".to_owned()).chain((0..80).map(row)).collect();
    fs::write(folder.path("wine.csv"), rows.join("\n") + "\n").unwrap();
    fs::write(folder.path("ranges.toml"), "\"alcohol\" = [8, 15.0]\nsulphur = [0, 400]\nquality = [0, 10]\n")
        .unwrap();
}

const FLAGS: &str = "--epsilon 1 --regulariser 5 --replay-seed 3 --mechanism output --force --yes";

/// θ and what it predicts by hand, from the numbers in the release.
fn theta(folder: &Folder, release: &str) -> Vec<f64> {
    let text = fs::read_to_string(folder.path(release)).unwrap();
    let theta = json(&text)["certificate"]["theta"].as_array().unwrap().clone();
    theta.iter().map(|x| x.as_f64().unwrap()).collect()
}

#[test]
fn a_fit_scales_by_its_ranges_and_says_so() {
    let folder = Folder::new();
    wines(&folder);
    let fit = format!("fit wine.csv --target good --positive yes --loss logistic {FLAGS}");
    let fit = format!("{fit} --features alcohol,sulphur");
    let flags = "--range alcohol=8:15 --range sulphur=0:400";
    let said = succeeds(&folder, &format!("{fit} {flags}"));
    assert!(said.contains("norm 1.414") && said.contains("positive class") && said.contains("yes"), "{said}");
    let file = succeeds(&folder, &format!("{fit} --ranges ranges.toml --out file.json"));
    assert!(file.contains("2 columns scaled"), "the target's range is of no use to a class: {file}");
    assert_eq!(theta(&folder, "release.json"), theta(&folder, "file.json"));
    succeeds(&folder, &format!("{fit} {flags} --stream --out stream.json"));
    let [memory, stream] =
        ["release.json", "stream.json"].map(|name| fs::read_to_string(folder.path(name)).unwrap());
    assert_eq!(memory, stream, "bit for bit");
    // The same records, scaled by somebody else, give the same fit: (x − 11.5)/3.5 and (x − 200)/200.
    let text = fs::read_to_string(folder.path("wine.csv")).unwrap();
    let scaled = text.lines().skip(1).map(|line| {
        let cells: Vec<&str> = line.split(';').collect();
        let (alcohol, sulphur): (f64, f64) = (cells[0].parse().unwrap(), cells[1].parse().unwrap());
        let (alcohol, sulphur) = (2.0 * ((alcohol - 8.0) / 7.0) - 1.0, 2.0 * (sulphur / 400.0) - 1.0);
        format!("{alcohol};{sulphur};{}\n", u8::from(cells[3] == "yes"))
    });
    let scaled = format!("alcohol;sulphur;good\n{}", scaled.collect::<String>());
    fs::write(folder.path("scaled.csv"), scaled).unwrap();
    let bound = 2.0_f64.sqrt().next_up();
    let by_hand = format!("fit scaled.csv --target good --loss logistic {FLAGS} --feature-bound {bound}");
    let said = succeeds(&folder, &format!("{by_hand} --out hand.json"));
    assert!(!said.contains("ranges"), "{said}");
    assert_eq!(theta(&folder, "hand.json"), theta(&folder, "release.json"));
    // The check shows them, and says what cannot be checked.
    let checked = succeeds(&folder, "check release.json");
    for word in ["alcohol", "8 to 15", "0 to 400", "positive class: yes", "without looking at the records"] {
        assert!(checked.contains(word), "{word} in\n{checked}");
    }
    let checked = json(&succeeds(&folder, "check release.json --json"));
    assert_eq!(checked["columns"]["ranges"]["sulphur"], serde_json::json!([0.0, 400.0]));
    assert_eq!(checked["columns"]["positive"]["text"], "yes");
}

/// An edited range or rule fails the check, whether it is still one or not.
#[test]
fn ranges_and_rules_are_under_the_digest() {
    let folder = Folder::new();
    wines(&folder);
    let fit = format!("fit wine.csv --target quality --positive >=6 --loss logistic {FLAGS}");
    succeeds(&folder, &format!("{fit} --features alcohol,sulphur --ranges ranges.toml"));
    let text = fs::read_to_string(folder.path("release.json")).unwrap();
    for (old, new) in [
        ("400.0", "401.0"),
        ("400.0", "-1.0"),
        ("\"sulphur\": [", "\"sulfur\": ["),
        ("\"at-least\": 6.0", "\"at-least\": 7.0"),
        ("\"at-least\"", "\"above\""),
    ] {
        let edited = text.replacen(old, new, 1);
        assert_ne!(edited, text, "{old}");
        fs::write(folder.path("edited.json"), edited).unwrap();
        fails(&folder, 1, "check edited.json");
        fails(&folder, 1, "predict edited.json wine.csv");
    }
}

#[test]
fn predictions_see_rows_as_the_fit_did() {
    let folder = Folder::new();
    wines(&folder);
    let fit = format!("fit wine.csv --target quality --positive >=6 --loss logistic --intercept {FLAGS}");
    let fit = format!("{fit} --features alcohol,sulphur --feature-bound 1.25");
    succeeds(&folder, &format!("{fit} --ranges ranges.toml"));
    let [a, b, c] = theta(&folder, "release.json")[..] else { panic!("three parameters") };
    // In range and within the bound; beyond both ranges, which is the corner (1, 1), brought back to the norm 1.25.
    fs::write(folder.path("new.csv"), "sulphur,alcohol\n300,11.5\n9e9,1e300\n-5,8\n").unwrap();
    let text = succeeds(&folder, "predict release.json new.csv");
    let mut lines = text.lines();
    assert_eq!(lines.next(), Some("class,probability"));
    let corner = 1.25 / 2.0_f64.sqrt();
    for (line, (x, y)) in lines.zip([(0.0, 0.5), (corner, corner), (-corner, -corner)]) {
        let (class, probability) = line.split_once(',').unwrap();
        let expected = 1.0 / (1.0 + (-(a * x + b * y + c)).exp());
        let probability: f64 = probability.parse().unwrap();
        assert!((probability - expected).abs() < 1e-12, "{line}: {expected}");
        assert_eq!(class, if expected >= 0.5 { ">=6" } else { "not >=6" });
    }
    let report = json(&succeeds(&folder, "predict release.json new.csv --json"));
    assert_eq!((&report["positive"], report["classes"].as_array().unwrap().len()), (&">=6".into(), 3));
}

#[test]
fn a_number_is_predicted_in_its_own_units() {
    let folder = Folder::new();
    wines(&folder);
    let fit = format!("fit wine.csv --target quality --loss squared --parameter-bound 2 {FLAGS}");
    succeeds(&folder, &format!("{fit} --features alcohol,sulphur --intercept --ranges ranges.toml"));
    let text = fs::read_to_string(folder.path("release.json")).unwrap();
    assert_eq!(json(&text)["certificate"]["problem"]["target"], 1.0, "the range implies the bound");
    let [a, b, c] = theta(&folder, "release.json")[..] else { panic!("three parameters") };
    let predicted: Vec<f64> = succeeds(&folder, "predict release.json wine.csv")
        .lines()
        .skip(1)
        .map(|line| line.parse().unwrap())
        .collect();
    assert!(predicted.iter().all(|y| (0.0..=10.0).contains(y)), "{predicted:?}");
    // The first row: alcohol 8, sulphur 0, both at their lower ends.
    let expected = 5.0 * ((c - a - b).clamp(-1.0, 1.0) + 1.0);
    assert!((predicted[0] - expected).abs() < 1e-9, "{} {expected}", predicted[0]);
    // Without a range a prediction stays within the target bound: noise of any size cannot make it 1019.
    let plain = "fit wine.csv --target quality --loss squared --target-bound 10 --epsilon 0.001 --regulariser 1 \
                 --feature-bound 500 --parameter-bound 2 --features alcohol,sulphur --replay-seed 1 --force --yes --mechanism output";
    succeeds(&folder, plain);
    let text = succeeds(&folder, "predict release.json wine.csv");
    assert!(text.lines().skip(1).all(|line| line.parse::<f64>().unwrap().abs() <= 10.0), "{text}");
    assert!(text.lines().skip(1).any(|line| line.parse::<f64>().unwrap().abs() >= 10.0), "clipped: {text}");
}

#[test]
fn targets_that_are_no_classes_are_refused_with_their_line() {
    let folder = Folder::new();
    wines(&folder);
    let fit = format!("fit wine.csv --target quality --loss logistic {FLAGS} --features alcohol,sulphur");
    let fit = format!("{fit} --ranges ranges.toml");
    for policy in ["", " --refuse", " --clip", " --stream", " --missing 0"] {
        let said = fails(&folder, 3, &format!("{fit}{policy}"));
        assert!(said.contains("line 2") && said.contains("0 and 1") && said.contains("--positive"), "{said}");
    }
    for rule in [">=six", "", ">=", ">=inf"] {
        let output =
            command(&folder.0).args(fit.split_whitespace()).args(["--positive", rule]).output().unwrap();
        assert!(refused(&output, 2, rule).contains("--positive"));
    }
    // Text, also streamed; a text that never occurs is nobody's mistake here, an empty cell is.
    for flags in ["--positive yes", "--positive yes --stream", "--positive maybe"] {
        succeeds(&folder, &format!("{fit} {flags}").replace("--target quality", "--target good"));
    }
    let text = fs::read_to_string(folder.path("wine.csv")).unwrap().replacen(";no\n", ";\n", 1);
    fs::write(folder.path("hole.csv"), text).unwrap();
    let holes = fit.replace("--target quality", "--target good").replace("wine.csv", "hole.csv");
    let said = fails(&folder, 3, &format!("{holes} --positive yes"));
    assert!(said.contains("line 2") && said.contains("good"), "{said}");
    succeeds(&folder, &format!("{holes} --positive yes --missing good=0"));
    // Classes without a rule are printed as 1 and 0.
    fs::write(folder.path("plain.csv"), "x,y\n0.5,-1\n-0.5,1\n").unwrap();
    succeeds(&folder, &format!("fit plain.csv --target y --loss logistic --feature-bound 1 {FLAGS}"));
    let text = succeeds(&folder, "predict release.json plain.csv");
    assert!(text.lines().skip(1).all(|line| line.starts_with("0,") || line.starts_with("1,")), "{text}");
}

#[test]
fn what_is_no_range_is_refused() {
    let folder = Folder::new();
    wines(&folder);
    let fit = format!("fit wine.csv --target good --positive yes --loss logistic {FLAGS}");
    for (flags, code, word) in [
        ("--range alcohol", 2, "NAME=LOW:HIGH"),
        ("--range alcohol=15:8", 2, "LOW < HIGH"),
        ("--range alcohol=8:8", 2, "LOW < HIGH"),
        ("--range alcohol=-1e308:1e308", 2, "LOW < HIGH"),
        ("--range alcohol=8:nan", 2, "LOW < HIGH"),
        ("--range alcohol=8:15 --range alcohol=8:14", 2, "two of them"),
        ("--range alcohol=8:15", 2, "`sulphur`"),
        ("", 2, "asap schema"),
        ("--range good=0:1 --feature-bound 1", 2, "class"),
        ("--range alcool=8:15 --feature-bound 1", 3, "`alcool` is not a column"),
        ("--ranges nowhere.toml", 3, "nowhere.toml"),
    ] {
        let said = fails(&folder, code, &format!("{fit} --features alcohol,sulphur {flags}"));
        assert!(said.contains(word), "{flags}: {said}");
    }
    for (content, word) in [
        ("alcohol = [8]", "two finite numbers"),
        ("alcohol = [9, 8]", "LOW < HIGH"),
        ("alcohol = [8, 9, 10]", "two finite numbers"),
        ("alcohol = 8", "list of two numbers"),
        ("a.b = [8, 9]", "quotes"),
        ("alcohol = [8, inf]", "LOW < HIGH"),
        ("alcohol = [8, 9", "not a file of ranges, line 1: "),
        ("alcohol = [8, 9]\nalcohol = [8, 9]", "not a file of ranges, line 2: "),
    ] {
        fs::write(folder.path("bad.toml"), content).unwrap();
        let said = fails(&folder, 3, &format!("{fit} --ranges bad.toml"));
        assert!(said.contains("bad.toml") && said.contains(word), "{content}: {said}");
    }
    // Out of range: moved by default, refused with its line where that was asked for.
    let narrow = format!("{fit} --features alcohol,sulphur --range alcohol=9:15 --range sulphur=0:400");
    succeeds(&folder, &narrow);
    let said = fails(&folder, 3, &format!("{narrow} --refuse"));
    assert!(said.contains("line 2, column `alcohol`: outside of its public range"), "{said}");
    // The file of ranges is an input: it is not replaced.
    let said = fails(&folder, 4, &format!("{fit} --ranges ranges.toml --out ranges.toml"));
    assert!(said.contains("never replaces an input"), "{said}");
    // Names with signs in them: the last = counts.
    fs::write(folder.path("signs.csv"), "\"a=b:c,d\",y\n3,1\n4,0\n").unwrap();
    succeeds(&folder, &format!("fit signs.csv --target y --loss logistic {FLAGS} --range a=b:c,d=0:10"));
}

#[test]
fn a_plan_knows_what_ranges_imply() {
    let folder = Folder::new();
    wines(&folder);
    let plan = "plan --loss logistic --epsilon 1 --regulariser 5 --rows 500 --json";
    let implied = json(&succeeds(&folder, &format!("{plan} --dim 3 --ranges ranges.toml")));
    let given =
        json(&succeeds(&folder, &format!("{plan} --dim 3 --feature-bound {}", 3.0_f64.sqrt().next_up())));
    let predicted = |plan: &serde_json::Value| {
        let mechanisms = plan["mechanisms"].as_array().unwrap().iter();
        mechanisms.map(|mechanism| mechanism["predicted_excess"].clone()).collect::<Vec<_>>()
    };
    assert_eq!(predicted(&implied), predicted(&given));
    assert_eq!(predicted(&given).len(), 4);
    assert!(fails(&folder, 2, &format!("{plan} --dim 4 --ranges ranges.toml")).contains("there are 3"));
    assert!(fails(&folder, 2, &format!("{plan} --dim 4")).contains("--feature-bound"));
    // The range of a target that is a number, which --target names.
    let plan = plan.replace("logistic", "squared");
    let named = format!("{plan} --dim 2 --ranges ranges.toml");
    // √2 as a number is above the root already.
    let bounds = format!("--feature-bound {} --target-bound 1", 2.0_f64.sqrt());
    let bounded = json(&succeeds(&folder, &format!("{plan} --dim 2 {bounds}")));
    let shown = json(&succeeds(&folder, &format!("{named} --target quality")));
    assert_eq!(predicted(&shown), predicted(&bounded));
    assert!(fails(&folder, 2, &named).contains("--target names"));
    let said = fails(&folder, 2, &format!("{named} --target price"));
    assert!(said.contains("--target: `price` has no range"), "{said}");
    let said = fails(&folder, 2, &format!("{plan} --dim 3 --ranges ranges.toml --target quality"));
    assert!(said.contains("--feature-bound") && said.contains("there are 2"), "{said}");
}

#[test]
fn a_schema_is_to_be_filled_in_and_reads_the_header_only() {
    let folder = Folder::new();
    // What follows is no CSV, not UTF-8, and would be refused if it were read.
    let mut bytes = b"\xef\xbb\xbf\n\"a \"\"b\"\"\";plain;\"two\nlines\"\n".to_vec();
    bytes.extend_from_slice(b"1;\"2\xff\n\"never closed");
    fs::write(folder.path("wild.csv"), &bytes).unwrap();
    let text = succeeds(&folder, "schema wild.csv");
    for line in ["\"a \\\"b\\\"\" = [\"low\", \"high\"]", "\"plain\" = [", "\"two\\u000Alines\" = ["] {
        assert!(text.contains(line), "{line} in\n{text}");
    }
    // A pipe that stays open after the header line: whoever waited for a record would wait for ever.
    let mut child = command(&folder.0)
        .args(["schema", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut open = child.stdin.take().unwrap();
    open.write_all(b"age,ill\n").unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success() && stdout(&output).contains("\"ill\" = ["), "{}", stderr(&output));
    drop(open);
    // As it is, it is refused; filled in, it is what a fit needs.
    wines(&folder);
    succeeds(&folder, "schema wine.csv --out filled.toml");
    let fit = format!("fit wine.csv --target good --positive yes --loss logistic {FLAGS}");
    let said = fails(&folder, 3, &format!("{fit} --ranges filled.toml"));
    assert!(said.contains("not filled in yet") && said.contains("\"alcohol\""), "{said}");
    let schema = fs::read_to_string(folder.path("filled.toml")).unwrap();
    let filled: String = schema
        .lines()
        .filter(|line| !line.contains("\"good\""))
        .map(|line| line.replace("\"low\"", "0").replace("\"high\"", "400") + "\n")
        .collect();
    fs::write(folder.path("filled.toml"), filled).unwrap();
    let said = succeeds(&folder, &format!("{fit} --ranges filled.toml"));
    assert!(said.contains("3 columns scaled"), "{said}");
    assert!(asap(&folder, "schema nowhere.csv").status.code() == Some(3));
    assert!(fails(&folder, 4, "schema wine.csv --out wine.csv --force").contains("never replaces an input"));
}
