//! Everything that may not fit together.

use std::collections::{BTreeMap, BTreeSet};

use super::source::{Place, Source};
use super::table::{Entry, Proof, Status};
use super::{Kind, Problem, Trace};

/// The module whose public names must all be claimed.
const CALIBRATION: &str = "calibrate";

pub(super) fn problems(trace: &Trace) -> Vec<Problem> {
    let mut checker = Checker { trace, found: Vec::new(), entries: BTreeMap::new() };
    checker.index();
    checker.labels();
    for entry in &trace.entries {
        checker.entry(entry);
    }
    checker.pages();
    checker.calibration();
    checker.markers();
    let mut found = checker.found;
    found.extend(super::bridge::problems(trace));
    found.extend(super::reach::problems(trace));
    found.extend(trace.unexplained());
    found.sort();
    found
}

struct Checker<'a> {
    trace: &'a Trace,
    found: Vec<Problem>,
    entries: BTreeMap<&'a str, &'a Entry>,
}

impl<'a> Checker<'a> {
    fn report(&mut self, kind: Kind, message: String) {
        self.found.push(Problem::new(kind, message));
    }

    fn index(&mut self) {
        for entry in &self.trace.entries {
            if self.entries.insert(&entry.id, entry).is_some() {
                self.report(Kind::DuplicateEntry, format!("{} has two entries in spec/trace.toml", entry.id));
            }
        }
    }

    fn labels(&mut self) {
        let labels: BTreeSet<&str> = self.trace.labels.iter().map(|label| label.id.as_str()).collect();
        for label in labels.iter().filter(|label| !self.entries.contains_key(*label)).collect::<Vec<_>>() {
            self.report(
                Kind::MissingLabel,
                format!("{label} is in spec/labels.txt and not in spec/trace.toml"),
            );
        }
        for entry in self.trace.entries.iter().filter(|e| !e.is_own() && !labels.contains(e.id.as_str())) {
            let message = format!("{} is in spec/trace.toml and not in spec/labels.txt", entry.id);
            self.report(Kind::UnknownLabel, message);
        }
    }

    fn entry(&mut self, entry: &'a Entry) {
        self.substance(entry);
        self.page(entry);
        for path in &entry.code {
            self.code(entry, path);
        }
        for name in entry.tests.iter().filter(|name| !self.trace.source.tests.contains_key(*name)) {
            self.report(Kind::MissingTest, format!("{}: there is no test {name}", entry.id));
        }
        for name in &entry.harnesses {
            self.harness(entry, name);
        }
    }

    /// A status must name what it rests on.
    fn substance(&mut self, entry: &Entry) {
        let [kani, coq] = [Proof::Kani, Proof::Coq].map(|proof| entry.proof.contains(&proof));
        let lacks = match entry.status {
            Status::Mechanised if entry.coq.is_empty() => Some("mechanised, but by no theorem"),
            Status::Proved if entry.proof.is_empty() => Some("proved, but by nothing"),
            Status::Tested if entry.tests.is_empty() => Some("tested, but by no test"),
            Status::Assumed | Status::NotApplicable if entry.reason.is_none() => Some("without a reason"),
            Status::NotApplicable if !entry.code.is_empty() => Some("not applicable, but has code"),
            _ if kani && entry.harnesses.is_empty() => Some("proved by Kani, but by no harness"),
            _ if !kani && !entry.harnesses.is_empty() => Some("has harnesses, but no proof by Kani"),
            _ if coq && entry.coq.is_empty() => Some("proved in Coq, but by no theorem"),
            _ if !coq && !entry.coq.is_empty() => Some("has theorems, but no proof in Coq"),
            _ => None,
        };
        if let Some(lacks) = lacks {
            self.report(Kind::HollowEntry, format!("{}: {lacks}", entry.id));
        }
    }

    fn page(&mut self, entry: &Entry) {
        let name = entry.page();
        let Some(page) = self.trace.pages.of_ids.get(&name) else {
            return self.report(Kind::MissingPage, format!("{}: there is no page spec/{name}", entry.id));
        };
        if !page.ids().any(|id| id == entry.id) {
            let message = format!("spec/{name} does not name {} in its title line", entry.id);
            self.report(Kind::TitleWithoutId, message);
        }
        match &page.status {
            None => self.report(Kind::PageWithoutStatus, format!("spec/{name} has no line `status: …`")),
            Some(status) if !status.starts_with(&entry.status.to_string()) => {
                let (id, said) = (&entry.id, entry.status);
                let message = format!("{id} is {said} in spec/trace.toml, spec/{name} says `{status}`");
                self.report(Kind::StatusDisagrees, message);
            }
            Some(_) => {}
        }
    }

