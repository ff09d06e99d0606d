//! Lines that only name other items: `use`, `mod name;` and an empty `impl`. They are read
//! where what they name is read.

use syn::UseTree;

use super::collect::parts;
use super::refer::Scene;
use crate::trace::source::{Source, join};

/// What such lines name, as it is written in a module, or by its canonical path.
pub(super) enum Named {
    Written(String, Vec<String>),
    Canonical(String),
}

/// The paths that a `use` brings in.
pub(super) fn imported(module: &str, tree: &UseTree) -> Vec<Named> {
    fn leaves(prefix: &[String], tree: &UseTree, found: &mut Vec<Vec<String>>) {
        let with = |name: &syn::Ident| [prefix, &[name.to_string()]].concat();
        match tree {
            UseTree::Path(path) => leaves(&with(&path.ident), &path.tree, found),
            UseTree::Group(group) => group.items.iter().for_each(|tree| leaves(prefix, tree, found)),
            UseTree::Name(name) if name.ident == "self" => found.push(prefix.to_vec()),
            UseTree::Name(name) => found.push(with(&name.ident)),
            UseTree::Rename(name) => found.push(with(&name.ident)),
            UseTree::Glob(_) => found.push(prefix.to_vec()),
        }
    }
    let mut found = Vec::new();
    leaves(&[], tree, &mut found);
    found.into_iter().map(|path| Named::Written(module.to_owned(), path)).collect()
}

/// `mod name;`.
pub(super) fn module(parent: &str, name: &syn::Ident) -> Vec<Named> {
    vec![Named::Canonical(join(parent, &name.to_string()))]
}

/// An `impl` that holds nothing: it is read with its type and, separately, with its trait.
pub(super) fn empty(source: &Source, scene: &Scene, item: &syn::ItemImpl) -> Vec<Vec<Named>> {
    let scene = scene.clone().with_generics(&item.generics);
    let owner = scene.named(source, &item.self_ty).map(|owner| vec![Named::Canonical(owner)]);
    let asked = item.trait_.as_ref().map(|(_, path, _)| vec![Named::Written(scene.module, parts(path))]);
    owner.into_iter().chain(asked).collect()
}

/// The canonical paths of what is named; `None` if some of it is not of the workspace: it is read then.
pub(super) fn resolved(source: &Source, named: &[Named]) -> Option<Vec<String>> {
    let path = |named: &Named| match named {
        Named::Canonical(path) => {
            (source.items.contains_key(path) || source.modules.contains(path)).then(|| path.clone())
        }
        Named::Written(module, path) => source.resolve_from(module, path),
    };
    named.iter().map(path).collect()
}
