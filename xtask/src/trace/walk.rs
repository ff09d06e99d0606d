//! Parses the sources: for each crate the module tree from `src/lib.rs` (and `src/main.rs`) and the files of `tests/`,
//! and every harness below `proofs/`.

mod macros;
mod scope;

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use proc_macro2::Ident;
use syn::{Attribute, ImplItem, Item, TraitItem, UseTree, Visibility};

use self::macros::{Defined, functions};
use self::scope::Scope;
use super::crates::{self, Crate};
use super::source::{Alias, Method, Place, Source, TestText, join};
use super::spelling::Ids;
use super::statement::Statement;
use super::{Root, TraceError};

/// Functions below `proofs/` with this prefix are harnesses; others help them.
const HARNESS: &str = "verify_";

/// The method that decides a contract.
pub(super) const HOLDS: &str = "holds";

/// A file of code with its module; test code is left out.
pub(super) struct Parsed {
    pub(super) module: String,
    pub(super) file: String,
    pub(super) code: Rc<syn::File>,
}

/// What the sources contain, and the files of code themselves.
pub(super) fn read(root: &Root) -> Result<(Source, Vec<Parsed>), TraceError> {
    let crates = crates::read(root)?;
    let mut walk = Walk { root, source: Source::new(&crates), parsed: Vec::new() };
    for package in &crates {
        walk.package(package)?;
    }
    for path in root.files("proofs", "rs")? {
        walk.harnesses(&path)?;
    }
    walk.source.attach_methods();
    Ok((walk.source, walk.parsed))
}

struct Walk<'a> {
    root: &'a Root,
    source: Source,
    parsed: Vec<Parsed>,
}

