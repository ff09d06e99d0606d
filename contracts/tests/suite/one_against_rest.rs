//! More than two classes: every part holds, all are about the same, and their sum is decided to the last unit.
//! spec: `own:one-against-rest`
//!
//! Aimed at: `ClassParts::decide` without its sum, with the first part only, without the comparison of the parts,
//! without their loss; `share_of` without the kinds; `are_of` without the classes or without the weights; the
//! digest without the columns.
//!
//! Seen green before, and red now: `share_of` with what a row spends where persons are promised something; `is_beside`
//! without the number of rows; columns that are compared with no part; a faulty schema; `is_certified` and the
//! assumptions of the first part for all; the first weight for the least.

use crate::build::{Kind, certificate, kinds, schema};
use crate::edits::{perturbed, pointers};
use crate::persons::persons;
use asap_contracts::*;
use serde_json::{Value, json};

const SUM: &str = "all parts together spend at most the total";
const SAME: &str = "parts are about the same records, neighbours and problem";
const TOLD: &str = "three classes or more that are told apart, each with one part";
const IS_SCHEMA: &str = "the schema is valid and fits the loss";
const DIGEST: &str = "nothing was edited (digest)";

const NAMES: [&str; 4] = ["home", "ward", "hospice", "died"];

fn logistic() -> Vec<Kind> {
    kinds().into_iter().filter(|kind| kind.loss == Loss::Logistic).collect()
}

/// Four parts of the same kind: 4ε = ε_total and 4μ² = (2μ)², both exact.
fn four(kind: &Kind) -> ClassParts {
    let total = match certificate(kind).guarantee() {
        Guarantee::Pure(one) => Guarantee::Pure(4.0 * one),
        Guarantee::Gaussian(one) => Guarantee::Gaussian(2.0 * one),
    };
    let part = |name: &str| ClassPart { class: name.into(), certificate: certificate(kind) };
    ClassParts { schema: ONE_AGAINST_REST_SCHEMA, total, parts: NAMES.map(part).into() }
}

fn columns(classes: &[&str]) -> Schema {
    let plain = schema(&Loss::Logistic);
    let classes = classes.iter().map(|&class| class.into()).collect();
    let kind = TargetKind::Classes(Classes { classes, missing: None });
    Schema { target: Target { kind, ..plain.target }, ..plain }
}

/// The clause that fails, after sealing.
fn clause(parts: ClassParts) -> Option<&'static str> {
    OneAgainstRest::new(None, parts).check().err().map(|failed| failed.clause())
}

fn named(parts: ClassParts, columns: Schema) -> Option<&'static str> {
    OneAgainstRest::new(Some(columns), parts).check().err().map(|failed| failed.clause())
}

fn moved(total: Guarantee, by: fn(f64) -> f64) -> Guarantee {
    match total {
        Guarantee::Pure(x) => Guarantee::Pure(by(x)),
        Guarantee::Gaussian(x) => Guarantee::Gaussian(by(x)),
    }
}

/// One unit of the last place less is refused, in the total and in a part.
#[test]
fn the_sum_is_decided_to_the_last_unit() {
    for kind in logistic() {
        let whole = four(&kind);
        assert_eq!(clause(whole.clone()), None, "{kind:?}");
        let with = |total| clause(ClassParts { total, ..whole.clone() });
        assert_eq!(with(moved(whole.total, f64::next_up)), None);
        assert_eq!(with(moved(whole.total, f64::next_down)), Some(SUM), "{kind:?}");
        let other = match whole.total {
            Guarantee::Pure(_) => Guarantee::Gaussian(100.0),
            Guarantee::Gaussian(_) => Guarantee::Pure(100.0),
        };
        assert_eq!(with(other), Some(SUM), "of the other kind");
        for nothing in [f64::NAN, f64::INFINITY, -1.0, 0.0] {
            let total = if kind.pure { Guarantee::Pure(nothing) } else { Guarantee::Gaussian(nothing) };
            assert_eq!(with(total), Some(SUM), "{nothing}");
        }
        // A part that promises a unit less of privacy holds by itself, and the sum does not.
        for k in 0..4 {
            let mut raised = whole.clone();
            let ledger = &mut raised.parts[k].certificate.ledger;
            ledger.total = moved(ledger.total, f64::next_up);
            assert!(raised.parts[k].certificate.decide().is_ok());
            assert_eq!(clause(raised), Some(SUM), "{k}");
        }
        // Not divided: each class has the whole budget.
        let one = whole.parts[0].certificate.guarantee();
        assert_eq!(with(one), Some(SUM), "the total is that of one part");
    }
}

