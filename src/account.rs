//! A ledger file: what all fits on one data set may spend together, and what they have spent.
//!
//! A fit is entered **before** its noise is drawn, so one that does not come back counts as well. Entries are added, never
//! changed or removed; each change replaces the file as a whole, under a lock that other fits wait for. Nothing in it
//! depends on the records: which file belongs to which data set is its owner's knowledge.

use crate::privacy::{Epsilon, Guarantee, Mu, Neighbours, Parameter};
use serde::{Deserialize, Serialize};
use serde_json::error::Category;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process;
use std::time::{SystemTime, UNIX_EPOCH};

/// Why a ledger file is of no use, or a fit is not entered into it. Nothing was drawn.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AccountError {
    /// The fit is refused.
    #[error("{}: {reason}", path.display())]
    Refused {
        /// The file.
        path: PathBuf,
        /// Why.
        reason: &'static str,
    },
    /// The file is no ledger.
    #[error("{}: not a ledger of fits: {reason}", path.display())]
    Broken {
        /// The file.
        path: PathBuf,
        /// What is wrong, and where; nothing of its content.
        reason: String,
    },
    /// The file cannot be read.
    #[error("{}: cannot be read: {}", path.display(), error.kind())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// What the operating system says.
        error: io::Error,
    },
    /// The file cannot be written.
    #[error("{}: cannot be written: {}", path.display(), error.kind())]
    Unwritable {
        /// The file.
        path: PathBuf,
        /// What the operating system says.
        error: io::Error,
    },
}

/// What a ledger comes to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Balance {
    /// What all fits together may spend.
    pub total: Guarantee,
    /// Which data sets count as neighbours.
    pub neighbours: Neighbours,
    /// What they have spent, of the kind of the total, rounded up.
    pub spent: f64,
    /// Fits that began; all of them count.
    pub fits: u64,
    /// Fits whose release was written.
    pub released: u64,
}

/// The content of the file.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Content {
    asap_ledger: u32,
    total: Budget,
    neighbours: Neighbours,
    events: Vec<AccountEvent>,
}

/// A guarantee as the file has it.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Budget {
    Pure(f64),
    Gaussian(f64),
}

/// What happened.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum AccountEvent {
    /// A fit began: from now on its budget is spent.
    Started(Started),
    /// Its release was written.
    Released(ReleasedFit),
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Started {
    fit: u64,
    spent: Budget,
    /// Seconds since 1970.
    at: u64,
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct ReleasedFit {
    fit: u64,
    /// SHA-256 digest of the release.
    digest: String,
}

const VERSION: u32 = 1;

impl Budget {
    fn guarantee(self) -> Option<Guarantee> {
        match self {
            Self::Pure(epsilon) => Epsilon::new(epsilon).map(Guarantee::Pure).ok(),
            Self::Gaussian(mu) => Mu::new(mu).map(Guarantee::Gaussian).ok(),
        }
    }
}

impl From<Guarantee> for Budget {
    fn from(guarantee: Guarantee) -> Self {
        match guarantee {
            Guarantee::Pure(epsilon) => Self::Pure(epsilon.get()),
            Guarantee::Gaussian(mu) => Self::Gaussian(mu.get()),
        }
    }
}

/// A ledger file that fits are entered into.
///
/// ```
/// use asap_dp::account::Account;
/// use asap_dp::privacy::{Epsilon, Guarantee, Neighbours};
/// # let path = std::env::temp_dir().join(format!("asap-doc-{}.json", std::process::id()));
/// # let _ = std::fs::remove_file(&path);
/// let epsilon = |x| Epsilon::new(x).map(Guarantee::Pure);
/// let account = Account::declare(&path, epsilon(1.0)?, Neighbours::AddRemove)?;
/// let entered = account.enter(epsilon(0.75)?, Neighbours::AddRemove)?;
/// entered.released("sha256:…")?;
/// assert!(account.enter(epsilon(0.5)?, Neighbours::AddRemove).is_err());
/// assert_eq!(account.balance()?.spent, 0.75);
/// # std::fs::remove_file(&path)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Account {
    path: PathBuf,
}

/// A fit that was entered.
pub struct Entered<'a> {
    account: &'a Account,
    fit: u64,
}

impl Account {
    /// A ledger file that is there and readable.
    pub fn open(path: &Path) -> Result<Self, AccountError> {
        let account = Self { path: path.to_owned() };
        account.read()?;
        Ok(account)
    }

