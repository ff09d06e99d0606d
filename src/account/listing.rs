//! The readable listing of a ledger.

use super::content::{Content, Started};
use super::sum::Sum;
use super::{Protected, Purpose, counted};
use crate::exact::step_until;
use crate::privacy::{Guarantee, Neighbours};
use serde::Serialize;
use std::num::NonZeroU64;

/// A ledger: its entries, and what they come to.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Listing {
    /// The name of the data set, if it was said.
    pub dataset: Option<String>,
    /// What all entries together may spend.
    pub total: Guarantee,
    /// Which data sets count as neighbours.
    pub neighbours: Neighbours,
    /// Whom the total protects.
    pub unit: Protected,
    /// What is spent, of the kind of the total: the least f64 that is not below the exact value.
    pub spent: f64,
    /// What is left: the largest f64 that, with everything spent, does not exceed the total; 0 if there is none.
    pub left: f64,
    /// The comparison as it is decided, with all digits.
    pub exactly: Exactly,
    /// Entries that began; all of them count.
    pub fits: u64,
    /// Those whose release was noted.
    pub released: u64,
    /// Those whose release was not noted.
    pub not_released: u64,
    /// Everything that was entered, in the order of entering.
    pub entries: Vec<Entry>,
}

/// What is compared: Σε with ε, or Σμ² with μ².
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Exactly {
    /// `epsilon`, or `mu squared`.
    pub of: &'static str,
    /// The sum over all entries.
    pub spent: String,
    /// What it may be.
    pub total: String,
}

/// One use of the data set.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Entry {
    /// Its number, from 1.
    pub number: u64,
    /// When it began, in UTC: `2026-11-17T23:05:24Z`.
    pub time: String,
    /// What for; files of version 1 do not say.
    pub purpose: Option<Purpose>,
    /// What it spends.
    pub guarantee: Guarantee,
    /// What that counts as, of the kind of the total.
    pub counts: f64,
    /// Where it is for persons: how many rows of one were used at most.
    pub rows_per_person: Option<NonZeroU64>,
    /// The mechanism; files of version 1 do not say.
    pub mechanism: Option<String>,
    /// The data set, if it was said.
    pub dataset: Option<String>,
    /// The digest of what was released.
    pub digest: Option<String>,
    /// `released`, or `spent, nothing released`: it failed, was stopped, or still runs.
    pub status: &'static str,
}

impl Listing {
    /// What the text of a ledger file says, or what is wrong with it and where, and nothing of what is there.
    pub fn from_json(text: &str) -> Result<Self, String> {
        Self::of(&Content::parse(text)?).ok_or_else(|| "its budgets do not add up to a number".to_owned())
    }

    /// `None` if the budgets have no sum that is a number.
    fn of(content: &Content) -> Option<Self> {
        let total = content.total.guarantee()?;
        let entry = |started: &Started| {
            let guarantee = started.spent.guarantee()?;
            let digest = content.digests().find(|(number, _)| *number == started.number);
            Some(Entry {
                number: started.number,
                time: utc(started.at),
                purpose: started.purpose,
                guarantee,
                counts: counted(total, guarantee)?,
                rows_per_person: started.rows_per_person,
                mechanism: started.mechanism.clone(),
                dataset: started.dataset.clone(),
                digest: digest.map(|(_, digest)| digest.to_owned()),
                status: if digest.is_some() { "released" } else { "spent, nothing released" },
            })
        };
        let entries: Vec<Entry> = content.started().map(entry).collect::<Option<_>>()?;
        let (spent, left, exactly) = balance(total, &entries)?;
        let released = content.digests().count() as u64;
        Some(Self {
            dataset: content.dataset().map(str::to_owned),
            total,
            neighbours: content.neighbours,
            unit: content.unit,
            spent,
            left,
            exactly,
            fits: content.begun(),
            released,
            not_released: content.begun() - released,
            entries,
        })
    }
}

