//! [`RelatedScope`]: the records of another resource that decide whether a principal sees a record.

use std::collections::{HashMap, HashSet};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

use crate::model::value::Value;
use crate::query::InSubquery;

/// A condition of a scope on records of another resource, with the results of looking values up there.
///
/// Clones of a scope share the results: guards know what the write has looked up.
#[derive(Debug)]
pub struct RelatedScope {
    pub(super) select: InSubquery,
    /// The values that were looked up, as text, each with whether it was found.
    known: Mutex<HashMap<String, bool>>,
    /// A record had a value that was not looked up.
    is_missed: AtomicBool,
}

impl RelatedScope {
    pub(super) fn new(select: InSubquery) -> Self {
        Self { select, known: Mutex::default(), is_missed: AtomicBool::new(false) }
    }

    /// The condition on a record.
    pub const fn select(&self) -> &InSubquery {
        &self.select
    }

    /// Keeps the results of looking values up; `found` has the texts of those that were found.
    pub fn learn<'v>(&self, values: impl IntoIterator<Item = &'v Value>, found: &HashSet<String>) {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        known.extend(values.into_iter().map(Value::to_string).map(|text| {
            let is_found = found.contains(&text);
            (text, is_found)
        }));
    }

    /// Whether a record had a value that was not looked up.
    pub(super) fn has_missed(&self) -> bool {
        self.is_missed.load(Ordering::Relaxed)
    }

    /// Forgets the results.
    pub(super) fn forget(&self) {
        self.known.lock().unwrap_or_else(PoisonError::into_inner).clear();
        self.is_missed.store(false, Ordering::Relaxed);
    }

    /// Whether a value was looked up and found.
    pub(super) fn admits(&self, value: &Value) -> bool {
        if value.is_null() {
            return false;
        }
        let known = self.known.lock().unwrap_or_else(PoisonError::into_inner).get(&value.to_string()).copied();
        if known.is_none() {
            self.is_missed.store(true, Ordering::Relaxed);
        }
        known.unwrap_or_default()
    }
}
