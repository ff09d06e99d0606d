//! The content of [`Records`], seen from the inside.
#![allow(clippy::float_cmp)]

use super::*;
use crate::ball::norm;
use crate::exact::Dyadic;
use crate::loss::{Huber, Logistic, Squared};
use quickcheck::{Arbitrary, Gen, QuickCheck, quickcheck};

const BOTH: [OutOfBounds; 2] = [OutOfBounds::Clip, OutOfBounds::Refuse];

/// A finite number, often an extreme one.
#[derive(Clone, Copy, Debug)]
struct Finite(f64);

impl Arbitrary for Finite {
    fn arbitrary(g: &mut Gen) -> Self {
        const SPECIAL: [f64; 9] =
            [0.0, -0.0, 1.0, 5e-324, f64::MIN_POSITIVE, 1e-160, 1e160, f64::MAX, -f64::MAX];
        let value = match u8::arbitrary(g) % 4 {
            0 => *g.choose(&SPECIAL).unwrap(),
            1 => f64::from_bits(u64::arbitrary(g)),
            _ => f64::from(i16::arbitrary(g)) / 4096.0,
        };
        Self(if value.is_finite() { value } else { 1.0 })
    }
}

fn bounds(radius: f64, target: f64, intercept: bool) -> Bounds {
    Bounds::new(radius).unwrap().with_target(target).unwrap().with_intercept(intercept).unwrap()
}

/// Whether everything that is stored keeps the promise.
fn admissible<L: Loss>(records: &Records<L>, allowed: impl Fn(f64) -> bool) -> bool {
    let bounds = records.bounds();
    let raw = records.dimension() - usize::from(bounds.intercept());
    records.features().len() == records.len() * records.dimension()
        && records
            .features()
            .chunks_exact(records.dimension())
            .all(|row| norm(&row[..raw]) <= bounds.feature_norm() && row[raw..].iter().all(|one| *one == 1.0))
        && records.targets().iter().all(|y| allowed(*y))
}

fn stored_is_admissible<L: Loss + Copy>(
    loss: L,
    bounds: Bounds,
    rows: &[(Finite, Finite, Finite)],
    allowed: impl Fn(f64) -> bool,
) -> bool {
    let features: Vec<f64> = rows.iter().flat_map(|row| [row.0.0, row.1.0]).collect();
    // Classes are never clipped: a number that is none is refused, which has a test of its own.
    let classes = loss.targets() == Targets::Classes;
    let target = |y: f64| if classes { f64::from(u8::from(y > 0.0)) } else { y };
    let targets: Vec<f64> = rows.iter().map(|row| target(row.2.0)).collect();
    let clipped = Records::with_dimension(
        loss,
        bounds.clone(),
        OutOfBounds::Clip,
        2,
        features.clone(),
        targets.clone(),
    );
    let refused = Records::with_dimension(loss, bounds, OutOfBounds::Refuse, 2, features, targets);
    clipped.is_ok_and(|records| records.len() == rows.len() && admissible(&records, &allowed))
        && refused.ok().is_none_or(|records| admissible(&records, &allowed))
}

quickcheck! {
    fn stored_records_are_admissible(rows: Vec<(Finite, Finite, Finite)>, radius: u8, intercept: bool) -> bool {
        let bounds = bounds(f64::from(radius) / 7.0 + 1e-3, 2.5, intercept);
        stored_is_admissible(Squared, bounds.clone(), &rows, |y| y.abs() <= 2.5)
            && stored_is_admissible(Huber::new(0.5).unwrap(), bounds.clone(), &rows, |y| y.abs() <= 2.5)
            && stored_is_admissible(Logistic, bounds, &rows, |y| y == 1.0 || y == -1.0)
    }

    // Neighbouring data sets differ in one stored row only if clipping never looks at another row.
    fn a_row_is_clipped_without_regard_to_the_others(rows: Vec<(Finite, Finite, Finite)>, left_out: usize) -> bool {
        let stored = |rows: &[(Finite, Finite, Finite)]| {
            let features = rows.iter().flat_map(|row| [row.0.0, row.1.0]).collect();
            let targets = rows.iter().map(|row| row.2.0).collect();
            let bounds = bounds(1.5, 1.0, true);
            let records =
                Records::with_dimension(Squared, bounds, OutOfBounds::Clip, 2, features, targets).unwrap();
            (records.features().to_vec(), records.targets().to_vec())
        };
        let (mut features, mut targets) = stored(&rows);
        if rows.is_empty() {
            return features.is_empty() && targets.is_empty();
        }
        let k = left_out % rows.len();
        features.drain(3 * k..3 * (k + 1));
        targets.remove(k);
        let mut neighbour = rows;
        neighbour.remove(k);
        stored(&neighbour) == (features, targets)
    }

    fn refusal_changes_nothing(rows: Vec<(i8, i8)>) -> bool {
        let features: Vec<f64> = rows.iter().map(|row| f64::from(row.0)).collect();
        let targets: Vec<f64> = rows.iter().map(|row| f64::from(row.1)).collect();
        let bounds = bounds(128.0, 128.0, false);
        BOTH.iter().all(|policy| {
            let records =
                Records::with_dimension(Squared, bounds.clone(), *policy, 1, features.clone(), targets.clone());
            records.is_ok_and(|records| records.features() == features && records.targets() == targets)
        })
    }
}

