//! [`RelatedScope`]: the records of another resource that decide whether a principal sees one.

use std::collections::{HashMap, HashSet};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

use crate::model::value::Value;
use crate::query::InSubquery;

/// Records of another resource to which those of a scope lead, and what was found out about values that may lead to them.
///
/// Clones of a scope share it: guards know what the write has found out.
#[derive(Debug)]
pub struct RelatedScope {
    pub(super) select: InSubquery,
    /// By value as text, whether it leads to such a record.
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

    /// Keeps what was found out about values, by their texts.
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

    /// Forgets what was found out.
    pub(super) fn forget(&self) {
        self.known.lock().unwrap_or_else(PoisonError::into_inner).clear();
        self.is_missed.store(false, Ordering::Relaxed);
    }

    /// Whether a value is known to lead to such a record. What was not looked up does not.
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
