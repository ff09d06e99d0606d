//! The flags that several commands share.

use clap::{Args, ValueEnum};
use std::path::PathBuf;

/// The public description of a problem.
#[derive(Args, Clone)]
pub(crate) struct ProblemFlags {
    /// Loss of one record
    #[arg(long, value_enum)]
    pub(crate) loss: LossName,
    /// Pure differential privacy: ε > 0
    #[arg(long, value_name = "E", value_parser = positive, required_unless_present = "mu", conflicts_with = "mu")]
    pub(crate) epsilon: Option<f64>,
    /// Gaussian differential privacy: μ > 0
    #[arg(long, value_name = "M", value_parser = positive)]
    pub(crate) mu: Option<f64>,
    /// Total regulariser Λ > 0 in J(θ) = Σ loss + (Λ/2)‖θ‖². Fix it without looking at the records [default: chosen
    /// from the other public numbers, with a parameter bound for the squared loss; asap plan shows it]
    #[arg(long, value_name = "LAMBDA", value_parser = positive)]
    pub(crate) regulariser: Option<f64>,
    /// TOML file with the public schema of the table: what each column is, and the target; asap schema writes
    /// one to fill in. The release records it, and predict applies it. Without a schema every column used is
    /// a number, taken as it is
    #[arg(long, value_name = "FILE")]
    pub(crate) schema: Option<PathBuf>,
    /// Largest Euclidean norm of a record's features, > 0; needed without --schema [default: what the schema implies,
    /// the square root of the number of its columns]
    #[arg(long, value_name = "R", value_parser = positive)]
    pub(crate) feature_bound: Option<f64>,
    /// Largest absolute value of a target, > 0; needed by squared and huber [default: 1 with a --schema, whose
    /// range is scaled to [-1, 1]]
    #[arg(long, value_name = "Y", value_parser = positive)]
    pub(crate) target_bound: Option<f64>,
    /// Search for the first, rough answer within this distance of 0, > 0; helps most with the squared loss
    #[arg(long, value_name = "R", value_parser = positive)]
    pub(crate) parameter_bound: Option<f64>,
    /// Residual beyond which the huber loss is linear, > 0 [default: 1]
    #[arg(long, value_name = "D", value_parser = positive)]
    pub(crate) huber_delta: Option<f64>,
    /// Which data sets count as neighbours
    #[arg(long, value_enum, default_value = "add-remove")]
    pub(crate) neighbours: NeighboursName,
    /// A person may have several rows (--person names the column): take the first K of each, 1 to 1000000, and promise
    /// ε or μ for a person with all rows; not with --schema, which states it [default: each row counts by itself]
    #[arg(long, value_name = "K", value_parser = count(1, 1_000_000), conflicts_with = "schema")]
    pub(crate) rows_per_person: Option<u64>,
    /// With --loss logistic: the weights of the other class and of the positive one, > 0; only their ratio
    /// counts. They are public: take them from what is known elsewhere, not from these records. A --schema states
    /// them itself [default: 1,1]
    #[arg(long, value_name = "OTHER,POSITIVE", value_parser = weights, conflicts_with = "schema")]
    pub(crate) class_weights: Option<[f64; 2]>,
    /// Append a column of ones
    #[arg(long)]
    pub(crate) intercept: bool,
    #[command(flatten)]
    pub(crate) choice: Choice,
    /// How radius, error and chain length are chosen; paper with mala is not certified [default: tight]
    #[arg(long, value_enum)]
    pub(crate) calibration: Option<CalibrationName>,
    /// With --sampler mala: a plan with a longer chain is refused before anything is computed [default: 20000000]
    #[arg(long, value_name = "N", value_parser = count(1, 1 << 53))]
    pub(crate) largest_chain: Option<u64>,
    /// With --mechanism noisy-gradient: the number of steps, each a pass over the records [default:
    /// the best predicted number]
    #[arg(long, value_name = "N", value_parser = steps)]
    pub(crate) gradient_steps: Option<u32>,
    /// Most rows that a data set may have, 1 to 2^40; a larger one is refused
    #[arg(long, value_name = "N", value_parser = count(1, 1 << 40), default_value_t = 10_000_000)]
    pub(crate) max_rows: u64,
    /// A public guess of the number of rows, 1 to --max-rows; a wrong guess costs utility or time, never privacy
    /// [default: for fit 10000, or --max-rows if that is less; for plan --rows]
    #[arg(long, value_name = "N", value_parser = count(1, u64::MAX))]
    pub(crate) expected_rows: Option<u64>,
    /// A public guess of the curvature of the records' losses together, ≥ 0: a typical eigenvalue of their
    /// Hessian without Λ. It helps to choose the mechanism; a wrong guess costs utility, never privacy
    /// [default: that of a usual table]
    #[arg(long, value_name = "C", value_parser = non_negative)]
    pub(crate) curvature: Option<f64>,
}

