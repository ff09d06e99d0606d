//! The commands that ask something of records without learning a model.

use super::flags::{Overwrite, fraction, separator};
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
    /// Where the two parts are written, each with the header
    #[arg(long, value_names = ["TRAIN.csv", "TEST.csv"], num_args = 2, required = true)]
    pub(crate) out: Vec<PathBuf>,
    /// The column that says whom a row is about: all rows of a person are on one side [default: each row by itself]
    #[arg(long, value_name = "COLUMN")]
    pub(crate) person: Option<String>,
    /// A key in words of your own, which may be public: the same key divides the same rows alike [default: a fresh one]
    #[arg(long, value_name = "TEXT")]
    pub(crate) key: Option<String>,
    /// Write the fresh key there, so that the split can be made again; for --key: asap split … --key "$(cat FILE)"
    #[arg(long, value_name = "FILE", conflicts_with = "key")]
    pub(crate) key_out: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) overwrite: Overwrite,
    /// What separates fields, one character or tab [default: the most frequent of , ; tab | in the header]
    #[arg(long, value_name = "CHAR", value_parser = separator)]
    pub(crate) separator: Option<u8>,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}
