//! [`StoredRecord`]: a record's stored values, or those that it had.

use std::fmt;

use serde_json::{Map, Value as Json};

use crate::model::adapter_error::AdapterError;
use crate::model::column_error::ColumnError;
use crate::model::descriptor::{ColumnDescriptor, Descriptor, Role};
use crate::model::json::json_value;
use crate::model::row::Row;
use crate::model::scalar;
use crate::model::stored_value::stored_value;
use crate::model::value::{Kind, Value, ValueRef};
use crate::query::{Predicate, Truth};

/// A record's stored values, every field of it, from [`StoredRecords::records`](super::stored_records::StoredRecords::records);
/// or, with values of the audit log [laid over](Self::lay_over) them, those that it had before.
///
/// ```
/// # use crud_runtime::prelude::*;
/// # use serde_json::json;
/// # #[derive(Debug, Clone, Resource)] struct Part { id: i64, label: String }
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> crud_runtime::Result<()> {
/// # let service = Service::connect("sqlite::memory:").await?.resource::<Part>().migrate().await?;
/// # let app = service.app();
/// app.store::<Part>().create(NewPart { label: "M8".to_owned() }).await?;
/// let mut part = app.stored_records("/parts")?.records(["1"]).await?["1"].clone();
/// assert_eq!(part.value("label"), Some(json!("M8")));
/// let previous = json!({ "label": "M6" });
/// part.lay_over(previous.as_object().expect("an object"), None);
/// assert_eq!(part.value("label"), Some(json!("M6")));
/// # Ok(()) }
/// ```
#[derive(Clone)]
pub struct StoredRecord {
    resource: &'static Descriptor,
    /// The values by column; `None` for a value that is not known.
    values: Vec<Option<Value>>,
}

impl fmt::Debug for StoredRecord {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StoredRecord").field("resource", &self.resource.name).finish_non_exhaustive()
    }
}

impl StoredRecord {
    /// A record of which nothing is known yet: one that is gone.
    #[must_use]
    pub fn unknown(resource: &'static Descriptor) -> Self {
        Self { resource, values: vec![None; resource.columns.len()] }
    }

    /// Reads a row; values that do not fit their columns are not known.
    pub(super) fn read(resource: &'static Descriptor, row: &dyn Row) -> Result<Self, AdapterError> {
        let value = |column| match stored_value(resource, column, row) {
            Err(AdapterError::Corrupt { .. }) => Ok(None),
            value => value.map(Some),
        };
        Ok(Self { resource, values: (0..resource.columns.len()).map(value).collect::<Result<_, _>>()? })
    }

    /// The description of the record's resource.
    #[must_use]
    pub const fn descriptor(&self) -> &'static Descriptor {
        self.resource
    }

    /// The value of a field, by its name in JSON; `None` where it is not known.
    #[must_use]
    pub fn value(&self, field: &str) -> Option<Json> {
        let (index, column) = self.resource.json_field(field)?;
        Some(json_value(column, self.values[index].as_ref()?.borrow()))
    }

    /// Lays the values of an entry's `changes` or `previous` over those of the record, with the entry's tenant where
    /// that is not known. A field that the log does not have is not known then.
    pub fn lay_over(&mut self, values: &Map<String, Json>, tenant: Option<&str>) {
        for (index, column) in self.resource.columns.iter().enumerate() {
            if column.computed.is_some() {
                self.values[index] = None;
            } else if let Some(value) = values.get(column.json) {
                self.values[index] = logged(column, value);
            }
        }
        let (Some(of), Some(tenant)) = (self.resource.tenant, tenant) else { return };
        if self.values[of.column].is_none() {
            self.values[of.column] = scalar::parse_stored(&self.resource.columns[of.column], tenant).ok();
        }
    }

    /// Makes the record not soft-deleted, as before a soft delete: the log does not have a time of deletion that
    /// answers do not have.
    pub fn lay_active(&mut self) {
        let Some(soft_delete) = self.resource.soft_delete else { return };
        for (index, column) in self.resource.columns.iter().enumerate() {
            if column.role == Role::IsDeleted || index == soft_delete.deleted_at {
                self.values[index] = Some(if column.kind == Kind::Bool { Value::Bool(false) } else { Value::Null });
            }
        }
    }

    /// The value of a column, where it is known.
    pub(crate) fn get(&self, column: usize) -> Option<&Value> {
        self.values[column].as_ref()
    }

    /// Forgets every value: the log does not have the values of a change.
    pub fn forget(&mut self) {
        self.values.fill(None);
    }

    /// Whether the values satisfy a condition.
    #[must_use]
    pub fn truth(&self, condition: &Predicate) -> Truth {
        condition.truth(self.resource, &|column| self.values[column].as_ref())
    }
}

/// The value of a column from the log's JSON; `None` where the log does not have it.
fn logged(column: &ColumnDescriptor, value: &Json) -> Option<Value> {
    let has_text = !matches!(column.kind, Kind::Json | Kind::Bytes | Kind::TextList | Kind::List(_));
    match value {
        // The log has null in place of a value that answers do not have.
        Json::Null if !column.is_returned() => None,
        Json::Null => Some(Value::Null),
        Json::String(text) => scalar::parse_stored(column, text).ok(),
        other if has_text => scalar::parse_stored(column, &other.to_string()).ok(),
        _ => None,
    }
}

impl Row for StoredRecord {
    fn value(&self, column: usize) -> Result<ValueRef<'_>, AdapterError> {
        let unknown = || AdapterError::Corrupt {
            column: self.resource.columns[column].column,
            error: ColumnError::new("cannot be read"),
        };
        self.values[column].as_ref().map(Value::borrow).ok_or_else(unknown)
    }
}
