//! One objective-perturbation fit beside a textbook one: seconds of both, their ratio, and the passes of ours.
//!
//! `cargo run --release -p asap-benches --example objective_fit [ROWS] [FITS]`: logistic loss, rows on the sphere,
//! d = 11, Λ = 5, ε = 1. The textbook version draws f64 noise and runs Newton's method with a full Hessian until the
//! gradient is below 10⁻⁹; it is not private. The records are public and the seeds known.

use asap_dp::noise::{RandomBits, fill_normal};
use asap_dp::{Bounds, Learner, Logistic, Loss, MechanismKind, OutOfBounds, Records, ReplayRng};
use nalgebra::{DMatrix, DVector};
use std::error::Error;
use std::time::Instant;

const DIMENSION: usize = 11;
const REGULARISER: f64 = 5.0;

fn textbook(features: &[f64], targets: &[f64], b: &[f64]) -> Option<Vec<f64>> {
    let mut theta = DVector::from_element(DIMENSION, 0.0);
    for _ in 0..50 {
        let mut gradient = &theta * REGULARISER + DVector::from_column_slice(b);
        let mut hessian = DMatrix::from_diagonal_element(DIMENSION, DIMENSION, REGULARISER);
        for (row, y) in features.chunks_exact(DIMENSION).zip(targets) {
            let z: f64 = row.iter().zip(theta.iter()).map(|(x, t)| x * t).sum();
            let (slope, bend) = (Logistic.slope(z, *y), Logistic.curvature(z, *y));
            for (j, x) in row.iter().enumerate() {
                gradient[j] += slope * x;
                for (k, other) in row.iter().enumerate().skip(j) {
                    hessian[(k, j)] += bend * x * other;
                }
            }
        }
        if gradient.norm() < 1e-9 {
            break;
        }
        theta -= hessian.cholesky()?.solve(&gradient);
    }
    Some(theta.as_slice().to_vec())
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let rows: usize = arguments.next().map_or(Ok(5000), |text| text.parse())?;
    let fits: u64 = arguments.next().map_or(Ok(21), |text| text.parse())?;
    let mut rng = ReplayRng::new(1);
    let (mut features, mut targets) = (Vec::new(), Vec::new());
    let mut normal = [0.0; DIMENSION];
    for _ in 0..rows {
        fill_normal(&mut normal, &mut rng);
        let length = normal.iter().map(|x| x * x).sum::<f64>().sqrt() * (1.0 + 1e-12);
        features.extend(normal.iter().map(|x| x / length));
        let coin = (rng.next_u64() >> 11) as f64 / (1_u64 << 53) as f64;
        targets.push(if coin < 1.0 / (1.0 + (-2.0 * normal[0] / length).exp()) { 1.0 } else { -1.0 });
    }
    let bounds = Bounds::new(1.0)?;
    let records = Records::new(Logistic, bounds, OutOfBounds::Refuse, features.clone(), targets.clone())?;
    let learner = Learner::new(REGULARISER)
        .epsilon(1.0)?
        .mechanism(MechanismKind::Objective)
        .expected_rows(rows as u64);
    let (mut ours, mut plain, mut passes, mut matrices) = (Vec::new(), Vec::new(), 0.0, 0.0);
    for seed in 0..fits {
        let start = Instant::now();
        let (_, cost) = learner.fit_measured(&records, &mut ReplayRng::new(seed))?;
        ours.push(start.elapsed().as_secs_f64());
        let cost = cost.reveal_breaking_privacy();
        passes += cost.passes as f64 / fits as f64;
        matrices += cost.matrices / fits as f64;
        let mut b = [0.0; DIMENSION];
        fill_normal(&mut b, &mut rng);
        let length = b.iter().map(|x| x * x).sum::<f64>().sqrt();
        for x in &mut b {
            *x *= DIMENSION as f64 / length;
        }
        let start = Instant::now();
        textbook(&features, &targets, &b).ok_or("no Cholesky factor")?;
        plain.push(start.elapsed().as_secs_f64());
    }
    let median = |times: &mut Vec<f64>| {
        times.sort_by(f64::total_cmp);
        times[times.len() / 2]
    };
    let (ours, plain) = (median(&mut ours), median(&mut plain));
    println!(
        "{rows} rows: {ours:.3e} s with {passes:.1} passes and {matrices:.2} matrices; textbook {plain:.3e} s"
    );
    println!("ratio {:.2}", ours / plain);
    Ok(())
}
