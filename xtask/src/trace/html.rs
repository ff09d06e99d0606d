//! The matrix as one HTML file that needs nothing else.

use core::fmt::Write as _;
use std::collections::{BTreeMap, BTreeSet};

use super::{Link, Row, Status, Trace};

const STYLE: &str = include_str!("matrix.css");
const SCRIPT: &str = include_str!("matrix.js");

/// Lines that are quoted before and after the line of a link.
const BEFORE: usize = 2;
const AFTER: usize = 9;

impl Trace {
    /// A self-contained page. `to_root` is the relative path from the page to the root of the repository (`""` if it
    /// lies there): links to files start with it. A link of the table jumps to the lines themselves, which are quoted
    /// below it: that works wherever the page lies. The heading of a quotation leads on to the file, and to its line
    /// where a site shows files by lines.
    pub fn to_html(&self, to_root: &str) -> String {
        let rows = self.rows();
        let mut body = String::new();
        for row in &rows {
            body.push_str(&table_row(row, to_root));
        }
        let quotations = self.quotations(&rows, to_root);
        let problems = self.problems_html();
        let counts = counts(&rows);
        format!(
            "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
             <title>asap-dp: from each result to the code</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n\
             <h1>asap-dp: from each result to the code</h1>\n<p>{counts}</p>\n{problems}\
             <form role=\"search\"><label for=\"search\">Search</label> \
             <input id=\"search\" type=\"search\" placeholder=\"id, words, code path, test …\" autofocus> \
             <output id=\"count\" for=\"search\"></output></form>\n\
             <table>\n<thead><tr><th>id</th><th>code</th><th>harness</th><th>Coq</th><th>test</th><th>status</th></tr></thead>\n\
             <tbody>\n{body}</tbody>\n</table>\n<h2>Source lines</h2>\n{quotations}<script>\n{SCRIPT}</script>\n</body>\n</html>\n"
        )
    }

    /// The lines around everything that the table links to, each once.
    fn quotations(&self, rows: &[Row], to_root: &str) -> String {
        let links = rows.iter().flat_map(|row| row.columns().map(|(_, links)| links)).flatten();
        let mut places = BTreeMap::<&str, BTreeSet<usize>>::new();
        for (file, line) in links.filter_map(|link| Some((link.file.as_deref()?, link.line?))) {
            places.entry(file).or_default().insert(line);
        }
        let mut text = String::new();
        for (file, lines) in places {
            // A file that cannot be read any more is not quoted; its links lead nowhere, and nothing false is shown.
            let source = self.root.read(file).unwrap_or_default();
            let source: Vec<&str> = source.lines().collect();
            for line in lines {
                quotation(file, line, &source, to_root, &mut text);
            }
        }
        text
    }

    fn problems_html(&self) -> String {
        if self.problems().is_empty() {
            return String::new();
        }
        let mut lines = String::new();
        for problem in self.problems() {
            let _ = writeln!(lines, "<li>{}</li>", escape(&problem.to_string()));
        }
        format!("<section class=\"problems\"><h2>Problems</h2>\n<ul>\n{lines}</ul></section>\n")
    }
}

fn counts(rows: &[Row]) -> String {
    let count = |status: Status| rows.iter().filter(|row| row.status == status).count();
    let kinds = [Status::Mechanised, Status::Proved, Status::Tested, Status::Assumed, Status::NotApplicable];
    let parts: Vec<_> = kinds.map(|status| format!("{} {status}", count(status))).to_vec();
    format!("{} items: {}.", rows.len(), parts.join(", "))
}

fn table_row(row: &Row, to_root: &str) -> String {
    let id = escape(&row.id);
    let note = if row.unlabelled { " <small>(unlabelled in the paper)</small>" } else { "" };
    let mut text = format!(
        "<tr id=\"{id}\" class=\"{}\"><td><a href=\"{to_root}{}\">{id}</a>{note}<br><span>{}</span></td>",
        row.status.to_string().replace(' ', "-"),
        escape(&row.page),
        escape(&row.title)
    );
    for (name, links) in row.columns() {
        let _ = write!(text, "<td data-name=\"{name}\">{}</td>", list(links));
    }
    let reason = row
        .reason
        .as_deref()
        .or(row.status_line.split_once('—').map(|(_, rest)| rest.trim()))
        .unwrap_or_default();
    let _ = writeln!(
        text,
        "<td data-name=\"status\"><b>{}</b><br><span>{}</span></td></tr>",
        escape(&row.verdict()),
        escape(reason)
    );
    text
}

/// The lines around one line, with their numbers.
fn quotation(file: &str, line: usize, source: &[&str], to_root: &str, text: &mut String) {
    let file = escape(file);
    let _ = writeln!(
        text,
        "<section id=\"{file}:{line}\"><h3><a href=\"{to_root}{file}#L{line}\">{file}:{line}</a></h3>\n<pre>"
    );
    let first = line.saturating_sub(BEFORE).max(1);
    for (number, code) in (first..=line + AFTER).zip(source.iter().skip(first - 1)) {
        let code = escape(code);
        let _ = if number == line {
            writeln!(text, "<mark><i>{number:>4}</i> {code}</mark>")
        } else {
            writeln!(text, "<i>{number:>4}</i> {code}")
        };
    }
    text.push_str("</pre></section>\n");
}

fn list(links: &[Link]) -> String {
    if links.is_empty() {
        return "–".to_owned();
    }
    let mut items = String::new();
    for link in links {
        let _ = write!(items, "<li>{}</li>", anchor(link));
    }
    format!("<ul>{items}</ul>")
}

fn anchor(link: &Link) -> String {
    let name = escape(&link.name).replace("::", "::<wbr>").replace('_', "_<wbr>");
    match (&link.file, link.line) {
        (Some(file), Some(line)) => {
            let file = escape(file);
            format!("<a href=\"#{file}:{line}\" title=\"{file}:{line}\">{name}</a>")
        }
        _ => format!("<del>{name}</del>"),
    }
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quotation_marks_its_line_and_stays_inside_the_file() {
        let source = ["one", "two <b>", "three"];
        for (line, first) in [(1, "one"), (3, "one")] {
            let mut text = String::new();
            quotation("src/a.rs", line, &source, "../", &mut text);
            assert!(text.starts_with(&format!(
                "<section id=\"src/a.rs:{line}\"><h3><a href=\"../src/a.rs#L{line}\">"
            )));
            assert!(text.contains(&format!("<mark><i>   {line}</i> {}</mark>", source[line - 1])), "{text}");
            assert!(text.contains(first) && text.contains("two &lt;b&gt;") && !text.contains("<i>   4</i>"));
        }
        let mut text = String::new();
        quotation("gone.rs", 7, &[], "", &mut text);
        assert!(!text.contains("<mark>"));
    }

    #[test]
    fn what_the_table_says_cannot_become_markup() {
        let link = Link { name: "<b>\"&".into(), file: Some("a\"b".into()), line: Some(3) };
        let html = anchor(&link);
        assert_eq!(html, "<a href=\"#a&quot;b:3\" title=\"a&quot;b:3\">&lt;b&gt;&quot;&amp;</a>");
    }
}
