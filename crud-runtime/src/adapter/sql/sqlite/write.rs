//! Inserts, updates and deletes.

use sqlx::Connection;
use sqlx::sqlite::{SqliteConnection, SqliteRow};

use super::connections::{Connections, all, first};
use super::dialect::Sqlite;
use super::error::{general, translate, translate_delete};
use super::key;
use super::row::{Record, differs};
use crate::adapter::sql::dialect::{Dialect, Of};
use crate::adapter::sql::statement::{Sql, Text};
use crate::adapter::sql::write::{self, Condition};
use crate::adapter::{AdapterError, Delete, Guard, Insert, Outcome, RowSink, Update};
use crate::descriptor::Descriptor;
use crate::value::Value;

/// A writer takes its lock at the start: one that began by reading would fail, whatever the timeout, when
/// another had written since.
pub(super) const BEGIN: &str = "BEGIN IMMEDIATE";

/// See [`Adapter::insert`](crate::adapter::Adapter::insert).
pub(super) async fn insert(
    connections: &Connections,
    resource: &'static Descriptor,
    insert: Insert<'_>,
    sink: &mut dyn RowSink,
) -> Result<(), AdapterError> {
    let statements = Sqlite::statements(resource)?;
    let arguments = write::insert_arguments::<Sqlite>(resource, statements.insert_columns, insert.record)?;
    let mut writer = connections.writer().await?;
    let row = match writer.all(Text::Fixed(statements.insert), arguments).await {
        Ok(mut rows) => rows.pop(),
        Err(error) => {
            let values = insert.record.iter().enumerate();
            return Err(explain(&mut writer, resource, translate(resource, error), values).await);
        }
    };
    drop(writer);
    let row = row.ok_or_else(|| AdapterError::Other("an insert returned no record".into()))?;
    sink.row(&Record { resource, row: &row })
}

/// See [`Adapter::update`](crate::adapter::Adapter::update).
pub(super) async fn update(
    connections: &Connections,
    resource: &'static Descriptor,
    update: Update<'_>,
    sink: &mut dyn RowSink,
) -> Result<Outcome, AdapterError> {
    let found = if update.guard.is_some() || !write::comparable(resource, update.changes) {
        let mut writer = connections.writer().await?;
        let found = update_locked(&mut writer, resource, &update).await;
        writer.settle_if(found.is_ok());
        found?
    } else {
        update_at_once(connections, resource, &update).await?
    };
    found.hand_on(resource, sink)
}

/// What became of a change, with the record.
enum Found {
    Record(SqliteRow),
    Nothing,
    Refused,
}

impl Found {
    fn hand_on(self, resource: &'static Descriptor, sink: &mut dyn RowSink) -> Result<Outcome, AdapterError> {
        match self {
            Self::Record(row) => sink.row(&Record { resource, row: &row }).map(|()| Outcome::Done),
            Self::Nothing => Ok(Outcome::Missing),
            Self::Refused => Ok(Outcome::Refused),
        }
    }
}

/// One statement that compares and writes. That it wrote nothing has two reasons, which a look at the
/// record tells apart.
async fn update_at_once(
    connections: &Connections,
    resource: &'static Descriptor,
    update: &Update<'_>,
) -> Result<Found, AdapterError> {
    let get = Text::Fixed(Sqlite::statements(resource)?.get);
    let statement = if update.changes.is_empty() {
        None
    } else {
        Some(write::update::<Sqlite>(resource, update, Condition::IfDifferent)?.finish())
    };
    let mut writer = connections.writer().await?;
    if let Some((text, arguments)) = statement {
        match writer.all(text, arguments).await {
            Ok(mut rows) => {
                if let Some(row) = rows.pop() {
                    return Ok(Found::Record(row));
                }
            }
            Err(error) => {
                let error = translate(resource, error);
                return Err(explain(&mut writer, resource, error, update.changes.iter()).await);
            }
        }
    }
    let Some(row) = writer.first(get, vec![key(resource, update.id)]).await.map_err(general)? else {
        return Ok(Found::Nothing);
    };
    if differs(Record { resource, row: &row }, update.changes) {
        // Another process wrote in between.
        let found = update_locked(&mut writer, resource, update).await;
        writer.settle_if(found.is_ok());
        return found;
    }
    Ok(Found::Record(row))
}

