//! Which mutant runs, written into every instrumented crate: `MUTANT=site.choice` in the environment chooses it; with
//! `MUTANT_REACHED=FILE` every site that is met for the first time is written there instead.

use std::io::Write;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// Site and choice; all ones before the environment was read, `RECORD` while sites are written down.
static MODE: AtomicU64 = AtomicU64::new(u64::MAX);
const RECORD: u64 = u64::MAX - 1;
static MET: [AtomicBool; 1 << 16] = [const { AtomicBool::new(false) }; 1 << 16];
static FILE: OnceLock<std::fs::File> = OnceLock::new();

#[inline]
pub(crate) fn which(site: u32) -> u8 {
    let mode = MODE.load(Ordering::Relaxed);
    if mode >> 8 == site as u64 {
        mode as u8
    } else if mode >= RECORD {
        slow(site)
    } else {
        0
    }
}

#[inline(never)]
fn slow(site: u32) -> u8 {
    if MODE.load(Ordering::Relaxed) == u64::MAX {
        let mode = if let Ok(path) = std::env::var("MUTANT_REACHED") {
            let open = || std::fs::OpenOptions::new().create(true).append(true).open(path).unwrap();
            FILE.get_or_init(open);
            RECORD
        } else {
            let chosen = std::env::var("MUTANT").unwrap_or("16777215.0".to_owned());
            let (site, choice) = chosen.split_once('.').unwrap();
            site.parse::<u64>().unwrap() << 8 | choice.parse::<u64>().unwrap()
        };
        MODE.store(mode, Ordering::Relaxed);
        return which(site);
    }
    let known = &MET[site as usize];
    if !known.load(Ordering::Relaxed) && !known.swap(true, Ordering::Relaxed) {
        FILE.get().unwrap().write_all(format!("{site}\n").as_bytes()).unwrap();
    }
    0
}
