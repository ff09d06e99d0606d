use crate::{Folder, asap, command, fails, stderr, stdout, succeeds};
use std::collections::BTreeSet;
use std::fs;
use std::time::{Duration, Instant, SystemTime};

const TINY: &str = "reproduce --quick --repetitions 1 --out here";

fn cells(folder: &Folder) -> Vec<(String, SystemTime)> {
    let entries = fs::read_dir(folder.path("here/cells")).into_iter().flatten().map(Result::unwrap);
    let mut cells: Vec<(String, SystemTime)> = entries
        .filter(|entry| entry.path().extension().is_some_and(|extension| extension == "json"))
        .map(|entry| {
            let changed = entry.metadata().unwrap().modified().unwrap();
            (entry.file_name().to_string_lossy().into_owned(), changed)
        })
        .collect();
    cells.sort();
    cells
}

/// Fields of a line, as RFC 4180 has them.
fn fields(line: &str) -> Vec<String> {
    let (mut all, mut quoted) = (vec![String::new()], false);
    for character in line.chars() {
        match (character, quoted) {
            ('"', _) => quoted = !quoted,
            (',', false) => all.push(String::new()),
            _ => all.last_mut().unwrap().push(character),
        }
    }
    all
}

/// A run is stopped in the middle; the next one keeps what is finished and ends with the same bytes as
/// one that was never stopped.
#[test]
fn a_run_that_was_stopped_goes_on_and_says_the_same() {
    let folder = Folder::new();
    let mut child = command(&folder.0)
        .args(TINY.split_whitespace())
        .stderr(std::process::Stdio::null())
        .stdout(std::process::Stdio::null())
        .spawn()
        .unwrap();
    let start = Instant::now();
    while cells(&folder).len() < 20 && start.elapsed() < Duration::from_secs(300) {
        std::thread::sleep(Duration::from_millis(5));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    let before = cells(&folder);
    assert!(before.len() >= 20);
    assert!(!folder.path("here/reproduce.html").exists(), "the page comes last");
    let output = asap(&folder, TINY);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert!(
        stderr(&output).contains("for public records only")
            && stderr(&output).contains("nothing that is written is private")
    );
    let after = cells(&folder);
    assert!(before.iter().all(|cell| after.contains(cell)), "what is finished is not done again");
    assert!(stdout(&output).contains("objective perturbation") && stdout(&output).contains("(baseline)"));

    let page = fs::read_to_string(folder.path("here/reproduce.html")).unwrap();
    for word in [
        "synthetic",
        "nothing that is written is private",
        "this standardisation is not private",
        "NoisySGD",
        "τ = ",
        "Public bounds",
    ] {
        assert!(page.contains(word), "{word}");
    }
    assert_eq!(page.matches("<svg").count(), 14, "every figure is in the page");
    assert!(!page.contains("src=") && !page.contains("href="), "the page needs nothing from elsewhere");
    let csv = fs::read_to_string(folder.path("here/reproduce.csv")).unwrap();
    let mut lines = csv.lines();
    let head = fields(lines.next().unwrap());
    let column = |name: &str| head.iter().position(|it| it == name).unwrap();
    let mut systems = BTreeSet::new();
    let mut count = 0;
    for line in lines {
        let row = fields(line);
        assert_eq!(row.len(), head.len(), "{line}");
        systems.insert((row[column("system")].clone(), row[column("standing")].clone()));
        count += 1;
        if row[column("runs")] == "0" {
            assert!(
                row[column("notes")].starts_with("refused: ") && row[column("median")].is_empty(),
                "{line}"
            );
        } else {
            assert!(row[column("median")].parse::<f64>().unwrap() >= 0.0, "{line}");
        }
    }
    assert_eq!((count, systems.len()), (after.len(), 16), "a line for each cell, and every system");
    assert!(systems.contains(&("noisy-sgd".to_owned(), "baseline".to_owned())));

    // The same again: everything is kept, and the bytes are the same.
    let names: Vec<String> =
        ["rates.svg", "wine-standardised.svg", "wine-public-bounds.svg", "sweep.svg", "reproduce.csv"]
            .map(str::to_owned)
            .into();
    let read = |name: &String| fs::read_to_string(folder.path("here").join(name)).unwrap();
    let first: Vec<String> = names.iter().map(read).collect();
    succeeds(&folder, &format!("{TINY} --threads 1"));
    assert_eq!(cells(&folder), after);
    assert_eq!(names.iter().map(read).collect::<Vec<_>>(), first);

    // A damaged cell is done again, with the same numbers.
    fs::write(folder.path("here/cells").join(&after[0].0), "{").unwrap();
    succeeds(&folder, TINY);
    assert_eq!(names.iter().map(read).collect::<Vec<_>>(), first);
}

#[test]
fn what_cannot_be_used_is_refused_before_anything_runs() {
    let folder = Folder::new();
    fs::create_dir(folder.path("mine")).unwrap();
    fs::write(folder.path("mine/letter.txt"), "dear").unwrap();
    let said = fails(&folder, 4, "reproduce --quick --out mine");
    assert!(said.contains("mine") && said.contains("was not made by reproduce"), "{said}");
    assert_eq!(fs::read_dir(folder.path("mine")).unwrap().count(), 1);
    let said = fails(&folder, 3, "reproduce --quick --data nowhere --out new");
    assert!(said.contains("winequality-red.csv") && said.contains("no such file"), "{said}");
    fs::create_dir(folder.path("data")).unwrap();
    fs::write(folder.path("data/winequality-red.csv"), "a;b\n1;2\n").unwrap();
    let said = fails(&folder, 3, "reproduce --quick --data data --out new");
    assert!(said.contains("the header must be fixed acidity;"), "{said}");
    fails(&folder, 2, "reproduce --out new --repetitions 0");
    fails(&folder, 2, "reproduce --quick");
    assert!(!folder.path("new").exists(), "nothing is made where there is nothing to run");
}
