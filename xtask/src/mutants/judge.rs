//! Which tests meet which mutants, and what they say.

use super::build::Binary;
use super::sites::{Dropped, Mutant};
use super::{MutantsError, Verdict, Wanted, at};
use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, OpenOptions};
use std::io::Write;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// A test that takes longer is left out.
const LONGEST: u32 = 5;

/// A test that is green without a mutant.
pub(super) struct Test {
    name: String,
    path: PathBuf,
    folder: PathBuf,
    seconds: f64,
    reaches: BTreeSet<u32>,
}

/// How a test ended.
enum End {
    Green,
    Red,
    /// Stopped by the limit of processor seconds, or by that of the clock.
    Stopped,
}

/// Runs one test in a process of its own: with so many seconds of a processor, a hundred times as long by the clock
/// (others may be busy), and 8 GB.
fn run(
    path: &Path,
    folder: &Path,
    test: &str,
    seconds: u64,
    variable: (&str, &str),
) -> Result<End, MutantsError> {
    let limits = format!("ulimit -t {seconds}; ulimit -v 8000000; exec \"$0\" \"$@\"");
    let child = Command::new("sh")
        .args(["-c", &limits])
        .arg(path)
        .args(["--exact", test, "--test-threads=1"])
        .current_dir(folder)
        .env(variable.0, variable.1)
        .env("RAYON_NUM_THREADS", "1")
        .env("RUST_BACKTRACE", "0")
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn();
    let mut child = at(path.display(), child)?;
    let start = Instant::now();
    loop {
        if let Some(status) = at(test, child.try_wait())? {
            // 24: processor seconds are used up; 9: the same, for who does not listen.
            return Ok(match status.signal() {
                Some(9 | 24) => End::Stopped,
                _ if status.success() => End::Green,
                _ => End::Red,
            });
        }
        if start.elapsed() > Duration::from_secs(100 * seconds) {
            at(test, child.kill())?;
            at(test, child.wait())?;
            return Ok(End::Stopped);
        }
        std::thread::sleep(Duration::from_millis(if start.elapsed().as_millis() < 200 { 1 } else { 10 }));
    }
}

/// Seconds of a processor that a test takes without a mutant; none can be enough for one that is not green. It writes
/// the sites that it meets to a file.
fn alone(path: &Path, folder: &Path, test: &str, reached: &Path) -> Result<f64, MutantsError> {
    let script = format!("ulimit -t {}; \"$0\" \"$@\" > /dev/null 2>&1 && times", LONGEST + 1);
    let output = Command::new("sh")
        .args(["-c", &script])
        .arg(path)
        .args(["--exact", test, "--test-threads=1"])
        .current_dir(folder)
        .env("MUTANT_REACHED", reached)
        .env("RAYON_NUM_THREADS", "1")
        .output();
    // The second line is of the child: `0m1.25s 0m0.01s`.
    let text = String::from_utf8_lossy(&at(path.display(), output)?.stdout).into_owned();
    let seconds = |time: &str| {
        let (minutes, seconds) = time.strip_suffix('s')?.split_once('m')?;
        Some(60.0 * minutes.parse::<f64>().ok()? + seconds.parse::<f64>().ok()?)
    };
    let times = text.lines().nth(1).map(|line| line.split(' ').filter_map(seconds).sum());
    Ok(times.unwrap_or(f64::INFINITY))
}

/// Runs every test that is asked once, without a mutant, and reads which sites it met. What is not green, or
/// takes too long, is left out.
pub(super) fn record(work: &Path, asked: &[String], binaries: &[Binary]) -> Result<Vec<Test>, MutantsError> {
    let mut tests = Vec::new();
    for Binary { name, path, folder } in binaries {
        let records = work.join("reached").join(name);
        at(records.display(), fs::create_dir_all(&records))?;
        let built = at(path.display(), fs::metadata(path).and_then(|it| it.modified()))?;
        let list = Command::new(path).args(["--list", "--format=terse"]).current_dir(folder).output();
        let list = String::from_utf8_lossy(&at(path.display(), list)?.stdout).into_owned();
        let is_asked = |test: &&str| asked.is_empty() || asked.iter().any(|begin| test.starts_with(begin));
        for test in list.lines().filter_map(|line| line.strip_suffix(": test")).filter(is_asked) {
            let file = records.join(test.replace("::", "."));
            let times = records.join(format!("{}.seconds", test.replace("::", ".")));
            let fresh = fs::metadata(&times).and_then(|it| it.modified()).is_ok_and(|time| time > built);
            if !fresh {
                let _ = fs::remove_file(&file);
                let seconds = alone(path, folder, test, &file)?;
                at(times.display(), fs::write(&times, seconds.to_string()))?;
            }
            let seconds = at(times.display(), fs::read_to_string(&times))?.parse().unwrap_or(f64::INFINITY);
            if seconds > f64::from(LONGEST) {
                eprintln!("left out: {name} {test} takes too long, or is red without a mutant");
                continue;
            }
            let reached = fs::read_to_string(&file).unwrap_or_default();
            let reaches = reached.lines().filter_map(|line| line.parse().ok()).collect();
            let (path, folder) = (path.clone(), folder.clone());
            tests.push(Test { name: format!("{name} {test}"), path, folder, seconds, reaches });
        }
    }
    tests.sort_by(|a, b| a.seconds.total_cmp(&b.seconds));
    Ok(tests)
}