/// What to do with an existing output.
#[derive(Args, Clone, Copy)]
pub(crate) struct Overwrite {
    /// Replace an existing output. An input is never replaced
    #[arg(long)]
    pub(crate) force: bool,
}

/// How the parameters are made.
#[derive(Args, Clone)]
pub(crate) struct Choice {
    /// Which mechanism to use; a flag that belongs to one mechanism only selects it
    #[arg(long, value_enum, default_value = "auto")]
    pub(crate) mechanism: MechanismName,
    /// What draws the posterior sample [default: exact]
    #[arg(long, value_enum)]
    pub(crate) sampler: Option<SamplerName>,
    /// With --epsilon: the noise added to a minimiser [default: euclidean]
    #[arg(long, value_enum)]
    pub(crate) noise: Option<NoiseName>,
}

#[derive(Clone, Copy, ValueEnum)]
pub(crate) enum LossName {
    Logistic,
    Squared,
    Huber,
}

#[derive(Clone, Copy, ValueEnum)]
pub(crate) enum NeighboursName {
    /// One record more or less; the number of records is private
    AddRemove,
    /// One record replaced by another; the number of records is public
    ReplaceOne,
}

#[derive(Clone, Copy, ValueEnum)]
pub(crate) enum UnitName {
    /// One record
    Record,
    /// One person with all rows
    Person,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum MechanismName {
    /// The one that is predicted to miss least, from public numbers: see plan
    Auto,
    /// Localise, sample the posterior on a ball, add noise for the sampler's error: the paper's learner
    Posterior,
    /// Output perturbation: the minimiser plus noise, with the whole budget
    Output,
    /// Objective perturbation: the minimiser of a randomly tilted objective, plus noise for its rounding
    Objective,
    /// Noisy gradient descent: noise on every gradient, and the mean of the later steps
    NoisyGradient,
}

#[derive(Clone, Copy, ValueEnum)]
pub(crate) enum TiltedName {
    /// The tilt under μ is normal, as in a fit with this loss
    Logistic,
    /// The tilt is purely private, and converted under μ, as in a fit with the losses squared and huber
    Huber,
}

#[derive(Clone, Copy, ValueEnum)]
pub(crate) enum SamplerName {
    /// Exact draw, a few passes over the records; if it gives up, the proximal sampler
    Exact,
    /// In-ball proximal sampler
    Proximal,
    /// Constrained MALA; certified lengths are long, see plan and --largest-chain
    Mala,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum NoiseName {
    /// One draw for all coordinates, density ∝ e^(−‖z‖₂/s): the shorter noise
    Euclidean,
    /// Laplace noise in each coordinate, as in the paper
    Laplace,
}

#[derive(Clone, Copy, ValueEnum)]
pub(crate) enum CalibrationName {
    /// Explicit constants, budget split for utility
    Tight,
    /// The paper's formulas, three equal budget shares
    Paper,
}

pub(super) fn positive(text: &str) -> Result<f64, &'static str> {
    finite(text).filter(|x| *x > 0.0).ok_or("must be a finite number greater than 0")
}

/// Weights of two classes; how often each class occurs in the records is nothing that may decide about them.
pub(super) fn weights(text: &str) -> Result<[f64; 2], &'static str> {
    if text == "balanced" {
        return Err(
            "balanced weights would come from the labels of these records, which are private; give two public numbers, \
                    such as 1,10",
        );
    }
    let numbers = text.split(',').map(positive).collect::<Result<Vec<f64>, _>>();
    match numbers.as_deref() {
        Ok([other, positive]) => Ok([*other, *positive]),
        _ => Err("must be two finite numbers greater than 0, such as 1,10"),
    }
}

/// A part of something: between 0 and 1, neither included.
pub(super) fn fraction(text: &str) -> Result<f64, &'static str> {
    finite(text).filter(|x| *x > 0.0 && *x < 1.0).ok_or("must be a number greater than 0 and less than 1")
}

pub(super) fn non_negative(text: &str) -> Result<f64, &'static str> {
    finite(text).filter(|x| *x >= 0.0).ok_or("must be a finite number, 0 or greater")
}

/// A range of one public number.
#[derive(Clone, Debug)]
pub(crate) struct Sweep {
    pub(crate) of: Swept,
    pub(crate) values: Vec<f64>,
}

/// What is swept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Swept {
    Epsilon,
    Mu,
    Regulariser,
}

