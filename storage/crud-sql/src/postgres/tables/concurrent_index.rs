//! Indexes that a start creates on tables with records while others use the tables. They are created outside of a
//! transaction, after everything else.

use sqlx::postgres::PgConnection;

use crate::TARGET;
use crate::driver::Execution as _;
use crate::identifier::{in_schema_of, table_identifier};
use crate::model::adapter_error::AdapterError;
use crate::postgres::catalogue::{self, text};
use crate::postgres::dialect::Postgres;
use crate::postgres::error::{general, is_done, is_locked};
use crate::postgres::tables::invalid_index::drop_invalid;
use crate::schema::comparison::compared::Compared;
use crate::schema::ddl::definition_of_index;
use crate::statement::Text;
use crate::storage::migrate_error::MigrateError;

/// Whether the connection set timeouts when it was opened, so that the service may change them. A pooler drops these
/// settings, and would keep changed ones for other clients. The timeouts of a program's own pool belong to the program.
const IS_OWN: &str = "SELECT COALESCE(bool_or(source = 'client'), false) FROM pg_settings \
                      WHERE name IN ('statement_timeout', 'lock_timeout')";

/// Settings for a statement that waits for other transactions while none waits behind it, and for a statement that
/// gives up quickly.
const PATIENT: &str = "SET statement_timeout = 0; SET lock_timeout = 0";
const IMPATIENT: &str = "SET lock_timeout = 200";
const RESET: &str = "RESET statement_timeout; RESET lock_timeout";

/// An index that is created concurrently.
pub(in crate::postgres) struct ConcurrentIndex {
    table: &'static str,
    /// The quoted name of the index, in the schema of the table.
    name: String,
    statement: String,
}

/// Removes indexes from the comparison that are to be created concurrently: missing ones of tables that have records or
/// an invalid index. The old index of words serves until the new one has taken its place.
pub(in crate::postgres) async fn deferred(
    connection: &mut PgConnection,
    compared: &mut [Compared],
) -> sqlx::Result<Vec<ConcurrentIndex>> {
    let mut deferred = Vec::new();
    for one in compared.iter_mut().filter(|one| one.table.is_some() && one.resource.is_managed()) {
        let (resource, table) = (one.resource, one.resource.table);
        let is_complete = one.indexes.is_empty() && one.search.missing.is_none();
        if is_complete || !is_in_use(connection, table).await? {
            continue;
        }
        let index = |name: &str, statement: String| {
            let name = table_identifier::<Postgres>(&in_schema_of(table, name));
            ConcurrentIndex { table, name, statement }
        };
        for missing in std::mem::take(&mut one.indexes) {
            let definition = definition_of_index::<Postgres>(resource, &missing);
            deferred.push(index(&definition.name, definition.create_concurrently_on::<Postgres>(table)));
        }
        let of_words = one.search.missing.take();
        deferred.extend(of_words.and_then(|search| Some(index(&search.name, search.create_concurrently?))));
    }
    Ok(deferred)
}

/// Whether a table has records or an invalid index. Partitioned tables do not count: their indexes cannot be created
/// without a lock.
async fn is_in_use(connection: &mut PgConnection, table: &str) -> sqlx::Result<bool> {
    let statement = format!(
        "SELECT c.relkind = 'r' AND (EXISTS (SELECT 1 FROM {}) \
         OR EXISTS (SELECT 1 FROM pg_index i WHERE i.indrelid = c.oid AND NOT i.indisvalid)) \
         FROM pg_class c WHERE c.oid = to_regclass($1)",
        table_identifier::<Postgres>(table)
    );
    let table = vec![text(table_identifier::<Postgres>(table))];
    catalogue::one::<bool>(connection, Text::Assembled(statement), table).await
}

impl ConcurrentIndex {
    /// Creates the index. Returns `false` where another server or a lock was in the way: the index may then exist or
    /// not.
    ///
    /// # Errors
    /// When a timeout that the service may not change runs out, or the server is unavailable.
    pub(in crate::postgres) async fn create(&self, connection: &mut PgConnection) -> Result<bool, MigrateError> {
        let statement = &self.statement;
        tracing::info!(target: TARGET, table = self.table, statement, "creates an index while others use the table");
        let is_own = catalogue::one::<bool>(connection, IS_OWN, Vec::new()).await.map_err(general)?;
        if !is_own {
            let created = self.attempt(connection, is_own).await;
            return created.map_err(|error| self.failed(error));
        }
        Postgres::execute(connection, PATIENT).await.map_err(general)?;
        let created = self.attempt(connection, is_own).await;
        let reset = Postgres::execute(connection, RESET).await;
        Ok(created.and_then(|created| reset.map(|()| created)).map_err(general)?)
    }

    /// The error of a statement on a connection whose timeouts the service may not change.
    fn failed(&self, error: sqlx::Error) -> MigrateError {
        let (table, statement) = (self.table, &self.statement);
        match general(error) {
            AdapterError::Timeout => MigrateError::IndexTimeout { table, statement: statement.clone() },
            other => other.into(),
        }
    }

    async fn attempt(&self, connection: &mut PgConnection, is_own: bool) -> sqlx::Result<bool> {
        let Err(error) = catalogue::batch(connection, self.statement.clone()).await else {
            // Without statistics on its expression, PostgreSQL does not use an index of words to search many records.
            let analyze = format!("ANALYZE {}", table_identifier::<Postgres>(self.table));
            if let Err(error) = catalogue::batch(connection, analyze).await {
                // Another server may be collecting the statistics: `tuple concurrently updated`.
                tracing::debug!(target: TARGET, table = self.table, %error, "has no statistics of its index yet");
            }
            return Ok(true);
        };
        let is_taken = is_done(&error);
        // If the name is taken, another server is creating the index, or was killed meanwhile and has left it.
        if !is_taken || !self.is_in_progress(connection).await? {
            if is_own {
                Postgres::execute(connection, IMPATIENT).await?;
            }
            match drop_invalid(connection, &self.name).await {
                Err(error) if !is_locked(&error) => return Err(error),
                _ => {}
            }
        }
        if is_taken || is_locked(&error) { Ok(false) } else { Err(error) }
    }

    /// Whether a server holds the lock under which an index of the table is created concurrently.
    async fn is_in_progress(&self, connection: &mut PgConnection) -> sqlx::Result<bool> {
        const LOCKED: &str = "SELECT EXISTS (SELECT 1 FROM pg_locks WHERE relation = to_regclass($1) AND granted \
             AND mode = 'ShareUpdateExclusiveLock' AND pid <> pg_backend_pid() \
             AND database = (SELECT oid FROM pg_database WHERE datname = current_database()))";
        catalogue::one::<bool>(connection, LOCKED, vec![text(table_identifier::<Postgres>(self.table))]).await
    }
}
