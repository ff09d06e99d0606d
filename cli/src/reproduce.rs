//! `asap reproduce`: the paper's experiments with every system of its tables. Public records only.

mod page;
mod picture;

use crate::arguments::Reproduce;
use crate::failure::Failure;
use crate::output::{Destination, Existing};
use crate::terminal::{bold, print, table, warn};
use asap_experiments::ExperimentError;
use asap_experiments::data::FeatureScaling;
use asap_experiments::findings::number;
use asap_experiments::store::Store;
use asap_experiments::study::{Options, Part, Progress, Study};
use asap_experiments::summary::{self, Row};
use asap_experiments::system::System;
use indicatif::{ProgressBar, ProgressStyle};
use std::fmt::Write as _;
use std::io::{self, IsTerminal, Write};
use std::path::{Path, PathBuf};

const PUBLIC_ONLY: &str = "for public records only: excess risks and minimisers of the records are shown, and nothing that is written is \
                           private";

/// The table, below the folder.
const TABLE: &str = "reproduce.csv";
/// The page, below the folder.
const PAGE: &str = "reproduce.html";

pub(crate) fn run(arguments: &Reproduce) -> Result<(), Failure> {
    warn(PUBLIC_ONLY);
    let repetitions = arguments.repetitions.unwrap_or(Options::default_repetitions(arguments.quick));
    let options = Options {
        data: arguments.data.clone(),
        quick: arguments.quick,
        repetitions,
        threads: arguments.threads.map(usize::from),
    };
    // Nothing is made where there is nothing to run.
    let study = Study::new(options).map_err(failed)?;
    let store = Store::open(&arguments.out).map_err(failed)?;
    let outcomes = {
        let shown = Shown::start(study.cells().len());
        study.run(&store, &|progress| shown.advance(progress)).map_err(failed)?
    };
    let rows = summary::rows(&study, &outcomes);
    let figures = picture::figures(&rows, arguments.data.is_none())?;
    for (name, svg) in &figures {
        write(&arguments.out, name, svg)?;
    }
    write(&arguments.out, TABLE, &summary::csv(&rows))?;
    write(&arguments.out, PAGE, &page::html(&study, &rows, &figures))?;
    print(&told(&rows, &arguments.out))
}

fn write(folder: &Path, name: &str, text: &str) -> Result<(), Failure> {
    // The folder is one of this command's own, or the store would have refused it: an earlier page is made again.
    Destination::probe(&folder.join(name), Existing::Replace, &[])?.write(text)
}

/// A bar on a terminal; a line for each stage elsewhere.
struct Shown {
    bar: ProgressBar,
    terminal: bool,
}

impl Shown {
    fn start(cells: usize) -> Self {
        let bar = ProgressBar::new(cells as u64);
        if let Ok(style) = ProgressStyle::with_template("{bar:30} {pos}/{len} cells, {elapsed}  {msg}") {
            bar.set_style(style);
        }
        Self { bar, terminal: io::stderr().is_terminal() }
    }

    fn advance(&self, progress: Progress<'_>) {
        match progress {
            Progress::Stage(name, cells) if self.terminal => {
                self.bar.set_message(format!("{name} ({cells} cells)"));
            }
            Progress::Stage(name, cells) => {
                let _ = writeln!(io::stderr(), "{name}: {cells} cells");
            }
            Progress::Finished => self.bar.inc(1),
        }
    }
}

impl Drop for Shown {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}

/// Medians at budget 1, eleven columns: a table for each scaling.
fn told(rows: &[Row], folder: &Path) -> String {
    let mut text =
        format!("{}\n", bold("Excess risk J(θ) − min J in the median, all with the same total budget"));
    for scaling in FeatureScaling::ALL {
        let at_one = |row: &&Row| {
            row.part == Part::Wine
                && row.variant == scaling.id()
                && (row.total.parameter() - 1.0).abs() < 1e-9
        };
        let here: Vec<&Row> = rows.iter().filter(at_one).collect();
        let _ = write!(text, "\n{}", medians(scaling.id(), &here));
    }
    let (page, csv) = (folder.join(PAGE), folder.join(TABLE));
    let _ = writeln!(
        text,
        "\n{} has all figures and findings, {} all medians and quartiles.\nNothing there is private.",
        page.display(),
        csv.display()
    );
    text
}

/// A line for each system, a column for each data set and kind of guarantee.
fn medians(corner: &str, rows: &[&Row]) -> String {
    let mut columns: Vec<(&str, bool)> = Vec::new();
    for row in rows {
        if !columns.contains(&(row.name.as_str(), row.pure())) {
            columns.push((row.name.as_str(), row.pure()));
        }
    }
    let heads = columns.iter().map(|(name, pure)| format!("{name}, {} = 1", if *pure { "ε" } else { "μ" }));
    let mut lines: Vec<Vec<String>> = vec![std::iter::once(corner.to_owned()).chain(heads).collect()];
    for system in System::ALL.into_iter().filter(|system| rows.iter().any(|row| row.system == *system)) {
        let cell = |(name, pure): &(&str, bool)| {
            let found =
                rows.iter().find(|row| row.system == system && row.name == *name && row.pure() == *pure);
            found.map_or("–".to_owned(), |row| row.median().map_or("not run".to_owned(), number))
        };
        lines.push(std::iter::once(system.name().to_owned()).chain(columns.iter().map(cell)).collect());
    }
    table(&lines)
}

fn failed(error: ExperimentError) -> Failure {
    match error {
        ExperimentError::Data { path, reason } => Failure::Input { path, reason },
        ExperimentError::NotOurs { path } => {
            let text = "it is not empty and was not made by reproduce; choose a new or an empty folder";
            Failure::Output { path, error: io::Error::other(text) }
        }
        ExperimentError::Output { path, error } => Failure::Output { path, error },
        ExperimentError::Library(error) => Failure::of(error, &PathBuf::from("reproduce")),
        ExperimentError::Range { field, allowed } => Failure::Usage(format!("{field} must be {allowed}")),
        ExperimentError::Infeasible(reason) => Failure::Usage(reason.to_owned()),
    }
}
