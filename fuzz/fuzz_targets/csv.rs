//! Any bytes as a CSV file: records or an error, never a panic, and never a cell in an error's text.
#![no_main]

mod bytes;

use asap_dp::data::{
    Bounds, CsvOptions, Missing, OutOfBounds, Range, Ranges, parse_number, read_csv, read_features, read_header,
    sniff_separator,
};
use asap_dp::loss::{Huber, Logistic, Squared};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    bytes::count(data);
    let Some((&choice, text)) = data.split_first() else { return };
    let bounds = Bounds::new(2.0).and_then(|bounds| bounds.with_target(1.0)).and_then(|bounds| bounds.with_max_rows(40));
    let bounds = bounds.and_then(|bounds| bounds.with_intercept(choice & 1 == 1)).expect("valid bounds");
    let policy = if choice & 2 == 0 { OutOfBounds::Clip } else { OutOfBounds::Refuse };
    let missing = match choice >> 2 & 3 {
        0 => Missing::refuse(),
        1 => Missing::refuse().for_column("a", -1.0).expect("finite"),
        _ => Missing::value(0.5).expect("finite"),
    };
    let features = (choice & 16 != 0).then(|| vec!["a".to_owned(), "b".to_owned()]);
    let separator = (choice & 32 != 0).then(|| text.first().copied().unwrap_or(b','));
    // The length decides what no bit of the choice is left for.
    let ranges = match (text.len() % 2, Range::new(-1.0, 1e300)) {
        (1, Ok(range)) => Ranges::none().for_column("a", range),
        _ => Ranges::none(),
    };
    let rules = [None, Some(">=1"), Some("yes")];
    let positive = rules[text.len() % 3].filter(|_| choice >> 6 == 1).and_then(|rule| rule.parse().ok());
    let options = CsvOptions { target: "y".to_owned(), features, separator, missing, ranges, positive };
    let outcome = match choice >> 6 {
        0 => read_csv(text, &options, Squared, bounds, policy).map(|(records, columns)| (records.dimension(), columns)),
        1 => read_csv(text, &options, Logistic, bounds, policy).map(|(records, columns)| (records.dimension(), columns)),
        _ => read_csv(text, &options, Huber::new(0.5).expect("positive"), bounds, policy)
            .map(|(records, columns)| (records.dimension(), columns)),
    };
    match outcome {
        Ok((dimension, columns)) => {
            assert_eq!(dimension, columns.features.len() + usize::from(choice & 1 == 1));
            let _ = read_features(text, &columns.features, separator);
        }
        Err(error) => assert!(!error.to_string().is_empty()),
    }
    let _ = (sniff_separator(text), parse_number(text), read_header(text, separator));
});
