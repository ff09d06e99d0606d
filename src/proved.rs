//! What is proved about a release, and by whom: a row of the table in `spec/proved.md`. The page itself is the table;
//! nothing of it is repeated here.

use asap_contracts::{Certificate, Guarantee, Loss, Mechanism};
use serde::Serialize;

const PAGE: &str = include_str!("../spec/proved.md");

/// One row: what each kind of proof covers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Proved {
    /// Theorems of `proofs/coq/`, from contracts.
    pub coq: String,
    /// Parts that Kani proved, within bounds.
    pub kani: String,
    /// Samplers that were compared with those of Coq, bit for bit.
    pub tape: String,
    /// What a proof on a page covers.
    pub written: String,
    /// What is believed.
    pub assumed: String,
}

impl Proved {
    /// The row of a release.
    pub fn of(certificate: &Certificate) -> Option<Self> {
        let mechanism = match certificate.mechanism {
            Mechanism::Objective(_) => "objective",
            Mechanism::NoisyGradient(_) => "noisy-gradient",
            Mechanism::Posterior(_) => "posterior",
            Mechanism::Output(_) => "output",
        };
        // A guarantee that was converted is one for ε underneath.
        let ledger = &certificate.ledger;
        let pure = ledger.converted.is_some() || matches!(ledger.total, Guarantee::Pure(_));
        let mut row = Self::row(mechanism, if pure { "ε" } else { "μ" })?;
        // The theorems are about losses of one linear prediction: another kind of loss needs rows of its own.
        match certificate.problem.loss {
            Loss::Logistic | Loss::Squared | Loss::Huber { .. } => {}
            Loss::User { .. } => row.assumed.push_str(", the claims of the user's loss"),
        }
        // And they are about one row.
        if certificate.person.is_some() {
            row.written.push_str(", from rows to persons");
        }
        Some(row)
    }

    fn row(mechanism: &str, unit: &str) -> Option<Self> {
        let start = format!("| {mechanism}, {unit} |");
        let cells = PAGE.lines().find_map(|line| line.strip_prefix(&start))?;
        let mut cells = cells.split('|').map(|cell| cell.trim().replace('`', ""));
        let mut next = || cells.next().filter(|cell| !cell.is_empty());
        Some(Self { coq: next()?, kani: next()?, tape: next()?, written: next()?, assumed: next()? })
    }

    /// All of it in one line.
    pub fn line(&self) -> String {
        let Self { coq, kani, tape, written, assumed } = self;
        format!(
            "Proved by Coq: {coq}; by Kani, within bounds: {kani}; bit for bit as in Coq: {tape}; written proofs: {written}; \
             assumed: {assumed} (spec/proved.md)."
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Seen to fail for a row that is missing, renamed, or short of a cell.
    #[test]
    fn every_mechanism_has_its_rows() {
        for (mechanism, units) in [
            ("objective", &["ε", "μ"][..]),
            ("noisy-gradient", &["μ"]),
            ("posterior", &["ε", "μ"]),
            ("output", &["ε", "μ"]),
        ] {
            for unit in units {
                let line = Proved::row(mechanism, unit).unwrap().line();
                assert!(line.contains("random bits") && !line.contains('`'), "{line}");
            }
        }
        assert!(Proved::row("noisy-gradient", "ε").is_none());
        assert!(Proved::row("objective", "ε").unwrap().coq.contains("EndToEnd.thm_objective_perturbation"));
    }
}
