//! Cost of one evaluation of the objective: `cargo bench -p asap-benches [-- NAME]`, the median of runs and
//! the middle half of them.
#![allow(clippy::expect_used, reason = "a benchmark may stop")]

use asap_dp::data::{Bounds, OutOfBounds, Records};
use asap_dp::loss::{Huber, Logistic, Loss, Squared};
use asap_dp::objective::Objective;
use asap_dp::problem::Problem;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::hint::black_box;
use std::time::{Duration, Instant};

/// Times one piece of work for two seconds, if its name contains what was asked for.
fn measure<T>(name: &str, mut work: impl FnMut() -> T) {
    // Cargo adds `--bench`.
    let asked: Vec<String> = std::env::args().skip(1).filter(|word| !word.starts_with('-')).collect();
    if !asked.is_empty() && !asked.iter().any(|word| name.contains(word)) {
        return;
    }
    let start = Instant::now();
    let mut times: Vec<Duration> = Vec::new();
    while times.len() < 10 || start.elapsed() < Duration::from_secs(2) {
        let start = Instant::now();
        black_box(work());
        times.push(start.elapsed());
    }
    times.sort_unstable();
    let [low, median, high] = [1, 2, 3].map(|quarter| times[times.len() * quarter / 4]);
    println!("{name}: {median:.2?} (half of {} runs between {low:.2?} and {high:.2?})", times.len());
}

/// J with Λ = 1.
fn bound<L: Loss>(records: &Records<L>) -> Objective<'_, Records<L>> {
    let problem = Problem::new(*records.loss(), records.bounds().clone(), records.dimension(), 1.0);
    problem.expect("a valid regulariser").bind(records).expect("records of this problem")
}

fn records<L: Loss>(loss: L, rows: usize, columns: usize) -> Records<L> {
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    let features = (0..rows * columns).map(|_| rng.random_range(-1.0..1.0)).collect();
    let targets = (0..rows).map(|_| if rng.random_bool(0.5) { 1.0 } else { -1.0 }).collect();
    let bounds = Bounds::new((columns as f64).sqrt())
        .and_then(|bounds| bounds.with_target(1.0))
        .expect("valid bounds");
    Records::new(loss, bounds, OutOfBounds::Clip, features, targets).expect("admissible records")
}

fn theta(columns: usize) -> Vec<f64> {
    (0..columns).map(|j| ((j * 37 % 19) as f64 - 9.0) / 19.0).collect()
}

fn value_and_gradient<L: Loss>(name: &str, loss: L, rows: usize, columns: usize) {
    let records = records(loss, rows, columns);
    let objective = bound(&records);
    let (theta, mut workspace) = (theta(columns), objective.workspace());
    measure(name, || objective.evaluate(black_box(&theta), &mut workspace));
}

fn evaluations() {
    value_and_gradient("logistic n=50000 d=50", Logistic, 50_000, 50);
    value_and_gradient("logistic n=5000 d=11", Logistic, 5_000, 11);
    value_and_gradient("squared n=50000 d=50", Squared, 50_000, 50);
}

/// The divergence pass, which makes two predictions for each record where the gradient adds a row to a sum.
fn divergence<L: Loss>(name: &str, loss: L, rows: usize, columns: usize) {
    let records = records(loss, rows, columns);
    let objective = bound(&records);
    let (theta, mut workspace) = (theta(columns), objective.workspace());
    let v: Vec<f64> = theta.iter().rev().map(|x| 0.3 * x).collect();
    measure(name, || objective.evaluate_divergence(black_box(&theta), black_box(&v), &mut workspace));
}

/// The sums over the records beside each other: the pass of a gradient and the pass of a divergence.
fn passes() {
    let huber = Huber::new(0.5).expect("a valid shape");
    for columns in [50, 11] {
        let name = |loss: &str, pass: &str| format!("{loss} n=50000 d={columns}: {pass}");
        let (value, difference) = ("value and gradient", "divergence");
        value_and_gradient(&name("logistic", value), Logistic, 50_000, columns);
        divergence(&name("logistic", difference), Logistic, 50_000, columns);
        value_and_gradient(&name("huber", value), huber, 50_000, columns);
        divergence(&name("huber", difference), huber, 50_000, columns);
    }
}

/// The loss alone on the predictions of a strip, as often as in a pass over 50,000 records.
fn strips() {
    const STRIP: usize = 64;
    let numbers = |scale: f64| -> Vec<f64> {
        let mut rng = ChaCha8Rng::seed_from_u64(2);
        (0..50_048).map(|_| scale * rng.random_range(-1.0..1.0)).collect()
    };
    let (z, t) = (numbers(5.0), numbers(1.0));
    let y = vec![1.0; STRIP];
    let mut buffer = [0.0; STRIP];
    measure("strips of 50000 logistic losses: values and slopes", || {
        let strips = z.as_chunks::<STRIP>().0.iter();
        strips.fold(0.0, |sum, z| {
            buffer = *z;
            sum + Logistic.values_and_slopes(black_box(&mut buffer), black_box(&y))
        })
    });
    measure("strips of 50000 logistic losses: divergences", || {
        let strips = z.as_chunks::<STRIP>().0.iter().zip(t.as_chunks::<STRIP>().0);
        strips.fold(0.0, |sum, (z, t)| sum + Logistic.divergences(black_box(z), black_box(t), black_box(&y)))
    });
}

fn hessian() {
    let records = records(Logistic, 5_000, 50);
    let objective = bound(&records);
    let theta = theta(50);
    measure("hessian n=5000 d=50", || objective.evaluate_hessian(black_box(&theta)));
}

/// The pass over the records that the sufficient statistics of least squares cost once.
fn statistics() {
    let records = records(Squared, 5_000, 50);
    measure("statistics n=5000 d=50", || bound(black_box(&records)).dimension());
}

fn main() {
    evaluations();
    passes();
    strips();
    hessian();
    statistics();
}
