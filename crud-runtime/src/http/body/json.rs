//! [`JsonSeed`]: JSON of any shape and bounded depth.

use std::borrow::Cow;
use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};

use super::pointer::{Pointer, Segment};
use super::seed::Nesting;
use crate::model::problem::FieldErrors;
use crate::model::scalar;

/// A seed for any JSON value; `None`, with an error in `errors`, when a string or name in it cannot be stored.
pub(super) struct JsonSeed<'a> {
    pub(super) pointer: Pointer<'a>,
    pub(super) errors: &'a mut FieldErrors,
    pub(super) nesting: Nesting,
}

impl JsonSeed<'_> {
    fn text(self, text: Cow<'_, str>) -> Option<Value> {
        match scalar::plain_text(&text) {
            Ok(()) => Some(Value::String(text.into_owned())),
            Err(error) => {
                self.errors.push_with(|| self.pointer.error("format", error.message()));
                None
            }
        }
    }
}

impl<'de> DeserializeSeed<'de> for JsonSeed<'_> {
    type Value = Option<Value>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for JsonSeed<'_> {
    type Value = Option<Value>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_unit<E: Error>(self) -> Result<Self::Value, E> {
        Ok(Some(Value::Null))
    }

    fn visit_none<E: Error>(self) -> Result<Self::Value, E> {
        self.visit_unit()
    }

    fn visit_bool<E: Error>(self, value: bool) -> Result<Self::Value, E> {
        Ok(Some(Value::Bool(value)))
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<Self::Value, E> {
        Ok(Some(Value::from(value)))
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<Self::Value, E> {
        Ok(Some(Value::from(value)))
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<Self::Value, E> {
        Number::from_f64(value)
            .map(|number| Some(Value::Number(number)))
            .ok_or_else(|| E::custom("number out of range"))
    }

    fn visit_str<E: Error>(self, value: &str) -> Result<Self::Value, E> {
        Ok(self.text(Cow::Borrowed(value)))
    }

    fn visit_string<E: Error>(self, value: String) -> Result<Self::Value, E> {
        Ok(self.text(Cow::Owned(value)))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
        let nesting = self.nesting.enter()?;
        let (mut items, mut index, mut complete) = (Vec::new(), 0, true);
        loop {
            let pointer = Pointer::Inner(&self.pointer, Segment::Index(index));
            match seq.next_element_seed(JsonSeed { pointer, errors: self.errors, nesting })? {
                Some(Some(item)) => items.push(item),
                Some(None) => complete = false,
                None => return Ok(complete.then_some(Value::Array(items))),
            }
            index += 1;
        }
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let nesting = self.nesting.enter()?;
        let (mut fields, mut complete) = (Map::new(), true);
        while let Some(name) = map.next_key::<String>()? {
            let pointer = Pointer::Inner(&self.pointer, Segment::Name(&name));
            if let Err(error) = scalar::json_name(&name) {
                self.errors.push_with(|| pointer.error("format", error.message()));
                complete = false;
            } else if fields.contains_key(&name) {
                self.errors.push_with(|| pointer.error("duplicate", "must be given only once"));
                complete = false;
            }
            match map.next_value_seed(JsonSeed { pointer, errors: self.errors, nesting })? {
                Some(value) => drop(fields.insert(name, value)),
                None => complete = false,
            }
        }
        Ok(complete.then_some(Value::Object(fields)))
    }
}
