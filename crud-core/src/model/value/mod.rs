//! [`Value`]: a value of a column, owned; [`ValueRef`]: borrowed.

mod equality;
mod kind;
mod order;
mod size;

pub use equality::is_same;
pub use kind::Kind;
pub use order::{order, order_in};
pub use size::value_size;

use std::fmt;

use chrono::{DateTime, NaiveDate, NaiveDateTime, NaiveTime, Utc};
use rust_decimal::Decimal;
use uuid::Uuid;

use super::text;

/// A value of a column, owned.
///
/// ```
/// use crud_runtime::Column;
/// use crud_runtime::column::Value;
///
/// assert_eq!(7_i32.into_value(), Value::Int(7));
/// assert_eq!(None::<String>.into_value(), Value::Null);
/// ```
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    /// No value.
    Null,
    /// The value that the database fills in: an insert leaves the column out. Only records to be inserted have it, in columns
    /// with [`database_default`](crate::descriptor::ColumnDescriptor::database_default).
    Default,
    /// A value of [`Kind::Bool`].
    Bool(bool),
    /// A value of any integer kind.
    Int(i64),
    /// A value of [`Kind::F32`] (widened, which loses nothing) or [`Kind::F64`].
    Float(f64),
    /// A value of [`Kind::Text`] or [`Kind::Enum`].
    Text(String),
    /// A value of [`Kind::DateTime`].
    DateTime(DateTime<Utc>),
    /// A value of [`Kind::Date`].
    Date(NaiveDate),
    /// A value of [`Kind::Time`].
    Time(NaiveTime),
    /// A value of [`Kind::NaiveDateTime`].
    NaiveDateTime(NaiveDateTime),
    /// A value of [`Kind::Uuid`].
    Uuid(Uuid),
    /// A value of [`Kind::Decimal`].
    Decimal(Decimal),
    /// A value of [`Kind::Json`].
    Json(serde_json::Value),
    /// A value of [`Kind::Json`], as JSON text: the changes in an audit entry. Only a
    /// [`Recorder`](crate::adapter::Recorder) creates this variant.
    JsonText(String),
    /// A value of [`Kind::Bytes`].
    Bytes(Vec<u8>),
    /// A value of [`Kind::TextList`].
    TextList(Vec<String>),
    /// A value of [`Kind::List`].
    List(Vec<Self>),
}

impl Value {
    /// The value, borrowed.
    pub fn borrow(&self) -> ValueRef<'_> {
        match self {
            Self::Null | Self::Default => ValueRef::Null,
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
            Self::List(v) => ValueRef::List(v),
        }
    }

    /// Whether there is no value: [`Value::Null`], or [`Value::Default`] before the database has filled one in.
    pub const fn is_null(&self) -> bool {
        matches!(self, Self::Null | Self::Default)
    }

    /// Whether this is [`Value::Default`].
    pub const fn is_default(&self) -> bool {
        matches!(self, Self::Default)
    }
}

/// The form in sentences, such as `Product with id 7 not found`: text as it is, the rest in its canonical form.
impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Null => f.write_str("null"),
            Self::Default => f.write_str("default"),
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
            Self::List(v) => {
                for (position, value) in v.iter().enumerate() {
                    f.write_str(if position == 0 { "" } else { ", " })?;
                    value.fmt(f)?;
                }
                Ok(())
            }
        }
    }
}

/// A value of a column, borrowed from a database row or a [`Value`].
///
/// Stored text that is already in the form of a JSON answer passes through unparsed
/// ([`Canonical`](Self::Canonical), [`JsonText`](Self::JsonText)); [`Column`](crate::Column)
/// implementations parse it only where a typed value is needed.
///
/// ```
/// use crud_runtime::Column;
/// use crud_runtime::column::ValueRef;
///
/// assert_eq!(i32::from_value(ValueRef::Int(7)), Ok(7));
/// assert!(i32::from_value(ValueRef::Text("seven")).is_err());
/// ```
#[derive(Debug, Clone, Copy)]
pub enum ValueRef<'a> {
    /// No value.
    Null,
    /// A value of [`Kind::Bool`].
    Bool(bool),
    /// A value of any integer kind.
    Int(i64),
    /// A value of a float kind.
    Float(f64),
    /// A value of [`Kind::Text`] or [`Kind::Enum`].
    Text(&'a str),
    /// A value of [`Kind::DateTime`].
    DateTime(DateTime<Utc>),
    /// A value of [`Kind::Date`].
    Date(NaiveDate),
    /// A value of [`Kind::Time`].
    Time(NaiveTime),
    /// A value of [`Kind::NaiveDateTime`].
    NaiveDateTime(NaiveDateTime),
    /// A value of [`Kind::Uuid`].
    Uuid(Uuid),
    /// A value of [`Kind::Decimal`].
    Decimal(Decimal),
    /// A value of [`Kind::Json`].
    Json(&'a serde_json::Value),
    /// A value of [`Kind::Bytes`].
    Bytes(&'a [u8]),
    /// A value of [`Kind::TextList`].
    TextList(&'a [String]),
    /// A value of [`Kind::List`].
    List(&'a [Value]),
    /// A date, time or UUID as the canonical text of its kind (see [`text`](crate::text)), without quotes.
    Canonical(&'a str),
    /// A value of [`Kind::Json`], [`Kind::TextList`] or [`Kind::List`] as JSON text.
    JsonText(&'a str),
}
