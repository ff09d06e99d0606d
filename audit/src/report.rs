//! What an audit found: a table, JSON and a drawing.

use super::samples::{Bound, Samples};
use super::svg;
use asap_dp::privacy::Guarantee;
use core::fmt::Write;

/// One audited mechanism on one pair of neighbours.
#[derive(Clone, Debug, serde::Serialize)]
pub struct Finding {
    /// What was audited.
    pub mechanism: String,
    /// On which neighbours.
    pub pair: String,
    /// What was looked at: the likelihood ratio, or a direction of a released vector.
    pub direction: String,
    /// What it claims.
    pub claim: Guarantee,
    /// What the runs show.
    pub bound: Bound,
    /// Whether the bound is above the claim.
    pub contradicted: bool,
    /// Empirical trade-off curve: (type I error, type II error).
    pub curve: Vec<[f64; 2]>,
    /// With the stated confidence the true trade-off curve is not above any of these points.
    pub curve_above: Vec<[f64; 2]>,
}

/// The result of an audit.
#[derive(Clone, Debug, serde::Serialize)]
pub struct AuditReport {
    /// Runs on each data set, for each row.
    pub runs: u64,
    /// The probability that *any* bound of this report is above its truth.
    pub alpha: f64,
    /// The seed, or none for secure randomness.
    pub seed: Option<u64>,
    /// Which problem the neighbours are made for, in words.
    pub setting: String,
    /// Number of parameters.
    pub dimension: usize,
    /// Λ: the total regulariser; none where no model is learnt.
    pub regulariser: Option<f64>,
    /// One for each mechanism and pair.
    pub rows: Vec<Finding>,
}

impl Finding {
    /// Points of a drawn curve.
    const POINTS: usize = 101;

    /// Compares outcomes with a claim at confidence 1 − `alpha`.
    pub fn new(mechanism: &str, pair: &str, claim: Guarantee, samples: &Samples, alpha: f64) -> Self {
        // The bound and the band of the drawing share the level.
        let level = 0.5 * alpha;
        let bound = match claim {
            Guarantee::Pure(_) => samples.epsilon(level),
            Guarantee::Gaussian(_) => samples.mu(level),
        };
        Self {
            mechanism: mechanism.to_owned(),
            pair: pair.to_owned(),
            direction: "likelihood ratio".to_owned(),
            claim,
            contradicted: bound.lower > claim.parameter(),
            bound,
            curve: samples.curve(Self::POINTS),
            curve_above: samples.curve_above(Self::POINTS, level),
        }
    }
}

impl Finding {
    /// The row of the direction with the largest bound, at confidence 1 − `alpha` for all of them together;
    /// `None` if there are no directions.
    pub fn largest(
        mechanism: &str,
        pair: &str,
        claim: Guarantee,
        directions: &[(&str, Samples)],
        alpha: f64,
    ) -> Option<Self> {
        let level = alpha / directions.len().max(1) as f64;
        let row = |(name, samples): &(&str, Samples)| Self {
            direction: (*name).to_owned(),
            ..Self::new(mechanism, pair, claim, samples, level)
        };
        // The first of equals: the likelihood ratio, where nothing shows more.
        let larger =
            |best: Self, other: Self| if other.bound.lower > best.bound.lower { other } else { best };
        directions.iter().map(row).reduce(larger)
    }
}

pub(crate) fn symbol(guarantee: Guarantee) -> &'static str {
    match guarantee {
        Guarantee::Pure(_) => "ε",
        Guarantee::Gaussian(_) => "μ",
    }
}

impl AuditReport {
    /// Whether any claim is contradicted.
    pub fn contradicted(&self) -> bool {
        self.rows.iter().any(|row| row.contradicted)
    }

    /// A table for people.
    pub fn to_text(&self) -> String {
        let regulariser = self.regulariser.map_or(String::new(), |it| format!(", regulariser {it}"));
        let mut text = format!(
            "privacy audit of {}\n{} runs on each data set, d = {}{regulariser}; all bounds hold together with \
             confidence 1 - {:e}\n\n{:<18} {:<17} {:>9} {:>12}  {:<14} event\n",
            self.setting,
            self.runs,
            self.dimension,
            self.alpha,
            "mechanism",
            "D / D'",
            "claim",
            "shown >=",
            "verdict"
        );
        for row in &self.rows {
            let verdict = match (row.contradicted, row.bound.no_overlap) {
                (true, _) => "CONTRADICTED",
                (false, true) => "NO OVERLAP",
                (false, false) => "not refuted",
            };
            let claim = format!("{} {:.4}", symbol(row.claim), row.claim.parameter());
            // Writing to a string does not fail.
            let _ = writeln!(
                text,
                "{:<18} {:<17} {claim:>9} {:>12}  {verdict:<14} {}: {} (likelier on {})",
                row.mechanism,
                row.pair,
                shown(&row.bound),
                row.direction,
                row.bound.event,
                row.bound.likelier_on
            );
        }
        text.push_str(
            "\nA bound below its claim proves nothing: an audit can refute a guarantee, never establish one.\n",
        );
        text
    }

    /// The trade-off curves with the claimed bounds.
    pub fn to_svg(&self) -> String {
        svg::trade_off(&self.rows)
    }
}

/// The bound as text; ∞ where no overlap was observed, with what the runs certify.
fn shown(bound: &Bound) -> String {
    if bound.no_overlap {
        format!("∞ (no overlap observed; >= {:.4} certified)", bound.lower)
    } else {
        format!("{:.4}", bound.lower)
    }
}
