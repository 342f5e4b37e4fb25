//! Writes: one statement where that will do, else a transaction.

use chrono::{DateTime, Utc};
use sqlx::Connection;
use sqlx::sqlite::{SqliteConnection, SqliteRow};

use super::connections::{Connections, Lease, all};
use super::dialect::Sqlite;
use super::error::{general, translate, translate_delete};
use super::row::{Record, differs, owned};
use super::transaction::{Item, Transaction};
use super::{explain, key};
use crate::adapter::sql::dialect::Dialect;
use crate::adapter::sql::list::{self, Part};
use crate::adapter::sql::statement::{Sql, Text};
use crate::adapter::sql::write::{self, Condition, deletion_timestamp, soft_references};
use crate::adapter::{AdapterError, Mode, Outcome, Target, Update, Work, WorkWhere, Write, WriteSink, WriteWhere};
use crate::descriptor::{Descriptor, SortKey};
use crate::query::{ListQuery, Predicate};
use crate::text;
use crate::value::Value;

/// A writer takes its lock at the start: one that began by reading would fail, whatever the timeout, when
/// another had written since.
pub(super) const BEGIN: &str = "BEGIN IMMEDIATE";

/// How many records a change of many reads at a time.
const CHUNK: u64 = 500;

/// See [`Adapter::write`](crate::adapter::Adapter::write).
pub(super) async fn write(
    connections: &Connections,
    resource: &'static Descriptor,
    write: Write<'_>,
    sink: &mut dyn WriteSink,
) -> Result<Vec<Outcome>, AdapterError> {
    if write.work.is_empty() {
        return Ok(Vec::new());
    }
    let mut writer = connections.writer().await?;
    if let Some((outcome, row)) = at_once(&mut writer, resource, &write).await? {
        drop(writer);
        if let Some(row) = row {
            sink.record(0, &Record { resource, row: &row })?;
        }
        return Ok(vec![outcome]);
    }
    let done = in_transaction(&mut writer, resource, &write).await;
    writer.settle_if(done.is_ok());
    let (items, committed) = done?;
    drop(writer);
    for (index, item) in items.iter().enumerate().filter(|_| committed) {
        if let Some(row) = item.record() {
            sink.record(index, &Record { resource, row })?;
        }
    }
    Ok(items.into_iter().map(|item| item.outcome).collect())
}

/// What became of a change by one statement, with the record.
type AtOnce = Option<(Outcome, Option<SqliteRow>)>;

const DONE: fn(SqliteRow) -> AtOnce = |row| Some((Outcome::Done, Some(row)));

/// Makes a change by one statement, if one will do.
async fn at_once(
    writer: &mut Lease<'_>,
    resource: &'static Descriptor,
    write: &Write<'_>,
) -> Result<AtOnce, AdapterError> {
    if write.recorder.is_some() || write.mode == Mode::Rehearsal {
        return Ok(None);
    }
    let time = text::stamp();
    match write.work {
        Work::Insert([record]) => insert_at_once(writer, resource, record, time).await,
        Work::Update([update]) => update_at_once(writer, resource, update, time).await,
        Work::Delete([target]) if target.guard.is_none() => {
            let statement = Text::Fixed(Sqlite::statements(resource)?.delete);
            match writer.all(statement, vec![key(resource, target.id)]).await.map_err(translate_delete) {
                Ok(mut rows) => Ok(rows.pop().map_or(Some((Outcome::Missing, None)), DONE)),
                Err(error) => failed(error),
            }
        }
        Work::SoftDelete([target]) if target.guard.is_none() => {
            let statement = write::set_deleted(resource, Some(time), &in_state(resource, target, false)?)?;
            target_at_once(writer, resource, target, statement, translate).await
        }
        Work::Restore([target]) if target.guard.is_none() => {
            let statement = write::set_deleted(resource, None, &in_state(resource, target, true)?)?;
            target_at_once(writer, resource, target, statement, translate).await
        }
        Work::Purge([target]) if target.guard.is_none() => {
            let statement = write::delete(resource, &in_state(resource, target, true)?)?;
            target_at_once(writer, resource, target, statement, |_, error| translate_delete(error)).await
        }
        _ => Ok(None),
    }
}

/// A change that the database refused, or an error of the database's own.
fn failed(error: AdapterError) -> Result<AtOnce, AdapterError> {
    if error.is_refusal() { Ok(Some((Outcome::Failed(error), None))) } else { Err(error) }
}

async fn insert_at_once(
    writer: &mut Lease<'_>,
    resource: &'static Descriptor,
    record: &[Value],
    time: DateTime<Utc>,
) -> Result<AtOnce, AdapterError> {
    if soft_references(resource).any(|(column, _)| !record[column].is_null()) {
        return Ok(None);
    }
    let arguments = match write::insert_arguments::<Sqlite>(resource, record, time) {
        Ok(arguments) => arguments,
        Err(error) => return failed(error),
    };
    match writer.all(Text::Fixed(Sqlite::statements(resource)?.insert), arguments).await {
        Ok(mut rows) => Ok(rows.pop().map_or_else(|| Some((Outcome::Missing, None)), DONE)),
        Err(error) => {
            let error = translate(resource, error);
            failed(explain(writer, resource, error, record.iter().enumerate()).await)
        }
    }
}

