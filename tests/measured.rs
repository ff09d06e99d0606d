//! Numbers of the pages that were measured come from files that scripts wrote: `docs/measured/peers.json` from
//! `benches/against_peers.py`, `docs/measured/wine.json` from `benches/against_diffprivlib.py`, `docs/measured/reproduce.csv` from
//! `asap reproduce`. With `ASAP_REGENERATE=1` the tables are written instead of compared.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test may stop")]

use serde::Deserialize;
use std::fs::{read_to_string, write};

fn path(file: &str) -> String {
    format!("{}/{file}", env!("CARGO_MANIFEST_DIR"))
}

fn parsed<T: for<'a> Deserialize<'a>>(file: &str) -> T {
    serde_json::from_str(&read_to_string(path(file)).expect(file)).expect(file)
}

/// What `against_peers.py` wrote.
#[derive(Deserialize)]
struct Peers {
    command: String,
    machine: String,
    rows: Vec<Compared>,
}

/// One line of its table, as texts.
#[derive(Deserialize)]
struct Compared {
    what: String,
    ours: String,
    peer: String,
    theirs: String,
    ratio: String,
    goal: String,
    met: Option<bool>,
}

fn peers(measured: &Peers) -> String {
    let head = "| what | asap-dp | against | | ratio | goal | |\n|---|---|---|---|---|---|---|\n";
    let line = |row: &Compared| {
        let met = row.met.map_or("", |met| if met { "met" } else { "**missed**" });
        let Compared { what, ours, peer, theirs, ratio, goal, .. } = row;
        format!("| {what} | {ours} | {peer} | {theirs} | {ratio} | {goal} | {met} |\n")
    };
    let rows: String = measured.rows.iter().map(line).collect();
    format!("`{}`, {}:\n\n{head}{rows}", measured.command, measured.machine)
}

/// What `against_diffprivlib.py` wrote.
#[derive(Deserialize)]
struct Wine {
    epsilon: f64,
    splits: u32,
    results: Vec<Tried>,
    plain: f64,
    majority: f64,
}

/// One learner with one setting.
#[derive(Deserialize)]
struct Tried {
    learner: String,
    norm: f64,
    regulariser: f64,
    mechanism: String,
    accuracy: f64,
    error: f64,
}

fn wine(measured: &Wine) -> String {
    let mut learners: Vec<&str> = Vec::new();
    for tried in &measured.results {
        if !learners.contains(&tried.learner.as_str()) {
            learners.push(&tried.learner);
        }
    }
    let mut settings = 0;
    let lines: String = learners
        .iter()
        .map(|learner| {
            let own: Vec<&Tried> =
                measured.results.iter().filter(|tried| tried.learner == *learner).collect();
            settings = own.len();
            let best = own.iter().max_by(|a, b| a.accuracy.total_cmp(&b.accuracy)).unwrap();
            let Tried { norm, regulariser, mechanism, accuracy, error, .. } = best;
            format!(
                "| {learner}, {mechanism} | {accuracy:.3} ± {error:.3} | R = {norm}, Λ = {regulariser} |\n"
            )
        })
        .collect();
    let Wine { epsilon, splits, plain, majority, .. } = measured;
    format!(
        "Wine quality (white, quality ≥ 6, public ranges), ε = {epsilon}, {splits} random splits, each at the best of the same {settings} settings \
         (`python3 benches/against_diffprivlib.py`):\n\n\
         | | test accuracy | at |\n|---|---|---|\n{lines}| not private (scikit-learn) | {plain:.3} | |\n| the majority class | {majority:.3} | |\n"
    )
}

/// One line of what `asap reproduce` wrote.
#[derive(Deserialize)]
struct Cell {
    part: String,
    data: String,
    variant: String,
    dimension: u32,
    guarantee: String,
    budget: f64,
    system: String,
    standing: String,
    runs: u32,
    median: Option<f64>,
}

