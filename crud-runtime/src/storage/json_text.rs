//! JSON in text columns: answers contain it unchanged, and a table made elsewhere has no constraint that keeps
//! other text out.

use serde::de::{Deserializer, IgnoredAny, SeqAccess, Visitor};

use crate::model::column_error::ColumnError;
use crate::model::value::ValueRef;

/// The text, if it is JSON.
pub(crate) fn any(text: &str) -> Result<ValueRef<'_>, ColumnError> {
    read(text, |json| json.deserialize_ignored_any(IgnoredAny).map(drop))
}

/// The text, if it is a list of texts.
pub(crate) fn texts(text: &str) -> Result<ValueRef<'_>, ColumnError> {
    read(text, |json| json.deserialize_seq(Texts))
}

fn read<'r>(
    text: &'r str,
    read: impl FnOnce(&mut serde_json::Deserializer<serde_json::de::StrRead<'r>>) -> serde_json::Result<()>,
) -> Result<ValueRef<'r>, ColumnError> {
    let mut json = serde_json::Deserializer::from_str(text);
    match read(&mut json).and_then(|()| json.end()) {
        Ok(()) => Ok(ValueRef::JsonText(text)),
        Err(error) => Err(ColumnError::new(format!("must be JSON: {error}"))),
    }
}

/// A list of texts, looked at and left.
struct Texts;

impl<'de> Visitor<'de> for Texts {
    type Value = ();

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("a list of texts")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<(), A::Error> {
        while list.next_element::<OneText>()?.is_some() {}
        Ok(())
    }
}

struct OneText;

impl<'de> serde::Deserialize<'de> for OneText {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_str(Self)
    }
}

impl Visitor<'_> for OneText {
    type Value = Self;

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("a text")
    }

    fn visit_str<E>(self, _: &str) -> Result<Self, E> {
        Ok(self)
    }
}
