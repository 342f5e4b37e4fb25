//! [`Entry`]: an audit entry, be it of a record whose key the same statement assigns.

use crate::adapter::AdapterError;
use crate::value::Value;

/// Keys that have no digit in common: where the entries of two records differ that differ in these alone, the key
/// stands.
const KEYS: [i64; 2] = [1_111_111_111_111_111_111, 2_222_222_222_222_222_222];

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
        of_key: impl Fn(Value) -> Result<Vec<Value>, AdapterError>,
    ) -> Result<Option<Self>, AdapterError> {
        let [one, other] = KEYS.map(Value::Int);
        let (values, others) = (of_key(one)?, of_key(other)?);
        let places: Option<Vec<Place>> = values.iter().zip(&others).map(|(one, other)| place(one, other)).collect();
        Ok(places.map(|places| Self { values, places }))
    }

    /// Where a column has the key.
    pub(super) fn place(&self, column: usize) -> &Place {
        self.places.get(column).unwrap_or(&Place::Nowhere)
    }
}

fn place(one: &Value, other: &Value) -> Option<Place> {
    match (one, other) {
        _ if one == other => Some(Place::Nowhere),
        (Value::Int(one), Value::Int(other)) if [*one, *other] == KEYS => Some(Place::Whole),
        (Value::Json(one), Value::Json(other)) => {
            let (one, other) = (one.to_string(), other.to_string());
            let (before, after) = one.split_once(&KEYS[0].to_string())?;
            // The record may have the same digits elsewhere.
            let alone = other == format!("{before}{}{after}", KEYS[1]);
            alone.then(|| Place::Within { before: before.to_owned(), after: after.to_owned() })
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn places(changes: impl Fn(&Value) -> serde_json::Value) -> Option<Vec<Place>> {
        let of_key = |key: Value| Ok(vec![Value::Text("Product".to_owned()), Value::Json(changes(&key)), key]);
        Entry::before_key(of_key).unwrap().map(|entry| entry.places)
    }

    fn number(key: &Value) -> i64 {
        if let Value::Int(key) = key { *key } else { 0 }
    }

    #[test]
    fn the_key_is_found_wherever_it_stands_once() {
        let within = Place::Within { before: r#"{"id":"#.to_owned(), after: r#","name":"a"}"#.to_owned() };
        let found = places(|key| json!({ "id": number(key), "name": "a" }));
        assert_eq!(found, Some(vec![Place::Nowhere, within, Place::Whole]));
    }

    #[test]
    fn a_key_that_stands_twice_or_beside_its_own_digits_is_not() {
        assert_eq!(places(|key| json!([number(key), number(key)])), None);
        assert_eq!(places(|key| json!([KEYS[0], number(key)])), None);
        assert_eq!(places(|key| json!(number(key) - 1)), None);
    }
}
