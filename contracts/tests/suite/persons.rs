//! What a person is promised: so many times what a row is, to the last unit. spec: `own:persons`
//!
//! Aimed at: `Persons` decided without its `rows`, with `>=`, without the kinds; the clause left out of `budget`; the
//! claim left out of `claims::expected`.

use crate::build::{certificate, kinds, schema};
use asap_contracts::contract::Persons;
use asap_contracts::*;

const SPENT: &str = "the rows of a person spend at most what a person is promised";
const FITS: &str = "the columns have persons exactly where the guarantee is about them";

/// Persons of three rows: 3·1 = 3 and 3·0.75 = 2.25, both exact.
pub(crate) fn persons(kind: &crate::build::Kind) -> Certificate {
    let plain = certificate(kind);
    let total = match plain.ledger.total {
        Guarantee::Pure(one) => Guarantee::Pure(3.0 * one),
        Guarantee::Gaussian(one) => Guarantee::Gaussian(3.0 * one),
    };
    let mut claims = plain.claims.clone();
    claims.push(Claim { spec: "own:persons".into(), status: Status::Proved });
    Certificate { person: Some(Person { rows: 3, total }), claims, ..plain }
}

fn clause(certificate: Certificate) -> Option<&'static str> {
    Release::new(certificate).check().err().map(|failed| failed.clause())
}

#[test]
fn a_person_is_promised_what_the_rows_spend_and_not_less() {
    for kind in kinds().iter().step_by(5) {
        let valid = persons(kind);
        assert_eq!(clause(valid.clone()), None, "{kind:?}");
        let verdict = Release::new(valid.clone()).check().unwrap();
        assert!(verdict.checked.iter().any(|it| it.clause == SPENT && it.spec == "own:persons"));
        assert!(verdict.assumed.iter().any(|it| it.spec == "own:persons"));
        assert_ne!(valid.guarantee(), valid.ledger.total);
        let Some(Person { total, .. }) = valid.person else { panic!("a person") };
        let with =
            |rows, total| clause(Certificate { person: Some(Person { rows, total }), ..valid.clone() });
        let (less, more, other) = match total {
            Guarantee::Pure(x) => {
                (Guarantee::Pure(x.next_down()), Guarantee::Pure(x.next_up()), Guarantee::Gaussian(100.0))
            }
            Guarantee::Gaussian(x) => {
                (Guarantee::Gaussian(x.next_down()), Guarantee::Gaussian(x.next_up()), Guarantee::Pure(100.0))
            }
        };
        assert_eq!(with(3, more), None);
        assert_eq!(with(2, total), None, "a weaker statement");
        for broken in [with(3, less), with(4, total), with(u64::MAX, total), with(3, other)] {
            assert_eq!(broken, Some(SPENT), "{kind:?}");
        }
        assert_eq!(with(0, total), Some("a person has at least one row"));
        let nothing = match total {
            Guarantee::Pure(_) => Guarantee::Pure(f64::NAN),
            Guarantee::Gaussian(_) => Guarantee::Gaussian(f64::INFINITY),
        };
        assert_eq!(with(3, nothing), Some(SPENT));
        let silent = Certificate { claims: certificate(kind).claims, ..valid.clone() };
        assert_eq!(clause(silent), Some("claims are those of the mechanism"));
        let boasting = Certificate { person: None, ..valid };
        assert_eq!(clause(boasting), Some("claims are those of the mechanism"));
    }
}

/// An edit without a new seal is seen by the digest, whatever it says.
#[test]
fn another_number_of_rows_is_an_edit() {
    let release = Release::new(persons(&kinds()[0]));
    for rows in [1, 2, 4] {
        let mut edited = release.clone();
        edited.certificate.person.as_mut().unwrap().rows = rows;
        assert!(edited.check().is_err(), "{rows}");
    }
    let mut edited = release.clone();
    edited.certificate.person = None;
    assert!(edited.check().is_err());
    assert_eq!(Release::from_json(&release.to_json()).unwrap(), release);
}

#[test]
fn columns_have_the_persons_of_the_guarantee() {
    for kind in kinds().iter().step_by(31) {
        let columns = |rows: Option<u64>| Schema {
            person: rows.map(|rows| PersonColumn { name: "patient".into(), rows }),
            ..schema(&kind.loss)
        };
        let named = |certificate: Certificate, rows| {
            let release = Release { columns: Some(columns(rows)), ..Release::new(certificate) };
            release.seal().check().err().map(|failed| failed.clause())
        };
        assert_eq!(named(persons(kind), Some(3)), None);
        assert_eq!(named(certificate(kind), None), None);
        assert_eq!(named(persons(kind), Some(2)), Some(FITS));
        assert_eq!(named(persons(kind), None), Some(FITS));
        assert_eq!(named(certificate(kind), Some(3)), Some(FITS));
        assert!(Release::new(persons(kind)).with_columns(columns(None)).is_err());
        assert!(columns(Some(0)).fault().is_some_and(|fault| fault.place == Place::Person));
        assert!(columns(Some(1_000_001)).fault().is_some());
        let twice = Schema { ignored: vec!["patient".into()], ..columns(Some(3)) };
        assert!(twice.fault().is_some_and(|fault| fault.place == Place::Person));
    }
}

/// One unit of the last place in exact arithmetic: 3·0.1 is 0.3000000000000000166…, which the f64 0.3 does not cover.
#[test]
fn the_product_is_exact() {
    let decided = |rows, row, total| {
        let (row, total) = (Guarantee::Pure(row), Guarantee::Pure(total));
        Persons { rows, row, total }.holds().is_ok()
    };
    assert!(!decided(3, 0.1, 0.3) && decided(3, 0.1, 0.3_f64.next_up()));
    assert!(decided(3, 1.0 / 3.0, 1.0) && !decided(3, (1.0_f64 / 3.0).next_up(), 1.0));
    assert!(decided(1, 0.7, 0.7) && !decided(2, 5e-324, 5e-324));
}
