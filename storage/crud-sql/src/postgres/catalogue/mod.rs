//! Statements of the service itself, such as those that read the catalogue, by whichever driver there is.

pub(super) mod facts;
pub(super) mod index_reads;
pub(super) mod inspect;
pub(super) mod rights;
#[cfg(feature = "migrations")]
pub(super) mod surroundings;
pub(super) mod view_reads;

use super::error::DriverFailure;
use super::value::argument::Argument;
use super::value::row::Lists;
use super::value::types::Type;
use crate::driver::{Connection, Driven, Driver};
use crate::model::column::Column;
use crate::model::column_error::ColumnError;
use crate::model::value::Value;
use crate::schema::by_place::by_place;
use crate::schema::ddl::table_identifier;
use crate::statement::{Statement, Text};

/// A driver of PostgreSQL.
pub(super) trait PgDriver: Driver<Argument = Argument, Decoded = Lists, Error: DriverFailure> {
    /// Runs statements that bind nothing and return nothing, in one message.
    fn batch(connection: &mut Self::Connection, text: String) -> Driven<'_, (), Self>;
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
pub(super) async fn rows<D: PgDriver, T>(
    connection: &mut Connection<D>,
    statement: impl Into<Text>,
    arguments: Vec<Argument>,
    read: impl Fn(&Cells<'_, D>) -> Result<T, D::Error>,
) -> Result<Vec<T>, D::Error> {
    let statement = Statement { text: statement.into(), arguments, then: None };
    let rows = D::all(connection, statement).await?;
    rows.iter().map(|row| read(&Cells { row })).collect()
}

/// The names of tables as statements take them, for [`by_name`].
pub(super) fn identifiers<D: PgDriver>(names: &[&str]) -> Vec<String> {
    names.iter().map(|name| table_identifier::<D>(name)).collect()
}

/// The rows of a statement about the things of these names, which it binds as one list. The first column is the place of a
/// name in it, as `WITH ORDINALITY` counts.
pub(super) async fn by_name<D: PgDriver, T>(
    connection: &mut Connection<D>,
    statement: &'static str,
    names: &[String],
    read: impl Fn(&Cells<'_, D>) -> Result<T, D::Error>,
) -> Result<Vec<Vec<T>>, D::Error> {
    let placed = move |row: &Cells<'_, D>| Ok((row.place(0)?, read(row)?));
    let rows = rows::<D, _>(connection, statement, vec![texts(names.to_vec())], placed).await?;
    Ok(by_place(names.len(), rows))
}

/// The value in the one row of a statement.
pub(super) async fn one<D: PgDriver, T: Column>(
    connection: &mut Connection<D>,
    statement: impl Into<Text>,
    arguments: Vec<Argument>,
) -> Result<T, D::Error> {
    let found = rows::<D, T>(connection, statement, arguments, |row| row.get(0)).await?;
    found.into_iter().next().ok_or_else(|| D::Error::unreadable(ColumnError::new("a statement returned no row")))
}

/// A row.
pub(super) struct Cells<'r, D: PgDriver> {
    pub(super) row: &'r D::Row,
}

impl<D: PgDriver> Cells<'_, D> {
    /// The value of a column.
    pub(super) fn get<T: Column>(&self, index: usize) -> Result<T, D::Error> {
        let (column, decoded) = (T::TYPE.column("column", ""), Lists::default());
        let value = D::value(&column, index, self.row, &decoded).and_then(T::from_value);
        value.map_err(D::Error::unreadable)
    }

    /// A place in a list, from 0, that a column counts from 1.
    pub(super) fn place(&self, index: usize) -> Result<usize, D::Error> {
        let place = self.get::<i64>(index)?;
        Ok(usize::try_from(place - 1).unwrap_or(usize::MAX))
    }
}
