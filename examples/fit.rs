//! A private model of a table in memory: plan, fit, check.
//!
//! `cargo run --release --example fit`

use asap_dp::{Bounds, Learner, Logistic, OutOfBounds, Records, SecureRng};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    // Two features a row, and a class. In earnest this is your table.
    let (mut features, mut classes) = (Vec::new(), Vec::new());
    for k in 0..5_000_u32 {
        let (a, b) = (f64::from(k % 83) / 83.0 - 0.5, f64::from(k % 59) / 59.0 - 0.5);
        features.extend([a, b]);
        classes.push(f64::from(u8::from(a + 0.3 * b > 0.05)));
    }

    // Public: chosen without looking at the records. Rows longer than 1 are shortened to it.
    let bounds = Bounds::new(1.0)?.with_intercept(true)?;
    let records = Records::new(Logistic, bounds.clone(), OutOfBounds::Clip, features, classes)?;

    // The plan needs no records: it says what will run.
    let learner = Learner::auto().epsilon(1.0)?.expected_rows(5_000);
    let problem = learner.problem(Logistic, bounds, records.dimension())?;
    println!("mechanism: {}", learner.plan(&problem)?.kind().name());

    let release = learner.fit(&records, &mut SecureRng::new()?)?;
    println!("parameters: {:?}", release.theta());
    println!("clauses that hold: {}", release.check()?.checked.len());
    Ok(())
}
