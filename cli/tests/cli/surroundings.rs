//! Pipes that close, disks that are full, folders that are read-only, and Ctrl-C.

use crate::{Folder, LOGISTIC, asap, command, fails, fitted, stderr, succeeds};
use std::fs::{self, File, Permissions};
use std::io::{BufRead, BufReader};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::Duration;

#[test]
fn a_closed_pipe_is_no_error() {
    let folder = Folder::new();
    fitted(&folder);
    let plan = format!("plan {LOGISTIC} --rows 500 --dim 3");
    for arguments in
        ["check release.json", "predict release.json data.csv", "completions bash", "--help", &plan]
    {
        let mut child = command(&folder.0)
            .args(arguments.split_whitespace())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        drop(child.stdout.take());
        let output = child.wait_with_output().unwrap();
        // A release without a schema warns about the units of its columns, and of nothing else.
        let said = stderr(&output);
        let quiet = said.is_empty() || (arguments.starts_with("predict") && said.lines().count() == 1);
        assert!(output.status.code() == Some(0) && quiet, "{arguments}: {said}");
    }
    // The verdict of a check survives, of a release and of an answer (whose was lost: the exit code was 0).
    succeeds(&folder, "count data.csv --epsilon 1 --out answer.json");
    for file in ["release.json", "answer.json"] {
        let text = fs::read_to_string(folder.path(file)).unwrap();
        fs::write(folder.path("edited.json"), text.replace("\"pure\": 1.0", "\"pure\": 0.5")).unwrap();
        let mut child = command(&folder.0)
            .args(["check", "edited.json", "--json"])
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        drop(child.stdout.take());
        assert_eq!(child.wait().unwrap().code(), Some(1), "{file}");
    }
}

#[test]
fn a_full_disk_is_reported() {
    if !Path::new("/dev/full").exists() {
        eprintln!("SKIPPED: there is no /dev/full");
        return;
    }
    let folder = Folder::new();
    fitted(&folder);
    let fit = format!("fit data.csv --force --target ill {LOGISTIC}");
    assert!(fails(&folder, 4, &format!("{fit} --out /dev/full")).contains("/dev/full"));
    assert!(fails(&folder, 4, "predict release.json data.csv --out /dev/full").contains("cannot be written"));
    for arguments in ["check release.json", "demo --json", &format!("plan {LOGISTIC} --rows 9 --dim 3")] {
        let full = File::create("/dev/full").unwrap();
        let output = command(&folder.0).args(arguments.split_whitespace()).stdout(full).output().unwrap();
        assert_eq!(output.status.code(), Some(4), "{arguments}: {}", stderr(&output));
        assert!(stderr(&output).contains("standard output"), "{}", stderr(&output));
    }
}

#[test]
fn a_folder_that_cannot_be_written_to_is_reported_before_any_work() {
    let folder = Folder::new();
    folder.data();
    // Root may write anywhere; but a folder that is not there stops root, too.
    let fit = format!("fit data.csv --force --target ill {LOGISTIC}");
    assert!(fails(&folder, 4, &format!("{fit} --out nowhere/release.json")).contains("nowhere"));
    assert!(fails(&folder, 4, "demo --out-dir nowhere/demo").contains("nowhere"));
    assert!(fails(&folder, 4, &format!("{fit} --out .")).contains("cannot be written"));
    let locked = folder.path("locked");
    fs::create_dir(&locked).unwrap();
    fs::set_permissions(&locked, Permissions::from_mode(0o555)).unwrap();
    if File::create(locked.join("probe")).is_ok() {
        eprintln!("SKIPPED in part: this user may write to read-only folders");
    } else {
        assert!(fails(&folder, 4, &format!("{fit} --out locked/release.json")).contains("locked"));
        assert!(fails(&folder, 4, "demo --out-dir locked").contains("locked"));
    }
    // A read-only file is not replaced, whoever asks.
    fs::write(folder.path("old.json"), "old").unwrap();
    fs::set_permissions(folder.path("old.json"), Permissions::from_mode(0o444)).unwrap();
    fails(&folder, 4, &format!("{fit} --out old.json"));
    assert_eq!(fs::read_to_string(folder.path("old.json")).unwrap(), "old");
    fs::set_permissions(&locked, Permissions::from_mode(0o755)).unwrap();
}