impl Walk<'_> {
    /// The modules and the tests of one package.
    fn package(&mut self, package: &Crate) -> Result<(), TraceError> {
        let root = self.root;
        let roots = ["lib.rs", "main.rs"].map(|name| format!("{}src/{name}", package.folder));
        for file in roots.into_iter().filter(|file| root.has(file)) {
            self.file(&Scope::code(package, file))?;
        }
        let tests = format!("{}tests", package.folder);
        for path in root.files(&tests, "rs")? {
            if stands_alone(&path) {
                self.file(&Scope::test(&path))?;
            }
        }
        Ok(())
    }

    fn file(&mut self, scope: &Scope) -> Result<(), TraceError> {
        let text = self.root.read(&scope.file)?;
        let file = parse(&scope.file, &text)?;
        let whole = scope.test.is_some() || scope.module.split("::").any(|part| part == "tests");
        self.source.test_texts.insert(scope.file.clone(), TestText { text, whole });
        if scope.holds_code() {
            self.source.modules.insert(scope.module.clone());
        }
        if scope.holds_code() && !scope.module.is_empty() {
            let place = Place { file: scope.file.clone(), line: 1, ids: ids(&file.attrs) };
            // A package's library comes before its binary.
            self.source.items.entry(scope.module.clone()).or_insert(place);
        }
        file.items.iter().try_for_each(|item| self.item(scope, item))?;
        if scope.holds_code() && !scope.gated {
            let (module, file_name) = (scope.module.clone(), scope.file.clone());
            self.parsed.push(Parsed { module, file: file_name, code: file });
        }
        Ok(())
    }

    fn item(&mut self, scope: &Scope, item: &Item) -> Result<(), TraceError> {
        match item {
            Item::Mod(item) => return self.module(scope, item),
            Item::Use(item) => {
                let public = is_public(&item.vis);
                self.uses(scope, &item.tree, &mut Vec::new(), public);
            }
            Item::Fn(item) => self.function(scope, item),
            Item::Struct(item) => self.define(scope, &item.ident, &item.attrs, is_public(&item.vis)),
            Item::Union(item) => self.define(scope, &item.ident, &item.attrs, is_public(&item.vis)),
            Item::Type(item) => self.define(scope, &item.ident, &item.attrs, is_public(&item.vis)),
            Item::Const(item) => self.define(scope, &item.ident, &item.attrs, is_public(&item.vis)),
            Item::Static(item) => self.define(scope, &item.ident, &item.attrs, is_public(&item.vis)),
            Item::Enum(item) => self.variants(scope, item),
            Item::Trait(item) => self.trait_methods(scope, item),
            Item::Impl(item) => self.methods(scope, item),
            Item::Macro(item) => self.macro_call(scope, item),
            _ => {}
        }
        Ok(())
    }

    fn define(&mut self, scope: &Scope, name: &Ident, attributes: &[Attribute], public: bool) {
        if scope.holds_code() {
            let path = join(&scope.module, &name.to_string());
            if public {
                self.source.public.insert(path.clone());
            }
            self.source.items.insert(path, scope.place(name, ids(attributes)));
        }
    }

    fn function(&mut self, scope: &Scope, item: &syn::ItemFn) {
        let name = &item.sig.ident;
        if item.attrs.iter().any(is_test) {
            let place = scope.place(name, ids(&item.attrs));
            self.source.tests.insert(scope.test_path(&name.to_string()), place);
        } else {
            self.define(scope, name, &item.attrs, is_public(&item.vis));
            self.callable(scope, name, false);
        }
    }

    /// Notes that a name is a function.
    fn callable(&mut self, scope: &Scope, name: &Ident, contract: bool) {
        if scope.holds_code() {
            self.source.functions.insert(join(&scope.module, &name.to_string()), contract);
        }
    }

    fn module(&mut self, scope: &Scope, item: &syn::ItemMod) -> Result<(), TraceError> {
        let name = item.ident.to_string();
        if is_public(&item.vis) && scope.holds_code() {
            self.source.public.insert(join(&scope.module, &name));
        }
        if let Some((_, items)) = &item.content {
            self.define(scope, &item.ident, &item.attrs, is_public(&item.vis));
            let inner = Scope { gated: scope.gated || !ships(&item.attrs), ..scope.inline(&name) };
            if scope.holds_code() {
                self.source.modules.insert(inner.module.clone());
            }
            return items.iter().try_for_each(|item| self.item(&inner, item));
        }
        let path = item.attrs.iter().find(|a| a.path().is_ident("path")).and_then(text_of);
        match scope.child(&name, path, self.root) {
            // One program may hold several files of tests; each is read by itself.
            Some(child) if scope.test.is_some() && stands_alone(&child.file) => Ok(()),
            Some(child) => self.file(&Scope { gated: scope.gated || !ships(&item.attrs), ..child }),
            None => Err(TraceError::Malformed {
                path: format!("{}:{}", scope.file, item.ident.span().start().line),
                reason: format!("module {name} has no file"),
            }),
        }
    }

    fn uses(&mut self, scope: &Scope, tree: &UseTree, prefix: &mut Vec<String>, public: bool) {
        match tree {
            UseTree::Path(path) => {
                prefix.push(path.ident.to_string());
                self.uses(scope, &path.tree, prefix, public);
                prefix.pop();
            }
            UseTree::Group(group) => {
                group.items.iter().for_each(|tree| self.uses(scope, tree, prefix, public));
            }
            UseTree::Name(name) => self.alias(scope, &name.ident, &name.ident, prefix, public),
            UseTree::Rename(name) => self.alias(scope, &name.rename, &name.ident, prefix, public),
            UseTree::Glob(_) => {}
        }
    }

    fn alias(&mut self, scope: &Scope, name: &Ident, of: &Ident, prefix: &[String], public: bool) {
        let mut target = prefix.to_vec();
        let mut name = name.to_string();
        // `use a::b::{self, …}` brings in `b`.
        if of == "self" {
            name = if name == "self" { target.last().cloned().unwrap_or_default() } else { name };
        } else {
            target.push(of.to_string());
        }
        if scope.holds_code() {
            let alias = Alias { module: scope.module.clone(), target, public };
            self.source.aliases.insert(join(&scope.module, &name), alias);
        }
    }

    fn variants(&mut self, scope: &Scope, item: &syn::ItemEnum) {
        let public = is_public(&item.vis);
        self.define(scope, &item.ident, &item.attrs, public);
        let inner = scope.inline(&item.ident.to_string());
        item.variants.iter().for_each(|variant| self.define(&inner, &variant.ident, &variant.attrs, public));
    }

    fn trait_methods(&mut self, scope: &Scope, item: &syn::ItemTrait) {
        let public = is_public(&item.vis);
        self.define(scope, &item.ident, &item.attrs, public);
        let inner = scope.inline(&item.ident.to_string());
        for member in &item.items {
            match member {
                TraitItem::Fn(f) => {
                    self.define(&inner, &f.sig.ident, &f.attrs, public);
                    self.callable(&inner, &f.sig.ident, false);
                }
                TraitItem::Const(c) => self.define(&inner, &c.ident, &c.attrs, public),
                _ => {}
            }
        }
    }

    fn methods(&mut self, scope: &Scope, item: &syn::ItemImpl) {
        let syn::Type::Path(owner) = item.self_ty.as_ref() else { return };
        let Some(owner) = owner.path.segments.last().map(|segment| segment.ident.to_string()) else { return };
        if !scope.holds_code() {
            return;
        }
        // What a trait asks for is listed with the trait.
        let own = item.trait_.is_none();
        let found = item.items.iter().filter_map(|member| match member {
            ImplItem::Fn(f) => Some((&f.sig.ident, &f.attrs, &f.vis, own)),
            ImplItem::Const(c) => Some((&c.ident, &c.attrs, &c.vis, false)),
            _ => None,
        });
        for (name, attributes, visibility, function) in found {
            self.source.methods.push(Method {
                module: scope.module.clone(),
                owner: owner.clone(),
                name: name.to_string(),
                place: scope.place(name, ids(attributes)),
                function,
                public: is_public(visibility),
            });
        }
    }

    fn macro_call(&mut self, scope: &Scope, item: &syn::ItemMacro) {
        if let Some(name) = &item.ident {
            return self.define(scope, name, &item.attrs, false);
        }
        let Some(called) = item.mac.path.segments.last().map(|segment| segment.ident.to_string()) else {
            return;
        };
        if let Some(found) = Statement::of(&item.mac.tokens).filter(|_| called == "contract") {
            let ids = Ids { uses: found.specs, ..Ids::default() };
            if scope.holds_code() {
                self.source.methods.push(Method {
                    module: scope.module.clone(),
                    owner: found.name.to_string(),
                    name: HOLDS.to_owned(),
                    place: scope.place(&found.name, ids),
                    function: true,
                    public: true,
                });
            }
            return;
        }
        for Defined { name, ids, public } in functions(&item.mac.tokens) {
            let place = scope.place(&name, ids);
            match called.as_str() {
                "quickcheck" => drop(self.source.tests.insert(scope.test_path(&name.to_string()), place)),
                "contract" if scope.holds_code() => {
                    let path = join(&scope.module, &name.to_string());
                    if public {
                        self.source.public.insert(path.clone());
                    }
                    self.source.items.insert(path, place);
                    self.callable(scope, &name, true);
                }
                _ => {}
            }
        }
    }

    /// Harnesses of one file, in nested modules and in macro calls too.
    fn harnesses(&mut self, path: &str) -> Result<(), TraceError> {
        let file = parse(path, &self.root.read(path)?)?;
        let scope = Scope::test(path);
        self.harness_items(&scope, &file.items);
        Ok(())
    }

    fn harness_items(&mut self, scope: &Scope, items: &[Item]) {
        for item in items {
            match item {
                Item::Mod(syn::ItemMod { content: Some((_, items)), .. }) => self.harness_items(scope, items),
                Item::Fn(f) => self.harness(scope, &f.sig.ident, ids(&f.attrs)),
                Item::Macro(call) if call.ident.is_none() => {
                    for Defined { name, ids, .. } in functions(&call.mac.tokens) {
                        self.harness(scope, &name, ids);
                    }
                }
                _ => {}
            }
        }
    }

    fn harness(&mut self, scope: &Scope, name: &Ident, ids: Ids) {
        if name.to_string().starts_with(HARNESS) {
            self.source.harnesses.insert(name.to_string(), scope.place(name, ids));
        }
    }
}

