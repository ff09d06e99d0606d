//! Λ from public numbers: the one with which a release is predicted to be worth most. spec: `own:auto-regulariser`

use asap_contracts::ChosenRegulariser;

/// The first values are so many powers of two around the start.
const POWERS: core::ops::RangeInclusive<i32> = -6..=12;

/// Two values that are neighbours, of those that are tried at last, differ by this factor.
const NEIGHBOURS: f64 = core::f64::consts::SQRT_2;

/// The value with the largest worth: among powers of two times the start, and then among its neighbours. `None` if there is no worth
/// for any of them.
pub(crate) fn best(start: f64, worth: impl Fn(f64) -> Option<f64>) -> Option<f64> {
    let at = |value: f64| worth(value).filter(|worth| !worth.is_nan()).map(|worth| (value, worth));
    let larger = |a: (f64, f64), b: (f64, f64)| if b.1 > a.1 { b } else { a };
    let coarse = POWERS.filter_map(|power| at(two_digits(start * 2.0_f64.powi(power)))).reduce(larger)?;
    let near = [coarse.0 / NEIGHBOURS, coarse.0 * NEIGHBOURS];
    let mut best = near.into_iter().filter_map(|value| at(two_digits(value))).fold(coarse, larger);
    // Nothing is better at half or at twice the value.
    for _ in POWERS {
        let next = [best.0 / 2.0, best.0 * 2.0].into_iter().filter_map(at).fold(best, larger);
        if next == best {
            break;
        }
        best = next;
    }
    Some(best.0)
}

/// What a certificate says of the choice: what is missed with this value, and with half and twice as much. `None` if another one
/// would be better, so that it was not chosen here.
pub(crate) fn recorded(value: f64, missed: impl Fn(f64) -> Option<f64>) -> Option<ChosenRegulariser> {
    let own = missed(value)?;
    let [half, twice] = [missed(value / 2.0), missed(value * 2.0)];
    let least = [half, twice].into_iter().flatten().all(|other| own <= other);
    least.then_some(ChosenRegulariser { missed: own, with_half: half, with_twice: twice })
}

/// The nearest number of two digits, which is easier to read and as good.
fn two_digits(value: f64) -> f64 {
    if !(value.is_finite() && value > 0.0) {
        return value;
    }
    format!("{value:.1e}").parse().unwrap_or(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_best_of_all_values_is_found() {
        for top in [0.03, 0.5, 1.0, 7.7, 300.0] {
            let worth = |value: f64| Some(-(value / top).ln().abs());
            let found = best(1.0, worth).unwrap();
            assert!((found / top).ln().abs() < 0.36, "{found} for {top}");
            let missed = recorded(found, |value| worth(value).map(|worth| -worth)).unwrap();
            assert!(missed.missed <= missed.with_half.unwrap().min(missed.with_twice.unwrap()));
            assert!(recorded(4.0 * top, |value| worth(value).map(|worth| -worth)).is_none());
        }
        assert_eq!(best(1.0, |_| None), None);
        assert_eq!(best(1.0, |value| Some(if value > 1.0 { f64::NAN } else { value })), Some(1.0));
        assert_eq!(two_digits(12.34), 12.0);
        assert_eq!(two_digits(0.000_456), 0.000_46);
    }
}
