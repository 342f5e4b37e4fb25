//! JSON of any shape and bounded depth: kept for a JSON column, or discarded.

use std::borrow::Cow;
use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};

use super::MAX_DEPTH;
use super::pointer::{Pointer, Segment};
use crate::model::problem::FieldErrors;
use crate::model::scalar;

/// The number of arrays and objects that are open around a value.
#[derive(Debug, Clone, Copy)]
pub(super) struct Nesting(usize);

impl Nesting {
    /// Inside the body's own object or array.
    pub(super) const fn body() -> Self {
        Self(1)
    }

    /// One level deeper.
    pub(super) const fn inner(self) -> Self {
        Self(self.0 + 1)
    }

    /// Enters an array or object.
    ///
    /// # Errors
    /// When that is deeper than [`MAX_DEPTH`].
    fn enter<E: Error>(self) -> Result<Self, E> {
        let inner = self.inner();
        if inner.0 > MAX_DEPTH { Err(E::custom(format_args!("nesting deeper than {MAX_DEPTH}"))) } else { Ok(inner) }
    }
}

/// A seed that discards a value.
pub(super) struct Discard(pub(super) Nesting);

impl<'de> DeserializeSeed<'de> for Discard {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

macro_rules! discard {
    ($($visit:ident: $type:ty),+) => { $(
        fn $visit<E: Error>(self, _: $type) -> Result<(), E> {
            Ok(())
        }
    )+ };
}

impl<'de> Visitor<'de> for Discard {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    discard!(visit_bool: bool, visit_i64: i64, visit_u64: u64, visit_f64: f64, visit_str: &str);

    fn visit_unit<E: Error>(self) -> Result<(), E> {
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<(), A::Error> {
        let inner = self.0.enter()?;
        while seq.next_element_seed(Self(inner))?.is_some() {}
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        let inner = self.0.enter()?;
        while map.next_key_seed(Self(inner))?.is_some() {
            map.next_value_seed(Self(inner))?;
        }
        Ok(())
    }
}

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
