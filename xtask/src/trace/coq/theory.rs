//! The declarations of one Coq file: what it proves, defines and assumes, with the sections in scope.

use super::Mistake;
use super::lexer::{Sentence, Token, sentences};
use super::term::{self, Bound, fields, find, group_end, premises, without_attributes};

/// What a name stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::trace) enum Sort {
    /// A lemma, theorem or corollary whose proof ends with `Qed` or `Defined`, or that is given by a term.
    Theorem,
    /// One whose proof is given up.
    Unproved,
    /// A definition, an inductive type or a record.
    Definition,
    /// Taken as given: no proof is asked for.
    Axiom,
}

/// One name of a file.
#[derive(Clone, Debug)]
pub(in crate::trace) struct Declaration {
    /// With the modules inside of the file; sections do not count.
    pub(in crate::trace) name: String,
    pub(in crate::trace) sort: Sort,
    pub(in crate::trace) line: usize,
    /// Variables of sections in scope, its own binders, and the premises of its statement.
    pub(in crate::trace) hypotheses: Vec<Bound>,
    /// The fields, if it is a record.
    pub(in crate::trace) fields: Option<Vec<Bound>>,
    /// Its values are propositions.
    pub(in crate::trace) predicate: bool,
}

const STATEMENTS: [&str; 8] =
    ["Theorem", "Lemma", "Corollary", "Proposition", "Fact", "Remark", "Property", "Example"];
const DEFINITIONS: [&str; 15] = [
    "Definition",
    "Fixpoint",
    "CoFixpoint",
    "Function",
    "Instance",
    "Canonical",
    "Coercion",
    "Let",
    "Record",
    "Structure",
    "Class",
    "Inductive",
    "CoInductive",
    "Variant",
    "Abbreviation",
];
/// Those that may have fields.
const RECORDS: [&str; 6] = ["Record", "Structure", "Class", "Inductive", "CoInductive", "Variant"];
const AXIOMS: [&str; 6] = ["Axiom", "Axioms", "Parameter", "Parameters", "Conjecture", "Conjectures"];
const VARIABLES: [&str; 5] = ["Variable", "Variables", "Hypothesis", "Hypotheses", "Context"];
/// Words before a command that do not change what it declares.
const PREFIXES: [&str; 9] = [
    "Local",
    "Global",
    "Program",
    "Polymorphic",
    "Monomorphic",
    "Time",
    "HB.instance",
    "HB.mixin",
    "HB.factory",
];

/// Reads a file.
pub(super) fn parse(text: &str) -> Result<Vec<Declaration>, Mistake> {
    let mut theory = Theory::default();
    for sentence in sentences(text)? {
        theory.sentence(&sentence)?;
    }
    match theory.scopes.last() {
        Some(scope) => Err(Mistake::new(scope.line, &format!("{} has no end", scope.name))),
        None => Ok(theory.found),
    }
}

#[derive(PartialEq, Eq)]
enum Scoping {
    Section,
    Module,
    /// What it declares is asked for, not given.
    Interface,
}

struct Scope {
    scoping: Scoping,
    name: String,
    line: usize,
    variables: Vec<Bound>,
}

#[derive(Default)]
struct Theory {
    found: Vec<Declaration>,
    scopes: Vec<Scope>,
    /// The statement whose proof is open.
    open: Option<usize>,
}

impl Theory {
    fn sentence(&mut self, sentence: &Sentence) -> Result<(), Mistake> {
        let tokens = command(sentence)?;
        let Some((first, rest)) = tokens.split_first() else { return Ok(()) };
        let Some(word) = first.word() else { return Ok(()) };
        match word {
            "Section" => self.enter(Scoping::Section, first.line, rest)?,
            "Module" => self.module(first.line, rest)?,
            "End" => self.leave(first.line, rest)?,
            "Qed" | "Defined" => self.close(first, Sort::Theorem),
            "Admitted" | "Abort" => self.close(first, Sort::Unproved),
            // `Proof term.` is a whole proof.
            "Proof" if rest.first().is_some_and(|next| !next.is("using") && !next.is("with")) => {
                self.close(first, Sort::Theorem);
            }
            word if STATEMENTS.contains(&word) => self.statement(first.line, rest)?,
            word if DEFINITIONS.contains(&word) => self.definition(first, rest)?,
            word if AXIOMS.contains(&word) => self.axioms(first.line, rest)?,
            word if VARIABLES.contains(&word) => self.variables(first.line, rest)?,
            _ => {}
        }
        Ok(())
    }

