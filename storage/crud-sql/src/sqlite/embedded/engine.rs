//! SQLite by direct calls as a [`Driver`].

use std::future::ready;

use rusqlite::types::ValueRef as Cell;

use super::connection::Connection;
use super::error::{self, Error};
use super::open::Open;
use super::row::Row;
use crate::driver::{Driven, Driver};
use crate::model::adapter_error::AdapterError;
use crate::model::column_error::ColumnError;
use crate::model::descriptor::{ColumnDescriptor, Descriptor};
use crate::model::value::{Value, ValueRef};
#[cfg(feature = "migrations")]
use crate::schema::alteration::Alteration;
use crate::schema::index_reads::IndexReads;
use crate::schema::table::{Named, Reads, Table};
use crate::schema::table_name::TableName;
use crate::sqlite::dialect::{Embedded, Sqlite};
use crate::sqlite::row::decode;
#[cfg(feature = "migrations")]
use crate::sqlite::unreadable_views;
use crate::sqlite::{explain, facts, inspect, spelling, tables, view_reads};
use crate::statement::Statement;
use crate::storage::adapter::BoxFuture;
use crate::storage::facts::TableFacts;
use crate::storage::index_use::IndexCounts;
use crate::storage::migrate_error::MigrateError;

impl Driver for Sqlite<Embedded> {
    type Connection = Connection;
    type Row = Row;
    type Error = Error;
    type Decoded = ();

    spelling::spelling_items!();

    fn begin<'a>(connection: &'a mut Connection, statement: &'static str) -> Driven<'a, (), Self> {
        Box::pin(connection.begin(statement))
    }

    fn commit(connection: &mut Connection) -> Driven<'_, (), Self> {
        Box::pin(connection.work(Open::commit))
    }

    fn rollback(connection: &mut Connection) -> Driven<'_, (), Self> {
        Box::pin(connection.work(Open::rollback))
    }

    fn is_conflict(error: &AdapterError) -> bool {
        error::is_lost(error)
    }

    fn expect_inline(connection: &mut Connection, inline: bool) {
        connection.expect_inline(inline);
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
    ) -> BoxFuture<'a, Result<(), AdapterError>> {
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

    fn value<'r>(
        column: &ColumnDescriptor,
        index: usize,
        row: &'r Row,
        (): &'r (),
    ) -> Result<ValueRef<'r>, ColumnError> {
        decode(column, row.cell(index))
    }

    fn translate(resource: &'static Descriptor, error: Error) -> AdapterError {
        error::translate(resource, error)
    }

    fn translate_delete(error: Error) -> AdapterError {
        error::translate_delete(error)
    }

    fn general(error: Error) -> AdapterError {
        error::general(error)
    }

    fn explain<'a>(
        connection: &'a mut Connection,
        resource: &'static Descriptor,
        error: AdapterError,
        values: Vec<(usize, &'a Value)>,
    ) -> BoxFuture<'a, AdapterError> {
        Box::pin(explain::explain::<Self>(connection, resource, error, values))
    }

    fn described<'a>(connection: &'a mut Connection, names: Vec<&'a str>) -> Driven<'a, Vec<Option<Table>>, Self> {
        Box::pin(inspect::described::<Self>(connection, names))
    }

    fn facts<'a>(connection: &'a mut Connection, tables: Vec<&'static str>) -> Driven<'a, Vec<TableFacts>, Self> {
        Box::pin(facts::facts::<Self>(connection, tables))
    }

    fn views<'a>(connection: &'a mut Connection, names: Vec<&'a str>) -> Driven<'a, Vec<Option<Named>>, Self> {
        Box::pin(inspect::views::<Self>(connection, names))
    }

    fn reads<'a>(connection: &'a mut Connection, views: Vec<&'a str>) -> Driven<'a, Vec<Reads>, Self> {
        Box::pin(view_reads::reads::<Self>(connection, views))
    }

    fn index_reads(_: &mut Connection) -> Driven<'_, IndexReads, Self> {
        Box::pin(ready(Ok(IndexReads { counts: IndexCounts::Log, ..IndexReads::default() })))
    }

    fn tables(connection: &mut Connection) -> Driven<'_, Vec<TableName>, Self> {
        Box::pin(inspect::tables::<Self>(connection))
    }

    fn is_taken<'a>(connection: &'a mut Connection, name: &'a str) -> Driven<'a, bool, Self> {
        Box::pin(inspect::index_exists::<Self>(connection, name))
    }

    fn unfit<'a>(
        connection: &'a mut Connection,
        resources: &'a [&'static Descriptor],
    ) -> Driven<'a, Vec<String>, Self> {
        Box::pin(tables::unfit::<Self>(connection, resources))
    }

    fn create<'a>(
        connection: &'a mut Connection,
        resources: &'a [&'static Descriptor],
    ) -> BoxFuture<'a, Result<(), MigrateError>> {
        Box::pin(tables::create::<Self>(connection, resources))
    }

    #[cfg(feature = "migrations")]
    fn script(connection: &mut Connection, text: String) -> Driven<'_, (), Self> {
        Box::pin(connection.work(move |open| open.script(&text)))
    }

    #[cfg(feature = "migrations")]
    fn message(error: &Error) -> String {
        error::details(error).map_or_else(|| error.to_string(), |details| details.message.to_owned())
    }

    #[cfg(feature = "migrations")]
    fn further_reason<'a>(connection: &'a mut Connection, message: &'a str) -> Driven<'a, Option<String>, Self> {
        Box::pin(unreadable_views::further_reason::<Self>(connection, message))
    }

    #[cfg(feature = "migrations")]
    const ALTERATION: Alteration<Self::Connection, Self::Error> = crate::sqlite::alter::alteration::<Self>();
}
