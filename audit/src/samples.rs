//! Outcomes of a mechanism on two neighbouring data sets, and the confidence bounds that they give.

use super::binomial::{lower_bound, upper_bound};
use super::event::{Event, bits, candidates};
use asap_dp::error::Error;
use asap_dp::input::InvalidInput;
use rayon::prelude::*;
use std::collections::HashSet;

/// Outcomes of independent runs on D and on D', equally many. The order is that of the runs.
#[derive(Clone, Debug)]
pub struct Samples {
    first: Vec<f64>,
    second: Vec<f64>,
}

/// A lower confidence bound of a privacy parameter.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct Bound {
    /// What the parameter exceeds with the stated confidence; 0 if the runs show nothing.
    pub lower: f64,
    /// ∞ (no overlap observed): among the runs that had no part in its choice, the event held in **all** on one data
    /// set and in none on the other; or it is a set of values that holds nine tenths of them, and the two data sets
    /// have no value in common. `lower` is then what so many runs can certify; it grows with their logarithm.
    pub no_overlap: bool,
    /// The event, as text.
    pub event: String,
    /// The data set under which the event is the likelier one.
    pub likelier_on: &'static str,
    /// Upper confidence bounds of (type I error, type II error) of the test of D against D' that rejects D on the
    /// event, or on its complement if the event is likelier on D.
    pub errors: [f64; 2],
}

/// Runs of one data set: to find events, to choose among them, to bound the chosen one.
struct Parts<'a> {
    find: &'a [f64],
    choose: &'a [f64],
    bound: &'a [f64],
}

impl<'a> Parts<'a> {
    fn of(outcomes: &'a [f64]) -> Self {
        let tenth = outcomes.len() / 10;
        let (find, rest) = outcomes.split_at(tenth);
        let (choose, bound) = rest.split_at(tenth);
        Self { find, choose, bound }
    }
}

/// An event with the data set on which it is the likelier one: that data set's runs come first.
struct Chosen {
    event: Event,
    swapped: bool,
}

impl Samples {
    /// At least this many runs on each data set: fewer say nothing.
    pub const LEAST_RUNS: usize = 100;

    /// Outcomes that were drawn elsewhere.
    pub fn new(first: Vec<f64>, second: Vec<f64>) -> Result<Self, InvalidInput> {
        if first.len() == second.len() && first.len() >= Self::LEAST_RUNS {
            Ok(Self { first, second })
        } else {
            Err(InvalidInput { field: "runs", allowed: "at least 100, equally many on both data sets" })
        }
    }

    /// Runs two mechanisms in parallel. A run knows its index only, so the outcomes do not depend
    /// on the number of threads.
    pub fn draw(
        runs: u64,
        first: impl Fn(u64) -> Result<f64, Error> + Sync + Send,
        second: impl Fn(u64) -> Result<f64, Error> + Sync + Send,
    ) -> Result<Self, Error> {
        let first = (0..runs).into_par_iter().map(first).collect::<Result<Vec<f64>, Error>>()?;
        let second = (0..runs).into_par_iter().map(second).collect::<Result<Vec<f64>, Error>>()?;
        Ok(Self::new(first, second)?)
    }

    /// The same for runs that give several numbers each: samples of each number.
    pub fn draw_each(
        runs: u64,
        numbers: usize,
        first: impl Fn(u64) -> Result<Vec<f64>, Error> + Sync + Send,
        second: impl Fn(u64) -> Result<Vec<f64>, Error> + Sync + Send,
    ) -> Result<Vec<Self>, Error> {
        let first = (0..runs).into_par_iter().map(first).collect::<Result<Vec<Vec<f64>>, Error>>()?;
        let second = (0..runs).into_par_iter().map(second).collect::<Result<Vec<Vec<f64>>, Error>>()?;
        let column = |of: &[Vec<f64>], k: usize| {
            of.iter().map(|run| run.get(k).copied().unwrap_or(f64::NAN)).collect::<Vec<f64>>()
        };
        (0..numbers).map(|k| Ok(Self::new(column(&first, k), column(&second, k))?)).collect()
    }

    /// ε is above `lower` with confidence 1 − `alpha`. spec: `own:audit`
    pub fn epsilon(&self, alpha: f64) -> Bound {
        self.bound(0.5 * alpha, |p, q| if p > 0.0 { (p / q).ln() } else { f64::NEG_INFINITY })
    }

    /// μ is above `lower` with confidence 1 − `alpha`. spec: `own:audit`
    pub fn mu(&self, alpha: f64) -> Bound {
        self.bound(0.5 * alpha, |p, q| -normal_quantile(q) - normal_quantile(1.0 - p))
    }

