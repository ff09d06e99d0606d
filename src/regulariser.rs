//! Λ from public numbers: the one with which a release is predicted to be worth most. spec: `own:auto-regulariser`

use asap_contracts::ChosenRegulariser;

/// The value is looked for among so many powers of two times the start.
const POWERS: core::ops::RangeInclusive<i32> = -10..=16;

/// A worth below this is not taken for the best there is before other values were tried.
const LOW: f64 = 0.3;

/// At last the neighbours of the best power are tried, which differ from it by this factor.
const NEIGHBOURS: f64 = core::f64::consts::SQRT_2;

/// The value with the largest worth: from the start, or the first larger value that has a worth, half or twice the
/// value as long as that is better; and then a neighbour, if half and twice of that are not better still. `None` if
/// there is no worth for any of them.
pub(crate) fn best(start: f64, worth: impl Fn(f64) -> Option<f64>) -> Option<f64> {
    let at = |value: f64| {
        let value = two_digits(value);
        worth(value).filter(|worth| !worth.is_nan()).map(|worth| (value, worth))
    };
    let better = |a: (f64, f64), b: Option<(f64, f64)>| b.filter(|b| b.1 > a.1);
    let mut best = (0..=*POWERS.end()).find_map(|power| at(start * 2.0_f64.powi(power)))?;
    let climbed = |from: (f64, f64), factor: f64| {
        let next = |it: &(f64, f64)| better(*it, at(factor * it.0)).filter(|it| inside(start, it.0));
        core::iter::successors(Some(from), next).last().unwrap_or(from)
    };
    let climb = |from: (f64, f64)| {
        let up = climbed(from, 2.0);
        if up == from { climbed(from, 0.5) } else { up }
    };
    best = climb(best);
    if best.1 < LOW {
        // There may be a second hill: every third power is tried.
        let others = POWERS.step_by(3).filter_map(|power| at(start * 2.0_f64.powi(power)));
        let highest = others.fold(best, |a, b| if b.1 > a.1 { b } else { a });
        best = climb(highest);
    }
    for factor in [1.0 / NEIGHBOURS, NEIGHBOURS] {
        if let Some(near) = better(best, at(best.0 * factor)) {
            let ends = [near.0 / 2.0, near.0 * 2.0].map(at);
            if ends.iter().all(|end| better(near, *end).is_none()) {
                return Some(near.0);
            }
        }
    }
    Some(best.0)
}

/// Whether a value is among those that are tried.
fn inside(start: f64, value: f64) -> bool {
    let power = (value / start).log2();
    (f64::from(*POWERS.start())..=f64::from(*POWERS.end())).contains(&power)
}

/// What a certificate says of the choice: what is missed with this value, and with half and twice as much. `None`
/// if another one would be better, so it was not chosen here.
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
