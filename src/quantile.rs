//! A private quantile: one of the numbers that the caller offers, to choose a bound without looking.
//!
//! Algorithm (the exponential mechanism, McSherry and Talwar 2007): for the quantile a/b of n values, candidate c costs
//! |b·#{x ≤ c} − a·n|, a whole number. It is drawn with probability ∝ e^(−β·cost), β ≤ ε/2Δ, by rejection: draw a
//! candidate uniformly and keep it with probability e^(−β(cost − least cost)). spec: `own:quantile`

use crate::data::{DataError, Place};
use crate::error::Error;
use crate::input::InvalidInput;
use crate::noise::{RandomBits, bernoulli_exp, uniform_below};
use crate::privacy::{Epsilon, Guarantee, Neighbours};
use crate::score::{Promise, claims};
use asap_contracts::{ANSWER_SCHEMA, Answer, Answering, Question, Randomness, Statement};
use core::num::NonZeroU64;

/// Quantiles are fractions of a million: every one that is written with at most six digits is taken as it is.
const PARTS: u32 = 1_000_000;
/// ε is used in units of 2^−32, rounded down.
const UNITS: u32 = 32;
/// More of ε is not used: e^(−2^20) is not a probability that is ever seen.
const MOST_EPSILON: f64 = 1_048_576.0;
/// A person with more values is refused: no slope overflows.
const MOST_ROWS_PER_PERSON: u64 = 1000;
/// More values than this are refused. No exponent below overflows.
const MOST_VALUES: usize = 1 << 40;

/// Which quantile is asked for, and the public numbers of which one will be the answer. spec: `own:quantile`
///
/// ```
/// use asap_dp::ledger::Ledger;
/// use asap_dp::privacy::{Epsilon, Guarantee, Neighbours};
/// use asap_dp::quantile::Quantile;
/// let total = Guarantee::Pure(Epsilon::new(1.0)?);
/// let (_, [for_the_bound, for_the_fit]) = Ledger::split(total, [("bound", 1), ("fit", 9)])?;
/// # let values: Vec<f64> = (0..1000).map(|k| f64::from(k % 100)).collect();
/// let asked = Quantile::new(0.95, &[10.0, 20.0, 50.0, 100.0, 200.0])?;
/// let mut rng = asap_dp::SecureRng::new()?;
/// let answer = asked.release(&values, for_the_bound, Neighbours::AddRemove, &mut rng)?;
/// assert!(asked.candidates().contains(&answer.value));
/// # let _ = for_the_fit;
/// # Ok::<(), asap_dp::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Quantile {
    candidates: Vec<f64>,
    /// Of [`PARTS`], 0 and all of them excluded.
    part: u32,
}

/// A quantile that may be published. spec: `own:quantile`
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PrivateQuantile {
    /// One of the candidates.
    pub value: f64,
    /// What it has spent. Whatever else is released from the same records comes on top.
    pub spent: Guarantee,
    /// Where its random bits came from: with a known seed it is not private.
    pub randomness: Randomness,
}

