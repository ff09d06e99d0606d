//! What a body refers to.

use std::collections::{BTreeMap, BTreeSet};

use proc_macro2::{TokenStream, TokenTree};
use syn::visit::{self, Visit};

use super::collect::parts;
use super::infer::{Ty, Types};
use super::{Edge, Graph, Sort};
use crate::trace::source::{Source, last};

/// Where a body stands.
#[derive(Clone, Debug, Default)]
pub(super) struct Scene {
    pub(super) module: String,
    /// The type or trait that `Self` is.
    pub(super) owner: Option<String>,
    /// Parameters with the traits that they must have.
    pub(super) generics: BTreeMap<String, Vec<String>>,
    pub(super) bounds: Vec<(String, Vec<syn::TypeParamBound>)>,
}

/// A piece of a node.
#[derive(Clone)]
pub(super) enum Body {
    Signature(syn::Signature),
    Block(syn::Block),
    Expr(syn::Expr),
    /// A closure whose argument is `Self`.
    OfSelf(syn::Expr),
    Type(syn::Type),
    Bounds(Vec<syn::TypeParamBound>),
    Tokens(TokenStream),
    /// A macro of the workspace, by name.
    Macro(String),
    /// An item, by its canonical path.
    Node(String),
}

impl Scene {
    pub(super) fn with_generics(mut self, generics: &syn::Generics) -> Self {
        for parameter in generics.type_params() {
            self.generics.insert(parameter.ident.to_string(), Vec::new());
            self.bounds.push((parameter.ident.to_string(), parameter.bounds.iter().cloned().collect()));
        }
        for predicate in generics.where_clause.iter().flat_map(|clause| &clause.predicates) {
            if let syn::WherePredicate::Type(predicate) = predicate
                && let syn::Type::Path(path) = &predicate.bounded_ty
                && let Some(name) = path.path.get_ident()
            {
                self.bounds.push((name.to_string(), predicate.bounds.iter().cloned().collect()));
            }
        }
        self
    }

    /// Looks the bounds up, once all names are known.
    pub(super) fn resolved(&self, source: &Source) -> Self {
        let mut scene = self.clone();
        for (name, bounds) in &self.bounds {
            let traits = self.traits(source, bounds.iter());
            scene.generics.entry(name.clone()).or_default().extend(traits);
        }
        scene
    }
}

/// The edges of a node.
pub(super) fn refer(
    graph: &Graph,
    source: &Source,
    types: &Types,
    scene: &Scene,
    bodies: &[Body],
) -> Vec<Edge> {
    let scene = scene.resolved(source);
    let mut reader =
        Reader { graph, source, types, scene: &scene, locals: BTreeMap::new(), edges: BTreeSet::new() };
    // `Self` is there, whether or not it is written.
    if let Some(owner) = scene.owner.clone() {
        reader.item(&owner);
    }
    for path in scene.generics.values().flatten() {
        reader.item(path);
    }
    for body in bodies {
        reader.body(body);
    }
    reader.edges.into_iter().collect()
}

struct Reader<'a> {
    graph: &'a Graph,
    source: &'a Source,
    types: &'a Types,
    scene: &'a Scene,
    locals: BTreeMap<String, Option<Ty>>,
    edges: BTreeSet<Edge>,
}

