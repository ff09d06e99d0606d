//! `fit --stream`: the records stay in the file.

use crate::{Folder, LOGISTIC, asap, command, fails, refused, stderr, succeeds};
use std::fs::{self, File};
use std::io::{BufRead, BufReader, BufWriter, Read, Write};
use std::path::Path;
use std::process::{Command, Stdio};

/// The same seed, the same bits: for each loss, guarantee and mechanism, with rows in several chunks,
/// clipped ones among them.
#[test]
fn a_streamed_fit_is_the_fit_in_memory_bit_for_bit() {
    let folder = Folder::new();
    let row = |k: u32| {
        let (a, b) = (f64::from(k % 101) / 70.0, f64::from(k % 37) / 40.0 - 0.5);
        format!("{a};{b};{};{}\r\n\n", k % 3 / 2, a - b)
    };
    let text: String = std::iter::once("a;b;class;score\n".to_owned()).chain((0..3000).map(row)).collect();
    fs::write(folder.path("rows.csv"), text).unwrap();
    let squared =
        "--loss squared --target-bound 1 --parameter-bound 1 --regulariser 20 --feature-bound 1 --mu 1";
    let huber = "--loss huber --target-bound 1 --regulariser 20 --feature-bound 1 --epsilon 1";
    for (target, flags) in [
        ("class", format!("{LOGISTIC} --intercept")),
        ("class", format!("{LOGISTIC} --sampler proximal")),
        ("class", format!("{LOGISTIC} --mechanism output")),
        ("score", squared.to_owned()),
        ("score", format!("{huber} --features b,a")),
    ] {
        let fit = format!("fit rows.csv --force --target {target} {flags} --replay-seed 3");
        let fit = if flags.contains("--features") { fit } else { format!("{fit} --features a,b") };
        succeeds(&folder, &format!("{fit} --out memory.json"));
        succeeds(&folder, &format!("{fit} --out stream.json --stream"));
        let text = |name| fs::read_to_string(folder.path(name)).unwrap();
        assert_eq!(text("memory.json"), text("stream.json"), "{flags}");
    }
}

#[test]
fn what_can_be_read_once_only_is_refused() {
    let folder = Folder::new();
    folder.data();
    let flags = format!("--target ill {LOGISTIC} --stream");
    assert!(fails(&folder, 2, &format!("fit - {flags}")).contains("--stream"));
    assert!(fails(&folder, 3, &format!("fit missing.csv {flags}")).contains("missing.csv"));
    assert!(
        fails(&folder, 3, &format!("fit data.csv --force --target nothing {LOGISTIC} --stream"))
            .contains("--target")
    );
    fs::create_dir(folder.path("folder")).unwrap();
    fails(&folder, 3, &format!("fit folder {flags}"));
    assert!(fails(&folder, 3, &format!("fit data.csv --force {flags} --max-rows 5")).contains("--max-rows"));
    if Path::new("/dev/stdin").exists() {
        let mut piped = command(&folder.0);
        piped.args(format!("fit /dev/stdin {flags}").split_whitespace()).stdin(Stdio::piped());
        assert!(refused(&piped.output().unwrap(), 2, &flags).contains("--stream"));
    }
    assert!(succeeds(&folder, "fit --help").contains("64 partial sums"));
    assert_eq!(folder.names(), ["data.csv", "folder"]);
}

/// A file that is replaced by another between two passes: the next pass notices. The fit has read the file once when it
/// waits for the ledger, which this test holds until the file is another one.
#[test]
fn a_file_that_changes_between_passes_is_refused() {
    let folder = Folder::new();
    let path = folder.path("data.csv");
    let row = |k: u32| format!("0.{:02},0.{:02},{}\n", k % 97, k % 89, k % 2);
    let text: String = std::iter::once("a,b,y\n".to_owned()).chain((0..500).map(row)).collect();
    succeeds(&folder, "ledger budget.json --total-epsilon 9");
    // A cell, the number of rows, everything, and nothing but the time of the file.
    let others =
        [text.replacen("0.01,", "0.02,", 1), text.clone() + "0.1,0.1,0\n", String::new(), text.clone()];
    for changed in others {
        fs::write(&path, &text).unwrap();
        fs::write(folder.path("other.csv"), &changed).unwrap();
        let lock = File::create(folder.path("budget.json.lock")).unwrap();
        lock.lock().unwrap();
        let fit = format!("fit data.csv --yes --force --target y {LOGISTIC} --stream --ledger budget.json");
        let mut child = command(&folder.0)
            .args(fit.split_whitespace())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut said = BufReader::new(child.stderr.take().unwrap());
        let mut line = String::new();
        while !line.contains("fitting") {
            line.clear();
            assert!(said.read_line(&mut line).unwrap() > 0, "the fit ended before it began");
        }
        fs::rename(folder.path("other.csv"), &path).unwrap();
        lock.unlock().unwrap();
        let mut rest = String::new();
        said.read_to_string(&mut rest).unwrap();
        let code = child.wait().unwrap().code();
        if changed == text {
            assert_eq!(code, Some(0), "{rest}");
            continue;
        }
        assert_eq!(code, Some(3), "{rest}");
        assert!(rest.contains("data.csv") && rest.contains("nothing is released"), "{rest}");
        assert!(!folder.path("release.json").exists());
    }
}

/// A file of 60 MB under a limit of memory that the fit in memory exceeds and the streamed one does not.
#[test]
fn a_file_larger_than_the_memory_is_fitted() {
    const ROWS: u32 = 400_000;
    const COLUMNS: u32 = 30;
    const LIMIT_KIB: u32 = 60_000;
    if !cfg!(target_os = "linux") {
        eprintln!("SKIPPED: limits of memory are set on Linux only");
        return;
    }
    let folder = Folder::new();
    let mut file = BufWriter::new(File::create(folder.path("large.csv")).unwrap());
    let names: Vec<String> = (0..COLUMNS).map(|k| format!("x{k}")).collect();
    writeln!(file, "{},y", names.join(",")).unwrap();
    for k in 0..ROWS {
        for column in 0..COLUMNS {
            write!(file, "0.{:02},", (k * 7 + column * 13) % 100).unwrap();
        }
        writeln!(file, "0.{}", k % 10).unwrap();
    }
    file.into_inner().unwrap().sync_all().unwrap();
    let size = fs::metadata(folder.path("large.csv")).unwrap().len();
    assert!(size > 1000 * u64::from(LIMIT_KIB), "{size}");
    let fit = |flags: &str| {
        let problem =
            "--loss squared --target-bound 1 --parameter-bound 1 --mu 1 --regulariser 20 --feature-bound 1";
        let line = format!(
            "ulimit -v {LIMIT_KIB}; exec '{}' fit large.csv --target y {problem} {flags}",
            env!("CARGO_BIN_EXE_asap")
        );
        let mut shell = Command::new("sh");
        shell.args(["-c", &line]).current_dir(&folder.0).env("RAYON_NUM_THREADS", "1").output().unwrap()
    };
    let streamed = fit("--stream");
    assert_eq!(streamed.status.code(), Some(0), "{}", stderr(&streamed));
    assert!(!fit("--out memory.json").status.success(), "in memory it does not fit");
    assert_eq!(folder.names(), ["large.csv", "release.json"]);
    assert!(asap(&folder, "check release.json").status.success());
}
