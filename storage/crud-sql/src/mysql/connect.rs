//! Opening a database by its URL.

use std::str::FromStr;
use std::sync::Arc;
use std::time::Duration;

use sqlx::mysql::{MySqlConnectOptions, MySqlConnection, MySqlPool};
use sqlx::{AssertSqlSafe, ConnectOptions as _, Executor};
use tokio::sync::OnceCell;
use url::Url;

use super::error::{general, refusal_of_connection};
use super::known_engines::Engine;
use crate::model::adapter_error::AdapterError;
use crate::pool::options::{CACHED_STATEMENTS, pool_options, sets_cached_statements};
use crate::pool::server::{Server, is_doubtful, unreadable};
use crate::pool::statement_timeout::StatementTimeout;

/// Maximum number of connections to a single shard: requests use the other connections, through vtgate.
const TARGETED: u32 = 4;

/// Time after which an unused connection to a single shard is closed.
const TARGETED_IDLE: Duration = Duration::from_mins(1);

/// The settings of every connection.
///
/// READ COMMITTED: each statement of a transaction sees what was committed before it; once the records are locked, that
/// is final. Strict mode refuses values that a column cannot have. MySQL's statement timeout bounds reads alone.
/// Without `max_sort_length`, MariaDB sorts long text by its first 1,024 bytes.
fn settings(timeout: &StatementTimeout, sync_wait: Option<u8>) -> AssertSqlSafe<String> {
    // The setting is in whole seconds, and at least one.
    let lock = timeout.for_locks().as_secs().max(1);
    let (seconds, milliseconds) = (timeout.get().as_secs_f64(), timeout.get().as_millis());
    let sync_wait = sync_wait.map(|which| format!("; SET SESSION wsrep_sync_wait = {which}")).unwrap_or_default();
    AssertSqlSafe(format!(
        "SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED; \
         SET SESSION sql_mode = CONCAT(@@sql_mode, ',STRICT_ALL_TABLES'), SESSION innodb_lock_wait_timeout = {lock}, \
         SESSION lock_wait_timeout = {lock} \
         /*M!, SESSION max_statement_time = {seconds}, SESSION max_sort_length = 16384 */ \
         /*!80000 , SESSION max_execution_time = {milliseconds} */{sync_wait}"
    ))
}

/// Sets vtgate's statement timeout, which also bounds changes. vtgate silently drops the timeout of MySQL.
fn vtgate_settings(timeout: &StatementTimeout) -> AssertSqlSafe<String> {
    AssertSqlSafe(format!("SET SESSION query_timeout = {}", timeout.get().as_millis()))
}

/// The `sync_wait` of the URL: which statements on a Galera node wait for the commits of other nodes. It is a sum of 1
/// (reads), 2 (updates and deletes), 4 (inserts) and 8
/// (<https://mariadb.com/kb/en/galera-cluster-system-variables/#wsrep_sync_wait>).
fn sync_wait(url: &str) -> Result<Option<u8>, AdapterError> {
    let parameters = url.split_once('?').map_or("", |(_, parameters)| parameters);
    let Some((_, value)) = url::form_urlencoded::parse(parameters.as_bytes()).find(|(key, _)| key == "sync_wait")
    else {
        return Ok(None);
    };
    match value.parse() {
        Ok(which @ 0..=15) => Ok(Some(which)),
        _ => Err(AdapterError::Other("`sync_wait` in the URL must be a number from 0 to 15".into())),
    }
}

/// An open database.
pub(super) struct Opened {
    pub(super) pool: MySqlPool,
    /// The statement timeout of the connections.
    pub(super) timeout: StatementTimeout,
    /// Whether vtgate is the server.
    pub(super) is_vtgate: bool,
    /// The name of the database.
    pub(super) database: String,
}

/// Opens the database of a URL.
pub(super) async fn connect(url: &str) -> Result<Opened, AdapterError> {
    let (timeout, sync_wait) = (StatementTimeout::new(), sync_wait(url)?);
    let (of_connections, engine) = (timeout.clone(), Arc::new(OnceCell::new()));
    let of_first = engine.clone();
    let options = pool_options(Some(timeout.clone())).after_connect(move |connection: &mut MySqlConnection, _| {
        let (timeout, engine) = (of_connections.clone(), of_first.clone());
        Box::pin(async move {
            let engine = engine.get_or_try_init(|| Engine::ask(connection)).await?;
            let limit = engine.is_vtgate().then(|| vtgate_settings(&timeout));
            connection.execute(settings(&timeout, sync_wait)).await?;
            match limit {
                Some(limit) => connection.execute(limit).await.map(drop),
                None => Ok(()),
            }
        })
    });
    let to = connect_options(url)?;
    let database = to.get_database().unwrap_or_default().to_owned();
    match options.connect_with(to.clone()).await {
        Ok(pool) => {
            if let Some(Engine { version, known: Some(known) }) = engine.get() {
                known.announce(version)?;
            }
            let is_vtgate = engine.get().is_some_and(Engine::is_vtgate);
            Ok(Opened { pool, timeout, is_vtgate, database })
        }
        Err(error) => {
            Err(server(&to, url).explained::<MySqlConnection>(error, &to, refusal_of_connection, general).await)
        }
    }
}