impl Reader<'_> {
    fn body(&mut self, body: &Body) {
        match body {
            Body::Signature(signature) => {
                // The patterns in it know no types: what the arguments are is bound after them.
                self.visit_signature(signature);
                for argument in &signature.inputs {
                    if let syn::FnArg::Typed(typed) = argument {
                        let ty = self.scene.ty(self.source, &typed.ty);
                        self.bind(&typed.pat, ty);
                    }
                }
            }
            Body::Block(block) => self.visit_block(block),
            Body::OfSelf(syn::Expr::Closure(closure)) => {
                let this = self.scene.owner.clone().map(|name| Ty { name, arguments: Vec::new() });
                closure.inputs.iter().for_each(|pattern| self.bind(pattern, this.clone()));
                self.visit_expr(&closure.body);
            }
            Body::Expr(expr) | Body::OfSelf(expr) => self.visit_expr(expr),
            Body::Type(ty) => self.visit_type(ty),
            Body::Bounds(bounds) => bounds.iter().for_each(|bound| self.visit_type_param_bound(bound)),
            Body::Tokens(tokens) => self.tokens(tokens),
            Body::Macro(name) => self.macro_named(name),
            Body::Node(path) => drop(self.item(path)),
        }
    }

    fn bind(&mut self, pattern: &syn::Pat, ty: Option<Ty>) {
        match pattern {
            syn::Pat::Ident(name) => drop(self.locals.insert(name.ident.to_string(), ty)),
            syn::Pat::Type(typed) => {
                let ty = self.scene.ty(self.source, &typed.ty);
                self.bind(&typed.pat, ty);
            }
            syn::Pat::Reference(inner) => self.bind(&inner.pat, ty),
            // `Some(x)` and `Ok(x)` of what is known.
            syn::Pat::TupleStruct(tuple) if tuple.elems.len() == 1 => {
                let wrapped = ty.filter(|ty| ["Option", "Result"].contains(&ty.name.as_str()));
                self.bind(&tuple.elems[0], wrapped.and_then(|ty| ty.arguments.into_iter().next()));
            }
            _ => {}
        }
    }

    /// Every node at a path.
    fn item(&mut self, path: &str) -> bool {
        let found = self.graph.at(path);
        self.edges.extend(found.iter().map(|k| Edge::To(*k)));
        !found.is_empty()
    }

    /// A path that is written somewhere.
    fn path(&mut self, parts: &[String]) {
        for path in self.targets(parts) {
            self.item(&path);
            // `Type::name`: the type, too; a variant is its type.
            if let Some((owner, _)) = path.rsplit_once("::")
                && self.graph.is_type(owner)
            {
                self.item(owner);
            }
        }
    }

    /// All variants of an enumeration, if it is one.
    fn every_variant(&mut self, parts: &[String]) {
        for path in self.targets(parts) {
            let variants = self.graph.variants.get(&path).into_iter().flatten();
            self.edges.extend(variants.map(|k| Edge::To(*k)));
        }
    }

    /// The canonical paths that a path may mean.
    fn targets(&self, parts: &[String]) -> Vec<String> {
        let scene = self.scene;
        let Some((first, rest)) = parts.split_first() else { return Vec::new() };
        let tail = |base: &String| {
            if rest.is_empty() { base.clone() } else { format!("{base}::{}", rest.join("::")) }
        };
        if first == "Self" {
            return scene.owner.iter().map(|owner| self.member(&tail(owner))).collect();
        }
        if let Some(traits) = scene.generics.get(first) {
            return traits.iter().map(tail).collect();
        }
        if let Some(found) = self.source.resolve_from(&scene.module, parts) {
            return vec![found];
        }
        // A method that a trait asks for is not an item: its type is.
        let Some((name, owner)) = parts.split_last() else { return Vec::new() };
        let owner = if owner.is_empty() { None } else { self.source.resolve_from(&scene.module, owner) };
        owner.map(|owner| self.member(&format!("{owner}::{name}"))).into_iter().collect()
    }

    /// A member of a type, or of a trait that has it.
    fn member(&self, path: &str) -> String {
        if !self.graph.at(path).is_empty() {
            return path.to_owned();
        }
        let name = last(path);
        let owner = path.rsplit_once("::").and_then(|(owner, _)| self.types.meant(owner));
        if let Some(owner) = owner {
            return self.member(&format!("{owner}::{name}"));
        }
        let mut declared = self.graph.by_name.get(name).into_iter().flatten().map(|k| &self.graph.nodes[*k]);
        let one = declared.find(|node| node.owner.as_ref().is_some_and(|owner| self.types.is_trait(owner)));
        one.map_or_else(|| path.to_owned(), |node| node.path.clone())
    }

    fn macro_named(&mut self, name: &str) {
        let found = self.graph.by_name.get(name).into_iter().flatten();
        let macros = found.filter(|k| self.graph.nodes[**k].sort == Sort::Macro);
        // One of its own crate, where there is one.
        let home = self.source.crate_of(&self.scene.module);
        let (own, other): (Vec<usize>, Vec<usize>) =
            macros.partition(|k| self.source.crate_of(&self.graph.nodes[**k].path) == home);
        self.edges.extend(if own.is_empty() { other } else { own }.into_iter().map(Edge::To));
    }

    /// What a macro is given, or is made of: paths and method calls, as they are written.
    fn tokens(&mut self, tokens: &TokenStream) {
        let parse = syn::punctuated::Punctuated::<syn::Expr, syn::Token![,]>::parse_terminated;
        if let Ok(expressions) = syn::parse::Parser::parse2(parse, tokens.clone()) {
            return expressions.iter().for_each(|expr| self.visit_expr(expr));
        }
        let tokens: Vec<TokenTree> = tokens.clone().into_iter().collect();
        let is = |k: usize, mark: char| matches!(tokens.get(k), Some(TokenTree::Punct(found)) if found.as_char() == mark);
        let mut k = 0;
        while let Some(token) = tokens.get(k) {
            match token {
                TokenTree::Group(group) => self.tokens(&group.stream()),
                TokenTree::Literal(literal) => self.inserted(&literal.to_string()),
                _ => {}
            }
            let TokenTree::Ident(first) = token else {
                k += 1;
                continue;
            };
            let after_dot = k > 0 && is(k - 1, '.') && !(k > 1 && is(k - 2, '.'));
            let mut path = vec![first.to_string()];
            k += 1;
            while is(k, ':') && is(k + 1, ':') {
                let Some(TokenTree::Ident(part)) = tokens.get(k + 2) else { break };
                path.push(part.to_string());
                k += 3;
            }
            let name = path.last().cloned().unwrap_or_default();
            let called = matches!(tokens.get(k), Some(TokenTree::Group(_))) || is(k, ':');
            // `Type::$name`: any of its variants.
            if is(k, ':') && is(k + 1, ':') {
                self.every_variant(&path);
            }
            if after_dot && called {
                self.edges.insert(Edge::Method(name, None));
            } else if is(k, '!') {
                self.macro_named(&name);
            } else if !after_dot {
                self.path(&path);
            }
        }
    }

    /// Constants that a text with `{NAME}` shows.
    fn inserted(&mut self, text: &str) {
        for rest in text.split('{').skip(1) {
            let end = rest.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(rest.len());
            if rest.starts_with(char::is_uppercase) {
                self.path(&[rest[..end].to_owned()]);
            }
        }
    }

    /// The type of an expression, where declarations tell it.
    fn infer(&self, expr: &syn::Expr) -> Option<Ty> {
        match expr {
            syn::Expr::Path(path) if path.qself.is_none() => {
                let name = path.path.get_ident()?.to_string();
                if name == "self" {
                    let name = self.scene.owner.clone()?;
                    return Some(Ty { name, arguments: Vec::new() });
                }
                self.locals.get(&name).cloned().flatten()
            }
            syn::Expr::Reference(inner) => self.infer(&inner.expr),
            syn::Expr::Paren(inner) => self.infer(&inner.expr),
            syn::Expr::Group(inner) => self.infer(&inner.expr),
            syn::Expr::Unary(inner) if matches!(inner.op, syn::UnOp::Deref(_)) => self.infer(&inner.expr),
            syn::Expr::Try(inner) => {
                let ty = self.infer(&inner.expr)?;
                let wrapped = ["Result", "Option"].contains(&ty.name.as_str());
                if wrapped { ty.arguments.into_iter().next() } else { None }
            }
            syn::Expr::Field(field) => {
                let base = self.infer(&field.base)?;
                let name = match &field.member {
                    syn::Member::Named(name) => name.to_string(),
                    syn::Member::Unnamed(index) => index.index.to_string(),
                };
                self.types.field(&base.name, &name)
            }
            syn::Expr::Struct(literal) => {
                let [name] = self.targets(&parts(&literal.path)).try_into().ok()?;
                self.graph.is_type(&name).then_some(Ty { name, arguments: Vec::new() })
            }
            syn::Expr::Cast(cast) => self.scene.ty(self.source, &cast.ty),
            syn::Expr::Lit(_) => Some(Ty { name: "literal".to_owned(), arguments: Vec::new() }),
            syn::Expr::Call(call) => {
                let syn::Expr::Path(path) = call.func.as_ref() else { return None };
                let [name] = self.targets(&parts(&path.path)).try_into().ok()?;
                self.returned(&name, None)
            }
            syn::Expr::MethodCall(call) => self.infer_method(call),
            _ => None,
        }
    }

    fn infer_method(&self, call: &syn::ExprMethodCall) -> Option<Ty> {
        let receiver = self.infer(&call.receiver)?;
        let name = call.method.to_string();
        let path = self.member(&format!("{}::{name}", receiver.name));
        if let Some(ty) = self.returned(&path, Some(&receiver)) {
            return Some(ty);
        }
        match name.as_str() {
            "clone" | "as_ref" | "as_mut" | "to_owned" | "map_err" | "borrow" | "copied" | "cloned" => {
                Some(receiver)
            }
            "unwrap_or_default" | "unwrap_or" | "unwrap_or_else" => receiver.arguments.into_iter().next(),
            "ok_or" | "ok_or_else" | "ok" => Some(receiver),
            _ => None,
        }
    }

    /// What the function at a path returns; `Self` of a trait's declaration is the receiver.
    fn returned(&self, path: &str, receiver: Option<&Ty>) -> Option<Ty> {
        let nodes = self.graph.at(path);
        if let [one] = nodes
            && self.graph.nodes[*one].sort == Sort::Type
        {
            // A tuple structure is a function.
            return Some(Ty { name: path.to_owned(), arguments: Vec::new() });
        }
        if nodes.iter().all(|k| self.graph.nodes[*k].sort == Sort::Variant) {
            let (owner, _) = path.rsplit_once("::")?;
            return self.graph.is_type(owner).then(|| Ty { name: owner.to_owned(), arguments: Vec::new() });
        }
        let contract = nodes.iter().any(|k| self.graph.nodes[*k].contract);
        let ty = self.types.result(path, contract)?;
        match receiver {
            Some(receiver) if self.types.is_trait(&ty.name) && path.starts_with(&ty.name) => {
                Some(receiver.clone())
            }
            _ => Some(ty),
        }
    }

    fn method(&mut self, call: &syn::ExprMethodCall) {
        let (name, arguments) = (call.method.to_string(), Some(call.args.len()));
        let Some(ty) = self.infer(&call.receiver) else {
            self.edges.insert(Edge::Method(name, arguments));
            return;
        };
        let own = format!("{}::{name}", ty.name);
        if self.item(&own) {
            return;
        }
        let known = self.graph.is_type(&ty.name);
        let named = self.graph.by_name.get(&name).into_iter().flatten();
        let declared = named.copied().filter(|k| {
            let node = &self.graph.nodes[*k];
            node.owner.as_ref().is_some_and(|owner| owner == "*" || self.types.is_trait(owner))
        });
        let declared: Vec<usize> = declared.collect();
        if known && declared.is_empty() {
            // It may give its own parts away: `Deref`.
            self.edges.insert(Edge::Method(name, arguments));
        }
        self.edges.extend(declared.into_iter().map(Edge::To));
    }
}

