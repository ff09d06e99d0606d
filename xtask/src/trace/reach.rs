//! Does the code run that is proved, traced and read? Asked of the call graph, with `spec/reach.toml`.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::graph::{Node, Reached, Sort};
use super::{Kind, Problem, Trace};

/// Where it is.
pub(super) const FILE: &str = "spec/reach.toml";

/// What ships: code elsewhere may have no caller.
const SHIPPED: [&str; 3] = ["src/", "contracts/src/", "audit/src/"];

/// What a release runs through.
const LIBRARY: [&str; 2] = ["src/", "contracts/src/"];

/// A path that is excused, and why.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Excuse {
    /// A function, or the type or module that holds it.
    pub path: String,
    /// Why.
    pub reason: String,
    /// For a proposal: the mechanisms for which it is one; all of them unless given.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub mechanisms: Vec<String>,
}

/// A name of more than one type.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct SharedName {
    /// The name.
    pub name: String,
    /// Why a reader cannot take one for the other.
    pub reason: String,
}

/// One mechanism: where a release of it begins, and which branches it does not take.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct MechanismRoots {
    /// As on the command line.
    pub name: String,
    /// At most this many lines may have to be read, comments and blank lines included.
    pub most: usize,
    /// So many of them may be code.
    pub code: usize,
    /// The mechanism of which it is one way: roots and branches not taken are those, and more.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub of: Option<String>,
    /// What is counted, in a few words, where it is one of several ways.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub way: Option<String>,
    /// Where a release of it begins.
    #[serde(default)]
    pub roots: Vec<String>,
    /// Branches that lead to other mechanisms: the graph, which goes by names, would take them.
    #[serde(default)]
    pub without: Vec<String>,
}

/// `spec/reach.toml`.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Questions {
    /// Where the program is entered, besides `main` and what Python calls.
    pub roots: Vec<String>,
    /// Names of types that stand for more than one, and why.
    #[serde(default)]
    pub shared: Vec<SharedName>,
    /// Code that no root reaches, and why it is there.
    #[serde(default)]
    pub unreached: Vec<Excuse>,
    /// The mechanisms.
    #[serde(default)]
    pub mechanism: Vec<MechanismRoots>,
    /// Code that proposes what other code accepts or refuses: a wrong one costs accuracy or a refusal, not privacy.
    #[serde(default)]
    pub proposal: Vec<Excuse>,
}

impl Questions {
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        toml::from_str(text).map_err(|error| error.to_string())
    }
}

/// Whether a path is another one, or inside of it.
pub(super) fn within(path: &str, container: &str) -> bool {
    path.strip_prefix(container).is_some_and(|rest| rest.is_empty() || rest.starts_with("::"))
}

impl Questions {
    /// The mechanism that this one is one way of; itself, if it is not a way of another.
    pub(super) fn whole_of<'a>(&'a self, one: &'a MechanismRoots) -> &'a MechanismRoots {
        let whole = one.of.as_ref().and_then(|of| self.mechanism.iter().find(|other| other.name == *of));
        whole.unwrap_or(one)
    }

    /// A mechanism with the roots of the whole and with everything that it leaves out.
    pub(super) fn roots_of(&self, name: &str) -> Option<MechanismRoots> {
        let one = self.mechanism.iter().find(|one| one.name == name)?;
        let whole = self.whole_of(one);
        let with = |whole: &[String], own: &[String]| {
            if one.of.is_some() { [whole, own].concat() } else { own.to_vec() }
        };
        let (roots, without) = (with(&whole.roots, &one.roots), with(&whole.without, &one.without));
        Some(MechanismRoots { roots, without, ..one.clone() })
    }
}

impl Trace {
    /// The canonical path of one that `spec/reach.toml` names.
    fn canonical(&self, path: &str) -> Option<String> {
        self.source.resolve(path).or_else(|| self.source.modules.contains(path).then(|| path.to_owned()))
    }

    fn nodes_of(&self, paths: &[String]) -> Vec<usize> {
        let found = paths.iter().filter_map(|path| self.canonical(path));
        found.flat_map(|path| self.graph.at(&path).to_vec()).collect()
    }