    fn enter(&mut self, scoping: Scoping, line: usize, rest: &[Token]) -> Result<(), Mistake> {
        let name =
            rest.first().and_then(Token::word).ok_or_else(|| Mistake::new(line, "a scope without a name"))?;
        self.scopes.push(Scope { scoping, name: name.to_owned(), line, variables: Vec::new() });
        Ok(())
    }

    fn module(&mut self, line: usize, mut rest: &[Token]) -> Result<(), Mistake> {
        let mut scoping = Scoping::Module;
        while let Some(first) = rest.first().filter(|t| ["Type", "Import", "Export"].iter().any(|w| t.is(w)))
        {
            if first.is("Type") {
                scoping = Scoping::Interface;
            }
            rest = &rest[1..];
        }
        if find(rest, ":=").is_some() {
            return Ok(());
        }
        if rest.get(1).is_some_and(|token| token.is("(")) {
            return Err(Mistake::new(line, "a module with parameters: their fields would be hypotheses"));
        }
        self.enter(scoping, line, rest)
    }

    fn leave(&mut self, line: usize, rest: &[Token]) -> Result<(), Mistake> {
        let name = rest.first().and_then(Token::word).unwrap_or_default();
        match self.scopes.pop() {
            Some(scope) if scope.name == name => Ok(()),
            _ => Err(Mistake::new(line, &format!("End {name} ends nothing"))),
        }
    }

    /// The end of a proof. Giving up one that no name of ours opened, an obligation for instance, is noted as well.
    fn close(&mut self, end: &Token, sort: Sort) {
        match self.open.take() {
            Some(open) => {
                let declaration = &mut self.found[open];
                if declaration.sort == Sort::Unproved || sort == Sort::Unproved {
                    declaration.sort = sort;
                }
            }
            None if end.is("Admitted") => {
                let name = self.qualified("(an obligation)");
                let head = Head { name, line: end.line, hypotheses: self.in_scope(), kind: &[], body: None };
                self.push(head, sort, None, false);
            }
            None => {}
        }
    }

    /// With the names of the modules around it.
    fn qualified(&self, name: &str) -> String {
        let modules = self.scopes.iter().filter(|scope| scope.scoping != Scoping::Section);
        let parts: Vec<_> = modules.map(|scope| scope.name.as_str()).chain([name]).collect();
        parts.join(".")
    }

    fn in_scope(&self) -> Vec<Bound> {
        self.scopes.iter().flat_map(|scope| scope.variables.clone()).collect()
    }