thread_local! {
    /// What this thread has parsed, by its text: a reader of copies of a tree meets the same files again. A syntax
    /// tree cannot leave its thread.
    static PARSED: RefCell<HashMap<String, Rc<syn::File>>> = RefCell::default();
}

fn parse(path: &str, text: &str) -> Result<Rc<syn::File>, TraceError> {
    if let Some(known) = PARSED.with_borrow(|parsed| parsed.get(text).cloned()) {
        return Ok(known);
    }
    let file = syn::parse_file(text).map(Rc::new).map_err(|error| TraceError::Malformed {
        path: format!("{path}:{}", error.span().start().line),
        reason: error.to_string(),
    })?;
    PARSED.with_borrow_mut(|parsed| parsed.insert(text.to_owned(), Rc::clone(&file)));
    Ok(file)
}

/// Whether a file below `tests/` is one of its own: right in that folder, or the file main.rs of a folder in it.
fn stands_alone(path: &str) -> bool {
    let below = path.rsplit_once("tests/").map_or(path, |(_, below)| below);
    matches!(below.split('/').collect::<Vec<_>>()[..], [_] | [_, "main.rs"])
}

/// Whether what has these attributes is part of an ordinary build: neither of tests, nor of
/// documentation tests, nor of Kani's.
pub(super) fn ships(attributes: &[Attribute]) -> bool {
    fn holds(condition: &syn::Meta) -> bool {
        match condition {
            syn::Meta::Path(name) => !["test", "kani", "doctest"].iter().any(|word| name.is_ident(word)),
            syn::Meta::NameValue(_) => true,
            syn::Meta::List(list) => {
                let parse = syn::punctuated::Punctuated::<syn::Meta, syn::Token![,]>::parse_terminated;
                let Ok(inner) = list.parse_args_with(parse) else { return true };
                match list.path.get_ident().map(ToString::to_string).as_deref() {
                    Some("not") => !inner.iter().all(holds),
                    Some("any") => inner.iter().any(holds),
                    _ => inner.iter().all(holds),
                }
            }
        }
    }
    let conditions = attributes.iter().filter(|attribute| attribute.path().is_ident("cfg"));
    conditions.filter_map(|attribute| attribute.parse_args::<syn::Meta>().ok()).all(|meta| holds(&meta))
        && !attributes.iter().any(is_test)
}

fn is_public(visibility: &Visibility) -> bool {
    matches!(visibility, Visibility::Public(_))
}

/// The ids in the documentation among these attributes.
fn ids(attributes: &[Attribute]) -> Ids {
    let lines: Vec<_> = attributes.iter().filter(|a| a.path().is_ident("doc")).filter_map(text_of).collect();
    Ids::of(&lines.join("\n"))
}

/// `text` of `#[name = "text"]`.
fn text_of(attribute: &Attribute) -> Option<String> {
    let syn::Meta::NameValue(pair) = &attribute.meta else { return None };
    let syn::Expr::Lit(syn::ExprLit { lit: syn::Lit::Str(text), .. }) = &pair.value else { return None };
    Some(text.value())
}

fn is_test(attribute: &Attribute) -> bool {
    attribute.path().segments.last().is_some_and(|segment| segment.ident == "test")
}
