//! Lists of texts, as JSON in a text column.

use serde::de::{Deserializer, SeqAccess, Visitor};

use crate::model::column_error::ColumnError;
use crate::model::value::ValueRef;
use crate::storage::json_text::read;

/// The stored text as a value, if it is a JSON list of texts.
pub(crate) fn texts(text: &str) -> Result<ValueRef<'_>, ColumnError> {
    read(text, |json| json.deserialize_seq(Texts))
}

/// Visitor that checks a list of texts and keeps nothing of it.
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
