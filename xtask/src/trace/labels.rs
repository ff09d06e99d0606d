//! The labels of the paper: `spec/labels.txt`, and how it is made from the LaTeX text.

/// The environments whose labels are items of the specification.
const ENVIRONMENTS: [&str; 7] =
    ["lemma", "theorem", "corollary", "definition", "assumption", "algorithm", "fact"];
/// Tables are items only where they set parameters.
const TABLES: [&str; 2] = ["tab:localization", "tab:K_stepsizes"];
/// Labels of a line or an equation inside an environment are not items.
const PREFIXES: [&str; 9] = ["lem:", "thm:", "cor:", "def:", "defn:", "assumpt:", "alg:", "fact:", "tab:"];

/// One line of `spec/labels.txt`.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Label {
    pub(super) id: String,
    /// The paper gives it no label: the id is ours.
    pub(super) ours: bool,
}

/// One label per line; ` (ours)` behind it where the paper has an item without a label; `#` starts a comment.
pub(super) fn parse(text: &str) -> Vec<Label> {
    text.lines()
        .map(|line| line.split('#').next().unwrap_or_default().trim())
        .filter(|line| !line.is_empty())
        .map(|line| match line.strip_suffix("(ours)") {
            Some(id) => Label { id: id.trim().to_owned(), ours: true },
            None => Label { id: line.to_owned(), ours: false },
        })
        .collect()
}

/// The labels of the paper's items in its LaTeX text, in order of appearance.
pub fn labels_of_latex(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut open: Vec<String> = Vec::new();
    for (at, _) in text.match_indices('\\') {
        let rest = &text[at + 1..];
        if let Some(name) = argument(rest, "begin") {
            open.push(name.to_owned());
        } else if let Some(name) = argument(rest, "end") {
            if open.last().is_some_and(|last| last == name) {
                open.pop();
            }
        } else if let Some(label) = argument(rest, "label") {
            let inside = open.iter().any(|name| ENVIRONMENTS.contains(&name.as_str()));
            let item = inside && PREFIXES.iter().any(|prefix| label.starts_with(prefix));
            if item || TABLES.contains(&label) {
                found.push(label.to_owned());
            }
        }
    }
    found
}

/// `x` of `command{x}` at the beginning of the text.
fn argument<'a>(text: &'a str, command: &str) -> Option<&'a str> {
    text.strip_prefix(command)?.strip_prefix('{')?.split('}').next()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_are_read_from_latex() {
        let text = r"
            \begin{lemma}[Name] \label{lem:a} \begin{equation} \label{eq:b} x \end{equation} \end{lemma}
            \begin{proof} \label{lem:not_an_item} \end{proof}
            \begin{algorithm} \caption{c}\label{alg:c} \State x \label{line} \end{algorithm}
            \begin{table} \label{tab:summary} \label{tab:localization} \end{table}";
        assert_eq!(labels_of_latex(text), ["lem:a", "alg:c", "tab:localization"]);
    }

    #[test]
    fn the_list_says_which_ids_are_ours() {
        let list = parse("# comment\nlem:a\n\ndef:b (ours) # unlabelled\n");
        assert_eq!(
            list,
            [Label { id: "lem:a".into(), ours: false }, Label { id: "def:b".into(), ours: true }]
        );
    }
}
