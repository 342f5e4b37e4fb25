//! The mark of an unfinished move of records into the database: a table in the unsharded keyspace.

use std::sync::Arc;

use sqlx::mysql::MySqlConnection;
use sqlx::{AssertSqlSafe, Executor, Row};

use super::ShardedMySqlAdapter;
use crate::connections::Connections as _;
use crate::identifier::identifier;
use crate::model::adapter_error::AdapterError;
use crate::model::descriptor::Descriptor;
use crate::mysql::dialect::MySql;
use crate::mysql::error::general;
use crate::mysql::{MySqlAdapter, MySqlConnections};

/// The table that marks an unfinished move.
const TABLE: &str = "_crud_unfinished_move";

/// Number of records that one statement removes.
const AT_ONCE: u32 = 5_000;

/// The mark of a move, which is removed when the move ends.
pub(super) struct Mark(Arc<MySqlAdapter>);

impl Mark {
    /// Removes the mark.
    pub(super) async fn end(self) -> Result<(), AdapterError> {
        execute(&self.0, format!("DROP TABLE IF EXISTS {TABLE}")).await
    }
}

impl ShardedMySqlAdapter {
    /// Marks that a move has begun.
    pub(super) async fn mark_unfinished(&self) -> Result<Mark, AdapterError> {
        let storage = &self.main().storage;
        execute(storage, format!("CREATE TABLE IF NOT EXISTS {TABLE} (id INT PRIMARY KEY)")).await?;
        Ok(Mark(storage.clone()))
    }

    /// Checks that the database has no unfinished move.
    ///
    /// # Errors
    /// [`AdapterError::Other`] where a move is unfinished.
    pub(super) async fn check_finished(&self) -> Result<(), AdapterError> {
        if self.has_unfinished().await? {
            return Err(AdapterError::Other(
                "a move into this database has not ended: run it again, which first removes what it has left".into(),
            ));
        }
        Ok(())
    }

    /// Removes the records that an unfinished move has left, and its mark.
    pub(super) async fn remove_unfinished(&self, resources: &[&'static Descriptor]) -> Result<(), AdapterError> {
        if !self.has_unfinished().await? {
            return Ok(());
        }
        for place in &self.places {
            let own = self.resources_in(place, resources);
            let mut tables: Vec<String> = own.iter().map(|resource| identifier::<MySql>(resource.table)).collect();
            if !place.is_shard {
                tables.extend(self.lookup_tables());
            }
            let mut lease = place.storage.connections.writer().await.map_err(|error| place.named(error))?;
            lease.execute("SET SESSION foreign_key_checks = 0").await.map_err(general)?;
            for table in &tables {
                remove_records(&mut lease, table).await.map_err(|error| place.named(error))?;
            }
            lease.execute("SET SESSION foreign_key_checks = 1").await.map_err(general)?;
            MySqlConnections::release(lease);
        }
        Mark(self.main().storage.clone()).end().await
    }

    async fn has_unfinished(&self) -> Result<bool, AdapterError> {
        let main = self.main();
        let mut lease = main.storage.connections.reader().await.map_err(|error| main.named(error))?;
        let count = format!(
            "SELECT COUNT(*) FROM information_schema.tables WHERE table_schema = DATABASE() AND table_name = '{TABLE}'"
        );
        let row = lease.fetch_one(AssertSqlSafe(count)).await.map_err(general)?;
        MySqlConnections::release(lease);
        Ok(row.try_get_unchecked::<i64, _>(0).map_err(general)? > 0)
    }
}

/// Removes all records of a table, if it exists, in several statements.
async fn remove_records(connection: &mut MySqlConnection, table: &str) -> Result<(), AdapterError> {
    let delete = format!("DELETE FROM {table} LIMIT {AT_ONCE}");
    loop {
        match connection.execute(AssertSqlSafe(delete.clone())).await.map_err(general) {
            Ok(done) if done.rows_affected() == 0 => return Ok(()),
            Ok(_) => {}
            Err(AdapterError::MissingTable(_)) => return Ok(()),
            Err(error) => return Err(error),
        }
    }
}

async fn execute(storage: &MySqlAdapter, statement: String) -> Result<(), AdapterError> {
    let mut lease = storage.connections.writer().await?;
    lease.execute(AssertSqlSafe(statement)).await.map_err(general)?;
    MySqlConnections::release(lease);
    Ok(())
}
