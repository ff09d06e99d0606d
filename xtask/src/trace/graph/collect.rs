//! Nodes from parsed files: first every item with its signature, then what the bodies refer to.

use std::collections::{BTreeMap, BTreeSet};

use proc_macro2::{TokenStream, TokenTree};
use syn::parse::{Parse, ParseStream};
use syn::spanned::Spanned;
use syn::{Attribute, Item};

use super::infer::Signatures;
use super::lines::{self as named, Named};
use super::refer::{Body, Scene, refer};
use super::{Asked, Edge, Graph, NO_METHOD, Node, Sort};
use crate::trace::source::{Source, join, last};
use crate::trace::statement::Statement;
use crate::trace::walk::{HOLDS, Parsed, ships};

/// A node whose edges have still to be found.
struct Draft {
    node: Node,
    scene: Scene,
    bodies: Vec<Body>,
}

/// Everything that was collected.
#[derive(Default)]
pub(super) struct Drafts {
    all: Vec<Draft>,
    signatures: Signatures,
    /// Module, and name of the macro.
    invoked: Vec<(String, String)>,
    gated: BTreeMap<String, Vec<(usize, usize)>>,
    /// Enumerations whose variants can be made without their names: paths as seen from a module, or canonical ones.
    open: Vec<(String, Vec<String>)>,
    /// The first of its members, and one past the last.
    blocks: Vec<(String, (usize, usize), core::ops::Range<usize>)>,
    /// Lines that only name others.
    named: Vec<(String, (usize, usize), Vec<Named>)>,
    /// For each trait the types that have it, by their canonical paths or foreign names.
    implementors: BTreeMap<String, Vec<String>>,
    /// Names of traits that macros implement, for types that are not known here.
    by_macros: BTreeSet<String>,
}

/// A function inside of `contract!`.
struct Contract {
    item: syn::Signature,
    clauses: Vec<syn::Expr>,
    body: syn::Block,
}

impl Parse for Contract {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        input.parse::<syn::Ident>()?;
        input.parse::<syn::LitStr>()?;
        input.parse::<syn::Token![;]>()?;
        input.call(Attribute::parse_outer)?;
        input.parse::<syn::Visibility>()?;
        let item = syn::Signature {
            constness: None,
            asyncness: None,
            unsafety: None,
            abi: None,
            fn_token: input.parse()?,
            ident: input.parse()?,
            generics: syn::Generics::default(),
            paren_token: syn::token::Paren::default(),
            inputs: {
                let arguments;
                syn::parenthesized!(arguments in input);
                arguments.parse_terminated(syn::FnArg::parse, syn::Token![,])?
            },
            variadic: None,
            output: input.parse()?,
        };
        input.parse::<syn::Token![where]>()?;
        let mut clauses = Vec::new();
        while !input.peek(syn::token::Brace) {
            if input.parse::<syn::Ident>()? == "ensures" {
                let value;
                syn::parenthesized!(value in input);
                value.parse::<TokenStream>()?;
            }
            clauses.push(input.parse()?);
            input.parse::<syn::Token![;]>()?;
        }
        Ok(Self { item, clauses, body: input.parse()? })
    }
}

/// First and last line of something with its attributes.
fn lines(attributes: &[Attribute], whole: &impl Spanned) -> (usize, usize) {
    let span = whole.span();
    let first = attributes.iter().map(|attribute| attribute.span().start().line).min();
    (first.unwrap_or(usize::MAX).min(span.start().line), span.end().line)
}

/// The parts of a path without their parameters.
pub(super) fn parts(path: &syn::Path) -> Vec<String> {
    path.segments.iter().map(|segment| segment.ident.to_string()).collect()
}

/// Traits whose derived code makes no variant.
const MAKE_NOTHING: [&str; 11] = [
    "Clone",
    "Copy",
    "Debug",
    "Default",
    "PartialEq",
    "Eq",
    "PartialOrd",
    "Ord",
    "Hash",
    "Serialize",
    "Error",
];

/// Whether all that is derived makes no variant that is not written out. (`Default` makes the one that is marked.)
fn makes_nothing(attributes: &[Attribute]) -> bool {
    attributes.iter().filter(|attribute| attribute.path().is_ident("derive")).all(|attribute| {
        let parse = syn::punctuated::Punctuated::<syn::Path, syn::Token![,]>::parse_terminated;
        attribute.parse_args_with(parse).is_ok_and(|traits| {
            traits
                .iter()
                .all(|path| parts(path).last().is_some_and(|name| MAKE_NOTHING.contains(&name.as_str())))
        })
    })
}

