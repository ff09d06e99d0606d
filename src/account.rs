//! A ledger file: what all uses of one data set may spend together, and what each has spent. `docs/ledger.md` describes
//! the format. spec: `own:ledger-file`
//!
//! A use is entered **before** its noise is drawn, so a use that fails counts as well. Entries are added, never changed
//! or removed. Each change replaces the whole file, under a lock that other processes wait for. Nothing in the file
//! depends on the records. Its owner must know which file belongs to which data set.

mod content;
mod file;
mod listing;
mod sum;
#[cfg(test)]
mod tests;

pub use listing::{Entry, Exactly, Listing};

use crate::privacy::{Guarantee, Mu, Neighbours};
use asap_contracts::Share;
use asap_contracts::contract::{Conversion, Shares};
use content::{AccountEvent, Content, Digested, Started, VERSION};
use file::Location;
use serde::{Deserialize, Serialize};
use std::io;
use std::num::NonZeroU64;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

/// Why a ledger file is of no use, or a use is not entered into it.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AccountError {
    /// The use is refused. Nothing was drawn.
    #[error("{}: {reason}", path.display())]
    Refused {
        /// The file.
        path: PathBuf,
        /// Why.
        reason: String,
    },
    /// The file is no ledger. Nothing was drawn.
    #[error("{}: not a ledger of fits: {reason}", path.display())]
    Broken {
        /// The file.
        path: PathBuf,
        /// What is wrong, and where; nothing of its content.
        reason: String,
    },
    /// The file cannot be read. Nothing was drawn.
    #[error("{}: cannot be read: {}", path.display(), error.kind())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// What the operating system says.
        error: io::Error,
    },
    /// The file cannot be written. Nothing was drawn.
    #[error("{}: cannot be written: {}; nothing was entered and nothing was drawn", path.display(), error.kind())]
    Unwritable {
        /// The file.
        path: PathBuf,
        /// What the operating system says.
        error: io::Error,
    },
    /// Noise was drawn, and what was released could not be noted: the entry stays, and counts,
    /// as one without a release.
    #[error("the budget is spent and entered, but the ledger does not name what was released: {0}")]
    NotNoted(Box<AccountError>),
}

/// What a budget is spent for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Purpose {
    /// A model.
    Fit,
    /// A quantile of a column.
    Quantile,
    /// How good a model is.
    Score,
    /// How many rows there are.
    Count,
}

impl Purpose {
    /// Its name in the file.
    pub fn name(self) -> &'static str {
        match self {
            Self::Fit => "fit",
            Self::Quantile => "quantile",
            Self::Score => "score",
            Self::Count => "count",
        }
    }

    /// The mechanism of an answer, as a ledger names it: candidates by their cost, or counts with noise.
    pub fn answering(self, guarantee: Guarantee) -> &'static str {
        match (self, guarantee) {
            (Self::Quantile, _) => "exponential",
            (_, Guarantee::Pure(_)) => "discrete-laplace",
            (_, Guarantee::Gaussian(_)) => "rounded-normal",
        }
    }
}

/// Whom a ledger's budget protects. Budgets of records and of persons do not add up.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Protected {
    /// One record.
    #[default]
    Record,
    /// One person with all rows.
    Person,
}

/// What a ledger is declared for.
#[derive(Clone, Copy, Debug)]
pub struct Declaration<'a> {
    /// What all uses together may spend.
    pub total: Guarantee,
    /// Which data sets count as neighbours.
    pub neighbours: Neighbours,
    /// Whom the total protects.
    pub unit: Protected,
    /// The name of the data set, if it is said.
    pub dataset: Option<&'a str>,
}

/// A use that is about to draw noise. Public, all of it.
#[derive(Clone, Copy, Debug)]
pub struct Spending<'a> {
    /// What for.
    pub purpose: Purpose,
    /// What it spends.
    pub guarantee: Guarantee,
    /// Which data sets count as neighbours.
    pub neighbours: Neighbours,
    /// Where the guarantee is for persons: how many rows of one are used at most.
    pub rows_per_person: Option<NonZeroU64>,
    /// The name of the mechanism.
    pub mechanism: &'a str,
    /// The name of the data set, if it is said.
    pub dataset: Option<&'a str>,
}

