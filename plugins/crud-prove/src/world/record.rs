//! [`Record`]: a record, as stored in the database.

use crud_runtime::adapter::Key;
use crud_runtime::column::Value;
use crud_runtime::descriptor::Descriptor;

/// A record, as stored in the database.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Record {
    pub(crate) values: Vec<Value>,
    pub(crate) is_deleted: bool,
    /// The person for whom the record was generated; `None` for a row of a view.
    pub(crate) person: Option<usize>,
}

impl Record {
    pub(crate) fn new(descriptor: &Descriptor, values: Vec<Value>, person: Option<usize>) -> Self {
        let is_deleted = descriptor
            .soft_delete
            .is_some_and(|soft_delete| !matches!(values[soft_delete.deleted_at], Value::Null | Value::Bool(false)));
        Self { values, is_deleted, person }
    }

    pub(crate) fn key(&self, descriptor: &Descriptor) -> Key {
        Key::of(descriptor, &self.values)
    }
}
