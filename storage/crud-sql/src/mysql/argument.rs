//! Values as statements bind them.

use chrono::{NaiveDate, NaiveDateTime, NaiveTime};
use rust_decimal::Decimal;
use sqlx::Arguments;
use sqlx::mysql::MySqlArguments;

/// A value of one of the protocol's types.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Argument {
    Null,
    Int(i64),
    Float(f64),
    Decimal(Decimal),
    Text(String),
    Bytes(Vec<u8>),
    DateTime(NaiveDateTime),
    Date(NaiveDate),
    Time(NaiveTime),
}

/// Binds arguments in order.
pub(super) fn bind(arguments: Vec<Argument>) -> sqlx::Result<MySqlArguments> {
    let mut bound = MySqlArguments::default();
    bound.reserve(arguments.len(), 0);
    for argument in arguments {
        match argument {
            Argument::Null => bound.add(None::<i64>),
            Argument::Int(v) => bound.add(v),
            Argument::Float(v) => bound.add(v),
            Argument::Decimal(v) => bound.add(v),
            Argument::Text(v) => bound.add(v),
            Argument::Bytes(v) => bound.add(v),
            Argument::DateTime(v) => bound.add(v),
            Argument::Date(v) => bound.add(v),
            // Bound as text: if one bound time has a fraction, MySQL 8 finds none without a fraction, as in `IN
            // (TIME'00:00:00', TIME'23:59:59.9')`.
            Argument::Time(v) => bound.add(v.format("%H:%M:%S%.6f").to_string()),
        }
        .map_err(sqlx::Error::Encode)?;
    }
    Ok(bound)
}
