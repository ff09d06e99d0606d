use core::fmt;

/// What kind of disagreement was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// A label of the paper has no entry in the table.
    MissingLabel,
    /// An entry is neither a label of the paper nor a result of our own.
    UnknownLabel,
    /// An id has two entries.
    DuplicateEntry,
    /// An entry claims more than it names (proved without a proof, tested without a test, …).
    HollowEntry,
    /// The page of an entry does not exist.
    MissingPage,
    /// A page has no `status:` line.
    PageWithoutStatus,
    /// A page and the table give different statuses.
    StatusDisagrees,
    /// A page does not name an id of its own in its title line.
    TitleWithoutId,
    /// A page belongs to no entry.
    UnclaimedPage,
    /// The text of a page speaks of a test or function that does not exist.
    StaleProse,
    /// A code path does not exist.
    MissingCode,
    /// The item at a code path does not carry the id in its documentation.
    UnmarkedCode,
    /// A test does not exist.
    MissingTest,
    /// A harness does not exist.
    MissingHarness,
    /// A harness does not carry the id in its documentation.
    UnmarkedHarness,
    /// A harness is claimed by no entry.
    UnclaimedHarness,
    /// A public item of the calibration is claimed by no entry.
    UnclaimedCalibration,
    /// The documentation of an item names an id that is not in the table.
    UnknownId,
    /// The documentation of an item names an id whose entry does not list the item.
    UnlistedCode,
    /// A Coq name does not exist, or is no theorem with a finished proof.
    MissingCoq,
    /// A Coq file takes something as given: an axiom, a variable outside of a section, a proof that was given up.
    UnprovedCoq,
    /// A Coq theorem that the table or another theorem rests on has no entry in `proofs/contracts.toml`.
    UnmappedTheorem,
    /// A hypothesis of a theorem is discharged by nothing.
    UnmappedHypothesis,
    /// A field of a record of contracts is discharged by nothing.
    UnmappedField,
    /// `proofs/contracts.toml` speaks of a hypothesis that is not there.
    StaleHypothesis,
    /// `proofs/contracts.toml` speaks of a field that is not there.
    StaleField,
    /// A hypothesis is listed as data, though its type is a proposition.
    HypothesisAsData,
    /// A discharge names nothing.
    HollowDischarge,
    /// Theorems discharge each other in a circle.
    CircularDischarge,
    /// `spec/assumptions.md` has no assumption of this name.
    MissingAssumption,
    /// A harness does not say which functions it covers, and how far.
    HarnessWithoutCover,
    /// A harness covers a function that does not exist.
    MissingCovered,
    /// A function, constant or type of what ships is reached by no command.
    UnreachedCode,
    /// A harness covers a function that no command reaches.
    UnreachedHarness,
    /// What discharges a hypothesis does not run on the mechanism that the theorem speaks of.
    UnreachedCheck,
    /// `spec/proved.md` has no row for a mechanism, or one with a theorem that is not about it.
    WrongStanding,
    /// `spec/reach.toml` excuses something that is reached.
    StaleExcuse,
    /// A public function that privacy rests on has neither a proof nor a reason for having none.
    UnexplainedFunction,
    /// `proofs/contracts.toml` has a reason for something that is proved, or not there.
    StaleReason,
}

/// One disagreement: its kind and a sentence that names the culprit.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Problem {
    /// What kind it is.
    pub kind: Kind,
    /// A sentence that names the culprit.
    pub message: String,
}

impl Problem {
    pub(super) fn new(kind: Kind, message: String) -> Self {
        Self { kind, message }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}: {}", self.kind, self.message)
    }
}