/// With persons it is what a person is promised that adds up, and not what a row is: a third of it here. All parts take
/// as many rows of a person, and so do the columns.
#[test]
fn the_sum_is_that_of_persons() {
    const PERSONS: &str = "the columns have persons exactly where the guarantee is about them";
    for kind in logistic().iter().step_by(5) {
        let rows = four(kind);
        let mut whole = rows.clone();
        whole.parts.iter_mut().for_each(|part| part.certificate = persons(kind));
        whole.total = moved(rows.total, |x| 3.0 * x);
        assert_eq!(clause(whole.clone()), None, "{kind:?}");
        for total in [moved(whole.total, f64::next_down), rows.total] {
            assert_eq!(clause(ClassParts { total, ..whole.clone() }), Some(SUM), "{kind:?} {total:?}");
        }
        for k in 0..4 {
            let mut fewer = whole.clone();
            fewer.parts[k].certificate.person.iter_mut().for_each(|person| person.rows = 2);
            assert!(fewer.parts[k].certificate.decide().is_ok());
            assert_eq!(clause(fewer), Some(SAME), "{k}");
        }
        let of = |rows| {
            let person = Some(PersonColumn { name: "patient".into(), rows });
            Schema { person, ..columns(&NAMES) }
        };
        assert_eq!(named(whole.clone(), of(3)), None);
        for other in [of(2), columns(&NAMES)] {
            assert_eq!(named(whole.clone(), other), Some(PERSONS));
        }
        assert_eq!(named(rows, of(3)), Some(PERSONS));
    }
}

/// The weakest part says what the whole is: one that rests on more is not hidden behind the first.
#[test]
fn what_one_part_rests_on_the_whole_does() {
    let all = logistic();
    let strong = &all[0];
    let weak = all.iter().find(|kind| {
        (kind.pure, kind.euclidean, kind.neighbours) == (strong.pure, strong.euclidean, strong.neighbours)
            && kind.sampler == Some((Sampler::Mala, Calibration::Paper))
    });
    // It spends more than the others: the total is one for four of it.
    let (total, weak) = (four(weak.unwrap()).total, certificate(weak.unwrap()));
    let assumed = |parts: &ClassParts| OneAgainstRest::new(None, parts.clone()).check().unwrap().assumed;
    let rests_on = Release::new(weak.clone()).check().unwrap().assumed;
    assert!(four(strong).is_certified() && !weak.certified);
    assert!(rests_on.iter().any(|it| !assumed(&four(strong)).contains(it)));
    for k in 0..4 {
        let mut mixed = ClassParts { total, ..four(strong) };
        mixed.parts[k].certificate = weak.clone();
        assert!(!mixed.is_certified(), "{k}");
        let told = assumed(&mixed);
        assert!(rests_on.iter().all(|it| told.contains(it)), "{k}");
    }
}

/// Noise from a known seed in one part, and the whole is not private. A file of another version is told to be that.
#[test]
fn one_known_seed_is_enough_and_other_versions_are_named() {
    let secure = four(&logistic()[0]);
    assert!(secure.is_private());
    for k in 0..4 {
        let mut parts = secure.clone();
        parts.parts[k].certificate.randomness = Randomness::Replay;
        assert!(!parts.is_private(), "{k}");
    }
    let later = OneAgainstRest::new(None, ClassParts { schema: ONE_AGAINST_REST_SCHEMA + 1, ..secure });
    let read = OneAgainstRest::from_json(&later.to_json());
    assert!(matches!(read, Err(CheckFailed::Schema { known: ONE_AGAINST_REST_SCHEMA, .. })), "{read:?}");
}

/// Columns that do not belong to the parameters, and a schema that is none, although its classes are right.
#[test]
fn columns_are_those_of_the_parameters_and_a_schema_is_one() {
    let whole = four(&logistic()[0]);
    let plain = columns(&NAMES);
    assert_eq!(named(whole.clone(), plain.clone()), None);
    let fewer = Schema { features: plain.features[1..].to_vec(), ..plain.clone() };
    assert_eq!(named(whole.clone(), fewer), Some("columns name every parameter"));
    let marks = vec!["?".into(), "?".into()];
    assert_eq!(named(whole, Schema { marks, ..plain }), Some(IS_SCHEMA));
}

/// Each clause of a certificate is decided in each part, wherever it is, and listed once.
#[test]
fn every_part_is_decided() {
    for kind in logistic().iter().step_by(5) {
        let whole = four(kind);
        let verdict = OneAgainstRest::new(Some(columns(&NAMES)), whole.clone()).check().unwrap();
        for (k, one) in verdict.checked.iter().enumerate() {
            assert!(!verdict.checked[..k].contains(one), "{one:?} twice");
        }
        for clause in Release::new(certificate(kind)).check().unwrap().checked {
            assert!(verdict.checked.contains(&clause), "{clause:?}");
        }
        assert_eq!(verdict.assumed.iter().filter(|it| it.spec == "own:schema").count(), 1);
        for k in 0..4 {
            let mut broken = whole.clone();
            broken.parts[k].certificate.theta[0] = 0.1;
            assert!(clause(broken).is_some_and(|clause| clause.contains("lattice")), "{k}");
        }
    }
    let squared = kinds().into_iter().find(|kind| kind.loss == Loss::Squared).unwrap();
    assert_eq!(clause(four(&squared)), Some("every part is a logistic regression"));
    let later = ClassParts { schema: 2, ..four(&logistic()[0]) };
    assert_eq!(clause(later), Some("schema version is known"));
}

