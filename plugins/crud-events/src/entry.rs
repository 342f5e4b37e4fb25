//! [`Entry`]: a numbered entry of the audit log.

use crud_runtime::descriptor::Descriptor;
use crud_runtime::prelude::*;
use serde_json::Value as Json;

/// An entry of the audit log with its number, of a resource of the service.
#[derive(Debug, Clone)]
#[allow(dead_code, reason = "the parts of the crate that read it follow")]
pub(crate) struct Entry {
    /// The number: later ones are larger, and an entry that commits late has a later number.
    pub(crate) seq: i64,
    /// The id in the log: of one record, in the order of its changes.
    pub(crate) log_id: i64,
    pub(crate) resource: &'static Descriptor,
    /// The record's key, as in paths.
    pub(crate) key: String,
    pub(crate) kind: EntryKind,
    pub(crate) changes: Option<Json>,
    pub(crate) previous: Option<Json>,
    pub(crate) timestamp: Option<DateTime<Utc>>,
    pub(crate) actor: Option<String>,
    pub(crate) tenant: Option<String>,
}

/// The kind of an entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum EntryKind {
    Create,
    Update,
    Delete,
    SoftDelete,
    Restore,
    /// Records were linked to the record, or no longer are.
    Links,
    /// An event of the program's own, such as `order.shipped`: its data is in `changes`.
    Own(String),
}
