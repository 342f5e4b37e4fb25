//! Changes on a connection: by one statement where that will do, else in a transaction.

pub(crate) mod bisect;
#[cfg(any(feature = "mysql", feature = "postgres"))]
pub(crate) mod group_commit;
pub(crate) mod locking;
mod single_statement;

use sqlx::{Connection as _, SqlSafeStr};

use self::bisect::Care;
use self::locking::{Item, Transaction};
use self::single_statement::at_once;
use super::driver::{Connection, Engine, Lock, Record};
use super::statement::change::deletion_timestamp;
use super::statement::select;
use super::statement::select::Part;
use crate::model::adapter_error::AdapterError;
use crate::model::descriptor::{Descriptor, SortKey};
use crate::model::value::Value;
use crate::query::{ListQuery, Predicate};
use crate::storage::write::{Mode, Outcome, Target, Work, WorkWhere, Write, WriteSink, WriteWhere};

/// How many records a change of many reads at a time.
const CHUNK: u64 = 500;

/// Changes that have happened, or have not.
pub(crate) struct Changed<E: Engine> {
    items: Vec<Item<E>>,
    committed: bool,
}

impl<E: Engine> Changed<E> {
    /// One change that happened, or did not.
    pub(crate) fn one(item: Item<E>) -> Self {
        Self { items: vec![item], committed: true }
    }

    /// Whether what was done stands: no transaction is left to be rolled back.
    #[cfg(any(feature = "mysql", feature = "postgres"))]
    pub(crate) const fn is_committed(&self) -> bool {
        self.committed
    }

    /// Hands on the records of what happened; what became of each change.
    pub(crate) fn hand_on(
        self,
        resource: &'static Descriptor,
        sink: &mut dyn WriteSink,
    ) -> Result<Vec<Outcome>, AdapterError> {
        for (index, item) in self.items.iter().enumerate().filter(|_| self.committed) {
            if let Some(row) = item.record() {
                sink.record(index, &Record::<E>::new(resource, row))?;
            }
        }
        Ok(self.items.into_iter().map(|item| item.outcome).collect())
    }
}

/// See [`Adapter::write`](crate::storage::adapter::Adapter::write).
pub(crate) async fn run<E: Engine>(
    connection: &mut Connection<E>,
    resource: &'static Descriptor,
    write: &Write<'_>,
) -> Result<Changed<E>, AdapterError> {
    let mut item = at_once::<E>(connection, resource, write).await?;
    if item.is_none() && write.work.len() == 1 {
        item = E::shortcut(connection, resource, write).await?;
    }
    if let Some(item) = item {
        return Ok(Changed::one(item));
    }
    match in_transaction(connection, resource, write, Care::None).await {
        Err(error) if E::SPOILS && error.is_refusal() => {
            if write.work.len() == 1 {
                return Ok(Changed { items: vec![Item::at_once(Outcome::Failed(error), None)], committed: false });
            }
            // Which of the changes are refused can be found out with savepoints alone, which cost those
            // that are not.
            in_transaction(connection, resource, write, Care::Savepoints).await
        }
        done => done,
    }
}

async fn in_transaction<E: Engine>(
    connection: &mut Connection<E>,
    resource: &'static Descriptor,
    write: &Write<'_>,
    care: Care,
) -> Result<Changed<E>, AdapterError> {
    let mut transaction = connection.begin_with(E::BEGIN.into_sql_str()).await.map_err(E::general)?;
    let mut work = Transaction::<E>::new(&mut transaction, resource, care, write.work.len());
    work.work(write.work).await?;
    let commit = match write.mode {
        Mode::Atomic => work.items.iter().all(|item| matches!(item.outcome, Outcome::Done)),
        Mode::Partial => true,
        Mode::Rehearsal => false,
    };
    if commit && let Some(recorder) = write.recorder.as_deref() {
        work.record(recorder.log(), |_| recorder).await?;
    }
    let items = work.items;
    if commit {
        transaction.commit().await.map_err(|error| E::translate(resource, error))?;
    } else {
        transaction.rollback().await.map_err(E::general)?;
    }
    Ok(Changed { items, committed: commit })
}

/// See [`Adapter::write_where`](crate::storage::adapter::Adapter::write_where).
pub(crate) async fn run_where<E: Engine>(
    connection: &mut Connection<E>,
    resource: &'static Descriptor,
    write: &WriteWhere<'_>,
) -> Result<u64, AdapterError> {
    let lock = E::lock(match write.work {
        WorkWhere::Restore => Lock::Change,
        WorkWhere::Purge => Lock::Remove,
    });
    let deleted = Predicate::IsNull { column: deletion_timestamp(resource)?, null: false };
    let query = ListQuery {
        filter: deleted.and(write.filter.clone()),
        // What refers to a record of the same resource is most often newer.
        sort: vec![SortKey::descending(resource.id)],
        limit: Some(CHUNK),
        ..ListQuery::all(resource)
    };
    let mut transaction = connection.begin_with(E::BEGIN.into_sql_str()).await.map_err(E::general)?;
    let mut count = 0;
    loop {
        // Those of the last round are no longer among them.
        let mut select = select::select::<E>(resource, &query, Part::Whole, query.limit)?;
        select.push(lock);
        let rows = E::all(&mut transaction, select.finish()).await.map_err(E::general)?;
        let ids = rows.iter().map(|row| Record::<E>::new(resource, row).owned(resource.id));
        let ids: Vec<Value> = ids.collect::<Result<_, _>>()?;
        let targets: Vec<Target<'_>> = ids.iter().map(|id| Target::new(id, None)).collect();
        let work = match write.work {
            WorkWhere::Restore => Work::Restore(&targets),
            WorkWhere::Purge => Work::Purge(&targets),
        };
        let mut round = Transaction::<E>::new(&mut transaction, resource, Care::None, work.len());
        let records = ids.iter().map(Value::to_string).zip(rows).collect();
        round.targets(work, &targets, records).await?;
        if let Some(recorder) = write.recorder.as_deref() {
            round.record(recorder.log(), |_| recorder).await?;
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
    transaction.commit().await.map_err(|error| E::translate(resource, error))?;
    Ok(count)
}