/// Reads, asks and writes in one transaction.
async fn update_locked(
    connection: &mut SqliteConnection,
    resource: &'static Descriptor,
    update: &Update<'_>,
) -> Result<Found, AdapterError> {
    let mut transaction = connection.begin_with(BEGIN).await.map_err(general)?;
    let row = match admitted(&mut transaction, resource, update.id, update.guard).await? {
        Found::Record(row) => row,
        other => {
            transaction.rollback().await.map_err(general)?;
            return Ok(other);
        }
    };
    if !differs(Record { resource, row: &row }, update.changes) {
        transaction.rollback().await.map_err(general)?;
        return Ok(Found::Record(row));
    }
    let (text, arguments) = write::update::<Sqlite>(resource, update, Condition::Always)?.finish();
    match all(&mut transaction, text, arguments).await {
        Ok(mut rows) => {
            transaction.commit().await.map_err(|error| translate(resource, error))?;
            rows.pop().map(Found::Record).ok_or_else(|| AdapterError::Other("an update returned no record".into()))
        }
        Err(error) => Err(explain(&mut transaction, resource, translate(resource, error), update.changes.iter()).await),
    }
}

/// See [`Adapter::delete`](crate::adapter::Adapter::delete).
pub(super) async fn delete(
    connections: &Connections,
    resource: &'static Descriptor,
    delete: Delete<'_>,
    sink: &mut dyn RowSink,
) -> Result<Outcome, AdapterError> {
    let mut writer = connections.writer().await?;
    let found = if delete.guard.is_some() {
        let found = delete_locked(&mut writer, resource, &delete).await;
        writer.settle_if(found.is_ok());
        found?
    } else {
        let statement = Text::Fixed(Sqlite::statements(resource)?.delete);
        let mut rows = writer.all(statement, vec![key(resource, delete.id)]).await.map_err(translate_delete)?;
        rows.pop().map_or(Found::Nothing, Found::Record)
    };
    drop(writer);
    found.hand_on(resource, sink)
}

async fn delete_locked(
    connection: &mut SqliteConnection,
    resource: &'static Descriptor,
    delete: &Delete<'_>,
) -> Result<Found, AdapterError> {
    let statement = Text::Fixed(Sqlite::statements(resource)?.delete);
    let mut transaction = connection.begin_with(BEGIN).await.map_err(general)?;
    let found = admitted(&mut transaction, resource, delete.id, delete.guard).await?;
    if matches!(found, Found::Record(_)) {
        all(&mut transaction, statement, vec![key(resource, delete.id)]).await.map_err(translate_delete)?;
        transaction.commit().await.map_err(translate_delete)?;
    } else {
        transaction.rollback().await.map_err(general)?;
    }
    Ok(found)
}

/// The record of a key, if there is one that the guard admits.
async fn admitted(
    connection: &mut SqliteConnection,
    resource: &'static Descriptor,
    id: &Value,
    guard: Option<&dyn Guard>,
) -> Result<Found, AdapterError> {
    let get = Text::Fixed(Sqlite::statements(resource)?.get);
    let Some(row) = first(connection, get, vec![key(resource, id)]).await.map_err(general)? else {
        return Ok(Found::Nothing);
    };
    let admits = match guard {
        Some(guard) => guard.admits(&Record { resource, row: &row })?,
        None => true,
    };
    Ok(if admits { Found::Record(row) } else { Found::Refused })
}

/// Names the columns of a foreign key's error, which SQLite does not: those that refer to no record.
async fn explain(
    connection: &mut SqliteConnection,
    resource: &'static Descriptor,
    error: AdapterError,
    values: impl Iterator<Item = (usize, &Value)>,
) -> AdapterError {
    let AdapterError::ReferenceNotFound { mut columns } = error else { return error };
    for (column, value) in values {
        let Some(reference) = &resource.columns[column].references else { continue };
        if value.is_null() {
            continue;
        }
        let (text, arguments) = exists((reference.target)(), value).finish();
        if let Ok(None) = first(connection, text, arguments).await {
            columns.push(column);
        }
    }
    AdapterError::ReferenceNotFound { columns }
}

fn exists(resource: &'static Descriptor, id: &Value) -> Sql<Sqlite> {
    let mut sql = Sql::new("SELECT 1 FROM ");
    sql.identifier(resource.table);
    sql.push(" WHERE ");
    sql.column(Of { resource, column: resource.id });
    sql.push(" = ");
    sql.bind(key(resource, id));
    sql
}
