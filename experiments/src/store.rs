//! Finished cells, each in a file of its own that is there completely or not at all.

use crate::error::ExperimentError;
use serde::{Deserialize, Serialize};
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// The hash of nothing (FNV-1a).
pub const EMPTY: u64 = 0xcbf2_9ce4_8422_2325;

/// Takes more bytes into a hash. It only names files; what a file is for stands in it and is compared.
pub fn fold(hash: u64, bytes: &[u8]) -> u64 {
    bytes.iter().fold(hash, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3))
}

/// What was measured in a cell.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Measured {
    /// Excess risk of each run.
    pub excess: Vec<f64>,
    /// Numbers worth knowing.
    pub notes: String,
}

/// What became of a cell.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum CellOutcome {
    /// It ran.
    Measured(Measured),
    /// It cannot run in its setting, and why.
    Refused(String),
}

#[derive(Serialize, Deserialize)]
struct Stored {
    key: String,
    outcome: CellOutcome,
}

/// The folder of a study.
pub struct Store {
    folder: PathBuf,
}

/// Whoever finds this file may go on here.
const MARKER: &str = "made-by-asap-reproduce.txt";
const MARKED: &str = "Results of asap reproduce, from public records. Nothing in this folder is private.\n";
const CELLS: &str = "cells";

impl Store {
    /// Makes a new folder, or goes on in one that was made like this. Any other that is not empty is refused.
    pub fn open(folder: &Path) -> Result<Self, ExperimentError> {
        let failed = |error| ExperimentError::Output { path: folder.to_owned(), error };
        let cells = folder.join(CELLS);
        if !folder.join(MARKER).is_file() {
            if fs::read_dir(folder).is_ok_and(|mut entries| entries.next().is_some()) {
                return Err(ExperimentError::NotOurs { path: folder.to_owned() });
            }
            fs::create_dir_all(folder).map_err(failed)?;
            write_whole(&folder.join(MARKER), MARKED).map_err(failed)?;
        }
        fs::create_dir_all(&cells).map_err(failed)?;
        Ok(Self { folder: folder.to_owned() })
    }

    fn path(&self, key: &str) -> PathBuf {
        self.folder.join(CELLS).join(format!("{:016x}.json", fold(EMPTY, key.as_bytes())))
    }

    /// What was stored for a key. A file that is damaged, or is for another key, counts as none.
    pub fn load(&self, key: &str) -> Option<CellOutcome> {
        let text = fs::read_to_string(self.path(key)).ok()?;
        let stored: Stored = serde_json::from_str(&text).ok()?;
        (stored.key == key).then_some(stored.outcome)
    }

    /// Keeps an outcome.
    pub fn save(&self, key: &str, outcome: &CellOutcome) -> Result<(), ExperimentError> {
        let path = self.path(key);
        let stored = Stored { key: key.to_owned(), outcome: outcome.clone() };
        let text = serde_json::to_string_pretty(&stored).map_err(io::Error::from);
        text.and_then(|text| write_whole(&path, &text))
            .map_err(|error| ExperimentError::Output { path, error })
    }
}

/// Under a temporary name first: an interrupt leaves nothing half-written under the real one.
fn write_whole(path: &Path, text: &str) -> io::Result<()> {
    let temporary = path.with_extension("tmp");
    let mut file = File::create(&temporary)?;
    file.write_all(text.as_bytes())?;
    file.sync_all()?;
    fs::rename(&temporary, path)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder(name: &str) -> PathBuf {
        let path = std::env::temp_dir().join(format!("asap-experiments-{}-{name}", std::process::id()));
        let _ = fs::remove_dir_all(&path);
        path
    }

    #[test]
    fn what_is_kept_comes_back_and_what_is_damaged_does_not() {
        let path = folder("store");
        let store = Store::open(&path).unwrap();
        let outcome =
            CellOutcome::Measured(Measured { excess: vec![0.1, f64::MIN_POSITIVE], notes: "κ".to_owned() });
        assert_eq!(store.load("a"), None);
        store.save("a", &outcome).unwrap();
        store.save("b", &CellOutcome::Refused("too long".to_owned())).unwrap();
        let again = Store::open(&path).unwrap();
        assert_eq!(again.load("a"), Some(outcome));
        assert_eq!(again.load("b"), Some(CellOutcome::Refused("too long".to_owned())));
        // Another key's content under this key's name, and half a file.
        fs::copy(again.path("a"), again.path("c")).unwrap();
        assert_eq!(again.load("c"), None);
        let text = fs::read_to_string(again.path("a")).unwrap();
        fs::write(again.path("a"), &text[..text.len() / 2]).unwrap();
        assert_eq!(again.load("a"), None);
        fs::remove_dir_all(&path).unwrap();
    }

    #[test]
    fn a_folder_of_somebody_else_is_refused_and_left_alone() {
        let path = folder("foreign");
        fs::create_dir_all(&path).unwrap();
        Store::open(&path).unwrap();
        fs::remove_file(path.join(MARKER)).unwrap();
        assert!(matches!(Store::open(&path), Err(ExperimentError::NotOurs { .. })));
        assert!(!path.join(MARKER).exists());
        fs::remove_dir_all(&path).unwrap();
    }

    /// The published test value of FNV-1a: "a".
    #[test]
    fn the_hash_is_fnv() {
        assert_eq!(fold(EMPTY, b"a"), 0xaf63_dc4c_8601_ec8c);
    }
}
