//! What stands for a cell that is no finite number.

use super::DataError;
use super::error::shown;
use crate::input::InvalidInput;
use std::collections::BTreeMap;

/// What stands for a cell that is empty, text, `nan`, `inf` or out of range: nothing (the file is refused), or a public value,
/// fixed without looking at the records. spec: `own:csv`
///
/// The value is put in before the record is clipped, from this one cell alone; so neighbours stay neighbours, and the
/// guarantee holds for whatever is in the cells.
///
/// ```
/// use asap_dp::data::Missing;
/// let missing = Missing::value(0.0)?.for_column("alcohol", 10.0)?;
/// assert_eq!((missing.of("pH"), missing.of("alcohol")), (Some(0.0), Some(10.0)));
/// assert_eq!(Missing::refuse().of("pH"), None);
/// assert!(Missing::value(f64::NAN).is_err());
/// # Ok::<(), asap_dp::InvalidInput>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Missing {
    everywhere: Option<f64>,
    columns: BTreeMap<String, f64>,
}

impl Missing {
    /// Refuses the file, with the line: what is done unless something else is said.
    pub fn refuse() -> Self {
        Self::default()
    }

    /// One value for every column that is used, the target included.
    pub fn value(value: f64) -> Result<Self, InvalidInput> {
        Ok(Self { everywhere: Some(finite(value)?), columns: BTreeMap::new() })
    }

    /// A value of its own for one column.
    pub fn for_column(mut self, column: impl Into<String>, value: f64) -> Result<Self, InvalidInput> {
        self.columns.insert(column.into(), finite(value)?);
        Ok(self)
    }

    /// What stands for a missing cell of this column.
    pub fn of(&self, column: &str) -> Option<f64> {
        self.columns.get(column).copied().or(self.everywhere)
    }

    /// The values of the columns that are used. A value for another column is a mistake.
    pub(super) fn resolved<'a>(
        &self,
        used: impl Iterator<Item = &'a String> + Clone,
    ) -> Result<BTreeMap<String, f64>, DataError> {
        let unknown = self.columns.keys().find(|name| !used.clone().any(|it| it == *name));
        match unknown {
            Some(name) => Err(DataError::UnknownMissing { column: shown(name) }),
            None => Ok(used.filter_map(|name| Some((name.clone(), self.of(name)?))).collect()),
        }
    }
}

fn finite(value: f64) -> Result<f64, InvalidInput> {
    let refused = InvalidInput { field: "missing value", allowed: "a finite number" };
    if value.is_finite() { Ok(value) } else { Err(refused) }
}
