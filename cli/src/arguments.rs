//! What the command line understands.

// The path is said so that the fuzz target, which takes this file by its path, finds it as well.
#[path = "arguments/flags.rs"]
mod flags;

pub(crate) use flags::{
    CalibrationName, Choice, LossName, MechanismName, MissingCell, NeighboursName, NoiseName, Problem,
    SamplerName, Sweep, Swept,
};

use crate::failure::EXIT_CODES;
use clap::{Args, Parser, Subcommand};
use flags::{missing_cell, non_negative, positive, separator, sweep};
use std::path::PathBuf;

/// Differentially private learning with δ = 0, every constant explicit and checked.
#[derive(Parser)]
#[command(name = "asap", version, after_help = EXIT_CODES, after_long_help = long_help())]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,
}

fn long_help() -> String {
    format!(
        "\
Examples:
  asap demo
  asap plan --loss logistic --epsilon 1 --regulariser 50 --feature-bound 1 --rows 5000 --dim 11
  asap fit DATA.csv --target ill --loss logistic --epsilon 1 --regulariser 50 --feature-bound 1
  asap check release.json --key public.hex
  asap predict release.json NEW.csv --out predictions.csv
  asap completions bash > ~/.local/share/bash-completion/completions/asap

Colours and progress appear on a terminal only; NO_COLOR turns colours off.

{EXIT_CODES}"
    )
}

#[derive(Subcommand)]
pub(crate) enum Command {
    /// Fit public synthetic records, compare with output perturbation, write release.json and a picture
    #[command(after_help = EXIT_CODES)]
    Demo(Demo),
    /// Fit a model to the records of a CSV file and write a release
    #[command(after_help = EXIT_CODES, after_long_help = FIT_HELP)]
    Fit(Fit),
    /// Print every calibrated number of a fit, its cost and its predicted excess risk, without any data
    #[command(after_help = EXIT_CODES, after_long_help = PLAN_HELP)]
    Plan(Plan),
    /// Derive every inequality of a release again, verify it, and say what is assumed
    #[command(after_help = EXIT_CODES)]
    Check(Check),
    /// Apply the model of a release to the rows of a CSV file
    #[command(after_help = EXIT_CODES)]
    Predict(Predict),
    /// Declare what all fits on one data set may spend together, or show what they have spent
    #[command(after_help = EXIT_CODES, after_long_help = LEDGER_HELP)]
    Ledger(Ledger),
    /// Try to refute the guarantee: lower confidence bounds of ε or μ on worst-case neighbours
    #[command(after_help = EXIT_CODES)]
    Audit(Audit),
    /// Show which code, proof and test belongs to each item of the specification
    #[command(after_help = EXIT_CODES)]
    Trace(Trace),
    /// Print a completion script for a shell
    Completions(Completions),
}

// One line for each paragraph: clap wraps them to the terminal.
const FIT_HELP: &str = "\
Every bound is a public promise: choose it without looking at the records. Nothing that depends on the records is \
printed, except what is released. The guarantee covers one release; budgets of several releases add up.

Records outside of the bounds are moved to the nearest admissible ones (--clip, the default). A cell that is no finite \
number (empty, text, nan, inf, 1e400) has no nearest one: the file is refused with the line, unless --missing names a \
public value that stands for it. What is no table at all (a row with too few fields, a quote that is never closed, text \
that is not UTF-8, more rows than --max-rows) is always refused; that a file was refused is not protected.

--stream leaves the records in the file and reads it again for each pass. The release is the same, bit for bit; the \
memory is that of one block of at most 64 rows and 64 partial sums, whatever the number of rows; the time is that of \
reading the file some ten to some hundred times. A file that changes meanwhile is refused.

--sign signs the release with the ed25519 key that is made from 64 hexadecimal digits: openssl rand -hex 32 > \
secret.hex makes them; keep them secret. The public key is printed; whoever has it from you can verify: asap check --key.

Examples:
  asap fit patients.csv --target ill --loss logistic --epsilon 1 --regulariser 50 --feature-bound 1
  asap fit wine.csv --target quality --loss squared --target-bound 10 --mu 1 --regulariser 5000 \\
      --feature-bound 15 --parameter-bound 0.5 --features alcohol,pH,sulphates
  asap fit patients.csv --target ill --loss logistic --epsilon 1 --regulariser 50 --feature-bound 1 \\
      --mechanism output --stream --sign secret.hex

  asap fit wine.csv --target quality --loss squared --target-bound 10 --mu 1 --regulariser 5000 \\
      --feature-bound 15 --missing 0 --missing alcohol=10

Exit codes: 0 done, 2 usage, 3 input file, 4 output, 5 internal check or no randomness, 130 interrupted";

const PLAN_HELP: &str = "\
All mechanisms are planned, and predicted side by side: the excess risk for the guessed curvature of --rows records \
(--curvature, or half of what they have at most if they spread evenly) and for the curvature that suits the mechanism \
least. --mechanism auto, the default, takes the one with the least excess risk; another name has to be possible. The chains of \
the posterior sample are planned for the worst curvature, m = γΛ, L = γ(Λ + Nβ), and θ_0, which is not known before a fit, \
for the norm --centre-norm.

