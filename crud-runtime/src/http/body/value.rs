//! [`ValueSeed`]: a field's value, deserialized by the column's kind.

use std::fmt;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde::de::value::{MapAccessDeserializer, SeqAccessDeserializer};
use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::Value as Json;

use super::expected::params;
use super::json::JsonSeed;
use super::pointer::{Pointer, Segment};
use super::seed::{Nesting, discard};
use crate::model::column_error::ColumnError;
use crate::model::descriptor::ColumnDescriptor;
use crate::model::list_text::{self, item_column};
use crate::model::problem::FieldErrors;
use crate::model::scalar;
use crate::model::text;
use crate::model::value::{Kind, Value};

/// A seed for the value of a column; `None`, with an error in `errors`, when the value does not fit.
pub(super) struct ValueSeed<'a> {
    pub(super) column: &'static ColumnDescriptor,
    pub(super) pointer: Pointer<'a>,
    pub(super) errors: &'a mut FieldErrors,
    /// Whether an enum takes a text that no variant has, since the record may have it already.
    pub(super) may_keep: bool,
}

impl ValueSeed<'_> {
    fn refuse(self, code: &'static str, detail: impl Into<String>) -> Option<Value> {
        let Self { column, pointer, errors, .. } = self;
        errors.push_with(|| pointer.error(code, detail).with_params(params(column.kind, code)));
        None
    }

    fn wrong_type(self) -> Option<Value> {
        let expected = scalar::json_form(self.column.kind);
        self.refuse("type", expected)
    }

    fn text(self, text: &str) -> Option<Value> {
        let column = self.column;
        let value = match column.kind {
            Kind::Text => scalar::plain_text(text).map(|()| Value::Text(text.to_owned())),
            Kind::Enum(_) if self.may_keep && scalar::plain_text(text).is_ok() => Ok(Value::Text(text.to_owned())),
            Kind::Enum(labels) => scalar::one_of(labels, text).map(|()| Value::Text(text.to_owned())),
            Kind::DateTime => text::parse_date_time(text).map(Value::DateTime),
            Kind::Date => text::parse_date(text).map(Value::Date),
            Kind::Time => text::parse_time(text).map(Value::Time),
            Kind::NaiveDateTime => text::parse_naive_date_time(text).map(Value::NaiveDateTime),
            Kind::Uuid => text::parse_uuid(text).map(Value::Uuid),
            Kind::Decimal => scalar::decimal(column, text).map(Value::Decimal),
            Kind::Bytes => {
                STANDARD.decode(text).map(Value::Bytes).map_err(|_| ColumnError::new("must be base64 (RFC 4648)"))
            }
            _ => return self.wrong_type(),
        };
        match value {
            Ok(value) => Some(value),
            Err(error) => self.refuse("format", error.message()),
        }
    }

    fn integer(self, value: i64) -> Option<Value> {
        match (self.column.kind, self.column.kind.integer_range()) {
            (_, Some((min, max))) if (min..=max).contains(&value) => Some(Value::Int(value)),
            (_, Some(_)) => self.out_of_range(),
            #[allow(clippy::cast_precision_loss)] // A float field holds the nearest double.
            (Kind::F32 | Kind::F64, None) => self.float(value as f64),
            _ => self.wrong_type(),
        }
    }

    fn float(self, value: f64) -> Option<Value> {
        match self.column.kind {
            Kind::F32 | Kind::F64 => match scalar::fit_float(self.column.kind, value) {
                Ok(value) => Some(Value::Float(value)),
                Err(_) => self.out_of_range(),
            },
            // As in JSON Schema, 1.0 is an integer. From 2^53 on, a double is not exact.
            #[allow(clippy::cast_possible_truncation)]
            Kind::I16 | Kind::I32 | Kind::I64 | Kind::U32 if value.fract() == 0.0 => {
                if value.abs() < 9_007_199_254_740_992.0 { self.integer(value as i64) } else { self.out_of_range() }
            }
            _ => self.wrong_type(),
        }
    }

    /// The items of a list, which `read` turns into values; `None` where one is refused.
    fn items<'de, A: SeqAccess<'de>, T>(
        self,
        mut seq: A,
        read: impl Fn(Json) -> Result<T, (&'static str, String)>,
    ) -> Result<Option<Vec<T>>, A::Error> {
        let (mut items, mut index, mut complete) = (Vec::new(), 0, true);
        loop {
            let pointer = Pointer::Inner(&self.pointer, Segment::Index(index));
            let seed = JsonSeed { pointer, errors: &mut *self.errors, nesting: Nesting::body().inner() };
            match seq.next_element_seed(seed)? {
                Some(json) => match json.map(&read) {
                    Some(Ok(item)) => items.push(item),
                    Some(Err((code, detail))) => {
                        self.errors.push_with(|| pointer.error(code, detail));
                        complete = false;
                    }
                    None => complete = false,
                },
                None => return Ok(complete.then_some(items)),
            }
            index += 1;
        }
    }

    fn out_of_range(self) -> Option<Value> {
        let detail = scalar::out_of_range(self.column.kind);
        self.refuse("range", detail.message())
    }
}

