//! What stands behind each public function: harnesses, theorems, tests, or nothing.

use core::fmt::Write as _;

use serde::Serialize;

use super::source::{Calls, last};
use super::{Kind, Problem, Trace, calls};
use std::collections::BTreeMap;

/// The modules whose public functions are listed, by the beginning of their paths.
const MODULES: [&str; 9] =
    ["privacy", "ledger", "exact", "noise", "calibrate", "sampler", "asap", "mechanism", "asap_contracts"];
/// Those of which every function without a proof is listed once more, with the reason: what draws, what
/// decides, and what is spent.
const WANTED: [&str; 4] = ["noise", "asap_contracts::contract", "ledger", "privacy"];

fn wanted(path: &str) -> bool {
    WANTED.iter().any(|module| path.strip_prefix(module).is_some_and(|rest| rest.starts_with("::")))
}

/// What speaks for a function.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Evidence {
    /// Harnesses that cover it for every input.
    pub all_inputs: Vec<String>,
    /// Harnesses that cover it within a bound.
    pub within_a_bound: Vec<String>,
    /// Theorems that speak of its law or formula.
    pub coq: Vec<String>,
    /// Files whose tests call it by its name.
    pub tests: Vec<String>,
}

impl Evidence {
    /// Whether a machine has checked a proof that concerns it.
    pub fn proved(&self) -> bool {
        [&self.all_inputs, &self.within_a_bound, &self.coq].iter().any(|names| !names.is_empty())
    }

    fn of_all_inputs(&mut self) -> &mut Vec<String> {
        &mut self.all_inputs
    }

    fn of_a_bound(&mut self) -> &mut Vec<String> {
        &mut self.within_a_bound
    }

    fn counts(&self) -> [bool; 5] {
        let named =
            [&self.all_inputs, &self.within_a_bound, &self.coq, &self.tests].map(|names| !names.is_empty());
        let [all, bound, coq, tests] = named;
        [all, bound, coq, tests, !named.contains(&true)]
    }
}

/// A function with what speaks for it.
#[derive(Clone, Debug, Serialize)]
pub struct Function {
    /// The shortest public path, or the whole path of what is not public.
    pub path: String,
    /// Whether others can call it.
    pub public: bool,
    /// Whether it is written with `contract!`: its clauses are checked whenever it runs.
    pub contract: bool,
    /// What speaks for it.
    pub evidence: Evidence,
}

impl Function {
    fn module(&self) -> &str {
        let first = self.path.split("::").next().unwrap_or_default();
        MODULES.iter().find(|module| **module == first).copied().unwrap_or("elsewhere")
    }
}

impl Trace {
    /// The public functions of the modules that privacy rests on and every function with a
    /// contract or a harness, by path.
    pub fn functions(&self) -> Vec<Function> {
        let source = &self.source;
        let exposed = source.exposed();
        let called: Vec<(&String, Calls)> =
            source.test_texts.iter().map(|(file, text)| (file, calls::of_tests(text))).collect();
        let mut names: BTreeMap<&str, usize> = BTreeMap::new();
        source.functions.keys().for_each(|path| *names.entry(last(path)).or_default() += 1);
        let proofs = self.proofs();
        let mut found: Vec<Function> = source
            .functions
            .iter()
            .map(|(path, contract)| {
                let shown = exposed.get(path);
                let function = Function {
                    path: shown.unwrap_or(path).clone(),
                    public: shown.is_some(),
                    contract: *contract,
                    evidence: proofs.get(path).cloned().unwrap_or_default(),
                };
                (path, function)
            })
            .filter(|(_, function)| {
                let listed = function.public && MODULES.contains(&function.module());
                listed || function.contract || function.evidence.proved()
            })
            .map(|(path, mut function)| {
                let only = names.get(last(path)) == Some(&1);
                let tests = called.iter().filter(|(_, calls)| self.calls(calls, path, only));
                function.evidence.tests = tests.map(|(file, _)| (*file).clone()).collect();
                function
            })
            .collect();
        found.sort_by(|a, b| a.path.cmp(&b.path));
        found
    }

