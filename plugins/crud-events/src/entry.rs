//! [`Entry`]: a numbered entry of the audit log.

use crud_runtime::descriptor::Descriptor;
use crud_runtime::prelude::*;
use serde_json::{Map, Value as Json};

/// An entry of the audit log about a resource of the service, with its number.
#[derive(Debug, Clone)]
pub(crate) struct Entry {
    /// The number, assigned after the commit: an entry that commits later has a larger one.
    pub(crate) seq: i64,
    /// The id in the audit log. For one record, ids are in the order of its changes.
    pub(crate) log_id: i64,
    pub(crate) resource: &'static Descriptor,
    /// The record's key, as in paths.
    pub(crate) key: String,
    pub(crate) kind: EntryKind,
    pub(crate) changes: Option<Json>,
    pub(crate) previous: Option<Json>,
    pub(crate) timestamp: Option<DateTime<Utc>>,
    /// The author of the change, as in the log.
    #[allow(dead_code, reason = "webhooks may tell it")]
    pub(crate) actor: Option<String>,
    /// The record's tenant as text, if the record has one and the entry does not change it.
    pub(crate) tenant: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum EntryKind {
    Create,
    Update,
    Delete,
    SoftDelete,
    Restore,
    /// Other records were linked to the record, or unlinked from it.
    Links,
    /// An event of the program's own, such as `order.shipped`: its data is in `changes`.
    Own(String),
}

impl EntryKind {
    /// Prefix of the action of the program's own events in the log. The type follows.
    pub(crate) const OWN: &'static str = "event:";

    /// The kind of an action in the log; `None` for entries of the program that are not events.
    pub(crate) fn of(action: &str) -> Option<Self> {
        Some(match action {
            "create" => Self::Create,
            "update" => Self::Update,
            "delete" => Self::Delete,
            "soft_delete" => Self::SoftDelete,
            "restore" => Self::Restore,
            "link" | "unlink" => Self::Links,
            own => Self::Own(own.strip_prefix(Self::OWN)?.to_owned()),
        })
    }

    /// Whether the entry changes values of the record.
    pub(crate) const fn changes_values(&self) -> bool {
        !matches!(self, Self::Links | Self::Own(_))
    }
}

impl Entry {
    /// Names of the fields that the entry changes: all fields for a creation or a removal.
    pub(crate) fn changed(&self) -> impl Iterator<Item = &str> {
        let whole = if self.kind == EntryKind::Create { self.values() } else { self.former() };
        let changed = [&self.changes, &self.previous].into_iter().flatten().find_map(Json::as_object);
        whole.or(changed).into_iter().flat_map(|values| values.keys().map(String::as_str))
    }

    /// Whether the entry is about the same record as another one.
    #[cfg(feature = "webhooks")]
    pub(crate) fn is_of_record_of(&self, other: &Self) -> bool {
        std::ptr::eq(self.resource, other.resource) && self.key == other.key
    }

    /// The values after the change, as far as the log has them.
    pub(crate) fn values(&self) -> Option<&Map<String, Json>> {
        self.changes.as_ref().and_then(Json::as_object)
    }

    /// The values before the change, as far as the log has them.
    pub(crate) fn former(&self) -> Option<&Map<String, Json>> {
        self.previous.as_ref().and_then(Json::as_object)
    }
}
