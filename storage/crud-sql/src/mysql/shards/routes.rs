//! Routes of vtgate, its `VSchema`: the column of each table by which records are in shards, and the sequences of keys.
//!
//! ```sql
//! ALTER VSCHEMA ON `app`.`devices` ADD VINDEX `xxhash` (`shop_id`) USING `xxhash`
//! ALTER VSCHEMA ADD SEQUENCE `main`.`devices_seq`
//! ALTER VSCHEMA ON `app`.`devices` ADD AUTO_INCREMENT `id` USING `main`.`devices_seq`
//! ```

use std::time::{Duration, Instant};

use sqlx::mysql::MySqlConnection;
use sqlx::{AssertSqlSafe, Executor, Row};
use tokio::time::sleep;

use super::ShardedMySqlAdapter;
use crate::connections::Connections as _;
use crate::identifier::identifier;
use crate::model::adapter_error::AdapterError;
use crate::model::descriptor::Descriptor;
use crate::model::value::Kind;
use crate::mysql::MySqlAdapter;
use crate::mysql::definition::MAX_NAME;
use crate::mysql::dialect::MySql;
use crate::mysql::error::general;
use crate::storage::shards::PlacedTable;

/// The hash by which records are in shards: a number and its text have the same.
const HASH: &str = "xxhash";

/// Keys that vtgate takes from a sequence at once.
const KEYS: u32 = 1000;

/// Suffix of the table of a sequence.
const SEQUENCE: &str = "_seq";

/// What another server of the service has written at the same time, or an interrupted start before.
const DONE: [&str; 3] = ["already contains", "already defined", "already exists"];

/// Time for which vtgate may not know what it has written.
const LIMIT: Duration = Duration::from_secs(10);

const INTERVAL: Duration = Duration::from_millis(50);

impl ShardedMySqlAdapter {
    /// Writes the routes that tables lack, once the tables are there.
    ///
    /// # Errors
    /// When vtgate refuses a statement; where it must not be written to, the error says what to give it.
    pub(super) async fn write_routes(&self) -> Result<(), AdapterError> {
        let mut lease = self.main().storage.reader().await?;
        let routed = self.routed_tables(&mut lease).await?;
        let mut is_written = false;
        for (placed, tenant) in self.tables.in_shards() {
            let Some(column) = routed.iter().find(|(table, _)| table.eq_ignore_ascii_case(placed.resource.table))
            else {
                self.write_route(&mut lease, placed, tenant).await?;
                is_written = true;
                continue;
            };
            self.check_route(placed, tenant, &column.1)?;
        }
        MySqlAdapter::release(lease);
        if is_written { self.until_known().await } else { Ok(()) }
    }

    /// Whether a table is that of a sequence.
    pub(super) fn is_sequence(&self, table: &str) -> bool {
        self.tables.in_shards().iter().any(|(placed, _)| sequence(placed.resource) == table)
    }

    /// The tables that have a route, with the column of it.
    async fn routed_tables(&self, connection: &mut MySqlConnection) -> Result<Vec<(String, String)>, AdapterError> {
        let mut found = Vec::new();
        let sharded = identifier::<MySql>(&self.keyspaces.sharded);
        for (placed, _) in self.tables.in_shards() {
            let table = identifier::<MySql>(placed.resource.table);
            let show = format!("SHOW VSCHEMA VINDEXES FROM {sharded}.{table}");
            // A table that vtgate does not know yet is an error.
            let Ok(rows) = connection.fetch_all(AssertSqlSafe(show)).await else { continue };
            if let Some(row) = rows.first() {
                let column: String = row.try_get_unchecked(0).map_err(general)?;
                found.push((placed.resource.table.to_owned(), column));
            }
        }
        Ok(found)
    }

    /// Checks that a table is in shards by the column of its tenant.
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
        let mut statements = Vec::new();
        if let Some(key) = assigned_key(resource) {
            let own = name(&sequence(resource));
            let sequence = format!("{}.{own}", name(&self.keyspaces.unsharded));
            statements.push(format!(
                "CREATE TABLE IF NOT EXISTS {own} (id INT, next_id BIGINT, cache BIGINT, PRIMARY KEY (id)) COMMENT 'vitess_sequence'"
            ));
            statements.push(format!("INSERT IGNORE INTO {own} (id, next_id, cache) VALUES (0, 1, {KEYS})"));
            statements.push(format!("ALTER VSCHEMA ADD SEQUENCE {sequence}"));
            // Before the column of the tenant: with that, the route counts as written.
            statements.push(route(&table, &column));
            statements.push(format!("ALTER VSCHEMA ON {table} ADD AUTO_INCREMENT {} USING {sequence}", name(key)));
        } else {
            statements.push(route(&table, &column));
        }
        for statement in statements {
            match connection.execute(AssertSqlSafe(statement)).await {
                Err(error) if !is_done(&error) => return Err(refused(error)),
                _ => {}
            }
        }
        Ok(())
    }

    /// Waits until vtgate knows each table: it hears of its own routes by the topology server.
    async fn until_known(&self) -> Result<(), AdapterError> {
        let begin = Instant::now();
        let mut lease = self.routed.0.reader().await?;
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
        MySqlAdapter::release(lease);
        Ok(())
    }
}

fn route(table: &str, column: &str) -> String {
    format!("ALTER VSCHEMA ON {table} ADD VINDEX {HASH} ({column}) USING {HASH}")
}

/// The column of a key that storage assigns, by a sequence.
fn assigned_key(resource: &Descriptor) -> Option<&'static str> {
    let [key] = resource.key() else { return None };
    let column = &resource.columns[*key];
    let is_number = matches!(column.kind, Kind::I16 | Kind::I32 | Kind::I64);
    (resource.view.is_none() && is_number && column.is_assigned() && column.references.is_none())
        .then_some(column.column)
}

/// The name of the table of a sequence.
fn sequence(resource: &Descriptor) -> String {
    let table = resource.table;
    let longest = (0..=table.len().min(MAX_NAME - SEQUENCE.len())).rev().find(|end| table.is_char_boundary(*end));
    format!("{}{SEQUENCE}", &table[..longest.unwrap_or_default()])
}

fn is_done(error: &sqlx::Error) -> bool {
    let message = error.as_database_error().map_or("", |error| error.message());
    DONE.iter().any(|done| message.contains(done))
}

/// The error of a route that vtgate does not write.
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
