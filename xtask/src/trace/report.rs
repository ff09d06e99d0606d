//! The matrix as text, Markdown and JSON.

use core::fmt::Write as _;

use serde::Serialize;

use super::source::Place;
use super::{Contracts, Discharge, Entry, Function, Proof, Status, Trace, TraceError};

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
    /// The theorems.
    pub coq: Vec<Link>,
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

    /// Each kind of names, as the columns of the matrix have them.
    pub(super) fn columns(&self) -> [(&'static str, &[Link]); 4] {
        [("code", &self.code), ("harness", &self.harnesses), ("coq", &self.coq), ("test", &self.tests)]
    }

    /// Whether a machine has checked a proof of it or of a part: a harness or a theorem.
    pub fn is_machine_checked(&self) -> bool {
        !self.harnesses.is_empty() || !self.coq.is_empty()
    }

    /// What an item that applies lacks: code, a machine's proof, test, a proof.
    pub fn lacks(&self) -> Vec<&'static str> {
        if self.status == Status::NotApplicable {
            return Vec::new();
        }
        let mut lacks = Vec::new();
        for (name, is_missing) in [
            ("code", self.code.is_empty()),
            ("harness or theorem", !self.is_machine_checked()),
            ("test", self.tests.is_empty()),
            ("proof", self.proof.is_empty()),
        ] {
            if is_missing {
                lacks.push(name);
            }
        }
        lacks
    }
}

#[derive(Serialize)]
struct Document<'a> {
    problems: Vec<String>,
    items: &'a [Row],
    contracts: &'a Contracts,
    functions: Vec<Function>,
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
            coq: entry.coq.iter().map(|name| self.theorem_link(name)).collect(),
            tests: entry.tests.iter().map(|name| link(name, source.tests.get(name))).collect(),
        }
    }

    fn theorem_link(&self, name: &str) -> Link {
        let found = self.theories.theorem(name).map(|found| (found.file.clone(), found.declaration.line));
        let (file, line) = found.unzip();
        Link { name: name.to_owned(), file, line }
    }

    /// The matrix as plain text: how many of each, and the status.
    pub fn to_text(&self) -> String {
        matrix(&self.rows())
    }

    /// Everything about one id, with files and lines; `None` if there is no such id.
    pub fn details(&self, id: &str) -> Option<String> {
        let rows = self.rows();
        let row = rows.iter().find(|row| row.id == id)?;
        let mut text = details(row);
        for link in &row.coq {
            self.hypotheses(&link.name, &mut text);
        }
        Some(text)
    }

    /// What discharges the hypotheses of a theorem, and the fields of the records among them.
    fn hypotheses(&self, name: &str, text: &mut String) {
        let _ = writeln!(text, "  {name} assumes");
        let Some(found) = self.theories.theorem(name) else { return };
        let own = self.contracts.theorem(name).map(|entry| &entry.hypotheses);
        let shared = self.contracts.file_of(name).map(|file| &file.hypotheses);
        let mut shown = Vec::new();
        for key in found.declaration.hypotheses.iter().map(super::coq::Bound::key) {
            let discharge = [own, shared].into_iter().flatten().find_map(|map| map.get(&key));
            let Some(discharge) = discharge.filter(|_| !shown.contains(&key)) else { continue };
            discharged("    ", &key, discharge, text);
            for record in self.contracts.record.iter().filter(|entry| discharge.record.contains(&entry.name))
            {
                record.fields.iter().for_each(|(key, discharge)| discharged("      ", key, discharge, text));
            }
            shown.push(key);
        }
        if shown.is_empty() {
            text.push_str("    nothing\n");
        }
    }

    /// One line per id that lacks something, then one per problem, and how many a machine has checked; the first two
    /// are empty if nothing is missing.
    pub fn missing(&self) -> String {
        let mut text = String::new();
        for row in self.rows().iter().filter(|row| !row.lacks().is_empty()) {
            let _ = writeln!(text, "{}: no {}", row.id, row.lacks().join(", no "));
        }
        for problem in self.problems() {
            let _ = writeln!(text, "{problem}");
        }
        let rows: Vec<_> =
            self.rows().into_iter().filter(|row| row.status != Status::NotApplicable).collect();
        let count = |is: &dyn Fn(&Row) -> bool| rows.iter().filter(|row| is(row)).count();
        let _ = writeln!(
            text,
            "{} ids apply: {} mechanised, {} more with a harness or a theorem of a part, {} with neither",
            rows.len(),
            count(&|row| row.status == Status::Mechanised),
            count(&|row| row.status != Status::Mechanised && row.is_machine_checked()),
            count(&|row| !row.is_machine_checked())
        );
        text
    }

    /// Everything, with problems, for other programs.
    pub fn to_json(&self) -> Result<String, TraceError> {
        let problems = self.problems().iter().map(ToString::to_string).collect();
        json(&Document {
            problems,
            items: &self.rows(),
            contracts: &self.contracts,
            functions: self.functions(),
        })
    }

    /// The matrix of `spec/README.md`.
    pub fn to_markdown(&self) -> String {
        let mut text =
            String::from("| id | code | harness | Coq | test | status |\n|---|---|---|---|---|---|\n");
        for row in self.rows() {
            let page = row.page.trim_start_matches("spec/");
            let verdict = row.verdict();
            let cells = row.columns().map(|(_, links)| names(links)).join(" | ");
            let _ = writeln!(text, "| [{}]({page}) | {cells} | {verdict} |", row.id);
        }
        text
    }
}

/// Indented JSON with a line end.
pub(super) fn json(value: &impl Serialize) -> Result<String, TraceError> {
    let failed = |error: serde_json::Error| TraceError::Malformed {
        path: "the report".to_owned(),
        reason: error.to_string(),
    };
    serde_json::to_string_pretty(value).map(|text| text + "\n").map_err(failed)
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
    let mut text = format!("{:width$}  code  harness  coq  test  status\n", "id");
    for row in rows {
        let [code, harness, coq, test] = row.columns().map(|(_, links)| links.len());
        let verdict = row.verdict();
        let _ = writeln!(text, "{:width$}  {code:4}  {harness:7}  {coq:3}  {test:4}  {verdict}", row.id);
    }
    text
}

fn discharged(indent: &str, key: &str, discharge: &Discharge, text: &mut String) {
    let by: Vec<_> = discharge
        .kinds()
        .into_iter()
        .filter(|(_, names)| !names.is_empty())
        .map(|(kind, names)| format!("{kind} {}", names.join(", ")))
        .collect();
    let _ = writeln!(text, "{indent}{key} — {} [{}]", discharge.says, by.join("; "));
}

fn details(row: &Row) -> String {
    let mut text = format!("{} — {}\n  page     {}\n", row.id, row.title, row.page);
    let _ = writeln!(text, "  status   {}", row.verdict());
    if let Some(reason) = &row.reason {
        let _ = writeln!(text, "  reason   {reason}");
    }
    for (kind, links) in row.columns() {
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
