//! The crates of the workspace: the root package, and the members that its `Cargo.toml` names.

use serde::Deserialize;

use super::{Root, TraceError};

/// One package.
#[derive(Clone, Debug)]
pub(super) struct Crate {
    /// What other crates call it.
    pub(super) name: String,
    /// What its paths start with in the table: nothing for the root package, the name for others.
    pub(super) prefix: String,
    /// Its folder below the root of the repository, with `/` behind it; empty for the root package.
    pub(super) folder: String,
}

#[derive(Deserialize)]
struct Manifest {
    package: Option<Package>,
    lib: Option<Library>,
    workspace: Option<Workspace>,
}

#[derive(Deserialize)]
struct Package {
    name: String,
}

#[derive(Deserialize)]
struct Library {
    name: Option<String>,
}

#[derive(Deserialize)]
struct Workspace {
    #[serde(default)]
    members: Vec<String>,
}

/// The root package first.
pub(super) fn read(root: &Root) -> Result<Vec<Crate>, TraceError> {
    let (main, workspace) = package(root, "")?;
    let mut crates = vec![Crate { prefix: String::new(), ..main }];
    for member in workspace.map(|workspace| workspace.members).unwrap_or_default() {
        crates.push(package(root, &format!("{member}/"))?.0);
    }
    Ok(crates)
}

fn package(root: &Root, folder: &str) -> Result<(Crate, Option<Workspace>), TraceError> {
    let path = format!("{folder}Cargo.toml");
    let malformed = |reason: String| TraceError::Malformed { path: path.clone(), reason };
    let manifest: Manifest =
        toml::from_str(&root.read(&path)?).map_err(|error| malformed(error.to_string()))?;
    let name = manifest
        .lib
        .and_then(|library| library.name)
        .or(manifest.package.map(|package| package.name.replace('-', "_")))
        .ok_or_else(|| malformed("it names no package".to_owned()))?;
    Ok((Crate { prefix: name.clone(), name, folder: folder.to_owned() }, manifest.workspace))
}
