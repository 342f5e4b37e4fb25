//! Creates the tables of a PostgreSQL database, and finds what does not fit.

#[cfg(feature = "migrations")]
pub(super) mod alter;
pub(super) mod concurrent_index;
pub(super) mod definition;
pub(super) mod invalid_index;
pub(super) mod loading;
#[cfg(feature = "migrations")]
pub(super) mod shadow;

use sqlx::postgres::PgConnection;

use std::time::{Duration, Instant};

use tokio::time::sleep;

use self::concurrent_index::{ConcurrentIndex, deferred};
use self::definition::MAX_NAME;
use super::catalogue::{self};
use super::dialect::Postgres;
use super::error::{general, is_locked};
use crate::catalogue::table::Parts;
use crate::identifier::table_identifier;
use crate::model::adapter_error::AdapterError;
use crate::model::descriptor::Descriptor;
use crate::schema::comparison::compared::Compared;
use crate::schema::comparison::diff::compare;
use crate::schema::driver::SchemaDriver;
use crate::schema::plan::{of_compared, too_long_names};
use crate::schema::view;
use crate::scope::Scope;
use crate::storage::migrate_error::MigrateError;

/// The lock of servers that start at the same time; its number is "crud" in ASCII. The lock belongs to a transaction,
/// whose statements a transaction pooler keeps on one session. It is tried and not waited for: `CREATE INDEX
/// CONCURRENTLY` waits for each open transaction.
const LOCK: &str = "SELECT pg_try_advisory_xact_lock(1668445540)";

/// No statement timeout: an index on a large table takes longer. A short lock timeout: requests of another service
/// would queue behind a lock that is waited for.
const BEGIN: &str =
    "BEGIN ISOLATION LEVEL READ COMMITTED; SET LOCAL statement_timeout = 0; SET LOCAL lock_timeout = 200";

/// Interval between two attempts, and the total time for attempts.
const INTERVAL: Duration = Duration::from_millis(100);
const LIMIT: Duration = Duration::from_mins(1);

impl SchemaDriver for Postgres {
    async fn create(connection: &mut PgConnection, resources: &[&'static Descriptor]) -> Result<(), MigrateError> {
        let mut end = Instant::now() + LIMIT;
        loop {
            match attempt(connection, resources).await? {
                Attempt::Created(indexes) if indexes.is_empty() => return Ok(()),
                Attempt::Created(indexes) => {
                    for index in indexes {
                        if !index.create(connection).await? {
                            sleep(INTERVAL).await;
                        }
                    }
                    end = Instant::now() + LIMIT;
                }
                Attempt::Locked(lock) if Instant::now() >= end => {
                    return Err(AdapterError::Unavailable(format!("{lock} for a minute").into()).into());
                }
                Attempt::Locked(_) => sleep(INTERVAL).await,
            }
        }
    }

    /// Unsupported conditions: the database's encoding, and names that are too long.
    async fn unfit(connection: &mut PgConnection, resources: &[&'static Descriptor]) -> sqlx::Result<Vec<String>> {
        let mut lines = Vec::new();
        let encoding = catalogue::one::<String>(connection, "SHOW server_encoding", Vec::new()).await?;
        if encoding != "UTF8" {
            lines.push(format!("database: its encoding is {encoding}, must be UTF8"));
        }
        lines.extend(too_long_names(resources, MAX_NAME));
        Ok(lines)
    }
}

/// Result of an attempt to create what the database lacks.
enum Attempt {
    /// Everything exists except these indexes, which are created concurrently.
    Created(Vec<ConcurrentIndex>),
    /// Another transaction was in the way; the text says which.
    Locked(&'static str),
}

async fn attempt(connection: &mut PgConnection, resources: &[&'static Descriptor]) -> Result<Attempt, MigrateError> {
    let mut transaction = Scope::<Postgres>::begin(connection, BEGIN).await.map_err(general)?;
    if !catalogue::one::<bool>(&mut transaction, LOCK, Vec::new()).await.map_err(general)? {
        return Ok(Attempt::Locked("another server has been creating tables"));
    }
    // Another server may have created a part since.
    let mut compared = compare::<Postgres>(&mut transaction, resources, Parts::Schema).await.map_err(general)?;
    let deferred = deferred(&mut transaction, &mut compared).await.map_err(general)?;
    let incomplete = incomplete(&compared);
    let plan = of_compared::<Postgres>(&mut transaction, resources, compared, Vec::new()).await?;
    for statement in plan.statements {
        match catalogue::batch(&mut transaction, statement.clone()).await {
            Ok(()) => {}
            Err(error) if is_locked(&error) => return Ok(Attempt::Locked("another transaction has locked a table")),
            Err(error) => return Err(view::failure::<Postgres>(&statement, resources, general(error))),
        }
    }
    view::check_created::<Postgres>(&mut transaction, resources).await?;
    for table in incomplete {
        // Without statistics on its expression, PostgreSQL does not use an index of words to search many records.
        let analyze = format!("ANALYZE {}", table_identifier::<Postgres>(table));
        catalogue::batch(&mut transaction, analyze).await.map_err(general)?;
    }
    transaction.commit().await.map_err(general)?;
    Ok(Attempt::Created(deferred))
}

/// The tables that are missing, or lack an index that is not deferred.
fn incomplete(compared: &[Compared]) -> Vec<&'static str> {
    let lacks = |one: &&Compared| {
        let is_incomplete = one.table.is_none() || !one.indexes.is_empty() || one.search.missing.is_some();
        one.resource.is_managed() && is_incomplete
    };
    compared.iter().filter(lacks).map(|one| one.resource.table).collect()
}
