//! A file that is replaced as a whole or not at all, by one process at a time, under whatever name it is opened.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// Where a file is, through symbolic links: these stay, and what they point to is replaced.
pub(super) struct Location(PathBuf);

/// As long as it lives, no one else changes the file. It ends with the process, however the process ends.
pub(super) struct Lock {
    _held: File,
}

impl Location {
    pub(super) fn resolve(path: &Path) -> Self {
        // What is not there yet has one name only.
        Self(fs::canonicalize(path).unwrap_or_else(|_| path.to_owned()))
    }

    /// Whether something is there; a link to nowhere is something as well.
    pub(super) fn is_taken(&self) -> bool {
        fs::symlink_metadata(&self.0).is_ok()
    }

    /// Whether the file has a hard link: replacing it would leave that one as it was. Only Unix tells.
    pub(super) fn has_another_name(&self) -> bool {
        #[cfg(unix)]
        {
            use std::os::unix::fs::MetadataExt;
            fs::metadata(&self.0).is_ok_and(|found| found.nlink() > 1)
        }
        #[cfg(not(unix))]
        false
    }

    /// Waits until no one else holds the lock, a file beside this one.
    pub(super) fn lock(&self) -> io::Result<Lock> {
        let mut name = self.0.file_name().ok_or(io::ErrorKind::InvalidInput)?.to_owned();
        name.push(".lock");
        let path = self.0.with_file_name(name);
        let file = OpenOptions::new().write(true).create(true).truncate(false).open(path)?;
        between();
        file.lock()?;
        between();
        Ok(Lock { _held: file })
    }

    pub(super) fn read(&self) -> io::Result<String> {
        fs::read_to_string(&self.0)
    }

    /// Replaces the content of the file, and makes the change durable. The caller holds the lock, so an existing
    /// temporary file was left behind by a process that was stopped, and is of no use.
    pub(super) fn replace(&self, content: &str) -> io::Result<()> {
        let name = self.0.file_name().ok_or(io::ErrorKind::InvalidInput)?.to_string_lossy();
        let folder =
            self.0.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let temporary = folder.join(format!(".{name}.tmp"));
        let _ = fs::remove_file(&temporary);
        between();
        let written = written(&temporary, content).and_then(|()| fs::rename(&temporary, &self.0));
        if written.is_err() {
            let _ = fs::remove_file(&temporary);
            return written;
        }
        between();
        // So that the new name survives a power failure; not every file system can.
        if let Ok(folder) = File::open(folder) {
            let _ = folder.sync_all();
        }
        between();
        written
    }
}

fn written(temporary: &Path, content: &str) -> io::Result<()> {
    let mut file = OpenOptions::new().write(true).create_new(true).open(temporary)?;
    between();
    file.write_all(content.as_bytes())?;
    between();
    file.sync_all()?;
    between();
    Ok(())
}

/// Between two operations on the file system; a test ends the process here.
#[cfg(not(test))]
fn between() {}
#[cfg(test)]
use super::tests::between;
