//! `asap trace`: the matrix of results, code, proofs and tests.

use crate::arguments::Trace as Arguments;
use crate::failure::Failure;
use crate::output::{Existing, Target};
use crate::terminal;
use asap_cli::trace::Trace;
use std::path::{Component, Path, PathBuf};

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let table = arguments.root.join("spec/trace.toml");
    let unreadable = |reason: String| Failure::Input { path: table.clone(), reason };
    if !table.is_file() {
        let reason = "missing: there is no such file; run asap trace in a checkout of the repository, or say where one is: --root DIR";
        return Err(unreadable(reason.to_owned()));
    }
    let trace = Trace::load(&arguments.root).map_err(|error| unreadable(error.to_string()))?;
    if let Some(path) = &arguments.html {
        let inputs = trace.inputs();
        let inputs: Vec<&Path> = inputs.iter().map(PathBuf::as_path).collect();
        let target = Target::probe(path, Existing::of(arguments.overwrite.force), &inputs)?;
        target.write(&trace.to_html(&way_back(path)))?;
    } else if arguments.json {
        terminal::print(&trace.to_json().map_err(|error| unreadable(error.to_string()))?)?;
    } else if arguments.missing {
        terminal::print(&trace.missing())?;
    } else if arguments.functions {
        terminal::print(&trace.functions_text())?;
    } else if let Some(id) = &arguments.id {
        terminal::print(&named(&trace, id)?)?;
    } else {
        terminal::print(&trace.to_text())?;
    }
    match trace.problems().len() {
        0 => Ok(()),
        count => Err(Failure::Trace(count)),
    }
}

/// What an id, or a part of one, stands for: the only one that matches in full, of several the list.
fn named(trace: &Trace, part: &str) -> Result<String, Failure> {
    if let Some(text) = trace.details(part) {
        return Ok(text);
    }
    let wanted = part.to_lowercase();
    let ids = trace.entries().iter().map(|entry| entry.id.as_str());
    let matching: Vec<&str> = ids.filter(|id| id.to_lowercase().contains(&wanted)).collect();
    match matching[..] {
        [] => Err(Failure::Usage(format!(
            "ID: allowed are the ids of spec/trace.toml and parts of them, not {part}; asap trace lists all"
        ))),
        [id] => trace.details(id).ok_or(Failure::Internal),
        _ => Ok(format!("{} ids match {part}:\n  {}\n", matching.len(), matching.join("\n  "))),
    }
}

/// The relative way from a page inside the checkout to its root.
fn way_back(page: &Path) -> String {
    let folders = page.parent().map_or(0, |folder| {
        folder.components().filter(|component| matches!(component, Component::Normal(_))).count()
    });
    "../".repeat(folders)
}
