//! The examples run and say what they promise. Plain `cargo test` builds them; a test that is run by
//! itself may not find them.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test may stop")]

use std::path::PathBuf;
use std::process::Command;

/// What an example prints.
fn said(name: &str) -> Option<String> {
    let here = std::env::current_exe().unwrap();
    let built: PathBuf = here.parent()?.parent()?.join("examples").join(name);
    if !built.exists() {
        println!("SKIPPED: the example {name} is not built; cargo build --examples builds it");
        return None;
    }
    let output = Command::new(built).output().unwrap();
    assert!(output.status.success(), "{name}: {}", String::from_utf8_lossy(&output.stderr));
    Some(String::from_utf8(output.stdout).unwrap())
}

#[test]
fn every_example_runs() {
    for (name, word) in [
        ("fit", "clauses that hold: "),
        ("own_loss", "certified: false"),
        ("streaming", "parameters: ["),
        ("check", "an edited copy is refused: true"),
        ("transport", "40 shards\nparameters: ["),
    ] {
        if let Some(said) = said(name) {
            assert!(said.contains(word), "{name}: {said}");
        }
    }
}