    /// Chooses an event on a fifth of the runs and bounds its probabilities on the others, each at `level`.
    /// `value(p, q)` is the parameter that an event shows which has at least p on one data set
    /// and at most q on the other.
    fn bound(&self, level: f64, value: impl Fn(f64, f64) -> f64) -> Bound {
        let (first, second) = (Parts::of(&self.first), Parts::of(&self.second));
        let chosen = choose(&first, &second, normal_quantile(1.0 - level), &value);
        let (likely, unlikely) = if chosen.swapped { (&second, &first) } else { (&first, &second) };
        let runs = likely.bound.len() as u64;
        let (hits, misses) = (chosen.event.count(likely.bound), chosen.event.count(unlikely.bound));
        let (p_low, q_up) = (lower_bound(hits, runs, level), upper_bound(misses, runs, level));
        let all = hits == runs
            || (matches!(chosen.event, Event::Among(_))
                && 10 * hits >= 9 * runs
                && share_no_value(likely.bound, unlikely.bound));
        Bound {
            lower: value(p_low, q_up).max(0.0),
            no_overlap: all && misses == 0,
            event: chosen.event.to_string(),
            likelier_on: if chosen.swapped { "D'" } else { "D" },
            errors: if chosen.swapped { [q_up, 1.0 - p_low] } else { [1.0 - p_low, q_up] },
        }
    }

    /// Empirical (type I, type II) errors of the tests "T > t" of D against D', from (0, 1) to (1, 0).
    pub fn curve(&self, points: usize) -> Vec<[f64; 2]> {
        self.shifted_curve(points, 0.0)
    }

    /// The same with both errors enlarged by the Dvoretzky–Kiefer–Wolfowitz–Massart band: with confidence
    /// 1 − `alpha` the true trade-off curve is nowhere above any of these points.
    pub fn curve_above(&self, points: usize, alpha: f64) -> Vec<[f64; 2]> {
        let width = ((4.0 / alpha).ln() / (2.0 * self.first.len() as f64)).sqrt();
        self.shifted_curve(points, width)
    }

    fn shifted_curve(&self, points: usize, width: f64) -> Vec<[f64; 2]> {
        let (first, second) = (sorted(&self.first), sorted(&self.second));
        let mut pooled = sorted(&[first.as_slice(), second.as_slice()].concat());
        pooled.dedup();
        let stride = pooled.len().div_ceil(points.max(2)).max(1);
        let share = |sorted: &[f64], t: f64| sorted.partition_point(|x| *x <= t) as f64 / sorted.len() as f64;
        let at = |&t: &f64| [1.0 - share(&first, t), share(&second, t)].map(|error| (error + width).min(1.0));
        let mut curve: Vec<[f64; 2]> = pooled.iter().step_by(stride).map(at).collect();
        curve.reverse();
        curve
    }
}

/// The event that promises most. Whatever is chosen, the bound is valid: it is computed on other runs.
///
/// Each share of the choosing runs is moved by two deviations, so that chance does not win, and then by the z
/// deviations that the bound is going to lose.
fn choose(first: &Parts<'_>, second: &Parts<'_>, z: f64, value: impl Fn(f64, f64) -> f64) -> Chosen {
    let up = |share: f64, n: f64, z: f64| {
        (share + z * (share * (1.0 - share) / n).sqrt() + 0.5 * z * z / n).min(1.0)
    };
    let (a, b) = (sorted(first.choose), sorted(second.choose));
    let (chosen, bounding) = (a.len() as f64, first.bound.len() as f64);
    let moved = |share: f64| up(up(share, chosen, 2.0), bounding, z);
    let promise = |p: f64, q: f64| value(1.0 - moved(1.0 - p), moved(q));
    let mut best = f64::NEG_INFINITY;
    let mut choice = Chosen { event: Event::AtMost(f64::INFINITY), swapped: false };
    for event in candidates(first.find, second.find) {
        let (p, q) = (share(&event, &a), share(&event, &b));
        for (promised, swapped) in [(promise(p, q), false), (promise(q, p), true)] {
            if promised > best {
                best = promised;
                choice = Chosen { event: event.clone(), swapped };
            }
        }
    }
    choice
}

/// The share of sorted outcomes that are in the event.
fn share(event: &Event, sorted: &[f64]) -> f64 {
    let below = |t: f64| sorted.partition_point(|x| *x <= t) as f64;
    let count = match event {
        Event::AtMost(t) => below(*t),
        Event::Above(t) => sorted.len() as f64 - below(*t),
        Event::Among(_) => event.count(sorted) as f64,
    };
    count / sorted.len().max(1) as f64
}

fn sorted(outcomes: &[f64]) -> Vec<f64> {
    let mut sorted = outcomes.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted
}

/// Whether no outcome of the one occurs in the other.
fn share_no_value(a: &[f64], b: &[f64]) -> bool {
    let values: HashSet<u64> = a.iter().map(|x| bits(*x)).collect();
    b.iter().all(|x| !values.contains(&bits(*x)))
}

/// Φ, by libm's complement of the error function.
pub(crate) fn normal_cdf(x: f64) -> f64 {
    0.5 * libm::erfc(-x * core::f64::consts::FRAC_1_SQRT_2)
}

/// Φ⁻¹ by bisection; ±∞ at 1 and 0 (and beyond).
pub(crate) fn normal_quantile(p: f64) -> f64 {
    if p <= 0.0 {
        return f64::NEG_INFINITY;
    }
    if p >= 1.0 {
        return f64::INFINITY;
    }
    let (mut low, mut high) = (-40.0, 40.0);
    for _ in 0..80 {
        let middle = 0.5 * (low + high);
        if normal_cdf(middle) < p { low = middle } else { high = middle }
    }
    0.5 * (low + high)
}
