//! A fit of raw columns is the fit of what they become: cells by cells, worked out by hand, through the binary.

use crate::{Folder, json, succeeds};
use std::fs;

const FLAGS: &str = "--mu 1 --regulariser 5 --replay-seed 1 --force --yes --mechanism objective";

/// θ̂ of a fit of this text.
fn fitted(text: &str, flags: &str) -> Vec<f64> {
    let folder = Folder::new();
    fs::write(folder.path("data.csv"), text).unwrap();
    succeeds(&folder, &format!("fit data.csv --target y {FLAGS} {flags}"));
    let release = json(&fs::read_to_string(folder.path("release.json")).unwrap());
    release["certificate"]["theta"].as_array().unwrap().iter().map(|x| x.as_f64().unwrap()).collect()
}

/// The largest difference of two fits with the same noise.
fn apart(one: &[f64], other: &[f64]) -> f64 {
    assert_eq!(one.len(), other.len());
    one.iter().zip(other).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
}

/// A missing cell in the units of the file, both ranges, a target with a range, and a row that is too long afterwards: each by itself
/// would move θ̂ by far more than what is allowed here for the last bits of a shortened row.
#[test]
fn numbers_are_filled_in_moved_scaled_and_shortened() {
    let ranges = "--range t=10:20 --range s=-3:1 --range y=0:20 --missing t=12.5";
    let bounds = "--loss squared --parameter-bound 2 --feature-bound 1";
    let raw = fitted("t,s,y\n15,-3,20\n0,3,-7\nx,1,10\n", &format!("{bounds} {ranges}"));
    // (0, −1), (−1, 1) and (−0.5, 1), of which the last two are longer than 1.
    let (a, b) = (0.5_f64.sqrt(), 1.25_f64.sqrt());
    let text = format!("t,s,y\n0,-1,1\n{},{a},-1\n{},{},0\n", -a, -0.5 / b, 1.0 / b);
    let by_hand = fitted(&text, &format!("{bounds} --target-bound 1"));
    assert!(apart(&raw, &by_hand) < 1e-9, "{raw:?} {by_hand:?}");
    // That the comparison can tell: one row left long, one target left as it is.
    for other in ["t,s,y\n0,-1,1\n-0.7,0.7,-1\n-0.3,0.9,0\n", "t,s,y\n0,-1,1\n-0.7,0.7,1\n-0.4,0.8,0\n"] {
        assert!(apart(&raw, &fitted(other, &format!("{bounds} --target-bound 1"))) > 1e-4);
    }
}

/// The limit itself, the other side of it, and a text in another case.
#[test]
fn classes_are_what_the_rule_says() {
    let bounds = "--loss logistic --feature-bound 1";
    let classes = |targets: [&str; 3], flags: &str| {
        let rows = ["0.9", "0.5", "-0.3"].iter().zip(targets).map(|(x, y)| format!("{x},{y}\n"));
        fitted(&format!("x,y\n{}", rows.collect::<String>()), &format!("{bounds} {flags}"))
    };
    let plain = |targets| classes(targets, "");
    for (rule, by_hand) in [
        (">=6", ["1", "0", "1"]),
        (">6", ["0", "0", "1"]),
        ("<=6", ["1", "1", "0"]),
        ("<6", ["0", "1", "0"]),
        ("=6", ["1", "0", "0"]),
    ] {
        assert_eq!(classes(["6", "5", "7"], &format!("--positive {rule}")), plain(by_hand), "{rule}");
    }
    assert_eq!(classes(["yes", "Yes", " yes "], "--positive yes"), plain(["1", "0", "1"]));
    assert_ne!(plain(["1", "0", "1"]), plain(["0", "0", "1"]));
}
