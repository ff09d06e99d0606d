//! Wine quality, or a synthetic stand-in of the same shape; and the two ways to scale it.

use crate::baselines::random::{normal, uniform};
use crate::error::ExperimentError;
use asap_dp::ReplayRng;
use std::path::Path;
use std::{fs, io};

/// The two data sets of the paper.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wine {
    /// 1599 red wines.
    Red,
    /// 4898 white wines.
    White,
}

/// A column: its name and the public range that the honest variant holds it to.
struct CsvColumn {
    name: &'static str,
    range: (f64, f64),
}

/// From oenology and food law, not from the records: what a wine on sale may contain, or what a scale can show.
const COLUMNS: [CsvColumn; 11] = [
    CsvColumn { name: "fixed acidity", range: (3.0, 16.0) },
    CsvColumn { name: "volatile acidity", range: (0.0, 1.5) },
    CsvColumn { name: "citric acid", range: (0.0, 1.0) },
    CsvColumn { name: "residual sugar", range: (0.0, 45.0) },
    CsvColumn { name: "chlorides", range: (0.0, 0.5) },
    CsvColumn { name: "free sulfur dioxide", range: (0.0, 150.0) },
    CsvColumn { name: "total sulfur dioxide", range: (0.0, 400.0) },
    CsvColumn { name: "density", range: (0.98, 1.04) },
    CsvColumn { name: "pH", range: (2.5, 4.5) },
    CsvColumn { name: "sulphates", range: (0.0, 2.0) },
    CsvColumn { name: "alcohol", range: (7.0, 16.0) },
];
const TARGET: &str = "quality";
/// The tasters' scale.
const TARGET_RANGE: (f64, f64) = (0.0, 10.0);
/// Volatile acidity and alcohol: the two columns of the experiment in two dimensions.
pub const TWO_COLUMNS: [usize; 2] = [1, 10];

impl Wine {
    /// Both of them.
    pub const ALL: [Self; 2] = [Self::Red, Self::White];

    /// A short name.
    pub fn id(self) -> &'static str {
        match self {
            Self::Red => "red",
            Self::White => "white",
        }
    }

    /// UCI's file.
    pub fn file(self) -> &'static str {
        match self {
            Self::Red => "winequality-red.csv",
            Self::White => "winequality-white.csv",
        }
    }

    /// n: the number of records.
    pub fn rows(self) -> usize {
        match self {
            Self::Red => 1599,
            Self::White => 4898,
        }
    }

    /// α: the strong convexity of one loss, from the paper. The total regulariser Λ is nα.
    pub fn alpha(self) -> f64 {
        match self {
            Self::Red => 100.0,
            Self::White => 32.0,
        }
    }

    /// The public promise of the number of rows.
    pub fn max_rows(self) -> u64 {
        match self {
            Self::Red => 2000,
            Self::White => 5000,
        }
    }
}

/// Records as they are in the file, row by row.
#[derive(Clone, Debug, PartialEq)]
pub struct WineTable {
    features: Vec<f64>,
    targets: Vec<f64>,
}

/// How records become features and targets. spec: `own:experiments`
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FeatureScaling {
    /// Mean 0 and deviation 1 in every column, as in the paper; bounds are the largest that occur. **Not private**: all
    /// of this is computed from the records.
    Standardised,
    /// Public ranges onto [−1, 1], what lies outside is moved to the edge.
    Public,
}

impl FeatureScaling {
    /// Both of them.
    pub const ALL: [Self; 2] = [Self::Standardised, Self::Public];

    /// A short name.
    pub fn id(self) -> &'static str {
        match self {
            Self::Standardised => "standardised",
            Self::Public => "public-bounds",
        }
    }
}

/// Features and targets with the bounds that they keep.
#[derive(Clone, Debug, PartialEq)]
pub struct ScaledData {
    /// Row by row.
    pub features: Vec<f64>,
    /// One for each row.
    pub targets: Vec<f64>,
    /// R.
    pub feature_bound: f64,
    /// Y.
    pub target_bound: f64,
}

