//! The field types that are built in, and what each reads and writes.

use chrono::{DateTime, NaiveDate, NaiveDateTime, NaiveTime, Utc};
use rust_decimal::Decimal;
use uuid::Uuid;

use super::{
    Check, Column, ComparableColumn, Keywords, NullableColumn, NumberColumn, OrderedColumn, Returned, TextColumn,
};
use crate::model::column_error::ColumnError;
use crate::model::list_text;
use crate::model::text;
use crate::model::value::{Kind, Value, ValueRef};

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
    const DECLARED_ORDER: bool = T::DECLARED_ORDER;
    const LABELS: &'static [&'static str] = T::LABELS;
    const CODES: &'static [i64] = T::CODES;
    const READ_ONLY: bool = T::READ_ONLY;
    const SCHEMA: Option<&'static str> = T::SCHEMA;
    const KEYWORDS: Option<Keywords> = T::KEYWORDS;
    const RETURNED: Option<Returned> = T::RETURNED;
    const ATTRIBUTE: Option<&'static str> = T::ATTRIBUTE;
    const PLUGIN: Option<&'static str> = T::PLUGIN;

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

/// Integers whose range is a part of their kind's.
macro_rules! narrower_integer_column {
    ($($type:ty, $kind:ident, $into:path);+) => { $(
        #[diagnostic::do_not_recommend]
        impl Column for $type {
            const KIND: Kind = Kind::$kind;

            fn into_value(self) -> Value {
                Value::Int($into(self))
            }

            fn from_value(value: ValueRef<'_>) -> Result<Self, ColumnError> {
                let ValueRef::Int(number) = value else { return Err(mismatch("an integer", value)) };
                number.try_into().map_err(|_| {
                    let (least, most) = (<$type>::MIN, $into(<$type>::MAX));
                    ColumnError::new(format!("must be an integer between {least} and {most}"))
                })
            }
        }
    )+ };
}

narrower_integer_column!(i8, I16, i64::from; u8, I16, i64::from; u16, I32, i64::from; u64, I64, bounded);

/// The number, or the greatest `i64` where it is greater.
fn bounded(value: u64) -> i64 {
    i64::try_from(value).unwrap_or(i64::MAX)
}

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
    // The time of a change is in UTC.
    ValueRef::DateTime(v) => Ok(v.naive_utc()),
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

macro_rules! list_column {
    ($($type:ty),+) => { $(
        #[diagnostic::do_not_recommend]
        impl Column for Vec<$type> {
            const KIND: Kind = Kind::List(&<$type as Column>::KIND);

            fn into_value(self) -> Value {
                Value::List(self.into_iter().map(Column::into_value).collect())
            }

            fn from_value(value: ValueRef<'_>) -> Result<Self, ColumnError> {
                match value {
                    ValueRef::List(values) => values.iter().map(|value| <$type>::from_value(value.borrow())).collect(),
                    ValueRef::JsonText(text) => {
                        let values = list_text::owned(<$type>::KIND, text)?;
                        values.iter().map(|value| <$type>::from_value(value.borrow())).collect()
                    }
                    other => Err(mismatch("a list", other)),
                }
            }
        }
    )+ };
}

list_column!(bool, i8, i16, u16, i32, u32, i64, u64, f32, f64);
list_column!(DateTime<Utc>, NaiveDate, NaiveTime, NaiveDateTime, Uuid, Decimal);

/// Reads a stored value of a kind into an owned [`Value`], with the same rules as the built-in
/// [`Column`] types.
///
/// ```
/// use crud_runtime::column::{Kind, Value, ValueRef, owned_value};
///
/// assert_eq!(owned_value(Kind::Text, ValueRef::Text("a")), Ok(Value::Text("a".to_owned())));
/// ```
///
/// # Errors
/// When the stored value is not of the kind.
pub fn owned_value(kind: Kind, value: ValueRef<'_>) -> Result<Value, ColumnError> {
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
        Kind::List(item) => match item {
            Kind::Bool => as_type::<Vec<bool>>(value),
            Kind::I16 | Kind::I32 | Kind::I64 | Kind::U32 => as_type::<Vec<i64>>(value),
            Kind::F32 | Kind::F64 => as_type::<Vec<f64>>(value),
            Kind::DateTime => as_type::<Vec<DateTime<Utc>>>(value),
            Kind::Date => as_type::<Vec<NaiveDate>>(value),
            Kind::Time => as_type::<Vec<NaiveTime>>(value),
            Kind::NaiveDateTime => as_type::<Vec<NaiveDateTime>>(value),
            Kind::Uuid => as_type::<Vec<Uuid>>(value),
            Kind::Decimal => as_type::<Vec<Decimal>>(value),
            _ => Err(ColumnError::new("is a list of values that no field has")),
        },
    }
}

impl<T: Column> NullableColumn for Option<T> {}
impl<T: OrderedColumn> OrderedColumn for Option<T> {}
impl<T: NumberColumn> NumberColumn for Option<T> {}
impl<T: TextColumn> TextColumn for Option<T> {}
impl<T: ComparableColumn> ComparableColumn for Option<T> {}
impl TextColumn for String {}

macro_rules! mark {
    ($trait:ident: $($type:ty),+) => { $(#[diagnostic::do_not_recommend] impl $trait for $type {})+ };
}
mark!(NumberColumn: i8, u8, i16, u16, i32, u32, i64, u64, f32, f64, Decimal);
mark!(OrderedColumn: i8, u8, i16, u16, i32, u32, i64, u64, f32, f64, String, DateTime<Utc>, NaiveDate, NaiveTime, NaiveDateTime, Decimal);
mark!(ComparableColumn: bool, i8, u8, i16, u16, i32, u32, i64, u64, f32, f64, String, DateTime<Utc>, NaiveDate, NaiveTime, NaiveDateTime, Uuid, Decimal);
