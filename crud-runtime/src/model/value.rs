//! The values that travel between requests, storage and the user's structs.

use std::fmt;

use chrono::{DateTime, NaiveDate, NaiveDateTime, NaiveTime, Utc};
use rust_decimal::Decimal;
use uuid::Uuid;

use super::text;

/// What a column holds: decides how a value is read from JSON and query strings, stored and written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// `true` or `false`.
    Bool,
    /// A 16-bit signed integer.
    I16,
    /// A 32-bit signed integer.
    I32,
    /// A 64-bit signed integer.
    I64,
    /// A 32-bit unsigned integer.
    U32,
    /// A single-precision float; never NaN or infinite.
    F32,
    /// A double-precision float; never NaN or infinite.
    F64,
    /// Unicode text without NUL characters.
    Text,
    /// An instant, to the microsecond.
    DateTime,
    /// A calendar date.
    Date,
    /// A time of day, to the microsecond.
    Time,
    /// A date and time of day without a zone, to the microsecond.
    NaiveDateTime,
    /// A UUID.
    Uuid,
    /// A decimal number; the column's `precision` and `scale` bound it.
    Decimal,
    /// Any JSON value.
    Json,
    /// Bytes, base64 (RFC 4648 section 4) in JSON.
    Bytes,
    /// A list of texts.
    TextList,
    /// One of these texts.
    Enum(&'static [&'static str]),
}

impl Kind {
    /// Whether values can be tested for equality in a filter, and sorted by: all but JSON, bytes and lists.
    pub const fn is_comparable(self) -> bool {
        !matches!(self, Self::Json | Self::Bytes | Self::TextList)
    }

    /// Whether `gt`, `gte`, `lt` and `lte` apply: numbers, text, dates and times.
    pub const fn is_ordered(self) -> bool {
        self.is_comparable() && !matches!(self, Self::Bool | Self::Uuid | Self::Enum(_))
    }

    /// Whether `like` and `ilike` apply.
    pub const fn is_text(self) -> bool {
        matches!(self, Self::Text)
    }

    /// Whether it is an integer, a float or a decimal.
    pub const fn is_number(self) -> bool {
        matches!(self, Self::I16 | Self::I32 | Self::I64 | Self::U32 | Self::F32 | Self::F64 | Self::Decimal)
    }

    /// Whether values have a length: text, bytes and lists.
    pub const fn has_length(self) -> bool {
        matches!(self, Self::Text | Self::Bytes | Self::TextList)
    }

    /// The smallest and largest integer, for the integer kinds.
    pub const fn integer_range(self) -> Option<(i64, i64)> {
        match self {
            Self::I16 => Some((i16::MIN as i64, i16::MAX as i64)),
            Self::I32 => Some((i32::MIN as i64, i32::MAX as i64)),
            Self::I64 => Some((i64::MIN, i64::MAX)),
            Self::U32 => Some((0, u32::MAX as i64)),
            _ => None,
        }
    }
}

/// A value of a column, owned.
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    /// No value.
    Null,
    /// Of [`Kind::Bool`].
    Bool(bool),
    /// Of every integer kind.
    Int(i64),
    /// Of [`Kind::F32`] (widened, which loses nothing) and [`Kind::F64`].
    Float(f64),
    /// Of [`Kind::Text`] and [`Kind::Enum`].
    Text(String),
    /// Of [`Kind::DateTime`].
    DateTime(DateTime<Utc>),
    /// Of [`Kind::Date`].
    Date(NaiveDate),
    /// Of [`Kind::Time`].
    Time(NaiveTime),
    /// Of [`Kind::NaiveDateTime`].
    NaiveDateTime(NaiveDateTime),
    /// Of [`Kind::Uuid`].
    Uuid(Uuid),
    /// Of [`Kind::Decimal`].
    Decimal(Decimal),
    /// Of [`Kind::Json`].
    Json(serde_json::Value),
    /// Of [`Kind::Json`] too, as JSON text: what audit entries say of a change. It comes from a
    /// [`Recorder`](crate::storage::write::Recorder) alone.
    JsonText(String),
    /// Of [`Kind::Bytes`].
    Bytes(Vec<u8>),
    /// Of [`Kind::TextList`].
    TextList(Vec<String>),
}

