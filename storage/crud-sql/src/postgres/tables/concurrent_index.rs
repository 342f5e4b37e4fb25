//! Indexes of tables that have records, which a start creates while others read and write them: in no transaction, after
//! all else that it creates.

use sqlx::postgres::PgConnection;

use crate::TARGET;
use crate::dialect::Dialect;
use crate::driver::Driver;
use crate::identifier::{in_schema_of, table_identifier};
use crate::model::adapter_error::AdapterError;
use crate::postgres::catalogue::{self, text};
use crate::postgres::dialect::Postgres;
use crate::postgres::error::{general, is_done, is_locked};
use crate::postgres::tables::invalid_index::drop_invalid;
use crate::schema::comparison::compared::Compared;
use crate::schema::ddl::definition_of_index;
use crate::search_index::SearchIndex;
use crate::statement::Text;
use crate::storage::indexes::Index;
use crate::storage::migrate_error::MigrateError;

/// Whether the connection stated timeouts when it was opened. The service may change them then. A pooler drops stated
/// timeouts and would keep changed ones for other clients; a pool of the program has timeouts of the program.
const IS_OWN: &str = "SELECT COALESCE(bool_or(source = 'client'), false) FROM pg_settings \
                      WHERE name IN ('statement_timeout', 'lock_timeout')";

/// Settings for a statement that waits for other transactions while none waits behind it, and for one that is given up.
const PATIENT: &str = "SET statement_timeout = 0; SET lock_timeout = 0";
const IMPATIENT: &str = "SET lock_timeout = 200";
const RESET: &str = "RESET statement_timeout; RESET lock_timeout";

/// An index that is created concurrently.
pub(in crate::postgres) struct ConcurrentIndex {
    pub(in crate::postgres) table: &'static str,
    /// Its quoted name, in the schema of the table.
    name: String,
    /// The statement that would create it with a lock.
    create: String,
    /// The one that creates it without.
    create_concurrently: String,
}

/// The statements of a start that are for tables with records.
#[derive(Default)]
pub(in crate::postgres) struct Deferred {
    pub(in crate::postgres) indexes: Vec<ConcurrentIndex>,
    /// The statements that drop indexes of words: each serves until another has taken its place.
    drops: Vec<String>,
}

impl Deferred {
    /// The missing indexes of tables that have records, or an index that is not valid.
    pub(in crate::postgres) async fn of(connection: &mut PgConnection, compared: &[Compared]) -> sqlx::Result<Self> {
        let mut deferred = Self::default();
        for one in compared.iter().filter(|one| one.table.is_some() && one.resource.is_managed()) {
            let (resource, search) = (one.resource, one.search.missing.iter());
            let table = resource.table;
            let named = |name: &str| table_identifier::<Postgres>(&in_schema_of(table, name));
            let index = |index: &Index| {
                let definition = definition_of_index::<Postgres>(resource, index);
                let create = definition.create_on::<Postgres>(table);
                let create_concurrently = definition.create_concurrently_on::<Postgres>(table);
                let name = named(&(Postgres::TABLES.shorten)(index.name(resource)));
                ConcurrentIndex { table, name, create, create_concurrently }
            };
            let of_words = |search: &SearchIndex| {
                let (create, create_concurrently) = (search.create.concat(), search.create_concurrently.clone()?);
                Some(ConcurrentIndex { table, name: named(&search.name), create, create_concurrently })
            };
            let missing: Vec<_> = one.indexes.iter().map(index).chain(search.filter_map(of_words)).collect();
            if missing.is_empty() || !is_in_use(connection, table).await? {
                continue;
            }
            deferred.indexes.extend(missing);
            deferred
                .drops
                .extend(one.replaced_searches().flat_map(|unused| (Postgres::TABLES.drop_search)(table, &unused.name)));
        }
        Ok(deferred)
    }

    /// Whether a statement of the plan is one of them.
    pub(in crate::postgres) fn has(&self, statement: &str) -> bool {
        self.indexes.iter().any(|index| index.create == statement) || self.drops.iter().any(|drop| drop == statement)
    }
}

/// Whether a table has records, or an index that is not valid. That of a partitioned one is created with a lock: there is no
/// other way.
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
    /// Creates it; `false` where another server, or a lock, was in the way, and the index may be there or not.
    ///
    /// # Errors
    /// When it takes longer than a timeout that is not the service's to change, or the server is away.
    pub(in crate::postgres) async fn create(&self, connection: &mut PgConnection) -> Result<bool, MigrateError> {
        let statement = &self.create_concurrently;
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

    /// The error of a statement on a connection whose timeouts are not the service's to set.
    fn failed(&self, error: sqlx::Error) -> MigrateError {
        let (table, statement) = (self.table, &self.create_concurrently);
        match general(error) {
            AdapterError::Timeout => MigrateError::IndexTimeout { table, statement: statement.clone() },
            other => other.into(),
        }
    }

    async fn attempt(&self, connection: &mut PgConnection, is_own: bool) -> sqlx::Result<bool> {
        let Err(error) = catalogue::batch(connection, self.create_concurrently.clone()).await else {
            // Without statistics of what an index of words is over, a search of many records does not use it.
            let analyze = format!("ANALYZE {}", table_identifier::<Postgres>(self.table));
            if let Err(error) = catalogue::batch(connection, analyze).await {
                // Another server may be collecting them: `tuple concurrently updated`.
                tracing::debug!(target: TARGET, table = self.table, %error, "has no statistics of its index yet");
            }
            return Ok(true);
        };
        let is_taken = is_done(&error);
        // A taken name is an index that another server is creating, or one that a killed server has left.
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

    /// Whether a server has the lock with which an index of the table is created concurrently.
    async fn is_in_progress(&self, connection: &mut PgConnection) -> sqlx::Result<bool> {
        const LOCKED: &str = "SELECT EXISTS (SELECT 1 FROM pg_locks WHERE relation = to_regclass($1) AND granted \
             AND mode = 'ShareUpdateExclusiveLock' AND pid <> pg_backend_pid() \
             AND database = (SELECT oid FROM pg_database WHERE datname = current_database()))";
        catalogue::one::<bool>(connection, LOCKED, vec![text(table_identifier::<Postgres>(self.table))]).await
    }
}