impl Quantile {
    /// The quantile of level `q`, taken to six digits, among `candidates`. All of it is public.
    pub fn new(q: f64, candidates: &[f64]) -> Result<Self, InvalidInput> {
        let parts = f64::from(PARTS);
        let rounded = (q * parts).round();
        if !(rounded >= 1.0 && rounded <= parts - 1.0) {
            return Err(InvalidInput { field: "q", allowed: "a number from 0.000001 to 0.999999" });
        }
        let increasing = candidates.windows(2).all(|pair| pair[0] < pair[1]);
        if candidates.is_empty() || !increasing || !candidates.iter().all(|it| it.is_finite()) {
            let allowed = "at least one finite number, each larger than the one before";
            return Err(InvalidInput { field: "candidates", allowed });
        }
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "between 1 and PARTS − 1")]
        let part = rounded as u32;
        Ok(Self { candidates: candidates.to_vec(), part })
    }

    /// The public numbers of which one will be the answer.
    pub fn candidates(&self) -> &[f64] {
        &self.candidates
    }

    /// Draws the answer. It is ε-DP for the ε of the budget (a μ is converted), and with it μ-GDP. spec: `own:quantile`
    ///
    /// Values are refused if one of them is no finite number; that is told, as it is of records.
    pub fn release<R: RandomBits>(
        &self,
        values: &[f64],
        budget: Guarantee,
        neighbours: Neighbours,
        rng: &mut R,
    ) -> Result<PrivateQuantile, Error> {
        let (value, _) = self.drawn(values, &Promise::of_rows(budget, neighbours), rng)?;
        Ok(PrivateQuantile { value, spent: budget, randomness: R::PROVENANCE })
    }

    /// The same with its certificate. spec: `own:quantile`
    pub fn answer<R: RandomBits>(
        &self,
        values: &[f64],
        promise: &Promise,
        rng: &mut R,
    ) -> Result<Answer, Error> {
        let (value, statement) = self.drawn(values, promise, rng)?;
        let Answering::Exponential { units, per, .. } = statement.mechanism else {
            return Err(Error::Aborted);
        };
        let answer = Answer::new(Statement {
            mechanism: Answering::Exponential { units, per, value },
            randomness: R::PROVENANCE,
            ..statement
        });
        answer.check().map_err(Error::NotReleased)?;
        Ok(answer)
    }

    /// Refuses what [`Quantile::answer`] would refuse before it looks at a value.
    pub fn accepts(&self, promise: &Promise) -> Result<(), Error> {
        self.planned(promise).map(drop)
    }

    /// A slope, and the statement that the contracts accept.
    fn planned(&self, promise: &Promise) -> Result<(Slope, Statement), Error> {
        let rows = NonZeroU64::new(promise.rows_per_person).filter(|rows| rows.get() <= MOST_ROWS_PER_PERSON);
        let allowed = "a whole number from 1 to 1000 for a quantile";
        let rows = rows.ok_or(InvalidInput { field: "rows per person", allowed })?;
        let epsilon = promise.guarantee.as_pure()?;
        let slope = Slope::new(epsilon, self.sensitivity(promise.neighbours).saturating_mul(rows))?;
        let statement = self.statement(slope, promise, epsilon);
        Answer::new(statement.clone()).check()?;
        Ok((slope, statement))
    }

    /// A candidate, and the statement that was accepted before a bit was drawn.
    fn drawn<R: RandomBits>(
        &self,
        values: &[f64],
        promise: &Promise,
        rng: &mut R,
    ) -> Result<(f64, Statement), Error> {
        let (slope, statement) = self.planned(promise)?;
        admissible(values)?;
        let costs = self.costs(values);
        rng.begin()?;
        let value = draw(&self.candidates, &costs, slope, rng).ok_or(Error::Aborted)?;
        Ok((value, statement))
    }

    /// Refuses what [`Quantile::answer`] would refuse, and draws nothing: for a caller who enters the
    /// budget before it is spent.
    pub fn refuse(&self, values: &[f64], promise: &Promise) -> Result<(), Error> {
        self.planned(promise)?;
        admissible(values)
    }

    /// What will be stated, with the first candidate for an answer.
    fn statement(&self, slope: Slope, promise: &Promise, epsilon: Epsilon) -> Statement {
        let converted = matches!(promise.guarantee, Guarantee::Gaussian(_)).then_some(epsilon.get());
        let pages: &[&str] =
            if converted.is_some() { &["own:quantile", "lem:convert_pure_G_DP"] } else { &["own:quantile"] };
        Statement {
            schema: ANSWER_SCHEMA,
            crate_version: env!("CARGO_PKG_VERSION").to_owned(),
            neighbours: promise.neighbours,
            rows_per_person: promise.rows_per_person,
            guarantee: promise.stated_guarantee(),
            converted,
            question: Question::Quantile {
                millionths: self.part.into(),
                candidates: self.candidates.clone(),
            },
            mechanism: Answering::Exponential {
                units: slope.units,
                per: slope.per.get(),
                value: self.candidates.first().copied().unwrap_or_default(),
            },
            randomness: Randomness::Secure,
            claims: claims(pages),
        }
    }

    /// By how much one record changes a cost at most. spec: `own:quantile`
    fn sensitivity(&self, neighbours: Neighbours) -> NonZeroU64 {
        let most = match neighbours {
            Neighbours::AddRemove => self.part.max(PARTS - self.part),
            Neighbours::ReplaceOne => PARTS,
        };
        NonZeroU64::MIN.saturating_add(u64::from(most) - 1)
    }

    /// What each candidate costs. Private.
    fn costs(&self, values: &[f64]) -> Vec<u64> {
        // `found[k]`: how many values have exactly k candidates below them.
        let mut found = vec![0_u64; self.candidates.len() + 1];
        for value in values {
            found[self.candidates.partition_point(|candidate| candidate < value)] += 1;
        }
        let all = u64::from(self.part) * values.len() as u64;
        let mut not_above = 0;
        let counted = found.iter().take(self.candidates.len()).map(|count| {
            not_above += count;
            (u64::from(PARTS) * not_above).abs_diff(all)
        });
        counted.collect()
    }
}

