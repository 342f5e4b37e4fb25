//! [`Checksum`]: a checksum of records that does not depend on their order.

use rust_decimal::Decimal;
use serde_json::Value as Json;
use sha2::{Digest, Sha256};

use crate::model::descriptor::Descriptor;
use crate::model::value::Value;

/// The number of records, and the sum of their digests.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Checksum {
    records: u64,
    sum: u128,
}

impl Checksum {
    /// Adds a record.
    pub(super) fn add(&mut self, table: &Descriptor, record: &[Value]) {
        let mut bytes = Vec::with_capacity(256);
        for (column, value) in table.columns.iter().zip(record) {
            if column.is_stored() {
                encode(&mut bytes, value);
            }
        }
        let digest = Sha256::digest(&bytes);
        let half = digest.first_chunk().map_or(0, |half| u128::from_be_bytes(*half));
        self.sum = self.sum.wrapping_add(half);
        self.records += 1;
    }

    /// The number of records.
    pub(super) const fn records(self) -> u64 {
        self.records
    }

    /// The sum, as text.
    pub(super) fn text(self) -> String {
        format!("{:016x}", self.sum >> 64)
    }
}

/// Whether two values are the same in every database.
pub(super) fn is_same(one: &Value, other: &Value) -> bool {
    encoded(one) == encoded(other)
}

/// A value in the one form that does not depend on how a database keeps it.
fn encoded(value: &Value) -> Vec<u8> {
    let mut bytes = Vec::new();
    encode(&mut bytes, value);
    bytes
}

fn encode(bytes: &mut Vec<u8>, value: &Value) {
    match value {
        Value::Null | Value::Default => bytes.push(0),
        Value::Bool(value) => bytes.extend([1, u8::from(*value)]),
        Value::Int(value) => tagged(bytes, 2, &value.to_be_bytes()),
        Value::Float(value) => tagged(bytes, 3, &float(*value)),
        Value::Text(value) => tagged(bytes, 4, value.as_bytes()),
        Value::DateTime(value) => tagged(bytes, 5, &value.timestamp_micros().to_be_bytes()),
        Value::Date(value) => tagged(bytes, 6, value.to_string().as_bytes()),
        Value::Time(value) => tagged(bytes, 7, value.to_string().as_bytes()),
        Value::NaiveDateTime(value) => tagged(bytes, 8, &value.and_utc().timestamp_micros().to_be_bytes()),
        Value::Uuid(value) => tagged(bytes, 9, value.as_bytes()),
        // 1.50 is 1.5, and zero has no sign.
        Value::Decimal(value) => {
            let number = if value.is_zero() { Decimal::ZERO } else { value.normalize() };
            tagged(bytes, 10, number.to_string().as_bytes());
        }
        Value::Bytes(value) => tagged(bytes, 11, value),
        Value::TextList(texts) => {
            tagged(bytes, 12, &texts.len().to_be_bytes());
            for text in texts {
                tagged(bytes, 4, text.as_bytes());
            }
        }
        Value::List(values) => {
            tagged(bytes, 14, &values.len().to_be_bytes());
            for value in values {
                encode(bytes, value);
            }
        }
        Value::Json(json) => encode_json(bytes, json),
        Value::JsonText(text) => match serde_json::from_str(text) {
            Ok(json) => encode_json(bytes, &json),
            Err(_) => tagged(bytes, 13, text.as_bytes()),
        },
    }
}

/// Databases may change the order of members, and the text of numbers.
fn encode_json(bytes: &mut Vec<u8>, json: &Json) {
    match json {
        Json::Null => bytes.push(20),
        Json::Bool(value) => bytes.extend([21, u8::from(*value)]),
        Json::Number(number) => match (number.as_i64(), number.as_u64(), number.as_f64()) {
            (Some(number), ..) => tagged(bytes, 22, &i128::from(number).to_be_bytes()),
            (_, Some(number), _) => tagged(bytes, 22, &i128::from(number).to_be_bytes()),
            (_, _, Some(number)) if number.fract() == 0.0 && number.abs() < 1e18 => {
                #[allow(clippy::cast_possible_truncation, reason = "it is whole, and small enough")]
                tagged(bytes, 22, &(number as i128).to_be_bytes());
            }
            (_, _, number) => tagged(bytes, 23, &float(number.unwrap_or_default())),
        },
        Json::String(text) => tagged(bytes, 24, text.as_bytes()),
        Json::Array(items) => {
            tagged(bytes, 25, &items.len().to_be_bytes());
            for item in items {
                encode_json(bytes, item);
            }
        }
        Json::Object(members) => {
            tagged(bytes, 26, &members.len().to_be_bytes());
            let mut members: Vec<_> = members.iter().collect();
            members.sort_unstable_by_key(|(name, _)| *name);
            for (name, value) in members {
                tagged(bytes, 24, name.as_bytes());
                encode_json(bytes, value);
            }
        }
    }
}

fn tagged(bytes: &mut Vec<u8>, tag: u8, value: &[u8]) {
    bytes.push(tag);
    bytes.extend(value.len().to_be_bytes());
    bytes.extend(value);
}

/// A float's bits; the zero of SQLite has no sign.
fn float(value: f64) -> [u8; 8] {
    if value == 0.0 { 0.0_f64.to_be_bytes() } else { value.to_be_bytes() }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn values_are_the_same_however_a_database_keeps_them() {
        let decimal = |text: &str| Value::Decimal(text.parse().unwrap());
        let text = |text: &str| Value::JsonText(text.to_owned());
        let same = [
            (decimal("1.50"), decimal("1.5")),
            (decimal("-0.0"), decimal("0")),
            (Value::Float(-0.0), Value::Float(0.0)),
            (text(r#"{"b":1.0,"a":[1e2]}"#), Value::Json(json!({ "a": [100], "b": 1 }))),
        ];
        for (one, other) in same {
            assert!(is_same(&one, &other), "{one:?} {other:?}");
        }
        let others = [
            (decimal("1.5"), decimal("1.51")),
            (Value::Null, Value::Text(String::new())),
            (Value::TextList(vec!["ab".to_owned()]), Value::TextList(vec!["a".to_owned(), "b".to_owned()])),
            (text("9007199254740993"), text("9007199254740992")),
            (text(r#"{"a":1}"#), text(r#"{"a":null}"#)),
        ];
        for (one, other) in others {
            assert!(!is_same(&one, &other), "{one:?} {other:?}");
        }
    }
}