impl<'ast> Visit<'ast> for Reader<'_> {
    fn visit_path(&mut self, path: &'ast syn::Path) {
        // A local is no item, whatever its name.
        let local = path.get_ident().is_some_and(|name| self.locals.contains_key(&name.to_string()));
        if !local {
            self.path(&parts(path));
        }
        visit::visit_path(self, path);
    }

    /// What is called may have the name of a local.
    fn visit_expr_call(&mut self, call: &'ast syn::ExprCall) {
        if let syn::Expr::Path(path) = call.func.as_ref() {
            self.path(&parts(&path.path));
        }
        visit::visit_expr_call(self, call);
    }

    fn visit_expr_method_call(&mut self, call: &'ast syn::ExprMethodCall) {
        self.method(call);
        visit::visit_expr_method_call(self, call);
    }

    /// A name that a pattern binds hides what was known under it.
    fn visit_pat_ident(&mut self, name: &'ast syn::PatIdent) {
        self.locals.insert(name.ident.to_string(), None);
        visit::visit_pat_ident(self, name);
    }

    fn visit_local(&mut self, local: &'ast syn::Local) {
        // What is bound is not known yet in what it is bound to.
        let ty = local.init.as_ref().and_then(|init| {
            visit::visit_local_init(self, init);
            self.infer(&init.expr)
        });
        self.visit_pat(&local.pat);
        self.bind(&local.pat, ty);
    }

    fn visit_expr_closure(&mut self, closure: &'ast syn::ExprClosure) {
        let before = self.locals.clone();
        closure.inputs.iter().for_each(|pattern| self.bind(pattern, None));
        visit::visit_expr_closure(self, closure);
        self.locals = before;
    }

    fn visit_expr_for_loop(&mut self, each: &'ast syn::ExprForLoop) {
        self.bind(&each.pat, None);
        visit::visit_expr_for_loop(self, each);
    }

    fn visit_macro(&mut self, call: &'ast syn::Macro) {
        if let Some(name) = parts(&call.path).pop() {
            self.macro_named(&name);
        }
        self.tokens(&call.tokens);
    }

    fn visit_lit_str(&mut self, text: &'ast syn::LitStr) {
        self.inserted(&text.value());
    }

    /// Inside of a function: what it brings in, and all variants of what it brings variants of.
    fn visit_use_path(&mut self, path: &'ast syn::UsePath) {
        let (mut prefix, mut tree) = (vec![path.ident.to_string()], path.tree.as_ref());
        while let syn::UseTree::Path(inner) = tree {
            prefix.push(inner.ident.to_string());
            tree = &inner.tree;
        }
        self.path(&prefix);
        self.every_variant(&prefix);
        visit::visit_use_path(self, path);
    }

    fn visit_attribute(&mut self, _: &'ast syn::Attribute) {}
}
