//! Routes of vtgate, in its `VSchema`: for each table, the column that decides a record's shard.
//!
//! ```sql
//! ALTER VSCHEMA ON `app`.`devices` ADD VINDEX `xxhash` (`shop_id`) USING `xxhash`
//! ```
//!
//! A table may also have a [sequence](super::sequences) of keys, and a table of memberships a [lookup](super::lookups).

use std::time::{Duration, Instant};

use sqlx::mysql::MySqlConnection;
use sqlx::{AssertSqlSafe, Executor, Row};
use tokio::time::sleep;

use super::ShardedMySqlAdapter;
use super::key_source::KeySource;
use super::lookups::Lookup;
use super::sequences::sequence;
use crate::connections::Connections as _;
use crate::identifier::identifier;
use crate::model::adapter_error::AdapterError;
use crate::model::descriptor::Descriptor;
use crate::mysql::MySqlConnections;
use crate::mysql::definition::MAX_NAME;
use crate::mysql::dialect::MySql;
use crate::mysql::error::general;
use crate::storage::shards::PlacedTable;

/// The hash that decides a record's shard. A number and its text have the same hash.
const HASH: &str = "xxhash";

/// Texts of errors that mean that another server, or an interrupted start, has already written the same rule.
const DONE: [&str; 5] = [
    "already contains",
    "already defined",
    "already exists",
    "does not contain auto increment",
    "does not contain sequence",
];

/// Maximum time until vtgate knows the routes that it has written.
const LIMIT: Duration = Duration::from_secs(10);

const INTERVAL: Duration = Duration::from_millis(50);

impl ShardedMySqlAdapter {
    /// Writes the routes that tables lack. The tables must exist.
    ///
    /// # Errors
    /// When vtgate refuses a statement; if vtgate may not be changed, the error says which setting it needs.
    pub(super) async fn write_routes(&self) -> Result<(), AdapterError> {
        let mut lease = self.main().storage.connections.reader().await?;
        let routed = self.routed_tables().await?;
        let mut is_written = false;
        for (placed, tenant) in self.tables.in_shards() {
            let found = routed.iter().find(|route| route.table == placed.resource.table);
            if let Some(route) = found {
                self.check_route(placed, tenant, &route.column)?;
                if route.lacks_lookup {
                    self.check_without_lookup(placed.resource).await?;
                }
            }
            if found.is_none_or(|route| route.lacks_lookup) {
                self.write_route(&mut lease, placed, tenant).await?;
                is_written = true;
            }
        }
        self.settle_sequences(&mut lease, &self.complete(&routed)).await?;
        MySqlConnections::release(lease);
        if is_written { self.until_known().await } else { Ok(()) }
    }

    /// Checks the sequences of tables that have routes.
    ///
    /// # Errors
    /// Errors of [`check_sequences`](Self::check_sequences).
    pub(super) async fn check_keys(&self) -> Result<(), AdapterError> {
        let routed = self.routed_tables().await?;
        self.check_sequences(&self.complete(&routed)).await
    }

    /// The tables whose routes are complete.
    fn complete(&self, routed: &[RoutingRule]) -> Vec<PlacedTable> {
        let has_route = |table: &str| routed.iter().any(|route| route.table == table && !route.lacks_lookup);
        let all = self.tables.in_shards().into_iter().map(|(placed, _)| placed);
        all.filter(|placed| has_route(placed.resource.table)).collect()
    }

    /// Whether a table belongs to a sequence or to a lookup.
    pub(super) fn is_of_route(&self, table: &str) -> bool {
        self.tables.in_shards().iter().any(|(placed, _)| sequence(placed.resource) == table)
            || self.lookups().any(|lookup| lookup.name == table)
    }

    /// The routes of the tables that have one. They are read without a keyspace: on a connection to one shard, vtgate
    /// does not answer by itself.
    async fn routed_tables(&self) -> Result<Vec<RoutingRule>, AdapterError> {
        let mut found = Vec::new();
        let mut lease = self.routed.0.connections.reader().await?;
        let sharded = identifier::<MySql>(&self.keyspaces.sharded);
        for (placed, _) in self.tables.in_shards() {
            let table = identifier::<MySql>(placed.resource.table);
            let show = format!("SHOW VSCHEMA VINDEXES FROM {sharded}.{table}");
            // vtgate returns an error for a table that it does not know yet.
            let Ok(rows) = lease.fetch_all(AssertSqlSafe(show)).await else { continue };
            if let Some(row) = rows.first() {
                let column: String = row.try_get_unchecked(0).map_err(general)?;
                let lacks_lookup = rows.len() < 2 && Lookup::of(placed.resource).is_some();
                found.push(RoutingRule { table: placed.resource.table, column, lacks_lookup });
            }
        }
        MySqlConnections::release(lease);
        Ok(found)
    }

