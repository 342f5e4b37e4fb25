//! [`MongoDbAdapter`]: storage in MongoDB.

use std::collections::HashSet;
use std::fmt;
use std::ops::Range;
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;

use mongodb::bson::doc;

use super::TARGET;
use super::database::Database;
use super::error::{Failure, failed};
use super::mode::Mode as Durability;
use super::open::open;
use super::record_locks::RecordLocks;
use super::schema::{Schema, is_described};
use super::unused_collections::unused_collections;
use super::write::{Attempts, Change, Writer};
use super::{migrate, pending, read};
use crate::model::adapter_error::AdapterError;
use crate::model::descriptor::{Audit, Count, Descriptor, SortKey};
use crate::model::key::Key;
use crate::model::row::{Row, RowSink};
use crate::model::value::Value;
use crate::query::{ListQuery, Predicate, Total, deletion};
use crate::storage::adapter::{Adapter, AdapterFuture, BoxFuture, list_and_count};
use crate::storage::administration::Administration;
use crate::storage::capabilities::Capabilities;
use crate::storage::migrate_error::MigrateError;
use crate::storage::unused_table::UnusedTable;
use crate::storage::write::{Mode, Outcome, Target, Work, WorkWhere, Write, WriteSink, WriteWhere};

/// Storage in MongoDB, over its official driver.
///
/// On a replica set or a sharded cluster, changes are in the server's transactions. On a single server, which has none,
/// each change and its audit entry are one write of one document; an atomic change of several records is
/// [`AdapterError::Unsupported`].
///
/// ```no_run
/// # async fn run() -> crud_runtime::Result<()> {
/// use crud_runtime::prelude::*;
///
/// let service = Service::connect("mongodb://localhost:27017/shop").await?;
/// # Ok(()) }
/// ```
pub struct MongoDbAdapter {
    database: Arc<Database>,
    durability: Durability,
    locks: RecordLocks,
    /// The collections that are known to be described.
    described: RwLock<HashSet<&'static str>>,
}

impl fmt::Debug for MongoDbAdapter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The client's options contain the password.
        f.debug_struct("MongoDbAdapter").field("durability", &self.durability).finish_non_exhaustive()
    }
}

impl MongoDbAdapter {
    /// The capabilities of every server; a replica set has transactions too.
    #[doc(hidden)]
    pub const CAPABILITIES: Capabilities = Durability::Single.capabilities();

    /// Storage in the database of a URL: `mongodb://user:password@host/database`, or `mongodb+srv:`.
    ///
    /// # Errors
    /// When the URL is malformed, names no database or asks for writes that are not acknowledged, and when the server
    /// cannot be reached.
    pub async fn connect(url: &str) -> Result<Self, AdapterError> {
        let database = Arc::new(open(url).await?);
        let durability = Durability::find(&database).await?;
        match durability {
            Durability::Transactions => {
                tracing::info!(target: TARGET, "MongoDB has transactions: changes are made in them");
            }
            Durability::Single => tracing::info!(
                target: TARGET,
                "MongoDB has no transactions here: each change is one write of one document, with its audit entry"
            ),
        }
        Ok(Self { database, durability, locks: RecordLocks::new(), described: RwLock::default() })
    }

    /// Refuses a collection without a description: the references to its documents, for example, would not be known.
    async fn check_described(&self, resource: &'static Descriptor) -> Result<(), AdapterError> {
        if self.described.read().unwrap_or_else(PoisonError::into_inner).contains(resource.table) {
            return Ok(());
        }
        let described = is_described(&mut self.database.session(), resource.table).await;
        if !described.map_err(Failure::into_adapter)? {
            let name = resource.table;
            return Err(AdapterError::MissingTable(format!("there is no collection `{name}`").into()));
        }
        self.described.write().unwrap_or_else(PoisonError::into_inner).insert(resource.table);
        Ok(())
    }