#[test]
fn clipping_moves_features_onto_the_ball_and_targets_into_their_interval() {
    let features = vec![3.0, 4.0, 30.0, -40.0, 0.0, 0.0];
    let records =
        Records::new(Squared, bounds(5.0, 2.0, true), OutOfBounds::Clip, features, vec![7.0, -9.0, 1.5])
            .unwrap();
    assert_eq!(records.dimension(), 3);
    assert_eq!(records.features(), [3.0, 4.0, 1.0, 3.0, -4.0, 1.0, 0.0, 0.0, 1.0]);
    assert_eq!(records.targets(), [2.0, -2.0, 1.5]);
}

#[test]
fn classes_are_stored_as_signs() {
    let stored = |policy| {
        Records::new(Logistic, bounds(1.0, 1.0, false), policy, vec![0.1; 3], vec![0.0, 1.0, -1.0])
            .unwrap()
            .targets()
            .to_vec()
    };
    assert!(BOTH.iter().all(|policy| stored(*policy) == [-1.0, 1.0, -1.0]));
}

/// The exact `Σ x²`.
fn exact_square(x: &[f64]) -> Dyadic {
    let square = |a: &f64| {
        let a = Dyadic::new(a.abs()).unwrap();
        a.times(&a)
    };
    x.iter().map(square).fold(Dyadic::from_parts(0, 0), |sum, square| sum.plus(&square))
}

/// Decides `‖x‖ ≤ factor · (computed norm of x)` exactly.
fn true_norm_is_at_most(factor: f64, x: &[f64]) -> bool {
    let [computed, factor] = [norm(x), factor].map(|a| Dyadic::new(a).unwrap());
    let limit = computed.times(&factor);
    exact_square(x) <= limit.times(&limit)
}

#[test]
fn slack_covers_the_rounding_of_the_longest_row() {
    // Each small square is just below half a unit in the last place of 1 and is lost.
    let lost = 2.0_f64.powi(-53).sqrt().next_down();
    let mut worst = vec![lost; Bounds::MAX_DIMENSION];
    worst[0] = 1.0;
    assert_eq!(norm(&worst), 1.0);
    assert!(true_norm_is_at_most(Bounds::SLACK, &worst));
    // A slack of 2⁻³⁵ would not do, so the test sees the effect that it is about.
    assert!(!true_norm_is_at_most(1.0 + 2.0_f64.powi(-35), &worst));
}

#[test]
fn slack_covers_the_rounding_of_every_norm_that_a_bound_can_have() {
    fn property(row: Vec<Finite>) -> bool {
        let row: Vec<f64> = row.into_iter().map(|x| x.0).collect();
        let computed = norm(&row);
        // R² has to be a normal number and finite: the rest is no bound.
        Bounds::new(computed).is_err() || true_norm_is_at_most(Bounds::SLACK, &row)
    }
    QuickCheck::new().tests(2000).quickcheck(property as fn(Vec<Finite>) -> bool);
    // The smallest bounds, whose squares are close to underflow.
    let smallest = 2.0_f64.powi(-511);
    for row in [[smallest, 1e-161, 3e-170], [1e-154, 1e-154, 1e-160], [smallest / 3.0; 3]] {
        assert!(property(row.map(Finite).to_vec()));
    }
}

