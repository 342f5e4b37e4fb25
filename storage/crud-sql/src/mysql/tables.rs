//! Creates the tables of a MySQL or MariaDB database, and finds what does not fit.

use std::time::{Duration, Instant};

use crud_core::retry;
use sqlx::mysql::MySqlConnection;
use sqlx::{Executor, Row};

use super::definition::MAX_NAME;
use super::dialect::MySql;
use super::error::{general, is_conflict, is_locked, is_there_already};
use super::turn;
use crate::model::adapter_error::AdapterError;
use crate::model::descriptor::Descriptor;
use crate::schema::driver::SchemaDriver;
use crate::schema::plan::{plan, too_long_names};
use crate::schema::view;
use crate::statement::Text;
use crate::storage::back_off::until;
use crate::storage::migrate_error::MigrateError;

/// The lock of servers that start at the same time: each waits at most a minute. On a cluster, the lock is local to one
/// node.
const LOCK: &str = "SELECT GET_LOCK(LEFT(CONCAT('crud ', DATABASE()), 64), 60)";
/// Not a `DO`: vtgate answers that without sending it on, and keeps the lock.
const UNLOCK: &str = "SELECT RELEASE_LOCK(LEFT(CONCAT('crud ', DATABASE()), 64))";

/// No statement timeout: an index on a large table takes longer. No foreign key checks: two tables may refer to each
/// other. The collation of tables: a view's literals are compared by it. A short lock timeout: requests of another
/// service would queue behind a lock that is waited for.
const BEGIN: &str = "SET @crud_collation = @@collation_connection, SESSION foreign_key_checks = 0, \
    @crud_lock_wait = @@lock_wait_timeout, SESSION lock_wait_timeout = 1 \
    /*!80017 , SESSION collation_connection = utf8mb4_0900_bin */ \
    /*M!, SESSION collation_connection = utf8mb4_nopad_bin, @crud_statement_time = @@max_statement_time, SESSION max_statement_time = 0 */";
const END: &str = "SET SESSION collation_connection = @crud_collation, SESSION foreign_key_checks = 1, \
    SESSION lock_wait_timeout = @crud_lock_wait \
    /*M!, SESSION max_statement_time = @crud_statement_time */";

/// Maximum time of the attempts on a table that another transaction has locked.
const LIMIT: Duration = Duration::from_mins(1);

/// Maximum time to wait until another node completes a table.
const LOOK: Duration = Duration::from_millis(2_500);

