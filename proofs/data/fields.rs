//! CSV text: no panic on any bytes.

use super::*;
use crate::proofs::{assume, cover, harness};

harness! {
    /// spec: `own:csv`
    ///
    /// The automaton that splits a file is total: from every state it takes every byte without panic. Between quotes
    /// only a quote does anything but be kept; outside, a line end always ends the record and a separator the
    /// field; a field's text never contains a quote that stands alone. Lines are counted without overflow.
    ///
    /// assumes: a separator that `Fields::new` allows. bound: texts of 5 bytes, enough to pass through all five
    /// states; one more byte is one more step of the same function. solver: cadical.
    /// mutation: `a quoted line end ends the record`
    [kani::proof, kani::unwind(7), kani::solver(cadical)]
    fn verify_step__any_text(text: [u8; 5], separator: u8, special: [u8; 5]) {
        assume!(separator != b'"' && !ends_line(separator));
        // Four fifths of the bytes of a test have a meaning.
        let choose = |byte: u8, kind: u8| [b'"', b'\n', b'\r', separator, byte][usize::from(kind % 5)];
        let text = [0, 1, 2, 3, 4].map(|i| choose(text[i], special[i]));
        let (mut state, mut line) = (State::Record, Line { number: 1, after_cr: false });
        for byte in text {
            let Some((next, action)) = step(state, byte, separator) else {
                cover!(state == State::Closed);
                assert!(state == State::Closed || (state == State::Bare && byte == b'"'));
                return;
            };
            let quoted = state == State::Quoted;
            cover!(quoted && action == Action::Keep && byte == b'\n');
            assert!((action == Action::EndRecord) == (!quoted && ends_line(byte) && state != State::Record));
            assert!((action == Action::EndField) == (!quoted && byte == separator));
            assert!(!quoted || byte == b'"' || (next == State::Quoted && action == Action::Keep));
            assert!(action != Action::Keep || byte != b'"' || state == State::Closed);
            line.pass(byte);
            state = next;
        }
        cover!(state == State::Closed);
        assert!((1..=6).contains(&line.number));
    }
}

harness! {
    /// spec: `own:csv`
    ///
    /// Sniffing never panics, and answers with one of the four separators that occurs in the text.
    ///
    /// assumes: nothing. bound: texts of up to 4 bytes. solver: cadical.
    /// mutation: `sniffing guesses a comma`
    [kani::proof, kani::unwind(7), kani::solver(cadical)]
    fn verify_sniff_separator__occurs(text: [u8; 4], length: u8) {
        let text = text.get(..usize::from(length % 5)).unwrap_or(&[]);
        let sniffed = sniff_separator(text);
        cover!(sniffed == Some(b'|'));
        cover!(sniffed.is_none() && text.contains(&b','));
        if let Some(separator) = sniffed {
            assert!(SEPARATORS.contains(&separator) && text.contains(&separator));
        }
    }
}
