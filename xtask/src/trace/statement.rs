//! `contract!` of `contracts/`: the clauses that the numbers of one lemma, the fields of a struct, must satisfy.

use proc_macro2::TokenStream;
use syn::parse::{Parse, ParseStream};

/// One contract, parsed.
pub(super) struct Statement {
    /// The struct.
    pub(super) name: syn::Ident,
    /// Pages that its clauses come from.
    pub(super) specs: Vec<String>,
    /// Functions of the struct, written as closures.
    pub(super) clauses: Vec<syn::Expr>,
}

impl Statement {
    /// `None` for other things that a macro of this name is given.
    pub(super) fn of(tokens: &TokenStream) -> Option<Self> {
        syn::parse2(tokens.clone()).ok()
    }
}

impl Parse for Statement {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let name = input.parse()?;
        input.parse::<syn::Generics>()?;
        input.parse::<syn::Token![:]>()?;
        let (mut specs, mut clauses) = (Vec::new(), Vec::new());
        while !input.is_empty() {
            input.parse::<syn::Ident>()?;
            let spec = input.parse::<syn::LitStr>()?.value();
            if !specs.contains(&spec) {
                specs.push(spec);
            }
            input.parse::<syn::Token![,]>()?;
            input.parse::<syn::LitStr>()?;
            if input.peek(syn::Ident) {
                input.parse::<syn::Ident>()?;
                // Up to the arrow: a closure's body would go on.
                let mut condition = TokenStream::new();
                while !input.peek(syn::Token![=>]) {
                    condition.extend([input.parse::<proc_macro2::TokenTree>()?]);
                }
                clauses.push(syn::parse2(condition)?);
            }
            input.parse::<syn::Token![=>]>()?;
            clauses.push(input.parse()?);
            input.parse::<syn::Token![;]>()?;
        }
        Ok(Self { name, specs, clauses })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_contract_of_a_lemma() {
        let text = "Numbers<'a>: given \"c:d\", \"one is positive\" => |it| it.one > 0.0;
            ensures \"e:f\", \"two is long\" when |it| it.is_on() => |it| { it.length() > 2 };";
        let found = Statement::of(&text.parse().unwrap()).unwrap();
        assert_eq!((found.name.to_string(), found.clauses.len()), ("Numbers".to_owned(), 3));
        assert_eq!(found.specs, ["c:d", "e:f"]);
        let other = "spec \"a:b\"; fn x(y: f64) -> f64 where requires y > 0.0; { Some(y) }";
        assert!(Statement::of(&other.parse().unwrap()).is_none());
    }
}