    /// A new ledger file with what all fits together may spend. One that is there is kept.
    pub fn declare(path: &Path, total: Guarantee, neighbours: Neighbours) -> Result<Self, AccountError> {
        let account = Self { path: path.to_owned() };
        let _lock = account.lock()?;
        if path.exists() {
            return account.refuse("is there already; a total is declared once");
        }
        account.write(&Content {
            asap_ledger: VERSION,
            total: total.into(),
            neighbours,
            events: Vec::new(),
        })?;
        Ok(account)
    }

    /// What is spent.
    pub fn balance(&self) -> Result<Balance, AccountError> {
        let content = self.read()?;
        let total = content.total.guarantee().ok_or_else(|| self.broken("its total is no budget"))?;
        let spent = content.spent().ok_or_else(|| self.broken("a budget in it is none"))?;
        let spent = together(total, &spent).ok_or_else(|| self.broken("its budgets do not add up"))?;
        let (neighbours, fits, released) = (content.neighbours, content.fits(), content.releases());
        Ok(Balance { total, neighbours, spent, fits, released })
    }

    /// Whether a release of this digest was written by a fit of this ledger.
    pub fn has_released(&self, digest: &str) -> Result<bool, AccountError> {
        let content = self.read()?;
        Ok(content
            .events
            .iter()
            .any(|event| matches!(event, AccountEvent::Released(it) if it.digest == digest)))
    }

    /// Enters a fit that is about to draw noise, or refuses it: the declared total would be exceeded.
    pub fn enter(&self, spent: Guarantee, neighbours: Neighbours) -> Result<Entered<'_>, AccountError> {
        let _lock = self.lock()?;
        let mut content = self.read()?;
        if content.neighbours != neighbours {
            return self.refuse("it was declared for the other --neighbours; the two do not add up");
        }
        let mut all = content.spent().ok_or_else(|| self.broken("a budget in it is none"))?;
        all.push(spent);
        let total = content.total.guarantee().ok_or_else(|| self.broken("its total is no budget"))?;
        match covers(total, &all) {
            Some(true) => {}
            Some(false) => {
                return self.refuse("with this fit more than its total would be spent; nothing was drawn");
            }
            None => {
                return self
                    .refuse("its total is an ε, and no number of μ-GDP fits has one; declare a total μ");
            }
        }
        let fit = content.fits() + 1;
        let at = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_secs());
        content.events.push(AccountEvent::Started(Started { fit, spent: spent.into(), at }));
        self.write(&content)?;
        Ok(Entered { account: self, fit })
    }

    fn refuse<T>(&self, reason: &'static str) -> Result<T, AccountError> {
        Err(AccountError::Refused { path: self.path.clone(), reason })
    }

    fn broken(&self, reason: impl Into<String>) -> AccountError {
        AccountError::Broken { path: self.path.clone(), reason: reason.into() }
    }

    /// Waits until no other fit changes the file. The lock ends with the process, whatever becomes of it.
    fn lock(&self) -> Result<File, AccountError> {
        // By whatever name it is called, a file has one lock.
        let path = fs::canonicalize(&self.path).unwrap_or_else(|_| self.path.clone());
        let mut name = path.file_name().unwrap_or_default().to_owned();
        name.push(".lock");
        let path = path.with_file_name(name);
        let file = OpenOptions::new().write(true).create(true).truncate(false).open(&path);
        file.and_then(|file| file.lock().map(|()| file))
            .map_err(|error| AccountError::Unwritable { path, error })
    }

    fn read(&self) -> Result<Content, AccountError> {
        let unreadable = |error| AccountError::Unreadable { path: self.path.clone(), error };
        let text = fs::read_to_string(&self.path).map_err(unreadable)?;
        // Where, and nothing of what is there: a file that was taken for a ledger may be something private.
        let place = |error: serde_json::Error| {
            let what = match error.classify() {
                Category::Data => "a field is missing, unknown or of the wrong kind",
                Category::Syntax | Category::Eof | Category::Io => "not JSON",
            };
            self.broken(format!("{what} at line {}, column {}", error.line(), error.column()))
        };
        let content: Content = serde_json::from_str(&text).map_err(place)?;
        if content.asap_ledger != VERSION {
            return Err(self.broken("its version is not 1"));
        }
        if !content.is_in_order() {
            return Err(
                self.broken("its fits are not numbered 1, 2, 3, … or one was released before it began")
            );
        }
        Ok(content)
    }

    fn write(&self, content: &Content) -> Result<(), AccountError> {
        // Numbers, texts and lists always serialise.
        let text = serde_json::to_string_pretty(content).unwrap_or_default() + "\n";
        // A link stays a link: what it points to is replaced.
        let path = fs::canonicalize(&self.path).unwrap_or_else(|_| self.path.clone());
        replace(&path, &text).map_err(|error| AccountError::Unwritable { path, error })
    }
}

