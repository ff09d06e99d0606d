//! Rows that are held by others, and a transport of your own: here threads, in earnest machines of the same curator.
//! Questions and answers are bytes; the model is, bit for bit, that of all rows in one place.
//!
//! `cargo run --release --example transport`

use asap_dp::data::Unavailable;
use asap_dp::objective::{Request, Shard, Shards, Transport, shard_starts};
use asap_dp::{Bounds, Learner, Logistic, OutOfBounds, SecureRng};
use std::thread;

/// A thread for each question.
struct Threads {
    shards: Vec<Shard<Logistic>>,
}

impl Transport for Threads {
    fn exchange(&self, requests: &[Request]) -> Result<Vec<Vec<u8>>, Unavailable> {
        thread::scope(|scope| {
            let asked: Vec<_> = requests
                .iter()
                .map(|request| scope.spawn(|| self.shards.get(request.shard)?.answer(&request.bytes).ok()))
                .collect();
            // One that is lost may be asked again, or makes the fit unavailable: nothing is released then.
            asked.into_iter().map(|answer| answer.join().ok().flatten().ok_or(Unavailable)).collect()
        })
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    const ROWS: usize = 20_000;
    let row = |k: usize| [(k % 83) as f64 / 83.0 - 0.5, (k % 59) as f64 / 59.0 - 0.5];
    let class = |k: usize| f64::from(u8::from(row(k)[0] > 0.1));
    let bounds = Bounds::new(1.0)?;

    let starts = shard_starts(ROWS, 2);
    let ends = starts.iter().skip(1).copied().chain([ROWS]);
    let mut shards = Vec::new();
    for (first, end) in starts.iter().copied().zip(ends) {
        let (features, classes) = ((first..end).flat_map(row).collect(), (first..end).map(class).collect());
        shards.push(Shard::new(Logistic, bounds.clone(), OutOfBounds::Clip, 2, first, features, classes)?);
    }
    let cards: Vec<Vec<u8>> = shards.iter().map(Shard::card).collect();
    println!("{} shards", cards.len());
    let records = Shards::new(Logistic, bounds, &cards, Threads { shards })?;
    let learner = Learner::auto().epsilon(1.0)?.expected_rows(ROWS as u64);
    println!("parameters: {:?}", learner.fit(&records, &mut SecureRng::new()?)?.theta());
    Ok(())
}
