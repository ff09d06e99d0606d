//! What the command line understands.

// The paths are said so that the fuzz target, which takes this file by its path, finds them as well.
#[path = "arguments/flags.rs"]
mod flags;
#[path = "arguments/help.rs"]
mod help;
#[path = "arguments/questions.rs"]
mod questions;

pub(crate) use flags::{
    CalibrationName, Choice, LossName, MechanismName, NeighboursName, NoiseName, Overwrite, ProblemFlags,
    SamplerName, Sweep, Swept, TiltedName, UnitName,
};

pub(crate) use questions::{AskingFlags, Count, Quantile, Score, Split};

use crate::failure::EXIT_CODES;
use clap::{Args, Parser, Subcommand};
use flags::{count, fraction, names, non_negative, positive, separator, sweep};
use help::{
    AUDITED, FIT_HELP, LEDGER_HELP, PLAN_HELP, REPRODUCE_HELP, SCHEMA_HELP, SCORE_HELP, SPLIT_HELP, long_help,
};
use std::path::PathBuf;

/// Differentially private learning with δ = 0, every constant explicit and checked.
#[derive(Parser)]
#[command(name = "asap", version = option_env!("ASAP_VERSION").unwrap_or("unknown"), after_help = EXIT_CODES, after_long_help = long_help())]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Subcommand)]
pub(crate) enum Command {
    /// Make up a table, fit it privately, score the model, check the release, draw two pictures
    #[command(after_help = EXIT_CODES, allow_negative_numbers = true)]
    Demo(Demo),
    /// Fit a model to the records of a CSV file and write a release
    #[command(after_help = EXIT_CODES, after_long_help = FIT_HELP, allow_negative_numbers = true)]
    Fit(Fit),
    /// Print every calibrated number of a fit, its cost and its predicted excess risk, without any data
    #[command(after_help = EXIT_CODES, after_long_help = PLAN_HELP, allow_negative_numbers = true,
              mut_arg("epsilon", |arg| arg.required_unless_present_any(["mu", "sweep"])))]
    Plan(Plan),
    /// Decide every inequality of a release again, verify it, and say what is assumed
    #[command(after_help = EXIT_CODES)]
    Check(Check),
    /// Write a public schema to fill in, from the names of a CSV file's columns; no record is read
    #[command(after_help = EXIT_CODES, after_long_help = SCHEMA_HELP)]
    Schema(Schema),
    /// Divide a CSV file into rows to learn from and rows to score with, by a keyed hash
    #[command(after_help = EXIT_CODES, after_long_help = SPLIT_HELP)]
    Split(Split),
    /// Say how good a release is on rows that it was not fitted to, through noise: accuracy and more, with intervals
    #[command(after_help = EXIT_CODES, after_long_help = SCORE_HELP, allow_negative_numbers = true)]
    Score(Score),
    /// Say how many rows a CSV file has, through noise
    #[command(after_help = EXIT_CODES, allow_negative_numbers = true)]
    Count(Count),
    /// Pick the candidate close to a quantile of a column, through noise
    #[command(after_help = EXIT_CODES, allow_negative_numbers = true)]
    Quantile(Quantile),
    /// Apply the model of a release to the rows of a CSV file
    #[command(after_help = EXIT_CODES)]
    Predict(Predict),
    /// Declare what all uses of one data set may spend together, or list what they have spent
    #[command(after_help = EXIT_CODES, after_long_help = LEDGER_HELP, allow_negative_numbers = true)]
    Ledger(Ledger),
    /// Try to refute the guarantee: lower confidence bounds of ε or μ on worst-case neighbours
    #[command(after_help = EXIT_CODES, allow_negative_numbers = true, mut_arg("mechanism", |arg| arg.help(AUDITED)))]
    Audit(Audit),
    /// Print a completion script for a shell
    Completions(Completions),
    /// Run the paper's experiments with every system of its tables: a page, pictures and a table. Public records only
    #[command(after_help = EXIT_CODES, after_long_help = REPRODUCE_HELP)]
    Reproduce(Reproduce),
}

