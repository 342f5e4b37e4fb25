//! [`Event`]: an event as a subscriber gets it.

use crud_runtime::descriptor::Descriptor;
use crud_runtime::prelude::*;
use serde::Serialize;
use serde_json::Value as Json;

/// An event of a record, as a subscriber gets it: the record as it is now, or its removal from the records that the
/// subscriber sees.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Event {
    /// The number of the event, as a text: later events have larger numbers.
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
    /// Names of the changed fields that the subscriber sees.
    pub changed: Vec<String>,
    /// The record as a `GET` returns it; null if the subscriber does not see the record. For the program's own events,
    /// the program's data.
    pub data: Json,
    /// For the program's own events: the record that the event is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub record: Option<Json>,
}

/// The resource's name in event types: `order_item` for `OrderItem`.
pub(crate) fn word(resource: &Descriptor) -> String {
    let mut word = String::new();
    let mut before: Option<char> = None;
    for character in resource.api_name.unwrap_or(resource.name).chars() {
        if character.is_uppercase() && before.is_some_and(|before| before.is_lowercase() || before.is_ascii_digit()) {
            word.push('_');
        }
        word.extend(character.to_lowercase());
        before = Some(character);
    }
    word
}

/// The event types of changes of a resource's records.
#[cfg(feature = "webhooks")]
pub(crate) fn types_of_changes(resource: &Descriptor) -> [String; 3] {
    let word = word(resource);
    ["created", "updated", "removed"].map(|change| format!("{word}.{change}"))
}

/// The key of a record as JSON: an integer, or a text.
pub(crate) fn key_json(resource: &Descriptor, key: &str) -> Json {
    let is_integer = resource.key().len() == 1 && resource.id_column().kind.integer_range().is_some();
    let integer = is_integer.then(|| key.parse::<i64>().ok()).flatten();
    integer.map_or_else(|| key.into(), Json::from)
}
