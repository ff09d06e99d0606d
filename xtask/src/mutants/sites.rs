//! Where a file can be changed, and the file with all its changes behind a switch.
//!
//! A *site* is one place; each of its *mutants* is one thing that could stand there instead. What is written is the
//! same program with a question at every site (`crate::mutant::which(site)`, 0 unless that site was chosen), and no
//! expression twice: operands are evaluated once and then meet one operator or another. Each mutant has a line of its
//! own, so that a line of the compiler's errors names it.

use super::values::values;
use super::visit::hidden;
use proc_macro2::{Span, TokenStream};
use std::collections::BTreeSet;
use std::ops::Range;
use syn::parse::{ParseStream, Parser};
use syn::spanned::Spanned;
use syn::visit::Visit;
use syn::{Attribute, Block, Expr, ReturnType, Signature, Token};

/// One thing that could stand in place of what does.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub(super) struct Mutant {
    pub(super) site: u32,
    /// Which one of its site: from 1.
    pub(super) choice: u8,
    pub(super) file: String,
    pub(super) line: usize,
    /// The function that it is in.
    pub(super) function: String,
    /// What is replaced, and with what.
    pub(super) change: String,
}

impl Mutant {
    /// As the switch and the lines of the instrumented text spell it.
    pub(super) fn name(&self) -> String {
        format!("{}.{}", self.site, self.choice)
    }
}

/// What is left out: single mutants that do not compile, and sites that do not as a whole.
#[derive(Default, Clone)]
pub(super) struct Dropped {
    pub(super) mutants: BTreeSet<String>,
    pub(super) sites: BTreeSet<u32>,
}

/// An instrumented file, and its mutants (those that are dropped as well).
pub(super) struct Instrumented {
    pub(super) text: String,
    pub(super) mutants: Vec<Mutant>,
}

/// Puts every mutant of a file behind the switch. Sites are counted from `first`.
pub(super) fn instrument(
    path: &str,
    text: &str,
    first: u32,
    dropped: &Dropped,
) -> Result<Instrumented, syn::Error> {
    let file = syn::parse_file(text)?;
    let mut sites = Sites {
        path,
        text,
        next: first,
        dropped,
        mutants: Vec::new(),
        edits: Vec::new(),
        functions: Vec::new(),
    };
    sites.visit_file(&file);
    let mut edits = sites.edits;
    edits.sort_by_key(|edit| edit.key);
    let (mut written, mut at) = (String::new(), 0);
    for edit in edits {
        written.push_str(&text[at..edit.range.start]);
        written.push_str(&edit.text);
        at = edit.range.end;
    }
    written.push_str(&text[at..]);
    Ok(Instrumented { text: written, mutants: sites.mutants })
}

/// Text that goes to one place. What ends at a place comes before what is replaced there, and that before what begins
/// there; of what begins the outer comes first, of what ends the inner.
struct Edit {
    key: (usize, u8, isize),
    range: Range<usize>,
    text: String,
}

pub(super) struct Sites<'a> {
    path: &'a str,
    pub(super) text: &'a str,
    next: u32,
    dropped: &'a Dropped,
    mutants: Vec<Mutant>,
    edits: Vec<Edit>,
    pub(super) functions: Vec<String>,
}

