//! Which code can reach which, by names: the call graph of the workspace, without tests and harnesses.
//!
//! A node is a function, a constant, a type or a macro. A path in a body leads to the item that it resolves to. A
//! method call leads to the method of the receiver's type where that can be told from declarations (parameters, fields,
//! `let`, results of functions of the workspace), otherwise to every method of that name and number of arguments whose
//! type is reached. A variant is reached where its name is written, or with its type where something else can make one
//! (a derived trait that reads it, `#[from]`, `#[default]`, a `use` of variants). What a trait of another crate asks
//! for (`Drop`, `Display`, operators) is reached with its type. So the graph has more edges than the program, and
//! seldom fewer: a function that it does not reach is not called.

mod collect;
mod infer;
mod lines;
mod refer;

use std::collections::{BTreeMap, BTreeSet};

use super::source::Source;
use super::walk::Parsed;

/// What a node is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sort {
    Function,
    Constant,
    Type,
    /// A variant of an enumeration.
    Variant,
    Macro,
}

/// One item.
#[derive(Debug)]
pub(super) struct Node {
    /// The canonical path.
    pub(super) path: String,
    pub(super) name: String,
    /// The type or the trait that holds it: canonical, or the bare name of a foreign one.
    owner: Option<String>,
    /// The trait that asks for it; `None` in what is foreign.
    of_trait: Option<Asked>,
    /// A declaration in a trait that has a body, for types that have none of their own.
    default: bool,
    pub(super) sort: Sort,
    /// Written with `contract!`.
    pub(super) contract: bool,
    /// Called from Python.
    pub(super) exported: bool,
    pub(super) file: String,
    /// Its lines, documentation and attributes included.
    pub(super) lines: (usize, usize),
    /// How many arguments a call `.name(…)` has; `None` if that is not known.
    takes: Option<usize>,
    edges: Vec<Edge>,
}

/// The sources of the crate that depends on no other one here: a call in it means nothing of theirs, unless
/// through a trait of its own.
const BELOW: &str = "contracts/src/";

/// What cannot be called as `.name(…)`: a function without `self`, a constant.
const NO_METHOD: Option<usize> = Some(usize::MAX);

impl Node {
    /// Whether a call `.name(…)` with so many arguments, if they were counted, can mean it.
    fn accepts(&self, arguments: Option<usize>) -> bool {
        self.takes != NO_METHOD && (arguments.is_none() || self.takes.is_none() || arguments == self.takes)
    }
}

/// Who asks for a method.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Asked {
    /// A trait of the workspace, by its path, in an `impl`.
    By(String),
    /// A trait of another crate.
    Foreign,
    /// It is the declaration in the trait itself.
    Declared,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Edge {
    To(usize),
    /// The declaration that an implementation answers to: to be read, but not what runs.
    Mention(usize),
    /// `.name(…)` on something unknown, with so many arguments; `None` inside of a macro.
    Method(String, Option<usize>),
}

/// All nodes of the workspace.
#[derive(Debug, Default)]
pub(super) struct Graph {
    pub(super) nodes: Vec<Node>,
    /// By canonical path: a type has several methods of one name if traits with parameters ask for them.
    by_path: BTreeMap<String, Vec<usize>>,
    by_name: BTreeMap<String, Vec<usize>>,
    by_owner: BTreeMap<String, Vec<usize>>,
    /// The variants of each enumeration.
    variants: BTreeMap<String, Vec<usize>>,
    /// Modules in which a macro is called that defines items.
    invoked: BTreeMap<String, Vec<usize>>,
    /// `impl` and `trait` blocks: their file, their lines and what they hold.
    pub(super) blocks: Vec<(String, (usize, usize), Vec<usize>)>,
    /// Lines that only name others, `use` or `mod`: their file, and the paths of what they name.
    pub(super) named: Vec<(String, (usize, usize), Vec<String>)>,
    /// For each trait the types that have it, unless a macro says so.
    implementors: BTreeMap<String, Vec<String>>,
    /// Lines of files that only tests and Kani build.
    pub(super) gated: BTreeMap<String, Vec<(usize, usize)>>,
}

