//! The bridge between the Coq theorems and the code: every hypothesis is discharged by something that exists.

use std::collections::{BTreeMap, BTreeSet};

use super::contracts::{Discharge, FILE, Record, Theorem};
use super::coq::{Bound, Declaration, Sort};
use super::{Kind, MechanismRoots, Problem, Proof, Trace};

pub(super) fn problems(trace: &Trace) -> Vec<Problem> {
    let mut bridge = Bridge { trace, found: Vec::new() };
    bridge.axioms();
    bridge.files();
    for theorem in &trace.contracts.theorem {
        bridge.theorem(theorem);
    }
    for record in &trace.contracts.record {
        bridge.record(record);
    }
    for (owner, key, discharge) in trace.contracts.discharges() {
        bridge.discharge(owner, key, discharge);
    }
    bridge.mapped();
    bridge.circles();
    bridge.running();
    bridge.standing();
    bridge.found
}

struct Bridge<'a> {
    trace: &'a Trace,
    found: Vec<Problem>,
}

impl<'a> Bridge<'a> {
    fn report(&mut self, kind: Kind, message: String) {
        self.found.push(Problem::new(kind, message));
    }

    fn axioms(&mut self) {
        for found in self.trace.theories.declarations.values() {
            let Declaration { name, sort, line, .. } = &found.declaration;
            let how = match sort {
                Sort::Axiom => "is taken as given",
                Sort::Unproved => "has no finished proof",
                Sort::Theorem | Sort::Definition => continue,
            };
            self.report(Kind::UnprovedCoq, format!("{}:{line}: {name} {how}", found.file));
        }
    }

    /// What the statements of a file have in common must stand in one of them.
    fn files(&mut self) {
        let contracts = &self.trace.contracts;
        for file in &contracts.file {
            let statements = contracts.theorem.iter().map(|entry| &entry.name);
            let statements = statements.chain(contracts.record.iter().map(|entry| &entry.name));
            let bound: BTreeSet<String> = statements
                .filter(|name| contracts.file_of(name).is_some_and(|of| of.name == file.name))
                .filter_map(|name| self.trace.theories.declarations.get(name))
                .flat_map(|found| found.declaration.hypotheses.iter().map(Bound::key))
                .collect();
            for key in file.data.iter().chain(file.hypotheses.keys()).filter(|key| !bound.contains(*key)) {
                let message = format!("no statement of {} that {FILE} lists has `{key}`", file.name);
                self.report(Kind::StaleHypothesis, message);
            }
        }
    }