    /// Prepares a read. Before the audit log is read, the entries of every durable change are moved there.
    async fn prepare(&self, resource: &'static Descriptor) -> Result<(), AdapterError> {
        self.check_described(resource).await?;
        if resource.table != Audit::LOG {
            return Ok(());
        }
        let mut session = self.database.session();
        let finished = async {
            let schema = Schema::read(&mut session).await?;
            pending::finish_all(&mut session, &schema, |collection| collection.audited).await
        };
        finished.await.map_err(Failure::into_adapter)
    }

    async fn change(&self, resource: &'static Descriptor, write: &Write<'_>) -> Result<Vec<Change>, AdapterError> {
        self.check_described(resource).await?;
        let (recorder, clock) = (write.recorder.as_deref(), &write.clock);
        let (database, locks, tenant) = (&self.database, &self.locks, write.tenant);
        let writer = Writer { database, locks, resource, recorder, clock, tenant };
        let all = 0..write.work.len();
        let changes = match write.mode {
            Mode::Rehearsal => {
                let mut changes = Vec::with_capacity(all.len());
                let mut session = self.database.session();
                for index in all {
                    changes.push(writer.rehearse(&mut session, write.work, index).await.map(Change::not_done));
                }
                changes.into_iter().collect()
            }
            Mode::Atomic => {
                self.capabilities().check_atomic(all.len() as u64)?;
                self.together(&writer, write.work, all).await
            }
            Mode::Partial => self.each(&writer, write.work).await,
        };
        changes.map_err(Failure::into_adapter)
    }

    /// Applies each of these changes by itself.
    async fn each(&self, writer: &Writer<'_>, work: Work<'_>) -> Result<Vec<Change>, Failure> {
        let mut changes = Vec::with_capacity(work.len());
        for index in 0..work.len() {
            changes.extend(self.together(writer, work, index..index + 1).await?);
        }
        Ok(changes)
    }

    /// Applies changes together. Where the server has transactions, they share one, which is committed if all succeed
    /// and starts over after a conflict.
    async fn together(
        &self,
        writer: &Writer<'_>,
        work: Work<'_>,
        indexes: Range<usize>,
    ) -> Result<Vec<Change>, Failure> {
        if self.durability == Durability::Single {
            return writer.all(&mut self.database.session(), work, indexes).await;
        }
        let mut attempts = Attempts::new(self.database.limit());
        loop {
            let mut session = self.database.transaction().await?;
            let done = writer.all(&mut session, work, indexes.clone()).await;
            let done = match done {
                Ok(changes) if changes.iter().all(Change::is_done) => session.commit().await.map(|()| changes),
                done => {
                    session.abort().await;
                    done
                }
            };
            match done {
                // The check before the write did not see a duplicate; the next attempt's check does.
                Err(Failure::Transient(_) | Failure::Outdated | Failure::Duplicate) => attempts.next().await?,
                done => return done,
            }
        }
    }

    async fn change_where(&self, resource: &'static Descriptor, write: &WriteWhere<'_>) -> Result<u64, AdapterError> {
        let soft_delete = resource.soft_delete.ok_or_else(|| failed("the resource has no soft delete"))?;
        let deleted = deletion(resource, soft_delete.deleted_at, true);
        let query = ListQuery::all(resource).filter(deleted).filter(write.filter.clone());
        // Newest first: most often, a record is newer than the one of the same resource that it refers to.
        let query = query.sort(SortKey::of_key(resource, true));
        let mut ids = Keys(resource, Vec::new());
        self.list(resource, &query, &mut ids).await?;
        let targets: Vec<Target<'_>> = ids.1.iter().map(|id| Target::new(id, None)).collect();
        let work = match write.work {
            WorkWhere::Restore => Work::Restore(&targets),
            WorkWhere::Purge => Work::Purge(&targets),
        };
        let write = Write::atomic(work, write.recorder.clone()).with_clock(&write.clock).of_tenant(write.tenant);
        let mut count = 0;
        for change in self.change(resource, &write).await? {
            match change.outcome {
                Outcome::Done => count += 1,
                Outcome::Failed(error) => return Err(error),
                // Another change has come between.
                _ => {}
            }
        }
        Ok(count)
    }
}

