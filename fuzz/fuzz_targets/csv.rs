//! Any bytes as a CSV file: records or an error, never a panic, and never a cell in an error's text.
#![no_main]

mod bytes;

use asap_dp::data::{
    Bounds, CsvOptions, OutOfBounds, Wanted, parse_number, read_csv, read_features, read_header, read_schema, sniff_separator,
};
use asap_dp::loss::{Huber, Logistic, Squared};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    bytes::count(data);
    let Some((&choice, text)) = data.split_first() else { return };
    let bounds = Bounds::new(2.0).and_then(|bounds| bounds.with_target(1.0)).and_then(|bounds| bounds.with_max_rows(40));
    let bounds = bounds.and_then(|bounds| bounds.with_intercept(choice & 1 == 1)).expect("valid bounds");
    let policy = if choice & 2 == 0 { OutOfBounds::Clip } else { OutOfBounds::Refuse };
    let features = (choice & 16 != 0).then(|| vec!["a".to_owned(), "b".to_owned()]);
    let separator = (choice & 32 != 0).then(|| text.first().copied().unwrap_or(b','));
    let target = if choice >> 6 == 1 { "classes = ['no', 'yes']" } else { "range = [-1, 1e300]" };
    let schema = format!(
        "columns.a = {{ range = [-1, 1e300], log = true, missing = 0 }}\ncolumns.b = {{ levels = ['x', 'y'], other = 'y' }}\n\
         target = {{ name = 'y', {target} }}"
    );
    let columns = match choice >> 2 & 3 {
        0 => Wanted::Schema(read_schema(&schema).expect("a schema")),
        _ => Wanted::Numbers { target: "y".to_owned(), features, person: None },
    };
    let options = CsvOptions { columns, separator };
    let outcome = match choice >> 6 {
        0 => read_csv(text, &options, Squared, bounds, policy).map(|(records, columns)| (records.dimension(), columns)),
        1 => read_csv(text, &options, Logistic, bounds, policy).map(|(records, columns)| (records.dimension(), columns)),
        _ => read_csv(text, &options, Huber::new(0.5).expect("positive"), bounds, policy)
            .map(|(records, columns)| (records.dimension(), columns)),
    };
    match outcome {
        Ok((dimension, columns)) => {
            assert_eq!(dimension, columns.parameters() + usize::from(choice & 1 == 1));
            let _ = read_features(text, &columns, separator);
        }
        Err(error) => assert!(!error.to_string().is_empty()),
    }
    let _ = (sniff_separator(text), parse_number(text), read_header(text, separator));
});
