//! [`Unlogged`]: whether a record is the one that its log leads to.

use serde_json::{Map, Value as Json};

use super::as_of::{has_values_of_change, undo};
use crate::model::descriptor::Descriptor;
use crate::store::audit_record::{Action, AuditRecord};

/// Compares a record with its entries, the latest first: each must match the record after it, back to its creation.
#[derive(Debug)]
pub(crate) struct Unlogged {
    resource: &'static Descriptor,
    /// The record before the entries that were undone, if it existed.
    state: Option<Map<String, Json>>,
    /// Whether older entries say nothing more.
    is_over: bool,
    is_found: bool,
}

impl Unlogged {
    /// Begins with the present record, if it exists.
    pub(crate) const fn new(resource: &'static Descriptor, present: Option<Map<String, Json>>) -> Self {
        Self { resource, state: present, is_over: false, is_found: false }
    }

    /// Takes the next older entry of the log.
    pub(crate) fn entry(&mut self, entry: &AuditRecord) {
        // The program's own entries do not change the record.
        if self.is_over || !Action::ALL.iter().any(|action| action.as_str() == entry.action) {
            return;
        }
        // An entry without values proves nothing about earlier entries either.
        self.is_over = !has_values_of_change(entry);
        if self.is_over {
            return;
        }
        match undo(self.resource, self.state.take(), entry) {
            Ok(Some(before)) if entry.action != Action::Delete.as_str() => self.state = Some(before),
            Ok(_) => self.is_over = true,
            Err(_) => (self.is_over, self.is_found) = (true, true),
        }
    }

    /// Whether something has changed the record without the log.
    pub(crate) const fn is_found(&self) -> bool {
        self.is_found
    }
}
