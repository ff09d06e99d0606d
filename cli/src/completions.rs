//! `asap completions`.

use crate::arguments::{Cli, Completions};
use crate::failure::Failure;
use crate::terminal;
use clap::CommandFactory;

pub(crate) fn run(arguments: &Completions) -> Result<(), Failure> {
    let mut script = Vec::new();
    clap_complete::generate(arguments.shell, &mut Cli::command(), "asap", &mut script);
    terminal::print(&String::from_utf8_lossy(&script))
}
