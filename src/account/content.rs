//! The content of a ledger file: docs/ledger.md describes it.

use super::{Protected, Purpose, is_name};
use crate::privacy::{Epsilon, Guarantee, Mu, Neighbours};
use serde::{Deserialize, Serialize};
use serde_json::error::Category;
use std::num::NonZeroU64;

/// The version that is written. Version 1 had neither purposes nor names nor units, and is read.
pub(super) const VERSION: u32 = 2;

#[derive(Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Content {
    pub(super) asap_ledger: u32,
    #[serde(default)]
    pub(super) dataset: Option<String>,
    pub(super) total: Budget,
    pub(super) neighbours: Neighbours,
    #[serde(default)]
    pub(super) unit: Protected,
    pub(super) events: Vec<AccountEvent>,
}

/// A guarantee as the file has it.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Budget {
    Pure(f64),
    Gaussian(f64),
}

/// What happened.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum AccountEvent {
    /// Something began: from now on its budget is spent.
    Started(Started),
    /// What it released has left.
    Released(Digested),
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Started {
    #[serde(alias = "fit")]
    pub(super) number: u64,
    #[serde(default)]
    pub(super) purpose: Option<Purpose>,
    /// Seconds since 1970, by the system's clock.
    pub(super) at: u64,
    pub(super) spent: Budget,
    #[serde(default)]
    pub(super) rows_per_person: Option<NonZeroU64>,
    #[serde(default)]
    pub(super) mechanism: Option<String>,
    #[serde(default)]
    pub(super) dataset: Option<String>,
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Digested {
    #[serde(alias = "fit")]
    pub(super) number: u64,
    /// SHA-256 digest of the release.
    pub(super) digest: String,
}

impl Budget {
    pub(super) fn guarantee(self) -> Option<Guarantee> {
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

impl Content {
    /// Reads a file, or says what is wrong with it and where, and nothing of what is there: a file that was taken for a
    /// ledger may be something private.
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        let place = |error: serde_json::Error| {
            let what = match error.classify() {
                Category::Data => "a field is missing, unknown or of the wrong kind",
                Category::Syntax | Category::Eof | Category::Io => "not JSON",
            };
            format!("{what} at line {}, column {}", error.line(), error.column())
        };
        let content: Self = serde_json::from_str(text).map_err(place)?;
        if !(1..=VERSION).contains(&content.asap_ledger) {
            return Err(format!("its version is not one from 1 to {VERSION}"));
        }
        match content.fault() {
            None => Ok(content),
            Some(fault) => Err(fault.to_owned()),
        }
    }

    /// The text of the file, of the newest version.
    pub(super) fn text(&self) -> String {
        let content = serde_json::to_value(self).map(|mut content| {
            content["asap_ledger"] = VERSION.into();
            content
        });
        // Numbers, texts and lists always serialise.
        content.and_then(|content| serde_json::to_string_pretty(&content)).unwrap_or_default() + "\n"
    }

    fn fault(&self) -> Option<&'static str> {
        if self.total.guarantee().is_none() {
            return Some("its total is not a valid budget");
        }
        if self.spent().is_none() {
            return Some("one of its budgets is not valid");
        }
        if !self.is_in_order() {
            return Some("its fits are not numbered 1, 2, 3, … or one was released before it began");
        }
        let persons = self.unit == Protected::Person;
        if !self.started().all(|it| persons == it.rows_per_person.is_some()) {
            return Some("an entry is not for whom the ledger was declared");
        }
        if !self.names().all(is_name) || !self.datasets().all(|name| Some(name) == self.dataset()) {
            return Some("one of its names is empty or too long, or it names several data sets");
        }
        None
    }

    pub(super) fn started(&self) -> impl Iterator<Item = &Started> {
        self.events.iter().filter_map(|event| match event {
            AccountEvent::Started(started) => Some(started),
            AccountEvent::Released(_) => None,
        })
    }

    /// The digests that were noted, with the number of their entry.
    pub(super) fn digests(&self) -> impl Iterator<Item = (u64, &str)> {
        self.events.iter().filter_map(|event| match event {
            AccountEvent::Started(_) => None,
            AccountEvent::Released(it) => Some((it.number, it.digest.as_str())),
        })
    }

    pub(super) fn begun(&self) -> u64 {
        self.started().count() as u64
    }

    /// Everything that was ever begun.
    pub(super) fn spent(&self) -> Option<Vec<Guarantee>> {
        self.started().map(|started| started.spent.guarantee()).collect()
    }

    fn datasets(&self) -> impl Iterator<Item = &str> {
        self.dataset.as_deref().into_iter().chain(self.started().filter_map(|it| it.dataset.as_deref()))
    }

    fn names(&self) -> impl Iterator<Item = &str> {
        self.datasets().chain(self.started().filter_map(|it| it.mechanism.as_deref()))
    }

    /// The data set that the ledger is of: as declared, or as the first entry says that has a name.
    pub(super) fn dataset(&self) -> Option<&str> {
        self.datasets().next()
    }

    /// Entries are numbered as they began; each is released once at most, after it began.
    fn is_in_order(&self) -> bool {
        let mut open = Vec::new();
        let mut begun = 0;
        self.events.iter().all(|event| match event {
            AccountEvent::Started(started) => {
                begun += 1;
                open.push(started.number);
                started.number == begun
            }
            AccountEvent::Released(released) => {
                let found = open.iter().position(|number| *number == released.number);
                found.map(|place| open.swap_remove(place)).is_some()
            }
        })
    }
}
