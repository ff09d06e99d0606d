//! Any words as arguments of `asap`: understood or refused with a text, never a panic. One word in each line.
#![no_main]
#![allow(dead_code, unused_imports, reason = "the modules of the binary, of which only the parser is run")]

#[path = "../../cli/src/arguments.rs"]
mod arguments;
mod bytes;
#[path = "../../cli/src/failure.rs"]
mod failure;

/// Stands in for the drawing of numbers, which needs a terminal.
mod terminal {
    pub(crate) fn number(x: f64) -> String {
        x.to_string()
    }
}

use clap::Parser;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    bytes::count(data);
    let words = String::from_utf8_lossy(data);
    let words = core::iter::once("asap").chain(words.split('\n').take(64));
    if let Err(error) = arguments::Cli::try_parse_from(words) {
        assert!(!error.to_string().is_empty());
    }
});
