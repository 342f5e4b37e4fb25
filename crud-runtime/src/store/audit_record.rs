//! [`AuditRecord`]: an entry of the audit log, itself a resource.

use std::fmt;

use chrono::{DateTime, Utc};
use uuid::Uuid;

use crate::Resource;
use crate::model::adapter_error::AdapterError;
use crate::model::descriptor::Descriptor;
use crate::model::key::Key;
use crate::model::value::Value;
use crate::query::Condition;
use crate::storage::adapter::Adapter;
use crate::storage::write::{Outcome, Write, WriteSink};

/// An entry of the audit log, in the table `audit_logs`.
///
/// An entry is written in the transaction of its change. [`Service::store`](crate::service::builder::Service::store)
/// reads entries; over HTTP they are at `/audit-logs`, where `entity_id` and `entity_key` are one field.
// Every audited change updates these indexes, so there are few. The first also serves queries by type. There is none
// on `action`, which is not selective.
//
// Clippy mistakes columns that two indexes share for duplicated attributes.
#[allow(clippy::duplicated_attributes)]
#[derive(Debug, Clone, PartialEq, Resource)]
#[crud(
    prefix = "/audit-logs",
    table("audit_logs", new),
    tags("Audit"),
    default_sort(timestamp),
    pagination(default_limit = 20, max_limit = 100),
    operations(list),
    index(entity_type, entity_id, timestamp),
    index(entity_type, entity_key, timestamp, some(entity_key)),
    index(user_id, timestamp, some(user_id)),
    index(tenant, timestamp, some(tenant)),
    index(timestamp)
)]
#[non_exhaustive]
pub struct AuditRecord {
    /// The key.
    pub id: i64,
    /// The name of the record's struct, such as `Product`.
    pub entity_type: String,
    /// The record's key, if it is an integer.
    pub entity_id: Option<i64>,
    /// The record's key, if it is text or a UUID.
    pub entity_key: Option<String>,
    /// The action: `create`, `update`, `delete`, `soft_delete` or `restore`.
    pub action: String,
    /// The actor's id, if it is an integer.
    pub user_id: Option<i64>,
    /// The actor: the `sub` of the request's token; with what acts for the user, such as `key:ci-server of 7`.
    pub actor: Option<String>,
    /// All fields of a created record; the new values of an updated record's changed fields.
    #[crud(immutable)]
    pub changes: Option<serde_json::Value>,
    /// The old values of an updated record's changed fields; all fields of a deleted record.
    #[crud(immutable)]
    pub previous: Option<serde_json::Value>,
    /// The time of the change.
    pub timestamp: Option<DateTime<Utc>>,
    /// The record's tenant, where records have tenants.
    pub tenant: Option<String>,
}

impl AuditRecord {
    /// The condition that entries are of records of a resource, by any name that it has in the log.
    pub(crate) fn is_of(resource: &Descriptor) -> Condition<Self> {
        match resource.formers {
            [] => Self::FIELDS.entity_type.eq(resource.name),
            _ => Self::FIELDS.entity_type.is_in(resource.names()),
        }
    }

    /// The condition that entries are of a record.
    pub(crate) fn is_of_record(resource: &Descriptor, id: &Key) -> Condition<Self> {
        let (entity_id, entity_key) = EntityId::from_key(id).into_columns();
        Self::is_of(resource).and(Self::FIELDS.entity_id.eq(entity_id)).and(Self::FIELDS.entity_key.eq(entity_key))
    }
}

/// Writes entries to the log. An entry that another process has removed is not a failure.
///
/// # Errors
/// Errors of [`Adapter::write`], and that of an entry.
pub(crate) async fn write_entries(
    adapter: &dyn Adapter,
    write: Write<'_>,
    sink: &mut dyn WriteSink,
) -> Result<(), AdapterError> {
    if write.work.is_empty() {
        return Ok(());
    }
    for outcome in adapter.write(AuditRecord::DESCRIPTOR, write, sink).await? {
        if let Outcome::Failed(error) = outcome {
            return Err(error);
        }
    }
    Ok(())
}

/// The action of an audit entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Action {
    /// The record was created.
    Create,
    /// The record was updated.
    Update,
    /// The record was deleted permanently: without soft delete, or by a purge.
    Delete,
    /// The record was soft-deleted.
    SoftDelete,
    /// The record was restored.
    Restore,
}

impl Action {
    /// Every action.
    pub const ALL: [Self; 5] = [Self::Create, Self::Update, Self::Delete, Self::SoftDelete, Self::Restore];

    /// The action's name in the log, such as `soft_delete`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Create => "create",
            Self::Update => "update",
            Self::Delete => "delete",
            Self::SoftDelete => "soft_delete",
            Self::Restore => "restore",
        }
    }
}

impl fmt::Display for Action {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// The action of an entry about records that a junction links to its record. It changes no field of the record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LinkAction {
    /// Records were linked: `changes` has their keys.
    Link,
    /// Records are no longer linked: `previous` has their keys.
    Unlink,
}

impl LinkAction {
    /// The names of both actions in the log.
    pub(crate) const NAMES: [&'static str; 2] = [Self::Link.as_str(), Self::Unlink.as_str()];

    /// The action's name in the log.
    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::Link => "link",
            Self::Unlink => "unlink",
        }
    }
}

/// The key of an entry's record.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum EntityId {
    /// An integer.
    Integer(i64),
    /// Any other key, as text in its path: several values are each percent-encoded, with commas between them.
    Text(String),
}

impl EntityId {
    /// The id for this key.
    pub(crate) fn from_key(key: &Key) -> Self {
        match key.single() {
            Some(Value::Int(id)) => Self::Integer(*id),
            Some(Value::Text(text)) => Self::Text(text.clone()),
            _ => Self::Text(key.to_string()),
        }
    }

    /// The values of the log's columns `entity_id` and `entity_key`.
    pub(crate) fn into_columns(self) -> (Option<i64>, Option<String>) {
        match self {
            Self::Integer(id) => (Some(id), None),
            Self::Text(id) => (None, Some(id)),
        }
    }
}

/// Whether the log has the keys of a resource's records as integers.
pub(crate) fn has_integer_key(resource: &Descriptor) -> bool {
    matches!(resource.key(), [column] if resource.columns[*column].kind.integer_range().is_some())
}

impl From<i64> for EntityId {
    fn from(id: i64) -> Self {
        Self::Integer(id)
    }
}

impl From<i32> for EntityId {
    fn from(id: i32) -> Self {
        Self::Integer(id.into())
    }
}

impl From<&str> for EntityId {
    fn from(id: &str) -> Self {
        Self::Text(id.to_owned())
    }
}

impl From<String> for EntityId {
    fn from(id: String) -> Self {
        Self::Text(id)
    }
}

impl From<Uuid> for EntityId {
    fn from(id: Uuid) -> Self {
        Self::Text(id.hyphenated().to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::AuditRecord;
    use crate::Resource;
    use crate::model::descriptor::Audit;

    #[test]
    fn the_log_has_the_table_that_storage_knows() {
        assert_eq!(AuditRecord::DESCRIPTOR.table, Audit::LOG);
    }
}
