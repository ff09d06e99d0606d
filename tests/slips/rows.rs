//! Every row is clipped, the 65,537th as well: through fits of which the last rows decide the answer.
//!
//! 65,536 rows (½, ¼) and 4,464 rows (1000, −1000), which are (1, −1) in their bounds: the minimiser is
//! (8192 − 4464)/(16384 + 4464 + Λ) = 0.1787…; unclipped it is next to −1. Sabotage that turns this red: rows from the
//! 65,537th on are taken as they are.

use asap_dp::Learner;
use asap_dp::MechanismKind;
use asap_dp::data::{Bounds, CsvOptions, OutOfBounds, Records, Stream, read_csv};
use asap_dp::loss::Squared;
use asap_dp::noise::ReplayRng;
use std::fmt::Write;

const ROWS: usize = 70_000;
const REGULARISER: f64 = 10.0;

fn row(k: usize) -> (f64, f64) {
    if k < 65_536 { (0.5, 0.25) } else { (1000.0, -1000.0) }
}

fn bounds() -> Bounds {
    Bounds::new(1.0).unwrap().with_target(1.0).unwrap().with_max_rows(100_000).unwrap()
}

fn learner() -> Learner {
    // Next to no noise: only the minimiser is looked at.
    let learner = Learner::new(REGULARISER).mechanism(MechanismKind::Output).parameter_bound(2.0);
    learner.epsilon(1e3).unwrap()
}

fn holds(theta: &[f64], case: &str) {
    let expected = (8192.0 - 4464.0) / (16384.0 + 4464.0 + REGULARISER);
    assert!((theta[0] - expected).abs() < 0.05, "{case}: {theta:?} {expected}");
}

#[test]
fn every_row_is_clipped() {
    let rows: Vec<(f64, f64)> = (0..ROWS).map(row).collect();
    let (features, targets) = rows.iter().copied().unzip();
    let records = Records::new(Squared, bounds(), OutOfBounds::Clip, features, targets).unwrap();
    let fit = |records: &Records<Squared>| learner().fit(records, &mut ReplayRng::new(1)).unwrap();
    holds(fit(&records).theta(), "a list");

    let each = |k: usize, out: &mut [f64]| {
        out[0] = rows[k].0;
        rows[k].1
    };
    let records = Records::from_rows(Squared, bounds(), OutOfBounds::Clip, 1, ROWS, each).unwrap();
    holds(fit(&records).theta(), "row by row");

    let mut text = "x,y\n".to_owned();
    for (x, y) in &rows {
        writeln!(text, "{x},{y}").unwrap();
    }
    let options = CsvOptions::new("y");
    let (records, _) = read_csv(text.as_bytes(), &options, Squared, bounds(), OutOfBounds::Clip).unwrap();
    holds(fit(&records).theta(), "CSV");

    let path = std::env::temp_dir().join(format!("asap-rows-{}.csv", std::process::id()));
    std::fs::write(&path, text).unwrap();
    let stream = Stream::open(&path, &options, Squared, bounds(), OutOfBounds::Clip).unwrap();
    let released = learner().fit(&stream, &mut ReplayRng::new(1)).unwrap();
    std::fs::remove_file(&path).unwrap();
    holds(released.theta(), "a stream");
}
