//! docs/tutorial.md and docs/hospital.md, run as they stand: every command, and every output
//! against what the page shows.
#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test may stop")]

use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

/// A command of the page, and the lines that it is said to print.
struct Step {
    command: String,
    expected: Vec<String>,
}

/// The steps of all blocks marked as `console`, in their order.
fn steps(page: &str) -> Vec<Step> {
    let mut steps: Vec<Step> = Vec::new();
    let mut inside = false;
    for line in page.lines() {
        match (inside, line) {
            (false, "```console") => inside = true,
            (true, "```") => inside = false,
            (true, _) => match (line.strip_prefix("$ "), steps.last_mut()) {
                (Some(command), _) => steps.push(Step { command: command.to_owned(), expected: Vec::new() }),
                (None, Some(step)) => step.expected.push(line.to_owned()),
                (None, None) => panic!("an output without a command: {line}"),
            },
            (false, _) => {}
        }
    }
    steps
}

/// Whether a line is what the page shows: blanks do not count, `…` stands for anything.
fn matches(line: &str, shown: &str) -> bool {
    let plain = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let (line, shown) = (plain(line), plain(shown));
    let parts: Vec<&str> = shown.split('…').map(str::trim).collect();
    let (first, last) = (parts[0], parts[parts.len() - 1]);
    if parts.len() == 1 {
        return line == shown;
    }
    let Some(mut rest) = line.strip_prefix(first) else { return false };
    for part in &parts[1..] {
        match rest.find(part) {
            Some(place) => rest = &rest[place + part.len()..],
            None => return false,
        }
    }
    line.ends_with(last)
}

#[test]
fn shown_lines_match_what_they_stand_for_and_nothing_else() {
    assert!(matches("a   b", " a b ") && !matches("a b c", "a b"));
    assert!(matches("0.731", "0.…") && !matches("1.731", "0.…"));
    assert!(matches("error: x: exists already and --force it", "error: x: exists already …--force…"));
    assert!(!matches("error: x: exists already", "error: x: exists already …--force…"));
    assert!(matches("ab cd ef", "ab …ef") && !matches("ab cd ef g", "ab …ef"));
}

#[test]
fn the_tutorial_does_what_it_says() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let data =
        ["adult.csv", "winequality-white.csv"].map(|name| (root.join("../shared/data").join(name), name));
    if let Some((_, name)) = data.iter().find(|(path, _)| !path.exists()) {
        eprintln!("SKIPPED: {name} is not there, no command of docs/tutorial.md was run");
        return;
    }
    let data: Vec<PathBuf> = data.into_iter().map(|(path, _)| path).collect();
    run("docs/tutorial.md", &data, 15);
}

/// The admissions are made by a script, which needs Python.
#[test]
fn the_hospital_does_what_it_says() {
    if !Command::new("python3").arg("--version").output().is_ok_and(|found| found.status.success()) {
        eprintln!("SKIPPED: there is no python3, no command of docs/hospital.md was run");
        return;
    }
    run("docs/hospital.md", &[], 8);
}

/// Runs the commands of a page in a folder of their own with these files.
fn run(page: &str, data: &[PathBuf], least: usize) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let name = page.replace(['/', '.'], "-");
    let folder = env::temp_dir().join(format!("asap-{name}-{}", std::process::id()));
    fs::create_dir_all(&folder).unwrap();
    for path in data {
        fs::copy(path, folder.join(path.file_name().unwrap())).unwrap();
    }
    let binary = PathBuf::from(env!("CARGO_BIN_EXE_asap"));
    let path = format!("{}:{}", binary.parent().unwrap().display(), env::var("PATH").unwrap());
    let page = fs::read_to_string(root.join(page)).unwrap();
    let steps = steps(&page);
    assert!(steps.len() > least, "{} commands found", steps.len());
    for Step { command, expected } in steps {
        let output = Command::new("bash")
            .args(["-c", &command])
            .current_dir(&folder)
            .env("PATH", &path)
            .env("ASAP", root)
            .output()
            .unwrap();
        let said = String::from_utf8(output.stdout).unwrap();
        let complaint = String::from_utf8(output.stderr).unwrap();
        assert!(output.status.success(), "{command}\n{said}{complaint}");
        // In their order.
        let mut lines = said.lines();
        for shown in &expected {
            assert!(
                lines.any(|line| matches(line, shown)),
                "{command}\nshould print: {shown}\nprints:\n{said}"
            );
        }
    }
    fs::remove_dir_all(&folder).unwrap();
}