    fn declared(&mut self, name: &str, theorem: bool) -> Option<&'a Declaration> {
        let theories = &self.trace.theories;
        let found = if theorem {
            theories.theorem(name)
        } else {
            theories.declarations.get(name).filter(|found| found.declaration.fields.is_some())
        };
        if found.is_none() {
            let what = if theorem { "theorem with a proof" } else { "record" };
            self.report(Kind::MissingCoq, format!("{FILE}: there is no {what} {name}"));
        }
        found.map(|found| &found.declaration)
    }

    fn theorem(&mut self, entry: &Theorem) {
        if self.trace.contracts.theorem.iter().filter(|other| other.name == entry.name).count() > 1 {
            self.report(Kind::DuplicateEntry, format!("{} has two entries in {FILE}", entry.name));
        }
        for path in &entry.models {
            if self.trace.source.resolve(path).is_none() {
                let message = format!("{}: there is no item {path} that it could model", entry.name);
                self.report(Kind::MissingCode, message);
            }
        }
        let Some(declaration) = self.declared(&entry.name, true) else { return };
        self.hypotheses(&entry.name, &declaration.hypotheses, &entry.data, |key| {
            entry.hypotheses.contains_key(key)
        });
        self.stale(
            Kind::StaleHypothesis,
            &entry.name,
            &declaration.hypotheses,
            entry.data.iter().chain(entry.hypotheses.keys()),
        );
    }

    fn record(&mut self, entry: &Record) {
        let Some(declaration) = self.declared(&entry.name, false) else { return };
        let fields = declaration.fields.as_deref().unwrap_or_default();
        let all: Vec<Bound> = declaration.hypotheses.iter().chain(fields).cloned().collect();
        self.hypotheses(&entry.name, &declaration.hypotheses, &entry.data, |key| {
            entry.hypotheses.contains_key(key)
        });
        for field in fields {
            let key = field.key();
            let listed = entry.data.contains(&key);
            if listed {
                self.is_data(&entry.name, field, &all);
            } else if !entry.fields.contains_key(&key) {
                let message = format!("nothing in {FILE} discharges the field `{key}` of {}", entry.name);
                self.report(Kind::UnmappedField, message);
            }
        }
        self.stale(Kind::StaleHypothesis, &entry.name, &declaration.hypotheses, entry.hypotheses.keys());
        self.stale(Kind::StaleField, &entry.name, &all, entry.data.iter());
        self.stale(Kind::StaleField, &entry.name, fields, entry.fields.keys());
    }

    /// Each is discharged here or for the whole file, or it is data.
    fn hypotheses(&mut self, owner: &str, bounds: &[Bound], data: &[String], here: impl Fn(&str) -> bool) {
        let file = self.trace.contracts.file_of(owner);
        for bound in bounds {
            let key = bound.key();
            if here(&key) || file.is_some_and(|file| file.hypotheses.contains_key(&key)) {
                continue;
            }
            if data.contains(&key) || file.is_some_and(|file| file.data.contains(&key)) {
                self.is_data(owner, bound, bounds);
            } else {
                let message = format!("nothing in {FILE} discharges `{key}` of {owner}");
                self.report(Kind::UnmappedHypothesis, message);
            }
        }
    }

    /// `among` are the others of the same statement: some may be relations.
    fn is_data(&mut self, owner: &str, bound: &Bound, among: &[Bound]) {
        let theories = &self.trace.theories;
        let is_predicate =
            |name: &str| theories.is_predicate(name) || among.iter().any(|other| other.is_relation(name));
        if bound.is_proposition(&is_predicate) {
            let message =
                format!("{FILE} lists `{}` of {owner} as data, but it is a proposition", bound.key());
            self.report(Kind::HypothesisAsData, message);
        }
    }

    fn stale<'b>(
        &mut self,
        kind: Kind,
        owner: &str,
        bounds: &[Bound],
        keys: impl Iterator<Item = &'b String>,
    ) {
        let bound: BTreeSet<String> = bounds.iter().map(Bound::key).collect();
        for key in keys.filter(|key| !bound.contains(*key)) {
            self.report(kind, format!("{FILE} speaks of `{key}` of {owner}, which is not there"));
        }
    }

    /// Every name that a discharge rests on exists.
    fn discharge(&mut self, owner: &str, key: &str, discharge: &Discharge) {
        let of = format!("`{key}` of {owner}");
        let names = discharge
            .kinds()
            .into_iter()
            .flat_map(|(kind, names)| names.iter().map(move |name| (kind, name)));
        let names: Vec<_> = names.collect();
        if names.is_empty() || discharge.says.trim().is_empty() {
            self.report(Kind::HollowDischarge, format!("{FILE}: {of} rests on nothing, or does not say how"));
        }
        let trace = self.trace;
        for (kind, name) in names {
            let written =
                |id: &str| trace.entries.iter().any(|e| e.id == id && e.proof.contains(&Proof::Written));
            let (exists, problem, what) = match kind {
                "check" => (trace.source.resolve(name).is_some(), Kind::MissingCode, "item"),
                "harness" => (trace.source.harnesses.contains_key(name), Kind::MissingHarness, "harness"),
                "test" => (trace.source.tests.contains_key(name), Kind::MissingTest, "test"),
                "page" => (written(name), Kind::MissingPage, "page with a written proof of"),
                "assumption" => (trace.assumptions.contains(name), Kind::MissingAssumption, "assumption"),
                "coq" => {
                    (trace.contracts.theorem(name).is_some(), Kind::UnmappedTheorem, "entry of the theorem")
                }
                _ => (
                    trace.contracts.record.iter().any(|e| e.name == *name),
                    Kind::UnmappedTheorem,
                    "entry of the record",
                ),
            };
            if !exists {
                self.report(problem, format!("{FILE}: {of}: there is no {what} {name}"));
            }
        }
    }

    /// Every theorem that the table names has its hypotheses mapped.
    fn mapped(&mut self) {
        let trace = self.trace;
        for (entry, name) in
            trace.entries.iter().flat_map(|entry| entry.coq.iter().map(move |name| (entry, name)))
        {
            if trace.theories.theorem(name).is_none() {
                self.report(
                    Kind::MissingCoq,
                    format!("{}: there is no theorem with a proof {name}", entry.id),
                );
            } else if trace.contracts.theorem(name).is_none() {
                self.report(Kind::UnmappedTheorem, format!("{}: {name} has no entry in {FILE}", entry.id));
            }
        }
    }

    /// No theorem may rest on itself.
    fn circles(&mut self) {
        for theorem in &self.trace.contracts.theorem {
            let mut seen = BTreeSet::new();
            let mut next = self.rests_on(&theorem.name);
            while let Some(name) = next.pop() {
                if name == theorem.name {
                    self.report(Kind::CircularDischarge, format!("{FILE}: {name} rests on itself"));
                    break;
                }
                if seen.insert(name) {
                    next.extend(self.rests_on(name));
                }
            }
        }
    }

    /// What a theorem or a record rests on, in Coq.
    fn rests_on(&self, name: &str) -> Vec<&'a str> {
        let discharges = self.discharges_of(name).into_iter();
        discharges.flat_map(|(_, _, d)| d.coq.iter().chain(&d.record)).map(String::as_str).collect()
    }

    /// What discharges the hypotheses of a theorem or the fields of a record. What a file has in common counts where
    /// the statement has the hypothesis.
    fn discharges_of(&self, name: &str) -> Vec<(&'a str, &'a str, &'a Discharge)> {
        let trace = self.trace;
        let bound: BTreeSet<String> = trace
            .theories
            .declarations
            .get(name)
            .map(|found| found.declaration.hypotheses.iter().map(Bound::key).collect())
            .unwrap_or_default();
        let file = trace.contracts.file_of(name).map(|file| file.name.as_str());
        let concerns = |(owner, key, _): &(&str, &str, &Discharge)| {
            *owner == name || Some(*owner) == file && bound.contains(*key)
        };
        trace.contracts.discharges().filter(concerns).collect()
    }

    /// A check that runs nowhere discharges nothing. If a theorem states the guarantee of a mechanism, then of the
    /// checks that discharge a hypothesis (its own, or one of what it rests on) one must run on that mechanism.
    fn running(&mut self) {
        let trace = self.trace;
        let anywhere = trace.reached();
        for (owner, key, discharge) in trace.contracts.discharges() {
            for path in discharge.check.iter().filter(|path| trace.source.resolve(path).is_some()) {
                if !trace.runs(&anywhere, path) {
                    let message = format!("{FILE}: `{key}` of {owner}: no command reaches {path}");
                    self.report(Kind::UnreachedCheck, message);
                }
            }
        }
        let mut known = BTreeMap::new();
        for theorem in &trace.contracts.theorem {
            for name in &theorem.mechanisms {
                let Some(roots) = trace.questions.mechanism.iter().find(|one| one.name == *name) else {
                    let message = format!("{FILE}: {}: there is no mechanism {name}", theorem.name);
                    self.report(Kind::MissingCode, message);
                    continue;
                };
                // A theorem is about every way of a mechanism.
                let whole = trace.questions.whole_of(roots);
                let reached = known.entry(name).or_insert_with(|| trace.reached_by(whole));
                let mut seen = BTreeSet::new();
                let mut next = vec![theorem.name.as_str()];
                while let Some(of) = next.pop().filter(|of| seen.insert(*of)) {
                    next.extend(self.rests_on(of));
                    for (owner, key, discharge) in self.discharges_of(of) {
                        let runs = discharge.check.iter().any(|path| trace.runs(reached, path));
                        if !runs && !discharge.check.is_empty() {
                            let checks = discharge.check.join(", ");
                            let message = format!(
                                "{FILE}: {} states the guarantee of {name}, on which nothing of `{key}` of {owner} runs ({checks})",
                                theorem.name
                            );
                            self.report(Kind::UnreachedCheck, message);
                        }
                    }
                }
            }
        }
    }

    /// What `asap check` prints: every mechanism has a row, and a theorem in it states the guarantee of that mechanism.
    fn standing(&mut self) {
        let trace = self.trace;
        let rows = &trace.pages.standing;
        for MechanismRoots { name, .. } in trace.questions.mechanism.iter().filter(|one| one.way.is_none()) {
            if !rows.iter().any(|(mechanism, _)| mechanism == name) {
                self.report(Kind::WrongStanding, format!("spec/proved.md: no row for {name}"));
            }
        }
        for (mechanism, theorem) in rows.iter().filter(|(_, theorem)| !theorem.is_empty()) {
            let states = |entry: &&Theorem| entry.name == *theorem && entry.mechanisms.contains(mechanism);
            if !trace.contracts.theorem.iter().any(|entry| states(&entry)) {
                let message =
                    format!("spec/proved.md: {FILE} does not say that {theorem} is about {mechanism}");
                self.report(Kind::WrongStanding, message);
            }
        }
    }
}
