//! [`Place`]: a database of sharded storage. [`Tables`]: the places of tables.

use std::collections::HashMap;
use std::sync::{Arc, PoisonError, RwLock};

use sqlx::Row;

use super::key_steps::KeySteps;
use crate::connections::Connections as _;
use crate::facts::Facts;
use crate::model::adapter_error::AdapterError;
use crate::model::descriptor::Descriptor;
use crate::mysql::connect;
use crate::mysql::error::general;
use crate::mysql::{MySqlAdapter, MySqlConnections};
use crate::storage::shards::PlacedTable;

/// Reads settings of a shard's server. Connections through vtgate do not set them, as each time that would ask one
/// shard.
const SETTINGS: &str = "SELECT @@global.transaction_isolation = 'READ-COMMITTED', \
    @@global.sql_mode LIKE '%STRICT_ALL_TABLES%' OR @@global.sql_mode LIKE '%STRICT_TRANS_TABLES%', \
    TIMESTAMPDIFF(MINUTE, UTC_TIMESTAMP(), NOW()) = 0, @@global.auto_increment_increment, @@global.auto_increment_offset";

/// The required values, in the order of [`SETTINGS`].
const WANTED: [&str; 3] = [
    "`transaction-isolation` must be READ-COMMITTED",
    "`sql-mode` must have STRICT_TRANS_TABLES",
    "its time must be UTC",
];

/// A database of sharded storage: a shard, or the unsharded keyspace.
#[derive(Debug)]
pub(super) struct Place {
    /// The name of the place, such as `app/-80`.
    pub(super) name: String,
    pub(super) is_shard: bool,
    /// Storage in this place alone, on a few separate connections.
    pub(super) storage: Arc<MySqlAdapter>,
}

impl Place {
    /// A place behind vtgate, to which no connection is open yet. `facts`: the facts of the tables of all places.
    ///
    /// # Errors
    /// When the URL is not valid.
    pub(super) fn open(url: &str, name: String, is_shard: bool, facts: &Arc<Facts>) -> Result<Self, AdapterError> {
        let opened = MySqlConnections::of_opened(connect::targeted(url, &name)?);
        let connections = MySqlConnections { facts: facts.clone(), ..opened };
        Ok(Self { name, is_shard, storage: Arc::new(MySqlAdapter { connections }) })
    }

    /// Checks the settings of the place's server, and returns the steps in which the server assigns keys.
    ///
    /// # Errors
    /// [`AdapterError::Other`] that names the setting that differs.
    pub(super) async fn check(&self) -> Result<KeySteps, AdapterError> {
        let mut lease = self.storage.connections.reader().await.map_err(|error| self.named(error))?;
        let row = sqlx::query(SETTINGS).fetch_one(&mut *lease).await.map_err(|error| self.named(general(error)))?;
        MySqlConnections::release(lease);
        for (column, wanted) in WANTED.into_iter().enumerate() {
            if row.try_get_unchecked::<i64, _>(column).map_err(general)? == 0 {
                return Err(AdapterError::Other(format!("the server of the shard `{}`: {wanted}", self.name).into()));
            }
        }
        let number = |column: usize| row.try_get_unchecked::<i64, _>(column).map_err(general);
        Ok(KeySteps { increment: number(WANTED.len())?, offset: number(WANTED.len() + 1)? })
    }

    /// An error, with the name of the place if that does not answer.
    pub(super) fn named(&self, error: AdapterError) -> AdapterError {
        match error {
            AdapterError::Unavailable(source) => {
                AdapterError::Unavailable(format!("the shard `{}` does not answer: {source}", self.name).into())
            }
            error => error,
        }
    }
}

/// The tables of a service by their names, with the place of each.
#[derive(Debug, Default)]
pub(super) struct Tables(RwLock<HashMap<String, PlacedTable>>);

impl Tables {
    /// Sets the tables. A former name of a table leads to the same place.
    pub(super) fn set(&self, tables: Vec<PlacedTable>) {
        let mut all = HashMap::with_capacity(tables.len());
        for placed in tables {
            for former in placed.resource.former_tables() {
                all.entry(former.to_ascii_lowercase()).or_insert(placed);
            }
            all.insert(placed.resource.table.to_ascii_lowercase(), placed);
        }
        *self.0.write().unwrap_or_else(PoisonError::into_inner) = all;
    }

    /// Whether the table with this name is in shards; `None` for an unknown table.
    pub(super) fn is_in_shards(&self, table: &str) -> Option<bool> {
        let all = self.0.read().unwrap_or_else(PoisonError::into_inner);
        all.get(&table.to_ascii_lowercase()).map(|placed| placed.tenant.is_some())
    }

    /// Whether the records of a resource are in shards.
    pub(super) fn are_in_shards(&self, resource: &Descriptor) -> bool {
        self.of_shards(resource).is_some()
    }

    /// The table of a resource whose records are in shards.
    pub(super) fn of_shards(&self, resource: &Descriptor) -> Option<PlacedTable> {
        let all = self.0.read().unwrap_or_else(PoisonError::into_inner);
        all.get(&resource.table.to_ascii_lowercase()).copied().filter(|placed| placed.tenant.is_some())
    }

    /// The tables in shards, each once, with the index of its tenant's column.
    pub(super) fn in_shards(&self) -> Vec<(PlacedTable, usize)> {
        let all = self.0.read().unwrap_or_else(PoisonError::into_inner);
        let current = all.iter().filter(|(name, placed)| name.eq_ignore_ascii_case(placed.resource.table));
        let mut found: Vec<_> = current.filter_map(|(_, placed)| Some((*placed, placed.tenant?))).collect();
        found.sort_by_key(|(placed, _)| placed.resource.table);
        found
    }
}
