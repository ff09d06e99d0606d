//! What test code calls, by name: an index for readers, not a measurement of coverage.

use proc_macro2::{Delimiter, TokenStream, TokenTree};

use super::source::{Calls, TestText};

/// The calls in the tests of a file: in all of an integration test or of a module `tests`, otherwise in the inline
/// module `tests`. It has been parsed before, so there are tokens.
pub(super) fn of_tests(TestText { text, whole }: &TestText) -> Calls {
    let mut calls = Calls::default();
    let Ok(tokens) = text.parse::<TokenStream>() else { return calls };
    if *whole {
        collect(tokens, &mut calls);
    } else {
        inline(tokens, &mut calls);
    }
    calls
}

/// Looks for `mod tests { … }`.
fn inline(tokens: TokenStream, calls: &mut Calls) {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    for window in tokens.windows(3) {
        if let [TokenTree::Ident(word), TokenTree::Ident(name), TokenTree::Group(body)] = window
            && word == "mod"
            && name == "tests"
        {
            collect(body.stream(), calls);
        }
    }
}

/// Notes every path and every method call, in groups and macros too.
fn collect(tokens: TokenStream, calls: &mut Calls) {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    for (k, token) in tokens.iter().enumerate() {
        match token {
            TokenTree::Group(group) => collect(group.stream(), calls),
            TokenTree::Ident(name) => {
                let name = name.to_string();
                let called = opens(tokens.get(k + 1)) || turbofish(&tokens[k + 1..]);
                match before(&tokens, k) {
                    Before::Dot if called => drop(calls.methods.insert(name.clone())),
                    // Also without a call: `map(Type::name)`.
                    Before::Path(owner) => {
                        calls.paths.insert(format!("{owner}::{name}"));
                        calls.paths.insert(name.clone());
                    }
                    Before::Other if called => drop(calls.paths.insert(name.clone())),
                    _ => {}
                }
                calls.words.insert(name);
            }
            _ => {}
        }
    }
}

fn opens(token: Option<&TokenTree>) -> bool {
    matches!(token, Some(TokenTree::Group(group)) if group.delimiter() == Delimiter::Parenthesis)
}

fn is(token: Option<&TokenTree>, mark: char) -> bool {
    matches!(token, Some(TokenTree::Punct(found)) if found.as_char() == mark)
}

/// `::<…>(` behind a name.
fn turbofish(tokens: &[TokenTree]) -> bool {
    let starts = is(tokens.first(), ':') && is(tokens.get(1), ':') && is(tokens.get(2), '<');
    starts && (3..tokens.len().min(12)).any(|k| is(tokens.get(k), '>') && opens(tokens.get(k + 1)))
}

enum Before {
    Dot,
    Path(String),
    Other,
}

fn before(tokens: &[TokenTree], k: usize) -> Before {
    let at = |back: usize| k.checked_sub(back).and_then(|k| tokens.get(k));
    match (at(3), at(2), at(1)) {
        (Some(TokenTree::Ident(owner)), colon, second) if is(colon, ':') && is(second, ':') => {
            Before::Path(owner.to_string())
        }
        (.., dot) if is(dot, '.') => Before::Dot,
        _ => Before::Other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_in_expressions_and_macros() {
        let mut calls = Calls::default();
        let text = "fn a() { assert!(Type::new(b(1)).get() == xs.map(Kind::of)); c::<u8>(d); e.field; // gone()\n \"f()\"; }";
        collect(text.parse().unwrap(), &mut calls);
        let paths: Vec<_> = calls.paths.iter().map(String::as_str).collect();
        assert_eq!(paths, ["Kind::of", "Type::new", "a", "b", "c", "new", "of"]);
        assert_eq!(calls.methods.iter().map(String::as_str).collect::<Vec<_>>(), ["get", "map"]);
        assert!(calls.words.contains("Type") && !calls.words.contains("gone"));
    }

    #[test]
    fn only_the_tests_of_a_file_of_code_count() {
        let mut calls = Calls::default();
        inline(
            "fn a() { b() } mod tests { fn c() { d() } } mod other { fn e() { f() } }".parse().unwrap(),
            &mut calls,
        );
        assert_eq!(calls.paths.iter().map(String::as_str).collect::<Vec<_>>(), ["c", "d"]);
    }
}