/// Parts that say something else of the records, the neighbours or the bits do not add up.
#[test]
fn parts_are_about_the_same() {
    type Edit = fn(&mut Certificate);
    let all = logistic();
    let (one, replaced) =
        (&all[0], all.iter().find(|kind| kind.neighbours == Neighbours::ReplaceOne).unwrap());
    let edits: [Edit; 4] = [
        |it| it.randomness = Randomness::Replay,
        |it| it.crate_version.push('0'),
        |it| it.problem.max_rows = 3,
        |it| it.problem.target = 1.5,
    ];
    for k in 0..4 {
        let mut exchanged = four(one);
        exchanged.parts[k].certificate = certificate(replaced);
        assert_eq!(clause(exchanged), Some(SAME), "{k}");
        for (j, edit) in edits.iter().enumerate() {
            let mut edited = four(one);
            edit(&mut edited.parts[k].certificate);
            assert!(edited.parts[k].certificate.decide().is_ok(), "{j}");
            assert_eq!(clause(edited), Some(SAME), "{j} {k}");
        }
        // A person in one part only: the others promise nothing to persons.
        let mut person = four(one);
        let it = &mut person.parts[k].certificate;
        it.person = Some(Person { rows: 1, total: it.ledger.total });
        it.claims.push(Claim { spec: "own:persons".into(), status: Status::Proved });
        assert_eq!(clause(person), Some(SAME), "{k}");
    }
    // Another mechanism is another matter: what it spends is all that counts.
    let mut mixed = four(one);
    mixed.parts[1].certificate =
        certificate(all.iter().find(|it| it.euclidean && it.sampler.is_none()).unwrap());
    assert_eq!(clause(mixed), None);
}

/// A part removed, doubled, renamed or exchanged, and everything sealed again.
#[test]
fn structural_edits_are_refused() {
    let whole = four(&logistic()[0]);
    assert_eq!(named(whole.clone(), columns(&NAMES)), None);
    let with = |edit: fn(&mut Vec<ClassPart>)| {
        let mut edited = whole.clone();
        edit(&mut edited.parts);
        edited
    };
    let removed = with(|parts| drop(parts.pop()));
    assert_eq!(named(removed.clone(), columns(&NAMES)), Some(IS_SCHEMA));
    assert_eq!(clause(with(|parts| parts.truncate(2))), Some(TOLD));
    assert_eq!(clause(with(Vec::clear)), Some(TOLD));
    // Without a schema three of four classes are a model of three classes that spends less.
    assert_eq!(clause(removed), None);
    let doubled = with(|parts| parts.push(parts[0].clone()));
    assert_eq!(clause(doubled), Some(TOLD));
    let twice = with(|parts| parts[1] = parts[0].clone());
    assert_eq!(clause(twice), Some(TOLD));
    let exchanged = with(|parts| parts.swap(0, 2));
    assert_eq!(named(exchanged, columns(&NAMES)), Some(IS_SCHEMA));
    let alike = with(|parts| parts[1].class = "h\u{43e}me".into());
    assert_eq!(clause(alike), Some(TOLD));
    let empty = with(|parts| parts[1].class.clear());
    assert_eq!(clause(empty), Some(TOLD));
    assert_eq!(named(whole.clone(), columns(&["home", "ward", "died", "hospice"])), Some(IS_SCHEMA));
    assert_eq!(named(whole.clone(), schema(&Loss::Logistic)), Some(IS_SCHEMA), "two classes");
    assert_eq!(named(whole.clone(), schema(&Loss::Squared)), Some(IS_SCHEMA), "a range");
    let many = with(|parts| {
        let first = parts[0].clone();
        parts.extend((0..97).map(|k| ClassPart { class: k.to_string(), ..first.clone() }));
    });
    assert_eq!(clause(many), Some(TOLD));
    // Not sealed again: the digest is of all of it.
    let sealed = OneAgainstRest::new(Some(columns(&NAMES)), whole);
    let mut total = sealed.clone();
    total.one_against_rest.total = moved(total.one_against_rest.total, f64::next_up);
    let mut names = sealed.clone();
    names.columns = None;
    for edited in [total, names] {
        assert_eq!(edited.check().unwrap_err().clause(), DIGEST);
    }
    let other =
        OneAgainstRest { digest: sealed.digest.clone(), ..OneAgainstRest::new(None, four(&logistic()[1])) };
    assert_eq!(other.check().unwrap_err().clause(), DIGEST);
}

