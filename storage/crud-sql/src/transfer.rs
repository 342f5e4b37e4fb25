//! [`Transfer`] of every SQL adapter.

use std::collections::HashMap;

use super::catalogue::driver::CatalogueDriver;
use super::catalogue::table::Parts;
use super::connections::{Connections, begin};
use super::driver::{Connection, Driver, Execution as _, Record};
use super::facts;
use super::loading::Loading;
use super::schema::comparison::diff::compare;
use super::schema::foreign_key;
use super::statement::{Sql, Statement, multi_row, storable};
use super::transaction::SqlTransaction;
use super::write::bisect::{self, Savepoints, Size};
use crate::dialect::{ColumnRef, Dialect};
use crate::model::adapter_error::AdapterError;
use crate::model::descriptor::{ColumnDescriptor, Descriptor};
use crate::model::key::Key;
use crate::model::row::RowSink;
use crate::model::value::Value;
use crate::query::ListQuery;
use crate::storage::adapter::AdapterFuture;
use crate::storage::schema::Difference;
use crate::storage::transaction::Transaction;
use crate::storage::transfer::{Load, Refused};

/// Maximum number of refused records that are reported.
const MAX_REFUSED: usize = 20;

/// See [`Transfer::differences`](crate::storage::transfer::Transfer::differences).
pub(super) async fn differences<C: Connections>(
    connections: &C,
    resources: &[&'static Descriptor],
) -> Result<Vec<Difference>, AdapterError> {
    let mut lease = connections.reader().await?;
    let compared = compare::<C::Driver>(&mut lease, resources, Parts::Schema).await.map_err(C::Driver::general)?;
    C::release(lease);
    Ok(compared.into_iter().flat_map(|compared| compared.differences).collect())
}

/// See [`Transfer::snapshot`](crate::storage::transfer::Transfer::snapshot).
pub(super) async fn snapshot<C: Connections>(connections: &C) -> Result<Box<dyn Transaction>, AdapterError> {
    snapshot_after(connections, &[]).await
}

/// A snapshot on a connection, on which these statements have run.
pub(crate) async fn snapshot_after<C: Connections>(
    connections: &C,
    first: &'static [&'static str],
) -> Result<Box<dyn Transaction>, AdapterError> {
    let mut lease = connections.reader().await?;
    for statement in first {
        C::Driver::execute(&mut lease, statement).await.map_err(C::Driver::general)?;
    }
    C::Driver::begin(&mut lease, C::Driver::SNAPSHOT).await.map_err(C::Driver::general)?;
    Ok(SqlTransaction::<C>::boxed(lease, connections.facts()))
}

/// See [`Transfer::last_key`](crate::storage::transfer::Transfer::last_key).
pub(super) async fn last_key<C: Connections>(
    connections: &C,
    resource: &'static Descriptor,
) -> Result<i64, AdapterError> {
    let mut lease = connections.reader().await?;
    let key = C::Driver::last_key(&mut lease, resource).await?;
    C::release(lease);
    Ok(key)
}

/// See [`Transfer::set_last_key`](crate::storage::transfer::Transfer::set_last_key).
pub(super) async fn set_last_key<C: Connections>(
    connections: &C,
    resource: &'static Descriptor,
    key: i64,
) -> Result<(), AdapterError> {
    let mut lease = connections.writer().await?;
    C::Driver::set_last_key(&mut lease, resource, key).await?;
    C::release(lease);
    Ok(())
}

