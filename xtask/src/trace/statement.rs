//! `contract!` of `contracts/`: a struct with the numbers of one lemma, and the clauses that they have to satisfy.

use proc_macro2::TokenStream;
use syn::parse::{Parse, ParseStream};

/// One contract, parsed.
pub(super) struct Statement {
    pub(super) attributes: Vec<syn::Attribute>,
    pub(super) name: syn::Ident,
    pub(super) fields: syn::FieldsNamed,
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
        let attributes = input.call(syn::Attribute::parse_outer)?;
        let name = input.parse()?;
        input.parse::<syn::Generics>()?;
        let fields = input.parse()?;
        let (mut specs, mut clauses) = (Vec::new(), Vec::new());
        while !input.is_empty() {
            input.parse::<syn::Ident>()?;
            specs.push(input.parse::<syn::LitStr>()?.value());
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
        Ok(Self { attributes, name, fields, specs, clauses })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_contract_of_a_lemma() {
        let text = "/// Words. spec: `a:b`\n Numbers<'a> { /// One.\n one: f64, two: &'a [u8], }
            given \"c:d\", \"one is positive\" => |it| it.one > 0.0;
            ensures \"e:f\", \"two is long\" when |it| it.is_on() => |it| { it.length() > 2 };";
        let found = Statement::of(&text.parse().unwrap()).unwrap();
        assert_eq!((found.name.to_string(), found.fields.named.len()), ("Numbers".to_owned(), 2));
        assert_eq!(
            (found.specs, found.clauses.len(), found.attributes.len()),
            (vec!["c:d".to_owned(), "e:f".to_owned()], 3, 1)
        );
        let other = "spec \"a:b\"; fn x(y: f64) -> f64 where requires y > 0.0; { Some(y) }";
        assert!(Statement::of(&other.parse().unwrap()).is_none());
    }
}
