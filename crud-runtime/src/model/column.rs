//! [`Column`]: what a type needs to be the type of a resource's field.

use chrono::{DateTime, NaiveDate, NaiveDateTime, NaiveTime, Utc};
use rust_decimal::Decimal;
use uuid::Uuid;

use super::adapter_error::AdapterError;
use super::changes::Changes;
use super::column_error::ColumnError;
use super::row::RowReader;
use super::text;
use super::value::{Kind, Value, ValueRef};

/// A type that a resource's field can have.
///
/// Implemented for `bool`, `i16`, `i32`, `i64`, `u32`, `f32`, `f64`, `String`, `DateTime<Utc>`,
/// `NaiveDate`, `NaiveTime`, `NaiveDateTime`, `Uuid`, `Decimal`, `serde_json::Value`, `Vec<u8>`,
/// `Vec<String>`, and `Option` of each. `#[derive(ResourceEnum)]` implements it for an enum. For a type
/// of your own, say which [`Kind`] it is stored as and how it converts:
///
/// ```
/// use crud_runtime::{Column, ColumnError, Kind, Value, ValueRef};
///
/// #[derive(Debug, Clone)]
/// pub struct Sku(String);
///
/// impl Column for Sku {
///     const KIND: Kind = Kind::Text;
///
///     fn into_value(self) -> Value {
///         Value::Text(self.0)
///     }
///
///     fn from_value(value: ValueRef<'_>) -> Result<Self, ColumnError> {
///         let text = String::from_value(value)?;
///         if text.starts_with("SKU-") { Ok(Self(text)) } else { Err(ColumnError::new("must start with SKU-")) }
///     }
/// }
/// ```
///
/// `from_value` is the type's validation too: what a client sends is refused with the error's message.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be the type of a resource's field",
    label = "not a field type",
    note = "field types are `bool`, `i16`, `i32`, `i64`, `u32`, `f32`, `f64`, `String`, `DateTime<Utc>`, `NaiveDate`, `NaiveTime`, `NaiveDateTime`, `Uuid`, `Decimal`, `serde_json::Value`, `Vec<u8>`, `Vec<String>`, `Option` of each, and enums that derive `ResourceEnum`; for another type, implement `crud_runtime::Column`"
)]
pub trait Column: Sized + Send + Sync + 'static {
    /// How the value is stored and what it looks like in JSON.
    const KIND: Kind;

    /// Whether [`Value::Null`] is a value of the type: `true` for `Option` alone.
    const NULLABLE: bool = false;

    /// What the kind alone does not check, asked of every value that a client sends.
    const CHECK: Option<Check> = Some(check::<Self>);

    /// The value as it is stored.
    fn into_value(self) -> Value;

    /// The stored value as this type.
    ///
    /// # Errors
    /// A [`ColumnError`] whose message can be shown to the client: what a value of this type must be.
    fn from_value(value: ValueRef<'_>) -> Result<Self, ColumnError>;

    // What expansions call. These are of this trait and not functions beside it, because a type that is no
    // column is then the same error wherever an expansion names the type, and the compiler shows it once.

    /// What the type says of a column.
    #[doc(hidden)]
    const TYPE: ColumnType = ColumnType { kind: Self::KIND, nullable: Self::NULLABLE, check: Self::CHECK };

    /// One field of a stored record.
    #[doc(hidden)]
    fn read(row: &RowReader<'_>, column: usize) -> Result<Self, AdapterError> {
        Self::from_value(row.value(column)?).map_err(|error| row.corrupt(column, error))
    }

    /// The value as it is stored, when there is one.
    #[doc(hidden)]
    fn optional(value: Option<Self>) -> Option<Value> {
        value.map(Self::into_value)
    }

    /// The changes with one more.
    #[doc(hidden)]
    fn change(changes: Changes, column: usize, value: impl IntoColumn<Self>) -> Changes {
        changes.with(column, value.into_column().into_value())
    }
}

/// What a type says of a column: see the constants of [`Column`].
#[doc(hidden)]
#[derive(Debug, Clone, Copy)]
pub struct ColumnType {
    pub(crate) kind: Kind,
    pub(crate) nullable: bool,
    pub(crate) check: Option<Check>,
}

