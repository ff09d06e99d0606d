//! Times whole private fits of the posterior mechanism on request: the partner of `against_sklearn.py`.
//!
//! `one_fit FILE Λ μ` reads `n d x… y…` (little-endian `f64`) from the file. Then, for every line on the standard input, it
//! makes one fit from memory and prints its seconds and the parameters. The records are public, and the seed is known.

use asap_dp::{Bounds, Learner, Logistic, MechanismKind, OutOfBounds, Records, ReplayRng};
use std::error::Error;
use std::io::{BufRead, Write};
use std::time::Instant;

fn main() -> Result<(), Box<dyn Error>> {
    let [file, regulariser, mu] = std::env::args()
        .skip(1)
        .collect::<Vec<_>>()
        .try_into()
        .map_err(|_| "usage: one_fit FILE LAMBDA MU")?;
    let bytes = std::fs::read(file)?;
    let numbers: Vec<f64> = bytes.as_chunks::<8>().0.iter().map(|b| f64::from_le_bytes(*b)).collect();
    let [n, d, rest @ ..] = numbers.as_slice() else { return Err("the file is too short".into()) };
    let (rows, dimension): (usize, usize) = (format!("{n}").parse()?, format!("{d}").parse()?);
    let (features, targets) = rest.split_at(rows * dimension);
    let bounds = Bounds::new(1.0)?;
    let records = Records::new(Logistic, bounds, OutOfBounds::Clip, features.to_vec(), targets.to_vec())?;
    // By name: the most accurate mechanism under GDP may take ten times as many passes.
    let learner = Learner::new(regulariser.parse()?)
        .mechanism(MechanismKind::Posterior)
        .mu(mu.parse()?)?
        .expected_rows(rows as u64);
    for (seed, line) in (0..).zip(std::io::stdin().lock().lines()) {
        line?;
        let start = Instant::now();
        let release = learner.fit(&records, &mut ReplayRng::new(seed))?;
        print!("{:e}", start.elapsed().as_secs_f64());
        release.theta().iter().for_each(|x| print!(" {x:e}"));
        println!();
        std::io::stdout().flush()?;
    }
    Ok(())
}
