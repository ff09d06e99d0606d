//! The text of a Coq file as sentences of tokens. Comments nest, and a string hides whatever stands
//! in it, in a comment too.

use super::Mistake;

/// What a token is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// An identifier, with its qualifiers: `measure`, `Num.sqrt`.
    Word,
    Number,
    /// A string, without its quotes.
    Text,
    /// Anything else.
    Mark,
}

/// One token.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Token {
    pub(super) kind: Kind,
    pub(super) text: String,
    pub(super) line: usize,
    /// Blanks or a comment stand before it.
    pub(super) spaced: bool,
}

impl Token {
    pub(super) fn is(&self, text: &str) -> bool {
        self.kind != Kind::Text && self.text == text
    }

    /// The text, if it is an identifier.
    pub(super) fn word(&self) -> Option<&str> {
        (self.kind == Kind::Word).then_some(self.text.as_str())
    }
}

/// Tokens up to a full stop, which is left out; never empty.
pub(super) type Sentence = Vec<Token>;

/// Tokens as they were written, with one blank for any number of blanks, line ends and comments.
pub(super) fn written(tokens: &[Token]) -> String {
    let mut text = String::new();
    for token in tokens {
        if token.spaced && !text.is_empty() {
            text.push(' ');
        }
        match token.kind {
            Kind::Text => text.extend(["\"", &token.text, "\""]),
            _ => text.push_str(&token.text),
        }
    }
    text
}

/// Marks of several characters that must stay in one piece: otherwise a part of them would be read as an arrow, a
/// colon or a relation. The longest first.
const MARKS: [&str; 23] = [
    "<->", "-->", ">->", "...", ":=", ":>", "->", "<-", "=>", "~>", "<=", ">=", "<>", "==", "!=", "/\\",
    "\\/", "..", "<<", ">>", "&&", "||", "~~",
];

/// All sentences of a file.
pub(super) fn sentences(text: &str) -> Result<Vec<Sentence>, Mistake> {
    let mut lexer = Lexer { rest: text, line: 1 };
    let mut found = Vec::new();
    let mut sentence = Sentence::new();
    while let Some(token) = lexer.token()? {
        let stop = token.kind == Kind::Mark && matches!(token.text.as_str(), "." | "...") && lexer.at_blank();
        if !stop {
            sentence.push(token);
        } else if !sentence.is_empty() {
            found.push(core::mem::take(&mut sentence));
        }
    }
    match sentence.first() {
        None => Ok(found),
        Some(token) => Err(Mistake::new(token.line, "a sentence without a full stop")),
    }
}

struct Lexer<'a> {
    rest: &'a str,
    line: usize,
}

impl Lexer<'_> {
    fn advance(&mut self, bytes: usize) -> String {
        let (taken, rest) = self.rest.split_at(bytes);
        self.line += taken.matches('\n').count();
        self.rest = rest;
        taken.to_owned()
    }

    fn at_blank(&self) -> bool {
        self.rest.chars().next().is_none_or(char::is_whitespace)
    }

    /// The next token behind blanks and comments.
    fn token(&mut self) -> Result<Option<Token>, Mistake> {
        let before = self.rest.len();
        loop {
            let blanks = self.rest.len() - self.rest.trim_start().len();
            self.advance(blanks);
            if !self.rest.starts_with("(*") {
                break;
            }
            self.comment()?;
        }
        let (spaced, line) = (self.rest.len() < before, self.line);
        let Some(first) = self.rest.chars().next() else { return Ok(None) };
        let (kind, text) = if first == '"' {
            (Kind::Text, self.string()?)
        } else if starts_word(first) {
            (Kind::Word, self.word())
        } else if first.is_ascii_digit() {
            let end = self.rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(self.rest.len());
            (Kind::Number, self.advance(end))
        } else {
            (Kind::Mark, self.mark(first))
        };
        Ok(Some(Token { kind, text, line, spaced }))
    }

    fn comment(&mut self) -> Result<(), Mistake> {
        let open = Mistake::new(self.line, "a comment that does not end");
        let mut depth = 0_usize;
        loop {
            if self.rest.starts_with("(*") {
                depth += 1;
                self.advance(2);
            } else if self.rest.starts_with("*)") {
                depth -= 1;
                self.advance(2);
                if depth == 0 {
                    return Ok(());
                }
            } else if self.rest.starts_with('"') {
                self.string()?;
            } else {
                let first = self.rest.chars().next().ok_or_else(|| open.clone())?;
                self.advance(first.len_utf8());
            }
        }
    }

    /// A quote inside of a string is written twice.
    fn string(&mut self) -> Result<String, Mistake> {
        let open = Mistake::new(self.line, "a string that does not end");
        self.advance(1);
        let mut text = String::new();
        loop {
            let end = self.rest.find('"').ok_or_else(|| open.clone())?;
            text.push_str(&self.advance(end));
            self.advance(1);
            if !self.rest.starts_with('"') {
                return Ok(text);
            }
            text.push_str(&self.advance(1));
        }
    }

    /// An identifier; a dot with a letter behind it goes on to the next part.
    fn word(&mut self) -> String {
        let mut end = 0;
        loop {
            let part = self.rest[end..].find(|c: char| !in_word(c)).map_or(self.rest.len(), |at| end + at);
            let next = self.rest[part..].strip_prefix('.').and_then(|rest| rest.chars().next());
            if next.is_some_and(starts_word) {
                end = part + 1;
            } else {
                return self.advance(part);
            }
        }
    }

    fn mark(&mut self, first: char) -> String {
        if let Some(mark) = MARKS.iter().find(|mark| self.rest.starts_with(*mark)) {
            return self.advance(mark.len());
        }
        // `\in`, `\sum`, …
        if first == '\\' {
            let end = self.rest[1..].find(|c: char| !c.is_alphabetic()).map_or(self.rest.len(), |at| at + 1);
            return self.advance(end);
        }
        self.advance(first.len_utf8())
    }
}