/// What is spent, what is left, and both sides of the comparison. The texts are exact; the f64 are stepped to the side
/// that is said, by comparisons of exact sums.
fn balance(total: Guarantee, entries: &[Entry]) -> Option<(f64, f64, Exactly)> {
    let numbers: Vec<f64> = entries.iter().map(|entry| entry.counts).collect();
    let limit = total.parameter();
    let sum = |numbers: &[f64]| match total {
        Guarantee::Pure(_) => Sum::of(numbers),
        Guarantee::Gaussian(_) => Sum::of_squares(numbers),
    };
    let of = if matches!(total, Guarantee::Pure(_)) { "epsilon" } else { "mu squared" };
    let (spent, whole) = (sum(&numbers)?, sum(&[limit])?);
    let number = |sum: &Sum| match total {
        Guarantee::Pure(_) => sum.nearest(),
        Guarantee::Gaussian(_) => sum.root().nearest(),
    };
    let reaches = |x: f64| sum(&[x]).is_some_and(|x| x >= spent);
    let rounded = step_until(number(&spent)?, f64::next_up, reaches, 4)?;
    let fits = |x: f64| x <= 0.0 || sum(&[x]).is_some_and(|x| x.plus(&spent) <= whole);
    let left = match whole.minus(&spent) {
        Some(rest) => step_until(number(&rest)?, f64::next_down, fits, 4)?,
        None => 0.0,
    };
    let exactly = Exactly { of, spent: spent.decimal(), total: whole.decimal() };
    rounded.is_finite().then_some((rounded, left.max(0.0), exactly))
}

/// A time in the usual notation.
fn utc(seconds: u64) -> String {
    let (days, rest) = (seconds / 86_400, seconds % 86_400);
    // Years that begin in March: the day that comes and goes is their last one. 719 468 days from
    // March of the year 0 to 1970.
    let days = days + 719_468;
    let (era, day) = (days / 146_097, days % 146_097);
    let year = (day - day / 1460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    // Months of 30.6 days on average, from March on.
    let month = (5 * day + 2) / 153;
    let day = day - (153 * month + 2) / 5 + 1;
    let (year, month) =
        (400 * era + year + u64::from(month >= 10), if month < 10 { month + 3 } else { month - 9 });
    let (hour, minute, second) = (rest / 3600, rest / 60 % 60, rest % 60);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}Z")
}

#[cfg(test)]
mod tests {
    use super::utc;

    /// From `date -u -d @SECONDS`.
    #[test]
    fn times_are_those_of_the_calendar() {
        for (seconds, text) in [
            (0, "1970-01-01T00:00:00Z"),
            (86_399, "1970-01-01T23:59:59Z"),
            (951_782_400, "2000-02-29T00:00:00Z"),
            (951_868_800, "2000-03-01T00:00:00Z"),
            (1_709_251_199, "2024-02-29T23:59:59Z"),
            (1_735_689_599, "2024-12-31T23:59:59Z"),
            (1_735_689_600, "2025-01-01T00:00:00Z"),
            (4_107_542_400, "2100-03-01T00:00:00Z"),
            (4_107_456_000, "2100-02-28T00:00:00Z"),
            (946_643_696, "1999-12-31T12:34:56Z"),
            (1_046_476_801, "2003-03-01T00:00:01Z"),
            (1_689_408_550, "2023-07-15T08:09:10Z"),
            (1_730_332_800, "2024-10-31T00:00:00Z"),
            (1_732_942_800, "2024-11-30T05:00:00Z"),
            (7_263_215_999, "2200-02-28T23:59:59Z"),
            (7_263_216_000, "2200-03-01T00:00:00Z"),
            (13_569_462_000, "2399-12-31T23:00:00Z"),
            (13_574_566_923, "2400-02-29T01:02:03Z"),
            (13_574_649_600, "2400-03-01T00:00:00Z"),
        ] {
            assert_eq!(utc(seconds), text);
        }
    }
}