/// The red wines of the Wine Quality data, where the data lies beside the crate.
#[test]
fn wine_data_is_read_as_documented() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../shared/data/winequality-red.csv");
    if !std::path::Path::new(path).exists() {
        eprintln!("SKIPPED: the wine data is not there");
        return;
    }
    let read = |bounds, policy| read_csv_path(path, &CsvOptions::new("quality"), Squared, bounds, policy);
    let (records, columns) = read(bounds(300.0, 10.0, false), OutOfBounds::Refuse).unwrap();
    assert_eq!((records.len(), records.dimension()), (1599, 11));
    assert_eq!(
        (columns.features[0].name.as_str(), columns.features[10].name.as_str()),
        ("fixed acidity", "alcohol")
    );
    assert_eq!(records.targets().iter().sum::<f64>(), 9012.0);
    let first = [7.4, 0.7, 0.0, 1.9, 0.076, 11.0, 34.0, 0.9978, 3.51, 0.56, 9.4];
    assert_eq!(records.features()[..11], first);
    let (clipped, _) = read(bounds(10.0, 5.0, true), OutOfBounds::Clip).unwrap();
    assert_eq!((clipped.len(), clipped.dimension()), (1599, 12));
    assert!(admissible(&clipped, |y| y.abs() <= 5.0));
    let refused = read(bounds(10.0, 10.0, false), OutOfBounds::Refuse).unwrap_err();
    assert_eq!(refused, DataError::FeaturesOutOfBounds { at: Place::Line(2) });
}

/// Rows that are handed over one at a time become the same records, and are refused at the same place.
#[test]
fn rows_one_at_a_time_are_the_same_records() {
    let rows = [[3.0, 4.0], [0.1, -0.2], [f64::NAN, 0.0]];
    let targets = [0.5, -7.0, 1.0];
    for intercept in [false, true] {
        let bounds = bounds(1.0, 2.0, intercept);
        let whole = |n: usize| {
            let features = rows[..n].concat();
            Records::new(Squared, bounds.clone(), OutOfBounds::Clip, features, targets[..n].to_vec())
        };
        let singly = |n: usize| {
            Records::from_rows(Squared, bounds.clone(), OutOfBounds::Clip, 2, n, |k, row| {
                row.copy_from_slice(&rows[k]);
                targets[k]
            })
        };
        let (a, b) = (whole(2).unwrap(), singly(2).unwrap());
        assert_eq!((a.features(), a.targets()), (b.features(), b.targets()));
        assert_eq!(b.features.capacity(), b.features.len());
        assert_eq!(singly(3).unwrap_err(), DataError::NotFinite { at: Place::Record(3) });
        assert_eq!(singly(0).unwrap().dimension(), 2 + usize::from(intercept));
        let few = bounds.with_max_rows(1).unwrap();
        let refused = Records::from_rows(Squared, few, OutOfBounds::Clip, 1, usize::MAX, |_, _| 0.0);
        assert_eq!(refused.unwrap_err(), DataError::TooManyRows);
    }
}

/// Many rows are checked side by side and stay where they are: the same records as one at a time, the same first error.
/// For: a piece that counts its rows from 0, and any error in place of the first.
#[test]
fn rows_are_taken_over_where_they_are() {
    let number = |k: usize| ((k * 7919 + 13) % 1009) as f64 / 1009.0 - 0.5;
    let (rows, clip) = (20_000, OutOfBounds::Clip);
    let features: Vec<f64> = (0..2 * rows).map(number).collect();
    let targets: Vec<f64> = (0..rows).map(|k| 3.0 * number(5 * k)).collect();
    let singly = Records::from_rows(Squared, bounds(0.4, 1.0, false), clip, 2, rows, |k, row| {
        row.copy_from_slice(&features[2 * k..2 * k + 2]);
        targets[k]
    });
    let (singly, given) = (singly.unwrap(), features.clone());
    let place = given.as_ptr();
    let together = Records::new(Squared, bounds(0.4, 1.0, false), clip, given, targets.clone()).unwrap();
    assert!(together.features() == singly.features() && together.targets() == singly.targets());
    assert!(together.features() != features && together.features().as_ptr() == place);

    let with = |bad: &[usize], most: u64| {
        let mut features = features.clone();
        for k in bad {
            features[2 * k] = f64::NAN;
        }
        let bounds = bounds(0.4, 1.0, false).with_max_rows(most).unwrap();
        Records::new(Squared, bounds, clip, features, targets.clone()).map(drop)
    };
    let not_finite = |record| Err(DataError::NotFinite { at: Place::Record(record) });
    for bad in [0, 4095, 4096, 4097, 19_999] {
        assert_eq!(with(&[bad, 19_999], 20_000), not_finite(bad + 1));
        let first = if bad < 10_000 { not_finite(bad + 1) } else { Err(DataError::TooManyRows) };
        assert_eq!(with(&[bad], 10_000), first);
    }
    assert_eq!(with(&[], 19_999), Err(DataError::TooManyRows));
    assert_eq!(with(&[], 20_000), Ok(()));
}

