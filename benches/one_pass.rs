//! Times the logistic objective on request: the partner of `against_numpy.py`.
//!
//! `one_pass FILE` reads `n d x… y… θ…` (little-endian `f64`) from the file and prints the value and the
//! gradient at θ. Then, for every line with a number k on the standard input, it makes k evaluations and prints
//! the seconds of the fastest.

use asap_dp::data::{Bounds, OutOfBounds, Records};
use asap_dp::loss::Logistic;
use asap_dp::problem::Problem;
use std::error::Error;
use std::hint::black_box;
use std::io::{BufRead, Write};
use std::time::Instant;

const REGULARISER: f64 = 1.0;

fn main() -> Result<(), Box<dyn Error>> {
    let file = std::env::args().nth(1).ok_or("usage: one_pass FILE")?;
    let bytes = std::fs::read(file)?;
    let numbers: Vec<f64> = bytes.as_chunks::<8>().0.iter().map(|b| f64::from_le_bytes(*b)).collect();
    let [n, d, rest @ ..] = numbers.as_slice() else { return Err("the file is too short".into()) };
    let (n, d) = (whole(*n)?, whole(*d)?);
    let (features, rest) = rest.split_at(n * d);
    let (targets, theta) = rest.split_at(n);

    let bounds = Bounds::new(1.0)?;
    let records = Records::new(Logistic, bounds, OutOfBounds::Refuse, features.to_vec(), targets.to_vec())?;
    let problem = Problem::new(Logistic, bounds, d, REGULARISER)?;
    let objective = problem.bind(&records)?;
    let mut workspace = objective.workspace();

    let value = objective.evaluate(theta, &mut workspace)?.reveal_breaking_privacy();
    print!("{value:e}");
    for entry in workspace.private_gradient().reveal_breaking_privacy() {
        print!(" {entry:e}");
    }
    println!();
    for line in std::io::stdin().lock().lines() {
        let mut fastest = f64::INFINITY;
        for _ in 0..line?.trim().parse::<usize>()? {
            let start = Instant::now();
            let _ = black_box(objective.evaluate(black_box(theta), &mut workspace)?);
            fastest = fastest.min(start.elapsed().as_secs_f64());
        }
        println!("{fastest:e}");
        std::io::stdout().flush()?;
    }
    Ok(())
}

/// A size that was stored as a floating-point number.
fn whole(x: f64) -> Result<usize, Box<dyn Error>> {
    Ok(format!("{x}").parse()?)
}