impl Graph {
    /// Reads the files of code.
    pub(super) fn new(source: &Source, files: &[Parsed]) -> Self {
        let mut drafts = collect::Drafts::default();
        for file in files {
            drafts.file(source, file);
        }
        drafts.finish(source)
    }

    /// The nodes of a path: an item, or the methods of a type that have this name.
    pub(super) fn at(&self, path: &str) -> &[usize] {
        self.by_path.get(path).map_or(&[], Vec::as_slice)
    }

    /// What can be reached from these nodes without entering what is cut; with `users`, types of theirs inherit
    /// every body of a declaration.
    pub(super) fn reach(
        &self,
        roots: impl IntoIterator<Item = usize>,
        cut: &dyn Fn(&Node) -> bool,
        users: bool,
    ) -> Reached {
        let mut walk = Walk {
            graph: self,
            cut,
            users,
            reached: Reached {
                marks: vec![false; self.nodes.len()],
                mentioned: BTreeSet::new(),
                from: vec![None; self.nodes.len()],
            },
            at: None,
            next: Vec::new(),
            called: BTreeSet::new(),
            modules: BTreeSet::new(),
            defaults: BTreeSet::new(),
        };
        roots.into_iter().for_each(|root| walk.mark(root));
        walk.run();
        while walk.conversions() || walk.inherited() {
            walk.run();
        }
        walk.reached
    }

    fn is_type(&self, path: &str) -> bool {
        self.at(path).iter().any(|k| self.nodes[*k].sort == Sort::Type)
    }
}

/// Which nodes were reached.
#[derive(Debug)]
pub(super) struct Reached {
    marks: Vec<bool>,
    mentioned: BTreeSet<usize>,
    /// What led there first.
    pub(super) from: Vec<Option<usize>>,
}

impl Reached {
    pub(super) fn has(&self, node: usize) -> bool {
        self.marks[node] || self.mentioned.contains(&node)
    }
}

struct Walk<'a> {
    graph: &'a Graph,
    cut: &'a dyn Fn(&Node) -> bool,
    users: bool,
    reached: Reached,
    next: Vec<usize>,
    /// The node whose edges are followed.
    at: Option<usize>,
    /// Names, numbers of arguments, and whether the call stands in the lowest crate.
    called: BTreeSet<(&'a str, Option<usize>, bool)>,
    modules: BTreeSet<&'a str>,
    /// Bodies of declarations that no known type inherits yet.
    defaults: BTreeSet<usize>,
}

impl<'a> Walk<'a> {
    fn mark(&mut self, node: usize) {
        if !self.reached.marks[node] && !(self.cut)(&self.graph.nodes[node]) {
            self.reached.marks[node] = true;
            self.reached.from[node] = self.at;
            self.next.push(node);
        }
    }

    /// Whether the type of a method is reached; a foreign type always is.
    fn live(&self, owner: &str) -> bool {
        let types = self.graph.at(owner).iter().filter(|k| self.graph.nodes[**k].sort == Sort::Type);
        types.clone().next().is_none() || types.into_iter().any(|k| self.reached.marks[*k])
    }

    fn run(&mut self) {
        while let Some(k) = self.next.pop() {
            let node = &self.graph.nodes[k];
            if !node.default || self.users || self.inherits(node) {
                self.follow(k);
            } else {
                self.defaults.insert(k);
            }
            if let Some(module) = node.path.rsplit_once("::").map(|(module, _)| module)
                && self.modules.insert(module)
            {
                let invoked = self.graph.invoked.get(module).into_iter().flatten();
                invoked.for_each(|k| self.mark(*k));
            }
            if node.sort == Sort::Type {
                self.becomes_live(&node.path);
            } else if node.of_trait == Some(Asked::Declared) {
                self.dispatch(node);
            }
        }
    }

    fn follow(&mut self, k: usize) {
        let node = &self.graph.nodes[k];
        self.at = Some(k);
        for edge in &node.edges {
            match edge {
                Edge::To(other) => self.mark(*other),
                Edge::Mention(other) => drop(self.reached.mentioned.insert(*other)),
                Edge::Method(name, arguments) => self.call(name, *arguments, &node.file),
            }
        }
    }

