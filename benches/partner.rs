//! Does what `against_peers.py` asks for, and says how long it took: `partner pass FILE`,
//! `fit FILE Λ epsilon|mu VALUE`, `noise`, `step` or `csv FILE TARGET`.
//!
//! FILE of a pass or a fit is `n d x… y…` in little-endian `f64`. Each line on the standard input is one request and is
//! answered with one line. The records are public: nothing here protects them.

mod quadratic;

use asap_dp::ball::Ball;
use asap_dp::data::{CsvOptions, read_csv_path, read_schema};
use asap_dp::noise::{LaplaceScale, NormalScale, discrete_laplace, rounded_normal};
use asap_dp::sampler::{Everywhere, Mala, Sampler};
use asap_dp::{Bounds, Learner, Logistic, OutOfBounds, Problem, Records, ReplayRng, SecureRng};
use quadratic::{DIMENSION, Quadratic};
use std::error::Error;
use std::hint::black_box;
use std::io::{BufRead, Write};
use std::time::Instant;

type Answer = Result<String, Box<dyn Error>>;
type Outcome = Result<(), Box<dyn Error>>;

/// Noise vectors that are timed at once: one is shorter than the clock is fine.
const TOGETHER: usize = 1000;

fn main() -> Outcome {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match arguments.as_slice() {
        ["pass", file] => pass(file),
        ["fit", file, regulariser, budget, value] => fit(file, regulariser, budget, value),
        ["noise"] => noise(),
        ["step"] => step(),
        ["csv", file, target] => csv(file, target),
        _ => Err(
            "usage: partner pass FILE | fit FILE LAMBDA epsilon|mu VALUE | noise | step | csv FILE TARGET"
                .into(),
        ),
    }
}

/// Answers each line of the standard input.
fn serve(mut answer: impl FnMut(&str) -> Answer) -> Outcome {
    for line in std::io::stdin().lock().lines() {
        println!("{}", answer(line?.trim())?);
        std::io::stdout().flush()?;
    }
    Ok(())
}

/// The seconds of the fastest of so many calls.
fn fastest(calls: usize, mut work: impl FnMut() -> Outcome) -> Answer {
    let mut least = f64::INFINITY;
    for _ in 0..calls {
        let start = Instant::now();
        work()?;
        least = least.min(start.elapsed().as_secs_f64());
    }
    Ok(format!("{least:e}"))
}

fn joined(numbers: &[f64]) -> String {
    numbers.iter().map(|x| format!(" {x:e}")).collect()
}

/// Features, targets and the number of columns.
type Table = (Vec<f64>, Vec<f64>, usize);

fn table(file: &str) -> Result<Table, Box<dyn Error>> {
    let bytes = std::fs::read(file)?;
    let mut numbers = bytes.as_chunks::<8>().0.iter().map(|b| f64::from_le_bytes(*b));
    let mut size = || numbers.next().map(|x| format!("{x}").parse::<usize>()).ok_or("the file is too short");
    let (rows, columns) = (size()??, size()??);
    let features = numbers.by_ref().take(rows * columns).collect();
    Ok((features, numbers.collect(), columns))
}

/// `value θ…` prints the value and the gradient at θ and keeps θ; then `pass k` times evaluations there,
/// `read k` sums over the features.
fn pass(file: &str) -> Outcome {
    let (features, targets, columns) = table(file)?;
    let bounds = Bounds::new(1.0)?;
    let records = Records::new(Logistic, bounds.clone(), OutOfBounds::Refuse, features.clone(), targets)?;
    let objective = Problem::new(Logistic, bounds, columns, 1.0)?.bind(&records)?;
    let (mut workspace, mut theta) = (objective.workspace(), vec![0.0; columns]);
    serve(|line| match line.split_once(' ') {
        Some(("value", numbers)) => {
            theta = numbers.split(' ').map(str::parse).collect::<Result<_, _>>()?;
            let value = objective.evaluate(&theta, &mut workspace)?.reveal_breaking_privacy();
            Ok(format!("{value:e}{}", joined(&workspace.private_gradient().reveal_breaking_privacy())))
        }
        Some(("pass", calls)) => fastest(calls.parse()?, || {
            let _ = black_box(objective.evaluate(black_box(&theta), &mut workspace)?);
            Ok(())
        }),
        Some(("read", calls)) => fastest(calls.parse()?, || {
            black_box(streamed(black_box(&features)));
            Ok(())
        }),
        _ => Err("value θ…, pass k or read k".into()),
    })
}

