//! Binders, premises and fields: as much of Coq's terms as it takes to say what a statement assumes.

use super::Mistake;
use super::lexer::{Kind, Token, written};

/// Something that a statement is quantified over, or that it presupposes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::trace) struct Bound {
    /// The name that the source gives it; `None` for a premise before an arrow.
    pub(in crate::trace) name: Option<String>,
    /// Its type; empty where the source leaves it to Coq.
    kind: Vec<Token>,
}

impl Bound {
    fn premise(tokens: &[Token]) -> Self {
        Self { name: None, kind: unwrapped(tokens).to_vec() }
    }

    /// What it is called in `proofs/contracts.toml`: its name, or the premise as it was written.
    pub(in crate::trace) fn key(&self) -> String {
        self.name.clone().unwrap_or_else(|| written(&self.kind))
    }

    /// Whether it is a variable that makes propositions: `near : T -> T -> Prop`.
    pub(in crate::trace) fn is_relation(&self, name: &str) -> bool {
        let makes = || match &self.kind[..] {
            [first, ..] if first.is("rel") || first.is("pred") => true,
            [.., last] => last.is("Prop"),
            [] => false,
        };
        self.name.as_deref() == Some(name) && makes()
    }

    /// Whether it is seen to be a proposition: a premise, or a name whose type is one; `is_predicate`
    /// says which names make one.
    pub(in crate::trace) fn is_proposition(&self, is_predicate: &dyn Fn(&str) -> bool) -> bool {
        self.name.is_none() || proposition(&self.kind, is_predicate)
    }
}

/// Where a bracket group that starts at `from` ends.
pub(super) fn group_end(tokens: &[Token], from: usize) -> Result<usize, Mistake> {
    let mut depth = 0_usize;
    for (k, token) in tokens.iter().enumerate().skip(from) {
        depth = depth.saturating_add_signed(turn(token));
        if depth == 0 {
            return Ok(k);
        }
    }
    Err(Mistake::new(tokens[from].line, "a bracket that is not closed"))
}

fn turn(token: &Token) -> isize {
    match (token.kind, token.text.as_str()) {
        (Kind::Mark, "(" | "[" | "{") => 1,
        (Kind::Mark, ")" | "]" | "}") => -1,
        _ => 0,
    }
}

/// The positions outside of all brackets.
pub(super) fn outside(tokens: &[Token]) -> impl Iterator<Item = (usize, &Token)> {
    let mut depth = 0_isize;
    tokens.iter().enumerate().filter(move |(_, token)| {
        let turn = turn(token);
        depth += turn;
        depth == 0 && turn == 0
    })
}

/// The first place outside of all brackets where a mark or keyword stands.
pub(super) fn find(tokens: &[Token], text: &str) -> Option<usize> {
    outside(tokens).find(|(_, token)| token.is(text)).map(|(k, _)| k)
}

/// The `:=` outside of all brackets that belongs to no `let`.
pub(super) fn definition(tokens: &[Token]) -> Option<usize> {
    let mut lets = 0_usize;
    let own = |(k, token): (usize, &Token)| {
        lets += usize::from(token.is("let"));
        match (token.is(":="), lets) {
            (true, 0) => return Some(k),
            (true, _) => lets -= 1,
            _ => {}
        }
        None
    };
    outside(tokens).find_map(own)
}

/// The pieces between separators outside of all brackets; the last one only if it is not empty.
fn split<'a>(tokens: &'a [Token], separator: &str) -> Vec<&'a [Token]> {
    let mut pieces = Vec::new();
    let mut rest = tokens;
    while let Some(at) = find(rest, separator) {
        pieces.push(&rest[..at]);
        rest = &rest[at + 1..];
    }
    if !rest.is_empty() {
        pieces.push(rest);
    }
    pieces
}

/// Without round brackets around the whole.
fn unwrapped(tokens: &[Token]) -> &[Token] {
    match tokens {
        [first, inner @ .., _] if first.is("(") && group_end(tokens, 0) == Ok(tokens.len() - 1) => {
            unwrapped(inner)
        }
        _ => tokens,
    }
}

/// Binders: `x`, `(x y : T)`, `{x : T}`, `[x]`, `` `{C x} ``. A binder with a value, `(x := e)`, assumes nothing.
pub(super) fn binders(tokens: &[Token]) -> Result<Vec<Bound>, Mistake> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(token) = tokens.get(at) {
        if token.is("`") || token.is("!") || token.is("'") {
            at += 1;
        } else if turn(token) == 1 {
            let end = group_end(tokens, at)?;
            found.extend(group(&tokens[at + 1..end]));
            at = end + 1;
        } else if token.word().is_some() {
            // Names up to a colon share the type behind it; without one, Coq finds it.
            if let Some(colon) = find(&tokens[at..], ":") {
                found.extend(group(&tokens[at..]));
                return if colon == 0 {
                    Err(Mistake::new(token.line, "a binder without a name"))
                } else {
                    Ok(found)
                };
            }
            found.push(Bound { name: named(token), kind: Vec::new() });
            at += 1;
        } else {
            return Err(Mistake::new(token.line, &format!("`{}` among binders", token.text)));
        }
    }
    Ok(found)
}

