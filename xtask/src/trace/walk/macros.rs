//! Functions inside macro calls: `contract!` and `quickcheck!` hold ordinary functions that only the macro sees.

use proc_macro2::{Delimiter, Ident, TokenStream, TokenTree};

use crate::trace::spelling::Ids;

/// A function whose definition stands in the tokens of a macro call.
pub(super) struct Defined {
    pub(super) name: Ident,
    pub(super) ids: Ids,
    /// Declared `pub`, and not `pub(crate)`.
    pub(super) public: bool,
}

/// The functions on the outermost level. Their ids come from doc comments and from `spec "id";`.
pub(super) fn functions(tokens: &TokenStream) -> Vec<Defined> {
    let mut found = Vec::new();
    let mut documentation = String::new();
    let mut stated = None;
    let tokens: Vec<TokenTree> = tokens.clone().into_iter().collect();
    for (k, token) in tokens.iter().enumerate() {
        match (token, tokens.get(k + 1)) {
            (TokenTree::Punct(mark), Some(TokenTree::Group(group)))
                if mark.as_char() == '#' && group.delimiter() == Delimiter::Bracket =>
            {
                documentation.extend(doc_text(group.stream()));
            }
            (TokenTree::Ident(word), Some(TokenTree::Literal(id))) if word == "spec" => {
                stated = unquoted(&id.to_string());
            }
            (TokenTree::Ident(word), Some(TokenTree::Ident(name))) if word == "fn" => {
                let mut ids = Ids::of(&documentation);
                ids.claims.extend(stated.take());
                let before = k.checked_sub(1).and_then(|before| tokens.get(before));
                let public = matches!(before, Some(TokenTree::Ident(word)) if word == "pub");
                found.push(Defined { name: name.clone(), ids, public });
                documentation.clear();
            }
            _ => {}
        }
    }
    found
}

/// The text of `doc = "text"`, with a line end.
fn doc_text(attribute: TokenStream) -> Option<String> {
    let mut tokens = attribute.into_iter();
    match (tokens.next()?, tokens.next()?, tokens.next()?) {
        (TokenTree::Ident(word), _, TokenTree::Literal(text)) if word == "doc" => {
            unquoted(&text.to_string()).map(|text| text + "\n")
        }
        _ => None,
    }
}

fn unquoted(literal: &str) -> Option<String> {
    syn::parse_str::<syn::LitStr>(literal).ok().map(|text| text.value())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_in_tokens_with_their_ids() {
        let text =
            "spec \"a:b\"; /// One.\n pub fn first(x: f64) -> f64 where requires x > 0.0; { fn inner() {} }
            /// Two. spec: `c:d`\n fn second() -> bool { true }";
        let found = functions(&text.parse().unwrap());
        let shown: Vec<_> = found.iter().map(|f| (f.name.to_string(), f.ids.claims.clone())).collect();
        assert_eq!(found.iter().map(|f| f.public).collect::<Vec<_>>(), [true, false]);
        assert_eq!(shown, [("first".into(), vec!["a:b".into()]), ("second".into(), vec!["c:d".to_owned()])]);
    }
}