quickcheck! {
    // Also where the difference is the largest there is, or the smallest, or one end is lost beside the other.
    fn what_is_scaled_by_a_range_lies_between_minus_one_and_one(a: Finite, b: Finite, x: Finite) -> bool {
        let Ok(range) = Range::new(a.0.min(b.0), a.0.max(b.0)) else {
            return a.0 == b.0 || !(a.0.max(b.0) - a.0.min(b.0)).is_finite();
        };
        let z = range.scaled(x.0);
        let inside = range.contains(range.unscaled(z));
        (-1.0..=1.0).contains(&z)
            && inside
            && range.scaled(a.0.min(b.0)) == -1.0
            && range.scaled(a.0.max(b.0)) == 1.0
            // Order is kept, and what is outside is at an end.
            && range.scaled(x.0.next_down().max(f64::MIN)) <= z
            && (range.contains(x.0) || z.abs() == 1.0)
    }

    // Every row of scaled numbers is within the bound that they imply, as computed, so that nothing
    // is refused or shortened.
    fn the_implied_bound_admits_every_scaled_row(row: Vec<Finite>) -> bool {
        let row: Vec<f64> = row.iter().map(|x| x.0.clamp(-1.0, 1.0)).collect();
        if row.is_empty() {
            return true;
        }
        let bounds = Bounds::of_unit_features(row.len()).unwrap();
        let corner: Vec<f64> = row.iter().map(|x| 1.0_f64.copysign(*x)).collect();
        [row, corner].into_iter().all(|row| {
            let stored = Records::new(Logistic, bounds.clone(), OutOfBounds::Refuse, row.clone(), vec![1.0]);
            stored.is_ok_and(|records| records.features() == row)
        })
    }
}

#[test]
fn the_implied_bound_is_the_root_rounded_up() {
    for d in (1..3000).chain([999_999, 1_000_000]) {
        let bound = Bounds::of_unit_features(d).unwrap().feature_norm();
        let square = |x: f64| exact_square(&[x]);
        let d = square(1.0).times(&Dyadic::from_parts(d as u64, 0));
        assert!(square(bound) >= d && square(bound.next_down()) < d, "{bound}");
    }
    assert!(Bounds::of_unit_features(0).is_err() && Bounds::of_unit_features(1_000_001).is_err());
}

/// What is said of a cell of line 3.
fn cell(column: &str, why: Refusal) -> DataError {
    DataError::Cell { at: Place::Line(3), column: column.to_owned(), why }
}

/// By hand: what is missing first, in the units of the file, then the range, then the row is held to the bound.
#[test]
fn records_are_filled_in_scaled_then_clipped() {
    let text = "t,s,y\n15,-3,20\n0,5,-7\n?,1,10\n";
    let schema = read_schema(
        "columns.t = { range = [10, 20], missing = 12.5 }\ncolumns.s = [-3, 1]\ntarget = { name = 'y', range = [0, 20] }",
    )
    .unwrap();
    let options = CsvOptions::of_schema(schema);
    let read = |bounds, policy| read_csv(text.as_bytes(), &options, Squared, bounds, policy);
    let (records, _) = read(bounds(2.0, 1.0, false), OutOfBounds::Clip).unwrap();
    assert_eq!(records.features(), [0.0, -1.0, -1.0, 1.0, -0.5, 1.0]);
    assert_eq!(records.targets(), [1.0, -1.0, 0.0]);
    // Then the row's norm: (−1, 1) is √2 long.
    let (short, _) = read(bounds(1.0, 1.0, false), OutOfBounds::Clip).unwrap();
    assert!(short.features().chunks(2).all(|row| norm(row) <= 1.0));
    assert!((short.features()[2] + 0.5_f64.sqrt()).abs() < 1e-15);
    let refused = read(bounds(2.0, 1.0, false), OutOfBounds::Refuse).unwrap_err();
    assert_eq!(refused, cell("t", Refusal::OutOfRange));
}