impl WineTable {
    /// Reads one of UCI's files in this folder: separator `;`, one header line.
    pub fn read(wine: Wine, folder: &Path) -> Result<Self, ExperimentError> {
        let path = folder.join(wine.file());
        let refused = |reason: String| ExperimentError::Data { path: path.clone(), reason };
        let text = fs::read_to_string(&path).map_err(|error| {
            refused(match error.kind() {
                io::ErrorKind::NotFound => "no such file".to_owned(),
                kind => format!("cannot be read: {kind}"),
            })
        })?;
        Self::parse(&text, wine.rows()).map_err(refused)
    }

    fn parse(text: &str, rows: usize) -> Result<Self, String> {
        let mut lines = text.lines();
        let header: Vec<&str> =
            lines.next().unwrap_or("").split(';').map(|name| name.trim().trim_matches('"')).collect();
        let expected: Vec<&str> = COLUMNS.iter().map(|column| column.name).chain([TARGET]).collect();
        if header != expected {
            return Err(format!("the header must be {}, separated by ;", expected.join(";")));
        }
        let mut table = Self { features: Vec::new(), targets: Vec::new() };
        for (number, line) in lines.enumerate().filter(|(_, line)| !line.trim().is_empty()) {
            let numbers: Result<Vec<f64>, _> = line.split(';').map(|cell| cell.trim().parse()).collect();
            let numbers = numbers.ok().filter(|numbers| numbers.iter().all(|x| x.is_finite()));
            match numbers.as_deref() {
                Some([features @ .., target]) if features.len() == COLUMNS.len() => {
                    table.features.extend(features);
                    table.targets.push(*target);
                }
                _ => return Err(format!("line {}: must be 12 finite numbers", number + 2)),
            }
        }
        if table.targets.len() == rows {
            Ok(table)
        } else {
            Err(format!("has {} rows and must have {rows}: UCI's file", table.targets.len()))
        }
    }

    /// Synthetic records of the same shape: every column normal within its range, a quality that
    /// depends on four of them.
    pub fn synthetic(wine: Wine) -> Self {
        let mut rng = ReplayRng::new(wine.rows() as u64);
        let mut table = Self { features: Vec::new(), targets: Vec::new() };
        for _ in 0..wine.rows() {
            // One hidden variable makes columns depend on each other, as they do in wine.
            let hidden = normal(&mut rng);
            let scores: Vec<f64> = (0..COLUMNS.len())
                .map(|k| 0.4 * hidden * if k % 2 == 0 { 1.0 } else { -1.0 } + 0.9 * normal(&mut rng))
                .collect();
            for (score, column) in scores.iter().zip(&COLUMNS) {
                let (low, high) = column.range;
                table
                    .features
                    .push((0.4 * (high - low)).mul_add(score / 4.0, 0.6 * low + 0.4 * high).clamp(low, high));
            }
            let quality = 5.8 + 0.4 * scores[10] - 0.25 * scores[1] + 0.15 * scores[9] - 0.1 * scores[6]
                + 0.65 * normal(&mut rng)
                + 0.1 * (uniform(&mut rng) - 0.5);
            table.targets.push(quality.round().clamp(3.0, 9.0));
        }
        table
    }

    /// The number of records.
    pub fn rows(&self) -> usize {
        self.targets.len()
    }

    /// The chosen columns (all of them: 0 to 10), scaled.
    pub fn scaled(&self, scaling: FeatureScaling, columns: &[usize]) -> ScaledData {
        let column =
            |k: usize| self.features.iter().skip(k).step_by(COLUMNS.len()).copied().collect::<Vec<f64>>();
        let scale = |values: Vec<f64>, range: (f64, f64)| match scaling {
            FeatureScaling::Standardised => standardised(values),
            FeatureScaling::Public => onto_unit(values, range),
        };
        let chosen: Vec<Vec<f64>> = columns.iter().map(|&k| scale(column(k), COLUMNS[k].range)).collect();
        let targets = scale(self.targets.clone(), TARGET_RANGE);
        let features: Vec<f64> =
            (0..self.rows()).flat_map(|row| chosen.iter().map(move |column| column[row])).collect();
        let (feature_bound, target_bound) = match scaling {
            FeatureScaling::Standardised => {
                let norms =
                    features.chunks_exact(columns.len()).map(|row| row.iter().map(|x| x * x).sum::<f64>());
                (norms.fold(0.0, f64::max).sqrt(), targets.iter().map(|y| y.abs()).fold(0.0, f64::max))
            }
            FeatureScaling::Public => ((columns.len() as f64).sqrt(), 1.0),
        };
        ScaledData { features, targets, feature_bound, target_bound }
    }
}

