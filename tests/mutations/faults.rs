//! The faults of `proofs/faults.toml`: three for each harness, chosen by somebody who did not write it.

use super::{Path, PathBuf, copy, documented, env, fs, root, sources_digest};
use core::ops::Range;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::process::{Command, Stdio};
use std::thread;
use std::time::Duration;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Faults {
    beneath: Vec<String>,
    fault: Vec<Fault>,
}

#[derive(Clone, Debug, Deserialize, PartialEq)]
#[serde(deny_unknown_fields)]
struct Fault {
    harness: String,
    file: String,
    before: String,
    after: String,
}

fn faults() -> Faults {
    toml::from_str(&fs::read_to_string(root().join("proofs/faults.toml")).unwrap()).unwrap()
}

#[test]
fn every_harness_has_three_faults() {
    let Faults { beneath, fault } = faults();
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for Fault { harness, file, before, after } in &fault {
        *counts.entry(harness).or_default() += 1;
        let text = fs::read_to_string(root().join(file)).unwrap();
        assert_eq!(text.matches(before.as_str()).count(), 1, "{file}: `{before}` of a fault for {harness}");
        assert_ne!(before, after, "{harness}");
    }
    let documented: Vec<_> = documented().into_iter().map(|(harness, _)| harness).collect();
    assert_eq!(counts.keys().map(|harness| (*harness).to_owned()).collect::<Vec<_>>(), documented);
    assert!(counts.values().all(|count| *count >= 3), "{counts:?}");
    assert!(beneath.iter().all(|file| root().join(file).is_file()));
}

/// Faults that are made together: of different files, and none of them in a file that other harnesses rest on.
fn batches(faults: &[Fault], beneath: &[String]) -> Vec<Vec<Fault>> {
    let mut batches: Vec<Vec<Fault>> = Vec::new();
    for fault in faults {
        let fits = |batch: &&mut Vec<Fault>| {
            !beneath.contains(&fault.file)
                && batch.iter().all(|other| other.file != fault.file && !beneath.contains(&other.file))
        };
        match batches.iter_mut().find(fits) {
            Some(batch) => batch.push(fault.clone()),
            None => batches.push(vec![fault.clone()]),
        }
    }
    batches.sort_by_key(|batch| core::cmp::Reverse(batch.len()));
    batches
}

/// What Kani says of each harness, in the copy.
fn verified(directory: &Path, harnesses: &[&str]) -> BTreeMap<String, &'static str> {
    let named = harnesses.iter().flat_map(|harness| ["--harness", harness]);
    let output = Command::new("cargo")
        .args(["kani", "-Z", "function-contracts", "-Z", "stubbing", "-Z", "unstable-options"])
        .args(["--harness-timeout", "600s", "--output-format", "terse"])
        .args(named)
        .current_dir(directory)
        .env("CARGO_TARGET_DIR", root().join("target"))
        .env("CARGO_PROFILE_DEV_OPT_LEVEL", "0")
        .output()
        .unwrap();
    let output = String::from_utf8_lossy(&output.stdout).into_owned();
    let report = |block: &str| {
        let name = block.split("...").next().unwrap_or_default().rsplit("::").next().unwrap_or_default();
        let covers = block.lines().find(|line| line.contains("cover properties satisfied"));
        let met = covers.is_some_and(|line| {
            let mut numbers = line.split_whitespace().filter_map(|word| word.parse::<u32>().ok());
            numbers.next().zip(numbers.next()).is_some_and(|(met, all)| met == all)
        });
        let verdict = if block.contains("timed out") {
            "late (Kani)"
        } else if block.contains("VERIFICATION:- FAILED") {
            "red (Kani)"
        } else if block.contains("VERIFICATION:- SUCCESSFUL") && !met {
            "red (Kani: vacuous)"
        } else {
            "SURVIVED (Kani)"
        };
        (name.to_owned(), verdict)
    };
    output.split("Checking harness ").skip(1).map(report).collect()
}

/// The inside of the function, or of the clause of a contract, that a place of a formatted source is in.
fn inside(text: &str, place: usize) -> Option<Range<usize>> {
    let starts: Vec<usize> =
        core::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1)).collect();
    let line = |k: usize| text[starts[k]..].lines().next().unwrap_or_default();
    let indent = |k: usize| line(k).len() - line(k).trim_start().len();
    let here = starts.partition_point(|start| *start <= place) - 1;
    let head = |k: usize| {
        let mut words =
            line(k).split_whitespace().skip_while(|word| word.starts_with("pub") || *word == "const");
        let first = words.next();
        // A clause of a lemma begins with the id of its page.
        let clause = ["given", "requires", "ensures"].map(Some).contains(&first);
        first == Some("fn") || (clause && words.next().is_some_and(|word| word.starts_with('"')))
    };
    let first = (0..=here).rev().find(|k| head(*k))?;
    let range = if line(first).contains("fn ") {
        let open = (first..starts.len()).find(|k| indent(*k) == indent(first) && line(*k).ends_with('{'))?;
        let close = (open..starts.len()).find(|k| indent(*k) == indent(first) && line(*k).trim() == "}")?;
        // Two iterators are of two types, even if both are some.
        if text[starts[first]..starts[open]].contains("-> impl") || line(open).contains("-> impl") {
            return None;
        }
        starts[open + 1]..starts[close]
    } else {
        let last = (first..starts.len()).find(|k| {
            line(*k).ends_with(';') && (indent(*k) == indent(first) || line(*k).contains("=> |it| "))
        })?;
        let arrow = starts[first] + text[starts[first]..].find("=> |it| ")? + "=> |it| ".len();
        arrow..starts[last] + line(last).len() - 1
    };
    range.contains(&place).then_some(range)
}

