//! Records and CSV files as a caller sees them.
#![allow(clippy::unwrap_used)]

use asap_dp::data::{Bounds, CsvOptions, DataError, OutOfBounds, Place, Records, Refusal, Schema};
use asap_dp::data::{read_csv, read_csv_path, read_features};
use asap_dp::loss::{Logistic, Squared};
use quickcheck::quickcheck;
use std::io::{self, Read};

const BOTH: [OutOfBounds; 2] = [OutOfBounds::Clip, OutOfBounds::Refuse];

fn bounds() -> Bounds {
    Bounds::new(5.0).unwrap().with_target(1.0).unwrap()
}

fn error_of(policy: OutOfBounds, features: &[f64], targets: &[f64]) -> DataError {
    Records::new(Squared, bounds(), policy, features.to_vec(), targets.to_vec()).unwrap_err()
}

#[test]
fn shapes_that_do_not_fit_are_refused() {
    for policy in BOTH {
        assert_eq!(error_of(policy, &[1.0, 2.0, 3.0], &[0.0, 0.0]), DataError::Shape);
        assert_eq!(error_of(policy, &[], &[]), DataError::Shape);
        assert_eq!(error_of(policy, &[1.0], &[]), DataError::Shape);
        assert_eq!(error_of(policy, &[], &[0.0]), DataError::Columns);
        let records = |d| Records::with_dimension(Squared, bounds(), policy, d, vec![], vec![]);
        assert_eq!(records(0).unwrap_err(), DataError::Columns);
        assert_eq!(records(Bounds::MAX_DIMENSION + 1).unwrap_err(), DataError::Columns);
        assert_eq!(records(usize::MAX).unwrap_err(), DataError::Columns);
        assert_eq!(records(Bounds::MAX_DIMENSION).unwrap().dimension(), Bounds::MAX_DIMENSION);
        let overflow =
            Records::with_dimension(Squared, bounds(), policy, usize::MAX, vec![1.0], vec![0.0, 0.0]);
        assert_eq!(overflow.unwrap_err(), DataError::Shape);
    }
}

#[test]
fn no_rows_are_a_data_set() {
    let with_intercept = bounds().with_intercept(true).unwrap();
    for policy in BOTH {
        let records =
            Records::with_dimension(Logistic, with_intercept.clone(), policy, 3, vec![], vec![]).unwrap();
        assert_eq!(records.dimension(), 4);
    }
}

#[test]
fn what_is_not_finite_is_refused_by_both_policies() {
    for policy in BOTH {
        for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            let error = DataError::NotFinite { at: Place::Record(2) };
            assert_eq!(error_of(policy, &[1.0, bad], &[0.0, 0.0]), error);
            assert_eq!(error_of(policy, &[1.0, 1.0], &[0.0, bad]), error);
        }
    }
}

#[test]
fn refusal_names_the_record() {
    let (features, targets) = ([3.0, 4.0, 3.0, 4.1], [1.0, 1.0]);
    let error = error_of(OutOfBounds::Refuse, &features, &targets);
    assert_eq!(error, DataError::FeaturesOutOfBounds { at: Place::Record(2) });
    assert!(error.to_string().starts_with("record 2: "), "{error}");
    let error = error_of(OutOfBounds::Refuse, &[1.0, 1.0], &[-1.0, 1.01]);
    assert_eq!(error, DataError::TargetOutOfBounds { at: Place::Record(2) });
    let labels = Records::new(Logistic, bounds(), OutOfBounds::Refuse, vec![1.0], vec![2.0]);
    assert_eq!(labels.unwrap_err(), DataError::NotAClass { at: Place::Record(1) });
}

#[test]
fn more_rows_than_promised_are_refused() {
    let bounds = bounds().with_max_rows(2).unwrap();
    for policy in BOTH {
        let rows = |n| Records::new(Squared, bounds.clone(), policy, vec![0.0; n], vec![0.0; n]);
        assert!(rows(2).is_ok());
        assert_eq!(rows(3).unwrap_err(), DataError::TooManyRows);
    }
}

#[test]
fn debug_shows_the_public_part_only() {
    let records =
        Records::new(Squared, bounds(), OutOfBounds::Clip, vec![0.773_125; 3], vec![0.773_125; 3]).unwrap();
    let text = format!("{records:?}");
    assert!(text.contains("feature_norm: 5.0") && text.contains("dimension: 1"), "{text}");
    assert!(!text.contains("7731") && !text.contains('3'), "{text}");
}

