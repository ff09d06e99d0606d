//! The pages of `spec/`: title line and status line.

use std::collections::BTreeMap;

use super::{Root, TraceError};

/// Pages about everything at once, which belong to no single id.
const GENERAL: [&str; 4] = ["README.md", "errata.md", "assumptions.md", "threat-model.md"];

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
        let status = text.lines().find_map(|line| line.strip_prefix("status:"));
        Self { title, status: status.map(|s| s.trim().to_owned()).filter(|s| !s.is_empty()) }
    }

    /// The ids in the title: `id, id — words`.
    pub(super) fn ids(&self) -> impl Iterator<Item = &str> {
        self.title.split('—').next().unwrap_or_default().split(',').map(str::trim)
    }
}

/// All pages that belong to an id, by file name.
#[derive(Debug)]
pub(super) struct Pages(pub(super) BTreeMap<String, Page>);

impl Pages {
    pub(super) fn read(root: &Root) -> Result<Self, TraceError> {
        let mut pages = BTreeMap::new();
        for path in root.files("spec", "md")? {
            let name = path.trim_start_matches("spec/").to_owned();
            if !GENERAL.contains(&name.as_str()) {
                pages.insert(name, Page::parse(&root.read(&path)?));
            }
        }
        Ok(Self(pages))
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
    }
}