#[test]
fn a_link_stays_a_link() {
    let folder = Folder::new();
    folder.data();
    fs::write(folder.path("target.json"), "old").unwrap();
    symlink("target.json", folder.path("link.json")).unwrap();
    succeeds(&folder, &format!("fit data.csv --force --target ill {LOGISTIC} --out link.json"));
    assert!(folder.path("link.json").is_symlink());
    assert!(fs::read_to_string(folder.path("target.json")).unwrap().contains("certificate"));
}

/// No terminal: no colours, no spinner; and none with NO_COLOR either.
#[test]
fn what_is_not_seen_is_plain() {
    let folder = Folder::new();
    folder.data();
    for (variable, value) in [("NO_COLOR", "1"), ("TERM", "xterm-256color")] {
        for arguments in
            [format!("fit data.csv --force --target ill {LOGISTIC}"), "check release.json".to_owned()]
        {
            let output =
                command(&folder.0).env(variable, value).args(arguments.split_whitespace()).output().unwrap();
            assert!(output.status.success(), "{}", stderr(&output));
            assert!(stderr(&output).lines().all(|line| line.starts_with("asap: ")), "{}", stderr(&output));
            assert!(!output.stdout.contains(&0x1b) && !output.stderr.contains(&0x1b));
        }
    }
}

/// The flags of a fit that takes hours: the certified chain of constrained MALA, and leave to run it. From a seed: how
/// long the chain is depends on the noise, and one that is longer still goes to the proximal sampler, which is quick.
const ENDLESS: &str = "--loss logistic --mu 1 --regulariser 0.5 --feature-bound 1 --sampler mala --expected-rows 60 \
                       --largest-chain 9007199254740992 --replay-seed 1 --yes";

fn endless(folder: &Folder) -> Child {
    folder.data();
    fs::write(folder.path("release.json"), "the old one").unwrap();
    command(&folder.0)
        .args(format!("fit data.csv --force --target ill {ENDLESS}").split_whitespace())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

#[test]
fn an_interrupted_fit_leaves_nothing_half_written() {
    for (signal, code) in [("INT", Some(130)), ("TERM", Some(130)), ("KILL", None)] {
        let folder = Folder::new();
        let mut child = endless(&folder);
        // It has begun: interrupts are its own from here on.
        let mut said = BufReader::new(child.stderr.take().unwrap()).lines();
        assert!(said.any(|line| line.unwrap().contains("fitting")), "the fit ended before it began");
        let kill = Command::new("kill").args([&format!("-{signal}"), &child.id().to_string()]).status();
        assert!(kill.unwrap().success());
        assert_eq!(child.wait().unwrap().code(), code);
        assert_eq!(folder.names(), ["data.csv", "release.json"], "{signal}");
        assert_eq!(fs::read_to_string(folder.path("release.json")).unwrap(), "the old one");
    }
}

/// Interrupts at many moments of a short run: the file is the old one or the new one, and nothing else is left.
#[test]
fn an_interrupt_at_any_moment_leaves_the_old_file_or_the_new_one() {
    let folder = Folder::new();
    fitted(&folder);
    for delay in 0..30 {
        fs::write(folder.path("p.csv"), "old").unwrap();
        let mut child = command(&folder.0)
            .args("predict release.json data.csv --out p.csv --force".split_whitespace())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        sleep(Duration::from_micros(delay * 150));
        let _ = Command::new("kill").args(["-INT", &child.id().to_string()]).stderr(Stdio::null()).status();
        child.wait().unwrap();
        assert_eq!(folder.names(), ["data.csv", "p.csv", "release.json"], "after {delay}");
        let text = fs::read_to_string(folder.path("p.csv")).unwrap();
        assert!(text == "old" || text.lines().count() == 61, "after {delay}: {text}");
    }
}

/// Writes that fail half-way keep the old file: a limit on the size of files stands in for a full disk.
#[test]
fn a_write_that_fails_half_way_keeps_the_old_file() {
    let folder = Folder::new();
    fitted(&folder);
    let old = fs::read_to_string(folder.path("release.json")).unwrap();
    let line = format!(
        "trap '' XFSZ; ulimit -f 1; exec '{}' fit data.csv --force --target ill {LOGISTIC}",
        env!("CARGO_BIN_EXE_asap")
    );
    let output = Command::new("bash").args(["-c", &line]).current_dir(&folder.0).output().unwrap();
    assert_eq!(output.status.code(), Some(4), "{}", stderr(&output));
    assert_eq!(folder.names(), ["data.csv", "release.json"]);
    assert_eq!(fs::read_to_string(folder.path("release.json")).unwrap(), old);
    assert!(asap(&folder, "check release.json").status.success());
}