pub(super) fn sweep(text: &str) -> Result<Sweep, &'static str> {
    const DEFAULT_POINTS: u32 = 13;
    let allowed = "must be epsilon, mu or regulariser, =, and FROM:TO or FROM:TO:POINTS with 0 < FROM < TO and 2 to 1000 \
                   points, such as epsilon=0.1:10";
    let (name, range) = text.split_once('=').ok_or(allowed)?;
    let of = match name {
        "epsilon" => Swept::Epsilon,
        "mu" => Swept::Mu,
        "regulariser" => Swept::Regulariser,
        _ => return Err(allowed),
    };
    let parts: Vec<&str> = range.split(':').collect();
    let (from, to, points) = match parts[..] {
        [from, to] => (positive(from)?, positive(to)?, DEFAULT_POINTS),
        [from, to, points] => {
            let points = whole(points).and_then(|points| points.try_into().ok());
            (positive(from)?, positive(to)?, points.ok_or(allowed)?)
        }
        _ => return Err(allowed),
    };
    if !(from < to && (2..=1000).contains(&points)) {
        return Err(allowed);
    }
    let value = |k: u32| from * (to / from).powf(f64::from(k) / f64::from(points - 1));
    Ok(Sweep { of, values: (0..points).map(value).collect() })
}

/// A whole number from `least` to `most`, also as 1e6 or 2.5e3.
pub(super) fn count(
    least: u64,
    most: u64,
) -> impl Fn(&str) -> Result<u64, String> + Clone + Send + Sync + 'static {
    move |text| {
        let range =
            if most == u64::MAX { format!("of at least {least}") } else { format!("from {least} to {most}") };
        let found = whole(text).filter(|number| (least..=most).contains(number));
        found.ok_or_else(|| {
            format!("must be a whole number {range}, such as {} or 1e3", least.max(1000).min(most))
        })
    }
}

/// A number of steps.
fn steps(text: &str) -> Result<u32, String> {
    count(1, 1 << 20)(text).and_then(|steps| u32::try_from(steps).map_err(|error| error.to_string()))
}

/// Digits, with a decimal point and an exponent if they still make a whole number: nothing is rounded.
fn whole(text: &str) -> Option<u64> {
    let (mantissa, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
    let (integer, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let fraction = fraction.trim_end_matches('0');
    let exponent: usize =
        exponent.strip_prefix('+').unwrap_or(exponent).parse().ok().filter(|it| *it < 20)?;
    let zeros = exponent.checked_sub(fraction.len())?;
    if integer.is_empty() || !integer.bytes().chain(fraction.bytes()).all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    format!("{integer}{fraction}{}", "0".repeat(zeros)).parse().ok()
}

fn finite(text: &str) -> Option<f64> {
    text.parse().ok().filter(|x: &f64| x.is_finite())
}

pub(super) fn separator(text: &str) -> Result<u8, &'static str> {
    match text.as_bytes() {
        b"tab" | b"\\t" => Ok(b'\t'),
        [byte] => Ok(*byte),
        _ => Err("must be one ASCII character, or tab"),
    }
}

/// Names with commas between them; one that has a comma itself stands in quotes, as in a CSV file: `age,"height, cm"`.
pub(super) fn names(text: &str) -> Result<Vec<String>, &'static str> {
    let (mut found, mut name, mut quoted) = (Vec::new(), String::new(), false);
    let mut rest = text.chars().peekable();
    while let Some(next) = rest.next() {
        match next {
            // Two quotes inside of quotes are one that is meant.
            '"' if quoted && rest.next_if_eq(&'"').is_some() => name.push('"'),
            '"' if quoted && !matches!(rest.peek(), None | Some(',')) => {
                return Err("a quoted name must be followed by a comma or the end of the list");
            }
            '"' if quoted => quoted = false,
            '"' if name.is_empty() => quoted = true,
            ',' if !quoted => found.push(std::mem::take(&mut name)),
            other => name.push(other),
        }
    }
    found.push(name);
    if quoted { Err("a name has an opening quote and no closing one") } else { Ok(found) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_exact_or_refused() {
        for (text, value) in [
            ("1", 1),
            ("1e6", 1_000_000),
            ("2.5e3", 2500),
            ("1.50E+2", 150),
            ("7.0", 7),
            ("1e0", 1),
            ("12e18", 12_000_000_000_000_000_000),
        ] {
            assert_eq!(whole(text), Some(value), "{text}");
        }
        for bad in [
            "", "1.5", "1e-1", "-1", "1e", "e3", ".5e1", "1e20", "99e19", "0x10", "1 0", "nan", "1.25e1",
            "+3",
        ] {
            assert_eq!(whole(bad), None, "{bad}");
        }
        assert!(count(1, 10)("11").is_err_and(|error| error.contains("from 1 to 10")));
    }

    #[test]
    fn names_may_hold_commas_in_quotes() {
        for (text, expected) in [
            ("a,b", &["a", "b"][..]),
            ("\"a,b\",c", &["a,b", "c"]),
            ("a,\"say \"\"b\"\", c\"", &["a", "say \"b\", c"]),
            ("5\" pipe", &["5\" pipe"]),
            ("a,", &["a", ""]),
        ] {
            assert!(names(text).is_ok_and(|found| found == expected), "{text}");
        }
        for bad in ["\"a", "a,\"b", "\"a\"b", "\"a\" ,b"] {
            assert!(names(bad).is_err(), "{bad}");
        }
    }
}
