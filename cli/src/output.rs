//! Files that are there completely or not at all.
//!
//! A file is written under a temporary name in its own folder, synchronised, and renamed. An interrupt removes the
//! temporary file. Targets that are no regular files (a device, a pipe) are written directly.

use crate::failure::Failure;
use crate::terminal;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The temporary file that exists now. Whoever holds the lock decides what becomes of it.
static UNFINISHED: Mutex<Option<PathBuf>> = Mutex::new(None);

fn unfinished() -> MutexGuard<'static, Option<PathBuf>> {
    UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Makes Ctrl-C, and a polite request to end, remove the temporary file.
pub(crate) fn clean_up_when_interrupted() -> Result<(), Failure> {
    ctrlc::set_handler(|| {
        // The lock is never given back: nothing is renamed after this.
        let temporary = unfinished();
        if let Some(path) = temporary.as_deref() {
            let _ = fs::remove_file(path);
        }
        process::exit(130);
    })
    .map_err(|_| Failure::Internal)
}

/// A place where an output can go.
pub(crate) enum Target {
    /// Standard output.
    Stdout,
    /// A device or a pipe.
    Special(PathBuf),
    /// A regular file, there or not yet.
    Regular(PathBuf),
}

impl Target {
    /// Finds out, before any work is done, whether a file can be created there.
    pub(crate) fn probe(path: &Path) -> Result<Self, Failure> {
        if path == Path::new("-") {
            return Ok(Self::Stdout);
        }
        let failed = |error| Failure::Output { path: path.to_owned(), error };
        // A link stays a link: what it points to is replaced.
        let path = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
        match fs::metadata(&path) {
            Ok(found) if found.is_dir() => Err(failed(io::ErrorKind::IsADirectory.into())),
            Ok(found) if !found.is_file() => Ok(Self::Special(path)),
            Ok(found) if found.permissions().readonly() => {
                Err(failed(io::ErrorKind::PermissionDenied.into()))
            }
            _ => {
                let probe = Temporary::create(&path).map_err(failed)?;
                drop(probe);
                Ok(Self::Regular(path))
            }
        }
    }

    /// Writes the whole content, or leaves what was there.
    pub(crate) fn write(&self, content: &str) -> Result<(), Failure> {
        let (path, written) = match self {
            Self::Stdout => return terminal::print(content),
            Self::Special(path) => (path, write_directly(path, content)),
            Self::Regular(path) => (path, write_atomically(path, content)),
        };
        written.map_err(|error| Failure::Output { path: path.clone(), error })
    }
}

fn write_directly(path: &Path, content: &str) -> io::Result<()> {
    let mut file = OpenOptions::new().write(true).open(path)?;
    file.write_all(content.as_bytes())?;
    file.flush()
}

fn write_atomically(path: &Path, content: &str) -> io::Result<()> {
    let mut temporary = Temporary::create(path)?;
    temporary.file.write_all(content.as_bytes())?;
    temporary.finish(path)?;
    // So that the new name survives a power failure; not every file system can.
    if let Ok(folder) = File::open(folder_of(path)) {
        let _ = folder.sync_all();
    }
    Ok(())
}

fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// A file under a temporary name, which is removed unless it is renamed.
struct Temporary {
    file: File,
}

impl Temporary {
    fn create(target: &Path) -> io::Result<Self> {
        let name = target.file_name().ok_or(io::ErrorKind::InvalidInput)?.to_string_lossy();
        let path = folder_of(target).join(format!(".{name}.{}.tmp", process::id()));
        let mut registered = unfinished();
        let file = OpenOptions::new().write(true).create_new(true).open(&path)?;
        *registered = Some(path);
        Ok(Self { file })
    }

    /// Makes the content last, then gives it its name.
    fn finish(self, target: &Path) -> io::Result<()> {
        self.file.sync_all()?;
        let mut registered = unfinished();
        if let Some(path) = registered.as_deref() {
            fs::rename(path, target)?;
        }
        *registered = None;
        Ok(())
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        if let Some(path) = unfinished().take() {
            let _ = fs::remove_file(path);
        }
    }
}