/// By start and end of a body: the bodies with a fault, and which one it is.
type Bodies = BTreeMap<(usize, usize), Vec<(usize, String)>>;

/// How far two texts agree from the start, in whole characters.
fn agreement(one: impl Iterator<Item = char>, other: impl Iterator<Item = char>) -> usize {
    one.zip(other).take_while(|(a, b)| a == b).map(|(a, _)| a.len_utf8()).sum()
}

/// Makes all faults inside of functions at once: which of them counts is said by the variable FAULT when a test
/// runs. The others come back.
fn switches(directory: &Path, faults: &[Fault]) -> Vec<usize> {
    let mut places: BTreeMap<&str, Bodies> = BTreeMap::new();
    let mut outside = Vec::new();
    for (k, Fault { file, before, after, .. }) in faults.iter().enumerate() {
        let text = fs::read_to_string(root().join(file)).unwrap();
        let changed = text.replacen(before, after, 1);
        let place = agreement(text.chars(), changed.chars());
        let rest = agreement(text[place..].chars().rev(), changed[place..].chars().rev());
        match inside(&text, place) {
            Some(range) if text.len() - rest <= range.end => {
                let body = changed[range.start..changed.len() - (text.len() - range.end)].to_owned();
                places.entry(file).or_default().entry((range.start, range.end)).or_default().push((k, body));
            }
            _ => outside.push(k),
        }
    }
    for (file, ranges) in places {
        let mut text = fs::read_to_string(root().join(file)).unwrap();
        let module = if file.starts_with("contracts/") { "crate" } else { "asap_contracts" };
        for ((start, end), bodies) in ranges.into_iter().rev() {
            let mut switched = String::from("{ ");
            for (k, body) in bodies {
                let _ = write!(switched, "if {module}::fault::is({k}) {{\n{body}\n}} else ");
            }
            let _ = write!(switched, "{{\n{}\n}} }}\n", &text[start..end]);
            text.replace_range(start..end, &switched);
            // What reads a variable is not constant.
            let line = text[..start].trim_end().rfind('\n').map_or(0, |at| at + 1);
            let signature = text[line..start].replacen("const fn", "fn", 1);
            text.replace_range(line..start, &signature);
        }
        fs::write(directory.join(file), text).unwrap();
    }
    let library = directory.join("contracts/src/lib.rs");
    let switch = "\n#[doc(hidden)]\n#[allow(missing_docs)]\npub mod fault {\n    pub fn is(fault: usize) -> bool {\n        static CHOSEN: \
        std::sync::OnceLock<Option<usize>> = std::sync::OnceLock::new();\n        *CHOSEN.get_or_init(|| \
        std::env::var(\"FAULT\").ok()?.parse().ok()) == Some(fault)\n    }\n}\n";
    fs::write(&library, fs::read_to_string(&library).unwrap() + switch).unwrap();
    outside
}

/// The property tests, built in the copy.
fn built(directory: &Path) -> PathBuf {
    let output = Command::new(env!("CARGO"))
        // What counts is the time to build. What the crate depends on is there already.
        .arg("test")
        .args(["asap-dp", "asap-contracts", "asap-audit"].iter().flat_map(|package| {
            let setting = |name| format!("profile.test.package.{package}.{name}=0");
            ["--config".to_owned(), setting("opt-level"), "--config".to_owned(), setting("debug")]
        }))
        .args(["--package", "asap-dp", "--lib", "--no-run"])
        .current_dir(directory)
        .env("CARGO_TARGET_DIR", root().join("target"))
        .output()
        .unwrap();
    let output = String::from_utf8_lossy(&output.stderr).into_owned();
    let path = output.rsplit_once("src/lib.rs (").and_then(|(_, rest)| rest.split(')').next());
    // A relative path is relative to where cargo ran.
    directory.join(path.unwrap_or_else(|| panic!("the faults do not compile:\n{output}")))
}

