//! SQLite by direct calls as a [`Driver`].

use rusqlite::types::ValueRef as Cell;

use super::connection::Connection;
use super::connection::open::Open;
use super::error::{self, Error};
use super::row::Row;
use crate::driver::{Driven, Driver, Execution};
use crate::model::adapter_error::AdapterError;
use crate::model::column_error::ColumnError;
use crate::model::descriptor::{ColumnDescriptor, Descriptor};
use crate::model::value::{Value, ValueRef};
use crate::sqlite::dialect::{Embedded, Sqlite};
use crate::sqlite::explain;
use crate::sqlite::row::decode;
use crate::statement::Statement;
use crate::storage::adapter::{AdapterFuture, BoxFuture};

impl Execution for Sqlite<Embedded> {
    type Connection = Connection;
    type Row = Row;
    type Error = Error;

    fn general(error: Error) -> AdapterError {
        error::general(error)
    }

    fn begin<'a>(connection: &'a mut Connection, statement: &'static str) -> Driven<'a, (), Self> {
        Box::pin(connection.begin(statement))
    }

    fn commit(connection: &mut Connection) -> Driven<'_, (), Self> {
        Box::pin(connection.work(Open::commit))
    }

    fn rollback(connection: &mut Connection) -> Driven<'_, (), Self> {
        Box::pin(connection.work(Open::rollback))
    }

    fn start_rollback(connection: &mut Connection) {
        connection.start_rollback();
    }

    fn is_in_transaction(connection: &Connection) -> bool {
        connection.is_in_transaction()
    }

    fn all(connection: &mut Connection, statement: Statement<Self>) -> Driven<'_, Vec<Row>, Self> {
        Box::pin(connection.work(move |open| open.all(statement.text.as_str(), &statement.arguments)))
    }

    fn each<'a>(
        connection: &'a mut Connection,
        statement: Statement<Self>,
        each: &'a mut (dyn FnMut(&Row) -> Result<(), AdapterError> + Send),
    ) -> AdapterFuture<'a, ()> {
        Box::pin(connection.stream(statement.text, statement.arguments, each))
    }

    fn change(connection: &mut Connection, statement: Statement<Self>) -> Driven<'_, u64, Self> {
        Box::pin(
            connection
                .work(move |open| open.run(statement.text.as_str(), &statement.arguments, |_, _| Ok::<(), Error>(()))),
        )
    }

    fn number_in(row: &Row, column: usize) -> Result<i64, Error> {
        match row.cell(column) {
            Cell::Integer(number) => Ok(number),
            other => Err(rusqlite::Error::InvalidColumnType(column, String::new(), other.data_type()).into()),
        }
    }

    fn execute<'a>(connection: &'a mut Connection, text: &'static str) -> Driven<'a, (), Self> {
        Box::pin(connection.work(move |open| open.all(text, &[]).map(drop)))
    }

    #[cfg(feature = "migrations")]
    fn script(connection: &mut Connection, text: String) -> Driven<'_, (), Self> {
        Box::pin(connection.work(move |open| open.script(&text)))
    }

    #[cfg(feature = "migrations")]
    fn message(error: &Error) -> String {
        error::details(error).map_or_else(|| error.to_string(), |details| details.message.to_owned())
    }
}

impl Driver for Sqlite<Embedded> {
    type Decoded = ();

    fn translate(resource: &'static Descriptor, error: Error) -> AdapterError {
        error::translate(resource, error)
    }

    fn translate_delete(error: Error) -> AdapterError {
        error::translate_delete(error)
    }

    fn translate_commit(error: Error) -> AdapterError {
        error::translate_commit(error)
    }

    fn explain<'a>(
        connection: &'a mut Connection,
        resource: &'static Descriptor,
        error: AdapterError,
        values: Vec<(usize, &'a Value)>,
    ) -> BoxFuture<'a, AdapterError> {
        Box::pin(explain::explain::<Self>(connection, resource, error, values))
    }

    fn is_conflict(error: &AdapterError) -> bool {
        error::is_lost(error)
    }

    fn expect_inline(connection: &mut Connection, inline: bool) {
        connection.expect_inline(inline);
    }

    fn value<'r>(
        column: &ColumnDescriptor,
        index: usize,
        row: &'r Row,
        (): &'r (),
    ) -> Result<ValueRef<'r>, ColumnError> {
        decode(column, row.cell(index))
    }
}
