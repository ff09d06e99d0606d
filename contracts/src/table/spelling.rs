//! Names that are what they look like.

use std::collections::BTreeMap;

/// Letters of the Cyrillic and the Greek alphabet that look like one of ours, and those.
const ALIKE: [(&str, &str); 2] = [
    ("аеорсухіјѕԁһӏАВЕКМНОРСТХУІЈЅ", "aeopcyxijsdhlABEKMHOPCTXYIJS"),
    ("ονΑΒΕΖΗΙΚΜΝΟΡΤΥΧ", "ovABEZHIKMNOPTYX"),
];

/// Hyphens that look like the usual one.
const HYPHENS: &str = "‐‑‒–−";

/// Whether there are no blanks around a text, as a cell is read: those of ASCII.
pub(super) fn is_trimmed(text: &str) -> bool {
    text.trim_ascii() == text
}

/// Whether a text is one by which something can be told from everything in `seen`, to which it is added.
pub(super) fn is_told<'a>(text: &'a str, seen: &mut BTreeMap<String, &'a str>) -> Result<(), &'static str> {
    if text.is_empty() {
        return Err("a text that is not empty");
    }
    if text.trim() != text || text.chars().any(is_hidden) {
        return Err("a text of visible characters, each of its own, with plain blanks between them only");
    }
    let is_mixed = |word: &str| {
        word.contains(|c: char| c.is_ascii_alphabetic()) && word.contains(|c: char| our_letter(c).is_some())
    };
    if text.split(|c: char| !c.is_alphanumeric()).any(is_mixed) {
        return Err("words of one alphabet: a letter in it only looks like one of the others");
    }
    match seen.insert(text.chars().map(plain).collect(), text) {
        None => Ok(()),
        Some(before) if before == text => Err("each name, level or class once"),
        Some(_) => Err("names, levels and classes that do not look like each other"),
    }
}

/// The letter of ours that a character looks like.
fn our_letter(c: char) -> Option<char> {
    if c.is_ascii() {
        return None;
    }
    let mut alike = ALIKE.iter().flat_map(|(theirs, ours)| theirs.chars().zip(ours.chars()));
    alike.find(|(theirs, _)| *theirs == c).map(|(_, ours)| ours)
}

/// What a character looks like.
fn plain(c: char) -> char {
    if !c.is_ascii() && HYPHENS.contains(c) { '-' } else { our_letter(c).unwrap_or(c) }
}

/// Characters that cannot be seen, or that change or imitate others: controls, blanks that are none, marks of
/// direction, accents by themselves (é is one character), wide and mathematical letters.
fn is_hidden(c: char) -> bool {
    c.is_control()
        || (c.is_whitespace() && c != ' ')
        || matches!(u32::from(c), 0xad | 0x300..=0x36f | 0x61c | 0x180e | 0x200b..=0x200f | 0x2028..=0x202e
            | 0x2060..=0x206f | 0x3164 | 0xfe00..=0xfe0f | 0xfeff | 0xff01..=0xff5e | 0xfff0..=0xffff
            | 0x1d400..=0x1d7ff | 0xe0000..=0xe0fff)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(texts: &[&str]) -> Result<(), &'static str> {
        let mut seen = BTreeMap::new();
        texts.iter().try_for_each(|text| is_told(text, &mut seen))
    }

    #[test]
    fn what_looks_alike_is_not_told_apart() {
        for fine in [
            &["Male", "Female"][..],
            &["<=50K", ">50K"],
            &["größe", "grösse", "é"],
            &["мужчина", "женщина"],
            &["a", "A"],
            &["μg/l", "Ωm"],
            &["United-States", "Trinadad&Tobago"],
            &["a b"],
            &["1", "l", "I"],
            &["naïve"],
        ] {
            assert_eq!(told(fine), Ok(()), "{fine:?}");
        }
        for bad in [
            &[""][..],
            &["a", "a"],
            &["M\u{430}le"],
            &["Male", "Mаle"],
            &["СОА", "COA"],
            &["a\u{a0}b"],
            &[" a"],
            &["a\u{200b}"],
            &["e\u{301}"],
            &["\u{202e}abc"],
            &["ＡＢ"],
            &["a\tb"],
            &["non-fat", "non\u{2011}fat"],
        ] {
            assert!(told(bad).is_err(), "{bad:?}");
        }
    }

    #[test]
    fn every_letter_has_its_double() {
        assert!(ALIKE.iter().all(|(theirs, ours)| theirs.chars().count() == ours.chars().count()));
    }
}
