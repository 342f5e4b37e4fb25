//! The key of the record that a reference leads to.

use super::field::Reference;
use crate::model::key::Key;
use crate::model::value::Value;

impl Reference {
    /// The key that a record refers to, from the values of its columns; `None` where one of them is null.
    ///
    /// # Errors
    /// Errors of reading the values.
    pub fn key<E>(&self, column: usize, mut value: impl FnMut(usize) -> Result<Value, E>) -> Result<Option<Key>, E> {
        let key = if self.by.is_empty() {
            Key::from(value(column)?)
        } else {
            Key::composite(self.by.iter().copied().map(value).collect::<Result<_, _>>()?)
        };
        Ok((!key.is_null()).then_some(key))
    }

    /// The key that a record with a value for each column refers to; `None` where one of the referring columns is null.
    pub fn key_in(&self, column: usize, record: &[Value]) -> Option<Key> {
        let Ok(key) = self.key(column, |column| Ok::<_, std::convert::Infallible>(record[column].clone()));
        key
    }
}