/// Opens connections through vtgate without a keyspace: vtgate finds the tables of all keyspaces by their names. To
/// open a connection, no shard is asked, so that it succeeds while shards are down. Session settings are left as the
/// servers have them.
pub(super) async fn routed(url: &str) -> Result<Opened, AdapterError> {
    let timeout = StatementTimeout::new();
    let of_connections = timeout.clone();
    let options = pool_options(Some(timeout.clone())).after_connect(move |connection: &mut MySqlConnection, _| {
        let limit = vtgate_settings(&of_connections);
        Box::pin(async move { connection.execute(limit).await.map(drop) })
    });
    let mut without_keyspace = Url::parse(url).map_err(|error| unreadable(&sqlx::Error::config(error)))?;
    without_keyspace.set_path("");
    let to = MySqlConnectOptions::from_str(without_keyspace.as_str()).map_err(|error| unreadable(&error))?;
    // sqlx's log of slow statements would contain the values.
    let to = to.pipes_as_concat(false).no_engine_substitution(false).timezone(None).disable_statement_logging();
    let pool = options.connect_with(to).await.map_err(general)?;
    Ok(Opened { pool, timeout, is_vtgate: true, database: String::new() })
}

/// Opens connections to one shard through vtgate when they are first needed. Each is a session on that shard's server.
pub(super) fn targeted(url: &str, shard: &str) -> Result<Opened, AdapterError> {
    let timeout = StatementTimeout::new();
    let of_connections = timeout.clone();
    let options = pool_options(Some(timeout.clone())).max_connections(TARGETED).idle_timeout(TARGETED_IDLE);
    let options = options.after_connect(move |connection: &mut MySqlConnection, _| {
        let (settings, limit) = (settings(&of_connections, None), vtgate_settings(&of_connections));
        Box::pin(async move {
            connection.execute(settings).await?;
            connection.execute(limit).await.map(drop)
        })
    });
    let pool = options.connect_lazy_with(connect_options(url)?.database(shard));
    Ok(Opened { pool, timeout, is_vtgate: true, database: shard.to_owned() })
}

/// The server of a URL.
fn server(options: &MySqlConnectOptions, url: &str) -> Server {
    Server {
        title: "MySQL or MariaDB",
        host: options.get_host().to_owned(),
        port: options.get_port(),
        user: options.get_username().to_owned(),
        database: options.get_database().unwrap_or_default().to_owned(),
        is_doubtful: is_doubtful(url),
    }
}

/// The URL's connection options, with the settings that a service needs.
fn connect_options(url: &str) -> Result<MySqlConnectOptions, AdapterError> {
    let (scheme, _) = url.split_once("://").unwrap_or_default();
    if !matches!(scheme, "mysql" | "mariadb") {
        // The rest of the URL may contain a password.
        let line = format!(
            "a URL that begins with `{scheme}` is not a URL of MySQL or MariaDB such as `mysql://host/database`"
        );
        return Err(AdapterError::Other(line.into()));
    }
    let options = MySqlConnectOptions::from_str(url).map_err(|error| unreadable(&error))?;
    if options.get_database().is_none_or(str::is_empty) {
        return Err(AdapterError::Other("the URL names no database, `mysql://host/database`".into()));
    }
    // Statements use `CONCAT`: vtgate refuses the SQL mode in which `||` concatenates.
    let options = options.pipes_as_concat(false);
    let cached = sets_cached_statements(url);
    Ok(if cached { options } else { options.statement_cache_capacity(CACHED_STATEMENTS) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn url_says_which_statements_wait_for_other_nodes() {
        assert_eq!(sync_wait("mysql://host/shop").unwrap(), None);
        assert_eq!(sync_wait("mysql://host/shop?ssl-mode=DISABLED&sync_wait=7").unwrap(), Some(7));
        for wrong in ["16", "-1", "", "on", "1;DROP"] {
            assert!(sync_wait(&format!("mysql://host/shop?sync_wait={wrong}")).is_err(), "{wrong}");
        }
        assert!(settings(&StatementTimeout::new(), Some(7)).0.ends_with("; SET SESSION wsrep_sync_wait = 7"));
    }
}