/// What stands in the cells and must stand in no error, as text and as a number.
const CANARY: &str = "SECRET7731";
const CANARY_NUMBER: &str = "7731.25";

/// Fails unless the error keeps the canaries to itself.
fn silent(error: DataError) -> DataError {
    for text in [error.to_string(), format!("{error:?}")] {
        assert!(!text.contains("7731") && !text.contains("SECRET"), "{text}");
    }
    error
}

fn read_with(reader: impl Read, options: &CsvOptions) -> Result<Schema, DataError> {
    let bounds = Bounds::new(5.0).unwrap().with_target(1e4).unwrap().with_max_rows(1000).unwrap();
    read_csv(reader, options, Squared, bounds, OutOfBounds::Refuse).map(|read| read.1).map_err(silent)
}

/// Reads all columns with the target `y`.
fn read(text: impl AsRef<[u8]>) -> Result<Schema, DataError> {
    read_with(text.as_ref(), &CsvOptions::new("y"))
}

/// The values below the columns `a` and `y`.
fn values(text: impl AsRef<[u8]>) -> Result<Vec<f64>, DataError> {
    let names = Schema::plain(["a".to_owned(), "y".into()], "t");
    read_features(text.as_ref(), &Schema { ignored: vec!["ignored, \"text\"".into()], ..names }, None)
}

#[test]
fn usual_files_are_read() {
    let expected = Ok(vec![1.5, -2.0, 3e-4, 4.0]);
    for text in [
        "a,y\n1.5,-2\n3e-4,4\n",
        "a;y\n1.5;-2\n3e-4;4",
        "a\ty\r\n1.5\t-2\r\n3e-4\t4\r\n",
        "a|y\r1.5|-2\r3e-4|4\r",
        "\u{feff}a,y\n1.5,-2\n3e-4,4\n",
        "\u{feff}\"a\",\"y\"\r\n\"1.5\",\"-2\"\r\n\" 3e-4\",\"4\"",
        "\n\r\n a , y \n\n 1.5 ,-2\t\n\n\n3e-4,  4\n\n",
        "y,\"ignored, \"\"text\"\"\",a\n-2,\"x\ny\",1.5\n4,,3e-4\n",
    ] {
        assert_eq!(values(text), expected, "{text:?}");
    }
}

#[test]
fn columns_are_the_header_without_the_target_or_those_asked_for() {
    let all = read("b,y,a\n1,1,1\n").unwrap();
    assert_eq!(
        (all.parameter_names(), all.target.name),
        (vec!["b".to_string(), "a".into()], "y".to_string())
    );
    let options =
        |features: &[&str]| CsvOptions::of_numbers("y", features.iter().map(|f| (*f).into()).collect());
    let text = format!(",b,y,a,{CANARY}\n{CANARY},1,1,2,\n");
    assert_eq!(read_with(text.as_bytes(), &options(&["a", "b"])).unwrap().parameter_names(), ["a", "b"]);
    let error = |features| read_with(text.as_bytes(), &options(features)).unwrap_err();
    assert_eq!(error(&["a", "z"]), DataError::UnknownFeature { feature: "z".into() });
    assert_eq!(error(&["a", ""]), DataError::UnknownFeature { feature: String::new() });
    assert_eq!(error(&["a", "a"]), DataError::DuplicateColumn { column: "a".into() });
    assert_eq!(error(&["a", "y"]), DataError::TargetIsFeature { target: "y".into() });
    assert_eq!(error(&[]), DataError::Columns);
}

#[test]
fn separators_are_given_or_guessed() {
    let with = |text: &str, separator| {
        read_with(text.as_bytes(), &CsvOptions { separator, ..CsvOptions::new("y") })
            .map(|read| read.parameter_names())
    };
    assert_eq!(with("a,b;c,y\n1,2,3\n", None).unwrap(), ["a", "b;c"]);
    assert_eq!(with("a,b;y\n1;3\n", Some(b';')).unwrap(), ["a,b"]);
    assert_eq!(with("a y\n1 3\n", Some(b' ')).unwrap(), ["a"]);
    for bad in *b"\"\r\n1e.+-\xe4" {
        assert_eq!(with("a,y\n", Some(bad)), Err(DataError::Separator));
    }
}

