//! Parses the sources: for each crate the module tree from `src/lib.rs` (and `src/main.rs`) and the files of `tests/`, and
//! every harness below `proofs/`.

mod macros;

use proc_macro2::Ident;
use syn::{Attribute, ImplItem, Item, TraitItem, UseTree, Visibility};

use self::macros::{Defined, functions};
use super::crates::{self, Crate};
use super::source::{Alias, Place, Source, join};
use super::spelling::Ids;
use super::{Root, TraceError};

/// Functions below `proofs/` with this prefix are harnesses; others help them.
const HARNESS: &str = "verify_";

pub(super) fn read(root: &Root) -> Result<Source, TraceError> {
    let crates = crates::read(root)?;
    let mut walk = Walk { root, source: Source::new(&crates) };
    for package in &crates {
        walk.package(package)?;
    }
    for path in root.files("proofs", "rs")? {
        walk.harnesses(&path)?;
    }
    walk.source.attach_methods();
    Ok(walk.source)
}

/// Where the walk is.
#[derive(Clone)]
struct Scope {
    file: String,
    /// The directory in which child modules are looked up.
    directory: String,
    module: String,
    /// Files that hold code start with this; those of mounted proofs do not.
    sources: String,
    /// `tests/name.rs` while in an integration test: only tests are recorded there.
    test: Option<String>,
}

impl Scope {
    /// The root of a library or of a binary.
    fn code(package: &Crate, file: String) -> Self {
        let sources = format!("{}src/", package.folder);
        Self {
            directory: folder(&file).to_owned(),
            file,
            module: package.prefix.clone(),
            sources,
            test: None,
        }
    }

    /// The root of an integration test.
    fn test(path: &str) -> Self {
        Self {
            file: path.into(),
            directory: folder(path).into(),
            module: String::new(),
            sources: String::new(),
            test: Some(path.into()),
        }
    }

    fn place(&self, name: &Ident, ids: Ids) -> Place {
        Place { file: self.file.clone(), line: name.span().start().line, ids }
    }

    fn test_path(&self, name: &str) -> String {
        let path = join(&self.module, name);
        self.test.as_ref().map_or_else(|| path.clone(), |file| format!("{file}::{path}"))
    }

    /// Items of a library or binary; those of tests and of mounted proofs are nobody's code path.
    fn holds_code(&self) -> bool {
        self.test.is_none() && self.file.starts_with(&self.sources)
    }

    fn inline(&self, name: &str) -> Self {
        Self {
            directory: format!("{}/{name}", self.directory),
            module: join(&self.module, name),
            ..self.clone()
        }
    }

    /// The scope of `mod name;`, with its file found as the compiler finds it.
    fn child(&self, name: &str, path: Option<String>, root: &Root) -> Option<Self> {
        let module = join(&self.module, name);
        if let Some(path) = path {
            let file = normal(&format!("{}/{path}", folder(&self.file)));
            let directory = folder(&file).to_owned();
            return root.has(&file).then_some(Self { file, directory, module, ..self.clone() });
        }
        let directory = format!("{}/{name}", self.directory);
        let file =
            [format!("{directory}.rs"), format!("{directory}/mod.rs")].into_iter().find(|f| root.has(f))?;
        Some(Self { file, directory, module, ..self.clone() })
    }
}

/// The folder of a file, without `/` behind it.
fn folder(file: &str) -> &str {
    file.rsplit_once('/').map_or("", |(folder, _)| folder)
}

/// Removes `a/..` from a path.
fn normal(path: &str) -> String {
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match part {
            ".." => drop(parts.pop()),
            "" | "." => {}
            part => parts.push(part),
        }
    }
    parts.join("/")
}

struct Walk<'a> {
    root: &'a Root,
    source: Source,
}