    fn code(&mut self, entry: &Entry, path: &str) {
        let source = &self.trace.source;
        let Some(place) = source.resolve(path).and_then(|path| source.items.get(&path)) else {
            return self.report(Kind::MissingCode, format!("{}: there is no item {path}", entry.id));
        };
        // The clauses of a contract name their pages, too.
        if !place.ids.claims.iter().chain(&place.ids.uses).any(|id| *id == entry.id) {
            let message = format!("{path} ({}) does not carry {} in its documentation", at(place), entry.id);
            self.report(Kind::UnmarkedCode, message);
        }
    }

    fn harness(&mut self, entry: &Entry, name: &str) {
        let Some(place) = self.trace.source.harnesses.get(name) else {
            return self.report(Kind::MissingHarness, format!("{}: there is no harness {name}", entry.id));
        };
        if !place.ids.claims.contains(&entry.id) {
            let message = format!("{name} ({}) does not carry {} in its documentation", at(place), entry.id);
            self.report(Kind::UnmarkedHarness, message);
        }
    }

    fn pages(&mut self) {
        let claimed: BTreeSet<String> = self.trace.entries.iter().map(Entry::page).collect();
        for name in self.trace.pages.of_ids.keys().filter(|name| !claimed.contains(*name)) {
            self.report(Kind::UnclaimedPage, format!("spec/{name} is the page of no entry"));
        }
        let mut names = self.trace.source.names();
        names.extend(self.trace.theories.names());
        for (page, name) in
            self.trace.pages.mentions.iter().filter(|(_, name)| !names.contains(name.as_str()))
        {
            self.report(Kind::StaleProse, format!("{page} speaks of `{name}`, which does not exist"));
        }
        let theories = &self.trace.theories;
        for (page, name) in self.trace.pages.qualified.iter().filter(|(_, name)| !theories.may_be_named(name))
        {
            self.report(Kind::StaleProse, format!("{page} speaks of `{name}`, which does not exist"));
        }
    }

    fn calibration(&mut self) {
        let source = &self.trace.source;
        let listed: BTreeSet<String> =
            self.trace.entries.iter().flat_map(|e| &e.code).filter_map(|path| source.resolve(path)).collect();
        for name in source.public_names(CALIBRATION) {
            if source.resolve(name).is_none_or(|path| !listed.contains(&path)) {
                self.report(Kind::UnclaimedCalibration, format!("{name} is public and claimed by no entry"));
            }
        }
    }

    /// The other direction: every id in the documentation is in the table, and its entry lists the item.
    fn markers(&mut self) {
        let source = &self.trace.source;
        for (path, place) in source.items.iter().chain(&source.tests) {
            self.known(path, place);
        }
        for (path, place) in &source.items {
            self.listed(path, place);
        }
        for (name, place) in &source.harnesses {
            self.known(name, place);
            if !self.trace.entries.iter().any(|entry| entry.harnesses.contains(name)) {
                let message = format!("{name} ({}) is claimed by no entry", at(place));
                self.report(Kind::UnclaimedHarness, message);
            }
            self.covers(name, place);
        }
    }

    fn covers(&mut self, name: &str, place: &Place) {
        if place.ids.covers.is_empty() {
            let message =
                format!("{name} ({}) has no line `covers: … — all inputs` or `— within a bound`", at(place));
            self.report(Kind::HarnessWithoutCover, message);
        }
        for path in place.ids.covers.iter().flat_map(|cover| &cover.paths) {
            if self.trace.source.resolve(path).is_none() {
                let message = format!("{name} ({}) covers {path}, which does not exist", at(place));
                self.report(Kind::MissingCovered, message);
            }
        }
    }

    fn known(&mut self, path: &str, place: &Place) {
        for id in place.ids.claims.iter().chain(&place.ids.uses) {
            if !self.entries.contains_key(id.as_str()) {
                let message = format!("{path} ({}) names {id}, which is not in spec/trace.toml", at(place));
                self.report(Kind::UnknownId, message);
            }
        }
    }

    /// An entry may list the item itself or the type or module that holds it.
    fn listed(&mut self, path: &str, place: &Place) {
        for id in &place.ids.claims {
            let Some(entry) = self.entries.get(id.as_str()) else { continue };
            let listed: BTreeSet<String> =
                entry.code.iter().filter_map(|path| self.trace.source.resolve(path)).collect();
            if !Source::containers(path).any(|container| listed.contains(container)) {
                let message = format!("{path} ({}) carries {id}, whose entry does not list it", at(place));
                self.report(Kind::UnlistedCode, message);
            }
        }
    }
}

fn at(place: &Place) -> String {
    format!("{}:{}", place.file, place.line)
}
