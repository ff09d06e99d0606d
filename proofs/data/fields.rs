//! CSV text: no panic on any bytes.

use super::*;
use crate::proofs::{assume, cover, harness};

harness! {
    /// spec: `own:csv`
    /// covers: data::fields::step, data::fields::Line::pass — within a bound
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
    /// covers: data::fields::sniff_separator — within a bound
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

harness! {
    /// spec: `own:csv`
    /// covers: data::fields::step — within a bound
    ///
    /// Whatever bytes a field has, its text survives: enclosed in quotes, with its own quotes doubled, exactly its
    /// bytes are kept, and the separator behind ends the field.
    ///
    /// assumes: a separator that is allowed. bound: fields of up to 3 bytes, after a separator or at the beginning of a
    /// record; one more byte is one or two more steps of the same function. solver: cadical.
    /// mutation: `a doubled quote ends the field`
    [kani::proof, kani::unwind(5), kani::solver(cadical)]
    fn verify_step__quoted_text_survives(text: [u8; 3], length: u8, quotes: u8, separator: u8, first: bool) {
        assume!(may_separate(separator));
        // A test needs quotes in the text.
        let text = [0, 1, 2].map(|i| if quotes >> i & 1 == 1 { b'"' } else { text[i] });
        let length = usize::from(length % 4);
        let mut state = if first { State::Record } else { State::Field };
        let mut feed = |byte: u8| {
            let taken = step(state, byte, separator);
            assert!(taken.is_some());
            let Some((next, action)) = taken else { return Action::Skip };
            state = next;
            action
        };
        assert!(feed(b'"') == Action::Skip);
        for byte in text.into_iter().take(length) {
            if byte == b'"' {
                assert!(feed(b'"') == Action::Skip);
            }
            assert!(feed(byte) == Action::Keep);
        }
        assert!(feed(b'"') == Action::Skip);
        assert!(feed(separator) == Action::EndField);
        cover!(length == 3 && text[0] == b'"' && text[2] == b'\n');
        assert!(state == State::Field);
    }
}

harness! {
    /// spec: `own:csv`
    /// covers: data::fields::may_separate — all inputs
    ///
    /// No byte of a number, no quote, no line end and no byte beyond ASCII separates fields; the
    /// four usual separators do.
    ///
    /// assumes: nothing. bound: none, all bytes. solver: cadical.
    /// mutation: `a decimal point separates fields`
    [kani::proof, kani::unwind(5), kani::solver(cadical)]
    fn verify_may_separate__never_part_of_a_field(byte: u8) {
        let allowed = may_separate(byte);
        cover!(allowed);
        let special = matches!(byte, b'0'..=b'9' | b'a'..=b'z' | b'A'..=b'Z' | b'+' | b'-' | b'.' | b'"' | b'\n' | b'\r');
        assert!(!allowed || !(special || byte >= 128));
        assert!(allowed || !SEPARATORS.contains(&byte));
    }
}

harness! {
    /// spec: `own:csv`
    /// covers: data::fields::Line::pass — within a bound
    ///
    /// Lines are counted as an editor does: one for each LF, CR LF and CR alone.
    ///
    /// assumes: nothing. bound: texts of 6 bytes; the state is one bit. solver: cadical.
    /// mutation: `the second half of CR LF counts`
    [kani::proof, kani::unwind(8), kani::solver(cadical)]
    fn verify_pass__lines_of_an_editor(text: [u8; 6], special: [u8; 6]) {
        let text = [0, 1, 2, 3, 4, 5].map(|i| [b'\r', b'\n', text[i]][usize::from(special[i] % 3)]);
        let mut line = Line { number: 1, after_cr: false };
        let mut expected = 1;
        for i in 0..6 {
            line.pass(text[i]);
            // A line ends before a byte that does not finish a CR LF.
            let finishes = text[i] == b'\n' && i > 0 && text[i - 1] == b'\r';
            expected += u64::from(ends_line(text[i]) && !finishes);
        }
        cover!(line.number == 7);
        cover!(line.number == 4 && text[5] == b'\n');
        assert!(line.number == expected);
    }
}

harness! {
    /// spec: `own:csv`
    /// covers: data::fields::finite — within a bound
    ///
    /// A cell is parsed without the blanks around it, and with those inside: the parser sees from the first byte to the
    /// last one that is no blank, and a number that is not finite is refused, whatever the parser says.
    ///
    /// assumes: nothing about the parser of the standard library, which is out of reach. bound: cells of 4 bytes; any
    /// answer. solver: cadical.
    /// mutation: `infinite numbers are numbers`
    [kani::proof, kani::unwind(7), kani::solver(cadical)]
    fn verify_finite__trimmed_and_finite(cell: [u8; 4], blanks: u8, answer: Option<f64>, odd: u8) {
        let cell = [0, 1, 2, 3].map(|i| if blanks >> i & 1 == 1 { b' ' } else { cell[i] });
        // Infinities and NaN are frequent in a test.
        let answer = match odd % 4 {
            0 => Some(f64::INFINITY),
            1 => Some(f64::NAN),
            _ => answer,
        };
        let seen = core::cell::Cell::new((0, 0, 0));
        let number = finite(&cell, |text| {
            let ends = (text.first().copied().unwrap_or(b'x'), text.last().copied().unwrap_or(b'x'));
            seen.set((text.len(), ends.0, ends.1));
            answer
        });
        let is_blank = |byte: u8| byte.is_ascii_whitespace();
        let (length, first, last) = seen.get();
        cover!(length == 2 && number.is_some());
        cover!(length == 0);
        assert!(!is_blank(first) && !is_blank(last));
        let kept = cell.iter().filter(|byte| !is_blank(**byte)).count();
        assert!(length >= kept && (kept > 0 || length == 0));
        match answer {
            Some(x) if x.is_finite() => assert!(number.is_some_and(|number| number.to_bits() == x.to_bits())),
            _ => assert!(number.is_none()),
        }
    }
}