/// The traits that a macro may implement: what stands before `for` in it. `*` for one whose name it is given.
fn implemented_by(tokens: &TokenStream, found: &mut BTreeSet<String>) {
    let tokens: Vec<TokenTree> = tokens.clone().into_iter().collect();
    let is = |k: usize, mark: char| matches!(tokens.get(k), Some(TokenTree::Punct(punct)) if punct.as_char() == mark);
    for (k, token) in tokens.iter().enumerate() {
        match token {
            TokenTree::Group(group) => implemented_by(&group.stream(), found),
            TokenTree::Ident(word) if word == "for" => {
                // Back over the parameters of the trait.
                let (mut at, mut depth) = (k, 0);
                while let Some(before) = at.checked_sub(1) {
                    at = before;
                    depth += i32::from(is(at, '>')) - i32::from(is(at, '<'));
                    if depth == 0 && !is(at, '<') {
                        break;
                    }
                }
                if let Some(TokenTree::Ident(name)) = tokens.get(at) {
                    let given = at > 0 && is(at - 1, '$');
                    found.insert(if given { "*".to_owned() } else { name.to_string() });
                }
            }
            _ => {}
        }
    }
}

fn has_attribute(attributes: &[Attribute], names: &[&str]) -> bool {
    attributes.iter().any(|attribute| names.iter().any(|name| attribute.path().is_ident(name)))
}

impl Drafts {
    pub(super) fn file(&mut self, source: &Source, file: &Parsed) {
        self.items(source, &file.module, &file.file, &file.code.items);
    }

    fn items(&mut self, source: &Source, module: &str, file: &str, items: &[Item]) {
        for item in items {
            let attributes = attributes_of(item);
            if !ships(attributes) {
                self.gated.entry(file.to_owned()).or_default().push(lines(attributes, item));
                continue;
            }
            let scene = Scene { module: module.to_owned(), ..Scene::default() };
            let at = (file, lines(attributes, item));
            match item {
                Item::Mod(inner) => {
                    if let Some((_, items)) = &inner.content {
                        self.items(source, &join(module, &inner.ident.to_string()), file, items);
                    } else {
                        self.named.push((file.to_owned(), at.1, named::module(module, &inner.ident)));
                    }
                }
                Item::Fn(f) => {
                    let exported = has_attribute(&f.attrs, &["pyfunction", "pymodule"]);
                    let node = Draft::new(&scene, &f.sig.ident, Sort::Function, at);
                    self.function(node.exported(exported), &f.sig, vec![Body::Block((*f.block).clone())]);
                }
                Item::Const(c) => {
                    let bodies = vec![Body::Type((*c.ty).clone()), Body::Expr((*c.expr).clone())];
                    self.push(Draft::new(&scene, &c.ident, Sort::Constant, at).with(bodies));
                }
                Item::Static(c) => {
                    let bodies = vec![Body::Type((*c.ty).clone()), Body::Expr((*c.expr).clone())];
                    self.push(Draft::new(&scene, &c.ident, Sort::Constant, at).with(bodies));
                }
                Item::Struct(s) => self.structure(&scene, s, at),
                Item::Enum(e) => self.enumeration(&scene, e, at),
                Item::Use(u) => {
                    self.named.push((file.to_owned(), at.1, named::imported(module, &u.tree)));
                    self.imported(module, &[], &u.tree);
                }
                Item::Type(t) => {
                    self.signatures.name(join(module, &t.ident.to_string()), &scene, &t.ty);
                    let draft = Draft::new(&scene, &t.ident, Sort::Type, at);
                    self.push(draft.with(vec![Body::Type((*t.ty).clone())]));
                }
                Item::Trait(t) => {
                    let first = self.all.len();
                    self.declared(&scene, file, t, at);
                    self.blocks.push((file.to_owned(), at.1, first..self.all.len()));
                }
                Item::Impl(i) => {
                    let first = self.all.len();
                    self.implemented(source, &scene, file, i);
                    if i.items.is_empty() {
                        let all = named::empty(source, &scene, i).into_iter();
                        self.named.extend(all.map(|named| (file.to_owned(), at.1, named)));
                    }
                    self.blocks.push((file.to_owned(), at.1, first..self.all.len()));
                }
                Item::Macro(m) => self.invocation(source, &scene, m, at),
                _ => {}
            }
        }
    }

