//! Binding arguments to sqlx's statements.

use sqlx::Arguments;
use sqlx::sqlite::SqliteArguments;

use crate::sqlite::argument::Argument;

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
