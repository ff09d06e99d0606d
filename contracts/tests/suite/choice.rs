//! A choice: its clauses at their edges. Every edit is sealed again, so that the clause and not the digest decides.
//!
//! Written for mutants that survived in `check/choice.rs`: `&&` for `||` between the numbers of a chosen regulariser.

use crate::build::{kinds, release};
use asap_contracts::{Certificate, Choice, ChosenRegulariser, Compared, Release};

/// The mechanism of the certificate has the price 0.25 + 2·0.125; another one has the same, and one was refused.
fn choice(certificate: &Certificate) -> Choice {
    let compared = |name: &str, numbers: Option<[f64; 2]>| Compared {
        mechanism: name.to_owned(),
        predicted: numbers.map(|it| it[0]),
        passes: numbers.map(|it| it[1]),
    };
    let own = certificate.mechanism.name();
    Choice {
        rows: certificate.problem.max_rows,
        curvature: None,
        regulariser: Some(ChosenRegulariser { missed: 0.5, with_half: Some(0.5), with_twice: None }),
        pass_price: 0.125,
        compared: vec![
            compared(own, Some([0.25, 2.0])),
            compared("a", Some([0.5, 0.0])),
            compared("b", None),
        ],
    }
}

type Edit = fn(&mut Choice);

fn regulariser(it: &mut Choice, missed: f64, with_half: Option<f64>, with_twice: Option<f64>) {
    it.regulariser = Some(ChosenRegulariser { missed, with_half, with_twice });
}

#[test]
fn a_choice_is_the_best_one_and_made_of_numbers() {
    let plain = release(&kinds()[0]);
    let check = |edit: Edit| {
        let mut edited: Release = plain.clone();
        let mut made = choice(&edited.certificate);
        edit(&mut made);
        edited.certificate.choice = Some(made);
        edited.seal().check().map(drop).map_err(|failed| failed.spec())
    };
    let holds: &[Edit] = &[
        |_| {},
        |it| it.rows = 1,
        |it| it.curvature = Some(0.0),
        |it| it.pass_price = 0.0,
        |it| regulariser(it, 0.0, None, None),
        |it| regulariser(it, 0.5, Some(0.75), Some(0.5)),
    ];
    for (k, edit) in holds.iter().enumerate() {
        assert_eq!(check(*edit), Ok(()), "{k}");
    }
    let fails: &[(&str, Edit)] = &[
        ("own:auto", |it| it.rows = 0),
        ("own:auto", |it| it.rows += 1),
        ("own:auto", |it| it.curvature = Some(-1.0)),
        ("own:auto", |it| it.pass_price = -0.125),
        ("own:auto", |it| it.pass_price = 0.126),
        ("own:auto", |it| it.compared[1].predicted = Some(0.49)),
        ("own:auto", |it| it.compared[1].predicted = Some(-0.5)),
        ("own:auto", |it| it.compared[1].passes = None),
        ("own:auto", |it| it.compared[2].passes = Some(1.0)),
        ("own:auto", |it| it.compared[2].mechanism = "a".to_owned()),
        ("own:auto", |it| it.compared[0].mechanism = "c".to_owned()),
        ("own:auto-regulariser", |it| regulariser(it, -1.0, None, None)),
        ("own:auto-regulariser", |it| regulariser(it, -1.0, Some(0.5), Some(0.5))),
        ("own:auto-regulariser", |it| regulariser(it, f64::INFINITY, None, None)),
        ("own:auto-regulariser", |it| regulariser(it, 0.5, Some(0.49), None)),
        ("own:auto-regulariser", |it| regulariser(it, 0.5, None, Some(0.49))),
        ("own:auto-regulariser", |it| regulariser(it, 0.5, Some(f64::INFINITY), None)),
        ("own:auto-regulariser", |it| regulariser(it, 0.5, None, Some(f64::INFINITY))),
    ];
    for (k, (page, edit)) in fails.iter().enumerate() {
        assert_eq!(check(*edit), Err(*page), "{k}");
    }
}