/// Mean 0 and deviation 1 (0 throughout if all values are the same).
fn standardised(values: Vec<f64>) -> Vec<f64> {
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    let deviation = (values.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / n).sqrt();
    let scale = if deviation > 0.0 { deviation.recip() } else { 0.0 };
    values.into_iter().map(|x| (x - mean) * scale).collect()
}

/// The range onto [−1, 1].
fn onto_unit(values: Vec<f64>, (low, high): (f64, f64)) -> Vec<f64> {
    values.into_iter().map(|x| (2.0 * (x - low) / (high - low) - 1.0).clamp(-1.0, 1.0)).collect()
}

/// The public ranges in words.
pub fn public_ranges() -> String {
    let one = |name: &str, (low, high): (f64, f64)| format!("{name} {low}–{high}");
    let features = COLUMNS.iter().map(|column| one(column.name, column.range));
    features.chain([one(TARGET, TARGET_RANGE)]).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(rows: &[&str]) -> String {
        let names: Vec<String> = COLUMNS.iter().map(|column| format!("\"{}\"", column.name)).collect();
        format!("{};\"quality\"\n{}\n", names.join(";"), rows.join("\n"))
    }

    #[test]
    fn files_are_read_and_what_is_none_is_named() {
        let row = "7.4;0.7;0;1.9;0.076;11;34;0.9978;3.51;0.56;9.4;5";
        let table = WineTable::parse(&text(&[row, row]), 2).unwrap();
        assert_eq!(
            (table.rows(), table.features[1], table.features[21], table.targets[1]),
            (2, 0.7, 9.4, 5.0)
        );
        assert!(WineTable::parse(&text(&[row]), 2).unwrap_err().contains("has 1 rows"));
        assert!(WineTable::parse(&text(&["1;2"]), 1).unwrap_err().contains("line 2"));
        assert!(
            WineTable::parse(&text(&[&row.replace("7.4", "nan")]), 1)
                .unwrap_err()
                .contains("12 finite numbers")
        );
        assert!(WineTable::parse("a;b\n", 0).unwrap_err().contains("fixed acidity"));
    }

    #[test]
    fn scaled_columns_keep_their_bounds() {
        let table = WineTable::synthetic(Wine::Red);
        let all: Vec<usize> = (0..11).collect();
        let public = table.scaled(FeatureScaling::Public, &all);
        assert!(public.features.iter().chain(&public.targets).all(|x| x.abs() <= 1.0));
        assert_eq!((public.feature_bound, public.target_bound), (11.0_f64.sqrt(), 1.0));
        let two = table.scaled(FeatureScaling::Standardised, &TWO_COLUMNS);
        assert_eq!(two.features.len(), 2 * 1599);
        let second: Vec<f64> = two.features.iter().skip(1).step_by(2).copied().collect();
        let (mean, square) = (second.iter().sum::<f64>(), second.iter().map(|x| x * x).sum::<f64>());
        assert!(mean.abs() < 1e-9 && (square / 1599.0 - 1.0).abs() < 1e-12);
        let longest = two.features.chunks(2).map(|row| row[0].hypot(row[1])).fold(0.0, f64::max);
        assert!((two.feature_bound / longest - 1.0).abs() < 1e-15);
        assert_eq!(onto_unit(vec![7.0, 11.5, 20.0], (7.0, 16.0)), [-1.0, 0.0, 1.0]);
        assert_eq!(standardised(vec![3.0, 3.0]), [0.0, 0.0]);
    }
}
