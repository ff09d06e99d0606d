//! Numbers of the pages that were measured come from files that scripts wrote: `docs/measured/peers.json` from
//! `benches/against_peers.py`, `docs/measured/wine.json` from `benches/against_diffprivlib.py`,
//! `docs/measured/tables.json` from `benches/tables.py`, `docs/measured/reproduce.csv` from `asap reproduce`.
//! `cargo xtask pages` writes the tables.

use crate::pages::{Page, with_block};
use crate::trace::TraceError;
use serde::Deserialize;
use std::path::Path;

/// The pages with measured tables, made again.
pub fn pages(root: &Path) -> Result<Vec<Page>, TraceError> {
    let blocks = [
        ("docs/performance.md", "peers", peers(&parsed(root, "docs/measured/peers.json")?)),
        ("README.md", "front", front(&parsed(root, "docs/measured/tables.json")?)),
        ("docs/comparison.md", "wine", wine(&parsed(root, "docs/measured/wine.json")?)),
        ("docs/tables.md", "tables", tables(&parsed(root, "docs/measured/tables.json")?)),
        ("docs/experiments.md", "reproduce", reproduce(&cells(root, "docs/measured/reproduce.csv")?)),
    ];
    let page = |(path, name, block): (&str, &str, String)| {
        let unreadable = |error| TraceError::Unreadable { path: path.to_owned(), error };
        let text = std::fs::read_to_string(root.join(path)).map_err(unreadable)?;
        let text = with_block(path, &text, [&format!("measured: {name}"), &format!("end: {name}")], &block)?;
        Ok(Page { path: path.to_owned(), text })
    };
    blocks.into_iter().map(page).collect()
}

fn parsed<T: for<'a> Deserialize<'a>>(root: &Path, path: &str) -> Result<T, TraceError> {
    let unreadable = |error| TraceError::Unreadable { path: path.to_owned(), error };
    let text = std::fs::read_to_string(root.join(path)).map_err(unreadable)?;
    let malformed =
        |error: serde_json::Error| TraceError::Malformed { path: path.to_owned(), reason: error.to_string() };
    serde_json::from_str(&text).map_err(malformed)
}

fn cells(root: &Path, path: &str) -> Result<Vec<Cell>, TraceError> {
    let malformed =
        |error: csv::Error| TraceError::Malformed { path: path.to_owned(), reason: error.to_string() };
    csv::Reader::from_path(root.join(path))
        .and_then(|mut table| table.deserialize().collect())
        .map_err(malformed)
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
            let best = own.iter().max_by(|a, b| a.accuracy.total_cmp(&b.accuracy));
            best.map_or_else(String::new, |Tried { norm, regulariser, mechanism, accuracy, error, .. }| {
                format!(
                    "| {learner}, {mechanism} | {accuracy:.3} ± {error:.3} | R = {norm}, Λ = {regulariser} |\n"
                )
            })
        })
        .collect();
    let Wine { epsilon, splits, plain, majority, .. } = measured;
    format!(
        "Wine quality (white, quality ≥ 6, public ranges), ε = {epsilon}, {splits} random splits, each at the best of the same {settings} settings \
         (`python3 benches/against_diffprivlib.py`):\n\n\
         | | test accuracy | at |\n|---|---|---|\n{lines}| not private (scikit-learn) | {plain:.3} | |\n| the majority class | {majority:.3} | |\n"
    )
}

/// What `tables.py` wrote.
#[derive(Deserialize)]
struct Tables {
    tables: Vec<Table>,
}

#[derive(Deserialize)]
struct Table {
    #[serde(rename = "table")]
    name: String,
    rows: u64,
    columns: u64,
    constant: f64,
    not_private: f64,
    budgets: Vec<AtBudget>,
}

#[derive(Deserialize)]
struct AtBudget {
    kind: String,
    budget: f64,
    fits: u32,
    worth: f64,
    verdict: String,
    mechanism: String,
    default: Measured,
    best_mechanism: Score,
    best_regulariser: Score,
    diffprivlib: Option<Measured>,
}

#[derive(Deserialize)]
struct Score {
    score: f64,
}

/// A mean, and its standard error.
#[derive(Deserialize)]
struct Measured {
    score: f64,
    error: f64,
}

impl Measured {
    fn text(&self) -> String {
        // Far below a constant is far enough.
        if self.score > -1.0 {
            format!("{:.3} ± {:.3}", self.score, self.error)
        } else {
            "below -1".to_owned()
        }
    }
}

/// The classifications at ε = 1, for the first page.
fn front(measured: &Tables) -> String {
    let lines = measured.tables.iter().flat_map(|it| {
        let at_one = |at: &&AtBudget| at.kind == "epsilon" && (at.budget - 1.0).abs() < 1e-9;
        it.budgets.iter().filter(at_one).filter(|_| it.constant > 0.0).map(|at| {
            let theirs = at.diffprivlib.as_ref().map_or_else(String::new, Measured::text);
            let ours = at.default.text();
            format!(
                "| {} | {} | **{ours}** | {theirs} | {:.3} | {:.3} |\n",
                it.name, it.rows, it.not_private, it.constant
            )
        })
    });
    let head = "| table | rows | `asap-dp`, defaults | diffprivlib, best of a grid | not private | majority |\n|---|---|---|---|---|---|\n";
    format!("{head}{}", lines.collect::<String>())
}

fn tables(measured: &Tables) -> String {
    let head = "| table | rows, columns, fits | | predicted worth | default | best mechanism | best regulariser | diffprivlib | not private | constant |\n\
                |---|---|---|---|---|---|---|---|---|---|\n";
    let lines = measured.tables.iter().flat_map(|it| {
        it.budgets.iter().map(|at| {
            let symbol = if at.kind == "epsilon" { "ε" } else { "μ" };
            let theirs = at.diffprivlib.as_ref().map_or_else(String::new, Measured::text);
            format!(
                "| {} | {}, {}, {} | {symbol} = {} | {:.2}, {} | {}, {} | {:.3} | {:.3} | {theirs} | {:.3} | {:.3} |\n",
                it.name,
                it.rows,
                it.columns,
                at.fits,
                at.budget,
                at.worth,
                at.verdict,
                at.default.text(),
                at.mechanism,
                at.best_mechanism.score,
                at.best_regulariser.score,
                it.not_private,
                it.constant,
            )
        })
    });
    format!(
        "`python3 benches/tables.py`, means with standard errors; accuracy on a quarter of the rows that no fit saw, or explained variance (wine \
         quality, diabetes):\n\n{head}{}",
        lines.collect::<String>()
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_that_was_edited_is_seen() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
        let marks = ["measured: peers", "end: peers"];
        let block = peers(&parsed(root, "docs/measured/peers.json").unwrap());
        let written = format!("before\n<!-- measured: peers -->\n{block}<!-- end: peers -->\nafter\n");
        assert_eq!(written, with_block("x", &written, marks, &block).unwrap());
        for (digit, other) in [("1", "7"), ("2", "8"), ("| met |", "|  |")] {
            let edited = written.replacen(digit, other, 1);
            assert_ne!(edited, written, "{digit} is there");
            assert_eq!(written, with_block("x", &edited, marks, &block).unwrap());
        }
        let cut = written.replace("end: peers", "");
        assert!(
            with_block("x", &cut, marks, &block).is_err_and(|error| error.to_string().contains("end: peers"))
        );
    }
}
