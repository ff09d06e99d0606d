//! Types as far as declarations tell them: of parameters, fields, locals and results.

use std::collections::{BTreeMap, BTreeSet};

use super::collect::parts;
use super::refer::Scene;
use crate::trace::source::Source;

/// A type: where it is known, by canonical path or foreign name, with its parameters.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Ty {
    pub(super) name: String,
    pub(super) arguments: Vec<Ty>,
}

/// What is declared in the workspace.
#[derive(Default)]
pub(super) struct Signatures {
    results: BTreeMap<String, (Scene, syn::ReturnType)>,
    fields: BTreeMap<(String, String), (Scene, syn::Type)>,
    traits: BTreeSet<String>,
    /// `type Name = …;`.
    names: BTreeMap<String, (Scene, syn::Type)>,
}

/// The same with every name looked up.
pub(super) struct Types {
    results: BTreeMap<String, Ty>,
    fields: BTreeMap<(String, String), Ty>,
    traits: BTreeSet<String>,
    names: BTreeMap<String, String>,
}

impl Signatures {
    pub(super) fn function(&mut self, path: &str, scene: &Scene, output: &syn::ReturnType) {
        self.results.entry(path.to_owned()).or_insert_with(|| (scene.clone(), output.clone()));
    }

    pub(super) fn field(&mut self, owner: &str, name: String, scene: &Scene, ty: &syn::Type) {
        self.fields.insert((owner.to_owned(), name), (scene.clone(), ty.clone()));
    }

    pub(super) fn name(&mut self, path: String, scene: &Scene, ty: &syn::Type) {
        self.names.insert(path, (scene.clone(), ty.clone()));
    }

    pub(super) fn a_trait(&mut self, path: &str) {
        self.traits.insert(path.to_owned());
    }

    /// Looks every name up, once all are known.
    pub(super) fn types(self, source: &Source) -> Types {
        let ty = |scene: &Scene, ty: &syn::Type| scene.resolved(source).ty(source, ty);
        let results = self.results.into_iter().filter_map(|(path, (scene, output))| match output {
            syn::ReturnType::Type(_, returned) => Some((path, ty(&scene, &returned)?)),
            syn::ReturnType::Default => None,
        });
        let fields = self.fields.into_iter();
        let fields = fields.filter_map(|(key, (scene, field))| Some((key, ty(&scene, &field)?)));
        let names = self.names.into_iter().filter_map(|(name, (scene, meant))| {
            ty(&scene, &meant).map(|ty| ty.name).filter(|meant| *meant != name).map(|meant| (name, meant))
        });
        Types {
            results: results.collect(),
            fields: fields.collect(),
            traits: self.traits,
            names: names.collect(),
        }
    }
}

impl Types {
    /// The type that another name stands for.
    pub(super) fn meant(&self, name: &str) -> Option<&String> {
        self.names.get(name)
    }

    pub(super) fn is_trait(&self, path: &str) -> bool {
        self.traits.contains(path)
    }

    /// What a function returns. A function with a contract returns its value or what was broken.
    pub(super) fn result(&self, path: &str, contract: bool) -> Option<Ty> {
        let ty = self.results.get(path)?.clone();
        Some(if contract { Ty { name: "Result".to_owned(), arguments: vec![ty] } } else { ty })
    }

    pub(super) fn field(&self, owner: &str, name: &str) -> Option<Ty> {
        self.fields.get(&(owner.to_owned(), name.to_owned())).cloned()
    }
}

impl Scene {
    /// The type behind references; `None` for what has no name.
    pub(super) fn ty(&self, source: &Source, ty: &syn::Type) -> Option<Ty> {
        match ty {
            syn::Type::Reference(inner) => self.ty(source, &inner.elem),
            syn::Type::Paren(inner) => self.ty(source, &inner.elem),
            syn::Type::Group(inner) => self.ty(source, &inner.elem),
            syn::Type::Slice(_) | syn::Type::Array(_) => {
                Some(Ty { name: "[]".to_owned(), arguments: vec![] })
            }
            syn::Type::ImplTrait(some) => self.bound(source, some.bounds.iter()),
            syn::Type::TraitObject(some) => self.bound(source, some.bounds.iter()),
            syn::Type::Path(path) if path.qself.is_none() => {
                let last = path.path.segments.last()?;
                let arguments = match &last.arguments {
                    syn::PathArguments::AngleBracketed(list) => list
                        .args
                        .iter()
                        .filter_map(|argument| match argument {
                            syn::GenericArgument::Type(ty) => self.ty(source, ty),
                            _ => None,
                        })
                        .collect(),
                    _ => Vec::new(),
                };
                let parts = parts(&path.path);
                let name = match parts.as_slice() {
                    [one] if one == "Self" => self.owner.clone()?,
                    [one] if self.generics.contains_key(one) => self.generics.get(one)?.first()?.clone(),
                    // An associated type of a parameter: not known.
                    [first, _, ..] if first == "Self" || self.generics.contains_key(first) => return None,
                    _ => source.resolve_from(&self.module, &parts).unwrap_or_else(|| last.ident.to_string()),
                };
                Some(Ty { name, arguments })
            }
            _ => None,
        }
    }

    fn bound<'a>(
        &self,
        source: &Source,
        bounds: impl Iterator<Item = &'a syn::TypeParamBound>,
    ) -> Option<Ty> {
        let name = self.traits(source, bounds).into_iter().next()?;
        Some(Ty { name, arguments: Vec::new() })
    }

    /// The traits of a list of bounds, those of the workspace first.
    pub(super) fn traits<'a>(
        &self,
        source: &Source,
        bounds: impl Iterator<Item = &'a syn::TypeParamBound>,
    ) -> Vec<String> {
        let (mut own, mut foreign) = (Vec::new(), Vec::new());
        for bound in bounds {
            let syn::TypeParamBound::Trait(bound) = bound else { continue };
            let parts = parts(&bound.path);
            match source.resolve_from(&self.module, &parts) {
                Some(path) => own.push(path),
                None => foreign.extend(parts.last().cloned()),
            }
        }
        own.extend(foreign);
        own
    }

    /// The name of the type of an `impl`: canonical, or that of a foreign type.
    pub(super) fn named(&self, source: &Source, ty: &syn::Type) -> Option<String> {
        match ty {
            // A blanket implementation, for everything that has some trait.
            syn::Type::Path(path)
                if path.path.get_ident().is_some_and(|one| self.generics.contains_key(&one.to_string())) =>
            {
                Some("*".to_owned())
            }
            _ => self.ty(source, ty).map(|ty| ty.name),
        }
    }
}