/// The same mutant in the next run, where nothing before it changed.
pub(super) fn key(mutant: &Mutant) -> String {
    let Mutant { site, file, line, function, change, .. } = mutant;
    format!("{site} {file}:{line} {function}: {change}")
}

/// Judges every mutant that was not caught before. Verdicts are written down as they are found.
pub(super) fn all(
    wanted: &Wanted,
    mutants: &[Mutant],
    dropped: &Dropped,
    tests: &[Test],
) -> Result<BTreeMap<String, Verdict>, MutantsError> {
    let path = wanted.work.join("verdicts.jsonl");
    let mut verdicts = BTreeMap::<String, Verdict>::new();
    if path.is_file() {
        let lines = at(path.display(), fs::read_to_string(&path))?;
        verdicts
            .extend(lines.lines().filter_map(|line| serde_json::from_str::<(String, Verdict)>(line).ok()));
    }
    let mut file = at(path.display(), OpenOptions::new().create(true).append(true).open(&path))?;
    let mut killers = BTreeMap::<&str, BTreeSet<usize>>::new();
    // Those that were never judged come first: who survived once may well do so again, and takes long.
    let (known, new): (Vec<&Mutant>, Vec<&Mutant>) =
        mutants.iter().partition(|mutant| verdicts.contains_key(&key(mutant)));
    for mutant in new.into_iter().chain(known) {
        let mine = mutant.site % wanted.shards == wanted.shard;
        let asked = wanted.only.is_empty() || wanted.only.iter().any(|begin| mutant.file.starts_with(begin));
        let viable = !dropped.sites.contains(&mutant.site) && !dropped.mutants.contains(&mutant.name());
        let key = key(mutant);
        if !mine
            || !asked
            || !viable
            || matches!(verdicts.get(&key), Some(Verdict::Caught(_) | Verdict::Time(_)))
        {
            continue;
        }
        let known = killers.entry(&mutant.function).or_default();
        let verdict = judge(wanted, mutant, tests, known)?;
        let line = serde_json::to_string(&(&key, &verdict)).unwrap_or_default();
        at(path.display(), writeln!(file, "{line}"))?;
        verdicts.insert(key, verdict);
    }
    Ok(verdicts)
}

/// The tests that caught another mutant of the function come first, then the quick ones.
fn judge(
    wanted: &Wanted,
    mutant: &Mutant,
    tests: &[Test],
    killers: &mut BTreeSet<usize>,
) -> Result<Verdict, MutantsError> {
    let meets = |i: &usize| tests[*i].reaches.contains(&mutant.site);
    let first: Vec<usize> = killers.iter().copied().filter(meets).collect();
    let rest = (0..tests.len()).filter(|i| meets(i) && !killers.contains(i));
    let (mut spent, mut run_so_far) = (0.0, 0);
    for i in first.iter().copied().chain(rest) {
        let test = &tests[i];
        if spent > wanted.seconds {
            break;
        }
        spent += test.seconds;
        run_so_far += 1;
        let limit = 2 + Duration::from_secs_f64(4.0 * test.seconds).as_secs();
        let end = run(
            &test.path,
            &test.folder,
            test.name.split_once(' ').map_or("", |it| it.1),
            limit,
            ("MUTANT", &mutant.name()),
        )?;
        let verdict = match end {
            End::Green => continue,
            End::Red => Verdict::Caught(test.name.clone()),
            End::Stopped => Verdict::Time(test.name.clone()),
        };
        killers.insert(i);
        return Ok(verdict);
    }
    Ok(Verdict::Survived(run_so_far))
}
