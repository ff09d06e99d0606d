//! Persons with several rows, through the library: what is taken, what a person is promised, what it costs.
//! spec: `own:persons`
//!
//! Aimed at: `FirstRows` with `>` for `>=`; the rule left out of the file's reader; `Problem::of_a_record`
//! returning the whole (then no plan exists: the contracts refuse it); `Gate::new` without its refusal;
//! `of_table` without its comparison.
//!
//! Seen red, in each of `output.rs`, `objective.rs`, `posterior.rs` and `noisy_gradient.rs` by itself: the budget of a
//! person as that of a row; noise of a person's budget beside a ledger that states a row's; the first again with the
//! contract `Persons` deciding nothing. `the_noise_is_that_of_a_part_of_the_budget_for_each_row` and
//! `a_release_edited_to_more_rows_is_refused` fail every time.
#![allow(clippy::unwrap_used, clippy::panic, clippy::float_cmp)]

use asap_contracts::{Guarantee as Stated, Mechanism, Noise, Person};
use asap_dp::data::{
    Bounds, CsvOptions, DataError, FirstRows, OutOfBounds, PersonColumn, Records, Stream, Wanted, read_csv,
    read_schema,
};
use asap_dp::privacy::{Epsilon, Guarantee, Mu, Neighbours};
use asap_dp::{Error, Learner, Logistic, MechanismKind, ReplayRng, Squared};
use quickcheck::quickcheck;
use std::collections::BTreeMap;

fn pure(epsilon: f64) -> Guarantee {
    Guarantee::Pure(Epsilon::new(epsilon).unwrap())
}

fn gaussian(mu: f64) -> Guarantee {
    Guarantee::Gaussian(Mu::new(mu).unwrap())
}

fn bounds(rows: u64) -> Bounds {
    Bounds::new(1.0).unwrap().with_rows_per_person(rows).unwrap()
}

/// Which rows are taken.
fn taken(persons: &[u8], rows: u64) -> Vec<(u8, usize)> {
    let mut first = FirstRows::new(rows);
    let takes = |(k, person): (usize, &u8)| first.takes(&[*person]).then_some((*person, k));
    persons.iter().enumerate().filter_map(takes).collect()
}

quickcheck! {
    /// The lemma: without a person, the rows of the others are taken as before, and there are at most k of that person.
    fn neighbours_by_a_person_differ_by_at_most_k_rows(persons: Vec<u8>, gone: u8, rows: u64) -> bool {
        let (rows, gone) = (rows % 4 + 1, gone % 5);
        let persons: Vec<u8> = persons.into_iter().map(|person| person % 5).collect();
        // Rows keep their own numbers.
        let without: Vec<usize> = (0..persons.len()).filter(|k| persons[*k] != gone).collect();
        let others: Vec<u8> = without.iter().map(|k| persons[*k]).collect();
        let with = taken(&persons, rows);
        let again: Vec<(u8, usize)> =
            taken(&others, rows).into_iter().map(|(person, k)| (person, without[k])).collect();
        let kept: Vec<(u8, usize)> = with.iter().copied().filter(|(person, _)| *person != gone).collect();
        kept == again && (with.len() - kept.len()) as u64 <= rows
    }

    /// The rule by another program: the first k of each person, in order.
    fn the_first_rows_of_each_person_are_taken(persons: Vec<u8>, rows: u64) -> bool {
        let rows = rows % 4 + 1;
        let persons: Vec<u8> = persons.into_iter().map(|person| person % 5).collect();
        let mut of: BTreeMap<u8, Vec<usize>> = BTreeMap::new();
        persons.iter().enumerate().for_each(|(k, person)| of.entry(*person).or_default().push(k));
        let mut expected: Vec<(u8, usize)> = of
            .into_iter()
            .flat_map(|(person, all)| all.into_iter().take(usize::try_from(rows).unwrap()).map(move |k| (person, k)))
            .collect();
        expected.sort_by_key(|(_, k)| *k);
        taken(&persons, rows) == expected
    }
}