fn named(token: &Token) -> Option<String> {
    token.word().filter(|name| *name != "_").map(str::to_owned)
}

/// What stands between the brackets of a binder.
fn group(inside: &[Token]) -> Vec<Bound> {
    if find(inside, ":=").is_some() {
        return Vec::new();
    }
    match find(inside, ":") {
        Some(colon) => {
            let (names, kind) = (&inside[..colon], &inside[colon + 1..]);
            names
                .iter()
                .filter(|name| name.word().is_some())
                .map(|name| Bound { name: named(name), kind: kind.to_vec() })
                .collect()
        }
        // `{x y}` names variables, `{C x}` behind a backtick a class: both must be accounted for by name.
        None => {
            inside.iter().filter_map(named).map(|name| Bound { name: Some(name), kind: Vec::new() }).collect()
        }
    }
}

/// Words whose scope goes on to the end: an arrow behind one belongs to it.
fn opens_scope(token: &Token) -> bool {
    ["forall", "exists", "exists2", "fun", "let", "\\forall", "\\exists"].iter().any(|word| token.is(word))
}

/// What a statement is quantified over and presupposes: `forall x : T, A -> B` has x and A. A `let … in` in front of
/// the rest is passed over.
pub(super) fn premises(statement: &[Token]) -> Result<Vec<Bound>, Mistake> {
    let mut found = Vec::new();
    let mut rest = unwrapped(statement);
    loop {
        match rest.first() {
            Some(first) if first.is("forall") => {
                let comma =
                    find(rest, ",").ok_or_else(|| Mistake::new(first.line, "forall without a comma"))?;
                found.extend(binders(&rest[1..comma])?);
                rest = unwrapped(&rest[comma + 1..]);
            }
            Some(first) if first.is("let") => {
                let end = find(rest, "in").ok_or_else(|| Mistake::new(first.line, "let without in"))?;
                if rest[1..end].iter().any(|token| token.is("let")) {
                    return Err(Mistake::new(first.line, "a let inside of a let"));
                }
                rest = unwrapped(&rest[end + 1..]);
            }
            _ => {
                let scope =
                    outside(rest).find(|(_, token)| opens_scope(token)).map_or(rest.len(), |(k, _)| k);
                let Some(arrow) = find(&rest[..scope], "->") else { return Ok(found) };
                found.push(Bound::premise(&rest[..arrow]));
                rest = unwrapped(&rest[arrow + 1..]);
            }
        }
    }
}

/// The fields between the braces of a record.
pub(super) fn fields(tokens: &[Token]) -> Result<Vec<Bound>, Mistake> {
    split(tokens, ";").into_iter().map(field).collect()
}

fn field(tokens: &[Token]) -> Result<Bound, Mistake> {
    let tokens = without_attributes(tokens)?;
    let Some(first) = tokens.first() else {
        return Err(Mistake::new(0, "an empty field"));
    };
    let unreadable = || Mistake::new(first.line, &format!("`{}` is no field", first.text));
    let name = first.word().ok_or_else(unreadable)?;
    let colon = outside(tokens).find(|(_, token)| token.is(":") || token.is(":>")).map(|(k, _)| k);
    let colon = colon.ok_or_else(unreadable)?;
    let end = find(tokens, ":=").unwrap_or(tokens.len()).max(colon + 1);
    Ok(Bound {
        name: Some(name).filter(|name| *name != "_").map(str::to_owned),
        kind: tokens[colon + 1..end].to_vec(),
    })
}

/// Without `#[…]` in front.
pub(super) fn without_attributes(mut tokens: &[Token]) -> Result<&[Token], Mistake> {
    while let [first, second, ..] = tokens {
        if !(first.is("#") && second.is("[")) {
            break;
        }
        tokens = &tokens[group_end(tokens, 1)? + 1..];
    }
    Ok(tokens)
}

const RELATIONS: [&str; 17] = [
    "=", "<>", "<", "<=", ">", ">=", "==", "!=", "<<", "\\in", "\\notin", "/\\", "\\/", "<->", "-->", "&&",
    "||",
];
/// What stands behind the first bracket of `{ae mu, …}`, `{in D, …}`, `[/\ …]`.
const OPENINGS: [&str; 9] = ["ae", "in", "for", "homo", "mono", "morph", "/\\", "\\/", "<->"];

