//! Copies of the repository, to be broken.

use super::{ORIGINAL, load, root};
use asap_xtask::trace::{Kind, Problem, Trace, TraceError};
use std::fs;
use std::path::{Path, PathBuf};

/// A copy of what the checker reads, to be broken. It begins as links to the original: a file becomes one of its own when it
/// is changed, together with the directories above it. So the path is not given away.
pub(crate) struct Copy(PathBuf);

impl Copy {
    pub(crate) fn new(name: &str) -> Self {
        let target = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("trace-{name}"));
        let _ = fs::remove_dir_all(&target);
        fs::create_dir_all(&target).unwrap();
        for name in [
            "spec",
            "src",
            "tests",
            "proofs",
            "contracts",
            "audit",
            "benches",
            "cli",
            "experiments",
            "python",
            "xtask",
            "Cargo.toml",
        ] {
            link(&root().join(name), &target.join(name));
        }
        Self(target)
    }

    pub(crate) fn load(&self) -> Result<Trace, TraceError> {
        load(&self.0)
    }

    pub(crate) fn read(&self, file: &str) -> String {
        fs::read_to_string(self.0.join(file)).unwrap()
    }

    pub(crate) fn write(&self, file: &str, text: &str) {
        fs::write(self.own(file), text).unwrap();
    }

    pub(crate) fn remove(&self, file: &str) {
        fs::remove_file(self.own(file)).unwrap();
    }

    /// Replaces the first occurrence; the text has to be there.
    pub(crate) fn edit(&self, file: &str, old: &str, new: &str) {
        let text = self.read(file);
        assert!(text.contains(old), "{file} has no {old:?}");
        self.write(file, &text.replacen(old, new, 1));
    }

    pub(crate) fn append(&self, file: &str, text: &str) {
        let old = fs::read_to_string(self.0.join(file)).unwrap_or_default();
        self.write(file, &(old + text));
    }

    /// The path of a file that is no link, below directories that are none.
    fn own(&self, file: &str) -> PathBuf {
        let mut path = self.0.clone();
        for part in Path::new(file) {
            path.push(part);
            let Ok(original) = fs::read_link(&path) else { continue };
            fs::remove_file(&path).unwrap();
            if original.is_dir() {
                fs::create_dir(&path).unwrap();
                for entry in fs::read_dir(original).unwrap().map(Result::unwrap) {
                    link(&entry.path(), &path.join(entry.file_name()));
                }
            } else {
                fs::copy(original, &path).unwrap();
            }
        }
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        path
    }

    /// Not a problem more and not one less than the original has.
    pub(crate) fn is_like_the_original(&self) {
        assert_eq!(self.load().unwrap().problems(), ORIGINAL.problems());
    }

    /// What the original does not have.
    pub(crate) fn new_problems(&self) -> Vec<Problem> {
        new_problems(&self.load().unwrap())
    }

    /// Exactly one problem more than the original has, of this kind, whose message names the culprit. That nobody calls
    /// what a test adds is another test's matter.
    pub(crate) fn has(&self, kind: Kind, culprit: &str) {
        let trace = self.load().unwrap();
        let mut new = new_problems(&trace);
        new.retain(|problem| problem.kind == kind || problem.kind != Kind::UnreachedCode);
        let [problem] = &new[..] else { panic!("{culprit}: {new:?}") };
        assert_eq!(problem.kind, kind, "{problem}");
        assert!(problem.message.contains(culprit), "{problem} does not name {culprit}");
        assert!(trace.missing().contains(&problem.message));
        assert!(trace.to_html("").contains("class=\"problems\""));
    }
}

fn new_problems(trace: &Trace) -> Vec<Problem> {
    let old = ORIGINAL.problems();
    trace.problems().iter().filter(|problem| !old.contains(problem)).cloned().collect()
}

impl Drop for Copy {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

#[cfg(unix)]
fn link(original: &Path, path: &Path) {
    std::os::unix::fs::symlink(original, path).unwrap();
}

#[cfg(not(unix))]
fn link(original: &Path, path: &Path) {
    if !original.is_dir() {
        fs::copy(original, path).unwrap();
    } else if !original.ends_with("target") {
        fs::create_dir(path).unwrap();
        for entry in fs::read_dir(original).unwrap().map(Result::unwrap) {
            link(&entry.path(), &path.join(entry.file_name()));
        }
    }
}