    /// Whether a type that is reached takes a method from its trait as it is declared there, as far as anybody knows.
    fn inherits(&self, declared: &Node) -> bool {
        let Some(of) = &declared.owner else { return true };
        let Some(types) = self.graph.implementors.get(of) else { return true };
        types.iter().filter(|owner| self.live(owner)).any(|owner| {
            let own = self.graph.by_owner.get(owner).into_iter().flatten().map(|k| &self.graph.nodes[*k]);
            let asked = Asked::By(of.clone());
            !own.into_iter().any(|node| node.name == declared.name && node.of_trait.as_ref() == Some(&asked))
        })
    }

    /// Bodies of declarations that a type inherits which was reached since. Whether there were any.
    fn inherited(&mut self) -> bool {
        let known = core::mem::take(&mut self.defaults);
        let (now, later): (BTreeSet<usize>, _) =
            known.into_iter().partition(|k| self.inherits(&self.graph.nodes[*k]));
        self.defaults = later;
        for k in &now {
            self.follow(*k);
        }
        !now.is_empty()
    }

    /// Foreign traits of foreign types (`impl From<Epsilon> for f64`): nothing leads there but a type that they speak
    /// of. Whether there were new ones.
    fn conversions(&mut self) -> bool {
        for (k, node) in self.graph.nodes.iter().enumerate() {
            let foreign = node.owner.as_ref().is_some_and(|owner| !self.graph.is_type(owner));
            let speaks = |edge: &Edge| matches!(edge, Edge::To(other) if self.reached.marks[*other]);
            if foreign && node.of_trait == Some(Asked::Foreign) && node.edges.iter().any(speaks) {
                self.mark(k);
            }
        }
        !self.next.is_empty()
    }

    /// Every method of this name whose type is reached.
    fn call(&mut self, name: &'a str, arguments: Option<usize>, from: &str) {
        let below = from.starts_with(BELOW);
        if self.called.insert((name, arguments, below)) {
            for k in self.graph.by_name.get(name).into_iter().flatten() {
                let node = &self.graph.nodes[*k];
                let named = node.accepts(arguments) && (!below || node.file.starts_with(BELOW));
                let Some(owner) = node.owner.as_ref().filter(|_| named) else { continue };
                // A trait has no values of its own: what it declares leads on to the types that are reached.
                if node.of_trait == Some(Asked::Declared) || self.live(owner) {
                    self.mark(*k);
                }
            }
        }
    }

    fn was_called(&self, node: &'a Node) -> bool {
        let name = node.name.as_str();
        let mut calls = self.called.range((name, None, false)..=(name, NO_METHOD, true));
        calls
            .any(|(_, arguments, below)| node.accepts(*arguments) && (!below || node.file.starts_with(BELOW)))
    }

    /// What was called by name before its type was reached, what foreign traits ask for, and
    /// what reached traits ask for.
    fn becomes_live(&mut self, path: &str) {
        for k in self.graph.by_owner.get(path).into_iter().flatten() {
            let node = &self.graph.nodes[*k];
            let asked = match &node.of_trait {
                Some(Asked::Foreign) => true,
                Some(Asked::By(of)) => {
                    let declared = format!("{of}::{}", node.name);
                    self.graph.at(&declared).iter().any(|k| self.reached.marks[*k])
                }
                Some(Asked::Declared) | None => false,
            };
            if asked || self.was_called(node) {
                self.mark(*k);
            }
        }
    }

    /// A declared method of a trait leads to those of the types that are reached.
    fn dispatch(&mut self, declared: &Node) {
        for k in self.graph.by_name.get(&declared.name).into_iter().flatten() {
            let node = &self.graph.nodes[*k];
            let Some(owner) = &node.owner else { continue };
            let asked = matches!(&node.of_trait, Some(Asked::By(of)) if Some(of) == declared.owner.as_ref());
            if asked && self.live(owner) {
                self.mark(*k);
            }
        }
    }
}