/// Reads all numbers and does as little as possible with them.
fn streamed(numbers: &[f64]) -> u64 {
    let mut words = [0; 32];
    for block in numbers.as_chunks::<32>().0 {
        for (word, number) in words.iter_mut().zip(block) {
            *word ^= number.to_bits();
        }
    }
    words.iter().fold(0, |all, word| all ^ word)
}

/// For each line one fit of the mechanism that is chosen, from arrays to a checked release: seconds,
/// mechanism, passes, parameters.
fn fit(file: &str, regulariser: &str, budget: &str, value: &str) -> Outcome {
    let (features, targets, _) = table(file)?;
    let (learner, value) = (Learner::new(regulariser.parse()?), value.parse()?);
    let learner = if budget == "mu" { learner.mu(value)? } else { learner.epsilon(value)? };
    let learner = learner.expected_rows(targets.len() as u64);
    let bounds = Bounds::new(1.0)?.with_max_rows(10 * targets.len() as u64)?;
    let mut seeds = 0..;
    serve(|_| {
        let (features, targets) = (features.clone(), targets.clone());
        let mut rng = ReplayRng::new(seeds.next().unwrap_or(0));
        let start = Instant::now();
        let records = Records::new(Logistic, bounds.clone(), OutOfBounds::Clip, features, targets)?;
        let plan = learner.plan_for(&records)?;
        let (release, cost) = plan.release(&records, &mut rng)?;
        let seconds = start.elapsed().as_secs_f64();
        let passes = cost.reveal_breaking_privacy().passes;
        Ok(format!("{seconds:e} {} {passes}{}", plan.kind().name(), joined(release.theta())))
    })
}

/// `laplace k` and `normal k`: the fastest of k exact noise vectors from secure bits, on a lattice of 2^40
/// steps for each unit of scale.
fn noise() -> Outcome {
    let steps = (1_u64 << 40) as f64;
    let (laplace, normal) = (LaplaceScale::at_least(steps)?, NormalScale::at_least(steps)?);
    let mut rng = SecureRng::new()?;
    let mut vector = [0; DIMENSION];
    serve(|line| {
        let (law, calls) = line.split_once(' ').ok_or("laplace k or normal k")?;
        let seconds: f64 = fastest(calls.parse()?, || {
            for _ in 0..TOGETHER {
                match law {
                    "laplace" => vector.fill_with(|| discrete_laplace(laplace, &mut rng)),
                    _ => vector.fill_with(|| rounded_normal(normal, &mut rng)),
                }
                black_box(&vector);
            }
            Ok(())
        })?
        .parse()?;
        Ok(format!("{:e}", seconds / TOGETHER as f64))
    })
}

/// For each line with a number k: the seconds of one step in a chain of k steps of constrained MALA.
fn step() -> Outcome {
    let mut quadratic = Quadratic::new();
    let curvature = Everywhere::new(1.0, 2.0).ok_or("no curvature")?;
    let everywhere = Ball::new(vec![0.0; DIMENSION], 1e9)?;
    let mut rng = SecureRng::new()?;
    serve(|line| {
        let steps = line.parse()?;
        let chain = Mala::scheduled(0.1, steps, 1, vec![0.0; DIMENSION], &curvature);
        let start = Instant::now();
        let _ = black_box(chain.sample(&mut quadratic, &everywhere, &mut rng)?);
        Ok(format!("{:e}", start.elapsed().as_secs_f64() / steps as f64))
    })
}

/// For each line: the seconds that reading the file takes, by a target or by the file of a schema.
fn csv(file: &str, target: &str) -> Outcome {
    let (options, bounds) = if std::path::Path::new(target).extension().is_some_and(|it| it == "toml") {
        let schema = read_schema(&std::fs::read_to_string(target)?)?;
        let bounds = Bounds::of_schema(&schema)?;
        (CsvOptions::of_schema(schema), bounds)
    } else {
        (CsvOptions::new(target), Bounds::new(1.0)?)
    };
    serve(|_| {
        fastest(1, || {
            let _ = black_box(read_csv_path(file, &options, Logistic, bounds.clone(), OutOfBounds::Clip)?);
            Ok(())
        })
    })
}