    /// Functions of [`WANTED`] without a proof and without a reason, and reasons without such a function.
    pub(super) fn unexplained(&self) -> Vec<Problem> {
        let (exposed, proofs) = (self.source.exposed(), self.proofs());
        let shown = self.source.functions.keys().filter_map(|path| Some((path, exposed.get(path)?)));
        let unproved: Vec<&String> = shown
            .filter(|(path, shown)| wanted(shown) && !proofs.get(*path).is_some_and(Evidence::proved))
            .map(|(_, shown)| shown)
            .collect();
        let reasons = &self.contracts.unproved;
        let no_reason = unproved.iter().filter(|shown| !reasons.contains_key(**shown)).map(|shown| {
            let message = format!("{shown} has no proof, and proofs/contracts.toml has no reason for that");
            Problem::new(Kind::UnexplainedFunction, message)
        });
        let stale = reasons.keys().filter(|path| !unproved.contains(path)).map(|path| {
            let message =
                format!("proofs/contracts.toml says why {path} has no proof, but it has one or is not there");
            Problem::new(Kind::StaleReason, message)
        });
        no_reason.chain(stale).collect()
    }

    /// What is proved, by canonical path.
    fn proofs(&self) -> BTreeMap<String, Evidence> {
        let mut found: BTreeMap<String, Evidence> = BTreeMap::new();
        let mut note = |path: &String, list: fn(&mut Evidence) -> &mut Vec<String>, name: &String| {
            if let Some(path) = self.source.resolve(path) {
                let list = list(found.entry(path).or_default());
                if list.last() != Some(name) {
                    list.push(name.clone());
                }
            }
        };
        for (name, place) in &self.source.harnesses {
            for cover in &place.ids.covers {
                let list = if cover.all { Evidence::of_all_inputs } else { Evidence::of_a_bound };
                cover.paths.iter().for_each(|path| note(path, list, name));
            }
        }
        for theorem in &self.contracts.theorem {
            theorem.models.iter().for_each(|path| note(path, |it| &mut it.coq, &theorem.name));
        }
        found
    }

    /// By name: a method also needs its type to be named in the file, unless no other function has the name.
    fn calls(&self, calls: &Calls, path: &str, only: bool) -> bool {
        let source = &self.source;
        let name = last(path);
        let Some((owner, _)) = path.rsplit_once("::") else { return calls.paths.contains(name) };
        if source.modules.contains(owner) {
            return calls.paths.contains(name);
        }
        calls.paths.contains(&format!("{}::{name}", last(owner)))
            || calls.methods.contains(name) && (only || calls.words.contains(last(owner)))
    }

    /// `spec/status.md`.
    pub fn functions_markdown(&self) -> String {
        let functions = self.functions();
        let mut text = format!("{HEADER}{SUMMARY}");
        for module in MODULES.iter().chain(&["elsewhere"]) {
            let of: Vec<_> = functions.iter().filter(|function| function.module() == *module).collect();
            let public = of.iter().filter(|function| function.public).count();
            let _ = writeln!(
                text,
                "| {module} | {public} | {} |",
                counts(of.into_iter().filter(|f| f.public)).join(" | ")
            );
        }
        let _ = writeln!(text, "| with a contract | {} |", {
            let with: Vec<_> = functions.iter().filter(|function| function.contract).collect();
            format!("{} | {}", with.len(), counts(with.into_iter()).join(" | "))
        });
        text.push_str(&without_proof(&functions, &self.contracts.unproved));
        let (public, private): (Vec<_>, Vec<_>) = functions.iter().partition(|function| function.public);
        for (title, list) in [
            ("Public functions", public),
            ("Functions inside of the crates that have a proof or a contract", private),
        ] {
            let _ = write!(text, "\n## {title}\n\n{COLUMNS}");
            for function in list {
                text.push_str(&row(function));
            }
        }
        text
    }

