//! `asap trace`: the matrix of results, code, proofs and tests.

use crate::arguments::Trace as Arguments;
use crate::failure::Failure;
use crate::output::Target;
use crate::terminal;
use asap_cli::trace::Trace;
use std::path::{Component, Path};

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let unreadable = |reason: String| Failure::Input { path: arguments.root.join("spec/trace.toml"), reason };
    let trace = Trace::load(&arguments.root).map_err(|error| unreadable(error.to_string()))?;
    if let Some(path) = &arguments.html {
        Target::probe(path)?.write(&trace.to_html(&way_back(path)))?;
    } else if arguments.json {
        terminal::print(&trace.to_json().map_err(|error| unreadable(error.to_string()))?)?;
    } else if arguments.missing {
        terminal::print(&trace.missing())?;
    } else if arguments.functions {
        terminal::print(&trace.functions_text())?;
    } else if let Some(id) = &arguments.id {
        let unknown = || Failure::Usage(format!("ID: allowed are the ids of spec/trace.toml, not {id}"));
        terminal::print(&trace.details(id).ok_or_else(unknown)?)?;
    } else {
        terminal::print(&trace.to_text())?;
    }
    match trace.problems().len() {
        0 => Ok(()),
        count => Err(Failure::Trace(count)),
    }
}

/// The relative way from a page inside the checkout to its root.
fn way_back(page: &Path) -> String {
    let folders = page.parent().map_or(0, |folder| {
        folder.components().filter(|component| matches!(component, Component::Normal(_))).count()
    });
    "../".repeat(folders)
}
