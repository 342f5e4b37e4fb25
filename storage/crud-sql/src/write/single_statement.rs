//! One change by one statement, which compares and writes: no transaction, no entry, no guard.
//!
//! The condition of the statement is the intent's ([`Intent::as_condition`]); [`decide`] says what it means that nothing was
//! written:
//!
//! ```sql
//! UPDATE "products" SET "deleted_at" = ? WHERE "id" = ? AND "deleted_at" IS NULL RETURNING …
//! ```

use chrono::{DateTime, Utc};

use super::change::{Attempt, Change, LEFT_OUT};
use crate::driver::{Connection, DatabaseRow, Driver, Record};
use crate::model::adapter_error::AdapterError;
use crate::model::descriptor::Descriptor;
use crate::model::key::Key;
use crate::model::row::Row;
use crate::model::value::Value;
use crate::query::Predicate;
use crate::statement::change as statements;
use crate::statement::{Sql, Statement, key};
use crate::storage::decide::{Decision, Intent, IntentCondition, decide, guarded_references};
use crate::storage::write::{Outcome, Target, Update, Work, Write};

/// Whether one statement carries out this write of one change.
pub(super) fn suffices<D: Driver>(resource: &'static Descriptor, write: &Write<'_>) -> bool {
    if write.recorder.is_some() {
        return false;
    }
    match write.work {
        Work::Insert([record]) => guarded_references(resource).all(|guarded| guarded.key_in(record).is_none()),
        _ if !D::RETURNS => false,
        Work::Update([Update { changes, guard, .. }]) => {
            guard.is_none()
                && Intent::Update(changes).as_condition(resource).is_some()
                && guarded_references(resource)
                    .all(|guarded| guarded.columns().iter().all(|column| changes.get(*column).is_none()))
                && statements::comparable::<D>(resource, changes)
        }
        Work::SoftDelete([target]) | Work::Restore([target]) | Work::Delete([target]) | Work::Purge([target]) => {
            target.guard.is_none()
        }
        _ => false,
    }
}

/// Makes the one change of this work, for which one statement [suffices].
pub(super) async fn change<D: Driver>(
    connection: &mut Connection<D>,
    resource: &'static Descriptor,
    write: &Write<'_>,
) -> Result<Attempt<D>, AdapterError> {
    let time = write.clock.stamp();
    match write.work {
        Work::Insert([record]) => insert(connection, resource, record, time).await.map(Attempt::Settled),
        Work::Update([change]) => update(connection, resource, change, time).await,
        Work::Delete([target]) => {
            let statement = Statement::fixed(D::statements(resource)?.delete, key::<D>(resource, target.id));
            let change = match D::all(connection, statement).await.map_err(D::translate_delete) {
                Ok(rows) => Change::of_rows(rows, Outcome::Missing),
                Err(error) => Change::refused(error)?,
            };
            Ok(Attempt::Settled(change))
        }
        Work::SoftDelete([target]) => {
            let records = records(resource, target, Intent::SoftDelete)?;
            let statement = statements::set_deleted(resource, Some(time), &records)?;
            conditional(connection, resource, target, Intent::SoftDelete, statement, D::translate).await
        }
        Work::Restore([target]) => {
            let statement = statements::set_deleted(resource, None, &records(resource, target, Intent::Restore)?)?;
            conditional(connection, resource, target, Intent::Restore, statement, D::translate).await
        }
        Work::Purge([target]) => {
            let statement = statements::delete(resource, &records(resource, target, Intent::Purge)?)?;
            let translate = |_: &'static Descriptor, error| D::translate_delete(error);
            conditional(connection, resource, target, Intent::Purge, statement, translate).await
        }
        _ => Ok(Attempt::Undecided),
    }
}

async fn insert<D: Driver>(
    connection: &mut Connection<D>,
    resource: &'static Descriptor,
    record: &[Value],
    time: DateTime<Utc>,
) -> Result<Change<D>, AdapterError> {
    let arguments = match statements::insert_arguments::<D>(resource, record, time) {
        Ok(arguments) => arguments,
        Err(error) => return Change::refused(error),
    };
    match D::all(connection, statements::insert(resource, record, arguments)?).await {
        Ok(rows) => Ok(Change::of_rows(rows, Outcome::Failed(LEFT_OUT))),
        Err(error) => {
            let error = D::translate(resource, error);
            Change::refused(D::explain(connection, resource, error, record.iter().enumerate().collect()).await)
        }
    }
}

async fn update<D: Driver>(
    connection: &mut Connection<D>,
    resource: &'static Descriptor,
    update: &Update<'_>,
    time: DateTime<Utc>,
) -> Result<Attempt<D>, AdapterError> {
    let Some(condition) = Intent::Update(update.changes).as_condition(resource) else { return Ok(Attempt::Undecided) };
    if !update.changes.is_empty() {
        let statement = match statements::update::<D>(resource, update, condition, time, false) {
            Ok(statement) => statement,
            Err(error) => return Change::refused(error).map(Attempt::Settled),
        };
        match D::all(connection, statement.finish()).await {
            Ok(rows) if !rows.is_empty() => return Ok(Attempt::Settled(Change::of_rows(rows, Outcome::Missing))),
            Ok(_) => {}
            Err(error) => {
                let error = D::translate(resource, error);
                let error = D::explain(connection, resource, error, update.changes.iter().collect()).await;
                return Change::refused(error).map(Attempt::Settled);
            }
        }
    }
    nothing_written(connection, resource, update.id, Intent::Update(update.changes)).await
}

/// The record of a target, where the intent's condition holds.
fn records(resource: &'static Descriptor, target: &Target<'_>, intent: Intent<'_>) -> Result<Predicate, AdapterError> {
    let record = Predicate::of_key(resource, target.id);
    match intent.as_condition(resource) {
        Some(IntentCondition::InState(state)) => Ok(record.and(statements::in_state(resource, state)?)),
        // That a value differs is in the statement of the update.
        Some(IntentCondition::Always | IntentCondition::Differs) | None => Ok(record),
    }
}

async fn conditional<D: Driver>(
    connection: &mut Connection<D>,
    resource: &'static Descriptor,
    target: &Target<'_>,
    intent: Intent<'_>,
    statement: Sql<D>,
    translate: impl FnOnce(&'static Descriptor, D::Error) -> AdapterError,
) -> Result<Attempt<D>, AdapterError> {
    match D::all(connection, statement.finish()).await {
        Ok(rows) if rows.is_empty() => nothing_written(connection, resource, target.id, intent).await,
        Ok(rows) => Ok(Attempt::Settled(Change::of_rows(rows, Outcome::Missing))),
        Err(error) => Change::refused(translate(resource, error)).map(Attempt::Settled),
    }
}

/// Outcome of a statement that wrote nothing: the record as it is now decides. It may have changed since; then a
/// transaction does.
async fn nothing_written<D: Driver>(
    connection: &mut Connection<D>,
    resource: &'static Descriptor,
    id: &Key,
    intent: Intent<'_>,
) -> Result<Attempt<D>, AdapterError> {
    let get = Statement::get(resource, id)?;
    let row: Option<DatabaseRow<D>> = D::all(connection, get).await.map_err(D::general)?.pop();
    let record = row.as_ref().map(|row| Record::<D>::new(resource, row));
    let decision = decide(resource, intent, record.as_ref().map(|record| record as &dyn Row), None)?;
    drop(record);
    Ok(match decision.outcome() {
        Some(outcome) => Attempt::Settled(Change::new(outcome, row.filter(|_| decision == Decision::Unchanged))),
        None => Attempt::Undecided,
    })
}
