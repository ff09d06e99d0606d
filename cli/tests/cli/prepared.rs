//! A fit of raw columns is the fit of what they become: cells by cells, worked out by hand, through the binary.

use crate::{Folder, json, succeeds};
use std::fs;

const FLAGS: &str = "--mu 1 --regulariser 5 --replay-seed 1 --force --yes --mechanism objective";

/// θ̂ of a fit of this text, by this schema or else by its target y.
fn fitted(text: &str, schema: Option<&str>, flags: &str) -> Vec<f64> {
    let folder = Folder::new();
    fs::write(folder.path("data.csv"), text).unwrap();
    fs::write(folder.path("schema.toml"), schema.unwrap_or_default()).unwrap();
    let columns = if schema.is_some() { "--schema schema.toml" } else { "--target y" };
    succeeds(&folder, &format!("fit data.csv {columns} {FLAGS} {flags}"));
    let release = json(&fs::read_to_string(folder.path("release.json")).unwrap());
    release["certificate"]["theta"].as_array().unwrap().iter().map(|x| x.as_f64().unwrap()).collect()
}

/// The largest difference of two fits with the same noise.
fn apart(one: &[f64], other: &[f64]) -> f64 {
    assert_eq!(one.len(), other.len());
    one.iter().zip(other).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
}

/// A missing cell in the units of the file, both ranges, a target with a range, and a row that is too long afterwards:
/// each by itself would move θ̂ by far more than what is allowed here for the last bits of a shortened row.
#[test]
fn numbers_are_filled_in_moved_scaled_and_shortened() {
    let schema = "columns = { t = { range = [10, 20], missing = 12.5 }, s = [-3, 1] }\ntarget = { name = 'y', range = [0, 20] }";
    let bounds = "--loss squared --parameter-bound 2 --feature-bound 1";
    let raw = fitted("t,s,y\n15,-3,20\n0,3,-7\n?,1,10\n", Some(schema), bounds);
    // (0, −1), (−1, 1) and (−0.5, 1), of which the last two are longer than 1.
    let (a, b) = (0.5_f64.sqrt(), 1.25_f64.sqrt());
    let text = format!("t,s,y\n0,-1,1\n{},{a},-1\n{},{},0\n", -a, -0.5 / b, 1.0 / b);
    let by_hand = fitted(&text, None, &format!("{bounds} --target-bound 1"));
    assert!(apart(&raw, &by_hand) < 1e-9, "{raw:?} {by_hand:?}");
    // That the comparison can tell: one row left long, one target left as it is.
    for other in ["t,s,y\n0,-1,1\n-0.7,0.7,-1\n-0.3,0.9,0\n", "t,s,y\n0,-1,1\n-0.7,0.7,1\n-0.4,0.8,0\n"] {
        assert!(apart(&raw, &fitted(other, None, &format!("{bounds} --target-bound 1"))) > 1e-4);
    }
}

/// The limit itself, the other side of it, and texts with blanks around them.
#[test]
fn classes_are_what_the_schema_says() {
    let bounds = "--loss logistic --feature-bound 1";
    let classes = |targets: [&str; 3], target: Option<&str>| {
        let rows = ["0.9", "0.5", "-0.3"].iter().zip(targets).map(|(x, y)| format!("{x},{y}\n"));
        let schema = target.map(|target| format!("columns.x = [-1, 1]\ntarget = {{ name = 'y', {target} }}"));
        fitted(&format!("x,y\n{}", rows.collect::<String>()), schema.as_deref(), bounds)
    };
    let near = |one: Vec<f64>, other: Vec<f64>| apart(&one, &other) < 1e-9;
    let plain = |targets| classes(targets, None);
    assert!(near(classes(["6", "5", "7"], Some("at_least = 6")), plain(["1", "0", "1"])));
    assert!(near(classes(["6", "5", "7"], Some("at_least = 6.5")), plain(["0", "0", "1"])));
    for (targets, by_hand) in
        [(["yes", "no", " yes "], ["1", "0", "1"]), (["no", "no", "yes"], ["0", "0", "1"])]
    {
        assert!(near(classes(targets, Some("classes = ['no', 'yes']")), plain(by_hand)));
        assert!(near(classes(targets, Some("classes = ['yes', 'no'], positive = 'yes'")), plain(by_hand)));
    }
    assert!(!near(plain(["1", "0", "1"]), plain(["0", "0", "1"])));
}