/// See [`Column::CHECK`].
pub type Check = fn(ValueRef<'_>) -> Result<(), ColumnError>;

fn check<T: Column>(value: ValueRef<'_>) -> Result<(), ColumnError> {
    T::from_value(value).map(drop)
}

// The widened value of an f32 narrows back to the same f32.
#[allow(clippy::cast_possible_truncation)]
const fn narrow(value: f64) -> f32 {
    value as f32
}

fn mismatch(expected: &str, value: ValueRef<'_>) -> ColumnError {
    ColumnError::new(format!("must be {expected}, not {value:?}"))
}

impl<T: Column> Column for Option<T> {
    const KIND: Kind = T::KIND;
    const NULLABLE: bool = true;
    const CHECK: Option<Check> = T::CHECK;

    fn into_value(self) -> Value {
        self.map_or(Value::Null, T::into_value)
    }

    fn from_value(value: ValueRef<'_>) -> Result<Self, ColumnError> {
        match value {
            ValueRef::Null => Ok(None),
            value => T::from_value(value).map(Some),
        }
    }
}

macro_rules! column {
    ($type:ty, $kind:ident, $expected:literal, |$owned:ident| $into:expr, { $($pattern:pat $(if $guard:expr)? => $from:expr),+ $(,)? }) => {
        #[diagnostic::do_not_recommend]
        impl Column for $type {
            const KIND: Kind = Kind::$kind;
            const CHECK: Option<Check> = None;

            fn into_value(self) -> Value {
                let $owned = self;
                $into
            }

            fn from_value(value: ValueRef<'_>) -> Result<Self, ColumnError> {
                match value {
                    $($pattern $(if $guard)? => $from,)+
                    other => Err(mismatch($expected, other)),
                }
            }
        }
    };
}

macro_rules! integer_column {
    ($($type:ty, $kind:ident);+) => { $(
        column!($type, $kind, "an integer", |v| Value::Int(v.into()), {
            ValueRef::Int(v) => v.try_into().map_err(|_| ColumnError::new(format!(
                "must be between {} and {}", <$type>::MIN, <$type>::MAX,
            ))),
        });
    )+ };
}

integer_column!(i16, I16; i32, I32; i64, I64; u32, U32);

column!(bool, Bool, "true or false", |v| Value::Bool(v), { ValueRef::Bool(v) => Ok(v) });
column!(f64, F64, "a number", |v| Value::Float(v), {
    ValueRef::Float(v) => Ok(v),
});
column!(f32, F32, "a number", |v| Value::Float(v.into()), {
    ValueRef::Float(v) => Ok(narrow(v)),
});
column!(String, Text, "text", |v| Value::Text(v), { ValueRef::Text(v) => Ok(v.to_owned()) });
column!(DateTime<Utc>, DateTime, "a date and time", |v| Value::DateTime(v), {
    ValueRef::DateTime(v) => Ok(v),
    ValueRef::Canonical(v) => text::parse_date_time(v),
});
column!(NaiveDate, Date, "a date", |v| Value::Date(v), {
    ValueRef::Date(v) => Ok(v),
    ValueRef::Canonical(v) => text::parse_date(v),
});
column!(NaiveTime, Time, "a time", |v| Value::Time(v), {
    ValueRef::Time(v) => Ok(v),
    ValueRef::Canonical(v) => text::parse_time(v),
});
column!(NaiveDateTime, NaiveDateTime, "a date and time without a zone", |v| Value::NaiveDateTime(v), {
    ValueRef::NaiveDateTime(v) => Ok(v),
    ValueRef::Canonical(v) => text::parse_naive_date_time(v),
});
column!(Uuid, Uuid, "a UUID", |v| Value::Uuid(v), {
    ValueRef::Uuid(v) => Ok(v),
    ValueRef::Canonical(v) => text::parse_uuid(v),
});
column!(Decimal, Decimal, "a decimal number", |v| Value::Decimal(v), {
    ValueRef::Decimal(v) => Ok(v),
});
column!(serde_json::Value, Json, "a JSON value", |v| Value::Json(v), {
    ValueRef::Json(v) => Ok(v.clone()),
    ValueRef::JsonText(v) => serde_json::from_str(v).map_err(|e| ColumnError::new(e.to_string())),
});
column!(Vec<u8>, Bytes, "bytes", |v| Value::Bytes(v), { ValueRef::Bytes(v) => Ok(v.to_vec()) });
column!(Vec<String>, TextList, "a list of texts", |v| Value::TextList(v), {
    ValueRef::TextList(v) => Ok(v.to_vec()),
    ValueRef::JsonText(v) => serde_json::from_str(v).map_err(|e| ColumnError::new(e.to_string())),
});

/// Reads a stored value of a kind into an owned [`Value`], with the same rules as the built-in
/// [`Column`] types.
///
/// # Errors
/// When the stored value is not of the kind.
pub fn own(kind: Kind, value: ValueRef<'_>) -> Result<Value, ColumnError> {
    fn as_type<T: Column>(value: ValueRef<'_>) -> Result<Value, ColumnError> {
        Option::<T>::from_value(value).map(Option::into_value)
    }
    match kind {
        Kind::Bool => as_type::<bool>(value),
        Kind::I16 | Kind::I32 | Kind::I64 | Kind::U32 => as_type::<i64>(value),
        Kind::F32 | Kind::F64 => as_type::<f64>(value),
        Kind::Text | Kind::Enum(_) => as_type::<String>(value),
        Kind::DateTime => as_type::<DateTime<Utc>>(value),
        Kind::Date => as_type::<NaiveDate>(value),
        Kind::Time => as_type::<NaiveTime>(value),
        Kind::NaiveDateTime => as_type::<NaiveDateTime>(value),
        Kind::Uuid => as_type::<Uuid>(value),
        Kind::Decimal => as_type::<Decimal>(value),
        Kind::Json => as_type::<serde_json::Value>(value),
        Kind::Bytes => as_type::<Vec<u8>>(value),
        Kind::TextList => as_type::<Vec<String>>(value),
    }
}

/// A field type with an order that `gt`, `gte`, `lt` and `lte` use.
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no order to compare by",
    note = "`gt`, `gte`, `lt` and `lte` are for numbers, text, dates and times"
)]
pub trait OrderedColumn: Column {}