impl Entered<'_> {
    /// The release was written.
    pub fn released(&self, digest: &str) -> Result<(), AccountError> {
        let _lock = self.account.lock()?;
        let mut content = self.account.read()?;
        content.events.push(AccountEvent::Released(ReleasedFit { fit: self.fit, digest: digest.to_owned() }));
        self.account.write(&content)
    }
}

impl Content {
    fn started(&self) -> impl Iterator<Item = &Started> {
        self.events.iter().filter_map(|event| match event {
            AccountEvent::Started(started) => Some(started),
            AccountEvent::Released(_) => None,
        })
    }

    fn fits(&self) -> u64 {
        self.started().count() as u64
    }

    fn releases(&self) -> u64 {
        self.events.len() as u64 - self.fits()
    }

    /// Everything that was ever begun.
    fn spent(&self) -> Option<Vec<Guarantee>> {
        self.started().map(|started| started.spent.guarantee()).collect()
    }

    /// Fits are numbered as they began; each is released once at most, after it began.
    fn is_in_order(&self) -> bool {
        let mut open = Vec::new();
        let mut begun = 0;
        self.events.iter().all(|event| match event {
            AccountEvent::Started(started) => {
                begun += 1;
                open.push(started.fit);
                started.fit == begun
            }
            AccountEvent::Released(released) => {
                let found = open.iter().position(|fit| *fit == released.fit);
                found.map(|place| open.swap_remove(place)).is_some()
            }
        })
    }
}

/// Whether fits with these guarantees together stay within a total, in exact arithmetic; `None` if nothing can be said.
/// spec: `own:budget-split`
fn covers(total: Guarantee, spent: &[Guarantee]) -> Option<bool> {
    match total {
        Guarantee::Pure(total) => {
            let pure = |guarantee: &Guarantee| match guarantee {
                Guarantee::Pure(epsilon) => Some(*epsilon),
                Guarantee::Gaussian(_) => None,
            };
            let spent: Option<Vec<Epsilon>> = spent.iter().map(pure).collect();
            Some(total.covers(&spent?))
        }
        Guarantee::Gaussian(total) => {
            let gaussian = |guarantee: &Guarantee| match guarantee {
                Guarantee::Pure(epsilon) => Mu::from_epsilon(*epsilon).ok(),
                Guarantee::Gaussian(mu) => Some(*mu),
            };
            let spent: Option<Vec<Mu>> = spent.iter().map(gaussian).collect();
            Some(total.covers(&spent?))
        }
    }
}

/// What fits with these guarantees spend together, of the kind of the total; rounded up.
fn together(total: Guarantee, spent: &[Guarantee]) -> Option<f64> {
    let in_kind = spent.iter().map(|guarantee| match (total, guarantee) {
        (Guarantee::Gaussian(_), Guarantee::Pure(epsilon)) => {
            Mu::from_epsilon(*epsilon).ok().map(Guarantee::Gaussian)
        }
        _ => Some(*guarantee),
    });
    let all: Option<Vec<Guarantee>> = in_kind.collect();
    let mut all = all?.into_iter();
    let Some(first) = all.next() else { return Some(0.0) };
    all.try_fold(first, |sum, next| sum.compose(next).ok()).map(Guarantee::parameter)
}

/// Puts a new content in the place of a file, as a whole or not at all, and makes it last. Whoever calls holds the lock: a temporary
/// file that is there was left behind by somebody who was stopped, and is of no use.
fn replace(path: &Path, content: &str) -> io::Result<()> {
    let name = path.file_name().ok_or(io::ErrorKind::InvalidInput)?.to_string_lossy();
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let temporary = folder.join(format!(".{name}.{}.tmp", process::id()));
    let written =
        OpenOptions::new().write(true).create(true).truncate(true).open(&temporary).and_then(|mut file| {
            file.write_all(content.as_bytes())?;
            file.sync_all()?;
            fs::rename(&temporary, path)
        });
    if written.is_err() {
        let _ = fs::remove_file(&temporary);
    } else if let Ok(folder) = File::open(folder) {
        // So that the new name survives a power failure; not every file system can.
        let _ = folder.sync_all();
    }
    written
}
