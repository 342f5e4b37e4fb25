//! One change by one statement, which compares and writes: no transaction, no entry, no guard.
//!
//! The statement has the condition of the intent ([`Intent::as_condition`]). If nothing was written, [`decide`] says
//! why:
//!
//! ```sql
//! UPDATE "products" SET "deleted_at" = ? WHERE "id" = ? AND "deleted_at" IS NULL RETURNING …
//! ```

use chrono::{DateTime, Utc};

use crate::change::{Attempt, Change, LEFT_OUT};
use crate::driver::{Connection, DatabaseRow, Driver, Record};
use crate::model::adapter_error::AdapterError;
use crate::model::descriptor::Descriptor;
use crate::model::key::Key;
use crate::model::row::Row;
use crate::model::value::Value;
use crate::query::Predicate;
use crate::statement::Statement;
use crate::statement::change as statements;
use crate::storage::decide::{Decision, Intent, decide, guarded_references};
use crate::storage::write::{Outcome, Target, Update, Work, Write};

/// Whether one statement can apply this write of one change.
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

/// Applies the one change of this write, for which one statement [suffices].
pub(super) async fn change<D: Driver>(
    connection: &mut Connection<D>,
    resource: &'static Descriptor,
    write: &Write<'_>,
) -> Result<Attempt<D>, AdapterError> {
    let (time, tenant) = (write.clock.stamp(), write.tenant);
    match write.work {
        Work::Insert([record]) => insert(connection, resource, record, time).await.map(Attempt::Settled),
        Work::Update([change]) => update(connection, resource, (change, tenant), time).await,
        Work::Delete([target]) => {
            let statement = Statement::delete(resource, target.id, tenant)?;
            let change = match D::all(connection, statement).await.map_err(D::translate_delete) {
                Ok(rows) => Change::of_rows(rows, Outcome::Missing),
                Err(error) => Change::refused(error)?,
            };
            Ok(Attempt::Settled(change))
        }
        Work::SoftDelete([target]) => {
            change_state(connection, resource, (target, tenant), Intent::SoftDelete, time).await
        }
        Work::Restore([target]) => change_state(connection, resource, (target, tenant), Intent::Restore, time).await,
        Work::Purge([target]) => change_state(connection, resource, (target, tenant), Intent::Purge, time).await,
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
    (update, tenant): (&Update<'_>, Option<&Value>),
    time: DateTime<Utc>,
) -> Result<Attempt<D>, AdapterError> {
    let Some(condition) = Intent::Update(update.changes).as_condition(resource) else { return Ok(Attempt::Undecided) };
    if !update.changes.is_empty() {
        let statement = match statements::update::<D>(resource, (update, tenant), condition, time, false) {
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
    nothing_written(connection, resource, (update.id, tenant), Intent::Update(update.changes)).await
}

/// Soft-deletes, restores or removes the record of a target, if it is in the required state.
async fn change_state<D: Driver>(
    connection: &mut Connection<D>,
    resource: &'static Descriptor,
    (target, tenant): (&Target<'_>, Option<&Value>),
    intent: Intent<'_>,
    time: DateTime<Utc>,
) -> Result<Attempt<D>, AdapterError> {
    let mut records = Predicate::of_key(resource, target.id).and(Predicate::of_tenant(resource, tenant));
    if let Some(state) = intent.required_state() {
        records = records.and(statements::in_state(resource, state)?);
    }
    let removes = matches!(intent, Intent::Purge);
    let statement = if removes {
        statements::delete::<D>(resource, &records)?
    } else {
        statements::set_deleted(resource, matches!(intent, Intent::SoftDelete).then_some(time), &records)?
    };
    match D::all(connection, statement.finish()).await {
        Ok(rows) if rows.is_empty() => nothing_written(connection, resource, (target.id, tenant), intent).await,
        Ok(rows) => Ok(Attempt::Settled(Change::of_rows(rows, Outcome::Missing))),
        Err(error) => {
            let error = if removes { D::translate_delete(error) } else { D::translate(resource, error) };
            Change::refused(error).map(Attempt::Settled)
        }
    }
}

/// Outcome of a statement that wrote nothing, by the current record. If the record has changed since the statement, a
/// transaction has to decide.
async fn nothing_written<D: Driver>(
    connection: &mut Connection<D>,
    resource: &'static Descriptor,
    (id, tenant): (&Key, Option<&Value>),
    intent: Intent<'_>,
) -> Result<Attempt<D>, AdapterError> {
    let get = Statement::get(resource, id, tenant)?;
    let row: Option<DatabaseRow<D>> = D::all(connection, get).await.map_err(D::general)?.pop();
    let record = row.as_ref().map(|row| Record::<D>::new(resource, row));
    let decision = decide(resource, intent, record.as_ref().map(|record| record as &dyn Row), None)?;
    drop(record);
    Ok(match decision.outcome() {
        Some(outcome) => Attempt::Settled(Change::new(outcome, row.filter(|_| decision == Decision::Unchanged))),
        None => Attempt::Undecided,
    })
}
