//! The audit entry of a record whose key the same statement assigns.

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

/// An entry with a key that stands for the one to come, and where each column has it. `None` where that cannot be
/// told.
pub(super) fn entry(
    of_key: impl Fn(Value) -> Result<Vec<Value>, AdapterError>,
) -> Result<Option<(Vec<Value>, Vec<Place>)>, AdapterError> {
    let [one, other] = KEYS.map(Value::Int);
    let (one, other) = (of_key(one)?, of_key(other)?);
    let places: Option<Vec<Place>> = one.iter().zip(&other).map(|(one, other)| place(one, other)).collect();
    Ok(places.map(|places| (one, places)))
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
        entry(of_key).unwrap().map(|(_, places)| places)
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
