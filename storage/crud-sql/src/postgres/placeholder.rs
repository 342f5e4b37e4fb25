//! [`Placeholder`]: a key in an audit entry that the database replaces by the key that it assigns.

use std::hash::{BuildHasher, RandomState};

use crate::model::value::Value;

/// The least placeholder. All placeholders have sixteen digits, which every JSON reader represents exactly.
const LEAST: i64 = 1_000_000_000_000_000;

/// Number of placeholders.
const NUMBER: u64 = 8_000_000_000_000_000;

/// A random key of sixteen digits. An audit entry is first made with this key; its digits mark the places of the key
/// that the database assigns.
#[derive(Debug, Clone, Copy)]
pub(super) struct Placeholder(i64);

/// Position of the assigned key in a value of an entry.
#[derive(Debug, Default, PartialEq)]
pub(super) enum KeyPosition {
    /// The value does not contain the key.
    #[default]
    Nowhere,
    /// The value is the key.
    Whole,
    /// The key's digits are in JSON. `without`: the text without them; `characters`: number of characters before them.
    Json { without: String, characters: usize },
}

impl Placeholder {
    pub(super) fn new() -> Self {
        let random = RandomState::new().hash_one(LEAST) % NUMBER;
        Self(LEAST + random.cast_signed())
    }

    pub(super) const fn value(self) -> Value {
        Value::Int(self.0)
    }

    /// The key's positions in the values of an entry. `None` where the record itself contains the digits, so that the
    /// entry cannot be made before the key is known.
    pub(super) fn places(self, entry: &[Value]) -> Option<Vec<KeyPosition>> {
        let digits = self.0.to_string();
        entry.iter().map(|value| self.place(&digits, value)).collect()
    }

    fn place(self, digits: &str, value: &Value) -> Option<KeyPosition> {
        match value {
            Value::Int(key) if *key == self.0 => Some(KeyPosition::Whole),
            Value::JsonText(text) => match text.split_once(digits) {
                None => Some(KeyPosition::Nowhere),
                Some((_, after)) if after.contains(digits) => None,
                Some((before, after)) => {
                    Some(KeyPosition::Json { without: [before, after].concat(), characters: before.chars().count() })
                }
            },
            Value::Text(text) if text.contains(digits) => None,
            _ => Some(KeyPosition::Nowhere),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn assigned_key_takes_the_place_of_its_digits() {
        let placeholder = Placeholder::new();
        let json = |key: &dyn std::fmt::Display| format!(r#"{{"text":"é{}\"","id":{key}}}"#, '\u{1d11e}');
        let entry = [Value::Text("Note".to_owned()), placeholder.value(), Value::JsonText(json(&placeholder.0))];
        let places = placeholder.places(&entry).expect("the digits are the key's alone");
        let [KeyPosition::Nowhere, KeyPosition::Whole, KeyPosition::Json { without, characters }] = &places[..] else {
            panic!("{places:?}")
        };
        let (before, after): (Vec<_>, Vec<_>) =
            without.chars().enumerate().partition(|(position, _)| position < characters);
        let text = |part: Vec<(usize, char)>| part.into_iter().map(|(_, character)| character).collect::<String>();
        assert_eq!(format!("{}42{}", text(before), text(after)), json(&42));
    }

    #[test]
    fn digits_that_a_record_has_too_have_no_place() {
        let placeholder = Placeholder::new();
        let digits = placeholder.0.to_string();
        assert_eq!(digits.len(), 16);
        let twice = Value::JsonText(format!(r#"{{"id":{digits},"text":"{digits}"}}"#));
        assert_eq!(placeholder.places(&[twice]), None);
        assert_eq!(placeholder.places(&[Value::Text(digits)]), None);
    }
}