impl<'de> DeserializeSeed<'de> for ValueSeed<'_> {
    type Value = Option<Value>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        if self.column.kind == Kind::Json {
            let nullable = self.column.nullable;
            let seed = JsonSeed { pointer: self.pointer, errors: self.errors, nesting: Nesting::body() };
            let value = seed.deserialize(deserializer)?;
            // In a nullable field, JSON null is NULL.
            return Ok(value.map(|json| if nullable && json.is_null() { Value::Null } else { Value::Json(json) }));
        }
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for ValueSeed<'_> {
    type Value = Option<Value>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }

    fn visit_unit<E: Error>(self) -> Result<Self::Value, E> {
        Ok(if self.column.nullable { Some(Value::Null) } else { self.refuse("type", "must not be null") })
    }

    fn visit_none<E: Error>(self) -> Result<Self::Value, E> {
        self.visit_unit()
    }

    fn visit_bool<E: Error>(self, value: bool) -> Result<Self::Value, E> {
        Ok(if self.column.kind == Kind::Bool { Some(Value::Bool(value)) } else { self.wrong_type() })
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<Self::Value, E> {
        Ok(self.integer(value))
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<Self::Value, E> {
        Ok(match (i64::try_from(value), self.column.kind) {
            (Ok(value), _) => self.integer(value),
            #[allow(clippy::cast_precision_loss)]
            (Err(_), Kind::F32 | Kind::F64) => self.float(value as f64),
            (Err(_), kind) if kind.integer_range().is_some() => self.out_of_range(),
            (Err(_), _) => self.wrong_type(),
        })
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<Self::Value, E> {
        Ok(self.float(value))
    }

    fn visit_str<E: Error>(self, value: &str) -> Result<Self::Value, E> {
        Ok(self.text(value))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, seq: A) -> Result<Self::Value, A::Error> {
        match self.column.kind {
            Kind::List(_) => {
                let column = item_column(self.column);
                let read = |json: Json| {
                    let code = if json.is_string() { "format" } else { "type" };
                    list_text::item(&column, &json).map_err(|error| (code, error.message().to_owned()))
                };
                Ok(self.items(seq, read)?.map(Value::List))
            }
            Kind::TextList => {
                let read = |json: Json| match json {
                    Json::String(text) => Ok(text),
                    _ => Err(("type", "must be a string".to_owned())),
                };
                Ok(self.items(seq, read)?.map(Value::TextList))
            }
            _ => {
                discard().deserialize(SeqAccessDeserializer::new(seq))?;
                Ok(self.wrong_type())
            }
        }
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Self::Value, A::Error> {
        discard().deserialize(MapAccessDeserializer::new(map))?;
        Ok(self.wrong_type())
    }
}