    /// A name with its binders, and where its type and its body are.
    fn head<'a>(&self, line: usize, tokens: &'a [Token]) -> Result<Option<Head<'a>>, Mistake> {
        // `Instance : C.` has none.
        let Some(name) = tokens.first().and_then(Token::word) else { return Ok(None) };
        let tokens = &tokens[1..];
        let tokens = universes(tokens)?;
        let body = term::definition(tokens).unwrap_or(tokens.len());
        let colon = find(&tokens[..body], ":").unwrap_or(body);
        let mut hypotheses = self.in_scope();
        let binders = &tokens[..colon];
        // `{struct n}` says why a recursion ends.
        let ends = binders
            .iter()
            .position(|token| token.is("struct"))
            .map_or(binders.len(), |k| k.saturating_sub(1));
        hypotheses.extend(term::binders(&binders[..ends])?);
        Ok(Some(Head {
            name: self.qualified(name),
            line,
            hypotheses,
            kind: tokens.get(colon + 1..body).unwrap_or_default(),
            body: tokens.get(body + 1..),
        }))
    }

    fn push(&mut self, head: Head, sort: Sort, fields: Option<Vec<Bound>>, predicate: bool) {
        let Head { name, line, hypotheses, .. } = head;
        self.found.push(Declaration { name, sort, line, hypotheses, fields, predicate });
    }

    fn statement(&mut self, line: usize, rest: &[Token]) -> Result<(), Mistake> {
        let head = self.head(line, rest)?;
        let mut head = head.ok_or_else(|| Mistake::new(line, "a statement without a name"))?;
        head.hypotheses.extend(premises(head.kind)?);
        let given = head.body.is_some();
        self.push(head, if given { Sort::Theorem } else { Sort::Unproved }, None, false);
        self.open = (!given).then(|| self.found.len() - 1);
        Ok(())
    }

    fn definition(&mut self, command: &Token, rest: &[Token]) -> Result<(), Mistake> {
        let Some(head) = self.head(command.line, rest)? else { return Ok(()) };
        // `Canonical x.` and `Coercion x : A >-> B.` speak of an x that is there already.
        if head.body.is_none() && (command.is("Canonical") || command.is("Coercion")) {
            return Ok(());
        }
        let is_predicate = |name: &str| self.found.iter().any(|known| known.predicate && known.name == name);
        let prop = head.kind.last().is_some_and(|token| token.is("Prop"));
        let body = head.body.unwrap_or_default();
        // A quantified body is a proposition, whatever it ends in.
        let quantified = body.first().is_some_and(|first| first.is("forall") || first.is("exists"));
        let predicate =
            prop || head.kind.is_empty() && (quantified || term::proposition(body, &is_predicate));
        let fields = match body {
            _ if !RECORDS.contains(&command.text.as_str()) => None,
            [first, ..] if first.is("{") => Some(braces(body, 0)?),
            [name, second, ..] if name.word().is_some() && second.is("{") => Some(braces(body, 1)?),
            _ => None,
        };
        let given = head.body.is_some();
        self.push(head, Sort::Definition, fields, predicate);
        self.open = (!given).then(|| self.found.len() - 1);
        Ok(())
    }

    fn axioms(&mut self, line: usize, rest: &[Token]) -> Result<(), Mistake> {
        if self.scopes.iter().any(|scope| scope.scoping == Scoping::Interface) {
            return Ok(());
        }
        for bound in term::binders(rest)? {
            let name = self.qualified(&bound.key());
            let head = Head { name, line, hypotheses: self.in_scope(), kind: &[], body: None };
            self.push(head, Sort::Axiom, None, false);
        }
        Ok(())
    }

    /// Outside of a section a variable is an axiom.
    fn variables(&mut self, line: usize, rest: &[Token]) -> Result<(), Mistake> {
        match self.scopes.iter_mut().rfind(|scope| scope.scoping == Scoping::Section) {
            Some(section) => {
                section.variables.extend(term::binders(rest)?);
                Ok(())
            }
            None => self.axioms(line, rest),
        }
    }
}

struct Head<'a> {
    name: String,
    line: usize,
    hypotheses: Vec<Bound>,
    kind: &'a [Token],
    /// What stands behind `:=`.
    body: Option<&'a [Token]>,
}

/// The fields in the braces that open at `from`.
fn braces(body: &[Token], from: usize) -> Result<Vec<Bound>, Mistake> {
    fields(&body[from + 1..group_end(body, from)?])
}

/// Without `@{u v}`.
fn universes(tokens: &[Token]) -> Result<&[Token], Mistake> {
    match tokens {
        [at, open, ..] if at.is("@") && open.is("{") => Ok(&tokens[group_end(tokens, 1)? + 1..]),
        _ => Ok(tokens),
    }
}

/// A sentence without bullets, attributes and prefixes; empty if it is expected to fail.
fn command(mut tokens: &[Token]) -> Result<&[Token], Mistake> {
    while let Some(first) = tokens.first() {
        if ["-", "+", "*", "{", "}"].iter().any(|bullet| first.is(bullet)) {
            tokens = &tokens[1..];
        } else if first.is("#") {
            let inner = without_attributes(tokens)?;
            tokens = if inner.len() < tokens.len() { inner } else { &tokens[1..] };
        } else if first.word().is_some_and(|word| PREFIXES.contains(&word)) {
            tokens = &tokens[1..];
        } else if first.is("Fail") {
            return Ok(&[]);
        } else {
            break;
        }
    }
    Ok(tokens)
}

#[cfg(test)]
mod tests;