const TABLE: &str = "who,x,y\na,0.1,1\n b ,0.2,0\na,0.3,1\na,0.4,0\n\"b\",0.5,1\nc,0.6,0\na,0.7,1\n";
/// The same without the rows beyond two of a person, and without the column.
const FIRST_TWO: &str = "x,y\n0.1,1\n0.2,0\n0.3,1\n0.5,1\n0.6,0\n";

#[allow(clippy::unnecessary_wraps, reason = "as a schema has it")]
fn person(rows: u64) -> Option<PersonColumn> {
    Some(PersonColumn { name: "who".into(), rows })
}

fn numbers(person: Option<PersonColumn>) -> CsvOptions {
    CsvOptions { columns: Wanted::Numbers { target: "y".into(), features: None, person }, separator: None }
}

/// What a fit from a known seed releases.
fn fitted(records: &Records<Logistic>, guarantee: Guarantee) -> Vec<f64> {
    let learner = Learner::new(2.0).guarantee(guarantee).mechanism(MechanismKind::Output);
    learner.fit(records, &mut ReplayRng::new(7)).unwrap().theta().to_vec()
}

/// A fit sees what a file without the dropped rows has: from a file, from a stream, from arrays, as a schema says.
#[test]
fn a_fit_sees_the_first_rows_of_each_person() {
    let clip = OutOfBounds::Clip;
    let plain = Bounds::new(1.0).unwrap();
    let (expected, _) = read_csv(FIRST_TWO.as_bytes(), &numbers(None), Logistic, plain, clip).unwrap();
    // A third of the budget for each of three rows, and so much for a record, is the same noise.
    let expected = fitted(&expected, pure(0.5));
    let (records, columns) =
        read_csv(TABLE.as_bytes(), &numbers(person(2)), Logistic, bounds(2), clip).unwrap();
    assert_eq!(columns.parameter_names(), ["x"]);
    assert_eq!(fitted(&records, pure(1.0)), expected);

    let path = std::env::temp_dir().join(format!("persons-{}.csv", std::process::id()));
    std::fs::write(&path, TABLE).unwrap();
    let stream = Stream::open(&path, &numbers(person(2)), Logistic, bounds(2), clip).unwrap();
    let learner = Learner::new(2.0).guarantee(pure(1.0)).mechanism(MechanismKind::Output);
    let release = learner.fit(&stream, &mut ReplayRng::new(7)).unwrap();
    std::fs::remove_file(&path).unwrap();
    assert_eq!(release.theta(), expected);

    let who = ["a", "b", "a", "a", "b", "c", "a"];
    let (xs, ys) = ([0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7], [1.0, 0.0, 1.0, 0.0, 1.0, 0.0, 1.0]);
    let fill = |k: usize, row: &mut [f64]| {
        row[0] = xs[k];
        ys[k]
    };
    let arrays = Records::from_rows_of_persons(Logistic, bounds(2), clip, 1, 7, |k| who[k], fill).unwrap();
    assert_eq!(fitted(&arrays, pure(1.0)), expected);

    let text = "person = 'who'\nrows_per_person = 2\n[target]\nname = 'y'\nclasses = ['0', '1']\n[columns]\nx = [-1, 1]";
    let schema = read_schema(text).unwrap();
    let of_schema = Bounds::of_schema(&schema).unwrap();
    assert_eq!(of_schema.rows_per_person(), Some(2));
    let options = CsvOptions::of_schema(schema.clone());
    let (records, _) = read_csv(
        TABLE.as_bytes(),
        &options,
        Logistic,
        Bounds::new(1.0).unwrap().with_persons_of(&schema).unwrap(),
        clip,
    )
    .unwrap();
    // Numbers between -1 and 1 are what they are.
    let close = fitted(&records, pure(1.0));
    assert!(close.iter().zip(&expected).all(|(a, b)| (a - b).abs() < 1e-6), "{close:?} {expected:?}");
}