/// Numbers first, then a block for each column of levels, whatever the order in the file is: by hand.
#[test]
fn cells_become_what_the_schema_says() {
    let schema = read_schema(
        r#"
        missing_marks = ["", "?", "-999"]
        target = { name = "pay", classes = [">50K", " <=50K "], positive = ">50K", missing = "<=50K" }
        [columns]
        sex = ["Male", "Female"]
        gain = { range = [0, 99999], log = true, scale = "[0,1]", missing = 0 }
        job = { levels = ["a", "b", "rest"], other = "rest", missing = "b" }
        id = { ignore = true }
        age = [17, 90]
        "#,
    )
    .unwrap();
    assert_eq!(
        schema.parameter_names(),
        ["gain", "age", "sex=Male", "sex=Female", "job=a", "job=b", "job=rest"]
    );
    let text = "age,id,job, sex ,gain,pay\n\
                90,x, a,Male,99999,>50K\n\
                1e9,,zzz, Female ,-5, <=50K\n\
                17,7,?,male,?,?\n\
                53.5,7,\"\",-999,999, >50K\n";
    let bounds = Bounds::of_schema(&schema).unwrap();
    assert_eq!(bounds.feature_norm(), 2.0, "two numbers, two columns of levels");
    let options = CsvOptions::of_schema(schema);
    let (records, columns) =
        read_csv(text.as_bytes(), &options, Logistic, bounds, OutOfBounds::Clip).unwrap();
    let by_hand = [
        [1.0, 1.0, 1.0, 0.0, 1.0, 0.0, 0.0],
        [0.0, 1.0, 0.0, 1.0, 0.0, 0.0, 1.0],
        // Neither `male` nor a mark is a level; a missing job is b.
        [0.0, -1.0, 0.0, 0.0, 0.0, 1.0, 0.0],
        // ln(1000)/ln(100000).
        [0.6, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0],
    ];
    for (found, expected) in records.features().chunks(7).zip(by_hand) {
        assert!(found.iter().zip(expected).all(|(x, y)| (x - y).abs() < 1e-12), "{found:?} {expected:?}");
    }
    assert_eq!(records.targets(), [1.0, -1.0, -1.0, 1.0]);
    // A prediction sees the same numbers, also without the target and with columns that nobody knows.
    let new = text.replace(",pay", ",other");
    let matrix = read_features(new.as_bytes(), &columns, None).unwrap();
    assert_eq!(matrix, records.features());
}

/// Text where a number is declared, a missing cell that nothing stands for and a target that is no class each have a
/// refusal of their own, under either policy; none shows the cell.
#[test]
fn each_bad_cell_is_refused_by_its_own_name() {
    let schema = |more: &str| {
        read_schema(&format!(
            "columns.age = {{ range = [0, 100]{more} }}\ncolumns.sex = ['m', 'f']\ntarget = {{ name = 'y', classes = ['no', 'yes'] }}"
        ))
        .unwrap()
    };
    for policy in BOTH {
        for more in ["", ", missing = 50"] {
            let read = |row: &str| {
                let schema = schema(more);
                let bounds = Bounds::of_schema(&schema).unwrap();
                let text = format!("age,sex,y\n1,m,no\n{row}\n");
                let read =
                    read_csv(text.as_bytes(), &CsvOptions::of_schema(schema), Logistic, bounds, policy);
                read.map(|_| ())
            };
            for text in ["7731x", "nan", "inf", "1e400", "\"1,5\"", "?7731", "N/A"] {
                let refused = read(&format!("{text},m,no")).unwrap_err();
                assert_eq!(refused, cell("age", Refusal::NotANumber), "{text}");
                assert!(!refused.to_string().contains("7731"));
            }
            for mark in ["", " ", "?", " NA\t"] {
                let read = read(&format!("{mark},m,yes"));
                let refused = cell("age", Refusal::Missing);
                assert_eq!(read, if more.is_empty() { Err(refused) } else { Ok(()) }, "{mark}");
            }
            for none in ["", "?", "male", "M", "7731"] {
                assert_eq!(read(&format!("1,{none},yes")), Ok(()), "a text that is no level tells nothing");
            }
            let none = cell("y", Refusal::NotOfTheClasses);
            assert_eq!(read("1,m,Yes").unwrap_err(), none);
            let missing = cell("y", Refusal::Missing);
            assert_eq!(read("1,m,?").unwrap_err(), missing);
        }
    }
}

