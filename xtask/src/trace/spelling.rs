//! How an id is written in a doc comment, and what a harness covers.

/// Ids of one documentation text, and its lines `covers: …`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Ids {
    /// What the item implements.
    pub(super) claims: Vec<String>,
    /// What the item is used by: must exist, claims nothing.
    pub(super) uses: Vec<String>,
    /// What a harness speaks of.
    pub(super) covers: Vec<Cover>,
}

/// `covers: path, path — all inputs` or `— within a bound`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Cover {
    pub(super) paths: Vec<String>,
    /// Every input, and not only those within a bound.
    pub(super) all: bool,
}

/// The word that comes before ids.
const MARK: &str = "spec: `";

impl Ids {
    /// What the lines `covers:` say, to the words that end them; none if one does not end so before an empty line.
    fn covers(documentation: &str) -> Option<Vec<Cover>> {
        const ENDS: [(&str, bool); 2] = [("all inputs", true), ("within a bound", false)];
        let lines: Vec<&str> = documentation.lines().map(str::trim).collect();
        let mut found = Vec::new();
        for (k, line) in lines.iter().enumerate() {
            let Some(first) = line.strip_prefix("covers:") else { continue };
            let more = lines[k + 1..].iter().take_while(|line| !line.is_empty());
            let text = core::iter::once(first).chain(more.copied()).collect::<Vec<_>>().join(" ");
            let (paths, reach) = text.split_once('—')?;
            let (_, all) = ENDS.into_iter().find(|(end, _)| reach.trim_start().starts_with(end))?;
            let paths = paths.split(',').map(|path| path.trim().trim_matches('`').to_owned()).collect();
            found.push(Cover { paths, all });
        }
        Some(found)
    }

    /// Reads the mark, then ids in backticks with commas or "and" in between; those after "used by" are uses. Anything
    /// else ends the list.
    pub(super) fn of(documentation: &str) -> Self {
        let mut ids = Self { covers: Self::covers(documentation).unwrap_or_default(), ..Self::default() };
        for line in documentation.lines() {
            if let Some(at) = line.find(MARK) {
                ids.read(&line[at + MARK.len()..]);
            }
        }
        ids
    }

    fn read(&mut self, text: &str) {
        let mut used = false;
        for (k, piece) in text.split('`').enumerate() {
            if k % 2 == 0 {
                let list = if used { &mut self.uses } else { &mut self.claims };
                list.push(piece.to_owned());
            } else {
                match piece.trim() {
                    "," | "and" => {}
                    ", used by" => used = true,
                    _ => return,
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> (Vec<String>, Vec<String>) {
        let ids = Ids::of(text);
        (ids.claims, ids.uses)
    }

    #[test]
    fn ids_in_documentation() {
        let mark = |rest: &str| format!("Words.\nMore. spec: {rest}");
        assert_eq!(read(&mark("`a:b`")).0, ["a:b"]);
        assert_eq!(read(&mark("`a:b`, `c:d` and `e:f`.")).0, ["a:b", "c:d", "e:f"]);
        let (claims, uses) = read(&mark("`a:b`, used by `c:d` and `e:f`"));
        assert_eq!((claims, uses), (vec!["a:b".to_owned()], vec!["c:d".to_owned(), "e:f".to_owned()]));
        assert_eq!(read(&mark("`a:b`: see `c:d`")).0, ["a:b"]);
        assert!(read("the folder `spec/`").0.is_empty());
    }

    #[test]
    fn covers_of_a_harness() {
        let covers = |text: &str| {
            Ids::of(text)
                .covers
                .into_iter()
                .map(|cover| (cover.paths.join(" "), cover.all))
                .collect::<Vec<_>>()
        };
        assert_eq!(
            covers("Words.\n covers: a::b, `c::d` — all inputs\n\nMore."),
            [("a::b c::d".into(), true)]
        );
        assert_eq!(covers("covers: a,\nb — within a bound: 8 bits. solver"), [("a b".to_owned(), false)]);
        assert_eq!(
            covers("covers: a — all inputs\ncovers: b — within a bound"),
            [("a".into(), true), ("b".to_owned(), false)]
        );
        for nothing in
            ["covers: a", "covers: a — some inputs", "covers: a\n\n— all inputs", "it covers: a — all inputs"]
        {
            assert!(covers(nothing).is_empty(), "{nothing}");
        }
    }
}