/// A field type that `like` and `ilike` can search.
#[diagnostic::on_unimplemented(message = "`{Self}` is not text", note = "`like` and `ilike` are for text")]
pub trait TextColumn: Column {}

/// A field type that a filter or a sort can name: every one but JSON, bytes and lists.
#[diagnostic::on_unimplemented(
    message = "a field of type `{Self}` cannot be filtered or sorted by",
    note = "JSON values, bytes and lists have no equality that every database agrees on"
)]
pub trait ComparableColumn: Column {}

/// A field type that can be null: `Option<_>`.
#[diagnostic::on_unimplemented(message = "`{Self}` is never null", note = "only an `Option` field can be null")]
pub trait NullableColumn: Column {}

impl<T: Column> NullableColumn for Option<T> {}
impl<T: OrderedColumn> OrderedColumn for Option<T> {}
impl<T: TextColumn> TextColumn for Option<T> {}
impl<T: ComparableColumn> ComparableColumn for Option<T> {}
impl TextColumn for String {}

macro_rules! mark {
    ($trait:ident: $($type:ty),+) => { $(#[diagnostic::do_not_recommend] impl $trait for $type {})+ };
}
mark!(OrderedColumn: i16, i32, i64, u32, f32, f64, String, DateTime<Utc>, NaiveDate, NaiveTime, NaiveDateTime, Decimal);
mark!(ComparableColumn: bool, i16, i32, i64, u32, f32, f64, String, DateTime<Utc>, NaiveDate, NaiveTime, NaiveDateTime, Uuid, Decimal);

/// What can be written where a field's value is wanted: the field's type itself, the value of an
/// `Option` field without `Some`, and `&str` for text.
///
/// [`Into`] would be the wrong bound: `"x"` is not `Into<Option<String>>`, and a literal `5` fails for
/// `u32` because `i32` is tried first.
#[diagnostic::on_unimplemented(
    message = "a field of type `{T}` does not take a value of type `{Self}`",
    label = "expected a value of type `{T}`"
)]
pub trait IntoColumn<T> {
    /// The field's value.
    fn into_column(self) -> T;
}

#[diagnostic::do_not_recommend]
impl<T> IntoColumn<T> for T {
    fn into_column(self) -> T {
        self
    }
}

#[diagnostic::do_not_recommend]
impl<T> IntoColumn<Option<T>> for T {
    fn into_column(self) -> Option<T> {
        Some(self)
    }
}

#[diagnostic::do_not_recommend]
impl IntoColumn<String> for &str {
    fn into_column(self) -> String {
        self.to_owned()
    }
}

#[diagnostic::do_not_recommend]
impl IntoColumn<Option<String>> for &str {
    fn into_column(self) -> Option<String> {
        Some(self.to_owned())
    }
}
