//! [`Transfer`] of sharded storage. vtgate finds the shard of each record, as it does for requests.
//!
//! One transaction on all shards would hold the records of a move in the tablets' memory, and its commit would not be
//! atomic. So each page is a transaction, and [`unfinished`](super::unfinished) marks a move that has not ended.

use std::sync::Arc;

use super::ShardedMySqlAdapter;
use super::text_storage::{TextStorage, TextTransaction};
use crate::connections::{Connections as _, begin};
use crate::model::adapter_error::AdapterError;
use crate::model::descriptor::Descriptor;
use crate::model::row::RowSink;
use crate::model::value::Value;
use crate::mysql::as_text;
use crate::mysql::dialect::MySql;
use crate::mysql::{MySqlAdapter, MySqlConnections};
use crate::query::ListQuery;
use crate::storage::adapter::{Adapter, AdapterFuture};
use crate::storage::schema::Difference;
use crate::storage::transaction::Transaction;
use crate::storage::transfer::{Load, Refused, Transfer};
use crate::transaction::SqlTransaction;
use crate::transfer::{self, GeneratedColumns};

/// Lifts the time limit that a tablet sets for transactions.
const UNLIMITED: &str = "SET workload = 'dba'";

impl Transfer for ShardedMySqlAdapter {
    fn differences<'a>(&'a self, resources: &'a [&'static Descriptor]) -> AdapterFuture<'a, Vec<Difference>> {
        Box::pin(self.differences(resources, differences_in))
    }

    /// Each shard has its own snapshot, which its first read takes. There is no snapshot of all shards together.
    fn snapshot(&self) -> AdapterFuture<'_, Box<dyn Transaction>> {
        TextTransaction::begun(Box::pin(transfer::snapshot_after(&self.routed.0.connections, &[UNLIMITED])))
    }

    fn last_key<'a>(&'a self, resource: &'static Descriptor) -> AdapterFuture<'a, i64> {
        Box::pin(async move {
            match self.tables.of_shards(resource) {
                Some(placed) => self.last_assigned(placed).await,
                None => Transfer::last_key(&*self.main().storage, resource).await,
            }
        })
    }

    fn set_last_key<'a>(&'a self, resource: &'static Descriptor, key: i64) -> AdapterFuture<'a, ()> {
        Box::pin(async move {
            match self.tables.of_shards(resource) {
                Some(placed) => self.assign_above(placed, key).await,
                None => Transfer::set_last_key(&*self.main().storage, resource, key).await,
            }
        })
    }

    fn load<'a>(&'a self, resources: &'a [&'static Descriptor]) -> AdapterFuture<'a, Box<dyn Load>> {
        Box::pin(async move {
            let mut generated = GeneratedColumns::default();
            let mut places = Vec::with_capacity(self.places.len());
            for place in &self.places {
                let own = self.resources_in(place, resources);
                let mut lease = place.storage.connections.reader().await.map_err(|error| place.named(error))?;
                generated.add(GeneratedColumns::of::<MySql>(&mut lease, &own).await?);
                MySqlConnections::release(lease);
                places.push((place.storage.clone(), own));
            }
            let unfinished = self.mark_unfinished().await?;
            let deferred = transfer::deferred(resources);
            Ok(Box::new(ShardedLoad { routed: self.routed.clone(), places, deferred, generated, unfinished })
                as Box<dyn Load>)
        })
    }

    fn discard_unfinished<'a>(&'a self, resources: &'a [&'static Descriptor]) -> AdapterFuture<'a, ()> {
        Box::pin(self.remove_unfinished(resources))
    }
}

/// The differences in one place.
fn differences_in<'c>(
    storage: &'c MySqlAdapter,
    resources: &'c [&'static Descriptor],
) -> AdapterFuture<'c, Vec<Difference>> {
    if resources.is_empty() {
        return Box::pin(std::future::ready(Ok(Vec::new())));
    }
    Transfer::differences(storage, resources)
}

/// Inserts records into shards. Each page is a transaction.
struct ShardedLoad {
    routed: TextStorage,
    /// Each place, with the resources whose tables it has.
    places: Vec<(Arc<MySqlAdapter>, Vec<&'static Descriptor>)>,
    /// The resources that refer to themselves or to a later resource.
    deferred: Vec<&'static Descriptor>,
    generated: GeneratedColumns,
    unfinished: super::unfinished::Mark,
}

impl Load for ShardedLoad {
    fn insert<'a>(
        &'a mut self,
        resource: &'static Descriptor,
        records: &'a [Vec<Value>],
    ) -> AdapterFuture<'a, Vec<Refused>> {
        as_text::around(Box::pin(self.insert_page(resource, records)))
    }

    /// Asks each place: a record and the records that it refers to are in the same place.
    fn dangling<'a>(&'a mut self, resource: &'static Descriptor) -> AdapterFuture<'a, Vec<Refused>> {
        Box::pin(async move {
            let mut refused = Vec::new();
            for (storage, tables) in &self.places {
                if tables.iter().any(|table| std::ptr::eq(*table, resource)) {
                    let mut transaction = transaction_on(storage).await?;
                    refused.extend(transfer::dangling(&mut transaction, resource).await?);
                    transaction.rollback().await?;
                }
            }
            Ok(refused)
        })
    }

    fn list<'a>(
        &'a mut self,
        resource: &'static Descriptor,
        query: &'a ListQuery,
        sink: &'a mut dyn RowSink,
    ) -> AdapterFuture<'a, ()> {
        Adapter::list(&self.routed, resource, query, sink)
    }

    fn commit(self: Box<Self>) -> AdapterFuture<'static, ()> {
        Box::pin(self.unfinished.end())
    }
}

impl ShardedLoad {
    async fn insert_page(
        &self,
        resource: &'static Descriptor,
        records: &[Vec<Value>],
    ) -> Result<Vec<Refused>, AdapterError> {
        let mut transaction = transaction_on(&self.routed.0).await?;
        let is_deferred = self.deferred.iter().any(|table| std::ptr::eq(*table, resource));
        check_references(&mut transaction, !is_deferred).await?;
        let columns = self.generated.inserted(resource);
        let refused = transfer::insert(&mut transaction, resource, columns, records).await?;
        check_references(&mut transaction, true).await?;
        if refused.is_empty() {
            transaction.commit().await?;
        }
        Ok(refused)
    }
}

async fn transaction_on(storage: &MySqlAdapter) -> Result<SqlTransaction<MySqlConnections>, AdapterError> {
    Ok(SqlTransaction::new(begin(&storage.connections).await?, storage.connections.facts()))
}

/// Turns the checks of foreign keys on or off. vtgate passes the setting on with each statement.
async fn check_references(
    transaction: &mut SqlTransaction<MySqlConnections>,
    checks: bool,
) -> Result<(), AdapterError> {
    let set = format!("SET SESSION foreign_key_checks = {}", u8::from(checks));
    transfer::run::<MySql>(transaction.connection_for_long()?, set).await
}
