//! The work whose instructions `tests/instructions.rs` counts: `instructions NAME REPETITIONS`, or
//! `instructions` for the names.
//!
//! The same instructions in every run: seeds are known, and there is one thread. With 0 repetitions only the
//! preparation is done, so that a difference of two counts is the work alone.

mod quadratic;

use asap_dp::ball::Ball;
use asap_dp::data::{CsvOptions, read_csv};
use asap_dp::noise::{LaplaceScale, NormalScale, RandomBits, discrete_laplace, rounded_normal};
use asap_dp::sampler::{Everywhere, Mala, Sampler};
use asap_dp::{
    Block, Bounds, Learner, Logistic, MechanismKind, OutOfBounds, Problem, Records, ReplayRng, SamplerKind,
    Shape,
};
use quadratic::{DIMENSION, Quadratic};
use std::error::Error;
use std::hint::black_box;

type Outcome = Result<(), Box<dyn Error>>;

/// What is done so many times.
type Work = fn(u64) -> Outcome;

const WORK: [(&str, Work); 12] = [
    ("pass n=5000 d=11", |repetitions| pass(5000, 11, repetitions)),
    ("pass n=1000 d=50", |repetitions| pass(1000, 50, repetitions)),
    ("fit epsilon=1 n=1000 d=11", |repetitions| fit(Learner::new(1.0).epsilon(1.0)?, repetitions)),
    ("fit mu=1 n=1000 d=11", |repetitions| fit(Learner::new(1.0).mu(1.0)?, repetitions)),
    ("fit posterior, exact n=1000 d=11", |repetitions| posterior(SamplerKind::Exact, repetitions)),
    ("fit posterior, proximal n=1000 d=11", |repetitions| posterior(SamplerKind::Proximal, repetitions)),
    ("fit objective, ball n=1000 d=23", |repetitions| tilted(false, repetitions)),
    ("fit objective, shape n=1000 d=23", |repetitions| tilted(true, repetitions)),
    ("laplace noise d=11, 100 times", laplace),
    ("normal noise d=11, 100 times", normal),
    ("mala d=11, 100 steps", mala),
    ("csv n=1000 d=11", csv),
];

fn main() -> Outcome {
    let mut arguments = std::env::args().skip(1);
    let Some(name) = arguments.next() else {
        for (name, _) in WORK {
            println!("{name}");
        }
        return Ok(());
    };
    let repetitions = arguments.next().ok_or("usage: instructions NAME REPETITIONS")?.parse()?;
    let (_, work) = WORK.iter().find(|(known, _)| *known == name).ok_or("there is no such work")?;
    work(repetitions)
}

/// Rows of norm at most 1 and classes that follow the first feature.
fn table(rows: usize, columns: usize) -> (Vec<f64>, Vec<f64>) {
    let mut rng = ReplayRng::new(1);
    let bound = (columns as f64).sqrt();
    let features: Vec<f64> =
        (0..rows * columns).map(|_| (rng.next_u64() >> 11) as f64 / (1_u64 << 53) as f64 / bound).collect();
    let targets = features.chunks(columns).map(|row| if row[0] * bound > 0.5 { 1.0 } else { -1.0 }).collect();
    (features, targets)
}

fn pass(rows: usize, columns: usize, repetitions: u64) -> Outcome {
    let (bounds, (features, targets)) = (Bounds::new(1.0)?, table(rows, columns));
    let records = Records::new(Logistic, bounds.clone(), OutOfBounds::Clip, features, targets)?;
    let objective = Problem::new(Logistic, bounds, columns, 1.0)?.bind(&records)?;
    let (mut workspace, theta) = (objective.workspace(), vec![0.7; columns]);
    for _ in 0..repetitions {
        let _ = black_box(objective.evaluate(black_box(&theta), &mut workspace)?);
    }
    Ok(())
}

