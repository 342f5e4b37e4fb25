//! [`AuditRecord`]: an entry of the log, which is a resource like any other to storage.

use chrono::{DateTime, Utc};

use crate::Resource;

/// An entry of the audit log, in the table `audit_logs`.
///
/// The log is written with the changes it tells of; [`Service::store`](crate::Service::store) reads it. Over
/// HTTP it is at `/audit-logs`, where `entity_id` and `entity_key` are one field.
// Every change of every audited resource keeps these indexes up, so that there are few. The first has all entries,
// because it also finds those of a type; an action selects too many for an index of its own.
//
// Clippy takes columns that two indexes share for attributes given twice.
#[allow(clippy::duplicated_attributes)]
#[derive(Debug, Clone, PartialEq, Resource)]
#[crud(
    prefix = "/audit-logs",
    table = "audit_logs",
    tags("Audit"),
    default_sort(timestamp),
    pagination(default_limit = 20, max_limit = 100),
    only(list),
    index(entity_type, entity_id, timestamp),
    index(entity_type, entity_key, timestamp, some(entity_key)),
    index(user_id, timestamp, some(user_id)),
    index(timestamp)
)]
#[non_exhaustive]
pub struct AuditRecord {
    /// The key.
    pub id: i64,
    /// The name of the record's struct, such as `Product`.
    pub entity_type: String,
    /// The record's key, where it is an integer.
    pub entity_id: Option<i64>,
    /// The record's key, where it is text or a UUID.
    pub entity_key: Option<String>,
    /// What happened: `create`, `update`, `delete`, `soft_delete` or `restore`.
    pub action: String,
    /// Who did it, where the actor is known by an integer.
    pub user_id: Option<i64>,
    /// Who did it: the `sub` of the caller's token.
    pub actor: Option<String>,
    /// All fields of a created record, the new values of an updated one's changed fields.
    #[crud(immutable)]
    pub changes: Option<serde_json::Value>,
    /// The old values of an updated record's changed fields, the whole of a deleted one.
    #[crud(immutable)]
    pub previous: Option<serde_json::Value>,
    /// When it happened.
    pub timestamp: Option<DateTime<Utc>>,
}
