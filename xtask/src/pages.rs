//! The pages that are made from the sources: `cargo xtask pages` writes them, and a test compares.

use crate::measured;
use crate::trace::{Trace, TraceError};
use std::path::Path;

/// A generated file, or one with a generated part.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Page {
    /// Its path below the root of the repository.
    pub path: String,
    /// All of its text.
    pub text: String,
}

/// Every generated page as it should be.
pub fn fresh(root: &Path) -> Result<Vec<Page>, TraceError> {
    let trace = Trace::load(root)?;
    let read = |path: &str| {
        std::fs::read_to_string(root.join(path))
            .map_err(|error| TraceError::Unreadable { path: path.to_owned(), error })
    };
    let matrix = ["matrix: begin", "matrix: end"];
    let page = |path: &str, text: String| Page { path: path.to_owned(), text };
    let mut pages = vec![
        page(
            "spec/README.md",
            with_block("spec/README.md", &read("spec/README.md")?, matrix, &trace.to_markdown())?,
        ),
        page("spec/status.md", trace.functions_markdown()),
        page("spec/trusted.md", trace.trusted_markdown()?),
    ];
    pages.extend(measured::pages(root)?);
    // The README has two generated parts.
    let (lines, marks) = (trace.trusted_line()?, ["lines: begin", "lines: end"]);
    for page in pages.iter_mut().filter(|page| page.path == "README.md") {
        page.text = with_block("README.md", &page.text, marks, &lines)?;
    }
    Ok(pages)
}

/// The text of a page with what is between two marks `<!-- … -->` replaced; the second stands on a line of its own.
pub(crate) fn with_block(
    page: &str,
    text: &str,
    [begin, end]: [&str; 2],
    block: &str,
) -> Result<String, TraceError> {
    let lacks = |mark: &str| TraceError::Malformed {
        path: page.to_owned(),
        reason: format!("there is no line <!-- {mark} -->"),
    };
    let [first, last] = [begin, end].map(|mark| format!("<!-- {mark} -->"));
    let (before, rest) = text.split_once(&format!("{first}\n")).ok_or_else(|| lacks(begin))?;
    let (_, after) = rest.split_once(&last).ok_or_else(|| lacks(end))?;
    Ok(format!("{before}{first}\n{block}{last}{after}"))
}
