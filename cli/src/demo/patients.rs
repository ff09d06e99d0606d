//! The made-up patients of `asap demo`: numbers, categories, empty cells, and a class to predict.

use crate::failure::Failure;
use asap_dp::data::{CsvOptions, Schema, read_csv, read_features, read_schema};
use asap_dp::noise::RandomBits;
use asap_dp::optimise::Minimiser;
use asap_dp::{Bounds, Logistic, OutOfBounds, Problem, Records, ReplayRng};
use std::fmt::Write;
use std::path::Path;

/// Patients to learn from.
pub(crate) const TRAIN: usize = 20_000;
/// Others, to test with.
pub(crate) const TEST: usize = 5_000;
const SEED: u64 = 7;
/// Λ of the model that is not private.
const HARDLY_ANY: f64 = 1e-3;

/// What is public about them.
pub(crate) const SCHEMA: &str = r#"# What is public about the made-up patients of the demo. Nobody looked at a record for it.

[target]
name = "returns"
classes = ["no", "yes"]                                          # within 30 days; the last one is the positive class

[columns]
"age" = [18, 100]
"days" = { range = [0, 60], missing = 5 }                        # length of the stay
"ward" = ["surgery", "medicine", "cardiology", "oncology"]       # an empty cell is none of them
"admission" = ["planned", "emergency"]
"diabetes" = ["no", "yes"]
"#;

const HEADER: &str = "age,days,ward,admission,diabetes,returns\n";

/// Rows of CSV, and which of them return.
pub(crate) struct Patients {
    rows: Vec<String>,
    returns: Vec<bool>,
}

/// Those to learn from, and those to test with.
pub(crate) fn made_up() -> (Patients, Patients) {
    let mut rng = ReplayRng::new(SEED);
    let mut some = |count| {
        let (rows, returns) = (0..count).map(|_| patient(&mut rng)).unzip();
        Patients { rows, returns }
    };
    (some(TRAIN), some(TEST))
}

/// One row, and whether the patient returns: by a logistic model of the row.
fn patient(rng: &mut ReplayRng) -> (String, bool) {
    let age = 18.0 + 82.0 * (uniform(rng) + uniform(rng)) / 2.0;
    let days = (-6.0 * uniform(rng).ln()).min(60.0);
    let (ward, risk) = match uniform(rng) * 4.2 {
        one if one < 1.0 => ("surgery", -0.4),
        one if one < 2.0 => ("medicine", 0.1),
        one if one < 3.0 => ("cardiology", 0.8),
        one if one < 4.0 => ("oncology", 1.2),
        _ => ("", 0.0),
    };
    let emergency = uniform(rng) < 0.4;
    let diabetes = uniform(rng) < 0.15;
    let linear = -3.1
        + 0.03 * (age - 50.0)
        + 0.12 * days
        + risk
        + if emergency { 1.3 } else { 0.0 }
        + if diabetes { 0.9 } else { 0.0 };
    let returns = uniform(rng) < 1.0 / (1.0 + (-linear).exp());
    // How long a stay was is not always written down.
    let days = if uniform(rng) < 0.05 { String::new() } else { format!("{days:.0}") };
    let admission = if emergency { "emergency" } else { "planned" };
    let said = |yes| if yes { "yes" } else { "no" };
    (format!("{age:.0},{days},{ward},{admission},{},{}\n", said(diabetes), said(returns)), returns)
}

/// Uniform in (0, 1).
fn uniform(rng: &mut ReplayRng) -> f64 {
    ((rng.next_u64() >> 11) as f64 + 0.5) / (1_u64 << 53) as f64
}

pub(crate) fn schema() -> Result<Schema, Failure> {
    read_schema(SCHEMA).map_err(|_| Failure::Internal)
}

impl Patients {
    /// The first so many, as CSV.
    pub(crate) fn csv(&self, count: usize) -> String {
        self.rows.iter().take(count).fold(HEADER.to_owned(), |mut text, row| {
            // A String can always be written to.
            let _ = write!(text, "{row}");
            text
        })
    }

    /// The first so many, as a fit takes them.
    pub(crate) fn records(&self, count: usize) -> Result<Records<Logistic>, Failure> {
        let schema = schema()?;
        let bounds = Bounds::of_schema(&schema)?.with_intercept(true)?;
        let (options, policy) = (CsvOptions::of_schema(schema), OutOfBounds::Clip);
        let read = read_csv(self.csv(count).as_bytes(), &options, Logistic, bounds, policy);
        Ok(read.map_err(|_| Failure::Internal)?.0)
    }

    /// All of them, as the numbers that a model is applied to.
    pub(crate) fn features(&self) -> Result<Vec<f64>, Failure> {
        read_features(self.csv(self.rows.len()).as_bytes(), &schema()?, None).map_err(|_| Failure::Internal)
    }

    /// The share that a model predicts right, without noise.
    pub(crate) fn accuracy(&self, features: &[f64], theta: &[f64]) -> f64 {
        let Some((constant, weights)) = theta.split_last() else { return f64::NAN };
        let predicted = features
            .chunks_exact(weights.len().max(1))
            .map(|row| row.iter().zip(weights).map(|(x, w)| x * w).sum::<f64>() + constant >= 0.0);
        let right = predicted.zip(&self.returns).filter(|(predicted, returns)| predicted == *returns).count();
        right as f64 / self.returns.len() as f64
    }

    /// The share of the more frequent class.
    pub(crate) fn majority(&self) -> f64 {
        let returning = self.returns.iter().filter(|returns| **returns).count();
        returning.max(self.returns.len() - returning) as f64 / self.returns.len() as f64
    }
}

/// The model of these records without any noise. It may be shown because they are made up.
pub(crate) fn not_private(records: &Records<Logistic>) -> Result<Vec<f64>, Failure> {
    let problem = Problem::new(Logistic, records.bounds().clone(), records.dimension(), HARDLY_ANY)?;
    let failed = |error| Failure::of(error, Path::new("demo"));
    let best = Minimiser::new(&problem).map_err(failed)?.run(&problem.bind(records)?).map_err(failed)?;
    Ok(best.reveal_breaking_privacy())
}
