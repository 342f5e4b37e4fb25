//! The transaction in which changes of several requests are made.

use sqlx::{Connection as _, SqlSafeStr};

use super::owned_change::{Kind, Single};
use crate::model::adapter_error::AdapterError;
use crate::model::descriptor::Descriptor;
use crate::model::value::Value;
use crate::storage::sql::driver::{Connection, Engine};
use crate::storage::sql::write::bisect::Care;
use crate::storage::sql::write::locking::{Item, Transaction};
use crate::storage::write::{Recorder, Target, Update, Work};

/// Changes of several requests that were not made together.
pub(crate) enum Unmade {
    /// Nothing has happened.
    Surely,
    /// Nobody knows: the answer to the commit did not come.
    Perhaps(AdapterError),
}

/// Makes one change each of several requests, of one kind and to different records, in a transaction of their own.
pub(crate) async fn run<E: Engine>(
    connection: &mut Connection<E>,
    begin: &'static str,
    resource: &'static Descriptor,
    kind: Kind,
    mut changes: Vec<&mut Single>,
) -> Result<Vec<Item<E>>, Unmade> {
    let mut transaction = connection.begin_with(begin.into_sql_str()).await.map_err(|_| Unmade::Surely)?;
    let Ok(items) = prepare::<E>(&mut transaction, resource, kind, &mut changes).await else {
        // Those who try by themselves are not to wait for it.
        let _ = transaction.rollback().await;
        return Err(Unmade::Surely);
    };
    match transaction.commit().await.map_err(|error| E::translate(resource, error)) {
        Ok(()) => Ok(items),
        Err(error) if error.is_refusal() => Err(Unmade::Surely),
        Err(error) => Err(Unmade::Perhaps(error)),
    }
}

/// All that those changes do before the commit.
async fn prepare<E: Engine>(
    connection: &mut Connection<E>,
    resource: &'static Descriptor,
    kind: Kind,
    changes: &mut [&mut Single],
) -> Result<Vec<Item<E>>, AdapterError> {
    let records: Vec<Vec<Value>> = changes.iter_mut().map(|change| change.take_record()).collect();
    let updates: Vec<Update<'_>> = changes.iter().map(|change| change.update()).collect();
    let targets: Vec<Target<'_>> = changes.iter().map(|change| change.target()).collect();
    let mut work = Transaction::<E>::new(connection, resource, Care::None, changes.len());
    work.work(match kind {
        Kind::Insert => Work::Insert(&records),
        Kind::Update => Work::Update(&updates),
        Kind::SoftDelete => Work::SoftDelete(&targets),
        Kind::Restore => Work::Restore(&targets),
        Kind::Delete => Work::Delete(&targets),
        Kind::Purge => Work::Purge(&targets),
    })
    .await?;
    let recorders: Vec<&dyn Recorder> = changes.iter().filter_map(|change| change.recorder.as_deref()).collect();
    if let Some(first) = recorders.first() {
        work.record(first.log(), |index| recorders[index]).await?;
    }
    Ok(work.items)
}
