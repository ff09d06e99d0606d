//! What the recipient of a release does: read it, check it, apply it. No record is needed.
//!
//! `cargo run --release --example check -- release.json`; without a file it makes a release first.

use asap_dp::{Bounds, Learner, Logistic, OutOfBounds, Records, Release, SecureRng};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let text = match std::env::args().nth(1) {
        Some(path) => std::fs::read_to_string(path)?,
        None => made()?,
    };
    let release = Release::from_json(&text)?;
    let verdict = release.check()?;
    let certificate = release.certificate();
    println!("guarantee: {:?}, {:?} neighbours", certificate.ledger.total, certificate.neighbours);
    println!("holds: {} clauses; private: {}", verdict.checked.len(), release.is_private());
    for clause in verdict.checked.iter().take(5) {
        println!("  {} ({})", clause.clause, clause.spec);
    }
    for assumed in &verdict.assumed {
        println!("assumed: {}", assumed.why);
    }
    // A single digit that is edited is noticed.
    let edited = text.replacen("\"max_rows\": 1", "\"max_rows\": 2", 1);
    if edited != text {
        let refused = Release::from_json(&edited).and_then(|release| release.check()).is_err();
        println!("an edited copy is refused: {refused}");
    }
    Ok(())
}

fn made() -> Result<String, Box<dyn std::error::Error>> {
    let features: Vec<f64> = (0..4_000_u32).map(|k| f64::from(k % 83) / 83.0 - 0.5).collect();
    let classes = features.chunks_exact(2).map(|row| f64::from(u8::from(row[0] > row[1]))).collect();
    let records = Records::new(Logistic, Bounds::new(1.0)?, OutOfBounds::Clip, features, classes)?;
    let release = Learner::auto().epsilon(1.0)?.expected_rows(2_000).fit(&records, &mut SecureRng::new()?)?;
    Ok(release.to_json())
}