    /// What any command can reach.
    pub(super) fn reached(&self) -> Reached {
        let nodes = self.graph.nodes.iter().enumerate();
        let entered = nodes
            .filter(|(_, node)| node.exported || node.name == "main" && node.file.ends_with("src/main.rs"));
        let entered = entered.filter(|(_, node)| !node.file.starts_with("xtask/")).map(|(k, _)| k);
        self.graph.reach(entered.chain(self.nodes_of(&self.questions.roots)), &|_| false, true)
    }

    /// What a release of a mechanism can reach.
    pub(super) fn reached_by(&self, mechanism: &MechanismRoots) -> Reached {
        let cut: Vec<String> = mechanism.without.iter().filter_map(|path| self.canonical(path)).collect();
        // A caller of the library is not part of what it releases.
        let library = |node: &Node| LIBRARY.iter().any(|folder| node.file.starts_with(folder));
        let is_cut = |node: &Node| !library(node) || cut.iter().any(|path| within(&node.path, path));
        self.graph.reach(self.nodes_of(&mechanism.roots), &is_cut, false)
    }

    /// Whether something at a path, or inside of it, is reached.
    pub(super) fn runs(&self, reached: &Reached, path: &str) -> bool {
        let Some(path) = self.canonical(path) else { return false };
        let nodes = self.graph.nodes.iter().enumerate();
        nodes.filter(|(_, node)| within(&node.path, &path)).any(|(k, _)| reached.has(k))
    }

    /// Excuses of what exists that were of no use.
    fn idle(&self, used: &BTreeSet<String>) -> impl Iterator<Item = &Excuse> {
        let idle = |excuse: &&Excuse| self.canonical(&excuse.path).is_some_and(|path| !used.contains(&path));
        self.questions.unreached.iter().filter(idle)
    }

    fn excuses(&self, excuses: &[Excuse]) -> Vec<String> {
        excuses.iter().filter_map(|excuse| self.canonical(&excuse.path)).collect()
    }
}

pub(super) fn problems(trace: &Trace) -> Vec<Problem> {
    let mut found = Vec::new();
    let mut report = |kind, message| found.push(Problem::new(kind, message));
    let questions = &trace.questions;
    let named = questions.mechanism.iter().flat_map(|one| one.roots.iter().chain(&one.without));
    let excused = questions.unreached.iter().chain(&questions.proposal).map(|excuse| &excuse.path);
    for of in questions.mechanism.iter().filter_map(|one| one.of.as_ref()) {
        if !questions.mechanism.iter().any(|one| one.name == *of && one.of.is_none()) {
            report(Kind::MissingCode, format!("{FILE}: there is no mechanism {of}"));
        }
    }
    for path in questions.roots.iter().chain(named).chain(excused) {
        if trace.canonical(path).is_none() {
            report(Kind::MissingCode, format!("{FILE}: there is no item {path}"));
        }
    }
    let reached = trace.reached();
    let excuses = trace.excuses(&questions.unreached);
    let mut used = BTreeSet::new();
    let shipped = |node: &Node| SHIPPED.iter().any(|folder| node.file.starts_with(folder));
    for (k, node) in trace.graph.nodes.iter().enumerate() {
        let aside = matches!(node.sort, Sort::Macro | Sort::Variant) || node.name == "_";
        if reached.has(k) || !shipped(node) || aside {
            continue;
        }
        if let Some(excuse) = excuses.iter().find(|excuse| within(&node.path, excuse)) {
            used.insert(excuse.clone());
            continue;
        }
        let what = if node.contract { "the contract " } else { "" };
        let message =
            format!("{what}{} ({}:{}) is reached by no command", node.path, node.file, node.lines.0);
        report(Kind::UnreachedCode, message);
    }
    for excuse in trace.idle(&used) {
        report(Kind::StaleExcuse, format!("{FILE} excuses {}, which is reached", excuse.path));
    }
    for (name, place) in &trace.source.harnesses {
        for path in place.ids.covers.iter().flat_map(|cover| &cover.paths) {
            if trace.canonical(path).is_some() && !trace.runs(&reached, path) {
                let at = format!("{}:{}", place.file, place.line);
                report(
                    Kind::UnreachedHarness,
                    format!("{name} ({at}) covers {path}, which no command reaches"),
                );
            }
        }
    }
    found
}
