//! The longer texts of `asap --help` and `asap COMMAND --help`.

use crate::failure::EXIT_CODES;

pub(super) fn long_help() -> String {
    format!(
        "\
Examples:
  asap demo
  asap plan --loss logistic --epsilon 1 --feature-bound 1 --rows 5000 --dim 11
  asap schema DATA.csv --target ill --out schema.toml
  asap fit DATA.csv --schema schema.toml --loss logistic --epsilon 1 --expected-rows 5000
  asap check release.json --key public.hex
  asap predict release.json NEW.csv --out predictions.csv
  asap completions bash > ~/.local/share/bash-completion/completions/asap

Colours and progress appear only on a terminal; NO_COLOR turns colours off.

{EXIT_CODES}"
    )
}

/// What --mechanism is for an audit.
pub(super) const AUDITED: &str =
    "Which mechanism to audit. Here auto is the posterior sample, each stage by itself and the whole release";

// One line for each paragraph: clap wraps them to the terminal.
pub(super) const FIT_HELP: &str = "\
Every bound is a public promise: choose it without looking at the records. Nothing that depends on the records is \
printed, except what is released. The guarantee covers one release; the budgets of several releases add up.

Records outside the bounds are moved to the nearest admissible ones (--clip, the default). A cell that is not a \
finite number (empty, text, nan, inf, 1e400) has no nearest one: the file is refused with the line, unless the \
schema has a public value or level for it. A file that is not a table (a row with too few fields, a quote that is \
never closed, text that is not UTF-8, more rows than --max-rows) is always refused. The fact that a file was refused \
is not protected.

--stream leaves the records in the file and reads it again for each pass. The release is the same, bit for bit. It \
needs memory for one block of at most 64 rows and 64 partial sums, whatever the number of rows, and the time to read \
the file some ten to some hundred times. A file that changes meanwhile is refused.

Before anything is spent, the fit looks at the forecast of asap plan. If the model is predicted to be worse than \
nothing, or the fit would take longer than --cost-limit, it stops with exit code 6 unless you give --yes. Both \
depend on public numbers only, with --expected-rows for the number of rows.

--schema says what the columns are. A number has a public range; it is moved into the range and scaled. A text has \
levels, and each level becomes a number. Then rows are moved into --feature-bound, by default the square root of the \
number of columns. A text that is not among the levels counts as none, or as the level that stands for others. A \
text in a column of numbers is refused with its line. The schema names the classes or a range of the target. Without \
a schema every column is a number in its own units, and the only classes are 0 and 1, or -1 and 1.

--sign signs the release with the ed25519 key made from 64 hexadecimal digits: openssl rand -hex 32 > secret.hex \
makes them; keep them secret. The public key is printed; anybody who has it from you can verify the release: asap \
check --key.

Examples:
  asap fit patients.csv --target ill --loss logistic --epsilon 1 --feature-bound 1
  asap fit wine.csv --target quality --loss squared --target-bound 10 --mu 1 \\
      --feature-bound 15 --features alcohol,pH,sulphates
  asap fit patients.csv --target ill --loss logistic --epsilon 1 --feature-bound 1 \\
      --mechanism output --stream --sign secret.hex

  asap fit wine.csv --schema schema.toml --loss logistic --epsilon 1 --expected-rows 5000

Exit codes: 0 done, 2 usage, 3 input file, 4 output, 5 internal check or no randomness, 6 not worth it (see \
--yes), 130 interrupted";

pub(super) const PLAN_HELP: &str = "\
All mechanisms are planned and predicted side by side. The worth is the part of what can be learnt that a release \
keeps. The excess risk is that of a usual table of --rows records (or with the curvature --curvature in every \
direction), and of the table that suits the mechanism least. --mechanism auto, the default, takes the one that \
misses least, with a price for its passes; a named mechanism must be possible. The chains of the posterior sample \
are planned for the worst curvature, m = γΛ, L = γ(Λ + Nβ). θ_0 is not known before a fit; it is planned for the \
norm --centre-norm.

