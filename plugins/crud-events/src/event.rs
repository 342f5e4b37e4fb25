//! [`Event`]: an event as a subscriber gets it.

use crud_runtime::prelude::*;
use serde::Serialize;
use serde_json::Value as Json;

/// An event of a record, as a subscriber gets it: the record as it is now, or that it is no longer among those that the
/// subscriber sees.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Event {
    /// The number of the event, as a text: later events have larger ones.
    pub id: String,
    /// The type, such as `product.updated`: `created`, `updated` or `removed` of a resource, or one of the program's own.
    #[serde(rename = "type")]
    pub kind: String,
    /// The time of the change.
    pub timestamp: Option<DateTime<Utc>>,
    /// The resource, by the last part of its path, such as `products`.
    pub resource: String,
    /// The record's key, as in JSON.
    pub record_id: Json,
    /// Names of the fields that were changed, of those that the subscriber sees.
    pub changed: Vec<String>,
    /// The record as a `GET` returns it; null where it is not, or no longer, among those that the subscriber sees. Of an event
    /// of the program, the program's data.
    pub data: Json,
    /// Of an event of the program, the record that it is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub record: Option<Json>,
}
