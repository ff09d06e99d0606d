//! The first page stays one that people read.
#![allow(clippy::unwrap_used, reason = "a test may stop")]

use std::path::Path;

#[test]
fn the_readme_is_short() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let text = std::fs::read_to_string(root.join("README.md")).unwrap();
    let words = text.split_whitespace().count();
    assert!(words <= 900, "{words} words");
    let long: Vec<&str> = text.lines().filter(|line| line.len() > 120).collect();
    assert!(long.is_empty(), "{long:#?}");
    let code = text.lines().position(|line| line.starts_with("```")).unwrap();
    let before = text.lines().take(code).flat_map(str::split_whitespace).count();
    assert!(before <= 200, "{before} words before the first code");
}
