//! The matrix as one HTML file that needs nothing else.

use core::fmt::Write as _;

use super::{Link, Row, Status, Trace};

const STYLE: &str = include_str!("matrix.css");
const SCRIPT: &str = include_str!("matrix.js");

impl Trace {
    /// A self-contained page. `to_root` is the relative path from the page to the root of the repository (`""` if it lies
    /// there): links to files and lines start with it.
    pub fn to_html(&self, to_root: &str) -> String {
        let rows = self.rows();
        let mut body = String::new();
        for row in &rows {
            body.push_str(&table_row(row, to_root));
        }
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
             <tbody>\n{body}</tbody>\n</table>\n<script>\n{SCRIPT}</script>\n</body>\n</html>\n"
        )
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
    for (_, links) in row.columns() {
        let _ = write!(text, "<td>{}</td>", list(links, to_root));
    }
    let reason = row
        .reason
        .as_deref()
        .or(row.status_line.split_once('—').map(|(_, rest)| rest.trim()))
        .unwrap_or_default();
    let _ =
        writeln!(text, "<td><b>{}</b><br><span>{}</span></td></tr>", escape(&row.verdict()), escape(reason));
    text
}

fn list(links: &[Link], to_root: &str) -> String {
    if links.is_empty() {
        return "–".to_owned();
    }
    let mut items = String::new();
    for link in links {
        let _ = write!(items, "<li>{}</li>", anchor(link, to_root));
    }
    format!("<ul>{items}</ul>")
}

fn anchor(link: &Link, to_root: &str) -> String {
    let name = escape(&link.name).replace("::", "::<wbr>").replace('_', "_<wbr>");
    match (&link.file, link.line) {
        (Some(file), Some(line)) => {
            let file = escape(file);
            format!("<a href=\"{to_root}{file}#L{line}\" title=\"{file}:{line}\">{name}</a>")
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
    fn what_the_table_says_cannot_become_markup() {
        let link = Link { name: "<b>\"&".into(), file: Some("a\"b".into()), line: Some(3) };
        let html = anchor(&link, "../");
        assert_eq!(html, "<a href=\"../a&quot;b#L3\" title=\"a&quot;b:3\">&lt;b&gt;&quot;&amp;</a>");
    }
}
