//! `asap check` of a model of more than two classes: every part, and their sum. spec: `own:one-against-rest`

use super::{
    Checkable, Inspection, listed, mechanism, numerics, prepared, privacy, promised, relation, shown,
    unreadable,
};
use crate::failure::Failure;
use crate::fit::printable;
use crate::terminal::{bold, table};
use asap_contracts::{
    Certificate, CheckFailed, ClassPart, ClassParts, Findings, Numerics, OneAgainstRest, Status,
};
use serde_json::{Value, json};
use std::path::Path;

impl Checkable for OneAgainstRest {
    fn read(path: &Path, text: &str) -> Result<Self, (Failure, CheckFailed)> {
        Self::from_json(text).map_err(|error| (unreadable(path, text, &error), error))
    }

    fn judge(&self, key: Option<&str>) -> Result<Findings, CheckFailed> {
        let bare = |file: &Self| Self { signature: None, ..file.clone() };
        Inspection { check: Self::check, verify: Self::verify, bare }.of(self, key)
    }

    fn is_private(&self) -> bool {
        self.one_against_rest.is_private()
    }

    fn weakness(&self) -> Option<&'static str> {
        match (self.is_private(), self.one_against_rest.is_certified()) {
            (false, _) => Some("the release is not private"),
            (_, false) => Some("not certified: asymptotic constants"),
            _ => None,
        }
    }

    fn summary(&self) -> Value {
        let mut said = facts(self, |certificate| ("claims", json!(certificate.claims)));
        let first = self.one_against_rest.parts.first();
        said["feature_bound"] = json!(first.map(|part| part.certificate.problem.feature_norm));
        said["digest"] = json!(self.digest);
        said
    }

    fn report(&self, findings: &Findings) -> String {
        report(self, findings)
    }
}

/// What a fit and a check both say of a model, with one more field for each class.
pub(crate) fn facts(model: &OneAgainstRest, more: impl Fn(&Certificate) -> (&'static str, Value)) -> Value {
    let whole = &model.one_against_rest;
    let first = whole.parts.first().map(|part| &part.certificate);
    let part = |part: &ClassPart| {
        let certificate = &part.certificate;
        let mut said = json!({
            "class": part.class,
            "guarantee": certificate.guarantee(),
            "mechanism": mechanism(&certificate.mechanism),
            "class_weights": certificate.problem.class_weights,
        });
        let (name, value) = more(certificate);
        said[name] = value;
        said
    };
    json!({
        "private": whole.is_private(),
        "certified": whole.is_certified(),
        "guarantee": whole.total,
        "neighbours": first.map(|it| it.neighbours),
        "rows_per_person": first.and_then(|it| it.person).map(|person| person.rows),
        "columns": model.columns,
        "classes": whole.parts.iter().map(part).collect::<Vec<_>>(),
    })
}

/// The arithmetic in which every class is proved: that of the weakest.
pub(crate) fn weakest(whole: &ClassParts) -> Numerics {
    let is_of_some = |it: &Numerics| whole.parts.iter().any(|part| part.certificate.numerics == *it);
    let weak = [Numerics::AsymptoticConstants, Numerics::RealArithmeticOnly];
    weak.into_iter().find(is_of_some).unwrap_or(Numerics::Rigorous)
}

fn report(model: &OneAgainstRest, findings: &Findings) -> String {
    let whole = &model.one_against_rest;
    let Some(first) = whole.parts.first().map(|part| &part.certificate) else { return String::new() };
    let [holds, assumed] = listed(findings);
    let pages = |status: Status| {
        let mut pages: Vec<&str> = Vec::new();
        for claim in whole.parts.iter().flat_map(|part| &part.certificate.claims) {
            if claim.status == status && !pages.contains(&claim.spec.as_str()) {
                pages.push(&claim.spec);
            }
        }
        pages.extend((status == Status::Proved).then_some("own:one-against-rest"));
        pages.join(", ")
    };
    let rests_on = [("proved", Status::Proved), ("tested", Status::Tested)]
        .map(|(word, status)| [word.to_owned(), pages(status)]);
    let mut parts = vec![["class", "against the rest", "mechanism"].map(str::to_owned)];
    parts.extend(whole.parts.iter().map(|part| {
        let kind = mechanism(&part.certificate.mechanism).to_owned();
        [printable(&part.class), promised(&part.certificate), kind]
    }));
    let private = privacy(whole.is_private());
    format!(
        "{}\n{}\n{}\n{}\n{}\n{}\n{}{}\n{}\n{}\n{private}; {}; numerics: {}.\n",
        bold(
            "Derived again from the release's own numbers, in exact arithmetic; a clause of a class in every class"
        ),
        holds,
        bold("Rests on (pages of spec/)"),
        table(&rests_on),
        bold("Assumed: what no check of this file can show"),
        assumed,
        prepared(model.columns.as_ref(), first),
        bold("The classes, and what each spends"),
        table(&parts),
        bold(&format!(
            "All {} clauses hold: {} for all classes together, δ = 0, neighbours: {}.",
            findings.checked.len(),
            shown(whole.total),
            relation(first.neighbours, first.person.map(|person| person.rows)),
        )),
        if whole.is_certified() {
            "certified: no constant is asymptotic"
        } else {
            "not certified: asymptotic constants"
        },
        numerics(weakest(whole)),
    )
}
