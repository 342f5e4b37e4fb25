//! [`Record`]: a stored document as a record of its resource.

use chrono::{DateTime, Utc};
use mongodb::bson::{Bson, Document, RawBsonRef, RawDocument, RawDocumentBuf};

use super::error::failed;
use super::field::{GONE, KEY, PENDING, STRONG, VERSION, field};
use super::value::{decode, stored};
use crate::model::adapter_error::AdapterError;
use crate::model::column_error::ColumnError;
use crate::model::descriptor::{ColumnDescriptor, Descriptor, Role};
use crate::model::row::Row;
use crate::model::value::{Value, ValueRef};

/// A record, with the adapter's own fields of its document.
#[derive(Debug, Clone)]
pub(super) struct Record {
    resource: &'static Descriptor,
    /// A value for each column, or the reason why the stored one does not fit.
    values: Vec<Result<Value, ColumnError>>,
    /// The version; absent where another program wrote the document.
    pub(super) version: Option<i64>,
    /// Whether something is left to be done for the record.
    pub(super) pending: bool,
    /// Whether the record is removed.
    pub(super) gone: bool,
    /// The number of references that forbid its removal.
    pub(super) strong: i64,
    /// The key as it is stored.
    pub(super) key: Bson,
}

impl Record {
    /// Reads a document. A value that does not fit its column is an error where it is asked for.
    ///
    /// # Errors
    /// When the document is malformed.
    pub(super) fn decode(resource: &'static Descriptor, document: &RawDocument) -> Result<Self, AdapterError> {
        let absent = |column: usize| decode(&resource.columns[column], RawBsonRef::Null);
        let mut values: Vec<_> = (0..resource.columns.len()).map(absent).collect();
        let mut record = Self {
            resource,
            values: Vec::new(),
            version: None,
            pending: false,
            gone: false,
            strong: 0,
            key: Bson::Null,
        };
        for element in document {
            let (name, value) = element.map_err(failed)?;
            let name: &str = name.as_ref();
            match name {
                KEY => record.key = value.try_into().map_err(failed)?,
                VERSION => record.version = integer(value),
                PENDING => record.pending = true,
                GONE => record.gone = true,
                STRONG => record.strong = integer(value).unwrap_or_default(),
                _ => {}
            }
            if let Some(column) = (0..values.len()).find(|column| field(resource, *column) == name) {
                values[column] = decode(&resource.columns[column], value);
            }
        }
        let deleted_at = resource.soft_delete.map(|soft_delete| values[soft_delete.deleted_at].clone());
        for (value, column) in values.iter_mut().zip(resource.columns) {
            if column.role == Role::IsDeleted {
                *value = deleted_at
                    .clone()
                    .unwrap_or(Ok(Value::Null))
                    .map(|at| Value::Bool(!matches!(at, Value::Null | Value::Bool(false))));
            }
        }
        Ok(Self { values, ..record })
    }

    /// A new record with these values.
    pub(super) fn new(resource: &'static Descriptor, values: Vec<Value>, key: Bson) -> Self {
        let values = values.into_iter().map(Ok).collect();
        Self { resource, values, version: None, pending: false, gone: false, strong: 0, key }
    }

    pub(super) const fn resource(&self) -> &'static Descriptor {
        self.resource
    }

    /// The value of a column; null where the stored one does not fit.
    pub(super) fn get(&self, column: usize) -> &Value {
        self.values[column].as_ref().unwrap_or(&Value::Null)
    }

    /// Sets the value of a column.
    pub(super) fn set(&mut self, column: usize, value: Value) {
        self.values[column] = Ok(value);
    }

    /// Sets the columns of a role to the time of a change.
    pub(super) fn set_time(&mut self, role: Role, time: DateTime<Utc>) {
        self.set_role(role, |column| column.time(time));
    }

    /// Sets the columns of a role.
    fn set_role(&mut self, role: Role, value: impl Fn(&ColumnDescriptor) -> Value) {
        for (index, column) in self.resource.columns.iter().enumerate().filter(|(_, column)| column.role == role) {
            self.set(index, value(column));
        }
    }

    /// Sets the deletion timestamp, or clears it.
    pub(super) fn set_deleted(&mut self, time: Option<DateTime<Utc>>) {
        if let Some(soft_delete) = self.resource.soft_delete {
            self.set(soft_delete.deleted_at, self.resource.columns[soft_delete.deleted_at].deletion(time));
            self.set_role(Role::IsDeleted, |_| Value::Bool(time.is_some()));
        }
    }

    /// The fields of the columns, the key's first.
    ///
    /// # Errors
    /// [`AdapterError::Constraint`] when a column cannot store its value.
    pub(super) fn fields(&self) -> Result<Document, AdapterError> {
        let mut document = Document::new();
        document.insert(KEY, self.key.clone());
        let is_stored =
            |column: &usize| self.resource.key() != [*column] && self.resource.columns[*column].computed.is_none();
        for column in (0..self.values.len()).filter(is_stored) {
            document.insert(field(self.resource, column), stored(self.resource, column, self.get(column))?);
        }
        Ok(document)
    }

    /// The fields whose values differ from those of `other`, the same document at another time. A stored value that
    /// does not fit its column stays as it is, unless the change sets it, to null too.
    pub(super) fn changed_fields(&self, other: &Self, mut fields: Document) -> Document {
        for column in 0..self.values.len() {
            if self.values[column].as_ref().ok() == other.values[column].as_ref().ok() {
                fields.remove(field(self.resource, column));
            }
        }
        fields
    }

    /// Reasons why the document is not a record of its resource, a line for each field.
    pub(super) fn misfits(&self) -> Vec<String> {
        let columns = self.values.iter().enumerate();
        let line = |(column, value): (usize, &Result<Value, ColumnError>)| {
            let error = value.as_ref().err()?;
            Some(format!("field `{}` {}", field(self.resource, column), error.message()))
        };
        columns.filter_map(line).collect()
    }
}

impl Row for Record {
    fn value(&self, column: usize) -> Result<ValueRef<'_>, AdapterError> {
        self.values[column].as_ref().map(Value::borrow).map_err(|error| AdapterError::Corrupt {
            column: self.resource.columns[column].column,
            error: ColumnError::new(format!("document {}: {}", self.key, error.message())),
        })
    }
}

/// The number of a field, whichever type of integer another program wrote.
fn integer(value: RawBsonRef<'_>) -> Option<i64> {
    value.as_i64().or_else(|| value.as_i32().map(i64::from))
}

/// A document in the driver's form for reading.
///
/// # Errors
/// When it cannot be encoded.
pub(super) fn raw(document: &Document) -> Result<RawDocumentBuf, AdapterError> {
    RawDocumentBuf::try_from(document).map_err(failed)
}
