//! `cargo xtask` as one meets it: every command, and every way in which it may be refused.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test may stop")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// The root of the repository: this package lies right below it.
fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap()
}

/// An empty folder for one test.
fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("command-{name}"));
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    folder
}

fn xtask(folder: &Path, arguments: &str) -> Output {
    let words = arguments.split_whitespace();
    Command::new(env!("CARGO_BIN_EXE_xtask")).args(words).current_dir(folder).output().unwrap()
}

/// Standard output of a command on the checkout. The exit code is 1 where a reference does not hold:
/// another test is about that.
fn shows(arguments: &str) -> String {
    let output = xtask(root(), arguments);
    assert!(matches!(output.status.code(), Some(0 | 1)), "{output:?}");
    String::from_utf8(output.stdout).unwrap()
}

fn fails(folder: &Path, code: i32, arguments: &str) -> String {
    let output = xtask(folder, arguments);
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(code), "{said}");
    said
}

#[test]
fn trace_shows_the_matrix_one_id_json_and_a_page() {
    let matrix = shows("trace");
    assert!(matrix.contains("lem:OutPert_DP") && matrix.contains("own:proximal"), "{matrix}");
    let one = shows("trace lem:OutPert_DP");
    assert!(one.contains("localise::Localisation") && one.contains("spec/lem-OutPert_DP.md"), "{one}");
    assert!(serde_json::from_str::<serde_json::Value>(&shows("trace --json")).unwrap().is_object());
    let missing = shows("trace --missing");
    assert!(missing.contains(" mechanised, "), "{missing}");
    let whole = shows("trace thm:end2end_pure");
    assert!(whole.contains("temperature_small — ") && whole.contains("[check "), "{whole}");
    let functions = shows("trace --functions");
    assert!(
        functions.contains("noise::discrete_laplace ") && functions.contains("without any proof: "),
        "{functions}"
    );
    let folder = folder("page");
    shows(&format!("trace --html {}", folder.join("trace.html").display()));
    let page = fs::read_to_string(folder.join("trace.html")).unwrap();
    assert!(page.contains("lem:OutPert_DP") && page.contains("<mark>"));
    // Every link of the table to a line leads to that line on the page itself.
    let links: Vec<&str> =
        page.split("href=\"#").skip(1).map(|rest| rest.split('"').next().unwrap()).collect();
    assert!(links.len() > 500, "{}", links.len());
    let places: std::collections::HashSet<&str> =
        page.split("<section id=\"").skip(1).map(|rest| rest.split('"').next().unwrap()).collect();
    assert!(links.iter().all(|link| places.contains(link)));
}

#[test]
fn trace_finds_an_id_by_a_part_of_it() {
    assert_eq!(shows("trace outpert_dp"), shows("trace lem:OutPert_DP"));
    let several = shows("trace OutPert");
    assert!(several.contains("ids match OutPert:") && several.contains("lem:OutPert_DP"), "{several}");
    assert!(several.contains("alg:outpert") && !several.contains("own:proximal"), "{several}");
}

#[test]
fn trace_names_what_is_wrong() {
    let folder = folder("wrong");
    assert!(fails(root(), 2, "trace lem:nothing").contains("ID"));
    let outside = fails(&folder, 3, "trace");
    for word in ["trace.toml", "no such file", "--root", "checkout"] {
        assert!(outside.contains(word), "{outside}");
    }
    fails(root(), 2, "trace --json --missing");
    fails(root(), 2, "trace --functions --missing");
    fails(root(), 2, "trace --force");
}

/// A page does not take the place of what is there, and never of what it is made from.
#[test]
fn a_page_replaces_nothing_that_is_needed() {
    let folder = folder("replace");
    let page = folder.join("old");
    fs::write(&page, "the old one").unwrap();
    let said = fails(root(), 4, &format!("trace --html {}", page.display()));
    assert!(said.contains("old: this file already exists") && said.contains("--force"), "{said}");
    assert_eq!(fs::read_to_string(&page).unwrap(), "the old one");
    shows(&format!("trace --force --html {}", page.display()));
    assert_ne!(fs::read_to_string(&page).unwrap(), "the old one");
    let before = fs::read(root().join("spec/labels.txt")).unwrap();
    let said = fails(root(), 4, "trace --force --html spec/../spec/labels.txt");
    assert!(said.contains("labels.txt"), "{said}");
    assert_eq!(fs::read(root().join("spec/labels.txt")).unwrap(), before);
    let inputs = asap_xtask::trace::Trace::load(root()).unwrap().inputs();
    for path in ["spec/trace.toml", "spec/labels.txt", "src/lib.rs", "spec/own-audit.md", "cli/tests/cli.rs"]
    {
        assert!(inputs.contains(&root().join(path)), "{path}");
    }
}
