//! Sequences of keys: tables of the unsharded keyspace, from which a tablet takes a thousand keys at a time for vtgate.
//!
//! ```sql
//! CREATE TABLE `devices_seq` (id INT, next_id BIGINT, cache BIGINT, PRIMARY KEY (id)) COMMENT 'vitess_sequence'
//! ALTER VSCHEMA ADD SEQUENCE `main`.`devices_seq`
//! ALTER VSCHEMA ON `app`.`devices` ADD AUTO_INCREMENT `id` USING `main`.`devices_seq`
//! ```

use std::collections::HashSet;
use std::time::Duration;

use sqlx::mysql::MySqlConnection;
use sqlx::{AssertSqlSafe, Executor, Row};
use tokio::time::sleep;

use super::ShardedMySqlAdapter;
use super::key_source::KeySource;
use super::routes::{execute_all, named};
use crate::connections::Connections as _;
use crate::identifier::identifier;
use crate::model::adapter_error::AdapterError;
use crate::model::descriptor::Descriptor;
use crate::mysql::MySqlConnections;
use crate::mysql::dialect::MySql;
use crate::mysql::error::general;
use crate::storage::shards::PlacedTable;

/// Number of keys that a tablet takes from a sequence at once.
const KEYS: u32 = 1000;

/// Suffix of the name of a sequence's table.
const SUFFIX: &str = "_seq";

/// Time until every vtgate knows a route that another vtgate has written.
const HEARD: Duration = Duration::from_secs(2);

/// The name of the table of a sequence.
pub(super) fn sequence(resource: &Descriptor) -> String {
    named(resource.table, SUFFIX)
}

impl ShardedMySqlAdapter {
    /// The statements that create the sequence of a table, on a connection to the unsharded keyspace. The last one
    /// needs the route of the table. The sequence continues after the keys of existing records.
    pub(super) async fn create_sequence(
        &self,
        resource: &'static Descriptor,
        key: &str,
    ) -> Result<Vec<String>, AdapterError> {
        let (own, sequence, table) = self.names(resource);
        let next = self.last_of_shards(resource).await?.saturating_add(1);
        Ok(vec![
            format!(
                "CREATE TABLE IF NOT EXISTS {own} (id INT, next_id BIGINT, cache BIGINT, PRIMARY KEY (id)) COMMENT 'vitess_sequence'"
            ),
            format!("INSERT IGNORE INTO {own} (id, next_id, cache) VALUES (0, {next}, {KEYS})"),
            format!("ALTER VSCHEMA ADD SEQUENCE {sequence}"),
            format!("ALTER VSCHEMA ON {table} ADD AUTO_INCREMENT {} USING {sequence}", identifier::<MySql>(key)),
        ])
    }

    /// The last key that a tablet has taken from the sequence of a resource.
    pub(super) async fn last_of_sequence(&self, resource: &'static Descriptor) -> Result<i64, AdapterError> {
        let read = format!("SELECT next_id - 1 FROM {} WHERE id = 0", identifier::<MySql>(&sequence(resource)));
        let mut lease = self.main().storage.connections.reader().await?;
        let row = lease.fetch_one(AssertSqlSafe(read)).await.map_err(general)?;
        MySqlConnections::release(lease);
        row.try_get_unchecked(0).map_err(general)
    }

    /// Makes the sequence of a resource assign only keys above this one.
    pub(super) async fn set_sequence(&self, resource: &'static Descriptor, key: i64) -> Result<(), AdapterError> {
        let (own, next) = (identifier::<MySql>(&sequence(resource)), key.saturating_add(1));
        let update = format!("UPDATE {own} SET next_id = {next} WHERE id = 0 AND next_id < {next}");
        let mut lease = self.main().storage.connections.writer().await?;
        lease.execute(AssertSqlSafe(update)).await.map_err(general)?;
        MySqlConnections::release(lease);
        Ok(())
    }

    /// Ends the sequences of those `routed` tables whose keys the shards' servers assign from now on.
    ///
    /// # Errors
    /// Errors of [`check_sequences`](Self::check_sequences).
    pub(super) async fn settle_sequences(
        &self,
        connection: &mut MySqlConnection,
        routed: &[PlacedTable],
    ) -> Result<(), AdapterError> {
        let found = sequences(connection).await?;
        self.check_found(&found, routed)?;
        let ended = self.left_over(&found, routed);
        if ended.is_empty() { Ok(()) } else { self.end_sequences(connection, &ended).await }
    }

