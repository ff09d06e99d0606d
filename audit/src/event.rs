//! Events: which sets of outcomes the auditor looks at, and how it chooses one without fooling itself.

use std::collections::HashSet;

/// A set of outcomes.
#[derive(Clone, Debug, PartialEq)]
pub enum Event {
    /// The statistic is at most this.
    AtMost(f64),
    /// The statistic is above this.
    Above(f64),
    /// The statistic is one of these values, given by their bits.
    Among(HashSet<u64>),
}

impl Event {
    /// Whether an outcome is in the set.
    pub fn contains(&self, outcome: f64) -> bool {
        match self {
            Self::AtMost(threshold) => outcome <= *threshold,
            Self::Above(threshold) => outcome > *threshold,
            Self::Among(values) => values.contains(&bits(outcome)),
        }
    }

    /// How often the outcomes are in the set.
    pub fn count(&self, outcomes: &[f64]) -> u64 {
        outcomes.iter().filter(|outcome| self.contains(**outcome)).count() as u64
    }
}

impl std::fmt::Display for Event {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::AtMost(threshold) => write!(f, "T <= {threshold:.6}"),
            Self::Above(threshold) => write!(f, "T > {threshold:.6}"),
            Self::Among(values) if values.len() == 1 => {
                write!(f, "T = {}", values.iter().map(|bits| f64::from_bits(*bits)).sum::<f64>())
            }
            Self::Among(values) => write!(f, "T in {} values", values.len()),
        }
    }
}

/// The bits of a number; the two zeros are one.
pub(crate) fn bits(outcome: f64) -> u64 {
    (outcome + 0.0).to_bits()
}

/// How many thresholds are tried at most.
const THRESHOLDS: usize = 1024;

/// Up to this many different outcomes each is an event of its own.
const ATOMS: usize = 64;

/// The events that outcomes on D and on D' suggest: thresholds, single atoms if there are few, and
/// the values that only one of the two has shown.
pub(crate) fn candidates(first: &[f64], second: &[f64]) -> Vec<Event> {
    let mut pooled: Vec<f64> = [first, second].concat();
    pooled.sort_by(f64::total_cmp);
    pooled.dedup();
    let stride = pooled.len().div_ceil(THRESHOLDS).max(1);
    // The widest gap first: it is where disjoint supports part, and of equal promises the first is taken.
    let thresholds = widest_gap(&pooled).into_iter().chain(pooled.iter().copied().step_by(stride));
    let mut events: Vec<Event> =
        thresholds.flat_map(|threshold| [Event::AtMost(threshold), Event::Above(threshold)]).collect();
    if pooled.len() <= ATOMS {
        events.extend(pooled.iter().map(|&atom| Event::Among(HashSet::from([bits(atom)]))));
    }
    let seen = |outcomes: &[f64]| -> HashSet<u64> { outcomes.iter().map(|&outcome| bits(outcome)).collect() };
    let (first, second) = (seen(first), seen(second));
    events.push(Event::Among(first.difference(&second).copied().collect()));
    events.push(Event::Among(second.difference(&first).copied().collect()));
    events
}

/// The middle of the widest gap between sorted outcomes.
fn widest_gap(sorted: &[f64]) -> Option<f64> {
    let widest = sorted.windows(2).max_by(|a, b| (a[1] - a[0]).total_cmp(&(b[1] - b[0])))?;
    Some(widest[0] + 0.5 * (widest[1] - widest[0]))
}
