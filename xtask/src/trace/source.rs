//! What the parsed sources contain, and how a path resolves in them.

use std::collections::{BTreeMap, BTreeSet};

use super::crates::Crate;
use super::spelling::Ids;

/// Where something is defined and which ids its documentation names.
#[derive(Clone, Debug)]
pub(super) struct Place {
    pub(super) file: String,
    pub(super) line: usize,
    pub(super) ids: Ids,
}

/// A name that stands for another path.
#[derive(Debug)]
pub(super) struct Alias {
    /// The module in which the target is looked up.
    pub(super) module: String,
    pub(super) target: Vec<String>,
    pub(super) public: bool,
}

/// A method whose type has still to be resolved.
#[derive(Debug)]
pub(super) struct Method {
    pub(super) module: String,
    pub(super) owner: String,
    pub(super) name: String,
    pub(super) place: Place,
    /// A function of the type itself, and not of a trait.
    pub(super) function: bool,
    pub(super) public: bool,
}

/// The text of a file that may hold tests.
#[derive(Debug)]
pub(super) struct TestText {
    pub(super) text: String,
    /// All of it is test code, and not only a module `tests` in it.
    pub(super) whole: bool,
}

/// What test code calls.
#[derive(Debug, Default)]
pub(super) struct Calls {
    /// `name` and `Type::name`, as they are written.
    pub(super) paths: BTreeSet<String>,
    /// `name` of `.name(…)`.
    pub(super) methods: BTreeSet<String>,
    /// Every identifier.
    pub(super) words: BTreeSet<String>,
}

/// Items, tests and harnesses by their paths.
#[derive(Debug, Default)]
pub(super) struct Source {
    /// The name of each crate and what its paths start with.
    crates: BTreeMap<String, String>,
    /// Modules, types, functions, methods, constants by canonical path: below the root's crate,
    /// or from another's name on.
    pub(super) items: BTreeMap<String, Place>,
    /// `use` declarations, by module and name.
    pub(super) aliases: BTreeMap<String, Alias>,
    /// Methods whose type has still to be resolved.
    pub(super) methods: Vec<Method>,
    /// Items that are declared `pub`, whether or not the way to them is.
    pub(super) public: BTreeSet<String>,
    /// Modules, the roots of crates among them.
    pub(super) modules: BTreeSet<String>,
    /// Functions of code, and whether they are written with a contract.
    pub(super) functions: BTreeMap<String, bool>,
    /// Files that may hold tests.
    pub(super) test_texts: BTreeMap<String, TestText>,
    pub(super) tests: BTreeMap<String, Place>,
    pub(super) harnesses: BTreeMap<String, Place>,
}

/// A `use` of a `use` of a …; more than this is a cycle.
const MAX_ALIASES: usize = 16;

pub(super) fn join(module: &str, name: &str) -> String {
    if module.is_empty() { name.to_owned() } else { format!("{module}::{name}") }
}

/// Paths by the module that they are right inside of.
fn by_parent<'a>(paths: impl Iterator<Item = &'a String>) -> BTreeMap<&'a str, Vec<&'a String>> {
    let mut found: BTreeMap<&str, Vec<&String>> = BTreeMap::new();
    for path in paths {
        found.entry(parent(path)).or_default().push(path);
    }
    found
}

/// The last part of a path.
pub(super) fn last(path: &str) -> &str {
    path.rsplit("::").next().unwrap_or(path)
}

fn parent(path: &str) -> &str {
    path.rsplit_once("::").map_or("", |(parent, _)| parent)
}

impl Source {
    pub(super) fn new(crates: &[Crate]) -> Self {
        let crates = crates.iter().map(|known| (known.name.clone(), known.prefix.clone())).collect();
        Self { crates, ..Self::default() }
    }

    /// The canonical path of an item: re-exports are followed.
    pub(super) fn resolve(&self, path: &str) -> Option<String> {
        self.follow(path, MAX_ALIASES)
    }

    /// The canonical path of what a path means inside of a module.
    pub(super) fn resolve_from(&self, module: &str, parts: &[String]) -> Option<String> {
        self.resolve(&self.absolute(module, parts)?)
    }

