//! `asap ledger`: declares what all uses of one data set may spend together, or lists what they have spent.

use crate::arguments::{Ledger as Arguments, UnitName};
use crate::failure::Failure;
use crate::fit::printable;
use crate::terminal::{print, print_json, table};
use asap_dp::account::{Account, AccountError, Declaration, Entry, Listing, Protected, Purpose};
use asap_dp::privacy::{Epsilon, Guarantee, Mu, Neighbours};
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
            unwritable @ AccountError::Unwritable { .. } => Self::Ledger(unwritable),
            _ => Self::Internal,
        }
    }
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let Arguments { file, total_epsilon, total_mu, neighbours, unit, dataset, json } = arguments;
    let total = match (total_epsilon, total_mu) {
        (Some(epsilon), _) => Some(Guarantee::Pure(Epsilon::new(*epsilon)?)),
        (None, Some(mu)) => Some(Guarantee::Gaussian(Mu::new(*mu)?)),
        (None, None) => None,
    };
    if let Some(total) = total {
        let unit = match unit {
            UnitName::Record => Protected::Record,
            UnitName::Person => Protected::Person,
        };
        let (neighbours, dataset) = (neighbours.relation(), dataset.as_deref());
        Account::declare(file, &Declaration { total, neighbours, unit, dataset }).map_err(declaring)?;
    }
    let listing = Account::read(file)?;
    if *json { print_json(&json!(listing)) } else { print(&shown(&listing)) }
}

/// A refusal to declare is not about the flag of a fit.
fn declaring(error: AccountError) -> Failure {
    match error {
        AccountError::Refused { path, reason } => Failure::Usage(format!("{}: {reason}", path.display())),
        other => other.into(),
    }
}

/// Of an exact sum.
const LONGEST_LINE: usize = 200;

/// A number with as many digits as it takes to read it back.
fn digits(x: f64) -> String {
    if x == 0.0 || (1e-6..1e15).contains(&x) { x.to_string() } else { format!("{x:e}") }
}

/// For the person who approves it: every digit of every budget.
fn shown(listing: &Listing) -> String {
    let Listing { total, spent, left, exactly, fits, released, .. } = listing;
    let symbol = symbol(*total);
    let square = if matches!(total, Guarantee::Pure(_)) { "" } else { "²" };
    let mut facts = vec![
        ["data set".to_owned(), listing.dataset.as_deref().map_or("not named".to_owned(), printable)],
        ["protects".to_owned(), protected(listing).to_owned()],
        ["total".to_owned(), format!("{symbol} = {}", digits(total.parameter()))],
        ["spent".to_owned(), format!("{symbol} = {}", digits(*spent))],
        ["left".to_owned(), format!("{symbol} = {}", digits(*left))],
        ["entries".to_owned(), format!("{fits} begun, {released} released; all of them count")],
    ];
    if exactly.spent != digits(*spent) {
        let compared = format!("Σ{symbol}{square} = {} of {}", exactly.spent, exactly.total);
        let compared = if compared.len() > LONGEST_LINE {
            "too many digits: --json has them".to_owned()
        } else {
            compared
        };
        facts.insert(4, ["exactly".to_owned(), compared]);
    }
    let mut text = table(&facts);
    if !listing.entries.is_empty() {
        let mut rows = vec![
            ["no.", "time (UTC)", "for", "guarantee", "unit", "mechanism", "release"].map(str::to_owned),
        ];
        rows.extend(listing.entries.iter().map(|entry| line(*total, entry)));
        text = format!("{text}\n{}", table(&rows));
    }
    text
}

fn symbol(guarantee: Guarantee) -> &'static str {
    if matches!(guarantee, Guarantee::Pure(_)) { "ε" } else { "μ" }
}

fn protected(listing: &Listing) -> &'static str {
    match (listing.unit, listing.neighbours) {
        (Protected::Record, Neighbours::AddRemove) => "one record more or less",
        (Protected::Record, Neighbours::ReplaceOne) => "one record replaced by another",
        (Protected::Person, Neighbours::AddRemove) => "one person more or less, with all rows",
        (Protected::Person, Neighbours::ReplaceOne) => "one person replaced by another, with all rows",
    }
}

fn line(total: Guarantee, entry: &Entry) -> [String; 7] {
    let own = symbol(entry.guarantee);
    let counts =
        (own != symbol(total)).then(|| format!(" (counts as {} = {})", symbol(total), digits(entry.counts)));
    let guarantee = format!("{own} = {}{}", digits(entry.guarantee.parameter()), counts.unwrap_or_default());
    let unit =
        entry.rows_per_person.map_or("record".to_owned(), |rows| format!("person, at most {rows} rows"));
    [
        entry.number.to_string(),
        entry.time.replace('T', " ").replace('Z', ""),
        entry.purpose.map_or("not said", Purpose::name).to_owned(),
        guarantee,
        unit,
        entry.mechanism.as_deref().map_or("not said".to_owned(), printable),
        entry.digest.as_deref().map_or(entry.status.to_owned(), printable),
    ]
}