/// One statement that compares and writes. That it wrote nothing has two reasons, which a look at the
/// record tells apart.
async fn update_at_once(
    writer: &mut Lease<'_>,
    resource: &'static Descriptor,
    update: &Update<'_>,
    time: DateTime<Utc>,
) -> Result<AtOnce, AdapterError> {
    let restores = resource.soft_delete.is_some_and(|soft_delete| soft_delete.auto_restore_on_update);
    let refers = soft_references(resource).any(|(column, _)| update.changes.get(column).is_some());
    if update.guard.is_some() || restores || refers || !write::comparable(resource, update.changes) {
        return Ok(None);
    }
    if !update.changes.is_empty() {
        let statement = match write::update::<Sqlite>(resource, update, Condition::IfDifferent, time, false) {
            Ok(statement) => statement,
            Err(error) => return failed(error),
        };
        let (text, arguments) = statement.finish();
        match writer.all(text, arguments).await {
            Ok(mut rows) => {
                if let Some(row) = rows.pop() {
                    return Ok(DONE(row));
                }
            }
            Err(error) => {
                let error = translate(resource, error);
                return failed(explain(writer, resource, error, update.changes.iter()).await);
            }
        }
    }
    let get = Text::Fixed(Sqlite::statements(resource)?.get);
    let Some(row) = writer.first(get, vec![key(resource, update.id)]).await.map_err(general)? else {
        return Ok(Some((Outcome::Missing, None)));
    };
    // Another process may have written in between.
    Ok(if differs(Record { resource, row: &row }, update.changes) { None } else { DONE(row) })
}

/// The record of a target, if it is soft-deleted or if it is not.
fn in_state(resource: &'static Descriptor, target: &Target<'_>, deleted: bool) -> Result<Predicate, AdapterError> {
    let of_key = Predicate::In { column: resource.id, negated: false, values: vec![target.id.clone()] };
    Ok(of_key.and(Predicate::IsNull { column: deletion_timestamp(resource)?, null: !deleted }))
}

async fn target_at_once(
    writer: &mut Lease<'_>,
    resource: &'static Descriptor,
    target: &Target<'_>,
    statement: Sql<Sqlite>,
    translate: fn(&'static Descriptor, sqlx::Error) -> AdapterError,
) -> Result<AtOnce, AdapterError> {
    let (text, arguments) = statement.finish();
    match writer.all(text, arguments).await.map_err(|error| translate(resource, error)) {
        Ok(mut rows) => match rows.pop() {
            Some(row) => Ok(DONE(row)),
            None => {
                let get = Text::Fixed(Sqlite::statements(resource)?.get);
                let there = writer.first(get, vec![key(resource, target.id)]).await.map_err(general)?.is_some();
                Ok(Some((if there { Outcome::WrongState } else { Outcome::Missing }, None)))
            }
        },
        Err(error) => failed(error),
    }
}

/// The changes of a transaction, and whether it was committed.
async fn in_transaction(
    connection: &mut SqliteConnection,
    resource: &'static Descriptor,
    write: &Write<'_>,
) -> Result<(Vec<Item>, bool), AdapterError> {
    let mut transaction = connection.begin_with(BEGIN).await.map_err(general)?;
    let mut work = Transaction::new(&mut transaction, resource, text::stamp(), write.work.len());
    work.work(write.work).await?;
    let commit = match write.mode {
        Mode::Atomic => work.items.iter().all(|item| matches!(item.outcome, Outcome::Done)),
        Mode::Partial => true,
        Mode::Rehearsal => false,
    };
    if commit && let Some(recorder) = write.recorder {
        work.record(recorder).await?;
    }
    let items = work.items;
    if commit {
        transaction.commit().await.map_err(|error| translate(resource, error))?;
    } else {
        transaction.rollback().await.map_err(general)?;
    }
    Ok((items, commit))
}

/// See [`Adapter::write_where`](crate::adapter::Adapter::write_where).
pub(super) async fn write_where(
    connections: &Connections,
    resource: &'static Descriptor,
    write: WriteWhere<'_>,
) -> Result<u64, AdapterError> {
    let mut writer = connections.writer().await?;
    let count = where_in_transaction(&mut writer, resource, &write).await;
    writer.settle_if(count.is_ok());
    count
}

async fn where_in_transaction(
    connection: &mut SqliteConnection,
    resource: &'static Descriptor,
    write: &WriteWhere<'_>,
) -> Result<u64, AdapterError> {
    let deleted = Predicate::IsNull { column: deletion_timestamp(resource)?, null: false };
    let query = ListQuery {
        filter: deleted.and(write.filter.clone()),
        // What refers to a record of the same resource is most often newer.
        sort: vec![SortKey::descending(resource.id)],
        limit: Some(CHUNK),
        ..ListQuery::all(resource)
    };
    let mut transaction = connection.begin_with(BEGIN).await.map_err(general)?;
    let time = text::stamp();
    let mut count = 0;
    loop {
        // Those of the last round are no longer among them.
        let (text, arguments) = list::select::<Sqlite>(resource, &query, Part::Whole, query.limit)?.finish();
        let rows = all(&mut transaction, text, arguments).await.map_err(general)?;
        let ids = rows.iter().map(|row| owned(Record { resource, row }, resource.id));
        let ids: Vec<Value> = ids.collect::<Result<_, _>>()?;
        let targets: Vec<Target<'_>> = ids.iter().map(|id| Target::new(id, None)).collect();
        let work = match write.work {
            WorkWhere::Restore => Work::Restore(&targets),
            WorkWhere::Purge => Work::Purge(&targets),
        };
        let mut round = Transaction::new(&mut transaction, resource, time, work.len());
        let records = ids.iter().map(Value::to_string).zip(rows).collect();
        round.targets(work, &targets, records).await?;
        if let Some(recorder) = write.recorder {
            round.record(recorder).await?;
        }
        for item in round.items {
            if let Outcome::Failed(error) = item.outcome {
                return Err(error);
            }
        }
        count += targets.len() as u64;
        if (targets.len() as u64) < CHUNK {
            break;
        }
    }
    transaction.commit().await.map_err(|error| translate(resource, error))?;
    Ok(count)
}