#[test]
fn files_without_rows_are_data_sets_and_files_without_anything_are_not() {
    assert_eq!(read("a,y").unwrap().parameter_names(), ["a"]);
    assert_eq!(values("a,y\r\n\r\n"), Ok(vec![]));
    for empty in ["", "\n", "\r\n\r\n", "\u{feff}", "\u{feff}\n"] {
        assert_eq!(read(empty), Err(DataError::Empty), "{empty:?}");
    }
}

#[test]
fn headers_are_checked_and_records_do_not_pass_for_one() {
    let error = read("b,a\n1,2\n").unwrap_err();
    assert_eq!(error.to_string(), "target `y` is not a column; there are: `b`, `a`");
    let many: Vec<String> = (0..500).map(|k| format!("c{k}")).collect();
    let error = read(many.join(",")).unwrap_err().to_string();
    assert!(error.ends_with("`c19` and 480 more"), "{error}");
    assert_eq!(read("a,b,a,y\n"), Err(DataError::SameName { first: 1, second: 3 }));
    // Not by name: without a header these would be the cells of a record. Red where the name was shown.
    let twice = read("Smith,ill,Smith\n").unwrap_err();
    assert!(!twice.to_string().contains("Smith"), "{twice}");
    assert_eq!(read("a,,y\n1,2,3\n"), Err(DataError::UnnamedColumn { position: 2 }));
    assert_eq!(read("y\n1\n"), Err(DataError::Columns));
    // The first line is a record: its cells are nobody's business.
    for record in [
        "7731,1,2",
        "SECRET7731,SECRET7731,1",
        "SECRET7731,1,2",
        "SECRET7731,1,1",
        "7731.25,7731.25,x",
        "nan,SECRET7731,b",
    ] {
        assert_eq!(read(format!("{record}\n1,2,3\n")), Err(DataError::HeaderMissing), "{record}");
    }
}

#[test]
fn cells_that_are_no_numbers_are_named_by_line_and_column() {
    for cell in
        [CANARY, "", " ", "\"7731,25\"", "7731e999", "nan", "NaN", "inf", "-infinity", "7731.25x", "\"a\nb\""]
    {
        let at = |line, column: &str| {
            Err(DataError::Cell { at: Place::Line(line), column: column.into(), why: Refusal::NotANumber })
        };
        assert_eq!(read(format!("a,y\n1,2\n{cell},2\n")), at(3, "a"), "{cell}");
        assert_eq!(read(format!("a,y\r\n\r\n1,2\r\n1,{cell}")), at(4, "y"), "{cell}");
        assert_eq!(read(format!("\"a\n\n\",y\r1,2\r1,{cell}")), at(5, "y"), "{cell}");
    }
    // A decimal comma between semicolons.
    assert_eq!(
        read("a;y\n1;2,5\n"),
        Err(DataError::Cell { at: Place::Line(2), column: "y".into(), why: Refusal::NotANumber })
    );
    let error = read(format!("a,y\n{CANARY},1\n")).unwrap_err().to_string();
    let allowed = "must be a finite number, written like -12.5 or 3e-4; texts are declared as levels";
    assert_eq!(error, format!("line 2, column `a`: {allowed}"));
}

#[test]
fn broken_records_are_named_by_line() {
    let ragged = |line, found| Err(DataError::Ragged { line, expected: 2, found });
    assert_eq!(read(format!("a,y\n1,2\n{CANARY}\n")), ragged(3, 1));
    assert_eq!(read(format!("a,y\n{CANARY},1,5,\n")), ragged(2, 4));
    assert_eq!(read(format!("a,y\n1,2\n \n1,{CANARY}")), ragged(3, 1));
    assert_eq!(read(format!("a,y\n1,\"{CANARY}\n1,2\n")), Err(DataError::QuoteNotClosed { line: 2 }));
    assert_eq!(read(format!("a,y\n1,{CANARY}\"\n")), Err(DataError::StrayQuote { line: 2 }));
    assert_eq!(read(format!("a,y\n1,\"1\"{CANARY}\n")), Err(DataError::StrayQuote { line: 2 }));
    let latin = [b"a,y\n1,2\n1,", CANARY.as_bytes(), b"\xe4\n"].concat();
    assert_eq!(read(latin), Err(DataError::NotUtf8 { line: 3 }));
    // UTF-16 with its byte order mark, and a file that is no text at all.
    assert_eq!(read(b"\xff\xfea\0,\0y\0\n\0"), Err(DataError::NotUtf8 { line: 1 }));
    assert_eq!(read(b"\0\0\0"), read("\0\0\0"));
}

