//! What the parts of a mechanism spend together.

use super::{contract, positive};
use crate::check::logarithm::converts;
use crate::exact::Exact;
use crate::schema::{Guarantee, Share};

/// The shares of a budget: they add up to at most ε, or their squares to at most μ².
///
/// spec: `own:budget-split`
#[derive(Clone, Copy)]
pub struct Shares<'a> {
    /// The shares.
    pub shares: &'a [Share],
    /// What they are parts of.
    pub total: Guarantee,
}

contract! {
    Shares<'a>:
    requires "own:budget-split", "shares are positive" => |it| it.shares.iter().all(|share| positive(&[share.spent]));
    ensures "own:budget-split", "shares spend at most the total" => |it| {
        let parts = it.shares.iter().map(|share| Exact::of(share.spent));
        match it.total {
            Guarantee::Pure(total) => parts.fold(Exact::whole(0), |sum, part| sum + part) <= Exact::of(total),
            Guarantee::Gaussian(total) => {
                let squares = parts.fold(Exact::whole(0), |sum, part| sum + part.squared());
                squares <= Exact::of(total).squared()
            }
        }
    };
}

/// What a person with several rows is promised: rows·ε ≤ ε_person, or rows·μ ≤ μ_person.
///
/// spec: `own:persons`
#[derive(Clone, Copy)]
pub struct Persons {
    /// No person has more rows.
    pub rows: u64,
    /// What one row may spend.
    pub row: Guarantee,
    /// What a person is promised.
    pub total: Guarantee,
}

contract! {
    Persons:
    requires "own:persons", "a person has at least one row" => |it| it.rows >= 1;
    ensures "own:persons", "the rows of a person spend at most what a person is promised" => |it| {
        let all = |row: f64| Exact::whole(it.rows) * Exact::of(row);
        match (it.row, it.total) {
            (Guarantee::Pure(row), Guarantee::Pure(total))
            | (Guarantee::Gaussian(row), Guarantee::Gaussian(total)) => {
                positive(&[row, total]) && all(row) <= Exact::of(total)
            }
            (Guarantee::Pure(_), Guarantee::Gaussian(_)) | (Guarantee::Gaussian(_), Guarantee::Pure(_)) => false,
        }
    };
}

/// T steps of equal shares: T·ε ≤ ε_total, or T·μ² ≤ μ_total².
///
/// spec: `own:noisy-gradient`
#[derive(Clone, Copy)]
pub struct StepShares {
    /// T: the number of steps.
    pub steps: u64,
    /// ε or μ of one of them.
    pub share: f64,
    /// What all of them may spend.
    pub total: Guarantee,
}

contract! {
    StepShares:
    ensures "lem:adaptive_composition", "all steps together spend at most their share" => |it| {
        let (steps, share) = (Exact::whole(it.steps), Exact::of(it.share));
        share.is_positive()
            && match it.total {
                Guarantee::Pure(total) => steps * share <= Exact::of(total),
                Guarantee::Gaussian(total) => steps * share.squared() <= Exact::of(total).squared(),
            }
    };
}

/// The ε that may be spent for a μ: every ε-DP mechanism is μ-GDP if e^ε ≤ Φ(μ/2)/Φ(−μ/2).
///
/// spec: `lem:convert_pure_G_DP`
#[derive(Clone, Copy)]
pub struct Conversion {
    /// μ.
    pub mu: f64,
    /// ε.
    pub epsilon: f64,
}

contract! {
    Conversion:
    ensures "lem:convert_pure_G_DP", "converted ε is at most ln(Φ(μ/2)/Φ(−μ/2))" => |it| converts(it.mu, it.epsilon);
}
