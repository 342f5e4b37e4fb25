//! A driver from outside as a [`Driver`] of PostgreSQL's dialect.

use super::connection::Session;
use super::{DriverError, Parameter, PostgresDriver};
use crate::driver::{Driven, Driver};
use crate::model::adapter_error::AdapterError;
use crate::model::column::Column;
use crate::model::column_error::ColumnError;
use crate::model::descriptor::{ColumnDescriptor, Descriptor};
use crate::model::value::ValueRef;
use crate::postgres::catalogue::{PgDriver, facts, index_reads, inspect, rights, view_reads};
use crate::postgres::dialect::Over;
use crate::postgres::engine::postgres_items;
use crate::postgres::error::{self, DriverFailure};
use crate::postgres::value::argument::Argument;
use crate::postgres::value::row::{self, Lists};
use crate::postgres::{optimistic, tables};
#[cfg(feature = "migrations")]
use crate::schema::alteration::Alteration;
use crate::schema::index_use::IndexReads;
use crate::schema::table::{Named, Reads, Table, TableName};
use crate::statement::Statement;
use crate::storage::adapter::{AdapterFuture, BoxFuture};
use crate::storage::facts::TableFacts;
use crate::storage::migrate_error::MigrateError;
use crate::storage::write::Write;
use crate::write::change::Attempt;

impl<W: PostgresDriver> Driver for Over<W> {
    type Connection = Session<W>;
    type Row = W::Row;
    type Error = DriverError;

    postgres_items!();

    fn begin<'a>(connection: &'a mut Session<W>, statement: &'static str) -> Driven<'a, (), Self> {
        Box::pin(connection.begin(statement))
    }

    fn commit(connection: &mut Session<W>) -> Driven<'_, (), Self> {
        Box::pin(connection.commit())
    }

    fn rollback(connection: &mut Session<W>) -> Driven<'_, (), Self> {
        Box::pin(connection.rollback())
    }

    fn start_rollback(connection: &mut Session<W>) {
        connection.start_rollback();
    }

    fn is_in_transaction(connection: &Session<W>) -> bool {
        connection.is_in_transaction()
    }

    fn all(connection: &mut Session<W>, statement: Statement<Self>) -> Driven<'_, Vec<W::Row>, Self> {
        Box::pin(async move {
            let mut rows = Vec::new();
            let mut next = Some(statement);
            while let Some(Statement { text, arguments, then }) = next.filter(|_| rows.is_empty()) {
                rows = connection.query(text.as_str(), &parameters(&arguments)).await?.rows;
                next = then.map(|then| *then);
            }
            Ok(rows)
        })
    }

    fn each<'a>(
        connection: &'a mut Session<W>,
        statement: Statement<Self>,
        each: &'a mut (dyn FnMut(&W::Row) -> Result<(), AdapterError> + Send),
    ) -> AdapterFuture<'a, ()> {
        Box::pin(async move {
            let rows = Self::all(connection, statement).await.map_err(Self::general)?;
            rows.iter().try_for_each(each)
        })
    }

    fn change(connection: &mut Session<W>, statement: Statement<Self>) -> Driven<'_, u64, Self> {
        Box::pin(async move {
            let answer = connection.query(statement.text.as_str(), &parameters(&statement.arguments)).await?;
            Ok(answer.changed)
        })
    }

    fn execute<'a>(connection: &'a mut Session<W>, text: &'static str) -> Driven<'a, (), Self> {
        Box::pin(connection.batch(text))
    }

    fn number_in(row: &W::Row, column: usize) -> Result<i64, DriverError> {
        let (descriptor, decoded) = (i64::TYPE.column("number", ""), Lists::default());
        let number = Self::value(&descriptor, column, row, &decoded).and_then(i64::from_value);
        number.map_err(DriverError::unreadable)
    }

    fn value<'r>(
        column: &ColumnDescriptor,
        index: usize,
        row: &'r W::Row,
        decoded: &'r Lists,
    ) -> Result<ValueRef<'r>, ColumnError> {
        let cell = W::cell(row, index).map_err(|error| ColumnError::new(error.to_string()))?;
        let found = cell.bytes.map(|bytes| (cell.type_oid, bytes));
        row::value_of(column, index, found, (W::columns(row), decoded))
    }

    #[cfg(feature = "migrations")]
    const ALTERATION: Alteration<Session<W>, DriverError> =
        Alteration::standard::<Self>(|_, _, _| Box::pin(std::future::ready(Ok(Vec::new()))));

    #[cfg(feature = "migrations")]
    fn script(connection: &mut Session<W>, text: String) -> Driven<'_, (), Self> {
        Self::batch(connection, text)
    }

    #[cfg(feature = "migrations")]
    fn message(error: &DriverError) -> String {
        error.to_string()
    }
}

impl<W: PostgresDriver> PgDriver for Over<W> {
    fn batch(connection: &mut Session<W>, text: String) -> Driven<'_, (), Self> {
        Box::pin(async move { connection.batch(&text).await })
    }
}

fn parameters(arguments: &[Argument]) -> Vec<Parameter> {
    arguments.iter().map(Parameter::of).collect()
}