Without --regulariser, the one with the largest predicted worth is chosen. The verdict says what the model will be \
worth, on what this was calibrated, and which number of rows, budget or columns would make it useful. Seconds are an \
estimate, timed on synthetic public records of this shape in memory. The time of a pass of fit --stream is below the \
table.

--sweep compares the mechanisms over a range of budgets or regularisers, with the chosen regulariser marked: a \
table, and with --svg a picture.

Example:
  asap plan --loss logistic --epsilon 1 --feature-bound 1 --rows 5000 --dim 11 --json
  asap plan --loss logistic --epsilon 1 --feature-bound 1 --rows 5000 --dim 11 \\
      --sweep epsilon=0.1:10 --svg sweep.svg

Exit codes: 0 done, 2 usage, 3 input file, 4 output";

pub(super) const SCORE_HELP: &str = "\
Every row is counted in one cell (its class and the bin of its predicted probability; for numbers, parts of its \
error that add up to one row), and every cell gets noise. Everything else follows from the noisy cells. Intervals \
contain the true value in 95 % of cases. They cover both the sampling error of so many rows and the noise.

Rows that the release was not fitted to have their own budget: the guarantees of release and score hold side by \
side. You vouch that they are such rows, and the answer says so; --train compares them with the file of the fit.

Examples:
  asap score release.json test.csv --epsilon 0.1 --expected-rows 5000 --plan
  asap score release.json test.csv --epsilon 1 --bins 10 --svg score.svg
  asap check score.json";
pub(super) const SPLIT_HELP: &str = "\
A hash of the row and of a key decides which rows are set aside for scoring. Nothing else does, so adding or \
removing a row moves no other. Equal rows are on one side. With --person all rows of a person are on one side; use \
it if a person may have several rows.

The guarantees of a fit to TRAIN.csv and of a score on TEST.csv then hold side by side, and need not be added up, \
for neighbours with one record more or less. If records are replaced by others, divide by a column that a \
replacement keeps, such as a number of the person: a record that moves to the other side changes both files.

Example:
  asap split data.csv --test 0.2 --person patient --out train.csv test.csv --key 2026";
pub(super) const SCHEMA_HELP: &str = "\
The names of the columns are public. You choose their ranges and levels from what is known without these records, \
such as what an instrument can measure, what a form allows, what a code book lists. A range or a list of levels read \
off the records is not public, and nothing computed with it is private.

Example:
  asap schema wine.csv --target quality --out schema.toml
  asap fit wine.csv --schema schema.toml --loss logistic --epsilon 1 --expected-rows 5000

Exit codes: 0 done, 2 usage, 3 input file, 4 output";

pub(super) const LEDGER_HELP: &str = "\
A ledger file belongs to one data set, and the people who keep the records keep it. Each fit, score, count and \
quantile with --ledger enters what it spends before it draws any noise, and is refused if the total would be \
exceeded. One that fails afterwards counts as well. Sums are exact. Under a total μ, entries under ε count with the \
μ that they satisfy.

Without a total the entries are listed: when, what for, which guarantee, by which mechanism, and the digest of what \
was released. It is the digest in the file that asap check reads. An entry that is spent with nothing \
released failed, was stopped, or is still running. docs/ledger.md describes the file.

Example:
  asap ledger patients.ledger.json --total-epsilon 3 --dataset patients
  asap fit patients.csv --ledger patients.ledger.json --dataset patients --target ill --loss logistic --epsilon 1 \\
      --regulariser 50 --feature-bound 1
  asap ledger patients.ledger.json

Exit codes: 0 done, 2 usage, 3 the ledger cannot be read, 4 output";

pub(super) const REPRODUCE_HELP: &str = "\
For public records only: excess risks, minimisers and curvatures of the records are shown, and nothing that is \
written is private.

--data is a folder with UCI's winequality-red.csv and winequality-white.csv (separator ;). Without it the same page \
is made from synthetic stand-ins of the same shape.

Every finished cell (one system, one setting, one budget) is kept in FOLDER/cells, so an interrupted run continues \
where it stopped. A folder that is not empty and was not made by reproduce is refused.

Examples:
  asap reproduce --out results --quick
  asap reproduce --data wine --out results

Exit codes: 0 done, 2 usage, 3 input file, 4 output, 130 interrupted";
