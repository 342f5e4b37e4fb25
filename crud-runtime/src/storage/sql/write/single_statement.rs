//! Changes that one statement makes.

use chrono::{DateTime, Utc};

use super::locking::Item;
use crate::model::adapter_error::AdapterError;
use crate::model::descriptor::Descriptor;
use crate::model::text;
use crate::model::value::Value;
use crate::query::Predicate;
use crate::storage::sql::driver::{Connection, DatabaseRow, Engine, Record};
use crate::storage::sql::statement::change;
use crate::storage::sql::statement::change::{Condition, deletion_timestamp, of_key, soft_references};
use crate::storage::sql::statement::{Sql, Statement, key};
use crate::storage::write::{Mode, Outcome, Target, Update, Work, Write};

/// Makes a change by one statement, if one will do.
pub(crate) async fn at_once<E: Engine>(
    connection: &mut Connection<E>,
    resource: &'static Descriptor,
    write: &Write<'_>,
) -> Result<Option<Item<E>>, AdapterError> {
    if write.recorder.is_some() || write.mode == Mode::Rehearsal {
        return Ok(None);
    }
    let time = text::stamp();
    match write.work {
        Work::Insert([record]) => insert_one(connection, resource, record, time).await,
        _ if !E::RETURNS => Ok(None),
        Work::Update([update]) => update_one(connection, resource, update, time).await,
        Work::Delete([target]) if target.guard.is_none() => {
            let statement = Statement::fixed(E::statements(resource)?.delete, vec![key::<E>(resource, target.id)]);
            let rows = E::all(connection, statement).await;
            match rows.map_err(E::translate_delete) {
                Ok(rows) => Ok(Some(done_or(Outcome::Missing, rows))),
                Err(error) => failed(error),
            }
        }
        Work::SoftDelete([target]) if target.guard.is_none() => {
            let statement = change::set_deleted(resource, Some(time), &in_state(resource, target, false)?)?;
            change_state(connection, resource, target, statement, E::translate).await
        }
        Work::Restore([target]) if target.guard.is_none() => {
            let statement = change::set_deleted(resource, None, &in_state(resource, target, true)?)?;
            change_state(connection, resource, target, statement, E::translate).await
        }
        Work::Purge([target]) if target.guard.is_none() => {
            let statement = change::delete(resource, &in_state(resource, target, true)?)?;
            change_state(connection, resource, target, statement, |_, error| E::translate_delete(error)).await
        }
        _ => Ok(None),
    }
}

/// A change that the database refused, or an error of the database's own.
fn failed<E: Engine>(error: AdapterError) -> Result<Option<Item<E>>, AdapterError> {
    if error.is_refusal() { Ok(Some(Item::at_once(Outcome::Failed(error), None))) } else { Err(error) }
}

/// A change that returned its record, or did not happen.
fn done_or<E: Engine>(otherwise: Outcome, mut rows: Vec<DatabaseRow<E>>) -> Item<E> {
    match rows.pop() {
        Some(row) => Item::at_once(Outcome::Done, Some(row)),
        None => Item::at_once(otherwise, None),
    }
}

async fn insert_one<E: Engine>(
    connection: &mut Connection<E>,
    resource: &'static Descriptor,
    record: &[Value],
    time: DateTime<Utc>,
) -> Result<Option<Item<E>>, AdapterError> {
    if soft_references(resource).any(|(column, _)| !record[column].is_null()) {
        return Ok(None);
    }
    let arguments = match change::insert_arguments::<E>(resource, record, time) {
        Ok(arguments) => arguments,
        Err(error) => return failed(error),
    };
    match E::all(connection, change::insert(resource, &record[resource.id], arguments)?).await {
        Ok(rows) => Ok(Some(done_or(Outcome::Missing, rows))),
        Err(error) => {
            let error = E::translate(resource, error);
            failed(E::explain(connection, resource, error, record.iter().enumerate().collect()).await)
        }
    }
}

/// One statement that compares and writes. That it wrote nothing has two reasons, which a look at the
/// record tells apart.
async fn update_one<E: Engine>(
    connection: &mut Connection<E>,
    resource: &'static Descriptor,
    update: &Update<'_>,
    time: DateTime<Utc>,
) -> Result<Option<Item<E>>, AdapterError> {
    let restores = resource.soft_delete.is_some_and(|soft_delete| soft_delete.auto_restore_on_update);
    let refers = soft_references(resource).any(|(column, _)| update.changes.get(column).is_some());
    if update.guard.is_some() || restores || refers || !change::comparable::<E>(resource, update.changes) {
        return Ok(None);
    }
    if !update.changes.is_empty() {
        let statement = match change::update::<E>(resource, update, Condition::IfDifferent, time, false) {
            Ok(statement) => statement,
            Err(error) => return failed(error),
        };
        match E::all(connection, statement.finish()).await {
            Ok(mut rows) => {
                if let Some(row) = rows.pop() {
                    return Ok(Some(Item::at_once(Outcome::Done, Some(row))));
                }
            }
            Err(error) => {
                let error = E::translate(resource, error);
                return failed(E::explain(connection, resource, error, update.changes.iter().collect()).await);
            }
        }
    }
    let item = done_or(Outcome::Missing, get::<E>(connection, resource, update.id).await?);
    // Another process may have written in between.
    let differs = item.record().is_some_and(|row| Record::<E>::new(resource, row).differs(update.changes));
    Ok((!differs).then_some(item))
}

/// The record of a target, if it is soft-deleted or if it is not.
fn in_state(resource: &'static Descriptor, target: &Target<'_>, deleted: bool) -> Result<Predicate, AdapterError> {
    Ok(of_key(resource, target.id).and(Predicate::IsNull { column: deletion_timestamp(resource)?, null: !deleted }))
}

async fn change_state<E: Engine>(
    connection: &mut Connection<E>,
    resource: &'static Descriptor,
    target: &Target<'_>,
    statement: Sql<E>,
    translate: fn(&'static Descriptor, sqlx::Error) -> AdapterError,
) -> Result<Option<Item<E>>, AdapterError> {
    match E::all(connection, statement.finish()).await.map_err(|error| translate(resource, error)) {
        Ok(rows) if rows.is_empty() => {
            let there = !get::<E>(connection, resource, target.id).await?.is_empty();
            Ok(Some(Item::at_once(if there { Outcome::WrongState } else { Outcome::Missing }, None)))
        }
        Ok(rows) => Ok(Some(done_or(Outcome::Missing, rows))),
        Err(error) => failed(error),
    }
}

/// The record of a key, as a row or none.
async fn get<E: Engine>(
    connection: &mut Connection<E>,
    resource: &'static Descriptor,
    id: &Value,
) -> Result<Vec<DatabaseRow<E>>, AdapterError> {
    let get = Statement::fixed(E::statements(resource)?.get, vec![key::<E>(resource, id)]);
    E::all(connection, get).await.map_err(E::general)
}
