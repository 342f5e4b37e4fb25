//! [`Work`]: the code of a data migration, for a batch of records.

use std::borrow::Cow;
use std::future::Future;
use std::sync::Arc;

use crate::model::adapter_error::{AdapterError, BoxError};
use crate::model::descriptor::{Descriptor, SortKey};
use crate::model::key::{Key, RecordKey};
use crate::model::problem::chain;
use crate::model::resource::{Resource, Writable};
use crate::query::ListQuery;
use crate::storage::future::BoxFuture;
use crate::store::app::App;
use crate::store::transaction::Tx;
use crate::store::transaction::shared::SharedTransaction;
use crate::store::typed::store::RecordSink;

/// Runs a batch; returns the reason when it fails.
type Runner = Arc<dyn Fn(Batch) -> BoxFuture<'static, Result<Worked, String>> + Send + Sync>;

/// The code of a data migration.
#[derive(Clone)]
pub(super) struct Work {
    /// The struct of the migration's records; `None` for one transaction without batches.
    resource: Option<&'static Descriptor>,
    runner: Runner,
}

/// The place of a batch, and the transaction that it runs in.
pub(super) struct Batch {
    pub(super) app: App,
    pub(super) transaction: Arc<SharedTransaction>,
    /// The key of the record before the first; `None` for the first batch.
    pub(super) after: Option<Key>,
    /// Limit of the batch's records.
    pub(super) size: u32,
}

/// The records of a batch that ran.
#[derive(Debug, Default)]
pub(super) struct Worked {
    pub(super) records: u32,
    /// The key of the last one.
    pub(super) last: Option<Key>,
}

impl Work {
    pub(super) const fn resource(&self) -> Option<&'static Descriptor> {
        self.resource
    }

    /// Runs a batch.
    ///
    /// # Errors
    /// The reason why the batch cannot be kept.
    pub(super) async fn run(&self, batch: Batch) -> Result<Worked, String> {
        (self.runner)(batch).await
    }

    pub(super) fn each<R, F, Fut, E>(change: F) -> Self
    where
        R: Writable,
        F: Fn(R, Tx<'static>) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<(), E>> + Send + 'static,
        E: Into<BoxError>,
    {
        let change = Arc::new(change);
        Self::of_records(move |records: Vec<R>, batch| {
            let change = change.clone();
            Box::pin(async move {
                for record in records {
                    let key = key(&record);
                    let changed = change(record, batch.tx()).await;
                    changed.map_err(|error| format!("at the key `{key}`: {}", chain(&*error.into())))?;
                }
                Ok(())
            })
        })
    }

    pub(super) fn batches<R, F, Fut, E>(change: F) -> Self
    where
        R: Writable,
        F: Fn(Vec<R>, Tx<'static>) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<(), E>> + Send + 'static,
        E: Into<BoxError>,
    {
        Self::of_records(move |records: Vec<R>, batch| {
            let (first, last) = (records.first().map(key), records.last().map(key));
            let change = change(records, batch.tx());
            Box::pin(async move {
                change.await.map_err(|error| {
                    let of = |key: Option<Key>| key.map_or_else(|| "null".to_owned(), |key| key.to_string());
                    format!("at the keys `{}` to `{}`: {}", of(first), of(last), chain(&*error.into()))
                })
            })
        })
    }

    pub(super) fn once<F, Fut, E>(change: F) -> Self
    where
        F: Fn(Tx<'static>) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<(), E>> + Send + 'static,
        E: Into<BoxError>,
    {
        let runner = move |batch: Batch| -> BoxFuture<'static, Result<Worked, String>> {
            let change = change(batch.tx());
            Box::pin(async move {
                change.await.map_err(|error| chain(&*error.into()))?;
                Ok(Worked::default())
            })
        };
        Self { resource: None, runner: Arc::new(runner) }
    }

    /// Code that gets the records of a batch, if there are any.
    fn of_records<R: Writable>(
        change: impl Fn(Vec<R>, Batch) -> BoxFuture<'static, Result<(), String>> + Send + Sync + 'static,
    ) -> Self {
        let change = Arc::new(change);
        let runner = move |batch: Batch| -> BoxFuture<'static, Result<Worked, String>> {
            let change = change.clone();
            Box::pin(async move {
                let records = batch.records::<R>().await.map_err(|error| chain(&error))?;
                let worked =
                    Worked { records: u32::try_from(records.len()).unwrap_or(u32::MAX), last: records.last().map(key) };
                if worked.records > 0 {
                    change(records, batch).await?;
                }
                Ok(worked)
            })
        };
        Self { resource: Some(R::DESCRIPTOR), runner: Arc::new(runner) }
    }
}

impl Batch {
    fn tx(&self) -> Tx<'static> {
        Tx::within(Cow::Owned(self.app.clone()), self.transaction.clone())
    }

    /// The records in order of their keys, locked until the transaction ends.
    async fn records<R: Resource>(&self) -> Result<Vec<R>, AdapterError> {
        let resource = R::DESCRIPTOR;
        let mut query = ListQuery::all(resource).sort(SortKey::of_key(resource, false)).limit(self.size.into());
        query.after = self.after.as_ref().map(|last| last.values().to_vec());
        let mut sink = RecordSink::<R>(Vec::new());
        self.transaction.list_locked(resource, &query, &mut sink).await?;
        Ok(sink.0)
    }
}

fn key<R: Resource>(record: &R) -> Key {
    record.id().into_key()
}