impl Value {
    /// The value, borrowed.
    pub fn borrow(&self) -> ValueRef<'_> {
        match self {
            Self::Null => ValueRef::Null,
            Self::Bool(v) => ValueRef::Bool(*v),
            Self::Int(v) => ValueRef::Int(*v),
            Self::Float(v) => ValueRef::Float(*v),
            Self::Text(v) => ValueRef::Text(v),
            Self::DateTime(v) => ValueRef::DateTime(*v),
            Self::Date(v) => ValueRef::Date(*v),
            Self::Time(v) => ValueRef::Time(*v),
            Self::NaiveDateTime(v) => ValueRef::NaiveDateTime(*v),
            Self::Uuid(v) => ValueRef::Uuid(*v),
            Self::Decimal(v) => ValueRef::Decimal(*v),
            Self::Json(v) => ValueRef::Json(v),
            Self::JsonText(v) => ValueRef::JsonText(v),
            Self::Bytes(v) => ValueRef::Bytes(v),
            Self::TextList(v) => ValueRef::TextList(v),
        }
    }

    /// Whether this is [`Value::Null`].
    pub const fn is_null(&self) -> bool {
        matches!(self, Self::Null)
    }
}

/// For sentences, such as `Product with id 7 not found`: text as it is, the rest in its canonical form.
impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Null => f.write_str("null"),
            Self::Bool(v) => v.fmt(f),
            Self::Int(v) => v.fmt(f),
            Self::Float(v) => v.fmt(f),
            Self::Text(v) | Self::JsonText(v) => f.write_str(v),
            Self::DateTime(v) => text::write_date_time(f, v),
            Self::Date(v) => text::write_date(f, v),
            Self::Time(v) => text::write_time(f, v),
            Self::NaiveDateTime(v) => text::write_naive_date_time(f, v),
            Self::Uuid(v) => v.as_hyphenated().fmt(f),
            Self::Decimal(v) => v.fmt(f),
            Self::Json(v) => v.fmt(f),
            Self::Bytes(v) => write!(f, "{} bytes", v.len()),
            Self::TextList(v) => f.write_str(&v.join(", ")),
        }
    }
}

/// A value of a column, borrowed from a database row or a [`Value`].
///
/// What storage keeps as text in exactly the form that JSON wants passes through as it is
/// ([`Canonical`](Self::Canonical), [`JsonText`](Self::JsonText)); [`Column`](super::column::Column)
/// implementations parse it only where a typed value is asked for.
#[derive(Debug, Clone, Copy)]
pub enum ValueRef<'a> {
    /// No value.
    Null,
    /// Of [`Kind::Bool`].
    Bool(bool),
    /// Of every integer kind.
    Int(i64),
    /// Of the float kinds.
    Float(f64),
    /// Of [`Kind::Text`] and [`Kind::Enum`].
    Text(&'a str),
    /// Of [`Kind::DateTime`].
    DateTime(DateTime<Utc>),
    /// Of [`Kind::Date`].
    Date(NaiveDate),
    /// Of [`Kind::Time`].
    Time(NaiveTime),
    /// Of [`Kind::NaiveDateTime`].
    NaiveDateTime(NaiveDateTime),
    /// Of [`Kind::Uuid`].
    Uuid(Uuid),
    /// Of [`Kind::Decimal`].
    Decimal(Decimal),
    /// Of [`Kind::Json`].
    Json(&'a serde_json::Value),
    /// Of [`Kind::Bytes`].
    Bytes(&'a [u8]),
    /// Of [`Kind::TextList`].
    TextList(&'a [String]),
    /// A date, time or UUID as the canonical text of its kind (see [`super::text`]), without quotes.
    Canonical(&'a str),
    /// A value of [`Kind::Json`] or [`Kind::TextList`] as JSON text.
    JsonText(&'a str),
}
