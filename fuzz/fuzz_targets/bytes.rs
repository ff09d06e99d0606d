//! How much a target has been fed: a line on standard error for every 2²⁴ bytes.

use std::sync::atomic::{AtomicU64, Ordering};

static BYTES: AtomicU64 = AtomicU64::new(0);

pub fn count(data: &[u8]) {
    let before = BYTES.fetch_add(data.len() as u64, Ordering::Relaxed);
    let after = before + data.len() as u64;
    if before >> 24 != after >> 24 {
        eprintln!("fed: {after} bytes");
    }
}