/// Arguments of `asap demo`.
#[derive(Args)]
pub(crate) struct Demo {
    /// Folder for all files. It is created if needed; a folder that is not empty is refused
    #[arg(long, value_name = "FOLDER", default_value = "asap-demo")]
    pub(crate) out_dir: PathBuf,
    #[command(flatten)]
    pub(crate) overwrite: Overwrite,
    /// Take all noise from this seed. The release is then NOT private, and says so
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
    /// Column to predict; not with --schema, which names it
    #[arg(long, value_name = "NAME", required_unless_present = "schema", conflicts_with = "schema")]
    pub(crate) target: Option<String>,
    #[command(flatten)]
    pub(crate) problem: ProblemFlags,
    /// Columns to predict from, separated by commas; put a name with a comma in quotes ('age,"height, cm"'); may be
    /// repeated; not with --schema [default: all but the target]
    #[arg(long, value_name = "NAMES", value_parser = names, conflicts_with = "schema")]
    pub(crate) features: Option<Vec<Vec<String>>>,
    /// Column that says whom a row is about, if a person may have several rows; not with --schema, which names it
    #[arg(long, value_name = "COLUMN", requires = "rows_per_person", conflicts_with = "schema")]
    pub(crate) person: Option<String>,
    /// Field separator, one character or tab [default: the most frequent of , ; tab | in the header]
    #[arg(long, value_name = "CHAR", value_parser = separator)]
    pub(crate) separator: Option<u8>,
    /// Move records outside the bounds to the nearest admissible ones (the default). The guarantee then holds for every
    /// file whose cells are finite numbers or covered by the schema. Any other cell is refused with its line
    #[arg(long, conflicts_with = "refuse")]
    pub(crate) clip: bool,
    /// Refuse the file if a record is outside the bounds. The fact that it was refused is not protected
    #[arg(long)]
    pub(crate) refuse: bool,
    /// Leave the records in the file and read it again for each pass. This needs memory for one block of rows and 64
    /// partial sums, whatever the number of rows
    #[arg(long)]
    pub(crate) stream: bool,
    /// Where to write the release; - for standard output
    #[arg(long, value_name = "FILE", default_value = "release.json")]
    pub(crate) out: PathBuf,
    #[command(flatten)]
    pub(crate) overwrite: Overwrite,
    /// Enter the fit into this ledger file, and refuse it if the ledger's total would be exceeded; see asap ledger
    #[arg(long, value_name = "FILE", conflicts_with = "replay_seed")]
    pub(crate) ledger: Option<PathBuf>,
    /// With --ledger: the name of the data set; a ledger of another one refuses the fit
    #[arg(long, value_name = "NAME", requires = "ledger")]
    pub(crate) dataset: Option<String>,
    /// Sign the release with the ed25519 secret key in this file: 64 hexadecimal digits
    #[arg(long, value_name = "KEYFILE")]
    pub(crate) sign: Option<PathBuf>,
    /// Run the fit even if the model is predicted to be hardly better than none, or the cost is above --cost-limit
    #[arg(long)]
    pub(crate) yes: bool,
    /// Stop, before anything is spent, if the fit is expected to take longer. The estimate is for --expected-rows rows,
    /// in memory or read again for each pass of --stream, timed with public records on this machine
    #[arg(long, value_name = "SECONDS", value_parser = positive, default_value_t = 3600.0)]
    pub(crate) cost_limit: f64,
    /// Take all noise from this seed. The release is then NOT private, and says so
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
    pub(crate) problem: ProblemFlags,
    /// Number of rows to plan for, from 1 to --max-rows
    #[arg(long, value_name = "N", value_parser = count(1, u64::MAX))]
    pub(crate) rows: u64,
    /// Number of feature columns, 1 to 1000000; not with --schema, which has them; --intercept adds a parameter
    #[arg(long, value_name = "D", value_parser = count(1, 1_000_000), required_unless_present = "schema", conflicts_with = "schema")]
    pub(crate) dim: Option<u64>,
    /// Assumed norm of θ_0, ≥ 0
    #[arg(long, value_name = "C", value_parser = non_negative, default_value_t = 0.0)]
    pub(crate) centre_norm: f64,
    /// Compare all mechanisms over a range instead: epsilon, mu or regulariser, evenly on a logarithmic scale
    #[arg(long, value_name = "NAME=FROM:TO[:POINTS]", value_parser = sweep)]
    pub(crate) sweep: Option<Sweep>,
    /// With --sweep: where to write the picture
    #[arg(long, value_name = "FILE", requires = "sweep")]
    pub(crate) svg: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) overwrite: Overwrite,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// Arguments of `asap check`.
#[derive(Args)]
pub(crate) struct Check {
    /// A release, or an answer of asap score, count or quantile
    #[arg(value_name = "RELEASE.json")]
    pub(crate) release: PathBuf,
    /// Also fail if the release came from --replay-seed, is not certified (a user's loss never is), or rests on a
    /// number that the file cannot show to be right (as with constrained MALA)
    #[arg(long)]
    pub(crate) strict: bool,
    /// Also fail unless the release is signed with the secret key of this public key: 64 hexadecimal
    /// digits, or a file with them
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
    /// CSV file with the columns of the release, in the units of the fit; - for standard input. Other columns
    /// are ignored, or refused if the release has no schema. Missing cells, unknown levels, ranges and bounds
    /// are treated as in the fit
    #[arg(value_name = "DATA.csv")]
    pub(crate) data: PathBuf,
    /// Where to write the predictions, as CSV: the class and the probability of the positive one (of each, with more
    /// than two classes), or the prediction in the target's units; - for standard output
    #[arg(long, value_name = "FILE", default_value = "-")]
    pub(crate) out: PathBuf,
    #[command(flatten)]
    pub(crate) overwrite: Overwrite,
    /// Field separator, one character or tab [default: the most frequent of , ; tab | in the header]
    #[arg(long, value_name = "CHAR", value_parser = separator)]
    pub(crate) separator: Option<u8>,
    /// Two classes: predict the positive one from this probability on, between 0 and 1. Probabilities do
    /// not change [default: 0.5]
    #[arg(long, value_name = "P", value_parser = fraction)]
    pub(crate) threshold: Option<f64>,
    /// Write JSON instead of CSV
    #[arg(long)]
    pub(crate) json: bool,
}