/// Refuses values from which no quantile is drawn, before a bit is.
fn admissible(values: &[f64]) -> Result<(), Error> {
    if values.len() > MOST_VALUES {
        return Err(DataError::TooManyRows.into());
    }
    match values.iter().position(|value| !value.is_finite()) {
        Some(index) => Err(DataError::NotFinite { at: Place::Record(index.saturating_add(1)) }.into()),
        None => Ok(()),
    }
}

/// β = `units`/`per`: a cost of k more makes a candidate less likely by the factor e^(−βk). spec: `own:quantile`
#[derive(Clone, Copy, Debug, PartialEq)]
struct Slope {
    units: u64,
    per: NonZeroU64,
}

impl Slope {
    /// ε in units, rounded down, over twice the sensitivity.
    fn new(epsilon: Epsilon, sensitivity: NonZeroU64) -> Result<Self, InvalidInput> {
        // A product with a power of two is exact.
        let scaled = epsilon.get().min(MOST_EPSILON) * (1_u64 << UNITS) as f64;
        #[allow(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "the floor of at most 2^52"
        )]
        let units = scaled as u64;
        if units == 0 {
            return Err(InvalidInput { field: "epsilon", allowed: "at least 2^-32 for a quantile" });
        }
        // At most 2 · 2^32 · PARTS · MOST_ROWS_PER_PERSON < 2^63.
        Ok(Self { units, per: sensitivity.saturating_mul(NonZeroU64::MIN.saturating_add((2 << UNITS) - 1)) })
    }

    /// True with probability e^(−β·cost), exactly.
    fn keeps<R: RandomBits>(self, cost: u64, rng: &mut R) -> bool {
        // Below 2^52 · 2^60. The whole part is at most ε · 2n < 2^61: a cost is at most n · PARTS, a
        // sensitivity at least half of PARTS.
        let exponent = u128::from(self.units) * u128::from(cost);
        let per = u128::from(self.per.get());
        let (Ok(whole), Ok(rest)) = (u64::try_from(exponent / per), u64::try_from(exponent % per)) else {
            return false;
        };
        bernoulli_exp(whole, NonZeroU64::MIN, rng) && bernoulli_exp(rest, self.per, rng)
    }
}

/// One of the candidates, with probability ∝ e^(−β·cost). `None` if there is none.
fn draw<R: RandomBits>(candidates: &[f64], costs: &[u64], slope: Slope, rng: &mut R) -> Option<f64> {
    let least = costs.iter().min()?;
    let count = NonZeroU64::new(candidates.len() as u64)?;
    // The cheapest candidate is always kept: one attempt in `count` succeeds at least.
    loop {
        let index = usize::try_from(uniform_below(count, rng)).ok()?;
        let (candidate, cost) = (candidates.get(index)?, costs.get(index)?);
        if slope.keeps(cost - least, rng) {
            return Some(*candidate);
        }
    }
}

