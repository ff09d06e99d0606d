//! How an id is written in a doc comment.

/// Ids of one documentation text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Ids {
    /// What the item implements.
    pub(super) claims: Vec<String>,
    /// What the item is used by: has to exist, claims nothing.
    pub(super) uses: Vec<String>,
}

/// The word that comes before ids.
const MARK: &str = "spec: `";

impl Ids {
    /// Reads the mark, then ids in backticks with commas or "and" in between; those after "used by" are uses. Anything
    /// else ends the list.
    pub(super) fn of(documentation: &str) -> Self {
        let mut ids = Self::default();
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
}
