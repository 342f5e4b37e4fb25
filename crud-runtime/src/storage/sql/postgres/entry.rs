//! [`Entry`]: an audit entry, be it of a record whose key the same statement assigns.

use std::hash::{BuildHasher, RandomState};

use crate::model::adapter_error::AdapterError;
use crate::model::value::Value;

/// Where a column of an entry has the key.
#[derive(Debug, PartialEq)]
pub(super) enum Place {
    /// It has not.
    Nowhere,
    /// It is the key.
    Whole,
    /// It is JSON, in which these texts are before the key and after it.
    Within { before: String, after: String },
}

/// An audit entry for the statement that makes the change.
pub(super) struct Entry {
    /// The entry's values; a key that is not known yet has another one in its place.
    pub(super) values: Vec<Value>,
    /// Where each column has a key that is not known yet.
    places: Vec<Place>,
}

impl Entry {
    /// An entry that lacks nothing.
    pub(super) const fn new(values: Vec<Value>) -> Self {
        Self { values, places: Vec::new() }
    }

    /// The entry of a record whose key is yet to come; `None` where it cannot be told where that stands.
    pub(super) fn before_key(
        of_key: impl FnOnce(Value) -> Result<Vec<Value>, AdapterError>,
    ) -> Result<Option<Self>, AdapterError> {
        let key = stand_in();
        let values = of_key(Value::Int(key))?;
        let digits = key.to_string();
        let places: Option<Vec<Place>> = values.iter().map(|value| place(value, key, &digits)).collect();
        Ok(places.map(|places| Self { values, places }))
    }

    /// Where a column has the key.
    pub(super) fn place(&self, column: usize) -> &Place {
        self.places.get(column).unwrap_or(&Place::Nowhere)
    }
}

/// A key of nineteen digits for one that is not known yet. Nobody knew it when the record was written, so that its digits
/// are nothing but the key wherever they stand.
fn stand_in() -> i64 {
    const LEAST: u64 = 1_000_000_000_000_000_000;
    const MOST: u64 = i64::MAX.cast_unsigned();
    // What std makes of its secret: another number each time, which tells nothing of the next.
    let random = RandomState::new().hash_one(());
    (LEAST + random % (MOST - LEAST)).cast_signed()
}

/// Where a value has the key; `None` where it has it in another way than an entry's.
fn place(value: &Value, key: i64, digits: &str) -> Option<Place> {
    match value {
        Value::Int(value) if *value == key => Some(Place::Whole),
        Value::JsonText(text) => match text.split_once(digits) {
            None => Some(Place::Nowhere),
            Some((_, after)) if after.contains(digits) => None,
            Some((before, after)) => Some(Place::Within { before: before.to_owned(), after: after.to_owned() }),
        },
        Value::Null | Value::Int(_) | Value::DateTime(_) => Some(Place::Nowhere),
        Value::Text(text) => (!text.contains(digits)).then_some(Place::Nowhere),
        other => (!other.to_string().contains(digits)).then_some(Place::Nowhere),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn places(changes: impl Fn(&Value) -> Value) -> Option<Vec<Place>> {
        let of_key = |key: Value| Ok(vec![Value::Text("Product".to_owned()), changes(&key), key]);
        Entry::before_key(of_key).unwrap().map(|entry| entry.places)
    }

    #[test]
    fn the_key_is_found_wherever_it_stands_once() {
        let within = Place::Within { before: r#"{"id":"#.to_owned(), after: r#","name":"a"}"#.to_owned() };
        let found = places(|key| Value::JsonText(format!(r#"{{"id":{key},"name":"a"}}"#)));
        assert_eq!(found, Some(vec![Place::Nowhere, within, Place::Whole]));
        assert_eq!(
            places(|_| Value::JsonText("{}".to_owned())),
            Some(vec![Place::Nowhere, Place::Nowhere, Place::Whole])
        );
    }

    #[test]
    fn a_key_that_stands_twice_or_where_it_cannot_be_replaced_is_not() {
        assert_eq!(places(|key| Value::JsonText(format!("[{key},{key}]"))), None);
        assert_eq!(places(|key| Value::Text(format!("Product {key}"))), None);
        assert_eq!(places(|key| Value::Json(json!({ "id": key.to_string() }))), None);
    }

    #[test]
    fn no_two_keys_are_alike() {
        let keys = [stand_in(), stand_in(), stand_in()];
        assert!(keys.iter().all(|key| key.to_string().len() == 19), "{keys:?}");
        assert!(keys[0] != keys[1] && keys[1] != keys[2] && keys[0] != keys[2], "{keys:?}");
    }
}