/// A ledger file that uses are entered into. spec: `own:ledger-file`
///
/// ```
/// use asap_dp::account::{Account, Declaration, Protected, Purpose, Spending};
/// use asap_dp::privacy::{Epsilon, Guarantee, Neighbours};
/// # let path = std::env::temp_dir().join(format!("asap-doc-{}.json", std::process::id()));
/// # let _ = std::fs::remove_file(&path);
/// let epsilon = |x| Epsilon::new(x).map(Guarantee::Pure);
/// let (neighbours, dataset) = (Neighbours::AddRemove, Some("patients"));
/// let declared = Declaration { total: epsilon(1.0)?, neighbours, unit: Protected::Record, dataset };
/// let account = Account::declare(&path, &declared)?;
/// let fit = Spending {
///     purpose: Purpose::Fit, guarantee: epsilon(0.75)?, neighbours, rows_per_person: None, mechanism: "output", dataset,
/// };
/// account.enter(&fit)?.released("sha256:…")?;
/// assert!(account.enter(&Spending { guarantee: epsilon(0.5)?, ..fit }).is_err());
/// assert_eq!(account.list()?.spent, 0.75);
/// # std::fs::remove_file(&path)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Account {
    /// As the caller calls it.
    named: PathBuf,
    place: Location,
}

/// A use that was entered.
pub struct Entered<'a> {
    account: &'a Account,
    number: u64,
}

/// The longest name of a data set or a mechanism, in characters.
const LONGEST_NAME: usize = 200;

/// Whether a text can be a name: not empty, not too long, one line.
fn is_name(text: &str) -> bool {
    !text.trim().is_empty() && text.chars().count() <= LONGEST_NAME && !text.chars().any(char::is_control)
}

impl Account {
    /// A ledger file that is there, readable, and has one name: whatever would refuse every entry is refused here.
    pub fn open(path: &Path) -> Result<Self, AccountError> {
        let account = Self::at(path);
        account.content()?;
        account.one_name()?;
        Ok(account)
    }

    /// What a ledger file says. It is not changed.
    pub fn read(path: &Path) -> Result<Listing, AccountError> {
        Self::at(path).list()
    }

    /// A new ledger file. One that is there is kept.
    pub fn declare(path: &Path, declared: &Declaration<'_>) -> Result<Self, AccountError> {
        let account = Self::at(path);
        let Declaration { total, neighbours, unit, dataset } = *declared;
        account.usable(dataset)?;
        let _lock = account.lock()?;
        if account.place.is_taken() {
            return account.refuse("exists; a total is declared once");
        }
        let dataset = dataset.map(str::to_owned);
        let total = total.into();
        account.write(&Content {
            asap_ledger: VERSION,
            dataset,
            total,
            neighbours,
            unit,
            events: Vec::new(),
        })?;
        Ok(account)
    }

    /// Everything that was entered, and what it comes to.
    pub fn list(&self) -> Result<Listing, AccountError> {
        Listing::from_json(&self.text()?).map_err(|reason| self.broken(reason))
    }

    /// Whether a release of this digest was written by an entry of this ledger.
    pub fn has_released(&self, digest: &str) -> Result<bool, AccountError> {
        Ok(self.content()?.digests().any(|(_, noted)| noted == digest))
    }

    /// Enters a use that is about to draw noise, or refuses it: the declared total would be exceeded, or it is not the
    /// kind of use that the ledger was declared for.
    pub fn enter(&self, spending: &Spending<'_>) -> Result<Entered<'_>, AccountError> {
        let Spending { purpose, guarantee, neighbours, rows_per_person, mechanism, dataset } = *spending;
        self.usable(dataset)?;
        if !is_name(mechanism) {
            return self.refuse("the mechanism has no name");
        }
        let _lock = self.lock()?;
        let mut content = self.content()?;
        self.one_name()?;
        if content.neighbours != neighbours {
            return self.refuse("it was declared for the other --neighbours; the two do not add up");
        }
        match (content.unit, rows_per_person) {
            (Protected::Record, Some(_)) => {
                return self
                    .refuse("it was declared for records, and this is for persons; the two do not add up");
            }
            (Protected::Person, None) => {
                return self
                    .refuse("it was declared for persons, and this is for records; the two do not add up");
            }
            _ => {}
        }
        self.same_dataset(content.dataset(), dataset)?;
        let total =
            content.total.guarantee().ok_or_else(|| self.broken("its total is not a valid budget"))?;
        let mut all = content.spent().ok_or_else(|| self.broken("one of its budgets is not valid"))?;
        all.push(guarantee);
        match covers(total, &all) {
            Some(true) => {}
            Some(false) => {
                return self.refuse("with this fit more than its total would be spent; nothing was drawn");
            }
            None if matches!(total, Guarantee::Pure(_)) => {
                return self
                    .refuse("its total is an ε, and no number of μ-GDP fits has one; declare a total μ");
            }
            None => {
                return self.refuse("its total is a μ, and an ε as large as this is not converted to one");
            }
        }
        let number = content.begun() + 1;
        let at = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_secs());
        content.events.push(AccountEvent::Started(Started {
            number,
            purpose: Some(purpose),
            at,
            spent: guarantee.into(),
            rows_per_person,
            mechanism: Some(mechanism.to_owned()),
            dataset: dataset.map(str::to_owned),
        }));
        self.write(&content)?;
        Ok(Entered { account: self, number })
    }