    fn push(&mut self, draft: Draft) {
        self.all.push(draft);
    }

    fn function(&mut self, mut draft: Draft, signature: &syn::Signature, bodies: Vec<Body>) {
        draft.scene = draft.scene.with_generics(&signature.generics);
        let receiver = signature.receiver().is_some();
        draft.node.takes = if receiver { Some(signature.inputs.len() - 1) } else { NO_METHOD };
        self.signatures.function(&draft.node.path, &draft.scene, &signature.output);
        draft.bodies = vec![Body::Signature(signature.clone())];
        draft.bodies.extend(bodies);
        self.push(draft);
    }

    fn structure(&mut self, scene: &Scene, item: &syn::ItemStruct, at: (&str, (usize, usize))) {
        let scene = scene.clone().with_generics(&item.generics);
        let path = join(&scene.module, &item.ident.to_string());
        for (k, field) in item.fields.iter().enumerate() {
            let name = field.ident.as_ref().map_or_else(|| k.to_string(), ToString::to_string);
            self.signatures.field(&path, name, &scene, &field.ty);
        }
        let bodies = item.fields.iter().map(|field| Body::Type(field.ty.clone())).collect();
        self.push(Draft::new(&scene, &item.ident, Sort::Type, at).with(bodies));
    }

    /// The type, and a node for each variant, with the types of its fields.
    fn enumeration(&mut self, scene: &Scene, item: &syn::ItemEnum, at: (&str, (usize, usize))) {
        let scene = scene.clone().with_generics(&item.generics);
        let path = join(&scene.module, &item.ident.to_string());
        let mut made = Vec::new();
        for variant in &item.variants {
            let at = (at.0, lines(&variant.attrs, variant));
            let mut draft = Draft::new(&scene, &variant.ident, Sort::Variant, at);
            draft.node.path = join(&path, &draft.node.name);
            let fields = variant.fields.iter().map(|field| Body::Type(field.ty.clone()));
            let from = variant.fields.iter().any(|field| has_attribute(&field.attrs, &["from"]));
            if from || has_attribute(&variant.attrs, &["default", "from"]) {
                made.push(Body::Node(draft.node.path.clone()));
            }
            self.push(draft.with(fields.collect()));
        }
        if !makes_nothing(&item.attrs) {
            self.open.push((String::new(), vec![path]));
        }
        self.push(Draft::new(&scene, &item.ident, Sort::Type, at).with(made));
    }

    /// Variants that a `use` brings in lose the name of their type: all of them count as named.
    fn imported(&mut self, module: &str, prefix: &[String], tree: &syn::UseTree) {
        match tree {
            syn::UseTree::Path(path) => {
                let prefix = [prefix, &[path.ident.to_string()]].concat();
                self.imported(module, &prefix, &path.tree);
            }
            syn::UseTree::Group(group) => {
                group.items.iter().for_each(|tree| self.imported(module, prefix, tree));
            }
            syn::UseTree::Name(_) | syn::UseTree::Rename(_) | syn::UseTree::Glob(_) => {
                self.open.push((module.to_owned(), prefix.to_vec()));
            }
        }
    }

    fn declared(&mut self, scene: &Scene, file: &str, item: &syn::ItemTrait, at: (&str, (usize, usize))) {
        let path = join(&scene.module, &item.ident.to_string());
        self.signatures.a_trait(&path);
        let mut draft = Draft::new(scene, &item.ident, Sort::Type, at);
        // A trait's lines are those of its members too: only its head counts here.
        draft.node.lines = (at.1.0, item.brace_token.span.open().end().line);
        draft.bodies = vec![Body::Bounds(item.supertraits.iter().cloned().collect())];
        self.push(draft);
        let scene = Scene { owner: Some(path), ..scene.clone().with_generics(&item.generics) };
        for member in &item.items {
            match member {
                syn::TraitItem::Fn(f) => {
                    let at = (file, lines(&f.attrs, f));
                    let mut draft =
                        Draft::member(&scene, &f.sig.ident, Sort::Function, at, Some(Asked::Declared));
                    let bodies = f.default.iter().map(|block| Body::Block(block.clone())).collect();
                    draft.node.default = f.default.is_some();
                    self.function(draft, &f.sig, bodies);
                }
                syn::TraitItem::Const(c) => {
                    let at = (file, lines(&c.attrs, c));
                    let draft = Draft::member(&scene, &c.ident, Sort::Constant, at, Some(Asked::Declared));
                    let bodies = c.default.iter().map(|(_, value)| Body::Expr(value.clone())).collect();
                    self.push(draft.with(bodies));
                }
                _ => {}
            }
        }
    }