/// Nobody's records pass for persons', and no other number of rows for the promised one.
#[test]
fn what_was_not_counted_is_refused() {
    let clip = OutOfBounds::Clip;
    let refused =
        |found: Result<Records<Logistic>, DataError>| assert_eq!(found.unwrap_err(), DataError::Persons);
    refused(Records::new(Logistic, bounds(2), clip, vec![0.5], vec![1.0]));
    refused(Records::from_rows(Logistic, bounds(2), clip, 1, 1, |_, _| 1.0));
    let plain = || Bounds::new(1.0).unwrap();
    refused(Records::from_rows_of_persons(Logistic, plain(), clip, 1, 1, |_| "a", |_, _| 1.0));
    let read =
        |who, bounds| read_csv(TABLE.as_bytes(), &numbers(who), Logistic, bounds, clip).map(|(it, _)| it);
    refused(read(person(2), plain()));
    refused(read(person(3), bounds(2)));
    let features = CsvOptions::of_numbers("y", vec!["x".into()]);
    refused(read_csv(TABLE.as_bytes(), &features, Logistic, bounds(2), clip).map(|(it, _)| it));
    // A plan for persons takes no records that count by themselves.
    let learner = Learner::new(2.0).guarantee(pure(1.0)).mechanism(MechanismKind::Output);
    let problem = learner.problem(Logistic, bounds(2), 1).unwrap();
    let records = Records::new(Logistic, plain(), clip, vec![0.5], vec![1.0]).unwrap();
    let found = learner.plan(&problem).unwrap().release(&records, &mut ReplayRng::new(1));
    assert!(matches!(found, Err(Error::Input(_))));
    for bad in [0, 1_000_001] {
        assert_eq!(plain().with_rows_per_person(bad).unwrap_err().field, "rows per person");
    }
}

#[test]
fn a_row_of_nobody_is_refused_with_its_line() {
    let read = |text: &str| {
        read_csv(text.as_bytes(), &numbers(person(2)), Logistic, bounds(2), OutOfBounds::Clip)
            .map(drop)
            .unwrap_err()
    };
    let error = read("who,x,y\na,0.1,1\n  ,0.2,0\n").to_string();
    assert_eq!(
        error,
        "line 3, column `who`: the cell is missing: every row needs the name or the number of its person"
    );
    assert_eq!(read("x,y\n0.1,1\n").to_string(), "person `who` is not a column");
    let used = CsvOptions {
        columns: Wanted::Numbers {
            target: "y".into(),
            features: Some(vec!["who".into()]),
            person: person(2),
        },
        separator: None,
    };
    let error =
        read_csv(TABLE.as_bytes(), &used, Logistic, bounds(2), OutOfBounds::Clip).map(drop).unwrap_err();
    assert_eq!(error.to_string(), "person `who` cannot be the target or a feature, too");
    // Also a row that would be dropped is read.
    let error = read("who,x,y\na,0.1,1\na,0.1,1\na,zero,1\n").to_string();
    assert!(error.starts_with("line 4, column `x`"), "{error}");
    for (text, line) in [
        ("person = 'who'\n[target]", 1),
        ("rows_per_person = 3\n[target]", 1),
        (
            "person = 'who'\nrows_per_person = 0\n[target]\nname = 'y'\nrange = [0, 1]\n[columns]\nx = [0, 1]",
            1,
        ),
        ("person = 'who'\nrows_per_person = 2.5\n[target]", 2),
        ("person = 'x'\nrows_per_person = 2\n[target]\nname = 'y'\nrange = [0, 1]\n[columns]\nx = [0, 1]", 1),
    ] {
        assert_eq!(read_schema(text).unwrap_err().line, line, "{text}");
    }
}

