//! The commands that ask something of records without learning a model.

use super::flags::{NeighboursName, Overwrite, count, fraction, positive, separator};
use clap::Args;
use std::path::PathBuf;

/// Arguments of `asap split`.
#[derive(Args)]
pub(crate) struct Split {
    /// CSV file with a header line; - for standard input
    #[arg(value_name = "DATA.csv")]
    pub(crate) data: PathBuf,
    /// The part of the rows, or of the persons, to score with: more than 0, less than 1
    #[arg(long, value_name = "PART", value_parser = fraction)]
    pub(crate) test: f64,
    /// Where to write the two parts, each with the header
    #[arg(long, value_names = ["TRAIN.csv", "TEST.csv"], num_args = 2, required = true)]
    pub(crate) out: Vec<PathBuf>,
    /// Column that says whom a row is about: all rows of a person are on one side [default: each row by itself]
    #[arg(long, value_name = "COLUMN")]
    pub(crate) person: Option<String>,
    /// A key in your own words, which may be public: the same key divides the same rows alike [default: a fresh one]
    #[arg(long, value_name = "TEXT")]
    pub(crate) key: Option<String>,
    /// Where to write the fresh key, so that the split can be repeated with asap split … --key "$(cat FILE)"
    #[arg(long, value_name = "FILE", conflicts_with = "key")]
    pub(crate) key_out: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) overwrite: Overwrite,
    /// Field separator, one character or tab [default: the most frequent of , ; tab | in the header]
    #[arg(long, value_name = "CHAR", value_parser = separator)]
    pub(crate) separator: Option<u8>,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// What every question that is answered through noise needs.
#[derive(Args, Clone)]
pub(crate) struct AskingFlags {
    /// Pure differential privacy: ε > 0
    #[arg(long, value_name = "E", value_parser = positive, required_unless_present = "mu", conflicts_with = "mu")]
    pub(crate) epsilon: Option<f64>,
    /// Gaussian differential privacy: μ > 0
    #[arg(long, value_name = "M", value_parser = positive)]
    pub(crate) mu: Option<f64>,
    /// Which data sets count as neighbours
    #[arg(long, value_enum, default_value = "add-remove")]
    pub(crate) neighbours: NeighboursName,
    /// Most rows that one person may have, 1 to 1000000. The guarantee is for persons, and the noise grows with the
    /// number. Without --person you vouch for it [default: 1, each row is one person]
    #[arg(long, value_name = "K", value_parser = count(1, 1_000_000))]
    pub(crate) rows_per_person: Option<u64>,
    /// Column that says whom a row is about: only the first --rows-per-person rows of each person are taken
    #[arg(long, value_name = "COLUMN", requires = "rows_per_person")]
    pub(crate) person: Option<String>,
    #[command(flatten)]
    pub(crate) overwrite: Overwrite,
    /// Field separator, one character or tab [default: the most frequent of , ; tab | in the header]
    #[arg(long, value_name = "CHAR", value_parser = separator)]
    pub(crate) separator: Option<u8>,
    /// Enter what is spent into this ledger file, and refuse it if the ledger's total would be
    /// exceeded; see asap ledger
    #[arg(long, value_name = "FILE", conflicts_with = "replay_seed")]
    pub(crate) ledger: Option<PathBuf>,
    /// With --ledger: the name of the data set; a ledger of another one refuses the question
    #[arg(long, value_name = "NAME", requires = "ledger")]
    pub(crate) dataset: Option<String>,
    /// Sign the answer with the ed25519 secret key in this file: 64 hexadecimal digits
    #[arg(long, value_name = "KEYFILE")]
    pub(crate) sign: Option<PathBuf>,
    /// Take all noise from this seed. The answer is then NOT private, and says so
    #[arg(long, value_name = "N")]
    pub(crate) replay_seed: Option<u64>,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// Arguments of `asap score`.
#[derive(Args)]
#[allow(clippy::struct_excessive_bools, reason = "each is a flag")]
pub(crate) struct Score {
    /// The release to score, made from a CSV file
    #[arg(value_name = "RELEASE.json")]
    pub(crate) release: PathBuf,
    /// CSV file with the columns of the release and the target: rows that the release was not fitted
    /// to; - for standard input
    #[arg(value_name = "TEST.csv")]
    pub(crate) data: PathBuf,
    #[command(flatten)]
    pub(crate) asking: AskingFlags,
    /// Where to write the answer; - for standard output
    #[arg(long, value_name = "FILE", default_value = "score.json")]
    pub(crate) out: PathBuf,
    /// A public guess of the number of rows: the score stops before it spends if it would be known to ±0.1 at best
    #[arg(long, value_name = "N", value_parser = count(1, u64::MAX))]
    pub(crate) expected_rows: Option<u64>,
    /// Classes: count predicted probabilities in this even number of bins. AUC and calibration need 4 or more;
    /// the noise grows as its root [default: 10 if --expected-rows says that their noise is small, otherwise
    /// 2: the confusion matrix]
    #[arg(long, value_name = "N", value_parser = count(2, 1000))]
    pub(crate) bins: Option<u64>,
    /// Numbers: a larger error counts as this one, > 0, in the units of the target [default: the width of its range]
    #[arg(long, value_name = "C", value_parser = positive)]
    pub(crate) largest_error: Option<f64>,
    /// The file that the release was fitted to: the score is refused if a row is in both
    #[arg(long, value_name = "TRAIN.csv", conflicts_with = "seen")]
    pub(crate) train: Option<PathBuf>,
    /// State in the answer that the release may have been fitted to these rows: budgets add up,
    /// and the score flatters it
    #[arg(long)]
    pub(crate) seen: bool,
    /// Print what the score would be worth, and draw nothing: TEST.csv is not opened
    #[arg(long)]
    pub(crate) plan: bool,
    /// Run the score even if it is predicted to be useless
    #[arg(long)]
    pub(crate) yes: bool,
    /// Where to draw the curve with its band, and the calibration; for classes and 4 bins or more
    #[arg(long, value_name = "FILE")]
    pub(crate) svg: Option<PathBuf>,
}

/// Arguments of `asap count`.
#[derive(Args)]
pub(crate) struct Count {
    /// CSV file with a header line; - for standard input
    #[arg(value_name = "DATA.csv")]
    pub(crate) data: PathBuf,
    #[command(flatten)]
    pub(crate) asking: AskingFlags,
    /// Where to write the answer; - for standard output
    #[arg(long, value_name = "FILE", default_value = "count.json")]
    pub(crate) out: PathBuf,
}

/// Arguments of `asap quantile`.
#[derive(Args)]
pub(crate) struct Quantile {
    /// CSV file with a header line; - for standard input
    #[arg(value_name = "DATA.csv")]
    pub(crate) data: PathBuf,
    /// The column of numbers
    #[arg(long, value_name = "NAME")]
    pub(crate) column: String,
    /// Which quantile, from 0.000001 to 0.999999: 0.5 is the median
    #[arg(long, value_name = "Q", value_parser = fraction)]
    pub(crate) level: f64,
    /// The possible answers, in ascending order, separated by commas; choose them without looking
    #[arg(long, value_name = "NUMBERS", value_delimiter = ',', required = true)]
    pub(crate) candidates: Vec<f64>,
    #[command(flatten)]
    pub(crate) asking: AskingFlags,
    /// Where to write the answer; - for standard output
    #[arg(long, value_name = "FILE", default_value = "quantile.json")]
    pub(crate) out: PathBuf,
}
