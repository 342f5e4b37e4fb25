//! [`Object`]: a seed that requires a JSON object.

use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};

use super::json::{Discard, Nesting};

/// The reader of an object, and of JSON that is not an object.
pub(super) trait ReadObject: Sized {
    /// Reads its members.
    fn read<'de, A: MapAccess<'de>>(self, map: A) -> Result<(), A::Error>;

    /// Reports that the JSON is not an object.
    fn refuse(self);
}

/// Reads an object; discards and refuses anything else.
pub(super) struct Object<T>(pub(super) T);

impl<T: ReadObject> Object<T> {
    /// Reads a text that is one object.
    pub(super) fn read_all(self, text: &[u8]) -> serde_json::Result<()> {
        let mut deserializer = serde_json::Deserializer::from_slice(text);
        self.deserialize(&mut deserializer).and_then(|()| deserializer.end())
    }
}

impl<'de, T: ReadObject> DeserializeSeed<'de> for Object<T> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

macro_rules! refuse {
    ($($visit:ident: $type:ty),+) => { $(
        fn $visit<E: Error>(self, _: $type) -> Result<(), E> {
            self.0.refuse();
            Ok(())
        }
    )+ };
}

impl<'de, T: ReadObject> Visitor<'de> for Object<T> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    refuse!(visit_bool: bool, visit_i64: i64, visit_u64: u64, visit_f64: f64, visit_str: &str);

    fn visit_unit<E: Error>(self) -> Result<(), E> {
        self.0.refuse();
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<(), A::Error> {
        while seq.next_element_seed(Discard(Nesting::body()))?.is_some() {}
        self.0.refuse();
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<(), A::Error> {
        self.0.read(map)
    }
}