#[test]
fn a_schema_knows_every_column_or_the_file_is_refused_by_name() {
    let schema =
        read_schema("columns = { a = [0, 1], b = { ignore = true } }\ntarget = { name = 'y', at_least = 6 }")
            .unwrap();
    let read = |text: &str| {
        let options = CsvOptions::of_schema(schema.clone());
        read_csv(text.as_bytes(), &options, Logistic, Bounds::new(1.0).unwrap(), OutOfBounds::Clip)
            .map(|(records, _)| records.targets().to_vec())
    };
    assert_eq!(read("y,a,b\n6,1,x\n5.9,0,\n"), Ok(vec![1.0, -1.0]));
    assert_eq!(read("y,a\n6,1\n"), Ok(vec![1.0]), "a column that nobody looks at may be absent");
    assert_eq!(read("y,a,c\n6,1,x\n"), Err(DataError::NoEntry { column: "c".into() }));
    assert_eq!(read("y,a,\n6,1,x\n"), Err(DataError::UnnamedColumn { position: 3 }));
    assert_eq!(read("y,b\n6,1\n"), Err(DataError::UnknownFeature { feature: "a".into() }));
    assert!(matches!(read("a,b\n6,1\n"), Err(DataError::TargetNotFound { .. })));
    // No name is known, or one looks like a cell: perhaps this is a record.
    assert_eq!(read("Male,White\nFemale,Black\n"), Err(DataError::HeaderMissing));
    assert_eq!(read("a,y,39\n6,1,2\n"), Err(DataError::HeaderMissing));
    let options = CsvOptions::of_schema(schema.clone());
    let numbers = read_csv(&b"a,y\n1,1\n"[..], &options, Squared, bounds(1.0, 1.0, false), OutOfBounds::Clip);
    assert_eq!(numbers.unwrap_err(), DataError::TargetOfAnotherKind);
}

#[test]
fn classes_without_a_schema_are_signs_and_nothing_else_is_one() {
    let stored = |targets: &str, policy| {
        let text = format!("x,y\n{}", targets.split(' ').map(|y| format!("0.5,{y}\n")).collect::<String>());
        let read =
            read_csv(text.as_bytes(), &CsvOptions::new("y"), Logistic, Bounds::new(1.0).unwrap(), policy);
        read.map(|(records, _)| records.targets().to_vec())
    };
    for policy in BOTH {
        assert_eq!(stored("0 1 -1", policy).unwrap(), [-1.0, 1.0, -1.0]);
        // No class, refused under either policy, with its line.
        for (targets, line) in [("1 3", 3), ("0.5", 2), ("2 1", 2), ("-3", 2)] {
            let refused = stored(targets, policy).unwrap_err();
            assert_eq!(refused, DataError::NotAClass { at: Place::Line(line) });
        }
    }
}

quickcheck! {
    // Whatever a cell is, the numbers of its feature have the shape that the noise is made for.
    fn every_cell_stays_within_the_shape_of_the_schema(cells: Vec<(String, Finite)>, low: Finite, high: Finite) -> bool {
        let Ok(range) = Range::new(low.0.min(high.0), low.0.max(high.0)) else { return true };
        let ends = format!("[{:?}, {:?}]", low.0.min(high.0), low.0.max(high.0));
        let text = format!(
            "columns.a = {{ range = {ends}, log = true }}\ncolumns.b = {{ range = {ends}, scale = '[0,1]' }}\n\
             columns.c = {{ levels = ['x', 'y', 'z'], other = 'z' }}\ntarget = {{ name = 'y', range = {ends} }}"
        );
        let schema = read_schema(&text).unwrap();
        let (encoder, shape) = (Encoder::new(&schema).unwrap(), Bounds::of_schema(&schema).unwrap());
        let mut row = vec![0.0; encoder.parameters()];
        cells.iter().all(|(text, Finite(number))| {
            let _ = encoder.text(2, text.as_bytes(), &mut row);
            let _ = encoder.text(1, text.as_bytes(), &mut row);
            encoder.number(0, Some(*number), &mut row).unwrap();
            encoder.number(1, Some(*number), &mut row).unwrap();
            let inside = shape.shape().is_some_and(|shape| shape.contains(&row));
            inside && (0.0..=1.0).contains(&row[1]) && (range.contains(*number) || row[0].abs() == 1.0)
        })
    }
}