fn fit(learner: Learner, repetitions: u64) -> Outcome {
    let (features, targets) = table(1000, 11);
    let bounds = Bounds::new(1.0)?.with_max_rows(10_000)?;
    let records = Records::new(Logistic, bounds, OutOfBounds::Clip, features, targets)?;
    for seed in 0..repetitions {
        black_box(learner.expected_rows(1000).fit(&records, &mut ReplayRng::new(seed))?);
    }
    Ok(())
}

fn posterior(sampler: SamplerKind, repetitions: u64) -> Outcome {
    fit(Learner::new(100.0).epsilon(1.0)?.mechanism(MechanismKind::Posterior).sampler(sampler), repetitions)
}

/// Objective perturbation on 11 numbers and 11 levels with an intercept: with the shape of the rows,
/// or with their norm only.
fn tilted(shaped: bool, repetitions: u64) -> Outcome {
    let (numbers, targets) = table(1000, 11);
    let rows = numbers.chunks(11).enumerate();
    let features = rows.flat_map(|(k, row)| {
        let level = |j: usize| if j == k % 11 { 1.0 } else { 0.0 };
        row.iter().copied().chain((0..11).map(level)).collect::<Vec<f64>>()
    });
    let shape = Shape::new([Block::Cube { columns: 11 }, Block::OneNorm { columns: 11, bound: 1.0 }])?;
    let bounds = if shaped { Bounds::of_shape(shape)? } else { Bounds::new(shape.norm())? };
    let bounds = bounds.with_intercept(true)?.with_max_rows(10_000)?;
    let records = Records::new(Logistic, bounds, OutOfBounds::Clip, features.collect(), targets)?;
    let learner = Learner::new(20.0).epsilon(1.0)?.mechanism(MechanismKind::Objective).expected_rows(1000);
    for seed in 0..repetitions {
        black_box(learner.fit(&records, &mut ReplayRng::new(seed))?);
    }
    Ok(())
}

fn laplace(repetitions: u64) -> Outcome {
    let scale = LaplaceScale::at_least((1_u64 << 40) as f64)?;
    let mut rng = ReplayRng::new(1);
    (0..repetitions * 100 * DIMENSION as u64).for_each(|_| {
        black_box(discrete_laplace(scale, &mut rng));
    });
    Ok(())
}

fn normal(repetitions: u64) -> Outcome {
    let scale = NormalScale::at_least((1_u64 << 40) as f64)?;
    let mut rng = ReplayRng::new(1);
    (0..repetitions * 100 * DIMENSION as u64).for_each(|_| {
        black_box(rounded_normal(scale, &mut rng));
    });
    Ok(())
}

fn mala(repetitions: u64) -> Outcome {
    let (mut rng, mut quadratic) = (ReplayRng::new(1), Quadratic::new());
    let curvature = Everywhere::new(1.0, 2.0).ok_or("no curvature")?;
    let everywhere = Ball::new(vec![0.0; DIMENSION], 1e9)?;
    let chain = Mala::scheduled(0.1, 100 * repetitions, 1, vec![0.0; DIMENSION], &curvature);
    let _ = black_box(chain.sample(&mut quadratic, &everywhere, &mut rng)?);
    Ok(())
}

fn csv(repetitions: u64) -> Outcome {
    let (features, targets) = table(1000, 11);
    let header: String = (0..11).map(|k| format!("x{k},")).collect::<String>() + "y\n";
    let lines = features.chunks(11).zip(&targets);
    let text = lines.fold(header, |text, (row, y)| {
        text + &row.iter().map(|x| format!("{x:.6},")).collect::<String>() + &format!("{y}\n")
    });
    let (options, bounds) = (CsvOptions::new("y"), Bounds::new(1.0)?);
    for _ in 0..repetitions {
        let _ = black_box(read_csv(text.as_bytes(), &options, Logistic, bounds.clone(), OutOfBounds::Clip)?);
    }
    Ok(())
}
