//! Records as a caller sees them.
#![allow(clippy::unwrap_used)]

use asap_dp::data::{Bounds, DataError, OutOfBounds, Place, Records};
use asap_dp::loss::{Logistic, Squared};

const BOTH: [OutOfBounds; 2] = [OutOfBounds::Clip, OutOfBounds::Refuse];

fn bounds() -> Bounds {
    Bounds::new(5.0).unwrap()
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
        let records = Records::with_dimension(Logistic, with_intercept, policy, 3, vec![], vec![]).unwrap();
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
    assert_eq!(labels.unwrap_err(), DataError::TargetOutOfBounds { at: Place::Record(1) });
}

#[test]
fn more_rows_than_promised_are_refused() {
    let bounds = bounds().with_max_rows(2).unwrap();
    for policy in BOTH {
        let rows = |n| Records::new(Squared, bounds, policy, vec![0.0; n], vec![0.0; n]);
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