#[test]
fn records_out_of_bounds_are_named_by_line() {
    let place = Place::Line(3);
    let features = read(format!("a,y\n\n{CANARY_NUMBER},1\n")).unwrap_err();
    assert_eq!(features, DataError::FeaturesOutOfBounds { at: place });
    assert!(features.to_string().starts_with("line 3: "));
    assert_eq!(read("a,y\n1,2\n1,7731e3\n"), Err(DataError::TargetOutOfBounds { at: place }));
    let rows = "1,2\n".repeat(1000);
    assert!(read(format!("a,y\n{rows}")).is_ok());
    assert_eq!(read(format!("a,y\n{rows}1,{CANARY_NUMBER}")), Err(DataError::TooManyRows));
}

/// Hands out one byte at a time, with interruptions, and fails at the end if told so.
struct Slow<'a>(&'a [u8], bool, Option<io::ErrorKind>);

impl Read for Slow<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.1 = !self.1;
        match self.2 {
            _ if self.1 => Err(io::ErrorKind::Interrupted.into()),
            Some(kind) if self.0.is_empty() => Err(io::Error::new(kind, CANARY)),
            _ => self.0.read(&mut buffer[..1]),
        }
    }
}

#[test]
fn readers_may_be_slow_and_may_fail() {
    let text = "\u{feff}a;y\r\n1;\"2\"\r\n";
    assert!(read_with(Slow(text.as_bytes(), false, None), &CsvOptions::new("y")).is_ok());
    let kind = io::ErrorKind::BrokenPipe;
    let failing = Slow(text.as_bytes(), false, Some(kind));
    assert_eq!(read_with(failing, &CsvOptions::new("y")), Err(DataError::Unreadable { kind }));
    let path = |path: &str| {
        let bounds = Bounds::new(1.0).unwrap().with_target(1.0).unwrap();
        read_csv_path(path, &CsvOptions::new("y"), Squared, bounds, OutOfBounds::Clip).unwrap_err()
    };
    assert_eq!(path("no/such/file.csv"), DataError::Unreadable { kind: io::ErrorKind::NotFound });
    assert!(matches!(path(env!("CARGO_MANIFEST_DIR")), DataError::Unreadable { .. }));
}

#[test]
fn a_file_is_read_only_as_far_as_needed() {
    struct Forever;
    impl Read for Forever {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            let row = b"1,2\n";
            let rows = buffer.chunks_exact_mut(row.len()).map(|place| place.copy_from_slice(row)).count();
            Ok(rows * row.len())
        }
    }
    let endless = "a,y\n".as_bytes().chain(Forever);
    assert_eq!(read_with(endless, &CsvOptions::new("y")), Err(DataError::TooManyRows));
}

#[test]
fn long_cells_and_wide_files_are_read() {
    let zeros = "0".repeat(1 << 20);
    assert_eq!(values(format!("a,y\n1.{zeros},{zeros}3\n")), Ok(vec![1.0, 3.0]));
    let long = CANARY.repeat(100_000);
    assert_eq!(
        read(format!("a,y\n{long},1")),
        Err(DataError::Cell { at: Place::Line(2), column: "a".into(), why: Refusal::NotANumber })
    );

    let wide = |columns: usize| {
        let names: Vec<String> = (0..columns).map(|k| format!("c{k}")).collect();
        read(format!("{},y\n{}1\n", names.join(","), "1e-9,".repeat(columns)))
    };
    assert_eq!(wide(100_000).unwrap().features.len(), 100_000);
    assert_eq!(wide(Bounds::MAX_DIMENSION + 1), Err(DataError::Columns));
}

quickcheck! {
    fn arbitrary_bytes_do_no_harm(bytes: Vec<u8>) -> bool {
        let _ = read(&bytes);
        let _ = read([b"a,y\n".as_slice(), &bytes].concat());
        true
    }

    // The canary in every place that structure can make: `silent` looks at each error.
    fn no_error_shows_a_cell(pieces: Vec<u8>) -> bool {
        const PIECES: [&str; 12] =
            [CANARY, CANARY_NUMBER, "1", ",", ",", ",", "\n", "\n", "\r\n", "\"", "\"\"", "é"];
        let rows: String = pieces.iter().map(|k| PIECES[usize::from(*k) % PIECES.len()]).collect();
        let _ = read(format!("a,y\n{rows}"));
        let _ = read(format!("{CANARY_NUMBER},a\n{rows}"));
        true
    }
}