/// Weights of a schema are those of the parts: of each class its own, and of the rest the least of all.
#[test]
fn weights_are_those_of_the_schema() {
    assert_eq!(weights_against_rest(&[1.0, 4.0, 2.0], 0), Some([1.0, 1.0]));
    assert_eq!(weights_against_rest(&[1.0, 4.0, 2.0], 1), Some([0.25, 1.0]));
    assert_eq!(weights_against_rest(&[1.0, 4.0, 2.0], 2), weights_against_rest(&[3.0, 12.0, 6.0], 2));
    assert_eq!(weights_against_rest(&[4.0, 1.0, 2.0], 0), Some([0.25, 1.0]), "the least, wherever it is");
    assert_eq!(weights_against_rest(&[4.0, 1.0, 2.0], 1), Some([1.0, 1.0]));
    assert_eq!(weights_against_rest(&[1.0, 4.0], 2), None);
    assert_eq!(weights_against_rest(&[1.0, f64::NAN, 2.0], 1), None);
    let weights = vec![2.0, 1.0, 4.0, 1.0];
    let mut whole = four(&logistic()[0]);
    for (class, part) in whole.parts.iter_mut().enumerate() {
        part.certificate.problem.class_weights =
            weights_against_rest(&weights, class).filter(|pair| *pair != [1.0; 2]);
        if part.certificate.problem.class_weights.is_some() {
            let claim = Claim { spec: "own:class-weights".into(), status: Status::Proved };
            part.certificate.claims.push(claim);
        }
    }
    let counted = |weights: &[f64]| {
        let plain = columns(&NAMES);
        Schema { target: Target { weights: Some(weights.to_vec()), ..plain.target }, ..plain }
    };
    assert_eq!(named(whole.clone(), counted(&weights)), None);
    assert_eq!(named(whole.clone(), counted(&[4.0, 2.0, 8.0, 2.0])), None, "only their ratio counts");
    assert_eq!(
        named(whole.clone(), columns(&NAMES)),
        None,
        "the parts may have some that the schema does not have"
    );
    for other in [[1.0, 1.0, 4.0, 1.0], [4.0, 1.0, 2.0, 1.0], [2.0, 1.0, 4.0, 0.5]] {
        assert_eq!(named(whole.clone(), counted(&other)), Some(IS_SCHEMA), "{other:?}");
    }
    assert_eq!(named(four(&logistic()[0]), counted(&weights)), Some(IS_SCHEMA));
}

#[test]
fn an_edit_of_anything_is_seen() {
    let sealed = OneAgainstRest::new(Some(columns(&NAMES)), four(&logistic()[0]));
    assert_eq!(OneAgainstRest::from_json(&sealed.to_json()).unwrap(), sealed);
    assert!(OneAgainstRest::is_meant(&sealed.to_json()) && !Answer::is_meant(&sealed.to_json()));
    assert!(!OneAgainstRest::is_meant(&Release::new(certificate(&logistic()[0])).to_json()));
    let whole: Value = serde_json::from_str(&sealed.to_json()).unwrap();
    let mut found = Vec::new();
    pointers(&whole, "", &mut found);
    let mut edits = 0;
    for pointer in found {
        let old = whole.pointer(&pointer).unwrap();
        for new in perturbed(old) {
            let same = new == *old || old.as_f64().is_some_and(|x| new.as_f64() == Some(x) && x != 0.0);
            if same || (old.as_f64() == Some(0.0) && new == json!(0)) {
                continue;
            }
            let mut edited = whole.clone();
            *edited.pointer_mut(&pointer).unwrap() = new.clone();
            let seen = OneAgainstRest::from_json(&edited.to_string()).and_then(|it| it.check());
            assert!(seen.is_err(), "{pointer}: {old} → {new}");
            edits += 1;
        }
    }
    assert!(edits > 1_000, "{edits}");
}

#[cfg(feature = "signature")]
#[test]
fn a_signature_is_of_the_whole() {
    let secret = "1".repeat(64);
    let signed = OneAgainstRest::new(None, four(&logistic()[0])).sign(&secret).unwrap();
    let key = signed.signature.clone().unwrap().public_key;
    signed.verify(&key).unwrap();
    assert!(signed.check().unwrap().assumed.iter().any(|it| it.why.contains("signature was not looked at")));
    let mut edited = signed.clone();
    edited.one_against_rest.parts.swap(0, 1);
    assert!(edited.verify(&key).is_err());
    let resealed = OneAgainstRest { signature: signed.signature.clone(), ..edited.seal() };
    assert!(resealed.check().is_ok() && resealed.verify(&key).is_err());
}
