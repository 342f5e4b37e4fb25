//! [`Changes`]: values for some of a resource's columns.

use super::value::Value;

/// Values for some of a resource's columns, by index: what a body or a typed `New…` or `…Patch` says.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Changes {
    values: Vec<(usize, Value)>,
}

impl Changes {
    /// No values.
    pub const fn new() -> Self {
        Self { values: Vec::new() }
    }

    /// Makes room for this many columns more.
    pub(crate) fn reserve(&mut self, columns: usize) {
        self.values.reserve(columns);
    }

    /// Sets a column, over what it had.
    pub fn set(&mut self, column: usize, value: Value) {
        match self.values.iter_mut().find(|(index, _)| *index == column) {
            Some((_, old)) => *old = value,
            None => self.values.push((column, value)),
        }
    }

    /// The same with a column set; the derive's to call.
    #[doc(hidden)]
    #[must_use]
    pub fn with(mut self, column: usize, value: Value) -> Self {
        self.set(column, value);
        self
    }

    /// The same with a column set when there is a value; the derive's to call.
    #[doc(hidden)]
    #[must_use]
    pub fn with_some(self, column: usize, value: Option<Value>) -> Self {
        match value {
            Some(value) => self.with(column, value),
            None => self,
        }
    }

    /// The value of a column, if it has one.
    pub fn get(&self, column: usize) -> Option<&Value> {
        self.values.iter().find(|(index, _)| *index == column).map(|(_, value)| value)
    }

    /// Takes the value of a column out.
    pub fn take(&mut self, column: usize) -> Option<Value> {
        let position = self.values.iter().position(|(index, _)| *index == column)?;
        Some(self.values.swap_remove(position).1)
    }

    /// The columns and their values, in the order they were set.
    pub fn iter(&self) -> impl Iterator<Item = (usize, &Value)> {
        self.values.iter().map(|(column, value)| (*column, value))
    }

    /// The values, to be changed.
    pub(crate) fn values_mut(&mut self) -> impl Iterator<Item = &mut Value> {
        self.values.iter_mut().map(|(_, value)| value)
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// How many columns have one.
    pub fn len(&self) -> usize {
        self.values.len()
    }
}
