//! A private logistic regression, start to end, on synthetic (hence public) records.
//!
//! `cargo run --release --example fit`

use asap_dp::data::{Bounds, OutOfBounds, Records};
use asap_dp::learner::Learner;
use asap_dp::loss::Logistic;
use asap_dp::model::Model;
use asap_dp::noise::{RandomBits, ReplayRng, SecureRng};
use asap_dp::objective::Objective;
use asap_dp::optimize::Minimiser;

const ROWS: usize = 5000;
const DIMENSION: usize = 11;
const REGULARISER: f64 = 5.0;

/// Rows uniform in a cube inside the unit ball; labels by a fixed direction, one in ten flipped.
fn synthetic() -> (Vec<f64>, Vec<f64>) {
    let mut rng = ReplayRng::new(1);
    let mut uniform = || (rng.next_u64() >> 11) as f64 / (1_u64 << 53) as f64;
    let half = 1.0 / (DIMENSION as f64).sqrt();
    let mut features = Vec::with_capacity(ROWS * DIMENSION);
    let mut targets = Vec::with_capacity(ROWS);
    for _ in 0..ROWS {
        let row: Vec<f64> = (0..DIMENSION).map(|_| half * (2.0 * uniform() - 1.0)).collect();
        let positive = row[0] - row[1] + 0.5 * row[2] > 0.0;
        targets.push(if positive == (uniform() < 0.9) { 1.0 } else { -1.0 });
        features.extend(row);
    }
    (features, targets)
}

fn main() -> Result<(), asap_dp::Error> {
    let (features, targets) = synthetic();
    let bounds = Bounds::new(1.0)?;
    let records = Records::new(Logistic, bounds, OutOfBounds::Clip, features, targets)?;

    // The records are synthetic, so their objective may be shown. With real records none of this leaves.
    let objective = Objective::new(&records, REGULARISER)?;
    let mut workspace = objective.workspace();
    let mut risk = |theta: &[f64]| {
        objective.evaluate(theta, &mut workspace).map(asap_dp::private::Private::reveal_breaking_privacy)
    };
    let model = Model::new(Logistic, bounds, DIMENSION, REGULARISER)?;
    let best = Minimiser::new(&model)?.run(&objective, &model)?.reveal_breaking_privacy();
    let least = risk(&best)?;

    println!("{:<24} {:<12} excess risk (of {least:.1})", "method", "guarantee");
    let learners = [
        ("pure", Learner::new(REGULARISER).epsilon(1.0)?, "1-DP"),
        ("Gaussian", Learner::new(REGULARISER).mu(1.0)?, "1-GDP"),
    ];
    for (name, learner, guarantee) in learners {
        let release = learner.fit(&records, &mut SecureRng::new()?)?;
        let checked = release.certificate().check()?;
        println!(
            "{name:<24} {guarantee:<12} {:.1}, {} clauses checked",
            risk(release.theta())? - least,
            checked.len()
        );
    }
    Ok(())
}
