//! What an answer promises, as a type of the library and as a statement of the answer. spec: `own:score`

use crate::input::InvalidInput;
use crate::privacy::{Epsilon, Guarantee, Mu, Neighbours};
use asap_contracts::{Claim, Statement, Status};

/// What is promised to whom. spec: `own:score`
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Promise {
    /// What the answer satisfies.
    pub guarantee: Guarantee,
    /// Which data sets are compared.
    pub neighbours: Neighbours,
    /// No person has more rows: what a person moves is so many times larger. 1 if each row is a person of its own.
    pub rows_per_person: u64,
}

impl Promise {
    /// Each row is a person of its own.
    pub fn of_rows(guarantee: Guarantee, neighbours: Neighbours) -> Self {
        Self { guarantee, neighbours, rows_per_person: 1 }
    }

    /// The promise of an answer.
    pub(super) fn stated_by(statement: &Statement) -> Result<Self, InvalidInput> {
        let guarantee = match statement.guarantee {
            asap_contracts::Guarantee::Pure(epsilon) => Guarantee::Pure(Epsilon::new(epsilon)?),
            asap_contracts::Guarantee::Gaussian(mu) => Guarantee::Gaussian(Mu::new(mu)?),
        };
        Ok(Self { guarantee, neighbours: statement.neighbours, rows_per_person: statement.rows_per_person })
    }

    /// The guarantee as an answer states it.
    pub(crate) fn stated_guarantee(&self) -> asap_contracts::Guarantee {
        match self.guarantee {
            Guarantee::Pure(epsilon) => asap_contracts::Guarantee::Pure(epsilon.get()),
            Guarantee::Gaussian(mu) => asap_contracts::Guarantee::Gaussian(mu.get()),
        }
    }
}

/// What an answer rests on: proofs, and fair bits.
pub(crate) fn claims(proved: &[&str]) -> Vec<Claim> {
    let claim = |spec: &str, status| Claim { spec: spec.to_owned(), status };
    let proved = proved.iter().map(|spec| claim(spec, Status::Proved));
    [claim("assumptions:randomness", Status::Assumed)].into_iter().chain(proved).collect()
}