impl Sites<'_> {
    /// A new site with its mutants, of which those that compile come back: number of the choice and text.
    pub(super) fn site(
        &mut self,
        span: Span,
        was: &str,
        alternatives: &[&str],
    ) -> Option<(u32, Vec<(u8, String)>)> {
        let site = self.next;
        self.next += 1;
        let mut kept = Vec::new();
        for (choice, alternative) in (1_u8..).zip(alternatives) {
            let mutant = Mutant {
                site,
                choice,
                file: self.path.to_owned(),
                line: span.start().line,
                function: self.functions.last().cloned().unwrap_or_default(),
                change: format!("{was} with {alternative}"),
            };
            if !self.dropped.mutants.contains(&mutant.name()) {
                kept.push((choice, (*alternative).to_owned()));
            }
            self.mutants.push(mutant);
        }
        let kept = (!kept.is_empty() && !self.dropped.sites.contains(&site)).then_some(kept)?;
        Some((site, kept))
    }

    pub(super) fn begins(&mut self, at: usize, text: String) {
        self.begins_instead(at..at, text);
    }

    /// For what is replaced where an outer site may begin as well.
    fn begins_instead(&mut self, range: Range<usize>, text: String) {
        let order = self.edits.len().cast_signed();
        self.edits.push(Edit { key: (range.start, 2, order), range, text });
    }

    pub(super) fn ends(&mut self, at: usize, text: String) {
        let order = -self.edits.len().cast_signed();
        self.edits.push(Edit { key: (at, 0, order), range: at..at, text });
    }

    fn replaces(&mut self, range: Range<usize>, text: String) {
        self.edits.push(Edit { key: (range.start, 1, 0), range, text });
    }

    /// `left op right`: both are evaluated, once.
    pub(super) fn operator(&mut self, whole: &syn::ExprBinary, was: &str, others: &[&str], compares: bool) {
        let Some((site, kept)) = self.site(whole.op.span(), was, others) else { return };
        let (open, close) = if compares { ("&(", ")") } else { ("", "") };
        let star = if compares { "*" } else { "" };
        let arms: String = kept
            .iter()
            .map(|(choice, other)| format!("\n/*M{site}.{choice}*/ {choice} => {star}__l {other} {star}__r,"))
            .collect();
        let range = whole.span().byte_range();
        self.begins(range.start, format!("/*S{site}<*/(match ({open}"));
        self.replaces(whole.op.span().byte_range(), format!("{close}, {open}"));
        self.ends(
            range.end,
            format!("{close}) {{ (__l, __r) => match crate::mutant::which({site}) {{{arms}\n_ => {star}__l {was} {star}__r }} }})/*S{site}>*/"),
        );
    }

    /// `left op= right`.
    pub(super) fn assignment(&mut self, whole: &syn::ExprBinary, was: &str, others: &[&str]) {
        let Some((site, kept)) = self.site(whole.op.span(), was, others) else { return };
        let place = self.text[whole.left.span().byte_range()].to_owned();
        let arms: String = kept
            .iter()
            .map(|(choice, other)| format!("\n/*M{site}.{choice}*/ {choice} => {place} {other} __r,"))
            .collect();
        let (left, right) = (whole.left.span().byte_range(), whole.right.span().byte_range());
        self.begins_instead(left.start..right.start, format!("/*S{site}<*/(match "));
        self.ends(
            right.end,
            format!(" {{ __r => match crate::mutant::which({site}) {{{arms}\n_ => {place} {was} __r }} }})/*S{site}>*/"),
        );
    }

    /// `left && right` and `left || right`: the right side is evaluated if it was, or if it would be.
    pub(super) fn lazy(&mut self, whole: &syn::ExprBinary, and: bool) {
        let (was, other) = if and { ("&&", "||") } else { ("||", "&&") };
        let Some((site, _)) = self.site(whole.op.span(), was, &[other]) else { return };
        let range = whole.span().byte_range();
        let relation = if and { "!=" } else { "==" };
        self.begins(range.start, format!("/*S{site}<*/(match ("));
        self.replaces(
            whole.op.span().byte_range(),
            format!(") {{ __l => if __l {relation} (crate::mutant::which({site}) == 1) {{"),
        );
        self.ends(range.end, format!("}} else {{ __l }} }})/*S{site}>*/"));
    }

    pub(super) fn unary(&mut self, whole: &syn::ExprUnary, was: &str) {
        let Some((site, _)) = self.site(whole.op.span(), was, &["nothing"]) else { return };
        let range = whole.span().byte_range();
        self.begins_instead(whole.op.span().byte_range(), format!("/*S{site}<*/(match ("));
        self.ends(
            range.end,
            format!(") {{ __v => match crate::mutant::which({site}) {{\n/*M{site}.1*/ 1 => __v,\n_ => {was}__v }} }})/*S{site}>*/"),
        );
    }

    fn body(&mut self, signature: &Signature, block: &Block) {
        if block.stmts.is_empty() || signature.ident == "main" {
            return;
        }
        let values = match &signature.output {
            ReturnType::Default => vec!["()".to_owned()],
            ReturnType::Type(_, kind) => values(kind),
        };
        let names: Vec<&str> = values.iter().map(String::as_str).collect();
        let Some((site, kept)) = self.site(signature.ident.span(), "body", &names) else { return };
        let arms: String = kept
            .iter()
            .map(|(choice, value)| format!("\n/*M{site}.{choice}*/ {choice} => return {value},"))
            .collect();
        let at = block.brace_token.span.open().byte_range().end;
        self.begins(
            at,
            format!("/*S{site}<*/match crate::mutant::which({site}) {{{arms}\n_ => {{}} }}/*S{site}>*/"),
        );
    }

    pub(super) fn function(&mut self, attributes: &[Attribute], signature: &Signature, block: &Block) {
        if hidden(attributes) || signature.constness.is_some() {
            return;
        }
        let owner = self.functions.last().map(|name| format!("{name}::")).unwrap_or_default();
        self.functions.push(format!("{owner}{}", signature.ident));
        self.body(signature, block);
        self.visit_block(block);
        self.functions.pop();
    }

    /// The clauses of a contract: each could be true whatever the numbers are.
    pub(super) fn clauses(&mut self, tokens: &TokenStream) {
        let parser = |input: ParseStream| {
            let name: syn::Ident = input.parse()?;
            let _: syn::Generics = input.parse()?;
            input.parse::<Token![:]>()?;
            let mut clauses = Vec::new();
            while !input.is_empty() {
                input.parse::<syn::Ident>()?;
                input.parse::<syn::LitStr>()?;
                input.parse::<Token![,]>()?;
                let clause: syn::LitStr = input.parse()?;
                if input.peek(syn::Ident) {
                    input.parse::<syn::Ident>()?;
                    clauses.push((None, input.parse::<Expr>()?));
                }
                input.parse::<Token![=>]>()?;
                clauses.push((Some(clause), input.parse::<Expr>()?));
                input.parse::<Token![;]>()?;
            }
            Ok((name, clauses))
        };
        let Ok((name, clauses)) = parser.parse2(tokens.clone()) else { return };
        self.functions.push(name.to_string());
        for (clause, closure) in &clauses {
            if let (Some(clause), Expr::Closure(closure)) = (clause, closure)
                && let Some((site, _)) = self.site(clause.span(), "clause", &["true"])
            {
                let range = closure.body.span().byte_range();
                self.begins(
                    range.start,
                    format!(
                        "/*S{site}<*/(match crate::mutant::which({site}) {{\n/*M{site}.1*/ 1 => true,\n_ => "
                    ),
                );
                self.ends(range.end, format!("}})/*S{site}>*/"));
            }
            self.visit_expr(closure);
        }
        self.functions.pop();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = r#"
        impl Sum { fn of(&self, a: f64, b: u64) -> f64 { if a <= 0.0 && !self.is(b) { -a + 2.0 } else { a } } }
        fn count(mut n: u64) { n += 1; match n { 1 => one(), k if k > 2 => two(), _ => {} } }
        contract! { Share<'a>: requires "own:x", "x is positive" when |it| it.y => |it| it.x + 1 > 0; }
        const TWO: u64 = 1 + 1;
        const fn three() -> u64 { 1 + 2 }
        #[cfg(test)] mod tests { fn four() -> u64 { 2 + 2 } }
        impl Display for Sum { fn fmt(&self) -> bool { 1 == 2 } }
        fn chained(x: Option<u64>) -> bool { if let Some(x) = x && x == 1 { true } else { [0; 1 + 1] == [0, 0] } }
    "#;

    #[test]
    fn every_place_is_a_site_and_no_other() {
        let made = instrument("a.rs", TEXT, 7, &Dropped::default()).unwrap();
        let changes: Vec<String> =
            made.mutants.iter().map(|it| format!("{}: {}", it.function, it.change)).collect();
        let expected = [
            "Sum::of: body with 0.0",
            "Sum::of: body with 1.0",
            "Sum::of: body with -1.0",
            "Sum::of: && with ||",
            "Sum::of: <= with >",
            "Sum::of: <= with <",
            "Sum::of: ! with nothing",
            "Sum::of: + with -",
            "Sum::of: + with *",
            "Sum::of: - with nothing",
            "count: body with ()",
            "count: += with -=",
            "count: += with *=",
            "count: arm 1 with nothing",
            "count: guard with false",
            "count: guard with true",
            "count: > with ==",
            "count: > with <",
            "count: > with >=",
            "Share: clause with true",
            "Share: > with ==",
            "Share: > with <",
            "Share: > with >=",
            "Share: + with -",
            "Share: + with *",
            "chained: body with true",
            "chained: body with false",
            "chained: == with !=",
            "chained: == with !=",
        ];
        assert_eq!(changes, expected);
        assert_eq!(made.mutants[0].name(), "7.1");
        // It is Rust, with a line for each mutant but `&&`, whose sides would both be written twice.
        syn::parse_file(&made.text).unwrap_or_else(|error| panic!("{error}: {}", made.text));
        let lines = made.text.lines().filter(|line| line.starts_with("/*M")).count();
        assert_eq!(lines, expected.len() - 1, "{}", made.text);
    }

    /// What is dropped leaves no trace, and does not change the numbers of the others.
    #[test]
    fn without_its_mutants_a_file_is_what_it_was() {
        let all = instrument("a.rs", TEXT, 7, &Dropped::default()).unwrap().mutants;
        let sites = all.iter().map(|it| it.site).collect();
        let by_site = Dropped { sites, mutants: BTreeSet::new() };
        let by_name = Dropped { sites: BTreeSet::new(), mutants: all.iter().map(Mutant::name).collect() };
        for dropped in [by_site, by_name] {
            let made = instrument("a.rs", TEXT, 7, &dropped).unwrap();
            assert_eq!(made.text, TEXT);
            assert_eq!(made.mutants.len(), all.len());
        }
    }
}