/// The medians at budget 1 with public bounds, one line for each system.
fn reproduce(cells: &[Cell]) -> String {
    let at_one = |cell: &&Cell| {
        let wine = cell.part == "wine" && cell.variant == "public-bounds" && cell.dimension == 11;
        wine && (cell.budget - 1.0).abs() < 1e-9
    };
    let cells: Vec<&Cell> = cells.iter().filter(at_one).collect();
    let mut systems: Vec<(&str, &str)> = Vec::new();
    for cell in &cells {
        if !systems.contains(&(&cell.system, &cell.standing)) {
            systems.push((&cell.system, &cell.standing));
        }
    }
    let runs = cells.iter().map(|cell| cell.runs).max().unwrap_or(0);
    let line = |(system, standing): &(&str, &str)| {
        let columns =
            ["epsilon", "mu"].into_iter().flat_map(|kind| ["red", "white"].map(|data| (kind, data)));
        let median = |(kind, data): (&str, &str)| {
            let same = |cell: &&&Cell| cell.system == *system && cell.guarantee == kind && cell.data == data;
            cells
                .iter()
                .find(same)
                .and_then(|cell| cell.median)
                .map_or(" |".to_owned(), |x| format!(" {x:.2e} |"))
        };
        format!("| {system} | {standing} |{}\n", columns.map(median).collect::<String>())
    };
    let lines: String = systems.iter().map(line).collect();
    format!(
        "Wine quality, squared loss, public bounds: the median excess risk of {runs} runs (`asap reproduce --data DIR --out FOLDER`; what is not δ = 0 or \
         not rigorous is a baseline):\n\n| | | red, ε = 1 | white, ε = 1 | red, μ = 1 | white, μ = 1 |\n|---|---|---|---|---|---|\n{lines}"
    )
}

/// The text with what is between the marks of a block replaced.
fn with_block(text: &str, name: &str, rendered: &str) -> String {
    let (begin, end) = (format!("<!-- measured: {name} -->\n"), format!("<!-- end: {name} -->"));
    let (before, rest) = text.split_once(&begin).expect("the mark where the block begins");
    let (_, after) = rest.split_once(&end).expect("the mark where the block ends");
    format!("{before}{begin}{rendered}{end}{after}")
}

/// A page with a block of measured numbers: what is on it, or is written to it with `ASAP_REGENERATE=1`.
fn page_says(page: &str, name: &str, rendered: &str) {
    let written = read_to_string(path(page)).expect(page);
    let current = with_block(&written, name, rendered);
    if std::env::var_os("ASAP_REGENERATE").is_some() {
        write(path(page), current).unwrap();
    } else {
        assert!(written == current, "{page} is stale: run ASAP_REGENERATE=1 cargo test --test measured");
    }
}

#[test]
fn the_pages_say_what_was_measured() {
    page_says("docs/performance.md", "peers", &peers(&parsed("docs/measured/peers.json")));
    page_says("docs/comparison.md", "wine", &wine(&parsed("docs/measured/wine.json")));
    let mut table = csv::Reader::from_path(path("docs/measured/reproduce.csv")).unwrap();
    let cells: Vec<Cell> = table.deserialize().map(Result::unwrap).collect();
    page_says("docs/experiments.md", "reproduce", &reproduce(&cells));
}

#[test]
fn a_number_that_was_edited_is_seen() {
    let block = peers(&parsed("docs/measured/peers.json"));
    let written = format!("before\n<!-- measured: peers -->\n{block}<!-- end: peers -->\nafter\n");
    assert_eq!(written, with_block(&written, "peers", &block));
    for (digit, other) in [("1", "7"), ("2", "8"), ("| met |", "|  |")] {
        let edited = written.replacen(digit, other, 1);
        assert_ne!(edited, written, "{digit} is there");
        assert_eq!(written, with_block(&edited, "peers", &block));
    }
}
