//! Where the walk is, and where it goes from there.

use proc_macro2::Ident;

use crate::trace::Root;
use crate::trace::crates::Crate;
use crate::trace::source::{Place, join};
use crate::trace::spelling::Ids;

/// Where the walk is.
#[derive(Clone)]
pub(super) struct Scope {
    pub(super) file: String,
    /// The directory in which child modules are looked up.
    pub(super) directory: String,
    pub(super) module: String,
    /// Files that hold code start with this; those of mounted proofs do not.
    pub(super) sources: String,
    /// `tests/name.rs` while in an integration test: only tests are recorded there.
    pub(super) test: Option<String>,
    /// Inside of a module that only tests or Kani build.
    pub(super) gated: bool,
}

impl Scope {
    /// The root of a library or of a binary.
    pub(super) fn code(package: &Crate, file: String) -> Self {
        let sources = format!("{}src/", package.folder);
        Self {
            directory: folder(&file).to_owned(),
            file,
            module: package.prefix.clone(),
            sources,
            test: None,
            gated: false,
        }
    }

    /// The root of an integration test.
    pub(super) fn test(path: &str) -> Self {
        Self {
            file: path.into(),
            directory: folder(path).into(),
            module: String::new(),
            sources: String::new(),
            test: Some(path.into()),
            gated: true,
        }
    }

    pub(super) fn place(&self, name: &Ident, ids: Ids) -> Place {
        Place { file: self.file.clone(), line: name.span().start().line, ids }
    }

    pub(super) fn test_path(&self, name: &str) -> String {
        let path = join(&self.module, name);
        self.test.as_ref().map_or_else(|| path.clone(), |file| format!("{file}::{path}"))
    }

    /// Items of a library or binary; those of tests and of mounted proofs are on no code path.
    pub(super) fn holds_code(&self) -> bool {
        self.test.is_none() && self.file.starts_with(&self.sources)
    }

    pub(super) fn inline(&self, name: &str) -> Self {
        Self {
            directory: format!("{}/{name}", self.directory),
            module: join(&self.module, name),
            ..self.clone()
        }
    }

    /// The scope of `mod name;`, with its file found as the compiler finds it.
    pub(super) fn child(&self, name: &str, path: Option<String>, root: &Root) -> Option<Self> {
        let module = join(&self.module, name);
        if let Some(path) = path {
            let file = normal(&format!("{}/{path}", folder(&self.file)));
            let directory = folder(&file).to_owned();
            return root.has(&file).then_some(Self { file, directory, module, ..self.clone() });
        }
        let directory = format!("{}/{name}", self.directory);
        let file =
            [format!("{directory}.rs"), format!("{directory}/mod.rs")].into_iter().find(|f| root.has(f))?;
        Some(Self { file, directory, module, ..self.clone() })
    }
}

/// The folder of a file, without `/` behind it.
fn folder(file: &str) -> &str {
    file.rsplit_once('/').map_or("", |(folder, _)| folder)
}

/// Removes `a/..` from a path.
fn normal(path: &str) -> String {
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match part {
            ".." => drop(parts.pop()),
            "" | "." => {}
            part => parts.push(part),
        }
    }
    parts.join("/")
}