    /// The same for a terminal: one line per function.
    pub fn functions_text(&self) -> String {
        let functions = self.functions();
        let width = functions.iter().map(|function| function.path.len()).max().unwrap_or(0);
        let mut text = format!("{:width$}  all  bound  coq  tests\n", "function");
        for Function { path, contract, evidence, .. } in &functions {
            let Evidence { all_inputs, within_a_bound, coq, tests } = evidence;
            let [all, bound, coq, tests] = [all_inputs, within_a_bound, coq, tests].map(Vec::len);
            let mark = if *contract { "  contract" } else { "" };
            let _ = writeln!(text, "{path:width$}  {all:3}  {bound:5}  {coq:3}  {tests:5}{mark}");
        }
        text.push_str(&without_proof(&functions, &self.contracts.unproved));
        text
    }
}

const HEADER: &str = "\
# What stands behind each function

Generated from the `covers:` lines of the harnesses, from `proofs/contracts.toml` and from the test code; `cargo xtask pages`
writes it. `cargo xtask trace --functions` prints it.

* **all inputs**, **within a bound** — Kani harnesses that cover the function so. A harness shows the property that its
  comment states, no more; that it passes is what `proofs/run` shows ([results](../proofs/results.md)).
* **Coq** — theorems that speak of the law or the formula that the function implements. They are about mathematics: no
  machine has compared the Rust text with them. What their hypotheses rest on is in `proofs/contracts.toml`.
* **tests** — files whose tests call the function by its name. A function that tests reach only through others has none; the
  other way round, a call is not a claim. What a test would notice is in [the matrix](README.md).
* **contract** — written with `contract!`: its clauses are checked whenever it runs, in exact arithmetic where they decide on privacy.

";

const SUMMARY: &str = "\
Public functions, by module; a function counts in every column that it has something in.

| module | functions | all inputs | within a bound | Coq | tests | none |
|---|---|---|---|---|---|---|
";

const COLUMNS: &str = "\
| function | all inputs | within a bound | Coq | tests |
|---|---|---|---|---|
";

fn counts<'a>(functions: impl Iterator<Item = &'a Function>) -> [String; 5] {
    let mut sums = [0_usize; 5];
    for function in functions {
        for (sum, counts) in sums.iter_mut().zip(function.evidence.counts()) {
            *sum += usize::from(counts);
        }
    }
    sums.map(|sum| sum.to_string())
}

fn without_proof(functions: &[Function], reasons: &BTreeMap<String, String>) -> String {
    let wanted: Vec<_> = functions.iter().filter(|f| f.public && wanted(&f.path)).collect();
    let without: Vec<_> = wanted.iter().filter(|f| !f.evidence.proved()).collect();
    let (count, all) = (without.len(), wanted.len());
    let mut text = format!(
        "\nPublic functions of noise, contracts, ledger and privacy without any proof: {count} of {all}, each with its reason \
         (`proofs/contracts.toml`).\n\n"
    );
    for Function { path, .. } in without {
        let reason = reasons.get(path).map_or("no reason is given", String::as_str);
        let _ = writeln!(text, "* `{path}`: {reason}");
    }
    text
}

fn row(function: &Function) -> String {
    let Evidence { all_inputs, within_a_bound, coq, tests } = &function.evidence;
    let list = |names: &[String]| match names {
        [] => "–".to_owned(),
        names => names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(" "),
    };
    let tests = if tests.is_empty() { "–".to_owned() } else { tests.len().to_string() };
    let mark = if function.contract { " (contract)" } else { "" };
    let cells = [list(all_inputs), list(within_a_bound), list(coq), tests].join(" | ");
    format!("| `{}`{mark} | {cells} |\n", function.path)
}
