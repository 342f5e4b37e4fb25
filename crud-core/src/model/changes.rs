//! [`Changes`]: values for some of a resource's columns.

use std::fmt::{self, Formatter};

use super::value::Value;

/// Values for some of a resource's columns, by index: the contents of a body, a typed `New…` or a `…Patch`.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Changes {
    values: Vec<(usize, Value)>,
    /// Increments: columns and the amounts that are added to their numbers.
    increments: Vec<(usize, Value)>,
}

impl Changes {
    /// No values.
    pub const fn new() -> Self {
        Self { values: Vec::new(), increments: Vec::new() }
    }

    /// Reserves capacity for this many more columns.
    #[doc(hidden)]
    pub fn reserve(&mut self, columns: usize) {
        self.values.reserve(columns);
    }

    /// Sets a column, and replaces the value it had.
    pub fn set(&mut self, column: usize, value: Value) {
        match self.values.iter_mut().find(|(index, _)| *index == column) {
            Some((_, old)) => *old = value,
            None => self.values.push((column, value)),
        }
    }

    /// Adds a value; called by expansions.
    #[doc(hidden)]
    #[must_use]
    pub fn with(mut self, column: usize, value: Value) -> Self {
        self.set(column, value);
        self
    }

    /// Adds a value if there is one; called by expansions.
    #[doc(hidden)]
    #[must_use]
    pub fn with_some(self, column: usize, value: Option<Value>) -> Self {
        match value {
            Some(value) => self.with(column, value),
            None => self,
        }
    }

    /// `Debug` of a patch with these changes; called by expansions.
    #[doc(hidden)]
    pub fn fmt_as(&self, patch: &str, f: &mut Formatter<'_>) -> fmt::Result {
        f.debug_tuple(patch).field(self).finish()
    }

    /// The value of a column, if it has one.
    pub fn get(&self, column: usize) -> Option<&Value> {
        self.values.iter().find(|(index, _)| *index == column).map(|(_, value)| value)
    }

    /// Removes and returns the value of a column.
    pub fn take(&mut self, column: usize) -> Option<Value> {
        let position = self.values.iter().position(|(index, _)| *index == column)?;
        Some(self.values.swap_remove(position).1)
    }

    /// The columns and their values, in the order they were set.
    pub fn iter(&self) -> impl Iterator<Item = (usize, &Value)> {
        self.values.iter().map(|(column, value)| (*column, value))
    }

    /// The values, mutable.
    #[doc(hidden)]
    pub fn values_mut(&mut self) -> impl Iterator<Item = &mut Value> {
        self.values.iter_mut().map(|(_, value)| value)
    }

    /// Adds an amount to a column's number, after earlier increments.
    pub fn increment(&mut self, column: usize, by: Value) {
        self.increments.push((column, by));
    }

    /// The increments: columns and the amounts that are added.
    pub fn increments(&self) -> impl Iterator<Item = (usize, &Value)> {
        self.increments.iter().map(|(column, by)| (*column, by))
    }

    /// Removes and returns the increments.
    #[doc(hidden)]
    pub fn take_increments(&mut self) -> Vec<(usize, Value)> {
        std::mem::take(&mut self.increments)
    }

    /// Whether no column has a value; increments do not count.
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// Number of columns that have a value.
    pub fn len(&self) -> usize {
        self.values.len()
    }
}
