//! `asap ledger`: declares what all fits on one data set may spend together, or shows what they have spent.

use crate::arguments::Ledger as Arguments;
use crate::failure::Failure;
use crate::terminal::{number, print, print_json, table};
use asap_dp::account::{Account, AccountError, Balance};
use asap_dp::privacy::{Epsilon, Guarantee, Mu};
use serde_json::json;

impl From<AccountError> for Failure {
    fn from(error: AccountError) -> Self {
        match error {
            AccountError::Refused { path, reason } => {
                Self::Usage(format!("--ledger: {}: {reason}", path.display()))
            }
            AccountError::Broken { path, reason } => {
                Self::Input { path, reason: format!("not a ledger of fits: {reason}") }
            }
            AccountError::Unreadable { path, error } => Self::reading(&path, &error),
            AccountError::Unwritable { path, error } => Self::Output { path, error },
            _ => Self::Internal,
        }
    }
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let Arguments { file, total_epsilon, total_mu, neighbours, json } = arguments;
    let declared = match (total_epsilon, total_mu) {
        (Some(epsilon), _) => Some(Guarantee::Pure(Epsilon::new(*epsilon)?)),
        (None, Some(mu)) => Some(Guarantee::Gaussian(Mu::new(*mu)?)),
        (None, None) => None,
    };
    let account = match declared {
        Some(total) => Account::declare(file, total, neighbours.relation()).map_err(declaring)?,
        None => Account::open(file)?,
    };
    let Balance { total, neighbours, spent, fits, released } = account.balance()?;
    if *json {
        return print_json(&json!({
            "total": total, "neighbours": neighbours, "spent": spent, "fits": fits, "released": released,
            "not_released": fits - released,
        }));
    }
    let symbol = if matches!(total, Guarantee::Pure(_)) { "ε" } else { "μ" };
    print(&table(&[
        ["total".to_owned(), format!("{symbol} = {}", number(total.parameter()))],
        ["spent".to_owned(), format!("{symbol} = {}", number(spent))],
        ["fits".to_owned(), format!("{fits} begun, {released} released; all of them count")],
    ]))
}

/// A refusal to declare is not about the flag of a fit.
fn declaring(error: AccountError) -> Failure {
    match error {
        AccountError::Refused { path, reason } => Failure::Usage(format!("{}: {reason}", path.display())),
        other => other.into(),
    }
}
