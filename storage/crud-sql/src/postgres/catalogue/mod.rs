//! Statements of the service itself, such as those that read the catalogue.

mod driver;
mod index_reads;
pub(super) mod reader;
mod rights;
#[cfg(feature = "migrations")]
pub(super) mod surroundings;
mod triggers;
mod types;
mod view_reads;

use sqlx::postgres::{PgConnection, PgRow};
use sqlx::{Decode, Executor, Row, Type as SqlType};

use super::dialect::Postgres;
use super::value::argument::Argument;
use super::value::types::Type;
use crate::catalogue::by_place::by_place;
use crate::driver::Execution as _;
use crate::identifier::table_identifier;
use crate::model::value::Value;
use crate::statement::{Statement, Text};

/// Runs statements that bind nothing and return nothing, in one message.
pub(super) async fn batch(connection: &mut PgConnection, text: String) -> sqlx::Result<()> {
    connection.execute(Text::Assembled(text)).await.map(drop)
}

/// A text that a statement binds.
pub(super) fn text(value: impl Into<String>) -> Argument {
    Argument::One(Type::Text, Value::Text(value.into()))
}

/// Texts that a statement binds as one list.
pub(super) fn texts(values: Vec<String>) -> Argument {
    Argument::One(Type::Texts, Value::TextList(values))
}

/// The rows of a statement, as they are read.
pub(super) async fn rows<T>(
    connection: &mut PgConnection,
    statement: impl Into<Text>,
    arguments: Vec<Argument>,
    read: impl Fn(&PgRow) -> sqlx::Result<T>,
) -> sqlx::Result<Vec<T>> {
    let statement = Statement { text: statement.into(), arguments, then: None };
    let rows = Postgres::all(connection, statement).await?;
    rows.iter().map(read).collect()
}

/// The rows of a statement about the things of these names, which it binds as one list. The first column is the place of a
/// name in it, as `WITH ORDINALITY` counts.
pub(super) async fn by_name<T>(
    connection: &mut PgConnection,
    statement: &'static str,
    names: &[&str],
    read: impl Fn(&PgRow) -> sqlx::Result<T>,
) -> sqlx::Result<Vec<Vec<T>>> {
    let placed = move |row: &PgRow| Ok((place(row, 0)?, read(row)?));
    let identifiers = names.iter().map(|name| table_identifier::<Postgres>(name)).collect();
    let rows = rows(connection, statement, vec![texts(identifiers)], placed).await?;
    Ok(by_place(names.len(), rows))
}

/// The value in the one row of a statement.
pub(super) async fn one<T: for<'r> Decode<'r, sqlx::Postgres> + SqlType<sqlx::Postgres>>(
    connection: &mut PgConnection,
    statement: impl Into<Text>,
    arguments: Vec<Argument>,
) -> sqlx::Result<T> {
    let found = rows(connection, statement, arguments, |row| row.try_get(0)).await?;
    found.into_iter().next().ok_or(sqlx::Error::RowNotFound)
}

/// A place in a list, from 0, that a column counts from 1.
pub(super) fn place(row: &PgRow, column: usize) -> sqlx::Result<usize> {
    let place = row.try_get::<i64, _>(column)?;
    Ok(usize::try_from(place - 1).unwrap_or(usize::MAX))
}
