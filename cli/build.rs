//! The commit that `asap --version` names, where the sources are a checkout; nothing elsewhere.

use std::process::Command;

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    let git = |arguments: &[&str]| {
        let said = Command::new("git").args(arguments).output().ok().filter(|said| said.status.success())?;
        Some(String::from_utf8(said.stdout).ok()?.trim().to_owned())
    };
    // Only of this project: a package that is built inside of another checkout has none.
    let of_us = git(&["rev-parse", "--show-prefix"]).is_some_and(|prefix| prefix == "cli/");
    let commit = of_us.then(|| git(&["rev-parse", "--short=12", "HEAD"])).flatten();
    if let Some(log) = git(&["rev-parse", "--git-path", "logs/HEAD"]).filter(|_| of_us) {
        println!("cargo:rerun-if-changed={log}");
    }
    let commit = commit.map(|commit| format!(" ({commit})")).unwrap_or_default();
    println!("cargo:rustc-env=ASAP_VERSION={}{commit}", env!("CARGO_PKG_VERSION"));
}