/// See [`Transfer::load`](crate::storage::transfer::Transfer::load).
pub(super) async fn load<C: Connections>(
    connections: &C,
    resources: &[&'static Descriptor],
) -> Result<Box<dyn Load>, AdapterError> {
    let mut transaction = SqlTransaction::<C>::new(begin(connections).await?, connections.facts());
    let finish = C::Driver::prepare(transaction.connection_for_long()?, &deferred(resources)).await?;
    let generated = GeneratedColumns::of::<C::Driver>(transaction.connection_for_long()?, resources).await?;
    Ok(Box::new(SqlLoad { transaction, finish, generated }))
}

/// The generated columns of tables.
#[derive(Default)]
pub(crate) struct GeneratedColumns(HashMap<&'static str, Vec<usize>>);

impl GeneratedColumns {
    /// Reads the generated columns of those tables that exist in the connection's database.
    pub(crate) async fn of<D: Driver + CatalogueDriver>(
        connection: &mut Connection<D>,
        resources: &[&'static Descriptor],
    ) -> Result<Self, AdapterError> {
        let facts = facts::of_tables::<D>(connection, resources).await?;
        let generated = facts.into_iter().map(|(resource, facts)| {
            let is_generated = |name: &str| {
                let mut columns = facts.columns.iter().filter(|column| column.is_generated);
                columns.any(|column| (D::TABLES.is_same_name)(&column.name, name))
            };
            let columns = resource.columns.iter().enumerate().filter(|(_, column)| is_generated(column.column));
            (resource.table, columns.map(|(index, _)| index).collect())
        });
        Ok(Self(generated.collect()))
    }

    /// Adds the generated columns of other tables.
    #[cfg(feature = "mysql")]
    pub(crate) fn add(&mut self, other: Self) {
        self.0.extend(other.0);
    }

    /// The columns of a table that an insert sets.
    pub(crate) fn inserted(&self, resource: &Descriptor) -> Vec<usize> {
        let generated = self.0.get(resource.table).map(Vec::as_slice).unwrap_or_default();
        stored_columns(resource).into_iter().filter(|column| !generated.contains(column)).collect()
    }
}

/// The resources that refer to themselves or to a later resource in the list.
pub(crate) fn deferred(resources: &[&'static Descriptor]) -> Vec<&'static Descriptor> {
    let refers_ahead = |(position, resource): (usize, &&'static Descriptor)| {
        let targets = resource.columns.iter().filter_map(ColumnDescriptor::constraint);
        let mut tables = targets.map(|reference| (reference.target)().table);
        tables.any(|table| !resources[..position].iter().any(|earlier| earlier.table == table)).then_some(*resource)
    };
    resources.iter().enumerate().filter_map(refers_ahead).collect()
}

/// A transaction that inserts records.
struct SqlLoad<C: Connections> {
    transaction: SqlTransaction<C>,
    /// Statements that run before the commit.
    finish: Vec<String>,
    generated: GeneratedColumns,
}

impl<C: Connections> Load for SqlLoad<C> {
    fn insert<'a>(
        &'a mut self,
        resource: &'static Descriptor,
        records: &'a [Vec<Value>],
    ) -> AdapterFuture<'a, Vec<Refused>> {
        let columns = self.generated.inserted(resource);
        Box::pin(insert::<C>(&mut self.transaction, resource, columns, records))
    }

    fn dangling<'a>(&'a mut self, resource: &'static Descriptor) -> AdapterFuture<'a, Vec<Refused>> {
        Box::pin(dangling::<C>(&mut self.transaction, resource))
    }

    fn list<'a>(
        &'a mut self,
        resource: &'static Descriptor,
        query: &'a ListQuery,
        sink: &'a mut dyn RowSink,
    ) -> AdapterFuture<'a, ()> {
        self.transaction.list(resource, query, false, sink)
    }

    fn commit(mut self: Box<Self>) -> AdapterFuture<'static, ()> {
        Box::pin(async move {
            for text in self.finish {
                run::<C::Driver>(self.transaction.connection_for_long()?, text).await?;
            }
            self.transaction.commit().await
        })
    }
}

fn stored_columns(resource: &Descriptor) -> Vec<usize> {
    let columns = resource.columns.iter().enumerate();
    columns.filter(|(_, column)| column.is_stored()).map(|(index, _)| index).collect()
}

