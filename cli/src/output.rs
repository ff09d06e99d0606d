//! Files that are there completely or not at all, and that never replace something that is needed.
//!
//! A file is written under a temporary name in its own folder, synchronised, and renamed. An interrupt removes the
//! temporary file. Targets that are not regular files (a device, a pipe) are written directly.
//!
//! An existing file is replaced only with `--force`, and a file that the command reads is never replaced. Both are
//! decided before any work is done. The operating system decides once more, at the moment of the renaming, that nothing
//! is there: if two commands write to the same new place, only one succeeds.

use crate::failure::Failure;
use crate::terminal;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// So many names are tried where one is taken.
const MOST: u32 = 1000;

/// The temporary file that exists now. The holder of the lock decides what becomes of it.
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

/// What becomes of a file that is there already.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Existing {
    /// It stays, and the command is refused.
    Keep,
    /// It is replaced.
    Replace,
}

impl Existing {
    /// What `--force` says.
    pub(crate) fn of(force: bool) -> Self {
        if force { Self::Replace } else { Self::Keep }
    }
}

/// A place where an output can go.
pub(crate) enum Destination {
    /// Standard output.
    Stdout,
    /// A device or a pipe.
    Special(PathBuf),
    /// A regular file, there or not yet.
    Regular(PathBuf, Existing),
}

impl Destination {
    /// Finds out, before any work is done, whether a file can be created there, and whether one of the `inputs` or what
    /// must be kept would be lost.
    pub(crate) fn probe(path: &Path, existing: Existing, inputs: &[&Path]) -> Result<Self, Failure> {
        let output = Identity::of(path, "/dev/stdout");
        if let Some(input) = inputs.iter().find(|input| Identity::same(output.as_ref(), input)) {
            return Err(Failure::OutputIsInput { path: path.to_owned(), input: (*input).to_owned() });
        }
        if path == Path::new("-") {
            return Ok(Self::Stdout);
        }
        let exists = || Failure::Exists { path: path.to_owned() };
        let failed = |error| Failure::Output { path: path.to_owned(), error };
        // A link stays a link: what it points to is replaced.
        let path = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
        match fs::metadata(&path) {
            Ok(found) if found.is_dir() => Err(failed(io::ErrorKind::IsADirectory.into())),
            Ok(found) if !found.is_file() => Ok(Self::Special(path)),
            // A link to nowhere is something as well.
            _ if existing == Existing::Keep && fs::symlink_metadata(&path).is_ok() => Err(exists()),
            Ok(found) if found.permissions().readonly() => {
                Err(failed(io::ErrorKind::PermissionDenied.into()))
            }
            _ => {
                let probe = Temporary::create(&path).map_err(failed)?;
                drop(probe);
                Ok(Self::Regular(path, existing))
            }
        }
    }

    /// Writes the whole content, or leaves what was there.
    pub(crate) fn write(&self, content: &str) -> Result<(), Failure> {
        let (path, written) = match self {
            Self::Stdout => return terminal::print(content),
            Self::Special(path) => (path, write_directly(path, content)),
            Self::Regular(path, existing) => (path, write_atomically(path, *existing, content)),
        };
        let path = path.clone();
        written.map_err(|error| match error.kind() {
            io::ErrorKind::AlreadyExists => Failure::Exists { path },
            _ => Failure::Output { path, error },
        })
    }

    /// Writes what was paid for: if meanwhile something has come to be there, it stays, and the content goes to a name
    /// beside it. Returns that name. A failure says that the budget is spent.
    pub(crate) fn write_or_beside(&self, content: &str) -> Result<Option<PathBuf>, Failure> {
        let lost = |failure| match failure {
            Failure::Closed => failure,
            other => Failure::Lost(Box::new(other)),
        };
        let Self::Regular(path, Existing::Keep) = self else {
            return self.write(content).map(|()| None).map_err(lost);
        };
        for k in 1..=MOST {
            let beside = if k == 1 { path.clone() } else { numbered(path, k) };
            match write_atomically(&beside, Existing::Keep, content) {
                Ok(()) => return Ok((k > 1).then_some(beside)),
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(lost(Failure::Output { path: beside, error })),
            }
        }
        Err(lost(Failure::Exists { path: path.clone() }))
    }
}