/// Every mechanism and both relations: the ledger is that of a k-th of the budget, the promise is the whole, and the
/// release that says so is checked. The plan of a row, made without persons, has the same noise.
#[test]
fn the_noise_is_that_of_a_part_of_the_budget_for_each_row() {
    let fill = |k: usize, row: &mut [f64]| {
        row[0] = 0.1 * k as f64;
        1.0
    };
    let clip = OutOfBounds::Clip;
    let of_persons =
        Records::from_rows_of_persons(Logistic, bounds(3), clip, 1, 5, |k| (k % 2).to_le_bytes(), fill)
            .unwrap();
    let plain = Records::from_rows(Logistic, Bounds::new(1.0).unwrap(), clip, 1, 5, fill).unwrap();
    for neighbours in [Neighbours::AddRemove, Neighbours::ReplaceOne] {
        for (whole, part) in [(pure(1.5), pure(0.5)), (gaussian(1.5), gaussian(0.5))] {
            for kind in MechanismKind::ALL {
                let learner = Learner::new(8.0).neighbours(neighbours).mechanism(kind);
                let rng = &mut ReplayRng::new(3);
                let release = learner.guarantee(whole).fit(&of_persons, rng).unwrap();
                release.check().unwrap();
                let row = learner.guarantee(part).fit(&plain, rng).unwrap();
                let (with, without) = (release.certificate(), row.certificate());
                let total = match whole {
                    Guarantee::Pure(_) => Stated::Pure(1.5),
                    Guarantee::Gaussian(_) => Stated::Gaussian(1.5),
                };
                assert_eq!(with.person, Some(Person { rows: 3, total }));
                assert_eq!(release.guarantee(), total);
                assert_eq!(with.ledger, without.ledger, "{kind:?}");
                match (&with.mechanism, &without.mechanism) {
                    // θ_0, and what is around it, is drawn.
                    (Mechanism::Posterior(a), Mechanism::Posterior(b)) => {
                        assert_eq!(
                            (&a.minimiser, a.localisation.noise),
                            (&b.minimiser, b.localisation.noise)
                        );
                    }
                    (a, b) => assert_eq!(a, b, "{kind:?}"),
                }
            }
        }
    }
}

/// By hand: output perturbation, Λ = 2, R = 1: a row moves the minimiser by 1/2 at most, three rows by 3/2. At ε = 1
/// the scale of the noise is 1.5 but for rounding, and 3 where a person is replaced.
#[test]
fn the_scale_of_three_rows_by_hand() {
    for (neighbours, expected) in [(Neighbours::AddRemove, 1.5), (Neighbours::ReplaceOne, 3.0)] {
        let learner =
            Learner::new(2.0).guarantee(pure(1.0)).neighbours(neighbours).mechanism(MechanismKind::Output);
        let bounds = bounds(3).with_target(1.0).unwrap();
        let problem = learner.problem(Logistic, bounds, 1).unwrap();
        let output = learner.output(&problem).unwrap();
        let scale = output.perturbation().noise().scale();
        assert!(scale >= expected && scale < expected * 1.01, "{neighbours:?}: {scale}");
    }
}

/// An edited number of rows, or a promise that the noise does not keep, is refused; sealed again, too.
#[test]
fn a_release_edited_to_more_rows_is_refused() {
    let fill = |_: usize, row: &mut [f64]| {
        row[0] = 0.5;
        0.5
    };
    let bounds = bounds(3).with_target(1.0).unwrap();
    let records =
        Records::from_rows_of_persons(Squared, bounds, OutOfBounds::Clip, 1, 4, usize::to_le_bytes, fill)
            .unwrap();
    for kind in MechanismKind::ALL {
        let learner = Learner::new(8.0).parameter_bound(1.0).guarantee(pure(1.0)).mechanism(kind);
        let release = learner.fit(&records, &mut ReplayRng::new(5)).unwrap().as_checked().clone();
        release.check().unwrap();
        for (rows, total) in [(4, 1.0), (3, 0.999), (300, 1.0)] {
            let mut edited = release.clone();
            edited.certificate.person = Some(Person { rows, total: Stated::Pure(total) });
            assert!(edited.check().is_err(), "{kind:?}");
            let clause = edited.seal().check().unwrap_err().clause();
            assert_eq!(clause, "the rows of a person spend at most what a person is promised", "{kind:?}");
        }
        // Calibrated for rows: the noise of the whole budget for each row.
        let mut for_rows = release.clone();
        if let Mechanism::Output(output) = &mut for_rows.certificate.mechanism {
            let Noise::EuclideanLaplace { steps, .. } = &mut output.noise else {
                panic!("the default noise")
            };
            *steps /= 3;
            assert!(for_rows.seal().check().is_err());
        }
    }
}