--sweep compares the mechanisms over a range of budgets or regularisers: a table, and with --svg a picture.

Example:
  asap plan --loss logistic --epsilon 1 --regulariser 50 --feature-bound 1 --rows 5000 --dim 11 --json
  asap plan --loss logistic --epsilon 1 --regulariser 50 --feature-bound 1 --rows 5000 --dim 11 \\
      --sweep epsilon=0.1:10 --svg sweep.svg

Exit codes: 0 done, 2 usage, 4 output";

const LEDGER_HELP: &str = "\
A ledger file belongs to one data set: whoever keeps the records keeps it. Each fit with --ledger enters what it spends \
before it draws any noise, and is refused if the total would be exceeded; one that does not come back counts as well. \
Under a total μ, fits under ε count with the μ that they satisfy.

Example:
  asap ledger patients.ledger.json --total-epsilon 3
  asap fit patients.csv --ledger patients.ledger.json --target ill --loss logistic --epsilon 1 --regulariser 50 \\
      --feature-bound 1
  asap ledger patients.ledger.json

Exit codes: 0 done, 2 usage, 3 the ledger cannot be read, 4 output";

/// Arguments of `asap demo`.
#[derive(Args)]
pub(crate) struct Demo {
    /// Folder for release.json and excess-risk.svg
    #[arg(long, value_name = "FOLDER", default_value = ".")]
    pub(crate) out_dir: PathBuf,
    /// Take all noise from this seed. The release is then NOT private, and marked so
    #[arg(long, value_name = "N")]
    pub(crate) replay_seed: Option<u64>,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// Arguments of `asap fit`.
#[derive(Args)]
#[allow(clippy::struct_excessive_bools, reason = "each is a flag")]
pub(crate) struct Fit {
    /// CSV file with a header line; - for standard input, not with --stream
    #[arg(value_name = "DATA.csv")]
    pub(crate) data: PathBuf,
    /// Column to be predicted
    #[arg(long, value_name = "NAME")]
    pub(crate) target: String,
    #[command(flatten)]
    pub(crate) problem: Problem,
    /// Columns to predict from, with commas between them [default: all but the target]
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub(crate) features: Option<Vec<String>>,
    /// What separates fields, one character or tab [default: the most frequent of , ; tab | in the header]
    #[arg(long, value_name = "CHAR", value_parser = separator)]
    pub(crate) separator: Option<u8>,
    /// Move records outside of the bounds to the nearest admissible ones (the default): the guarantee holds for every file of
    /// finite numbers. A cell that is none is refused with its line, or see --missing
    #[arg(long, conflicts_with = "refuse")]
    pub(crate) clip: bool,
    /// Refuse the file if a record is outside of the bounds. That it was refused is not protected
    #[arg(long)]
    pub(crate) refuse: bool,
    /// What stands for a cell that is no finite number (empty, text, nan, inf, 1e400): refuse (the default), a public value for
    /// all columns that are used, the target included, or NAME=VALUE for one column; may be given several times. It is
    /// recorded in the release, and predict applies it, too
    #[arg(long, value_name = "refuse|VALUE|NAME=VALUE", value_parser = missing_cell, allow_hyphen_values = true)]
    pub(crate) missing: Vec<MissingCell>,
    /// Leave the records in the file and read it again for each pass: the memory needed is that of one block of rows and 64
    /// partial sums, whatever the number of rows
    #[arg(long)]
    pub(crate) stream: bool,
    /// Where the release is written; - for standard output
    #[arg(long, value_name = "FILE", default_value = "release.json")]
    pub(crate) out: PathBuf,
    /// Enter the fit into this ledger file, and refuse it if the ledger's total would be exceeded; see asap ledger
    #[arg(long, value_name = "FILE", conflicts_with = "replay_seed")]
    pub(crate) ledger: Option<PathBuf>,
    /// Sign the release with the ed25519 secret key in this file: 64 hexadecimal digits
    #[arg(long, value_name = "KEYFILE")]
    pub(crate) sign: Option<PathBuf>,
    /// Take all noise from this seed. The release is then NOT private, and marked so
    #[arg(long, value_name = "N")]
    pub(crate) replay_seed: Option<u64>,
    /// Print a summary as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// Arguments of `asap plan`.
#[derive(Args, Clone)]
pub(crate) struct Plan {
    #[command(flatten)]
    pub(crate) problem: Problem,
    /// Number of rows to plan for, from 1 to --max-rows
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) rows: u64,
    /// Number of feature columns, 1 to 1000000; --intercept adds a parameter
    #[arg(long, value_name = "D", value_parser = clap::value_parser!(u64).range(1..=1_000_000))]
    pub(crate) dim: u64,
    /// Assumed norm of θ_0, ≥ 0
    #[arg(long, value_name = "C", value_parser = non_negative, default_value_t = 0.0)]
    pub(crate) centre_norm: f64,
    /// Compare all mechanisms over a range instead: epsilon, mu or regulariser, evenly on a logarithmic scale
    #[arg(long, value_name = "NAME=FROM:TO[:POINTS]", value_parser = sweep)]
    pub(crate) sweep: Option<Sweep>,
    /// With --sweep: write the picture there
    #[arg(long, value_name = "FILE", requires = "sweep")]
    pub(crate) svg: Option<PathBuf>,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// Arguments of `asap check`.
#[derive(Args)]
pub(crate) struct Check {
    /// A release
    #[arg(value_name = "RELEASE.json")]
    pub(crate) release: PathBuf,
    /// Fail also if the release came from --replay-seed or is not certified; a user's loss never is
    #[arg(long)]
    pub(crate) strict: bool,
    /// Fail also unless the release is signed with the secret key of this public key: 64 hexadecimal digits, or a file with them
    #[arg(long, value_name = "PUBLICKEY")]
    pub(crate) key: Option<String>,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// Arguments of `asap predict`.
#[derive(Args)]
pub(crate) struct Predict {
    /// A release made from a CSV file
    #[arg(value_name = "RELEASE.json")]
    pub(crate) release: PathBuf,
    /// CSV file with the columns of the release; others are ignored, nothing is clipped, missing cells are as in the fit; - for
    /// standard input
    #[arg(value_name = "DATA.csv")]
    pub(crate) data: PathBuf,
    /// Where the predictions are written, as CSV with one column; - for standard output
    #[arg(long, value_name = "FILE", default_value = "-")]
    pub(crate) out: PathBuf,
    /// What separates fields, one character or tab [default: the most frequent of , ; tab | in the header]
    #[arg(long, value_name = "CHAR", value_parser = separator)]
    pub(crate) separator: Option<u8>,
    /// Write JSON instead of CSV
    #[arg(long)]
    pub(crate) json: bool,
}

/// Arguments of `asap ledger`.
#[derive(Args)]
pub(crate) struct Ledger {
    /// A ledger file
    #[arg(value_name = "LEDGER.json")]
    pub(crate) file: PathBuf,
    /// Declare a total ε > 0 in a new file
    #[arg(long, value_name = "E", value_parser = positive, conflicts_with = "total_mu")]
    pub(crate) total_epsilon: Option<f64>,
    /// Declare a total μ > 0 in a new file
    #[arg(long, value_name = "M", value_parser = positive)]
    pub(crate) total_mu: Option<f64>,
    /// Which data sets count as neighbours, in all fits alike
    #[arg(long, value_enum, default_value = "add-remove")]
    pub(crate) neighbours: NeighboursName,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// Arguments of `asap audit`.
#[derive(Args)]
pub(crate) struct Audit {
    /// Audit the learner at this ε (pure DP)
    #[arg(long, conflicts_with = "mu")]
    pub(crate) epsilon: Option<f64>,
    /// Audit the learner at this μ (GDP)
    #[arg(long)]
    pub(crate) mu: Option<f64>,
    #[command(flatten)]
    pub(crate) choice: Choice,
    /// Runs on each data set, for each stage of the mechanism and pair of neighbours
    #[arg(long, default_value_t = 100_000, value_parser = clap::value_parser!(u64).range(100..=1_000_000_000))]
    pub(crate) runs: u64,
    /// Number of parameters; from 3 on each coordinate and some random directions are looked at, too
    #[arg(long, value_name = "D", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=100))]
    pub(crate) dim: u16,
    /// Replay from this seed instead of secure randomness
    #[arg(long, value_name = "N")]
    pub(crate) replay_seed: Option<u64>,
    /// Write a drawing of the trade-off curves there
    #[arg(long, value_name = "FILE")]
    pub(crate) svg: Option<PathBuf>,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// Arguments of `asap trace`.
#[derive(Args)]
pub(crate) struct Trace {
    /// One id, such as lem:OutPert_DP; all of them unless given
    pub(crate) id: Option<String>,
    /// The checkout to look at
    #[arg(long, value_name = "DIR", default_value = ".")]
    pub(crate) root: PathBuf,
    /// Print what each id lacks, and what is wrong
    #[arg(long, conflicts_with_all = ["id", "json"])]
    pub(crate) missing: bool,
    /// Print what stands behind each function: harnesses, theorems, tests, or nothing
    #[arg(long, conflicts_with_all = ["id", "json", "missing"])]
    pub(crate) functions: bool,
    /// Print JSON
    #[arg(long, conflicts_with = "id")]
    pub(crate) json: bool,
    /// Write a self-contained page there instead; put it into the checkout so that its links work
    #[arg(long, value_name = "FILE", conflicts_with_all = ["id", "json", "missing", "functions"])]
    pub(crate) html: Option<PathBuf>,
}

/// Arguments of `asap completions`.
#[derive(Args)]
pub(crate) struct Completions {
    /// The shell
    #[arg(value_enum)]
    pub(crate) shell: clap_complete::Shell,
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    #[test]
    fn the_commands_are_consistent() {
        super::Cli::command().debug_assert();
    }
}
