//! The pages of `spec/`: title line and status line.

use std::collections::BTreeMap;

use super::{Root, TraceError};

/// Pages about everything at once, which belong to no single id.
const GENERAL: [&str; 8] = [
    "README.md",
    "architecture.md",
    "errata.md",
    "assumptions.md",
    "proved.md",
    "threat-model.md",
    "status.md",
    "trusted.md",
];

/// Their names come from the table and the sources, and that they are fresh is checked as a whole.
const GENERATED: [&str; 3] = ["README.md", "status.md", "trusted.md"];

#[derive(Debug)]
pub(super) struct Page {
    /// The first line, without `#`.
    pub(super) title: String,
    /// What stands after `status:`.
    pub(super) status: Option<String>,
}

impl Page {
    fn parse(text: &str) -> Self {
        let title = text.lines().next().unwrap_or_default().trim_start_matches('#').trim().to_owned();
        let lines = text.lines().skip_while(|line| !line.starts_with("status:"));
        let status: Vec<_> = lines.take_while(|line| !line.trim().is_empty()).collect();
        let status = status.join(" ").trim_start_matches("status:").trim().to_owned();
        Self { title, status: Some(status).filter(|status| !status.is_empty()) }
    }

    /// The ids in the title: `id, id — words`.
    pub(super) fn ids(&self) -> impl Iterator<Item = &str> {
        self.title.split('—').next().unwrap_or_default().split(',').map(str::trim)
    }
}

/// All pages.
#[derive(Debug)]
pub(super) struct Pages {
    /// Those that belong to an id, by file name.
    pub(super) of_ids: BTreeMap<String, Page>,
    /// Long names in backticks, with the file that has them: tests and functions that the text speaks of.
    pub(super) mentions: Vec<(String, String)>,
    /// `File.name` and `File.v` in backticks, with the file that has them.
    pub(super) qualified: Vec<(String, String)>,
    /// The rows of `spec/proved.md`: a mechanism with each theorem of its row, or with none.
    pub(super) standing: Vec<(String, String)>,
}

/// Rows `| mechanism, unit | … |`: the mechanism with every theorem that the row names.
fn standing(text: &str) -> Vec<(String, String)> {
    let mut found = Vec::new();
    for line in text.lines() {
        let row = line.strip_prefix("| ").and_then(|row| row.split_once(", "));
        let Some((mechanism, row)) = row.filter(|(_, row)| row.starts_with("ε |") || row.starts_with("μ |"))
        else {
            continue;
        };
        found.push((mechanism.to_owned(), String::new()));
        found.extend(qualified(row).map(|theorem| (mechanism.to_owned(), theorem.to_owned())));
    }
    found
}

/// Names with fewer underscores are formulas and short identifiers more often than tests.
const UNDERSCORES: usize = 3;

fn mentions(text: &str) -> impl Iterator<Item = &str> {
    let is_name = |name: &&str| {
        name.matches('_').count() >= UNDERSCORES
            && name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_')
    };
    // A qualified name counts by its last part.
    text.split('`').skip(1).step_by(2).filter_map(|code| code.rsplit("::").next()).filter(is_name)
}

/// Two identifiers with a dot, the first with a capital.
fn qualified(text: &str) -> impl Iterator<Item = &str> {
    let is_word =
        |word: &str| word.chars().all(|c| c.is_alphanumeric() || c == '_' || c == '\'') && !word.is_empty();
    text.split('`').skip(1).step_by(2).filter(move |code| {
        code.starts_with(|c: char| c.is_uppercase())
            && code.split_once('.').is_some_and(|(file, name)| is_word(file) && is_word(name))
    })
}

/// The titles of a numbered list: `7. **Title.** Words` and `1. **Title** (…)`.
pub(super) fn assumptions(text: &str) -> Vec<String> {
    let title = |line: &str| {
        let (number, rest) = line.split_once(". **")?;
        number.parse::<u32>().ok()?;
        rest.split_once("**").map(|(title, _)| title.trim_end_matches('.').to_owned())
    };
    text.lines().filter_map(title).collect()
}

impl Pages {
    pub(super) fn read(root: &Root) -> Result<Self, TraceError> {
        let mut pages = Self {
            of_ids: BTreeMap::new(),
            mentions: Vec::new(),
            qualified: Vec::new(),
            standing: standing(&root.read("spec/proved.md")?),
        };
        for path in root.files("spec", "md")? {
            let text = root.read(&path)?;
            let name = path.trim_start_matches("spec/").to_owned();
            if !GENERAL.contains(&name.as_str()) {
                pages.of_ids.insert(name.clone(), Page::parse(&text));
            }
            if !GENERATED.contains(&name.as_str()) {
                pages.mentions.extend(mentions(&text).map(|name| (path.clone(), name.to_owned())));
                pages.qualified.extend(qualified(&text).map(|name| (path.clone(), name.to_owned())));
            }
        }
        Ok(pages)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn title_and_status_of_a_page() {
        let page = Page::parse("# lem:a, alg:b — words, more\n\nstatus: proved; tested\n");
        assert_eq!(page.ids().collect::<Vec<_>>(), ["lem:a", "alg:b"]);
        assert_eq!(page.status.as_deref(), Some("proved; tested"));
        assert!(Page::parse("# a\nstatus:\n").status.is_none());
        let long = Page::parse("# a\nstatus: over\ntwo lines\n\nmore");
        assert_eq!(long.status.as_deref(), Some("over two lines"));
    }

    #[test]
    fn titles_of_assumptions() {
        let text = "# x\n\n1. **Real numbers** (`a`). Words **bold**.\n   2. more\n12. **Bits.** Words\n**3.** no\nx. **No**";
        assert_eq!(assumptions(text), ["Real numbers", "Bits"]);
    }

    #[test]
    fn names_of_tests_in_prose() {
        let text = "See `a_b_c_d` and `tests/x.rs::it_is_like_this`, not a_b_c_d, `m_x`, `f(x_y_z_w)`.";
        assert_eq!(mentions(text).collect::<Vec<_>>(), ["a_b_c_d", "it_is_like_this"]);
        let text = "`File.lem_a'` `File.v` `file.x` File.y `File.z w` `A.b.c`";
        assert_eq!(qualified(text).collect::<Vec<_>>(), ["File.lem_a'", "File.v"]);
    }
}
