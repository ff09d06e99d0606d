//! Persons with several rows: the first ones of each are taken. spec: `own:persons`

use std::collections::HashMap;

/// Takes the first rows of each person, and drops the others. What becomes of a row depends on the earlier rows of the
/// same person and on nothing else. spec: `own:persons`
///
/// ```
/// use asap_dp::data::FirstRows;
/// let mut first = FirstRows::new(2);
/// let taken = ["anna", "bert", "anna", "anna", "bert"].map(|person| first.takes(person.as_bytes()));
/// assert_eq!(taken, [true, true, true, false, true]);
/// ```
#[derive(Clone)]
pub struct FirstRows {
    rows: u64,
    /// How many rows of each person were taken. Private, and not shown.
    taken: HashMap<Box<[u8]>, u64>,
}

impl FirstRows {
    /// At most so many rows of each person.
    pub fn new(rows: u64) -> Self {
        Self { rows, taken: HashMap::new() }
    }

    /// Whether the next row of this person is taken.
    pub fn takes(&mut self, person: &[u8]) -> bool {
        match self.taken.get_mut(person) {
            Some(taken) if *taken >= self.rows => false,
            Some(taken) => {
                *taken += 1;
                true
            }
            None => {
                self.taken.insert(person.into(), 1);
                self.rows >= 1
            }
        }
    }
}
