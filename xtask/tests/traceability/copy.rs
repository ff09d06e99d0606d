//! Copies of the repository, to be broken.

use super::{ORIGINAL, load, root};
use asap_xtask::trace::{Kind, Problem, Trace};
use std::fs;
use std::path::{Path, PathBuf};

/// A copy of what the checker reads, to be broken.
pub(crate) struct Copy(pub(crate) PathBuf);

impl Copy {
    pub(crate) fn new(name: &str) -> Self {
        let target = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("trace-{name}"));
        let _ = fs::remove_dir_all(&target);
        for directory in [
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
        ] {
            copy(&root().join(directory), &target.join(directory));
        }
        fs::copy(root().join("Cargo.toml"), target.join("Cargo.toml")).unwrap();
        Self(target)
    }

    /// Replaces the first occurrence; the text has to be there.
    pub(crate) fn edit(&self, file: &str, old: &str, new: &str) {
        let path = self.0.join(file);
        let text = fs::read_to_string(&path).unwrap();
        assert!(text.contains(old), "{file} has no {old:?}");
        fs::write(path, text.replacen(old, new, 1)).unwrap();
    }

    pub(crate) fn append(&self, file: &str, text: &str) {
        let path = self.0.join(file);
        let old = fs::read_to_string(&path).unwrap_or_default();
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, old + text).unwrap();
    }

    /// Not a problem more and not one less than the original has.
    pub(crate) fn is_like_the_original(&self) {
        assert_eq!(load(&self.0).unwrap().problems(), ORIGINAL.problems());
    }

    /// What the original does not have.
    pub(crate) fn new_problems(&self) -> Vec<Problem> {
        new_problems(&load(&self.0).unwrap())
    }

    /// Exactly one problem more than the original has, of this kind, whose message names the culprit. That nobody calls
    /// what a test adds is another test's matter.
    pub(crate) fn has(&self, kind: Kind, culprit: &str) {
        let trace = load(&self.0).unwrap();
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

fn copy(from: &Path, to: &Path) {
    let Ok(entries) = fs::read_dir(from) else { return };
    fs::create_dir_all(to).unwrap();
    for entry in entries {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() && entry.file_name() != "target" {
            copy(&entry.path(), &target);
        } else if entry
            .path()
            .extension()
            .is_some_and(|e| ["md", "rs", "toml", "txt", "v"].iter().any(|x| e == *x))
        {
            fs::copy(entry.path(), target).unwrap();
        }
    }
}