impl SchemaDriver for MySql {
    /// Each statement is its own transaction: if a statement fails, what was created before stays, and the next start
    /// continues there.
    async fn create(connection: &mut MySqlConnection, resources: &[&'static Descriptor]) -> Result<(), MigrateError> {
        let locks = !turn::is_taken();
        if locks {
            lock(connection).await?;
        }
        connection.execute(BEGIN).await.map_err(general)?;
        let created = create_missing(connection, resources).await;
        for statement in std::iter::once(END).chain(locks.then_some(UNLOCK)) {
            match connection.execute(statement).await.map_err(general) {
                // Tables that another node creates can abort a statement once.
                Err(error) if is_conflict(&error) => connection.execute(statement).await.map_err(general)?,
                executed => executed?,
            };
        }
        created
    }

    /// Unsupported conditions: settings of the session and of the server, and names that are too long.
    async fn unfit(connection: &mut MySqlConnection, resources: &[&'static Descriptor]) -> sqlx::Result<Vec<String>> {
        const SESSION: &str = "SELECT @@sql_mode LIKE '%STRICT_ALL_TABLES%' OR @@sql_mode LIKE '%STRICT_TRANS_TABLES%', \
            @@foreign_key_checks AND @@unique_checks, @@character_set_client = 'utf8mb4'";
        let row = sqlx::query(SESSION).fetch_one(&mut *connection).await?;
        let wanted = [
            "connection: `sql_mode` must have STRICT_TRANS_TABLES, so that nothing is cut to fit",
            "connection: `foreign_key_checks` and `unique_checks` must be on in every connection of the pool",
            "connection: its character set must be utf8mb4",
        ];
        let mut lines = Vec::new();
        for (column, line) in wanted.into_iter().enumerate() {
            if row.try_get_unchecked::<i64, _>(column)? == 0 {
                lines.push(line.to_owned());
            }
        }
        if resources.iter().any(|resource| resource.columns.iter().any(|column| column.constraint().is_some())) {
            lines.extend(unchecked_references(connection).await?);
        }
        lines.extend(too_long_names(resources, MAX_NAME));
        Ok(lines)
    }
}

async fn lock(connection: &mut MySqlConnection) -> Result<(), AdapterError> {
    let locked: Option<i64> =
        sqlx::query(LOCK).fetch_one(&mut *connection).await.and_then(|row| row.try_get(0)).map_err(general)?;
    if locked == Some(1) {
        return Ok(());
    }
    Err(AdapterError::Unavailable("another server has been creating tables for a minute".into()))
}

async fn create_missing(
    connection: &mut MySqlConnection,
    resources: &[&'static Descriptor],
) -> Result<(), MigrateError> {
    let mut remaining = None;
    let attempts = async { retry!(try_create_missing(connection, resources, &mut remaining), is_in_the_way) };
    until(Instant::now() + LIMIT, attempts).await.map_err(|failed| failed.error)
}

/// Error of an attempt to create what the database lacks.
struct Failed {
    error: MigrateError,
    /// Whether another transaction or another node was in the way.
    is_in_the_way: bool,
}

impl From<MigrateError> for Failed {
    fn from(error: MigrateError) -> Self {
        Self { error, is_in_the_way: false }
    }
}

const fn is_in_the_way<T>(result: &Result<T, Failed>) -> bool {
    matches!(result, Err(Failed { is_in_the_way: true, .. }))
}

/// Creates what the database lacks now. `remaining`: number of statements that other nodes may still have executed
/// first.
async fn try_create_missing(
    connection: &mut MySqlConnection,
    resources: &[&'static Descriptor],
    remaining: &mut Option<usize>,
) -> Result<(), Failed> {
    // Another server may have created a part since.
    let looks = async { retry!(try_plan(connection, resources), is_in_the_way) };
    let statements = until(Instant::now() + LOOK, looks).await?;
    // Each further attempt is caused by a statement of this plan that another node has executed.
    let executed = remaining.get_or_insert(statements.len());
    for statement in statements {
        let Err(error) = connection.execute(Text::Assembled(statement.clone())).await else { continue };
        let (is_locked, exists) = (is_locked(&error), is_there_already(&error));
        let error = general(error);
        let is_executed = !is_locked && *executed > 0 && (exists || is_conflict(&error));
        *executed -= usize::from(is_executed);
        let error = view::failure::<MySql>(&statement, resources, error);
        return Err(Failed { error, is_in_the_way: is_locked || is_executed });
    }
    view::check_created::<MySql>(connection, resources).await.map_err(Failed::from)
}

/// The statements that create what the database lacks.
async fn try_plan(connection: &mut MySqlConnection, resources: &[&'static Descriptor]) -> Result<Vec<String>, Failed> {
    let error = match plan::<MySql>(connection, resources, Vec::new()).await {
        Ok(plan) => return Ok(plan.statements),
        Err(error) => error,
    };
    // A table that another node creates is visible before its keys are.
    let is_in_the_way = matches!(error, MigrateError::Mismatch(_))
        && is_clustered(connection).await.map_err(|error| MigrateError::from(general(error)))?;
    Err(Failed { error, is_in_the_way })
}

/// Whether the server is in a cluster, whose nodes execute each other's statements.
async fn is_clustered(connection: &mut MySqlConnection) -> sqlx::Result<bool> {
    const NODES: &str = "SHOW STATUS LIKE 'wsrep_cluster_size'";
    let row = sqlx::raw_sql(NODES).fetch_optional(connection).await?;
    let nodes: Option<String> = row.map(|row| row.try_get_unchecked(1)).transpose()?;
    Ok(nodes.and_then(|nodes| nodes.parse().ok()).is_some_and(|nodes: u32| nodes > 1))
}

/// From MySQL 9.6 on, the SQL layer checks foreign keys unless this setting leaves that to `InnoDB`. Up to at least
/// 9.7.4, the SQL layer treats a reference as empty where another column of its index is NULL, and a cascade over two
/// levels leaves records behind. Other servers do not have the setting.
async fn unchecked_references(connection: &mut MySqlConnection) -> sqlx::Result<Option<String>> {
    const SETTING: &str = "SHOW GLOBAL VARIABLES LIKE 'innodb_native_foreign_keys'";
    let row = sqlx::raw_sql(SETTING).fetch_optional(connection).await?;
    let setting: Option<String> = row.map(|row| row.try_get(1)).transpose()?;
    Ok(setting.filter(|setting| setting != "ON").map(|_| {
        "server: `innodb_native_foreign_keys` must be ON: without it, this version of MySQL accepts references to records \
         that do not exist"
            .to_owned()
    }))
}
