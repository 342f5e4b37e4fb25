//! [`Change`]: one change of a write, and its rows.

use crate::driver::{DatabaseRow, Driver};
use crate::model::adapter_error::AdapterError;
use crate::storage::write::Outcome;

/// Reason why an insert inserted nothing, or a delete removed nothing: a trigger left the record out.
pub(crate) const LEFT_OUT: AdapterError = AdapterError::Constraint { column: None };

/// A change of a write: its outcome, and its record.
pub(crate) struct Change<D: Driver> {
    pub(crate) outcome: Outcome,
    pub(crate) before: Option<DatabaseRow<D>>,
    pub(crate) after: Option<DatabaseRow<D>>,
    /// Whether the change wrote anything.
    pub(crate) wrote: bool,
}

impl<D: Driver> Change<D> {
    /// A change that was applied or refused without a transaction, with the record as it is stored now.
    pub(crate) const fn new(outcome: Outcome, record: Option<DatabaseRow<D>>) -> Self {
        Self { outcome, before: None, after: record, wrote: true }
    }

    /// A change that was refused by the database.
    ///
    /// # Errors
    /// The given error, where the change did not cause it.
    pub(crate) fn refused(error: AdapterError) -> Result<Self, AdapterError> {
        if error.is_refusal() { Ok(Self::new(Outcome::Failed(error), None)) } else { Err(error) }
    }

    /// The change of a statement that returns the record that it wrote.
    pub(crate) fn of_rows(mut rows: Vec<DatabaseRow<D>>, if_none: Outcome) -> Self {
        match rows.pop() {
            Some(row) => Self::new(Outcome::Done, Some(row)),
            None => Self::new(if_none, None),
        }
    }

    /// A change that is not applied yet, and that nothing forbids so far.
    pub(crate) const fn pending() -> Self {
        Self { outcome: Outcome::Done, before: None, after: None, wrote: false }
    }

    pub(crate) const fn is_done(&self) -> bool {
        matches!(self.outcome, Outcome::Done)
    }

    /// The record as it is now; of a removed record, as it was before.
    pub(crate) fn record(&self) -> Option<&DatabaseRow<D>> {
        self.after.as_ref().or(self.before.as_ref()).filter(|_| self.is_done())
    }
}

/// Result of an attempt at a change without a transaction.
pub(crate) enum Attempt<D: Driver> {
    /// The outcome is final.
    Settled(Change<D>),
    /// The change is not applied; a transaction decides.
    Undecided,
}