    /// Checks that the `routed` tables have the sequences that their keys need.
    ///
    /// # Errors
    /// [`AdapterError::Other`] where the shards' servers have assigned the keys so far, and two of them would now
    /// assign the same key.
    pub(super) async fn check_sequences(&self, routed: &[PlacedTable]) -> Result<(), AdapterError> {
        let mut lease = self.main().storage.connections.reader().await?;
        let found = sequences(&mut lease).await?;
        MySqlConnections::release(lease);
        self.check_found(&found, routed)?;
        for resource in self.left_over(&found, routed) {
            tracing::info!(
                table = resource.table,
                "keys are from a sequence of `{}`: `crud migrate apply` lets the shards' servers assign them",
                self.keyspaces.unsharded
            );
        }
        Ok(())
    }

    fn check_found(&self, found: &HashSet<String>, routed: &[PlacedTable]) -> Result<(), AdapterError> {
        let lacks = |placed: &&PlacedTable| {
            matches!(self.key_source(**placed), KeySource::Sequence(_)) && !found.contains(&sequence(placed.resource))
        };
        routed.iter().find(lacks).map_or(Ok(()), |placed| Err(self.same_keys(placed.resource)))
    }

    /// The tables that still have a sequence although the shards' servers can assign their keys.
    fn left_over(&self, found: &HashSet<String>, routed: &[PlacedTable]) -> Vec<&'static Descriptor> {
        let is_left = |placed: &&PlacedTable| {
            self.key_source(**placed) == KeySource::Shards && found.contains(&sequence(placed.resource))
        };
        routed.iter().filter(is_left).map(|placed| placed.resource).collect()
    }

    /// Ends sequences in three steps: tablets stop taking keys from them, each shard assigns keys above those taken,
    /// and vtgate forgets the sequences. An insert that a vtgate sends meanwhile has a key that was taken before, or
    /// fails.
    async fn end_sequences(
        &self,
        connection: &mut MySqlConnection,
        ended: &[&'static Descriptor],
    ) -> Result<(), AdapterError> {
        for resource in ended {
            let (own, _, table) = self.names(resource);
            // With a cache of 0, a tablet refuses to take keys from the sequence.
            execute_all(connection, vec![format!("UPDATE {own} SET cache = 0 WHERE id = 0")]).await?;
            self.set_shards(resource, self.last_of_sequence(resource).await?).await?;
            execute_all(connection, vec![format!("ALTER VSCHEMA ON {table} DROP AUTO_INCREMENT")]).await?;
        }
        sleep(HEARD).await;
        for resource in ended {
            let (own, sequence, _) = self.names(resource);
            let forget = vec![format!("ALTER VSCHEMA DROP SEQUENCE {sequence}"), format!("DROP TABLE IF EXISTS {own}")];
            execute_all(connection, forget).await?;
            tracing::info!(table = resource.table, "keys are assigned by the shards' own servers from now on");
        }
        Ok(())
    }

    fn same_keys(&self, resource: &Descriptor) -> AdapterError {
        let line = format!(
            "the servers of the shards have assigned the keys of `{}`, and two of them would assign the same key now: their settings \
             `auto-increment-increment` must be the same number above 1 in every shard, and `auto-increment-offset` a different number \
             up to it in each; {}",
            resource.table,
            self.steps_of_servers()
        );
        AdapterError::Other(line.into())
    }

    /// Quoted names: the sequence's table, the same with its keyspace, and the resource's table with its keyspace.
    fn names(&self, resource: &Descriptor) -> (String, String, String) {
        let name = identifier::<MySql>;
        let own = name(&sequence(resource));
        let of_keyspace = format!("{}.{own}", name(&self.keyspaces.unsharded));
        (own, of_keyspace, format!("{}.{}", name(&self.keyspaces.sharded), name(resource.table)))
    }
}

/// The names of the sequences in the unsharded keyspace.
async fn sequences(connection: &mut MySqlConnection) -> Result<HashSet<String>, AdapterError> {
    const TABLES: &str = "SELECT table_name AS name FROM information_schema.tables \
        WHERE table_schema = DATABASE() AND table_comment = 'vitess_sequence'";
    let rows = connection.fetch_all(TABLES).await.map_err(general)?;
    rows.iter().map(|row| row.try_get_unchecked(0)).collect::<sqlx::Result<_>>().map_err(general)
}
