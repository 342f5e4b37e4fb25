//! The values that SQLite's statements bind.

use sqlx::Arguments;
use sqlx::sqlite::SqliteArguments;

/// A value of one of SQLite's storage classes.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::storage::sql) enum Argument {
    Null,
    Integer(i64),
    Real(f64),
    Text(String),
    Blob(Vec<u8>),
}

/// Binds arguments in order.
pub(super) fn bind(arguments: Vec<Argument>) -> sqlx::Result<SqliteArguments> {
    let mut bound = SqliteArguments::default();
    bound.reserve(arguments.len(), 0);
    for argument in arguments {
        match argument {
            Argument::Null => bound.add(None::<i64>),
            Argument::Integer(v) => bound.add(v),
            Argument::Real(v) => bound.add(v),
            Argument::Text(v) => bound.add(v),
            Argument::Blob(v) => bound.add(v),
        }
        .map_err(sqlx::Error::Encode)?;
    }
    Ok(bound)
}