/// `release-2.json` for `release.json`.
fn numbered(path: &Path, k: u32) -> PathBuf {
    let mut name = path.file_stem().unwrap_or_default().to_owned();
    name.push(format!("-{k}"));
    if let Some(extension) = path.extension() {
        name.push(".");
        name.push(extension);
    }
    path.with_file_name(name)
}

/// A new folder, or an empty one, or one that may be written into.
pub(crate) fn folder(path: &Path, existing: Existing) -> Result<(), Failure> {
    let failed = |error| Failure::Output { path: path.to_owned(), error };
    match fs::read_dir(path) {
        Ok(mut entries) => match (existing, entries.next()) {
            (Existing::Keep, Some(_)) => Err(Failure::Exists { path: path.to_owned() }),
            _ => Ok(()),
        },
        Err(error) if error.kind() == io::ErrorKind::NotFound => fs::create_dir(path).map_err(failed),
        Err(error) => Err(failed(error)),
    }
}

/// Which regular file a path leads to, through links and by whatever name.
#[derive(PartialEq, Eq)]
struct Identity {
    #[cfg(unix)]
    file: (u64, u64),
    #[cfg(not(unix))]
    file: PathBuf,
}

impl Identity {
    /// `None` where there is no regular file. `-` leads to what the standard stream is connected to.
    fn of(path: &Path, stream: &str) -> Option<Self> {
        let path = if path == Path::new("-") { Path::new(stream) } else { path };
        let found = fs::metadata(path).ok().filter(fs::Metadata::is_file)?;
        #[cfg(unix)]
        {
            use std::os::unix::fs::MetadataExt;
            Some(Self { file: (found.dev(), found.ino()) })
        }
        #[cfg(not(unix))]
        {
            let _ = found;
            fs::canonicalize(path).ok().map(|file| Self { file })
        }
    }

    fn same(output: Option<&Self>, input: &Path) -> bool {
        output.is_some() && output == Self::of(input, "/dev/stdin").as_ref()
    }
}

fn write_directly(path: &Path, content: &str) -> io::Result<()> {
    let mut file = OpenOptions::new().write(true).open(path)?;
    file.write_all(content.as_bytes())?;
    file.flush()
}

fn write_atomically(path: &Path, existing: Existing, content: &str) -> io::Result<()> {
    let mut temporary = Temporary::create(path)?;
    temporary.file.write_all(content.as_bytes())?;
    temporary.finish(path, existing)?;
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
        let mut registered = unfinished();
        // A process of the same number may have left its file behind, or write there now from another container.
        for k in 1..=MOST {
            let path = folder_of(target).join(format!(".{name}.{}-{k}.tmp", process::id()));
            match OpenOptions::new().write(true).create_new(true).open(&path) {
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists && k < MOST => {}
                outcome => {
                    let file = outcome?;
                    *registered = Some(path);
                    return Ok(Self { file });
                }
            }
        }
        Err(io::ErrorKind::AlreadyExists.into())
    }

    /// Makes the content last, then gives it its name.
    fn finish(self, target: &Path, existing: Existing) -> io::Result<()> {
        self.file.sync_all()?;
        let mut registered = unfinished();
        if let Some(path) = registered.as_deref() {
            match existing {
                Existing::Replace => fs::rename(path, target)?,
                Existing::Keep => name_new(path, target)?,
            }
        }
        *registered = None;
        Ok(())
    }
}

/// Gives a file a name that nothing has yet; the operating system decides.
fn name_new(temporary: &Path, target: &Path) -> io::Result<()> {
    match fs::hard_link(temporary, target) {
        Ok(()) => fs::remove_file(temporary),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Err(error),
        // Not every file system has links: the name is taken first, by an empty file that only this command made.
        Err(_) => {
            OpenOptions::new().write(true).create_new(true).open(target)?;
            fs::rename(temporary, target)
        }
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        if let Some(path) = unfinished().take() {
            let _ = fs::remove_file(path);
        }
    }
}