    fn implemented(&mut self, source: &Source, scene: &Scene, file: &str, item: &syn::ItemImpl) {
        let scene = scene.clone().with_generics(&item.generics);
        let Some(owner) = scene.named(source, &item.self_ty) else { return };
        let asked = item.trait_.as_ref().map(|(_, path, _)| {
            source.resolve_from(&scene.module, &parts(path)).map_or(Asked::Foreign, Asked::By)
        });
        if let Some(Asked::By(of)) = &asked {
            self.implementors.entry(of.clone()).or_default().push(owner.clone());
        }
        let scene = Scene { owner: Some(owner), ..scene };
        let exported = has_attribute(&item.attrs, &["pymethods"]);
        for member in &item.items {
            match member {
                syn::ImplItem::Fn(f) if ships(&f.attrs) => {
                    let at = (file, lines(&f.attrs, f));
                    let draft = Draft::member(&scene, &f.sig.ident, Sort::Function, at, asked.clone());
                    let body = vec![Body::Block(f.block.clone())];
                    self.function(draft.exported(exported), &f.sig, body);
                }
                syn::ImplItem::Const(c) => {
                    let at = (file, lines(&c.attrs, c));
                    let draft = Draft::member(&scene, &c.ident, Sort::Constant, at, asked.clone());
                    self.push(draft.with(vec![Body::Type(c.ty.clone()), Body::Expr(c.expr.clone())]));
                }
                syn::ImplItem::Fn(f) => {
                    self.gated.entry(file.to_owned()).or_default().push(lines(&f.attrs, f));
                }
                _ => {}
            }
        }
    }

    fn invocation(
        &mut self,
        source: &Source,
        scene: &Scene,
        item: &syn::ItemMacro,
        at: (&str, (usize, usize)),
    ) {
        if let Some(name) = &item.ident {
            implemented_by(&item.mac.tokens, &mut self.by_macros);
            let draft = Draft::new(scene, name, Sort::Macro, at);
            return self.push(draft.with(vec![Body::Tokens(item.mac.tokens.clone())]));
        }
        let Some(name) = parts(&item.mac.path).pop() else { return };
        if name != "contract" {
            return self.invoked.push((scene.module.clone(), name));
        }
        if let Some(statement) = Statement::of(&item.mac.tokens) {
            return self.statement(source, scene, &statement, at);
        }
        // What does not parse is not compiled either.
        let Ok(Contract { item: signature, clauses, body }) = item.mac.parse_body() else { return };
        let mut draft = Draft::new(scene, &signature.ident, Sort::Function, at);
        draft.node.contract = true;
        let mut bodies: Vec<Body> = clauses.into_iter().map(Body::Expr).collect();
        bodies.push(Body::Block(body));
        // The macro's own words, which check the clauses.
        bodies.push(Body::Macro("contract".to_owned()));
        self.function(draft, &signature, bodies);
    }

    /// The two methods that decide the clauses of a contract. One text makes both, so a reader of either must read it.
    fn statement(&mut self, source: &Source, scene: &Scene, found: &Statement, at: (&str, (usize, usize))) {
        let Some(owner) = source.resolve_from(&scene.module, &[found.name.to_string()]) else { return };
        let scene = Scene { owner: Some(owner.clone()), ..scene.clone() };
        for (name, other) in [(HOLDS, "note"), ("note", HOLDS)] {
            let name = syn::Ident::new(name, found.name.span());
            let mut draft = Draft::member(&scene, &name, Sort::Function, at, None);
            draft.node.contract = name == HOLDS;
            draft.bodies = found.clauses.iter().cloned().map(Body::OfSelf).collect();
            draft.bodies.extend([Body::Macro("contract".to_owned()), Body::Node(join(&owner, other))]);
            self.push(draft);
        }
    }

