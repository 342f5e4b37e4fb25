//! [`Shards`] of sharded storage: the places of tables, and which shards do not answer.

use std::time::Duration;

use futures_util::future::join_all;
use tokio::time::timeout;

use super::ShardedMySqlAdapter;
use crate::storage::adapter::{Adapter as _, BoxFuture};
use crate::storage::shards::{PlacedTable, Shards};

/// Maximum time for a shard's answer.
const TIME: Duration = Duration::from_secs(1);

impl Shards for ShardedMySqlAdapter {
    fn names(&self) -> Vec<String> {
        self.keyspaces.shards.clone()
    }

    fn place(&self, tables: Vec<PlacedTable>) {
        self.tables.set(tables);
    }

    fn away(&self) -> BoxFuture<'_, Vec<String>> {
        let asked = self.places.iter().map(async |place| {
            let answers = matches!(timeout(TIME, place.storage.ping()).await, Ok(Ok(())));
            (!answers).then(|| place.name.clone())
        });
        Box::pin(async move { join_all(asked).await.into_iter().flatten().collect() })
    }
}