    fn at(path: &Path) -> Self {
        Self { named: path.to_owned(), place: Location::resolve(path) }
    }

    fn refuse<T>(&self, reason: impl Into<String>) -> Result<T, AccountError> {
        Err(AccountError::Refused { path: self.named.clone(), reason: reason.into() })
    }

    fn broken(&self, reason: impl Into<String>) -> AccountError {
        AccountError::Broken { path: self.named.clone(), reason: reason.into() }
    }

    fn unwritable(&self, error: io::Error) -> AccountError {
        AccountError::Unwritable { path: self.named.clone(), error }
    }

    /// Refuses what is no name of a data set.
    fn usable(&self, dataset: Option<&str>) -> Result<(), AccountError> {
        if dataset.is_none_or(is_name) {
            return Ok(());
        }
        self.refuse(format!("--dataset must be a name in one line of at most {LONGEST_NAME} characters"))
    }

    /// Refuses another data set than the one that the ledger is of, and none at all.
    fn same_dataset(&self, known: Option<&str>, given: Option<&str>) -> Result<(), AccountError> {
        match (known, given) {
            (Some(known), Some(given)) if known != given => self.refuse(format!(
                "it is the ledger of the data set {known:?}, and this is {given:?} (--dataset): another data set needs a \
                 ledger of its own; nothing was drawn"
            )),
            (Some(known), None) => self.refuse(format!(
                "it is the ledger of the data set {known:?}: say with --dataset which one this is; nothing was drawn"
            )),
            _ => Ok(()),
        }
    }

    /// Refuses a file with a second name: replacing it under one of them would leave the other behind, with less spent.
    fn one_name(&self) -> Result<(), AccountError> {
        if self.place.has_another_name() {
            return self.refuse(
                "has a second name (a hard link), which would become a second ledger: remove one of them; nothing was drawn",
            );
        }
        Ok(())
    }

    /// Waits until no one else changes the file.
    fn lock(&self) -> Result<file::Lock, AccountError> {
        self.place.lock().map_err(|error| self.unwritable(error))
    }

    fn text(&self) -> Result<String, AccountError> {
        let unreadable = |error| AccountError::Unreadable { path: self.named.clone(), error };
        self.place.read().map_err(unreadable)
    }

    fn content(&self) -> Result<Content, AccountError> {
        Content::parse(&self.text()?).map_err(|reason| self.broken(reason))
    }

    fn write(&self, content: &Content) -> Result<(), AccountError> {
        self.place.replace(&content.text()).map_err(|error| self.unwritable(error))
    }
}

impl Entered<'_> {
    /// The release has left, or is about to: notes its digest.
    pub fn released(&self, digest: &str) -> Result<(), AccountError> {
        self.note(digest).map_err(|error| AccountError::NotNoted(Box::new(error)))
    }

    fn note(&self, digest: &str) -> Result<(), AccountError> {
        let _lock = self.account.lock()?;
        let mut content = self.account.content()?;
        self.account.one_name()?;
        content
            .events
            .push(AccountEvent::Released(Digested { number: self.number, digest: digest.to_owned() }));
        self.account.write(&content)
    }
}

/// What a guarantee counts as under a total: itself, or under a total μ the μ that an ε satisfies, rounded up.
/// `None` where there is none.
fn counted(total: Guarantee, guarantee: Guarantee) -> Option<f64> {
    match (total, guarantee) {
        (Guarantee::Pure(_), Guarantee::Gaussian(_)) => None,
        (Guarantee::Gaussian(_), Guarantee::Pure(epsilon)) => Mu::from_epsilon(epsilon).ok().map(Mu::get),
        (_, same) => Some(same.parameter()),
    }
}

/// Whether uses with these guarantees together stay within a total, decided by the contracts in exact arithmetic;
/// `None` if nothing can be said: an ε of a μ-GDP mechanism, or an ε for which the contracts know no μ.
/// spec: `own:ledger-file`
fn covers(total: Guarantee, spent: &[Guarantee]) -> Option<bool> {
    let share = |guarantee: &Guarantee| {
        let spent = counted(total, *guarantee)?;
        if let (Guarantee::Gaussian(_), Guarantee::Pure(epsilon)) = (total, guarantee) {
            Conversion { mu: spent, epsilon: epsilon.get() }.holds().ok()?;
        }
        Some(Share { name: String::new(), spent })
    };
    let shares: Option<Vec<Share>> = spent.iter().map(share).collect();
    let total = match total {
        Guarantee::Pure(epsilon) => asap_contracts::Guarantee::Pure(epsilon.get()),
        Guarantee::Gaussian(mu) => asap_contracts::Guarantee::Gaussian(mu.get()),
    };
    Some(Shares { shares: &shares?, total }.holds().is_ok())
}