    /// Checks that the tenant's column decides the shard of a table's records.
    fn check_route(&self, placed: PlacedTable, tenant: usize, column: &str) -> Result<(), AdapterError> {
        let wanted = placed.resource.columns[tenant].column;
        if wanted.eq_ignore_ascii_case(column) {
            return Ok(());
        }
        let table = placed.resource.table;
        let line = format!(
            "the records of `{table}` are in the shards of `{}` by `{column}`, and their tenant is `{wanted}`: move them to another \
             keyspace, as a record does not change its shard",
            self.keyspaces.sharded
        );
        Err(AdapterError::Other(line.into()))
    }

    /// Checks that a table without a lookup is empty: a login would not find its memberships.
    async fn check_without_lookup(&self, resource: &'static Descriptor) -> Result<(), AdapterError> {
        let read = format!("SELECT 1 FROM {} LIMIT 1", identifier::<MySql>(resource.table));
        let mut lease = self.routed.0.connections.reader().await?;
        let found = lease.fetch_optional(AssertSqlSafe(read)).await.map_err(general)?;
        MySqlConnections::release(lease);
        if found.is_none() {
            return Ok(());
        }
        let line = format!(
            "`{}` has memberships and no lookup of them in `{}`, by which a login finds the tenants of a user: move the records to an \
             empty keyspace, where the service creates it",
            resource.table, self.keyspaces.unsharded
        );
        Err(AdapterError::Other(line.into()))
    }

    async fn write_route(
        &self,
        connection: &mut MySqlConnection,
        placed: PlacedTable,
        tenant: usize,
    ) -> Result<(), AdapterError> {
        let resource = placed.resource;
        let name = identifier::<MySql>;
        let table = format!("{}.{}", name(&self.keyspaces.sharded), name(resource.table));
        let column = name(resource.columns[tenant].column);
        let mut statements = match self.key_source(placed) {
            KeySource::Sequence(key) => self.create_sequence(resource, key).await?,
            KeySource::Shards | KeySource::Program => Vec::new(),
        };
        // The last statement needs the route. With it, the table counts as one that has its sequence.
        statements.insert(statements.len().saturating_sub(1), route(&table, &column));
        let lookup = Lookup::of(resource);
        let (sharded, unsharded) = (&self.keyspaces.sharded, &self.keyspaces.unsharded);
        statements.extend(lookup.into_iter().flat_map(|lookup| lookup.statements(sharded, unsharded)));
        execute_all(connection, statements).await
    }

    /// Waits until vtgate knows each table: vtgate learns of its own routes through the topology server.
    async fn until_known(&self) -> Result<(), AdapterError> {
        let begin = Instant::now();
        let mut lease = self.routed.0.connections.reader().await?;
        for (placed, _) in self.tables.in_shards() {
            let table = identifier::<MySql>(placed.resource.table);
            let read = format!("SELECT 1 FROM {table} WHERE 1 = 0");
            while let Err(error) = lease.execute(AssertSqlSafe(read.clone())).await {
                if begin.elapsed() > LIMIT {
                    return Err(general(error));
                }
                sleep(INTERVAL).await;
            }
        }
        MySqlConnections::release(lease);
        Ok(())
    }
}

/// The route of a table.
struct RoutingRule {
    table: &'static str,
    /// The column that decides the shard of the table's records.
    column: String,
    /// Whether the table has memberships without a lookup.
    lacks_lookup: bool,
}

fn route(table: &str, column: &str) -> String {
    format!("ALTER VSCHEMA ON {table} ADD VINDEX {HASH} ({column}) USING {HASH}")
}

/// A table's name with a suffix, within the limit of names.
pub(super) fn named(table: &str, suffix: &str) -> String {
    let longest = (0..=table.len().min(MAX_NAME - suffix.len())).rev().find(|end| table.is_char_boundary(*end));
    format!("{}{suffix}", &table[..longest.unwrap_or_default()])
}

/// Executes statements, some of which another server of the service may have executed already.
pub(super) async fn execute_all(connection: &mut MySqlConnection, statements: Vec<String>) -> Result<(), AdapterError> {
    for statement in statements {
        match connection.execute(AssertSqlSafe(statement)).await {
            Err(error) if !is_done(&error) => return Err(refused(error)),
            _ => {}
        }
    }
    Ok(())
}

fn is_done(error: &sqlx::Error) -> bool {
    let message = error.as_database_error().map_or("", |error| error.message());
    DONE.iter().any(|done| message.contains(done))
}

/// The error for a route that vtgate refuses to write.
fn refused(error: sqlx::Error) -> AdapterError {
    let message = error.as_database_error().map_or("", |error| error.message()).to_ascii_lowercase();
    if !message.contains("not authorized") {
        return general(error);
    }
    AdapterError::Other(
        "vtgate does not let the user of the service write its routes: start it with `--vschema-ddl-authorized-users` and the \
         user's name"
            .into(),
    )
}
