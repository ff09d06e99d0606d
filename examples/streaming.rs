//! A file that does not fit into memory: it is read again for each pass, and the model is the same, bit for bit.
//!
//! `cargo run --release --example streaming`

use asap_dp::data::CsvOptions;
use asap_dp::{Bounds, Learner, Logistic, OutOfBounds, SecureRng, Stream};
use std::fmt::Write;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let path = std::env::temp_dir().join(format!("asap-streaming-{}.csv", std::process::id()));
    let mut text = "a,b,ill\n".to_owned();
    for k in 0..5_000_u32 {
        let (a, b) = (f64::from(k % 83) / 83.0 - 0.5, f64::from(k % 59) / 59.0 - 0.5);
        writeln!(text, "{a},{b},{}", u8::from(a + 0.3 * b > 0.05))?;
    }
    std::fs::write(&path, text)?;

    let bounds = Bounds::new(1.0)?.with_intercept(true)?;
    let records = Stream::open(&path, &CsvOptions::new("ill"), Logistic, bounds, OutOfBounds::Clip)?;
    let release = Learner::auto().epsilon(1.0)?.expected_rows(5_000).fit(&records, &mut SecureRng::new()?)?;
    println!("parameters: {:?}", release.theta());
    std::fs::remove_file(&path)?;
    Ok(())
}