#[cfg(any(kani, test))]
#[path = "../proofs/quantile.rs"]
mod proofs;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::noise::ReplayRng;
    use crate::privacy::Mu;
    use quickcheck::quickcheck;

    const BOTH: [Neighbours; 2] = [Neighbours::AddRemove, Neighbours::ReplaceOne];

    fn pure(epsilon: f64) -> Guarantee {
        Guarantee::Pure(Epsilon::new(epsilon).unwrap())
    }

    fn asked(q: f64) -> Quantile {
        Quantile::new(q, &[-1.0, 0.0, 2.0, 3.5, 7.0]).unwrap()
    }

    #[test]
    fn costs_by_hand() {
        // Of 1, 2, 2, 9: 0, 0, 3, 3, 3 are at most the candidates; the quantile ¾ of 4 values is 3 of them.
        let million = u64::from(PARTS);
        let costs = asked(0.75).costs(&[2.0, 1.0, 9.0, 2.0]);
        assert_eq!(costs, [3 * million, 3 * million, 0, 0, 0]);
        assert_eq!(asked(0.1).costs(&[-0.0, 7.0, 7.1]), [300_000, 700_000, 700_000, 700_000, 1_700_000]);
        assert_eq!(asked(0.1).costs(&[]), [0; 5]);
    }

    #[test]
    fn what_is_no_quantile_is_refused() {
        for q in [0.0, 1.0, -0.5, 1.5, f64::NAN, f64::INFINITY, 4e-7] {
            assert_eq!(Quantile::new(q, &[1.0]).unwrap_err().field, "q");
        }
        for candidates in
            [&[][..], &[1.0, 1.0], &[2.0, 1.0], &[f64::NAN], &[1.0, f64::NAN], &[1.0, f64::INFINITY]]
        {
            assert_eq!(Quantile::new(0.5, candidates).unwrap_err().field, "candidates");
        }
        let refused = |values: &[f64], budget| {
            let outcome = asked(0.5).release(values, budget, Neighbours::AddRemove, &mut ReplayRng::new(1));
            outcome.unwrap_err().to_string()
        };
        assert_eq!(refused(&[4711.0, f64::NAN], pure(1.0)), "record 2: must be finite numbers");
        assert_eq!(refused(&[1.0], pure(1e-10)), "epsilon must be at least 2^-32 for a quantile");
    }

    #[test]
    fn a_large_budget_finds_the_quantile_and_a_known_seed_is_told() {
        let values: Vec<f64> = (0..1000).map(|k| f64::from(k) / 200.0).collect();
        for (budget, neighbours) in
            [(pure(1e300), BOTH[0]), (Guarantee::Gaussian(Mu::new(9.0).unwrap()), BOTH[1])]
        {
            let answer = asked(0.7).release(&values, budget, neighbours, &mut ReplayRng::new(1)).unwrap();
            assert_eq!(answer, PrivateQuantile { value: 3.5, spent: budget, randomness: Randomness::Replay });
        }
    }

    /// The slope is not above ε/2Δ: `units/(2^33·Δ) ≤ ε/2Δ` is `units ≤ ε·2^32`, compared exactly.
    #[test]
    fn epsilon_is_rounded_down() {
        let one = NonZeroU64::MIN;
        for epsilon in [2e-9, 0.1, 1.0, 1.0 + f64::EPSILON, 3.3, 1e9, f64::MAX] {
            let slope = Slope::new(Epsilon::new(epsilon).unwrap(), one).unwrap();
            assert_eq!(slope.per.get(), 1 << 33);
            assert!(slope.units as f64 <= epsilon * 4_294_967_296.0 && slope.units <= 1 << 52);
            assert!(epsilon > 1e6 || (slope.units + 1) as f64 > epsilon * 4_294_967_296.0);
        }
    }

    /// k values of a person move a cost by k times as much: β is a k-th, and the contracts refuse another one.
    /// Aimed at: a slope without k.
    #[test]
    fn a_person_with_several_values_costs_more() {
        let answer = |rows_per_person| {
            let promise = Promise { rows_per_person, ..Promise::of_rows(pure(1.0), BOTH[0]) };
            asked(0.5).answer(&[1.0, 2.0], &promise, &mut ReplayRng::new(1)).map(|answer| answer.statement)
        };
        let slope = |rows| match answer(rows).unwrap().mechanism {
            Answering::Exponential { units, per, .. } => units as f64 / per as f64,
            Answering::Cells { .. } => f64::NAN,
        };
        assert_eq!((slope(1), slope(1000)), (1e-6, 1e-9));
        for rows in [0, 1001, u64::MAX] {
            assert!(answer(rows).unwrap_err().to_string().starts_with("rows per person"));
        }
        let forged = Statement { rows_per_person: 2, ..answer(1).unwrap() };
        assert!(Answer::new(forged).check().is_err());
    }

    /// Whether no cost changes by more than `most` between neighbours.
    fn neighbours_agree(q: &Quantile, values: &[f64], other: f64, kind: Neighbours, most: u64) -> bool {
        let mut changed = values.to_vec();
        match kind {
            Neighbours::AddRemove => changed.push(other),
            Neighbours::ReplaceOne => changed.iter_mut().take(1).for_each(|first| *first = other),
        }
        let (before, after) = (q.costs(values), q.costs(&changed));
        before.iter().zip(after).all(|(before, after)| before.abs_diff(after) <= most)
    }

    quickcheck! {
        fn one_record_changes_no_cost_by_more_than_the_sensitivity(part: u32, values: Vec<i8>, other: i8) -> bool {
            let q = Quantile { part: part % (PARTS - 1) + 1, ..asked(0.5) };
            let values: Vec<f64> = values.into_iter().map(|value| f64::from(value) / 16.0).collect();
            BOTH.into_iter().all(|kind| {
                neighbours_agree(&q, &values, f64::from(other) / 16.0, kind, q.sensitivity(kind).get())
            })
        }
    }

    #[test]
    fn no_smaller_sensitivity_would_do() {
        for (part, kind) in [(0.9, BOTH[0]), (0.1, BOTH[0]), (0.5, BOTH[0]), (0.9, BOTH[1]), (0.1, BOTH[1])] {
            let q = asked(part);
            let most = q.sensitivity(kind).get() - 1;
            let seen = [-5.0, 9.0]
                .iter()
                .any(|&from| [-5.0, 9.0].iter().any(|&to| !neighbours_agree(&q, &[from; 9], to, kind, most)));
            assert!(seen, "{part} {kind:?}");
        }
    }
}
