//! What fits of public synthetic records cost: `cargo run --release -p asap-benches --example passes`.
//!
//! Logistic regression, 5000 rows on the unit sphere in 11 dimensions, Λ = 5. A pass is one evaluation of the
//! objective (value, gradient or divergence); a matrix counts d/2 passes, and one with mapped rows d (its
//! floating-point operations).

use asap_dp::noise::RandomBits;
use asap_dp::{Bounds, Learner, Logistic, MechanismKind, OutOfBounds, Records, ReplayRng, SamplerKind};
use std::error::Error;

const ROWS: usize = 5000;
const DIMENSION: usize = 11;
const FITS: u64 = 50;

fn main() -> Result<(), Box<dyn Error>> {
    let records = records()?;
    let sampler = match std::env::args().nth(1).as_deref() {
        Some("proximal") => SamplerKind::Proximal,
        _ => SamplerKind::Exact,
    };
    let learner =
        Learner::new(5.0).mechanism(MechanismKind::Posterior).expected_rows(ROWS as u64).sampler(sampler);
    for (name, learner) in [("mu = 1", learner.mu(1.0)?), ("epsilon = 1", learner.epsilon(1.0)?)] {
        let mut equivalents = Vec::new();
        let (mut fallbacks, mut seconds) = (0, Vec::new());
        for seed in 0..FITS {
            let start = std::time::Instant::now();
            let (_, cost) = learner.fit_measured(&records, &mut ReplayRng::new(seed))?;
            seconds.push(start.elapsed().as_secs_f64());
            // Allowed: these records are public.
            let cost = cost.reveal_breaking_privacy();
            equivalents.push(cost.passes as f64 + 0.5 * cost.matrices * DIMENSION as f64);
            fallbacks += u32::from(cost.fell_back);
        }
        equivalents.sort_by(f64::total_cmp);
        seconds.sort_by(f64::total_cmp);
        println!(
            "{name}: {:.0} pass-equivalents in the median of {FITS} fits, {:.0} to {:.0}; {fallbacks} fell back; {:.1} ms in the median",
            equivalents[equivalents.len() / 2],
            equivalents[0],
            equivalents[equivalents.len() - 1],
            1e3 * seconds[seconds.len() / 2]
        );
    }
    Ok(())
}

/// Rows on the unit sphere, classes from a logistic model with a parameter of norm 6.
fn records() -> Result<Records<Logistic>, Box<dyn Error>> {
    let mut rng = ReplayRng::new(17);
    let mut uniform = || (rng.next_u64() >> 11) as f64 / (1_u64 << 53) as f64;
    let (mut features, mut targets) = (Vec::new(), Vec::new());
    for _ in 0..ROWS {
        let row: Vec<f64> = (0..DIMENSION).map(|_| (0..12).map(|_| uniform()).sum::<f64>() - 6.0).collect();
        let norm = row.iter().map(|a| a * a).sum::<f64>().sqrt();
        let chance = 1.0 / (1.0 + (-6.0 * row[0] / norm).exp());
        targets.push(if uniform() < chance { 1.0 } else { -1.0 });
        features.extend(row.iter().map(|a| a / norm));
    }
    let bounds = Bounds::new(1.0)?.with_max_rows(100_000)?;
    Ok(Records::new(Logistic, bounds, OutOfBounds::Clip, features, targets)?)
}
