//! `asap`: differentially private learning with δ = 0, on the command line.
#![forbid(unsafe_code)]

mod account;
mod answer;
mod arguments;
mod audit;
mod check;
mod completions;
mod cost;
mod count;
mod demo;
mod failure;
mod fit;
mod key;
mod output;
mod plan;
mod plot;
mod predict;
mod problem;
mod remedy;
mod reproduce;
mod schema;
mod score;
mod split;
mod terminal;

use arguments::{Cli, Command};
use clap::Parser;
use failure::Failure;
use std::process::ExitCode;

fn main() -> ExitCode {
    failure::silence_panics();
    let cli = Cli::parse();
    let outcome = std::panic::catch_unwind(|| run(&cli)).unwrap_or(Err(Failure::Internal));
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            terminal::complain(&failure);
            ExitCode::from(failure.exit_code())
        }
    }
}

fn run(cli: &Cli) -> Result<(), Failure> {
    output::clean_up_when_interrupted()?;
    match &cli.command {
        Command::Demo(arguments) => demo::run(arguments),
        Command::Fit(arguments) => fit::run(arguments),
        Command::Plan(arguments) => plan::run(arguments),
        Command::Check(arguments) => check::run(arguments),
        Command::Split(arguments) => split::run(arguments),
        Command::Score(arguments) => score::run(arguments),
        Command::Count(arguments) => count::rows(arguments),
        Command::Quantile(arguments) => count::quantile(arguments),
        Command::Schema(arguments) => schema::run(arguments),
        Command::Predict(arguments) => predict::run(arguments),
        Command::Ledger(arguments) => account::run(arguments),
        Command::Audit(arguments) => audit::run(arguments),
        Command::Completions(arguments) => completions::run(arguments),
        Command::Reproduce(arguments) => reproduce::run(arguments),
    }
}