/// Arguments of `asap schema`.
#[derive(Args)]
pub(crate) struct Schema {
    /// CSV file; only its header line is read; - for standard input
    #[arg(value_name = "DATA.csv")]
    pub(crate) data: PathBuf,
    /// Column to predict
    #[arg(long, value_name = "NAME")]
    pub(crate) target: Option<String>,
    /// Field separator, one character or tab [default: the most frequent of , ; tab | in the header]
    #[arg(long, value_name = "CHAR", value_parser = separator)]
    pub(crate) separator: Option<u8>,
    /// Where to write the file; - for standard output
    #[arg(long, value_name = "FILE", default_value = "-")]
    pub(crate) out: PathBuf,
    #[command(flatten)]
    pub(crate) overwrite: Overwrite,
}

/// Arguments of `asap ledger`.
#[derive(Args)]
#[command(group = clap::ArgGroup::new("total").args(["total_epsilon", "total_mu"]))]
pub(crate) struct Ledger {
    /// A ledger file
    #[arg(value_name = "LEDGER.json")]
    pub(crate) file: PathBuf,
    /// Declare a total ε > 0 in a new file
    #[arg(long, value_name = "E", value_parser = positive)]
    pub(crate) total_epsilon: Option<f64>,
    /// Declare a total μ > 0 in a new file
    #[arg(long, value_name = "M", value_parser = positive)]
    pub(crate) total_mu: Option<f64>,
    /// With a total: which data sets count as neighbours, for all entries
    #[arg(long, value_enum, default_value = "add-remove")]
    pub(crate) neighbours: NeighboursName,
    /// With a total: whom all entries protect: one record, or one person with all rows
    #[arg(long, value_enum, default_value = "record")]
    pub(crate) unit: UnitName,
    /// With a total: the name of the data set, which every entry must then state
    #[arg(long, value_name = "NAME", requires = "total")]
    pub(crate) dataset: Option<String>,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// Arguments of `asap audit`.
#[derive(Args)]
pub(crate) struct Audit {
    /// Audit the setting of this release instead (its loss, bounds, regulariser, budget, mechanism, sampler and noise,
    /// with at most 5 parameters), on records made for it, and the audit's own worst case with the same budget and
    /// mechanism. Or audit the noise of this score or count
    #[arg(long, value_name = "RELEASE.json",
          conflicts_with_all = ["epsilon", "mu", "mechanism", "loss", "sampler", "noise", "dim"])]
    pub(crate) from: Option<PathBuf>,
    /// Audit the learner at this ε (pure DP)
    #[arg(long, conflicts_with = "mu")]
    pub(crate) epsilon: Option<f64>,
    /// Audit the learner at this μ (GDP)
    #[arg(long)]
    pub(crate) mu: Option<f64>,
    #[command(flatten)]
    pub(crate) choice: Choice,
    /// With --mechanism objective: the loss of the audited neighbours [default: logistic
    /// with --mu, huber with --epsilon]
    #[arg(long, value_enum)]
    pub(crate) loss: Option<TiltedName>,
    /// Runs on each data set, for each stage of the mechanism and pair of neighbours
    #[arg(long, default_value_t = 100_000, value_parser = count(100, 1_000_000_000))]
    pub(crate) runs: u64,
    /// Audit persons with K rows, 1 to 100: neighbours differ by one person with all rows [default: by a record]
    #[arg(long, value_name = "K", value_parser = count(1, 100), conflicts_with = "from")]
    pub(crate) rows_per_person: Option<u64>,
    /// Number of parameters; with 3 or more, each coordinate and some random directions are audited too
    #[arg(long, value_name = "D", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=100))]
    pub(crate) dim: u16,
    /// Replay from this seed instead of secure randomness
    #[arg(long, value_name = "N")]
    pub(crate) replay_seed: Option<u64>,
    /// Where to draw the trade-off curves
    #[arg(long, value_name = "FILE")]
    pub(crate) svg: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) overwrite: Overwrite,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// Arguments of `asap reproduce`.
#[derive(Args)]
pub(crate) struct Reproduce {
    /// Folder with UCI's winequality-red.csv and winequality-white.csv; without it, synthetic stand-ins
    #[arg(long, value_name = "DIR")]
    pub(crate) data: Option<PathBuf>,
    /// Folder for the page, the pictures, the table and the finished cells
    #[arg(long, value_name = "FOLDER")]
    pub(crate) out: PathBuf,
    /// Only a few budgets and short chains: about a minute
    #[arg(long)]
    pub(crate) quick: bool,
    /// Runs in each cell [default: 21; 5 with --quick]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub(crate) repetitions: Option<u32>,
    /// Cells that run at the same time [default: the number of processors]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub(crate) threads: Option<u16>,
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