/// What a property test says of a fault.
fn tested(tests: &Path, harness: &str, fault: Option<usize>) -> &'static str {
    let mut running = Command::new(tests)
        .args([&format!("proofs::{harness}"), "--test-threads=1"])
        .env("FAULT", fault.map_or_else(String::new, |fault| fault.to_string()))
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    // A fault may make a loop endless; of that nothing is known.
    for _ in 0..1200 {
        if running.try_wait().unwrap().is_some() {
            break;
        }
        thread::sleep(Duration::from_millis(100));
    }
    let _ = running.kill();
    let output = running.wait_with_output().unwrap().stdout;
    let output = String::from_utf8_lossy(&output);
    if output.contains(&format!("{harness} ... FAILED")) {
        "red (tests)"
    } else if output.contains("1 passed; 0 failed") {
        "green (tests)"
    } else {
        "late (tests)"
    }
}

/// Asks the property tests; then Kani, of what stays green, unless `BY=tests`. `BY=kani` asks Kani of all.
/// `WRITE=proofs/faults.md` writes the table.
#[test]
#[ignore = "builds the crate with all faults, then once more for each that only Kani sees: `proofs/run faults`"]
fn every_fault_turns_its_harness_red() {
    let (Faults { beneath, fault }, wanted) = (faults(), env::var("HARNESS").unwrap_or_default());
    let chosen = |fault: &&Fault| wanted.split(',').any(|part| fault.harness.contains(part));
    let fault: Vec<Fault> = fault.iter().filter(chosen).cloned().collect();
    let by = env::var("BY").unwrap_or_default();
    let directory = env::temp_dir().join(format!("asap-dp-faults-{}", std::process::id()));
    let mut rows: Vec<Row> = fault.iter().map(|fault| (fault.clone(), "not asked")).collect();
    let save = |rows: &[Row]| {
        // After each step: a run that is interrupted has said what it knows.
        if let Ok(path) = env::var("WRITE") {
            fs::write(root().join(path), table(rows)).unwrap();
        }
    };
    if by != "kani" {
        copy(root(), &directory);
        let outside = switches(&directory, &fault);
        let tests = built(&directory);
        for (harness, _) in
            documented().iter().filter(|(name, _)| fault.iter().any(|made| made.harness == *name))
        {
            assert_eq!(tested(&tests, harness, None), "green (tests)", "{harness}, without a fault");
        }
        for (k, row) in rows.iter_mut().enumerate().filter(|(k, _)| !outside.contains(k)) {
            row.1 = tested(&tests, &row.0.harness, Some(k));
            println!("{}: {}: `{}` -> `{}`", row.0.harness, row.1, row.0.before, row.0.after);
        }
        save(&rows);
        fs::remove_dir_all(&directory).unwrap();
    }
    let left: Vec<Fault> =
        rows.iter().filter(|row| !row.1.starts_with("red")).map(|row| row.0.clone()).collect();
    let asked = if by == "tests" { Vec::new() } else { batches(&left, &beneath) };
    copy(root(), &directory);
    for batch in asked {
        for Fault { file, before, after, .. } in &batch {
            let original = fs::read_to_string(root().join(file)).unwrap();
            fs::write(directory.join(file), original.replacen(before, after, 1)).unwrap();
        }
        let harnesses: Vec<&str> = batch.iter().map(|fault| fault.harness.as_str()).collect();
        let verdicts = verified(&directory, &harnesses);
        for made in batch {
            fs::copy(root().join(&made.file), directory.join(&made.file)).unwrap();
            // What does not compile shows nothing.
            let verdict = verdicts.get(&made.harness).copied().unwrap_or("NOT RUN");
            println!("{}: {verdict}: `{}` -> `{}`", made.harness, made.before, made.after);
            for row in rows.iter_mut().filter(|row| row.0 == made) {
                row.1 = verdict;
            }
        }
        save(&rows);
    }
    fs::remove_dir_all(&directory).unwrap();
    let survived: Vec<_> = rows.iter().filter(|row| !row.1.starts_with("red")).collect();
    assert!(survived.is_empty(), "{survived:#?}");
}

type Row = (Fault, &'static str);

fn table(rows: &[Row]) -> String {
    let code = |text: &str| {
        let line = text.split_whitespace().collect::<Vec<_>>().join(" ").replace('|', "\\|");
        if line.contains('`') { format!("`` {line} ``") } else { format!("`{line}`") }
    };
    let red = rows.iter().filter(|row| row.1.starts_with("red")).count();
    let by = |who: &str| rows.iter().filter(|row| row.1.starts_with(who)).count();
    let mut text = format!(
        "# Faults, and what the harnesses say\n\nWritten by `proofs/run faults` from [faults.toml](faults.toml): {red} of {} faults are red, {} of \
         them by the property test of\nthe harness, {} by Kani, of the sources `sha256:{}`.\n\n| harness | file | before | after | |\n|---|---|---|---|---|\n",
        rows.len(),
        by("red (tests"),
        by("red (Kani"),
        sources_digest()
    );
    for (Fault { harness, file, before, after }, verdict) in rows {
        let (before, after) = (code(before), code(after));
        let _ = writeln!(text, "| `{harness}` | `{file}` | {before} | {after} | {verdict} |");
    }
    text
}