#[test]
fn squared_and_huber_need_a_target_bound() {
    let silent = Bounds::new(1.0).unwrap();
    for policy in BOTH {
        let refused = Records::new(Squared, silent.clone(), policy, vec![0.1], vec![0.1]).unwrap_err();
        assert_eq!(refused, DataError::TargetBoundMissing);
        let huber = Huber::new(1.0).unwrap();
        assert!(Records::new(huber, silent.clone(), policy, vec![0.1], vec![0.1]).is_err());
        assert!(Records::new(Logistic, silent.clone(), policy, vec![0.1], vec![1.0]).is_ok());
    }
    let refused = crate::problem::Problem::new(Squared, silent, 1, 1.0).unwrap_err();
    assert_eq!(refused.field, "target bound");
}

/// Rows of a shape: each block is held to its own bound, the intercept is appended, and another number of columns is
/// refused. With the norm alone (`Admissible::Ball`) the second row would stay as it is.
#[test]
fn rows_are_held_to_their_shape_block_by_block() {
    use crate::shape::{Block, Shape};
    let shape = Shape::new([Block::Cube { columns: 1 }, Block::OneNorm { columns: 3, bound: 1.0 }]).unwrap();
    let bounds = Bounds::of_shape(shape).unwrap().with_intercept(true).unwrap();
    let rows = vec![0.5, 0.0, 1.0, 0.0, 0.0, 1.0, 1.0, 0.0];
    let records = |policy, rows: Vec<f64>, targets: usize| {
        Records::new(Logistic, bounds.clone(), policy, rows, vec![1.0; targets])
    };
    let clipped = records(OutOfBounds::Clip, rows.clone(), 2).unwrap();
    assert_eq!(clipped.features(), [0.5, 0.0, 1.0, 0.0, 1.0, 0.0, 0.5, 0.5, 0.0, 1.0]);
    let refused = records(OutOfBounds::Refuse, rows, 2).unwrap_err();
    assert_eq!(refused, DataError::FeaturesOutOfBounds { at: Place::Record(2) });
    assert_eq!(records(OutOfBounds::Clip, vec![0.0; 10], 2).unwrap_err(), DataError::Blocks);
    let problem = |dimension| crate::problem::Problem::new(Logistic, bounds.clone(), dimension, 1.0);
    assert!(problem(5).unwrap().bind(&clipped).is_ok());
    assert_eq!(problem(4).unwrap_err().field, "dimension");
    // The same norm without the shape is another promise.
    let norm = Bounds::new(bounds.feature_norm()).unwrap().with_intercept(true).unwrap();
    assert!(crate::problem::Problem::new(Logistic, norm, 5, 1.0).unwrap().bind(&clipped).is_err());
}

/// Two lines that are too short are not one record, and every record has its intercept. Seen red: the separators
/// between cells not looked at, an intercept of 0.
#[test]
fn a_record_is_one_line_and_has_its_intercept() {
    let read = |text: &str| {
        let bounds = bounds(1.0, 1.0, true);
        read_csv(text.as_bytes(), &CsvOptions::new("y"), Squared, bounds, OutOfBounds::Refuse)
    };
    for lines in ["1,0.1\n0.2\n", "1\n0.1,0.2\n", "1\n0.1\n0.2\n"] {
        assert!(read(&format!("y,a,b\n0,0.25,0.5\n{lines}")).is_err(), "{lines}");
    }
    let (records, _) = read("y,a,b\n0,0.25,0.5\n1,0.5,-0.5\n").unwrap();
    assert_eq!(records.features(), [0.25, 0.5, 1.0, 0.5, -0.5, 1.0]);
}
