//! Opening a database by its URL.

use std::str::FromStr;

use sqlx::mysql::{MySqlConnectOptions, MySqlConnection, MySqlPool};
use sqlx::{AssertSqlSafe, Executor};

use super::error::general;
use crate::model::adapter_error::AdapterError;
use crate::storage::sql::pool::statement_timeout::Limit;
use crate::storage::sql::pooled::{STATEMENTS, pool_options, says_how_many_are_cached};

/// What every connection is told.
///
/// Each statement of a transaction sees what was committed before it: with the records locked, that is the last
/// word. Values that a column cannot have are refused. MySQL bounds reads alone. MariaDB would order long texts by
/// their first 1,024 bytes.
fn settings(limit: &Limit) -> AssertSqlSafe<String> {
    // In whole seconds, of which there must be one.
    let lock = limit.lock().as_secs().max(1);
    let (seconds, milliseconds) = (limit.statement().as_secs_f64(), limit.statement().as_millis());
    AssertSqlSafe(format!(
        "SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED; \
         SET SESSION sql_mode = CONCAT(@@sql_mode, ',STRICT_ALL_TABLES'), SESSION innodb_lock_wait_timeout = {lock}, \
         SESSION lock_wait_timeout = {lock} \
         /*M!, SESSION max_statement_time = {seconds}, SESSION max_sort_length = 16384 */ \
         /*!80000 , SESSION max_execution_time = {milliseconds} */"
    ))
}

/// Opens the database of a URL, with this limit.
pub(super) async fn connect(url: &str) -> Result<(MySqlPool, Limit), AdapterError> {
    let limit = Limit::new();
    let told = limit.clone();
    let options = pool_options(Some(limit.clone())).after_connect(move |connection: &mut MySqlConnection, _| {
        let settings = settings(&told);
        Box::pin(async move { connection.execute(settings).await.map(drop) })
    });
    Ok((options.connect_with(locate(url)?).await.map_err(general)?, limit))
}

/// What the URL says, with what a service needs.
fn locate(url: &str) -> Result<MySqlConnectOptions, AdapterError> {
    let (scheme, _) = url.split_once("://").unwrap_or_default();
    if !matches!(scheme, "mysql" | "mariadb") {
        // The rest may hold a password.
        let line = format!("a URL that begins with `{scheme}` is none of MySQL or MariaDB, `mysql://host/database`");
        return Err(AdapterError::Other(line.into()));
    }
    let options = MySqlConnectOptions::from_str(url).map_err(|error| AdapterError::Other(error.into()))?;
    if options.get_database().is_none_or(str::is_empty) {
        return Err(AdapterError::Other("the URL names no database, `mysql://host/database`".into()));
    }
    let cached = says_how_many_are_cached(url);
    Ok(if cached { options } else { options.statement_cache_capacity(STATEMENTS) })
}
