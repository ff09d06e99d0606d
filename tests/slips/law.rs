//! Laws of noise as distribution functions, so that every released number becomes a uniform one.

use crate::reference::{Outcome, kolmogorov_smirnov, relative_entropy};
use asap_contracts::Noise;
use statrs::function::{erf::erfc, gamma::gamma_lr};

/// The kind of a law; scales are divided out.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Family {
    Laplace,
    Normal,
    Euclidean,
}

impl Family {
    pub fn of(noise: &Noise) -> Self {
        match noise {
            Noise::DiscreteLaplace { .. } => Self::Laplace,
            Noise::RoundedNormal { .. } => Self::Normal,
            Noise::EuclideanLaplace { .. } => Self::Euclidean,
        }
    }
}

/// Φ.
pub fn normal(x: f64) -> f64 {
    0.5 * erfc(-x / core::f64::consts::SQRT_2)
}

/// The sum of a Laplace variable of scale 1 and a normal one of deviation r: the convolution of e^(−|x|)/2 with the
/// normal density, by completing the square.
fn laplace_and_normal(x: f64, r: f64) -> f64 {
    if r < 1e-9 {
        let tail = 0.5 * (-x.abs()).exp();
        return if x < 0.0 { tail } else { 1.0 - tail };
    }
    let side = |x: f64| (0.5 * r * r - x + normal(x / r - r).max(1e-300).ln()).exp();
    normal(x / r) - 0.5 * (side(x) - side(-x))
}

/// One coordinate of the density ∝ e^(−‖z‖) in 3 or 5 dimensions: ∫ over the others leaves (|x| + 1)e^(−|x|)/4 and
/// (x² + 3|x| + 3)e^(−|x|)/16.
fn euclidean(x: f64, dimension: usize) -> f64 {
    let a = x.abs();
    let tail = match dimension {
        3 => (a + 2.0) * (-a).exp() / 4.0,
        5 => (a * a + 5.0 * a + 8.0) * (-a).exp() / 16.0,
        other => panic!("no closed form for {other} dimensions here"),
    };
    if x < 0.0 { tail } else { 1.0 - tail }
}

/// A released vector as uniform numbers, if its law is right.
pub struct Uniforms {
    /// Each of them is uniform.
    pub numbers: Vec<f64>,
    /// The two numbers of each of these pairs are independent.
    pub pairs: Vec<(usize, usize)>,
}

/// The uniform numbers of `released` = `centre` + `scale`·(noise of this family) + a normal vector of these deviations.
pub fn uniforms(
    family: Family,
    scale: f64,
    released: &[f64],
    centre: &[f64],
    deviations: &[f64],
) -> Uniforms {
    let d = released.len();
    let z: Vec<f64> = released.iter().zip(centre).map(|(x, c)| (x - c) / scale).collect();
    let spread = |j: usize| deviations[j] / scale;
    let every_pair = || (0..d).flat_map(move |i| (0..i).map(move |j| (j, i)));
    match family {
        Family::Laplace => Uniforms {
            numbers: (0..d).map(|j| laplace_and_normal(z[j], spread(j))).collect(),
            pairs: every_pair().collect(),
        },
        Family::Normal => Uniforms {
            numbers: (0..d).map(|j| normal(z[j] / 1.0_f64.hypot(spread(j)))).collect(),
            pairs: every_pair().collect(),
        },
        Family::Euclidean => {
            assert!(deviations.iter().all(|deviation| *deviation == 0.0));
            // The coordinates depend on each other through the norm only: any angle is uniform and independent of it.
            let mut numbers: Vec<f64> = z.iter().map(|x| euclidean(*x, d)).collect();
            let norm = z.iter().map(|x| x * x).sum::<f64>().sqrt();
            numbers.push(gamma_lr(d as f64, norm.max(f64::MIN_POSITIVE)));
            numbers.extend(every_pair().map(|(i, j)| 0.5 + z[i].atan2(z[j]) / (2.0 * core::f64::consts::PI)));
            let pairs = (d + 1..numbers.len()).map(|angle| (d, angle)).collect();
            Uniforms { numbers, pairs }
        }
    }
}

/// Cells of a pair on each side.
const CELLS: usize = 4;

fn pair_test(runs: &[Uniforms], (i, j): (usize, usize)) -> Outcome {
    let mut counts = [0_u64; CELLS * CELLS];
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "of a number in [0, 1]")]
    let cell = |u: f64| ((u * CELLS as f64) as usize).min(CELLS - 1);
    for run in runs {
        counts[cell(run.numbers[i]) * CELLS + cell(run.numbers[j])] += 1;
    }
    relative_entropy(&counts, &[1.0 / (CELLS * CELLS) as f64; CELLS * CELLS])
}

/// The first statistic that rejects "every number is uniform, and the pairs are independent", if one does. The
/// false-alarm probability of each is that of `reference`, for every number of runs.
pub fn rejected(runs: &[Uniforms]) -> Option<String> {
    let column = |k: usize| runs.iter().map(|run| run.numbers[k]).collect::<Vec<_>>();
    let numbers = (0..runs[0].numbers.len())
        .map(|k| (format!("number {k}"), kolmogorov_smirnov(&column(k), |u| u.clamp(0.0, 1.0))));
    let pairs = runs[0].pairs.iter().map(|&pair| (format!("pair {pair:?}"), pair_test(runs, pair)));
    numbers
        .chain(pairs)
        .find(|(_, outcome)| !outcome.accepted())
        .map(|(what, outcome)| format!("{what} of {} runs: {outcome:?}", runs.len()))
}

/// How many statistics [`rejected`] looks at.
pub fn statistics(runs: &[Uniforms]) -> usize {
    runs[0].numbers.len() + runs[0].pairs.len()
}
