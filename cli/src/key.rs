//! Keys of signatures: 64 hexadecimal digits. A secret one is never shown.

use crate::failure::Failure;
use std::fs;
use std::path::Path;

/// The key in a file.
pub(crate) fn in_file(path: &Path) -> Result<String, Failure> {
    let text = fs::read_to_string(path).map_err(|error| Failure::reading(path, &error))?;
    if is_key(&text) {
        Ok(text)
    } else {
        let reason = "not a key: it must have 64 hexadecimal digits".to_owned();
        Err(Failure::Input { path: path.to_owned(), reason })
    }
}

/// A public key: the digits themselves, or a file that holds them.
pub(crate) fn public(given: &str) -> Result<String, Failure> {
    if is_key(given) { Ok(given.to_owned()) } else { in_file(Path::new(given)) }
}

fn is_key(text: &str) -> bool {
    text.trim().len() == 64 && text.trim().bytes().all(|byte| byte.is_ascii_hexdigit())
}