/// See [`Load::insert`].
pub(crate) async fn insert<C: Connections>(
    transaction: &mut SqlTransaction<C>,
    resource: &'static Descriptor,
    columns: Vec<usize>,
    records: &[Vec<Value>],
) -> Result<Vec<Refused>, AdapterError> {
    let mut refused = Vec::new();
    let mut storable_records = Vec::with_capacity(records.len());
    for record in records {
        let mut checks =
            columns.iter().map(|&column| storable::<C::Driver>(ColumnRef { resource, column }, &record[column]));
        match checks.find_map(Result::err) {
            Some(error) => refused.push(Refused::new(Key::of(resource, record), error)),
            None => storable_records.push(record),
        }
    }
    let size = Size { changes: storable_records.len(), values: columns.len(), most_failures: MAX_REFUSED };
    let statement = |range: std::ops::Range<usize>| {
        let rows = storable_records[range].iter().map(|record| columns.iter().map(|&column| &record[column]));
        Ok(multi_row::insert_columns::<C::Driver>(resource, &columns, rows).finish())
    };
    let translate = |error| C::Driver::translate(resource, error);
    let connection = transaction.connection_for_long()?;
    let bisected = bisect::run::<C::Driver>(connection, size, Savepoints::EachStatement, statement, translate).await?;
    for (index, error) in bisected.refused {
        let record = storable_records[index];
        let error = match error {
            AdapterError::Constraint { column: None } if C::Driver::ERROR_ABORTS => {
                AdapterError::Constraint { column: unacceptable::<C::Driver>(connection, resource, record).await? }
            }
            error => C::Driver::explain(connection, resource, error, record.iter().enumerate().collect()).await,
        };
        refused.push(Refused::new(Key::of(resource, record), error));
    }
    Ok(refused)
}

/// The column whose value the database refuses in any table, such as a text with a NUL character.
async fn unacceptable<D: Driver>(
    connection: &mut D::Connection,
    resource: &'static Descriptor,
    record: &[Value],
) -> Result<Option<usize>, AdapterError> {
    for column in stored_columns(resource) {
        let mut sql = Sql::<D>::new("SELECT ");
        sql.bind(D::operand(&resource.columns[column], &record[column]).argument);
        D::execute(connection, "SAVEPOINT value").await.map_err(D::general)?;
        let is_refused = D::all(connection, sql.finish()).await.is_err();
        let end = if is_refused { "ROLLBACK TO SAVEPOINT value" } else { "RELEASE SAVEPOINT value" };
        D::execute(connection, end).await.map_err(D::general)?;
        if is_refused {
            return Ok(Some(column));
        }
    }
    Ok(None)
}

/// See [`Load::dangling`].
pub(crate) async fn dangling<C: Connections>(
    transaction: &mut SqlTransaction<C>,
    resource: &'static Descriptor,
) -> Result<Vec<Refused>, AdapterError> {
    let mut refused = Vec::new();
    for column in 0..resource.columns.len() {
        let Some(sql) = dangling_records::<C::Driver>(resource, column)? else { continue };
        let connection = transaction.connection_for_long()?;
        for row in C::Driver::all(connection, sql.finish()).await.map_err(C::Driver::general)? {
            let key = Key::of_row(resource, &Record::<C::Driver>::new(resource, &row))?;
            refused.push(Refused::new(key, AdapterError::ReferenceNotFound { columns: vec![column] }));
        }
    }
    Ok(refused)
}

/// The first records whose reference in this column is dangling: `SELECT … FROM "orders" WHERE "customer_id" IS NOT
/// NULL AND NOT EXISTS (SELECT 1 FROM "customers" AS "referred to" WHERE "referred to"."id" = "orders"."customer_id")
/// LIMIT 20`.
fn dangling_records<D: Driver>(resource: &'static Descriptor, column: usize) -> Result<Option<Sql<D>>, AdapterError> {
    const REFERRED: &str = "referred to";
    let descriptor = &resource.columns[column];
    let Some((reference, pairs)) = descriptor.references.zip(foreign_key::columns(resource, descriptor)) else {
        return Ok(None);
    };
    let mut sql = Sql::<D>::select(resource)?;
    sql.push(" WHERE ");
    for &column in reference.columns(&column) {
        sql.column(ColumnRef { resource, column });
        sql.push(" IS NOT NULL AND ");
    }
    sql.push("NOT EXISTS (SELECT 1 FROM ");
    sql.table((reference.target)());
    sql.push(" AS ");
    sql.identifier(REFERRED);
    for (position, (from, to)) in pairs.into_iter().enumerate() {
        sql.push(if position == 0 { " WHERE " } else { " AND " });
        sql.qualified(REFERRED, to);
        sql.push(" = ");
        sql.qualified(resource.own_table(), from);
    }
    sql.push(") LIMIT ");
    sql.count(MAX_REFUSED);
    Ok(Some(sql))
}

/// Runs a statement that this crate has written.
pub(crate) async fn run<D: Driver>(connection: &mut D::Connection, text: String) -> Result<(), AdapterError> {
    D::all(connection, Statement::assembled(text)).await.map(drop).map_err(D::general)
}