impl Walk<'_> {
    fn parse(&self, path: &str) -> Result<syn::File, TraceError> {
        syn::parse_file(&self.root.read(path)?).map_err(|error| TraceError::Malformed {
            path: format!("{path}:{}", error.span().start().line),
            reason: error.to_string(),
        })
    }

    /// The modules and the tests of one package.
    fn package(&mut self, package: &Crate) -> Result<(), TraceError> {
        let root = self.root;
        let roots = ["lib.rs", "main.rs"].map(|name| format!("{}src/{name}", package.folder));
        for file in roots.into_iter().filter(|file| root.has(file)) {
            self.file(&Scope::code(package, file))?;
        }
        let tests = format!("{}tests", package.folder);
        for path in root.files(&tests, "rs")? {
            // As Cargo finds them: each file, and the file main.rs of each folder.
            let below = path[tests.len() + 1..].split('/').collect::<Vec<_>>();
            if matches!(below[..], [_] | [_, "main.rs"]) {
                self.file(&Scope::test(&path))?;
            }
        }
        Ok(())
    }

    fn file(&mut self, scope: &Scope) -> Result<(), TraceError> {
        let file = self.parse(&scope.file)?;
        if scope.holds_code() && !scope.module.is_empty() {
            let place = Place { file: scope.file.clone(), line: 1, ids: ids(&file.attrs) };
            // A package's library comes before its binary.
            self.source.items.entry(scope.module.clone()).or_insert(place);
        }
        file.items.iter().try_for_each(|item| self.item(scope, item))
    }

    fn item(&mut self, scope: &Scope, item: &Item) -> Result<(), TraceError> {
        match item {
            Item::Mod(item) => return self.module(scope, item),
            Item::Use(item) => {
                let public = matches!(item.vis, Visibility::Public(_));
                self.uses(scope, &item.tree, &mut Vec::new(), public);
            }
            Item::Fn(item) => self.function(scope, &item.sig.ident, &item.attrs),
            Item::Struct(item) => self.define(scope, &item.ident, &item.attrs),
            Item::Union(item) => self.define(scope, &item.ident, &item.attrs),
            Item::Type(item) => self.define(scope, &item.ident, &item.attrs),
            Item::Const(item) => self.define(scope, &item.ident, &item.attrs),
            Item::Static(item) => self.define(scope, &item.ident, &item.attrs),
            Item::Enum(item) => self.variants(scope, item),
            Item::Trait(item) => self.trait_methods(scope, item),
            Item::Impl(item) => self.methods(scope, item),
            Item::Macro(item) => self.macro_call(scope, item),
            _ => {}
        }
        Ok(())
    }

    fn define(&mut self, scope: &Scope, name: &Ident, attributes: &[Attribute]) {
        if scope.holds_code() {
            let path = join(&scope.module, &name.to_string());
            self.source.items.insert(path, scope.place(name, ids(attributes)));
        }
    }

    fn function(&mut self, scope: &Scope, name: &Ident, attributes: &[Attribute]) {
        if attributes.iter().any(is_test) {
            let place = scope.place(name, ids(attributes));
            self.source.tests.insert(scope.test_path(&name.to_string()), place);
        } else {
            self.define(scope, name, attributes);
        }
    }

    fn module(&mut self, scope: &Scope, item: &syn::ItemMod) -> Result<(), TraceError> {
        let name = item.ident.to_string();
        if let Some((_, items)) = &item.content {
            self.define(scope, &item.ident, &item.attrs);
            let inner = scope.inline(&name);
            return items.iter().try_for_each(|item| self.item(&inner, item));
        }
        let path = item.attrs.iter().find(|a| a.path().is_ident("path")).and_then(text_of);
        match scope.child(&name, path, self.root) {
            Some(child) => self.file(&child),
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
        if scope.holds_code() && name != "self" {
            let mut target = prefix.to_vec();
            target.push(of.to_string());
            let alias = Alias { module: scope.module.clone(), target, public };
            self.source.aliases.insert(join(&scope.module, &name.to_string()), alias);
        }
    }

    fn variants(&mut self, scope: &Scope, item: &syn::ItemEnum) {
        self.define(scope, &item.ident, &item.attrs);
        let inner = scope.inline(&item.ident.to_string());
        item.variants.iter().for_each(|variant| self.define(&inner, &variant.ident, &variant.attrs));
    }

    fn trait_methods(&mut self, scope: &Scope, item: &syn::ItemTrait) {
        self.define(scope, &item.ident, &item.attrs);
        let inner = scope.inline(&item.ident.to_string());
        for member in &item.items {
            match member {
                TraitItem::Fn(f) => self.define(&inner, &f.sig.ident, &f.attrs),
                TraitItem::Const(c) => self.define(&inner, &c.ident, &c.attrs),
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
        let found = item.items.iter().filter_map(|member| match member {
            ImplItem::Fn(f) => Some((&f.sig.ident, &f.attrs)),
            ImplItem::Const(c) => Some((&c.ident, &c.attrs)),
            _ => None,
        });
        for (name, attributes) in found {
            let place = scope.place(name, ids(attributes));
            self.source.methods.push((scope.module.clone(), owner.clone(), name.to_string(), place));
        }
    }

    fn macro_call(&mut self, scope: &Scope, item: &syn::ItemMacro) {
        if let Some(name) = &item.ident {
            return self.define(scope, name, &item.attrs);
        }
        let Some(called) = item.mac.path.segments.last().map(|segment| segment.ident.to_string()) else {
            return;
        };
        for Defined { name, ids } in functions(&item.mac.tokens) {
            let place = scope.place(&name, ids);
            match called.as_str() {
                "quickcheck" => drop(self.source.tests.insert(scope.test_path(&name.to_string()), place)),
                "contract" if scope.holds_code() => {
                    self.source.items.insert(join(&scope.module, &name.to_string()), place);
                }
                _ => {}
            }
        }
    }

    /// Harnesses of one file, in nested modules and in macro calls too.
    fn harnesses(&mut self, path: &str) -> Result<(), TraceError> {
        let file = self.parse(path)?;
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
                    for Defined { name, ids } in functions(&call.mac.tokens) {
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