    fn follow(&self, path: &str, fuel: usize) -> Option<String> {
        if self.items.contains_key(path) {
            return Some(path.to_owned());
        }
        let fuel = fuel.checked_sub(1)?;
        // The longest prefix first: `a::B::c` may be the method `c` of the re-exported type `a::B`.
        let mut end = path.len();
        loop {
            let (prefix, rest) = (&path[..end], path[end..].trim_start_matches("::"));
            if let Some(alias) = self.aliases.get(prefix) {
                let target = self.absolute(&alias.module, &alias.target)?;
                return self.follow(&if rest.is_empty() { target } else { join(&target, rest) }, fuel);
            }
            end = prefix.rfind("::")?;
        }
    }

    /// What a `use` brings in. Not the same as [`Source::resolve`] of its name, where a module has the name, too.
    fn target(&self, alias: &str) -> Option<String> {
        let Alias { module, target, .. } = self.aliases.get(alias)?;
        self.resolve(&self.absolute(module, target)?)
    }

    /// What the paths of the crate of a module start with.
    pub(super) fn crate_of<'a>(&self, module: &'a str) -> &'a str {
        let first = module.split("::").next().unwrap_or_default();
        if self.crates.values().any(|prefix| prefix == first) { first } else { "" }
    }

    /// A `use` path as seen from a module; paths into crates outside of the workspace resolve to nothing.
    fn absolute(&self, module: &str, target: &[String]) -> Option<String> {
        let mut base = module;
        let mut rest = target;
        match rest.first().map(String::as_str) {
            Some("crate") => (base, rest) = (self.crate_of(module), &rest[1..]),
            Some("self") => rest = &rest[1..],
            Some(name) => {
                if let Some(prefix) = self.crates.get(name) {
                    (base, rest) = (prefix, &rest[1..]);
                }
            }
            None => {}
        }
        while rest.first().is_some_and(|part| part == "super") {
            (base, rest) = (parent(base), &rest[1..]);
        }
        let path = join(base, &rest.join("::"));
        let first = join(base, rest.first()?);
        (self.items.contains_key(&first) || self.aliases.contains_key(&first)).then_some(path)
    }

    /// Attaches methods to their types once all names are known. A method of a foreign type is dropped.
    pub(super) fn attach_methods(&mut self) {
        for method in core::mem::take(&mut self.methods) {
            if let Some(owner) = self.resolve(&join(&method.module, &method.owner)) {
                let path = join(&owner, &method.name);
                if method.public {
                    self.public.insert(path.clone());
                }
                if method.function {
                    self.functions.insert(path.clone(), false);
                }
                // The first impl wins; a later one is the same trait method for other parameters.
                self.items.entry(path).or_insert(method.place);
            }
        }
    }

    /// Items that others can name, with the shortest path by which they can: through public modules and re-exports.
    pub(super) fn exposed(&self) -> BTreeMap<String, String> {
        let mut found: BTreeMap<String, String> = BTreeMap::new();
        let mut modules: Vec<(String, String)> =
            self.crates.values().map(|prefix| (prefix.clone(), prefix.clone())).collect();
        let inside = by_parent(self.public.iter());
        let public_names = self.aliases.iter().filter(|(_, alias)| alias.public).map(|(name, _)| name);
        let names = by_parent(public_names);
        while let Some((module, shown)) = modules.pop() {
            let items =
                inside.get(&*module).into_iter().flatten().copied().filter(|path| **path != module).cloned();
            let items = items.map(|path| (join(&shown, last(&path)), path));
            let names = names.get(&*module).into_iter().flatten().copied();
            let aliases = names.filter_map(|name| Some((join(&shown, last(name)), self.target(name)?)));
            for (shown, path) in items.chain(aliases).collect::<Vec<_>>() {
                if found.get(&path).is_some_and(|known| known.len() <= shown.len()) {
                    continue;
                }
                // What a type holds is reached through it.
                modules.push((path.clone(), shown.clone()));
                found.insert(path, shown);
            }
        }
        found
    }

    /// Names that a module re-exports publicly, as `module::name`.
    pub(super) fn public_names(&self, module: &str) -> impl Iterator<Item = &String> {
        self.aliases
            .iter()
            .filter(move |(name, alias)| alias.public && parent(name) == module)
            .map(|(name, _)| name)
    }

    /// The last parts of all paths.
    pub(super) fn names(&self) -> BTreeSet<&str> {
        let paths = self.items.keys().chain(self.tests.keys()).chain(self.harnesses.keys());
        paths.filter_map(|path| path.rsplit("::").next()).collect()
    }

    /// The item and everything that contains it.
    pub(super) fn containers(path: &str) -> impl Iterator<Item = &str> {
        core::iter::successors(Some(path), |path| Some(parent(path)).filter(|p| !p.is_empty()))
    }
}