    /// Finds what every body refers to.
    pub(super) fn finish(self, source: &Source) -> Graph {
        let Self { all, signatures, invoked, gated, open, blocks, named, mut implementors, by_macros } = self;
        let blocks =
            blocks.into_iter().map(|(file, lines, members)| (file, lines, members.collect())).collect();
        implementors.retain(|path, _| !by_macros.contains(last(path)) && !by_macros.contains("*"));
        let named = named.into_iter();
        let named =
            named.filter_map(|(file, lines, named)| Some((file, lines, named::resolved(source, &named)?)));
        let named = named.collect();
        let mut graph = Graph { blocks, named, implementors, gated, ..Graph::default() };
        let mut scenes = Vec::new();
        for Draft { node, scene, bodies } in all {
            let k = graph.nodes.len();
            graph.by_path.entry(node.path.clone()).or_default().push(k);
            graph.by_name.entry(node.name.clone()).or_default().push(k);
            if let Some(owner) = &node.owner {
                graph.by_owner.entry(owner.clone()).or_default().push(k);
            }
            if node.sort == Sort::Variant
                && let Some((owner, _)) = node.path.rsplit_once("::")
            {
                graph.variants.entry(owner.to_owned()).or_default().push(k);
            }
            graph.nodes.push(node);
            scenes.push((scene, bodies));
        }
        let open = open.into_iter().filter_map(|(module, path)| match path.as_slice() {
            [one] if module.is_empty() && one.contains("::") => Some(one.clone()),
            _ => source.resolve_from(&module, &path),
        });
        let open: BTreeSet<String> = open.collect();
        for (module, name) in invoked {
            let macros = graph.by_name.get(&name).into_iter().flatten();
            let macros = macros.filter(|k| graph.nodes[**k].sort == Sort::Macro).copied().collect::<Vec<_>>();
            graph.invoked.entry(module).or_default().extend(macros);
        }
        let types = signatures.types(source);
        let edges: Vec<Vec<Edge>> =
            scenes.iter().map(|(scene, bodies)| refer(&graph, source, &types, scene, bodies)).collect();
        for (k, edges) in edges.into_iter().enumerate() {
            graph.nodes[k].edges = edges;
            if graph.nodes[k].sort == Sort::Type && open.contains(&graph.nodes[k].path) {
                let variants = graph.variants.get(&graph.nodes[k].path).into_iter().flatten();
                let variants: Vec<Edge> = variants.map(|k| Edge::To(*k)).collect();
                graph.nodes[k].edges.extend(variants);
            }
            if let Some(Asked::By(of)) = &graph.nodes[k].of_trait {
                let declared = [of.clone(), join(of, &graph.nodes[k].name)];
                let declared = declared.iter().flat_map(|path| graph.at(path)).map(|k| Edge::Mention(*k));
                let declared: Vec<Edge> = declared.collect();
                graph.nodes[k].edges.extend(declared);
            }
        }
        graph
    }
}

impl Draft {
    fn new(scene: &Scene, name: &syn::Ident, sort: Sort, (file, lines): (&str, (usize, usize))) -> Self {
        let name = name.to_string();
        let node = Node {
            path: join(&scene.module, &name),
            name,
            owner: None,
            of_trait: None,
            default: false,
            sort,
            contract: false,
            exported: false,
            file: file.to_owned(),
            lines,
            takes: if sort == Sort::Function { None } else { NO_METHOD },
            edges: Vec::new(),
        };
        Self { node, scene: scene.clone(), bodies: Vec::new() }
    }

    fn member(
        scene: &Scene,
        name: &syn::Ident,
        sort: Sort,
        at: (&str, (usize, usize)),
        asked: Option<Asked>,
    ) -> Self {
        let mut draft = Self::new(scene, name, sort, at);
        let owner = scene.owner.clone().unwrap_or_default();
        draft.node.path = join(&owner, &draft.node.name);
        draft.node.owner = Some(owner);
        draft.node.of_trait = asked;
        draft
    }

    fn with(mut self, bodies: Vec<Body>) -> Self {
        self.bodies = bodies;
        self
    }

    fn exported(mut self, exported: bool) -> Self {
        self.node.exported = exported;
        self
    }
}

fn attributes_of(item: &Item) -> &[Attribute] {
    match item {
        Item::Mod(item) => &item.attrs,
        Item::Fn(item) => &item.attrs,
        Item::Const(item) => &item.attrs,
        Item::Static(item) => &item.attrs,
        Item::Struct(item) => &item.attrs,
        Item::Enum(item) => &item.attrs,
        Item::Type(item) => &item.attrs,
        Item::Trait(item) => &item.attrs,
        Item::Impl(item) => &item.attrs,
        Item::Macro(item) => &item.attrs,
        Item::Use(item) => &item.attrs,
        _ => &[],
    }
}