/// Whether a type is seen to be a proposition: it ends, behind all arrows and quantifiers, in a relation, a
/// connective, a negation or an application of a predicate.
pub(super) fn proposition(kind: &[Token], is_predicate: &dyn Fn(&str) -> bool) -> bool {
    let kind = match kind {
        // `(…)%R` names the notations in which the brackets are read.
        [inner @ .., percent, scope] if percent.is("%") && scope.word().is_some() => unwrapped(inner),
        _ => unwrapped(kind),
    };
    let Some(first) = kind.first() else { return false };
    if first.is("forall") {
        return find(kind, ",").is_some_and(|comma| proposition(&kind[comma + 1..], is_predicate));
    }
    if ["exists", "exists2", "~", "~~", "\\forall", "\\exists"].iter().any(|word| first.is(word)) {
        return true;
    }
    if let Some(arrow) = find(kind, "->") {
        return proposition(&kind[arrow + 1..], is_predicate);
    }
    let opened =
        turn(first) == 1 && kind.get(1).is_some_and(|token| OPENINGS.iter().any(|word| token.is(word)));
    let related = outside(kind).any(|(_, token)| RELATIONS.iter().any(|relation| token.is(relation)));
    let head = kind.iter().find(|token| !token.is("@")).and_then(Token::word);
    opened || related || head.is_some_and(is_predicate)
}

#[cfg(test)]
mod tests {
    use super::super::lexer::sentences;
    use super::*;

    fn tokens(text: &str) -> Vec<Token> {
        sentences(&format!("{text}.")).unwrap().remove(0)
    }

    fn keys(found: Result<Vec<Bound>, Mistake>) -> Vec<String> {
        found.unwrap().iter().map(Bound::key).collect()
    }

    #[test]
    fn binders_of_all_kinds() {
        let text = "a (b c : T) {d : 0 < b} [e] `{f} (g := h) (_ : b <= c) `{!k : L a}";
        assert_eq!(keys(binders(&tokens(text))), ["a", "b", "c", "d", "e", "f", "b <= c", "k"]);
        assert_eq!(keys(binders(&tokens("x y : A -> B"))), ["x", "y"]);
        assert!(binders(&tokens("a (b : T")).is_err());
        assert!(binders(&tokens("a = b")).is_err());
    }

    #[test]
    fn premises_of_a_statement() {
        let text = "forall x (h : P x), (0 <= x)%R -> let y := x -> x in (forall z, A z -> B z) -> forall w, C -> exists v, D -> E";
        assert_eq!(keys(premises(&tokens(text))), ["x", "h", "(0 <= x)%R", "forall z, A z -> B z", "w", "C"]);
        assert_eq!(keys(premises(&tokens("(A -> (B -> C))"))), ["A", "B"]);
        assert_eq!(keys(premises(&tokens("A -> B /\\ forall z, C z -> D"))), ["A"]);
        assert_eq!(keys(premises(&tokens("f = fun x => x -> x"))), Vec::<String>::new());
        assert_eq!(
            keys(premises(&tokens("{ae mu, forall x, A -> B} -> [/\\ C -> D & E] -> F"))),
            ["{ae mu, forall x, A -> B}", "[/\\ C -> D & E]"]
        );
        assert!(premises(&tokens("forall x A")).is_err());
    }

    #[test]
    fn fields_of_a_record() {
        let text = "a : T ; #[canonical] b :> U := v; c (x : T) : [:: x; x] = d; _ : 0 <= e;";
        assert_eq!(keys(fields(&tokens(text))), ["a", "b", "c", "0 <= e"]);
        assert!(fields(&tokens("a : T; (b)")).is_err());
        assert!(fields(&tokens("a : T; ; b : U")).is_err());
    }

    #[test]
    fn propositions_are_told_from_data() {
        let is_predicate = |name: &str| name == "measurable_fun";
        let seen = |text: &str| proposition(&tokens(text), &is_predicate);
        for text in [
            "0 <= x",
            "(x = y)",
            "forall x y, near x y -> P x <= Q y",
            "A -> ~ B",
            "{ae mu, forall x, f x}",
            "[/\\ a, b & c]",
            "exists x, p",
            "(0 <= x)%E",
            "measurable_fun setT f",
            "forall x, measurable_fun setT (f x)",
            "@measurable_fun _ _ setT f",
            "x \\in A",
        ] {
            assert!(seen(text), "{text}");
        }
        for text in [
            "realType",
            "T -> T -> Prop",
            "{measure set T -> \\bar R}",
            "R.-pker X ~> Y",
            "forall n, 'I_n -> R",
            "nat",
            "'rV[R]_d",
            "(T -> R) -> R",
            "set (T * (U))",
            "kernel T U R",
        ] {
            assert!(!seen(text), "{text}");
        }
    }
}