impl Adapter for MongoDbAdapter {
    fn capabilities(&self) -> Capabilities {
        self.durability.capabilities()
    }

    fn ping(&self) -> AdapterFuture<'_, ()> {
        Box::pin(async move { self.database.command(doc! { "ping": 1 }).await.map(drop) })
    }

    fn list<'a>(
        &'a self,
        resource: &'static Descriptor,
        query: &'a ListQuery,
        sink: &'a mut dyn RowSink,
    ) -> AdapterFuture<'a, ()> {
        Box::pin(async move {
            self.prepare(resource).await?;
            read::list(&self.database, resource, query, sink).await
        })
    }

    fn count<'a>(&'a self, resource: &'static Descriptor, filter: &'a Predicate) -> AdapterFuture<'a, u64> {
        Box::pin(async move {
            self.prepare(resource).await?;
            read::count(&self.database, resource, filter, None).await
        })
    }

    fn count_up_to<'a>(
        &'a self,
        resource: &'static Descriptor,
        filter: &'a Predicate,
        limit: u64,
    ) -> AdapterFuture<'a, u64> {
        Box::pin(async move {
            self.prepare(resource).await?;
            read::count(&self.database, resource, filter, Some(limit)).await
        })
    }

    fn page<'a>(
        &'a self,
        resource: &'static Descriptor,
        query: &'a ListQuery,
        count: Count,
        sink: &'a mut dyn RowSink,
    ) -> AdapterFuture<'a, Option<Total>> {
        Box::pin(list_and_count(self, resource, query, count, sink))
    }

    fn get<'a>(
        &'a self,
        resource: &'static Descriptor,
        id: &'a Key,
        tenant: Option<&'a Value>,
        sink: &'a mut dyn RowSink,
    ) -> AdapterFuture<'a, bool> {
        Box::pin(async move {
            self.prepare(resource).await?;
            read::get(&self.database, resource, (id, tenant), sink).await
        })
    }

    fn write<'a>(
        &'a self,
        resource: &'static Descriptor,
        write: Write<'a>,
        sink: &'a mut dyn WriteSink,
    ) -> AdapterFuture<'a, Vec<Outcome>> {
        Box::pin(async move {
            let changes = self.change(resource, &write).await?;
            let kept = write.mode == Mode::Partial || changes.iter().all(Change::is_done);
            for (index, change) in changes.iter().enumerate().filter(|_| kept) {
                if let Some(record) = &change.record {
                    sink.record(index, record)?;
                }
            }
            Ok(changes.into_iter().map(|change| change.outcome).collect())
        })
    }

    fn write_where<'a>(&'a self, resource: &'static Descriptor, write: WriteWhere<'a>) -> AdapterFuture<'a, u64> {
        Box::pin(async move { self.change_where(resource, &write).await })
    }
}

impl Administration for MongoDbAdapter {
    fn migrate<'a>(&'a self, resources: &'a [&'static Descriptor]) -> BoxFuture<'a, Result<(), MigrateError>> {
        Box::pin(migrate::migrate(&self.database, resources))
    }

    fn plan<'a>(&'a self, resources: &'a [&'static Descriptor]) -> BoxFuture<'a, Result<Vec<String>, MigrateError>> {
        Box::pin(migrate::plan(&self.database, resources))
    }

    fn unused_tables<'a>(&'a self, used: &'a [&'static str]) -> AdapterFuture<'a, Vec<UnusedTable>> {
        Box::pin(async move { unused_collections(&self.database, used).await.map_err(Failure::into_adapter) })
    }

    fn set_time_limit(&self, limit: Duration) {
        self.database.set_limit(limit);
    }
}

/// Collects the keys of records.
struct Keys(&'static Descriptor, Vec<Key>);

impl RowSink for Keys {
    fn row(&mut self, row: &dyn Row) -> Result<(), AdapterError> {
        let Keys(resource, keys) = self;
        keys.push(Key::of_row(resource, row)?);
        Ok(())
    }
}
