//! Nothing is lost: what exists is kept, and what is read is never replaced.

use crate::{Folder, LOGISTIC, asap, command, fails, fitted, stderr, stdout, succeeds};
use std::fs;
use std::process::Stdio;

/// A fit that would be refused with exit code 3 as soon as it read a record.
fn unusable(folder: &Folder) -> String {
    fs::write(folder.path("bad.csv"), "age,ill\n0.1,1\nnot a number,1\n").unwrap();
    format!("fit bad.csv --target ill {LOGISTIC}")
}

#[test]
fn an_existing_output_is_kept_unless_forced() {
    let folder = Folder::new();
    fitted(&folder);
    succeeds(&folder, "ledger budget.json --total-epsilon 1");
    let fit = format!("fit data.csv --target ill {LOGISTIC}");
    let plan = format!("plan {LOGISTIC} --rows 500 --dim 3 --sweep epsilon=0.5:2:2 --svg old");
    let all = [
        format!("{fit} --ledger budget.json --out old"),
        "predict release.json data.csv --out old".to_owned(),
        plan,
        "audit --mu 1 --runs 100 --replay-seed 1 --svg old".to_owned(),
    ];
    for arguments in &all {
        fs::write(folder.path("old"), "the old one").unwrap();
        let said = fails(&folder, 4, arguments);
        assert!(said.contains("old: already exists") && said.contains("--force"), "{said}");
        assert_eq!(fs::read_to_string(folder.path("old")).unwrap(), "the old one", "{arguments}");
    }
    // Nothing was spent by the fit that was refused: the whole budget is still there for this one.
    for arguments in &all {
        succeeds(&folder, &format!("{arguments} --force"));
        assert_ne!(fs::read_to_string(folder.path("old")).unwrap(), "the old one", "{arguments}");
        fs::write(folder.path("old"), "the old one").unwrap();
    }
    assert!(succeeds(&folder, "ledger budget.json").contains("1 begun, 1 released"));
    // The default name is a name like others.
    assert!(fails(&folder, 4, &fit).contains("release.json: already exists"));
    // And what exists is found before a record is read: that would be exit code 3.
    let unusable = unusable(&folder);
    fails(&folder, 4, &format!("{unusable} --out old"));
    fails(&folder, 3, &format!("{unusable} --out new"));
}

#[cfg(unix)]
#[test]
fn an_input_is_never_replaced_under_any_name() {
    use std::os::unix::fs::symlink;
    let folder = Folder::new();
    fitted(&folder);
    fs::write(folder.path("secret.hex"), "ab".repeat(32)).unwrap();
    succeeds(&folder, "ledger budget.json --total-epsilon 1");
    symlink("data.csv", folder.path("link.csv")).unwrap();
    fs::hard_link(folder.path("data.csv"), folder.path("other.csv")).unwrap();
    fs::create_dir(folder.path("below")).unwrap();
    let before = |name: &str| fs::read(folder.path(name)).unwrap();
    let kept = ["data.csv", "release.json", "secret.hex", "budget.json"].map(|name| (name, before(name)));
    let fit = format!("fit data.csv --target ill {LOGISTIC} --sign secret.hex --ledger budget.json");
    let mut all = vec![
        "predict release.json data.csv --out release.json".to_owned(),
        "predict release.json data.csv --out below/../data.csv".to_owned(),
        format!("fit link.csv --target ill {LOGISTIC} --out other.csv"),
        format!("fit link.csv --target ill {LOGISTIC} --out data.csv --stream"),
    ];
    let schema = "columns = { age = [0, 1], dose = [0, 1] }\ntarget = { name = 'ill', classes = ['0', '1'] }";
    fs::write(folder.path("schema.toml"), schema).unwrap();
    let plan = format!("plan {LOGISTIC} --rows 500 --schema schema.toml --sweep epsilon=0.5:2:2");
    all.push(format!("{plan} --svg schema.toml"));
    for out in ["data.csv", "./data.csv", "link.csv", "other.csv", "secret.hex", "budget.json"] {
        all.push(format!("{fit} --out {out}"));
    }
    for arguments in all {
        for force in ["", " --force"] {
            let said = fails(&folder, 4, &format!("{arguments}{force}"));
            assert!(said.contains("never replaces an input"), "{arguments}{force}: {said}");
        }
    }
    // Also not through standard input.
    for force in [&["--force"][..], &[]] {
        let data = fs::File::open(folder.path("data.csv")).unwrap();
        let fit = format!("fit - --target ill {LOGISTIC} --out data.csv");
        let output = command(&folder.0)
            .args(fit.split_whitespace())
            .args(force)
            .stdin(Stdio::from(data))
            .output()
            .unwrap();
        assert_eq!(output.status.code(), Some(4), "{}", stderr(&output));
    }
    for (name, content) in kept {
        assert_eq!(before(name), content, "{name}");
    }
    assert!(succeeds(&folder, "ledger budget.json").contains("0 begun"));
}

#[cfg(unix)]
#[test]
fn devices_pipes_and_standard_output_are_written_to() {
    let folder = Folder::new();
    fitted(&folder);
    succeeds(&folder, "predict release.json data.csv --out /dev/null");
    for out in ["-", "/dev/stdout"] {
        let output = asap(&folder, &format!("predict release.json data.csv --out {out}"));
        assert_eq!(stdout(&output).lines().count(), 61, "{out}: {}", stderr(&output));
    }
}

/// Two fits that find nothing there when they start: both were paid for, both are kept.
#[test]
fn two_fits_at_once_never_replace_each_others_release() {
    let folder = Folder::new();
    folder.data();
    let fit = format!("fit data.csv --target ill {LOGISTIC} --json");
    let start = || {
        command(&folder.0)
            .args(fit.split_whitespace())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap()
    };
    let mut written = 0;
    for child in (0..6).map(|_| start()).collect::<Vec<_>>() {
        let output = child.wait_with_output().unwrap();
        match output.status.code() {
            Some(0) => written += 1,
            code => assert_eq!(code, Some(4), "{}", stderr(&output)),
        }
    }
    let releases: Vec<String> =
        folder.names().into_iter().filter(|name| name.starts_with("release")).collect();
    assert_eq!(releases.len(), written, "{releases:?}");
    for release in releases {
        succeeds(&folder, &format!("check {release}"));
    }
}

#[test]
fn the_demo_has_a_folder_of_its_own() {
    let folder = Folder::new();
    fs::create_dir(folder.path("asap-demo")).unwrap();
    fs::write(folder.path("asap-demo/notes"), "mine").unwrap();
    assert!(fails(&folder, 4, "demo").contains("--force"));
    assert_eq!(fs::read_dir(folder.path("asap-demo")).unwrap().count(), 1);
}
