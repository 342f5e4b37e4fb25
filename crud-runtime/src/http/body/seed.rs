//! [`Seed`]: a reader of JSON that expects an object or an array, and refuses other JSON.

use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};

use super::MAX_DEPTH;

/// The number of arrays and objects that are open around a value.
#[derive(Debug, Clone, Copy)]
pub(super) struct Nesting(usize);

impl Nesting {
    /// The nesting inside the body's own object or array.
    pub(super) const fn body() -> Self {
        Self(1)
    }

    /// The nesting one level deeper.
    pub(super) const fn inner(self) -> Self {
        Self(self.0 + 1)
    }

    /// Enters an array or object.
    ///
    /// # Errors
    /// When that is deeper than [`MAX_DEPTH`].
    pub(super) fn enter<E: Error>(self) -> Result<Self, E> {
        let inner = self.inner();
        if inner.0 > MAX_DEPTH { Err(E::custom(format_args!("nesting deeper than {MAX_DEPTH}"))) } else { Ok(inner) }
    }
}

/// The reader of an object or an array.
pub(super) trait ReadJson: Sized {
    /// Reads an object.
    fn object<'de, A: MapAccess<'de>>(self, map: A) -> Result<(), A::Error> {
        Discard(Nesting::body()).members(map)?;
        self.refuse();
        Ok(())
    }

    /// Reads an array.
    fn array<'de, A: SeqAccess<'de>>(self, seq: A) -> Result<(), A::Error> {
        Discard(Nesting::body()).items(seq)?;
        self.refuse();
        Ok(())
    }

    /// Reports JSON of another kind than the reader expects.
    fn refuse(self);
}

/// The seed of a reader.
pub(super) struct Seed<T>(pub(super) T);

impl<T: ReadJson> Seed<T> {
    /// Reads a whole text.
    pub(super) fn read_all(self, text: &[u8]) -> serde_json::Result<()> {
        let mut deserializer = serde_json::Deserializer::from_slice(text);
        self.deserialize(&mut deserializer).and_then(|()| deserializer.end())
    }
}

impl<'de, T: ReadJson> DeserializeSeed<'de> for Seed<T> {
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

impl<'de, T: ReadJson> Visitor<'de> for Seed<T> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    refuse!(visit_bool: bool, visit_i64: i64, visit_u64: u64, visit_f64: f64, visit_str: &str);

    fn visit_unit<E: Error>(self) -> Result<(), E> {
        self.0.refuse();
        Ok(())
    }

    fn visit_none<E: Error>(self) -> Result<(), E> {
        self.visit_unit()
    }

    fn visit_seq<A: SeqAccess<'de>>(self, seq: A) -> Result<(), A::Error> {
        self.0.array(seq)
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<(), A::Error> {
        self.0.object(map)
    }
}

/// Discards JSON whose arrays and objects nest no deeper than bodies may.
pub(super) struct Discard(Nesting);

/// A seed that discards a value in the body's own object or array.
pub(super) fn discard() -> Seed<Discard> {
    Seed(Discard(Nesting::body()))
}

impl Discard {
    fn members<'de, A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        while map.next_key_seed(Seed(Self(self.0)))?.is_some() {
            map.next_value_seed(Seed(Self(self.0)))?;
        }
        Ok(())
    }

    fn items<'de, A: SeqAccess<'de>>(self, mut seq: A) -> Result<(), A::Error> {
        while seq.next_element_seed(Seed(Self(self.0)))?.is_some() {}
        Ok(())
    }
}

impl ReadJson for Discard {
    fn object<'de, A: MapAccess<'de>>(self, map: A) -> Result<(), A::Error> {
        Self(self.0.enter()?).members(map)
    }

    fn array<'de, A: SeqAccess<'de>>(self, seq: A) -> Result<(), A::Error> {
        Self(self.0.enter()?).items(seq)
    }

    fn refuse(self) {}
}