fn starts_word(c: char) -> bool {
    c.is_alphabetic() || c == '_'
}

fn in_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || c == '\''
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Vec<String> {
        sentences(text).unwrap().iter().map(|sentence| written(sentence)).collect()
    }

    #[test]
    fn sentences_end_at_a_full_stop_before_a_blank() {
        assert_eq!(
            read("Lemma a : x.1 = Num.sqrt y.\nProof. by []. Qed."),
            ["Lemma a : x.1 = Num.sqrt y", "Proof", "by []", "Qed"]
        );
        assert_eq!(
            read("Notation \"[ a ; .. ; b ]\" := (f a .. (f b c) ..). tac..."),
            ["Notation \"[ a ; .. ; b ]\" := (f a .. (f b c) ..)", "tac"]
        );
        assert_eq!(read("k : R.-pker X ~> Y.\n\n(* nothing *)\n"), ["k : R.-pker X ~> Y"]);
    }

    #[test]
    fn comments_nest_and_strings_hide() {
        assert_eq!(read("(* Lemma a : b. (* Qed. *) Lemma c : d. *) Lemma e : f."), ["Lemma e : f"]);
        assert_eq!(read("(* \"*)\" Lemma a : b. *) Lemma e : f."), ["Lemma e : f"]);
        assert_eq!(read("(* \"(*\" *) Lemma e : f."), ["Lemma e : f"]);
        assert_eq!(
            read("Notation \"x (* y. \"\" Lemma z : w. \" := x. A."),
            ["Notation \"x (* y. \" Lemma z : w. \" := x", "A"]
        );
        assert_eq!(read("a(* *)b (*)*) c."), ["a b c"]);
    }

    #[test]
    fn marks_stay_in_one_piece() {
        let tokens = &sentences("a --> b <-> c >-> d ~> e <- f \\in g \\/ h ⊢ i'.").unwrap()[0];
        let marks: Vec<_> = tokens.iter().filter(|t| t.kind == Kind::Mark).map(|t| t.text.as_str()).collect();
        assert_eq!(marks, ["-->", "<->", ">->", "~>", "<-", "\\in", "\\/", "⊢"]);
        assert!(MARKS.windows(2).all(|pair| pair[0].len() >= pair[1].len() || pair[0].len() == 2));
    }

    #[test]
    fn lines_are_counted_through_comments_and_strings() {
        let found = sentences("(* 1\n2 *)\nA \"4\n5\" b.\nC.").unwrap();
        let lines: Vec<_> = found.iter().flatten().map(|token| token.line).collect();
        assert_eq!(lines, [3, 3, 4, 5]);
    }

    #[test]
    fn what_does_not_end_is_refused_with_its_line() {
        for (text, line) in [
            ("A.\n(* (* *)", 2),
            ("A.\n\"b", 2),
            ("(* \"b *)", 1),
            ("A.\n\nLemma b : c", 3),
            ("(* (* *) *", 1),
        ] {
            assert_eq!(sentences(text).unwrap_err().line, line, "{text}");
        }
        assert!(sentences("").unwrap().is_empty());
    }
}
