//! The matrix as text, Markdown and JSON.

use core::fmt::Write as _;

use serde::Serialize;

use super::source::Place;
use super::{Entry, Proof, Status, Trace};

/// A name with the place where it is defined.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Link {
    /// The name as the table has it.
    pub name: String,
    /// `file`, relative to the root of the repository; `None` if it does not resolve.
    pub file: Option<String>,
    /// Line of the definition, from 1.
    pub line: Option<usize>,
}

/// One row of the matrix.
#[derive(Clone, Debug, Serialize)]
pub struct Row {
    /// A label of the paper, or `own:…`.
    pub id: String,
    /// What the page's title says after the id.
    pub title: String,
    /// The page, relative to the root of the repository.
    pub page: String,
    /// The paper gives the item no label: the id is ours.
    pub unlabelled: bool,
    /// How sure we are of it.
    pub status: Status,
    /// What kind of proof there is.
    pub proof: Vec<Proof>,
    /// The whole status line of the page.
    pub status_line: String,
    /// Why it is assumed or does not apply.
    pub reason: Option<String>,
    /// The items.
    pub code: Vec<Link>,
    /// The harnesses.
    pub harnesses: Vec<Link>,
    /// The tests.
    pub tests: Vec<Link>,
}

impl Row {
    /// Status with its proofs: `proved (written, Kani)`.
    pub fn verdict(&self) -> String {
        if self.proof.is_empty() {
            return self.status.to_string();
        }
        let proofs: Vec<_> = self.proof.iter().map(ToString::to_string).collect();
        format!("{} ({})", self.status, proofs.join(", "))
    }

    /// What an item that applies lacks: code, harness, test, a proof.
    pub fn lacks(&self) -> Vec<&'static str> {
        if self.status == Status::NotApplicable {
            return Vec::new();
        }
        let mut lacks = Vec::new();
        for (name, links) in [("code", &self.code), ("harness", &self.harnesses), ("test", &self.tests)] {
            if links.is_empty() {
                lacks.push(name);
            }
        }
        if self.proof.is_empty() {
            lacks.push("proof");
        }
        lacks
    }
}

#[derive(Serialize)]
struct Document<'a> {
    problems: Vec<String>,
    items: &'a [Row],
}

impl Trace {
    /// The matrix, one row per id in the order of the table.
    pub fn rows(&self) -> Vec<Row> {
        self.entries.iter().map(|entry| self.row(entry)).collect()
    }

    fn row(&self, entry: &Entry) -> Row {
        let page = self.pages.of_ids.get(&entry.page());
        let title = page.and_then(|page| page.title.split_once('—')).map_or("", |(_, title)| title.trim());
        let source = &self.source;
        let code = |path: &String| source.resolve(path).and_then(|path| source.items.get(&path));
        Row {
            id: entry.id.clone(),
            title: title.to_owned(),
            page: format!("spec/{}", entry.page()),
            unlabelled: self.labels.iter().any(|label| label.ours && label.id == entry.id),
            status: entry.status,
            proof: entry.proof.clone(),
            status_line: page.and_then(|page| page.status.clone()).unwrap_or_default(),
            reason: entry.reason.clone(),
            code: entry.code.iter().map(|path| link(path, code(path))).collect(),
            harnesses: entry.harnesses.iter().map(|name| link(name, source.harnesses.get(name))).collect(),
            tests: entry.tests.iter().map(|name| link(name, source.tests.get(name))).collect(),
        }
    }

    /// The matrix as plain text: how many of each, and the status.
    pub fn to_text(&self) -> String {
        matrix(&self.rows())
    }

    /// Everything about one id, with files and lines; `None` if there is no such id.
    pub fn details(&self, id: &str) -> Option<String> {
        self.rows().iter().find(|row| row.id == id).map(details)
    }

    /// One line per id that lacks something, then one per problem; empty if nothing is missing.
    pub fn missing(&self) -> String {
        let mut text = String::new();
        for row in self.rows().iter().filter(|row| !row.lacks().is_empty()) {
            let _ = writeln!(text, "{}: no {}", row.id, row.lacks().join(", no "));
        }
        for problem in self.problems() {
            let _ = writeln!(text, "{problem}");
        }
        text
    }

    /// Everything, with problems, for other programs.
    pub fn to_json(&self) -> Result<String, serde_json::Error> {
        let problems = self.problems().iter().map(ToString::to_string).collect();
        serde_json::to_string_pretty(&Document { problems, items: &self.rows() })
    }

    /// The matrix of `spec/README.md`.
    pub fn to_markdown(&self) -> String {
        let mut text = String::from("| id | code | harness | test | status |\n|---|---|---|---|---|\n");
        for row in self.rows() {
            let page = row.page.trim_start_matches("spec/");
            let verdict = row.verdict();
            let cells = [names(&row.code), names(&row.harnesses), names(&row.tests)].join(" | ");
            let _ = writeln!(text, "| [{}]({page}) | {cells} | {verdict} |", row.id);
        }
        text
    }
}

fn link(name: &str, place: Option<&Place>) -> Link {
    let (file, line) = place.map(|place| (place.file.clone(), place.line)).unzip();
    Link { name: name.to_owned(), file, line }
}

/// Names in backticks; of many, the first two and a count.
fn names(links: &[Link]) -> String {
    const SHOWN: usize = 2;
    let mut shown: Vec<_> = links.iter().take(SHOWN).map(|link| format!("`{}`", link.name)).collect();
    if links.len() > SHOWN {
        shown.push(format!("+{}", links.len() - SHOWN));
    }
    if shown.is_empty() { "–".to_owned() } else { shown.join(" ") }
}

fn matrix(rows: &[Row]) -> String {
    let width = rows.iter().map(|row| row.id.len()).max().unwrap_or(0);
    let mut text = format!("{:width$}  code  harness  test  status\n", "id");
    for row in rows {
        let counts = [&row.code, &row.harnesses, &row.tests].map(Vec::len);
        let [code, harness, test] = counts;
        let verdict = row.verdict();
        let _ = writeln!(text, "{:width$}  {code:4}  {harness:7}  {test:4}  {verdict}", row.id);
    }
    text
}

fn details(row: &Row) -> String {
    let mut text = format!("{} — {}\n  page     {}\n", row.id, row.title, row.page);
    let _ = writeln!(text, "  status   {}", row.verdict());
    if let Some(reason) = &row.reason {
        let _ = writeln!(text, "  reason   {reason}");
    }
    for (kind, links) in [("code", &row.code), ("harness", &row.harnesses), ("test", &row.tests)] {
        for link in links {
            let at = match (&link.file, link.line) {
                (Some(file), Some(line)) => format!("{file}:{line}"),
                _ => "does not exist".to_owned(),
            };
            let _ = writeln!(text, "  {kind:8} {} ({at})", link.name);
        }
    }
    text
}
